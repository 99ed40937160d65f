#include "file/overlay.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "format/cache_image.h"

struct ts_overlay {
    uint8_t *image; /* the entries point into it */
    struct ts_cache_image_entry *entries;
    size_t n;
};

void ts_overlay_free(struct ts_overlay *o)
{
    if (!o)
        return;
    ts_free(o->entries);
    ts_free(o->image);
    ts_free(o);
}

/* The first entry that ends behind addr. */
static size_t first_behind(const struct ts_overlay *o, haddr_t addr)
{
    size_t low = 0, high = o->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (o->entries[mid].addr + o->entries[mid].size <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void ts_overlay_apply(const struct ts_overlay *o, haddr_t addr, size_t size, void *buf)
{
    for (size_t i = first_behind(o, addr); i < o->n && o->entries[i].addr < addr + size; i++) {
        const struct ts_cache_image_entry *e = &o->entries[i];
        haddr_t from = e->addr > addr ? e->addr : addr;
        haddr_t to = e->addr + e->size < addr + size ? e->addr + e->size : addr + size;
        memcpy((uint8_t *)buf + (from - addr), e->data + (from - e->addr), (size_t)(to - from));
    }
}

static int load(struct ts_file *f, haddr_t addr, size_t size, struct ts_overlay *o)
{
    o->image = ts_malloc(size);
    if (!o->image || ts_file_read(f, addr, size, o->image) < 0)
        return -1;
    return ts_cache_image_entries(o->image, size, ts_file_addr_size(f), ts_file_len_size(f), &o->entries, &o->n);
}

int ts_file_overlay_image(struct ts_file *f, haddr_t addr, uint64_t size)
{
    if (addr == HADDR_UNDEF || size > SIZE_MAX || !ts_file_has(f, addr, size))
        return TS_ERR(CACHE, CANTDECODE, "%s: a cache image of %llu bytes at %#llx is not inside the file", f->name,
                      (unsigned long long)size, (unsigned long long)addr);
    struct ts_overlay *o = ts_calloc(1, sizeof *o);
    if (!o)
        return -1;
    if (load(f, addr, (size_t)size, o) < 0) {
        ts_overlay_free(o);
        return -1;
    }
    ts_overlay_free(f->overlay);
    f->overlay = o;
    return 0;
}
