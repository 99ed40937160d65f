/* Sets of defined elements: all of a tiny domain, random ones against an array of flags, and their bytes. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "space/run_set.h"
#include "unit/cmocka_all.h"

static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void ok(int status)
{
    struct ts_err_stack *stack = ts_err_current();
    for (unsigned i = 0; status < 0 && i < stack->depth; i++)
        print_error("%s: %s\n", stack->rec[i].func, stack->rec[i].text);
    assert_int_equal(status, 0);
}

/* The set, the flags that say the same, and an array of values of which each is its element's number. */
struct model {
    struct ts_run_set *set;
    uint32_t limit, count;
    uint8_t *flags;
    uint32_t *values;
};

static void model_init(struct model *m, uint32_t limit)
{
    ok(ts_run_set_new(limit, &m->set));
    m->limit = limit;
    m->count = 0;
    m->flags = calloc(limit, 1);
    m->values = malloc((size_t)limit * sizeof *m->values);
}

static void model_deinit(struct model *m)
{
    ts_run_set_free(m->set);
    free(m->flags);
    free(m->values);
}

/* As the user of a set does it. */
static void model_change(struct model *m, const struct ts_run *runs, size_t n, bool add)
{
    struct ts_run_plan plan;
    ok(add ? ts_run_set_plan_add(m->set, runs, n, &plan) : ts_run_set_plan_remove(m->set, runs, n, &plan));
    ok(add ? ts_run_set_add(m->set, runs, n) : ts_run_set_remove(m->set, runs, n));
    for (size_t i = 1; i < plan.n; i++)
        assert_true(plan.items[i - 1].at + (add ? 0 : plan.items[i - 1].n) < plan.items[i].at);
    for (size_t i = 0; i < n; i++)
        memset(m->flags + runs[i].offset, add, runs[i].length);
    if (add)
        ts_run_plan_open(&plan, m->values, sizeof *m->values, m->count);
    else
        ts_run_plan_close(&plan, m->values, sizeof *m->values, m->count);
    m->count = add ? m->count + (uint32_t)plan.total : m->count - (uint32_t)plan.total;
    ts_run_plan_deinit(&plan);
    assert_int_equal(ts_run_set_count(m->set), m->count);
    for (size_t i = 0; add && i < n; i++) {
        struct ts_strided piece = {runs[i].offset, runs[i].length, 1, 0};
        struct ts_run_match match;
        struct ts_run_hit hit;
        uint64_t found = 0;
        ts_run_match_init(&match, m->set, &piece, 1);
        while (ts_run_match_next(&match, &hit, 1) == 1) {
            assert_int_equal(hit.element, runs[i].offset + found);
            for (uint64_t k = 0; k < hit.n; k++)
                m->values[hit.ordinal + k] = (uint32_t)(hit.element + k);
            found += hit.n;
        }
        assert_int_equal(found, runs[i].length);
    }
}

static void model_check(const struct model *m)
{
    const char *reason;
    if (!ts_run_set_verify(m->set, &reason))
        fail_msg("%s", reason);
    struct ts_run_cursor c = {0};
    struct ts_run runs[3];
    uint32_t at = 0, rank = 0;
    for (size_t n; (n = ts_run_set_next(m->set, &c, runs, 3)) > 0;)
        for (size_t i = 0; i < n; i++) {
            while (at < runs[i].offset)
                assert_int_equal(m->flags[at++], 0);
            while (at < runs[i].offset + runs[i].length)
                assert_int_equal(m->flags[at++], 1);
            assert_true(at == m->limit || !m->flags[at]);
        }
    while (at < m->limit)
        assert_int_equal(m->flags[at++], 0);
    for (uint32_t e = 0; e < m->limit; e += m->limit < 100 || e % 64 == 0 ? 1 : 3) {
        while (rank < m->count && m->values[rank] < e)
            rank++;
        assert_int_equal(ts_run_set_contains(m->set, e), m->flags[e]);
        assert_int_equal(ts_run_set_rank(m->set, e), rank);
    }
    for (uint32_t i = 0; i < m->count; i++)
        assert_true(m->flags[m->values[i]] && (i == 0 || m->values[i] > m->values[i - 1]));
    assert_false(ts_run_set_contains(m->set, m->limit));
    assert_int_equal(ts_run_set_rank(m->set, m->limit), m->count);
}

static void same_sets(const struct ts_run_set *a, const struct ts_run_set *b)
{
    struct ts_run_cursor ca = {0}, cb = {0};
    struct ts_run ra, rb;
    assert_int_equal(ts_run_set_limit(a), ts_run_set_limit(b));
    for (size_t n = 1; n > 0;) {
        n = ts_run_set_next(a, &ca, &ra, 1);
        assert_int_equal(ts_run_set_next(b, &cb, &rb, 1), n);
        assert_true(n == 0 || (ra.offset == rb.offset && ra.length == rb.length));
    }
}

static size_t runs_of(unsigned mask, struct ts_run *runs, bool joined)
{
    size_t n = 0;
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1) {
            if (joined && n && runs[n - 1].offset + runs[n - 1].length == i)
                runs[n - 1].length++;
            else
                runs[n++] = (struct ts_run){i, 1};
        }
    return n;
}

/* Every subset of 8 elements changed by every other, as runs and as single elements. */
static void exhaustive(void **state)
{
    (void)state;
    struct ts_run runs[8];
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
            for (unsigned how = 0; how < 4; how++) {
                struct model m;
                model_init(&m, 8);
                model_change(&m, runs, runs_of(a, runs, true), true);
                model_change(&m, runs, runs_of(b, runs, how & 1), how & 2);
                unsigned want = how & 2 ? a | b : a & ~b;
                for (unsigned i = 0; i < 8; i++)
                    assert_int_equal(m.flags[i], want >> i & 1);
                model_check(&m);
                model_deinit(&m);
            }
}

static size_t random_runs(uint32_t *random, uint32_t limit, uint32_t longest, uint32_t widest, struct ts_run *runs)
{
    size_t n = 0, want = 1 + draw(random) % (draw(random) % 4 ? 8 : 3000);
    uint32_t at = draw(random) % limit;
    while (n < want && at < limit) {
        uint32_t length = draw(random) % 20 == 0 ? 0 : 1 + draw(random) % longest;
        if (length > limit - at)
            length = limit - at;
        runs[n++] = (struct ts_run){at, length};
        at += length + draw(random) % widest;
    }
    return n;
}

static void random_changes(uint32_t limit, uint32_t longest, uint32_t widest, uint32_t seed)
{
    static struct ts_run runs[3001];
    uint32_t random = seed;
    struct model m;
    model_init(&m, limit);
    for (unsigned i = 0; i < 1500; i++) {
        size_t n = random_runs(&random, limit, longest, widest, runs);
        model_change(&m, runs, n, draw(&random) % 5 < (i / 300 % 2 ? 2 : 4));
        if (i % 100 == 0)
            model_check(&m);
    }
    model_check(&m);
    struct ts_run_set *copy;
    ok(ts_run_set_copy(m.set, &copy));
    same_sets(copy, m.set);
    struct ts_run all = {0, limit};
    model_change(&m, &all, 1, false);
    model_check(&m);
    assert_true(ts_run_set_bytes(m.set) <= ts_run_set_bytes(copy));
    ts_run_set_free(copy);
    model_change(&m, &all, 1, true);
    model_check(&m);
    assert_true(ts_run_set_bytes(m.set) < 1000);
    model_deinit(&m);
}

static void random_against_flags(void **state)
{
    (void)state;
    random_changes(1, 1, 2, 3);
    random_changes(64, 5, 9, 5);
    random_changes(65536, 1, 30, 7);
    random_changes(65537, 3, 5, 11);
    random_changes(200000, 1, 4, 13);
    random_changes(200000, 100, 100, 17);
    random_changes(131072, 70000, 100, 19);
}

/* Pieces in any order against element by element. */
static void matches(void **state)
{
    (void)state;
    static struct ts_run runs[3001];
    uint32_t random = 99;
    struct model m;
    model_init(&m, 150000);
    for (unsigned i = 0; i < 30; i++)
        model_change(&m, runs, random_runs(&random, m.limit, i % 2 ? 3 : 50, i % 3 ? 200 : 3, runs), true);
    for (unsigned i = 0; i < 2000; i++) {
        struct ts_strided pieces[3];
        for (unsigned k = 0; k < 3; k++) {
            struct ts_strided *p = &pieces[k];
            p->n = draw(&random) % 3 ? 1 + draw(&random) % 4 : 1 + draw(&random) % 3000;
            p->step = p->n + draw(&random) % 100;
            p->first = draw(&random) % m.limit;
            p->count = 1 + draw(&random) % 50;
            while (p->first + (p->count - 1) * p->step + p->n > m.limit && p->count > 1)
                p->count--;
            if (p->first + p->n > m.limit)
                p->n = m.limit - p->first;
            if (p->count == 1 && draw(&random) % 2)
                p->step = 0;
        }
        struct ts_run_match match;
        struct ts_run_hit hits[4];
        size_t n, max = 1 + draw(&random) % 4, have = 0, next = 0;
        ts_run_match_init(&match, m.set, pieces, 3);
        for (size_t k = 0; k < 3; k++)
            for (uint64_t b = 0; b < pieces[k].count; b++)
                for (uint64_t e = 0; e < pieces[k].n; e++) {
                    uint64_t element = pieces[k].first + b * pieces[k].step + e;
                    if (!m.flags[element])
                        continue;
                    while (next == have) {
                        have = n = ts_run_match_next(&match, hits, max);
                        assert_true(n > 0);
                        next = 0;
                    }
                    assert_int_equal(hits[next].element, element);
                    assert_int_equal(hits[next].piece, k);
                    assert_int_equal(hits[next].block, b);
                    assert_int_equal(m.values[hits[next].ordinal], element);
                    hits[next].element++;
                    hits[next].ordinal++;
                    next += --hits[next].n == 0;
                }
        assert_true(next == have);
        assert_int_equal(ts_run_match_next(&match, hits, max), 0);
    }
    model_deinit(&m);
}

static void refused(void **state)
{
    (void)state;
    struct ts_run_set *s;
    struct ts_run_plan plan;
    assert_int_equal(ts_run_set_new(0, &s), -1);
    assert_int_equal(ts_run_set_new(UINT64_C(1) << 32, &s), -1);
    ok(ts_run_set_new(UINT32_MAX, &s));
    struct ts_run good[] = {{5, 2}, {UINT32_MAX - 1, 1}};
    static const struct ts_run bad[][2] = {{{5, 2}, {6, 1}},
                                           {{5, 2}, {4, 1}},
                                           {{0, 1}, {UINT32_MAX, 1}},
                                           {{5, UINT64_MAX}, {7, 1}},
                                           {{1, 1}, {UINT64_MAX, 1}}};
    ok(ts_run_set_add(s, good, 2));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ts_run_set_add(s, bad[i], 2), -1);
        assert_int_equal(ts_run_set_remove(s, bad[i], 2), -1);
        assert_int_equal(ts_run_set_plan_add(s, bad[i], 2, &plan), -1);
    }
    ts_err_clear();
    assert_int_equal(ts_run_set_count(s), 3);
    assert_true(ts_run_set_contains(s, UINT32_MAX - 1));
    assert_int_equal(ts_run_set_rank(s, UINT32_MAX - 1), 2);
    ts_run_set_free(s);
}

/* Memory that is short at any moment leaves the members as they were. */
static void faults(void **state)
{
    (void)state;
    static struct ts_run runs[3001];
    for (unsigned long at = 1, done = 0; !done; at++) {
        uint32_t random = 5;
        struct model m;
        model_init(&m, 140000);
        for (unsigned i = 0; i < 40 && !done; i++) {
            size_t n = random_runs(&random, m.limit, 2, i % 2 ? 60 : 4, runs);
            bool add = i % 4 != 3;
            ts_alloc_fail_at(i == 20 ? at : 0, TS_FAULT_ONCE);
            int status = add ? ts_run_set_add(m.set, runs, n) : ts_run_set_remove(m.set, runs, n);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            const char *reason;
            assert_int_equal(ts_run_set_verify(m.set, &reason), 1);
            for (size_t k = 0; status == 0 && k < n; k++)
                memset(m.flags + runs[k].offset, add, runs[k].length);
            if (i == 20 && status == 0)
                done = at > 1;
            if (i == 20 || i == 39)
                for (uint32_t e = 0; e < m.limit; e++)
                    assert_int_equal(ts_run_set_contains(m.set, e), m.flags[e]);
        }
        ts_err_clear();
        model_deinit(&m);
        assert_true(at < 100);
    }
}

static int decode(const uint8_t *bytes, size_t size, unsigned rank, const hsize_t *dims, uint64_t most,
                  struct ts_run_set **out)
{
    struct ts_selection_section section = {bytes, size, rank, dims, most};
    uint32_t *order;
    size_t n;
    int status = ts_run_set_decode(&section, out, &order, &n);
    if (status == 0) {
        assert_null(order);
        assert_int_equal(n, ts_run_set_count(*out));
    }
    return status;
}

#define HEAD                                                                                                           \
    1, 0, 8, 36, 0, 0, 0, 2, 2, 1, 1, 4, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, \
        0, 0, 0, 0, 0

/* Sections written by hand from the tables; the checksum is added. */
static void known_bytes(void **state)
{
    (void)state;
    static const hsize_t dims[2] = {4, 6};
    static const uint8_t box[] = {HEAD, 2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 2, 0, 0, 0, 1,
                                  0,    1, 0, 1, 0, 2, 0, 2, 0, 1, 0, 1, 0, 3, 0};
    static const uint8_t points[] = {HEAD, 1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 0, 0, 5, 0, 3, 0, 1, 0};
    static const uint8_t blocks[] = {HEAD, 2, 0, 0, 0, 3, 0, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0,
                                     0,    0, 1, 0, 0, 0, 5, 0, 2, 0, 1, 0, 3, 0, 4, 0};
    static const uint8_t whole[] = {HEAD, 2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0,
                                    0,    1, 0, 1, 0, 4, 0, 0, 0, 1, 0, 1, 0, 6, 0};
    static const struct {
        const uint8_t *bytes;
        size_t size;
        struct ts_run runs[4];
        size_t n;
    } samples[] = {
        {box, sizeof box, {{8, 3}, {14, 3}}, 2},
        {points, sizeof points, {{5, 1}, {19, 1}}, 2},
        {blocks, sizeof blocks, {{1, 5}, {13, 4}, {19, 4}}, 3},
        {whole, sizeof whole, {{0, 24}}, 1},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct ts_run_set *s, *back;
        struct ts_wr w = {0};
        ok(ts_run_set_new(24, &s));
        ok(ts_run_set_add(s, samples[i].runs, samples[i].n));
        ok(ts_run_set_encode(s, 2, dims, &w));
        assert_int_equal(w.size, samples[i].size + 4);
        assert_memory_equal(w.data, samples[i].bytes, samples[i].size);
        ok(decode(w.data, w.size, 2, dims, 24, &back));
        same_sets(s, back);
        ts_run_set_free(back);
        /* Too few values, other dimensions, cut off, changed. */
        assert_int_equal(decode(w.data, w.size, 2, dims, ts_run_set_count(s) - 1, &back), -1);
        assert_int_equal(decode(w.data, w.size, 2, (hsize_t[]){6, 4}, 24, &back), -1);
        assert_int_equal(decode(w.data, w.size, 1, (hsize_t[]){24}, 24, &back), -1);
        for (size_t n = 1; n < w.size; n++)
            assert_int_equal(decode(w.data, n, 2, dims, 24, &back), -1);
        for (size_t k = 0; k < w.size; k++) {
            w.data[k] ^= 1;
            assert_int_equal(decode(w.data, w.size, 2, dims, 24, &back), -1);
            w.data[k] ^= 1;
        }
        ts_err_clear();
        ts_wr_free(&w);
        ts_run_set_free(s);
    }
}

/* Points of another writer in an order of their own. */
static void order_of_points(void **state)
{
    (void)state;
    static const hsize_t dims[2] = {4, 6};
    static const uint8_t points[] = {HEAD, 1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 4, 0,
                                     3,    0, 1, 0, 0, 0, 5, 0, 3, 0, 1, 0, 1, 0, 0, 0};
    struct ts_wr w = {0};
    ts_wr_bytes(&w, points, sizeof points);
    ts_wr_checksum(&w, 0);
    struct ts_selection_section section = {w.data, w.size, 2, dims, 4};
    struct ts_run_set *s;
    uint32_t *order;
    size_t n;
    ok(ts_run_set_decode(&section, &s, &order, &n));
    assert_int_equal(n, 4);
    assert_int_equal(ts_run_set_count(s), 3);
    static const uint32_t want[] = {2, 0, 2, 1};
    assert_memory_equal(order, want, sizeof want);
    ts_free(order);
    ts_run_set_free(s);
    section.most = 3;
    assert_int_equal(ts_run_set_decode(&section, &s, &order, &n), -1);
    section.most = 4;
    section.size = 0;
    ok(ts_run_set_decode(&section, &s, &order, &n));
    assert_int_equal(ts_run_set_count(s), 0);
    ts_run_set_free(s);
    ts_err_clear();
    ts_wr_free(&w);
}

/* Round trips, and the bytes are never more than either way of writing takes. */
static void sections(void **state)
{
    (void)state;
    static const struct {
        unsigned rank;
        hsize_t dims[4];
    } chunks[] = {{1, {30000}}, {2, {100, 300}}, {3, {17, 20, 31}}, {4, {3, 40, 5, 50}}, {2, {70000, 1}}};
    static struct ts_run runs[3001];
    uint32_t random = 31;
    for (unsigned i = 0; i < 150; i++) {
        unsigned rank = chunks[i % 5].rank;
        const hsize_t *dims = chunks[i % 5].dims;
        uint32_t limit = 1;
        for (unsigned d = 0; d < rank; d++)
            limit *= (uint32_t)dims[d];
        struct ts_run_set *s, *back;
        struct ts_space *space;
        const char *reason;
        struct ts_wr w = {0};
        ok(ts_run_set_new(limit, &s));
        ok(ts_run_set_encode(s, rank, dims, &w));
        assert_int_equal(w.size, 0);
        for (unsigned k = 0; k <= i % 4; k++) {
            static const uint32_t longest[] = {1, 4, 40, 4000}, widest[] = {100, 3, 30, 900};
            ok(ts_run_set_add(s, runs, random_runs(&random, limit, longest[i / 5 % 4], widest[i / 20 % 4], runs)));
        }
        if (ts_run_set_count(s) == 0) {
            ts_run_set_free(s);
            continue;
        }
        ok(ts_run_set_encode(s, rank, dims, &w));
        ok(decode(w.data, w.size, rank, dims, ts_run_set_count(s), &back));
        assert_int_equal(ts_run_set_verify(back, &reason), 1);
        same_sets(s, back);
        ok(ts_run_set_select(s, rank, dims, &space));
        assert_int_equal(ts_space_verify(space, &reason), 0);
        assert_int_equal(ts_space_selected(space), ts_run_set_count(s));
        struct ts_wr plain = {0};
        ok(ts_space_encode(space, 4, &plain));
        assert_true(w.size <= plain.size + 4);
        if (ts_space_sel_type(space) == H5S_SEL_HYPERSLABS &&
            w.data[w.size > 60 ? 11 + 16 * rank : 0] == H5S_SEL_HYPERSLABS)
            assert_int_equal(w.size, plain.size + 4);
        ts_wr_free(&plain);
        ts_wr_free(&w);
        ts_space_unref(space);
        ts_run_set_free(back);
        ts_run_set_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhaustive),      cmocka_unit_test(random_against_flags),
        cmocka_unit_test(matches),         cmocka_unit_test(refused),
        cmocka_unit_test(faults),          cmocka_unit_test(known_bytes),
        cmocka_unit_test(order_of_points), cmocka_unit_test(sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
