#define _GNU_SOURCE
#include "id/id.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/map.h"

/* Ids of one type are spread over shards, so that threads working on different objects do not share a lock. What is done
 * with one takes nanoseconds, so who finds it locked spins for a while: that is quicker than a lock for many readers. */
#define SHARDS 16
#define MAX_TYPES 127
#define TYPE_SHIFT 56
#define NUMBER_MASK ((INT64_C(1) << TYPE_SHIFT) - 1)

struct entry {
    void *obj;
    int count;    /* of the application */
    bool hidden;  /* the library holds one more count */
    bool closing; /* its type is asked whether it may go */
};

struct shard {
    _Alignas(64) struct ts_mutex lock;
    struct ts_map map;
};

struct type_info {
    const struct ts_id_class *cls; /* NULL for user types */
    H5I_free_t free_func;
    atomic_int refs; /* of a user type; 0 once destroyed */
    atomic_int_least64_t next;
    struct shard shards[SHARDS];
};

/* Once made, a type's table stays for the life of the process, so that readers need no lock to find it. */
static _Atomic(struct type_info *) types[MAX_TYPES];
static struct ts_mutex types_lock = TS_MUTEX_INIT(TS_RANK_ID_TYPES);
static int next_user_type = H5I_NTYPES;

static const char *const type_names[H5I_NTYPES] = {
    [H5I_FILE] = "file",
    [H5I_GROUP] = "group",
    [H5I_DATATYPE] = "datatype",
    [H5I_DATASPACE] = "dataspace",
    [H5I_DATASET] = "dataset",
    [H5I_ATTR] = "attribute",
    [H5I_REFERENCE] = "reference",
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
    if (type <= 0 || (int)type >= MAX_TYPES)
        return NULL;
    return atomic_load_explicit(&types[type], memory_order_acquire);
}

static struct shard *shard_of(struct type_info *t, hid_t id)
{
    return &t->shards[id & (SHARDS - 1)];
}

static struct type_info *type_new(void)
{
    /* The shards want their own cache lines, which calloc does not promise. */
    struct type_info *t = ts_malloc_aligned(sizeof *t);
    if (!t)
        return NULL;
    t->cls = NULL;
    t->free_func = NULL;
    atomic_init(&t->refs, 1);
    atomic_init(&t->next, 0);
    for (int i = 0; i < SHARDS; i++) {
        ts_mutex_init_spinning(&t->shards[i].lock, TS_RANK_IDS);
        t->shards[i].map = (struct ts_map){0};
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

static int insert(struct type_info *t, hid_t id, struct entry *e)
{
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    int ret = ts_map_put(&s->map, (uint64_t)id, e);
    ts_mutex_unlock(&s->lock);
    return ret;
}

static hid_t add(H5I_type_t type, void *obj, bool hidden)
{
    struct type_info *t = type_of(type);
    if (!t || atomic_load(&t->refs) <= 0)
        return TS_ERR(ATOM, BADGROUP, "no id type %d", (int)type);
    int64_t number = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    if (number > NUMBER_MASK)
        return TS_ERR(ATOM, NOIDS, "no ids left for a %s", ts_id_type_name(type));
    struct entry *e = ts_malloc(sizeof *e);
    if (!e)
        return -1;
    *e = (struct entry){.obj = obj, .count = hidden ? 0 : 1, .hidden = hidden};
    hid_t id = (hid_t)type << TYPE_SHIFT | number;
    if (insert(t, id, e) < 0) {
        ts_free(e);
        return -1;
    }
    return id;
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
    struct entry *e = ts_map_get(&s->map, (uint64_t)id);
    *e = (struct entry){.obj = obj, .count = 1};
    ts_mutex_unlock(&s->lock);
}

void ts_id_unreserve(hid_t id)
{
    struct shard *s = shard_of(type_of(type_bits(id)), id);
    ts_mutex_lock(&s->lock);
    ts_free(ts_map_remove(&s->map, (uint64_t)id));
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
    return type == H5I_FILE || type == H5I_GROUP || type == H5I_DATASET || type == H5I_ATTR;
}

static int shut_out(hid_t id)
{
    return TS_ERR(ATOM, BADATOM, "id %lld: a filter of a file's metadata cannot use files", (long long)id);
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
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = ts_map_get(&s->map, (uint64_t)id);
    void *obj = e ? e->obj : NULL;
    if (obj)
        t->cls->ref(obj);
    ts_mutex_unlock(&s->lock);
    return obj;
}

H5I_type_t ts_id_made_for(hid_t id)
{
    return type_bits(id);
}

static int wrong_id(hid_t id, H5I_type_t type)
{
    return TS_ERR(ARGS, BADTYPE, "not %s %s: id %lld is %s %s", article(type), ts_id_type_name(type), (long long)id,
                  article(ts_id_type(id)), ts_id_type_name(ts_id_type(id)));
}

void *ts_id_pin(hid_t id, H5I_type_t type)
{
    void *obj = type_bits(id) == type ? pin(id) : NULL;
    if (!obj)
        wrong_id(id, type);
    return obj;
}

void *ts_id_pin_any(hid_t id, H5I_type_t *type)
{
    void *obj = pin(id);
    *type = obj ? type_bits(id) : H5I_BADID;
    if (!obj)
        TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id);
    return obj;
}

void ts_id_unpin(H5I_type_t type, void *obj)
{
    struct type_info *t = type_of(type);
    if (obj && t && t->cls)
        t->cls->unref(obj);
}

/* What a look at an entry under its lock says. */
struct view {
    bool found, hidden;
    int count;
    void *obj;
};

static struct view look(hid_t id)
{
    struct view v = {0};
    struct type_info *t = type_of(type_bits(id));
    if (!t)
        return v;
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    const struct entry *e = ts_map_get(&s->map, (uint64_t)id);
    if (e)
        v = (struct view){.found = true, .hidden = e->hidden, .count = e->count, .obj = e->obj};
    ts_mutex_unlock(&s->lock);
    return v;
}

H5I_type_t ts_id_type(hid_t id)
{
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
    struct type_info *t = type_of(type_bits(id));
    int count = -1;
    if (t) {
        struct shard *s = shard_of(t, id);
        ts_mutex_lock(&s->lock);
        struct entry *e = ts_map_get(&s->map, (uint64_t)id);
        if (e && !e->closing)
            count = ++e->count;
        ts_mutex_unlock(&s->lock);
    }
    return count < 0 ? TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id) : count;
}

static void forget(struct type_info *t, hid_t id)
{
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    ts_free(ts_map_remove(&s->map, (uint64_t)id));
    ts_mutex_unlock(&s->lock);
}

static void revive(struct type_info *t, hid_t id)
{
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = ts_map_get(&s->map, (uint64_t)id);
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
    e = ts_map_get(&s->map, (uint64_t)id);
    *v = (struct view){.found = e, .hidden = e && e->hidden, .obj = e ? e->obj : NULL};
    if (e && !e->closing && e->count > 0) {
        count = --e->count;
        e->closing = count == 0 && !e->hidden;
        if (e->closing && !asks(t))
            last = ts_map_remove(&s->map, (uint64_t)id);
        *gone = e->closing;
    }
    ts_mutex_unlock(&s->lock);
    ts_free(last);
    return count;
}

static int last_count(struct type_info *t, hid_t id, void *obj)
{
    return asks(t) ? finish(t, id, obj, false) : let_go(t, obj);
}

int ts_id_dec(hid_t id)
{
    struct type_info *t = type_of(type_bits(id));
    struct view v;
    bool gone;
    if (!t)
        return TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id);
    if (is_shut(id))
        return shut_out(id);
    int count = drop_count(t, id, &v, &gone);
    if (count < 0)
        return v.hidden ? TS_ERR(ATOM, CANTDEC, "id %lld belongs to the library", (long long)id)
                        : TS_ERR(ATOM, BADATOM, "no object has id %lld", (long long)id);
    return gone && last_count(t, id, v.obj) < 0 ? -1 : count;
}

int ts_id_close(hid_t id, H5I_type_t type)
{
    struct type_info *t = type_bits(id) == type ? type_of(type) : NULL;
    struct view v = {0};
    bool gone = false;
    if (is_shut(id))
        return shut_out(id);
    int count = t ? drop_count(t, id, &v, &gone) : -1;
    if (count < 0)
        return v.hidden ? TS_ERR(ATOM, CANTDEC, "id %lld belongs to the library", (long long)id) : wrong_id(id, type);
    return gone && last_count(t, id, v.obj) < 0 ? -1 : count;
}

int ts_id_take_back(hid_t id)
{
    struct type_info *t = type_of(type_bits(id));
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
    struct type_info *t = type_bits(id) == type ? type_of(type) : NULL;
    if (t) {
        struct shard *s = shard_of(t, id);
        ts_mutex_lock(&s->lock);
        struct entry *e = ts_map_get(&s->map, (uint64_t)id);
        bool found = e && !e->closing;
        if (found) {
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
    struct type_info *t = type_bits(id) == type ? type_of(type) : NULL;
    bool found = false;
    int ret = -1;
    if (t) {
        struct shard *s = shard_of(t, id);
        ts_mutex_lock(&s->lock);
        struct entry *e = ts_map_get(&s->map, (uint64_t)id);
        found = e && !e->closing;
        if (found)
            ret = update(e->obj, ctx);
        ts_mutex_unlock(&s->lock);
    }
    return found ? ret : wrong_id(id, type);
}

static int by_value(const void *a, const void *b)
{
    hid_t x = *(const hid_t *)a, y = *(const hid_t *)b;
    return (x > y) - (x < y);
}

int ts_id_list(H5I_type_t type, bool hidden, hid_t **ids, size_t *n)
{
    hid_t *list = NULL;
    size_t count = 0, capacity = 0;
    struct type_info *t = type_of(type);
    for (int i = 0; t && i < SHARDS; i++) {
        struct shard *s = &t->shards[i];
        ts_mutex_lock(&s->lock);
        int ret = TS_GROW(list, capacity, count + s->map.count);
        uint64_t id;
        void *e;
        for (size_t pos = 0; ret == 0 && ts_map_next(&s->map, &pos, &id, &e);)
            if (hidden || !((struct entry *)e)->hidden)
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
    for (int i = 0; t && i < SHARDS; i++) {
        ts_mutex_lock(&t->shards[i].lock);
        n += t->shards[i].map.count;
        ts_mutex_unlock(&t->shards[i].lock);
    }
    return n;
}

static bool start_closing(struct type_info *t, hid_t id, bool force, bool hidden, void **obj)
{
    struct shard *s = shard_of(t, id);
    ts_mutex_lock(&s->lock);
    struct entry *e = ts_map_get(&s->map, (uint64_t)id);
    bool take = e && !e->closing && (force || e->count <= 1) && (hidden || !e->hidden);
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
    static const H5I_type_t order[] = {H5I_EVENTSET,  H5I_ATTR,      H5I_DATASET,     H5I_GROUP,      H5I_MAP,
                                       H5I_REFERENCE, H5I_SPACE_SEL_ITER, H5I_DATATYPE, H5I_FILE,     H5I_DATASPACE,
                                       H5I_VFL,       H5I_VOL,       H5I_GENPROP_LST, H5I_GENPROP_CLS, H5I_ERROR_STACK,
                                       H5I_ERROR_MSG, H5I_ERROR_CLASS};
    ts_mutex_lock(&types_lock);
    int user_end = next_user_type;
    next_user_type = H5I_NTYPES;
    ts_mutex_unlock(&types_lock);
    for (int type = H5I_NTYPES; type < user_end; type++) {
        struct type_info *t = type_of((H5I_type_t)type);
        if (t && atomic_exchange(&t->refs, 0) > 0)
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

hid_t ts_id_user_register(H5I_type_t type, void *obj)
{
    return user_type(type) ? add(type, obj, false) : -1;
}

void *ts_id_user_object(hid_t id, H5I_type_t type)
{
    if (!user_type(type))
        return NULL;
    struct view v = type_bits(id) == type ? look(id) : (struct view){0};
    if (!v.found)
        TS_ERR(ATOM, BADATOM, "no object of type %d has id %lld", (int)type, (long long)id);
    return v.obj;
}

void *ts_id_user_remove(hid_t id, H5I_type_t type)
{
    void *obj = ts_id_user_object(id, type);
    if (obj)
        forget(type_of(type), id);
    return obj;
}
