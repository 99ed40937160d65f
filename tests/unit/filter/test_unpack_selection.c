/* Packed selections straight to sets, against undoing the filter and decoding the section. */
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/filter.h"
#include "space/run_set.h"
#include "unit/cmocka_all.h"

static const struct ts_filter filter = {.id = TS_FILTER_SELECTION_PACKING};
static const struct ts_filter_options none;

static uint32_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
}

static void assert_same(const struct ts_run_set *a, const struct ts_run_set *b)
{
    struct ts_run_cursor at_a = {0}, at_b = {0};
    struct ts_run x, y;
    const char *reason;
    assert_int_equal(ts_run_set_verify(a, &reason), 1);
    assert_int_equal(ts_run_set_limit(a), ts_run_set_limit(b));
    while (ts_run_set_next(a, &at_a, &x, 1) > 0) {
        assert_int_equal(ts_run_set_next(b, &at_b, &y, 1), 1);
        assert_int_equal(x.offset, y.offset);
        assert_int_equal(x.length, y.length);
    }
    assert_int_equal(ts_run_set_next(b, &at_b, &y, 1), 0);
}

/* What elements of a chunk look like. */
enum look { POINTS, ROWS, RECTANGLES, REGULAR, LOOKS };

struct sample {
    unsigned rank;
    hsize_t dims[3];
    struct ts_run_set *set;
    struct ts_selection_section section;
    struct ts_block packed;
};

static void fill_set(struct sample *s, enum look look)
{
    hsize_t limit = ts_run_set_limit(s->set), row = s->dims[s->rank - 1];
    uint32_t gap = 1 + draw(draw(2) ? 20 : 700);
    for (hsize_t at = draw(gap); at < limit; at += 1 + (look == REGULAR ? gap : draw(gap))) {
        hsize_t left = row - at % row;
        struct ts_run run = {at, look == POINTS || look == REGULAR ? 1 : 1 + draw((uint32_t)(left < 9 ? left : 9))};
        struct ts_run below = {at + row, run.length};
        assert_int_equal(ts_run_set_add(s->set, &run, 1), 0);
        if (look == RECTANGLES && below.offset + below.length <= limit)
            assert_int_equal(ts_run_set_add(s->set, &below, 1), 0);
        at += run.length - 1;
    }
}

static void sample_init(struct sample *s, enum look look)
{
    static const hsize_t shapes[][3] = {{90000}, {7, 11000}, {300, 301}, {5, 90, 100}, {1, 1, 70000}};
    unsigned shape = draw(5);
    struct ts_wr w = {0};
    hsize_t limit = 1;
    s->rank = shape == 0 ? 1 : shape < 3 ? 2 : 3;
    memcpy(s->dims, shapes[shape], sizeof s->dims);
    for (unsigned d = 0; d < s->rank; d++)
        limit *= s->dims[d];
    assert_int_equal(ts_run_set_new(limit, &s->set), 0);
    fill_set(s, look);
    assert_int_equal(ts_run_set_encode(s->set, s->rank, s->dims, &w), 0);
    s->section = (struct ts_selection_section){.size = w.size, .rank = s->rank, .dims = s->dims,
                                               .most = ts_run_set_count(s->set), .summed = true};
    s->packed = (struct ts_block){.data = w.data, .size = w.size};
    assert_int_equal(ts_encode_selection_packing(&filter, &s->packed), 0);
}

static void sample_deinit(struct sample *s)
{
    ts_run_set_free(s->set);
    ts_free(s->packed.data);
}

static int unpack(const struct sample *s, struct ts_run_set **out)
{
    return ts_unpack_selection(s->packed.data, s->packed.size, &s->section, out);
}

/* By the filter; NULL when it or what comes out of it is refused. */
static struct ts_run_set *slowly(const struct sample *s)
{
    struct ts_block b = {.data = ts_memdup(s->packed.data, s->packed.size), .size = s->packed.size};
    struct ts_selection_section section = s->section;
    struct ts_run_set *set = NULL;
    uint32_t *order = NULL;
    size_t n;
    if (ts_decode_selection_packing(&filter, &b, &none) == 0 && b.size == section.size) {
        section.bytes = b.data;
        if (ts_run_set_decode(&section, &set, &order, &n) < 0)
            set = NULL;
    }
    ts_free(order);
    ts_free(b.data);
    ts_err_clear();
    return set;
}

static void test_same_set(void **unused)
{
    unsigned straight[LOOKS] = {0};
    (void)unused;
    state = 99;
    for (unsigned i = 0; i < 400; i++) {
        struct sample s;
        struct ts_run_set *set;
        sample_init(&s, i % LOOKS);
        int status = unpack(&s, &set);
        assert_true(status == 0 || status == 1);
        straight[i % LOOKS] += (unsigned)status;
        if (status) {
            assert_same(set, s.set);
            ts_run_set_free(set);
            s.section.most--;
            assert_int_equal(unpack(&s, &set), 0);
            s.section.most++;
            s.section.size++;
            assert_int_equal(unpack(&s, &set), 0);
            s.section.size--;
            s.dims[0]++;
            assert_int_equal(unpack(&s, &set), 0);
            s.dims[0]--;
        }
        assert_int_equal(ts_err_current()->depth, 0);
        sample_deinit(&s);
    }
    assert_true(straight[POINTS] > 80);
    assert_true(straight[ROWS] > 80);
    assert_true(straight[REGULAR] < 80);
}

/* The first version, which had no checksum. */
static void make_first_version(struct sample *s)
{
    s->packed.data[0] = 1;
    s->packed.size -= 4;
}

/* Whatever the bytes are: what is taken is taken by the filter as well, and means the same. */
static void test_damaged(void **unused)
{
    unsigned taken = 0, refused = 0;
    (void)unused;
    state = 7;
    for (unsigned i = 0; i < 40; i++) {
        struct sample s;
        sample_init(&s, i % REGULAR);
        make_first_version(&s);
        for (unsigned k = 0; k < 60; k++) {
            struct ts_run_set *set = NULL, *expected;
            size_t size = s.packed.size, at = draw(k % 2 ? (uint32_t)size : 16);
            uint8_t old = s.packed.data[at];
            s.packed.data[at] = (uint8_t)(old ^ 1u << draw(8));
            s.packed.size = draw(5) ? size : draw((uint32_t)size);
            expected = slowly(&s);
            int status = unpack(&s, &set);
            assert_true(status >= 0);
            if (status == 1) {
                assert_non_null(expected);
                assert_same(set, expected);
                ts_run_set_free(set);
            }
            taken += status == 1;
            refused += status == 0;
            ts_run_set_free(expected);
            s.packed.data[at] = old;
            s.packed.size = size;
        }
        sample_deinit(&s);
    }
    assert_true(taken > 50);
    assert_true(refused > 500);
}

/* With its checksum no damage is taken for a selection. */
static void test_checksum(void **unused)
{
    (void)unused;
    state = 11;
    for (unsigned i = 0; i < 40; i++) {
        struct sample s;
        struct ts_run_set *set;
        sample_init(&s, i % REGULAR);
        for (unsigned k = 0; k < 60; k++) {
            size_t at = draw(k % 2 ? (uint32_t)s.packed.size : 16);
            uint8_t bit = (uint8_t)(1u << draw(8));
            s.packed.data[at] ^= bit;
            assert_int_equal(unpack(&s, &set), 0);
            assert_null(slowly(&s));
            s.packed.data[at] ^= bit;
        }
        sample_deinit(&s);
    }
}

static void test_no_memory(void **unused)
{
    (void)unused;
    state = 3;
    for (unsigned i = 0; i < 6; i++) {
        struct sample s;
        struct ts_run_set *set;
        int status = -1;
        unsigned long at = 0;
        sample_init(&s, POINTS);
        while (status < 0) {
            ts_alloc_fail_at(++at, TS_FAULT_ONCE);
            status = unpack(&s, &set);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            ts_err_clear();
        }
        assert_int_equal(status, 1);
        assert_true(at > 2);
        assert_same(set, s.set);
        ts_run_set_free(set);
        sample_deinit(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_set),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
