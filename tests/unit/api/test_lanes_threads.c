/* Threads use one file that is open for reading, through ids that they share, while those are closed. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "hdf5.h"

/* More datasets than stay in memory when nobody has them open. */
enum { THREADS = 6, OBJECTS = 300, ROUNDS = 1500, CLOSINGS = 40, FEW = 40, N = 4 };

static char file_name[64];

static int make(void **state)
{
    (void)state;
    hsize_t dims[1] = {N};
    snprintf(file_name, sizeof file_name, "lanes_threads_%d.h5", (int)getpid());
    hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t scalar = H5Screate(H5S_SCALAR), space = H5Screate_simple(1, dims, NULL);
    for (int i = 0; i < OBJECTS; i++) {
        char name[16];
        int values[N] = {i, i + 1, i + 2, i + 3};
        snprintf(name, sizeof name, "g%d", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hid_t attr = H5Acreate2(group, "a", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
        hid_t dset = H5Dcreate2(group, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attr, H5T_NATIVE_INT, &i);
        H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(dset);
        H5Aclose(attr);
        H5Gclose(group);
    }
    H5Sclose(space);
    H5Sclose(scalar);
    return H5Fclose(file) < 0;
}

static int unmake(void **state)
{
    (void)state;
    return remove(file_name);
}

/* Wrong values are bad; that something is closed already is not. */
static bool read_attribute(hid_t group, int i)
{
    int value = i;
    hid_t attr = H5Aopen(group, "a", H5P_DEFAULT);
    if (attr >= 0 && H5Aread(attr, H5T_NATIVE_INT, &value) < 0)
        value = i;
    if (attr >= 0)
        H5Aclose(attr);
    return value == i;
}

static bool read_dataset(hid_t group, int i)
{
    int values[N] = {i, i + 1, i + 2, i + 3};
    hid_t dset = H5Dopen2(group, "d", H5P_DEFAULT), space = dset < 0 ? -1 : H5Dget_space(dset);
    bool good = space < 0 || H5Sget_simple_extent_npoints(space) == N;
    if (dset >= 0)
        H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (space >= 0)
        H5Sclose(space);
    if (dset >= 0)
        H5Dclose(dset);
    return good && values[0] == i && values[N - 1] == i + N - 1;
}

struct shared {
    _Atomic hid_t file;
    atomic_bool over;
    atomic_int bad, lost;
    atomic_ulong used;
};

static void use(struct shared *s, int i)
{
    char name[16];
    snprintf(name, sizeof name, "g%d", i);
    hid_t group = H5Gopen2(atomic_load(&s->file), name, H5P_DEFAULT);
    if (group < 0) {
        atomic_fetch_add(&s->lost, 1);
        sched_yield();
        return;
    }
    if (!read_attribute(group, i) || !read_dataset(group, i))
        atomic_fetch_add(&s->bad, 1);
    if (H5Gclose(group) < 0)
        atomic_fetch_add(&s->bad, 1);
    atomic_fetch_add(&s->used, 1);
}

static void *use_often(void *arg)
{
    struct shared *s = arg;
    unsigned seed = (unsigned)(uintptr_t)&seed;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int k = 0; k < ROUNDS; k++) {
        seed = seed * 1103515245u + 12345u;
        /* Some again and again, others never twice in a while. */
        use(s, (int)(seed >> 16) % (k % 2 ? OBJECTS : 4));
    }
    return NULL;
}

static void *use_until_over(void *arg)
{
    struct shared *s = arg;
    unsigned seed = (unsigned)(uintptr_t)&seed;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!atomic_load(&s->over)) {
        seed = seed * 1103515245u + 12345u;
        use(s, (int)(seed >> 16) % OBJECTS);
    }
    return NULL;
}

static void start(pthread_t *threads, void *(*work)(void *), struct shared *s)
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, s), 0);
}

static void join(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void nothing_is_open(void)
{
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    /* Nor does anybody have the file: it could not be opened for writing. */
    hid_t file = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(H5Fclose(file), 0);
}

static void all_read_what_is_there(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct shared s = {.file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT)};
    start(threads, use_often, &s);
    join(threads);
    assert_int_equal(atomic_load(&s.bad), 0);
    assert_int_equal(atomic_load(&s.lost), 0);
    assert_int_equal(H5Fget_obj_count(atomic_load(&s.file), H5F_OBJ_ALL), 1);
    assert_int_equal(H5Fclose(atomic_load(&s.file)), 0);
    nothing_is_open();
}

/* Each time with the last reference of a thread to it, whichever that is. */
static void the_file_is_closed_while_it_is_used(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct shared s = {.file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT)};
    start(threads, use_until_over, &s);
    for (int i = 0; i < CLOSINGS; i++) {
        unsigned long until = atomic_load(&s.used) + FEW;
        while (atomic_load(&s.used) < until)
            sched_yield();
        hid_t old = atomic_load(&s.file);
        bool overlap = i % 2;
        hid_t next = overlap ? H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
        if (overlap)
            atomic_store(&s.file, next);
        assert_int_equal(H5Fclose(old), 0);
        assert_true(H5Iget_type(old) == H5I_BADID);
        if (!overlap)
            atomic_store(&s.file, H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT));
    }
    atomic_store(&s.over, true);
    join(threads);
    assert_int_equal(atomic_load(&s.bad), 0);
    assert_int_equal(H5Fclose(atomic_load(&s.file)), 0);
    nothing_is_open();
}

static void *use_group(void *arg)
{
    struct shared *s = arg;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!atomic_load(&s->over)) {
        hid_t group = atomic_load(&s->file);
        if (!read_attribute(group, 7) || !read_dataset(group, 7))
            atomic_fetch_add(&s->bad, 1);
        atomic_fetch_add(&s->used, 1);
    }
    return NULL;
}

/* The group keeps its file open, and others have it when its id goes. */
static void a_group_is_closed_while_it_is_used(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct shared s = {.file = -1};
    start(threads, use_group, &s);
    for (int i = 0; i < CLOSINGS; i++) {
        hid_t file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT), group = H5Gopen2(file, "g7", H5P_DEFAULT);
        assert_int_equal(H5Fclose(file), 0);
        atomic_store(&s.file, group);
        unsigned long until = atomic_load(&s.used) + FEW;
        while (atomic_load(&s.used) < until)
            sched_yield();
        assert_int_equal(H5Gclose(group), 0);
    }
    atomic_store(&s.over, true);
    join(threads);
    assert_int_equal(atomic_load(&s.bad), 0);
    nothing_is_open();
}

static void *make_lists(void *arg)
{
    struct shared *s = arg;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int k = 0; k < ROUNDS; k++) {
        hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), dapl = H5Pcreate(H5P_DATASET_ACCESS), copy = H5Pcopy(dcpl);
        if (H5Pequal(dcpl, copy) != 1 || H5Pclose(copy) < 0 || H5Pclose(dapl) < 0 || H5Pclose(dcpl) < 0)
            atomic_fetch_add(&s->bad, 1);
    }
    return NULL;
}

/* And the library begins anew each time: what was spread over lanes is in one place again. */
static void lists_of_the_librarys_classes(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        pthread_t threads[THREADS];
        struct shared s = {.file = -1};
        start(threads, make_lists, &s);
        join(threads);
        assert_int_equal(atomic_load(&s.bad), 0);
        assert_int_equal(H5close(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_read_what_is_there),
        cmocka_unit_test(the_file_is_closed_while_it_is_used),
        cmocka_unit_test(a_group_is_closed_while_it_is_used),
        cmocka_unit_test(lists_of_the_librarys_classes),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
