#include "group/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/mount.h"
#include "group/dense.h"
#include "group/open.h"
#include "group/symtab.h"

int ts_open_group_read(struct ts_ohdr *oh, struct ts_open_group *out)
{
    unsigned addr_size = ts_file_addr_size(oh->file);
    *out = (struct ts_open_group){.oh = oh};
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_LINK_INFO);
    if (msg) {
        if (ts_link_info_decode(msg->body, msg->size, addr_size, &out->info) < 0)
            return -1;
        out->storage = out->info.heap != HADDR_UNDEF ? H5G_STORAGE_TYPE_DENSE : H5G_STORAGE_TYPE_COMPACT;
        return 0;
    }
    out->storage = H5G_STORAGE_TYPE_SYMBOL_TABLE;
    msg = ts_ohdr_find(oh, TS_MSG_SYMBOL_TABLE);
    if (!msg)
        return TS_ERR_AS(SYM, BADTYPE, "not a group", "the object at %#llx is not a group",
                         (unsigned long long)oh->addr),
               ts_err_because(TS_WHY_NO_GROUP);
    return ts_symbol_table_decode(msg->body, msg->size, addr_size, &out->table);
}

int ts_open_group(struct ts_file *f, haddr_t addr, struct ts_open_group *out)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(f, addr, &oh) < 0)
        return -1;
    if (ts_open_group_read(oh, out) == 0)
        return 0;
    ts_ohdr_close(oh);
    return -1;
}

static int group_open(const struct ts_loc *loc, struct ts_open_group *out)
{
    return ts_open_group(loc->fh->file, loc->addr, out);
}

static int decode_msg(const struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, struct ts_link *out)
{
    return ts_link_decode(msg->body, msg->size, ts_file_addr_size(oh->file), out);
}

static int find_compact(const struct ts_ohdr *oh, const char *name, struct ts_link *out)
{
    size_t wanted = strlen(name), len;
    const char *at;
    for (size_t i = 0; i < oh->n_msgs; i++) {
        const struct ts_ohdr_msg *msg = &oh->msgs[i];
        if (msg->type != TS_MSG_LINK)
            continue;
        if (ts_link_peek_name(msg->body, msg->size, &at, &len) < 0)
            return -1;
        if (len == wanted && memcmp(at, name, len) == 0)
            return decode_msg(oh, msg, out) < 0 ? -1 : 1;
    }
    return 0;
}

int ts_open_group_find(const struct ts_open_group *g, const char *name, struct ts_link *out)
{
    switch (g->storage) {
    case H5G_STORAGE_TYPE_SYMBOL_TABLE:
        return ts_symtab_find(g->oh->file, &g->table, name, out);
    case H5G_STORAGE_TYPE_DENSE:
        return ts_dense_find(g->oh->file, &g->info, name, out);
    default:
        return find_compact(g->oh, name, out);
    }
}

int ts_group_lookup(const struct ts_loc *loc, const char *name, struct ts_link *out)
{
    struct ts_open_group g;
    if (group_open(loc, &g) < 0)
        return -1;
    int found = ts_open_group_find(&g, name, out);
    ts_ohdr_close(g.oh);
    return found;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ts_link *)a)->name, ((const struct ts_link *)b)->name);
}

static int by_name_down(const void *a, const void *b)
{
    return by_name(b, a);
}

static int by_corder(const void *a, const void *b)
{
    int64_t x = ((const struct ts_link *)a)->corder, y = ((const struct ts_link *)b)->corder;
    return x < y ? -1 : x > y;
}

static int by_corder_down(const void *a, const void *b)
{
    return by_corder(b, a);
}

static void sort(struct ts_link_list *list, H5_index_t index, H5_iter_order_t order)
{
    if (order == H5_ITER_NATIVE || list->n < 2)
        return;
    bool up = order == H5_ITER_INC;
    if (index == H5_INDEX_NAME)
        qsort(list->links, list->n, sizeof *list->links, up ? by_name : by_name_down);
    else
        qsort(list->links, list->n, sizeof *list->links, up ? by_corder : by_corder_down);
}

static int list_compact(const struct ts_ohdr *oh, struct ts_link_list *out)
{
    for (size_t i = 0; i < oh->n_msgs; i++) {
        struct ts_link link;
        if (oh->msgs[i].type == TS_MSG_LINK &&
            (decode_msg(oh, &oh->msgs[i], &link) < 0 || ts_link_list_add(out, &link) < 0))
            return -1;
    }
    return 0;
}

int ts_open_group_list(const struct ts_open_group *g, H5_index_t index, struct ts_link_list *out)
{
    switch (g->storage) {
    case H5G_STORAGE_TYPE_SYMBOL_TABLE:
        return ts_symtab_list(g->oh->file, &g->table, out);
    case H5G_STORAGE_TYPE_DENSE:
        return ts_dense_list(g->oh->file, &g->info, index == H5_INDEX_CRT_ORDER, out);
    default:
        return list_compact(g->oh, out);
    }
}

/* Made in a file for the oldest readers: such a group has room for times, and keeps none. */
static bool is_for_oldest(const struct ts_open_group *g)
{
    const struct ts_ohdr_prefix *p = &g->oh->prefix;
    return p->flags & H5O_HDR_STORE_TIMES && p->atime == 0 && !g->info.tracked;
}

static int check_index(const struct ts_open_group *g, H5_index_t index)
{
    if (index != H5_INDEX_CRT_ORDER)
        return 0;
    if (g->storage == H5G_STORAGE_TYPE_SYMBOL_TABLE)
        return TS_ERR(SYM, BADVALUE, "no creation order index to query");
    if (g->info.tracked)
        return 0;
    /* libhdf5 would have a symbol table there. */
    if (is_for_oldest(g))
        TS_ERR(SYM, BADVALUE, "no creation order index to query");
    return TS_ERR(SYM, NOTFOUND, "creation order not tracked for links in group");
}

/* libhdf5's groups in files for the oldest readers are symbol tables, whose native order is that of the names, and
 * programs count on that. */
static H5_iter_order_t true_order(const struct ts_open_group *g, H5_index_t index, H5_iter_order_t order)
{
    return order == H5_ITER_NATIVE && index == H5_INDEX_NAME && is_for_oldest(g) ? H5_ITER_INC : order;
}

static int list_group(const struct ts_open_group *g, H5_index_t index, H5_iter_order_t asked, struct ts_link_list *out)
{
    H5_iter_order_t order = true_order(g, index, asked);
    *out = (struct ts_link_list){0};
    if (check_index(g, index) < 0)
        return -1;
    if (ts_open_group_list(g, index, out) < 0) {
        ts_link_list_deinit(out);
        return -1;
    }
    /* A symbol table is in order as it is. */
    if (g->storage != H5G_STORAGE_TYPE_SYMBOL_TABLE || order != H5_ITER_INC)
        sort(out, index, order);
    return 0;
}

int ts_group_list(const struct ts_loc *loc, H5_index_t index, H5_iter_order_t order, struct ts_link_list *out)
{
    struct ts_open_group g;
    if (group_open(loc, &g) < 0)
        return -1;
    int status = list_group(&g, index, order, out);
    ts_ohdr_close(g.oh);
    return status;
}

static int at_in_list(const struct ts_open_group *g, H5_index_t index, H5_iter_order_t order, hsize_t n,
                      struct ts_link *out)
{
    struct ts_link_list list;
    if (list_group(g, index, order, &list) < 0)
        return -1;
    int status = 0;
    if (n < list.n) {
        *out = list.links[n];
        list.links[n] = (struct ts_link){0};
    } else {
        status = TS_ERR(SYM, BADRANGE, "link %llu of %zu", (unsigned long long)n, list.n);
    }
    ts_link_list_deinit(&list);
    return status;
}

static int at_in_symtab(const struct ts_open_group *g, H5_iter_order_t order, hsize_t n, struct ts_link *out)
{
    hsize_t count;
    if (order == H5_ITER_DEC) {
        if (ts_symtab_count(g->oh->file, &g->table, &count) < 0)
            return -1;
        if (n >= count)
            return TS_ERR(SYM, BADRANGE, "link %llu of %llu", (unsigned long long)n, (unsigned long long)count);
        n = count - 1 - n;
    }
    return ts_symtab_at(g->oh->file, &g->table, n, out);
}

static int at(const struct ts_open_group *g, H5_index_t index, H5_iter_order_t asked, hsize_t n, struct ts_link *out)
{
    H5_iter_order_t order = true_order(g, index, asked);
    if (check_index(g, index) < 0)
        return -1;
    if (g->storage == H5G_STORAGE_TYPE_SYMBOL_TABLE)
        return at_in_symtab(g, order, n, out);
    bool by_corder = index == H5_INDEX_CRT_ORDER && g->info.corder_index != HADDR_UNDEF;
    if (g->storage == H5G_STORAGE_TYPE_DENSE && (order == H5_ITER_NATIVE || by_corder))
        return ts_dense_at(g->oh->file, &g->info, by_corder, order == H5_ITER_DEC, n, out);
    if (g->storage == H5G_STORAGE_TYPE_DENSE && index == H5_INDEX_NAME)
        return ts_dense_at_name(g->oh->file, &g->info, order == H5_ITER_DEC, n, out);
    return at_in_list(g, index, order, n, out);
}

int ts_group_at(const struct ts_loc *loc, H5_index_t index, H5_iter_order_t order, hsize_t n, struct ts_link *out)
{
    struct ts_open_group g;
    if (group_open(loc, &g) < 0)
        return -1;
    int status = at(&g, index, order, n, out);
    ts_ohdr_close(g.oh);
    return status;
}

int ts_group_has_order(const struct ts_loc *loc)
{
    struct ts_open_group g;
    if (group_open(loc, &g) < 0)
        return -1;
    ts_ohdr_close(g.oh);
    return g.storage != H5G_STORAGE_TYPE_SYMBOL_TABLE && g.info.tracked;
}

int ts_open_group_count(const struct ts_open_group *g, hsize_t *out)
{
    if (g->storage == H5G_STORAGE_TYPE_SYMBOL_TABLE)
        return ts_symtab_count(g->oh->file, &g->table, out);
    if (g->storage == H5G_STORAGE_TYPE_DENSE)
        return ts_dense_count(g->oh->file, &g->info, out);
    *out = ts_ohdr_count(g->oh, TS_MSG_LINK);
    return 0;
}

int ts_group_info(const struct ts_loc *loc, H5G_info_t *out)
{
    struct ts_open_group g;
    if (group_open(loc, &g) < 0)
        return -1;
    *out = (H5G_info_t){.storage_type = g.storage,
                        .max_corder = g.info.max_corder,
                        .mounted = ts_mount_is_point(loc->fh->file, loc->addr)};
    int status = ts_open_group_count(&g, &out->nlinks);
    ts_ohdr_close(g.oh);
    return status;
}

int ts_open_group_info(const struct ts_open_group *g, struct ts_group_info *out)
{
    const struct ts_ohdr_msg *msg = ts_ohdr_find(g->oh, TS_MSG_GROUP_INFO);
    if (msg)
        return ts_group_info_decode(msg->body, msg->size, out);
    *out = (struct ts_group_info){.max_compact = 8, .min_dense = 6, .est_entries = 4, .est_name_len = 8};
    return 0;
}

int ts_group_create_info(const struct ts_loc *loc, struct ts_group_create *out)
{
    struct ts_open_group g;
    if (group_open(loc, &g) < 0)
        return -1;
    *out = (struct ts_group_create){.link_info = g.info};
    int status = ts_open_group_info(&g, &out->group_info);
    if (status == 0)
        status = ts_ohdr_pipeline(g.oh, &out->pipeline);
    ts_ohdr_close(g.oh);
    return status < 0 ? -1 : 0;
}

int ts_group_open(const struct ts_loc *loc, const char *path, struct ts_object **out)
{
    struct ts_open_group g;
    if (group_open(loc, &g) < 0)
        return -1;
    ts_ohdr_close(g.oh);
    return ts_object_new(H5I_GROUP, loc, path, out);
}
