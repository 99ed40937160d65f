/* Which way reads take: straight to their place, or through the list's window. */
#include "unit/cmocka_all.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "chunk/io_list.h"

#define KIB ((size_t)1 << 10)
#define STORE_BYTES (4096 * KIB)
#define PLACE_BYTES (5120 * KIB)

/* A store of bytes that knows which of them were read straight into the place they belong to. */
struct bytes {
    uint8_t *data, *place;
    size_t calls, direct, aside;
};

static int read_bytes(void *ctx, const struct ts_io_vec *v, size_t n)
{
    struct bytes *b = ctx;
    b->calls++;
    for (size_t i = 0; i < n; i++) {
        bool direct = (uint8_t *)v[i].buf >= b->place && (uint8_t *)v[i].buf < b->place + PLACE_BYTES;
        assert_true(v[i].addr <= STORE_BYTES && v[i].size <= STORE_BYTES - v[i].addr);
        memcpy(v[i].buf, b->data + v[i].addr, v[i].size);
        *(direct ? &b->direct : &b->aside) += v[i].size;
    }
    return 0;
}

static struct bytes bytes_new(void)
{
    struct bytes b = {.data = malloc(STORE_BYTES), .place = aligned_alloc(4096, PLACE_BYTES)};
    assert_non_null(b.data);
    assert_non_null(b.place);
    for (size_t i = 0; i < STORE_BYTES; i++)
        b.data[i] = (uint8_t)(i * 2654435761u >> 13);
    return b;
}

static void bytes_free(struct bytes *b)
{
    free(b->data);
    free(b->place);
}

/* The first at address addr goes to place + at. Every byte of the place is right afterwards. */
static void read_run(struct bytes *b, struct ts_io_run r, size_t at)
{
    struct ts_io_list l = {.store = {.readv = read_bytes, .ctx = b}};
    size_t wrong = 0, others = 0;
    b->calls = b->direct = b->aside = 0;
    memset(b->place, 0xee, PLACE_BYTES);
    r.buf = b->place + at;
    assert_int_equal(ts_io_list_add(&l, &r), 0);
    assert_int_equal(ts_io_list_flush(&l), 0);
    ts_io_list_deinit(&l);
    for (size_t k = 0; k < r.count; k++) {
        wrong += memcmp(r.buf + k * r.buf_step, b->data + r.addr + k * r.step, r.n) != 0;
        memset(r.buf + k * r.buf_step, 0xee, r.n);
    }
    for (size_t i = 0; i < PLACE_BYTES; i++)
        others += b->place[i] != 0xee;
    assert_int_equal(wrong, 0);
    assert_int_equal(others, 0);
}

static void neighbours_go_straight(void **state)
{
    (void)state;
    struct bytes b = bytes_new();
    struct ts_io_run rows = {.addr = 2048, .n = 4 * KIB, .count = 64, .step = 4 * KIB, .buf_step = 16 * KIB};
    read_run(&b, rows, 0);
    assert_int_equal(b.calls, 1);
    assert_int_equal(b.direct, 256 * KIB);
    assert_int_equal(b.aside, 0);
    bytes_free(&b);
}

static void short_or_distant_rows_share_a_window(void **state)
{
    (void)state;
    struct bytes b = bytes_new();
    struct ts_io_run rows = {.addr = 2048, .n = KIB, .count = 256, .step = KIB, .buf_step = 16 * KIB};
    read_run(&b, rows, 0);
    assert_int_equal(b.calls, 1);
    assert_int_equal(b.aside, 256 * KIB);
    rows = (struct ts_io_run){.addr = 2048, .n = 4 * KIB, .count = 32, .step = 5 * KIB, .buf_step = 4 * KIB};
    read_run(&b, rows, 0);
    assert_int_equal(b.calls, 1);
    assert_int_equal(b.direct, 0);
    assert_int_equal(b.aside, 31 * 5 * KIB + 4 * KIB);
    bytes_free(&b);
}

/* A place a little behind the address, modulo the page, is one that kernels copy slowly to. */
static void slow_places_are_read_aside(void **state)
{
    (void)state;
    static const size_t sizes[] = {16 * KIB, 1024 * KIB, 3 * 1024 * KIB + 5};
    struct bytes b = bytes_new();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t behind = 0; behind < 48; behind += behind < 4 ? 1 : 7) {
            struct ts_io_run r = {.addr = 100, .n = sizes[i], .count = 1, .step = sizes[i], .buf_step = sizes[i]};
            bool slow = behind > 0 && behind < 32;
            read_run(&b, r, 100 + behind);
            assert_int_equal(slow ? b.aside : b.direct, sizes[i]);
            assert_int_equal(slow ? b.direct : b.aside, 0);
        }
    }
    struct ts_io_run before = {.addr = 100, .n = 64 * KIB, .count = 1, .step = 64 * KIB, .buf_step = 64 * KIB};
    read_run(&b, before, 84);
    assert_int_equal(b.direct, 64 * KIB);
    struct ts_io_run rows = {.addr = 2048, .n = 4 * KIB, .count = 64, .step = 4 * KIB, .buf_step = 16 * KIB};
    read_run(&b, rows, 2048 + 16);
    assert_int_equal(b.aside, 256 * KIB);
    assert_int_equal(b.direct, 0);
    bytes_free(&b);
}

/* The same for several threads, which may fail. */
struct shared_bytes {
    uint8_t *data;
    atomic_size_t calls, read;
    size_t fail_at; /* the call that fails, when there is no other left to try; 0: none */
};

static int read_shared(void *ctx, const struct ts_io_vec *v, size_t n)
{
    struct shared_bytes *b = ctx;
    size_t call = atomic_fetch_add(&b->calls, 1) + 1;
    if (b->fail_at > 0 && call >= b->fail_at)
        return TS_ERR(IO, READERROR, "call %zu fails", call);
    for (size_t i = 0; i < n; i++) {
        assert_true(v[i].addr <= STORE_BYTES && v[i].size <= STORE_BYTES - v[i].addr);
        memcpy(v[i].buf, b->data + v[i].addr, v[i].size);
        atomic_fetch_add(&b->read, v[i].size);
    }
    return 0;
}

static struct ts_io_list list_of(struct shared_bytes *b)
{
    return (struct ts_io_list){
        .store = {.readv = read_shared, .ctx = b, .helpers = 3, .costs = {.read_along = KIB, .side_by_side = true}}};
}

/* One long run, and many short ones before it, in an order that is not the store's. */
static void add_much(struct ts_io_list *l, uint8_t *place)
{
    assert_int_equal(ts_io_list_add_one(l, 1024 * KIB, place + 1024 * KIB, 3072 * KIB, 1), 0);
    for (size_t i = 0; i < 300; i++) {
        size_t at = i * 7 % 300 * 3 * KIB;
        assert_int_equal(ts_io_list_add_one(l, at, place + at, 40, 1), 0);
        assert_int_equal(ts_io_list_add_one(l, at + 60, place + at + 60, 50, 1), 0);
    }
}

static void threads_share_what_is_long(void **state)
{
    (void)state;
    struct bytes b = bytes_new();
    struct shared_bytes s = {.data = b.data};
    struct ts_io_list l = list_of(&s);
    memset(b.place, 0xee, PLACE_BYTES);
    add_much(&l, b.place);
    assert_int_equal(ts_io_list_flush(&l), 0);
    assert_int_equal(l.n, 0);
    assert_true(s.read >= 3072 * KIB + 300 * 90 && s.read <= 3072 * KIB + 300 * 110);
    assert_memory_equal(b.place + 1024 * KIB, b.data + 1024 * KIB, 3072 * KIB);
    for (size_t i = 0; i < 300; i++) {
        size_t at = i * 3 * KIB;
        assert_memory_equal(b.place + at, b.data + at, 40);
        assert_memory_equal(b.place + at + 60, b.data + at + 60, 50);
        assert_int_equal(b.place[at + 40], 0xee);
        assert_int_equal(b.place[at + 110], 0xee);
    }
    ts_io_list_deinit(&l);
    bytes_free(&b);
}

static void one_that_fails_is_told(void **state)
{
    (void)state;
    struct bytes b = bytes_new();
    for (size_t at = 1; at < 40; at += 13) {
        struct shared_bytes s = {.data = b.data, .fail_at = at};
        struct ts_io_list l = list_of(&s);
        ts_err_clear();
        add_much(&l, b.place);
        assert_int_equal(ts_io_list_flush(&l), -1);
        assert_int_equal(ts_err_mark(), 1);
        assert_int_equal(l.n, 0);
        ts_io_list_deinit(&l);
    }
    ts_err_clear();
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_go_straight),     cmocka_unit_test(short_or_distant_rows_share_a_window),
        cmocka_unit_test(slow_places_are_read_aside), cmocka_unit_test(threads_share_what_is_long),
        cmocka_unit_test(one_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
