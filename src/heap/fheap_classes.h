/* The blocks of fractal heaps as the metadata cache knows them. */
#ifndef TS_HEAP_FHEAP_CLASSES_H
#define TS_HEAP_FHEAP_CLASSES_H

#include "heap/fheap.h"
#include "meta/meta.h"

extern const struct ts_meta_class ts_fheap_direct_class, ts_fheap_indirect_class;
void ts_fheap_direct_free(void *obj);
void ts_fheap_indirect_free(void *obj);

#endif
