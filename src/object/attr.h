/* Attributes: in the object header, or in a fractal heap with B-trees over it when there are many. */
#ifndef TS_OBJECT_ATTR_H
#define TS_OBJECT_ATTR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Apublic.h"
#include "base/count.h"
#include "object/object.h"
#include "space/space.h"

struct ts_attr {
    struct ts_count refs;
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
    bool gone;              /* deleted meanwhile */
    bool listed;            /* among the open ones, which see each other's changes */
    struct ts_attr *next, *prev;
};

struct ts_attr *ts_attr_ref(struct ts_attr *attr);
void ts_attr_unref(struct ts_attr *attr); /* NULL is fine */

/* In a file that is open for writing others change name and data of an open attribute: look at them between these. */
void ts_attr_lock(const struct ts_attr *attr);
void ts_attr_unlock(const struct ts_attr *attr);
/* Copies of them. */
void ts_attr_copy_data(const struct ts_attr *attr, void *buf);
char *ts_attr_copy_name(const struct ts_attr *attr);

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

/* Changes; each is a change of its own. */
struct ts_attr_create {
    const char *name;
    H5T_cset_t cset;
    const struct ts_type *type;
    const struct ts_space *space;
    const uint8_t *data; /* as on disk; NULL: zeros */
    bool has_corder;     /* it gets this creation order, where that is tracked; else the next */
    unsigned corder;
};
int ts_attr_create(const struct ts_loc *loc, const char *path, const struct ts_attr_create *how, struct ts_attr **out);
/* All of its data, as on disk. */
int ts_attr_write(struct ts_attr *attr, const uint8_t *data);

struct ts_conv_env;
/* The whole value as elements of a type in memory. The environment is that of a transfer; where data on disk lies is
 * set here. */
int ts_attr_read_as(const struct ts_attr *attr, const struct ts_type *type, struct ts_conv_env *env, void *buf);
int ts_attr_write_as(struct ts_attr *attr, const struct ts_type *type, struct ts_conv_env *env, const void *buf);
int ts_attr_rename(const struct ts_loc *loc, const char *from, const char *to);
int ts_attr_delete(const struct ts_loc *loc, const char *name);

/* Frees all attributes of an object that is being deleted; the header stays as it is. */
int ts_attr_destroy_all(const struct ts_ohdr *oh);

void ts_attr_info(const struct ts_attr *attr, H5A_info_t *out);

#endif
