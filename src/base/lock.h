/* Locks that know their place, and contracts that are checked while a development build runs.
 *
 * Every lock of the library has a rank; a thread that holds one may wait only for locks of higher ranks, so that no
 * threads wait for each other in a circle. The table below is the order. In builds with TS_CONTRACTS each thread
 * remembers what it holds: a lock taken against the order, released without being held, or held where it must not be
 * ends the program with a message that says which. In other builds all this is the system's own locks, at their
 * cost. */
#ifndef TS_BASE_LOCK_H
#define TS_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* What may happen while a lock is held. */
enum {
    TS_LOCK_MOMENT = 0,
    TS_LOCK_RAW_IO = 1,     /* raw data is read, written or coded */
    TS_LOCK_CALLBACKS = 2,  /* the application's functions run, which may call the library again */
    TS_LOCK_PEERS = 4,      /* others of the same rank are taken, in an order of their own */
    TS_LOCK_BY_ADDRESS = 8, /* others of the same rank are taken, if they lie behind it in memory */
};

/* In the order in which they may be taken; docs/invariants.md has the same table with words. */
#define TS_LOCKS(LOCK)                                                                                                 \
    LOCK(API_START, TS_LOCK_RAW_IO | TS_LOCK_CALLBACKS)                                                                \
    LOCK(API_HOOKS, TS_LOCK_MOMENT)                                                                                    \
    LOCK(ERROR_STACK, TS_LOCK_MOMENT)                                                                                  \
    LOCK(DATASET_ORDER, TS_LOCK_RAW_IO | TS_LOCK_CALLBACKS | TS_LOCK_PEERS)                                            \
    LOCK(EVENTS, TS_LOCK_MOMENT)                                                                                       \
    LOCK(VIRTUAL_SOURCES, TS_LOCK_MOMENT)                                                                              \
    LOCK(FILE_SETUP, TS_LOCK_MOMENT)                                                                                   \
    LOCK(FILE, TS_LOCK_BY_ADDRESS)                                                                                     \
    LOCK(META, TS_LOCK_MOMENT)                                                                                         \
    LOCK(DATASET_TABLE, TS_LOCK_MOMENT)                                                                                \
    LOCK(DATASET, TS_LOCK_MOMENT)                                                                                      \
    LOCK(CHUNK_CACHES, TS_LOCK_MOMENT)                                                                                 \
    LOCK(CHUNK_CACHE, TS_LOCK_MOMENT)                                                                                  \
    LOCK(FILE_REGISTRY, TS_LOCK_MOMENT)                                                                                \
    LOCK(MOUNTS, TS_LOCK_MOMENT)                                                                                       \
    LOCK(OPEN_OBJECTS, TS_LOCK_MOMENT)                                                                                 \
    LOCK(FILE_MARK, TS_LOCK_MOMENT)                                                                                    \
    LOCK(FILE_GATHERED, TS_LOCK_RAW_IO)                                                                                \
    LOCK(PLUGINS, TS_LOCK_MOMENT)                                                                                      \
    LOCK(FILTERS, TS_LOCK_MOMENT)                                                                                      \
    LOCK(LINK_CLASSES, TS_LOCK_MOMENT)                                                                                 \
    LOCK(PLIST, TS_LOCK_PEERS)                                                                                         \
    LOCK(PLIST_CLASS, TS_LOCK_PEERS)                                                                                   \
    LOCK(CONVERSIONS, TS_LOCK_MOMENT)                                                                                  \
    LOCK(SELECTION_ITERATOR, TS_LOCK_MOMENT)                                                                           \
    LOCK(SPACE, TS_LOCK_MOMENT)                                                                                        \
    LOCK(RUN_LIST, TS_LOCK_MOMENT)                                                                                     \
    LOCK(ID_TYPES, TS_LOCK_MOMENT)                                                                                     \
    LOCK(IDS, TS_LOCK_MOMENT)                                                                                          \
    LOCK(DRIVER_USER_FILES, TS_LOCK_MOMENT)                                                                            \
    LOCK(DRIVER_USER, TS_LOCK_MOMENT)                                                                                  \
    LOCK(DRIVER_FAMILY, TS_LOCK_MOMENT)                                                                                \
    LOCK(DRIVER_CORE_FLUSH, TS_LOCK_MOMENT)                                                                            \
    LOCK(DRIVER_CORE, TS_LOCK_MOMENT)                                                                                  \
    LOCK(DRIVER_SPLITTER_LOG, TS_LOCK_MOMENT)                                                                          \
    LOCK(POOL, TS_LOCK_MOMENT)

enum ts_lock_rank {
#define TS_LOCK_RANK_(name, flags) TS_RANK_##name,
    TS_RANK_NONE, /* of a lock that was not made */
    TS_LOCKS(TS_LOCK_RANK_)
#undef TS_LOCK_RANK_
        TS_RANKS
};

#ifdef TS_CONTRACTS
#define TS_CONTRACTS_ONLY(...) __VA_ARGS__
#else
#define TS_CONTRACTS_ONLY(...)
#endif

struct ts_mutex {
    pthread_mutex_t raw;
    TS_CONTRACTS_ONLY(enum ts_lock_rank rank;)
};

/* Many readers, or one writer. */
struct ts_rwlock {
    pthread_rwlock_t raw;
    TS_CONTRACTS_ONLY(enum ts_lock_rank rank;)
};

#define TS_MUTEX_INIT(rank_)                                                                                           \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER TS_CONTRACTS_ONLY(, rank_)                                                           \
    }
#define TS_RWLOCK_INIT(rank_)                                                                                          \
    {                                                                                                                  \
        PTHREAD_RWLOCK_INITIALIZER TS_CONTRACTS_ONLY(, rank_)                                                          \
    }

void ts_mutex_init(struct ts_mutex *m, enum ts_lock_rank rank);
/* One that is held for nanoseconds: who finds it taken spins for a while. */
void ts_mutex_init_spinning(struct ts_mutex *m, enum ts_lock_rank rank);
void ts_mutex_deinit(struct ts_mutex *m);
void ts_rwlock_init(struct ts_rwlock *l, enum ts_lock_rank rank);
void ts_rwlock_deinit(struct ts_rwlock *l);

#ifdef TS_CONTRACTS
/* Where something is asked of a lock, for the message. */
#define TS_HERE __FILE__, __LINE__
void ts_lock_taking(const void *lock, enum ts_lock_rank rank, const char *file, int line);
void ts_lock_taken(const void *lock, enum ts_lock_rank rank, bool alone, const char *file, int line);
void ts_lock_released(const void *lock, enum ts_lock_rank rank, const char *file, int line);
void ts_lock_waits(const void *lock, enum ts_lock_rank rank, const char *file, int line);
#define TS_TAKING(l) ts_lock_taking((l), (l)->rank, file, line)
#define TS_TAKEN(l, alone) ts_lock_taken((l), (l)->rank, (alone), file, line)
#define TS_RELEASED(l) ts_lock_released((l), (l)->rank, file, line)
#define TS_WAITS(l) ts_lock_waits((l), (l)->rank, file, line)
#define TS_AT_ , const char *file, int line
#else
#define TS_TAKING(l) (void)0
#define TS_TAKEN(l, alone) (void)0
#define TS_RELEASED(l) (void)0
#define TS_WAITS(l) (void)0
#define TS_AT_
#endif

static inline void ts_mutex_lock(struct ts_mutex *m TS_AT_)
{
    TS_TAKING(m);
    pthread_mutex_lock(&m->raw);
    TS_TAKEN(m, true);
}

static inline void ts_mutex_unlock(struct ts_mutex *m TS_AT_)
{
    TS_RELEASED(m);
    pthread_mutex_unlock(&m->raw);
}

static inline void ts_rwlock_read(struct ts_rwlock *l TS_AT_)
{
    TS_TAKING(l);
    pthread_rwlock_rdlock(&l->raw);
    TS_TAKEN(l, false);
}

static inline void ts_rwlock_write(struct ts_rwlock *l TS_AT_)
{
    TS_TAKING(l);
    pthread_rwlock_wrlock(&l->raw);
    TS_TAKEN(l, true);
}

/* Whoever does not wait may be out of order. */
static inline bool ts_rwlock_try_write(struct ts_rwlock *l TS_AT_)
{
    if (pthread_rwlock_trywrlock(&l->raw) != 0)
        return false;
    TS_TAKEN(l, true);
    return true;
}

static inline void ts_rwlock_unlock(struct ts_rwlock *l TS_AT_)
{
    TS_RELEASED(l);
    pthread_rwlock_unlock(&l->raw);
}

/* No lock that was taken after this one may be held: the wait would not give it back. */
static inline void ts_cond_wait(pthread_cond_t *cond, struct ts_mutex *m TS_AT_)
{
    TS_WAITS(m);
    pthread_cond_wait(cond, &m->raw);
}

bool ts_cond_clock_wait(pthread_cond_t *cond, pthread_mutex_t *raw, const struct timespec *end);
/* Until a moment of CLOCK_MONOTONIC; false when it came. */
static inline bool ts_cond_wait_until(pthread_cond_t *cond, struct ts_mutex *m, const struct timespec *end TS_AT_)
{
    TS_WAITS(m);
    return ts_cond_clock_wait(cond, &m->raw, end);
}

/* Contracts. Each is one line at the start of a function whose caller must have seen to it. What comes from a file or
 * from the application is never a matter of a contract, but of an error. */

void ts_contract_failed(const char *what, const char *file, int line) __attribute__((noreturn, cold));
bool ts_lock_held(const void *lock);
bool ts_lock_held_alone(const void *lock);
void ts_lock_none_but(int allowed, const char *doing, const char *file, int line);

#ifdef TS_CONTRACTS
#define ts_mutex_lock(m) ts_mutex_lock(m, TS_HERE)
#define ts_mutex_unlock(m) ts_mutex_unlock(m, TS_HERE)
#define ts_rwlock_read(l) ts_rwlock_read(l, TS_HERE)
#define ts_rwlock_write(l) ts_rwlock_write(l, TS_HERE)
#define ts_rwlock_try_write(l) ts_rwlock_try_write(l, TS_HERE)
#define ts_rwlock_unlock(l) ts_rwlock_unlock(l, TS_HERE)
#define ts_cond_wait(c, m) ts_cond_wait(c, m, TS_HERE)
#define ts_cond_wait_until(c, m, end) ts_cond_wait_until(c, m, end, TS_HERE)
#define TS_ASSERT(condition) ((condition) ? (void)0 : ts_contract_failed(#condition, __FILE__, __LINE__))
#define TS_NO_LOCKS_BUT(allowed, doing) ts_lock_none_but(allowed, doing, __FILE__, __LINE__)
#else
/* Seen by the compiler, and not by the machine. */
#define TS_ASSERT(condition) ((void)sizeof(!(condition)))
#define TS_NO_LOCKS_BUT(allowed, doing) ((void)0)
#endif

/* This thread has the lock; for reading or writing, or alone. */
#define TS_HELD(lock) TS_ASSERT(ts_lock_held(lock))
#define TS_HELD_ALONE(lock) TS_ASSERT(ts_lock_held_alone(lock))
#define TS_NOT_HELD(lock) TS_ASSERT(!ts_lock_held(lock))
/* Before a function of the application is called. */
#define TS_MAY_CALL_OUT() TS_NO_LOCKS_BUT(TS_LOCK_CALLBACKS, "calling a function of the application")
/* Before raw data is read, written, coded or converted. */
#define TS_MAY_MOVE_RAW_DATA() TS_NO_LOCKS_BUT(TS_LOCK_RAW_IO, "moving raw data")

#endif
