#include "format/global_heap.h"

#include "base/cursor.h"
#include "base/error.h"

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
