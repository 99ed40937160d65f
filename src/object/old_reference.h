/* The references of before 1.12, hobj_ref_t and hdset_reg_ref_t. */
#ifndef TS_OBJECT_OLD_REFERENCE_H
#define TS_OBJECT_OLD_REFERENCE_H

#include "H5Rpublic.h"
#include "object/place.h"

struct ts_space;

/* What one says. */
struct ts_old_ref {
    struct ts_place place; /* owned */
    uint8_t *region;       /* owned; NULL for objects */
    size_t region_size;
};

void ts_old_ref_deinit(struct ts_old_ref *ref);
/* out->place is any place in the file, and then where the reference leads. */
int ts_old_ref_load(H5R_type_t kind, const void *ref, struct ts_old_ref *out);
/* An object that was deleted is not found any more, also while it is open. */
int ts_old_ref_check_linked(const struct ts_loc *loc);
/* To an object, or to the selection of a dataset when space is not NULL. */
int ts_old_ref_store(const struct ts_loc *loc, struct ts_space *space, void *ref);

#endif
