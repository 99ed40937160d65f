/* sparse FOLDER: makes sparse.h5, behind a user block, with sparse datasets of every chunk index, pattern and kind of
 * filtering; and beside it, for each, NAME.raw: what H5Dread reads. packed cannot be read by a map, words is strings. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 11, COLUMNS = 23 };

static const char *folder;

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "sparse: %s failed\n", what);
        exit(1);
    }
}

struct spec {
    const char *name;
    hsize_t chunk[2], max[2];
    int filters; /* 0: none, 1: deflate for all sections and shuffle for values, 2: only for the selection, 3: packing,
                  * 4: as 1, but not for chunks at the edge */
};

static const struct spec specs[] = {
    {"fixed", {4, 5}, {ROWS, COLUMNS}, 0},
    {"fixed-filtered", {4, 5}, {ROWS, COLUMNS}, 1},
    {"extensible", {3, 8}, {ROWS, H5S_UNLIMITED}, 0},
    {"extensible-filtered", {3, 8}, {ROWS, H5S_UNLIMITED}, 2},
    {"tree", {5, 5}, {H5S_UNLIMITED, H5S_UNLIMITED}, 0},
    {"tree-filtered", {5, 5}, {H5S_UNLIMITED, H5S_UNLIMITED}, 1},
    {"single", {ROWS, COLUMNS}, {ROWS, COLUMNS}, 0},
    {"single-filtered", {ROWS, COLUMNS}, {ROWS, COLUMNS}, 1},
    {"edge-filtered", {4, 5}, {ROWS, COLUMNS}, 4},
    {"packed", {4, 5}, {ROWS, COLUMNS}, 3},
};

static hid_t properties(const struct spec *s)
{
    const short fill = -7;
    const unsigned level = 6, width = 2;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_sparse_chunk(dcpl, 2, s->chunk);
    H5Pset_fill_value(dcpl, H5T_NATIVE_SHORT, &fill);
    if (s->filters == 4)
        H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    if (s->filters == 1 || s->filters == 4) {
        H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, 0, sizeof width, &width);
        H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 0, sizeof level, &level);
    }
    if (s->filters == 1 || s->filters == 2 || s->filters == 4)
        H5Pset_filter2(dcpl, H5_SECTION_SELECTION, H5Z_FILTER_DEFLATE, 0, sizeof level, &level);
    if (s->filters == 3)
        H5Pset_selection_packing(dcpl);
    return dcpl;
}

static void write_where(hid_t dset, hid_t space)
{
    hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    short values[ROWS * COLUMNS];
    for (hsize_t i = 0; i < n; i++)
        values[i] = (short)(1000 + i * 37);
    hid_t memory = H5Screate_simple(1, &n, NULL);
    must(H5Dwrite(dset, H5T_NATIVE_SHORT, memory, space, H5P_DEFAULT, values) >= 0, "H5Dwrite");
    H5Sclose(memory);
}

/* All of a corner, every second column below it, blocks of unlike size, and points; some chunks stay empty. */
static void write_patterns(hid_t dset)
{
    static const hsize_t corner[2] = {5, 6}, lines[2] = {5, 0}, stride[2] = {1, 2}, grid[2] = {2, 5};
    static const hsize_t at[2] = {0, 12}, size[2] = {2, 3}, other[2] = {3, 15}, other_size[2] = {1, 2},
                         zero[2] = {0, 0};
    static const hsize_t points[4][2] = {{10, 22}, {8, 3}, {10, 0}, {9, 21}};
    hid_t space = H5Dget_space(dset);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, corner, NULL);
    write_where(dset, space);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, lines, stride, grid, NULL);
    write_where(dset, space);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_OR, other, NULL, other_size, NULL);
    write_where(dset, space);
    H5Sselect_elements(space, H5S_SELECT_SET, 4, &points[0][0]);
    write_where(dset, space);
    H5Sclose(space);
}

static void keep(hid_t dset, const char *name)
{
    short values[ROWS * COLUMNS];
    char path[4096];
    must(H5Dread(dset, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "H5Dread");
    snprintf(path, sizeof path, "%s/%s.raw", folder, name);
    FILE *out = fopen(path, "wb");
    must(out && fwrite(values, sizeof values, 1, out) == 1 && fclose(out) == 0, path);
}

static void make(hid_t file, const struct spec *s)
{
    static const hsize_t dims[2] = {ROWS, COLUMNS};
    hid_t space = H5Screate_simple(2, dims, s->max), dcpl = properties(s);
    hid_t dset = H5Dcreate2(file, s->name, H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(dset >= 0, "H5Dcreate2");
    write_patterns(dset);
    keep(dset, s->name);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

/* Strings of variable length, sparse: three sections. */
static void make_words(hid_t file)
{
    static const hsize_t dims = 12, chunk = 4, points[3] = {1, 2, 9};
    const char *words[3] = {"alpha", "", "gamma"};
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t n = 3;
    hid_t memory = H5Screate_simple(1, &n, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    H5Pset_struct_chunk(dcpl, 1, &chunk, H5D_SPARSE_CHUNK | H5D_VL_CHUNK);
    hid_t dset = H5Dcreate2(file, "words", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sselect_elements(space, H5S_SELECT_SET, 3, points);
    must(H5Dwrite(dset, type, memory, space, H5P_DEFAULT, words) >= 0, "H5Dwrite");
    H5Dclose(dset);
    H5Sclose(memory);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 2)
        return 2;
    folder = argv[1];
    snprintf(path, sizeof path, "%s/sparse.h5", folder);
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(fcpl, 512);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    must(file >= 0, "H5Fcreate");
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        make(file, &specs[i]);
    make_words(file);
    H5Pclose(fcpl);
    return H5Fclose(file) < 0;
}
