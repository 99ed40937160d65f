/* Which chunks there are, where, and how large: of a whole dataset, and of those that hold some element of a box.
 *
 *     cc chunk_query.c $(pkg-config --cflags --libs tessera) -o chunk_query && ./chunk_query
 *
 * Prints:
 *     10 chunks, 4 of them hold something of rows 350 to 649:
 *       (300, 300) 20000 bytes
 *       (400, 400) 20000 bytes
 *     ... 2 seen, and on:
 *       (500, 500) 20000 bytes
 *       (600, 600) 20000 bytes
 *     at (500, 500) 20000 bytes, at (500, 600) 0
 */
#include "check.h"
#include <hdf5.h>

static int print_chunk(const H5D_chunk_info_t *info, void *op_data)
{
    int *left = op_data;
    printf("  (%3llu, %3llu) %5llu bytes\n", (unsigned long long)info->offset[0], (unsigned long long)info->offset[1],
           (unsigned long long)info->size);
    return --*left ? H5_ITER_CONT : H5_ITER_STOP;
}

int main(void)
{
    /* 10 x 10 chunks, of which those on the diagonal are written. */
    static short values[100][100];
    hsize_t dims[2] = {1000, 1000}, chunk[2] = {100, 100}, start[2];
    hid_t file = CHECK(H5Fcreate("chunk_query.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(2, dims, NULL)), mem = CHECK(H5Screate_simple(2, chunk, NULL));
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_chunk(dcpl, 2, chunk));
    hid_t dset = CHECK(H5Dcreate2(file, "data", H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (hsize_t i = 0; i < 10; i++) {
        start[0] = start[1] = 100 * i;
        CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, chunk, NULL));
        CHECK(H5Dwrite(dset, H5T_NATIVE_SHORT, mem, space, H5P_DEFAULT, values));
    }

    hsize_t all, some, offset[2] = {500, 500}, elsewhere[2] = {500, 600}, size, none;
    CHECK(H5Dget_num_chunks(dset, H5S_ALL, &all));
    start[0] = 350;
    start[1] = 0;
    hsize_t box[2] = {300, 1000};
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, box, NULL));
    CHECK(H5Dget_num_chunks(dset, space, &some));
    printf("%llu chunks, %llu of them hold something of rows 350 to 649:\n", (unsigned long long)all,
           (unsigned long long)some);

    /* In the order of their positions; a function may stop, and another call goes on behind the last. */
    hsize_t next = 0;
    int left = 2;
    CHECK(H5Dchunk_iterate(dset, space, H5_CHUNK_ITER_ORDER_COORD, &next, print_chunk, &left));
    printf("... %llu seen, and on:\n", (unsigned long long)next);
    left = -1;
    CHECK(H5Dchunk_iterate(dset, space, H5_CHUNK_ITER_ORDER_COORD, &next, print_chunk, &left));

    CHECK(H5Dget_chunk_info_by_coord(dset, offset, NULL, NULL, &size));
    CHECK(H5Dget_chunk_info_by_coord(dset, elsewhere, NULL, NULL, &none));
    printf("at (500, 500) %llu bytes, at (500, 600) %llu\n", (unsigned long long)size, (unsigned long long)none);

    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(mem);
    H5Sclose(space);
    return H5Fclose(file) < 0;
}
