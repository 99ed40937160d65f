/* Marks in the order of a chunk index that does not know how many chunks it has: where stretches of some 64 chunks
 * begin, and how many chunks each has. They are made when first needed, from all chunks, and follow every change; when
 * many chunks have come between others, or a change is undone, they are dropped, to be made anew.
 *
 * In a file that is open for writing with its lock. In one open for reading marks never change once they are there. */
#ifndef TS_INDEX_CHUNK_MARKS_H
#define TS_INDEX_CHUNK_MARKS_H

#include "index/chunk_kinds.h"

/* For an index that is there. */
int ts_chunk_marks_count(struct ts_chunk_index *ix, uint64_t *n);
int ts_chunk_marks_nth(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out);

/* A chunk that was not there came, one that was there went. Nothing to do when there are no marks. */
void ts_chunk_marks_added(struct ts_chunk_index *ix, const hsize_t *scaled);
void ts_chunk_marks_removed(struct ts_chunk_index *ix, const hsize_t *scaled);
void ts_chunk_marks_drop(struct ts_chunk_index *ix);

#endif
