/* The filters themselves: built in, registered by the application, or found in plugin files; fitting a pipeline to a
 * dataset; and running it. */
#ifndef TS_FILTER_FILTER_H
#define TS_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Zpublic.h"
#include "filter/pipeline.h"
#include "type/type.h"

/* Filters of the field beside those of the HDF5 specification. */
enum { TS_FILTER_LZF = 32000, TS_FILTER_LZ4 = 32004, TS_FILTER_ZSTD = 32015 };
/* The library's own: the selections of sparse chunks. */
enum { TS_FILTER_SELECTION_PACKING = 60010 };

/* What a transfer may ask of its filters. */
struct ts_filter_options {
    bool skip_checksums;       /* H5Pset_edc_check(H5Z_DISABLE_EDC) */
    H5Z_filter_func_t on_fail; /* asked whether to go on when a filter fails; may be NULL */
    void *on_fail_data;
    bool metadata;  /* a file's lock may be held, and what is coded belongs to something half done */
    bool no_growth; /* encoding: an optional filter that makes more bytes of it is skipped, unless a checksum is what it
                       adds; stock libhdf5 keeps those */
    bool exact;     /* encoding: a filter of the application that does not give back every byte has failed */
};

/* Undoes the pipeline on a stored block: *buf comes from ts_malloc and may be replaced. Filters whose bit is set in the
 * mask were skipped in writing. `expected` is the size that should come out; no buffer is made much larger than what
 * the stored bytes can really hold or that. options may be NULL. */
int ts_pipeline_decode_with(const struct ts_pipeline *p, uint32_t filter_mask, void **buf, size_t *size,
                            size_t expected, const struct ts_filter_options *options);

static inline int ts_pipeline_decode(const struct ts_pipeline *p, uint32_t filter_mask, void **buf, size_t *size,
                                     size_t expected)
{
    return ts_pipeline_decode_with(p, filter_mask, buf, size, expected, NULL);
}

/* Runs the pipeline on a block to be stored: *buf comes from ts_malloc and may be replaced. A bit in *filter_mask is
 * set for every filter that was skipped: an optional one that fails, or finds nothing to gain, and a mandatory one that
 * fails when the callback of the options says to go on. Also after an error *buf is a buffer of the caller's. options
 * may be NULL. */
int ts_pipeline_encode(const struct ts_pipeline *p, void **buf, size_t *size, uint32_t *filter_mask,
                       const struct ts_filter_options *options);
/* The same of *size bytes that stay the caller's and as they are. *out is a new block from ts_malloc, *size what it
 * holds; NULL after an error. */
int ts_pipeline_encode_from(const struct ts_pipeline *p, const void *bytes, size_t *size, void **out,
                            uint32_t *filter_mask, const struct ts_filter_options *options);

/* True when all its filters are the library's own: others may be made for one thread, or call into the API. */
bool ts_pipeline_any_thread(const struct ts_pipeline *p);

/* True while this thread is inside a pipeline of that owner, which is not NULL: who asks was called by a filter of the
 * application, or by the callback that is asked when one failed, and must not wait for what the owner does. */
bool ts_filter_runs_for(const void *owner);

/* Frees what compressors keep for their next use. */
void ts_filter_free_contexts(void);

struct ts_filter_local;

/* How the callbacks of the application's filters are reached: they take ids, of which this folder knows nothing. */
struct ts_filter_calls {
    /* 1, 0 for no, negative for an error. */
    int (*can_apply)(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local);
    /* The callback may change any filter of the pipeline through the creation list it is given. */
    int (*set_local)(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local,
                     struct ts_pipeline *p);
    void *context;
};

/* A dataset about to be created, as its filters see it. */
struct ts_filter_local {
    const struct ts_type *type; /* at TS_LOC_DISK */
    size_t unit; /* 0 but for sections of structured chunks that are not numbers: bytes, of which so many belong
                    together */
    unsigned rank;
    const hsize_t *chunk_dims;
    bool has_fill;                       /* false: H5D_FILL_VALUE_UNDEFINED */
    const void *fill;                    /* one element of the type; NULL is zeros */
    const struct ts_filter_calls *calls; /* NULL: no filter of the application is asked */
};

/* Asks every filter whether it can do this dataset and lets it compute its parameters. A filter of the application that
 * nobody wanted in just this section of bytes (ts_filter.only) goes when it does not want to, either. After an error
 * the pipeline is as sound as before, but some filters may already have other parameters. */
int ts_pipeline_set_local(struct ts_pipeline *p, const struct ts_filter_local *local);

/* 1 and its H5Z_FILTER_CONFIG_* flags when the filter is there (a plugin is looked for), 0 when not. config may be
 * NULL. */
int ts_filter_info(H5Z_filter_t id, unsigned *config);
/* Whether the parameters that a user gives are enough for a filter, and such that it can work. Of filters that are not
 * built in nothing is known. */
int ts_filter_check_values(H5Z_filter_t id, size_t n, const unsigned *values);
/* The name under which it is known, borrowed; NULL when it is not. */
const char *ts_filter_name(H5Z_filter_t id);
/* What of a pipeline's filter is told, never NULL. */
const char *ts_filter_label(const struct ts_filter *f);

/* The application's filters: H5Z_class2_t, copied; an id that is known is replaced. */
int ts_filter_register(const H5Z_class2_t *cls);
int ts_filter_unregister(H5Z_filter_t id);
/* The library closes. */
void ts_filter_forget_all(void);

/* A stored block on its way through the filters. */
struct ts_block {
    uint8_t *data; /* ts_malloc */
    size_t size;
    size_t expected;
    bool borrowed; /* data is not to be changed, nor freed: encoding only */
    bool spoiled;  /* a filter of the application has failed and not left it as it was */
};

/* Makes `data` the block's content; the old one is freed if it is the block's. */
void ts_block_replace(struct ts_block *b, uint8_t *data, size_t size);

typedef int ts_filter_decoder(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options);

ts_filter_decoder ts_decode_deflate, ts_decode_shuffle, ts_decode_fletcher32, ts_decode_szip, ts_decode_nbit,
    ts_decode_scaleoffset, ts_decode_lzf, ts_decode_lz4, ts_decode_zstd, ts_decode_selection_packing;

typedef int ts_filter_encoder(const struct ts_filter *f, struct ts_block *b);

ts_filter_encoder ts_encode_deflate, ts_encode_shuffle, ts_encode_fletcher32, ts_encode_szip, ts_encode_nbit,
    ts_encode_scaleoffset, ts_encode_lzf, ts_encode_lz4, ts_encode_zstd, ts_encode_selection_packing;

struct ts_selection_section;
struct ts_run_set;
/* What selection packing made of a section, of which all is known but its bytes, straight to the set that it selects:
 * 1. 0 when it must be decoded by the filter: it is of another kind, or unsound. */
int ts_unpack_selection(const uint8_t *packed, size_t size, const struct ts_selection_section *section,
                        struct ts_run_set **out);

typedef int ts_filter_setter(struct ts_filter *f, const struct ts_filter_local *local);

ts_filter_setter ts_local_shuffle, ts_local_szip, ts_local_nbit, ts_local_scaleoffset, ts_local_lzf;
bool ts_can_szip(const struct ts_filter_local *local);
/* Elements in a chunk; an error when they are more than a parameter can say. */
int ts_local_elements(const struct ts_filter_local *local, unsigned *elements);

#endif
