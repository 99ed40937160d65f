/* H5FD: the ids of file drivers, and registering those of the application. */
#include <stdatomic.h>
#include <string.h>

#include "H5FDcore.h"
#include "H5FDfamily.h"
#include "H5FDhdfs.h"
#include "H5FDlog.h"
#include "H5FDmulti.h"
#include "H5FDpublic.h"
#include "H5FDros3.h"
#include "H5FDsec2.h"
#include "H5FDsplitter.h"
#include "H5FDstdio.h"
#include "api/drivers.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "driver/access.h"
#include "filter/plugin.h"
#include "plist/fapl.h"

/* What an id of a driver stands for. The library's own live as long as the process. */
struct driver_id {
    enum ts_driver_kind kind;
    const char *name;
    H5FD_class_value_t value;
    unsigned long features;     /* H5FD_FEAT_* */
    hid_t id;                   /* written while the library starts */
    struct ts_user_class *user; /* of the application's own, which are counted */
    atomic_uint refs;
};

#define BASIC                                                                                                          \
    (H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |                             \
     H5FD_FEAT_AGGREGATE_SMALLDATA)
#define POSIX (BASIC | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE)

static struct driver_id drivers[TS_DRIVER_COUNT] = {
    [TS_DRIVER_SEC2] = {TS_DRIVER_SEC2, "sec2", H5_VFD_SEC2, POSIX, -1, NULL, 0},
    [TS_DRIVER_CORE] = {TS_DRIVER_CORE, "core", H5_VFD_CORE,
                        BASIC | H5FD_FEAT_ALLOW_FILE_IMAGE | H5FD_FEAT_CAN_USE_FILE_IMAGE_CALLBACKS, -1, NULL, 0},
    [TS_DRIVER_FAMILY] = {TS_DRIVER_FAMILY, "family", H5_VFD_FAMILY, BASIC, -1, NULL, 0},
    [TS_DRIVER_MULTI] = {TS_DRIVER_MULTI, "multi", H5_VFD_MULTI,
                         H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_USE_ALLOC_SIZE |
                             H5FD_FEAT_PAGED_AGGR,
                         -1, NULL, 0},
    [TS_DRIVER_LOG] = {TS_DRIVER_LOG, "log", H5_VFD_LOG, POSIX, -1, NULL, 0},
    [TS_DRIVER_STDIO] = {TS_DRIVER_STDIO, "stdio", H5_VFD_STDIO, BASIC | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE, -1, NULL, 0},
    [TS_DRIVER_SPLITTER] = {TS_DRIVER_SPLITTER, "splitter", H5_VFD_SPLITTER, 0, -1, NULL, 0},
};

static void driver_ref(void *obj)
{
    struct driver_id *d = obj;
    if (d->user)
        atomic_fetch_add(&d->refs, 1);
}

static void driver_unref(void *obj)
{
    struct driver_id *d = obj;
    if (!d->user || atomic_fetch_sub(&d->refs, 1) != 1)
        return;
    ts_user_class_unref(d->user);
    ts_free(d);
}

/* In libhdf5 these three are drivers like those of an application, which holds the first reference. */
static bool is_counted(enum ts_driver_kind kind)
{
    return kind == TS_DRIVER_MULTI || kind == TS_DRIVER_STDIO || kind == TS_DRIVER_SPLITTER;
}

void ts_driver_api_init(void)
{
    static const struct ts_id_class cls = {.ref = driver_ref, .unref = driver_unref};
    ts_id_class_set(H5I_VFL, &cls);
    for (int i = 0; i < TS_DRIVER_COUNT; i++)
        drivers[i].id = ts_id_register_hidden(H5I_VFL, &drivers[i]);
    for (int i = 0; i < TS_DRIVER_COUNT; i++)
        if (is_counted(i))
            ts_id_inc(drivers[i].id);
}

hid_t ts_driver_api_id(enum ts_driver_kind kind)
{
    return drivers[kind].id;
}

int ts_driver_api_kind(struct ts_api_scope *scope, hid_t id, enum ts_driver_kind *kind, struct ts_user_class **user)
{
    const struct driver_id *d = ts_api_pin(scope, id, H5I_VFL);
    if (!d)
        return -1;
    *kind = d->kind;
    *user = d->user;
    return 0;
}

static int users_features(const struct ts_user_class *user, unsigned long *flags)
{
    *flags = 0;
    return user->calls.query ? user->calls.query(NULL, flags) : 0;
}

int ts_driver_api_features(const struct ts_driver_config *config, unsigned long *flags)
{
    if (config->kind == TS_DRIVER_USER)
        return users_features(config->user.cls, flags);
    /* A file that is written twice is what the one that is also read is. */
    if (config->kind == TS_DRIVER_SPLITTER && config->splitter.rw)
        return ts_driver_api_features(config->splitter.rw, flags);
    if (config->kind == TS_DRIVER_CORE && config->core.backing_store) {
        *flags = drivers[TS_DRIVER_CORE].features | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
        return 0;
    }
    *flags = drivers[config->kind == TS_DRIVER_SPLITTER ? TS_DRIVER_SEC2 : config->kind].features;
    return 0;
}

int ts_driver_api_check_swmr(struct ts_plist *fapl)
{
    const struct ts_driver_config *config = ts_fapl_driver(fapl);
    unsigned long flags;
    if (!config || ts_driver_api_features(config, &flags) < 0)
        return -1;
    return flags & H5FD_FEAT_SUPPORTS_SWMR_IO
               ? 0
               : TS_SAY(FILE, BADVALUE, "must use a SWMR-compatible VFD for this public routine");
}

int ts_driver_api_by_name(const char *name)
{
    for (int i = 0; i < TS_DRIVER_COUNT; i++)
        if (strcmp(drivers[i].name, name) == 0)
            return i;
    return -1;
}

int ts_driver_api_by_value(H5FD_class_value_t value)
{
    for (int i = 0; i < TS_DRIVER_COUNT; i++)
        if (drivers[i].value == value)
            return i;
    return -1;
}

static int read_part(struct ts_plist *list, struct ts_driver_part *part)
{
    int type;
    if (ts_fapl_family_offset(list, &part->offset) < 0 || ts_fapl_multi_type(list, &type) < 0)
        return -1;
    part->type = (H5FD_mem_t)type;
    return 0;
}

/* A list that is none is told by memory, too. */
int ts_driver_api_part(struct ts_api_scope *scope, enum ts_driver_kind kind, hid_t fapl, struct ts_driver_part *part)
{
    struct ts_plist *list;
    *part = (struct ts_driver_part){0, H5FD_MEM_DEFAULT};
    switch (kind) {
    case TS_DRIVER_FAMILY:
    case TS_DRIVER_MULTI:
        list = fapl == H5P_DEFAULT ? NULL : ts_api_plist(scope, fapl, TS_PLIST_FILE_ACCESS);
        return list ? read_part(list, part)
                    : TS_ERR(VFL, BADVALUE, "which of the files is meant, a file access property list says");
    case TS_DRIVER_CORE:
        return fapl == H5P_DEFAULT || ts_api_any_plist(scope, fapl)
                   ? 0
                   : TS_ERR(VFL, BADVALUE, "not a list: %lld", (long long)fapl);
    default:
        return 0;
    }
}

static hid_t own_driver(enum ts_driver_kind kind)
{
    hid_t id = drivers[kind].id;
    if (is_counted(kind) && ts_id_count(id) == 0)
        ts_id_inc(id);
    return id;
}

hid_t H5FD_sec2_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return own_driver(TS_DRIVER_SEC2);
}

hid_t H5FD_core_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return own_driver(TS_DRIVER_CORE);
}

hid_t H5FD_family_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return own_driver(TS_DRIVER_FAMILY);
}

hid_t H5FD_multi_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return own_driver(TS_DRIVER_MULTI);
}

hid_t H5FD_log_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return own_driver(TS_DRIVER_LOG);
}

hid_t H5FD_stdio_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return own_driver(TS_DRIVER_STDIO);
}

hid_t H5FD_splitter_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return own_driver(TS_DRIVER_SPLITTER);
}

/* Both need a client for another service. As in a libhdf5 that was built without them. */
hid_t H5FD_hdfs_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return H5I_INVALID_HID;
}

hid_t H5FD_ros3_init(void)
{
    TS_API_ENTER_NOCLEAR(VFL, CANTOPERATE, "file driver request failed");
    return H5I_INVALID_HID;
}

hid_t H5FDperform_init(H5FD_init_t op)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    return op ? op() : TS_API_ERR(H5I_INVALID_HID, ARGS, BADVALUE, "no function that makes a driver known");
}

herr_t H5FDdriver_query(hid_t driver_id, unsigned long *flags)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed", TS_BAD_ID(ATOM, BADATOM, "not a VFL ID"));
    if (!flags)
        return TS_API_ERR(-1, ARGS, BADVALUE, "flags parameter cannot be NULL");
    const struct driver_id *d = TS_API_OBJ(driver_id, H5I_VFL);
    if (!d)
        return TS_API_FAIL(-1);
    if (d->user)
        return TS_API_RET(users_features(d->user, flags));
    *flags = d->features;
    return 0;
}

static int check_class(const H5FD_class_t *cls)
{
    if (cls->version != H5FD_CLASS_VERSION)
        return TS_ERR(ARGS, VERSION, "wrong file driver version #%u, version %d is known", cls->version,
                      H5FD_CLASS_VERSION);
    if (!cls->open || !cls->close)
        return TS_ERR(ARGS, UNINITIALIZED, "'open' and/or 'close' methods are not defined");
    if (!cls->get_eoa || !cls->set_eoa)
        return TS_ERR(ARGS, UNINITIALIZED, "'get_eoa' and/or 'set_eoa' methods are not defined");
    if (!cls->get_eof)
        return TS_ERR(ARGS, UNINITIALIZED, "'get_eof' method is not defined");
    if (!cls->read || !cls->write)
        return TS_ERR(ARGS, UNINITIALIZED, "'read' and/or 'write' method is not defined");
    for (int i = 0; i < H5FD_MEM_NTYPES; i++)
        if (cls->fl_map[i] < H5FD_MEM_NOLIST || cls->fl_map[i] >= H5FD_MEM_NTYPES)
            return TS_ERR(ARGS, BADVALUE, "invalid free-list mapping");
    return cls->name ? 0 : TS_ERR(ARGS, UNINITIALIZED, "a driver without a name");
}

static void list_done(hid_t id)
{
    (void)ts_id_dec(id);
}

static int driver_id_new(const H5FD_class_t *cls, struct driver_id **out)
{
    static const struct ts_user_lists lists = {ts_driver_api_list_id, list_done};
    struct driver_id *d = ts_calloc(1, sizeof *d);
    if (!d)
        return -1;
    if (ts_user_class_new(cls, &lists, &d->user) < 0) {
        ts_free(d);
        return -1;
    }
    d->kind = TS_DRIVER_USER;
    d->name = d->user->calls.name;
    d->value = d->user->calls.value;
    atomic_init(&d->refs, 1);
    *out = d;
    return 0;
}

static hid_t register_class(struct ts_api_scope *scope, const H5FD_class_t *calls)
{
    struct driver_id *d;
    if (check_class(calls) < 0 || driver_id_new(calls, &d) < 0)
        return -1;
    struct ts_user_class *user = d->user;
    hid_t id = ts_api_new_id(scope, H5I_VFL, d, __LINE__);
    /* Nobody else can have the id yet. */
    if (id >= 0)
        user->id = id;
    return id;
}

hid_t H5FDregister(const H5FD_class_t *cls)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    H5FD_class_t calls;
    if (!cls)
        return TS_API_ERR(-1, ARGS, UNINITIALIZED, "null class pointer is disallowed");
#ifdef TS_ABI_CLASS_110
    ts_class110_widen((const struct ts_class110 *)(const void *)cls, &calls);
#else
    calls = *cls;
#endif
    return TS_API_RET(register_class(&ts_scope_, &calls));
}

herr_t H5FDunregister(hid_t driver_id)
{
    TS_API_ENTER(VFL, CANTDEC, "unable to unregister file driver");
    const struct driver_id *d = TS_API_OBJ(driver_id, H5I_VFL);
    if (!d)
        return TS_API_FAIL(-1);
    if (!d->user && ts_id_count(driver_id) == 0)
        return TS_API_RET(TS_ERR(VFL, CANTDEC, "unable to unregister file driver: '%s' is the library's own", d->name));
    return TS_API_RET(ts_id_dec(driver_id) < 0 ? -1 : 0);
}

static bool has_name(const struct driver_id *d, const void *name)
{
    return strcmp(d->name, name) == 0;
}

static bool has_value(const struct driver_id *d, const void *value)
{
    return d->value == *(const H5FD_class_value_t *)value;
}

static struct ts_user_class *find_user(struct ts_api_scope *scope, bool (*is)(const struct driver_id *, const void *),
                                       const void *what)
{
    hid_t *ids;
    size_t n;
    struct ts_user_class *found = NULL;
    if (ts_id_list(H5I_VFL, false, &ids, &n) < 0)
        return NULL;
    for (size_t i = 0; !found && i < n; i++) {
        unsigned mark = ts_err_mark();
        const struct driver_id *d = ts_api_pin(scope, ids[i], H5I_VFL);
        ts_err_rewind(mark); /* another thread may have closed it */
        found = d && is(d, what) ? d->user : NULL;
    }
    ts_free(ids);
    return found;
}

struct ts_user_class *ts_driver_api_user_by_name(struct ts_api_scope *scope, const char *name)
{
    return find_user(scope, has_name, name);
}

struct ts_user_class *ts_driver_api_user_by_value(struct ts_api_scope *scope, H5FD_class_value_t value)
{
    return value == H5_VFD_INVALID ? NULL : find_user(scope, has_value, &value);
}

/* It stays registered, with an id that nobody closes, as in libhdf5. */
static struct ts_user_class *from_plugin(struct ts_api_scope *scope, const char *name, H5FD_class_value_t value)
{
    H5FD_class_t calls;
    struct ts_access *access;
    enum ts_driver_kind kind;
    struct ts_user_class *user = NULL;
    if (ts_access_add(NULL, TS_ACCESS_VARIABLE, ts_access_environment(), NULL, &access) < 0)
        return NULL;
    int found = ts_plugin_find_driver(name, value, access, &calls);
    ts_access_unref(access);
    hid_t id = found > 0 ? register_class(scope, &calls) : -1;
    return id >= 0 && ts_driver_api_kind(scope, id, &kind, &user) == 0 ? user : NULL;
}

struct ts_user_class *ts_driver_api_load_by_name(struct ts_api_scope *scope, const char *name)
{
    struct ts_user_class *user = ts_driver_api_user_by_name(scope, name);
    return user ? user : from_plugin(scope, name, H5_VFD_INVALID);
}

struct ts_user_class *ts_driver_api_load_by_value(struct ts_api_scope *scope, H5FD_class_value_t value)
{
    struct ts_user_class *user = ts_driver_api_user_by_value(scope, value);
    return user || value < 0 ? user : from_plugin(scope, NULL, value);
}

htri_t H5FDis_driver_registered_by_name(const char *driver_name)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (!driver_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no name of a driver");
    if (ts_driver_api_by_name(driver_name) >= 0)
        return 1;
    return ts_driver_api_user_by_name(&ts_scope_, driver_name) != NULL;
}

htri_t H5FDis_driver_registered_by_value(H5FD_class_value_t driver_value)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    return ts_driver_api_by_value(driver_value) >= 0 || ts_driver_api_user_by_value(&ts_scope_, driver_value) != NULL;
}
