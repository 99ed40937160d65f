/* Data transfer lists. */
#include "plist/dxpl.h"

#include <string.h>

#include "base/error.h"
#include "plist/engine.h"
#include "plist/parts.h"
#include "space/space.h"

/* The end of the text counts here, unlike with other strings. */
static void transform_encode(const void *value, size_t size, struct ts_wr *w)
{
    const char *s = *(char *const *)value;
    size_t n = s ? strlen(s) + 1 : 0;
    (void)size;
    ts_prop_write_size(w, n);
    ts_wr_bytes(w, s, n);
}

static int string_copy(void *value)
{
    return ts_prop_string.copy(value);
}

static void string_close(void *value)
{
    ts_prop_string.close(value);
}

static int string_cmp(const void *a, const void *b)
{
    return ts_prop_string.cmp(a, b);
}

static int string_decode(struct ts_rd *r, void *value, size_t size)
{
    return ts_prop_string.decode(r, value, size);
}

static int space_copy(void *value)
{
    struct ts_space **s = value, *copy;
    if (!*s)
        return 0;
    if (ts_space_copy(*s, &copy) < 0)
        return -1;
    *s = copy;
    return 0;
}

static void space_close(void *value)
{
    if (*(struct ts_space **)value)
        ts_space_unref(*(struct ts_space **)value);
}

static const struct ts_prop_ops transform_ops = {
    .copy = string_copy, .close = string_close, .cmp = string_cmp, .encode = transform_encode, .decode = string_decode};
static const struct ts_prop_ops space_ops = {.copy = space_copy, .close = space_close};

static const size_t default_buffer = 1024 * 1024;

int ts_dxpl_define(void)
{
    static const size_t vector = 1024;
    static const double ratios[3] = {0.1f, 0.5f, 0.9f};
    static const H5Z_EDC_t edc = H5Z_ENABLE_EDC;
    static const unsigned chunk_ratio = 60;
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(dxpl, buffer_size, &default_buffer, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(dxpl, tconv_buf, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, bkgr_buf, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, preserve, NULL, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(dxpl, btree_ratios, &ratios, &ts_prop_double, 0),
        TS_PROPERTY_SPEC(dxpl, vlen_alloc, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, vlen_alloc_info, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, vlen_free, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, vlen_free_info, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, hyper_vector, &vector, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(dxpl, edc_check, &edc, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(dxpl, filter_cb, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, conv_cb, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(dxpl, transform, NULL, &transform_ops, 0),
        /* What parallel I/O would use and report: lists have these in every build. */
        {"io_xfer_mode", sizeof(int), NULL, &ts_prop_enum, 0},
        {"mpio_collective_opt", sizeof(int), NULL, &ts_prop_enum, 0},
        {"mpio_chunk_opt_hard", sizeof(int), NULL, &ts_prop_enum, 0},
        {"mpio_chunk_opt_num", sizeof(unsigned), NULL, &ts_prop_unsigned, 0},
        {"mpio_chunk_opt_ratio", sizeof chunk_ratio, &chunk_ratio, &ts_prop_unsigned, 0},
        {"actual_chunk_opt_mode", sizeof(int), NULL, &ts_prop_plain, 0},
        {"actual_io_mode", sizeof(int), NULL, &ts_prop_plain, 0},
        {"local_no_collective_cause", sizeof(uint32_t), NULL, &ts_prop_plain, 0},
        {"global_no_collective_cause", sizeof(uint32_t), NULL, &ts_prop_plain, 0},
        TS_PROPERTY_SPEC(dxpl, selection_io, NULL, &ts_prop_plain, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(dxpl, modify_write_buf, NULL, &ts_prop_plain, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(dxpl, io_selection, NULL, &space_ops, TS_PROP_QUIET),
    };
    return ts_plist_define(TS_PLIST_DATASET_XFER, specs, sizeof specs / sizeof *specs);
}

void ts_dxpl_tell_io(struct ts_plist *pl, uint32_t causes)
{
    atomic_store_explicit(&pl->io_causes, causes, memory_order_relaxed);
}

uint32_t ts_dxpl_io_told(struct ts_plist *pl)
{
    return atomic_load_explicit(&pl->io_causes, memory_order_relaxed);
}

int ts_dxpl_transfer(struct ts_plist *pl, struct ts_dxpl_transfer *out)
{
    if (ts_plist_untouched(pl, TS_PLIST_DATASET_XFER)) {
        *out = (struct ts_dxpl_transfer){.untouched = true, .buffer_size = default_buffer, .edc = H5Z_ENABLE_EDC};
        return 0;
    }
    out->untouched = false;
    if (ts_dxpl_buffer_size(pl, &out->buffer_size) < 0 || ts_dxpl_edc_check(pl, &out->edc) < 0 ||
        ts_dxpl_filter_cb(pl, &out->filter_cb) < 0 || ts_dxpl_conv_cb(pl, &out->conv_cb) < 0 ||
        ts_dxpl_vlen_alloc(pl, &out->vlen_alloc) < 0 || ts_dxpl_vlen_alloc_info(pl, &out->vlen_alloc_info) < 0 ||
        ts_dxpl_vlen_free(pl, &out->vlen_free) < 0)
        return -1;
    return ts_dxpl_vlen_free_info(pl, &out->vlen_free_info);
}
