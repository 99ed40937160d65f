#include "object/reference.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"
#include "heap/global_heap.h"
#include "object/setup.h"
#include "plist/fapl.h"

#define HEADER_SIZE 2
#define FLAG_EXTERNAL 1

void ts_ref_load(struct ts_ref *ref, const H5R_ref_t *from)
{
    memcpy(ref, from, sizeof *ref);
}

void ts_ref_store(const struct ts_ref *ref, H5R_ref_t *to)
{
    memset(to, 0, sizeof *to);
    memcpy(to, ref, sizeof *ref);
}

void ts_ref_deinit(struct ts_ref *ref)
{
    if (ref->fh)
        ts_fhandle_unref(ref->fh);
    ts_free(ref->file_name);
    ts_free(ref->region);
    ts_free(ref->attr);
    *ref = (struct ts_ref){0};
}

int ts_ref_copy(struct ts_ref *dst, const struct ts_ref *src)
{
    struct ts_ref copy = {
        .kind = src->kind, .rank = src->rank, .fh = src->fh, .addr = src->addr, .region_size = src->region_size};
    if (copy.fh)
        ts_fhandle_ref(copy.fh);
    if ((src->file_name && !(copy.file_name = ts_strdup(src->file_name))) ||
        (src->attr && !(copy.attr = ts_strdup(src->attr))) ||
        (src->region && !(copy.region = ts_memdup(src->region, src->region_size)))) {
        ts_ref_deinit(&copy);
        return -1;
    }
    *dst = copy;
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool ts_ref_equal(const struct ts_ref *a, const struct ts_ref *b)
{
    if (!a->fh || !b->fh)
        return a->fh == b->fh;
    return a->kind == b->kind && a->fh->file == b->fh->file && same_text(a->file_name, b->file_name) &&
           a->addr == b->addr && same_text(a->attr, b->attr) && a->rank == b->rank &&
           a->region_size == b->region_size &&
           (a->region_size == 0 || memcmp(a->region, b->region, a->region_size) == 0);
}

int ts_ref_locate(const struct ts_ref *ref, struct ts_plist *fapl, struct ts_loc *out)
{
    if (!ref->fh)
        return TS_ERR(REFERENCE, BADVALUE, "the reference refers to nothing");
    *out = (struct ts_loc){ref->fh, ref->addr};
    if (!ref->file_name) {
        ts_fhandle_ref(out->fh);
        return 0;
    }
    struct ts_plist *list = fapl ? fapl : ref->fh->file->fapl, *bound = NULL;
    /* An application that gives a list of its own says how the file is opened, but not where it may lie. */
    if (ref->fh->access && ts_fapl_for_named(list, ref->fh->access, H5F_EXTERNAL_LINK, &bound) < 0)
        return -1;
    int status = ts_fhandle_open(ref->file_name, ref->fh->flags, bound ? bound : list, &out->fh);
    ts_plist_unref(bound);
    return status;
}

/* n bytes as a string of their own. */
static char *read_text(struct ts_rd *r, size_t n)
{
    const uint8_t *bytes = ts_rd_bytes(r, n);
    return bytes ? ts_strndup((const char *)bytes, n) : NULL;
}

static int decode_region(struct ts_rd *r, struct ts_ref *out)
{
    size_t size = ts_rd_u32(r);
    out->rank = ts_rd_u32(r);
    const uint8_t *bytes = ts_rd_bytes(r, size);
    if (!bytes || size == 0 || out->rank > H5S_MAX_RANK)
        return TS_ERR(REFERENCE, CANTDECODE, "reference: a selection of %zu bytes and rank %u", size, out->rank);
    out->region = ts_memdup(bytes, size);
    out->region_size = size;
    return out->region ? 0 : -1;
}

static int decode_block(struct ts_rd *r, unsigned addr_size, unsigned flags, struct ts_ref *out)
{
    unsigned token = ts_rd_u8(r);
    if (r->bad || token != addr_size)
        return TS_ERR(REFERENCE, CANTDECODE, "reference: a token of %u bytes, addresses of %u", token, addr_size);
    out->addr = ts_rd_addr(r, addr_size);
    if (flags & FLAG_EXTERNAL && !(out->file_name = read_text(r, ts_rd_u16(r))))
        return TS_ERR(REFERENCE, CANTDECODE, "reference: no file name");
    if (out->kind == H5R_DATASET_REGION2 && decode_region(r, out) < 0)
        return -1;
    if (out->kind == H5R_ATTR && !(out->attr = read_text(r, ts_rd_u16(r))))
        return TS_ERR(REFERENCE, CANTDECODE, "reference: no attribute name");
    return r->bad ? TS_ERR(REFERENCE, CANTDECODE, "reference: too short") : 0;
}

static int decode_in_heap(struct ts_file *f, struct ts_rd *r, unsigned flags, struct ts_ref *out)
{
    void *data;
    size_t size;
    ts_rd_skip(r, 4);
    haddr_t collection = ts_rd_addr(r, ts_file_addr_size(f));
    uint32_t index = ts_rd_u32(r);
    if (r->bad)
        return TS_ERR(REFERENCE, CANTDECODE, "reference: too short");
    if (ts_gheap_read(f, collection, index, &data, &size) < 0)
        return -1;
    struct ts_rd block = ts_rd_init(data, size);
    int status = decode_block(&block, ts_file_addr_size(f), flags, out);
    ts_free(data);
    return status;
}

/* in_line: the block is, whatever kind it is of. */
static int decode(struct ts_file *f, const uint8_t *disk, size_t size, bool in_line, struct ts_ref *out)
{
    struct ts_rd r = ts_rd_init(disk, size);
    struct ts_ref ref = {.kind = ts_rd_u8(&r)};
    unsigned flags = ts_rd_u8(&r);
    *out = (struct ts_ref){0};
    if (!r.bad && ref.kind == 0)
        return 0;
    if (r.bad || ref.kind < H5R_OBJECT2 || ref.kind >= H5R_MAXTYPE)
        return TS_ERR(REFERENCE, CANTDECODE, "reference of kind %d in %zu bytes", ref.kind, size);
    in_line = in_line || (ref.kind == H5R_OBJECT2 && !(flags & FLAG_EXTERNAL));
    int status = in_line ? decode_block(&r, ts_file_addr_size(f), flags, &ref) : decode_in_heap(f, &r, flags, &ref);
    if (status == 0) {
        ts_file_ref(f);
        status = ts_fhandle_new(f, f->name, f->flags, &ref.fh);
    }
    if (status < 0) {
        ts_ref_deinit(&ref);
        return -1;
    }
    *out = ref;
    return 0;
}

int ts_ref_make(void *file, const uint8_t *disk, size_t size, void *to)
{
    struct ts_ref ref;
    if (decode(file, disk, size, false, &ref) < 0)
        return -1;
    ts_ref_store(&ref, to);
    return 0;
}

int ts_ref_make_in_line(void *file, const uint8_t *segment, size_t size, void *to)
{
    struct ts_ref ref;
    if (decode(file, segment, size, true, &ref) < 0)
        return -1;
    ts_ref_store(&ref, to);
    return 0;
}

void ts_ref_destroy(void *at)
{
    struct ts_ref ref;
    ts_ref_load(&ref, at);
    ts_ref_deinit(&ref);
    ts_ref_store(&ref, at);
}

bool ts_ref_is_in_heap(const uint8_t *disk, size_t size, unsigned addr_size)
{
    return size >= TS_REF_HEAP_ID + addr_size + 4 && disk[0] != 0 && disk[0] < H5R_MAXTYPE &&
           !(disk[0] == H5R_OBJECT2 && !(disk[1] & FLAG_EXTERNAL));
}

static void put_text(struct ts_wr *w, const char *text)
{
    size_t n = strlen(text);
    ts_put_uint(w, n, 2);
    ts_wr_bytes(w, text, n);
}

/* The name of the other file that the reference leads to from f, or NULL. */
static const char *other_file(const struct ts_file *f, const struct ts_ref *ref)
{
    if (ref->file_name)
        return ref->file_name;
    return ref->fh->file == f ? NULL : ref->fh->name;
}

static int encode_block(const struct ts_file *f, const struct ts_ref *ref, struct ts_wr *w)
{
    const char *other = other_file(f, ref);
    unsigned token = other && !ref->file_name ? ts_file_addr_size(ref->fh->file) : ts_file_addr_size(f);
    ts_wr_u8(w, (uint8_t)token);
    ts_put_addr(w, ref->addr, token);
    if (other)
        put_text(w, other);
    if (ref->kind == H5R_DATASET_REGION2) {
        ts_put_uint(w, ref->region_size, 4);
        ts_wr_u32(w, ref->rank);
        ts_wr_bytes(w, ref->region, ref->region_size);
    }
    if (ref->kind == H5R_ATTR)
        put_text(w, ref->attr);
    return ts_put_end(w);
}

int ts_ref_encode_in_line(const struct ts_file *f, const struct ts_ref *ref, struct ts_wr *segment)
{
    ts_wr_u8(segment, (uint8_t)ref->kind);
    ts_wr_u8(segment, other_file(f, ref) ? FLAG_EXTERNAL : 0);
    return encode_block(f, ref, segment);
}

int ts_ref_encode(const struct ts_file *f, const struct ts_ref *ref, uint8_t *disk, size_t size, struct ts_wr *block)
{
    bool external = other_file(f, ref) != NULL, in_line = ref->kind == H5R_OBJECT2 && !external;
    if (encode_block(f, ref, block) < 0)
        return -1;
    size_t need = in_line ? HEADER_SIZE + block->size : TS_REF_HEAP_ID + ts_file_addr_size(f) + 4;
    if (need > size || block->size > UINT32_MAX)
        return TS_ERR(REFERENCE, CANTENCODE, "a reference of %zu bytes in an element of %zu", need, size);
    memset(disk, 0, size);
    disk[0] = (uint8_t)ref->kind;
    disk[1] = external ? FLAG_EXTERNAL : 0;
    if (in_line) {
        memcpy(disk + HEADER_SIZE, block->data, block->size);
        return 0;
    }
    for (unsigned i = 0; i < 4; i++)
        disk[HEADER_SIZE + i] = (uint8_t)(block->size >> 8 * i);
    return 1;
}
