/* Files that nobody changes while they are open here: what is loaded is found and pinned without a lock, and without
 * writing to memory that other threads read.
 *
 * A pin says in the thread's lane that it may use what it finds, whatever that is. So nobody knows what is pinned, and
 * what leaves the cache to make room is put aside, where new pins do not find it, until each lane was seen without pins
 * once. What is kept for long (ts_meta_keep) is counted by the entry, and stays in the cache.
 *
 * What was loaded stands on a shelf, a hash table with linear probing that only grows; a place that was given up has
 * the mark of an entry that is at no address. A larger shelf takes the place of one that is full, which is put aside,
 * too. */
#include "base/alloc.h"
#include "base/error.h"
#include "meta/parts.h"

struct shelf {
    struct shelf *next; /* put aside */
    size_t size;        /* a power of two */
    _Atomic(struct ts_meta_entry *) places[];
};

enum { SMALLEST_SHELF = 64 };

/* In a lane's cell: pins that last, and how many there were. */
#define PINS 0xFFFFFL
#define ASKED (PINS + 1)

struct aside {
    struct ts_meta_entry *entries; /* by `older` */
    struct shelf *shelves;
};

/* All but the first two members is changed with the cache's lock. */
struct ts_meta_still {
    struct ts_lane_cell *lanes;
    _Atomic(struct shelf *) shelf;
    size_t used; /* places of the shelf that are not empty */
    struct aside waiting, fresh;
    /* Lanes that were seen without pins since all of `waiting` was put aside; all when nothing waits. Others look for
     * it when they have none, without the lock. */
    unsigned n_idle;
    atomic_bool idle[TS_LANES_MOST];
    uint64_t missed; /* of what was asked for */
};

static struct ts_meta_entry nobody = {.addr = HADDR_UNDEF};

static struct shelf *shelf_new(size_t size)
{
    struct shelf *shelf = ts_calloc(1, sizeof *shelf + size * sizeof shelf->places[0]);
    if (shelf)
        shelf->size = size;
    return shelf;
}

struct ts_meta_still *ts_meta_still_new(void)
{
    struct ts_meta_still *s = ts_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->lanes = ts_lane_cells();
    s->n_idle = ts_lanes;
    for (unsigned lane = 0; lane < TS_LANES_MOST; lane++)
        atomic_init(&s->idle[lane], true);
    atomic_init(&s->shelf, s->lanes ? shelf_new(SMALLEST_SHELF) : NULL);
    if (s->shelf)
        return s;
    ts_free(s->lanes);
    ts_free(s);
    return NULL;
}

static void empty(struct aside *a)
{
    for (struct ts_meta_entry *e = a->entries, *next; e; e = next) {
        next = e->older;
        ts_meta_entry_free(e);
    }
    for (struct shelf *shelf = a->shelves, *next; shelf; shelf = next) {
        next = shelf->next;
        ts_free(shelf);
    }
    *a = (struct aside){NULL, NULL};
}

void ts_meta_still_free(struct ts_meta_still *s)
{
    if (!s)
        return;
    empty(&s->waiting);
    empty(&s->fresh);
    ts_free(s->shelf);
    ts_free(s->lanes);
    ts_free(s);
}

static size_t first_place(const struct shelf *shelf, haddr_t addr)
{
    return (size_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (shelf->size - 1);
}

/* A pin that was seen too late to keep what it finds from being put aside finds the shelf without it: both are
 * sequentially consistent, as is the pin itself, and what takes away. */
static struct ts_meta_entry *look(struct ts_meta_still *s, haddr_t addr)
{
    struct shelf *shelf = atomic_load(&s->shelf);
    for (size_t i = first_place(shelf, addr);; i = (i + 1) & (shelf->size - 1)) {
        struct ts_meta_entry *e = atomic_load(&shelf->places[i]);
        if (!e || e->addr == addr)
            return e;
    }
}

struct ts_meta_entry *ts_meta_still_pin(struct ts_meta_still *s, haddr_t addr)
{
    atomic_fetch_add(&s->lanes[ts_lane()].n, ASKED + 1);
    struct ts_meta_entry *e = look(s, addr);
    /* Written only after somebody looked for what may go: hardly ever. */
    if (e && !atomic_load_explicit(&e->in_use, memory_order_relaxed))
        atomic_store_explicit(&e->in_use, true, memory_order_relaxed);
    return e;
}

static bool is_empty(const struct aside *a)
{
    return !a->entries && !a->shelves;
}

/* After something was put aside. What is put aside later waits for its turn. */
static void begin_to_wait(struct ts_meta_still *s)
{
    if (!is_empty(&s->waiting) || is_empty(&s->fresh))
        return;
    s->waiting = s->fresh;
    s->fresh = (struct aside){NULL, NULL};
    s->n_idle = 0;
    for (unsigned lane = 0; lane < ts_lanes; lane++)
        atomic_store_explicit(&s->idle[lane], false, memory_order_relaxed);
}

/* Frees what was put aside, once each lane was seen without pins since. */
static void reap(struct ts_meta_still *s)
{
    for (unsigned lane = 0; lane < ts_lanes; lane++)
        if (!atomic_load_explicit(&s->idle[lane], memory_order_relaxed) && ts_lane_idle(&s->lanes[lane], PINS)) {
            atomic_store_explicit(&s->idle[lane], true, memory_order_relaxed);
            s->n_idle++;
        }
    if (s->n_idle < ts_lanes)
        return;
    empty(&s->waiting);
    begin_to_wait(s);
}

/* A release: what the pin was used for is over before who puts things aside sees that it is gone. */
bool ts_meta_still_unpin(struct ts_meta_still *s)
{
    unsigned lane = ts_lane();
    long n = atomic_fetch_sub_explicit(&s->lanes[lane].n, 1, memory_order_release);
    TS_ASSERT((n & PINS) > 0);
    return (n & PINS) == 1 && !atomic_load_explicit(&s->idle[lane], memory_order_relaxed);
}

void ts_meta_still_reap(struct ts_meta *meta)
{
    ts_mutex_lock(&meta->lock);
    reap(meta->still);
    ts_mutex_unlock(&meta->lock);
}

static void put(struct shelf *shelf, struct ts_meta_entry *e)
{
    size_t i = first_place(shelf, e->addr);
    while (atomic_load_explicit(&shelf->places[i], memory_order_relaxed))
        i = (i + 1) & (shelf->size - 1);
    /* What the entry is has happened before it is found. */
    atomic_store_explicit(&shelf->places[i], e, memory_order_release);
}

/* Of twice the entries there are. Without memory the old one stays, and what has no place is found with the lock. */
static struct shelf *grow(struct ts_meta *meta)
{
    struct ts_meta_still *s = meta->still;
    struct shelf *old = atomic_load_explicit(&s->shelf, memory_order_relaxed), *shelf;
    unsigned mark = ts_err_mark();
    size_t size = SMALLEST_SHELF, kept = 0;
    while (size < 4 * meta->entries.count)
        size *= 2;
    shelf = shelf_new(size);
    ts_err_rewind(mark);
    if (!shelf)
        return NULL;
    for (size_t i = 0; i < old->size; i++) {
        struct ts_meta_entry *e = atomic_load_explicit(&old->places[i], memory_order_relaxed);
        if (e && e != &nobody) {
            put(shelf, e);
            kept++;
        }
    }
    s->used = kept;
    atomic_store(&s->shelf, shelf);
    old->next = s->fresh.shelves;
    s->fresh.shelves = old;
    begin_to_wait(s);
    return shelf;
}

void ts_meta_still_enter(struct ts_meta *meta, struct ts_meta_entry *e)
{
    struct ts_meta_still *s = meta->still;
    struct shelf *shelf = atomic_load_explicit(&s->shelf, memory_order_relaxed);
    if (2 * (s->used + 1) > shelf->size && !(shelf = grow(meta)))
        return;
    put(shelf, e);
    s->used++;
}

void ts_meta_still_leave(struct ts_meta *meta, struct ts_meta_entry *e)
{
    struct ts_meta_still *s = meta->still;
    struct shelf *shelf = atomic_load_explicit(&s->shelf, memory_order_relaxed);
    struct ts_meta_entry *there = NULL;
    size_t i = first_place(shelf, e->addr);
    while ((there = atomic_load_explicit(&shelf->places[i], memory_order_relaxed)) && there != e)
        i = (i + 1) & (shelf->size - 1);
    if (there)
        atomic_store(&shelf->places[i], &nobody);
    e->older = s->fresh.entries;
    s->fresh.entries = e;
    begin_to_wait(s);
}

void ts_meta_still_miss(struct ts_meta_still *s)
{
    s->missed++;
}

void ts_meta_still_stats(struct ts_meta_still *s, struct ts_meta_stats *out)
{
    for (unsigned lane = 0; lane < ts_lanes; lane++)
        out->asked += (uint64_t)atomic_load_explicit(&s->lanes[lane].n, memory_order_relaxed) / ASKED;
    out->found = out->asked > s->missed ? out->asked - s->missed : 0;
}

void ts_meta_still_reset_rate(struct ts_meta_still *s)
{
    for (unsigned lane = 0; lane < ts_lanes; lane++)
        atomic_fetch_and_explicit(&s->lanes[lane].n, PINS, memory_order_relaxed);
    s->missed = 0;
}
