#include "container/find_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/error.h"
#include "container/setup.h"
#include "driver/access.h"
#include "plist/fapl.h"

struct search {
    const struct ts_container_search *how;
    struct ts_plist *fapl;
    struct ts_fhandle *found;
    bool no_memory; /* ends the search */
    bool failed;    /* a file is there and does not open: the error stack has the first of them */
};

char *ts_container_join_folder(const char *folder, size_t folder_len, const char *name)
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

/* A file that is not there, or does not open, does not end the search: the next place may have it. */
static bool try_name(struct search *s, const char *name)
{
    if (s->no_memory)
        return false;
    unsigned mark = ts_err_mark();
    if (ts_fhandle_open(name, s->how->flags, s->fapl, &s->found) == 0)
        return true;
    s->no_memory = ts_err_no_memory(mark);
    if (s->no_memory)
        return false;
    if (s->failed || ts_err_was(mark, TS_WHY_ABSENT))
        ts_err_rewind(mark);
    else
        s->failed = true;
    return false;
}

static bool try_in(struct search *s, const char *folder, size_t len, const char *name)
{
    if (len == 0)
        return false;
    char *full = ts_container_join_folder(folder, len, name);
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
    const char *slash = strrchr(parent, '/');
    return slash && try_in(s, parent, (size_t)(slash - parent) + 1, name);
}

/* The parent may have been opened through a symbolic link. */
static bool try_beside_real(struct search *s, const char *parent, const char *name)
{
    char *real = realpath(parent, NULL);
    bool ok = real && try_beside(s, real, name);
    free(real);
    return ok;
}

int ts_container_find(const struct ts_container_search *how, const char *name, struct ts_fhandle **out)
{
    struct search s = {.how = how};
    unsigned mark = ts_err_mark();
    const char *parent = how->parent->file->name, *prefix = how->prefix;
    bool ok = false;
    if (ts_access_allowed(how->parent->access, how->kind, name) < 0 ||
        ts_fapl_for_named(how->fapl, how->parent->access, how->kind, &s.fapl) < 0)
        return -1;
    if (name[0] == '/') {
        ok = try_name(&s, name);
        name = strrchr(name, '/') + 1;
    }
    ok = ok || try_in_list(&s, ts_env(how->variable), name) || (prefix && try_in(&s, prefix, strlen(prefix), name)) ||
         try_beside(&s, parent, name) || try_name(&s, name) || try_beside_real(&s, parent, name);
    ts_plist_unref(s.fapl);
    *out = s.found;
    if (ok)
        ts_err_rewind(mark);
    return ok ? 1 : s.no_memory || s.failed ? -1 : 0;
}

int ts_ref_locate(const struct ts_ref *ref, struct ts_plist *fapl, struct ts_loc *out)
{
    if (!ref->fh)
        return TS_ERR(REFERENCE, BADVALUE, "the reference refers to nothing");
    *out = (struct ts_loc){ref->fh, ref->addr};
    if (!ref->file_name) {
        ts_fhandle_ref(out->fh);
        return 0;
    }
    struct ts_plist *list = fapl ? fapl : ref->fh->file->fapl, *bound = NULL;
    /* An application that gives a list of its own says how the file is opened, but not where it may lie. */
    if (ref->fh->access && ts_fapl_for_named(list, ref->fh->access, H5F_EXTERNAL_LINK, &bound) < 0)
        return -1;
    int status = ts_fhandle_open(ref->file_name, ref->fh->flags, bound ? bound : list, &out->fh);
    ts_plist_unref(bound);
    return status;
}
