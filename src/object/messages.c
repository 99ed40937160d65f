#include "format/messages.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/pipeline_codec.h"
#include "heap/fractal_heap.h"
#include "heap/local_heap.h"
#include "object/ohdr.h"
#include "object/sohm.h"
#include "plist/dcpl.h"
#include "space/space.h"

void ts_msg_body_deinit(struct ts_msg_body *body)
{
    ts_free(body->owned);
    *body = (struct ts_msg_body){.committed = HADDR_UNDEF};
}

static int load_from_heap(struct ts_file *f, unsigned type, const uint8_t *id, struct ts_msg_body *out)
{
    const struct ts_sohm_index *index = ts_sohm_table_find(ts_sohm_table(f), type);
    struct ts_fheap *heap;
    struct ts_wr bytes = {0};
    if (!index)
        return TS_ERR(SOHM, NOTFOUND, "%s: message %#x is shared, but the file has no index for its type", f->name,
                      type);
    if (ts_fheap_open(f, index->heap, &heap) < 0)
        return -1;
    int status = ts_fheap_read(heap, id, 8, &bytes);
    ts_fheap_close(heap);
    if (status < 0 || bytes.bad) {
        ts_wr_free(&bytes);
        return TS_ERR(SOHM, CANTGET, "%s: cannot read a shared message of type %#x", f->name, type);
    }
    out->owned = bytes.data;
    out->data = bytes.data;
    out->size = bytes.size;
    return 0;
}

/* The header's own message must stand there itself, or in the heap: references do not chain. */
static int load_from_header(struct ts_file *f, unsigned type, haddr_t addr, struct ts_msg_body *out)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(f, addr, &oh) < 0)
        return -1;
    int status = -1;
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, type);
    struct ts_shared_ref ref = {0};
    if (!msg) {
        TS_ERR(OHDR, NOTFOUND, "object header %#llx has no message %#x to share", (unsigned long long)addr, type);
        goto done;
    }
    if (msg->flags & TS_MSG_FLAG_SHARED) {
        if (ts_shared_ref_decode(msg->body, msg->size, ts_file_addr_size(f), ts_file_len_size(f), &ref) < 0)
            goto done;
        status = ref.in_heap ? load_from_heap(f, type, ref.heap_id, out)
                             : TS_ERR(OHDR, CANTLOAD, "object header %#llx: a shared message leads to another",
                                      (unsigned long long)addr);
        goto done;
    }
    out->owned = ts_memdup(msg->body, msg->size);
    out->data = out->owned;
    out->size = msg->size;
    status = out->owned ? 0 : -1;
done:
    ts_ohdr_close(oh);
    return status;
}

int ts_msg_load(struct ts_file *f, unsigned type, bool shared, const uint8_t *body, size_t size,
                struct ts_msg_body *out)
{
    *out = (struct ts_msg_body){.data = body, .size = size, .committed = HADDR_UNDEF};
    if (!shared)
        return 0;
    struct ts_shared_ref ref;
    if (ts_shared_ref_decode(body, size, ts_file_addr_size(f), ts_file_len_size(f), &ref) < 0)
        return -1;
    if (ref.in_heap)
        return load_from_heap(f, type, ref.heap_id, out);
    if (load_from_header(f, type, ref.addr, out) < 0)
        return -1;
    out->committed = ref.addr;
    return 0;
}

int ts_ohdr_load(const struct ts_ohdr *oh, unsigned type, struct ts_msg_body *out)
{
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, type);
    *out = (struct ts_msg_body){.committed = HADDR_UNDEF};
    if (!msg)
        return 0;
    return ts_msg_load(oh->file, type, msg->flags & TS_MSG_FLAG_SHARED, msg->body, msg->size, out) < 0 ? -1 : 1;
}

int ts_ohdr_space(const struct ts_ohdr *oh, struct ts_space **out)
{
    struct ts_msg_body body;
    int found = ts_ohdr_load(oh, TS_MSG_SPACE, &body);
    if (found == 1 && ts_space_decode_extent(body.data, body.size, ts_file_len_size(oh->file), out) < 0)
        found = -1;
    ts_msg_body_deinit(&body);
    return found;
}

int ts_ohdr_layout(const struct ts_ohdr *oh, struct ts_layout *out)
{
    struct ts_msg_body body;
    int found = ts_ohdr_load(oh, TS_MSG_LAYOUT, &body);
    if (found == 1 &&
        ts_layout_decode(body.data, body.size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), out) < 0)
        found = -1;
    ts_msg_body_deinit(&body);
    return found;
}

int ts_ohdr_pipeline(const struct ts_ohdr *oh, struct ts_pipeline *out)
{
    struct ts_msg_body body;
    int found = ts_ohdr_load(oh, TS_MSG_PIPELINE, &body);
    if (found == 1 && ts_pipeline_decode_message(body.data, body.size, out) < 0)
        found = -1;
    ts_msg_body_deinit(&body);
    return found;
}

int ts_ohdr_pipeline_sections(const struct ts_ohdr *oh, struct ts_pipeline_sections *out)
{
    struct ts_msg_body body;
    int found = ts_ohdr_load(oh, TS_MSG_PIPELINE, &body);
    if (found == 1 && ts_pipeline_sections_decode(body.data, body.size, out) < 0)
        found = -1;
    ts_msg_body_deinit(&body);
    return found;
}

int ts_ohdr_fill(const struct ts_ohdr *oh, struct ts_fill_msg *out, struct ts_msg_body *hold)
{
    int found = ts_ohdr_load(oh, TS_MSG_FILL, hold);
    if (found == 1)
        found = ts_fill_decode(hold->data, hold->size, out) < 0 ? -1 : 1;
    else if (found == 0 && (found = ts_ohdr_load(oh, TS_MSG_FILL_OLD, hold)) == 1)
        found = ts_fill_decode_old(hold->data, hold->size, out) < 0 ? -1 : 1;
    if (found < 0)
        ts_msg_body_deinit(hold);
    return found;
}

static int name_files(struct ts_file *f, const struct ts_efl_msg *msg, struct ts_efl *out)
{
    struct ts_lheap *heap;
    if (ts_lheap_open(f, msg->heap, &heap) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < msg->n && status == 0; i++) {
        /* The name is copied. */
        struct ts_efl_file file = {.name = (char *)ts_lheap_name(heap, msg->slots[i].name_offset),
                                   .offset = (off_t)msg->slots[i].offset,
                                   .size = msg->slots[i].size};
        status = file.name && file.offset >= 0 ? ts_efl_add(out, &file)
                                               : TS_ERR(EFL, CANTDECODE, "external file %zu has no name or offset", i);
    }
    ts_lheap_close(heap);
    return status;
}

int ts_ohdr_efl(const struct ts_ohdr *oh, struct ts_efl *out)
{
    struct ts_msg_body body;
    struct ts_efl_msg msg = {0};
    *out = (struct ts_efl){0};
    int found = ts_ohdr_load(oh, TS_MSG_EFL, &body);
    if (found == 1 &&
        (ts_efl_decode(body.data, body.size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), &msg) < 0 ||
         (msg.n > 0 && name_files(oh->file, &msg, out) < 0))) {
        ts_efl_deinit(out);
        found = -1;
    }
    ts_free(msg.slots);
    ts_msg_body_deinit(&body);
    return found;
}

int ts_ohdr_comment(const struct ts_ohdr *oh, char **out)
{
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_COMMENT);
    const char *text;
    if (!msg)
        return 0;
    if (ts_comment_decode(msg->body, msg->size, &text) < 0)
        return -1;
    *out = ts_strdup(text);
    return *out ? 1 : -1;
}

int ts_ohdr_times(const struct ts_ohdr *oh, struct ts_ohdr_times *out)
{
    const struct ts_ohdr_prefix *p = &oh->prefix;
    *out = (struct ts_ohdr_times){(time_t)p->atime, (time_t)p->mtime, (time_t)p->ctime, (time_t)p->btime};
    if (p->version == 2)
        return 0;
    /* What old headers call the time of modification is when the header last changed. */
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_MTIME_OLD);
    if (msg)
        return ts_mtime_decode_old(msg->body, msg->size, &out->ctime);
    msg = ts_ohdr_find(oh, TS_MSG_MTIME);
    return msg ? ts_mtime_decode(msg->body, msg->size, &out->ctime) : 0;
}
