/* A file driver from a plugin, by its name and by its number; HDF5_PLUGIN_PATH leads to it. */
#include <hdf5.h>

#include <stdio.h>
#include <string.h>

#include "later.h"

static void used(hid_t fapl)
{
    int value = 42, back = 0;
    hid_t file = H5Fcreate("plugged", H5F_ACC_TRUNC, H5P_DEFAULT, fapl), space = H5Screate(H5S_SCALAR);
    printf("created: %d\n", file > 0);
    hid_t d = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    SAY(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
    SAY(H5Dclose(d));
    SAY(H5Sclose(space));
    SAY(H5Fclose(file));
    file = H5Fopen("plugged", H5F_ACC_RDONLY, fapl);
    d = H5Dopen2(file, "d", H5P_DEFAULT);
    SAY(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &back));
    printf("read: %d\n", back);
    SAY(H5Dclose(d));
    SAY(H5Fclose(file));
}

int main(void)
{
    unsigned mask = 0;
    begin();
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), other = H5Pcreate(H5P_FILE_ACCESS);
    SAY(H5PLget_loading_state(&mask));
    SAY(H5PLset_loading_state(mask & ~(unsigned)H5PL_VFD_PLUGIN));
    SAY(H5Pset_driver_by_name(fapl, "plugged", NULL));
    SAY(H5Pset_driver_by_value(fapl, 509, NULL));
    SAY(H5PLset_loading_state(mask));
    SAY(H5FDis_driver_registered_by_name("plugged"));
    SAY(H5Pset_driver_by_value(fapl, 508, NULL));
    SAY(H5Pset_driver_by_value(fapl, 509, "settings"));
    SAY(H5FDis_driver_registered_by_name("plugged"));
    SAY(H5FDis_driver_registered_by_value(509));
    SAY(H5Pset_driver_by_name(other, "plugged", NULL));
    SAY(H5Pget_driver(other) == H5Pget_driver(fapl));
    used(fapl);
    used(other);
    SAY(H5Pclose(fapl));
    SAY(H5Pclose(other));
    return 0;
}
