/* What the files of this folder tell each other. */
#ifndef TS_FILE_INTERNAL_H
#define TS_FILE_INTERNAL_H

#include "file/file.h"

/* In the first byte of the superblock's consistency flags. */
enum { TS_FLAG_WRITING = 1, TS_FLAG_SWMR_WRITING = 4, TS_FLAGS_KNOWN = 7 };

/* Who else may have the file: somebody; a SWMR writer, because others would have a lock; nobody, as the application
 * says. */
enum ts_who { TS_MAYBE_SHARED, TS_LOCKED, TS_SWORN_ALONE };

/* head.c: finds and reads the superblock of a file that was just opened, and its end; finishes what a commit that was cut
 * short left in its journal. */
int ts_file_read_head(struct ts_file *f, enum ts_who who);

/* io.c: all writing of the library, at absolute addresses. */
int ts_file_put(struct ts_file *f, const struct ts_io_out *v, size_t n);
int ts_file_cut(struct ts_file *f, haddr_t eof);

/* commit.c: says in the file that it is open for writing, before anything else is written. */
int ts_file_mark(struct ts_file *f);

/* alloc.c */

/* What lies before `committed` is on file. */
int ts_alloc_new(struct ts_file *f, haddr_t committed);
void ts_alloc_drop(struct ts_file *f);
/* The end of the file once what is free at its end is cut off, what waits for the commit included. */
haddr_t ts_alloc_end_after(struct ts_file *f);
/* Gives each region of the driver the length it will have, for drivers that have regions. */
int ts_alloc_cut_regions(struct ts_file *f);
/* What was fresh is on file, what was freed may be used again; the end is as ts_alloc_end_after said. */
void ts_alloc_committed(struct ts_file *f);

#endif
