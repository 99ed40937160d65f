/* A local heap of any bytes: every offset either has a string that ends inside, or is an error. */
#include "heap/local_heap.h"
#include "common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    struct ts_lheap *heap;
    if (size < FUZZ_HEAD)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, false);
    if (ts_lheap_open(f, ff.start, &heap) == 0) {
        for (uint64_t i = 0; i < ts_lheap_size(heap) + 2 && i < 4096; i++) {
            const char *name = ts_lheap_name(heap, i);
            if (name && i + strlen(name) >= ts_lheap_size(heap))
                abort();
        }
        uint64_t bytes;
        if (ts_lheap_storage(f, ff.start, &bytes) < 0 || bytes < ts_lheap_size(heap))
            abort();
        ts_lheap_close(heap);
    }
    fuzz_close(&ff);
    return 0;
}
