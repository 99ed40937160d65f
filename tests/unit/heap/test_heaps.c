/* Local, global and fractal heaps and the B-trees beside them, in files of stock libhdf5. */
#include "base/checksum.h"
#include "base/cursor.h"
#include "format/btree1.h"
#include "format/btree2.h"
#include "heap/fractal_heap.h"
#include "heap/global_heap.h"
#include "heap/local_heap.h"
#include "index/btree1.h"
#include "index/btree2.h"
#include "unit/index/fixture.h"

#define NAME_MAX_SIZE 70100

struct item {
    char *name;
    uint64_t size; /* of an attribute's data */
    bool seen;
};

struct heap {
    char name[64], path[256];
    bool attrs;
    haddr_t heap, names, order;
    uint64_t heap_size, index_size;
    size_t n;
    struct item *items;
};

static bool next_heap(struct heap *h)
{
    static char word[NAME_MAX_SIZE];
    memset(h, 0, sizeof *h);
    if (!fixture_next("heap"))
        return false;
    fixture_word(h->name, sizeof h->name);
    fixture_word(h->path, sizeof h->path);
    h->attrs = fixture_number();
    h->heap = fixture_number();
    h->names = fixture_number();
    h->order = fixture_number();
    h->heap_size = fixture_number();
    h->index_size = fixture_number();
    h->n = fixture_number();
    h->items = calloc(h->n, sizeof *h->items);
    for (size_t i = 0; i < h->n; i++) {
        fixture_word(word, sizeof word);
        h->items[i].name = strdup(word);
        h->items[i].size = fixture_number();
    }
    return true;
}

static void free_heap(struct heap *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->items[i].name);
    free(h->items);
}

static struct item *find_item(struct heap *h, const char *name, size_t length)
{
    for (size_t i = 0; i < h->n; i++)
        if (strlen(h->items[i].name) == length && memcmp(h->items[i].name, name, length) == 0)
            return &h->items[i];
    return NULL;
}

struct visit {
    struct heap *h;
    struct ts_fheap *fheap;
    uint32_t last_hash;
    uint64_t last_order;
    size_t n;
};

/* The name in a link message (version 1 with creation order, soft) as dense groups store it. */
static const char *link_name(const struct ts_wr *object, size_t *length)
{
    struct ts_rd r = ts_rd_init(object->data, object->size);
    assert_int_equal(ts_rd_u8(&r), 1);
    unsigned flags = ts_rd_u8(&r);
    ts_rd_skip(&r, (flags & 8 ? 1 : 0) + (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0));
    *length = (size_t)ts_rd_uint(&r, 1u << (flags & 3));
    const char *name = (const char *)ts_rd_bytes(&r, *length);
    assert_false(r.bad);
    return name;
}

/* The name in an attribute message of version 3; checks the data, which ends the message. */
static const char *attr_name(struct visit *v, const struct ts_wr *object, size_t *length)
{
    struct ts_rd r = ts_rd_init(object->data, object->size);
    assert_int_equal(ts_rd_u8(&r), 3);
    ts_rd_skip(&r, 1);
    *length = ts_rd_u16(&r) - 1u;
    ts_rd_skip(&r, 5);
    const char *name = (const char *)ts_rd_bytes(&r, *length + 1);
    assert_false(r.bad);
    const struct item *item = find_item(v->h, name, *length);
    assert_non_null(item);
    assert_true(item->size < object->size);
    for (uint64_t i = 0; i < item->size; i++)
        assert_int_equal(object->data[object->size - 1 - i], (item - v->h->items) % 251);
    return name;
}

static void read_object(struct visit *v, const uint8_t *id, uint32_t *hash)
{
    struct ts_wr object = {0};
    size_t length;
    fixture_ok(ts_fheap_read(v->fheap, id, ts_fheap_id_size(v->fheap), &object));
    const char *name = v->h->attrs ? attr_name(v, &object, &length) : link_name(&object, &length);
    *hash = ts_checksum(name, length);
    /* Names of links are in order; searching 20,000 of them for each would take long. */
    struct item *item = v->h->n > 5000 ? NULL : find_item(v->h, name, length);
    assert_true(item || v->h->n > 5000);
    if (item) {
        assert_false(item->seen);
        item->seen = true;
    }
    ts_wr_free(&object);
}

static int visit_name(const uint8_t *record, void *ctx)
{
    struct visit *v = ctx;
    uint32_t hash, stored;
    struct ts_rd r = ts_rd_init(record + (v->h->attrs ? 13 : 0), 4);
    stored = ts_rd_u32(&r);
    read_object(v, record + (v->h->attrs ? 0 : 4), &hash);
    assert_int_equal(hash, stored);
    assert_true(hash >= v->last_hash);
    v->last_hash = hash;
    v->n++;
    return 0;
}

static int visit_order(const uint8_t *record, void *ctx)
{
    struct visit *v = ctx;
    struct ts_rd r = ts_rd_init(record, 8);
    assert_int_equal(ts_rd_u64(&r), v->last_order);
    v->last_order++;
    v->n++;
    return 0;
}

static int visit_order_down(const uint8_t *record, void *ctx)
{
    struct visit *v = ctx;
    struct ts_rd r = ts_rd_init(record, 8);
    assert_int_equal(ts_rd_u64(&r), --v->last_order);
    v->n++;
    return v->n == 50 ? 5 : 0;
}

static int compare_order(const uint8_t *record, void *ctx, int *order)
{
    struct ts_rd r = ts_rd_init(record, 8);
    uint64_t v = ts_rd_u64(&r), want = *(uint64_t *)ctx;
    *order = (want > v) - (want < v);
    return 0;
}

static uint64_t order_at(struct ts_btree2 *tree, uint64_t position)
{
    uint8_t record[15];
    fixture_ok(ts_btree2_at(tree, position, record));
    struct ts_rd r = ts_rd_init(record, 8);
    return ts_rd_u64(&r);
}

/* Creation orders are 0, 1, 2 … here, so a record's position is its key. */
static void check_order_index(struct ts_file *f, struct heap *h, uint64_t *bytes)
{
    struct ts_btree2 *tree;
    struct visit v = {.h = h};
    uint8_t record[15];
    fixture_ok(ts_btree2_open(f, h->order, &tree));
    assert_int_equal(ts_btree2_type(tree), TS_BTREE2_LINK_ORDER);
    assert_int_equal(ts_btree2_record_size(tree), sizeof record);
    assert_int_equal(ts_btree2_count(tree), h->n);
    fixture_ok(ts_btree2_iterate(tree, visit_order, &v));
    assert_int_equal(v.n, h->n);
    for (uint64_t i = 0; i < h->n; i += h->n / 100 + 1) {
        assert_int_equal(order_at(tree, i), i);
        assert_int_equal(ts_btree2_find(tree, compare_order, &i, record), 1);
        v = (struct visit){.h = h, .last_order = i};
        fixture_ok(ts_btree2_walk(tree, false, i, visit_order, &v));
        assert_int_equal(v.n, h->n - i);
        v = (struct visit){.h = h, .last_order = h->n - i};
        int status = ts_btree2_walk(tree, true, i, visit_order_down, &v);
        assert_int_equal(status, h->n - i >= 50 ? 5 : 0);
        assert_int_equal(v.n, h->n - i < 50 ? h->n - i : 50);
    }
    uint64_t none = h->n;
    assert_int_equal(ts_btree2_find(tree, compare_order, &none, record), 0);
    assert_int_equal(ts_btree2_at(tree, none, record), -1);
    ts_err_clear();
    fixture_ok(ts_btree2_storage(tree, bytes));
    ts_btree2_close(tree);
}

static void check_heap(struct heap *h)
{
    struct ts_file *f = fixture_open(h->path);
    struct ts_btree2 *names;
    struct visit v = {.h = h};
    uint64_t bytes, order_bytes = 0;
    fixture_ok(ts_fheap_open(f, h->heap, &v.fheap));
    fixture_ok(ts_btree2_open(f, h->names, &names));
    assert_int_equal(ts_btree2_type(names), h->attrs ? TS_BTREE2_ATTR_NAME : TS_BTREE2_LINK_NAME);
    assert_int_equal(ts_btree2_count(names), h->n);
    fixture_ok(ts_btree2_iterate(names, visit_name, &v));
    assert_int_equal(v.n, h->n);
    fixture_ok(ts_fheap_storage(v.fheap, &bytes));
    assert_int_equal(bytes, h->heap_size);
    fixture_ok(ts_btree2_storage(names, &bytes));
    if (h->order)
        check_order_index(f, h, &order_bytes);
    assert_int_equal(bytes + order_bytes, h->index_size);
    ts_btree2_close(names);
    ts_fheap_close(v.fheap);
    fixture_close(f);
}

static void fractal_heaps(void **state)
{
    (void)state;
    struct heap h;
    unsigned n = 0;
    for (; next_heap(&h); n++) {
        print_message("%s: %zu objects\n", h.name, h.n);
        check_heap(&h);
        free_heap(&h);
    }
    assert_int_equal(n, 12);
}

struct sum {
    struct heap *h;
    struct ts_fheap *fheap;
    uint64_t bytes;
};

static int add_object(const uint8_t *record, void *ctx)
{
    struct sum *s = ctx;
    struct ts_wr object = {0};
    int status = ts_fheap_read(s->fheap, record + (s->h->attrs ? 0 : 4), ts_fheap_id_size(s->fheap), &object);
    s->bytes += object.size;
    ts_wr_free(&object);
    return status;
}

static int sum_heap(struct ts_file *f, struct heap *h, uint64_t *bytes)
{
    struct sum s = {.h = h};
    struct ts_btree2 *names;
    if (ts_fheap_open(f, h->heap, &s.fheap) < 0)
        return -1;
    int status = ts_btree2_open(f, h->names, &names);
    if (status == 0) {
        status = ts_btree2_iterate(names, add_object, &s);
        ts_btree2_close(names);
    }
    ts_fheap_close(s.fheap);
    *bytes = s.bytes;
    return status;
}

/* Each allocation fails once, on a cold cache: an error, nothing leaks, and the next try works. */
static void allocation_failures(void **state)
{
    (void)state;
    struct heap h;
    while (next_heap(&h)) {
        uint64_t want, bytes;
        bool done = h.n > 20;
        for (unsigned long at = 1; !done; at++) {
            struct ts_file *f = fixture_open(h.path);
            ts_alloc_fail_at(at, TS_FAULT_ONCE);
            int status = sum_heap(f, &h, &bytes);
            done = ts_alloc_fail_at(0, TS_FAULT_ONCE) < at;
            assert_int_equal(status, done ? 0 : -1);
            ts_err_clear();
            fixture_ok(sum_heap(f, &h, &want));
            assert_true(!done || bytes == want);
            fixture_close(f);
        }
        free_heap(&h);
    }
}

static void fractal_ids(void **state)
{
    (void)state;
    struct heap h;
    while (fixture_next("heap") && (fixture_word(h.name, sizeof h.name), strcmp(h.name, "many") != 0))
        ;
    fixture_word(h.path, sizeof h.path);
    fixture_number();
    struct ts_file *f = fixture_open(h.path);
    struct ts_fheap *heap;
    struct ts_wr out = {0};
    fixture_ok(ts_fheap_open(f, fixture_number(), &heap));
    assert_int_equal(ts_fheap_id_size(heap), 7);
    fixture_ok(ts_fheap_read(heap, (const uint8_t *)"\x23pqrs..", 7, &out)); /* tiny, 4 bytes */
    assert_int_equal(out.size, 4);
    assert_memory_equal(out.data, "pqrs", 4);
    static const char bad[][8] = {
        "\x43pqrs..",               /* version 1 */
        "\x30pqrs..",               /* no such kind */
        "\x2fpqrs..",               /* tiny, longer than the id */
        "\x10\1\0\0\0\0\0",         /* huge, but the heap has none */
        "\x00\1\0\0\0\4\0",         /* managed, in the prefix of a block */
        "\x00\x00\xff\xff\x7f\4\0", /* managed, behind the heap */
        "\x00\xf0\1\0\0\xff\xff",   /* managed, longer than its block */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ts_fheap_read(heap, (const uint8_t *)bad[i], 7, &out), -1);
    assert_int_equal(ts_fheap_read(heap, (const uint8_t *)bad[0], 6, &out), -1);
    assert_int_equal(out.size, 4);
    ts_err_clear();
    ts_wr_free(&out);
    ts_fheap_close(heap);
    fixture_close(f);
    rewind(fixture_manifest);
}

struct group {
    struct ts_file *file;
    struct ts_lheap *heap;
    char (*names)[16];
    size_t n, seen;
    const char *target;
};

/* A symbol table node: "SNOD", version, reserved, count 2, entries of 2 O + 24 bytes which start with the name's
 * offset. */
static void check_snod(struct group *g, haddr_t addr)
{
    unsigned o = g->file->sb.addr_size;
    uint8_t head[8], entry[40];
    assert_int_equal(ts_file_read(g->file, addr, 8, head), 0);
    assert_memory_equal(head, "SNOD\1", 5);
    for (unsigned i = 0; i < head[6]; i++) {
        assert_int_equal(ts_file_read(g->file, addr + 8 + i * (2 * o + 24), 2 * o + 24, entry), 0);
        struct ts_rd r = ts_rd_init(entry, o);
        assert_true(g->seen < g->n);
        assert_string_equal(ts_lheap_name(g->heap, ts_rd_uint(&r, o)), g->names[g->seen]);
        g->seen++;
    }
}

static int visit_snod(const struct ts_btree1_entry *e, void *ctx)
{
    check_snod(ctx, e->child);
    return 0;
}

static int locate_name(const uint8_t *left, const uint8_t *right, void *ctx, int *order)
{
    struct group *g = ctx;
    unsigned l = g->file->sb.len_size;
    struct ts_rd a = ts_rd_init(left, l), b = ts_rd_init(right, l);
    const char *low = ts_lheap_name(g->heap, ts_rd_uint(&a, l)), *high = ts_lheap_name(g->heap, ts_rd_uint(&b, l));
    if (!low || !high)
        return -1;
    *order = strcmp(g->target, low) <= 0 ? -1 : strcmp(g->target, high) > 0;
    return 0;
}

static void check_old_group(void)
{
    char path[256];
    struct group g = {0};
    uint64_t bytes;
    fixture_word(path, sizeof path);
    g.file = fixture_open(path);
    struct ts_btree1 tree = {
        .file = g.file, .root = fixture_number(), .type = TS_BTREE1_GROUP, .key_size = g.file->sb.len_size};
    haddr_t heap = fixture_number();
    fixture_ok(ts_lheap_open(g.file, heap, &g.heap));
    uint64_t index_size = fixture_number();
    fixture_ok(ts_lheap_storage(g.file, heap, &bytes));
    assert_int_equal(bytes, fixture_number());
    g.n = fixture_number();
    g.names = calloc(g.n, sizeof *g.names);
    for (size_t i = 0; i < g.n; i++)
        fixture_word(g.names[i], sizeof *g.names);
    fixture_ok(ts_btree1_iterate(&tree, visit_snod, &g));
    assert_int_equal(g.seen, g.n);
    for (size_t i = 0; i < g.n; i++) {
        haddr_t snod;
        g.target = g.names[i];
        assert_int_equal(fixture_ok(ts_btree1_find(&tree, locate_name, &g, &snod, NULL)), 1);
    }
    haddr_t snod;
    g.target = "zzz";
    assert_int_equal(ts_btree1_find(&tree, locate_name, &g, &snod, NULL), 0);
    assert_null(ts_lheap_name(g.heap, ts_lheap_size(g.heap)));
    assert_null(ts_lheap_name(g.heap, UINT64_MAX));
    fixture_ok(ts_btree1_storage(&tree, g.file->sb.group_internal_k, &bytes));
    assert_true(bytes < index_size); /* stock counts the symbol table nodes in */
    tree.type = TS_BTREE1_CHUNK;
    assert_int_equal(ts_btree1_iterate(&tree, visit_snod, &g), -1);
    ts_err_clear();
    ts_lheap_close(g.heap);
    free(g.names);
    fixture_close(g.file);
}

static void old_groups(void **state)
{
    (void)state;
    unsigned n = 0;
    for (; fixture_next("group"); n++)
        check_old_group();
    assert_int_equal(n, 3);
}

static void check_strings(void)
{
    char path[256], word[128];
    fixture_word(path, sizeof path);
    struct ts_file *f = fixture_open(path);
    haddr_t addr = fixture_number();
    size_t n = fixture_number(), element = 8 + f->sb.addr_size;
    for (size_t i = 0; i < n; i++) {
        uint8_t buf[16];
        void *data;
        size_t size;
        assert_int_equal(ts_file_read(f, addr + i * element, element, buf), 0);
        struct ts_rd r = ts_rd_init(buf, element);
        uint32_t length = ts_rd_u32(&r);
        haddr_t collection = ts_rd_addr(&r, f->sb.addr_size);
        fixture_ok(ts_gheap_read(f, collection, ts_rd_u32(&r), &data, &size));
        fixture_word(word, sizeof word);
        for (char *c = word; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        assert_int_equal(size, length);
        assert_memory_equal(data, word, strlen(word));
        ts_free(data);
        assert_int_equal(ts_gheap_read(f, collection, 0, &data, &size), -1);
        assert_int_equal(ts_gheap_read(f, collection, 60000, &data, &size), -1);
        assert_int_equal(ts_gheap_read(f, collection, 70000, &data, &size), -1);
        ts_err_clear();
    }
    fixture_close(f);
}

static void global_heaps(void **state)
{
    (void)state;
    unsigned n = 0;
    for (; fixture_next("vlen"); n++)
        check_strings();
    assert_int_equal(n, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractal_heaps), cmocka_unit_test(allocation_failures), cmocka_unit_test(fractal_ids),
        cmocka_unit_test(old_groups),    cmocka_unit_test(global_heaps),
    };
    return cmocka_run_group_tests(tests, fixture_make, fixture_remove);
}
