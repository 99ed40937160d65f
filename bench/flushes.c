/* flushes FOLDER: what a flush costs at each level of durability. One line a case: what is written, rows of 4 KiB in a
 * flush, level, seconds for each flush and the writing before it: the median, and the fastest tenth, which says more on
 * a busy machine. */
#include "bench.h"

enum { COLUMNS = 1024, CHUNK_ROWS = 64, FLUSHES = 200, MOST_ROWS = 100 };

enum kind { APPEND, SWMR, OVERWRITE, ATTRIBUTE };

static const struct {
    const char *title;
    enum kind kind;
    int rows;
} cases[] = {
    {"append", APPEND, 1},          {"append", APPEND, 100},      {"append, SWMR", SWMR, 1},
    {"append, SWMR", SWMR, 100},    {"write over", OVERWRITE, 1}, {"write over", OVERWRITE, 100},
    {"an attribute", ATTRIBUTE, 0},
};

static const struct {
    const char *name;
    H5F_durability_t level;
} levels[] = {
    {"process", H5F_DURABILITY_PROCESS}, {"ordered", H5F_DURABILITY_ORDERED}, {"flush", H5F_DURABILITY_FLUSH}};

static float rows[MOST_ROWS][COLUMNS];

static void must(int good)
{
    if (!good) {
        H5Eprint2(H5E_DEFAULT, stderr);
        exit(1);
    }
}

static hid_t make(hid_t file, enum kind kind)
{
    hsize_t dims[2] = {kind == OVERWRITE ? MOST_ROWS : 0, COLUMNS}, max[2] = {H5S_UNLIMITED, COLUMNS};
    hsize_t chunk[2] = {CHUNK_ROWS, COLUMNS}, one = 1;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, max);
    must(H5Pset_chunk(dcpl, 2, chunk) >= 0);
    hid_t d = H5Dcreate2(file, "rows", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(d >= 0);
    if (kind == OVERWRITE)
        must(H5Dwrite(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    hid_t scalar = H5Screate_simple(1, &one, NULL);
    hid_t a = H5Acreate2(d, "a", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
    must(a >= 0 && H5Aclose(a) >= 0 && H5Sclose(scalar) >= 0);
    must(H5Sclose(space) >= 0 && H5Pclose(dcpl) >= 0);
    return d;
}

static void put_rows(hid_t d, hsize_t start, hsize_t n)
{
    hsize_t from[2] = {start, 0}, count[2] = {n, COLUMNS};
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(2, count, NULL);
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0);
    must(H5Dwrite(d, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, rows) >= 0);
    must(H5Sclose(space) >= 0 && H5Sclose(memory) >= 0);
}

static void change(hid_t d, enum kind kind, int turn, int n)
{
    hsize_t dims[2] = {(hsize_t)(turn + 1) * (hsize_t)n, COLUMNS};
    if (kind == ATTRIBUTE) {
        hid_t a = H5Aopen(d, "a", H5P_DEFAULT);
        must(H5Awrite(a, H5T_NATIVE_INT, &turn) >= 0 && H5Aclose(a) >= 0);
        return;
    }
    rows[0][0] = (float)turn;
    if (kind != OVERWRITE)
        must(H5Dset_extent(d, dims) >= 0);
    put_rows(d, kind == OVERWRITE ? 0 : (hsize_t)turn * (hsize_t)n, (hsize_t)n);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void measure(const char *path, size_t which, size_t level)
{
    double took[FLUSHES];
    enum kind kind = cases[which].kind;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    must(H5Pset_durability(fapl, levels[level].level) >= 0);
    if (kind == SWMR)
        must(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    must(file >= 0);
    hid_t d = make(file, kind);
    must(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && (kind != SWMR || H5Fstart_swmr_write(file) >= 0));
    for (int turn = 0; turn < FLUSHES; turn++) {
        double start = now();
        change(d, kind, turn, cases[which].rows);
        must(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
        took[turn] = now() - start;
    }
    must(H5Dclose(d) >= 0 && H5Fclose(file) >= 0 && H5Pclose(fapl) >= 0);
    remove(path);
    qsort(took, FLUSHES, sizeof *took, by_size);
    printf("%s\t%d\t%s\t%.9f\t%.9f\n", cases[which].title, cases[which].rows, levels[level].name, took[FLUSHES / 2],
           took[FLUSHES / 10]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2)
        return 2;
    wander(&rows[0][0], (size_t)MOST_ROWS * COLUMNS);
    snprintf(path, sizeof path, "%s/flushes.h5", argv[1]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t level = 0; level < sizeof levels / sizeof *levels; level++)
            measure(path, i, level);
    return 0;
}
