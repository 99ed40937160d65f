/* Event sets: operations that a thread of the set's own runs, one after the other, in the order in which they came.
 *
 * What an operation is, this room does not know: it has functions to run it and to let it go. */
#ifndef TS_EVENT_EVENT_H
#define TS_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5ESpublic.h"

struct ts_event_op;
struct ts_promise;

struct ts_event_op_class {
    /* In the set's thread. What it needed it has let go of when it returns; when it failed, op->errors says why. */
    int (*run)(struct ts_event_op *op);
    /* It will not run: lets go of the same. NULL: what cannot be called off. */
    void (*cancel)(struct ts_event_op *op);
    void (*free)(struct ts_event_op *op);
};

/* The beginning of an operation. */
struct ts_event_op {
    const struct ts_event_op_class *cls;
    struct ts_event_op *next;
    H5ES_op_info_t info;        /* the operation's own strings; times in nanoseconds, since 1970 or that it took */
    struct ts_promise *promise; /* of what it makes, or NULL */
    hid_t errors;               /* an error stack, once it has failed; or no id, when memory was short */
};

struct ts_event_set;

int ts_event_set_new(struct ts_event_set **out);
void ts_event_set_ref(struct ts_event_set *set);
/* The last reference waits for what is not done. */
void ts_event_set_unref(struct ts_event_set *set);
/* An error while operations are not done. */
int ts_event_set_may_close(struct ts_event_set *set);

/* The set takes the operation over, unless that fails. It does while a failure has not been asked for. */
int ts_event_insert(struct ts_event_set *set, struct ts_event_op *op);
void ts_event_on_insert(struct ts_event_set *set, H5ES_event_insert_func_t func, void *ctx);
void ts_event_on_complete(struct ts_event_set *set, H5ES_event_complete_func_t func, void *ctx);

struct ts_event_counts {
    size_t unfinished, failed;
    uint64_t inserted; /* ever */
};

int ts_event_count(struct ts_event_set *set, struct ts_event_counts *out);
/* Until all is done, one has failed, or the time is over (nanoseconds, or H5ES_WAIT_FOREVER). */
int ts_event_wait(struct ts_event_set *set, uint64_t timeout, struct ts_event_counts *out);
/* Calls off what has not begun. */
int ts_event_cancel(struct ts_event_set *set, struct ts_event_counts *out);
/* The oldest operation that failed, for the caller to free; NULL when there is none. */
struct ts_event_op *ts_event_take_failed(struct ts_event_set *set);

/* The set whose thread calls, or NULL. */
struct ts_event_set *ts_event_own_set(void);
/* The library closes: waits until all sets are done with what they have, and lets them take no more. Negative when
 * something of it failed. */
int ts_event_shut(void);
/* It is closed, and may start again. */
void ts_event_open(void);

#endif
