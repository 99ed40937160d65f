/* Sets of defined elements: all of a tiny domain, random ones against an array of flags, and their bytes. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "space/run_set.h"
#include "space/run_set_direct.h"
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

static bool contains(const struct ts_run_set *s, uint64_t element)
{
    return ts_run_set_rank(s, element + 1) > ts_run_set_rank(s, element);
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
    struct ts_run_shifts plan;
    ok(add ? ts_run_set_shifts_of_add(m->set, runs, n, &plan) : ts_run_set_shifts_of_remove(m->set, runs, n, &plan));
    ok(add ? ts_run_set_add(m->set, runs, n) : ts_run_set_remove(m->set, runs, n));
    for (size_t i = 1; i < plan.n; i++)
        assert_true(plan.items[i - 1].at + (add ? 0 : plan.items[i - 1].n) < plan.items[i].at);
    for (size_t i = 0; i < n; i++)
        memset(m->flags + runs[i].offset, add, runs[i].length);
    if (add)
        ts_run_shifts_open(&plan, m->values, sizeof *m->values, m->count);
    else
        ts_run_shifts_close(&plan, m->values, sizeof *m->values, m->count);
    m->count = add ? m->count + (uint32_t)plan.total : m->count - (uint32_t)plan.total;
    ts_run_shifts_deinit(&plan);
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

/* A copy is equal until it changes, and the one it was made of stays what it was. */
static void check_copies(const struct model *m)
{
    const char *reason;
    struct ts_run_set *copy, *shared = ts_run_set_ref(m->set);
    uint64_t count = ts_run_set_count(m->set), end = ts_run_set_end(m->set);
    struct ts_run last = {end > 0 ? end - 1 : 0, 1};
    ok(ts_run_set_copy(m->set, &copy));
    assert_true(ts_run_set_verify(copy, &reason));
    assert_true(ts_run_set_equal(copy, m->set) && ts_run_set_equal(m->set, copy));
    ok(ts_run_set_own(&shared));
    assert_ptr_not_equal(shared, m->set);
    ok(end > 0 ? ts_run_set_remove(shared, &last, 1) : ts_run_set_add(shared, &last, 1));
    assert_false(ts_run_set_equal(shared, m->set));
    assert_int_equal(ts_run_set_count(m->set), count);
    /* The other way round it may be of another form. */
    ok(end > 0 ? ts_run_set_add(shared, &last, 1) : ts_run_set_remove(shared, &last, 1));
    assert_true(ts_run_set_equal(shared, m->set));
    struct ts_run_set *same = shared;
    ok(ts_run_set_own(&shared));
    assert_ptr_equal(shared, same);
    ts_run_set_free(shared);
    ts_run_set_free(copy);
}

static void check_ranks(const struct model *m)
{
    struct ts_run_cursor near = {0}, far = {0};
    for (uint64_t at = 0; at <= m->limit; at += 1 + at % 7)
        assert_int_equal(ts_run_set_rank_next(m->set, &near, at), ts_run_set_rank(m->set, at));
    for (uint64_t at = 0; at <= m->limit; at += 1 + m->limit / 9)
        assert_int_equal(ts_run_set_rank_next(m->set, &far, at), ts_run_set_rank(m->set, at));
}

static void model_check(const struct model *m)
{
    const char *reason;
    check_copies(m);
    check_ranks(m);
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
    uint32_t end = m->limit;
    while (end > 0 && !m->flags[end - 1])
        end--;
    assert_int_equal(ts_run_set_end(m->set), end);
    while (at < m->limit)
        assert_int_equal(m->flags[at++], 0);
    for (uint32_t e = 0; e < m->limit; e += m->limit < 100 || e % 64 == 0 ? 1 : 3) {
        while (rank < m->count && m->values[rank] < e)
            rank++;
        assert_int_equal(contains(m->set, e), m->flags[e]);
        assert_int_equal(ts_run_set_rank(m->set, e), rank);
    }
    for (uint32_t i = 0; i < m->count; i++)
        assert_true(m->flags[m->values[i]] && (i == 0 || m->values[i] > m->values[i - 1]));
    assert_false(contains(m->set, m->limit));
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
    size_t bytes = ts_run_set_bytes(m.set);
    struct ts_run all = {0, limit};
    model_change(&m, &all, 1, false);
    model_check(&m);
    assert_true(ts_run_set_bytes(m.set) <= bytes);
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

static void verify(const struct ts_run_set *s)
{
    const char *reason;
    if (!ts_run_set_verify(s, &reason))
        fail_msg("%s", reason);
}

/* Runs behind the end in portions of any size, against the same runs added in one go, and through a builder. */
static void appended(uint32_t limit, uint32_t longest, uint32_t widest, uint32_t seed)
{
    uint32_t random = seed;
    struct ts_run *runs = malloc((size_t)limit * sizeof *runs);
    for (unsigned round = 0; round < 6; round++) {
        struct ts_run_set *all, *parts, *built;
        static struct ts_run_builder b;
        size_t n = 0, most = 1 + draw(&random) % (round % 3 ? 700 : 5);
        for (uint32_t at = draw(&random) % widest; at < limit;) {
            uint32_t length = draw(&random) % 30 == 0 ? 0 : 1 + draw(&random) % longest;
            runs[n++] = (struct ts_run){at, length < limit - at ? length : limit - at};
            at += length + draw(&random) % widest + (widest == 1);
        }
        ok(ts_run_set_new(limit, &all));
        ok(ts_run_set_new(limit, &parts));
        ok(ts_run_set_add(all, runs, n));
        ok(ts_run_builder_init(&b, limit));
        for (size_t i = 0, k; i < n; i += k) {
            k = draw(&random) % (most + 1) < n - i ? draw(&random) % (most + 1) : n - i;
            k = k < n - i ? k : n - i;
            ok(draw(&random) % 2 ? ts_run_set_append(parts, runs + i, k) : ts_run_set_add(parts, runs + i, k));
            for (size_t j = i; j < i + k; j++)
                if (runs[j].length > 0)
                    assert_int_equal(ts_run_builder_add(&b, runs[j].offset, runs[j].offset + runs[j].length), 1);
            if (draw(&random) % 8 == 0)
                verify(parts);
        }
        assert_int_equal(ts_run_builder_add(&b, limit, limit + 1), 0);
        uint64_t end = ts_run_set_end(all);
        assert_int_equal(ts_run_builder_add(&b, end - 1, end), 0);
        ok(ts_run_builder_finish(&b, &built));
        ts_run_builder_deinit(&b);
        verify(all);
        verify(parts);
        verify(built);
        same_sets(all, parts);
        same_sets(all, built);
        assert_int_equal(ts_run_set_count(all), ts_run_set_count(built));
        assert_int_equal(ts_run_set_append(parts, &(struct ts_run){end - 1, 1}, 1), -1);
        assert_int_equal(ts_run_set_append(parts, &(struct ts_run){limit, 1}, 1), -1);
        assert_int_equal(ts_run_set_append(parts, (struct ts_run[]){{limit, 0}, {limit - 1, 1}}, 2), -1);
        ts_err_clear();
        same_sets(all, parts);
        ts_run_set_free(all);
        ts_run_set_free(parts);
        ts_run_set_free(built);
    }
    free(runs);
}

static void appends(void **state)
{
    (void)state;
    appended(1, 1, 1, 3);
    appended(100, 3, 9, 5);
    appended(65536, 1, 8, 7);
    appended(200000, 1, 200, 11);
    appended(200001, 1, 21, 13);
    appended(300000, 900, 900, 17);
    appended(300000, 100000, 90000, 19);
}

/* All runs from anywhere on, in portions of any size. */
static void walks(void **state)
{
    (void)state;
    static struct ts_run runs[3001], got[70];
    uint32_t random = 77;
    struct model m;
    model_init(&m, 200000);
    for (unsigned i = 0; i < 60; i++) {
        model_change(&m, runs, random_runs(&random, m.limit, i % 5 ? 2 : 70000, i % 3 ? 20 : 900, runs), i % 7 < 5);
        for (unsigned k = 0; k < 20; k++) {
            uint32_t at = draw(&random) % m.limit;
            struct ts_run_cursor c = {.at = at};
            size_t n, max = 1 + draw(&random) % 70, left = 3;
            while (left-- > 0 && (n = ts_run_set_next(m.set, &c, got, max)) > 0)
                for (size_t j = 0; j < n; j++) {
                    while (at < got[j].offset)
                        assert_int_equal(m.flags[at++], 0);
                    assert_int_equal(at, got[j].offset);
                    while (at < got[j].offset + got[j].length)
                        assert_int_equal(m.flags[at++], 1);
                    assert_true(at == m.limit || !m.flags[at]);
                }
        }
    }
    model_deinit(&m);
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
    struct ts_run_shifts plan;
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
        assert_int_equal(ts_run_set_shifts_of_add(s, bad[i], 2, &plan), -1);
    }
    ts_err_clear();
    assert_int_equal(ts_run_set_count(s), 3);
    assert_true(contains(s, UINT32_MAX - 1));
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
                    assert_int_equal(contains(m.set, e), m.flags[e]);
        }
        ts_err_clear();
        model_deinit(&m);
        assert_true(at < 100);
    }
}

static int decode(const uint8_t *bytes, size_t size, unsigned rank, const hsize_t *dims, uint64_t most,
                  struct ts_run_set **out)
{
    struct ts_selection_section section = {bytes, size, rank, dims, most, false};
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
    struct ts_selection_section section = {w.data, w.size, 2, dims, 4, false};
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
        ok(ts_space_encode(space, 4, &plain)); /* an extent of version 1, which takes as many bytes more as the checksum */
        assert_true(w.size <= plain.size);
        if (ts_space_sel_type(space) == H5S_SEL_HYPERSLABS &&
            w.data[w.size > 60 ? 11 + 16 * rank : 0] == H5S_SEL_HYPERSLABS)
            assert_int_equal(w.size, plain.size);
        ts_wr_free(&plain);
        ts_wr_free(&w);
        ts_space_unref(space);
        ts_run_set_free(back);
        ts_run_set_free(s);
    }
}

/* The bytes as the selection gives them. */
static void encode_by_selection(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_wr *w)
{
    struct ts_space *space;
    ok(ts_run_set_select(s, rank, dims, &space));
    ok(ts_space_encode_smallest(space, w));
    ts_wr_checksum(w, 0);
    ts_space_unref(space);
}

/* Elements of which neighbouring rows and planes are alike, more or less. */
static void alike(struct ts_run_set *s, unsigned rank, const hsize_t *dims, uint32_t *random, uint32_t one_in)
{
    hsize_t row = dims[rank - 1], plane = rank > 1 ? row * dims[rank - 2] : row, limit = ts_run_set_limit(s);
    uint8_t *flags = calloc(limit, 1);
    uint32_t rare = 1 + draw(random) % 40, copied = draw(random) % 4, wide = 1 + draw(random) % 2;
    for (hsize_t at = 0; at < limit; at++) {
        hsize_t back = copied == 1 ? plane : row;
        flags[at] = draw(random) % one_in == 0;
        if (copied > 0 && at >= back && draw(random) % rare != 0)
            flags[at] = flags[at - back];
        if (wide == 2 && at > 0 && at % 2)
            flags[at] = flags[at - 1];
    }
    for (hsize_t at = 0; at < limit; at++)
        if (flags[at])
            ok(ts_run_set_append(s, &(struct ts_run){at, 1}, 1));
    free(flags);
}

/* Straight from the set to bytes is what the selection would give, whatever way it takes. */
static void same_bytes(void **state)
{
    (void)state;
    static const struct {
        unsigned rank;
        hsize_t dims[4];
    } chunks[] = {{1, {30000}}, {2, {100, 300}},  {3, {17, 20, 31}}, {4, {3, 40, 5, 50}}, {2, {70000, 1}},
                  {1, {70000}}, {2, {2, 70000}},  {2, {40000, 2}},   {3, {1, 1, 9}},      {4, {1, 300, 1, 40}},
                  {2, {4, 6}},  {2, {330, 400}},  {3, {9, 1, 70}},   {5, {2, 3, 4, 5}}};
    uint32_t random = 4711;
    unsigned straight = 0, many = 0;
    for (unsigned i = 0; i < 14 * 12; i++) {
        unsigned rank = chunks[i % 14].rank;
        hsize_t dims[5] = {0}, limit = 1;
        for (unsigned d = 0; d < rank; d++)
            limit *= dims[d] = d < 4 ? chunks[i % 14].dims[d] : 7;
        struct ts_run_set *s, *back;
        struct ts_wr w = {0}, want = {0}, points = {0};
        static const uint32_t one_in[] = {2, 3, 7, 30, 200, 3};
        ok(ts_run_set_new(limit, &s));
        if (i / 14 % 6 == 5) { /* regular, but for one of them */
            for (hsize_t at = draw(&random) % 5; at < limit; at += 3)
                ok(ts_run_set_append(s, &(struct ts_run){at, 1}, 1));
            if (i % 2)
                ok(ts_run_set_remove(s, &(struct ts_run){draw(&random) % limit, 1}, 1));
        } else {
            alike(s, rank, dims, &random, one_in[i / 14 % 6]);
        }
        if (ts_run_set_count(s) > 0) {
            encode_by_selection(s, rank, dims, &want);
            ok(ts_run_set_encode(s, rank, dims, &w));
            assert_int_equal(w.size, want.size);
            assert_memory_equal(w.data, want.data, w.size);
            ok(decode(w.data, w.size, rank, dims, ts_run_set_count(s), &back));
            verify(back);
            same_sets(s, back);
            ts_run_set_free(back);
            bool is_points = w.data[11 + 16 * rank] == H5S_SEL_POINTS;
            int direct = ts_run_set_encode_points(s, rank, dims, &points);
            assert_true(direct == 0 || (direct == 1 && is_points));
            straight += (unsigned)direct;
            many += is_points;
        }
        ts_wr_free(&w);
        ts_wr_free(&want);
        ts_wr_free(&points);
        ts_run_set_free(s);
    }
    print_message("%u of %u lists of points without a selection\n", straight, many);
    assert_true(many > 40 && straight > many / 2);
}

/* What a section says, element by element; false when it must be refused. */
static bool read_naively(const struct ts_selection_section *in, uint8_t *flags, uint64_t *n, bool *ordered)
{
    struct ts_space *space;
    struct ts_runs it;
    struct ts_run run;
    size_t used, size = in->size - 4;
    if (ts_space_decode(in->bytes, size, &used, &space) < 0)
        return false;
    bool good = used == size && ts_space_rank(space) == in->rank && ts_space_unlim_dim(space) < 0;
    for (unsigned d = 0; good && d < in->rank; d++)
        good = ts_space_dims(space)[d] == in->dims[d];
    good = good && ts_space_valid(space) && ts_space_selected(space) <= in->most && ts_runs_init(&it, space) == 0;
    if (good) {
        uint64_t next = 0;
        *n = 0;
        *ordered = true;
        while (ts_runs_next(&it, &run, 1, UINT64_MAX) == 1) {
            *ordered = *ordered && run.offset >= next;
            next = run.offset + run.length;
            memset(flags + run.offset, 1, run.length);
            *n += run.length;
        }
        ts_runs_deinit(&it);
    }
    ts_space_unref(space);
    return good;
}

static void compare_naively(const struct ts_selection_section *in)
{
    static uint8_t flags[5000];
    uint64_t limit = 1, n = 0, at = 0;
    bool ordered = false;
    struct ts_run_set *s = NULL;
    struct ts_run_cursor c = {0};
    struct ts_run run;
    uint32_t *order = NULL;
    size_t stored;
    for (unsigned d = 0; d < in->rank; d++)
        limit *= in->dims[d];
    memset(flags, 0, limit);
    bool good = read_naively(in, flags, &n, &ordered);
    assert_int_equal(ts_run_set_decode(in, &s, &order, &stored), good ? 0 : -1);
    ts_err_clear();
    if (!good)
        return;
    verify(s);
    assert_int_equal(stored, n);
    assert_int_equal(order == NULL, ordered);
    while (ts_run_set_next(s, &c, &run, 1) == 1) {
        while (at < run.offset)
            assert_int_equal(flags[at++], 0);
        while (at < run.offset + run.length)
            assert_int_equal(flags[at++], 1);
    }
    while (at < limit)
        assert_int_equal(flags[at++], 0);
    ts_free(order);
    ts_run_set_free(s);
}

/* Lists of other writers: any width, with and without maximum sizes, blocks of one row or several; then with numbers
 * that are wrong, repeated or out of order. Whichever way such a section takes, it says the same. */
static void lists(void **state)
{
    (void)state;
    static const struct {
        unsigned rank;
        hsize_t dims[3];
    } chunks[] = {{1, {500}}, {2, {40, 60}}, {3, {5, 9, 70}}, {2, {300, 1}}, {3, {20, 1, 200}}};
    uint32_t random = 99;
    for (unsigned i = 0; i < 240; i++) {
        unsigned rank = chunks[i % 5].rank, width = 2u << i / 5 % 3;
        const hsize_t *dims = chunks[i % 5].dims;
        bool blocks = i / 15 % 2, max = i / 30 % 2;
        uint64_t at = draw(&random) % 20, limit = 1, n = 0, elements = 0;
        for (unsigned d = 0; d < rank; d++)
            limit *= dims[d];
        struct ts_wr w = {0};
        ts_wr_uint(&w, 1 | 8 << 16, 3);
        ts_wr_u32(&w, 4 + 8 * rank * (1 + max));
        ts_wr_u32(&w, 2 | rank << 8 | (uint32_t)max << 16 | 1 << 24);
        for (unsigned d = 0; d < rank * (1 + max); d++)
            ts_wr_u64(&w, dims[d % rank]);
        ts_wr_u32(&w, blocks ? 2 : 1);
        ts_wr_u32(&w, blocks ? 3 : 2);
        if (blocks)
            ts_wr_u8(&w, 0);
        ts_wr_u8(&w, (uint8_t)width);
        ts_wr_u32(&w, rank);
        size_t count_at = w.size;
        ts_wr_uint(&w, 0, width);
        size_t numbers = w.size;
        while (at < limit) {
            hsize_t corner[3], left = at, row = dims[rank - 1];
            uint64_t length = 1 + draw(&random) % 3, rows = draw(&random) % 200 == 0 ? 2 : 1;
            for (unsigned d = rank; d-- > 0; left /= dims[d])
                corner[d] = left % dims[d];
            length = !blocks ? 1 : length < row - corner[rank - 1] ? length : row - corner[rank - 1];
            rows = blocks && rank > 1 && corner[rank - 2] + 1 < dims[rank - 2] ? rows : 1;
            for (unsigned k = 0; k < (blocks ? 2 : 1) * rank; k++) {
                unsigned d = k % rank;
                hsize_t more = k < rank ? 0 : d + 1 == rank ? length - 1 : d + 2 == rank ? rows - 1 : 0;
                ts_wr_uint(&w, corner[d] + more, width);
            }
            elements += length * rows;
            n++;
            at += length + (rows - 1) * row + draw(&random) % (i % 4 ? 30 : 2) + (blocks && i % 8 > 3);
        }
        memcpy(w.data + count_at, &n, width);
        ts_wr_checksum(&w, 0);
        struct ts_selection_section in = {w.data, w.size, rank, dims, elements, i % 2};
        compare_naively(&in);
        in.most--;
        compare_naively(&in);
        in.most++;
        in.summed = true;
        size_t size = w.size - 4, in_list = size - numbers;
        for (unsigned k = 0; k < 24; k++) {
            size_t byte = k % 3 == 0 ? draw(&random) % size : numbers + draw(&random) % in_list;
            uint8_t was = w.data[byte];
            w.data[byte] = (uint8_t)(k % 2 ? draw(&random) : (uint32_t)(was + 1));
            compare_naively(&in);
            w.data[byte] = was;
        }
        in.summed = false;
        w.data[numbers] ^= 1;
        struct ts_run_set *s;
        assert_int_equal(decode(in.bytes, in.size, rank, dims, elements, &s), -1);
        ts_err_clear();
        ts_wr_free(&w);
    }
}

/* Encoding, decoding and appending with each allocation failing in turn. */
static void code_faults(void **state)
{
    (void)state;
    static const hsize_t dims[2] = {500, 400};
    for (unsigned kind = 0; kind < 3; kind++) {
        struct ts_run_set *s, *back, *copy;
        struct ts_wr w = {0};
        ok(ts_run_set_new(200000, &s));
        for (uint32_t at = 3; at < 200000; at += kind == 1 ? 7 + at % 5 : 40 + at % 300)
            ok(ts_run_set_append(s, &(struct ts_run){at, kind == 2 ? 5 : 1}, 1));
        unsigned failed = 0;
        for (unsigned long at = 1;; at++) {
            ts_alloc_fail_at(at, TS_FAULT_ONCE);
            int status = ts_run_set_encode(s, 2, dims, &w);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            if (status == 0)
                break;
            failed++;
            ts_wr_free(&w);
        }
        for (unsigned long at = 1;; at++) {
            ts_alloc_fail_at(at, TS_FAULT_ONCE);
            int status = decode(w.data, w.size, 2, dims, 200000, &back);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            if (status == 0)
                break;
            failed++;
        }
        same_sets(s, back);
        static struct ts_run runs[200000];
        struct ts_run_cursor c = {0};
        size_t n = ts_run_set_next(s, &c, runs, 200000);
        ok(ts_run_set_new(200000, &copy));
        ok(ts_run_set_append(copy, runs, 5));
        for (unsigned long at = 1;; at++) {
            ts_alloc_fail_at(at, TS_FAULT_ONCE);
            int status = ts_run_set_append(copy, runs + 5, n - 5);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            verify(copy);
            if (status == 0)
                break;
            assert_int_equal(ts_run_set_end(copy), runs[4].offset + runs[4].length);
            assert_int_equal(ts_run_set_count(copy), 5 * (kind == 2 ? 5 : 1));
            failed++;
        }
        same_sets(s, copy);
        assert_true(failed >= 8);
        ts_err_clear();
        ts_wr_free(&w);
        ts_run_set_free(s);
        ts_run_set_free(back);
        ts_run_set_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhaustive),      cmocka_unit_test(random_against_flags),
        cmocka_unit_test(matches),         cmocka_unit_test(refused),
        cmocka_unit_test(faults),          cmocka_unit_test(known_bytes),
        cmocka_unit_test(order_of_points), cmocka_unit_test(sections),
        cmocka_unit_test(appends),         cmocka_unit_test(walks),
        cmocka_unit_test(same_bytes),      cmocka_unit_test(lists),
        cmocka_unit_test(code_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
