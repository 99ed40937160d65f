/* Many threads in the library at once: each gets what one thread alone got. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>

#include "walk_file.h"

#define THREADS 8
#define ROUNDS 4

static const char *const files[] = {
    "superblock_v0_userblock0.h5",  "superblock_v110_userblock512.h5", "filter_deflate6.h5",
    "filter_on_types_all_new.h5",   "heap_strings100_old.h5",          "heap_strings100_new.h5",
    "attr_count200_new.h5",         "attr_on_everything_old.h5",       "group_new_100links_indexed.h5",
    "group_old_100links.h5",        "sohm_all_btree_new.h5",           "index_bt2_100chunks_filtered.h5",
    "index_ea_100chunks_filtered.h5", "virtual_several2.h5",           "type_compound_nested_new.h5",
    "links_external_new.h5",        "space_cache_image.h5",            "type_vlen_nested_old.h5",
};
#define FILES (sizeof files / sizeof files[0])

static struct walked expected[FILES];

struct worker {
    pthread_t thread;
    unsigned number;
    unsigned wrong;
    unsigned walks;
    hid_t shared; /* a file or dataset that all use */
};

static pthread_barrier_t start;

static void run_all(struct worker workers[THREADS], void *(*body)(void *), hid_t shared)
{
    pthread_barrier_init(&start, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .shared = shared};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, body, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&start);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(workers[i].wrong, 0);
}

static bool same(const struct walked *a, const struct walked *b)
{
    return a->hash == b->hash && a->objects == b->objects && a->datasets == b->datasets &&
           a->attributes == b->attributes && a->failed == b->failed;
}

static int setup(void **state)
{
    (void)state;
    char path[4096];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (size_t i = 0; i < FILES; i++) {
        expected[i] = walk_file(corpus_path(files[i], path, sizeof path));
        if (expected[i].failed || expected[i].objects == 0)
            fail_msg("%s was not read", files[i]);
    }
    return 0;
}

static void *walk_different(void *arg)
{
    struct worker *worker = arg;
    char path[4096];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    pthread_barrier_wait(&start);
    for (unsigned round = 0; round < FILES; round++) {
        size_t i = (round + worker->number * 5) % FILES;
        struct walked got = walk_file(corpus_path(files[i], path, sizeof path));
        worker->wrong += !same(&got, &expected[i]);
        worker->walks++;
    }
    return NULL;
}

/* All in the same file at the same time, each opening and closing it. */
static void *walk_same(void *arg)
{
    struct worker *worker = arg;
    char path[4096];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (size_t i = 0; i < FILES; i++) {
        pthread_barrier_wait(&start);
        struct walked got = walk_file(corpus_path(files[i], path, sizeof path));
        worker->wrong += !same(&got, &expected[i]);
        worker->walks++;
    }
    return NULL;
}

static void test_different_files(void **state)
{
    (void)state;
    struct worker workers[THREADS];
    run_all(workers, walk_different, -1);
    assert_int_equal(workers[THREADS - 1].walks, FILES);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void test_same_file(void **state)
{
    (void)state;
    struct worker workers[THREADS];
    run_all(workers, walk_same, -1);
    assert_int_equal(workers[0].walks, FILES);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* One dataset id, used by all with selections of their own. */
static void *read_rows(void *arg)
{
    struct worker *worker = arg;
    hid_t file_space = H5Dget_space(worker->shared);
    hsize_t dims[2], start_at[2] = {0, 0}, count[2];
    int rank = H5Sget_simple_extent_dims(file_space, dims, NULL);
    double *whole = calloc((size_t)(dims[0] * dims[1]), sizeof *whole), *row = calloc((size_t)dims[1], sizeof *row);
    worker->wrong += rank != 2;
    worker->wrong += H5Dread(worker->shared, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole) < 0;
    count[0] = 1;
    count[1] = dims[1];
    hid_t mem = H5Screate_simple(1, &dims[1], NULL);
    pthread_barrier_wait(&start);
    for (hsize_t i = 0; i < 40; i++) {
        start_at[0] = (i * 7 + worker->number) % dims[0];
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start_at, NULL, count, NULL);
        worker->wrong += H5Dread(worker->shared, H5T_NATIVE_DOUBLE, mem, file_space, H5P_DEFAULT, row) < 0;
        worker->wrong += memcmp(row, whole + start_at[0] * dims[1], (size_t)dims[1] * sizeof *row) != 0;
    }
    H5Sclose(mem);
    H5Sclose(file_space);
    free(row);
    free(whole);
    return NULL;
}

static void test_one_dataset(void **state)
{
    (void)state;
    static const char *const where[][2] = {{"superblock_v0_userblock0.h5", "/g/contiguous"},
                                           {"superblock_v110_userblock0.h5", "/g/chunked"},
                                           {"superblock_sizes4_dense.h5", "/bt2"}};
    for (size_t i = 0; i < sizeof where / sizeof where[0]; i++) {
        struct worker workers[THREADS];
        char path[4096];
        hid_t file = H5Fopen(corpus_path(where[i][0], path, sizeof path), H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t dset = H5Dopen2(file, where[i][1], H5P_DEFAULT);
        assert_true(dset >= 0);
        run_all(workers, read_rows, dset);
        assert_int_equal(H5Dclose(dset), 0);
        assert_int_equal(H5Fclose(file), 0);
    }
}

static unsigned make_spaces(unsigned n)
{
    hsize_t dims[2] = {10 + n, 20}, start_at[2] = {n % 5, 3}, count[2] = {2, 4}, stride[2] = {3, 2};
    hid_t space = H5Screate_simple(2, dims, NULL), copy = H5Scopy(space);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start_at, stride, count, NULL);
    H5Sselect_hyperslab(copy, H5S_SELECT_SET, count, NULL, count, NULL);
    H5Sselect_hyperslab(copy, H5S_SELECT_OR, start_at, stride, count, NULL);
    hssize_t one = H5Sget_select_npoints(space), two = H5Sget_select_npoints(copy);
    unsigned wrong = one != 8 || two < 8 || two > 16;
    wrong += H5Sclose(space) < 0;
    wrong += H5Sclose(copy) < 0;
    return wrong;
}

static unsigned make_types_and_convert(unsigned n)
{
    struct pair {
        int a;
        double b;
    } values[16];
    hid_t native = H5Tcreate(H5T_COMPOUND, sizeof(struct pair)), packed = H5Tcreate(H5T_COMPOUND, 10);
    H5Tinsert(native, "a", offsetof(struct pair, a), H5T_NATIVE_INT);
    H5Tinsert(native, "b", offsetof(struct pair, b), H5T_NATIVE_DOUBLE);
    H5Tinsert(packed, "b", 0, H5T_IEEE_F64BE);
    H5Tinsert(packed, "a", 8, H5T_STD_I16BE);
    for (int i = 0; i < 16; i++)
        values[i] = (struct pair){.a = i + (int)n, .b = i * 0.5};
    unsigned wrong = H5Tconvert(native, packed, 16, values, NULL, H5P_DEFAULT) < 0;
    wrong += H5Tconvert(packed, native, 16, values, NULL, H5P_DEFAULT) < 0;
    for (int i = 0; i < 16; i++)
        wrong += values[i].a != i + (int)n || values[i].b != i * 0.5;
    wrong += H5Tclose(native) < 0;
    wrong += H5Tclose(packed) < 0;
    return wrong;
}

static unsigned make_lists(unsigned n)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {4 + n, 5}, back[2] = {0, 0};
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_deflate(dcpl, n % 10);
    hid_t copy = H5Pcopy(dcpl);
    unsigned wrong = H5Pget_chunk(copy, 2, back) != 2 || back[0] != chunk[0];
    wrong += H5Pget_nfilters(copy) != 1 || H5Pequal(dcpl, copy) != 1;
    wrong += H5Pclose(dcpl) < 0;
    wrong += H5Pclose(copy) < 0;
    return wrong;
}

/* A failure fills the thread's own error stack. */
static unsigned make_errors(void)
{
    unsigned wrong = H5Dclose(-1) >= 0;
    wrong += H5Eget_num(H5E_DEFAULT) <= 0;
    wrong += H5Eclear2(H5E_DEFAULT) < 0;
    wrong += H5Eget_num(H5E_DEFAULT) != 0;
    return wrong;
}

static void *make_things(void *arg)
{
    struct worker *worker = arg;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    pthread_barrier_wait(&start);
    for (unsigned round = 0; round < 50; round++) {
        unsigned n = round + worker->number * 3;
        worker->wrong += make_spaces(n) + make_types_and_convert(n) + make_lists(n) + make_errors();
    }
    return NULL;
}

static void test_spaces_types_lists(void **state)
{
    (void)state;
    struct worker workers[THREADS];
    run_all(workers, make_things, -1);
}

/* Half of the threads walk while the others open, look at and close the same file. */
static void *open_and_ask(void *arg)
{
    struct worker *worker = arg;
    char path[4096];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    corpus_path("attr_count200_new.h5", path, sizeof path);
    pthread_barrier_wait(&start);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (worker->number % 2) {
            struct walked got = walk_file(path);
            worker->wrong += !same(&got, &expected[6]);
            continue;
        }
        for (int i = 0; i < 20; i++) {
            double rate;
            H5F_info2_t info;
            hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), again = H5Freopen(file);
            worker->wrong += H5Fget_info2(file, &info) < 0 || H5Fget_mdc_hit_rate(again, &rate) < 0;
            worker->wrong += H5Fget_obj_count(file, H5F_OBJ_ALL) < 2;
            worker->wrong += H5Fclose(file) < 0;
            worker->wrong += H5Fclose(again) < 0;
        }
    }
    return NULL;
}

static void test_open_and_close(void **state)
{
    (void)state;
    struct worker workers[THREADS];
    run_all(workers, open_and_ask, -1);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_different_files),    cmocka_unit_test(test_same_file),
        cmocka_unit_test(test_one_dataset),        cmocka_unit_test(test_spaces_types_lists),
        cmocka_unit_test(test_open_and_close),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
