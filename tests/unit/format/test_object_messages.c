/* Codecs of object header messages: known bytes, and every cut and every changed byte of them. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/pipeline_codec.h"
#include "format/attribute.h"
#include "format/fill.h"
#include "format/layout.h"
#include "format/link.h"
#include "format/messages.h"
#include "format/object_header.h"
#include "format/sohm.h"

struct bytes {
    const uint8_t *p;
    size_t n;
};
#define BYTES(...) ((struct bytes){(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})})

static int try_layout(const uint8_t *p, size_t n)
{
    struct ts_layout out;
    if (ts_layout_decode(p, n, 8, 8, &out) < 0)
        return -1;
    ts_layout_deinit(&out);
    return 0;
}

static int try_link(const uint8_t *p, size_t n)
{
    struct ts_link out;
    if (ts_link_decode(p, n, 8, &out) < 0)
        return -1;
    ts_link_deinit(&out);
    return 0;
}

static int try_attr(const uint8_t *p, size_t n)
{
    struct ts_attr_msg out;
    return ts_attr_msg_decode(p, n, &out);
}

static int try_fill(const uint8_t *p, size_t n)
{
    struct ts_fill_msg out;
    return ts_fill_decode(p, n, &out);
}

static int try_pipeline(const uint8_t *p, size_t n)
{
    struct ts_pipeline out;
    if (ts_pipeline_decode_message(p, n, &out) < 0)
        return -1;
    ts_pipeline_deinit(&out);
    return 0;
}

static int try_sections(const uint8_t *p, size_t n)
{
    struct ts_pipeline_sections out;
    if (ts_pipeline_sections_decode(p, n, &out) < 0)
        return -1;
    ts_pipeline_sections_deinit(&out);
    return 0;
}

static int try_efl(const uint8_t *p, size_t n)
{
    struct ts_efl_msg out;
    if (ts_efl_decode(p, n, 8, 8, &out) < 0)
        return -1;
    ts_free(out.slots);
    return 0;
}

static int try_node(const uint8_t *p, size_t n)
{
    struct ts_symbol *out;
    size_t count;
    if (ts_symbol_node_decode(p, n, 2, 2, &out, &count) < 0)
        return -1;
    ts_free(out);
    return 0;
}

/* A copy of exactly n bytes, so that the sanitizer sees a read behind it. */
static int try_exact(int (*decode)(const uint8_t *, size_t), const uint8_t *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, p, n);
    int r = decode(copy, n);
    free(copy);
    ts_err_clear();
    return r;
}

static void every_damage(int (*decode)(const uint8_t *, size_t), struct bytes b)
{
    assert_int_equal(try_exact(decode, b.p, b.n), 0);
    for (size_t n = 0; n < b.n; n++)
        assert_int_equal(try_exact(decode, b.p, n), -1);
    uint8_t changed[256];
    assert_true(b.n <= sizeof changed);
    memcpy(changed, b.p, b.n);
    for (size_t i = 0; i < b.n; i++)
        for (unsigned v = 0; v < 256; v++) {
            changed[i] = (uint8_t)v;
            try_exact(decode, changed, b.n);
            changed[i] = b.p[i];
        }
}

static void damaged(void **state)
{
    (void)state;
    every_damage(try_layout, BYTES(3, 0, 4, 0, 1, 2, 3, 4));
    every_damage(try_layout, BYTES(3, 1, 1, 2, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0));
    every_damage(try_layout, BYTES(3, 2, 2, 1, 2, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0));
    every_damage(try_layout, BYTES(4, 2, 0, 2, 1, 9, 4, 4, 32, 4, 4, 16, 10, 1, 2, 3, 0, 0, 0, 0, 0));
    every_damage(try_layout, BYTES(4, 3, 1, 2, 3, 0, 0, 0, 0, 0, 7, 0, 0, 0));
    every_damage(try_layout, BYTES(1, 2, 2, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 5, 0, 0, 0, 8, 0, 0, 0));
    every_damage(try_layout, BYTES(5, 4, 0, 1, 0, 0, 3, 1, 5, 6, 4, 8, 2, 1, 0, 3, 10, 7, 9, 0, 0, 0, 0, 0, 0));
    every_damage(try_layout, BYTES(5, 4, 0, 1, 0, 0, 3, 1, 10, 10, 4, 8, 2, 1, 0, 1, 9, 1, 0, 100, 0, 0, 0, 0, 0, 0, 0,
                                   7, 9, 0, 0, 0, 0, 0, 0));
    every_damage(try_layout, BYTES(5, 4, 0, 2, 0, 2, 2, 1, 10, 16, 8, 2, 2, 0, 1, 1, 90, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0,
                                   0, 0, 0, 0, 0, 164, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0,
                                   0, 7, 9, 0, 0, 0, 0, 0, 0));
    every_damage(try_sections, BYTES(3, 2, 0, 1, 10, 0, 1, 0, 0, 0, 1, 0, 9, 0, 0, 0, 1, 2, 21, 0, 2, 0, 1, 0, 1, 0, 8,
                                     0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 'a', 'b', 0));
    every_damage(try_link, BYTES(1, 0, 1, 'a', 1, 2, 3, 4, 5, 6, 7, 8));
    every_damage(try_link, BYTES(1, 0x1c, 1, 7, 0, 0, 0, 0, 0, 0, 0, 1, 2, 'a', 'b', 3, 0, '/', 'x', 'y'));
    every_damage(try_fill, BYTES(3, 0x29, 4, 0, 0, 0, 1, 2, 3, 4));
    every_damage(try_fill, BYTES(2, 2, 2, 1, 2, 0, 0, 0, 1, 2));
    every_damage(try_pipeline, BYTES(2, 2, 1, 0, 1, 0, 1, 0, 6, 0, 0, 0, 0, 1, 3, 0, 0, 0, 1, 0, 'a', 'b', 0, 9, 0, 0, 0));
    every_damage(try_pipeline,
                 BYTES(1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0, 1, 0, 'd', 'e', 'f', 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0));
    every_damage(try_efl, BYTES(1, 0, 0, 0, 1, 0, 1, 0, 1, 2, 3, 4, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                0, 40, 0, 0, 0, 0, 0, 0, 0));
    every_damage(try_node, BYTES('S', 'N', 'O', 'D', 1, 0, 1, 0, 8, 0, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

/* The data of an attribute may be cut: what is left is checked where the type is known. */
static void attribute(void **state)
{
    (void)state;
    struct bytes b = BYTES(3, 1, 3, 0, 4, 0, 2, 0, 1, 'u', 'x', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    struct ts_attr_msg msg;
    for (size_t n = 0; n < 18; n++)
        assert_int_equal(try_exact(try_attr, b.p, n), -1);
    assert_int_equal(ts_attr_msg_decode(b.p, b.n, &msg), 0);
    assert_string_equal(msg.name, "ux");
    assert_int_equal(msg.cset, H5T_CSET_UTF8);
    assert_true(msg.type_shared && !msg.space_shared);
    assert_int_equal(msg.type[0], 1);
    assert_int_equal(msg.space[0], 5);
    assert_int_equal(msg.data_size, 3);
    assert_int_equal(msg.data[0], 7);
    /* Version 1 pads its fields. */
    struct bytes old = BYTES(1, 0, 2, 0, 1, 0, 1, 0, 'n', 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6);
    assert_int_equal(ts_attr_msg_decode(old.p, old.n, &msg), 0);
    assert_int_equal(msg.type[0], 4);
    assert_int_equal(msg.space[0], 5);
    assert_int_equal(msg.data[0], 6);
}

static void refused(int (*decode)(const uint8_t *, size_t), struct bytes b, size_t at, uint8_t value)
{
    uint8_t changed[128];
    assert_true(b.n <= sizeof changed && at < b.n && b.p[at] != value);
    memcpy(changed, b.p, b.n);
    changed[at] = value;
    assert_int_equal(try_exact(decode, changed, b.n), -1);
}

/* What HDF5 2.0 writes: version 5 with the class of dense chunks is version 4 with another number. */
static void dense_version_5(void **state)
{
    (void)state;
    struct ts_layout out;
    struct bytes fixed = BYTES(5, 2, 0, 3, 5, 1, 0, 0, 0, 1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 3, 10, 7, 9, 0, 0, 0, 0, 0, 0);
    assert_int_equal(ts_layout_decode(fixed.p, fixed.n, 8, 8, &out), 0);
    assert_int_equal(out.version, 5);
    assert_int_equal(out.cls, H5D_CHUNKED);
    assert_int_equal(out.chunk.struct_type, 0);
    assert_int_equal(out.chunk.rank, 2);
    assert_int_equal(out.chunk.dims[0], UINT64_C(0x100000001));
    assert_int_equal(out.chunk.dims[1], 4);
    assert_int_equal(out.chunk.element_size, 4);
    assert_int_equal(out.chunk.index, TS_CHUNK_INDEX_FIXED_ARRAY);
    assert_int_equal(out.addr, 0x907);
    refused(try_layout, fixed, 1, 4); /* it is not structured */
}

static void structured(void **state)
{
    (void)state;
    struct ts_layout out;
    struct bytes single =
        BYTES(5, 4, 0, 2, 0, 2, 2, 1, 10, 16, 8, 2, 2, 0, 1, 1, 90, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 0, 164,
              0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 9, 0, 0, 0, 0, 0, 0);
    assert_int_equal(ts_layout_decode(single.p, single.n, 8, 8, &out), 0);
    assert_int_equal(out.cls, H5D_STRUCT_CHUNK);
    assert_int_equal(out.chunk.struct_type, TS_STRUCT_VL);
    assert_int_equal(out.chunk.rank, 1);
    assert_int_equal(out.chunk.dims[0], 10);
    assert_int_equal(out.chunk.element_size, 16);
    assert_int_equal(out.chunk.u.single.filtered_size, 90);
    const struct ts_chunk_sections *s = &out.chunk.u.single.sections;
    assert_int_equal(s->n, 2);
    assert_int_equal(s->offset[1], 30);
    assert_int_equal(s->size[0], 164);
    assert_int_equal(s->size[1], 256);
    assert_int_equal(s->mask[0], 1);
    assert_int_equal(s->mask[1], 2);
    assert_int_equal(ts_section_stored(s, 0, 90), 30);
    assert_int_equal(ts_section_stored(s, 1, 90), 60);
    assert_int_equal(out.addr, 0x907);

    /* The same with 8 bytes for the size of offsets, which is 8. */
    struct ts_layout again;
    struct bytes wide =
        BYTES(5, 4, 0, 2, 0, 2, 2, 1, 10, 16, 8, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 1, 1, 90, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0,
              0, 0, 0, 164, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 9, 0, 0, 0, 0, 0, 0);
    assert_int_equal(ts_layout_decode(wide.p, wide.n, 8, 8, &again), 0);
    assert_memory_equal(&again, &out, sizeof out);
    refused(try_layout, wide, 10, 4);
    refused(try_layout, wide, 17, 1);
    refused(try_layout, wide, 18, 3); /* sections */

    refused(try_layout, single, 0, 4); /* version that has no structured chunks */
    refused(try_layout, single, 2, 1); /* property version */
    refused(try_layout, single, 3, 0); /* type */
    refused(try_layout, single, 3, 4);
    refused(try_layout, single, 4, 1);
    refused(try_layout, single, 5, 4);  /* flags */
    refused(try_layout, single, 6, 1);  /* no dimension */
    refused(try_layout, single, 7, 0);  /* no bytes per dimension */
    refused(try_layout, single, 8, 0);  /* dimension of 0 */
    refused(try_layout, single, 9, 0);  /* elements of 0 bytes */
    refused(try_layout, single, 10, 4); /* offset size */
    refused(try_layout, single, 11, 3); /* sections */
    refused(try_layout, single, 12, 1); /* metadata sections */
    refused(try_layout, single, 13, 1); /* their numbers */
    refused(try_layout, single, 14, 2);
    refused(try_layout, single, 15, 0); /* index: B-tree v1 */
    refused(try_layout, single, 15, 2); /* implicit */
    refused(try_layout, single, 15, 3); /* the flag of a single filtered chunk in a fixed array */
    refused(try_layout, single, 15, 6);
    refused(try_layout, single, 24, 91); /* a section behind the end */
    refused(try_layout, single, 32, 0);  /* stored, but empty before filters */
    struct bytes many =
        BYTES(5, 4, 0, 1, 0, 0, 3, 4, 0, 0, 0, 1, 255, 0, 0, 0, 4, 0, 0, 0, 8, 2, 1, 0, 3, 10, 7, 9, 0, 0, 0, 0, 0, 0);
    assert_int_equal(try_exact(try_layout, many.p, many.n), 0);
    refused(try_layout, many, 13, 1); /* 2^32 elements and more */

    struct bytes p = BYTES(3, 2, 0, 1, 10, 0, 1, 0, 0, 0, 1, 0, 9, 0, 0, 0, 1, 1, 6, 0, 2, 0, 1, 0, 0, 0);
    struct ts_pipeline_sections sections;
    assert_int_equal(ts_pipeline_sections_decode(p.p, p.n, &sections), 0);
    assert_int_equal(sections.section[0].n, 1);
    assert_int_equal(sections.section[0].filters[0].id, H5Z_FILTER_DEFLATE);
    assert_int_equal(sections.section[0].filters[0].values[0], 9);
    assert_int_equal(sections.section[1].n, 1);
    assert_int_equal(sections.section[1].filters[0].flags, 1);
    assert_int_equal(sections.section[2].n, 0);
    ts_pipeline_sections_deinit(&sections);
    refused(try_sections, p, 0, 2);  /* version */
    refused(try_sections, p, 1, 3);  /* more sections than there are */
    refused(try_sections, p, 2, 1);  /* the same section twice */
    refused(try_sections, p, 2, 2);  /* not ascending */
    refused(try_sections, p, 16, 3); /* no such section */
    refused(try_sections, p, 17, 0); /* bytes behind the filters */
    refused(try_sections, p, 17, 33);
    refused(try_sections, p, 18, 5); /* filters that are cut off */
}

static void layout(void **state)
{
    (void)state;
    struct ts_layout out;
    struct bytes b = BYTES(4, 2, 1, 3, 2, 9, 0, 4, 1, 8, 0, 4, 32, 5, 6, 7, 10, 1, 2, 3, 0, 0, 0, 0, 0);
    assert_int_equal(ts_layout_decode(b.p, b.n, 8, 8, &out), 0);
    assert_int_equal(out.chunk.rank, 2);
    assert_int_equal(out.chunk.dims[0], 9);
    assert_int_equal(out.chunk.dims[1], 260);
    assert_int_equal(out.chunk.element_size, 8);
    assert_int_equal(out.chunk.index, TS_CHUNK_INDEX_EXT_ARRAY);
    assert_int_equal(out.chunk.u.ext_array.max_bits, 32);
    assert_int_equal(out.chunk.u.ext_array.page_bits, 10);
    assert_int_equal(out.addr, 0x030201);
    struct bytes compact = BYTES(3, 0, 2, 0, 'h', 'i');
    assert_int_equal(ts_layout_decode(compact.p, compact.n, 8, 8, &out), 0);
    assert_memory_equal(out.compact.data, "hi", 2);
    ts_layout_deinit(&out);
    /* An undefined address of 4 bytes. */
    struct bytes small = BYTES(3, 1, 0xff, 0xff, 0xff, 0xff, 9, 0, 0, 0);
    assert_int_equal(ts_layout_decode(small.p, small.n, 4, 4, &out), 0);
    assert_true(out.addr == HADDR_UNDEF && out.contiguous.size == 9);
}

static void small_messages(void **state)
{
    (void)state;
    time_t t;
    assert_int_equal(ts_mtime_decode_old((const uint8_t *)"19990102030405\0\0", 16, &t), 0);
    assert_int_equal(t, 915246245);
    assert_int_equal(ts_mtime_decode_old((const uint8_t *)"1999x102030405\0\0", 16, &t), -1);
    struct ts_shared_ref ref;
    struct bytes heap = BYTES(3, 1, 1, 2, 3, 4, 5, 6, 7, 8);
    assert_int_equal(ts_shared_ref_decode(heap.p, heap.n, 8, 8, &ref), 0);
    assert_true(ref.in_heap && ref.heap_id[7] == 8);
    struct bytes committed = BYTES(2, 0, 1, 2, 0, 0, 0, 0, 0, 0);
    assert_int_equal(ts_shared_ref_decode(committed.p, committed.n, 8, 8, &ref), 0);
    assert_true(!ref.in_heap && ref.addr == 0x201);
    /* Version 1 as drawn, and with a length before the address. */
    struct bytes drawn = BYTES(1, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0);
    assert_int_equal(ts_shared_ref_decode(drawn.p, drawn.n, 8, 8, &ref), 0);
    assert_int_equal(ref.addr, 0x203);
    assert_int_equal(ts_shared_ref_decode(drawn.p, drawn.n, 4, 4, &ref), 0);
    assert_int_equal(ref.addr, 0x203);
    struct bytes entry = BYTES(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0, 0);
    assert_int_equal(ts_shared_ref_decode(entry.p, entry.n, 4, 4, &ref), 0);
    assert_int_equal(ref.addr, 0x205);
    ts_err_clear();
}

/* Bytes behind the message, as in headers of version 1, do not matter. */
static void file_space_of_1_10_0(void **state)
{
    (void)state;
    static const struct {
        uint8_t strategy;
        H5F_fspace_strategy_t mapped;
        bool persist;
        hsize_t threshold;
    } all[] = {{1, H5F_FSPACE_STRATEGY_FSM_AGGR, true, 5},
               {2, H5F_FSPACE_STRATEGY_FSM_AGGR, false, 5},
               {3, H5F_FSPACE_STRATEGY_AGGR, false, 1},
               {4, H5F_FSPACE_STRATEGY_NONE, false, 1}};
    uint8_t msg[128] = {0, 0, 5};
    struct ts_file_space fs;
    for (uint8_t i = 0; i < 6; i++)
        msg[10 + 8 * i] = i + 1;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        msg[1] = all[i].strategy;
        assert_int_equal(ts_file_space_decode(msg, sizeof msg, 8, 8, &fs), 0);
        assert_int_equal(fs.strategy, all[i].mapped);
        assert_int_equal(fs.persist, all[i].persist);
        assert_int_equal(fs.threshold, all[i].threshold);
        assert_int_equal(fs.page_size, 4096);
        assert_int_equal(fs.managers[5], all[i].persist ? 6 : HADDR_UNDEF);
        assert_int_equal(fs.managers[6], HADDR_UNDEF);
        assert_int_equal(ts_file_space_decode(msg, 57, 8, 8, &fs), all[i].persist ? -1 : 0);
        assert_int_equal(ts_file_space_decode(msg, 9, 8, 8, &fs), -1);
    }
    for (uint8_t strategy = 0; strategy < 10; strategy += 5) {
        msg[1] = strategy;
        assert_int_equal(ts_file_space_decode(msg, sizeof msg, 8, 8, &fs), -1);
    }
    ts_err_clear();
}

static void file_space(void **state)
{
    (void)state;
    enum { STRATEGY = 1, PERSIST = 2, PAGE_SIZE = 11 };
    uint8_t msg[128] = {1, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 7, 0, 9};
    struct ts_file_space fs;
    assert_int_equal(ts_file_space_decode(msg, 29, 8, 8, &fs), 0);
    assert_int_equal(fs.strategy, H5F_FSPACE_STRATEGY_PAGE);
    assert_int_equal(fs.page_size, 4096);
    assert_int_equal(fs.page_end_threshold, 7);
    msg[PERSIST] = 1;
    assert_int_equal(ts_file_space_decode(msg, 124, 8, 8, &fs), -1);
    assert_int_equal(ts_file_space_decode(msg, sizeof msg, 8, 8, &fs), 0);
    /* Strategies that nobody knows are as none. */
    msg[STRATEGY] = 4;
    assert_int_equal(ts_file_space_decode(msg, sizeof msg, 8, 8, &fs), 0);
    assert_int_equal(fs.strategy, H5F_FSPACE_STRATEGY_NONE);
    /* Only pages need a size. */
    memset(msg + PAGE_SIZE, 0, 8);
    assert_int_equal(ts_file_space_decode(msg, sizeof msg, 8, 8, &fs), 0);
    assert_int_equal(fs.page_size, 4096);
    msg[STRATEGY] = H5F_FSPACE_STRATEGY_PAGE;
    assert_int_equal(ts_file_space_decode(msg, sizeof msg, 8, 8, &fs), -1);
    ts_err_clear();
}

static void header_messages(void **state)
{
    (void)state;
    struct bytes b = BYTES(6, 1, 0, 4, 9, 0, 'x', 0, 0, 0, 0);
    struct ts_rd r = ts_rd_init(b.p, b.n);
    struct ts_raw_msg msg;
    assert_int_equal(ts_ohdr_next_msg(&r, 2, 0x04, &msg), 1);
    assert_int_equal(msg.type, TS_MSG_LINK);
    assert_int_equal(msg.creation_index, 9);
    assert_int_equal(msg.body[0], 'x');
    assert_int_equal(ts_ohdr_next_msg(&r, 2, 0x04, &msg), 0);
    assert_int_equal(ts_rd_left(&r), 4);
    struct bytes cut = BYTES(6, 9, 0, 0, 'x');
    r = ts_rd_init(cut.p, cut.n);
    assert_int_equal(ts_ohdr_next_msg(&r, 2, 0, &msg), -1);
    ts_err_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged),        cmocka_unit_test(structured), cmocka_unit_test(dense_version_5),
                                       cmocka_unit_test(attribute),      cmocka_unit_test(layout),
                                       cmocka_unit_test(small_messages), cmocka_unit_test(file_space_of_1_10_0),
                                       cmocka_unit_test(file_space),     cmocka_unit_test(header_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
