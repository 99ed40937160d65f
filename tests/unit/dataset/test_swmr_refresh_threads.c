/* Threads read a dataset while another refreshes it and a writer process makes it grow. */
#define H5_USE_110_API 1
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf5.h"
#include "unit/cmocka_all.h"

enum { COLS = 8, CHUNK = 4, STEP = 6, STEPS = 400, READERS = 3, REFRESHES = 150 };

static char path[64];

static void must(int64_t status)
{
    if (status < 0) {
        H5Eprint2(H5E_DEFAULT, stderr);
        _exit(9);
    }
}

static void write_step(hid_t d, hsize_t rows)
{
    int values[STEP * COLS];
    hsize_t dims[2] = {rows + STEP, COLS}, start[2] = {rows, 0}, count[2] = {STEP, COLS};
    must(H5Dset_extent(d, dims));
    hid_t space = H5Dget_space(d), mem = H5Screate_simple(2, count, NULL);
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    for (int i = 0; i < STEP * COLS; i++)
        values[i] = (int)rows * COLS + i;
    must(H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values));
    must(H5Dflush(d));
    H5Sclose(mem);
    H5Sclose(space);
}

/* Writes until nobody reads its answers any more. */
static void be_writer(int out, bool deflate)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[2] = {0, COLS}, max[2] = {H5S_UNLIMITED, COLS}, chunk[2] = {CHUNK, COLS};
    hid_t space = H5Screate_simple(2, dims, max);
    must(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    must(H5Pset_chunk(dcpl, 2, chunk));
    if (deflate)
        must(H5Pset_deflate(dcpl, 1));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    must(file);
    must(H5Dclose(H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
    must(H5Fstart_swmr_write(file));
    hid_t d = H5Dopen2(file, "d", H5P_DEFAULT);
    must(d);
    must(write(out, "", 1));
    for (hsize_t i = 0; i < STEPS; i++) {
        write_step(d, i * STEP);
        usleep(500);
    }
    must(H5Dclose(d));
    must(H5Fclose(file));
    _exit(0);
}

struct reading {
    hid_t d;
    _Atomic hsize_t rows; /* of the last refresh */
    atomic_bool end;
    atomic_uint wrong;
};

static void *read_on(void *ctx)
{
    struct reading *r = ctx;
    int values[STEP * COLS];
    for (unsigned n = 1; !r->end; n = n * 1103515245u + 12345u) {
        hsize_t rows = r->rows;
        if (rows < STEP)
            continue;
        hsize_t start[2] = {(n >> 8) % (rows - STEP + 1), 0}, count[2] = {STEP, COLS};
        hid_t space = H5Dget_space(r->d), mem = H5Screate_simple(2, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        if (H5Dread(r->d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values) < 0)
            r->wrong++;
        for (int i = 0; i < STEP * COLS; i++)
            r->wrong += values[i] != (int)start[0] * COLS + i;
        H5Sclose(space);
        H5Sclose(mem);
    }
    return NULL;
}

static hsize_t rows_of(hid_t d)
{
    hsize_t dims[2];
    hid_t space = H5Dget_space(d);
    assert_true(H5Sget_simple_extent_dims(space, dims, NULL) >= 0);
    H5Sclose(space);
    return dims[0];
}

static void follow(bool deflate)
{
    static struct reading r;
    pthread_t threads[READERS];
    int pipes[2], status;
    char answer;
    assert_int_equal(pipe(pipes), 0);
    pid_t writer = fork();
    if (writer == 0)
        be_writer(pipes[1], deflate);
    assert_int_equal(read(pipes[0], &answer, 1), 1);
    close(pipes[0]);
    close(pipes[1]);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, fapl);
    assert_true(file >= 0);
    r.d = H5Dopen2(file, "d", H5P_DEFAULT);
    r.rows = 0;
    r.end = false;
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &r), 0);
    for (int i = 0; i < REFRESHES; i++) {
        assert_int_equal(H5Drefresh(r.d), 0);
        hsize_t rows = rows_of(r.d);
        assert_true(rows >= r.rows);
        r.rows = rows;
        usleep(2000);
    }
    r.end = true;
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(r.wrong, 0);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    assert_int_equal(H5Drefresh(r.d), 0);
    assert_int_equal(rows_of(r.d), STEPS * STEP);
    H5Dclose(r.d);
    H5Fclose(file);
    H5Pclose(fapl);
    unlink(path);
}

static void plain_chunks(void **state)
{
    (void)state;
    follow(false);
}

static void filtered_chunks(void **state)
{
    (void)state;
    follow(true);
}

int main(void)
{
    snprintf(path, sizeof path, "test_swmr_threads_%d.h5", (int)getpid());
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_chunks), cmocka_unit_test(filtered_chunks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
