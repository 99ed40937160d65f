/* Operations that a test holds up: the callback of an iteration, or a conversion, that waits at a gate. */
#ifndef TESTS_UNIT_API_EVENT_GATE_H
#define TESTS_UNIT_API_EVENT_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "hdf5.h"

/* Nobody waits longer at a gate: a call that should not have waited for it fails the test then, and does not hang it. */
enum { GATE_SECONDS = 20 };

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t news;
    bool open;
    unsigned waiting, gave_up;
};

#define GATE_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0, 0}

static inline void gate_wait(struct gate *g)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += GATE_SECONDS;
    pthread_mutex_lock(&g->lock);
    g->waiting++;
    pthread_cond_broadcast(&g->news);
    bool late = false;
    while (!g->open && !late)
        late = pthread_cond_timedwait(&g->news, &g->lock, &end) != 0;
    g->waiting--;
    g->gave_up += late;
    pthread_mutex_unlock(&g->lock);
}

static inline void gate_open(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->open = true;
    pthread_cond_broadcast(&g->news);
    pthread_mutex_unlock(&g->lock);
}

static inline void gate_close(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->open = false;
    pthread_mutex_unlock(&g->lock);
}

/* Until somebody waits there. */
static inline void gate_await(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    while (g->waiting == 0 && g->gave_up == 0)
        pthread_cond_wait(&g->news, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static inline unsigned gate_gave_up(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    unsigned n = g->gave_up;
    pthread_mutex_unlock(&g->lock);
    return n;
}

static inline herr_t gate_link(hid_t group, const char *name, const H5L_info2_t *info, void *gate)
{
    (void)group, (void)name, (void)info;
    gate_wait(gate);
    return 1;
}

/* Puts an operation into the set that waits at the gate, and waits until it does. The file has a link. */
static inline herr_t gate_hold_up(struct gate *g, hid_t file, hid_t es)
{
    herr_t ret = H5Literate_async(file, H5_INDEX_NAME, H5_ITER_INC, NULL, gate_link, g, es);
    if (ret >= 0)
        gate_await(g);
    return ret;
}

#endif
