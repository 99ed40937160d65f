/* One workload, recorded: what was written, and which states it went through. */
#ifndef TESTS_CRASH_RUN_H
#define TESTS_CRASH_RUN_H

#include "crash/model.h"
#include "crash/workload.h"

struct run {
    unsigned seed, operations, how;
    bool stock;     /* begins with a file of stock libhdf5 */
    unsigned rules; /* switched off: TS_MUTATION_* */
    bool whole;     /* no writes cut in two */
    unsigned step;  /* of so many images one is looked at, where not all are */
};

/* The recording has a mark for each state, and goes on until recorder_stop. The model keeps the world. */
void run_record(const struct run *r, const char *path, struct model *m, struct world *world);

#endif
