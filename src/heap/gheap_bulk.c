#include "heap/gheap_bulk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "heap/global_heap.h"

struct ts_gheap_bulk *ts_gheap_bulk_new(struct ts_file *f)
{
    struct ts_gheap_bulk *b = ts_calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->file = f;
    b->len_size = ts_file_len_size(f);
    b->buf = ts_malloc_aligned((size_t)TS_GHEAP_BULK_BLOCKS * TS_GHEAP_BULK_SIZE);
    if (b->buf)
        return b;
    ts_free(b);
    return NULL;
}

void ts_gheap_bulk_free(struct ts_gheap_bulk *b)
{
    if (b)
        ts_free(b->buf);
    ts_free(b);
}

bool ts_gheap_bulk_has(const struct ts_gheap_bulk *b, haddr_t collection)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->addrs[i] == collection)
            return true;
    return false;
}

static uint8_t *last(const struct ts_gheap_bulk *b)
{
    return b->buf + (b->n - 1) * TS_GHEAP_BULK_SIZE;
}

/* The last collection, of `size` bytes, gets its header, and what is free in it says so. */
static int seal(struct ts_gheap_bulk *b, size_t size)
{
    struct ts_wr w = {0};
    size_t header = ts_gheap_header_size(b->len_size);
    int status = ts_gheap_header_encode(size, b->len_size, &w);
    if (status == 0)
        status = ts_gheap_free_encode(size - b->end, b->len_size, &w);
    if (status == 0) {
        memcpy(last(b), w.data, header);
        memcpy(last(b) + b->end, w.data + header, w.size - header);
    }
    ts_wr_free(&w);
    return status;
}

/* `size` bytes are of the last one. */
static int write_out(struct ts_gheap_bulk *b, size_t size)
{
    struct ts_io_out v[TS_GHEAP_BULK_BLOCKS];
    size_t n = b->n;
    for (size_t i = 0; i < n; i++)
        v[i] = (struct ts_io_out){
            .addr = b->addrs[i], .size = i + 1 < n ? TS_GHEAP_BULK_SIZE : size, .buf = b->buf + i * TS_GHEAP_BULK_SIZE};
    b->n = 0;
    return ts_file_writev(b->file, v, n);
}

static int next(struct ts_gheap_bulk *b)
{
    if (b->n > 0 && seal(b, TS_GHEAP_BULK_SIZE) < 0)
        return -1;
    b->whole = b->whole || b->n > 0;
    if (b->n == TS_GHEAP_BULK_BLOCKS && write_out(b, TS_GHEAP_BULK_SIZE) < 0)
        return -1;
    if (ts_file_alloc(b->file, H5FD_MEM_GHEAP, TS_GHEAP_BULK_SIZE, &b->addrs[b->n]) < 0)
        return -1;
    b->n++;
    b->end = ts_gheap_header_size(b->len_size);
    b->count = 0;
    return 0;
}

int ts_gheap_bulk_put(struct ts_gheap_bulk *b, const void *data, size_t size, haddr_t *collection, uint32_t *index)
{
    size_t need = ts_gheap_object_size(size, b->len_size);
    if ((b->n == 0 || need > TS_GHEAP_BULK_SIZE - b->end) && next(b) < 0)
        return -1;
    /* As libhdf5 has it: one owner, no references. */
    ts_gheap_object_put(last(b) + b->end, ++b->count, data, size, b->len_size);
    b->end += need;
    *collection = b->addrs[b->n - 1];
    *index = b->count;
    return 0;
}

int ts_gheap_bulk_write(struct ts_gheap_bulk *b, struct ts_gheap_left *left)
{
    TS_IN_CHANGE(b->file);
    *left = (struct ts_gheap_left){.addr = HADDR_UNDEF};
    if (b->n == 0)
        return 0;
    haddr_t addr = b->addrs[b->n - 1];
    size_t size = b->end < TS_GHEAP_MIN_SIZE ? TS_GHEAP_MIN_SIZE : b->end;
    if (size < TS_GHEAP_BULK_SIZE && !ts_file_shrink(b->file, H5FD_MEM_GHEAP, addr, TS_GHEAP_BULK_SIZE, size))
        size = TS_GHEAP_BULK_SIZE;
    if (size > b->end)
        *left = (struct ts_gheap_left){.addr = addr, .free = size - b->end};
    return seal(b, size) < 0 ? -1 : write_out(b, size);
}
