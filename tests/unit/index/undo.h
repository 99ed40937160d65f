/* Changes that fail, at every place where they can, against a model of what must be there then: as if they had never
 * been tried. */
#ifndef TESTS_UNIT_INDEX_UNDO_H
#define TESTS_UNIT_INDEX_UNDO_H

#include "file/internal.h"
#include "support/faulty.h"
#include "unit/index/writable.h"

struct trial {
    struct ts_file *f;
    int (*change)(void *ctx);   /* changes structure and model; does the same after `restore` */
    void (*save)(void *ctx);    /* the model and all that the next change is drawn from */
    void (*restore)(void *ctx); /* as saved last */
    void (*check)(void *ctx);   /* structure and model are the same */
    void *ctx;
    unsigned in_a_row; /* so many more make one that fails in the end */
    unsigned failed; /* how often an allocation or a read made a change fail */
    unsigned calls;  /* of FAULTY_*, which fail in turn; 0: allocations do */
};

struct trial_state {
    uint64_t used; /* bytes of the file */
    size_t dirty;
};

static inline uint64_t trial_used(struct ts_file *f)
{
    struct ts_free_piece *pieces;
    size_t n;
    uint64_t used = ts_alloc_end_after(f);
    ok(ts_alloc_list(f, &pieces, &n));
    for (size_t i = 0; i < n; i++)
        used -= pieces[i].size;
    ts_free(pieces);
    return used;
}

static inline struct trial_state trial_look(const struct trial *t)
{
    struct ts_meta_stats stats;
    ts_meta_stats(t->f, &stats);
    return (struct trial_state){.used = trial_used(t->f), .dirty = stats.dirty_entries};
}

/* Nothing is left of what failed, in the structure, the model or the file. */
static inline void trial_same(const struct trial *t, const struct trial_state *before)
{
    ts_err_clear();
    t->restore(t->ctx);
    struct trial_state now = trial_look(t);
    assert_int_equal(now.used, before->used);
    assert_int_equal(now.dirty, before->dirty);
    assert_false(t->f->broken);
    t->check(t->ctx);
}

/* The change is made, and fails in the end. */
static inline void trial_in_vain(struct trial *t)
{
    struct trial_state before = trial_look(t);
    ok(ts_change_begin(t->f));
    for (unsigned i = 0; i <= t->in_a_row; i++)
        ok(t->change(t->ctx));
    assert_true(ts_change_end(t->f, -1) < 0);
    trial_same(t, &before);
}

static inline void trial_set_fault(const struct trial *t, unsigned long n)
{
    if (t->calls)
        faulty_fail_at(n, t->calls, FAULTY_EIO, true);
    else
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
}

/* One inside another: what the outer one did before stays, or goes with it. */
static inline void trial_nested(struct trial *t)
{
    struct trial_state before = trial_look(t);
    ok(ts_change_begin(t->f));
    ok(t->change(t->ctx));
    ok(ts_change_begin(t->f));
    (void)t->change(t->ctx);
    assert_true(ts_change_end(t->f, -1) < 0);
    assert_true(ts_change_end(t->f, -1) < 0);
    trial_same(t, &before);
}

/* So that keeping what is there before a change needs memory each time. */
static inline void trial_lean(struct ts_undo *undo)
{
    if (undo->n > 0)
        return;
    ts_free(undo->steps);
    ts_free(undo->bytes);
    undo->steps = NULL;
    undo->bytes = NULL;
    undo->capacity = undo->bytes_capacity = 0;
}

static inline int trial_once(struct trial *t)
{
    if (ts_change_begin(t->f) < 0)
        return -1;
    return ts_change_end(t->f, t->change(t->ctx));
}

/* The change with its n-th allocation or read failing, for all n, until it is made. Inside another change when nested, which
 * goes on after those that failed. */
static inline void trial_make(struct trial *t, bool nested)
{
    int status = -1;
    if (nested)
        ok(ts_change_begin(t->f));
    for (unsigned long n = 1; status < 0; n++) {
        struct trial_state before = trial_look(t);
        assert_true(n < 10000);
        trial_lean(&t->f->undo);
        trial_set_fault(t, n);
        status = trial_once(t);
        trial_set_fault(t, 0);
        if (status < 0) {
            t->failed++;
            trial_same(t, &before);
        }
        /* Without memory to go back with the outer one fails, too. */
        if (nested && t->f->undo.doomed) {
            assert_true(ts_change_end(t->f, 0) < 0);
            trial_same(t, &before);
            ok(ts_change_begin(t->f));
        }
    }
    if (nested)
        ok(ts_change_end(t->f, 0));
    ts_err_clear();
    t->check(t->ctx);
}

/* All of it; the change is made once. */
static inline void trial_run(struct trial *t, bool nested)
{
    ts_meta_watching = true;
    t->save(t->ctx);
    trial_in_vain(t);
    if (nested)
        trial_nested(t);
    trial_make(t, nested);
    ts_meta_watching = false;
}

/* Whatever is clean leaves the metadata cache after each change, and hardly anything stays dirty: all must be read. */
static inline void trial_without_cache(struct trial *t)
{
    H5AC_cache_config_t config;
    ts_meta_config(t->f, &config);
    config.max_size = 1;
    ts_meta_configure(t->f, &config);
}

#endif
