/* What the files of fractal heaps share. */
#ifndef TS_HEAP_FHEAP_H
#define TS_HEAP_FHEAP_H

#include <stdbool.h>

#include "filter/pipeline.h"
#include "format/fractal_heap.h"
#include "format/free_space.h"
#include "heap/fractal_heap.h"
#include "heap/gaps.h"

struct ts_blocks;

struct ts_fheap {
    struct ts_file *file;
    haddr_t addr;
    struct ts_pipeline pipeline;
    uint8_t *filters; /* the message */
    /* Free space, for changes. Without space_known it may be that of a change that was undone, and means nothing. */
    struct ts_gaps gaps;   /* inside direct blocks */
    struct ts_gaps absent; /* blocks before the iterator that are not there: `size` is what one object can have in it,
                            * `block` how much of the heap it stands for */
    /* What a change keeps as it was begins with the header. */
    struct ts_fheap_header header; /* its filters are those above */
    struct ts_free_space manager;
    bool space_known;
    bool space_changed;  /* the manager in the file is to be written again */
    bool manager_placed; /* there is room in the file for it as it is */
};

/* A block with the objects. */
struct ts_fheap_direct {
    struct ts_file *file;
    haddr_t heap;
    uint64_t offset, size;
    struct ts_fheap_header shape; /* of the heap when the block came into memory: for what never changes */
    uint8_t *buf;
    /* What a change keeps as it was begins here. */
    haddr_t addr;
    uint64_t length; /* in the file; other than size when the heap has filters */
    uint8_t *stored; /* filtered, from settling on until the block is changed */
};

struct ts_fheap_indirect {
    struct ts_fheap_header shape;
    /* What a change keeps as it was begins here. Of the children it keeps those that it changes. */
    haddr_t addr;
    struct ts_fheap_place place;
    struct ts_fheap_child *children;
};

/* Each block of a heap is at most half as large as the one above. */
#define TS_FHEAP_MAX_DEPTH 64

/* The indirect blocks above a place in the heap, from the root on, pinned until ts_fheap_path_release. */
struct ts_fheap_path {
    struct ts_fheap *heap;
    unsigned depth;
    struct {
        struct ts_fheap_indirect *block;
        size_t entry; /* the child on the way */
    } at[TS_FHEAP_MAX_DEPTH];
    /* The child of the last: a direct block, or one that is not there. */
    uint64_t offset, size;
    bool direct;
    struct ts_fheap_child child;
};

/* fractal_heap.c */
/* The header or the free space is about to be changed. */
int ts_fheap_edit(struct ts_fheap *heap);
/* Keeps what a change of either may touch, but for the gaps. */
int ts_fheap_keep(struct ts_fheap *heap);
/* A stretch of the file that went through the heap's filters, if it has any. *buf is from ts_malloc. */
/* Of blocks and huge objects; filters of the application get to no file meanwhile. */
extern const struct ts_filter_options ts_fheap_coding;
int ts_fheap_read_filtered(const struct ts_fheap *heap, const struct ts_fheap_extent *e, uint8_t **buf);

/* fheap_block.c */
int ts_fheap_path_find(struct ts_fheap *heap, uint64_t target, struct ts_fheap_path *path);
void ts_fheap_path_release(struct ts_fheap_path *path);
/* The direct block at the end of a path, pinned. */
int ts_fheap_direct_pin(const struct ts_fheap_path *path, struct ts_fheap_direct **out);
/* The same for reading, without keeping the blocks above. */
int ts_fheap_direct_find(struct ts_fheap *heap, uint64_t target, struct ts_fheap_direct **out);
void ts_fheap_direct_unpin(struct ts_fheap_direct *d);
/* Bytes of the direct block are about to be changed: makes it dirty, and orders the writes of those above behind it. */
int ts_fheap_direct_edit(const struct ts_fheap_path *path, struct ts_fheap_direct *d, uint64_t at, size_t size);
/* The same for one child of an indirect block. */
int ts_fheap_child_edit(struct ts_fheap *heap, struct ts_fheap_indirect *b, size_t entry);
int ts_fheap_indirect_pin(struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place,
                          struct ts_fheap_indirect **out);
int ts_fheap_no_table(const struct ts_fheap *heap, uint64_t size);

/* fheap_grow.c */
/* Bytes for objects in an absent block: in all direct blocks of it, and in the largest of them. */
uint64_t ts_fheap_room_in(const struct ts_fheap_header *h, uint64_t block, bool direct);
uint64_t ts_fheap_most_in(const struct ts_fheap_header *h, uint64_t block, bool direct);
/* Adds a direct block with a gap of at least `size` bytes. */
int ts_fheap_grow(struct ts_fheap *heap, uint64_t size);
/* The direct block at the end of the path has no objects: it goes, and so do those above that are empty then. */
int ts_fheap_drop_block(struct ts_fheap_path *path);
/* All blocks go. */
int ts_fheap_drop_all(struct ts_fheap *heap);

/* fheap_space.c */
int ts_fheap_know_space(struct ts_fheap *heap);
void ts_fheap_forget_space(struct ts_fheap *heap);
/* Where the manager stands from now on; the header's address of it is set. */
int ts_fheap_place_manager(struct ts_fheap *heap);
int ts_fheap_encode_manager(const struct ts_fheap *heap, struct ts_blocks *out);
int ts_fheap_drop_manager(struct ts_fheap *heap);
/* Adds what the manager takes in the file. */
int ts_fheap_manager_storage(const struct ts_fheap *heap, uint64_t *bytes);

/* fheap_huge.c */
int ts_fheap_huge_read(struct ts_fheap *heap, struct ts_fheap_id *id, struct ts_wr *out);
int ts_fheap_huge_insert(struct ts_fheap *heap, const void *data, size_t size, struct ts_fheap_id *id);
int ts_fheap_huge_replace(struct ts_fheap *heap, struct ts_fheap_id *id, const void *data, size_t size);
int ts_fheap_huge_remove(struct ts_fheap *heap, struct ts_fheap_id *id);
int ts_fheap_huge_delete(struct ts_fheap *heap);

#endif
