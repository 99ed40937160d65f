#include "format/messages.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"

int ts_mtime_decode(const uint8_t *buf, size_t size, time_t *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    unsigned version = ts_rd_u8(&r);
    if (!r.bad && version != 1)
        return TS_ERR(OHDR, VERSION, "modification time message: version %u", version);
    ts_rd_skip(&r, 3);
    *out = (time_t)ts_rd_u32(&r);
    return r.bad ? TS_ERR(OHDR, CANTDECODE, "modification time message: too short") : 0;
}

static int digits(struct ts_rd *r, unsigned n)
{
    const uint8_t *at = ts_rd_bytes(r, n);
    int v = 0;
    for (unsigned i = 0; at && i < n; i++) {
        if (at[i] < '0' || at[i] > '9')
            r->bad = true;
        v = v * 10 + (at[i] - '0');
    }
    return v;
}

int ts_mtime_decode_old(const uint8_t *buf, size_t size, time_t *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    struct tm tm = {0};
    tm.tm_year = digits(&r, 4) - 1900;
    tm.tm_mon = digits(&r, 2) - 1;
    tm.tm_mday = digits(&r, 2);
    tm.tm_hour = digits(&r, 2);
    tm.tm_min = digits(&r, 2);
    tm.tm_sec = digits(&r, 2);
    if (r.bad)
        return TS_ERR(OHDR, CANTDECODE, "old modification time message: not a date");
    *out = timegm(&tm);
    return 0;
}

int ts_ref_count_decode(const uint8_t *buf, size_t size, uint32_t *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    unsigned version = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(OHDR, VERSION, "reference count message: version %u", version);
    *out = ts_rd_u32(&r);
    return r.bad ? TS_ERR(OHDR, CANTDECODE, "reference count message: too short") : 0;
}

int ts_comment_decode(const uint8_t *buf, size_t size, const char **out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = ts_rd_cstr(&r);
    return *out ? 0 : TS_ERR(OHDR, CANTDECODE, "comment message: the text does not end");
}

int ts_efl_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size, struct ts_efl_msg *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_efl_msg){0};
    unsigned version = ts_rd_u8(&r);
    if (!r.bad && version != 1)
        return TS_ERR(EFL, VERSION, "external file message: version %u", version);
    ts_rd_skip(&r, 3);
    size_t allocated = ts_rd_u16(&r), used = ts_rd_u16(&r);
    out->heap = ts_rd_addr(&r, addr_size);
    if (r.bad || used > allocated || used > ts_rd_left(&r) / (3 * (size_t)len_size))
        return TS_ERR(EFL, CANTDECODE, "external file message: %zu of %zu slots in %zu bytes", used, allocated, size);
    if (used == 0)
        return 0;
    out->slots = ts_malloc(used * sizeof *out->slots);
    if (!out->slots)
        return -1;
    for (size_t i = 0; i < used; i++) {
        out->slots[i].name_offset = ts_rd_uint(&r, len_size);
        out->slots[i].offset = ts_rd_uint(&r, len_size);
        out->slots[i].size = ts_rd_addr(&r, len_size);
    }
    out->n = used;
    return 0;
}

int ts_btree_k_decode(const uint8_t *buf, size_t size, struct ts_btree_k *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    unsigned version = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(FILE, VERSION, "B-tree K message: version %u", version);
    out->chunk_k = ts_rd_u16(&r);
    out->group_internal_k = ts_rd_u16(&r);
    out->group_leaf_k = ts_rd_u16(&r);
    if (r.bad || out->chunk_k == 0 || out->group_internal_k == 0 || out->group_leaf_k == 0)
        return TS_ERR(FILE, CANTDECODE, "B-tree K message: a value is 0 or missing");
    return 0;
}

int ts_driver_msg_decode(const uint8_t *buf, size_t size, struct ts_driver_msg *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_driver_msg){0};
    unsigned version = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(FILE, VERSION, "driver info message: version %u", version);
    const uint8_t *name = ts_rd_bytes(&r, 8);
    if (name)
        memcpy(out->name, name, 8);
    out->size = ts_rd_u16(&r);
    out->info = ts_rd_bytes(&r, out->size);
    return r.bad ? TS_ERR(FILE, CANTDECODE, "driver info message: %zu bytes are too few", size) : 0;
}

int ts_sohm_msg_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_sohm_msg *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    unsigned version = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(SOHM, VERSION, "shared message table message: version %u", version);
    out->table = ts_rd_addr(&r, addr_size);
    out->n_indexes = ts_rd_u8(&r);
    if (r.bad || out->table == HADDR_UNDEF)
        return TS_ERR(SOHM, CANTDECODE, "shared message table message: no table");
    return 0;
}

/* Version 0 was written by 1.10.0 only; its four strategies map onto version 1's as libhdf5 documents. */
static void file_space_v0(struct ts_rd *r, unsigned addr_size, unsigned len_size, struct ts_file_space *out)
{
    enum { ALL_PERSIST = 1, ALL = 2, AGGR_VFD = 3, VFD = 4 };
    unsigned strategy = ts_rd_u8(r);
    out->threshold = ts_rd_uint(r, len_size);
    out->page_size = 4096;
    switch (strategy) {
    case ALL_PERSIST:
        out->strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
        out->persist = true;
        for (unsigned i = 0; i < 6; i++)
            out->managers[i] = ts_rd_addr(r, addr_size);
        break;
    case ALL:
        out->strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
        break;
    case AGGR_VFD:
        out->strategy = H5F_FSPACE_STRATEGY_AGGR;
        break;
    case VFD:
        out->strategy = H5F_FSPACE_STRATEGY_NONE;
        break;
    default:
        r->bad = true;
    }
}

static void file_space_v1(struct ts_rd *r, unsigned addr_size, unsigned len_size, struct ts_file_space *out)
{
    unsigned strategy = ts_rd_u8(r);
    if (strategy > H5F_FSPACE_STRATEGY_NONE)
        r->bad = true;
    out->strategy = (H5F_fspace_strategy_t)strategy;
    out->persist = ts_rd_u8(r);
    out->threshold = ts_rd_uint(r, len_size);
    /* Four bytes in the specification, a length in the files of 1.10.1 and later. */
    out->page_size = ts_rd_uint(r, len_size);
    out->page_end_threshold = ts_rd_u16(r);
    out->end_before_managers = ts_rd_addr(r, addr_size);
    for (unsigned i = 0; out->persist && i < TS_FSPACE_MANAGERS; i++)
        out->managers[i] = ts_rd_addr(r, addr_size);
    if (out->page_size == 0)
        r->bad = true;
}

int ts_file_space_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                         struct ts_file_space *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_file_space){.version = ts_rd_u8(&r), .end_before_managers = HADDR_UNDEF};
    for (unsigned i = 0; i < TS_FSPACE_MANAGERS; i++)
        out->managers[i] = HADDR_UNDEF;
    if (out->version == 0)
        file_space_v0(&r, addr_size, len_size, out);
    else if (out->version == 1)
        file_space_v1(&r, addr_size, len_size, out);
    else
        return TS_ERR(FSPACE, VERSION, "file space message: version %u", out->version);
    return r.bad ? TS_ERR(FSPACE, CANTDECODE, "file space message: %zu bytes make no sense", size) : 0;
}

int ts_cache_image_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                          struct ts_cache_image *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    unsigned version = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(CACHE, VERSION, "cache image message: version %u", version);
    out->addr = ts_rd_addr(&r, addr_size);
    out->size = ts_rd_uint(&r, len_size);
    return r.bad ? TS_ERR(CACHE, CANTDECODE, "cache image message: too short") : 0;
}
