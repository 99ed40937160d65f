/* Locks that are held where they must not be, on the ways that programs take through the library. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file/change.h"
#include "hdf5.h"
#include "id/id.h"
#include "support/death.h"

enum { FILTER = 300 };

struct world {
    char path[100];
    hid_t file, dset, space;
    struct ts_file *f;
};

static struct world w;
static bool keep_lock;

static size_t filter(unsigned flags, size_t n, const unsigned values[], size_t size, size_t *capacity, void **buf)
{
    (void)flags, (void)n, (void)values, (void)capacity, (void)buf;
    if (keep_lock)
        ts_file_lock(w.f);
    return size;
}

/* In the process that is to die: a file is changed by the one that opened it. */
static void open_world(void)
{
    const H5Z_class2_t cls = {.version = H5Z_CLASS_T_VERS, .id = FILTER, .encoder_present = 1, .decoder_present = 1, .filter = filter};
    const hsize_t dims = 8;
    const int data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    w.file = H5Fcreate(w.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    w.space = H5Screate_simple(1, &dims, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Zregister(&cls);
    H5Pset_chunk(dcpl, 1, &dims);
    H5Pset_filter(dcpl, FILTER, 0, 0, NULL);
    w.dset = H5Dcreate2(w.file, "d", H5T_NATIVE_INT, w.space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Dwrite(w.dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    struct ts_fhandle *fh = ts_id_pin(w.file, H5I_FILE);
    w.f = fh->file;
    ts_id_unpin(H5I_FILE, fh);
}

static int setup(void **state)
{
    (void)state;
    snprintf(w.path, sizeof w.path, "/tmp/tessera-contracts-%d.h5", (int)getpid());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(w.path);
    return 0;
}

#ifdef TS_CONTRACTS
static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group, (void)name, (void)info, (void)data;
    return 0;
}

static void iterate_with_the_lock(void *ctx)
{
    (void)ctx;
    open_world();
    ts_file_lock(w.f);
    H5Literate(w.file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit, NULL);
}

static void read_with_the_lock(void *ctx)
{
    int data[8];
    (void)ctx;
    open_world();
    ts_file_lock(w.f);
    H5Dread(w.dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
}

static void keep_the_lock_while_coding(void *ctx)
{
    (void)ctx;
    open_world();
    keep_lock = true;
    H5Dflush(w.dset);
}

static void wrong_locks_are_noticed(void **state)
{
    (void)state;
    assert_true(ts_dies_saying(iterate_with_the_lock, NULL,
                               (const char *const[]){"calling a function of the application while lock FILE", NULL}));
    assert_true(ts_dies_saying(read_with_the_lock, NULL,
                               (const char *const[]){"DATASET_ORDER is taken while FILE is held", NULL}));
    assert_true(ts_dies_saying(keep_the_lock_while_coding, NULL,
                               (const char *const[]){"moving raw data while lock FILE is held", NULL}));
}
#else
static void wrong_locks_are_noticed(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(wrong_locks_are_noticed, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
