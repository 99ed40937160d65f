#include "object/storage.h"

#include "heap/fractal_heap.h"
#include "index/btree2.h"

int ts_storage_add_btree2(struct ts_file *f, haddr_t addr, hsize_t *total)
{
    struct ts_btree2 *tree;
    uint64_t bytes;
    if (addr == HADDR_UNDEF)
        return 0;
    if (ts_btree2_open(f, addr, &tree) < 0)
        return -1;
    int status = ts_btree2_storage(tree, &bytes);
    ts_btree2_close(tree);
    if (status == 0)
        *total += bytes;
    return status;
}

int ts_storage_add_fheap(struct ts_file *f, haddr_t addr, hsize_t *total)
{
    struct ts_fheap *heap;
    uint64_t bytes;
    if (addr == HADDR_UNDEF)
        return 0;
    if (ts_fheap_open(f, addr, &heap) < 0)
        return -1;
    int status = ts_fheap_storage(heap, &bytes);
    ts_fheap_close(heap);
    if (status == 0)
        *total += bytes;
    return status;
}
