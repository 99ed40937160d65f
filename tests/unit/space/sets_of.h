/* Sets by chunk from one byte per element of an extent. */
#ifndef SETS_OF_H
#define SETS_OF_H

#include "space/chunk_sets.h"

/* The members of one chunk, element by element. */
static inline int set_of(unsigned rank, const hsize_t *dims, const hsize_t *chunk, const hsize_t *scaled,
                         const unsigned char *in, struct ts_run_set **out)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < rank; d++)
        n *= chunk[d];
    if (ts_run_set_new(n, out) < 0)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        struct ts_run one = {i, 1};
        hsize_t at = 0, step = 1, rest = i;
        bool inside = true;
        for (unsigned d = rank; d-- > 0; rest /= chunk[d], step *= dims[d]) {
            hsize_t x = scaled[d] * chunk[d] + rest % chunk[d];
            inside = inside && x < dims[d];
            at += x * step;
        }
        if (inside && in[at] && ts_run_set_append(*out, &one, 1) < 0) {
            ts_run_set_free(*out);
            *out = NULL;
            return -1;
        }
    }
    return 0;
}

static inline int sets_of(unsigned rank, const hsize_t *dims, const hsize_t *chunk, const unsigned char *in,
                          struct ts_chunk_sets **out)
{
    hsize_t scaled[5] = {0};
    struct ts_run_set *set = NULL;
    if (ts_chunk_sets_new(rank, dims, chunk, out) < 0)
        return -1;
    for (;;) {
        if (set_of(rank, dims, chunk, scaled, in, &set) < 0 || ts_chunk_sets_add(*out, scaled, &set) < 0)
            break;
        unsigned d = rank;
        while (d > 0 && ++scaled[d - 1] * chunk[d - 1] >= dims[d - 1])
            scaled[--d] = 0;
        if (d == 0)
            return 0;
    }
    ts_run_set_free(set);
    ts_chunk_sets_free(*out);
    return -1;
}

#endif
