#include "group/copy.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "group/dense.h"
#include "group/open.h"
#include "group/symtab.h"
#include "heap/local_heap.h"
#include "object/open_objects.h"
#include "object/swmr.h"
#include "plist/ocpypl.h"

/* A dense group begins so, however few links it has; unless none may come. */
static int new_dense(struct ts_file *f, const struct ts_ohdr *oh, struct ts_link_info *info)
{
    struct ts_pipeline filters = {0};
    if (ts_ohdr_pipeline(oh, &filters) < 0)
        return -1;
    int status = ts_change_begin(f);
    if (status == 0)
        status = ts_change_end(f, ts_dense_create(f, &filters, info));
    ts_pipeline_deinit(&filters);
    return status;
}

static int copy_link_info(const struct ts_copy *c, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                          struct ts_copy_msg *out)
{
    struct ts_file *f = ts_copy_file(c);
    struct ts_link_info info;
    if (ts_link_info_decode(body->data, body->size, ts_file_addr_size(oh->file), &info) < 0)
        return -1;
    bool bare = c->flags & H5O_COPY_SHALLOW_HIERARCHY_FLAG, dense = info.heap != HADDR_UNDEF && !bare;
    if (bare)
        info.max_corder = 0;
    info.heap = info.name_index = info.corder_index = HADDR_UNDEF;
    if (dense && new_dense(f, oh, &info) < 0)
        return -1;
    out->child = info.heap;
    return ts_link_info_encode(&info, ts_file_addr_size(f), &out->body);
}

/* Bytes of names, those that were removed included. */
static int names_size(const struct ts_ohdr *oh, haddr_t addr, uint64_t *out)
{
    struct ts_lheap *heap;
    if (ts_lheap_open(oh->file, addr, &heap) < 0)
        return -1;
    *out = ts_lheap_size(heap);
    ts_lheap_close(heap);
    return 0;
}

static int copy_symbol_table(struct ts_file *f, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                             struct ts_copy_msg *out)
{
    struct ts_symbol_table table;
    uint64_t room;
    if (ts_symbol_table_decode(body->data, body->size, ts_file_addr_size(oh->file), &table) < 0 ||
        names_size(oh, table.heap, &room) < 0 || ts_change_begin(f) < 0)
        return -1;
    if (ts_change_end(f, ts_symtab_create(f, room, &table)) < 0)
        return -1;
    out->child = table.heap;
    return ts_symbol_table_encode(&table, ts_file_addr_size(f), &out->body);
}

int ts_group_copy_message(struct ts_copy *c, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                          struct ts_copy_msg *out)
{
    int status;
    if (out->type == TS_MSG_LINK_INFO)
        status = copy_link_info(c, oh, body, out);
    else if (out->type == TS_MSG_SYMBOL_TABLE)
        status = copy_symbol_table(ts_copy_file(c), oh, body, out);
    else
        return 0;
    return status < 0 ? -1 : 1;
}

static bool expands(const struct ts_copy *c, const struct ts_link *link)
{
    return (link->type == H5L_TYPE_SOFT && c->flags & H5O_COPY_EXPAND_SOFT_LINK_FLAG) ||
           (link->type == H5L_TYPE_EXTERNAL && c->flags & H5O_COPY_EXPAND_EXT_LINK_FLAG);
}

/* Makes a hard link to a copy of what the link leads to. One that leads nowhere stays what it is. */
static int expand(struct ts_copy *c, const struct ts_copy_item *group, struct ts_link *link)
{
    struct ts_place at = {.loc = group->from}, there;
    unsigned mark = ts_err_mark();
    if (ts_path_follow(&at, link, NULL, &there) < 0) {
        if (ts_err_no_memory(mark))
            return -1;
        ts_err_rewind(mark);
        return 0;
    }
    int status = ts_copy_object(c, &there.loc, TS_COPY_LINK, &link->addr);
    ts_place_deinit(&there);
    link->type = H5L_TYPE_HARD;
    return status;
}

/* Inside a change. */
static int insert(struct ts_file *f, haddr_t group, struct ts_link *link)
{
    if (link->type == H5L_TYPE_HARD && ts_object_link(f, link->addr, 1) < 0)
        return -1;
    if (link->corder_valid && ts_group_set_next(f, group, link->corder) < 0)
        return -1;
    return ts_group_insert(f, group, link);
}

static int copy_link(struct ts_copy *c, const struct ts_copy_item *group, struct ts_link *link)
{
    struct ts_file *f = ts_copy_file(c);
    struct ts_loc child = {group->from.fh, link->addr};
    int status = 0;
    if (link->type == H5L_TYPE_HARD)
        status = ts_copy_object(c, &child, TS_COPY_LINK, &link->addr);
    else if (expands(c, link))
        status = expand(c, group, link);
    if (status == 0)
        status = ts_change_begin(f);
    if (status == 0)
        status = ts_change_end(f, insert(f, group->to, link));
    return status < 0 ? TS_ERR(LINK, CANTCOPY, "cannot copy link '%s'", link->name) : 0;
}

static int copy_next(struct ts_copy *c, const struct ts_copy_item *item)
{
    struct ts_file *f = ts_copy_file(c);
    H5G_info_t info;
    if (ts_group_info(&item->from, &info) < 0 || ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, ts_group_set_next(f, item->to, info.max_corder));
}

static void release(struct ts_file *f, const struct ts_link_list *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list->links[i].type == H5L_TYPE_HARD)
            ts_open_objects_leave(f, list->links[i].addr);
}

static int hold(struct ts_file *f, const struct ts_link_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->links[i].type == H5L_TYPE_HARD && ts_open_objects_enter(f, list->links[i].addr) < 0) {
            release(f, list, i);
            return -1;
        }
    return 0;
}

/* All links; what the hard ones lead to counts as open, so that nobody deletes it before it is copied. Returns whether
 * the group tracks their order. */
static int take_links(const struct ts_loc *loc, struct ts_link_list *list)
{
    struct ts_file *f = loc->fh->file;
    ts_file_lock(f);
    int tracked = ts_group_has_order(loc);
    int status = tracked < 0 ? -1 : ts_group_list(loc, tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, list);
    if (status == 0)
        status = hold(f, list);
    ts_file_unlock(f);
    if (status < 0)
        ts_link_list_deinit(list);
    return status < 0 ? -1 : tracked;
}

int ts_group_copy_rest(struct ts_copy *c, const struct ts_copy_item *item)
{
    struct ts_file *from = item->from.fh->file;
    struct ts_link_list list = {0};
    if (c->flags & H5O_COPY_SHALLOW_HIERARCHY_FLAG && !item->top)
        return 0;
    int tracked = take_links(&item->from, &list);
    if (tracked < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < list.n; i++) {
        bool held = list.links[i].type == H5L_TYPE_HARD;
        haddr_t addr = list.links[i].addr;
        if (status == 0)
            status = copy_link(c, item, &list.links[i]);
        if (held)
            ts_open_objects_leave(from, addr);
    }
    if (status == 0 && tracked)
        status = copy_next(c, item);
    ts_link_list_deinit(&list);
    return status;
}

/* libhdf5's name for what only references lead to, in the root group. */
static int link_referenced(struct ts_file *f, const struct ts_copy_item *item)
{
    char name[64];
    struct ts_link link = {.name = name, .type = H5L_TYPE_HARD, .addr = item->to}, old;
    struct ts_open_group g;
    snprintf(name, sizeof name, "~obj_pointed_by_%" PRIu64, (uint64_t)item->to);
    if (ts_open_group(f, f->sb.root, &g) < 0)
        return -1;
    int found = ts_open_group_find(&g, name, &old);
    ts_ohdr_close(g.oh);
    /* The references alone keep the object too. */
    if (found == 1)
        ts_link_deinit(&old);
    return found != 0 ? (found < 0 ? -1 : 0) : insert(f, f->sb.root, &link);
}

/* All links to new objects from outside, in one change, with the end of those of their own. */
static int link_all(struct ts_copy *c, const struct ts_spot *to, haddr_t addr)
{
    struct ts_file *f = ts_copy_file(c);
    if (ts_object_link(f, addr, 1) < 0 || ts_spot_link(to, addr) < 0)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        if (c->items[i]->by_reference && !c->items[i]->merged && link_referenced(f, c->items[i]) < 0)
            return -1;
    return ts_copy_let_go(c);
}

/* What a copy that failed made goes; without memory even for that it stays, and nothing leads to it. */
static void clean_up(struct ts_copy *c)
{
    unsigned mark = ts_err_mark();
    (void)ts_copy_let_go(c);
    ts_err_rewind(mark);
}

static int run(struct ts_copy *c, const struct ts_place *from, const struct ts_spot *to)
{
    haddr_t addr;
    if (ts_copy_object(c, &from->loc, TS_COPY_TOP, &addr) < 0 || ts_copy_run(c) < 0 || ts_spot_begin(to) < 0)
        return -1;
    return ts_change_end(ts_copy_file(c), link_all(c, to, addr));
}

static int is_vacant(const struct ts_spot *to)
{
    int vacant = ts_spot_vacant(to);
    if (vacant != 0)
        return vacant < 0 ? -1 : 0;
    return TS_ERR_AS(OHDR, EXISTS, "destination object already exists", "'%s'", to->name);
}

int ts_object_copy(const struct ts_place *from, const struct ts_spot *to, struct ts_plist *ocpypl)
{
    struct ts_copy c = {.to = to->group.loc.fh};
    struct ts_copy_types types = {.to = NULL};
    if (!c.to->file->writable)
        return TS_ERR_AS(OHDR, WRITEERROR, "no write intent on file", "%s is open for reading only", c.to->file->name);
    if (ts_swmr_check_names(c.to->file, "copy an object") < 0 || is_vacant(to) < 0 ||
        ts_ocpypl_copy_flags(ocpypl, &c.flags) < 0)
        return -1;
    int status = 0;
    if (c.flags & H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG) {
        c.find_type = ts_copy_types_find;
        c.find_ctx = &types;
        status = ts_copy_types_init(&types, c.to, ocpypl);
    }
    if (status == 0)
        status = run(&c, from, to);
    if (status < 0)
        clean_up(&c);
    ts_copy_deinit(&c);
    ts_copy_types_deinit(&types);
    return status < 0 ? TS_ERR(OHDR, CANTCOPY, "unable to copy object") : 0;
}
