/* What a file asks its clients, in which order, and how often. */
#include <string.h>

#include "file/alloc.h"
#include "unit/file/file_util.h"
#include "unit/cmocka_all.h"

/* A letter for each thing a client is asked, in order. */
static char asked[64];
static bool fails, has_more;

static void note(char c)
{
    size_t n = strlen(asked);
    assert_true(n + 1 < sizeof asked);
    asked[n] = c;
}

static int write_raw(struct ts_file *f)
{
    (void)f;
    note('w');
    return fails ? -1 : 0;
}

static int commit(struct ts_file *f)
{
    note('c');
    return commit_nothing(f);
}

static bool unfinished(struct ts_file *f)
{
    (void)f;
    return has_more;
}

static int finish(struct ts_file *f)
{
    (void)f;
    note('f');
    return 0;
}

static int first_change(struct ts_file *f)
{
    (void)f;
    note('1');
    return fails ? -1 : 0;
}

static int relieve(struct ts_file *f)
{
    (void)f;
    note('r');
    return 0;
}

static void refresh_cache(struct ts_file *f)
{
    (void)f;
    note('m');
}

static void refresh_links(struct ts_file *f)
{
    (void)f;
    note('l');
}

/* The state is the letter. */
static void drop(struct ts_file *f, void *state)
{
    assert_non_null(f->driver);
    note(*(const char *)state);
}

static const struct ts_client_ops chunks = {.write_raw = write_raw, .drop = drop};
static const struct ts_client_ops links = {.refresh = refresh_links, .drop = drop};
static const struct ts_client_ops extension = {
    .unfinished = unfinished, .finish = finish, .first_change = first_change, .drop = drop};
static const struct ts_client_ops metadata = {.commit = commit, .relieve = relieve, .refresh = refresh_cache, .drop = drop};

static const char *path;

/* They are attached in another order than they are asked in. */
static struct ts_file *make(void)
{
    struct ts_file *f;
    path = scratch("clients");
    assert_int_equal(ts_file_create(path, H5F_ACC_TRUNC, ts_plist_default(TS_PLIST_FILE_CREATE),
                                    ts_plist_default(TS_PLIST_FILE_ACCESS), &f), 0);
    ts_file_attach(f, TS_CLIENT_METADATA, &metadata, (char *)(uintptr_t) "M");
    ts_file_attach(f, TS_CLIENT_LINKS, &links, (char *)(uintptr_t) "L");
    ts_file_attach(f, TS_CLIENT_EXTENSION, &extension, (char *)(uintptr_t) "E");
    ts_file_attach(f, TS_CLIENT_CHUNKS, &chunks, (char *)(uintptr_t) "C");
    memset(asked, 0, sizeof asked);
    fails = has_more = false;
    return f;
}

static void flushes(void **state)
{
    (void)state;
    struct ts_file *f = make();
    assert_int_equal(ts_file_flush(f), 0);
    assert_string_equal(asked, "wc");
    has_more = true;
    assert_int_equal(ts_file_flush(f), 0);
    assert_string_equal(asked, "wcwcfc");
    ts_file_unref(f);
    assert_string_equal(asked, "wcwcfcwcfcCLEM");
    unlink(path);
}

/* Raw data that cannot be written keeps nothing else back. */
static void fails_at_raw_data(void **state)
{
    (void)state;
    struct ts_file *f = make();
    fails = true;
    assert_true(ts_file_flush(f) < 0);
    assert_string_equal(asked, "wc");
    fails = false;
    assert_int_equal(ts_file_flush(f), 0);
    ts_file_unref(f);
    unlink(path);
}

static int change(struct ts_file *f, bool touch)
{
    haddr_t addr;
    assert_int_equal(ts_change_begin(f), 0);
    return ts_change_end(f, touch ? ts_file_alloc(f, H5FD_MEM_DRAW, 100, &addr) : 0);
}

static void first_changes(void **state)
{
    (void)state;
    struct ts_file *f = make();
    assert_int_equal(change(f, true), 0);
    assert_string_equal(asked, "r");
    ts_change_await(f);
    assert_int_equal(change(f, false), 0);
    assert_string_equal(asked, "r");
    fails = true;
    assert_true(change(f, true) < 0);
    assert_string_equal(asked, "r1");
    assert_true(ts_change_awaited(f));
    fails = false;
    assert_int_equal(change(f, true), 0);
    assert_int_equal(change(f, true), 0);
    assert_string_equal(asked, "r11rr");
    assert_false(ts_change_awaited(f));
    ts_file_unref(f);
    unlink(path);
}

static void refreshes(void **state)
{
    (void)state;
    struct ts_file *f = make();
    ts_clients_refresh(f);
    assert_string_equal(asked, "");
    ts_file_unref(f);
    memset(asked, 0, sizeof asked);
    assert_int_equal(ts_file_open(path, H5F_ACC_SWMR_READ, ts_plist_default(TS_PLIST_FILE_ACCESS), &f), 0);
    ts_file_attach(f, TS_CLIENT_LINKS, &links, (char *)(uintptr_t) "L");
    ts_file_attach(f, TS_CLIENT_METADATA, &metadata, (char *)(uintptr_t) "M");
    ts_clients_refresh(f);
    assert_string_equal(asked, "ml");
    ts_file_unref(f);
    assert_string_equal(asked, "mlLM");
    unlink(path);
}

static void attaches_once(void **state)
{
    (void)state;
    char late = 'X';
    struct ts_file *f = make();
    void *there = ts_file_client(f, TS_CLIENT_LINKS);
    assert_ptr_equal(ts_file_attach(f, TS_CLIENT_LINKS, &links, &late), there);
    assert_ptr_equal(ts_file_client(f, TS_CLIENT_LINKS), there);
    assert_null(ts_file_client(f, TS_CLIENT_HEAPS));
    ts_file_unref(f);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flushes), cmocka_unit_test(fails_at_raw_data),
                                       cmocka_unit_test(first_changes), cmocka_unit_test(refreshes),
                                       cmocka_unit_test(attaches_once)};
    if (H5open() < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
