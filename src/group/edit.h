/* Making, moving and removing links by path. Paths are walked first, without the lock of any file; then each file is
 * changed under its own. */
#ifndef TS_GROUP_EDIT_H
#define TS_GROUP_EDIT_H

#include <string.h>

#include "group/path.h"

/* A name in a group, of a link that is there or is to be made. */
struct ts_spot {
    struct ts_place group;
    char *missing;    /* groups from there to that of the link, which are made with it: a path, owned; or NULL */
    const char *name; /* a part of the path, or `own` */
    char *own;        /* where something follows it: owned */
    H5T_cset_t cset;  /* for a new link */
};

void ts_spot_deinit(struct ts_spot *spot);
/* The path of a link that is there, which must stay as long as the spot is used. *start is taken over or stays as it
 * is; it is let go of in any case. */
int ts_spot_find(struct ts_place *start, const char *path, struct ts_plist *lapl, struct ts_spot *out);
/* The path of a new link. lcpl, which says whether groups on the way are made, may be NULL for the default. */
int ts_spot_find_new(struct ts_place *start, const char *path, struct ts_plist *lcpl, struct ts_plist *lapl,
                     struct ts_spot *out);
static inline struct ts_file *ts_spot_file(const struct ts_spot *spot)
{
    return spot->group.loc.fh->file;
}

/* An error when there is no link of that name. */
int ts_spot_exists(const struct ts_spot *spot);

/* A new object and its link, as one change:
 *     if (ts_spot_begin(&spot) < 0)
 *         return -1;
 *     status = (make the object, with one link to it)
 *     if (status == 0)
 *         status = ts_spot_link(&spot, addr);
 *     return ts_change_end(ts_spot_file(&spot), status);
 */

/* ts_change_begin, and sees that the name is free. Groups on the way that are not there are made, as the group they are
 * made in keeps its links. */
int ts_spot_begin(const struct ts_spot *spot);
/* Inside the change: the name leads to the object, whose count of links knows it already. */
int ts_spot_link(const struct ts_spot *spot, haddr_t addr);
/* The path of what the name leads to, for the object that is opened; NULL as by ts_path_join. */
char *ts_spot_path(const struct ts_spot *spot, bool *ok);
/* 1 when nothing has the name, which need not be so any more later. */
int ts_spot_vacant(const struct ts_spot *spot);

/* Each is a change of its own. */

/* A group at a spot. */
int ts_group_make(const struct ts_spot *spot, struct ts_plist *gcpl, haddr_t *addr);

/* One more link to an object, which must be in the spot's file. */
int ts_link_hard(const struct ts_spot *spot, const struct ts_loc *object);
/* The value is stored without doubled and trailing slashes. */
int ts_link_soft(const struct ts_spot *spot, const char *value);
int ts_link_external(const struct ts_spot *spot, const char *file, const char *path);
/* Calls the class's function when the link is there. */
int ts_link_user(const struct ts_spot *spot, H5L_type_t type, const void *value, size_t size);

enum ts_link_transfer { TS_LINK_MOVE, TS_LINK_COPY };
int ts_link_transfer(const struct ts_spot *from, const struct ts_spot *to, enum ts_link_transfer how);
int ts_link_delete(const struct ts_spot *spot);

/* Tells the class of a user-defined link that it is about to go. Without locks. */
int ts_link_tell_deletion(struct ts_fhandle *fh, const struct ts_link *link);

/* As the kind's farewell of object.h; farewell.c. */
int ts_group_farewell(struct ts_file *f, haddr_t addr, unsigned links);
/* For the kind of object that groups are: frees what holds the links, and takes the links back. */
int ts_group_destroy(struct ts_file *f, const struct ts_ohdr *oh);

#endif
