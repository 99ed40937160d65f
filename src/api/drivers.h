/* Ids of file drivers. */
#ifndef TS_API_DRIVERS_H
#define TS_API_DRIVERS_H

#include "api/api.h"
#include "driver/driver.h"
#include "driver/user.h"

hid_t ts_driver_api_id(enum ts_driver_kind kind);
/* The driver that an id stands for; negative and an error when it is none. *user is borrowed until the scope ends. */
int ts_driver_api_kind(struct ts_api_scope *scope, hid_t id, enum ts_driver_kind *kind, struct ts_user_class **user);
/* The id of a copy of a struct ts_plist. */
hid_t ts_driver_api_list_id(void *list);
/* Negative and an error unless the driver of a file access list is one that SWMR can work with. */
int ts_driver_api_check_swmr(struct ts_plist *fapl);
/* By the name that users give ("sec2", "split", ...) or the number; -1 without an error when not known. */
int ts_driver_api_by_name(const char *name);
int ts_driver_api_by_value(H5FD_class_value_t value);

#endif
