/* rows FOLDER [WORDS [TIMES]]: a row at a time, each selected by the caller, in memory always the same place. One line
 * a case: title, seconds, checksum. bench/instructions counts what a call costs. */
#include "bench.h"

enum { ROWS = 64, COLUMNS = 256, TIMES = 200000 };

static float row[COLUMNS];

struct kind {
    const char *title;
    int chunked, write, grows, converts;
};

static const struct kind kinds[] = {
    {"rows of a chunk in the cache, written", 1, 1, 0, 0}, {"rows of a chunk in the cache, read", 1, 0, 0, 0},
    {"rows of contiguous data, written", 0, 1, 0, 0},      {"rows of contiguous data, read", 0, 0, 0, 0},
    {"rows of a chunk, as doubles, read", 1, 0, 0, 1},     {"rows of 1 KiB appended", 1, 1, 1, 0},
};

static hid_t make(hid_t file, const struct kind *k)
{
    const hsize_t dims[2] = {k->grows ? 0 : ROWS, COLUMNS}, max[2] = {H5S_UNLIMITED, COLUMNS};
    const hsize_t chunk[2] = {ROWS, COLUMNS};
    hid_t space = H5Screate_simple(2, dims, k->grows ? max : NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (k->chunked)
        H5Pset_chunk(dcpl, 2, chunk);
    hid_t dset = H5Dcreate2(file, "rows", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

static void fill(hid_t dset)
{
    static float all[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        all[i] = (float)i;
    H5Dwrite(dset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
}

/* Returns how long it took. */
static double move(const struct kind *k, const char *path, size_t times, double *sum)
{
    static double wide[COLUMNS];
    const hsize_t count[2] = {1, COLUMNS};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dset = make(file, k);
    hid_t type = k->converts ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, mem = H5Screate_simple(2, count, NULL);
    *sum = 0;
    if (!k->grows)
        fill(dset);
    hid_t space = H5Dget_space(dset);
    double begin = now();
    for (size_t i = 0; i < times; i++) {
        const hsize_t start[2] = {k->grows ? i : i % ROWS, 0}, dims[2] = {i + 1, COLUMNS};
        if (k->grows) {
            H5Dset_extent(dset, dims);
            H5Sclose(space);
            space = H5Dget_space(dset);
        }
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        if (k->write)
            row[i % COLUMNS] = (float)i;
        if (k->write)
            H5Dwrite(dset, type, mem, space, H5P_DEFAULT, row);
        else
            H5Dread(dset, type, mem, space, H5P_DEFAULT, k->converts ? (void *)wide : row);
        *sum += k->converts ? wide[i % COLUMNS] : (double)row[i % COLUMNS];
    }
    double took = now() - begin;
    H5Sclose(space);
    H5Sclose(mem);
    H5Dclose(dset);
    H5Fclose(file);
    return took;
}

int main(int argc, char **argv)
{
    char path[4096];
    size_t times = argc > 3 ? strtoul(argv[3], NULL, 10) : TIMES;
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/rows.h5", argv[1]);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        double sum;
        if (argc > 2 && !strstr(kinds[i].title, argv[2]))
            continue;
        double took = move(&kinds[i], path, times, &sum);
        printf("%s\t%.9f\t%.17g\n", kinds[i].title, took, sum);
        fflush(stdout);
    }
    remove(path);
    return 0;
}
