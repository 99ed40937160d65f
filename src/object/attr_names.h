/* Attributes that are messages of a header are found by going through them. Headers of old files, and those that are
 * written for the oldest readers, may have thousands; where they are asked for again and again a table of their names
 * is made. It grows with the attributes that are added behind the others, and lasts until messages move. */
#ifndef TS_OBJECT_ATTR_NAMES_H
#define TS_OBJECT_ATTR_NAMES_H

#include "object/ohdr.h"

struct ts_attr_names;

/* For who looks for one. NULL: there is no table, and it is not worth making one yet, or cannot be made. */
const struct ts_attr_names *ts_attr_names_get(struct ts_ohdr *oh);
/* The attribute's message, and how many attributes are before it; NULL when there is none of that name. */
const struct ts_ohdr_msg *ts_attr_names_find(const struct ts_attr_names *names, const struct ts_ohdr *oh,
                                             const char *name, unsigned *position);
/* Messages are not where they were. */
void ts_attr_names_forget(struct ts_ohdr *oh);
/* The message at this place is new; what was there before, and behind it, moved on by one. */
void ts_attr_names_added(struct ts_ohdr *oh, size_t at);
/* The message is about to have another body. */
void ts_attr_names_replaced(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, const uint8_t *body, size_t size);

#endif
