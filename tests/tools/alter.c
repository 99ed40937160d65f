/* alter FILE FRAME ROW COLUMN VALUE|erase [DATASET]: changes one pixel of a file that `tessera demo` made. */
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

int main(int argc, char **argv)
{
    if (argc != 6 && argc != 7)
        return 2;
    const hsize_t point[3] = {strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10)},
                  one = 1;
    const unsigned short value = (unsigned short)atoi(argv[5]);
    hid_t file = H5Fopen(argv[1], H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dset = H5Dopen2(file, argc == 7 ? argv[6] : "/detector/frames", H5P_DEFAULT);
    hid_t space = H5Dget_space(dset), memory = H5Screate_simple(1, &one, NULL);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, point);
    herr_t status = strcmp(argv[5], "erase") == 0
                        ? H5Derase(dset, space, H5P_DEFAULT)
                        : H5Dwrite(dset, H5T_NATIVE_USHORT, memory, space, H5P_DEFAULT, &value);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dset);
    return status < 0 || H5Fclose(file) < 0;
}
