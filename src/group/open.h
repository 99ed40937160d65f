/* A group whose header is pinned, and how it keeps its links. For the files of this folder. */
#ifndef TS_GROUP_OPEN_H
#define TS_GROUP_OPEN_H

#include "group/group.h"

struct ts_open_group {
    struct ts_ohdr *oh;
    H5G_storage_type_t storage;
    struct ts_link_info info;     /* compact and dense */
    struct ts_symbol_table table; /* symbol table */
    bool vacant;                  /* the name of the link that goes in is known to be new */
};

/* Close by ts_ohdr_close. */
int ts_open_group(struct ts_file *f, haddr_t addr, struct ts_open_group *out);
/* With a header that is open already. */
int ts_open_group_read(struct ts_ohdr *oh, struct ts_open_group *out);
/* 1 and *out, 0 no such link, negative on error. */
int ts_open_group_find(const struct ts_open_group *g, const char *name, struct ts_link *out);
int ts_open_group_list(const struct ts_open_group *g, H5_index_t index, struct ts_link_list *out);
int ts_open_group_count(const struct ts_open_group *g, hsize_t *out);
/* What the header says or, without a message, the defaults. */
int ts_open_group_info(const struct ts_open_group *g, struct ts_group_info *out);

#endif
