#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) must((call) >= 0, #call)

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "failed: %s\n", what);
    abort();
}

static unsigned rnd(struct work *w, unsigned below)
{
    uint64_t *s = &w->world->random;
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (unsigned)(*s >> 33) % below;
}

uint64_t cell(uint64_t tick, unsigned oid, uint64_t index)
{
    return tick << 24 | (uint64_t)(oid & 0xfff) << 12 | (tick ? index & 0xfff : 0);
}

uint64_t cell_tick(uint64_t value)
{
    return value >> 24;
}

bool cell_belongs(uint64_t value, unsigned oid, uint64_t index)
{
    return value == cell(cell_tick(value), oid, index);
}

static void settle(struct work *w, bool flush)
{
    if (flush)
        MUST(H5Fflush(w->file, H5F_SCOPE_LOCAL));
    if (w->settled)
        w->settled(w, flush);
}

/* With a small cache each call may be in the file before the next. */
static void step(struct work *w)
{
    if (w->how & WORK_SMALL_CACHE)
        settle(w, false);
}

static struct item *pick(struct work *w, unsigned kinds)
{
    struct world *o = w->world;
    unsigned n = 0;
    for (unsigned i = 0; i < o->n_items; i++)
        n += kinds >> o->items[i].kind & 1;
    if (n == 0)
        return NULL;
    n = rnd(w, n);
    for (unsigned i = 0;; i++)
        if (kinds >> o->items[i].kind & 1 && n-- == 0)
            return &o->items[i];
}

/* A name in some group, or in the root. */
static void new_path(struct work *w, char prefix, char *out)
{
    const struct item *g = rnd(w, 3) ? pick(w, 1u << ITEM_GROUP) : NULL;
    snprintf(out, PATH_SIZE, "%.40s/%c%u", g && strlen(g->path) <= 40 ? g->path : "", prefix, w->world->next++);
}

static struct item *add(struct work *w, enum item_kind kind, const char *path)
{
    struct item *it = &w->world->items[w->world->n_items++];
    memset(it, 0, sizeof *it);
    it->kind = kind;
    memcpy(it->path, path, strlen(path) + 1);
    return it;
}

static bool below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static void forget(struct work *w, const char *path)
{
    struct world *o = w->world;
    unsigned kept = 0;
    for (unsigned i = 0; i < o->n_items; i++)
        if (!below(o->items[i].path, path))
            o->items[kept++] = o->items[i];
    o->n_items = kept;
}

static hid_t object_list(struct work *w, hid_t cls)
{
    hid_t list = H5Pcreate(cls);
    MUST(list);
    if (rnd(w, 3) == 0)
        MUST(H5Pset_attr_phase_change(list, 3, 2));
    if (rnd(w, 3) == 0)
        MUST(H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    MUST(H5Pset_obj_track_times(list, 0));
    return list;
}

static void new_group(struct work *w)
{
    char path[PATH_SIZE];
    new_path(w, 'g', path);
    hid_t list = object_list(w, H5P_GROUP_CREATE);
    if (rnd(w, 2))
        MUST(H5Pset_link_phase_change(list, 4, 2));
    if (rnd(w, 3) == 0)
        MUST(H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    hid_t g = H5Gcreate2(w->file, path, H5P_DEFAULT, list, H5P_DEFAULT);
    MUST(g);
    MUST(H5Gclose(g));
    MUST(H5Pclose(list));
    add(w, ITEM_GROUP, path);
}

static void new_links(struct work *w)
{
    char path[PATH_SIZE];
    struct item *to = pick(w, 1u << ITEM_CELLS | 1u << ITEM_TYPE);
    for (unsigned n = rnd(w, 5) + 1; n > 0 && w->world->n_items < MAX_ITEMS; n--) {
        new_path(w, 'l', path);
        switch (rnd(w, to ? 3 : 2)) {
        case 0:
            MUST(H5Lcreate_soft("/nowhere/at/all", w->file, path, H5P_DEFAULT, H5P_DEFAULT));
            break;
        case 1:
            MUST(H5Lcreate_external("other.h5", "/thing", w->file, path, H5P_DEFAULT, H5P_DEFAULT));
            break;
        default:
            MUST(H5Lcreate_hard(w->file, to->path, w->file, path, H5P_DEFAULT, H5P_DEFAULT));
        }
        add(w, ITEM_LINK, path);
        step(w);
    }
}

static void new_type(struct work *w)
{
    char path[PATH_SIZE];
    new_path(w, 't', path);
    hid_t list = object_list(w, H5P_DATATYPE_CREATE), t = H5Tcreate(H5T_COMPOUND, 16);
    MUST(H5Tinsert(t, "first", 0, H5T_STD_I64LE));
    MUST(H5Tinsert(t, path, 8, H5T_IEEE_F64LE));
    MUST(H5Tcommit2(w->file, path, t, H5P_DEFAULT, list, H5P_DEFAULT));
    MUST(H5Tclose(t));
    MUST(H5Pclose(list));
    add(w, ITEM_TYPE, path);
}

/* Extent and layout of a new dataset of cells: every index and layout comes up. */
static hid_t new_layout(struct work *w, hid_t list, hsize_t *chunk)
{
    hsize_t dims[2] = {rnd(w, 40) + 1, rnd(w, 12) + 1}, most[2] = {H5S_UNLIMITED, dims[1]};
    unsigned kind = w->how & WORK_APPEND ? 3 + 2 * rnd(w, 2) : rnd(w, 9);
    int rank = 1;
    chunk[0] = rnd(w, 12) + 3;
    chunk[1] = rnd(w, 5) + 2;
    switch (kind) {
    case 0:
        MUST(H5Pset_layout(list, H5D_COMPACT));
        most[0] = dims[0];
        break;
    case 1:
    case 2:
        dims[0] = rnd(w, 300) + 1;
        most[0] = dims[0];
        if (kind == 2)
            MUST(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
        break;
    case 3:
        break;
    case 4: /* unlimited in both dimensions */
        rank = 2;
        most[1] = H5S_UNLIMITED;
        break;
    case 5: /* fixed */
        rank = 2;
        most[0] = dims[0] * 2;
        break;
    case 6: /* fixed and allocated early: implicit if there are no filters */
        rank = 2;
        most[0] = dims[0];
        MUST(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
        break;
    case 7: /* one chunk */
        most[0] = dims[0];
        chunk[0] = dims[0];
        break;
    default: /* very small chunks make large indexes */
        rank = 2;
        chunk[0] = chunk[1] = 1;
    }
    for (int i = 0; i < rank; i++)
        chunk[i] = chunk[i] > most[i] ? most[i] : chunk[i];
    if (kind >= 3)
        MUST(H5Pset_chunk(list, rank, chunk));
    if (kind >= 3 && rnd(w, 2)) {
        if (rnd(w, 2))
            MUST(H5Pset_shuffle(list));
        if (rnd(w, 3))
            MUST(H5Pset_deflate(list, 1));
        if (rnd(w, 3) == 0)
            MUST(H5Pset_fletcher32(list));
        /* Whether such a chunk is filtered depends on the extent, which stands elsewhere: no order of writes suffices. */
        if (w->how & WORK_LATEST && !(w->how & (WORK_APPEND | WORK_SWMR)) && rnd(w, 2))
            MUST(H5Pset_chunk_opts(list, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    }
    return H5Screate_simple(rank, dims, most);
}

#ifdef H5D_SPARSE_CHUNK
static void sparse_filters(struct work *w, hid_t list)
{
    if (rnd(w, 2))
        return;
    if (rnd(w, 2))
        MUST(H5Pset_selection_packing(list));
    if (rnd(w, 2))
        MUST(H5Pset_shuffle(list));
    if (rnd(w, 3))
        MUST(H5Pset_deflate(list, 1));
}

/* Every index of structured chunks comes up. */
static hid_t sparse_layout(struct work *w, hid_t list)
{
    hsize_t dims[2] = {rnd(w, 40) + 10, rnd(w, 12) + 1}, most[2] = {dims[0] * 2, dims[1]};
    hsize_t chunk[2] = {rnd(w, 12) + 3, rnd(w, 5) + 2};
    int rank = 2;
    switch (rnd(w, 5)) {
    case 0: /* extensible array */
        rank = 1;
        most[0] = H5S_UNLIMITED;
        break;
    case 1: /* B-tree */
        most[0] = most[1] = H5S_UNLIMITED;
        break;
    case 2: /* one chunk */
        rank = 1;
        chunk[0] = most[0] = dims[0];
        break;
    case 3: /* very small chunks make large indexes */
        most[0] = most[1] = H5S_UNLIMITED;
        chunk[0] = chunk[1] = 2;
        break;
    default: /* fixed array */
        break;
    }
    for (int i = 0; i < rank; i++)
        chunk[i] = chunk[i] > most[i] ? most[i] : chunk[i];
    MUST(H5Pset_sparse_chunk(list, rank, chunk));
    sparse_filters(w, list);
    return H5Screate_simple(rank, dims, most);
}

/* Sparse or dense. */
static void sparse_texts(struct work *w, hid_t list, hsize_t chunk)
{
    MUST(H5Pset_struct_chunk(list, 1, &chunk, rnd(w, 3) ? H5D_SPARSE_CHUNK : H5D_VL_CHUNK));
    if (rnd(w, 2))
        MUST(H5Pset_deflate(list, 1));
}

/* One chunk is written again as it is stored, or goes. False: there is none. */
static bool direct_chunk(struct work *w, const struct item *it, hid_t d, bool sparse)
{
    struct world *o = w->world;
    uint16_t masks[3];
    size_t sizes[3];
    void *bytes[3] = {NULL};
    H5D_struct_chunk_info_t info = {.num_sections = 3, .filter_mask = masks, .section_size = sizes};
    hsize_t offset[2], n;
    MUST(H5Dget_num_chunks(d, H5S_ALL, &n));
    if (n == 0)
        return false;
    MUST(H5Dget_struct_chunk_info(d, H5S_ALL, rnd(w, (unsigned)n), offset, &info, NULL, NULL));
    for (unsigned i = 0; i < info.num_sections; i++)
        bytes[i] = malloc(sizes[i] + 1);
    MUST(H5Dread_struct_chunk(d, H5P_DEFAULT, offset, NULL, bytes));
    if (sparse && rnd(w, 3) == 0) {
        o->shrinks[o->n_shrinks++] = (struct shrink){.oid = it->oid, .tick = ++o->tick};
        memset(sizes, 0, sizeof sizes);
        memset(masks, 0, sizeof masks);
    }
    MUST(H5Dwrite_struct_chunk(d, H5P_DEFAULT, offset, &info, bytes));
    for (unsigned i = 0; i < info.num_sections; i++)
        free(bytes[i]);
    return true;
}

static void erase_block(struct work *w, const struct item *it, hid_t d, hid_t space)
{
    struct world *o = w->world;
    hid_t list = H5Dget_create_plist(d);
    hsize_t chunk[2];
    unsigned flags = 0;
    MUST(H5Pget_struct_chunk(list, 2, chunk, &flags));
    bool done = rnd(w, 2) == 0 && direct_chunk(w, it, d, flags & H5D_SPARSE_CHUNK);
    if (!done && flags & H5D_SPARSE_CHUNK) {
        o->shrinks[o->n_shrinks++] = (struct shrink){.oid = it->oid, .tick = ++o->tick};
        MUST(H5Derase(d, space, H5P_DEFAULT));
    }
    MUST(H5Pclose(list));
}
#else
/* Never called: nobody asks stock libhdf5 for WORK_SPARSE. */
static hid_t sparse_layout(struct work *w, hid_t list)
{
    (void)w, (void)list;
    return -1;
}

static void sparse_texts(struct work *w, hid_t list, hsize_t chunk)
{
    (void)w, (void)list, (void)chunk;
}

static void erase_block(struct work *w, const struct item *it, hid_t d, hid_t space)
{
    (void)w, (void)it, (void)d, (void)space;
}
#endif

static void new_cells(struct work *w)
{
    char path[PATH_SIZE];
    hsize_t chunk[2];
    new_path(w, 'd', path);
    struct item *it = add(w, ITEM_CELLS, path);
    it->oid = w->world->next++;
    uint64_t fill = cell(0, it->oid, 0);
    hid_t list = object_list(w, H5P_DATASET_CREATE);
    hid_t space = w->how & WORK_SPARSE ? sparse_layout(w, list) : new_layout(w, list, chunk);
    MUST(H5Pset_fill_value(list, H5T_NATIVE_UINT64, &fill));
    if (!(w->how & WORK_SPARSE) && rnd(w, 2))
        MUST(H5Pset_fill_time(list, H5D_FILL_TIME_ALLOC));
    hid_t d = H5Dcreate2(w->file, path, H5T_STD_U64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    MUST(d);
    MUST(H5Dclose(d));
    MUST(H5Sclose(space));
    MUST(H5Pclose(list));
}

/* A block somewhere in the extent. Returns the number of its elements. */
static size_t some_block(struct work *w, hid_t space, int *rank, hsize_t *start, hsize_t *count)
{
    hsize_t dims[2];
    size_t n = 1;
    *rank = H5Sget_simple_extent_dims(space, dims, NULL);
    MUST(*rank);
    for (int i = 0; i < *rank; i++) {
        if (dims[i] == 0)
            return 0;
        start[i] = rnd(w, (unsigned)dims[i]);
        count[i] = rnd(w, (unsigned)(dims[i] - start[i])) + 1;
        if (rnd(w, 4) == 0) {
            start[i] = 0;
            count[i] = dims[i];
        }
        n *= count[i];
    }
    return n;
}

static void put_block(struct work *w, hid_t d, unsigned oid, const hsize_t *start, const hsize_t *count)
{
    hid_t space = H5Dget_space(d);
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t columns = rank == 2 ? count[1] : 1, n = count[0] * columns;
    uint64_t *values = malloc(n * sizeof *values), tick = ++w->world->tick;
    for (hsize_t i = 0; i < n; i++) {
        hsize_t row = start[0] + i / columns, column = rank == 2 ? start[1] + i % columns : 0;
        values[i] = cell(tick, oid, rank == 2 ? row * CELL_ROW + column : row);
    }
    hid_t memory = H5Screate_simple(1, &n, NULL);
    MUST(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    MUST(H5Dwrite(d, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, values));
    MUST(H5Sclose(memory));
    MUST(H5Sclose(space));
    free(values);
}

static void write_cells(struct work *w)
{
    struct item *it = pick(w, 1u << ITEM_CELLS);
    hsize_t start[2], count[2];
    int rank;
    if (!it)
        return;
    hid_t d = H5Dopen2(w->file, it->path, H5P_DEFAULT);
    MUST(d);
    for (unsigned n = rnd(w, 4) + 1; n > 0; n--) {
        hid_t space = H5Dget_space(d);
        if (some_block(w, space, &rank, start, count) > 0)
            put_block(w, d, it->oid, start, count);
        step(w);
        MUST(H5Sclose(space));
    }
    MUST(H5Dclose(d));
}

static void append(struct work *w)
{
    struct item *it = pick(w, 1u << ITEM_CELLS);
    hsize_t dims[2] = {0}, most[2] = {0}, start[2] = {0}, count[2];
    if (!it)
        return;
    hid_t d = H5Dopen2(w->file, it->path, H5P_DEFAULT), space = H5Dget_space(d);
    MUST(d);
    MUST(H5Sget_simple_extent_dims(space, dims, most));
    MUST(H5Sclose(space));
    start[0] = dims[0];
    count[0] = rnd(w, 20) + 1;
    count[0] = count[0] > most[0] - dims[0] ? most[0] - dims[0] : count[0];
    count[1] = dims[1];
    dims[0] += count[0];
    MUST(H5Dset_extent(d, dims));
    if (count[0] > 0)
        put_block(w, d, it->oid, start, count);
    MUST(H5Dclose(d));
}

static void resize(struct work *w)
{
    struct item *it = pick(w, w->how & WORK_SPARSE ? 1u << ITEM_CELLS | 1u << ITEM_VLEN : 1u << ITEM_CELLS);
    hsize_t dims[2], most[2], next[2];
    struct world *o = w->world;
    if (!it || o->n_shrinks == MAX_SHRINKS)
        return;
    hid_t d = H5Dopen2(w->file, it->path, H5P_DEFAULT), list = H5Dget_create_plist(d), space = H5Dget_space(d);
    int rank = H5Sget_simple_extent_dims(space, dims, most);
    MUST(d);
    if (H5Pget_layout(list) == H5D_CHUNKED || w->how & WORK_SPARSE) {
        bool shrinks = false;
        for (int i = 0; i < rank; i++) {
            next[i] = rnd(w, (unsigned)(i == 0 ? 60 : 15));
            next[i] = next[i] > most[i] ? most[i] : next[i];
            shrinks = shrinks || next[i] < dims[i];
        }
        if (shrinks)
            o->shrinks[o->n_shrinks++] = (struct shrink){.oid = it->oid, .tick = ++o->tick};
        MUST(H5Dset_extent(d, next));
    }
    MUST(H5Sclose(space));
    MUST(H5Pclose(list));
    MUST(H5Dclose(d));
}

/* A block, which may be all. */
static void erase(struct work *w)
{
    struct item *it = pick(w, 1u << ITEM_CELLS | 1u << ITEM_VLEN);
    hsize_t start[2], count[2];
    int rank;
    if (!it || w->world->n_shrinks == MAX_SHRINKS)
        return;
    hid_t d = H5Dopen2(w->file, it->path, H5P_DEFAULT), space = H5Dget_space(d);
    MUST(d);
    if (some_block(w, space, &rank, start, count) > 0) {
        MUST(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        erase_block(w, it, d, space);
    }
    MUST(H5Sclose(space));
    MUST(H5Dclose(d));
}

static hid_t text_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    MUST(H5Tset_size(t, H5T_VARIABLE));
    return t;
}

/* Texts say what cells say, and have some more letters. */
static void put_texts(struct work *w, hid_t d, unsigned oid, hsize_t from, hsize_t n)
{
    enum { HEAD = 40 };
    char **texts = malloc(n * sizeof *texts);
    uint64_t tick = ++w->world->tick;
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, &n, NULL), t = text_type();
    for (hsize_t i = 0; i < n; i++) {
        unsigned more = rnd(w, 60);
        texts[i] = calloc(1, HEAD + more);
        int head = snprintf(texts[i], HEAD, "%llx ", (unsigned long long)cell(tick, oid, from + i));
        memset(texts[i] + head, 'x', more);
    }
    MUST(H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &n, NULL));
    MUST(H5Dwrite(d, t, memory, space, H5P_DEFAULT, texts));
    for (hsize_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
    MUST(H5Tclose(t));
    MUST(H5Sclose(memory));
    MUST(H5Sclose(space));
}

static void text_layout(hid_t list, unsigned kind, hsize_t chunk)
{
    if (kind > 0)
        MUST(H5Pset_chunk(list, 1, &chunk));
    if (kind == 1)
        MUST(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
    if (kind == 3)
        MUST(H5Pset_deflate(list, 1));
}

/* A SWMR writer does not write such outside structured chunks. */
static bool has_texts(const struct work *w)
{
    return !(w->how & WORK_SWMR) || w->how & WORK_SPARSE;
}

static void new_texts(struct work *w)
{
    char path[PATH_SIZE];
    hsize_t n = rnd(w, 20) + 7, most = n, chunk = rnd(w, 6) + 2;
    unsigned kind = rnd(w, 4);
    char comment[16];
    if (!has_texts(w))
        return;
    new_path(w, 'v', path);
    hid_t list = object_list(w, H5P_DATASET_CREATE), t = text_type();
    if (w->how & WORK_SPARSE)
        sparse_texts(w, list, chunk);
    else
        text_layout(list, kind, chunk);
    if (kind == 2)
        most = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &n, &most), d = H5Dcreate2(w->file, path, t, space, H5P_DEFAULT, list, H5P_DEFAULT);
    MUST(d);
    step(w);
    struct item *it = add(w, ITEM_VLEN, path);
    it->oid = w->world->next++;
    snprintf(comment, sizeof comment, "%u", it->oid);
    MUST(H5Oset_comment(d, comment));
    step(w);
    if (rnd(w, 2))
        put_texts(w, d, it->oid, 0, n);
    MUST(H5Dclose(d));
    MUST(H5Sclose(space));
    MUST(H5Tclose(t));
    MUST(H5Pclose(list));
}

/* It may bring the file to disk, so it stands between two flushes: only the one or the other state is right. */
static void write_texts(struct work *w)
{
    struct item *it = pick(w, 1u << ITEM_VLEN);
    hsize_t dims;
    if (!it)
        return;
    settle(w, true);
    hid_t d = H5Dopen2(w->file, it->path, H5P_DEFAULT), space = H5Dget_space(d);
    MUST(d);
    MUST(H5Sget_simple_extent_dims(space, &dims, NULL));
    if (dims > 0) {
        hsize_t from = rnd(w, (unsigned)dims), n = rnd(w, (unsigned)(dims - from)) + 1;
        put_texts(w, d, it->oid, from, n);
    }
    MUST(H5Sclose(space));
    MUST(H5Dclose(d));
    settle(w, true);
}

static void put_attribute(struct work *w, hid_t a, bool text)
{
    int values[8];
    for (int i = 0; i < 8; i++)
        values[i] = (int)rnd(w, 1000000);
    char words[32];
    const char *p = words;
    snprintf(words, sizeof words, "words %d", values[0]);
    hid_t t = text ? text_type() : H5Tcopy(H5T_NATIVE_INT);
    MUST(H5Awrite(a, t, text ? (const void *)&p : values));
    MUST(H5Tclose(t));
}

static void new_attributes(struct work *w, hid_t o, struct item *it)
{
    hsize_t n = 8;
    for (unsigned k = rnd(w, 6) + 1; k > 0; k--) {
        char name[32];
        bool text = rnd(w, 4) == 0;
        snprintf(name, sizeof name, "a%u", it->attributes++);
        hid_t t = text ? text_type() : H5Tcopy(H5T_STD_I32LE);
        hid_t space = text ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
        hid_t a = H5Acreate2(o, name, t, space, H5P_DEFAULT, H5P_DEFAULT);
        MUST(a);
        step(w);
        put_attribute(w, a, text);
        step(w);
        MUST(H5Aclose(a));
        MUST(H5Sclose(space));
        MUST(H5Tclose(t));
    }
}

static void change_attribute(struct work *w, hid_t o, struct item *it)
{
    char name[64], to[64];
    int n = H5Aget_num_attrs(o);
    MUST(n);
    if (n == 0)
        return;
    hsize_t which = rnd(w, (unsigned)n);
    MUST(H5Aget_name_by_idx(o, ".", H5_INDEX_NAME, H5_ITER_INC, which, name, sizeof name, H5P_DEFAULT));
    hid_t a = H5Aopen(o, name, H5P_DEFAULT), t = H5Aget_type(a);
    bool text = H5Tget_class(t) == H5T_STRING;
    MUST(H5Tclose(t));
    unsigned what = rnd(w, 3);
    if (what == 0)
        put_attribute(w, a, text);
    MUST(H5Aclose(a));
    if (what == 1)
        MUST(H5Adelete(o, name));
    if (what == 2) {
        snprintf(to, sizeof to, "a%u", it->attributes++);
        MUST(H5Arename(o, name, to));
    }
}

static void attributes(struct work *w)
{
    struct item *it = pick(w, 1u << ITEM_GROUP | 1u << ITEM_CELLS | 1u << ITEM_TYPE);
    if (!it)
        return;
    hid_t o = H5Oopen(w->file, it->path, H5P_DEFAULT);
    MUST(o);
    if (rnd(w, 2))
        new_attributes(w, o, it);
    else
        change_attribute(w, o, it);
    MUST(H5Oclose(o));
}

static void move(struct work *w)
{
    char to[PATH_SIZE], old[PATH_SIZE], path[PATH_SIZE * 2];
    struct item *it = pick(w, ~0u);
    if (!it)
        return;
    memcpy(old, it->path, sizeof old);
    snprintf(to, sizeof to, "/m%u", w->world->next++);
    MUST(H5Lmove(w->file, old, w->file, to, H5P_DEFAULT, H5P_DEFAULT));
    for (unsigned i = 0; i < w->world->n_items; i++) {
        char *p = w->world->items[i].path;
        if (!below(p, old))
            continue;
        snprintf(path, sizeof path, "%s%s", to, p + strlen(old));
        memcpy(p, path, strlen(path) + 1);
    }
}

static void delete(struct work *w)
{
    char path[PATH_SIZE];
    struct item *it = pick(w, rnd(w, 4) ? ~(1u << ITEM_GROUP) : ~0u);
    if (!it)
        return;
    memcpy(path, it->path, sizeof path);
    MUST(H5Ldelete(w->file, path, H5P_DEFAULT));
    forget(w, path);
}

static void copy(struct work *w)
{
    char path[PATH_SIZE];
    struct item *it = pick(w, 1u << ITEM_CELLS | 1u << ITEM_TYPE | 1u << ITEM_VLEN);
    /* What is older than its dataset's last write cannot be told from what is lost in a copy that is not a flush's. */
    if (!it || w->how & WORK_SMALL_CACHE)
        return;
    new_path(w, 'c', path);
    MUST(H5Ocopy(w->file, it->path, w->file, path, H5P_DEFAULT, H5P_DEFAULT));
    struct item old = *it, *made = add(w, old.kind, path);
    made->oid = old.oid;
    made->attributes = old.attributes;
}

static bool has_room(const struct work *w)
{
    return w->world->n_items < MAX_ITEMS - 6;
}

/* Sparse datasets and hardly anything else: what happens to the rest of a file does not depend on them. */
static void one_sparse(struct work *w)
{
    static void (*const makers[])(struct work *) = {new_cells, new_cells, new_texts, copy, new_group};
    unsigned what = rnd(w, 20);
    if (what < 5 && has_room(w))
        makers[rnd(w, sizeof makers / sizeof *makers)](w);
    else if (what < 10)
        write_cells(w);
    else if (what < 13)
        erase(w);
    else if (what < 16)
        resize(w);
    else if (what < 18)
        write_texts(w);
    else if (what == 18)
        attributes(w);
    else
        delete(w);
}

static void one(struct work *w)
{
    static void (*const makers[])(struct work *) = {new_group, new_links, new_type, new_cells, new_cells,
                                                    new_cells, new_texts, copy};
    unsigned what = rnd(w, 16);
    if (what < 5 && has_room(w))
        makers[rnd(w, sizeof makers / sizeof *makers)](w);
    else if (what < 8 || (what == 10 && w->how & WORK_SWMR))
        write_cells(w);
    else if (what < 10)
        resize(w);
    else if (what == 10)
        write_texts(w);
    else if (what < 13)
        attributes(w);
    else if (what == 13)
        move(w);
    else
        delete(w);
}

hid_t work_access(unsigned how)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    MUST(fapl);
    MUST(H5Pset_libver_bounds(fapl, how & WORK_LATEST ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    if (how & WORK_SMALL_CACHE) {
        H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
        MUST(H5Pget_mdc_config(fapl, &config));
        config.set_initial_size = 1;
        config.initial_size = config.min_size = config.max_size = 4096;
        config.max_increment = config.max_decrement = 4096;
        MUST(H5Pset_mdc_config(fapl, &config));
    }
    if (how & WORK_FAMILY)
        MUST(H5Pset_fapl_family(fapl, WORK_MEMBER, H5P_DEFAULT));
#ifdef H5D_SPARSE_CHUNK
    if (how & WORK_SWMR)
        MUST(H5Pset_swmr_new_objects(fapl, 1));
#endif
    return fapl;
}

void work_create(struct work *w)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = work_access(w->how);
    MUST(H5Pset_obj_track_times(fcpl, 0));
    if (w->how & WORK_PERSIST)
        MUST(H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_FSM_AGGR, 1, 1));
    if (w->how & WORK_PAGES) {
        MUST(H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, 1, 1));
        MUST(H5Pset_file_space_page_size(fcpl, 512));
    }
    if (w->how & WORK_SHARED) {
        MUST(H5Pset_shared_mesg_nindexes(fcpl, 1));
        MUST(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ALL_FLAG, 20));
        MUST(H5Pset_shared_mesg_phase_change(fcpl, 6, 3));
    }
    if (w->how & WORK_SHORT)
        MUST(H5Pset_sizes(fcpl, 4, 8));
    if (w->how & WORK_USERBLOCK)
        MUST(H5Pset_userblock(fcpl, 1024));
    w->file = H5Fcreate(w->path, H5F_ACC_TRUNC, fcpl, fapl);
    MUST(w->file);
    MUST(H5Pclose(fcpl));
    MUST(H5Pclose(fapl));
    for (unsigned n = w->how & WORK_APPEND ? 1 : w->how & WORK_OVERWRITE ? 4 : 0; n > 0; n--)
        new_cells(w);
    if (w->how & WORK_SWMR)
        MUST(H5Fstart_swmr_write(w->file));
    settle(w, true);
}

void work_open(struct work *w)
{
    hid_t fapl = work_access(w->how);
    w->file = H5Fopen(w->path, H5F_ACC_RDWR | (w->how & WORK_SWMR ? H5F_ACC_SWMR_WRITE : 0), fapl);
    MUST(w->file);
    MUST(H5Pclose(fapl));
}

void work_run(struct work *w, unsigned operations)
{
    for (unsigned i = 0; i < operations; i++) {
        if (w->how & WORK_APPEND) {
            append(w);
        } else if (w->how & WORK_OVERWRITE) {
            write_cells(w);
        } else if (w->how & WORK_SPARSE) {
            one_sparse(w);
        } else {
            one(w);
        }
        unsigned then = rnd(w, 40);
        if (then == 0) {
            work_close(w);
            work_open(w);
            if (w->settled)
                w->settled(w, true);
        } else if (then < 6 || (w->how & (WORK_APPEND | WORK_OVERWRITE) && then < 20)) {
            settle(w, true);
        } else {
            step(w);
        }
    }
    settle(w, true);
}

void work_close(struct work *w)
{
    MUST(H5Fclose(w->file));
    w->file = -1;
}
