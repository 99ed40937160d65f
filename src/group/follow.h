/* Links that leave the group's own file or the library's knowledge. For path.c. */
#ifndef TS_GROUP_FOLLOW_H
#define TS_GROUP_FOLLOW_H

#include "group/link_class.h"
#include "group/path.h"

/* How many soft and user-defined links a path may go through. */
size_t ts_follow_limit(struct ts_plist *lapl);

/* The file that an external link in `group` names, and the path in it, borrowed from the link. */
int ts_follow_external(const struct ts_place *group, const struct ts_link *link, struct ts_plist *lapl,
                       struct ts_fhandle **fh, const char **path);
/* Where the application's traversal function leads. */
int ts_follow_user(const struct ts_place *group, const struct ts_link *link, const struct ts_link_class *cls,
                   struct ts_plist *lapl, struct ts_place *out);

/* An external link's value: flags 1 byte (version in the upper half), file name, path; both borrowed. */
int ts_external_unpack(const void *value, size_t size, unsigned *flags, const char **file, const char **path);

#endif
