/* Objects of the global heap that come by the thousand and go into the file beside the metadata cache: what is read while they
 * are put, what is left when putting them fails, and what room the last collection has. */
#include "unit/heap/failing.h"
#include "unit/heap/things.h"

enum { MANY = 20000 };

struct many {
    struct thing before; /* what was there */
    struct thing all[MANY];
    unsigned reads; /* one in so many is read back at once */
};

static void make_thing(struct thing *t, uint32_t i)
{
    *t = (struct thing){.there = true, .seed = i, .size = i % 37 == 5 ? 3000 : i % 4001 == 4000 ? 100000 : i % 23};
}

static void check_thing(struct ts_file *f, const struct thing *t)
{
    void *data;
    size_t size;
    ok(ts_gheap_read(f, t->collection, t->index, &data, &size));
    assert_int_equal(size, t->size);
    assert_memory_equal(data, bytes_of(t), size);
    ts_free(data);
}

static int put_many(struct ts_file *f, void *ctx)
{
    struct many *m = ctx;
    struct ts_gheap_writer w;
    int status = ts_gheap_begin(&w, f);
    if (status < 0)
        return -1;
    for (uint32_t i = 0; i < MANY && status == 0; i++) {
        struct thing *t = &m->all[i];
        make_thing(t, i);
        status = ts_gheap_put(&w, bytes_of(t), t->size, &t->collection, &t->index);
        struct ts_gheap *heap;
        if (status == 0 && m->reads && i % m->reads == 0 && (status = ts_gheap_open(f, t->collection, &heap)) == 0)
            ts_gheap_close(heap);
    }
    return ts_gheap_end(&w, status);
}

static void check_before(struct ts_file *f, void *ctx)
{
    struct many *m = ctx;
    check_thing(f, &m->before);
}

static void put_before(struct ts_file *f, struct many *m)
{
    m->before = (struct thing){.there = true, .seed = 3, .size = 50};
    ok(ts_gheap_insert(f, bytes_of(&m->before), m->before.size, &m->before.collection, &m->before.index));
}

static void check_all(struct ts_file *f, const struct many *m, uint32_t step)
{
    struct ts_gheap *heap;
    check_thing(f, &m->before);
    for (uint32_t i = 0; i < MANY; i += step)
        check_thing(f, &m->all[i]);
    for (uint32_t i = 1; i < MANY; i++) {
        if (m->all[i].collection == m->all[i - 1].collection)
            continue;
        ok(ts_gheap_open(f, m->all[i].collection, &heap));
        ok(ts_gheap_verify(heap));
        ts_gheap_close(heap);
    }
}

static void read_meanwhile(void **test)
{
    (void)test;
    static struct many m;
    for (m.reads = 0; m.reads < 3000; m.reads = 7 * m.reads + 50) {
        struct ts_file *f = writable_new();
        put_before(f, &m);
        ok(ts_change_begin(f));
        ok(ts_change_end(f, put_many(f, &m)));
        check_all(f, &m, 13);
        f = writable_again(f, H5F_ACC_RDWR);
        check_all(f, &m, 7);
        for (uint32_t i = 0; i < MANY; i++)
            ok(ts_gheap_remove(f, m.all[i].collection, m.all[i].index));
        check_thing(f, &m.before);
        writable_close(f);
    }
}

static void fails(void **test)
{
    (void)test;
    static struct many m;
    const struct trial t = {put_many, check_before, &m};
    m.reads = 500;
    struct ts_file *f = writable_new();
    put_before(f, &m);
    ok(ts_file_flush(f));
    ts_meta_watching = true;
    undo_around(f, &t);
    ts_meta_watching = false;
    assert_true(try_until_made(f, &t, FAILING_ALLOCATIONS) > 10);
    check_all(f, &m, 11);
    f = writable_again(f, H5F_ACC_RDWR);
    check_all(f, &m, 11);
    writable_close(f);
}

/* Of a collection that is short because no more came, the rest is the file's again; one that cannot be shorter takes the
 * next object. */
static void what_is_left(void **test)
{
    (void)test;
    struct ts_file *f = writable_new();
    struct ts_gheap_writer w;
    uint8_t bytes[1000] = {0};
    haddr_t at, last;
    uint32_t index;
    ok(ts_gheap_begin(&w, f));
    for (unsigned i = 0; i < 200; i++)
        ok(ts_gheap_put(&w, bytes, sizeof bytes, &at, &index));
    ok(ts_gheap_end(&w, 0));
    /* The first makes such a collection, the others are in it. */
    for (unsigned i = 0; i < 4; i++) {
        last = at;
        ok(ts_gheap_begin_again(&w));
        ok(ts_gheap_put(&w, bytes, sizeof bytes, &at, &index));
        ok(ts_gheap_end(&w, 0));
        assert_int_equal(at != last, i == 0);
    }
    assert_true(space_in_use(f) < 200 * 1016 + 3 * 4096 + 65536);
    writable_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_meanwhile),
        cmocka_unit_test(fails),
        cmocka_unit_test(what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
