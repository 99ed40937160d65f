/* Version 2 B-trees changed at random, against a table in memory. */
#include "format/btree2.h"
#include "index/btree2.h"
#include "unit/index/undo.h"

#define KEYS 6000

struct record {
    uint8_t key[4]; /* big endian, so that bytes sort as numbers */
    uint8_t value[8];
};

struct model {
    bool there[KEYS];
    uint8_t value[KEYS];
    size_t n;
    uint32_t keys; /* that are drawn from; 0: all */
};

static struct record record_of(uint32_t key, uint8_t value)
{
    struct record r = {.key = {(uint8_t)(key >> 24), (uint8_t)(key >> 16), (uint8_t)(key >> 8), (uint8_t)key}};
    memset(r.value, value, sizeof r.value);
    return r;
}

static int compare(const uint8_t *record, void *ctx, int *order)
{
    *order = memcmp(ctx, record, 4);
    return 0;
}

static int in_order(const uint8_t *a, const uint8_t *b, void *ctx)
{
    (void)ctx;
    return memcmp(a, b, 4);
}

static int set_value(uint8_t *record, void *ctx)
{
    memcpy(record, ctx, sizeof(struct record));
    return 1;
}

static void verify(struct ts_btree2 *tree)
{
    const char *reason = NULL;
    int sound = ok(ts_btree2_verify(tree, in_order, NULL, &reason));
    if (!sound)
        fail_msg("%s", reason);
}

struct expect {
    const struct model *m;
    uint32_t next;
    size_t seen;
};

static int check_record(const uint8_t *record, void *ctx)
{
    struct expect *e = ctx;
    while (e->next < KEYS && !e->m->there[e->next])
        e->next++;
    assert_true(e->next < KEYS);
    struct record want = record_of(e->next, e->m->value[e->next]);
    assert_memory_equal(record, &want, sizeof want);
    e->next++;
    e->seen++;
    return 0;
}

static void check_all(struct ts_file *f, haddr_t addr, const struct model *m)
{
    struct ts_btree2 *tree;
    struct expect e = {.m = m};
    ok(ts_btree2_open(f, addr, &tree));
    verify(tree);
    assert_int_equal(ts_btree2_count(tree), m->n);
    ok(ts_btree2_iterate(tree, check_record, &e));
    assert_int_equal(e.seen, m->n);
    ts_btree2_close(tree);
}

/* One random change, and what came of it. insert_percent shifts between growing and shrinking. */
static int change(struct ts_btree2 *tree, struct model *m, uint32_t *random, unsigned insert_percent)
{
    uint32_t key = draw(random) % (m->keys ? m->keys : KEYS);
    uint8_t value = (uint8_t)draw(random);
    struct record r = record_of(key, value), got;
    if (draw(random) % 100 < insert_percent) {
        int there = ts_btree2_insert(tree, (const uint8_t *)&r, compare, &r);
        if (there < 0)
            return -1;
        assert_int_equal(there, m->there[key]);
        if (there == 1 && ts_btree2_modify(tree, compare, set_value, &r) != 1)
            return -1;
        m->n += !there;
        m->there[key] = true;
        m->value[key] = value;
        return 0;
    }
    int there = ts_btree2_remove(tree, compare, &r, (uint8_t *)&got);
    if (there < 0)
        return -1;
    assert_int_equal(there, m->there[key]);
    if (there) {
        struct record want = record_of(key, m->value[key]);
        assert_memory_equal(&got, &want, sizeof want);
        m->n--;
    }
    m->there[key] = false;
    return 0;
}

static int run_change(struct ts_file *f, haddr_t addr, struct model *m, uint32_t *random, unsigned insert_percent)
{
    struct ts_btree2 *tree;
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_btree2_open(f, addr, &tree);
    if (status == 0) {
        status = change(tree, m, random, insert_percent);
        ts_btree2_close(tree);
    }
    return ts_change_end(f, status);
}

static int create(struct ts_file *f, uint32_t node_size, haddr_t *addr)
{
    struct ts_btree2_params params = {.type = TS_BTREE2_LINK_ORDER,
                                      .node_size = node_size,
                                      .record_size = sizeof(struct record),
                                      .split_percent = TS_BTREE2_SPLIT,
                                      .merge_percent = TS_BTREE2_MERGE};
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, ts_btree2_create(f, &params, addr));
}

static void random_changes(uint32_t node_size, unsigned n)
{
    struct ts_file *f = writable_new();
    struct model *m = calloc(1, sizeof *m);
    uint32_t random = node_size;
    haddr_t addr;
    ok(create(f, node_size, &addr));
    for (unsigned i = 0; i < n; i++) {
        unsigned phase = i / (n / 8) % 4;
        ok(run_change(f, addr, m, &random, phase == 0 ? 95 : phase == 1 ? 50 : phase == 2 ? 3 : 70));
        if (i % 997 == 0)
            check_all(f, addr, m);
        if (i % 4001 == 0)
            ok(ts_file_flush(f));
        if (i % 20011 == 0)
            f = writable_again(f, H5F_ACC_RDWR);
    }
    f = writable_again(f, H5F_ACC_RDONLY);
    check_all(f, addr, m);
    writable_close(f);
    free(m);
}

static void test_random_tiny_nodes(void **state)
{
    (void)state;
    random_changes(80, 60000);
}

static void test_random_usual_nodes(void **state)
{
    (void)state;
    random_changes(512, 100000);
}

/* Ascending and descending, then all of it away again: the tree is as new. */
static void test_one_way(void **state)
{
    (void)state;
    struct ts_file *f = writable_new();
    struct model *m = calloc(1, sizeof *m);
    struct ts_btree2 *tree;
    haddr_t addr;
    ok(create(f, 100, &addr));
    ok(ts_change_begin(f));
    ok(ts_btree2_open(f, addr, &tree));
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t key = i < KEYS / 2 ? KEYS / 2 + i : KEYS - 1 - i;
        struct record r = record_of(key, 7);
        assert_int_equal(ok(ts_btree2_insert(tree, (const uint8_t *)&r, compare, &r)), 0);
        m->there[key] = true;
        m->value[key] = 7;
        m->n++;
    }
    check_all(f, addr, m);
    for (uint32_t key = 0; key < KEYS; key++) {
        struct record r = record_of(key, 7);
        assert_int_equal(ok(ts_btree2_remove(tree, compare, &r, NULL)), 1);
    }
    verify(tree);
    uint64_t bytes;
    ok(ts_btree2_storage(tree, &bytes));
    assert_int_equal(bytes, ts_btree2_header_size(8, 8));
    ts_btree2_close(tree);
    ok(ts_change_end(f, 0));
    writable_close(f);
    free(m);
}

static int count_record(const uint8_t *record, void *ctx)
{
    (void)record;
    ++*(size_t *)ctx;
    return 0;
}

/* What a deleted tree had is given out again: making it anew does not make the file longer. */
static void test_delete(void **state)
{
    (void)state;
    struct ts_file *f = writable_new();
    struct model *m = calloc(1, sizeof *m);
    haddr_t addr, end = 0;
    for (unsigned round = 0; round < 3; round++) {
        uint32_t random = 5;
        size_t seen = 0;
        memset(m, 0, sizeof *m);
        ok(create(f, 80, &addr));
        for (unsigned i = 0; i < 3000; i++)
            ok(run_change(f, addr, m, &random, 90));
        if (round > 0)
            assert_int_equal(f->end, end);
        end = f->end;
        ok(ts_change_begin(f));
        ok(ts_change_end(f, ts_btree2_delete(f, addr, count_record, &seen)));
        assert_int_equal(seen, m->n);
        struct ts_meta_stats stats;
        ts_meta_stats(f, &stats);
        assert_int_equal(stats.entries, 0);
    }
    writable_close(f);
    free(m);
}

/* Nodes that are on file are never where they were after a split, a merge or a share-out, and the header always is. */
static void test_shadows(void **state)
{
    (void)state;
    struct ts_file *f = writable_new();
    struct model *m = calloc(1, sizeof *m);
    uint32_t random = 9;
    haddr_t addr;
    ok(create(f, 80, &addr));
    for (unsigned i = 0; i < 2000; i++)
        ok(run_change(f, addr, m, &random, 100));
    f = writable_again(f, H5F_ACC_RDWR);
    haddr_t before = f->end;
    for (unsigned i = 0; i < 500; i++)
        ok(run_change(f, addr, m, &random, 100));
    assert_true(f->end > before);
    check_all(f, addr, m);
    writable_close(f);
    free(m);
}

/* Each allocation of a row of changes fails in turn; the file can be closed then. */
static void test_faults(void **state)
{
    (void)state;
    struct model *m = calloc(1, sizeof *m);
    unsigned long n = 0;
    for (bool done = false; !done; n = n < 300 ? n + 1 : n + 37) {
        struct ts_file *f = writable_new();
        uint32_t random = 3;
        haddr_t addr;
        memset(m, 0, sizeof *m);
        ts_alloc_fail_at(n + 1, TS_FAULT_ONCE);
        int status = create(f, 80, &addr);
        for (unsigned i = 0; status == 0 && i < 300; i++)
            status = run_change(f, addr, m, &random, i < 200 ? 90 : 10);
        done = status == 0;
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_err_clear();
        if (done)
            check_all(f, addr, m);
        writable_close(f);
        assert_true(n < 1000000);
    }
    assert_true(n > 100);
    free(m);
}

/* A tree, or none yet, with its model and where the next change is drawn from. */
struct state {
    haddr_t addr;
    struct model m;
    uint32_t random;
};

struct undo {
    struct trial t;
    struct state now, saved;
    uint32_t node_size;
    unsigned insert_percent;
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
    if (u->now.addr != HADDR_UNDEF)
        check_all(u->t.f, u->now.addr, &u->now.m);
    else
        assert_int_equal(stats.entries, 0);
}

static int undo_change(void *ctx)
{
    struct undo *u = ctx;
    struct ts_btree2 *tree;
    if (ts_btree2_open(u->t.f, u->now.addr, &tree) < 0)
        return -1;
    int status = change(tree, &u->now.m, &u->now.random, u->insert_percent);
    ts_btree2_close(tree);
    return status;
}

static int undo_create(void *ctx)
{
    struct undo *u = ctx;
    return create(u->t.f, u->node_size, &u->now.addr);
}

static int undo_delete(void *ctx)
{
    struct undo *u = ctx;
    size_t seen = 0;
    if (ts_btree2_delete(u->t.f, u->now.addr, count_record, &seen) < 0)
        return -1;
    assert_int_equal(seen, u->now.m.n);
    u->now.addr = HADDR_UNDEF;
    return 0;
}

/* Grows and shrinks; now and then what is dirty goes to the file, so that nodes are shadowed. */
static void undo_changes(struct undo *u, unsigned n)
{
    u->t.change = undo_change;
    u->t.in_a_row = 8;
    for (unsigned i = 0; i < n; i++) {
        u->insert_percent = i < n / 2 ? 92 : 8;
        trial_run(&u->t, i % 3 == 0);
        if (i % 11 == 10)
            ok(ts_file_flush(u->t.f));
    }
    assert_true(u->t.failed > 2 * n);
}

static struct undo *undo_begin(uint32_t node_size)
{
    struct undo *u = calloc(1, sizeof *u);
    u->t = (struct trial){
        .f = writable_new(), .change = undo_create, .save = save, .restore = restore, .check = check_state, .ctx = u};
    u->now = (struct state){.addr = HADDR_UNDEF, .m = {.keys = 220}, .random = node_size};
    u->node_size = node_size;
    trial_run(&u->t, false);
    return u;
}

static void undo_end(struct undo *u)
{
    struct ts_file *f = writable_again(u->t.f, H5F_ACC_RDONLY);
    check_all(f, u->now.addr, &u->now.m);
    writable_close(f);
    free(u);
}

static void test_undo(void **state)
{
    (void)state;
    for (uint32_t node_size = 80; node_size <= 200; node_size += 120) {
        struct undo *u = undo_begin(node_size);
        if (node_size > 80)
            trial_without_cache(&u->t);
        undo_changes(u, 400);
        undo_end(u);
    }
}

/* A SWMR writer gives every node on the way another place with each change. */
static void test_undo_swmr(void **state)
{
    (void)state;
    struct undo *u = undo_begin(80);
    u->t.f->swmr = TS_SWMR_WRITER;
    undo_changes(u, 250);
    u->t.f->swmr = TS_SWMR_OFF;
    undo_end(u);
}

static void test_undo_delete(void **state)
{
    (void)state;
    struct undo *u = undo_begin(80);
    for (unsigned i = 0; i < 300; i++)
        ok(run_change(u->t.f, u->now.addr, &u->now.m, &u->now.random, 90));
    u->t.change = undo_delete;
    u->t.in_a_row = 0;
    u->t.failed = 0;
    trial_run(&u->t, false);
    assert_true(u->t.failed > 3);
    writable_close(u->t.f);
    free(u);
}

static void test_undo_reads(void **state)
{
    (void)state;
    faulty_start(NULL);
    struct undo *u = undo_begin(80);
    trial_without_cache(&u->t);
    u->t.calls = FAULTY_READ;
    undo_changes(u, 250);
    undo_end(u);
    faulty_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tiny_nodes), cmocka_unit_test(test_random_usual_nodes),
        cmocka_unit_test(test_one_way),           cmocka_unit_test(test_delete),
        cmocka_unit_test(test_shadows),           cmocka_unit_test(test_faults),
        cmocka_unit_test(test_undo),              cmocka_unit_test(test_undo_swmr),
        cmocka_unit_test(test_undo_delete),       cmocka_unit_test(test_undo_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
