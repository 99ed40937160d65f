/* H5L: looking at links, going over them, and their classes. */
#include "H5Lpublic.h"

#include <string.h>

#include "api/api.h"
#include "api/place.h"
#include "base/lock.h"
#include "group/link_value.h"
#include "group/visit.h"
#include "object/token.h"

static void to_info2(const H5L_info1_t *from, H5L_info2_t *to)
{
    memset(to, 0, sizeof *to);
    to->type = from->type;
    to->corder_valid = from->corder_valid;
    to->corder = from->corder;
    to->cset = from->cset;
    if (from->type == H5L_TYPE_HARD)
        ts_token_from_addr(from->u.address, &to->u.token);
    else
        to->u.val_size = from->u.val_size;
}

/* The components before the last must be there; the last may not. "/" is there though it is no link. */
static int link_exists(hid_t loc_id, const char *name, struct ts_plist *lapl)
{
    TS_AUTO_PLACE start = {.path = NULL};
    TS_AUTO_TARGET target = {.has_link = false};
    if (ts_api_check_name(name) < 0 || ts_place_from_id(loc_id, &start) < 0)
        return -1;
    if (strcmp(name, "/") == 0)
        return 1;
    int found = ts_path_walk(&start, name, TS_PATH_LINK | TS_PATH_TRY, lapl, &target);
    return found == 1 ? target.has_link : found;
}

htri_t H5Lexists(hid_t loc_id, const char *name, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link info",
                 TS_SYNCHRONOUS(LINK, CANTGET, "unable to synchronously check link existence"));
    TS_API_AT(loc_id);
    struct ts_plist *lapl = ts_api_name_list(&ts_scope_, name, lapl_id, TS_PLIST_LINK_ACCESS);
    if (!lapl)
        return TS_API_FAIL(-1);
    return TS_API_RET(link_exists(loc_id, name, lapl));
}

/* What the link is about is asked of its class only when somebody wants to know. */
static int info_by_name(struct ts_api_scope *scope, hid_t loc_id, const char *name, hid_t lapl_id, H5L_info1_t *out)
{
    struct ts_plist *lapl = ts_api_name_list(scope, name, lapl_id, TS_PLIST_LINK_ACCESS);
    TS_AUTO_TARGET target = {.has_link = false};
    if (!lapl || ts_api_find_link(loc_id, name, lapl, &target) < 0)
        return -1;
    return out ? ts_link_describe(&target.link, out) : 0;
}

herr_t H5Lget_info1(hid_t loc_id, const char *name, H5L_info1_t *linfo, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link info", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_CAUSE(SYM, NOTFOUND, LINK, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    return TS_API_RET(info_by_name(&ts_scope_, loc_id, name, lapl_id, linfo));
}

herr_t H5Lget_info2(hid_t loc_id, const char *name, H5L_info2_t *linfo, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link info", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_CAUSE(SYM, NOTFOUND, LINK, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    H5L_info1_t info;
    if (info_by_name(&ts_scope_, loc_id, name, lapl_id, linfo ? &info : NULL) < 0)
        return TS_API_FAIL(-1);
    if (linfo)
        to_info2(&info, linfo);
    return 0;
}

/* The n-th link of a group whose path is given. */
static int nth_link(struct ts_api_scope *scope, hid_t loc_id, const char *group_name, const struct ts_api_index *at,
                    hid_t lapl_id, struct ts_link *out)
{
    struct ts_plist *lapl = ts_api_nth_list(scope, group_name, at, lapl_id);
    TS_AUTO_PLACE group = {.path = NULL};
    return lapl ? ts_api_nth_link(loc_id, group_name, at, lapl, &group, out) : -1;
}

herr_t H5Lget_info_by_idx1(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                           H5L_info1_t *linfo, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link info", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    TS_AUTO_LINK link = {.name = NULL};
    if (nth_link(&ts_scope_, loc_id, group_name, &at, lapl_id, &link) < 0)
        return TS_API_FAIL(-1);
    return linfo ? TS_API_RET(ts_link_describe(&link, linfo)) : 0;
}

herr_t H5Lget_info_by_idx2(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                           H5L_info2_t *linfo, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link info", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    TS_AUTO_LINK link = {.name = NULL};
    H5L_info1_t info;
    if (nth_link(&ts_scope_, loc_id, group_name, &at, lapl_id, &link) < 0 ||
        (linfo && ts_link_describe(&link, &info) < 0))
        return TS_API_FAIL(-1);
    if (linfo)
        to_info2(&info, linfo);
    return 0;
}

ssize_t H5Lget_name_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                           char *name, size_t size, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link name", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_CAUSE(SYM, NOTFOUND, LINK, NOTFOUND, "group doesn't exist"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    TS_AUTO_LINK link = {.name = NULL};
    if (nth_link(&ts_scope_, loc_id, group_name, &at, lapl_id, &link) < 0)
        return TS_API_FAIL(-1);
    return (ssize_t)ts_api_copy_name(name, size, link.name);
}

herr_t H5Lget_val(hid_t loc_id, const char *name, void *buf, size_t size, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link value for '%s'",
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"), TS_CAUSE(SYM, NOTFOUND, LINK, NOTFOUND, NULL));
    TS_API_AT(loc_id);
    TS_API_ABOUT(name);
    struct ts_plist *lapl = ts_api_name_list(&ts_scope_, name, lapl_id, TS_PLIST_LINK_ACCESS);
    TS_AUTO_TARGET target = {.has_link = false};
    if (!lapl || ts_api_find_link(loc_id, name, lapl, &target) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_link_value(&target.link, buf, size));
}

herr_t H5Lget_val_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                         void *buf, size_t size, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTGET, "unable to get link value for", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    TS_AUTO_LINK link = {.name = NULL};
    if (nth_link(&ts_scope_, loc_id, group_name, &at, lapl_id, &link) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_link_value(&link, buf, size));
}

/* One of the two functions is set. */
struct request {
    hid_t loc_id;
    const char *name;
    hid_t lapl_id;
    H5_index_t type;
    H5_iter_order_t order;
    hsize_t *idx; /* where to begin, then where it stopped; NULL: at the first */
    H5L_iterate1_t op1;
    H5L_iterate2_t op2;
    void *data;
    hid_t group_id;
};

static int call(const char *name, const struct ts_link *link, const struct ts_loc *there, void *ctx)
{
    TS_MAY_CALL_OUT();
    (void)there;
    const struct request *req = ctx;
    H5L_info1_t info;
    H5L_info2_t info2;
    if (ts_link_describe(link, &info) < 0)
        return -1;
    if (req->op1)
        return req->op1(req->group_id, name, &info, req->data);
    to_info2(&info, &info2);
    return req->op2(req->group_id, name, &info2, req->data);
}

static int prepare(struct ts_api_scope *scope, struct request *req, const char *no_function, struct ts_place *group)
{
    if (ts_api_check_name(req->name) < 0 || ts_api_check_index(req->type, req->order) < 0)
        return -1;
    if (!req->op1 && !req->op2)
        return TS_ERR(ARGS, BADVALUE, "%s", no_function);
    struct ts_plist *lapl = ts_api_plist(scope, req->lapl_id, TS_PLIST_LINK_ACCESS);
    if (!lapl || ts_api_find(req->loc_id, req->name, lapl, group) < 0)
        return -1;
    req->group_id = ts_api_group_id(group);
    return req->group_id < 0 ? -1 : 0;
}

static int iterate(struct ts_api_scope *scope, struct request *req)
{
    TS_AUTO_PLACE group = {.path = NULL};
    struct ts_link_visit how = {req->type, req->order, call, req};
    hsize_t at = req->idx ? *req->idx : 0;
    if (prepare(scope, req, "no operator specified", &group) < 0)
        return -1;
    int status = ts_group_iterate(&group.loc, &how, &at);
    ts_id_take_back(req->group_id);
    /* Where one that stops goes on is told, not where one failed. */
    if (status >= 0 && req->idx)
        *req->idx = at;
    return status;
}

static int visit(struct ts_api_scope *scope, struct request *req)
{
    TS_AUTO_PLACE group = {.path = NULL};
    struct ts_link_visit how = {req->type, req->order, call, req};
    if (prepare(scope, req, "no callback operator specified", &group) < 0)
        return -1;
    int status = ts_group_visit(&group.loc, &how);
    ts_id_take_back(req->group_id);
    return status;
}

/* Iterating over an id takes groups and files only; whether they are still open is found after what is wrong otherwise.
 */
static int check_container(hid_t id)
{
    H5I_type_t made_for = ts_id_made_for(id);
    if (made_for != H5I_GROUP && made_for != H5I_FILE)
        return TS_ERR(ARGS, BADVALUE, "invalid argument: not a group or file");
    return 0;
}

herr_t H5Literate1(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, hsize_t *idx, H5L_iterate1_t op,
                   void *op_data)
{
    TS_API_ENTER(LINK, BADITER, "link iteration failed", TS_BAD_ID(LINK, BADITER, "link iteration failed"));
    struct request req = {
        .loc_id = grp_id, .name = ".", .type = idx_type, .order = order, .idx = idx, .op1 = op, .data = op_data};
    if (check_container(grp_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(iterate(&ts_scope_, &req));
}

herr_t H5Literate2(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, hsize_t *idx, H5L_iterate2_t op,
                   void *op_data)
{
    TS_API_ENTER(LINK, BADITER, "link iteration failed", TS_BAD_ID(LINK, BADITER, "link iteration failed"),
                 TS_SYNCHRONOUS(LINK, BADITER, "synchronous link iteration failed"));
    struct request req = {
        .loc_id = grp_id, .name = ".", .type = idx_type, .order = order, .idx = idx, .op2 = op, .data = op_data};
    if (check_container(grp_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(iterate(&ts_scope_, &req));
}

herr_t H5Literate_by_name1(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                           hsize_t *idx, H5L_iterate1_t op, void *op_data, hid_t lapl_id)
{
    TS_API_ENTER(LINK, BADITER, "link iteration failed", TS_BAD_ID(LINK, BADITER, "link iteration failed"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "group_name parameter cannot be"));
    struct request req = {.loc_id = loc_id,
                          .name = group_name,
                          .lapl_id = lapl_id,
                          .type = idx_type,
                          .order = order,
                          .idx = idx,
                          .op1 = op,
                          .data = op_data};
    return TS_API_RET(iterate(&ts_scope_, &req));
}

herr_t H5Literate_by_name2(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                           hsize_t *idx, H5L_iterate2_t op, void *op_data, hid_t lapl_id)
{
    TS_API_ENTER(LINK, BADITER, "link iteration failed", TS_BAD_ID(LINK, BADITER, "link iteration failed"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "group_name parameter cannot be"));
    struct request req = {.loc_id = loc_id,
                          .name = group_name,
                          .lapl_id = lapl_id,
                          .type = idx_type,
                          .order = order,
                          .idx = idx,
                          .op2 = op,
                          .data = op_data};
    return TS_API_RET(iterate(&ts_scope_, &req));
}

herr_t H5Lvisit1(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, H5L_iterate1_t op, void *op_data)
{
    TS_API_ENTER(LINK, BADITER, "link visitation failed", TS_BAD_ID(LINK, BADITER, "link visitation failed"));
    struct request req = {.loc_id = grp_id, .name = ".", .type = idx_type, .order = order, .op1 = op, .data = op_data};
    if (check_container(grp_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(visit(&ts_scope_, &req));
}

herr_t H5Lvisit2(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, H5L_iterate2_t op, void *op_data)
{
    TS_API_ENTER(LINK, BADITER, "link visitation failed", TS_BAD_ID(LINK, BADITER, "link visitation failed"));
    struct request req = {.loc_id = grp_id, .name = ".", .type = idx_type, .order = order, .op2 = op, .data = op_data};
    if (check_container(grp_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(visit(&ts_scope_, &req));
}

herr_t H5Lvisit_by_name1(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                         H5L_iterate1_t op, void *op_data, hid_t lapl_id)
{
    TS_API_ENTER(LINK, BADITER, "link visitation failed", TS_BAD_ID(LINK, BADITER, "link visitation failed"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "group_name parameter cannot be"));
    struct request req = {.loc_id = loc_id,
                          .name = group_name,
                          .lapl_id = lapl_id,
                          .type = idx_type,
                          .order = order,
                          .op1 = op,
                          .data = op_data};
    return TS_API_RET(visit(&ts_scope_, &req));
}

herr_t H5Lvisit_by_name2(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                         H5L_iterate2_t op, void *op_data, hid_t lapl_id)
{
    TS_API_ENTER(LINK, BADITER, "link visitation failed", TS_BAD_ID(LINK, BADITER, "link visitation failed"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "group_name parameter cannot be"));
    struct request req = {.loc_id = loc_id,
                          .name = group_name,
                          .lapl_id = lapl_id,
                          .type = idx_type,
                          .order = order,
                          .op2 = op,
                          .data = op_data};
    return TS_API_RET(visit(&ts_scope_, &req));
}

herr_t H5Lregister(const H5L_class_t *cls)
{
    TS_API_ENTER(LINK, NOTREGISTERED, "unable to register link type");
    if (!cls)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid link class");
    return TS_API_RET(ts_link_class_register(cls));
}

herr_t H5Lunregister(H5L_type_t id)
{
    TS_API_ENTER(LINK, NOTREGISTERED, "unable to unregister link type");
    if (id < 0 || id > H5L_TYPE_MAX)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid link type");
    return TS_API_RET(ts_link_class_unregister(id));
}

htri_t H5Lis_registered(H5L_type_t id)
{
    TS_API_ENTER(LINK, CANTOPERATE, "can't operate on link");
    struct ts_link_class cls;
    if (id < 0 || id > H5L_TYPE_MAX)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid link type id number");
    return ts_link_class_get(id, &cls);
}

herr_t H5Lunpack_elink_val(const void *ext_linkval, size_t link_size, unsigned *flags, const char **filename,
                           const char **obj_path)
{
    TS_API_ENTER(LINK, CANTOPERATE, "can't operate on link");
    if (!ext_linkval)
        return TS_API_ERR(-1, ARGS, BADVALUE, "not an external link linkval buffer");
    if (ts_external_unpack(ext_linkval, link_size, flags, filename, obj_path) == 0)
        return 0;
    ts_err_because(TS_WHY_SAID);
    return TS_API_FAIL(-1);
}
