/* H5PL: where plugins are looked for. */
#include "H5PLpublic.h"
#include "api/api.h"
#include "base/alloc.h"
#include "filter/plugin.h"

static int check_folder(const char *folder)
{
    if (!folder)
        return TS_ERR(ARGS, BADVALUE, "plugin_path parameter cannot be NULL");
    return *folder ? 0 : TS_ERR(ARGS, BADVALUE, "plugin_path parameter cannot have length zero");
}

herr_t H5PLset_loading_state(unsigned int plugin_control_mask)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    ts_plugin_set_mask(plugin_control_mask);
    return 0;
}

herr_t H5PLget_loading_state(unsigned int *plugin_control_mask)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    if (!plugin_control_mask)
        return TS_API_ERR(-1, ARGS, BADVALUE, "plugin_control_mask parameter cannot be NULL");
    *plugin_control_mask = ts_plugin_mask();
    return 0;
}

herr_t H5PLappend(const char *search_path)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    if (check_folder(search_path) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_plugin_path_append(search_path));
}

herr_t H5PLprepend(const char *search_path)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    if (check_folder(search_path) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_plugin_path_insert(0, search_path));
}

herr_t H5PLreplace(const char *search_path, unsigned int index)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    if (check_folder(search_path) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_plugin_path_replace(index, search_path));
}

herr_t H5PLinsert(const char *search_path, unsigned int index)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    if (check_folder(search_path) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_plugin_path_insert(index, search_path));
}

herr_t H5PLremove(unsigned int index)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    return TS_API_RET(ts_plugin_path_remove(index));
}

ssize_t H5PLget(unsigned int index, char *path_buf, size_t buf_size)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    char *folder;
    if (ts_plugin_path_get(index, &folder) < 0)
        return TS_API_FAIL(-1);
    size_t length = ts_api_copy_name(path_buf, buf_size, folder);
    ts_free(folder);
    return (ssize_t)length;
}

herr_t H5PLsize(unsigned int *num_paths)
{
    TS_API_ENTER(PLUGIN, CANTOPERATE, "plugin table request failed");
    if (!num_paths)
        return TS_API_ERR(-1, ARGS, BADVALUE, "num_paths parameter cannot be NULL");
    *num_paths = (unsigned)ts_plugin_path_count();
    return 0;
}
