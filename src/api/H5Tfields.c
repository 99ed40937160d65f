/* H5T: the properties of numbers, strings and opaque types. Those of an array, vlen or enum are those of its base. */
#include "hdf5.h"

#include "api/H5Tinternal.h"
#include "base/alloc.h"

/* The innermost type behind an id when it is of the class, else NULL and an error. */
static const struct ts_type *innermost(struct ts_api_scope *scope, hid_t id, H5T_class_t cls)
{
    const struct ts_type *t = ts_api_pin(scope, id, H5I_DATATYPE);
    if (!t)
        return NULL;
    t = ts_type_innermost(t);
    if (t->cls != cls) {
        if (cls == H5T_FLOAT)
            TS_SAY(DATATYPE, BADTYPE, "operation not defined for datatype class: %d", t->cls);
        else
            TS_SAY(DATATYPE, CANTINIT, "operation not defined for %s class: %d",
                   cls == H5T_OPAQUE ? "data type" : "datatype", t->cls);
        return NULL;
    }
    return t;
}

static const struct ts_type *innermost_atomic(struct ts_api_scope *scope, hid_t id, const char *otherwise)
{
    const struct ts_type *t = ts_api_pin(scope, id, H5I_DATATYPE);
    if (!t)
        return NULL;
    t = ts_type_innermost(t);
    if (!ts_type_is_atomic(t)) {
        TS_SAY(DATATYPE, UNSUPPORTED, "%s: class %d", otherwise, t->cls);
        return NULL;
    }
    return t;
}

static const struct ts_type *string_of(struct ts_api_scope *scope, hid_t id, const char *otherwise)
{
    const struct ts_type *t = ts_api_pin(scope, id, H5I_DATATYPE);
    if (!t)
        return NULL;
    t = ts_type_string(t);
    if (!t)
        TS_SAY(DATATYPE, UNSUPPORTED, "%s", otherwise);
    return t;
}

H5T_order_t H5Tget_order(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTGET, "can't get order for specified datatype",
                 TS_BAD_ID(DATATYPE, BADTYPE, "not a datatype"));
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    return t ? ts_type_order(t) : TS_API_FAIL(H5T_ORDER_ERROR);
}

herr_t H5Tset_order(hid_t type_id, H5T_order_t order)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, UNSUPPORTED, "can't set order", TS_BAD_ID(DATATYPE, BADTYPE, "not a datatype"),
                 TS_WRONG(READ_ONLY, DATATYPE, CANTINIT, "datatype is read-only"));
    if (!TS_API_OBJ(type_id, H5I_DATATYPE))
        return TS_API_FAIL(-1);
    if (order < H5T_ORDER_LE || order > H5T_ORDER_NONE || order == H5T_ORDER_MIXED)
        return TS_API_ERR(-1, DATATYPE, BADVALUE, "illegal byte order: %d", order);
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_order(t, order)));
}

size_t H5Tget_precision(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTGET, "can't get precision for specified datatype");
    const struct ts_type *t = innermost_atomic(&ts_scope_, type_id, "cant't get precision for specified datatype");
    return t ? t->atomic.precision : TS_API_FAIL(0);
}

herr_t H5Tset_precision(hid_t type_id, size_t prec)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTSET, "unable to set precision",
                 TS_WRONG(MEMBERS, DATATYPE, CANTSET, "operation not allowed after members are defined"),
                 TS_WRONG(READ_ONLY, ARGS, CANTSET, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_precision(t, prec)));
}

int H5Tget_offset(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an atomic data type"));
    const struct ts_type *t = innermost_atomic(&ts_scope_, type_id, "cant't get offset for specified datatype");
    return t ? (int)t->atomic.offset : TS_API_FAIL(-1);
}

herr_t H5Tset_offset(hid_t type_id, size_t offset)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an atomic data type"),
                 TS_WRONG(MEMBERS, DATATYPE, CANTINIT, "operation not allowed after members are defined"),
                 TS_WRONG(READ_ONLY, ARGS, CANTINIT, "data type is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_offset(t, offset)));
}

herr_t H5Tget_pad(hid_t type_id, H5T_pad_t *lsb, H5T_pad_t *msb)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *t = innermost_atomic(&ts_scope_, type_id, "operation not defined for specified data type");
    if (!t)
        return TS_API_FAIL(-1);
    if (lsb)
        *lsb = t->atomic.lsb_pad;
    if (msb)
        *msb = t->atomic.msb_pad;
    return 0;
}

herr_t H5Tset_pad(hid_t type_id, H5T_pad_t lsb, H5T_pad_t msb)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a data type"),
                 TS_WRONG(MEMBERS, DATATYPE, CANTINIT, "operation not allowed after members are defined"),
                 TS_WRONG(READ_ONLY, ARGS, CANTINIT, "data type is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_pad(t, lsb, msb)));
}

H5T_sign_t H5Tget_sign(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an integer datatype"));
    const struct ts_type *t = innermost(&ts_scope_, type_id, H5T_INTEGER);
    return t ? t->u.sign : TS_API_FAIL(H5T_SGN_ERROR);
}

herr_t H5Tset_sign(hid_t type_id, H5T_sign_t sign)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an integer datatype"),
                 TS_WRONG(MEMBERS, DATATYPE, CANTINIT, "operation not allowed after members are defined"),
                 TS_WRONG(READ_ONLY, ARGS, CANTINIT, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_sign(t, sign)));
}

static void give(size_t *place, size_t value)
{
    if (place)
        *place = value;
}

herr_t H5Tget_fields(hid_t type_id, size_t *spos, size_t *epos, size_t *esize, size_t *mpos, size_t *msize)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = innermost(&ts_scope_, type_id, H5T_FLOAT);
    if (!t)
        return TS_API_FAIL(-1);
    give(spos, t->u.flt.sign);
    give(epos, t->u.flt.epos);
    give(esize, t->u.flt.esize);
    give(mpos, t->u.flt.mpos);
    give(msize, t->u.flt.msize);
    return 0;
}

herr_t H5Tset_fields(hid_t type_id, size_t spos, size_t epos, size_t esize, size_t mpos, size_t msize)
{
    const struct ts_float f = {.sign = spos, .epos = epos, .esize = esize, .mpos = mpos, .msize = msize};
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_WRONG(READ_ONLY, ARGS, CANTSET, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_fields(t, &f)));
}

size_t H5Tget_ebias(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = innermost(&ts_scope_, type_id, H5T_FLOAT);
    return t ? (size_t)t->u.flt.ebias : TS_API_FAIL(0);
}

herr_t H5Tset_ebias(hid_t type_id, size_t ebias)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_WRONG(READ_ONLY, ARGS, CANTSET, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_ebias(t, ebias)));
}

H5T_norm_t H5Tget_norm(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = innermost(&ts_scope_, type_id, H5T_FLOAT);
    return t ? t->u.flt.norm : TS_API_FAIL(H5T_NORM_ERROR);
}

herr_t H5Tset_norm(hid_t type_id, H5T_norm_t norm)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_WRONG(READ_ONLY, ARGS, CANTSET, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_norm(t, norm)));
}

H5T_pad_t H5Tget_inpad(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = innermost(&ts_scope_, type_id, H5T_FLOAT);
    return t ? t->u.flt.pad : TS_API_FAIL(H5T_PAD_ERROR);
}

herr_t H5Tset_inpad(hid_t type_id, H5T_pad_t pad)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_WRONG(READ_ONLY, ARGS, CANTSET, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_inpad(t, pad)));
}

H5T_cset_t H5Tget_cset(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *t = string_of(&ts_scope_, type_id, "operation not defined for data type class");
    return t ? t->u.str.cset : TS_API_FAIL(H5T_CSET_ERROR);
}

herr_t H5Tset_cset(hid_t type_id, H5T_cset_t cset)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to set character set", TS_BAD_ID(ARGS, BADTYPE, "not a data type"),
                 TS_WRONG(READ_ONLY, ARGS, CANTINIT, "data type is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_cset(t, cset)));
}

H5T_str_t H5Tget_strpad(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = string_of(&ts_scope_, type_id, "operation not defined for datatype class");
    return t ? t->u.str.pad : TS_API_FAIL(H5T_STR_ERROR);
}

herr_t H5Tset_strpad(hid_t type_id, H5T_str_t strpad)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to set string padding",
                 TS_WRONG(READ_ONLY, ARGS, CANTINIT, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_strpad(t, strpad)));
}

char *H5Tget_tag(hid_t type)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *t = innermost(&ts_scope_, type, H5T_OPAQUE);
    char *tag = t ? ts_strdup(t->u.opaque.tag) : NULL;
    return tag ? tag : TS_API_FAIL(NULL);
}

herr_t H5Tset_tag(hid_t type, const char *tag)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a data type"),
                 TS_WRONG(READ_ONLY, ARGS, CANTINIT, "data type is read-only"));
    if (ts_type_change_begin(&ts_scope_, type, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type, t, ts_type_set_tag(t, tag)));
}
