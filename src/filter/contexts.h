/* What compressors work with: costly to make, so one that was used waits here for the next user, in whatever thread. */
#ifndef TS_FILTER_CONTEXTS_H
#define TS_FILTER_CONTEXTS_H

enum ts_context {
    TS_CONTEXT_INFLATE,     /* struct libdeflate_decompressor */
    TS_CONTEXT_ZSTD_DECODE, /* ZSTD_DCtx */
    TS_CONTEXT_ZSTD_ENCODE, /* ZSTD_CCtx */
    TS_CONTEXT_DEFLATE,     /* struct libdeflate_compressor of level 0; the other levels follow */
    TS_CONTEXT_COUNT = TS_CONTEXT_DEFLATE + 10
};

/* NULL, with an error, when memory is short. */
void *ts_context_take(unsigned kind);
void ts_context_put(unsigned kind, void *context);

#endif
