#include "unit/cmocka_all.h"

#include <stdio.h>

#include "hdf5.h"

#include "base/alloc.h"
#include "base/error.h"
#include "type/conv.h"
#include "type/reclaim.h"
#include "type/type.h"

static struct ts_type *integer(size_t size, H5T_order_t order, H5T_sign_t sign)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new_integer(size, order, sign, &t), 0);
    return t;
}

static struct ts_type *floating(size_t size, H5T_order_t order)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new_float(size, order, &t), 0);
    return t;
}

static struct ts_type *string(size_t size)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new_string(size, H5T_CSET_ASCII, H5T_STR_NULLTERM, &t), 0);
    return t;
}

/* The makers below take over their parts. */
static struct ts_type *vlen(struct ts_type *base)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new_vlen(base, &t), 0);
    ts_type_unref(base);
    return t;
}

static struct ts_type *array(struct ts_type *base, hsize_t n)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new_array(base, 1, &n, &t), 0);
    ts_type_unref(base);
    return t;
}

static struct ts_type *compound(size_t size)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new(H5T_COMPOUND, size, &t), 0);
    return t;
}

static void insert(struct ts_type *t, const char *name, size_t offset, struct ts_type *member)
{
    assert_int_equal(ts_type_insert(t, name, offset, member), 0);
    ts_type_unref(member);
}

static struct ts_type *on_disk(struct ts_type *t)
{
    assert_true(ts_type_set_loc(&t, TS_LOC_DISK, 8) >= 0);
    return t;
}

static int convert(struct ts_type *src, struct ts_type *dst, const struct ts_conv_env *env, size_t n, void *buf,
                   const void *bkg)
{
    struct ts_conv_path *path;
    if (ts_conv_find(src, dst, &path) < 0)
        return -1;
    int r = ts_conv_run(path, env, n, buf, bkg);
    ts_conv_path_unref(path);
    return r;
}

/* Heap ids are offsets into a table of objects. */
struct object {
    const void *data;
    size_t size;
};

static int read_object(void *ctx, const uint8_t *id, void **data, size_t *size)
{
    const struct object *o = (const struct object *)ctx + id[0] - 1;
    *data = ts_memdup(o->data, o->size);
    *size = o->size;
    return *data ? 0 : -1;
}

static void disk_vlen(uint8_t *at, uint32_t length, uint8_t object)
{
    memset(at, 0, 16);
    memcpy(at, &length, 4);
    at[4] = object;
}

static void native_pairs_agree_with_single_elements(void **state)
{
    (void)state;
    struct ts_type *t[22];
    size_t n = 0;
    for (size_t size = 1; size <= 8; size *= 2)
        for (int order = 0; order < 2; order++)
            for (int sign = 0; sign < 2; sign++)
                t[n++] = integer(size, order ? H5T_ORDER_BE : H5T_ORDER_LE, sign ? H5T_SGN_2 : H5T_SGN_NONE);
    for (size_t size = 4; size <= 8; size *= 2)
        for (int order = 0; order < 2; order++)
            t[n++] = floating(size, order ? H5T_ORDER_BE : H5T_ORDER_LE);
    uint8_t in[8 * 5000], all[8 * 5000], one[8], copied[8 * 5000];
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof in; i++) {
        x = x * 1664525 + 1013904223;
        in[i] = x >> 28 == 0 ? 0 : x >> 28 == 1 ? 0xff : (uint8_t)(x >> 20);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            struct ts_conv_path *path;
            assert_int_equal(ts_conv_find(t[i], t[j], &path), 0);
            memcpy(all, in, sizeof in);
            assert_int_equal(ts_conv_run(path, NULL, 5000, all, NULL), 0);
            assert_int_equal(ts_conv_copy(path, NULL, 5000, in, copied), 0);
            assert_memory_equal(all, copied, 5000 * t[j]->size);
            for (size_t k = 0; k < 5000; k += 7) {
                memcpy(one, in + k * t[i]->size, t[i]->size);
                assert_int_equal(ts_conv_run(path, NULL, 1, one, NULL), 0);
                assert_memory_equal(one, all + k * t[j]->size, t[j]->size);
            }
            ts_conv_path_unref(path);
        }
    for (size_t i = 0; i < n; i++)
        ts_type_unref(t[i]);
}

static void values_are_clamped(void **state)
{
    (void)state;
    struct ts_type *i32 = integer(4, H5T_ORDER_LE, H5T_SGN_2), *u8 = integer(1, H5T_ORDER_LE, H5T_SGN_NONE);
    struct ts_type *f64 = floating(8, H5T_ORDER_LE), *i64be = integer(8, H5T_ORDER_BE, H5T_SGN_2);
    int32_t ints[] = {-1, 0, 255, 256, INT32_MIN, INT32_MAX};
    assert_int_equal(convert(i32, u8, NULL, 6, ints, NULL), 0);
    assert_memory_equal(ints, ((uint8_t[]){0, 0, 255, 255, 0, 255}), 6);
    double reals[] = {1e300, -1e300, -1.5, 0x1p63};
    assert_int_equal(convert(f64, i64be, NULL, 4, reals, NULL), 0);
    assert_memory_equal(reals,
                        "\x7f\xff\xff\xff\xff\xff\xff\xff\x80\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff"
                        "\xff\xff\xff\xff\xff",
                        32);
    double two = 2;
    assert_int_equal(convert(f64, i32, NULL, 1, &two, NULL), 0);
    assert_int_equal(*(int32_t *)(void *)&two, 2);
    ts_type_unref(i32);
    ts_type_unref(u8);
    ts_type_unref(f64);
    ts_type_unref(i64be);
}

static H5T_conv_ret_t abort_at_negative(H5T_conv_except_t kind, hid_t src, hid_t dst, void *from, void *to, void *data)
{
    (void)src;
    (void)dst;
    (void)from;
    ++*(int *)data;
    if (kind == H5T_CONV_EXCEPT_RANGE_LOW)
        return H5T_CONV_ABORT;
    *(uint8_t *)to = 77;
    return H5T_CONV_HANDLED;
}

static void callback_handles_and_aborts(void **state)
{
    (void)state;
    struct ts_type *i32 = integer(4, H5T_ORDER_LE, H5T_SGN_2), *u8 = integer(1, H5T_ORDER_LE, H5T_SGN_NONE);
    int calls = 0;
    struct ts_conv_env env = {.except = {abort_at_negative, &calls}};
    int32_t good[] = {1, 300, 2};
    assert_int_equal(convert(i32, u8, &env, 3, good, NULL), 0);
    assert_memory_equal(good, "\x01\x4d\x02", 3);
    assert_int_equal(calls, 1);
    int32_t bad[] = {1, -1, 300};
    assert_int_equal(convert(i32, u8, &env, 3, bad, NULL), -1);
    assert_int_equal(calls, 2);
    ts_err_clear();
    ts_type_unref(i32);
    ts_type_unref(u8);
}

static void compound_keeps_the_background(void **state)
{
    (void)state;
    struct ts_type *src = compound(8), *dst = compound(12), *prefix = compound(4);
    insert(src, "a", 0, integer(4, H5T_ORDER_LE, H5T_SGN_2));
    insert(src, "b", 4, integer(4, H5T_ORDER_BE, H5T_SGN_2));
    insert(dst, "b", 0, integer(2, H5T_ORDER_LE, H5T_SGN_2));
    insert(dst, "c", 4, integer(4, H5T_ORDER_LE, H5T_SGN_2));
    insert(dst, "a", 8, integer(4, H5T_ORDER_LE, H5T_SGN_2));
    insert(prefix, "a", 0, integer(4, H5T_ORDER_LE, H5T_SGN_2));
    enum { N = 10000 };
    uint8_t *buf = ts_malloc(12 * N), *bkg = ts_malloc(12 * N);
    memset(bkg, 0xee, 12 * N);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t swapped = __builtin_bswap32(i);
        memcpy(buf + 8 * i, &i, 4);
        memcpy(buf + 8 * i + 4, &swapped, 4);
    }
    struct ts_conv_path *path;
    assert_int_equal(ts_conv_find(src, dst, &path), 0);
    assert_true(ts_conv_needs_background(path));
    assert_false(ts_conv_is_noop(path));
    assert_int_equal(ts_conv_run(path, NULL, N, buf, bkg), 0);
    for (uint32_t i = 0; i < N; i++) {
        uint8_t want[12];
        memset(want, 0xee, sizeof want);
        memcpy(want, &i, 2);
        memcpy(want + 8, &i, 4);
        assert_memory_equal(buf + 12 * i, want, 12);
    }
    ts_conv_path_unref(path);
    assert_int_equal(ts_conv_find(src, prefix, &path), 0);
    assert_false(ts_conv_needs_background(path));
    ts_conv_path_unref(path);
    assert_int_equal(ts_conv_find(src, src, &path), 0);
    assert_true(ts_conv_is_noop(path));
    ts_conv_path_unref(path);
    ts_free(buf);
    ts_free(bkg);
    ts_type_unref(src);
    ts_type_unref(dst);
    ts_type_unref(prefix);
}

/* A record with everything that allocates: an inner sequence of records with strings, a string, an array. */
static struct ts_type *record(H5T_order_t order, size_t number)
{
    struct ts_type *inner = compound(64), *t = compound(128);
    insert(inner, "value", 0, integer(number, order, H5T_SGN_2));
    insert(inner, "name", 16, string(H5T_VARIABLE));
    insert(t, "id", 0, integer(4, order, H5T_SGN_2));
    insert(t, "list", 8, vlen(inner));
    insert(t, "title", 32, string(H5T_VARIABLE));
    insert(t, "pair", 48, array(integer(number, order, H5T_SGN_2), 2));
    return t;
}

struct member {
    size_t offset;
    const struct ts_type *type;
};

static struct member member(const struct ts_type *t, const char *name)
{
    int i = ts_type_member_index(t, name);
    assert_true(i >= 0);
    return (struct member){t->u.compound.members[i].offset, t->u.compound.members[i].type};
}

static void fill_record(const struct ts_type *disk, const struct ts_type *inner, uint8_t *buf, uint8_t *items)
{
    memset(buf, 0, disk->size);
    memset(items, 0, 2 * inner->size);
    buf[member(disk, "id").offset + 3] = 42;
    disk_vlen(buf + member(disk, "list").offset, 2, 1);
    disk_vlen(buf + member(disk, "title").offset, 5, 2);
    buf[member(disk, "pair").offset + 1] = 7;
    buf[member(disk, "pair").offset + 3] = 9;
    items[member(inner, "value").offset] = 0xff;
    items[member(inner, "value").offset + 1] = 0xfe;
    disk_vlen(items + member(inner, "name").offset, 3, 3);
    items[inner->size + member(inner, "value").offset + 1] = 5;
    disk_vlen(items + inner->size + member(inner, "name").offset, 0, 0);
}

static void check_record(const struct ts_type *memory, const uint8_t *buf)
{
    const struct ts_type *inner = member(memory, "list").type->base;
    hvl_t list;
    char *s;
    int32_t v;
    memcpy(&v, buf + member(memory, "id").offset, 4);
    assert_int_equal(v, 42);
    memcpy(&list, buf + member(memory, "list").offset, sizeof list);
    assert_int_equal(list.len, 2);
    memcpy(&v, (uint8_t *)list.p + member(inner, "value").offset, 4);
    assert_int_equal(v, -2);
    memcpy(&s, (uint8_t *)list.p + member(inner, "name").offset, sizeof s);
    assert_string_equal(s, "abc");
    memcpy(&v, (uint8_t *)list.p + inner->size + member(inner, "value").offset, 4);
    assert_int_equal(v, 5);
    memcpy(&s, (uint8_t *)list.p + inner->size + member(inner, "name").offset, sizeof s);
    assert_null(s);
    memcpy(&s, buf + member(memory, "title").offset, sizeof s);
    assert_string_equal(s, "hello");
    memcpy(&v, buf + member(memory, "pair").offset + 4, 4);
    assert_int_equal(v, 9);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct ts_type *disk = on_disk(record(H5T_ORDER_BE, 2)), *memory = record(H5T_ORDER_LE, 4);
    const struct ts_type *inner = member(disk, "list").type->base;
    uint8_t buf[512], items[512], bkg[512] = {0};
    struct object objects[] = {{items, 2 * inner->size}, {"hello", 5}, {"abc", 3}};
    struct ts_vl_source source = {.read = read_object, .ctx = objects};
    struct ts_conv_env env = {.source = &source};
    struct ts_reclaim how = {0};
    int r = -1, failures = 0;
    assert_true(disk->size <= sizeof buf && memory->size <= sizeof buf && 2 * inner->size <= sizeof items);
    for (unsigned long at = 1; r < 0; at++) {
        assert_true(at < 1000);
        ts_conv_close();
        fill_record(disk, inner, buf, items);
        ts_alloc_fail_at(at, TS_FAULT_ONCE);
        r = convert(disk, memory, &env, 1, buf, bkg);
        unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        failures += r < 0;
        ts_err_clear();
        if (r == 0) {
            check_record(memory, buf);
            ts_reclaim(memory, &how, 1, buf);
            /* A failure that only kept the path out of the table is none. */
            r = made < at ? 0 : -1;
        }
    }
    assert_true(failures > 20);
    ts_type_unref(disk);
    ts_type_unref(memory);
}

static void *count_alloc(size_t size, void *info)
{
    ++*(int *)info;
    return malloc(size);
}

/* Is given the NULL of a string, too. */
static void count_free(void *p, void *info)
{
    if (p)
        --*(int *)info;
    free(p);
}

static void allocation_functions_of_the_application(void **state)
{
    (void)state;
    struct ts_type *disk = on_disk(record(H5T_ORDER_BE, 2)), *memory = record(H5T_ORDER_LE, 4);
    const struct ts_type *inner = member(disk, "list").type->base;
    uint8_t buf[512], items[512], bkg[512] = {0};
    struct object objects[] = {{items, 2 * inner->size}, {"hello", 5}, {"abc", 3}};
    struct ts_vl_source source = {.read = read_object, .ctx = objects};
    int live = 0;
    struct ts_conv_env env = {.source = &source,
                              .vl_alloc = count_alloc,
                              .vl_alloc_info = &live,
                              .vl_free = count_free,
                              .vl_free_info = &live};
    struct ts_reclaim how = {.free = count_free, .info = &live};
    fill_record(disk, inner, buf, items);
    assert_int_equal(convert(disk, memory, &env, 1, buf, bkg), 0);
    assert_int_equal(live, 3);
    check_record(memory, buf);
    ts_reclaim(memory, &how, 1, buf);
    assert_int_equal(live, 0);
    objects[1].size = 4;
    fill_record(disk, inner, buf, items);
    assert_int_equal(convert(disk, memory, &env, 1, buf, bkg), -1);
    assert_int_equal(live, 0);
    ts_err_clear();
    ts_type_unref(disk);
    ts_type_unref(memory);
}

static void hostile_sequences(void **state)
{
    (void)state;
    struct ts_type *memory = vlen(integer(4, H5T_ORDER_LE, H5T_SGN_2)), *disk = on_disk(ts_type_ref(memory));
    uint8_t buf[16];
    struct object object = {"12345678", 8};
    struct ts_vl_source source = {.read = read_object, .ctx = &object};
    struct ts_conv_env env = {.source = &source}, nothing = {0};
    disk_vlen(buf, 3, 1);
    assert_int_equal(convert(disk, memory, &env, 1, buf, NULL), -1);
    disk_vlen(buf, UINT32_MAX, 1);
    assert_int_equal(convert(disk, memory, &env, 1, buf, NULL), -1);
    disk_vlen(buf, 2, 1);
    assert_int_equal(convert(disk, memory, &nothing, 1, buf, NULL), -1);
    disk_vlen(buf, 2, 0);
    assert_int_equal(convert(disk, memory, &env, 1, buf, NULL), 0);
    hvl_t vl;
    memcpy(&vl, buf, sizeof vl);
    assert_true(vl.len == 0 && vl.p == NULL);
    disk_vlen(buf, 2, 1);
    assert_int_equal(convert(disk, memory, &env, 1, buf, NULL), 0);
    memcpy(&vl, buf, sizeof vl);
    assert_int_equal(vl.len, 2);
    assert_memory_equal(vl.p, "12345678", 8);
    ts_reclaim(memory, &(struct ts_reclaim){0}, 1, buf);
    ts_err_clear();
    ts_type_unref(memory);
    ts_type_unref(disk);
}

/* A heap of its own for conversions to disk. Ids count from 1. */
struct heap {
    uint8_t data[16][64];
    size_t sizes[16];
    unsigned n, released[16], n_released, pauses;
    bool writing;
};

static int heap_read(void *ctx, const uint8_t *id, void **data, size_t *size)
{
    struct heap *h = ctx;
    assert_false(h->writing);
    if (id[0] == 0 || id[0] > h->n)
        return TS_ERR(HEAP, NOTFOUND, "no object %u", id[0]);
    *size = h->sizes[id[0]];
    *data = ts_memdup(h->data[id[0]], *size);
    return *data ? 0 : -1;
}

static int heap_write(void *ctx, const void *data, size_t size, uint8_t *id)
{
    struct heap *h = ctx;
    assert_true(size <= sizeof *h->data && h->n < 15);
    h->writing = true;
    h->sizes[++h->n] = size;
    if (size > 0)
        memcpy(h->data[h->n], data, size);
    memset(id, 0, 12);
    id[0] = (uint8_t)h->n;
    return 0;
}

static int heap_release(void *ctx, const uint8_t *id)
{
    struct heap *h = ctx;
    h->released[h->n_released++] = id[0];
    return 0;
}

static int heap_pause(void *ctx)
{
    struct heap *h = ctx;
    h->writing = false;
    h->pauses++;
    return 0;
}

static void sequences_to_disk(void **state)
{
    (void)state;
    struct ts_type *memory = vlen(integer(4, H5T_ORDER_LE, H5T_SGN_2));
    struct ts_type *disk = on_disk(vlen(integer(2, H5T_ORDER_BE, H5T_SGN_2)));
    struct heap heap = {.n = 0};
    struct ts_vl_source source = {.read = heap_read, .ctx = &heap};
    struct ts_vl_sink sink = {
        .write = heap_write, .release = heap_release, .pause = heap_pause, .addr_size = 8, .ctx = &heap};
    struct ts_conv_env env = {.source = &source, .sink = &sink}, nothing = {0};
    int32_t numbers[3] = {1, -2, 70000};
    hvl_t values[3] = {{2, numbers}, {0, NULL}, {1, numbers + 2}};
    uint8_t buf[48], old[48];
    memcpy(buf, values, sizeof values);
    assert_int_equal(convert(memory, disk, &env, 3, buf, NULL), 0);
    assert_int_equal(heap.n, 2);
    assert_int_equal(heap.sizes[1], 4);
    assert_memory_equal(heap.data[1], "\0\1\377\376", 4);
    assert_memory_equal(heap.data[2], "\177\377", 2);
    assert_memory_equal(buf, "\2\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 16);
    assert_memory_equal(buf + 16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    assert_memory_equal(buf + 32, "\1\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0", 16);
    assert_int_equal(heap.n_released, 0);
    assert_false(heap.writing);
    /* Written over: what is there goes, and what is not does not. */
    memcpy(old, buf, sizeof old);
    memcpy(buf, values, sizeof values);
    assert_int_equal(convert(memory, disk, &env, 3, buf, old), 0);
    assert_int_equal(heap.n_released, 2);
    assert_true(heap.released[0] == 1 && heap.released[1] == 2);
    /* From disk to disk, and without a place to put them. */
    assert_int_equal(convert(disk, disk, &env, 3, buf, NULL), 0);
    assert_int_equal(heap.n, 6);
    assert_memory_equal(heap.data[5], heap.data[3], 4);
    memcpy(buf, values, sizeof values);
    assert_int_equal(convert(memory, disk, &nothing, 3, buf, NULL), -1);
    ts_err_clear();
    ts_type_unref(memory);
    ts_type_unref(disk);
}

static void nested_sequences_to_disk(void **state)
{
    (void)state;
    struct ts_type *memory = vlen(string(H5T_VARIABLE)), *disk = on_disk(ts_type_ref(memory));
    struct heap heap = {.n = 0};
    struct ts_vl_source source = {.read = heap_read, .ctx = &heap};
    struct ts_vl_sink sink = {
        .write = heap_write, .release = heap_release, .pause = heap_pause, .addr_size = 8, .ctx = &heap};
    struct ts_conv_env env = {.source = &source, .sink = &sink};
    const char *words[3] = {"first", NULL, ""};
    hvl_t value = {3, words};
    uint8_t buf[16], old[16];
    memcpy(buf, &value, sizeof value);
    assert_int_equal(convert(memory, disk, &env, 1, buf, NULL), 0);
    assert_int_equal(heap.n, 3);
    assert_int_equal(heap.sizes[1], 5);
    assert_int_equal(heap.sizes[2], 0); /* an empty string is not an absent one */
    assert_int_equal(heap.sizes[3], 48);
    assert_memory_equal(heap.data[3], "\5\0\0\0\1", 5);
    memcpy(old, buf, sizeof old);
    memset(buf, 0, sizeof buf);
    assert_int_equal(convert(memory, disk, &env, 1, buf, old), 0);
    assert_int_equal(heap.n_released, 3);
    /* Old elements that lead nowhere are no hindrance. */
    disk_vlen(old, 3, 14);
    memset(buf, 0, sizeof buf);
    assert_int_equal(convert(memory, disk, &env, 1, buf, old), 0);
    assert_int_equal(heap.n_released, 4);
    ts_type_unref(memory);
    ts_type_unref(disk);
}

static void empty_and_absent_strings(void **state)
{
    (void)state;
    struct ts_type *memory = string(H5T_VARIABLE), *disk = on_disk(ts_type_ref(memory));
    uint8_t buf[32];
    char *s[2];
    disk_vlen(buf, 0, 9);
    disk_vlen(buf + 16, 0, 0);
    assert_int_equal(convert(disk, memory, NULL, 2, buf, NULL), 0);
    memcpy(s, buf, sizeof s);
    assert_string_equal(s[0], "");
    assert_null(s[1]);
    ts_reclaim(memory, &(struct ts_reclaim){0}, 2, buf);
    ts_type_unref(memory);
    ts_type_unref(disk);
}

static void short_references_are_widened(void **state)
{
    (void)state;
    struct ts_type *memory, *disk, *region, *region_disk;
    assert_int_equal(ts_type_new_reference(H5R_OBJECT1, &memory), 0);
    assert_int_equal(ts_type_new_reference(H5R_DATASET_REGION1, &region), 0);
    disk = ts_type_ref(memory);
    region_disk = ts_type_ref(region);
    assert_true(ts_type_set_loc(&disk, TS_LOC_DISK, 4) >= 0);
    assert_true(ts_type_set_loc(&region_disk, TS_LOC_DISK, 4) >= 0);
    uint8_t buf[24] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(convert(disk, memory, NULL, 2, buf, NULL), 0);
    assert_memory_equal(buf, "\1\2\3\4\0\0\0\0\5\6\7\10\0\0\0\0", 16);
    uint8_t regions[12] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(convert(region_disk, region, NULL, 1, regions, NULL), 0);
    assert_memory_equal(regions, "\1\2\3\4\0\0\0\0\5\6\7\10", 12);
    /* And back. */
    assert_int_equal(convert(memory, disk, NULL, 2, buf, NULL), 0);
    assert_memory_equal(buf, "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(convert(region, region_disk, NULL, 1, regions, NULL), 0);
    assert_memory_equal(regions, "\1\2\3\4\5\6\7\10", 8);
    memset(buf, 1, 8);
    assert_int_equal(convert(memory, disk, NULL, 1, buf, NULL), -1);
    ts_err_clear();
    ts_type_unref(memory);
    ts_type_unref(disk);
    ts_type_unref(region);
    ts_type_unref(region_disk);
}

static void paths_are_shared_and_forgotten(void **state)
{
    (void)state;
    struct ts_type *i32 = integer(4, H5T_ORDER_LE, H5T_SGN_2), *f64 = floating(8, H5T_ORDER_LE);
    struct ts_type *again = integer(4, H5T_ORDER_LE, H5T_SGN_2);
    struct ts_conv_path *a, *b;
    assert_int_equal(ts_conv_find(i32, f64, &a), 0);
    assert_int_equal(ts_conv_find(again, f64, &b), 0);
    assert_ptr_equal(a, b);
    assert_true(ts_conv_is_hard(a));
    ts_conv_path_unref(b);
    for (size_t size = 1; size < 1500; size++) {
        struct ts_type *s = string(size), *d = string(size + 1);
        char buf[1501] = "x";
        assert_int_equal(convert(s, d, NULL, 1, buf, NULL), 0);
        ts_type_unref(s);
        ts_type_unref(d);
    }
    assert_int_equal(ts_conv_find(i32, f64, &b), 0);
    assert_ptr_not_equal(a, b);
    int32_t v[2] = {5};
    assert_int_equal(ts_conv_run(a, NULL, 1, v, NULL), 0);
    double d;
    memcpy(&d, v, sizeof d);
    assert_true(d == 5);
    ts_conv_path_unref(a);
    ts_conv_path_unref(b);
    struct ts_type *s = string(4);
    assert_int_equal(ts_conv_find(i32, s, &a), -1);
    ts_err_clear();
    ts_type_unref(s);
    ts_type_unref(i32);
    ts_type_unref(again);
    ts_type_unref(f64);
}

static void plus_one(uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, 4);
    v++;
    memcpy(p, &v, 4);
}

static int freed;

static int add_one(H5T_conv_t func, const struct ts_conv_call *call)
{
    (void)func;
    if (call->cdata->command == H5T_CONV_INIT)
        return call->src->size == 4 && call->dst->size == 4 ? 0 : -1;
    if (call->cdata->command == H5T_CONV_FREE)
        freed++;
    for (size_t i = 0; i < call->n; i++)
        plus_one((uint8_t *)call->buf + 4 * i);
    return 0;
}

static void registered_conversions_come_first(void **state)
{
    (void)state;
    struct ts_type *i32 = integer(4, H5T_ORDER_LE, H5T_SGN_2), *u32 = integer(4, H5T_ORDER_LE, H5T_SGN_NONE);
    struct ts_type *u16 = integer(2, H5T_ORDER_LE, H5T_SGN_NONE), *odd = integer(4, H5T_ORDER_BE, H5T_SGN_NONE);
    struct ts_conv_user user = {H5T_PERS_HARD, "add one", i32, u32, NULL, add_one};
    int32_t v[3] = {1, 2, 3};
    freed = 0;
    assert_int_equal(convert(i32, u32, NULL, 3, v, NULL), 0);
    assert_int_equal(v[2], 3);
    assert_int_equal(ts_conv_register(&user), 0);
    assert_int_equal(convert(i32, u32, NULL, 3, v, NULL), 0);
    assert_int_equal(v[0], 2);
    assert_int_equal(v[2], 4);
    struct ts_type *from = array(ts_type_ref(i32), 3), *to = array(ts_type_ref(u32), 3);
    assert_int_equal(convert(from, to, NULL, 1, v, NULL), 0);
    assert_int_equal(v[2], 5);
    user.pers = H5T_PERS_SOFT;
    assert_int_equal(ts_conv_register(&user), 0);
    assert_int_equal(convert(i32, odd, NULL, 1, v, NULL), 0);
    assert_int_equal(v[0], 4);
    assert_int_equal(convert(i32, u16, NULL, 1, v, NULL), 0);
    assert_int_equal(*(uint16_t *)(void *)v, 4);
    struct ts_conv_user pattern = {.pers = H5T_PERS_DONTCARE, .name = "add one"};
    assert_int_equal(ts_conv_unregister(&pattern), 0);
    assert_int_equal(freed, 3);
    v[0] = 1;
    assert_int_equal(convert(i32, u32, NULL, 1, v, NULL), 0);
    assert_int_equal(v[0], 1);
    ts_type_unref(from);
    ts_type_unref(to);
    ts_type_unref(i32);
    ts_type_unref(u32);
    ts_type_unref(u16);
    ts_type_unref(odd);
}

/* Asks for the character set when the path is made, as h5py does. */
static herr_t tell_charset(hid_t src, hid_t dst, H5T_cdata_t *cdata, size_t n, size_t buf_stride, size_t bkg_stride,
                           void *buf, void *bkg, hid_t dxpl)
{
    (void)dst, (void)n, (void)buf_stride, (void)bkg_stride, (void)bkg, (void)dxpl;
    static H5T_cset_t seen[2] = {H5T_CSET_ASCII, H5T_CSET_UTF8};
    if (cdata->command == H5T_CONV_INIT)
        cdata->priv = &seen[H5Tget_cset(src) == H5T_CSET_UTF8];
    else if (cdata->command == H5T_CONV_CONV)
        *(uint8_t *)buf = (uint8_t) * (H5T_cset_t *)cdata->priv;
    return 0;
}

/* Variable-length strings are equal whatever their character set, but they are not converted alike. */
static void character_sets_have_paths_of_their_own(void **state)
{
    (void)state;
    hid_t ascii = H5Tcopy(H5T_C_S1), utf8 = H5Tcopy(H5T_C_S1), opaque = H5Tcreate(H5T_OPAQUE, 8);
    H5Tset_size(ascii, H5T_VARIABLE);
    H5Tset_size(utf8, H5T_VARIABLE);
    H5Tset_cset(utf8, H5T_CSET_UTF8);
    assert_int_equal(H5Tequal(ascii, utf8), 1);
    assert_int_equal(H5Tregister(H5T_PERS_SOFT, "charset", ascii, opaque, tell_charset), 0);
    for (int i = 0; i < 2; i++) {
        uint8_t buf[8] = {9};
        assert_int_equal(H5Tconvert(utf8, opaque, 1, buf, NULL, H5P_DEFAULT), 0);
        assert_int_equal(buf[0], H5T_CSET_UTF8);
        assert_int_equal(H5Tconvert(ascii, opaque, 1, buf, NULL, H5P_DEFAULT), 0);
        assert_int_equal(buf[0], H5T_CSET_ASCII);
    }
    assert_int_equal(H5Tunregister(H5T_PERS_SOFT, "charset", ascii, opaque, tell_charset), 0);
    H5Tclose(ascii);
    H5Tclose(utf8);
    H5Tclose(opaque);
}

static void revised_references_need_a_source(void **state)
{
    (void)state;
    struct ts_type *memory, *disk;
    assert_int_equal(ts_type_new_reference(H5R_OBJECT2, &memory), 0);
    disk = on_disk(ts_type_ref(memory));
    uint8_t buf[64] = {H5R_OBJECT2}, zeros[64] = {0};
    assert_int_equal(convert(disk, memory, NULL, 1, buf, NULL), -1);
    ts_err_clear();
    memset(buf, 0, ts_type_size(disk));
    memset(buf + ts_type_size(disk), 0xff, sizeof buf - ts_type_size(disk));
    assert_int_equal(convert(disk, memory, NULL, 1, buf, NULL), 0);
    assert_memory_equal(buf, zeros, ts_type_size(memory));
    ts_type_unref(memory);
    ts_type_unref(disk);
}

static int forget_paths(void **state)
{
    (void)state;
    ts_conv_close();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_pairs_agree_with_single_elements),
        cmocka_unit_test(values_are_clamped),
        cmocka_unit_test(callback_handles_and_aborts),
        cmocka_unit_test(compound_keeps_the_background),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(allocation_functions_of_the_application),
        cmocka_unit_test(hostile_sequences),
        cmocka_unit_test(sequences_to_disk),
        cmocka_unit_test(nested_sequences_to_disk),
        cmocka_unit_test(empty_and_absent_strings),
        cmocka_unit_test(short_references_are_widened),
        cmocka_unit_test(paths_are_shared_and_forgotten),
        cmocka_unit_test(registered_conversions_come_first),
        cmocka_unit_test(character_sets_have_paths_of_their_own),
        cmocka_unit_test(revised_references_need_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, forget_paths);
}
