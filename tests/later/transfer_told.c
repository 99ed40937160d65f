/* What a transfer list is told of selection I/O, and chooses. */
#include <hdf5.h>

#include <stdio.h>
#include <string.h>

#include "later.h"

static void told(hid_t list)
{
    uint32_t causes = 0xdead, actual = 0xdead;
    herr_t a = H5Pget_no_selection_io_cause(list, &causes);
    herr_t b = H5Pget_actual_selection_io_mode(list, &actual);
    printf("  cause: %d, %#x; done: %d, %#x\n", (int)a, (unsigned)causes, (int)b, (unsigned)actual);
}

static hid_t dataset(hid_t file, const char *name, hid_t type, hsize_t chunk, int deflate)
{
    hsize_t n = 100;
    hid_t space = H5Screate_simple(1, &n, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(list, 1, &chunk);
    if (deflate)
        H5Pset_deflate(list, 1);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    H5Sclose(space);
    return d;
}

static void transfers(hid_t d, hid_t type, hid_t list)
{
    static double values[100];
    SAY(H5Dwrite(d, type, H5S_ALL, H5S_ALL, list, values));
    SAY(H5Dread(d, type, H5S_ALL, H5S_ALL, list, values));
    told(list);
}

static void modes(hid_t list)
{
    H5D_selection_io_mode_t mode;
    hbool_t modify = 2;
    HEAD("modes");
    SAY(H5Pget_selection_io(list, &mode));
    printf("  mode %d\n", (int)mode);
    for (int m = 0; m < 3; m++) {
        SAY(H5Pset_selection_io(list, (H5D_selection_io_mode_t)m));
        H5Pget_selection_io(list, &mode);
        printf("  mode %d\n", (int)mode);
    }
    SAY(H5Pget_selection_io(list, NULL));
    SAY(H5Pget_modify_write_buf(list, &modify));
    printf("  modify %d\n", (int)modify);
    SAY(H5Pset_modify_write_buf(list, 1));
    SAY(H5Pget_modify_write_buf(list, &modify));
    printf("  modify %d\n", (int)modify);
    SAY(H5Pget_no_selection_io_cause(list, NULL));
    SAY(H5Pget_actual_selection_io_mode(list, NULL));
    SAY(H5Pget_no_selection_io_cause(H5P_DATASET_CREATE, (uint32_t[1]){0}));
    SAY(H5Pget_actual_selection_io_mode(H5P_DATASET_CREATE, (uint32_t[1]){0}));
}

int main(void)
{
    const H5D_selection_io_mode_t all[] = {H5D_SELECTION_IO_MODE_DEFAULT, H5D_SELECTION_IO_MODE_OFF, H5D_SELECTION_IO_MODE_ON};
    begin();
    hid_t file = H5Fcreate("transfer.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_XFER);
    told(list);
    modes(list);
    for (int i = 0; i < 3; i++) {
        char name[32];
        HEAD(i == 0 ? "default" : i == 1 ? "off" : "on");
        H5Pset_selection_io(list, all[i]);
        snprintf(name, sizeof name, "contiguous %d", i);
        hid_t d = dataset(file, name, H5T_NATIVE_DOUBLE, 0, 0);
        printf("contiguous\n");
        if (all[i] != H5D_SELECTION_IO_MODE_ON) {
            transfers(d, H5T_NATIVE_DOUBLE, list);
            printf("contiguous, converted\n");
            transfers(d, H5T_NATIVE_FLOAT, list);
        }
        H5Dclose(d);
        snprintf(name, sizeof name, "chunked %d", i);
        d = dataset(file, name, H5T_NATIVE_DOUBLE, 10, 0);
        printf("chunked\n");
        transfers(d, H5T_NATIVE_DOUBLE, list);
        printf("chunked, converted\n");
        transfers(d, H5T_NATIVE_FLOAT, list);
        H5Dclose(d);
        snprintf(name, sizeof name, "filtered %d", i);
        d = dataset(file, name, H5T_NATIVE_DOUBLE, 10, 1);
        printf("filtered\n");
        transfers(d, H5T_NATIVE_DOUBLE, list);
        H5Dclose(d);
    }
    H5Pclose(list);
    H5Fclose(file);
    return 0;
}
