/* Virtual datasets over sparse and dense sources, some of them missing, some virtual themselves: written, read, erased and
 * asked for what is defined at random, through the mapping and at the sources, which grow and shrink meanwhile, with chunk
 * caches down to 0 bytes, against arrays in memory.
 *
 *   virtual [--seeds A-B] [--ops M] */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf5.h"

#include "model.h"

enum { SOURCES = 5, MAX_RANK = 3, POINTS = 30, DEFAULT_OPS = 200, FILL = -7, NONE = -1 };

enum kind { SPARSE, DENSE, NESTED, MISSING }; /* nested: virtual, over a sparse one */
static const char *const kind_names[] = {"sparse", "dense", "nested", "missing"};

/* How the virtual dataset is put together: boxes anywhere, over each other too; frames of the sources by turns; a block of each
 * source after the other. */
enum scheme { BOXES, TURNS, BLOCKS };
static const char *const scheme_names[] = {"boxes", "turns", "blocks"};

struct source {
    enum kind kind;
    bool own_file;
    int rank;
    hsize_t dims[MAX_RANK], room[MAX_RANK], chunk[MAX_RANK];
    bool *defined; /* in an extent of `room` */
    int *values;
    /* Boxes: what of the source is shown where. */
    hsize_t start[MAX_RANK], stride[MAX_RANK], count[MAX_RANK];
    hsize_t to_start[MAX_RANK], to_stride[MAX_RANK], to_count[MAX_RANK];
};

struct model {
    unsigned seed, op;
    uint64_t state;
    const char *doing;
    enum scheme scheme;
    bool strings; /* the elements are strings of variable length */
    int rank;
    hsize_t dims[MAX_RANK]; /* of the virtual dataset, as it says itself */
    hsize_t frame;          /* turns, blocks: elements of a frame */
    hsize_t block;          /* blocks: frames of a block */
    unsigned n;
    struct source sources[SOURCES];
    char path[64];
    hid_t file, dset;
};

static void fail(const struct model *m, const char *what, int line)
{
    fprintf(stderr, "virtual.c:%d: seed %u, operation %u, %s: %s\n%s, rank %d, %s\n", line, m->seed, m->op,
            m->doing ? m->doing : "main", what, scheme_names[m->scheme], m->rank, m->strings ? "strings" : "integers");
    for (unsigned i = 0; i < m->n; i++) {
        fprintf(stderr, "source %u, %s:", i, kind_names[m->sources[i].kind]);
        for (int d = 0; d < m->sources[i].rank; d++)
            fprintf(stderr, " %llu/%llu", (unsigned long long)m->sources[i].dims[d],
                    (unsigned long long)m->sources[i].room[d]);
        fprintf(stderr, "\n");
    }
    H5Eprint2(H5E_DEFAULT, stderr);
    abort();
}

static unsigned below(struct model *m, hsize_t n)
{
    return random_below(&m->state, (unsigned)n);
}

/* Coordinates */

static hsize_t volume(int rank, const hsize_t *dims)
{
    hsize_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= dims[d];
    return n;
}

static size_t linear(int rank, const hsize_t *dims, const hsize_t *at)
{
    size_t i = 0;
    for (int d = 0; d < rank; d++)
        i = i * dims[d] + at[d];
    return i;
}

static void coordinates(int rank, const hsize_t *dims, hsize_t i, hsize_t *at)
{
    for (int d = rank; d-- > 0; i /= dims[d])
        at[d] = i % dims[d];
}

/* Where in a source an element of the virtual dataset is; NONE: nowhere. */
static long in_box(const struct model *m, const struct source *s, const hsize_t *at)
{
    hsize_t ordinal[MAX_RANK], from[MAX_RANK];
    for (int d = 0; d < m->rank; d++) {
        if (at[d] < s->to_start[d] || (at[d] - s->to_start[d]) % s->to_stride[d] != 0)
            return NONE;
        ordinal[d] = (at[d] - s->to_start[d]) / s->to_stride[d];
        if (ordinal[d] >= s->to_count[d])
            return NONE;
    }
    coordinates(s->rank, s->count, linear(m->rank, s->to_count, ordinal), ordinal);
    for (int d = 0; d < s->rank; d++) {
        from[d] = s->start[d] + ordinal[d] * s->stride[d];
        if (from[d] >= s->dims[d])
            return NONE;
    }
    return (long)linear(s->rank, s->room, from);
}

static long in_source(const struct model *m, unsigned i, const hsize_t *at)
{
    const struct source *s = &m->sources[i];
    hsize_t from[MAX_RANK];
    if (s->kind == MISSING)
        return NONE;
    if (m->scheme == BOXES)
        return in_box(m, s, at);
    memcpy(from, at, sizeof from);
    if (m->scheme == TURNS) {
        from[0] = at[0] / m->n;
        if (at[0] % m->n != i || from[0] >= s->dims[0])
            return NONE;
    } else {
        from[0] = at[0] % m->block;
        if (at[0] / m->block != i || from[0] >= s->dims[0])
            return NONE;
    }
    return (long)linear(s->rank, s->room, from);
}

/* Elements of the virtual dataset, in the order of a selection. */
struct chosen {
    hid_t space;
    size_t n;
    hsize_t *at; /* linear */
};

static void drop(const struct model *m, struct chosen *c)
{
    MUST(m, H5Sclose(c->space) >= 0);
    free(c->at);
}

static void random_slab(struct model *m, int rank, const hsize_t *dims, hsize_t slab[4][MAX_RANK])
{
    for (int d = 0; d < rank; d++) {
        slab[0][d] = below(m, 3) ? below(m, dims[d]) : 0;
        slab[3][d] = below(m, 3) ? 1 + below(m, dims[d] - slab[0][d]) : 1;
        slab[1][d] = slab[3][d] + below(m, 3);
        slab[2][d] = 1 + below(m, (dims[d] - slab[0][d] - slab[3][d]) / slab[1][d] + 1);
    }
}

static void mark_slab(int rank, const hsize_t *dims, hsize_t slab[4][MAX_RANK], bool *mask)
{
    for (hsize_t i = 0; i < volume(rank, dims); i++) {
        hsize_t at[MAX_RANK];
        bool in = true;
        coordinates(rank, dims, i, at);
        for (int d = 0; d < rank; d++)
            in &= at[d] >= slab[0][d] && (at[d] - slab[0][d]) % slab[1][d] < slab[3][d] &&
                  (at[d] - slab[0][d]) / slab[1][d] < slab[2][d];
        mask[i] |= in;
    }
}

static void choose_slabs(struct model *m, int rank, const hsize_t *dims, struct chosen *c)
{
    hsize_t slab[4][MAX_RANK], n = volume(rank, dims);
    bool *mask = calloc(n, 1), two = below(m, 3) == 0;
    MUST(m, mask);
    random_slab(m, rank, dims, slab);
    mark_slab(rank, dims, slab, mask);
    MUST(m, H5Sselect_hyperslab(c->space, H5S_SELECT_SET, slab[0], slab[1], slab[2], slab[3]) >= 0);
    if (two) {
        random_slab(m, rank, dims, slab);
        mark_slab(rank, dims, slab, mask);
        MUST(m, H5Sselect_hyperslab(c->space, H5S_SELECT_OR, slab[0], slab[1], slab[2], slab[3]) >= 0);
    }
    for (hsize_t i = 0; i < n; i++)
        if (mask[i])
            c->at[c->n++] = i;
    free(mask);
}

/* False: there is nothing to choose from. */
static bool choose(struct model *m, int rank, const hsize_t *dims, struct chosen *c)
{
    hsize_t n = volume(rank, dims);
    unsigned what = below(m, 8);
    if (n == 0)
        return false;
    c->n = 0;
    c->at = malloc((n > POINTS ? n : POINTS) * sizeof *c->at);
    c->space = H5Screate_simple(rank, dims, NULL);
    MUST(m, c->at && c->space >= 0);
    if (what > 2) {
        choose_slabs(m, rank, dims, c);
    } else if (what > 0) {
        hsize_t coords[POINTS * MAX_RANK];
        c->n = 1 + below(m, POINTS);
        for (size_t i = 0; i < c->n; i++) {
            c->at[i] = below(m, n);
            coordinates(rank, dims, c->at[i], coords + i * (size_t)rank);
        }
        MUST(m, H5Sselect_elements(c->space, H5S_SELECT_SET, c->n, coords) >= 0);
    } else {
        for (hsize_t i = 0; i < n; i++)
            c->at[c->n++] = i;
    }
    return true;
}

/* Values */

static hid_t type_of(const struct model *m, bool file)
{
    hid_t t = H5Tcopy(m->strings ? H5T_C_S1 : file ? H5T_STD_I32BE : H5T_NATIVE_INT);
    MUST(m, t >= 0 && (!m->strings || H5Tset_size(t, H5T_VARIABLE) >= 0));
    return t;
}

static char *text_of(int value)
{
    char text[64];
    snprintf(text, sizeof text, "%d%.*s", value, value < 0 ? 0 : value % 40, "........................................");
    return strdup(text);
}

/* n elements in memory. */
static void *make_buffer(const struct model *m, const int *values, size_t n)
{
    if (!m->strings) {
        int *copy = malloc(n * sizeof *copy + 1);
        return memcpy(copy, values, n * sizeof *copy);
    }
    char **texts = malloc(n * sizeof *texts + 1);
    for (size_t i = 0; i < n; i++)
        texts[i] = text_of(values[i]);
    return texts;
}

static bool holds(const struct model *m, const void *buffer, size_t i, int value)
{
    if (!m->strings)
        return ((const int *)buffer)[i] == value;
    const char *got = ((char *const *)buffer)[i];
    char *want = text_of(value);
    bool same = got && strcmp(got, want) == 0;
    free(want);
    return same;
}

static void free_buffer(const struct model *m, void *buffer, size_t n)
{
    for (size_t i = 0; m->strings && i < n; i++)
        free(((char **)buffer)[i]);
    free(buffer);
}

/* Sources */

static void source_names(const struct model *m, unsigned i, char file[80], char dset[16])
{
    snprintf(file, 80, m->sources[i].own_file ? "%s.%u" : "%s", m->path, i);
    snprintf(dset, 16, "s%u", i);
}

static hid_t open_cached(struct model *m, hid_t file, const char *name)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    if (below(m, 2))
        MUST(m, H5Pset_chunk_cache(dapl, 0, 0, 0) >= 0);
    MUST(m, H5Pset_virtual_view(dapl, H5D_VDS_LAST_AVAILABLE) >= 0 && H5Pset_virtual_printf_gap(dapl, SOURCES) >= 0);
    hid_t d = H5Dopen2(file, name, dapl);
    MUST(m, d >= 0 && H5Pclose(dapl) >= 0);
    return d;
}

/* The sparse or dense dataset in which a source keeps its elements. */
static hid_t open_source(struct model *m, unsigned i)
{
    char file[80], name[24];
    source_names(m, i, file, name);
    if (m->sources[i].kind == NESTED)
        strcat(name, "below");
    hid_t f = m->sources[i].own_file ? H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT) : H5Freopen(m->file);
    MUST(m, f >= 0);
    hid_t d = open_cached(m, f, name);
    MUST(m, H5Fclose(f) >= 0);
    return d;
}

static bool is_defined(const struct source *s, long at)
{
    return s->kind == DENSE || s->defined[at];
}

/* The value of an element of the virtual dataset, and whether it is defined: as the last source says that defines it. */
static bool shown(const struct model *m, hsize_t i, int *value)
{
    hsize_t at[MAX_RANK];
    bool defined = false;
    *value = FILL;
    coordinates(m->rank, m->dims, i, at);
    for (unsigned k = 0; k < m->n; k++) {
        long from = in_source(m, k, at);
        if (from == NONE || !is_defined(&m->sources[k], from))
            continue;
        defined = true;
        *value = m->sources[k].defined[from] ? m->sources[k].values[from] : FILL;
    }
    return defined;
}

static void see_extent(struct model *m)
{
    hid_t space = H5Dget_space(m->dset);
    MUST(m, H5Sget_simple_extent_dims(space, m->dims, NULL) == m->rank && H5Sclose(space) >= 0);
}

/* Operations. What goes to a source directly goes to its own elements. */

static void write_source(struct model *m, bool erase)
{
    struct source *s = &m->sources[below(m, m->n)];
    struct chosen c;
    m->doing = erase ? "erase in a source" : "write to a source";
    if (s->kind == MISSING || (erase && s->kind == DENSE) || !choose(m, s->rank, s->dims, &c))
        return;
    hid_t d = open_source(m, (unsigned)(s - m->sources));
    int *values = malloc(c.n * sizeof *values);
    for (size_t i = 0; i < c.n; i++) {
        hsize_t at[MAX_RANK];
        coordinates(s->rank, s->dims, c.at[i], at);
        size_t to = linear(s->rank, s->room, at);
        /* A point that comes twice gets the same value twice. */
        values[i] = (int)(m->op * 1000 + c.at[i] % 1000);
        s->values[to] = values[i];
        s->defined[to] = !erase;
    }
    if (erase) {
        MUST(m, H5Derase(d, c.space, H5P_DEFAULT) >= 0);
    } else {
        hid_t type = type_of(m, false), mem = H5Screate_simple(1, (hsize_t[]){c.n}, NULL);
        void *buffer = make_buffer(m, values, c.n);
        MUST(m, H5Dwrite(d, type, mem, c.space, H5P_DEFAULT, buffer) >= 0);
        free_buffer(m, buffer, c.n);
        MUST(m, H5Tclose(type) >= 0 && H5Sclose(mem) >= 0);
    }
    free(values);
    MUST(m, H5Dclose(d) >= 0);
    drop(m, &c);
}

static void resize_source(struct model *m)
{
    struct source *s = &m->sources[below(m, m->n)];
    m->doing = "resize a source";
    if (s->kind == MISSING || s->kind == NESTED)
        return;
    hid_t d = open_source(m, (unsigned)(s - m->sources));
    hsize_t dims[MAX_RANK], at[MAX_RANK];
    for (int k = 0; k < s->rank; k++)
        dims[k] = (m->scheme == BOXES || k == 0) && below(m, 2) ? 1 + below(m, s->room[k]) : s->room[k];
    MUST(m, H5Dset_extent(d, dims) >= 0 && H5Dclose(d) >= 0);
    memcpy(s->dims, dims, sizeof dims);
    for (hsize_t i = 0; i < volume(s->rank, s->room); i++) {
        coordinates(s->rank, s->room, i, at);
        for (int k = 0; k < s->rank; k++)
            if (at[k] >= dims[k])
                s->defined[i] = false;
    }
}

/* Each element is in every source that shows it. */
static void set_shown(struct model *m, const struct chosen *c, const int *values)
{
    for (size_t i = 0; i < c->n; i++) {
        hsize_t at[MAX_RANK];
        coordinates(m->rank, m->dims, c->at[i], at);
        for (unsigned k = 0; k < m->n; k++) {
            long to = in_source(m, k, at);
            if (to == NONE)
                continue;
            m->sources[k].defined[to] = values != NULL;
            if (values)
                m->sources[k].values[to] = values[i];
        }
    }
}

/* How many of the elements no source has, and how many a dense one. */
static void count_sources(const struct model *m, const struct chosen *c, size_t *unmapped, size_t *dense)
{
    *unmapped = *dense = 0;
    for (size_t i = 0; i < c->n; i++) {
        hsize_t at[MAX_RANK];
        size_t there = 0;
        coordinates(m->rank, m->dims, c->at[i], at);
        for (unsigned k = 0; k < m->n; k++) {
            if (in_source(m, k, at) == NONE)
                continue;
            there++;
            *dense += m->sources[k].kind == DENSE;
        }
        *unmapped += there == 0;
    }
}

static void write_virtual(struct model *m)
{
    struct chosen c;
    size_t unmapped, dense;
    m->doing = "write";
    see_extent(m);
    if (!choose(m, m->rank, m->dims, &c))
        return;
    count_sources(m, &c, &unmapped, &dense);
    int *values = malloc(c.n * sizeof *values);
    for (size_t i = 0; i < c.n; i++)
        values[i] = (int)(m->op * 1000 + c.at[i] % 1000);
    hid_t type = type_of(m, false), mem = H5Screate_simple(1, (hsize_t[]){c.n}, NULL);
    void *buffer = make_buffer(m, values, c.n);
    herr_t status;
    H5E_BEGIN_TRY {
        status = H5Dwrite(m->dset, type, mem, c.space, H5P_DEFAULT, buffer);
    }
    H5E_END_TRY
    MUST(m, (status >= 0) == (unmapped == 0));
    if (status >= 0)
        set_shown(m, &c, values);
    free_buffer(m, buffer, c.n);
    free(values);
    MUST(m, H5Tclose(type) >= 0 && H5Sclose(mem) >= 0);
    drop(m, &c);
}

static void erase_virtual(struct model *m)
{
    struct chosen c;
    size_t unmapped, dense;
    herr_t status;
    m->doing = "erase";
    see_extent(m);
    if (!choose(m, m->rank, m->dims, &c))
        return;
    count_sources(m, &c, &unmapped, &dense);
    H5E_BEGIN_TRY {
        status = H5Derase(m->dset, c.space, H5P_DEFAULT);
    }
    H5E_END_TRY
    MUST(m, (status >= 0) == (dense == 0));
    if (status >= 0)
        set_shown(m, &c, NULL);
    drop(m, &c);
}

static void read_virtual(struct model *m)
{
    struct chosen c;
    m->doing = "read";
    see_extent(m);
    if (!choose(m, m->rank, m->dims, &c))
        return;
    hid_t type = type_of(m, false), mem = H5Screate_simple(1, (hsize_t[]){c.n}, NULL);
    void *buffer = calloc(c.n, m->strings ? sizeof(char *) : sizeof(int));
    MUST(m, buffer && H5Dread(m->dset, type, mem, c.space, H5P_DEFAULT, buffer) >= 0);
    for (size_t i = 0; i < c.n; i++) {
        int value;
        shown(m, c.at[i], &value);
        MUST(m, holds(m, buffer, i, value));
    }
    free_buffer(m, buffer, c.n);
    MUST(m, H5Tclose(type) >= 0 && H5Sclose(mem) >= 0);
    drop(m, &c);
}

/* The elements of a selection, in its order. */
static size_t list_elements(const struct model *m, hid_t space, hsize_t *out)
{
    hid_t it = H5Ssel_iter_create(space, 1, 0);
    size_t n = 0, runs, elements, length;
    hsize_t offset;
    MUST(m, it >= 0);
    for (;; n += elements) {
        MUST(m, H5Ssel_iter_get_seq_list(it, 1, 1 << 20, &runs, &elements, &offset, &length) >= 0);
        if (elements == 0)
            break;
        for (size_t i = 0; i < elements; i++)
            out[n + i] = offset + i;
    }
    MUST(m, H5Ssel_iter_close(it) >= 0);
    return n;
}

static void check_defined(struct model *m)
{
    struct chosen c;
    size_t n = 0;
    m->doing = "defined";
    see_extent(m);
    if (!choose(m, m->rank, m->dims, &c))
        return;
    bool all = H5Sget_select_type(c.space) == H5S_SEL_ALL && below(m, 2);
    hid_t space = H5Dget_defined(m->dset, all ? H5S_ALL : c.space, H5P_DEFAULT);
    MUST(m, space >= 0);
    hsize_t *got = malloc((c.n + 1) * sizeof *got), dims[MAX_RANK];
    MUST(m, got && H5Sget_simple_extent_dims(space, dims, NULL) == m->rank);
    MUST(m, memcmp(dims, m->dims, (size_t)m->rank * sizeof *dims) == 0);
    MUST(m, H5Sget_select_npoints(space) <= (hssize_t)c.n);
    size_t there = list_elements(m, space, got);
    bool ordered = H5Sget_select_type(c.space) != H5S_SEL_POINTS || H5Sget_select_type(space) == H5S_SEL_POINTS;
    for (size_t i = 0; i < c.n; i++) {
        int value;
        if (shown(m, c.at[i], &value))
            MUST(m, n < there && got[n++] == c.at[i]);
    }
    MUST(m, n == there && (ordered || n == 0));
    free(got);
    MUST(m, H5Sclose(space) >= 0);
    drop(m, &c);
}

static void open_all(struct model *m)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5F_shared_chunk_cache_t cache = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    m->doing = "open";
    MUST(m, H5Pget_shared_chunk_cache(fapl, &cache) >= 0);
    cache.budget = (size_t[]){0, 300, 1 << 20}[below(m, 3)];
    cache.reserve = 0;
    MUST(m, H5Pset_shared_chunk_cache(fapl, &cache) >= 0);
    m->file = H5Fopen(m->path, H5F_ACC_RDWR, fapl);
    MUST(m, m->file >= 0 && H5Pclose(fapl) >= 0);
    m->dset = open_cached(m, m->file, "virtual");
}

static void close_all(struct model *m)
{
    m->doing = "close";
    MUST(m, H5Dclose(m->dset) >= 0 && H5Fclose(m->file) >= 0);
}

static void step(struct model *m)
{
    unsigned what = below(m, 100);
    if (what < 20)
        write_virtual(m);
    else if (what < 35)
        write_source(m, false);
    else if (what < 55)
        read_virtual(m);
    else if (what < 75)
        check_defined(m);
    else if (what < 85)
        erase_virtual(m);
    else if (what < 90)
        write_source(m, true);
    else if (what < 95)
        resize_source(m);
    else {
        close_all(m);
        open_all(m);
    }
}

/* Making them */

static void make_shape(struct model *m, struct source *s)
{
    for (int d = 0; d < s->rank; d++) {
        s->chunk[d] = 1 + below(m, s->room[d]);
        s->dims[d] = s->room[d];
    }
    s->defined = calloc(volume(s->rank, s->room), sizeof *s->defined);
    s->values = calloc(volume(s->rank, s->room), sizeof *s->values);
    MUST(m, s->defined && s->values);
}

/* Some of the virtual dataset is some of the source; strings are in one place each, for who reads twice frees once. */
static void make_box(struct model *m, struct source *s, unsigned i)
{
    for (int d = 0; d < m->rank; d++) {
        hsize_t size = m->dims[d], low = 0;
        if (m->strings && d == 0) {
            size = m->dims[0] / m->n;
            low = i * size;
        }
        s->to_start[d] = below(m, size);
        s->to_stride[d] = 1 + below(m, 3);
        s->to_count[d] = 1 + below(m, (size - s->to_start[d] - 1) / s->to_stride[d] + 1);
        s->to_start[d] += low;
    }
    s->rank = below(m, 3) ? m->rank : 1;
    memcpy(s->count, s->to_count, sizeof s->count);
    if (s->rank == 1)
        s->count[0] = volume(m->rank, s->to_count);
    for (int d = 0; d < s->rank; d++) {
        s->start[d] = below(m, 3);
        s->stride[d] = 1 + below(m, 2);
        s->room[d] = s->start[d] + (s->count[d] - 1) * s->stride[d] + 1 + below(m, 3);
    }
}

static void make_frames(struct model *m, struct source *s)
{
    s->rank = m->rank;
    memcpy(s->room, m->dims, sizeof s->room);
    s->room[0] = m->scheme == TURNS ? 1 + below(m, 8) : m->block;
}

static void set_fill(const struct model *m, hid_t dcpl)
{
    int fill = FILL;
    hid_t type = type_of(m, false);
    void *one = make_buffer(m, &fill, 1);
    MUST(m, H5Pset_fill_value(dcpl, type, one) >= 0 && H5Tclose(type) >= 0);
    free_buffer(m, one, 1);
}

/* A virtual dataset that shows all of the one below it. */
static void make_nested(const struct model *m, hid_t file, const char *name, const char *below_name, hid_t space)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), type = type_of(m, true);
    set_fill(m, dcpl);
    MUST(m, H5Pset_virtual(dcpl, space, ".", below_name, space) >= 0);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    MUST(m, d >= 0 && H5Dclose(d) >= 0 && H5Pclose(dcpl) >= 0 && H5Tclose(type) >= 0);
}

static void make_source(struct model *m, unsigned i)
{
    struct source *s = &m->sources[i];
    char path[80], name[24], below_name[32];
    hsize_t max_dims[MAX_RANK] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    source_names(m, i, path, name);
    snprintf(below_name, sizeof below_name, "%sbelow", name);
    make_shape(m, s);
    if (s->kind == MISSING)
        return;
    hid_t f = s->own_file ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : H5Freopen(m->file);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(s->rank, s->dims, max_dims), type = type_of(m, true);
    set_fill(m, dcpl);
    if (s->kind == DENSE)
        MUST(m, H5Pset_chunk(dcpl, s->rank, s->chunk) >= 0);
    else
        MUST(m, H5Pset_struct_chunk(dcpl, s->rank, s->chunk, H5D_SPARSE_CHUNK | (m->strings ? H5D_VL_CHUNK : 0)) >= 0);
    if (below(m, 2))
        MUST(m, H5Pset_deflate(dcpl, 1) >= 0);
    hid_t d = H5Dcreate2(f, s->kind == NESTED ? below_name : name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    MUST(m, d >= 0 && H5Dclose(d) >= 0 && H5Pclose(dcpl) >= 0 && H5Tclose(type) >= 0);
    if (s->kind == NESTED)
        make_nested(m, f, name, below_name, space);
    MUST(m, H5Sclose(space) >= 0 && H5Fclose(f) >= 0);
}

/* Frames of the sources by turns, however many there are. */
static void map_turns(struct model *m, hid_t dcpl, hid_t dst)
{
    hsize_t start[MAX_RANK] = {0}, stride[MAX_RANK] = {1, 1, 1}, count[MAX_RANK] = {H5S_UNLIMITED, 1, 1}, block[MAX_RANK];
    memcpy(block, m->dims, sizeof block);
    block[0] = 1;
    for (unsigned i = 0; i < m->n; i++) {
        char file[80], name[24];
        const struct source *s = &m->sources[i];
        hsize_t max_dims[MAX_RANK] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
        hid_t src = H5Screate_simple(s->rank, s->dims, max_dims);
        source_names(m, i, file, name);
        start[0] = i;
        stride[0] = m->n;
        MUST(m, H5Sselect_hyperslab(dst, H5S_SELECT_SET, start, stride, count, block) >= 0);
        start[0] = 0;
        stride[0] = 1;
        MUST(m, H5Sselect_hyperslab(src, H5S_SELECT_SET, start, stride, count, block) >= 0);
        MUST(m, H5Pset_virtual(dcpl, dst, s->own_file ? file : ".", name, src) >= 0 && H5Sclose(src) >= 0);
    }
}

static void map_blocks(struct model *m, hid_t dcpl, hid_t dst)
{
    hsize_t start[MAX_RANK] = {0}, stride[MAX_RANK] = {m->block, 1, 1}, count[MAX_RANK] = {H5S_UNLIMITED, 1, 1};
    hsize_t block[MAX_RANK];
    char file[80];
    memcpy(block, m->dims, sizeof block);
    block[0] = m->block;
    hid_t src = H5Screate_simple(m->rank, block, NULL);
    snprintf(file, sizeof file, "%s.%%b", m->path);
    MUST(m, H5Sselect_hyperslab(src, H5S_SELECT_SET, start, NULL, block, NULL) >= 0); /* "all" would shrink with a source */
    MUST(m, H5Sselect_hyperslab(dst, H5S_SELECT_SET, start, stride, count, block) >= 0);
    MUST(m, H5Pset_virtual(dcpl, dst, file, "s%b", src) >= 0 && H5Sclose(src) >= 0);
}

static void map_boxes(struct model *m, hid_t dcpl, hid_t dst)
{
    for (unsigned i = 0; i < m->n; i++) {
        const struct source *s = &m->sources[i];
        char file[80], name[24];
        hid_t src = H5Screate_simple(s->rank, s->room, NULL);
        source_names(m, i, file, name);
        MUST(m, H5Sselect_hyperslab(src, H5S_SELECT_SET, s->start, s->stride, s->count, NULL) >= 0);
        MUST(m, H5Sselect_hyperslab(dst, H5S_SELECT_SET, s->to_start, s->to_stride, s->to_count, NULL) >= 0);
        MUST(m, H5Pset_virtual(dcpl, dst, s->own_file ? file : ".", name, src) >= 0 && H5Sclose(src) >= 0);
    }
}

static void make_virtual(struct model *m)
{
    static void (*const map[])(struct model *, hid_t, hid_t) = {map_boxes, map_turns, map_blocks};
    hsize_t max_dims[MAX_RANK];
    memcpy(max_dims, m->dims, sizeof max_dims);
    if (m->scheme != BOXES)
        max_dims[0] = H5S_UNLIMITED;
    hid_t dst = H5Screate_simple(m->rank, m->dims, max_dims), dcpl = H5Pcreate(H5P_DATASET_CREATE), type = type_of(m, true);
    set_fill(m, dcpl);
    map[m->scheme](m, dcpl, dst);
    hid_t d = H5Dcreate2(m->file, "virtual", type, dst, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    MUST(m, d >= 0 && H5Dclose(d) >= 0 && H5Pclose(dcpl) >= 0 && H5Sclose(dst) >= 0 && H5Tclose(type) >= 0);
}

static void make_all(struct model *m)
{
    static const unsigned sizes[] = {80, 14, 8};
    m->doing = "create";
    m->scheme = (enum scheme)below(m, 3);
    m->strings = below(m, 4) == 0;
    m->rank = 1 + (int)below(m, MAX_RANK);
    m->n = 1 + below(m, SOURCES);
    m->block = 1 + below(m, 6);
    for (int d = 0; d < m->rank; d++)
        m->dims[d] = sizes[m->rank - 1] / 2 + below(m, sizes[m->rank - 1] / 2);
    m->file = H5Fcreate(m->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    MUST(m, m->file >= 0);
    for (unsigned i = 0; i < m->n; i++) {
        struct source *s = &m->sources[i];
        unsigned kind = below(m, 10);
        s->kind = kind < 6 ? SPARSE : kind < 8 ? DENSE : kind < 9 ? NESTED : MISSING;
        /* What is nested does not grow. */
        if (s->kind == NESTED && m->scheme != BOXES)
            s->kind = SPARSE;
        s->own_file = m->scheme == BLOCKS || s->kind == MISSING || below(m, 2);
        if (m->scheme == BOXES)
            make_box(m, s, i);
        else
            make_frames(m, s);
        make_source(m, i);
    }
    make_virtual(m);
    MUST(m, H5Fclose(m->file) >= 0);
}

static void one_seed(unsigned seed, unsigned ops)
{
    struct model m = {.seed = seed, .state = seed * 1000003ull};
    snprintf(m.path, sizeof m.path, "/tmp/virtual-%ld-%u.h5", (long)getpid(), seed);
    make_all(&m);
    open_all(&m);
    for (m.op = 1; m.op <= ops; m.op++)
        step(&m);
    close_all(&m);
    unlink(m.path);
    for (unsigned i = 0; i < m.n; i++) {
        char file[80], name[24];
        source_names(&m, i, file, name);
        if (m.sources[i].own_file)
            unlink(file);
        free(m.sources[i].defined);
        free(m.sources[i].values);
    }
}

static unsigned current_seed;

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
    unsigned first = 1, last = 60, ops = DEFAULT_OPS;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seeds") == 0) {
            if (sscanf(argv[i + 1], "%u-%u", &first, &last) == 1)
                last = first;
        } else if (strcmp(argv[i], "--ops") == 0)
            ops = (unsigned)atoi(argv[i + 1]);
        else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
    }
    signal(SIGALRM, too_long);
    for (current_seed = first; current_seed <= last; current_seed++) {
        alarm(120);
        one_seed(current_seed, ops);
    }
    printf("seeds %u-%u, %u operations each: all as the model says\n", first, last, ops);
    return 0;
}
