/* Classes of property lists: what is registered in them, their revisions and parents. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "plist/parts.h"

/* Iteration goes by this hash (djb2 over the name, 32 bits): programs and encoded lists of other libraries show that
 * order, so ours must keep it. */
uint32_t ts_prop_hash(const char *name)
{
    uint32_t hash = 5381;
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        hash = hash * 33 + *p;
    return hash;
}

static void prop_free(struct ts_prop *prop)
{
    ts_free(prop->name);
    ts_free(prop->def);
    ts_free(prop);
}

struct ts_prop *ts_prop_ref(struct ts_prop *prop)
{
    atomic_fetch_add_explicit(&prop->refs, 1, memory_order_relaxed);
    return prop;
}

void ts_prop_unref(struct ts_prop *prop)
{
    if (prop && atomic_fetch_sub_explicit(&prop->refs, 1, memory_order_acq_rel) == 1)
        prop_free(prop);
}

int ts_prop_new(const struct ts_prop_spec *spec, const struct ts_prop_calls *calls, struct ts_prop **out)
{
    struct ts_prop *prop = ts_calloc(1, sizeof *prop);
    if (!prop)
        return -1;
    atomic_init(&prop->refs, 1);
    prop->name = ts_strdup(spec->name);
    prop->def = ts_calloc(1, spec->size ? spec->size : 1);
    if (!prop->name || !prop->def) {
        prop_free(prop);
        return -1;
    }
    prop->hash = ts_prop_hash(spec->name);
    prop->size = spec->size;
    prop->ops = spec->ops ? spec->ops : &ts_prop_plain;
    prop->flags = spec->flags;
    if (calls)
        prop->calls = *calls;
    if (spec->def && spec->size)
        memcpy(prop->def, spec->def, spec->size);
    *out = prop;
    return 0;
}

static int order(const struct ts_prop *prop, const char *name, uint32_t hash)
{
    if (prop->hash != hash)
        return prop->hash < hash ? -1 : 1;
    return strcmp(prop->name, name);
}

static size_t lower_bound(const struct ts_prop_slot *slots, size_t n, const char *name, uint32_t hash)
{
    size_t low = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (order(slots[low + half].prop, name, hash) < 0) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

struct ts_prop_slot *ts_prop_table_find(const struct ts_prop_table *t, const char *name, uint32_t hash)
{
    size_t low = 0, n = t->n;
    while (n > 0) {
        size_t half = n / 2;
        bool less = t->slots[low + half].prop->hash < hash;
        low += less ? half + 1 : 0;
        n = less ? n - half - 1 : half;
    }
    for (; low < t->n && t->slots[low].prop->hash == hash; low++)
        if (strcmp(t->slots[low].prop->name, name) == 0)
            return &t->slots[low];
    return NULL;
}

int ts_prop_table_add(struct ts_prop_table *t, struct ts_prop *prop, void *value)
{
    if (TS_GROW(t->slots, t->capacity, t->n + 1) < 0)
        return -1;
    size_t i = lower_bound(t->slots, t->n, prop->name, prop->hash);
    memmove(t->slots + i + 1, t->slots + i, (t->n - i) * sizeof *t->slots);
    t->slots[i] = (struct ts_prop_slot){.prop = prop, .value = value};
    t->n++;
    return 0;
}

void ts_prop_table_drop(struct ts_prop_table *t, struct ts_prop_slot *slot)
{
    size_t i = (size_t)(slot - t->slots);
    ts_prop_unref(slot->prop);
    memmove(t->slots + i, t->slots + i + 1, (t->n - i - 1) * sizeof *t->slots);
    t->n--;
}

void ts_plist_class_ref(struct ts_plist_class *cls)
{
    ts_count_add(&cls->refs);
}

struct ts_count *ts_plist_class_count(void *cls, unsigned i)
{
    return i == 0 ? &((struct ts_plist_class *)cls)->refs : NULL;
}

void ts_plist_class_freeze(struct ts_plist_class *cls)
{
    cls->frozen = true;
}

void ts_plist_class_thaw(struct ts_plist_class *cls)
{
    if (!cls)
        return;
    cls->frozen = false;
    if (!ts_strangers_end(&cls->strangers))
        return;
    ts_count_gather(&cls->refs);
    ts_count_gather(&cls->dependents);
}

/* Under the lock: from here on the class and its properties stay as they are. */
void ts_plist_class_depend(struct ts_plist_class *cls)
{
    if (cls->frozen && ts_strangers_come(&cls->strangers)) {
        ts_count_spread(&cls->refs);
        ts_count_spread(&cls->dependents);
    }
    ts_plist_class_ref(cls);
    if (cls->frozen) {
        ts_count_add(&cls->dependents);
        return;
    }
    ts_rwlock_read(&cls->lock);
    ts_count_add(&cls->dependents);
    ts_rwlock_unlock(&cls->lock);
}

void ts_plist_class_undepend(struct ts_plist_class *cls)
{
    (void)ts_count_drop(&cls->dependents);
}

void ts_plist_class_unref(struct ts_plist_class *cls)
{
    while (cls && ts_count_drop(&cls->refs)) {
        struct ts_plist_class *parent = cls->parent;
        for (size_t i = 0; i < cls->props.n; i++)
            ts_prop_unref(cls->props.slots[i].prop);
        ts_free(cls->props.slots);
        ts_free(cls->name);
        ts_rwlock_deinit(&cls->lock);
        ts_count_deinit(&cls->refs);
        ts_count_deinit(&cls->dependents);
        ts_free(cls);
        if (parent)
            ts_plist_class_undepend(parent);
        cls = parent;
    }
}

static uint64_t next_revision(void)
{
    static atomic_uint_least64_t revision;
    return atomic_fetch_add(&revision, 1) + 1;
}

int ts_plist_class_new(struct ts_plist_class *parent, const char *name, const struct ts_plist_class_calls *calls,
                       struct ts_plist_class **out)
{
    struct ts_plist_class *cls = ts_calloc(1, sizeof *cls);
    if (!cls)
        return -1;
    cls->name = ts_strdup(name);
    if (!cls->name) {
        ts_free(cls);
        return -1;
    }
    ts_count_init(&cls->refs, 1);
    ts_count_init(&cls->dependents, 0);
    ts_strangers_init(&cls->strangers);
    ts_rwlock_init(&cls->lock, TS_RANK_PLIST_CLASS);
    cls->kind = -1;
    cls->revision = next_revision();
    if (calls)
        cls->calls = *calls;
    if (parent) {
        ts_plist_class_depend(parent);
        cls->parent = parent;
    }
    *out = cls;
    return 0;
}

static int duplicate(struct ts_plist_class *cls, struct ts_plist_class **out)
{
    struct ts_plist_class *copy;
    if (ts_plist_class_new(cls->parent, cls->name, &cls->calls, &copy) < 0)
        return -1;
    copy->kind = cls->kind;
    for (size_t i = 0; i < cls->props.n; i++) {
        struct ts_prop *prop = ts_prop_ref(cls->props.slots[i].prop);
        if (ts_prop_table_add(&copy->props, prop, NULL) < 0) {
            ts_prop_unref(prop);
            ts_plist_class_unref(copy);
            return -1;
        }
    }
    *out = copy;
    return 0;
}

int ts_plist_class_copy(struct ts_plist_class *cls, struct ts_plist_class **out)
{
    ts_rwlock_read(&cls->lock);
    int ret = duplicate(cls, out);
    if (ret == 0)
        (*out)->revision = cls->revision;
    ts_rwlock_unlock(&cls->lock);
    return ret;
}

/* A class that others were made from is left as it is for them; the change goes into a new revision. */
static int writable(struct ts_plist_class *cls, struct ts_plist_class **out)
{
    *out = NULL;
    return ts_count_is_none(&cls->dependents) ? 0 : duplicate(cls, out);
}

/* The library's code knows what its properties are made of: nothing else may have their names in lists it takes,
 * whatever became of the class since. */
int ts_plist_class_check_name(const struct ts_plist_class *cls, const struct ts_prop *prop)
{
    for (; cls; cls = cls->parent) {
        struct ts_plist_class *library =
            cls->kind < 0 ? NULL : ts_plist_class_predefined((enum ts_plist_kind)cls->kind);
        if (!library)
            continue;
        ts_rwlock_read(&library->lock);
        const struct ts_prop_slot *slot = ts_prop_table_find(&library->props, prop->name, prop->hash);
        bool taken = slot && slot->prop != prop;
        ts_rwlock_unlock(&library->lock);
        if (taken)
            return TS_ERR(PLIST, EXISTS, "property '%s' of class '%s' is the library's own", prop->name, library->name);
    }
    return 0;
}

int ts_plist_class_register(struct ts_plist_class *cls, const struct ts_prop_spec *spec,
                            const struct ts_prop_calls *calls, struct ts_plist_class **out)
{
    struct ts_prop *prop;
    *out = NULL;
    if (ts_prop_new(spec, calls, &prop) < 0)
        return -1;
    if (ts_plist_class_check_name(cls, prop) < 0) {
        ts_prop_unref(prop);
        return -1;
    }
    ts_rwlock_write(&cls->lock);
    int ret = -1;
    if (ts_prop_table_find(&cls->props, prop->name, prop->hash)) {
        TS_ERR(PLIST, EXISTS, "class '%s' has a property '%s' already", cls->name, prop->name);
    } else if (writable(cls, out) == 0) {
        struct ts_plist_class *target = *out ? *out : cls;
        ret = ts_prop_table_add(&target->props, prop, NULL);
        if (ret == 0)
            target->revision = next_revision();
    }
    ts_rwlock_unlock(&cls->lock);
    if (ret < 0) {
        ts_prop_unref(prop);
        ts_plist_class_unref(*out);
        *out = NULL;
    }
    return ret;
}

int ts_plist_class_unregister(struct ts_plist_class *cls, const char *name, struct ts_plist_class **out)
{
    uint32_t hash = ts_prop_hash(name);
    ts_rwlock_write(&cls->lock);
    int ret = -1;
    *out = NULL;
    if (!ts_prop_table_find(&cls->props, name, hash)) {
        TS_ERR(PLIST, NOTFOUND, "class '%s' has no property '%s'", cls->name, name);
    } else if (writable(cls, out) == 0) {
        struct ts_plist_class *target = *out ? *out : cls;
        ts_prop_table_drop(&target->props, ts_prop_table_find(&target->props, name, hash));
        target->revision = next_revision();
        ret = 0;
    }
    ts_rwlock_unlock(&cls->lock);
    return ret;
}

/* Found here or in an ancestor; a new reference, or NULL without an error. */
struct ts_prop *ts_plist_class_find(struct ts_plist_class *cls, const char *name, uint32_t hash)
{
    for (; cls; cls = cls->parent) {
        ts_rwlock_read(&cls->lock);
        const struct ts_prop_slot *slot = ts_prop_table_find(&cls->props, name, hash);
        struct ts_prop *prop = slot ? ts_prop_ref(slot->prop) : NULL;
        ts_rwlock_unlock(&cls->lock);
        if (prop)
            return prop;
    }
    return NULL;
}

int ts_plist_class_copy_prop(struct ts_plist_class *dst, struct ts_plist_class *src, const char *name,
                             struct ts_plist_class **out)
{
    struct ts_prop *prop = ts_plist_class_find(src, name, ts_prop_hash(name));
    *out = NULL;
    if (!prop)
        return TS_ERR(PLIST, NOTFOUND, "class '%s' has no property '%s'", src->name, name);
    if (ts_plist_class_check_name(dst, prop) < 0) {
        ts_prop_unref(prop);
        return -1;
    }
    ts_rwlock_write(&dst->lock);
    int ret = writable(dst, out);
    struct ts_plist_class *target = *out ? *out : dst;
    struct ts_prop_slot *slot = ret == 0 ? ts_prop_table_find(&target->props, name, prop->hash) : NULL;
    if (slot)
        ts_prop_table_drop(&target->props, slot);
    if (ret == 0 && (ret = ts_prop_table_add(&target->props, ts_prop_ref(prop), NULL)) < 0)
        ts_prop_unref(prop);
    if (ret == 0)
        target->revision = next_revision();
    ts_rwlock_unlock(&dst->lock);
    ts_prop_unref(prop);
    return ret;
}

bool ts_plist_class_has(struct ts_plist_class *cls, const char *name)
{
    struct ts_prop *prop = ts_plist_class_find(cls, name, ts_prop_hash(name));
    ts_prop_unref(prop);
    return prop != NULL;
}

int ts_plist_class_size(struct ts_plist_class *cls, const char *name, size_t *size)
{
    struct ts_prop *prop = ts_plist_class_find(cls, name, ts_prop_hash(name));
    if (!prop)
        return TS_ERR(PLIST, NOTFOUND, "class '%s' has no property '%s'", cls->name, name);
    *size = prop->size;
    ts_prop_unref(prop);
    return 0;
}

size_t ts_plist_class_nprops(struct ts_plist_class *cls)
{
    ts_rwlock_read(&cls->lock);
    size_t n = 0;
    for (size_t i = 0; i < cls->props.n; i++)
        n += !(cls->props.slots[i].prop->flags & TS_PROP_QUIET);
    ts_rwlock_unlock(&cls->lock);
    return n;
}

int ts_plist_class_names(struct ts_plist_class *cls, char ***names, size_t *n)
{
    struct ts_names list = {0};
    ts_rwlock_read(&cls->lock);
    int ret = 0;
    for (size_t i = 0; ret == 0 && i < cls->props.n; i++)
        if (!(cls->props.slots[i].prop->flags & TS_PROP_QUIET))
            ret = ts_names_add(&list, cls->props.slots[i].prop->name);
    ts_rwlock_unlock(&cls->lock);
    if (ret < 0) {
        ts_plist_names_free(list.names, list.n);
        return -1;
    }
    *names = list.names;
    *n = list.n;
    return 0;
}

bool ts_plist_class_isa(const struct ts_plist_class *cls, const struct ts_plist_class *ancestor)
{
    for (; cls; cls = cls->parent) {
        bool kin =
            cls->kind >= 0 && cls->kind == ancestor->kind; /* a property was registered in one of the library's */
        if (cls == ancestor || kin || cls->revision == ancestor->revision)
            return true;
    }
    return false;
}

/* Copies of a class have the same properties; their values are compared as the properties want it all the same. */
bool ts_plist_class_equal(const struct ts_plist_class *a, const struct ts_plist_class *b)
{
    if (a == b)
        return true;
    if (a->revision != b->revision)
        return false;
    for (size_t i = 0; i < a->props.n; i++) {
        const struct ts_prop *x = a->props.slots[i].prop, *y = b->props.slots[i].prop;
        if (x->calls.cmp && x->calls.cmp(x->def, y->def, x->size) != 0)
            return false;
    }
    return true;
}

struct ts_plist_class *ts_plist_class_parent(const struct ts_plist_class *cls)
{
    return cls->parent;
}

const char *ts_plist_class_name(const struct ts_plist_class *cls)
{
    return cls->name;
}

int ts_plist_kind_of(const struct ts_plist_class *cls)
{
    return cls->kind;
}

int ts_names_add(struct ts_names *list, const char *name)
{
    if (TS_GROW(list->names, list->capacity, list->n + 1) < 0)
        return -1;
    char *copy = ts_strdup(name);
    if (!copy)
        return -1;
    list->names[list->n++] = copy;
    return 0;
}

bool ts_names_have(const struct ts_names *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

void ts_names_drop(struct ts_names *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->names[i], name) == 0) {
            ts_free(list->names[i]);
            list->names[i] = list->names[--list->n];
            return;
        }
}

void ts_plist_names_free(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ts_free(names[i]);
    ts_free(names);
}
