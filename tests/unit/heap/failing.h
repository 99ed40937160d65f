/* A change that is tried with its first allocation failing, then its second, and so on, or its reads, until it is made:
 * whenever it fails, all must be as it was. */
#ifndef TESTS_UNIT_HEAP_FAILING_H
#define TESTS_UNIT_HEAP_FAILING_H

#include "file/internal.h"
#include "support/faulty.h"
#include "unit/index/writable.h"

struct trial {
    /* Inside a change; the same whenever it is called. */
    int (*change)(struct ts_file *f, void *ctx);
    /* Compares with what there was before. */
    void (*check)(struct ts_file *f, void *ctx);
    void *ctx;
};

enum failing { FAILING_ALLOCATIONS, FAILING_READS };

/* So that memory for the steps back may be short, too. */
static inline void forget_steps(struct ts_file *f)
{
    uint64_t numbered = f->undo.numbered;
    ts_undo_deinit(&f->undo);
    f->undo.numbered = numbered;
}

static inline void fail_at(enum failing what, unsigned long n)
{
    if (what == FAILING_ALLOCATIONS)
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
    else
        faulty_fail_at(n, FAULTY_READ, FAULTY_EIO, true);
}

static inline unsigned long made_since(enum failing what)
{
    return what == FAILING_ALLOCATIONS ? ts_alloc_fail_at(0, TS_FAULT_ONCE) : faulty_fail_at(0, 0, FAULTY_EIO, true);
}

static inline uint64_t space_in_use(struct ts_file *f)
{
    struct ts_free_piece *list;
    size_t n;
    ok(ts_alloc_list(f, &list, &n));
    uint64_t used = ts_alloc_end_after(f);
    for (size_t i = 0; i < n; i++)
        used -= list[i].size;
    ts_free(list);
    return used;
}

static inline int make(struct ts_file *f, const struct trial *t)
{
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, t->change(f, t->ctx));
}

/* How often it failed. */
static inline unsigned try_until_made(struct ts_file *f, const struct trial *t, enum failing what)
{
    for (unsigned n = 1;; n++) {
        haddr_t used = space_in_use(f);
        forget_steps(f);
        fail_at(what, n);
        int status = make(f, t);
        unsigned long made = made_since(what);
        if (status >= 0)
            return n - 1;
        assert_true(made >= n && ts_err_current()->depth > 0);
        ts_err_clear();
        assert_false(f->broken);
        assert_int_equal(space_in_use(f), used);
        t->check(f, t->ctx);
    }
}

/* The same for a flush, which settles what is dirty in a change of its own. */
static inline unsigned flush_until_made(struct ts_file *f, const struct trial *t)
{
    for (unsigned n = 1;; n++) {
        forget_steps(f);
        fail_at(FAILING_ALLOCATIONS, n);
        int status = ts_file_flush(f);
        made_since(FAILING_ALLOCATIONS);
        t->check(f, t->ctx);
        if (status >= 0)
            return n - 1;
        ts_err_clear();
        assert_false(f->broken);
    }
}

/* A change that is made inside one that is not, and one that is not inside one that is. */
static inline void undo_around(struct ts_file *f, const struct trial *t)
{
    ok(ts_change_begin(f));
    ok(make(f, t));
    assert_int_equal(ts_change_end(f, -1), -1);
    t->check(f, t->ctx);
    ok(ts_change_begin(f));
    ok(ts_change_begin(f));
    ok(t->change(f, t->ctx));
    assert_int_equal(ts_change_end(f, -1), -1);
    t->check(f, t->ctx);
    ok(ts_change_end(f, 0));
    t->check(f, t->ctx);
}

/* Entries go as soon as they may, and what is dirty is written at the end of each change. */
static inline void keep_little(struct ts_file *f)
{
    H5AC_cache_config_t config;
    ts_meta_config(f, &config);
    config.max_size = 1024;
    ts_meta_configure(f, &config);
}

#endif
