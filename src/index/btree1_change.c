/* Changing version 1 B-trees.
 *
 * A change goes down to a leaf and comes back up: the node above learns of keys at the border that changed, of a node
 * that was split off to the right, or that its child is empty and gone. The same key stands at the end of one node and
 * at the beginning of the next, and both are kept the same: libhdf5 loses its way where they are not, and a group's key
 * is a name that may go with its last link. Nodes are never merged; libhdf5 does not do so either. A root that is split
 * stays where it is, with a level more. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "file/undo.h"
#include "index/btree1_node.h"
#include "meta/meta.h"

struct edit {
    const struct ts_btree1 *tree;
    ts_btree1_locate_fn *locate;
    ts_btree1_edit_fn *edit;
    void *ctx;
    /* What the node above must know. */
    bool changed;                     /* the node below is dirty now */
    bool left_changed, right_changed; /* keys at its borders */
    bool gone;                        /* it has no children any more and was freed */
    bool drop_right;                  /* then the right key goes with it, else the left */
    haddr_t added;                    /* its new neighbour to the right, or HADDR_UNDEF */
    uint8_t *left, *right, *middle;   /* those keys, and the one before the neighbour */
    struct ts_btree1_slot slot;
};

static size_t pair_size(const struct ts_btree1_node *n)
{
    return n->key_size + n->addr_size;
}

static void set_child(struct ts_btree1_node *n, size_t i, haddr_t child)
{
    uint8_t *at = ts_btree1_key(n, i) + n->key_size;
    for (unsigned b = 0; b < n->addr_size; b++)
        at[b] = (uint8_t)(child >> 8 * b);
}

static void set_key(struct ts_btree1_node *n, size_t i, const uint8_t *key)
{
    memcpy(ts_btree1_key(n, i), key, n->key_size);
}

/* Puts a key and the child behind it before key i. */
static void insert_pair(struct ts_btree1_node *n, size_t i, const uint8_t *key, haddr_t child)
{
    uint8_t *at = ts_btree1_key(n, i);
    memmove(at + pair_size(n), at, (n->prefix.entries - i) * pair_size(n) + n->key_size);
    n->prefix.entries++;
    set_key(n, i, key);
    set_child(n, i, child);
}

static int make_room(const struct ts_btree1 *t, struct ts_btree1_node *n)
{
    size_t most = 2 * (size_t)n->k, size = ts_btree1_body_size(most + 1, n->key_size, n->addr_size);
    if (n->room)
        return 0;
    if (n->prefix.entries > most || most == 0)
        return TS_ERR(BTREE, BADRANGE, "B-tree node at %#llx has %u children; %zu fit", (unsigned long long)n->addr,
                      n->prefix.entries, most);
    uint8_t *body = ts_realloc(n->body, size);
    if (!body)
        return -1;
    n->body = body;
    n->room = true;
    ts_meta_resize(t->file, n->addr, sizeof *n + size);
    return 0;
}

/* The node is about to change, and its body from key i on. */
static int edit_from(const struct ts_btree1 *t, struct ts_btree1_node *n, size_t i)
{
    size_t from = i * pair_size(n);
    /* Room comes first: what is kept goes back to where it was. */
    if (make_room(t, n) < 0 || ts_meta_edit(t->file, n->addr) < 0)
        return -1;
    if (from >= n->unkept)
        return 0;
    if (ts_undo_bytes(t->file, n->body + from, n->unkept - from) < 0)
        return -1;
    n->unkept = from;
    return 0;
}

/* An empty node, dirty and pinned. */
static int node_new(const struct ts_btree1 *t, unsigned level, struct ts_btree1_node **out)
{
    struct ts_btree1_node *n = ts_calloc(1, sizeof *n);
    if (!n)
        return -1;
    *n = (struct ts_btree1_node){.prefix = {.type = t->type, .level = level, .left = HADDR_UNDEF, .right = HADDR_UNDEF},
                                 .key_size = t->key_size,
                                 .addr_size = ts_file_addr_size(t->file),
                                 .k = ts_btree1_k(t->file, t->type),
                                 .room = true};
    size_t body = ts_btree1_body_size(2 * (size_t)n->k + 1, n->key_size, n->addr_size);
    n->body = ts_calloc(1, body);
    if (!n->body ||
        ts_file_alloc(t->file, H5FD_MEM_BTREE, ts_btree1_node_size(n->k, n->key_size, n->addr_size), &n->addr) < 0 ||
        ts_meta_insert(t->file, &ts_btree1_node_class, n->addr, n, sizeof *n + body) < 0) {
        ts_btree1_node_free(n);
        return -1;
    }
    *out = n;
    return 0;
}

/* The node is no more; its pin ends here. */
static void node_drop(const struct ts_btree1 *t, struct ts_btree1_node *n)
{
    haddr_t addr = n->addr;
    size_t size = ts_btree1_node_size(n->k, n->key_size, n->addr_size);
    ts_meta_remove(t->file, addr);
    ts_meta_unpin(t->file, addr);
    ts_file_free(t->file, H5FD_MEM_BTREE, addr, size);
}

int ts_btree1_create(struct ts_file *f, unsigned type, size_t key_size, haddr_t *root)
{
    TS_IN_CHANGE(f);
    struct ts_btree1 t = {.file = f, .type = type, .key_size = key_size};
    struct ts_btree1_node *n;
    if (node_new(&t, 0, &n) < 0)
        return -1;
    *root = n->addr;
    ts_meta_unpin(f, n->addr);
    return 0;
}

/* What a node's sibling is told. */
struct news {
    const haddr_t *left, *right; /* its own siblings */
    const uint8_t *first, *last; /* its keys */
};

static void learn(struct ts_btree1_node *n, const struct news *news)
{
    if (news->left)
        n->prefix.left = *news->left;
    if (news->right)
        n->prefix.right = *news->right;
    if (news->first && n->prefix.entries > 0)
        set_key(n, 0, news->first);
    if (news->last && n->prefix.entries > 0)
        set_key(n, n->prefix.entries, news->last);
}

static int tell_sibling(const struct ts_btree1 *t, haddr_t addr, unsigned level, const struct news *news)
{
    struct ts_btree1_node *n;
    if (addr == HADDR_UNDEF)
        return 0;
    if (ts_btree1_node_pin(t, addr, (int)level, &n) < 0)
        return -1;
    int status = edit_from(t, n, news->first ? 0 : n->prefix.entries);
    if (status == 0)
        learn(n, news);
    ts_meta_unpin(t->file, addr);
    return status;
}

/* The keys at the borders of a node changed: its siblings have them too, and the node above must hear of it. */
static int borders_changed(struct edit *e, const struct ts_btree1_node *n, bool left, bool right)
{
    const uint8_t *first = ts_btree1_key(n, 0), *last = ts_btree1_key(n, n->prefix.entries);
    e->left_changed = left;
    e->right_changed = right;
    if (left) {
        memcpy(e->left, first, n->key_size);
        if (tell_sibling(e->tree, n->prefix.left, n->prefix.level, &(struct news){.last = e->left}) < 0)
            return -1;
    }
    if (right) {
        memcpy(e->right, last, n->key_size);
        if (tell_sibling(e->tree, n->prefix.right, n->prefix.level, &(struct news){.first = e->right}) < 0)
            return -1;
    }
    return 0;
}

/* The last child of a node was removed. The root stays, as an empty leaf; another goes, with its pin. */
static int vanish(struct edit *e, struct ts_btree1_node *n, bool drop_right)
{
    const struct ts_btree1 *t = e->tree;
    haddr_t left = n->prefix.left, right = n->prefix.right;
    unsigned level = n->prefix.level;
    if (n->addr == t->root) {
        n->prefix.level = 0;
        return 0;
    }
    struct news to_right = {.left = &left, .first = drop_right ? ts_btree1_key(n, 0) : NULL};
    struct news to_left = {.right = &right, .last = drop_right ? NULL : ts_btree1_key(n, 1)};
    if (tell_sibling(t, right, level, &to_right) < 0 || tell_sibling(t, left, level, &to_left) < 0)
        return -1;
    e->gone = true;
    e->drop_right = drop_right;
    return 0;
}

/* Takes out child i with one of the keys beside it. */
static int remove_pair(struct edit *e, struct ts_btree1_node *n, size_t i, bool drop_right)
{
    size_t entries = n->prefix.entries;
    uint8_t *at = ts_btree1_key(n, i) + (drop_right ? n->key_size : 0);
    const uint8_t *end = n->body + ts_btree1_body_size(entries, n->key_size, n->addr_size);
    n->prefix.entries--;
    if (entries == 1)
        return vanish(e, n, drop_right);
    memmove(at, at + pair_size(n), (size_t)(end - at) - pair_size(n));
    return borders_changed(e, n, !drop_right && i == 0, drop_right && i == entries - 1);
}

/* Appended nodes fill up, as libhdf5's do: what is split off at an end of the tree is small. */
static size_t split_at(const struct ts_btree1_node *n)
{
    size_t entries = n->prefix.entries, at = entries / 2;
    if (n->prefix.right == HADDR_UNDEF)
        at = entries * 9 / 10;
    else if (n->prefix.left == HADDR_UNDEF)
        at = entries / 10;
    return at == 0 ? 1 : at == entries ? entries - 1 : at;
}

/* Nodes that went from one to another, or the symbol table nodes of a group. Chunks are not in the cache. */
static int adopt(const struct ts_btree1 *t, const struct ts_btree1_node *from, const struct ts_btree1_node *to)
{
    if (t->type == TS_BTREE1_CHUNK && to->prefix.level == 0)
        return 0;
    for (size_t i = 0; i < to->prefix.entries; i++)
        if (ts_meta_adopt(t->file, from->addr, to->addr, ts_btree1_child(to, i)) < 0)
            return -1;
    return 0;
}

/* Makes two of a node that has a child too many. parent is the address of the node above. */
static int split(struct edit *e, struct ts_btree1_node *n, haddr_t parent)
{
    const struct ts_btree1 *t = e->tree;
    struct ts_btree1_node *r;
    size_t keep = split_at(n);
    if (node_new(t, n->prefix.level, &r) < 0)
        return -1;
    r->prefix.entries = n->prefix.entries - (unsigned)keep;
    memcpy(r->body, ts_btree1_key(n, keep), ts_btree1_body_size(r->prefix.entries, n->key_size, n->addr_size));
    n->prefix.entries = (unsigned)keep;
    r->prefix.left = n->addr;
    r->prefix.right = n->prefix.right;
    n->prefix.right = r->addr;
    e->added = r->addr;
    memcpy(e->middle, ts_btree1_key(r, 0), n->key_size);
    int status = tell_sibling(t, r->prefix.right, n->prefix.level, &(struct news){.left = &r->addr});
    if (status == 0)
        status = ts_meta_depend(t->file, parent, r->addr);
    if (status == 0)
        status = adopt(t, n, r);
    ts_meta_unpin(t->file, r->addr);
    return status;
}

/* All that is in the root goes one level down and is split there. */
static int split_root(struct edit *e, struct ts_btree1_node *root)
{
    const struct ts_btree1 *t = e->tree;
    struct ts_btree1_node *n;
    if (root->prefix.level == UINT8_MAX)
        return TS_ERR(BTREE, CANTSPLIT, "B-tree of %u levels", root->prefix.level + 1);
    if (edit_from(t, root, 0) < 0 || node_new(t, root->prefix.level, &n) < 0)
        return -1;
    size_t entries = root->prefix.entries;
    n->prefix.entries = (unsigned)entries;
    memcpy(n->body, root->body, ts_btree1_body_size(entries, n->key_size, n->addr_size));
    root->prefix.level++;
    root->prefix.entries = 1;
    set_child(root, 0, n->addr);
    set_key(root, 1, ts_btree1_key(n, entries));
    int status = adopt(t, root, n);
    if (status == 0)
        status = ts_meta_depend(t->file, root->addr, n->addr);
    if (status == 0)
        status = split(e, n, root->addr);
    if (status == 0)
        insert_pair(root, 1, e->middle, e->added);
    ts_meta_unpin(t->file, n->addr);
    return status;
}

static int apply_slot(struct edit *e, struct ts_btree1_node *n, size_t i, int what)
{
    const struct ts_btree1_slot *s = &e->slot;
    if (what == TS_BTREE1_REMOVE || what == TS_BTREE1_REMOVE_RIGHT)
        return remove_pair(e, n, i, what == TS_BTREE1_REMOVE_RIGHT);
    bool first = i == 0 && memcmp(s->left, ts_btree1_key(n, 0), n->key_size) != 0;
    bool last = i + 1 == n->prefix.entries && memcmp(s->right, ts_btree1_key(n, i + 1), n->key_size) != 0;
    set_key(n, i, s->left);
    set_key(n, i + 1, s->right);
    set_child(n, i, what == TS_BTREE1_ADD_LEFT ? s->new_child : s->child);
    if (what != TS_BTREE1_UPDATE)
        insert_pair(n, i + 1, s->new_key, what == TS_BTREE1_ADD_LEFT ? s->child : s->new_child);
    return borders_changed(e, n, first, last);
}

static int apply_first(struct ts_btree1_node *n, const struct ts_btree1_slot *s)
{
    n->prefix.level = 0;
    n->prefix.entries = 1;
    set_key(n, 0, s->left);
    set_child(n, 0, s->new_child);
    set_key(n, 1, s->right);
    return 0;
}

/* A target that the nodes above send here may lie between the end of this leaf and the beginning of the next: then the
 * entry goes up to there. Before its beginning, that is so for groups only: a chunk's left key describes it. */
static int close_gap(struct edit *e, const struct ts_btree1_node *n)
{
    struct ts_btree1_slot *s = &e->slot;
    haddr_t next = s->order > 0 ? n->prefix.right : n->prefix.type == TS_BTREE1_GROUP ? n->prefix.left : HADDR_UNDEF;
    struct ts_btree1_node *sibling;
    if (s->none || s->order == 0 || next == HADDR_UNDEF)
        return 0;
    if (ts_btree1_node_pin(e->tree, next, (int)n->prefix.level, &sibling) < 0)
        return -1;
    if (sibling->prefix.entries > 0) {
        if (s->order > 0)
            memcpy(s->right, ts_btree1_key(sibling, 0), n->key_size);
        else
            memcpy(s->left, ts_btree1_key(sibling, sibling->prefix.entries), n->key_size);
        s->order = 0;
    }
    ts_meta_unpin(e->tree->file, next);
    return 0;
}

static int edit_leaf(struct edit *e, struct ts_btree1_node *n, size_t i, int order)
{
    struct ts_btree1_slot *s = &e->slot;
    s->order = order;
    s->none = n->prefix.entries == 0;
    s->leaf = n->addr;
    s->child = s->new_child = HADDR_UNDEF;
    if (!s->none) {
        s->child = ts_btree1_child(n, i);
        memcpy(s->left, ts_btree1_key(n, i), n->key_size);
        memcpy(s->right, ts_btree1_key(n, i + 1), n->key_size);
    }
    if (close_gap(e, n) < 0)
        return -1;
    int what = e->edit(s, e->ctx);
    if (what <= TS_BTREE1_KEEP)
        return what;
    if (s->none != (what == TS_BTREE1_FIRST))
        return TS_ERR(BTREE, BADVALUE, "change %d of a B-tree node with %u children", what, n->prefix.entries);
    e->changed = true;
    if (edit_from(e->tree, n, i) < 0)
        return -1;
    return (s->none ? apply_first(n, s) : apply_slot(e, n, i, what)) < 0 ? -1 : what;
}

static int edit_node(struct edit *e, haddr_t addr, haddr_t parent, int level);

static int edit_below(struct edit *e, struct ts_btree1_node *n, size_t i)
{
    int what = edit_node(e, ts_btree1_child(n, i), n->addr, (int)n->prefix.level - 1);
    bool left = e->left_changed, right = e->right_changed, gone = e->gone;
    haddr_t added = e->added;
    if (what < 0)
        return -1;
    e->changed = left || right || gone || added != HADDR_UNDEF;
    e->left_changed = e->right_changed = e->gone = false;
    e->added = HADDR_UNDEF;
    if (e->changed && edit_from(e->tree, n, i) < 0)
        return -1;
    if (gone)
        return remove_pair(e, n, i, e->drop_right) < 0 ? -1 : what;
    bool last = i + 1 == n->prefix.entries;
    if (left)
        set_key(n, i, e->left);
    if (right)
        set_key(n, i + 1, e->right);
    if (added != HADDR_UNDEF)
        insert_pair(n, i + 1, e->middle, added);
    return borders_changed(e, n, left && i == 0, right && last) < 0 ? -1 : what;
}

/* Parent is HADDR_UNDEF for the root. */
static int finish(struct edit *e, struct ts_btree1_node *n, haddr_t parent)
{
    struct ts_file *f = e->tree->file;
    if (!e->changed)
        return 0;
    if (parent != HADDR_UNDEF && ts_meta_depend(f, parent, n->addr) < 0)
        return -1;
    if (n->prefix.entries <= 2 * n->k)
        return 0;
    return parent == HADDR_UNDEF ? split_root(e, n) : split(e, n, parent);
}

static int edit_pinned(struct edit *e, struct ts_btree1_node *n, haddr_t parent)
{
    size_t i = 0;
    int found = ts_btree1_node_search(n, e->locate, e->ctx, &i);
    if (found < 0)
        return -1;
    int order = found == 1 ? 0 : i == 0 ? -1 : 1;
    if (i == n->prefix.entries && i > 0)
        i--;
    bool leaf = n->prefix.level == 0 || n->prefix.entries == 0;
    int what = leaf ? edit_leaf(e, n, i, order) : edit_below(e, n, i);
    return what >= 0 && !e->gone && finish(e, n, parent) < 0 ? -1 : what;
}

static int edit_node(struct edit *e, haddr_t addr, haddr_t parent, int level)
{
    struct ts_btree1_node *n;
    if (ts_btree1_node_pin(e->tree, addr, level, &n) < 0)
        return -1;
    int what = edit_pinned(e, n, parent);
    if (what >= 0 && e->gone)
        node_drop(e->tree, n);
    else
        ts_meta_unpin(e->tree->file, addr);
    return what;
}

int ts_btree1_edit(const struct ts_btree1 *tree, ts_btree1_locate_fn *locate, ts_btree1_edit_fn *edit, void *ctx)
{
    TS_IN_CHANGE(tree->file);
    size_t key = tree->key_size;
    uint8_t *keys = ts_calloc(6, key);
    if (!keys)
        return -1;
    struct edit e = {.tree = tree,
                     .locate = locate,
                     .edit = edit,
                     .ctx = ctx,
                     .added = HADDR_UNDEF,
                     .left = keys,
                     .right = keys + key,
                     .middle = keys + 2 * key,
                     .slot = {.left = keys + 3 * key, .right = keys + 4 * key, .new_key = keys + 5 * key}};
    int what = edit_node(&e, tree->root, HADDR_UNDEF, -1);
    ts_free(keys);
    return what;
}

struct removal {
    const struct ts_btree1 *tree;
    ts_btree1_visit_fn *visit;
    void *ctx;
    uint64_t budget; /* bytes of nodes still to be seen: nodes do not overlap, so a tree has no more than the file */
};

static int spend(const struct ts_btree1 *t, uint64_t *budget)
{
    size_t size = ts_btree1_node_size(ts_btree1_k(t->file, t->type), t->key_size, ts_file_addr_size(t->file));
    if (size > *budget)
        return TS_ERR(BTREE, BADVALUE, "B-tree at %#llx uses nodes more than once", (unsigned long long)t->root);
    *budget -= size;
    return 0;
}

static int delete_node(struct removal *r, haddr_t addr, int level)
{
    struct ts_btree1_node *n;
    int status = 0;
    if (spend(r->tree, &r->budget) < 0 || ts_btree1_node_pin(r->tree, addr, level, &n) < 0)
        return -1;
    for (size_t i = 0; status == 0 && i < n->prefix.entries; i++) {
        struct ts_btree1_entry entry = {
            .child = ts_btree1_child(n, i), .left = ts_btree1_key(n, i), .right = ts_btree1_key(n, i + 1)};
        if (n->prefix.level > 0)
            status = delete_node(r, entry.child, (int)n->prefix.level - 1);
        else if (r->visit)
            status = r->visit(&entry, r->ctx);
    }
    node_drop(r->tree, n);
    return status;
}

int ts_btree1_delete(const struct ts_btree1 *tree, ts_btree1_visit_fn *visit, void *ctx)
{
    TS_IN_CHANGE(tree->file);
    struct removal r = {.tree = tree, .visit = visit, .ctx = ctx, .budget = tree->file->end};
    return delete_node(&r, tree->root, -1);
}

struct check {
    const struct ts_btree1 *tree;
    ts_btree1_order_fn *order;
    void *ctx;
    haddr_t left[UINT8_MAX + 1], right[UINT8_MAX + 1]; /* the last node of each level, and what it says comes next */
    uint64_t budget;
    const char *reason;
};

static void check_place(struct check *c, const struct ts_btree1_node *n)
{
    unsigned level = n->prefix.level;
    if (n->prefix.left != c->left[level] || (c->left[level] != HADDR_UNDEF && c->right[level] != n->addr))
        c->reason = "siblings do not point at each other";
    c->left[level] = n->addr;
    c->right[level] = n->prefix.right;
    if (n->prefix.entries == 0 && n->addr != c->tree->root)
        c->reason = "a node is empty";
    if (n->prefix.entries > 2 * n->k)
        c->reason = "a node has too many children";
}

static int check_node(struct check *c, haddr_t addr, int level, const uint8_t *from, const uint8_t *to)
{
    struct ts_btree1_node *n;
    int status = 0;
    if (spend(c->tree, &c->budget) < 0 || ts_btree1_node_pin(c->tree, addr, level, &n) < 0)
        return -1;
    check_place(c, n);
    size_t entries = n->prefix.entries;
    if (entries > 0 && from && c->order &&
        (c->order(from, ts_btree1_key(n, 0), c->ctx) != 0 || c->order(ts_btree1_key(n, entries), to, c->ctx) != 0))
        c->reason = "a node begins or ends with other keys than the one above it says";
    for (size_t i = 0; status == 0 && i < entries; i++) {
        const uint8_t *left = ts_btree1_key(n, i), *right = ts_btree1_key(n, i + 1);
        if (c->order && c->order(left, right, c->ctx) >= 0)
            c->reason = "keys do not ascend";
        if (n->prefix.level > 0)
            status = check_node(c, ts_btree1_child(n, i), (int)n->prefix.level - 1, left, right);
    }
    ts_meta_unpin(c->tree->file, addr);
    return status;
}

int ts_btree1_verify(const struct ts_btree1 *tree, ts_btree1_order_fn *order, void *ctx, const char **reason)
{
    struct check c = {.tree = tree, .order = order, .ctx = ctx, .budget = tree->file->end};
    for (unsigned i = 0; i <= UINT8_MAX; i++)
        c.left[i] = c.right[i] = HADDR_UNDEF;
    int status = check_node(&c, tree->root, -1, NULL, NULL);
    for (unsigned i = 0; i <= UINT8_MAX; i++)
        if (c.right[i] != HADDR_UNDEF)
            c.reason = "the last node of a level has a sibling behind it";
    *reason = c.reason;
    return status < 0 ? -1 : !c.reason;
}
