/* Property lists as what a function works on (plist_args.h). */
#include "api/plist_args.h"

#include "base/alloc.h"

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

ssize_t ts_p_string(struct ts_plist *pl, int (*get)(struct ts_plist *pl, char **out), char *buf, size_t size)
{
    char *text;
    if (get(pl, &text) < 0)
        return -1;
    size_t n = text ? ts_api_copy_name(buf, size, text) : 0;
    ts_free(text);
    return (ssize_t)n;
}
