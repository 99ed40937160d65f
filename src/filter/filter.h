/* The filters themselves: built in, registered by the application, or found in plugin files; and running a pipeline. */
#ifndef TS_FILTER_FILTER_H
#define TS_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Zpublic.h"
#include "filter/pipeline.h"

/* Filters of the field beside those of the HDF5 specification. */
enum { TS_FILTER_LZF = 32000, TS_FILTER_LZ4 = 32004, TS_FILTER_ZSTD = 32015 };

/* What a transfer may ask of its filters. */
struct ts_filter_options {
    bool skip_checksums;   /* H5Pset_edc_check(H5Z_DISABLE_EDC) */
    H5Z_filter_func_t on_fail; /* asked whether to go on when a filter fails; may be NULL */
    void *on_fail_data;
};

/* Undoes the pipeline on a stored block: *buf comes from ts_malloc and may be replaced. Filters whose bit is set in the
 * mask were skipped in writing. `expected` is the size that should come out; no buffer is made much larger than what the
 * stored bytes can really hold or that. options may be NULL. */
int ts_pipeline_decode_with(const struct ts_pipeline *p, uint32_t filter_mask, void **buf, size_t *size, size_t expected,
                            const struct ts_filter_options *options);

static inline int ts_pipeline_decode(const struct ts_pipeline *p, uint32_t filter_mask, void **buf, size_t *size,
                                     size_t expected)
{
    return ts_pipeline_decode_with(p, filter_mask, buf, size, expected, NULL);
}

/* 1 and its H5Z_FILTER_CONFIG_* flags when the filter is there (a plugin is looked for), 0 when not. config may be
 * NULL. */
int ts_filter_info(H5Z_filter_t id, unsigned *config);
/* The name under which it is known, borrowed; NULL when it is not. */
const char *ts_filter_name(H5Z_filter_t id);

/* The application's filters: H5Z_class2_t, copied; an id that is known is replaced. */
int ts_filter_register(const H5Z_class2_t *cls);
int ts_filter_unregister(H5Z_filter_t id);

/* A stored block on its way through the filters. */
struct ts_block {
    uint8_t *data; /* ts_malloc */
    size_t size;
    size_t expected;
};

/* Makes `data` the block's content; the old one is freed. */
void ts_block_replace(struct ts_block *b, uint8_t *data, size_t size);

typedef int ts_filter_decoder(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options);

ts_filter_decoder ts_decode_deflate, ts_decode_shuffle, ts_decode_fletcher32, ts_decode_szip, ts_decode_nbit,
    ts_decode_scaleoffset, ts_decode_lzf, ts_decode_lz4, ts_decode_zstd;

#endif
