#include "object/reference.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"
#include "heap/global_heap.h"
#include "plist/fapl.h"
#include "space/space.h"

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

int ts_ref_set_region(struct ts_ref *ref, struct ts_space *space)
{
    struct ts_wr w = {0};
    struct ts_space *copy;
    if (ts_space_snapshot(space, &copy) < 0)
        return -1;
    int status = ts_space_encode_selection(copy, H5F_LIBVER_V112, &w);
    ref->rank = ts_space_rank(copy);
    ts_space_unref(copy);
    if (status < 0 || w.bad) {
        ts_wr_free(&w);
        return -1;
    }
    ref->region = w.data;
    ref->region_size = w.size;
    return 0;
}

/* The library of the file's high bound must know the version, which follows the kind of the selection. */
static int check_version(const struct ts_file *f, const uint8_t *selection, size_t size)
{
    struct ts_rd r = ts_rd_init(selection, size);
    uint32_t kind = ts_rd_u32(&r), version = ts_rd_u32(&r);
    H5F_libver_t high;
    if (ts_fapl_libver_high(f->fapl, &high) < 0)
        return -1;
    if (kind == H5S_SEL_HYPERSLABS && version > 1 && high < H5F_LIBVER_V110)
        return TS_ERR(DATASPACE, BADRANGE, "Dataspace hyperslab selection version out of bounds: %u",
                      (unsigned)version);
    return 0;
}

int ts_ref_old_region_block(const struct ts_file *f, haddr_t addr, struct ts_space *space, struct ts_wr *block)
{
    struct ts_space *copy;
    unsigned addr_size = ts_file_addr_size(f);
    if (ts_space_snapshot(space, &copy) < 0)
        return -1;
    ts_wr_uint(block, addr, addr_size);
    int status = ts_space_encode_selection(copy, H5F_LIBVER_EARLIEST, block);
    ts_space_unref(copy);
    if (status < 0 || block->bad)
        return -1;
    return check_version(f, block->data + addr_size, block->size - addr_size);
}

int ts_ref_old_region(struct ts_file *f, haddr_t collection, uint32_t index, haddr_t *addr, uint8_t **region,
                      size_t *size)
{
    void *data;
    size_t whole;
    *region = NULL;
    if (collection == 0 || collection == HADDR_UNDEF)
        return TS_ERR(REFERENCE, BADVALUE, "undefined reference pointer");
    if (ts_gheap_read(f, collection, index, &data, &whole) < 0)
        return TS_ERR(REFERENCE, READERROR, "unable to read dataset region information");
    struct ts_rd r = ts_rd_init(data, whole);
    *addr = ts_rd_addr(&r, ts_file_addr_size(f));
    *size = r.bad ? 0 : ts_rd_left(&r);
    if (*size > 0)
        *region = ts_memdup(r.p, *size);
    ts_free(data);
    if (*size == 0)
        return TS_ERR(REFERENCE, CANTDECODE, "a region of %zu bytes", whole);
    return *region ? 0 : -1;
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

/* 1: in *out is the selection of an old region, 0: it refers to nothing. */
static int decode_old_region(struct ts_file *f, haddr_t collection, uint32_t index, struct ts_ref *out)
{
    uint8_t *region;
    size_t size;
    struct ts_space *space;
    if (collection == 0)
        return 0;
    if (ts_ref_old_region(f, collection, index, &out->addr, &region, &size) < 0)
        return -1;
    int status = ts_ref_region_space(f, out->addr, region, size, &space);
    ts_free(region);
    if (status < 0)
        return -1;
    status = ts_ref_set_region(out, space);
    ts_space_unref(space);
    return status < 0 ? -1 : 1;
}

/* An address, and of a region the index of 4 bytes. */
static int decode_old(struct ts_file *f, H5R_type_t kind, const uint8_t *disk, size_t size, struct ts_ref *out)
{
    bool is_region = kind == H5R_DATASET_REGION1;
    size_t index_size = is_region ? 4 : 0;
    struct ts_ref ref = {.kind = is_region ? H5R_DATASET_REGION2 : H5R_OBJECT2};
    *out = (struct ts_ref){0};
    if (size <= index_size || size - index_size > sizeof(haddr_t))
        return TS_ERR(REFERENCE, CANTDECODE, "an old reference of %zu bytes", size);
    struct ts_rd r = ts_rd_init(disk, size);
    ref.addr = ts_rd_addr(&r, (unsigned)(size - index_size));
    int found = is_region ? decode_old_region(f, ref.addr, ts_rd_u32(&r), &ref) : ref.addr != 0;
    if (found <= 0)
        return found;
    ts_file_ref(f);
    if (ts_fhandle_new(f, f->name, f->flags, &ref.fh) < 0) {
        ts_ref_deinit(&ref);
        return -1;
    }
    *out = ref;
    return 0;
}

int ts_ref_make(void *file, H5R_type_t kind, const uint8_t *disk, size_t size, void *to)
{
    struct ts_ref ref;
    if ((kind < H5R_OBJECT2 ? decode_old(file, kind, disk, size, &ref) : decode(file, disk, size, false, &ref)) < 0)
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

static int encode_old_region(struct ts_file *f, const struct ts_ref *ref, size_t size, struct ts_wr *block)
{
    struct ts_space *space;
    if (size != ts_file_addr_size(f) + 4)
        return TS_ERR(REFERENCE, CANTENCODE, "an old region in an element of %zu", size);
    if (ts_ref_region_space(f, ref->addr, ref->region, ref->region_size, &space) < 0)
        return -1;
    int status = ts_ref_old_region_block(f, ref->addr, space, block);
    ts_space_unref(space);
    return status < 0 ? -1 : 1;
}

int ts_ref_encode_old(struct ts_file *f, H5R_type_t kind, const struct ts_ref *ref, uint8_t *disk, size_t size,
                      struct ts_wr *block)
{
    bool is_region = kind == H5R_DATASET_REGION1;
    if (other_file(f, ref) || ref->kind != (is_region ? H5R_DATASET_REGION2 : H5R_OBJECT2))
        return TS_ERR(REFERENCE, CANTENCODE, "an old reference leads to %s of its own file only",
                      is_region ? "regions" : "objects");
    if (is_region)
        return encode_old_region(f, ref, size, block);
    ts_put_addr(block, ref->addr, (unsigned)size);
    if (ts_put_end(block) < 0)
        return -1;
    memcpy(disk, block->data, size);
    return 0;
}
