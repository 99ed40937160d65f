/* Datasets that grow row by row, with all that may come in between: rows written elsewhere, as other types, from selections
 * with an offset, reads, flushes, other extents. What is read is what a model in memory has, before and after closing. */
#include "unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "write_append.h5"
#define OTHER_NAME "write_append_other.h5"

enum { COLUMNS = 6, MOST = 96, STEPS = 400, CASES = 24 };

struct growing {
    hid_t file, dset;
    int rows, fill, latest, next;
    int model[MOST][COLUMNS];
};

static void fill_rows(struct growing *g, int from, int to)
{
    for (int i = from; i < to; i++)
        for (int k = 0; k < COLUMNS; k++)
            g->model[i][k] = g->fill;
}

static void open_file(struct growing *g, unsigned flags)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (g->latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    g->file = flags == H5F_ACC_TRUNC ? H5Fcreate(FILE_NAME, flags, H5P_DEFAULT, fapl) : H5Fopen(FILE_NAME, flags, fapl);
    assert_true(g->file >= 0);
    H5Pclose(fapl);
}

static void create(struct growing *g, int number)
{
    hsize_t dims[2] = {0, COLUMNS}, max[2] = {H5S_UNLIMITED, COLUMNS};
    hsize_t chunk[2] = {(hsize_t)(number % 2 ? 7 : 16), (hsize_t)(number % 3 ? COLUMNS : 4)};
    hid_t space = H5Screate_simple(2, dims, max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    if (g->fill)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &g->fill);
    if (number % 5 == 4)
        H5Pset_deflate(dcpl, 1);
    g->dset = H5Dcreate2(g->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(g->dset >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void resize(struct growing *g, int rows)
{
    hsize_t dims[2] = {(hsize_t)rows, COLUMNS};
    assert_true(H5Dset_extent(g->dset, dims) >= 0);
    if (rows > g->rows)
        fill_rows(g, g->rows, rows);
    g->rows = rows;
}

/* A box of one row or several, taken from a larger buffer. */
static void write_box(struct growing *g, int row, int n, int column, int width)
{
    int values[MOST * COLUMNS + 3];
    double doubles[MOST * COLUMNS + 3];
    int total = n * width, as_double = rand() % 6 == 0, moved = rand() % 2, shift = rand() % 3;
    for (int i = 0; i < total; i++) {
        doubles[shift + i] = values[shift + i] = ++g->next;
        g->model[row + i / width][column + i % width] = g->next;
    }
    hsize_t start[2] = {(hsize_t)row, (hsize_t)column}, count[2] = {(hsize_t)n, (hsize_t)width};
    hsize_t all = (hsize_t)(total + 3), from = (hsize_t)shift, length = (hsize_t)total;
    hssize_t offset[2] = {1, 0};
    hid_t space = H5Dget_space(g->dset), mem = H5Screate_simple(1, &all, NULL);
    start[0] -= moved && row > 0;
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    if (moved && row > 0)
        assert_true(H5Soffset_simple(space, offset) >= 0);
    assert_true(H5Sselect_hyperslab(mem, H5S_SELECT_SET, &from, NULL, &length, NULL) >= 0);
    assert_true(H5Dwrite(g->dset, as_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, mem, space, H5P_DEFAULT,
                         as_double ? (void *)doubles : (void *)values) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
}

static void check(const struct growing *g)
{
    static int values[MOST][COLUMNS];
    memset(values, 0x5a, sizeof values);
    if (g->rows == 0)
        return;
    assert_true(H5Dread(g->dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, g->model, sizeof *values * (size_t)g->rows);
}

static void reopen(struct growing *g)
{
    H5Dclose(g->dset);
    assert_true(H5Fclose(g->file) >= 0);
    open_file(g, H5F_ACC_RDWR);
    g->dset = H5Dopen2(g->file, "d", H5P_DEFAULT);
    assert_true(g->dset >= 0);
}

static void append(struct growing *g)
{
    int n = 1 + (rand() % 4 == 0) * (rand() % 3);
    if (g->rows + n > MOST)
        resize(g, rand() % MOST);
    if (g->rows + n > MOST)
        return;
    resize(g, g->rows + n);
    write_box(g, g->rows - n, n, 0, COLUMNS);
}

static void step(struct growing *g)
{
    int what = rand() % 40, column = rand() % COLUMNS;
    if (what < 30)
        append(g);
    else if (what < 33 && g->rows > 0)
        write_box(g, rand() % g->rows, 1, column, 1 + rand() % (COLUMNS - column));
    else if (what < 34)
        check(g);
    else if (what < 36)
        assert_true(H5Dflush(g->dset) >= 0);
    else if (what < 38)
        resize(g, g->rows + (g->rows < MOST - 5 ? rand() % 5 : 0));
    else if (what < 39)
        resize(g, g->rows - (g->rows > 5 ? rand() % 5 : 0));
    else
        reopen(g);
}

static void test_rows(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        struct growing g = {.fill = number % 4 == 3 ? 77 : 0, .latest = number / 4 % 2};
        srand((unsigned)number);
        open_file(&g, H5F_ACC_TRUNC);
        create(&g, number);
        for (int i = 0; i < STEPS; i++)
            step(&g);
        check(&g);
        reopen(&g);
        check(&g);
        H5Dclose(g.dset);
        H5Fclose(g.file);
    }
    unlink(FILE_NAME);
}

static herr_t negate(hid_t src, hid_t dst, H5T_cdata_t *cdata, size_t n, size_t stride, size_t bkg_stride, void *buf,
                     void *bkg, hid_t dxpl)
{
    (void)src, (void)dst, (void)stride, (void)bkg_stride, (void)bkg, (void)dxpl;
    int *values = buf;
    for (size_t i = 0; cdata->command == H5T_CONV_CONV && i < n; i++)
        values[i] = -values[i];
    return 0;
}

/* A conversion that the application registers later counts, also for types that needed none so far. */
static void test_registered(void **state)
{
    (void)state;
    struct growing g = {.latest = 1};
    open_file(&g, H5F_ACC_TRUNC);
    create(&g, 1);
    resize(&g, 3);
    hid_t type = H5Tcopy(H5T_NATIVE_INT);
    hsize_t start[2] = {0, 0}, count[2] = {1, COLUMNS};
    int row[COLUMNS] = {1, 2, 3, 4, 5, 6}, seen[3][COLUMNS];
    hid_t space = H5Dget_space(g.dset), mem = H5Screate_simple(2, count, NULL);
    for (int i = 0; i < 3; i++, start[0]++) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        if (i == 2) {
            assert_true(H5Tset_order(type, H5T_ORDER_BE) >= 0);
            for (int k = 0; k < COLUMNS; k++)
                row[k] = (int)__builtin_bswap32((unsigned)(k + 1));
        }
        assert_true(H5Dwrite(g.dset, type, mem, space, H5P_DEFAULT, row) >= 0);
    }
    assert_true(H5Dread(g.dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, seen) >= 0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < COLUMNS; k++)
            assert_int_equal(seen[i][k], k + 1);
    assert_true(H5Tregister(H5T_PERS_HARD, "negate", type, H5T_NATIVE_INT, negate) >= 0);
    start[0] = 0;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    for (int k = 0; k < COLUMNS; k++)
        row[k] = -k;
    assert_true(H5Dwrite(g.dset, type, mem, space, H5P_DEFAULT, row) >= 0);
    assert_true(H5Tunregister(H5T_PERS_HARD, "negate", type, H5T_NATIVE_INT, negate) >= 0);
    assert_true(H5Dread(g.dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, seen) >= 0);
    for (int k = 0; k < COLUMNS; k++)
        assert_int_equal(seen[0][k], k);
    H5Tclose(type);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(g.dset);
    H5Fclose(g.file);
    unlink(FILE_NAME);
}

/* A committed type that was written with does not keep its file open. */
static void test_committed(void **state)
{
    (void)state;
    struct growing g = {.latest = 1};
    hsize_t start[2] = {0, 0}, count[2] = {1, COLUMNS};
    int row[COLUMNS] = {1, 2, 3, 4, 5, 6};
    hid_t other = H5Fcreate(OTHER_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = H5Tcopy(H5T_NATIVE_INT);
    assert_true(H5Tcommit2(other, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    open_file(&g, H5F_ACC_TRUNC);
    create(&g, 1);
    resize(&g, 3);
    hid_t space = H5Dget_space(g.dset), mem = H5Screate_simple(2, count, NULL);
    for (; start[0] < 3; start[0]++) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        assert_true(H5Dwrite(g.dset, type, mem, space, H5P_DEFAULT, row) >= 0);
    }
    H5Tclose(type);
    assert_true(H5Fclose(other) >= 0);
    other = H5Fcreate(OTHER_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(other >= 0);
    H5Fclose(other);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(g.dset);
    H5Fclose(g.file);
    unlink(FILE_NAME);
    unlink(OTHER_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_registered),
                                       cmocka_unit_test(test_committed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
