/* What classes and lists are made of: for class.c and list.c only. */
#ifndef TS_PLIST_PARTS_H
#define TS_PLIST_PARTS_H

#include <stdatomic.h>

#include "base/count.h"
#include "base/lock.h"
#include "plist/engine.h"

/* A property as its class defines it; immutable and shared by all lists. */
struct ts_prop {
    atomic_uint refs;
    char *name;
    uint32_t hash;
    size_t size;
    void *def;
    const struct ts_prop_ops *ops;
    struct ts_prop_calls calls;
    unsigned flags;
};

struct ts_prop_slot {
    struct ts_prop *prop;
    void *value; /* NULL in a class */
};

/* Sorted by hash, then name. */
struct ts_prop_table {
    size_t n, capacity;
    struct ts_prop_slot *slots;
};

struct ts_names {
    size_t n, capacity;
    char **names;
};

struct ts_plist_class {
    struct ts_count refs;
    struct ts_count dependents; /* lists and classes made from this one */
    /* Of the library's own that have a default list: there are always dependents. */
    bool frozen;
    struct ts_strangers strangers;
    char *name;
    struct ts_plist_class *parent;
    int kind; /* enum ts_plist_kind, or -1 */
    uint64_t revision;
    struct ts_plist_class_calls calls;
    struct ts_rwlock lock; /* of props and revision */
    struct ts_prop_table props;
};

struct ts_plist {
    struct ts_count refs;
    struct ts_strangers strangers; /* of a default list */
    bool is_default;
    struct ts_plist_class *cls;
    hid_t id;
    atomic_uint io_causes; /* of a transfer list: dxpl.h */
    bool created;          /* class callbacks have run: those at closing are due */
    atomic_bool touched; /* own or removed had something in them; set before they get it, looked at without the lock */
    struct ts_rwlock lock;
    struct ts_plist *snapshot; /* what ts_plist_snapshot gave last; NULL when the list has changed since */
    struct ts_prop_table own;  /* values that were set here */
    struct ts_names removed;   /* properties of the class that this list has not */
};

uint32_t ts_prop_hash(const char *name);
int ts_prop_new(const struct ts_prop_spec *spec, const struct ts_prop_calls *calls, struct ts_prop **out);
struct ts_prop *ts_prop_ref(struct ts_prop *prop);
void ts_prop_unref(struct ts_prop *prop);
struct ts_prop_slot *ts_prop_table_find(const struct ts_prop_table *t, const char *name, uint32_t hash);
int ts_prop_table_add(struct ts_prop_table *t, struct ts_prop *prop, void *value);
void ts_prop_table_drop(struct ts_prop_table *t, struct ts_prop_slot *slot);
/* A reference, and the class stays as it is until dependents is lowered again: changes go into new revisions. */
void ts_plist_class_depend(struct ts_plist_class *cls);
void ts_plist_class_undepend(struct ts_plist_class *cls);
/* It has a dependent until it is thawed: who comes later need not look whether it changes. */
void ts_plist_class_freeze(struct ts_plist_class *cls);
void ts_plist_class_thaw(struct ts_plist_class *cls); /* NULL is fine */
int ts_plist_class_check_name(const struct ts_plist_class *cls, const struct ts_prop *prop);
struct ts_prop *ts_plist_class_find(struct ts_plist_class *cls, const char *name, uint32_t hash);
int ts_names_add(struct ts_names *list, const char *name);
bool ts_names_have(const struct ts_names *list, const char *name);
void ts_names_drop(struct ts_names *list, const char *name);

#endif
