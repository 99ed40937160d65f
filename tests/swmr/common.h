/* What the writer and the readers know of a file: its datasets, and what value each element has. */
#ifndef SWMR_COMMON_H
#define SWMR_COMMON_H

#include <hdf5.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { DATASETS = 2, COLS = 16, CHUNK_COLS = 8, FIXED_ROWS = 64, MOST_ROWS = 60000, MOST_NAMES = 2000, MOST_GENERATIONS = 1 << 20 };

enum elements { DENSE, SPARSE, VLEN, SPARSE_VLEN };

struct sort {
    const char *name;
    hsize_t chunk_rows, max_rows; /* max_rows 0: all rows are there from the start, and are written again and again */
    enum elements elements;
    bool wide; /* a second unlimited dimension */
    bool deflate, pack, early;
    bool names; /* groups, datasets and attributes are made while others read */
};

/* Of both processes, in a file of its own: what the writer has flushed, and for ever. */
struct progress {
    _Atomic uint64_t ready, rows[DATASETS], generation[DATASETS], names, done;
};

const struct sort *sort_find(const char *name);
struct progress *progress_map(const char *path);
hid_t access_list(void);
hid_t element_type(const struct sort *s);
hid_t creation_list(const struct sort *s);

/* generation counts how often the element was written. */
int64_t value_of(unsigned dataset, hsize_t row, unsigned col, unsigned generation);
/* False: it is no value of this element. */
bool value_check(int64_t value, unsigned dataset, hsize_t row, unsigned col, unsigned *generation);
/* Whether sparse datasets have it. */
bool is_defined(hsize_t row, unsigned col);
/* Rows that may be erased. */
bool may_vanish(const struct sort *s, hsize_t row);
bool has_strings(const struct sort *s);
bool has_holes(const struct sort *s);
/* Strings are the number, a colon, and stars. */
void string_of(int64_t value, char *out);
hid_t rows_of(hid_t dataset, hsize_t from, hsize_t n);

struct chance {
    uint64_t state;
};
unsigned chance(struct chance *c, unsigned below);

double now(void);
_Noreturn void die(const char *format, ...);

#define MUST(call)                                        \
    do {                                                  \
        if ((call) < 0) {                                 \
            H5Eprint2(H5E_DEFAULT, stderr);               \
            die("%s:%d: %s", __FILE__, __LINE__, #call);  \
        }                                                 \
    } while (0)

#endif
