/* The checksum of all HDF5 metadata: Jenkins' lookup3 with initial value 0. */
#ifndef TS_BASE_CHECKSUM_H
#define TS_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t ts_checksum(const void *data, size_t size);
/* With another initial value: the hash of messages that are shared. */
uint32_t ts_checksum_from(const void *data, size_t size, uint32_t initial);

#endif
