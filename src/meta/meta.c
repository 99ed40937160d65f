#include "meta/meta.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "plist/fapl.h"

struct entry {
    haddr_t addr;
    const struct ts_meta_class *cls;
    void *obj;
    size_t bytes;
    unsigned pins;
    bool loading;
    struct entry *newer, *older; /* among the unpinned, by time of last use */
};

struct ts_meta {
    pthread_mutex_t lock;
    pthread_cond_t loaded;
    struct ts_map entries;
    size_t bytes;
    uint64_t asked, found;
    H5AC_cache_config_t config;
    struct entry *newest, *oldest;
};

/* A load may not pin: two threads that load A wanting B and B wanting A would wait for each other for ever. */
static _Thread_local bool in_load;

static void drop_cache(struct ts_file *f)
{
    struct ts_meta *meta = f->meta;
    size_t pos = 0;
    uint64_t addr;
    void *value;
    while (ts_map_next(&meta->entries, &pos, &addr, &value)) {
        struct entry *e = value;
        e->cls->free(e->obj);
        ts_free(e);
    }
    ts_map_deinit(&meta->entries);
    pthread_cond_destroy(&meta->loaded);
    pthread_mutex_destroy(&meta->lock);
    ts_free(meta);
    f->meta = NULL;
}

int ts_meta_attach(struct ts_file *f)
{
    struct ts_meta *meta = ts_calloc(1, sizeof *meta);
    if (!meta)
        return -1;
    if (ts_plist_get(f->fapl, TS_P_MDC_CONFIG, &meta->config) < 0) {
        ts_free(meta);
        return -1;
    }
    pthread_mutex_init(&meta->lock, NULL);
    pthread_cond_init(&meta->loaded, NULL);
    f->meta = meta;
    f->drop_meta = drop_cache;
    return 0;
}

static void lru_remove(struct ts_meta *meta, struct entry *e)
{
    *(e->newer ? &e->newer->older : &meta->newest) = e->older;
    *(e->older ? &e->older->newer : &meta->oldest) = e->newer;
    e->newer = e->older = NULL;
}

static void lru_add(struct ts_meta *meta, struct entry *e)
{
    e->older = meta->newest;
    e->newer = NULL;
    *(meta->newest ? &meta->newest->newer : &meta->oldest) = e;
    meta->newest = e;
}

static void shrink_to_budget(struct ts_meta *meta)
{
    while (meta->bytes > meta->config.max_size && meta->oldest) {
        struct entry *e = meta->oldest;
        lru_remove(meta, e);
        ts_map_remove(&meta->entries, e->addr);
        meta->bytes -= e->bytes;
        e->cls->free(e->obj);
        ts_free(e);
    }
}

/* Enters an entry that says "being loaded", pinned by this thread. */
static struct entry *reserve(struct ts_meta *meta, const struct ts_meta_class *cls, haddr_t addr)
{
    struct entry *e = ts_calloc(1, sizeof *e);
    if (!e)
        return NULL;
    *e = (struct entry){.addr = addr, .cls = cls, .pins = 1, .loading = true};
    if (ts_map_put(&meta->entries, addr, e) == 0)
        return e;
    ts_free(e);
    return NULL;
}

static int load(struct ts_file *f, struct entry *e, const void *arg, void **obj)
{
    struct ts_meta *meta = f->meta;
    in_load = true;
    int status = e->cls->load(f, e->addr, arg, &e->obj, &e->bytes);
    in_load = false;
    pthread_mutex_lock(&meta->lock);
    e->loading = false;
    if (status < 0) {
        ts_map_remove(&meta->entries, e->addr);
        ts_free(e);
    } else {
        *obj = e->obj;
        e->bytes += sizeof *e;
        meta->bytes += e->bytes;
        shrink_to_budget(meta);
    }
    pthread_cond_broadcast(&meta->loaded);
    pthread_mutex_unlock(&meta->lock);
    return status < 0 ? -1 : 0;
}

/* The entry at addr once nobody is loading it; NULL when there is none. */
static struct entry *settled(struct ts_meta *meta, haddr_t addr)
{
    struct entry *e;
    while ((e = ts_map_get(&meta->entries, addr)) && e->loading)
        pthread_cond_wait(&meta->loaded, &meta->lock);
    return e;
}

int ts_meta_pin(struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr, const void *arg, void **obj)
{
    struct ts_meta *meta = f->meta;
    if (in_load)
        return TS_ERR(CACHE, SYSTEM, "%s at %#llx was asked for while another structure is being loaded", cls->name,
                      (unsigned long long)addr);
    pthread_mutex_lock(&meta->lock);
    struct entry *e = settled(meta, addr);
    meta->asked++;
    if (!e) {
        e = reserve(meta, cls, addr);
        pthread_mutex_unlock(&meta->lock);
        return e ? load(f, e, arg, obj) : -1;
    }
    const struct ts_meta_class *found = e->cls;
    if (found == cls) {
        meta->found++;
        if (e->pins++ == 0)
            lru_remove(meta, e);
        *obj = e->obj;
    }
    pthread_mutex_unlock(&meta->lock);
    if (found != cls)
        return TS_ERR(CACHE, BADTYPE, "%s: the %s at %#llx is also used as a %s", f->name, found->name,
                      (unsigned long long)addr, cls->name);
    return 0;
}

void ts_meta_unpin(struct ts_file *f, haddr_t addr)
{
    struct ts_meta *meta = f->meta;
    pthread_mutex_lock(&meta->lock);
    struct entry *e = ts_map_get(&meta->entries, addr);
    if (e && e->pins > 0 && --e->pins == 0) {
        lru_add(meta, e);
        shrink_to_budget(meta);
    }
    pthread_mutex_unlock(&meta->lock);
}

void ts_meta_stats(struct ts_file *f, struct ts_meta_stats *out)
{
    struct ts_meta *meta = f->meta;
    pthread_mutex_lock(&meta->lock);
    *out = (struct ts_meta_stats){.budget = meta->config.max_size,
                                  .bytes = meta->bytes,
                                  .entries = meta->entries.count,
                                  .asked = meta->asked,
                                  .found = meta->found};
    pthread_mutex_unlock(&meta->lock);
}

void ts_meta_reset_rate(struct ts_file *f)
{
    pthread_mutex_lock(&f->meta->lock);
    f->meta->asked = f->meta->found = 0;
    pthread_mutex_unlock(&f->meta->lock);
}

void ts_meta_config(struct ts_file *f, H5AC_cache_config_t *out)
{
    pthread_mutex_lock(&f->meta->lock);
    *out = f->meta->config;
    pthread_mutex_unlock(&f->meta->lock);
}

void ts_meta_configure(struct ts_file *f, const H5AC_cache_config_t *config)
{
    pthread_mutex_lock(&f->meta->lock);
    f->meta->config = *config;
    shrink_to_budget(f->meta);
    pthread_mutex_unlock(&f->meta->lock);
}
