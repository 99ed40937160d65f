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

/* What is held is the collection, pinned: the next object is most likely in it too. */
static int borrow_object(void *ctx, void **held, const uint8_t *heap_id, const uint8_t **data, size_t *size)
{
    struct ts_file *f = ctx;
    struct ts_gheap *heap = *held;
    struct ts_rd r = ts_rd_init(heap_id, ts_file_addr_size(f) + 4);
    haddr_t collection = ts_rd_addr(&r, ts_file_addr_size(f));
    uint32_t index = ts_rd_u32(&r);
    if (heap && ts_gheap_addr(heap) != collection) {
        ts_gheap_close(heap);
        *held = heap = NULL;
    }
    if (!heap && ts_gheap_open(f, collection, &heap) < 0)
        return -1;
    *held = heap;
    return ts_gheap_get(heap, index, data, size);
}

static void give_back_object(void *ctx, void *held)
{
    (void)ctx;
    ts_gheap_close(held);
}

void ts_vl_source_init(struct ts_vl_source *source, struct ts_file *f)
{
    *source = (struct ts_vl_source){.read = read_object,
                                    .borrow = borrow_object,
                                    .give_back = give_back_object,
                                    .make_reference = ts_ref_make,
                                    .destroy_reference = ts_ref_destroy,
                                    .decode_reference = ts_ref_make_in_line,
                                    .ctx = f};
}
