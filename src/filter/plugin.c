#include "filter/plugin.h"
#include "base/env.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "driver/access.h"

#define DEFAULT_PATH "/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins"
#define MAX_FOLDERS 128

static struct ts_mutex lock = TS_MUTEX_INIT(TS_RANK_PLUGINS);
static char *folders[MAX_FOLDERS];
static size_t n_folders;
static bool path_read;
static bool forbidden; /* by the environment: for good, also when the library is closed */
static atomic_uint mask = H5PL_ALL_PLUGIN;

static int insert_locked(size_t index, const char *folder, size_t length)
{
    if (n_folders == MAX_FOLDERS)
        return TS_ERR(PLUGIN, NOSPACE, "the plugin path holds %d folders at most", MAX_FOLDERS);
    char *copy = ts_strndup(folder, length);
    if (!copy)
        return -1;
    memmove(&folders[index + 1], &folders[index], (n_folders - index) * sizeof folders[0]);
    folders[index] = copy;
    n_folders++;
    return 0;
}

/* The environment is looked at once, at the first use of the path. */
static int ensure_path(void)
{
    if (path_read)
        return 0;
    const char *preload = ts_env("HDF5_PLUGIN_PRELOAD");
    forbidden = forbidden || (preload && strcmp(preload, H5PL_NO_PLUGIN) == 0);
    if (forbidden)
        atomic_store(&mask, 0);
    const char *env = ts_env("HDF5_PLUGIN_PATH");
    for (const char *p = env ? env : DEFAULT_PATH; *p;) {
        size_t length = strcspn(p, ":");
        if (length && insert_locked(n_folders, p, length) < 0)
            return -1;
        p += length + (p[length] == ':');
    }
    path_read = true;
    return 0;
}

/* What is searched for: a filter by its id, or a driver by its name or number. */
struct search {
    H5PL_type_t type;
    H5Z_filter_t id;
    const char *name;
    H5FD_class_value_t value;
    const struct ts_access *access;
    const void *found; /* H5Z_class2_t or H5FD_class_t */
    char *file;
    bool refused, no_memory;
};

static bool is_filter(const H5Z_class2_t *cls, const struct search *s)
{
    return cls->version == H5Z_CLASS_T_VERS && cls->id == s->id && cls->filter;
}

static bool is_driver(const H5FD_class_t *cls, const struct search *s)
{
    if (cls->version != H5FD_CLASS_VERSION || !cls->name)
        return false;
    return s->name ? strcmp(cls->name, s->name) == 0 : cls->value == s->value;
}

static const void *class_in(void *library, const struct search *s)
{
    /* POSIX allows what ISO C does not: a function behind a data pointer. */
    H5PL_type_t (*type)(void) = (H5PL_type_t(*)(void))(uintptr_t)dlsym(library, "H5PLget_plugin_type");
    const void *(*info)(void) = (const void *(*)(void))(uintptr_t)dlsym(library, "H5PLget_plugin_info");
    if (!type || !info || type() != s->type)
        return NULL;
    const void *cls = info();
    return cls && (s->type == H5PL_TYPE_FILTER ? is_filter(cls, s) : is_driver(cls, s)) ? cls : NULL;
}

/* Of all plugins that are not allowed the error stack has the first. */
static bool may_load(struct search *s, const char *path)
{
    unsigned mark = ts_err_mark();
    if (ts_access_check(s->access, H5F_EXTERNAL_PLUGIN, path) == 0)
        return true;
    if (s->refused)
        ts_err_rewind(mark);
    s->refused = true;
    return false;
}

static void try_file(struct search *s, const char *folder, const char *name)
{
    char path[4096];
    if (!strstr(name, ".so") || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        !may_load(s, path))
        return;
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return;
    s->found = class_in(library, s);
    if (!s->found) {
        dlclose(library);
        return;
    }
    s->file = ts_strdup(path);
    s->no_memory = !s->file;
}

static void search_folder(struct search *s, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    for (struct dirent *e = readdir(dir); e && !s->found; e = readdir(dir))
        try_file(s, folder, e->d_name);
    closedir(dir);
}

/* 1, 0 or -1, when memory was short. */
static int search_path(struct search *s, unsigned kind)
{
    ts_mutex_lock(&lock);
    if (ensure_path() == 0 && atomic_load(&mask) & kind)
        for (size_t i = 0; i < n_folders && !s->found; i++)
            search_folder(s, folders[i]);
    ts_mutex_unlock(&lock);
    return s->no_memory ? -1 : s->found != NULL;
}

int ts_plugin_find_filter(H5Z_filter_t id, const struct ts_access *access, H5Z_class2_t *out, char **file)
{
    struct search s = {.type = H5PL_TYPE_FILTER, .id = id, .access = access};
    int found = search_path(&s, H5PL_FILTER_PLUGIN);
    if (found > 0) {
        *out = *(const H5Z_class2_t *)s.found;
        *file = s.file;
    }
    return found;
}

int ts_plugin_find_driver(const char *name, H5FD_class_value_t value, const struct ts_access *access, H5FD_class_t *out)
{
    struct search s = {.type = H5PL_TYPE_VFD, .name = name, .value = value, .access = access};
    int found = search_path(&s, H5PL_VFD_PLUGIN);
    if (found > 0)
        *out = *(const H5FD_class_t *)s.found;
    ts_free(s.file);
    return found;
}

size_t ts_plugin_path_count(void)
{
    ts_mutex_lock(&lock);
    size_t n = ensure_path() < 0 ? 0 : n_folders;
    ts_mutex_unlock(&lock);
    return n;
}

static int check_index(size_t index)
{
    if (n_folders == 0)
        return TS_ERR(ARGS, BADRANGE, "path table is empty");
    if (index >= n_folders)
        return TS_ERR(ARGS, BADRANGE, "index path out of bounds for table - can't be more than %zu", n_folders - 1);
    return 0;
}

int ts_plugin_path_get(size_t index, char **folder)
{
    ts_mutex_lock(&lock);
    int status = ensure_path() < 0 ? -1 : check_index(index);
    if (status == 0)
        status = (*folder = ts_strdup(folders[index])) ? 0 : -1;
    ts_mutex_unlock(&lock);
    return status;
}

int ts_plugin_path_insert(size_t index, const char *folder)
{
    ts_mutex_lock(&lock);
    int status = ensure_path();
    /* Before the first one, or before one that is there. */
    if (status == 0 && index > 0)
        status = check_index(index);
    if (status == 0)
        status = insert_locked(index, folder, strlen(folder));
    ts_mutex_unlock(&lock);
    return status;
}

int ts_plugin_path_append(const char *folder)
{
    ts_mutex_lock(&lock);
    int status = ensure_path() < 0 ? -1 : insert_locked(n_folders, folder, strlen(folder));
    ts_mutex_unlock(&lock);
    return status;
}

int ts_plugin_path_replace(size_t index, const char *folder)
{
    ts_mutex_lock(&lock);
    int status = ensure_path() < 0 ? -1 : check_index(index);
    char *copy = status == 0 ? ts_strdup(folder) : NULL;
    if (copy) {
        ts_free(folders[index]);
        folders[index] = copy;
    }
    ts_mutex_unlock(&lock);
    return copy ? 0 : -1;
}

int ts_plugin_path_remove(size_t index)
{
    ts_mutex_lock(&lock);
    int status = ensure_path() < 0 ? -1 : check_index(index);
    if (status == 0) {
        ts_free(folders[index]);
        n_folders--;
        memmove(&folders[index], &folders[index + 1], (n_folders - index) * sizeof folders[0]);
    }
    ts_mutex_unlock(&lock);
    return status;
}

void ts_plugin_forget_path(void)
{
    ts_mutex_lock(&lock);
    while (n_folders > 0)
        ts_free(folders[--n_folders]);
    path_read = false;
    ts_mutex_unlock(&lock);
}

unsigned ts_plugin_mask(void)
{
    ts_mutex_lock(&lock);
    (void)ensure_path();
    ts_mutex_unlock(&lock);
    return atomic_load(&mask);
}

void ts_plugin_set_mask(unsigned value)
{
    ts_mutex_lock(&lock);
    (void)ensure_path();
    if (!forbidden)
        atomic_store(&mask, value);
    ts_mutex_unlock(&lock);
}
