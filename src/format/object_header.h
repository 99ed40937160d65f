/* Object headers: the prefix, the messages in a block, and what a shared message's body says.
 *
 * version 1                          | version 2 (packed; checksum 4 at the end of every block)
 *   0 version 1 (1)                  |   0 signature "OHDR"
 *   1 reserved 1                     |   4 version 1 (2)
 *   2 messages in all blocks 2       |   5 flags 1
 *   4 reference count 4              |   6 access, modification, change, birth time 4 each (flag bit 5)
 *   8 size of the first block 4      |     max compact 2, min dense 2 (flag bit 4)
 *  12 padding 4                      |     size of the first block 1, 2, 4 or 8 (flag bits 0-1)
 *  16 messages                       |     messages, gap
 *                                    | continuation block: signature "OCHK", messages, gap, checksum
 * message:                           | message:
 *   0 type 2                         |   0 type 1
 *   2 size 2 (multiple of 8)         |   1 size 2
 *   4 flags 1                        |   3 flags 1
 *   5 reserved 3                     |   4 creation index 2 (header flag bit 2)
 *   8 body                           |     body
 *
 * shared message: version 1 1 | type 1 | (version 1: reserved 6) | address O, or heap id 8 when version 3 and type 1
 */
#ifndef TS_FORMAT_OBJECT_HEADER_H
#define TS_FORMAT_OBJECT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_rd;
struct ts_wr;

enum ts_msg_type {
    TS_MSG_NIL = 0x00,
    TS_MSG_SPACE = 0x01,
    TS_MSG_LINK_INFO = 0x02,
    TS_MSG_TYPE = 0x03,
    TS_MSG_FILL_OLD = 0x04,
    TS_MSG_FILL = 0x05,
    TS_MSG_LINK = 0x06,
    TS_MSG_EFL = 0x07,
    TS_MSG_LAYOUT = 0x08,
    TS_MSG_BOGUS = 0x09,
    TS_MSG_GROUP_INFO = 0x0A,
    TS_MSG_PIPELINE = 0x0B,
    TS_MSG_ATTR = 0x0C,
    TS_MSG_COMMENT = 0x0D,
    TS_MSG_MTIME_OLD = 0x0E,
    TS_MSG_SOHM_TABLE = 0x0F,
    TS_MSG_CONTINUATION = 0x10,
    TS_MSG_SYMBOL_TABLE = 0x11,
    TS_MSG_MTIME = 0x12,
    TS_MSG_BTREE_K = 0x13,
    TS_MSG_DRIVER_INFO = 0x14,
    TS_MSG_ATTR_INFO = 0x15,
    TS_MSG_REF_COUNT = 0x16,
    TS_MSG_FILE_SPACE = 0x17,
    TS_MSG_CACHE_IMAGE = 0x18,
    TS_MSG_KNOWN_END
};

enum {
    TS_MSG_FLAG_CONSTANT = 0x01,
    TS_MSG_FLAG_SHARED = 0x02,
    TS_MSG_FLAG_DONT_SHARE = 0x04,
    TS_MSG_FLAG_FAIL_IF_UNKNOWN_AND_WRITE = 0x08,
    TS_MSG_FLAG_MARK_IF_UNKNOWN = 0x10,
    TS_MSG_FLAG_WAS_UNKNOWN = 0x20,
    TS_MSG_FLAG_FAIL_IF_UNKNOWN = 0x80
};

/* Bytes that any prefix fits in, signature to first message. */
#define TS_OHDR_PREFIX_MAX 34
#define TS_OHDR_CHECKSUM 4

struct ts_ohdr_prefix {
    unsigned version;
    uint8_t flags;            /* version 2 */
    unsigned stored_messages; /* version 1 */
    uint32_t ref_count;       /* version 1; version 2 has a message for it when it is not 1 */
    uint32_t atime, mtime, ctime, btime;
    unsigned max_compact, min_dense; /* of attributes */
    size_t prefix_size;              /* bytes before the first message */
    uint64_t block_size;             /* bytes of messages and gap in the first block, without checksum */
};

/* buf may be longer or, near the end of the file, shorter than TS_OHDR_PREFIX_MAX. */
int ts_ohdr_prefix_decode(const uint8_t *buf, size_t size, struct ts_ohdr_prefix *out);
size_t ts_ohdr_prefix_size(unsigned version, uint8_t flags);
/* Writes flags as they are: they say which fields there are. */
int ts_ohdr_prefix_encode(const struct ts_ohdr_prefix *p, struct ts_wr *w);

struct ts_raw_msg {
    unsigned type;
    uint8_t flags;
    uint16_t creation_index;
    const uint8_t *body; /* borrowed */
    size_t size;
};

static inline unsigned ts_ohdr_msg_header_size(unsigned version, uint8_t hdr_flags)
{
    return version == 1 ? 8 : hdr_flags & 0x04 ? 6 : 4;
}

/* The next message of a block; 1 a message, 0 the end (what is left is a gap), negative an error. */
int ts_ohdr_next_msg(struct ts_rd *r, unsigned version, uint8_t hdr_flags, struct ts_raw_msg *out);
/* Without a body there are zeros in its place. In version 1 the body is padded to a multiple of 8, and the size stored
 * is that. */
int ts_ohdr_msg_encode(const struct ts_raw_msg *msg, unsigned version, uint8_t hdr_flags, struct ts_wr *w);

struct ts_ohdr_block {
    const struct ts_ohdr_prefix *prefix; /* of the header it belongs to */
    bool first;                          /* the prefix comes before the messages; else it is a continuation */
    uint64_t size;                       /* bytes of messages and gap: the prefix's block_size when first */
    const struct ts_raw_msg *msgs;
    size_t n;
};

/* Bytes of a block in the file around its messages. */
static inline size_t ts_ohdr_block_overhead(const struct ts_ohdr_prefix *prefix, bool first)
{
    size_t head = first ? prefix->prefix_size : prefix->version == 2 ? 4 : 0;
    return head + (prefix->version == 2 ? TS_OHDR_CHECKSUM : 0);
}

/* The whole block with its checksum. Room that the messages leave is NIL messages and, when less than the head of one
 * is left, a gap. */
int ts_ohdr_block_encode(const struct ts_ohdr_block *block, struct ts_wr *w);

struct ts_continuation {
    haddr_t addr;
    uint64_t size;
};

int ts_continuation_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_continuation *out);
int ts_continuation_encode(const struct ts_continuation *c, unsigned addr_size, unsigned len_size, struct ts_wr *w);

struct ts_shared_ref {
    unsigned version;
    bool in_heap;
    haddr_t addr; /* object header with the message, when not in the heap */
    uint8_t heap_id[8];
};

int ts_shared_ref_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                         struct ts_shared_ref *out);
/* Version 1 in the form that has the head of a symbol table entry, which is what its readers know. */
int ts_shared_ref_encode(const struct ts_shared_ref *ref, unsigned addr_size, unsigned len_size, struct ts_wr *w);

#endif
