#include "filter/pipeline_codec.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/filter.h"
#include "format/put.h"

static int read_values(struct ts_rd *r, size_t n, struct ts_filter *f)
{
    if (n > ts_rd_left(r) / 4)
        return TS_ERR(PLINE, CANTDECODE, "pipeline message: %zu values of filter %d are cut off", n, (int)f->id);
    f->n_values = n;
    if (n == 0)
        return 0;
    f->values = ts_malloc(n * sizeof *f->values);
    if (!f->values)
        return -1;
    for (size_t i = 0; i < n; i++)
        f->values[i] = ts_rd_u32(r);
    return 0;
}

static int read_filter(struct ts_rd *r, unsigned version, struct ts_pipeline *out)
{
    struct ts_filter f = {.id = ts_rd_u16(r)};
    size_t name_len = version == 1 || f.id >= 256 ? ts_rd_u16(r) : 0;
    f.flags = ts_rd_u16(r);
    size_t n = ts_rd_u16(r);
    if (version == 1 && name_len % 8)
        return TS_ERR(PLINE, CANTDECODE, "pipeline message: a filter name of %zu bytes is not padded", name_len);
    const char *name = (const char *)ts_rd_bytes(r, name_len);
    if (r->bad)
        return TS_ERR(PLINE, CANTDECODE, "pipeline message: filter %d is cut off", (int)f.id);
    int rc = -1;
    if (name_len && !(f.name = ts_strndup(name, name_len)))
        goto done;
    if (read_values(r, n, &f) < 0)
        goto done;
    if (version == 1 && n % 2)
        ts_rd_skip(r, 4);
    rc = r->bad ? TS_ERR(PLINE, CANTDECODE, "pipeline message: filter %d is cut off", (int)f.id)
                : ts_pipeline_add(out, &f);
done:
    ts_free(f.name);
    ts_free(f.values);
    return rc;
}

static int read_filters(struct ts_rd *r, unsigned version, unsigned n, struct ts_pipeline *out)
{
    if (r->bad || n > H5Z_MAX_NFILTERS)
        return TS_ERR(PLINE, CANTDECODE, "pipeline message: %u filters", n);
    for (unsigned i = 0; i < n; i++)
        if (read_filter(r, version, out) < 0) {
            ts_pipeline_deinit(out);
            return -1;
        }
    return 0;
}

int ts_pipeline_decode_message(const uint8_t *buf, size_t size, struct ts_pipeline *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_pipeline){0};
    unsigned version = ts_rd_u8(&r), n = ts_rd_u8(&r);
    if (!r.bad && version != 1 && version != 2)
        return TS_ERR(PLINE, VERSION, "pipeline message: version %u", version);
    if (version == 1)
        ts_rd_skip(&r, 6);
    return read_filters(&r, version, n, out);
}

/* The sections come in ascending order; `next` is the first that may be. */
static int read_section(struct ts_rd *r, unsigned *next, struct ts_pipeline_sections *out)
{
    unsigned section = ts_rd_u8(r), n = ts_rd_u8(r);
    size_t size = ts_rd_u16(r);
    const uint8_t *list = ts_rd_bytes(r, size);
    if (r->bad)
        return TS_ERR(PLINE, CANTDECODE, "pipeline message: the filters of a section are cut off");
    if (section < *next || section >= TS_SECTIONS_MAX)
        return TS_ERR(PLINE, CANTDECODE, "pipeline message: filters of section %u", section);
    *next = section + 1;
    struct ts_rd in_list = ts_rd_init(list, size);
    if (read_filters(&in_list, 2, n, &out->section[section]) < 0)
        return -1;
    if (ts_rd_left(&in_list) > 0)
        return TS_ERR(PLINE, CANTDECODE, "pipeline message: %zu bytes behind the filters of section %u",
                      ts_rd_left(&in_list), section);
    return 0;
}

int ts_pipeline_sections_decode(const uint8_t *buf, size_t size, struct ts_pipeline_sections *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_pipeline_sections){.section = {{0}}};
    unsigned version = ts_rd_u8(&r), n = ts_rd_u8(&r), next = 0;
    if (r.bad || version != 3)
        return TS_ERR(PLINE, VERSION, "pipeline message of structured chunks: version %u", version);
    for (unsigned i = 0; i < n; i++)
        if (read_section(&r, &next, out) < 0) {
            ts_pipeline_sections_deinit(out);
            return -1;
        }
    return 0;
}

static void put_filter(const struct ts_filter *f, unsigned version, struct ts_wr *w)
{
    bool named = version == 1 || f->id >= 256;
    const char *name = f->name ? f->name : ts_filter_name(f->id);
    size_t len = name && named ? strlen(name) + 1 : 0;
    if (version == 1)
        len = (len + 7) / 8 * 8;
    ts_put_uint(w, (unsigned)f->id, 2);
    if (named)
        ts_put_uint(w, len, 2);
    ts_put_uint(w, f->flags, 2);
    ts_put_uint(w, f->n_values, 2);
    if (len)
        ts_put_text(w, name, len);
    for (size_t i = 0; i < f->n_values; i++)
        ts_wr_u32(w, f->values[i]);
    if (version == 1 && f->n_values % 2)
        ts_wr_zeros(w, 4);
}

int ts_pipeline_encode_message(const struct ts_pipeline *p, unsigned version, struct ts_wr *w)
{
    if ((version != 1 && version != 2) || p->n > H5Z_MAX_NFILTERS)
        return TS_ERR(PLINE, CANTENCODE, "pipeline message: version %u with %zu filters", version, p->n);
    ts_wr_u8(w, (uint8_t)version);
    ts_wr_u8(w, (uint8_t)p->n);
    if (version == 1)
        ts_wr_zeros(w, 6);
    for (size_t i = 0; i < p->n; i++)
        put_filter(&p->filters[i], version, w);
    return ts_put_end(w);
}

int ts_pipeline_sections_encode(const struct ts_pipeline_sections *p, struct ts_wr *w)
{
    unsigned n = 0;
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++) {
        n += p->section[i].n > 0;
        if (p->section[i].n > H5Z_MAX_NFILTERS)
            return TS_ERR(PLINE, CANTENCODE, "pipeline message: %zu filters of section %u", p->section[i].n, i);
    }
    ts_wr_u8(w, 3);
    ts_wr_u8(w, (uint8_t)n);
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++) {
        const struct ts_pipeline *pipeline = &p->section[i];
        struct ts_wr list = {0};
        if (pipeline->n == 0)
            continue;
        for (size_t k = 0; k < pipeline->n; k++)
            put_filter(&pipeline->filters[k], 2, &list);
        ts_wr_u8(w, (uint8_t)i);
        ts_wr_u8(w, (uint8_t)pipeline->n);
        ts_put_uint(w, list.size, 2);
        ts_wr_bytes(w, list.data, list.size);
        w->bad |= list.bad;
        ts_wr_free(&list);
    }
    return ts_put_end(w);
}
