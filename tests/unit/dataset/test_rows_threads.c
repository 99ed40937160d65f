/* Boxes that are read and written one at a time, in chunks that the cache has and in others, of every kind of dataset
 * that keeps its elements there: by one thread beside a model, and by several that must find what they wrote. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "rows_threads.h5"

enum { ROWS = 40, COLUMNS = 24, WIDE = 8, TRIES = 1500, THREADS = 4, ROUNDS = 200 };
enum kind { CONTIGUOUS, CHUNKED, NARROW, DEFLATED, FILLED, KINDS };

static hid_t create(hid_t file, enum kind kind)
{
    const hsize_t dims[2] = {ROWS, COLUMNS}, chunk[2] = {16, kind == NARROW ? 10 : COLUMNS};
    const int fill = -7;
    char name[16];
    snprintf(name, sizeof name, "d%d", kind);
    hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (kind != CONTIGUOUS)
        H5Pset_chunk(dcpl, 2, chunk);
    if (kind == DEFLATED)
        H5Pset_deflate(dcpl, 1);
    if (kind == FILLED)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

struct box {
    hsize_t start[2], count[2];
};

/* Nearly always a row or a part of one. */
static struct box some_box(unsigned *seed)
{
    struct box b = {.count = {1 + (rand_r(seed) % 8 == 0 ? (hsize_t)rand_r(seed) % 5 : 0), COLUMNS}};
    if (rand_r(seed) % 2)
        b.count[1] = 1 + (hsize_t)rand_r(seed) % COLUMNS;
    b.start[0] = (hsize_t)rand_r(seed) % (ROWS - b.count[0] + 1);
    b.start[1] = (hsize_t)rand_r(seed) % (COLUMNS - b.count[1] + 1);
    return b;
}

/* In memory the box is at the same place of a wider array, or all of one. */
static void move(hid_t dset, hid_t type, const struct box *b, hid_t dxpl, int wide, int write, void *buf)
{
    const hsize_t dims[2] = {b->count[0], wide ? b->count[1] + WIDE : b->count[1]}, at[2] = {0, wide ? 3 : 0};
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(2, dims, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, b->start, NULL, b->count, NULL) >= 0);
    assert_true(H5Sselect_hyperslab(mem, H5S_SELECT_SET, at, NULL, b->count, NULL) >= 0);
    assert_true((write ? H5Dwrite(dset, type, mem, space, dxpl, buf) : H5Dread(dset, type, mem, space, dxpl, buf)) >=
                0);
    H5Sclose(mem);
    H5Sclose(space);
}

static size_t place(const struct box *b, size_t row, size_t column, int wide)
{
    return row * (b->count[1] + (wide ? WIDE : 0)) + column + (wide ? 3 : 0);
}

static void write_some(hid_t dset, const struct box *b, hid_t dxpl, int wide, int value, int (*model)[COLUMNS])
{
    int buf[8 * (COLUMNS + WIDE)];
    for (size_t i = 0; i < b->count[0]; i++)
        for (size_t k = 0; k < b->count[1]; k++)
            model[b->start[0] + i][b->start[1] + k] = buf[place(b, i, k, wide)] = value + (int)(i * COLUMNS + k);
    move(dset, H5T_NATIVE_INT, b, dxpl, wide, 1, buf);
}

static void read_some(hid_t dset, const struct box *b, hid_t dxpl, int wide, int converts, int (*model)[COLUMNS])
{
    union {
        int ints[8 * (COLUMNS + WIDE)];
        double doubles[8 * (COLUMNS + WIDE)];
    } buf;
    move(dset, converts ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, b, dxpl, wide, 0, &buf);
    for (size_t i = 0; i < b->count[0]; i++)
        for (size_t k = 0; k < b->count[1]; k++) {
            size_t at = place(b, i, k, wide);
            int is = converts ? (int)buf.doubles[at] : buf.ints[at];
            assert_int_equal(is, model[b->start[0] + i][b->start[1] + k]);
        }
}

static void every_kind_is_as_its_model(void **state)
{
    (void)state;
    unsigned seed = 11;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_XFER);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        int model[ROWS][COLUMNS];
        for (int i = 0; i < ROWS * COLUMNS; i++)
            model[i / COLUMNS][i % COLUMNS] = kind == FILLED ? -7 : 0;
        hid_t dset = create(file, kind);
        for (int i = 0; i < TRIES; i++) {
            struct box b = some_box(&seed);
            hid_t dxpl = rand_r(&seed) % 2 ? list : H5P_DEFAULT;
            int wide = rand_r(&seed) % 4 == 0;
            if (rand_r(&seed) % 3 == 0)
                write_some(dset, &b, dxpl, wide, i * 1000, model);
            else
                read_some(dset, &b, dxpl, wide, rand_r(&seed) % 8 == 0, model);
            if (rand_r(&seed) % 100 == 0) {
                H5Dclose(dset);
                H5Fflush(file, H5F_SCOPE_GLOBAL);
                char name[16];
                snprintf(name, sizeof name, "d%d", kind);
                dset = H5Dopen2(file, name, H5P_DEFAULT);
            }
        }
        H5Dclose(dset);
    }
    H5Pclose(list);
    assert_true(H5Fclose(file) >= 0);
    remove(FILE_NAME);
}

/* What a transfer list says afterwards does not depend on the way that was taken. */
static void the_list_is_told(void **state)
{
    (void)state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_XFER);
    hid_t dset = create(file, CHUNKED);
    struct box all = {.count = {4, COLUMNS}};
    int model[ROWS][COLUMNS] = {{0}};
    write_some(dset, &all, H5P_DEFAULT, 0, 5, model);
    for (int converts = 0; converts < 2; converts++) {
        uint32_t causes = 0;
        read_some(dset, &all, list, 0, converts, model);
        assert_true(H5Pget_no_selection_io_cause(list, &causes) >= 0);
        assert_int_equal(causes, H5D_SEL_IO_CHUNK_CACHE);
    }
    H5Pclose(list);
    H5Dclose(dset);
    assert_true(H5Fclose(file) >= 0);
    remove(FILE_NAME);
}

struct worker {
    hid_t dset[KINDS];
    int number;
};

/* Every fourth row is its own; the others are read as they come. */
static void *work(void *arg)
{
    const struct worker *w = arg;
    int row[COLUMNS], back[COLUMNS];
    for (int i = 0; i < ROUNDS; i++)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct box b = {{(hsize_t)(i % (ROWS / THREADS) * THREADS + w->number), 0}, {1, COLUMNS}};
            for (int k = 0; k < COLUMNS; k++)
                row[k] = i * 100 + k;
            move(w->dset[kind], H5T_NATIVE_INT, &b, H5P_DEFAULT, 0, 1, row);
            move(w->dset[kind], H5T_NATIVE_INT, &b, H5P_DEFAULT, 0, 0, back);
            assert_memory_equal(row, back, sizeof row);
            b.start[0] = (hsize_t)(i * 7 % ROWS);
            move(w->dset[kind], i % 16 ? H5T_NATIVE_INT : H5T_NATIVE_UINT, &b, H5P_DEFAULT, 0, 0, back);
        }
    return NULL;
}

static void threads_find_what_they_wrote(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dset[KINDS];
    for (enum kind kind = 0; kind < KINDS; kind++)
        dset[kind] = create(file, kind);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        memcpy(workers[i].dset, dset, sizeof dset);
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (enum kind kind = 0; kind < KINDS; kind++)
        H5Dclose(dset[kind]);
    assert_true(H5Fclose(file) >= 0);
    remove(FILE_NAME);
}

enum { LONG = 3 << 20, READERS = 3 };

static void *read_all(void *arg)
{
    const hid_t *dset = arg;
    int *back = malloc(LONG * sizeof *back);
    assert_non_null(back);
    assert_true(H5Dread(*dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (int i = 0; i < LONG; i++)
        assert_int_equal(back[i], i ^ 0x5555);
    free(back);
    return NULL;
}

/* So long that workers read parts of it. */
static void long_data_is_read_side_by_side(void **state)
{
    (void)state;
    const hsize_t dims = LONG;
    pthread_t threads[READERS];
    int *values = malloc(LONG * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < LONG; i++)
        values[i] = i ^ 0x5555;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          space = H5Screate_simple(1, &dims, NULL);
    hid_t dset = H5Dcreate2(file, "long", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, &dset), 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    free(values);
    H5Dclose(dset);
    H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
    remove(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_as_its_model),
        cmocka_unit_test(the_list_is_told),
        cmocka_unit_test(threads_find_what_they_wrote),
        cmocka_unit_test(long_data_is_read_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
