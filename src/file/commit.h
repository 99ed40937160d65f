/* Bringing changes to the file so that a crash at any write leaves it as it was before, or as it is after.
 *
 * Fresh blocks are written first: nothing on file points at them. What stands where something of the last commit stands
 * goes into a journal behind the end of the file, then the superblock is marked as one of a commit on its way, then it
 * goes in place, and the superblock again, last. An open that finds a mark and a whole journal finishes its work
 * (journal.h). */
#ifndef TS_FILE_COMMIT_H
#define TS_FILE_COMMIT_H

#include "file/blocks.h"
#include "file/file.h"

/* The blocks, each after those it points at, and the superblock. Raw data is in the file already. When this fails
 * before anything was written in place, nothing has changed and it may be tried again; else the file is broken and its
 * journal stays for the next open. Called with the lock. */
int ts_file_commit(struct ts_file *f, const struct ts_blocks *blocks);
/* On the way to a commit of many blocks, with the lock: those in fresh space go into the file and out of the list.
 * Nothing on file points at them, whether the commit comes or not. */
int ts_file_write_fresh(struct ts_file *f, struct ts_blocks *blocks);

#endif
