#include "group/symtab.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/btree1.h"
#include "heap/local_heap.h"
#include "index/btree1.h"
#include "meta/meta.h"

struct node {
    size_t n;
    struct ts_symbol *symbols;
};

static void node_free(void *obj)
{
    struct node *node = obj;
    ts_free(node->symbols);
    ts_free(node);
}

static int node_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    size_t size = ts_symbol_node_size(f->sb.group_leaf_k, ts_file_addr_size(f), ts_file_len_size(f)), got;
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
    *obj = node;
    *bytes = sizeof *node + node->n * sizeof *node->symbols;
    return 0;
}

static const struct ts_meta_class node_class = {"symbol table node", node_load, node_free};

static int node_pin(struct ts_file *f, haddr_t addr, const struct node **out)
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
    const char *name;          /* looked for */
    hsize_t wanted, seen;      /* position looked for, entries passed */
    hsize_t nodes;
    struct ts_link *link;      /* found */
    struct ts_link_list *list; /* gathered */
};

static struct walk walk_without_names(struct ts_file *f, const struct ts_symbol_table *t)
{
    return (struct walk){
        .file = f,
        .tree = {.file = f, .root = t->btree, .type = TS_BTREE1_GROUP, .key_size = ts_file_len_size(f)}};
}

static int walk_open(struct ts_file *f, const struct ts_symbol_table *t, struct walk *out)
{
    *out = walk_without_names(f, t);
    return ts_lheap_open(f, t->heap, &out->heap);
}

static int to_link(const struct walk *w, const struct ts_symbol *sym, struct ts_link *out)
{
    *out = (struct ts_link){.type = H5L_TYPE_HARD,
                            .addr = sym->addr,
                            .cached_btree = sym->cached_btree,
                            .cached_heap = sym->cached_heap};
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

/* 1 found, 0 not, negative on error. */
static int find_in_node(const struct walk *w, const struct node *node, struct ts_link *out)
{
    size_t low = 0, high = node->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const char *name = ts_lheap_name(w->heap, node->symbols[mid].name_offset);
        if (!name)
            return -1;
        int order = strcmp(w->name, name);
        if (order == 0)
            return to_link(w, &node->symbols[mid], out) < 0 ? -1 : 1;
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return 0;
}

int ts_symtab_find(struct ts_file *f, const struct ts_symbol_table *t, const char *name, struct ts_link *out)
{
    struct walk w;
    haddr_t child;
    const struct node *node;
    if (walk_open(f, t, &w) < 0)
        return -1;
    w.name = name;
    int found = ts_btree1_find(&w.tree, locate, &w, &child, NULL);
    if (found == 1) {
        found = node_pin(f, child, &node);
        if (found == 0) {
            found = find_in_node(&w, node, out);
            ts_meta_unpin(f, child);
        }
    }
    ts_lheap_close(w.heap);
    return found;
}

static int visit_node(const struct ts_btree1_entry *entry, void *ctx, int (*each)(struct walk *, const struct node *))
{
    struct walk *w = ctx;
    const struct node *node;
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
    size_t node = ts_symbol_node_size(f->sb.group_leaf_k, ts_file_addr_size(f), ts_file_len_size(f));
    out->index_size = tree + w.nodes * node;
    return 0;
}
