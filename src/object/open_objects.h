/* Which objects of a file that is open for writing somebody has open. One that loses its last link while it is open is
 * doomed: it is deleted with its last close. */
#ifndef TS_OBJECT_OPEN_OBJECTS_H
#define TS_OBJECT_OPEN_OBJECTS_H

#include <stdbool.h>

#include "base/lock.h"
#include "base/map.h"
#include "file/file.h"

struct ts_open_objects {
    struct ts_mutex lock;  /* of the maps; nothing else is locked under it */
    struct ts_map objects; /* struct open_object by address of the header */
    struct ts_map attrs;   /* the first struct ts_attr of a list by address of the object's header */
    haddr_t *dead;         /* to be deleted by the change that is under way */
    size_t n_dead, dead_capacity;
    bool deleting;
    struct ts_map gone; /* those that were deleted since it began: on file they still look alive */
};

/* Gives the file a list of them, which goes with the file. Fine when it has one. */
int ts_open_objects_attach(struct ts_file *f);
/* NULL when the file is open for reading only. */
static inline struct ts_open_objects *ts_open_objects_of(const struct ts_file *f)
{
    return f->writable ? ts_file_client(f, TS_CLIENT_OBJECTS) : NULL;
}

/* In files that are open for reading only these do nothing. */
int ts_open_objects_enter(struct ts_file *f, haddr_t addr);
/* Deletes the object if it was doomed and this was the last. A failure is owed (ts_err_owe). */
void ts_open_objects_leave(struct ts_file *f, haddr_t addr);
/* Somebody has it open, or a file is mounted on it. */
bool ts_open_objects_in_use(struct ts_file *f, haddr_t addr);
int ts_open_objects_doom(struct ts_file *f, haddr_t addr, bool doomed);
bool ts_open_objects_doomed(struct ts_file *f, haddr_t addr);

/* H5Odisable_mdc_flushes: kept while the object is open. Fails when it is so already. */
int ts_open_objects_cork(struct ts_file *f, haddr_t addr, bool corked);
bool ts_open_objects_corked(struct ts_file *f, haddr_t addr);

/* Open attributes, those of one object in a list. They keep their object open. */
struct ts_attr;
int ts_open_attrs_enter(struct ts_attr *attr);
void ts_open_attrs_leave(struct ts_attr *attr);

/* The changes of attributes that are open, by their old name. */
struct ts_attr_event {
    const char *name;
    const uint8_t *data; /* new data, or NULL */
    const char *to;      /* new name, or NULL */
    bool gone;
    struct ts_attr *self; /* one that this concerns and that the caller keeps until the change is over; or NULL */
};
/* Whether an attribute of this name is open. */
bool ts_open_attrs_has(struct ts_file *f, haddr_t addr, const char *name);
/* Inside a change: when it is made they are so. What the event leads to must stay until then. */
int ts_open_attrs_tell(struct ts_file *f, haddr_t addr, const struct ts_attr_event *event);

#endif
