#include "file/overlay.h"

#include "base/alloc.h"
#include "base/error.h"

int ts_file_overlay_image(struct ts_file *f, haddr_t addr, uint64_t size)
{
    if (addr == HADDR_UNDEF || size > SIZE_MAX || !ts_file_has(f, addr, size))
        return TS_ERR(CACHE, CANTDECODE, "%s: a cache image of %llu bytes at %#llx is not inside the file", f->name,
                      (unsigned long long)size, (unsigned long long)addr);
    uint8_t *image = ts_malloc((size_t)size);
    if (!image || ts_file_read(f, addr, (size_t)size, image) < 0) {
        ts_free(image);
        return -1;
    }
    return ts_overlay_add_image(f, image, (size_t)size);
}
