/* The steps in which chunks of a batch come into memory. All return 0 or an error; after one, ts_sc_batch_end. */
#ifndef TS_CHUNK_LOAD_H
#define TS_CHUNK_LOAD_H

#include "chunk/batch.h"

/* Those in the cache become READY. Those that another thread loads become WAIT, or are waited for when the operation
 * changes them. */
int ts_sc_batch_find(struct ts_sc_batch *b);
/* Looks up where those are that are AWAY. */
int ts_sc_batch_locate(struct ts_sc_batch *b);
/* Makes room for what is to be made or loaded, and enters what is to be kept. */
int ts_sc_batch_enter(struct ts_sc_batch *b);
/* Makes those that are to be made; with fill values, unless the operation covers them. */
int ts_sc_batch_make(struct ts_sc_batch *b);
/* Reads the bytes of all that are to be loaded, in as few calls as can be. */
int ts_sc_batch_fetch(struct ts_sc_batch *b);
/* Whether workers are of use: for decoding what was fetched, or for moving scattered elements. */
bool ts_sc_batch_pays(const struct ts_sc_batch *b);
/* Fetches and decodes all that are to be loaded, then waits for those that others load. */
int ts_sc_batch_load(struct ts_sc_batch *b);
/* All these steps for chunks that exist and are to be changed in the cache. Those that do not exist become DONE. */
int ts_sc_batch_bring(struct ts_sc_batch *b);
/* Waits for those that others load. What they could not load is tried here. */
int ts_sc_batch_wait(struct ts_sc_batch *b);
/* The end of a batch, good or bad: all pins, held bytes and buffers go. Of an operation that changes chunks, those that
 * are still there may be half changed: what was made is dropped, the rest becomes dirty. */
void ts_sc_batch_end(struct ts_sc_batch *b);

/* Ends the use of those that are READY and in the cache; say tells how each was used. */
void ts_sc_batch_release(struct ts_sc_batch *b, struct ts_sc_use (*say)(const struct ts_sc_visit *v));

/* Decodes one. For any thread, as far as the layout allows; on failure it may be tried again by the caller's. */
int ts_sc_visit_load(struct ts_sc_batch *b, struct ts_sc_visit *v);
/* Frees what it holds that is not in the cache. */
void ts_sc_visit_drop(struct ts_sc_visit *v);
struct ts_sc_data *ts_sc_visit_data(struct ts_sc_visit *v);
struct ts_sc_move ts_sc_visit_move(const struct ts_sc_visit *v, struct ts_xfer *xfer);
/* Elements straight in the file, if the layout can: 1 when they are on their way, 0 when not. */
int ts_sc_visit_direct(struct ts_sc_batch *b, struct ts_sc_visit *v, const struct ts_sc_stored *at);

/* The file as a store whose accesses count in the cache's statistics; it is good for as long as the cache. */
struct ts_store ts_sc_store(struct ts_sc *cache);

#endif
