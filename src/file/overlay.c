#include "file/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/blocks.h"
#include "format/cache_image.h"

struct ts_overlay {
    uint8_t *image;                       /* the entries point into it */
    struct ts_cache_image_entry *entries; /* by address; none overlaps another */
    size_t n;
    struct ts_overlay *under; /* applied first */
};

void ts_overlay_free(struct ts_overlay *o)
{
    while (o) {
        struct ts_overlay *under = o->under;
        ts_free(o->entries);
        ts_free(o->image);
        ts_free(o);
        o = under;
    }
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
    if (o->under)
        ts_overlay_apply(o->under, addr, size, buf);
    for (size_t i = first_behind(o, addr); i < o->n && o->entries[i].addr < addr + size; i++) {
        const struct ts_cache_image_entry *e = &o->entries[i];
        haddr_t from = e->addr > addr ? e->addr : addr;
        haddr_t to = e->addr + e->size < addr + size ? e->addr + e->size : addr + size;
        memcpy((uint8_t *)buf + (from - addr), e->data + (from - e->addr), (size_t)(to - from));
    }
}

int ts_overlay_add_image(struct ts_file *f, uint8_t *image, size_t size)
{
    struct ts_overlay *o = ts_calloc(1, sizeof *o);
    if (!o) {
        ts_free(image);
        return -1;
    }
    o->image = image;
    if (ts_cache_image_entries(image, size, ts_file_addr_size(f), ts_file_len_size(f), &o->entries, &o->n) < 0) {
        ts_overlay_free(o);
        return -1;
    }
    o->under = f->bytes.overlay;
    f->bytes.overlay = o;
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct ts_cache_image_entry *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int journal_entries(const struct ts_file *f, const struct ts_journal *j, struct ts_cache_image_entry *out)
{
    for (size_t i = 0; i < j->n; i++) {
        if (j->blocks[i].addr < f->sb.base)
            return TS_ERR(FILE, CANTDECODE, "%s: its journal has a block before the superblock", f->name);
        out[i] = (struct ts_cache_image_entry){
            .addr = j->blocks[i].addr - f->sb.base, .size = j->blocks[i].size, .data = j->blocks[i].buf};
    }
    qsort(out, j->n, sizeof *out, by_address);
    for (size_t i = 1; i < j->n; i++)
        if (out[i - 1].addr + out[i - 1].size > out[i].addr)
            return TS_ERR(FILE, CANTDECODE, "%s: two blocks of its journal overlap at %#llx", f->name,
                          (unsigned long long)out[i].addr);
    return 0;
}

int ts_file_overlay_journal(struct ts_file *f, struct ts_journal *j)
{
    struct ts_overlay *o = ts_calloc(1, sizeof *o);
    struct ts_cache_image_entry *entries = o ? ts_calloc(j->n + 1, sizeof *entries) : NULL;
    if (!entries || journal_entries(f, j, entries) < 0) {
        ts_free(entries);
        ts_free(o);
        return -1;
    }
    *o = (struct ts_overlay){.image = j->bytes, .entries = entries, .n = j->n, .under = f->bytes.overlay};
    f->bytes.overlay = o;
    j->bytes = NULL;
    ts_journal_deinit(j);
    return 0;
}

int ts_overlay_blocks(const struct ts_overlay *o, struct ts_blocks *out)
{
    for (size_t i = 0; i < o->n; i++) {
        ts_wr_bytes(ts_blocks_begin(out), o->entries[i].data, (size_t)o->entries[i].size);
        if (ts_blocks_end(out, o->entries[i].addr) < 0)
            return -1;
    }
    return 0;
}
