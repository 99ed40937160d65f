#include "base/env.h"
#include "dataset/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "object/find_file.h"
#include "plist/dapl.h"

#define ORIGIN "${ORIGIN}"

/* The absolute folder of the dataset's file, followed by rest. */
static char *beside_file(const struct ts_dataset *d, const char *rest)
{
    char *real = realpath(ts_dataset_file(d)->name, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;
    char *full = slash ? ts_join_folder(real, slash == real ? 1 : (size_t)(slash - real), rest) : ts_strdup(rest);
    free(real);
    return full;
}

int ts_dataset_prefix(const struct ts_dataset *d, const char *variable, const char *property, char **out)
{
    char *prefix = NULL;
    const char *env = ts_env(variable);
    *out = NULL;
    if (env) {
        prefix = ts_strdup(env);
        if (!prefix)
            return -1;
    } else if (ts_plist_get_string(d->dapl, property, &prefix) < 0) {
        return -1;
    }
    if (!prefix || !*prefix || strcmp(prefix, ".") == 0) {
        ts_free(prefix);
        return 0;
    }
    if (strncmp(prefix, ORIGIN, strlen(ORIGIN)) != 0) {
        *out = prefix;
        return 0;
    }
    *out = beside_file(d, prefix + strlen(ORIGIN));
    ts_free(prefix);
    return *out ? 0 : -1;
}

int ts_source_file_open(const struct ts_dataset *d, const char *name, struct ts_fhandle **out)
{
    const struct ts_fhandle *parent = d->base.loc.fh;
    char *prefix;
    if (ts_dataset_prefix(d, "HDF5_VDS_PREFIX", TS_P_VDS_PREFIX, &prefix) < 0)
        return -1;
    struct ts_file_search how = {.parent = parent,
                                 .kind = H5F_EXTERNAL_SOURCE,
                                 .variable = "HDF5_VDS_PREFIX",
                                 .prefix = prefix,
                                 .fapl = parent->file->fapl,
                                 .flags = parent->flags};
    int found = ts_find_file(&how, name, out);
    ts_free(prefix);
    return found;
}
