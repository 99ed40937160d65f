#include "format/link.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

enum { LINK_ORDER = 0x04, LINK_TYPE = 0x08, LINK_CSET = 0x10, LINK_KNOWN = 0x1F };

struct link_head {
    unsigned type, cset;
    bool has_order;
    int64_t order;
    const char *name;
    size_t name_len;
};

static int read_head(struct ts_rd *r, struct link_head *out)
{
    *out = (struct link_head){0};
    unsigned version = ts_rd_u8(r), flags = ts_rd_u8(r);
    if (!r->bad && version != 1)
        return TS_ERR(LINK, VERSION, "link message: version %u", version);
    if (flags & ~(unsigned)LINK_KNOWN)
        return TS_ERR(LINK, CANTDECODE, "link message: flags %#x", flags);
    if (flags & LINK_TYPE) {
        out->type = ts_rd_u8(r);
        if (out->type > H5L_TYPE_SOFT && out->type < H5L_TYPE_UD_MIN)
            return TS_ERR(LINK, CANTDECODE, "link message: link type %u", out->type);
    }
    out->has_order = flags & LINK_ORDER;
    if (out->has_order)
        out->order = (int64_t)ts_rd_u64(r);
    if (flags & LINK_CSET) {
        out->cset = ts_rd_u8(r);
        if (out->cset > H5T_CSET_UTF8)
            return TS_ERR(LINK, CANTDECODE, "link message: character set %u", out->cset);
    }
    uint64_t len = ts_rd_uint(r, 1u << (flags & 3));
    if (!r->bad && len == 0)
        return TS_ERR(LINK, CANTDECODE, "link message: a link without name");
    if (len > ts_rd_left(r))
        r->bad = true;
    out->name = (const char *)ts_rd_bytes(r, (size_t)len);
    out->name_len = (size_t)len;
    return r->bad ? TS_ERR(LINK, CANTDECODE, "link message: the name is cut off") : 0;
}

int ts_link_peek_name(const uint8_t *buf, size_t size, const char **name, size_t *len)
{
    struct ts_rd r = ts_rd_init(buf, size);
    struct link_head head;
    if (read_head(&r, &head) < 0)
        return -1;
    *name = head.name;
    *len = head.name_len;
    return 0;
}

static int read_value(struct ts_rd *r, struct ts_link *out)
{
    size_t len = ts_rd_u16(r);
    const uint8_t *bytes = ts_rd_bytes(r, len);
    if (r->bad || (out->type == H5L_TYPE_SOFT && len == 0))
        return TS_ERR(LINK, CANTDECODE, "link message: the value of link \"%s\" is cut off", out->name);
    out->value = ts_malloc(len + 1);
    if (!out->value)
        return -1;
    memcpy(out->value, bytes, len);
    out->value[len] = '\0';
    out->value_size = len;
    return 0;
}

int ts_link_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_link *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    struct link_head head;
    *out = (struct ts_link){.addr = HADDR_UNDEF, .cached_btree = HADDR_UNDEF, .cached_heap = HADDR_UNDEF};
    if (read_head(&r, &head) < 0)
        return -1;
    out->type = (H5L_type_t)head.type;
    out->cset = (H5T_cset_t)head.cset;
    out->corder_valid = head.has_order;
    out->corder = head.order;
    if (memchr(head.name, 0, head.name_len))
        return TS_ERR(LINK, CANTDECODE, "link message: a NUL inside the name");
    out->name = ts_strndup(head.name, head.name_len);
    if (!out->name)
        return -1;
    if (out->type == H5L_TYPE_HARD) {
        out->addr = ts_rd_addr(&r, addr_size);
        if (r.bad) {
            TS_ERR(LINK, CANTDECODE, "link message: the address of link \"%s\" is cut off", out->name);
            goto fail;
        }
    } else if (read_value(&r, out) < 0) {
        goto fail;
    }
    return 0;
fail:
    ts_link_deinit(out);
    return -1;
}

void ts_link_deinit(struct ts_link *link)
{
    ts_free(link->name);
    ts_free(link->value);
    link->name = NULL;
    link->value = NULL;
}

int ts_link_copy(struct ts_link *dst, const struct ts_link *src)
{
    *dst = *src;
    dst->name = ts_strdup(src->name);
    dst->value = src->value ? ts_memdup(src->value, src->value_size + 1) : NULL;
    if (dst->name && (dst->value || !src->value))
        return 0;
    ts_link_deinit(dst);
    return -1;
}

size_t ts_link_value_size(const struct ts_link *link)
{
    return link->type == H5L_TYPE_SOFT ? strlen(link->value) + 1 : link->value_size;
}

int ts_link_info_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_link_info *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_link_info){.corder_index = HADDR_UNDEF};
    unsigned version = ts_rd_u8(&r), flags = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(LINK, VERSION, "link info message: version %u", version);
    if (flags & ~3u)
        return TS_ERR(LINK, CANTDECODE, "link info message: flags %#x", flags);
    out->tracked = flags & 1;
    out->indexed = flags & 2;
    if (out->tracked) {
        out->max_corder = (int64_t)ts_rd_u64(&r);
        if (out->max_corder < 0)
            return TS_ERR(LINK, CANTDECODE, "link info message: creation order %lld", (long long)out->max_corder);
    }
    out->heap = ts_rd_addr(&r, addr_size);
    out->name_index = ts_rd_addr(&r, addr_size);
    if (out->indexed)
        out->corder_index = ts_rd_addr(&r, addr_size);
    return r.bad ? TS_ERR(LINK, CANTDECODE, "link info message: %zu bytes are too few", size) : 0;
}

int ts_group_info_decode(const uint8_t *buf, size_t size, struct ts_group_info *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_group_info){.max_compact = 8, .min_dense = 6, .est_entries = 4, .est_name_len = 8};
    unsigned version = ts_rd_u8(&r), flags = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(SYM, VERSION, "group info message: version %u", version);
    if (flags & ~3u)
        return TS_ERR(SYM, CANTDECODE, "group info message: flags %#x", flags);
    out->has_phase_change = flags & 1;
    out->has_estimates = flags & 2;
    if (out->has_phase_change) {
        out->max_compact = ts_rd_u16(&r);
        out->min_dense = ts_rd_u16(&r);
    }
    if (out->has_estimates) {
        out->est_entries = ts_rd_u16(&r);
        out->est_name_len = ts_rd_u16(&r);
    }
    return r.bad ? TS_ERR(SYM, CANTDECODE, "group info message: %zu bytes are too few", size) : 0;
}

int ts_symbol_table_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_symbol_table *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    out->btree = ts_rd_addr(&r, addr_size);
    out->heap = ts_rd_addr(&r, addr_size);
    return r.bad ? TS_ERR(SYM, CANTDECODE, "symbol table message: %zu bytes are too few", size) : 0;
}

static void read_symbol(struct ts_rd *r, unsigned addr_size, unsigned len_size, struct ts_symbol *out)
{
    *out = (struct ts_symbol){.cached_btree = HADDR_UNDEF, .cached_heap = HADDR_UNDEF};
    out->name_offset = ts_rd_uint(r, len_size);
    out->addr = ts_rd_addr(r, addr_size);
    out->cache_type = ts_rd_u32(r);
    ts_rd_skip(r, 4);
    const uint8_t *scratch = ts_rd_bytes(r, 16);
    if (!scratch)
        return;
    struct ts_rd s = ts_rd_init(scratch, 16);
    if (out->cache_type == TS_SYMBOL_CACHE_GROUP) {
        out->cached_btree = ts_rd_addr(&s, addr_size);
        out->cached_heap = ts_rd_addr(&s, addr_size);
    } else if (out->cache_type == TS_SYMBOL_CACHE_SOFT) {
        out->value_offset = ts_rd_u32(&s);
    }
}

int ts_symbol_node_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                          struct ts_symbol **out, size_t *n)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = NULL;
    *n = 0;
    if (!ts_rd_magic(&r, "SNOD"))
        return TS_ERR(SYM, CANTDECODE, "symbol table node: no signature");
    unsigned version = ts_rd_u8(&r);
    ts_rd_skip(&r, 1);
    size_t count = ts_rd_u16(&r);
    if (!r.bad && version != 1)
        return TS_ERR(SYM, VERSION, "symbol table node: version %u", version);
    if (r.bad || count > ts_rd_left(&r) / ts_symbol_size(addr_size, len_size))
        return TS_ERR(SYM, CANTDECODE, "symbol table node: %zu entries in %zu bytes", count, size);
    if (count == 0)
        return 0;
    struct ts_symbol *symbols = ts_malloc(count * sizeof *symbols);
    if (!symbols)
        return -1;
    for (size_t i = 0; i < count; i++) {
        read_symbol(&r, addr_size, len_size, &symbols[i]);
        if (symbols[i].cache_type > TS_SYMBOL_CACHE_SOFT) {
            ts_free(symbols);
            return TS_ERR(SYM, CANTDECODE, "symbol table node: cache type of entry %zu", i);
        }
    }
    *out = symbols;
    *n = count;
    return 0;
}

/* log2 of the bytes that a name's length takes: what flag bits 0 and 1 say. */
static unsigned name_width(size_t len)
{
    return len <= UINT8_MAX ? 0 : len <= UINT16_MAX ? 1 : len <= UINT32_MAX ? 2 : 3;
}

int ts_link_encode(const struct ts_link *link, unsigned addr_size, struct ts_wr *w)
{
    size_t len = strlen(link->name);
    unsigned width = name_width(len);
    bool hard = link->type == H5L_TYPE_HARD, ascii = link->cset == H5T_CSET_ASCII;
    if (len == 0 || link->type < 0 || (link->type == H5L_TYPE_SOFT && link->value_size == 0))
        return TS_ERR(LINK, CANTENCODE, "link message: link \"%s\" of type %d has no name, type or value", link->name,
                      (int)link->type);
    ts_wr_u8(w, 1);
    ts_wr_u8(
        w, (uint8_t)(width | (link->corder_valid ? LINK_ORDER : 0) | (hard ? 0 : LINK_TYPE) | (ascii ? 0 : LINK_CSET)));
    if (!hard)
        ts_put_uint(w, (unsigned)link->type, 1);
    if (link->corder_valid)
        ts_wr_u64(w, (uint64_t)link->corder);
    if (!ascii)
        ts_put_uint(w, (unsigned)link->cset, 1);
    ts_put_uint(w, len, 1u << width);
    ts_wr_bytes(w, link->name, len);
    if (hard) {
        ts_put_addr(w, link->addr, addr_size);
    } else {
        ts_put_uint(w, link->value_size, 2);
        ts_wr_bytes(w, link->value, link->value_size);
    }
    return ts_put_end(w);
}

int ts_link_info_encode(const struct ts_link_info *info, unsigned addr_size, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_wr_u8(w, (uint8_t)(info->tracked | info->indexed << 1));
    if (info->tracked)
        ts_wr_u64(w, (uint64_t)info->max_corder);
    ts_put_addr(w, info->heap, addr_size);
    ts_put_addr(w, info->name_index, addr_size);
    if (info->indexed)
        ts_put_addr(w, info->corder_index, addr_size);
    return ts_put_end(w);
}

int ts_group_info_encode(const struct ts_group_info *info, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_wr_u8(w, (uint8_t)(info->has_phase_change | info->has_estimates << 1));
    if (info->has_phase_change) {
        ts_put_uint(w, info->max_compact, 2);
        ts_put_uint(w, info->min_dense, 2);
    }
    if (info->has_estimates) {
        ts_put_uint(w, info->est_entries, 2);
        ts_put_uint(w, info->est_name_len, 2);
    }
    return ts_put_end(w);
}

int ts_symbol_table_encode(const struct ts_symbol_table *t, unsigned addr_size, struct ts_wr *w)
{
    ts_put_addr(w, t->btree, addr_size);
    ts_put_addr(w, t->heap, addr_size);
    return ts_put_end(w);
}

void ts_symbol_encode(const struct ts_symbol *s, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    ts_put_uint(w, s->name_offset, len_size);
    ts_put_addr(w, s->addr, addr_size);
    ts_wr_u32(w, s->cache_type);
    ts_wr_u32(w, 0);
    size_t scratch = w->size;
    if (s->cache_type == TS_SYMBOL_CACHE_GROUP) {
        ts_put_addr(w, s->cached_btree, addr_size);
        ts_put_addr(w, s->cached_heap, addr_size);
    } else if (s->cache_type == TS_SYMBOL_CACHE_SOFT) {
        ts_wr_u32(w, s->value_offset);
    }
    ts_put_fill(w, scratch, 16);
}

int ts_symbol_node_encode(const struct ts_symbol *symbols, size_t n, unsigned leaf_k, unsigned addr_size,
                          unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "SNOD", 4);
    ts_wr_u8(w, 1);
    ts_wr_u8(w, 0);
    ts_put_uint(w, n, 2);
    for (size_t i = 0; i < n; i++)
        ts_symbol_encode(&symbols[i], addr_size, len_size, w);
    ts_put_fill(w, from, ts_symbol_node_size(leaf_k, addr_size, len_size));
    return ts_put_end(w);
}
