/* What the files of this folder that keep chunks (chunks.c, evict.c, write_back.c, encode_ahead.c, shared_cache.c) have
 * in common. All with the cache's lock, unless it says otherwise. */
#ifndef TS_CHUNK_CHUNK_PARTS_H
#define TS_CHUNK_CHUNK_PARTS_H

#include "chunk/chunks.h"

/* Chunks that are written in one go to make room. */
enum { TS_SC_BATCH = 64 };

void ts_sc_list_add_newest(struct ts_sc_list *l, struct ts_sc_chunk *c, int kind);
void ts_sc_list_add_oldest(struct ts_sc_list *l, struct ts_sc_chunk *c, int kind);
/* Fine when it is in none. */
void ts_sc_list_remove(struct ts_sc_chunk *c, int kind);

uint64_t ts_sc_key(const struct ts_sc_dset *dset, const hsize_t *scaled);
struct ts_sc_chunk *ts_sc_find(const struct ts_sc_dset *dset, const hsize_t *scaled);
/* Enters it into its dataset; -1 when memory is short. */
int ts_sc_enter(struct ts_sc_chunk *c);
/* Takes it out of its dataset and of all lists; it is no longer dirty. It stays counted. */
void ts_sc_take(struct ts_sc_chunk *c);
/* Brings what its buffers have become into the sums. */
void ts_sc_count(struct ts_sc_chunk *c);
void ts_sc_uncount(struct ts_sc_chunk *c);
void ts_sc_set_clean(struct ts_sc_chunk *c);
void ts_sc_busy_begin(struct ts_sc_chunk *c);
void ts_sc_busy_end(struct ts_sc_chunk *c);
void ts_sc_pin(struct ts_sc_chunk *c);
/* All bytes of its data are what they should be. */
void ts_sc_complete(struct ts_sc_chunk *c);
/* The end of a pin during which the lock was held all the while, and nothing has changed. */
void ts_sc_unpin_used(struct ts_sc_chunk *c, bool whole);
/* The end of a pin whose owner has changed these bytes. There was no encoded copy, and the chunk is as large as
 * before. */
void ts_sc_unpin_changed(struct ts_sc_chunk *c, const struct ts_sc_use *use);
/* It was used just now. */
void ts_sc_used_now(struct ts_sc_chunk *c, bool whole);
/* One that nobody uses goes where its time and use say. */
void ts_sc_put_into_lists(struct ts_sc_chunk *c);

/* Chunks that were taken, in a chain. Until they are freed their datasets cannot be closed. */
struct ts_sc_doomed {
    struct ts_sc_chunk *first;
};
void ts_sc_doom(struct ts_sc_doomed *d, struct ts_sc_chunk *c);
/* Lets the lock go for a moment when there are any. */
void ts_sc_doomed_free(struct ts_sc *cache, struct ts_sc_doomed *d);

/* Bytes of a dataset that others do not push out. */
size_t ts_sc_reserve(const struct ts_sc_dset *dset);
/* The oldest that are sheltered may leave again: so many bytes of them. */
void ts_sc_unshelter(struct ts_sc_dset *dset, size_t bytes);
/* Lets chunks leave until there are no more bytes than the limit; lets the lock go meanwhile. */
void ts_sc_make_room(struct ts_sc *cache, const struct ts_sc_dset *for_dset, size_t limit);
/* To be called when reserves or settings have changed. */
void ts_sc_set_budget(struct ts_sc *cache);

/* Without the lock, all busy and staying so: encodes and writes them. Each is clean then, or stuck; not even that when
 * memory was short before anything was tried. */
int ts_sc_write_batch(struct ts_sc *cache, struct ts_sc_chunk *const *chunks, size_t n);
/* Without the lock: the disk format of a busy chunk. */
int ts_sc_encode(const struct ts_sc_chunk *c, struct ts_sc_coded *out);
bool ts_sc_is_coded(const struct ts_sc_dset *dset);
/* Gives a busy chunk its disk format. */
void ts_sc_set_encoded(struct ts_sc_chunk *c, const struct ts_sc_coded *coded, bool preemptive);
void ts_sc_drop_encoded(struct ts_sc_chunk *c);

/* Into the list of those that wait to be encoded, when it is one; and out. */
void ts_sc_await_encoding(struct ts_sc_chunk *c);
void ts_sc_unawait_encoding(struct ts_sc_chunk *c);
/* Begins to encode ahead when enough waits. Lets the lock go for a moment. */
void ts_sc_encode_ahead(struct ts_sc *cache);
/* Most likely nobody changes it any more: it is encoded soon, or at once by a caller who has no workers. Lets the lock
 * go meanwhile. */
void ts_sc_finished(struct ts_sc_chunk *c);

#endif
