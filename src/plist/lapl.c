/*
 * Encoded external link fapl: 1 byte 0 (none), or 1, the size of the encoded list as length byte and bytes, the list.
 */
#include "plist/lapl.h"

#include "base/alloc.h"
#include "base/error.h"
#include "id/id.h"
#include "plist/engine.h"

static int fapl_copy(void *value)
{
    struct ts_plist **pl = value, *copy;
    if (!*pl)
        return 0;
    if (ts_plist_copy(*pl, &copy) < 0)
        return -1;
    *pl = copy;
    return 0;
}

static void fapl_close(void *value)
{
    ts_plist_unref(*(struct ts_plist **)value);
}

static int fapl_cmp(const void *a, const void *b)
{
    struct ts_plist *x = *(struct ts_plist *const *)a, *y = *(struct ts_plist *const *)b;
    if (!x || !y)
        return x != y;
    return !ts_plist_equal(x, y);
}

static void fapl_encode(const void *value, size_t size, struct ts_wr *w)
{
    struct ts_plist *pl = *(struct ts_plist *const *)value;
    struct ts_wr inner = {0};
    (void)size;
    ts_wr_u8(w, pl != NULL);
    if (!pl)
        return;
    if (ts_plist_encode(pl, &inner) < 0)
        w->bad = true;
    ts_prop_write_size(w, inner.size);
    ts_wr_bytes(w, inner.data, inner.size);
    ts_wr_free(&inner);
}

static int fapl_decode(struct ts_rd *r, void *value, size_t size)
{
    (void)size;
    *(struct ts_plist **)value = NULL;
    if (!ts_rd_u8(r))
        return r->bad ? TS_ERR(PLIST, CANTDECODE, "encoded file access list ends early") : 0;
    uint64_t n = ts_prop_read_size(r);
    const uint8_t *at = n > ts_rd_left(r) ? NULL : ts_rd_bytes(r, (size_t)n);
    if (!at)
        return TS_ERR(PLIST, CANTDECODE, "encoded file access list ends early");
    struct ts_rd inner = ts_rd_init(at, (size_t)n);
    /* Only a file access list: link access lists inside each other could go on without end. */
    if (n < 2 || at[1] != 4)
        return TS_ERR(PLIST, CANTDECODE, "encoded external link fapl is no file access list");
    return ts_plist_decode(&inner, value);
}

/* An application has the id of a list of its own, or H5P_DEFAULT for none. */
union fapl_value {
    struct ts_plist *list;
    hid_t id;
};

static int fapl_give(void *value)
{
    union fapl_value *v = value;
    struct ts_plist *pl = v->list;
    if (!pl) {
        v->id = H5P_DEFAULT;
        return 0;
    }
    v->id = ts_id_register(H5I_GENPROP_LST, pl);
    if (v->id < 0) {
        ts_plist_unref(pl);
        return -1;
    }
    ts_plist_set_id(pl, v->id);
    return 0;
}

static int fapl_take(void *value)
{
    union fapl_value *v = value;
    struct ts_plist *given = NULL, *copy = NULL;
    if (v->id != H5P_DEFAULT && !(given = ts_id_pin(v->id, H5I_GENPROP_LST)))
        return -1;
    int status = 0;
    if (given && !ts_plist_is(given, TS_PLIST_FILE_ACCESS))
        status = TS_ERR(PLIST, BADTYPE, "the list for external links is no file access list");
    else if (given)
        status = ts_plist_copy(given, &copy);
    if (given)
        ts_id_unpin(H5I_GENPROP_LST, given);
    if (status == 0)
        v->list = copy;
    return status;
}

static const struct ts_prop_ops fapl_ops = {.copy = fapl_copy,
                                            .close = fapl_close,
                                            .cmp = fapl_cmp,
                                            .encode = fapl_encode,
                                            .decode = fapl_decode,
                                            .give = fapl_give,
                                            .take = fapl_take};

int ts_lapl_define(void)
{
    static const size_t nlinks = 16;
    static const unsigned flags = H5F_ACC_DEFAULT;
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(lapl, nlinks, &nlinks, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(lapl, elink_prefix, NULL, &ts_prop_string, 0),
        TS_PROPERTY_SPEC(lapl, elink_fapl, NULL, &fapl_ops, 0),
        TS_PROPERTY_SPEC(lapl, elink_flags, &flags, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(lapl, elink_cb, NULL, &ts_prop_plain, 0),
    };
    return ts_plist_define(TS_PLIST_LINK_ACCESS, specs, sizeof specs / sizeof *specs);
}

/* Maps are a connector's; only their lists are there. */
int ts_mapl_define(void)
{
    static const size_t prefetch = 16 * 1024, alloc = 1024 * 1024;
    static const struct ts_prop_spec specs[] = {
        {"key_prefetch_size", sizeof prefetch, &prefetch, &ts_prop_size, 0},
        {"key_alloc_size", sizeof alloc, &alloc, &ts_prop_size, 0},
    };
    return ts_plist_define(TS_PLIST_MAP_ACCESS, specs, sizeof specs / sizeof *specs);
}

int ts_lcpl_define(void)
{
    static const struct ts_prop_spec spec = TS_PROPERTY_SPEC(lcpl, intermediate, NULL, &ts_prop_unsigned, 0);
    return ts_plist_define(TS_PLIST_LINK_CREATE, &spec, 1);
}

int ts_strcpl_define(void)
{
    static const struct ts_prop_spec spec = TS_PROPERTY_SPEC(strcpl, char_encoding, NULL, &ts_prop_enum, 0);
    return ts_plist_define(TS_PLIST_STRING_CREATE, &spec, 1);
}

int ts_lapl_elink_fapl(struct ts_plist *pl, struct ts_plist **out)
{
    struct ts_plist *const *fapl = ts_lapl_hold_elink_fapl(pl);
    if (!fapl)
        return -1;
    *out = *fapl;
    if (*out)
        ts_plist_ref(*out);
    ts_plist_release(pl);
    return 0;
}
