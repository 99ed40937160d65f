/* A version 1 B-tree as groups use it: leaf entries stand for buckets of sorted names, and the key to the right of one
 * is its greatest name. Here names are numbers and buckets are in memory. Once a name is removed no key may have it. */
#include "base/cursor.h"
#include "format/btree1.h"
#include "index/btree1.h"
#include "unit/index/undo.h"

#define NAMES 4000
#define BUCKETS 4000
#define FULL 4

struct bucket {
    uint32_t names[FULL + 1];
    unsigned n;
    bool used;
};

struct client {
    struct ts_btree1 tree;
    struct bucket *buckets; /* a child is the number of one, behind any address */
    bool *there;
    size_t n;
    uint32_t name;
    bool found;
    unsigned removed; /* keys with a name that is gone */
};

static uint64_t get_key(const uint8_t *key)
{
    struct ts_rd r = ts_rd_init(key, 8);
    return ts_rd_u64(&r);
}

static void put_key(uint8_t *key, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        key[i] = (uint8_t)(v >> 8 * i);
}

#define FIRST_CHILD ((haddr_t)1 << 40)

static struct bucket *bucket_at(const struct client *c, haddr_t child)
{
    return &c->buckets[child - FIRST_CHILD];
}

static int locate(const uint8_t *left, const uint8_t *right, void *ctx, int *order)
{
    const struct client *c = ctx;
    *order = c->name <= get_key(left) ? -1 : c->name > get_key(right);
    return 0;
}

static haddr_t new_bucket(struct client *c)
{
    for (size_t i = 0; i < BUCKETS; i++)
        if (!c->buckets[i].used) {
            c->buckets[i] = (struct bucket){.used = true};
            return FIRST_CHILD + i;
        }
    fail_msg("no bucket left");
    return 0;
}

static void put_name(struct bucket *b, uint32_t name)
{
    unsigned i = b->n++;
    for (; i > 0 && b->names[i - 1] > name; i--)
        b->names[i] = b->names[i - 1];
    b->names[i] = name;
}

static int add_name(struct ts_btree1_slot *s, void *ctx)
{
    struct client *c = ctx;
    if (s->none) {
        s->new_child = new_bucket(c);
        put_name(bucket_at(c, s->new_child), c->name);
        put_key(s->left, 0);
        put_key(s->right, c->name);
        return TS_BTREE1_FIRST;
    }
    assert_true(s->order >= 0);
    struct bucket *b = bucket_at(c, s->child);
    put_name(b, c->name);
    if (s->order > 0)
        put_key(s->right, c->name);
    if (b->n <= FULL)
        return TS_BTREE1_UPDATE;
    s->new_child = new_bucket(c);
    struct bucket *right = bucket_at(c, s->new_child);
    for (unsigned i = FULL / 2; i <= FULL; i++)
        put_name(right, b->names[i]);
    b->n = FULL / 2;
    put_key(s->new_key, b->names[b->n - 1]);
    return TS_BTREE1_ADD_RIGHT;
}

static int remove_name(struct ts_btree1_slot *s, void *ctx)
{
    struct client *c = ctx;
    if (s->none || s->order != 0)
        return TS_BTREE1_KEEP;
    struct bucket *b = bucket_at(c, s->child);
    unsigned i = 0;
    while (i < b->n && b->names[i] != c->name)
        i++;
    if (i == b->n)
        return TS_BTREE1_KEEP;
    c->found = true;
    bool last = ++i == b->n;
    for (; i < b->n; i++)
        b->names[i - 1] = b->names[i];
    if (--b->n == 0) {
        b->used = false;
        return TS_BTREE1_REMOVE_RIGHT;
    }
    if (!last)
        return TS_BTREE1_KEEP;
    put_key(s->right, b->names[b->n - 1]);
    return TS_BTREE1_UPDATE;
}

static int in_order(const uint8_t *a, const uint8_t *b, void *ctx)
{
    struct client *c = ctx;
    uint64_t x = get_key(a), y = get_key(b);
    c->removed += (x > 0 && !c->there[x]) + (y > 0 && !c->there[y]);
    return x < y ? -1 : x > y;
}

static int count_names(const struct ts_btree1_entry *e, void *ctx)
{
    struct client *c = ctx;
    const struct bucket *b = bucket_at(c, e->child);
    for (unsigned i = 0; i < b->n; i++) {
        assert_true(c->there[b->names[i]]);
        assert_true(b->names[i] > get_key(e->left) && b->names[i] <= get_key(e->right));
    }
    assert_int_equal(b->names[b->n - 1], get_key(e->right));
    c->n += b->n;
    return 0;
}

static void check(struct client *c, size_t n)
{
    const char *reason = NULL;
    c->removed = 0;
    if (!ok(ts_btree1_verify(&c->tree, in_order, c, &reason)))
        fail_msg("%s", reason);
    assert_int_equal(c->removed, 0);
    c->n = 0;
    ok(ts_btree1_iterate(&c->tree, count_names, c));
    assert_int_equal(c->n, n);
}

static void reopen(struct client *c, unsigned k)
{
    c->tree.file = writable_again(c->tree.file, H5F_ACC_RDWR);
    c->tree.file->sb.group_internal_k = k;
}

static void random_names(unsigned k, unsigned changes)
{
    struct client c = {.tree = {.file = writable_new(), .type = TS_BTREE1_GROUP, .key_size = 8},
                       .buckets = calloc(BUCKETS, sizeof *c.buckets),
                       .there = calloc(NAMES, sizeof *c.there)};
    uint32_t random = 11;
    size_t n = 0;
    c.tree.file->sb.group_internal_k = k;
    ok(ts_change_begin(c.tree.file));
    ok(ts_change_end(c.tree.file, ts_btree1_create(c.tree.file, TS_BTREE1_GROUP, 8, &c.tree.root)));
    for (unsigned i = 0; i < changes; i++) {
        bool add = draw(&random) % 100 < (i / (changes / 6) % 2 ? 8 : 90);
        c.name = 1 + draw(&random) % (NAMES - 1);
        c.found = false;
        if (add && c.there[c.name])
            continue;
        n += add;
        ok(ts_change_begin(c.tree.file));
        ok(ts_change_end(c.tree.file, ts_btree1_edit(&c.tree, locate, add ? add_name : remove_name, &c)));
        assert_int_equal(c.found, !add && c.there[c.name]);
        n -= c.found;
        c.there[c.name] = add;
        if (i % 499 == 0)
            check(&c, n);
        if (i % 9001 == 0)
            reopen(&c, k);
    }
    for (c.name = 1; c.name < NAMES; c.name++) {
        ok(ts_change_begin(c.tree.file));
        ok(ts_change_end(c.tree.file, ts_btree1_edit(&c.tree, locate, remove_name, &c)));
        c.there[c.name] = false;
        if (c.name % 500 == 0) {
            for (n = 0, random = 1; random < NAMES; random++)
                n += c.there[random];
            check(&c, n);
        }
    }
    ok(ts_change_begin(c.tree.file));
    ok(ts_change_end(c.tree.file, ts_btree1_delete(&c.tree, NULL, NULL)));
    struct ts_meta_stats stats;
    ts_meta_stats(c.tree.file, &stats);
    assert_int_equal(stats.entries, 0);
    writable_close(c.tree.file);
    free(c.buckets);
    free(c.there);
}

static void test_tiny_nodes(void **state)
{
    (void)state;
    random_names(1, 40000);
    random_names(2, 40000);
}

static void test_usual_nodes(void **state)
{
    (void)state;
    random_names(16, 60000);
}

#define UNDO_NAMES 160

/* A tree, or none yet, with what its client has in memory and where the next change is drawn from. */
struct state {
    haddr_t root;
    struct bucket buckets[UNDO_NAMES];
    bool there[UNDO_NAMES];
    size_t n;
    uint32_t random;
};

struct undo {
    struct trial t;
    struct client c;
    struct state now, saved;
    unsigned add_percent;
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
    u->c.tree.root = u->now.root;
}

static void check_state(void *ctx)
{
    struct undo *u = ctx;
    struct ts_meta_stats stats;
    ts_meta_stats(u->t.f, &stats);
    if (u->now.root != HADDR_UNDEF)
        check(&u->c, u->now.n);
    else
        assert_int_equal(stats.entries, 0);
}

static int undo_create(void *ctx)
{
    struct undo *u = ctx;
    if (ts_btree1_create(u->t.f, TS_BTREE1_GROUP, 8, &u->now.root) < 0)
        return -1;
    u->c.tree.root = u->now.root;
    return 0;
}

static int undo_change(void *ctx)
{
    struct undo *u = ctx;
    bool add = draw(&u->now.random) % 100 < u->add_percent;
    u->c.name = 1 + draw(&u->now.random) % (UNDO_NAMES - 1);
    u->c.found = false;
    if (add && u->now.there[u->c.name])
        return 0;
    if (ts_btree1_edit(&u->c.tree, locate, add ? add_name : remove_name, &u->c) < 0)
        return -1;
    assert_int_equal(u->c.found, !add && u->now.there[u->c.name]);
    u->now.there[u->c.name] = add;
    u->now.n = u->now.n + add - u->c.found;
    return 0;
}

static int undo_delete(void *ctx)
{
    struct undo *u = ctx;
    if (ts_btree1_delete(&u->c.tree, NULL, NULL) < 0)
        return -1;
    u->now.root = HADDR_UNDEF;
    return 0;
}

static struct undo *undo_begin(unsigned k)
{
    struct undo *u = calloc(1, sizeof *u);
    u->t = (struct trial){
        .f = writable_new(), .change = undo_create, .save = save, .restore = restore, .check = check_state, .ctx = u};
    u->now = (struct state){.root = HADDR_UNDEF, .random = 17 + k};
    u->c = (struct client){.tree = {.file = u->t.f, .type = TS_BTREE1_GROUP, .key_size = 8},
                           .buckets = u->now.buckets,
                           .there = u->now.there};
    u->t.f->sb.group_internal_k = k;
    trial_run(&u->t, false);
    return u;
}

/* Grows, and shrinks until little is left. */
static void undo_changes(struct undo *u, unsigned n)
{
    u->t.change = undo_change;
    u->t.in_a_row = 8;
    for (unsigned i = 0; i < n; i++) {
        u->add_percent = i < n / 2 ? 92 : 5;
        trial_run(&u->t, i % 3 == 0);
        if (i % 11 == 10)
            ok(ts_file_flush(u->t.f));
    }
    assert_true(u->t.failed > 2 * n);
}

static void undo_end(struct undo *u, unsigned k)
{
    reopen(&u->c, k);
    u->t.f = u->c.tree.file;
    check(&u->c, u->now.n);
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
    for (unsigned k = 1; k <= 4; k++) {
        struct undo *u = undo_begin(k);
        if (k % 2 == 0)
            trial_without_cache(&u->t);
        undo_changes(u, 350);
        undo_end(u, k);
    }
}

static void test_undo_reads(void **state)
{
    (void)state;
    faulty_start(NULL);
    struct undo *u = undo_begin(1);
    trial_without_cache(&u->t);
    u->t.calls = FAULTY_READ;
    undo_changes(u, 300);
    undo_end(u, 1);
    faulty_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiny_nodes), cmocka_unit_test(test_usual_nodes),
                                       cmocka_unit_test(test_undo), cmocka_unit_test(test_undo_reads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
