#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "group/dense.h"
#include "group/open.h"
#include "group/symtab.h"
#include "meta/meta.h"

static int put_info(struct ts_open_group *g)
{
    uint8_t room[TS_WR_ROOM];
    struct ts_wr w = ts_wr_on(room);
    int status = ts_link_info_encode(&g->info, ts_file_addr_size(g->oh->file), &w);
    if (status == 0)
        status = ts_ohdr_put(g->oh, TS_MSG_LINK_INFO, 0, w.data, w.size);
    ts_wr_free(&w);
    return status;
}

static int depend(const struct ts_open_group *g, haddr_t child)
{
    return child == HADDR_UNDEF ? 0 : ts_meta_depend(g->oh->file, g->oh->addr, child);
}

/* The header is on file only after what it points at. */
static int depend_on_storage(const struct ts_open_group *g)
{
    if (g->storage == H5G_STORAGE_TYPE_DENSE)
        return depend(g, g->info.heap) < 0 || depend(g, g->info.name_index) < 0 || depend(g, g->info.corder_index) < 0
                   ? -1
                   : 0;
    return 0;
}

static int add_compact(struct ts_open_group *g, const struct ts_wr *message)
{
    return ts_ohdr_add(g->oh, TS_MSG_LINK, 0, message->data, message->size);
}

static int add_dense(struct ts_open_group *g, const struct ts_link *link, const struct ts_wr *message)
{
    return ts_dense_insert(g->oh->file, &g->info, link, message, g->vacant);
}

/* Enters a link as it is, where the group keeps its links now. */
static int add_as_is(struct ts_open_group *g, const struct ts_link *link)
{
    uint8_t room[TS_WR_ROOM];
    struct ts_wr message = ts_wr_on(room);
    int status = ts_link_encode(link, ts_file_addr_size(g->oh->file), &message);
    if (status == 0)
        status = g->storage == H5G_STORAGE_TYPE_DENSE ? add_dense(g, link, &message) : add_compact(g, &message);
    ts_wr_free(&message);
    return status;
}

/* Whatever is known of another name. */
static int add_all(struct ts_open_group *g, const struct ts_link_list *list)
{
    bool vacant = g->vacant;
    int status = 0;
    g->vacant = false;
    for (size_t i = 0; i < list->n && status == 0; i++)
        status = add_as_is(g, &list->links[i]);
    g->vacant = vacant;
    return status;
}

static int make_dense(struct ts_open_group *g)
{
    struct ts_pipeline filters = {0};
    if (ts_ohdr_pipeline(g->oh, &filters) < 0)
        return -1;
    int status = ts_dense_create(g->oh->file, &filters, &g->info);
    ts_pipeline_deinit(&filters);
    if (status == 0)
        g->storage = H5G_STORAGE_TYPE_DENSE;
    return status;
}

static int to_dense(struct ts_open_group *g)
{
    struct ts_link_list list = {0};
    int status = ts_open_group_list(g, H5_INDEX_NAME, &list);
    if (status == 0)
        status = make_dense(g);
    if (status == 0)
        status = add_all(g, &list);
    ts_link_list_deinit(&list);
    if (status == 0 && ts_ohdr_remove_all(g->oh, TS_MSG_LINK) < 0)
        status = -1;
    return status;
}

static bool fits_header(const struct ts_link *link, unsigned addr_size)
{
    struct ts_wr message = {0};
    bool fits = ts_link_encode(link, addr_size, &message) == 0 && message.size <= TS_OHDR_BODY_MAX;
    ts_wr_free(&message);
    return fits;
}

/* Links that are too long for a message keep the group dense. */
static bool all_fit(const struct ts_open_group *g, const struct ts_link_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!fits_header(&list->links[i], ts_file_addr_size(g->oh->file)))
            return false;
    return true;
}

static int to_compact(struct ts_open_group *g)
{
    struct ts_link_list list = {0};
    int status = ts_open_group_list(g, g->info.tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, &list);
    if (status == 0 && all_fit(g, &list)) {
        status = ts_dense_delete(g->oh->file, &g->info);
        g->storage = H5G_STORAGE_TYPE_COMPACT;
        if (status == 0)
            status = put_info(g);
        if (status == 0)
            status = add_all(g, &list);
    }
    ts_link_list_deinit(&list);
    return status;
}

/* An empty new-style group stands where the symbol table was. */
static int drop_symbol_table(struct ts_open_group *g)
{
    struct ts_file *f = g->oh->file;
    struct ts_group_info group_info = {0};
    struct ts_wr message = {0};
    if (ts_symtab_delete(f, &g->table) < 0 || ts_ohdr_remove_all(g->oh, TS_MSG_SYMBOL_TABLE) < 0)
        return -1;
    if (g->oh->addr == f->sb.root) {
        if (ts_undo_bytes(f, &f->sb, sizeof f->sb) < 0)
            return -1;
        f->sb.root_btree = f->sb.root_local_heap = HADDR_UNDEF;
    }
    g->storage = H5G_STORAGE_TYPE_COMPACT;
    g->info = (struct ts_link_info){.heap = HADDR_UNDEF, .name_index = HADDR_UNDEF, .corder_index = HADDR_UNDEF};
    if (put_info(g) < 0)
        return -1;
    int status = ts_group_info_encode(&group_info, &message);
    if (status == 0)
        status = ts_ohdr_put(g->oh, TS_MSG_GROUP_INFO, TS_MSG_FLAG_CONSTANT, message.data, message.size);
    ts_wr_free(&message);
    return status;
}

/* Turns an old-style group into one that can hold any link. */
static int leave_symbol_table(struct ts_open_group *g)
{
    struct ts_link_list list = {0};
    struct ts_group_info limits;
    int status = ts_open_group_list(g, H5_INDEX_NAME, &list);
    if (status == 0)
        status = drop_symbol_table(g);
    if (status == 0)
        status = ts_open_group_info(g, &limits);
    if (status == 0 && (list.n > limits.max_compact || !all_fit(g, &list))) {
        status = make_dense(g);
        if (status == 0)
            status = put_info(g);
    }
    if (status == 0)
        status = add_all(g, &list);
    ts_link_list_deinit(&list);
    return status;
}

static bool needs_message(const struct ts_link *link)
{
    return link->type >= H5L_TYPE_UD_MIN || link->cset != H5T_CSET_ASCII;
}

/* A symbol table also says where a group that is in it has its own. */
static int find_cached(struct ts_file *f, struct ts_link *link)
{
    struct ts_ohdr *oh;
    struct ts_symbol_table table = {HADDR_UNDEF, HADDR_UNDEF};
    link->cached_btree = link->cached_heap = HADDR_UNDEF;
    if (link->type != H5L_TYPE_HARD)
        return 0;
    if (ts_ohdr_open(f, link->addr, &oh) < 0)
        return -1;
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_SYMBOL_TABLE);
    int status = msg ? ts_symbol_table_decode(msg->body, msg->size, ts_file_addr_size(f), &table) : 0;
    ts_ohdr_close(oh);
    link->cached_btree = table.btree;
    link->cached_heap = table.heap;
    return status;
}

static int insert_symbol(struct ts_open_group *g, struct ts_link *link)
{
    struct ts_file *f = g->oh->file;
    link->corder_valid = false;
    if (find_cached(f, link) < 0 || ts_symtab_insert(f, &g->table, link) < 0)
        return -1;
    return depend(g, g->table.heap);
}

static int give_order(struct ts_open_group *g, struct ts_link *link)
{
    link->corder_valid = g->info.tracked;
    link->corder = 0;
    if (!g->info.tracked)
        return 0;
    if (g->info.max_corder == INT64_MAX)
        return TS_ERR(SYM, BADVALUE, "the group has given out every creation order");
    link->corder = g->info.max_corder++;
    return 0;
}

static int vacant(const struct ts_open_group *g, const char *name)
{
    struct ts_link link;
    int found = ts_open_group_find(g, name, &link);
    if (found != 1)
        return found;
    ts_link_deinit(&link);
    return TS_ERR_AS(LINK, EXISTS, "name already exists", "'%s'", name);
}

/* Compact becomes dense with one link more than it may have, or one that is too long. */
static int insert_message(struct ts_open_group *g, const struct ts_link *link, const struct ts_wr *message)
{
    struct ts_group_info limits;
    bool stored = false;
    if (g->storage == H5G_STORAGE_TYPE_COMPACT) {
        if ((!g->vacant && vacant(g, link->name) < 0) || ts_open_group_info(g, &limits) < 0)
            return -1;
        if (ts_ohdr_count(g->oh, TS_MSG_LINK) < limits.max_compact && message->size <= TS_OHDR_BODY_MAX) {
            if (add_compact(g, message) < 0)
                return -1;
            stored = true;
        } else if (to_dense(g) < 0 || (!g->info.tracked && put_info(g) < 0)) {
            return -1;
        }
    }
    if (!stored && add_dense(g, link, message) < 0)
        return -1;
    return g->info.tracked ? put_info(g) : 0;
}

static int insert_new_style(struct ts_open_group *g, struct ts_link *link)
{
    uint8_t room[TS_WR_ROOM];
    struct ts_wr message = ts_wr_on(room);
    int status = give_order(g, link);
    if (status == 0)
        status = ts_link_encode(link, ts_file_addr_size(g->oh->file), &message);
    if (status == 0)
        status = insert_message(g, link, &message);
    ts_wr_free(&message);
    return status < 0 ? -1 : depend_on_storage(g);
}

static int insert(struct ts_open_group *g, struct ts_link *link)
{
    if (g->storage == H5G_STORAGE_TYPE_SYMBOL_TABLE && needs_message(link) && leave_symbol_table(g) < 0)
        return -1;
    int status = g->storage == H5G_STORAGE_TYPE_SYMBOL_TABLE ? insert_symbol(g, link) : insert_new_style(g, link);
    return status < 0 ? -1 : ts_ohdr_touch(g->oh, false);
}

static int insert_in(struct ts_file *f, haddr_t group, struct ts_link *link, bool vacant)
{
    TS_IN_CHANGE(f);
    struct ts_open_group g;
    if (link->type != H5L_TYPE_HARD && link->value_size > UINT16_MAX)
        return TS_ERR(LINK, CANTINSERT, "the value of link '%s' has %zu bytes, more than %u", link->name,
                      link->value_size, UINT16_MAX);
    if (ts_open_group(f, group, &g) < 0)
        return -1;
    g.vacant = vacant;
    int status = insert(&g, link);
    ts_ohdr_close(g.oh);
    return status;
}

int ts_group_insert(struct ts_file *f, haddr_t group, struct ts_link *link)
{
    return insert_in(f, group, link, false);
}

int ts_group_insert_new(struct ts_file *f, haddr_t group, struct ts_link *link)
{
    return insert_in(f, group, link, true);
}

int ts_group_set_next(struct ts_file *f, haddr_t group, int64_t corder)
{
    TS_IN_CHANGE(f);
    struct ts_open_group g;
    if (ts_open_group(f, group, &g) < 0)
        return -1;
    int status = 0;
    if (g.storage != H5G_STORAGE_TYPE_SYMBOL_TABLE && g.info.tracked && g.info.max_corder != corder) {
        g.info.max_corder = corder;
        status = put_info(&g);
    }
    ts_ohdr_close(g.oh);
    return status;
}

int ts_group_vacant(struct ts_file *f, haddr_t group, const char *name)
{
    TS_IN_CHANGE(f);
    struct ts_open_group g;
    if (ts_open_group(f, group, &g) < 0)
        return -1;
    int status = vacant(&g, name);
    ts_ohdr_close(g.oh);
    return status;
}

static int remove_compact(struct ts_ohdr *oh, const char *name)
{
    size_t wanted = strlen(name), len;
    const char *at;
    for (size_t i = 0; i < oh->n_msgs; i++) {
        const struct ts_ohdr_msg *msg = &oh->msgs[i];
        if (msg->type == TS_MSG_LINK && ts_link_peek_name(msg->body, msg->size, &at, &len) == 0 && len == wanted &&
            memcmp(at, name, len) == 0)
            return ts_ohdr_remove(oh, msg);
    }
    return TS_ERR(SYM, NOTFOUND, "no link '%s'", name);
}

/* A group with few links becomes compact again; one without any starts counting from 0. */
static int fit_storage(struct ts_open_group *g)
{
    struct ts_group_info limits;
    hsize_t n;
    if (ts_open_group_count(g, &n) < 0 || ts_open_group_info(g, &limits) < 0)
        return -1;
    bool restart = n == 0 && g->info.max_corder != 0;
    if (restart)
        g->info.max_corder = 0;
    if (g->storage == H5G_STORAGE_TYPE_DENSE && (n == 0 || n < limits.min_dense) && to_compact(g) < 0)
        return -1;
    if (restart && put_info(g) < 0)
        return -1;
    return depend_on_storage(g);
}

static int remove_found(struct ts_open_group *g, const struct ts_link *link)
{
    struct ts_file *f = g->oh->file;
    int status;
    if (g->storage == H5G_STORAGE_TYPE_SYMBOL_TABLE) {
        status = ts_symtab_remove(f, &g->table, link->name);
    } else {
        status = g->storage == H5G_STORAGE_TYPE_DENSE ? ts_dense_remove(f, &g->info, link)
                                                      : remove_compact(g->oh, link->name);
        if (status >= 0)
            status = fit_storage(g);
    }
    return status < 0 ? -1 : ts_ohdr_touch(g->oh, false);
}

int ts_group_remove(struct ts_file *f, haddr_t group, const char *name, struct ts_link *out)
{
    TS_IN_CHANGE(f);
    struct ts_open_group g;
    if (ts_open_group(f, group, &g) < 0)
        return -1;
    int found = ts_open_group_find(&g, name, out);
    int status = found == 0 ? TS_ERR(SYM, NOTFOUND, "object '%s' doesn't exist", name) : found < 0 ? -1 : 0;
    if (status == 0 && remove_found(&g, out) < 0) {
        ts_link_deinit(out);
        status = -1;
    }
    ts_ohdr_close(g.oh);
    return status;
}

int ts_group_verify(const struct ts_loc *loc)
{
    struct ts_open_group g;
    if (ts_open_group(loc->fh->file, loc->addr, &g) < 0)
        return -1;
    int status = 0;
    if (g.storage == H5G_STORAGE_TYPE_SYMBOL_TABLE)
        status = ts_symtab_verify(g.oh->file, &g.table);
    else if (g.storage == H5G_STORAGE_TYPE_DENSE)
        status = ts_dense_verify(g.oh->file, &g.info);
    ts_ohdr_close(g.oh);
    return status;
}
