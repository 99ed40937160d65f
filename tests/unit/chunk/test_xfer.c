/* Transfers in both directions against a model that moves one element after the other. */
#include "unit/cmocka_all.h"

#include <stdbool.h>

#include "base/alloc.h"
#include "chunk/xfer.h"
#include "type/type.h"

#define ELEMENTS 60000u

static uint64_t seed = 7;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* A store of bytes that counts its calls. */
struct bytes {
    uint8_t *data;
    size_t size, reads, writes;
};

static int read_bytes(void *ctx, const struct ts_io_vec *v, size_t n)
{
    struct bytes *b = ctx;
    for (size_t i = 0; i < n; i++) {
        assert_true(v[i].addr <= b->size && v[i].size <= b->size - v[i].addr);
        memcpy(v[i].buf, b->data + v[i].addr, v[i].size);
    }
    b->reads++;
    return 0;
}

static int write_bytes(void *ctx, const struct ts_io_out *v, size_t n)
{
    struct bytes *b = ctx;
    for (size_t i = 0; i < n; i++) {
        assert_true(v[i].addr <= b->size && v[i].size <= b->size - v[i].addr);
        memcpy(b->data + v[i].addr, v[i].buf, v[i].size);
    }
    b->writes++;
    return 0;
}

/* Pieces that may overlap in the store, never in memory. */
static size_t random_pieces(struct ts_piece *pieces, size_t most, bool overlap)
{
    hsize_t mem = 0, src = 0;
    size_t n = 0;
    while (n < most) {
        struct ts_piece p = {.n = 1 + random_below(random_below(8) ? 5 : 6000), .count = 1 + random_below(6)};
        p.src_step = p.n + random_below(40);
        p.mem_step = p.n + random_below(3);
        p.mem = mem;
        p.src = overlap ? random_below(ELEMENTS / 2) : src + random_below(100);
        mem += p.mem_step * p.count;
        src = p.src + p.src_step * p.count;
        if (mem > ELEMENTS || src > ELEMENTS)
            break;
        pieces[n++] = p;
    }
    return n;
}

/* In memory native ints, stored as they are or as shorts in the other byte order. */
static void put(uint8_t *store, size_t i, int value, bool convert)
{
    if (!convert)
        memcpy(store + 4 * i, &value, 4);
    else {
        store[2 * i] = (uint8_t)((unsigned)value >> 8);
        store[2 * i + 1] = (uint8_t)value;
    }
}

static int get(const uint8_t *store, size_t i, bool convert)
{
    int value;
    if (convert)
        return (int16_t)(uint16_t)(store[2 * i] << 8 | store[2 * i + 1]);
    memcpy(&value, store + 4 * i, 4);
    return value;
}

static void model(const struct ts_piece *p, uint8_t *store, int *mem, bool write, bool convert)
{
    for (hsize_t k = 0; k < p->count; k++)
        for (hsize_t i = 0; i < p->n; i++) {
            size_t s = (size_t)(p->src + k * p->src_step + i), m = (size_t)(p->mem + k * p->mem_step + i);
            if (write)
                put(store, s, mem[m], convert);
            else
                mem[m] = get(store, s, convert);
        }
}

struct how {
    bool write, convert, memory, overlap;
};

static struct ts_conv_path *find_path(const struct how *how)
{
    struct ts_type *mem, *stored;
    struct ts_conv_path *path;
    assert_int_equal(ts_type_new_integer(4, H5T_ORDER_LE, H5T_SGN_2, &mem), 0);
    assert_int_equal(ts_type_new_integer(2, H5T_ORDER_BE, H5T_SGN_2, &stored), 0);
    assert_int_equal(ts_conv_find(how->write ? mem : stored, how->write ? stored : mem, &path), 0);
    ts_type_unref(mem);
    ts_type_unref(stored);
    return path;
}

static void one_transfer(const struct how *how)
{
    size_t size = how->convert ? 2 : 4;
    struct ts_piece pieces[80];
    struct bytes real = {.size = size * ELEMENTS};
    real.data = malloc(real.size);
    uint8_t *store = malloc(real.size);
    int *mem = malloc(4 * ELEMENTS), *mem_model = malloc(4 * ELEMENTS);
    for (size_t i = 0; i < real.size; i++)
        store[i] = real.data[i] = (uint8_t)random_below(256);
    for (size_t i = 0; i < ELEMENTS; i++)
        mem[i] = mem_model[i] = (int)random_below(30000) - 15000;
    size_t n = random_pieces(pieces, 1 + random_below(80), how->overlap), done = 0;
    for (size_t i = 0; i < n; i++)
        model(&pieces[i], store, mem_model, how->write, how->convert);

    struct ts_conv_path *path = how->convert ? find_path(how) : NULL;
    struct ts_conv_env env = {0};
    struct ts_xfer x;
    struct ts_xfer_options o = {.write = how->write, .src_size = size, .mem_size = 4, .path = path, .env = &env,
                                .flat = true, .buffer_hint = 1 + random_below(4000)};
    struct ts_store s = {.readv = read_bytes, .writev = write_bytes, .ctx = &real};
    ts_xfer_init(&x, mem, &o);
    while (done < n) {
        size_t now = 1 + random_below((unsigned)(n - done));
        bool memory = how->memory && random_below(2);
        if (memory)
            assert_int_equal(ts_xfer_memory(&x, real.data, pieces + done, now), 0);
        else
            assert_int_equal(ts_xfer_file(&x, &s, 0, pieces + done, now), 0);
        done += now;
        /* Memory is written at once, so that what waits for the store must come before. */
        if (how->memory)
            assert_int_equal(ts_xfer_finish(&x), 0);
    }
    assert_int_equal(ts_xfer_finish(&x), 0);
    ts_xfer_deinit(&x);
    ts_conv_path_unref(path);
    assert_memory_equal(real.data, store, real.size);
    assert_memory_equal(mem, mem_model, 4 * ELEMENTS);
    free(real.data);
    free(store);
    free(mem);
    free(mem_model);
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        struct how how = {.write = i & 1, .convert = i & 2, .memory = i & 4, .overlap = i & 8};
        one_transfer(&how);
    }
}

/* Every other element of a long run is changed with few calls; dense ones without reading. */
static void test_calls(void **state)
{
    (void)state;
    struct bytes b = {.size = 4 * ELEMENTS, .data = calloc(4, ELEMENTS)};
    int *mem = malloc(4 * ELEMENTS);
    for (unsigned i = 0; i < ELEMENTS; i++)
        mem[i] = (int)i + 1;
    struct ts_xfer x;
    struct ts_xfer_options o = {.write = true, .src_size = 4, .mem_size = 4};
    struct ts_store s = {.readv = read_bytes, .writev = write_bytes, .ctx = &b};
    struct ts_piece strided = {.n = 1, .count = 1000, .src_step = 2, .mem_step = 1};
    struct ts_piece dense[3] = {{.src = 5000, .n = 10, .count = 1}, {.src = 5010, .mem = 50, .n = 10, .count = 1},
                                {.src = 5020, .mem = 20, .n = 10, .count = 1}};
    ts_xfer_init(&x, mem, &o);
    assert_int_equal(ts_xfer_file(&x, &s, 0, &strided, 1), 0);
    assert_int_equal(ts_xfer_finish(&x), 0);
    assert_int_equal(b.reads, 1);
    assert_int_equal(b.writes, 1);
    assert_int_equal(ts_xfer_file(&x, &s, 0, dense, 3), 0);
    assert_int_equal(ts_xfer_finish(&x), 0);
    assert_int_equal(b.reads, 1);
    assert_int_equal(b.writes, 2);
    ts_xfer_deinit(&x);
    assert_int_equal(get(b.data, 998, false), 500);
    assert_int_equal(get(b.data, 999, false), 0);
    assert_int_equal(get(b.data, 5019, false), 60);
    assert_int_equal(get(b.data, 5029, false), 30);
    free(b.data);
    free(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
