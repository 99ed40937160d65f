/* What may be in the file: the states that a workload went through, and whether a file shows one of them. */
#ifndef TESTS_CRASH_MODEL_H
#define TESTS_CRASH_MODEL_H

#include "dump.h"
#include "workload.h"

struct state {
    struct dump dump;
    uint64_t tick;
    bool flushed; /* the file has had at least this from then on */
};

/* States are numbered from 1; 0 is no file. */
struct model {
    struct state *states;
    unsigned n;
    const struct world *world; /* at the end */
    bool mixed; /* metadata may be on file before elements: any state since the last flush, elements of any of them */
    char why[4096]; /* what was wrong with the file that was last looked at */
};

void model_add(struct model *m, const struct world *world, hid_t file, bool flushed);
void model_free(struct model *m);

/* Whether what the file shows is right when `last` was the last state to be noted. With `torn` an element may be made of
 * bytes of two. */
bool model_allows(struct model *m, hid_t file, unsigned last, bool torn);
/* The same with a state that may be any flush's before. */
bool model_allows_any(struct model *m, hid_t file, unsigned last, bool torn);
/* The same of what another library saw. */
bool model_allows_dump(struct model *m, const struct dump *got, unsigned last, bool torn);
/* Opens it with these flags, looks and closes. */
bool model_allows_file(struct model *m, const char *path, unsigned flags, unsigned last, bool torn);

#endif
