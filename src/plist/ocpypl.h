/* Object copy lists and file mount lists. */
#ifndef TS_PLIST_OCPYPL_H
#define TS_PLIST_OCPYPL_H

#include "H5Opublic.h"
#include "plist/property.h"

/* Where committed datatypes are looked for; what was added last comes first. */
struct ts_paths {
    size_t n, capacity;
    char **paths;
};

struct ts_merge_search {
    H5O_mcdt_search_cb_t func;
    void *data;
};

TS_PROPERTY(ocpypl, copy_flags, unsigned, "copy object"); /* H5O_COPY_* */
TS_PROPERTY_OWNER(ocpypl, merge_types, struct ts_paths, "merge committed dtype list");
TS_PROPERTY_STRUCT(ocpypl, merge_search, struct ts_merge_search, "committed dtype list search");
TS_PROPERTY(fmpl, mount_local, bool, "local"); /* file mount */

int ts_ocpypl_add_path(struct ts_plist *pl, const char *path);
int ts_ocpypl_clear_paths(struct ts_plist *pl);
/* A copy. */
int ts_ocpypl_paths(struct ts_plist *pl, struct ts_paths *out);
void ts_paths_deinit(struct ts_paths *paths);

#endif
