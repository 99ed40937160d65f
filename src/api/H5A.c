/* H5A: attributes: opening and reading them, and what they tell of themselves. */
#include "H5Apublic.h"

#include <limits.h>
#include <string.h>

#include "api/H5Ainternal.h"
#include "api/H5Tconv.h"
#include "api/flush.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/lock.h"
#include "object/vl_source.h"
#include "plist/lapl.h"

static void attr_ref(void *obj)
{
    ts_attr_ref(obj);
}

static void attr_unref(void *obj)
{
    ts_attr_unref(obj);
}

static void attr_close(void *obj)
{
    ts_api_object_closes(((struct ts_attr *)obj)->owner.fh->file);
    attr_unref(obj);
}

static struct ts_count *attr_count(void *obj, unsigned i)
{
    struct ts_attr *attr = obj;
    return i == 0 ? &attr->refs : i == 1 ? &attr->owner.fh->refs : NULL;
}

void ts_attr_api_init(void)
{
    static const struct ts_id_class cls = {
        .ref = attr_ref, .unref = attr_unref, .close = attr_close, .count = attr_count};
    ts_id_class_set(H5I_ATTR, &cls);
}

/* Also when the id is not there any more. */
int ts_attr_api_no_attr(hid_t loc_id)
{
    if (ts_id_made_for(loc_id) != H5I_ATTR)
        return 0;
    return TS_SAY(ARGS, BADTYPE, "location is not valid for an attribute");
}

int ts_attr_api_start(const struct ts_attr_at *at, struct ts_place *start)
{
    if (ts_attr_api_no_attr(at->loc_id) < 0 || ts_place_from_id(at->loc_id, start) < 0)
        return -1;
    return ts_api_check_name(at->obj_name);
}

int ts_attr_api_owner(const struct ts_attr_at *at, struct ts_place *start, struct ts_place *out)
{
    struct ts_plist *lapl = ts_api_plist(at->scope, at->lapl_id, TS_PLIST_LINK_ACCESS);
    return lapl ? ts_path_object(start, at->obj_name, lapl, out) : -1;
}

int ts_attr_api_check_name(const char *name)
{
    if (name && *name)
        return 0;
    TS_ERR(ARGS, BADVALUE, "no attribute name: it cannot be %s", name ? "an empty string" : "NULL");
    return ts_err_because(TS_WHY_ATTR_NAME);
}

int ts_attr_api_owner_of(const struct ts_attr_at *at, const char *name, struct ts_place *out)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_attr_api_start(at, &start) < 0 || ts_attr_api_check_name(name) < 0)
        return -1;
    return ts_attr_api_owner(at, &start, out);
}

/* aapl_id is looked at after everything else. */
static int open_by_name(const struct ts_attr_at *at, const char *name, hid_t aapl_id, struct ts_attr **out)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    if (ts_attr_api_owner_of(at, name, &owner) < 0 || !ts_api_plist(at->scope, aapl_id, TS_PLIST_ATTRIBUTE_ACCESS))
        return -1;
    return ts_attr_open(&owner.loc, owner.path, name, out);
}

static int owner_by_idx(const struct ts_attr_at *at, const struct ts_api_index *index, struct ts_place *owner)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_attr_api_start(at, &start) < 0 || ts_api_check_index(index->type, index->order) < 0)
        return -1;
    return ts_attr_api_owner(at, &start, owner);
}

int ts_attr_api_open_by_idx(const struct ts_attr_at *at, const struct ts_api_index *index, struct ts_attr **out)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    if (owner_by_idx(at, index, &owner) < 0)
        return -1;
    return ts_attr_open_by_idx(&owner.loc, owner.path, index->type, index->order, index->n, out);
}

hid_t H5Aopen(hid_t obj_id, const char *attr_name, hid_t aapl_id)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "unable to open attribute: '%s'",
                 TS_WRONG(ATTR_NAME, ARGS, BADVALUE, "name parameter cannot be"),
                 TS_SYNCHRONOUS(ATTR, CANTCREATE, "unable to synchronously open attribute"));
    TS_API_ABOUT(attr_name);
    struct ts_attr *attr;
    if (open_by_name(TS_ATTR_HERE(obj_id), attr_name, aapl_id, &attr) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_ATTR, attr);
}

hid_t H5Aopen_name(hid_t loc_id, const char *name)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "can't open attribute: '%s'", TS_WRONG(ATTR_NAME, ARGS, BADVALUE, "no name"));
    TS_API_ABOUT(name);
    struct ts_attr *attr;
    if (open_by_name(TS_ATTR_HERE(loc_id), name, H5P_DEFAULT, &attr) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_ATTR, attr);
}

hid_t H5Aopen_by_name(hid_t loc_id, const char *obj_name, const char *attr_name, hid_t aapl_id, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "can't open attribute",
                 TS_WRONG(ACCESS_LIST, ARGS, BADTYPE, "not link access property list ID"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no object name"),
                 TS_SYNCHRONOUS(ATTR, CANTOPENOBJ, "unable to synchronously open attribute"));
    struct ts_attr *attr;
    if (open_by_name(TS_ATTR_AT(loc_id, obj_name, lapl_id), attr_name, aapl_id, &attr) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_ATTR, attr);
}

hid_t H5Aopen_by_idx(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                     hid_t aapl_id, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "unable to open attribute",
                 TS_WRONG(ACCESS_LIST, ARGS, BADTYPE, "not link access property list ID"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no object name"),
                 TS_SYNCHRONOUS(ATTR, CANTCREATE, "unable to synchronously open attribute"));
    struct ts_api_index index = {idx_type, order, n};
    struct ts_attr *attr;
    if (ts_attr_api_open_by_idx(TS_ATTR_AT(loc_id, obj_name, lapl_id), &index, &attr) < 0)
        return TS_API_FAIL(-1);
    if (!TS_API_PLIST(aapl_id, TS_PLIST_ATTRIBUTE_ACCESS)) {
        ts_attr_unref(attr);
        return TS_API_FAIL(-1);
    }
    return TS_API_NEW_ID(H5I_ATTR, attr);
}

hid_t H5Aopen_idx(hid_t loc_id, unsigned idx)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "unable to open attribute");
    struct ts_api_index index = {H5_INDEX_CRT_ORDER, H5_ITER_INC, idx};
    struct ts_attr *attr;
    if (ts_attr_api_open_by_idx(TS_ATTR_HERE(loc_id), &index, &attr) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_ATTR, attr);
}

herr_t H5Aclose(hid_t attr_id)
{
    TS_API_ENTER(ATTR, CANTDEC, "can't close attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    return TS_API_RET(ts_id_close(attr_id, H5I_ATTR) < 0 ? -1 : 0);
}

static int attr_exists(const struct ts_attr_at *at, const char *name)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    return ts_attr_api_owner_of(at, name, &owner) < 0 ? -1 : ts_attr_exists(&owner.loc, name);
}

htri_t H5Aexists(hid_t obj_id, const char *attr_name)
{
    TS_API_ENTER(ATTR, CANTGET, "unable to determine if attribute exists",
                 TS_SYNCHRONOUS(ATTR, CANTGET, "can't synchronously check if attribute exists"));
    return TS_API_RET(attr_exists(TS_ATTR_HERE(obj_id), attr_name));
}

htri_t H5Aexists_by_name(hid_t obj_id, const char *obj_name, const char *attr_name, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTGET, "unable to determine if attribute exists",
                 TS_WRONG(NAME, ARGS, BADVALUE, "no object name"),
                 TS_SYNCHRONOUS(ATTR, CANTGET, "can't synchronously determine if attribute exists by name"));
    return TS_API_RET(attr_exists(TS_ATTR_AT(obj_id, obj_name, lapl_id), attr_name));
}

herr_t H5Aread(hid_t attr_id, hid_t type_id, void *buf)
{
    TS_API_ENTER(ATTR, READERROR, "unable to read attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"),
                 TS_SYNCHRONOUS(ATTR, READERROR, "can't synchronously read data"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    struct ts_type *type = attr ? TS_API_OBJ(type_id, H5I_DATATYPE) : NULL;
    if (!type)
        return TS_API_FAIL(-1);
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "null attribute buffer");
    struct ts_conv_env env;
    if (ts_conv_env_init(&env, ts_plist_default(TS_PLIST_DATASET_XFER), H5P_DEFAULT, type_id, type_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_attr_read_as(attr, type, &env, buf));
}

hid_t H5Aget_space(hid_t attr_id)
{
    TS_API_ENTER(ATTR, CANTGET, "can't get space ID of attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    struct ts_space *copy;
    if (!attr || ts_space_copy(attr->space, &copy) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, copy);
}

hid_t H5Aget_type(hid_t attr_id)
{
    TS_API_ENTER(ATTR, CANTGET, "can't get datatype ID of attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    struct ts_type *type;
    if (!attr || ts_object_user_type(attr->type, ts_file_addr_size(attr->owner.fh->file), &type) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATATYPE, type);
}

static int make_create_plist(const struct ts_attr *attr, struct ts_plist **out)
{
    if (ts_plist_new(TS_PLIST_ATTRIBUTE_CREATE, out) < 0)
        return -1;
    if (ts_strcpl_set_char_encoding(*out, attr->cset) == 0)
        return 0;
    ts_plist_unref(*out);
    return -1;
}

hid_t H5Aget_create_plist(hid_t attr_id)
{
    TS_API_ENTER(ATTR, CANTGET, "unable to get attribute creation properties",
                 TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    struct ts_plist *acpl;
    if (!attr || make_create_plist(attr, &acpl) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_LIST(acpl);
}

hsize_t H5Aget_storage_size(hid_t attr_id)
{
    TS_API_ENTER(ATTR, CANTOPERATE, "can't operate on attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    return attr ? attr->data_size : TS_API_FAIL((hsize_t)0);
}

ssize_t H5Aget_name(hid_t attr_id, size_t buf_size, char *buf)
{
    TS_API_ENTER(ATTR, CANTGET, "can't get attribute name", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    if (!attr)
        return TS_API_FAIL(-1);
    if (!buf && buf_size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "buf cannot be NULL if buf_size is non-zero");
    ts_attr_lock(attr);
    size_t len = ts_api_copy_name(buf, buf_size, attr->name);
    ts_attr_unlock(attr);
    return (ssize_t)len;
}

ssize_t H5Aget_name_by_idx(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                           char *name, size_t size, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "can't open attribute", TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    struct ts_api_index index = {idx_type, order, n};
    struct ts_attr *attr;
    if (TS_ABI_ROOM_IS_WRONG(name, size))
        return TS_API_ERR(-1, ARGS, BADVALUE, "name cannot be NULL if size is non-zero");
    if (ts_attr_api_open_by_idx(TS_ATTR_AT(loc_id, obj_name, lapl_id), &index, &attr) < 0)
        return TS_API_FAIL(-1);
    size_t len = ts_api_copy_name(name, size, attr->name);
    ts_attr_unref(attr);
    return (ssize_t)len;
}

/* Describes and lets go. */
static int take_info(struct ts_attr *attr, H5A_info_t *out)
{
    ts_attr_info(attr, out);
    ts_attr_unref(attr);
    return 0;
}

herr_t H5Aget_info(hid_t attr_id, H5A_info_t *ainfo)
{
    TS_API_ENTER(ATTR, CANTGET, "unable to get attribute info", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    if (!attr)
        return TS_API_FAIL(-1);
    if (!ainfo)
        return TS_API_ERR(-1, ARGS, BADVALUE, "attribute_info parameter cannot be NULL");
    ts_attr_info(attr, ainfo);
    return 0;
}

static int check_info(const H5A_info_t *ainfo)
{
    return ainfo ? 0 : TS_SAY(ARGS, BADVALUE, "invalid info pointer");
}

static int info_by_name(const struct ts_attr_at *at, const char *name, H5A_info_t *ainfo)
{
    TS_AUTO_PLACE start = {.path = NULL}, owner = {.path = NULL};
    struct ts_attr *attr;
    if (ts_attr_api_start(at, &start) < 0 || ts_attr_api_check_name(name) < 0 || check_info(ainfo) < 0 ||
        ts_attr_api_owner(at, &start, &owner) < 0 || ts_attr_open(&owner.loc, owner.path, name, &attr) < 0)
        return -1;
    return take_info(attr, ainfo);
}

herr_t H5Aget_info_by_name(hid_t loc_id, const char *obj_name, const char *attr_name, H5A_info_t *ainfo, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "can't open attribute", TS_WRONG(NAME, ARGS, BADVALUE, "no object name"));
    return TS_API_RET(info_by_name(TS_ATTR_AT(loc_id, obj_name, lapl_id), attr_name, ainfo));
}

static int info_by_idx(const struct ts_attr_at *at, const struct ts_api_index *index, H5A_info_t *ainfo)
{
    TS_AUTO_PLACE start = {.path = NULL}, owner = {.path = NULL};
    struct ts_attr *attr;
    if (ts_attr_api_start(at, &start) < 0 || ts_api_check_index(index->type, index->order) < 0 ||
        check_info(ainfo) < 0 || ts_attr_api_owner(at, &start, &owner) < 0 ||
        ts_attr_open_by_idx(&owner.loc, owner.path, index->type, index->order, index->n, &attr) < 0)
        return -1;
    return take_info(attr, ainfo);
}

herr_t H5Aget_info_by_idx(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                          H5A_info_t *ainfo, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTOPENOBJ, "can't open attribute", TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    struct ts_api_index index = {idx_type, order, n};
    return TS_API_RET(info_by_idx(TS_ATTR_AT(loc_id, obj_name, lapl_id), &index, ainfo));
}

static int count_attrs(hid_t loc_id, hsize_t *out)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    struct ts_ohdr *oh;
    if (ts_place_from_id(loc_id, &owner) < 0 || ts_ohdr_open(owner.loc.fh->file, owner.loc.addr, &oh) < 0)
        return -1;
    int status = ts_attr_count(oh, out);
    ts_ohdr_close(oh);
    return status;
}

int H5Aget_num_attrs(hid_t loc_id)
{
    TS_API_ENTER(ATTR, CANTCOUNT, "can't get attribute count for object",
                 TS_BAD_ID(ARGS, BADTYPE, "inappropriate attribute target"));
    H5I_type_t type;
    hsize_t n;
    if (loc_id <= 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "bad location ID");
    if (ts_attr_api_no_attr(loc_id) < 0)
        return TS_API_FAIL(-1);
    /* Unlike all other functions: as it always was. */
    if (ts_id_made_for(loc_id) == H5I_FILE)
        return TS_API_ERR(-1, ARGS, BADTYPE, "location is not valid for an attribute: it is a file");
    const void *obj = TS_API_OBJ_ANY(loc_id, &type);
    if (!obj)
        return TS_API_ERR(-1, ARGS, BADATOM, "illegal object atom");
    if (type == H5I_DATATYPE && !((const struct ts_type *)obj)->named)
        return TS_API_ERR(-1, ARGS, BADTYPE, "target datatype is not committed");
    if (count_attrs(loc_id, &n) < 0)
        return TS_API_FAIL(-1);
    return n > INT_MAX ? TS_API_ERR(-1, ATTR, BADRANGE, "more attributes than an int can count") : (int)n;
}

/* One of the two is set. */
struct iterate {
    H5_index_t type;
    H5_iter_order_t order;
    hsize_t *idx;
    H5A_operator1_t op1;
    H5A_operator2_t op2;
    void *data;
};

/* The name is a copy: the operator may rename the attribute. */
static int call(const struct iterate *it, hid_t loc_id, const struct ts_attr *attr)
{
    H5A_info_t info;
    if (!it->op1 && !it->op2)
        return TS_SAY(ARGS, BADVALUE, "no operator specified");
    char *name = ts_attr_copy_name(attr);
    if (!name)
        return -1;
    ts_attr_info(attr, &info);
    TS_MAY_CALL_OUT();
    int status = it->op1 ? it->op1(loc_id, name, it->data) : it->op2(loc_id, name, &info, it->data);
    ts_free(name);
    return status;
}

static int iterate_attrs(const struct ts_place *owner, hid_t loc_id, const struct iterate *it)
{
    struct ts_attr_list list;
    if (ts_attr_list(&owner->loc, owner->path, it->type, it->order, &list) < 0)
        return -1;
    hsize_t at = it->idx ? *it->idx : 0;
    int status = 0;
    if (at > 0 && at >= list.n)
        status = TS_ERR(ATTR, BADVALUE, "invalid index specified: %llu of %zu", (unsigned long long)at, list.n);
    for (; status == 0 && at < list.n; at++)
        status = call(it, loc_id, list.attrs[at]);
    if (it->idx)
        *it->idx = at;
    ts_attr_list_deinit(&list);
    return status;
}

/* Here alone the location comes last. */
static int iterate_here(hid_t loc_id, const struct iterate *it)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    if (ts_attr_api_no_attr(loc_id) < 0 || ts_api_check_index(it->type, it->order) < 0 ||
        ts_place_from_id(loc_id, &owner) < 0)
        return -1;
    return iterate_attrs(&owner, loc_id, it);
}

herr_t H5Aiterate1(hid_t loc_id, unsigned *idx, H5A_operator1_t op, void *op_data)
{
    TS_API_ENTER(ATTR, BADITER, "error iterating over attributes",
                 TS_BAD_ID(ATTR, BADITER, "error iterating over attributes"));
    hsize_t at = idx ? *idx : 0;
    struct iterate it = {H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, op, NULL, op_data};
    int status = iterate_here(loc_id, &it);
    if (idx)
        *idx = (unsigned)at;
    return TS_API_RET(status);
}

herr_t H5Aiterate2(hid_t loc_id, H5_index_t idx_type, H5_iter_order_t order, hsize_t *idx, H5A_operator2_t op,
                   void *op_data)
{
    TS_API_ENTER(ATTR, BADITER, "error iterating over attributes",
                 TS_BAD_ID(ATTR, BADITER, "error iterating over attributes"));
    struct iterate it = {idx_type, order, idx, NULL, op, op_data};
    return TS_API_RET(iterate_here(loc_id, &it));
}

static int iterate_there(const struct ts_attr_at *where, const struct iterate *it)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    struct ts_api_index index = {it->type, it->order, 0};
    if (owner_by_idx(where, &index, &owner) < 0)
        return -1;
    hid_t id = ts_api_object_id(&owner);
    if (id < 0)
        return -1;
    int status = iterate_attrs(&owner, id, it);
    ts_id_take_back(id);
    return status;
}

herr_t H5Aiterate_by_name(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t *idx,
                          H5A_operator2_t op, void *op_data, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, BADITER, "attribute iteration failed", TS_WRONG(NAME, ARGS, BADVALUE, "no object name"));
    struct iterate it = {idx_type, order, idx, NULL, op, op_data};
    return TS_API_RET(iterate_there(TS_ATTR_AT(loc_id, obj_name, lapl_id), &it));
}
