#include "object/attr_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "format/attribute.h"

/* Fewer messages than these are gone through quickly; and a header that is changed all the time is not sorted all the
 * time. */
enum { MANY_MSGS = 64, ENOUGH_SEARCHES = 8 };

struct item {
    uint32_t hash, msg, position;
};

struct ts_attr_names {
    size_t n;
    struct item items[]; /* by hash, then by place */
};

static int by_hash(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->msg < y->msg ? -1 : x->msg > y->msg;
}

static bool decode(const struct ts_ohdr_msg *msg, struct ts_attr_msg *attr)
{
    return !(msg->flags & TS_MSG_FLAG_SHARED) && ts_attr_msg_decode(msg->body, msg->size, attr) == 0;
}

/* NULL when memory is short, and when one of them is shared or damaged: these are for who goes through all. */
static struct ts_attr_names *make(const struct ts_ohdr *oh)
{
    struct ts_attr_names *names = ts_malloc(sizeof *names + oh->n_msgs * sizeof *names->items);
    bool good = names && oh->n_msgs <= UINT32_MAX;
    if (names)
        names->n = 0;
    for (size_t i = 0; good && i < oh->n_msgs; i++) {
        struct ts_attr_msg attr;
        if (oh->msgs[i].type != TS_MSG_ATTR)
            continue;
        good = decode(&oh->msgs[i], &attr);
        if (good) {
            names->items[names->n] = (struct item){ts_checksum(attr.name, attr.name_len), (uint32_t)i, (uint32_t)names->n};
            names->n++;
        }
    }
    if (!good) {
        ts_free(names);
        return NULL;
    }
    qsort(names->items, names->n, sizeof *names->items, by_hash);
    return names;
}

const struct ts_attr_names *ts_attr_names_get(struct ts_ohdr *oh)
{
    struct ts_attr_names *names = atomic_load_explicit(&oh->names, memory_order_acquire);
    if (names || oh->n_msgs < MANY_MSGS ||
        atomic_fetch_add_explicit(&oh->searches, 1, memory_order_relaxed) % ENOUGH_SEARCHES != ENOUGH_SEARCHES - 1)
        return names;
    unsigned mark = ts_err_mark();
    struct ts_attr_names *made = make(oh);
    ts_err_rewind(mark);
    /* Another thread may have been quicker. */
    if (made && !atomic_compare_exchange_strong(&oh->names, &names, made)) {
        ts_free(made);
        return names;
    }
    return made;
}

const struct ts_ohdr_msg *ts_attr_names_find(const struct ts_attr_names *names, const struct ts_ohdr *oh, const char *name,
                                             unsigned *position)
{
    uint32_t hash = ts_checksum(name, strlen(name));
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (names->items[mid].hash < hash)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < names->n && names->items[low].hash == hash; low++) {
        const struct ts_ohdr_msg *msg = &oh->msgs[names->items[low].msg];
        struct ts_attr_msg attr;
        if (decode(msg, &attr) && strcmp(attr.name, name) == 0) {
            *position = names->items[low].position;
            return msg;
        }
    }
    return NULL;
}

void ts_attr_names_forget(struct ts_ohdr *oh)
{
    struct ts_attr_names *names = atomic_load_explicit(&oh->names, memory_order_relaxed);
    if (names)
        ts_free(names);
    atomic_store_explicit(&oh->names, NULL, memory_order_relaxed);
    atomic_store_explicit(&oh->searches, 0, memory_order_relaxed);
}
