#include "filter/plugin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"

#define DEFAULT_PATH "/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins"
#define MAX_FOLDERS 128

static struct ts_mutex lock = TS_MUTEX_INIT(TS_RANK_PLUGINS);
static char *folders[MAX_FOLDERS];
static size_t n_folders;
static bool path_read;
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
    const char *preload = getenv("HDF5_PLUGIN_PRELOAD");
    if (preload && strcmp(preload, H5PL_NO_PLUGIN) == 0)
        atomic_store(&mask, 0);
    const char *env = getenv("HDF5_PLUGIN_PATH");
    for (const char *p = env ? env : DEFAULT_PATH; *p;) {
        size_t length = strcspn(p, ":");
        if (length && insert_locked(n_folders, p, length) < 0)
            return -1;
        p += length + (p[length] == ':');
    }
    path_read = true;
    return 0;
}

static const H5Z_class2_t *filter_of(void *library, H5Z_filter_t id)
{
    /* POSIX allows what ISO C does not: a function behind a data pointer. */
    H5PL_type_t (*type)(void) = (H5PL_type_t(*)(void))(uintptr_t)dlsym(library, "H5PLget_plugin_type");
    const void *(*info)(void) = (const void *(*)(void))(uintptr_t)dlsym(library, "H5PLget_plugin_info");
    if (!type || !info || type() != H5PL_TYPE_FILTER)
        return NULL;
    const H5Z_class2_t *cls = info();
    return cls && cls->version == H5Z_CLASS_T_VERS && cls->id == id && cls->filter ? cls : NULL;
}

static const H5Z_class2_t *try_file(const char *folder, const char *name, H5Z_filter_t id)
{
    char path[4096];
    if (!strstr(name, ".so") || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return NULL;
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return NULL;
    const H5Z_class2_t *cls = filter_of(library, id);
    if (!cls)
        dlclose(library);
    return cls;
}

static const H5Z_class2_t *search_folder(const char *folder, H5Z_filter_t id)
{
    DIR *dir = opendir(folder);
    const H5Z_class2_t *found = NULL;
    if (!dir)
        return NULL;
    for (struct dirent *e = readdir(dir); e && !found; e = readdir(dir))
        found = try_file(folder, e->d_name, id);
    closedir(dir);
    return found;
}

const H5Z_class2_t *ts_plugin_find_filter(H5Z_filter_t id)
{
    const H5Z_class2_t *found = NULL;
    ts_mutex_lock(&lock);
    if (ensure_path() == 0 && atomic_load(&mask) & H5PL_FILTER_PLUGIN)
        for (size_t i = 0; i < n_folders && !found; i++)
            found = search_folder(folders[i], id);
    ts_mutex_unlock(&lock);
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
    if (index >= n_folders)
        return TS_ERR(PLUGIN, BADVALUE, "plugin path has no entry %zu, it has %zu", index, n_folders);
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
    if (status == 0 && index > n_folders)
        status = TS_ERR(PLUGIN, BADVALUE, "position %zu lies behind the end of the plugin path, %zu", index, n_folders);
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

unsigned ts_plugin_mask(void)
{
    ts_mutex_lock(&lock);
    (void)ensure_path();
    ts_mutex_unlock(&lock);
    return atomic_load(&mask);
}

void ts_plugin_set_mask(unsigned value)
{
    (void)ts_plugin_mask();
    atomic_store(&mask, value);
}
