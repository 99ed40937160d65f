#include "space/chunk_sets.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { RUNS = 128 };

int ts_chunk_sets_new(unsigned rank, const hsize_t *dims, const hsize_t *chunk, struct ts_chunk_sets **out)
{
    struct ts_chunk_sets *s = ts_calloc(1, sizeof *s);
    hsize_t inner = 1;
    if (!s)
        return -1;
    s->rank = rank;
    s->chunk_elements = 1;
    for (unsigned d = 0; d < rank; d++) {
        s->dims[d] = dims[d];
        s->chunk[d] = chunk[d];
        s->chunk_elements *= chunk[d];
    }
    for (s->split = rank - 1; s->split > 0 && chunk[s->split] == dims[s->split]; s->split--)
        inner *= chunk[s->split];
    s->line = inner * dims[s->split];
    s->chunk_line = inner * chunk[s->split];
    *out = s;
    return 0;
}

void ts_chunk_sets_free(struct ts_chunk_sets *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        ts_run_set_free(s->sets[i]);
    ts_free(s->sets);
    ts_free(s->scaled);
    ts_free(s);
}

int ts_chunk_sets_add(struct ts_chunk_sets *s, const hsize_t *scaled, struct ts_run_set **set)
{
    if (ts_run_set_count(*set) == 0) {
        ts_run_set_free(*set);
        *set = NULL;
        return 0;
    }
    if (TS_GROW(s->sets, s->capacity, s->n + 1) < 0 || TS_GROW(s->scaled, s->scaled_capacity, (s->n + 1) * s->rank) < 0)
        return -1;
    memcpy(s->scaled + s->n * s->rank, scaled, s->rank * sizeof *scaled);
    s->sets[s->n++] = *set;
    s->elements += ts_run_set_count(*set);
    *set = NULL;
    return 0;
}

/* The part of a chunk that lies in the extent. */
static void inside_of(const struct ts_chunk_sets *s, const hsize_t *scaled, hsize_t *inside)
{
    for (unsigned d = 0; d < s->rank; d++) {
        hsize_t low = scaled[d] * s->chunk[d], left = s->dims[d] > low ? s->dims[d] - low : 0;
        inside[d] = left < s->chunk[d] ? left : s->chunk[d];
    }
}

/* Adds the rows of the box `inside`. */
static int add_rows(const struct ts_chunk_sets *s, const hsize_t *inside, struct ts_run_builder *b)
{
    unsigned last = s->rank - 1;
    hsize_t at[H5S_MAX_RANK] = {0}, first = 0;
    for (;;) {
        if (ts_run_builder_add_any(b, first, first + inside[last]) < 0)
            return -1;
        unsigned d = last;
        hsize_t step = s->chunk[last];
        for (; d > 0; step *= s->chunk[d]) {
            d--;
            first += step;
            if (++at[d] < inside[d])
                break;
            first -= inside[d] * step;
            at[d] = 0;
            if (d == 0)
                return 0;
        }
        if (last == 0)
            return 0;
    }
}

int ts_chunk_sets_full(const struct ts_chunk_sets *s, const hsize_t *scaled, struct ts_run_set **out)
{
    struct ts_run_builder b;
    hsize_t inside[H5S_MAX_RANK];
    bool empty = false;
    inside_of(s, scaled, inside);
    for (unsigned d = 0; d < s->rank; d++)
        empty = empty || inside[d] == 0;
    int status = ts_run_builder_init(&b, s->chunk_elements);
    if (status == 0 && !empty)
        status = add_rows(s, inside, &b);
    if (status == 0)
        status = ts_run_builder_finish(&b, out);
    ts_run_builder_deinit(&b);
    return status;
}

/* Runs of a set, one after the other. */
struct reader {
    const struct ts_run_set *set;
    struct ts_run_cursor cursor;
    size_t at, n;
    struct ts_run runs[RUNS];
};

static void reader_init(struct reader *r, const struct ts_run_set *set)
{
    r->set = set;
    r->cursor = (struct ts_run_cursor){0};
    r->at = r->n = 0;
}

/* The present run; NULL at the end. */
static const struct ts_run *reader_run(struct reader *r)
{
    if (r->at == r->n) {
        r->at = 0;
        r->n = ts_run_set_next(r->set, &r->cursor, r->runs, RUNS);
    }
    return r->n > 0 ? &r->runs[r->at] : NULL;
}

static int add_common(const struct ts_run_set *a, const struct ts_run_set *b, struct ts_run_builder *out)
{
    struct reader x, y;
    const struct ts_run *p, *q;
    reader_init(&x, a);
    reader_init(&y, b);
    while ((p = reader_run(&x)) && (q = reader_run(&y))) {
        hsize_t first = p->offset > q->offset ? p->offset : q->offset, p_end = p->offset + p->length,
                q_end = q->offset + q->length, end = p_end < q_end ? p_end : q_end;
        if (first < end && ts_run_builder_add(out, first, end) < 0)
            return -1;
        x.at += p_end == end;
        y.at += q_end == end;
    }
    return 0;
}

static int intersect(const struct ts_run_set *a, const struct ts_run_set *b, struct ts_run_set **out)
{
    struct ts_run_builder builder;
    int status = ts_run_builder_init(&builder, ts_run_set_limit(a));
    if (status == 0)
        status = add_common(a, b, &builder);
    if (status == 0)
        status = ts_run_builder_finish(&builder, out);
    ts_run_builder_deinit(&builder);
    return status;
}

int ts_chunk_sets_clip(const struct ts_chunk_sets *s, const hsize_t *scaled, struct ts_run_set **set)
{
    hsize_t inside[H5S_MAX_RANK], behind = 1;
    struct ts_run_set *full, *clipped = NULL;
    bool whole_rows = true;
    inside_of(s, scaled, inside);
    for (unsigned d = 0; d < s->rank; d++) {
        whole_rows = whole_rows && (d == 0 || inside[d] == s->chunk[d]);
        behind *= inside[d];
    }
    if (whole_rows && ts_run_set_end(*set) <= behind)
        return 0;
    if (ts_chunk_sets_full(s, scaled, &full) < 0)
        return -1;
    int status = intersect(*set, full, &clipped);
    ts_run_set_free(full);
    if (status < 0)
        return -1;
    ts_run_set_free(*set);
    *set = clipped;
    return 0;
}

size_t ts_chunk_sets_band(const struct ts_chunk_sets *s, size_t i)
{
    size_t end = i + 1;
    while (end < s->n && s->scaled[end * s->rank] == s->scaled[i * s->rank])
        end++;
    return end;
}

hsize_t ts_chunk_sets_band_lines(const struct ts_chunk_sets *s)
{
    hsize_t n = s->split == 0 ? 1 : s->chunk[0] < s->dims[0] ? s->chunk[0] : s->dims[0];
    for (unsigned d = 1; d < s->split; d++)
        n *= s->dims[d];
    return n;
}

hsize_t ts_chunk_sets_band_line(const struct ts_chunk_sets *s, const hsize_t *scaled, hsize_t r)
{
    hsize_t at = 0, step = 1;
    for (unsigned d = s->split; d-- > 1; step *= s->dims[d], r /= s->chunk[d])
        at += (scaled[d] * s->chunk[d] + r % s->chunk[d]) * step;
    return at + r * step;
}

/* Looking up where each line ends takes about as long as going through so many members. */
enum { MEMBERS_PER_LOOKUP = 4 };

static size_t lines_by_lookup(const struct ts_chunk_sets *s, const struct ts_run_set *set, struct ts_set_lines *at,
                              struct ts_set_line *out, size_t max)
{
    size_t n = 0;
    uint64_t count = ts_run_set_count(set);
    for (; n < max && at->before < count; at->next++) {
        uint64_t before = ts_run_set_rank_next(set, &at->cursor, (at->next + 1) * s->chunk_line);
        if (before > at->before)
            out[n++] = (struct ts_set_line){at->next, before - at->before};
        at->before = before;
    }
    return n;
}

static size_t lines_by_runs(const struct ts_chunk_sets *s, const struct ts_run_set *set, struct ts_set_lines *at,
                            struct ts_set_line *out, size_t max)
{
    struct ts_run runs[RUNS];
    size_t n = 0, got = 0, i = 0;
    hsize_t end = 0; /* of the line that out[n - 1] is of */
    for (;;) {
        if (at->run.length == 0) {
            if (i == got && (got = ts_run_set_next(set, &at->cursor, runs, RUNS), i = 0, got == 0))
                return n;
            at->run = runs[i++];
        }
        if (at->run.offset >= end) {
            if (n == max)
                break;
            hsize_t r = at->run.offset / s->chunk_line;
            end = (r + 1) * s->chunk_line;
            out[n++] = (struct ts_set_line){r, 0};
        }
        hsize_t some = at->run.length < end - at->run.offset ? at->run.length : end - at->run.offset;
        out[n - 1].n += some;
        at->run.offset += some;
        at->run.length -= some;
    }
    /* What was fetched ahead comes again. */
    if (i < got)
        at->cursor = (struct ts_run_cursor){.at = runs[i].offset};
    return n;
}

size_t ts_chunk_sets_lines(const struct ts_chunk_sets *s, size_t i, struct ts_set_lines *at, struct ts_set_line *out,
                           size_t max)
{
    const struct ts_run_set *set = s->sets[i];
    hsize_t lines = ts_run_set_end(set) / s->chunk_line + 1;
    return ts_run_set_count(set) / lines >= MEMBERS_PER_LOOKUP ? lines_by_lookup(s, set, at, out, max)
                                                               : lines_by_runs(s, set, at, out, max);
}

static int damaged(const char **reason, const char *what)
{
    *reason = what;
    return -1;
}

static int verify_one(const struct ts_chunk_sets *s, size_t i, const char **reason)
{
    const hsize_t *scaled = ts_chunk_sets_scaled(s, i), *last = i > 0 ? ts_chunk_sets_scaled(s, i - 1) : NULL;
    unsigned d = 0;
    if (!ts_run_set_verify(s->sets[i], reason))
        return -1;
    if (ts_run_set_count(s->sets[i]) == 0 || ts_run_set_limit(s->sets[i]) != s->chunk_elements)
        return damaged(reason, "a set without members, or of a chunk of another size");
    while (last && d < s->rank && scaled[d] == last[d])
        d++;
    if (last && (d == s->rank || scaled[d] < last[d]))
        return damaged(reason, "sets that are out of order");
    struct ts_run_set *clipped;
    if (ts_run_set_copy(s->sets[i], &clipped) < 0)
        return damaged(reason, "no memory");
    bool whole =
        ts_chunk_sets_clip(s, scaled, &clipped) == 0 && ts_run_set_count(clipped) == ts_run_set_count(s->sets[i]);
    ts_run_set_free(clipped);
    return whole ? 0 : damaged(reason, "a set with members outside of the extent");
}

int ts_chunk_sets_verify(const struct ts_chunk_sets *s, const char **reason)
{
    hsize_t elements = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (verify_one(s, i, reason) < 0)
            return -1;
        elements += ts_run_set_count(s->sets[i]);
    }
    return elements == s->elements ? 0 : damaged(reason, "wrong number of elements in sets");
}
