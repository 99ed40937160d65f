/* What is told of a link. */
#ifndef TS_GROUP_LINK_VALUE_H
#define TS_GROUP_LINK_VALUE_H

#include "group/follow.h"

int ts_link_describe(const struct ts_link *link, H5L_info1_t *out);
/* The value of a soft or user-defined link, as much as fits. */
int ts_link_value(const struct ts_link *link, void *buf, size_t size);

#endif
