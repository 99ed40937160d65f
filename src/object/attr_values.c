/* The end of attributes: what their values lead to. */
#include "base/alloc.h"
#include "base/error.h"
#include "object/attr_store.h"
#include "object/sohm.h"
#include "object/vl_sink.h"
#include "type/type.h"

bool ts_attr_may_refer(const struct ts_attr_msg *msg)
{
    if (msg->type_shared || msg->type_size == 0)
        return true;
    unsigned cls = msg->type[0] & 15u;
    return cls == H5T_VLEN || cls == H5T_REFERENCE || cls == H5T_COMPOUND || cls == H5T_ARRAY;
}

static int load_type(struct ts_file *f, const struct ts_attr_msg *msg, struct ts_type **out)
{
    struct ts_msg_body body = {.committed = HADDR_UNDEF};
    int status = ts_msg_load(f, TS_MSG_TYPE, msg->type_shared, msg->type, msg->type_size, &body);
    if (status == 0)
        status = ts_type_decode(body.data, body.size, NULL, out);
    ts_msg_body_deinit(&body);
    if (status == 0 && ts_type_set_loc(out, TS_LOC_DISK, ts_file_addr_size(f)) < 0) {
        ts_type_unref(*out);
        return -1;
    }
    return status;
}

static int release_elements(struct ts_file *f, const struct ts_type *t, const struct ts_attr_msg *msg)
{
    struct ts_vl_sink sink;
    if (ts_vl_sink_open(f, &sink) < 0)
        return -1;
    int status = ts_vl_sink_release(&sink, t, msg->data_size / t->size, msg->data);
    if (status == 0)
        status = ts_vl_sink_remove_old(&sink);
    ts_vl_sink_close(&sink);
    return status;
}

static int release_values(struct ts_file *f, const struct ts_msg_body *body)
{
    struct ts_attr_msg msg;
    struct ts_type *t;
    unsigned mark = ts_err_mark();
    if (ts_attr_msg_decode(body->data, body->size, &msg) < 0)
        return -1;
    if (!ts_attr_may_refer(&msg))
        return 0;
    if (load_type(f, &msg, &t) < 0) {
        if (ts_err_no_memory(mark))
            return -1;
        /* One that cannot be read can be deleted all the same. */
        ts_err_rewind(mark);
        return 0;
    }
    int status = ts_type_has_vlen_or_ref(t) ? release_elements(f, t, &msg) : 0;
    ts_type_unref(t);
    return status;
}

/* 1 unless others have the same message, and so the same values. */
static int is_alone(const struct ts_attr_store *st, const struct ts_attr_spot *spot)
{
    struct ts_file *f = st->oh->file;
    struct ts_shared_ref ref;
    if (!((spot->msg ? spot->msg->flags : spot->record[TS_ATTR_HEAP_ID]) & TS_MSG_FLAG_SHARED))
        return 1;
    if (!spot->msg)
        return ts_sohm_is_alone(f, TS_MSG_ATTR, spot->record);
    if (ts_shared_ref_decode(spot->msg->body, spot->msg->size, ts_file_addr_size(f), ts_file_len_size(f), &ref) < 0)
        return -1;
    return ref.in_heap ? ts_sohm_is_alone(f, TS_MSG_ATTR, ref.heap_id) : 0;
}

int ts_attr_release_values(const struct ts_attr_store *st, const struct ts_attr_spot *spot)
{
    struct ts_msg_body body;
    int alone = is_alone(st, spot);
    if (alone <= 0)
        return alone;
    int status = ts_attr_store_body(st, spot, &body);
    if (status == 0)
        status = release_values(st->oh->file, &body);
    ts_msg_body_deinit(&body);
    return status;
}
