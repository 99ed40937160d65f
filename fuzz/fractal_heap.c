/* A fractal heap of any bytes. Its last 512 bytes also serve as heap ids. */
#include "heap/fractal_heap.h"
#include "common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    struct ts_fheap *heap;
    if (size < 32)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, true);
    if (ts_fheap_open(f, ff.start, &heap) == 0) {
        size_t width = ts_fheap_id_size(heap), room = size < 512 ? size : 512;
        uint64_t bytes;
        for (size_t at = 0; at + width <= room; at += width) {
            struct ts_wr out = {0};
            ts_fheap_read(heap, data + size - room + at, width, &out);
            ts_wr_free(&out);
        }
        ts_fheap_storage(heap, &bytes);
        ts_fheap_close(heap);
    }
    fuzz_close(&ff);
    return 0;
}
