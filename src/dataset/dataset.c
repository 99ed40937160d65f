#include "dataset/dataset.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "dataset/files.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "dataset/virtual.h"
#include "plist/dapl.h"

/* 1 for the first of the application's handles, 0 for others. */
static int count_access(struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    ts_mutex_lock(&core->lock);
    bool first = core->n_access++ == 0;
    d->counted = true;
    ts_mutex_unlock(&core->lock);
    return first;
}

/* Of a list with something of the application that is copied, too, and its functions are told of it. */
static int keep_access(struct ts_dataset *d, struct ts_plist *given)
{
    struct ts_plist *kept = d->dapl;
    if (!kept)
        return 0;
    if (!given || ts_plist_is_plain(given))
        ts_plist_ref(kept);
    else if (ts_plist_copy(given, &kept) < 0)
        return -1;
    ts_mutex_lock(&d->core->lock);
    d->core->access = kept;
    ts_mutex_unlock(&d->core->lock);
    return 0;
}

static void uncount_access(struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    struct ts_plist *old = NULL, *made_with = NULL;
    if (!d->counted)
        return;
    ts_mutex_lock(&core->lock);
    if (--core->n_access == 0) {
        old = core->access;
        made_with = core->made_with;
        core->access = core->made_with = NULL;
        core->made_here = false;
    }
    ts_mutex_unlock(&core->lock);
    ts_plist_unref(made_with);
    ts_plist_unref(old);
}

void ts_dataset_made(struct ts_dataset *d, struct ts_plist *with)
{
    if (with)
        ts_plist_ref(with);
    ts_mutex_lock(&d->core->lock);
    d->core->made_with = with;
    d->core->made_here = true;
    ts_mutex_unlock(&d->core->lock);
}

bool ts_dataset_made_here(const struct ts_dataset *d)
{
    ts_mutex_lock(&d->core->lock);
    bool here = d->core->made_here;
    ts_mutex_unlock(&d->core->lock);
    return here;
}

struct ts_plist *ts_dataset_made_with(const struct ts_dataset *d)
{
    ts_mutex_lock(&d->core->lock);
    struct ts_plist *list = d->core->made_with ? d->core->made_with : ts_plist_default(TS_PLIST_DATASET_CREATE);
    ts_plist_ref(list);
    ts_mutex_unlock(&d->core->lock);
    return list;
}

struct ts_plist *ts_dataset_first_access(const struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    ts_mutex_lock(&core->lock);
    struct ts_plist *access = core->access ? core->access : d->dapl;
    if (access)
        ts_plist_ref(access);
    ts_mutex_unlock(&core->lock);
    return access;
}

static void dataset_free(struct ts_object *obj)
{
    struct ts_dataset *d = (struct ts_dataset *)obj;
    uncount_access(d);
    ts_virtual_free(d->virtual);
    ts_space_unref(d->shown);
    if (d->dapl)
        ts_plist_unref(d->dapl);
    ts_type_unref(d->type);
    ts_dataset_core_unref(d->core);
    ts_free(d);
}

/* A committed datatype is an object of its own, which belongs to one handle of the file: cores cannot share it. */
static int load_type(struct ts_dataset *d)
{
    struct ts_ohdr *oh;
    if (d->core->committed == HADDR_UNDEF) {
        d->type = ts_type_ref(d->core->type);
        return 0;
    }
    if (ts_object_header(&d->base, &oh) < 0)
        return -1;
    int found = ts_object_read_type(d->base.loc.fh, oh, &d->type);
    ts_ohdr_close(oh);
    return found == 1 ? 0 : -1;
}

int ts_append_flush_check(const struct ts_plist *dapl, const struct ts_space *space)
{
    struct ts_append_flush flush;
    const hsize_t *dims = ts_space_dims(space), *max = ts_space_maxdims(space);
    unsigned rank = ts_space_rank(space);
    if (ts_dapl_append_flush(dapl, &flush) < 0)
        return -1;
    if (flush.rank == 0)
        return 0;
    if (flush.rank != rank)
        return TS_ERR(DATASET, CANTINIT, "append flush boundaries of rank %u for a dataset of rank %u", flush.rank,
                      rank);
    for (unsigned i = 0; i < rank; i++)
        if (flush.boundary[i] != 0 && max[i] == dims[i])
            return TS_ERR(DATASET, CANTINIT, "append flush boundary %llu for dimension %u, which cannot grow",
                          (unsigned long long)flush.boundary[i], i);
    return 0;
}

/* Of several handles the first one decides. */
static int configure_cache(struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    struct ts_dataset_caching is = {.told = true}, *was = &core->caching;
    if (!core->sc.cache || core->layout.cls == H5D_COMPACT)
        return 0;
    if (ts_dapl_chunk_cache(d->dapl, ts_dataset_file(d)->fapl, &is.reserve, &is.w0, &is.uncached) < 0)
        return -1;
    ts_mutex_lock(&core->lock);
    /* Programs open one dataset again and again, as they did before: that is none of the other datasets' business. */
    if (!was->told || was->reserve != is.reserve || was->w0 != is.w0 || was->uncached != is.uncached)
        ts_sc_dset_configure(&core->sc, is.reserve, is.w0, is.uncached);
    *was = is;
    ts_mutex_unlock(&core->lock);
    return 0;
}

static int check_append_flush(const struct ts_dataset *d)
{
    if (!ts_dataset_is_indexed(d->core))
        return 0;
    struct ts_space *space = ts_dataset_core_space(d->core);
    int status = ts_append_flush_check(d->dapl, space);
    ts_space_unref(space);
    return status;
}

/* Messages can do without. */
static void take_name(struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    unsigned mark = ts_err_mark();
    if (!d->base.path)
        return;
    ts_mutex_lock(&core->lock);
    if (!core->name || strcmp(core->name, d->base.path) != 0) {
        ts_free(core->name);
        core->name = ts_strdup(d->base.path);
    }
    ts_mutex_unlock(&core->lock);
    ts_err_rewind(mark);
}

static int share_access(struct ts_dataset *d, struct ts_plist *given)
{
    if (count_access(d)) {
        if ((given && check_append_flush(d) < 0) || keep_access(d, given) < 0)
            return -1;
        return given ? configure_cache(d) : 0;
    }
    struct ts_plist *first = ts_dataset_first_access(d);
    int status = ts_dataset_check_prefix(d, first);
    ts_plist_unref(first);
    return status;
}

/* The application may change its list later. That of a virtual dataset is its own already. */
static int set_access(struct ts_dataset *d, struct ts_plist *given, bool aside)
{
    struct ts_plist *default_list = ts_plist_default(TS_PLIST_DATASET_ACCESS);
    if (given && given != default_list && !aside)
        return ts_plist_snapshot(TS_PLIST_DATASET_ACCESS, given, &d->dapl);
    d->dapl = given ? given : default_list;
    if (d->dapl)
        ts_plist_ref(d->dapl);
    return 0;
}

static int load(struct ts_dataset *d, struct ts_plist *dapl, bool aside)
{
    if (ts_dataset_core_open(ts_dataset_file(d), d->base.loc.addr, &d->core) < 0)
        return -1;
    take_name(d);
    if (load_type(d) < 0 || (!aside && share_access(d, dapl) < 0))
        return -1;
    if (d->core->layout.cls != H5D_VIRTUAL)
        return 0;
    d->shown = ts_dataset_core_space(d->core);
    return ts_virtual_open(d, &d->virtual);
}

static struct ts_dataset *new_handle(const struct ts_loc *loc, const char *path)
{
    struct ts_dataset *d = ts_calloc(1, sizeof *d);
    if (d && ts_object_init(&d->base, H5I_DATASET, loc, path, dataset_free) == 0)
        return d;
    ts_free(d);
    return NULL;
}

static int open_dataset(const struct ts_loc *loc, const char *path, struct ts_plist *dapl, bool aside,
                        struct ts_dataset **out)
{
    struct ts_dataset *d = new_handle(loc, path);
    if (!d)
        return -1;
    if (set_access(d, dapl, aside) < 0 || load(d, dapl, aside) < 0) {
        ts_dataset_unref(d);
        return TS_ERR(DATASET, CANTOPENOBJ, "unable to open dataset%s%s", path ? " " : "", path ? path : "");
    }
    *out = d;
    return 0;
}

int ts_dataset_open(const struct ts_loc *loc, const char *path, struct ts_plist *dapl, struct ts_dataset **out)
{
    return open_dataset(loc, path, dapl, false, out);
}

int ts_dataset_open_aside(const struct ts_loc *loc, const char *path, struct ts_plist *dapl, struct ts_dataset **out)
{
    return open_dataset(loc, path, dapl, true, out);
}

/* What the application's first handle says, before anybody else has the core; it is the table's then. */
static int enter_made(struct ts_dataset *d, const struct ts_dataset_lists *lists, struct ts_dataset_core *core)
{
    d->core = core;
    core->name = d->base.path ? ts_strdup(d->base.path) : NULL;
    if ((d->base.path && !core->name) || keep_access(d, lists->access) < 0 || ts_dataset_core_enter(core) < 0) {
        ts_plist_unref(core->access);
        ts_dataset_core_drop(core);
        d->core = NULL;
        return -1;
    }
    if (lists->made_with)
        ts_plist_ref(lists->made_with);
    core->made_with = lists->made_with;
    core->made_here = d->counted = true;
    core->n_access = 1;
    d->type = ts_type_ref(core->type);
    return ts_plist_untouched(d->dapl, TS_PLIST_DATASET_ACCESS) ? 0 : configure_cache(d);
}

int ts_dataset_open_made(const struct ts_loc *loc, const char *path, const struct ts_dataset_lists *lists,
                         struct ts_dataset_parts *parts, struct ts_dataset **out)
{
    struct ts_dataset_core *core;
    struct ts_dataset *d = new_handle(loc, path);
    if (!d)
        return -1;
    if (set_access(d, lists->access, false) < 0 ||
        ts_dataset_core_of(ts_dataset_file(d), loc->addr, parts, &core) < 0 || enter_made(d, lists, core) < 0) {
        ts_dataset_unref(d);
        return TS_ERR(DATASET, CANTOPENOBJ, "unable to open dataset%s%s", path ? " " : "", path ? path : "");
    }
    *out = d;
    return 0;
}

int ts_dataset_space(struct ts_dataset *d, struct ts_space **out)
{
    if (!d->virtual || !ts_virtual_follows(d->virtual)) {
        *out = ts_dataset_core_space(d->core);
        return 0;
    }
    if (ts_virtual_refresh(d) < 0)
        return -1;
    ts_mutex_lock(&d->core->lock);
    *out = ts_space_ref(d->shown);
    ts_mutex_unlock(&d->core->lock);
    return 0;
}

int ts_dataset_memory_type(const struct ts_dataset *d, struct ts_type **out)
{
    struct ts_type *t = ts_type_ref(d->type);
    if (ts_type_set_loc(&t, TS_LOC_MEMORY, ts_file_addr_size(ts_dataset_file(d))) < 0) {
        ts_type_unref(t);
        return -1;
    }
    *out = t;
    return 0;
}
