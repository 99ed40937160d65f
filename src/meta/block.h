/* Reading a structure whose size the file itself gave. */
#ifndef TS_META_BLOCK_H
#define TS_META_BLOCK_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/file.h"

/* size bytes at addr in memory from ts_malloc, which is asked for only after the file proved to have them. */
static inline int ts_meta_read_block(struct ts_file *f, haddr_t addr, uint64_t size, uint8_t **out)
{
    if (addr == HADDR_UNDEF || size > SIZE_MAX || !ts_file_has(f, addr, size))
        return TS_ERR(IO, READERROR, "%llu bytes at %#llx lie behind the end of the file, %#llx",
                      (unsigned long long)size, (unsigned long long)addr, (unsigned long long)f->end);
    uint8_t *buf = ts_malloc((size_t)size);
    if (!buf)
        return -1;
    if (ts_file_read(f, addr, (size_t)size, buf) < 0) {
        ts_free(buf);
        return -1;
    }
    *out = buf;
    return 0;
}

#endif
