/* What an H5R_ref_t holds, and the stored form of the references that came with release 1.12.
 *
 * An element on disk: kind 1 (H5R_type_t) | flags 1 (bit 0: in another file) | then for an object of the same file the
 * block itself, for all others length 4, heap collection O, heap index 4 of the global heap object that is the block.
 * Block: token size 1 | token | [file name length 2, file name] with flag 0 |
 *        [selection size 4, rank 4, selection] of a region | [attribute name length 2, attribute name] of an attribute
 * In the heap of a structured chunk the block of every kind follows the flags.
 */
#ifndef TS_OBJECT_REFERENCE_H
#define TS_OBJECT_REFERENCE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "H5Rpublic.h"
#include "object/object.h"
#include "type/conv.h"

struct ts_space;
struct ts_wr;

struct ts_ref {
    int kind;              /* H5R_type_t */
    unsigned rank;         /* of the region's dataspace */
    struct ts_fhandle *fh; /* owned: the file it was read from or made in; NULL: refers to nothing */
    char *file_name;       /* owned: another file; NULL: that of fh */
    haddr_t addr;          /* of the object's header */
    uint8_t *region;       /* owned: serialised selection */
    size_t region_size;
    char *attr; /* owned */
};

static_assert(sizeof(struct ts_ref) <= sizeof(H5R_ref_t), "a reference fits in what programs have for one");

/* The references are in the program's memory, so they are copied in and out. */
void ts_ref_load(struct ts_ref *ref, const H5R_ref_t *from);
void ts_ref_store(const struct ts_ref *ref, H5R_ref_t *to);

void ts_ref_deinit(struct ts_ref *ref);
int ts_ref_copy(struct ts_ref *dst, const struct ts_ref *src);
bool ts_ref_equal(const struct ts_ref *a, const struct ts_ref *b);

/* The extent of the dataset at addr with the serialised selection in it; and a reference's region from such a space. */
int ts_ref_region_space(struct ts_file *f, haddr_t addr, const uint8_t *region, size_t size, struct ts_space **out);
int ts_ref_set_region(struct ts_ref *ref, struct ts_space *space);

/* What an old region reference, the id of a heap object, leads to; the selection is the caller's. */
int ts_ref_old_region(struct ts_file *f, haddr_t collection, uint32_t index, haddr_t *addr, uint8_t **region,
                      size_t *size);

/* The heap object of an old region of the dataset at addr: the address, then the selection. */
int ts_ref_old_region_block(const struct ts_file *f, haddr_t addr, struct ts_space *space, struct ts_wr *block);

/* An H5R_ref_t from an element as it is on disk in the struct ts_file, all zeros referring to nothing; and the end of
 * what it owns. As struct ts_vl_source and struct ts_reclaim want them. */
int ts_ref_make(void *file, H5R_type_t kind, const uint8_t *disk, size_t size, void *ref);
void ts_ref_destroy(void *ref);

/* The element on disk in file f. Returns 1 when the block it leaves in *block goes to the global heap, its id at
 * TS_REF_HEAP_ID of the element; 0 when the element is whole. */
enum { TS_REF_HEAP_ID = 6 };
int ts_ref_encode(const struct ts_file *f, const struct ts_ref *ref, uint8_t *disk, size_t size, struct ts_wr *block);
/* The same as an old reference, for which the heap's id goes to the beginning of the element. It fails for what an old
 * one of the kind cannot lead to. */
int ts_ref_encode_old(struct ts_file *f, H5R_type_t kind, const struct ts_ref *ref, uint8_t *disk, size_t size,
                      struct ts_wr *block);
/* The same in the heap of a structured chunk, where the block follows whatever the kind is. */
int ts_ref_make_in_line(void *file, const uint8_t *segment, size_t size, void *ref);
int ts_ref_encode_in_line(const struct ts_file *f, const struct ts_ref *ref, struct ts_wr *segment);
/* True when an element on disk has the id of a heap object. */
bool ts_ref_is_in_heap(const uint8_t *disk, size_t size, unsigned addr_size);

#endif
