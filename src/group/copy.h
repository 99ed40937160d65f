/* Copying objects with all below them. */
#ifndef TS_GROUP_COPY_H
#define TS_GROUP_COPY_H

#include "group/edit.h"
#include "object/copy.h"

/* Copies the object to a new name, as an object copy list says. The application's search callback may run. */
int ts_object_copy(const struct ts_place *from, const struct ts_spot *to, struct ts_plist *ocpypl);

/* For the kind of object that groups are. */
int ts_group_copy_message(struct ts_copy *copy, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                          struct ts_copy_msg *out);
int ts_group_copy_rest(struct ts_copy *copy, const struct ts_copy_item *item);

/* For copies that use committed datatypes of the destination: those that were named first, then those that are
 * anywhere; copy_types.c. */
struct ts_copy_types {
    struct ts_plist *ocpypl;
    struct ts_fhandle *to;
    size_t n_named, named_capacity, n_all, all_capacity;
    haddr_t *named, *all;
    bool searched; /* the whole file */
};

/* Without locks. */
int ts_copy_types_init(struct ts_copy_types *types, struct ts_fhandle *to, struct ts_plist *ocpypl);
void ts_copy_types_deinit(struct ts_copy_types *types);
/* As find_type of struct ts_copy, whose find_ctx is the struct above. */
int ts_copy_types_find(struct ts_copy *copy, const struct ts_loc *from, haddr_t *addr);

#endif
