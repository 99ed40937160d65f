/* Rules that keep a file whole through a crash, which tests switch off to see that they find it. */
#ifndef TS_FILE_MUTATION_H
#define TS_FILE_MUTATION_H

#include <stdbool.h>

enum ts_mutation {
    TS_MUTATION_NONE = 0,
    TS_MUTATION_IN_PLACE_FIRST = 1, /* before fresh blocks */
    TS_MUTATION_NO_JOURNAL = 2,
    TS_MUTATION_CUT_JOURNAL_FIRST = 4, /* before the writes in place */
    TS_MUTATION_REUSE_FREED = 8,       /* at once */
    TS_MUTATION_SUPERBLOCK_FIRST = 16,
    TS_MUTATION_CHUNK_IN_PLACE = 32, /* filtered ones too, when they fit */
    TS_MUTATION_INDEX_FIRST = 64,    /* names chunks that are not on file yet */
    TS_MUTATION_NO_DEPENDENCIES = 128,
    TS_MUTATION_NO_SHADOWS = 512,    /* for SWMR readers: only what a split or merge needs */
    TS_MUTATION_ALWAYS_BLANK = 1024, /* new chunks in used space too: what was there shows where nothing is written */
    TS_MUTATION_NO_WIPE = 2048,      /* a SWMR writer's journals count on behind the end */
    TS_MUTATION_NO_BARRIER_DATA =
        131072, /* between raw data and fresh blocks, and the journal or the write that names them */
    TS_MUTATION_NO_BARRIER_AHEAD = 4096,   /* between the journal and the writes in place */
    TS_MUTATION_NO_BARRIER_BEHIND = 8192,  /* between those and the end of the journal, or of the flush */
    TS_MUTATION_NO_BARRIER_FREED = 262144, /* the same where there is no journal, but space is freed */
    TS_MUTATION_NO_BARRIER_RAW = 16384,    /* at the end of a flush that had only raw data */
    TS_MUTATION_NO_BARRIER_CLOSE = 32768,  /* after the journal went for the last time */
    TS_MUTATION_NO_BARRIER_REPLAY = 65536, /* between what an open finishes and the end of that journal */
    TS_MUTATION_NO_MARK = 524288,          /* readers that know no journal take half a commit for whole */
    TS_MUTATION_UNMARK_FIRST = 1048576,    /* before the writes in place */
    TS_MUTATION_END_FIRST = 256, /* the superblock of a longer file after fresh blocks, before those in place */
};

#ifdef TS_MUTATIONS
extern unsigned ts_mutations;

static inline bool ts_mutation(enum ts_mutation which)
{
    return (ts_mutations & which) != 0;
}
#else
#define ts_mutation(which) false
#endif

#endif
