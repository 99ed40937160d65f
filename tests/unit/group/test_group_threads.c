/* Many threads make, move and delete groups of one file at once, in groups of their own and in one that all share, and
 * below groups that another thread deletes. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "group/edit.h"
#include "hdf5.h"

enum { THREADS = 4, ROUNDS = 120 };

static hid_t file;

static int check(hid_t id)
{
    struct ts_place place;
    if (ts_place_from_id(id, &place) < 0)
        return -1;
    int status = ts_group_verify(&place.loc);
    ts_place_deinit(&place);
    return status;
}

static void make(hid_t loc, const char *name, long *failed)
{
    hid_t id = H5Gcreate2(loc, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0)
        ++*failed;
    else
        H5Gclose(id);
}

static herr_t seen(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    (void)name;
    (void)info;
    ++*(long *)data;
    return 0;
}

/* Reading what others delete gives some answer. */
static void look(int i, long *answers)
{
    H5G_info_t info;
    *answers += H5Gget_info_by_idx(file, "victim", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i % 3, &info, H5P_DEFAULT) < 0;
    *answers += H5Lvisit_by_name(file, "victim", H5_INDEX_NAME, H5_ITER_INC, seen, answers, H5P_DEFAULT) < 0;
    hid_t id = H5Oopen_by_idx(file, "victim", H5_INDEX_NAME, H5_ITER_DEC, 0, H5P_DEFAULT);
    if (id >= 0)
        H5Oclose(id);
}

/* What is in a group that only this thread changes must never fail. Below "victim" anything may be gone. */
static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    char own[40], name[60], other[60];
    long failed = 0, ignored = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(own, sizeof own, "own%d", me);
    make(file, own, &failed);
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(name, sizeof name, "%s/g%d", own, i);
        make(file, name, &failed);
        snprintf(other, sizeof other, "shared/t%d_%d", me, i);
        failed += H5Lcreate_hard(file, name, file, other, H5P_DEFAULT, H5P_DEFAULT) < 0;
        if (i % 3 == 0)
            failed += H5Ldelete(file, name, H5P_DEFAULT) < 0;
        if (i % 4 == 0) {
            snprintf(name, sizeof name, "shared/m%d_%d", me, i);
            failed += H5Lmove(file, other, file, name, H5P_DEFAULT, H5P_DEFAULT) < 0;
        }
        make(file, "victim", &ignored);
        snprintf(name, sizeof name, "victim/v%d_%d", me, i);
        make(file, name, &ignored);
        snprintf(other, sizeof other, "victim/v%d_%d/deep", me, i);
        make(file, other, &ignored);
        look(i, &ignored);
        if (i % 5 == me)
            ignored += H5Ldelete(file, "victim", H5P_DEFAULT) < 0;
        if (i % 20 == 7)
            failed += H5Fflush(file, H5F_SCOPE_GLOBAL) < 0;
    }
    return (void *)failed;
}

static void count(const char *path, hsize_t expected)
{
    H5G_info_t info;
    hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    assert_true(group >= 0);
    assert_true(H5Gget_info(group, &info) >= 0);
    assert_int_equal(info.nlinks, expected);
    assert_int_equal(check(group), 0);
    H5Gclose(group);
}

static void all_at_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    long failed = 0;
    const char *name = "group_threads.h5";
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make(file, "shared", &failed);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += (long)result;
    }
    assert_int_equal(failed, 0);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    count("shared", THREADS * ROUNDS);
    for (int i = 0; i < THREADS; i++) {
        char own[20];
        snprintf(own, sizeof own, "own%d", i);
        count(own, ROUNDS - ROUNDS / 3);
    }
    H5Fclose(file);
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_at_once)};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
