#include "format/global_heap.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

int ts_gheap_header_decode(const uint8_t *buf, size_t size, unsigned len_size, uint64_t *collection_size)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "GCOL"))
        return TS_ERR(HEAP, CANTDECODE, "no global heap signature");
    unsigned version = ts_rd_u8(&r);
    if (version != 1)
        return TS_ERR(HEAP, VERSION, "global heap collection of version %u", version);
    ts_rd_skip(&r, 3);
    *collection_size = ts_rd_uint(&r, len_size);
    if (r.bad || *collection_size < ts_gheap_header_size(len_size))
        return TS_ERR(HEAP, BADSIZE, "global heap collection of %llu bytes", (unsigned long long)*collection_size);
    return 0;
}

int ts_gheap_object_next(const uint8_t *buf, size_t size, unsigned len_size, size_t *pos, struct ts_gheap_object *out)
{
    size_t header = ts_gheap_header_size(len_size);
    if (*pos >= size || size - *pos < header)
        return 0;
    struct ts_rd r = ts_rd_init(buf + *pos, header);
    out->index = ts_rd_u16(&r);
    out->references = ts_rd_u16(&r);
    ts_rd_skip(&r, 4);
    uint64_t bytes = ts_rd_uint(&r, len_size);
    if (out->index == 0)
        return 0;
    size_t left = size - *pos - header;
    if (bytes > left)
        return TS_ERR(HEAP, BADSIZE, "global heap object %u at %zu of %llu bytes, %zu are left", out->index, *pos,
                      (unsigned long long)bytes, left);
    out->offset = *pos + header;
    out->size = (size_t)bytes;
    size_t padded = bytes > SIZE_MAX - 7 ? left : ((size_t)bytes + 7) / 8 * 8;
    *pos = out->offset + (padded < left ? padded : left);
    return 1;
}

int ts_gheap_header_encode(uint64_t collection_size, unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "GCOL", 4);
    ts_wr_u8(w, 1);
    ts_wr_zeros(w, 3);
    ts_put_uint(w, collection_size, len_size);
    ts_put_align(w, from);
    return ts_put_end(w);
}

static void fill_object_header(uint8_t *at, unsigned index, unsigned references, uint64_t size, unsigned len_size)
{
    memset(at, 0, ts_gheap_header_size(len_size));
    at[0] = (uint8_t)index;
    at[1] = (uint8_t)(index >> 8);
    at[2] = (uint8_t)references;
    at[3] = (uint8_t)(references >> 8);
    for (unsigned i = 0; i < len_size; i++)
        at[8 + i] = (uint8_t)(size >> 8 * i);
}

/* There may be millions: room is made once for all fields. */
static void put_object_header(struct ts_wr *w, unsigned index, unsigned references, uint64_t size, unsigned len_size)
{
    size_t bytes = ts_gheap_header_size(len_size);
    uint8_t *at = ts_wr_reserve(w, bytes);
    if (!at)
        return;
    if (len_size < 8 && size >> 8 * len_size) {
        TS_ERR(HEAP, CANTENCODE, "global heap object of %llu bytes", (unsigned long long)size);
        w->bad = true;
        return;
    }
    fill_object_header(at, index, references, size, len_size);
}

void ts_gheap_object_put(uint8_t *at, unsigned index, const void *data, size_t size, unsigned len_size)
{
    size_t header = ts_gheap_header_size(len_size), room = ts_gheap_object_size(size, len_size);
    /* Nearly all files have lengths of 8 bytes, and this runs for each of a million strings. */
    if (len_size == 8) {
        uint64_t fields[2] = {htole64(index), htole64(size)};
        memcpy(at, fields, sizeof fields);
    } else {
        fill_object_header(at, index, 0, size, len_size);
    }
    if (room > header)
        memset(at + room - 8, 0, 8);
    if (size > 0)
        memcpy(at + header, data, size);
}

int ts_gheap_object_encode(const struct ts_gheap_object *o, const uint8_t *data, unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    put_object_header(w, o->index, o->references, o->size, len_size);
    ts_wr_bytes(w, data, o->size);
    ts_put_align(w, from);
    return ts_put_end(w);
}

int ts_gheap_free_encode(size_t size, unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    if (size >= ts_gheap_header_size(len_size))
        put_object_header(w, 0, 0, size, len_size);
    ts_put_fill(w, from, size);
    return ts_put_end(w);
}
