#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "file/change.h"
#include "group/copy.h"
#include "group/seen.h"
#include "object/attr.h"
#include "plist/ocpypl.h"

void ts_copy_types_deinit(struct ts_copy_types *types)
{
    ts_free(types->named);
    ts_free(types->all);
}

static int add(haddr_t **list, size_t *n, size_t *capacity, haddr_t addr)
{
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i] == addr)
            return 0;
    if (TS_GROW(*list, *capacity, *n + 1) < 0)
        return -1;
    (*list)[(*n)++] = addr;
    return 0;
}

/* The committed datatype that an object is or has; HADDR_UNDEF when there is none. */
static int type_of(const struct ts_loc *loc, haddr_t *addr)
{
    struct ts_ohdr *oh;
    struct ts_msg_body body;
    *addr = HADDR_UNDEF;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    int status = 0;
    if (ts_ohdr_kind(oh) == H5O_TYPE_NAMED_DATATYPE) {
        *addr = loc->addr;
    } else if (ts_ohdr_kind(oh) == H5O_TYPE_DATASET) {
        status = ts_ohdr_load(oh, TS_MSG_TYPE, &body);
        *addr = body.committed;
        ts_msg_body_deinit(&body);
    }
    ts_ohdr_close(oh);
    return status < 0 ? -1 : 0;
}

static int add_types_of(const struct ts_loc *loc, haddr_t **list, size_t *n, size_t *capacity)
{
    struct ts_attr_list attrs;
    haddr_t addr;
    if (type_of(loc, &addr) < 0 || (addr != HADDR_UNDEF && add(list, n, capacity, addr) < 0) ||
        ts_attr_list(loc, NULL, H5_INDEX_NAME, H5_ITER_INC, &attrs) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < attrs.n && status == 0; i++) {
        const struct ts_object *committed = ts_named_type_object(attrs.attrs[i]->type);
        if (committed)
            status = add(list, n, capacity, committed->loc.addr);
    }
    ts_attr_list_deinit(&attrs);
    return status;
}

/* Paths that lead nowhere or out of the file are passed over. */
static int add_named(struct ts_copy_types *types, const char *path)
{
    struct ts_loc root = ts_loc_root(types->to);
    struct ts_place start, there;
    unsigned mark = ts_err_mark();
    if (ts_place_init(&start, &root, NULL) < 0 || ts_path_object(&start, path, NULL, &there) < 0) {
        if (ts_err_no_memory(mark))
            return -1;
        ts_err_rewind(mark);
        return 0;
    }
    int status = there.loc.fh->file == types->to->file
                     ? add_types_of(&there.loc, &types->named, &types->n_named, &types->named_capacity)
                     : 0;
    ts_place_deinit(&there);
    return status;
}

int ts_copy_types_init(struct ts_copy_types *types, struct ts_fhandle *to, struct ts_plist *ocpypl)
{
    struct ts_paths paths;
    *types = (struct ts_copy_types){.to = to, .ocpypl = ocpypl};
    if (ts_ocpypl_paths(ocpypl, &paths) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < paths.n && status == 0; i++)
        status = add_named(types, paths.paths[i]);
    ts_paths_deinit(&paths);
    return status;
}

/* Objects of the file that are still to be looked at. */
struct search {
    struct ts_copy_types *types;
    struct ts_seen seen;
    size_t n, capacity;
    haddr_t *queue;
};

static int meet(struct search *s, haddr_t addr)
{
    struct ts_loc loc = {s->types->to, addr};
    int known = ts_seen_enter(&s->seen, &loc);
    if (known != 0)
        return known < 0 ? -1 : 0;
    if (TS_GROW(s->queue, s->capacity, s->n + 1) < 0)
        return -1;
    s->queue[s->n++] = addr;
    return 0;
}

static int look_at(struct search *s, haddr_t addr)
{
    struct ts_copy_types *types = s->types;
    struct ts_loc loc = {types->to, addr};
    struct ts_link_list list = {0};
    H5O_type_t type;
    if (add_types_of(&loc, &types->all, &types->n_all, &types->all_capacity) < 0 || ts_object_type(&loc, &type) < 0)
        return -1;
    if (type != H5O_TYPE_GROUP)
        return 0;
    int status = ts_group_list(&loc, H5_INDEX_NAME, H5_ITER_INC, &list);
    for (size_t i = 0; i < list.n && status == 0; i++)
        if (list.links[i].type == H5L_TYPE_HARD)
            status = meet(s, list.links[i].addr);
    ts_link_list_deinit(&list);
    return status;
}

static int search_file(struct ts_copy_types *types)
{
    struct search s = {.types = types};
    int status = meet(&s, types->to->file->sb.root);
    for (size_t i = 0; i < s.n && status == 0; i++)
        status = look_at(&s, s.queue[i]);
    ts_seen_deinit(&s.seen);
    ts_free(s.queue);
    types->searched = status == 0;
    return status;
}

static int is_like(const struct ts_type *type, const struct ts_loc *loc)
{
    struct ts_type *other;
    if (ts_named_type_open(loc, NULL, &other) < 0)
        return -1;
    int like = ts_type_equal(type, other);
    ts_type_unref(other);
    return like;
}

static int find_in(const struct ts_copy_types *types, const haddr_t *list, size_t n, const struct ts_type *type,
                   haddr_t *addr)
{
    for (size_t i = 0; i < n; i++) {
        struct ts_loc loc = {types->to, list[i]};
        int like = is_like(type, &loc);
        if (like != 0) {
            *addr = list[i];
            return like;
        }
    }
    return 0;
}

/* 1 when the whole file is to be searched. The application's code runs without the locks. */
static int ask(const struct ts_copy_types *types, struct ts_file *from)
{
    struct ts_merge_search search;
    struct ts_file *to = types->to->file;
    if (ts_ocpypl_merge_search(types->ocpypl, &search) < 0)
        return -1;
    if (!search.func)
        return 1;
    unsigned to_depth = ts_file_lock_release(to), from_depth = from == to ? 0 : ts_file_lock_release(from);
    TS_MAY_CALL_OUT();
    H5O_mcdt_search_ret_t answer = search.func(search.data);
    /* In the one order that all keep, and as often as before. */
    ts_file_lock_two(from, to);
    ts_file_lock_restore(from, from_depth);
    ts_file_lock_restore(to, to_depth);
    ts_file_unlock_two(from, to);
    switch (answer) {
    case H5O_MCDT_SEARCH_CONT:
        return 1;
    case H5O_MCDT_SEARCH_STOP:
        return 0;
    default:
        return TS_ERR(OHDR, CALLBACK, "the callback of the search for committed datatypes failed");
    }
}

static int find(struct ts_copy_types *types, struct ts_file *from, const struct ts_type *type, haddr_t *addr)
{
    int found = find_in(types, types->named, types->n_named, type, addr);
    if (found != 0)
        return found;
    int further = ask(types, from);
    if (further <= 0)
        return further;
    if (!types->searched && search_file(types) < 0)
        return -1;
    return find_in(types, types->all, types->n_all, type, addr);
}

int ts_copy_types_find(struct ts_copy *copy, const struct ts_loc *from, haddr_t *addr)
{
    struct ts_type *type;
    if (ts_named_type_open(from, NULL, &type) < 0)
        return -1;
    int found = find(copy->find_ctx, from->fh->file, type, addr);
    ts_type_unref(type);
    return found;
}
