#include "format/messages.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

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
    out->allocated = allocated;
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
enum { ALL_PERSIST = 1, ALL = 2, AGGR_VFD = 3, VFD = 4, MANAGERS_V0 = 6 };
enum { DEFAULT_THRESHOLD = 1, DEFAULT_PAGE_SIZE = 4096 };

static void file_space_v0(struct ts_rd *r, unsigned addr_size, unsigned len_size, struct ts_file_space *out)
{
    unsigned strategy = ts_rd_u8(r);
    out->threshold = ts_rd_uint(r, len_size);
    out->page_size = DEFAULT_PAGE_SIZE;
    /* Without free-space managers there is nothing that it could be a threshold of. */
    if (strategy == AGGR_VFD || strategy == VFD)
        out->threshold = DEFAULT_THRESHOLD;
    switch (strategy) {
    case ALL_PERSIST:
        out->strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
        out->persist = true;
        for (unsigned i = 0; i < MANAGERS_V0; i++)
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
    /* libhdf5 opens files of strategies that it does not know, and then does what it does with none. */
    out->strategy = strategy > H5F_FSPACE_STRATEGY_NONE ? H5F_FSPACE_STRATEGY_NONE : (H5F_fspace_strategy_t)strategy;
    out->persist = ts_rd_u8(r);
    out->threshold = ts_rd_uint(r, len_size);
    /* Four bytes in the specification, a length in the files of 1.10.1 and later. */
    out->page_size = ts_rd_uint(r, len_size);
    out->page_end_threshold = ts_rd_u16(r);
    out->end_before_managers = ts_rd_addr(r, addr_size);
    for (unsigned i = 0; out->persist && i < TS_FSPACE_MANAGERS; i++)
        out->managers[i] = ts_rd_addr(r, addr_size);
    if (out->page_size == 0 && out->strategy == H5F_FSPACE_STRATEGY_PAGE)
        r->bad = true;
    /* Where there are no pages, 1.10 minds no size of them. */
    if (out->page_size == 0)
        out->page_size = DEFAULT_PAGE_SIZE;
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

int ts_mtime_encode(time_t t, struct ts_wr *w)
{
    ts_wr_u8(w, 1);
    ts_wr_zeros(w, 3);
    ts_put_uint(w, (uint64_t)t, 4);
    return ts_put_end(w);
}

int ts_mtime_encode_old(time_t t, struct ts_wr *w)
{
    struct tm tm;
    char text[32];
    if (!gmtime_r(&t, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900 ||
        strftime(text, sizeof text, "%Y%m%d%H%M%S", &tm) == 0)
        return TS_ERR(OHDR, CANTENCODE, "old modification time message: time %lld has no year of four digits",
                      (long long)t);
    /* Years before 1000 come without leading zeros. */
    size_t len = strlen(text);
    for (size_t i = len; i < 14; i++)
        ts_wr_u8(w, '0');
    ts_wr_bytes(w, text, len);
    ts_wr_zeros(w, 2);
    return ts_put_end(w);
}

int ts_ref_count_encode(uint32_t count, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_wr_u32(w, count);
    return ts_put_end(w);
}

int ts_comment_encode(const char *comment, struct ts_wr *w)
{
    ts_wr_bytes(w, comment, strlen(comment) + 1);
    return ts_put_end(w);
}

size_t ts_efl_size(size_t slots, unsigned addr_size, unsigned len_size)
{
    return 8 + addr_size + slots * 3 * len_size;
}

int ts_efl_encode(const struct ts_efl_msg *msg, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    if (msg->n > msg->allocated)
        return TS_ERR(EFL, CANTENCODE, "external file message: %zu of %zu slots", msg->n, msg->allocated);
    ts_wr_u8(w, 1);
    ts_wr_zeros(w, 3);
    ts_put_uint(w, msg->allocated, 2);
    ts_put_uint(w, msg->n, 2);
    ts_put_addr(w, msg->heap, addr_size);
    for (size_t i = 0; i < msg->n; i++) {
        ts_put_uint(w, msg->slots[i].name_offset, len_size);
        ts_put_uint(w, msg->slots[i].offset, len_size);
        ts_put_addr(w, msg->slots[i].size, len_size);
    }
    ts_wr_zeros(w, (msg->allocated - msg->n) * 3 * len_size);
    return ts_put_end(w);
}

int ts_btree_k_encode(const struct ts_btree_k *k, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_put_uint(w, k->chunk_k, 2);
    ts_put_uint(w, k->group_internal_k, 2);
    ts_put_uint(w, k->group_leaf_k, 2);
    return ts_put_end(w);
}

int ts_driver_msg_encode(const struct ts_driver_msg *msg, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_put_text(w, msg->name, 8);
    ts_put_uint(w, msg->size, 2);
    ts_wr_bytes(w, msg->info, msg->size);
    return ts_put_end(w);
}

int ts_sohm_msg_encode(const struct ts_sohm_msg *msg, unsigned addr_size, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_put_addr(w, msg->table, addr_size);
    ts_put_uint(w, msg->n_indexes, 1);
    return ts_put_end(w);
}

static unsigned strategy_v0(const struct ts_file_space *fs)
{
    switch (fs->strategy) {
    case H5F_FSPACE_STRATEGY_FSM_AGGR:
        return fs->persist ? ALL_PERSIST : ALL;
    case H5F_FSPACE_STRATEGY_AGGR:
        return AGGR_VFD;
    case H5F_FSPACE_STRATEGY_NONE:
        return VFD;
    default:
        return 0;
    }
}

static void encode_file_space_v1(const struct ts_file_space *fs, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    ts_wr_u8(w, (uint8_t)fs->strategy);
    ts_wr_u8(w, fs->persist);
    ts_put_uint(w, fs->threshold, len_size);
    ts_put_uint(w, fs->page_size, len_size);
    ts_put_uint(w, fs->page_end_threshold, 2);
    ts_put_addr(w, fs->end_before_managers, addr_size);
    for (unsigned i = 0; fs->persist && i < TS_FSPACE_MANAGERS; i++)
        ts_put_addr(w, fs->managers[i], addr_size);
}

int ts_file_space_encode(const struct ts_file_space *fs, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    if (fs->version > 1 || (fs->version == 0 && strategy_v0(fs) == 0))
        return TS_ERR(FSPACE, CANTENCODE, "file space message: version %u with strategy %d", fs->version,
                      (int)fs->strategy);
    ts_wr_u8(w, (uint8_t)fs->version);
    if (fs->version == 1) {
        encode_file_space_v1(fs, addr_size, len_size, w);
        return ts_put_end(w);
    }
    ts_wr_u8(w, (uint8_t)strategy_v0(fs));
    ts_put_uint(w, fs->threshold, len_size);
    for (unsigned i = 0; fs->persist && i < MANAGERS_V0; i++)
        ts_put_addr(w, fs->managers[i], addr_size);
    return ts_put_end(w);
}

int ts_cache_image_encode(const struct ts_cache_image *image, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_put_addr(w, image->addr, addr_size);
    ts_put_uint(w, image->size, len_size);
    return ts_put_end(w);
}
