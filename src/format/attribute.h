/* The attribute message, versions 1 to 3, and the attribute info message. O = size of offsets.
 *
 * attribute: version 1 | flags 1 (version 1: reserved) | name size 2 | datatype size 2 | dataspace size 2 |
 *            character set 1 (version 3) | name | datatype | dataspace | data
 *            In version 1 name, datatype and dataspace are padded to multiples of 8. Flag bit 0: the datatype is a
 *            shared message, bit 1: the dataspace is one.
 * attribute info: version 1 (0) | flags 1 | max creation index 2 (bit 0) | heap O | name index O | order index O (bit
 * 1)
 */
#ifndef TS_FORMAT_ATTRIBUTE_H
#define TS_FORMAT_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Tpublic.h"
#include "H5public.h"

struct ts_wr;

/* Everything borrowed from the message. */
struct ts_attr_msg {
    unsigned version;
    H5T_cset_t cset;
    const char *name; /* terminated */
    size_t name_len;
    bool type_shared, space_shared;
    const uint8_t *type, *space, *data;
    size_t type_size, space_size, data_size; /* data_size: what is left; may hold padding */
};

int ts_attr_msg_decode(const uint8_t *buf, size_t size, struct ts_attr_msg *out);
int ts_attr_msg_encode(const struct ts_attr_msg *msg, struct ts_wr *w);

struct ts_attr_info {
    bool tracked, indexed; /* creation order */
    unsigned max_corder;
    haddr_t heap, name_index, corder_index;
};

int ts_attr_info_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_attr_info *out);
int ts_attr_info_encode(const struct ts_attr_info *info, unsigned addr_size, struct ts_wr *w);

#endif
