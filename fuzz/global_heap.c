/* A global heap collection of any bytes: each object that it lists lies inside the file. */
#include "heap/global_heap.h"
#include "common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    struct ts_gheap *heap;
    if (size < FUZZ_HEAD)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, false);
    volatile uint8_t sink = 0;
    if (ts_gheap_open(f, ff.start, &heap) == 0) {
        for (uint32_t i = 0; i < 600; i++) {
            const uint8_t *object;
            size_t bytes;
            if (ts_gheap_get(heap, i < 512 ? i : i * 113, &object, &bytes) < 0)
                continue;
            if (bytes > size)
                abort();
            for (size_t k = 0; k < bytes; k++)
                sink = (uint8_t)(sink + object[k]);
        }
        ts_gheap_close(heap);
    }
    fuzz_close(&ff);
    return 0;
}
