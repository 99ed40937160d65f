/* What is written without a search for anything to gain must come back, cost nothing, and be left alone where a search
 * does gain. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"

enum { SIZE = 1 << 18, STORED = 65535 };

static uint8_t data[SIZE];

static uint32_t next_random(void)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static void put_noise(size_t from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        data[from + i] = (uint8_t)next_random();
}

/* Encodes the first n bytes, looks whether they come back and are as they were, and returns what they take. */
static size_t stored_size(size_t n, unsigned level)
{
    struct ts_filter f = {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = &level};
    struct ts_pipeline p = {.n = 1, .filters = &f};
    size_t stored = n;
    uint32_t mask = 7;
    void *buf;
    uint8_t *before = ts_memdup(data, n);
    assert_int_equal(ts_pipeline_encode_from(&p, data, &stored, &buf, &mask, NULL), 0);
    assert_int_equal(mask, 0);
    assert_memory_equal(before, data, n);
    ts_free(before);
    size_t size = stored;
    assert_int_equal(ts_pipeline_decode(&p, mask, &buf, &size, n), 0);
    assert_int_equal(size, n);
    assert_memory_equal(buf, data, n);
    ts_free(buf);
    return stored;
}

static void every_byte_in_a_row(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        memset(data, (int)byte, SIZE);
        const size_t n = 8000 + byte;
        assert_true(stored_size(n, 1 + byte % 9) < 200);
    }
    memset(data, 0, SIZE);
    assert_true(stored_size(SIZE, 4) < SIZE / 1000 + 64);
    /* Ends that fall on the ends of copies and steps. */
    for (size_t n = 0; n < 1200; n++)
        stored_size(4000 + n, 1);
    for (size_t n = 1; n < 40; n++)
        stored_size(n, 6);
}

static void rows_and_noise_one_after_the_other(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        size_t n = 0;
        while (n < SIZE - 90000) {
            size_t row = next_random() % 20000, noise = next_random() % 3 ? next_random() % 70000 : STORED;
            memset(data + n, (int)(next_random() & 0xff), row);
            put_noise(n + row, noise);
            n += row + noise;
        }
        assert_true(stored_size(n, i % 10) <= n + n / STORED * 5 + 32);
    }
}

static void noise_costs_its_headers_only(void **state)
{
    (void)state;
    put_noise(0, SIZE);
    for (size_t n = STORED - 2; n < STORED + 3; n++)
        for (size_t blocks = 0; blocks < 3; blocks++) {
            size_t size = n + blocks * STORED;
            assert_true(stored_size(size, 4) <= size + (size / STORED + 1) * 5 + 8);
        }
}

/* Of each kind of data a whole block is as even as noise, and yet much can be gained. */
static void what_looks_like_noise_is_compressed(void **state)
{
    (void)state;
    put_noise(0, 30000);
    for (size_t i = 30000; i < SIZE; i++)
        data[i] = data[i - 30000];
    assert_true(stored_size(SIZE, 4) < SIZE / 6);

    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)i;
    assert_true(stored_size(SIZE, 4) < SIZE / 50);

    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(i / 64 + next_random() % 32);
    assert_true(stored_size(SIZE, 4) < SIZE / 10 * 9);

    for (size_t i = 0; i < SIZE; i++)
        data[i] = next_random() % 8 ? (uint8_t)next_random() : 0;
    assert_true(stored_size(SIZE, 4) < SIZE / 100 * 99);

    put_noise(0, SIZE);
    for (size_t i = 100; i + 20 < SIZE; i += 150)
        memcpy(data + i, "a word of twenty is.", 20);
    assert_true(stored_size(SIZE, 4) < SIZE / 10 * 9);
}

static void nothing_at_all(void **state)
{
    (void)state;
    unsigned level = 4;
    struct ts_filter f = {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = &level};
    struct ts_block b = {.data = data, .borrowed = true};
    assert_int_equal(ts_encode_deflate(&f, &b), 0);
    assert_true(b.size > 0 && b.size < 20);
    ts_free(b.data);
    ts_filter_free_contexts();
}

/* Chunks of a few bytes shrink, too, and in the same way as zlib's. */
static void a_few_bytes(void **state)
{
    (void)state;
    static const uint8_t as_zlib[] = {0x78, 0x5e, 0x4b, 0x4c, 0x4a, 0x4e, 0x84, 0x21, 0x00, 0x1d, 0xe0, 0x04, 0x99};
    unsigned level = 4;
    struct ts_filter f = {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = &level};
    struct ts_block b = {.data = (uint8_t *)"abcabcabcabc", .size = 12, .borrowed = true};
    assert_int_equal(ts_encode_deflate(&f, &b), 0);
    assert_int_equal(b.size, sizeof as_zlib);
    assert_memory_equal(b.data, as_zlib, sizeof as_zlib);
    ts_free(b.data);

    for (level = 1; level <= 9; level++)
        for (size_t n = 1; n <= 60; n++)
            for (unsigned values = 1; values <= 256; values *= 2) {
                for (size_t i = 0; i < n; i++)
                    data[i] = (uint8_t)(200 + next_random() % values);
                assert_true(stored_size(n, level) <= n + 11);
            }
    memset(data, 0, 40);
    assert_true(stored_size(40, 1) <= 12);
    ts_filter_free_contexts();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_in_a_row),
        cmocka_unit_test(rows_and_noise_one_after_the_other),
        cmocka_unit_test(noise_costs_its_headers_only),
        cmocka_unit_test(what_looks_like_noise_is_compressed),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(a_few_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
