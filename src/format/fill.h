/* The fill value messages: old (0x04), and new (0x05) versions 1 to 3.
 *
 * old: size 4 | value
 * version 1, 2: version 1 | allocation time 1 | write time 1 | defined 1 | size 4, value (version 2: only when defined)
 * version 3: version 1 | flags 1: allocation time bits 0-1, write time 2-3, undefined 4, defined 5 |
 *            size 4, value (only when defined)
 */
#ifndef TS_FORMAT_FILL_H
#define TS_FORMAT_FILL_H

#include <stddef.h>
#include <stdint.h>

#include "H5Dpublic.h"

struct ts_wr;

struct ts_fill_msg {
    unsigned version;            /* 0: the old message */
    H5D_alloc_time_t alloc_time; /* the old message says nothing: H5D_ALLOC_TIME_DEFAULT */
    H5D_fill_time_t fill_time;
    H5D_fill_value_t state;
    const uint8_t *value; /* borrowed; with H5D_FILL_VALUE_USER_DEFINED */
    size_t size;
};

int ts_fill_decode(const uint8_t *buf, size_t size, struct ts_fill_msg *out);
int ts_fill_decode_old(const uint8_t *buf, size_t size, struct ts_fill_msg *out);
/* The message that the version says. The old one has no way to tell a default value from none. */
int ts_fill_encode(const struct ts_fill_msg *msg, struct ts_wr *w);

#endif
