/* Every operation of the shared chunk cache, through layouts of the tests, against arrays in memory: at random, in all
 * combinations of a tiny domain, and with every callback, allocation, read and write failing in turn. */
#include "unit/cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/chunks.h"
#include "file/mutation.h"
#include "support/faulty.h"
#include "unit/chunk/toy.h"

enum { MOST = 1024, FILL = 7777 };

/* The dataset and what it must hold. Values are between 1 and 20000; they are stored as 16 bits, high byte first. */
struct world {
    struct toy_file file;
    struct toy toy;
    unsigned rank;
    hsize_t dims[TOY_MAX_RANK], most[TOY_MAX_RANK];
    int values[MOST];
    bool defined[MOST];
    uint64_t seed;
    bool convert;
    bool cached, packed; /* no transfer goes around the cache; memory is one run */
    bool settle; /* failures are possible: of the n-th thing of this kind in each operation */
    unsigned fail_kind;
    unsigned long fail_n, made; /* made: how many such things the last operation did */
    unsigned failures;
};

enum { FAIL_CALL, FAIL_CALLS_FROM, FAIL_ALLOC, FAIL_ALLOCS_FROM, FAIL_IO };

static void arm(const struct world *w)
{
    if (!w->settle)
        return;
    if (w->fail_kind <= FAIL_CALLS_FROM)
        toy_fail_at(w->fail_n, w->fail_kind == FAIL_CALL, 0);
    else if (w->fail_kind <= FAIL_ALLOCS_FROM)
        ts_alloc_fail_at(w->fail_n, w->fail_kind == FAIL_ALLOC ? TS_FAULT_ONCE : TS_FAULT_FROM);
    else
        faulty_fail_at(w->fail_n, FAULTY_READ | FAULTY_WRITE, FAULTY_EIO, true);
}

static int disarm(struct world *w, int status)
{
    if (!w->settle)
        return status;
    if (w->fail_kind <= FAIL_CALLS_FROM)
        w->made = toy_fail_at(0, false, 0);
    else if (w->fail_kind <= FAIL_ALLOCS_FROM)
        w->made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
    else
        w->made = faulty_fail_at(0, FAULTY_READ | FAULTY_WRITE, FAULTY_EIO, true);
    return status;
}

/* Around the call that may fail. */
#define TRY(w, call) (arm(w), disarm((w), (call)))

static unsigned below(struct world *w, unsigned n)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((w->seed >> 33) % n);
}

static void show_errors(void)
{
    struct ts_err_stack *stack = ts_err_current();
    for (unsigned i = 0; i < stack->depth; i++)
        print_error("%s: %s\n", stack->rec[i].func, stack->rec[i].text);
}

/* What the operation may do when something was made to fail; everything else must go well. */
static bool fine(struct world *w, int status)
{
    if (status >= 0)
        return true;
    if (!w->settle)
        show_errors();
    assert_true(w->settle);
    assert_true(ts_err_current()->depth > 0);
    ts_err_clear();
    w->failures++;
    return false;
}

static size_t extent(const struct world *w)
{
    size_t n = 1;
    for (unsigned d = 0; d < w->rank; d++)
        n *= (size_t)w->dims[d];
    return n;
}

static void world_open(struct world *w, const struct toy_options *o, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->rank = o->rank;
    memcpy(w->dims, o->dims, sizeof w->dims);
    toy_file_open(&w->file);
    toy_open(&w->toy, &w->file, o);
    for (size_t i = 0; i < MOST; i++)
        w->values[i] = FILL;
}

static void world_close(struct world *w)
{
    toy_close(&w->toy);
    toy_file_close(&w->file);
}

/* The elements of a selection in its order. */
static size_t list(const struct ts_space *s, size_t *out)
{
    struct ts_runs runs;
    struct ts_run run;
    size_t n = 0;
    assert_int_equal(ts_runs_init(&runs, s), 0);
    while (ts_runs_next(&runs, &run, 1, 1 << 20) > 0)
        for (hsize_t i = 0; i < run.length; i++) {
            assert_true(n < 4 * MOST);
            out[n++] = (size_t)(run.offset + i);
        }
    ts_runs_deinit(&runs);
    return n;
}

static struct ts_space *whole(struct world *w)
{
    struct ts_space *s;
    assert_int_equal(ts_space_new_simple(w->rank, w->dims, NULL, &s), 0);
    return s;
}

static void random_slab(struct world *w, struct ts_space *s, H5S_seloper_t op)
{
    hsize_t start[TOY_MAX_RANK], stride[TOY_MAX_RANK], count[TOY_MAX_RANK], block[TOY_MAX_RANK];
    for (unsigned d = 0; d < w->rank; d++) {
        unsigned n = (unsigned)w->dims[d];
        start[d] = below(w, n);
        block[d] = 1 + below(w, below(w, 2) ? 2 : n - (unsigned)start[d]);
        if (block[d] > n - start[d])
            block[d] = n - start[d];
        stride[d] = block[d] + below(w, 3);
        count[d] = 1 + below(w, (unsigned)((n - start[d] - block[d]) / stride[d]) + 1);
    }
    assert_int_equal(ts_space_select_hyperslab(s, op, start, stride, count, block), 0);
}

static struct ts_space *random_space(struct world *w, bool twice)
{
    struct ts_space *s = whole(w);
    unsigned kind = below(w, 8);
    if (extent(w) == 0 || kind == 0)
        return s;
    if (kind < 5)
        random_slab(w, s, H5S_SELECT_SET);
    else if (kind < 6) {
        random_slab(w, s, H5S_SELECT_SET);
        random_slab(w, s, H5S_SELECT_OR);
        random_slab(w, s, H5S_SELECT_XOR);
    } else {
        hsize_t coords[20 * TOY_MAX_RANK];
        bool used[MOST] = {false};
        size_t n = 0, tries = 1 + below(w, 20);
        while (tries-- > 0) {
            size_t at = 0;
            for (unsigned d = 0; d < w->rank; d++) {
                coords[n * w->rank + d] = below(w, (unsigned)w->dims[d]);
                at = at * (size_t)w->dims[d] + (size_t)coords[n * w->rank + d];
            }
            n += twice || !used[at];
            used[at] = true;
        }
        assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, n, coords), 0);
    }
    return s;
}

/* As many elements as the file's selection; NULL: one after the other. */
static struct ts_space *random_memory(struct world *w, const struct ts_space *file)
{
    struct ts_space *s;
    hsize_t n = ts_space_selected(file), stride = 2, start = below(w, 5), dims = n * 2 + 5;
    if (n == 0 || w->packed || below(w, 2))
        return NULL;
    assert_int_equal(ts_space_new_simple(1, &dims, NULL, &s), 0);
    assert_int_equal(ts_space_select_hyperslab(s, H5S_SELECT_SET, &start, &stride, &n, NULL), 0);
    return s;
}

static void put(const struct world *w, void *buf, size_t i, int value)
{
    if (w->convert) {
        ((int *)buf)[i] = value;
        return;
    }
    ((uint8_t *)buf)[2 * i] = (uint8_t)(value >> 8);
    ((uint8_t *)buf)[2 * i + 1] = (uint8_t)value;
}

static int get(const struct world *w, const void *buf, size_t i)
{
    const uint8_t *b = buf;
    return w->convert ? ((const int *)buf)[i] : b[2 * i] << 8 | b[2 * i + 1];
}

static bool do_read(struct world *w, const struct ts_space *s, const struct ts_space *mem, int *out)
{
    static size_t at[4 * MOST], place[4 * MOST];
    static int buf[8 * MOST];
    struct toy_part p = {.toy = &w->toy, .file = s, .mem = mem, .buf = buf, .convert = w->convert,
                         .bypass = !w->cached && below(w, 4) == 0, .serial = below(w, 4) == 0};
    memset(buf, 0xee, sizeof buf);
    if (!fine(w, TRY(w, toy_transfer(&p, 1, false))))
        return false;
    size_t n = list(s, at);
    if (mem)
        list(mem, place);
    for (size_t i = 0; i < n; i++)
        out[i] = get(w, buf, mem ? place[i] : i);
    return true;
}

static void check_read(struct world *w, const struct ts_space *s)
{
    static size_t at[4 * MOST];
    static int got[4 * MOST];
    struct ts_space *mem = random_memory(w, s);
    if (do_read(w, s, mem, got)) {
        size_t n = list(s, at);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(got[i], w->values[at[i]]);
    }
    ts_space_unref(mem);
}

static void check_all(struct world *w)
{
    struct ts_space *s = whole(w);
    check_read(w, s);
    ts_space_unref(s);
}

static void check_defined(struct world *w, const struct ts_space *s)
{
    static size_t at[4 * MOST], got[4 * MOST];
    struct ts_space *out;
    size_t n = list(s, at), n_want = 0;
    if (w->toy.o.kind != TOY_SPARSE || !fine(w, TRY(w, toy_get_defined(&w->toy, s, &out))))
        return;
    size_t n_got = list(out, got);
    for (size_t i = 0; i < n; i++)
        if (w->defined[at[i]]) {
            assert_true(n_want < n_got);
            assert_int_equal(got[n_want], at[i]);
            n_want++;
        }
    assert_int_equal(n_got, n_want);
    ts_space_unref(out);
}

/* An operation on those elements failed: each is old or new, and everything else as before. What is there is what must
 * stay from now on. */
static void settle(struct world *w, const size_t *at, size_t n, const int *new_values, bool erased)
{
    static bool touched[MOST];
    static int got[4 * MOST];
    static size_t defined[4 * MOST];
    struct ts_space *s = whole(w), *out;
    memset(touched, 0, sizeof touched);
    w->settle = false;
    assert_true(do_read(w, s, NULL, got));
    for (size_t i = 0; i < n; i++) {
        touched[at[i]] = true;
        int new_value = erased ? FILL : new_values[i];
        if (got[at[i]] != w->values[at[i]] && got[at[i]] != new_value)
            print_error("element %zu is %d, neither %d nor %d\n", at[i], got[at[i]], w->values[at[i]], new_value);
        assert_true(got[at[i]] == w->values[at[i]] || got[at[i]] == new_value);
        w->values[at[i]] = got[at[i]];
    }
    for (size_t i = 0; i < extent(w); i++)
        if (!touched[i])
            assert_int_equal(got[i], w->values[i]);
    if (w->toy.o.kind == TOY_SPARSE) {
        assert_int_equal(toy_get_defined(&w->toy, s, &out), 0);
        size_t n_defined = list(out, defined);
        static bool is[MOST];
        memset(is, 0, sizeof is);
        for (size_t i = 0; i < n_defined; i++)
            is[defined[i]] = true;
        for (size_t i = 0; i < extent(w); i++) {
            assert_true(touched[i] || is[i] == w->defined[i]);
            w->defined[i] = is[i];
        }
        ts_space_unref(out);
    }
    ts_space_unref(s);
}

static void do_write(struct world *w, const struct ts_space *s)
{
    static size_t at[4 * MOST], place[4 * MOST];
    static int buf[8 * MOST], new_values[4 * MOST];
    struct ts_space *mem = random_memory(w, s);
    struct toy_part p = {.toy = &w->toy, .file = s, .mem = mem, .buf = buf, .convert = w->convert,
                         .bypass = !w->cached && below(w, 4) == 0, .serial = below(w, 4) == 0};
    size_t n = list(s, at);
    int same = below(w, 2) ? 0 : 1 + (int)below(w, 20000);
    if (mem)
        list(mem, place);
    for (size_t i = 0; i < n; i++) {
        new_values[i] = same ? same : 1 + (int)below(w, 20000);
        put(w, buf, mem ? place[i] : i, new_values[i]);
    }
    if (!fine(w, TRY(w, toy_transfer(&p, 1, true))))
        settle(w, at, n, new_values, false);
    else
        for (size_t i = 0; i < n; i++) {
            w->values[at[i]] = new_values[i];
            w->defined[at[i]] = true;
        }
    ts_space_unref(mem);
}

static void do_erase(struct world *w, const struct ts_space *s)
{
    static size_t at[4 * MOST];
    size_t n = list(s, at);
    if (w->toy.o.kind != TOY_SPARSE)
        return;
    if (!fine(w, TRY(w, toy_erase(&w->toy, s)))) {
        settle(w, at, n, NULL, true);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        w->values[at[i]] = FILL;
        w->defined[at[i]] = false;
    }
}

static size_t moved(const struct world *w, size_t i, const hsize_t *dims)
{
    size_t to = 0, step = 1;
    for (unsigned d = w->rank; d-- > 0;) {
        hsize_t at = i % w->dims[d];
        i /= (size_t)w->dims[d];
        if (at >= dims[d])
            return SIZE_MAX;
        to += (size_t)at * step;
        step *= (size_t)dims[d];
    }
    return to;
}

static void do_extent(struct world *w, const hsize_t *dims)
{
    static int values[MOST];
    static bool defined[MOST];
    if (!fine(w, TRY(w, toy_set_extent(&w->toy, dims)))) {
        /* Of what would have been cut off, some may be gone. */
        static size_t at[MOST];
        size_t n = 0;
        for (size_t i = 0; i < extent(w); i++)
            if (moved(w, i, dims) == SIZE_MAX)
                at[n++] = i;
        assert_memory_equal(w->toy.sc.dims, w->dims, w->rank * sizeof *dims);
        settle(w, at, n, NULL, true);
        return;
    }
    for (size_t i = 0; i < MOST; i++) {
        values[i] = FILL;
        defined[i] = false;
    }
    for (size_t i = 0; i < extent(w); i++) {
        size_t to = moved(w, i, dims);
        if (to == SIZE_MAX)
            continue;
        values[to] = w->values[i];
        defined[to] = w->defined[i];
    }
    memcpy(w->values, values, sizeof values);
    memcpy(w->defined, defined, sizeof defined);
    memcpy(w->dims, dims, w->rank * sizeof *dims);
}

static void random_extent(struct world *w)
{
    hsize_t dims[TOY_MAX_RANK];
    for (unsigned d = 0; d < w->rank; d++)
        dims[d] = below(w, 2) ? w->dims[d] : below(w, 12) == 0 ? 0 : 1 + below(w, (unsigned)w->most[d]);
    do_extent(w, dims);
}

static void check_file(struct world *w)
{
    static uint8_t bytes[2 * MOST];
    static bool defined[MOST];
    bool convert = w->convert;
    toy_on_file(&w->toy, bytes, defined);
    w->convert = false;
    for (size_t i = 0; i < extent(w); i++) {
        assert_int_equal(get(w, bytes, i), w->values[i]);
        assert_true(w->toy.o.kind != TOY_SPARSE || defined[i] == w->defined[i]);
    }
    w->convert = convert;
}

static void do_flush(struct world *w)
{
    unsigned how = below(w, 3);
    int status = TRY(w, how == 2 ? toy_flush_all(&w->file, &w->toy) : toy_flush(&w->toy, how == 1));
    if (fine(w, status) && !w->settle)
        check_file(w);
}

/* Where element i of a chunk is in the extent, or SIZE_MAX. */
static size_t in_extent(const struct world *w, const hsize_t *scaled, size_t i)
{
    size_t to = 0, step = 1;
    for (unsigned d = w->rank; d-- > 0;) {
        hsize_t at = scaled[d] * w->toy.o.chunk[d] + i % (size_t)w->toy.o.chunk[d];
        i /= (size_t)w->toy.o.chunk[d];
        if (at >= w->dims[d])
            return SIZE_MAX;
        to += (size_t)at * step;
        step *= (size_t)w->dims[d];
    }
    return to;
}

static void do_direct(struct world *w, bool write)
{
    static uint8_t array[2 * MOST];
    static bool defined[MOST];
    hsize_t scaled[TOY_MAX_RANK];
    size_t n = w->toy.chunk_elements;
    bool convert = w->convert;
    if (extent(w) == 0)
        return;
    for (unsigned d = 0; d < w->rank; d++)
        scaled[d] = below(w, (unsigned)w->dims[d]) / w->toy.o.chunk[d];
    w->convert = false;
    if (write) {
        for (size_t i = 0; i < n; i++) {
            bool in = in_extent(w, scaled, i) != SIZE_MAX;
            defined[i] = in && below(w, 3) > 0;
            put(w, array, i, in ? 1 + (int)below(w, 20000) : FILL);
        }
        assert_true(fine(w, toy_direct_write(&w->toy, scaled, array, defined)));
    } else {
        int found = toy_direct_read(&w->toy, scaled, array, defined);
        assert_true(found >= 0);
        for (size_t i = 0; i < n && found == 0; i++) {
            put(w, array, i, FILL);
            defined[i] = false;
        }
    }
    bool sparse = w->toy.o.kind == TOY_SPARSE;
    for (size_t i = 0; i < n; i++) {
        size_t at = in_extent(w, scaled, i);
        int value = sparse && !defined[i] ? FILL : get(w, array, i);
        if (at == SIZE_MAX)
            continue;
        if (!write) {
            assert_int_equal(value, w->values[at]);
            assert_true(!sparse || defined[i] == w->defined[at]);
        }
        w->values[at] = value;
        w->defined[at] = defined[i];
    }
    w->convert = convert;
}

static H5F_chunk_cache_stats_t stats_of(struct world *w)
{
    H5F_chunk_cache_stats_t stats;
    assert_int_equal(ts_sc_stats(w->file.f, &stats), 0);
    return stats;
}

static void verify(struct world *w)
{
    const char *reason = NULL;
    if (!ts_sc_verify(w->toy.sc.cache, &reason))
        fail_msg("%s", reason);
}

static void step(struct world *w)
{
    struct ts_space *s;
    unsigned what = below(w, 100);
    if (what < 35) {
        s = random_space(w, false);
        do_write(w, s);
    } else if (what < 62) {
        s = random_space(w, true);
        check_read(w, s);
    } else if (what < 70) {
        s = random_space(w, false);
        do_erase(w, s);
    } else if (what < 77) {
        s = random_space(w, true);
        check_defined(w, s);
    } else {
        s = NULL;
        if (what < 83)
            random_extent(w);
        else if (what < 89)
            do_flush(w);
        else if (what < 91)
            assert_true(fine(w, toy_reopen(&w->toy)));
        else if (what < 97)
            do_direct(w, what < 94);
        else {
            static const size_t budgets[] = {0, 100, 400, 2000, 1 << 20};
            toy_settings(&w->file, budgets[below(w, 5)], below(w, 2) * 2);
        }
    }
    ts_space_unref(s);
    verify(w);
    /* Nothing stays that is too much. */
    H5F_shared_chunk_cache_t settings;
    assert_int_equal(ts_sc_settings(w->file.f, &settings), 0);
    assert_in_range(stats_of(w).footprint, 0, settings.budget);
}

static struct toy_options options_of(unsigned variant)
{
    struct toy_options o = {.kind = (enum toy_kind)(variant % 3), .rank = 2, .dims = {11, 9}, .chunk = {4, 3},
                            .element_size = 2, .fill = {FILL >> 8, FILL & 255}};
    switch (variant / 3 % 4) {
    case 1:
        o.partial_plain = o.kind == TOY_CODED;
        o.careful = o.kind == TOY_PLAIN;
        o.keep_whole = true;
        break;
    case 2:
        o.zeros_nowhere = o.kind == TOY_CODED;
        o.no_direct = true;
        o.rank = 1;
        o.dims[0] = 60;
        o.chunk[0] = 7;
        break;
    case 3:
        o.one_thread = true;
        o.partial_plain = o.kind == TOY_CODED;
        o.rank = 3;
        o.dims[2] = o.chunk[2] = 3;
        o.chunk[1] = 9;
        break;
    default:
        break;
    }
    return o;
}

static void open_variant(struct world *w, unsigned variant, uint64_t seed)
{
    struct toy_options o = options_of(variant);
    world_open(w, &o, seed);
    memcpy(w->most, (hsize_t[]){14, 12, 5}, sizeof w->most);
    if (w->rank == 1)
        w->most[0] = 80;
    w->convert = seed % 2 == 1;
    w->file.gaps = seed % 4 < 2;
}

static void test_random(void **state)
{
    (void)state;
    static const size_t budgets[] = {0, 150, 600, 1 << 16, (size_t)1 << 26};
    for (unsigned seed = 0; seed < 60; seed++) {
        struct world w;
        open_variant(&w, seed, seed);
        toy_settings(&w.file, budgets[seed % 5], seed % 2 * 2);
        for (unsigned i = 0; i < 200; i++)
            step(&w);
        check_all(&w);
        assert_int_equal(toy_flush(&w.toy, true), 0);
        assert_true(ts_sc_dset_empty(&w.toy.sc));
        check_file(&w);
        world_close(&w);
    }
}

struct box {
    hsize_t start[2], count[2];
};

static struct ts_space *space_of(struct world *w, const struct box *b)
{
    struct ts_space *s = whole(w);
    assert_int_equal(ts_space_select_hyperslab(s, H5S_SELECT_SET, b->start, NULL, b->count, NULL), 0);
    return s;
}

/* Each box of a tiny extent written after each other one, then read or, in the sparse layout, erased. */
static void test_small(void **state)
{
    (void)state;
    static const hsize_t none[2] = {0, 0}, all[2] = {4, 4};
    struct box boxes[100];
    size_t n = 0;
    for (hsize_t a = 0; a < 4; a++)
        for (hsize_t b = 1; b <= 4 - a; b++)
            for (hsize_t c = 0; c < 4; c++)
                for (hsize_t d = 1; d <= 4 - c; d++)
                    boxes[n++] = (struct box){{a, c}, {b, d}};
    assert_int_equal(n, 100);
    for (unsigned kind = 0; kind < 3; kind++) {
        struct toy_options o = {.kind = (enum toy_kind)kind, .rank = 2, .dims = {4, 4}, .chunk = {2, 2},
                                .element_size = 2, .fill = {FILL >> 8, FILL & 255}};
        struct world w;
        world_open(&w, &o, kind);
        for (size_t i = 0; i < n; i++) {
            toy_settings(&w.file, i % 2 ? 0 : 1 << 20, 0);
            for (size_t j = 0; j < n; j++) {
                struct ts_space *a = space_of(&w, &boxes[i]), *b = space_of(&w, &boxes[j]);
                do_write(&w, a);
                check_read(&w, b);
                if (kind == TOY_SPARSE)
                    do_erase(&w, b);
                else
                    do_write(&w, b);
                check_defined(&w, a);
                check_all(&w);
                if (j % 8 == 0) {
                    do_extent(&w, none);
                    do_extent(&w, all);
                }
                ts_space_unref(a);
                ts_space_unref(b);
            }
        }
        world_close(&w);
    }
}

/* Each extent after each other one; nothing of what was cut off comes back. */
static void test_small_extents(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 6; kind++) {
        struct toy_options o = {.kind = (enum toy_kind)(kind % 3), .rank = 2, .dims = {4, 4}, .chunk = {2, 2},
                                .element_size = 2, .fill = {FILL >> 8, FILL & 255}, .partial_plain = kind == 4,
                                .no_direct = kind == 3};
        struct world w;
        world_open(&w, &o, kind);
        memcpy(w.most, (hsize_t[]){5, 5, 0}, sizeof w.most);
        for (unsigned i = 0; i < 36; i++)
            for (unsigned j = 0; j < 36; j++) {
                hsize_t first[2] = {i / 6, i % 6}, second[2] = {j / 6, j % 6};
                struct ts_space *s;
                toy_settings(&w.file, (i + j) % 2 ? 0 : 1 << 20, 0);
                do_extent(&w, first);
                s = whole(&w);
                do_write(&w, s);
                ts_space_unref(s);
                if (below(&w, 3) == 0)
                    assert_true(fine(&w, toy_flush(&w.toy, below(&w, 2))));
                do_extent(&w, second);
                check_all(&w);
                do_extent(&w, first);
                check_all(&w);
                if (below(&w, 3) == 0) {
                    assert_true(fine(&w, toy_flush(&w.toy, below(&w, 2))));
                    check_file(&w);
                }
            }
        world_close(&w);
    }
}

/* A write that covers chunks reads nothing, in the cache or around it. */
static void test_overwrite(void **state)
{
    (void)state;
    for (unsigned variant = 0; variant < 12; variant++)
        for (unsigned budget = 0; budget < 2; budget++) {
            struct world w;
            open_variant(&w, variant, variant);
            w.packed = true;
            toy_settings(&w.file, budget << 20, 0);
            for (unsigned i = 0; i < 3; i++) {
                struct ts_space *s = whole(&w);
                do_write(&w, s);
                ts_space_unref(s);
                assert_int_equal(toy_flush(&w.toy, i == 0), 0);
            }
            assert_int_equal(stats_of(&w).bytes_read, 0);
            assert_int_equal(toy_calls(&w.toy, TOY_DECODE), 0);
            check_file(&w);
            world_close(&w);
        }
}

/* Which elements are defined is known without reading a value; and stays known when values must leave. */
static void test_defined_only(void **state)
{
    (void)state;
    struct toy_options o = options_of(TOY_SPARSE);
    struct world w;
    struct ts_space *s;
    world_open(&w, &o, 5);
    w.cached = true;
    toy_settings(&w.file, 1 << 20, 0);
    for (unsigned i = 0; i < 8; i++) {
        s = random_space(&w, false);
        do_write(&w, s);
        ts_space_unref(s);
    }
    s = whole(&w);
    assert_int_equal(toy_flush(&w.toy, true), 0);
    check_defined(&w, s);
    assert_int_equal(toy_calls(&w.toy, TOY_DECODE), 0);
    assert_true(toy_calls(&w.toy, TOY_DECODE_DEFINED) > 0);
    check_all(&w);
    assert_true(toy_calls(&w.toy, TOY_DECODE) > 0);
    /* All chunks have their values; room for little more than the lists makes these leave. */
    toy_reset_calls(&w.toy);
    size_t half = stats_of(&w).footprint / 2;
    toy_settings(&w.file, half, 0);
    check_read(&w, s);
    assert_true(toy_calls(&w.toy, TOY_EVICT_VALUES) > 0);
    assert_true(stats_of(&w).footprint <= half);
    check_defined(&w, s);
    check_all(&w);
    ts_space_unref(s);
    world_close(&w);
}

/* Several datasets in one call, and one of them twice: what comes later in the array wins. */
static void test_several(void **state)
{
    (void)state;
    struct toy_file file;
    struct toy toys[3];
    static uint8_t bufs[4][2 * 99];
    struct ts_space *s;
    struct toy_part parts[4];
    toy_file_open(&file);
    for (unsigned i = 0; i < 3; i++) {
        struct toy_options o = options_of(i);
        toy_open(&toys[i], &file, &o);
    }
    assert_int_equal(ts_space_new_simple(2, toys[0].o.dims, NULL, &s), 0);
    for (unsigned budget = 0; budget < 2; budget++) {
        toy_settings(&file, budget << 20, 2);
        for (unsigned i = 0; i < 4; i++) {
            memset(bufs[i], (int)(1 + i + 4 * budget), sizeof bufs[i]);
            parts[i] = (struct toy_part){.toy = &toys[i % 3], .file = s, .buf = bufs[i]};
        }
        assert_int_equal(toy_transfer(parts, 4, true), 0);
        for (unsigned i = 0; i < 4; i++)
            memset(bufs[i], 0, sizeof bufs[i]);
        assert_int_equal(toy_transfer(parts, 4, false), 0);
        for (unsigned i = 0; i < 4; i++)
            for (size_t k = 0; k < sizeof bufs[i]; k++)
                assert_int_equal(bufs[i][k], 1 + (i % 3 ? i : 3) + 4 * budget);
        assert_int_equal(toy_flush_all(&file, toys), 0);
    }
    ts_space_unref(s);
    for (unsigned i = 0; i < 3; i++)
        toy_close(&toys[i]);
    toy_file_close(&file);
}

/* A chunk whose last elements are erased leaves the index. When it cannot, nothing comes back that was erased before. */
static void test_delete_fails(void **state)
{
    (void)state;
    struct toy_options o = options_of(TOY_SPARSE);
    for (unsigned fails = 0; fails < 2; fails++) {
        static const hsize_t points[2][2] = {{1, 1}, {2, 0}}, chunk[2] = {0, 0};
        struct world w;
        world_open(&w, &o, 3);
        toy_settings(&w.file, 1 << 20, 0);
        struct ts_space *s = whole(&w);
        assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, 2, points[0]), 0);
        do_write(&w, s);
        assert_int_equal(toy_flush(&w.toy, false), 0);
        assert_non_null(toy_find(&w.toy, chunk));
        assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, 1, points[1]), 0);
        do_erase(&w, s);
        assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, 1, points[0]), 0);
        if (fails)
            toy_fail_at(1, true, 1ul << TOY_DELETE);
        w.settle = fails;
        int status = toy_erase(&w.toy, s);
        toy_fail_at(0, false, 0);
        assert_int_equal(status < 0, fails);
        if (fails) {
            size_t at = (size_t)(points[0][0] * w.dims[1] + points[0][1]);
            ts_err_clear();
            settle(&w, &at, 1, NULL, true);
        } else
            assert_null(toy_find(&w.toy, chunk));
        assert_int_equal(toy_calls(&w.toy, TOY_DELETE), 1);
        ts_space_unref(s);
        world_close(&w);
    }
}

/* A toy stops the test when chunks are entered before they are on file. */
static void test_toy_watches(void **state)
{
    (void)state;
#ifdef TS_MUTATIONS
    for (unsigned variant = 0; variant < 3; variant++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            struct world w;
            open_variant(&w, variant, 1);
            w.cached = true;
            toy_settings(&w.file, 1 << 20, 0);
            struct ts_space *s = whole(&w);
            do_write(&w, s);
            ts_mutations = TS_MUTATION_INDEX_FIRST;
            if (!freopen("/dev/null", "w", stderr))
                _exit(1);
            _exit(toy_flush(&w.toy, false) == 0 ? 0 : 2);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
#endif
}

/* Elements that cannot be undefined cannot be erased. */
static void test_dense_erase(void **state)
{
    (void)state;
    struct world w;
    open_variant(&w, TOY_CODED, 1);
    struct ts_space *s = whole(&w);
    assert_true(toy_erase(&w.toy, s) < 0);
    assert_true(ts_err_current()->depth > 0);
    ts_err_clear();
    ts_space_unref(s);
    world_close(&w);
}

/* A history of writes, then one operation during which the n-th thing fails. True when there was an n-th. */
static bool one_failure(unsigned variant, unsigned kind, unsigned what, unsigned long n)
{
    static const size_t budgets[] = {1 << 20, 150, 0};
    struct world w;
    if (kind == FAIL_IO)
        faulty_start("toy");
    open_variant(&w, variant, variant + 100 * what);
    w.convert = false;
    w.file.quiet = kind == FAIL_IO;
    toy_settings(&w.file, budgets[(variant + what) % 3], 0);
    for (unsigned i = 0; i < 6; i++) {
        struct ts_space *before = random_space(&w, false);
        if (i % 3 < 2)
            do_write(&w, before);
        else
            do_erase(&w, before);
        ts_space_unref(before);
    }
    if (what % 2)
        assert_int_equal(toy_flush(&w.toy, what % 4 == 1), 0);
    struct ts_space *s = random_space(&w, false);
    w.settle = true;
    w.fail_kind = kind;
    w.fail_n = n;
    switch (what % 6) {
    case 0:
    case 1:
        do_write(&w, s);
        break;
    case 2:
        check_read(&w, s);
        break;
    case 3:
        if (w.toy.o.kind == TOY_SPARSE)
            do_erase(&w, s);
        else
            random_extent(&w);
        break;
    case 4:
        random_extent(&w);
        break;
    default:
        do_flush(&w);
        check_defined(&w, s);
    }
    bool was_there = w.made >= n || w.failures > 0;
    w.settle = false;
    ts_err_clear();
    verify(&w);
    check_all(&w);
    assert_int_equal(toy_flush(&w.toy, true), 0);
    check_file(&w);
    ts_space_unref(s);
    world_close(&w);
    if (kind == FAIL_IO)
        faulty_stop();
    return was_there;
}

static void sweep(unsigned kind, unsigned first, unsigned last)
{
    for (unsigned variant = first; variant < last; variant++)
        for (unsigned what = 0; what < 12; what++)
            for (unsigned long n = 1; one_failure(variant, kind, what, n); n++)
                assert_true(n < 2000);
}

static void test_calls_fail(void **state)
{
    (void)state;
    sweep(FAIL_CALL, 0, 6);
    sweep(FAIL_CALLS_FROM, 0, 6);
}

static void test_memory_fails(void **state)
{
    (void)state;
    sweep(FAIL_ALLOC, 0, 6);
    sweep(FAIL_ALLOCS_FROM, 0, 3);
}

static void test_io_fails(void **state)
{
    (void)state;
    sweep(FAIL_IO, 0, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),     cmocka_unit_test(test_small),        cmocka_unit_test(test_small_extents),
        cmocka_unit_test(test_overwrite),  cmocka_unit_test(test_defined_only), cmocka_unit_test(test_several),
        cmocka_unit_test(test_delete_fails), cmocka_unit_test(test_dense_erase), cmocka_unit_test(test_toy_watches),
        cmocka_unit_test(test_calls_fail), cmocka_unit_test(test_memory_fails), cmocka_unit_test(test_io_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
