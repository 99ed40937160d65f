/* The same selection as a list of runs, or as sets by chunk, and as it comes from the application: every question has the same answer. */
#include "oracle.h"
#include "sets_of.h"

#include "space/internal.h"
#include "space/sel_iter.h"

struct pair {
    struct ts_space *list, *plain;
    struct oracle o;
};

static unsigned random_dims(struct rng *r, hsize_t *dims)
{
    static const unsigned widest[] = {60, 12, 7, 4, 3};
    unsigned rank = 1 + rnd(r, 5);
    for (unsigned d = 0; d < rank; d++)
        dims[d] = 1 + rnd(r, widest[rank - 1]);
    return rank;
}

/* Runs, a product of slabs, or one with an element too many or too few: what is nearly regular and what is. */
static void random_set(struct rng *r, struct oracle *o)
{
    struct ts_slab slabs[5];
    unsigned how = rnd(r, 4);
    if (how == 0) {
        for (hsize_t at = rnd(r, 6); at < o->n; at += 1 + rnd(r, 9))
            for (unsigned n = rnd(r, 3) ? 1 : 1 + rnd(r, 30); n-- > 0 && at < o->n; at++)
                o->in[at] = 1;
        return;
    }
    random_slabs(r, o->rank, o->dims, slabs);
    oracle_slab(o, H5S_SELECT_SET, slabs);
    if (how == 2)
        o->in[rnd(r, (unsigned)o->n)] ^= 1;
    random_slabs(r, o->rank, o->dims, slabs);
    if (how == 3)
        oracle_slab(o, H5S_SELECT_OR, slabs);
}

/* In pieces that touch, with empty ones between. */
static size_t runs_of(struct rng *r, const struct oracle *o, struct ts_run *runs)
{
    size_t n = 0;
    for (hsize_t i = 0; i < o->n; i++) {
        if (rnd(r, 20) == 0)
            runs[n++] = (struct ts_run){i, 0};
        if (o->in[i] && i && o->in[i - 1] && n && runs[n - 1].length && rnd(r, 10))
            runs[n - 1].length++;
        else if (o->in[i])
            runs[n++] = (struct ts_run){i, 1};
    }
    return n;
}

static struct ts_space *select_one_by_one(const struct oracle *o)
{
    static const hsize_t ones[5] = {1, 1, 1, 1, 1};
    struct ts_space *s;
    hsize_t c[5];
    assert_int_equal(ts_space_new_simple(o->rank, o->dims, NULL, &s), 0);
    ts_space_select_none(s);
    for (hsize_t i = 0; i < o->n; i++)
        if (o->in[i]) {
            oracle_coords(o, i, c);
            assert_int_equal(ts_space_select_hyperslab(s, H5S_SELECT_OR, c, NULL, ones, NULL), 0);
        }
    assert_int_equal(ts_space_merge(s), 0);
    return s;
}

static void list_of_sets(struct rng *r, struct pair *p)
{
    struct ts_chunk_sets *sets;
    hsize_t chunk[5];
    for (unsigned d = 0; d < p->o.rank; d++)
        chunk[d] = rnd(r, 3) ? 1 + rnd(r, (unsigned)p->o.dims[d] + 2) : p->o.dims[d];
    assert_int_equal(sets_of(p->o.rank, p->o.dims, chunk, p->o.in, &sets), 0);
    assert_int_equal(ts_space_take_sets(p->plain, &sets, &p->list), 0);
    assert_null(sets);
}

static void list_of_runs(struct rng *r, struct pair *p)
{
    struct ts_run *runs = ts_malloc(2 * ORACLE_MAX * sizeof *runs);
    size_t n = runs_of(r, &p->o, runs);
    if (rnd(r, 2))
        assert_int_equal(ts_space_from_runs(p->plain, runs, n, &p->list), 0);
    else {
        assert_int_equal(ts_space_take_runs(p->plain, &runs, n, &p->list), 0);
        assert_null(runs);
    }
    ts_free(runs);
}

static void make_pair(struct rng *r, struct pair *p)
{
    hsize_t dims[5];
    unsigned rank = random_dims(r, dims);
    oracle_init(&p->o, rank, dims);
    random_set(r, &p->o);
    p->plain = select_one_by_one(&p->o);
    if (rnd(r, 2))
        list_of_sets(r, p);
    else
        list_of_runs(r, p);
    assert_sound(p->list);
    assert_null(p->list->spans);
    assert_int_equal(p->list->runs != NULL, p->plain->spans != NULL);
}

static void drop_pair(struct pair *p)
{
    ts_space_unref(p->list);
    ts_space_unref(p->plain);
}

static void same_bounds(const struct ts_space *a, const struct ts_space *b)
{
    hsize_t low[2][5], high[2][5];
    int ret = ts_space_bounds(a, low[0], high[0]);
    assert_int_equal(ts_space_bounds(b, low[1], high[1]), ret);
    ts_err_clear();
    if (ret == 0) {
        assert_memory_equal(low[0], low[1], ts_space_rank(a) * sizeof **low);
        assert_memory_equal(high[0], high[1], ts_space_rank(a) * sizeof **high);
    }
}

static void same_slabs(const struct ts_space *a, const struct ts_space *b)
{
    hsize_t v[2][4][5] = {{{0}}};
    bool regular = ts_space_regular(a, v[0][0], v[0][1], v[0][2], v[0][3]);
    assert_int_equal(ts_space_regular(b, v[1][0], v[1][1], v[1][2], v[1][3]), regular);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
}

static void same_runs(const struct ts_space *a, const struct ts_space *b, size_t max_runs, hsize_t max_elements)
{
    struct ts_runs x, y;
    struct ts_run r[2][8];
    int ret = ts_runs_init(&x, a);
    size_t n;
    assert_int_equal(ts_runs_init(&y, b), ret);
    ts_err_clear();
    while (ret == 0) {
        n = ts_runs_next(&x, r[0], max_runs, max_elements);
        assert_int_equal(ts_runs_next(&y, r[1], max_runs, max_elements), n);
        assert_memory_equal(r[0], r[1], n * sizeof **r);
        if (n == 0)
            break;
        if (r[0][0].offset % 3 == 0 && n > 1) {
            ts_runs_unget(&x, r[0][n - 1]);
            ts_runs_unget(&y, r[1][n - 1]);
        }
    }
    if (ret == 0) {
        ts_runs_deinit(&x);
        ts_runs_deinit(&y);
    }
}

static void same_sequences(struct ts_space *a, struct ts_space *b, struct rng *r)
{
    struct ts_sel_iter *x, *y;
    hsize_t off[2][300];
    size_t len[2][300], size = 1 + rnd(r, 3), max_seq = rnd(r, 3) ? 1 + rnd(r, 300) : 1 + rnd(r, 4);
    size_t max_elements = rnd(r, 3) ? 10000 : 1 + rnd(r, 9);
    unsigned flags = rnd(r, 2) ? H5S_SEL_ITER_GET_SEQ_LIST_SORTED : 0;
    int ret = ts_sel_iter_new(a, size, flags, &x);
    assert_int_equal(ts_sel_iter_new(b, size, flags, &y), ret);
    ts_err_clear();
    if (ret < 0)
        return;
    for (;;) {
        struct ts_sequences s = {.off = off[0], .len = len[0]}, t = {.off = off[1], .len = len[1]};
        ts_sel_iter_next(x, max_seq, max_elements, &s);
        ts_sel_iter_next(y, max_seq, max_elements, &t);
        assert_true(s.n == t.n && s.elements == t.elements);
        assert_memory_equal(off[0], off[1], s.n * sizeof **off);
        assert_memory_equal(len[0], len[1], s.n * sizeof **len);
        if (s.n == 0)
            break;
    }
    ts_sel_iter_unref(x);
    ts_sel_iter_unref(y);
}

static void same_blocks(const struct ts_space *a, const struct ts_space *b, struct rng *r)
{
    hsize_t n, m;
    assert_int_equal(ts_space_nblocks(a, &n), 0);
    assert_int_equal(ts_space_nblocks(b, &m), 0);
    assert_int_equal(n, m);
    hsize_t first = rnd(r, (unsigned)n + 1), width = 2 * ts_space_rank(a);
    hsize_t *x = calloc((size_t)(n * width) + 1, sizeof *x), *y = calloc((size_t)(n * width) + 1, sizeof *y);
    assert_int_equal(ts_space_blocklist(a, first, n, x), 0);
    assert_int_equal(ts_space_blocklist(b, first, n, y), 0);
    assert_memory_equal(x, y, (size_t)(n * width) * sizeof *x);
    free(x);
    free(y);
}

static void same_bytes(const struct ts_space *a, const struct ts_space *b)
{
    for (unsigned libver = 0; libver <= 5; libver++) {
        struct ts_wr x = {0}, y = {0};
        int ret = libver == 5 ? ts_space_encode_smallest(a, &x) : ts_space_encode(a, libver, &x);
        assert_int_equal(libver == 5 ? ts_space_encode_smallest(b, &y) : ts_space_encode(b, libver, &y), ret);
        ts_err_clear();
        assert_int_equal(x.size, y.size);
        if (x.size > 0)
            assert_memory_equal(x.data, y.data, x.size);
        ts_wr_free(&x);
        ts_wr_free(&y);
    }
}

static void same_cuts(const struct ts_space *a, const struct ts_space *b, struct rng *r)
{
    hsize_t start[5], size[5], end[5];
    struct ts_space *x, *y;
    for (unsigned d = 0; d < ts_space_rank(a); d++) {
        start[d] = rnd(r, (unsigned)ts_space_dims(a)[d] + 2);
        size[d] = 1 + rnd(r, (unsigned)ts_space_dims(a)[d] + 2);
        end[d] = start[d] + size[d] - 1;
    }
    assert_int_equal(ts_space_intersects(a, start, end), ts_space_intersects(b, start, end));
    int ret = ts_space_clip(a, start, size, &x);
    assert_int_equal(ts_space_clip(b, start, size, &y), ret);
    ts_err_clear();
    if (ret < 0)
        return;
    same_slabs(x, y);
    same_runs(x, y, 8, UINT64_MAX);
    ts_space_unref(x);
    ts_space_unref(y);
}

/* Without a tree first, then what makes one. */
static void same_answers(struct ts_space *a, struct ts_space *b, struct rng *r)
{
    assert_sound(a);
    assert_int_equal(ts_space_sel_type(a), ts_space_sel_type(b));
    assert_int_equal(ts_space_selected(a), ts_space_selected(b));
    assert_int_equal(ts_space_valid(a), ts_space_valid(b));
    same_slabs(a, b);
    same_bounds(a, b);
    same_runs(a, b, 1 + rnd(r, 8), rnd(r, 2) ? UINT64_MAX : 1 + rnd(r, 9));
    same_sequences(a, b, r);
    struct ts_run x, y;
    assert_int_equal(ts_space_single_run(a, &x), ts_space_single_run(b, &y));
    same_blocks(a, b, r);
    same_bytes(a, b);
    same_cuts(a, b, r);
    assert_int_equal(ts_space_shape_same(a, b), 1);
    assert_sound(a);
}

static void move_offset(struct rng *r, struct pair *p)
{
    hssize_t offset[5];
    for (unsigned d = 0; d < p->o.rank; d++)
        offset[d] = rnd(r, 2) ? 0 : (hssize_t)rnd(r, 5) - 2;
    assert_int_equal(ts_space_set_offset(p->list, offset), 0);
    assert_int_equal(ts_space_set_offset(p->plain, offset), 0);
}

static void change_extent(struct rng *r, struct pair *p)
{
    hsize_t dims[5];
    unsigned first_only = rnd(r, 2);
    for (unsigned d = 0; d < p->o.rank; d++)
        dims[d] = first_only && d ? p->o.dims[d] : 1 + rnd(r, (unsigned)p->o.dims[d] + 3);
    assert_int_equal(ts_space_set_simple(p->list, p->o.rank, dims, NULL), 0);
    assert_int_equal(ts_space_set_simple(p->plain, p->o.rank, dims, NULL), 0);
}

static void into_other_extent(struct rng *r, struct pair *p)
{
    struct ts_space **s[2] = {&p->list, &p->plain}, *other;
    hsize_t dims[5];
    for (unsigned d = 0; d < p->o.rank; d++)
        dims[d] = 1 + rnd(r, (unsigned)p->o.dims[d] + 3);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ts_space_new_simple(p->o.rank, dims, NULL, &other), 0);
        assert_int_equal(ts_space_select_copy(other, *s[i]), 0);
        ts_space_unref(*s[i]);
        *s[i] = other;
    }
}

static void add_slab(struct rng *r, struct pair *p)
{
    struct ts_slab slabs[5];
    H5S_seloper_t op = (H5S_seloper_t)(H5S_SELECT_OR + rnd(r, 5));
    random_slabs(r, p->o.rank, p->o.dims, slabs);
    if (rnd(r, 2))
        for (unsigned d = 0; d < p->o.rank; d++)
            slabs[d].count = 1;
    assert_int_equal(select_slabs(p->list, op, slabs), 0);
    assert_int_equal(select_slabs(p->plain, op, slabs), 0);
    assert_int_equal(ts_space_merge(p->list), 0);
    assert_int_equal(ts_space_merge(p->plain), 0);
}

static void combine_spaces(struct rng *r, struct pair *p)
{
    struct ts_slab slabs[5];
    struct ts_space *other;
    H5S_seloper_t op = (H5S_seloper_t)(H5S_SELECT_OR + rnd(r, 5));
    random_slabs(r, p->o.rank, p->o.dims, slabs);
    assert_int_equal(ts_space_new_simple(p->o.rank, p->o.dims, NULL, &other), 0);
    assert_int_equal(select_slabs(other, H5S_SELECT_SET, slabs), 0);
    if (ts_space_selected(p->list) > 0) {
        assert_int_equal(ts_space_combine(p->list, op, other), 0);
        assert_int_equal(ts_space_combine(p->plain, op, other), 0);
    }
    ts_space_unref(other);
}

static void adjust(struct rng *r, struct pair *p)
{
    hssize_t back[5];
    for (unsigned d = 0; d < p->o.rank; d++)
        back[d] = (hssize_t)rnd(r, 4) - 2;
    int ret = ts_space_adjust(p->list, back);
    assert_int_equal(ts_space_adjust(p->plain, back), ret);
    ts_err_clear();
}

static void copy_list(struct rng *r, struct pair *p)
{
    struct ts_space *copy;
    (void)r;
    assert_int_equal(ts_space_snapshot(p->list, &copy), 0);
    ts_space_unref(p->list);
    p->list = copy;
}

static void answers(void **state)
{
    static void (*const changes[])(struct rng *, struct pair *) = {
        move_offset, change_extent, into_other_extent, add_slab, combine_spaces, adjust, copy_list};
    (void)state;
    struct rng r = {1};
    int lists = 0, sets = 0;
    for (int i = 0; i < 6000; i++) {
        struct pair p;
        make_pair(&r, &p);
        lists += p.list->runs && !p.list->runs->sets;
        sets += p.list->runs && p.list->runs->sets;
        if (i % 2)
            same_answers(p.list, p.plain, &r);
        changes[(unsigned)i / 2 % (sizeof changes / sizeof *changes)](&r, &p);
        same_answers(p.list, p.plain, &r);
        if (i % 3 == 0)
            move_offset(&r, &p);
        if (i % 5 == 0)
            change_extent(&r, &p);
        same_answers(p.list, p.plain, &r);
        drop_pair(&p);
    }
    assert_in_range(lists, 800, 2800);
    assert_in_range(sets, 800, 2800);
}

/* Counting, iterating, copying and bounds leave a list what it is. */
static void without_a_tree(void **state)
{
    (void)state;
    const hsize_t dims[2] = {1000, 1000}, larger[2] = {2000, 1000};
    const hssize_t up[2] = {3, 0};
    struct ts_space *extent, *s, *copy;
    hsize_t low[2], high[2], off[64], total = 0;
    size_t len[64];
    struct ts_run *runs = ts_malloc(1000 * sizeof *runs);
    for (size_t i = 0; i < 1000; i++)
        runs[i] = (struct ts_run){i * 991 + i % 7, 1 + i % 3};
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &extent), 0);
    assert_int_equal(ts_space_take_runs(extent, &runs, 1000, &s), 0);
    assert_int_equal(ts_space_selected(s), 1999);
    assert_int_equal(ts_space_bounds(s, low, high), 0);
    assert_int_equal(ts_space_set_simple(s, 2, larger, NULL), 0);
    assert_int_equal(ts_space_set_offset(s, up), 0);
    assert_true(ts_space_valid(s));
    assert_int_equal(ts_space_snapshot(s, &copy), 0);
    assert_ptr_equal(copy->runs, s->runs);
    struct ts_sel_iter *it;
    assert_int_equal(ts_sel_iter_new(copy, 4, 0, &it), 0);
    for (struct ts_sequences q = {.n = 1, .off = off, .len = len}; q.n > 0; total += q.elements) {
        ts_sel_iter_next(it, 64, SIZE_MAX, &q);
        if (total == 0)
            assert_int_equal(q.off[0], 4 * 3000);
    }
    assert_int_equal(total, 1999);
    assert_null(s->runs->tree);
    ts_sel_iter_unref(it);
    ts_space_unref(copy);
    ts_space_unref(s);
    ts_space_unref(extent);
}

static void refused(void **state)
{
    static const struct ts_run bad[][2] = {
        {{5, 2}, {3, 1}}, {{5, 2}, {6, 1}}, {{0, 2}, {99, 2}}, {{UINT64_MAX, 2}, {0, 0}}, {{1, UINT64_MAX}, {0, 0}},
    };
    const hsize_t dims[2] = {10, 10}, vast[2] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
    struct ts_space *extent, *s;
    (void)state;
    struct ts_run *runs = ts_malloc(sizeof bad[0]), *same = runs;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &extent), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(runs, bad[i], sizeof bad[i]);
        assert_true(ts_space_take_runs(extent, &runs, 2, &s) < 0);
        assert_ptr_equal(runs, same);
        assert_true(ts_space_from_runs(extent, bad[i], 2, &s) < 0);
    }
    ts_space_unref(extent);
    assert_int_equal(ts_space_new_simple(2, vast, NULL, &extent), 0);
    assert_true(ts_space_take_runs(extent, &runs, 0, &s) < 0);
    ts_space_unref(extent);
    ts_err_clear();
    ts_free(runs);
}

static int make_of_runs(const struct ts_space *extent, struct ts_space **made)
{
    static const struct ts_run runs[] = {{3, 1}, {15, 4}, {19, 3}, {40, 20}, {77, 1}, {99, 1}};
    return ts_space_from_runs(extent, runs, sizeof runs / sizeof *runs, made);
}

static int make_of_sets(const struct ts_space *extent, struct ts_space **made)
{
    static const hsize_t chunk[2] = {4, 3};
    unsigned char in[100] = {[3] = 1, [15] = 1, [16] = 1, [40] = 1, [41] = 1, [52] = 1, [77] = 1, [99] = 1};
    struct ts_chunk_sets *sets;
    if (sets_of(2, ts_space_dims(extent), chunk, in, &sets) < 0)
        return -1;
    int ret = ts_space_take_sets(extent, &sets, made);
    assert_int_equal(sets != NULL, ret < 0);
    ts_chunk_sets_free(sets);
    return ret;
}

typedef int make_fn(const struct ts_space *extent, struct ts_space **made);

/* What may fail for want of memory does so whole, and works afterwards. */
static int use(const struct ts_space *extent, make_fn *make, struct ts_space **made)
{
    const hsize_t start[2] = {2, 2}, end[2] = {7, 7}, wide[2] = {10, 12}, one[2] = {1, 1};
    const hssize_t back[2] = {0, -1};
    struct ts_space *cut = NULL;
    hsize_t blocks, list[64];
    struct ts_wr w = {0};
    struct ts_runs it;
    struct ts_sel_iter *iter;
    int ret = make(extent, made);
    if (ret < 0)
        return -1;
    struct ts_space *s = *made;
    if (ts_space_nblocks(s, &blocks) < 0 || ts_space_blocklist(s, 0, 8, list) < 0 ||
        ts_space_intersects(s, start, end) < 0 || ts_space_shape_same(s, s) < 0 ||
        ts_space_encode(s, 0, &w) < 0 || ts_space_encode_smallest(s, &w) < 0)
        ret = -1;
    ts_wr_free(&w);
    if (ret == 0 && (ret = ts_space_clip(s, start, end, &cut)) == 0)
        ts_space_unref(cut);
    if (ret == 0 && ((ret = ts_space_project(s, s, s, &cut)) == 0))
        ts_space_unref(cut);
    if (ret == 0 && ((ret = ts_sel_iter_new(s, 4, 0, &iter)) == 0))
        ts_sel_iter_unref(iter);
    if (ret == 0)
        ret = ts_space_set_simple(s, 2, wide, NULL);
    if (ret == 0 && (ret = ts_runs_init(&it, s)) == 0)
        ts_runs_deinit(&it);
    if (ret == 0)
        ret = ts_space_adjust(s, back);
    if (ret == 0)
        ret = ts_space_select_hyperslab(s, H5S_SELECT_XOR, start, NULL, one, NULL);
    return ret;
}

static void memory_runs_out_for(make_fn *make)
{
    const hsize_t dims[2] = {10, 10};
    struct ts_space *extent, *s;
    unsigned long n = 0;
    int ret;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &extent), 0);
    do {
        s = NULL;
        (void)ts_alloc_fail_at(++n, TS_FAULT_ONCE);
        ret = use(extent, make, &s);
        (void)ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_err_clear();
        if (s)
            assert_sound(s);
        ts_space_unref(s);
    } while (ret < 0);
    assert_in_range(n, 20, 500);
    ts_space_unref(extent);
}

static void memory_runs_out(void **state)
{
    (void)state;
    memory_runs_out_for(make_of_runs);
    memory_runs_out_for(make_of_sets);
}

/* Points in one to five dimensions, with neighbours and repetitions, in portions. */
static void points(void **state)
{
    (void)state;
    struct rng r = {7};
    for (int i = 0; i < 2000; i++) {
        hsize_t dims[5], coords[40 * 5], want[40];
        struct ts_space *s;
        struct oracle o;
        struct ts_runs it;
        struct ts_run got[8];
        unsigned rank = random_dims(&r, dims);
        size_t n = 1 + rnd(&r, 40), at = 0, k;
        oracle_init(&o, rank, dims);
        for (size_t j = 0; j < n; j++) {
            want[j] = j && rnd(&r, 2) && want[j - 1] + 1 < o.n ? want[j - 1] + 1 : rnd(&r, (unsigned)o.n);
            oracle_coords(&o, want[j], coords + j * rank);
        }
        assert_int_equal(ts_space_new_simple(rank, dims, NULL, &s), 0);
        assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, n, coords), 0);
        assert_sound(s);
        assert_int_equal(ts_runs_init(&it, s), 0);
        hsize_t most = rnd(&r, 2) ? UINT64_MAX : 1 + rnd(&r, 6);
        while ((k = ts_runs_next(&it, got, 1 + rnd(&r, 8), most)) > 0) {
            for (size_t j = 0; j < k; j++) {
                assert_true(j == 0 || got[j].offset != got[j - 1].offset + got[j - 1].length);
                if (j + 1 == k && k > 1 && rnd(&r, 3) == 0) {
                    ts_runs_unget(&it, got[j]);
                    break;
                }
                for (hsize_t e = 0; e < got[j].length; e++)
                    assert_int_equal(want[at++], got[j].offset + e);
            }
        }
        assert_int_equal(at, n);
        ts_space_unref(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),         cmocka_unit_test(without_a_tree), cmocka_unit_test(refused),
        cmocka_unit_test(memory_runs_out), cmocka_unit_test(points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
