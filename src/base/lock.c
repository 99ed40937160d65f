#define _GNU_SOURCE
#include "base/lock.h"

/* By assignment: every dataspace has one, and the functions for it cost as much as using it does. */
void ts_mutex_init(struct ts_mutex *m, enum ts_lock_rank rank)
{
    m->raw = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    TS_CONTRACTS_ONLY(m->rank = rank;)
    (void)rank;
}

void ts_mutex_init_spinning(struct ts_mutex *m, enum ts_lock_rank rank)
{
    m->raw = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    TS_CONTRACTS_ONLY(m->rank = rank;)
    (void)rank;
}

void ts_mutex_deinit(struct ts_mutex *m)
{
    TS_NOT_HELD(m);
    pthread_mutex_destroy(&m->raw);
}

void ts_rwlock_init(struct ts_rwlock *l, enum ts_lock_rank rank)
{
    pthread_rwlock_init(&l->raw, NULL);
    TS_CONTRACTS_ONLY(l->rank = rank;)
    (void)rank;
}

void ts_rwlock_deinit(struct ts_rwlock *l)
{
    TS_NOT_HELD(l);
    pthread_rwlock_destroy(&l->raw);
}

bool ts_cond_clock_wait(pthread_cond_t *cond, pthread_mutex_t *raw, const struct timespec *end)
{
    return pthread_cond_clockwait(cond, raw, CLOCK_MONOTONIC, end) == 0;
}

#ifdef TS_CONTRACTS
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The deepest nesting is a copy between files in the middle of closing the library. */
enum { MOST_HELD = 64 };

struct held {
    const void *lock;
    enum ts_lock_rank rank;
    bool alone;
    const char *file;
    int line;
};

static _Thread_local struct held held[MOST_HELD];
static _Thread_local unsigned n_held;

static const struct {
    const char *name;
    int allowed;
} ranks[TS_RANKS] = {{"that was not made", 0},
#define NAME_AND_FLAGS(name, flags) {#name, flags},
                     TS_LOCKS(NAME_AND_FLAGS)
#undef NAME_AND_FLAGS
};

__attribute__((format(printf, 3, 4), noreturn, cold)) static void broken(const char *file, int line, const char *format,
                                                                         ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "tessera: %s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

void ts_contract_failed(const char *what, const char *file, int line)
{
    broken(file, line, "contract broken: %s", what);
}

static struct held *find(const void *lock)
{
    for (unsigned i = n_held; i > 0; i--)
        if (held[i - 1].lock == lock)
            return &held[i - 1];
    return NULL;
}

bool ts_lock_held(const void *lock)
{
    return find(lock) != NULL;
}

bool ts_lock_held_alone(const void *lock)
{
    const struct held *h = find(lock);
    return h && h->alone;
}

/* Whether a second lock of the rank may be taken after the first. */
static bool may_join(enum ts_lock_rank rank, const void *first, const void *second)
{
    if (ranks[rank].allowed & TS_LOCK_BY_ADDRESS)
        return (uintptr_t)first < (uintptr_t)second;
    return ranks[rank].allowed & TS_LOCK_PEERS;
}

void ts_lock_taking(const void *lock, enum ts_lock_rank rank, const char *file, int line)
{
    const struct held *own = find(lock);
    if (rank == TS_RANK_NONE)
        broken(file, line, "a lock that was not made is taken");
    if (own)
        broken(file, line, "lock %s is taken again, which is held since %s:%d", ranks[rank].name, own->file, own->line);
    for (unsigned i = 0; i < n_held; i++) {
        const struct held *h = &held[i];
        if (h->rank > rank || (h->rank == rank && !may_join(rank, h->lock, lock)))
            broken(file, line, "lock %s is taken while %s is held, since %s:%d; its rank is %s", ranks[rank].name,
                   ranks[h->rank].name, h->file, h->line, h->rank == rank ? "the same" : "lower");
    }
}

void ts_lock_taken(const void *lock, enum ts_lock_rank rank, bool alone, const char *file, int line)
{
    if (n_held == MOST_HELD)
        broken(file, line, "lock %s is taken with %d others", ranks[rank].name, MOST_HELD);
    held[n_held++] = (struct held){.lock = lock, .rank = rank, .alone = alone, .file = file, .line = line};
}

void ts_lock_released(const void *lock, enum ts_lock_rank rank, const char *file, int line)
{
    struct held *h = find(lock);
    if (!h)
        broken(file, line, "lock %s is released without being held", ranks[rank].name);
    n_held--;
    for (; h < held + n_held; h++)
        h[0] = h[1];
}

void ts_lock_waits(const void *lock, enum ts_lock_rank rank, const char *file, int line)
{
    const struct held *h = find(lock);
    if (!h)
        broken(file, line, "waiting with lock %s, which is not held", ranks[rank].name);
    if (h != held + n_held - 1)
        broken(file, line, "waiting with lock %s while %s is held, since %s:%d", ranks[rank].name,
               ranks[h[1].rank].name, h[1].file, h[1].line);
}

void ts_lock_none_but(int allowed, const char *doing, const char *file, int line)
{
    for (unsigned i = 0; i < n_held; i++)
        if (!(ranks[held[i].rank].allowed & allowed))
            broken(file, line, "%s while lock %s is held, since %s:%d", doing, ranks[held[i].rank].name, held[i].file,
                   held[i].line);
}
#endif
