#include "common.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const struct sort sorts[] = {
    {.name = "fixed", .chunk_rows = 120, .max_rows = MOST_ROWS},
    {.name = "fixed-deflate", .chunk_rows = 120, .max_rows = MOST_ROWS, .deflate = true},
    {.name = "paged", .chunk_rows = 8, .max_rows = MOST_ROWS},
    {.name = "paged-deflate", .chunk_rows = 8, .max_rows = MOST_ROWS, .deflate = true},
    {.name = "extensible", .chunk_rows = 8, .max_rows = H5S_UNLIMITED},
    {.name = "extensible-deflate", .chunk_rows = 8, .max_rows = H5S_UNLIMITED, .deflate = true},
    {.name = "btree2", .chunk_rows = 4, .max_rows = H5S_UNLIMITED, .wide = true},
    {.name = "btree2-deflate", .chunk_rows = 4, .max_rows = H5S_UNLIMITED, .wide = true, .deflate = true},
    {.name = "single", .chunk_rows = FIXED_ROWS},
    {.name = "single-deflate", .chunk_rows = FIXED_ROWS, .deflate = true},
    {.name = "implicit", .chunk_rows = 8, .early = true},
    {.name = "sparse", .chunk_rows = 8, .max_rows = H5S_UNLIMITED, .elements = SPARSE},
    {.name = "sparse-packed", .chunk_rows = 8, .max_rows = H5S_UNLIMITED, .elements = SPARSE, .deflate = true, .pack = true},
    {.name = "sparse-btree2", .chunk_rows = 8, .max_rows = H5S_UNLIMITED, .elements = SPARSE, .wide = true},
    {.name = "sparse-vlen", .chunk_rows = 8, .max_rows = H5S_UNLIMITED, .elements = SPARSE_VLEN},
    {.name = "vlen", .chunk_rows = 8, .max_rows = H5S_UNLIMITED, .elements = VLEN, .deflate = true},
    {.name = "names", .chunk_rows = 8, .max_rows = H5S_UNLIMITED, .names = true},
};

const struct sort *sort_find(const char *name)
{
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (strcmp(sorts[i].name, name) == 0)
            return &sorts[i];
    die("no sort of file is called %s", name);
}

struct progress *progress_map(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, sizeof(struct progress)) < 0)
        die("%s: cannot be made", path);
    void *p = mmap(NULL, sizeof(struct progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        die("%s: cannot be mapped", path);
    close(fd);
    return p;
}

hid_t access_list(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    MUST(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    return fapl;
}

bool has_strings(const struct sort *s)
{
    return s->elements == VLEN || s->elements == SPARSE_VLEN;
}

bool has_holes(const struct sort *s)
{
    return s->elements == SPARSE || s->elements == SPARSE_VLEN;
}

hid_t element_type(const struct sort *s)
{
    if (!has_strings(s))
        return H5Tcopy(H5T_NATIVE_INT64);
    hid_t type = H5Tcopy(H5T_C_S1);
    MUST(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

hid_t creation_list(const struct sort *s)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {s->chunk_rows, s->max_rows ? CHUNK_COLS : COLS};
    int64_t fill = -1;
    if (s->early)
        chunk[1] = CHUNK_COLS;
#ifdef DENSE_ONLY
    if (s->elements != DENSE)
        die("%s is not for this library", s->name);
    MUST(H5Pset_chunk(dcpl, 2, chunk));
#else
    unsigned flags = has_holes(s) ? H5D_SPARSE_CHUNK : 0;
    flags |= has_strings(s) ? H5D_VL_CHUNK : 0;
    if (s->elements == DENSE)
        MUST(H5Pset_chunk(dcpl, 2, chunk));
    else
        MUST(H5Pset_struct_chunk(dcpl, 2, chunk, flags));
    if (s->pack)
        MUST(H5Pset_selection_packing(dcpl));
#endif
    if (s->deflate)
        MUST(H5Pset_deflate(dcpl, 1));
    if (s->early)
        MUST(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    if (!has_strings(s))
        MUST(H5Pset_fill_value(dcpl, H5T_NATIVE_INT64, &fill));
    return dcpl;
}

static int64_t base_of(unsigned dataset, hsize_t row, unsigned col)
{
    return (int64_t)(((row * COLS + col) * DATASETS + dataset) * 2654435761u % (UINT64_C(1) << 42));
}

int64_t value_of(unsigned dataset, hsize_t row, unsigned col, unsigned generation)
{
    return base_of(dataset, row, col) * MOST_GENERATIONS + generation;
}

bool value_check(int64_t value, unsigned dataset, hsize_t row, unsigned col, unsigned *generation)
{
    if (value < 0 || value / MOST_GENERATIONS != base_of(dataset, row, col))
        return false;
    *generation = (unsigned)(value % MOST_GENERATIONS);
    return true;
}

bool is_defined(hsize_t row, unsigned col)
{
    return (row * 7 + col * 5) % 3 != 0 && row % 13 != 12;
}

bool may_vanish(const struct sort *s, hsize_t row)
{
    return has_holes(s) && row % 10 == 3;
}

void string_of(int64_t value, char *out)
{
    int n = sprintf(out, "%lld:", (long long)value);
    unsigned stars = (unsigned)(value % 97);
    memset(out + n, '*', stars);
    out[n + (int)stars] = 0;
}

hid_t rows_of(hid_t dataset, hsize_t from, hsize_t n)
{
    hid_t space = H5Dget_space(dataset);
    hsize_t start[2] = {from, 0}, count[2] = {n, COLS};
    MUST(space);
    MUST(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    return space;
}

unsigned chance(struct chance *c, unsigned below)
{
    c->state ^= c->state << 13;
    c->state ^= c->state >> 7;
    c->state ^= c->state << 17;
    return (unsigned)(c->state >> 33) % below;
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}
