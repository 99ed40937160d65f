#include "api/plist_args.h"

#include "base/alloc.h"
#include "plist/lapl.h"

struct ts_plist *ts_p_list(struct ts_api_scope *scope, hid_t id, enum ts_plist_kind kind)
{
    struct ts_plist *pl = ts_api_any_plist(scope, id);
    /* It is what the function works on, though other arguments may have been looked at before. */
    if (!pl)
        ts_err_because(TS_WHY_LOCATION);
    if (!pl || ts_plist_is(pl, kind))
        return pl;
    TS_ERR(PLIST, BADTYPE, "id %lld is a list of class '%s', not '%s'", (long long)id,
           ts_plist_class_name(ts_plist_class_of(pl)), ts_plist_kind_name(kind));
    return NULL;
}

int ts_p_get(struct ts_api_scope *scope, hid_t id, enum ts_plist_kind kind, const char *name, void *value)
{
    struct ts_plist *pl = ts_p_list(scope, id, kind);
    return pl ? ts_plist_get(pl, name, value) : -1;
}

int ts_p_set(struct ts_api_scope *scope, hid_t id, enum ts_plist_kind kind, const char *name, const void *value)
{
    struct ts_plist *pl = ts_p_list(scope, id, kind);
    return pl ? ts_plist_set(pl, name, value) : -1;
}

ssize_t ts_p_string(struct ts_api_scope *scope, hid_t id, enum ts_plist_kind kind, const char *name, char *buf,
                    size_t size)
{
    struct ts_plist *pl = ts_p_list(scope, id, kind);
    char *text;
    if (!pl || ts_plist_get_string(pl, name, &text) < 0)
        return -1;
    size_t n = text ? ts_api_copy_name(buf, size, text) : 0;
    ts_free(text);
    return (ssize_t)n;
}
