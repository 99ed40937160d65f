/* Which filters there are, and running a pipeline through them. */
#include <malloc.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "driver/access.h"
#include "filter/filter.h"
#include "filter/plugin.h"
#include "id/id.h"

static const struct builtin {
    H5Z_filter_t id;
    const char *name;
    ts_filter_decoder *decode;
    ts_filter_encoder *encode;
    ts_filter_setter *set_local;
    bool (*can_apply)(const struct ts_filter_local *local);
    bool numbers;      /* it must know the numbers in what it gets, and may lose some of their bits */
    unsigned n_values; /* that it needs from the user */
} builtins[] = {
    {H5Z_FILTER_DEFLATE, "deflate", ts_decode_deflate, ts_encode_deflate, NULL, NULL, false, 1},
    {H5Z_FILTER_SHUFFLE, "shuffle", ts_decode_shuffle, ts_encode_shuffle, ts_local_shuffle, NULL, false, 0},
    {H5Z_FILTER_FLETCHER32, "fletcher32", ts_decode_fletcher32, ts_encode_fletcher32, NULL, NULL, false, 0},
    {H5Z_FILTER_SZIP, "szip", ts_decode_szip, ts_encode_szip, ts_local_szip, ts_can_szip, false, H5Z_SZIP_USER_NPARMS},
    {H5Z_FILTER_NBIT, "nbit", ts_decode_nbit, ts_encode_nbit, ts_local_nbit, NULL, true, 0},
    {H5Z_FILTER_SCALEOFFSET, "scaleoffset", ts_decode_scaleoffset, ts_encode_scaleoffset, ts_local_scaleoffset, NULL,
     true, H5Z_SCALEOFFSET_USER_NPARMS},
    {TS_FILTER_LZF, "lzf", ts_decode_lzf, ts_encode_lzf, ts_local_lzf, NULL, false, 0},
    {TS_FILTER_LZ4, "lz4", ts_decode_lz4, ts_encode_lz4, NULL, NULL, false, 0},
    {TS_FILTER_ZSTD, "zstd", ts_decode_zstd, ts_encode_zstd, NULL, NULL, false, 0},
    {TS_FILTER_SELECTION_PACKING, "selection packing", ts_decode_selection_packing, ts_encode_selection_packing, NULL,
     NULL, false, 0},
};

/* Registered by the application or a plugin; such a filter comes before a built-in one of the same id. */
static struct ts_rwlock lock = TS_RWLOCK_INIT(TS_RANK_FILTERS);
static struct user_filter {
    H5Z_class2_t cls;
    char *plugin; /* the file that it comes from; NULL: the application registered it */
} * user;
static size_t n_user, user_capacity;

static const struct builtin *find_builtin(H5Z_filter_t id)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (builtins[i].id == id)
            return &builtins[i];
    return NULL;
}

static struct user_filter *find_user(H5Z_filter_t id)
{
    for (size_t i = 0; i < n_user; i++)
        if (user[i].cls.id == id)
            return &user[i];
    return NULL;
}

/* *allowed is false, and the error stack says so, when it comes from a plugin that may not be used. */
static bool copy_user(H5Z_filter_t id, const struct ts_access *access, H5Z_class2_t *out, bool *allowed)
{
    ts_rwlock_read(&lock);
    const struct user_filter *found = find_user(id);
    if (found)
        *out = found->cls;
    *allowed = !found || !found->plugin || ts_access_check(access, H5F_EXTERNAL_PLUGIN, found->plugin) == 0;
    ts_rwlock_unlock(&lock);
    return found != NULL;
}

static bool is_user(H5Z_filter_t id, H5Z_class2_t *out)
{
    bool allowed;
    return copy_user(id, NULL, out, &allowed);
}

/* Takes over the name of the plugin, also on failure. */
static int register_from(const H5Z_class2_t *cls, char *plugin)
{
    ts_rwlock_write(&lock);
    struct user_filter *slot = find_user(cls->id);
    int status = 0;
    if (slot)
        ts_free(slot->plugin);
    else if ((status = TS_GROW(user, user_capacity, n_user + 1)) == 0)
        slot = &user[n_user++];
    if (slot)
        *slot = (struct user_filter){*cls, plugin};
    else
        ts_free(plugin);
    ts_rwlock_unlock(&lock);
    return status;
}

int ts_filter_register(const H5Z_class2_t *cls)
{
    return register_from(cls, NULL);
}

int ts_filter_unregister(H5Z_filter_t id)
{
    ts_rwlock_write(&lock);
    struct user_filter *slot = find_user(id);
    if (slot) {
        ts_free(slot->plugin);
        *slot = user[--n_user];
    }
    ts_rwlock_unlock(&lock);
    if (!slot)
        return TS_ERR(PLINE, NOTFOUND, "filter %d is not registered", (int)id);
    return 0;
}

void ts_filter_forget_all(void)
{
    ts_rwlock_write(&lock);
    while (n_user > 0)
        ts_free(user[--n_user].plugin);
    ts_free(user);
    user = NULL;
    user_capacity = 0;
    ts_rwlock_unlock(&lock);
}

/* A registered filter, or one from a plugin file, which is registered then: 1. A built-in filter needs no search: 0, as
 * when there is none, or none that may be used; then the error stack has the reason, for a caller that cannot do
 * without. */
static int find_bound(H5Z_filter_t id, struct ts_access *access, H5Z_class2_t *out)
{
    char *file;
    bool allowed;
    if (copy_user(id, access, out, &allowed))
        return allowed;
    if (find_builtin(id))
        return 0;
    int found = ts_plugin_find_filter(id, access, out, &file);
    return found == 1 && register_from(out, file) < 0 ? -1 : found;
}

static int find_or_load(const struct ts_pipeline *p, H5Z_filter_t id, H5Z_class2_t *out)
{
    struct ts_access *access;
    if (p && p->access)
        return find_bound(id, atomic_load(p->access), out);
    /* What no file asks for is bound by the environment only. */
    if (ts_access_add(NULL, TS_ACCESS_VARIABLE, ts_access_environment(), NULL, &access) < 0)
        return -1;
    int found = find_bound(id, access, out);
    ts_access_unref(access);
    return found;
}

int ts_filter_info(H5Z_filter_t id, unsigned *config)
{
    H5Z_class2_t cls;
    unsigned flags = H5Z_FILTER_CONFIG_ENCODE_ENABLED | H5Z_FILTER_CONFIG_DECODE_ENABLED, mark = ts_err_mark();
    int found = find_or_load(NULL, id, &cls);
    if (found < 0)
        return -1;
    ts_err_rewind(mark);
    if (found)
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
    if (is_user(id, &cls))
        return cls.name;
    const struct builtin *b = find_builtin(id);
    return b ? b->name : NULL;
}

const char *ts_filter_label(const struct ts_filter *f)
{
    const char *name = f->name ? f->name : ts_filter_name(f->id);
    return name ? name : f->id < H5Z_FILTER_RESERVED ? "Unknown library filter" : "";
}

int ts_filter_check_values(H5Z_filter_t id, size_t n, const unsigned *values)
{
    H5Z_class2_t cls;
    const struct builtin *b = is_user(id, &cls) ? NULL : find_builtin(id);
    if (!b)
        return 0;
    if (n < b->n_values)
        return TS_ERR(PLINE, BADVALUE, "%s: %zu parameters, it needs %u", b->name, n, b->n_values);
    if (id == H5Z_FILTER_DEFLATE && (n > 1 || values[0] > 9))
        return TS_ERR(PLINE, BADVALUE, "deflate: %zu parameters, level %u", n, values[0]);
    if (id == H5Z_FILTER_SZIP && (values[1] == 0 || values[1] % 2 || values[1] > H5_SZIP_MAX_PIXELS_PER_BLOCK))
        return TS_ERR(PLINE, BADVALUE, "szip: %u pixels per block", values[1]);
    return 0;
}

static int own(struct ts_block *b)
{
    uint8_t *copy = b->borrowed ? ts_memdup(b->data, b->size) : b->data;
    if (!copy)
        return -1;
    b->borrowed = false;
    b->data = copy;
    return 0;
}

struct how {
    unsigned flags;
    bool metadata;
};

/* Whether so many bytes fit into what a filter has left, whatever it says of a buffer that is not the one it was given:
 * many do not say how large that is. */
static bool has_room(const void *given, void *left, size_t told, size_t size)
{
    return size <= told || (left != given && size <= malloc_usable_size(left));
}

/* A filter of the application follows libhdf5's rules: it returns the number of valid bytes, 0 for failure, and may
 * replace the buffer by another from malloc. */
static int run_user(const H5Z_class2_t *cls, const struct ts_filter *f, struct ts_block *b, const struct how *how)
{
    if (own(b) < 0)
        return -1;
    size_t capacity = b->size;
    void *data = b->data;
    if (how->metadata)
        ts_id_shut_files(true);
    else
        TS_MAY_CALL_OUT();
    size_t size = cls->filter(f->flags | how->flags, f->n_values, f->values, b->size, &capacity, &data);
    if (how->metadata)
        ts_id_shut_files(false);
    const void *given = b->data;
    b->data = data;
    b->spoiled = data != given || size > 0;
    if (size == 0)
        return TS_ERR(PLINE, CANTFILTER, "filter %d ('%s') failed", (int)f->id, cls->name ? cls->name : "");
    if (!has_room(given, data, capacity, size))
        return TS_ERR(PLINE, CANTFILTER, "filter %d claims %zu bytes in a buffer of %zu", (int)f->id, size, capacity);
    b->size = size;
    b->spoiled = false;
    return 0;
}

static int not_there(const struct ts_filter *f)
{
    if (f->name && *f->name)
        TS_ERR(PLINE, NOFILTER, "required filter '%s' is not registered", f->name);
    else
        TS_ERR(PLINE, NOFILTER, "required filter %d is not registered", (int)f->id);
    return TS_ERR(PLINE, NOFILTER, "no plugin for filter %d in the search path", (int)f->id);
}

static int decode(const struct ts_pipeline *p, const struct ts_filter *f, struct ts_block *b,
                  const struct ts_filter_options *options)
{
    H5Z_class2_t cls;
    struct how how = {H5Z_FLAG_REVERSE | (options->skip_checksums ? H5Z_FLAG_SKIP_EDC : 0u), options->metadata};
    int found = find_or_load(p, f->id, &cls);
    if (found != 0)
        return found < 0 ? -1 : run_user(&cls, f, b, &how);
    const struct builtin *builtin = find_builtin(f->id);
    return builtin ? builtin->decode(f, b, options) : not_there(f);
}

static int encode(const struct ts_pipeline *p, const struct ts_filter *f, struct ts_block *b,
                  const struct ts_filter_options *options)
{
    H5Z_class2_t cls;
    struct how how = {0, options && options->metadata};
    int found = find_or_load(p, f->id, &cls);
    if (found != 0)
        return found < 0 ? -1 : run_user(&cls, f, b, &how);
    const struct builtin *builtin = find_builtin(f->id);
    return builtin ? builtin->encode(f, b) : not_there(f);
}

static bool go_on(const struct ts_filter *f, const struct ts_block *b, const struct ts_filter_options *options)
{
    if (options->on_fail)
        TS_MAY_CALL_OUT();
    return options->on_fail && options->on_fail(f->id, b->data, b->size, options->on_fail_data) == H5Z_CB_CONT;
}

/* The pipelines that a thread is in, the newest first: a filter may use other files, with filters of their own. */
struct run {
    const void *owner;
    const struct run *outer;
};

static _Thread_local const struct run *runs;

static void run_begin(struct run *r, const struct ts_pipeline *p)
{
    *r = (struct run){p->owner, runs};
    runs = r;
}

static void run_end(const struct run *r)
{
    runs = r->outer;
}

bool ts_filter_runs_for(const void *owner)
{
    const struct run *r = runs;
    while (r && r->owner != owner)
        r = r->outer;
    return r != NULL;
}

static int check_length(const struct ts_pipeline *p)
{
    if (p->n > 32)
        return TS_ERR(PLINE, BADVALUE, "a pipeline of %zu filters (32 at most)", p->n);
    return 0;
}

int ts_pipeline_decode_with(const struct ts_pipeline *p, uint32_t filter_mask, void **buf, size_t *size,
                            size_t expected, const struct ts_filter_options *options)
{
    static const struct ts_filter_options none = {0};
    struct ts_block b = {.data = *buf, .size = *size, .expected = expected};
    struct run run;
    int status = 0;
    options = options ? options : &none;
    if (check_length(p) < 0)
        return -1;
    run_begin(&run, p);
    for (size_t i = p->n; i-- > 0 && status == 0;) {
        if (filter_mask & UINT32_C(1) << i)
            continue;
        unsigned mark = ts_err_mark();
        status = decode(p, &p->filters[i], &b, options);
        if (status < 0 && go_on(&p->filters[i], &b, options)) {
            ts_err_rewind(mark);
            status = 0;
        }
    }
    run_end(&run);
    *buf = b.data;
    *size = b.size;
    return status;
}

/* The callback is for filters that must work; who made a filter optional has already answered. */
static bool may_skip(const struct ts_filter *f, const struct ts_block *b, const struct ts_filter_options *options)
{
    return !b->spoiled && (f->flags & H5Z_FLAG_OPTIONAL || (options && go_on(f, b, options)));
}

/* What goes out of a filter of the application must be what came in. */
static int check_exact(const struct ts_pipeline *p, const struct ts_filter *f, const struct ts_block *before,
                       const struct ts_block *after)
{
    const struct ts_filter_options none = {0};
    H5Z_class2_t cls;
    if (find_builtin(f->id) && !is_user(f->id, &cls))
        return 0;
    struct ts_block back = {.data = ts_memdup(after->data, after->size), .size = after->size, .expected = before->size};
    if (!back.data)
        return -1;
    int status = decode(p, f, &back, &none);
    bool same = status == 0 && back.size == before->size && memcmp(back.data, before->data, back.size) == 0;
    ts_free(back.data);
    return same || status < 0 ? status
                              : TS_ERR(PLINE, CANTFILTER, "filter %d does not give back what it got", (int)f->id);
}

/* A checksum is not there to make anything smaller. */
static bool must_shrink(const struct ts_filter *f, const struct ts_filter_options *options)
{
    return options->no_growth && f->flags & H5Z_FLAG_OPTIONAL && f->id != H5Z_FILTER_FLETCHER32;
}

/* 1 when it made the block larger and that is not wanted. Unless it returns 0 the block is as it was. */
static int encode_carefully(const struct ts_pipeline *p, const struct ts_filter *f, struct ts_block *b,
                            const struct ts_filter_options *options)
{
    struct ts_block before = *b;
    b->borrowed = true;
    int status = encode(p, f, b, options);
    if (status == 0 && options->exact)
        status = check_exact(p, f, &before, b);
    bool larger = status == 0 && must_shrink(f, options) && b->size > before.size;
    bool other = b->data != before.data;
    if (status < 0 || larger) {
        if (other)
            ts_free(b->data);
        *b = before;
        return status < 0 ? status : 1;
    }
    if (other && !before.borrowed)
        ts_free(before.data);
    if (!other)
        b->borrowed = before.borrowed;
    return 0;
}

static int encode_block(const struct ts_pipeline *p, struct ts_block *b, uint32_t *filter_mask,
                        const struct ts_filter_options *options)
{
    struct run run;
    int status = 0;
    *filter_mask = 0;
    if (check_length(p) < 0)
        return -1;
    run_begin(&run, p);
    for (size_t i = 0; i < p->n && status == 0; i++) {
        const struct ts_filter *f = &p->filters[i];
        unsigned mark = ts_err_mark();
        bool care = options && (options->exact || must_shrink(f, options));
        status = care ? encode_carefully(p, f, b, options) : encode(p, f, b, options);
        if (status == 1 || (status < 0 && !ts_err_no_memory(mark) && may_skip(f, b, options))) {
            ts_err_rewind(mark);
            *filter_mask |= UINT32_C(1) << i;
            status = 0;
        }
    }
    run_end(&run);
    return status;
}

int ts_pipeline_encode(const struct ts_pipeline *p, void **buf, size_t *size, uint32_t *filter_mask,
                       const struct ts_filter_options *options)
{
    struct ts_block b = {.data = *buf, .size = *size};
    int status = encode_block(p, &b, filter_mask, options);
    *buf = b.data;
    *size = b.size;
    return status;
}

int ts_pipeline_encode_from(const struct ts_pipeline *p, const void *bytes, size_t *size, void **out,
                            uint32_t *filter_mask, const struct ts_filter_options *options)
{
    struct ts_block b = {.data = (uint8_t *)bytes, .size = *size, .borrowed = true};
    *out = NULL;
    int status = encode_block(p, &b, filter_mask, options);
    if (status == 0)
        status = own(&b);
    if (status < 0) {
        ts_block_replace(&b, NULL, 0);
        return status;
    }
    *out = b.data;
    *size = b.size;
    return 0;
}

bool ts_pipeline_any_thread(const struct ts_pipeline *p)
{
    H5Z_class2_t cls;
    for (size_t i = 0; i < p->n; i++)
        if (!find_builtin(p->filters[i].id) || is_user(p->filters[i].id, &cls))
            return false;
    return true;
}

static int ask_builtin(const struct ts_filter *f, const struct ts_filter_local *local)
{
    const struct builtin *builtin = find_builtin(f->id);
    if (!builtin)
        return f->flags & H5Z_FLAG_OPTIONAL ? 1 : not_there(f);
    if (builtin->numbers && local->unit)
        return TS_ERR(PLINE, CANAPPLY, "%s is for numbers: it does nothing good to selections, references and heaps",
                      builtin->name);
    return !builtin->can_apply || builtin->can_apply(local);
}

/* 1, 0 for no, negative for an error. */
static int ask_can_apply(const struct ts_pipeline *p, const struct ts_filter *f, const struct ts_filter_local *local)
{
    H5Z_class2_t cls;
    unsigned mark = ts_err_mark();
    int found = find_or_load(p, f->id, &cls);
    if (found < 0)
        return -1;
    if (f->flags & H5Z_FLAG_OPTIONAL)
        ts_err_rewind(mark);
    if (!found)
        return ask_builtin(f, local);
    if (!cls.encoder_present)
        return TS_ERR(PLINE, NOENCODER, "filter %d ('%s') can only decode", (int)f->id, cls.name ? cls.name : "");
    int can = cls.can_apply && local->calls ? local->calls->can_apply(local->calls->context, &cls, local) : 1;
    return can < 0 ? TS_ERR(PLINE, CANAPPLY, "filter %d failed when asked whether it can be applied", (int)f->id) : can;
}

/* A call for all sections put it here. */
static bool is_dispensable(const struct ts_filter *f, const struct ts_filter_local *local)
{
    H5Z_class2_t cls;
    return local->unit && !f->only && is_user(f->id, &cls);
}

static int drop_inapplicable(struct ts_pipeline *p, const struct ts_filter_local *local)
{
    for (size_t i = 0; i < p->n;) {
        const struct ts_filter *f = &p->filters[i];
        int can = ask_can_apply(p, f, local);
        if (can < 0)
            return -1;
        if (can == 0 && is_dispensable(f, local))
            ts_pipeline_remove_at(p, i);
        else if (can == 0 && !(f->flags & H5Z_FLAG_OPTIONAL))
            return TS_ERR(PLINE, CANAPPLY, "filter %d cannot be applied to this datatype and chunk", (int)f->id);
        else
            i++;
    }
    return 0;
}

static int set_local(struct ts_pipeline *p, size_t i, const struct ts_filter_local *local)
{
    H5Z_class2_t cls;
    int status = 0;
    H5Z_filter_t id = p->filters[i].id;
    unsigned mark = ts_err_mark();
    int found = find_or_load(p, id, &cls);
    if (found < 0)
        return -1;
    ts_err_rewind(mark);
    if (found) {
        if (cls.set_local && local->calls)
            status = local->calls->set_local(local->calls->context, &cls, local, p);
    } else {
        const struct builtin *builtin = find_builtin(id);
        /* By its id, so of two equal filters the first is set twice, as a filter of the application would do. */
        if (builtin && builtin->set_local)
            status = builtin->set_local(ts_pipeline_find(p, id), local);
    }
    return status < 0 ? TS_ERR(PLINE, SETLOCAL, "filter %d cannot set its parameters for this dataset", (int)id) : 0;
}

static int set_parameters(struct ts_pipeline *p, const struct ts_filter_local *local)
{
    for (size_t i = 0; i < p->n;) {
        unsigned mark = ts_err_mark();
        if (set_local(p, i, local) == 0) {
            i++;
            continue;
        }
        if (!is_dispensable(&p->filters[i], local) || ts_err_no_memory(mark))
            return -1;
        ts_err_rewind(mark);
        ts_pipeline_remove_at(p, i);
    }
    return 0;
}

int ts_pipeline_set_local(struct ts_pipeline *p, const struct ts_filter_local *local)
{
    if (check_length(p) < 0)
        return -1;
    /* Filters do not see the elements of a variable-length type, only where they are, so none is asked. */
    if (ts_type_class(local->type) == H5T_VLEN) {
        for (size_t i = 0; i < p->n; i++)
            if (!(p->filters[i].flags & H5Z_FLAG_OPTIONAL))
                return TS_ERR(PLINE, CANTFILTER, "filter %d is mandatory, but the datatype is of variable length",
                              (int)p->filters[i].id);
        return 0;
    }
    return drop_inapplicable(p, local) < 0 ? -1 : set_parameters(p, local);
}
