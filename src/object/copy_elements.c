/* Elements that refer to things in their file, on the way to another: sequences and regions get objects of the
 * destination's heap, references lead to copies. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/change.h"
#include "format/put.h"
#include "heap/global_heap.h"
#include "object/copy.h"
#include "object/reference.h"

struct walk {
    const struct ts_copy_elements *how;
    struct ts_file *from, *to;
    struct ts_gheap_writer writer;
    bool writing;
};

static int elements(struct walk *w, const struct ts_type *src, const struct ts_type *dst, size_t n, const uint8_t *s,
                    uint8_t *d);

int ts_copy_disk_type(const struct ts_copy *copy, const struct ts_type *src, struct ts_type **out)
{
    if (ts_object_check_type_bound(ts_copy_file(copy), src) < 0 || ts_type_copy(src, out) < 0)
        return -1;
    if (ts_type_set_loc(out, TS_LOC_DISK, ts_file_addr_size(ts_copy_file(copy))) >= 0)
        return 0;
    ts_type_unref(*out);
    return -1;
}

enum ts_copy_refs ts_copy_refs(const struct ts_copy *copy, const struct ts_file *from)
{
    if (from == ts_copy_file(copy))
        return TS_COPY_KEEP_REFS;
    return copy->flags & H5O_COPY_EXPAND_REFERENCE_FLAG ? TS_COPY_MOVE_REFS : TS_COPY_CLEAR_REFS;
}

/* Writes the heap id of the new object to d. */
static int put(struct walk *w, const void *data, size_t size, uint8_t *d)
{
    haddr_t collection;
    uint32_t index;
    struct ts_wr id = {0};
    if (!w->writing) {
        if (ts_gheap_begin(&w->writer, w->to) < 0)
            return -1;
        w->writing = true;
    }
    if (ts_gheap_put(&w->writer, data, size, &collection, &index) < 0)
        return -1;
    ts_put_addr(&id, collection, ts_file_addr_size(w->to));
    ts_wr_u32(&id, index);
    int status = ts_put_end(&id);
    if (status == 0)
        memcpy(d, id.data, id.size);
    ts_wr_free(&id);
    return status;
}

/* Ends the change that puts objects into the heap. */
static int pause_writing(struct walk *w, int status)
{
    if (!w->writing)
        return status;
    w->writing = false;
    return ts_gheap_end(&w->writer, status);
}

/* 1 and the object, or 0 when the id leads nowhere. */
static int get(const struct walk *w, struct ts_rd *r, void **data, size_t *size)
{
    haddr_t collection = ts_rd_addr(r, ts_file_addr_size(w->from));
    uint32_t index = ts_rd_u32(r);
    if (r->bad)
        return TS_ERR(HEAP, CANTDECODE, "an element is too short for the id of a heap object");
    if (collection == 0 || collection == HADDR_UNDEF)
        return 0;
    return ts_gheap_read(w->from, collection, index, data, size) < 0 ? -1 : 1;
}

static int put_sequence(struct walk *w, const struct ts_type *src, const struct ts_type *dst, uint32_t n,
                        const uint8_t *data, uint8_t *d)
{
    size_t src_size = (size_t)n * src->base->size, dst_size = (size_t)n * dst->base->size;
    if (n == 0 || !ts_type_has_vlen_or_ref(src->base))
        return put(w, data, src_size, d);
    uint8_t *moved = ts_calloc(n, dst->base->size);
    int status = moved ? elements(w, src->base, dst->base, n, data, moved) : -1;
    if (status == 0)
        status = put(w, moved, dst_size, d);
    ts_free(moved);
    return status;
}

static int sequence(struct walk *w, const struct ts_type *src, const struct ts_type *dst, const uint8_t *s, uint8_t *d)
{
    struct ts_rd r = ts_rd_init(s, src->size);
    uint32_t n = ts_rd_u32(&r);
    uint64_t need;
    void *data;
    size_t size;
    int found = get(w, &r, &data, &size);
    memset(d, 0, dst->size);
    if (found <= 0)
        return found;
    int status = 0;
    if (!ts_mul_u64(n, src->base->size, &need) || need > size)
        status =
            TS_ERR(HEAP, CANTDECODE, "a sequence of %u elements of %zu bytes has %zu bytes", n, src->base->size, size);
    for (unsigned i = 0; i < 4; i++)
        d[i] = (uint8_t)(n >> 8 * i);
    /* One without elements that is there stays so: readers tell "" from NULL. */
    if (status == 0)
        status = put_sequence(w, src, dst, n, data, d + 4);
    ts_free(data);
    return status;
}

/* A reference counts as a link: what it leads to stays. */
static int move_addr(struct walk *w, haddr_t from, haddr_t *to)
{
    struct ts_loc loc = {w->how->from, from};
    if (w->how->refs == TS_COPY_KEEP_REFS) {
        *to = from;
        return 0;
    }
    /* What is copied stays when this fails: its own change is not inside another. */
    if (pause_writing(w, 0) < 0 || ts_copy_object(w->how->copy, &loc, TS_COPY_REFERENCE, to) < 0)
        return TS_ERR(REFERENCE, CANTCOPY, "cannot copy the object at %#llx that a reference leads to",
                      (unsigned long long)from);
    if (ts_change_begin(w->to) < 0)
        return -1;
    return ts_change_end(w->to, ts_object_link(w->to, *to, 1));
}

static bool is_nowhere(haddr_t addr)
{
    return addr == 0 || addr == HADDR_UNDEF;
}

static int object_ref(struct walk *w, const struct ts_type *src, const struct ts_type *dst, const uint8_t *s,
                      uint8_t *d)
{
    struct ts_rd r = ts_rd_init(s, src->size);
    haddr_t from = ts_rd_addr(&r, ts_file_addr_size(w->from)), to;
    struct ts_wr out = {0};
    if (r.bad || is_nowhere(from))
        return r.bad ? TS_ERR(REFERENCE, CANTDECODE, "an object reference of %zu bytes", src->size) : 0;
    if (move_addr(w, from, &to) < 0)
        return -1;
    ts_put_addr(&out, to, ts_file_addr_size(w->to));
    int status = ts_put_end(&out);
    if (status == 0 && out.size <= dst->size)
        memcpy(d, out.data, out.size);
    ts_wr_free(&out);
    return status;
}

/* The heap object of a region: the address of the dataset, then the selection. */
static int move_region(struct walk *w, const uint8_t *data, size_t size, uint8_t *d)
{
    struct ts_rd r = ts_rd_init(data, size);
    haddr_t from = ts_rd_addr(&r, ts_file_addr_size(w->from)), to;
    struct ts_wr out = {0};
    if (r.bad)
        return TS_ERR(REFERENCE, CANTDECODE, "a region of %zu bytes", size);
    if (is_nowhere(from))
        return 0;
    if (move_addr(w, from, &to) < 0)
        return -1;
    ts_put_addr(&out, to, ts_file_addr_size(w->to));
    ts_wr_bytes(&out, data + ts_file_addr_size(w->from), size - ts_file_addr_size(w->from));
    int status = ts_put_end(&out);
    if (status == 0)
        status = put(w, out.data, out.size, d);
    ts_wr_free(&out);
    return status;
}

static int region_ref(struct walk *w, const struct ts_type *src, const uint8_t *s, uint8_t *d)
{
    struct ts_rd r = ts_rd_init(s, src->size);
    void *data;
    size_t size;
    int found = get(w, &r, &data, &size);
    if (found <= 0)
        return found;
    int status = move_region(w, data, size, d);
    ts_free(data);
    return status;
}

/* The references that came with 1.12. One that leads to another file does so still. */
static int revised_ref(struct walk *w, const struct ts_type *src, const struct ts_type *dst, const uint8_t *s,
                       uint8_t *d)
{
    H5R_ref_t stored;
    struct ts_ref ref;
    struct ts_wr block = {0};
    if (ts_ref_make(w->from, src->u.ref.kind, s, src->size, &stored) < 0)
        return -1;
    ts_ref_load(&ref, &stored);
    int status = 0;
    if (ref.fh) {
        struct ts_fhandle *own = ref.fh;
        if (!ref.file_name)
            status = move_addr(w, ref.addr, &ref.addr);
        ref.fh = w->how->copy->to;
        if (status == 0)
            status = ts_ref_encode(w->to, &ref, d, dst->size, &block);
        ref.fh = own;
    }
    if (status > 0)
        status = put(w, block.data, block.size, d + TS_REF_HEAP_ID);
    ts_wr_free(&block);
    ts_ref_deinit(&ref);
    return status;
}

static int reference(struct walk *w, const struct ts_type *src, const struct ts_type *dst, const uint8_t *s, uint8_t *d)
{
    memset(d, 0, dst->size);
    if (w->how->refs == TS_COPY_CLEAR_REFS)
        return 0;
    switch (src->u.ref.kind) {
    case H5R_OBJECT1:
        return object_ref(w, src, dst, s, d);
    case H5R_DATASET_REGION1:
        return region_ref(w, src, s, d);
    default:
        return revised_ref(w, src, dst, s, d);
    }
}

static int compound(struct walk *w, const struct ts_type *src, const struct ts_type *dst, const uint8_t *s, uint8_t *d)
{
    if (src->size == dst->size)
        memcpy(d, s, src->size);
    else
        memset(d, 0, dst->size);
    for (size_t i = 0; i < src->u.compound.n; i++) {
        const struct ts_member *from = &src->u.compound.members[i], *to = &dst->u.compound.members[i];
        if (elements(w, from->type, to->type, 1, s + from->offset, d + to->offset) < 0)
            return -1;
    }
    return 0;
}

static int element(struct walk *w, const struct ts_type *src, const struct ts_type *dst, const uint8_t *s, uint8_t *d)
{
    switch (src->cls) {
    case H5T_VLEN:
        return sequence(w, src, dst, s, d);
    case H5T_REFERENCE:
        return reference(w, src, dst, s, d);
    case H5T_COMPOUND:
        return compound(w, src, dst, s, d);
    case H5T_ARRAY:
        return elements(w, src->base, dst->base, src->u.array.n_elements, s, d);
    default:
        return TS_ERR(DATATYPE, UNSUPPORTED, "elements of class %d that refer to something", (int)src->cls);
    }
}

static int elements(struct walk *w, const struct ts_type *src, const struct ts_type *dst, size_t n, const uint8_t *s,
                    uint8_t *d)
{
    if (!ts_type_has_vlen_or_ref(src)) {
        memcpy(d, s, n * src->size);
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        if (element(w, src, dst, s + i * src->size, d + i * dst->size) < 0)
            return -1;
    return 0;
}

int ts_copy_elements(const struct ts_copy_elements *how, size_t n, const void *src, void *dst)
{
    struct walk w = {.how = how, .from = how->from->file, .to = ts_copy_file(how->copy)};
    ts_file_lock_two(w.from, w.to);
    int status = pause_writing(&w, elements(&w, how->src, how->dst, n, src, dst));
    ts_file_unlock_two(w.from, w.to);
    return status;
}
