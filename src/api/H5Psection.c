/* H5P: filters of one section of structured chunks, named by its number (H5Pset_filter2 and its like, parameters in
 * bytes) or by its kind (H5Pset_section_filter and its like, parameters as unsigned values). */
#include "api/plist_args.h"
#include "base/alloc.h"
#include "filter/filter.h"
#include "plist/sections.h"

/* The number of parameters takes two bytes in a file. */
#define MAX_VALUES ((size_t)UINT16_MAX)

static int check_values(const struct ts_filter *f)
{
    if (f->n_values > MAX_VALUES)
        return TS_ERR(ARGS, BADRANGE, "%zu parameters for a filter: %zu at most", f->n_values, MAX_VALUES);
    if (f->n_values > 0 && !f->values)
        return TS_ERR(ARGS, BADVALUE, "%zu parameters for a filter, but nowhere", f->n_values);
    return ts_filter_check_values(f->id, f->n_values, f->values);
}

/* Bytes as parameters: 32-bit words, little-endian. The caller frees them. */
static int make_values(size_t size, const void *buf, struct ts_filter *f)
{
    const uint8_t *bytes = buf;
    f->n_values = size / 4;
    if (size % 4)
        return TS_ERR(ARGS, BADVALUE, "%zu bytes for a filter: it takes whole 32-bit values", size);
    if (size == 0 || !buf || f->n_values > MAX_VALUES)
        return check_values(f);
    f->values = ts_calloc(f->n_values, sizeof *f->values);
    if (!f->values)
        return -1;
    for (size_t i = 0; i < size; i++)
        f->values[i / 4] |= (unsigned)bytes[i] << i % 4 * 8;
    return check_values(f);
}

typedef int put_fn(struct ts_plist *pl, uint64_t section, const struct ts_filter *filter);

/* A section that was not named is none of the user's. */
static int check_section(uint64_t section)
{
    return section == TS_SECTION_ALL ? TS_ERR(ARGS, BADRANGE, "no section %llu", (unsigned long long)section) : 0;
}

static int put_filter(struct ts_plist *pl, uint64_t section, struct ts_filter *f, size_t size, const void *buf,
                      put_fn *put)
{
    if (!pl || check_section(section) < 0)
        return -1;
    int status = make_values(size, buf, f);
    if (status == 0)
        status = put(pl, section, f);
    ts_free(f->values);
    return status;
}

herr_t H5Pset_filter2(hid_t plist_id, uint64_t section, H5Z_filter_t filter, uint64_t flags, size_t buf_size,
                      const void *buf)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_filter f = {.id = filter, .flags = (unsigned)flags};
    if (ts_p_check_filter(filter, flags) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(put_filter(pl, section, &f, buf_size, buf, ts_dcpl_add_filter));
}

herr_t H5Pmodify_filter2(hid_t plist_id, uint64_t section, H5Z_filter_t filter, uint64_t flags, size_t buf_size,
                         const void *buf)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    struct ts_filter f = {.id = filter, .flags = (unsigned)flags};
    if (ts_p_check_filter(filter, flags) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(put_filter(pl, section, &f, buf_size, buf, ts_dcpl_modify_filter));
}

herr_t H5Premove_filter2(hid_t plist_id, uint64_t section, H5Z_filter_t filter)
{
    TS_API_ENTER(PLIST, CANTGET, "can't delete filter");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    if (!pl || check_section(section) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dcpl_remove_filter(pl, section, filter));
}

static int filters_of(struct ts_api_scope *scope, hid_t plist_id, uint64_t section, struct ts_pipeline *out)
{
    struct ts_plist *pl = ts_p_list(scope, plist_id, TS_PLIST_OBJECT_CREATE);
    return !pl || check_section(section) < 0 ? -1 : ts_dcpl_filters(pl, section, out);
}

static int count_filters(struct ts_api_scope *scope, hid_t plist_id, uint64_t section, int *n)
{
    struct ts_pipeline p;
    if (filters_of(scope, plist_id, section, &p) < 0)
        return -1;
    if (n)
        *n = (int)p.n;
    ts_pipeline_deinit(&p);
    return n ? 0 : TS_ERR(ARGS, BADVALUE, "nowhere to put the number of filters");
}

herr_t H5Pget_nfilters2(hid_t plist_id, uint64_t section, int *num_filters)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(count_filters(&ts_scope_, plist_id, section, num_filters));
}

herr_t H5Pget_nfilter2(hid_t plist_id, uint64_t section, int *num_filters)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(count_filters(&ts_scope_, plist_id, section, num_filters));
}

/* Where the getters of filters put what they find; members may be NULL. */
struct filter_out {
    uint64_t *flags;
    size_t *size;
    uint8_t *bytes;
    size_t name_size;
    char *name;
    unsigned *config;
};

static int tell(const struct ts_filter *f, const struct filter_out *out)
{
    if (out->size && *out->size > 0 && !out->bytes)
        return TS_ERR(ARGS, BADVALUE, "room for %zu bytes, but nowhere", *out->size);
    if (out->flags)
        *out->flags = f->flags;
    for (size_t i = 0; out->size && i < *out->size && i < 4 * f->n_values; i++)
        out->bytes[i] = (uint8_t)(f->values[i / 4] >> i % 4 * 8);
    if (out->size)
        *out->size = 4 * f->n_values;
    ts_api_copy_name(out->name, out->name_size, ts_filter_label(f));
    return out->config && ts_filter_info(f->id, out->config) < 0 ? -1 : 0;
}

H5Z_filter_t H5Pget_filter3(hid_t plist_id, uint64_t section, unsigned idx, uint64_t *flags, size_t *buf_size,
                            void *buf, size_t namelen, char name[], unsigned *filter_config)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct filter_out out = {flags, buf_size, buf, namelen, name, filter_config};
    struct ts_pipeline p;
    H5Z_filter_t id = H5Z_FILTER_ERROR;
    if (filters_of(&ts_scope_, plist_id, section, &p) < 0)
        return TS_API_FAIL(H5Z_FILTER_ERROR);
    if (idx >= p.n)
        TS_ERR(ARGS, BADVALUE, "filter number is invalid: filter %u of %zu", idx, p.n);
    else if (tell(&p.filters[idx], &out) == 0)
        id = p.filters[idx].id;
    ts_pipeline_deinit(&p);
    return TS_API_RET(id);
}

H5Z_filter_t H5Pget_filter_by_id3(hid_t plist_id, uint64_t section, H5Z_filter_t filter, uint64_t *flags,
                                  size_t *buf_size, void *buf, size_t namelen, char name[], unsigned *filter_config)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get filter info");
    struct filter_out out = {flags, buf_size, buf, namelen, name, filter_config};
    struct ts_pipeline p;
    if (filters_of(&ts_scope_, plist_id, section, &p) < 0)
        return TS_API_FAIL(H5Z_FILTER_ERROR);
    const struct ts_filter *f = ts_pipeline_find(&p, filter);
    int status = f ? tell(f, &out) : TS_ERR(PLINE, NOTFOUND, "filter %d is not in the pipeline", (int)filter);
    ts_pipeline_deinit(&p);
    return TS_API_RET(status < 0 ? H5Z_FILTER_ERROR : filter);
}

/* The same by kinds */

static int take_values(struct ts_filter *f, size_t n, const unsigned *values)
{
    f->n_values = n;
    f->values = (unsigned *)values;
    return ts_p_check_filter(f->id, f->flags) < 0 ? -1 : check_values(f);
}

herr_t H5Pset_section_filter(hid_t plist_id, H5_section_type_t section, H5Z_filter_t filter, unsigned flags,
                             size_t cd_nelmts, const unsigned cd_values[])
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_filter f = {.id = filter, .flags = flags};
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    if (!pl || take_values(&f, cd_nelmts, cd_values) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dcpl_add_kind_filter(pl, section, &f));
}

herr_t H5Pmodify_section_filter(hid_t plist_id, H5_section_type_t section, H5Z_filter_t filter, unsigned flags,
                                size_t cd_nelmts, const unsigned cd_values[])
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    struct ts_filter f = {.id = filter, .flags = flags};
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    uint64_t number;
    if (!pl || take_values(&f, cd_nelmts, cd_values) < 0 || ts_dcpl_kind_section(pl, section, &number) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dcpl_modify_filter(pl, number, &f));
}

herr_t H5Premove_section_filter(hid_t plist_id, H5_section_type_t section, H5Z_filter_t filter)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    uint64_t number;
    if (!pl || ts_dcpl_kind_section(pl, section, &number) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dcpl_remove_filter(pl, number, filter));
}

int H5Pget_n_section_filters(hid_t plist_id, H5_section_type_t section)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(ts_p_count_filters(&ts_scope_, plist_id, &section));
}

H5Z_filter_t H5Pget_section_filter(hid_t plist_id, H5_section_type_t section, unsigned idx, unsigned *flags,
                                   size_t *cd_nelmts, unsigned cd_values[], size_t namelen, char name[],
                                   unsigned *filter_config)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_p_filter_out out = {flags, cd_nelmts, cd_values, namelen, name, filter_config};
    return TS_API_RET(ts_p_filter_at(&ts_scope_, plist_id, &section, idx, &out));
}

herr_t H5Pget_section_filter_by_id(hid_t plist_id, H5_section_type_t section, H5Z_filter_t filter, unsigned *flags,
                                   size_t *cd_nelmts, unsigned cd_values[], size_t namelen, char name[],
                                   unsigned *filter_config)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_p_filter_out out = {flags, cd_nelmts, cd_values, namelen, name, filter_config};
    return TS_API_RET(ts_p_filter_by_id(&ts_scope_, plist_id, &section, filter, &out));
}
