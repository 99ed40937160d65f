/* Encoders by themselves: known bytes of versions and widths that libhdf5 does not write today, what must be refused,
 * and memory that runs out at every allocation. */
#include "unit/cmocka_all.h"

#include "base/checksum.h"
#include "base/error.h"
#include "unit/format/recode.h"

struct sample {
    const char *what;
    recode_fn *recode;
    struct site site;
    const uint8_t *p;
    size_t n;
};
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define TEXT(s) (const uint8_t *)(s), sizeof(s) - 1

/* Without checksums: what is decoded from these bytes is encoded as these bytes. */
static const struct sample samples[] = {
    {"superblock v0, O 4, L 2",
     recode_superblock,
     {4, 2, NULL},
     TEXT("\x89HDF\r\n\x1a\n\0\0\0\0\0\4\2\0\4\0\x10\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\0\x10\0\0\xff\xff\xff\xff"
          "\0\0\x60\0\0\0\1\0\0\0\0\0\0\0\x88\0\0\0\xa8\2\0\0\0\0\0\0\0\0\0\0")},
    {"superblock v1, O 2, L 8",
     recode_superblock,
     {2, 8, NULL},
     TEXT("\x89HDF\r\n\x1a\n\1\0\0\0\0\2\x08\0\4\0\x10\0\2\0\0\0\x2a\0\0\0\0\0\xff\xff\0\x10\x50\0"
          "\0\0\0\0\0\0\0\0\x60\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")},
    {"driver info", recode_driver_info, {8, 8, NULL}, TEXT("\0\0\0\0\3\0\0\0NCSAmultabc")},
    {"old fill value", recode_fill_old, {8, 8, NULL}, BYTES(2, 0, 0, 0, 7, 8)},
    {"old fill value, none", recode_fill_old, {8, 8, NULL}, BYTES(0, 0, 0, 0)},
    {"fill v1", recode_fill, {8, 8, NULL}, BYTES(1, 2, 1, 1, 3, 0, 0, 0, 7, 8, 9)},
    {"fill v1, default", recode_fill, {8, 8, NULL}, BYTES(1, 2, 1, 1, 0, 0, 0, 0)},
    {"fill v1, undefined", recode_fill, {8, 8, NULL}, BYTES(1, 2, 1, 0, 0, 0, 0, 0)},
    {"fill v2", recode_fill, {8, 8, NULL}, BYTES(2, 1, 0, 1, 1, 0, 0, 0, 7)},
    {"fill v2, default", recode_fill, {8, 8, NULL}, BYTES(2, 1, 0, 1, 0, 0, 0, 0)},
    {"fill v2, undefined", recode_fill, {8, 8, NULL}, BYTES(2, 1, 0, 0)},
    {"fill v3", recode_fill, {8, 8, NULL}, BYTES(3, 0x29, 4, 0, 0, 0, 1, 2, 3, 4)},
    {"fill v3, undefined", recode_fill, {8, 8, NULL}, BYTES(3, 0x17)},
    {"layout v3 compact", recode_layout, {8, 8, NULL}, BYTES(3, 0, 3, 0, 1, 2, 3)},
    {"layout v3 compact, empty", recode_layout, {8, 8, NULL}, BYTES(3, 0, 0, 0)},
    {"layout v3 contiguous", recode_layout, {4, 8, NULL}, BYTES(3, 1, 0xff, 0xff, 0xff, 0xff, 9, 0, 0, 0, 0, 0, 0, 0)},
    {"layout v3 chunked", recode_layout, {4, 4, NULL}, BYTES(3, 2, 3, 1, 2, 3, 4, 5, 0, 0, 0, 6, 0, 0, 0, 8, 0, 0, 0)},
    {"layout v4 contiguous", recode_layout, {2, 2, NULL}, BYTES(4, 1, 1, 2, 3, 4)},
    {"layout v4 single", recode_layout, {2, 2, NULL}, BYTES(4, 2, 1, 2, 1, 5, 4, 1, 7, 9)},
    {"layout v4 single filtered",
     recode_layout,
     {2, 4, NULL},
     BYTES(4, 2, 2, 2, 2, 0, 1, 4, 0, 1, 100, 0, 0, 0, 1, 0, 0, 0, 7, 9)},
    {"layout v4 implicit", recode_layout, {2, 2, NULL}, BYTES(4, 2, 0, 2, 1, 5, 4, 2, 7, 9)},
    {"layout v4 fixed array", recode_layout, {2, 2, NULL}, BYTES(4, 2, 0, 2, 3, 5, 0, 1, 4, 0, 0, 3, 10, 7, 9)},
    {"layout v4 extensible array", recode_layout, {2, 2, NULL}, BYTES(4, 2, 0, 2, 1, 5, 4, 4, 32, 4, 2, 16, 10, 7, 9)},
    {"layout v4 B-tree", recode_layout, {2, 2, NULL}, BYTES(4, 2, 0, 2, 1, 5, 4, 5, 0, 8, 0, 0, 100, 40, 7, 9)},
    {"layout v5 contiguous", recode_layout, {2, 2, NULL}, BYTES(5, 1, 1, 2, 3, 4)},
    {"layout v5 structured, fixed array",
     recode_layout,
     {2, 2, NULL},
     BYTES(5, 4, 0, 1, 0, 1, 3, 1, 5, 6, 4, 8, 2, 1, 0, 3, 10, 7, 9)},
    {"layout v5 structured, extensible array",
     recode_layout,
     {2, 2, NULL},
     BYTES(5, 4, 0, 2, 0, 0, 2, 2, 0, 1, 16, 0, 8, 2, 2, 0, 1, 4, 32, 4, 4, 16, 10, 7, 9)},
    {"layout v5 structured, B-tree",
     recode_layout,
     {2, 2, NULL},
     BYTES(5, 4, 0, 3, 0, 0, 3, 1, 5, 6, 16, 8, 3, 3, 0, 1, 2, 5, 0, 8, 0, 0, 100, 40, 7, 9)},
    {"layout v5 structured, single",
     recode_layout,
     {2, 2, NULL},
     BYTES(5, 4, 0, 1, 0, 0, 3, 1, 10, 10, 4, 8, 2, 1, 0, 1, 9, 1, 0, 100, 0, 0, 0, 0, 0, 0, 0, 7, 9)},
    {"layout v5 structured, single filtered with a heap",
     recode_layout,
     {2, 2, NULL},
     BYTES(5, 4, 0, 2, 0, 2, 2, 1, 10, 16, 8, 2, 2, 0, 1, 1, 90, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 0, 164, 0,
           0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 9)},
    {"layout v5 structured, single, not there",
     recode_layout,
     {2, 2, NULL},
     BYTES(5, 4, 0, 1, 0, 0, 2, 1, 10, 4, 8, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)},
    {"pipeline v3",
     recode_pipeline_sections,
     {8, 8, NULL},
     BYTES(3, 2, 0, 1, 10, 0, 1, 0, 0, 0, 1, 0, 9, 0, 0, 0, 1, 2, 21, 0, 2, 0, 1, 0, 1, 0, 8, 0, 0, 0, 0, 1, 3, 0, 0, 0,
           0, 0, 'a', 'b', 0)},
    {"pipeline v3, none", recode_pipeline_sections, {8, 8, NULL}, BYTES(3, 0)},
    {"layout v4 virtual", recode_layout, {2, 2, NULL}, BYTES(4, 3, 7, 9, 2, 0, 0, 0)},
    {"pipeline v1",
     recode_pipeline,
     {8, 8, NULL},
     TEXT("\1\2\0\0\0\0\0\0\1\0\x08\0\1\0\1\0deflate\0\6\0\0\0\0\0\0\0\0\1\0\0\0\0\2\0\5\0\0\0\6\0\0\0")},
    {"pipeline v2",
     recode_pipeline,
     {8, 8, NULL},
     TEXT("\2\3\1\0\1\0\1\0\6\0\0\0\0\1\3\0\0\0\1\0ab\0\x09\0\0\0\2\1\0\0\0\0\0\0")},
    {"link, hard", recode_link, {4, 8, NULL}, BYTES(1, 0, 2, 'a', 'b', 1, 2, 3, 4)},
    {"link, soft, all fields",
     recode_link,
     {4, 8, NULL},
     BYTES(1, 0x1c, 1, 7, 0, 0, 0, 0, 0, 0, 0, 1, 2, 'a', 'b', 3, 0, '/', 'x', 'y')},
    {"link, of a user", recode_link, {4, 8, NULL}, BYTES(1, 8, 200, 1, 'a', 0, 0)},
    {"link info", recode_link_info, {2, 8, NULL}, BYTES(0, 3, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0)},
    {"link info, none", recode_link_info, {2, 8, NULL}, BYTES(0, 0, 0xff, 0xff, 0xff, 0xff)},
    {"group info", recode_group_info, {8, 8, NULL}, BYTES(0, 3, 9, 0, 5, 0, 100, 0, 20, 0)},
    {"group info, none", recode_group_info, {8, 8, NULL}, BYTES(0, 0)},
    {"attribute v1",
     recode_attr,
     {8, 8, NULL},
     TEXT("\1\0\2\0\x0c\0\x08\0a\0\0\0\0\0\0\0\x10\0\0\0\2\0\0\0\0\0\x10\0\0\0\0\0\1\0\0\0\0\0\0\0\5\6")},
    {"attribute v2, shared type", recode_attr, {4, 8, NULL}, TEXT("\2\1\2\0\6\0\4\0a\0\2\2\1\2\3\4\2\0\0\0\5\6")},
    {"attribute v3",
     recode_attr,
     {4, 8, NULL},
     TEXT("\3\2\2\0\x0c\0\x0a\0\1a\0\x10\0\0\0\2\0\0\0\0\0\x10\0\3\1hhhhhhhh\5")},
    {"attribute info", recode_attr_info, {2, 8, NULL}, BYTES(0, 3, 5, 0, 1, 0, 2, 0, 3, 0)},
    {"comment", recode_comment, {8, 8, NULL}, TEXT("text\0")},
    {"old time", recode_mtime_old, {8, 8, NULL}, TEXT("20240229123456\0\0")},
    {"old time, early", recode_mtime_old, {8, 8, NULL}, TEXT("00990101000000\0\0")},
    {"time", recode_mtime, {8, 8, NULL}, BYTES(1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)},
    {"external files",
     recode_efl,
     {2, 2, NULL},
     BYTES(1, 0, 0, 0, 2, 0, 1, 0, 9, 0, 8, 0, 4, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0)},
    {"driver message", recode_driver_msg, {8, 8, NULL}, TEXT("\0NCSAfami\2\0ab")},
    {"driver message, short name", recode_driver_msg, {8, 8, NULL}, TEXT("\0ABC\0\0\0\0\0\0\0")},
    {"continuation", recode_continuation, {2, 4, NULL}, BYTES(1, 2, 3, 4, 5, 6)},
    {"shared v1", recode_shared, {4, 2, NULL}, BYTES(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4)},
    {"shared v2", recode_shared, {4, 2, NULL}, BYTES(2, 2, 1, 2, 3, 4)},
    {"shared v3, committed", recode_shared, {4, 2, NULL}, BYTES(3, 2, 1, 2, 3, 4)},
    {"shared v3, in the heap", recode_shared, {4, 2, NULL}, BYTES(3, 1, 1, 2, 3, 4, 5, 6, 7, 8)},
    {"file space v0, all, kept",
     recode_file_space,
     {2, 2, NULL},
     BYTES(0, 1, 5, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0xff, 0xff)},
    {"file space v0, all", recode_file_space, {2, 2, NULL}, BYTES(0, 2, 5, 0)},
    {"file space v0, aggregators", recode_file_space, {2, 2, NULL}, BYTES(0, 3, 1, 0)},
    {"file space v0, none", recode_file_space, {2, 2, NULL}, BYTES(0, 4, 1, 0)},
    {"file space v1", recode_file_space, {2, 2, NULL}, BYTES(1, 1, 0, 5, 0, 0, 2, 9, 0, 0xff, 0xff)},
    {"cache image", recode_cache_image, {2, 4, NULL}, BYTES(0, 1, 2, 3, 4, 5, 6)},
    {"shared message record, heap",
     recode_sohm_record,
     {4, 4, NULL},
     BYTES(0, 1, 2, 3, 4, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)},
    {"shared message record, header",
     recode_sohm_record,
     {4, 4, NULL},
     BYTES(1, 1, 2, 3, 4, 0, 3, 5, 0, 9, 0, 0, 0, 0, 0, 0, 0)},
    {"local heap", recode_lheap, {2, 4, NULL}, TEXT("HEAP\0\0\0\0\x58\0\0\0\1\0\0\0\x20\3")},
    {"global heap, L 4",
     recode_gheap,
     {4, 4, NULL},
     TEXT("GCOL\1\0\0\0\x40\0\0\0\0\0\0\0\1\0\3\0\0\0\0\0\2\0\0\0\0\0\0\0ab\0\0\0\0\0\0"
          "\0\0\0\0\0\0\0\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")},
    {"global heap, no room for a header",
     recode_gheap,
     {8, 8, NULL},
     TEXT("GCOL\1\0\0\0\x30\0\0\0\0\0\0\0\1\0\3\0\0\0\0\0\x08\0\0\0\0\0\0\0abcdefgh\0\0\0\0\0\0\0\0")},
};

static void test_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *s = &samples[i];
        struct ts_wr w = {0};
        if (s->recode(&s->site, s->p, s->n, &w) < 0)
            fail_msg("%s: %s", s->what, ts_err_current()->depth ? ts_err_current()->rec[0].text : "");
        if (w.size != s->n || memcmp(w.data, s->p, s->n) != 0) {
            size_t at = 0;
            while (at < w.size && at < s->n && w.data[at] == s->p[at])
                at++;
            fail_msg("%s: %zu bytes, not %zu; other from %zu on", s->what, w.size, s->n, at);
        }
        ts_wr_free(&w);
    }
}

/* Encoders append: what is in the buffer before, and with it the place of checksums, must not matter. */
static void test_append(void **state)
{
    (void)state;
    struct ts_btree2_header h = {.type = 5, .node_size = 512, .record_size = 11, .root = HADDR_UNDEF};
    struct ts_fheap_header fh = {.id_size = 7,
                                 .width = 4,
                                 .start_block = 512,
                                 .max_direct = 65536,
                                 .heap_bits = 32,
                                 .max_managed = 4096,
                                 .addr_size = 8,
                                 .len_size = 8};
    assert_int_equal(ts_fheap_header_derive(&fh), 0);
    struct ts_wr alone = {0}, behind = {0};
    ts_wr_bytes(&behind, "abc", 3);
    assert_int_equal(ts_btree2_header_encode(&h, 8, 8, &alone), 0);
    assert_int_equal(ts_fheap_header_encode(&fh, &alone), 0);
    assert_int_equal(ts_btree2_header_encode(&h, 8, 8, &behind), 0);
    assert_int_equal(ts_fheap_header_encode(&fh, &behind), 0);
    assert_int_equal(alone.size, ts_btree2_header_size(8, 8) + ts_fheap_header_min_size(8, 8));
    assert_int_equal(behind.size, alone.size + 3);
    assert_memory_equal(behind.data + 3, alone.data, alone.size);
    ts_wr_free(&alone);
    ts_wr_free(&behind);
}

static struct ts_superblock a_superblock(unsigned version, unsigned O, unsigned L)
{
    struct ts_superblock sb = {.version = version,
                               .addr_size = O,
                               .len_size = L,
                               .flags = 1,
                               .group_leaf_k = 4,
                               .group_internal_k = 16,
                               .chunk_k = 32,
                               .base = 0,
                               .end = 5000,
                               .root = 96};
    sb.driver_info = sb.extension = sb.free_space = sb.root_btree = sb.root_local_heap = HADDR_UNDEF;
    if (version < 2)
        sb.root_btree = 136, sb.root_local_heap = 680;
    else
        sb.extension = 777;
    return sb;
}

static void test_superblocks(void **state)
{
    (void)state;
    static const unsigned widths[] = {2, 4, 8};
    for (unsigned i = 0; i < 4 * 3 * 3; i++) {
        unsigned version = i / 9, O = widths[i / 3 % 3], L = widths[i % 3];
        struct ts_superblock sb = a_superblock(version, O, L), got;
        struct ts_wr w = {0};
        assert_int_equal(ts_superblock_encode(&sb, &w), 0);
        assert_int_equal(w.size, ts_superblock_size(version, O, L));
        assert_int_equal(ts_superblock_decode(w.data, w.size, &got), 0);
        assert_memory_equal(&sb, &got, sizeof sb);
        ts_wr_free(&w);
    }
}

static void refuse_superblock(struct ts_superblock sb)
{
    struct ts_wr w = {0};
    assert_int_equal(ts_superblock_encode(&sb, &w), -1);
    assert_true(ts_err_current()->depth > 0);
    ts_err_clear();
    ts_wr_free(&w);
}

static void test_superblocks_refused(void **state)
{
    (void)state;
    struct ts_superblock sb = a_superblock(0, 8, 8);
    sb.chunk_k = 33;
    refuse_superblock(sb);
    sb = a_superblock(1, 8, 8);
    sb.group_leaf_k = 70000;
    refuse_superblock(sb);
    sb = a_superblock(1, 8, 8);
    sb.extension = 9;
    refuse_superblock(sb);
    sb = a_superblock(2, 4, 8);
    sb.end = UINT64_C(1) << 32;
    refuse_superblock(sb);
    sb.end = UINT32_MAX; /* would read as undefined */
    refuse_superblock(sb);
    sb = a_superblock(3, 8, 8);
    sb.flags = 256;
    refuse_superblock(sb);
    sb = a_superblock(3, 3, 8);
    refuse_superblock(sb);
    sb = a_superblock(3, 8, 8);
    sb.version = 4;
    refuse_superblock(sb);
}

/* Every flag of the prefix, every room behind one message; the block is read back. */
static void check_block(unsigned version, uint8_t flags, uint64_t room)
{
    static const uint8_t body[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct ts_ohdr_prefix p = {.version = version, .flags = flags, .ref_count = 1}, got;
    p.stored_messages = version == 1 ? 2 : 0;
    if (flags & 0x20)
        p.atime = 1, p.mtime = 2, p.ctime = 3, p.btime = 4;
    p.max_compact = version == 2 ? 8 : 0;
    p.min_dense = version == 2 ? 6 : 0;
    unsigned head = ts_ohdr_msg_header_size(version, flags);
    p.block_size = head + sizeof body + room;
    p.prefix_size = ts_ohdr_prefix_size(version, flags);
    struct ts_raw_msg msg = {
        .type = TS_MSG_COMMENT, .flags = 4, .creation_index = flags & 4 ? 7 : 0, .body = body, .size = sizeof body};
    for (unsigned first = 0; first < 2; first++) {
        struct ts_ohdr_block block = {.prefix = &p, .first = first, .size = p.block_size, .msgs = &msg, .n = 1};
        struct ts_wr w = {0};
        assert_int_equal(ts_ohdr_block_encode(&block, &w), 0);
        size_t overhead = ts_ohdr_block_overhead(&p, first), tail = version == 2 ? 4 : 0;
        assert_int_equal(w.size, overhead + p.block_size);
        if (first) {
            assert_int_equal(ts_ohdr_prefix_decode(w.data, w.size, &got), 0);
            assert_memory_equal(&p, &got, sizeof p);
        }
        struct ts_rd all = ts_rd_init(w.data, w.size), r = ts_rd_init(w.data + overhead - tail, (size_t)p.block_size);
        ts_rd_skip(&all, w.size - 4);
        assert_true(version == 1 || ts_rd_checksum(&all));
        struct ts_raw_msg m;
        assert_int_equal(ts_ohdr_next_msg(&r, version, flags, &m), 1);
        assert_int_equal(m.type, TS_MSG_COMMENT);
        assert_int_equal(m.creation_index, msg.creation_index);
        assert_int_equal(m.size, sizeof body);
        assert_memory_equal(m.body, body, sizeof body);
        while (ts_ohdr_next_msg(&r, version, flags, &m) > 0)
            assert_int_equal(m.type, TS_MSG_NIL);
        assert_true(ts_rd_left(&r) < head && !r.bad && (version == 2 || ts_rd_left(&r) == 0));
        ts_wr_free(&w);
    }
}

static void test_blocks(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags < 0x40; flags++)
        for (uint64_t room = 0; room < 20; room++)
            check_block(2, (uint8_t)flags, room);
    for (uint64_t room = 0; room < 64; room += 8)
        check_block(1, 0, room);
    check_block(2, 2, 200001); /* more than one NIL message can fill */
    check_block(1, 0, 200000);
}

static void test_messages_padded(void **state)
{
    (void)state;
    struct ts_wr w = {0};
    struct ts_raw_msg msg = {.type = TS_MSG_REF_COUNT, .body = (const uint8_t *)"abcde", .size = 5};
    assert_int_equal(ts_ohdr_msg_encode(&msg, 1, 0, &w), 0);
    assert_int_equal(w.size, 16);
    assert_memory_equal(w.data, "\x16\0\x08\0\0\0\0\0abcde\0\0\0", 16);
    ts_wr_free(&w);
}

static void test_blocks_refused(void **state)
{
    (void)state;
    struct ts_ohdr_prefix p = {.version = 1, .block_size = 12, .prefix_size = 16};
    struct ts_raw_msg msg = {.type = TS_MSG_COMMENT, .size = 16};
    struct ts_ohdr_block block = {.prefix = &p, .first = true, .size = 12};
    struct ts_wr w = {0};
    assert_int_equal(ts_ohdr_block_encode(&block, &w), -1); /* 4 bytes behind a NIL message in version 1 */
    block.size = 24;
    assert_int_equal(ts_ohdr_block_encode(&block, &w), -1); /* not what the prefix says */
    block = (struct ts_ohdr_block){.prefix = &p, .size = 16, .msgs = &msg, .n = 1};
    assert_int_equal(ts_ohdr_block_encode(&block, &w), -1); /* a message that is too long */
    p = (struct ts_ohdr_prefix){.version = 2, .block_size = 256};
    block = (struct ts_ohdr_block){.prefix = &p, .first = true, .size = 256};
    assert_int_equal(ts_ohdr_block_encode(&block, &w), -1); /* flags leave one byte for the size */
    ts_wr_free(&w);
    msg = (struct ts_raw_msg){.type = 256, .size = 0};
    assert_int_equal(ts_ohdr_msg_encode(&msg, 2, 0, &w), -1);
    ts_wr_free(&w);
    msg = (struct ts_raw_msg){.size = UINT16_MAX - 3};
    assert_int_equal(ts_ohdr_msg_encode(&msg, 1, 0, &w), -1); /* fits only before it is padded */
    ts_wr_free(&w);
    ts_err_clear();
}

#define REFUSED(call)                                                                                                  \
    do {                                                                                                               \
        struct ts_wr sink = {0};                                                                                       \
        assert_int_equal(call, -1);                                                                                    \
        assert_true(ts_err_current()->depth > 0);                                                                      \
        ts_err_clear();                                                                                                \
        ts_wr_free(&sink);                                                                                             \
    } while (0)

static void test_messages_refused(void **state)
{
    (void)state;
    struct ts_layout layout = {.version = 2, .cls = H5D_CONTIGUOUS};
    REFUSED(ts_layout_encode(&layout, 8, 8, &sink));
    layout = (struct ts_layout){.version = 3, .cls = H5D_VIRTUAL};
    REFUSED(ts_layout_encode(&layout, 8, 8, &sink));
    layout = (struct ts_layout){.version = 3, .cls = H5D_COMPACT, .compact.size = 65536};
    REFUSED(ts_layout_encode(&layout, 8, 8, &sink));
    layout = (struct ts_layout){.version = 3, .cls = H5D_CHUNKED, .chunk = {.rank = 1, .dims = {UINT64_C(1) << 32}}};
    REFUSED(ts_layout_encode(&layout, 8, 8, &sink));
    layout.chunk.index = TS_CHUNK_INDEX_SINGLE;
    REFUSED(ts_layout_encode(&layout, 8, 8, &sink));
    layout.version = 4;
    layout.chunk.index = TS_CHUNK_INDEX_BTREE1;
    REFUSED(ts_layout_encode(&layout, 8, 8, &sink));
    layout = (struct ts_layout){.version = 5, .cls = H5D_STRUCT_CHUNK, .addr = 5};
    layout.chunk.rank = 1;
    layout.chunk.dims[0] = 10;
    layout.chunk.element_size = 4;
    layout.chunk.struct_type = TS_STRUCT_SPARSE;
    layout.chunk.index = TS_CHUNK_INDEX_SINGLE;
    layout.chunk.u.single.filtered_size = 9;
    layout.chunk.u.single.sections = (struct ts_chunk_sections){.n = 2, .offset = {0, 5}, .size = {5, 4}};
    struct ts_layout good = layout;
    struct ts_wr w = {0};
    assert_int_equal(ts_layout_encode(&good, 8, 8, &w), 0);
    ts_wr_free(&w);
#define BAD(...)                                                                                                       \
    do {                                                                                                               \
        layout = good;                                                                                                 \
        __VA_ARGS__;                                                                                                   \
        REFUSED(ts_layout_encode(&layout, 8, 8, &sink));                                                               \
    } while (0)
    BAD(layout.version = 4);
    BAD(layout.version = 6);
    BAD(layout.chunk.struct_type = 0);
    BAD(layout.chunk.struct_type = 4);
    BAD(layout.chunk.struct_type = 3);
    BAD(layout.chunk.rank = 0);
    BAD(layout.chunk.dims[0] = UINT64_C(1) << 32);
    BAD(layout.chunk.index = TS_CHUNK_INDEX_IMPLICIT);
    BAD(layout.chunk.index = TS_CHUNK_INDEX_BTREE1);
    BAD(layout.chunk.u.single.filtered_size = 1 << 16);
    BAD(layout.chunk.u.single.sections.offset[1] = 10);
    BAD(layout.chunk.u.single.sections.offset[0] = 1);
    BAD(layout.chunk.u.single.sections.size[0] = 6);
    BAD(layout.chunk.u.single.sections.mask[1] = 1);
    BAD(layout.chunk.u.single.sections.n = 3);
    BAD(layout.chunk.flags = TS_CHUNK_SINGLE_FILTERED, layout.chunk.index = TS_CHUNK_INDEX_FIXED_ARRAY);
    BAD(layout.chunk.flags = TS_CHUNK_SINGLE_FILTERED, layout.chunk.u.single.sections.size[1] = 0);
#undef BAD
    struct ts_attr_msg attr = {.version = 2, .cset = H5T_CSET_UTF8, .name = "a", .name_len = 1};
    REFUSED(ts_attr_msg_encode(&attr, &sink));
    attr = (struct ts_attr_msg){.version = 1, .type_shared = true, .name = "a", .name_len = 1};
    REFUSED(ts_attr_msg_encode(&attr, &sink));
    attr = (struct ts_attr_msg){.version = 3, .name = "a", .name_len = 1, .type_size = 65536};
    REFUSED(ts_attr_msg_encode(&attr, &sink));
    struct ts_file_space fs = {.version = 0, .strategy = H5F_FSPACE_STRATEGY_PAGE};
    REFUSED(ts_file_space_encode(&fs, 8, 8, &sink));
    struct ts_shared_ref ref = {.version = 2, .in_heap = true};
    REFUSED(ts_shared_ref_encode(&ref, 8, 8, &sink));
    struct ts_link link = {.name = (char[]){""}, .addr = 5};
    REFUSED(ts_link_encode(&link, 8, &sink));
    link = (struct ts_link){.name = (char[]){"a"}, .type = H5L_TYPE_EXTERNAL, .value_size = 65536};
    REFUSED(ts_link_encode(&link, 8, &sink));
    struct ts_fill_msg fill = {.version = 3, .fill_time = (H5D_fill_time_t)3};
    REFUSED(ts_fill_encode(&fill, &sink));
    REFUSED(ts_mtime_encode((time_t)UINT32_MAX + 1, &sink));
    REFUSED(ts_mtime_encode(-1, &sink));
    REFUSED(ts_mtime_encode_old((time_t)300000000000, &sink));
    struct ts_efl_msg efl = {.n = 1, .allocated = 0};
    REFUSED(ts_efl_encode(&efl, 8, 8, &sink));
    struct ts_symbol symbols[3] = {{0}};
    REFUSED(ts_symbol_node_encode(symbols, 3, 1, 8, 8, &sink));
}

/* Sets the version behind a signature, and the checksum of the first n bytes. */
static void set_version(struct ts_wr *w, size_t n, uint8_t version)
{
    w->data[4] = version;
    w->size = n - 4;
    ts_wr_checksum(w, 0);
}

/* Version 1 of the indexes reads as version 0 does, there is no version 2, and written is version 0. */
static void test_index_versions(void **state)
{
    (void)state;
    for (uint8_t version = 0; version < 3; version++) {
        int want = version < 2 ? 0 : -1;
        struct ts_wr w = {0};
        struct ts_farray_header fa = {.client = 3, .element_size = 42, .count = 2, .page_elements = 1024, .data = 9},
                                fa2;
        ts_farray_header_derive(&fa);
        assert_int_equal(ts_farray_header_encode(&fa, 8, 8, &w), 0);
        assert_int_equal(w.data[4], 0);
        set_version(&w, w.size, version);
        assert_int_equal(ts_farray_header_decode(w.data, w.size, 8, 8, &fa2), want);
        ts_wr_free(&w);
        uint8_t elements[84] = {0};
        assert_int_equal(ts_farray_block_encode(&fa, 77, 8, elements, &w), 0);
        set_version(&w, w.size, version);
        assert_int_equal(ts_farray_block_check(&fa, 77, 8, w.data, w.size), want);
        ts_wr_free(&w);
        struct ts_earray_header ea = {.client = 2,
                                      .element_size = 18,
                                      .max_bits = 32,
                                      .index_elements = 4,
                                      .min_elements = 16,
                                      .min_pointers = 4,
                                      .page_bits = 10,
                                      .addr_size = 8,
                                      .index_block = HADDR_UNDEF},
                                ea2;
        assert_int_equal(ts_earray_header_derive(&ea), 0);
        assert_int_equal(ts_earray_header_encode(&ea, 8, &w), 0);
        set_version(&w, w.size, version);
        assert_int_equal(ts_earray_header_decode(w.data, w.size, 8, 8, &ea2), want);
        ts_wr_free(&w);
        struct ts_earray_place place = {.header = 77};
        uint8_t content[1024] = {0};
        uint64_t size;
        assert_true(ts_earray_block_size(&ea, TS_EARRAY_INDEX, NULL, &size));
        size_t inside = (size_t)size - ts_earray_block_prefix(&ea, TS_EARRAY_INDEX) - 4;
        assert_true(inside <= sizeof content);
        assert_int_equal(ts_earray_block_encode(&ea, TS_EARRAY_INDEX, &place, content, inside, &w), 0);
        set_version(&w, w.size, version);
        assert_int_equal(ts_earray_block_check(&ea, TS_EARRAY_INDEX, &place, w.data, w.size), want);
        ts_wr_free(&w);
        struct ts_btree2_shape b2 = {.header = {.type = TS_BTREE2_STRUCT_CHUNK,
                                                .node_size = 512,
                                                .record_size = 34,
                                                .split_percent = 100,
                                                .merge_percent = 40,
                                                .root = HADDR_UNDEF},
                                     .addr_size = 8},
                               b3;
        assert_int_equal(ts_btree2_header_encode(&b2.header, 8, 8, &w), 0);
        set_version(&w, w.size, version);
        assert_int_equal(ts_btree2_header_decode(w.data, w.size, 8, 8, &b3), want);
        ts_wr_free(&w);
        assert_int_equal(ts_btree2_shape_derive(&b2), 0);
        assert_int_equal(ts_btree2_node_encode(&b2, 0, 2, content, NULL, &w), 0);
        set_version(&w, ts_btree2_node_size(&b2, 0, 2), version);
        struct ts_btree2_child self = {.records = 2, .total = 2};
        assert_int_equal(ts_btree2_node_decode(&b2, 0, &self, w.data, NULL), want);
        ts_wr_free(&w);
        ts_err_clear();
    }
}

static void test_long_names(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 255, 256, 65535, 65536};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *name = calloc(lengths[i] + 1, 1);
        memset(name, 'n', lengths[i]);
        struct ts_link link = {.name = name, .addr = 5}, got;
        struct ts_wr w = {0};
        assert_int_equal(ts_link_encode(&link, 8, &w), 0);
        assert_int_equal(w.data[1], i < 2 ? 0 : i < 4 ? 1 : 2);
        assert_int_equal(ts_link_decode(w.data, w.size, 8, &got), 0);
        assert_string_equal(got.name, name);
        assert_int_equal(got.addr, 5);
        ts_link_deinit(&got);
        ts_wr_free(&w);
        free(name);
    }
}

static struct ts_fheap_header a_heap(unsigned id_size, unsigned filter_size)
{
    struct ts_fheap_header h = {.id_size = id_size,
                                .filter_size = filter_size,
                                .flags = TS_FHEAP_CHECKSUM,
                                .width = 4,
                                .start_block = 512,
                                .max_direct = 4096,
                                .heap_bits = 40,
                                .max_managed = 2000,
                                .addr_size = 4,
                                .len_size = 2};
    h.huge_btree = h.free_space = h.root = HADDR_UNDEF;
    assert_int_equal(ts_fheap_header_derive(&h), 0);
    return h;
}

static void check_id(const struct ts_fheap_header *h, const uint8_t *id)
{
    struct site s = {4, 2, h};
    struct ts_wr w = {0};
    assert_int_equal(recode_fheap_id(&s, id, h->id_size, &w), 0);
    assert_int_equal(w.size, h->id_size);
    assert_memory_equal(w.data, id, h->id_size);
    ts_wr_free(&w);
}

static void test_heap_ids(void **state)
{
    (void)state;
    struct ts_fheap_header small = a_heap(8, 0), wide = a_heap(20, 0), narrow = a_heap(5, 0), filtered = a_heap(20, 9);
    check_id(&small, (const uint8_t *)"\x00\1\2\3\4\5\x07\x06"); /* managed */
    check_id(&small, (const uint8_t *)"\x10\1\2\3\4\5\6\0");     /* huge: address and length fit */
    check_id(&narrow, (const uint8_t *)"\x10\1\2\0\0");          /* huge: a key */
    check_id(&filtered, (const uint8_t *)"\x10\1\2\3\4\5\6\1\0\0\0\7\x08\0\0\0\0\0\0"); /* with mask and size */
    check_id(&small, (const uint8_t *)"\x22xyz\0\0\0\0");                               /* tiny */
    check_id(&wide, (const uint8_t *)"\x20\x11xxxxxxxxxxxxxxxxxx");                     /* tiny, length in two bytes */
    struct ts_fheap_id id = {.kind = TS_FHEAP_TINY, .length = 8};
    REFUSED(ts_fheap_id_encode(&small, &id, (const uint8_t *)"12345678", &sink));
    id.length = 0;
    REFUSED(ts_fheap_id_encode(&small, &id, NULL, &sink));
    id = (struct ts_fheap_id){.kind = 3};
    REFUSED(ts_fheap_id_encode(&small, &id, NULL, &sink));
    id = (struct ts_fheap_id){.kind = TS_FHEAP_MANAGED, .length = 70000};
    REFUSED(ts_fheap_id_encode(&small, &id, NULL, &sink));
}

static void test_heap_blocks(void **state)
{
    (void)state;
    struct ts_fheap_header h = a_heap(8, 9);
    struct ts_wr w = {0};
    /* Filtered direct children, then indirect ones: rows up to 4096 bytes are direct. */
    struct fheap_site at = {.header = &h, .place = {.header = 77, .offset = 8192, .rows = 6}};
    struct ts_fheap_child in[24], out[24];
    for (unsigned i = 0; i < 24; i++)
        in[i] = (struct ts_fheap_child){i % 3 ? i : HADDR_UNDEF, i / 4 < h.direct_rows ? i : 0,
                                        i / 4 < h.direct_rows ? 9 : 0};
    assert_int_equal(h.direct_rows, 5);
    assert_int_equal(ts_fheap_indirect_encode(&h, &at.place, in, &w), 0);
    assert_int_equal(w.size, ts_fheap_indirect_size(&h, 6));
    assert_int_equal(ts_fheap_indirect_decode(&h, &at.place, w.data, out), 0);
    for (unsigned i = 0; i < 24; i++) {
        assert_int_equal(in[i].addr, out[i].addr);
        assert_int_equal(in[i].filtered_size, out[i].filtered_size);
        assert_int_equal(in[i].filter_mask, out[i].filter_mask);
    }
    ts_wr_free(&w);
    assert_int_equal(ts_fheap_direct_encode(&h, 77, 512, &w), 0);
    assert_int_equal(w.size, ts_fheap_direct_prefix(&h));
    ts_put_fill(&w, 0, 512);
    ts_fheap_direct_seal(&h, w.data, w.size);
    ts_fheap_direct_seal(&h, w.data, w.size); /* sealing what is sealed changes nothing */
    assert_int_equal(ts_fheap_direct_check(&h, 77, 512, w.data, w.size), 0);
    ts_wr_free(&w);
    struct ts_fheap_id id = {.extent = {.addr = 1, .length = 2, .size = 4, .filter_mask = 3}, .key = 5};
    assert_int_equal(ts_fheap_huge_record_encode(&h, &id, &w), 0);
    assert_int_equal(w.size, ts_fheap_huge_record_size(&h));
    assert_memory_equal(w.data, "\1\0\0\0\2\0\3\0\0\0\4\0\5\0", 14);
    id.direct = true;
    assert_int_equal(ts_fheap_huge_record_encode(&h, &id, &w), 0);
    assert_int_equal(w.size, 14 + 12);
    ts_wr_free(&w);
}

/* A tree of three levels: the widths of counts differ between them. */
static void test_btree2(void **state)
{
    (void)state;
    struct ts_btree2_shape shape = {
        .header = {.type = 5, .depth = 2, .node_size = 4096, .record_size = 11, .root_records = 2, .records = 1000},
        .addr_size = 8};
    struct ts_btree2_shape got = {0};
    assert_int_equal(ts_btree2_shape_derive(&shape), 0);
    struct ts_wr w = {0};
    assert_int_equal(ts_btree2_header_encode(&shape.header, 8, 8, &w), 0);
    assert_int_equal(ts_btree2_header_decode(w.data, w.size, 8, 8, &got), 0);
    assert_memory_equal(&got.levels, &shape.levels, sizeof shape.levels);
    ts_wr_free(&w);
    uint8_t records[22];
    memset(records, 7, sizeof records);
    struct ts_btree2_child in[3] = {{100, 50, 333}, {200, 51, 333}, {300, 52, 332}}, out[3],
                           self = {.records = 2, .total = 1000};
    assert_int_equal(ts_btree2_node_encode(&shape, 2, 2, records, in, &w), 0);
    assert_int_equal(w.size, 4096);
    assert_int_equal(ts_btree2_node_decode(&shape, 2, &self, w.data, out), 0);
    assert_memory_equal(in, out, sizeof in);
    assert_memory_equal(w.data + TS_BTREE2_NODE_PREFIX, records, sizeof records);
    ts_wr_free(&w);
    REFUSED(ts_btree2_node_encode(&shape, 0, shape.levels[0].max_records + 1, records, NULL, &sink));
    in[1].records = 1 << 16;
    REFUSED(ts_btree2_node_encode(&shape, 2, 2, records, in, &sink));
}

static void test_sections(void **state)
{
    (void)state;
    struct ts_free_space hdr = {.client = 0, .serialized = 4, .addr_bits = 40, .max_section = 70000};
    struct ts_free_section in[4] = {
        {.addr = 10, .size = 5},
        {.addr = 20, .size = 512, .type = 1, .indirect = 4096, .row = 1, .column = 2, .blocks = 3},
        {.addr = 30, .size = 512},
        {.addr = 40, .size = 65536, .type = 3, .indirect = 8192, .row = 4, .column = 0, .blocks = 9}};
    struct ts_free_section *out;
    struct ts_wr w = {0};
    assert_int_equal(ts_free_sections_encode(in, 8, &hdr, 500, &w), 0);
    assert_int_equal(w.size, ts_free_sections_size(in, 8, &hdr));
    assert_int_equal(w.size, 17 + 3 * 4 + 4 * 6 + 2 * 11);
    assert_int_equal(ts_heap_sections_decode(w.data, w.size, 8, &hdr, 500, &out), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_true(in[i].addr == out[i].addr && in[i].size == out[i].size && in[i].type == out[i].type &&
                    in[i].indirect == out[i].indirect && in[i].row == out[i].row && in[i].column == out[i].column &&
                    in[i].blocks == out[i].blocks);
    ts_free(out);
    for (size_t n = 0; n < w.size; n++)
        assert_int_equal(ts_heap_sections_decode(w.data, n, 8, &hdr, 500, &out), -1);
    ts_wr_free(&w);
    hdr.client = 1;
    in[3].type = 2; /* no blocks behind a section of a file */
    assert_int_equal(ts_free_sections_encode(in, 8, &hdr, 500, &w), 0);
    assert_int_equal(w.size, 17 + 3 * 4 + 4 * 6);
    assert_int_equal(ts_free_sections_decode(w.data, w.size, 8, &hdr, 500, &out), 0);
    assert_int_equal(out[3].type, 2);
    ts_free(out);
    ts_wr_free(&w);
    hdr.max_section = 255;
    REFUSED(ts_free_sections_encode(in, 8, &hdr, 500, &sink));
    ts_err_clear();
}

static void test_sohm_list(void **state)
{
    (void)state;
    struct ts_sohm_record in[2] =
        {{.in_heap = true, .hash = 7, .references = 2, .heap_id = {1, 2, 3}, .header = HADDR_UNDEF},
         {.hash = 9, .msg_type = 3, .creation_index = 5, .header = 96}},
                          out[2];
    struct ts_wr w = {0};
    assert_int_equal(ts_sohm_list_encode(in, 2, 5, 4, &w), 0);
    assert_int_equal(w.size, ts_sohm_list_size(5, 4));
    assert_int_equal(ts_sohm_list_decode(w.data, 2, 4, out), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_true(in[i].in_heap == out[i].in_heap && in[i].hash == out[i].hash &&
                    in[i].references == out[i].references && memcmp(in[i].heap_id, out[i].heap_id, 8) == 0 &&
                    in[i].msg_type == out[i].msg_type && in[i].creation_index == out[i].creation_index &&
                    in[i].header == out[i].header);
    assert_int_equal(ts_sohm_list_decode(w.data, 1, 4, out), -1);
    w.data[4] = 2;
    assert_int_equal(ts_sohm_list_decode(w.data, 2, 4, out), -1);
    ts_err_clear();
    ts_wr_free(&w);
    REFUSED(ts_sohm_list_encode(in, 2, 1, 4, &sink));
}

static void test_free_blocks_refused(void **state)
{
    (void)state;
    static const uint8_t data[24] = {[8] = 16, [16] = 1};
    struct ts_lheap_free block;
    assert_int_equal(ts_lheap_free_decode(data, 24, 0, 8, &block), 0);
    assert_int_equal(block.size, 16);
    assert_int_equal(ts_lheap_free_decode(data, 24, 9, 8, &block), -1);  /* no room for the head */
    assert_int_equal(ts_lheap_free_decode(data, 24, 24, 8, &block), -1); /* behind the heap */
    assert_int_equal(ts_lheap_free_decode(data, 15, 0, 8, &block), -1);
    assert_int_equal(ts_lheap_free_decode(data, 24, 8, 8, &block), -1); /* a size smaller than the head */
    ts_err_clear();
}

/* Each allocation fails once: an error, nothing leaks, and the next try is good. */
static void test_no_memory(void **state)
{
    (void)state;
    unsigned long failed = 0;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *s = &samples[i];
        for (unsigned long n = 1;; n++) {
            struct ts_wr w = {0};
            ts_alloc_fail_at(n, TS_FAULT_ONCE);
            int status = s->recode(&s->site, s->p, s->n, &w);
            unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
            bool bad = status < 0 || w.bad;
            ts_wr_free(&w);
            ts_err_clear();
            if (made < n) {
                assert_false(bad);
                break;
            }
            assert_true(bad);
            failed++;
        }
    }
    assert_true(failed > sizeof samples / sizeof samples[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),        cmocka_unit_test(test_append),
        cmocka_unit_test(test_superblocks),    cmocka_unit_test(test_superblocks_refused),
        cmocka_unit_test(test_blocks),         cmocka_unit_test(test_messages_padded),
        cmocka_unit_test(test_blocks_refused), cmocka_unit_test(test_messages_refused),
        cmocka_unit_test(test_index_versions), cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_heap_ids),       cmocka_unit_test(test_heap_blocks),
        cmocka_unit_test(test_btree2),         cmocka_unit_test(test_sections),
        cmocka_unit_test(test_sohm_list),      cmocka_unit_test(test_free_blocks_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
