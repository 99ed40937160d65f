/* The cores of all datasets that are open, and of those that wait.
 *
 * A core without handles waits for the next one when the cache has chunks of it: programs open and close a dataset for
 * each row they write. It keeps no file open. Each file has a list of those that wait, and when it grows too long the
 * one that was used least recently is flushed and goes.
 *
 * In a still file, which is open for reading and which nobody changes, all cores stay, as many as may wait: the list is
 * in the order in which they came. They are found without a lock. */
#include "base/alloc.h"
#include "base/count.h"
#include "base/error.h"
#include "base/lock.h"
#include "dataset/layouts.h"
#include "file/change.h"

#define BUCKETS 4096
#define MOST_WAITING 256

static struct {
    struct ts_mutex lock;
    struct ts_dataset_core *buckets[BUCKETS];
} table = {.lock = TS_MUTEX_INIT(TS_RANK_DATASET_TABLE)};

/* Those of still files: read in ts_look_begin and end, changed with the table's lock. */
static _Atomic(struct ts_dataset_core *) residents[BUCKETS];

/* Of a file; the table's lock guards it. */
struct waiting {
    struct ts_dataset_core *newest, *oldest;
    unsigned n;
    struct ts_dataset_core *deleted; /* chained by next, and no longer in the table */
};

static struct waiting *waiting_of(const struct ts_file *f)
{
    return ts_file_client(f, TS_CLIENT_DATASETS);
}

static size_t number_of_bucket(const struct ts_file *f, haddr_t addr)
{
    uint64_t mixed = ((uint64_t)(uintptr_t)f ^ addr) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed >> 52;
}

static struct ts_dataset_core **bucket_of(const struct ts_file *f, haddr_t addr)
{
    return &table.buckets[number_of_bucket(f, addr)];
}

static bool is_still(const struct ts_file *f)
{
    return !ts_file_changes(f);
}

static void take_out(struct ts_dataset_core *core)
{
    TS_HELD(&table.lock);
    struct ts_dataset_core **at = bucket_of(core->file, core->addr);
    while (*at != core)
        at = &(*at)->next;
    *at = core->next;
}

static void put_waiting(struct waiting *w, struct ts_dataset_core *core)
{
    core->newer = NULL;
    core->older = w->newest;
    *(w->newest ? &w->newest->newer : &w->oldest) = core;
    w->newest = core;
    w->n++;
}

static void take_waiting(struct ts_dataset_core *core)
{
    struct waiting *w = waiting_of(core->file);
    *(core->newer ? &core->newer->older : &w->newest) = core->older;
    *(core->older ? &core->older->newer : &w->oldest) = core->newer;
    w->n--;
}

static void drop_chain(struct ts_dataset_core *chain)
{
    struct ts_dataset_core *core;
    while ((core = chain)) {
        chain = core->next;
        ts_dataset_core_drop(core);
    }
}

/* A new reference, or NULL. */
static struct ts_dataset_core *find_resident(struct ts_file *f, haddr_t addr)
{
    ts_look_begin();
    struct ts_dataset_core *core = atomic_load(&residents[number_of_bucket(f, addr)]);
    while (core && (core->file != f || core->addr != addr))
        core = atomic_load(&core->beside);
    if (core && ts_strangers_come(&core->strangers))
        ts_count_spread(&core->uses);
    if (core)
        ts_count_add(&core->uses);
    ts_look_end();
    return core;
}

static void enter_resident(struct ts_dataset_core *core)
{
    TS_HELD(&table.lock);
    _Atomic(struct ts_dataset_core *) *bucket = &residents[number_of_bucket(core->file, core->addr)];
    atomic_store(&core->beside, atomic_load(bucket));
    atomic_store(bucket, core);
    put_waiting(waiting_of(core->file), core);
}

/* From here on nobody finds it; who found it before has a reference by now, and the count is in one place. */
static void take_resident(struct ts_dataset_core *core)
{
    TS_HELD(&table.lock);
    _Atomic(struct ts_dataset_core *) *at = &residents[number_of_bucket(core->file, core->addr)];
    while (atomic_load(at) != core)
        at = &atomic_load(at)->beside;
    atomic_store(at, atomic_load(&core->beside));
    take_waiting(core);
    ts_look_wait();
    if (ts_strangers_end(&core->strangers))
        ts_count_gather(&core->uses);
}

/* When there are too many, the oldest that nobody has open goes, or what is found of them with two tries: to be dropped
 * without the lock, or NULL. */
static struct ts_dataset_core *spare_resident(const struct ts_file *f)
{
    struct waiting *w = waiting_of(f);
    for (int i = 0; i < 2 && w->n > MOST_WAITING; i++) {
        struct ts_dataset_core *core = w->oldest;
        take_resident(core);
        if (ts_count_is_one(&core->uses))
            return core;
        enter_resident(core);
    }
    return NULL;
}

/* A new reference to the one that is there already, else the given one goes in. */
static struct ts_dataset_core *put_resident(struct ts_file *f, haddr_t addr, struct ts_dataset_core *mine)
{
    struct ts_dataset_core *spare = NULL;
    ts_mutex_lock(&table.lock);
    struct ts_dataset_core *core = find_resident(f, addr);
    if (!core) {
        core = mine;
        ts_count_init(&core->uses, 2);
        ts_strangers_init(&core->strangers);
        enter_resident(core);
        spare = spare_resident(f);
    }
    ts_mutex_unlock(&table.lock);
    if (spare)
        ts_dataset_core_drop(spare);
    return core;
}

/* The file is flushed as far as that is possible, and closes. */
static void drop_all(struct ts_file *f, void *state)
{
    struct waiting *w = state;
    struct ts_dataset_core *core;
    ts_mutex_lock(&table.lock);
    struct ts_dataset_core *chain = w->deleted;
    while ((core = w->newest)) {
        if (is_still(f)) {
            take_resident(core);
        } else {
            take_waiting(core);
            take_out(core);
        }
        core->next = chain;
        chain = core;
    }
    ts_mutex_unlock(&table.lock);
    drop_chain(chain);
    ts_free(w);
}

static const struct ts_client_ops client = {.drop = drop_all};

/* A new reference to the one that is there already, else the given one, which may be NULL, goes in. */
static struct ts_dataset_core *find_or_put(struct ts_file *f, haddr_t addr, struct ts_dataset_core *c)
{
    if (is_still(f))
        return c ? put_resident(f, addr, c) : find_resident(f, addr);
    ts_mutex_lock(&table.lock);
    struct ts_dataset_core **bucket = bucket_of(f, addr), *found = *bucket;
    while (found && (found->file != f || found->addr != addr || found->gone))
        found = found->next;
    if (found) {
        if (found->refs == 0)
            take_waiting(found);
    } else if (c) {
        c->next = *bucket;
        *bucket = c;
        found = c;
    }
    if (found)
        found->refs++;
    ts_mutex_unlock(&table.lock);
    return found;
}

static int make_waiting(struct ts_file *f)
{
    ts_mutex_lock(&table.lock);
    struct waiting *w = waiting_of(f);
    if (!w && (w = ts_calloc(1, sizeof *w)))
        ts_file_attach(f, TS_CLIENT_DATASETS, &client, w);
    ts_mutex_unlock(&table.lock);
    return w ? 0 : -1;
}

/* With the file's lock nobody changes the header between its reading and the core's appearance in the table. In a file
 * that is open for reading only there is no such lock, and another thread may be faster. */
static int load_and_put(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    struct ts_dataset_core *mine;
    *out = find_or_put(f, addr, NULL);
    if (*out)
        return 0;
    if (make_waiting(f) < 0 || ts_dataset_core_peek_anew(f, addr, &mine) < 0)
        return -1;
    if (ts_dataset_core_join_cache(mine) < 0) {
        ts_dataset_core_drop(mine);
        return -1;
    }
    *out = find_or_put(f, addr, mine);
    if (*out != mine)
        ts_dataset_core_drop(mine);
    return 0;
}

/* Nobody knows where it is before the change is over that makes it. */
int ts_dataset_core_enter(struct ts_dataset_core *core)
{
    struct ts_file *f = core->file;
    TS_IN_CHANGE(f);
    if ((!waiting_of(f) && make_waiting(f) < 0) || ts_dataset_core_join_cache(core) < 0)
        return -1;
    return find_or_put(f, core->addr, core) == core
               ? 0
               : TS_ERR(DATASET, CANTINIT, "%s: there is a dataset at %#llx already", f->name,
                        (unsigned long long)core->addr);
}

int ts_dataset_core_open(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    *out = find_or_put(f, addr, NULL);
    if (*out)
        return 0;
    ts_file_lock(f);
    int status = load_and_put(f, addr, out);
    ts_file_unlock(f);
    return status;
}

int ts_dataset_write_waiting(struct ts_dataset_core *core)
{
    TS_FILE_NOT_HELD(core->file);
    if (!ts_sc_dset_dirty(&core->sc))
        return 0;
    if (ts_raw_works(core->file))
        return TS_ERR(DATASET, CANTFLUSH,
                      "the dataset at %#llx cannot be flushed by a function that is called while one of its "
                      "file is read, written or coded",
                      (unsigned long long)core->addr);
    if (ts_dataset_core_lock_read(core) < 0)
        return -1;
    int status = H5SC_flush_dset(&core->sc, false);
    ts_dataset_core_unlock(core);
    return status;
}

int ts_dataset_write_waiting_at(struct ts_file *f, haddr_t addr)
{
    struct ts_dataset_core *core = find_or_put(f, addr, NULL);
    int status = core ? ts_dataset_write_waiting(core) : 0;
    ts_dataset_core_unref(core);
    return status;
}

/* Whether a core without references is worth keeping. Those who follow a file that another process writes see what is
 * new when they open a dataset again. */
static bool should_wait(struct ts_dataset_core *core)
{
    const struct ts_file *f = core->file;
    return !core->gone && !f->broken && !(f->flags & H5F_ACC_SWMR_READ) && !ts_sc_dset_empty(&core->sc);
}

/* Gives up a reference of the file's lock holder, who must not drop a core: one that nobody wants is for the next who
 * may. */
static void give_up(struct ts_dataset_core *core)
{
    struct waiting *w = waiting_of(core->file);
    if (--core->refs > 0)
        return;
    if (should_wait(core)) {
        put_waiting(w, core);
        return;
    }
    take_out(core);
    core->next = w->deleted;
    w->deleted = core;
}

static void forget_back(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_dataset_core *core = step->at;
    (void)f;
    ts_mutex_lock(&table.lock);
    core->gone = false;
    core->n_left = (size_t)step->a;
    give_up(core);
    ts_mutex_unlock(&table.lock);
}

static void forget_done(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_mutex_lock(&table.lock);
    give_up(step->at);
    ts_mutex_unlock(&table.lock);
}

/* Who writes must take the file's lock afterwards. The change keeps the core: it may be wanted again. */
int ts_dataset_core_forget(struct ts_file *f, haddr_t addr, struct ts_dataset_core **busy)
{
    *busy = NULL;
    if (ts_undo_reserve(f) < 0)
        return -1;
    ts_mutex_lock(&table.lock);
    struct ts_dataset_core *core = *bucket_of(f, addr);
    while (core && (core->file != f || core->addr != addr || core->gone))
        core = core->next;
    if (core) {
        core->gone = true;
        if (core->refs++ == 0)
            take_waiting(core);
        *busy = core->writing > 0 ? core : NULL;
    }
    ts_mutex_unlock(&table.lock);
    if (!core)
        return 0;
    return ts_undo_add(f,
                       (struct ts_undo_step){.back = forget_back, .done = forget_done, .at = core, .a = core->n_left});
}

/* A reference goes, with the table's lock: 1 when the core waits now, 0 when others have it, -1 when it is to be
 * dropped. */
static int let_go(struct ts_dataset_core *core)
{
    TS_HELD(&table.lock);
    if (--core->refs > 0)
        return 0;
    if (should_wait(core)) {
        put_waiting(waiting_of(core->file), core);
        return 1;
    }
    take_out(core);
    return -1;
}

/* The one that is to make room for another that waits, with a reference, or NULL. */
static struct ts_dataset_core *choose_victim(struct waiting *w)
{
    TS_HELD(&table.lock);
    struct ts_dataset_core *core = w->oldest;
    if (w->n <= MOST_WAITING)
        return NULL;
    take_waiting(core);
    core->refs = 1;
    return core;
}

/* Flushed while it can still be found, so that who opens the dataset next sees it as it is. When somebody has its lock
 * it is not the one to go. */
static void retire(struct ts_dataset_core *core)
{
    unsigned mark = ts_err_mark();
    if (!ts_file_changes(core->file) || ts_rwlock_try_write(&core->io)) {
        if (ts_file_changes(core->file))
            ts_raw_work_begin(core->file);
        if (H5SC_flush_dset(&core->sc, true) < 0)
            ts_err_rewind(mark); /* it waits on, and the next flush tells why */
        ts_dataset_core_unlock(core);
    }
    ts_mutex_lock(&table.lock);
    int left = let_go(core);
    ts_mutex_unlock(&table.lock);
    if (left < 0)
        ts_dataset_core_drop(core);
}

/* Only who has used a dataset can make it wait, and he holds no lock of the file: so what takes one is done then. A
 * filter that closes a dataset may have been called for one of its chunks, which stays until the filter has returned;
 * and who has the file's lock, because making the dataset failed, must not wait for others to be through with it. */
void ts_dataset_core_unref(struct ts_dataset_core *core)
{
    struct ts_dataset_core *victim = NULL, *deleted = NULL;
    if (!core)
        return;
    if (is_still(core->file)) {
        /* Not the last: the table has one. */
        (void)ts_count_drop(&core->uses);
        return;
    }
    bool later = ts_filter_runs_for(core->file) || ts_file_owned(core->file);
    ts_mutex_lock(&table.lock);
    struct waiting *w = waiting_of(core->file);
    int left = let_go(core);
    if (left < 0 && later) {
        core->next = w->deleted;
        w->deleted = core;
    } else if (left > 0 && !later) {
        victim = choose_victim(w);
        deleted = w->deleted;
        w->deleted = NULL;
    }
    ts_mutex_unlock(&table.lock);
    if (left < 0 && !later)
        ts_dataset_core_drop(core);
    drop_chain(deleted);
    if (victim)
        retire(victim);
}

/* Whether this reference is all that keeps the dataset open. */
static bool is_last(struct ts_dataset_core *core)
{
    ts_mutex_lock(&table.lock);
    bool last = core->refs == 1;
    ts_mutex_unlock(&table.lock);
    return last;
}

int ts_dataset_close_status(struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    struct ts_file *f = core->file;
    if (!f->writable || ts_file_inherited(f) || !ts_sc_dset_dirty(&core->sc) || ts_filter_runs_for(f))
        return 0;
    if (!is_last(core) || (!f->broken && !ts_sc_dset_doubtful(&core->sc)) || ts_layout_fate(core) != TS_SC_STAYS)
        return 0;
    return ts_dataset_write_waiting(core);
}
