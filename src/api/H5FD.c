#include <string.h>

#include "H5FDcore.h"
#include "H5FDfamily.h"
#include "H5FDlog.h"
#include "H5FDmulti.h"
#include "H5FDpublic.h"
#include "H5FDsec2.h"
#include "H5FDstdio.h"
#include "api/drivers.h"

/* What an id of a driver stands for. They live as long as the process. */
struct driver_id {
    enum ts_driver_kind kind;
    const char *name;
    H5FD_class_value_t value;
    unsigned long features; /* H5FD_FEAT_* */
    hid_t id;               /* written while the library starts */
};

#define BASIC                                                                                                          \
    (H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA)
#define POSIX (BASIC | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE)

static struct driver_id drivers[TS_DRIVER_COUNT] = {
    [TS_DRIVER_SEC2] = {TS_DRIVER_SEC2, "sec2", H5_VFD_SEC2, POSIX, -1},
    [TS_DRIVER_CORE] = {TS_DRIVER_CORE, "core", H5_VFD_CORE,
                        BASIC | H5FD_FEAT_ALLOW_FILE_IMAGE | H5FD_FEAT_CAN_USE_FILE_IMAGE_CALLBACKS, -1},
    [TS_DRIVER_FAMILY] = {TS_DRIVER_FAMILY, "family", H5_VFD_FAMILY, BASIC, -1},
    [TS_DRIVER_MULTI] = {TS_DRIVER_MULTI, "multi", H5_VFD_MULTI,
                         H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_USE_ALLOC_SIZE |
                             H5FD_FEAT_PAGED_AGGR, -1},
    [TS_DRIVER_LOG] = {TS_DRIVER_LOG, "log", H5_VFD_LOG, POSIX, -1},
    [TS_DRIVER_STDIO] = {TS_DRIVER_STDIO, "stdio", H5_VFD_STDIO, BASIC | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE, -1},
};

static void keep(void *obj)
{
    (void)obj;
}

void ts_driver_api_init(void)
{
    static const struct ts_id_class cls = {keep, keep};
    ts_id_class_set(H5I_VFL, &cls);
    for (int i = 0; i < TS_DRIVER_COUNT; i++)
        drivers[i].id = ts_id_register_hidden(H5I_VFL, &drivers[i]);
}

hid_t ts_driver_api_id(enum ts_driver_kind kind)
{
    return drivers[kind].id;
}

int ts_driver_api_kind(struct ts_api_scope *scope, hid_t id, enum ts_driver_kind *kind)
{
    const struct driver_id *d = ts_api_pin(scope, id, H5I_VFL);
    if (!d)
        return -1;
    *kind = d->kind;
    return 0;
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

herr_t H5FDdriver_query(hid_t driver_id, unsigned long *flags)
{
    TS_API_ENTER();
    const struct driver_id *d = TS_API_OBJ(driver_id, H5I_VFL);
    if (!d)
        return TS_API_FAIL(-1);
    if (!flags)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the flags");
    *flags = d->features;
    return 0;
}

htri_t H5FDis_driver_registered_by_name(const char *driver_name)
{
    TS_API_ENTER();
    if (!driver_name || !*driver_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no name of a driver");
    return ts_driver_api_by_name(driver_name) >= 0;
}

htri_t H5FDis_driver_registered_by_value(H5FD_class_value_t driver_value)
{
    TS_API_ENTER();
    if (driver_value < 0 || driver_value > H5_VFD_MAX)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%d is no number of a driver", (int)driver_value);
    return ts_driver_api_by_value(driver_value) >= 0;
}
