#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "meta/parts.h"

void ts_meta_tell_parents(struct ts_meta *meta, struct ts_meta_entry *child, int change)
{
    for (struct ts_meta_edge *edge = child->parents; edge; edge = edge->next_parent) {
        edge->parent->dirty_children += (unsigned)change;
        ts_meta_reconsider(meta, edge->parent);
    }
}

static void edge_in(struct ts_meta *meta, struct ts_meta_edge *edge)
{
    struct ts_meta_entry *parent = edge->parent, *child = edge->child;
    edge->next_parent = child->parents;
    edge->at_parent = &child->parents;
    edge->next_child = parent->children;
    edge->at_child = &parent->children;
    if (edge->next_parent)
        edge->next_parent->at_parent = &edge->next_parent;
    if (edge->next_child)
        edge->next_child->at_child = &edge->next_child;
    child->parents = parent->children = edge;
    if (child->dirty) {
        parent->dirty_children++;
        ts_meta_reconsider(meta, parent);
    }
}

static void edge_out(struct ts_meta *meta, struct ts_meta_edge *edge)
{
    *edge->at_parent = edge->next_parent;
    if (edge->next_parent)
        edge->next_parent->at_parent = edge->at_parent;
    *edge->at_child = edge->next_child;
    if (edge->next_child)
        edge->next_child->at_child = edge->at_child;
    if (edge->child->dirty) {
        edge->parent->dirty_children--;
        ts_meta_reconsider(meta, edge->parent);
    }
}

static void put_back(struct ts_file *f, const struct ts_undo_step *step)
{
    edge_in(ts_meta_of(f), step->at);
}

static void take_back(struct ts_file *f, const struct ts_undo_step *step)
{
    edge_out(ts_meta_of(f), step->at);
    ts_free(step->at);
}

static void let_go(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_free(step->at);
}

static int drop(struct ts_file *f, struct ts_meta_edge *edge)
{
    if (ts_undo_reserve(f) < 0)
        return -1;
    edge_out(ts_meta_of(f), edge);
    return ts_undo_add(f, (struct ts_undo_step){.back = put_back, .done = let_go, .at = edge});
}

int ts_meta_drop_edges(struct ts_file *f, struct ts_meta_entry *e)
{
    while (e->parents || e->children)
        if (drop(f, e->parents ? e->parents : e->children) < 0)
            return -1;
    return 0;
}

static struct ts_meta_edge *find_edge(const struct ts_meta_entry *parent, const struct ts_meta_entry *child)
{
    struct ts_meta_edge *edge = child->parents;
    while (edge && edge->parent != parent)
        edge = edge->next_parent;
    return edge;
}

static struct ts_meta_entry *step_onto(struct ts_meta_entry *e, struct ts_meta_entry *from, uint64_t walk)
{
    e->walk = walk;
    e->stacked_on = from;
    e->cursor = e->parents;
    return e;
}

/* Whether `above` is reached from `below` by going from child to parent. A walk by hand: nothing bounds its depth. */
static bool is_above(struct ts_meta *meta, struct ts_meta_entry *below, const struct ts_meta_entry *above)
{
    uint64_t walk = ++meta->walks;
    struct ts_meta_entry *top = step_onto(below, NULL, walk);
    while (top && top != above) {
        struct ts_meta_edge *edge = top->cursor;
        if (!edge) {
            top = top->stacked_on;
            continue;
        }
        top->cursor = edge->next_parent;
        if (edge->parent->walk != walk)
            top = step_onto(edge->parent, top, walk);
    }
    return top != NULL;
}

static int depend(struct ts_file *f, struct ts_meta_entry *parent, struct ts_meta_entry *child)
{
    if (find_edge(parent, child))
        return 0;
    if (is_above(ts_meta_of(f), parent, child))
        return TS_ERR(CACHE, CANTINS, "the %s at %#llx cannot wait for the %s at %#llx, which waits for it",
                      parent->cls->name, (unsigned long long)parent->addr, child->cls->name,
                      (unsigned long long)child->addr);
    struct ts_meta_edge *edge = ts_undo_reserve(f) == 0 ? ts_malloc(sizeof *edge) : NULL;
    if (!edge)
        return -1;
    *edge = (struct ts_meta_edge){.parent = parent, .child = child};
    edge_in(ts_meta_of(f), edge);
    return ts_undo_add(f, (struct ts_undo_step){.back = take_back, .at = edge});
}

int ts_meta_depend(struct ts_file *f, haddr_t parent, haddr_t child)
{
    TS_FILE_HELD(f);
    struct ts_meta *meta = ts_meta_of(f);
    int status = 0;
    ts_meta_lock(f);
    struct ts_meta_entry *p = ts_meta_find(meta, parent), *c = ts_meta_find(meta, child);
    if (!p)
        status = TS_ERR(CACHE, NOTFOUND, "%s: what is at %#llx is not in the cache, so it cannot wait for %#llx",
                        f->name, (unsigned long long)parent, (unsigned long long)child);
    else if (c)
        status = depend(f, p, c);
    ts_meta_unlock(f);
    return status;
}

void ts_meta_undepend(struct ts_file *f, haddr_t parent, haddr_t child)
{
    TS_FILE_HELD(f);
    struct ts_meta *meta = ts_meta_of(f);
    ts_meta_lock(f);
    struct ts_meta_entry *p = ts_meta_find(meta, parent), *c = ts_meta_find(meta, child);
    struct ts_meta_edge *edge = p && c ? find_edge(p, c) : NULL;
    if (edge)
        (void)drop(f, edge);
    ts_meta_unlock(f);
}
