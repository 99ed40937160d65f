/* Structures that no writer makes: cycles, nodes shared by many parents, counts that do not fit. All must end soon, and
 * as errors. Also what stock libhdf5 cannot be made to write. */
#include "base/cursor.h"
#include "format/btree1.h"
#include "heap/fractal_heap.h"
#include "heap/global_heap.h"
#include "heap/local_heap.h"
#include "index/btree1.h"
#include "index/btree2.h"
#include "index/ext_array.h"
#include "index/fixed_array.h"
#include "unit/index/fixture.h"

#define UNDEF UINT64_MAX

/* An image under construction; `at` pads to an address. */
static void at(struct ts_wr *w, size_t addr)
{
    assert_true(addr >= w->size);
    ts_wr_zeros(w, addr - w->size);
}

static struct ts_file *finish(struct ts_wr *w)
{
    assert_false(w->bad);
    struct ts_file *f = fixture_image(w->data, w->size);
    ts_wr_free(w);
    return f;
}

static void fails(int status)
{
    assert_true(status < 0);
    assert_true(ts_err_current()->depth > 0);
    ts_err_clear();
}

/* A group B-tree node with n children at the same address. */
static void put_btree1(struct ts_wr *w, unsigned level, unsigned n, haddr_t child)
{
    ts_wr_bytes(w, "TREE", 4);
    ts_wr_u8(w, 0);
    ts_wr_u8(w, (uint8_t)level);
    ts_wr_u16(w, (uint16_t)n);
    ts_wr_u64(w, UNDEF);
    ts_wr_u64(w, UNDEF);
    for (unsigned i = 0; i < n; i++) {
        ts_wr_u64(w, i);
        ts_wr_u64(w, child);
    }
    ts_wr_u64(w, n);
}

static int count1(const struct ts_btree1_entry *e, void *ctx)
{
    (void)e;
    ++*(uint64_t *)ctx;
    return 0;
}

static int always_inside(const uint8_t *left, const uint8_t *right, void *ctx, int *order)
{
    (void)left, (void)right, (void)ctx;
    *order = 0;
    return 0;
}

static void btree1_cycle(void **state)
{
    (void)state;
    struct ts_wr w = {0};
    at(&w, 8);
    put_btree1(&w, 3, 2, 8);
    struct ts_file *f = finish(&w);
    struct ts_btree1 tree = {.file = f, .root = 8, .type = TS_BTREE1_GROUP, .key_size = 8};
    uint64_t n = 0;
    haddr_t child;
    fails(ts_btree1_iterate(&tree, count1, &n));
    fails(ts_btree1_find(&tree, always_inside, NULL, &child, NULL));
    assert_int_equal(n, 0);
    fixture_close(f);
}

/* 200 levels, each node twice the child of the one above: 2^200 paths. */
static void btree1_shared_nodes(void **state)
{
    (void)state;
    struct ts_wr w = {0};
    for (unsigned i = 0; i < 200; i++) {
        at(&w, 64 * (i + 1));
        put_btree1(&w, 199 - i, 2, 64 * (i + 2));
    }
    struct ts_file *f = finish(&w);
    struct ts_btree1 tree = {.file = f, .root = 64, .type = TS_BTREE1_GROUP, .key_size = 8};
    uint64_t n = 0;
    haddr_t child;
    fails(ts_btree1_iterate(&tree, count1, &n));
    assert_int_equal(ts_btree1_find(&tree, always_inside, NULL, &child, NULL), 1);
    assert_int_equal(child, 64 * 201);
    fixture_close(f);
}

static void btree1_too_many_entries(void **state)
{
    (void)state;
    struct ts_wr w = {0};
    put_btree1(&w, 0, 3, 0);
    w.data[6] = w.data[7] = 0xff;
    struct ts_file *f = finish(&w);
    struct ts_btree1 tree = {.file = f, .root = 0, .type = TS_BTREE1_GROUP, .key_size = 8};
    uint64_t n = 0;
    fails(ts_btree1_iterate(&tree, count1, &n));
    fixture_close(f);
}

static void put_btree2_header(struct ts_wr *w, unsigned depth, haddr_t root, unsigned root_records, uint64_t records)
{
    size_t from = w->size;
    ts_wr_bytes(w, "BTHD", 4);
    ts_wr_u8(w, 0);
    ts_wr_u8(w, 5);
    ts_wr_u32(w, 128);
    ts_wr_u16(w, 11);
    ts_wr_u16(w, (uint16_t)depth);
    ts_wr_u16(w, 0x2864);
    ts_wr_u64(w, root);
    ts_wr_u16(w, (uint16_t)root_records);
    ts_wr_u64(w, records);
    ts_wr_checksum(w, from);
}

static int count2(const uint8_t *record, void *ctx)
{
    (void)record;
    ++*(uint64_t *)ctx;
    return 0;
}

/* A leaf of one record below `depth` nodes of one record and twice the same child: totals are 1, 3, 7, 15 … */
static struct ts_file *shared_btree2(unsigned depth, uint64_t records)
{
    static const unsigned total_width[] = {0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4};
    struct ts_wr w = {0};
    put_btree2_header(&w, depth, 128, 1, records);
    for (unsigned level = depth; level + 1 > 0; level--) {
        at(&w, 128 * (depth - level + 1));
        size_t from = w.size;
        ts_wr_bytes(&w, level ? "BTIN" : "BTLF", 4);
        ts_wr_u16(&w, 5 << 8);
        ts_wr_zeros(&w, 11);
        for (unsigned i = 0; level > 0 && i < 2; i++) {
            ts_wr_u64(&w, from + 128);
            ts_wr_u8(&w, 1);
            ts_wr_uint(&w, (1u << level) - 1, total_width[level]);
        }
        ts_wr_checksum(&w, from);
    }
    return finish(&w);
}

static void btree2_shared_nodes(void **state)
{
    (void)state;
    struct ts_btree2 *tree;
    struct ts_file *f = shared_btree2(11, 4095);
    uint64_t n = 0, bytes;
    fixture_ok(ts_btree2_open(f, 0, &tree));
    fails(ts_btree2_iterate(tree, count2, &n));
    fails(ts_btree2_storage(tree, &bytes));
    assert_in_range(n, 1, 100); /* the tree itself is sound */
    ts_btree2_close(tree);
    fixture_close(f);
    f = shared_btree2(11, 4096); /* the totals do not add up */
    fixture_ok(ts_btree2_open(f, 0, &tree));
    n = 0;
    fails(ts_btree2_iterate(tree, count2, &n));
    assert_int_equal(n, 0);
    ts_btree2_close(tree);
    fixture_close(f);
}

static void btree2_headers(void **state)
{
    (void)state;
    static const struct {
        unsigned depth, root_records;
        uint64_t records;
    } bad[] = {{65535, 1, 1}, {0, 11, 11}, {0, 1, 2}, {1, 2, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ts_wr w = {0};
        put_btree2_header(&w, bad[i].depth, 64, bad[i].root_records, bad[i].records);
        struct ts_file *f = finish(&w);
        struct ts_btree2 *tree;
        fails(ts_btree2_open(f, 0, &tree));
        fixture_close(f);
    }
}

static void put_gheap_object(struct ts_wr *w, unsigned index, uint64_t size, const char *data)
{
    ts_wr_u16(w, (uint16_t)index);
    ts_wr_u16(w, 1);
    ts_wr_u32(w, 0);
    ts_wr_u64(w, size);
    ts_wr_bytes(w, data, strlen(data));
    while (w->size % 8)
        ts_wr_u8(w, 0);
}

static void put_gheap(struct ts_wr *w, uint64_t size)
{
    ts_wr_bytes(w, "GCOL\1\0\0", 8);
    ts_wr_u64(w, size);
}

static void global_heap(void **state)
{
    (void)state;
    struct ts_wr w = {0};
    struct ts_gheap *heap;
    const uint8_t *data;
    size_t size;
    put_gheap(&w, 112);
    put_gheap_object(&w, 7, 3, "abc");
    put_gheap_object(&w, 2, 0, "");
    put_gheap_object(&w, 300, 8, "defghijk");
    put_gheap_object(&w, 0, 1000, "");
    at(&w, 200);
    struct ts_file *f = finish(&w);
    fixture_ok(ts_gheap_open(f, 0, &heap));
    fixture_ok(ts_gheap_get(heap, 7, &data, &size));
    assert_int_equal(size, 3);
    assert_memory_equal(data, "abc", 3);
    fixture_ok(ts_gheap_get(heap, 300, &data, &size));
    assert_memory_equal(data, "defghijk", 8);
    fixture_ok(ts_gheap_get(heap, 2, &data, &size));
    assert_int_equal(size, 0);
    fails(ts_gheap_get(heap, 1, &data, &size));
    ts_gheap_close(heap);
    fixture_close(f);
}

static void global_heap_bad(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct ts_wr w = {0};
        struct ts_gheap *heap;
        put_gheap(&w, kind == 0 ? UINT64_MAX - 7 : kind == 1 ? 8 : 96);
        put_gheap_object(&w, 1, kind == 2 ? UINT64_MAX - 3 : 3, "abc");
        put_gheap_object(&w, 2, 1, "x");
        put_gheap_object(&w, kind == 3 ? 1 : 3, 1, "x");
        at(&w, 200);
        struct ts_file *f = finish(&w);
        fails(ts_gheap_open(f, 0, &heap));
        fixture_close(f);
    }
}

static void local_heap(void **state)
{
    (void)state;
    static const struct {
        uint64_t size, data;
        bool opens;
    } cases[] = {{UINT64_MAX, 32, false}, {9, 32, false}, {8, UNDEF, false}, {0, UNDEF, true}, {8, 32, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_wr w = {0};
        struct ts_lheap *heap;
        ts_wr_bytes(&w, "HEAP\0\0\0", 8);
        ts_wr_u64(&w, cases[i].size);
        ts_wr_u64(&w, 1);
        ts_wr_u64(&w, cases[i].data);
        ts_wr_bytes(&w, "ab\0cdefg", 8);
        struct ts_file *f = finish(&w);
        int status = ts_lheap_open(f, 0, &heap);
        assert_int_equal(status == 0, cases[i].opens);
        if (status == 0) {
            const char *name = ts_lheap_name(heap, 1);
            assert_true(cases[i].size == 0 ? name == NULL : strcmp(name, "b") == 0);
            assert_null(ts_lheap_name(heap, 3)); /* no NUL inside */
            ts_lheap_close(heap);
        }
        ts_err_clear();
        fixture_close(f);
    }
}

struct fheap_spec {
    unsigned id_size, rows, filter_size, heap_bits;
    uint64_t root;
    const void *filters;
};

static void put_fheap(struct ts_wr *w, const struct fheap_spec *s)
{
    size_t from = w->size;
    ts_wr_bytes(w, "FRHP", 5);
    ts_wr_u16(w, (uint16_t)s->id_size);
    ts_wr_u16(w, (uint16_t)s->filter_size);
    ts_wr_u8(w, 0);
    ts_wr_u32(w, 4096);
    ts_wr_u64(w, 0);
    ts_wr_u64(w, UNDEF);
    ts_wr_u64(w, 0);
    ts_wr_u64(w, UNDEF);
    ts_wr_zeros(w, 64);
    ts_wr_u16(w, 4);
    ts_wr_u64(w, 512);
    ts_wr_u64(w, 65536);
    ts_wr_u16(w, (uint16_t)s->heap_bits);
    ts_wr_u16(w, 1);
    ts_wr_u64(w, s->root);
    ts_wr_u16(w, (uint16_t)s->rows);
    if (s->filter_size) {
        ts_wr_u64(w, 0);
        ts_wr_u32(w, 0);
        ts_wr_bytes(w, s->filters, s->filter_size);
    }
    ts_wr_checksum(w, from);
}

static void fractal_heap_extended_tiny(void **state)
{
    (void)state;
    struct ts_wr w = {0}, out = {0};
    struct ts_fheap *heap;
    put_fheap(&w, &(struct fheap_spec){.id_size = 300, .heap_bits = 32, .root = UNDEF});
    struct ts_file *f = finish(&w);
    fixture_ok(ts_fheap_open(f, 0, &heap));
    uint8_t id[300] = {0x21, 0x02}; /* 0x102 + 1 bytes */
    for (unsigned i = 2; i < sizeof id; i++)
        id[i] = (uint8_t)i;
    fixture_ok(ts_fheap_read(heap, id, sizeof id, &out));
    assert_int_equal(out.size, 0x103);
    assert_memory_equal(out.data, id + 2, 0x103);
    id[1] = 0x2a; /* 0x12b bytes: one more than there are */
    fails(ts_fheap_read(heap, id, sizeof id, &out));
    id[0] = 0; /* managed, but there is no root */
    fails(ts_fheap_read(heap, id, sizeof id, &out));
    ts_wr_free(&out);
    ts_fheap_close(heap);
    fixture_close(f);
}

/* Directly addressed: address 8, length 8, filter mask 4, size 8. The filter is fletcher32, skipped for the second
 * object. */
static void fractal_heap_direct_huge_filtered(void **state)
{
    (void)state;
    static const uint8_t filters[] = {2, 1, 3, 0, 0, 0, 0, 0};
    struct ts_wr w = {0}, out = {0}, id = {0};
    struct ts_fheap *heap;
    put_fheap(
        &w, &(struct fheap_spec){.id_size = 29, .heap_bits = 32, .root = UNDEF, .filter_size = 8, .filters = filters});
    at(&w, 512);
    ts_wr_bytes(&w, "\1\2\3\4\x04\x06\x03\x04", 8); /* with a wrong checksum */
    struct ts_file *f = finish(&w);
    fixture_ok(ts_fheap_open(f, 0, &heap));
    for (unsigned mask = 0; mask < 2; mask++) {
        id.size = 0;
        ts_wr_u8(&id, 0x10);
        ts_wr_u64(&id, 512);
        ts_wr_u64(&id, 8);
        ts_wr_u32(&id, mask);
        ts_wr_u64(&id, mask ? 8 : 4);
        int status = ts_fheap_read(heap, id.data, id.size, &out);
        if (!mask)
            fails(status);
    }
    assert_int_equal(out.size, 8);
    assert_memory_equal(out.data, "\1\2\3\4", 4);
    ts_wr_free(&out);
    ts_wr_free(&id);
    ts_fheap_close(heap);
    fixture_close(f);
}

static void fractal_heap_headers(void **state)
{
    (void)state;
    static const struct fheap_spec bad[] = {
        {.id_size = 1, .heap_bits = 32},
        {.id_size = 8, .heap_bits = 64},
        {.id_size = 8, .heap_bits = 10},
        {.id_size = 8, .heap_bits = 32, .rows = 23},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ts_wr w = {0};
        struct ts_fheap *heap;
        put_fheap(&w, &bad[i]);
        struct ts_file *f = finish(&w);
        fails(ts_fheap_open(f, 0, &heap));
        fixture_close(f);
    }
}

static int never(uint64_t index, const uint8_t *element, void *ctx)
{
    (void)index, (void)element, (void)ctx;
    fail();
    return 0;
}

static void arrays(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1000, UINT64_MAX, (uint64_t)1 << 60};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned page_bits = 0; page_bits < 256; page_bits += 63) {
            struct ts_wr w = {0};
            struct ts_farray *a;
            ts_wr_bytes(&w, "FAHD\0\0\x08", 7);
            ts_wr_u8(&w, (uint8_t)page_bits);
            ts_wr_u64(&w, counts[i]);
            ts_wr_u64(&w, 64);
            ts_wr_checksum(&w, 0);
            at(&w, 64);
            ts_wr_bytes(&w, "FADB\0\0", 6);
            ts_wr_u64(&w, 0);
            ts_wr_zeros(&w, 100);
            struct ts_file *f = finish(&w);
            uint8_t element[8];
            int status = ts_farray_open(f, 0, &a);
            assert_int_equal(status == 0, counts[i] > 0 && page_bits <= 63);
            if (status == 0) {
                fails(ts_farray_get(a, counts[i] - 1, element));
                fails(ts_farray_iterate(a, never, NULL));
                ts_farray_close(a);
            }
            ts_err_clear();
            fixture_close(f);
        }
}

static void ext_array_headers(void **state)
{
    (void)state;
    /* max bits, elements in the index block, fewest elements, fewest pointers, page bits */
    static const uint8_t cases[][5] = {
        {32, 4, 15, 4, 10}, {32, 4, 16, 3, 10}, {32, 4, 0, 4, 10},  {64, 4, 16, 4, 10}, {3, 4, 16, 4, 10},
        {5, 4, 16, 4, 10},  {32, 4, 16, 4, 2},  {32, 4, 16, 4, 64}, {32, 4, 16, 4, 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_wr w = {0};
        struct ts_earray *a;
        ts_wr_bytes(&w, "EAHD\0\0\x08", 7);
        ts_wr_bytes(&w, cases[i], 5);
        ts_wr_zeros(&w, 32);
        ts_wr_u64(&w, UINT64_MAX);
        ts_wr_u64(&w, 0);
        ts_wr_u64(&w, 4096); /* the index block lies behind the end */
        ts_wr_checksum(&w, 0);
        struct ts_file *f = finish(&w);
        uint8_t element[8];
        int status = ts_earray_open(f, 0, &a);
        assert_int_equal(status == 0, i == 8);
        if (status == 0) {
            fails(ts_earray_get(a, 0, element));
            fails(ts_earray_get(a, (uint64_t)1 << 33, element));
            fails(ts_earray_get(a, UINT64_MAX - 1, element));
            fails(ts_earray_iterate(a, never, NULL));
            ts_earray_close(a);
        }
        ts_err_clear();
        fixture_close(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(btree1_cycle),
        cmocka_unit_test(btree1_shared_nodes),
        cmocka_unit_test(btree1_too_many_entries),
        cmocka_unit_test(btree2_shared_nodes),
        cmocka_unit_test(btree2_headers),
        cmocka_unit_test(global_heap),
        cmocka_unit_test(global_heap_bad),
        cmocka_unit_test(local_heap),
        cmocka_unit_test(fractal_heap_extended_tiny),
        cmocka_unit_test(fractal_heap_direct_huge_filtered),
        cmocka_unit_test(fractal_heap_headers),
        cmocka_unit_test(arrays),
        cmocka_unit_test(ext_array_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
