/* Chunk indexes of every kind changed at random, against a table in memory. */
#include <fcntl.h>

#include "base/checked.h"
#include "index/chunk_kinds.h"
#include "unit/index/undo.h"

#define MOST 12000 /* positions in the largest extent that the tests use */

struct dataset {
    const char *name;
    struct ts_layout layout;
    unsigned rank;
    hsize_t dims[3], max_dims[3], chunk_dims[3], grid[3]; /* grid: chunks in the largest extent used */
    bool filtered, early;
    unsigned struct_type; /* TS_STRUCT_*; 0: not structured */
    unsigned chunk_k; /* 0: as it is */
    enum ts_chunk_index_kind kind;
    /* What must be there. */
    struct ts_chunk_rec recs[MOST]; /* addr HADDR_UNDEF: none */
    size_t n;
    /* At work. */
    struct ts_file *f;
    struct ts_chunk_index *ix;
    uint32_t random;
};

#define CHUNK_BYTES 32

static size_t positions(const struct dataset *d)
{
    size_t n = 1;
    for (unsigned i = 0; i < d->rank; i++)
        n *= d->grid[i];
    return n;
}

static void scaled_of(const struct dataset *d, size_t position, hsize_t *scaled)
{
    for (unsigned i = d->rank; i-- > 0;) {
        scaled[i] = position % d->grid[i];
        position /= d->grid[i];
    }
}

static size_t position_of(const struct dataset *d, const hsize_t *scaled)
{
    size_t position = 0;
    for (unsigned i = 0; i < d->rank; i++)
        position = position * d->grid[i] + scaled[i];
    return position;
}

static bool inside(const struct dataset *d, const hsize_t *scaled)
{
    for (unsigned i = 0; i < d->rank; i++)
        if (scaled[i] >= ts_div_ceil(d->dims[i], d->chunk_dims[i]))
            return false;
    return true;
}

static struct ts_chunk_geometry geometry(const struct dataset *d)
{
    return (struct ts_chunk_geometry){.rank = d->rank,
                                      .dims = d->dims,
                                      .max_dims = d->max_dims,
                                      .chunk_dims = d->chunk_dims,
                                      .chunk_bytes = CHUNK_BYTES,
                                      .filtered = d->filtered};
}

static int open_index(struct dataset *d)
{
    struct ts_chunk_geometry g = geometry(d);
    if (d->chunk_k)
        d->f->sb.chunk_k = d->chunk_k;
    return ts_chunk_index_open(d->f, &d->layout, &g, &d->ix);
}

static void begin(struct dataset *d, unsigned version)
{
    struct ts_chunk_geometry g = geometry(d);
    d->layout = (struct ts_layout){.version = d->struct_type ? 5 : version,
                                   .cls = d->struct_type ? H5D_STRUCT_CHUNK : H5D_CHUNKED};
    d->layout.chunk.struct_type = d->struct_type;
    d->layout.chunk.rank = d->rank;
    d->layout.chunk.element_size = 4;
    memcpy(d->layout.chunk.dims, d->chunk_dims, sizeof d->chunk_dims);
    d->random = 77;
    for (size_t i = 0; i < MOST; i++)
        d->recs[i].addr = HADDR_UNDEF;
    ts_chunk_index_choose(&d->layout, &g, d->early);
    assert_int_equal(d->layout.chunk.index, d->kind);
}

/* A file that is open for writing is asked with its lock. */
static int count_chunks(const struct dataset *d, uint64_t *count)
{
    ts_file_lock(d->f);
    int status = ts_chunk_index_count(d->ix, count);
    ts_file_unlock(d->f);
    return status;
}

static int nth_chunk(const struct dataset *d, uint64_t n, struct ts_chunk_rec *out)
{
    ts_file_lock(d->f);
    int status = ts_chunk_index_nth(d->ix, n, out);
    ts_file_unlock(d->f);
    return status;
}

static void same_record(const struct dataset *d, const struct ts_chunk_rec *a, const struct ts_chunk_rec *b)
{
    assert_memory_equal(a->scaled, b->scaled, d->rank * sizeof *a->scaled);
    assert_int_equal(a->addr, b->addr);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->filter_mask, b->filter_mask);
    assert_int_equal(a->sections.n, b->sections.n);
    assert_int_equal(a->sections.n, ts_struct_sections(d->struct_type));
    for (unsigned i = 0; i < a->sections.n; i++) {
        assert_int_equal(a->sections.offset[i], b->sections.offset[i]);
        assert_int_equal(a->sections.size[i], b->sections.size[i]);
        assert_int_equal(a->sections.mask[i], b->sections.mask[i]);
    }
}

/* Sections of any sizes, some of them empty. */
static void make_sections(struct dataset *d, struct ts_chunk_rec *rec)
{
    struct ts_chunk_sections *s = &rec->sections;
    s->n = (uint8_t)ts_struct_sections(d->struct_type);
    rec->filter_mask = 0;
    rec->size = 0;
    for (unsigned i = 0; i < s->n; i++) {
        uint64_t stored = i == 0 ? 1 + draw(&d->random) % 40 : draw(&d->random) % 3 ? draw(&d->random) % 60 : 0;
        s->offset[i] = rec->size;
        s->size[i] = stored && d->filtered ? 1 + draw(&d->random) % 1000 : stored;
        s->mask[i] = d->filtered ? draw(&d->random) : 0;
        rec->size += stored;
    }
}

static int take(const struct ts_chunk_rec *rec, void *ctx)
{
    struct dataset *d = ctx;
    struct ts_chunk_rec *had = &d->recs[position_of(d, rec->scaled)];
    assert_true(had->addr != HADDR_UNDEF);
    same_record(d, had, rec);
    had->addr = HADDR_UNDEF;
    d->n--;
    ts_file_free(d->f, H5FD_MEM_DRAW, rec->addr, rec->size);
    return 0;
}

struct seen {
    struct dataset *d;
    size_t n;
};

static int look(const struct ts_chunk_rec *rec, void *ctx)
{
    struct seen *s = ctx;
    same_record(s->d, &s->d->recs[position_of(s->d, rec->scaled)], rec);
    s->n++;
    return 0;
}

/* The dimension that is slowest in the index: an extensible array grows at its end. */
static unsigned slowest(const struct dataset *d)
{
    for (unsigned i = 0; i < d->rank; i++)
        if (d->kind == TS_CHUNK_INDEX_EXT_ARRAY && d->max_dims[i] == H5S_UNLIMITED)
            return i;
    return 0;
}

static int compare_places(const struct dataset *d, const hsize_t *a, const hsize_t *b)
{
    unsigned first = slowest(d);
    if (a[first] != b[first])
        return a[first] < b[first] ? -1 : 1;
    for (unsigned i = 0; i < d->rank; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static const struct dataset *sorting;

static int by_place(const void *a, const void *b)
{
    const struct ts_chunk_rec *const *x = a, *const *y = b;
    return compare_places(sorting, (*x)->scaled, (*y)->scaled);
}

/* All chunks as they must come. */
static size_t in_order(const struct dataset *d, const struct ts_chunk_rec **list)
{
    size_t n = 0;
    for (size_t i = 0; i < positions(d); i++)
        if (d->recs[i].addr != HADDR_UNDEF)
            list[n++] = &d->recs[i];
    sorting = d;
    qsort(list, n, sizeof *list, by_place);
    return n;
}

struct follow {
    const struct dataset *d;
    const struct ts_chunk_rec **list;
    size_t at, stop; /* the visitor ends it there */
};

static int follow(const struct ts_chunk_rec *rec, void *ctx)
{
    struct follow *f = ctx;
    same_record(f->d, f->list[f->at++], rec);
    return f->at == f->stop ? 7 : 0;
}

/* From any place on, to the end or not so far. */
static void check_from(struct dataset *d, const struct ts_chunk_rec **list, size_t n)
{
    hsize_t from[3];
    struct follow f = {.d = d, .list = list, .stop = SIZE_MAX};
    scaled_of(d, draw(&d->random) % positions(d), from);
    while (f.at < n && compare_places(d, list[f.at]->scaled, from) < 0)
        f.at++;
    if (n - f.at > 3 && draw(&d->random) % 2)
        f.stop = f.at + 1 + draw(&d->random) % (n - f.at - 1);
    assert_int_equal(ok(ts_chunk_index_iterate_from(d->ix, from, follow, &f)), f.stop == SIZE_MAX ? 0 : 7);
    assert_int_equal(f.at, f.stop == SIZE_MAX ? n : f.stop);
}

static void check_order(struct dataset *d)
{
    static const struct ts_chunk_rec *list[MOST];
    struct ts_chunk_rec rec;
    uint64_t count;
    size_t n = in_order(d, list);
    unsigned order[3] = {9, 9, 9};
    ok(count_chunks(d, &count));
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i += 1 + n / 1500) {
        assert_int_equal(ok(nth_chunk(d, i, &rec)), 1);
        same_record(d, list[i], &rec);
    }
    assert_int_equal(ok(nth_chunk(d, n, &rec)), 0);
    assert_int_equal(ok(nth_chunk(d, UINT64_MAX, &rec)), 0);
    struct follow f = {.d = d, .list = list, .stop = SIZE_MAX};
    ok(ts_chunk_index_iterate_from(d->ix, NULL, follow, &f));
    assert_int_equal(f.at, n);
    for (unsigned i = 0; i < 20; i++)
        check_from(d, list, n);
    ts_chunk_index_order(d->ix, order);
    if (n > 0)
        assert_int_equal(order[0], slowest(d));
}

/* Between changes: what is kept follows them. */
static void check_some(struct dataset *d)
{
    struct ts_chunk_rec rec;
    uint64_t count, generation = ts_chunk_index_generation(d->ix);
    ok(count_chunks(d, &count));
    assert_int_equal(count, d->n);
    if (count == 0)
        return;
    uint64_t n = draw(&d->random) % count, before = 0;
    assert_int_equal(ok(nth_chunk(d, n, &rec)), 1);
    same_record(d, &d->recs[position_of(d, rec.scaled)], &rec);
    for (size_t i = 0; i < positions(d); i++)
        before += d->recs[i].addr != HADDR_UNDEF && compare_places(d, d->recs[i].scaled, rec.scaled) < 0;
    assert_int_equal(before, n);
    assert_int_equal(ts_chunk_index_generation(d->ix), generation);
}

/* All chunks, and every so many positions. */
static void check_chunks(struct dataset *d, size_t every)
{
    struct seen s = {.d = d};
    const char *reason = NULL;
    if (!ok(ts_chunk_index_verify(d->ix, &reason)))
        fail_msg("%s: %s", d->name, reason);
    ok(ts_chunk_index_iterate(d->ix, look, &s));
    assert_int_equal(s.n, d->n);
    for (size_t i = 0; i < positions(d); i += every) {
        struct ts_chunk_rec rec;
        hsize_t scaled[3];
        scaled_of(d, i, scaled);
        int found = ok(ts_chunk_index_lookup(d->ix, scaled, &rec));
        assert_int_equal(found, d->recs[i].addr != HADDR_UNDEF);
        if (found)
            same_record(d, &d->recs[i], &rec);
    }
}

static void check_all(struct dataset *d)
{
    check_chunks(d, 1);
    check_order(d);
}

static int insert(struct dataset *d, size_t at)
{
    struct ts_chunk_rec rec = {.size = CHUNK_BYTES}, old;
    scaled_of(d, at, rec.scaled);
    if (!inside(d, rec.scaled))
        return 0;
    if (d->filtered) {
        rec.size = 1 + draw(&d->random) % 40;
        rec.filter_mask = draw(&d->random) % 4;
    }
    if (d->struct_type)
        make_sections(d, &rec);
    if (ts_file_alloc(d->f, H5FD_MEM_DRAW, rec.size, &rec.addr) < 0)
        return -1;
    int found = ts_chunk_index_insert(d->ix, &rec, &old);
    if (found < 0)
        return -1;
    assert_int_equal(found, d->recs[at].addr != HADDR_UNDEF);
    if (found)
        take(&old, d);
    d->recs[at] = rec;
    d->n++;
    return 0;
}

static int remove_one(struct dataset *d, size_t at)
{
    struct ts_chunk_rec old;
    hsize_t scaled[3];
    scaled_of(d, at, scaled);
    int found = ts_chunk_index_remove(d->ix, scaled, &old);
    if (found < 0)
        return -1;
    assert_int_equal(found, d->recs[at].addr != HADDR_UNDEF);
    if (found)
        take(&old, d);
    return 0;
}

static int resize(struct dataset *d)
{
    unsigned i = draw(&d->random) % d->rank;
    hsize_t most = d->max_dims[i] < d->grid[i] * d->chunk_dims[i] ? d->max_dims[i] : d->grid[i] * d->chunk_dims[i];
    hsize_t by = draw(&d->random) % (most / 4 + 1), dims[3];
    memcpy(dims, d->dims, sizeof dims);
    if (draw(&d->random) % 3 == 0)
        dims[i] = dims[i] > by ? dims[i] - by : 0;
    else
        dims[i] = dims[i] + by < most ? dims[i] + by : most;
    if (ts_chunk_index_resize(d->ix, dims, take, d) < 0)
        return -1;
    memcpy(d->dims, dims, sizeof dims);
    return 0;
}

/* Of 1000 changes, so many are of the extent. */
static int change_one(struct dataset *d, unsigned resizes)
{
    size_t at = draw(&d->random) % positions(d);
    unsigned what = draw(&d->random) % 1000;
    int status = what < resizes ? resize(d) : what < 700 ? insert(d, at) : remove_one(d, at);
    if (status == 0)
        ts_chunk_index_layout(d->ix, &d->layout);
    return status;
}

static int change(struct dataset *d)
{
    if (ts_change_begin(d->f) < 0)
        return -1;
    return ts_change_end(d->f, change_one(d, 4));
}

static int nothing(const struct ts_chunk_rec *rec, void *ctx)
{
    (void)rec;
    (void)ctx;
    return 0;
}

static void delete_all(struct dataset *d)
{
    ok(ts_change_begin(d->f));
    ok(ts_change_end(d->f, ts_chunk_index_delete(d->ix, take, d)));
    ts_chunk_index_layout(d->ix, &d->layout);
    assert_int_equal(d->layout.addr, HADDR_UNDEF);
    assert_int_equal(d->n, 0);
    struct ts_meta_stats stats;
    ts_meta_stats(d->f, &stats);
    assert_int_equal(stats.entries, 0);
    check_all(d);
}

static void reopen(struct dataset *d, unsigned flags)
{
    ts_chunk_index_close(d->ix);
    d->f = writable_again(d->f, flags);
    ok(open_index(d));
}

static void random_changes(struct dataset *d, unsigned version, unsigned n)
{
    d->f = writable_new();
    begin(d, version);
    ok(open_index(d));
    for (unsigned i = 0; i < n; i++) {
        uint64_t generation = ts_chunk_index_generation(d->ix);
        size_t had = d->n;
        ok(change(d));
        assert_true(had == d->n || generation != ts_chunk_index_generation(d->ix));
        if (i % 307 == 0)
            check_some(d);
        if (i % (n / 10) == 0)
            check_all(d);
        if (i % 5003 == 0)
            ok(ts_file_flush(d->f));
        if (i % (n / 4) == 1)
            reopen(d, H5F_ACC_RDWR);
    }
    reopen(d, H5F_ACC_RDONLY);
    check_all(d);
    reopen(d, H5F_ACC_RDWR);
    delete_all(d);
    ts_chunk_index_close(d->ix);
    writable_close(d->f);
}

#define U H5S_UNLIMITED

/* Each with dims as at the start; grids small enough for many collisions, large enough for every kind of block. */
static const struct dataset datasets[] = {
    {.name = "single",
     .rank = 2,
     .dims = {4, 2},
     .max_dims = {4, 2},
     .chunk_dims = {4, 2},
     .grid = {1, 1},
     .kind = TS_CHUNK_INDEX_SINGLE},
    {.name = "single, filtered",
     .rank = 2,
     .dims = {4, 2},
     .max_dims = {4, 2},
     .chunk_dims = {4, 2},
     .grid = {1, 1},
     .filtered = true,
     .kind = TS_CHUNK_INDEX_SINGLE},
    {.name = "fixed array",
     .rank = 2,
     .dims = {20, 30},
     .max_dims = {40, 60},
     .chunk_dims = {4, 2},
     .grid = {10, 30},
     .kind = TS_CHUNK_INDEX_FIXED_ARRAY},
    {.name = "fixed array in pages",
     .rank = 1,
     .dims = {9000},
     .max_dims = {20001},
     .chunk_dims = {2},
     .grid = {10001},
     .filtered = true,
     .kind = TS_CHUNK_INDEX_FIXED_ARRAY},
    {.name = "extensible array",
     .rank = 2,
     .dims = {10, 300},
     .max_dims = {10, U},
     .chunk_dims = {2, 4},
     .grid = {5, 100},
     .kind = TS_CHUNK_INDEX_EXT_ARRAY},
    {.name = "extensible array, filtered",
     .rank = 1,
     .dims = {2000},
     .max_dims = {U},
     .chunk_dims = {1},
     .grid = {12000},
     .filtered = true,
     .kind = TS_CHUNK_INDEX_EXT_ARRAY},
    {.name = "B-tree",
     .rank = 2,
     .dims = {300, 100},
     .max_dims = {U, U},
     .chunk_dims = {3, 2},
     .grid = {100, 60},
     .kind = TS_CHUNK_INDEX_BTREE2},
    {.name = "B-tree, filtered",
     .rank = 3,
     .dims = {10, 20, 40},
     .max_dims = {U, 20, U},
     .chunk_dims = {1, 2, 2},
     .grid = {20, 10, 20},
     .filtered = true,
     .kind = TS_CHUNK_INDEX_BTREE2},
};

static struct dataset *copy(const struct dataset *from)
{
    struct dataset *d = malloc(sizeof *d);
    assert_non_null(d);
    *d = *from;
    return d;
}

static void test_random(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) {
        struct dataset *d = copy(&datasets[i]);
        random_changes(d, 4, positions(d) < 100 ? 400 : 30000);
        free(d);
    }
}

/* The same with the records of version 5 of the layout message, which HDF5 2.0 writes: sizes of filtered chunks are as wide as
 * lengths. */
static void test_random_version_5(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) {
        struct dataset *d = copy(&datasets[i]);
        random_changes(d, 5, positions(d) < 100 ? 400 : 5000);
        free(d);
        d = copy(&datasets[i]);
        d->f = writable_new();
        begin(d, 5);
        ok(open_index(d));
        assert_int_equal(ts_chunk_element_size(d->ix), d->filtered ? 8 + 8 + 4 : 8);
        ts_chunk_index_close(d->ix);
        ts_file_unref(d->f);
        free(d);
    }
}

/* The same datasets with structured chunks, of each type. */
static void test_random_structured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) {
        struct dataset *d = copy(&datasets[i]);
        d->struct_type = 1 + i % 3;
        d->early = true; /* never implicit */
        random_changes(d, 5, positions(d) < 100 ? 400 : 8000);
        d->filtered = !d->filtered;
        d->n = 0;
        memcpy(d->dims, datasets[i].dims, sizeof d->dims);
        d->struct_type = 1 + (i + 1) % 3;
        random_changes(d, 5, positions(d) < 100 ? 400 : 5000);
        free(d);
    }
}

/* The layout message of a single chunk, stored and read again, is all there is of its index. */
static void test_structured_single(void **state)
{
    (void)state;
    struct dataset *d = copy(&datasets[1]);
    d->struct_type = TS_STRUCT_SPARSE | TS_STRUCT_VL;
    d->f = writable_new();
    begin(d, 5);
    ok(open_index(d));
    ok(ts_change_begin(d->f));
    ok(insert(d, 0));
    assert_true(ts_chunk_index_layout(d->ix, &d->layout));
    assert_false(ts_chunk_index_layout(d->ix, &d->layout));
    ok(ts_change_end(d->f, 0));
    struct ts_wr w = {0};
    ok(ts_layout_encode(&d->layout, 8, 8, &w));
    ts_chunk_index_close(d->ix);
    ok(ts_layout_decode(w.data, w.size, 8, 8, &d->layout));
    ts_wr_free(&w);
    ok(open_index(d));
    check_all(d);
    ok(ts_change_begin(d->f));
    ok(insert(d, 0));
    assert_true(ts_chunk_index_layout(d->ix, &d->layout));
    ok(remove_one(d, 0));
    assert_true(ts_chunk_index_layout(d->ix, &d->layout));
    ok(ts_change_end(d->f, 0));
    assert_int_equal(d->layout.addr, HADDR_UNDEF);
    ok(ts_layout_encode(&d->layout, 8, 8, &w));
    ts_wr_free(&w);
    d->layout.chunk.index = TS_CHUNK_INDEX_IMPLICIT;
    ts_chunk_index_close(d->ix);
    assert_true(open_index(d) < 0);
    d->layout.chunk.index = TS_CHUNK_INDEX_BTREE1;
    assert_true(open_index(d) < 0);
    ts_err_clear();
    writable_close(d->f);
    free(d);
}

static const struct ts_chunk_rec hex_rec = {.addr = 0x1122334455,
                                            .size = 0x3a,
                                            .sections = {.n = 2, .offset = {0, 0x24}, .size = {0x24, 0x16}},
                                            .scaled = {1, 2}};

/* The index's first bytes in the file, and how it writes one chunk. */
static void check_hex(size_t which, unsigned type, bool filtered, struct ts_chunk_rec rec, const char *head, size_t n,
                      const char *element)
{
    struct dataset *d = copy(&datasets[which]);
    uint8_t bytes[TS_CHUNK_ELEMENT_MAX + 8 * H5S_MAX_RANK] = {0}, start[16];
    d->struct_type = type;
    d->filtered = filtered;
    d->f = writable_new();
    begin(d, 5);
    ok(open_index(d));
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_create(d->ix));
    ok(ts_change_end(d->f, 0));
    ok(ts_file_flush(d->f));
    int fd = open(writable_path, O_RDONLY);
    assert_int_equal(pread(fd, start, sizeof start, (off_t)d->ix->addr), sizeof start);
    close(fd);
    assert_memory_equal(start, head, 7);
    size_t gap = d->kind == TS_CHUNK_INDEX_BTREE2 ? 8 * (size_t)d->rank : 0;
    ok(ts_chunk_element_encode(d->ix, &rec, gap, bytes));
    assert_int_equal(ts_chunk_element_size(d->ix), n);
    memmove(bytes + ts_chunk_head_size(d->ix), bytes + ts_chunk_head_size(d->ix) + gap, n - ts_chunk_head_size(d->ix));
    assert_memory_equal(bytes, element, n);
    /* What cannot be said. */
    rec.size = UINT64_C(1) << 40;
    assert_true(type & TS_STRUCT_VL || ts_chunk_element_encode(d->ix, &rec, gap, bytes) < 0);
    rec.size = 0x10;
    assert_true(ts_chunk_element_encode(d->ix, &rec, gap, bytes) < 0);
    ts_err_clear();
    ts_chunk_index_close(d->ix);
    writable_close(d->f);
    free(d);
}

static void test_structured_hex(void **state)
{
    (void)state;
    struct ts_chunk_rec filtered = hex_rec, heap = hex_rec;
    filtered.sections.size[0] = 0x123;
    filtered.sections.mask[1] = 0x80000001;
    heap.sections = (struct ts_chunk_sections){.n = 3, .offset = {0, 0x24, 0x30}, .size = {0x24, 0xc, 0xa}};
    /* 32 bytes in a chunk: sizes of 2 bytes. */
    check_hex(2, 1, false, hex_rec, "FAHD\0\2\x12", 18, "\x55\x44\x33\x22\x11\0\0\0\x3a\0\x24\0\0\0\0\0\0\0");
    check_hex(3, 1, true, filtered, "FAHD\0\3\x2a", 42,
              "\x55\x44\x33\x22\x11\0\0\0\x3a\0\x24\0\0\0\0\0\0\0\x23\1\0\0\0\0\0\0\x16\0\0\0\0\0\0\0"
              "\0\0\0\0\1\0\0\x80");
    check_hex(4, 3, false, heap, "EAHD\0\2\x20", 32,
              "\x55\x44\x33\x22\x11\0\0\0\x3a\0\0\0\0\0\0\0\x24\0\0\0\0\0\0\0\x30\0\0\0\0\0\0\0");
    check_hex(5, 1, true, filtered, "EAHD\0\3\x2a", 42,
              "\x55\x44\x33\x22\x11\0\0\0\x3a\0\x24\0\0\0\0\0\0\0\x23\1\0\0\0\0\0\0\x16\0\0\0\0\0\0\0"
              "\0\0\0\0\1\0\0\x80");
    check_hex(6, 2, false, hex_rec, "BTHD\0\x0c\0", 24,
              "\x55\x44\x33\x22\x11\0\0\0\x3a\0\0\0\0\0\0\0\x24\0\0\0\0\0\0\0");
    check_hex(7, 2, true, filtered, "BTHD\0\x0d\0", 48,
              "\x55\x44\x33\x22\x11\0\0\0\x3a\0\0\0\0\0\0\0\x24\0\0\0\0\0\0\0\x23\1\0\0\0\0\0\0"
              "\x16\0\0\0\0\0\0\0\0\0\0\0\1\0\0\x80");
}

/* Sections in an index that cannot be are an error, not something to read. */
static void test_structured_damage(void **state)
{
    (void)state;
    struct dataset *d = copy(&datasets[2]);
    d->struct_type = TS_STRUCT_SPARSE;
    d->f = writable_new();
    begin(d, 5);
    ok(open_index(d));
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_create(d->ix));
    ok(ts_change_end(d->f, 0));
    uint8_t bytes[TS_CHUNK_ELEMENT_MAX] = {0};
    struct ts_chunk_rec rec;
    ok(ts_chunk_element_encode(d->ix, &hex_rec, 0, bytes));
    assert_int_equal(ok(ts_chunk_element_decode(d->ix, bytes, 0, &rec)), 1);
    assert_int_equal(rec.sections.size[1], 0x16);
    bytes[10] = 0x3b; /* section 1 behind the end */
    assert_true(ts_chunk_element_decode(d->ix, bytes, 0, &rec) < 0);
    memset(bytes, 0xff, 8); /* no chunk, whatever its sections say */
    assert_int_equal(ts_chunk_element_decode(d->ix, bytes, 0, &rec), 0);
    ts_err_clear();
    ts_chunk_index_close(d->ix);
    writable_close(d->f);
    free(d);
}

/* The same datasets with a version 1 tree each, of tiny nodes and of the usual ones. */
static void test_random_btree1(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) {
        struct dataset *d = copy(&datasets[i]);
        d->kind = TS_CHUNK_INDEX_BTREE1;
        d->chunk_k = i % 2 ? 1 : 0;
        random_changes(d, 3, positions(d) < 100 ? 400 : 30000);
        free(d);
    }
}

/* Implicit chunks have their places from the start. */
static void test_implicit(void **state)
{
    (void)state;
    struct dataset *d = copy(&datasets[2]);
    d->early = true;
    d->kind = TS_CHUNK_INDEX_IMPLICIT;
    d->f = writable_new();
    begin(d, 4);
    ok(open_index(d));
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_create(d->ix));
    assert_true(ts_chunk_index_layout(d->ix, &d->layout));
    for (size_t i = 0; i < positions(d); i++) {
        struct ts_chunk_rec rec, old;
        scaled_of(d, i, rec.scaled);
        assert_int_equal(ok(ts_chunk_index_lookup(d->ix, rec.scaled, &rec)), 1);
        assert_int_equal(rec.addr, d->layout.addr + i * CHUNK_BYTES);
        assert_int_equal(ok(ts_chunk_index_insert(d->ix, &rec, &old)), 1);
        assert_int_equal(ok(ts_chunk_index_remove(d->ix, rec.scaled, &old)), 0);
        rec.addr++;
        assert_true(ts_chunk_index_insert(d->ix, &rec, &old) < 0);
        ts_err_clear();
        rec.addr--;
        if (inside(d, rec.scaled))
            d->recs[i] = rec;
    }
    ok(ts_change_end(d->f, 0));
    check_order(d);
    d->dims[0] = 0; /* none is the dataset's then */
    ok(ts_change_begin(d->f));
    ok(ts_change_end(d->f, ts_chunk_index_resize(d->ix, d->dims, nothing, NULL)));
    for (size_t i = 0; i < MOST; i++)
        d->recs[i].addr = HADDR_UNDEF;
    check_order(d);
    ok(ts_change_begin(d->f));
    ok(ts_change_end(d->f, ts_chunk_index_delete(d->ix, nothing, NULL)));
    assert_true(ts_chunk_index_layout(d->ix, &d->layout));
    assert_int_equal(d->layout.addr, HADDR_UNDEF);
    ts_chunk_index_close(d->ix);
    writable_close(d->f);
    free(d);
}

/* Ascending, as appending does: leaves of version 1 trees are nearly full then. */
static void test_append(void **state)
{
    (void)state;
    struct dataset *d = copy(&datasets[5]);
    d->kind = TS_CHUNK_INDEX_BTREE1;
    d->filtered = false;
    d->dims[0] = 12000;
    d->f = writable_new();
    begin(d, 3);
    ok(open_index(d));
    for (size_t i = 0; i < 12000; i++) {
        ok(ts_change_begin(d->f));
        ok(ts_change_end(d->f, insert(d, i)));
        uint64_t count;
        ok(count_chunks(d, &count));
        assert_int_equal(count, i + 1);
    }
    check_all(d);
    uint64_t bytes;
    ok(ts_chunk_index_storage(d->ix, &bytes));
    assert_true(bytes < 12000 / 57 * 2096 + 20000);
    ts_chunk_index_close(d->ix);
    writable_close(d->f);
    free(d);
}

static void faults(const struct dataset *from, unsigned version)
{
    struct dataset *d = malloc(sizeof *d);
    unsigned long n = 0;
    for (bool done = false; !done; n = n < 60 ? n + 1 : n + 29) {
        *d = *from;
        d->f = writable_new();
        begin(d, version);
        ok(open_index(d));
        ts_alloc_fail_at(n + 1, TS_FAULT_ONCE);
        int status = 0;
        uint64_t count;
        for (unsigned i = 0; status == 0 && i < 200; i++) {
            status = change(d);
            if (status == 0)
                status = count_chunks(d, &count);
            assert_true(status < 0 || count == d->n);
        }
        /* What is only kept for counting may fail to be. */
        done = ts_alloc_fail_at(0, TS_FAULT_ONCE) <= n;
        assert_true(status == 0 || !done);
        ts_err_clear();
        if (status == 0)
            check_all(d);
        ts_chunk_index_close(d->ix);
        writable_close(d->f);
    }
    assert_true(n > 3);
    free(d);
}

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 2; i < sizeof datasets / sizeof *datasets; i++)
        faults(&datasets[i], 4);
    struct dataset *s = copy(&datasets[7]);
    s->struct_type = 3;
    faults(s, 5);
    free(s);
    struct dataset *d = copy(&datasets[6]);
    d->kind = TS_CHUNK_INDEX_BTREE1;
    d->chunk_k = 1;
    faults(d, 3);
    free(d);
}

/* What the next change is drawn from, and what must be there before it. */
struct state {
    struct ts_layout layout;
    hsize_t dims[3];
    size_t n;
    uint32_t random;
};

struct undo {
    struct trial t;
    struct dataset *d;
    struct state saved;
    struct ts_chunk_rec *recs;
    uint64_t generation; /* in the midst of the last change that made it another */
};

static void save(void *ctx)
{
    struct undo *u = ctx;
    const struct dataset *d = u->d;
    u->saved = (struct state){.layout = d->layout, .n = d->n, .random = d->random};
    memcpy(u->saved.dims, d->dims, sizeof d->dims);
    memcpy(u->recs, d->recs, positions(d) * sizeof *d->recs);
    u->generation = UINT64_MAX;
}

static void restore(void *ctx)
{
    const struct undo *u = ctx;
    struct dataset *d = u->d;
    d->layout = u->saved.layout;
    d->n = u->saved.n;
    d->random = u->saved.random;
    memcpy(d->dims, u->saved.dims, sizeof d->dims);
    memcpy(d->recs, u->recs, positions(d) * sizeof *d->recs);
    /* Who looked at the index while the change was on must look again. */
    assert_true(ts_chunk_index_generation(d->ix) != u->generation);
}

static void check_state(void *ctx)
{
    struct dataset *d = ((struct undo *)ctx)->d;
    uint32_t random = d->random;
    assert_false(ts_chunk_index_layout(d->ix, &d->layout));
    check_chunks(d, 1 + positions(d) / 8);
    check_some(d);
    for (unsigned i = 0; i < d->rank; i++)
        assert_int_equal(d->ix->chunks[i], ts_div_ceil(d->dims[i], d->chunk_dims[i]));
    d->random = random;
}

static void note_generation(struct undo *u, uint64_t before)
{
    uint64_t now = ts_chunk_index_generation(u->d->ix);
    u->generation = now == before ? UINT64_MAX : now;
}

static int undo_change(void *ctx)
{
    struct undo *u = ctx;
    uint64_t before = ts_chunk_index_generation(u->d->ix);
    int status = change_one(u->d, 60);
    note_generation(u, before);
    return status;
}

static int undo_create(void *ctx)
{
    struct dataset *d = ((struct undo *)ctx)->d;
    if (ts_chunk_index_create(d->ix) < 0)
        return -1;
    ts_chunk_index_layout(d->ix, &d->layout);
    return 0;
}

static int undo_delete(void *ctx)
{
    struct undo *u = ctx;
    uint64_t before = ts_chunk_index_generation(u->d->ix);
    if (ts_chunk_index_delete(u->d->ix, take, u->d) < 0)
        return -1;
    note_generation(u, before);
    ts_chunk_index_layout(u->d->ix, &u->d->layout);
    return 0;
}

/* Few enough positions to look at all of them after each change. */
static struct dataset *smaller(const struct dataset *from)
{
    struct dataset *d = copy(from);
    for (unsigned i = 0; i < d->rank; i++) {
        hsize_t most = d->rank == 1 ? (d->max_dims[0] == U ? 200 : 1200) : 12, last;
        d->grid[i] = d->grid[i] < most ? d->grid[i] : most;
        last = d->grid[i] * d->chunk_dims[i];
        d->dims[i] = d->dims[i] < last ? d->dims[i] : last;
    }
    return d;
}

/* An index that its owner closes before the change ends, as deleting a dataset does. */
static void check_closed_early(struct dataset *d)
{
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_delete(d->ix, nothing, NULL));
    ts_chunk_index_close(d->ix);
    assert_true(ts_change_end(d->f, -1) < 0);
    ok(open_index(d));
    check_all(d);
}

static void undo_index(const struct dataset *from, unsigned version, bool cached, unsigned calls)
{
    struct undo u = {.d = smaller(from), .recs = malloc(MOST * sizeof *u.recs)};
    struct dataset *d = u.d;
    unsigned n = cached ? 100 : 50;
    d->f = writable_new();
    begin(d, version);
    ok(open_index(d));
    u.t = (struct trial){
        .f = d->f, .change = undo_create, .save = save, .restore = restore, .check = check_state, .ctx = &u};
    if (!cached)
        trial_without_cache(&u.t);
    trial_run(&u.t, false);
    u.t.change = undo_change;
    u.t.in_a_row = 8;
    u.t.calls = calls;
    for (unsigned i = 0; i < n; i++) {
        trial_run(&u.t, i % 3 == 0);
        if (i % 11 == 10)
            ok(ts_file_flush(d->f));
        if (i % 20 == 19)
            check_all(d);
    }
    assert_true(u.t.failed > (calls && positions(d) == 1 ? 0 : n / 2));
    reopen(d, H5F_ACC_RDWR);
    check_state(&u);
    check_closed_early(d);
    u.t.f = d->f;
    u.t.change = undo_delete;
    u.t.in_a_row = 0;
    u.t.calls = 0;
    trial_run(&u.t, false);
    assert_int_equal(d->layout.addr, HADDR_UNDEF);
    ts_chunk_index_close(d->ix);
    writable_close(d->f);
    free(u.recs);
    free(d);
}

static void undo_every_kind(bool cached, unsigned calls)
{
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++)
        undo_index(&datasets[i], 4, cached, calls);
    struct dataset *d = copy(&datasets[7]);
    d->struct_type = 3;
    undo_index(d, 5, cached, calls);
    *d = datasets[6];
    d->kind = TS_CHUNK_INDEX_BTREE1;
    d->chunk_k = 1;
    undo_index(d, 3, cached, calls);
    *d = datasets[1];
    d->struct_type = 1;
    undo_index(d, 5, cached, calls);
    free(d);
}

static void test_undo(void **state)
{
    (void)state;
    undo_every_kind(true, 0);
}

static void test_undo_without_cache(void **state)
{
    (void)state;
    undo_every_kind(false, 0);
}

static void test_undo_reads(void **state)
{
    (void)state;
    faulty_start(NULL);
    undo_every_kind(false, FAULTY_READ);
    faulty_stop();
}

static void fail_to_resize(struct dataset *d, hsize_t dim)
{
    hsize_t dims[3];
    memcpy(dims, d->dims, sizeof dims);
    dims[0] = dim;
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_resize(d->ix, dims, nothing, NULL));
    assert_true(ts_change_end(d->f, -1) < 0);
}

/* All there is of an implicit index is its place. */
static void test_undo_implicit(void **state)
{
    (void)state;
    struct dataset *d = copy(&datasets[2]);
    struct ts_chunk_rec rec;
    hsize_t origin[3] = {0};
    uint64_t count;
    d->early = true;
    d->kind = TS_CHUNK_INDEX_IMPLICIT;
    d->f = writable_new();
    begin(d, 4);
    ok(open_index(d));
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_create(d->ix));
    assert_true(ts_change_end(d->f, -1) < 0);
    assert_false(ts_chunk_index_layout(d->ix, &d->layout));
    assert_int_equal(ok(ts_chunk_index_lookup(d->ix, origin, &rec)), 0);
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_create(d->ix));
    ok(ts_change_end(d->f, 0));
    assert_true(ts_chunk_index_layout(d->ix, &d->layout));
    fail_to_resize(d, 0);
    fail_to_resize(d, 40);
    ok(count_chunks(d, &count));
    assert_int_equal(count, 5 * 15);
    uint64_t used = trial_used(d->f);
    ok(ts_change_begin(d->f));
    ok(ts_chunk_index_delete(d->ix, nothing, NULL));
    assert_true(ts_change_end(d->f, -1) < 0);
    assert_int_equal(trial_used(d->f), used);
    assert_int_equal(ok(ts_chunk_index_lookup(d->ix, origin, &rec)), 1);
    assert_int_equal(rec.addr, d->layout.addr);
    assert_false(ts_chunk_index_layout(d->ix, &d->layout));
    ts_chunk_index_close(d->ix);
    writable_close(d->f);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_version_5),
        cmocka_unit_test(test_random_btree1),
        cmocka_unit_test(test_implicit),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_random_structured),
        cmocka_unit_test(test_structured_single),
        cmocka_unit_test(test_structured_hex),
        cmocka_unit_test(test_structured_damage),
        cmocka_unit_test(test_undo),
        cmocka_unit_test(test_undo_without_cache),
        cmocka_unit_test(test_undo_reads),
        cmocka_unit_test(test_undo_implicit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
