/* Scenarios in which every allocation, every call of the driver and of a filter fails in turn. A scenario starts from a file that is
 * closed, makes its steps in it, does some work that has nothing to do with them, and closes it. Whatever fails on the way:
 * the call says so and has changed nothing, all else goes on, everything can be closed, and the file is in the end as if the
 * call that failed had not been made. Only what fails while a flush writes in place may end it: then the file opens as it
 * was after some of the steps, whole. */
#ifndef TESTS_FAULTS_FAULTS_H
#define TESTS_FAULTS_FAULTS_H

#define H5_USE_110_API 1
#include <hdf5.h>
#include <stdbool.h>

enum {
    FAULTS_LATEST = 1,  /* low library version bound: latest */
    FAULTS_OPENS = 2,   /* opening the file can fail too */
    FAULTS_CREATES = 4, /* `create` is what opens the file, whatever was there before */
    FAULTS_SMALL_CACHE = 8,
    FAULTS_SWMR = 16, /* opened by a SWMR writer that may create and delete */
    FAULTS_PARTS = 32 /* steps have parts: what the first does may be there when a later one fails */
};

struct scenario {
    const char *name;
    /* Makes the file that all starts from; NULL: there is none. */
    int (*make)(const char *path, hid_t fapl);
    hid_t (*create)(const char *path, hid_t fapl);
    /* One step, 0 when it was made. Without FAULTS_PARTS, nothing in the file changes before a call in it that can fail. */
    int (*step)(hid_t file, int step);
    int steps;
    unsigned flags;
    /* Steps that write elements may have written some when they fail: whether those that are there may be. */
    bool (*may_be)(hid_t file);
};

/* For steps: keeps an id, to be closed when the step is over, whether it failed or not. Returns it. */
hid_t keep(hid_t id);
#define KEEP(var, call)                                                                                                \
    hid_t var = keep(call);                                                                                            \
    if (var < 0)                                                                                                       \
    return -1
#define TRY(call)                                                                                                      \
    do                                                                                                                 \
        if ((call) < 0)                                                                                                \
            return -1;                                                                                                 \
    while (0)

/* The number of a filter of the application, which fails like everything else. */
#define FAULTS_FILTER 400

/* A file of the corpus, made by libhdf5, as the one to start from. */
int from_corpus(const char *name, const char *path);

int faults_main(int argc, char **argv, const struct scenario *scenarios, size_t n);

/* Everything in a file as text; addresses, times and how things are laid out left out. NULL: it does not open. */
char *dump_file(const char *path, bool values);

#endif
