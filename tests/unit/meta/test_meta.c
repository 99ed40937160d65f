/* The metadata cache of a file being written: order of writes, what stays, what goes. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "file/file.h"
#include "hdf5.h"
#include "meta/meta.h"
#include "plist/plist.h"

enum { BLOCK = 24 };

struct thing {
    haddr_t addr;
    uint64_t value;
};

static int freed, loaded;
static haddr_t written[4096]; /* in the order of encoding */
static size_t n_written;

static int thing_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    uint8_t buf[BLOCK];
    struct thing *t = ts_malloc(sizeof *t);
    if (!t)
        return -1;
    if (ts_file_read(f, addr, sizeof buf, buf) < 0) {
        ts_free(t);
        return -1;
    }
    struct ts_rd r = ts_rd_init(buf, sizeof buf);
    t->addr = addr;
    t->value = ts_rd_u64(&r);
    loaded++;
    *obj = t;
    *bytes = 1000;
    return 0;
}

static void thing_free(void *obj)
{
    freed++;
    ts_free(obj);
}

static int thing_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct thing *t = obj;
    assert_true(n_written < 4096);
    written[n_written++] = t->addr;
    struct ts_wr *w = ts_blocks_begin(out);
    ts_wr_u64(w, t->value);
    ts_wr_zeros(w, BLOCK - 8);
    return ts_blocks_end(out, t->addr);
}

static int thing_keep(struct ts_file *f, void *obj)
{
    return ts_undo_bytes(f, obj, sizeof(struct thing));
}

static const struct ts_meta_class thing_class = {
    .name = "thing", .load = thing_load, .free = thing_free, .encode = thing_encode, .keep = thing_keep};

static char path[64];

static int setup(void **state)
{
    H5open();
    snprintf(path, sizeof path, "/tmp/tessera-meta-%d.h5", (int)getpid());
    struct ts_file *f;
    if (ts_file_create(path, H5F_ACC_TRUNC, ts_plist_default(TS_PLIST_FILE_CREATE), ts_plist_default(TS_PLIST_FILE_ACCESS), &f) < 0 ||
        ts_meta_attach(f) < 0)
        return -1;
    /* Most calls want it, and there is one thread. */
    ts_file_lock(f);
    *state = f;
    freed = loaded = 0;
    n_written = 0;
    return 0;
}

static int teardown(void **state)
{
    ts_file_unlock(*state);
    ts_file_unref(*state);
    unlink(path);
    return 0;
}

static haddr_t make(struct ts_file *f, uint64_t value)
{
    haddr_t addr;
    struct thing *t = ts_malloc(sizeof *t);
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, BLOCK, &addr), 0);
    *t = (struct thing){addr, value};
    assert_int_equal(ts_meta_insert(f, &thing_class, addr, t, 1000), 0);
    ts_meta_unpin(f, addr);
    assert_int_equal(ts_change_end(f, 0), 0);
    return addr;
}

static void set(struct ts_file *f, haddr_t addr, uint64_t value)
{
    void *obj;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_meta_pin(f, &thing_class, addr, NULL, &obj), 0);
    assert_int_equal(ts_meta_edit(f, addr), 0);
    ((struct thing *)obj)->value = value;
    ts_meta_unpin(f, addr);
    assert_int_equal(ts_change_end(f, 0), 0);
}

static uint64_t get(struct ts_file *f, haddr_t addr)
{
    void *obj;
    assert_int_equal(ts_meta_pin(f, &thing_class, addr, NULL, &obj), 0);
    uint64_t value = ((struct thing *)obj)->value;
    ts_meta_unpin(f, addr);
    return value;
}

static size_t place(haddr_t addr)
{
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < n_written; i++)
        if (written[i] == addr) {
            assert_true(at == SIZE_MAX);
            at = i;
        }
    return at;
}

static void set_budget(struct ts_file *f, size_t bytes)
{
    H5AC_cache_config_t config;
    ts_meta_config(f, &config);
    config.max_size = bytes;
    ts_meta_configure(f, &config);
}

static void children_are_written_first(void **state)
{
    struct ts_file *f = *state;
    haddr_t a[6];
    for (int i = 0; i < 6; i++)
        a[i] = make(f, (uint64_t)i);
    /* 0 <- 1 <- 2 <- 3 and 4 waits for all, 5 for none. */
    for (int i = 0; i < 3; i++)
        assert_int_equal(ts_meta_depend(f, a[i], a[i + 1]), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ts_meta_depend(f, a[4], a[i]), 0);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(n_written, 6);
    for (int i = 0; i < 3; i++)
        assert_true(place(a[i + 1]) < place(a[i]));
    assert_true(place(a[0]) < place(a[4]));

    n_written = 0;
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(n_written, 0);
    set(f, a[4], 40);
    set(f, a[2], 20);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(n_written, 2);
    assert_true(place(a[2]) < place(a[4]));
}

static void circles_are_refused(void **state)
{
    struct ts_file *f = *state;
    haddr_t a = make(f, 1), b = make(f, 2), c = make(f, 3);
    assert_int_equal(ts_meta_depend(f, a, b), 0);
    assert_int_equal(ts_meta_depend(f, a, b), 0);
    assert_int_equal(ts_meta_depend(f, b, c), 0);
    assert_int_equal(ts_meta_depend(f, c, a), -1);
    assert_int_equal(ts_meta_depend(f, a, a), -1);
    ts_meta_undepend(f, b, c);
    assert_int_equal(ts_meta_depend(f, c, a), 0);
    assert_int_equal(ts_file_flush(f), 0);
    assert_true(place(b) < place(a) && place(a) < place(c));
}

/* One that is gone is on file. A parent that is gone could not be told, so it must not be. */
static void what_left_the_cache_is_not_waited_for(void **state)
{
    struct ts_file *f = *state;
    haddr_t parent = make(f, 1), child = make(f, 2);
    assert_int_equal(ts_file_flush(f), 0);
    set_budget(f, 1);
    assert_int_equal(ts_meta_depend(f, parent, child), -1);
    assert_int_equal(ts_change_begin(f), 0);
    set(f, parent, 11);
    assert_int_equal(ts_meta_depend(f, parent, child), 0);
    assert_int_equal(ts_meta_depend(f, parent, HADDR_UNDEF), 0);
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(get(f, parent), 11);
}

static void the_dirty_and_their_parents_stay(void **state)
{
    struct ts_file *f = *state;
    haddr_t parent = make(f, 1), child = make(f, 2), other = make(f, 3);
    assert_int_equal(ts_file_flush(f), 0);
    set(f, child, 22);
    assert_int_equal(ts_meta_depend(f, parent, child), 0);
    set_budget(f, 1);
    struct ts_meta_stats stats;
    ts_meta_stats(f, &stats);
    assert_int_equal(stats.entries, 2);
    assert_int_equal(stats.dirty_entries, 1);
    loaded = 0;
    assert_int_equal(get(f, parent), 1);
    assert_int_equal(get(f, child), 22);
    assert_int_equal(loaded, 0);
    assert_int_equal(get(f, other), 3);
    assert_int_equal(loaded, 1);
    assert_int_equal(ts_file_flush(f), 0);
    ts_meta_stats(f, &stats);
    assert_int_equal(stats.entries, 0);
    assert_int_equal(stats.bytes, 0);
    assert_int_equal(stats.dirty_bytes, 0);
    assert_int_equal(get(f, child), 22);
}

static void what_is_dirty_is_written_when_it_outgrows_the_budget(void **state)
{
    struct ts_file *f = *state;
    set_budget(f, 50000);
    for (int i = 0; i < 200; i++)
        make(f, (uint64_t)i);
    struct ts_meta_stats stats;
    ts_meta_stats(f, &stats);
    assert_true(stats.dirty_bytes <= 25000);
    assert_true(stats.bytes <= 50000);
    assert_true(n_written > 150 && n_written <= 200);
}

/* While an object is corked, and in the file of a SWMR writer, only a flush writes. */
static void nothing_is_written_unasked(void **state)
{
    struct ts_file *f = *state;
    set_budget(f, 1);
    ts_meta_cork(f, 1);
    ts_meta_cork(f, 1);
    haddr_t a = make(f, 1);
    assert_int_equal(n_written, 0);
    ts_meta_cork(f, -1);
    set(f, a, 2);
    assert_int_equal(n_written, 0);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(n_written, 1);
    ts_meta_cork(f, -1);
    set(f, a, 3);
    assert_int_equal(n_written, 2);
    f->swmr = TS_SWMR_WRITER;
    set(f, a, 4);
    assert_int_equal(n_written, 2);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(n_written, 3);
    f->swmr = TS_SWMR_OFF;
}

static void removed_ones_are_not_written_and_live_while_pinned(void **state)
{
    struct ts_file *f = *state;
    void *old, *new_one;
    haddr_t a = make(f, 1), b = make(f, 2);
    assert_int_equal(ts_meta_depend(f, b, a), 0);
    assert_int_equal(ts_meta_pin(f, &thing_class, a, NULL, &old), 0);
    freed = 0;
    ts_meta_remove(f, a);
    assert_int_equal(freed, 0);
    assert_int_equal(((struct thing *)old)->value, 1);
    /* Another at the same address, while the first is still in somebody's hands. */
    struct thing *t = ts_malloc(sizeof *t);
    *t = (struct thing){a, 77};
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_change_end(f, ts_meta_insert(f, &thing_class, a, t, 1000)), 0);
    assert_int_equal(ts_meta_pin(f, &thing_class, a, NULL, &new_one), 0);
    assert_ptr_equal(new_one, t);
    ts_meta_unpin(f, a);
    ts_meta_unpin(f, a);
    assert_int_equal(((struct thing *)old)->value, 1);
    ts_meta_unpin(f, a);
    assert_int_equal(freed, 1);
    ts_meta_remove(f, b);
    assert_int_equal(freed, 2);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(n_written, 1);
    assert_int_equal(written[0], a);
}

static void moved_ones_keep_pins_and_dependencies(void **state)
{
    struct ts_file *f = *state;
    void *obj;
    haddr_t parent = make(f, 1), a = make(f, 2), to;
    assert_int_equal(ts_file_flush(f), 0);
    n_written = 0;
    assert_int_equal(ts_meta_depend(f, parent, a), 0);
    set(f, parent, 11);
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, BLOCK, &to), 0);
    assert_int_equal(ts_meta_pin(f, &thing_class, a, NULL, &obj), 0);
    assert_int_equal(ts_meta_move(f, a, to), 0);
    ((struct thing *)obj)->addr = to;
    ts_meta_unpin(f, to);
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(n_written, 2);
    assert_int_equal(written[0], to);
    set_budget(f, 1);
    assert_int_equal(get(f, to), 2);
    assert_int_equal(get(f, parent), 11);
}

/* Random dependencies, changes and flushes: no parent before its dirty child, every value as last set. */
static void random_graphs(void **state)
{
    enum { N = 60 };
    struct ts_file *f = *state;
    haddr_t addr[N];
    uint64_t value[N];
    bool dirty[N], above[N][N] = {{false}};
    srand(7);
    for (int i = 0; i < N; i++) {
        addr[i] = make(f, value[i] = (uint64_t)rand());
        dirty[i] = true;
    }
    for (int step = 0; step < 20000; step++) {
        int i = rand() % N, j = rand() % N;
        switch (rand() % 8) {
        case 0:
            if (rand() % 20)
                break;
            n_written = 0;
            assert_int_equal(ts_file_flush(f), 0);
            for (int p = 0; p < N; p++) {
                assert_int_equal(place(addr[p]) != SIZE_MAX, dirty[p]);
                for (int c = 0; c < N; c++)
                    if (above[p][c] && dirty[p] && dirty[c])
                        assert_true(place(addr[c]) < place(addr[p]));
            }
            for (int p = 0; p < N; p++)
                dirty[p] = false;
            break;
        case 1:
        case 2:
            /* Only from smaller to larger: never a circle. */
            if (i < j && get(f, addr[i]) == value[i] && get(f, addr[j]) == value[j]) {
                assert_int_equal(ts_meta_depend(f, addr[i], addr[j]), 0);
                above[i][j] = true;
            }
            break;
        case 3:
            ts_meta_undepend(f, addr[i], addr[j]);
            above[i][j] = false;
            break;
        default:
            set(f, addr[i], value[i] = (uint64_t)rand());
            dirty[i] = true;
        }
    }
    assert_int_equal(ts_file_flush(f), 0);
    set_budget(f, 1);
    for (int i = 0; i < N; i++)
        assert_int_equal(get(f, addr[i]), value[i]);
}

static void a_failed_change_is_undone(void **state)
{
    struct ts_file *f = *state;
    haddr_t a = make(f, 1);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_change_end(f, TS_ERR(ARGS, BADVALUE, "a wrong argument")), -1);
    set(f, a, 2);
    assert_int_equal(ts_change_begin(f), 0);
    void *obj;
    assert_int_equal(ts_meta_pin(f, &thing_class, a, NULL, &obj), 0);
    assert_int_equal(ts_meta_edit(f, a), 0);
    ((struct thing *)obj)->value = 3;
    ts_meta_unpin(f, a);
    assert_int_equal(ts_change_end(f, TS_ERR(RESOURCE, NOSPACE, "half done")), -1);
    assert_int_equal(get(f, a), 2);
    assert_int_equal(ts_file_flush(f), 0);
    uint8_t buf[8];
    assert_int_equal(ts_file_read(f, a, sizeof buf, buf), 0);
    assert_int_equal(buf[0], 2);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(children_are_written_first),
        CASE(circles_are_refused),
        CASE(what_left_the_cache_is_not_waited_for),
        CASE(the_dirty_and_their_parents_stay),
        CASE(what_is_dirty_is_written_when_it_outgrows_the_budget),
        CASE(nothing_is_written_unasked),
        CASE(removed_ones_are_not_written_and_live_while_pinned),
        CASE(moved_ones_keep_pins_and_dependencies),
        CASE(random_graphs),
        CASE(a_failed_change_is_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
