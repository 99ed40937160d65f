/* Files mounted on groups of other files.
 *
 * The mounts of a file are in its struct ts_file: all its handles see them. What is mounted is one handle, on one
 * handle, so the handles that mounts connect form trees. A tree lives as long as anybody uses one of its handles:
 * parent and child hold each other, and when the last reference from outside goes, all its mounts end. */
#ifndef TS_FILE_MOUNT_H
#define TS_FILE_MOUNT_H

#include "file/file.h"

struct ts_mount {
    haddr_t addr;                      /* of the group in the parent's file that the child's root stands for */
    struct ts_fhandle *parent, *child; /* owned */
    struct ts_mount *next;
};

int ts_mount_add(struct ts_fhandle *parent, haddr_t addr, struct ts_fhandle *child);
/* addr is the root of the handle when that is mounted, or else a mount point in its file. */
int ts_mount_remove(struct ts_fhandle *fh, haddr_t addr);

/* From a mount point to the root that is mounted there; elsewhere nothing changes. *fh is owned before and after. */
int ts_mount_cross(struct ts_fhandle **fh, haddr_t *addr);
static inline bool ts_mount_any(const struct ts_file *f)
{
    return atomic_load(&f->mounts.n) > 0;
}
bool ts_mount_is_point(struct ts_file *f, haddr_t addr);

/* The handle at the top of the tree, where "/" leads: a new reference. */
struct ts_fhandle *ts_mount_top(struct ts_fhandle *fh);
/* The handle it is mounted on, a new reference, or NULL. */
struct ts_fhandle *ts_mount_parent(struct ts_fhandle *fh);
bool ts_mount_same_tree(struct ts_fhandle *a, struct ts_fhandle *b);

/* Drops a reference to a handle of a tree. True when it was the last one: the caller frees the handle. */
bool ts_mount_unref(struct ts_fhandle *fh);

#endif
