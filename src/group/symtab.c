#include "group/symtab.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "format/btree1.h"
#include "heap/local_heap.h"
#include "index/btree1.h"
#include "meta/meta.h"

struct node {
    haddr_t addr;
    size_t n, capacity;
    struct ts_symbol *symbols;
};

static void node_free(void *obj)
{
    struct node *node = obj;
    ts_free(node->symbols);
    ts_free(node);
}

static size_t node_bytes(const struct node *node)
{
    return sizeof *node + node->capacity * sizeof *node->symbols;
}

static size_t node_size(const struct ts_file *f)
{
    return ts_symbol_node_size(f->sb.group_leaf_k, ts_file_addr_size(f), ts_file_len_size(f));
}

static int node_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    size_t size = node_size(f), got;
    uint8_t *buf = ts_malloc(size);
    struct node *node = ts_calloc(1, sizeof *node);
    int status = buf && node ? ts_file_read_some(f, addr, size, buf, &got) : -1;
    if (status == 0)
        status = ts_symbol_node_decode(buf, got, ts_file_addr_size(f), ts_file_len_size(f), &node->symbols, &node->n);
    ts_free(buf);
    if (status < 0) {
        ts_free(node);
        return TS_ERR(SYM, CANTLOAD, "cannot load the symbol table node at %#llx", (unsigned long long)addr);
    }
    node->addr = addr;
    node->capacity = node->n;
    *obj = node;
    *bytes = node_bytes(node);
    return 0;
}

static int node_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct node *node = obj;
    struct ts_wr *w = ts_blocks_begin(out);
    if (ts_symbol_node_encode(node->symbols, node->n, f->sb.group_leaf_k, ts_file_addr_size(f), ts_file_len_size(f),
                              w) < 0)
        return -1;
    return ts_blocks_end(out, node->addr);
}

static uint64_t node_extent(const struct ts_file *f, const void *obj)
{
    (void)obj;
    return node_size(f);
}

/* Of the symbols a change keeps those that it moves. */
static int node_keep(struct ts_file *f, void *obj)
{
    return ts_undo_bytes(f, obj, sizeof(struct node));
}

static const struct ts_meta_class node_class = {.name = "symbol table node",
                                                .load = node_load,
                                                .free = node_free,
                                                .encode = node_encode,
                                                .keep = node_keep,
                                                .extent = node_extent};

static int node_pin(struct ts_file *f, haddr_t addr, struct node **out)
{
    void *obj;
    if (ts_meta_pin(f, &node_class, addr, NULL, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

/* What all walks need. */
struct walk {
    struct ts_file *file;
    struct ts_lheap *heap;
    struct ts_btree1 tree;
    const char *name;     /* looked for */
    hsize_t wanted, seen; /* position looked for, entries passed */
    hsize_t nodes;
    struct ts_link *link;      /* found */
    struct ts_link_list *list; /* gathered */
    struct ts_symbol symbol;   /* to be entered, or removed */
    haddr_t heap_addr;
    uint64_t greatest; /* offset of the last name seen by verifying */
};

static struct walk walk_without_names(struct ts_file *f, const struct ts_symbol_table *t)
{
    return (struct walk){
        .file = f, .tree = {.file = f, .root = t->btree, .type = TS_BTREE1_GROUP, .key_size = ts_file_len_size(f)}};
}

static int walk_open(struct ts_file *f, const struct ts_symbol_table *t, struct walk *out)
{
    *out = walk_without_names(f, t);
    out->heap_addr = t->heap;
    return ts_lheap_open(f, t->heap, &out->heap);
}

static int to_link(const struct walk *w, const struct ts_symbol *sym, struct ts_link *out)
{
    *out = (struct ts_link){
        .type = H5L_TYPE_HARD, .addr = sym->addr, .cached_btree = sym->cached_btree, .cached_heap = sym->cached_heap};
    const char *name = ts_lheap_name(w->heap, sym->name_offset);
    if (!name || !(out->name = ts_strdup(name)))
        return -1;
    if (sym->cache_type != TS_SYMBOL_CACHE_SOFT)
        return 0;
    const char *value = ts_lheap_name(w->heap, sym->value_offset);
    out->type = H5L_TYPE_SOFT;
    out->addr = HADDR_UNDEF;
    out->value = value ? ts_strdup(value) : NULL;
    if (!out->value) {
        ts_link_deinit(out);
        return -1;
    }
    out->value_size = strlen(value);
    return 0;
}

static const char *key_name(const struct walk *w, const uint8_t *key)
{
    struct ts_rd r = ts_rd_init(key, w->tree.key_size);
    return ts_lheap_name(w->heap, ts_rd_uint(&r, (unsigned)w->tree.key_size));
}

/* A child holds names behind its left key, up to and with its right key. */
static int locate(const uint8_t *left, const uint8_t *right, void *ctx, int *order)
{
    const struct walk *w = ctx;
    const char *low = key_name(w, left), *high = key_name(w, right);
    if (!low || !high)
        return -1;
    *order = strcmp(w->name, low) <= 0 ? -1 : strcmp(w->name, high) > 0 ? 1 : 0;
    return 0;
}

/* 1 found at *at, 0 not, but it belongs there; negative on error. */
static int find_in_node(const struct walk *w, const struct node *node, size_t *at)
{
    size_t low = 0, high = node->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const char *name = ts_lheap_name(w->heap, node->symbols[mid].name_offset);
        if (!name)
            return -1;
        int order = strcmp(w->name, name);
        if (order == 0) {
            *at = mid;
            return 1;
        }
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    *at = low;
    return 0;
}

int ts_symtab_find(struct ts_file *f, const struct ts_symbol_table *t, const char *name, struct ts_link *out)
{
    struct walk w;
    haddr_t child;
    struct node *node;
    if (walk_open(f, t, &w) < 0)
        return -1;
    w.name = name;
    int found = ts_btree1_find(&w.tree, locate, &w, &child, NULL);
    if (found == 1) {
        found = node_pin(f, child, &node);
        if (found == 0) {
            size_t at;
            found = find_in_node(&w, node, &at);
            if (found == 1 && to_link(&w, &node->symbols[at], out) < 0)
                found = -1;
            ts_meta_unpin(f, child);
        }
    }
    ts_lheap_close(w.heap);
    return found;
}

static int visit_node(const struct ts_btree1_entry *entry, void *ctx, int (*each)(struct walk *, const struct node *))
{
    struct walk *w = ctx;
    struct node *node;
    if (node_pin(w->file, entry->child, &node) < 0)
        return -1;
    int status = each(w, node);
    ts_meta_unpin(w->file, entry->child);
    return status;
}

static int gather_node(struct walk *w, const struct node *node)
{
    for (size_t i = 0; i < node->n; i++) {
        struct ts_link link;
        if (to_link(w, &node->symbols[i], &link) < 0 || ts_link_list_add(w->list, &link) < 0)
            return -1;
    }
    return 0;
}

static int gather(const struct ts_btree1_entry *entry, void *ctx)
{
    return visit_node(entry, ctx, gather_node);
}

int ts_symtab_list(struct ts_file *f, const struct ts_symbol_table *t, struct ts_link_list *out)
{
    struct walk w;
    if (walk_open(f, t, &w) < 0)
        return -1;
    w.list = out;
    int status = ts_btree1_iterate(&w.tree, gather, &w);
    ts_lheap_close(w.heap);
    return status;
}

static int step_node(struct walk *w, const struct node *node)
{
    if (w->wanted - w->seen >= node->n) {
        w->seen += node->n;
        return 0;
    }
    return to_link(w, &node->symbols[w->wanted - w->seen], w->link) < 0 ? -1 : 1;
}

static int step(const struct ts_btree1_entry *entry, void *ctx)
{
    return visit_node(entry, ctx, step_node);
}

int ts_symtab_at(struct ts_file *f, const struct ts_symbol_table *t, hsize_t n, struct ts_link *out)
{
    struct walk w;
    if (walk_open(f, t, &w) < 0)
        return -1;
    w.wanted = n;
    w.link = out;
    int found = ts_btree1_iterate(&w.tree, step, &w);
    ts_lheap_close(w.heap);
    if (found == 0)
        return TS_ERR(SYM, BADRANGE, "link %llu of %llu", (unsigned long long)n, (unsigned long long)w.seen);
    return found < 0 ? -1 : 0;
}

static int count_node(struct walk *w, const struct node *node)
{
    w->seen += node->n;
    return 0;
}

static int count(const struct ts_btree1_entry *entry, void *ctx)
{
    return visit_node(entry, ctx, count_node);
}

int ts_symtab_count(struct ts_file *f, const struct ts_symbol_table *t, hsize_t *out)
{
    struct walk w = walk_without_names(f, t);
    int status = ts_btree1_iterate(&w.tree, count, &w);
    *out = w.seen;
    return status;
}

static int count_nodes(const struct ts_btree1_entry *entry, void *ctx)
{
    (void)entry;
    ((struct walk *)ctx)->nodes++;
    return 0;
}

int ts_symtab_meta_size(struct ts_file *f, const struct ts_symbol_table *t, H5_ih_info_t *out)
{
    struct walk w = walk_without_names(f, t);
    uint64_t tree, heap;
    if (ts_btree1_iterate(&w.tree, count_nodes, &w) < 0 ||
        ts_btree1_storage(&w.tree, f->sb.group_internal_k, &tree) < 0 || ts_lheap_storage(f, t->heap, &heap) < 0)
        return -1;
    out->heap_size = heap;
    out->index_size = tree + w.nodes * node_size(f);
    return 0;
}

static void put_key(const struct walk *w, uint8_t *key, uint64_t offset)
{
    for (size_t i = 0; i < w->tree.key_size; i++)
        key[i] = (uint8_t)(offset >> 8 * i);
}

/* A new node, pinned, with a copy of these symbols. */
static int node_new(struct ts_file *f, const struct ts_symbol *symbols, size_t n, struct node **out)
{
    struct node *node = ts_calloc(1, sizeof *node);
    if (!node || TS_GROW(node->symbols, node->capacity, n) < 0 ||
        ts_file_alloc(f, H5FD_MEM_BTREE, node_size(f), &node->addr) < 0)
        goto fail;
    memcpy(node->symbols, symbols, n * sizeof *symbols);
    node->n = n;
    if (ts_meta_insert(f, &node_class, node->addr, node, node_bytes(node)) < 0)
        goto fail;
    *out = node;
    return 0;
fail:
    if (node)
        node_free(node);
    return -1;
}

/* Symbols from the `from`-th on are about to change. */
static int node_edit(struct ts_file *f, struct node *node, size_t from)
{
    if (ts_meta_edit(f, node->addr) < 0)
        return -1;
    size_t n = node->n - from;
    return n == 0 ? 0 : ts_undo_bytes(f, node->symbols + from, n * sizeof *node->symbols);
}

/* The names are on file before the node that needs them, the node before the leaf that points at it. */
static int node_changed(const struct walk *w, const struct node *node, haddr_t leaf)
{
    ts_meta_resize(w->file, node->addr, node_bytes(node));
    if (ts_meta_depend(w->file, node->addr, w->heap_addr) < 0)
        return -1;
    return leaf != HADDR_UNDEF ? ts_meta_depend(w->file, leaf, node->addr) : 0;
}

static int node_put(struct ts_file *f, struct node *node, size_t at, const struct ts_symbol *symbol)
{
    if (TS_UNDO_GROW(f, node->symbols, node->capacity, node->n + 1) < 0)
        return -1;
    memmove(&node->symbols[at + 1], &node->symbols[at], (node->n - at) * sizeof *node->symbols);
    node->symbols[at] = *symbol;
    node->n++;
    return 0;
}

static int insert_first(struct walk *w, struct ts_btree1_slot *slot)
{
    struct node *node;
    if (node_new(w->file, &w->symbol, 1, &node) < 0)
        return -1;
    int status = node_changed(w, node, HADDR_UNDEF);
    slot->new_child = node->addr;
    put_key(w, slot->left, 0);
    put_key(w, slot->right, w->symbol.name_offset);
    ts_meta_unpin(w->file, node->addr);
    return status < 0 ? -1 : TS_BTREE1_FIRST;
}

/* The upper half of a full node goes to a new one; the new symbol to where it belongs. */
static int insert_split(struct walk *w, struct ts_btree1_slot *slot, struct node *node, size_t at)
{
    size_t half = node->n / 2;
    struct node *right;
    if (node_edit(w->file, node, at < half ? at : half) < 0 ||
        node_new(w->file, node->symbols + half, node->n - half, &right) < 0)
        return -1;
    node->n = half;
    int status = at <= half ? node_put(w->file, node, at, &w->symbol) : node_put(w->file, right, at - half, &w->symbol);
    if (status == 0)
        status = node_changed(w, node, slot->leaf);
    if (status == 0)
        status = node_changed(w, right, HADDR_UNDEF);
    slot->new_child = right->addr;
    put_key(w, slot->new_key, node->symbols[node->n - 1].name_offset);
    ts_meta_unpin(w->file, right->addr);
    return status < 0 ? -1 : TS_BTREE1_ADD_RIGHT;
}

static int insert_into(struct walk *w, struct ts_btree1_slot *slot, struct node *node)
{
    size_t at;
    int found = find_in_node(w, node, &at);
    if (found != 0)
        return found < 0 ? -1 : TS_ERR_AS(LINK, EXISTS, "name already exists", "'%s'", w->name);
    if (slot->order > 0)
        put_key(w, slot->right, w->symbol.name_offset);
    else if (slot->order < 0)
        put_key(w, slot->left, 0);
    if (node->n >= 2 * (size_t)w->file->sb.group_leaf_k)
        return insert_split(w, slot, node, at);
    if (node_edit(w->file, node, at) < 0 || node_put(w->file, node, at, &w->symbol) < 0 ||
        node_changed(w, node, slot->leaf) < 0)
        return -1;
    return slot->order ? TS_BTREE1_UPDATE : TS_BTREE1_KEEP;
}

static int insert_edit(struct ts_btree1_slot *slot, void *ctx)
{
    struct walk *w = ctx;
    struct node *node;
    if (slot->none)
        return insert_first(w, slot);
    if (node_pin(w->file, slot->child, &node) < 0)
        return -1;
    int result = insert_into(w, slot, node);
    ts_meta_unpin(w->file, slot->child);
    return result;
}

static int make_symbol(struct walk *w, const struct ts_link *link)
{
    uint64_t value;
    w->symbol = (struct ts_symbol){.addr = link->addr, .cached_btree = HADDR_UNDEF, .cached_heap = HADDR_UNDEF};
    if (ts_lheap_insert(w->heap, link->name, &w->symbol.name_offset) < 0)
        return -1;
    if (link->type == H5L_TYPE_HARD) {
        if (link->cached_btree != HADDR_UNDEF) {
            w->symbol.cache_type = TS_SYMBOL_CACHE_GROUP;
            w->symbol.cached_btree = link->cached_btree;
            w->symbol.cached_heap = link->cached_heap;
        }
        return 0;
    }
    if (ts_lheap_insert(w->heap, link->value, &value) < 0)
        return -1;
    if (value > UINT32_MAX)
        return TS_ERR(SYM, CANTINSERT, "the names of the group take more than 4 GiB");
    w->symbol.cache_type = TS_SYMBOL_CACHE_SOFT;
    w->symbol.value_offset = (uint32_t)value;
    return 0;
}

int ts_symtab_create(struct ts_file *f, uint64_t room, struct ts_symbol_table *out)
{
    TS_IN_CHANGE(f);
    return ts_lheap_create(f, room, &out->heap) < 0
               ? -1
               : ts_btree1_create(f, TS_BTREE1_GROUP, ts_file_len_size(f), &out->btree);
}

int ts_symtab_insert(struct ts_file *f, const struct ts_symbol_table *t, const struct ts_link *link)
{
    TS_IN_CHANGE(f);
    struct walk w;
    if (walk_open(f, t, &w) < 0)
        return -1;
    w.name = link->name;
    int status = make_symbol(&w, link);
    if (status == 0)
        status = ts_btree1_edit(&w.tree, locate, insert_edit, &w);
    ts_lheap_close(w.heap);
    return status < 0 ? -1 : 0;
}

static int remove_from(struct walk *w, struct ts_btree1_slot *slot, struct node *node)
{
    size_t at;
    int found = find_in_node(w, node, &at);
    if (found != 1)
        return found < 0 ? -1 : TS_BTREE1_KEEP;
    if (node_edit(w->file, node, at) < 0)
        return -1;
    w->seen = 1;
    w->symbol = node->symbols[at];
    node->n--;
    memmove(&node->symbols[at], &node->symbols[at + 1], (node->n - at) * sizeof *node->symbols);
    if (node->n == 0) {
        ts_meta_remove(w->file, node->addr);
        ts_file_free(w->file, H5FD_MEM_BTREE, node->addr, node_size(w->file));
        return TS_BTREE1_REMOVE_RIGHT;
    }
    if (node_changed(w, node, slot->leaf) < 0)
        return -1;
    if (at < node->n)
        return TS_BTREE1_KEEP;
    put_key(w, slot->right, node->symbols[at - 1].name_offset);
    return TS_BTREE1_UPDATE;
}

static int remove_edit(struct ts_btree1_slot *slot, void *ctx)
{
    struct walk *w = ctx;
    struct node *node;
    if (slot->none || slot->order != 0)
        return TS_BTREE1_KEEP;
    if (node_pin(w->file, slot->child, &node) < 0)
        return -1;
    haddr_t child = slot->child;
    int result = remove_from(w, slot, node);
    ts_meta_unpin(w->file, child);
    return result;
}

int ts_symtab_remove(struct ts_file *f, const struct ts_symbol_table *t, const char *name)
{
    TS_IN_CHANGE(f);
    struct walk w;
    if (walk_open(f, t, &w) < 0)
        return -1;
    w.name = name;
    int status = ts_btree1_edit(&w.tree, locate, remove_edit, &w);
    /* Only now: the keys that named it are gone. */
    if (status >= 0 && w.seen)
        status = ts_lheap_remove(w.heap, w.symbol.name_offset);
    if (status >= 0 && w.seen && w.symbol.cache_type == TS_SYMBOL_CACHE_SOFT)
        status = ts_lheap_remove(w.heap, w.symbol.value_offset);
    ts_lheap_close(w.heap);
    return status < 0 ? -1 : w.seen > 0;
}

static int free_node(const struct ts_btree1_entry *entry, void *ctx)
{
    struct walk *w = ctx;
    ts_meta_remove(w->file, entry->child);
    ts_file_free(w->file, H5FD_MEM_BTREE, entry->child, node_size(w->file));
    return 0;
}

int ts_symtab_delete(struct ts_file *f, const struct ts_symbol_table *t)
{
    TS_IN_CHANGE(f);
    struct walk w = walk_without_names(f, t);
    if (ts_btree1_delete(&w.tree, free_node, &w) < 0)
        return -1;
    return ts_lheap_delete(f, t->heap);
}

static int verify_node(struct walk *w, const struct node *node)
{
    for (size_t i = 0; i < node->n; i++) {
        const char *before = ts_lheap_name(w->heap, w->greatest);
        const char *name = ts_lheap_name(w->heap, node->symbols[i].name_offset);
        if (!before || !name)
            return -1;
        if (strcmp(before, name) >= 0)
            return TS_ERR(SYM, CANTLOAD, "symbol table: '%s' stands behind '%s'", name, before);
        w->greatest = node->symbols[i].name_offset;
    }
    return node->n > 0 ? 0 : TS_ERR(SYM, CANTLOAD, "symbol table: an empty node");
}

static int verify_entry(const struct ts_btree1_entry *entry, void *ctx)
{
    struct walk *w = ctx;
    if (visit_node(entry, ctx, verify_node) < 0)
        return -1;
    const char *key = key_name(w, entry->right), *last = ts_lheap_name(w->heap, w->greatest);
    if (!key || !last)
        return -1;
    if (strcmp(key, last) != 0)
        return TS_ERR(SYM, CANTLOAD, "symbol table: key '%s' of a node that ends with '%s'", key, last);
    return 0;
}

static int order_keys(const uint8_t *a, const uint8_t *b, void *ctx)
{
    const char *x = key_name(ctx, a), *y = key_name(ctx, b);
    return x && y ? strcmp(x, y) : 1;
}

int ts_symtab_verify(struct ts_file *f, const struct ts_symbol_table *t)
{
    struct walk w;
    const char *reason = "";
    if (walk_open(f, t, &w) < 0)
        return -1;
    int status = ts_lheap_verify(w.heap);
    if (status == 0 && ts_btree1_verify(&w.tree, order_keys, &w, &reason) != 1)
        status = TS_ERR(SYM, CANTLOAD, "the tree of a symbol table: %s", reason);
    if (status == 0)
        status = ts_btree1_iterate(&w.tree, verify_entry, &w);
    ts_lheap_close(w.heap);
    return status;
}
