/* Attributes: in the object header, or in a fractal heap with B-trees over it when there are many. */
#ifndef TS_OBJECT_ATTR_H
#define TS_OBJECT_ATTR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Apublic.h"
#include "object/object.h"
#include "space/space.h"

struct ts_attr {
    atomic_uint refs;
    struct ts_loc owner; /* the object it is on */
    char *owner_path;    /* NULL when not known */
    char *name;
    H5T_cset_t cset;
    bool corder_valid;
    unsigned corder;
    struct ts_type *type;   /* on disk */
    struct ts_space *space; /* not to be changed */
    uint8_t *data;          /* as on disk */
    size_t data_size;       /* elements times type size */
};

struct ts_attr *ts_attr_ref(struct ts_attr *attr);
void ts_attr_unref(struct ts_attr *attr); /* NULL is fine */

int ts_attr_count(const struct ts_ohdr *oh, hsize_t *out);
int ts_attr_meta_size(const struct ts_ohdr *oh, H5_ih_info_t *out);

/* 1 yes, 0 no, negative on error. */
int ts_attr_exists(const struct ts_loc *loc, const char *name);
int ts_attr_open(const struct ts_loc *loc, const char *path, const char *name, struct ts_attr **out);
int ts_attr_open_by_idx(const struct ts_loc *loc, const char *path, H5_index_t index, H5_iter_order_t order, hsize_t n,
                        struct ts_attr **out);

/* All attributes of an object in an order. */
struct ts_attr_list {
    size_t n, capacity;
    struct ts_attr **attrs;
};
int ts_attr_list(const struct ts_loc *loc, const char *path, H5_index_t index, H5_iter_order_t order,
                 struct ts_attr_list *out);
void ts_attr_list_deinit(struct ts_attr_list *list);

void ts_attr_info(const struct ts_attr *attr, H5A_info_t *out);

#endif
