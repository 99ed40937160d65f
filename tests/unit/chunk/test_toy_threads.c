/* The shared chunk cache with several threads: what must run side by side does, and what they write is there. */
#include "unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/error.h"
#include "chunk/chunks.h"
#include "unit/chunk/toy.h"

enum { THREADS = 4, ROWS = 40, COLS = 30, TOYS = 3, STEPS = 150 };

/* cmocka's assertions work in the main thread only. */
#define MUST(x) must((x), #x, __LINE__)

static void must(bool ok, const char *what, int line)
{
    struct ts_err_stack *stack = ts_err_current();
    if (ok)
        return;
    fprintf(stderr, "test_toy_threads.c:%d: %s\n", line, what);
    for (unsigned i = 0; i < stack->depth; i++)
        fprintf(stderr, "  %s: %s\n", stack->rec[i].func, stack->rec[i].text);
    abort();
}

static unsigned below(uint64_t *seed, unsigned n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*seed >> 33) % n);
}

/* Calls of one kind meet here: none goes on before `wanted` of them have come. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned long calls; /* bits */
    unsigned wanted, here;
} meeting = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void meet(struct toy *toy, enum toy_call call)
{
    struct timespec t;
    (void)toy;
    if (!(meeting.calls & 1ul << call))
        return;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 30;
    pthread_mutex_lock(&meeting.lock);
    meeting.here++;
    pthread_cond_broadcast(&meeting.changed);
    int status = 0;
    while (meeting.here < meeting.wanted && status == 0)
        status = pthread_cond_timedwait(&meeting.changed, &meeting.lock, &t);
    pthread_mutex_unlock(&meeting.lock);
    MUST(status == 0);
}

static void arrange(unsigned long calls, unsigned wanted)
{
    meeting.calls = calls;
    meeting.wanted = wanted;
    meeting.here = 0;
}

static struct toy_options options_of(enum toy_kind kind)
{
    struct toy_options o = {.kind = kind, .rank = 2, .dims = {ROWS, COLS}, .chunk = {8, 7}, .element_size = 2};
    o.partial_plain = kind == TOY_CODED;
    return o;
}

/* Rows from, from + step, ... and all columns of a range. */
static struct ts_space *rows(hsize_t from, hsize_t step, hsize_t n, hsize_t col, hsize_t cols)
{
    static const hsize_t dims[2] = {ROWS, COLS}, one[2] = {1, 1};
    hsize_t start[2] = {from, col}, stride[2] = {step, 1}, count[2] = {n, cols};
    struct ts_space *s;
    MUST(ts_space_new_simple(2, dims, NULL, &s) == 0);
    MUST(ts_space_select_hyperslab(s, H5S_SELECT_SET, start, stride, count, one) == 0);
    return s;
}

static void write_all(struct toy *toy, uint16_t first)
{
    uint16_t values[ROWS * COLS];
    struct ts_space *s = rows(0, 1, ROWS, 0, COLS);
    struct toy_part p = {.toy = toy, .file = s, .buf = values};
    for (size_t i = 0; i < ROWS * COLS; i++)
        values[i] = (uint16_t)(first + i);
    MUST(toy_transfer(&p, 1, true) == 0);
    ts_space_unref(s);
}

/* One read and one flush use a worker for half of the work; the chunks are large enough for that. */
static void test_side_by_side(void **state)
{
    (void)state;
    enum { SIDE = 256 };
    static uint16_t values[2 * SIDE * SIDE], got[2 * SIDE * SIDE];
    struct toy_file file;
    struct toy toy;
    struct toy_options o = {.kind = TOY_CODED, .rank = 2, .dims = {2 * SIDE, SIDE}, .chunk = {SIDE, SIDE}, .element_size = 2};
    struct ts_space *s;
    assert_int_equal(ts_space_new_simple(2, o.dims, NULL, &s), 0);
    toy_file_open_on_disk(&file);
    toy_open(&toy, &file, &o);
    toy.hook = meet;
    toy_settings(&file, 1 << 24, 1);
    for (size_t i = 0; i < 2 * SIDE * SIDE; i++)
        values[i] = (uint16_t)(i / 50);
    struct toy_part p = {.toy = &toy, .file = s, .buf = values};
    assert_int_equal(toy_transfer(&p, 1, true), 0);
    arrange(1ul << TOY_ENCODE | 1ul << TOY_ENCODE_IN_PLACE, 2);
    assert_int_equal(toy_flush(&toy, true), 0);
    arrange(1ul << TOY_DECODE, 2);
    p.buf = got;
    assert_int_equal(toy_transfer(&p, 1, false), 0);
    assert_memory_equal(got, values, sizeof got);
    arrange(0, 0);
    ts_space_unref(s);
    toy_close(&toy);
    toy_file_close(&file);
}

static void *read_rows(void *ctx)
{
    struct toy_part *p = ctx;
    MUST(toy_transfer(p, 1, false) == 0);
    return NULL;
}

/* Two threads of the application read different chunks of one dataset: neither waits for the other's decoding. */
static void test_two_readers(void **state)
{
    (void)state;
    struct toy_file file;
    struct toy toy;
    struct toy_options o = options_of(TOY_CODED);
    uint16_t a[8 * 7], b[8 * 7];
    pthread_t other;
    toy_file_open_on_disk(&file);
    toy_open(&toy, &file, &o);
    toy.hook = meet;
    toy_settings(&file, 1 << 20, 0);
    write_all(&toy, 1);
    assert_int_equal(toy_flush(&toy, true), 0);
    arrange(1ul << TOY_DECODE, 2);
    struct ts_space *s = rows(0, 1, 8, 0, 7), *t = rows(8, 1, 8, 7, 7);
    struct toy_part p = {.toy = &toy, .file = s, .buf = a}, q = {.toy = &toy, .file = t, .buf = b};
    assert_int_equal(pthread_create(&other, NULL, read_rows, &p), 0);
    assert_int_equal(toy_transfer(&q, 1, false), 0);
    pthread_join(other, NULL);
    assert_int_equal(a[8], COLS + 2);
    assert_int_equal(b[0], 8 * COLS + 8);
    /* The same chunk, wanted by both: one decodes it, the other waits. */
    arrange(0, 0);
    assert_int_equal(toy_flush(&toy, true), 0);
    toy_reset_calls(&toy);
    assert_int_equal(pthread_create(&other, NULL, read_rows, &p), 0);
    q.file = s;
    assert_int_equal(toy_transfer(&q, 1, false), 0);
    pthread_join(other, NULL);
    assert_int_equal(toy_calls(&toy, TOY_DECODE), 1);
    assert_memory_equal(a, b, sizeof a);
    ts_space_unref(s);
    ts_space_unref(t);
    toy_close(&toy);
    toy_file_close(&file);
}

/* Writes to different datasets do not wait for each other's coding either: each leaves the cache by its own thread. */
static void *flush_one(void *ctx)
{
    MUST(toy_flush(ctx, false) == 0);
    return NULL;
}

static void test_two_writers(void **state)
{
    (void)state;
    struct toy_file file;
    struct toy toys[2];
    struct toy_options o = options_of(TOY_SPARSE);
    pthread_t other;
    toy_file_open_on_disk(&file);
    for (unsigned i = 0; i < 2; i++) {
        toy_open(&toys[i], &file, &o);
        toys[i].hook = meet;
        toy_settings(&file, 1 << 20, 0);
        write_all(&toys[i], (uint16_t)(i + 1));
    }
    arrange(1ul << TOY_ENCODE | 1ul << TOY_ENCODE_IN_PLACE, 2);
    assert_int_equal(pthread_create(&other, NULL, flush_one, &toys[0]), 0);
    flush_one(&toys[1]);
    pthread_join(other, NULL);
    arrange(0, 0);
    for (unsigned i = 0; i < 2; i++) {
        uint16_t values[ROWS * COLS];
        toy_on_file(&toys[i], values, NULL);
        for (size_t k = 0; k < ROWS * COLS; k++)
            assert_int_equal(values[k], k + i + 1);
        toy_close(&toys[i]);
    }
    toy_file_close(&file);
}

/* Threads own rows of all datasets; chunks have rows of all of them. */
struct worker {
    struct toy_file *file;
    struct toy *toys;
    unsigned id;
    uint64_t seed;
    uint16_t values[TOYS][ROWS][COLS]; /* of its own rows */
    bool may_fail;
    unsigned failures;
};

/* Whether it went well; else it must be allowed not to. */
static bool done(struct worker *w, int status)
{
    MUST(status == 0 || w->may_fail);
    if (status < 0) {
        MUST(ts_err_current()->depth > 0);
        ts_err_clear();
        w->failures++;
    }
    return status == 0;
}

/* A write that failed: each element is old or new, and stays what it is now. */
static void settle(struct worker *w, struct toy_part *p, uint16_t *model[], size_t n)
{
    uint16_t got[ROWS * COLS];
    const uint16_t *new_values = p->buf;
    p->buf = got;
    unsigned tries = 0;
    while (!done(w, toy_transfer(p, 1, false)))
        MUST(++tries < 10000);
    for (size_t i = 0; i < n; i++) {
        MUST(got[i] == *model[i] || got[i] == new_values[i]);
        *model[i] = got[i];
    }
}

static void one_transfer(struct worker *w, bool write)
{
    unsigned k = below(&w->seed, TOYS), own = (ROWS - w->id + THREADS - 1) / THREADS;
    unsigned first = below(&w->seed, own), n = 1 + below(&w->seed, own - first);
    unsigned col = below(&w->seed, COLS), cols = 1 + below(&w->seed, COLS - col);
    uint16_t values[ROWS * COLS];
    struct ts_space *s = rows(w->id + THREADS * first, THREADS, n, col, cols);
    struct toy_part p = {.toy = &w->toys[k], .file = s, .buf = values, .bypass = below(&w->seed, 8) == 0};
    uint16_t *model[ROWS * COLS];
    for (unsigned i = 0; i < n * cols; i++) {
        model[i] = &w->values[k][w->id + THREADS * (first + i / cols)][col + i % cols];
        if (write)
            values[i] = (uint16_t)(1 + below(&w->seed, 20000));
    }
    if (!done(w, toy_transfer(&p, 1, write))) {
        if (write)
            settle(w, &p, model, n * cols);
    } else
        for (unsigned i = 0; i < n * cols; i++) {
            if (write)
                *model[i] = values[i];
            MUST(*model[i] == values[i]);
        }
    ts_space_unref(s);
}

static void change_settings(struct worker *w)
{
    static const size_t budgets[] = {0, 300, 3000, 1 << 20};
    H5F_shared_chunk_cache_t s = {.version = H5F_SHARED_CHUNK_CACHE_VERSION, .threads = below(&w->seed, 3),
                                  .budget = budgets[below(&w->seed, 4)], .reserve = below(&w->seed, 2) * 400,
                                  .w0 = below(&w->seed, 3) / 2.0, .encode_ahead = below(&w->seed, 2) * 200,
                                  .read_ahead = below(&w->seed, 2) * 3};
    MUST(toy_configure(w->file, &s) == 0);
}

static void *work(void *ctx)
{
    struct worker *w = ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned what = below(&w->seed, 20);
        if (what < 17)
            one_transfer(w, what < 9);
        else if (what == 17)
            done(w, toy_flush(&w->toys[below(&w->seed, TOYS)], below(&w->seed, 2)));
        else if (what == 18)
            done(w, toy_flush_all(w->file, w->toys));
        else
            change_settings(w);
    }
    return NULL;
}

static void run_workers(unsigned seed, unsigned long fail_every)
{
    static struct worker workers[THREADS];
    struct toy_file file;
    struct toy toys[TOYS];
    pthread_t threads[THREADS];
    unsigned failures = 0;
    const char *reason;
    toy_file_open_on_disk(&file);
    for (unsigned i = 0; i < TOYS; i++) {
        struct toy_options o = options_of((enum toy_kind)i);
        toy_open(&toys[i], &file, &o);
    }
    toy_settings(&file, 2000, 2);
    toy_fail_every(fail_every);
    for (unsigned i = 0; i < THREADS; i++) {
        memset(&workers[i], 0, sizeof workers[i]);
        workers[i].file = &file;
        workers[i].toys = toys;
        workers[i].id = i;
        workers[i].seed = seed * 100 + i;
        workers[i].may_fail = fail_every > 0;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        failures += workers[i].failures;
    }
    toy_fail_every(0);
    assert_int_equal(failures > 0, fail_every > 0);
    /* What could not be written when room was needed is written now. */
    assert_int_equal(toy_flush_all(&file, toys), 0);
    if (!ts_sc_verify(toys[0].sc.cache, &reason))
        fail_msg("%s", reason);
    for (unsigned k = 0; k < TOYS; k++) {
        uint16_t values[ROWS * COLS];
        toy_on_file(&toys[k], values, NULL);
        for (size_t i = 0; i < ROWS * COLS; i++)
            assert_int_equal(values[i], workers[i / COLS % THREADS].values[k][i / COLS][i % COLS]);
        toy_close(&toys[k]);
    }
    toy_file_close(&file);
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 8; seed++)
        run_workers(seed, 0);
}

/* Calls that fail now and then hurt nobody but those who made them. */
static void test_failures(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 8; seed++)
        run_workers(100 + seed, 25 + 20 * seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_two_readers),
                                       cmocka_unit_test(test_two_writers), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
