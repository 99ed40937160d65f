/* Heaps changed at random, against what they should hold kept in memory; the file is closed and opened in between. */
#include "base/cursor.h"
#include "filter/pipeline_codec.h"
#include "heap/fheap.h"
#include "things.h"

static struct ts_file *reopen(struct ts_file *f)
{
    return writable_again(f, H5F_ACC_RDWR);
}

/* Local heaps. */

enum { NAMES = 800 };

static void check_names(struct ts_file *f, haddr_t addr, const struct thing *things)
{
    struct ts_lheap *heap;
    char name[64];
    ok(ts_lheap_open(f, addr, &heap));
    ok(ts_lheap_verify(heap));
    assert_string_equal(ts_lheap_name(heap, 0), "");
    for (size_t i = 0; i < NAMES; i++)
        if (things[i].there) {
            name_of(&things[i], name);
            assert_string_equal(ts_lheap_name(heap, things[i].offset), name);
        }
    ts_lheap_close(heap);
}

static int change_name(struct ts_file *f, haddr_t addr, struct thing *t, uint32_t *state)
{
    struct ts_lheap *heap;
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_lheap_open(f, addr, &heap);
    if (status == 0) {
        status = toggle_name(heap, t, state);
        ts_lheap_close(heap);
    }
    return ts_change_end(f, status);
}

static void local_heap(void **test)
{
    (void)test;
    struct ts_file *f = writable_new();
    struct thing *things = calloc(NAMES, sizeof *things);
    uint32_t state = 11;
    haddr_t addr;
    ok(ts_change_begin(f));
    ok(ts_change_end(f, ts_lheap_create(f, 64, &addr)));
    for (unsigned i = 0; i < 100000; i++) {
        /* First it grows, then it stays, at last it empties. */
        struct thing *t = &things[draw(&state) % NAMES];
        if (t->there ? i > 5000 : i < 90000)
            ok(change_name(f, addr, t, &state));
        if (i % 20000 == 19999) {
            check_names(f, addr, things);
            f = reopen(f);
            check_names(f, addr, things);
        }
    }
    uint64_t bytes;
    ok(ts_lheap_storage(f, addr, &bytes));
    assert_true(bytes < 2 * NAMES * 48);
    struct ts_lheap *heap;
    ok(ts_lheap_open(f, addr, &heap));
    assert_null(ts_lheap_name(heap, ts_lheap_size(heap)));
    ts_lheap_close(heap);
    ts_err_clear();
    ok(ts_change_begin(f));
    ok(ts_change_end(f, ts_lheap_delete(f, addr)));
    free(things);
    writable_close(f);
}

/* Global heaps. */

enum { OBJECTS = 5000 };

static void check_objects(struct ts_file *f, const struct thing *things)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        struct ts_gheap *heap;
        const uint8_t *data;
        size_t size;
        if (!things[i].there)
            continue;
        ok(ts_gheap_open(f, things[i].collection, &heap));
        ok(ts_gheap_verify(heap));
        ok(ts_gheap_get(heap, things[i].index, &data, &size));
        assert_int_equal(size, things[i].size);
        assert_memory_equal(data, bytes_of(&things[i]), size);
        ts_gheap_close(heap);
    }
}

static void global_heap(void **test)
{
    (void)test;
    struct ts_file *f = writable_new();
    struct thing *things = calloc(OBJECTS, sizeof *things);
    uint32_t state = 5;
    for (unsigned i = 0; i < 100000; i++) {
        struct thing *t = &things[draw(&state) % OBJECTS];
        if (t->there ? i > 15000 : i < 85000)
            ok(toggle_object(f, t, &state));
        if (i % 20000 == 19999) {
            check_objects(f, things);
            f = reopen(f);
            check_objects(f, things);
        }
    }
    struct thing *t = &things[0];
    if (!t->there)
        ok(toggle_object(f, t, &state));
    assert_int_equal(ts_gheap_remove(f, t->collection, 65535), -1);
    ts_err_clear();
    ok(ts_gheap_discard(f, t->collection, 65535));
    ok(ts_gheap_discard(f, 77, 1));
    assert_false(f->broken);
    free(things);
    writable_close(f);
}

/* Many small ones in one go fill collections one after the other, in few of which there are 65,535. */
static void global_heap_bulk(void **test)
{
    (void)test;
    enum { N = 200000 };
    struct ts_file *f = writable_new();
    struct ts_gheap_writer w;
    haddr_t *collections = calloc(N, sizeof *collections);
    uint32_t *indexes = calloc(N, sizeof *indexes);
    size_t n_collections = 0;
    ok(ts_gheap_begin(&w, f));
    for (uint32_t i = 0; i < N; i++) {
        ok(ts_gheap_put(&w, &i, i % 5, &collections[i], &indexes[i]));
        n_collections += i == 0 || collections[i] != collections[i - 1];
    }
    ok(ts_gheap_end(&w, 0));
    assert_true(n_collections < N / 1000);
    f = reopen(f);
    for (uint32_t i = 0; i < N; i += 7) {
        void *data;
        size_t size;
        ok(ts_gheap_read(f, collections[i], indexes[i], &data, &size));
        assert_int_equal(size, i % 5);
        assert_memory_equal(data, &i, size);
        ts_free(data);
    }
    haddr_t end = f->end;
    for (uint32_t i = 0; i < N; i++)
        ok(ts_gheap_remove(f, collections[i], indexes[i]));
    /* What they had is used again once that is on file. */
    f = reopen(f);
    ok(ts_gheap_begin(&w, f));
    for (uint32_t i = 0; i < N / 2; i++)
        ok(ts_gheap_put(&w, &i, i % 5, &collections[i], &indexes[i]));
    ok(ts_gheap_end(&w, 0));
    assert_true(f->end <= end);
    free(collections);
    free(indexes);
    writable_close(f);
}

/* One collection with 65,535 objects takes no more, though there is room. */
static void global_heap_full(void **test)
{
    (void)test;
    struct ts_file *f = writable_new();
    uint8_t *large = calloc(1, 3000000);
    haddr_t first, at;
    uint32_t index, last = 0;
    ok(ts_gheap_insert(f, large, 3000000, &first, &index));
    ok(ts_gheap_insert(f, "x", 1, &at, &last));
    ok(ts_gheap_remove(f, first, index));
    /* The collection is gone, so its objects cannot come back at the same place by accident. */
    ok(ts_gheap_insert(f, large, 2999000, &first, &index));
    struct ts_gheap *heap;
    ok(ts_gheap_open(f, first, &heap));
    ok(ts_gheap_verify(heap));
    ts_gheap_close(heap);
    free(large);
    writable_close(f);
}

/* Fractal heaps. */

enum { THINGS = 3000 };

static void check_things(struct ts_file *f, haddr_t addr, const struct thing *things)
{
    struct ts_fheap *heap;
    ok(ts_fheap_open(f, addr, &heap));
    ok(ts_fheap_verify(heap));
    for (size_t i = 0; i < THINGS; i++) {
        struct ts_wr out = {0};
        if (!things[i].there)
            continue;
        ok(ts_fheap_read(heap, things[i].id, ts_fheap_id_size(heap), &out));
        assert_int_equal(out.size, things[i].size);
        assert_memory_equal(out.data, bytes_of(&things[i]), out.size);
        ts_wr_free(&out);
    }
    ts_fheap_close(heap);
}

static int change(struct ts_file *f, haddr_t addr, struct thing *t, uint32_t *state)
{
    struct ts_fheap *heap;
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_fheap_open(f, addr, &heap);
    if (status == 0) {
        status = change_thing(heap, t, state);
        ts_fheap_close(heap);
    }
    return ts_change_end(f, status);
}

static void verify_now(struct ts_file *f, haddr_t addr)
{
    struct ts_fheap *heap;
    ok(ts_fheap_open(f, addr, &heap));
    ok(ts_fheap_verify(heap));
    ts_fheap_close(heap);
}

static void fractal_heap(const struct ts_fheap_params *params, unsigned steps)
{
    struct ts_file *f = writable_new();
    struct thing *things = calloc(THINGS, sizeof *things);
    uint32_t state = 3;
    haddr_t addr;
    ok(ts_change_begin(f));
    ok(ts_change_end(f, ts_fheap_create(f, params, &addr)));
    for (unsigned i = 0; i < steps; i++) {
        struct thing *t = &things[draw(&state) % THINGS];
        if (t->there ? i > steps / 6 : i < steps / 6 * 5)
            ok(change(f, addr, t, &state));
        if (i % 1000 == 0)
            verify_now(f, addr);
        if (i % (steps / 5) == 0) {
            check_things(f, addr, things);
            f = reopen(f);
            check_things(f, addr, things);
        }
    }
    for (size_t i = 0; i < THINGS; i++)
        while (things[i].there)
            ok(change(f, addr, &things[i], &state));
    f = reopen(f);
    verify_now(f, addr);
    uint64_t bytes;
    struct ts_fheap *heap;
    ok(ts_fheap_open(f, addr, &heap));
    ok(ts_fheap_storage(heap, &bytes));
    /* Only the header is left. */
    assert_int_equal(bytes, 26 + 12 * 8 + 3 * 8 + (params->filter_size ? 12 + params->filter_size : 0));
    ts_fheap_close(heap);
    for (size_t i = 0; i < 500; i++)
        ok(change(f, addr, &things[i], &state));
    ok(ts_change_begin(f));
    ok(ts_change_end(f, ts_fheap_delete(f, addr)));
    f = reopen(f);
    free(things);
    writable_close(f);
}

static void heap_of_links(void **test)
{
    (void)test;
    fractal_heap(&ts_fheap_for_links, 100000);
}

static void heap_of_attrs(void **test)
{
    (void)test;
    fractal_heap(&ts_fheap_for_attrs, 30000);
}

/* Ids that say where huge objects are, and hold objects of up to 18 bytes. */
static void heap_of_long_ids(void **test)
{
    (void)test;
    struct ts_fheap_params params = ts_fheap_for_links;
    params.id_size = 20;
    fractal_heap(&params, 20000);
}

/* A table that soon has indirect blocks in indirect blocks, and objects that skip some. */
static void heap_of_small_blocks(void **test)
{
    (void)test;
    struct ts_fheap_params params = ts_fheap_for_links;
    params.width = 2;
    params.start_block = 64;
    params.max_direct = 1024;
    params.max_managed = 900;
    fractal_heap(&params, 20000);
}

static void heap_with_filters(void **test)
{
    (void)test;
    struct ts_fheap_params params = ts_fheap_for_links;
    static const uint8_t deflate[] = {2, 1, 1, 0, 0, 0, 1, 0, 6, 0, 0, 0};
    params.filters = deflate;
    params.filter_size = sizeof deflate;
    fractal_heap(&params, 10000);
}

/* Each allocation fails once: an error, and closing works; what was flushed is there. */
static void allocation_failures(void **test)
{
    (void)test;
    struct thing *things = calloc(THINGS, sizeof *things), *flushed = calloc(THINGS, sizeof *flushed);
    bool done = false;
    unsigned failures = 0;
    for (unsigned long at = 1; !done; at += at < 200 ? 1 : 13) {
        struct ts_file *f = writable_new();
        uint32_t state = 9;
        haddr_t addr;
        memset(things, 0, THINGS * sizeof *things);
        ok(ts_change_begin(f));
        ok(ts_change_end(f, ts_fheap_create(f, &ts_fheap_for_attrs, &addr)));
        for (size_t i = 0; i < 60; i++)
            ok(change(f, addr, &things[i], &state));
        f = reopen(f);
        memcpy(flushed, things, THINGS * sizeof *things);
        int status = 0;
        ts_alloc_fail_at(at, TS_FAULT_ONCE);
        for (size_t i = 0; status == 0 && i < 120; i++)
            status = change(f, addr, &things[draw(&state) % 200], &state);
        if (status == 0)
            status = ts_file_flush(f);
        done = ts_alloc_fail_at(0, TS_FAULT_ONCE) < at;
        /* Space that is freed may be forgotten instead. */
        assert_true(status == 0 || !done);
        failures += status < 0;
        bool broken = f->broken;
        ts_file_unref(f);
        ts_err_clear();
        ok(ts_file_open(writable_path, H5F_ACC_RDWR, ts_plist_default(TS_PLIST_FILE_ACCESS), &f));
        ok(ts_meta_attach(f));
        if (status == 0)
            check_things(f, addr, things);
        else if (broken)
            check_things(f, addr, flushed);
        writable_close(f);
    }
    assert_true(failures > 200);
    free(things);
    free(flushed);
}

/* A header whose numbers lie, as a file may have it: errors are fine, anything worse is not. */
static void damage(struct ts_fheap_header *h, uint32_t *state)
{
    uint64_t any = draw(state) % 2 ? draw(state) : (uint64_t)draw(state) << draw(state) % 33;
    switch (draw(state) % 9) {
    case 0:
        h->iterator = any;
        break;
    case 1:
        h->iterator = any % (2 * h->managed_size + 1);
        break;
    case 2:
        h->managed_count = any;
        break;
    case 3:
        h->managed_free = any;
        break;
    case 4:
        h->managed_allocated = any;
        break;
    case 5:
        h->start_rows = (unsigned)any & 0xffff;
        break;
    case 6:
        h->huge_count = any % 3;
        break;
    case 7:
        h->max_managed = (uint32_t)any;
        break;
    default:
        h->root = HADDR_UNDEF;
    }
}

static void damage_space(struct ts_fheap *heap, uint32_t *state)
{
    ok(ts_fheap_know_space(heap));
    for (unsigned i = 0; i < 3; i++) {
        uint64_t offset = draw(state) % (2 * heap->header.managed_size + 1);
        if (!ts_gaps_at_or_before(&heap->gaps, offset) || ts_gaps_at_or_before(&heap->gaps, offset)->offset != offset)
            ok(ts_gaps_load(&heap->gaps, offset, 1 + draw(state) % 5000, 0));
    }
}

static void damaged_heaps(void **test)
{
    (void)test;
    struct thing *things = calloc(THINGS, sizeof *things);
    unsigned failures = 0;
    for (uint32_t round = 1; round <= 300; round++) {
        struct ts_file *f = writable_new();
        struct ts_fheap *heap;
        uint32_t state = round;
        haddr_t addr;
        memset(things, 0, THINGS * sizeof *things);
        ok(ts_change_begin(f));
        ok(ts_change_end(f, ts_fheap_create(f, &ts_fheap_for_links, &addr)));
        for (size_t i = 0; i < 20 + round; i++)
            ok(change(f, addr, &things[draw(&state) % 300], &state));
        ok(ts_change_begin(f));
        ok(ts_fheap_open(f, addr, &heap));
        ok(ts_fheap_edit(heap));
        if (round % 3 == 0)
            damage_space(heap, &state);
        else
            damage(&heap->header, &state);
        ts_fheap_close(heap);
        ok(ts_change_end(f, 0));
        f = reopen(f);
        int status = 0;
        for (size_t i = 0; status == 0 && i < 300; i++)
            status = change(f, addr, &things[draw(&state) % 300], &state);
        failures += status < 0;
        ts_err_clear();
        if (status == 0 && ts_change_begin(f) == 0)
            (void)ts_change_end(f, ts_fheap_delete(f, addr));
        ts_err_clear();
        writable_close(f);
    }
    assert_true(failures > 20);
    free(things);
}

static void global_allocation_failures(void **test)
{
    (void)test;
    struct thing *things = calloc(OBJECTS, sizeof *things);
    bool done = false;
    for (unsigned long at = 1; !done; at++) {
        struct ts_file *f = writable_new();
        uint32_t state = 4;
        int status = 0;
        memset(things, 0, OBJECTS * sizeof *things);
        ts_alloc_fail_at(at, TS_FAULT_ONCE);
        for (size_t i = 0; status == 0 && i < 150; i++)
            status = toggle_object(f, &things[draw(&state) % 60], &state);
        done = ts_alloc_fail_at(0, TS_FAULT_ONCE) < at;
        /* Only the list of collections with room can do without. */
        assert_true(status == 0 || !done);
        ts_err_clear();
        if (!f->broken)
            check_objects(f, things);
        writable_close(f);
    }
    free(things);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_heap),        cmocka_unit_test(global_heap),
        cmocka_unit_test(global_heap_bulk),  cmocka_unit_test(global_heap_full),
        cmocka_unit_test(heap_of_links),     cmocka_unit_test(heap_of_attrs),
        cmocka_unit_test(heap_of_long_ids),  cmocka_unit_test(heap_of_small_blocks),
        cmocka_unit_test(heap_with_filters), cmocka_unit_test(allocation_failures),
        cmocka_unit_test(damaged_heaps),     cmocka_unit_test(global_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
