/* H5Tconvert and the registration of conversions; giving back memory of variable-length data. */
#include "api/H5Tconv.h"

#include <stdatomic.h>
#include <string.h>

#include "H5Dpublic.h"
#include "api/H5Tinternal.h"
#include "api/dataset_args.h"
#include "base/error.h"
#include "base/lock.h"
#include "dataset/elements.h"
#include "object/reference.h"
#include "plist/dxpl.h"
#include "space/space.h"

static hid_t make_id(const struct ts_type *t)
{
    return ts_type_new_id(ts_type_ref((struct ts_type *)(uintptr_t)t));
}

/* A conversion that goes has no types. */
static hid_t id_to_tell(const struct ts_type *t)
{
    return t ? make_id(t) : -1;
}

static void drop_id(hid_t id)
{
    if (id >= 0)
        ts_id_dec(id);
}

static const struct ts_conv_ids type_ids = {make_id, drop_id};

struct ts_conv_env ts_conv_env_of(const struct ts_dxpl_transfer *t, hid_t dxpl_id)
{
    return (struct ts_conv_env){
        .except = {t->conv_cb.op, t->conv_cb.data},
        .vl_alloc = t->vlen_alloc,
        .vl_alloc_info = t->vlen_alloc_info,
        .vl_free = t->vlen_free,
        .vl_free_info = t->vlen_free_info,
        .ids = &type_ids,
        .dxpl = dxpl_id,
        .src_id = -1,
        .dst_id = -1,
    };
}

int ts_conv_env_init(struct ts_conv_env *env, struct ts_plist *dxpl, hid_t dxpl_id, hid_t src_id, hid_t dst_id)
{
    struct ts_dxpl_transfer t;
    if (ts_dxpl_transfer(dxpl, &t) < 0)
        return -1;
    *env = ts_conv_env_of(&t, dxpl_id);
    env->src_id = src_id;
    env->dst_id = dst_id;
    return 0;
}

static int pin_types(struct ts_api_scope *scope, hid_t src_id, hid_t dst_id, struct ts_type **src, struct ts_type **dst)
{
    *src = ts_type_pin(scope, src_id, "not a data type");
    *dst = *src ? ts_type_pin(scope, dst_id, "not a data type") : NULL;
    return *dst ? 0 : -1;
}

static int find_path(const struct ts_type *src, const struct ts_type *dst, struct ts_conv_path **out)
{
    if (ts_conv_find(src, dst, out) < 0)
        return TS_ERR(DATATYPE, NOTFOUND, "no conversion between these datatypes");
    return 0;
}

herr_t H5Tconvert(hid_t src_id, hid_t dst_id, size_t nelmts, void *buf, void *background, hid_t plist_id)
{
    struct ts_conv_path *path;
    struct ts_conv_env env;
    TS_API_ENTER(DATATYPE, CANTINIT, "data type conversion failed", TS_BAD_ID(ARGS, BADTYPE, "not a data type"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not dataset transfer property list"));
    struct ts_type *src, *dst;
    if (pin_types(&ts_scope_, src_id, dst_id, &src, &dst) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *dxpl = TS_API_PLIST(plist_id, TS_PLIST_DATASET_XFER);
    if (!dxpl)
        return TS_API_FAIL(-1);
    if (find_path(src, dst, &path) < 0)
        return TS_API_RET(TS_SAY(DATATYPE, CANTINIT, "unable to convert between src and dst data types"));
    if (nelmts > 0 && !buf && !ts_conv_is_noop(path)) {
        ts_conv_path_unref(path);
        return TS_API_RET(TS_ERR(ARGS, BADVALUE, "no buffer with the %zu elements to convert", nelmts));
    }
    int r = ts_conv_env_init(&env, dxpl, plist_id, src_id, dst_id);
    if (r == 0)
        r = ts_conv_run(path, &env, nelmts, buf, background);
    ts_conv_path_unref(path);
    return TS_API_RET(r);
}

/* What H5Tfind gives for a conversion of the library, so that the application may call it. */
static herr_t convert_strided(hid_t src_id, hid_t dst_id, H5T_cdata_t *cdata, size_t nelmts, size_t buf_stride,
                              size_t bkg_stride, void *buf, void *bkg, hid_t dxpl)
{
    if (cdata->command == H5T_CONV_FREE)
        return 0;
    if (cdata->command == H5T_CONV_INIT)
        return H5Tcompiler_conv(src_id, dst_id) < 0 ? -1 : 0;
    if (buf_stride == 0)
        return H5Tconvert(src_id, dst_id, nelmts, buf, bkg, dxpl);
    size_t step = bkg_stride ? bkg_stride : H5Tget_size(dst_id);
    herr_t r = 0;
    for (size_t i = 0; i < nelmts && r >= 0; i++)
        r = H5Tconvert(src_id, dst_id, 1, (char *)buf + i * buf_stride, bkg ? (char *)bkg + i * step : NULL, dxpl);
    return r;
}

static herr_t convert_nothing(hid_t src_id, hid_t dst_id, H5T_cdata_t *cdata, size_t nelmts, size_t buf_stride,
                              size_t bkg_stride, void *buf, void *bkg, hid_t dxpl)
{
    (void)src_id, (void)dst_id, (void)cdata, (void)nelmts, (void)buf_stride, (void)bkg_stride, (void)buf, (void)bkg;
    (void)dxpl;
    return 0;
}

H5T_conv_t H5Tfind(hid_t src_id, hid_t dst_id, H5T_cdata_t **pcdata)
{
    struct ts_conv_path *path;
    TS_API_ENTER(DATATYPE, NOTFOUND, "conversion function not found", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    struct ts_type *src, *dst;
    if (pin_types(&ts_scope_, src_id, dst_id, &src, &dst) < 0)
        return TS_API_FAIL(NULL);
    if (!pcdata)
        return TS_API_ERR(NULL, ARGS, BADVALUE, "no address to receive cdata pointer");
    if (find_path(src, dst, &path) < 0)
        return TS_API_FAIL(NULL);
    H5T_conv_t func = ts_conv_user_func(path);
    if (!func)
        func = ts_conv_is_noop(path) ? convert_nothing : convert_strided;
    *pcdata = ts_conv_cdata(path);
    ts_conv_path_unref(path);
    if (!*pcdata)
        return TS_API_FAIL(NULL);
    return func;
}

htri_t H5Tcompiler_conv(hid_t src_id, hid_t dst_id)
{
    struct ts_conv_path *path;
    TS_API_ENTER(DATATYPE, NOTFOUND, "conversion function not found", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    struct ts_type *src, *dst;
    if (pin_types(&ts_scope_, src_id, dst_id, &src, &dst) < 0 || find_path(src, dst, &path) < 0)
        return TS_API_FAIL(-1);
    bool hard = ts_conv_is_hard(path);
    ts_conv_path_unref(path);
    return hard;
}

static int invoke(H5T_conv_t func, const struct ts_conv_call *call)
{
    TS_MAY_CALL_OUT();
    hid_t src = id_to_tell(call->src), dst = id_to_tell(call->dst);
    hid_t dxpl = call->env && call->env->dxpl != H5P_DEFAULT ? call->env->dxpl : H5P_LST_DATASET_XFER_ID_g;
    herr_t r = (call->src && src < 0) || (call->dst && dst < 0) ? -1
                                                                : func(src, dst, call->cdata, call->n, call->buf_stride,
                                                                       call->bkg_stride, call->buf, call->bkg, dxpl);
    drop_id(src);
    drop_id(dst);
    return r < 0 ? -1 : 0;
}

/* The application's functions hear of the end while ids still work. */
static atomic_bool closes_with_library;

static void close_conversions(void *ctx)
{
    (void)ctx;
    atomic_store(&closes_with_library, false);
    ts_conv_close();
}

herr_t H5Tregister(H5T_pers_t pers, const char *name, hid_t src_id, hid_t dst_id, H5T_conv_t func)
{
    TS_API_ENTER(DATATYPE, CANTINIT, "can't register conversion function", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    if (pers != H5T_PERS_HARD && pers != H5T_PERS_SOFT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid function persistence: %d", (int)pers);
    if (!name || !*name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "conversion must have a name for debugging");
    struct ts_type *src, *dst;
    if (pin_types(&ts_scope_, src_id, dst_id, &src, &dst) < 0)
        return TS_API_FAIL(-1);
    if (!func)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no conversion function specified");
    if (!atomic_exchange(&closes_with_library, true) && ts_api_at_close(close_conversions, NULL) < 0) {
        atomic_store(&closes_with_library, false);
        return TS_API_FAIL(-1);
    }
    struct ts_conv_user user = {pers, name, src, dst, func, invoke};
    return TS_API_RET(ts_conv_register(&user));
}

herr_t H5Tunregister(H5T_pers_t pers, const char *name, hid_t src_id, hid_t dst_id, H5T_conv_t func)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    struct ts_type *src = NULL, *dst = NULL;
    if ((src_id > 0 && !(src = ts_type_pin(&ts_scope_, src_id, "src is not a data type"))) ||
        (dst_id > 0 && !(dst = ts_type_pin(&ts_scope_, dst_id, "dst is not a data type"))))
        return TS_API_FAIL(-1);
    struct ts_conv_user pattern = {pers, name, src, dst, func, NULL};
    return TS_API_RET(ts_conv_unregister(&pattern));
}

static int reclaim(struct ts_api_scope *scope, hid_t type_id, hid_t space_id, hid_t plist_id, void *buf)
{
    struct ts_dxpl_transfer transfer;
    if (!buf)
        return TS_ERR(ARGS, BADVALUE, "invalid argument: no buffer");
    /* A type that is closed is found last. */
    bool gone = ts_api_gone(type_id, H5I_DATATYPE);
    struct ts_type *t = gone ? NULL : ts_api_pin_argument(scope, type_id, H5I_DATATYPE);
    struct ts_space *space = gone || t ? ts_api_pin_argument(scope, space_id, H5I_DATASPACE) : NULL;
    if (!space)
        return -1;
    if (!ts_space_has_extent(space))
        return TS_ERR(ARGS, BADVALUE, "dataspace does not have extent set");
    struct ts_plist *dxpl = ts_api_plist(scope, plist_id, TS_PLIST_DATASET_XFER);
    if (!dxpl || ts_dxpl_transfer(dxpl, &transfer) < 0)
        return -1;
    if (!t)
        return TS_SAY(ARGS, BADTYPE, "not an valid base datatype");
    struct ts_reclaim how = {
        .free = transfer.vlen_free, .info = transfer.vlen_free_info, .destroy_reference = ts_ref_destroy};
    return ts_elements_reclaim(t, &how, space, buf);
}

herr_t H5Treclaim(hid_t type_id, hid_t space_id, hid_t plist_id, void *buf)
{
    TS_API_ENTER(DATATYPE, CANTFREE, "unable to reclaim vlen data");
    return TS_API_RET(reclaim(&ts_scope_, type_id, space_id, plist_id, buf));
}

herr_t H5Dvlen_reclaim(hid_t type_id, hid_t space_id, hid_t dxpl_id, void *buf)
{
    TS_API_ENTER(DATASET, CANTFREE, "unable to reclaim vlen data", TS_WRONG(TYPE, ARGS, BADVALUE, "invalid argument"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "invalid dataspace"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not xfer parms"));
    return TS_API_RET(reclaim(&ts_scope_, type_id, space_id, dxpl_id, buf));
}
