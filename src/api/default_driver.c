/* The driver that the environment asks for, HDF5_DRIVER and HDF5_DRIVER_CONFIG. */
#include "api/default_driver.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "H5FDcore.h"
#include "H5FDfamily.h"
#include "H5FDlog.h"
#include "H5FDmulti.h"
#include "H5FDpublic.h"
#include "H5FDsec2.h"
#include "H5FDstdio.h"
#include "H5Ppublic.h"
#include "api/api.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/env.h"
#include "plist/fapl.h"
#include "plist/lapl.h"

/* A list with what the environment says; NULL: it says nothing. Set while the library starts, under its lock. */
static struct ts_plist *wanted;

static herr_t set_core(hid_t list)
{
    return H5Pset_fapl_core(list, (size_t)64 * 1024, true);
}

static herr_t set_family(hid_t list)
{
    return H5Pset_fapl_family(list, (hsize_t)100 * 1024 * 1024, H5P_DEFAULT);
}

static herr_t set_multi(hid_t list)
{
    return H5Pset_fapl_multi(list, NULL, NULL, NULL, NULL, true);
}

static herr_t set_split(hid_t list)
{
    return H5Pset_fapl_split(list, ".meta", H5P_DEFAULT, ".raw", H5P_DEFAULT);
}

static herr_t set_log(hid_t list)
{
    return H5Pset_fapl_log(list, NULL, H5FD_LOG_LOC_IO | H5FD_LOG_ALLOC, 0);
}

/* Names that stand for a driver with settings. */
static const struct {
    const char *name;
    herr_t (*set)(hid_t list);
} named[] = {{"sec2", H5Pset_fapl_sec2}, {"stdio", H5Pset_fapl_stdio}, {"core", set_core},   {"core_paged", set_core},
             {"family", set_family},     {"multi", set_multi},         {"split", set_split}, {"log", set_log}};

static herr_t set_by_name(hid_t list, const char *name)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(named[i].name, name) == 0)
            return named[i].set(list);
    /* It makes a copy by a name that this library does not think of. */
    return strcmp(name, "splitter") == 0 ? -1 : H5Pset_driver_by_name(list, name, NULL);
}

/* A driver that is not there: it opens nothing, and its name tells why. */
static H5FD_t *open_nothing(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)name, (void)flags, (void)fapl, (void)maxaddr;
    return NULL;
}

static herr_t never(H5FD_t *f)
{
    (void)f;
    return -1;
}

static haddr_t nowhere(const H5FD_t *f, H5FD_mem_t type)
{
    (void)f, (void)type;
    return HADDR_UNDEF;
}

static herr_t no_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    (void)f, (void)type, (void)addr;
    return -1;
}

static herr_t no_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buf)
{
    (void)f, (void)type, (void)dxpl, (void)addr, (void)size, (void)buf;
    return -1;
}

static herr_t no_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, const void *buf)
{
    (void)f, (void)type, (void)dxpl, (void)addr, (void)size, (void)buf;
    return -1;
}

static herr_t set_absent(hid_t list, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%.60s (of HDF5_DRIVER, which is not there)", name);
    const H5FD_class_t absent = {.version = H5FD_CLASS_VERSION,
                                 .value = H5_VFD_INVALID,
                                 .name = text,
                                 .maxaddr = HADDR_MAX,
                                 .open = open_nothing,
                                 .close = never,
                                 .get_eoa = nowhere,
                                 .set_eoa = no_eoa,
                                 .get_eof = nowhere,
                                 .read = no_read,
                                 .write = no_write,
                                 .fl_map = H5FD_FLMAP_SINGLE};
    hid_t id = H5FDregister(&absent);
    return id < 0 ? -1 : H5Pset_driver(list, id, NULL);
}

static struct ts_plist *list_for(const char *name, const char *config)
{
    hid_t list = H5Pcreate(H5P_CLS_FILE_ACCESS_ID_g);
    unsigned mark = ts_err_mark();
    if (list < 0)
        return NULL;
    struct ts_plist *pl = NULL;
    if (set_by_name(list, name) >= 0 || set_absent(list, name) >= 0)
        pl = ts_id_pin(list, H5I_GENPROP_LST);
    if (pl && config)
        (void)ts_fapl_set_driver_config(pl, config);
    ts_id_dec(list);
    ts_err_rewind(mark);
    return pl;
}

void ts_default_driver_init(void)
{
    const char *name = TS_ABI_DRIVER_VARIABLE ? ts_env("HDF5_DRIVER") : NULL;
    ts_plist_unref(wanted);
    wanted = NULL;
    if (!name || !*name)
        return;
    wanted = list_for(name, ts_env("HDF5_DRIVER_CONFIG"));
    (void)ts_default_driver_apply(ts_plist_default(TS_PLIST_FILE_ACCESS));
}

int ts_default_driver_apply(struct ts_plist *pl)
{
    if (!wanted || !ts_plist_is(pl, TS_PLIST_FILE_ACCESS))
        return 0;
    struct ts_fapl_vfd vfd;
    char *config;
    if (ts_fapl_vfd(wanted, &vfd) < 0)
        return -1;
    int ret = ts_fapl_set_driver(pl, &vfd);
    ts_fapl_vfd_deinit(&vfd);
    if (ret < 0 || ts_fapl_driver_config(wanted, &config) < 0)
        return -1;
    ret = ts_fapl_set_driver_config(pl, config);
    ts_free(config);
    return ret;
}
