#include "format/superblock.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

const uint8_t ts_superblock_signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* The defaults of files that do not store them. */
enum { GROUP_LEAF_K = 4, GROUP_INTERNAL_K = 16, CHUNK_K = 32 };

static bool good_width(unsigned width)
{
    return width == 2 || width == 4 || width == 8;
}

static int check_widths(const struct ts_superblock *sb)
{
    if (!good_width(sb->addr_size) || !good_width(sb->len_size))
        return TS_ERR(FILE, CANTDECODE, "superblock: size of offsets %u, size of lengths %u: not 2, 4 or 8",
                      sb->addr_size, sb->len_size);
    return 0;
}

static int decode_root_entry(struct ts_rd *r, struct ts_superblock *sb)
{
    ts_rd_skip(r, sb->len_size);
    sb->root = ts_rd_addr(r, sb->addr_size);
    uint32_t cache_type = ts_rd_u32(r);
    ts_rd_skip(r, 4);
    sb->root_btree = sb->root_local_heap = HADDR_UNDEF;
    if (cache_type == 1) {
        sb->root_btree = ts_rd_addr(r, sb->addr_size);
        sb->root_local_heap = ts_rd_addr(r, sb->addr_size);
    }
    return cache_type > 2
               ? TS_ERR(FILE, CANTDECODE, "superblock: the root entry caches something of type %u", cache_type)
               : 0;
}

static int decode_old(struct ts_rd *r, struct ts_superblock *sb)
{
    unsigned free_space_version = ts_rd_u8(r);
    unsigned entry_version = ts_rd_u8(r);
    ts_rd_skip(r, 1);
    unsigned shared_version = ts_rd_u8(r);
    if (free_space_version || entry_version || shared_version)
        return TS_ERR(FILE, VERSION,
                      "superblock: versions of free space %u, root entry %u, shared headers %u: each must be 0",
                      free_space_version, entry_version, shared_version);
    sb->addr_size = ts_rd_u8(r);
    sb->len_size = ts_rd_u8(r);
    ts_rd_skip(r, 1);
    if (check_widths(sb) < 0)
        return -1;
    sb->group_leaf_k = ts_rd_u16(r);
    sb->group_internal_k = ts_rd_u16(r);
    sb->flags = ts_rd_u32(r);
    sb->chunk_k = CHUNK_K;
    if (sb->version == 1) {
        sb->chunk_k = ts_rd_u16(r);
        ts_rd_skip(r, 2);
    }
    if (sb->group_leaf_k == 0 || sb->group_internal_k == 0 || sb->chunk_k == 0)
        return TS_ERR(FILE, CANTDECODE, "superblock: B-tree sizes %u, %u, %u: none may be 0", sb->group_leaf_k,
                      sb->group_internal_k, sb->chunk_k);
    sb->base = ts_rd_addr(r, sb->addr_size);
    sb->free_space = ts_rd_addr(r, sb->addr_size);
    sb->end = ts_rd_addr(r, sb->addr_size);
    sb->driver_info = ts_rd_addr(r, sb->addr_size);
    sb->extension = HADDR_UNDEF;
    if (!r->bad && sb->free_space != HADDR_UNDEF)
        return TS_ERR(FILE, CANTDECODE, "superblock: free space at %#llx, which no version of the format has",
                      (unsigned long long)sb->free_space);
    return decode_root_entry(r, sb);
}

static int decode_new(struct ts_rd *r, struct ts_superblock *sb)
{
    sb->addr_size = ts_rd_u8(r);
    sb->len_size = ts_rd_u8(r);
    sb->flags = ts_rd_u8(r);
    if (check_widths(sb) < 0)
        return -1;
    sb->base = ts_rd_addr(r, sb->addr_size);
    sb->extension = ts_rd_addr(r, sb->addr_size);
    sb->end = ts_rd_addr(r, sb->addr_size);
    sb->root = ts_rd_addr(r, sb->addr_size);
    sb->free_space = sb->driver_info = sb->root_btree = sb->root_local_heap = HADDR_UNDEF;
    sb->group_leaf_k = GROUP_LEAF_K;
    sb->group_internal_k = GROUP_INTERNAL_K;
    sb->chunk_k = CHUNK_K;
    if (!ts_rd_checksum(r) && !r->bad)
        return TS_ERR(FILE, CANTDECODE, "superblock: the checksum is wrong");
    return 0;
}

size_t ts_superblock_size(unsigned version, unsigned addr_size, unsigned len_size)
{
    if (version >= 2)
        return 12 + 4 * (size_t)addr_size + 4;
    return 24 + (version == 1 ? 4 : 0) + 4 * (size_t)addr_size + (len_size + (size_t)addr_size + 24);
}

size_t ts_superblock_size_of(const uint8_t *head)
{
    unsigned version = head[8], at = version < 2 ? 13 : 9;
    if (version > 3 || !good_width(head[at]) || !good_width(head[at + 1]))
        return TS_SUPERBLOCK_HEAD;
    return ts_superblock_size(version, head[at], head[at + 1]);
}

int ts_superblock_decode(const uint8_t *buf, size_t size, struct ts_superblock *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    struct ts_superblock sb = {0};
    const uint8_t *signature = ts_rd_bytes(&r, sizeof ts_superblock_signature);
    if (!signature || memcmp(signature, ts_superblock_signature, sizeof ts_superblock_signature) != 0)
        return TS_ERR(FILE, NOTHDF5, "no superblock signature");
    sb.version = ts_rd_u8(&r);
    if (sb.version > 3)
        return TS_ERR(FILE, VERSION, "superblock version %u is not known (0 to 3 are)", sb.version);
    int status = sb.version < 2 ? decode_old(&r, &sb) : decode_new(&r, &sb);
    if (r.bad)
        return TS_ERR(FILE, TRUNCATED, "the file ends inside its superblock of version %u", sb.version);
    if (status < 0)
        return -1;
    *out = sb;
    return 0;
}

static haddr_t end_mark(const struct ts_superblock *sb)
{
    return (haddr_t)1 << (sb->addr_size == 8 ? 62 : 8 * sb->addr_size - 1);
}

haddr_t ts_superblock_mark(const struct ts_superblock *sb, haddr_t eof)
{
    haddr_t marked = sb->end | end_mark(sb);
    return marked == sb->end || marked <= eof || ~marked << (64 - 8 * sb->addr_size) == 0 ? HADDR_UNDEF : marked;
}

bool ts_superblock_unmark(struct ts_superblock *sb, haddr_t eof)
{
    haddr_t end = sb->end & ~end_mark(sb);
    if (sb->end == HADDR_UNDEF || end == sb->end || sb->end <= eof || end > eof)
        return false;
    sb->end = end;
    return true;
}

int ts_driver_info_decode(const uint8_t *buf, size_t size, struct ts_driver_info *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    unsigned version = ts_rd_u8(&r);
    ts_rd_skip(&r, 3);
    size_t info_size = ts_rd_u32(&r);
    const uint8_t *name = ts_rd_bytes(&r, 8);
    const uint8_t *info = ts_rd_bytes(&r, info_size);
    if (r.bad)
        return TS_ERR(FILE, CANTDECODE, "driver information block: %zu bytes of information in a block of %zu",
                      info_size, size);
    if (version != 0)
        return TS_ERR(FILE, VERSION, "driver information block: version %u is not known", version);
    memcpy(out->name, name, 8);
    out->name[8] = '\0';
    out->info = info;
    out->size = info_size;
    return 0;
}

int ts_driver_info_encode(const struct ts_driver_info *info, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_wr_zeros(w, 3);
    ts_put_uint(w, info->size, 4);
    ts_put_text(w, info->name, 8);
    ts_wr_bytes(w, info->info, info->size);
    return ts_put_end(w);
}

static void encode_root_entry(const struct ts_superblock *sb, struct ts_wr *w)
{
    bool cached = sb->root_btree != HADDR_UNDEF;
    ts_put_uint(w, 0, sb->len_size); /* the root has no name */
    ts_put_addr(w, sb->root, sb->addr_size);
    ts_wr_u32(w, cached);
    ts_wr_u32(w, 0);
    size_t scratch = w->size;
    if (cached) {
        ts_put_addr(w, sb->root_btree, sb->addr_size);
        ts_put_addr(w, sb->root_local_heap, sb->addr_size);
    }
    ts_put_fill(w, scratch, 16);
}

static void encode_old(const struct ts_superblock *sb, struct ts_wr *w)
{
    ts_wr_zeros(w, 4);
    ts_wr_u8(w, (uint8_t)sb->addr_size);
    ts_wr_u8(w, (uint8_t)sb->len_size);
    ts_wr_u8(w, 0);
    ts_put_uint(w, sb->group_leaf_k, 2);
    ts_put_uint(w, sb->group_internal_k, 2);
    ts_wr_u32(w, sb->flags);
    if (sb->version == 1) {
        ts_put_uint(w, sb->chunk_k, 2);
        ts_wr_u16(w, 0);
    }
    ts_put_addr(w, sb->base, sb->addr_size);
    ts_put_addr(w, HADDR_UNDEF, sb->addr_size);
    ts_put_addr(w, sb->end, sb->addr_size);
    ts_put_addr(w, sb->driver_info, sb->addr_size);
    encode_root_entry(sb, w);
}

static void encode_new(const struct ts_superblock *sb, size_t from, struct ts_wr *w)
{
    ts_wr_u8(w, (uint8_t)sb->addr_size);
    ts_wr_u8(w, (uint8_t)sb->len_size);
    ts_put_uint(w, sb->flags, 1);
    ts_put_addr(w, sb->base, sb->addr_size);
    ts_put_addr(w, sb->extension, sb->addr_size);
    ts_put_addr(w, sb->end, sb->addr_size);
    ts_put_addr(w, sb->root, sb->addr_size);
    ts_wr_checksum(w, from);
}

int ts_superblock_encode(const struct ts_superblock *sb, struct ts_wr *w)
{
    size_t from = w->size;
    if (sb->version > 3)
        return TS_ERR(FILE, VERSION, "superblock version %u is not known (0 to 3 are)", sb->version);
    if (check_widths(sb) < 0)
        return -1;
    if (sb->version == 0 && sb->chunk_k != CHUNK_K)
        return TS_ERR(FILE, CANTENCODE, "superblock: version 0 cannot say that chunk B-trees have k %u", sb->chunk_k);
    if (sb->version < 2 && sb->extension != HADDR_UNDEF)
        return TS_ERR(FILE, CANTENCODE, "superblock: version %u has no extension", sb->version);
    ts_wr_bytes(w, ts_superblock_signature, sizeof ts_superblock_signature);
    ts_wr_u8(w, (uint8_t)sb->version);
    if (sb->version < 2)
        encode_old(sb, w);
    else
        encode_new(sb, from, w);
    return ts_put_end(w);
}
