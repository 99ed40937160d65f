/* Global heap collections: variable-length elements, region references, virtual dataset mappings. */
#ifndef TS_HEAP_GLOBAL_HEAP_H
#define TS_HEAP_GLOBAL_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

struct ts_gheap;

/* A collection, pinned in the metadata cache. Keep it open while reading many of its objects. */
int ts_gheap_open(struct ts_file *f, haddr_t addr, struct ts_gheap **out);
void ts_gheap_close(struct ts_gheap *heap); /* NULL is fine */
haddr_t ts_gheap_addr(const struct ts_gheap *heap);
/* An object's bytes, borrowed until the collection is closed or changed. */
int ts_gheap_get(const struct ts_gheap *heap, uint32_t index, const uint8_t **data, size_t *size);

/* A copy of one object, from ts_malloc. */
int ts_gheap_read(struct ts_file *f, haddr_t collection, uint32_t index, void **data, size_t *size);

/* Changes. */

/* Adds many objects under one change, which lasts from begin to end: no application code, filters or raw I/O in
 * between. */
struct ts_gheap_writer {
    struct ts_file *file;
    struct ts_gheap *open;      /* the collection that objects go to now */
    size_t next_size;           /* of a new collection: larger ones when there is much to store */
    struct ts_gheap_bulk *bulk; /* where they go in its place when there is very much */
};

int ts_gheap_begin(struct ts_gheap_writer *w, struct ts_file *f);
/* Once more after its end: it remembers whether there was much to store. */
int ts_gheap_begin_again(struct ts_gheap_writer *w);
/* Where the object is from now on. `size` may be 0. */
int ts_gheap_put(struct ts_gheap_writer *w, const void *data, size_t size, haddr_t *collection, uint32_t *index);
/* status is that of all since begin; returns it, or the failure of ending the change. */
int ts_gheap_end(struct ts_gheap_writer *w, int status);

/* One object, as a change of its own (nested ones are fine). */
int ts_gheap_insert(struct ts_file *f, const void *data, size_t size, haddr_t *collection, uint32_t *index);
/* One reference less; without any the object is gone, and so is a collection without objects. */
int ts_gheap_remove(struct ts_file *f, haddr_t collection, uint32_t index);
/* The same for an id that may be anything: when there is no such object nothing happens. 1 when the collection went
 * with it: no other id of it may be discarded in the same change, for the file still has it. */
int ts_gheap_discard(struct ts_file *f, haddr_t collection, uint32_t index);

/* Negative and an error when objects overlap or the books are wrong. */
int ts_gheap_verify(const struct ts_gheap *heap);

#endif
