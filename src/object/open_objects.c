#include "object/open_objects.h"

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "file/mount.h"
#include "object/attr.h"
#include "object/object.h"
#include "object/ohdr_parts.h"

struct open_object {
    unsigned opens;
    bool doomed, corked;
};

static void drop_all(struct ts_file *f, void *state)
{
    struct ts_open_objects *open = state;
    size_t pos = 0;
    uint64_t key;
    void *value;
    (void)f;
    while (ts_map_next(&open->objects, &pos, &key, &value))
        ts_free(value);
    ts_map_deinit(&open->objects);
    ts_map_deinit(&open->attrs);
    ts_map_deinit(&open->gone);
    ts_free(open->dead);
    ts_mutex_deinit(&open->lock);
    ts_free(open);
}

static const struct ts_client_ops client = {.drop = drop_all};

int ts_open_objects_attach(struct ts_file *f)
{
    if (ts_file_client(f, TS_CLIENT_OBJECTS))
        return 0;
    struct ts_open_objects *open = ts_calloc(1, sizeof *open);
    if (!open)
        return -1;
    ts_mutex_init(&open->lock, TS_RANK_OPEN_OBJECTS);
    ts_file_attach(f, TS_CLIENT_OBJECTS, &client, open);
    return 0;
}

/* What is known about an object, made when it is not yet there; NULL when memory is short. */
static struct open_object *entry(struct ts_open_objects *open, haddr_t addr)
{
    struct open_object *o = ts_map_get(&open->objects, addr);
    if (o)
        return o;
    o = ts_calloc(1, sizeof *o);
    if (o && ts_map_put(&open->objects, addr, o) == 0)
        return o;
    ts_free(o);
    return NULL;
}

static void forget_if_idle(struct ts_open_objects *open, haddr_t addr, struct open_object *o)
{
    if (o->opens == 0 && !o->doomed)
        ts_free(ts_map_remove(&open->objects, addr));
}

int ts_open_objects_enter(struct ts_file *f, haddr_t addr)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    if (!open)
        return 0;
    ts_mutex_lock(&open->lock);
    struct open_object *o = entry(open, addr);
    if (o)
        o->opens++;
    ts_mutex_unlock(&open->lock);
    return o ? 0 : -1;
}

static void doom_back(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    ts_mutex_lock(&open->lock);
    struct open_object *o = ts_map_get(&open->objects, step->a);
    if (o) {
        o->doomed = step->b;
        forget_if_idle(open, step->a, o);
    }
    ts_mutex_unlock(&open->lock);
}

static void doom_done(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    ts_mutex_lock(&open->lock);
    struct open_object *o = ts_map_get(&open->objects, step->a);
    if (o)
        forget_if_idle(open, step->a, o);
    ts_mutex_unlock(&open->lock);
}

/* What is known about it stays until the change is over: to go back there may be no memory. */
int ts_open_objects_doom(struct ts_file *f, haddr_t addr, bool doomed)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    if (!open)
        return 0;
    if (ts_undo_reserve(f) < 0)
        return -1;
    struct ts_undo_step step = {.back = doom_back, .done = doom_done, .a = addr};
    ts_mutex_lock(&open->lock);
    struct open_object *o = doomed ? entry(open, addr) : ts_map_get(&open->objects, addr);
    if (o) {
        step.b = o->doomed;
        o->doomed = doomed;
    }
    ts_mutex_unlock(&open->lock);
    if (!o)
        return doomed ? -1 : 0;
    return ts_undo_add(f, step);
}

bool ts_open_objects_doomed(struct ts_file *f, haddr_t addr)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    if (!open)
        return false;
    ts_mutex_lock(&open->lock);
    const struct open_object *o = ts_map_get(&open->objects, addr);
    bool doomed = o && o->doomed;
    ts_mutex_unlock(&open->lock);
    return doomed;
}

int ts_open_objects_cork(struct ts_file *f, haddr_t addr, bool corked)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    if (!open)
        return 0;
    ts_mutex_lock(&open->lock);
    struct open_object *o = ts_map_get(&open->objects, addr);
    bool fits = o && o->corked != corked;
    if (fits) {
        o->corked = corked;
        ts_meta_cork(f, corked ? 1 : -1);
    }
    ts_mutex_unlock(&open->lock);
    if (fits)
        return 0;
    return corked ? TS_ERR(OHDR, CANTCORK, "object already corked")
                  : TS_ERR(OHDR, CANTUNCORK, "object already uncorked");
}

bool ts_open_objects_corked(struct ts_file *f, haddr_t addr)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    if (!open)
        return false;
    ts_mutex_lock(&open->lock);
    struct open_object *o = ts_map_get(&open->objects, addr);
    bool corked = o && o->corked;
    ts_mutex_unlock(&open->lock);
    return corked;
}

/* Takes back the uses of what shared messages of the header lead to. */
static int release_shared(struct ts_ohdr *oh)
{
    for (size_t i = 0; i < oh->n_msgs; i++)
        if (ts_ohdr_let_go(oh, &oh->msgs[i]) < 0)
            return -1;
    return 0;
}

static int delete_object(struct ts_file *f, haddr_t addr)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(f, addr, &oh) < 0)
        return -1;
    const struct ts_object_kind *kind = ts_object_kind_of(ts_ohdr_kind(oh));
    int status = kind && kind->destroy ? kind->destroy(f, oh) : 0;
    if (status >= 0)
        status = ts_attr_destroy_all(oh);
    if (status >= 0)
        status = release_shared(oh);
    if (status >= 0)
        ts_ohdr_destroy(oh);
    ts_ohdr_close(oh);
    return status < 0 ? TS_ERR(OHDR, CANTDELETE, "cannot delete the object at %#llx", (unsigned long long)addr) : 0;
}

/* Deleting one object may leave others without links: they queue up. */
static int delete_dead(struct ts_file *f, struct ts_open_objects *open)
{
    int status = 0;
    open->deleting = true;
    while (open->n_dead > 0 && status == 0)
        status = delete_object(f, open->dead[--open->n_dead]);
    open->n_dead = 0;
    ts_map_deinit(&open->gone);
    open->deleting = false;
    return status;
}

static int bury(struct ts_file *f, struct ts_open_objects *open, haddr_t addr)
{
    TS_IN_CHANGE(f);
    if (TS_GROW(open->dead, open->dead_capacity, open->n_dead + 1) < 0 || ts_map_put(&open->gone, addr, open) < 0)
        return -1;
    open->dead[open->n_dead++] = addr;
    return open->deleting ? 0 : delete_dead(f, open);
}

void ts_open_objects_leave(struct ts_file *f, haddr_t addr)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    bool dead = false;
    if (!open)
        return;
    ts_mutex_lock(&open->lock);
    struct open_object *o = ts_map_get(&open->objects, addr);
    if (o && --o->opens == 0) {
        dead = o->doomed;
        if (o->corked)
            ts_meta_cork(f, -1);
        ts_free(ts_map_remove(&open->objects, addr));
    }
    ts_mutex_unlock(&open->lock);
    /* A file that takes no more changes says so when it is closed. */
    if (!dead || f->broken)
        return;
    if (ts_object_farewell(f, addr, 0) < 0) {
        ts_err_owe();
        return;
    }
    if (ts_change_begin(f) < 0 || ts_change_end(f, bury(f, open, addr)) < 0)
        ts_err_owe();
    ts_file_unlock(f);
}

int ts_object_farewell(struct ts_file *f, haddr_t addr, unsigned links)
{
    const struct ts_object_kind *group = ts_object_kind_of(H5O_TYPE_GROUP);
    if (group && group->farewell)
        return group->farewell(f, addr, links);
    ts_file_lock(f);
    return 0;
}

static bool is_open(struct ts_open_objects *open, haddr_t addr)
{
    ts_mutex_lock(&open->lock);
    const struct open_object *o = ts_map_get(&open->objects, addr);
    bool yes = o && o->opens > 0;
    ts_mutex_unlock(&open->lock);
    return yes;
}

/* What a file is mounted on must not become the place of something else. */
bool ts_open_objects_in_use(struct ts_file *f, haddr_t addr)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    return (open && is_open(open, addr)) || ts_mount_is_point(f, addr);
}

static int change_links(struct ts_file *f, haddr_t addr, int by, uint32_t *links)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(f, addr, &oh) < 0)
        return -1;
    int status = 0;
    if ((by < 0 && oh->ref_count == 0) || (by > 0 && oh->ref_count == UINT32_MAX))
        status = TS_ERR(OHDR, LINKCOUNT, "link count of the object at %#llx would be %s", (unsigned long long)addr,
                        by < 0 ? "negative" : "too large");
    *links = oh->ref_count + (uint32_t)by;
    if (status == 0)
        status = ts_ohdr_set_links(oh, *links);
    ts_ohdr_close(oh);
    return status;
}

int ts_object_link(struct ts_file *f, haddr_t addr, int by)
{
    TS_IN_CHANGE(f);
    struct ts_open_objects *open = ts_open_objects_of(f);
    uint32_t links;
    if (!open)
        return TS_ERR(OHDR, WRITEERROR, "%s: not open for writing", f->name);
    /* A file whose link counts are too low has more links to it: groups in a circle would be deleted for ever. */
    if (by < 0 && ts_map_get(&open->gone, addr))
        return 0;
    if (change_links(f, addr, by, &links) < 0)
        return -1;
    if (links > 0)
        return by > 0 && links == 1 ? ts_open_objects_doom(f, addr, false) : 0;
    return ts_open_objects_in_use(f, addr) ? ts_open_objects_doom(f, addr, true) : bury(f, open, addr);
}
