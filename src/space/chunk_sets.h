/* A selection as sets of elements by chunk: what is defined in a dataset, as its chunks tell it. Scattered elements
 * take a few bytes each. Sets are not changed once they are in here, and may be read by many threads.
 *
 * The selection's order is that of the extent. A line is a stretch of the extent that is one in a chunk, too: a row of
 * it, or more when the grid does not cut the faster dimensions. So members of a set follow one another in the extent
 * line by line, and those of other chunks come between lines. */
#ifndef TS_SPACE_CHUNK_SETS_H
#define TS_SPACE_CHUNK_SETS_H

#include "space/run_set.h"

struct ts_chunk_sets {
    unsigned rank; /* at least 1 */
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    hsize_t chunk_elements;
    unsigned split;           /* the fastest dimension that the grid cuts */
    hsize_t line, chunk_line; /* elements of the dimensions from split on, of the extent and of a chunk */
    hsize_t elements;         /* of all sets */
    uint64_t stamp;           /* the user's: for which state of its dataset they hold; 0 at first */
    size_t n;
    struct ts_run_set **sets; /* none empty, in the order of their positions */
    hsize_t *scaled;          /* their positions in units of chunks, rank numbers each */
    size_t capacity, scaled_capacity;
};

/* No sets yet. The elements of the extent can be numbered. */
int ts_chunk_sets_new(unsigned rank, const hsize_t *dims, const hsize_t *chunk, struct ts_chunk_sets **out);
void ts_chunk_sets_free(struct ts_chunk_sets *s);
/* Adds one behind those there are. It is taken, *set is NULL after success; one without members is freed. */
int ts_chunk_sets_add(struct ts_chunk_sets *s, const hsize_t *scaled, struct ts_run_set **set);
/* Takes out what lies behind the edge of the extent. *set may become another. */
int ts_chunk_sets_clip(const struct ts_chunk_sets *s, const hsize_t *scaled, struct ts_run_set **set);
/* All elements of a chunk that lie in the extent. */
int ts_chunk_sets_full(const struct ts_chunk_sets *s, const hsize_t *scaled, struct ts_run_set **out);
int ts_chunk_sets_verify(const struct ts_chunk_sets *s, const char **reason);

static inline const hsize_t *ts_chunk_sets_scaled(const struct ts_chunk_sets *s, size_t i)
{
    return s->scaled + i * s->rank;
}

/* One behind the last set that is in the same row of chunks: with the same position in the slowest dimension. */
size_t ts_chunk_sets_band(const struct ts_chunk_sets *s, size_t i);
/* Lines in a row of chunks, as many as there are at most. */
hsize_t ts_chunk_sets_band_lines(const struct ts_chunk_sets *s);
/* Where the r-th line of a chunk is among those of its row of chunks. */
hsize_t ts_chunk_sets_band_line(const struct ts_chunk_sets *s, const hsize_t *scaled, hsize_t r);

/* The members of one set, counted by lines. All zeros at first. */
struct ts_set_line {
    hsize_t r; /* which line of the chunk */
    hsize_t n; /* members, one at least */
};
struct ts_set_lines {
    hsize_t next;      /* line to look at */
    uint64_t before;   /* members before it */
    struct ts_run run; /* not counted yet */
    struct ts_run_cursor cursor;
};
/* Up to max lines, 0 at the end. */
size_t ts_chunk_sets_lines(const struct ts_chunk_sets *s, size_t i, struct ts_set_lines *at, struct ts_set_line *out,
                           size_t max);

/* All members in the order of the extent, as runs of elements. */
struct ts_chunk_walk;
int ts_chunk_walk_new(const struct ts_chunk_sets *s, struct ts_chunk_walk **out);
void ts_chunk_walk_free(struct ts_chunk_walk *w);
/* Up to max runs, 0 at the end. There is a gap between any two, also between those of two calls. */
size_t ts_chunk_walk_next(struct ts_chunk_walk *w, struct ts_run *out, size_t max);

#endif
