/* Objects that are about to be deleted, and the user-defined links in them: their classes are told first, by functions
 * of the application that may refuse. These run without the file's lock, and not inside a change, which another
 * thread's flush would find half done. So the links are looked for, their classes told, and the links looked for again
 * with the lock that the deletion keeps: until there are none that were not told of. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "group/edit.h"
#include "group/link_class.h"
#include "group/open.h"
#include "object/open_objects.h"

/* A group that goes, and how far its links were looked at. */
struct dying {
    haddr_t addr;
    struct ts_link_list links;
    size_t next;
};

struct survey {
    struct ts_file *f;
    struct ts_map met; /* how many links to an object go, by its address */
    struct dying *stack;
    size_t n, capacity;
    struct ts_link_list *found; /* user-defined ones; addr is that of their group */
};

static bool wants_to_know(const struct ts_link *link)
{
    struct ts_link_class cls;
    return link->type >= H5L_TYPE_UD_MIN && ts_link_class_get(link->type, &cls) && !cls.builtin && cls.cls.del_func;
}

static int push(struct survey *s, struct ts_ohdr *oh)
{
    struct ts_open_group g;
    struct dying d = {.addr = oh->addr};
    if (TS_GROW(s->stack, s->capacity, s->n + 1) < 0 || ts_open_group_read(oh, &g) < 0 ||
        ts_open_group_list(&g, H5_INDEX_NAME, &d.links) < 0)
        return -1;
    s->stack[s->n++] = d;
    return 0;
}

/* So many links to the object go. The last takes the object along, unless somebody has it open. */
static int meet(struct survey *s, haddr_t addr, uintptr_t links)
{
    struct ts_ohdr *oh;
    uintptr_t before = (uintptr_t)ts_map_get(&s->met, addr);
    if (before == UINTPTR_MAX || ts_open_objects_in_use(s->f, addr))
        return 0;
    if (ts_ohdr_open(s->f, addr, &oh) < 0)
        return -1;
    bool goes = oh->ref_count <= before + links;
    int status = ts_map_put(&s->met, addr, (void *)(goes ? UINTPTR_MAX : before + links));
    if (status == 0 && goes && ts_ohdr_kind(oh) == H5O_TYPE_GROUP)
        status = push(s, oh);
    ts_ohdr_close(oh);
    return status;
}

/* Takes over what the link has. */
static int note(struct survey *s, haddr_t group, struct ts_link *link)
{
    struct ts_link own = *link;
    *link = (struct ts_link){.type = H5L_TYPE_SOFT};
    own.addr = group;
    return ts_link_list_add(s->found, &own);
}

/* Depth first, in the order of the links; a walk by hand, for groups may nest deeply. */
static int look(struct survey *s, haddr_t addr, uintptr_t links)
{
    int status = meet(s, addr, links);
    while (status == 0 && s->n > 0) {
        struct dying *top = &s->stack[s->n - 1];
        if (top->next == top->links.n) {
            ts_link_list_deinit(&top->links);
            s->n--;
            continue;
        }
        struct ts_link *link = &top->links.links[top->next++];
        if (link->type == H5L_TYPE_HARD)
            status = meet(s, link->addr, 1);
        else if (wants_to_know(link))
            status = note(s, top->addr, link);
    }
    return status;
}

static int find_links(struct ts_file *f, haddr_t addr, uintptr_t links, struct ts_link_list *found)
{
    struct survey s = {.f = f, .found = found};
    int status = look(&s, addr, links);
    while (s.n > 0)
        ts_link_list_deinit(&s.stack[--s.n].links);
    ts_free(s.stack);
    ts_map_deinit(&s.met);
    return status;
}

static bool same(const struct ts_link *a, const struct ts_link *b)
{
    return a->addr == b->addr && a->type == b->type && strcmp(a->name, b->name) == 0;
}

/* Mostly the i-th of the one is the i-th of the other. */
static bool has(const struct ts_link_list *told, size_t i, const struct ts_link *link)
{
    if (i < told->n && same(&told->links[i], link))
        return true;
    for (size_t k = 0; k < told->n; k++)
        if (same(&told->links[k], link))
            return true;
    return false;
}

static bool has_all(const struct ts_link_list *told, const struct ts_link_list *found)
{
    for (size_t i = 0; i < found->n; i++)
        if (!has(told, i, &found->links[i]))
            return false;
    return true;
}

/* Nobody has a handle at hand when an object is deleted. */
static int tell(struct ts_file *f, struct ts_link_list *told, struct ts_link_list *found)
{
    struct ts_fhandle *fh;
    int status = 0;
    ts_file_ref(f);
    if (ts_fhandle_new(f, f->name, f->flags, &fh) < 0)
        return -1;
    for (size_t i = 0; status == 0 && i < found->n; i++) {
        if (has(told, i, &found->links[i]))
            continue;
        status = ts_link_tell_deletion(fh, &found->links[i]);
        struct ts_link link = found->links[i];
        found->links[i] = (struct ts_link){.type = H5L_TYPE_SOFT};
        if (ts_link_list_add(told, &link) < 0)
            status = -1;
    }
    ts_fhandle_unref(fh);
    return status;
}

int ts_group_farewell(struct ts_file *f, haddr_t addr, unsigned links)
{
    struct ts_link_list told = {0};
    int status = 0;
    bool again = true;
    ts_file_lock(f);
    while (status == 0 && again && ts_link_classes_tell()) {
        struct ts_link_list found = {0};
        status = find_links(f, addr, links, &found);
        again = status == 0 && !has_all(&told, &found);
        if (again) {
            ts_file_unlock(f);
            status = tell(f, &told, &found);
            ts_file_lock(f);
        }
        ts_link_list_deinit(&found);
    }
    ts_link_list_deinit(&told);
    if (status < 0)
        ts_file_unlock(f);
    return status;
}
