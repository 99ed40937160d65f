/* A sparse chunk has two sections: which elements are defined, and their values. Each has filters of its own.
 *
 *     cc section_filters.c $(pkg-config --cflags --libs tessera) -o section_filters && ./section_filters
 *
 * Prints:
 *     none     selection 16058 of 16058 bytes, values 16000 of 16000
 *     both     selection  7612 of 16062 bytes, values   384 of 16000
 *     own      selection  2074 of 16062 bytes, values   378 of 16000
 */
#include "check.h"
#include <hdf5.h>

enum { SIDE = 200, N = 4000 };

/* Writes N elements, and shows what the sections of the chunk take. */
static void write_and_show(hid_t file, const char *name, hid_t dcpl)
{
    static hsize_t points[N][2];
    static int values[N];
    hsize_t dims[2] = {SIDE, SIDE}, n = N, origin[2] = {0, 0};
    for (unsigned i = 0, at = 0, random = 1; i < N; i++, at++) {
        random = random * 1664525u + 1013904223u;
        at += (random >> 16) % 16; /* gaps of 0 to 15 */
        points[i][0] = at / SIDE;
        points[i][1] = at % SIDE;
        values[i] = 1000 + (int)(at / SIDE);
    }
    hid_t space = CHECK(H5Screate_simple(2, dims, NULL)), list = CHECK(H5Screate_simple(1, &n, NULL));
    hid_t dset = CHECK(H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK(H5Sselect_elements(space, H5S_SELECT_SET, N, points[0]));
    CHECK(H5Dwrite(dset, H5T_NATIVE_INT, list, space, H5P_DEFAULT, values));

    size_t stored[2], plain[2];
    H5D_struct_chunk_info_t info = {.num_sections = 2, .section_size = stored, .section_orig_size = plain};
    CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL));
    CHECK(H5Dget_struct_chunk_info_by_coord(dset, origin, &info, NULL, NULL));
    printf("%-8s selection %5zu of %5zu bytes, values %5zu of %5zu\n", name, stored[0], plain[0], stored[1], plain[1]);
    CHECK(H5Dclose(dset));
    CHECK(H5Sclose(list));
    CHECK(H5Sclose(space));
}

int main(void)
{
    hsize_t chunk[2] = {SIDE, SIDE};
    unsigned level = 6;
    hid_t file = CHECK(H5Fcreate("section_filters.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    hid_t none = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(none, 2, chunk));
    write_and_show(file, "none", none);

    /* H5Pset_deflate and the other functions without a section mean each section that the filter is good for. */
    hid_t both = CHECK(H5Pcopy(none));
    CHECK(H5Pset_deflate(both, level));
    write_and_show(file, "both", both);

    /* Positions: as gaps, then deflate. Values: the first bytes of all, the second bytes of all …, then deflate. */
    hid_t own = CHECK(H5Pcopy(none));
    CHECK(H5Pset_selection_packing(own));
    CHECK(H5Pset_section_filter(own, H5_SECTION_SELECTION, H5Z_FILTER_DEFLATE, 0, 1, &level));
    CHECK(H5Pset_section_filter(own, H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    CHECK(H5Pset_section_filter(own, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 0, 1, &level));
    write_and_show(file, "own", own);

    H5Pclose(own);
    H5Pclose(both);
    H5Pclose(none);
    return H5Fclose(file) < 0;
}
