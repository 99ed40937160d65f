/* Many threads code at once, with contexts that go from hand to hand. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/pool.h"
#include "filter/filter.h"

enum { SIZE = 40000, CHUNKS = 48 };

static void fill(uint32_t *data, size_t seed)
{
    uint32_t value = (uint32_t)seed * 2654435761u;
    for (size_t i = 0; i < SIZE / 4; i++) {
        value = value * 1664525 + 1013904223;
        data[i] = (uint32_t)(i * seed) + (value >> 26);
    }
}

/* Items are told apart by their data, so that mixed-up contexts show. */
static int code(void *ctx, size_t item, unsigned lane)
{
    (void)lane;
    unsigned width = 4, level = (unsigned)(item % 9) + 1;
    struct ts_filter filters[] = {
        {.id = H5Z_FILTER_SHUFFLE, .n_values = 1, .values = &width},
        {.id = item % 2 ? H5Z_FILTER_DEFLATE : TS_FILTER_ZSTD, .n_values = 1, .values = &level},
        {.id = H5Z_FILTER_FLETCHER32},
    };
    struct ts_pipeline p = {.n = 3, .filters = filters};
    uint32_t data[SIZE / 4], mask;
    fill(data, item);
    size_t size = SIZE;
    void *buf;
    if (ts_pipeline_encode_from(&p, data, &size, &buf, &mask, NULL) < 0)
        return -1;
    int status = ts_pipeline_decode(&p, mask, &buf, &size, SIZE);
    if (status == 0 && (size != SIZE || memcmp(buf, data, SIZE) != 0))
        status = TS_ERR(PLINE, CANTFILTER, "item %zu did not come back", item);
    ts_free(buf);
    atomic_fetch_add((atomic_uint *)ctx, 1);
    return status;
}

static void *code_all(void *done)
{
    for (int round = 0; round < 3; round++)
        if (ts_pool_run(3, CHUNKS, code, done) < 0)
            return done;
    return NULL;
}

static void threads_code_at_once(void **state)
{
    (void)state;
    pthread_t threads[4];
    atomic_uint done = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, code_all, &done), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(done, 4 * 3 * CHUNKS);
    ts_filter_free_contexts();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_code_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
