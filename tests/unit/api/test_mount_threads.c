/* Files that are mounted, walked, unmounted and closed by many threads at once. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "hdf5.h"
#include "walk_file.h"

#define THREADS 6
#define ROUNDS 150

static atomic_uint wrong, mounted;

/* 195 is the mount point's own address, 48 that of any root. */
static void look(hid_t file)
{
    H5O_info1_t info;
    char name[40];
    hid_t point = H5Gopen2(file, "a", H5P_DEFAULT), deep = H5Gopen2(file, "a/a/b", H5P_DEFAULT);
    if (point < 0 || H5Oget_info1(point, &info) < 0 || (info.addr != 195 && info.addr != 48))
        wrong++;
    if (deep >= 0 && H5Iget_name(deep, name, sizeof name) < 0)
        wrong++;
    if (deep >= 0)
        H5Gclose(deep);
    H5Gclose(point);
}

static void *work(void *data)
{
    unsigned n = *(unsigned *)data;
    char parent_path[4096], child_path[4096];
    corpus_path("links_soft_new.h5", parent_path, sizeof parent_path);
    corpus_path("links_cycles_new.h5", child_path, sizeof child_path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (unsigned i = 0; i < ROUNDS; i++) {
        hid_t parent = H5Fopen(parent_path, H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t child = H5Fopen(child_path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (parent < 0 || child < 0) {
            wrong++;
            break;
        }
        bool done = H5Fmount(parent, "a", child, H5P_DEFAULT) >= 0;
        mounted += done;
        look(parent);
        if (done && (i + n) % 3 == 0)
            H5Funmount(parent, "a");
        if ((i + n) % 2) {
            H5Fclose(parent);
            look(child);
            H5Fclose(child);
        } else {
            H5Fclose(child);
            look(parent);
            H5Fclose(parent);
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    assert_true(mounted > 0);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    char path[4096];
    hid_t file = H5Fopen(corpus_path("links_soft_new.h5", path, sizeof path), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(file, "a/b", H5P_DEFAULT) > 0);
    H5Fclose(file);
}

/* Memory that runs out at any point leaves nothing open and nothing mounted. */
static void test_no_memory(void **state)
{
    (void)state;
    char parent_path[4096], child_path[4096], name[40];
    corpus_path("links_soft_new.h5", parent_path, sizeof parent_path);
    corpus_path("links_cycles_new.h5", child_path, sizeof child_path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    unsigned long n = 1, made;
    do {
        hid_t parent = H5Fopen(parent_path, H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t child = H5Fopen(child_path, H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t before = H5Gopen2(parent, "a/b", H5P_DEFAULT);
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        H5Fmount(parent, "a", child, H5P_DEFAULT);
        hid_t deep = H5Gopen2(parent, "a/a/b", H5P_DEFAULT);
        H5Iget_name(before, name, sizeof name);
        H5Funmount(parent, "a");
        if (deep >= 0)
            H5Iget_name(deep, name, sizeof name);
        made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        if (deep >= 0)
            H5Gclose(deep);
        H5Gclose(before);
        H5Fclose(parent);
        H5Fclose(child);
        assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    } while (n++ < made);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
