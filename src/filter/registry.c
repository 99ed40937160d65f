/* Which filters there are, and running a pipeline through them. */
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"
#include "filter/plugin.h"

static const struct builtin {
    H5Z_filter_t id;
    const char *name;
    ts_filter_decoder *decode;
} builtins[] = {
    {H5Z_FILTER_DEFLATE, "deflate", ts_decode_deflate},
    {H5Z_FILTER_SHUFFLE, "shuffle", ts_decode_shuffle},
    {H5Z_FILTER_FLETCHER32, "fletcher32", ts_decode_fletcher32},
    {H5Z_FILTER_SZIP, "szip", ts_decode_szip},
    {H5Z_FILTER_NBIT, "nbit", ts_decode_nbit},
    {H5Z_FILTER_SCALEOFFSET, "scaleoffset", ts_decode_scaleoffset},
    {TS_FILTER_LZF, "lzf", ts_decode_lzf},
    {TS_FILTER_LZ4, "lz4", ts_decode_lz4},
    {TS_FILTER_ZSTD, "zstd", ts_decode_zstd},
};

/* Registered by the application or a plugin; such a filter comes before a built-in one of the same id. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static H5Z_class2_t *user;
static size_t n_user, user_capacity;

static const struct builtin *find_builtin(H5Z_filter_t id)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (builtins[i].id == id)
            return &builtins[i];
    return NULL;
}

static H5Z_class2_t *find_user(H5Z_filter_t id)
{
    for (size_t i = 0; i < n_user; i++)
        if (user[i].id == id)
            return &user[i];
    return NULL;
}

static bool copy_user(H5Z_filter_t id, H5Z_class2_t *out)
{
    pthread_rwlock_rdlock(&lock);
    const H5Z_class2_t *found = find_user(id);
    if (found)
        *out = *found;
    pthread_rwlock_unlock(&lock);
    return found != NULL;
}

int ts_filter_register(const H5Z_class2_t *cls)
{
    pthread_rwlock_wrlock(&lock);
    H5Z_class2_t *slot = find_user(cls->id);
    int status = 0;
    if (!slot && (status = TS_GROW(user, user_capacity, n_user + 1)) == 0)
        slot = &user[n_user++];
    if (slot)
        *slot = *cls;
    pthread_rwlock_unlock(&lock);
    return status;
}

int ts_filter_unregister(H5Z_filter_t id)
{
    pthread_rwlock_wrlock(&lock);
    H5Z_class2_t *slot = find_user(id);
    if (slot)
        *slot = user[--n_user];
    pthread_rwlock_unlock(&lock);
    if (!slot)
        return TS_ERR(PLINE, NOTFOUND, "filter %d is not registered", (int)id);
    return 0;
}

/* A registered filter, or one from a plugin file, which is registered then. A built-in filter needs no search. */
static bool find_or_load(H5Z_filter_t id, H5Z_class2_t *out)
{
    if (copy_user(id, out))
        return true;
    if (find_builtin(id))
        return false;
    const H5Z_class2_t *plugin = ts_plugin_find_filter(id);
    if (!plugin)
        return false;
    *out = *plugin;
    return ts_filter_register(plugin) == 0;
}

int ts_filter_info(H5Z_filter_t id, unsigned *config)
{
    H5Z_class2_t cls;
    unsigned flags = H5Z_FILTER_CONFIG_DECODE_ENABLED;
    if (find_or_load(id, &cls))
        flags = (cls.encoder_present ? H5Z_FILTER_CONFIG_ENCODE_ENABLED : 0u) |
                (cls.decoder_present ? H5Z_FILTER_CONFIG_DECODE_ENABLED : 0u);
    else if (!find_builtin(id))
        return 0;
    if (config)
        *config = flags;
    return 1;
}

const char *ts_filter_name(H5Z_filter_t id)
{
    H5Z_class2_t cls;
    if (copy_user(id, &cls))
        return cls.name;
    const struct builtin *b = find_builtin(id);
    return b ? b->name : NULL;
}

void ts_block_replace(struct ts_block *b, uint8_t *data, size_t size)
{
    ts_free(b->data);
    b->data = data;
    b->size = size;
}

/* A filter of the application follows libhdf5's rules: it returns the number of valid bytes, 0 for failure, and may
 * replace the buffer by another from malloc. */
static int run_user(const H5Z_class2_t *cls, const struct ts_filter *f, struct ts_block *b,
                    const struct ts_filter_options *options)
{
    unsigned flags = f->flags | H5Z_FLAG_REVERSE | (options->skip_checksums ? H5Z_FLAG_SKIP_EDC : 0u);
    size_t capacity = b->size;
    void *data = b->data;
    size_t size = cls->filter(flags, f->n_values, f->values, b->size, &capacity, &data);
    b->data = data;
    if (size == 0)
        return TS_ERR(PLINE, CANTFILTER, "filter %d ('%s') failed", (int)f->id, cls->name ? cls->name : "");
    if (size > capacity)
        return TS_ERR(PLINE, CANTFILTER, "filter %d claims %zu bytes in a buffer of %zu", (int)f->id, size, capacity);
    b->size = size;
    return 0;
}

static int run(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    H5Z_class2_t cls;
    if (find_or_load(f->id, &cls))
        return run_user(&cls, f, b, options);
    const struct builtin *builtin = find_builtin(f->id);
    if (!builtin)
        return TS_ERR(PLINE, NOFILTER, "required filter '%s' (id %d) is not registered, nor a plugin in the search path",
                      f->name ? f->name : "", (int)f->id);
    return builtin->decode(f, b, options);
}

static bool go_on(const struct ts_filter *f, const struct ts_block *b, const struct ts_filter_options *options)
{
    return options->on_fail && options->on_fail(f->id, b->data, b->size, options->on_fail_data) == H5Z_CB_CONT;
}

int ts_pipeline_decode_with(const struct ts_pipeline *p, uint32_t filter_mask, void **buf, size_t *size, size_t expected,
                            const struct ts_filter_options *options)
{
    static const struct ts_filter_options none = {0};
    struct ts_block b = {.data = *buf, .size = *size, .expected = expected};
    int status = 0;
    options = options ? options : &none;
    if (p->n > 32)
        return TS_ERR(PLINE, BADVALUE, "a pipeline of %zu filters (32 at most)", p->n);
    for (size_t i = p->n; i-- > 0 && status == 0;) {
        if (filter_mask & UINT32_C(1) << i)
            continue;
        unsigned mark = ts_err_mark();
        status = run(&p->filters[i], &b, options);
        if (status < 0 && go_on(&p->filters[i], &b, options)) {
            ts_err_rewind(mark);
            status = 0;
        }
    }
    *buf = b.data;
    *size = b.size;
    return status;
}
