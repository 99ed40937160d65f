/* Stored chunks of a sparse dataset go into another file as they are: nothing is decompressed or decoded on the way.
 *
 *     cc direct_chunk.c $(pkg-config --cflags --libs tessera) -o direct_chunk && ./direct_chunk
 *
 * Prints:
 *     5 chunks, 599 defined elements, 300 of the row's 300 as written
 */
#include "check.h"
#include <hdf5.h>

/* Called for each chunk that is stored. */
static int copy_chunk(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *addr, hsize_t *size, void *op_data)
{
    (void)addr;
    hid_t *dset = op_data; /* from, to */
    void *sections[H5_SECTION_NUM] = {NULL};
    char *bytes = malloc(*size), *at = bytes;
    for (int i = 0; i < info->num_sections; at += info->section_size[i++])
        sections[i] = at;
    int bad = !bytes || H5Dread_struct_chunk(dset[0], H5P_DEFAULT, offset, NULL, sections) < 0 ||
              H5Dwrite_struct_chunk(dset[1], H5P_DEFAULT, offset, info, sections) < 0;
    free(bytes);
    return bad ? H5_ITER_ERROR : H5_ITER_CONT;
}

static hid_t create(const char *name, hid_t *file)
{
    hsize_t dims[2] = {300, 300}, chunk[2] = {100, 100};
    *file = CHECK(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(2, dims, NULL)), dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(dcpl, 2, chunk));
    CHECK(H5Pset_deflate(dcpl, 6));
    hid_t dset = CHECK(H5Dcreate2(*file, "data", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK(H5Sclose(space));
    CHECK(H5Pclose(dcpl));
    return dset;
}

int main(void)
{
    hid_t file[2], dset[2] = {create("direct_chunk_from.h5", &file[0]), create("direct_chunk_to.h5", &file[1])};

    /* The cross through the middle: 100 elements in each of four chunks, 199 in the one in the middle. */
    static int values[300];
    for (int i = 0; i < 300; i++)
        values[i] = i;
    hsize_t column[2] = {300, 1}, row[2] = {1, 300}, start[2] = {0, 150};
    hid_t space = CHECK(H5Dget_space(dset[0])), mem = CHECK(H5Screate_simple(1, column, NULL));
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, column, NULL));
    CHECK(H5Dwrite(dset[0], H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values));
    start[0] = 150;
    start[1] = 0;
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, row, NULL));
    CHECK(H5Dwrite(dset[0], H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values));

    CHECK(H5Dstruct_chunk_iter(dset[0], H5P_DEFAULT, copy_chunk, dset));

    hsize_t chunks;
    int back[300], same = 0;
    hid_t defined = CHECK(H5Dget_defined(dset[1], H5S_ALL, H5P_DEFAULT));
    CHECK(H5Dget_num_chunks(dset[1], H5S_ALL, &chunks));
    CHECK(H5Dread(dset[1], H5T_NATIVE_INT, mem, space, H5P_DEFAULT, back));
    for (int i = 0; i < 300; i++)
        same += back[i] == i;
    printf("%llu chunks, %lld defined elements, %d of the row's 300 as written\n", (unsigned long long)chunks,
           (long long)H5Sget_select_npoints(defined), same);

    H5Sclose(defined);
    H5Sclose(mem);
    H5Sclose(space);
    int bad = 0;
    for (int i = 0; i < 2; i++)
        bad |= H5Dclose(dset[i]) < 0 || H5Fclose(file[i]) < 0;
    return bad;
}
