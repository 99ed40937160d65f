/* Objects that are promised before they are made (promise.h). */
#include "event/promise.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/process.h"
#include "event/internal.h"

struct ts_promise {
    atomic_uint refs;
    uint64_t process;
    bool own;        /* a thread makes it itself, without a set */
    pthread_t maker; /* that one */
    /* Under the lock. */
    /* Whose thread makes it: there for as long as this is not resolved. NULL: it is another's to resolve. */
    struct ts_event_set *owner;
    bool resolved;
    struct ts_hold *holds;
};

struct ts_promise *ts_promise_new(struct ts_event_set *owner)
{
    struct ts_promise *p = ts_calloc(1, sizeof *p);
    if (!p)
        return NULL;
    atomic_init(&p->refs, 1);
    p->process = ts_process();
    p->owner = owner;
    p->own = !owner;
    p->maker = pthread_self();
    return p;
}

struct ts_promise *ts_promise_ref(struct ts_promise *p)
{
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void ts_promise_unref(struct ts_promise *p)
{
    if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1)
        ts_free(p);
}

static struct ts_event_set *whom_of_promise(const void *what)
{
    const struct ts_promise *p = what;
    return p->resolved ? NULL : p->owner;
}

static struct ts_event_set *whom_of_hold(const void *what)
{
    const struct ts_hold *hold = what;
    return hold->due ? whom_of_promise(hold->due) : NULL;
}

static int may_wait(const struct ts_promise *p, ts_event_whom_fn *whom, const void *what)
{
    TS_HELD(&ts_event_lock);
    if (p->own && pthread_equal(p->maker, pthread_self()))
        return TS_ERR(ATOM, CANTWAIT, "the object is being made by the function that asks for it");
    return ts_event_may_wait(whom, what);
}

int ts_promise_wait(struct ts_promise *p)
{
    if (ts_event_check_process(p->process) < 0)
        return -1;
    int status = 0;
    ts_mutex_lock(&ts_event_lock);
    if (!p->resolved && (status = may_wait(p, whom_of_promise, p)) == 0) {
        while (!p->resolved)
            ts_cond_wait(&ts_event_news, &ts_event_lock);
        ts_event_waited();
    }
    ts_mutex_unlock(&ts_event_lock);
    return status;
}

int ts_promise_hold(struct ts_promise *p, struct ts_hold *hold)
{
    if (ts_event_check_process(p->process) < 0)
        return -1;
    ts_mutex_lock(&ts_event_lock);
    bool due = !p->resolved;
    if (due) {
        hold->due = p;
        hold->next = p->holds;
        p->holds = hold;
    }
    ts_mutex_unlock(&ts_event_lock);
    return due;
}

/* By itself the promise may be gone once it is resolved. */
int ts_promise_await(struct ts_hold *hold)
{
    int status = 0;
    ts_mutex_lock(&ts_event_lock);
    if (hold->due && (status = may_wait(hold->due, whom_of_hold, hold)) == 0) {
        while (hold->due)
            ts_cond_wait(&ts_event_news, &ts_event_lock);
        ts_event_waited();
    }
    ts_mutex_unlock(&ts_event_lock);
    return status;
}

void ts_promise_forget(struct ts_hold *hold)
{
    ts_mutex_lock(&ts_event_lock);
    if (hold->due) {
        struct ts_hold **link = &hold->due->holds;
        while (*link != hold)
            link = &(*link)->next;
        *link = hold->next;
        hold->due = NULL;
    }
    ts_mutex_unlock(&ts_event_lock);
}

void ts_promise_called_off(struct ts_promise *p)
{
    TS_HELD(&ts_event_lock);
    if (p)
        p->owner = NULL;
}

void ts_promise_resolve(struct ts_promise *p, H5I_type_t type, void *obj, void (*finish)(void *ctx), void *ctx)
{
    ts_mutex_lock(&ts_event_lock);
    for (struct ts_hold *hold = p->holds, *next; hold; hold = next) {
        next = hold->next;
        hold->due = NULL;
        if (obj)
            hold->got(hold, type, obj);
    }
    p->holds = NULL;
    finish(ctx);
    p->resolved = true;
    pthread_cond_broadcast(&ts_event_news);
    ts_mutex_unlock(&ts_event_lock);
}
