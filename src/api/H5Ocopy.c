/* H5O: copying objects. */
#include "H5Opublic.h"
#include "api/place.h"
#include "group/copy.h"

static int check_ends(hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name)
{
    if (ts_api_check_location(src_loc_id) < 0 || ts_api_check_location(dst_loc_id) < 0)
        return -1;
    if (!src_name || !*src_name)
        return TS_ERR(ARGS, BADVALUE, "no source name specified");
    if (!dst_name || !*dst_name)
        return TS_ERR(ARGS, BADVALUE, "no destination name specified");
    return 0;
}

/* Whatever the new name, it is looked up from a group. */
static int check_destination(hid_t id)
{
    TS_AUTO_PLACE place = {.path = NULL};
    H5O_type_t type;
    if (ts_place_from_id(id, &place) < 0 || ts_object_type(&place.loc, &type) < 0)
        return -1;
    return type == H5O_TYPE_GROUP ? 0 : TS_ERR(OHDR, BADTYPE, "the destination's location is not a group");
}

herr_t H5Ocopy(hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name, hid_t ocpypl_id,
               hid_t lcpl_id)
{
    TS_API_ENTER(OHDR, CANTCOPY, "unable to copy object",
                 TS_SYNCHRONOUS(OHDR, CANTCOPY, "unable to synchronously copy object"));
    if (check_ends(src_loc_id, src_name, dst_loc_id, dst_name) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *ocpypl = TS_API_PLIST(ocpypl_id, TS_PLIST_OBJECT_COPY);
    struct ts_plist *lcpl = ocpypl ? TS_API_PLIST(lcpl_id, TS_PLIST_LINK_CREATE) : NULL;
    struct ts_plist *lapl = lcpl ? ts_plist_default(TS_PLIST_LINK_ACCESS) : NULL;
    TS_AUTO_PLACE from = {.path = NULL};
    TS_AUTO_SPOT to = {.name = NULL};
    if (!lapl || check_destination(dst_loc_id) < 0 || ts_api_find(src_loc_id, src_name, lapl, &from) < 0 ||
        ts_api_new_name(dst_loc_id, dst_name, lcpl, lapl, &to) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_spot_done(&to, ts_object_copy(&from, &to, ocpypl)));
}
