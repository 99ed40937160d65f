/* What the files of this folder tell each other. */
#ifndef TS_FILE_INTERNAL_H
#define TS_FILE_INTERNAL_H

#include "file/file.h"

/* In the first byte of the superblock's consistency flags. */
enum {
    TS_FLAG_WRITING = 1,
    TS_FLAG_LIFE = 2, /* the SWMR writer has the driver's lock of life; stock libhdf5 looks at the other two only */
    TS_FLAG_SWMR_WRITING = 4,
    TS_FLAGS_OPEN = 7
};

/* Who else may have the file: somebody; a SWMR writer, because others would have a lock; that and readers, to one that
 * wants to be a SWMR writer; nobody, as the application says. */
enum ts_who { TS_MAYBE_SHARED, TS_LOCKED, TS_AMONG_READERS, TS_SWORN_ALONE };

/* head.c: finds and reads the superblock of a file that was just opened, and its end; finishes what a commit that was
 * cut short left in its journal. */
int ts_file_read_head(struct ts_file *f, enum ts_who who);

/* io.c: all writing of the library, at absolute addresses; write.c is on top of it. */
int ts_file_put(struct ts_file *f, const struct ts_io_out *v, size_t n);
int ts_file_cut(struct ts_file *f, haddr_t eof);
/* The bytes lie inside the file. */
int ts_file_check_range(struct ts_file *f, haddr_t addr, size_t size);
/* Pieces that are read or written at a time. */
enum { TS_IO_BATCH = 64 };

/* durability.c */

/* The level in force, from the file's access list. Fails when the driver cannot give it. */
int ts_file_agree_durability(struct ts_file *f);
/* The file was opened again with this list: it may ask for a higher level than the first time. */
int ts_file_raise_durability(struct ts_file *f, const struct ts_plist *fapl);
/* What was written before is on the disk, and nothing that is written later gets there before it; nothing at the level
 * PROCESS. A failure breaks the file. */
int ts_file_barrier(struct ts_file *f);
/* At any level; for what is left of a writer that may have had a higher one. */
int ts_file_barrier_always(struct ts_file *f);

/* swmr.c */

/* The driver can do what SWMR needs. */
bool ts_file_swmr_able(struct ts_file *f);
bool ts_file_sworn_alone(const struct ts_plist *fapl);
/* Locks the file against other processes. */
int ts_file_lock_out(struct ts_file *f, enum ts_who *who);
/* Whether what the superblock says about writers lets us in; takes the lock of life if that is the proof. */
int ts_file_admit(struct ts_file *f, enum ts_who who);
/* Fails when a SWMR writer lives, or readers are left, in a file that is about to be made anew. */
int ts_file_unwatched(struct ts_file *f, enum ts_who who);

/* bounds.c */

/* What is made in the file from now on has checksums. */
int ts_file_raise_format(struct ts_file *f);
/* Of a file that was just opened: its access list says the low bound, and its superblock has been read. */
int ts_file_read_low_bound(struct ts_file *f);
int ts_file_agree_bounds(struct ts_file *f);

/* mark.c */

/* Of the superblock on file: there is none yet. */
bool ts_file_is_new(const struct ts_superblock *stored);
int ts_file_put_superblock(struct ts_file *f, const struct ts_superblock *sb);
int ts_file_put_encoded(struct ts_file *f, const struct ts_wr *superblock);
/* What the superblock says while the file is open. What a dead SWMR writer left there goes before a plain one writes:
 * its readers do without a journal. */
uint32_t ts_file_open_flags(const struct ts_file *f, uint32_t flags);
/* Says in the file that it is open for writing, before anything else is written. */
int ts_file_mark(struct ts_file *f);

/* alloc.c */

/* What lies before `committed` is on file. */
int ts_alloc_new(struct ts_file *f, haddr_t committed);
void ts_alloc_drop(struct ts_file *f);
/* The end of the file once what is free at its end is cut off, what waits for the commit included. */
haddr_t ts_alloc_end_after(struct ts_file *f);
/* Gives each region of the driver the length it will have, for drivers that have regions. */
int ts_alloc_cut_regions(struct ts_file *f);
/* Whether the next commit makes space free that the last one needs. */
bool ts_alloc_frees(const struct ts_file *f);
/* What was fresh is on file, what was freed may be used again; the end is as ts_alloc_end_after said. */
void ts_alloc_committed(struct ts_file *f);

#endif
