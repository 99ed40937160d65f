/* Elements of a sparse dataset become undefined again; a chunk of which all are erased leaves the file.
 *
 *     cc erase.c $(pkg-config --cflags --libs tessera) -o erase && ./erase
 *
 * Prints:
 *     written     10  11  12  13  14  15  16  17  18  19  -1  -1   10 defined, 3 chunks
 *     erased      10  11  12  -1  -1  -1  -1  -1  -1  19  -1  -1   4 defined, 2 chunks
 *     5 is -1     10  11  12  -1  -1  -1  -1  -1  -1  19  -1  -1   5 defined, 3 chunks
 *     all erased  -1  -1  -1  -1  -1  -1  -1  -1  -1  -1  -1  -1   0 defined, 0 chunks
 */
#include "check.h"
#include <hdf5.h>

static void show(const char *when, hid_t dset)
{
    int values[12];
    hsize_t chunks;
    hid_t defined = CHECK(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    CHECK(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK(H5Dget_num_chunks(dset, H5S_ALL, &chunks));
    printf("%-10s", when);
    for (int i = 0; i < 12; i++)
        printf("%4d", values[i]);
    printf("   %lld defined, %llu chunks\n", (long long)H5Sget_select_npoints(defined), (unsigned long long)chunks);
    CHECK(H5Sclose(defined));
}

int main(void)
{
    hsize_t dims[1] = {12}, chunk[1] = {4}, start[1] = {0}, count[1] = {10};
    int values[10] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, fill = -1;

    hid_t file = CHECK(H5Fcreate("erase.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(1, dims, NULL)), mem = CHECK(H5Screate_simple(1, count, NULL));
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(dcpl, 1, chunk));
    CHECK(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
    hid_t dset = CHECK(H5Dcreate2(file, "data", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values));
    show("written", dset);

    /* Any selection will do, also one with elements that are not defined. */
    start[0] = 3;
    count[0] = 6;
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK(H5Derase(dset, space, H5P_DEFAULT));
    show("erased", dset);

    /* An element that is written with the value 0, or the fill value, is defined. */
    hsize_t point[1] = {5};
    hid_t one = CHECK(H5Screate(H5S_SCALAR));
    CHECK(H5Sselect_elements(space, H5S_SELECT_SET, 1, point));
    CHECK(H5Dwrite(dset, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &fill));
    show("5 is -1", dset);

    CHECK(H5Derase(dset, H5S_ALL, H5P_DEFAULT));
    show("all erased", dset);

    H5Sclose(one);
    H5Sclose(mem);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Dclose(dset);
    return H5Fclose(file) < 0;
}
