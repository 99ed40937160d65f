#include "dataset/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "object/setup.h"
#include "plist/dapl.h"

#define ORIGIN "${ORIGIN}"

char *ts_join_folder(const char *folder, size_t folder_len, const char *name)
{
    size_t name_len = strlen(name);
    bool slash = folder_len > 0 && folder[folder_len - 1] != '/' && name[0] != '/';
    char *full = ts_malloc(folder_len + slash + name_len + 1);
    if (!full)
        return NULL;
    memcpy(full, folder, folder_len);
    if (slash)
        full[folder_len] = '/';
    memcpy(full + folder_len + slash, name, name_len + 1);
    return full;
}

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
    const char *env = getenv(variable);
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

struct search {
    const struct ts_dataset *d;
    struct ts_fhandle *found;
    bool no_memory; /* ends the search */
};

/* A file that is not there, or is none of ours, is not an error: the source is missing then. */
static bool try_name(struct search *s, const char *name)
{
    const struct ts_fhandle *parent = s->d->base.loc.fh;
    struct ts_file *file;
    unsigned mark = ts_err_mark();
    if (s->no_memory)
        return false;
    if (ts_file_open(name, parent->flags, parent->file->fapl, &file) == 0) {
        if (ts_file_setup(file) < 0)
            ts_file_unref(file);
        else if (ts_fhandle_new(file, name, parent->flags, &s->found) == 0)
            return true;
    }
    s->no_memory = ts_err_no_memory(mark);
    if (!s->no_memory)
        ts_err_rewind(mark);
    return false;
}

static bool try_in(struct search *s, const char *folder, size_t len, const char *name)
{
    if (len == 0)
        return false;
    char *full = ts_join_folder(folder, len, name);
    bool ok = full && try_name(s, full);
    s->no_memory |= !full;
    ts_free(full);
    return ok;
}

static bool try_in_list(struct search *s, const char *folders, const char *name)
{
    while (folders && *folders) {
        size_t len = strcspn(folders, ":");
        if (try_in(s, folders, len, name))
            return true;
        folders += len + (folders[len] == ':');
    }
    return false;
}

static bool try_beside(struct search *s, const char *parent, const char *name)
{
    const char *slash = parent ? strrchr(parent, '/') : NULL;
    return slash && try_in(s, parent, (size_t)(slash - parent) + 1, name);
}

/* The parent may have been opened through a symbolic link. */
static bool try_beside_real(struct search *s, const char *parent, const char *name)
{
    char *real = realpath(parent, NULL);
    bool ok = try_beside(s, real, name);
    free(real);
    return ok;
}

int ts_source_file_open(const struct ts_dataset *d, const char *name, struct ts_fhandle **out)
{
    struct search s = {.d = d};
    char *prefix;
    if (name[0] == '/') {
        if (try_name(&s, name)) {
            *out = s.found;
            return 1;
        }
        name = strrchr(name, '/') + 1;
    }
    if (ts_dataset_prefix(d, "HDF5_VDS_PREFIX", TS_P_VDS_PREFIX, &prefix) < 0)
        return -1;
    const char *parent = ts_dataset_file(d)->name;
    bool ok = try_in_list(&s, getenv("HDF5_VDS_PREFIX"), name) || (prefix && try_in(&s, prefix, strlen(prefix), name)) ||
              try_beside(&s, parent, name) || try_name(&s, name) || try_beside_real(&s, parent, name);
    ts_free(prefix);
    *out = s.found;
    return s.no_memory ? -1 : ok;
}
