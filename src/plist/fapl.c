/*
 * Encoded values:
 *   mdc_initCacheCfg       4, 8 (sizes of unsigned and double); version 4; 3 flags 4 each; trace file name 1025; 2
 *                          flags 4 each; initial size; min clean fraction 8; max size; min size; epoch length 8;
 *                          increment mode 1; threshold 8; increment 8; flag 4; max increment; flash mode 1; multiple 8;
 *                          threshold 8; decrement mode 1; threshold 8; decrement 8; flag 4; max decrement; epochs 4;
 *                          flag 4; empty reserve 8; dirty bytes 4; write strategy 4
 *   mdc_initCacheImageCfg  4; version 4; generate 4; save resize status 4; age out 4
 *   shared_chunk_cache     4, 8; version 4; threads 4; budget; reserve; w0 8; encode ahead; read ahead 4
 *   tessera_durability     level 1
 * Sizes are a length byte and so many bytes.
 */
#include "plist/fapl.h"

#include <stdlib.h>
#include <string.h>

#include "base/abi.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/error.h"
#include "driver/access.h"
#include "driver/user.h"
#include "plist/engine.h"
#include "plist/lapl.h"

/* Releases of HDF5 compute these from single precision constants. */
const H5AC_cache_config_t ts_mdc_default = {
    .version = H5AC__CURR_CACHE_CONFIG_VERSION,
    .evictions_enabled = true,
    .set_initial_size = true,
    .initial_size = 2 * 1024 * 1024,
    .min_clean_fraction = 0.01f,
    .max_size = 32 * 1024 * 1024,
    .min_size = 1 * 1024 * 1024,
    .epoch_length = 50000,
    .incr_mode = H5C_incr__threshold,
    .lower_hr_threshold = 0.9f,
    .increment = 2.0,
    .apply_max_increment = true,
    .max_increment = 4 * 1024 * 1024,
    .flash_incr_mode = H5C_flash_incr__add_space,
    .flash_multiple = 1.4f,
    .flash_threshold = 0.25,
    .decr_mode = H5C_decr__age_out_with_threshold,
    .upper_hr_threshold = 0.999f,
    .decrement = 0.9f,
    .apply_max_decrement = true,
    .max_decrement = 1 * 1024 * 1024,
    .epochs_before_eviction = 3,
    .apply_empty_reserve = true,
    .empty_reserve = 0.1f,
    .dirty_bytes_threshold = 256 * 1024,
    .metadata_write_strategy = H5AC_METADATA_WRITE_STRATEGY__DISTRIBUTED,
};

static void vfd_close(void *value)
{
    struct ts_fapl_vfd *v = value;
    ts_driver_config_deinit(&v->config);
    for (int i = 0; i < TS_MULTI_MEMBERS; i++)
        ts_plist_unref(v->members[i]);
}

static int vfd_copy(void *value)
{
    struct ts_fapl_vfd *from = value, copy = {.has_info = from->has_info};
    if (ts_driver_config_copy(&copy.config, &from->config) < 0)
        return -1;
    for (int i = 0; i < TS_MULTI_MEMBERS; i++)
        if (from->members[i] && ts_plist_copy(from->members[i], &copy.members[i]) < 0) {
            vfd_close(&copy);
            return -1;
        }
    *from = copy;
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static int vfd_cmp(const void *va, const void *vb)
{
    const struct ts_fapl_vfd *a = va, *b = vb;
    if (a->config.kind != b->config.kind)
        return 1;
    for (int i = 0; i < TS_MULTI_MEMBERS; i++) {
        if (!a->members[i] != !b->members[i])
            return 1;
        if (a->members[i] && !ts_plist_equal(a->members[i], b->members[i]))
            return 1;
    }
    const struct ts_driver_config *x = &a->config, *y = &b->config;
    switch (x->kind) {
    case TS_DRIVER_CORE:
        return x->core.increment != y->core.increment || x->core.backing_store != y->core.backing_store;
    case TS_DRIVER_FAMILY:
        return x->family.member_size != y->family.member_size;
    case TS_DRIVER_MULTI:
        for (int i = 0; i < TS_MULTI_MEMBERS; i++)
            if (x->multi.map[i] != y->multi.map[i] || x->multi.addr[i] != y->multi.addr[i] ||
                !same_text(x->multi.name[i], y->multi.name[i]))
                return 1;
        return x->multi.relax != y->multi.relax;
    case TS_DRIVER_SPLITTER:
        return !same_text(x->splitter.wo_path, y->splitter.wo_path) ||
               !same_text(x->splitter.log_path, y->splitter.log_path) ||
               x->splitter.ignore_wo_errors != y->splitter.ignore_wo_errors;
    case TS_DRIVER_LOG:
        return !same_text(x->log.path, y->log.path) || x->log.flags != y->log.flags;
    case TS_DRIVER_USER:
        return x->user.cls != y->user.cls || !ts_user_info_equal(x->user.cls, x->user.info, y->user.info);
    default:
        return 0;
    }
}

/* The application may want to manage the memory of its image itself. */
static void *image_malloc(const H5FD_file_image_callbacks_t *c, size_t size, H5FD_file_image_op_t op)
{
    return c->image_malloc ? c->image_malloc(size, op, c->udata) : ts_malloc(size);
}

static void *image_dup(const struct ts_file_image *image, H5FD_file_image_op_t op)
{
    const H5FD_file_image_callbacks_t *c = &image->calls;
    void *copy = image_malloc(c, image->size, op);
    if (!copy)
        return NULL;
    if (!c->image_memcpy)
        return memcpy(copy, image->buffer, image->size);
    /* Sharing one buffer is allowed: then the callback only checks that both are the same. */
    if (c->image_memcpy(copy, image->buffer, image->size, op, c->udata) != copy) {
        TS_ERR(RESOURCE, CANTCOPY, "the file image callback did not copy %zu bytes", image->size);
        return NULL;
    }
    return copy;
}

static void image_free(const struct ts_file_image *image, H5FD_file_image_op_t op)
{
    if (!image->buffer)
        return;
    if (image->calls.image_free)
        image->calls.image_free(image->buffer, op, image->calls.udata);
    else
        ts_free(image->buffer);
}

static int udata_copy(H5FD_file_image_callbacks_t *c)
{
    if (!c->udata)
        return 0;
    c->udata = c->udata_copy ? c->udata_copy(c->udata) : NULL;
    return c->udata ? 0 : TS_ERR(RESOURCE, CANTCOPY, "the file image callbacks did not copy their data");
}

static int image_copy(void *value)
{
    struct ts_file_image *image = value;
    struct ts_file_image copy = *image;
    if (image->buffer && !(copy.buffer = image_dup(image, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_COPY)))
        return -1;
    if (udata_copy(&copy.calls) < 0) {
        copy.calls.udata = image->calls.udata;
        image_free(&copy, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_CLOSE);
        return -1;
    }
    *image = copy;
    return 0;
}

static void image_close(void *value)
{
    struct ts_file_image *image = value;
    image_free(image, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_CLOSE);
    if (image->calls.udata && image->calls.udata_free)
        image->calls.udata_free(image->calls.udata);
}

static int image_cmp(const void *va, const void *vb)
{
    const struct ts_file_image *a = va, *b = vb;
    if (a->size != b->size || !a->buffer != !b->buffer || memcmp(&a->calls, &b->calls, sizeof a->calls) != 0)
        return 1;
    return a->buffer && memcmp(a->buffer, b->buffer, a->size) != 0;
}

static void write_double(struct ts_wr *w, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    ts_wr_u64(w, bits);
}

static double read_double(struct ts_rd *r)
{
    uint64_t bits = ts_rd_u64(r);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void mdc_encode(const void *value, size_t size, struct ts_wr *w)
{
    const H5AC_cache_config_t *c = value;
    (void)size;
    ts_wr_u8(w, sizeof(unsigned));
    ts_wr_u8(w, sizeof(double));
    ts_wr_u32(w, (uint32_t)c->version);
    ts_wr_u32(w, c->rpt_fcn_enabled);
    ts_wr_u32(w, c->open_trace_file);
    ts_wr_u32(w, c->close_trace_file);
    ts_wr_bytes(w, c->trace_file_name, sizeof c->trace_file_name);
    ts_wr_u32(w, c->evictions_enabled);
    ts_wr_u32(w, c->set_initial_size);
    ts_prop_write_size(w, c->initial_size);
    write_double(w, c->min_clean_fraction);
    ts_prop_write_size(w, c->max_size);
    ts_prop_write_size(w, c->min_size);
    ts_wr_u64(w, (uint64_t)c->epoch_length);
    ts_wr_u8(w, (uint8_t)c->incr_mode);
    write_double(w, c->lower_hr_threshold);
    write_double(w, c->increment);
    ts_wr_u32(w, c->apply_max_increment);
    ts_prop_write_size(w, c->max_increment);
    ts_wr_u8(w, (uint8_t)c->flash_incr_mode);
    write_double(w, c->flash_multiple);
    write_double(w, c->flash_threshold);
    ts_wr_u8(w, (uint8_t)c->decr_mode);
    write_double(w, c->upper_hr_threshold);
    write_double(w, c->decrement);
    ts_wr_u32(w, c->apply_max_decrement);
    ts_prop_write_size(w, c->max_decrement);
    ts_wr_u32(w, (uint32_t)c->epochs_before_eviction);
    ts_wr_u32(w, c->apply_empty_reserve);
    write_double(w, c->empty_reserve);
    ts_wr_u32(w, (uint32_t)c->dirty_bytes_threshold);
    ts_wr_u32(w, (uint32_t)c->metadata_write_strategy);
}

static int mdc_decode(struct ts_rd *r, void *value, size_t size)
{
    H5AC_cache_config_t *c = value;
    (void)size;
    if (ts_rd_u8(r) != sizeof(unsigned) || ts_rd_u8(r) != sizeof(double))
        return TS_ERR(PLIST, CANTDECODE, "encoded cache settings: other sizes of unsigned or double");
    c->version = (int)ts_rd_u32(r);
    c->rpt_fcn_enabled = ts_rd_u32(r) != 0;
    c->open_trace_file = ts_rd_u32(r) != 0;
    c->close_trace_file = ts_rd_u32(r) != 0;
    const uint8_t *name = ts_rd_bytes(r, sizeof c->trace_file_name);
    if (name)
        memcpy(c->trace_file_name, name, sizeof c->trace_file_name - 1);
    c->evictions_enabled = ts_rd_u32(r) != 0;
    c->set_initial_size = ts_rd_u32(r) != 0;
    c->initial_size = ts_prop_read_size(r);
    c->min_clean_fraction = read_double(r);
    c->max_size = ts_prop_read_size(r);
    c->min_size = ts_prop_read_size(r);
    c->epoch_length = (long)ts_rd_u64(r);
    c->incr_mode = (enum H5C_cache_incr_mode)ts_rd_u8(r);
    c->lower_hr_threshold = read_double(r);
    c->increment = read_double(r);
    c->apply_max_increment = ts_rd_u32(r) != 0;
    c->max_increment = ts_prop_read_size(r);
    c->flash_incr_mode = (enum H5C_cache_flash_incr_mode)ts_rd_u8(r);
    c->flash_multiple = read_double(r);
    c->flash_threshold = read_double(r);
    c->decr_mode = (enum H5C_cache_decr_mode)ts_rd_u8(r);
    c->upper_hr_threshold = read_double(r);
    c->decrement = read_double(r);
    c->apply_max_decrement = ts_rd_u32(r) != 0;
    c->max_decrement = ts_prop_read_size(r);
    c->epochs_before_eviction = (int)ts_rd_u32(r);
    c->apply_empty_reserve = ts_rd_u32(r) != 0;
    c->empty_reserve = read_double(r);
    c->dirty_bytes_threshold = ts_rd_u32(r);
    c->metadata_write_strategy = (int)ts_rd_u32(r);
    return r->bad ? TS_ERR(PLIST, CANTDECODE, "encoded cache settings end early") : 0;
}

static void mdc_image_encode(const void *value, size_t size, struct ts_wr *w)
{
    const H5AC_cache_image_config_t *c = value;
    (void)size;
    ts_wr_u8(w, sizeof(unsigned));
    ts_wr_u32(w, (uint32_t)c->version);
    ts_wr_u32(w, c->generate_image);
    ts_wr_u32(w, c->save_resize_status);
    ts_wr_u32(w, (uint32_t)c->entry_ageout);
}

static int mdc_image_decode(struct ts_rd *r, void *value, size_t size)
{
    H5AC_cache_image_config_t *c = value;
    (void)size;
    unsigned width = ts_rd_u8(r);
    c->version = (int)ts_rd_u32(r);
    c->generate_image = ts_rd_u32(r) != 0;
    c->save_resize_status = ts_rd_u32(r) != 0;
    c->entry_ageout = (int)ts_rd_u32(r);
    if (r->bad || width != sizeof(unsigned))
        return TS_ERR(PLIST, CANTDECODE, "encoded cache image settings end early");
    return 0;
}

enum { CACHE_BUDGET = 64 << 20, CACHE_RESERVE = 1 << 20, CACHE_READ_AHEAD = 4 };

int ts_chunk_cache_check(const H5F_shared_chunk_cache_t *settings)
{
    if (settings->version != H5F_SHARED_CHUNK_CACHE_VERSION)
        return TS_ERR(ARGS, VERSION, "version %u of chunk cache settings; known is %d", settings->version,
                      H5F_SHARED_CHUNK_CACHE_VERSION);
    if (settings->threads > TS_CHUNK_THREADS_MAX && settings->threads != H5F_CHUNK_CACHE_THREADS_DEFAULT)
        return TS_ERR(ARGS, BADRANGE, "%u threads for the chunk cache are more than %d", settings->threads,
                      TS_CHUNK_THREADS_MAX);
    if (!(settings->w0 >= 0.0 && settings->w0 <= 1.0))
        return TS_ERR(ARGS, BADRANGE,
                      "raw data cache w0 value must be between 0.0 and 1.0 inclusive: "
                      "preemption weight %g is not between 0 and 1",
                      settings->w0);
    return 0;
}

static bool shared_cache_given(const void *value)
{
    const H5F_shared_chunk_cache_t *c = value;
    return c->version != 0;
}

static int shared_cache_cmp(const void *va, const void *vb)
{
    const H5F_shared_chunk_cache_t *a = va, *b = vb;
    return a->version != b->version || a->threads != b->threads || a->budget != b->budget || a->reserve != b->reserve ||
           a->w0 != b->w0 || a->encode_ahead != b->encode_ahead || a->read_ahead != b->read_ahead;
}

static void shared_cache_encode(const void *value, size_t size, struct ts_wr *w)
{
    const H5F_shared_chunk_cache_t *c = value;
    (void)size;
    ts_wr_u8(w, sizeof(unsigned));
    ts_wr_u8(w, sizeof(double));
    ts_wr_u32(w, c->version);
    ts_wr_u32(w, c->threads);
    ts_prop_write_size(w, c->budget);
    ts_prop_write_size(w, c->reserve);
    write_double(w, c->w0);
    ts_prop_write_size(w, c->encode_ahead);
    ts_wr_u32(w, c->read_ahead);
}

static int shared_cache_decode(struct ts_rd *r, void *value, size_t size)
{
    H5F_shared_chunk_cache_t *c = value;
    (void)size;
    if (ts_rd_u8(r) != sizeof(unsigned) || ts_rd_u8(r) != sizeof(double))
        return TS_ERR(PLIST, CANTDECODE, "encoded chunk cache settings: other sizes of unsigned or double");
    c->version = ts_rd_u32(r);
    c->threads = ts_rd_u32(r);
    c->budget = ts_prop_read_size(r);
    c->reserve = ts_prop_read_size(r);
    c->w0 = read_double(r);
    c->encode_ahead = ts_prop_read_size(r);
    c->read_ahead = ts_rd_u32(r);
    return r->bad ? TS_ERR(PLIST, CANTDECODE, "encoded chunk cache settings end early") : ts_chunk_cache_check(c);
}

static bool durability_given(const void *value)
{
    return *(const H5F_durability_t *)value >= TS_ABI_TOLD_DURABILITY;
}

static void durability_encode(const void *value, size_t size, struct ts_wr *w)
{
    (void)size;
    ts_wr_u8(w, (uint8_t) * (const H5F_durability_t *)value);
}

static int check_durability(int level)
{
    if (level < H5F_DURABILITY_DEFAULT || level > H5F_DURABILITY_FLUSH)
        return TS_ERR(ARGS, BADRANGE, "there is no durability level %d", level);
    return 0;
}

static int durability_decode(struct ts_rd *r, void *value, size_t size)
{
    int level = ts_rd_u8(r);
    (void)size;
    if (r->bad)
        return TS_ERR(PLIST, CANTDECODE, "an encoded durability level ends early");
    *(H5F_durability_t *)value = (H5F_durability_t)level;
    return check_durability(level);
}

static const struct ts_prop_ops durability_ops = {
    .encode = durability_encode, .decode = durability_decode, .given = durability_given};
static const struct ts_prop_ops shared_cache_ops = {
    .cmp = shared_cache_cmp, .encode = shared_cache_encode, .decode = shared_cache_decode, .given = shared_cache_given};
static int within_copy(void *value)
{
    ts_access_ref(((struct ts_fapl_within *)value)->access);
    return 0;
}

static void within_close(void *value)
{
    ts_access_unref(((struct ts_fapl_within *)value)->access);
}

static const struct ts_prop_ops within_ops = {.copy = within_copy, .close = within_close};
static const struct ts_prop_ops vfd_ops = {.copy = vfd_copy, .close = vfd_close, .cmp = vfd_cmp};
static const struct ts_prop_ops image_ops = {.copy = image_copy, .close = image_close, .cmp = image_cmp};
static const struct ts_prop_ops mdc_ops = {.encode = mdc_encode, .decode = mdc_decode};
static const struct ts_prop_ops mdc_image_ops = {.encode = mdc_image_encode, .decode = mdc_image_decode};

int ts_fapl_define(void)
{
    static const struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_SEC2}};
    static const hsize_t one = 1, block = 2048, meta_block = TS_META_BLOCK_DEFAULT;
    static const size_t nslots = 521, nbytes = CACHE_RESERVE, sieve = 64 * 1024, page = 512 * 1024;
    static const double w0 = 0.75;
    static const int high = TS_ABI_LIBVER_LATEST;
    static const bool yes = true;
    static const H5AC_cache_image_config_t image = {.version = H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION,
                                                    .entry_ageout = H5AC__CACHE_IMAGE__ENTRY_AGEOUT__NONE};
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(fapl, driver, &vfd, &vfd_ops, TS_PROP_OWN),
        TS_PROPERTY_SPEC(fapl, alignment, &one, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, alignment_threshold, &one, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, nslots, &nslots, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, nbytes, &nbytes, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, w0, &w0, &ts_prop_double, 0),
        TS_PROPERTY_SPEC(fapl, gc_ref, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fapl, close_degree, NULL, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(fapl, family_offset, NULL, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, multi_type, NULL, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(fapl, meta_block, &meta_block, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, small_block, &block, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, sieve_buf, &sieve, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, libver_low, NULL, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(fapl, libver_high, &high, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(fapl, elink_cache, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fapl, image, NULL, &image_ops, 0),
        TS_PROPERTY_SPEC(fapl, core_tracking, NULL, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fapl, core_tracking_page, &page, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, read_attempts, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fapl, flush_cb, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(fapl, mdc_logging, NULL, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fapl, mdc_log_file, NULL, &ts_prop_string, 0),
        TS_PROPERTY_SPEC(fapl, mdc_log_start, NULL, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fapl, evict_on_close, NULL, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fapl, page_buf, NULL, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fapl, page_buf_meta, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fapl, page_buf_raw, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fapl, mdc_config, &ts_mdc_default, &mdc_ops, 0),
        TS_PROPERTY_SPEC(fapl, mdc_image, &image, &mdc_image_ops, 0),
        TS_PROPERTY_SPEC(fapl, locking, &yes, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fapl, locking_ignore, &yes, &ts_prop_byte, 0),
        /* Set with H5Pset by the tools that repair, clear and repartition files. */
        {"want_posix_fd", sizeof(bool), NULL, &ts_prop_plain, 0},
        {"clear_status_flags", sizeof(bool), NULL, &ts_prop_plain, 0},
        {"skip_eof_check", sizeof(bool), NULL, &ts_prop_plain, 0},
        {"null_fsm_addr", sizeof(bool), NULL, &ts_prop_plain, 0},
        TS_PROPERTY_SPEC(fapl, family_new_size, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(fapl, family_to_single, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(fapl, relax_checks, NULL, &ts_prop_plain, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(fapl, driver_config, NULL, &ts_prop_string, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(fapl, swmr_new_objects, &yes, &ts_prop_plain, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(fapl, said_chunk_cache, NULL, &shared_cache_ops, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(fapl, external_access, NULL, &ts_prop_given_string, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(fapl, within, NULL, &within_ops, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(fapl, said_durability, NULL, &durability_ops, TS_PROP_QUIET),
    };
    return ts_plist_define(TS_PLIST_FILE_ACCESS, specs, sizeof specs / sizeof *specs);
}

int ts_fapl_set_durability(struct ts_plist *pl, H5F_durability_t level)
{
    return check_durability((int)level) < 0 ? -1 : ts_fapl_set_said_durability(pl, level);
}

static int durability_of_environment(H5F_durability_t *out)
{
    static const char *const names[] = {"process", "ordered", "flush"};
    const char *value = ts_env("TESSERA_DURABILITY");
    *out = H5F_DURABILITY_PROCESS;
    if (!value || !*value)
        return 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            *out = (H5F_durability_t)(H5F_DURABILITY_PROCESS + i);
            return 0;
        }
    return TS_ERR(ARGS, BADVALUE, "TESSERA_DURABILITY is '%s' in the environment: it can be process, ordered or flush",
                  value);
}

int ts_fapl_durability(const struct ts_plist *pl, H5F_durability_t *out)
{
    if (ts_fapl_said_durability(pl, out) < 0)
        return -1;
    return *out == H5F_DURABILITY_DEFAULT ? durability_of_environment(out) : 0;
}

int ts_fapl_set_chunk_cache(struct ts_plist *pl, const H5F_shared_chunk_cache_t *settings)
{
    return ts_chunk_cache_check(settings) < 0 ? -1 : ts_fapl_set_said_chunk_cache(pl, settings);
}

int ts_fapl_chunk_cache(const struct ts_plist *pl, H5F_shared_chunk_cache_t *out)
{
    size_t nbytes;
    double w0;
    if (ts_fapl_said_chunk_cache(pl, out) < 0)
        return -1;
    if (out->version != 0)
        return 0;
    if (ts_fapl_nbytes(pl, &nbytes) < 0 || ts_fapl_w0(pl, &w0) < 0)
        return -1;
    size_t budget = nbytes == 0 || nbytes > CACHE_BUDGET ? nbytes : CACHE_BUDGET;
    *out = (H5F_shared_chunk_cache_t){.version = H5F_SHARED_CHUNK_CACHE_VERSION,
                                      .threads = H5F_CHUNK_CACHE_THREADS_DEFAULT,
                                      .budget = budget,
                                      .reserve = nbytes,
                                      .w0 = w0,
                                      .encode_ahead = budget / 2,
                                      .read_ahead = CACHE_READ_AHEAD};
    return 0;
}

const struct ts_driver_config *ts_fapl_driver(struct ts_plist *pl)
{
    struct ts_file_image image;
    struct ts_fapl_within within;
    if (ts_fapl_peek_image(pl, &image) < 0 || ts_fapl_peek_within(pl, &within) < 0)
        return NULL;
    struct ts_fapl_vfd *v = ts_fapl_edit_driver(pl);
    if (!v)
        return NULL;
    if (v->config.kind == TS_DRIVER_CORE) {
        v->config.core.image = image.buffer;
        v->config.core.image_size = image.size;
        v->config.core.calls = image.calls;
    }
    if (v->config.access != within.access) {
        ts_access_unref(v->config.access);
        v->config.access = ts_access_ref(within.access);
    }
    v->config.access_kind = within.kind;
    v->config.with_image = image.buffer != NULL;
    if (v->config.kind == TS_DRIVER_USER)
        v->config.user.list = pl;
    ts_plist_release(pl);
    return &v->config;
}

int ts_fapl_for_named(struct ts_plist *pl, struct ts_access *access, unsigned kind, struct ts_plist **out)
{
    static const H5F_close_degree_t weak = H5F_CLOSE_WEAK;
    struct ts_fapl_within within = {.access = access, .kind = kind};
    if (ts_plist_copy(pl, out) < 0)
        return -1;
    ts_access_ref(access);
    if (ts_fapl_give_within(*out, &within) < 0) {
        ts_access_unref(access);
        ts_plist_unref(*out);
        return -1;
    }
    if (ts_fapl_set_close_degree(*out, weak) < 0) {
        ts_plist_unref(*out);
        return -1;
    }
    return 0;
}

int ts_fapl_drop_within(struct ts_plist *pl)
{
    static const struct ts_fapl_within none = {0};
    return ts_fapl_give_within(pl, &none);
}

int ts_fapl_access(struct ts_plist *pl, const char *name, struct ts_access **out)
{
    struct ts_fapl_within within;
    char *text;
    struct ts_access *own;
    *out = NULL;
    if (ts_fapl_peek_within(pl, &within) < 0 || ts_fapl_external_access(pl, &text) < 0)
        return -1;
    int status = ts_access_add(within.access, "H5Pset_external_access", text, name, &own);
    ts_free(text);
    if (status < 0)
        return -1;
    status = ts_access_add(own, TS_ACCESS_VARIABLE, ts_access_environment(), name, out);
    ts_access_unref(own);
    return status;
}

static struct ts_driver_config **member_slot(struct ts_driver_config *config, int i)
{
    if (config->kind == TS_DRIVER_FAMILY)
        return i == 0 ? &config->family.member : NULL;
    if (config->kind == TS_DRIVER_SPLITTER)
        return i == 0 ? &config->splitter.rw : i == 1 ? &config->splitter.wo : NULL;
    return config->kind == TS_DRIVER_MULTI ? &config->multi.member[i] : NULL;
}

static int add_member(struct ts_fapl_vfd *v, int i, struct ts_plist *member)
{
    struct ts_driver_config **slot = member_slot(&v->config, i);
    if (!slot || !member)
        return 0;
    const struct ts_driver_config *config = ts_fapl_driver(member);
    if (!config || ts_plist_copy(member, &v->members[i]) < 0)
        return -1;
    *slot = ts_calloc(1, sizeof **slot);
    return *slot ? ts_driver_config_copy(*slot, config) : -1;
}

static int set_vfd(struct ts_plist *pl, const struct ts_fapl_vfd *vfd)
{
    struct ts_fapl_vfd v = {.has_info = vfd->has_info};
    struct ts_driver_config bare = vfd->config;
    for (int i = 0; i < TS_MULTI_MEMBERS; i++) {
        struct ts_driver_config **slot = member_slot(&bare, i);
        if (slot)
            *slot = NULL;
    }
    if (ts_driver_config_copy(&v.config, &bare) < 0)
        return -1;
    int ret = 0;
    for (int i = 0; ret == 0 && i < TS_MULTI_MEMBERS; i++)
        ret = add_member(&v, i, vfd->members[i]);
    if (ret == 0)
        ret = ts_fapl_give_driver(pl, &v);
    if (ret < 0)
        vfd_close(&v);
    return ret;
}

int ts_fapl_set_driver(struct ts_plist *pl, const struct ts_fapl_vfd *vfd)
{
    return set_vfd(pl, vfd) < 0 ? -1 : ts_fapl_set_driver_config(pl, NULL);
}

int ts_fapl_vfd(struct ts_plist *pl, struct ts_fapl_vfd *out)
{
    const struct ts_fapl_vfd *v = ts_fapl_hold_driver(pl);
    if (!v)
        return -1;
    *out = *v;
    int ret = vfd_copy(out);
    ts_plist_release(pl);
    return ret;
}

void ts_fapl_vfd_deinit(struct ts_fapl_vfd *vfd)
{
    vfd_close(vfd);
}

int ts_fapl_set_image(struct ts_plist *pl, const void *buffer, size_t size)
{
    struct ts_file_image *image = ts_fapl_edit_image(pl);
    if (!image)
        return -1;
    image_free(image, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_SET);
    struct ts_file_image given = {.buffer = (void *)buffer, .size = size, .calls = image->calls};
    image->buffer = buffer ? image_dup(&given, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_SET) : NULL;
    image->size = image->buffer ? size : 0;
    int ret = buffer && !image->buffer ? -1 : 0;
    ts_plist_release(pl);
    return ret;
}

int ts_fapl_drop_image(struct ts_plist *pl)
{
    struct ts_file_image *image = ts_fapl_edit_image(pl);
    if (!image)
        return -1;
    image_free(image, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_CLOSE);
    image->buffer = NULL;
    image->size = 0;
    ts_plist_release(pl);
    return 0;
}

int ts_fapl_image(struct ts_plist *pl, void **buffer, size_t *size)
{
    const struct ts_file_image *image = ts_fapl_hold_image(pl);
    if (!image)
        return -1;
    int ret = 0;
    if (size)
        *size = image->size;
    if (buffer) {
        *buffer = image->buffer ? image_dup(image, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_GET) : NULL;
        ret = image->buffer && !*buffer ? -1 : 0;
    }
    ts_plist_release(pl);
    return ret;
}

static int check_image_calls(const struct ts_file_image *image, const H5FD_file_image_callbacks_t *calls)
{
    if (image->buffer)
        return TS_SAY(PLIST, SETDISALLOWED,
                      "setting callbacks when an image is already set is forbidden. It could cause memory leaks.");
    if (!calls)
        return TS_SAY(ARGS, BADVALUE, "NULL callbacks_ptr");
    if (calls->udata && (!calls->udata_copy || !calls->udata_free))
        return TS_SAY(PLIST, SETDISALLOWED, "udata callbacks must be set if udata is set");
    return 0;
}

int ts_fapl_set_image_calls(struct ts_plist *pl, const H5FD_file_image_callbacks_t *calls)
{
    struct ts_file_image *image = ts_fapl_edit_image(pl);
    if (!image)
        return -1;
    int ret = check_image_calls(image, calls);
    H5FD_file_image_callbacks_t copy;
    if (ret == 0) {
        copy = *calls;
        ret = udata_copy(&copy);
    }
    if (ret == 0) {
        if (image->calls.udata && image->calls.udata_free)
            image->calls.udata_free(image->calls.udata);
        image->calls = copy;
    }
    ts_plist_release(pl);
    return ret;
}

int ts_fapl_image_calls(struct ts_plist *pl, H5FD_file_image_callbacks_t *out)
{
    const struct ts_file_image *image = ts_fapl_hold_image(pl);
    if (!image)
        return -1;
    *out = image->calls;
    int ret = udata_copy(out);
    ts_plist_release(pl);
    return ret;
}
