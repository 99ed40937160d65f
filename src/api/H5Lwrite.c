/* H5L: making, moving, copying and deleting links. */
#include "H5Lpublic.h"

#include "api/api.h"
#include "api/place.h"
#include "group/edit.h"

/* Link creation and access lists of a call; NULL and an error on the stack when one is not. */
struct lists {
    struct ts_plist *lcpl, *lapl;
};

static int get_lists(struct ts_api_scope *scope, hid_t lcpl_id, hid_t lapl_id, struct lists *out)
{
    out->lcpl = ts_api_plist(scope, lcpl_id, TS_PLIST_LINK_CREATE);
    out->lapl = out->lcpl ? ts_api_plist(scope, lapl_id, TS_PLIST_LINK_ACCESS) : NULL;
    return out->lapl ? 0 : -1;
}

/* From one name to another. */
struct way {
    hid_t from_loc;
    const char *from;
    hid_t to_loc;
    const char *to;
    struct ts_place *start, *end; /* where both begin, once they were checked */
};

/* One of two locations may be said to be the other. Functions have different words for it when both are. */
static int check_way(struct way *way, const char *both)
{
    if (way->from_loc == H5L_SAME_LOC && way->to_loc == H5L_SAME_LOC)
        return TS_ERR(ARGS, BADVALUE, "source and destination should not %s H5L_SAME_LOC", both);
    if (way->from_loc == H5L_SAME_LOC)
        way->from_loc = way->to_loc;
    if (way->to_loc == H5L_SAME_LOC)
        way->to_loc = way->from_loc;
    if (ts_place_from_id(way->from_loc, way->start) < 0 || ts_place_from_id(way->to_loc, way->end) < 0 ||
        ts_api_check_name(way->from) < 0)
        return -1;
    return ts_api_check_new_name(way->to);
}

static int make_hard(const struct way *way, const struct lists *lists)
{
    TS_AUTO_PLACE object = {.path = NULL};
    TS_AUTO_SPOT spot = {.name = NULL};
    if (ts_path_unnamed(way->start, way->from, lists->lapl, &object) < 0 ||
        ts_spot_find_new(way->end, way->to, lists->lcpl, lists->lapl, &spot) < 0)
        return -1;
    return ts_link_hard(&spot, &object.loc);
}

herr_t H5Lcreate_hard(hid_t cur_loc_id, const char *cur_name, hid_t dst_loc_id, const char *dst_name, hid_t lcpl_id,
                      hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTCREATE, "unable to create link",
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not a link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "cur_name parameter cannot be"),
                 TS_WRONG(NEW_NAME, ARGS, BADVALUE, "new_name parameter cannot be"),
                 TS_SYNCHRONOUS(LINK, CANTCREATE, "unable to synchronously create hard link"));
    struct lists lists;
    TS_AUTO_PLACE start = {.path = NULL};
    TS_AUTO_PLACE end = {.path = NULL};
    struct way way = {cur_loc_id, cur_name, dst_loc_id, dst_name, &start, &end};
    if (check_way(&way, "be both") < 0 || !(lists.lcpl = TS_API_PLIST(lcpl_id, TS_PLIST_LINK_CREATE)))
        return TS_API_FAIL(-1);
    if (!ts_api_same_file(way.from_loc, &start, way.to_loc, &end))
        return TS_API_ERR(-1, ARGS, BADVALUE, "source and destination should be in the same file.");
    if (!(lists.lapl = TS_API_PLIST(lapl_id, TS_PLIST_LINK_ACCESS)))
        return TS_API_FAIL(-1);
    return TS_API_RET(make_hard(&way, &lists));
}

herr_t H5Olink(hid_t obj_id, hid_t new_loc_id, const char *new_name, hid_t lcpl_id, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTCREATE, "unable to create link",
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not a link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"));
    struct lists lists;
    TS_AUTO_PLACE object = {.path = NULL};
    TS_AUTO_SPOT spot = {.name = NULL};
    if (ts_place_from_id(obj_id, &object) < 0)
        return TS_API_FAIL(-1);
    if (new_loc_id == H5L_SAME_LOC)
        return TS_API_ERR(-1, ARGS, BADTYPE, "cannot use H5L_SAME_LOC when only one location is specified");
    if (ts_api_check_location(new_loc_id) < 0 || ts_api_check_new_name(new_name) < 0 ||
        get_lists(&ts_scope_, lcpl_id, lapl_id, &lists) < 0 ||
        ts_api_new_name(new_loc_id, new_name, lists.lcpl, lists.lapl, &spot) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_spot_done(&spot, ts_link_hard(&spot, &object.loc)));
}

herr_t H5Lcreate_soft(const char *link_target, hid_t link_loc_id, const char *link_name, hid_t lcpl_id, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTCREATE, "unable to create soft link",
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not a link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "link_name parameter cannot be"),
                 TS_SYNCHRONOUS(LINK, CANTCREATE, "unable to synchronously create soft link"));
    TS_API_AT(link_loc_id);
    struct lists lists;
    TS_AUTO_SPOT spot = {.name = NULL};
    if (!link_target || !*link_target)
        return TS_API_ERR(-1, ARGS, BADVALUE, "link_target parameter cannot be %s",
                          link_target ? "an empty string" : "NULL");
    if (ts_api_check_new_name(link_name) < 0 || get_lists(&ts_scope_, lcpl_id, lapl_id, &lists) < 0 ||
        ts_api_new_name(link_loc_id, link_name, lists.lcpl, lists.lapl, &spot) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_spot_done(&spot, ts_link_soft(&spot, link_target)));
}

herr_t H5Lcreate_external(const char *file_name, const char *obj_name, hid_t link_loc_id, const char *link_name,
                          hid_t lcpl_id, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTINIT, "unable to create external link",
                 TS_WRONG(NAME, ARGS, BADVALUE, "no link name specified"));
    struct lists lists;
    TS_AUTO_SPOT spot = {.name = NULL};
    if (!file_name || !*file_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no file name specified");
    if (!obj_name || !*obj_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no object name specified");
    TS_API_AT(link_loc_id);
    if (ts_api_check_new_name(link_name) < 0 || get_lists(&ts_scope_, lcpl_id, lapl_id, &lists) < 0 ||
        ts_api_new_name(link_loc_id, link_name, lists.lcpl, lists.lapl, &spot) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_spot_done(&spot, ts_link_external(&spot, file_name, obj_name)));
}

herr_t H5Lcreate_ud(hid_t link_loc_id, const char *link_name, H5L_type_t link_type, const void *udata,
                    size_t udata_size, hid_t lcpl_id, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTINIT, "unable to create link", TS_WRONG(NAME, ARGS, BADVALUE, "no link name specified"));
    TS_API_AT(link_loc_id);
    struct lists lists;
    TS_AUTO_SPOT spot = {.name = NULL};
    if (ts_api_check_location(link_loc_id) < 0 || ts_api_check_new_name(link_name) < 0)
        return TS_API_FAIL(-1);
    if (link_type < H5L_TYPE_UD_MIN || link_type > H5L_TYPE_MAX)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid link class");
    if (get_lists(&ts_scope_, lcpl_id, lapl_id, &lists) < 0)
        return TS_API_FAIL(-1);
    if (!udata && udata_size)
        return TS_API_ERR(-1, LINK, CANTINIT, "unable to create link: udata cannot be NULL if udata_size is non-zero");
    if (ts_api_new_name(link_loc_id, link_name, lists.lcpl, lists.lapl, &spot) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_spot_done(&spot, ts_link_user(&spot, link_type, udata, udata_size)));
}

static int transfer(const struct way *way, const struct lists *lists, enum ts_link_transfer how)
{
    TS_AUTO_SPOT from = {.name = NULL};
    TS_AUTO_SPOT to = {.name = NULL};
    if (ts_spot_find(way->start, way->from, lists->lapl, &from) < 0 || ts_spot_exists(&from) < 0 ||
        ts_spot_find_new(way->end, way->to, lists->lcpl, lists->lapl, &to) < 0)
        return -1;
    return ts_link_transfer(&from, &to, how);
}

herr_t H5Lmove(hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name, hid_t lcpl_id,
               hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTMOVE, "unable to move link",
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not a link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no current name specified"),
                 TS_WRONG(NEW_NAME, ARGS, BADVALUE, "no destination name specified"),
                 TS_CAUSE(LINK, EXISTS, LINK, NOTFOUND, "an object with that name already exists"));
    struct lists lists;
    TS_AUTO_PLACE start = {.path = NULL};
    TS_AUTO_PLACE end = {.path = NULL};
    struct way way = {src_loc_id, src_name, dst_loc_id, dst_name, &start, &end};
    if (check_way(&way, "both be") < 0 || get_lists(&ts_scope_, lcpl_id, lapl_id, &lists) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(transfer(&way, &lists, TS_LINK_MOVE));
}

herr_t H5Lcopy(hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name, hid_t lcpl_id,
               hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTMOVE, "unable to copy link",
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not a link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no current name specified"),
                 TS_WRONG(NEW_NAME, ARGS, BADVALUE, "no destination name specified"),
                 TS_CAUSE(LINK, EXISTS, LINK, NOTFOUND, "an object with that name already exists"));
    struct lists lists;
    TS_AUTO_PLACE start = {.path = NULL};
    TS_AUTO_PLACE end = {.path = NULL};
    struct way way = {src_loc_id, src_name, dst_loc_id, dst_name, &start, &end};
    if (check_way(&way, "both be") < 0 || get_lists(&ts_scope_, lcpl_id, lapl_id, &lists) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(transfer(&way, &lists, TS_LINK_COPY));
}

herr_t H5Ldelete(hid_t loc_id, const char *name, hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTDELETE, "unable to delete link", TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_CAUSE(SYM, NOTFOUND, LINK, CANTDELETE,
                          "callback link pointer is NULL (specified link may be '.' or not exist)"),
                 TS_SYNCHRONOUS(LINK, CANTDELETE, "unable to synchronously delete link"));
    TS_API_AT(loc_id);
    struct ts_plist *lapl = ts_api_name_list(&ts_scope_, name, lapl_id, TS_PLIST_LINK_ACCESS);
    TS_AUTO_SPOT spot = {.name = NULL};
    if (!lapl || ts_api_old_name(loc_id, name, lapl, &spot) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_spot_done(&spot, ts_link_delete(&spot)));
}

static int delete_nth(hid_t loc_id, const char *group_name, const struct ts_api_index *at, struct ts_plist *lapl)
{
    TS_AUTO_LINK link = {.name = NULL};
    TS_AUTO_SPOT spot = {.name = NULL};
    if (ts_api_nth_link(loc_id, group_name, at, lapl, &spot.group, &link) < 0)
        return -1;
    spot.name = link.name;
    return ts_link_delete(&spot);
}

herr_t H5Ldelete_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                        hid_t lapl_id)
{
    TS_API_ENTER(LINK, CANTDELETE, "unable to delete link", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_SYNCHRONOUS(LINK, CANTDELETE, "unable to synchronously delete link"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    struct ts_plist *lapl = ts_api_nth_list(&ts_scope_, group_name, &at, lapl_id);
    if (!lapl)
        return TS_API_FAIL(-1);
    return TS_API_RET(delete_nth(loc_id, group_name, &at, lapl));
}
