#include "group/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "id/id.h"
#include "object/setup.h"
#include "plist/lapl.h"

static struct ts_plist *list_or_default(struct ts_plist *lapl)
{
    return lapl ? lapl : ts_plist_default(TS_PLIST_LINK_ACCESS);
}

size_t ts_follow_limit(struct ts_plist *lapl)
{
    size_t limit = 16;
    struct ts_plist *list = list_or_default(lapl);
    if (list && ts_plist_get(list, TS_P_NLINKS, &limit) < 0)
        return 0;
    return limit;
}

int ts_external_unpack(const void *value, size_t size, unsigned *flags, const char **file, const char **path)
{
    const char *bytes = value;
    if (size < 2)
        return TS_ERR(LINK, CANTDECODE, "not a valid external link: %zu bytes", size);
    if ((unsigned char)bytes[0] >> 4)
        return TS_ERR(LINK, CANTDECODE, "bad version number for external link");
    if (bytes[0] & 0x0F)
        return TS_ERR(LINK, CANTDECODE, "bad flags for external link");
    if (bytes[size - 1] != '\0')
        return TS_ERR(LINK, CANTDECODE, "linkdata buffer is not NULL-terminated");
    const char *name = bytes + 1;
    size_t len = strlen(name);
    if (len + 2 >= size)
        return TS_ERR(LINK, CANTDECODE, "linkdata buffer does not contain an object path");
    if (flags)
        *flags = 0;
    if (file)
        *file = name;
    if (path)
        *path = name + len + 1;
    return 0;
}

/* One external file being looked for. */
struct search {
    const struct ts_place *group;
    struct ts_plist *fapl;
    unsigned flags;
    struct ts_fhandle *found;
    bool no_memory; /* ends the search */
};

/* A file that is not there is not an error yet. */
static bool try_name(struct search *s, const char *name)
{
    struct ts_file *file;
    unsigned mark = ts_err_mark();
    if (s->no_memory)
        return false;
    if (ts_file_open(name, s->flags, s->fapl, &file) == 0) {
        if (ts_file_setup(file) < 0)
            ts_file_unref(file);
        else if (ts_fhandle_new(file, name, s->flags, &s->found) == 0)
            return true;
    }
    s->no_memory = ts_err_no_memory(mark);
    if (!s->no_memory)
        ts_err_rewind(mark);
    return false;
}

static bool try_in(struct search *s, const char *dir, size_t dir_len, const char *name)
{
    if (dir_len == 0)
        return false;
    char *full = ts_malloc(dir_len + strlen(name) + 2);
    if (!full) {
        s->no_memory = true;
        return false;
    }
    memcpy(full, dir, dir_len);
    size_t len = dir_len;
    if (full[len - 1] != '/')
        full[len++] = '/';
    strcpy(full + len, name);
    bool ok = try_name(s, full);
    ts_free(full);
    return ok;
}

static bool try_in_list(struct search *s, const char *dirs, const char *name)
{
    while (dirs && *dirs) {
        size_t len = strcspn(dirs, ":");
        if (try_in(s, dirs, len, name))
            return true;
        dirs += len + (dirs[len] == ':');
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

static int search_file(struct search *s, struct ts_plist *lapl, const char *name)
{
    const char *parent = s->group->loc.fh->file->name;
    char *prefix = NULL;
    const char *rest = name;
    if (name[0] == '/') {
        if (try_name(s, name))
            return 0;
        rest = strrchr(name, '/') + 1;
    }
    if (ts_lapl_elink_prefix(lapl, &prefix) < 0)
        return -1;
    bool ok = try_in_list(s, getenv("HDF5_EXT_PREFIX"), rest) || (prefix && try_in(s, prefix, strlen(prefix), rest)) ||
              try_beside(s, parent, rest) || try_name(s, rest) || try_beside_real(s, parent, rest);
    ts_free(prefix);
    if (!ok)
        return TS_ERR(LINK, CANTOPENFILE, "unable to open external file, external link file name = '%s'", name);
    return 0;
}

static int ask_callback(const struct search *s, struct ts_plist *lapl, const char *file, const char *path,
                        unsigned *flags)
{
    struct ts_elink_cb cb;
    if (ts_plist_get(lapl, TS_P_ELINK_CB, &cb) < 0)
        return -1;
    if (!cb.func)
        return 0;
    ts_plist_ref(s->fapl);
    hid_t fapl_id = ts_id_register(H5I_GENPROP_LST, s->fapl);
    if (fapl_id < 0) {
        ts_plist_unref(s->fapl);
        return -1;
    }
    herr_t answer = cb.func(s->group->loc.fh->name, s->group->path ? s->group->path : "", file, path, flags, fapl_id,
                            cb.data);
    ts_id_dec(fapl_id);
    return answer < 0 ? TS_ERR(LINK, CALLBACK, "traversal operator failed") : 0;
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
    return status;
}

int ts_follow_external(const struct ts_place *group, const struct ts_link *link, struct ts_plist *lapl_or_null,
                       struct ts_fhandle **fh, const char **path)
{
    struct ts_plist *lapl = list_or_default(lapl_or_null);
    struct search s = {.group = group, .flags = group->loc.fh->flags};
    const char *file;
    unsigned flags;
    int status = -1;
    if (ts_external_unpack(link->value, link->value_size, NULL, &file, path) < 0 ||
        ts_plist_get(lapl, TS_P_ELINK_FLAGS, &flags) < 0 || copy_fapl(lapl, group->loc.fh->file, &s.fapl) < 0)
        return -1;
    if (flags != H5F_ACC_DEFAULT)
        s.flags = flags;
    flags = s.flags;
    if (ask_callback(&s, lapl, file, *path, &flags) < 0)
        goto done;
    s.flags = flags;
    if (s.flags & ~(unsigned)(H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ)) {
        TS_ERR(LINK, BADVALUE, "invalid file open flags %#x", s.flags);
        goto done;
    }
    status = search_file(&s, lapl, file);
    *fh = s.found;
done:
    ts_plist_unref(s.fapl);
    return status;
}

static hid_t call_traverse(const struct ts_link *link, const struct ts_link_class *cls, hid_t group_id, hid_t lapl_id)
{
    const void *data = link->value_size ? link->value : NULL;
    if (cls->cls.version == H5L_LINK_CLASS_T_VERS_0) {
        H5L_traverse_0_func_t old = (H5L_traverse_0_func_t)(void (*)(void))cls->cls.trav_func;
        return old(link->name, group_id, data, link->value_size, lapl_id);
    }
    return cls->cls.trav_func(link->name, group_id, data, link->value_size, lapl_id, H5P_DEFAULT);
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
    ts_id_dec(group_id);
    return status;
}
