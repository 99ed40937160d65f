/* Fractal heaps: links of dense groups, dense attributes, shared messages. */
#ifndef TS_HEAP_FRACTAL_HEAP_H
#define TS_HEAP_FRACTAL_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "file/file.h"

struct ts_fheap;

/* The header, pinned in the metadata cache until ts_fheap_close. */
int ts_fheap_open(struct ts_file *f, haddr_t addr, struct ts_fheap **out);
void ts_fheap_close(struct ts_fheap *heap);

/* Bytes of an object's id in this heap. */
size_t ts_fheap_id_size(const struct ts_fheap *heap);
/* Appends the object's bytes to out. id may be longer than the heap's ids, never shorter. */
int ts_fheap_read(struct ts_fheap *heap, const uint8_t *id, size_t id_size, struct ts_wr *out);
/* Bytes the heap takes in the file: header, indirect and direct blocks, huge objects and their B-tree. */
int ts_fheap_storage(struct ts_fheap *heap, uint64_t *bytes);

/* Changes; inside ts_change_begin/end. */

/* What a heap is made for. Sizes in bytes; those of blocks are powers of 2. */
struct ts_fheap_params {
    unsigned id_size, width, start_rows, heap_bits;
    uint64_t start_block, max_direct;
    uint32_t max_managed;   /* greater objects are huge */
    const uint8_t *filters; /* a filter pipeline message, or NULL */
    size_t filter_size;
};

/* As libhdf5 makes them. */
extern const struct ts_fheap_params ts_fheap_for_links, ts_fheap_for_attrs; /* the latter for shared messages, too */

int ts_fheap_create(struct ts_file *f, const struct ts_fheap_params *params, haddr_t *addr);
/* An object of at least 1 byte. An error when ids in this heap are not of id_size bytes. */
int ts_fheap_insert(struct ts_fheap *heap, const void *data, size_t size, uint8_t *id, size_t id_size);
/* The same for many: those that fit one behind the other go into a block together. */
struct ts_fheap_object {
    const void *data;
    size_t size;
    uint8_t *id;
};
int ts_fheap_insert_many(struct ts_fheap *heap, const struct ts_fheap_object *objects, size_t n, size_t id_size);
/* Other bytes for an object; the id changes when the size does, or when the object is in its id, so it must be stored
 * again: returns 1 then, else 0. */
int ts_fheap_replace(struct ts_fheap *heap, uint8_t *id, size_t id_size, const void *data, size_t size);
int ts_fheap_remove(struct ts_fheap *heap, const uint8_t *id, size_t id_size);
/* The heap with all its blocks and huge objects. It must not be open. */
int ts_fheap_delete(struct ts_file *f, haddr_t addr);

/* Negative and an error when the blocks, the free space and the header's numbers contradict each other. */
int ts_fheap_verify(struct ts_fheap *heap);

#endif
