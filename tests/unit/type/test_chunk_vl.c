/* Variable-length elements and references in structured chunks, against a model that keeps the values in memory. */
#include "unit/cmocka_all.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "type/chunk_heap.h"
#include "type/conv.h"
#include "type/reclaim.h"
#include "type/type.h"

static uint32_t seed;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 8) * below >> 24);
}

/* Types. Each family is made twice: in memory with native numbers, for the file with short big-endian ones. */
static struct ts_type *number(bool file)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new_integer(file ? 2 : 4, file ? H5T_ORDER_BE : H5T_ORDER_LE, H5T_SGN_2, &t), 0);
    return t;
}

static struct ts_type *text(bool file)
{
    (void)file;
    struct ts_type *t;
    assert_int_equal(ts_type_new_string(H5T_VARIABLE, H5T_CSET_ASCII, H5T_STR_NULLTERM, &t), 0);
    return t;
}

static struct ts_type *reference(H5R_type_t kind)
{
    struct ts_type *t;
    assert_int_equal(ts_type_new_reference(kind, &t), 0);
    return t;
}

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

/* Members with gaps between them; in the file the first one stands last. */
static struct ts_type *compound(bool file, size_t n, struct ts_type **members)
{
    struct ts_type *t;
    size_t at = 0;
    assert_int_equal(ts_type_new(H5T_COMPOUND, 1024, &t), 0);
    for (size_t i = 0; i < n; i++) {
        size_t k = file ? (i + 1) % n : i;
        char name[2] = {(char)('a' + k), 0};
        assert_int_equal(ts_type_insert(t, name, at, members[k]), 0);
        at += members[k]->size + 3;
    }
    assert_int_equal(ts_type_set_size(t, at), 0);
    for (size_t i = 0; i < n; i++)
        ts_type_unref(members[i]);
    return t;
}

static struct ts_type *pair(bool file, struct ts_type *a, struct ts_type *b)
{
    return compound(file, 2, (struct ts_type *[]){a, b});
}

enum { N_FAMILIES = 16 };

static struct ts_type *family(unsigned i, bool file)
{
    switch (i) {
    case 0:
        return vlen(number(file));
    case 1:
        return text(file);
    case 2:
        return compound(file, 4, (struct ts_type *[]){number(file), vlen(number(file)), text(file), number(file)});
    case 3:
        return array(vlen(number(file)), 3);
    case 4:
        return vlen(pair(file, number(file), array(number(file), 2)));
    case 5:
        return vlen(vlen(number(file)));
    case 6:
        return vlen(vlen(text(file)));
    case 7:
        return pair(file, number(file), array(pair(file, text(file), vlen(text(file))), 2));
    case 8:
        return vlen(compound(file, 3, (struct ts_type *[]){text(file), vlen(number(file)), number(file)}));
    case 9:
        return pair(file, reference(H5R_OBJECT1), reference(H5R_DATASET_REGION1));
    case 10:
        return vlen(pair(file, reference(H5R_DATASET_REGION1), reference(H5R_OBJECT1)));
    case 11:
        return reference(H5R_DATASET_REGION2);
    case 12:
        return vlen(array(pair(file, reference(H5R_OBJECT2), text(file)), 2));
    case 13:
        return vlen(reference(H5R_OBJECT1));
    case 14:
        return vlen(array(vlen(array(vlen(number(file)), 2)), 2));
    default:
        return pair(file, number(file), number(file)); /* nothing refers to the heap */
    }
}

static struct ts_type *in_chunk(struct ts_type *t)
{
    const char *reason;
    assert_true(ts_type_set_loc(&t, TS_LOC_CHUNK, 8) >= 0);
    assert_true(ts_type_verify(t, &reason));
    return t;
}

/* Revised references of the test: the first byte is a length, so many follow. */
static long n_references;

static int encode_reference(void *ctx, const void *ref, struct ts_wr *segment)
{
    (void)ctx;
    const uint8_t *p = ref;
    ts_wr_bytes(segment, p, 1 + (size_t)p[0]);
    return segment->bad ? -1 : 0;
}

static int decode_reference(void *ctx, const uint8_t *segment, size_t size, void *ref)
{
    (void)ctx;
    if (size > sizeof(H5R_ref_t) || segment[0] + 1u != size)
        return TS_ERR(REFERENCE, CANTDECODE, "reference of %zu bytes", size);
    memset(ref, 0, sizeof(H5R_ref_t));
    memcpy(ref, segment, size);
    n_references++;
    return 0;
}

static void destroy_reference(void *ref)
{
    if (*(uint8_t *)ref != 0)
        n_references--;
    memset(ref, 0, sizeof(H5R_ref_t));
}

static const struct ts_vl_source source = {.decode_reference = decode_reference,
                                           .destroy_reference = destroy_reference};
static const struct ts_vl_sink sink = {.encode_reference = encode_reference};

static void make_value(const struct ts_type *t, uint8_t *at);

static void make_vlen(const struct ts_type *t, uint8_t *at)
{
    if (ts_type_is_vlen_string(t)) {
        static const char *const words[] = {NULL, "", "a", "word", "some more words than before"};
        const char *word = words[rnd(5)];
        char *s = word ? ts_strdup(word) : NULL;
        memcpy(at, &s, sizeof s);
        return;
    }
    hvl_t vl = {.len = rnd(5)};
    vl.p = vl.len ? ts_calloc(vl.len, t->base->size) : NULL;
    for (size_t i = 0; i < vl.len; i++)
        make_value(t->base, (uint8_t *)vl.p + i * t->base->size);
    memcpy(at, &vl, sizeof vl);
}

static void make_reference(const struct ts_type *t, uint8_t *at)
{
    if (rnd(4) == 0)
        return;
    if (t->u.ref.kind >= H5R_OBJECT2) {
        n_references++;
        at[0] = (uint8_t)(1 + rnd(20));
        memset(at + 1, (int)(1 + rnd(255)), at[0]);
    } else {
        for (size_t i = 0; i < t->size; i++)
            at[i] = (uint8_t)(1 + rnd(255));
    }
}

/* At at there are zeros. */
static void make_value(const struct ts_type *t, uint8_t *at)
{
    int32_t v = (int32_t)rnd(60000) - 30000;
    if (t->cls == H5T_INTEGER)
        memcpy(at, &v, sizeof v);
    else if (t->cls == H5T_VLEN)
        make_vlen(t, at);
    else if (t->cls == H5T_REFERENCE)
        make_reference(t, at);
    else if (t->cls == H5T_ARRAY)
        for (size_t i = 0; i < t->u.array.n_elements; i++)
            make_value(t->base, at + i * t->base->size);
    else
        for (size_t i = 0; i < t->u.compound.n; i++)
            make_value(t->u.compound.members[i].type, at + t->u.compound.members[i].offset);
}

static bool same_value(const struct ts_type *t, const uint8_t *a, const uint8_t *b);

static bool same_vlen(const struct ts_type *t, const uint8_t *a, const uint8_t *b)
{
    if (ts_type_is_vlen_string(t)) {
        const char *s, *u;
        memcpy(&s, a, sizeof s);
        memcpy(&u, b, sizeof u);
        return s && u ? strcmp(s, u) == 0 : s == u;
    }
    hvl_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    bool same = x.len == y.len && !x.p == !y.p;
    for (size_t i = 0; same && i < x.len; i++)
        same = same_value(t->base, (uint8_t *)x.p + i * t->base->size, (uint8_t *)y.p + i * t->base->size);
    return same;
}

static bool same_value(const struct ts_type *t, const uint8_t *a, const uint8_t *b)
{
    bool same = true;
    if (t->cls == H5T_VLEN)
        return same_vlen(t, a, b);
    if (t->cls != H5T_ARRAY && t->cls != H5T_COMPOUND)
        return memcmp(a, b, t->size) == 0;
    for (size_t i = 0; t->cls == H5T_ARRAY && same && i < t->u.array.n_elements; i++)
        same = same_value(t->base, a + i * t->base->size, b + i * t->base->size);
    for (size_t i = 0; t->cls == H5T_COMPOUND && same && i < t->u.compound.n; i++) {
        size_t at = t->u.compound.members[i].offset;
        same = same_value(t->u.compound.members[i].type, a + at, b + at);
    }
    return same;
}

/* A chunk of elements and its model. */
enum { N = 40 };

struct chunk {
    struct ts_type *mem, *file;
    struct ts_conv_path *in, *out;
    struct ts_chunk_heap heap;
    struct ts_conv_env env;
    uint8_t *fixed; /* N elements of the file's type */
    uint8_t *model; /* N elements in memory */
};

static const struct ts_reclaim how = {.destroy_reference = destroy_reference};

static void chunk_init(struct chunk *c, unsigned i)
{
    *c = (struct chunk){.mem = family(i, false), .file = in_chunk(family(i, true))};
    assert_int_equal(ts_conv_find(c->mem, c->file, &c->in), 0);
    assert_int_equal(ts_conv_find(c->file, c->mem, &c->out), 0);
    c->fixed = ts_calloc(N, c->file->size);
    c->model = ts_calloc(N, c->mem->size);
}

static void chunk_deinit(struct chunk *c)
{
    ts_reclaim(c->mem, &how, N, c->model);
    ts_chunk_heap_deinit(&c->heap);
    ts_free(c->fixed);
    ts_free(c->model);
    ts_conv_path_unref(c->in);
    ts_conv_path_unref(c->out);
    ts_type_unref(c->mem);
    ts_type_unref(c->file);
    ts_conv_close();
    assert_int_equal(n_references, 0);
}

static struct ts_conv_env *env_of(struct chunk *c)
{
    c->env = (struct ts_conv_env){.source = &source, .sink = &sink, .chunk = &c->heap};
    return &c->env;
}

static int add_size(void *ctx, uint8_t *field)
{
    *(size_t *)ctx += ts_chunk_field_get(field).size;
    return 0;
}

static int each(void *owner, ts_chunk_field_fn *fn, void *ctx)
{
    struct chunk *c = owner;
    return ts_chunk_fields(c->file, N, c->fixed, fn, ctx);
}

/* Every byte of the heap is live or counted as unused. */
static void check_heap(struct chunk *c)
{
    const char *reason = NULL;
    size_t live = 0;
    if (!ts_chunk_heap_verify(&c->heap, &reason))
        fail_msg("%s", reason);
    assert_int_equal(each(c, add_size, &live), 0);
    assert_int_equal(c->heap.size ? c->heap.size - TS_CHUNK_HEAP_HEADER : 0, live + c->heap.unused);
}

static uint8_t *read_all(struct chunk *c)
{
    uint8_t *got = ts_calloc(N, c->mem->size);
    assert_int_equal(ts_conv_copy(c->out, env_of(c), N, c->fixed, got), 0);
    return got;
}

static void check_values(struct chunk *c)
{
    uint8_t *got = read_all(c);
    for (size_t i = 0; i < N; i++)
        assert_true(same_value(c->mem, got + i * c->mem->size, c->model + i * c->mem->size));
    ts_reclaim(c->mem, &how, N, got);
    ts_free(got);
}

static void make_values(struct chunk *c, size_t n, uint8_t *values)
{
    for (size_t i = 0; i < n; i++)
        make_value(c->mem, values + i * c->mem->size);
}

/* Elements go to the chunk from buffer to buffer, or packed in place with a background. */
static int put_values(struct chunk *c, size_t first, size_t n, const uint8_t *values, bool in_place)
{
    uint8_t *dst = c->fixed + first * c->file->size;
    if (!in_place)
        return ts_conv_copy(c->in, env_of(c), n, values, dst);
    size_t larger = c->mem->size > c->file->size ? c->mem->size : c->file->size;
    uint8_t *buf = malloc(n * larger);
    memcpy(buf, values, n * c->mem->size);
    int r = ts_conv_run(c->in, env_of(c), n, buf, dst);
    if (r == 0)
        memcpy(dst, buf, n * c->file->size);
    free(buf);
    return r;
}

static void take_over(struct chunk *c, size_t first, size_t n, uint8_t *values)
{
    uint8_t *model = c->model + first * c->mem->size;
    ts_reclaim(c->mem, &how, n, model);
    memcpy(model, values, n * c->mem->size);
    ts_free(values);
}

static void overwrite(struct chunk *c, size_t first, size_t n)
{
    uint8_t *values = ts_calloc(n, c->mem->size);
    make_values(c, n, values);
    assert_int_equal(put_values(c, first, n, values, rnd(2)), 0);
    take_over(c, first, n, values);
}

static void erase(struct chunk *c, size_t first, size_t n)
{
    ts_chunk_heap_erase(&c->heap, c->file, n, c->fixed + first * c->file->size);
    memset(c->fixed + first * c->file->size, 0, n * c->file->size);
    ts_reclaim(c->mem, &how, n, c->model + first * c->mem->size);
    memset(c->model + first * c->mem->size, 0, n * c->mem->size);
}

static void reload(struct chunk *c)
{
    struct ts_chunk_heap again;
    assert_int_equal(ts_chunk_heap_decode(c->heap.bytes, c->heap.size, &again), 0);
    assert_int_equal(again.unused, c->heap.unused);
    ts_chunk_heap_deinit(&c->heap);
    c->heap = again;
}

static void values_come_back_whatever_is_overwritten(void **state)
{
    (void)state;
    for (unsigned f = 0; f < N_FAMILIES; f++) {
        struct chunk c;
        unsigned repacked = 0;
        seed = f + 1;
        chunk_init(&c, f);
        for (unsigned step = 0; step < 300; step++) {
            size_t first = rnd(N), n = 1 + rnd(rnd(8) ? 3 : (uint32_t)(N - first));
            n = n < N - first ? n : N - first;
            if (rnd(4) == 0)
                erase(&c, first, n);
            else
                overwrite(&c, first, n);
            check_heap(&c);
            if (rnd(3) == 0)
                check_values(&c);
            if (ts_chunk_heap_wants_repack(&c.heap) && rnd(4) == 0) {
                assert_int_equal(ts_chunk_heap_repack(&c.heap, each, &c), 0);
                assert_int_equal(c.heap.unused, 0);
                repacked++;
            }
            if (rnd(20) == 0)
                reload(&c);
            if (rnd(20) == 0) {
                ts_chunk_heap_condense(&c.heap);
                assert_int_equal(ts_chunk_heap_alloc(&c.heap), c.heap.size);
            }
            check_heap(&c);
        }
        check_values(&c);
        assert_true(f == N_FAMILIES - 1 || repacked > 0);
        erase(&c, 0, N);
        assert_int_equal(c.heap.size, ts_type_has_chunk_fields(c.file) && c.heap.unused ? c.heap.size : 0);
        assert_int_equal(ts_chunk_heap_repack(&c.heap, each, &c), 0);
        assert_int_equal(c.heap.size, 0);
        chunk_deinit(&c);
    }
}

/* A member that the memory type lacks keeps its segment. */
static void other_members_stay(void **state)
{
    (void)state;
    struct chunk c;
    seed = 5;
    chunk_init(&c, 2);
    overwrite(&c, 0, N);
    struct ts_type *part, *numbers = vlen(number(false));
    struct ts_conv_path *path;
    assert_int_equal(ts_type_new(H5T_COMPOUND, sizeof(hvl_t), &part), 0);
    assert_int_equal(ts_type_insert(part, "b", 0, numbers), 0);
    assert_int_equal(ts_conv_find(part, c.file, &path), 0);
    assert_true(ts_conv_needs_background(path));
    int32_t seven[] = {7, 77};
    hvl_t one = {2, seven};
    for (size_t i = 0; i < N; i += 3)
        assert_int_equal(ts_conv_copy(path, env_of(&c), 1, &one, c.fixed + i * c.file->size), 0);
    check_heap(&c);
    const struct ts_member *b = &c.mem->u.compound.members[1];
    for (size_t i = 0; i < N; i += 3) {
        uint8_t *at = c.model + i * c.mem->size + b->offset;
        ts_reclaim(b->type, &how, 1, at);
        hvl_t copy = {2, ts_memdup(seven, sizeof seven)};
        memcpy(at, &copy, sizeof copy);
    }
    check_values(&c);
    ts_conv_path_unref(path);
    ts_type_unref(numbers);
    ts_type_unref(part);
    chunk_deinit(&c);
}

static void the_bytes_of_nested_sequences(void **state)
{
    (void)state;
    struct ts_type *mem = vlen(vlen(number(false))), *file = in_chunk(vlen(vlen(number(true))));
    struct ts_type *memory_text = text(false), *file_text = in_chunk(text(true));
    struct ts_conv_path *path, *text_path;
    struct ts_chunk_heap heap = {0};
    struct ts_conv_env env = {.chunk = &heap};
    uint8_t field[16] = {0}, fields[48] = {0};
    int32_t numbers[] = {1, -2, 0x304};
    hvl_t inner[] = {{2, numbers}, {0, NULL}, {1, numbers + 2}}, outer = {3, inner};
    assert_int_equal(ts_conv_find(mem, file, &path), 0);
    assert_int_equal(ts_conv_copy(path, &env, 1, &outer, field), 0);
    static const uint8_t segment[] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xfe, 0, 0, 0, 0, 0,
                                      0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,    3,    4};
    static const uint8_t want[16] = {4, 0, 0, 0, 0, 0, 0, 0, sizeof segment};
    assert_memory_equal(field, want, 16);
    assert_int_equal(heap.size, 4 + sizeof segment);
    assert_memory_equal(heap.bytes, "\0\0\0", 4);
    assert_memory_equal(heap.bytes + 4, segment, sizeof segment);

    const char *words[] = {"ab", "", NULL};
    assert_int_equal(ts_conv_find(memory_text, file_text, &text_path), 0);
    assert_int_equal(ts_conv_copy(text_path, &env, 3, words, fields), 0);
    assert_int_equal(ts_chunk_field_get(fields).size, 2);
    assert_int_equal(ts_chunk_field_get(fields + 16).size, 1);
    assert_int_equal(ts_chunk_field_get(fields + 32).size, 0);
    assert_int_equal(ts_chunk_field_get(fields + 32).offset, 0);
    assert_memory_equal(heap.bytes + 4 + sizeof segment, "ab\0", 3);

    ts_chunk_heap_remove(&heap, 4, sizeof segment);
    assert_int_equal(heap.bytes[0], sizeof segment);
    ts_conv_path_unref(path);
    ts_conv_path_unref(text_path);
    ts_type_unref(mem);
    ts_type_unref(file);
    ts_type_unref(memory_text);
    ts_type_unref(file_text);
    ts_chunk_heap_deinit(&heap);
    ts_conv_close();
}

static void sizes_do_not_depend_on_the_file(void **state)
{
    (void)state;
    for (unsigned addr_size = 4; addr_size <= 8; addr_size += 4) {
        struct ts_type *members[] = {reference(H5R_OBJECT1), text(false), reference(H5R_DATASET_REGION1),
                                     reference(H5R_ATTR)};
        struct ts_type *t = compound(false, 4, members);
        assert_int_equal(ts_type_set_loc(&t, TS_LOC_DISK, addr_size), 1);
        size_t on_disk = t->size;
        assert_int_equal(ts_type_set_loc(&t, TS_LOC_CHUNK, addr_size), 1);
        assert_int_equal(t->size, addr_size + 3 * 16 + 4 * 3);
        assert_int_equal(t->u.compound.members[1].offset, addr_size + 3);
        assert_int_equal(t->u.compound.members[3].offset, addr_size + 2 * 16 + 3 * 3);
        assert_int_equal(ts_type_set_loc(&t, TS_LOC_CHUNK, addr_size), 0);
        assert_int_equal(ts_type_set_loc(&t, TS_LOC_DISK, addr_size), 1);
        assert_int_equal(t->size, on_disk);
        assert_true(ts_type_has_chunk_fields(t));
        ts_type_unref(t);
    }
    struct ts_type *plain = array(reference(H5R_OBJECT1), 2);
    assert_false(ts_type_has_chunk_fields(plain));
    ts_type_unref(plain);
}

static int read_object(void *ctx, const uint8_t *id, void **data, size_t *size)
{
    (void)id;
    *size = 4;
    *data = ts_memdup(ctx, 4);
    return *data ? 0 : -1;
}

/* A fill value comes from the file's own heap. */
static void from_disk_to_chunk(void **state)
{
    (void)state;
    struct ts_type *disk = vlen(number(true)), *file = in_chunk(vlen(number(true)));
    struct ts_conv_path *path;
    struct ts_chunk_heap heap = {0};
    uint8_t object[] = {0, 5, 0, 6}, field[16] = {0}, id[16] = {2, 0, 0, 0, 9};
    struct ts_vl_source from = {.read = read_object, .ctx = object};
    struct ts_conv_env env = {.chunk = &heap, .source = &from};
    assert_int_equal(ts_type_set_loc(&disk, TS_LOC_DISK, 8), 1);
    assert_int_equal(ts_conv_find(disk, file, &path), 0);
    assert_int_equal(ts_conv_copy(path, &env, 1, id, field), 0);
    assert_int_equal(heap.size, 8);
    assert_memory_equal(heap.bytes + 4, object, 4);
    ts_conv_path_unref(path);
    assert_true(ts_conv_find(file, file, &path) < 0);
    ts_type_unref(disk);
    ts_type_unref(file);
    ts_chunk_heap_deinit(&heap);
    ts_conv_close();
}

static void gaps_are_used_again(void **state)
{
    (void)state;
    struct ts_chunk_heap h = {0};
    const char *reason;
    uint64_t at[100], again;
    for (size_t i = 0; i < 100; i++)
        memset(ts_chunk_heap_reserve(&h, 10 + i % 3, &at[i]), (int)i, 10 + i % 3);
    size_t size = h.size;
    for (size_t i = 0; i < 100; i += 2)
        ts_chunk_heap_remove(&h, at[i], 10 + i % 3);
    assert_true(ts_chunk_heap_verify(&h, &reason));
    assert_int_equal(h.n_gaps, TS_CHUNK_GAPS);
    /* The same ones twice, parts of them, and what is outside. */
    size_t unused = h.unused;
    ts_chunk_heap_remove(&h, h.gaps[3].offset, h.gaps[3].size);
    ts_chunk_heap_remove(&h, h.gaps[3].offset + 2, 3);
    ts_chunk_heap_remove(&h, h.gaps[3].offset - 1, 3);
    ts_chunk_heap_remove(&h, 0, 8);
    ts_chunk_heap_remove(&h, 3, 8);
    ts_chunk_heap_remove(&h, size, 1);
    ts_chunk_heap_remove(&h, 8, UINT64_MAX);
    ts_chunk_heap_remove(&h, UINT64_MAX, 2);
    assert_int_equal(h.unused, unused);
    uint64_t first_11 = 0;
    for (size_t i = 0; i < h.n_gaps && !first_11; i++)
        if (h.gaps[i].size == 11)
            first_11 = h.gaps[i].offset;
    assert_non_null(ts_chunk_heap_reserve(&h, 11, &again));
    assert_int_equal(again, first_11);
    assert_non_null(ts_chunk_heap_reserve(&h, 4, &again));
    assert_int_equal(h.size, size);
    assert_int_equal(h.unused, unused - 15);
    for (size_t i = 1; i < 100; i += 2)
        assert_int_equal(*ts_chunk_heap_get(&h, at[i], 10 + i % 3), i);
    /* Neighbours become one gap, and at the end none. */
    ts_chunk_heap_remove(&h, at[99], 10);
    assert_true(h.size <= at[99]);
    assert_true(ts_chunk_heap_verify(&h, &reason));
    assert_null(ts_chunk_heap_get(&h, at[99], 10));
    assert_null(ts_chunk_heap_get(&h, 3, 1));
    assert_null(ts_chunk_heap_get(&h, 4, h.size - 3));
    assert_non_null(ts_chunk_heap_get(&h, 4, h.size - 4));
    assert_null(ts_chunk_heap_get(&h, UINT64_MAX - 1, 4));
    ts_chunk_heap_deinit(&h);
    ts_err_clear();
}

static void sections_are_checked(void **state)
{
    (void)state;
    struct ts_chunk_heap h;
    const char *reason;
    assert_int_equal(ts_chunk_heap_decode(NULL, 0, &h), 0);
    assert_int_equal(h.size, 0);
    assert_true(ts_chunk_heap_decode("\0\0\0", 3, &h) < 0);
    assert_true(ts_chunk_heap_decode("\3\0\0\0ab", 6, &h) < 0);
    assert_int_equal(ts_chunk_heap_decode("\2\0\0\0ab", 6, &h), 0);
    assert_true(ts_chunk_heap_verify(&h, &reason));
    assert_int_equal(h.unused, 2);
    assert_true(ts_chunk_heap_wants_repack(&h));
    h.bytes[0] = 1;
    assert_false(ts_chunk_heap_verify(&h, &reason));
    ts_chunk_heap_deinit(&h);
    assert_int_equal(ts_chunk_heap_decode("\xff\xff\xff\xff" "abc", 7, &h), 0);
    assert_int_equal(h.unused, 3);
    ts_chunk_heap_deinit(&h);
    assert_int_equal(ts_chunk_heap_decode("\0\0\0\0", 4, &h), 0);
    assert_true(ts_chunk_heap_verify(&h, &reason));
    ts_chunk_heap_deinit(&h);
    ts_err_clear();
}

static void segments_that_overlap_stay_where_they_are(void **state)
{
    (void)state;
    struct chunk c;
    seed = 3;
    chunk_init(&c, 0);
    overwrite(&c, 0, N);
    uint8_t *before = ts_memdup(c.fixed, N * 16);
    struct ts_chunk_segment s = {0};
    for (size_t i = 0; i < N && s.size == 0; i++)
        s = ts_chunk_field_get(c.fixed + i * 16);
    static const struct ts_chunk_segment bad[] = {{0, 1}, {2, 2}, {4, UINT64_MAX}, {1 << 20, 2}, {UINT64_MAX, 2}};
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        const struct ts_chunk_segment *b = i ? &bad[i - 1] : &s;
        uint8_t *got = ts_calloc(N, c.mem->size);
        memcpy(c.fixed, before, N * 16);
        memmove(c.fixed + 16 * (N - 1), c.fixed + 16 * (N - 2), 16);
        ts_chunk_field_put(c.fixed + 16 * (N - 1), b->offset, b->size);
        size_t size = c.heap.size;
        assert_true(ts_chunk_heap_repack(&c.heap, each, &c) < 0);
        assert_int_equal(c.heap.size, size);
        assert_memory_equal(c.fixed, before, 16 * (N - 1));
        assert_int_equal(ts_conv_copy(c.out, env_of(&c), N, c.fixed, got), i ? -1 : 0);
        ts_reclaim(c.mem, &how, i ? 0 : N, got);
        ts_free(got);
    }
    ts_free(before);
    ts_err_clear();
    chunk_deinit(&c);
}

static void segments_have_the_right_sizes(void **state)
{
    (void)state;
    struct chunk c;
    hvl_t vl;
    hdset_reg_ref_t region;
    seed = 11;
    chunk_init(&c, 0);
    uint64_t at;
    memset(ts_chunk_heap_reserve(&c.heap, 40, &at), 1, 40);
    ts_chunk_field_put(c.fixed, at, 3);
    assert_true(ts_conv_copy(c.out, env_of(&c), 1, c.fixed, &vl) < 0);
    struct ts_type *mem = reference(H5R_DATASET_REGION1), *file = in_chunk(ts_type_ref(mem));
    struct ts_conv_path *path;
    assert_int_equal(ts_conv_find(file, mem, &path), 0);
    for (uint64_t size = 1; size < 20; size++) {
        ts_chunk_field_put(c.fixed, at, size);
        assert_int_equal(ts_conv_copy(path, env_of(&c), 1, c.fixed, &region), size == sizeof region ? 0 : -1);
    }
    memset(c.fixed, 0, 16);
    ts_conv_path_unref(path);
    ts_type_unref(mem);
    ts_type_unref(file);
    ts_err_clear();
    chunk_deinit(&c);
}

/* An element claims what was not in the heap when it was overwritten, but is by now. */
static void new_segments_are_safe_from_old_elements(void **state)
{
    (void)state;
    struct chunk c;
    seed = 12;
    chunk_init(&c, 1);
    const char *words[] = {"first", "next"};
    char *got[2];
    ts_chunk_field_put(c.fixed + 16, 4, 5);
    assert_int_equal(ts_conv_copy(c.in, env_of(&c), 2, words, c.fixed), 0);
    assert_int_equal(c.heap.unused, 0);
    assert_int_equal(ts_conv_copy(c.out, env_of(&c), 2, c.fixed, got), 0);
    assert_string_equal(got[0], "first");
    ts_reclaim(c.mem, &how, 2, got);
    chunk_deinit(&c);
}

/* Whatever elements and heap hold, nothing bad happens; a failed read leaves nothing behind. */
static void lies_are_found_out(void **state)
{
    (void)state;
    unsigned good = 0, bad = 0;
    for (unsigned f = 0; f < N_FAMILIES; f++)
        for (unsigned round = 0; round < 60; round++) {
            struct chunk c;
            const char *reason;
            seed = 1000 * f + round;
            chunk_init(&c, f);
            overwrite(&c, 0, N);
            for (unsigned k = rnd(4) + 1; k > 0; k--) {
                uint8_t lie = rnd(3) == 0 ? 0xff : (uint8_t)rnd(256);
                if (rnd(2) || c.heap.size == 0)
                    c.fixed[rnd((uint32_t)(N * c.file->size))] = lie;
                else
                    c.heap.bytes[4 + rnd((uint32_t)c.heap.size - 4)] = lie;
            }
            uint8_t *got = ts_calloc(N, c.mem->size);
            if (ts_conv_copy(c.out, env_of(&c), N, c.fixed, got) < 0)
                bad++;
            else {
                good++;
                ts_reclaim(c.mem, &how, N, got);
            }
            ts_free(got);
            overwrite(&c, rnd(N / 2), N / 4);
            assert_true(ts_chunk_heap_verify(&c.heap, &reason));
            erase(&c, rnd(N / 2), N / 4);
            assert_true(ts_chunk_heap_verify(&c.heap, &reason));
            ts_chunk_heap_repack(&c.heap, each, &c);
            assert_true(ts_chunk_heap_verify(&c.heap, &reason));
            chunk_deinit(&c);
            ts_err_clear();
        }
    assert_true(good > 100 && bad > 100);
}

/* What was freed is overwritten. */
static void fill_gaps(struct ts_chunk_heap *h)
{
    uint64_t at;
    while (h->n_gaps > 0) {
        size_t n = h->gaps[0].size;
        memset(ts_chunk_heap_reserve(h, n, &at), 0xaa, n);
    }
}

/* Of one field a whole element is. */
static void check_old_or_new(struct chunk *c, const uint8_t *values)
{
    uint8_t *got = read_all(c);
    for (size_t i = 0; i < N && (c->mem->cls == H5T_VLEN || c->mem->cls == H5T_REFERENCE); i++) {
        size_t at = i * c->mem->size;
        assert_true(same_value(c->mem, got + at, c->model + at) || same_value(c->mem, got + at, values + at));
    }
    ts_reclaim(c->mem, &how, N, got);
    ts_free(got);
}

/* Each allocation fails in turn. An element is what it was or what it should become, and both can be read. */
static void memory_fails(void **state)
{
    (void)state;
    for (unsigned f = 0; f < N_FAMILIES - 1; f++)
        for (int in_place = 0; in_place < 2; in_place++) {
            struct chunk c;
            seed = f + 77;
            chunk_init(&c, f);
            overwrite(&c, 0, N);
            uint8_t *values = ts_calloc(N, c.mem->size);
            make_values(&c, N, values);
            int r = -1;
            for (unsigned long at = 1; r < 0; at += 1 + at / 16) {
                size_t size = c.heap.size;
                ts_alloc_fail_at(at, TS_FAULT_ONCE);
                r = put_values(&c, 0, N, values, in_place);
                ts_alloc_fail_at(0, TS_FAULT_ONCE);
                if (r == 0)
                    break;
                fill_gaps(&c.heap);
                assert_true(c.heap.ragged ? ts_chunk_heap_wants_repack(&c.heap) : c.heap.size == size);
                if (in_place) {
                    check_values(&c);
                } else {
                    check_old_or_new(&c, values);
                }
                ts_alloc_fail_at(1 + at % 4, TS_FAULT_ONCE);
                int repacked = ts_chunk_heap_repack(&c.heap, each, &c);
                ts_alloc_fail_at(0, TS_FAULT_ONCE);
                if (repacked < 0)
                    assert_int_equal(ts_chunk_heap_repack(&c.heap, each, &c), 0);
                check_heap(&c);
                assert_int_equal(c.heap.unused, 0);
            }
            ts_err_clear();
            take_over(&c, 0, N, values);
            check_values(&c);
            for (unsigned long at = 1;; at += 1 + at / 16) {
                uint8_t *got = ts_calloc(N, c.mem->size);
                ts_alloc_fail_at(at, TS_FAULT_ONCE);
                r = ts_conv_copy(c.out, env_of(&c), N, c.fixed, got);
                ts_alloc_fail_at(0, TS_FAULT_ONCE);
                if (r == 0)
                    ts_reclaim(c.mem, &how, N, got);
                ts_free(got);
                if (r == 0)
                    break;
            }
            ts_err_clear();
            assert_false(c.heap.ragged);
            chunk_deinit(&c);
        }
}

/* As a list of points may ask for: the old segment goes once. */
static void an_element_twice_in_a_run(void **state)
{
    (void)state;
    struct chunk c;
    seed = 4;
    chunk_init(&c, 1);
    const char *words[] = {"first", "next"}, *both[] = {"x", "last"};
    uint8_t buf[2 * 16];
    assert_int_equal(ts_conv_copy(c.in, env_of(&c), 2, words, c.fixed), 0);
    /* All gaps that it keeps are larger. */
    uint64_t at[2 * TS_CHUNK_GAPS + 1];
    for (size_t i = 0; i < 2 * TS_CHUNK_GAPS + 1; i++)
        ts_chunk_heap_reserve(&c.heap, 20, &at[i]);
    for (size_t i = 1; i < 2 * TS_CHUNK_GAPS; i += 2)
        ts_chunk_heap_remove(&c.heap, at[i], 20);
    size_t unused = c.heap.unused;
    uint8_t background[2 * 16];
    memcpy(background, c.fixed, 16);
    memcpy(background + 16, c.fixed, 16);
    memcpy(buf, both, sizeof both);
    assert_int_equal(ts_conv_run(c.in, env_of(&c), 2, buf, background), 0);
    memcpy(c.fixed, buf + 16, 16);
    assert_int_equal(c.heap.unused, unused - 1 - 4 + 5);
    char *got[2];
    assert_int_equal(ts_conv_copy(c.out, env_of(&c), 2, c.fixed, got), 0);
    assert_string_equal(got[0], "last");
    assert_string_equal(got[1], "next");
    ts_reclaim(c.mem, &how, 2, got);
    chunk_deinit(&c);
}

static int make_up_fields(H5T_conv_t func, const struct ts_conv_call *call)
{
    (void)func;
    if (call->cdata->command == H5T_CONV_CONV)
        memset(call->buf, 0x11, call->n * TS_TYPE_CHUNK_FIELD);
    return 0;
}

/* A function of the application knows nothing of heaps. */
static void fields_that_the_application_makes_up(void **state)
{
    (void)state;
    struct ts_type *mem = text(false), *file = in_chunk(text(true));
    struct ts_type *mems = vlen(ts_type_ref(mem)), *files = in_chunk(vlen(text(true)));
    struct ts_conv_user user = {H5T_PERS_HARD, "made up", mem, file, NULL, make_up_fields};
    struct ts_chunk_heap heap = {0};
    struct ts_conv_env env = {.chunk = &heap};
    struct ts_conv_path *path;
    const char *word = "word";
    hvl_t vl = {1, &word};
    uint8_t field[16] = {0}, zeros[16] = {0};
    assert_int_equal(ts_conv_register(&user), 0);
    assert_int_equal(ts_conv_find(mems, files, &path), 0);
    assert_true(ts_conv_copy(path, &env, 1, &vl, field) < 0);
    assert_memory_equal(field, zeros, 16);
    ts_conv_path_unref(path);
    ts_conv_close();
    ts_type_unref(mem);
    ts_type_unref(file);
    ts_type_unref(mems);
    ts_type_unref(files);
    ts_chunk_heap_deinit(&heap);
    ts_err_clear();
}

static void a_heap_is_needed(void **state)
{
    (void)state;
    struct chunk c;
    seed = 9;
    chunk_init(&c, 0);
    int32_t one = 1;
    hvl_t vl = {1, &one}, none = {0, NULL};
    uint8_t zeros[16] = {0};
    struct ts_conv_env env = {0};
    assert_int_equal(ts_conv_copy(c.in, &env, 1, &none, c.fixed), 0);
    assert_memory_equal(c.fixed, zeros, 16);
    assert_true(ts_conv_copy(c.in, &env, 1, &vl, c.fixed) < 0);
    assert_memory_equal(c.fixed, zeros, 16);
    ts_chunk_field_put(c.fixed, 4, 2);
    assert_true(ts_conv_copy(c.out, &env, 1, c.fixed, &vl) < 0);
    assert_true(ts_conv_copy(c.in, &env, 1, &none, c.fixed) < 0);
    memset(c.fixed, 0, 16);
    ts_err_clear();
    chunk_deinit(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_whatever_is_overwritten),
        cmocka_unit_test(other_members_stay),
        cmocka_unit_test(the_bytes_of_nested_sequences),
        cmocka_unit_test(sizes_do_not_depend_on_the_file),
        cmocka_unit_test(from_disk_to_chunk),
        cmocka_unit_test(gaps_are_used_again),
        cmocka_unit_test(sections_are_checked),
        cmocka_unit_test(segments_that_overlap_stay_where_they_are),
        cmocka_unit_test(segments_have_the_right_sizes),
        cmocka_unit_test(new_segments_are_safe_from_old_elements),
        cmocka_unit_test(lies_are_found_out),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(an_element_twice_in_a_run),
        cmocka_unit_test(fields_that_the_application_makes_up),
        cmocka_unit_test(a_heap_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
