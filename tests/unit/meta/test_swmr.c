/* The metadata cache of a SWMR reader: what is stale is loaded again, what is torn is read again. */
#include <pthread.h>
#include <time.h>

#include "unit/meta/numbers.h"

static void stale_entries_are_loaded_again(void **state)
{
    (void)state;
    struct ts_file *f = open_it(H5F_ACC_SWMR_READ, 0);
    assert_int_equal(look(f, 0), 1);
    assert_int_equal(look(f, 1), 1);
    put(0, 2, false);
    assert_int_equal(look(f, 0), 1);
    assert_int_equal(loads, 2);
    ts_clients_refresh(f);
    assert_int_equal(look(f, 0), 2);
    assert_int_equal(look(f, 0), 2);
    assert_int_equal(loads, 3);
    assert_int_equal(look(f, 1), 1);
    assert_int_equal(loads, 4);
    ts_file_unref(f);
    assert_int_equal(freed, 4);
}

static void plain_readers_have_no_epochs(void **state)
{
    (void)state;
    struct ts_file *f = open_it(H5F_ACC_RDONLY, 0);
    assert_int_equal(look(f, 0), 1);
    put(0, 2, false);
    ts_clients_refresh(f);
    assert_int_equal(look(f, 0), 1);
    put(1, 2, true);
    assert_int_equal(look(f, 1), -1);
    assert_int_equal(loads, 2);
    ts_file_unref(f);
}

/* Who has it pinned keeps what it got; others get what is new. */
static void pinned_ones_stay(void **state)
{
    (void)state;
    const uint64_t *old, *new, *newest;
    struct ts_file *f = open_it(H5F_ACC_SWMR_READ, 0);
    assert_int_equal(pin(f, 0, &old), 1);
    put(0, 2, false);
    ts_clients_refresh(f);
    assert_int_equal(pin(f, 0, &new), 2);
    put(0, 3, false);
    ts_clients_refresh(f);
    assert_int_equal(pin(f, 0, &newest), 3);
    assert_int_equal(*old, 1);
    assert_int_equal(*new, 2);
    assert_int_equal(freed, 0);
    ts_meta_unpin(f, at(0));
    ts_meta_unpin(f, at(0));
    assert_int_equal(*old, 1);
    ts_meta_unpin(f, at(0));
    assert_int_equal(freed, 2);
    assert_int_equal(look(f, 0), 3);
    ts_file_unref(f);
    assert_int_equal(freed, 3);
}

static void a_reload_that_fails_takes_nothing_away(void **state)
{
    (void)state;
    const uint64_t *old;
    struct ts_file *f = open_it(H5F_ACC_SWMR_READ, 1);
    assert_int_equal(pin(f, 0, &old), 1);
    put(0, 2, true);
    ts_clients_refresh(f);
    assert_int_equal(look(f, 0), -1);
    assert_int_equal(*old, 1);
    assert_int_equal(look(f, 0), -1);
    put(0, 2, false);
    assert_int_equal(look(f, 0), 2);
    assert_int_equal(*old, 1);
    put(0, 3, true);
    ts_clients_refresh(f);
    assert_int_equal(look(f, 0), -1);
    ts_meta_unpin(f, at(0));
    assert_int_equal(freed, 2);
    put(0, 3, false);
    assert_int_equal(look(f, 0), 3);
    ts_file_unref(f);
    assert_int_equal(freed, 3);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *mend_block(void *arg)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    put(*(int *)arg, 7, false);
    return NULL;
}

static unsigned counted(struct ts_file *f, enum ts_retry_kind kind, unsigned bin)
{
    uint32_t *counts;
    unsigned n;
    assert_int_equal(ts_retry_bins(f, &n), 0);
    assert_int_equal(ts_retry_counts(f, kind, &counts), 0);
    unsigned count = counts && bin < n ? counts[bin] : 0;
    ts_free(counts);
    return count;
}

static void a_torn_block_is_read_again(void **state)
{
    (void)state;
    struct ts_file *f = open_it(H5F_ACC_SWMR_READ, 0);
    pthread_t writer;
    int i = 3;
    put(i, 2, true);
    assert_int_equal(look(f, 2), 1);
    assert_int_equal(counted(f, TS_RETRY_BTREE2_LEAF, 0) + counted(f, TS_RETRY_BTREE2_LEAF, 1), 0);
    pthread_create(&writer, NULL, mend_block, &i);
    assert_int_equal(look(f, i), 7);
    pthread_join(writer, NULL);
    assert_true(loads > 3);
    assert_int_equal(counted(f, TS_RETRY_BTREE2_LEAF, 0) + counted(f, TS_RETRY_BTREE2_LEAF, 1), 1);
    assert_int_equal(counted(f, TS_RETRY_BTREE2_HEADER, 0) + counted(f, TS_RETRY_BTREE2_HEADER, 1), 0);
    assert_int_equal(ts_err_mark(), 0);
    ts_file_unref(f);
}

static void it_gives_up(void **state)
{
    (void)state;
    struct ts_file *f = open_it(H5F_ACC_SWMR_READ, 0);
    put(0, 2, true);
    double before = seconds();
    assert_int_equal(look(f, 0), -1);
    assert_true(seconds() - before > 1);
    assert_int_equal(loads, 100);
    assert_int_equal(counted(f, TS_RETRY_BTREE2_LEAF, 1), 1);
    ts_file_unref(f);
    f = open_it(H5F_ACC_SWMR_READ, 5);
    loads = 0;
    assert_int_equal(look(f, 0), -1);
    assert_int_equal(loads, 5);
    assert_int_equal(counted(f, TS_RETRY_BTREE2_LEAF, 0), 1);
    ts_file_unref(f);
}

static void flip_superblock(void)
{
    uint8_t byte;
    int fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, &byte, 1, 44), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, 44), 1);
    close(fd);
}

static void *mend_superblock(void *arg)
{
    (void)arg;
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    flip_superblock();
    return NULL;
}

static void so_is_a_torn_superblock(void **state)
{
    (void)state;
    pthread_t writer;
    struct ts_file *f;
    flip_superblock();
    assert_true(ts_file_open(path, H5F_ACC_RDONLY, ts_plist_default(TS_PLIST_FILE_ACCESS), &f) < 0);
    ts_err_rewind(0);
    pthread_create(&writer, NULL, mend_superblock, NULL);
    f = open_it(H5F_ACC_SWMR_READ, 0);
    pthread_join(writer, NULL);
    assert_int_equal(counted(f, TS_RETRY_SUPERBLOCK, 0) + counted(f, TS_RETRY_SUPERBLOCK, 1), 1);
    ts_file_unref(f);
}

static void set_size(off_t size)
{
    assert_int_equal(truncate(path, size), 0);
}

static void the_file_grows(void **state)
{
    (void)state;
    uint8_t buf[64];
    size_t got;
    struct ts_file *plain;
    set_size(8000);
    struct ts_file *f = open_it(H5F_ACC_SWMR_READ, 1);
    assert_true(ts_file_has(f, 0, 8000));
    assert_false(ts_file_has(f, 0, 8001));
    set_size(9000);
    assert_true(ts_file_has(f, 8000, 1000));
    assert_int_equal(ts_file_read(f, 8990, 10, buf), 0);
    assert_true(ts_file_read(f, 8990, 11, buf) < 0);
    assert_false(ts_file_has(f, HADDR_UNDEF, 1));
    /* A journal was cut off. */
    set_size(8500);
    assert_int_equal(ts_file_read_some(f, 8490, sizeof buf, buf, &got), 0);
    assert_int_equal(got, 10);
    ts_file_unref(f);
    ts_err_rewind(0);
    plain = open_it(H5F_ACC_RDONLY, 1);
    set_size(9000);
    assert_false(ts_file_has(plain, 8000, 1000));
    ts_file_unref(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stale_entries_are_loaded_again, make, unmake),
        cmocka_unit_test_setup_teardown(plain_readers_have_no_epochs, make, unmake),
        cmocka_unit_test_setup_teardown(pinned_ones_stay, make, unmake),
        cmocka_unit_test_setup_teardown(a_reload_that_fails_takes_nothing_away, make, unmake),
        cmocka_unit_test_setup_teardown(a_torn_block_is_read_again, make, unmake),
        cmocka_unit_test_setup_teardown(it_gives_up, make, unmake),
        cmocka_unit_test_setup_teardown(so_is_a_torn_superblock, make, unmake),
        cmocka_unit_test_setup_teardown(the_file_grows, make, unmake),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
