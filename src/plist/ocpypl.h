/* Object copy lists and file mount lists. */
#ifndef TS_PLIST_OCPYPL_H
#define TS_PLIST_OCPYPL_H

#include "H5Opublic.h"
#include "plist/plist.h"

#define TS_P_COPY_FLAGS "copy object"                     /* unsigned, H5O_COPY_* */
#define TS_P_MERGE_TYPES "merge committed dtype list"     /* struct ts_paths */
#define TS_P_MERGE_SEARCH "committed dtype list search"   /* struct ts_merge_search */
#define TS_P_MOUNT_LOCAL "local"                          /* bool: file mount */

/* Where committed datatypes are looked for; what was added last comes first. */
struct ts_paths {
    size_t n, capacity;
    char **paths;
};

struct ts_merge_search {
    H5O_mcdt_search_cb_t func;
    void *data;
};

int ts_ocpypl_add_path(struct ts_plist *pl, const char *path);
int ts_ocpypl_clear_paths(struct ts_plist *pl);
/* A copy. */
int ts_ocpypl_paths(struct ts_plist *pl, struct ts_paths *out);
void ts_paths_deinit(struct ts_paths *paths);

#endif
