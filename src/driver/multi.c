/* Several files, one for each kind of data, that share an address space: an address belongs to the member with the
 * greatest start at or below it. Names have %s for the name of the whole. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    bool used[TS_MULTI_MEMBERS]; /* has a member: some kind is mapped to it */
    struct ts_driver *member[TS_MULTI_MEMBERS];
    bool locked, exclusive; /* against other processes */
};

static void close_members(struct ts_driver *member[TS_MULTI_MEMBERS])
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        ts_driver_close(member[i]);
        member[i] = NULL;
    }
}

static void multi_close(struct ts_driver *d)
{
    struct multi *m = (struct multi *)d;
    close_members(m->member);
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

static void find_used(struct multi *m)
{
    memset(m->used, 0, sizeof m->used);
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        m->used[mapped_to(m->config.multi.map, i)] = true;
}

static int super_holder(const struct multi *m)
{
    return mapped_to(m->config.multi.map, H5FD_MEM_SUPER);
}

static int lock_member(struct ts_driver *member, bool exclusive)
{
    return member && member->cls->lock ? member->cls->lock(member, exclusive) : 0;
}

static int open_member(struct multi *m, int i)
{
    char name[NAME_MAX_BYTES];
    if (!m->config.multi.name[i])
        return TS_ERR(VFL, BADVALUE, "member %d of '%s' has no name", i, m->name);
    if (expand_name(m, i, name) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    if (ts_driver_open_part(name, m->flags, m->config.multi.member[i], &m->config, &m->member[i]) == 0)
        return 0;
    if (!m->relax || m->flags & TS_OPEN_CREATE || i == super_holder(m) || ts_err_no_memory(mark))
        return -1;
    ts_err_rewind(mark);
    return 0;
}

/* Those that are not open yet. */
static int open_members(struct multi *m)
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        if (!m->used[i] || m->member[i])
            continue;
        if (open_member(m, i) < 0 || (m->locked && lock_member(m->member[i], m->exclusive) < 0))
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
        if (m->used[i] && start <= addr && (best < 0 || start > m->config.multi.addr[best]))
            best = i;
    }
    return best;
}

/* The member that has the address, and where in it. */
static struct ts_driver *member_at(const struct multi *m, haddr_t addr, haddr_t *offset)
{
    int i = find_member(m, addr);
    if (i < 0 || !m->member[i]) {
        TS_ERR(IO, BADVALUE, "%s: no member file holds address %#llx", m->name, (unsigned long long)addr);
        return NULL;
    }
    *offset = addr - m->config.multi.addr[i];
    return m->member[i];
}

static int multi_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        haddr_t offset;
        struct ts_driver *member = member_at((struct multi *)d, v[k].addr, &offset);
        if (!member || ts_driver_read(member, offset, v[k].size, v[k].buf) < 0)
            return -1;
    }
    return 0;
}

static int multi_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        haddr_t offset;
        struct ts_driver *member = member_at((struct multi *)d, v[k].addr, &offset);
        if (!member || ts_driver_write(member, offset, v[k].size, v[k].buf) < 0)
            return -1;
    }
    return 0;
}

static int empty_members(struct multi *m)
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        if (m->member[i] && ts_driver_truncate(m->member[i], 0) < 0)
            return -1;
    return 0;
}

static int multi_truncate(struct ts_driver *d, haddr_t eof)
{
    struct multi *m = (struct multi *)d;
    haddr_t offset;
    if (eof == 0)
        return empty_members(m);
    struct ts_driver *member = member_at(m, eof, &offset);
    return member ? ts_driver_truncate(member, offset) : -1;
}

static int multi_flush(struct ts_driver *d)
{
    struct multi *m = (struct multi *)d;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        if (m->member[i] && ts_driver_flush(m->member[i]) < 0)
            return -1;
    return 0;
}

static int multi_region(struct ts_driver *d, H5FD_mem_t kind, haddr_t *start, haddr_t *limit)
{
    struct multi *m = (struct multi *)d;
    int i = mapped_to(m->config.multi.map, kind == H5FD_MEM_DEFAULT ? H5FD_MEM_SUPER : (int)kind);
    *start = m->config.multi.addr[i];
    *limit = HADDR_MAX;
    for (int k = FIRST; k < TS_MULTI_MEMBERS; k++)
        if (m->used[k] && m->config.multi.addr[k] > *start && m->config.multi.addr[k] < *limit)
            *limit = m->config.multi.addr[k];
    return 0;
}

static int encode_extents(struct multi *m, struct ts_wr *out)
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        haddr_t size = 0;
        if (!m->used[i])
            continue;
        if (m->member[i] && ts_driver_eof(m->member[i], &size) < 0)
            return -1;
        ts_wr_u64(out, m->config.multi.addr[i]);
        ts_wr_u64(out, size);
    }
    return 0;
}

static int multi_info(struct ts_driver *d, char id[8], struct ts_wr *out)
{
    struct multi *m = (struct multi *)d;
    memcpy(id, "NCSAmult", 8);
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        ts_wr_u8(out, (uint8_t)m->config.multi.map[i]);
    ts_wr_zeros(out, 2);
    if (encode_extents(m, out) < 0)
        return -1;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        if (!m->used[i])
            continue;
        size_t size = strlen(m->config.multi.name[i]) + 1;
        ts_wr_bytes(out, m->config.multi.name[i], size);
        ts_wr_zeros(out, (8 - size % 8) % 8);
    }
    return out->bad ? -1 : 0;
}

static int multi_unlock(struct ts_driver *d)
{
    struct multi *m = (struct multi *)d;
    int status = 0;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        if (m->member[i] && ts_driver_unlock(m->member[i]) < 0)
            status = -1;
    m->locked = false;
    return status;
}

static int multi_lock(struct ts_driver *d, bool exclusive)
{
    struct multi *m = (struct multi *)d;
    int status = 0;
    for (int i = FIRST; status == 0 && i < TS_MULTI_MEMBERS; i++)
        status = lock_member(m->member[i], exclusive);
    m->locked = status == 0;
    m->exclusive = exclusive;
    if (status < 0)
        multi_unlock(d);
    return status;
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
    struct multi *m = (struct multi *)d;
    struct ts_driver *first = m->member[super_holder(m)];
    return first ? first->cls->identity(first, id)
                 : TS_ERR(VFL, CANTGET, "%s: the superblock's member is not open", m->name);
}

static int multi_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    struct multi *m = (struct multi *)d;
    if (part->type < 0 || part->type >= TS_MULTI_MEMBERS)
        return TS_ERR(VFL, BADRANGE, "data type is out of range: %d", (int)part->type);
    struct ts_driver *member = m->member[mapped_to(m->config.multi.map, (int)part->type)];
    return member ? member->cls->handle(member, part, handle)
                  : TS_ERR(VFL, CANTGET, "%s: no member has data of type %d", m->name, (int)part->type);
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

static int decode_extents(struct ts_rd *r, struct multi *m)
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        m->config.multi.addr[i] = HADDR_UNDEF;
        if (!m->used[i])
            continue;
        m->config.multi.addr[i] = ts_rd_u64(r);
        ts_rd_skip(r, 8);
    }
    return r->bad ? TS_ERR(VFL, CANTDECODE, "multi driver information is too short for its members") : 0;
}

/* Members whose file is now another are put into `stale`. */
static int decode_names(struct ts_rd *r, struct multi *m, struct ts_driver *stale[TS_MULTI_MEMBERS])
{
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++) {
        if (!m->used[i])
            continue;
        size_t from = ts_rd_pos(r);
        const char *name = ts_rd_cstr(r);
        if (!name)
            return TS_ERR(VFL, CANTDECODE, "multi driver information ends in the name of member %d", i);
        ts_rd_skip(r, (8 - (ts_rd_pos(r) - from) % 8) % 8);
        char **kept = &m->config.multi.name[i];
        if (*kept && strcmp(*kept, name) == 0)
            continue;
        ts_free(*kept);
        *kept = ts_strdup(name);
        if (!*kept)
            return -1;
        stale[i] = m->member[i];
        m->member[i] = NULL;
    }
    return 0;
}

/* What stays the same stays open, and locked. */
static int multi_apply_info(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size)
{
    struct multi *m = (struct multi *)d;
    struct ts_rd r = ts_rd_init(info, size);
    H5FD_mem_t map[TS_MULTI_MEMBERS];
    struct ts_driver *stale[TS_MULTI_MEMBERS] = {NULL};
    if (memcmp(id, "NCSAmult", 8) != 0)
        return TS_ERR(VFL, BADVALUE, "the file was written by driver '%.8s', not by multi", id);
    if (decode_map(&r, map) < 0)
        return -1;
    memcpy(m->config.multi.map, map, sizeof map);
    find_used(m);
    int status = decode_extents(&r, m) < 0 ? -1 : decode_names(&r, m, stale);
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        if (!m->used[i]) {
            stale[i] = m->member[i];
            m->member[i] = NULL;
        }
    close_members(stale);
    return status < 0 ? -1 : open_members(m);
}

static const struct ts_driver_writing multi_writing = {.writev = multi_writev,
                                                       .truncate = multi_truncate,
                                                       .flush = multi_flush,
                                                       .region = multi_region,
                                                       .info = multi_info};

static const struct ts_driver_class multi_class = {.name = "multi",
                                                   .close = multi_close,
                                                   .eof = multi_eof,
                                                   .readv = multi_readv,
                                                   .identity = multi_identity,
                                                   .handle = multi_handle,
                                                   .room = multi_room,
                                                   .apply_info = multi_apply_info,
                                                   .lock = multi_lock,
                                                   .unlock = multi_unlock,
                                                   .writing = &multi_writing};

/* Members other than the superblock's need not be there. */
static int delete_member(const struct multi *m, int i)
{
    char name[NAME_MAX_BYTES];
    unsigned mark = ts_err_mark();
    if (!m->config.multi.name[i])
        return TS_ERR(VFL, BADVALUE, "member %d of '%s' has no name", i, m->name);
    if (expand_name(m, i, name) < 0)
        return -1;
    if (ts_driver_delete_part(name, m->config.multi.member[i]) == 0)
        return 0;
    if (i == super_holder(m) || access(name, F_OK) == 0)
        return -1;
    ts_err_rewind(mark);
    return 0;
}

int ts_multi_delete(const char *name, const struct ts_driver_config *config)
{
    struct multi m = {.name = (char *)(uintptr_t)name, .config = *config};
    find_used(&m);
    if (delete_member(&m, super_holder(&m)) < 0)
        return -1;
    for (int i = FIRST; i < TS_MULTI_MEMBERS; i++)
        if (m.used[i] && i != super_holder(&m) && delete_member(&m, i) < 0)
            return -1;
    return 0;
}

int ts_multi_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct multi *m = ts_calloc(1, sizeof *m);
    if (!m)
        return -1;
    m->base.cls = &multi_class;
    m->flags = flags;
    m->relax = config->multi.relax;
    m->name = ts_strdup(name);
    int status = m->name ? ts_driver_config_copy(&m->config, config) : -1;
    if (status == 0) {
        find_used(m);
        status = open_members(m);
    }
    if (status < 0) {
        multi_close(&m->base);
        return -1;
    }
    *out = &m->base;
    return 0;
}
