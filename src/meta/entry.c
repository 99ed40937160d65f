/* The end of what the cache keeps of a structure. */
#include "base/alloc.h"
#include "meta/parts.h"

void ts_meta_entry_free(struct ts_meta_entry *e)
{
    while (e) {
        struct ts_meta_entry *next = e->ghost;
        if (e->obj)
            e->cls->free(e->obj);
        ts_free(e);
        e = next;
    }
}
