/* H5P: file drivers in file access lists. */
#include <stdio.h>
#include <string.h>

#include "H5FDcore.h"
#include "H5FDfamily.h"
#include "H5FDhdfs.h"
#include "H5FDlog.h"
#include "H5FDmulti.h"
#include "H5FDros3.h"
#include "H5FDsec2.h"
#include "H5FDsplitter.h"
#include "H5FDstdio.h"
#include "api/drivers.h"
#include "api/plist_args.h"
#include "base/alloc.h"
#include "plist/engine.h"
#include "plist/fapl.h"
#include "plist/lapl.h"

static int set_plain(struct ts_plist *pl, enum ts_driver_kind kind)
{
    struct ts_fapl_vfd vfd = {.config = {.kind = kind}};
    return pl ? ts_fapl_set_driver(pl, &vfd) : -1;
}

/* A deep copy of the driver's settings; the list must be set up for this driver. */
static int get_vfd(struct ts_plist *pl, enum ts_driver_kind kind, struct ts_fapl_vfd *vfd)
{
    if (!pl || ts_fapl_vfd(pl, vfd) < 0)
        return -1;
    if (vfd->config.kind == kind && vfd->has_info)
        return 0;
    bool other = vfd->config.kind != kind;
    ts_fapl_vfd_deinit(vfd);
    if (other)
        return TS_SAY(PLIST, BADVALUE, "incorrect VFL driver: the list is not set up for this one");
    return kind == TS_DRIVER_SPLITTER ? TS_SAY(PLIST, BADVALUE, "unable to get specific-driver info")
                                      : TS_SAY(PLIST, BADVALUE, "bad VFL driver info");
}

hid_t ts_driver_api_list_id(void *list)
{
    struct ts_plist *copy;
    if (ts_plist_copy(list, &copy) < 0)
        return -1;
    return ts_api_list_id(copy);
}

herr_t H5Pset_fapl_sec2(hid_t fapl_id)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(set_plain(TS_P_LIST(fapl_id, FILE_ACCESS), TS_DRIVER_SEC2));
}

herr_t H5Pset_fapl_stdio(hid_t fapl_id)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(PLIST, BADTYPE, "not a file access property list"));
    if (!ts_api_any_plist(&ts_scope_, fapl_id))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a property list");
    return TS_API_RET(set_plain(TS_P_LIST(fapl_id, FILE_ACCESS), TS_DRIVER_STDIO));
}

herr_t H5Pset_fapl_log(hid_t fapl_id, const char *logfile, unsigned long long flags, size_t buf_size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    /* Its size is that of a map of the file, one byte for each, which this log does not have. */
    (void)buf_size;
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_LOG}, .has_info = true};
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    vfd.config.log.flags = flags;
    if (logfile && !(vfd.config.log.path = ts_strdup(logfile)))
        return TS_API_FAIL(-1);
    herr_t status = ts_fapl_set_driver(pl, &vfd);
    ts_free(vfd.config.log.path);
    return TS_API_RET(status);
}

herr_t H5Pset_fapl_core(hid_t fapl_id, size_t increment, hbool_t backing_store)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_CORE}, .has_info = true};
    vfd.config.core.increment = increment;
    vfd.config.core.backing_store = backing_store;
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    return TS_API_RET(pl ? ts_fapl_set_driver(pl, &vfd) : -1);
}

herr_t H5Pget_fapl_core(hid_t fapl_id, size_t *increment, hbool_t *backing_store)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a file access property list"));
    struct ts_fapl_vfd vfd;
    if (get_vfd(TS_P_LIST(fapl_id, FILE_ACCESS), TS_DRIVER_CORE, &vfd) < 0)
        return TS_API_FAIL(-1);
    if (increment)
        *increment = vfd.config.core.increment;
    if (backing_store)
        *backing_store = vfd.config.core.backing_store;
    ts_fapl_vfd_deinit(&vfd);
    return 0;
}

herr_t H5Pset_fapl_family(hid_t fapl_id, hsize_t memb_size, hid_t memb_fapl_id)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a file access list"));
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_FAMILY}, .has_info = true};
    vfd.config.family.member_size = memb_size;
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    vfd.members[0] = pl ? TS_API_PLIST(memb_fapl_id, TS_PLIST_FILE_ACCESS) : NULL;
    return TS_API_RET(vfd.members[0] ? ts_fapl_set_driver(pl, &vfd) : -1);
}

herr_t H5Pget_fapl_family(hid_t fapl_id, hsize_t *memb_size, hid_t *memb_fapl_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a file access list"));
    struct ts_fapl_vfd vfd;
    if (get_vfd(TS_P_LIST(fapl_id, FILE_ACCESS), TS_DRIVER_FAMILY, &vfd) < 0)
        return TS_API_FAIL(-1);
    if (memb_size)
        *memb_size = vfd.config.family.member_size;
    int ret = 0;
    if (memb_fapl_id) {
        *memb_fapl_id = ts_driver_api_list_id(vfd.members[0]);
        ret = *memb_fapl_id < 0 ? -1 : 0;
    }
    ts_fapl_vfd_deinit(&vfd);
    return TS_API_RET(ret);
}

herr_t H5Pset_family_offset(hid_t fapl_id, hsize_t offset)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (fapl_id == H5P_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "can't modify default property list");
    return TS_API_RET(ts_fapl_set_family_offset(TS_P_LIST(fapl_id, FILE_ACCESS), offset));
}

herr_t H5Pget_family_offset(hid_t fapl_id, hsize_t *offset)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (fapl_id == H5P_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "can't modify default property list");
    hsize_t value;
    if (ts_fapl_family_offset(TS_P_LIST(fapl_id, FILE_ACCESS), &value) < 0)
        return TS_API_FAIL(-1);
    if (offset)
        *offset = value;
    return 0;
}

herr_t H5Pset_multi_type(hid_t fapl_id, H5FD_mem_t type)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (fapl_id == H5P_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "can't modify default property list");
    return TS_API_RET(ts_fapl_set_multi_type(TS_P_LIST(fapl_id, FILE_ACCESS), type));
}

herr_t H5Pget_multi_type(hid_t fapl_id, H5FD_mem_t *type)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (fapl_id == H5P_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "can't modify default property list");
    H5FD_mem_t value;
    if (ts_fapl_multi_type(TS_P_LIST(fapl_id, FILE_ACCESS), &value) < 0)
        return TS_API_FAIL(-1);
    if (type)
        *type = value;
    return 0;
}

/* What H5Pset_fapl_multi takes, as one. */
struct multi_args {
    const H5FD_mem_t *map;
    const hid_t *fapl;
    const char *const *name;
    const haddr_t *addr;
};

/* Each kind of data in a file of its own, in as many equal parts of the address space. */
static haddr_t default_addr(int i)
{
    return i > 0 ? (haddr_t)(i - 1) * (HADDR_MAX / (H5FD_MEM_NTYPES - 1)) : 0;
}

static H5FD_mem_t goes_to(const struct multi_args *a, int i)
{
    H5FD_mem_t to = a->map ? a->map[i] : H5FD_MEM_DEFAULT;
    return to == H5FD_MEM_DEFAULT ? (H5FD_mem_t)i : to;
}

/* Whether there is a file of this kind: the list of another may be none. */
static bool is_used(const struct multi_args *a, int kind)
{
    for (int i = 0; i < H5FD_MEM_NTYPES; i++)
        if ((int)goes_to(a, i) == kind)
            return true;
    return false;
}

static int multi_member(struct ts_api_scope *scope, const struct multi_args *a, int i, struct ts_fapl_vfd *vfd)
{
    static const char letters[] = "Xsbrglo";
    char pattern[] = "%s-X.h5";
    pattern[3] = letters[i];
    const char *name = a->name ? a->name[i] : pattern;
    vfd->config.multi.map[i] = a->map ? a->map[i] : H5FD_MEM_DEFAULT;
    vfd->config.multi.addr[i] = a->addr ? a->addr[i] : default_addr(i);
    hid_t fapl = a->fapl ? a->fapl[i] : H5P_DEFAULT;
    unsigned mark = ts_err_mark();
    vfd->members[i] = ts_api_plist(scope, fapl, TS_PLIST_FILE_ACCESS);
    if (!vfd->members[i] && is_used(a, i))
        return -1;
    ts_err_rewind(mark);
    if (name && !(vfd->config.multi.name[i] = ts_strdup(name)))
        return -1;
    return 0;
}

/* Every kind that another maps to must have a name. */
static int check_multi(const struct ts_driver_config *c)
{
    for (int i = 1; i < H5FD_MEM_NTYPES; i++) {
        H5FD_mem_t to = c->multi.map[i];
        if (to < 0 || to >= H5FD_MEM_NTYPES)
            return TS_ERR(ARGS, BADRANGE, "kind %d maps to %d", i, (int)to);
        if (to == H5FD_MEM_DEFAULT)
            to = (H5FD_mem_t)i;
        if (!c->multi.name[to])
            return TS_ERR(ARGS, BADVALUE, "the file for kind %d has no name", (int)to);
    }
    return 0;
}

static int set_multi(struct ts_api_scope *scope, hid_t fapl_id, const struct multi_args *args, bool relax)
{
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_MULTI}, .has_info = true};
    vfd.config.multi.relax = relax;
    struct ts_plist *pl = ts_p_list(scope, fapl_id, TS_PLIST_FILE_ACCESS);
    int ret = pl ? 0 : -1;
    for (int i = 0; ret == 0 && i < H5FD_MEM_NTYPES; i++)
        ret = multi_member(scope, args, i, &vfd);
    if (ret == 0)
        ret = check_multi(&vfd.config);
    if (ret == 0)
        ret = ts_fapl_set_driver(pl, &vfd);
    for (int i = 0; i < H5FD_MEM_NTYPES; i++)
        ts_free(vfd.config.multi.name[i]);
    return ret;
}

herr_t H5Pset_fapl_multi(hid_t fapl_id, const H5FD_mem_t *memb_map, const hid_t *memb_fapl,
                         const char *const *memb_name, const haddr_t *memb_addr, hbool_t relax)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(PLIST, BADVALUE, "not an access list"),
                 TS_WRONG(OTHER_LIST, INTERNAL, BADVALUE, "file resource type incorrect"));
    struct multi_args args = {memb_map, memb_fapl, memb_name, memb_addr};
    return TS_API_RET(set_multi(&ts_scope_, fapl_id, &args, relax));
}

static int tell_multi(const struct ts_fapl_vfd *vfd, hid_t *memb_fapl, char **memb_name)
{
    for (int i = 0; i < H5FD_MEM_NTYPES; i++) {
        const char *name = vfd->config.multi.name[i];
        if (memb_name) {
            memb_name[i] = name ? ts_strdup(name) : NULL;
            if (name && !memb_name[i])
                return -1;
        }
        if (memb_fapl) {
            memb_fapl[i] = vfd->members[i] ? ts_driver_api_list_id(vfd->members[i]) : -1;
            if (vfd->members[i] && memb_fapl[i] < 0)
                return -1;
        }
    }
    return 0;
}

herr_t H5Pget_fapl_multi(hid_t fapl_id, H5FD_mem_t *memb_map, hid_t *memb_fapl, char **memb_name, haddr_t *memb_addr,
                         hbool_t *relax)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(PLIST, BADTYPE, "not an access list"));
    struct ts_fapl_vfd vfd;
    if (get_vfd(TS_P_LIST(fapl_id, FILE_ACCESS), TS_DRIVER_MULTI, &vfd) < 0)
        return TS_API_FAIL(-1);
    if (memb_map)
        memcpy(memb_map, vfd.config.multi.map, sizeof vfd.config.multi.map);
    if (memb_addr)
        memcpy(memb_addr, vfd.config.multi.addr, sizeof vfd.config.multi.addr);
    if (relax)
        *relax = vfd.config.multi.relax;
    int ret = tell_multi(&vfd, memb_fapl, memb_name);
    ts_fapl_vfd_deinit(&vfd);
    return TS_API_RET(ret);
}

/* An extension without %s is put behind the name. */
static int extension(const char *ext, const char *fallback, char *out, size_t size)
{
    if (!ext)
        ext = fallback;
    int n = snprintf(out, size, "%s%s", strstr(ext, "%s") ? "" : "%s", ext);
    return n < 0 || (size_t)n >= size ? TS_ERR(ARGS, BADVALUE, "extension '%s' is too long", ext) : 0;
}

herr_t H5Pset_fapl_split(hid_t fapl, const char *meta_ext, hid_t meta_plist_id, const char *raw_ext, hid_t raw_plist_id)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(PLIST, BADVALUE, "not an access list"),
                 TS_WRONG(OTHER_LIST, INTERNAL, BADVALUE, "file resource type incorrect"));
    char meta[1024], raw[1024];
    H5FD_mem_t map[H5FD_MEM_NTYPES];
    hid_t fapls[H5FD_MEM_NTYPES];
    const char *names[H5FD_MEM_NTYPES] = {NULL};
    haddr_t addrs[H5FD_MEM_NTYPES];
    if (extension(meta_ext, ".meta", meta, sizeof meta) < 0 || extension(raw_ext, ".raw", raw, sizeof raw) < 0)
        return TS_API_FAIL(-1);
    for (int i = 0; i < H5FD_MEM_NTYPES; i++) {
        map[i] = i == H5FD_MEM_DRAW || i == H5FD_MEM_GHEAP ? H5FD_MEM_DRAW : H5FD_MEM_SUPER;
        fapls[i] = -1;
        addrs[i] = HADDR_UNDEF;
    }
    names[H5FD_MEM_SUPER] = meta;
    fapls[H5FD_MEM_SUPER] = meta_plist_id;
    addrs[H5FD_MEM_SUPER] = 0;
    names[H5FD_MEM_DRAW] = raw;
    fapls[H5FD_MEM_DRAW] = raw_plist_id;
    addrs[H5FD_MEM_DRAW] = HADDR_MAX / 2;
    struct multi_args args = {map, fapls, names, addrs};
    /* Both files have one, while a member of others may have none. */
    if ((meta_plist_id < 0 || raw_plist_id < 0) && TS_P_LIST(fapl, FILE_ACCESS))
        return TS_API_ERR(-1, INTERNAL, BADVALUE,
                          "file resource type incorrect: no list for metadata, or for raw data");
    return TS_API_RET(set_multi(&ts_scope_, fapl, &args, true));
}

static int set_user(struct ts_plist *pl, struct ts_user_class *user, const void *info)
{
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_USER}, .has_info = info};
    vfd.config.user.cls = user;
    vfd.config.user.info = (void *)(uintptr_t)info;
    return ts_fapl_set_driver(pl, &vfd);
}

/* The information is what H5Pget_driver_info gave, or an application's driver's own. */
herr_t H5Pset_driver(hid_t plist_id, hid_t driver_id, const void *driver_info)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    enum ts_driver_kind kind;
    struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    struct ts_user_class *user;
    if (!pl)
        return TS_API_FAIL(-1);
    if (ts_driver_api_kind(&ts_scope_, driver_id, &kind, &user) < 0)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a file driver ID");
    if (!ts_plist_is(pl, TS_PLIST_FILE_ACCESS))
        return TS_API_ERR(-1, PLIST, CANTSET, "can't set driver info: no file access list");
    if (user)
        return TS_API_RET(set_user(pl, user, driver_info));
    const struct ts_fapl_vfd *info = driver_info;
    if (!info)
        return TS_API_RET(set_plain(pl, kind));
    if (info->config.kind != kind)
        return TS_API_ERR(-1, ARGS, BADVALUE, "the information is of another driver");
    return TS_API_RET(ts_fapl_set_driver(pl, info));
}

/* One of the library's own by its kind, or else one of the application's. */
static int set_found(struct ts_plist *pl, int kind, struct ts_user_class *user, const char *config)
{
    if (kind < 0 && !user)
        return TS_ERR(PLIST, CANTSET, "there is no such file driver");
    if (!pl || (kind >= 0 ? set_plain(pl, (enum ts_driver_kind)kind) : set_user(pl, user, NULL)) < 0)
        return -1;
    return ts_fapl_set_driver_config(pl, config);
}

herr_t H5Pset_driver_by_name(hid_t plist_id, const char *driver_name, const char *driver_config)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set driver info", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    if (!driver_name || !*driver_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no name of a driver");
    int kind = ts_driver_api_by_name(driver_name);
    struct ts_user_class *user = kind < 0 ? ts_driver_api_load_by_name(&ts_scope_, driver_name) : NULL;
    return TS_API_RET(set_found(TS_P_LIST(plist_id, FILE_ACCESS), kind, user, driver_config));
}

herr_t H5Pset_driver_by_value(hid_t plist_id, H5FD_class_value_t driver_value, const char *driver_config)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set driver info", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    int kind = ts_driver_api_by_value(driver_value);
    struct ts_user_class *user = kind < 0 ? ts_driver_api_load_by_value(&ts_scope_, driver_value) : NULL;
    return TS_API_RET(set_found(TS_P_LIST(plist_id, FILE_ACCESS), kind, user, driver_config));
}

ssize_t H5Pget_driver_config_str(hid_t fapl_id, char *config_buf, size_t buf_size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (!config_buf && buf_size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "config_buf cannot be NULL if buf_size is non-zero");
    return TS_API_RET(ts_p_string(TS_P_LIST(fapl_id, FILE_ACCESS), ts_fapl_driver_config, config_buf, buf_size));
}

static const struct ts_fapl_vfd *hold_driver(struct ts_plist *pl)
{
    if (ts_plist_is(pl, TS_PLIST_FILE_ACCESS))
        return ts_fapl_hold_driver(pl);
    TS_ERR(PLIST, BADTYPE, "a list of class '%s' is no file access list", ts_plist_class_name(ts_plist_class_of(pl)));
    return NULL;
}

hid_t H5Pget_driver(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl)
        return TS_API_FAIL(-1);
    const struct ts_fapl_vfd *vfd = hold_driver(pl);
    if (!vfd)
        return TS_API_ERR(-1, PLIST, CANTGET, "can't get driver");
    hid_t id = vfd->config.kind == TS_DRIVER_USER ? vfd->config.user.cls->id : ts_driver_api_id(vfd->config.kind);
    ts_plist_release(pl);
    return id;
}

/* Good until the list changes. */
const void *H5Pget_driver_info(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl)
        return TS_API_FAIL(NULL);
    const struct ts_fapl_vfd *vfd = hold_driver(pl);
    if (!vfd)
        return TS_API_ERR(NULL, PLIST, CANTGET, "can't get driver info");
    const void *info = vfd->config.kind == TS_DRIVER_USER ? vfd->config.user.info : vfd->has_info ? vfd : NULL;
    ts_plist_release(pl);
    return info ? info : TS_API_ERR(NULL, PLIST, CANTGET, "can't get driver info: the driver has none");
}

/* Channels are files that are read and written as one piece; what is only written must be kept somewhere else than in
 * memory. */
static int check_channel(struct ts_plist *list, bool write_only)
{
    const char *channel = write_only ? "W/O" : "R/W";
    const struct ts_driver_config *config = list ? ts_fapl_driver(list) : NULL;
    if (!config)
        return -1;
    if (config->kind == TS_DRIVER_FAMILY || config->kind == TS_DRIVER_MULTI || config->kind == TS_DRIVER_SPLITTER)
        return TS_SAY(VFL, BADVALUE, "unsuitable %s driver: a channel of the splitter driver must be one file",
                      channel);
    if (write_only && config->kind == TS_DRIVER_CORE)
        return TS_SAY(VFL, BADVALUE, "unsuitable %s driver: a file in memory", channel);
    return 0;
}

/* Each channel's list has records of its own, as in libhdf5. */
static struct ts_plist *write_only_list(struct ts_api_scope *scope, hid_t id)
{
    if (id != H5P_DEFAULT && !ts_api_any_plist(scope, id)) {
        TS_SAY(ARGS, BADTYPE, "not a file access property list");
        return NULL;
    }
    struct ts_plist *list = ts_api_plist(scope, id, TS_PLIST_FILE_ACCESS);
    if (!list)
        TS_SAY(PLIST, CANTGET, "can't get driver ID & info");
    return list;
}

/* The class of the other one counts before that of the list to be changed, its being a list after that. */
static bool is_other_list(struct ts_api_scope *scope, hid_t id)
{
    if (ts_id_type(id) != H5I_GENPROP_LST)
        return false;
    return !ts_api_plist(scope, id, TS_PLIST_FILE_ACCESS) && TS_SAY(ARGS, BADTYPE, "not a file access list") < 0;
}

static bool is_splitter_config(const H5FD_splitter_vfd_config_t *config)
{
    return config && config->magic == H5FD_SPLITTER_MAGIC;
}

/* The configuration borrows the paths. */
static int set_splitter(struct ts_plist *pl, H5FD_splitter_vfd_config_t *from, struct ts_fapl_vfd *vfd)
{
    if (!memchr(from->wo_path, 0, sizeof from->wo_path) || !memchr(from->log_file_path, 0, sizeof from->log_file_path))
        return TS_ERR(ARGS, BADVALUE, "invalid config (a path without an end)");
    vfd->config.splitter.wo_path = from->wo_path;
    vfd->config.splitter.log_path = from->log_file_path;
    vfd->config.splitter.ignore_wo_errors = from->ignore_wo_errs;
    return ts_fapl_set_driver(pl, vfd);
}

herr_t H5Pset_fapl_splitter(hid_t fapl_id, H5FD_splitter_vfd_config_t *config_ptr)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_WRONG(OTHER_LIST, PLIST, CANTSET, "can't set driver ID & info"));
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_SPLITTER}, .has_info = true};
    if (!is_splitter_config(config_ptr))
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid configuration (magic number mismatch)");
    if (config_ptr->version != H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid config (version number mismatch)");
    if (fapl_id == H5P_DEFAULT || ts_id_type(fapl_id) == H5I_BADID)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a valid property list");
    vfd.members[1] = write_only_list(&ts_scope_, config_ptr->wo_fapl_id);
    if (!vfd.members[1] || check_channel(vfd.members[1], true) < 0 || is_other_list(&ts_scope_, config_ptr->rw_fapl_id))
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    vfd.members[0] = pl ? TS_API_PLIST(config_ptr->rw_fapl_id, TS_PLIST_FILE_ACCESS) : NULL;
    if (!vfd.members[0] || check_channel(vfd.members[0], false) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(set_splitter(pl, config_ptr, &vfd));
}

static int give_splitter(const struct ts_fapl_vfd *vfd, H5FD_splitter_vfd_config_t *out)
{
    ts_api_copy_name(out->wo_path, sizeof out->wo_path, vfd->config.splitter.wo_path);
    ts_api_copy_name(out->log_file_path, sizeof out->log_file_path, vfd->config.splitter.log_path);
    out->ignore_wo_errs = vfd->config.splitter.ignore_wo_errors;
    out->rw_fapl_id = ts_driver_api_list_id(vfd->members[0]);
    out->wo_fapl_id = out->rw_fapl_id < 0 ? -1 : ts_driver_api_list_id(vfd->members[1]);
    return out->wo_fapl_id < 0 ? -1 : 0;
}

herr_t H5Pget_fapl_splitter(hid_t fapl_id, H5FD_splitter_vfd_config_t *config_ptr)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a file access property list"));
    struct ts_fapl_vfd vfd;
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!config_ptr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "config_out pointer is null");
    if (!is_splitter_config(config_ptr))
        return TS_API_ERR(-1, ARGS, BADVALUE, "info-out pointer invalid (magic number mismatch)");
    if (config_ptr->version != H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION)
        return TS_API_ERR(-1, ARGS, BADVALUE, "info-out pointer invalid (version unsafe)");
    if (get_vfd(pl, TS_DRIVER_SPLITTER, &vfd) < 0)
        return TS_API_FAIL(-1);
    int ret = give_splitter(&vfd, config_ptr);
    ts_fapl_vfd_deinit(&vfd);
    return TS_API_RET(ret);
}

herr_t H5Pset_fapl_hdfs(hid_t fapl_id, H5FD_hdfs_fapl_t *fa)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    (void)fapl_id, (void)fa;
    return TS_API_ERR(-1, VFL, UNSUPPORTED, "HDFS VFD not included in the HDF5 library");
}

herr_t H5Pget_fapl_hdfs(hid_t fapl_id, H5FD_hdfs_fapl_t *fa_out)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    (void)fapl_id, (void)fa_out;
    return TS_API_ERR(-1, VFL, UNSUPPORTED, "HDFS VFD not included in the HDF5 library");
}

herr_t H5Pset_fapl_ros3(hid_t fapl_id, H5FD_ros3_fapl_t *fa)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    (void)fapl_id, (void)fa;
    return TS_API_ERR(-1, VFL, UNSUPPORTED, "ROS3 VFD not included in the HDF5 library");
}

herr_t H5Pget_fapl_ros3(hid_t fapl_id, H5FD_ros3_fapl_t *fa_out)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    (void)fapl_id, (void)fa_out;
    return TS_API_ERR(-1, VFL, UNSUPPORTED, "ROS3 VFD not included in the HDF5 library");
}

herr_t H5Pset_fapl_ros3_token(hid_t fapl_id, const char *token)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    (void)fapl_id, (void)token;
    return TS_API_ERR(-1, VFL, UNSUPPORTED, "ROS3 VFD not included in the HDF5 library");
}

herr_t H5Pget_fapl_ros3_token(hid_t fapl_id, size_t size, char *token)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    (void)fapl_id, (void)size, (void)token;
    return TS_API_ERR(-1, VFL, UNSUPPORTED, "ROS3 VFD not included in the HDF5 library");
}
