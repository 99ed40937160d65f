/* Groups: from a name to a link, all links in an order. This folder knows how links are stored and followed; what they
 * lead to is object/'s. */
#ifndef TS_GROUP_GROUP_H
#define TS_GROUP_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "H5Gpublic.h"
#include "format/link.h"
#include "object/object.h"

struct ts_link_list {
    size_t n, capacity;
    struct ts_link *links;
};

/* Takes over the link, also on failure. */
int ts_link_list_add(struct ts_link_list *list, struct ts_link *link);
void ts_link_list_deinit(struct ts_link_list *list);

/* 1 and *out (needs ts_link_deinit), 0 no such link, negative on error, also when loc is not a group. */
int ts_group_lookup(const struct ts_loc *loc, const char *name, struct ts_link *out);
int ts_group_list(const struct ts_loc *loc, H5_index_t index, H5_iter_order_t order, struct ts_link_list *out);
int ts_group_at(const struct ts_loc *loc, H5_index_t index, H5_iter_order_t order, hsize_t n, struct ts_link *out);
/* Whether links can be listed in the order of their creation; negative on error. */
int ts_group_has_order(const struct ts_loc *loc);
int ts_group_info(const struct ts_loc *loc, H5G_info_t *out);

struct ts_group_create {
    struct ts_link_info link_info;
    struct ts_group_info group_info;
    struct ts_pipeline pipeline; /* of the link heap; owned */
};
int ts_group_create_info(const struct ts_loc *loc, struct ts_group_create *out);
/* A new group creation list that says of the links what the group says. */
int ts_group_describe(const struct ts_loc *loc, struct ts_plist **out);

/* Changes; inside ts_change_begin/end. */

/* A new empty group as its creation list says, with so many links to it. */
int ts_group_new(struct ts_file *f, struct ts_plist *gcpl, uint32_t links, haddr_t *addr);
/* The root of a new file. */
int ts_group_create_root(struct ts_file *f, struct ts_plist *fcpl);
/* 0 when the group has no link of that name; an error when it has one. */
int ts_group_vacant(struct ts_file *f, haddr_t group, const char *name);
/* Enters a link, an error when its name is there already; its creation order is given out here. The count of links of
 * what a hard one leads to is the caller's. */
int ts_group_insert(struct ts_file *f, haddr_t group, struct ts_link *link);
/* The same of a name that ts_group_vacant found new in the same change. */
int ts_group_insert_new(struct ts_file *f, haddr_t group, struct ts_link *link);
/* The creation order that the next link gets, where that is tracked. */
int ts_group_set_next(struct ts_file *f, haddr_t group, int64_t corder);
/* Takes a link out: what it was is in *out, which needs ts_link_deinit. No such link is an error. */
int ts_group_remove(struct ts_file *f, haddr_t group, const char *name, struct ts_link *out);

/* Negative and an error when what holds the group's links is not sound. */
int ts_group_verify(const struct ts_loc *loc);

/* Opens a group; the result is a bare object of kind H5I_GROUP. */
int ts_group_open(const struct ts_loc *loc, const char *path, struct ts_object **out);
/* Registers groups as a kind of object. */
void ts_group_init_kinds(void);

#endif
