/* The contracts of base/lock.h: what breaks one ends the program and names both locks. */
#include "unit/cmocka_all.h"

#include "base/lock.h"
#include "support/death.h"

#ifdef TS_CONTRACTS
static struct ts_mutex file = TS_MUTEX_INIT(TS_RANK_FILE), other_files[2] = {TS_MUTEX_INIT(TS_RANK_FILE), TS_MUTEX_INIT(TS_RANK_FILE)};
static struct ts_mutex cache = TS_MUTEX_INIT(TS_RANK_CHUNK_CACHE), other_cache = TS_MUTEX_INIT(TS_RANK_CHUNK_CACHE), unmade;
static struct ts_rwlock order = TS_RWLOCK_INIT(TS_RANK_DATASET_ORDER);
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

#define ASSERT_DIES(run, ...) assert_true(ts_dies_saying(run, NULL, (const char *const[]){__VA_ARGS__, NULL}))

static void take_swapped(void *ctx)
{
    (void)ctx;
    ts_mutex_lock(&file);
    ts_rwlock_read(&order);
}

static void take_peers(void *ctx)
{
    (void)ctx;
    ts_mutex_lock(&cache);
    ts_mutex_lock(&other_cache);
}

static void take_backwards(void *ctx)
{
    (void)ctx;
    ts_mutex_lock(&other_files[1]);
    ts_mutex_lock(&other_files[0]);
}

static void take_again(void *ctx)
{
    (void)ctx;
    ts_mutex_lock(&cache);
    ts_mutex_lock(&cache);
}

static void take_unmade(void *ctx)
{
    (void)ctx;
    ts_mutex_lock(&unmade);
}

static void release_unheld(void *ctx)
{
    (void)ctx;
    ts_rwlock_unlock(&order);
}

static void wait_with_another(void *ctx)
{
    (void)ctx;
    ts_mutex_lock(&file);
    ts_mutex_lock(&cache);
    ts_cond_wait(&changed, &file);
}

static void call_out_with_file(void *ctx)
{
    (void)ctx;
    ts_rwlock_read(&order);
    ts_mutex_lock(&file);
    TS_MAY_CALL_OUT();
}

static void move_with_cache(void *ctx)
{
    (void)ctx;
    ts_mutex_lock(&cache);
    TS_MAY_MOVE_RAW_DATA();
}

static void claim_to_hold(void *ctx)
{
    (void)ctx;
    TS_HELD(&cache);
}

static void claim_to_be_alone(void *ctx)
{
    (void)ctx;
    ts_rwlock_read(&order);
    TS_HELD(&order);
    TS_HELD_ALONE(&order);
}

static void broken_contracts_end_the_program(void **state)
{
    (void)state;
    ASSERT_DIES(take_swapped, "test_lock.c", "DATASET_ORDER is taken while FILE is held", "lower");
    ASSERT_DIES(take_peers, "CHUNK_CACHE is taken while CHUNK_CACHE is held", "the same");
    ASSERT_DIES(take_backwards, "FILE is taken while FILE is held");
    ASSERT_DIES(take_again, "CHUNK_CACHE is taken again");
    ASSERT_DIES(take_unmade, "not made");
    ASSERT_DIES(release_unheld, "DATASET_ORDER is released without being held");
    ASSERT_DIES(wait_with_another, "waiting with lock FILE while CHUNK_CACHE is held");
    ASSERT_DIES(call_out_with_file, "calling a function of the application while lock FILE is held");
    ASSERT_DIES(move_with_cache, "moving raw data while lock CHUNK_CACHE is held");
    ASSERT_DIES(claim_to_hold, "contract broken: ts_lock_held(&cache)");
    ASSERT_DIES(claim_to_be_alone, "contract broken: ts_lock_held_alone(&order)");
}

static void what_is_in_order_passes(void **state)
{
    (void)state;
    ts_rwlock_write(&order);
    TS_HELD_ALONE(&order);
    TS_MAY_CALL_OUT();
    TS_MAY_MOVE_RAW_DATA();
    ts_mutex_lock(&other_files[0]);
    ts_mutex_lock(&other_files[1]);
    ts_mutex_unlock(&other_files[0]);
    ts_mutex_unlock(&other_files[1]);
    ts_mutex_lock(&cache);
    TS_HELD(&cache);
    ts_mutex_unlock(&cache);
    ts_rwlock_unlock(&order);
    TS_NOT_HELD(&order);
    /* Whoever does not wait cannot wait for ever. */
    ts_mutex_lock(&cache);
    assert_true(ts_rwlock_try_write(&order));
    ts_rwlock_unlock(&order);
    ts_mutex_unlock(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(broken_contracts_end_the_program),
                                       cmocka_unit_test(what_is_in_order_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void locks_are_the_system_s_own(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct ts_mutex), sizeof(pthread_mutex_t));
    assert_int_equal(sizeof(struct ts_rwlock), sizeof(pthread_rwlock_t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(locks_are_the_system_s_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
