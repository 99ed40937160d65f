/* Several files, one for each kind of data, that share an address space: an address belongs to the member with the
 * greatest start at or below it. Names have %s for the name of the whole. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "driver/classes.h"

#define NAME_MAX_BYTES 4096
#define FIRST H5FD_MEM_SUPER

struct multi {
    struct ts_driver base;
    char *name;
    unsigned flags;
    bool relax;
    struct ts_driver_config config;
    struct ts_driver *member[TS_MULTI_MEMBERS];
};

static void close_members(struct multi *m)
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        ts_driver_close(m->member[i]);
        m->member[i] = NULL;
    }
}

static void multi_close(struct ts_driver *d)
{
    struct multi *m = (struct multi *)d;
    close_members(m);
    ts_driver_config_deinit(&m->config);
    ts_free(m->name);
    ts_free(m);
}

static int expand_name(const struct multi *m, int i, char out[NAME_MAX_BYTES])
{
    const char *pattern = m->config.multi.name[i];
    const char *at = strstr(pattern, "%s");
    int length = at ? snprintf(out, NAME_MAX_BYTES, "%.*s%s%s", (int)(at - pattern), pattern, m->name, at + 2)
                    : snprintf(out, NAME_MAX_BYTES, "%s", pattern);
    if (length < 0 || length >= NAME_MAX_BYTES)
        return TS_ERR(VFL, BADVALUE, "member name '%s' of '%s' is too long", pattern, m->name);
    return 0;
}

/* The kind whose member holds data of kind i: its own unless the map says otherwise. */
static int mapped_to(const H5FD_mem_t map[TS_MULTI_MEMBERS], int i)
{
    return map[i] == H5FD_MEM_DEFAULT ? i : (int)map[i];
}

static int holder(const struct multi *m, int i)
{
    return mapped_to(m->config.multi.map, i);
}

static int open_member(struct multi *m, int i)
{
    static const struct ts_driver_config sec2 = {.kind = TS_DRIVER_SEC2};
    const struct ts_driver_config *config = m->config.multi.member[i] ? m->config.multi.member[i] : &sec2;
    char name[NAME_MAX_BYTES];
    if (!m->config.multi.name[i])
        return TS_ERR(VFL, BADVALUE, "member %d of '%s' has no name", i, m->name);
    if (expand_name(m, i, name) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    if (ts_driver_open(name, m->flags, config, &m->member[i]) == 0)
        return 0;
    if (!m->relax || i == H5FD_MEM_SUPER || ts_err_no_memory(mark))
        return -1;
    ts_err_rewind(mark);
    return 0;
}

static int open_members(struct multi *m)
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        int h = holder(m, i);
        if (!m->member[h] && open_member(m, h) < 0)
            return -1;
    }
    return 0;
}

static int multi_eof(struct ts_driver *d, haddr_t *eof)
{
    struct multi *m = (struct multi *)d;
    *eof = 0;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        haddr_t size, end;
        if (!m->member[i])
            continue;
        if (ts_driver_eof(m->member[i], &size) < 0)
            return -1;
        if (size > 0 && ts_add_u64(m->config.multi.addr[i], size, &end) && end > *eof)
            *eof = end;
    }
    return 0;
}

static int find_member(const struct multi *m, haddr_t addr)
{
    int best = -1;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        haddr_t start = m->config.multi.addr[i];
        if (holder(m, i) == i && start <= addr && (best < 0 || start > m->config.multi.addr[best]))
            best = i;
    }
    return best;
}

static int multi_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    struct multi *m = (struct multi *)d;
    for (size_t k = 0; k < n; k++) {
        int i = find_member(m, v[k].addr);
        if (i < 0 || !m->member[i])
            return TS_ERR(IO, READERROR, "%s: no member file holds address %#llx", m->name, (unsigned long long)v[k].addr);
        if (ts_driver_read(m->member[i], v[k].addr - m->config.multi.addr[i], v[k].size, v[k].buf) < 0)
            return -1;
    }
    return 0;
}

static int multi_room(struct ts_driver *d, haddr_t addr, haddr_t *bytes)
{
    struct multi *m = (struct multi *)d;
    int i = find_member(m, addr);
    haddr_t eof;
    *bytes = 0;
    if (i < 0 || !m->member[i])
        return 0;
    if (ts_driver_eof(m->member[i], &eof) < 0)
        return -1;
    if (eof > addr - m->config.multi.addr[i])
        *bytes = eof - (addr - m->config.multi.addr[i]);
    return 0;
}

static int multi_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    struct ts_driver *first = ((struct multi *)d)->member[H5FD_MEM_SUPER];
    return first->cls->identity(first, id);
}

static int multi_handle(struct ts_driver *d, void **handle)
{
    struct ts_driver *first = ((struct multi *)d)->member[H5FD_MEM_SUPER];
    return first->cls->handle(first, handle);
}

static int decode_map(struct ts_rd *r, H5FD_mem_t map[TS_MULTI_MEMBERS])
{
    map[0] = H5FD_MEM_DEFAULT;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        unsigned mapped = ts_rd_u8(r);
        if (r->bad || mapped >= TS_MULTI_MEMBERS)
            return TS_ERR(VFL, CANTDECODE, "multi driver information maps kind %d to %u", i, mapped);
        map[i] = (H5FD_mem_t)mapped;
    }
    ts_rd_skip(r, 2);
    return 0;
}

static int decode_names(struct ts_rd *r, struct ts_driver_config *config, const bool used[TS_MULTI_MEMBERS])
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        if (!used[i])
            continue;
        size_t from = ts_rd_pos(r);
        const char *name = ts_rd_cstr(r);
        if (!name)
            return TS_ERR(VFL, CANTDECODE, "multi driver information ends in the name of member %d", i);
        ts_rd_skip(r, (8 - (ts_rd_pos(r) - from) % 8) % 8);
        ts_free(config->multi.name[i]);
        config->multi.name[i] = ts_strdup(name);
        if (!config->multi.name[i])
            return -1;
    }
    return 0;
}

static int multi_apply_info(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size)
{
    struct multi *m = (struct multi *)d;
    struct ts_rd r = ts_rd_init(info, size);
    H5FD_mem_t map[TS_MULTI_MEMBERS];
    bool used[TS_MULTI_MEMBERS] = {false};
    if (memcmp(id, "NCSAmult", 8) != 0)
        return TS_ERR(VFL, BADVALUE, "the file was written by driver '%.8s', not by multi", id);
    if (decode_map(&r, map) < 0)
        return -1;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        used[mapped_to(map, i)] = true;
    haddr_t addr[TS_MULTI_MEMBERS];
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        if (!used[i])
            continue;
        addr[i] = ts_rd_u64(&r);
        ts_rd_skip(&r, 8);
    }
    if (r.bad)
        return TS_ERR(VFL, CANTDECODE, "multi driver information of %zu bytes is too short", size);
    if (decode_names(&r, &m->config, used) < 0)
        return -1;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        m->config.multi.addr[i] = used[i] ? addr[i] : HADDR_UNDEF;
    memcpy(m->config.multi.map, map, sizeof map);
    close_members(m);
    return open_members(m);
}

static const struct ts_driver_class multi_class = {.name = "multi",
                                                   .close = multi_close,
                                                   .eof = multi_eof,
                                                   .readv = multi_readv,
                                                   .identity = multi_identity,
                                                   .handle = multi_handle,
                                                   .room = multi_room,
                                                   .apply_info = multi_apply_info};

int ts_multi_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct multi *m = ts_calloc(1, sizeof *m);
    if (!m)
        return -1;
    m->base.cls = &multi_class;
    m->flags = flags;
    m->relax = config->multi.relax;
    m->name = ts_strdup(name);
    if (!m->name || ts_driver_config_copy(&m->config, config) < 0 || open_members(m) < 0) {
        multi_close(&m->base);
        return -1;
    }
    *out = &m->base;
    return 0;
}
