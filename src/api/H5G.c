/* H5G: groups: opening them, what they tell of themselves, and the old functions for links. */
#include "H5Gpublic.h"

#include <string.h>

#include "api/api.h"
#include "api/flush.h"
#include "api/place.h"
#include "base/alloc.h"
#include "base/lock.h"
#include "group/link_value.h"
#include "group/visit.h"
#include "object/creation.h"
#include "plist/gcpl.h"
#include "plist/ocpl.h"

static void object_ref(void *obj)
{
    ts_object_ref(obj);
}

static void object_unref(void *obj)
{
    ts_object_unref(obj);
}

static void object_close(void *obj)
{
    ts_api_object_closes(((struct ts_object *)obj)->loc.fh->file);
    object_unref(obj);
}

void ts_group_api_init(void)
{
    static const struct ts_id_class cls = {
        .ref = object_ref, .unref = object_unref, .close = object_close, .count = ts_object_count};
    ts_id_class_set(H5I_GROUP, &cls);
    ts_object_init_kinds();
    ts_group_init_kinds();
    ts_link_class_reset();
}

static hid_t open_group(hid_t loc_id, const char *name, struct ts_plist *gapl)
{
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_find(loc_id, name, gapl, &place) < 0)
        return -1;
    return ts_api_group_id(&place);
}

hid_t H5Gopen2(hid_t loc_id, const char *name, hid_t gapl_id)
{
    TS_API_ENTER(SYM, CANTOPENOBJ, "unable to open group", TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_SYNCHRONOUS(SYM, CANTCREATE, "unable to synchronously open group"));
    TS_API_AT(loc_id);
    struct ts_plist *gapl = ts_api_name_list(&ts_scope_, name, gapl_id, TS_PLIST_GROUP_ACCESS);
    if (!gapl)
        return TS_API_FAIL(-1);
    return TS_API_RET(open_group(loc_id, name, gapl));
}

hid_t H5Gopen1(hid_t loc_id, const char *name)
{
    TS_API_ENTER(SYM, CANTOPENOBJ, "unable to open group", TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    TS_API_AT(loc_id);
    return TS_API_RET(open_group(loc_id, name, NULL));
}

herr_t H5Gclose(hid_t group_id)
{
    TS_API_ENTER(SYM, CANTRELEASE, "unable to close group", TS_BAD_ID(ARGS, BADTYPE, "not a group"));
    return TS_API_RET(ts_id_close(group_id, H5I_GROUP) < 0 ? -1 : 0);
}

/* All of the file: a group alone cannot be brought to it without what it stands among. */
herr_t H5Gflush(hid_t group_id)
{
    TS_API_ENTER(SYM, CANTFLUSH, "unable to flush group", TS_BAD_ID(ARGS, BADTYPE, "not a group"));
    struct ts_object *group = TS_API_OBJ(group_id, H5I_GROUP);
    if (!group)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_api_flush_object(group_id, group->loc.fh->file));
}

herr_t H5Grefresh(hid_t group_id)
{
    TS_API_ENTER(SYM, CANTLOAD, "unable to refresh group", TS_BAD_ID(ARGS, BADTYPE, "not a group"));
    struct ts_object *group = TS_API_OBJ(group_id, H5I_GROUP);
    return group ? TS_API_RET(ts_object_refresh(&group->loc)) : TS_API_FAIL(-1);
}

/* Where libhdf5 makes groups that tell how links are stored, this is the list's own. */
static int describe(const struct ts_loc *loc, struct ts_plist *pl)
{
    if (ts_object_describe(loc, ts_plist_default(TS_PLIST_GROUP_CREATE), pl) < 0)
        return -1;
    if (ts_file_low_bound(loc->fh->file) < H5F_LIBVER_V18)
        return 0;
    return ts_gcpl_touch_link_info(pl) < 0 ? -1 : ts_gcpl_touch_group_info(pl);
}

static int make_create_plist(const struct ts_loc *loc, struct ts_plist **out)
{
    if (ts_group_describe(loc, out) < 0)
        return -1;
    if (describe(loc, *out) < 0) {
        ts_plist_unref(*out);
        return -1;
    }
    return 0;
}

hid_t H5Gget_create_plist(hid_t group_id)
{
    TS_API_ENTER(SYM, CANTGET, "can't get group's creation property list", TS_BAD_ID(ARGS, BADTYPE, "not a group"));
    struct ts_object *group = TS_API_OBJ(group_id, H5I_GROUP);
    struct ts_plist *gcpl;
    if (!group || make_create_plist(&group->loc, &gcpl) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_LIST(gcpl);
}

static int group_info(hid_t loc_id, const char *name, struct ts_plist *lapl, H5G_info_t *out)
{
    TS_AUTO_PLACE place = {.path = NULL};
    return ts_api_find(loc_id, name, lapl, &place) < 0 ? -1 : ts_group_info(&place.loc, out);
}

static int check_info(const H5G_info_t *out)
{
    return out ? 0 : TS_ERR(ARGS, BADVALUE, "no info struct");
}

herr_t H5Gget_info(hid_t loc_id, H5G_info_t *ginfo)
{
    TS_API_ENTER(SYM, CANTGET, "can't retrieve group info",
                 TS_SYNCHRONOUS(SYM, CANTGET, "unable to synchronously get group info"));
    H5I_type_t made_for = ts_id_made_for(loc_id);
    if (made_for != H5I_GROUP && made_for != H5I_FILE)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid argument: not a group or file");
    if (check_info(ginfo) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(group_info(loc_id, ".", NULL, ginfo));
}

herr_t H5Gget_info_by_name(hid_t loc_id, const char *name, H5G_info_t *ginfo, hid_t lapl_id)
{
    TS_API_ENTER(SYM, CANTGET, "can't retrieve group info", TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_SYNCHRONOUS(SYM, CANTGET, "can't synchronously retrieve group info"));
    TS_API_AT(loc_id);
    if (ts_api_check_name(name) < 0 || check_info(ginfo) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *lapl = TS_API_PLIST(lapl_id, TS_PLIST_LINK_ACCESS);
    return lapl ? TS_API_RET(group_info(loc_id, name, lapl, ginfo)) : TS_API_FAIL(-1);
}

herr_t H5Gget_info_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                          H5G_info_t *ginfo, hid_t lapl_id)
{
    TS_API_ENTER(SYM, CANTGET, "can't retrieve group info", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_SYNCHRONOUS(SYM, CANTGET, "can't synchronously retrieve group info"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_check_nth(group_name, &at) < 0 || check_info(ginfo) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *lapl = TS_API_PLIST(lapl_id, TS_PLIST_LINK_ACCESS);
    if (!lapl || ts_api_nth_object(loc_id, group_name, &at, lapl, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_group_info(&place.loc, ginfo));
}

static int check_group(hid_t loc_id)
{
    TS_AUTO_PLACE place = {.path = NULL};
    H5O_type_t type;
    if (ts_place_from_id(loc_id, &place) < 0 || ts_object_type(&place.loc, &type) < 0)
        return -1;
    return type == H5O_TYPE_GROUP ? 0 : TS_SAY(SYM, BADTYPE, "not a group");
}

herr_t H5Gget_num_objs(hid_t loc_id, hsize_t *num_objs)
{
    TS_API_ENTER(SYM, BADTYPE, "not a group", TS_BAD_ID(SYM, BADTYPE, "not a location ID"));
    H5G_info_t info;
    if (check_group(loc_id) < 0)
        return TS_API_FAIL(-1);
    if (!num_objs)
        return TS_API_ERR(-1, SYM, BADVALUE, "bad pointer to # of objects");
    if (group_info(loc_id, ".", NULL, &info) < 0)
        return TS_API_FAIL(-1);
    *num_objs = info.nlinks;
    return 0;
}

static int nth_by_name(hid_t loc_id, hsize_t idx, struct ts_place *group, struct ts_link *link)
{
    struct ts_api_index at = {H5_INDEX_NAME, H5_ITER_INC, idx};
    return ts_api_nth_link(loc_id, ".", &at, NULL, group, link);
}

ssize_t H5Gget_objname_by_idx(hid_t loc_id, hsize_t idx, char *name, size_t size)
{
    TS_API_ENTER(SYM, CANTGET, "can't get object name", TS_BAD_ID(SYM, BADTYPE, "not a location ID"),
                 TS_WRONG(NO_GROUP, SYM, BADTYPE, "not a group"));
    TS_AUTO_PLACE group = {.path = NULL};
    TS_AUTO_LINK link = {.name = NULL};
    if (check_group(loc_id) < 0 || nth_by_name(loc_id, idx, &group, &link) < 0)
        return TS_API_FAIL(-1);
    return (ssize_t)ts_api_copy_name(name, size, link.name);
}

static H5G_obj_t old_type(H5O_type_t type)
{
    switch (type) {
    case H5O_TYPE_GROUP:
        return H5G_GROUP;
    case H5O_TYPE_DATASET:
        return H5G_DATASET;
    case H5O_TYPE_NAMED_DATATYPE:
        return H5G_TYPE;
    default:
        return H5G_UNKNOWN;
    }
}

static H5G_obj_t old_link_type(const struct ts_link *link)
{
    return link->type == H5L_TYPE_SOFT ? H5G_LINK : H5G_UDLINK;
}

H5G_obj_t H5Gget_objtype_by_idx(hid_t loc_id, hsize_t idx)
{
    TS_API_ENTER(SYM, BADTYPE, "can't get object type", TS_BAD_ID(ARGS, BADTYPE, "not a location ID"));
    TS_AUTO_PLACE group = {.path = NULL};
    TS_AUTO_LINK link = {.name = NULL};
    H5O_type_t type;
    if (nth_by_name(loc_id, idx, &group, &link) < 0)
        return TS_API_FAIL(H5G_UNKNOWN);
    if (link.type != H5L_TYPE_HARD)
        return old_link_type(&link);
    struct ts_loc loc = {group.loc.fh, link.addr};
    if (ts_object_type(&loc, &type) < 0)
        return TS_API_FAIL(H5G_UNKNOWN);
    return old_type(type);
}

/* `out` may be NULL, here and below. */
static int stat_object(const struct ts_loc *loc, H5G_stat_t *out)
{
    H5O_info1_t info;
    if (ts_object_info(loc, H5O_INFO_BASIC | H5O_INFO_TIME | H5O_NATIVE_INFO_HDR, &info) < 0)
        return -1;
    if (!out)
        return 0;
    out->fileno[0] = info.fileno;
    out->objno[0] = (unsigned long)info.addr;
    out->nlink = info.rc;
    out->type = old_type(info.type);
    out->mtime = info.ctime;
    out->ohdr.size = info.hdr.space.total;
    out->ohdr.free = info.hdr.space.free;
    out->ohdr.nmesgs = info.hdr.nmesgs;
    out->ohdr.nchunks = info.hdr.nchunks;
    return 0;
}

static int stat_link(hid_t loc_id, const char *name, H5G_stat_t *out)
{
    TS_AUTO_TARGET target = {.has_link = false};
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_api_check_name(name) < 0 || ts_place_from_id(loc_id, &start) < 0 ||
        ts_path_walk(&start, name, TS_PATH_LINK, NULL, &target) < 0)
        return -1;
    /* Names like "/" and "a/." are not those of links. */
    if (!target.has_link || target.link.type == H5L_TYPE_HARD)
        return stat_object(&target.place.loc, out);
    H5L_info1_t info;
    if (!out)
        return 0;
    if (ts_link_describe(&target.link, &info) < 0)
        return -1;
    out->type = old_link_type(&target.link);
    out->linklen = info.u.val_size;
    out->fileno[0] = target.place.loc.fh->file->entry.serial;
    return 0;
}

herr_t H5Gget_objinfo(hid_t loc_id, const char *name, hbool_t follow_link, H5G_stat_t *statbuf)
{
    TS_API_ENTER(SYM, CANTGET, "cannot stat object", TS_BAD_ID(SYM, BADTYPE, "not a location"),
                 TS_WRONG(NAME, SYM, BADVALUE, "no name specified"), TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, NULL));
    TS_API_AT(loc_id);
    TS_AUTO_PLACE place = {.path = NULL};
    if (statbuf)
        memset(statbuf, 0, sizeof *statbuf);
    if (!follow_link)
        return TS_API_RET(stat_link(loc_id, name, statbuf));
    if (ts_api_find(loc_id, name, NULL, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(stat_object(&place.loc, statbuf));
}

herr_t H5Gget_linkval(hid_t loc_id, const char *name, size_t size, char *buf)
{
    TS_API_ENTER(SYM, NOTFOUND, "couldn't get link info", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_CAUSE(SYM, NOTFOUND, LINK, NOTFOUND, NULL));
    TS_API_AT(loc_id);
    TS_AUTO_TARGET target = {.has_link = false};
    if (ts_api_find_link(loc_id, name, NULL, &target) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_link_value(&target.link, buf, size));
}

herr_t H5Gset_comment(hid_t loc_id, const char *name, const char *comment)
{
    TS_API_ENTER(SYM, CANTSET, "unable to set comment value", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_find(loc_id, name, NULL, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_place_done(&place, ts_object_set_comment(&place.loc, comment)));
}

int H5Gget_comment(hid_t loc_id, const char *name, size_t bufsize, char *buf)
{
    TS_API_ENTER(SYM, CANTGET, "unable to get comment value", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (bufsize > 0 && !buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no buffer specified");
    if (ts_api_find(loc_id, name, NULL, &place) < 0)
        return TS_API_FAIL(-1);
    return (int)TS_API_RET(ts_object_comment(&place.loc, buf, bufsize));
}

struct old_iterate {
    H5G_iterate_t op;
    void *data;
    hid_t group_id;
};

static int call_old(const char *name, const struct ts_link *link, const struct ts_loc *there, void *ctx)
{
    TS_MAY_CALL_OUT();
    (void)link;
    (void)there;
    const struct old_iterate *it = ctx;
    return it->op(it->group_id, name, it->data);
}

herr_t H5Giterate(hid_t loc_id, const char *name, int *idx, H5G_iterate_t op, void *op_data)
{
    TS_API_ENTER(SYM, BADITER, "group iteration failed", TS_BAD_ID(SYM, BADITER, "group iteration failed"),
                 TS_WRONG(NAME, SYM, BADVALUE, "no name specified"));
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (idx && *idx < 0)
        return TS_API_ERR(-1, SYM, BADVALUE, "invalid index specified");
    if (!op)
        return TS_API_ERR(-1, SYM, BADVALUE, "no operator specified");
    if (ts_api_find(loc_id, name, NULL, &place) < 0)
        return TS_API_FAIL(-1);
    struct old_iterate it = {op, op_data, ts_api_group_id(&place)};
    if (it.group_id < 0)
        return TS_API_FAIL(-1);
    hsize_t at = idx ? (hsize_t)*idx : 0;
    struct ts_link_visit how = {H5_INDEX_NAME, H5_ITER_INC, call_old, &it};
    int status = ts_group_iterate(&place.loc, &how, &at);
    ts_id_take_back(it.group_id);
    if (idx)
        *idx = (int)at;
    return TS_API_RET(status);
}
