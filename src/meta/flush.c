#include "base/alloc.h"
#include "base/error.h"
#include "file/blocks.h"
#include "file/change.h"
#include "file/commit.h"
#include "file/mutation.h"
#include "meta/parts.h"

/* Where that harms nobody more is written as it comes, as long as the processor has it at hand, and its room is used
 * again: of 10,000 small datasets all at once took 12 of 100 more of the processor's time. */
enum { WRITE_BYTES = 256 << 10 };

/* A cache image, of which a commit writes what no block has, and a driver that writes no journal want all at once. */
static bool in_portions(const struct ts_file *f)
{
    return f->driver->cls->crash_safe && !f->bytes.overlay;
}

static int encode(struct ts_file *f, const struct ts_meta_entry *e, struct ts_blocks *out)
{
    if (!e->cls->encode)
        return TS_ERR(CACHE, CANTFLUSH, "%s: a %s is never written", f->name, e->cls->name);
    if (e->cls->encode(f, e->obj, out) < 0)
        return TS_ERR(CACHE, CANTFLUSH, "%s: cannot encode the %s at %#llx", f->name, e->cls->name,
                      (unsigned long long)e->addr);
    return out->bytes.size - out->kept < WRITE_BYTES || !in_portions(f) ? 0 : ts_file_write_fresh(f, out);
}

static struct ts_meta_entry *step_onto(struct ts_meta_entry *e, struct ts_meta_entry *from, uint64_t walk)
{
    e->walk = walk;
    e->stacked_on = from;
    e->cursor = e->children;
    return e;
}

static struct ts_meta_entry *push_parents(struct ts_meta_entry *of, struct ts_meta_entry *stack, uint64_t mark)
{
    for (struct ts_meta_edge *edge = of->parents; edge; edge = edge->next_parent) {
        struct ts_meta_entry *p = edge->parent;
        if (p->above == mark)
            continue;
        p->above = mark;
        p->stacked_on = stack;
        stack = p;
    }
    return stack;
}

/* A dirty entry waits for those below it also when what is between them is clean. */
static void mark_above(struct ts_meta *meta, uint64_t mark)
{
    for (struct ts_meta_entry *e = meta->dirty_first; e; e = e->dirty_next) {
        struct ts_meta_entry *stack = push_parents(e, NULL, mark);
        while (stack) {
            struct ts_meta_entry *top = stack;
            stack = push_parents(top, top->stacked_on, mark);
        }
    }
}

/* Encodes the dirty entries at and below e, children before parents. A walk by hand: nothing bounds its depth. */
static int encode_below(struct ts_file *f, struct ts_meta_entry *e, struct ts_blocks *out)
{
    uint64_t walk = ts_meta_of(f)->walks;
    struct ts_meta_entry *top = e->walk == walk ? NULL : step_onto(e, NULL, walk);
    while (top) {
        struct ts_meta_edge *edge = top->cursor;
        if (!edge) {
            if (top->dirty && encode(f, top, out) < 0)
                return -1;
            top = top->stacked_on;
            continue;
        }
        top->cursor = edge->next_child;
        struct ts_meta_entry *child = edge->child;
        bool waits = (child->dirty || child->above == walk) && !ts_mutation(TS_MUTATION_NO_DEPENDENCIES);
        if (waits && child->walk != walk)
            top = step_onto(child, top, walk);
    }
    return 0;
}

static int encode_all(struct ts_file *f, struct ts_blocks *out)
{
    struct ts_meta *meta = ts_meta_of(f);
    mark_above(meta, ++meta->walks);
    for (struct ts_meta_entry *e = meta->dirty_first; e; e = e->dirty_next)
        if (encode_below(f, e, out) < 0)
            return -1;
    return 0;
}

static bool wants_to_settle(const struct ts_meta_entry *e)
{
    return e->dirty && e->cls->settle && !e->settled;
}

static bool below_settled(const struct ts_meta_entry *e)
{
    for (const struct ts_meta_edge *edge = e->children; edge; edge = edge->next_child)
        if (wants_to_settle(edge->child))
            return false;
    return true;
}

/* Until nobody wants to: settling one may dirty others, and move entries. */
static int settle_all(struct ts_file *f)
{
    bool again = true;
    while (again) {
        again = false;
        for (struct ts_meta_entry *e = ts_meta_of(f)->dirty_first, *next; e; e = next) {
            bool now = wants_to_settle(e) && below_settled(e);
            if (now) {
                if (e->cls->settle(f, e->obj) < 0)
                    return TS_ERR(CACHE, CANTFLUSH, "%s: cannot prepare the %s at %#llx", f->name, e->cls->name,
                                  (unsigned long long)e->addr);
                /* What it did to itself is part of it. */
                e->settled = again = true;
            }
            next = e->dirty_next;
        }
    }
    return 0;
}

static void clean_all(struct ts_file *f)
{
    struct ts_meta *meta = ts_meta_of(f);
    while (meta->dirty_first)
        ts_meta_set_clean(meta, meta->dirty_first);
    ts_meta_shrink(f);
}

static int commit(struct ts_file *f)
{
    TS_FILE_HELD(f);
    struct ts_blocks blocks = {0};
    int status = ts_change_begin(f);
    if (status < 0)
        return -1;
    status = ts_change_end(f, settle_all(f));
    if (status == 0)
        status = encode_all(f, &blocks);
    if (status == 0)
        status = ts_file_commit(f, &blocks);
    if (status == 0)
        clean_all(f);
    ts_blocks_deinit(&blocks);
    return status;
}

/* Those who hold begin with the file's lock and end without it. */
static bool held(struct ts_meta *meta)
{
    ts_mutex_lock(&meta->lock);
    bool held = meta->holds > 0;
    ts_mutex_unlock(&meta->lock);
    return held;
}

/* With the file's lock. Other threads need it to get their chunks into the file. */
static void wait_for_release(struct ts_file *f)
{
    TS_FILE_HELD(f);
    struct ts_meta *meta = ts_meta_of(f);
    while (held(meta)) {
        ts_mutex_lock(&meta->lock);
        unsigned depth = ts_file_lock_release(f);
        while (meta->holds > 0)
            ts_cond_wait(&meta->released, &meta->lock);
        ts_mutex_unlock(&meta->lock);
        ts_file_lock_restore(f, depth);
    }
}

int ts_meta_commit(struct ts_file *f)
{
    ts_file_lock(f);
    wait_for_release(f);
    int status = commit(f);
    ts_file_unlock(f);
    return status < 0 ? TS_ERR(FILE, CANTFLUSH, "%s: cannot flush metadata", f->name) : 0;
}

int ts_meta_relieve(struct ts_file *f)
{
    struct ts_meta *meta = ts_meta_of(f);
    ts_meta_shrink(f);
    /* Raw data stays where it is: its locks come before the file's. No index names what is not on file yet. */
    if (meta->dirty_bytes <= meta->config.max_size / 2 || held(meta))
        return 0;
    if (meta->corks > 0 || f->swmr == TS_SWMR_WRITER)
        return 0;
    return commit(f);
}

void ts_meta_hold(struct ts_file *f)
{
    TS_FILE_HELD(f);
    struct ts_meta *meta = ts_meta_of(f);
    ts_mutex_lock(&meta->lock);
    meta->holds++;
    ts_mutex_unlock(&meta->lock);
}

void ts_meta_release(struct ts_file *f)
{
    struct ts_meta *meta = ts_meta_of(f);
    ts_mutex_lock(&meta->lock);
    if (--meta->holds == 0)
        pthread_cond_broadcast(&meta->released);
    ts_mutex_unlock(&meta->lock);
}
