/* Drivers that an application brings (H5FDregister): its class, called one call at a time for each open file. What it
 * says about kinds of memory, space and alignment is not asked for: the library allocates in one address space by
 * itself. */
#ifndef TS_DRIVER_USER_H
#define TS_DRIVER_USER_H

#include <stdatomic.h>

#include "H5FDpublic.h"
#include "driver/class110.h"
#include "driver/driver.h"

/* How an access list becomes an id for the driver's open function, and how that goes again. */
struct ts_user_lists {
    hid_t (*id)(void *list);
    void (*done)(hid_t id);
};

struct ts_user_class {
    atomic_uint refs;
    H5FD_class_t calls;
    struct ts_class110 old;            /* the same, for programs of 1.10 */
    const struct ts_user_lists *lists; /* borrowed for ever */
    hid_t id;                          /* H5FDregister sets it */
};

int ts_user_class_new(const H5FD_class_t *calls, const struct ts_user_lists *lists, struct ts_user_class **out);
/* What the `cls` of an open file points to, as the application has the struct; and back from there. */
const H5FD_class_t *ts_user_class_shown(const struct ts_user_class *cls);
struct ts_user_class *ts_user_class_of(const H5FD_class_t *shown);
void ts_user_class_ref(struct ts_user_class *cls);
/* With the last reference the driver's terminate function is called. */
void ts_user_class_unref(struct ts_user_class *cls);

/* The driver's own settings: *out is NULL when there are none. */
int ts_user_info_copy(const struct ts_user_class *cls, const void *info, void **out);
bool ts_user_info_equal(const struct ts_user_class *cls, const void *a, const void *b);
void ts_user_info_free(const struct ts_user_class *cls, void *info);

#endif
