/* Object headers as they are in the file, and what their messages mean. */
#ifndef TS_OBJECT_OHDR_H
#define TS_OBJECT_OHDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Opublic.h"
#include "file/file.h"
#include "filter/pipeline.h"
#include "format/fill.h"
#include "format/layout.h"
#include "format/object_header.h"

struct ts_efl;
struct ts_space;

struct ts_ohdr_msg {
    unsigned type;
    uint8_t flags;
    uint16_t creation_index;
    unsigned chunk;
    const uint8_t *body; /* inside the chunk */
    size_t size;
};

struct ts_ohdr_chunk {
    haddr_t addr;
    size_t size; /* prefix or signature and checksum included */
    size_t gap;
    uint8_t *buf;
};

/* Decoded and shared: read only. */
struct ts_ohdr {
    struct ts_file *file; /* borrowed: the cache that owns the header belongs to the file */
    haddr_t addr;
    struct ts_ohdr_prefix prefix;
    uint32_t ref_count;
    size_t n_chunks, chunks_capacity;
    struct ts_ohdr_chunk *chunks;
    size_t n_msgs, msgs_capacity;
    struct ts_ohdr_msg *msgs;
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
/* The value is borrowed from *hold, which needs ts_msg_body_deinit. The old message is used when there is no new one. */
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

#endif
