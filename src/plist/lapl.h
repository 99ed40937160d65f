/* Link access lists, the base of group, dataset, datatype and attribute access lists; link and string creation
 * lists. */
#ifndef TS_PLIST_LAPL_H
#define TS_PLIST_LAPL_H

#include "H5Lpublic.h"
#include "plist/property.h"

struct ts_elink_cb {
    H5L_elink_traverse_t func;
    void *data;
};

TS_PROPERTY(lapl, nlinks, size_t, "max soft links");
TS_PROPERTY_TEXT(lapl, elink_prefix, "external link prefix");
TS_PROPERTY_OWNER(lapl, elink_fapl, struct ts_plist *, "external link fapl"); /* NULL: none set */
TS_PROPERTY(lapl, elink_flags, unsigned, "external link flags");              /* H5F_ACC_DEFAULT: as the parent file */
TS_PROPERTY_STRUCT(lapl, elink_cb, struct ts_elink_cb, "external link callback");
TS_PROPERTY(lcpl, intermediate, unsigned, "intermediate_group");      /* link creation */
TS_PROPERTY(strcpl, char_encoding, H5T_cset_t, "character_encoding"); /* link and attribute creation */

/* A new reference, *out NULL when none is set. */
int ts_lapl_elink_fapl(struct ts_plist *pl, struct ts_plist **out);
#endif
