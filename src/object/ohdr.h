/* Object headers as they are in the file, and what their messages mean. */
#ifndef TS_OBJECT_OHDR_H
#define TS_OBJECT_OHDR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Opublic.h"
#include "base/cursor.h"
#include "file/file.h"
#include "filter/pipeline.h"
#include "format/fill.h"
#include "format/layout.h"
#include "format/object_header.h"

struct ts_attr_names;
struct ts_efl;
struct ts_space;

struct ts_ohdr_msg {
    unsigned type;
    uint8_t flags;
    uint16_t creation_index;
    unsigned chunk;
    const uint8_t *body; /* inside the chunk's buf, or owned */
    size_t size;
    uint8_t *owned;
};

struct ts_ohdr_chunk {
    haddr_t addr;
    size_t size;  /* prefix or signature and checksum included */
    size_t gap;   /* bytes behind the messages; once the header has been changed all that is free */
    uint8_t *buf; /* as it was read, or the bodies of its first messages; NULL: each message owns its body */
    bool changed; /* since it was read, or since SWMR readers could last see it */
};

/* Decoded and shared by all who have it open: read only but for the calls below that change it. The messages stand in
 * the order in which they are in the file: all of a chunk together. */
struct ts_ohdr {
    struct ts_file *file; /* borrowed: the cache that owns the header belongs to the file */
    haddr_t addr;
    struct ts_ohdr_prefix prefix;
    uint32_t ref_count;
    size_t n_chunks, chunks_capacity;
    struct ts_ohdr_chunk *chunks;
    size_t n_msgs, msgs_capacity;
    struct ts_ohdr_msg *msgs;
    uint32_t types;   /* bit t: there is, or was, a message of type t */
    bool changed;     /* has no NIL messages any more: they are made when it is written */
    size_t bytes;     /* in memory, for the cache's budget */
    uint64_t made_in; /* the change that made it and has not kept it since; else 0, or one that is over */
    /* What is before this ts_ohdr_keep keeps. */
    _Atomic(struct ts_attr_names *) names; /* attr_names.h; NULL: there is none */
    atomic_uint searches;                  /* for attributes, since the last change */
};

/* Pinned in the metadata cache until closed. */
int ts_ohdr_open(struct ts_file *f, haddr_t addr, struct ts_ohdr **out);
void ts_ohdr_close(struct ts_ohdr *oh);

/* The first message of a type, or NULL; borrowed. */
const struct ts_ohdr_msg *ts_ohdr_find(const struct ts_ohdr *oh, unsigned type);
size_t ts_ohdr_count(const struct ts_ohdr *oh, unsigned type);
/* H5O_TYPE_UNKNOWN, without an error, when the messages make no known kind of object. */
H5O_type_t ts_ohdr_kind(const struct ts_ohdr *oh);

/* The body of a message wherever it is: borrowed from the header, or a copy of a shared one. */
struct ts_msg_body {
    const uint8_t *data;
    size_t size;
    uint8_t *owned;
    haddr_t committed; /* object header of the committed datatype that holds it; else HADDR_UNDEF */
};

/* body and size are what stands in the place of the message; with `shared` they lead to it. */
int ts_msg_load(struct ts_file *f, unsigned type, bool shared, const uint8_t *body, size_t size,
                struct ts_msg_body *out);
void ts_msg_body_deinit(struct ts_msg_body *body);
/* 1 and *out, 0 when the header has no such message, negative on error. */
int ts_ohdr_load(const struct ts_ohdr *oh, unsigned type, struct ts_msg_body *out);

/* Decoded messages. Each returns 1 and *out, 0 when there is no such message, negative on error. */
int ts_ohdr_space(const struct ts_ohdr *oh, struct ts_space **out);
int ts_ohdr_layout(const struct ts_ohdr *oh, struct ts_layout *out);
int ts_ohdr_pipeline(const struct ts_ohdr *oh, struct ts_pipeline *out);
/* Those of structured chunks. */
int ts_ohdr_pipeline_sections(const struct ts_ohdr *oh, struct ts_pipeline_sections *out);
/* The value is borrowed from *hold, which needs ts_msg_body_deinit. The old message is used when there is no new
 * one. */
int ts_ohdr_fill(const struct ts_ohdr *oh, struct ts_fill_msg *out, struct ts_msg_body *hold);

/* On success *out needs ts_efl_deinit (plist/dcpl.h). */
int ts_ohdr_efl(const struct ts_ohdr *oh, struct ts_efl *out);

/* Comment: a copy in *out. */
int ts_ohdr_comment(const struct ts_ohdr *oh, char **out);

struct ts_ohdr_times {
    time_t atime, mtime, ctime, btime;
};
int ts_ohdr_times(const struct ts_ohdr *oh, struct ts_ohdr_times *out);
void ts_ohdr_stats(const struct ts_ohdr *oh, H5O_hdr_info_t *out);

/* Changes, all inside ts_change_begin/end. The header gets dirty by itself. Every change makes pointers to messages
 * (struct ts_ohdr_msg) and their bodies invalid, except where a call says otherwise.
 *
 * Whoever lets a message point at another structure of the cache declares it: ts_meta_depend(f, oh->addr, child). */
struct ts_ohdr_create {
    unsigned version; /* 0: 2, which every bound has */
    uint8_t flags;    /* H5O_HDR_*: times, order of attributes, thresholds. The bits of the size are not looked at */
    unsigned max_compact, min_dense; /* of attributes; stored with H5O_HDR_ATTR_STORE_PHASE_CHANGE */
    size_t room;                     /* for messages in the first block, by ts_ohdr_room; 0 is fine */
    uint32_t links;  /* at first. With 0 the object goes away with its last close unless something links to it */
    bool is_dataset; /* in files for the oldest readers only datasets know when they were changed */
};

/* The bytes that a message with a body of this size takes in a header made like this. */
size_t ts_ohdr_room(const struct ts_ohdr_create *how, size_t body_size);

/* What an object creation list asks for: flags and thresholds of attributes. */
struct ts_plist;
int ts_ohdr_create_init(struct ts_ohdr_create *how, struct ts_plist *ocpl);

/* A new header without messages: dirty, and open until ts_ohdr_close. */
int ts_ohdr_create(struct ts_file *f, const struct ts_ohdr_create *how, struct ts_ohdr **out);

/* Largest body of a message. */
#define TS_OHDR_BODY_MAX 65528

/* Adds a message, in an order of its own among those of other types. The body is copied. In a file that shares messages
 * it may end up elsewhere, unless TS_MSG_FLAG_DONT_SHARE says no. A message that is shared already
 * (TS_MSG_FLAG_SHARED; its body is a struct ts_shared_ref) counts as a link to what it leads to; removing or replacing
 * it takes that back. */
int ts_ohdr_add(struct ts_ohdr *oh, unsigned type, uint8_t flags, const uint8_t *body, size_t size);
/* The same for the first messages of a header, whose bodies follow each other. Cheaper than one by one in a header that
 * the same change made. */
struct ts_ohdr_first {
    unsigned type;
    uint8_t flags;
    size_t size;
};
int ts_ohdr_add_first(struct ts_ohdr *oh, const struct ts_ohdr_first *msgs, size_t n, const struct ts_wr *bodies);
/* The same for one that has a creation index. msg->body must not be inside this header. */
int ts_ohdr_add_raw(struct ts_ohdr *oh, const struct ts_raw_msg *msg);
/* Another body, the message itself, for a message of this header, which keeps type and creation index; whether it is
 * shared is seen anew. While the size of one that is not shared stays the same, pointers to other messages stay valid.
 * The body must not be inside this header. */
int ts_ohdr_replace(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, const uint8_t *body, size_t size);
/* Replaces the first message of the type, or adds one with these flags when there is none. */
int ts_ohdr_put(struct ts_ohdr *oh, unsigned type, uint8_t flags, const uint8_t *body, size_t size);
int ts_ohdr_remove(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg);
/* Removes all of a type; returns how many. */
int ts_ohdr_remove_all(struct ts_ohdr *oh, unsigned type);

/* The object was changed now: the time of change, in headers that keep one. A header of version 1 that has no message
 * for it gets one only with `force`. */
int ts_ohdr_touch(struct ts_ohdr *oh, bool force);
/* Number of links to the object. Objects are linked by ts_object_link (object.h), which also deletes them. */
int ts_ohdr_set_links(struct ts_ohdr *oh, uint32_t links);
/* Makes the header dirty and ready to be changed; the calls above do it themselves. */
int ts_ohdr_change(struct ts_ohdr *oh);
/* Frees the space of all its blocks and takes it out of the cache; to be closed before anything is allocated. */
void ts_ohdr_destroy(struct ts_ohdr *oh);

/* Checks what must hold in memory; false and why. */
bool ts_ohdr_verify(const struct ts_ohdr *oh, const char **reason);

#endif
