/* Link access lists, the base of group, dataset, datatype and attribute access lists; link and string creation
 * lists. */
#ifndef TS_PLIST_LAPL_H
#define TS_PLIST_LAPL_H

#include "H5Lpublic.h"
#include "plist/plist.h"

#define TS_P_NLINKS "max soft links"              /* size_t */
#define TS_P_ELINK_PREFIX "external link prefix"  /* char * */
#define TS_P_ELINK_FAPL "external link fapl"      /* struct ts_plist *, NULL: none set */
#define TS_P_ELINK_FLAGS "external link flags"    /* unsigned, H5F_ACC_DEFAULT: as the parent file */
#define TS_P_ELINK_CB "external link callback"    /* struct ts_elink_cb */

#define TS_P_INTERMEDIATE "intermediate_group"    /* unsigned: link creation */
#define TS_P_CHAR_ENCODING "character_encoding"   /* H5T_cset_t: link and attribute creation */

struct ts_elink_cb {
    H5L_elink_traverse_t func;
    void *data;
};

/* A copy of the prefix, *out NULL when none is set; the caller frees it. */
int ts_lapl_elink_prefix(struct ts_plist *pl, char **out);
/* A new reference, *out NULL when none is set. */
int ts_lapl_elink_fapl(struct ts_plist *pl, struct ts_plist **out);
/* For lists of any class: a copy of a string property, *out NULL when it is not set. */
int ts_plist_get_string(struct ts_plist *pl, const char *name, char **out);
int ts_plist_set_string(struct ts_plist *pl, const char *name, const char *value);

#endif
