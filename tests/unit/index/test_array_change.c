/* Fixed and extensible arrays of small blocks and pages changed at random, against a table in memory. */
#include "index/ext_array.h"
#include "index/fixed_array.h"
#include "unit/index/undo.h"

#define COUNT 3000
#define ELEMENT 13 /* an address, a size of one byte, a mask */

struct model {
    uint8_t elements[COUNT][ELEMENT];
    bool set[COUNT];
    size_t skipped; /* elements between two that a check looks up */
};

static const uint8_t nowhere[ELEMENT] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

struct array {
    bool fixed;
    haddr_t addr;
};

static const struct ts_farray_params fixed_params = {
    .client = 1, .element_size = ELEMENT, .page_bits = 5, .count = COUNT};
static const struct ts_earray_params ext_params = {.client = 1,
                                                   .element_size = ELEMENT,
                                                   .max_bits = 32,
                                                   .index_elements = 3,
                                                   .min_elements = 4,
                                                   .min_pointers = 4,
                                                   .page_bits = 4};

static int create(struct ts_file *f, struct array *a)
{
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, a->fixed ? ts_farray_create(f, &fixed_params, &a->addr)
                                     : ts_earray_create(f, &ext_params, &a->addr));
}

static int set_fixed(struct ts_file *f, haddr_t addr, uint64_t index, const uint8_t *element)
{
    struct ts_farray *array;
    if (ts_farray_open(f, addr, &array) < 0)
        return -1;
    int status = ts_farray_set(array, index, element);
    ts_farray_close(array);
    return status;
}

static int set_ext(struct ts_file *f, haddr_t addr, uint64_t index, const uint8_t *element)
{
    struct ts_earray *array;
    if (ts_earray_open(f, addr, &array) < 0)
        return -1;
    int status = ts_earray_set(array, index, element);
    ts_earray_close(array);
    return status;
}

/* Mostly near one another, so that blocks and pages fill, now and then anywhere. */
static int set_one(struct ts_file *f, const struct array *a, struct model *m, uint32_t *random)
{
    uint64_t index = draw(random) % 20 ? draw(random) % 200 + draw(random) % 3 * 700 : draw(random) % COUNT;
    uint8_t element[ELEMENT];
    memset(element, (int)(draw(random) % 200), sizeof element);
    int status = a->fixed ? set_fixed(f, a->addr, index, element) : set_ext(f, a->addr, index, element);
    if (status == 0) {
        m->set[index] = true;
        memcpy(m->elements[index], element, sizeof element);
    }
    return status;
}

static int change(struct ts_file *f, const struct array *a, struct model *m, uint32_t *random)
{
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, set_one(f, a, m, random));
}

struct seen {
    const struct model *m;
    size_t n;
};

static int look(uint64_t index, const uint8_t *element, void *ctx)
{
    struct seen *s = ctx;
    assert_true(index < COUNT);
    assert_memory_equal(element, s->m->set[index] ? s->m->elements[index] : nowhere, ELEMENT);
    s->n += s->m->set[index];
    return 0;
}

static void check_fixed(struct ts_file *f, haddr_t addr, const struct model *m, size_t set)
{
    struct ts_farray *array;
    const char *reason;
    struct seen s = {.m = m};
    uint8_t element[ELEMENT];
    ok(ts_farray_open(f, addr, &array));
    assert_int_equal(ok(ts_farray_verify(array, &reason)), 1);
    ok(ts_farray_iterate(array, look, &s));
    assert_int_equal(s.n, set);
    for (size_t i = 0; i < COUNT; i += 1 + m->skipped)
        if (ok(ts_farray_get(array, i, element)) == 1 || m->set[i])
            assert_memory_equal(element, m->set[i] ? m->elements[i] : nowhere, ELEMENT);
    ts_farray_close(array);
}

static void check_ext(struct ts_file *f, haddr_t addr, const struct model *m, size_t set)
{
    struct ts_earray *array;
    const char *reason;
    struct seen s = {.m = m};
    uint8_t element[ELEMENT];
    ok(ts_earray_open(f, addr, &array));
    if (!ok(ts_earray_verify(array, &reason)))
        fail_msg("%s", reason);
    ok(ts_earray_iterate(array, look, &s));
    assert_int_equal(s.n, set);
    for (size_t i = 0; i < COUNT; i += 1 + m->skipped)
        if (ok(ts_earray_get(array, i, element)) == 1 || m->set[i])
            assert_memory_equal(element, m->set[i] ? m->elements[i] : nowhere, ELEMENT);
    ts_earray_close(array);
}

static void check_all(struct ts_file *f, const struct array *a, const struct model *m)
{
    size_t set = 0;
    for (size_t i = 0; i < COUNT; i++)
        set += m->set[i];
    if (a->fixed)
        check_fixed(f, a->addr, m, set);
    else
        check_ext(f, a->addr, m, set);
}

static void delete_array(struct ts_file *f, const struct array *a, const struct model *m)
{
    struct seen s = {.m = m};
    struct ts_meta_stats stats;
    ok(ts_change_begin(f));
    ok(ts_change_end(f, a->fixed ? ts_farray_delete(f, a->addr, look, &s) : ts_earray_delete(f, a->addr, look, &s)));
    ts_meta_stats(f, &stats);
    assert_int_equal(stats.entries, 0);
}

/* Deleted and made anew it finds the space it had: the file grows no further. */
static void random_changes(bool fixed)
{
    struct ts_file *f = writable_new();
    struct model *m = calloc(1, sizeof *m);
    struct array a = {.fixed = fixed};
    haddr_t end = 0;
    for (unsigned round = 0; round < 3; round++) {
        uint32_t random = 21;
        memset(m, 0, sizeof *m);
        ok(create(f, &a));
        for (unsigned i = 0; i < 8000; i++) {
            ok(change(f, &a, m, &random));
            if (i % 800 == 0)
                check_all(f, &a, m);
            if (i % 2700 == 13)
                f = writable_again(f, H5F_ACC_RDWR);
        }
        f = writable_again(f, H5F_ACC_RDWR);
        check_all(f, &a, m);
        if (round > 0)
            assert_true(f->end <= end);
        end = round == 0 ? f->end + f->end / 8 : end;
        delete_array(f, &a, m);
        ok(ts_file_flush(f));
    }
    writable_close(f);
    free(m);
}

static void test_fixed(void **state)
{
    (void)state;
    random_changes(true);
}

static void test_extensible(void **state)
{
    (void)state;
    random_changes(false);
}

static void faults(bool fixed)
{
    struct model *m = calloc(1, sizeof *m);
    unsigned long n = 0;
    for (bool done = false; !done; n++) {
        struct ts_file *f = writable_new();
        struct array a = {.fixed = fixed};
        uint32_t random = 4;
        memset(m, 0, sizeof *m);
        ts_alloc_fail_at(n + 1, TS_FAULT_ONCE);
        int status = create(f, &a);
        for (unsigned i = 0; status == 0 && i < 40; i++)
            status = change(f, &a, m, &random);
        done = status == 0;
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_err_clear();
        if (done)
            check_all(f, &a, m);
        writable_close(f);
    }
    assert_true(n > 10);
    free(m);
}

static void test_faults(void **state)
{
    (void)state;
    faults(true);
    faults(false);
}

static void test_out_of_range(void **state)
{
    (void)state;
    struct ts_file *f = writable_new();
    struct array fixed = {.fixed = true}, ext = {.fixed = false};
    ok(create(f, &fixed));
    ok(create(f, &ext));
    assert_true(set_fixed(f, fixed.addr, COUNT, nowhere) < 0);
    assert_true(set_ext(f, ext.addr, (uint64_t)1 << 40, nowhere) < 0);
    ts_err_clear();
    writable_close(f);
}

/* An array, or none yet, with its model and where the next change is drawn from. */
struct state {
    struct array a;
    struct model m;
    uint32_t random;
};

struct undo {
    struct trial t;
    struct state now, saved;
};

static void save(void *ctx)
{
    struct undo *u = ctx;
    u->saved = u->now;
}

static void restore(void *ctx)
{
    struct undo *u = ctx;
    u->now = u->saved;
}

static void check_state(void *ctx)
{
    struct undo *u = ctx;
    struct ts_meta_stats stats;
    ts_meta_stats(u->t.f, &stats);
    if (u->now.a.addr != HADDR_UNDEF)
        check_all(u->t.f, &u->now.a, &u->now.m);
    else
        assert_int_equal(stats.entries, 0);
}

static int undo_create(void *ctx)
{
    struct undo *u = ctx;
    return create(u->t.f, &u->now.a);
}

static int undo_set(void *ctx)
{
    struct undo *u = ctx;
    return set_one(u->t.f, &u->now.a, &u->now.m, &u->now.random);
}

static int undo_delete(void *ctx)
{
    struct undo *u = ctx;
    struct seen s = {.m = &u->now.m};
    haddr_t addr = u->now.a.addr;
    if ((u->now.a.fixed ? ts_farray_delete(u->t.f, addr, look, &s) : ts_earray_delete(u->t.f, addr, look, &s)) < 0)
        return -1;
    u->now.a.addr = HADDR_UNDEF;
    return 0;
}

static void undo_changes(struct undo *u, unsigned n)
{
    u->t.change = undo_set;
    u->t.in_a_row = 8;
    for (unsigned i = 0; i < n; i++) {
        trial_run(&u->t, i % 3 == 0);
        if (i % 11 == 10)
            ok(ts_file_flush(u->t.f));
    }
    assert_true(u->t.failed > n);
}

static void undo_array(bool fixed, bool cached, unsigned calls)
{
    struct undo *u = calloc(1, sizeof *u);
    u->t = (struct trial){
        .f = writable_new(), .change = undo_create, .save = save, .restore = restore, .check = check_state, .ctx = u};
    u->now = (struct state){.a = {.fixed = fixed, .addr = HADDR_UNDEF}, .m = {.skipped = 100}, .random = 31};
    trial_run(&u->t, false);
    if (!cached)
        trial_without_cache(&u->t);
    u->t.calls = calls;
    undo_changes(u, 120);
    u->t.f = writable_again(u->t.f, H5F_ACC_RDWR);
    check_all(u->t.f, &u->now.a, &u->now.m);
    u->t.change = undo_delete;
    u->t.in_a_row = 0;
    u->t.calls = u->t.failed = 0;
    trial_run(&u->t, false);
    assert_true(u->t.failed > 1);
    writable_close(u->t.f);
    free(u);
}

static void test_undo(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        undo_array(i % 2, i / 2, 0);
}

static void test_undo_reads(void **state)
{
    (void)state;
    faulty_start(NULL);
    undo_array(true, false, FAULTY_READ);
    undo_array(false, false, FAULTY_READ);
    faulty_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fixed), cmocka_unit_test(test_extensible),
                                       cmocka_unit_test(test_faults), cmocka_unit_test(test_out_of_range),
                                       cmocka_unit_test(test_undo),   cmocka_unit_test(test_undo_reads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
