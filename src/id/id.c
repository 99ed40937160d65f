/* The handle table (id.h): ids are found in shards, each with its lock. */
#define _GNU_SOURCE
#include "id/id.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lane.h"
#include "base/lock.h"
#include "base/map.h"

/* Ids of one type are spread over shards, one for each lane: a thread finds what it made itself under a lock that
 * hardly anybody else takes. What is done with one takes nanoseconds, so who finds it locked spins for a while: that is
 * quicker than a lock for many readers. Ids that threads of other lanes use again and again are shown besides, where
 * they are found without a lock. */
#define MAX_TYPES 127
#define PROMISED MAX_TYPES /* the type of ids whose type nobody knows yet */
#define TYPE_SHIFT 56
#define NUMBER_MASK ((INT64_C(1) << TYPE_SHIFT) - 1)

struct entry {
    void *obj;
    int count;               /* of the application */
    bool hidden;             /* the library holds one more count */
    bool closing;            /* its type is asked whether it may go */
    unsigned char strangers; /* how often threads of other lanes asked for it, up to SHOW_AFTER */
    uint16_t shown;          /* in which place, from 1 on; 0: it is not */
    /* Of ids that operations of event sets make and close. */
    bool leaving;             /* one will close it: to all others it is gone already */
    bool broken;              /* what was to make its object failed */
    struct ts_promise *due;   /* what it stands for is being made */
    struct ts_future *future; /* what makes its object, when it is first looked for */
    hid_t alias;              /* of an id of unknown type, and of the id that it turned out to be: the other; or 0 */
};

/* An id's number is its lane in the lowest bits, and above them how many that lane's shard had before it. These are
 * spread over small maps: what is always there, as the ids of the types of HDF5, is in the way of few others. */
enum { LANE_BITS = 7, MAPS = 16 };
_Static_assert(1 << LANE_BITS == TS_LANES_MOST, "the number of an id has room for any lane");

struct shard {
    _Alignas(64) struct ts_mutex lock;
    int64_t made;
    struct ts_map maps[MAPS];
};

struct type_info {
    const struct ts_id_class *cls; /* NULL for user types */
    H5I_free_t free_func;
    atomic_int refs; /* of a user type; 0 once destroyed */
    struct shard shards[];
};

/* Once made, a type's table stays for the life of the process, so that readers need no lock to find it. */
static _Atomic(struct type_info *) types[MAX_TYPES + 1];
static struct ts_mutex types_lock = TS_MUTEX_INIT(TS_RANK_ID_TYPES);
static int next_user_type = H5I_NTYPES;

static const char *const type_names[H5I_NTYPES] = {
    [H5I_FILE] = "file",
    [H5I_GROUP] = "group",
    [H5I_DATATYPE] = "datatype",
    [H5I_DATASPACE] = "dataspace",
    [H5I_DATASET] = "dataset",
    [H5I_ATTR] = "attribute",
    [H5I_VFL] = "file driver",
    [H5I_GENPROP_CLS] = "property list class",
    [H5I_GENPROP_LST] = "property list",
    [H5I_ERROR_CLASS] = "error class",
    [H5I_ERROR_MSG] = "error message",
    [H5I_ERROR_STACK] = "error stack",
    [H5I_MAP] = "map",
    [H5I_VOL] = "storage connector",
    [H5I_SPACE_SEL_ITER] = "selection iterator",
    [H5I_EVENTSET] = "event set",
};

const char *ts_id_type_name(H5I_type_t type)
{
    if (type > 0 && type < H5I_NTYPES && type_names[type])
        return type_names[type];
    return type >= H5I_NTYPES && type < MAX_TYPES ? "object of a user type" : "closed or unknown object";
}

static const char *article(H5I_type_t type)
{
    return strchr("aeiou", ts_id_type_name(type)[0]) ? "an" : "a";
}

static H5I_type_t type_bits(hid_t id)
{
    int type = id > 0 ? (int)(id >> TYPE_SHIFT) : H5I_BADID;
    return type > 0 && type < MAX_TYPES ? (H5I_type_t)type : H5I_BADID;
}

static struct type_info *type_of(H5I_type_t type)
{
    if (type <= 0 || (int)type > MAX_TYPES)
        return NULL;
    return atomic_load_explicit(&types[type], memory_order_acquire);
}

static unsigned lane_of(hid_t id)
{
    return (unsigned)id & (TS_LANES_MOST - 1);
}

static struct shard *shard_of(struct type_info *t, hid_t id)
{
    unsigned lane = lane_of(id);
    /* The application may ask for any number. */
    return &t->shards[lane < ts_lanes ? lane : 0];
}

static struct ts_map *map_of(struct shard *s, hid_t id)
{
    return &s->maps[id >> LANE_BITS & (MAPS - 1)];
}

static struct entry *entry_of(struct shard *s, hid_t id)
{
    return ts_map_get(map_of(s, id), (uint64_t)id);
}

static struct type_info *type_new(void)
{
    /* The shards want their own cache lines, which calloc does not promise. */
    struct type_info *t = ts_malloc_aligned(sizeof *t + ts_lanes * sizeof t->shards[0]);
    if (!t)
        return NULL;
    t->cls = NULL;
    t->free_func = NULL;
    atomic_init(&t->refs, 1);
    for (unsigned i = 0; i < ts_lanes; i++) {
        ts_mutex_init_spinning(&t->shards[i].lock, TS_RANK_IDS);
        t->shards[i].made = 0;
        memset(t->shards[i].maps, 0, sizeof t->shards[i].maps);
    }
    return t;
}

int ts_id_class_set(H5I_type_t type, const struct ts_id_class *cls)
{
    if (type <= 0 || type >= H5I_NTYPES)
        return TS_ERR(ATOM, BADRANGE, "no library type %d", (int)type);
    ts_mutex_lock(&types_lock);
    struct type_info *t = type_of(type);
    int ret = 0;
    if (!t) {
        t = type_new();
        if (t) {
            t->cls = cls;
            atomic_store_explicit(&types[type], t, memory_order_release);
        } else {
            ret = -1;
        }
    } else {
        t->cls = cls;
    }
    ts_mutex_unlock(&types_lock);
    return ret;
}

/* What is shown: read in ts_look_begin and end, changed by who has the lock of the id's shard, which is why two may
 * want the same place at once. */
struct shown {
    _Atomic hid_t id;    /* 0: free */
    _Atomic(void *) obj; /* written before the id, by a release that who reads it acquires */
};

/* The types of HDF5 alone have about a hundred ids. A place is looked for in a few that follow each other. */
enum { SHOWN = 4096, SHOWN_NEAR = 4, SHOW_AFTER = 8 };
static struct shown shown[SHOWN + SHOWN_NEAR];

static struct shown *shown_near(hid_t id)
{
    return &shown[(uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static void spread(const struct type_info *t, void *obj, void (*change)(struct ts_count *))
{
    struct ts_count *count;
    for (unsigned i = 0; (count = t->cls->count(obj, i)); i++)
        change(count);
}

/* Of a plain id. With the lock, as the next. */
static void show(const struct type_info *t, hid_t id, struct entry *e)
{
    if (!t->cls->count)
        return;
    struct shown *near = shown_near(id);
    hid_t claimed = -1, none = 0;
    for (unsigned i = 0; i < SHOWN_NEAR; i++, none = 0)
        if (atomic_compare_exchange_strong(&near[i].id, &none, claimed)) {
            spread(t, e->obj, ts_count_spread);
            e->shown = (uint16_t)(near + i - shown + 1);
            atomic_store_explicit(&near[i].obj, e->obj, memory_order_relaxed);
            atomic_store(&near[i].id, id);
            return;
        }
}

/* When this returns nobody finds the object but in the shard, and nobody is about to take a reference. */
static void hide(const struct type_info *t, struct entry *e)
{
    if (!e || !e->shown)
        return;
    struct shown *place = &shown[e->shown - 1];
    atomic_store(&place->id, -1);
    ts_look_wait();
    atomic_store(&place->id, 0);
    e->shown = 0;
    e->strangers = 0;
    spread(t, e->obj, ts_count_gather);
}

/* A reference, or NULL when it is not shown. */
static void *pin_shown(const struct type_info *t, hid_t id)
{
    struct shown *near = shown_near(id);
    void *obj = NULL;
    ts_look_begin();
    for (unsigned i = 0; !obj && i < SHOWN_NEAR; i++)
        if (atomic_load(&near[i].id) == id) {
            obj = atomic_load_explicit(&near[i].obj, memory_order_relaxed);
            t->cls->ref(obj);
        }
    ts_look_end();
    return obj;
}

/* The id that an operation closes in this thread. */
static _Thread_local hid_t closing_now;

static bool has_left(const struct entry *e, hid_t id)
{
    return e->leaving && id != closing_now;
}

/* Waits for what is due to an entry. As all that follows, it is called and returns with the shard locked, and unlocks
 * it meanwhile. */
static int wait_for_due(struct shard *s, const struct entry *e)
{
    struct ts_promise *promise = ts_promise_ref(e->due);
    ts_mutex_unlock(&s->lock);
    int status = ts_promise_wait(promise);
    ts_promise_unref(promise);
    ts_mutex_lock(&s->lock);
    return status;
}

static struct entry *take_out(struct type_info *t, hid_t id);

/* The entry of what a future turned out to be: it must be of the same type. */
static struct entry *made_by(const struct ts_future *future, H5I_type_t type)
{
    hid_t made = H5I_INVALID_HID;
    TS_MAY_CALL_OUT();
    if (future->realize(future->object, &made) < 0)
        return (void)TS_ERR(ATOM, CANTGET, "the function that makes the object of a future id failed"), NULL;
    struct entry *e = type_bits(made) == type ? take_out(type_of(type), made) : NULL;
    if (!e)
        TS_ERR(ATOM, BADTYPE,
               "the function that makes the object of a future id gave id %lld, which is none of type %d",
               (long long)made, (int)type);
    return e;
}

struct realizing {
    struct shard *shard;
    hid_t id;
    struct entry *made; /* NULL: it failed, and may be tried again */
};

static void end_realizing(void *ctx)
{
    const struct realizing *what = ctx;
    ts_mutex_lock(&what->shard->lock);
    struct entry *e = entry_of(what->shard, what->id);
    e->due = NULL;
    if (what->made) {
        e->obj = what->made->obj;
        e->future = NULL;
    }
    ts_mutex_unlock(&what->shard->lock);
}

/* Others that look for the object wait meanwhile, as for one that an operation makes. */
static int realize(struct shard *s, struct entry *e, hid_t id)
{
    struct ts_promise *promise = ts_promise_new(NULL);
    struct ts_future *future = e->future;
    if (!promise)
        return -1;
    e->due = promise;
    ts_mutex_unlock(&s->lock);
    struct realizing what = {.shard = s, .id = id, .made = made_by(future, type_bits(id))};
    int status = what.made ? 0 : -1;
    ts_promise_resolve(promise, type_bits(id), what.made ? what.made->obj : NULL, end_realizing, &what);
    if (what.made) {
        TS_MAY_CALL_OUT();
        if (future->discard(future->object) < 0)
            status = TS_ERR(ATOM, CANTRELEASE,
                            "the function that discards what stood in for the object of id %lld failed", (long long)id);
        ts_free(future);
        ts_free(what.made);
    }
    ts_promise_unref(promise);
    ts_mutex_lock(&s->lock);
    return status;
}

/* The entry of an id, once there is what it stands for. */
static struct entry *ready_entry(struct shard *s, hid_t id)
{
    struct entry *e;
    while ((e = entry_of(s, id)) && (e->due || e->future) && !has_left(e, id)) {
        int status = e->due ? wait_for_due(s, e) : realize(s, e, id);
        if (status < 0)
            return NULL;
    }
    return e && !has_left(e, id) && !e->broken ? e : NULL;
}

/* What an id of unknown type turned out to be; no id when it came to nothing. Others are what they are. */
static hid_t known(hid_t id)
{
    if (id < 0 || id >> TYPE_SHIFT != PROMISED)
        return id;
    struct type_info *t = type_of(PROMISED);
    struct shard *s = t ? shard_of(t, id) : NULL;
    hid_t other = H5I_INVALID_HID;
    if (!s)
        return other;
    ts_mutex_lock(&s->lock);
    const struct entry *e = ready_entry(s, id);
    if (e)
        other = e->alias;
    ts_mutex_unlock(&s->lock);
    return other;
}

/* 0 when there are no numbers left. */
static hid_t insert(struct type_info *t, H5I_type_t type, struct entry *e)
{
    unsigned lane = ts_lane();
    struct shard *s = &t->shards[lane];
    ts_mutex_lock(&s->lock);
    hid_t id = (hid_t)type << TYPE_SHIFT | s->made << LANE_BITS | lane;
    if (s->made > NUMBER_MASK >> LANE_BITS)
        id = 0;
    else if (ts_map_put(&s->maps[s->made++ & (MAPS - 1)], (uint64_t)id, e) < 0)
        id = -1;
    ts_mutex_unlock(&s->lock);
    return id;
}

static hid_t add_entry(H5I_type_t type, const struct entry *init)
{
    struct type_info *t = type_of(type);
    if (!t || atomic_load(&t->refs) <= 0)
        return TS_ERR(ATOM, BADGROUP, "no id type %d", (int)type);
    struct entry *e = ts_malloc(sizeof *e);
    if (!e)
        return -1;
    *e = *init;
    hid_t id = insert(t, type, e);
    if (id <= 0)
        ts_free(e);
    return id != 0 ? id : TS_ERR(ATOM, NOIDS, "no ids left for a %s", ts_id_type_name(type));
}

static hid_t add(H5I_type_t type, void *obj, bool hidden)
{
    struct entry init = {.obj = obj, .count = hidden ? 0 : 1, .hidden = hidden};
    return add_entry(type, &init);
}

hid_t ts_id_register(H5I_type_t type, void *obj)
{
    return add(type, obj, false);
}

hid_t ts_id_register_hidden(H5I_type_t type, void *obj)
{
    return add(type, obj, true);
}

hid_t ts_id_reserve(H5I_type_t type)
{
    return add(type, NULL, true);
}

void ts_id_fill(hid_t id, void *obj)
{
    struct shard *s = shard_of(type_of(type_bits(id)), id);
    ts_mutex_lock(&s->lock);
    struct entry *e = entry_of(s, id);
    *e = (struct entry){.obj = obj, .count = 1};
    ts_mutex_unlock(&s->lock);
}

/* Every call asks, and hardly ever is there one. */
static atomic_uint threads_shut;
static _Thread_local unsigned shut_depth;

void ts_id_shut_files(bool shut)
{
    shut_depth += shut ? 1u : -1u;
    atomic_fetch_add_explicit(&threads_shut, shut ? 1u : -1u, memory_order_relaxed);
}

bool ts_id_files_shut(void)
{
    return atomic_load_explicit(&threads_shut, memory_order_relaxed) > 0 && shut_depth > 0;
}

static bool is_shut(hid_t id)
{
    if (!ts_id_files_shut())
        return false;
    H5I_type_t type = type_bits(id);
    return (id > 0 && id >> TYPE_SHIFT == PROMISED) || type == H5I_FILE || type == H5I_GROUP || type == H5I_DATASET ||
           type == H5I_ATTR;
}

static int shut_out(hid_t id)
{
    return TS_ERR(ATOM, BADATOM, "id %lld: a filter of a file's metadata cannot use files", (long long)id);
}

/* Of an id that a thread of another lane made. */
static void *pin_strange(struct type_info *t, hid_t id)
{
    void *obj = pin_shown(t, id);
    if (obj)
        return obj;
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = ready_entry(s, id);
    obj = e ? e->obj : NULL;
    if (obj)
        t->cls->ref(obj);
    if (obj && !e->closing && e->strangers < SHOW_AFTER && ++e->strangers == SHOW_AFTER)
        show(t, id, e);
    ts_mutex_unlock(&s->lock);
    return obj;
}

static void *pin(hid_t id)
{
    struct type_info *t = type_of(type_bits(id));
    if (!t || !t->cls)
        return NULL;
    if (is_shut(id)) {
        shut_out(id);
        return NULL;
    }
    if (lane_of(id) != ts_lane())
        return pin_strange(t, id);
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    const struct entry *e = ready_entry(s, id);
    void *obj = e ? e->obj : NULL;
    if (obj)
        t->cls->ref(obj);
    ts_mutex_unlock(&s->lock);
    return obj;
}

H5I_type_t ts_id_made_for(hid_t id)
{
    return type_bits(known(id));
}

static bool is_broken(hid_t id);

/* For a message: nothing is waited for, or made. */
static H5I_type_t type_now(hid_t id)
{
    struct type_info *t = type_of(type_bits(id));
    if (!t)
        return H5I_BADID;
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    const struct entry *e = entry_of(s, id);
    bool there = e && !e->leaving && !e->broken;
    ts_mutex_unlock(&s->lock);
    return there ? type_bits(id) : H5I_BADID;
}

static int wrong_id(hid_t id, H5I_type_t type)
{
    H5I_type_t is = type_now(known(id));
    if (is_broken(id))
        return TS_ERR(ARGS, BADTYPE,
                      "not %s %s: the operation of an event set that was to make id %lld failed or was called off",
                      article(type), ts_id_type_name(type), (long long)id);
    return TS_ERR(ARGS, BADTYPE, "not %s %s: id %lld is %s %s", article(type), ts_id_type_name(type), (long long)id,
                  article(is), ts_id_type_name(is));
}

void *ts_id_pin(hid_t id, H5I_type_t type)
{
    hid_t own = known(id);
    void *obj = type_bits(own) == type ? pin(own) : NULL;
    if (!obj)
        wrong_id(id, type);
    return obj;
}

void *ts_id_pin_any(hid_t id, H5I_type_t *type)
{
    hid_t own = known(id);
    void *obj = pin(own);
    *type = obj ? type_bits(own) : H5I_BADID;
    if (!obj)
        TS_ERR_AS(ATOM, BADATOM, "invalid location ID", "no object has id %lld", (long long)id);
    return obj;
}

void ts_id_unpin(H5I_type_t type, void *obj)
{
    struct type_info *t = type_of(type);
    if (obj && t && t->cls)
        t->cls->unref(obj);
}

void ts_id_pin_again(H5I_type_t type, void *obj)
{
    type_of(type)->cls->ref(obj);
}

/* The table of an id, which may be of unknown type. */
static struct type_info *table_of(hid_t id)
{
    return id > 0 ? type_of((H5I_type_t)(id >> TYPE_SHIFT)) : NULL;
}

/* An id that came to nothing. */
static bool is_broken(hid_t id)
{
    struct type_info *t = table_of(id);
    if (!t)
        return false;
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    const struct entry *e = entry_of(s, id);
    bool broken = e && e->broken && !has_left(e, id);
    ts_mutex_unlock(&s->lock);
    return broken;
}

/* What a look at an entry under its lock says. */
struct view {
    bool found, hidden;
    int count;
    void *obj;
};

static inline __attribute__((always_inline)) struct view look(hid_t id)
{
    struct view v = {0};
    id = known(id);
    struct type_info *t = type_of(type_bits(id));
    if (!t)
        return v;
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    const struct entry *e = ready_entry(s, id);
    if (e)
        v = (struct view){.found = true, .hidden = e->hidden, .count = e->count, .obj = e->obj};
    ts_mutex_unlock(&s->lock);
    return v;
}

static bool is_shown(hid_t id)
{
    const struct shown *near = shown_near(id);
    for (unsigned i = 0; i < SHOWN_NEAR; i++)
        if (atomic_load_explicit(&near[i].id, memory_order_relaxed) == id)
            return true;
    return false;
}

H5I_type_t ts_id_type(hid_t id)
{
    if (id > 0 && lane_of(id) != ts_lane() && is_shown(id))
        return type_bits(id);
    id = known(id);
    return look(id).found ? type_bits(id) : H5I_BADID;
}

bool ts_id_hidden(hid_t id)
{
    return look(id).hidden;
}

int ts_id_count(hid_t id)
{
    struct view v = look(id);
    if (!v.found)
        return TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id);
    return v.count;
}

int ts_id_inc(hid_t id)
{
    struct type_info *t = type_of(type_bits(id = known(id)));
    int count = -1;
    if (t) {
        struct shard *s = shard_of(t, id);
        ts_mutex_lock(&s->lock);
        struct entry *e = ready_entry(s, id);
        if (e && !e->closing)
            count = ++e->count;
        ts_mutex_unlock(&s->lock);
    }
    return count < 0 ? TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id) : count;
}

static struct entry *take_out(struct type_info *t, hid_t id)
{
    if (!t)
        return NULL;
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = ts_map_remove(map_of(s, id), (uint64_t)id);
    hide(t, e);
    ts_mutex_unlock(&s->lock);
    return e;
}

/* With an entry goes the id that was given out before its type was known. */
static void discard(struct entry *e)
{
    if (e && e->alias)
        ts_free(take_out(type_of(PROMISED), e->alias));
    ts_free(e);
}

static void forget(struct type_info *t, hid_t id)
{
    discard(take_out(t, id));
}

void ts_id_unreserve(hid_t id)
{
    forget(table_of(id), id);
}

/* Closing an id that came to nothing is letting go of it. */
bool ts_id_forget_broken(hid_t id)
{
    if (!is_broken(id))
        return false;
    forget(table_of(id), id);
    return true;
}

static void revive(struct type_info *t, hid_t id)
{
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = entry_of(s, id);
    if (e) {
        e->closing = false;
        e->count++;
    }
    ts_mutex_unlock(&s->lock);
}

static int call_free(H5I_free_t free_func, void *obj)
{
    TS_MAY_CALL_OUT();
    void *request = NULL;
#if H5_API_LEVEL >= 114
    return free_func(obj, &request);
#else
    (void)request;
    return free_func(obj);
#endif
}

static bool asks(const struct type_info *t)
{
    return t->free_func || (t->cls && t->cls->may_close);
}

/* A user's free function sees its id still alive, and may refuse. */
static int ask(struct type_info *t, hid_t id, void *obj, bool force)
{
    if (t->free_func && call_free(t->free_func, obj) < 0 && !force)
        return TS_ERR(ATOM, CANTDEC, "the free function refused id %lld", (long long)id);
    return t->cls && t->cls->may_close && !force ? t->cls->may_close(obj) : 0;
}

/* The way of every reference that an id had. */
static int let_go(const struct type_info *t, void *obj)
{
    const struct ts_err_stack *errors = ts_err_current();
    unsigned owed = errors->owed;
    if (t->cls && t->cls->close)
        t->cls->close(obj);
    else if (t->cls)
        t->cls->unref(obj);
    return errors->owed == owed ? 0 : -1;
}

/* The count is 0. */
static int finish(struct type_info *t, hid_t id, void *obj, bool force)
{
    if (ask(t, id, obj, force) < 0) {
        revive(t, id);
        return -1;
    }
    forget(t, id);
    return let_go(t, obj);
}

/* One application count less. *gone: the last, and the id is no more; what it stood for is the caller's. */
static int drop_count(struct type_info *t, hid_t id, struct view *v, bool *gone)
{
    struct shard *s = shard_of(t, id);
    struct entry *e, *last = NULL;
    int count = -1;
    *gone = false;
    ts_mutex_lock(&s->lock);
    e = ready_entry(s, id);
    *v = (struct view){.found = e, .hidden = e && e->hidden, .obj = e ? e->obj : NULL};
    if (e && !e->closing && e->count > 0) {
        count = --e->count;
        e->closing = count == 0 && !e->hidden;
        if (e->closing && !asks(t)) {
            last = ts_map_remove(map_of(s, id), (uint64_t)id);
            hide(t, last);
        }
        *gone = e->closing;
    }
    ts_mutex_unlock(&s->lock);
    discard(last);
    return count;
}

static int last_count(struct type_info *t, hid_t id, void *obj)
{
    return asks(t) ? finish(t, id, obj, false) : let_go(t, obj);
}

int ts_id_dec(hid_t id)
{
    if (is_shut(id))
        return shut_out(id);
    hid_t own = known(id);
    struct type_info *t = type_of(type_bits(own));
    struct view v = {0};
    bool gone = false;
    int count = t ? drop_count(t, own, &v, &gone) : -1;
    if (count < 0 && ts_id_forget_broken(id))
        return 0;
    if (count < 0)
        return v.hidden ? TS_ERR(ATOM, CANTDEC, "id %lld belongs to the library", (long long)id)
                        : TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id);
    if (gone && last_count(t, own, v.obj) < 0)
        return -1;
    if (gone && !t->cls && !v.obj)
        return TS_ERR(ATOM, CANTDELETE, "can't remove ID node: id %lld stood for nothing", (long long)id);
    return count;
}

int ts_id_close(hid_t id, H5I_type_t type)
{
    if (is_shut(id))
        return shut_out(id);
    hid_t own = known(id);
    struct type_info *t = type_bits(own) == type ? type_of(type) : NULL;
    struct view v = {0};
    bool gone = false;
    int count = t ? drop_count(t, own, &v, &gone) : -1;
    if (count < 0 && ts_id_forget_broken(id))
        return 0;
    if (count < 0)
        return v.hidden ? TS_ERR(ATOM, CANTDEC, "id %lld belongs to the library", (long long)id) : wrong_id(id, type);
    return gone && last_count(t, own, v.obj) < 0 ? -1 : count;
}

int ts_id_take_back(hid_t id)
{
    struct type_info *t = type_of(type_bits(id = known(id)));
    struct view v = {0};
    bool gone = false;
    int count = t && t->cls ? drop_count(t, id, &v, &gone) : -1;
    if (count < 0)
        return TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id);
    if (gone) {
        forget(t, id);
        t->cls->unref(v.obj);
    }
    return count;
}

int ts_id_replace(hid_t id, H5I_type_t type, void *obj, void **old)
{
    hid_t own = known(id);
    struct type_info *t = type_bits(own) == type ? type_of(type) : NULL;
    if (t) {
        struct shard *s = shard_of(t, own);
        ts_mutex_lock(&s->lock);
        struct entry *e = ready_entry(s, own);
        bool found = e && !e->closing;
        if (found) {
            hide(t, e);
            *old = e->obj;
            e->obj = obj;
        }
        ts_mutex_unlock(&s->lock);
        if (found)
            return 0;
    }
    return wrong_id(id, type);
}

int ts_id_update(hid_t id, H5I_type_t type, int (*update)(void *obj, void *ctx), void *ctx)
{
    hid_t own = known(id);
    struct type_info *t = type_bits(own) == type ? type_of(type) : NULL;
    bool found = false;
    int ret = -1;
    if (t) {
        struct shard *s = shard_of(t, own);
        ts_mutex_lock(&s->lock);
        struct entry *e = ready_entry(s, own);
        found = e && !e->closing;
        if (found) {
            hide(t, e);
            ret = update(e->obj, ctx);
        }
        ts_mutex_unlock(&s->lock);
    }
    return found ? ret : wrong_id(id, type);
}

void ts_id_drop(hid_t id)
{
    struct type_info *t = table_of(id);
    struct entry *e = t ? take_out(t, id) : NULL;
    if (e)
        t->cls->unref(e->obj);
    discard(e);
}

static int need_promised(void)
{
    ts_mutex_lock(&types_lock);
    struct type_info *t = type_of(PROMISED);
    if (!t && (t = type_new()))
        atomic_store_explicit(&types[PROMISED], t, memory_order_release);
    ts_mutex_unlock(&types_lock);
    return t ? 0 : -1;
}

hid_t ts_id_promise(H5I_type_t type, struct ts_promise *promise)
{
    struct entry init = {.count = 1, .due = promise};
    if (type == H5I_UNINIT)
        return need_promised() < 0 ? -1 : add_entry(PROMISED, &init);
    return add_entry(type, &init);
}

int ts_id_promise_again(hid_t id, H5I_type_t type, struct ts_promise *promise)
{
    hid_t own = known(id);
    struct type_info *t = type_bits(own) == type ? type_of(type) : NULL;
    bool found = false, hidden = false;
    if (t) {
        struct shard *s = shard_of(t, own);
        ts_mutex_lock(&s->lock);
        struct entry *e = ready_entry(s, own);
        hidden = e && e->hidden;
        found = e && !hidden && !e->closing;
        if (found) {
            hide(t, e);
            e->due = promise;
        }
        ts_mutex_unlock(&s->lock);
    }
    if (hidden)
        return TS_ERR(ATOM, CANTSET, "id %lld belongs to the library", (long long)id);
    return found ? 0 : wrong_id(id, type);
}

struct filling {
    hid_t id, made; /* 0: there will be none */
    void *obj;      /* for the id's entry; then, what that had before */
};

static void set_alias(hid_t id, hid_t alias)
{
    struct shard *s = shard_of(table_of(id), id);
    ts_mutex_lock(&s->lock);
    struct entry *e = entry_of(s, id);
    if (e)
        e->alias = alias;
    ts_mutex_unlock(&s->lock);
}

/* The entry is there: nobody closes what is due. */
static void fill_entry(void *ctx)
{
    struct filling *what = ctx;
    bool unknown = what->id >> TYPE_SHIFT == PROMISED;
    if (unknown && what->made)
        set_alias(what->made, what->id);
    struct shard *s = shard_of(table_of(what->id), what->id);
    ts_mutex_lock(&s->lock);
    struct entry *e = entry_of(s, what->id);
    e->due = NULL;
    e->broken = !what->made && !e->obj;
    if (unknown)
        e->alias = what->made;
    else if (what->made) {
        void *before = e->obj;
        e->obj = what->obj;
        what->obj = before;
    }
    ts_mutex_unlock(&s->lock);
}

void ts_id_keep_promise(hid_t id, struct ts_promise *promise, hid_t made)
{
    struct type_info *t = type_of(type_bits(made));
    struct filling what = {.id = id, .made = made, .obj = pin(made)};
    ts_promise_resolve(promise, type_bits(made), what.obj, fill_entry, &what);
    if (what.obj)
        t->cls->unref(what.obj);
    if (id >> TYPE_SHIFT != PROMISED)
        ts_id_drop(made);
}

/* What an id that was promised again still stands for; a reference for the caller. */
static void *object_before(hid_t id)
{
    struct type_info *t = table_of(id);
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    const struct entry *e = entry_of(s, id);
    void *obj = e->obj;
    if (obj)
        t->cls->ref(obj);
    ts_mutex_unlock(&s->lock);
    return obj;
}

void ts_id_break_promise(hid_t id, struct ts_promise *promise)
{
    struct filling what = {.id = id};
    void *before = object_before(id);
    ts_promise_resolve(promise, type_bits(id), before, fill_entry, &what);
    if (before)
        table_of(id)->cls->unref(before);
}

/* What an operation finds at an id. */
enum finding { NOTHING, OBJECT, ALIAS, PROMISE };

/* The object, with a reference; or the promise, with one; or the other id. */
struct found {
    enum finding what;
    void *obj;
    struct ts_promise *promise;
    hid_t other;
};

static struct found find_now(hid_t id)
{
    struct found found = {NOTHING, NULL, NULL, 0};
    struct type_info *t = table_of(id);
    if (!t || (!t->cls && t != type_of(PROMISED)))
        return found;
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    const struct entry *e = entry_of(s, id);
    if (e && e->future)
        e = ready_entry(s, id);
    if (e && !e->leaving && !e->broken) {
        if (e->due)
            found = (struct found){.what = PROMISE, .promise = ts_promise_ref(e->due)};
        else if (!t->cls)
            found = (struct found){.what = e->alias ? ALIAS : NOTHING, .other = e->alias};
        else
            found = (struct found){.what = OBJECT, .obj = e->obj};
    }
    if (found.what == OBJECT)
        t->cls->ref(found.obj);
    ts_mutex_unlock(&s->lock);
    return found;
}

int ts_id_hold(hid_t id, struct ts_hold *hold)
{
    hid_t own = id;
    int status = 0;
    if (is_shut(id))
        return shut_out(id);
    while (status == 0) {
        struct found found = find_now(own);
        if (found.what == NOTHING)
            return TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id);
        if (found.what == OBJECT) {
            hold->type = type_bits(own);
            hold->obj = found.obj;
            return 1;
        }
        if (found.what == ALIAS)
            own = found.other;
        else
            status = ts_promise_hold(found.promise, hold);
        ts_promise_unref(found.promise);
    }
    return status < 0 ? -1 : 0;
}

int ts_id_leave(hid_t id, unsigned of_types)
{
    struct type_info *t = table_of(id);
    bool found = false;
    if (is_shut(id))
        return shut_out(id);
    if (t) {
        struct shard *s = shard_of(t, id);
        ts_mutex_lock(&s->lock);
        struct entry *e = entry_of(s, id);
        bool fits = !t->cls || of_types >> type_bits(id) & 1;
        found = fits && e && !e->leaving && !e->closing && !e->hidden;
        if (found && e->count <= 1) {
            hide(t, e);
            e->leaving = true;
        }
        ts_mutex_unlock(&s->lock);
    }
    return found ? 0
                 : TS_ERR(ARGS, BADTYPE, "id %lld is not that of something that this call closes, or is closed already",
                          (long long)id);
}

void ts_id_close_now(hid_t id)
{
    closing_now = id;
}

void ts_id_stay(hid_t id)
{
    if (closing_now == id)
        closing_now = 0;
    struct shard *s = shard_of(table_of(id), id);
    ts_mutex_lock(&s->lock);
    struct entry *e = entry_of(s, id);
    if (e)
        e->leaving = false;
    ts_mutex_unlock(&s->lock);
}

static int by_value(const void *a, const void *b)
{
    hid_t x = *(const hid_t *)a, y = *(const hid_t *)b;
    return (x > y) - (x < y);
}

/* What is not there yet, or nobody's any more, is not. */
static bool is_listed(const struct entry *e, bool hidden)
{
    return (hidden || !e->hidden) && !e->due && !e->broken && (hidden || !e->leaving);
}

static size_t members_of(const struct shard *s)
{
    size_t n = 0;
    for (int m = 0; m < MAPS; m++)
        n += s->maps[m].count;
    return n;
}

int ts_id_list(H5I_type_t type, bool hidden, hid_t **ids, size_t *n)
{
    hid_t *list = NULL;
    size_t count = 0, capacity = 0;
    struct type_info *t = type_of(type);
    for (unsigned i = 0; t && i < ts_lanes; i++) {
        struct shard *s = &t->shards[i];
        ts_mutex_lock(&s->lock);
        int ret = TS_GROW(list, capacity, count + members_of(s));
        uint64_t id;
        void *e;
        for (int m = 0; ret == 0 && m < MAPS; m++)
            for (size_t pos = 0; ts_map_next(&s->maps[m], &pos, &id, &e);)
                if (is_listed(e, hidden))
                    list[count++] = (hid_t)id;
        ts_mutex_unlock(&s->lock);
        if (ret < 0) {
            ts_free(list);
            return -1;
        }
    }
    if (count)
        qsort(list, count, sizeof *list, by_value);
    *ids = list;
    *n = count;
    return 0;
}

size_t ts_id_members(H5I_type_t type)
{
    size_t n = 0;
    struct type_info *t = type_of(type);
    for (unsigned i = 0; t && i < ts_lanes; i++) {
        ts_mutex_lock(&t->shards[i].lock);
        n += members_of(&t->shards[i]);
        ts_mutex_unlock(&t->shards[i].lock);
    }
    return n;
}

/* An id that nobody has looked for goes without its object being made. True when it was one. */
static bool discard_future(struct type_info *t, hid_t id, bool force)
{
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = entry_of(s, id);
    struct ts_future *future = e && !e->due && (force || e->count <= 1) ? e->future : NULL;
    if (future)
        ts_free(ts_map_remove(map_of(s, id), (uint64_t)id));
    ts_mutex_unlock(&s->lock);
    if (!future)
        return false;
    TS_MAY_CALL_OUT();
    (void)future->discard(future->object);
    ts_free(future);
    return true;
}

static bool start_closing(struct type_info *t, hid_t id, bool force, bool hidden, void **obj)
{
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = entry_of(s, id);
    bool take = e && !e->closing && !e->due && (force || e->count <= 1) && (hidden || !e->hidden);
    if (take) {
        e->closing = true;
        e->count = 0;
        *obj = e->obj;
    }
    ts_mutex_unlock(&s->lock);
    return take;
}

static int clear(H5I_type_t type, bool force, bool hidden)
{
    hid_t *ids;
    size_t n;
    struct type_info *t = type_of(type);
    if (!t || ts_id_list(type, hidden, &ids, &n) < 0)
        return t ? -1 : 0;
    for (size_t i = 0; i < n; i++) {
        void *obj;
        unsigned mark = ts_err_mark(), owed = ts_err_owed();
        if (discard_future(t, ids[i], force))
            continue;
        if (start_closing(t, ids[i], force, hidden, &obj) && finish(t, ids[i], obj, force) < 0 && ts_err_owed() == owed)
            ts_err_rewind(mark);
    }
    ts_free(ids);
    return 0;
}

int ts_id_clear(H5I_type_t type, bool force)
{
    return clear(type, force, false);
}

void ts_id_close_all(void)
{
    static const H5I_type_t order[] = {
        H5I_EVENTSET,    H5I_ATTR,        H5I_DATASET,   H5I_GROUP,      H5I_MAP, H5I_SPACE_SEL_ITER,
        H5I_DATATYPE,    H5I_FILE,        H5I_DATASPACE, H5I_VFL,        H5I_VOL, H5I_GENPROP_LST,
        H5I_GENPROP_CLS, H5I_ERROR_STACK, H5I_ERROR_MSG, H5I_ERROR_CLASS};
    ts_mutex_lock(&types_lock);
    int user_end = next_user_type;
    next_user_type = H5I_NTYPES;
    ts_mutex_unlock(&types_lock);
    for (int type = H5I_NTYPES; type < user_end; type++) {
        struct type_info *t = type_of((H5I_type_t)type);
        if (!t || atomic_exchange(&t->refs, 0) <= 0)
            continue;
        /* What it gave an id for, the application keeps. */
        t->free_func = NULL;
        clear((H5I_type_t)type, true, true);
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        clear(order[i], true, true);
}

static int user_type_number(void)
{
    if (next_user_type < MAX_TYPES)
        return next_user_type++;
    for (int type = H5I_NTYPES; type < MAX_TYPES; type++) {
        struct type_info *t = type_of((H5I_type_t)type);
        if (!t || atomic_load(&t->refs) <= 0)
            return type;
    }
    return -1;
}

H5I_type_t ts_id_user_type_new(H5I_free_t free_func)
{
    ts_mutex_lock(&types_lock);
    int type = user_type_number();
    struct type_info *t = type < 0 ? NULL : type_of((H5I_type_t)type);
    if (t) {
        t->free_func = free_func;
        atomic_store(&t->refs, 1);
    } else if (type >= 0 && (t = type_new())) {
        t->free_func = free_func;
        atomic_store_explicit(&types[type], t, memory_order_release);
    }
    ts_mutex_unlock(&types_lock);
    if (t)
        return (H5I_type_t)type;
    TS_ERR(ATOM, NOSPACE, "no id types left");
    return H5I_BADID;
}

static struct type_info *user_type(H5I_type_t type)
{
    struct type_info *t = (int)type < H5I_NTYPES ? NULL : type_of(type);
    if (t && atomic_load(&t->refs) > 0)
        return t;
    TS_ERR(ATOM, BADGROUP, "no user type %d", (int)type);
    return NULL;
}

bool ts_id_user_type_exists(H5I_type_t type)
{
    struct type_info *t = (int)type < H5I_NTYPES ? NULL : type_of(type);
    return t && atomic_load(&t->refs) > 0;
}

bool ts_id_user_type_known(H5I_type_t type)
{
    return (int)type >= H5I_NTYPES && type_of(type) != NULL;
}

int ts_id_user_type_destroy(H5I_type_t type)
{
    struct type_info *t = user_type(type);
    if (!t)
        return -1;
    if (clear(type, true, true) < 0)
        return -1;
    atomic_store(&t->refs, 0);
    return 0;
}

int ts_id_user_type_ref(H5I_type_t type, int delta)
{
    struct type_info *t = user_type(type);
    if (!t)
        return -1;
    if (delta < 0 && atomic_load(&t->refs) <= 1)
        return ts_id_user_type_destroy(type);
    return atomic_fetch_add(&t->refs, delta) + delta;
}

hid_t ts_id_register_future(H5I_type_t type, const struct ts_future *future)
{
    struct entry init = {.count = 1, .future = ts_memdup(future, sizeof *future)};
    hid_t id = init.future ? add_entry(type, &init) : -1;
    if (id < 0)
        ts_free(init.future);
    return id;
}

hid_t ts_id_user_register(H5I_type_t type, void *obj)
{
    return user_type(type) ? add(type, obj, false) : -1;
}

void *ts_id_user_object(hid_t id, H5I_type_t type)
{
    return ts_id_user_type_exists(type) && type_bits(id) == type ? look(id).obj : NULL;
}

void *ts_id_user_remove(hid_t id, H5I_type_t type)
{
    struct view v = ts_id_user_type_exists(type) && type_bits(id) == type ? look(id) : (struct view){0};
    if (v.found)
        forget(type_of(type), id);
    return v.obj;
}
