/* Property lists: their values, under the lock of each list. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "plist/parts.h"
#include "plist/property.h"

/* The application's callbacks that get the list's id run without its lock: they may ask and change the list. Those for
 * copying and comparing get bare values, and run while the list is locked for reading. */

static void *value_new(const struct ts_prop *prop, const void *from)
{
    void *value = ts_malloc(prop->size ? prop->size : 1);
    if (value && prop->size)
        memcpy(value, from, prop->size);
    return value;
}

/* A value that shares nothing with `from`. */
static void *value_copy(const struct ts_prop *prop, const void *from)
{
    void *value = value_new(prop, from);
    if (value && prop->ops->copy && prop->ops->copy(value) < 0) {
        ts_free(value);
        return NULL;
    }
    return value;
}

/* From what the application gives. */
static void *value_taken(const struct ts_prop *prop, const void *from)
{
    void *value = prop->ops->take ? value_new(prop, from) : value_copy(prop, from);
    if (value && prop->ops->take && prop->ops->take(value) < 0) {
        ts_free(value);
        return NULL;
    }
    return value;
}

static void value_free(const struct ts_prop *prop, void *value)
{
    if (value && prop->ops->close)
        prop->ops->close(value);
    ts_free(value);
}

/* Takes over prop and value in every case. */
static int own(struct ts_plist *pl, struct ts_prop *prop, void *value)
{
    pl->touched = true;
    int ret = value ? ts_prop_table_add(&pl->own, prop, value) : -1;
    if (ret < 0) {
        value_free(prop, value);
        ts_prop_unref(prop);
    }
    return ret;
}

static int new_list(struct ts_plist_class *cls, struct ts_plist **out)
{
    struct ts_plist *pl = ts_calloc(1, sizeof *pl);
    if (!pl)
        return -1;
    ts_count_init(&pl->refs, 1);
    ts_rwlock_init(&pl->lock, TS_RANK_PLIST);
    ts_plist_class_depend(cls);
    pl->cls = cls;
    *out = pl;
    return 0;
}

static void list_free(struct ts_plist *pl)
{
    for (size_t i = 0; i < pl->own.n; i++) {
        value_free(pl->own.slots[i].prop, pl->own.slots[i].value);
        ts_prop_unref(pl->own.slots[i].prop);
    }
    ts_free(pl->own.slots);
    ts_plist_unref(pl->snapshot);
    ts_plist_names_free(pl->removed.names, pl->removed.n);
    ts_plist_class_undepend(pl->cls);
    ts_plist_class_unref(pl->cls);
    ts_rwlock_deinit(&pl->lock);
    ts_count_deinit(&pl->refs);
    ts_free(pl);
}

/* All properties of a list in the order of iteration: its own ones first, then those of its class and of the parents
 * that it has not changed. Slots borrow the values, and the properties of the class, which stays as it is as long as
 * there is the list; the list's own are referenced. */
struct view {
    struct ts_prop_slot *slots;
    size_t n, capacity;
    size_t own; /* the first so many are the list's own */
};

static bool seen(const struct view *v, const struct ts_prop *prop)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->slots[i].prop->hash == prop->hash && strcmp(v->slots[i].prop->name, prop->name) == 0)
            return true;
    return false;
}

static void view_deinit(struct view *v)
{
    for (size_t i = 0; i < v->own; i++)
        ts_prop_unref(v->slots[i].prop);
    ts_free(v->slots);
}

static int view_add(struct view *v, struct ts_prop *prop, void *value)
{
    if (TS_GROW(v->slots, v->capacity, v->n + 1) < 0)
        return -1;
    v->slots[v->n++] = (struct ts_prop_slot){.prop = prop, .value = value};
    return 0;
}

static int view_class(const struct ts_plist *pl, const struct ts_plist_class *cls, struct view *v)
{
    int ret = 0;
    for (size_t i = 0; ret == 0 && i < cls->props.n; i++) {
        struct ts_prop *prop = cls->props.slots[i].prop;
        if (!seen(v, prop) && !ts_names_have(&pl->removed, prop->name))
            ret = view_add(v, prop, prop->def);
    }
    return ret;
}

/* The list's lock is held, or nobody else has the list. */
static int view_init(const struct ts_plist *pl, struct view *v)
{
    *v = (struct view){0};
    int ret = 0;
    for (size_t i = 0; ret == 0 && i < pl->own.n; i++)
        if ((ret = view_add(v, pl->own.slots[i].prop, pl->own.slots[i].value)) == 0)
            ts_prop_ref(v->slots[v->own++].prop);
    for (const struct ts_plist_class *cls = pl->cls; ret == 0 && cls; cls = cls->parent)
        ret = view_class(pl, cls, v);
    if (ret < 0)
        view_deinit(v);
    return ret;
}

static void rdlock(const struct ts_plist *pl)
{
    ts_rwlock_read(&((struct ts_plist *)pl)->lock);
}

/* To change it: what it looked like before is no longer what it looks like. */
static void wrlock(struct ts_plist *pl)
{
    ts_rwlock_write(&pl->lock);
    struct ts_plist *before = pl->snapshot;
    pl->snapshot = NULL;
    ts_plist_unref(before);
}

static void unlock(const struct ts_plist *pl)
{
    ts_rwlock_unlock(&((struct ts_plist *)pl)->lock);
}

void ts_plist_ref(struct ts_plist *pl)
{
    if (pl->is_default && ts_strangers_come(&pl->strangers))
        ts_count_spread(&pl->refs);
    ts_count_add(&pl->refs);
}

struct ts_count *ts_plist_count(void *list, unsigned i)
{
    return i == 0 ? &((struct ts_plist *)list)->refs : NULL;
}

/* Properties of the class that the list never changed are closed too, on a copy of the default. */
static void close_values(struct ts_plist *pl)
{
    struct view v;
    if (view_init(pl, &v) < 0)
        return;
    for (size_t i = 0; i < v.n; i++) {
        const struct ts_prop *prop = v.slots[i].prop;
        if (!prop->calls.close)
            continue;
        void *value = i < v.own ? v.slots[i].value : value_new(prop, prop->def);
        if (value)
            prop->calls.close(prop->name, prop->size, value);
        if (i >= v.own)
            ts_free(value);
    }
    view_deinit(&v);
}

void ts_plist_unref(struct ts_plist *pl)
{
    if (!pl || !ts_count_drop(&pl->refs))
        return;
    ts_plist_closing(pl);
    close_values(pl);
    list_free(pl);
}

static int create_value(struct ts_plist *pl, struct ts_prop *prop)
{
    if (!prop->calls.create && !(prop->flags & TS_PROP_OWN))
        return 0;
    void *value = value_copy(prop, prop->def);
    if (value && prop->calls.create && prop->calls.create(prop->name, prop->size, value) < 0) {
        ts_free(value);
        return TS_ERR(PLIST, CANTINIT, "the create callback of '%s' failed", prop->name);
    }
    return own(pl, ts_prop_ref(prop), value);
}

int ts_plist_create(struct ts_plist_class *cls, struct ts_plist **out)
{
    struct ts_plist *pl;
    struct view v;
    if (new_list(cls, &pl) < 0)
        return -1;
    if (view_init(pl, &v) < 0) {
        list_free(pl);
        return -1;
    }
    int ret = 0;
    for (size_t i = 0; ret == 0 && i < v.n; i++)
        ret = create_value(pl, v.slots[i].prop);
    view_deinit(&v);
    if (ret < 0)
        list_free(pl);
    else
        *out = pl;
    return ret;
}

int ts_plist_new(enum ts_plist_kind kind, struct ts_plist **out)
{
    return ts_plist_create(ts_plist_class_predefined(kind), out);
}

/* A value of the list's own is always copied; one of the class only when copying it means something. */
static int copy_value(struct ts_plist *dst, const struct ts_prop_slot *slot, bool is_own)
{
    struct ts_prop *prop = slot->prop;
    if (!is_own && !prop->calls.copy && !prop->ops->copy)
        return 0;
    void *value = value_copy(prop, slot->value);
    if (value && prop->calls.copy && prop->calls.copy(prop->name, prop->size, value) < 0) {
        ts_free(value);
        return TS_ERR(PLIST, CANTCOPY, "the copy callback of '%s' failed", prop->name);
    }
    return own(dst, ts_prop_ref(prop), value);
}

static int copy_removed(struct ts_plist *dst, const struct ts_plist *src)
{
    if (src->removed.n > 0)
        dst->touched = true;
    for (size_t i = 0; i < src->removed.n; i++)
        if (ts_names_add(&dst->removed, src->removed.names[i]) < 0)
            return -1;
    return 0;
}

/* Into a new list, with the lock of src; known: only what its class has, and all of that. */
static int copy_values(struct ts_plist *dst, struct ts_plist *src, bool known)
{
    struct view v;
    int ret = known ? 0 : copy_removed(dst, src);
    if (ret == 0 && (ret = view_init(src, &v)) == 0) {
        for (size_t i = 0; ret == 0 && i < v.n; i++)
            if (!known || (i >= v.own && src->cls == dst->cls) || ts_plist_class_has(dst->cls, v.slots[i].prop->name))
                ret = copy_value(dst, &v.slots[i], i < v.own);
        view_deinit(&v);
    }
    return ret;
}

static int copy_locked(struct ts_plist_class *cls, struct ts_plist *src, bool known, struct ts_plist **out)
{
    struct ts_plist *pl;
    if (new_list(cls, &pl) < 0)
        return -1;
    int ret = copy_values(pl, src, known);
    if (ret < 0)
        ts_plist_unref(pl);
    else
        *out = pl;
    return ret;
}

static int copy_as(struct ts_plist_class *cls, struct ts_plist *src, bool known, struct ts_plist **out)
{
    rdlock(src);
    int ret = copy_locked(cls, src, known, out);
    unlock(src);
    return ret;
}

int ts_plist_copy(struct ts_plist *src, struct ts_plist **out)
{
    return copy_as(src->cls, src, false, out);
}

int ts_plist_copy_known(enum ts_plist_kind kind, struct ts_plist *src, struct ts_plist **out)
{
    return copy_as(ts_plist_class_predefined(kind), src, true, out);
}

static bool has_snapshot(const struct ts_plist *pl, enum ts_plist_kind kind)
{
    return pl->snapshot && pl->snapshot->cls == ts_plist_class_predefined(kind);
}

int ts_plist_snapshot(enum ts_plist_kind kind, struct ts_plist *src, struct ts_plist **out)
{
    int status = 0;
    if (ts_plist_untouched(src, kind) && (*out = ts_plist_default(kind))) {
        ts_plist_ref(*out);
        return 0;
    }
    rdlock(src);
    bool there = has_snapshot(src, kind);
    if (there)
        ts_plist_ref(*out = src->snapshot);
    unlock(src);
    if (there)
        return 0;
    wrlock(src);
    if ((status = copy_locked(ts_plist_class_predefined(kind), src, true, out)) == 0)
        ts_plist_ref(src->snapshot = *out);
    unlock(src);
    return status;
}

static bool same_slot(const struct ts_prop_slot *slot, const struct ts_plist *other);

void ts_plist_drop_unchanged(struct ts_plist *pl, const struct ts_plist *base)
{
    rdlock(base);
    for (size_t i = pl->own.n; i-- > 0;) {
        struct ts_prop_slot *slot = &pl->own.slots[i];
        const struct ts_prop *prop = slot->prop;
        if (prop->ops->copy || prop->calls.copy || ts_prop_table_find(&base->own, prop->name, prop->hash) ||
            !same_slot(slot, base))
            continue;
        value_free(prop, slot->value);
        ts_prop_table_drop(&pl->own, slot);
    }
    unlock(base);
}

bool ts_plist_is_plain(const struct ts_plist *pl)
{
    bool plain = pl->cls->kind >= 0;
    if (!atomic_load_explicit(&pl->touched, memory_order_acquire))
        return plain;
    rdlock(pl);
    for (size_t i = 0; plain && i < pl->own.n; i++)
        plain = ts_plist_class_has(pl->cls, pl->own.slots[i].prop->name);
    unlock(pl);
    return plain;
}

void ts_plist_set_id(struct ts_plist *pl, hid_t id)
{
    pl->id = id;
}

int ts_plist_created(struct ts_plist *pl)
{
    for (const struct ts_plist_class *c = pl->cls; c; c = c->parent)
        if (c->calls.create && c->calls.create(pl->id, c->calls.create_data) < 0)
            return TS_ERR(PLIST, CANTINIT, "the create callback of class '%s' failed", c->name);
    pl->created = true;
    return 0;
}

int ts_plist_copied(struct ts_plist *pl, struct ts_plist *src)
{
    for (const struct ts_plist_class *c = pl->cls; c; c = c->parent)
        if (c->calls.copy && c->calls.copy(pl->id, src->id, c->calls.copy_data) < 0)
            return TS_ERR(PLIST, CANTCOPY, "the copy callback of class '%s' failed", c->name);
    pl->created = true;
    return 0;
}

void ts_plist_closing(struct ts_plist *pl)
{
    if (!pl->created)
        return;
    pl->created = false;
    for (const struct ts_plist_class *c = pl->cls; c; c = c->parent)
        if (c->calls.close) {
            TS_MAY_CALL_OUT();
            c->calls.close(pl->id, c->calls.close_data);
        }
}

struct ts_plist_class *ts_plist_class_of(const struct ts_plist *pl)
{
    return pl->cls;
}

bool ts_plist_is(const struct ts_plist *pl, enum ts_plist_kind kind)
{
    for (const struct ts_plist_class *cls = pl->cls; cls; cls = cls->parent)
        if (cls->kind == (int)kind)
            return true;
    return false;
}

bool ts_plist_untouched(const struct ts_plist *pl, enum ts_plist_kind kind)
{
    return pl->cls == ts_plist_class_predefined(kind) && !atomic_load_explicit(&pl->touched, memory_order_acquire);
}

static int not_here(const struct ts_plist *pl, const char *name)
{
    return TS_ERR(PLIST, NOTFOUND, "no property '%s' in a list of class '%s'", name, pl->cls->name);
}

/* The property, a new reference; *value is where it is, under the lock. NULL without an error when not there. */
static struct ts_prop *find(const struct ts_plist *pl, const char *name, const void **value)
{
    uint32_t hash = ts_prop_hash(name);
    struct ts_prop_slot *slot = ts_prop_table_find(&pl->own, name, hash);
    if (slot) {
        *value = slot->value;
        return ts_prop_ref(slot->prop);
    }
    if (ts_names_have(&pl->removed, name))
        return NULL;
    struct ts_prop *prop = ts_plist_class_find(pl->cls, name, hash);
    *value = prop ? prop->def : NULL;
    return prop;
}

/* What a class said of a name last. While a list of a class is there the class does not change, nor do those above it,
 * and two tables of one revision have the same properties. Looking for one took 400 instructions, and making a dataset
 * looks for two dozen. */
struct remembered {
    const struct ts_plist_class *cls;
    uint64_t revision;
    const char *name; /* the pointer: the library's own are constants */
    const struct ts_prop *prop;
};

static struct remembered *remembered(const struct ts_plist_class *cls, const char *name)
{
    static _Thread_local struct remembered all[256];
    uint64_t mixed = ((uint64_t)(uintptr_t)name ^ (uint64_t)(uintptr_t)cls) * UINT64_C(0x9e3779b97f4a7c15);
    return &all[mixed >> 56];
}

static bool is_known(const struct remembered *r, const struct ts_plist_class *cls, const char *name)
{
    return r->cls == cls && r->revision == cls->revision && r->name == name && strcmp(r->prop->name, name) == 0;
}

static const struct ts_prop *of_class(const struct ts_plist_class *cls, const char *name, uint32_t hash)
{
    const struct ts_prop_slot *slot = NULL;
    for (; cls && !slot; cls = cls->parent)
        slot = ts_prop_table_find(&cls->props, name, hash);
    return slot ? slot->prop : NULL;
}

/* The same without a reference, for the time of the lock: its own slot, and its classes stay as they are while there is
 * the list. */
static const struct ts_prop *look_up(const struct ts_plist *pl, const char *name, const void **value)
{
    struct remembered *r = remembered(pl->cls, name);
    bool known = is_known(r, pl->cls, name);
    uint32_t hash = known ? r->prop->hash : ts_prop_hash(name);
    const struct ts_prop *prop = known ? r->prop : of_class(pl->cls, name, hash);
    if (prop && !known)
        *r = (struct remembered){pl->cls, pl->cls->revision, name, prop};
    const struct ts_prop_slot *slot = pl->own.n > 0 ? ts_prop_table_find(&pl->own, name, hash) : NULL;
    if (slot) {
        *value = slot->value;
        return slot->prop;
    }
    if (ts_names_have(&pl->removed, name))
        return NULL;
    *value = prop ? prop->def : NULL;
    return prop;
}

/* Whoever asks for a type has it; it may be the application's own property of that name. */
static int check_size(const struct ts_plist *pl, const char *name, const struct ts_prop *prop, size_t size)
{
    if (!prop)
        return not_here(pl, name);
    return prop->size == size ? 0
                              : TS_ERR(PLIST, BADVALUE, "property '%s' has %zu bytes, not %zu", name, prop->size, size);
}

/* Without the lock: what the class says stays as it is, and whoever sets something of the list now was not there when
 * this one asked. */
const void *ts_property_default(const struct ts_plist *pl, const char *name, size_t size)
{
    if (atomic_load_explicit(&pl->touched, memory_order_acquire))
        return NULL;
    const struct remembered *r = remembered(pl->cls, name);
    return is_known(r, pl->cls, name) && r->prop->size == size ? r->prop->def : NULL;
}

int ts_property_get(const struct ts_plist *pl, const char *name, void *out, size_t size)
{
    const void *from;
    if (!pl)
        return -1;
    if ((from = ts_property_default(pl, name, size))) {
        memcpy(out, from, size);
        return 0;
    }
    rdlock(pl);
    const struct ts_prop *prop = look_up(pl, name, &from);
    if (prop && prop->size == size)
        memcpy(out, from, size);
    int status = check_size(pl, name, prop, size);
    unlock(pl);
    return status;
}

/* Puts a value in; *old is what was the list's own before. On failure the value stays the caller's. The write lock is
 * held. */
static int swap_in(struct ts_plist *pl, struct ts_prop *prop, void *value, void **old)
{
    struct ts_prop_slot *slot = ts_prop_table_find(&pl->own, prop->name, prop->hash);
    *old = slot ? slot->value : NULL;
    if (slot) {
        slot->value = value;
        return 0;
    }
    pl->touched = true;
    int ret = ts_prop_table_add(&pl->own, ts_prop_ref(prop), value);
    if (ret < 0)
        ts_prop_unref(prop);
    return ret;
}

/* The same, taking the value over in every case. */
static int put(struct ts_plist *pl, struct ts_prop *prop, void *value, void **old)
{
    int ret = swap_in(pl, prop, value, old);
    if (ret < 0)
        value_free(prop, value);
    return ret;
}

int ts_property_set(struct ts_plist *pl, const char *name, const void *value, size_t size)
{
    const void *from;
    void *old = NULL;
    if (!pl)
        return -1;
    wrlock(pl);
    struct ts_prop *prop = find(pl, name, &from);
    void *copy = check_size(pl, name, prop, size) == 0 ? value_new(prop, value) : NULL;
    int ret = copy ? swap_in(pl, prop, copy, &old) : -1;
    if (ret == 0)
        value_free(prop, old);
    else
        ts_free(copy); /* what it points at stays the caller's */
    unlock(pl);
    ts_prop_unref(prop);
    return ret;
}

const void *ts_plist_hold(const struct ts_plist *pl, const char *name)
{
    const void *from;
    rdlock(pl);
    if (look_up(pl, name, &from))
        return from; /* the class or the list keeps it */
    not_here(pl, name);
    unlock(pl);
    return NULL;
}

const void *ts_property_hold(const struct ts_plist *pl, const char *name, size_t size)
{
    const void *from;
    if (!pl)
        return NULL;
    rdlock(pl);
    if (check_size(pl, name, look_up(pl, name, &from), size) == 0)
        return from;
    unlock(pl);
    return NULL;
}

void *ts_property_edit(struct ts_plist *pl, const char *name, size_t size)
{
    const void *from;
    if (!pl)
        return NULL;
    wrlock(pl);
    struct ts_prop *prop = find(pl, name, &from);
    bool right = check_size(pl, name, prop, size) == 0;
    struct ts_prop_slot *slot = right ? ts_prop_table_find(&pl->own, name, prop->hash) : NULL;
    void *value = slot ? slot->value : NULL;
    if (right && !slot) {
        value = value_copy(prop, from);
        if (own(pl, ts_prop_ref(prop), value) < 0)
            value = NULL;
    }
    if (!value)
        unlock(pl);
    ts_prop_unref(prop);
    return value;
}

int ts_property_text(struct ts_plist *pl, const char *name, char **out)
{
    char *const *s = ts_property_hold(pl, name, sizeof *s);
    if (!s)
        return -1;
    *out = *s ? ts_strdup(*s) : NULL;
    int ret = *s && !*out ? -1 : 0;
    unlock(pl);
    return ret;
}

int ts_property_set_text(struct ts_plist *pl, const char *name, const char *text)
{
    char *copy = text ? ts_strdup(text) : NULL;
    if (text && !copy)
        return -1;
    if (ts_property_set(pl, name, &copy, sizeof copy) < 0) {
        ts_free(copy);
        return -1;
    }
    return 0;
}

void ts_plist_release(const struct ts_plist *pl)
{
    unlock(pl);
}

const struct ts_prop_ops *ts_plist_ops(const struct ts_plist *pl, const char *name, size_t *size, bool *quiet)
{
    const void *value;
    struct ts_prop *prop = find(pl, name, &value);
    if (!prop)
        return NULL;
    const struct ts_prop_ops *ops = prop->ops;
    *size = prop->size;
    *quiet = prop->flags & TS_PROP_QUIET;
    ts_prop_unref(prop);
    return ops;
}

int ts_plist_user_get(struct ts_plist *pl, const char *name, void *value)
{
    const void *from;
    rdlock(pl);
    struct ts_prop *prop = find(pl, name, &from);
    void *copy = prop && prop->size ? value_copy(prop, from) : NULL;
    unlock(pl);
    if (!prop)
        return not_here(pl, name);
    int ret = -1;
    if (prop->size == 0)
        TS_ERR(PLIST, BADVALUE, "property '%s' has no value", name);
    else if (copy && prop->calls.get && prop->calls.get(pl->id, name, prop->size, copy) < 0)
        TS_ERR(PLIST, CANTGET, "the get callback of '%s' failed", name);
    else if (copy)
        ret = prop->ops->give ? prop->ops->give(copy) : 0;
    if (ret == 0)
        memcpy(value, copy, prop->size);
    /* What a deep value points at goes to the caller with it. */
    ts_free(copy);
    ts_prop_unref(prop);
    return ret;
}

static int set_checked(struct ts_plist *pl, struct ts_prop *prop, const void *value)
{
    void *copy = value_taken(prop, value), *old;
    if (!copy)
        return -1;
    if (prop->calls.set)
        TS_MAY_CALL_OUT();
    if (prop->calls.set && prop->calls.set(pl->id, prop->name, prop->size, copy) < 0) {
        value_free(prop, copy);
        return TS_ERR(PLIST, CANTSET, "the set callback of '%s' failed", prop->name);
    }
    wrlock(pl);
    int ret = put(pl, prop, copy, &old);
    unlock(pl);
    if (ret == 0 && old) {
        if (prop->calls.del)
            prop->calls.del(pl->id, prop->name, prop->size, old);
        value_free(prop, old);
    }
    return ret;
}

int ts_plist_user_set(struct ts_plist *pl, const char *name, const void *value)
{
    const void *from;
    rdlock(pl);
    struct ts_prop *prop = find(pl, name, &from);
    unlock(pl);
    if (!prop)
        return not_here(pl, name);
    int ret = prop->size ? set_checked(pl, prop, value) : TS_ERR(PLIST, BADVALUE, "property '%s' has no value", name);
    ts_prop_unref(prop);
    return ret;
}

int ts_plist_insert(struct ts_plist *pl, const struct ts_prop_spec *spec, const struct ts_prop_calls *calls)
{
    struct ts_prop *prop;
    const void *from;
    if (ts_prop_new(spec, calls, &prop) < 0)
        return -1;
    if (ts_plist_class_check_name(pl->cls, prop) < 0) {
        ts_prop_unref(prop);
        return -1;
    }
    wrlock(pl);
    struct ts_prop *there = find(pl, spec->name, &from);
    int ret = -1;
    if (there) {
        TS_ERR(PLIST, EXISTS, "the list has a property '%s' already", spec->name);
        ts_prop_unref(prop);
    } else {
        void *value = value_new(prop, prop->def);
        ret = own(pl, prop, value);
        if (ret == 0)
            ts_names_drop(&pl->removed, spec->name);
    }
    unlock(pl);
    ts_prop_unref(there);
    return ret;
}

/* Takes the property out; the list's own value passes to the caller. */
static int take_out(struct ts_plist *pl, struct ts_prop *prop, void **value)
{
    wrlock(pl);
    int ret = 0;
    pl->touched = true;
    if (ts_plist_class_has(pl->cls, prop->name))
        ret = ts_names_add(&pl->removed, prop->name);
    struct ts_prop_slot *slot = ts_prop_table_find(&pl->own, prop->name, prop->hash);
    *value = NULL;
    if (ret == 0 && slot) {
        *value = slot->value;
        ts_prop_table_drop(&pl->own, slot);
    }
    unlock(pl);
    return ret;
}

int ts_plist_remove(struct ts_plist *pl, const char *name)
{
    const void *from;
    rdlock(pl);
    struct ts_prop *prop = find(pl, name, &from);
    void *seen_value = prop ? value_new(prop, from) : NULL;
    unlock(pl);
    if (!prop)
        return not_here(pl, name);
    int ret = seen_value ? 0 : -1;
    if (ret == 0 && prop->calls.del && prop->calls.del(pl->id, name, prop->size, seen_value) < 0)
        ret = TS_ERR(PLIST, CANTDELETE, "the delete callback of '%s' failed", name);
    void *value;
    if (ret == 0 && (ret = take_out(pl, prop, &value)) == 0)
        value_free(prop, value);
    ts_free(seen_value);
    ts_prop_unref(prop);
    return ret;
}

/* Into a list that has the property it is a copy; into one that has not, a new property. */
static int arrive(struct ts_plist *dst, const struct ts_prop *prop, void *value)
{
    if (!ts_plist_has(dst, prop->name)) {
        if (prop->calls.create && prop->calls.create(prop->name, prop->size, value) < 0)
            return TS_ERR(PLIST, CANTINIT, "the create callback of '%s' failed", prop->name);
        return 0;
    }
    if (ts_plist_remove(dst, prop->name) < 0)
        return -1;
    if (prop->calls.copy && prop->calls.copy(prop->name, prop->size, value) < 0)
        return TS_ERR(PLIST, CANTCOPY, "the copy callback of '%s' failed", prop->name);
    return 0;
}

int ts_plist_copy_prop(struct ts_plist *dst, struct ts_plist *src, const char *name)
{
    const void *from;
    rdlock(src);
    struct ts_prop *prop = find(src, name, &from);
    void *value = prop ? value_copy(prop, from) : NULL;
    unlock(src);
    if (!prop)
        return not_here(src, name);
    int ret = value && ts_plist_class_check_name(dst->cls, prop) == 0 ? arrive(dst, prop, value) : -1;
    if (ret == 0) {
        wrlock(dst);
        ts_names_drop(&dst->removed, name);
        ret = own(dst, ts_prop_ref(prop), value);
        unlock(dst);
    } else {
        value_free(prop, value);
    }
    ts_prop_unref(prop);
    return ret;
}

bool ts_plist_has(struct ts_plist *pl, const char *name)
{
    const void *from;
    rdlock(pl);
    struct ts_prop *prop = find(pl, name, &from);
    unlock(pl);
    ts_prop_unref(prop);
    return prop != NULL;
}

int ts_plist_size(struct ts_plist *pl, const char *name, size_t *size)
{
    const void *from;
    rdlock(pl);
    struct ts_prop *prop = find(pl, name, &from);
    unlock(pl);
    if (!prop)
        return not_here(pl, name);
    *size = prop->size;
    ts_prop_unref(prop);
    return 0;
}

static int collect_names(struct ts_plist *pl, bool quiet, char ***names, size_t *n)
{
    struct ts_names list = {0};
    struct view v;
    rdlock(pl);
    int ret = view_init(pl, &v);
    unlock(pl);
    if (ret < 0)
        return -1;
    for (size_t i = 0; ret == 0 && i < v.n; i++)
        if (quiet || !(v.slots[i].prop->flags & TS_PROP_QUIET))
            ret = ts_names_add(&list, v.slots[i].prop->name);
    view_deinit(&v);
    if (ret < 0) {
        ts_plist_names_free(list.names, list.n);
        return -1;
    }
    *names = list.names;
    *n = list.n;
    return 0;
}

int ts_plist_names(struct ts_plist *pl, char ***names, size_t *n)
{
    return collect_names(pl, false, names, n);
}

int ts_plist_all_names(struct ts_plist *pl, char ***names, size_t *n)
{
    return collect_names(pl, true, names, n);
}

size_t ts_plist_nprops(struct ts_plist *pl)
{
    struct view v;
    size_t n = 0;
    rdlock(pl);
    int ret = view_init(pl, &v);
    unlock(pl);
    if (ret < 0)
        return 0;
    for (size_t i = 0; i < v.n; i++)
        n += !(v.slots[i].prop->flags & TS_PROP_QUIET);
    view_deinit(&v);
    return n;
}

static bool same_value(const struct ts_prop *prop, const void *a, const void *b)
{
    if (prop->calls.cmp)
        return prop->calls.cmp(a, b, prop->size) == 0;
    if (prop->ops->cmp)
        return prop->ops->cmp(a, b) == 0;
    return prop->size == 0 || memcmp(a, b, prop->size) == 0;
}

static bool same_slot(const struct ts_prop_slot *slot, const struct ts_plist *other)
{
    const void *value;
    struct ts_prop *prop = find(other, slot->prop->name, &value);
    bool same = prop && prop->size == slot->prop->size &&
                memcmp(&prop->calls, &slot->prop->calls, sizeof prop->calls) == 0 &&
                same_value(prop, slot->value, value);
    ts_prop_unref(prop);
    return same;
}

bool ts_plist_equal(struct ts_plist *a, struct ts_plist *b)
{
    struct view va, vb;
    if (a == b)
        return true;
    if (!ts_plist_class_equal(a->cls, b->cls))
        return false;
    /* Always in the order of their addresses, so that two threads comparing the same pair cannot block each other. */
    rdlock(a < b ? a : b);
    rdlock(a < b ? b : a);
    bool same = view_init(a, &va) == 0;
    if (same) {
        same = view_init(b, &vb) == 0;
        if (same) {
            same = va.n == vb.n;
            for (size_t i = 0; same && i < va.n; i++)
                same = same_slot(&va.slots[i], b);
            view_deinit(&vb);
        }
        view_deinit(&va);
    }
    unlock(a);
    unlock(b);
    return same;
}
