#include "object/attr_names.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "format/attribute.h"

/* Fewer messages than these are gone through quickly; and for a header whose messages move all the time no table is
 * made all the time. */
enum { MANY_MSGS = 64, ENOUGH_SEARCHES = 8 };

struct item {
    uint32_t hash, msg;
};

/* A table of hashes with open addressing: slots have the number of an item and one more, 0 none. Nothing is taken
 * out. */
struct ts_attr_names {
    size_t n, capacity;
    struct item *items; /* in the order of the messages */
    size_t mask;        /* slots less one, a power of two */
    uint32_t *slots;
};

static void names_free(struct ts_attr_names *names)
{
    if (!names)
        return;
    ts_free(names->items);
    ts_free(names->slots);
    ts_free(names);
}

/* What is found first has been there longest: the first of two messages of one name is the one that counts. */
static void enter(struct ts_attr_names *names, size_t item)
{
    size_t at = names->items[item].hash & names->mask;
    while (names->slots[at])
        at = (at + 1) & names->mask;
    names->slots[at] = (uint32_t)item + 1;
}

/* At least four slots for each item: a search ends soon, and half of them are empty still when there are twice as
 * many. */
static int more_slots(struct ts_attr_names *names)
{
    size_t n = 2 * MANY_MSGS;
    while (n / 4 < names->n)
        n *= 2;
    uint32_t *slots = ts_calloc(n, sizeof *slots);
    if (!slots)
        return -1;
    ts_free(names->slots);
    names->slots = slots;
    names->mask = n - 1;
    for (size_t i = 0; i < names->n; i++)
        enter(names, i);
    return 0;
}

static bool decode(const struct ts_ohdr_msg *msg, struct ts_attr_msg *attr)
{
    return !(msg->flags & TS_MSG_FLAG_SHARED) && ts_attr_msg_decode(msg->body, msg->size, attr) == 0;
}

/* Negative when memory is short, and when the message is shared or damaged: these are for who goes through all. */
static int append(struct ts_attr_names *names, const struct ts_ohdr *oh, size_t msg)
{
    struct ts_attr_msg attr;
    if (msg >= UINT32_MAX || !decode(&oh->msgs[msg], &attr) || TS_GROW(names->items, names->capacity, names->n + 1) < 0)
        return -1;
    names->items[names->n++] = (struct item){ts_checksum(attr.name, attr.name_len), (uint32_t)msg};
    if (names->n > names->mask / 2)
        return more_slots(names);
    enter(names, names->n - 1);
    return 0;
}

static struct ts_attr_names *make(const struct ts_ohdr *oh)
{
    struct ts_attr_names *names = ts_calloc(1, sizeof *names);
    bool good = names && more_slots(names) == 0;
    for (size_t i = 0; good && i < oh->n_msgs; i++)
        good = oh->msgs[i].type != TS_MSG_ATTR || append(names, oh, i) == 0;
    if (good)
        return names;
    names_free(names);
    return NULL;
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
        names_free(made);
        return names;
    }
    return made;
}

const struct ts_ohdr_msg *ts_attr_names_find(const struct ts_attr_names *names, const struct ts_ohdr *oh,
                                             const char *name, unsigned *position)
{
    uint32_t hash = ts_checksum(name, strlen(name));
    for (size_t at = hash & names->mask; names->slots[at]; at = (at + 1) & names->mask) {
        const struct item *item = &names->items[names->slots[at] - 1];
        const struct ts_ohdr_msg *msg = &oh->msgs[item->msg];
        struct ts_attr_msg attr;
        if (item->hash == hash && decode(msg, &attr) && strcmp(attr.name, name) == 0) {
            *position = (unsigned)(item - names->items);
            return msg;
        }
    }
    return NULL;
}

void ts_attr_names_forget(struct ts_ohdr *oh)
{
    names_free(atomic_load_explicit(&oh->names, memory_order_relaxed));
    atomic_store_explicit(&oh->names, NULL, memory_order_relaxed);
    atomic_store_explicit(&oh->searches, 0, memory_order_relaxed);
}

void ts_attr_names_added(struct ts_ohdr *oh, size_t at)
{
    struct ts_attr_names *names = atomic_load_explicit(&oh->names, memory_order_relaxed);
    bool last = !names || names->n == 0 || names->items[names->n - 1].msg < at;
    if (!names || (last && oh->msgs[at].type != TS_MSG_ATTR))
        return;
    unsigned mark = ts_err_mark();
    if (!last || append(names, oh, at) < 0)
        ts_attr_names_forget(oh);
    ts_err_rewind(mark);
}

void ts_attr_names_replaced(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, const uint8_t *body, size_t size)
{
    struct ts_attr_msg was, is;
    if (msg->type != TS_MSG_ATTR || !atomic_load_explicit(&oh->names, memory_order_relaxed))
        return;
    unsigned mark = ts_err_mark();
    if (!decode(msg, &was) || ts_attr_msg_decode(body, size, &is) < 0 || strcmp(was.name, is.name) != 0)
        ts_attr_names_forget(oh);
    ts_err_rewind(mark);
}
