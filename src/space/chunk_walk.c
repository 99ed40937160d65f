/* The members of sets by chunk in the order of the extent. The sets of a row of chunks are gone through side by side: a
 * heap tells which of them has the next line. */
#include "base/alloc.h"
#include "base/error.h"
#include "space/chunk_sets.h"

/* Runs that are fetched of a set at a time; fewer when there are so many sets in a row of chunks that memory counts. */
enum { PORTION = 64, SMALL_PORTION = 8, MANY = 256 };

/* Where the walk is in one set. */
struct place {
    const struct ts_run_set *set;
    const hsize_t *scaled;
    struct ts_run_cursor cursor;
    size_t at, n;     /* runs that are fetched: the next one, behind the last */
    hsize_t line_end; /* of the line that the next run begins in, in the chunk */
    hsize_t shift;    /* from the chunk to the extent there, modulo 2^64 */
    struct ts_run *runs;
};

struct head {
    hsize_t first; /* where the place's next run begins in the extent */
    struct place *place;
};

struct ts_chunk_walk {
    const struct ts_chunk_sets *sets;
    hsize_t band_lines;
    size_t next; /* set behind the present row of chunks */
    size_t n;    /* in the heap */
    struct head *heap;
    struct place *places;
    struct ts_run *runs; /* of all places, `portion` each */
    size_t portion;
};

int ts_chunk_walk_new(const struct ts_chunk_sets *s, struct ts_chunk_walk **out)
{
    size_t widest = 1;
    for (size_t i = 0, end; i < s->n; i = end) {
        end = ts_chunk_sets_band(s, i);
        widest = end - i > widest ? end - i : widest;
    }
    size_t portion = widest < MANY ? PORTION : SMALL_PORTION;
    if (widest > SIZE_MAX / (sizeof(struct place) + portion * sizeof(struct ts_run)))
        return TS_ERR(DATASPACE, NOSPACE, "%zu chunks in a row", widest);
    struct ts_chunk_walk *w = ts_calloc(1, sizeof *w);
    if (!w)
        return -1;
    w->sets = s;
    w->band_lines = ts_chunk_sets_band_lines(s);
    w->heap = ts_malloc(widest * sizeof *w->heap);
    w->places = ts_malloc(widest * sizeof *w->places);
    w->runs = ts_malloc(widest * portion * sizeof *w->runs);
    w->portion = portion;
    if (!w->heap || !w->places || !w->runs) {
        ts_chunk_walk_free(w);
        return -1;
    }
    *out = w;
    return 0;
}

void ts_chunk_walk_free(struct ts_chunk_walk *w)
{
    if (!w)
        return;
    ts_free(w->heap);
    ts_free(w->places);
    ts_free(w->runs);
    ts_free(w);
}

static hsize_t first_of(const struct place *p)
{
    return p->runs[p->at].offset + p->shift;
}

/* Finds the line that the next run begins in. */
static void find_line(const struct ts_chunk_walk *w, struct place *p)
{
    const struct ts_chunk_sets *s = w->sets;
    hsize_t r = p->runs[p->at].offset / s->chunk_line, line = 0;
    if (s->split > 0)
        line = p->scaled[0] * w->band_lines + ts_chunk_sets_band_line(s, p->scaled, r);
    p->line_end = (r + 1) * s->chunk_line;
    p->shift = line * s->line + p->scaled[s->split] * s->chunk_line - r * s->chunk_line;
}

/* The same, of a run behind the present line. Mostly it is in the line behind it; with two dimensions that are cut,
 * these are neighbours in the extent, too. */
static void next_line(const struct ts_chunk_walk *w, struct place *p)
{
    const struct ts_chunk_sets *s = w->sets;
    if (s->split != 1 || p->runs[p->at].offset - p->line_end >= s->chunk_line) {
        find_line(w, p);
        return;
    }
    p->line_end += s->chunk_line;
    p->shift += s->line - s->chunk_line;
}

static bool fetch(const struct ts_chunk_walk *w, struct place *p)
{
    p->at = 0;
    p->n = ts_run_set_next(p->set, &p->cursor, p->runs, w->portion);
    return p->n > 0;
}

static void sift_down(struct ts_chunk_walk *w, size_t i)
{
    struct head *heap = w->heap, moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < w->n; i = child) {
        if (child + 1 < w->n && heap[child + 1].first < heap[child].first)
            child++;
        if (moved.first <= heap[child].first)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* Goes on to the next row of chunks. */
static bool enter_band(struct ts_chunk_walk *w)
{
    const struct ts_chunk_sets *s = w->sets;
    if (w->next == s->n)
        return false;
    size_t end = ts_chunk_sets_band(s, w->next);
    for (w->n = 0; w->next < end; w->next++) {
        struct place *p = &w->places[w->n];
        p->set = s->sets[w->next];
        p->scaled = ts_chunk_sets_scaled(s, w->next);
        p->cursor = (struct ts_run_cursor){0};
        p->runs = w->runs + w->n * w->portion;
        fetch(w, p);
        find_line(w, p);
        w->heap[w->n++] = (struct head){first_of(p), p};
    }
    for (size_t i = w->n / 2; i-- > 0;)
        sift_down(w, i);
    return true;
}

/* Gives the next run, or the part of it that lies in the line. False when there is no room. */
static inline bool take_run(struct place *p, struct ts_run *out, size_t *n, size_t max)
{
    struct ts_run *r = &p->runs[p->at];
    hsize_t here = p->line_end - r->offset, length = r->length < here ? r->length : here, at = r->offset + p->shift;
    if (*n > 0 && out[*n - 1].offset + out[*n - 1].length == at)
        out[*n - 1].length += length;
    else if (*n < max)
        out[(*n)++] = (struct ts_run){at, length};
    else
        return false;
    if (length < r->length)
        *r = (struct ts_run){r->offset + length, r->length - length};
    else
        p->at++;
    return true;
}

/* Gives what is fetched of the present line; false when there is no room for all. Only the first run may join
 * another. */
static bool take_line(struct place *p, struct ts_run *out, size_t *n, size_t max)
{
    hsize_t shift = p->shift, line_end = p->line_end;
    if (!take_run(p, out, n, max))
        return false;
    struct ts_run *to = out + *n;
    size_t at = p->at, end = p->n - at < max - *n ? p->n : at + (max - *n);
    for (; at < end && p->runs[at].offset + p->runs[at].length <= line_end; at++)
        *to++ = (struct ts_run){p->runs[at].offset + shift, p->runs[at].length};
    p->at = at;
    *n = (size_t)(to - out);
    return at == p->n || p->runs[at].offset >= line_end || take_run(p, out, n, max);
}

/* Where a chunk is one line, runs need not be fetched before they are given. */
static size_t take_straight(struct place *p, struct ts_run *out, size_t max)
{
    size_t n = ts_run_set_next(p->set, &p->cursor, out, max);
    for (size_t i = 0; i < n; i++)
        out[i].offset += p->shift;
    return n;
}

size_t ts_chunk_walk_next(struct ts_chunk_walk *w, struct ts_run *out, size_t max)
{
    size_t n = 0;
    while (w->n > 0 || enter_band(w)) {
        struct place *p = w->heap[0].place;
        if (!take_line(p, out, &n, max))
            break;
        if (p->at == p->n && w->sets->split == 0)
            n += take_straight(p, out + n, max - n);
        if (p->at == p->n && !fetch(w, p)) {
            w->heap[0] = w->heap[--w->n];
        } else if (p->runs[p->at].offset >= p->line_end) {
            next_line(w, p);
            w->heap[0].first = first_of(p);
        }
        if (w->n > 1)
            sift_down(w, 0);
    }
    return n;
}
