/* What H5L and the old functions of H5G say about a link. */
#ifndef TS_API_LINKINFO_H
#define TS_API_LINKINFO_H

#include <sys/types.h>

#include "group/follow.h"

int ts_link_describe(const struct ts_link *link, H5L_info1_t *out);
/* The value of a soft or user-defined link, as much as fits. */
int ts_link_value(const struct ts_link *link, void *buf, size_t size);
/* The object's comment, as much as fits; its length. 0 when there is none. */
ssize_t ts_api_comment(const struct ts_loc *loc, char *buf, size_t size);

void ts_token_from_addr(haddr_t addr, H5O_token_t *out);
haddr_t ts_token_to_addr(const H5O_token_t *token);

#endif
