/* H5T: committing and opening named datatypes. */
#include "H5Tpublic.h"
#include "api/H5Tinternal.h"
#include "api/flush.h"
#include "api/place.h"
#include "base/alloc.h"
#include "file/change.h"
#include "object/creation.h"

static int open_type(hid_t loc_id, const char *name, struct ts_plist *tapl, struct ts_type **out)
{
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_find(loc_id, name, tapl, &place) < 0)
        return -1;
    return ts_named_type_open(&place.loc, place.path, out);
}

hid_t H5Topen1(hid_t loc_id, const char *name)
{
    TS_API_ENTER(DATATYPE, CANTOPENOBJ, "unable to open named datatype", TS_BAD_ID(ARGS, BADTYPE, "not a location"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    TS_API_AT(loc_id);
    struct ts_type *t;
    if (open_type(loc_id, name, NULL, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATATYPE, t);
}

hid_t H5Topen2(hid_t loc_id, const char *name, hid_t tapl_id)
{
    TS_API_ENTER(DATATYPE, CANTOPENOBJ, "unable to open named datatype", TS_BAD_ID(ARGS, BADTYPE, "not a location"),
                 TS_SYNCHRONOUS(DATATYPE, CANTOPENOBJ, "unable to open named datatype synchronously"));
    TS_API_AT(loc_id);
    struct ts_plist *tapl;
    struct ts_type *t;
    if (ts_api_check_name(name) < 0 || !(tapl = TS_API_PLIST(tapl_id, TS_PLIST_DATATYPE_ACCESS)) ||
        open_type(loc_id, name, tapl, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATATYPE, t);
}

static const struct ts_object *committed(struct ts_api_scope *scope, hid_t type_id)
{
    const struct ts_type *t = ts_api_pin(scope, type_id, H5I_DATATYPE);
    if (t && !t->named)
        TS_ERR(ARGS, BADTYPE, "not a committed datatype");
    return t ? ts_named_type_object(t) : NULL;
}

hid_t H5Tget_create_plist(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_object *obj = committed(&ts_scope_, type_id);
    struct ts_plist *tcpl, *base = ts_plist_default(TS_PLIST_DATATYPE_CREATE);
    if (!obj || ts_plist_copy(base, &tcpl) < 0)
        return TS_API_FAIL(-1);
    if (ts_object_describe(&obj->loc, base, tcpl) < 0) {
        ts_plist_unref(tcpl);
        return TS_API_FAIL(-1);
    }
    return TS_API_NEW_LIST(tcpl);
}

/* What libhdf5 looks at before the lists. */
static struct ts_type *check_and_pin(struct ts_api_scope *scope, const char *name, hid_t type_id)
{
    return ts_api_check_name(name) < 0 ? NULL : ts_type_pin(scope, type_id, "not a datatype");
}

/* A datatype of the application that can be stored. Codes of what is wrong are in the inner record: programs look for
 * them. */
static int check_storable(const struct ts_type *t)
{
    int status = t->named                        ? TS_ERR(ARGS, BADVALUE, "datatype is already committed")
                 : t->state == TS_TYPE_IMMUTABLE ? TS_ERR(ARGS, BADVALUE, "datatype is immutable")
                                                 : ts_object_check_type(t);
    return status < 0 ? TS_SAY(DATATYPE, CANTINIT, "unable to commit datatype") : 0;
}

/* Ends the change that made the committed datatype. The id stands for it from now on; what may be done with the parts
 * of the one that was committed stays, also that they are committed themselves. */
static int end_and_adopt(hid_t type_id, const struct ts_type *committed, const struct ts_loc *loc, const char *path,
                         int status)
{
    struct ts_type *t = NULL;
    void *old;
    if (status == 0)
        status = ts_named_type_open(loc, path, &t);
    if (status == 0)
        status = ts_type_adopt_parts(t, committed);
    status = ts_change_end(loc->fh->file, status);
    if (status < 0 || ts_id_replace(type_id, H5I_DATATYPE, t, &old) < 0) {
        ts_type_unref(t);
        return -1;
    }
    ts_type_unref(old);
    return 0;
}

static int commit_at(const struct ts_spot *spot, hid_t type_id, const struct ts_type *t, struct ts_plist *tcpl)
{
    struct ts_file *f = ts_spot_file(spot);
    struct ts_loc loc = {.fh = spot->group.loc.fh};
    bool ok;
    char *path = ts_spot_path(spot, &ok);
    if (!ok)
        return -1;
    int status = ts_spot_begin(spot);
    if (status == 0) {
        status = ts_named_type_create(f, t, tcpl, 1, &loc.addr);
        if (status == 0)
            status = ts_spot_link(spot, loc.addr);
        status = end_and_adopt(type_id, t, &loc, path, status);
    }
    ts_free(path);
    return status;
}

struct commit_lists {
    struct ts_plist *lcpl, *tcpl, *tapl;
};

static int commit(hid_t loc_id, const char *name, hid_t type_id, const struct ts_type *t,
                  const struct commit_lists *lists)
{
    TS_AUTO_SPOT spot = {.name = NULL};
    if (ts_api_new_name(loc_id, name, lists->lcpl, lists->tapl, &spot) < 0 || check_storable(t) < 0)
        return -1;
    return commit_at(&spot, type_id, t, lists->tcpl);
}

herr_t H5Tcommit1(hid_t loc_id, const char *name, hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to commit datatype", TS_BAD_ID(ARGS, BADTYPE, "not a location"),
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not datatype creation property list"),
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    TS_API_AT(loc_id);
    struct commit_lists lists = {.tcpl = ts_plist_default(TS_PLIST_DATATYPE_CREATE)};
    const struct ts_type *t = check_and_pin(&ts_scope_, name, type_id);
    return t ? TS_API_RET(commit(loc_id, name, type_id, t, &lists)) : TS_API_FAIL(-1);
}

herr_t H5Tcommit2(hid_t loc_id, const char *name, hid_t type_id, hid_t lcpl_id, hid_t tcpl_id, hid_t tapl_id)
{
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to commit datatype", TS_BAD_ID(ARGS, BADTYPE, "not a location"),
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not datatype creation property list"),
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "not link creation property list"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "name parameter cannot be"),
                 TS_SYNCHRONOUS(DATATYPE, CANTOPENOBJ, "unable to commit datatype synchronously"));
    TS_API_AT(loc_id);
    const struct ts_type *t = check_and_pin(&ts_scope_, name, type_id);
    if (!t)
        return TS_API_FAIL(-1);
    struct commit_lists lists = {NULL};
    if (!(lists.lcpl = TS_API_PLIST(lcpl_id, TS_PLIST_LINK_CREATE)) ||
        !(lists.tcpl = TS_API_PLIST(tcpl_id, TS_PLIST_DATATYPE_CREATE)) ||
        !(lists.tapl = TS_API_PLIST(tapl_id, TS_PLIST_DATATYPE_ACCESS)))
        return TS_API_FAIL(-1);
    return TS_API_RET(commit(loc_id, name, type_id, t, &lists));
}

static int commit_anon(hid_t loc_id, hid_t type_id, const struct ts_type *t, struct ts_plist *tcpl)
{
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_place_from_id(loc_id, &place) < 0 || check_storable(t) < 0)
        return -1;
    struct ts_loc loc = {.fh = place.loc.fh};
    if (ts_change_begin(loc.fh->file) < 0)
        return -1;
    return end_and_adopt(type_id, t, &loc, NULL, ts_named_type_create(loc.fh->file, t, tcpl, 0, &loc.addr));
}

herr_t H5Tcommit_anon(hid_t loc_id, hid_t type_id, hid_t tcpl_id, hid_t tapl_id)
{
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to commit datatype", TS_BAD_ID(ARGS, BADTYPE, "not a location"),
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not datatype creation property list"));
    TS_API_AT(loc_id);
    const struct ts_type *t = ts_type_pin(&ts_scope_, type_id, "not a datatype");
    struct ts_plist *tcpl = t ? TS_API_PLIST(tcpl_id, TS_PLIST_DATATYPE_CREATE) : NULL;
    if (!tcpl || !TS_API_PLIST(tapl_id, TS_PLIST_DATATYPE_ACCESS))
        return TS_API_FAIL(-1);
    return TS_API_RET(commit_anon(loc_id, type_id, t, tcpl));
}

herr_t H5Tflush(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTFLUSH, "unable to flush datatype");
    const struct ts_object *obj = committed(&ts_scope_, type_id);
    if (!obj)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_api_flush_object(type_id, obj->loc.fh->file));
}

herr_t H5Trefresh(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTLOAD, "unable to refresh datatype");
    const struct ts_object *obj = committed(&ts_scope_, type_id);
    return obj ? TS_API_RET(ts_object_refresh(&obj->loc)) : TS_API_FAIL(-1);
}
