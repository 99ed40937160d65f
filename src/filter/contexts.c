#include "filter/contexts.h"

#include <libdeflate.h>
#include <stdatomic.h>
#include <stddef.h>
#include <zstd.h>

#include "base/error.h"
#include "filter/filter.h"

enum { PLACES = 16 };
/* High levels of zstd want many megabytes, which are not kept. */
#define LARGEST ((size_t)8 << 20)

/* A place is emptied and filled in one step, so there is nothing to lock, nor to set right after a fork. */
static _Atomic(void *) waiting[TS_CONTEXT_COUNT][PLACES];

static void *make(unsigned kind)
{
    switch (kind) {
    case TS_CONTEXT_INFLATE:
        return libdeflate_alloc_decompressor();
    case TS_CONTEXT_ZSTD_DECODE:
        return ZSTD_createDCtx();
    case TS_CONTEXT_ZSTD_ENCODE:
        return ZSTD_createCCtx();
    default:
        return libdeflate_alloc_compressor((int)(kind - TS_CONTEXT_DEFLATE));
    }
}

static void drop(unsigned kind, void *context)
{
    switch (kind) {
    case TS_CONTEXT_INFLATE:
        libdeflate_free_decompressor(context);
        break;
    case TS_CONTEXT_ZSTD_DECODE:
        ZSTD_freeDCtx(context);
        break;
    case TS_CONTEXT_ZSTD_ENCODE:
        ZSTD_freeCCtx(context);
        break;
    default:
        libdeflate_free_compressor(context);
    }
}

void *ts_context_take(unsigned kind)
{
    for (size_t i = 0; i < PLACES; i++) {
        void *context = atomic_load_explicit(&waiting[kind][i], memory_order_relaxed);
        if (context && (context = atomic_exchange(&waiting[kind][i], NULL)))
            return context;
    }
    void *context = make(kind);
    if (!context)
        TS_ERR(RESOURCE, NOSPACE, "no memory for a compressor (%u)", kind);
    return context;
}

void ts_context_put(unsigned kind, void *context)
{
    bool keep = kind != TS_CONTEXT_ZSTD_ENCODE || ZSTD_sizeof_CCtx(context) <= LARGEST;
    for (size_t i = 0; keep && i < PLACES; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&waiting[kind][i], &none, context))
            return;
    }
    drop(kind, context);
}

void ts_filter_free_contexts(void)
{
    for (unsigned kind = 0; kind < TS_CONTEXT_COUNT; kind++)
        for (size_t i = 0; i < PLACES; i++) {
            void *context = atomic_exchange(&waiting[kind][i], NULL);
            if (context)
                drop(kind, context);
        }
}

__attribute__((destructor)) static void free_at_end(void)
{
    ts_filter_free_contexts();
}
