/* Reading a structure whose size the file itself gave. */
#ifndef TS_META_BLOCK_H
#define TS_META_BLOCK_H

#include <stdint.h>

#include "file/file.h"

/* size bytes at addr in memory from ts_malloc, which is asked for only after the file proved to have them. */
int ts_meta_read_block(struct ts_file *f, haddr_t addr, uint64_t size, uint8_t **out);

#endif
