#include "dataset/files.h"
#include "base/env.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "container/find_file.h"
#include "plist/dapl.h"

#define ORIGIN "${ORIGIN}"

const struct ts_prefix ts_external_prefix = {"HDF5_EXTFILE_PREFIX", ts_dapl_efile_prefix, ts_dapl_set_efile_prefix};
const struct ts_prefix ts_virtual_prefix = {"HDF5_VDS_PREFIX", ts_dapl_vds_prefix, ts_dapl_set_vds_prefix};

/* The absolute folder of the file, followed by rest. */
static char *beside_file(const struct ts_file *f, const char *rest)
{
    char *real = realpath(f->name, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;
    char *full =
        slash ? ts_container_join_folder(real, slash == real ? 1 : (size_t)(slash - real), rest) : ts_strdup(rest);
    free(real);
    return full;
}

/* What a variable or a list of a dataset of f says. */
static int find_prefix(const struct ts_file *f, struct ts_plist *dapl, const struct ts_prefix *kind, char **out)
{
    char *prefix = NULL;
    const char *env = ts_env(kind->variable);
    *out = NULL;
    if (env && *env) {
        prefix = ts_strdup(env);
        if (!prefix)
            return -1;
    } else if (kind->get(dapl, &prefix) < 0) {
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
    *out = beside_file(f, prefix + strlen(ORIGIN));
    ts_free(prefix);
    return *out ? 0 : -1;
}

int ts_dataset_prefix(const struct ts_dataset *d, const struct ts_prefix *kind, char **out)
{
    return find_prefix(ts_dataset_file(d), d->dapl, kind, out);
}

int ts_dataset_check_prefix(const struct ts_dataset *d, struct ts_plist *first)
{
    char *theirs, *ours;
    if (first == d->dapl)
        return 0;
    if (find_prefix(ts_dataset_file(d), first, &ts_external_prefix, &theirs) < 0)
        return -1;
    int status = ts_dataset_prefix(d, &ts_external_prefix, &ours);
    if (status == 0 && strcmp(ours ? ours : "", theirs ? theirs : "") != 0)
        status =
            TS_ERR(DATASET, CANTOPENOBJ,
                   "new external file prefix does not match external file prefix of already open dataset: '%s', '%s'",
                   ours ? ours : "", theirs ? theirs : "");
    ts_free(ours);
    ts_free(theirs);
    return status;
}

int ts_source_file_open(const struct ts_dataset *d, const char *name, struct ts_fhandle **out)
{
    const struct ts_fhandle *parent = d->base.loc.fh;
    char *prefix;
    if (ts_dataset_prefix(d, &ts_virtual_prefix, &prefix) < 0)
        return -1;
    struct ts_container_search how = {.parent = parent,
                                      .kind = H5F_EXTERNAL_SOURCE,
                                      .variable = ts_virtual_prefix.variable,
                                      .prefix = prefix,
                                      .fapl = parent->file->fapl,
                                      .flags = ts_file_intent(parent->file)};
    int found = ts_container_find(&how, name, out);
    ts_free(prefix);
    return found;
}
