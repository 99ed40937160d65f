/* H5O: changing objects: flushing and refreshing them, counts of links, comments. */
#include "H5Opublic.h"
#include "api/flush.h"
#include "api/place.h"
#include "dataset/dataset.h"
#include "file/change.h"
#include "object/open_objects.h"
#include "object/swmr.h"

/* The object of an id that is one: not a file, an attribute, or a datatype in memory. */
static int object_place(hid_t id, struct ts_place *out)
{
    H5I_type_t type = ts_id_type(id);
    if (type != H5I_GROUP && type != H5I_DATASET && type != H5I_DATATYPE)
        return TS_ERR(ARGS, BADTYPE, "id %lld is not an object of a file", (long long)id);
    return ts_place_from_id(id, out);
}

herr_t H5Oflush(hid_t obj_id)
{
    TS_API_ENTER(OHDR, CANTFLUSH, "unable to flush object", TS_BAD_ID(OHDR, CANTFLUSH, "unable to flush object"),
                 TS_SYNCHRONOUS(OHDR, CANTFLUSH, "unable to synchronously flush object"));
    TS_AUTO_PLACE place = {.path = NULL};
    if (object_place(obj_id, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_api_flush_object(obj_id, place.loc.fh->file));
}

/* Where we write, all that is open in a process looks at one copy of the metadata, which is the newest. */
herr_t H5Orefresh(hid_t oid)
{
    TS_API_ENTER(OHDR, CANTLOAD, "unable to refresh object", TS_BAD_ID(ARGS, BADTYPE, "not an object"),
                 TS_SYNCHRONOUS(OHDR, CANTLOAD, "unable to synchronously refresh object"));
    TS_AUTO_PLACE place = {.path = NULL};
    if (object_place(oid, &place) < 0)
        return TS_API_FAIL(-1);
    if (ts_id_type(oid) != H5I_DATASET)
        return TS_API_RET(ts_object_refresh(&place.loc));
    struct ts_dataset *d = TS_API_OBJ(oid, H5I_DATASET);
    return d ? TS_API_RET(ts_dataset_refresh(d)) : TS_API_FAIL(-1);
}

static int cork(hid_t id, bool corked)
{
    TS_AUTO_PLACE place = {.path = NULL};
    if (object_place(id, &place) < 0)
        return -1;
    return ts_open_objects_cork(place.loc.fh->file, place.loc.addr, corked);
}

/* Metadata is written by flushes only, and when it has become too much to keep, which waits while an object is so. */
herr_t H5Odisable_mdc_flushes(hid_t object_id)
{
    TS_API_ENTER(OHDR, CANTCORK, "unable to cork object",
                 TS_BAD_ID(OHDR, BADVALUE, "unable to get object location from ID"));
    return TS_API_RET(cork(object_id, true));
}

herr_t H5Oenable_mdc_flushes(hid_t object_id)
{
    TS_API_ENTER(OHDR, CANTUNCORK, "unable to uncork an object",
                 TS_BAD_ID(OHDR, BADVALUE, "unable to get object location from ID"));
    return TS_API_RET(cork(object_id, false));
}

herr_t H5Oare_mdc_flushes_disabled(hid_t object_id, hbool_t *are_disabled)
{
    TS_API_ENTER(OHDR, CANTGET, "unable to retrieve object's cork status",
                 TS_BAD_ID(OHDR, BADVALUE, "unable to get object location from ID"));
    TS_AUTO_PLACE place = {.path = NULL};
    if (!are_disabled)
        return TS_API_ERR(-1, OHDR, BADVALUE, "unable to get object location from ID");
    if (object_place(object_id, &place) < 0)
        return TS_API_FAIL(-1);
    *are_disabled = ts_open_objects_corked(place.loc.fh->file, place.loc.addr);
    return 0;
}

static int adjust_links(hid_t id, int by)
{
    TS_AUTO_PLACE place = {.path = NULL};
    if (object_place(id, &place) < 0)
        return -1;
    struct ts_file *f = place.loc.fh->file;
    if (ts_swmr_change_names(f, place.loc.addr, "count links") < 0)
        return -1;
    return ts_change_end(f, ts_object_link(f, place.loc.addr, by));
}

herr_t H5Oincr_refcount(hid_t object_id)
{
    TS_API_ENTER(OHDR, LINKCOUNT, "modifying object link count failed",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    return TS_API_RET(adjust_links(object_id, 1));
}

herr_t H5Odecr_refcount(hid_t object_id)
{
    TS_API_ENTER(OHDR, LINKCOUNT, "modifying object link count failed",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    return TS_API_RET(adjust_links(object_id, -1));
}

herr_t H5Oset_comment(hid_t obj_id, const char *comment)
{
    TS_API_ENTER(OHDR, CANTSET, "can't set comment for object",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_place_from_id(obj_id, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_place_done(&place, ts_object_set_comment(&place.loc, comment)));
}

herr_t H5Oset_comment_by_name(hid_t loc_id, const char *name, const char *comment, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTSET, "can't set comment for object: '%s'", TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    TS_API_ABOUT(name);
    struct ts_plist *lapl = ts_api_name_list(&ts_scope_, name, lapl_id, TS_PLIST_LINK_ACCESS);
    TS_AUTO_PLACE place = {.path = NULL};
    if (!lapl || ts_api_find(loc_id, name, lapl, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_place_done(&place, ts_object_set_comment(&place.loc, comment)));
}
