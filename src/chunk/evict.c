/* Making room: which chunks leave when, and which are sheltered.
 *
 * What was read or written whole (spent) goes before the rest by as much as w0 says: 1, always; 0, it counts like any
 * other; between, a spent one goes first when at least 1 - w0 as many uses have passed since its own as there are
 * chunks. Otherwise the time of last use decides. Clean spent ones go before dirty ones, so that a reader need not wait
 * for writes. Dirty ones are encoded and written several at a time, also a few more than must leave: those are clean
 * when their turn comes.
 *
 * Where the layout can forget the values of a chunk and keep the list of those that are defined, that is what leaves
 * first. Such lists are small and save much: they stay as long as they take no more than a part of the budget.
 *
 * A dataset that holds no more than its reserve is passed over, unless it is the one that needs the room: its chunks
 * move to its sheltered list when their turn comes, so that nobody passes them twice. They come back when it grows,
 * when they are used, or when nothing else is left. A reserve of a dataset's own counts in full, and the budget is so
 * large that half of what the settings say is left beside these; the others share in half of what is left. */
#include "base/error.h"
#include "base/lock.h"
#include "chunk/chunk_parts.h"

/* How many chunks are passed over, because they are busy or dirty, in the search for better ones. */
#define MAX_PASSED 64
/* The part of the budget that is written in one go. */
#define BATCH_PART 8
/* The part of it that lists of defined elements may take. */
#define LISTED_PART 8

struct room {
    struct ts_sc *cache;
    const struct ts_sc_dset *for_dset;
    size_t limit;
    struct ts_sc_doomed doomed;
    struct ts_sc_chunk *thinned; /* that only lose their values */
    size_t chances;              /* how many may still come back that were looked at */
    size_t n, bytes;             /* of those that are to be written */
    struct ts_sc_chunk *chunks[TS_SC_BATCH];
    size_t planned[TS_SC_BATCH]; /* bytes of each that must leave; 0: it may stay */
};

static size_t add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* What is on its way out may have become smaller than it was when that began. */
static size_t less(size_t bytes, size_t leaving)
{
    return bytes > leaving ? bytes - leaving : 0;
}

void ts_sc_set_budget(struct ts_sc *cache)
{
    TS_HELD(&cache->lock);
    size_t base = cache->settings.budget, with = add(cache->own_reserves, base / 2);
    cache->budget = with > base ? with : base;
}

size_t ts_sc_reserve(const struct ts_sc_dset *dset)
{
    const struct ts_sc *cache = dset->cache;
    if (dset->reserve != SIZE_MAX)
        return dset->reserve;
    size_t shared = (cache->budget - cache->own_reserves) / 2 / (cache->n_shared ? cache->n_shared : 1);
    return cache->settings.reserve < shared ? cache->settings.reserve : shared;
}

void ts_sc_unshelter(struct ts_sc_dset *dset, size_t bytes)
{
    TS_HELD(&dset->cache->lock);
    struct ts_sc_chunk *last = NULL, *next = dset->sheltered.oldest;
    for (size_t done = 0; next && done < bytes; next = next->links[TS_SC_BY_USE].newer) {
        done = add(done, next->counted);
        last = next;
    }
    for (struct ts_sc_chunk *c = last; c; c = next) {
        next = c->links[TS_SC_BY_USE].older;
        ts_sc_list_remove(c, TS_SC_BY_USE);
        ts_sc_list_add_oldest(c->has_values ? &dset->cache->used : &dset->cache->listed, c, TS_SC_BY_USE);
    }
}

static void shelter(struct ts_sc_chunk *c)
{
    ts_sc_list_remove(c, TS_SC_BY_USE);
    ts_sc_list_add_newest(&c->dset->sheltered, c, TS_SC_BY_USE);
}

static bool is_sheltered(const struct room *r, const struct ts_sc_chunk *c)
{
    const struct ts_sc_dset *dset = c->dset;
    return dset->frozen > 0 || (dset != r->for_dset && less(dset->bytes, dset->leaving) <= ts_sc_reserve(dset));
}

/* What cannot be written does not push out the chunks of others: ts_sc_may_write keeps it from becoming too much. */
static bool is_over(const struct room *r)
{
    return less(less(r->cache->bytes, r->cache->stuck_bytes), r->cache->leaving) > r->limit;
}

static double weight(const struct ts_sc_dset *dset)
{
    return dset->w0 < 0 ? dset->cache->settings.w0 : dset->w0;
}

/* A spent one that leaves before all others. */
static bool is_stale(const struct ts_sc_chunk *c)
{
    const struct ts_sc *cache = c->dset->cache;
    return (double)(cache->clock - c->time) >= (1 - weight(c->dset)) * (double)cache->n_chunks;
}

/* One whose values leave is like one that loads meanwhile: others wait. */
static void evict(struct room *r, struct ts_sc_chunk *c)
{
    if (c->dset->ops->evict_values && c->has_values) {
        ts_sc_list_remove(c, TS_SC_BY_USE);
        ts_sc_uncount(c);
        c->loading = true;
        c->dset->n_busy++;
        c->links[TS_SC_BY_USE].newer = r->thinned;
        r->thinned = c;
        return;
    }
    ts_sc_take(c);
    r->cache->stats.evictions++;
    ts_sc_doom(&r->doomed, c);
}

static bool batch_is_full(const struct room *r, const struct ts_sc_chunk *c)
{
    return r->n == TS_SC_BATCH || (r->n > 0 && add(r->bytes, c->counted) > r->cache->budget / BATCH_PART);
}

static void batch_add(struct room *r, struct ts_sc_chunk *c)
{
    size_t planned = is_over(r) ? c->counted : 0;
    ts_sc_busy_begin(c);
    r->chunks[r->n] = c;
    r->planned[r->n++] = planned;
    r->bytes += c->counted;
    r->cache->leaving += planned;
    c->dset->leaving += planned;
}

/* Its turn has come, but it was looked at since it got its place in the list: it gets one as if it was used now. */
static bool comes_back(struct room *r, struct ts_sc_chunk *c)
{
    unsigned char how = atomic_load_explicit(&c->looked_at, memory_order_relaxed);
    if (how == TS_SC_NOT_LOOKED_AT || r->chances == 0)
        return false;
    atomic_store_explicit(&c->looked_at, TS_SC_NOT_LOOKED_AT, memory_order_relaxed);
    r->chances--;
    struct ts_sc_list *l = c->links[TS_SC_BY_USE].list;
    ts_sc_used_now(c, how == TS_SC_LOOKED_WHOLE);
    ts_sc_list_remove(c, TS_SC_BY_USE);
    if (l != &c->dset->sheltered)
        l = c->spent ? &r->cache->spent : &r->cache->used;
    ts_sc_list_add_newest(l, c, TS_SC_BY_USE);
    return true;
}

static void evict_clean_spent(struct room *r)
{
    unsigned passed = 0;
    struct ts_sc_chunk *c = r->cache->spent.oldest, *next;
    for (; c && is_over(r) && passed < MAX_PASSED && is_stale(c); c = next) {
        next = c->links[TS_SC_BY_USE].newer;
        if (comes_back(r, c))
            continue;
        if (c->dirty || c->busy)
            passed++;
        else if (is_sheltered(r, c))
            shelter(c);
        else
            evict(r, c);
    }
}

/* Lists of defined elements, until no more bytes of them are left. */
static void evict_listed(struct room *r, size_t most)
{
    struct ts_sc_chunk *c = r->cache->listed.oldest, *next;
    for (; c && is_over(r) && r->cache->listed_bytes > most; c = next) {
        next = c->links[TS_SC_BY_USE].newer;
        if (is_sheltered(r, c))
            shelter(c);
        else
            evict(r, c);
    }
}

/* Places in the two lists; what comes next stands behind them. */
struct walk {
    struct ts_sc_chunk *spent, *used;
};

static struct ts_sc_chunk *walk_next(struct walk *w)
{
    struct ts_sc_chunk *s = w->spent, *u = w->used;
    bool take_spent = s && (!u || is_stale(s) || s->time < u->time);
    struct ts_sc_chunk *c = take_spent ? s : u;
    if (c)
        *(take_spent ? &w->spent : &w->used) = c->links[TS_SC_BY_USE].newer;
    return c;
}

/* False: this was the last. */
static bool consider(struct room *r, struct ts_sc_chunk *c, unsigned *passed)
{
    if (c->busy)
        return ++*passed < MAX_PASSED;
    if (c->dirty) {
        if (batch_is_full(r, c))
            return false;
        batch_add(r, c);
        return true;
    }
    /* Others are written along only while they stand next to those that must be. */
    if (!is_over(r))
        return false;
    evict(r, c);
    return true;
}

static void evict_by_time(struct room *r)
{
    struct walk w = {.spent = r->cache->spent.oldest, .used = r->cache->used.oldest};
    unsigned passed = 0;
    struct ts_sc_chunk *c;
    while ((is_over(r) || r->n > 0) && (c = walk_next(&w))) {
        if (is_sheltered(r, c))
            shelter(c);
        else if (!comes_back(r, c) && !consider(r, c, &passed))
            return;
    }
}

static void evict_sheltered_of(struct room *r, struct ts_sc_dset *dset)
{
    unsigned passed = 0;
    struct ts_sc_chunk *c = dset->frozen ? NULL : dset->sheltered.oldest, *next;
    for (; c && is_over(r); c = next) {
        next = c->links[TS_SC_BY_USE].newer;
        if (!comes_back(r, c) && !consider(r, c, &passed))
            return;
    }
}

/* Nothing else is left: of the one who asks, of those above their reserve (it shrinks when there are more datasets), of
 * all. */
static void evict_sheltered(struct room *r)
{
    for (struct ts_sc_dset *d = r->cache->dsets; d && is_over(r); d = d->next)
        if (d == r->for_dset)
            evict_sheltered_of(r, d);
    for (struct ts_sc_dset *d = r->cache->dsets; d && is_over(r); d = d->next)
        if (d->sheltered.oldest && less(d->bytes, d->leaving) > ts_sc_reserve(d))
            evict_sheltered_of(r, d);
    for (struct ts_sc_dset *d = r->cache->dsets; d && is_over(r); d = d->next)
        evict_sheltered_of(r, d);
}

static void thin(struct room *r)
{
    struct ts_sc_chunk *first = r->thinned;
    if (!first)
        return;
    r->thinned = NULL;
    ts_mutex_unlock(&r->cache->lock);
    for (struct ts_sc_chunk *c = first; c; c = c->links[TS_SC_BY_USE].newer)
        c->dset->ops->evict_values(c->dset->owner, &c->data);
    ts_mutex_lock(&r->cache->lock);
    for (struct ts_sc_chunk *c = first, *next; c; c = next) {
        next = c->links[TS_SC_BY_USE].newer;
        c->links[TS_SC_BY_USE].newer = NULL;
        c->loading = c->spent = c->has_values = false;
        c->dset->n_busy--;
        c->time = ++r->cache->clock;
        ts_sc_count(c);
        if (c->pins == 0)
            ts_sc_put_into_lists(c);
    }
    pthread_cond_broadcast(&r->cache->changed);
}

/* Returns whether any became clean. */
static bool write_batch(struct room *r)
{
    struct ts_sc *cache = r->cache;
    bool any = false;
    unsigned mark = ts_err_mark();
    ts_mutex_unlock(&cache->lock);
    if (ts_sc_write_batch(cache, r->chunks, r->n) < 0)
        ts_err_rewind(mark);
    ts_mutex_lock(&cache->lock);
    for (size_t i = 0; i < r->n; i++) {
        struct ts_sc_chunk *c = r->chunks[i];
        ts_sc_busy_end(c);
        cache->leaving -= r->planned[i];
        c->dset->leaving -= r->planned[i];
        any |= !c->dirty;
    }
    for (size_t i = 0; i < r->n && is_over(r); i++)
        if (!r->chunks[i]->dirty && r->chunks[i]->pins == 0)
            evict(r, r->chunks[i]);
    r->n = r->bytes = 0;
    return any;
}

void ts_sc_make_room(struct ts_sc *cache, const struct ts_sc_dset *for_dset, size_t limit)
{
    TS_HELD(&cache->lock);
    struct room r; /* large, and hardly ever needed */
    r.cache = cache;
    r.limit = limit;
    if (!is_over(&r))
        return;
    r = (struct room){.cache = cache, .for_dset = for_dset, .limit = limit, .chances = cache->n_chunks};
    bool goes_on = true;
    while (goes_on && is_over(&r)) {
        evict_listed(&r, cache->budget / LISTED_PART);
        evict_clean_spent(&r);
        evict_by_time(&r);
        if (is_over(&r) && r.n == 0)
            evict_listed(&r, 0);
        if (is_over(&r) && r.n == 0)
            evict_sheltered(&r);
        goes_on = r.doomed.first || r.thinned;
        if (r.n > 0)
            goes_on |= write_batch(&r);
        thin(&r);
        ts_sc_doomed_free(cache, &r.doomed);
    }
}

void ts_sc_hold(struct ts_sc_dset *for_dset, size_t bytes)
{
    struct ts_sc *cache = for_dset->cache;
    ts_mutex_lock(&cache->lock);
    cache->held = add(cache->held, bytes);
    size_t limit = cache->held < cache->budget ? cache->budget - cache->held : 0;
    ts_sc_make_room(cache, for_dset, limit);
    ts_mutex_unlock(&cache->lock);
}

void ts_sc_unhold(struct ts_sc *cache, size_t bytes)
{
    ts_mutex_lock(&cache->lock);
    cache->held -= bytes;
    ts_mutex_unlock(&cache->lock);
}
