/* Changing version 2 B-trees.
 *
 * A change goes down to a leaf, puts in or takes out a record there, and comes back up: a node that has too many
 * records shares them with a sibling or is split, one that has too few shares or is merged. A node in memory has room
 * for one record too many, so that this can be put right afterwards.
 *
 * Counts stand in the pointers to nodes, so no order of writing in place keeps a tree whole for a reader while nodes
 * are split, merged or balanced. Nodes on the way that the file has already then move to new places (they are
 * shadowed), and the header, which stays where it is, is written last. A SWMR writer shadows with every change: its
 * readers have no journal, and find the tree as the header last said. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "file/mutation.h"
#include "index/btree2_node.h"
#include "meta/meta.h"

struct step {
    struct ts_btree2_node *n;
    uint64_t at; /* the child that the way goes through; in the last, the record */
};

/* The way from the root, all pinned. */
struct path {
    struct ts_btree2 *t;
    unsigned n;
    struct step steps[TS_BTREE2_MAX_DEPTH + 2];
};

static void unpin(struct ts_btree2 *t, struct ts_btree2_node *n)
{
    ts_meta_unpin(t->file, n->self.addr);
}

static void path_release(struct path *p)
{
    for (unsigned i = p->n; i-- > 0;)
        unpin(p->t, p->steps[i].n);
    p->n = 0;
}

/* Memory for a record too many. */
static int make_room(struct ts_btree2 *t, struct ts_btree2_node *n)
{
    uint64_t room = t->shape.levels[n->level].max_records + 1;
    if (n->room >= room)
        return 0;
    uint8_t *buf = ts_realloc(n->buf, TS_BTREE2_NODE_PREFIX + (size_t)room * n->record_size);
    if (!buf)
        return -1;
    n->buf = buf;
    if (n->level > 0) {
        struct ts_btree2_child *children = ts_realloc(n->children, ((size_t)room + 1) * sizeof *children);
        if (!children)
            return -1;
        n->children = children;
    }
    n->room = room;
    ts_meta_resize(t->file, n->self.addr, ts_btree2_node_bytes(n, room));
    return 0;
}

static int step_down(struct path *p, unsigned level, const struct ts_btree2_child *at)
{
    struct ts_btree2_node *n;
    if (ts_btree2_node_pin(p->t, level, at, &n) < 0)
        return -1;
    p->steps[p->n++] = (struct step){.n = n};
    return make_room(p->t, n);
}

/* 1: the record is steps[n - 1].at of that node. 0: it belongs there, in a leaf. Release the path in any case. */
static int descend(struct path *p, ts_btree2_compare_fn *compare, void *ctx)
{
    struct ts_btree2_child at = ts_btree2_root(p->t);
    for (unsigned level = p->t->shape.header.depth;; level--) {
        if (step_down(p, level, &at) < 0)
            return -1;
        struct step *s = &p->steps[p->n - 1];
        int found = ts_btree2_node_search(s->n, compare, ctx, &s->at);
        if (found != 0 || level == 0)
            return found;
        at = s->n->children[s->at];
    }
}

/* A new node without records, dirty and pinned; its parent is for the caller to say. */
static int node_new(struct ts_btree2 *t, unsigned level, struct ts_btree2_node **out)
{
    const struct ts_btree2_header *h = &t->shape.header;
    struct ts_btree2_node *n = ts_calloc(1, sizeof *n);
    if (!n)
        return -1;
    *n = (struct ts_btree2_node){.tree = t->addr,
                                 .level = level,
                                 .type = h->type,
                                 .node_size = h->node_size,
                                 .record_size = h->record_size,
                                 .room = t->shape.levels[level].max_records + 1};
    n->buf = ts_calloc(1, TS_BTREE2_NODE_PREFIX + (size_t)n->room * n->record_size);
    if (level > 0)
        n->children = ts_calloc((size_t)n->room + 1, sizeof *n->children);
    if (!n->buf || (level > 0 && !n->children) ||
        ts_file_alloc(t->file, H5FD_MEM_BTREE, n->node_size, &n->self.addr) < 0 ||
        ts_meta_insert(t->file, &ts_btree2_node_class, n->self.addr, n, ts_btree2_node_bytes(n, n->room)) < 0) {
        ts_btree2_node_free(n);
        return -1;
    }
    *out = n;
    return 0;
}

/* The node is no more; its pin ends here. */
static void node_drop(struct ts_btree2 *t, struct ts_btree2_node *n)
{
    haddr_t addr = n->self.addr;
    uint32_t size = n->node_size;
    ts_meta_remove(t->file, addr);
    ts_meta_unpin(t->file, addr);
    ts_file_free(t->file, H5FD_MEM_BTREE, addr, size);
}

/* What is on the way waits for what is below it, changed itself or not. */
static int chain(struct path *p)
{
    haddr_t parent = p->t->addr;
    for (unsigned i = 0; i < p->n; i++) {
        haddr_t addr = p->steps[i].n->self.addr;
        if (ts_meta_depend(p->t->file, parent, addr) < 0)
            return -1;
        parent = addr;
    }
    return 0;
}

static int shadow(struct ts_btree2 *t, struct ts_btree2_node *n)
{
    haddr_t from = n->self.addr, to;
    if (ts_file_fresh(t->file, from))
        return 0;
    if (ts_file_alloc(t->file, H5FD_MEM_BTREE, n->node_size, &to) < 0)
        return -1;
    if (ts_meta_move(t->file, from, to) < 0)
        return -1;
    n->self.addr = to;
    ts_file_free(t->file, H5FD_MEM_BTREE, from, n->node_size);
    return 0;
}

/* From the leaf up, and what leads to those that moved. */
static int shadow_path(struct path *p)
{
    for (unsigned i = p->n; i-- > 0;) {
        if (shadow(p->t, p->steps[i].n) < 0)
            return -1;
        if (i > 0)
            p->steps[i - 1].n->children[p->steps[i - 1].at] = p->steps[i].n->self;
    }
    return 0;
}

static bool always_shadows(const struct ts_btree2 *t)
{
    return t->file->swmr == TS_SWMR_WRITER && !ts_mutation(TS_MUTATION_NO_SHADOWS);
}

/* Records from the first on, and above the leaves as many children and one more, are about to change. */
static int edit_node(struct ts_btree2 *t, struct ts_btree2_node *n, uint64_t first)
{
    size_t records = (size_t)(n->self.records - first);
    if (ts_meta_edit(t->file, n->self.addr) < 0 ||
        ts_undo_bytes(t->file, ts_btree2_record(n, first), records * n->record_size) < 0)
        return -1;
    return n->level > 0 ? ts_undo_bytes(t->file, n->children + first, (records + 1) * sizeof *n->children) : 0;
}

/* Of a node only what its child on the way says of itself. */
static int edit_child(struct ts_btree2 *t, const struct step *s)
{
    if (ts_meta_edit(t->file, s->n->self.addr) < 0)
        return -1;
    return ts_undo_bytes(t->file, &s->n->children[s->at], sizeof *s->n->children);
}

static int touched(struct path *p)
{
    return chain(p) < 0 ? -1 : always_shadows(p->t) ? shadow_path(p) : 0;
}

/* Everything on the way is about to change: counts do up to the header. */
static int touch(struct path *p)
{
    if (ts_meta_edit(p->t->file, p->t->addr) < 0)
        return -1;
    for (unsigned i = 0; i < p->n; i++)
        if (edit_node(p->t, p->steps[i].n, 0) < 0)
            return -1;
    return touched(p);
}

/* The same for a record that goes into the leaf. Where there is room for it nothing else moves. */
static int touch_for_insert(struct path *p)
{
    const struct step *leaf = &p->steps[p->n - 1];
    if (leaf->n->self.records >= ts_btree2_most(p->t, 0))
        return touch(p);
    if (ts_meta_edit(p->t->file, p->t->addr) < 0)
        return -1;
    for (unsigned i = 0; i + 1 < p->n; i++)
        if (edit_child(p->t, &p->steps[i]) < 0)
            return -1;
    return edit_node(p->t, leaf->n, leaf->at) < 0 ? -1 : touched(p);
}

static void set_root(struct ts_btree2 *t, const struct ts_btree2_child *root)
{
    struct ts_btree2_header *h = &t->shape.header;
    h->root = root->addr;
    h->root_records = (uint16_t)root->records;
    h->records = root->total;
}

/* Moves n records, and above the leaves as many children, inside a node or from one to another. */
static void move_records(struct ts_btree2_node *to, uint64_t at, const struct ts_btree2_node *from, uint64_t first,
                         uint64_t n)
{
    memmove(ts_btree2_record(to, at), ts_btree2_record(from, first), (size_t)n * from->record_size);
}

static void move_children(struct ts_btree2_node *to, uint64_t at, const struct ts_btree2_node *from, uint64_t first,
                          uint64_t n)
{
    if (to->level > 0)
        memmove(to->children + at, from->children + first, (size_t)n * sizeof *to->children);
}

static void set_total(struct ts_btree2_node *n)
{
    n->self.total = n->self.records;
    for (uint64_t i = 0; n->level > 0 && i <= n->self.records; i++)
        n->self.total += n->children[i].total;
}

/* Children that went from one node to another: the dirty ones among them must be written before it. */
static int adopt(struct ts_btree2 *t, const struct ts_btree2_node *from, const struct ts_btree2_node *to,
                 uint64_t first, uint64_t n)
{
    for (uint64_t i = first; to->level > 0 && i < first + n; i++)
        if (ts_meta_adopt(t->file, from->self.addr, to->self.addr, to->children[i].addr) < 0)
            return -1;
    return 0;
}

static void parent_says(struct ts_btree2_node *parent, uint64_t k, const struct ts_btree2_node *left,
                        const struct ts_btree2_node *right)
{
    parent->children[k] = left->self;
    if (right)
        parent->children[k + 1] = right->self;
}

static void give_left(struct ts_btree2_node *parent, uint64_t k, struct ts_btree2_node *l, struct ts_btree2_node *r,
                      uint64_t n)
{
    uint64_t at = l->self.records, rest = r->self.records - n;
    move_records(l, at, parent, k, 1);
    move_records(l, at + 1, r, 0, n - 1);
    move_records(parent, k, r, n - 1, 1);
    move_children(l, at + 1, r, 0, n);
    move_records(r, 0, r, n, rest);
    move_children(r, 0, r, n, rest + 1);
    l->self.records += n;
    r->self.records = rest;
}

static void give_right(struct ts_btree2_node *parent, uint64_t k, struct ts_btree2_node *l, struct ts_btree2_node *r,
                       uint64_t n)
{
    uint64_t rest = l->self.records - n;
    move_records(r, n, r, 0, r->self.records);
    move_children(r, n, r, 0, r->self.records + 1);
    move_records(r, n - 1, parent, k, 1);
    move_records(r, 0, l, rest + 1, n - 1);
    move_children(r, 0, l, rest + 1, n);
    move_records(parent, k, l, rest, 1);
    l->self.records = rest;
    r->self.records += n;
}

/* Shares the records of children k and k + 1, with the one between them, evenly. */
static int balance(struct ts_btree2 *t, struct ts_btree2_node *parent, uint64_t k, struct ts_btree2_node *l,
                   struct ts_btree2_node *r)
{
    uint64_t have = l->self.records, want = (have + r->self.records) / 2;
    int status = 0;
    if (want > have) {
        give_left(parent, k, l, r, want - have);
        status = adopt(t, r, l, have + 1, want - have);
    } else if (want < have) {
        give_right(parent, k, l, r, have - want);
        status = adopt(t, l, r, 0, have - want);
    }
    set_total(l);
    set_total(r);
    parent_says(parent, k, l, r);
    return status;
}

/* Makes two of child k, which has too many records: the middle one goes to the parent. */
static int split(struct ts_btree2 *t, struct ts_btree2_node *parent, uint64_t k, struct ts_btree2_node *l)
{
    struct ts_btree2_node *r;
    if (node_new(t, l->level, &r) < 0)
        return -1;
    uint64_t all = l->self.records, keep = all / 2, n = all - keep - 1;
    move_records(r, 0, l, keep + 1, n);
    move_children(r, 0, l, keep + 1, n + 1);
    move_records(parent, k + 1, parent, k, parent->self.records - k);
    move_records(parent, k, l, keep, 1);
    move_children(parent, k + 2, parent, k + 1, parent->self.records - k);
    parent->self.records++;
    l->self.records = keep;
    r->self.records = n;
    set_total(l);
    set_total(r);
    parent_says(parent, k, l, r);
    int status = ts_meta_depend(t->file, parent->self.addr, r->self.addr);
    if (status == 0)
        status = adopt(t, l, r, 0, n + 1);
    unpin(t, r);
    return status;
}

/* Child k + 1 and the record before it go into child k. The pin of the former ends here. */
static int merge(struct ts_btree2 *t, struct ts_btree2_node *parent, uint64_t k, struct ts_btree2_node *l,
                 struct ts_btree2_node *r)
{
    uint64_t at = l->self.records, n = r->self.records, behind = parent->self.records - k - 1;
    move_records(l, at, parent, k, 1);
    move_records(l, at + 1, r, 0, n);
    move_children(l, at + 1, r, 0, n + 1);
    l->self.records += n + 1;
    set_total(l);
    move_records(parent, k, parent, k + 1, behind);
    move_children(parent, k + 1, parent, k + 2, behind);
    parent->self.records--;
    parent_says(parent, k, l, NULL);
    int status = adopt(t, r, l, at + 1, n + 1);
    node_drop(t, r);
    return status;
}

/* The sibling at k of the node that the way goes through, ready to be changed. */
static int pin_sibling(struct ts_btree2 *t, struct step *up, uint64_t k, struct ts_btree2_node **out)
{
    struct ts_btree2_node *parent = up->n, *n;
    if (parent->children[k].addr == parent->children[up->at].addr)
        return TS_ERR(BTREE, BADVALUE, "B-tree node at %#llx is used in two places",
                      (unsigned long long)parent->children[k].addr);
    if (ts_btree2_node_pin(t, parent->level - 1, &parent->children[k], &n) < 0)
        return -1;
    if (make_room(t, n) < 0 || edit_node(t, n, 0) < 0 || ts_meta_depend(t->file, parent->self.addr, n->self.addr) < 0 ||
        shadow(t, n) < 0) {
        unpin(t, n);
        return -1;
    }
    parent->children[k] = n->self;
    *out = n;
    return 0;
}

/* Shares the records of step i with its sibling at k, on either side. */
static int balance_with(struct path *p, unsigned i, uint64_t k)
{
    struct step *up = &p->steps[i - 1];
    struct ts_btree2_node *n = p->steps[i].n, *sibling;
    if (pin_sibling(p->t, up, k, &sibling) < 0)
        return -1;
    int status = k < up->at ? balance(p->t, up->n, k, sibling, n) : balance(p->t, up->n, up->at, n, sibling);
    unpin(p->t, sibling);
    return status;
}

static int grow(struct path *p)
{
    struct ts_btree2 *t = p->t;
    struct ts_btree2_node *old = p->steps[0].n, *root;
    struct ts_btree2_shape shape = t->shape;
    /* Derived as if empty: the old root has a record too many still. */
    shape.header.depth++;
    shape.header.root_records = 0;
    if (ts_btree2_shape_derive(&shape) < 0)
        return -1;
    t->shape = shape;
    if (node_new(t, shape.header.depth, &root) < 0)
        return -1;
    memmove(&p->steps[1], &p->steps[0], p->n * sizeof *p->steps);
    p->steps[0] = (struct step){.n = root};
    p->n++;
    root->children[0] = old->self;
    set_total(root);
    ts_meta_undepend(t->file, t->addr, old->self.addr);
    if (ts_meta_depend(t->file, t->addr, root->self.addr) < 0)
        return -1;
    return ts_meta_depend(t->file, root->self.addr, old->self.addr);
}

/* Step i has a record too many. */
static int relieve(struct path *p, unsigned i)
{
    struct step *up = &p->steps[i - 1];
    unsigned level = p->steps[i].n->level;
    uint64_t most = ts_btree2_most(p->t, level);
    if (up->at > 0 && up->n->children[up->at - 1].records < most)
        return balance_with(p, i, up->at - 1);
    if (up->at < up->n->self.records && up->n->children[up->at + 1].records < most)
        return balance_with(p, i, up->at + 1);
    return split(p->t, up->n, up->at, p->steps[i].n);
}

static int split_overfull(struct path *p)
{
    bool shadowed = false;
    for (unsigned i = p->n; i-- > 0;) {
        struct ts_btree2_node *n = p->steps[i].n;
        if (n->self.records > ts_btree2_most(p->t, n->level)) {
            if (!shadowed && shadow_path(p) < 0)
                return -1;
            shadowed = true;
            if (i == 0 && grow(p) < 0)
                return -1;
            i += i == 0;
            if (relieve(p, i) < 0)
                return -1;
        } else if (i > 0)
            p->steps[i - 1].n->children[p->steps[i - 1].at] = n->self;
    }
    set_root(p->t, &p->steps[0].n->self);
    return 0;
}

static int plant(struct path *p)
{
    struct ts_btree2_node *root;
    if (ts_meta_edit(p->t->file, p->t->addr) < 0)
        return -1;
    p->t->shape.header.depth = 0;
    if (node_new(p->t, 0, &root) < 0)
        return -1;
    p->steps[p->n++] = (struct step){.n = root};
    return 0;
}

/* The way to the leaf that the record belongs in, all about to change; 1 when the tree has an equal one. */
static int find_leaf(struct path *p, ts_btree2_compare_fn *compare, void *ctx)
{
    int found = ts_btree2_count(p->t) == 0 ? plant(p) : descend(p, compare, ctx);
    return found != 0 ? found : touch_for_insert(p);
}

/* Into the leaf at the end of the way, which has room for one too many. */
static void put_in_leaf(struct path *p, const uint8_t *record)
{
    struct step *leaf = &p->steps[p->n - 1];
    move_records(leaf->n, leaf->at + 1, leaf->n, leaf->at, leaf->n->self.records - leaf->at);
    memcpy(ts_btree2_record(leaf->n, leaf->at), record, leaf->n->record_size);
    leaf->n->self.records++;
    for (unsigned i = 0; i < p->n; i++)
        p->steps[i].n->self.total++;
}

int ts_btree2_insert(struct ts_btree2 *tree, const uint8_t *record, ts_btree2_compare_fn *compare, void *ctx)
{
    struct path p = {.t = tree};
    int status = find_leaf(&p, compare, ctx);
    if (status == 0) {
        put_in_leaf(&p, record);
        status = split_overfull(&p);
    }
    path_release(&p);
    return status;
}

/* Step i has a record too few. Its sibling lends some, or becomes one with it. */
static int refill(struct path *p, unsigned i)
{
    struct step *up = &p->steps[i - 1], *s = &p->steps[i];
    uint64_t last = up->n->self.records, k = up->at;
    const struct ts_btree2_child *children = up->n->children;
    if (last == 0)
        return 0;
    bool left = k > 0 && (k == last || children[k - 1].records > children[k + 1].records);
    uint64_t other = left ? k - 1 : k + 1, theirs = children[other].records;
    if (theirs > ts_btree2_fewest(p->t, s->n->level) ||
        theirs + s->n->self.records + 1 > ts_btree2_most(p->t, s->n->level))
        return balance_with(p, i, other);
    struct ts_btree2_node *sibling;
    if (pin_sibling(p->t, up, other, &sibling) < 0)
        return -1;
    struct ts_btree2_node *l = left ? sibling : s->n, *r = left ? s->n : sibling;
    *s = (struct step){.n = l};
    up->at = left ? other : k;
    return merge(p->t, up->n, up->at, l, r);
}

/* A root with a single child gives way to it; a leaf without records to nothing. */
static int collapse(struct path *p)
{
    struct ts_btree2 *t = p->t;
    struct ts_btree2_node *root = p->steps[0].n;
    if (root->self.records > 0) {
        set_root(t, &root->self);
        return 0;
    }
    struct ts_btree2_child none = {.addr = HADDR_UNDEF}, *below = root->level > 0 ? &root->children[0] : &none;
    set_root(t, below);
    if (root->level > 0)
        t->shape.header.depth--;
    p->n--;
    memmove(&p->steps[0], &p->steps[1], p->n * sizeof *p->steps);
    node_drop(t, root);
    return p->n > 0 ? ts_meta_depend(t->file, t->addr, p->steps[0].n->self.addr) : 0;
}

static int join_underfull(struct path *p)
{
    bool shadowed = false;
    for (unsigned i = p->n; i-- > 1;) {
        struct ts_btree2_node *n = p->steps[i].n;
        p->steps[i - 1].n->children[p->steps[i - 1].at] = n->self;
        if (n->self.records >= ts_btree2_fewest(p->t, n->level))
            continue;
        if (!shadowed && shadow_path(p) < 0)
            return -1;
        shadowed = true;
        if (refill(p, i) < 0)
            return -1;
    }
    return collapse(p);
}

/* Whether what is looked for, which sorts behind the record that went in last, belongs in the same leaf: 1 or 0. */
static int in_same_leaf(const struct path *p, ts_btree2_compare_fn *compare, void *ctx)
{
    for (unsigned i = p->n - 1; i-- > 0;) {
        const struct step *up = &p->steps[i];
        int order;
        if (up->at == up->n->self.records)
            continue;
        if (compare(ts_btree2_record(up->n, up->at), ctx, &order) < 0)
            return -1;
        return order < 0;
    }
    return 1;
}

static bool at_right_edge(const struct path *p)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->steps[i].at < p->steps[i].n->self.records)
            return false;
    return true;
}

/* Behind the last leaf, which is full and stays so, comes another one, and the record goes between them. */
static int append_leaf(struct path *p, const uint8_t *record)
{
    struct ts_btree2_node *leaf;
    if ((p->n == 1 && grow(p) < 0) || node_new(p->t, 0, &leaf) < 0)
        return -1;
    struct step *up = &p->steps[p->n - 2], *last = &p->steps[p->n - 1];
    struct ts_btree2_node *parent = up->n;
    memcpy(ts_btree2_record(parent, up->at), record, parent->record_size);
    parent->self.records++;
    parent_says(parent, up->at++, last->n, leaf);
    for (unsigned i = 0; i + 1 < p->n; i++)
        p->steps[i].n->self.total++;
    unpin(p->t, last->n);
    *last = (struct step){.n = leaf};
    if (ts_meta_depend(p->t->file, parent->self.addr, leaf->self.addr) < 0)
        return -1;
    if (parent->self.records <= ts_btree2_most(p->t, 1))
        return 0;
    int status = split_overfull(p);
    path_release(p);
    return status;
}

/* The next record, into the leaf at hand, where it says or behind that. What is behind the first place in it was kept
 * when that was found. */
static int insert_here(struct path *p, const uint8_t *record, ts_btree2_compare_fn *compare, void *ctx)
{
    struct step *leaf = &p->steps[p->n - 1];
    uint64_t n = leaf->n->self.records;
    int found = leaf->at < n ? ts_btree2_node_search(leaf->n, compare, ctx, &leaf->at) : 0;
    if (found != 0)
        return found;
    if (n >= ts_btree2_most(p->t, 0)) {
        if (at_right_edge(p))
            return append_leaf(p, record);
        if (touch(p) < 0)
            return -1;
    }
    put_in_leaf(p, record);
    leaf->at++;
    return 0;
}

/* One that has a record too many gives to its siblings what is too much. */
static int insert_next(struct path *p, const uint8_t *record, ts_btree2_compare_fn *compare, void *ctx)
{
    bool full = p->n > 0 && p->steps[p->n - 1].n->self.records > ts_btree2_most(p->t, 0);
    int here = p->n == 0 || full ? 0 : in_same_leaf(p, compare, ctx);
    if (here != 0)
        return here < 0 ? -1 : insert_here(p, record, compare, ctx);
    int status = p->n > 0 ? split_overfull(p) : 0;
    path_release(p);
    if (status == 0)
        status = find_leaf(p, compare, ctx);
    if (status != 0)
        return status;
    put_in_leaf(p, record);
    p->steps[p->n - 1].at++;
    return 0;
}

/* The last leaf may be one that was appended and has few records yet. */
static int finish_many(struct path *p)
{
    if (p->n == 0)
        return 0;
    const struct ts_btree2_node *leaf = p->steps[p->n - 1].n;
    if (p->n == 1 || leaf->self.records >= ts_btree2_fewest(p->t, 0))
        return split_overfull(p);
    return touch(p) < 0 ? -1 : join_underfull(p);
}

int ts_btree2_insert_many(struct ts_btree2 *tree, const struct ts_btree2_many *many)
{
    struct path p = {.t = tree};
    int status = 0;
    for (size_t i = 0; i < many->n && status == 0; i++) {
        many->about(many->ctx, i);
        status = insert_next(&p, many->records + i * ts_btree2_record_size(tree), many->compare, many->ctx);
    }
    if (status == 0)
        status = finish_many(&p);
    path_release(&p);
    return status;
}

/* From a record in an internal node on to the one before it, which is the last of a leaf and takes its place. */
static int descend_to_last(struct path *p)
{
    for (unsigned level = p->steps[p->n - 1].n->level; level-- > 0;) {
        const struct step *up = &p->steps[p->n - 1];
        struct ts_btree2_child at = up->n->children[up->at];
        if (step_down(p, level, &at) < 0)
            return -1;
        struct step *s = &p->steps[p->n - 1];
        s->at = level > 0 ? s->n->self.records : s->n->self.records - 1;
    }
    if (p->steps[p->n - 1].n->self.records == 0)
        return TS_ERR(BTREE, BADVALUE, "B-tree node at %#llx is empty",
                      (unsigned long long)p->steps[p->n - 1].n->self.addr);
    return 0;
}

static int take_out(struct path *p, ts_btree2_compare_fn *compare, void *ctx, uint8_t *removed)
{
    int found = descend(p, compare, ctx);
    if (found != 1)
        return found;
    struct step hit = p->steps[p->n - 1];
    if (descend_to_last(p) < 0 || touch(p) < 0)
        return -1;
    struct step *leaf = &p->steps[p->n - 1];
    if (removed)
        memcpy(removed, ts_btree2_record(hit.n, hit.at), hit.n->record_size);
    if (leaf->n != hit.n)
        move_records(hit.n, hit.at, leaf->n, leaf->at, 1);
    move_records(leaf->n, leaf->at, leaf->n, leaf->at + 1, leaf->n->self.records - leaf->at - 1);
    leaf->n->self.records--;
    for (unsigned i = 0; i < p->n; i++)
        p->steps[i].n->self.total--;
    return join_underfull(p) < 0 ? -1 : 1;
}

int ts_btree2_remove(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, void *ctx, uint8_t *removed)
{
    struct path p = {.t = tree};
    if (ts_btree2_count(tree) == 0)
        return 0;
    int status = take_out(&p, compare, ctx, removed);
    path_release(&p);
    return status;
}

/* The last node is about to have other records, but as many. */
static int touch_last(struct path *p)
{
    if (!always_shadows(p->t))
        return edit_node(p->t, p->steps[p->n - 1].n, 0) < 0 ? -1 : chain(p);
    if (touch(p) < 0)
        return -1;
    set_root(p->t, &p->steps[0].n->self);
    return 0;
}

int ts_btree2_modify(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, ts_btree2_modify_fn *modify, void *ctx)
{
    struct path p = {.t = tree};
    if (ts_btree2_count(tree) == 0)
        return 0;
    int found = descend(&p, compare, ctx);
    if (found == 1) {
        struct step *s = &p.steps[p.n - 1];
        if (touch_last(&p) < 0 || modify(ts_btree2_record(s->n, s->at), ctx) < 0)
            found = -1;
    }
    path_release(&p);
    return found;
}

int ts_btree2_create(struct ts_file *f, const struct ts_btree2_params *params, haddr_t *addr)
{
    TS_IN_CHANGE(f);
    unsigned addr_size = ts_file_addr_size(f);
    struct ts_btree2_header header = {.type = params->type,
                                      .split_percent = params->split_percent,
                                      .merge_percent = params->merge_percent,
                                      .node_size = params->node_size,
                                      .record_size = params->record_size,
                                      .root = HADDR_UNDEF};
    struct ts_btree2 *t = ts_calloc(1, sizeof *t);
    if (!t)
        return -1;
    *t = (struct ts_btree2){.file = f, .shape = {.header = header, .addr_size = addr_size}};
    if (ts_btree2_shape_derive(&t->shape) < 0 ||
        ts_file_alloc(f, H5FD_MEM_BTREE, ts_btree2_header_size(addr_size, ts_file_len_size(f)), &t->addr) < 0 ||
        ts_meta_insert(f, &ts_btree2_header_class, t->addr, t, sizeof *t) < 0) {
        ts_free(t);
        return -1;
    }
    *addr = t->addr;
    ts_meta_unpin(f, t->addr);
    return 0;
}

struct removal {
    struct ts_btree2 *tree;
    ts_btree2_visit_fn *visit;
    void *ctx;
    uint64_t budget; /* bytes of nodes still to be seen: nodes do not overlap, so a tree has no more than the file */
};

static int spend(const struct ts_btree2 *t, uint64_t *budget)
{
    uint32_t size = t->shape.header.node_size;
    if (size > *budget)
        return TS_ERR(BTREE, BADVALUE, "B-tree at %#llx uses nodes more than once", (unsigned long long)t->addr);
    *budget -= size;
    return 0;
}

static int delete_node(struct removal *r, unsigned level, const struct ts_btree2_child *at)
{
    struct ts_btree2_node *n;
    int status = 0;
    if (spend(r->tree, &r->budget) < 0 || ts_btree2_node_pin(r->tree, level, at, &n) < 0)
        return -1;
    for (uint64_t i = 0; status == 0 && i <= n->self.records; i++) {
        if (level > 0)
            status = delete_node(r, level - 1, &n->children[i]);
        if (status == 0 && r->visit && i < n->self.records)
            status = r->visit(ts_btree2_record(n, i), r->ctx);
    }
    node_drop(r->tree, n);
    return status;
}

int ts_btree2_delete(struct ts_file *f, haddr_t addr, ts_btree2_visit_fn *visit, void *ctx)
{
    TS_IN_CHANGE(f);
    struct ts_btree2 *tree;
    if (ts_btree2_open(f, addr, &tree) < 0)
        return -1;
    struct removal r = {.tree = tree, .visit = visit, .ctx = ctx, .budget = f->end};
    struct ts_btree2_child root = ts_btree2_root(tree);
    int status = root.total > 0 ? delete_node(&r, tree->shape.header.depth, &root) : 0;
    ts_btree2_close(tree);
    ts_meta_remove(f, addr);
    ts_file_free(f, H5FD_MEM_BTREE, addr, ts_btree2_header_size(ts_file_addr_size(f), ts_file_len_size(f)));
    return status;
}

struct check {
    struct ts_btree2 *tree;
    ts_btree2_order_fn *order;
    void *ctx;
    const uint8_t *last; /* record before; in a node that is pinned */
    uint8_t *copy;
    uint64_t budget;
    const char *reason;
};

static void check_record(struct check *c, const struct ts_btree2_node *n, uint64_t i)
{
    const uint8_t *record = ts_btree2_record(n, i);
    if (c->order && c->last && c->order(c->last, record, c->ctx) >= 0)
        c->reason = "records are out of order";
    memcpy(c->copy, record, n->record_size);
    c->last = c->copy;
}

static int check_node(struct check *c, unsigned level, const struct ts_btree2_child *at, bool root)
{
    struct ts_btree2_node *n;
    int status = 0;
    if (at->records > ts_btree2_most(c->tree, level))
        c->reason = "a node has too many records";
    if (!root && at->records < ts_btree2_fewest(c->tree, level))
        c->reason = "a node has too few records";
    if (spend(c->tree, &c->budget) < 0 || ts_btree2_node_pin(c->tree, level, at, &n) < 0)
        return -1;
    uint64_t total = n->self.records;
    for (uint64_t i = 0; status == 0 && i <= n->self.records; i++) {
        if (level > 0) {
            total += n->children[i].total;
            status = check_node(c, level - 1, &n->children[i], false);
        }
        if (i < n->self.records)
            check_record(c, n, i);
    }
    if (total != at->total)
        c->reason = "the count of a node is not the sum of those below it";
    unpin(c->tree, n);
    return status;
}

int ts_btree2_verify(struct ts_btree2 *tree, ts_btree2_order_fn *order, void *ctx, const char **reason)
{
    struct check c = {.tree = tree,
                      .order = order,
                      .ctx = ctx,
                      .copy = ts_malloc(ts_btree2_record_size(tree)),
                      .budget = tree->file->end};
    struct ts_btree2_child root = ts_btree2_root(tree);
    if (!c.copy)
        return -1;
    if (root.total == 0 && root.addr != HADDR_UNDEF)
        c.reason = "an empty tree has a root";
    int status = root.total > 0 ? check_node(&c, tree->shape.header.depth, &root, true) : 0;
    ts_free(c.copy);
    *reason = c.reason;
    return status < 0 ? -1 : !c.reason;
}
