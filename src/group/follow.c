#include "group/follow.h"

#include <string.h>

#include "H5Ppublic.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "container/find_file.h"
#include "id/id.h"
#include "plist/fapl.h"
#include "plist/lapl.h"

static struct ts_plist *list_or_default(struct ts_plist *lapl)
{
    return lapl ? lapl : ts_plist_default(TS_PLIST_LINK_ACCESS);
}

size_t ts_follow_limit(struct ts_plist *lapl)
{
    size_t limit = 16;
    struct ts_plist *list = list_or_default(lapl);
    if (list && ts_lapl_nlinks(list, &limit) < 0)
        return 0;
    return limit;
}

int ts_external_unpack(const void *value, size_t size, unsigned *flags, const char **file, const char **path)
{
    const char *bytes = value;
    if (size == 0)
        return TS_ERR(ARGS, BADVALUE, "not a valid external link buffer");
    if ((unsigned char)bytes[0] >> 4)
        return TS_ERR(LINK, CANTDECODE, "bad version number for external link");
    if (bytes[0] & 0x0F)
        return TS_ERR(LINK, CANTDECODE, "bad flags for external link");
    if (size < 3)
        return TS_ERR(ARGS, BADVALUE, "not a valid external link buffer");
    if (bytes[size - 1] != '\0')
        return TS_ERR(ARGS, BADVALUE, "linkval buffer is not NULL-terminated");
    const char *name = bytes + 1;
    size_t len = strlen(name);
    if (len + 2 >= size)
        return TS_ERR(ARGS, BADVALUE, "linkval buffer doesn't contain an object path");
    if (flags)
        *flags = 0;
    if (file)
        *file = name;
    if (path)
        *path = name + len + 1;
    return 0;
}

static int ask_callback(const struct ts_place *group, struct ts_plist *lapl, struct ts_container_search *how,
                        const char *file, const char *path)
{
    struct ts_elink_cb cb;
    if (ts_lapl_elink_cb(lapl, &cb) < 0)
        return -1;
    if (!cb.func)
        return 0;
    ts_plist_ref(how->fapl);
    hid_t fapl_id = ts_id_register(H5I_GENPROP_LST, how->fapl);
    if (fapl_id < 0) {
        ts_plist_unref(how->fapl);
        return -1;
    }
    TS_MAY_CALL_OUT();
    herr_t answer =
        cb.func(group->loc.fh->name, group->path ? group->path : "", file, path, &how->flags, fapl_id, cb.data);
    ts_id_dec(fapl_id);
    return answer < 0 ? TS_ERR(LINK, CALLBACK, "traversal operator failed") : 0;
}

/* As in libhdf5 this is not the parent's: a file that is open as by default can be followed to from any. */
static int evict_by_default(struct ts_plist *fapl)
{
    bool evict;
    struct ts_plist *defaults = ts_plist_default(TS_PLIST_FILE_ACCESS);
    if (!defaults || ts_fapl_evict_on_close(defaults, &evict) < 0)
        return -1;
    return ts_fapl_set_evict_on_close(fapl, evict);
}

/* The list for external files, else the parent's. A copy: the callback may change it. */
static int copy_fapl(struct ts_plist *lapl, const struct ts_file *parent, struct ts_plist **out)
{
    struct ts_plist *own;
    if (ts_lapl_elink_fapl(lapl, &own) < 0)
        return -1;
    int status = ts_plist_copy(own ? own : parent->fapl, out);
    if (own)
        ts_plist_unref(own);
    else if (status == 0 && evict_by_default(*out) < 0) {
        ts_plist_unref(*out);
        return -1;
    }
    return status;
}

static int search_file(struct ts_container_search *how, struct ts_plist *lapl, const char *name,
                       struct ts_fhandle **out)
{
    char *prefix;
    if (how->flags & ~(unsigned)(H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ))
        return TS_ERR(LINK, BADVALUE, "invalid file open flags %#x", how->flags);
    if (ts_lapl_elink_prefix(lapl, &prefix) < 0)
        return -1;
    how->prefix = prefix;
    int found = ts_container_find(how, name, out);
    ts_free(prefix);
    if (found > 0)
        return 0;
    if (found == 0) {
        const char *last = *name == '/' ? strrchr(name, '/') + 1 : name, *first = TS_ABI_MISSING_FILE;
        if (first)
            TS_ERR(FILE, CANTOPENFILE, "%s", first);
        TS_ERR(FILE, CANTOPENFILE, "unable to open file, file name = '%s', temp_file_name = '%s'", name, last);
    }
    TS_ERR(LINK, CANTOPENFILE, "unable to open external file, external link file name = '%s'", name);
    return ts_err_because(found == 0 ? TS_WHY_ABSENT : TS_WHY_ANY);
}

int ts_follow_external(const struct ts_place *group, const struct ts_link *link, struct ts_plist *lapl_or_null,
                       struct ts_fhandle **fh, const char **path)
{
    struct ts_plist *lapl = list_or_default(lapl_or_null);
    const struct ts_fhandle *parent = group->loc.fh;
    struct ts_container_search how = {.parent = parent,
                                      .kind = H5F_EXTERNAL_LINK,
                                      .variable = "HDF5_EXT_PREFIX",
                                      .flags = ts_file_intent(parent->file)};
    const char *file;
    unsigned flags;
    if (ts_external_unpack(link->value, link->value_size, NULL, &file, path) < 0)
        return TS_ERR(LINK, CANTDECODE, "the value of external link '%s' makes no sense", link->name);
    if (ts_lapl_elink_flags(lapl, &flags) < 0 || copy_fapl(lapl, parent->file, &how.fapl) < 0)
        return -1;
    if (flags != H5F_ACC_DEFAULT)
        how.flags = flags;
    int status = ask_callback(group, lapl, &how, file, *path);
    if (status == 0)
        status = search_file(&how, lapl, file, fh);
    ts_plist_unref(how.fapl);
    return status;
}

static hid_t call_traverse(const struct ts_link *link, const struct ts_link_class *cls, hid_t group_id, hid_t lapl_id)
{
    TS_MAY_CALL_OUT();
    const void *data = link->value_size ? link->value : NULL;
    if (cls->cls.version == H5L_LINK_CLASS_T_VERS_0) {
        H5L_traverse_0_func_t old = (H5L_traverse_0_func_t)(void (*)(void))cls->cls.trav_func;
        return old(link->name, group_id, data, link->value_size, lapl_id);
    }
    return cls->cls.trav_func(link->name, group_id, data, link->value_size, lapl_id, H5P_LST_DATASET_XFER_ID_g);
}

int ts_follow_user(const struct ts_place *group, const struct ts_link *link, const struct ts_link_class *cls,
                   struct ts_plist *lapl_or_null, struct ts_place *out)
{
    struct ts_plist *lapl = list_or_default(lapl_or_null);
    struct ts_object *obj;
    if (ts_group_open(&group->loc, group->path, &obj) < 0)
        return -1;
    hid_t group_id = ts_id_register(H5I_GROUP, obj);
    if (group_id < 0) {
        ts_object_unref(obj);
        return -1;
    }
    ts_plist_ref(lapl);
    hid_t lapl_id = ts_id_register(H5I_GENPROP_LST, lapl);
    int status = -1;
    if (lapl_id < 0) {
        ts_plist_unref(lapl);
    } else {
        hid_t id = call_traverse(link, cls, group_id, lapl_id);
        if (id < 0)
            TS_ERR(LINK, BADATOM, "traversal callback returned invalid ID");
        else
            status = ts_place_from_id(id, out);
        if (id >= 0)
            ts_id_dec(id);
        ts_id_dec(lapl_id);
    }
    ts_id_take_back(group_id);
    return status;
}
