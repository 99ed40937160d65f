/* Many threads ask for the chunks of one dataset, while others write or not. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "dataset_chunk_query_threads.h5"

enum { SIDE = 60, THREADS = 4 };

struct job {
    hid_t dset;
    unsigned number;
    bool writes;
};

static int count(const H5D_chunk_info_t *info, void *ctx)
{
    assert_true(info->addr != HADDR_UNDEF && info->size == 16);
    ++*(hsize_t *)ctx;
    return 0;
}

/* The first half of the rows is there from the start; writers fill the second. */
static void *ask(void *ctx)
{
    struct job *j = ctx;
    hsize_t start[2] = {0, 0}, half[2] = {SIDE / 2, SIDE}, n, seen, offset[2];
    haddr_t addr;
    hid_t space = H5Dget_space(j->dset);
    for (unsigned i = 0; i < 30; i++) {
        start[1] = 0;
        half[1] = SIDE - (i + j->number) % 3 * 2;
        hsize_t want = half[0] / 2 * half[1] / 2;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, half, NULL);
        assert_int_equal(H5Dget_num_chunks(j->dset, space, &n), 0);
        assert_int_equal(n, want);
        seen = 0;
        assert_int_equal(H5Dchunk_iterate(j->dset, space, (H5D_chunk_order_t)(i % 3), NULL, count, &seen), 0);
        assert_int_equal(seen, want);
        assert_int_equal(H5Dget_chunk_info(j->dset, space, want - 1, offset, NULL, &addr, NULL), 0);
        assert_true(addr != HADDR_UNDEF && offset[0] == SIDE / 2 - 2 && offset[1] == half[1] - 2);
        assert_int_equal(H5Dget_num_chunks(j->dset, H5S_ALL, &n), 0);
        assert_true(n >= SIDE / 2 * SIDE / 4);
        seen = 0;
        assert_int_equal(H5Dchunk_iterate(j->dset, H5S_ALL, (H5D_chunk_order_t)(i % 3), NULL, count, &seen), 0);
        assert_true(j->writes ? seen >= n : seen == n);
    }
    H5Sclose(space);
    return NULL;
}

static void *fill(void *ctx)
{
    struct job *j = ctx;
    int values[4] = {1, 2, 3, 4};
    for (unsigned i = j->number; i < SIDE / 2 * SIDE / 4; i += THREADS) {
        hsize_t offset[2] = {SIDE / 2 + i / (SIDE / 2) * 2, i % (SIDE / 2) * 2};
        assert_int_equal(H5Dwrite_chunk(j->dset, H5P_DEFAULT, 0, offset, sizeof values, values), 0);
    }
    return NULL;
}

static void run(hid_t dset, bool writes)
{
    pthread_t threads[2 * THREADS];
    struct job jobs[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.dset = dset, .number = i, .writes = writes};
        pthread_create(&threads[i], NULL, ask, &jobs[i]);
        if (writes)
            pthread_create(&threads[THREADS + i], NULL, fill, &jobs[i]);
    }
    for (unsigned i = 0; i < (writes ? 2 * THREADS : THREADS); i++)
        pthread_join(threads[i], NULL);
}

static void run_kind(const hsize_t *max, bool latest)
{
    static int values[SIDE * SIDE];
    hsize_t dims[2] = {SIDE, SIDE}, chunk[2] = {2, 2}, start[2] = {0, 0}, half[2] = {SIDE / 2, SIDE}, n;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_libver_bounds(fapl, latest ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(dcpl, 2, chunk);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl), space = H5Screate_simple(2, dims, max);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, half, NULL);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, space, space, H5P_DEFAULT, values), 0);
    run(dset, true);
    assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &n), 0);
    assert_int_equal(n, SIDE * SIDE / 4);
    H5Dclose(dset);
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, fapl);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    run(dset, false);
    H5Dclose(dset);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    unlink(FILE_NAME);
}

static void every_index(void **state)
{
    (void)state;
    run_kind((hsize_t[]){SIDE, SIDE}, true);
    run_kind((hsize_t[]){H5S_UNLIMITED, SIDE}, true);
    run_kind((hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED}, true);
    run_kind((hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED}, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
