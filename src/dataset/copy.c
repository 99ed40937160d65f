#include "dataset/copy.h"

#include <string.h>

#include "base/abi.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/lock.h"
#include "dataset/chunks.h"
#include "dataset/layouts.h"
#include "dataset/struct_chunk.h"
#include "dataset/virtual.h"
#include "file/change.h"
#include "heap/global_heap.h"
#include "meta/meta.h"
#include "plist/fapl.h"

/* Bytes that are read and written at once. */
#define PIECE (1024 * 1024)

/* The type of a dataset's elements in both files. */
struct types {
    struct ts_type *src, *dst;
};

static void types_deinit(struct types *t)
{
    ts_type_unref(t->src);
    ts_type_unref(t->dst);
}

static int types_load(const struct ts_copy *c, const struct ts_ohdr *oh, struct types *t)
{
    struct ts_msg_body body;
    size_t used;
    *t = (struct types){NULL, NULL};
    int found = ts_ohdr_load(oh, TS_MSG_TYPE, &body);
    if (found == 1 && (ts_type_decode(body.data, body.size, &used, &t->src) < 0 ||
                       ts_type_set_loc(&t->src, TS_LOC_DISK, ts_file_addr_size(oh->file)) < 0))
        found = -1;
    ts_msg_body_deinit(&body);
    if (found == 1 && ts_copy_disk_type(c, t->src, &t->dst) == 0)
        return 0;
    types_deinit(t);
    return found == 0 ? TS_ERR(DATASET, CANTINIT, "a dataset without a datatype") : -1;
}

/* What references there lead to is not copied for it. */
static int copy_value(struct ts_copy *c, const struct ts_ohdr *oh, const struct types *t, const uint8_t *value,
                      uint8_t *out)
{
    struct ts_copy_elements how = {.copy = c, .src = t->src, .dst = t->dst, .refs = TS_COPY_CLEAR_REFS};
    if (oh->file == ts_copy_file(c))
        how.refs = TS_COPY_KEEP_REFS;
    /* A header is at hand, but not the handle of its file. */
    ts_file_ref(oh->file);
    if (ts_fhandle_new(oh->file, oh->file->name, oh->file->flags, &how.from) < 0)
        return -1;
    int status = ts_copy_elements(&how, 1, value, out);
    ts_fhandle_unref(how.from);
    return status;
}

static int copy_fill_value(struct ts_copy *c, const struct ts_ohdr *oh, const struct types *t, struct ts_fill_msg *msg,
                           struct ts_wr *w)
{
    uint8_t *value = ts_calloc(1, t->dst->size);
    if (!value)
        return -1;
    int status = msg->size == t->src->size
                     ? copy_value(c, oh, t, msg->value, value)
                     : TS_ERR(DATASET, BADSIZE, "a fill value of %zu bytes, elements of %zu", msg->size, t->src->size);
    msg->value = value;
    msg->size = t->dst->size;
    if (status == 0)
        status = ts_fill_encode(msg, w);
    ts_free(value);
    return status;
}

static int copy_fill(struct ts_copy *c, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                     struct ts_copy_msg *out)
{
    struct ts_fill_msg msg;
    struct types t;
    if ((out->type == TS_MSG_FILL ? ts_fill_decode(body->data, body->size, &msg)
                                  : ts_fill_decode_old(body->data, body->size, &msg)) < 0 ||
        types_load(c, oh, &t) < 0)
        return -1;
    int status = 0;
    if (msg.state == H5D_FILL_VALUE_USER_DEFINED && ts_type_has_vlen_or_ref(t.src))
        status = copy_fill_value(c, oh, &t, &msg, &out->body);
    else
        ts_wr_bytes(&out->body, body->data, body->size);
    types_deinit(&t);
    return status;
}

static int copy_external(struct ts_copy *c, const struct ts_ohdr *oh, struct ts_copy_msg *out)
{
    struct ts_file *f = ts_copy_file(c);
    struct ts_efl efl;
    if (ts_ohdr_efl(oh, &efl) < 0)
        return -1;
    int status = ts_change_begin(f);
    if (status == 0)
        status = ts_change_end(f, ts_external_encode(f, &efl, &out->child, &out->body));
    ts_efl_deinit(&efl);
    return status;
}

static int check_version(const struct ts_copy *c, const struct ts_layout *l)
{
    H5F_libver_t high;
    if (ts_fapl_libver_high(ts_copy_file(c)->fapl, &high) < 0)
        return -1;
    if (l->version >= 4 && high < (l->version >= 5 ? TS_ABI_LIBVER_LATEST : H5F_LIBVER_V110))
        return TS_ERR(DATASET, BADRANGE,
                      "a layout of version %u needs a newer format than the file's high bound allows", l->version);
    return 0;
}

/* The copy has an index of its own: it need not be in the format of HDF5 2.0 because the source is. */
static void choose_version(const struct ts_copy *c, struct ts_layout *l)
{
    uint64_t bytes = l->chunk.element_size;
    if (l->cls != H5D_CHUNKED || l->version < 5 || ts_file_low_bound(ts_copy_file(c)) >= H5F_LIBVER_V200)
        return;
    for (unsigned i = 0; i < l->chunk.rank; i++)
        if (!ts_mul_u64(bytes, l->chunk.dims[i], &bytes) || bytes > UINT32_MAX)
            return;
    l->version = 4;
}

/* Elements are counted by their size in the source. */
static int resize(uint64_t *bytes, const struct types *t)
{
    uint64_t n = *bytes / t->src->size;
    return ts_mul_u64(n, t->dst->size, bytes) ? 0 : TS_ERR(DATASET, OVERFLOW, "the data do not fit in 64 bits");
}

static int clear_compact(struct ts_layout *l, const struct types *t)
{
    uint64_t size = l->compact.size;
    if (!ts_type_has_vlen_or_ref(t->src))
        return 0;
    if (resize(&size, t) < 0)
        return -1;
    uint8_t *zeros = ts_calloc(1, size ? (size_t)size : 1);
    if (!zeros)
        return -1;
    ts_free(l->compact.data);
    l->compact.data = zeros;
    l->compact.size = (size_t)size;
    return 0;
}

/* Elements of structured chunks are as on disk where they have no heap. */
static int clear_structured(const struct ts_copy *c, struct ts_layout *l, const struct types *t)
{
    struct ts_type *type = ts_type_ref(t->dst);
    int status = 0;
    if (l->chunk.struct_type & TS_STRUCT_VL)
        status = ts_type_set_loc(&type, TS_LOC_CHUNK, ts_file_addr_size(ts_copy_file(c)));
    l->chunk.element_size = (uint32_t)ts_type_size(type);
    ts_type_unref(type);
    if (l->chunk.index == TS_CHUNK_INDEX_SINGLE) {
        l->chunk.u.single.filtered_size = 0;
        l->chunk.u.single.sections = (struct ts_chunk_sections){.n = l->chunk.u.single.sections.n};
    }
    return status < 0 ? -1 : 0;
}

/* The layout before there is any storage. Compact data that refer to nothing are there already. */
static int clear_layout(const struct ts_copy *c, struct ts_layout *l, const struct types *t)
{
    l->addr = HADDR_UNDEF;
    l->virtual.index = 0;
    if (l->version < 3)
        l->version = 3;
    switch (l->cls) {
    case H5D_COMPACT:
        return clear_compact(l, t);
    case H5D_CHUNKED:
        l->chunk.element_size = (uint32_t)t->dst->size;
        if (l->version >= 4 && l->chunk.index == TS_CHUNK_INDEX_SINGLE)
            l->chunk.u.single.filtered_size = l->chunk.u.single.filter_mask = 0;
        return 0;
    case H5D_STRUCT_CHUNK:
        return clear_structured(c, l, t);
    case H5D_CONTIGUOUS:
        return t->src->size == t->dst->size ? 0 : resize(&l->contiguous.size, t);
    default:
        return 0;
    }
}

/* Layouts of old do not say how large the data are. */
static int know_size(const struct ts_ohdr *oh, const struct types *t, struct ts_layout *l)
{
    struct ts_space *space;
    if (l->cls != H5D_CONTIGUOUS || l->contiguous.known)
        return 0;
    if (ts_ohdr_space(oh, &space) != 1)
        return TS_ERR(DATASET, CANTINIT, "a dataset without a dataspace");
    bool fits = ts_mul_u64(ts_space_npoints(space), t->src->size, &l->contiguous.size);
    ts_space_unref(space);
    l->contiguous.known = true;
    return fits ? 0 : TS_ERR(DATASET, OVERFLOW, "the data do not fit in 64 bits");
}

static int copy_layout(struct ts_copy *c, const struct ts_ohdr *oh, const struct ts_msg_body *body, struct ts_wr *w)
{
    struct ts_file *f = ts_copy_file(c);
    struct ts_layout l;
    struct types t;
    if (types_load(c, oh, &t) < 0)
        return -1;
    int status = t.src->size == 0 ? TS_ERR(DATASET, BADSIZE, "elements of no size") : 0;
    if (status == 0)
        status = ts_layout_decode(body->data, body->size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), &l);
    if (status == 0) {
        choose_version(c, &l);
        status = check_version(c, &l);
        if (status == 0)
            status = know_size(oh, &t, &l);
        if (status == 0)
            status = clear_layout(c, &l, &t);
        if (status == 0)
            status = ts_layout_encode(&l, ts_file_addr_size(f), ts_file_len_size(f), w);
        ts_layout_deinit(&l);
    }
    types_deinit(&t);
    return status;
}

int ts_dataset_copy_check(const struct ts_ohdr *oh)
{
    struct ts_dataset_core *core;
    if (ts_dataset_core_peek(oh->file, oh->addr, &core) < 0)
        return -1;
    ts_dataset_core_drop(core);
    return 0;
}

int ts_dataset_copy_message(struct ts_copy *c, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                            struct ts_copy_msg *out)
{
    int status;
    switch (out->type) {
    case TS_MSG_LAYOUT:
        status = copy_layout(c, oh, body, &out->body);
        break;
    case TS_MSG_FILL:
    case TS_MSG_FILL_OLD:
        status = copy_fill(c, oh, body, out);
        break;
    case TS_MSG_EFL:
        status = copy_external(c, oh, out);
        break;
    default:
        return 0;
    }
    return status < 0 ? -1 : 1;
}

/* A dataset on its way, with the source's lock for reading. */
struct copier {
    struct ts_copy *copy;
    struct ts_dataset_core *src, *dst;
    struct ts_copy_elements how;
    bool flat; /* elements refer to nothing: bytes are copied as they are stored */
    uint8_t *buf, *moved;
    size_t buf_size, moved_size; /* bytes there are */
    size_t n_recs, recs_capacity;
    struct ts_chunk_rec *recs; /* chunks that are on file, and not in the index yet */
};

static int need(uint8_t **buf, size_t *have, uint64_t size)
{
    if (size <= *have)
        return 0;
    uint8_t *larger = size <= SIZE_MAX ? ts_realloc(*buf, (size_t)size) : NULL;
    if (!larger)
        return -1;
    *buf = larger;
    *have = (size_t)size;
    return 0;
}

/* n elements at src in the source's file to dst. */
static int copy_range(struct copier *p, haddr_t src, haddr_t dst, uint64_t n)
{
    TS_MAY_MOVE_RAW_DATA();
    size_t from = p->flat ? 1 : p->how.src->size, to = p->flat ? 1 : p->how.dst->size;
    uint64_t most = PIECE / from ? PIECE / from : 1;
    if (n == 0)
        return 0;
    if (need(&p->buf, &p->buf_size, (n < most ? n : most) * from) < 0 ||
        (!p->flat && need(&p->moved, &p->moved_size, (n < most ? n : most) * to) < 0))
        return -1;
    for (uint64_t done = 0; done < n;) {
        size_t now = (size_t)(n - done < most ? n - done : most);
        if (ts_file_read(p->src->file, src + done * from, now * from, p->buf) < 0 ||
            (!p->flat && ts_copy_elements(&p->how, now, p->buf, p->moved) < 0) ||
            ts_file_write(p->dst->file, dst + done * to, now * to, p->flat ? p->buf : p->moved) < 0)
            return -1;
        done += now;
    }
    return 0;
}

static int store_layout(struct copier *p)
{
    struct ts_file *f = p->dst->file;
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, ts_dataset_store_layout(p->dst));
}

static int copy_contiguous(struct copier *p)
{
    struct ts_layout *from = &p->src->layout, *to = &p->dst->layout;
    uint64_t bytes = to->contiguous.size;
    haddr_t addr;
    if (from->addr == HADDR_UNDEF || p->src->external.n > 0 || bytes == 0)
        return 0;
    if (!ts_file_has(p->src->file, from->addr, from->contiguous.size))
        return TS_ERR(DATASET, READERROR, "%llu bytes at %#llx lie behind the end of the file",
                      (unsigned long long)from->contiguous.size, (unsigned long long)from->addr);
    if (ts_chunk_alloc(p->dst, bytes, &addr) < 0)
        return -1;
    uint64_t n = p->flat ? from->contiguous.size : from->contiguous.size / p->how.src->size;
    if (copy_range(p, from->addr, addr, n) < 0) {
        ts_chunk_free(p->dst, &(struct ts_chunk_rec){.addr = addr, .size = bytes});
        return -1;
    }
    to->addr = addr;
    if (store_layout(p) == 0)
        return 0;
    ts_chunk_free(p->dst, &(struct ts_chunk_rec){.addr = addr, .size = bytes});
    return -1;
}

static int copy_compact(struct copier *p)
{
    const struct ts_layout *from = &p->src->layout;
    if (p->flat || from->compact.size == 0)
        return 0;
    if (ts_copy_elements(&p->how, from->compact.size / p->how.src->size, from->compact.data,
                         p->dst->layout.compact.data) < 0)
        return -1;
    return store_layout(p);
}

static int copy_virtual(struct copier *p)
{
    struct ts_layout *to = &p->dst->layout;
    struct ts_file *f = p->dst->file;
    struct ts_dataset *d;
    struct ts_loc loc = {p->how.from, p->src->addr};
    struct ts_wr w = {0};
    if (p->src->layout.addr == HADDR_UNDEF)
        return 0;
    if (ts_dataset_open_aside(&loc, NULL, NULL, &d) < 0)
        return -1;
    int status = ts_virtual_encode(ts_virtual_maps(d->virtual), ts_file_len_size(f), ts_file_low_bound(f), &w);
    ts_dataset_unref(d);
    if (status == 0)
        status = ts_change_begin(f);
    if (status == 0) {
        status = ts_gheap_insert(f, w.data, w.size, &to->addr, &to->virtual.index);
        if (status == 0)
            status = ts_dataset_store_layout(p->dst);
        if (status == 0)
            status = ts_meta_depend(f, p->dst->addr, to->addr);
        status = ts_change_end(f, status);
    }
    ts_wr_free(&w);
    return status;
}

/* Chunks of the source, packed: the records of the index have room for every rank. */
struct places {
    unsigned rank;
    size_t n, capacity;
    struct place {
        haddr_t addr;
        uint64_t size;
        uint32_t filter_mask;
    } * items;
    size_t scaled_capacity;
    hsize_t *scaled; /* rank for each */
    size_t sections_capacity;
    struct ts_chunk_sections *sections; /* of structured chunks, else NULL */
};

static void places_deinit(struct places *all)
{
    ts_free(all->items);
    ts_free(all->scaled);
    ts_free(all->sections);
}

static int note_place(const struct ts_chunk_rec *rec, void *ctx)
{
    struct places *all = ctx;
    if (TS_GROW(all->items, all->capacity, all->n + 1) < 0 ||
        TS_GROW(all->scaled, all->scaled_capacity, (all->n + 1) * all->rank) < 0)
        return -1;
    if (rec->sections.n > 0) {
        if (TS_GROW(all->sections, all->sections_capacity, all->n + 1) < 0)
            return -1;
        all->sections[all->n] = rec->sections;
    }
    all->items[all->n] = (struct place){rec->addr, rec->size, rec->filter_mask};
    memcpy(all->scaled + all->n * all->rank, rec->scaled, all->rank * sizeof *all->scaled);
    all->n++;
    return 0;
}

/* While the source cannot change: no I/O may be done inside the index. */
static int list_places(struct ts_dataset_core *core, struct places *all)
{
    struct ts_chunk_index *index;
    *all = (struct places){.rank = core->rank};
    ts_file_lock(core->file);
    int status = ts_dataset_core_index(core, &index);
    if (status == 0)
        status = ts_chunk_index_iterate(index, note_place, all);
    ts_file_unlock(core->file);
    if (status != 0)
        places_deinit(all);
    return status;
}

static int enter_chunks(struct copier *p)
{
    int status = ts_chunks_enter(p->dst, p->recs, p->n_recs);
    p->n_recs = 0;
    return status;
}

/* Chunks enter the index some at a time. */
enum { BATCH = 256 };

/* On file; the index is told later. */
static int note_chunk(struct copier *p, const struct ts_chunk_rec *rec)
{
    if (TS_GROW(p->recs, p->recs_capacity, p->n_recs + 1) < 0) {
        ts_chunk_free(p->dst, rec);
        return -1;
    }
    p->recs[p->n_recs++] = *rec;
    return p->n_recs == BATCH ? enter_chunks(p) : 0;
}

/* As it is stored. */
static int copy_stored(struct copier *p, const struct ts_chunk_rec *rec)
{
    struct ts_chunk_rec to = *rec;
    if (rec->sections.n == 0 && p->src->pipeline.n == 0 && rec->size != p->src->chunk_bytes)
        return TS_ERR(DATASET, BADSIZE, "a chunk of %llu bytes is stored as %llu",
                      (unsigned long long)p->src->chunk_bytes, (unsigned long long)rec->size);
    if (!ts_file_has(p->src->file, rec->addr, rec->size))
        return TS_ERR(DATASET, READERROR, "a chunk of %llu bytes at %#llx lies behind the end of the file",
                      (unsigned long long)rec->size, (unsigned long long)rec->addr);
    if (ts_chunk_alloc(p->dst, rec->size, &to.addr) < 0)
        return -1;
    if (copy_range(p, rec->addr, to.addr, rec->size) < 0) {
        ts_chunk_free(p->dst, &to);
        return -1;
    }
    return note_chunk(p, &to);
}

static int load_decoded(struct copier *p, const struct ts_chunk_rec *rec, void **bytes)
{
    if (ts_dataset_core_chunk_filtered(p->src, p->src->sc.dims, rec->scaled))
        return ts_chunk_decode(p->src, rec, bytes);
    if (rec->size < p->src->chunk_bytes || !ts_file_has(p->src->file, rec->addr, rec->size))
        return TS_ERR(DATASET, BADSIZE, "a chunk of %llu bytes is stored as %llu at %#llx",
                      (unsigned long long)p->src->chunk_bytes, (unsigned long long)rec->size,
                      (unsigned long long)rec->addr);
    *bytes = ts_malloc((size_t)p->src->chunk_bytes);
    if (!*bytes)
        return -1;
    if (ts_file_read(p->src->file, rec->addr, (size_t)p->src->chunk_bytes, *bytes) == 0)
        return 0;
    ts_free(*bytes);
    return -1;
}

/* Decoded bytes of the copy, which this call frees. */
static int store_decoded(struct copier *p, const hsize_t *scaled, void *bytes)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_dataset_core *dst = p->dst;
    struct ts_chunk_rec rec = {.filter_mask = 0};
    size_t size = (size_t)dst->chunk_bytes;
    int status = 0;
    memcpy(rec.scaled, scaled, dst->rank * sizeof *scaled);
    if (ts_dataset_core_chunk_filtered(dst, dst->sc.dims, scaled))
        status = ts_pipeline_encode(&dst->pipeline, &bytes, &size, &rec.filter_mask, NULL);
    rec.size = size;
    if (status == 0)
        status = ts_chunk_alloc(dst, rec.size, &rec.addr);
    if (status == 0) {
        status = ts_file_write(dst->file, rec.addr, size, bytes);
        if (status < 0)
            ts_chunk_free(dst, &rec);
        else
            status = note_chunk(p, &rec);
    }
    ts_free(bytes);
    return status;
}

/* Element by element; filters run again on what comes out. */
static int copy_decoded(struct copier *p, const struct ts_chunk_rec *rec)
{
    void *bytes;
    if (load_decoded(p, rec, &bytes) < 0)
        return -1;
    void *moved = ts_calloc(1, (size_t)p->dst->chunk_bytes);
    int status = moved ? ts_copy_elements(&p->how, (size_t)(p->src->chunk_bytes / p->how.src->size), bytes, moved) : -1;
    ts_free(bytes);
    if (status < 0) {
        ts_free(moved);
        return -1;
    }
    return store_decoded(p, rec->scaled, moved);
}

/* A chunk of which only values change. */
static int copy_values(struct copier *p, struct ts_struct_chunk *c)
{
    size_t size = p->how.src->size;
    for (size_t i = 0; i < c->n_bins; i++) {
        struct ts_struct_bin *b = &c->bins[i];
        if (b->n == 0)
            continue;
        if (need(&p->moved, &p->moved_size, b->n * size) < 0 ||
            ts_copy_elements(&p->how, b->n, b->values, p->moved) < 0)
            return -1;
        memcpy(b->values, p->moved, b->n * size);
    }
    return 0;
}

static int store_structured(struct copier *p, const hsize_t *scaled, struct ts_sc_coded *coded)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_chunk_rec rec = {.size = coded->at.size};
    memcpy(rec.scaled, scaled, p->dst->rank * sizeof *scaled);
    memcpy(&rec.sections, (const uint8_t *)coded->bytes + coded->at.size, sizeof rec.sections);
    if (ts_chunk_alloc(p->dst, rec.size, &rec.addr) < 0)
        return -1;
    if (ts_file_write(p->dst->file, rec.addr, (size_t)rec.size, coded->bytes) < 0) {
        ts_chunk_free(p->dst, &rec);
        return -1;
    }
    return note_chunk(p, &rec);
}

/* References to objects, in elements without a heap. */
static int copy_references(struct copier *p, const struct ts_chunk_rec *rec)
{
    struct ts_chunk_sections sections = rec->sections;
    struct ts_sc_stored at = {.addr = rec->addr, .size = rec->size, .udata = &sections};
    struct ts_sc_coding how = {.at = &at,
                               .partial_bound = ts_dataset_core_chunk_partial(p->src, p->src->sc.dims, rec->scaled)};
    struct ts_sc_coded coded = {.bytes = NULL};
    const char *problem = ts_sections_problem(&sections, ts_struct_sections(p->src->layout.chunk.struct_type),
                                              p->src->filtered, rec->size);
    if (p->src->chunk_type || p->how.src->size != p->how.dst->size)
        return TS_ERR(DATASET, UNSUPPORTED, "structured chunks with references are copied within a file only");
    if (problem || !ts_file_has(p->src->file, rec->addr, rec->size))
        return TS_ERR(DATASET, READERROR, "the chunk at %#llx: %s", (unsigned long long)rec->addr,
                      problem ? problem : "it lies behind the end of the file");
    struct ts_sc_data d = {.chunk = ts_malloc((size_t)rec->size + 1), .used = (size_t)rec->size};
    if (!d.chunk)
        return -1;
    if (ts_file_read(p->src->file, rec->addr, d.used, d.chunk) < 0 || ts_struct_decode(p->src, &how, &d) < 0) {
        ts_free(d.chunk);
        return -1;
    }
    int status = copy_values(p, d.chunk);
    if (status == 0)
        status = ts_struct_encode(p->dst, &how, &d, &coded);
    if (status == 0)
        status = store_structured(p, rec->scaled, &coded);
    ts_free(coded.bytes);
    ts_struct_chunk_free(d.chunk);
    return status;
}

/* Its chunks have their places by their number. */
static int copy_implicit(struct copier *p, const struct ts_chunk_rec *rec)
{
    struct ts_chunk_rec to;
    int found = ts_chunk_locate(p->dst, rec->scaled, &to);
    if (found != 1)
        return found < 0 ? -1 : TS_ERR(DATASET, NOTFOUND, "a chunk has no place in the copy");
    return copy_range(p, rec->addr, to.addr, p->flat ? rec->size : rec->size / p->how.src->size);
}

static int create_implicit(struct copier *p)
{
    struct ts_chunk_index *index;
    struct ts_file *f = p->dst->file;
    if (ts_dataset_core_index(p->dst, &index) < 0 || ts_change_begin(f) < 0)
        return -1;
    int status = ts_chunk_index_create(index);
    if (status == 0)
        status = ts_dataset_store_layout(p->dst);
    return ts_change_end(f, status);
}

static int copy_chunks(struct copier *p, const struct places *all)
{
    bool implicit = p->dst->layout.chunk.index == TS_CHUNK_INDEX_IMPLICIT;
    int status = implicit && all->n > 0 ? create_implicit(p) : 0;
    for (size_t i = 0; i < all->n && status == 0; i++) {
        struct ts_chunk_rec rec = {
            .addr = all->items[i].addr, .size = all->items[i].size, .filter_mask = all->items[i].filter_mask};
        memcpy(rec.scaled, all->scaled + i * all->rank, all->rank * sizeof *all->scaled);
        if (all->sections)
            rec.sections = all->sections[i];
        status = implicit        ? copy_implicit(p, &rec)
                 : p->flat       ? copy_stored(p, &rec)
                 : all->sections ? copy_references(p, &rec)
                                 : copy_decoded(p, &rec);
    }
    return status == 0 ? enter_chunks(p) : status;
}

static int copy_chunked(struct copier *p)
{
    struct places all;
    if (!p->src->allocated)
        return 0;
    if (list_places(p->src, &all) < 0)
        return -1;
    int status = copy_chunks(p, &all);
    for (size_t i = 0; i < p->n_recs; i++)
        ts_chunk_free(p->dst, &p->recs[i]);
    places_deinit(&all);
    return status;
}

static int copy_data(struct copier *p)
{
    switch (p->src->layout.cls) {
    case H5D_COMPACT:
        return copy_compact(p);
    case H5D_CONTIGUOUS:
        return copy_contiguous(p);
    case H5D_CHUNKED:
    case H5D_STRUCT_CHUNK:
        return copy_chunked(p);
    case H5D_VIRTUAL:
        return copy_virtual(p);
    default:
        return TS_ERR(DATASET, UNSUPPORTED, "layout %d", (int)p->src->layout.cls);
    }
}

static int copy_locked(struct copier *p)
{
    p->how.src = p->src->type;
    p->how.dst = p->dst->type;
    p->flat = !ts_type_has_vlen_or_ref(p->src->type);
    /* A chunk with a heap of its own takes it along. */
    if (p->src->layout.cls == H5D_STRUCT_CHUNK)
        p->flat = p->how.refs == TS_COPY_KEEP_REFS || !ts_type_has_class(p->src->type, H5T_REFERENCE, false);
    int status = copy_data(p);
    ts_free(p->buf);
    ts_free(p->moved);
    ts_free(p->recs);
    return status;
}

static int lock_both(const struct copier *p)
{
    if (ts_dataset_core_lock_read(p->src) < 0)
        return -1;
    if (ts_dataset_core_lock_write(p->dst) == 0)
        return 0;
    ts_dataset_core_unlock(p->src);
    return -1;
}

int ts_dataset_copy_rest(struct ts_copy *c, const struct ts_copy_item *item)
{
    struct copier p = {.copy = c, .how = {.copy = c, .from = item->from.fh}};
    p.how.refs = ts_copy_refs(c, item->from.fh->file);
    if (ts_dataset_core_open(item->from.fh->file, item->from.addr, &p.src) < 0)
        return -1;
    int status = ts_dataset_core_open(ts_copy_file(c), item->to, &p.dst);
    if (status == 0)
        status = lock_both(&p);
    if (status == 0) {
        if (ts_sc_dset_dirty(&p.src->sc))
            status = H5SC_flush_dset(&p.src->sc, false);
        if (status == 0)
            status = copy_locked(&p);
        ts_dataset_core_unlock(p.dst);
        ts_dataset_core_unlock(p.src);
    }
    ts_dataset_core_unref(p.dst);
    ts_dataset_core_unref(p.src);
    return status;
}
