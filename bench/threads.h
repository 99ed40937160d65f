/* The cases of bench/threads and what runs them.
 *
 * A case is measured by a team: n threads of one process that share what `open` made. Beside it n teams of one thread
 * each may be measured, each a process with files of its own; so the same program tells what the machine gives. All
 * begin at one barrier, and the time is that from the first who begins to the last who ends, with what `close` does. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "bench.h"

#include <stdint.h>

enum { MOST_THREADS = 128 };

struct team {
    char path[4096]; /* of a file of its own, and the beginning of the names of more */
    unsigned n;      /* threads */
    unsigned part;   /* all sizes are divided by it */
    hid_t file, dset[MOST_THREADS];
    void *buffers[MOST_THREADS]; /* one a thread, as the case wants */
    long wrong[MOST_THREADS];    /* values, and calls that failed */
    void *more;                  /* the case's */
};

enum case_kind {
    TEAM_ONLY,    /* what stock libhdf5 does not have, or what processes of their own would not show */
    TEAM_OR_MANY, /* also as processes */
    CORES,        /* one thread, and the process has n cores; the result is seconds */
};

struct thread_case {
    const char *title, *unit;
    enum case_kind kind;
    /* Files that a case reads: made once for each team. NULL: none. */
    void (*prepare)(struct team *t);
    /* Before each round, and not timed. */
    void (*open)(struct team *t);
    /* The work of thread i; returns how much that was, in the unit. */
    double (*work)(struct team *t, unsigned i);
    /* Timed, by one thread, when all others are through; NULL: nothing. */
    void (*close)(struct team *t);
    /* After each round, not timed: counts wrong values, closes what is open. */
    void (*check)(struct team *t);
};

/* Arrays of cases that end with one without a title. */
extern const struct thread_case metadata_cases[], raw_data_cases[];

/* A file access list with so many workers for chunks; -1: as many as the library takes by itself. */
hid_t access_with_workers(int workers);
/* Counts a call that failed, or says no. */
static inline void must(struct team *t, unsigned i, int good)
{
    t->wrong[i] += !good;
}

#endif
