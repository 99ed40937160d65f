/* H5G: making groups, and the old functions that change links. */
#include "H5Gpublic.h"

#include "api/api.h"
#include "api/place.h"
#include "base/alloc.h"
#include "file/change.h"
#include "group/edit.h"
#include "object/swmr.h"
#include "plist/gcpl.h"

/* Ends the change in which a group was made and opened. */
static hid_t end_with_id(struct ts_file *f, hid_t id)
{
    if (ts_change_end(f, id < 0 ? -1 : 0) == 0)
        return id;
    if (id >= 0)
        ts_id_dec(id);
    return -1;
}

/* The id of a group that was just made at a spot. */
static hid_t open_made(const struct ts_spot *spot, haddr_t addr)
{
    bool ok;
    struct ts_place place = {.loc = {spot->group.loc.fh, addr}, .path = ts_spot_path(spot, &ok)};
    hid_t id = ok ? ts_api_new_group_id(&place) : -1;
    ts_free(place.path);
    return id;
}

struct lists {
    struct ts_plist *lcpl, *gcpl, *gapl; /* the first and the last may be NULL */
};

static hid_t create(hid_t loc_id, const char *name, const struct lists *lists)
{
    TS_AUTO_SPOT spot = {.name = NULL};
    haddr_t addr;
    if (ts_api_new_name(loc_id, name, lists->lcpl, lists->gapl, &spot) < 0 || ts_change_begin(ts_spot_file(&spot)) < 0)
        return -1;
    return end_with_id(ts_spot_file(&spot), ts_group_make(&spot, lists->gcpl, &addr) < 0 ? -1 : open_made(&spot, addr));
}

hid_t H5Gcreate2(hid_t loc_id, const char *name, hid_t lcpl_id, hid_t gcpl_id, hid_t gapl_id)
{
    TS_API_ENTER(SYM, CANTINIT, "unable to create group",
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not group create property list"),
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_SYNCHRONOUS(SYM, CANTCREATE, "unable to synchronously create group"));
    TS_API_AT(loc_id);
    struct lists lists = {.lcpl = ts_api_check_new_name(name) < 0 ? NULL : TS_API_PLIST(lcpl_id, TS_PLIST_LINK_CREATE)};
    if (!lists.lcpl || !(lists.gcpl = TS_API_PLIST(gcpl_id, TS_PLIST_GROUP_CREATE)) ||
        !(lists.gapl = TS_API_PLIST(gapl_id, TS_PLIST_GROUP_ACCESS)))
        return TS_API_FAIL(-1);
    return TS_API_RET(create(loc_id, name, &lists));
}

/* How many bytes names will take says no more than that they are expected. */
static int apply_hint(struct ts_plist *gcpl, size_t hint)
{
    struct ts_gcpl_group group;
    if (hint > UINT32_MAX)
        return TS_ERR(ARGS, BADVALUE, "size_hint cannot be larger than UINT32_MAX");
    if (ts_gcpl_group_info(gcpl, &group) < 0)
        return -1;
    group.heap_hint = (uint32_t)hint;
    return ts_gcpl_set_group_info(gcpl, &group);
}

hid_t H5Gcreate1(hid_t loc_id, const char *name, size_t size_hint)
{
    TS_API_ENTER(SYM, CANTINIT, "unable to create group",
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not group create property list"),
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name given"));
    TS_API_AT(loc_id);
    struct ts_plist *gcpl;
    if (ts_api_check_new_name(name) < 0 || ts_plist_new(TS_PLIST_GROUP_CREATE, &gcpl) < 0)
        return TS_API_FAIL(-1);
    hid_t id = apply_hint(gcpl, size_hint) < 0 ? -1 : create(loc_id, name, &(struct lists){.gcpl = gcpl});
    ts_plist_unref(gcpl);
    return TS_API_RET(id);
}

/* Opened inside the change: without a link to it, only an open object keeps it. */
static hid_t create_unlinked(const struct ts_place *where, struct ts_plist *gcpl)
{
    struct ts_file *f = where->loc.fh->file;
    struct ts_place place = {.loc = where->loc};
    if (ts_swmr_change_names(f, HADDR_UNDEF, "create a group") < 0)
        return -1;
    return end_with_id(f, ts_group_new(f, gcpl, 0, &place.loc.addr) < 0 ? -1 : ts_api_new_group_id(&place));
}

hid_t H5Gcreate_anon(hid_t loc_id, hid_t gcpl_id, hid_t gapl_id)
{
    TS_API_ENTER(SYM, CANTCREATE, "unable to create group",
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not group create property list"));
    TS_API_AT(loc_id);
    TS_AUTO_PLACE where = {.path = NULL};
    if (ts_place_from_id(loc_id, &where) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *gcpl = TS_API_PLIST(gcpl_id, TS_PLIST_GROUP_CREATE);
    if (!gcpl || !TS_API_PLIST(gapl_id, TS_PLIST_GROUP_ACCESS))
        return TS_API_FAIL(-1);
    return TS_API_RET(create_unlinked(&where, gcpl));
}

static int unlink_name(hid_t loc_id, const char *name)
{
    TS_AUTO_SPOT spot = {.name = NULL};
    return ts_api_old_name(loc_id, name, NULL, &spot) < 0 ? -1 : ts_link_delete(&spot);
}

herr_t H5Gunlink(hid_t loc_id, const char *name)
{
    TS_API_ENTER(SYM, CANTDELETE, "couldn't delete link", TS_BAD_ID(SYM, BADTYPE, "not a location"),
                 TS_WRONG(NAME, SYM, BADVALUE, "no name"),
                 TS_CAUSE(SYM, NOTFOUND, LINK, CANTDELETE,
                          "callback link pointer is NULL (specified link may be '.' or not exist)"));
    TS_API_AT(loc_id);
    return TS_API_RET(unlink_name(loc_id, name));
}

static int link_name(hid_t loc_id, const char *name, H5L_type_t type, hid_t new_loc_id, const char *new_name)
{
    TS_AUTO_SPOT spot = {.name = NULL};
    TS_AUTO_PLACE object = {.path = NULL};
    if (ts_api_check_name(name) < 0 || ts_api_check_new_name(new_name) < 0)
        return -1;
    if (new_loc_id == H5L_SAME_LOC)
        new_loc_id = loc_id;
    if (loc_id == H5L_SAME_LOC)
        loc_id = new_loc_id;
    if (type == H5L_TYPE_HARD) {
        if (!ts_api_one_file(loc_id, new_loc_id))
            return TS_ERR(LINK, BADVALUE, "source and destination should be in the same file.");
        if (ts_api_find(loc_id, name, NULL, &object) < 0 ||
            ts_api_new_name(new_loc_id, new_name, NULL, NULL, &spot) < 0)
            return -1;
        return ts_link_hard(&spot, &object.loc);
    }
    if (type != H5L_TYPE_SOFT)
        return TS_ERR(LINK, BADVALUE, "Not a valid link type");
    return ts_api_new_name(new_loc_id, new_name, NULL, NULL, &spot) < 0 ? -1 : ts_link_soft(&spot, name);
}

herr_t H5Glink(hid_t cur_loc_id, H5G_link_t type, const char *cur_name, const char *new_name)
{
    TS_API_ENTER(SYM, CANTINIT, "couldn't create link", TS_BAD_ID(SYM, CANTINIT, "couldn't create link"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no current name specified"),
                 TS_WRONG(NEW_NAME, ARGS, BADVALUE, "no new name specified"));
    return TS_API_RET(link_name(cur_loc_id, cur_name, (H5L_type_t)type, cur_loc_id, new_name));
}

herr_t H5Glink2(hid_t cur_loc_id, const char *cur_name, H5G_link_t type, hid_t new_loc_id, const char *new_name)
{
    TS_API_ENTER(SYM, CANTINIT, "couldn't create link", TS_BAD_ID(SYM, CANTINIT, "couldn't create link"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no current name specified"),
                 TS_WRONG(NEW_NAME, ARGS, BADVALUE, "no new name specified"));
    return TS_API_RET(link_name(cur_loc_id, cur_name, (H5L_type_t)type, new_loc_id, new_name));
}

static int move_name(hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name)
{
    TS_AUTO_SPOT from = {.name = NULL};
    TS_AUTO_SPOT to = {.name = NULL};
    if (ts_api_old_name(src_loc_id == H5L_SAME_LOC ? dst_loc_id : src_loc_id, src_name, NULL, &from) < 0 ||
        ts_api_new_name(dst_loc_id == H5L_SAME_LOC ? src_loc_id : dst_loc_id, dst_name, NULL, NULL, &to) < 0)
        return -1;
    return ts_link_transfer(&from, &to, TS_LINK_MOVE);
}

herr_t H5Gmove(hid_t src_loc_id, const char *src_name, const char *dst_name)
{
    TS_API_ENTER(SYM, CANTMOVE, "couldn't move link", TS_BAD_ID(SYM, CANTMOVE, "couldn't move link"),
                 TS_WRONG(NAME, SYM, CANTMOVE, "couldn't move link"),
                 TS_CAUSE(LINK, EXISTS, LINK, NOTFOUND, "an object with that name already exists"));
    return TS_API_RET(move_name(src_loc_id, src_name, src_loc_id, dst_name));
}

herr_t H5Gmove2(hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name)
{
    TS_API_ENTER(SYM, CANTMOVE, "couldn't move link", TS_BAD_ID(SYM, CANTMOVE, "couldn't move link"),
                 TS_WRONG(NAME, SYM, CANTMOVE, "couldn't move link"),
                 TS_CAUSE(LINK, EXISTS, LINK, NOTFOUND, "an object with that name already exists"));
    return TS_API_RET(move_name(src_loc_id, src_name, dst_loc_id, dst_name));
}
