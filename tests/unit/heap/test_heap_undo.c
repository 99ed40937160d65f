/* Changes of heaps that fail, for want of memory or because the file cannot be read, change nothing; nor do those inside
 * one that fails. */
#include "unit/heap/failing.h"
#include "heap/fheap.h"
#include "unit/heap/things.h"

enum { THINGS = 120, AT_ONCE = 12 };

/* A heap, what it holds, and what is to change next. */
struct world {
    enum { LOCAL, GLOBAL, FRACTAL } kind;
    haddr_t addr;
    struct thing things[THINGS];
    struct thing next[AT_ONCE]; /* what some of them are when the change is made */
    size_t at[AT_ONCE], n;
    uint32_t state;
};

static int change_one(struct ts_file *f, struct world *w, struct thing *t, uint32_t *state)
{
    struct ts_lheap *names;
    struct ts_fheap *heap;
    int status;
    if (w->kind == GLOBAL)
        return toggle_object(f, t, state);
    if (w->kind == LOCAL) {
        if (ts_lheap_open(f, w->addr, &names) < 0)
            return -1;
        status = toggle_name(names, t, state);
        ts_lheap_close(names);
        return status;
    }
    if (ts_fheap_open(f, w->addr, &heap) < 0)
        return -1;
    status = change_thing(heap, t, state);
    ts_fheap_close(heap);
    return status;
}

static int change(struct ts_file *f, void *ctx)
{
    struct world *w = ctx;
    uint32_t state = w->state;
    int status = 0;
    for (size_t i = 0; i < w->n; i++)
        w->next[i] = w->things[w->at[i]];
    for (size_t i = 0; status == 0 && i < w->n; i++)
        status = change_one(f, w, &w->next[i], &state);
    return status;
}

static void check_names(struct ts_file *f, const struct world *w)
{
    struct ts_lheap *heap;
    char name[64];
    ok(ts_lheap_open(f, w->addr, &heap));
    ok(ts_lheap_verify(heap));
    for (size_t i = 0; i < THINGS; i++)
        if (w->things[i].there) {
            name_of(&w->things[i], name);
            assert_string_equal(ts_lheap_name(heap, w->things[i].offset), name);
        }
    ts_lheap_close(heap);
}

static void check_object(struct ts_file *f, const struct thing *t)
{
    struct ts_gheap *heap;
    const uint8_t *data;
    size_t size;
    ok(ts_gheap_open(f, t->collection, &heap));
    ok(ts_gheap_verify(heap));
    ok(ts_gheap_get(heap, t->index, &data, &size));
    assert_int_equal(size, t->size);
    assert_memory_equal(data, bytes_of(t), size);
    ts_gheap_close(heap);
}

static void check_heap(struct ts_file *f, const struct world *w)
{
    struct ts_fheap *heap;
    struct ts_wr out = {0};
    uint64_t bytes = 0;
    ok(ts_fheap_open(f, w->addr, &heap));
    ok(ts_fheap_verify(heap));
    for (size_t i = 0; i < THINGS; i++) {
        if (!w->things[i].there)
            continue;
        out.size = 0;
        ok(ts_fheap_read(heap, w->things[i].id, ts_fheap_id_size(heap), &out));
        assert_int_equal(out.size, w->things[i].size);
        assert_memory_equal(out.data, bytes_of(&w->things[i]), out.size);
        bytes += out.size;
    }
    const struct ts_fheap_header *h = &heap->header;
    assert_true(h->managed_count + h->huge_count + h->tiny_count <= THINGS);
    assert_true(bytes >= h->huge_size + h->tiny_size);
    ts_wr_free(&out);
    ts_fheap_close(heap);
}

static void check(struct ts_file *f, void *ctx)
{
    const struct world *w = ctx;
    if (w->kind == LOCAL)
        check_names(f, w);
    else if (w->kind == FRACTAL)
        check_heap(f, w);
    else
        for (size_t i = 0; i < THINGS; i++)
            if (w->things[i].there)
                check_object(f, &w->things[i]);
}

static void choose(struct world *w, unsigned step, unsigned steps)
{
    /* First it grows, at last it empties; mostly by one or two. */
    size_t most = draw(&w->state) % 8 > 0 ? 2 : AT_ONCE, from = draw(&w->state) % THINGS;
    w->n = 0;
    for (size_t i = 0; w->n == 0 || (i < THINGS && w->n < most); i++) {
        size_t at = (from + i * 7) % THINGS;
        if (draw(&w->state) % 4 > 0 && w->things[at].there != (step < steps / 2))
            w->at[w->n++] = at;
        else if (draw(&w->state) % 16 == 0)
            w->at[w->n++] = at;
    }
}

static void adopt(struct world *w)
{
    for (size_t i = 0; i < w->n; i++)
        w->things[w->at[i]] = w->next[i];
    draw(&w->state);
}

static struct ts_file *again(struct ts_file *f, enum failing what)
{
    f = writable_again(f, H5F_ACC_RDWR);
    if (what == FAILING_READS)
        keep_little(f);
    return f;
}

static int create(struct ts_file *f, struct world *w, const struct ts_fheap_params *params)
{
    if (w->kind == GLOBAL)
        return 0;
    return w->kind == LOCAL ? ts_lheap_create(f, 16, &w->addr) : ts_fheap_create(f, params, &w->addr);
}

static void run(struct world *w, const struct ts_fheap_params *params, unsigned steps, enum failing what)
{
    struct trial t = {change, check, w};
    unsigned failures = 0, flushes = 0;
    faulty_start(NULL);
    struct ts_file *f = writable_new();
    ts_meta_watching = true;
    ok(ts_change_begin(f));
    ok(ts_change_end(f, create(f, w, params)));
    for (unsigned i = 0; i < steps; i++) {
        choose(w, i, steps);
        if (i % 3 == 0)
            undo_around(f, &t);
        failures += try_until_made(f, &t, what);
        adopt(w);
        check(f, w);
        if (i % 16 == 7 && what == FAILING_ALLOCATIONS)
            flushes += flush_until_made(f, &t);
        if (i % 40 == 39)
            f = again(f, what);
    }
    ts_meta_watching = false;
    f = again(f, what);
    check(f, w);
    assert_true(failures > steps / 2);
    assert_true(flushes > 0 || what != FAILING_ALLOCATIONS);
    writable_close(f);
    faulty_stop();
}

static void local_heap(void **test)
{
    (void)test;
    for (enum failing what = FAILING_ALLOCATIONS; what <= FAILING_READS; what++)
        run(&(struct world){.kind = LOCAL, .state = 7}, NULL, 300, what);
}

static void global_heap(void **test)
{
    (void)test;
    for (enum failing what = FAILING_ALLOCATIONS; what <= FAILING_READS; what++)
        run(&(struct world){.kind = GLOBAL, .state = 8}, NULL, 300, what);
}

static void fractal_heap(const struct ts_fheap_params *params, uint32_t seed)
{
    for (enum failing what = FAILING_ALLOCATIONS; what <= FAILING_READS; what++)
        run(&(struct world){.kind = FRACTAL, .state = seed}, params, 300, what);
}

static void heap_of_links(void **test)
{
    (void)test;
    fractal_heap(&ts_fheap_for_links, 3);
}

/* Ids that say where huge objects are, and hold objects of up to 18 bytes. */
static void heap_of_long_ids(void **test)
{
    (void)test;
    struct ts_fheap_params params = ts_fheap_for_links;
    params.id_size = 20;
    fractal_heap(&params, 4);
}

/* Indirect blocks in indirect blocks, and objects that skip some. */
static void heap_of_small_blocks(void **test)
{
    (void)test;
    struct ts_fheap_params params = ts_fheap_for_links;
    params.width = 2;
    params.start_block = 64;
    params.max_direct = 1024;
    params.max_managed = 900;
    fractal_heap(&params, 5);
}

static void heap_with_filters(void **test)
{
    (void)test;
    struct ts_fheap_params params = ts_fheap_for_links;
    static const uint8_t deflate[] = {2, 1, 1, 0, 0, 0, 1, 0, 6, 0, 0, 0};
    params.filters = deflate;
    params.filter_size = sizeof deflate;
    fractal_heap(&params, 6);
}

static void add(struct ts_fheap *heap)
{
    uint8_t id[32], object[100] = {1};
    ok(ts_fheap_insert(heap, object, sizeof object, id, ts_fheap_id_size(heap)));
}

/* An iterator inside of a block that is not there, as a file may have it, is put at its start with the first change. */
static void odd_iterator(void **test)
{
    (void)test;
    struct ts_file *f = writable_new();
    struct ts_fheap *heap;
    haddr_t addr;
    ok(ts_change_begin(f));
    ok(ts_fheap_create(f, &ts_fheap_for_links, &addr));
    ok(ts_fheap_open(f, addr, &heap));
    while (heap->header.rows == 0 || heap->header.iterator >= heap->header.managed_size)
        add(heap);
    uint64_t iterator = heap->header.iterator;
    ok(ts_fheap_edit(heap));
    heap->header.iterator++;
    ts_fheap_close(heap);
    ok(ts_change_end(f, 0));
    f = writable_again(f, H5F_ACC_RDWR);
    ts_meta_watching = true;
    ok(ts_fheap_open(f, addr, &heap));
    for (int status = -1; status <= 0; status++) {
        ok(ts_change_begin(f));
        add(heap);
        assert_int_equal(heap->header.iterator, iterator);
        assert_int_equal(ts_change_end(f, status), status);
        assert_int_equal(heap->header.iterator, iterator + (status < 0));
    }
    ts_meta_watching = false;
    ok(ts_fheap_verify(heap));
    ts_fheap_close(heap);
    writable_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_heap),       cmocka_unit_test(global_heap),          cmocka_unit_test(heap_of_links),
        cmocka_unit_test(heap_of_long_ids), cmocka_unit_test(heap_of_small_blocks), cmocka_unit_test(heap_with_filters),
        cmocka_unit_test(odd_iterator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
