/* The cache of chunks against a "file" in memory: nothing is lost or torn whatever leaves the cache when. */
#include "unit/cmocka_all.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/cache.h"

#define CHUNKS 64u
#define BYTES 256u

/* A dataset of CHUNKS chunks, as the cache sees it. */
struct owner {
    struct ts_chunk_set set;
    pthread_rwlock_t lock;
    uint8_t stored[CHUNKS][BYTES];
    unsigned loads, stores;
    bool fails;
};

static int load(void *ctx, const hsize_t *scaled, const void *arg, void **bytes)
{
    struct owner *o = ctx;
    (void)arg;
    *bytes = ts_memdup(o->stored[scaled[0] * 8 + scaled[1]], BYTES);
    __atomic_fetch_add(&o->loads, 1, __ATOMIC_RELAXED);
    return *bytes ? 0 : -1;
}

static int store(void *ctx, const struct ts_chunk *c)
{
    struct owner *o = ctx;
    if (o->fails)
        return TS_ERR(IO, WRITEERROR, "the disk is full");
    memcpy(o->stored[c->scaled[0] * 8 + c->scaled[1]] + c->from, c->bytes + c->from, c->to - c->from);
    o->stores++;
    return 0;
}

static const struct ts_chunk_class cls = {.load = load, .store = store};

static void owner_open(struct owner *o, struct ts_file *f)
{
    memset(o, 0, sizeof *o);
    pthread_rwlock_init(&o->lock, NULL);
    o->set = (struct ts_chunk_set){.cls = &cls, .owner = o, .lock = &o->lock, .rank = 2, .chunk_bytes = BYTES};
    assert_int_equal(ts_chunk_set_open(&o->set, f), 0);
}

static void owner_close(struct owner *o)
{
    ts_chunk_set_close(&o->set);
    pthread_rwlock_destroy(&o->lock);
}

static struct ts_chunk *pin(struct owner *o, unsigned i, enum ts_chunk_want want)
{
    hsize_t scaled[2] = {i / 8, i % 8};
    struct ts_chunk *c = NULL;
    int found = ts_chunk_pin(&o->set, scaled, want, NULL, &c, NULL);
    assert_true(found >= 0);
    return found ? c : NULL;
}

static void write_chunk(struct owner *o, unsigned i, uint8_t value)
{
    pthread_rwlock_wrlock(&o->lock);
    struct ts_chunk *c = pin(o, i, TS_CHUNK_LOAD);
    memset(c->bytes, value, BYTES);
    assert_int_equal(ts_chunk_unpin(c, TS_CHUNK_DIRTY), 0);
    pthread_rwlock_unlock(&o->lock);
}

static uint8_t read_chunk(struct owner *o, unsigned i, unsigned flags)
{
    pthread_rwlock_rdlock(&o->lock);
    struct ts_chunk *c = pin(o, i, TS_CHUNK_LOAD);
    uint8_t value = c->bytes[0];
    for (unsigned k = 0; k < BYTES; k++)
        assert_int_equal(c->bytes[k], value);
    assert_int_equal(ts_chunk_unpin(c, flags), 0);
    pthread_rwlock_unlock(&o->lock);
    return value;
}

static void test_write_back(void **state)
{
    (void)state;
    struct ts_file f = {.writable = true};
    struct owner *o = malloc(sizeof *o);
    owner_open(o, &f);
    for (unsigned round = 0; round < 10; round++)
        for (unsigned i = 0; i < CHUNKS; i++)
            write_chunk(o, i, (uint8_t)(i + round));
    assert_int_equal(o->stores, 0);
    assert_true(ts_chunk_set_dirty(&o->set));
    assert_int_equal(f.flush_raw(&f), 0);
    assert_int_equal(o->stores, CHUNKS);
    assert_int_equal(o->loads, CHUNKS);
    assert_false(ts_chunk_set_dirty(&o->set));
    for (unsigned i = 0; i < CHUNKS; i++)
        assert_int_equal(o->stored[i][17], (uint8_t)(i + 9));
    owner_close(o);
    assert_null(f.raw);
    free(o);
}

static void change_part(struct owner *o, unsigned from, unsigned to, uint8_t value)
{
    struct ts_chunk *c = pin(o, 5, TS_CHUNK_LOAD);
    memset(c->bytes + from, value, to - from);
    assert_int_equal(ts_chunk_unpin_changed(c, from, to, TS_CHUNK_DIRTY), 0);
}

/* What lies outside of the changes, taken together, is not stored again. */
static void test_parts(void **state)
{
    (void)state;
    struct ts_file f = {.writable = true};
    struct owner *o = malloc(sizeof *o);
    owner_open(o, &f);
    write_chunk(o, 5, 1);
    assert_int_equal(f.flush_raw(&f), 0);
    memset(o->stored[5], 9, BYTES);
    change_part(o, 40, 50, 2);
    change_part(o, 20, 30, 3);
    assert_int_equal(f.flush_raw(&f), 0);
    static const struct {
        unsigned at;
        uint8_t value;
    } seen[] = {{19, 9}, {20, 3}, {29, 3}, {30, 1}, {39, 1}, {40, 2}, {49, 2}, {50, 9}, {BYTES - 1, 9}};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        assert_int_equal(o->stored[5][seen[i].at], seen[i].value);
    /* A flush begins anew, and a change of all of it is one of all of it. */
    change_part(o, 60, 61, 4);
    assert_int_equal(f.flush_raw(&f), 0);
    assert_int_equal(o->stored[5][59], 9);
    change_part(o, 60, 61, 5);
    assert_int_equal(ts_chunk_unpin(pin(o, 5, TS_CHUNK_LOAD), TS_CHUNK_DIRTY), 0);
    change_part(o, 70, 71, 6);
    assert_int_equal(f.flush_raw(&f), 0);
    assert_int_equal(o->stored[5][0], 1);
    assert_int_equal(o->stored[5][BYTES - 1], 1);
    owner_close(o);
    free(o);
}

static void test_budget(void **state)
{
    (void)state;
    struct ts_file f = {.writable = true};
    struct owner *o = malloc(2 * sizeof *o);
    owner_open(&o[0], &f);
    owner_open(&o[1], &f);
    ts_chunk_cache_set_budget(o->set.cache, 4 * BYTES);
    for (unsigned i = 0; i < CHUNKS; i++)
        write_chunk(o, i, 1);
    assert_int_equal(o->stores, CHUNKS - 4);
    /* Another dataset pushes the rest out. */
    for (unsigned i = 0; i < 4; i++)
        write_chunk(&o[1], i, 2);
    assert_int_equal(o->stores, CHUNKS);
    assert_true(ts_chunk_set_empty(&o->set));
    /* Not while somebody uses it; then the cache holds more than it should. */
    pthread_rwlock_rdlock(&o[1].lock);
    for (unsigned i = 0; i < 6; i++)
        write_chunk(o, i, 3);
    assert_int_equal(o[1].stores, 0);
    pthread_rwlock_unlock(&o[1].lock);
    assert_int_equal(f.flush_raw(&f), 0);
    assert_int_equal(o[1].stored[3][0], 2);
    assert_int_equal(o[0].stored[5][0], 3);
    owner_close(&o[1]);
    owner_close(&o[0]);
    free(o);
}

/* Chunks that were read whole go at once, the last one excepted. */
static void test_spent(void **state)
{
    (void)state;
    struct ts_file f = {.writable = false};
    struct owner *o = malloc(sizeof *o);
    owner_open(o, &f);
    for (unsigned i = 0; i < 10; i++)
        (void)read_chunk(o, i, TS_CHUNK_SPENT);
    assert_int_equal(o->set.chunks.count, 1);
    (void)read_chunk(o, 9, TS_CHUNK_SPENT);
    assert_int_equal(o->loads, 10);
    for (unsigned i = 0; i < 10; i++)
        (void)read_chunk(o, i, 0);
    assert_int_equal(o->set.chunks.count, 10);
    owner_close(o);
    free(o);
}

static bool below_20(const hsize_t *scaled, const void *ctx)
{
    (void)ctx;
    return scaled[0] * 8 + scaled[1] < 20;
}

static void test_failure_and_drop(void **state)
{
    (void)state;
    struct ts_file f = {.writable = true};
    struct owner *o = malloc(sizeof *o);
    owner_open(o, &f);
    for (unsigned i = 0; i < CHUNKS; i++)
        write_chunk(o, i, 5);
    o->fails = true;
    assert_true(f.flush_raw(&f) < 0);
    assert_int_equal(read_chunk(o, 30, 0), 5);
    /* What cannot be stored stays, and the one who needs room is told. */
    ts_chunk_cache_set_budget(o->set.cache, BYTES);
    pthread_rwlock_wrlock(&o->lock);
    assert_true(ts_chunk_unpin(pin(o, 1, TS_CHUNK_LOAD), TS_CHUNK_DIRTY) < 0);
    ts_chunk_set_drop(&o->set, below_20, NULL);
    pthread_rwlock_unlock(&o->lock);
    o->fails = false;
    assert_int_equal(f.flush_raw(&f), 0);
    for (unsigned i = 0; i < CHUNKS; i++)
        assert_int_equal(o->stored[i][0], i < 20 ? 0 : 5);
    assert_int_equal(read_chunk(o, 3, 0), 0);
    owner_close(o);
    free(o);
}

static void test_blank(void **state)
{
    (void)state;
    struct ts_file f = {.writable = true};
    struct owner *o = malloc(sizeof *o);
    hsize_t scaled[2] = {1, 1};
    struct ts_chunk *c;
    bool fresh;
    owner_open(o, &f);
    memset(o->stored[9], 8, BYTES);
    assert_int_equal(ts_chunk_pin(&o->set, scaled, TS_CHUNK_FIND, NULL, &c, NULL), 0);
    assert_int_equal(ts_chunk_pin(&o->set, scaled, TS_CHUNK_BLANK, NULL, &c, &fresh), 1);
    assert_true(fresh);
    assert_int_equal(c->bytes[0], 0);
    assert_int_equal(ts_chunk_unpin(c, TS_CHUNK_DROP), 0);
    assert_int_equal(read_chunk(o, 9, 0), 8);
    assert_int_equal(ts_chunk_pin(&o->set, scaled, TS_CHUNK_BLANK, NULL, &c, &fresh), 1);
    assert_false(fresh);
    assert_int_equal(c->bytes[0], 8);
    assert_int_equal(ts_chunk_unpin(c, 0), 0);
    owner_close(o);
    free(o);
}

static void test_faults(void **state)
{
    (void)state;
    struct owner *o = malloc(sizeof *o);
    for (unsigned long n = 1;; n++) {
        struct ts_file f = {.writable = true};
        memset(o, 0, sizeof *o);
        pthread_rwlock_init(&o->lock, NULL);
        o->set = (struct ts_chunk_set){.cls = &cls, .owner = o, .lock = &o->lock, .rank = 2, .chunk_bytes = BYTES};
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        int status = ts_chunk_set_open(&o->set, &f);
        for (unsigned i = 0; status == 0 && i < 20; i++) {
            hsize_t scaled[2] = {i / 8, i % 8};
            struct ts_chunk *c;
            status = ts_chunk_pin(&o->set, scaled, TS_CHUNK_LOAD, NULL, &c, NULL) < 0 ? -1 : 0;
            if (status == 0)
                status = ts_chunk_unpin(c, TS_CHUNK_DIRTY);
        }
        if (status == 0)
            status = f.flush_raw(&f);
        unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        owner_close(o);
        ts_err_clear();
        if (made < n) {
            assert_int_equal(status, 0);
            break;
        }
        assert_int_equal(status, -1);
    }
    free(o);
}

/* Threads: each chunk holds one value all over, whoever looks. */
static struct owner *shared;
static atomic_bool stop;

static void *writer(void *arg)
{
    struct owner *o = &shared[(size_t)arg];
    for (unsigned n = 0; n < 3000; n++)
        write_chunk(o, n * 7 % CHUNKS, (uint8_t)n);
    return NULL;
}

static void *reader(void *arg)
{
    struct owner *o = &shared[(size_t)arg];
    for (unsigned n = 0; n < 3000; n++)
        (void)read_chunk(o, n * 5 % CHUNKS, n % 3 ? 0 : TS_CHUNK_SPENT);
    return NULL;
}

static void *flusher(void *arg)
{
    struct ts_file *f = arg;
    while (!stop)
        assert_int_equal(f->flush_raw(f), 0);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    struct ts_file f = {.writable = true};
    pthread_t t[5];
    shared = malloc(2 * sizeof *shared);
    owner_open(&shared[0], &f);
    owner_open(&shared[1], &f);
    ts_chunk_cache_set_budget(shared->set.cache, 20 * BYTES);
    stop = false;
    pthread_create(&t[4], NULL, flusher, &f);
    for (size_t i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, writer, (void *)i);
        pthread_create(&t[2 + i], NULL, reader, (void *)i);
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    stop = true;
    pthread_join(t[4], NULL);
    assert_int_equal(f.flush_raw(&f), 0);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned n = 3000 - CHUNKS; n < 3000; n++)
            assert_int_equal(shared[i].stored[n * 7 % CHUNKS][BYTES - 1], (uint8_t)n);
    owner_close(&shared[1]);
    owner_close(&shared[0]);
    free(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_back), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_budget), cmocka_unit_test(test_spent),
        cmocka_unit_test(test_failure_and_drop), cmocka_unit_test(test_blank), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
