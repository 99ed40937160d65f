/* How chunks are kept: what leaves when, what is written how, and that all sums stay right. */
#include "unit/cmocka_all.h"

#include "chunk/chunk_parts.h"
#include "unit/chunk/fake.h"

struct world {
    struct ts_file *f;
    struct fake a, b;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->f = fake_file();
    *state = w;
    return w->f ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *w = *state;
    ts_file_unref(w->f);
    free(w);
    return 0;
}

static void verify(struct fake *k)
{
    const char *reason;
    if (!ts_sc_verify(k->sc.cache, &reason))
        fail_msg("%s", reason);
}

static void open_a(struct world *w, size_t coded_size, size_t chunks, unsigned threads)
{
    assert_int_equal(fake_open(&w->a, w->f, coded_size), 0);
    assert_int_equal(fake_settings(w->f, chunks, threads, 0, 0, SIZE_MAX), 0);
}

static void open_both(struct world *w, size_t coded_size, size_t chunks, unsigned threads)
{
    open_a(w, coded_size, chunks, threads);
    assert_int_equal(fake_open(&w->b, w->f, coded_size), 0);
}

static void close_both(struct world *w)
{
    fake_close(&w->a);
    fake_close(&w->b);
}

static void read_one(struct fake *k, hsize_t i, bool whole, uint32_t expected)
{
    uint32_t value;
    assert_int_equal(fake_read(k, i, whole, &value), 1);
    assert_int_equal(value, expected);
}

static void write_one(struct fake *k, hsize_t i, bool whole, uint32_t value)
{
    assert_int_equal(fake_write(k, i, whole, value), 1);
}

static bool is_in(struct fake *k, hsize_t i)
{
    ts_mutex_lock(&k->sc.cache->lock);
    bool found = ts_sc_find(&k->sc, &i) != NULL;
    ts_mutex_unlock(&k->sc.cache->lock);
    return found;
}

static void test_hits_and_misses(void **state)
{
    struct world *w = *state;
    open_a(w, 0, 8, 0);
    struct ts_sc_chunk *c, *again;
    hsize_t at = 3;
    assert_true(ts_sc_dset_empty(&w->a.sc));
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, 0, &c), TS_SC_ABSENT);
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, TS_SC_ENTER | TS_SC_QUIET, &c), TS_SC_MINE);
    assert_true(c->loading && c->at.addr == HADDR_UNDEF && !c->data.chunk);
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, 0, &again), TS_SC_OTHERS);
    assert_ptr_equal(c, again);
    assert_int_equal(fake_load(&w->a, c), 0);
    ts_sc_loaded(c);
    assert_true(ts_sc_wait(again, 0));
    ts_sc_release(again, &(struct ts_sc_use){0});
    ts_sc_release(c, &(struct ts_sc_use){0});
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, TS_SC_ENTER, &c), TS_SC_HIT);
    ts_sc_release(c, &(struct ts_sc_use){0});
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_int_equal(s.misses, 1);
    assert_int_equal(s.hits, 2);
    assert_int_equal(s.chunks, 1);
    assert_int_equal(s.footprint, BYTES);
    verify(&w->a);
    /* One that fails is gone for those who wait, too. */
    at = 4;
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, TS_SC_ENTER, &c), TS_SC_MINE);
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, TS_SC_ENTER, &again), TS_SC_OTHERS);
    ts_sc_failed(c);
    assert_false(ts_sc_wait(again, 0));
    assert_false(is_in(&w->a, 4));
    /* What is dropped while another has it stays with that one. */
    c = fake_claim(&w->a, 5, 0);
    again = fake_claim(&w->a, 5, 0);
    ts_sc_release(c, &(struct ts_sc_use){.drop = true});
    assert_false(is_in(&w->a, 5));
    assert_int_equal(*(uint32_t *)again->data.chunk, 0);
    ts_sc_release(again, &(struct ts_sc_use){0});
    verify(&w->a);
    assert_int_equal(ts_sc_reset_stats(w->f), 0);
    s = fake_stats(&w->a);
    assert_int_equal(s.hits + s.misses, 0);
    assert_int_equal(s.peak_footprint, BYTES);
    fake_close(&w->a);
}

static void test_least_recently_used(void **state)
{
    struct world *w = *state;
    open_a(w, 0, 4, 0);
    for (hsize_t i = 0; i < 4; i++)
        read_one(&w->a, i, false, 0);
    read_one(&w->a, 0, false, 0);
    read_one(&w->a, 4, false, 0);
    assert_false(is_in(&w->a, 1));
    read_one(&w->a, 5, true, 0); /* with w0 0 whole makes no difference */
    read_one(&w->a, 6, false, 0);
    assert_true(is_in(&w->a, 0) && is_in(&w->a, 4) && is_in(&w->a, 5) && is_in(&w->a, 6));
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_int_equal(s.evictions, 3);
    assert_int_equal(s.footprint, 4 * BYTES);
    assert_int_equal(s.peak_footprint, 4 * BYTES);
    verify(&w->a);
    /* A smaller budget takes effect at once, a chunk in use stays. */
    struct ts_sc_chunk *c = fake_claim(&w->a, 0, 0);
    assert_int_equal(fake_settings(w->f, 0, 0, 0, 0, SIZE_MAX), 0);
    assert_int_equal(fake_stats(&w->a).chunks, 1);
    ts_sc_release(c, &(struct ts_sc_use){0});
    assert_int_equal(fake_stats(&w->a).footprint, 0);
    verify(&w->a);
    fake_close(&w->a);
}

static void test_spent_first(void **state)
{
    struct world *w = *state;
    open_both(w, 0, 8, 0);
    assert_int_equal(fake_settings(w->f, 8, 0, 0, 1, SIZE_MAX), 0);
    for (hsize_t i = 0; i < 4; i++)
        read_one(&w->a, i, false, 0);
    for (hsize_t i = 0; i < 200; i++)
        read_one(&w->b, i, true, 0);
    for (hsize_t i = 0; i < 4; i++)
        assert_true(is_in(&w->a, i));
    assert_true(is_in(&w->b, 199) && is_in(&w->b, 196) && !is_in(&w->b, 195));
    /* Used once more, but not whole, it counts like the others. */
    read_one(&w->b, 196, false, 0);
    for (hsize_t i = 4; i < 7; i++)
        read_one(&w->a, i, false, 0);
    assert_true(is_in(&w->b, 196) && !is_in(&w->b, 197) && !is_in(&w->b, 199));
    /* The dataset's own w0 goes before that of the cache. */
    ts_sc_dset_configure(&w->b.sc, SIZE_MAX, 0, false);
    for (hsize_t i = 0; i < 8; i++)
        read_one(&w->b, i, true, 0);
    for (hsize_t i = 0; i < 8; i++)
        assert_true(is_in(&w->b, i) && !is_in(&w->a, i));
    verify(&w->a);
    close_both(w);
}

/* With 0.5 a spent chunk goes first once half as many uses as there are chunks have passed. */
static void test_w0_between(void **state)
{
    struct world *w = *state;
    open_a(w, 0, 8, 0);
    assert_int_equal(fake_settings(w->f, 8, 0, 0, 0.5, SIZE_MAX), 0);
    for (hsize_t i = 0; i < 7; i++)
        read_one(&w->a, i, i == 3, 0);
    read_one(&w->a, 7, true, 0);
    read_one(&w->a, 8, false, 0);
    assert_false(is_in(&w->a, 3)); /* old enough */
    read_one(&w->a, 9, false, 0);
    assert_false(is_in(&w->a, 0)); /* 7 is not, so time decides */
    assert_true(is_in(&w->a, 7));
    verify(&w->a);
    fake_close(&w->a);
}

static void test_reserve(void **state)
{
    struct world *w = *state;
    open_both(w, 0, 16, 0);
    assert_int_equal(fake_settings(w->f, 16, 0, 4 * BYTES, 0, SIZE_MAX), 0);
    for (hsize_t i = 0; i < 6; i++)
        read_one(&w->a, i, false, 0);
    for (hsize_t i = 0; i < 100; i++)
        read_one(&w->b, i, false, 0);
    /* Four are kept, the newest. */
    for (hsize_t i = 0; i < 6; i++)
        assert_int_equal(is_in(&w->a, i), i >= 2);
    assert_int_equal(fake_stats(&w->a).footprint, 16 * BYTES);
    verify(&w->a);
    /* As the dataset grows its oldest may leave again. */
    for (hsize_t i = 10; i < 13; i++)
        read_one(&w->a, i, false, 0);
    for (hsize_t i = 100; i < 200; i++)
        read_one(&w->b, i, false, 0);
    for (hsize_t i = 10; i < 13; i++)
        assert_true(is_in(&w->a, i));
    assert_true(!is_in(&w->a, 2) && !is_in(&w->a, 4) && is_in(&w->a, 5));
    verify(&w->a);
    /* From itself it gets no shelter, nor when nothing else is left. */
    ts_sc_hold(&w->b.sc, 16 * BYTES);
    assert_int_equal(fake_stats(&w->a).footprint, 0);
    ts_sc_unhold(w->a.sc.cache, 16 * BYTES);
    verify(&w->a);
    close_both(w);
}

static void test_reserves_share_half(void **state)
{
    struct world *w = *state;
    struct fake *k = calloc(8, sizeof *k);
    open_a(w, 0, 16, 0);
    assert_int_equal(fake_settings(w->f, 16, 0, 8 * BYTES, 0, SIZE_MAX), 0);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(fake_open(&k[i], w->f, 0), 0);
        for (hsize_t c = 0; c < 2; c++)
            read_one(&k[i], c, false, 0);
    }
    for (hsize_t i = 0; i < 100; i++)
        read_one(&w->a, i, false, 0);
    /* All together have half of the budget, however much each may keep. */
    size_t kept = 0;
    for (int i = 0; i < 8; i++)
        kept += k[i].sc.n_chunks;
    assert_true(kept > 0 && kept <= 8);
    /* With reserves of their own they keep them; the budget grows. */
    for (int i = 0; i < 8; i++) {
        ts_sc_dset_configure(&k[i].sc, 2 * BYTES, -1, false);
        for (hsize_t c = 0; c < 2; c++)
            read_one(&k[i], c, false, 0);
    }
    assert_int_equal(w->a.sc.cache->budget, 24 * BYTES);
    for (hsize_t i = 0; i < 100; i++)
        read_one(&w->a, i, false, 0);
    for (int i = 0; i < 8; i++) {
        assert_true(is_in(&k[i], 0) && is_in(&k[i], 1));
        fake_close(&k[i]);
    }
    assert_int_equal(w->a.sc.cache->budget, 16 * BYTES);
    verify(&w->a);
    fake_close(&w->a);
    free(k);
}

static void test_write_back(void **state)
{
    struct world *w = *state;
    open_both(w, 400, 32, 0);
    for (hsize_t i = 0; i < 64; i++) {
        write_one(&w->a, 63 - i, false, (uint32_t)(1000 + i));
        write_one(&w->b, i, false, (uint32_t)(5000 + i));
    }
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_true(s.stores >= 96 && s.stores < 128);
    assert_int_equal(s.encodes, s.stores);
    assert_true(s.write_calls <= s.stores / 3); /* an eighth of the budget, 4 chunks, in one go */
    assert_int_equal(s.bytes_written, s.stores * 400);
    assert_true(s.footprint <= 32 * BYTES);
    assert_true(s.peak_footprint <= 34 * BYTES);
    assert_true(w->a.places <= w->a.inserted / 2 + 1 && w->a.inserts == w->a.places);
    verify(&w->a);
    assert_true(ts_sc_dset_dirty(&w->a.sc));
    assert_int_equal(H5SC_flush(w->a.sc.cache), 0);
    assert_false(ts_sc_dset_dirty(&w->a.sc) || ts_sc_dset_dirty(&w->b.sc));
    s = fake_stats(&w->a);
    assert_int_equal(s.stores, 128);
    assert_int_equal(s.dirty_chunks, 0);
    assert_int_equal(s.encodes, 128);
    for (hsize_t i = 0; i < 64; i++) {
        assert_int_equal(fake_on_file(&w->a, 63 - i), 1000 + i);
        assert_int_equal(fake_on_file(&w->b, i), 5000 + i);
        read_one(&w->a, 63 - i, false, (uint32_t)(1000 + i));
    }
    verify(&w->a);
    /* Flushed again there is nothing to do; evicting leaves nothing. */
    assert_int_equal(H5SC_flush_dset(&w->a.sc, true), 0);
    assert_true(ts_sc_dset_empty(&w->a.sc));
    assert_int_equal(fake_stats(&w->a).stores, 128);
    close_both(w);
}

/* All of a flush in one call, in the order of positions, side by side. */
static void test_flush_in_one_call(void **state)
{
    struct world *w = *state;
    open_a(w, 0, 128, 0);
    for (hsize_t i = 0; i < 64; i++)
        write_one(&w->a, i * 37 % 64, false, (uint32_t)i + 1);
    assert_int_equal(fake_stats(&w->a).stores, 0);
    assert_int_equal(H5SC_flush_dset(&w->a.sc, false), 0);
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_int_equal(s.stores, 64);
    assert_int_equal(s.write_calls, 1);
    assert_int_equal(s.encodes, 0);
    for (hsize_t i = 1; i < 64; i++)
        assert_int_equal(w->a.addr[i], w->a.addr[i - 1] + BYTES);
    fake_close(&w->a);
}

static void test_in_place(void **state)
{
    struct world *w = *state;
    open_a(w, 0, 8, 0);
    w->a.in_place = true;
    write_one(&w->a, 2, false, 7);
    hsize_t at = 2;
    assert_int_equal(ts_sc_flush_chunk(&w->a.sc, &at), 0);
    haddr_t place = w->a.addr[2];
    H5F_chunk_cache_stats_t before = fake_stats(&w->a);
    assert_int_equal(before.bytes_written, BYTES);
    struct ts_sc_chunk *c = fake_claim(&w->a, 2, TS_SC_CHANGE);
    ((uint32_t *)c->data.chunk)[10] = 8;
    ts_sc_release(c, &(struct ts_sc_use){.dirty = true, .from = 40, .to = 44});
    c = fake_claim(&w->a, 2, TS_SC_CHANGE);
    ((uint32_t *)c->data.chunk)[12] = 9;
    ts_sc_release(c, &(struct ts_sc_use){.dirty = true, .from = 48, .to = 52});
    assert_int_equal(ts_sc_flush_chunk(&w->a.sc, &at), 0);
    assert_int_equal(w->a.addr[2], place);
    assert_int_equal(fake_stats(&w->a).bytes_written - before.bytes_written, 12);
    uint32_t there[4];
    assert_int_equal(ts_file_read(w->f, place + 36, sizeof there, there), 0);
    assert_true(there[0] == 7 && there[1] == 8 && there[2] == 7 && there[3] == 9);
    /* Clean: nothing to do. */
    assert_int_equal(ts_sc_flush_chunk(&w->a.sc, &at), 0);
    assert_int_equal(fake_stats(&w->a).stores, 2);
    verify(&w->a);
    fake_close(&w->a);
}

/* One who reads does not wait for writes while there are clean chunks nobody wants. */
static void test_clean_spent_before_dirty(void **state)
{
    struct world *w = *state;
    open_both(w, 400, 8, 0);
    assert_int_equal(fake_settings(w->f, 8, 0, 0, 1, SIZE_MAX), 0);
    for (hsize_t i = 0; i < 4; i++)
        write_one(&w->a, i, true, 1);
    for (hsize_t i = 0; i < 100; i++)
        read_one(&w->b, i, true, 0);
    assert_int_equal(fake_stats(&w->a).stores, 0);
    assert_int_equal(w->a.sc.n_dirty, 4);
    verify(&w->a);
    close_both(w);
}

static void test_write_fails(void **state)
{
    struct world *w = *state;
    open_both(w, 400, 8, 0);
    w->a.fails = true;
    for (hsize_t i = 0; i < 12; i++)
        write_one(&w->a, i, false, (uint32_t)i + 1);
    /* Nothing is lost: they stay beyond the budget, and are not tried with every use. */
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_int_equal(s.stores, 0);
    assert_int_equal(s.dirty_chunks, 12);
    assert_true(ts_err_current()->depth == 0);
    unsigned places = w->a.places;
    for (hsize_t i = 0; i < 40; i++)
        read_one(&w->b, i, false, 0);
    assert_true(w->a.places <= places + 12);
    places = w->a.places;
    for (hsize_t i = 40; i < 80; i++)
        read_one(&w->b, i, false, 0);
    assert_int_equal(w->a.places, places);
    verify(&w->a);
    /* A flush tells; others are written all the same. */
    write_one(&w->b, 3, false, 77);
    assert_true(H5SC_flush(w->a.sc.cache) < 0);
    assert_true(ts_err_current()->depth > 0);
    ts_err_clear();
    assert_int_equal(fake_on_file(&w->b, 3), 77);
    assert_int_equal(fake_stats(&w->a).dirty_chunks, 12);
    w->a.fails = false;
    assert_int_equal(H5SC_flush(w->a.sc.cache), 0);
    for (hsize_t i = 0; i < 12; i++)
        assert_int_equal(fake_on_file(&w->a, i), i + 1);
    verify(&w->a);
    read_one(&w->b, 90, false, 0);
    assert_true(fake_stats(&w->a).footprint <= 8 * BYTES);
    /* One dataset's failure does not keep another's chunks in memory. */
    w->a.encode_fails = true;
    for (hsize_t i = 0; i < 20; i++) {
        write_one(&w->a, i % 3, false, 5);
        write_one(&w->b, i, false, 6);
    }
    assert_true(w->b.inserted >= 14);
    w->a.encode_fails = false;
    assert_int_equal(H5SC_flush(w->a.sc.cache), 0);
    assert_int_equal(fake_on_file(&w->a, 2), 5);
    verify(&w->a);
    close_both(w);
}

/* False when it is not dirty. */
static bool make_busy(struct ts_sc_chunk *c)
{
    struct ts_sc *cache = c->dset->cache;
    ts_mutex_lock(&cache->lock);
    assert_false(c->busy);
    if (c->dirty)
        ts_sc_busy_begin(c);
    ts_mutex_unlock(&cache->lock);
    return c->busy;
}

/* Chunks of two datasets go out together; when one dataset cannot be placed the other's are written. */
static void test_put_out_errors(void **state)
{
    struct world *w = *state;
    open_both(w, 0, 16, 0);
    write_one(&w->a, 1, false, 5);
    write_one(&w->b, 1, false, 6);
    struct ts_sc_chunk *chunks[2] = {fake_claim(&w->a, 1, 0), fake_claim(&w->b, 1, 0)};
    w->b.fails = true;
    for (int i = 0; i < 2; i++)
        assert_true(make_busy(chunks[i]));
    assert_true(ts_sc_write_back(w->a.sc.cache, chunks, 2) < 0);
    ts_err_clear();
    assert_true(!chunks[0]->dirty && chunks[1]->dirty && !chunks[0]->busy && !chunks[1]->busy);
    assert_int_equal(fake_on_file(&w->a, 1), 5);
    assert_false(make_busy(chunks[0]));
    w->b.fails = false;
    assert_true(make_busy(chunks[1]));
    assert_int_equal(ts_sc_write_back(w->a.sc.cache, &chunks[1], 1), 0);
    assert_int_equal(fake_on_file(&w->b, 1), 6);
    for (int i = 0; i < 2; i++)
        ts_sc_release(chunks[i], &(struct ts_sc_use){0});
    verify(&w->a);
    /* Both at once make one call. */
    uint64_t calls = fake_stats(&w->a).write_calls;
    write_one(&w->a, 1, false, 7);
    write_one(&w->b, 1, false, 8);
    chunks[0] = fake_claim(&w->a, 1, 0);
    chunks[1] = fake_claim(&w->b, 1, 0);
    for (int i = 0; i < 2; i++)
        assert_true(make_busy(chunks[i]));
    assert_int_equal(ts_sc_write_back(w->a.sc.cache, chunks, 2), 0);
    assert_int_equal(fake_stats(&w->a).write_calls, calls + 1);
    for (int i = 0; i < 2; i++)
        ts_sc_release(chunks[i], &(struct ts_sc_use){0});
    close_both(w);
}

static void test_encode_ahead(void **state)
{
    struct world *w = *state;
    open_a(w, 400, 64, 2);
    assert_int_equal(fake_settings(w->f, 64, 2, 0, 1, 4 * BYTES), 0);
    /* Written whole: at once. */
    for (hsize_t i = 0; i < 8; i++)
        write_one(&w->a, i, true, (uint32_t)i + 1);
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_int_equal(s.preemptive_encodes, 8);
    assert_int_equal(s.encodes, 8);
    assert_int_equal(s.footprint, 8 * (BYTES + 400));
    verify(&w->a);
    /* Written in part: when more than four wait, until no more do. */
    for (hsize_t i = 10; i < 14; i++)
        write_one(&w->a, i, false, (uint32_t)i + 1);
    assert_int_equal(fake_stats(&w->a).preemptive_encodes, 8);
    write_one(&w->a, 14, false, 15);
    assert_int_equal(fake_stats(&w->a).preemptive_encodes, 9);
    /* A change drops the copy. */
    write_one(&w->a, 0, false, 100);
    s = fake_stats(&w->a);
    assert_int_equal(s.preemptive_encodes, 10); /* again more than four */
    verify(&w->a);
    /* A reader does not. */
    read_one(&w->a, 1, false, 2);
    unsigned encodes = w->a.encodes;
    assert_int_equal(H5SC_flush_dset(&w->a.sc, false), 0);
    assert_int_equal(w->a.encodes, encodes + 4);
    s = fake_stats(&w->a);
    assert_int_equal(s.encodes, w->a.encodes);
    assert_int_equal(s.stores, 13);
    assert_int_equal(s.footprint, 13 * BYTES);
    assert_int_equal(fake_on_file(&w->a, 0), 100);
    for (hsize_t i = 1; i < 8; i++)
        assert_int_equal(fake_on_file(&w->a, i), i + 1);
    verify(&w->a);
    fake_close(&w->a);
}

/* Copies never push the cache over its budget. */
static void test_encode_ahead_keeps_budget(void **state)
{
    struct world *w = *state;
    open_a(w, BYTES, 16, 2);
    assert_int_equal(fake_settings(w->f, 16, 2, 0, 1, 0), 0);
    for (hsize_t i = 0; i < 13; i++)
        write_one(&w->a, i, true, 3);
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_true(s.preemptive_encodes >= 2);
    assert_true(s.peak_footprint <= 16 * BYTES);
    verify(&w->a);
    fake_close(&w->a);
}

static void test_one_thread_layout(void **state)
{
    struct world *w = *state;
    assert_int_equal(fake_open(&w->a, w->f, 400), 0);
    w->a.one_thread = true;
    w->a.sc.layout.any_thread = false;
    assert_int_equal(fake_settings(w->f, 16, 2, 0, 1, 0), 0);
    for (hsize_t i = 0; i < 40; i++)
        write_one(&w->a, i, true, 3);
    assert_int_equal(H5SC_flush_dset(&w->a.sc, false), 0);
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_int_equal(s.preemptive_encodes, 0);
    assert_int_equal(s.encodes, 40);
    fake_close(&w->a);
}

static void test_values_leave_first(void **state)
{
    struct world *w = *state;
    open_a(w, 0, 5, 0);
    w->a.ops.evict_values = fake_evict_values;
    for (hsize_t i = 0; i < 12; i++)
        read_one(&w->a, i, false, 0);
    /* The lists of defined elements stay. */
    H5F_chunk_cache_stats_t s = fake_stats(&w->a);
    assert_int_equal(s.evictions, 0);
    assert_int_equal(s.chunks, 12);
    assert_int_equal(s.footprint, 4 * BYTES + 8 * LIST);
    hsize_t at = 2;
    struct ts_sc_chunk *c, *other;
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, 0, &c), TS_SC_HIT);
    assert_false(c->has_values);
    /* Who wants values loads it again, and leaves the others what they have. */
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, TS_SC_VALUES, &other), TS_SC_MINE);
    assert_true(other != c && other->loading && !other->data.chunk && other->located);
    assert_int_equal(c->data.alloc, LIST);
    assert_int_equal(fake_load(&w->a, other), 0);
    ts_sc_loaded(other);
    ts_sc_release(other, &(struct ts_sc_use){0});
    ts_sc_release(c, &(struct ts_sc_use){0});
    verify(&w->a);
    assert_int_equal(fake_stats(&w->a).chunks, 12);
    assert_int_equal(ts_sc_claim(&w->a.sc, &at, 0, &c), TS_SC_HIT);
    assert_true(c->has_values);
    ts_sc_release(c, &(struct ts_sc_use){0});
    /* Those leave whole when there are too many. */
    for (hsize_t i = 0; i < CHUNKS; i++)
        read_one(&w->a, i, false, 0);
    s = fake_stats(&w->a);
    assert_true(s.evictions > 0 && s.footprint <= 5 * BYTES);
    verify(&w->a);
    fake_close(&w->a);
}

static void test_uncached(void **state)
{
    struct world *w = *state;
    open_both(w, 400, 16, 0);
    ts_sc_dset_configure(&w->a.sc, SIZE_MAX, -1, true);
    read_one(&w->a, 1, false, 0);
    assert_true(ts_sc_dset_empty(&w->a.sc));
    struct ts_sc_chunk *chunks[100];
    struct ts_sc_use uses[100];
    for (hsize_t i = 0; i < 100; i++) {
        chunks[i] = fake_claim(&w->a, i, TS_SC_CHANGE);
        *(uint32_t *)chunks[i]->data.chunk = (uint32_t)i + 1;
        uses[i] = (struct ts_sc_use){.dirty = true};
    }
    read_one(&w->b, 1, false, 0);
    ts_sc_release_many(chunks, uses, 100);
    assert_true(ts_sc_dset_empty(&w->a.sc));
    assert_int_equal(w->a.places, 2);
    for (hsize_t i = 0; i < 100; i++)
        assert_int_equal(fake_on_file(&w->a, i), i + 1);
    verify(&w->a);
    close_both(w);
}

static bool is_odd(const hsize_t *scaled, const void *ctx)
{
    (void)ctx;
    return scaled[0] % 2;
}

static void test_drop_and_freeze(void **state)
{
    struct world *w = *state;
    open_both(w, 400, 16, 0);
    for (hsize_t i = 0; i < 8; i++)
        write_one(&w->a, i, false, 9);
    ts_sc_dset_drop(&w->a.sc, is_odd, NULL);
    assert_int_equal(w->a.sc.n_dirty, 4);
    assert_true(is_in(&w->a, 2) && !is_in(&w->a, 3));
    verify(&w->a);
    ts_mutex_lock(&w->a.sc.cache->lock);
    ts_sc_freeze(&w->a.sc);
    ts_mutex_unlock(&w->a.sc.cache->lock);
    for (hsize_t i = 0; i < 100; i++)
        read_one(&w->b, i, false, 0);
    ts_sc_hold(&w->b.sc, 16 * BYTES);
    ts_sc_unhold(w->a.sc.cache, 16 * BYTES);
    assert_int_equal(w->a.sc.n_dirty, 4);
    assert_int_equal(fake_stats(&w->a).stores, 0);
    ts_sc_dset_thaw(&w->a.sc);
    verify(&w->a);
    ts_sc_hold(&w->b.sc, 16 * BYTES);
    ts_sc_unhold(w->a.sc.cache, 16 * BYTES);
    assert_int_equal(fake_stats(&w->a).stores, 4);
    assert_true(ts_sc_dset_empty(&w->a.sc));
    close_both(w);
}

static void test_not_opened(void **state)
{
    (void)state;
    struct ts_sc_dset none = {.rank = 1};
    assert_true(ts_sc_dset_empty(&none));
    assert_false(ts_sc_dset_dirty(&none));
    ts_sc_dset_drop(&none, NULL, NULL);
    assert_int_equal(H5SC_flush_dset(&none, true), 0);
    ts_sc_dset_configure(&none, 5, 0.5, true);
    assert_true(none.reserve == 5 && none.uncached);
    ts_sc_dset_close(&none);
    H5SC_destroy(NULL);
}

/* Written or not, what could be done is done, and nothing leaks or is torn. */
static bool scenario(struct world *w)
{
    bool good = fake_open(&w->a, w->f, 400) == 0;
    good = good && fake_settings(w->f, 8, 0, 0, 1, SIZE_MAX) == 0;
    bool wrote[24] = {false};
    for (hsize_t i = 0; good && i < 24; i++)
        wrote[i] = fake_write(&w->a, i, i % 2, (uint32_t)i + 1) == 1;
    for (hsize_t i = 0; good && i < 24; i++) {
        uint32_t value;
        int got = fake_read(&w->a, i, false, &value);
        assert_true(got != 0);
        if (got > 0)
            assert_int_equal(value, wrote[i] ? i + 1 : 0);
    }
    good = good && H5SC_flush_dset(&w->a.sc, false) == 0;
    for (hsize_t i = 0; good && i < 24; i++) {
        assert_int_equal(fake_on_file(&w->a, i), wrote[i] ? i + 1 : 0);
        good = good && wrote[i];
    }
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    if (w->a.sc.cache) {
        assert_int_equal(H5SC_flush_dset(&w->a.sc, false), 0);
        for (hsize_t i = 0; i < 24; i++)
            assert_int_equal(fake_on_file(&w->a, i), wrote[i] ? i + 1 : 0);
        verify(&w->a);
    }
    fake_close(&w->a);
    ts_err_clear();
    return good;
}

static void test_memory_is_short(void **state)
{
    struct world *w = *state;
    unsigned long n = 1;
    for (int mode = TS_FAULT_ONCE; mode <= TS_FAULT_FROM; mode++)
        for (n = 1;; n += mode == TS_FAULT_ONCE ? 1 : 5) {
            w->f->broken = false;
            ts_alloc_fail_at(n, (enum ts_alloc_fault)mode);
            bool good = scenario(w);
            unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
            (void)made;
            if (good && n > 600)
                break;
            assert_true(n < 4000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hits_and_misses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_least_recently_used, setup, teardown),
        cmocka_unit_test_setup_teardown(test_spent_first, setup, teardown),
        cmocka_unit_test_setup_teardown(test_w0_between, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reserve, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reserves_share_half, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flush_in_one_call, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clean_spent_before_dirty, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_put_out_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_encode_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(test_encode_ahead_keeps_budget, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_thread_layout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_values_leave_first, setup, teardown),
        cmocka_unit_test_setup_teardown(test_uncached, setup, teardown),
        cmocka_unit_test_setup_teardown(test_drop_and_freeze, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_is_short, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
