#include "unit/cmocka_all.h"

#include <libdeflate.h>
#include <liblzf/lzf.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"

/* Runs a one-filter pipeline on a copy of the bytes; the result is the caller's. */
static int decode(H5Z_filter_t id, const unsigned *values, size_t n_values, const void *stored, size_t n, void **out,
                  size_t *size, size_t expected)
{
    struct ts_filter f = {.id = id, .n_values = n_values, .values = (unsigned *)values};
    struct ts_pipeline p = {.n = 1, .filters = &f};
    *out = ts_memdup(stored, n);
    *size = n;
    return ts_pipeline_decode(&p, 0, out, size, expected);
}

static void expect_bytes(H5Z_filter_t id, const unsigned *values, size_t n_values, const char *stored, size_t n,
                         const void *wanted, size_t wanted_size)
{
    void *out;
    size_t size;
    assert_int_equal(decode(id, values, n_values, stored, n, &out, &size, wanted_size), 0);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(out, wanted, wanted_size);
    ts_free(out);
}

static void expect_error(H5Z_filter_t id, const unsigned *values, size_t n_values, const char *stored, size_t n, size_t expected)
{
    void *out;
    size_t size;
    ts_err_clear();
    assert_int_equal(decode(id, values, n_values, stored, n, &out, &size, expected), -1);
    assert_true(ts_err_current()->depth > 0);
    ts_err_clear();
    ts_free(out);
}

static void shuffle_gathers_bytes(void **state)
{
    (void)state;
    const unsigned width[] = {3};
    expect_bytes(H5Z_FILTER_SHUFFLE, width, 1, "adgbehcfiXY", 11, "abcdefghiXY", 11);
    expect_bytes(H5Z_FILTER_SHUFFLE, width, 1, "ab", 2, "ab", 2);
    expect_error(H5Z_FILTER_SHUFFLE, NULL, 0, "ab", 2, 2);
}

/* Against the definition, for all sizes around what moves at a time. */
static void shuffle_of_all_widths(void **state)
{
    (void)state;
    enum { LARGEST = 33 * 70 + 32 };
    uint8_t data[LARGEST], planes[LARGEST];
    for (size_t i = 0; i < LARGEST; i++)
        data[i] = (uint8_t)(i * 167 >> 3);
    for (unsigned width = 1; width <= 33; width++)
        for (size_t elements = 0; elements <= 70; elements++) {
            size_t rest = (elements * 7 + width) % width, n = elements * width + rest;
            memcpy(planes, data, n);
            for (size_t i = 0; i < elements; i++)
                for (size_t k = 0; k < width; k++)
                    planes[k * elements + i] = data[i * width + k];
            expect_bytes(H5Z_FILTER_SHUFFLE, &width, 1, (char *)planes, n, (char *)data, n);
            struct ts_filter f = {.id = H5Z_FILTER_SHUFFLE, .n_values = 1, .values = &width};
            struct ts_block b = {.data = data, .size = n, .borrowed = true};
            assert_int_equal(ts_encode_shuffle(&f, &b), 0);
            assert_int_equal(b.size, n);
            assert_memory_equal(b.data, planes, n);
            if (!b.borrowed)
                ts_free(b.data);
        }
}

static void fletcher32_is_checked(void **state)
{
    (void)state;
    /* "abcde" is the customary example; the words are big-endian here. */
    expect_bytes(H5Z_FILTER_FLETCHER32, NULL, 0, "\0\0\0\0\0\0\0\0", 8, "\0\0\0\0", 4);
    expect_bytes(H5Z_FILTER_FLETCHER32, NULL, 0, "\0\1\0\2\3\0\4\0", 8, "\0\1\0\2", 4);
    expect_error(H5Z_FILTER_FLETCHER32, NULL, 0, "\0\1\0\2\3\0\5\0", 8, 4);
    expect_error(H5Z_FILTER_FLETCHER32, NULL, 0, "\0\1", 2, 4);
}

/* What stock libhdf5 stored for 0..4 as 12-bit integers at bit 3 of 4 bytes. */
static void nbit_unpacks(void **state)
{
    (void)state;
    const unsigned little[] = {8, 0, 5, 1, 4, 0, 12, 3}, big[] = {8, 0, 5, 1, 4, 1, 12, 3};
    const char stored[] = "\x00\x00\x01\x00\x20\x03\x00\x40";
    const uint8_t as_little[20] = {0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0, 24, 0, 0, 0, 32};
    const uint8_t as_big[20] = {0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0, 24, 0, 0, 0, 32};
    expect_bytes(H5Z_FILTER_NBIT, little, 8, stored, 8, as_little, 20);
    expect_bytes(H5Z_FILTER_NBIT, big, 8, stored, 8, as_big, 20);
    expect_error(H5Z_FILTER_NBIT, little, 8, stored, 6, 20);
    expect_error(H5Z_FILTER_NBIT, little, 7, stored, 8, 20);
    const unsigned wide[] = {8, 0, 5, 1, 4, 0, 33, 0};
    expect_error(H5Z_FILTER_NBIT, wide, 8, stored, 8, 20);
}

/* What stock libhdf5 stored for int32 10..19. */
static void scaleoffset_unpacks(void **state)
{
    (void)state;
    const unsigned values[20] = {2, 0, 10, 0, 4, 1, 0, 1};
    const char stored[] = "\x04\0\0\0\x08\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x23\x45\x67\x89";
    const int32_t wanted[10] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    expect_bytes(H5Z_FILTER_SCALEOFFSET, values, 20, stored, 27, wanted, 40);
    expect_error(H5Z_FILTER_SCALEOFFSET, values, 20, stored, 24, 40);
    expect_error(H5Z_FILTER_SCALEOFFSET, values, 19, stored, 27, 40);
    expect_error(H5Z_FILTER_SCALEOFFSET, values, 20, stored, 27, 39);
}

static void compressors_undo(void **state)
{
    (void)state;
    static char data[100000], stored[200000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * i >> 9);
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    size_t n = libdeflate_zlib_compress(c, data, sizeof data, stored, sizeof stored);
    libdeflate_free_compressor(c);
    expect_bytes(H5Z_FILTER_DEFLATE, NULL, 0, stored, n, data, sizeof data);
    expect_error(H5Z_FILTER_DEFLATE, NULL, 0, stored, n / 2, sizeof data);
    void *out;
    size_t size;
    assert_int_equal(decode(H5Z_FILTER_DEFLATE, NULL, 0, stored, n, &out, &size, 100), 0);
    assert_int_equal(size, sizeof data);
    ts_free(out);
    n = ZSTD_compress(stored, sizeof stored, data, sizeof data, 3);
    expect_bytes(TS_FILTER_ZSTD, NULL, 0, stored, n, data, sizeof data);
    expect_error(TS_FILTER_ZSTD, NULL, 0, stored, n - 1, sizeof data);
    n = lzf_compress(data, sizeof data, stored, sizeof stored);
    assert_true(n > 0);
    expect_bytes(TS_FILTER_LZF, NULL, 0, stored, n, data, sizeof data);
    expect_error(TS_FILTER_LZF, NULL, 0, "\xff\xff\xff\xff", 4, 100);
    expect_bytes(TS_FILTER_LZ4, NULL, 0, "\0\0\0\0\0\0\0\3\0\0\0\2\0\0\0\2ab\0\0\0\1c", 23, "abc", 3);
    expect_error(TS_FILTER_LZ4, NULL, 0, "\0\0\0\0\0\0\0\3\0\0\0\0", 12, 3);
}

static void a_skipped_filter_is_skipped(void **state)
{
    (void)state;
    struct ts_filter f = {.id = H5Z_FILTER_DEFLATE};
    struct ts_pipeline p = {.n = 1, .filters = &f};
    void *buf = ts_memdup("plain", 5);
    size_t size = 5;
    assert_int_equal(ts_pipeline_decode(&p, 1, &buf, &size, 5), 0);
    assert_memory_equal(buf, "plain", 5);
    ts_free(buf);
}

static void an_unknown_filter_is_named(void **state)
{
    (void)state;
    struct ts_filter f = {.id = 31999, .name = (char *)"mystery"};
    struct ts_pipeline p = {.n = 1, .filters = &f};
    void *buf = ts_memdup("plain", 5);
    size_t size = 5;
    ts_err_clear();
    assert_int_equal(ts_pipeline_decode(&p, 0, &buf, &size, 5), -1);
    assert_string_equal(ts_err_current()->rec[0].text, "required filter 'mystery' is not registered");
    assert_non_null(strstr(ts_err_current()->rec[1].text, "filter 31999"));
    ts_err_clear();
    ts_free(buf);
}

static size_t xor_filter(unsigned flags, size_t n, const unsigned *values, size_t size, size_t *capacity, void **buf)
{
    (void)capacity;
    assert_true(flags & H5Z_FLAG_REVERSE);
    assert_int_equal(n, 1);
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)*buf)[i] ^= (uint8_t)values[0];
    return size;
}

static void the_application_adds_filters(void **state)
{
    (void)state;
    const H5Z_class2_t cls = {H5Z_CLASS_T_VERS, 300, 1, 1, "xor", NULL, NULL, xor_filter};
    const unsigned key[] = {1};
    unsigned config = 0;
    assert_int_equal(ts_filter_info(300, &config), 0);
    assert_int_equal(ts_filter_register(&cls), 0);
    assert_int_equal(ts_filter_info(300, &config), 1);
    assert_int_equal(config, 3);
    expect_bytes(300, key, 1, "bcd", 3, "cbe", 3);
    assert_int_equal(ts_filter_unregister(300), 0);
    expect_error(300, key, 1, "bcd", 3, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffle_gathers_bytes),
        cmocka_unit_test(shuffle_of_all_widths),
        cmocka_unit_test(fletcher32_is_checked),
        cmocka_unit_test(nbit_unpacks),
        cmocka_unit_test(scaleoffset_unpacks),
        cmocka_unit_test(compressors_undo),
        cmocka_unit_test(a_skipped_filter_is_skipped),
        cmocka_unit_test(an_unknown_filter_is_named),
        cmocka_unit_test(the_application_adds_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
