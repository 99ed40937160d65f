/* Locations and names as arguments (place.h). */
#include "api/place.h"

#include <string.h>

#include "base/alloc.h"

static int check_name(const char *name, enum ts_err_why why)
{
    if (name && *name)
        return 0;
    TS_ERR(ARGS, BADVALUE, "name parameter cannot be %s", name ? "an empty string" : "NULL");
    return ts_err_because(why);
}

int ts_api_check_location(hid_t id)
{
    return ts_place_check(id);
}

bool ts_api_one_file(hid_t a, hid_t b)
{
    TS_AUTO_PLACE one = {.path = NULL};
    TS_AUTO_PLACE other = {.path = NULL};
    if (ts_place_from_id(a, &one) < 0 || ts_place_from_id(b, &other) < 0)
        return false;
    return ts_api_same_file(a, &one, b, &other);
}

bool ts_api_same_file(hid_t a, const struct ts_place *one, hid_t b, const struct ts_place *other)
{
    return one->loc.fh == other->loc.fh ||
           (one->loc.fh->file == other->loc.fh->file && ts_id_type(a) == H5I_FILE && ts_id_type(b) == H5I_FILE);
}

int ts_api_check_name(const char *name)
{
    return check_name(name, TS_WHY_NAME);
}

int ts_api_check_new_name(const char *name)
{
    return check_name(name, TS_WHY_NEW_NAME);
}

int ts_api_find(hid_t loc_id, const char *name, struct ts_plist *lapl, struct ts_place *out)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_api_check_name(name) < 0 || ts_place_from_id(loc_id, &start) < 0)
        return -1;
    return ts_path_object(&start, name, lapl, out);
}

int ts_api_find_link(hid_t loc_id, const char *name, struct ts_plist *lapl, struct ts_target *out)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_api_check_name(name) < 0 || ts_place_from_id(loc_id, &start) < 0)
        return -1;
    if (ts_path_walk(&start, name, TS_PATH_LINK, lapl, out) < 0)
        return -1;
    return out->has_link ? 0 : TS_ERR(LINK, NOTFOUND, "'%s' names no link", name);
}

int ts_api_old_name(hid_t loc_id, const char *name, struct ts_plist *lapl, struct ts_spot *out)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_api_check_name(name) < 0 || ts_place_from_id(loc_id, &start) < 0)
        return -1;
    return ts_spot_find(&start, name, lapl, out);
}

int ts_api_new_name(hid_t loc_id, const char *name, struct ts_plist *lcpl, struct ts_plist *lapl, struct ts_spot *out)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_api_check_new_name(name) < 0 || ts_place_from_id(loc_id, &start) < 0)
        return -1;
    return ts_spot_find_new(&start, name, lcpl, lapl, out);
}

int ts_api_check_index(H5_index_t type, H5_iter_order_t order)
{
    if (type <= H5_INDEX_UNKNOWN || type >= H5_INDEX_N)
        return TS_ERR(ARGS, BADVALUE, "invalid index type specified");
    if (order <= H5_ITER_UNKNOWN || order >= H5_ITER_N)
        return TS_ERR(ARGS, BADVALUE, "invalid iteration order specified");
    return 0;
}

int ts_api_check_nth(const char *group_name, const struct ts_api_index *at)
{
    return ts_api_check_name(group_name) < 0 ? -1 : ts_api_check_index(at->type, at->order);
}

struct ts_plist *ts_api_name_list(struct ts_api_scope *scope, const char *name, hid_t id, enum ts_plist_kind kind)
{
    return ts_api_check_name(name) < 0 ? NULL : ts_api_plist(scope, id, kind);
}

struct ts_plist *ts_api_nth_list(struct ts_api_scope *scope, const char *group_name, const struct ts_api_index *at,
                                 hid_t lapl_id)
{
    return ts_api_check_nth(group_name, at) < 0 ? NULL : ts_api_plist(scope, lapl_id, TS_PLIST_LINK_ACCESS);
}

/* The group that a path names itself: as in libhdf5, not one that a link of another kind at its end leads to. */
static int find_group_itself(hid_t loc_id, const char *name, struct ts_plist *lapl, struct ts_place *out)
{
    TS_AUTO_PLACE start = {.path = NULL};
    TS_AUTO_TARGET target = {.has_link = false};
    if (ts_place_from_id(loc_id, &start) < 0 || ts_path_walk(&start, name, TS_PATH_LINK, lapl, &target) < 0)
        return -1;
    if (target.has_link && target.link.type != H5L_TYPE_HARD)
        return TS_ERR(LINK, BADVALUE, "'%s' is no group, but a link that may lead to one", name);
    *out = target.place;
    target.place = (struct ts_place){.path = NULL};
    return 0;
}

int ts_api_nth_link(hid_t loc_id, const char *group_name, const struct ts_api_index *at, struct ts_plist *lapl,
                    struct ts_place *group, struct ts_link *link)
{
    if (ts_api_check_nth(group_name, at) < 0 || find_group_itself(loc_id, group_name, lapl, group) < 0)
        return -1;
    return ts_group_at(&group->loc, at->type, at->order, at->n, link);
}

int ts_api_nth_object(hid_t loc_id, const char *group_name, const struct ts_api_index *at, struct ts_plist *lapl,
                      struct ts_place *out)
{
    TS_AUTO_PLACE group = {.path = NULL};
    TS_AUTO_LINK link = {.name = NULL};
    if (ts_api_check_nth(group_name, at) < 0 || ts_api_find(loc_id, group_name, lapl, &group) < 0 ||
        ts_group_at(&group.loc, at->type, at->order, at->n, &link) < 0)
        return -1;
    return ts_path_follow(&group, &link, lapl, out);
}

static hid_t register_or_drop(H5I_type_t type, void *obj)
{
    hid_t id = ts_id_register(type, obj);
    if (id < 0)
        ts_id_unpin(type, obj);
    return id;
}

hid_t ts_api_group_id(const struct ts_place *group)
{
    struct ts_object *obj;
    return ts_group_open(&group->loc, group->path, &obj) < 0 ? -1 : register_or_drop(H5I_GROUP, obj);
}

hid_t ts_api_new_group_id(const struct ts_place *group)
{
    struct ts_object *obj;
    return ts_object_new(H5I_GROUP, &group->loc, group->path, &obj) < 0 ? -1 : register_or_drop(H5I_GROUP, obj);
}

hid_t ts_api_object_id_by(const struct ts_place *place, struct ts_plist *apl)
{
    H5I_type_t type;
    void *obj;
    struct ts_plist *dapl = apl && ts_plist_is(apl, TS_PLIST_DATASET_ACCESS) ? apl : NULL;
    return ts_object_open(&place->loc, place->path, dapl, &type, &obj) < 0 ? -1 : register_or_drop(type, obj);
}

hid_t ts_api_object_id(const struct ts_place *place)
{
    return ts_api_object_id_by(place, NULL);
}
