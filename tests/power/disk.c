#include "power/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/recorder.h"

enum { SECTOR = 512, PAGE = 4096 };

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

uint64_t power_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random >> 16;
}

static void set_size(struct disk *d, size_t file, size_t size)
{
    if (file >= DISK_MEMBERS)
        abort();
    struct disk_file *f = &d->files[file];
    d->n = d->n > file ? d->n : file + 1;
    if (size > f->capacity) {
        f->capacity = size + size / 2 + PAGE;
        f->bytes = must(realloc(f->bytes, f->capacity));
    }
    if (size > f->size)
        memset(f->bytes + f->size, 0, size - f->size);
    f->size = size;
}

static void put(struct disk *d, const struct part *p, size_t from, size_t to)
{
    if (p->addr + to > (p->file < d->n ? d->files[p->file].size : 0))
        set_size(d, p->file, p->addr + to);
    memcpy(d->files[p->file].bytes + p->addr + from, p->bytes + from, to - from);
}

/* Whole units of the disk are written or not, whatever part of them is meant. */
static void put_torn(struct disk *d, const struct part *p, size_t unit, uint64_t *random)
{
    for (size_t from = 0, to; from < p->size; from = to) {
        to = ((p->addr + from) / unit + 1) * unit - p->addr;
        to = to < p->size ? to : p->size;
        if (power_random(random) % 2)
            put(d, p, from, to);
    }
}

static void apply(struct disk *d, const struct part *p, enum fate fate, uint64_t *random)
{
    size_t now = p->file < d->n ? d->files[p->file].size : 0;
    if (fate == FATE_LOST)
        return;
    if (p->what != PART_WRITE) {
        if (p->what == PART_CUT || now < p->size)
            set_size(d, p->file, p->size);
        return;
    }
    if (fate == FATE_KEPT)
        put(d, p, 0, p->size);
    else
        put_torn(d, p, fate == FATE_TORN ? SECTOR : PAGE, random);
}

static void add_part(struct window *w, struct part p)
{
    if (w->n == w->capacity) {
        w->capacity = w->capacity * 2 + 64;
        w->parts = must(realloc(w->parts, w->capacity * sizeof *w->parts));
    }
    w->parts[w->n++] = p;
}

/* As the family driver does it: all files before the last are full. */
static void fill_before(struct window *w, size_t file)
{
    for (size_t i = 0; i < file; i++)
        add_part(w, (struct part){.what = PART_EXTEND, .file = i, .size = w->before.member_size});
}

static size_t files_seen(const struct window *w)
{
    size_t n = w->before.n;
    for (size_t i = 0; i < w->n; i++)
        n = n > w->parts[i].file ? n : w->parts[i].file + 1;
    return n;
}

static void add_cut(struct window *w, size_t eof)
{
    size_t member = w->before.member_size, last = eof > 0 ? (eof - 1) / member : 0;
    for (size_t i = files_seen(w); i-- > last + 1;)
        add_part(w, (struct part){.what = PART_CUT, .file = i});
    fill_before(w, last);
    add_part(w, (struct part){.what = PART_CUT, .file = last, .size = eof - last * member});
}

static void add_write(struct window *w, size_t addr, const uint8_t *bytes, size_t size)
{
    size_t member = w->before.member_size, here;
    for (size_t done = 0; done < size; done += here) {
        size_t at = addr + done, file = at / member, room = member - at % member;
        here = size - done < room ? size - done : room;
        if (file >= files_seen(w))
            fill_before(w, file);
        add_part(w, (struct part){
            .what = PART_WRITE, .file = file, .addr = at % member, .size = here, .bytes = bytes + done});
    }
}

void window_begin(struct window *w, const uint8_t *bytes, size_t size, size_t member_size)
{
    *w = (struct window){.before.member_size = member_size};
    add_write(w, 0, bytes, size);
    for (size_t i = 0; i < w->n; i++)
        apply(&w->before, &w->parts[i], FATE_KEPT, NULL);
    w->n = 0;
}

void window_add(struct window *w, size_t event)
{
    const struct recorder_event *e = recorder_event(event);
    if (e->what == RECORDED_WRITE)
        add_write(w, (size_t)e->addr, e->bytes, e->size);
    if (e->what == RECORDED_TRUNCATE)
        add_cut(w, (size_t)e->addr);
    if (e->what != RECORDED_SYNC)
        return;
    for (size_t i = 0; i < w->n; i++)
        apply(&w->before, &w->parts[i], FATE_KEPT, NULL);
    w->n = 0;
}

void window_free(struct window *w)
{
    disk_free(&w->before);
    free(w->parts);
}

void disk_free(struct disk *d)
{
    for (size_t i = 0; i < DISK_MEMBERS; i++)
        free(d->files[i].bytes);
}

void disk_copy(struct disk *to, const struct disk *from)
{
    for (size_t i = 0; i < to->n; i++)
        to->files[i].size = 0;
    to->member_size = from->member_size;
    to->n = 0;
    for (size_t i = 0; i < from->n; i++) {
        set_size(to, i, from->files[i].size);
        if (from->files[i].size > 0)
            memcpy(to->files[i].bytes, from->files[i].bytes, from->files[i].size);
    }
}

void disk_make(struct disk *out, const struct window *w, const size_t *order, const enum fate *fates, uint64_t *random)
{
    disk_copy(out, &w->before);
    for (size_t i = 0; i < w->n; i++)
        apply(out, &w->parts[order[i]], fates[order[i]], random);
}

void disk_other_length(struct disk *d, const struct window *w, uint64_t *random)
{
    struct disk seen = {0};
    size_t steps = power_random(random) % (w->n + 1), file = power_random(random) % (d->n ? d->n : 1);
    disk_copy(&seen, &w->before);
    for (size_t i = 0; i < steps; i++)
        apply(&seen, &w->parts[i], FATE_KEPT, NULL);
    if (file < seen.n && file < d->n)
        set_size(d, file, seen.files[file].size);
    disk_free(&seen);
}

uint64_t disk_hash(const struct disk *d)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < d->n; i++) {
        const struct disk_file *f = &d->files[i];
        uint64_t word;
        size_t at = 0;
        for (; at + sizeof word <= f->size; at += sizeof word) {
            memcpy(&word, f->bytes + at, sizeof word);
            hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        for (; at < f->size; at++)
            hash = (hash ^ f->bytes[at]) * 1099511628211u;
        hash = (hash ^ f->size) * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

static void write_one(const struct disk_file *f, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out || (f->size > 0 && fwrite(f->bytes, 1, f->size, out) != f->size) || fclose(out) != 0)
        abort();
}

void disk_write(const struct disk *d, const char *name)
{
    char path[256];
    const char *at = strstr(name, "%d");
    if (!at) {
        write_one(&d->files[0], name);
        return;
    }
    for (int i = 0; i < DISK_MEMBERS; i++) {
        snprintf(path, sizeof path, "%.*s%d%s", (int)(at - name), name, i, at + 2);
        if (i < (int)d->n)
            write_one(&d->files[i], path);
        else if (unlink(path) != 0)
            break;
    }
}
