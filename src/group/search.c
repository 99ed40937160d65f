#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "group/path.h"

struct todo {
    haddr_t addr;
    char *path;
};

/* Groups still to be looked into, in the order they were found. */
struct queue {
    size_t n, capacity, next;
    struct todo *items;
    struct ts_map seen;
    haddr_t wanted;
};

static void queue_deinit(struct queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        ts_free(q->items[i].path);
    ts_free(q->items);
    ts_map_deinit(&q->seen);
}

/* Takes over path, also on failure. */
static int enqueue(struct queue *q, haddr_t addr, char *path)
{
    if (ts_map_get(&q->seen, addr)) {
        ts_free(path);
        return 0;
    }
    if (ts_map_put(&q->seen, addr, q) < 0 || TS_GROW(q->items, q->capacity, q->n + 1) < 0) {
        ts_free(path);
        return -1;
    }
    q->items[q->n++] = (struct todo){addr, path};
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

/* 1 and the path when one of the links leads to the wanted object. */
static int look_into(struct queue *q, const struct ts_loc *group, const char *path, char **out)
{
    struct ts_link_list list;
    if (ts_group_list(group, H5_INDEX_NAME, H5_ITER_NATIVE, &list) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < list.n && status == 0; i++) {
        const struct ts_link *link = &list.links[i];
        struct ts_loc there = {group->fh, link->addr};
        bool hit = link->type == H5L_TYPE_HARD && link->addr == q->wanted, ok;
        if (!hit && (link->type != H5L_TYPE_HARD || !is_group(&there)))
            continue;
        char *full = ts_path_join(path, link->name, strlen(link->name), &ok);
        if (!ok) {
            status = -1;
        } else if (hit) {
            *out = full;
            status = 1;
        } else {
            status = enqueue(q, link->addr, full);
        }
    }
    ts_link_list_deinit(&list);
    return status;
}

int ts_path_search(const struct ts_loc *loc, char **out)
{
    struct ts_loc root = ts_loc_root(loc->fh);
    if (root.addr == loc->addr) {
        *out = ts_strdup("/");
        return *out ? 1 : -1;
    }
    struct queue q = {.wanted = loc->addr};
    char *start = ts_strdup("/");
    int status = start ? enqueue(&q, root.addr, start) : -1;
    while (status == 0 && q.next < q.n) {
        struct todo item = q.items[q.next++];
        struct ts_loc group = {loc->fh, item.addr};
        status = look_into(&q, &group, item.path, out);
    }
    queue_deinit(&q);
    return status;
}
