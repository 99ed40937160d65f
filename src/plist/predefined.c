/* The classes that HDF5 has, and their default lists. */
#include <string.h>

#include "base/error.h"
#include "plist/parts.h"

struct kind {
    const char *name;
    int parent; /* -1: none */
    int (*define)(void);
    bool has_default;
};

/* Parents come before their children in start_order. */
static const struct kind kinds[TS_PLIST_KINDS] = {
    [TS_PLIST_ROOT] = {"root", -1, NULL, false},
    [TS_PLIST_OBJECT_CREATE] = {"object create", TS_PLIST_ROOT, ts_ocpl_define, false},
    [TS_PLIST_FILE_CREATE] = {"file create", TS_PLIST_GROUP_CREATE, ts_fcpl_define, true},
    [TS_PLIST_FILE_ACCESS] = {"file access", TS_PLIST_ROOT, ts_fapl_define, true},
    [TS_PLIST_DATASET_CREATE] = {"dataset create", TS_PLIST_OBJECT_CREATE, ts_dcpl_define, true},
    [TS_PLIST_DATASET_ACCESS] = {"dataset access", TS_PLIST_LINK_ACCESS, ts_dapl_define, true},
    [TS_PLIST_DATASET_XFER] = {"data transfer", TS_PLIST_ROOT, ts_dxpl_define, true},
    [TS_PLIST_FILE_MOUNT] = {"file mount", TS_PLIST_ROOT, ts_fmpl_define, true},
    [TS_PLIST_GROUP_CREATE] = {"group create", TS_PLIST_OBJECT_CREATE, ts_gcpl_define, true},
    [TS_PLIST_GROUP_ACCESS] = {"group access", TS_PLIST_LINK_ACCESS, NULL, true},
    [TS_PLIST_DATATYPE_CREATE] = {"datatype create", TS_PLIST_OBJECT_CREATE, NULL, true},
    [TS_PLIST_DATATYPE_ACCESS] = {"datatype access", TS_PLIST_LINK_ACCESS, NULL, true},
    [TS_PLIST_STRING_CREATE] = {"string create", TS_PLIST_ROOT, ts_strcpl_define, false},
    [TS_PLIST_ATTRIBUTE_CREATE] = {"attribute create", TS_PLIST_STRING_CREATE, NULL, true},
    [TS_PLIST_ATTRIBUTE_ACCESS] = {"attribute access", TS_PLIST_LINK_ACCESS, NULL, true},
    [TS_PLIST_OBJECT_COPY] = {"object copy", TS_PLIST_ROOT, ts_ocpypl_define, true},
    [TS_PLIST_LINK_CREATE] = {"link create", TS_PLIST_STRING_CREATE, ts_lcpl_define, true},
    [TS_PLIST_LINK_ACCESS] = {"link access", TS_PLIST_ROOT, ts_lapl_define, true},
    [TS_PLIST_VOL_INITIALIZE] = {"VOL initialization", TS_PLIST_ROOT, NULL, true},
    [TS_PLIST_REFERENCE_ACCESS] = {"reference access", TS_PLIST_FILE_ACCESS, NULL, true},
    [TS_PLIST_MAP_CREATE] = {"map create", TS_PLIST_OBJECT_CREATE, NULL, true},
    [TS_PLIST_MAP_ACCESS] = {"map access", TS_PLIST_LINK_ACCESS, ts_mapl_define, true},
};

static const enum ts_plist_kind start_order[TS_PLIST_KINDS] = {
    TS_PLIST_ROOT,
    TS_PLIST_OBJECT_CREATE,
    TS_PLIST_STRING_CREATE,
    TS_PLIST_LINK_ACCESS,
    TS_PLIST_GROUP_CREATE,
    TS_PLIST_OBJECT_COPY,
    TS_PLIST_GROUP_ACCESS,
    TS_PLIST_FILE_CREATE,
    TS_PLIST_FILE_ACCESS,
    TS_PLIST_DATASET_CREATE,
    TS_PLIST_DATASET_ACCESS,
    TS_PLIST_DATASET_XFER,
    TS_PLIST_FILE_MOUNT,
    TS_PLIST_DATATYPE_CREATE,
    TS_PLIST_DATATYPE_ACCESS,
    TS_PLIST_ATTRIBUTE_CREATE,
    TS_PLIST_ATTRIBUTE_ACCESS,
    TS_PLIST_LINK_CREATE,
    TS_PLIST_VOL_INITIALIZE,
    TS_PLIST_REFERENCE_ACCESS,
    TS_PLIST_MAP_CREATE,
    TS_PLIST_MAP_ACCESS,
};

/* Written only while the library starts or closes. */
static struct ts_plist_class *classes[TS_PLIST_KINDS];
static struct ts_plist *defaults[TS_PLIST_KINDS];

struct ts_plist_class *ts_plist_class_predefined(enum ts_plist_kind kind)
{
    return classes[kind];
}

struct ts_plist *ts_plist_default(enum ts_plist_kind kind)
{
    return defaults[kind];
}

const char *ts_plist_kind_name(enum ts_plist_kind kind)
{
    return kinds[kind].name;
}

int ts_plist_define(enum ts_plist_kind kind, const struct ts_prop_spec *specs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ts_plist_class *revision;
        if (ts_plist_class_register(classes[kind], &specs[i], NULL, &revision) < 0)
            return -1;
    }
    return 0;
}

static int start_kind(enum ts_plist_kind kind)
{
    const struct kind *k = &kinds[kind];
    struct ts_plist_class *parent = k->parent < 0 ? NULL : classes[k->parent];
    if (ts_plist_class_new(parent, k->name, NULL, &classes[kind]) < 0)
        return -1;
    classes[kind]->kind = (int)kind;
    if (k->define && k->define() < 0)
        return -1;
    if (!k->has_default)
        return 0;
    if (ts_plist_create(classes[kind], &defaults[kind]) < 0)
        return -1;
    ts_plist_class_freeze(classes[kind]);
    ts_strangers_init(&defaults[kind]->strangers);
    defaults[kind]->is_default = true;
    return 0;
}

int ts_plist_start(void)
{
    for (size_t i = 0; i < TS_PLIST_KINDS; i++)
        if (start_kind(start_order[i]) < 0) {
            ts_plist_stop();
            return TS_ERR(PLIST, CANTINIT, "property list class '%s' is not to be had", kinds[start_order[i]].name);
        }
    return 0;
}

/* Somebody may have it still; to whom it is a list like others. */
static void end_default(struct ts_plist *pl)
{
    if (!pl)
        return;
    pl->is_default = false;
    if (ts_strangers_end(&pl->strangers))
        ts_count_gather(&pl->refs);
}

void ts_plist_stop(void)
{
    for (size_t i = TS_PLIST_KINDS; i-- > 0;) {
        enum ts_plist_kind kind = start_order[i];
        ts_plist_class_thaw(classes[kind]);
        end_default(defaults[kind]);
        ts_plist_unref(defaults[kind]);
        ts_plist_class_unref(classes[kind]);
        defaults[kind] = NULL;
        classes[kind] = NULL;
    }
}
