/*
 * An encoded property list:
 *
 *   offset  size  field
 *   0       1     version, 0
 *   1       1     class of the list (kind codes below)
 *   2       -     per property: its name with the NUL, then its value as the property's class file says
 *   end     1     0
 *
 * Properties without an encoding (callbacks, pointers) are left out; a decoded list has their defaults.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "plist/engine.h"

static const uint8_t codes[TS_PLIST_KINDS] = {
    [TS_PLIST_ROOT] = 1,
    [TS_PLIST_OBJECT_CREATE] = 2,
    [TS_PLIST_FILE_CREATE] = 3,
    [TS_PLIST_FILE_ACCESS] = 4,
    [TS_PLIST_DATASET_CREATE] = 5,
    [TS_PLIST_DATASET_ACCESS] = 6,
    [TS_PLIST_DATASET_XFER] = 7,
    [TS_PLIST_FILE_MOUNT] = 8,
    [TS_PLIST_GROUP_CREATE] = 9,
    [TS_PLIST_GROUP_ACCESS] = 10,
    [TS_PLIST_DATATYPE_CREATE] = 11,
    [TS_PLIST_DATATYPE_ACCESS] = 12,
    [TS_PLIST_STRING_CREATE] = 13,
    [TS_PLIST_ATTRIBUTE_CREATE] = 14,
    [TS_PLIST_OBJECT_COPY] = 15,
    [TS_PLIST_LINK_CREATE] = 16,
    [TS_PLIST_LINK_ACCESS] = 17,
    [TS_PLIST_ATTRIBUTE_ACCESS] = 18,
    [TS_PLIST_VOL_INITIALIZE] = 19,
    [TS_PLIST_MAP_CREATE] = 20,
    [TS_PLIST_MAP_ACCESS] = 21,
    [TS_PLIST_REFERENCE_ACCESS] = 22,
};

static int encode_prop(struct ts_plist *pl, const char *name, struct ts_wr *w)
{
    size_t size;
    bool quiet;
    const void *value = ts_plist_hold(pl, name);
    if (!value)
        return -1;
    const struct ts_prop_ops *ops = ts_plist_ops(pl, name, &size, &quiet);
    if (ops && ops->encode && (!quiet || (ops->given && ops->given(value)))) {
        ts_wr_bytes(w, name, strlen(name) + 1);
        ops->encode(value, size, w);
    }
    ts_plist_release(pl);
    return 0;
}

int ts_plist_encode(struct ts_plist *pl, struct ts_wr *w)
{
    int kind = ts_plist_kind_of(ts_plist_class_of(pl));
    char **names;
    size_t n;
    if (ts_plist_all_names(pl, &names, &n) < 0)
        return -1;
    ts_wr_u8(w, 0);
    /* A class of the application has no code of its own. */
    ts_wr_u8(w, kind < 0 ? 0 : codes[kind]);
    int ret = 0;
    for (size_t i = 0; ret == 0 && i < n; i++)
        ret = encode_prop(pl, names[i], w);
    ts_wr_u8(w, 0);
    ts_plist_names_free(names, n);
    return ret < 0 || w->bad ? TS_ERR(PLIST, CANTENCODE, "unable to encode a property list") : 0;
}

static int decode_prop(struct ts_plist *pl, const char *name, struct ts_rd *r)
{
    size_t size;
    bool quiet;
    const struct ts_prop_ops *ops = ts_plist_ops(pl, name, &size, &quiet);
    if (!ops || !ops->decode)
        return TS_ERR(PLIST, NOTFOUND, "encoded property list: no property '%s' in class '%s'", name,
                      ts_plist_class_name(ts_plist_class_of(pl)));
    void *value = ts_calloc(1, size);
    if (!value)
        return -1;
    int ret = ops->decode(r, value, size);
    if (ret == 0 && (ret = ts_property_set(pl, name, value, size)) < 0 && ops->close)
        ops->close(value);
    ts_free(value);
    return ret;
}

static int decode_props(struct ts_plist *pl, struct ts_rd *r)
{
    for (;;) {
        const char *name = ts_rd_cstr(r);
        if (!name)
            return TS_ERR(PLIST, CANTDECODE, "encoded property list: it ends without its end mark");
        if (!*name)
            return 0;
        if (decode_prop(pl, name, r) < 0)
            return -1;
    }
}

int ts_plist_decode(struct ts_rd *r, struct ts_plist **out)
{
    unsigned version = ts_rd_u8(r), code = ts_rd_u8(r);
    if (r->bad || version != 0)
        return TS_ERR(PLIST, VERSION, "encoded property list: version %u", version);
    int kind = TS_PLIST_KINDS - 1;
    while (kind > TS_PLIST_ROOT && codes[kind] != code)
        kind--;
    if (kind == TS_PLIST_ROOT)
        return TS_ERR(PLIST, BADRANGE, "encoded property list: class %u", code);
    struct ts_plist *pl;
    if (ts_plist_new((enum ts_plist_kind)kind, &pl) < 0)
        return -1;
    if (decode_props(pl, r) < 0) {
        ts_plist_unref(pl);
        return -1;
    }
    *out = pl;
    return 0;
}
