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
#include "base/alloc.h"
#include "plist/fapl.h"

/* What an id of a driver stands for. The library's own live as long as the process. */
struct driver_id {
    enum ts_driver_kind kind;
    const char *name;
    H5FD_class_value_t value;
    unsigned long features; /* H5FD_FEAT_* */
    hid_t id;               /* written while the library starts */
    struct ts_user_class *user; /* of the application's own, which are counted */
    atomic_uint refs;
};

#define BASIC                                                                                                          \
    (H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA)
#define POSIX (BASIC | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE)

static struct driver_id drivers[TS_DRIVER_COUNT] = {
    [TS_DRIVER_SEC2] = {TS_DRIVER_SEC2, "sec2", H5_VFD_SEC2, POSIX, -1, NULL, 0},
    [TS_DRIVER_CORE] = {TS_DRIVER_CORE, "core", H5_VFD_CORE,
                        BASIC | H5FD_FEAT_ALLOW_FILE_IMAGE | H5FD_FEAT_CAN_USE_FILE_IMAGE_CALLBACKS, -1, NULL, 0},
    [TS_DRIVER_FAMILY] = {TS_DRIVER_FAMILY, "family", H5_VFD_FAMILY, BASIC, -1, NULL, 0},
    [TS_DRIVER_MULTI] = {TS_DRIVER_MULTI, "multi", H5_VFD_MULTI,
                         H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_USE_ALLOC_SIZE |
                             H5FD_FEAT_PAGED_AGGR, -1, NULL, 0},
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

void ts_driver_api_init(void)
{
    static const struct ts_id_class cls = {.ref = driver_ref, .unref = driver_unref};
    ts_id_class_set(H5I_VFL, &cls);
    for (int i = 0; i < TS_DRIVER_COUNT; i++)
        drivers[i].id = ts_id_register_hidden(H5I_VFL, &drivers[i]);
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

int ts_driver_api_check_swmr(struct ts_plist *fapl)
{
    const struct ts_driver_config *config = ts_fapl_driver(fapl);
    unsigned long flags;
    if (!config)
        return -1;
    if (config->kind != TS_DRIVER_USER)
        flags = drivers[config->kind].features;
    else if (users_features(config->user.cls, &flags) < 0)
        return -1;
    return flags & H5FD_FEAT_SUPPORTS_SWMR_IO
               ? 0 : TS_SAY(FILE, BADVALUE, "must use a SWMR-compatible VFD for this public routine");
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

hid_t H5FD_sec2_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return drivers[TS_DRIVER_SEC2].id;
}

hid_t H5FD_core_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return drivers[TS_DRIVER_CORE].id;
}

hid_t H5FD_family_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return drivers[TS_DRIVER_FAMILY].id;
}

hid_t H5FD_multi_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return drivers[TS_DRIVER_MULTI].id;
}

hid_t H5FD_log_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return drivers[TS_DRIVER_LOG].id;
}

hid_t H5FD_stdio_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return drivers[TS_DRIVER_STDIO].id;
}

hid_t H5FD_splitter_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return drivers[TS_DRIVER_SPLITTER].id;
}

/* Both need a client for another service. As in a libhdf5 that was built without them. */
hid_t H5FD_hdfs_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return H5I_INVALID_HID;
}

hid_t H5FD_ros3_init(void)
{
    TS_API_ENTER_NOCLEAR();
    return H5I_INVALID_HID;
}

hid_t H5FDperform_init(H5FD_init_t op)
{
    TS_API_ENTER();
    return op ? op() : TS_API_ERR(H5I_INVALID_HID, ARGS, BADVALUE, "no function that makes a driver known");
}

herr_t H5FDdriver_query(hid_t driver_id, unsigned long *flags)
{
    TS_API_ENTER();
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
    if (!cls || !cls->name)
        return TS_ERR(ARGS, UNINITIALIZED, "null class pointer is disallowed");
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
    return 0;
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
    d->value = H5_VFD_INVALID;
    atomic_init(&d->refs, 1);
    *out = d;
    return 0;
}

hid_t H5FDregister(const H5FD_class_t *cls)
{
    TS_API_ENTER();
    struct driver_id *d;
    if (check_class(cls) < 0 || driver_id_new(cls, &d) < 0)
        return TS_API_FAIL(-1);
    struct ts_user_class *user = d->user;
    hid_t id = TS_API_NEW_ID(H5I_VFL, d);
    /* Nobody else can have the id yet. */
    if (id >= 0)
        user->id = id;
    return id;
}

herr_t H5FDunregister(hid_t driver_id)
{
    TS_API_ENTER();
    if (!TS_API_OBJ(driver_id, H5I_VFL))
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_id_dec(driver_id) < 0 ? -1 : 0);
}

/* 1 when an application's own driver has the name. */
static int user_by_name(struct ts_api_scope *scope, const char *name)
{
    hid_t *ids;
    size_t n;
    int found = 0;
    if (ts_id_list(H5I_VFL, false, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; found == 0 && i < n; i++) {
        const struct driver_id *d = ts_api_pin(scope, ids[i], H5I_VFL);
        found = d && strcmp(d->name, name) == 0;
    }
    ts_free(ids);
    return found;
}

htri_t H5FDis_driver_registered_by_name(const char *driver_name)
{
    TS_API_ENTER();
    if (!driver_name || !*driver_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no name of a driver");
    if (ts_driver_api_by_name(driver_name) >= 0)
        return 1;
    return TS_API_RET(user_by_name(&ts_scope_, driver_name));
}

htri_t H5FDis_driver_registered_by_value(H5FD_class_value_t driver_value)
{
    TS_API_ENTER();
    if (driver_value < 0 || driver_value > H5_VFD_MAX)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%d is no number of a driver", (int)driver_value);
    return ts_driver_api_by_value(driver_value) >= 0;
}
