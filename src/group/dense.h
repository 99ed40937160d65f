/* Links of a new-style group that has many: a fractal heap of link messages with B-trees over names and creation
 * order. */
#ifndef TS_GROUP_DENSE_H
#define TS_GROUP_DENSE_H

#include "base/cursor.h"
#include "group/group.h"

int ts_dense_find(struct ts_file *f, const struct ts_link_info *info, const char *name, struct ts_link *out);
int ts_dense_count(struct ts_file *f, const struct ts_link_info *info, hsize_t *out);
/* In the order of the creation index when by_corder and there is one, else in that of the name index: by hash. */
int ts_dense_list(struct ts_file *f, const struct ts_link_info *info, bool by_corder, struct ts_link_list *out);
int ts_dense_at(struct ts_file *f, const struct ts_link_info *info, bool by_corder, bool from_end, hsize_t n,
                struct ts_link *out);
/* The n-th by name. Remembers the order of the group last asked, so that a loop over all does not sort each time. */
int ts_dense_at_name(struct ts_file *f, const struct ts_link_info *info, bool from_end, hsize_t n, struct ts_link *out);
int ts_dense_meta_size(struct ts_file *f, const struct ts_link_info *info, H5_ih_info_t *out);

/* Changes; inside ts_change_begin/end. Where a call says so, the addresses in *info change and must be stored. */

/* Makes heap and indexes without links and sets their addresses. */
int ts_dense_create(struct ts_file *f, const struct ts_pipeline *filters, struct ts_link_info *info);
/* message is the link as ts_link_encode wrote it. An error when the name is there already, which is not looked for if
 * it is known to be vacant. */
int ts_dense_insert(struct ts_file *f, const struct ts_link_info *info, const struct ts_link *link,
                    const struct ts_wr *message, bool vacant);
/* 1 removed, 0 none. */
int ts_dense_remove(struct ts_file *f, const struct ts_link_info *info, const struct ts_link *link);
/* Frees heap and indexes, and sets their addresses to undefined. */
int ts_dense_delete(struct ts_file *f, struct ts_link_info *info);
/* Negative and an error when the indexes or the heap are not sound, or do not hold the same links. */
int ts_dense_verify(struct ts_file *f, const struct ts_link_info *info);

#endif
