/* Boxes that are read without a lock while others write them, push their chunks out, grow and shrink the dataset, and
 * close it: whoever reads sees what was written before or after, and nothing else. */
#include "unit/cmocka_all.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 192, CHUNK = 32, READERS = 4, BOXES = 1500, ROUNDS = 60, MOST_ROUND = 97 };

static const char *const path = "look_threads.h5";

struct shared {
    hid_t file, dset;
    atomic_uint readers, wrong;
};

/* Every element has the number of its place and of the round in which its row of chunks was written. */
static int value(hsize_t row, hsize_t column, int round)
{
    return (int)(row * SIDE + column) * MOST_ROUND + round % MOST_ROUND;
}

static hid_t access_with(size_t budget)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5F_shared_chunk_cache_t s = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    assert_int_equal(H5Pget_shared_chunk_cache(fapl, &s), 0);
    s.budget = budget;
    s.reserve = 0;
    s.threads = 2;
    assert_int_equal(H5Pset_shared_chunk_cache(fapl, &s), 0);
    return fapl;
}

static hid_t make_dataset(hid_t file, const char *name, unsigned deflate)
{
    const hsize_t dims[2] = {SIDE, SIDE}, most[2] = {H5S_UNLIMITED, SIDE}, chunk[2] = {CHUNK, CHUNK};
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    if (deflate)
        H5Pset_deflate(dcpl, deflate);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

/* A row of chunks at once. */
static int write_rows(hid_t dset, hsize_t first, int round)
{
    static _Thread_local int rows[CHUNK][SIDE];
    const hsize_t start[2] = {first, 0}, count[2] = {CHUNK, SIDE};
    for (hsize_t r = 0; r < CHUNK; r++)
        for (hsize_t c = 0; c < SIDE; c++)
            rows[r][c] = value(first + r, c, round);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(2, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    int status = H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, rows);
    H5Sclose(mem);
    H5Sclose(space);
    return status;
}

static void make_file(struct shared *s, size_t budget, unsigned deflate)
{
    hid_t fapl = access_with(budget);
    memset(s, 0, sizeof *s);
    s->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    s->dset = make_dataset(s->file, "read", deflate);
    hid_t other = make_dataset(s->file, "other", deflate);
    for (hsize_t row = 0; row < SIDE; row += CHUNK) {
        assert_int_equal(write_rows(s->dset, row, 0), 0);
        assert_int_equal(write_rows(other, row, 0), 0);
    }
    H5Dclose(other);
}

static unsigned next(unsigned *seed)
{
    return (*seed = *seed * 1664525 + 1013904223) >> 8;
}

/* All elements of a box that are in one row of chunks are of one round. */
static bool is_right(const int *box, const hsize_t *start, const hsize_t *count)
{
    int round = -1;
    for (hsize_t r = 0; r < count[0]; r++)
        for (hsize_t c = 0; c < count[1]; c++) {
            int one = box[r * count[1] + c], its = one % MOST_ROUND;
            bool first = c == 0 && (r == 0 || (start[0] + r) % CHUNK == 0);
            round = first ? its : round;
            if (its != round || one != value(start[0] + r, start[1] + c, its))
                return false;
        }
    return true;
}

static void *read_boxes(void *arg)
{
    struct shared *s = arg;
    static _Thread_local int box[64 * 64];
    unsigned seed = 7 * atomic_fetch_add(&s->readers, 1) + 1;
    hid_t space = H5Dget_space(s->dset);
    for (unsigned i = 0; i < BOXES; i++) {
        /* Of every third box whole chunks. */
        hsize_t count[2] = {1 + next(&seed) % 40, 1 + next(&seed) % 64};
        hsize_t start[2] = {next(&seed) % (SIDE - count[0]), next(&seed) % (SIDE - count[1])};
        if (i % 3 == 0)
            for (unsigned d = 0; d < 2; d++) {
                count[d] = CHUNK;
                start[d] -= start[d] % CHUNK;
            }
        hid_t mem = H5Screate_simple(2, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        bool good = H5Dread(s->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, box) == 0;
        if (!good || !is_right(box, start, count))
            atomic_fetch_add(&s->wrong, 1);
        H5Sclose(mem);
    }
    H5Sclose(space);
    return NULL;
}

static void *write_on(void *arg)
{
    struct shared *s = arg;
    unsigned seed = 99;
    for (int round = 1; round < ROUNDS; round++)
        if (write_rows(s->dset, next(&seed) % (SIDE / CHUNK) * CHUNK, round) < 0)
            atomic_fetch_add(&s->wrong, 1);
    return NULL;
}

/* Another dataset, opened and closed each time, needs the room. */
static void *push_out(void *arg)
{
    struct shared *s = arg;
    static int all[SIDE][SIDE];
    for (int round = 0; round < ROUNDS; round++) {
        hid_t other = H5Dopen2(s->file, "other", H5P_DEFAULT);
        if (H5Dread(other, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) < 0 || all[5][7] != value(5, 7, 0) ||
            write_rows(other, 0, 0) < 0 || H5Dclose(other) < 0)
            atomic_fetch_add(&s->wrong, 1);
    }
    return NULL;
}

static void *flush(void *arg)
{
    struct shared *s = arg;
    for (int round = 0; round < ROUNDS; round++)
        if (H5Fflush(s->file, H5F_SCOPE_LOCAL) < 0)
            atomic_fetch_add(&s->wrong, 1);
    return NULL;
}

static void run(struct shared *s, void *(*const *others)(void *), unsigned n)
{
    pthread_t threads[READERS + 4];
    unsigned count = 0;
    for (; count < READERS; count++)
        assert_int_equal(pthread_create(&threads[count], NULL, read_boxes, s), 0);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[count++], NULL, others[i], s), 0);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s->wrong, 0);
    H5Dclose(s->dset);
    assert_int_equal(H5Fclose(s->file), 0);
    unlink(path);
}

static void beside_writers(void **state)
{
    (void)state;
    void *(*const others[])(void *) = {write_on, push_out, flush};
    for (unsigned deflate = 0; deflate < 2; deflate++)
        for (size_t budget = 8 << 20; budget >= 64 << 10; budget /= 128) {
            struct shared s;
            make_file(&s, budget, deflate);
            run(&s, others, 3);
        }
}

/* In a file that is open for reading nobody takes a lock, but chunks leave all the same. */
static void for_reading_only(void **state)
{
    (void)state;
    struct shared s;
    make_file(&s, 8 << 20, 1);
    H5Dclose(s.dset);
    assert_int_equal(H5Fclose(s.file), 0);
    for (size_t budget = 8 << 20; budget >= 64 << 10; budget /= 128) {
        hid_t fapl = access_with(budget);
        s = (struct shared){.file = H5Fopen(path, H5F_ACC_RDONLY, fapl)};
        s.dset = H5Dopen2(s.file, "read", H5P_DEFAULT);
        pthread_t threads[READERS];
        for (unsigned i = 0; i < READERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, read_boxes, &s), 0);
        for (unsigned i = 0; i < READERS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(s.wrong, 0);
        H5Dclose(s.dset);
        assert_int_equal(H5Fclose(s.file), 0);
        H5Pclose(fapl);
    }
    unlink(path);
}

static H5F_chunk_cache_stats_t stats(hid_t file)
{
    H5F_chunk_cache_stats_t out;
    assert_int_equal(H5Fget_chunk_cache_stats(file, &out), 0);
    return out;
}

/* Each chunk that a look finds is a hit; and what was looked at lately leaves after what was not. */
static void looks_are_uses(void **state)
{
    (void)state;
    struct shared s;
    int box[2][2];
    const hsize_t count[2] = {2, 2};
    make_file(&s, 6 * CHUNK * CHUNK * sizeof(int), 1);
    hid_t space = H5Dget_space(s.dset), mem = H5Screate_simple(2, count, NULL);
    /* The corner of four chunks, all of which are then in memory. */
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){CHUNK - 1, CHUNK - 1}, NULL, count, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(H5Dread(s.dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, box), 0);
    H5Freset_chunk_cache_stats(s.file);
    for (hsize_t at = 2; at < SIDE - 2; at += CHUNK) {
        /* Others come and go, */
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){SIDE - 4, at}, NULL, count, NULL);
        assert_int_equal(H5Dread(s.dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, box), 0);
        /* these four stay. */
        uint64_t before = stats(s.file).hits, loads = stats(s.file).loads;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){CHUNK - 1, CHUNK - 1}, NULL, count, NULL);
        assert_int_equal(H5Dread(s.dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, box), 0);
        assert_int_equal(box[1][1] / MOST_ROUND, CHUNK * SIDE + CHUNK);
        assert_int_equal(stats(s.file).hits, before + 4);
        assert_int_equal(stats(s.file).loads, loads);
    }
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(s.dset);
    assert_int_equal(H5Fclose(s.file), 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_writers),
        cmocka_unit_test(for_reading_only),
        cmocka_unit_test(looks_are_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
