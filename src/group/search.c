#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/mount.h"
#include "group/path.h"
#include "group/seen.h"

/* A group that is being looked into; the deeper ones are above it. */
struct level {
    struct ts_fhandle *fh; /* owned */
    char *path;            /* owned */
    struct ts_link_list list;
    size_t at;
};

struct search {
    const struct ts_loc *wanted;
    size_t n, capacity;
    struct level *levels;
    struct ts_seen seen;
};

static void leave(struct search *s)
{
    struct level *level = &s->levels[--s->n];
    ts_link_list_deinit(&level->list);
    ts_fhandle_unref(level->fh);
    ts_free(level->path);
}

/* Takes over path, also on failure. */
static int enter(struct search *s, const struct ts_loc *loc, char *path)
{
    int known = TS_GROW(s->levels, s->capacity, s->n + 1) < 0 ? -1 : ts_seen_enter(&s->seen, loc);
    struct level level = {.fh = loc->fh, .path = path};
    if (known != 0 || ts_group_list(loc, H5_INDEX_NAME, H5_ITER_NATIVE, &level.list) < 0) {
        ts_free(path);
        return known > 0 ? 0 : -1;
    }
    ts_fhandle_ref(level.fh);
    s->levels[s->n++] = level;
    return 0;
}

static int is_group(const struct ts_loc *loc)
{
    H5O_type_t type;
    unsigned mark = ts_err_mark();
    int status = ts_object_type(loc, &type);
    ts_err_rewind(mark);
    return status == 0 && type == H5O_TYPE_GROUP;
}

/* 1 and the path when the link leads to the wanted object. */
static int look_behind(struct search *s, const struct ts_link *link, const struct ts_loc *there, char **out)
{
    bool hit = ts_loc_equal(there, s->wanted), ok;
    if (!hit && (ts_seen_has(&s->seen, there) || !is_group(there)))
        return 0;
    char *path = ts_path_join(s->levels[s->n - 1].path, link->name, strlen(link->name), &ok);
    if (!ok)
        return -1;
    if (!hit)
        return enter(s, there, path);
    *out = path;
    return 1;
}

static int look_at_next(struct search *s, char **out)
{
    struct level *level = &s->levels[s->n - 1];
    if (level->at == level->list.n) {
        leave(s);
        return 0;
    }
    const struct ts_link *link = &level->list.links[level->at++];
    if (link->type != H5L_TYPE_HARD)
        return 0;
    struct ts_loc there = {level->fh, link->addr};
    ts_fhandle_ref(there.fh);
    int status = ts_mount_cross(&there.fh, &there.addr);
    if (status == 0)
        status = look_behind(s, link, &there, out);
    ts_fhandle_unref(there.fh);
    return status;
}

static int search(const struct ts_loc *root, const struct ts_loc *wanted, char **out)
{
    struct search s = {.wanted = wanted};
    char *start = ts_strdup("/");
    if (start && ts_loc_equal(root, wanted)) {
        *out = start;
        return 1;
    }
    int status = start ? enter(&s, root, start) : -1;
    while (status == 0 && s.n > 0)
        status = look_at_next(&s, out);
    while (s.n > 0)
        leave(&s);
    ts_free(s.levels);
    ts_seen_deinit(&s.seen);
    return status;
}

int ts_path_search(const struct ts_loc *loc, char **out)
{
    struct ts_fhandle *top = ts_mount_top(loc->fh);
    struct ts_loc root = ts_loc_root(top);
    int status = search(&root, loc, out);
    ts_fhandle_unref(top);
    return status;
}
