/* What access lists ask of the shared chunk cache. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "unit/plist/start_stop.h"

#include "plist/dapl.h"
#include "plist/fapl.h"

#define MIB ((size_t)1 << 20)

static struct ts_plist *list(enum ts_plist_kind kind)
{
    struct ts_plist *pl;
    assert_int_equal(ts_plist_new(kind, &pl), 0);
    return pl;
}

static H5F_shared_chunk_cache_t effective(const struct ts_plist *fapl)
{
    H5F_shared_chunk_cache_t s;
    memset(&s, 0xAA, sizeof s);
    assert_int_equal(ts_fapl_chunk_cache(fapl, &s), 0);
    return s;
}

static void assert_settings(const H5F_shared_chunk_cache_t *a, const H5F_shared_chunk_cache_t *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->budget, b->budget);
    assert_int_equal(a->reserve, b->reserve);
    assert_true(a->w0 == b->w0);
    assert_int_equal(a->encode_ahead, b->encode_ahead);
    assert_int_equal(a->read_ahead, b->read_ahead);
}

static const H5F_shared_chunk_cache_t defaults = {H5F_SHARED_CHUNK_CACHE_VERSION, H5F_CHUNK_CACHE_THREADS_DEFAULT,
                                                  64 * MIB, 1 * MIB, 0.75, 32 * MIB, 4};
static const H5F_shared_chunk_cache_t others = {H5F_SHARED_CHUNK_CACHE_VERSION, 3, 5 * MIB + 1, 77, 0.25, SIZE_MAX, 9};

static void set_old(struct ts_plist *fapl, size_t nbytes, double w0)
{
    assert_int_equal(ts_fapl_set_nbytes(fapl, nbytes), 0);
    assert_int_equal(ts_fapl_set_w0(fapl, w0), 0);
}

static void old_settings_are_understood(void **state)
{
    (void)state;
    static const struct {
        size_t nbytes, budget;
    } cases[] = {{0, 0}, {1, 64 * MIB}, {1 * MIB, 64 * MIB}, {8 * MIB, 64 * MIB}, {64 * MIB, 64 * MIB},
                 {64 * MIB + 1, 64 * MIB + 1}, {SIZE_MAX, SIZE_MAX}};
    struct ts_plist *fapl = list(TS_PLIST_FILE_ACCESS);
    H5F_shared_chunk_cache_t got = effective(fapl);
    assert_settings(&got, &defaults);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        H5F_shared_chunk_cache_t want = defaults;
        want.budget = cases[i].budget;
        want.reserve = cases[i].nbytes;
        want.w0 = 0.5;
        want.encode_ahead = want.budget / 2;
        set_old(fapl, cases[i].nbytes, 0.5);
        got = effective(fapl);
        assert_settings(&got, &want);
    }
    /* Once the new ones are set the old ones mean nothing, before or after. */
    assert_int_equal(ts_fapl_set_chunk_cache(fapl, &others), 0);
    set_old(fapl, 0, 1);
    got = effective(fapl);
    assert_settings(&got, &others);
    ts_plist_unref(fapl);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct ts_plist *fapl = list(TS_PLIST_FILE_ACCESS);
    H5F_shared_chunk_cache_t s[] = {others, others, others, others, others, others};
    s[0].version = 0;
    s[1].version = H5F_SHARED_CHUNK_CACHE_VERSION + 1;
    s[2].w0 = -0.01;
    s[3].w0 = 1.01;
    s[4].w0 = NAN;
    s[5].threads = TS_CHUNK_THREADS_MAX + 1;
    for (size_t i = 0; i < sizeof s / sizeof *s; i++)
        assert_true(ts_fapl_set_chunk_cache(fapl, &s[i]) < 0);
    H5F_shared_chunk_cache_t got = effective(fapl);
    assert_settings(&got, &defaults);
    H5F_shared_chunk_cache_t edge = others;
    edge.threads = TS_CHUNK_THREADS_MAX;
    edge.w0 = 1;
    assert_int_equal(ts_fapl_set_chunk_cache(fapl, &edge), 0);
    edge.threads = H5F_CHUNK_CACHE_THREADS_DEFAULT;
    edge.w0 = 0;
    edge.budget = 0;
    assert_int_equal(ts_fapl_set_chunk_cache(fapl, &edge), 0);
    ts_plist_unref(fapl);
}

static void lists_differ_by_each_member(void **state)
{
    (void)state;
    H5F_shared_chunk_cache_t s[] = {others, others, others, others, others, others};
    s[0].threads++;
    s[1].budget++;
    s[2].reserve++;
    s[3].w0 += 0.125;
    s[4].encode_ahead--;
    s[5].read_ahead++;
    struct ts_plist *a = list(TS_PLIST_FILE_ACCESS), *copy;
    assert_int_equal(ts_fapl_set_chunk_cache(a, &others), 0);
    assert_int_equal(ts_plist_copy(a, &copy), 0);
    /* What stands between the members does not count. */
    H5F_shared_chunk_cache_t dirty;
    memset(&dirty, 0x55, sizeof dirty);
    dirty.version = others.version;
    dirty.threads = others.threads;
    dirty.budget = others.budget;
    dirty.reserve = others.reserve;
    dirty.w0 = others.w0;
    dirty.encode_ahead = others.encode_ahead;
    dirty.read_ahead = others.read_ahead;
    assert_int_equal(ts_fapl_set_chunk_cache(copy, &dirty), 0);
    assert_true(ts_plist_equal(a, copy));
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
        assert_int_equal(ts_fapl_set_chunk_cache(copy, &s[i]), 0);
        assert_false(ts_plist_equal(a, copy));
    }
    ts_plist_unref(copy);
    ts_plist_unref(a);
}

#define chunk_cache TS_PROPERTY_NAME(fapl, said_chunk_cache)

static bool names_it(const struct ts_wr *w)
{
    return memmem(w->data, w->size, chunk_cache, sizeof chunk_cache) != NULL;
}

static void encoded_when_set(void **state)
{
    (void)state;
    struct ts_plist *fapl = list(TS_PLIST_FILE_ACCESS), *back;
    struct ts_wr without = {0}, with = {0};
    size_t n = ts_plist_nprops(fapl);
    assert_int_equal(ts_plist_encode(fapl, &without), 0);
    assert_false(names_it(&without));
    assert_int_equal(ts_fapl_set_chunk_cache(fapl, &others), 0);
    assert_int_equal(ts_plist_nprops(fapl), n);
    assert_int_equal(ts_plist_encode(fapl, &with), 0);
    assert_true(names_it(&with));

    struct ts_rd r = ts_rd_init(with.data, with.size);
    assert_int_equal(ts_plist_decode(&r, &back), 0);
    H5F_shared_chunk_cache_t got = effective(back);
    assert_settings(&got, &others);
    assert_true(ts_plist_equal(fapl, back));
    ts_plist_unref(back);

    for (size_t cut = 0; cut < with.size; cut++) {
        r = ts_rd_init(with.data, cut);
        assert_true(ts_plist_decode(&r, &back) < 0);
    }
    /* A version that does not exist, behind the two widths. */
    uint8_t *at = memmem(with.data, with.size, chunk_cache, sizeof chunk_cache);
    at += sizeof chunk_cache + 2;
    *at = 7;
    r = ts_rd_init(with.data, with.size);
    assert_true(ts_plist_decode(&r, &back) < 0);
    ts_wr_free(&with);
    ts_wr_free(&without);
    ts_plist_unref(fapl);
}

struct wish {
    size_t reserve;
    double w0;
    bool uncached;
};

static struct wish wish_of(size_t nbytes, double w0, const struct ts_plist *fapl)
{
    struct ts_plist *dapl = list(TS_PLIST_DATASET_ACCESS);
    struct wish w;
    assert_int_equal(ts_dapl_set_nbytes(dapl, nbytes), 0);
    assert_int_equal(ts_dapl_set_w0(dapl, w0), 0);
    assert_int_equal(ts_dapl_chunk_cache(dapl, fapl, &w.reserve, &w.w0, &w.uncached), 0);
    ts_plist_unref(dapl);
    return w;
}

static void datasets_ask_for_themselves(void **state)
{
    (void)state;
    struct ts_plist *fapl = list(TS_PLIST_FILE_ACCESS);
    struct ts_plist *plain = ts_plist_default(TS_PLIST_DATASET_ACCESS);
    struct wish w = {1, 1, true};
    assert_int_equal(ts_dapl_chunk_cache(plain, fapl, &w.reserve, &w.w0, &w.uncached), 0);
    assert_true(w.reserve == SIZE_MAX && w.w0 < 0 && !w.uncached);
    w = wish_of(H5D_CHUNK_CACHE_NBYTES_DEFAULT, H5D_CHUNK_CACHE_W0_DEFAULT, fapl);
    assert_true(w.reserve == SIZE_MAX && w.w0 < 0 && !w.uncached);
    w = wish_of(5 * MIB, 0, fapl);
    assert_true(w.reserve == 5 * MIB && w.w0 == 0 && !w.uncached);
    w = wish_of(0, 1, fapl);
    assert_true(w.uncached && w.w0 == 1);
    /* As H5Dget_access_plist gives it. */
    w = wish_of(1 * MIB, 0.75, fapl);
    assert_true(w.reserve == SIZE_MAX && w.w0 < 0 && !w.uncached);
    set_old(fapl, 2 * MIB, 0.5);
    w = wish_of(1 * MIB, 0.75, fapl);
    assert_true(w.reserve == 1 * MIB && w.w0 == 0.75 && !w.uncached);
    w = wish_of(2 * MIB, NAN, fapl);
    assert_true(w.reserve == SIZE_MAX && w.w0 < 0);
    ts_plist_unref(fapl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_settings_are_understood), cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(lists_differ_by_each_member), cmocka_unit_test(encoded_when_set),
        cmocka_unit_test(datasets_ask_for_themselves),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
