/*
 * Encoded filters: 1 byte 4 (size of an unsigned), count; per filter: id 4, flags 4, 1 byte "has a name", the name in
 * 12 bytes, count of parameters, parameters 4 each. Counts are a length byte and so many bytes. A filter for one
 * section of structured chunks has the section's number + 1 in the high half of its flags.
 */
#include "plist/ocpl.h"

#include <string.h>

#include "H5Opublic.h"
#include "base/alloc.h"
#include "base/error.h"
#include "plist/engine.h"

enum { NAME_BYTES = 12, ONLY_SHIFT = 16 };

#define MAX_FILTERS (H5Z_MAX_NFILTERS * TS_SECTIONS_MAX)

static int pline_copy(void *value)
{
    struct ts_pipeline copy;
    if (ts_pipeline_copy(&copy, value) < 0)
        return -1;
    *(struct ts_pipeline *)value = copy;
    return 0;
}

static void pline_close(void *value)
{
    ts_pipeline_deinit(value);
}

static bool same_filter(const struct ts_filter *a, const struct ts_filter *b)
{
    return a->id == b->id && a->flags == b->flags && a->only == b->only && a->n_values == b->n_values &&
           strcmp(a->name ? a->name : "", b->name ? b->name : "") == 0 &&
           (a->n_values == 0 || memcmp(a->values, b->values, a->n_values * sizeof *a->values) == 0);
}

static int pline_cmp(const void *va, const void *vb)
{
    const struct ts_pipeline *a = va, *b = vb;
    if (a->n != b->n)
        return 1;
    for (size_t i = 0; i < a->n; i++)
        if (!same_filter(&a->filters[i], &b->filters[i]))
            return 1;
    return 0;
}

static void pline_encode(const void *value, size_t size, struct ts_wr *w)
{
    const struct ts_pipeline *p = value;
    (void)size;
    ts_wr_u8(w, sizeof(unsigned));
    ts_prop_write_size(w, p->n);
    for (size_t i = 0; i < p->n; i++) {
        const struct ts_filter *f = &p->filters[i];
        ts_wr_u32(w, (uint32_t)f->id);
        ts_wr_u32(w, f->flags | f->only << ONLY_SHIFT);
        ts_wr_u8(w, f->name != NULL);
        if (f->name) {
            size_t n = strnlen(f->name, NAME_BYTES - 1);
            ts_wr_bytes(w, f->name, n);
            ts_wr_zeros(w, NAME_BYTES - n);
        }
        ts_prop_write_size(w, f->n_values);
        for (size_t k = 0; k < f->n_values; k++)
            ts_wr_u32(w, f->values[k]);
    }
}

static int decode_filter(struct ts_rd *r, struct ts_pipeline *p)
{
    char name[NAME_BYTES + 1] = "";
    struct ts_filter f = {.id = (H5Z_filter_t)ts_rd_u32(r), .flags = ts_rd_u32(r)};
    f.only = f.flags >> ONLY_SHIFT;
    f.flags &= (1u << ONLY_SHIFT) - 1;
    if (ts_rd_u8(r)) {
        const uint8_t *at = ts_rd_bytes(r, NAME_BYTES);
        if (at)
            memcpy(name, at, NAME_BYTES);
        f.name = name;
    }
    uint64_t n = ts_prop_read_size(r);
    if (r->bad || n > ts_rd_left(r) / 4)
        return TS_ERR(PLIST, CANTDECODE, "encoded filter %d ends early", (int)f.id);
    if (n && !(f.values = ts_malloc((size_t)n * sizeof *f.values)))
        return -1;
    f.n_values = (size_t)n;
    for (size_t k = 0; k < f.n_values; k++)
        f.values[k] = ts_rd_u32(r);
    int ret = ts_pipeline_add(p, &f);
    ts_free(f.values);
    return ret;
}

static int pline_decode(struct ts_rd *r, void *value, size_t size)
{
    struct ts_pipeline p = {0};
    (void)size;
    unsigned width = ts_rd_u8(r);
    uint64_t n = ts_prop_read_size(r);
    if (r->bad || width != sizeof(unsigned) || n > MAX_FILTERS)
        return TS_ERR(PLIST, CANTDECODE, "encoded pipeline: %llu filters", (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++)
        if (decode_filter(r, &p) < 0) {
            ts_pipeline_deinit(&p);
            return -1;
        }
    *(struct ts_pipeline *)value = p;
    return 0;
}

static const struct ts_prop_ops pline_ops = {
    .copy = pline_copy, .close = pline_close, .cmp = pline_cmp, .encode = pline_encode, .decode = pline_decode};

int ts_ocpl_define(void)
{
    static const unsigned max_compact = 8, min_dense = 6;
    static const uint8_t flags = H5O_HDR_STORE_TIMES;
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(ocpl, pipeline, NULL, &pline_ops, 0),
        TS_PROPERTY_SPEC(ocpl, attr_max_compact, &max_compact, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(ocpl, attr_min_dense, &min_dense, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(ocpl, header_flags, &flags, &ts_prop_byte, 0),
    };
    return ts_plist_define(TS_PLIST_OBJECT_CREATE, specs, sizeof specs / sizeof *specs);
}

int ts_ocpl_pipeline(struct ts_plist *pl, struct ts_pipeline *out)
{
    const struct ts_pipeline *plain =
        pl ? ts_property_default(pl, TS_PROPERTY_NAME(ocpl, pipeline), sizeof *plain) : NULL;
    if (plain)
        return ts_pipeline_copy(out, plain);
    const struct ts_pipeline *p = ts_ocpl_hold_pipeline(pl);
    if (!p)
        return -1;
    int ret = ts_pipeline_copy(out, p);
    ts_plist_release(pl);
    return ret;
}

int ts_ocpl_set_pipeline(struct ts_plist *pl, const struct ts_pipeline *pipeline)
{
    struct ts_pipeline copy;
    if (ts_pipeline_copy(&copy, pipeline) < 0)
        return -1;
    if (ts_ocpl_give_pipeline(pl, &copy) < 0) {
        ts_pipeline_deinit(&copy);
        return -1;
    }
    return 0;
}

int ts_ocpl_set_attr_storage(struct ts_plist *pl, unsigned max_compact, unsigned min_dense, uint8_t header_flags)
{
    if (ts_ocpl_set_attr_max_compact(pl, max_compact) < 0 || ts_ocpl_set_attr_min_dense(pl, min_dense) < 0)
        return -1;
    return ts_ocpl_set_header_flags(pl, header_flags);
}
