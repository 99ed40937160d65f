#include "group/link_class.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"

enum { KINDS = H5L_TYPE_MAX - H5L_TYPE_UD_MIN + 1 };

struct slot {
    bool used;
    struct ts_link_class cls;
};

#define EXTERNAL_CLASS {.version = H5L_LINK_CLASS_T_VERS, .id = H5L_TYPE_EXTERNAL, .comment = "external"}
#define EXTERNAL_SLOT {.used = true, .cls = {.builtin = true, .cls = EXTERNAL_CLASS}}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct slot table[KINDS] = {EXTERNAL_SLOT};

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
    pthread_rwlock_wrlock(&lock);
    slot->used = true;
    slot->cls = (struct ts_link_class){.cls = *cls};
    pthread_rwlock_unlock(&lock);
    return 0;
}

int ts_link_class_unregister(H5L_type_t id)
{
    struct slot *slot = slot_of(id);
    if (!slot)
        return TS_ERR(ARGS, BADVALUE, "invalid link type");
    pthread_rwlock_wrlock(&lock);
    bool was = slot->used;
    slot->used = false;
    pthread_rwlock_unlock(&lock);
    return was ? 0 : TS_ERR(LINK, CANTRELEASE, "link class %d is not registered", (int)id);
}

bool ts_link_class_get(H5L_type_t id, struct ts_link_class *out)
{
    struct slot *slot = slot_of(id);
    if (!slot)
        return false;
    pthread_rwlock_rdlock(&lock);
    bool used = slot->used;
    *out = slot->cls;
    pthread_rwlock_unlock(&lock);
    return used;
}

void ts_link_class_reset(void)
{
    pthread_rwlock_wrlock(&lock);
    memset(table, 0, sizeof table);
    table[0] = (struct slot)EXTERNAL_SLOT;
    pthread_rwlock_unlock(&lock);
}
