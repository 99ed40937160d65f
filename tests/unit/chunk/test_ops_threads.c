/* What the operations of the shared chunk cache promise beside right values: how many calls they take, what workers do, and
 * selections that are too large for one batch. */
#include "unit/cmocka_all.h"

#include <sched.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/chunks.h"
#include "unit/chunk/toy.h"

static struct toy_file file;
static struct toy toy;

static void open_toy(enum toy_kind kind, unsigned rank, const hsize_t *dims, const hsize_t *chunk, size_t size)
{
    struct toy_options o = {.kind = kind, .rank = rank, .element_size = size, .fill = {7}};
    memcpy(o.dims, dims, rank * sizeof *dims);
    memcpy(o.chunk, chunk, rank * sizeof *chunk);
    toy_file_open(&file);
    toy_open(&toy, &file, &o);
}

static void open_line(enum toy_kind kind, hsize_t n, hsize_t chunk, size_t size)
{
    open_toy(kind, 1, &n, &chunk, size);
}

static void close_toy(void)
{
    const char *reason = "";
    if (!ts_sc_verify(toy.sc.cache, &reason))
        fail_msg("%s", reason);
    toy_close(&toy);
    toy_file_close(&file);
}

static void configure(size_t budget, unsigned threads, unsigned read_ahead)
{
    H5F_shared_chunk_cache_t s;
    toy_settings(&file, budget, threads);
    assert_int_equal(ts_sc_settings(file.f, &s), 0);
    s.read_ahead = read_ahead;
    assert_int_equal(toy_configure(&file, &s), 0);
}

static struct ts_space *line(hsize_t start, hsize_t count, hsize_t stride)
{
    struct ts_space *s;
    assert_int_equal(ts_space_new_simple(1, toy.sc.dims, NULL, &s), 0);
    assert_int_equal(ts_space_select_hyperslab(s, H5S_SELECT_SET, &start, &stride, &count, NULL), 0);
    return s;
}

static int move(hsize_t start, hsize_t count, hsize_t stride, void *buf, bool write)
{
    struct ts_space *s = line(start, count, stride);
    struct toy_part p = {.toy = &toy, .file = s, .buf = buf};
    int status = toy_transfer(&p, 1, write);
    ts_space_unref(s);
    return status;
}

static H5F_chunk_cache_stats_t stats(void)
{
    H5F_chunk_cache_stats_t s;
    assert_int_equal(ts_sc_stats(file.f, &s), 0);
    return s;
}

static void reset(void)
{
    assert_int_equal(ts_sc_reset_stats(file.f), 0);
    toy_reset_calls(&toy);
}

/* n elements of 2 bytes, each with the number of its place, on file and not in memory. */
static void fill_and_forget(hsize_t n)
{
    uint16_t *buf = malloc((size_t)n * sizeof *buf);
    for (hsize_t i = 0; i < n; i++)
        buf[i] = (uint16_t)(i * 3 + i / 256);
    assert_int_equal(move(0, n, 1, buf, true), 0);
    assert_int_equal(toy_flush(&toy, true), 0);
    free(buf);
    reset();
}

static void check_values(const uint16_t *buf, hsize_t start, hsize_t n, hsize_t stride)
{
    for (hsize_t i = 0; i < n; i++) {
        hsize_t at = start + i * stride;
        assert_int_equal(buf[i], (uint16_t)(at * 3 + at / 256));
    }
}

static void wait_for_jobs(void)
{
    struct ts_sc *cache = toy.sc.cache;
    ts_mutex_lock(&cache->lock);
    while (cache->jobs > 0)
        ts_cond_wait(&cache->changed, &cache->lock);
    ts_mutex_unlock(&cache->lock);
}

static void test_one_read_for_many(void **state)
{
    (void)state;
    uint16_t buf[32 * 64];
    for (int kind = TOY_PLAIN; kind <= TOY_CODED; kind++) {
        open_line(kind, 32 * 64, 64, 2);
        configure(1 << 20, 0, 0);
        fill_and_forget(32 * 64);
        assert_int_equal(move(0, 32 * 64, 1, buf, false), 0);
        check_values(buf, 0, 32 * 64, 1);
        assert_int_equal(stats().read_calls, 1);
        assert_int_equal(toy_calls(&toy, TOY_LOOKUP), 1);
        assert_int_equal(stats().loads, kind == TOY_CODED ? 32 : 0);
        assert_int_equal(stats().bypasses, kind == TOY_PLAIN ? 32 : 0);
        assert_int_equal(stats().misses, 32);
        close_toy();
    }
}

/* A little of each chunk brings them into memory, where the next finds them. */
static void test_small_parts_are_kept(void **state)
{
    (void)state;
    uint16_t buf[32];
    for (int kind = TOY_PLAIN; kind <= TOY_CODED; kind++) {
        open_line(kind, 32 * 64, 64, 2);
        configure(1 << 20, 0, 0);
        fill_and_forget(32 * 64);
        for (hsize_t k = 0; k < 4; k++) {
            assert_int_equal(move(k, 32, 64, buf, false), 0);
            check_values(buf, k, 32, 64);
        }
        assert_int_equal(stats().loads, 32);
        assert_int_equal(stats().hits, 3 * 32);
        assert_int_equal(stats().read_calls, 1);
        assert_int_equal(stats().bypasses, 0);
        close_toy();
    }
}

static void test_elements_of_dirty_chunks(void **state)
{
    (void)state;
    uint16_t buf[32 * 64], one = 9999;
    open_line(TOY_PLAIN, 32 * 64, 64, 2);
    configure(1 << 20, 0, 0);
    fill_and_forget(32 * 64);
    assert_int_equal(move(100, 1, 1, &one, true), 0);
    assert_int_equal(stats().dirty_chunks, 1);
    assert_int_equal(move(0, 32 * 64, 1, buf, false), 0);
    assert_int_equal(buf[100], 9999);
    check_values(buf, 0, 100, 1);
    check_values(buf + 101, 101, 32 * 64 - 101, 1);
    assert_int_equal(stats().dirty_chunks, 1);
    close_toy();
}

static void test_workers(void **state)
{
    (void)state;
    enum { CHUNK = 8 << 10, CHUNKS = 8, N = CHUNK * CHUNKS };
    uint16_t *buf = malloc(N * sizeof *buf);
    int *wide = malloc(N * sizeof *wide);
    static const size_t budgets[] = {1 << 20, 100000, 0};
    for (unsigned k = 0; k < 3; k++) {
        open_line(TOY_CODED, N, CHUNK, 2);
        configure(budgets[k], 3, 0);
        fill_and_forget(N);
        assert_int_equal(move(0, N, 1, buf, false), 0);
        check_values(buf, 0, N, 1);
        assert_int_equal(toy_calls(&toy, TOY_DECODE), CHUNKS);
        assert_int_equal(toy_flush(&toy, true), 0);
        /* With conversion, each way: the numbers are in the other byte order on file. */
        struct ts_space *s = line(0, N, 1);
        struct toy_part p = {.toy = &toy, .file = s, .buf = wide, .convert = true};
        for (int i = 0; i < N; i++)
            wide[i] = i % 30000;
        assert_int_equal(toy_transfer(&p, 1, true), 0);
        assert_int_equal(toy_flush(&toy, true), 0);
        memset(wide, 0, N * sizeof *wide);
        assert_int_equal(toy_transfer(&p, 1, false), 0);
        for (int i = 0; i < N; i++)
            assert_int_equal(wide[i], i % 30000);
        ts_space_unref(s);
        close_toy();
    }
    free(buf);
    free(wide);
}

/* What goes wrong in a worker is told by the caller, and nothing is left behind. */
static void test_workers_fail(void **state)
{
    (void)state;
    enum { CHUNK = 8 << 10, CHUNKS = 6, N = CHUNK * CHUNKS };
    uint16_t *buf = calloc(N, sizeof *buf);
    open_line(TOY_CODED, N, CHUNK, 2);
    configure(100000, 3, 0);
    fill_and_forget(N);
    for (unsigned i = 0; i < 2 * CHUNKS; i++) {
        bool write = i % 2;
        toy_fail_at(1 + i / 2, false, write ? 1ul << TOY_ENCODE_IN_PLACE : 1ul << TOY_DECODE);
        assert_int_equal(move(0, N, 1, buf, write), -1);
        assert_true(ts_err_current()->depth > 0);
        ts_err_clear();
        toy_fail_at(0, false, 0);
        assert_int_equal(toy_flush(&toy, true), 0);
    }
    assert_int_equal(move(0, N, 1, buf, false), 0);
    close_toy();
    free(buf);
}

static void test_reading_ahead(void **state)
{
    (void)state;
    uint16_t buf[64];
    open_line(TOY_CODED, 40 * 64, 64, 2);
    configure(1 << 20, 2, 4);
    fill_and_forget(40 * 64);
    for (hsize_t k = 0; k < 40; k++) {
        assert_int_equal(move(k * 64, 64, 1, buf, false), 0);
        check_values(buf, k * 64, 64, 1);
        wait_for_jobs();
        if (k < 2)
            assert_int_equal(stats().loads, k + 1);
    }
    assert_int_equal(stats().loads, 40);
    assert_int_equal(stats().misses, 3);
    assert_int_equal(stats().loads_ahead, 37);
    close_toy();
}

/* Here and there is no sequence, and neither is what does not fit. */
static void test_not_reading_ahead(void **state)
{
    (void)state;
    uint16_t buf[64];
    open_line(TOY_CODED, 40 * 64, 64, 2);
    configure(1 << 20, 2, 4);
    fill_and_forget(40 * 64);
    for (hsize_t k = 0; k < 20; k++)
        assert_int_equal(move(k * 7 % 20 * 128, 64, 1, buf, false), 0);
    configure(4 * 128 - 1, 2, 4);
    for (hsize_t k = 0; k < 20; k++)
        assert_int_equal(move(k * 64, 64, 1, buf, false), 0);
    wait_for_jobs();
    assert_int_equal(stats().loads_ahead, 0);
    close_toy();
}

static void test_reading_ahead_fails(void **state)
{
    (void)state;
    uint16_t buf[64];
    open_line(TOY_CODED, 40 * 64, 64, 2);
    configure(1 << 20, 2, 8);
    fill_and_forget(40 * 64);
    for (hsize_t k = 0; k < 3; k++)
        assert_int_equal(move(k * 64, 64, 1, buf, false), 0);
    wait_for_jobs();
    toy_fail_at(1, false, 1ul << TOY_DECODE);
    for (hsize_t k = 3; k < 11; k++)
        assert_int_equal(move(k * 64, 64, 1, buf, false), 0);
    wait_for_jobs();
    assert_int_equal(ts_err_current()->depth, 0);
    assert_int_equal(move(11 * 64, 64, 1, buf, false), -1);
    ts_err_clear();
    toy_fail_at(0, false, 0);
    assert_int_equal(move(11 * 64, 64, 1, buf, false), 0);
    check_values(buf, 11 * 64, 64, 1);
    close_toy();
}

/* More points than one batch takes, in few chunks, some of them twice: the last one counts. */
static void test_many_points(void **state)
{
    (void)state;
    enum { SIDE = 150, POINTS = 1200000 };
    static const hsize_t dims[] = {SIDE, SIDE}, chunk[] = {100, 100};
    hsize_t *coords = malloc(POINTS * 2 * sizeof *coords);
    uint16_t *buf = malloc(POINTS * sizeof *buf), *model = calloc(SIDE * SIDE, sizeof *model);
    uint64_t seed = 1;
    for (int kind = TOY_PLAIN; kind <= TOY_CODED; kind++) {
        struct ts_space *s;
        open_toy(kind, 2, dims, chunk, 2);
        configure(1 << 20, 2, 0);
        for (unsigned i = 0; i < SIDE * SIDE; i++)
            model[i] = 7;
        for (size_t i = 0; i < POINTS; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            coords[2 * i] = (seed >> 33) % SIDE;
            coords[2 * i + 1] = (seed >> 45) % SIDE;
            buf[i] = (uint16_t)i;
            model[coords[2 * i] * SIDE + coords[2 * i + 1]] = buf[i];
        }
        assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
        assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, POINTS, coords), 0);
        struct toy_part p = {.toy = &toy, .file = s, .buf = buf, .serial = true};
        assert_int_equal(toy_transfer(&p, 1, true), 0);
        memset(buf, 0xee, POINTS * sizeof *buf);
        assert_int_equal(toy_transfer(&p, 1, false), 0);
        for (size_t i = 0; i < POINTS; i++)
            assert_int_equal(buf[i], model[coords[2 * i] * SIDE + coords[2 * i + 1]]);
        ts_space_unref(s);
        close_toy();
    }
    free(coords);
    free(buf);
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_read_for_many),        cmocka_unit_test(test_small_parts_are_kept),
        cmocka_unit_test(test_elements_of_dirty_chunks), cmocka_unit_test(test_workers),
        cmocka_unit_test(test_workers_fail),             cmocka_unit_test(test_reading_ahead),
        cmocka_unit_test(test_not_reading_ahead),        cmocka_unit_test(test_reading_ahead_fails),
        cmocka_unit_test(test_many_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
