/* Many threads on one cache: each number read is one that was written last, whatever leaves, is encoded or flushed. */
#include "unit/cmocka_all.h"

#include "unit/chunk/fake.h"

#define THREADS 6
#define DATASETS 3
#define ROUNDS 1500
#define USED 40u

struct world {
    struct ts_file *f;
    struct fake k[DATASETS];
    atomic_uint last[DATASETS][USED]; /* written with the order lock for writing */
    atomic_uint wrong;
    atomic_uint writing[DATASETS];
};

struct thread {
    struct world *w;
    unsigned seed;
    pthread_t id;
};

static void one_write(struct world *w, unsigned d, hsize_t i, unsigned r)
{
    struct fake *k = &w->k[d];
    ts_rwlock_write(&k->order);
    uint32_t value = w->last[d][i] + 1;
    if (fake_write(k, i, r & 1, value) == 1)
        w->last[d][i] = value;
    else
        w->wrong++;
    ts_rwlock_unlock(&k->order);
}

static void one_read(struct world *w, unsigned d, hsize_t i, unsigned r)
{
    struct fake *k = &w->k[d];
    uint32_t value;
    ts_rwlock_read(&k->order);
    if (fake_read(k, i, r & 1, &value) != 1 || value != w->last[d][i])
        w->wrong++;
    ts_rwlock_unlock(&k->order);
}

static void flush_or_drop(struct world *w, unsigned d, unsigned r)
{
    struct fake *k = &w->k[d];
    if (r % 3 == 0) {
        if (H5SC_flush(k->sc.cache) < 0)
            w->wrong++;
        return;
    }
    ts_rwlock_write(&k->order);
    if (H5SC_flush_dset(&k->sc, true) < 0)
        w->wrong++;
    ts_rwlock_unlock(&k->order);
}

/* As H5Dset_extent: nothing of the dataset is under way meanwhile. */
static void freeze(struct world *w, unsigned d)
{
    struct fake *k = &w->k[d];
    ts_rwlock_write(&k->order);
    ts_mutex_lock(&k->sc.cache->lock);
    ts_sc_freeze(&k->sc);
    ts_mutex_unlock(&k->sc.cache->lock);
    unsigned before = k->inserts, encodes = k->encodes;
    sched_yield();
    if (k->inserts != before || k->encodes != encodes)
        w->wrong++;
    ts_sc_dset_thaw(&k->sc);
    ts_rwlock_unlock(&k->order);
}

static void *run(void *arg)
{
    struct thread *t = arg;
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned what = rng(&t->seed) % 100, d = rng(&t->seed) % DATASETS, r = rng(&t->seed);
        hsize_t i = rng(&t->seed) % USED;
        if (what < 55)
            one_read(t->w, d, i, r);
        else if (what < 95)
            one_write(t->w, d, i, r);
        else if (what < 97)
            flush_or_drop(t->w, d, r);
        else if (what < 99)
            freeze(t->w, d);
        else if (fake_settings(t->w->f, 10 + r % 20, r % 4, (r % 3) * BYTES, (r % 5) / 4.0, (r % 8) * BYTES) < 0)
            t->w->wrong++;
    }
    return NULL;
}

static void play(bool thin)
{
    struct world *w = calloc(1, sizeof *w);
    struct thread threads[THREADS];
    w->f = fake_file();
    for (unsigned d = 0; d < DATASETS; d++) {
        assert_int_equal(fake_open(&w->k[d], w->f, d == 0 ? 0 : d == 1 ? 400 : BYTES), 0);
        w->k[d].ops.evict_values = thin ? fake_evict_values : NULL;
    }
    assert_int_equal(fake_settings(w->f, 20, 2, 2 * BYTES, 0.75, 4 * BYTES), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){.w = w, .seed = i + 1};
        assert_int_equal(pthread_create(&threads[i].id, NULL, run, &threads[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i].id, NULL);
    assert_int_equal(w->wrong, 0);
    const char *reason;
    if (!ts_sc_verify(w->k[0].sc.cache, &reason))
        fail_msg("%s", reason);
    assert_int_equal(H5SC_flush(w->k[0].sc.cache), 0);
    for (unsigned d = 0; d < DATASETS; d++) {
        for (hsize_t i = 0; i < USED; i++)
            assert_int_equal(fake_on_file(&w->k[d], i), w->last[d][i]);
        fake_close(&w->k[d]);
    }
    ts_file_unref(w->f);
    free(w);
}

static void test_many_threads(void **state)
{
    (void)state;
    play(false);
}

static void test_values_come_and_go(void **state)
{
    (void)state;
    play(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_threads), cmocka_unit_test(test_values_come_and_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
