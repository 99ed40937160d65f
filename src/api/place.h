/* What functions of H5G, H5L, H5O, H5A and H5T that take a location and a name share. */
#ifndef TS_API_PLACE_H
#define TS_API_PLACE_H

#include "api/api.h"
#include "group/edit.h"
#include "group/path.h"
#include "object/place.h"

#define TS_AUTO_PLACE struct ts_place __attribute__((cleanup(ts_place_deinit)))
#define TS_AUTO_TARGET struct ts_target __attribute__((cleanup(ts_target_deinit)))
#define TS_AUTO_SPOT struct ts_spot __attribute__((cleanup(ts_spot_deinit)))
#define TS_AUTO_LINK struct ts_link __attribute__((cleanup(ts_link_deinit)))

/* The status of a change, once the place or spot it was made at is let go. A link may have led there through a file
 * that nothing else keeps open: what closing it owes is then due in TS_API_RET. */
static inline int ts_place_done(struct ts_place *place, int status)
{
    ts_place_deinit(place);
    return status;
}

static inline int ts_spot_done(struct ts_spot *spot, int status)
{
    ts_spot_deinit(spot);
    return status;
}

/* The object of a name. */
int ts_api_find(hid_t loc_id, const char *name, struct ts_plist *lapl, struct ts_place *out);
/* The link of a name; never "." or "/", which are none. */
int ts_api_find_link(hid_t loc_id, const char *name, struct ts_plist *lapl, struct ts_target *out);

/* Fails when the id is no place in a file: for functions that look at it before their other arguments. */
int ts_api_check_location(hid_t id);
/* Hard links are made between places that were reached by the same handle of a file; all that stand for a whole file
 * will do. */
bool ts_api_one_file(hid_t a, hid_t b);
/* The same of ids whose places are known. */
bool ts_api_same_file(hid_t a, const struct ts_place *one, hid_t b, const struct ts_place *other);
int ts_api_check_name(const char *name);
int ts_api_check_new_name(const char *name);
/* The name of a link that is there; the name of a new one. lcpl may be NULL. */
int ts_api_old_name(hid_t loc_id, const char *name, struct ts_plist *lapl, struct ts_spot *out);
int ts_api_new_name(hid_t loc_id, const char *name, struct ts_plist *lcpl, struct ts_plist *lapl, struct ts_spot *out);

/* How functions name the n-th thing in an order. */
struct ts_api_index {
    H5_index_t type;
    H5_iter_order_t order;
    hsize_t n;
};

int ts_api_check_index(H5_index_t type, H5_iter_order_t order);
/* The list by which a name is looked up. libhdf5 looks at it last, when the other arguments are right: so the name, or
 * the index, is checked here first. */
struct ts_plist *ts_api_name_list(struct ts_api_scope *scope, const char *name, hid_t id, enum ts_plist_kind kind);
struct ts_plist *ts_api_nth_list(struct ts_api_scope *scope, const char *group_name, const struct ts_api_index *at,
                                 hid_t lapl_id);

/* What the next two look at first, for functions that have other arguments to check after it. */
int ts_api_check_nth(const char *group_name, const struct ts_api_index *at);
/* The n-th link of a group, and the group: that of this name, not one that a soft, external or user-defined link of
 * this name leads to. */
int ts_api_nth_link(hid_t loc_id, const char *group_name, const struct ts_api_index *at, struct ts_plist *lapl,
                    struct ts_place *group, struct ts_link *link);
/* The object that the n-th link of a group leads to, whatever leads to the group. */
int ts_api_nth_object(hid_t loc_id, const char *group_name, const struct ts_api_index *at, struct ts_plist *lapl,
                      struct ts_place *out);

/* An id for the group at a place. */
hid_t ts_api_group_id(const struct ts_place *group);
/* The same of one that was just made: what it is made of need not be looked at. */
hid_t ts_api_new_group_id(const struct ts_place *group);
/* An id for whatever is at a place. */
hid_t ts_api_object_id(const struct ts_place *place);
/* A dataset is opened as the list says, when it is one for the access of datasets. */
hid_t ts_api_object_id_by(const struct ts_place *place, struct ts_plist *apl);

#endif
