/* The superblock, versions 0 to 3. O = size of offsets, L = size of lengths. (The specification says O for the name
 * offset; in files it is L.)
 *
 * version 0, 1                              | version 2, 3
 *   0 signature 8                           |   0 signature 8
 *   8 superblock version 1                  |   8 superblock version 1
 *   9 free space version 1 (0)              |   9 size of offsets 1
 *  10 root group entry version 1 (0)        |  10 size of lengths 1
 *  11 reserved 1                            |  11 consistency flags 1
 *  12 shared header version 1 (0)           |  12 base address O
 *  13 size of offsets 1                     |     extension address O
 *  14 size of lengths 1                     |     end of file O
 *  15 reserved 1                            |     root object header O
 *  16 group leaf k 2                        |     checksum 4
 *  18 group internal k 2                    |
 *  20 consistency flags 4                   |
 *  (version 1: chunk B-tree k 2, reserved 2)|
 *     base address O                        |
 *     free space address O                  |
 *     end of file O                         |
 *     driver info address O                 |
 *     root entry: name offset L, header O,  |
 *       cache type 4, reserved 4, scratch 16|
 */
#ifndef TS_FORMAT_SUPERBLOCK_H
#define TS_FORMAT_SUPERBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_wr;

#define TS_SUPERBLOCK_MAX 128
#define TS_SUPERBLOCK_HEAD 16 /* enough to know how long it is */

struct ts_superblock {
    unsigned version;
    unsigned addr_size, len_size;
    uint32_t flags;
    unsigned group_leaf_k, group_internal_k, chunk_k;
    haddr_t base, end, driver_info, extension, free_space;
    haddr_t root;                        /* object header of the root group */
    haddr_t root_btree, root_local_heap; /* when the root entry caches its symbol table; else HADDR_UNDEF */
};

extern const uint8_t ts_superblock_signature[8];

size_t ts_superblock_size(unsigned version, unsigned addr_size, unsigned len_size);
/* From its first TS_SUPERBLOCK_HEAD bytes; that many when they make no sense, at most TS_SUPERBLOCK_MAX. */
size_t ts_superblock_size_of(const uint8_t *head);
/* buf starts at the signature. */
int ts_superblock_decode(const uint8_t *buf, size_t size, struct ts_superblock *out);
/* While a commit writes in place, the end has its highest bit set (the one below it, of 64): it lies behind the bytes
 * that there are, so that no reader takes the file for whole, and it is known all the same. HADDR_UNDEF when a file of
 * `eof` bytes could be that long, or the bit is in use. */
haddr_t ts_superblock_mark(const struct ts_superblock *sb, haddr_t eof);
/* Takes the mark away. True when there was one, in a file of `eof` bytes. */
bool ts_superblock_unmark(struct ts_superblock *sb, haddr_t eof);
/* Version 0 has no room for a chunk k other than 32, versions 2 and 3 for none at all: that is a message then. */
int ts_superblock_encode(const struct ts_superblock *sb, struct ts_wr *w);

/* The driver information block: version 0, 3 reserved bytes, size of the information 4, name 8, the information. */
struct ts_driver_info {
    char name[9];
    const uint8_t *info; /* borrowed from the buffer */
    size_t size;
};

int ts_driver_info_decode(const uint8_t *buf, size_t size, struct ts_driver_info *out);
int ts_driver_info_encode(const struct ts_driver_info *info, struct ts_wr *w);

#endif
