/* The file as bytes. */
#include <string.h>

#include "base/error.h"
#include "file/change.h"
#include "file/internal.h"

/* With the file's lock: nothing is committed meanwhile. */
static int copy_bytes(struct ts_file *f, size_t capacity, void *buf, size_t *size)
{
    TS_FILE_HELD(f);
    haddr_t bytes = f->sb.end - f->sb.base;
    *size = (size_t)bytes;
    if (!buf)
        return 0;
    if (capacity < bytes)
        return TS_ERR(FILE, BADVALUE, "the buffer of %zu bytes is too small for an image of %llu", capacity,
                      (unsigned long long)bytes);
    if (ts_file_read(f, 0, *size, buf) < 0)
        return -1;
    /* The image is not open for writing, whatever the file is. */
    struct ts_superblock sb = f->sb;
    struct ts_wr w = {0};
    sb.flags &= ~(uint32_t)TS_FLAGS_OPEN;
    if (!f->writable || sb.version < 3)
        return 0;
    int status = ts_superblock_encode(&sb, &w);
    if (status == 0)
        memcpy(buf, w.data, w.size);
    ts_wr_free(&w);
    return status;
}

int ts_file_image(struct ts_file *f, size_t capacity, void *buf, size_t *size)
{
    if (ts_file_flush(f) < 0)
        return -1;
    ts_file_lock(f);
    int status = copy_bytes(f, capacity, buf, size);
    ts_file_unlock(f);
    return status;
}
