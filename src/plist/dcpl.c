/*
 * Encoded values:
 *   layout      class 1; chunked: rank 1, dimensions 4 each; structured: kind of chunks 1, then as chunked; virtual:
 *               count 8, per mapping source file and source dataset with NULs, source space, destination space
 *   space       1, 0, size of lengths 1, size of the extent 4, extent message, selection
 *   fill value  allocation time 1, fill time 1, size 8 (-1: undefined, 0: default), value, size of the type, type:
 *               3, 0, datatype message
 *   efl         count, per file: size of the name, name with NUL, offset, size
 *   density, selection packing  1
 * Sizes and counts without a width are a length byte and so many bytes.
 */
#include "plist/dcpl.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "plist/engine.h"
#include "space/space.h"
#include "type/conv.h"
#include "type/type.h"

enum { DATASPACE_MESSAGE = 1, DATATYPE_MESSAGE = 3, LENGTH_BYTES = 8 };

void ts_vds_map_deinit(struct ts_vds_map *map)
{
    ts_type_name_unref(map->file);
    ts_type_name_unref(map->dset);
    if (map->src)
        ts_space_unref(map->src);
    if (map->dst)
        ts_space_unref(map->dst);
}

void ts_vds_deinit(struct ts_vds *vds)
{
    for (size_t i = 0; i < vds->n; i++)
        ts_vds_map_deinit(&vds->maps[i]);
    ts_free(vds->maps);
    *vds = (struct ts_vds){0};
}

int ts_vds_add_shared(struct ts_vds *vds, const struct ts_vds_map *map)
{
    struct ts_vds_map copy = {.file = ts_type_name_ref(map->file), .dset = ts_type_name_ref(map->dset)};
    if (ts_space_copy(map->src, &copy.src) < 0 || ts_space_copy(map->dst, &copy.dst) < 0 ||
        TS_GROW(vds->maps, vds->capacity, vds->n + 1) < 0) {
        ts_vds_map_deinit(&copy);
        return -1;
    }
    vds->maps[vds->n++] = copy;
    return 0;
}

int ts_vds_add(struct ts_vds *vds, const struct ts_vds_map *map)
{
    struct ts_vds_map named = *map;
    if (ts_type_name_new(map->file, strlen(map->file), &named.file) < 0)
        return -1;
    int status = ts_type_name_new(map->dset, strlen(map->dset), &named.dset);
    if (status == 0) {
        status = ts_vds_add_shared(vds, &named);
        ts_type_name_unref(named.dset);
    }
    ts_type_name_unref(named.file);
    return status;
}

int ts_vds_copy(struct ts_vds *dst, const struct ts_vds *src)
{
    *dst = (struct ts_vds){0};
    for (size_t i = 0; i < src->n; i++)
        if (ts_vds_add_shared(dst, &src->maps[i]) < 0) {
            ts_vds_deinit(dst);
            return -1;
        }
    return 0;
}

static bool same_selection(const struct ts_space *a, const struct ts_space *b)
{
    struct ts_wr wa = {0}, wb = {0};
    bool same = ts_space_extent_equal(a, b) && ts_space_encode_selection(a, H5F_LIBVER_LATEST, &wa) == 0 &&
                ts_space_encode_selection(b, H5F_LIBVER_LATEST, &wb) == 0 && wa.size == wb.size &&
                memcmp(wa.data, wb.data, wa.size) == 0;
    ts_wr_free(&wa);
    ts_wr_free(&wb);
    return same;
}

static bool same_vds(const struct ts_vds *a, const struct ts_vds *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct ts_vds_map *x = &a->maps[i], *y = &b->maps[i];
        if (strcmp(x->file, y->file) != 0 || strcmp(x->dset, y->dset) != 0 || !same_selection(x->src, y->src) ||
            !same_selection(x->dst, y->dst))
            return false;
    }
    return true;
}

void ts_layout_prop_deinit(struct ts_layout_prop *layout)
{
    ts_vds_deinit(&layout->vds);
}

static int layout_copy(void *value)
{
    struct ts_layout_prop *l = value;
    struct ts_vds copy;
    if (ts_vds_copy(&copy, &l->vds) < 0)
        return -1;
    l->vds = copy;
    return 0;
}

static void layout_close(void *value)
{
    ts_layout_prop_deinit(value);
}

static int layout_cmp(const void *va, const void *vb)
{
    const struct ts_layout_prop *a = va, *b = vb;
    if (a->cls != b->cls || a->chunk_rank != b->chunk_rank || a->chunk_opts != b->chunk_opts ||
        a->struct_type != b->struct_type)
        return 1;
    return memcmp(a->chunk_dims, b->chunk_dims, a->chunk_rank * sizeof *a->chunk_dims) != 0 ||
           !same_vds(&a->vds, &b->vds);
}

static void space_encode(const struct ts_space *s, struct ts_wr *w)
{
    struct ts_wr extent = {0};
    if (ts_space_encode_extent(s, 0, LENGTH_BYTES, &extent) < 0)
        w->bad = true;
    ts_wr_u8(w, DATASPACE_MESSAGE);
    ts_wr_u8(w, 0);
    ts_wr_u8(w, LENGTH_BYTES);
    ts_wr_u32(w, (uint32_t)extent.size);
    ts_wr_bytes(w, extent.data, extent.size);
    ts_wr_free(&extent);
    if (ts_space_encode_selection(s, H5F_LIBVER_EARLIEST, w) < 0)
        w->bad = true;
}

static int space_decode(struct ts_rd *r, struct ts_space **out)
{
    unsigned message = ts_rd_u8(r), version = ts_rd_u8(r), len_size = ts_rd_u8(r);
    uint32_t size = ts_rd_u32(r);
    const uint8_t *at = ts_rd_bytes(r, size);
    if (!at || message != DATASPACE_MESSAGE || version != 0 || len_size > 8)
        return TS_ERR(PLIST, CANTDECODE, "encoded dataspace: message %u, version %u", message, version);
    struct ts_space *s;
    size_t used = 0;
    if (ts_space_decode_extent(at, size, len_size, &s) < 0)
        return -1;
    if (ts_space_decode_selection(s, r->p, ts_rd_left(r), &used) < 0) {
        ts_space_unref(s);
        return -1;
    }
    ts_rd_skip(r, used);
    *out = s;
    return 0;
}

static void chunk_dim_encode(hsize_t dim, struct ts_wr *w)
{
    if (dim > UINT32_MAX) {
        TS_ERR(PLIST, CANTENCODE, "a chunk dimension of %llu: the encoding has 4 bytes", (unsigned long long)dim);
        w->bad = true;
    }
    ts_wr_u32(w, (uint32_t)dim);
}

static void layout_encode(const void *value, size_t size, struct ts_wr *w)
{
    const struct ts_layout_prop *l = value;
    (void)size;
    ts_wr_u8(w, (uint8_t)l->cls);
    if (l->cls == H5D_STRUCT_CHUNK)
        ts_wr_u8(w, (uint8_t)l->struct_type);
    if (l->cls == H5D_CHUNKED || l->cls == H5D_STRUCT_CHUNK) {
        ts_wr_u8(w, (uint8_t)l->chunk_rank);
        for (unsigned i = 0; i < l->chunk_rank; i++)
            chunk_dim_encode(l->chunk_dims[i], w);
    } else if (l->cls == H5D_VIRTUAL) {
        ts_wr_u64(w, l->vds.n);
        for (size_t i = 0; i < l->vds.n; i++) {
            const struct ts_vds_map *m = &l->vds.maps[i];
            ts_wr_bytes(w, m->file, strlen(m->file) + 1);
            ts_wr_bytes(w, m->dset, strlen(m->dset) + 1);
            space_encode(m->src, w);
            space_encode(m->dst, w);
        }
    }
}

static int map_decode(struct ts_rd *r, struct ts_vds *vds)
{
    struct ts_vds_map m = {.file = ts_rd_cstr(r)};
    m.dset = ts_rd_cstr(r);
    if (!m.dset)
        return TS_ERR(PLIST, CANTDECODE, "encoded virtual mapping ends early");
    if (space_decode(r, &m.src) < 0)
        return -1;
    int ret = space_decode(r, &m.dst);
    if (ret == 0) {
        ret = ts_vds_add(vds, &m);
        ts_space_unref(m.dst);
    }
    ts_space_unref(m.src);
    return ret;
}

static int chunk_decode(struct ts_rd *r, struct ts_layout_prop *l)
{
    if (l->cls == H5D_STRUCT_CHUNK)
        l->struct_type = ts_rd_u8(r);
    l->chunk_rank = ts_rd_u8(r);
    if (l->chunk_rank > H5S_MAX_RANK || l->struct_type > (H5D_SPARSE_CHUNK | H5D_VL_CHUNK))
        return TS_ERR(PLIST, CANTDECODE, "encoded layout: chunks of rank %u, kind %u", l->chunk_rank, l->struct_type);
    for (unsigned i = 0; i < l->chunk_rank; i++) {
        l->chunk_dims[i] = ts_rd_u32(r);
        if (l->chunk_dims[i] == 0)
            return TS_ERR(PLIST, CANTDECODE, "encoded layout: chunk dimension %u is 0 or missing", i);
    }
    return 0;
}

static int layout_decode(struct ts_rd *r, void *value, size_t size)
{
    struct ts_layout_prop l = {.cls = (H5D_layout_t)ts_rd_u8(r)};
    (void)size;
    if (l.cls == H5D_CHUNKED || l.cls == H5D_STRUCT_CHUNK) {
        if (chunk_decode(r, &l) < 0)
            return -1;
    } else if (l.cls == H5D_VIRTUAL) {
        uint64_t n = ts_rd_u64(r);
        for (uint64_t i = 0; !r->bad && i < n; i++)
            if (map_decode(r, &l.vds) < 0) {
                ts_vds_deinit(&l.vds);
                return -1;
            }
    } else if (l.cls >= H5D_NLAYOUTS) {
        return TS_ERR(PLIST, CANTDECODE, "encoded layout: class %d", (int)l.cls);
    }
    if (r->bad) {
        ts_vds_deinit(&l.vds);
        return TS_ERR(PLIST, CANTDECODE, "encoded layout ends early");
    }
    *(struct ts_layout_prop *)value = l;
    return 0;
}

void ts_efl_deinit(struct ts_efl *efl)
{
    for (size_t i = 0; i < efl->n; i++)
        ts_free(efl->slots[i].name);
    ts_free(efl->slots);
    *efl = (struct ts_efl){0};
}

int ts_efl_add(struct ts_efl *efl, const struct ts_efl_file *file)
{
    struct ts_efl_file copy = *file;
    if (TS_GROW(efl->slots, efl->capacity, efl->n + 1) < 0 || !(copy.name = ts_strdup(file->name)))
        return -1;
    efl->slots[efl->n++] = copy;
    return 0;
}

int ts_efl_copy(struct ts_efl *dst, const struct ts_efl *src)
{
    *dst = (struct ts_efl){0};
    for (size_t i = 0; i < src->n; i++)
        if (ts_efl_add(dst, &src->slots[i]) < 0) {
            ts_efl_deinit(dst);
            return -1;
        }
    return 0;
}

static int efl_copy(void *value)
{
    struct ts_efl copy;
    if (ts_efl_copy(&copy, value) < 0)
        return -1;
    *(struct ts_efl *)value = copy;
    return 0;
}

static void efl_close(void *value)
{
    ts_efl_deinit(value);
}

static int efl_cmp(const void *va, const void *vb)
{
    const struct ts_efl *a = va, *b = vb;
    if (a->n != b->n)
        return 1;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->slots[i].name, b->slots[i].name) != 0 || a->slots[i].offset != b->slots[i].offset ||
            a->slots[i].size != b->slots[i].size)
            return 1;
    return 0;
}

static void efl_encode(const void *value, size_t size, struct ts_wr *w)
{
    const struct ts_efl *efl = value;
    (void)size;
    ts_prop_write_size(w, efl->n);
    for (size_t i = 0; i < efl->n; i++) {
        size_t n = strlen(efl->slots[i].name) + 1;
        ts_prop_write_size(w, n);
        ts_wr_bytes(w, efl->slots[i].name, n);
        ts_prop_write_size(w, (uint64_t)efl->slots[i].offset);
        ts_prop_write_size(w, efl->slots[i].size);
    }
}

static int efl_decode(struct ts_rd *r, void *value, size_t size)
{
    struct ts_efl efl = {0};
    uint64_t n = ts_prop_read_size(r);
    (void)size;
    int ret = 0;
    for (uint64_t i = 0; ret == 0 && !r->bad && i < n; i++) {
        uint64_t len = ts_prop_read_size(r);
        if (len > ts_rd_left(r))
            r->bad = true;
        struct ts_efl_file file = {.name = r->bad ? NULL : ts_prop_read_string(r, (size_t)len)};
        file.offset = (off_t)ts_prop_read_size(r);
        file.size = ts_prop_read_size(r);
        ret = file.name && !r->bad ? ts_efl_add(&efl, &file) : -1;
        ts_free(file.name);
    }
    if (ret < 0 || r->bad) {
        ts_efl_deinit(&efl);
        return TS_ERR(PLIST, CANTDECODE, "encoded list of external files ends early");
    }
    *(struct ts_efl *)value = efl;
    return 0;
}

void ts_fill_deinit(struct ts_fill *fill)
{
    if (fill->value && fill->type)
        ts_vlen_reclaim(fill->type, fill->value, 1);
    ts_free(fill->value);
    ts_type_unref(fill->type);
    fill->type = NULL;
    fill->value = NULL;
    fill->size = 0;
}

int ts_fill_copy(struct ts_fill *dst, const struct ts_fill *src)
{
    *dst = *src;
    dst->type = NULL;
    dst->value = NULL;
    if (!src->value)
        return 0;
    void *value = ts_memdup(src->value, src->size);
    if (!value)
        return -1;
    if (src->type && ts_vlen_duplicate(src->type, value, 1) < 0) {
        ts_free(value);
        return -1;
    }
    dst->value = value;
    dst->type = src->type ? ts_type_ref(src->type) : NULL;
    return 0;
}

static int fill_copy(void *value)
{
    struct ts_fill copy;
    if (ts_fill_copy(&copy, value) < 0)
        return -1;
    *(struct ts_fill *)value = copy;
    return 0;
}

static void fill_close(void *value)
{
    ts_fill_deinit(value);
}

static int fill_cmp(const void *va, const void *vb)
{
    const struct ts_fill *a = va, *b = vb;
    if (a->state != b->state || a->alloc_time != b->alloc_time || a->fill_time != b->fill_time || a->size != b->size)
        return 1;
    if ((a->type && b->type && !ts_type_equal(a->type, b->type)) || !a->type != !b->type)
        return 1;
    return a->size != 0 && memcmp(a->value, b->value, a->size) != 0;
}

static void fill_encode(const void *value, size_t size, struct ts_wr *w)
{
    const struct ts_fill *f = value;
    (void)size;
    ts_wr_u8(w, (uint8_t)f->alloc_time);
    ts_wr_u8(w, (uint8_t)f->fill_time);
    ts_wr_u64(w, f->state == H5D_FILL_VALUE_UNDEFINED ? UINT64_MAX : f->size);
    if (f->state != H5D_FILL_VALUE_USER_DEFINED)
        return;
    struct ts_wr type = {0};
    ts_wr_bytes(w, f->value, f->size);
    ts_wr_u8(&type, DATATYPE_MESSAGE);
    ts_wr_u8(&type, 0);
    if (ts_type_encode(f->type, &type) < 0)
        w->bad = true;
    ts_prop_write_size(w, type.size);
    ts_wr_bytes(w, type.data, type.size);
    ts_wr_free(&type);
}

static int fill_value_decode(struct ts_rd *r, struct ts_fill *f)
{
    const uint8_t *value = ts_rd_bytes(r, f->size);
    uint64_t n = ts_prop_read_size(r);
    unsigned message = ts_rd_u8(r), version = ts_rd_u8(r);
    size_t used;
    if (r->bad || n < 2 || message != DATATYPE_MESSAGE || version != 0)
        return TS_ERR(PLIST, CANTDECODE, "encoded fill value: the datatype is damaged");
    const uint8_t *at = ts_rd_bytes(r, (size_t)n - 2);
    if (!at || ts_type_decode(at, (size_t)n - 2, &used, &f->type) < 0)
        return TS_ERR(PLIST, CANTDECODE, "encoded fill value: no datatype");
    /* A pointer in the encoded bytes would be someone else's. */
    if (ts_type_size(f->type) != f->size || ts_type_has_vlen_or_ref(f->type) ||
        !(f->value = ts_memdup(value, f->size))) {
        ts_type_unref(f->type);
        f->type = NULL;
        return TS_ERR(PLIST, CANTDECODE, "encoded fill value: %zu bytes do not fit the datatype", f->size);
    }
    return 0;
}

static int fill_decode(struct ts_rd *r, void *value, size_t size)
{
    struct ts_fill f = {.alloc_time = (H5D_alloc_time_t)ts_rd_u8(r), .fill_time = (H5D_fill_time_t)ts_rd_u8(r)};
    uint64_t n = ts_rd_u64(r);
    (void)size;
    if (r->bad || (n != UINT64_MAX && n > ts_rd_left(r)))
        return TS_ERR(PLIST, CANTDECODE, "encoded fill value ends early");
    f.state = n == UINT64_MAX ? H5D_FILL_VALUE_UNDEFINED : n ? H5D_FILL_VALUE_USER_DEFINED : H5D_FILL_VALUE_DEFAULT;
    if (f.state == H5D_FILL_VALUE_USER_DEFINED) {
        f.size = (size_t)n;
        if (fill_value_decode(r, &f) < 0)
            return -1;
    }
    *(struct ts_fill *)value = f;
    return 0;
}

/* Values that a list of the release whose lists ours look like has not: 0 is what it means. */
static bool density_given(const void *value)
{
    return *(const H5D_density_t *)value != H5D_DENSITY_DENSE;
}

static void density_encode(const void *value, size_t size, struct ts_wr *w)
{
    (void)size;
    ts_wr_u8(w, (uint8_t) * (const H5D_density_t *)value);
}

static int density_decode(struct ts_rd *r, void *value, size_t size)
{
    unsigned density = ts_rd_u8(r);
    (void)size;
    if (r->bad || density > H5D_DENSITY_SPARSE)
        return TS_ERR(PLIST, CANTDECODE, "encoded density: %u", density);
    *(H5D_density_t *)value = (H5D_density_t)density;
    return 0;
}

static bool packing_given(const void *value)
{
    return *(const bool *)value;
}

static void packing_encode(const void *value, size_t size, struct ts_wr *w)
{
    (void)size;
    ts_wr_u8(w, *(const bool *)value);
}

static int packing_decode(struct ts_rd *r, void *value, size_t size)
{
    (void)size;
    *(bool *)value = ts_rd_u8(r) != 0;
    return r->bad ? TS_ERR(PLIST, CANTDECODE, "encoded selection packing ends early") : 0;
}

static const struct ts_prop_ops layout_ops = {
    .copy = layout_copy, .close = layout_close, .cmp = layout_cmp, .encode = layout_encode, .decode = layout_decode};
static const struct ts_prop_ops efl_ops = {
    .copy = efl_copy, .close = efl_close, .cmp = efl_cmp, .encode = efl_encode, .decode = efl_decode};
static const struct ts_prop_ops fill_ops = {
    .copy = fill_copy, .close = fill_close, .cmp = fill_cmp, .encode = fill_encode, .decode = fill_decode};
static const struct ts_prop_ops density_ops = {
    .encode = density_encode, .decode = density_decode, .given = density_given};
static const struct ts_prop_ops packing_ops = {
    .encode = packing_encode, .decode = packing_decode, .given = packing_given};

int ts_dcpl_define(void)
{
    static const struct ts_layout_prop layout = {.cls = H5D_CONTIGUOUS};
    static const struct ts_fill fill = {
        .state = H5D_FILL_VALUE_DEFAULT, .alloc_time = H5D_ALLOC_TIME_LATE, .fill_time = H5D_FILL_TIME_IFSET};
    static const unsigned follows = 1;
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(dcpl, layout, &layout, &layout_ops, 0),
        TS_PROPERTY_SPEC(dcpl, efl, NULL, &efl_ops, 0),
        TS_PROPERTY_SPEC(dcpl, fill, &fill, &fill_ops, 0),
        TS_PROPERTY_SPEC(dcpl, alloc_time_follows, &follows, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(dcpl, minimize_header, NULL, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(dcpl, said_density, NULL, &density_ops, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(dcpl, selection_packing, NULL, &packing_ops, TS_PROP_QUIET),
    };
    return ts_plist_define(TS_PLIST_DATASET_CREATE, specs, sizeof specs / sizeof *specs);
}

H5D_alloc_time_t ts_dcpl_natural_alloc_time(H5D_layout_t cls)
{
    switch (cls) {
    case H5D_COMPACT:
        return H5D_ALLOC_TIME_EARLY;
    case H5D_CONTIGUOUS:
        return H5D_ALLOC_TIME_LATE;
    default:
        return H5D_ALLOC_TIME_INCR;
    }
}

/* A deep copy out of the list. */
static int copy_out(struct ts_plist *pl, const char *name, const struct ts_prop_ops *ops, size_t size, void *out)
{
    const void *plain = pl ? ts_property_default(pl, name, size) : NULL;
    const void *value = plain ? plain : ts_property_hold(pl, name, size);
    if (!value)
        return -1;
    memcpy(out, value, size);
    int ret = ops->copy(out);
    if (!plain)
        ts_plist_release(pl);
    return ret;
}

/* A deep copy into the list; `copy` is scratch room of the value's size. */
static int copy_in(struct ts_plist *pl, const char *name, const struct ts_prop_ops *ops, size_t size, void *copy)
{
    if (ops->copy(copy) < 0)
        return -1;
    if (ts_property_set(pl, name, copy, size) < 0) {
        ops->close(copy);
        return -1;
    }
    return 0;
}

int ts_dcpl_layout(struct ts_plist *pl, struct ts_layout_prop *out)
{
    return copy_out(pl, TS_PROPERTY_NAME(dcpl, layout), &layout_ops, sizeof *out, out);
}

int ts_dcpl_set_layout(struct ts_plist *pl, const struct ts_layout_prop *layout)
{
    struct ts_layout_prop copy = *layout;
    return copy_in(pl, TS_PROPERTY_NAME(dcpl, layout), &layout_ops, sizeof copy, &copy);
}

int ts_dcpl_set_vds(struct ts_plist *pl, const struct ts_vds *vds)
{
    struct ts_layout_prop layout = {.cls = H5D_VIRTUAL, .vds = *vds};
    return copy_in(pl, TS_PROPERTY_NAME(dcpl, layout), &layout_ops, sizeof layout, &layout);
}

int ts_dcpl_efl(struct ts_plist *pl, struct ts_efl *out)
{
    return copy_out(pl, TS_PROPERTY_NAME(dcpl, efl), &efl_ops, sizeof *out, out);
}

int ts_dcpl_set_efl(struct ts_plist *pl, const struct ts_efl *efl)
{
    struct ts_efl copy = *efl;
    return copy_in(pl, TS_PROPERTY_NAME(dcpl, efl), &efl_ops, sizeof copy, &copy);
}

int ts_dcpl_fill(struct ts_plist *pl, struct ts_fill *out)
{
    return copy_out(pl, TS_PROPERTY_NAME(dcpl, fill), &fill_ops, sizeof *out, out);
}

int ts_dcpl_set_fill(struct ts_plist *pl, const struct ts_fill *fill)
{
    struct ts_fill copy = *fill;
    return copy_in(pl, TS_PROPERTY_NAME(dcpl, fill), &fill_ops, sizeof copy, &copy);
}

static int convert_fill(struct ts_fill *fill, struct ts_type *type, void *value)
{
    struct ts_conv_path *path;
    struct ts_conv_env env = {0};
    size_t dst = ts_type_size(type);
    if (ts_conv_find(fill->type, type, &path) < 0)
        return TS_ERR(PLIST, CANTCONVERT, "the fill value's datatype cannot be converted to the one asked for");
    void *buf = ts_calloc(1, dst > fill->size ? dst : fill->size);
    int ret = buf ? 0 : -1;
    if (ret == 0) {
        memcpy(buf, fill->value, fill->size);
        ret = ts_conv_run(path, &env, 1, buf, NULL);
    }
    if (ret == 0) {
        memcpy(value, buf, dst);
        /* What elements point at is the caller's now, unless the conversion made its own. */
        if (ts_conv_is_noop(path))
            ts_type_unref(fill->type), fill->type = NULL;
    }
    ts_free(buf);
    ts_conv_path_unref(path);
    return ret;
}

int ts_dcpl_fill_as(struct ts_plist *pl, struct ts_type *type, void *value)
{
    struct ts_fill fill;
    int ret = 0;
    if (ts_dcpl_fill(pl, &fill) < 0)
        return -1;
    if (fill.state == H5D_FILL_VALUE_UNDEFINED)
        ret = TS_ERR_AS(PLIST, CANTGET, "fill value is undefined", "can't get fill value");
    else if (fill.state == H5D_FILL_VALUE_DEFAULT)
        memset(value, 0, ts_type_size(type));
    else
        ret = convert_fill(&fill, type, value);
    ts_fill_deinit(&fill);
    return ret;
}
