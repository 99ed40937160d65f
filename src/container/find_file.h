/* Files that another file names: the target of an external link, the source of a virtual dataset, the place of a
 * reference. */
#ifndef TS_CONTAINER_FIND_FILE_H
#define TS_CONTAINER_FIND_FILE_H

#include "file/file.h"
#include "object/reference.h"

struct ts_container_search {
    const struct ts_fhandle *parent; /* the file with the name in it */
    unsigned kind;                   /* what it names: H5F_EXTERNAL_* */
    const char *variable;            /* the environment's list of folders, with colons between them */
    const char *prefix;              /* one more folder, or NULL */
    struct ts_plist *fapl;           /* how a file that is found is opened */
    unsigned flags;
};

/* Tries an absolute name as it is; then, without the folders of an absolute one, the name in the folders of the
 * environment, in the prefix, beside the parent, as it is, and beside what the parent's name is a symbolic link to.
 * 1 and *out, which the caller lets go; 0 when no place has such a file; negative when one has it and none opens: the
 * error is that of the first, or that memory ran out. */
int ts_container_find(const struct ts_container_search *how, const char *name, struct ts_fhandle **out);

/* The place of the object that is referred to; a file of another name is opened. The handle in *out is the caller's. */
int ts_ref_locate(const struct ts_ref *ref, struct ts_plist *fapl, struct ts_loc *out);

/* folder/name, from ts_malloc. */
char *ts_container_join_folder(const char *folder, size_t folder_len, const char *name);

#endif
