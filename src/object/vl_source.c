#include "object/vl_source.h"

#include "base/cursor.h"
#include "base/error.h"
#include "heap/global_heap.h"
#include "object/reference.h"

static int read_object(void *ctx, const uint8_t *heap_id, void **data, size_t *size)
{
    struct ts_file *f = ctx;
    struct ts_rd r = ts_rd_init(heap_id, ts_file_addr_size(f) + 4);
    haddr_t collection = ts_rd_addr(&r, ts_file_addr_size(f));
    uint32_t index = ts_rd_u32(&r);
    return ts_gheap_read(f, collection, index, data, size);
}

void ts_vl_source_init(struct ts_vl_source *source, struct ts_file *f)
{
    *source = (struct ts_vl_source){.read = read_object,
                                    .make_reference = ts_ref_make,
                                    .destroy_reference = ts_ref_destroy,
                                    .decode_reference = ts_ref_make_in_line,
                                    .ctx = f};
}
