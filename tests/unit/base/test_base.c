#include "unit/cmocka_all.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/map.h"

static void cursor_reads_little_endian(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xff, 0xff};
    struct ts_rd r = ts_rd_init(bytes, sizeof bytes);
    assert_int_equal(ts_rd_u8(&r), 0x01);
    assert_int_equal(ts_rd_u16(&r), 0x0302);
    assert_int_equal(ts_rd_uint(&r, 3), 0x060504);
    assert_int_equal(ts_rd_left(&r), 4);
    assert_int_equal(ts_rd_u16(&r), 0x0807);
    assert_true(ts_rd_addr(&r, 2) == UINT64_MAX);
    assert_false(r.bad);
    assert_int_equal(ts_rd_u8(&r), 0);
    assert_true(r.bad);
}

static void cursor_error_is_sticky(void **state)
{
    (void)state;
    const uint8_t bytes[] = {1, 2, 3};
    struct ts_rd r = ts_rd_init(bytes, sizeof bytes);
    assert_int_equal(ts_rd_u32(&r), 0);
    assert_true(r.bad);
    assert_int_equal(ts_rd_u8(&r), 0);
    assert_null(ts_rd_bytes(&r, 1));
    assert_null(ts_rd_cstr(&r));
    r = ts_rd_init("ab", 2);
    assert_null(ts_rd_cstr(&r));
    r = ts_rd_init("ab", 3);
    assert_string_equal(ts_rd_cstr(&r), "ab");
    assert_int_equal(ts_rd_left(&r), 0);
}

static void writer_and_reader_agree(void **state)
{
    (void)state;
    struct ts_wr w = {0};
    ts_wr_u8(&w, 7);
    ts_wr_u16(&w, 0x1234);
    ts_wr_u32(&w, 0xdeadbeef);
    ts_wr_u64(&w, UINT64_C(0x1122334455667788));
    ts_wr_uint(&w, 0x010203, 3);
    ts_wr_bytes(&w, "xyz", 4);
    ts_wr_zeros(&w, 5);
    ts_wr_checksum(&w, 0);
    assert_false(w.bad);
    struct ts_rd r = ts_rd_init(w.data, w.size);
    assert_int_equal(ts_rd_u8(&r), 7);
    assert_int_equal(ts_rd_u16(&r), 0x1234);
    assert_int_equal(ts_rd_u32(&r), 0xdeadbeef);
    assert_true(ts_rd_u64(&r) == UINT64_C(0x1122334455667788));
    assert_int_equal(ts_rd_uint(&r, 3), 0x010203);
    assert_string_equal(ts_rd_cstr(&r), "xyz");
    ts_rd_skip(&r, 5);
    assert_true(ts_rd_checksum(&r));
    assert_int_equal(ts_rd_left(&r), 0);
    w.data[3] ^= 1;
    r = ts_rd_init(w.data, w.size);
    ts_rd_skip(&r, w.size - 4);
    assert_false(ts_rd_checksum(&r));
    ts_wr_free(&w);
}

/* Numbers of every width, until they have left the memory that was lent, and an odd one at the end. */
static void writer_leaves_lent_memory(void **state)
{
    (void)state;
    uint8_t room[TS_WR_ROOM];
    struct ts_wr w = ts_wr_on(room);
    for (unsigned i = 0; i < 2 * TS_WR_ROOM; i++) {
        ts_wr_uint(&w, i, i % 8 + 1);
        assert_true(w.lent == (w.data == room));
    }
    assert_false(w.bad || w.lent);
    ts_wr_uint(&w, UINT64_MAX, 9);
    struct ts_rd r = ts_rd_init(w.data, w.size);
    for (unsigned i = 0; i < 2 * TS_WR_ROOM; i++)
        assert_int_equal(ts_rd_uint(&r, i % 8 + 1), i);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(ts_rd_u8(&r), 0xff);
    assert_int_equal(ts_rd_left(&r), 0);
    ts_wr_free(&w);
    assert_null(w.data);
}

/* The published test values of lookup3's hashlittle with initial value 0. */
static void checksum_is_lookup3(void **state)
{
    (void)state;
    assert_int_equal(ts_checksum("", 0), 0xdeadbeef);
    assert_int_equal(ts_checksum("Four score and seven years ago", 30), 0x17770551);
}

static void arithmetic_says_when_it_does_not_fit(void **state)
{
    (void)state;
    size_t out;
    uint64_t wide;
    assert_true(ts_mul_size(3, 4, &out) && out == 12);
    assert_false(ts_mul_size(SIZE_MAX, 2, &out));
    assert_false(ts_add_size(SIZE_MAX, 1, &out));
    assert_false(ts_add_u64(UINT64_MAX, 1, &wide));
    assert_false(ts_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &wide));
    assert_int_equal(ts_bytes_for(0), 1);
    assert_int_equal(ts_bytes_for(255), 1);
    assert_int_equal(ts_bytes_for(256), 2);
    assert_int_equal(ts_bytes_for(UINT64_MAX), 8);
    assert_int_equal(ts_div_ceil(7, 3), 3);
    assert_int_equal(ts_div_ceil(6, 3), 2);
    assert_int_equal(ts_log2_floor(1), 0);
    assert_int_equal(ts_log2_floor(1023), 9);
}

/* Keys that come and go leave nothing behind. */
static void map_stays_small(void **state)
{
    (void)state;
    static int value;
    struct ts_map map = {0};
    for (uint64_t key = 1; key <= 10000; key++) {
        assert_int_equal(ts_map_put(&map, key, &value), 0);
        if (key > 5)
            assert_ptr_equal(ts_map_remove(&map, key - 5), &value);
    }
    assert_int_equal(map.count, 5);
    assert_true(map.used >= 5 && map.used < map.capacity);
    assert_true(map.capacity <= 32);
    for (uint64_t key = 9996; key <= 10000; key++)
        assert_ptr_equal(ts_map_remove(&map, key), &value);
    assert_int_equal(map.count, 0);
    assert_int_equal(map.used, 0);
    ts_map_deinit(&map);
}

/* Random puts and removes against an array. */
static void map_follows_a_model(void **state)
{
    (void)state;
    enum { KEYS = 500 };
    void *model[KEYS] = {0};
    struct ts_map map = {0};
    unsigned seed = 1;
    for (int step = 0; step < 50000; step++) {
        seed = seed * 1103515245 + 12345;
        uint64_t key = seed >> 8 & 0x1ff;
        if (key >= KEYS)
            continue;
        if (seed >> 24 & 1) {
            void *value = &model[step % KEYS];
            assert_int_equal(ts_map_put(&map, key << 40, value), 0);
            model[key] = value;
        } else {
            assert_ptr_equal(ts_map_remove(&map, key << 40), model[key]);
            model[key] = NULL;
        }
    }
    size_t full = 0, seen = 0, pos = 0;
    for (uint64_t key = 0; key < KEYS; key++) {
        assert_ptr_equal(ts_map_get(&map, key << 40), model[key]);
        full += model[key] != NULL;
    }
    uint64_t key;
    void *value;
    while (ts_map_next(&map, &pos, &key, &value)) {
        assert_ptr_equal(model[key >> 40], value);
        seen++;
    }
    assert_int_equal(seen, full);
    assert_int_equal(map.count, full);
    ts_map_deinit(&map);
}

static void dict_keeps_strings_apart(void **state)
{
    (void)state;
    struct ts_dict dict = {0};
    char name[32];
    static int values[1000];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "name %d", i);
        assert_int_equal(ts_dict_put(&dict, name, &values[i]), 0);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "name %d", i);
        assert_ptr_equal(ts_dict_get(&dict, name), &values[i]);
    }
    /* Two strings with the same hash. */
    assert_int_equal(ts_checksum("name 3779", 9), ts_checksum("name 146164", 11));
    assert_int_equal(ts_dict_put(&dict, "name 3779", &values[1]), 0);
    assert_null(ts_dict_get(&dict, "name 146164"));
    assert_int_equal(ts_dict_put(&dict, "name 146164", &values[2]), 0);
    assert_int_equal(ts_dict_put(&dict, "name 146164", &values[3]), 0);
    assert_ptr_equal(ts_dict_get(&dict, "name 3779"), &values[1]);
    assert_ptr_equal(ts_dict_get(&dict, "name 146164"), &values[3]);
    assert_int_equal(ts_dict_count(&dict), 1002);
    const char *key;
    void *value;
    size_t steps = 0;
    for (size_t pos = 0; ts_dict_next(&dict, &pos, &key, &value); steps++)
        assert_ptr_equal(ts_dict_get(&dict, key), value);
    assert_int_equal(steps, 1002);
    ts_dict_deinit(&dict);
}

static void allocation_fails_when_told(void **state)
{
    (void)state;
    ts_err_clear();
    ts_alloc_fail_at(2, TS_FAULT_ONCE);
    void *a = ts_malloc(8), *b = ts_malloc(8), *c = ts_malloc(8);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    assert_int_equal(ts_alloc_fail_at(1, TS_FAULT_FROM), 3);
    assert_null(ts_strdup("x"));
    assert_null(ts_calloc(1, 1));
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    assert_int_equal(ts_err_current()->depth, 3);
    ts_err_clear();
    ts_free(a);
    ts_free(c);
}

static int push_error(int value)
{
    return TS_ERR(BTREE, CANTDECODE, "value %d", value);
}

static void errors_stack_up(void **state)
{
    (void)state;
    ts_err_clear();
    assert_int_equal(push_error(7), -1);
    unsigned mark = ts_err_mark();
    push_error(8);
    struct ts_err_stack *stack = ts_err_current();
    assert_int_equal(stack->depth, 2);
    assert_string_equal(stack->rec[0].text, "value 7");
    assert_string_equal(stack->rec[0].func, "push_error");
    assert_int_equal(stack->rec[1].maj, TS_MAJ_BTREE);
    ts_err_rewind(mark);
    assert_int_equal(stack->depth, 1);
    struct ts_err_stack *other = calloc(1, sizeof *other);
    ts_err_stack_move(other, stack);
    assert_int_equal(stack->depth, 0);
    assert_string_equal(other->rec[0].text, "value 7");
    ts_err_stack_clear(other);
    free(other);
    for (int i = 0; i < 100; i++)
        push_error(i);
    assert_int_equal(stack->depth, TS_ERR_DEPTH);
    ts_err_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursor_reads_little_endian),
        cmocka_unit_test(cursor_error_is_sticky),
        cmocka_unit_test(writer_and_reader_agree),
        cmocka_unit_test(writer_leaves_lent_memory),
        cmocka_unit_test(checksum_is_lookup3),
        cmocka_unit_test(arithmetic_says_when_it_does_not_fit),
        cmocka_unit_test(map_stays_small),
        cmocka_unit_test(map_follows_a_model),
        cmocka_unit_test(dict_keeps_strings_apart),
        cmocka_unit_test(allocation_fails_when_told),
        cmocka_unit_test(errors_stack_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
