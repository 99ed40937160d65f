/* Going over the links of a group, or over all links or objects below it. */
#ifndef TS_GROUP_VISIT_H
#define TS_GROUP_VISIT_H

#include "H5Opublic.h"
#include "format/link.h"
#include "object/object.h"

/* 0 goes on; anything else stops and is returned. A visit says where a hard link leads, borrowed; otherwise `there` is
 * NULL. */
typedef int ts_link_fn(const char *name, const struct ts_link *link, const struct ts_loc *there, void *ctx);

struct ts_link_visit {
    H5_index_t type;
    H5_iter_order_t order;
    ts_link_fn *each;
    void *ctx;
};

/* The links of a group from number *at on; then that is the one behind the last that was told of. */
int ts_group_iterate(const struct ts_loc *group, const struct ts_link_visit *how, hsize_t *at);
/* All links below a group; a group with several links is entered once. The names are paths from the start. */
int ts_group_visit(const struct ts_loc *group, const struct ts_link_visit *how);

typedef int ts_object_fn(const char *name, const H5O_info1_t *info, void *ctx);

struct ts_object_visit {
    H5_index_t type;
    H5_iter_order_t order;
    unsigned fields; /* of the information */
    ts_object_fn *each;
    void *ctx;
};

/* The object, as ".", and all below it when it is a group; each once. */
int ts_object_visit(const struct ts_loc *start, const struct ts_object_visit *how);

#endif
