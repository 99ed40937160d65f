/* H5P: properties of all lists that create objects: attribute storage, times, filters. */
#include <string.h>

#include "H5Opublic.h"
#include "api/plist_args.h"
#include "filter/filter.h"
#include "plist/engine.h"
#include "plist/sections.h"

enum { MAX_PHASE = 65535 };

herr_t H5Pset_attr_phase_change(hid_t plist_id, unsigned max_compact, unsigned min_dense)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (max_compact < min_dense)
        return TS_API_ERR(-1, ARGS, BADRANGE,
                          "max compact value must be >= min dense value: max compact %u is below min dense %u",
                          max_compact, min_dense);
    if (max_compact > MAX_PHASE || min_dense > MAX_PHASE)
        return TS_API_ERR(-1, ARGS, BADRANGE,
                          "max compact value must be < 65536: max compact %u, min dense %u: more than %d", max_compact,
                          min_dense, MAX_PHASE);
    if (ts_ocpl_set_attr_max_compact(TS_P_LIST(plist_id, OBJECT_CREATE), max_compact) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_ocpl_set_attr_min_dense(TS_P_LIST(plist_id, OBJECT_CREATE), min_dense));
}

herr_t H5Pget_attr_phase_change(hid_t plist_id, unsigned *max_compact, unsigned *min_dense)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    if (!pl || (max_compact && ts_ocpl_attr_max_compact(pl, max_compact) < 0) ||
        (min_dense && ts_ocpl_attr_min_dense(pl, min_dense) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

static int change_flags(struct ts_api_scope *scope, hid_t id, uint8_t clear, uint8_t set)
{
    struct ts_plist *pl = ts_p_list(scope, id, TS_PLIST_OBJECT_CREATE);
    uint8_t *flags = ts_ocpl_edit_header_flags(pl);
    if (!flags)
        return -1;
    *flags = (uint8_t)((*flags & ~clear) | set);
    ts_plist_release(pl);
    return 0;
}

herr_t H5Pset_attr_creation_order(hid_t plist_id, unsigned crt_order_flags)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!(crt_order_flags & H5P_CRT_ORDER_TRACKED) && (crt_order_flags & H5P_CRT_ORDER_INDEXED))
        return TS_API_ERR(-1, ARGS, BADVALUE, "tracking creation order is required for index");
    uint8_t set = (uint8_t)((crt_order_flags & H5P_CRT_ORDER_TRACKED ? H5O_HDR_ATTR_CRT_ORDER_TRACKED : 0) |
                            (crt_order_flags & H5P_CRT_ORDER_INDEXED ? H5O_HDR_ATTR_CRT_ORDER_INDEXED : 0));
    uint8_t clear = H5O_HDR_ATTR_CRT_ORDER_TRACKED | H5O_HDR_ATTR_CRT_ORDER_INDEXED;
    return TS_API_RET(change_flags(&ts_scope_, plist_id, clear, set));
}

herr_t H5Pget_attr_creation_order(hid_t plist_id, unsigned *crt_order_flags)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    uint8_t flags;
    if (crt_order_flags)
        *crt_order_flags = 0;
    if (ts_ocpl_header_flags(TS_P_LIST(plist_id, OBJECT_CREATE), &flags) < 0)
        return TS_API_FAIL(-1);
    if (crt_order_flags)
        *crt_order_flags = (flags & H5O_HDR_ATTR_CRT_ORDER_TRACKED ? H5P_CRT_ORDER_TRACKED : 0) |
                           (flags & H5O_HDR_ATTR_CRT_ORDER_INDEXED ? H5P_CRT_ORDER_INDEXED : 0);
    return 0;
}

herr_t H5Pset_obj_track_times(hid_t plist_id, hbool_t track_times)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    uint8_t set = track_times ? H5O_HDR_STORE_TIMES : 0;
    return TS_API_RET(change_flags(&ts_scope_, plist_id, H5O_HDR_STORE_TIMES, set));
}

herr_t H5Pget_obj_track_times(hid_t plist_id, hbool_t *track_times)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    uint8_t flags;
    if (ts_ocpl_header_flags(TS_P_LIST(plist_id, OBJECT_CREATE), &flags) < 0)
        return TS_API_FAIL(-1);
    if (track_times)
        *track_times = (flags & H5O_HDR_STORE_TIMES) != 0;
    return 0;
}

/* Whether the filter is there is asked when a dataset is created. */
int ts_p_add_filter(struct ts_plist *pl, H5Z_filter_t id, unsigned flags, size_t n, const unsigned *values)
{
    struct ts_filter f = {.id = id, .flags = flags, .n_values = n, .values = (unsigned *)values};
    return ts_dcpl_add_filter(pl, TS_SECTION_ALL, &f);
}

int ts_p_check_filter(H5Z_filter_t filter, uint64_t flags)
{
    if (filter < 0 || filter > H5Z_FILTER_MAX)
        return TS_ERR(ARGS, BADVALUE, "invalid filter identifier");
    if (flags & ~(uint64_t)H5Z_FLAG_DEFMASK)
        return TS_ERR(ARGS, BADVALUE, "invalid flags: flags %#llx belong to calls of a filter, not to its definition",
                      (unsigned long long)flags);
    return 0;
}

static int check_filter(H5Z_filter_t filter, unsigned flags, size_t n, const unsigned *values)
{
    if (ts_p_check_filter(filter, flags) < 0)
        return -1;
    if (n > 0 && !values)
        return TS_ERR(ARGS, BADVALUE, "no client data values supplied: %zu parameters, but nowhere", n);
    return 0;
}

herr_t H5Pset_filter(hid_t plist_id, H5Z_filter_t filter, unsigned flags, size_t cd_nelmts, const unsigned cd_values[])
{
    TS_API_ENTER(PLIST, CANTSET, "failed to call private function");
    if (check_filter(filter, flags, cd_nelmts, cd_values) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(pl ? ts_p_add_filter(pl, filter, flags, cd_nelmts, cd_values) : -1);
}

herr_t H5Pmodify_filter(hid_t plist_id, H5Z_filter_t filter, unsigned flags, size_t cd_nelmts,
                        const unsigned cd_values[])
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    if (check_filter(filter, flags, cd_nelmts, cd_values) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    struct ts_filter f = {.id = filter, .flags = flags, .n_values = cd_nelmts, .values = (unsigned *)cd_values};
    return TS_API_RET(pl ? ts_dcpl_modify_filter(pl, TS_SECTION_ALL, &f) : -1);
}

herr_t H5Premove_filter(hid_t plist_id, H5Z_filter_t filter)
{
    TS_API_ENTER(PLIST, CANTGET, "can't delete filter");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(pl ? ts_dcpl_remove_filter(pl, TS_SECTION_ALL, filter) : -1);
}

static int check_out(const struct ts_p_filter_out *out)
{
    /* An uninitialised count shows itself as an absurd one. */
    if (out->n_values && *out->n_values > 256)
        return TS_ERR(ARGS, BADVALUE, "probable uninitialized *cd_nelmts argument: %zu", *out->n_values);
    if (out->n_values && *out->n_values > 0 && !out->values)
        return TS_ERR(ARGS, BADVALUE, "client data values not supplied: room for %zu", *out->n_values);
    return 0;
}

static int tell(const struct ts_filter *f, const struct ts_p_filter_out *out)
{
    if (out->flags)
        *out->flags = f->flags;
    if (out->values && out->n_values)
        for (size_t i = 0; i < f->n_values && i < *out->n_values; i++)
            out->values[i] = f->values[i];
    if (out->n_values)
        *out->n_values = f->n_values;
    ts_api_copy_name(out->name, out->name_size, ts_filter_label(f));
    return out->config && ts_filter_info(f->id, out->config) < 0 ? -1 : 0;
}

static int filters_of(struct ts_api_scope *scope, hid_t plist_id, const H5_section_type_t *kind,
                      struct ts_pipeline *out)
{
    struct ts_plist *pl = ts_p_list(scope, plist_id, TS_PLIST_OBJECT_CREATE);
    uint64_t section = TS_SECTION_ALL;
    if (!pl || (kind && ts_dcpl_kind_section(pl, *kind, &section) < 0))
        return -1;
    return ts_dcpl_filters(pl, section, out);
}

int ts_p_count_filters(struct ts_api_scope *scope, hid_t plist_id, const H5_section_type_t *kind)
{
    struct ts_pipeline p;
    if (filters_of(scope, plist_id, kind, &p) < 0)
        return -1;
    int n = (int)p.n;
    ts_pipeline_deinit(&p);
    return n;
}

H5Z_filter_t ts_p_filter_at(struct ts_api_scope *scope, hid_t plist_id, const H5_section_type_t *kind, unsigned idx,
                            const struct ts_p_filter_out *out)
{
    struct ts_pipeline p;
    if (check_out(out) < 0 || filters_of(scope, plist_id, kind, &p) < 0)
        return H5Z_FILTER_ERROR;
    H5Z_filter_t id = H5Z_FILTER_ERROR;
    if (idx >= p.n)
        TS_ERR(ARGS, BADVALUE, "filter number is invalid: filter %u of %zu", idx, p.n);
    else if (tell(&p.filters[idx], out) == 0)
        id = p.filters[idx].id;
    ts_pipeline_deinit(&p);
    return id;
}

int ts_p_filter_by_id(struct ts_api_scope *scope, hid_t plist_id, const H5_section_type_t *kind, H5Z_filter_t id,
                      const struct ts_p_filter_out *out)
{
    struct ts_pipeline p;
    if (check_out(out) < 0 || filters_of(scope, plist_id, kind, &p) < 0)
        return -1;
    const struct ts_filter *f = ts_pipeline_find(&p, id);
    int ret = f ? tell(f, out) : TS_ERR(PLINE, NOTFOUND, "filter %d is not in the pipeline", (int)id);
    ts_pipeline_deinit(&p);
    return ret;
}

int H5Pget_nfilters(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(ts_p_count_filters(&ts_scope_, plist_id, NULL));
}

H5Z_filter_t H5Pget_filter2(hid_t plist_id, unsigned idx, unsigned *flags, size_t *cd_nelmts, unsigned cd_values[],
                            size_t namelen, char name[], unsigned *filter_config)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_p_filter_out out = {flags, cd_nelmts, cd_values, namelen, name, filter_config};
    return TS_API_RET(ts_p_filter_at(&ts_scope_, plist_id, NULL, idx, &out));
}

H5Z_filter_t H5Pget_filter1(hid_t plist_id, unsigned idx, unsigned *flags, size_t *cd_nelmts, unsigned cd_values[],
                            size_t namelen, char name[])
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_p_filter_out out = {flags, cd_nelmts, cd_values, namelen, name, NULL};
    return TS_API_RET(ts_p_filter_at(&ts_scope_, plist_id, NULL, idx, &out));
}

herr_t H5Pget_filter_by_id2(hid_t plist_id, H5Z_filter_t filter_id, unsigned *flags, size_t *cd_nelmts,
                            unsigned cd_values[], size_t namelen, char name[], unsigned *filter_config)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get filter info");
    struct ts_p_filter_out out = {flags, cd_nelmts, cd_values, namelen, name, filter_config};
    return TS_API_RET(ts_p_filter_by_id(&ts_scope_, plist_id, NULL, filter_id, &out));
}

herr_t H5Pget_filter_by_id1(hid_t plist_id, H5Z_filter_t filter_id, unsigned *flags, size_t *cd_nelmts,
                            unsigned cd_values[], size_t namelen, char name[])
{
    TS_API_ENTER(PLIST, CANTGET, "can't get filter info");
    struct ts_p_filter_out out = {flags, cd_nelmts, cd_values, namelen, name, NULL};
    return TS_API_RET(ts_p_filter_by_id(&ts_scope_, plist_id, NULL, filter_id, &out));
}

htri_t H5Pall_filters_avail(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    struct ts_pipeline p;
    if (!pl || ts_ocpl_pipeline(pl, &p) < 0)
        return TS_API_FAIL(-1);
    htri_t ret = 1;
    for (size_t i = 0; ret > 0 && i < p.n; i++)
        ret = ts_filter_info(p.filters[i].id, NULL);
    ts_pipeline_deinit(&p);
    return TS_API_RET(ret);
}

herr_t H5Pset_deflate(hid_t plist_id, unsigned level)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to add deflate filter to pipeline");
    if (level > 9)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid deflate level: deflate level %u is not between 0 and 9", level);
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(pl ? ts_p_add_filter(pl, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1, &level) : -1);
}

herr_t H5Pset_fletcher32(hid_t plist_id)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to add fletcher32 filter to pipeline");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(pl ? ts_p_add_filter(pl, H5Z_FILTER_FLETCHER32, H5Z_FLAG_MANDATORY, 0, NULL) : -1);
}
