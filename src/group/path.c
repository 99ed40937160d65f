#include "group/path.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "file/mount.h"
#include "group/follow.h"
#include "object/open_objects.h"

void ts_target_deinit(struct ts_target *target)
{
    ts_place_deinit(&target->place);
    if (target->has_link)
        ts_link_deinit(&target->link);
    target->has_link = false;
    ts_free(target->missing);
    target->missing = NULL;
}

char *ts_path_join(const char *group, const char *name, size_t name_len, bool *ok)
{
    *ok = true;
    if (!group)
        return NULL;
    size_t len = strlen(group);
    if (len > 0 && group[len - 1] == '/')
        len--;
    char *joined = ts_malloc(len + 1 + name_len + 1);
    *ok = joined != NULL;
    if (joined) {
        memcpy(joined, group, len);
        joined[len] = '/';
        memcpy(joined + len + 1, name, name_len);
        joined[len + 1 + name_len] = '\0';
    }
    return joined;
}

/* A path being walked: the one asked for at the bottom, the values of links on top of it. */
struct frame {
    const char *text;
    char *owned; /* the text, unless the caller keeps it */
    size_t at;
    enum { ASKED, SOFT, EXTERNAL } kind; /* an object behind an external link has the path it has in its own file */
    char *restore;                       /* the path of the soft link, which its object keeps: owned, may be NULL */
};

/* Nearly all walks need one frame, or two. */
enum { FEW_FRAMES = 2 };

struct walk {
    struct ts_place cur;
    size_t n, capacity;
    struct frame *frames; /* `few`, or more that are its own */
    struct frame few[FEW_FRAMES];
    size_t links_left; /* once the first link was met that is not hard */
    bool limited;
    unsigned flags;
    bool child_held; /* what the link just found leads to, until it is w->cur */
    bool leaving;    /* the application's or the library's traversal of a user-defined link failed */
    struct ts_plist *lapl;
    struct ts_target *out;
};

static void frame_deinit(struct frame *f)
{
    ts_free(f->owned);
    ts_free(f->restore);
}

static void walk_deinit(struct walk *w)
{
    while (w->n > 0)
        frame_deinit(&w->frames[--w->n]);
    if (w->frames != w->few)
        ts_free(w->frames);
    ts_place_deinit(&w->cur);
}

static int set_path(struct walk *w, const char *path)
{
    char *copy = ts_strdup(path);
    if (!copy)
        return -1;
    ts_free(w->cur.path);
    w->cur.path = copy;
    return 0;
}

/* "/" is the root of the file that all others are mounted on. */
static void to_root(struct walk *w)
{
    struct ts_fhandle *fh = w->cur.loc.fh;
    ts_place_release(&w->cur);
    if (!(w->flags & TS_PATH_BENEATH)) {
        w->cur.loc.fh = ts_mount_top(fh);
        ts_fhandle_unref(fh);
    }
    w->cur.loc = ts_loc_root(w->cur.loc.fh);
}

static int grow_frames(struct walk *w)
{
    struct frame *grown = NULL;
    size_t capacity = 0;
    if (w->frames != w->few)
        return TS_GROW(w->frames, w->capacity, w->n + 1);
    if (TS_GROW(grown, capacity, 2 * FEW_FRAMES) < 0)
        return -1;
    memcpy(grown, w->few, sizeof w->few);
    w->frames = grown;
    w->capacity = capacity;
    return 0;
}

/* Takes over restore, also on failure. */
static int push_frame(struct walk *w, struct frame f)
{
    if (w->n == w->capacity && grow_frames(w) < 0) {
        frame_deinit(&f);
        return -1;
    }
    w->frames[w->n++] = f;
    if (f.text[0] != '/')
        return 0;
    to_root(w);
    return set_path(w, "/");
}

/* The value of a link. */
static int push(struct walk *w, const char *text, int kind, char *restore)
{
    char *copy = ts_strdup(text);
    if (!copy) {
        ts_free(restore);
        return -1;
    }
    return push_frame(w, (struct frame){.text = copy, .owned = copy, .kind = kind, .restore = restore});
}

static void pop(struct walk *w)
{
    struct frame *f = &w->frames[--w->n];
    if (f->kind == SOFT) {
        ts_free(w->cur.path);
        w->cur.path = f->restore;
        f->restore = NULL;
    }
    frame_deinit(f);
}

/* The next component of the top frame; 0 length at its end. Empty components and "." are nothing. */
static const char *component(struct frame *f, size_t *len)
{
    for (;;) {
        const char *p = f->text + f->at;
        size_t slashes = strspn(p, "/");
        p += slashes;
        *len = strcspn(p, "/");
        f->at += slashes + *len;
        if (*len != 1 || p[0] != '.')
            return p;
    }
}

static bool at_end(const struct frame *f)
{
    const char *rest = f->text + f->at;
    return rest[strspn(rest, "/")] == '\0';
}

/* Nothing follows in the lowest n frames. */
static bool all_at_end(const struct walk *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!at_end(&w->frames[i]))
            return false;
    return true;
}

static int follow_soft(struct walk *w, const struct ts_link *link)
{
    bool ok;
    char *restore = ts_path_join(w->cur.path, link->name, strlen(link->name), &ok);
    if (!ok)
        return -1;
    return push(w, link->value, SOFT, restore);
}

static int follow_external(struct walk *w, const struct ts_link *link)
{
    struct ts_fhandle *fh;
    const char *path;
    if (ts_follow_external(&w->cur, link, w->lapl, &fh, &path) < 0)
        return -1;
    struct ts_place root = {.loc = ts_loc_root(fh), .path = ts_strdup("/")};
    ts_place_deinit(&w->cur);
    w->cur = root;
    return root.path ? push(w, path, EXTERNAL, NULL) : -1;
}

static int follow_user(struct walk *w, const struct ts_link *link, const struct ts_link_class *cls)
{
    struct ts_place there;
    if (ts_follow_user(&w->cur, link, cls, w->lapl, &there) < 0)
        return -1;
    ts_place_deinit(&w->cur);
    w->cur = there;
    return 0;
}

/* Into the file that is mounted here, if there is one. A mount keeps its point, and nobody deletes a root. */
static int cross(struct walk *w)
{
    struct ts_place point = w->cur;
    if (!ts_mount_any(point.loc.fh->file))
        return 0;
    ts_fhandle_ref(point.loc.fh);
    int status = ts_mount_cross(&w->cur.loc.fh, &w->cur.loc.addr);
    if (point.held && w->cur.loc.fh->file != point.loc.fh->file) {
        ts_place_release(&point);
        w->cur.held = false;
    }
    ts_fhandle_unref(point.loc.fh);
    return status;
}

static int follow_hard(struct walk *w, const struct ts_link *link)
{
    bool ok = true, end = w->flags & (TS_PATH_POINT | TS_PATH_UNNAMED) && all_at_end(w, w->n);
    char *path = NULL;
    if (!end || !(w->flags & TS_PATH_UNNAMED))
        path = ts_path_join(w->cur.path, link->name, strlen(link->name), &ok);
    ts_free(w->cur.path);
    w->cur.path = path;
    ts_place_release(&w->cur);
    w->cur.loc.addr = link->addr;
    w->cur.held = w->child_held;
    w->child_held = false;
    if (!ok)
        return -1;
    if (w->flags & TS_PATH_BENEATH || (w->flags & TS_PATH_POINT && end))
        return 0;
    return cross(w);
}

static int follow(struct walk *w, const struct ts_link *link)
{
    struct ts_link_class cls;
    if (link->type == H5L_TYPE_HARD)
        return follow_hard(w, link);
    if (!w->limited)
        w->links_left = ts_follow_limit(w->lapl);
    w->limited = true;
    if (w->links_left == 0)
        return TS_ERR(LINK, NLINKS, "too many links");
    w->links_left--;
    if (link->type == H5L_TYPE_SOFT)
        return follow_soft(w, link);
    if (!ts_link_class_get(link->type, &cls))
        return TS_ERR(LINK, NOTREGISTERED, "unable to get UD link class: %d is not registered", (int)link->type);
    w->leaving = true;
    int status = cls.builtin ? follow_external(w, link) : follow_user(w, link, &cls);
    w->leaving = status < 0;
    return status;
}

/* The walk ends at a link that is not followed. */
static int stop_at(struct walk *w, const struct ts_link *link)
{
    ts_place_release(&w->cur);
    w->cur.loc.addr = HADDR_UNDEF;
    bool ok;
    char *path = ts_path_join(w->cur.path, link->name, strlen(link->name), &ok);
    ts_free(w->cur.path);
    w->cur.path = path;
    return ok ? 0 : -1;
}

/* Goes where the link of the path's last component leads, as far as that is asked for; the link is the caller's. */
static int follow_last(struct walk *w, struct ts_link *link)
{
    if (!(w->flags & TS_PATH_LINK))
        return follow(w, link);
    int status = link->type == H5L_TYPE_HARD ? follow_hard(w, link) : stop_at(w, link);
    w->out->link = *link;
    w->out->has_link = true;
    *link = (struct ts_link){.name = NULL};
    return status;
}

/* The component that was not found may be missing: the last one, or where the last one, a soft link, leads. */
static bool may_be_missing(const struct walk *w)
{
    unsigned flag = w->n == 1 ? TS_PATH_TRY : TS_PATH_DANGLING;
    return w->flags & flag && all_at_end(w, w->n);
}

/* The walk failed in or on the way to another file, and the link there was the last component. */
static bool may_fail(const struct walk *w)
{
    if (!(w->flags & TS_PATH_DANGLING))
        return false;
    if (w->leaving)
        return all_at_end(w, w->n);
    for (size_t i = 0; i < w->n; i++)
        if (w->frames[i].kind == EXTERNAL)
            return all_at_end(w, i);
    return false;
}

/* Another thread may delete what was found as soon as the lock is let go, unless it is held. */
static int find_and_hold(struct walk *w, const char *name, struct ts_link *link)
{
    struct ts_file *f = w->cur.loc.fh->file;
    ts_file_lock(f);
    int found = ts_group_lookup(&w->cur.loc, name, link);
    if (found == 1 && link->type == H5L_TYPE_HARD) {
        w->child_held = ts_open_objects_enter(f, link->addr) == 0;
        if (!w->child_held) {
            ts_link_deinit(link);
            found = -1;
        }
    }
    ts_file_unlock(f);
    return found;
}

/* At the last component of a name that the caller, or an external link, gave. */
static bool is_end(const struct walk *w)
{
    const struct frame *f = &w->frames[w->n - 1];
    return at_end(f) && (f->kind == EXTERNAL || (f->kind == ASKED && !(w->flags & TS_PATH_GROUP)));
}

/* Ends the walk before the component that is not there. Only of what the caller named: a soft link to nowhere stays
 * one. */
static int stop_before(struct walk *w, const char *rest)
{
    w->out->missing = ts_strdup(rest);
    if (!w->out->missing)
        return -1;
    pop(w);
    return 1;
}

static int step(struct walk *w, const char *text, size_t len)
{
    struct ts_link link;
    bool whole = text[len] == '\0', last = w->n == 1 && at_end(&w->frames[0]);
    char *copy = whole ? NULL : ts_strndup(text, len);
    const char *name = whole ? text : copy;
    if (!name)
        return -1;
    int found = find_and_hold(w, name, &link);
    if (found == 0 && w->flags & TS_PATH_MAKE && w->n == 1) {
        ts_free(copy);
        return stop_before(w, text);
    }
    if (found == 0 && !may_be_missing(w)) {
        if (!is_end(w))
            TS_ERR(SYM, NOTFOUND, "component not found");
        TS_ERR(SYM, NOTFOUND, "object '%s' doesn't exist", name);
        found = ts_err_because(TS_WHY_ABSENT);
    }
    ts_free(copy);
    if (found != 1)
        return found;
    struct ts_file *f = w->cur.loc.fh->file;
    haddr_t addr = link.addr;
    int status = last ? follow_last(w, &link) : follow(w, &link);
    if (w->child_held)
        ts_open_objects_leave(f, addr);
    w->child_held = false;
    ts_link_deinit(&link);
    return status < 0 ? -1 : 1;
}

static int run(struct walk *w)
{
    unsigned mark = ts_err_mark();
    while (w->n > 0) {
        size_t len;
        const char *text = component(&w->frames[w->n - 1], &len);
        if (len == 0) {
            pop(w);
            continue;
        }
        int found = step(w, text, len);
        if (found < 0 && may_fail(w) && !ts_err_no_memory(mark)) {
            ts_err_rewind(mark);
            found = 0;
        }
        if (found != 1)
            return found;
    }
    return 1;
}

/* Takes over the place. */
static void walk_init(struct walk *w, struct ts_place *start, unsigned flags, struct ts_plist *lapl,
                      struct ts_target *out)
{
    *out = (struct ts_target){.has_link = false};
    *w = (struct walk){.flags = flags, .lapl = lapl, .out = out, .cur = *start};
    w->frames = w->few;
    w->capacity = FEW_FRAMES;
    *start = (struct ts_place){.path = NULL};
}

static int finish(struct walk *w, int found)
{
    if (found == 1) {
        w->out->place = w->cur;
        w->cur = (struct ts_place){.path = NULL};
    } else {
        ts_target_deinit(w->out);
    }
    walk_deinit(w);
    return found;
}

int ts_path_walk(struct ts_place *start, const char *path, unsigned flags, struct ts_plist *lapl, struct ts_target *out)
{
    struct walk w;
    walk_init(&w, start, flags, lapl, out);
    int found = push_frame(&w, (struct frame){.text = path, .kind = ASKED}) < 0 ? -1 : run(&w);
    return finish(&w, found);
}

/* The link was found a while ago: what it leads to may be gone. */
static int hold_again(struct walk *w, const struct ts_link *link)
{
    struct ts_file *f = w->cur.loc.fh->file;
    struct ts_link now;
    if (!f->writable || link->type != H5L_TYPE_HARD)
        return 0;
    ts_file_lock(f);
    int found = ts_group_lookup(&w->cur.loc, link->name, &now);
    if (found == 1) {
        if (now.type != H5L_TYPE_HARD || now.addr != link->addr)
            found = 0;
        else if (ts_open_objects_enter(f, now.addr) < 0)
            found = -1;
        ts_link_deinit(&now);
    }
    w->child_held = found == 1;
    ts_file_unlock(f);
    return found == 0 ? TS_ERR(SYM, NOTFOUND, "link '%s' has changed meanwhile", link->name) : found < 0 ? -1 : 0;
}

int ts_path_follow(const struct ts_place *group, const struct ts_link *link, struct ts_plist *lapl,
                   struct ts_place *out)
{
    struct walk w;
    struct ts_target target;
    struct ts_place start;
    if (ts_place_copy(&start, group) < 0)
        return -1;
    walk_init(&w, &start, 0, lapl, &target);
    int found = hold_again(&w, link) < 0 || follow(&w, link) < 0 ? -1 : run(&w);
    if (finish(&w, found) != 1)
        return -1;
    *out = target.place;
    return 0;
}

static int find_object(struct ts_place *start, const char *path, unsigned flags, struct ts_plist *lapl,
                       struct ts_place *out)
{
    struct ts_target target;
    if (ts_path_walk(start, path, flags, lapl, &target) != 1)
        return -1;
    *out = target.place;
    return 0;
}

int ts_path_object(struct ts_place *start, const char *path, struct ts_plist *lapl, struct ts_place *out)
{
    return find_object(start, path, 0, lapl, out);
}

int ts_path_unnamed(struct ts_place *start, const char *path, struct ts_plist *lapl, struct ts_place *out)
{
    return find_object(start, path, TS_PATH_UNNAMED, lapl, out);
}
