/* Which elements of a box are defined, where they are, and their values without all the others.
 *
 *     cc get_defined.c $(pkg-config --cflags --libs tessera) -o get_defined && ./get_defined
 *
 * Prints:
 *     5 of 5000 elements are defined
 *     ( 3,  7) 1.5
 *     (10, 10) 0.25
 *     (40, 22) 8 9 7
 */
#include "check.h"
#include <hdf5.h>

int main(void)
{
    enum { HITS = 6 };
    const hsize_t hits[HITS][2] = {{3, 7}, {10, 10}, {40, 22}, {40, 23}, {40, 24}, {99, 1}};
    const float energies[HITS] = {1.5f, 0.25f, 8, 9, 7, 3.125f};

    hsize_t dims[2] = {100, 100}, chunk[2] = {20, 20}, hit_count = HITS;
    hid_t file = CHECK(H5Fcreate("get_defined.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(2, dims, NULL)), list = CHECK(H5Screate_simple(1, &hit_count, NULL));
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(dcpl, 2, chunk));
    hid_t dset = CHECK(H5Dcreate2(file, "frame", H5T_IEEE_F32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK(H5Sselect_elements(space, H5S_SELECT_SET, HITS, hits[0]));
    CHECK(H5Dwrite(dset, H5T_NATIVE_FLOAT, list, space, H5P_DEFAULT, energies));
    CHECK(H5Sclose(list));

    /* The defined elements of rows 0 to 49: a dataspace in which they are selected. H5S_ALL asks for those of the
     * whole. */
    hsize_t start[2] = {0, 0}, count[2] = {50, 100};
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    hid_t defined = CHECK(H5Dget_defined(dset, space, H5P_DEFAULT));
    hsize_t n = CHECK(H5Sget_select_npoints(defined));
    printf("%llu of %llu elements are defined\n", (unsigned long long)n, (unsigned long long)(count[0] * count[1]));

    /* Reading with it gives just their values, row by row. */
    float values[HITS];
    list = CHECK(H5Screate_simple(1, &n, NULL));
    CHECK(H5Dread(dset, H5T_NATIVE_FLOAT, list, defined, H5P_DEFAULT, values));

    /* Their positions in the same order, as runs of neighbours: a run is the number of its first element, and a
     * length. */
    hsize_t first[HITS];
    size_t length[HITS], runs, elements;
    hid_t iter = CHECK(H5Ssel_iter_create(defined, 1, 0));
    CHECK(H5Ssel_iter_get_seq_list(iter, HITS, HITS, &runs, &elements, first, length));
    for (size_t r = 0, i = 0; r < runs; r++) {
        printf("(%2llu, %2llu)", (unsigned long long)(first[r] / dims[1]), (unsigned long long)(first[r] % dims[1]));
        for (size_t k = 0; k < length[r]; k++)
            printf(" %g", values[i++]);
        printf("\n");
    }

    H5Ssel_iter_close(iter);
    H5Sclose(list);
    H5Sclose(defined);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Dclose(dset);
    return H5Fclose(file) < 0;
}
