/* Threads of a SWMR reader share its metadata cache while the file changes. */
#include <pthread.h>

#include "unit/meta/numbers.h"

static void *read_all(void *arg)
{
    struct ts_file *f = arg;
    int64_t last[BLOCKS] = {0};
    for (int k = 0; k < 3000; k++) {
        int i = k % BLOCKS;
        int64_t value = look(f, i);
        /* The writer only makes them larger. */
        assert_true(value >= 1 && value >= last[i]);
        last[i] = value;
    }
    return NULL;
}

/* Threads read while another refreshes and the writer changes the blocks, torn for a moment each time. */
static void readers_and_a_refresh(void **state)
{
    (void)state;
    struct ts_file *f = open_it(H5F_ACC_SWMR_READ, 0);
    pthread_t readers[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&readers[i], NULL, read_all, f);
    for (unsigned k = 0; k < 300; k++) {
        put((int)k % BLOCKS, k + 2, true);
        put((int)k % BLOCKS, k + 2, false);
        ts_clients_refresh(f);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(readers[i], NULL);
    ts_clients_refresh(f);
    assert_int_equal(look(f, 299 % BLOCKS), 301);
    struct ts_meta_stats stats;
    ts_meta_stats(f, &stats);
    assert_true(stats.entries <= BLOCKS);
    ts_file_unref(f);
    assert_true(made > BLOCKS);
    assert_int_equal(freed, made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(readers_and_a_refresh, make, unmake),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
