/* Threads that write, erase and read a sparse dataset at the same time, each its own row, in chunks that several rows share;
 * in a cache that has room for few of them. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "dataset_sparse_threads.h5"

enum { THREADS = 4, COLUMNS = 3000, STEPS = 120, MOST = 200, FILL = -1 };

struct row {
    hid_t dset;
    unsigned number, seed;
    const char *wrong; /* why it failed */
    int values[COLUMNS];
};

static unsigned roll(struct row *r, unsigned n)
{
    r->seed = r->seed * 1103515245u + 12345u;
    return (r->seed >> 8) % n;
}

/* Some elements of the row. */
static hid_t some(struct row *r, hsize_t *at, hsize_t *n)
{
    hid_t space = H5Dget_space(r->dset);
    *n = 1 + roll(r, MOST);
    for (hsize_t i = 0; i < *n; i++) {
        at[2 * i] = r->number;
        at[2 * i + 1] = roll(r, COLUMNS);
    }
    if (H5Sselect_elements(space, H5S_SELECT_SET, *n, at) < 0)
        r->wrong = "select";
    return space;
}

static void change(struct row *r, bool erase)
{
    hsize_t at[2 * MOST], n;
    int buf[MOST];
    hid_t space = some(r, at, &n), mem = H5Screate_simple(1, &n, NULL);
    for (hsize_t i = 0; i < n; i++)
        r->values[at[2 * i + 1]] = buf[i] = erase ? FILL : (int)roll(r, 1000000);
    int status = erase ? H5Derase(r->dset, space, H5P_DEFAULT)
                       : H5Dwrite(r->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf);
    if (status < 0)
        r->wrong = erase ? "erase" : "write";
    H5Sclose(mem);
    H5Sclose(space);
}

static void check(struct row *r)
{
    static _Thread_local int buf[COLUMNS];
    hsize_t start[] = {r->number, 0}, count[] = {1, COLUMNS}, n = COLUMNS;
    hid_t space = H5Dget_space(r->dset), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (H5Dread(r->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf) < 0)
        r->wrong = "read";
    else if (memcmp(buf, r->values, sizeof buf) != 0)
        r->wrong = "values";
    hid_t defined = H5Dget_defined(r->dset, space, H5P_DEFAULT);
    hssize_t want = 0;
    for (int i = 0; i < COLUMNS; i++)
        want += r->values[i] != FILL;
    if (H5Sget_select_npoints(defined) != want)
        r->wrong = "defined";
    H5Sclose(defined);
    H5Sclose(mem);
    H5Sclose(space);
}

static void *run(void *ctx)
{
    struct row *r = ctx;
    for (int i = 0; i < STEPS && !r->wrong; i++) {
        unsigned what = roll(r, 8);
        if (what < 4)
            change(r, false);
        else if (what == 4)
            change(r, true);
        else
            check(r);
    }
    return NULL;
}

static hid_t create(size_t budget, bool filters, hid_t *file)
{
    hsize_t dims[] = {THREADS, COLUMNS}, chunk[] = {2, 170};
    int fill = FILL;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    assert_int_equal(H5Pget_shared_chunk_cache(fapl, &settings), 0);
    settings.budget = budget;
    settings.threads = 2;
    settings.reserve = 0;
    settings.encode_ahead = 4096;
    assert_int_equal(H5Pset_shared_chunk_cache(fapl, &settings), 0);
    *file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, chunk), 0);
    assert_int_equal(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill), 0);
    if (filters)
        assert_int_equal(H5Pset_deflate(dcpl, 1), 0);
    hid_t dset = H5Dcreate2(*file, "d", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset > 0);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    return dset;
}

static void rows_at_the_same_time(void **state)
{
    static struct row rows[THREADS];
    (void)state;
    for (int round = 0; round < 3; round++) {
        pthread_t threads[THREADS];
        hid_t file, dset = create((size_t[]){1 << 20, 20000, 1}[round], round != 2, &file);
        for (unsigned t = 0; t < THREADS; t++) {
            rows[t] = (struct row){.dset = dset, .number = t, .seed = t + 10 * (unsigned)round};
            for (int i = 0; i < COLUMNS; i++)
                rows[t].values[i] = FILL;
            assert_int_equal(pthread_create(&threads[t], NULL, run, &rows[t]), 0);
        }
        for (unsigned t = 0; t < THREADS; t++)
            pthread_join(threads[t], NULL);
        H5Dclose(dset);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        for (unsigned t = 0; t < THREADS; t++) {
            if (rows[t].wrong)
                fail_msg("row %u: %s", t, rows[t].wrong);
            rows[t].dset = dset;
            check(&rows[t]);
            assert_null(rows[t].wrong);
        }
        H5Dclose(dset);
        H5Fclose(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_at_the_same_time)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    return failed;
}
