#include "api/place.h"

#include <string.h>

#include "base/alloc.h"
#include "file/mount.h"
#include "group/seen.h"

static int check_name(const char *name, enum ts_err_why why)
{
    if (name && *name)
        return 0;
    TS_ERR(ARGS, BADVALUE, "name parameter cannot be %s", name ? "an empty string" : "NULL");
    return ts_err_because(why);
}

int ts_api_check_location(hid_t id)
{
    TS_AUTO_PLACE place = {.path = NULL};
    return ts_place_from_id(id, &place);
}

bool ts_api_one_file(hid_t a, hid_t b)
{
    TS_AUTO_PLACE one = {.path = NULL};
    TS_AUTO_PLACE other = {.path = NULL};
    if (ts_place_from_id(a, &one) < 0 || ts_place_from_id(b, &other) < 0)
        return false;
    bool whole = ts_id_type(a) == H5I_FILE && ts_id_type(b) == H5I_FILE;
    return one.loc.fh == other.loc.fh || (whole && one.loc.fh->file == other.loc.fh->file);
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

int ts_api_nth_link(hid_t loc_id, const char *group_name, const struct ts_api_index *at, struct ts_plist *lapl,
                    struct ts_place *group, struct ts_link *link)
{
    if (ts_api_check_nth(group_name, at) < 0 || ts_api_find(loc_id, group_name, lapl, group) < 0)
        return -1;
    return ts_group_at(&group->loc, at->type, at->order, at->n, link);
}

int ts_api_nth_object(hid_t loc_id, const char *group_name, const struct ts_api_index *at, struct ts_plist *lapl,
                      struct ts_place *out)
{
    TS_AUTO_PLACE group = {.path = NULL};
    TS_AUTO_LINK link = {.name = NULL};
    if (ts_api_nth_link(loc_id, group_name, at, lapl, &group, &link) < 0)
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

int ts_api_iterate(const struct ts_place *group, const struct ts_api_links *how)
{
    struct ts_link_list list;
    if (ts_api_check_index(how->type, how->order) < 0 ||
        ts_group_list(&group->loc, how->type, how->order, &list) < 0)
        return -1;
    hsize_t at = how->idx ? *how->idx : 0;
    int status = 0;
    hid_t id = -1;
    if (at > 0 && at >= list.n)
        status = TS_ERR(SYM, BADVALUE, "index %llu out of bound: %zu links", (unsigned long long)at, list.n);
    else if ((id = ts_api_group_id(group)) < 0)
        status = -1;
    for (; status == 0 && at < list.n; at++)
        status = how->each(id, list.links[at].name, &list.links[at], how->ctx);
    if (id >= 0) {
        if (how->idx)
            *how->idx = at;
        ts_id_take_back(id);
    }
    ts_link_list_deinit(&list);
    return status;
}

/* A group that is being listed; the deeper ones are above it. */
struct level {
    struct ts_fhandle *fh; /* owned */
    struct ts_link_list list;
    size_t at;
    size_t path_len; /* of the names of its links, before their own */
};

struct visit {
    const struct ts_api_links *how;
    hid_t id;
    struct ts_seen seen, again;
    size_t n, capacity;
    struct level *levels;
    struct ts_wr path;
};

static int enter(struct visit *v, const struct ts_loc *loc)
{
    if (TS_GROW(v->levels, v->capacity, v->n + 1) < 0)
        return -1;
    struct level *level = &v->levels[v->n];
    *level = (struct level){.fh = loc->fh, .path_len = v->path.size};
    /* Groups without the wanted order are visited by name. */
    int ordered = v->how->type == H5_INDEX_CRT_ORDER ? ts_group_has_order(loc) : 0;
    H5_index_t type = ordered ? v->how->type : H5_INDEX_NAME;
    if (ordered < 0 || ts_group_list(loc, type, v->how->order, &level->list) < 0)
        return -1;
    ts_fhandle_ref(level->fh);
    v->n++;
    return 0;
}

static int append_name(struct visit *v, const char *name)
{
    ts_wr_bytes(&v->path, name, strlen(name) + 1);
    if (v->path.bad)
        return -1;
    v->path.size--; /* the NUL does not count */
    return 0;
}

static void leave(struct visit *v)
{
    struct level *level = &v->levels[--v->n];
    ts_link_list_deinit(&level->list);
    ts_fhandle_unref(level->fh);
}

/* As in libhdf5, only a group with several links is looked out for: one with a single link is met twice when the visit began there, or
 * above it, and comes back. Not more often, or its count of links is wrong, or nothing leads out of a circle. */
static int meet(struct visit *v, const struct ts_loc *loc, unsigned links)
{
    int known = ts_seen_enter(&v->seen, loc);
    return known == 1 && links <= 1 ? ts_seen_enter(&v->again, loc) : known;
}

static int enter_if_group(struct visit *v, const struct ts_loc *loc)
{
    H5O_type_t type;
    H5O_info1_t info;
    if (ts_object_type(loc, &type) < 0)
        return -1;
    if (type != H5O_TYPE_GROUP)
        return 0;
    int known = ts_object_info(loc, H5O_INFO_BASIC, &info) < 0 ? -1 : meet(v, loc, info.rc);
    if (known != 0)
        return known < 0 ? -1 : 0;
    ts_wr_u8(&v->path, '/');
    return v->path.bad ? -1 : enter(v, loc);
}

static int tell(struct visit *v, const struct ts_link *link, const struct ts_loc *there)
{
    if (v->how->target)
        *v->how->target = *there;
    int status = v->how->each(v->id, (const char *)v->path.data, link, v->how->ctx);
    if (status == 0 && link->type == H5L_TYPE_HARD)
        status = enter_if_group(v, there);
    return status;
}

static int visit_next(struct visit *v)
{
    struct level *level = &v->levels[v->n - 1];
    if (level->at == level->list.n) {
        leave(v);
        return 0;
    }
    const struct ts_link *link = &level->list.links[level->at++];
    v->path.size = level->path_len;
    if (append_name(v, link->name) < 0)
        return -1;
    struct ts_loc there = {level->fh, link->addr};
    ts_fhandle_ref(there.fh);
    int status = link->type == H5L_TYPE_HARD ? ts_mount_cross(&there.fh, &there.addr) : 0;
    if (status == 0)
        status = tell(v, link, &there);
    ts_fhandle_unref(there.fh);
    return status;
}

int ts_api_visit(const struct ts_place *group, const struct ts_api_links *how)
{
    if (ts_api_check_index(how->type, how->order) < 0)
        return -1;
    struct visit v = {.how = how, .id = ts_api_group_id(group)};
    if (v.id < 0)
        return -1;
    int status = ts_seen_enter(&v.seen, &group->loc) < 0 ? -1 : enter(&v, &group->loc);
    while (status == 0 && v.n > 0)
        status = visit_next(&v);
    while (v.n > 0)
        leave(&v);
    ts_free(v.levels);
    ts_seen_deinit(&v.seen);
    ts_seen_deinit(&v.again);
    ts_wr_free(&v.path);
    ts_id_take_back(v.id);
    return status;
}
