/* Plans against an oracle: the elements of both selections, listed one by one. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "chunk/plan_cursor.h"
#include "unit/space/sets_of.h"

static uint64_t seed = 1;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* Every selected element's place in the extent, in order. */
static size_t list_elements(const struct ts_space *s, hsize_t **out)
{
    size_t n = (size_t)ts_space_selected(s), at = 0;
    struct ts_runs runs;
    struct ts_run run;
    hsize_t *list = malloc((n + 1) * sizeof *list);
    assert_int_equal(ts_runs_init(&runs, s), 0);
    while (ts_runs_next(&runs, &run, 1, 1) > 0)
        list[at++] = run.offset;
    ts_runs_deinit(&runs);
    assert_int_equal(at, n);
    *out = list;
    return n;
}

static struct ts_space *random_extent(unsigned rank, unsigned most)
{
    hsize_t dims[4];
    struct ts_space *s;
    for (unsigned d = 0; d < rank; d++)
        dims[d] = 1 + random_below(most);
    assert_int_equal(ts_space_new_simple(rank, dims, NULL, &s), 0);
    return s;
}

static void select_random_slab(struct ts_space *s, H5S_seloper_t op)
{
    hsize_t start[4], stride[4], count[4], block[4];
    for (unsigned d = 0; d < ts_space_rank(s); d++) {
        unsigned size = (unsigned)ts_space_dims(s)[d];
        start[d] = random_below(size);
        unsigned left = size - (unsigned)start[d];
        block[d] = 1 + random_below(left);
        stride[d] = block[d] + random_below(3);
        count[d] = 1 + random_below((unsigned)((left - block[d]) / stride[d]) + 1);
    }
    assert_int_equal(ts_space_select_hyperslab(s, op, start, stride, count, block), 0);
}

static void select_random_points(struct ts_space *s, size_t n)
{
    hsize_t coords[4 * 64];
    for (size_t i = 0; i < n; i++)
        for (unsigned d = 0; d < ts_space_rank(s); d++)
            coords[i * ts_space_rank(s) + d] = random_below((unsigned)ts_space_dims(s)[d]);
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, n, coords), 0);
}

static void select_random(struct ts_space *s)
{
    switch (random_below(6)) {
    case 0:
        break;
    case 1:
        select_random_points(s, 1 + random_below(64));
        break;
    case 2:
        select_random_slab(s, H5S_SELECT_SET);
        select_random_slab(s, H5S_SELECT_OR);
        break;
    default:
        select_random_slab(s, H5S_SELECT_SET);
    }
}

/* Selects as many elements in memory as the file selection has, in one of several ways. */
static struct ts_space *matching_memory(const struct ts_space *file)
{
    hsize_t n = ts_space_selected(file), start[5] = {0}, stride[5], count[5], block[5], dims[5];
    struct ts_space *s;
    unsigned rank = ts_space_rank(file);
    if (random_below(2) == 0 && ts_space_regular(file, start, stride, count, block)) {
        /* A box of the same shape somewhere in a larger extent, with an extra dimension of one. */
        for (unsigned d = rank; d-- > 0;) {
            count[d + 1] = count[d] * block[d];
            start[d + 1] = random_below(3);
            dims[d + 1] = start[d + 1] + count[d + 1] + random_below(3);
        }
        count[0] = 1;
        start[0] = random_below(2);
        dims[0] = 2;
        assert_int_equal(ts_space_new_simple(rank + 1, dims, NULL, &s), 0);
        assert_int_equal(ts_space_select_hyperslab(s, H5S_SELECT_SET, start, NULL, count, NULL), 0);
        return s;
    }
    hsize_t step = 1 + random_below(3), first = random_below(4), extent = first + n * step + 2;
    assert_int_equal(ts_space_new_simple(1, &extent, NULL, &s), 0);
    assert_int_equal(ts_space_select_hyperslab(s, H5S_SELECT_SET, &first, &step, &n, NULL), 0);
    return s;
}

/* What a plan says: for each place in memory, the place in the file's extent; -1: nothing. */
struct result {
    int64_t *from;
    size_t size, moved;
    const hsize_t *dims, *chunk; /* chunked: to turn places back into those of the extent */
    unsigned rank;
    hsize_t scaled[4];
    bool by_members;
    struct { hsize_t scaled[4]; } seen[4096];
    size_t n_seen;
};

static void note(struct result *r, hsize_t src, hsize_t mem)
{
    assert_true(mem < r->size);
    assert_int_equal(r->from[mem], -1);
    r->from[mem] = (int64_t)src;
    r->moved++;
}

static int note_linear(const struct ts_piece *pieces, size_t n, void *ctx)
{
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            for (hsize_t e = 0; e < pieces[i].n; e++)
                note(ctx, pieces[i].src + k * pieces[i].src_step + e, pieces[i].mem + k * pieces[i].mem_step + e);
    return 0;
}

static void begin(struct result *r, const hsize_t *scaled)
{
    memcpy(r->scaled, scaled, r->rank * sizeof *scaled);
    for (size_t i = 0; i < r->n_seen; i++)
        assert_int_not_equal(memcmp(r->seen[i].scaled, scaled, r->rank * sizeof *scaled), 0);
    assert_true(r->n_seen < 4096);
    memcpy(r->seen[r->n_seen++].scaled, scaled, r->rank * sizeof *scaled);
}

static void note_chunk(struct result *r, const struct ts_piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            for (hsize_t e = 0; e < pieces[i].n; e++) {
                hsize_t rest = pieces[i].src + k * pieces[i].src_step + e, src = 0, stride = 1;
                for (unsigned d = r->rank; d-- > 0; rest /= r->chunk[d]) {
                    hsize_t x = r->scaled[d] * r->chunk[d] + rest % r->chunk[d];
                    assert_true(x < r->dims[d]);
                    src += x * stride;
                    stride *= r->dims[d];
                }
                assert_int_equal(rest, 0);
                note(r, src, pieces[i].mem + k * pieces[i].mem_step + e);
            }
}

/* The elements of the members, one by one. */
static void note_members(struct result *r, struct ts_run_set *set, const struct ts_piece *lines, size_t n)
{
    uint64_t elements = ts_run_set_limit(set);
    r->by_members = true;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(lines[i].count, 1);
        for (hsize_t e = 0; e < lines[i].n; e++) {
            uint64_t at = 0;
            while (at < elements && ts_run_set_rank(set, at + 1) <= lines[i].src + e)
                at++;
            struct ts_piece piece = {.src = at, .mem = lines[i].mem + e, .n = 1, .count = 1};
            note_chunk(r, &piece, 1);
        }
    }
}

/* Pulls all chunks, and of each its pieces, few or many at a time. */
static void pull(const struct ts_plan *plan, const hsize_t *chunk, bool sets, struct result *r)
{
    struct ts_plan_cursor c;
    struct ts_piece pieces[64];
    int found;
    assert_int_equal(ts_plan_begin(&c, plan, chunk, sets), 0);
    while ((found = ts_plan_next_chunk(&c)) > 0) {
        size_t n;
        begin(r, c.scaled);
        assert_true(c.more);
        while ((n = ts_plan_next_pieces(&c, pieces, 1 + random_below(random_below(2) ? 64 : 3))) > 0) {
            if (c.set)
                note_members(r, c.set, pieces, n);
            else
                note_chunk(r, pieces, n);
        }
        assert_false(c.more);
    }
    assert_int_equal(found, 0);
    ts_plan_end(&c);
}

static void clear(struct result *r)
{
    for (size_t i = 0; i < r->size; i++)
        r->from[i] = -1;
    r->moved = r->n_seen = 0;
}

static void compare(const struct result *r, const hsize_t *file, const hsize_t *mem, size_t n)
{
    assert_int_equal(r->moved, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(r->from[mem[i]], (int64_t)file[i]);
}

static struct result shared;

static void check_pair(const struct ts_space *file, const struct ts_space *mem)
{
    struct ts_plan plan;
    hsize_t *from, *to, chunk[4];
    struct result *r = &shared;
    assert_int_equal(ts_plan_init(&plan, file, mem), 0);
    size_t n = list_elements(file, &from);
    assert_int_equal(list_elements(mem, &to), n);
    *r = (struct result){.size = (size_t)ts_space_npoints(mem), .dims = ts_space_dims(file), .chunk = chunk,
                         .rank = ts_space_rank(file)};
    r->from = malloc((r->size + 1) * sizeof *r->from);
    clear(r);
    assert_int_equal(ts_plan_linear(&plan, note_linear, r), 0);
    compare(r, from, to, n);
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned d = 0; d < r->rank; d++)
            chunk[d] = 1 + random_below((unsigned)r->dims[d] + 2);
        clear(r);
        pull(&plan, chunk, false, r);
        compare(r, from, to, n);
    }
    struct ts_pair *pairs;
    size_t n_pairs, at = 0;
    assert_int_equal(ts_plan_pairs(&plan, &pairs, &n_pairs), 0);
    clear(r);
    for (size_t i = 0; i < n_pairs; at += pairs[i++].n)
        for (hsize_t e = 0; e < pairs[i].n; e++)
            note(r, pairs[i].src + e, pairs[i].mem + e);
    compare(r, from, to, n);
    ts_plan_init_pairs(&plan, file, pairs, n_pairs);
    assert_int_equal(plan.total, n);
    clear(r);
    pull(&plan, chunk, false, r);
    compare(r, from, to, n);
    ts_free(pairs);
    free(r->from);
    free(from);
    free(to);
}

/* A random selection as sets in a random grid, with memory that is one run or not. */
static struct ts_space *random_sets(hsize_t *chunk)
{
    struct ts_space *file = random_extent(1 + random_below(4), 8), *s;
    unsigned char in[4096] = {0};
    struct ts_chunk_sets *sets;
    unsigned often = 1 + random_below(6), rank = ts_space_rank(file);
    for (hsize_t i = 0; i < ts_space_npoints(file); i++)
        in[i] = random_below(often) == 0;
    for (unsigned d = 0; d < rank; d++)
        chunk[d] = random_below(3) ? 1 + random_below((unsigned)ts_space_dims(file)[d] + 2) : ts_space_dims(file)[d];
    assert_int_equal(sets_of(rank, ts_space_dims(file), chunk, in, &sets), 0);
    assert_int_equal(ts_space_take_sets(file, &sets, &s), 0);
    ts_space_unref(file);
    return s;
}

static void check_sets(const struct ts_space *file, const struct ts_space *mem, const hsize_t *chunk)
{
    struct ts_plan plan;
    struct ts_run run;
    hsize_t *from, *to;
    struct result *r = &shared;
    size_t n = list_elements(file, &from);
    assert_int_equal(list_elements(mem, &to), n);
    *r = (struct result){.size = (size_t)ts_space_npoints(mem), .dims = ts_space_dims(file), .chunk = chunk,
                         .rank = ts_space_rank(file)};
    r->from = malloc((r->size + 1) * sizeof *r->from);
    clear(r);
    assert_int_equal(ts_plan_init(&plan, file, mem), 0);
    pull(&plan, chunk, true, r);
    compare(r, from, to, n);
    assert_int_equal(r->by_members, ts_space_chunk_sets(file) && ts_space_single_run(mem, &run));
    assert_true(n == 0 || r->n_seen <= ts_plan_most_chunks(&plan, chunk));
    free(r->from);
    free(from);
    free(to);
}

static void sets_by_chunk(void **state)
{
    (void)state;
    unsigned sets = 0;
    for (unsigned i = 0; i < 3000; i++) {
        hsize_t chunk[4], n;
        struct ts_space *file = random_sets(chunk), *mem;
        sets += ts_space_chunk_sets(file) != NULL;
        check_pair(file, mem = matching_memory(file));
        check_sets(file, mem, chunk);
        ts_space_unref(mem);
        n = ts_space_selected(file);
        assert_int_equal(ts_space_new_simple(1, &n, NULL, &mem), 0);
        check_sets(file, mem, chunk);
        ts_space_unref(mem);
        ts_space_unref(file);
    }
    assert_in_range(sets, 1000, 2900);
}

static void random_selections(void **state)
{
    (void)state;
    unsigned affine = 0, rounds = 4000;
    for (unsigned i = 0; i < rounds; i++) {
        struct ts_space *file = random_extent(1 + random_below(4), 8);
        select_random(file);
        struct ts_space *mem = matching_memory(file);
        struct ts_plan plan;
        assert_int_equal(ts_plan_init(&plan, file, mem), 0);
        affine += plan.affine;
        check_pair(file, mem);
        ts_space_unref(mem);
        ts_space_unref(file);
    }
    /* Both ways were taken often. */
    assert_true(affine > rounds / 4 && affine < rounds - rounds / 4);
}

/* All regular hyperslabs of a small extent, with every chunk size. */
static void all_slabs_of_a_line(void **state)
{
    enum { SIZE = 7 };
    (void)state;
    hsize_t size = SIZE;
    struct ts_space *file;
    assert_int_equal(ts_space_new_simple(1, &size, NULL, &file), 0);
    for (hsize_t start = 0; start < SIZE; start++)
        for (hsize_t block = 1; start + block <= SIZE; block++)
            for (hsize_t stride = block; stride <= SIZE; stride++)
                for (hsize_t count = 1; start + (count - 1) * stride + block <= SIZE; count++) {
                    assert_int_equal(ts_space_select_hyperslab(file, H5S_SELECT_SET, &start, &stride, &count, &block), 0);
                    struct ts_space *mem = matching_memory(file);
                    check_pair(file, mem);
                    ts_space_unref(mem);
                }
    ts_space_unref(file);
}

static int count_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    (void)pieces;
    *(size_t *)ctx += n;
    return 0;
}

/* Regular selections cost pieces by their shape, not by their size. */
static void large_regular_selections_stay_small(void **state)
{
    (void)state;
    hsize_t dims[2] = {1 << 20, 1 << 20}, zero[2] = {0, 0}, two[2] = {2, 2}, half[2] = {1 << 19, 1 << 19};
    hsize_t n = (hsize_t)1 << 40, quarter = (hsize_t)1 << 38;
    struct ts_space *file, *mem;
    struct ts_plan plan;
    size_t pieces = 0;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &file), 0);
    assert_int_equal(ts_space_new_simple(1, &n, NULL, &mem), 0);
    assert_int_equal(ts_plan_init(&plan, file, mem), 0);
    assert_int_equal(ts_plan_linear(&plan, count_pieces, &pieces), 0);
    assert_int_equal(pieces, 1);
    ts_space_unref(mem);
    assert_int_equal(ts_space_select_hyperslab(file, H5S_SELECT_SET, zero, two, half, NULL), 0);
    assert_int_equal(ts_space_new_simple(1, &quarter, NULL, &mem), 0);
    assert_int_equal(ts_plan_init(&plan, file, mem), 0);
    pieces = 0;
    assert_int_equal(ts_plan_linear(&plan, count_pieces, &pieces), 0);
    assert_int_equal(pieces, 1 << 19);
    ts_space_unref(mem);
    ts_space_unref(file);
}

static void wrong_pairs_are_refused(void **state)
{
    (void)state;
    hsize_t ten = 10, nine = 9, start = 5, count = 9;
    struct ts_space *a, *b;
    struct ts_plan plan;
    assert_int_equal(ts_space_new_simple(1, &ten, NULL, &a), 0);
    assert_int_equal(ts_space_new_simple(1, &nine, NULL, &b), 0);
    assert_int_equal(ts_plan_init(&plan, a, b), -1);
    assert_int_equal(ts_space_select_hyperslab(a, H5S_SELECT_SET, &start, NULL, &count, NULL), 0);
    assert_int_equal(ts_plan_init(&plan, a, b), -1);
    ts_space_unref(a);
    ts_space_unref(b);
}

static int stop(const struct ts_piece *pieces, size_t n, void *ctx)
{
    (void)pieces, (void)n, (void)ctx;
    return 7;
}

static void a_callback_stops_the_walk(void **state)
{
    (void)state;
    struct ts_space *s = random_extent(2, 5);
    struct ts_plan plan;
    assert_int_equal(ts_plan_init(&plan, s, s), 0);
    assert_int_equal(ts_plan_linear(&plan, stop, NULL), 7);
    select_random_points(s, 9);
    assert_int_equal(ts_plan_init(&plan, s, s), 0);
    assert_int_equal(ts_plan_linear(&plan, stop, NULL), 7);
    ts_space_unref(s);
}

enum { ROWS = 1500, COLUMNS = 1000, POINTS = 1200000 };

/* What a large plan says of a chunk after the other. */
struct order {
    const hsize_t *chunk;
    const hsize_t *file; /* the place of each element of memory in the file */
    hsize_t scaled[2], last_src, last_mem;
    size_t moved, chunks;
    bool ascends; /* the selection: chunks come once, in their order, and so do their elements */
    bool any;
    unsigned char *seen; /* chunks of the grid */
};

static void order_begin(struct order *o, const hsize_t *scaled)
{
    size_t columns = (size_t)((COLUMNS + o->chunk[1] - 1) / o->chunk[1]);
    unsigned char *seen = &o->seen[scaled[0] * columns + scaled[1]];
    assert_true(!*seen || !o->ascends);
    *seen = 1;
    memcpy(o->scaled, scaled, sizeof o->scaled);
    o->any = false;
    o->chunks++;
}

static void order_pieces(struct order *o, const struct ts_piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct ts_piece *p = &pieces[i];
        assert_int_equal(p->count, 1);
        assert_true(!o->any || p->mem > o->last_mem);
        assert_true(!o->any || !o->ascends || p->src > o->last_src);
        for (hsize_t e = 0; e < p->n; e++) {
            hsize_t y = o->scaled[0] * o->chunk[0] + (p->src + e) / o->chunk[1];
            hsize_t x = o->scaled[1] * o->chunk[1] + (p->src + e) % o->chunk[1];
            if (x >= COLUMNS || o->file[p->mem + e] != y * COLUMNS + x)
                assert_int_equal(o->file[p->mem + e], y * COLUMNS + x);
        }
        o->any = true;
        o->last_src = p->src + p->n - 1;
        o->last_mem = p->mem + p->n - 1;
        o->moved += (size_t)p->n;
    }
}

static void order_all(const struct ts_plan *plan, struct order *o)
{
    struct ts_plan_cursor c;
    struct ts_piece pieces[100];
    assert_int_equal(ts_plan_begin(&c, plan, o->chunk, false), 0);
    while (ts_plan_next_chunk(&c) > 0) {
        order_begin(o, c.scaled);
        while (c.more)
            order_pieces(o, pieces, ts_plan_next_pieces(&c, pieces, 100));
        assert_true(o->any);
    }
    ts_plan_end(&c);
}

static void check_order(const struct ts_space *file, bool ascends)
{
    static const hsize_t chunks[][2] = {{100, 130}, {7, COLUMNS}, {ROWS, 9}, {1, 1}, {3, 2 * COLUMNS}};
    static unsigned char seen[ROWS * COLUMNS];
    hsize_t n = ts_space_selected(file), *places;
    struct ts_space *mem;
    struct ts_plan plan;
    assert_int_equal(list_elements(file, &places), n);
    assert_int_equal(ts_space_new_simple(1, &n, NULL, &mem), 0);
    assert_int_equal(ts_plan_init(&plan, file, mem), 0);
    assert_false(plan.affine);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct order o = {.chunk = chunks[i], .file = places, .ascends = ascends, .seen = seen};
        memset(seen, 0, sizeof seen);
        order_all(&plan, &o);
        assert_int_equal(o.moved, n);
    }
    ts_space_unref(mem);
    free(places);
}

/* More runs than are sorted at once: nothing is lost; what ascends comes chunk by chunk. */
static void many_runs(void **state)
{
    (void)state;
    hsize_t dims[2] = {ROWS, COLUMNS};
    struct ts_space *extent, *file;
    size_t n = 0;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &extent), 0);
    struct ts_run *runs = malloc(ROWS * COLUMNS * sizeof *runs);
    for (hsize_t at = random_below(5); at < ROWS * COLUMNS; at += 2 + random_below(5)) {
        hsize_t left = ROWS * COLUMNS - at, length = random_below(200) ? 1 : 1 + random_below(3000);
        runs[n++] = (struct ts_run){at, length < left ? length : left};
        at += runs[n - 1].length - 1;
    }
    assert_int_equal(ts_space_from_runs(extent, runs, n, &file), 0);
    check_order(file, true);
    ts_space_unref(file);
    free(runs);
    hsize_t *coords = malloc(POINTS * sizeof dims);
    for (size_t i = 0; i < POINTS; i++) {
        coords[2 * i] = random_below(ROWS);
        coords[2 * i + 1] = random_below(COLUMNS);
    }
    assert_int_equal(ts_space_select_elements(extent, H5S_SELECT_SET, POINTS, coords), 0);
    check_order(extent, false);
    free(coords);
    ts_space_unref(extent);
}

/* With the same selection on both sides places are the same. */
static void a_space_with_itself(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 500; i++) {
        struct ts_space *s = random_extent(1 + random_below(3), 7);
        select_random_slab(s, H5S_SELECT_SET);
        if (i % 2)
            select_random_slab(s, H5S_SELECT_XOR);
        if (ts_space_selected(s) > 0)
            check_pair(s, s);
        ts_space_unref(s);
    }
}

static int count_chunks(const struct ts_plan *plan, const hsize_t *chunk, size_t *n)
{
    struct ts_plan_cursor c;
    struct ts_piece pieces[16];
    int found = ts_plan_begin(&c, plan, chunk, false);
    if (found < 0)
        return -1;
    while ((found = ts_plan_next_chunk(&c)) > 0) {
        ++*n;
        while (c.more)
            ts_plan_next_pieces(&c, pieces, 16);
    }
    ts_plan_end(&c);
    return found;
}

/* Who stops in the middle leaves nothing behind. */
static void a_cursor_may_end_anywhere(void **state)
{
    (void)state;
    struct ts_plan_cursor c;
    struct ts_piece piece;
    struct ts_space *s = random_extent(2, 5);
    struct ts_plan plan;
    hsize_t chunk[2] = {2, 2};
    select_random_points(s, 9);
    assert_int_equal(ts_plan_init(&plan, s, s), 0);
    for (unsigned steps = 0; steps < 3; steps++) {
        assert_int_equal(ts_plan_begin(&c, &plan, chunk, true), 0);
        if (steps > 0)
            assert_int_equal(ts_plan_next_chunk(&c), 1);
        if (steps > 1)
            assert_int_equal(ts_plan_next_pieces(&c, &piece, 1), 1);
        ts_plan_end(&c);
        ts_plan_end(&c);
    }
    ts_space_select_none(s);
    assert_int_equal(ts_plan_init(&plan, s, s), 0);
    assert_int_equal(ts_plan_begin(&c, &plan, chunk, true), 0);
    assert_int_equal(ts_plan_next_chunk(&c), 0);
    ts_plan_end(&c);
    ts_space_unref(s);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    hsize_t dims[2] = {30, 40}, chunk[2] = {7, 11}, coords[2 * 500], n = 500;
    struct ts_space *file, *mem;
    struct ts_plan plan;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &file), 0);
    assert_int_equal(ts_space_new_simple(1, &n, NULL, &mem), 0);
    for (size_t i = 0; i < 500; i++) {
        coords[2 * i] = random_below(30);
        coords[2 * i + 1] = random_below(40);
    }
    assert_int_equal(ts_space_select_elements(file, H5S_SELECT_SET, 500, coords), 0);
    assert_int_equal(ts_plan_init(&plan, file, mem), 0);
    for (unsigned mode = 0; mode < 2; mode++)
        for (unsigned long at = 1;; at++) {
            size_t chunks = 0;
            ts_alloc_fail_at(at, mode ? TS_FAULT_FROM : TS_FAULT_ONCE);
            int status = count_chunks(&plan, chunk, &chunks);
            if (ts_alloc_fail_at(0, TS_FAULT_ONCE) < at) {
                assert_int_equal(status, 0);
                assert_int_equal(chunks, 20);
                assert_true(at > 4);
                break;
            }
            assert_int_equal(status, -1);
            assert_int_equal(chunks, 0);
        }
    ts_space_unref(mem);
    ts_space_unref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_selections),
        cmocka_unit_test(sets_by_chunk),
        cmocka_unit_test(all_slabs_of_a_line),
        cmocka_unit_test(large_regular_selections_stay_small),
        cmocka_unit_test(wrong_pairs_are_refused),
        cmocka_unit_test(a_callback_stops_the_walk),
        cmocka_unit_test(a_cursor_may_end_anywhere),
        cmocka_unit_test(many_runs),
        cmocka_unit_test(a_space_with_itself),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
