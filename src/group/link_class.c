#include "group/link_class.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/lock.h"

enum { KINDS = H5L_TYPE_MAX - H5L_TYPE_UD_MIN + 1 };

struct slot {
    bool used;
    struct ts_link_class cls;
};

#define EXTERNAL_CLASS                                                                                                 \
    {                                                                                                                  \
        .version = H5L_LINK_CLASS_T_VERS, .id = H5L_TYPE_EXTERNAL, .comment = "external"                               \
    }
#define EXTERNAL_SLOT                                                                                                  \
    {                                                                                                                  \
        .used = true, .cls = {.builtin = true, .cls = EXTERNAL_CLASS }                                                 \
    }

static struct ts_rwlock lock = TS_RWLOCK_INIT(TS_RANK_LINK_CLASSES);
static struct slot table[KINDS] = {EXTERNAL_SLOT};

static atomic_uint n_telling;

static bool tells(const struct slot *slot)
{
    return slot->used && !slot->cls.builtin && slot->cls.cls.del_func;
}

/* With the lock. */
static void put(struct slot *slot, struct slot value)
{
    TS_HELD_ALONE(&lock);
    atomic_fetch_add(&n_telling, (unsigned)tells(&value) - (unsigned)tells(slot));
    *slot = value;
}

static struct slot *slot_of(H5L_type_t id)
{
    return id >= H5L_TYPE_UD_MIN && id <= H5L_TYPE_MAX ? &table[id - H5L_TYPE_UD_MIN] : NULL;
}

int ts_link_class_register(const H5L_class_t *cls)
{
    if (cls->version < H5L_LINK_CLASS_T_VERS_0 || cls->version > H5L_LINK_CLASS_T_VERS)
        return TS_ERR(ARGS, BADVALUE, "invalid H5L_class_t version number");
    struct slot *slot = slot_of(cls->id);
    if (!slot)
        return TS_ERR(ARGS, BADVALUE, "invalid link identification number");
    if (!cls->trav_func)
        return TS_ERR(ARGS, BADVALUE, "no traversal function specified");
    ts_rwlock_write(&lock);
    put(slot, (struct slot){.used = true, .cls = {.cls = *cls}});
    ts_rwlock_unlock(&lock);
    return 0;
}

int ts_link_class_unregister(H5L_type_t id)
{
    struct slot *slot = slot_of(id);
    if (!slot)
        return TS_ERR(LINK, NOTREGISTERED, "invalid link type");
    ts_rwlock_write(&lock);
    bool was = slot->used;
    put(slot, (struct slot){.used = false});
    ts_rwlock_unlock(&lock);
    return was ? 0 : TS_ERR(LINK, CANTRELEASE, "link class %d is not registered", (int)id);
}

bool ts_link_class_get(H5L_type_t id, struct ts_link_class *out)
{
    struct slot *slot = slot_of(id);
    if (!slot)
        return false;
    ts_rwlock_read(&lock);
    bool used = slot->used;
    *out = slot->cls;
    ts_rwlock_unlock(&lock);
    return used;
}

bool ts_link_classes_tell(void)
{
    return atomic_load(&n_telling) > 0;
}

void ts_link_class_reset(void)
{
    ts_rwlock_write(&lock);
    for (int i = 0; i < KINDS; i++)
        put(&table[i], (struct slot){.used = false});
    put(&table[0], (struct slot)EXTERNAL_SLOT);
    ts_rwlock_unlock(&lock);
}
