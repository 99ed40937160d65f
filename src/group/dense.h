/* Links of a new-style group that has many: a fractal heap of link messages with B-trees over names and creation order. */
#ifndef TS_GROUP_DENSE_H
#define TS_GROUP_DENSE_H

#include "group/group.h"

int ts_dense_find(struct ts_file *f, const struct ts_link_info *info, const char *name, struct ts_link *out);
int ts_dense_count(struct ts_file *f, const struct ts_link_info *info, hsize_t *out);
/* In the order of the creation index when by_corder and there is one, else in that of the name index: by hash. */
int ts_dense_list(struct ts_file *f, const struct ts_link_info *info, bool by_corder, struct ts_link_list *out);
int ts_dense_at(struct ts_file *f, const struct ts_link_info *info, bool by_corder, bool from_end, hsize_t n,
                struct ts_link *out);
int ts_dense_meta_size(struct ts_file *f, const struct ts_link_info *info, H5_ih_info_t *out);

#endif
