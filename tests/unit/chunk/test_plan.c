/* Plans against an oracle: the elements of both selections, listed one by one. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "chunk/plan.h"

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
    int open;
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

static int begin(const hsize_t *scaled, void *ctx)
{
    struct result *r = ctx;
    assert_false(r->open);
    r->open = 1;
    memcpy(r->scaled, scaled, r->rank * sizeof *scaled);
    for (size_t i = 0; i < r->n_seen; i++)
        assert_int_not_equal(memcmp(r->seen[i].scaled, scaled, r->rank * sizeof *scaled), 0);
    assert_true(r->n_seen < 4096);
    memcpy(r->seen[r->n_seen++].scaled, scaled, r->rank * sizeof *scaled);
    return 0;
}

static int note_chunk(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct result *r = ctx;
    assert_true(r->open);
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
    return 0;
}

static int end(void *ctx)
{
    struct result *r = ctx;
    assert_true(r->open);
    r->open = 0;
    return 0;
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
    static const struct ts_plan_chunk_ops ops = {begin, note_chunk, end};
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
        assert_int_equal(ts_plan_chunks(&plan, chunk, &ops, r), 0);
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
    assert_int_equal(ts_plan_chunks(&plan, chunk, &ops, r), 0);
    compare(r, from, to, n);
    ts_free(pairs);
    free(r->from);
    free(from);
    free(to);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_selections),
        cmocka_unit_test(all_slabs_of_a_line),
        cmocka_unit_test(large_regular_selections_stay_small),
        cmocka_unit_test(wrong_pairs_are_refused),
        cmocka_unit_test(a_callback_stops_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
