/* Space in the file.
 *
 * What is freed waits until the change that freed it is on file (invariant 2), unless it was fresh itself; in the file
 * of a SWMR writer until that is closed. All calls are made inside a change (change.h): when it fails, what it
 * allocated is free again, and what it freed never was. */
#ifndef TS_FILE_ALLOC_H
#define TS_FILE_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

#include "H5FDpublic.h"
#include "file/file.h"
#include "format/messages.h"

/* Best fit among what is free, else at the end of the file; aligned as the access list says. */
int ts_file_alloc(struct ts_file *f, H5FD_mem_t kind, uint64_t size, haddr_t *addr);
/* Cannot fail: when memory is short the space is lost, not the file. HADDR_UNDEF and size 0 are fine. */
void ts_file_free(struct ts_file *f, H5FD_mem_t kind, haddr_t addr, uint64_t size);
/* Makes a block larger where it is when the space behind it is free. 1 done, 0 not possible, negative on error. */
int ts_file_extend(struct ts_file *f, H5FD_mem_t kind, haddr_t addr, uint64_t size, uint64_t new_size);
/* Makes a block smaller where it is. False when it has to stay as it is: whole pages. */
bool ts_file_shrink(struct ts_file *f, H5FD_mem_t kind, haddr_t addr, uint64_t size, uint64_t new_size);
/* True when the block was allocated since the last commit: nothing on file points at it, so it may be written at any
 * time. Anything else is only written by a commit (metadata), or in place when a torn write does no harm (raw data). */
bool ts_file_fresh(const struct ts_file *f, haddr_t addr);
/* True when nothing lies there that anybody uses, as far as the file's free space is known. */
bool ts_file_is_free(const struct ts_file *f, haddr_t addr);

/* Makes the file longer by this many bytes, which nobody uses. */
int ts_file_grow(struct ts_file *f, uint64_t bytes);

/* How the file's space is to be handled, as its superblock's extension says; before anything is allocated. */
int ts_alloc_strategy(struct ts_file *f, const struct ts_file_space *space);

/* What is free: in files in pages inside pages of metadata, inside pages of raw data, and whole pages; in others all of
 * it is TS_FREE_LARGE, but for the rest of a block of metadata, until the file is closed. */
enum ts_free_kind { TS_FREE_META, TS_FREE_RAW, TS_FREE_LARGE, TS_FREE_KINDS };

struct ts_free_piece {
    haddr_t addr;
    uint64_t size;
    enum ts_free_kind kind;
};

/* Space that a free space manager of the file says is free. Cannot fail, as ts_file_free. */
void ts_alloc_give(struct ts_file *f, const struct ts_free_piece *piece);
/* All that is free, by address, as it will be once what was freed is on file and the file is cut. *out is the
 * caller's. */
int ts_alloc_list(struct ts_file *f, struct ts_free_piece **out, size_t *n);
/* The end of what is allocated, without what a block of metadata has left there, which goes when the file is closed. */
haddr_t ts_alloc_end(struct ts_file *f);

#endif
