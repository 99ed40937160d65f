/* An object that an operation is going to make. Who needs it waits for it, or, being an operation itself, holds the
 * promise and gets the object when it is there. */
#ifndef TS_EVENT_PROMISE_H
#define TS_EVENT_PROMISE_H

#include <stdbool.h>

#include "event/event.h"

/* Of one of the set's operations, which owns the reference; without a set, of the thread that calls. */
struct ts_promise *ts_promise_new(struct ts_event_set *owner);
struct ts_promise *ts_promise_ref(struct ts_promise *p);
void ts_promise_unref(struct ts_promise *p);

/* Returns when it is resolved. An error when that would never be: in the set's own thread, or in one that it waits for,
 * and in a process that was forked from that of the set. */
int ts_promise_wait(struct ts_promise *p);

/* An object that an operation needs. */
struct ts_hold {
    H5I_type_t type;
    void *obj;              /* owned; NULL until it is there, and when it never will be */
    struct ts_promise *due; /* NULL: resolved */
    struct ts_hold *next;
    /* Takes a reference, or a copy, of the object that was promised. Called under the lock of all sets. */
    void (*got)(struct ts_hold *hold, H5I_type_t type, void *obj);
};

/* 1; 0 when the promise is resolved already; an error in a process that was forked from that of the set. */
int ts_promise_hold(struct ts_promise *p, struct ts_hold *hold);
/* Until the hold has its object, or never will; as ts_promise_wait. */
int ts_promise_await(struct ts_hold *hold);
/* Needs the object no more. */
void ts_promise_forget(struct ts_hold *hold);

/* Its operation was called off, and who did that resolves it. Under the lock of all sets. */
void ts_promise_called_off(struct ts_promise *p);

/* The object is there, or, when it is NULL, never will be. Holders get it first, then `finish` is called, then those
 * who wait go on. Cannot fail. */
void ts_promise_resolve(struct ts_promise *p, H5I_type_t type, void *obj, void (*finish)(void *ctx), void *ctx);

#endif
