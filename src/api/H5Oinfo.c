/* H5O: what objects tell of themselves, one by one or all below a place. */
#include <string.h>

#include "H5Opublic.h"
#include "api/api.h"
#include "api/place.h"
#include "base/lock.h"
#include "group/visit.h"
#include "object/token.h"

/* H5O_INFO_ALL is more in the headers of 1.10 than in later ones: all of it is accepted everywhere. */
enum { FIELDS = H5O_INFO_BASIC | H5O_INFO_TIME | H5O_INFO_NUM_ATTRS | H5O_NATIVE_INFO_ALL };

static int check_fields(unsigned fields)
{
    return fields & ~(unsigned)FIELDS ? TS_ERR(ARGS, BADVALUE, "invalid fields") : 0;
}

/* A token that nobody asked for is undefined, and so is the type. */
static void to_info2(const H5O_info1_t *from, unsigned fields, H5O_info2_t *to)
{
    bool basic = fields & H5O_INFO_BASIC;
    memset(to, 0, sizeof *to);
    to->fileno = from->fileno;
    if (basic)
        ts_token_from_addr(from->addr, &to->token);
    else
        to->token = H5O_TOKEN_UNDEF;
    to->type = basic ? from->type : H5O_TYPE_UNKNOWN;
    to->rc = from->rc;
    to->atime = from->atime;
    to->mtime = from->mtime;
    to->ctime = from->ctime;
    to->btime = from->btime;
    to->num_attrs = from->num_attrs;
}

/* What to look at, and which of the three structs to fill. */
struct request {
    hid_t loc_id;
    const char *name;
    const struct ts_api_index *at; /* NULL: the object of the name itself */
    hid_t lapl_id;
    unsigned fields;
    H5O_info1_t *info1;
    H5O_info2_t *info2;
    H5O_native_info_t *native;
};

static int check_request(const struct request *req)
{
    if ((req->at ? ts_api_check_nth(req->name, req->at) : ts_api_check_name(req->name)) < 0)
        return -1;
    if (!req->info1 && !req->info2 && !req->native)
        return TS_ERR(ARGS, BADVALUE, "no info struct");
    if (req->native && req->fields & ~H5O_NATIVE_INFO_ALL)
        return TS_ERR(ARGS, BADVALUE, "invalid fields");
    return check_fields(req->fields);
}

static int get_info(struct ts_api_scope *scope, const struct request *req)
{
    TS_AUTO_PLACE place = {.path = NULL};
    H5O_info1_t info;
    if (check_request(req) < 0)
        return -1;
    struct ts_plist *lapl = ts_api_plist(scope, req->lapl_id, TS_PLIST_LINK_ACCESS);
    if (!lapl)
        return -1;
    int status = req->at ? ts_api_nth_object(req->loc_id, req->name, req->at, lapl, &place)
                         : ts_api_find(req->loc_id, req->name, lapl, &place);
    if (status < 0 || ts_object_info(&place.loc, req->fields, &info) < 0)
        return -1;
    if (req->info1)
        *req->info1 = info;
    if (req->info2)
        to_info2(&info, req->fields, req->info2);
    if (req->native) {
        req->native->hdr = info.hdr;
        req->native->meta_size.obj = info.meta_size.obj;
        req->native->meta_size.attr = info.meta_size.attr;
    }
    return 0;
}

herr_t H5Oget_info1(hid_t loc_id, H5O_info1_t *oinfo)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object");
    TS_API_AT(loc_id);
    struct request req = {.loc_id = loc_id, .name = ".", .fields = FIELDS, .info1 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info2(hid_t loc_id, H5O_info1_t *oinfo, unsigned fields)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object");
    TS_API_AT(loc_id);
    struct request req = {.loc_id = loc_id, .name = ".", .fields = fields, .info1 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info3(hid_t loc_id, H5O_info2_t *oinfo, unsigned fields)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    struct request req = {.loc_id = loc_id, .name = ".", .fields = fields, .info2 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_native_info(hid_t loc_id, H5O_native_info_t *oinfo, unsigned fields)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get native file format info for object",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    struct request req = {.loc_id = loc_id, .name = ".", .fields = fields, .native = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info_by_name1(hid_t loc_id, const char *name, H5O_info1_t *oinfo, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object: '%s'", TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    TS_API_ABOUT(name);
    struct request req = {.loc_id = loc_id, .name = name, .lapl_id = lapl_id, .fields = FIELDS, .info1 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info_by_name2(hid_t loc_id, const char *name, H5O_info1_t *oinfo, unsigned fields, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object: '%s'", TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    TS_API_ABOUT(name);
    struct request req = {.loc_id = loc_id, .name = name, .lapl_id = lapl_id, .fields = fields, .info1 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info_by_name3(hid_t loc_id, const char *name, H5O_info2_t *oinfo, unsigned fields, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object: '%s'",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"), TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "name doesn't exist"),
                 TS_SYNCHRONOUS(OHDR, CANTGET, "can't synchronously retrieve object info"));
    TS_API_ABOUT(name);
    struct request req = {.loc_id = loc_id, .name = name, .lapl_id = lapl_id, .fields = fields, .info2 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_native_info_by_name(hid_t loc_id, const char *name, H5O_native_info_t *oinfo, unsigned fields,
                                  hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get native file format info for object: '%s'",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    TS_API_ABOUT(name);
    struct request req = {.loc_id = loc_id, .name = name, .lapl_id = lapl_id, .fields = fields, .native = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info_by_idx1(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                           H5O_info1_t *oinfo, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    struct request req = {
        .loc_id = loc_id, .name = group_name, .at = &at, .lapl_id = lapl_id, .fields = FIELDS, .info1 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info_by_idx2(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                           H5O_info1_t *oinfo, unsigned fields, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get info for object", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    struct request req = {
        .loc_id = loc_id, .name = group_name, .at = &at, .lapl_id = lapl_id, .fields = fields, .info1 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_info_by_idx3(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                           H5O_info2_t *oinfo, unsigned fields, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get data model info for object",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"));
    struct ts_api_index at = {idx_type, order, n};
    struct request req = {
        .loc_id = loc_id, .name = group_name, .at = &at, .lapl_id = lapl_id, .fields = fields, .info2 = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

herr_t H5Oget_native_info_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                                 hsize_t n, H5O_native_info_t *oinfo, unsigned fields, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get native file format info for object",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    struct ts_api_index at = {idx_type, order, n};
    struct request req = {
        .loc_id = loc_id, .name = group_name, .at = &at, .lapl_id = lapl_id, .fields = fields, .native = oinfo};
    return TS_API_RET(get_info(&ts_scope_, &req));
}

/* One of the two functions is set. */
struct visit {
    hid_t loc_id;
    const char *name;
    hid_t lapl_id;
    H5_index_t type;
    H5_iter_order_t order;
    unsigned fields;
    H5O_iterate1_t op1;
    H5O_iterate2_t op2;
    void *data;
    hid_t obj_id;
};

static int call(const char *name, const H5O_info1_t *info, void *ctx)
{
    const struct visit *v = ctx;
    H5O_info2_t info2;
    TS_MAY_CALL_OUT();
    if (v->op1)
        return v->op1(v->obj_id, name, info, v->data);
    to_info2(info, v->fields, &info2);
    return v->op2(v->obj_id, name, &info2, v->data);
}

static int visit_objects(struct ts_api_scope *scope, struct visit *v)
{
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_check_name(v->name) < 0 || ts_api_check_index(v->type, v->order) < 0)
        return -1;
    if (!v->op1 && !v->op2)
        return TS_ERR(ARGS, BADVALUE, "no callback operator specified");
    if (check_fields(v->fields) < 0)
        return -1;
    struct ts_plist *lapl = ts_api_plist(scope, v->lapl_id, TS_PLIST_LINK_ACCESS);
    if (!lapl || ts_api_find(v->loc_id, v->name, lapl, &place) < 0)
        return -1;
    v->obj_id = ts_api_object_id(&place);
    if (v->obj_id < 0)
        return -1;
    const struct ts_object_visit how = {v->type, v->order, v->fields, call, v};
    int status = ts_object_visit(&place.loc, &how);
    ts_id_take_back(v->obj_id);
    return status;
}

herr_t H5Ovisit1(hid_t obj_id, H5_index_t idx_type, H5_iter_order_t order, H5O_iterate1_t op, void *op_data)
{
    TS_API_ENTER(OHDR, BADITER, "object visitation failed", TS_BAD_ID(OHDR, BADITER, "object visitation failed"));
    struct visit v = {
        .loc_id = obj_id, .name = ".", .type = idx_type, .order = order, .fields = FIELDS, .op1 = op, .data = op_data};
    return TS_API_RET(visit_objects(&ts_scope_, &v));
}

herr_t H5Ovisit2(hid_t obj_id, H5_index_t idx_type, H5_iter_order_t order, H5O_iterate1_t op, void *op_data,
                 unsigned fields)
{
    TS_API_ENTER(OHDR, BADITER, "object iteration failed", TS_BAD_ID(OHDR, BADITER, "object iteration failed"));
    struct visit v = {
        .loc_id = obj_id, .name = ".", .type = idx_type, .order = order, .fields = fields, .op1 = op, .data = op_data};
    return TS_API_RET(visit_objects(&ts_scope_, &v));
}

herr_t H5Ovisit3(hid_t obj_id, H5_index_t idx_type, H5_iter_order_t order, H5O_iterate2_t op, void *op_data,
                 unsigned fields)
{
    TS_API_ENTER(OHDR, BADITER, "object iteration failed", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    struct visit v = {
        .loc_id = obj_id, .name = ".", .type = idx_type, .order = order, .fields = fields, .op2 = op, .data = op_data};
    return TS_API_RET(visit_objects(&ts_scope_, &v));
}

herr_t H5Ovisit_by_name1(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order,
                         H5O_iterate1_t op, void *op_data, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, BADITER, "object visitation failed", TS_BAD_ID(OHDR, BADITER, "object visitation failed"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    struct visit v = {.loc_id = loc_id,
                      .name = obj_name,
                      .lapl_id = lapl_id,
                      .type = idx_type,
                      .order = order,
                      .fields = FIELDS,
                      .op1 = op,
                      .data = op_data};
    return TS_API_RET(visit_objects(&ts_scope_, &v));
}

herr_t H5Ovisit_by_name2(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order,
                         H5O_iterate1_t op, void *op_data, unsigned fields, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, BADITER, "object iteration failed", TS_BAD_ID(OHDR, BADITER, "object iteration failed"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "obj_name parameter cannot be"));
    struct visit v = {.loc_id = loc_id,
                      .name = obj_name,
                      .lapl_id = lapl_id,
                      .type = idx_type,
                      .order = order,
                      .fields = fields,
                      .op1 = op,
                      .data = op_data};
    return TS_API_RET(visit_objects(&ts_scope_, &v));
}

herr_t H5Ovisit_by_name3(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order,
                         H5O_iterate2_t op, void *op_data, unsigned fields, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, BADITER, "object iteration failed", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    struct visit v = {.loc_id = loc_id,
                      .name = obj_name,
                      .lapl_id = lapl_id,
                      .type = idx_type,
                      .order = order,
                      .fields = fields,
                      .op2 = op,
                      .data = op_data};
    return TS_API_RET(visit_objects(&ts_scope_, &v));
}
