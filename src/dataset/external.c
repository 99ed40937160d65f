#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "container/find_file.h"
#include "dataset/files.h"
#include "dataset/layouts.h"
#include "driver/driver.h"
#include "file/change.h"
#include "format/messages.h"
#include "heap/local_heap.h"
#include "plist/dapl.h"

/* The raw files of one transfer; each is opened when it is first needed. */
struct external {
    struct ts_transfer *t;
    char *prefix;
    struct ts_driver **drivers; /* one per slot */
    struct ts_store store;
};

static int open_slot(struct external *e, size_t i)
{
    const struct ts_driver_config config = {
        .kind = TS_DRIVER_SEC2, .access = e->t->d->base.loc.fh->access, .access_kind = H5F_EXTERNAL_RAW};
    const char *name = e->t->core->external.slots[i].name;
    char *full = NULL;
    if (e->drivers[i])
        return 0;
    if (e->prefix && name[0] != '/') {
        full = ts_container_join_folder(e->prefix, strlen(e->prefix), name);
        if (!full)
            return -1;
    }
    unsigned flags = e->t->write ? TS_OPEN_WRITE | TS_OPEN_CREATE : 0;
    int status = ts_driver_open(full ? full : name, flags, &config, &e->drivers[i]);
    ts_free(full);
    return status < 0 ? TS_ERR(EFL, CANTOPENFILE, "unable to open external raw data file '%s'", name) : 0;
}

/* What lies behind the end of a raw file was never written: zeros. */
static int read_slot(struct external *e, size_t i, uint64_t skip, size_t size, uint8_t *buf)
{
    TS_MAY_MOVE_RAW_DATA();
    uint64_t at = (uint64_t)e->t->core->external.slots[i].offset, eof;
    if (open_slot(e, i) < 0 || ts_driver_eof(e->drivers[i], &eof) < 0)
        return -1;
    uint64_t there = at <= eof && skip <= eof - at ? eof - at - skip : 0;
    size_t now = size < there ? size : (size_t)there;
    memset(buf + now, 0, size - now);
    return now == 0 ? 0 : ts_driver_read(e->drivers[i], at + skip, now, buf);
}

static int write_slot(struct external *e, size_t i, uint64_t skip, size_t size, const uint8_t *buf)
{
    TS_MAY_MOVE_RAW_DATA();
    if (open_slot(e, i) < 0)
        return -1;
    struct ts_io_out out = {.addr = (uint64_t)e->t->core->external.slots[i].offset + skip, .size = size, .buf = buf};
    return e->drivers[i]->cls->writing->writev(e->drivers[i], &out, 1);
}

/* The parts of a range, each in one slot. buf is only changed by a read. */
static int move_range(struct external *e, uint64_t skip, size_t left, uint8_t *buf, bool write)
{
    const struct ts_efl *list = &e->t->core->external;
    for (size_t i = 0; i < list->n && left > 0; i++) {
        uint64_t size = list->slots[i].size;
        if (skip >= size) {
            skip -= size;
            continue;
        }
        size_t now = left < size - skip ? left : (size_t)(size - skip);
        if ((write ? write_slot(e, i, skip, now, buf) : read_slot(e, i, skip, now, buf)) < 0)
            return -1;
        buf += now;
        left -= now;
        skip = 0;
    }
    if (left > 0)
        return TS_ERR(EFL, OVERFLOW, "%s past logical end of file", write ? "write" : "read");
    return 0;
}

static int readv_external(void *ctx, const struct ts_io_vec *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (move_range(ctx, v[i].addr, v[i].size, v[i].buf, false) < 0)
            return -1;
    return 0;
}

static int writev_external(void *ctx, const struct ts_io_out *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (move_range(ctx, v[i].addr, v[i].size, (uint8_t *)(uintptr_t)v[i].buf, true) < 0)
            return -1;
    return 0;
}

static int external_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct external *e = ctx;
    return ts_xfer_file(&e->t->xfer, &e->store, 0, pieces, n);
}

int ts_transfer_external(struct ts_transfer *t)
{
    struct external e = {.t = t, .store = {.readv = readv_external, .writev = writev_external, .ctx = &e}};
    size_t n = t->core->external.n;
    if (ts_dataset_prefix(t->d, &ts_external_prefix, &e.prefix) < 0)
        return -1;
    e.drivers = ts_calloc(n, sizeof *e.drivers);
    int status = e.drivers ? ts_plan_linear(t->plan, external_pieces, &e) : -1;
    /* The files close with this call: what waits must be done before. */
    if (status == 0)
        status = ts_xfer_finish(&t->xfer);
    for (size_t i = 0; e.drivers && i < n; i++) {
        if (status == 0 && e.drivers[i] && t->write && t->core->file->sync.level == H5F_DURABILITY_FLUSH)
            status = ts_driver_sync(e.drivers[i]);
        ts_driver_close(e.drivers[i]);
    }
    ts_free(e.drivers);
    ts_free(e.prefix);
    return status;
}

static int store_names(struct ts_file *f, const struct ts_efl *efl, struct ts_efl_msg *msg)
{
    struct ts_lheap *heap;
    uint64_t room = 8;
    for (size_t i = 0; i < efl->n; i++)
        room += (strlen(efl->slots[i].name) + 1 + 7) & ~(uint64_t)7;
    if (ts_lheap_create(f, room, &msg->heap) < 0 || ts_lheap_open(f, msg->heap, &heap) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < efl->n && status == 0; i++) {
        const struct ts_efl_file *file = &efl->slots[i];
        msg->slots[i] = (struct ts_efl_slot){.offset = (uint64_t)file->offset, .size = file->size};
        status = ts_lheap_insert(heap, file->name, &msg->slots[i].name_offset);
    }
    ts_lheap_close(heap);
    return status;
}

int ts_external_encode(struct ts_file *f, const struct ts_efl *efl, haddr_t *heap, struct ts_wr *w)
{
    TS_IN_CHANGE(f);
    struct ts_efl_msg msg = {.n = efl->n, .allocated = efl->n};
    msg.slots = ts_calloc(efl->n ? efl->n : 1, sizeof *msg.slots);
    int status = msg.slots ? store_names(f, efl, &msg) : -1;
    *heap = msg.heap;
    if (status == 0)
        status = ts_efl_encode(&msg, ts_file_addr_size(f), ts_file_len_size(f), w);
    ts_free(msg.slots);
    return status;
}

int ts_external_heap_size(const struct ts_ohdr *oh, hsize_t *out)
{
    struct ts_msg_body body;
    struct ts_efl_msg msg;
    uint64_t bytes = 0;
    int found = ts_ohdr_load(oh, TS_MSG_EFL, &body);
    if (found <= 0)
        return found;
    int status = ts_efl_decode(body.data, body.size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), &msg);
    ts_msg_body_deinit(&body);
    if (status < 0)
        return -1;
    status = ts_lheap_storage(oh->file, msg.heap, &bytes);
    *out = bytes;
    ts_free(msg.slots);
    return status;
}
