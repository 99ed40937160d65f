/* Event sets: queues of operations, and the thread that does them (event.h). */
#include "event/event.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/process.h"
#include "base/thread.h"
#include "event/internal.h"
#include "event/promise.h"

struct queue {
    struct ts_event_op *first, *last;
};

struct ts_event_set {
    atomic_uint refs;
    uint64_t process;
    pthread_cond_t work; /* for the thread: there is an operation, or an end */
    /* Under the lock. */
    struct ts_event_set *before, *after; /* in the list of all */
    pthread_t thread;
    bool has_thread, ending;
    struct queue queue, failures;
    struct ts_event_counts counts;
    ts_event_whom_fn *whom; /* of what its thread waits for; NULL: of nothing */
    const void *what;
    H5ES_event_insert_func_t on_insert;
    H5ES_event_complete_func_t on_complete;
    void *insert_ctx, *complete_ctx;
};

struct ts_mutex ts_event_lock = TS_MUTEX_INIT(TS_RANK_EVENTS);
pthread_cond_t ts_event_news = PTHREAD_COND_INITIALIZER;
static pthread_once_t hooked = PTHREAD_ONCE_INIT;
static struct ts_event_set *all;
static uint64_t failed_ever;
static bool shut;
static _Thread_local struct ts_event_set *own_set;

/* The threads are not here, and what they were doing is not done: sets of the parent are left as they are. */
static void in_child(void)
{
    ts_mutex_init(&ts_event_lock, TS_RANK_EVENTS);
    ts_event_news = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    all = NULL;
    shut = false;
    own_set = NULL;
}

static void hook_fork(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

struct ts_event_set *ts_event_own_set(void)
{
    return own_set;
}

int ts_event_check_process(uint64_t process)
{
    return process == ts_process() ? 0
                                   : TS_ERR(EVENTSET, UNSUPPORTED,
                                            "the event set is that of the process that this one was "
                                            "forked from, and its operations run there");
}

/* The set is the one whose thread calls, or waits for it. */
static bool leads_here(struct ts_event_set *set)
{
    while (own_set && set && set != own_set)
        set = set->whom ? set->whom(set->what) : NULL;
    return own_set && set;
}

int ts_event_may_wait(ts_event_whom_fn *whom, const void *what)
{
    TS_HELD(&ts_event_lock);
    if (leads_here(whom(what)))
        return TS_ERR(EVENTSET, CANTWAIT, "an operation of the event set would wait for itself");
    if (own_set) {
        own_set->whom = whom;
        own_set->what = what;
    }
    return 0;
}

void ts_event_waited(void)
{
    TS_HELD(&ts_event_lock);
    if (own_set)
        own_set->whom = NULL;
}

static void push(struct queue *q, struct ts_event_op *op)
{
    op->next = NULL;
    *(q->last ? &q->last->next : &q->first) = op;
    q->last = op;
}

static struct ts_event_op *pop(struct queue *q)
{
    struct ts_event_op *op = q->first;
    if (op && !(q->first = op->next))
        q->last = NULL;
    return op;
}

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int ts_event_set_new(struct ts_event_set **out)
{
    pthread_once(&hooked, hook_fork);
    struct ts_event_set *set = ts_calloc(1, sizeof *set);
    if (!set)
        return -1;
    atomic_init(&set->refs, 1);
    set->process = ts_process();
    pthread_cond_init(&set->work, NULL);
    ts_mutex_lock(&ts_event_lock);
    set->after = all;
    if (all)
        all->before = set;
    all = set;
    ts_mutex_unlock(&ts_event_lock);
    *out = set;
    return 0;
}

void ts_event_set_ref(struct ts_event_set *set)
{
    atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
}

/* Waits for the thread, which first does what there is to do. */
static void end_thread(struct ts_event_set *set)
{
    ts_mutex_lock(&ts_event_lock);
    set->ending = true;
    pthread_cond_signal(&set->work);
    ts_mutex_unlock(&ts_event_lock);
    if (set->has_thread)
        pthread_join(set->thread, NULL);
}

static void unlist(struct ts_event_set *set)
{
    ts_mutex_lock(&ts_event_lock);
    *(set->before ? &set->before->after : &all) = set->after;
    if (set->after)
        set->after->before = set->before;
    ts_mutex_unlock(&ts_event_lock);
}

void ts_event_set_unref(struct ts_event_set *set)
{
    if (!set || atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) != 1)
        return;
    /* In a child nothing says in which state the fork found the set; and its own thread only comes here when it ends
     * the program. */
    if (set->process != ts_process() || set == own_set)
        return;
    end_thread(set);
    unlist(set);
    for (struct ts_event_op *op; (op = pop(&set->failures));)
        op->cls->free(op);
    pthread_cond_destroy(&set->work);
    ts_free(set);
}

int ts_event_set_may_close(struct ts_event_set *set)
{
    if (set->process != ts_process())
        return 0;
    ts_mutex_lock(&ts_event_lock);
    size_t unfinished = set->counts.unfinished;
    ts_mutex_unlock(&ts_event_lock);
    return unfinished == 0 ? 0
                           : TS_ERR(EVENTSET, CANTCLOSEOBJ,
                                    "can't close event set while %zu operations are not done: wait for "
                                    "them first",
                                    unfinished);
}

/* Tells the application, and lets go of an operation that leaves nothing to ask for. */
static void report(struct ts_event_set *set, const struct ts_event_op *op, H5ES_status_t status)
{
    ts_mutex_lock(&ts_event_lock);
    H5ES_event_complete_func_t func = set->on_complete;
    void *ctx = set->complete_ctx;
    ts_mutex_unlock(&ts_event_lock);
    TS_MAY_CALL_OUT();
    if (func)
        (void)func(&op->info, status, op->errors, ctx);
}

/* The operation counts as done when this returns. */
static void complete(struct ts_event_set *set, struct ts_event_op *op, H5ES_status_t status)
{
    bool failed = status == H5ES_STATUS_FAIL;
    report(set, op, status);
    if (!failed)
        op->cls->free(op);
    ts_mutex_lock(&ts_event_lock);
    if (failed) {
        push(&set->failures, op);
        set->counts.failed++;
        failed_ever++;
    }
    set->counts.unfinished--;
    pthread_cond_broadcast(&ts_event_news);
    ts_mutex_unlock(&ts_event_lock);
}

static void run(struct ts_event_set *set, struct ts_event_op *op)
{
    uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
    op->info.op_exec_ts = nanoseconds(CLOCK_REALTIME);
    int status = op->cls->run(op);
    op->info.op_exec_time = nanoseconds(CLOCK_MONOTONIC) - begin;
    complete(set, op, status < 0 ? H5ES_STATUS_FAIL : H5ES_STATUS_SUCCEED);
    ts_err_clear();
}

static struct ts_event_op *next_op(struct ts_event_set *set)
{
    ts_mutex_lock(&ts_event_lock);
    while (!set->queue.first && !set->ending)
        ts_cond_wait(&set->work, &ts_event_lock);
    struct ts_event_op *op = pop(&set->queue);
    ts_mutex_unlock(&ts_event_lock);
    return op;
}

static void *work(void *ctx)
{
    struct ts_event_op *op;
    own_set = ctx;
    while ((op = next_op(own_set)))
        run(own_set, op);
    return NULL;
}

/* The application may not want it; the number is used up then. */
static int announce(struct ts_event_set *set, struct ts_event_op *op)
{
    ts_mutex_lock(&ts_event_lock);
    size_t failed = set->counts.failed;
    H5ES_event_insert_func_t func = set->on_insert;
    void *ctx = set->insert_ctx;
    if (failed == 0)
        op->info.op_ins_count = set->counts.inserted++;
    ts_mutex_unlock(&ts_event_lock);
    if (failed > 0)
        return TS_ERR(EVENTSET, CANTINSERT,
                      "%zu operations of the event set failed, which nobody has asked for yet "
                      "(H5ESget_err_info)",
                      failed);
    op->info.op_ins_ts = nanoseconds(CLOCK_REALTIME);
    TS_MAY_CALL_OUT();
    return func && func(&op->info, ctx) < 0 ? TS_ERR(EVENTSET, CALLBACK, "the insert callback of the event set refused")
                                            : 0;
}

/* The thread comes with the first operation. */
static int need_thread(struct ts_event_set *set)
{
    ts_mutex_lock(&ts_event_lock);
    if (!set->has_thread)
        set->has_thread = ts_thread_start(&set->thread, 0, work, set) == 0;
    bool there = set->has_thread;
    ts_mutex_unlock(&ts_event_lock);
    return there ? 0 : TS_ERR(EVENTSET, CANTINSERT, "no thread could be started for the event set");
}

int ts_event_insert(struct ts_event_set *set, struct ts_event_op *op)
{
    if (ts_event_check_process(set->process) < 0 || need_thread(set) < 0 || announce(set, op) < 0)
        return -1;
    ts_mutex_lock(&ts_event_lock);
    bool open = !shut;
    if (open) {
        push(&set->queue, op);
        set->counts.unfinished++;
        pthread_cond_signal(&set->work);
    }
    ts_mutex_unlock(&ts_event_lock);
    return open ? 0 : TS_ERR(EVENTSET, CANTINSERT, "the library is being closed");
}

void ts_event_on_insert(struct ts_event_set *set, H5ES_event_insert_func_t func, void *ctx)
{
    ts_mutex_lock(&ts_event_lock);
    set->on_insert = func;
    set->insert_ctx = ctx;
    ts_mutex_unlock(&ts_event_lock);
}

void ts_event_on_complete(struct ts_event_set *set, H5ES_event_complete_func_t func, void *ctx)
{
    ts_mutex_lock(&ts_event_lock);
    set->on_complete = func;
    set->complete_ctx = ctx;
    ts_mutex_unlock(&ts_event_lock);
}

int ts_event_count(struct ts_event_set *set, struct ts_event_counts *out)
{
    if (ts_event_check_process(set->process) < 0)
        return -1;
    ts_mutex_lock(&ts_event_lock);
    *out = set->counts;
    ts_mutex_unlock(&ts_event_lock);
    return 0;
}

/* False when there is no end. */
static bool end_of(uint64_t timeout, struct timespec *end)
{
    uint64_t now = nanoseconds(CLOCK_MONOTONIC);
    if (timeout > INT64_MAX - now)
        return false;
    *end = (struct timespec){(time_t)((now + timeout) / 1000000000u), (long)((now + timeout) % 1000000000u)};
    return true;
}

static bool is_finished(const struct ts_event_set *set)
{
    return set->counts.unfinished == 0 || set->counts.failed > 0;
}

static struct ts_event_set *whom(const void *what)
{
    struct ts_event_set *set = (struct ts_event_set *)what;
    return is_finished(set) ? NULL : set;
}

int ts_event_wait(struct ts_event_set *set, uint64_t timeout, struct ts_event_counts *out)
{
    struct timespec end;
    bool ends = end_of(timeout, &end), more = timeout > 0;
    if (ts_event_check_process(set->process) < 0)
        return -1;
    int status = 0;
    ts_mutex_lock(&ts_event_lock);
    if (more && !is_finished(set) && (status = ts_event_may_wait(whom, set)) == 0) {
        while (more && !is_finished(set))
            if (ends)
                more = ts_cond_wait_until(&ts_event_news, &ts_event_lock, &end);
            else
                ts_cond_wait(&ts_event_news, &ts_event_lock);
        ts_event_waited();
    }
    *out = set->counts;
    ts_mutex_unlock(&ts_event_lock);
    return status;
}

/* Takes from the queue what can be called off. */
static struct queue take_cancelable(struct ts_event_set *set)
{
    TS_HELD(&ts_event_lock);
    struct queue taken = {NULL, NULL}, kept = {NULL, NULL};
    for (struct ts_event_op *op; (op = pop(&set->queue));) {
        push(op->cls->cancel ? &taken : &kept, op);
        if (op->cls->cancel)
            ts_promise_called_off(op->promise);
    }
    set->queue = kept;
    return taken;
}

int ts_event_cancel(struct ts_event_set *set, struct ts_event_counts *out)
{
    if (ts_event_check_process(set->process) < 0)
        return -1;
    ts_mutex_lock(&ts_event_lock);
    struct queue taken = take_cancelable(set);
    ts_mutex_unlock(&ts_event_lock);
    /* All at first, for the application, when it is told, may look for what one of them was to make. */
    for (struct ts_event_op *op = taken.first; op; op = op->next)
        op->cls->cancel(op);
    for (struct ts_event_op *op; (op = pop(&taken));)
        complete(set, op, H5ES_STATUS_CANCELED);
    return ts_event_count(set, out);
}

struct ts_event_op *ts_event_take_failed(struct ts_event_set *set)
{
    ts_mutex_lock(&ts_event_lock);
    struct ts_event_op *op = pop(&set->failures);
    if (op)
        set->counts.failed--;
    ts_mutex_unlock(&ts_event_lock);
    return op;
}

/* A set that has operations, and can be waited for. */
static struct ts_event_set *busy_set(void)
{
    struct ts_event_set *set = all;
    while (set && (set->counts.unfinished == 0 || leads_here(set)))
        set = set->after;
    return set;
}

int ts_event_shut(void)
{
    ts_mutex_lock(&ts_event_lock);
    uint64_t before = failed_ever;
    while (busy_set())
        ts_cond_wait(&ts_event_news, &ts_event_lock);
    shut = true;
    size_t failed = (size_t)(failed_ever - before), left = own_set ? own_set->counts.unfinished - 1 : 0;
    ts_mutex_unlock(&ts_event_lock);
    if (failed > 0)
        TS_ERR(EVENTSET, CANTWAIT, "%zu operations of event sets failed before the library was closed", failed);
    if (left > 0)
        TS_ERR(EVENTSET, CANTWAIT,
               "%zu operations of an event set are left undone: a callback of one before them ends the program", left);
    return failed + left > 0 ? -1 : 0;
}

void ts_event_open(void)
{
    ts_mutex_lock(&ts_event_lock);
    shut = false;
    ts_mutex_unlock(&ts_event_lock);
}
