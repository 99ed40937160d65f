/* Every kind of chunk index in files of stock libhdf5: lookup of each chunk, of what is not there, and iteration. */
#include <pthread.h>

#include "index/chunk_index.h"
#include "unit/index/fixture.h"

struct dataset {
    char name[64], path[256];
    unsigned rank;
    hsize_t dims[H5S_MAX_RANK], max_dims[H5S_MAX_RANK], chunk_dims[H5S_MAX_RANK];
    uint64_t chunk_bytes, index_size;
    bool filtered;
    uint8_t layout[256];
    size_t layout_size, n;
    struct ts_chunk_rec *recs;
    size_t seen;
};

static void read_numbers(hsize_t *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = fixture_number();
}

static bool next_dataset(struct dataset *d)
{
    memset(d, 0, sizeof *d);
    if (!fixture_next("dataset"))
        return false;
    fixture_word(d->name, sizeof d->name);
    fixture_word(d->path, sizeof d->path);
    d->rank = (unsigned)fixture_number();
    read_numbers(d->dims, d->rank);
    read_numbers(d->max_dims, d->rank);
    read_numbers(d->chunk_dims, d->rank);
    d->chunk_bytes = fixture_number();
    d->filtered = fixture_number();
    d->layout_size = fixture_number();
    for (size_t i = 0; i < d->layout_size; i++)
        assert_int_equal(fscanf(fixture_manifest, "%2hhx", &d->layout[i]), 1);
    d->index_size = fixture_number();
    d->n = fixture_number();
    d->recs = calloc(d->n + 1, sizeof *d->recs);
    for (size_t i = 0; i < d->n; i++) {
        read_numbers(d->recs[i].scaled, d->rank);
        d->recs[i].addr = fixture_number();
        d->recs[i].size = fixture_number();
        d->recs[i].filter_mask = (uint32_t)fixture_number();
    }
    return true;
}

static struct ts_chunk_index *open_index(struct ts_file *f, const struct dataset *d)
{
    struct ts_layout layout;
    struct ts_chunk_index *ix;
    struct ts_chunk_geometry g = {.rank = d->rank,
                                  .dims = d->dims,
                                  .max_dims = d->max_dims,
                                  .chunk_dims = d->chunk_dims,
                                  .chunk_bytes = d->chunk_bytes,
                                  .filtered = d->filtered};
    assert_int_equal(ts_layout_decode(d->layout, d->layout_size, f->sb.addr_size, f->sb.len_size, &layout), 0);
    fixture_ok(ts_chunk_index_open(f, &layout, &g, &ix));
    ts_layout_deinit(&layout);
    return ix;
}

static void same_record(const struct dataset *d, const struct ts_chunk_rec *a, const struct ts_chunk_rec *b)
{
    assert_memory_equal(a->scaled, b->scaled, d->rank * sizeof *a->scaled);
    assert_int_equal(a->addr, b->addr);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->filter_mask, b->filter_mask);
}

/* Stock iterates all its indexes in their own order too, so the n-th visit is the n-th line of the manifest. */
static int check_visit(const struct ts_chunk_rec *rec, void *ctx)
{
    struct dataset *d = ctx;
    assert_true(d->seen < d->n);
    same_record(d, rec, &d->recs[d->seen++]);
    return 0;
}

static int stop_at_third(const struct ts_chunk_rec *rec, void *ctx)
{
    (void)rec;
    return ++*(int *)ctx == 3 ? 7 : 0;
}

/* Every place of the extent: found exactly when the manifest has it. */
static void check_all_places(struct ts_chunk_index *ix, const struct dataset *d)
{
    hsize_t at[H5S_MAX_RANK] = {0};
    size_t found = 0;
    unsigned i = 0;
    while (i < d->rank) {
        struct ts_chunk_rec rec;
        int got = fixture_ok(ts_chunk_index_lookup(ix, at, &rec));
        assert_in_range(got, 0, 1);
        found += (size_t)got;
        for (i = 0; i < d->rank; i++) {
            unsigned k = d->rank - 1 - i;
            if (++at[k] * d->chunk_dims[k] < d->dims[k])
                break;
            at[k] = 0;
        }
    }
    assert_int_equal(found, d->n);
}

static void check_dataset(struct dataset *d)
{
    struct ts_file *f = fixture_open(d->path);
    struct ts_chunk_index *ix = open_index(f, d);
    uint64_t bytes;
    for (size_t i = 0; i < d->n; i++) {
        struct ts_chunk_rec rec;
        assert_int_equal(fixture_ok(ts_chunk_index_lookup(ix, d->recs[i].scaled, &rec)), 1);
        same_record(d, &rec, &d->recs[i]);
    }
    check_all_places(ix, d);
    fixture_ok(ts_chunk_index_iterate(ix, check_visit, d));
    assert_int_equal(d->seen, d->n);
    int visits = 0;
    assert_int_equal(ts_chunk_index_iterate(ix, stop_at_third, &visits), d->n >= 3 ? 7 : 0);
    hsize_t far[H5S_MAX_RANK];
    struct ts_chunk_rec rec;
    for (unsigned i = 0; i < d->rank; i++)
        far[i] = UINT64_MAX / 2;
    assert_int_equal(ts_chunk_index_lookup(ix, far, &rec), 0);
    assert_int_equal(ts_chunk_index_storage(ix, &bytes), 0);
    assert_int_equal(bytes, d->index_size);
    ts_chunk_index_close(ix);
    fixture_close(f);
}

static void all_kinds(void **state)
{
    (void)state;
    struct dataset d;
    unsigned n = 0;
    for (; next_dataset(&d); n++) {
        print_message("%s: %zu chunks\n", d.name, d.n);
        check_dataset(&d);
        free(d.recs);
    }
    assert_int_equal(n, 25);
}

struct reader {
    struct ts_chunk_index *ix;
    const struct dataset *d;
    unsigned number;
    size_t wrong;
};

static void *read_all(void *arg)
{
    struct reader *r = arg;
    for (size_t k = 0; k < r->d->n; k++) {
        const struct ts_chunk_rec *want = &r->d->recs[(k * 7 + r->number * 131) % r->d->n];
        struct ts_chunk_rec rec;
        if (ts_chunk_index_lookup(r->ix, want->scaled, &rec) != 1 || rec.addr != want->addr)
            r->wrong++;
    }
    return NULL;
}

static void many_threads(void **state)
{
    (void)state;
    struct dataset d;
    while (next_dataset(&d)) {
        struct ts_file *f = fixture_open(d.path);
        struct ts_chunk_index *ix = open_index(f, &d);
        pthread_t threads[4];
        struct reader readers[4];
        for (unsigned i = 0; i < 4; i++) {
            readers[i] = (struct reader){.ix = ix, .d = &d, .number = i};
            assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
        }
        for (unsigned i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(readers[i].wrong, 0);
        }
        ts_chunk_index_close(ix);
        fixture_close(f);
        free(d.recs);
    }
}

static int add_up(const struct ts_chunk_rec *rec, void *ctx)
{
    *(uint64_t *)ctx += rec->addr;
    return 0;
}

/* Each allocation fails once: an error, no leak (the sanitizer looks), and the next try works. */
static void allocation_failures(void **state)
{
    (void)state;
    struct dataset d;
    while (next_dataset(&d)) {
        struct ts_file *f = fixture_open(d.path);
        struct ts_layout layout;
        uint64_t want = 0;
        struct ts_chunk_geometry g = {d.rank, d.dims, d.max_dims, d.chunk_dims, d.chunk_bytes, d.filtered};
        assert_int_equal(ts_layout_decode(d.layout, d.layout_size, f->sb.addr_size, f->sb.len_size, &layout), 0);
        for (size_t i = 0; i < d.n; i++)
            want += d.recs[i].addr;
        bool done = false;
        for (unsigned long at = 1; !done && at < 60; at++) {
            struct ts_chunk_index *ix;
            uint64_t sum = 0;
            ts_alloc_fail_at(at, TS_FAULT_ONCE);
            int status = ts_chunk_index_open(f, &layout, &g, &ix);
            if (status == 0) {
                status = ts_chunk_index_iterate(ix, add_up, &sum);
                ts_chunk_index_close(ix);
            }
            done = ts_alloc_fail_at(0, TS_FAULT_ONCE) < at;
            assert_int_equal(status, done ? 0 : -1);
            if (done)
                assert_int_equal(sum, want);
            ts_err_clear();
        }
        ts_layout_deinit(&layout);
        fixture_close(f);
        free(d.recs);
    }
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    uint8_t *image = malloc(*size);
    assert_int_equal(fread(image, 1, *size, in), *size);
    fclose(in);
    return image;
}

/* Iterates over a copy of the file. Returns what the iteration returned. */
static int sum_image(const struct dataset *d, const uint8_t *image, size_t size, uint64_t *sum)
{
    struct ts_file *f = fixture_image(image, size);
    struct ts_chunk_geometry g = {d->rank, d->dims, d->max_dims, d->chunk_dims, d->chunk_bytes, d->filtered};
    struct ts_layout layout;
    struct ts_chunk_index *ix;
    f->sb.addr_size = image[8] >= 2 ? image[9] : image[13];
    assert_int_equal(ts_layout_decode(d->layout, d->layout_size, f->sb.addr_size, f->sb.len_size, &layout), 0);
    *sum = 0;
    int status = ts_chunk_index_open(f, &layout, &g, &ix);
    if (status == 0) {
        status = ts_chunk_index_iterate(ix, add_up, sum);
        ts_chunk_index_close(ix);
    }
    ts_err_clear();
    ts_layout_deinit(&layout);
    fixture_close(f);
    return status;
}

static haddr_t index_addr(const struct dataset *d, unsigned addr_size)
{
    struct ts_layout layout;
    assert_int_equal(ts_layout_decode(d->layout, d->layout_size, addr_size, 8, &layout), 0);
    haddr_t addr = layout.addr;
    bool checked = layout.chunk.index >= TS_CHUNK_INDEX_FIXED_ARRAY;
    ts_layout_deinit(&layout);
    return checked ? addr : HADDR_UNDEF;
}

/* A flipped byte in a checksummed index is an error, elsewhere it changes nothing. */
static void damage(void **state)
{
    (void)state;
    struct dataset d;
    while (next_dataset(&d)) {
        size_t size, errors = 0;
        uint8_t *image = read_whole(d.path, &size);
        haddr_t addr = index_addr(&d, image[8] >= 2 ? image[9] : image[13]);
        uint64_t want, sum;
        assert_int_equal(sum_image(&d, image, size, &want), 0);
        for (size_t at = addr; addr != HADDR_UNDEF && at < addr + 120 && at < size; at++) {
            image[at] ^= 0x55;
            if (sum_image(&d, image, size, &sum) < 0)
                errors++;
            else
                assert_int_equal(sum, want);
            image[at] ^= 0x55;
        }
        assert_true(addr == HADDR_UNDEF || errors >= 20);
        free(image);
        free(d.recs);
    }
}

/* A file that ends early anywhere: an error or the whole index, never a read behind the end. */
static void truncation(void **state)
{
    (void)state;
    struct dataset d;
    while (next_dataset(&d)) {
        size_t size;
        uint8_t *image = read_whole(d.path, &size);
        uint64_t want, sum;
        assert_int_equal(sum_image(&d, image, size, &want), 0);
        for (size_t end = 64; end < size; end += size / 40 + 1)
            if (sum_image(&d, image, end, &sum) == 0)
                assert_int_equal(sum, want);
        free(image);
        free(d.recs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds), cmocka_unit_test(many_threads), cmocka_unit_test(allocation_failures),
        cmocka_unit_test(damage),    cmocka_unit_test(truncation),
    };
    return cmocka_run_group_tests(tests, fixture_make, fixture_remove);
}
