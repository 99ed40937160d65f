/* A sparse dataset: it stores the elements that were written, and nothing for the others.
 *
 *     cc sparse_write_read.c $(pkg-config --cflags --libs tessera) -o sparse_write_read && ./sparse_write_read
 *
 * Prints:
 *     corner of the box:
 *        0   0   0   0
 *        0   1   2   3
 *        0   4   5   6
 *        0   7   8   9
 *     10 of a million million elements are written: 5 chunks, 389 bytes
 */
#include "check.h"
#include <hdf5.h>

int main(void)
{
    hsize_t dims[2] = {1000000, 1000000}, chunk[2] = {20000, 20000};
    hid_t file = CHECK(H5Fcreate("sparse_write_read.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(2, dims, NULL));

    /* The only line that a dense dataset does not have: here it would say H5Pset_chunk. */
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(dcpl, 2, chunk));
    hid_t dset = CHECK(H5Dcreate2(file, "data", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    /* A box of 3 x 3 where four chunks meet, and a single element far away. */
    int box[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, single = -1;
    hsize_t start[2] = {19998, 19998}, count[2] = {3, 3}, point[2] = {777777, 31};
    hid_t mem = CHECK(H5Screate_simple(2, count, NULL));
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, box));
    CHECK(H5Sclose(mem));
    mem = CHECK(H5Screate(H5S_SCALAR));
    CHECK(H5Sselect_elements(space, H5S_SELECT_SET, 1, point));
    CHECK(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &single));
    CHECK(H5Sclose(mem));

    /* Reading is as ever: what was not written is the fill value. */
    int values[16];
    start[0] = start[1] = 19997;
    count[0] = count[1] = 4;
    mem = CHECK(H5Screate_simple(2, count, NULL));
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK(H5Dread(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values));
    printf("corner of the box:\n");
    for (int i = 0; i < 16; i++)
        printf("%4d%s", values[i], i % 4 == 3 ? "\n" : "");

    hsize_t chunks;
    CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL));
    CHECK(H5Dget_num_chunks(dset, H5S_ALL, &chunks));
    printf("10 of a million million elements are written: %llu chunks, %llu bytes\n", (unsigned long long)chunks,
           (unsigned long long)H5Dget_storage_size(dset));

    H5Sclose(mem);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Dclose(dset);
    return H5Fclose(file) < 0;
}
