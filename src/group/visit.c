/* Going over the links of a group, or over all below it. No lock is held while a function is told of one: what is
 * listed is a copy, and it may change the groups. */
#include "group/visit.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/mount.h"
#include "group/group.h"
#include "group/link_value.h"
#include "group/seen.h"

int ts_group_iterate(const struct ts_loc *group, const struct ts_link_visit *how, hsize_t *at)
{
    struct ts_link_list list;
    int status = 0;
    if (ts_group_list(group, how->type, how->order, &list) < 0)
        return -1;
    if (*at > 0 && *at >= list.n)
        status = TS_ERR(SYM, BADVALUE, "index %llu out of bound: %zu links", (unsigned long long)*at, list.n);
    for (; status == 0 && *at < list.n; ++*at)
        status = how->each(list.links[*at].name, &list.links[*at], NULL, how->ctx);
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
    const struct ts_link_visit *how;
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

/* As in libhdf5, only a group with several links is looked out for: one with a single link is met twice when the visit
 * began there, or above it, and comes back. Not more often, or its count of links is wrong, or nothing leads out of a
 * circle. */
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
    int status = v->how->each((const char *)v->path.data, link, there, v->how->ctx);
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

int ts_group_visit(const struct ts_loc *group, const struct ts_link_visit *how)
{
    struct visit v = {.how = how};
    int status = ts_seen_enter(&v.seen, group) < 0 ? -1 : enter(&v, group);
    while (status == 0 && v.n > 0)
        status = visit_next(&v);
    while (v.n > 0)
        leave(&v);
    ts_free(v.levels);
    ts_seen_deinit(&v.seen);
    ts_seen_deinit(&v.again);
    ts_wr_free(&v.path);
    return status;
}

/* Visiting objects is visiting links, with each object told about once that is known to have several. */
struct objects {
    const struct ts_object_visit *how;
    struct ts_seen seen;
};

static int tell_object(struct objects *v, const char *name, const struct ts_loc *loc)
{
    H5O_info1_t info;
    if (ts_object_info(loc, v->how->fields, &info) < 0)
        return -1;
    int known = info.rc > 1 ? ts_seen_enter(&v->seen, loc) : 0;
    if (known != 0)
        return known < 0 ? -1 : 0;
    return v->how->each(name, &info, v->how->ctx);
}

static int tell_target(const char *name, const struct ts_link *link, const struct ts_loc *there, void *ctx)
{
    H5L_info1_t info;
    if (link->type == H5L_TYPE_HARD)
        return tell_object(ctx, name, there);
    /* A class of links is asked about each, as by those who visit links. */
    return ts_link_describe(link, &info);
}

int ts_object_visit(const struct ts_loc *start, const struct ts_object_visit *how)
{
    struct objects v = {.how = how};
    struct ts_link_visit links = {how->type, how->order, tell_target, &v};
    H5O_type_t type;
    if (ts_object_type(start, &type) < 0)
        return -1;
    int status = tell_object(&v, ".", start);
    if (status == 0 && type == H5O_TYPE_GROUP)
        status = ts_group_visit(start, &links);
    ts_seen_deinit(&v.seen);
    return status;
}
