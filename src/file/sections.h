/* A set of pieces of a file that do not overlap, found by address and by size, each in logarithmic time. */
#ifndef TS_FILE_SECTIONS_H
#define TS_FILE_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_section {
    haddr_t addr;
    uint64_t size;
    uint32_t rank;                /* random: parents have the greater one */
    struct ts_section *kid[2][2]; /* of the trees by address and by size: what comes before, what comes after */
};

struct ts_sections {
    struct ts_section *root[2];
    size_t n;
    uint64_t bytes;
    uint64_t page; /* pieces do not grow together across multiples of this; 0: they always do */
    uint32_t seed;
};

/* Adds a piece, joined with those it touches. What of it is in the set already counts once. */
int ts_sections_add(struct ts_sections *s, haddr_t addr, uint64_t size);
/* Takes whatever is in the set out of [addr, addr + size). */
int ts_sections_cut(struct ts_sections *s, haddr_t addr, uint64_t size);
/* The last piece that begins at addr or before; NULL when there is none. */
const struct ts_section *ts_sections_floor(const struct ts_sections *s, haddr_t addr);
/* The smallest piece of at least this size, of those the one with the lowest address that is not below addr. */
const struct ts_section *ts_sections_fit(const struct ts_sections *s, uint64_t size, haddr_t addr);
void ts_sections_clear(struct ts_sections *s);

#endif
