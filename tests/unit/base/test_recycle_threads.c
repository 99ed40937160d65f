/* Large blocks that wait for their next use: which fit, how many are kept, and that two threads never get the same. */
#include "unit/cmocka_all.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/recycle.h"

static void *block_of(size_t size)
{
    void *block = aligned_alloc(TS_RECYCLE_ALIGN, size);
    assert_non_null(block);
    return block;
}

static void a_block_comes_back_if_it_fits(void **state)
{
    (void)state;
    ts_recycle_empty();
    const size_t size = 1 << 20;
    void *block = block_of(size);
    const size_t real = malloc_usable_size(block);
    assert_null(ts_recycle_take(size));
    assert_true(ts_recycle_give(block));
    assert_null(ts_recycle_take(real + 1));
    assert_null(ts_recycle_take(real / 5 * 4 - 64));
    assert_ptr_equal(ts_recycle_take(real), block);
    assert_null(ts_recycle_take(real));
    assert_true(ts_recycle_give(block));
    assert_ptr_equal(ts_recycle_take(real / 5 * 4 + 64), block);
    assert_true(ts_recycle_give(block));
    assert_int_equal(ts_recycle_empty(), real);
    assert_int_equal(ts_recycle_empty(), 0);
    assert_null(ts_recycle_take(size));
}

static void small_huge_and_crooked_blocks_are_not_kept(void **state)
{
    (void)state;
    ts_recycle_empty();
    void *small = block_of(TS_RECYCLE_SMALLEST / 2), *huge = block_of((size_t)TS_RECYCLE_BYTES + 64);
    assert_false(ts_recycle_give(small));
    assert_false(ts_recycle_give(huge));
    void *crooked = malloc(1 << 20);
    assert_int_equal(ts_recycle_give(crooked), (uintptr_t)crooked % TS_RECYCLE_ALIGN == 0);
    if ((uintptr_t)crooked % TS_RECYCLE_ALIGN != 0)
        free(crooked);
    free(small);
    free(huge);
    assert_null(ts_recycle_take(TS_RECYCLE_SMALLEST / 2));
    assert_null(ts_recycle_take((size_t)TS_RECYCLE_BYTES + 1));
    ts_recycle_empty();
}

static void the_oldest_go_when_there_are_too_many(void **state)
{
    (void)state;
    ts_recycle_empty();
    /* More than the table has places for, of sizes that tell them apart. */
    for (size_t i = 0; i < TS_RECYCLE_BLOCKS + 10; i++)
        assert_true(ts_recycle_give(block_of(i < 10 ? 1 << 17 : 1 << 16)));
    assert_null(ts_recycle_take(1 << 17));
    for (size_t i = 0; i < TS_RECYCLE_BLOCKS; i++) {
        void *block = ts_recycle_take(1 << 16);
        assert_non_null(block);
        free(block);
    }
    assert_null(ts_recycle_take(1 << 16));

    /* More bytes than are kept. */
    for (size_t i = 0; i < 20; i++)
        assert_true(ts_recycle_give(block_of(3 << 20)));
    assert_in_range(ts_recycle_empty(), TS_RECYCLE_BYTES - (4 << 20), TS_RECYCLE_BYTES);
    assert_true(ts_recycle_give(block_of(1 << 20)));
    assert_true(ts_recycle_give(block_of(TS_RECYCLE_BYTES - 4096)));
    assert_null(ts_recycle_take(1 << 20));
    assert_true(ts_recycle_empty() >= TS_RECYCLE_BYTES - 4096);
}

static void zeroed_memory_is_zero(void **state)
{
    (void)state;
    const size_t sizes[] = {1 << 16, 100000, 1 << 20, 3000001};
    for (int round = 0; round < 3; round++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint8_t *block = ts_malloc(sizes[s]);
            assert_non_null(block);
            memset(block, 0xa5, sizes[s]);
            ts_free(block);
            block = ts_calloc(sizes[s], 1);
            assert_non_null(block);
            for (size_t i = 0; i < sizes[s]; i++)
                assert_true(block[i] == 0);
            ts_free(block);
        }
    assert_null(ts_calloc(SIZE_MAX / 2, 4));
    assert_null(ts_malloc_aligned(SIZE_MAX - 5));
    void *aligned = ts_malloc_aligned(70001);
    assert_int_equal((uintptr_t)aligned % 64, 0);
    /* What the application may do with a block of ours. */
    aligned = realloc(aligned, 200000);
    assert_non_null(aligned);
    memset(aligned, 1, 200000);
    free(aligned);
}

static void *take_and_give(void *arg)
{
    atomic_uint *failures = arg;
    static atomic_uint number;
    const unsigned mine = atomic_fetch_add(&number, 1);
    for (unsigned i = 0; i < 400; i++) {
        const unsigned char mark = (unsigned char)(mine + i * 8);
        size_t size = TS_RECYCLE_SMALLEST + i % 7 * 20000;
        unsigned char *block = ts_recycle_take(size);
        if (!block)
            block = aligned_alloc(TS_RECYCLE_ALIGN, (size + 63) / 64 * 64);
        if (!block)
            break;
        block[0] = block[size - 1] = mark;
        sched_yield();
        if (block[0] != mark || block[size - 1] != mark)
            atomic_fetch_add(failures, 1);
        if (!ts_recycle_give(block))
            free(block);
    }
    return NULL;
}

static void threads_do_not_share_a_block(void **state)
{
    (void)state;
    pthread_t threads[6];
    atomic_uint failures = 0;
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &failures), 0);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
    ts_recycle_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_comes_back_if_it_fits),
        cmocka_unit_test(small_huge_and_crooked_blocks_are_not_kept),
        cmocka_unit_test(the_oldest_go_when_there_are_too_many),
        cmocka_unit_test(zeroed_memory_is_zero),
        cmocka_unit_test(threads_do_not_share_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
