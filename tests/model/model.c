/* Threads that read, write, grow, shrink, flush and reopen the datasets of one file at random while its chunk cache is
 * far too small and changes its settings, against arrays in memory.
 *
 * Rows of each dataset are dealt out to the threads, so that every chunk has rows of all: a thread knows exactly what its
 * own rows hold while the others write theirs, and of other rows whose they are, for a value tells. What changes an
 * extent, or a chunk as a whole, has the model of that dataset for itself; everything else goes on side by side. At the
 * end the file is opened for reading only, and all read it.
 *
 *   model [--seeds A-B] [--threads N] [--ops M] [--keep DIR]
 *
 * With --keep the file of every fifth seed stays, beside the values that it must hold (check.py). */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf5.h"

#include "model.h"

enum { SETS = 5, FILL = -3, MOST_THREADS = 32, DEFAULT_THREADS = 8, DEFAULT_OPS = 400, MIB = 1 << 20 };

struct set {
    const char *name;
    hsize_t most[2], chunk[2]; /* chunk 0: not chunked */
    bool grows[2];
    bool filters, plain_edges, compact;
    pthread_rwlock_t lock; /* for writing: extent; for reading: everything else */
    hsize_t dims[2];
    int *values; /* most[1] to a row */
};

struct world {
    unsigned seed, threads, ops;
    char path[512];
    hid_t file;
    bool read_only; /* then all rows are known to all */
    struct set sets[SETS];
};

struct thread {
    struct world *w;
    unsigned id;
    uint64_t state;
    hid_t dsets[SETS];
    const char *doing;
};

static unsigned current_seed;
static H5F_chunk_cache_stats_t total; /* of all seeds, to see that what should happen does */

static void fail(const struct thread *t, const char *what, int line)
{
    fprintf(stderr, "model.c:%d: seed %u, thread %u, %s: %s\n", line, current_seed, t ? t->id : 0,
            t && t->doing ? t->doing : "main", what);
    H5Eprint2(H5E_DEFAULT, stderr);
    abort();
}

static unsigned below(struct thread *t, unsigned n)
{
    return random_below(&t->state, n);
}

static int random_value(struct thread *t, unsigned owner)
{
    return (int)(t->w->threads * (1 + below(t, 30000 / t->w->threads - 1)) + owner);
}

static int *model(struct set *s, hsize_t row, hsize_t col)
{
    return &s->values[row * s->most[1] + col];
}

static hid_t stored_type(unsigned k)
{
    return k == 0 ? H5T_STD_I32LE : k == 1 ? H5T_NATIVE_INT : k == 3 ? H5T_STD_I16LE : H5T_STD_I16BE;
}

static void make_set(struct world *w, unsigned k)
{
    struct set *s = &w->sets[k];
    hsize_t most[2] = {s->grows[0] ? H5S_UNLIMITED : s->dims[0], s->grows[1] ? H5S_UNLIMITED : s->dims[1]};
    int fill = FILL;
    hid_t space = H5Screate_simple(2, s->dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    MUST(NULL, H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill) >= 0);
    if (s->compact)
        MUST(NULL, H5Pset_layout(dcpl, H5D_COMPACT) >= 0);
    if (s->chunk[0])
        MUST(NULL, H5Pset_chunk(dcpl, 2, s->chunk) >= 0);
    if (s->filters)
        MUST(NULL, H5Pset_shuffle(dcpl) >= 0 && H5Pset_deflate(dcpl, 1) >= 0);
    if (s->plain_edges)
        MUST(NULL, H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) >= 0);
    hid_t d = H5Dcreate2(w->file, s->name, stored_type(k), space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    MUST(NULL, d >= 0 && H5Dclose(d) >= 0 && H5Pclose(dcpl) >= 0 && H5Sclose(space) >= 0);
    for (hsize_t i = 0; i < s->most[0] * s->most[1]; i++)
        s->values[i] = FILL;
}

static const struct set kinds[SETS] = {
    {.name = "grows", .dims = {200, 160}, .most = {320, 160}, .chunk = {24, 32}, .grows = {true, false}, .filters = true},
    {.name = "plain", .dims = {240, 200}, .most = {240, 200}, .chunk = {40, 48}},
    {.name = "contiguous", .dims = {150, 120}, .most = {150, 120}},
    {.name = "compact", .dims = {40, 30}, .most = {40, 30}, .compact = true},
    {.name = "edges", .dims = {130, 110}, .most = {220, 180}, .chunk = {32, 30}, .grows = {true, true}, .filters = true,
     .plain_edges = true},
};

static void make_file(struct world *w)
{
    H5F_shared_chunk_cache_t cache;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    pthread_rwlockattr_t attr;
    MUST(NULL, H5Pset_libver_bounds(fapl, w->seed % 4 == 3 ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0);
    MUST(NULL, H5Pget_shared_chunk_cache(fapl, &cache) >= 0);
    cache.budget = MIB / (w->seed % 2 ? 1 : 4);
    cache.threads = w->seed % 3;
    MUST(NULL, H5Pset_shared_chunk_cache(fapl, &cache) >= 0);
    w->file = H5Fcreate(w->path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    MUST(NULL, w->file >= 0 && H5Pclose(fapl) >= 0);
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    for (unsigned k = 0; k < SETS; k++) {
        w->sets[k] = kinds[k];
        pthread_rwlock_init(&w->sets[k].lock, &attr);
        w->sets[k].values = malloc(kinds[k].most[0] * kinds[k].most[1] * sizeof(int));
        MUST(NULL, w->sets[k].values);
        make_set(w, k);
    }
    pthread_rwlockattr_destroy(&attr);
}

/* A part of a dataset, and a buffer for it. */
struct part {
    struct set *s;
    hid_t dset, file, mem;
    int *buf;
    hsize_t row, step, rows, col, cols; /* the box */
    hsize_t *points;                    /* or, when not NULL, row and column of each of so many `rows` */
    hsize_t left, above, width;         /* of the box in memory */
};

static size_t where(const struct part *p, hsize_t i, hsize_t j)
{
    return p->points ? i : (i + p->above) * p->width + j + p->left;
}

static void pick_points(struct thread *t, struct part *p, hsize_t own)
{
    hsize_t rows = p->rows < 10 ? p->rows : 10;
    p->points = malloc(rows * 2 * sizeof *p->points);
    MUST(t, p->points);
    /* One to a column, for none may be written twice. */
    hsize_t first = below(t, (unsigned)p->s->dims[1]);
    if (rows > p->s->dims[1])
        rows = p->s->dims[1];
    for (hsize_t i = 0; i < rows; i++) {
        p->points[2 * i] = t->id + t->w->threads * below(t, (unsigned)own);
        p->points[2 * i + 1] = (first + i) % p->s->dims[1];
    }
    p->rows = rows;
    p->cols = 1;
    MUST(t, H5Sselect_elements(p->file, H5S_SELECT_SET, rows, p->points) >= 0);
    p->mem = H5Screate_simple(1, &rows, NULL);
}

/* Own rows only, or a box of all; false when the dataset has none. With the model's lock. */
static bool pick(struct thread *t, unsigned k, bool own_only, struct part *p)
{
    struct set *s = &t->w->sets[k];
    hsize_t step = own_only ? t->w->threads : 1, first = own_only ? t->id : 0;
    if (s->dims[0] <= first || s->dims[1] == 0)
        return false;
    unsigned own = (unsigned)((s->dims[0] - first + step - 1) / step), from = below(t, own), most = own - from;
    *p = (struct part){.s = s, .dset = t->dsets[k], .step = step, .row = first + step * from};
    p->rows = 1 + below(t, below(t, 4) ? (most < 8 ? most : 8) : most);
    p->col = below(t, 4) ? below(t, (unsigned)s->dims[1]) : 0;
    p->cols = below(t, 4) ? 1 + below(t, (unsigned)(s->dims[1] - p->col)) : s->dims[1] - p->col;
    p->file = H5Screate_simple(2, s->dims, NULL);
    MUST(t, p->file >= 0);
    if (own_only && below(t, 8) == 0)
        pick_points(t, p, own);
    else {
        hsize_t start[2] = {p->row, p->col}, stride[2] = {step, 1}, count[2] = {p->rows, p->cols};
        if (below(t, 2)) {
            p->left = below(t, 4);
            p->above = below(t, 3);
        }
        p->width = p->cols + p->left + (p->left ? 2 : 0);
        hsize_t dims[2] = {p->rows + p->above, p->width}, corner[2] = {p->above, p->left};
        MUST(t, H5Sselect_hyperslab(p->file, H5S_SELECT_SET, start, stride, count, NULL) >= 0);
        p->mem = H5Screate_simple(2, dims, NULL);
        MUST(t, H5Sselect_hyperslab(p->mem, H5S_SELECT_SET, corner, NULL, count, NULL) >= 0);
    }
    p->buf = malloc((p->points ? p->rows : (p->rows + p->above) * p->width) * sizeof *p->buf);
    MUST(t, p->mem >= 0 && p->buf);
    return true;
}

static void drop(struct thread *t, struct part *p)
{
    MUST(t, H5Sclose(p->file) >= 0 && H5Sclose(p->mem) >= 0);
    free(p->points);
    free(p->buf);
}

static void element(const struct part *p, hsize_t i, hsize_t j, hsize_t *row, hsize_t *col)
{
    *row = p->points ? p->points[2 * i] : p->row + i * p->step;
    *col = p->points ? p->points[2 * i + 1] : p->col + j;
}

static void prepare_write(struct thread *t, struct part *p)
{
    bool same = below(t, 2);
    int value = random_value(t, t->id);
    for (hsize_t i = 0; i < p->rows; i++)
        for (hsize_t j = 0; j < p->cols; j++)
            p->buf[where(p, i, j)] = same ? value : random_value(t, t->id);
}

static void note_written(struct part *p)
{
    hsize_t row, col;
    for (hsize_t i = 0; i < p->rows; i++)
        for (hsize_t j = 0; j < p->cols; j++) {
            element(p, i, j, &row, &col);
            *model(p->s, row, col) = p->buf[where(p, i, j)];
        }
}

/* exact: nobody else writes, so that all rows are known. */
static void check_value(const struct thread *t, const struct set *s, hsize_t row, hsize_t col, int got, bool exact)
{
    unsigned owner = (unsigned)(row % t->w->threads);
    bool known = exact || owner == t->id;
    if (known ? got == *model((struct set *)s, row, col) : got == FILL || (got > 0 && (unsigned)got % t->w->threads == owner))
        return;
    fprintf(stderr, "%s [%llu][%llu] is %d, not %d (row of thread %u)\n", s->name, (unsigned long long)row,
            (unsigned long long)col, got, known ? *model((struct set *)s, row, col) : FILL, owner);
    fail(t, "value", __LINE__);
}

static void check_read(struct thread *t, struct part *p, bool exact)
{
    hsize_t row, col;
    for (hsize_t i = 0; i < p->rows; i++)
        for (hsize_t j = 0; j < p->cols; j++) {
            element(p, i, j, &row, &col);
            check_value(t, p->s, row, col, p->buf[where(p, i, j)], exact);
        }
}

static void transfer(struct thread *t, unsigned k, bool write)
{
    struct part p;
    struct set *s = &t->w->sets[k];
    t->doing = write ? "write" : "read";
    pthread_rwlock_rdlock(&s->lock);
    if (pick(t, k, write || below(t, 2), &p)) {
        if (write) {
            prepare_write(t, &p);
            MUST(t, H5Dwrite(p.dset, H5T_NATIVE_INT, p.mem, p.file, H5P_DEFAULT, p.buf) >= 0);
            note_written(&p);
        } else {
            MUST(t, H5Dread(p.dset, H5T_NATIVE_INT, p.mem, p.file, H5P_DEFAULT, p.buf) >= 0);
            check_read(t, &p, t->w->read_only);
        }
        drop(t, &p);
    }
    pthread_rwlock_unlock(&s->lock);
}

static void transfer_many(struct thread *t, bool write)
{
    struct part p[SETS];
    hid_t dsets[SETS], types[SETS], mems[SETS], files[SETS];
    void *bufs[SETS];
    size_t n = 0;
    bool in[SETS];
    t->doing = write ? "write of several" : "read of several";
    for (unsigned k = 0; k < SETS; k++)
        if ((in[k] = below(t, 2)))
            pthread_rwlock_rdlock(&t->w->sets[k].lock);
    for (unsigned k = 0; k < SETS; k++)
        if (in[k] && pick(t, k, write || below(t, 2), &p[n])) {
            if (write)
                prepare_write(t, &p[n]);
            dsets[n] = p[n].dset;
            types[n] = H5T_NATIVE_INT;
            mems[n] = p[n].mem;
            files[n] = p[n].file;
            bufs[n] = p[n].buf;
            n++;
        }
    if (n > 0 && write)
        MUST(t, H5Dwrite_multi(n, dsets, types, mems, files, H5P_DEFAULT, (const void **)bufs) >= 0);
    else if (n > 0)
        MUST(t, H5Dread_multi(n, dsets, types, mems, files, H5P_DEFAULT, bufs) >= 0);
    for (size_t i = 0; i < n; i++) {
        if (write)
            note_written(&p[i]);
        else
            check_read(t, &p[i], t->w->read_only);
        drop(t, &p[i]);
    }
    for (unsigned k = 0; k < SETS; k++)
        if (in[k])
            pthread_rwlock_unlock(&t->w->sets[k].lock);
}

/* From the first row to the last, as many at a time as a chunk has: the cache may read ahead. */
static void scan(struct thread *t)
{
    unsigned k = below(t, 2) ? 0 : 4;
    struct set *s = &t->w->sets[k];
    t->doing = "scan";
    pthread_rwlock_rdlock(&s->lock);
    int *buf = malloc(s->chunk[0] * s->most[1] * sizeof *buf);
    hid_t space = H5Screate_simple(2, s->dims, NULL);
    MUST(t, buf && space >= 0);
    for (hsize_t row = 0; row < s->dims[0] && s->dims[1] > 0; row += s->chunk[0]) {
        hsize_t rows = s->dims[0] - row < s->chunk[0] ? s->dims[0] - row : s->chunk[0];
        hsize_t start[2] = {row, 0}, count[2] = {rows, s->dims[1]};
        hid_t mem = H5Screate_simple(2, count, NULL);
        MUST(t, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
        MUST(t, H5Dread(t->dsets[k], H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf) >= 0);
        for (hsize_t i = 0; i < rows * s->dims[1]; i++)
            check_value(t, s, row + i / s->dims[1], i % s->dims[1], buf[i], t->w->read_only);
        MUST(t, H5Sclose(mem) >= 0);
    }
    MUST(t, H5Sclose(space) >= 0);
    free(buf);
    pthread_rwlock_unlock(&s->lock);
}

static void change_extent(struct thread *t)
{
    unsigned k = below(t, 2) ? 0 : 4;
    struct set *s = &t->w->sets[k];
    hsize_t dims[2], now[2];
    t->doing = "extent";
    pthread_rwlock_wrlock(&s->lock);
    for (unsigned d = 0; d < 2; d++)
        dims[d] = !s->grows[d] || below(t, 2) ? s->dims[d]
                  : below(t, 12) == 0         ? below(t, 3)
                                              : s->most[d] / 3 + below(t, (unsigned)(s->most[d] * 2 / 3) + 1);
    MUST(t, H5Dset_extent(t->dsets[k], dims) >= 0);
    for (hsize_t i = 0; i < s->most[0]; i++)
        for (hsize_t j = 0; j < s->most[1]; j++)
            if (i >= dims[0] || j >= dims[1])
                *model(s, i, j) = FILL;
    memcpy(s->dims, dims, sizeof dims);
    hid_t space = H5Dget_space(t->dsets[k]);
    MUST(t, H5Sget_simple_extent_dims(space, now, NULL) == 2 && memcmp(now, dims, sizeof dims) == 0);
    MUST(t, H5Sclose(space) >= 0);
    pthread_rwlock_unlock(&s->lock);
}

/* A whole chunk of the unfiltered dataset, as it is on disk. Over the edge nothing is looked at. */
static void direct_chunk(struct thread *t)
{
    struct set *s = &t->w->sets[1];
    hsize_t at[2], size = 0;
    bool write = below(t, 2);
    uint32_t filters = 0;
    size_t bytes = s->chunk[0] * s->chunk[1] * sizeof(int);
    int *buf = calloc(1, bytes);
    t->doing = write ? "write of a chunk" : "read of a chunk";
    MUST(t, buf);
    pthread_rwlock_wrlock(&s->lock);
    for (unsigned d = 0; d < 2; d++)
        at[d] = below(t, (unsigned)s->dims[d]) / s->chunk[d] * s->chunk[d];
    for (size_t i = 0; i < s->chunk[0] * s->chunk[1] && write; i++)
        buf[i] = random_value(t, (unsigned)((at[0] + i / s->chunk[1]) % t->w->threads));
    if (write)
        MUST(t, H5Dwrite_chunk(t->dsets[1], H5P_DEFAULT, 0, at, bytes, buf) >= 0);
    else {
        /* There may be none. */
        H5E_BEGIN_TRY {
            if (H5Dget_chunk_storage_size(t->dsets[1], at, &size) < 0)
                size = 0;
        } H5E_END_TRY
        MUST(t, size == 0 || size == bytes);
        if (size > 0)
            MUST(t, H5Dread_chunk(t->dsets[1], H5P_DEFAULT, at, &filters, buf) >= 0);
    }
    for (size_t i = 0; i < s->chunk[0] * s->chunk[1]; i++) {
        hsize_t row = at[0] + i / s->chunk[1], col = at[1] + i % s->chunk[1];
        if (row >= s->dims[0] || col >= s->dims[1])
            continue;
        if (write)
            *model(s, row, col) = buf[i];
        else
            check_value(t, s, row, col, size ? buf[i] : FILL, true);
    }
    pthread_rwlock_unlock(&s->lock);
    free(buf);
}

static void reopen(struct thread *t, unsigned k)
{
    t->doing = "reopening";
    if (t->dsets[k] >= 0)
        MUST(t, H5Dclose(t->dsets[k]) >= 0);
    t->dsets[k] = H5Dopen2(t->w->file, t->w->sets[k].name, H5P_DEFAULT);
    MUST(t, t->dsets[k] >= 0);
}

static void change_settings(struct thread *t)
{
    static const size_t budgets[] = {0, 40000, MIB / 4, MIB, MIB, 4 * MIB};
    H5F_shared_chunk_cache_t s, got;
    H5F_chunk_cache_stats_t stats;
    t->doing = "settings";
    MUST(t, H5Fget_shared_chunk_cache(t->w->file, &s) >= 0);
    s.budget = budgets[below(t, 6)];
    s.threads = below(t, 4) ? below(t, 4) : H5F_CHUNK_CACHE_THREADS_DEFAULT;
    s.reserve = below(t, 2) ? 0 : 30000;
    s.w0 = below(t, 5) / 4.0;
    s.encode_ahead = below(t, 2) ? below(t, 200000) : SIZE_MAX;
    s.read_ahead = below(t, 2) ? below(t, 6) : 0;
    MUST(t, H5Fset_shared_chunk_cache(t->w->file, &s) >= 0);
    MUST(t, H5Fget_shared_chunk_cache(t->w->file, &got) >= 0);
    MUST(t, H5Fget_chunk_cache_stats(t->w->file, &stats) >= 0);
    MUST(t, stats.footprint <= stats.peak_footprint && stats.dirty_chunks <= stats.chunks);
    if (below(t, 10) == 0)
        MUST(t, H5Freset_chunk_cache_stats(t->w->file) >= 0);
}

/* In a file that nobody can change. */
static void step_reading(struct thread *t)
{
    unsigned what = below(t, 20);
    if (what < 13)
        transfer(t, below(t, SETS), false);
    else if (what < 16)
        transfer_many(t, false);
    else if (what < 18)
        scan(t);
    else if (what < 19)
        reopen(t, below(t, SETS));
    else
        change_settings(t);
}

static void step(struct thread *t)
{
    unsigned what = below(t, 100);
    if (t->w->read_only) {
        step_reading(t);
        return;
    }
    if (what < 36)
        transfer(t, below(t, SETS), true);
    else if (what < 61)
        transfer(t, below(t, SETS), false);
    else if (what < 64)
        scan(t);
    else if (what < 74)
        transfer_many(t, what < 69);
    else if (what < 81)
        change_extent(t);
    else if (what < 86)
        direct_chunk(t);
    else if (what < 92)
        reopen(t, below(t, SETS));
    else if (what < 95)
        change_settings(t);
    else if (what < 98) {
        t->doing = "flush";
        MUST(t, H5Dflush(t->dsets[below(t, SETS)]) >= 0);
    } else {
        t->doing = "flush of the file";
        MUST(t, H5Fflush(t->w->file, H5F_SCOPE_LOCAL) >= 0);
    }
}

static void *run_thread(void *ctx)
{
    struct thread *t = ctx;
    for (unsigned k = 0; k < SETS; k++)
        reopen(t, k);
    for (unsigned i = 0; i < t->w->ops; i++)
        step(t);
    for (unsigned k = 0; k < SETS; k++)
        MUST(t, H5Dclose(t->dsets[k]) >= 0);
    return NULL;
}

/* Everything, and nobody else is there. */
static void check_file(struct world *w, struct thread *t)
{
    t->doing = "last check";
    for (unsigned k = 0; k < SETS; k++) {
        struct set *s = &w->sets[k];
        hsize_t dims[2];
        hid_t d = H5Dopen2(w->file, s->name, H5P_DEFAULT), space = H5Dget_space(d);
        MUST(t, d >= 0 && H5Sget_simple_extent_dims(space, dims, NULL) == 2);
        MUST(t, memcmp(dims, s->dims, sizeof dims) == 0);
        int *buf = malloc(dims[0] * dims[1] * sizeof *buf + 1);
        MUST(t, buf && H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) >= 0);
        for (hsize_t i = 0; i < dims[0]; i++)
            for (hsize_t j = 0; j < dims[1]; j++)
                check_value(t, s, i, j, buf[i * dims[1] + j], true);
        MUST(t, H5Sclose(space) >= 0 && H5Dclose(d) >= 0);
        free(buf);
    }
}

/* Name, both dimensions, values: for check.py. */
static void keep_values(const struct world *w)
{
    char path[600];
    snprintf(path, sizeof path, "%s.values", w->path);
    FILE *f = fopen(path, "w");
    MUST(NULL, f);
    for (unsigned k = 0; k < SETS; k++) {
        const struct set *s = &w->sets[k];
        fprintf(f, "%s %llu %llu", s->name, (unsigned long long)s->dims[0], (unsigned long long)s->dims[1]);
        for (hsize_t i = 0; i < s->dims[0]; i++)
            for (hsize_t j = 0; j < s->dims[1]; j++)
                fprintf(f, " %d", *model((struct set *)s, i, j));
        fprintf(f, "\n");
    }
    MUST(NULL, fclose(f) == 0);
}

static void add_stats(const struct world *w)
{
    H5F_chunk_cache_stats_t s;
    MUST(NULL, H5Fget_chunk_cache_stats(w->file, &s) >= 0);
    total.hits += s.hits;
    total.loads += s.loads;
    total.loads_ahead += s.loads_ahead;
    total.preemptive_encodes += s.preemptive_encodes;
    total.stores += s.stores;
    total.evictions += s.evictions;
    total.bypasses += s.bypasses;
}

static void run_all(struct world *w, struct thread *all)
{
    pthread_t ids[MOST_THREADS];
    for (unsigned i = 0; i < w->threads; i++) {
        all[i] = (struct thread){.w = w, .id = i, .state = w->seed * 1000003ull + i};
        for (unsigned k = 0; k < SETS; k++)
            all[i].dsets[k] = H5I_INVALID_HID;
        MUST(NULL, pthread_create(&ids[i], NULL, run_thread, &all[i]) == 0);
    }
    for (unsigned i = 0; i < w->threads; i++)
        pthread_join(ids[i], NULL);
    check_file(w, &all[0]);
    add_stats(w);
}

static void one_seed(unsigned seed, unsigned threads, unsigned ops, const char *keep)
{
    static struct thread all[MOST_THREADS];
    struct world w = {.seed = seed, .threads = threads, .ops = ops};
    bool kept = keep && seed % 5 == 0;
    current_seed = seed;
    snprintf(w.path, sizeof w.path, "%s/model-%ld-%u.h5", keep ? keep : "/tmp", kept ? 0 : (long)getpid(), seed);
    make_file(&w);
    run_all(&w, all);
    MUST(NULL, H5Fclose(w.file) >= 0);
    w.file = H5Fopen(w.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    MUST(NULL, w.file >= 0);
    check_file(&w, &all[0]);
    w.read_only = true;
    w.ops /= 4;
    run_all(&w, all);
    MUST(NULL, H5Fclose(w.file) >= 0);
    if (kept)
        keep_values(&w);
    else
        unlink(w.path);
    for (unsigned k = 0; k < SETS; k++) {
        free(w.sets[k].values);
        pthread_rwlock_destroy(&w.sets[k].lock);
    }
}

static void too_long(int signal)
{
    char text[64];
    int n = snprintf(text, sizeof text, "seed %u hangs\n", current_seed);
    (void)signal;
    if (write(2, text, (size_t)n) == n)
        abort();
    _exit(1);
}

int main(int argc, char **argv)
{
    unsigned first = 1, last = 20, threads = DEFAULT_THREADS, ops = DEFAULT_OPS;
    const char *keep = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seeds") == 0) {
            if (sscanf(argv[i + 1], "%u-%u", &first, &last) == 1)
                last = first;
        } else if (strcmp(argv[i], "--threads") == 0)
            threads = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--ops") == 0)
            ops = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--keep") == 0)
            keep = argv[i + 1];
        else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
    }
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "1 to %d threads\n", MOST_THREADS);
        return 2;
    }
    signal(SIGALRM, too_long);
    for (unsigned seed = first; seed <= last; seed++) {
        alarm(240);
        one_seed(seed, threads, ops, keep);
    }
    printf("seeds %u-%u, %u threads, %u operations each: all as the model says\n", first, last, threads, ops);
    printf("%llu hits, %llu loads, %llu ahead; %llu stores, %llu encoded ahead; %llu evictions, %llu bypasses\n",
           (unsigned long long)total.hits, (unsigned long long)total.loads, (unsigned long long)total.loads_ahead,
           (unsigned long long)total.stores, (unsigned long long)total.preemptive_encodes,
           (unsigned long long)total.evictions, (unsigned long long)total.bypasses);
    return 0;
}
