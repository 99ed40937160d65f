/* Ids of file drivers. */
#ifndef TS_API_DRIVERS_H
#define TS_API_DRIVERS_H

#include "api/api.h"
#include "driver/driver.h"
#include "driver/user.h"

hid_t ts_driver_api_id(enum ts_driver_kind kind);
/* The driver that an id stands for; negative and an error when it is none. *user is borrowed until the scope ends. */
int ts_driver_api_kind(struct ts_api_scope *scope, hid_t id, enum ts_driver_kind *kind, struct ts_user_class **user);
/* By the name or the number that the application gave it; NULL without an error when there is none. Borrowed as
 * above. */
struct ts_user_class *ts_driver_api_user_by_name(struct ts_api_scope *scope, const char *name);
struct ts_user_class *ts_driver_api_user_by_value(struct ts_api_scope *scope, H5FD_class_value_t value);
/* The same, or else from a plugin, which is registered then. */
struct ts_user_class *ts_driver_api_load_by_name(struct ts_api_scope *scope, const char *name);
struct ts_user_class *ts_driver_api_load_by_value(struct ts_api_scope *scope, H5FD_class_value_t value);
/* The functions that work on a file of H5FDopen. */
const H5FD_class_t *ts_driver_api_calls(const H5FD_t *file);
/* The id of a copy of a struct ts_plist. */
hid_t ts_driver_api_list_id(void *list);
/* H5FD_FEAT_* */
int ts_driver_api_features(const struct ts_driver_config *config, unsigned long *flags);
/* Negative and an error when a driver wants to be told by a list which handle of a file is meant, and this is none. */
int ts_driver_api_part(struct ts_api_scope *scope, enum ts_driver_kind kind, hid_t fapl, struct ts_driver_part *part);
/* Negative and an error unless the driver of a file access list is one that SWMR can work with. */
int ts_driver_api_check_swmr(struct ts_plist *fapl);
/* By the name that users give ("sec2", "split", ...) or the number; -1 without an error when not known. */
int ts_driver_api_by_name(const char *name);
int ts_driver_api_by_value(H5FD_class_value_t value);

#endif
