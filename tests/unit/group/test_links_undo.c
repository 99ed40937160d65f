/* Links that are entered or removed, and the change fails: the group has what it had. */
#include "unit/heap/failing.h"

#include "filter/pipeline.h"
#include "group/dense.h"
#include "group/symtab.h"

enum { NAMES = 80, AT_ONCE = 6 };

struct world {
    bool dense;
    struct ts_symbol_table table;
    struct ts_link_info info;
    unsigned values[NAMES]; /* 0: there is no such link */
    size_t at[AT_ONCE], n;  /* to be entered or removed */
    unsigned now;           /* what those that are entered get */
    uint32_t state;
};

static void name_of(size_t i, char *name)
{
    sprintf(name, "%.*s%zu", (int)(i * 13 % 30), "abcdefghijklmnopqrstuvwxyzabcd", i);
}

/* Some are hard links, to an address that is the value; others say it. */
static struct ts_link link_of(size_t i, unsigned value, char *name, char *text)
{
    struct ts_link link = {.name = name,
                           .type = i % 3 ? H5L_TYPE_HARD : H5L_TYPE_SOFT,
                           .corder_valid = true,
                           .corder = value,
                           .addr = i % 3 ? value : HADDR_UNDEF,
                           .cached_btree = HADDR_UNDEF,
                           .cached_heap = HADDR_UNDEF};
    name_of(i, name);
    sprintf(text, "/to/%u", value);
    if (link.type == H5L_TYPE_SOFT) {
        link.value = text;
        link.value_size = strlen(text);
    }
    return link;
}

static int enter(struct ts_file *f, struct world *w, const struct ts_link *link)
{
    struct ts_wr message = {0};
    if (!w->dense)
        return ts_symtab_insert(f, &w->table, link);
    int status = ts_link_encode(link, ts_file_addr_size(f), &message);
    if (status == 0)
        status = ts_dense_insert(f, &w->info, link, &message, false);
    ts_wr_free(&message);
    return status;
}

static int change(struct ts_file *f, void *ctx)
{
    struct world *w = ctx;
    int status = 0;
    for (size_t i = 0; status >= 0 && i < w->n; i++) {
        char name[80], text[80];
        unsigned value = w->values[w->at[i]];
        struct ts_link link = link_of(w->at[i], value ? value : w->now + (unsigned)i, name, text), found;
        if (value == 0)
            status = enter(f, w, &link);
        else
            status = w->dense ? ts_dense_remove(f, &w->info, &link) : ts_symtab_remove(f, &w->table, name);
        assert_true(value == 0 || status != 0);
        /* So that an order of names is remembered that will not be. */
        if (status >= 0 && w->dense && ts_dense_at_name(f, &w->info, false, 0, &found) == 0)
            ts_link_deinit(&found);
    }
    return status < 0 ? -1 : 0;
}

static void check_link(const struct ts_link *found, size_t i, unsigned value)
{
    char name[80], text[80];
    struct ts_link link = link_of(i, value, name, text);
    assert_string_equal(found->name, name);
    assert_int_equal(found->type, link.type);
    assert_int_equal(found->addr, link.addr);
    if (link.type == H5L_TYPE_SOFT)
        assert_string_equal(found->value, text);
}

static int by_name(const void *a, const void *b)
{
    char x[80], y[80];
    name_of(*(const size_t *)a, x);
    name_of(*(const size_t *)b, y);
    return strcmp(x, y);
}

static void check(struct ts_file *f, void *ctx)
{
    const struct world *w = ctx;
    size_t there[NAMES], n = 0;
    hsize_t count;
    ok(w->dense ? ts_dense_verify(f, &w->info) : ts_symtab_verify(f, &w->table));
    ok(w->dense ? ts_dense_count(f, &w->info, &count) : ts_symtab_count(f, &w->table, &count));
    for (size_t i = 0; i < NAMES; i++) {
        struct ts_link found;
        char name[80];
        name_of(i, name);
        int status =
            ok(w->dense ? ts_dense_find(f, &w->info, name, &found) : ts_symtab_find(f, &w->table, name, &found));
        assert_int_equal(status, w->values[i] != 0);
        if (status == 0)
            continue;
        check_link(&found, i, w->values[i]);
        ts_link_deinit(&found);
        there[n++] = i;
    }
    assert_int_equal(count, n);
    qsort(there, n, sizeof *there, by_name);
    for (size_t i = 0; i < n; i++) {
        struct ts_link found;
        ok(w->dense ? ts_dense_at_name(f, &w->info, false, i, &found) : ts_symtab_at(f, &w->table, i, &found));
        check_link(&found, there[i], w->values[there[i]]);
        ts_link_deinit(&found);
    }
}

static void choose(struct world *w, bool growing)
{
    size_t most = draw(&w->state) % 4 > 0 ? 1 : AT_ONCE, from = draw(&w->state) % NAMES;
    w->n = 0;
    for (size_t i = 0; w->n == 0 || (i < NAMES && w->n < most); i++) {
        size_t at = (from + i * 7) % NAMES;
        if (draw(&w->state) % 8 == 0 || (w->values[at] == 0) == growing)
            w->at[w->n++] = at;
    }
}

static void adopt(struct world *w)
{
    for (size_t i = 0; i < w->n; i++)
        w->values[w->at[i]] = w->values[w->at[i]] ? 0 : w->now + (unsigned)i;
    w->now += (unsigned)w->n;
}

static void run(bool dense, unsigned steps, enum failing what)
{
    struct world w = {.dense = dense, .state = 5, .now = 1, .info = {.tracked = true, .indexed = true}};
    struct trial t = {change, check, &w};
    struct ts_pipeline none = {0};
    unsigned failures = 0;
    faulty_start(NULL);
    struct ts_file *f = writable_new();
    ts_meta_watching = true;
    ok(ts_change_begin(f));
    ok(ts_change_end(f, dense ? ts_dense_create(f, &none, &w.info) : ts_symtab_create(f, 16, &w.table)));
    for (unsigned i = 0; i < steps; i++) {
        choose(&w, i < steps / 2);
        if (i % 3 == 0)
            undo_around(f, &t);
        failures += try_until_made(f, &t, what);
        adopt(&w);
        check(f, &w);
        if (i % 16 == 7 && what == FAILING_ALLOCATIONS)
            failures += flush_until_made(f, &t);
        if (i % 30 == 29) {
            f = writable_again(f, H5F_ACC_RDWR);
            if (what == FAILING_READS)
                keep_little(f);
        }
    }
    ts_meta_watching = false;
    assert_true(failures > steps / 2);
    f = writable_again(f, H5F_ACC_RDWR);
    check(f, &w);
    writable_close(f);
    faulty_stop();
}

static void symbol_table(void **unused)
{
    (void)unused;
    run(false, 150, FAILING_ALLOCATIONS);
    run(false, 150, FAILING_READS);
}

static void dense_links(void **unused)
{
    (void)unused;
    run(true, 150, FAILING_ALLOCATIONS);
    run(true, 150, FAILING_READS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symbol_table), cmocka_unit_test(dense_links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
