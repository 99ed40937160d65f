/* From a path to an object or a link, through soft, external and user-defined links. */
#ifndef TS_GROUP_PATH_H
#define TS_GROUP_PATH_H

#include "group/group.h"
#include "object/place.h"

enum {
    TS_PATH_LINK = 1,      /* the last component's link itself is wanted: soft and user-defined ones are not followed */
    TS_PATH_TRY = 2,       /* a last component that is not there gives 0 instead of an error */
    TS_PATH_DANGLING = 4,  /* a last component that is a link to nowhere gives 0 instead of an error */
    TS_PATH_POINT = 8,     /* a mount point at the end is wanted itself, not what is mounted there */
    TS_PATH_BENEATH = 16,  /* mounts are not seen */
    TS_PATH_MAKE = 32,     /* groups of the path need not be there: what of it is missing is told */
    TS_PATH_GROUP = 64,    /* the path is only the first part of what was asked for */
    TS_PATH_UNNAMED = 128, /* the path of what is found need not be known */
};

struct ts_target {
    struct ts_place place; /* loc.addr is HADDR_UNDEF when the last link was not followed and is not hard */
    bool has_link;         /* TS_PATH_LINK; false for "/" and paths that end in "." */
    struct ts_link link;   /* of the last component */
    char *missing;         /* TS_PATH_MAKE: the path from the place on, whose first component is not there; or NULL */
};

void ts_target_deinit(struct ts_target *target);

/* 1 and *out, 0 (TS_PATH_TRY, TS_PATH_DANGLING) not there, negative on error. The walk takes over the place it starts
 * from, which is empty after it. lapl is a link access list, or NULL for the default. */
int ts_path_walk(struct ts_place *start, const char *path, unsigned flags, struct ts_plist *lapl,
                 struct ts_target *out);
/* From a link that was found in a group already, to what it leads to. */
int ts_path_follow(const struct ts_place *group, const struct ts_link *link, struct ts_plist *lapl,
                   struct ts_place *out);
/* Only the object. */
int ts_path_object(struct ts_place *start, const char *path, struct ts_plist *lapl, struct ts_place *out);
/* The same for who does not need to know its path. */
int ts_path_unnamed(struct ts_place *start, const char *path, struct ts_plist *lapl, struct ts_place *out);

/* "group path" / "name"; NULL when group is NULL (not an error) or memory is short (an error): told apart by *ok. */
char *ts_path_join(const char *group, const char *name, size_t name_len, bool *ok);

/* A path to the object at loc by hard links from the root, depth first. 1 and *out, 0 none, negative. */
int ts_path_search(const struct ts_loc *loc, char **out);

/* The name of the object at a place: its path as long as that leads there, or else any. Empty when there is none, and
 * when a mount hides the object. */
int ts_path_name(const struct ts_place *place, char **out);

#endif
