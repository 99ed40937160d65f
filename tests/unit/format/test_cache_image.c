/* The metadata cache image and the sections of a free space manager. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/cache_image.h"
#include "format/free_space.h"

struct block {
    haddr_t addr;
    unsigned size, parents;
};

static void put_entry(struct ts_wr *w, const struct block *b)
{
    ts_wr_bytes(w, "\x05\x03\x01\x00\x00\x00\x00\x00", 8);
    ts_wr_u16(w, (uint16_t)b->parents);
    ts_wr_u32(w, 7);
    ts_wr_u64(w, b->addr);
    ts_wr_u64(w, b->size);
    for (unsigned i = 0; i < b->parents; i++)
        ts_wr_u64(w, 4711);
    for (unsigned i = 0; i < b->size; i++)
        ts_wr_u8(w, (uint8_t)(b->addr + i));
}

static struct ts_wr make_image(const struct block *blocks, uint32_t n, uint32_t claimed)
{
    struct ts_wr w = {0};
    ts_wr_bytes(&w, "MDCI\0\0", 6);
    ts_wr_u64(&w, 0);
    ts_wr_u32(&w, claimed);
    for (uint32_t i = 0; i < n; i++)
        put_entry(&w, &blocks[i]);
    for (int i = 0; i < 8; i++)
        w.data[6 + i] = (uint8_t)((w.size + 4) >> 8 * i);
    ts_wr_checksum(&w, 0);
    return w;
}

static void test_image(void **state)
{
    (void)state;
    static const struct block blocks[] = {{800, 10, 0}, {96, 30, 2}, {126, 4, 1}};
    struct ts_wr w = make_image(blocks, 3, 3);
    struct ts_cache_image_entry *entries;
    size_t n;
    assert_int_equal(ts_cache_image_entries(w.data, w.size, 8, 8, &entries, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(entries[0].addr, 96);
    assert_int_equal(entries[0].size, 30);
    assert_int_equal(entries[0].data[29], 125);
    assert_int_equal(entries[1].addr, 126);
    assert_int_equal(entries[2].addr, 800);
    assert_int_equal(entries[2].data[0], (uint8_t)800);
    ts_free(entries);
    for (size_t size = 0; size < w.size; size++)
        assert_int_equal(ts_cache_image_entries(w.data, size, 8, 8, &entries, &n), -1);
    for (size_t i = 0; i < w.size; i++) {
        w.data[i] ^= 0x40;
        assert_int_equal(ts_cache_image_entries(w.data, w.size, 8, 8, &entries, &n), -1);
        w.data[i] ^= 0x40;
    }
    ts_err_clear();
    ts_wr_free(&w);
}

static void refuse_image(const struct block *blocks, uint32_t n, uint32_t claimed)
{
    struct ts_wr w = make_image(blocks, n, claimed);
    struct ts_cache_image_entry *entries;
    size_t got;
    assert_int_equal(ts_cache_image_entries(w.data, w.size, 8, 8, &entries, &got), -1);
    ts_err_clear();
    ts_wr_free(&w);
}

static void test_hostile_images(void **state)
{
    (void)state;
    static const struct block overlap[] = {{96, 30, 0}, {125, 4, 0}}, twice[] = {{96, 30, 0}, {96, 30, 0}};
    static const struct block empty[] = {{96, 0, 0}}, wrap[] = {{UINT64_MAX - 3, 8, 0}};
    refuse_image(overlap, 2, 2);
    refuse_image(twice, 2, 2);
    refuse_image(empty, 1, 1);
    refuse_image(wrap, 1, 1);
    refuse_image(overlap, 1, 2);
    refuse_image(overlap, 1, UINT32_MAX);
}

static struct ts_wr make_sections(unsigned type)
{
    struct ts_wr w = {0};
    ts_wr_bytes(&w, "FSSE\0", 5);
    ts_wr_u64(&w, 500);
    ts_wr_u8(&w, 2); /* two of 40 bytes */
    ts_wr_u16(&w, 40);
    ts_wr_u32(&w, 1000);
    ts_wr_u8(&w, (uint8_t)type);
    ts_wr_u32(&w, 2000);
    ts_wr_u8(&w, (uint8_t)type);
    ts_wr_u8(&w, 1); /* one of 300 */
    ts_wr_u16(&w, 300);
    ts_wr_u32(&w, 9000);
    ts_wr_u8(&w, (uint8_t)type);
    ts_wr_checksum(&w, 0);
    return w;
}

static void test_sections(void **state)
{
    (void)state;
    struct ts_free_space hdr = {.serialized = 3, .addr_bits = 32, .max_section = 4096};
    struct ts_free_section *sections;
    struct ts_wr w = make_sections(1);
    assert_int_equal(ts_free_sections_decode(w.data, w.size, 8, &hdr, 500, &sections), 0);
    assert_int_equal(sections[0].addr, 1000);
    assert_int_equal(sections[0].size, 40);
    assert_int_equal(sections[1].addr, 2000);
    assert_int_equal(sections[2].addr, 9000);
    assert_int_equal(sections[2].size, 300);
    ts_free(sections);
    assert_int_equal(ts_free_sections_decode(w.data, w.size, 8, &hdr, 501, &sections), -1);
    for (size_t size = 0; size < w.size; size++)
        assert_int_equal(ts_free_sections_decode(w.data, size, 8, &hdr, 500, &sections), -1);
    /* What lies behind the sections that are counted is room: libhdf5 1.14 leaves some. */
    hdr.serialized = 2;
    assert_int_equal(ts_free_sections_decode(w.data, w.size, 8, &hdr, 500, &sections), 0);
    assert_int_equal(sections[1].addr, 2000);
    ts_free(sections);
    static const uint64_t counts[] = {1, 4, 200, UINT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        hdr.serialized = counts[i];
        assert_int_equal(ts_free_sections_decode(w.data, w.size, 8, &hdr, 500, &sections), -1);
    }
    hdr.serialized = 3;
    hdr.addr_bits = 65;
    assert_int_equal(ts_free_sections_decode(w.data, w.size, 8, &hdr, 500, &sections), -1);
    ts_wr_free(&w);
    hdr.addr_bits = 32;
    w = make_sections(3);
    assert_int_equal(ts_free_sections_decode(w.data, w.size, 8, &hdr, 500, &sections), -1);
    ts_wr_free(&w);
    ts_err_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_image),
        cmocka_unit_test(test_hostile_images),
        cmocka_unit_test(test_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
