#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/error.h"
#include "file/sections.h"

enum { SPACE = 4096 };

/* The model: one byte per byte of space. */
struct model {
    uint8_t in[SPACE];
};

static unsigned rng(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static size_t model_floor(const struct model *m, size_t addr, size_t page, size_t *size)
{
    size_t at = addr + 1, from;
    while (at-- > 0)
        if (m->in[at])
            break;
    if (at == (size_t)-1)
        return (size_t)-1;
    for (from = at; from > 0 && m->in[from - 1] && !(page && from % page == 0); from--)
        ;
    size_t end = from + 1;
    while (end < SPACE && m->in[end] && !(page && end % page == 0))
        end++;
    *size = end - from;
    return from;
}

static void compare(const struct ts_sections *s, const struct model *m)
{
    size_t bytes = 0, n = 0;
    for (size_t at = 0; at < SPACE; at++)
        bytes += m->in[at];
    assert_int_equal(s->bytes, bytes);
    uint64_t smallest[2] = {UINT64_MAX, 0};
    for (size_t at = SPACE - 1;;) {
        size_t size, from = model_floor(m, at, s->page, &size);
        const struct ts_section *got = ts_sections_floor(s, at);
        if (from == (size_t)-1) {
            assert_null(got);
            break;
        }
        assert_non_null(got);
        assert_int_equal(got->addr, from);
        assert_int_equal(got->size, size);
        if (size >= 17 && size <= smallest[0]) {
            smallest[0] = size;
            smallest[1] = from;
        }
        n++;
        if (from == 0)
            break;
        at = from - 1;
    }
    assert_int_equal(s->n, n);
    const struct ts_section *fit = ts_sections_fit(s, 17, 0);
    if (smallest[0] == UINT64_MAX) {
        assert_null(fit);
    } else {
        assert_int_equal(fit->size, smallest[0]);
        assert_int_equal(fit->addr, smallest[1]);
    }
}

static void random_operations(uint64_t page, unsigned seed)
{
    struct ts_sections s = {.page = page};
    struct model m = {{0}};
    for (int i = 0; i < 4000; i++) {
        size_t addr = rng(&seed) % SPACE, size = rng(&seed) % 40 + 1;
        size = addr + size > SPACE ? SPACE - addr : size;
        if (rng(&seed) % 2) {
            assert_int_equal(ts_sections_cut(&s, addr, size), 0);
            memset(m.in + addr, 0, size);
        } else if (!memchr(m.in + addr, 1, size) && !(page && addr / page != (addr + size - 1) / page)) {
            assert_int_equal(ts_sections_add(&s, addr, size), 0);
            memset(m.in + addr, 1, size);
        }
        if (i % 16 == 0)
            compare(&s, &m);
    }
    ts_sections_clear(&s);
    assert_int_equal(s.n, 0);
}

static void sections_are_as_in_the_model(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++) {
        random_operations(0, seed);
        random_operations(64, seed);
    }
}

static void many_sections_stay_fast(void **state)
{
    (void)state;
    enum { N = 200000 };
    struct ts_sections s = {0};
    for (uint64_t i = 0; i < N; i++)
        assert_int_equal(ts_sections_add(&s, i * 7919 % N * 16, i % 15 + 1), 0);
    assert_int_equal(s.n, N);
    for (uint64_t i = 0; i < N; i++) {
        const struct ts_section *fit = ts_sections_fit(&s, 8, 0);
        if (!fit)
            break;
        assert_true(fit->size >= 8);
        assert_int_equal(ts_sections_cut(&s, fit->addr, fit->size), 0);
    }
    assert_null(ts_sections_fit(&s, 8, 0));
    ts_sections_clear(&s);
}

static void without_memory_all_stays(void **state)
{
    (void)state;
    struct ts_sections s = {0};
    assert_int_equal(ts_sections_add(&s, 100, 50), 0);
    ts_alloc_fail_at(1, TS_FAULT_FROM);
    assert_int_equal(ts_sections_add(&s, 0, 10), -1);
    assert_int_equal(ts_sections_cut(&s, 110, 10), -1);
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.bytes, 50);
    assert_int_equal(ts_sections_floor(&s, 149)->size, 50);
    ts_sections_clear(&s);
    ts_err_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_as_in_the_model),
        cmocka_unit_test(many_sections_stay_fast),
        cmocka_unit_test(without_memory_all_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
