/* rows FILE N: appends N rows to a dataset, flushes after each, says its number and waits for a line before it goes on.
 * rows --check FILE N: whether the first N rows at least are there, and all are right. */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 200 };

static uint64_t value(hsize_t row, hsize_t column)
{
    return (row + 1) * UINT64_C(1000003) + column;
}

static void must(long long result)
{
    if (result < 0)
        exit(2);
}

static hid_t make(hid_t file)
{
    hsize_t dims[2] = {0, COLUMNS}, most[2] = {H5S_UNLIMITED, COLUMNS}, chunk[2] = {4, COLUMNS};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, most);
    must(H5Pset_chunk(dcpl, 2, chunk));
    hid_t d = H5Dcreate2(file, "rows", H5T_NATIVE_UINT64, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(d);
    must(H5Sclose(space));
    must(H5Pclose(dcpl));
    return d;
}

static void append(hid_t d, hsize_t row)
{
    uint64_t values[COLUMNS];
    hsize_t dims[2] = {row + 1, COLUMNS}, start[2] = {row, 0}, count[2] = {1, COLUMNS};
    for (hsize_t i = 0; i < COLUMNS; i++)
        values[i] = value(row, i);
    must(H5Dset_extent(d, dims));
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(2, count, NULL);
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    must(H5Dwrite(d, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, values));
    must(H5Sclose(space));
    must(H5Sclose(memory));
}

static int check(const char *path, hsize_t n)
{
    hsize_t dims[2];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(file, "rows", H5P_DEFAULT);
    hid_t space = H5Dget_space(d);
    if (H5Sget_simple_extent_dims(space, dims, NULL) != 2 || dims[0] < n)
        return 1;
    uint64_t *values = malloc((size_t)(dims[0] + 1) * COLUMNS * sizeof *values);
    int wrong = H5Dread(d, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    for (hsize_t i = 0; !wrong && i < dims[0] * COLUMNS; i++)
        wrong = values[i] != value(i / COLUMNS, i % COLUMNS);
    free(values);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(file);
    return wrong;
}

int main(int argc, char **argv)
{
    char line[16];
    if (argc == 4 && strcmp(argv[1], "--check") == 0) {
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        return check(argv[2], strtoull(argv[3], NULL, 10));
    }
    if (argc != 3)
        return 2;
    hsize_t n = strtoull(argv[2], NULL, 10);
    hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), d = make(file);
    for (hsize_t row = 0; row < n; row++) {
        append(d, row);
        must(H5Fflush(file, H5F_SCOPE_LOCAL));
        printf("%llu\n", (unsigned long long)row + 1);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return 3;
    }
    must(H5Dclose(d));
    must(H5Fclose(file));
    printf("closed\n");
    fflush(stdout);
    return fgets(line, sizeof line, stdin) ? 0 : 3;
}
