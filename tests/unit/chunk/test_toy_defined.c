/* Which elements are defined, of sparse chunks that are cut in all dimensions and come in many batches, against a table;
 * with and without workers, and with every allocation and every callback failing in turn. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/error.h"
#include "unit/chunk/toy.h"

enum { RANK = 3, X = 13, Y = 17, Z = 23, ALL = X * Y * Z, POINTS = 300 };

struct world {
    struct toy_file file;
    struct toy toy;
    bool defined[ALL];
    uint64_t seed;
};

static unsigned below(struct world *w, unsigned n)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((w->seed >> 33) % n);
}

static struct ts_space *whole(void)
{
    const hsize_t dims[RANK] = {X, Y, Z};
    struct ts_space *s;
    assert_int_equal(ts_space_new_simple(RANK, dims, NULL, &s), 0);
    return s;
}

static void coordinates(size_t at, hsize_t *out)
{
    out[0] = at / (Y * Z);
    out[1] = at / Z % Y;
    out[2] = at % Z;
}

/* One element in `rare` is defined, and some runs are. */
static void define_some(struct world *w, unsigned rare)
{
    static hsize_t coords[ALL * RANK];
    static uint8_t values[2 * ALL];
    struct ts_space *s = whole();
    size_t n = 0;
    for (size_t i = 0; i < ALL; i++) {
        w->defined[i] = below(w, rare) == 0 || (i > 0 && w->defined[i - 1] && below(w, 3) > 0);
        if (w->defined[i])
            coordinates(i, coords + RANK * n++);
    }
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, n, coords), 0);
    struct toy_part p = {.toy = &w->toy, .file = s, .buf = values};
    assert_int_equal(toy_transfer(&p, 1, true), 0);
    assert_int_equal(toy_flush(&w->toy, true), 0);
    ts_space_unref(s);
}

static void open_world(struct world *w, const hsize_t *chunk, unsigned threads, uint64_t seed)
{
    struct toy_options o = {.kind = TOY_SPARSE, .rank = RANK, .dims = {X, Y, Z}, .element_size = 2, .fill = {1, 2}};
    memcpy(o.chunk, chunk, sizeof o.chunk);
    memset(w, 0, sizeof *w);
    w->seed = seed;
    toy_file_open(&w->file);
    toy_open(&w->toy, &w->file, &o);
    toy_settings(&w->file, 4096, threads);
}

static void close_world(struct world *w)
{
    toy_close(&w->toy);
    toy_file_close(&w->file);
}

static size_t list(const struct ts_space *s, size_t *out)
{
    struct ts_runs runs;
    struct ts_run run;
    size_t n = 0;
    assert_int_equal(ts_runs_init(&runs, s), 0);
    while (ts_runs_next(&runs, &run, 1, HSIZE_UNDEF) > 0)
        for (hsize_t i = 0; i < run.length; i++) {
            assert_true(n < ALL);
            out[n++] = (size_t)(run.offset + i);
        }
    ts_runs_deinit(&runs);
    return n;
}

/* The result is what is defined of the selection, in its order. */
static void compare(const struct world *w, const struct ts_space *s, const struct ts_space *out)
{
    static size_t want[ALL], got[ALL];
    size_t n = list(s, want), n_got = list(out, got), k = 0;
    for (size_t i = 0; i < n; i++)
        if (w->defined[want[i]]) {
            assert_true(k < n_got);
            assert_int_equal(got[k++], want[i]);
        }
    assert_int_equal(n_got, k);
    const char *reason = "";
    assert_int_equal(ts_space_verify(out, &reason), 0);
}

static void check(struct world *w, const struct ts_space *s)
{
    struct ts_space *out;
    assert_int_equal(toy_get_defined(&w->toy, s, &out), 0);
    compare(w, s, out);
    ts_space_unref(out);
    if (below(w, 2))
        assert_int_equal(toy_flush(&w->toy, true), 0);
}

static void random_slab(struct world *w, struct ts_space *s, H5S_seloper_t op, bool one_block)
{
    const unsigned dims[RANK] = {X, Y, Z};
    hsize_t start[RANK], stride[RANK], count[RANK], block[RANK];
    for (unsigned d = 0; d < RANK; d++) {
        start[d] = below(w, dims[d]);
        unsigned left = dims[d] - (unsigned)start[d];
        block[d] = 1 + below(w, one_block ? left : left < 4 ? left : 4);
        stride[d] = block[d] + below(w, 3);
        count[d] = one_block ? 1 : 1 + below(w, (unsigned)((left - block[d]) / stride[d]) + 1);
    }
    assert_int_equal(ts_space_select_hyperslab(s, op, start, stride, count, block), 0);
}

/* Some of them twice. */
static void random_points(struct world *w, struct ts_space *s)
{
    hsize_t coords[POINTS * RANK];
    size_t n = 1 + below(w, POINTS);
    for (size_t i = 0; i < n; i++)
        coordinates(below(w, ALL), coords + RANK * i);
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, n, coords), 0);
}

/* Everything, a box, a pattern, an irregular union, points; the last four moved by an offset as well. */
static struct ts_space *selection(struct world *w, unsigned kind)
{
    struct ts_space *s = whole();
    if (kind == 1)
        random_slab(w, s, H5S_SELECT_SET, true);
    if (kind == 2)
        random_slab(w, s, H5S_SELECT_SET, false);
    if (kind == 3) {
        random_slab(w, s, H5S_SELECT_SET, true);
        random_slab(w, s, H5S_SELECT_OR, false);
        random_slab(w, s, H5S_SELECT_XOR, true);
    }
    if (kind == 4)
        random_points(w, s);
    hsize_t low[RANK], high[RANK];
    if (kind > 0 && below(w, 3) == 0 && ts_space_selected(s) > 0 && ts_space_bounds(s, low, high) == 0) {
        const hssize_t offset[RANK] = {-(hssize_t)low[0], (hssize_t)(Y - 1 - high[1]), 0};
        assert_int_equal(ts_space_set_offset(s, offset), 0);
    }
    return s;
}

static const hsize_t chunks[][RANK] = {{4, 5, 6}, {3, Y, Z}, {2, 4, Z}, {5, 30, 7}, {1, 1, Z}, {X, Y, Z}, {1, 3, 4}};

static void all_selections(void **state)
{
    (void)state;
    static struct world w;
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
        for (unsigned threads = 0; threads < 3; threads += 2) {
            open_world(&w, chunks[c], threads, 77 + c);
            struct ts_space *s = whole();
            check(&w, s);
            ts_space_unref(s);
            define_some(&w, c % 2 ? 60 : 6);
            for (unsigned i = 0; i < 40; i++) {
                s = selection(&w, i % 5);
                check(&w, s);
                ts_space_unref(s);
            }
            close_world(&w);
        }
}

/* What is full and what is empty need no list. */
static void full_and_empty(void **state)
{
    (void)state;
    static struct world w;
    static uint8_t values[2 * ALL];
    open_world(&w, chunks[0], 0, 1);
    struct ts_space *s = whole(), *out;
    hsize_t start[RANK], stride[RANK], count[RANK], block[RANK];
    struct toy_part p = {.toy = &w.toy, .file = s, .buf = values};
    assert_int_equal(toy_get_defined(&w.toy, s, &out), 0);
    assert_int_equal(ts_space_sel_type(out), H5S_SEL_NONE);
    ts_space_unref(out);
    assert_int_equal(toy_transfer(&p, 1, true), 0);
    for (size_t i = 0; i < ALL; i++)
        w.defined[i] = true;
    assert_int_equal(toy_flush(&w.toy, true), 0);
    assert_int_equal(toy_get_defined(&w.toy, s, &out), 0);
    compare(&w, s, out);
    assert_true(ts_space_regular(out, start, stride, count, block));
    ts_space_unref(out);
    ts_space_unref(s);
    close_world(&w);
}

/* After every failure the same call works. */
static void failures(void **state)
{
    (void)state;
    static struct world w;
    for (unsigned kind = 0; kind < 5; kind++)
        for (unsigned how = 0; how < 3; how++) {
            open_world(&w, chunks[kind % 2 ? 3 : 0], 0, 5 + kind);
            define_some(&w, 9);
            struct ts_space *s = selection(&w, kind), *out;
            unsigned failed = 0;
            for (unsigned long n = 1;; n++) {
                assert_int_equal(toy_flush(&w.toy, true), 0);
                if (how == 2)
                    toy_fail_at(n, true, 0);
                else
                    ts_alloc_fail_at(n, how == 0 ? TS_FAULT_ONCE : TS_FAULT_FROM);
                int status = toy_get_defined(&w.toy, s, &out);
                unsigned long made = how == 2 ? toy_fail_at(0, false, 0) : ts_alloc_fail_at(0, TS_FAULT_ONCE);
                failed += status < 0;
                if (status == 0) {
                    compare(&w, s, out);
                    ts_space_unref(out);
                }
                ts_err_clear();
                if (made < n)
                    break;
            }
            assert_true(failed > 3);
            ts_space_unref(s);
            close_world(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_selections),
        cmocka_unit_test(full_and_empty),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
