#include "support/recorder.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/wrap.h"

struct image {
    uint8_t *bytes;
    size_t size, capacity;
};

static struct {
    pthread_mutex_t lock;
    struct recorder_event *events;
    size_t n, capacity;
    bool started; /* the first image is there */
    struct image first;
    struct image replay; /* after the first `at` events */
    size_t at;
    struct image torn; /* the replay and a part of the next event */
} r = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static void resize(struct image *m, size_t size)
{
    if (size > m->capacity) {
        m->capacity = size + size / 2;
        m->bytes = must(realloc(m->bytes, m->capacity));
    }
    if (size > m->size)
        memset(m->bytes + m->size, 0, size - m->size);
    m->size = size;
}

static void copy(struct image *to, const struct image *from)
{
    to->size = 0;
    resize(to, from->size);
    if (from->size > 0)
        memcpy(to->bytes, from->bytes, from->size);
}

static void record(struct recorder_event e)
{
    if (e.bytes || e.size > 0) {
        uint8_t *bytes = must(malloc(e.size + 1));
        memcpy(bytes, e.bytes, e.size);
        e.bytes = bytes;
    }
    if (r.n == r.capacity) {
        r.capacity = r.capacity * 2 + 64;
        r.events = must(realloc(r.events, r.capacity * sizeof *r.events));
    }
    r.events[r.n++] = e;
}

/* What fails may have been written in part, so the attempt is what counts: it is recorded when it begins. */
static int record_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    pthread_mutex_lock(&r.lock);
    for (size_t i = 0; i < n; i++)
        if (v[i].size > 0)
            record((struct recorder_event){
                .what = RECORDED_WRITE, .addr = v[i].addr, .size = v[i].size, .bytes = (uint8_t *)(uintptr_t)v[i].buf});
    int status = ts_driver_writev(((struct wrap *)d)->inner, v, n);
    pthread_mutex_unlock(&r.lock);
    return status;
}

static int record_truncate(struct ts_driver *d, haddr_t eof)
{
    pthread_mutex_lock(&r.lock);
    record((struct recorder_event){.what = RECORDED_TRUNCATE, .addr = eof});
    int status = ts_driver_truncate(((struct wrap *)d)->inner, eof);
    pthread_mutex_unlock(&r.lock);
    return status;
}

/* Recorded when it has returned: until then nothing is sure. */
static int record_sync(struct ts_driver *d)
{
    int status = ts_driver_sync(((struct wrap *)d)->inner);
    pthread_mutex_lock(&r.lock);
    if (status == 0)
        record((struct recorder_event){.what = RECORDED_SYNC});
    pthread_mutex_unlock(&r.lock);
    return status;
}

static struct ts_driver *wrap_recorder(struct ts_driver *inner, unsigned flags)
{
    haddr_t eof;
    (void)flags;
    pthread_mutex_lock(&r.lock);
    if (!r.started && ts_driver_eof(inner, &eof) == 0) {
        resize(&r.first, (size_t)eof);
        if (eof > 0 && ts_driver_read(inner, 0, (size_t)eof, r.first.bytes) < 0)
            abort();
        r.started = true;
    }
    pthread_mutex_unlock(&r.lock);
    struct wrap *w = wrap_new(inner);
    w->writing.writev = record_writev;
    w->writing.truncate = record_truncate;
    if (w->writing.sync)
        w->writing.sync = record_sync;
    return &w->base;
}

void recorder_start(const char *name)
{
    wrap_add(name, wrap_recorder);
}

void recorder_stop(void)
{
    wrap_remove(wrap_recorder);
    for (size_t i = 0; i < r.n; i++)
        free(r.events[i].bytes);
    free(r.events);
    free(r.first.bytes);
    free(r.replay.bytes);
    free(r.torn.bytes);
    r.events = NULL;
    r.n = r.capacity = r.at = 0;
    r.started = false;
    r.first = r.replay = r.torn = (struct image){0};
}

void recorder_mark(unsigned long mark)
{
    pthread_mutex_lock(&r.lock);
    record((struct recorder_event){.what = RECORDED_MARK, .mark = mark});
    pthread_mutex_unlock(&r.lock);
}

size_t recorder_count(void)
{
    return r.n;
}

const struct recorder_event *recorder_event(size_t i)
{
    return i < r.n ? &r.events[i] : NULL;
}

unsigned long recorder_last_mark(size_t n)
{
    while (n-- > 0)
        if (r.events[n].what == RECORDED_MARK)
            return r.events[n].mark;
    return 0;
}

size_t recorder_sectors(size_t i)
{
    const struct recorder_event *e = recorder_event(i);
    if (!e || e->what != RECORDED_WRITE)
        return 0;
    return (size_t)((e->addr + e->size - 1) / RECORDER_SECTOR - e->addr / RECORDER_SECTOR + 1);
}

static void apply(struct image *m, const struct recorder_event *e, size_t size)
{
    if (e->what == RECORDED_TRUNCATE)
        resize(m, (size_t)e->addr);
    if (e->what != RECORDED_WRITE || size == 0)
        return;
    if (e->addr + size > m->size)
        resize(m, (size_t)e->addr + size);
    memcpy(m->bytes + e->addr, e->bytes, size);
}

const uint8_t *recorder_image(size_t n, size_t sectors, size_t *size)
{
    if (n > r.n || (sectors > 0 && n == r.n))
        abort();
    if (n < r.at || !r.replay.bytes) {
        copy(&r.replay, &r.first);
        r.at = 0;
    }
    for (; r.at < n; r.at++)
        apply(&r.replay, &r.events[r.at], r.events[r.at].size);
    const struct image *m = &r.replay;
    if (sectors > 0) {
        const struct recorder_event *e = &r.events[n];
        size_t to = RECORDER_SECTOR * sectors - (size_t)(e->addr % RECORDER_SECTOR);
        copy(&r.torn, &r.replay);
        apply(&r.torn, e, to < e->size ? to : e->size);
        m = &r.torn;
    }
    *size = m->size;
    return m->bytes;
}

void recorder_write_file(size_t n, size_t sectors, const char *path)
{
    size_t size;
    const uint8_t *bytes = recorder_image(n, sectors, &size);
    FILE *file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0)
        abort();
}
