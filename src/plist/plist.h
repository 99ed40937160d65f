/* Property lists: named values by class. A class inherits the properties of its parent; a list starts with the class's
 * defaults and keeps what was set. Lists are reference counted, each has its own lock, and are safe to share. */
#ifndef TS_PLIST_PLIST_H
#define TS_PLIST_PLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "H5Ppublic.h"

struct ts_plist;
struct ts_plist_class;

enum ts_plist_kind {
    TS_PLIST_ROOT,
    TS_PLIST_OBJECT_CREATE,
    TS_PLIST_FILE_CREATE,
    TS_PLIST_FILE_ACCESS,
    TS_PLIST_DATASET_CREATE,
    TS_PLIST_DATASET_ACCESS,
    TS_PLIST_DATASET_XFER,
    TS_PLIST_FILE_MOUNT,
    TS_PLIST_GROUP_CREATE,
    TS_PLIST_GROUP_ACCESS,
    TS_PLIST_DATATYPE_CREATE,
    TS_PLIST_DATATYPE_ACCESS,
    TS_PLIST_STRING_CREATE,
    TS_PLIST_ATTRIBUTE_CREATE,
    TS_PLIST_ATTRIBUTE_ACCESS,
    TS_PLIST_OBJECT_COPY,
    TS_PLIST_LINK_CREATE,
    TS_PLIST_LINK_ACCESS,
    TS_PLIST_VOL_INITIALIZE,
    TS_PLIST_REFERENCE_ACCESS,
    TS_PLIST_MAP_CREATE,
    TS_PLIST_MAP_ACCESS,
    TS_PLIST_KINDS
};

/* The default list of a predefined class, borrowed; the library must be started. NULL for abstract classes. */
struct ts_plist *ts_plist_default(enum ts_plist_kind kind);
/* True when everything in a list of this class is as the class has it: no need to ask for values one by one. */
bool ts_plist_untouched(const struct ts_plist *pl, enum ts_plist_kind kind);
const char *ts_plist_kind_name(enum ts_plist_kind kind); /* "dataset create" */

void ts_plist_ref(struct ts_plist *pl);
/* Of a list, for struct ts_id_class. */
struct ts_count *ts_plist_count(void *list, unsigned i);
void ts_plist_unref(struct ts_plist *pl);
int ts_plist_new(enum ts_plist_kind kind, struct ts_plist **out);
int ts_plist_copy(struct ts_plist *src, struct ts_plist **out);
/* A list of the library's class: without what the application has added to src, and with what it has removed. */
int ts_plist_copy_known(enum ts_plist_kind kind, struct ts_plist *src, struct ts_plist **out);
/* The same for who will not change it: the copy is shared with all who have asked since src changed last. */
int ts_plist_snapshot(enum ts_plist_kind kind, struct ts_plist *src, struct ts_plist **out);
/* Of a copy of base that was changed, and that nobody else has: what was set to the value that it had is not the list's
 * own, which shows in the order of its properties. */
void ts_plist_drop_unchanged(struct ts_plist *pl, const struct ts_plist *base);
/* False when class or properties are the application's. */
bool ts_plist_is_plain(const struct ts_plist *pl);
bool ts_plist_is(const struct ts_plist *pl, enum ts_plist_kind kind);

/* Ends what the header of a class calls holding and editing a property (property.h). */
void ts_plist_release(const struct ts_plist *pl);

struct ts_plist_class *ts_plist_class_of(const struct ts_plist *pl); /* borrowed */
const char *ts_plist_class_name(const struct ts_plist_class *cls);

#endif
