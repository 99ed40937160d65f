/* Many threads open, change and close one file: each close may be the last and each open the first. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdio.h>

#include "hdf5.h"

enum { THREADS = 4, ROUNDS = 25 };

static const char *path = "file_open_threads.h5";

static void *work(void *arg)
{
    long me = (long)(intptr_t)arg, failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "g%ld_%d", me, i);
        hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t g = f < 0 ? -1 : H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (g < 0 || H5Gclose(g) < 0 || (i % 5 == 0 && H5Fflush(f, H5F_SCOPE_GLOBAL) < 0))
            failed++;
        if (f < 0 || H5Fclose(f) < 0)
            failed++;
    }
    return (void *)(intptr_t)failed;
}

static void nothing_is_lost(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(f >= 0);
    H5Fclose(f);
    for (long i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        assert_int_equal((intptr_t)failed, 0);
    }
    H5G_info_t info;
    f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Gget_info(f, &info) >= 0);
    assert_int_equal(info.nlinks, THREADS * ROUNDS);
    H5Fclose(f);
    remove(path);
}

static void *flush_twice(void *arg)
{
    hid_t f = *(hid_t *)arg;
    return (void *)(intptr_t)(H5Fflush(f, H5F_SCOPE_GLOBAL) < 0 || H5Fflush(f, H5F_SCOPE_GLOBAL) < 0);
}

/* The first raw data marks the superblock; it does so while a flush looks whether the superblock has changed. */
static void the_first_write_meets_a_flush(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), space = H5Screate_simple(1, (hsize_t[]){1}, NULL);
    assert_true(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0);
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t d = H5Dcreate2(f, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &(int){-1}) >= 0);
    H5Dclose(d);
    H5Fclose(f);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        void *failed;
        int value = -1;
        f = H5Fopen(path, H5F_ACC_RDWR, fapl);
        d = H5Dopen2(f, "d", H5P_DEFAULT);
        assert_int_equal(pthread_create(&thread, NULL, flush_twice, &f), 0);
        assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &i) >= 0);
        pthread_join(thread, &failed);
        assert_int_equal((intptr_t)failed, 0);
        H5Dclose(d);
        H5Fclose(f);
        f = H5Fopen(path, H5F_ACC_RDONLY, fapl);
        d = H5Dopen2(f, "d", H5P_DEFAULT);
        assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
        assert_int_equal(value, i);
        H5Dclose(d);
        H5Fclose(f);
    }
    H5Sclose(space);
    H5Pclose(fapl);
    remove(path);
}

static void *make_groups(void *arg)
{
    hid_t f = *(hid_t *)arg;
    long failed = 0;
    for (int i = 0; i < 4 * ROUNDS; i++) {
        char name[64];
        snprintf(name, sizeof name, "a rather long name for group %d", i);
        hid_t g = H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        failed += g < 0 || H5Gclose(g) < 0 || H5Fflush(f, H5F_SCOPE_GLOBAL) < 0;
    }
    return (void *)(intptr_t)failed;
}

/* How many groups an image has. */
static hsize_t look_into(void *image, size_t size)
{
    H5G_info_t info = {.nlinks = 0};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 65536, 0);
    assert_true(H5Pset_file_image(fapl, image, size) >= 0);
    hid_t f = H5Fopen("image", H5F_ACC_RDONLY, fapl);
    assert_true(f >= 0);
    assert_true(H5Gget_info(f, &info) >= 0);
    H5Fclose(f);
    H5Pclose(fapl);
    return info.nlinks;
}

static void *ask_size(void *arg)
{
    hid_t f = *(hid_t *)arg;
    long failed = 0;
    for (int i = 0; i < 20 * ROUNDS; i++)
        failed += H5Fget_file_image(f, NULL, 0) <= 0;
    return (void *)(intptr_t)failed;
}

/* How long an image is changes with every commit of others. */
static void sizes_of_images(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, i == 0 ? make_groups : ask_size, &f), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        assert_int_equal((intptr_t)failed, 0);
    }
    H5Fclose(f);
    remove(path);
}

static void images_are_whole(void **state)
{
    (void)state;
    enum { ROOM = 1 << 20 };
    static char image[ROOM];
    pthread_t thread;
    void *failed;
    hsize_t before = 0;
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(pthread_create(&thread, NULL, make_groups, &f), 0);
    for (int i = 0; i < ROUNDS; i++) {
        ssize_t size = H5Fget_file_image(f, image, ROOM);
        assert_true(size > 0);
        hsize_t now = look_into(image, (size_t)size);
        assert_true(now >= before);
        before = now;
    }
    pthread_join(thread, &failed);
    assert_int_equal((intptr_t)failed, 0);
    H5Fclose(f);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost), cmocka_unit_test(the_first_write_meets_a_flush),
                                       cmocka_unit_test(sizes_of_images), cmocka_unit_test(images_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
