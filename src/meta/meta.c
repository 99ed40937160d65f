#include "meta/meta.h"

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "meta/parts.h"

/* A load may not pin: two threads that load A wanting B and B wanting A would wait for each other for ever. */
static _Thread_local bool in_load;

void ts_meta_set_dirty(struct ts_meta *meta, struct ts_meta_entry *e)
{
    e->settled = false;
    if (e->dirty)
        return;
    e->dirty = true;
    e->dirty_prev = meta->dirty_last;
    e->dirty_next = NULL;
    *(meta->dirty_last ? &meta->dirty_last->dirty_next : &meta->dirty_first) = e;
    meta->dirty_last = e;
    meta->dirty_bytes += e->bytes;
    meta->dirty_entries++;
    ts_meta_tell_parents(meta, e, 1);
    ts_meta_reconsider(meta, e);
}

void ts_meta_set_clean(struct ts_meta *meta, struct ts_meta_entry *e)
{
    if (!e->dirty)
        return;
    e->dirty = false;
    *(e->dirty_prev ? &e->dirty_prev->dirty_next : &meta->dirty_first) = e->dirty_next;
    *(e->dirty_next ? &e->dirty_next->dirty_prev : &meta->dirty_last) = e->dirty_prev;
    e->dirty_next = e->dirty_prev = NULL;
    meta->dirty_bytes -= e->bytes;
    meta->dirty_entries--;
    ts_meta_tell_parents(meta, e, -1);
    ts_meta_reconsider(meta, e);
}

static void forget(struct ts_meta *meta, haddr_t addr)
{
    *ts_meta_recent(meta, addr) = NULL;
    ts_map_remove(&meta->entries, addr);
}

void ts_meta_detach(struct ts_meta *meta, struct ts_meta_entry *e)
{
    if (e->may_go)
        ts_meta_lru_remove(meta, e);
    forget(meta, e->addr);
    meta->bytes -= e->bytes;
}

/* The entry, which is clean and which nobody has, goes for good. */
static void evict(struct ts_file *f, struct ts_meta_entry *e)
{
    struct ts_meta *meta = ts_meta_of(f);
    (void)ts_meta_drop_edges(f, e);
    ts_meta_detach(meta, e);
    if (meta->still)
        ts_meta_still_leave(meta, e);
    else
        ts_meta_entry_free(e);
}

/* In a still file the order in the list is that of loading: what was used meanwhile is passed over, once. */
static bool spared(struct ts_meta *meta, struct ts_meta_entry *e)
{
    if (!meta->still || !atomic_exchange_explicit(&e->in_use, false, memory_order_relaxed))
        return false;
    ts_meta_lru_remove(meta, e);
    ts_meta_lru_add(meta, e);
    return true;
}

void ts_meta_evict_oldest(struct ts_file *f)
{
    struct ts_meta *meta = ts_meta_of(f);
    size_t most = meta->entries.count;
    for (size_t passed = 0; meta->bytes > meta->config.max_size && meta->oldest;)
        if (passed < most && spared(meta, meta->oldest))
            passed++;
        else
            evict(f, meta->oldest);
}

static struct ts_meta_entry **find_ghost(struct ts_meta *meta, haddr_t addr)
{
    struct ts_meta_entry **at = &meta->ghosts;
    while (*at && (*at)->addr != addr)
        at = &(*at)->older;
    return at;
}

static void become_ghost(struct ts_meta *meta, struct ts_meta_entry *e)
{
    e->older = meta->ghosts;
    meta->ghosts = e;
}

/* The entry, which is clean and without dependencies, is in the table no longer; who has it pinned keeps it. */
static void retire(struct ts_meta *meta, struct ts_meta_entry *e)
{
    ts_meta_detach(meta, e);
    if (e->pins > 0)
        become_ghost(meta, e);
    else
        ts_meta_entry_free(e);
}

static void adopt_ghost(struct ts_meta *meta, struct ts_meta_entry *e)
{
    struct ts_meta_entry **at = find_ghost(meta, e->addr), *g = *at;
    if (!g)
        return;
    *at = g->older;
    e->pins += g->pins;
    struct ts_meta_entry *last = g;
    while (last->ghost)
        last = last->ghost;
    last->ghost = e->ghost;
    e->ghost = g;
}

/* The entry, pinned once by this thread, is not to be: those that were before it have their pins for themselves. */
static void disown_ghost(struct ts_meta *meta, struct ts_meta_entry *e)
{
    struct ts_meta_entry *g = e->ghost;
    e->ghost = NULL;
    if (g && (g->pins = e->pins - 1) > 0)
        become_ghost(meta, g);
    else
        ts_meta_entry_free(g);
}

/* Enters an entry that says "being loaded", pinned by this thread. */
static struct ts_meta_entry *reserve(struct ts_meta *meta, const struct ts_meta_class *cls, haddr_t addr)
{
    struct ts_meta_entry *e = ts_calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->addr = addr;
    e->cls = cls;
    e->pins = 1;
    e->loading = true;
    e->epoch = meta->epoch;
    if (ts_map_put(&meta->entries, addr, e) == 0) {
        adopt_ghost(meta, e);
        return e;
    }
    ts_free(e);
    return NULL;
}

/* Whatever is wrong with it, in the file of a SWMR writer it may be right a moment later. */
static int load_patiently(struct ts_file *f, struct ts_meta_entry *e, const void *arg)
{
    const struct ts_meta_class *cls = e->cls;
    unsigned mark = ts_err_mark(), attempts = 1;
    int status;
    while ((status = cls->load(f, e->addr, arg, &e->obj, &e->bytes)) < 0 && ts_retry_again(f, attempts)) {
        ts_err_rewind(mark);
        attempts++;
    }
    ts_retry_count(f, cls->retry_of ? cls->retry_of(arg) : cls->retry, attempts - 1);
    return status;
}

/* Of a still file: who loaded it has it by the pin of his lane. */
static void enter_still(struct ts_meta *meta, struct ts_meta_entry *e)
{
    e->pins = 0;
    atomic_init(&e->in_use, true);
    ts_meta_still_enter(meta, e);
    ts_meta_reconsider(meta, e);
}

static int load(struct ts_file *f, struct ts_meta_entry *e, const void *arg, void **obj)
{
    struct ts_meta *meta = ts_meta_of(f);
    in_load = true;
    int status = load_patiently(f, e, arg);
    in_load = false;
    ts_meta_lock(f);
    e->loading = false;
    if (status < 0) {
        forget(meta, e->addr);
        disown_ghost(meta, e);
        ts_free(e);
    } else {
        *obj = e->obj;
        e->bytes += sizeof *e;
        meta->bytes += e->bytes;
        ts_meta_watch(f, e);
        if (meta->still)
            enter_still(meta, e);
        ts_meta_shrink(f);
    }
    pthread_cond_broadcast(&meta->loaded);
    ts_meta_unlock(f);
    return status < 0 ? -1 : 0;
}

/* The entry at addr once nobody is loading it; NULL when there is none, or was none but a stale one. */
static struct ts_meta_entry *find_loaded(struct ts_file *f, haddr_t addr)
{
    struct ts_meta *meta = ts_meta_of(f);
    struct ts_meta_entry *e;
    while ((e = ts_meta_find(meta, addr)) && e->loading)
        ts_cond_wait(&meta->loaded, &meta->lock);
    if (e && e->epoch != meta->epoch) {
        (void)ts_meta_drop_edges(f, e);
        retire(meta, e);
        e = NULL;
    }
    return e;
}

static int other_class(const struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr,
                       const struct ts_meta_class *found)
{
    return TS_ERR(CACHE, BADTYPE, "%s: the %s at %#llx is also used as a %s", f->name, found->name,
                  (unsigned long long)addr, cls->name);
}

static int pin(struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr, const void *arg, void **obj)
{
    struct ts_meta *meta = ts_meta_of(f);
    TS_ASSERT(!in_load);
    ts_meta_lock(f);
    struct ts_meta_entry *e = find_loaded(f, addr);
    meta->asked++;
    if (!e) {
        if (meta->still)
            ts_meta_still_miss(meta->still);
        e = reserve(meta, cls, addr);
        ts_meta_unlock(f);
        return e ? load(f, e, arg, obj) : -1;
    }
    const struct ts_meta_class *found = e->cls;
    if (found == cls) {
        meta->found++;
        e->pins += !meta->still;
        ts_meta_reconsider(meta, e);
        ts_meta_watch(f, e);
        *obj = e->obj;
    }
    ts_meta_unlock(f);
    return found == cls ? 0 : other_class(f, cls, addr, found);
}

/* In a still file what others use, too, is found without its lock. */
int ts_meta_pin(struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr, const void *arg, void **obj)
{
    struct ts_meta_still *still = ts_meta_of(f)->still;
    const struct ts_meta_entry *e = NULL;
    int status = 0;
    if (still)
        e = ts_meta_still_pin(still, addr);
    else
        ts_file_lock(f);
    if (e && e->cls == cls)
        *obj = e->obj;
    else
        status = e ? other_class(f, cls, addr, e->cls) : pin(f, cls, addr, arg, obj);
    if (status < 0 && still)
        (void)ts_meta_still_unpin(still);
    else if (status < 0)
        ts_file_unlock(f);
    return status;
}

static void unpin_ghost(struct ts_meta *meta, haddr_t addr)
{
    struct ts_meta_entry **at = find_ghost(meta, addr), *e = *at;
    if (!e || --e->pins > 0)
        return;
    *at = e->older;
    if (!e->in_doubt)
        ts_meta_entry_free(e);
}

void ts_meta_unpin(struct ts_file *f, haddr_t addr)
{
    TS_FILE_HELD(f);
    struct ts_meta *meta = ts_meta_of(f);
    if (meta->still) {
        if (ts_meta_still_unpin(meta->still))
            ts_meta_still_reap(meta);
        return;
    }
    ts_meta_lock(f);
    struct ts_meta_entry *e = ts_meta_find(meta, addr);
    if (!e) {
        unpin_ghost(meta, addr);
    } else if (e->pins > 0 && --e->pins == 0) {
        ts_meta_entry_free(e->ghost);
        e->ghost = NULL;
        ts_meta_reconsider(meta, e);
        ts_meta_shrink(f);
    }
    ts_meta_unlock(f);
    ts_file_unlock(f);
}

bool ts_meta_keep(struct ts_file *f, haddr_t addr, const void *obj)
{
    struct ts_meta *meta = ts_meta_of(f);
    if (!meta->still)
        return false;
    ts_meta_lock(f);
    /* What is pinned may have left the cache, and somebody may have loaded it again. */
    struct ts_meta_entry *e = ts_meta_find(meta, addr);
    bool there = e && e->obj == obj;
    if (there) {
        e->pins++;
        ts_meta_reconsider(meta, e);
    }
    ts_meta_unlock(f);
    if (there)
        ts_meta_unpin(f, addr);
    return there;
}

void ts_meta_repin(struct ts_file *f, haddr_t addr)
{
    struct ts_meta *meta = ts_meta_of(f);
    (void)ts_meta_still_pin(meta->still, addr);
    ts_meta_lock(f);
    struct ts_meta_entry *e = ts_meta_find(meta, addr);
    e->pins--;
    ts_meta_reconsider(meta, e);
    ts_meta_shrink(f);
    ts_meta_unlock(f);
}

static void set_bytes(struct ts_meta *meta, struct ts_meta_entry *e, size_t bytes)
{
    meta->bytes += bytes - e->bytes;
    if (e->dirty)
        meta->dirty_bytes += bytes - e->bytes;
    e->bytes = bytes;
}

static void edit_back(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_meta_entry *e = step->at;
    set_bytes(ts_meta_of(f), e, (size_t)step->a);
    e->settled = false;
    if (!step->b)
        ts_meta_set_clean(ts_meta_of(f), e);
}

static int check_place(struct ts_file *f, const struct ts_meta_entry *e)
{
    uint64_t size = e->cls->extent ? e->cls->extent(f, e->obj) : 0;
    if (size == 0 || e->dirty || ts_file_has(f, e->addr, size))
        return 0;
    return TS_ERR(CACHE, BADRANGE, "%s: the %s at %#llx, of %llu bytes, reaches behind the end of the file, %#llx",
                  f->name, e->cls->name, (unsigned long long)e->addr, (unsigned long long)size,
                  (unsigned long long)f->end);
}

static int keep(struct ts_file *f, struct ts_meta_entry *e)
{
    if (!ts_undo_keeps(f) || e->kept == f->undo.change)
        return 0;
    if (!e->cls->keep)
        return TS_ERR(CACHE, UNSUPPORTED, "%s: the %s at %#llx never changes", f->name, e->cls->name,
                      (unsigned long long)e->addr);
    struct ts_undo_step step = {.back = edit_back, .at = e, .a = e->bytes, .b = e->dirty};
    if (ts_undo_add(f, step) < 0 || e->cls->keep(f, e->obj) < 0)
        return -1;
    e->kept = f->undo.change;
    return 0;
}

int ts_meta_edit(struct ts_file *f, haddr_t addr)
{
    ts_meta_lock(f);
    struct ts_meta_entry *e = ts_meta_find(ts_meta_of(f), addr);
    int status = e ? check_place(f, e)
                   : TS_ERR(CACHE, NOTFOUND, "%s: nothing at %#llx to change", f->name, (unsigned long long)addr);
    if (status == 0)
        status = keep(f, e);
    if (status == 0)
        ts_meta_set_dirty(ts_meta_of(f), e);
    ts_meta_unlock(f);
    return status;
}

void ts_meta_resize(struct ts_file *f, haddr_t addr, size_t bytes)
{
    ts_meta_lock(f);
    struct ts_meta_entry *e = ts_meta_find(ts_meta_of(f), addr);
    if (e) {
        set_bytes(ts_meta_of(f), e, bytes + sizeof *e);
        ts_meta_shrink(f);
    }
    ts_meta_unlock(f);
}

static void no_longer_ghost(struct ts_meta *meta, struct ts_meta_entry *e)
{
    struct ts_meta_entry **at = &meta->ghosts;
    while (*at && *at != e)
        at = &(*at)->older;
    if (*at)
        *at = e->older;
    e->older = NULL;
}

static void remove_back(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_meta *meta = ts_meta_of(f);
    struct ts_meta_entry *e = step->at;
    if (e->pins > 0)
        no_longer_ghost(meta, e);
    e->in_doubt = false;
    ts_map_put_back(&meta->entries, e->addr, e);
    meta->bytes += e->bytes;
    if (step->a)
        ts_meta_set_dirty(meta, e);
    ts_meta_reconsider(meta, e);
}

static void remove_done(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_meta_entry *e = step->at;
    e->in_doubt = false;
    if (e->pins == 0)
        ts_meta_entry_free(e);
}

/* Without memory to go back with nothing is removed, and the change fails. */
static void remove_entry(struct ts_file *f, struct ts_meta_entry *e)
{
    struct ts_meta *meta = ts_meta_of(f);
    if (ts_meta_drop_edges(f, e) < 0 || ts_undo_reserve(f) < 0)
        return;
    struct ts_undo_step step = {.back = remove_back, .done = remove_done, .at = e, .a = e->dirty};
    ts_meta_set_clean(meta, e);
    ts_meta_detach(meta, e);
    e->in_doubt = true;
    if (e->pins > 0)
        become_ghost(meta, e);
    (void)ts_undo_add(f, step);
}

void ts_meta_remove(struct ts_file *f, haddr_t addr)
{
    ts_meta_lock(f);
    struct ts_meta_entry *e = ts_meta_find(ts_meta_of(f), addr);
    if (e)
        remove_entry(f, e);
    ts_meta_unlock(f);
}

/* Makes the address free for a new entry. What is left of one that was freed without a word may go. */
static int vacate(struct ts_file *f, haddr_t addr)
{
    struct ts_meta *meta = ts_meta_of(f);
    struct ts_meta_entry *old = ts_meta_find(meta, addr);
    if (!old)
        return 0;
    if (!old->may_go)
        return TS_ERR(CACHE, CANTINS, "%s: there is a %s in use at %#llx", f->name, old->cls->name,
                      (unsigned long long)addr);
    remove_entry(f, old);
    return f->undo.doomed ? -1 : 0;
}

static void insert_back(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_meta_entry *e = step->at;
    ts_meta_set_clean(ts_meta_of(f), e);
    retire(ts_meta_of(f), e);
}

static int insert(struct ts_file *f, struct ts_meta_entry *e)
{
    struct ts_meta *meta = ts_meta_of(f);
    if (vacate(f, e->addr) < 0 || ts_undo_reserve(f) < 0 || ts_map_put(&meta->entries, e->addr, e) < 0)
        return -1;
    e->pins = 1;
    e->kept = f->undo.change; /* it goes when the change fails, whatever becomes of it until then */
    adopt_ghost(meta, e);
    meta->bytes += e->bytes;
    ts_meta_set_dirty(meta, e);
    ts_meta_shrink(f);
    return ts_undo_add(f, (struct ts_undo_step){.back = insert_back, .at = e});
}

int ts_meta_insert(struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr, void *obj, size_t bytes)
{
    TS_IN_CHANGE(f);
    struct ts_meta_entry *e = ts_calloc(1, sizeof *e);
    if (!e)
        return -1;
    e->addr = addr;
    e->cls = cls;
    e->obj = obj;
    e->bytes = bytes + sizeof *e;
    ts_file_lock(f);
    ts_meta_lock(f);
    int status = insert(f, e);
    ts_meta_unlock(f);
    if (status < 0) {
        ts_free(e);
        ts_file_unlock(f);
    }
    return status;
}

static void move_back(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_meta_entry *e = step->at;
    forget(ts_meta_of(f), e->addr);
    e->addr = step->a;
    ts_map_put_back(&ts_meta_of(f)->entries, e->addr, e);
    if (!step->b)
        ts_meta_set_clean(ts_meta_of(f), e);
}

static int move(struct ts_file *f, haddr_t from, haddr_t to)
{
    struct ts_meta *meta = ts_meta_of(f);
    struct ts_meta_entry *e = ts_meta_find(meta, from);
    if (!e)
        return TS_ERR(CACHE, NOTFOUND, "%s: nothing at %#llx to move", f->name, (unsigned long long)from);
    if (vacate(f, to) < 0 || ts_undo_reserve(f) < 0 || ts_map_put(&meta->entries, to, e) < 0)
        return -1;
    struct ts_undo_step step = {.back = move_back, .at = e, .a = from, .b = e->dirty};
    forget(meta, from);
    e->addr = to;
    adopt_ghost(meta, e);
    ts_meta_set_dirty(meta, e);
    return ts_undo_add(f, step);
}

int ts_meta_move(struct ts_file *f, haddr_t from, haddr_t to)
{
    TS_IN_CHANGE(f);
    ts_meta_lock(f);
    int status = move(f, from, to);
    ts_meta_unlock(f);
    return status;
}

void ts_meta_cork(struct ts_file *f, int change)
{
    atomic_fetch_add(&ts_meta_of(f)->corks, (unsigned)change);
}

/* For those that may not have the file's lock. */
static void lock_whole(struct ts_file *f)
{
    ts_file_lock(f);
    ts_meta_lock(f);
}

static void unlock_whole(struct ts_file *f)
{
    ts_meta_unlock(f);
    ts_file_unlock(f);
}

void ts_meta_stats(struct ts_file *f, struct ts_meta_stats *out)
{
    struct ts_meta *meta = ts_meta_of(f);
    lock_whole(f);
    *out = (struct ts_meta_stats){.budget = meta->config.max_size,
                                  .bytes = meta->bytes,
                                  .entries = meta->entries.count,
                                  .dirty_bytes = meta->dirty_bytes,
                                  .dirty_entries = meta->dirty_entries,
                                  .asked = meta->still ? 0 : meta->asked,
                                  .found = meta->found};
    if (meta->still)
        ts_meta_still_stats(meta->still, out);
    unlock_whole(f);
}

void ts_meta_reset_rate(struct ts_file *f)
{
    lock_whole(f);
    struct ts_meta *meta = ts_meta_of(f);
    meta->asked = meta->found = 0;
    if (meta->still)
        ts_meta_still_reset_rate(meta->still);
    unlock_whole(f);
}

void ts_meta_config(struct ts_file *f, H5AC_cache_config_t *out)
{
    lock_whole(f);
    *out = ts_meta_of(f)->config;
    unlock_whole(f);
}

void ts_meta_configure(struct ts_file *f, const H5AC_cache_config_t *config)
{
    lock_whole(f);
    ts_meta_of(f)->config = *config;
    ts_meta_shrink(f);
    unlock_whole(f);
}
