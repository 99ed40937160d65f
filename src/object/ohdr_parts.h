/* What the files of object headers share. */
#ifndef TS_OBJECT_OHDR_PARTS_H
#define TS_OBJECT_OHDR_PARTS_H

#include "meta/meta.h"
#include "object/ohdr.h"

extern const struct ts_meta_class ts_ohdr_class;

bool ts_ohdr_knows(unsigned type);
/* The message is about to leave the header: takes back its use of what is shared. */
int ts_ohdr_let_go(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg);
/* Before it is written: in the file of a SWMR writer continuations that changed move, so that the first block, which
 * says where they are, brings all changes at once. */
int ts_ohdr_settle(struct ts_file *f, void *obj);
/* Before it is changed. */
int ts_ohdr_keep(struct ts_file *f, void *obj);
int ts_ohdr_encode(struct ts_file *f, const void *obj, struct ts_blocks *out);

/* ohdr_blocks.c: the rest inside a change. */

/* Bytes of a message in a block, and those of a block that are no message's. */
static inline size_t ts_ohdr_align(size_t n)
{
    return (n + 7) / 8 * 8;
}

static inline size_t ts_ohdr_message_room(unsigned version, uint8_t flags, size_t body_size)
{
    return ts_ohdr_msg_header_size(version, flags) + (version == 1 ? ts_ohdr_align(body_size) : body_size);
}

static inline size_t ts_ohdr_room_of(const struct ts_ohdr *oh, size_t body_size)
{
    return ts_ohdr_message_room(oh->prefix.version, oh->prefix.flags, body_size);
}

static inline size_t ts_ohdr_overhead(const struct ts_ohdr *oh, size_t chunk)
{
    return ts_ohdr_block_overhead(&oh->prefix, chunk == 0);
}

/* Nothing of it is kept: the change that made it is the one that goes on. */
static inline bool ts_ohdr_goes_with_change(const struct ts_ohdr *oh)
{
    return oh->made_in != 0 && oh->made_in == oh->file->undo.change;
}

/* Of a header that stays: `size` bytes of it are about to change. */
int ts_ohdr_keep_bytes(struct ts_ohdr *oh, void *at, size_t size);
/* The bytes are the change's from here on: it lets go of them when it fails. NULL when there are none, or no memory. */
uint8_t *ts_ohdr_made(struct ts_ohdr *oh, uint8_t *bytes);
/* Such that did not get into the header. Returns -1. */
int ts_ohdr_lose(struct ts_ohdr *oh, uint8_t *owned);
/* `owned`, which the change has, is the body from now on. */
int ts_ohdr_set_body(struct ts_ohdr *oh, struct ts_ohdr_msg *msg, uint8_t *owned, size_t size);
/* A chunk with that room, which is not before `from`. */
int ts_ohdr_make_room(struct ts_ohdr *oh, size_t from, size_t need, size_t *chunk);
/* Behind the other messages of the chunk, which has room. */
int ts_ohdr_insert(struct ts_ohdr *oh, size_t chunk, struct ts_ohdr_msg msg);
/* All messages of a header that goes with the change, has none yet, and room for them. */
int ts_ohdr_insert_first(struct ts_ohdr *oh, const struct ts_ohdr_first *msgs, size_t n, const struct ts_wr *bodies);
/* Takes a message out of the header for good. */
int ts_ohdr_drop_message(struct ts_ohdr *oh, size_t at, struct ts_ohdr_msg *gone);
/* What led to the block at `from` leads to this one. */
int ts_ohdr_point_continuation(struct ts_ohdr *oh, haddr_t from, const struct ts_ohdr_chunk *chunk);
/* The prefix says how large the first block is. */
void ts_ohdr_set_first_block(struct ts_ohdr_prefix *p, uint64_t block_size);

#endif
