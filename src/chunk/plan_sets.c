/* Elements go to memory in the order of the extent: line by line, in each line one chunk's after the other's. So for a
 * row of chunks the members of each set are counted by lines; the sums tell where those of each line and chunk go. */
#include "chunk/plan_sets.h"

#include <string.h>

#include "base/alloc.h"
#include "space/chunk_sets.h"

enum { PORTION = 1024 };

/* Lines of the extent that a row of chunks may have for each element in it: each costs a step and 8 bytes. */
enum { MOST_LINES = 4, FEW_LINES = 1 << 16 };

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
static int count_set(struct ts_plan_sets *b, size_t i)
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
            b->parts[b->n++] = (struct ts_plan_line){line, found[k].n};
        }
    }
    return 0;
}

static void number_lines(struct ts_plan_sets *b)
{
    for (hsize_t k = 0; k < b->n_lines; k++) {
        hsize_t n = b->lines[k];
        b->lines[k] = b->mem;
        b->mem += n;
    }
}

/* The sets of a row of chunks, from `next` on. */
static int begin_band(struct ts_plan_sets *b)
{
    b->end = ts_chunk_sets_band(b->sets, b->next);
    b->n = b->part = 0;
    memset(b->lines, 0, (size_t)b->n_lines * sizeof *b->lines);
    for (size_t i = b->next; i < b->end; i++)
        if (count_set(b, i) < 0)
            return -1;
    number_lines(b);
    return 0;
}

int ts_plan_sets_init(struct ts_plan_sets *b, const struct ts_plan *plan)
{
    *b = (struct ts_plan_sets){.sets = plan->sets, .mem = plan->mem_start};
    b->n_lines = ts_chunk_sets_band_lines(b->sets);
    b->lines = ts_malloc((size_t)b->n_lines * sizeof *b->lines);
    return b->lines ? 0 : -1;
}

void ts_plan_sets_deinit(struct ts_plan_sets *b)
{
    ts_free(b->lines);
    ts_free(b->parts);
}

int ts_plan_sets_next(struct ts_plan_sets *b, hsize_t *scaled, struct ts_run_set **set)
{
    if (b->next == b->sets->n)
        return 0;
    if (b->next == b->end && begin_band(b) < 0)
        return -1;
    *set = b->sets->sets[b->next];
    memcpy(scaled, ts_chunk_sets_scaled(b->sets, b->next), b->sets->rank * sizeof *scaled);
    b->src = 0;
    b->count = ts_run_set_count(*set);
    b->next++;
    return 1;
}

/* Lines that follow each other in memory are one piece. */
size_t ts_plan_sets_pieces(struct ts_plan_sets *b, struct ts_piece *out, size_t max)
{
    size_t n = 0;
    for (; b->src < b->count; b->part++) {
        const struct ts_plan_line *p = &b->parts[b->part];
        hsize_t mem = b->lines[p->line];
        if (n > 0 && out[n - 1].mem + out[n - 1].n == mem)
            out[n - 1].n += p->n;
        else if (n < max)
            out[n++] = (struct ts_piece){.src = b->src, .mem = mem, .n = p->n, .count = 1};
        else
            break;
        b->lines[p->line] += p->n;
        b->src += p->n;
    }
    return n;
}
