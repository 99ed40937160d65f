#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/mount.h"
#include "group/path.h"

/* Whether the path leads to the place from the root of a handle's own file. */
static int leads_to(struct ts_fhandle *fh, const struct ts_place *place, unsigned flags)
{
    struct ts_loc at = ts_loc_root(fh);
    struct ts_place root;
    struct ts_target target;
    const char *path = place->path + strspn(place->path, "/");
    unsigned mark = ts_err_mark();
    if (ts_place_init(&root, &at, NULL) < 0)
        return -1;
    int found = ts_path_walk(&root, *path ? path : ".", flags | TS_PATH_TRY, NULL, &target);
    if (found < 0 && ts_err_no_memory(mark))
        return -1;
    ts_err_rewind(mark);
    bool same = found == 1 && ts_loc_equal(&target.place.loc, &place->loc);
    if (found == 1)
        ts_target_deinit(&target);
    return same;
}

/* A path may have been taken when fewer files were mounted: it still is one from the root of the file it began in. */
static int still_leads(const struct ts_place *place)
{
    struct ts_fhandle *fh = place->loc.fh;
    int status = 0;
    ts_fhandle_ref(fh);
    while (fh && status == 0) {
        status = leads_to(fh, place, 0);
        if (status == 0)
            status = leads_to(fh, place, TS_PATH_POINT);
        struct ts_fhandle *parent = status == 0 ? ts_mount_parent(fh) : NULL;
        ts_fhandle_unref(fh);
        fh = parent;
    }
    return status;
}

static int any_name(const struct ts_loc *loc, char **out)
{
    int found = ts_path_search(loc, out);
    if (found == 0)
        *out = ts_strdup("");
    return found < 0 || !*out ? -1 : 0;
}

int ts_path_name(const struct ts_place *place, char **out)
{
    const char *name = place->path;
    if (name && atomic_load(&place->loc.fh->file->mounts.renamed)) {
        int status = still_leads(place);
        if (status == 0) {
            status = leads_to(place->loc.fh, place, TS_PATH_BENEATH);
            name = status > 0 ? "" : NULL;
        }
        if (status < 0)
            return -1;
    }
    if (!name)
        return any_name(&place->loc, out);
    *out = ts_strdup(name);
    return *out ? 0 : -1;
}
