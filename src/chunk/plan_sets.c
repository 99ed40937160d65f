/* Elements go to memory in the order of the extent: line by line, in each line one chunk's after the other's. So for a row
 * of chunks the members of each set are counted by lines; the sums tell where those of each line and chunk go. */
#include "chunk/plan_sets.h"

#include <string.h>

#include "base/alloc.h"
#include "space/chunk_sets.h"

enum { PORTION = 1024 };

/* Lines of the extent that a row of chunks may have for each element in it: each costs a step and 8 bytes. */
enum { MOST_LINES = 4, FEW_LINES = 1 << 16 };

/* A line of a chunk. */
struct part {
    hsize_t line; /* in the row of chunks */
    hsize_t n;
};

struct band {
    const struct ts_chunk_sets *sets;
    const struct ts_plan_chunk_ops *ops;
    void *ctx;
    hsize_t mem;      /* where the row begins */
    hsize_t *lines;   /* how many elements each has; then where the next of them goes */
    hsize_t n_lines;
    struct part *parts; /* of all chunks of the row */
    size_t n, capacity;
};

bool ts_plan_sets_fit(const struct ts_plan *plan, const hsize_t *chunk_dims)
{
    const struct ts_chunk_sets *s = plan->sets;
    if (!s || memcmp(s->chunk, chunk_dims, s->rank * sizeof *chunk_dims) != 0)
        return false;
    hsize_t bands = 0, lines = ts_chunk_sets_band_lines(s);
    for (size_t i = 0; i < s->n; i = ts_chunk_sets_band(s, i))
        bands++;
    return lines <= FEW_LINES / bands || lines / MOST_LINES <= s->elements / bands;
}

/* Counts the members of a set by lines. */
static int count_set(struct band *b, size_t i)
{
    const hsize_t *scaled = ts_chunk_sets_scaled(b->sets, i);
    struct ts_set_line found[PORTION];
    struct ts_set_lines at = {0};
    for (size_t n; (n = ts_chunk_sets_lines(b->sets, i, &at, found, PORTION)) > 0;) {
        if (TS_GROW(b->parts, b->capacity, b->n + n) < 0)
            return -1;
        for (size_t k = 0; k < n; k++) {
            hsize_t line = ts_chunk_sets_band_line(b->sets, scaled, found[k].r);
            b->lines[line] += found[k].n;
            b->parts[b->n++] = (struct part){line, found[k].n};
        }
    }
    return 0;
}

static void number_lines(struct band *b)
{
    for (hsize_t k = 0; k < b->n_lines; k++) {
        hsize_t n = b->lines[k];
        b->lines[k] = b->mem;
        b->mem += n;
    }
}

/* The parts of a set from *part on, which is moved behind them. Parts that follow each other in memory are one. */
static int give_set(struct band *b, size_t i, size_t *part)
{
    struct ts_run_set *set = b->sets->sets[i];
    struct ts_piece pieces[PORTION / 4];
    size_t n = 0;
    hsize_t src = 0, count = ts_run_set_count(set);
    int status = b->ops->begin(ts_chunk_sets_scaled(b->sets, i), b->ctx);
    for (; src < count && status == 0; ++*part) {
        const struct part *p = &b->parts[*part];
        hsize_t mem = b->lines[p->line];
        if (n > 0 && pieces[n - 1].mem + pieces[n - 1].n == mem) {
            pieces[n - 1].n += p->n;
        } else {
            if (n == PORTION / 4) {
                status = b->ops->members(set, pieces, n, b->ctx);
                n = 0;
            }
            pieces[n++] = (struct ts_piece){.src = src, .mem = mem, .n = p->n, .count = 1};
        }
        b->lines[p->line] += p->n;
        src += p->n;
    }
    if (status == 0)
        status = b->ops->members(set, pieces, n, b->ctx);
    return status == 0 ? b->ops->end(b->ctx) : status;
}

static int give_band(struct band *b, size_t first, size_t end)
{
    size_t part = 0;
    int status = 0;
    b->n = 0;
    memset(b->lines, 0, (size_t)b->n_lines * sizeof *b->lines);
    for (size_t i = first; i < end && status == 0; i++)
        status = count_set(b, i);
    if (status == 0)
        number_lines(b);
    for (size_t i = first; i < end && status == 0; i++)
        status = give_set(b, i, &part);
    return status;
}

int ts_plan_sets(const struct ts_plan *plan, const struct ts_plan_chunk_ops *ops, void *ctx)
{
    struct band b = {.sets = plan->sets, .ops = ops, .ctx = ctx, .mem = plan->mem_start};
    b.n_lines = ts_chunk_sets_band_lines(b.sets);
    b.lines = ts_malloc((size_t)b.n_lines * sizeof *b.lines);
    int status = b.lines ? 0 : -1;
    for (size_t i = 0, end; i < b.sets->n && status == 0; i = end) {
        end = ts_chunk_sets_band(b.sets, i);
        status = give_band(&b, i, end);
    }
    ts_free(b.lines);
    ts_free(b.parts);
    return status;
}
