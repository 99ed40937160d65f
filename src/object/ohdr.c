#include "object/ohdr.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/map.h"
#include "meta/meta.h"
#include "object/attr_names.h"
#include "object/ohdr_parts.h"

static void ohdr_free(void *obj)
{
    struct ts_ohdr *oh = obj;
    for (size_t i = 0; i < oh->n_chunks; i++)
        ts_free(oh->chunks[i].buf);
    for (size_t i = 0; i < oh->n_msgs; i++)
        ts_free(oh->msgs[i].owned);
    ts_attr_names_forget(oh);
    ts_free(oh->chunks);
    ts_free(oh->msgs);
    ts_free(oh);
}

/* Blocks to read. A header that names a block twice, or blocks larger in all than the file, goes in circles. */
struct load {
    struct ts_ohdr *oh;
    struct ts_map seen;
    uint64_t total;
};

static int add_chunk(struct load *ld, haddr_t addr, uint64_t size)
{
    struct ts_ohdr *oh = ld->oh;
    if (!ts_file_has(oh->file, addr, size) || size > oh->file->end - ld->total)
        return TS_ERR(OHDR, CANTLOAD, "object header %#llx: a block of %llu bytes at %#llx does not fit in the file",
                      (unsigned long long)oh->addr, (unsigned long long)size, (unsigned long long)addr);
    if (ts_map_get(&ld->seen, addr))
        return TS_ERR(OHDR, CANTLOAD, "object header %#llx: its blocks go in a circle at %#llx",
                      (unsigned long long)oh->addr, (unsigned long long)addr);
    if (ts_map_put(&ld->seen, addr, oh) < 0 || TS_GROW(oh->chunks, oh->chunks_capacity, oh->n_chunks + 1) < 0)
        return -1;
    uint8_t *buf = ts_malloc((size_t)size);
    if (!buf)
        return -1;
    if (ts_file_read(oh->file, addr, (size_t)size, buf) < 0) {
        ts_free(buf);
        return -1;
    }
    oh->chunks[oh->n_chunks++] = (struct ts_ohdr_chunk){.addr = addr, .size = (size_t)size, .buf = buf};
    ld->total += size;
    return 0;
}

/* Stands for all of them in H5O_hdr_info_t. */
#define UNKNOWN_BIT 25

static int check_flags(const struct ts_ohdr *oh, const struct ts_raw_msg *msg)
{
    /* The mark of one that did not know the message is made on demand, and where writing was not forbidden to it. */
    bool marked = msg->flags & TS_MSG_FLAG_WAS_UNKNOWN;
    if ((msg->flags & TS_MSG_FLAG_SHARED && msg->flags & TS_MSG_FLAG_DONT_SHARE) ||
        (marked && !(msg->flags & TS_MSG_FLAG_MARK_IF_UNKNOWN)) ||
        (marked && msg->flags & TS_MSG_FLAG_FAIL_IF_UNKNOWN_AND_WRITE))
        return TS_ERR(OHDR, BADMESG, "object header %#llx: flags %#x of message %#x contradict each other",
                      (unsigned long long)oh->addr, msg->flags, msg->type);
    if (ts_ohdr_knows(msg->type))
        return 0;
    bool writing = oh->file->flags & H5F_ACC_RDWR;
    if (msg->flags & TS_MSG_FLAG_FAIL_IF_UNKNOWN || (writing && msg->flags & TS_MSG_FLAG_FAIL_IF_UNKNOWN_AND_WRITE))
        return TS_ERR(OHDR, BADMESG, "object header %#llx: message %#x is unknown and may not be ignored",
                      (unsigned long long)oh->addr, msg->type);
    return 0;
}

static int add_msg(struct load *ld, unsigned chunk, const struct ts_raw_msg *raw)
{
    struct ts_ohdr *oh = ld->oh;
    if (check_flags(oh, raw) < 0 || TS_GROW(oh->msgs, oh->msgs_capacity, oh->n_msgs + 1) < 0)
        return -1;
    oh->types |= raw->type < 32 ? UINT32_C(1) << raw->type : 0;
    oh->msgs[oh->n_msgs++] = (struct ts_ohdr_msg){.type = raw->type,
                                                  .flags = raw->flags,
                                                  .creation_index = raw->creation_index,
                                                  .chunk = chunk,
                                                  .body = raw->body,
                                                  .size = raw->size};
    if (raw->type != TS_MSG_CONTINUATION)
        return 0;
    struct ts_continuation next;
    if (ts_continuation_decode(raw->body, raw->size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), &next) <
        0)
        return -1;
    return add_chunk(ld, next.addr, next.size);
}

/* Where the messages of a block stand in it; checks signature and checksum. */
static int message_area(const struct ts_ohdr *oh, unsigned chunk, struct ts_rd *out)
{
    const struct ts_ohdr_chunk *c = &oh->chunks[chunk];
    size_t head = chunk == 0 ? oh->prefix.prefix_size : 0;
    size_t tail = 0;
    if (oh->prefix.version == 2) {
        tail = TS_OHDR_CHECKSUM;
        if (chunk > 0) {
            head = 4;
            if (c->size < head + tail || memcmp(c->buf, "OCHK", 4) != 0)
                return TS_ERR(OHDR, CANTLOAD, "object header %#llx: no continuation block at %#llx",
                              (unsigned long long)oh->addr, (unsigned long long)c->addr);
        }
        struct ts_rd all = ts_rd_init(c->buf, c->size);
        ts_rd_skip(&all, c->size - tail);
        if (!ts_rd_checksum(&all))
            return TS_ERR(OHDR, CANTLOAD, "object header %#llx: wrong checksum in the block at %#llx",
                          (unsigned long long)oh->addr, (unsigned long long)c->addr);
    }
    *out = ts_rd_init(c->buf + head, c->size - head - tail);
    return 0;
}

static int read_chunk(struct load *ld, unsigned chunk)
{
    struct ts_ohdr *oh = ld->oh;
    struct ts_rd r;
    struct ts_raw_msg raw;
    int more;
    if (message_area(oh, chunk, &r) < 0)
        return -1;
    /* The number is not kept well enough to be believed, except that there are none. */
    if (oh->prefix.version == 1 && oh->prefix.stored_messages == 0)
        ts_rd_skip(&r, ts_rd_left(&r));
    while ((more = ts_ohdr_next_msg(&r, oh->prefix.version, oh->prefix.flags, &raw)) > 0)
        if (add_msg(ld, chunk, &raw) < 0)
            return -1;
    oh->chunks[chunk].gap = ts_rd_left(&r);
    return more;
}

static int read_prefix(struct load *ld)
{
    struct ts_ohdr *oh = ld->oh;
    uint8_t buf[TS_OHDR_PREFIX_MAX];
    size_t got;
    if (ts_file_read_some(oh->file, oh->addr, sizeof buf, buf, &got) < 0)
        return -1;
    if (ts_ohdr_prefix_decode(buf, got, &oh->prefix) < 0)
        return TS_ERR(OHDR, CANTLOAD, "no object header at %#llx", (unsigned long long)oh->addr);
    oh->ref_count = oh->prefix.ref_count;
    uint64_t tail = oh->prefix.version == 2 ? TS_OHDR_CHECKSUM : 0;
    if (oh->prefix.block_size > oh->file->end)
        return TS_ERR(OHDR, CANTLOAD, "object header %#llx: a first block of %llu bytes", (unsigned long long)oh->addr,
                      (unsigned long long)oh->prefix.block_size);
    return add_chunk(ld, oh->addr, oh->prefix.prefix_size + oh->prefix.block_size + tail);
}

static int read_ref_count(struct ts_ohdr *oh)
{
    const struct ts_ohdr_msg *msg = oh->prefix.version == 2 ? ts_ohdr_find(oh, TS_MSG_REF_COUNT) : NULL;
    if (!msg)
        return 0;
    struct ts_rd r = ts_rd_init(msg->body, msg->size);
    unsigned version = ts_rd_u8(&r);
    oh->ref_count = ts_rd_u32(&r);
    if (r.bad || version != 0)
        return TS_ERR(OHDR, CANTLOAD, "object header %#llx: bad reference count message", (unsigned long long)oh->addr);
    return 0;
}

static int ohdr_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    struct load ld = {.oh = ts_calloc(1, sizeof *ld.oh)};
    if (!ld.oh)
        return -1;
    ld.oh->file = f;
    ld.oh->addr = addr;
    int status = read_prefix(&ld);
    /* Reading a block may find more of them. */
    for (unsigned i = 0; status == 0 && i < ld.oh->n_chunks; i++)
        status = read_chunk(&ld, i);
    if (status == 0)
        status = read_ref_count(ld.oh);
    ts_map_deinit(&ld.seen);
    if (status < 0) {
        ohdr_free(ld.oh);
        return -1;
    }
    *obj = ld.oh;
    ld.oh->bytes = sizeof *ld.oh + (size_t)ld.total + ld.oh->n_msgs * sizeof *ld.oh->msgs;
    *bytes = ld.oh->bytes;
    return 0;
}

const struct ts_meta_class ts_ohdr_class = {.name = "object header",
                                            .load = ohdr_load,
                                            .free = ohdr_free,
                                            .encode = ts_ohdr_encode,
                                            .settle = ts_ohdr_settle,
                                            .keep = ts_ohdr_keep,
                                            .retry = TS_RETRY_OHDR};

int ts_ohdr_open(struct ts_file *f, haddr_t addr, struct ts_ohdr **out)
{
    void *obj;
    if (ts_meta_pin(f, &ts_ohdr_class, addr, NULL, &obj) < 0)
        return TS_ERR(OHDR, CANTPROTECT, "%s: cannot load the object header at %#llx", f->name,
                      (unsigned long long)addr);
    *out = obj;
    return 0;
}

void ts_ohdr_close(struct ts_ohdr *oh)
{
    if (oh)
        ts_meta_unpin(oh->file, oh->addr);
}

H5O_type_t ts_ohdr_kind(const struct ts_ohdr *oh)
{
    if (ts_ohdr_find(oh, TS_MSG_SYMBOL_TABLE) || ts_ohdr_find(oh, TS_MSG_LINK_INFO))
        return H5O_TYPE_GROUP;
    if (!ts_ohdr_find(oh, TS_MSG_TYPE))
        return H5O_TYPE_UNKNOWN;
    return ts_ohdr_find(oh, TS_MSG_SPACE) ? H5O_TYPE_DATASET : H5O_TYPE_NAMED_DATATYPE;
}

void ts_ohdr_stats(const struct ts_ohdr *oh, H5O_hdr_info_t *out)
{
    unsigned version = oh->prefix.version;
    unsigned msg_head = ts_ohdr_msg_header_size(version, oh->prefix.flags);
    size_t chunk_head = version == 2 ? 8 : 0;
    *out = (H5O_hdr_info_t){.version = version,
                            .nmesgs = (unsigned)oh->n_msgs,
                            .nchunks = (unsigned)oh->n_chunks,
                            /* Old headers have no flags; they always have a time when something needs one. */
                            .flags = version == 1 ? H5O_HDR_STORE_TIMES : oh->prefix.flags};
    out->space.meta = oh->prefix.prefix_size + (version == 2 ? TS_OHDR_CHECKSUM : 0) + chunk_head * (oh->n_chunks - 1);
    for (size_t i = 0; i < oh->n_chunks; i++) {
        out->space.total += oh->chunks[i].size;
        out->space.free += oh->chunks[i].gap;
    }
    for (size_t i = 0; i < oh->n_msgs; i++) {
        const struct ts_ohdr_msg *msg = &oh->msgs[i];
        if (msg->type == TS_MSG_NIL) {
            out->space.free += msg_head + msg->size;
        } else if (msg->type == TS_MSG_CONTINUATION) {
            out->space.meta += msg_head + msg->size;
        } else {
            out->space.meta += msg_head;
            out->space.mesg += msg->size;
        }
        uint64_t bit = UINT64_C(1) << (ts_ohdr_knows(msg->type) ? msg->type : UNKNOWN_BIT);
        out->mesg.present |= bit;
        if (msg->flags & TS_MSG_FLAG_SHARED)
            out->mesg.shared |= bit;
    }
}
