/* The filter of selection sections: known bytes, every kind of section and back, everything else refused. */
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/filter.h"
#include "space/run_set.h"
#include "unit/cmocka_all.h"

static const struct ts_filter filter = {.id = TS_FILTER_SELECTION_PACKING};

static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static struct ts_block block_of(const void *bytes, size_t size)
{
    struct ts_block b = {.data = ts_malloc(size ? size : 1), .size = size};
    assert_non_null(b.data);
    memcpy(b.data, bytes, size);
    return b;
}

/* Packs and unpacks; the size that it has in between. */
static size_t round_trip(const void *bytes, size_t size)
{
    static const struct ts_filter_options none;
    struct ts_block b = block_of(bytes, size);
    assert_int_equal(ts_encode_selection_packing(&filter, &b), 0);
    size_t packed = b.size;
    assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), 0);
    assert_int_equal(b.size, size);
    assert_memory_equal(b.data, bytes, size);
    ts_free(b.data);
    return packed;
}

static void section_of(unsigned rank, const hsize_t *dims, const struct ts_run *runs, size_t n, struct ts_wr *w)
{
    struct ts_run_set *s;
    uint64_t limit = 1;
    for (unsigned d = 0; d < rank; d++)
        limit *= dims[d];
    assert_int_equal(ts_run_set_new(limit, &s), 0);
    assert_int_equal(ts_run_set_add(s, runs, n), 0);
    assert_int_equal(ts_run_set_encode(s, rank, dims, w), 0);
    ts_run_set_free(s);
}

/* The first version is the same with another number and without the checksum. */
static void expect_of_first_version(const struct ts_block *packed, const struct ts_wr *section)
{
    static const struct ts_filter_options none;
    struct ts_block b = block_of(packed->data, packed->size - 4);
    b.data[0] = 1;
    assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), 0);
    assert_int_equal(b.size, section->size);
    assert_memory_equal(b.data, section->data, b.size);
    ts_free(b.data);
}

static void expect(const char *packed, size_t size, const struct ts_run *runs, size_t n)
{
    static const hsize_t dims[2] = {4, 600};
    struct ts_wr w = {0};
    section_of(2, dims, runs, n, &w);
    struct ts_block b = block_of(w.data, w.size);
    assert_int_equal(ts_encode_selection_packing(&filter, &b), 0);
    assert_int_equal(b.size, size);
    assert_memory_equal(b.data, packed, size);
    expect_of_first_version(&b, &w);
    ts_free(b.data);
    round_trip(w.data, w.size);
    ts_wr_free(&w);
}

static void known_bytes(void **state)
{
    (void)state;
    /* Elements 5, 8 and 274: gaps of 5, 2 and 265. */
    expect("\2\0\2\2\4\xd8\4\3\0\5\2\xff\x0a" "\x0c\xac\xe2\xf8", 17, (struct ts_run[]){{5, 1}, {8, 1}, {274, 1}}, 3);
    /* Elements 600 to 603 and 1210 to 1215: two blocks of one row each, gaps of 600 and 606 shifted by 3. */
    expect("\2\1\2\2\4\xd8\4\2\3\x4b\x4b\x30\xff\0\3\5" "\x22\xbb\x5c\x75", 20, (struct ts_run[]){{600, 4}, {1210, 6}}, 2);
    /* Rows 0 and 1 whole. */
    expect("\2\2\2\2\4\xd8\4\0\1\1\2\0\1\1\xd8\4" "\xe0\xa5\xb4\x8d", 20, (struct ts_run[]){{0, 1200}}, 1);
}

static void all_kinds(void **state)
{
    (void)state;
    static const struct {
        unsigned rank;
        hsize_t dims[4];
    } chunks[] = {{1, {200000}},       {2, {300, 1000}}, {3, {17, 20, 310}},
                  {4, {3, 40, 5, 50}}, {2, {70000, 3}},  {2, {1, 500}}};
    static struct ts_run runs[5000];
    uint32_t random = 7;
    for (unsigned i = 0; i < 400; i++) {
        const hsize_t *dims = chunks[i % 6].dims;
        unsigned rank = chunks[i % 6].rank;
        static const uint32_t longest[] = {1, 1, 6, 900}, widest[] = {3, 40, 900, 20000};
        hsize_t limit = 1, at = draw(&random) % 100;
        size_t n = 0, want = 1 + draw(&random) % (i % 7 ? 4000 : 3);
        for (unsigned d = 0; d < rank; d++)
            limit *= dims[d];
        while (n < want && at + longest[i / 6 % 4] < limit) {
            runs[n] = (struct ts_run){at, 1 + draw(&random) % longest[i / 6 % 4]};
            at += runs[n++].length + 1 + draw(&random) % widest[i / 24 % 4];
        }
        struct ts_wr w = {0};
        if (n == 0)
            continue;
        section_of(rank, dims, runs, n, &w);
        size_t packed = round_trip(w.data, w.size);
        assert_true(packed < w.size);
        ts_wr_free(&w);
    }
}

/* Bytes that are not such a section come back as an error and as they were, or come back whole. */
static void anything(void **state)
{
    (void)state;
    static const hsize_t dims[2] = {100, 100};
    uint32_t random = 21;
    struct ts_run runs[40];
    for (unsigned kind = 0; kind < 3; kind++) {
        for (unsigned i = 0; i < 40; i++)
            runs[i] = (struct ts_run){kind == 2 ? 100 * i + 7 : 100 * i + i * 13 % 37, kind == 0 ? 1 : 5};
        struct ts_wr w = {0};
        section_of(2, dims, runs, 40, &w);
        for (size_t n = 0; n < w.size; n++) {
            struct ts_block b = block_of(w.data, n);
            assert_int_equal(ts_encode_selection_packing(&filter, &b), -1);
            ts_free(b.data);
        }
        for (size_t at = 0; at < w.size; at++)
            for (unsigned k = 0; k < 4; k++) {
                uint8_t was = w.data[at];
                w.data[at] = (uint8_t)(k == 0 ? was ^ 1 : k == 1 ? 0xff : draw(&random));
                struct ts_block b = block_of(w.data, w.size);
                int status = ts_encode_selection_packing(&filter, &b);
                assert_int_equal(status, w.data[at] == was ? 0 : -1);
                if (status < 0)
                    assert_memory_equal(b.data, w.data, w.size);
                ts_free(b.data);
                w.data[at] = was;
                ts_err_clear();
            }
        ts_wr_free(&w);
    }
}

/* It has no checksum: what is read from it is anything, within bounds. */
static void damage_first_version(const struct ts_block *packed)
{
    static const struct ts_filter_options none;
    for (size_t at = 1; at < packed->size - 4; at++)
        for (unsigned v = 0; v < 256; v++) {
            struct ts_block b = block_of(packed->data, packed->size - 4);
            b.data[0] = 1;
            b.data[at] = (uint8_t)v;
            ts_decode_selection_packing(&filter, &b, &none);
            assert_true(b.size < 100000);
            ts_free(b.data);
            ts_err_clear();
        }
}

static void damaged_packing(void **state)
{
    (void)state;
    static const hsize_t dims[2] = {100, 100};
    static const struct ts_filter_options none;
    struct ts_run runs[40];
    for (unsigned kind = 0; kind < 3; kind++) {
        for (unsigned i = 0; i < 40; i++)
            runs[i] = (struct ts_run){kind == 2 ? 100 * i + 7 : 100 * i + i * 13 % 37, kind == 0 ? 1 : 5};
        struct ts_wr w = {0};
        section_of(2, dims, runs, 40, &w);
        struct ts_block packed = block_of(w.data, w.size);
        assert_int_equal(ts_encode_selection_packing(&filter, &packed), 0);
        for (size_t n = 0; n < packed.size; n++) {
            struct ts_block b = block_of(packed.data, n);
            assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), -1);
            ts_free(b.data);
        }
        for (size_t at = 0; at < packed.size; at++)
            for (unsigned v = 0; v < 256; v++) {
                struct ts_block b = block_of(packed.data, packed.size);
                b.data[at] = (uint8_t)v;
                int status = ts_decode_selection_packing(&filter, &b, &none);
                assert_int_equal(status, v == packed.data[at] ? 0 : -1);
                ts_free(b.data);
                ts_err_clear();
            }
        damage_first_version(&packed);
        ts_free(packed.data);
        ts_wr_free(&w);
    }
    static const char *const bad[] = {"\3\0\2\1\4\1\0\0",   "\1\3\2\1\4\1\0\0", "\1\0\3\1\4\1\0\0",  "\1\0\2\0\4\1\0\0",
                                      "\1\0\2\1\4\1\x40\0", "\1\0\2\1\4\1\0\4", "\1\0\2\1\4\1\xff\0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ts_block b = block_of(bad[i], 8);
        assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), -1);
        ts_free(b.data);
    }
    struct ts_block b = block_of("\1\0\2\1\4\1\0\3", 8);
    assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), 0);
    ts_free(b.data);
    ts_err_clear();
}

/* Through a pipeline with deflate behind it: what a random pattern of 1 and of 10 % costs. */
static void density(void **state)
{
    (void)state;
    static const hsize_t dims[2] = {1024, 1024};
    static const struct {
        uint32_t one_in;
        double most; /* bytes per element; such patterns hold 1.010 and 0.586 */
    } cases[] = {{100, 1.03}, {10, 0.62}};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t random = 12345;
        struct ts_run_set *s;
        struct ts_wr w = {0};
        assert_int_equal(ts_run_set_new(1 << 20, &s), 0);
        for (uint32_t e = 0; e < 1 << 20; e++)
            if (draw(&random) % cases[i].one_in == 0)
                assert_int_equal(ts_run_set_add(s, &(struct ts_run){e, 1}, 1), 0);
        assert_int_equal(ts_run_set_encode(s, 2, dims, &w), 0);
        struct ts_pipeline p = {0};
        unsigned level = 6;
        assert_int_equal(ts_pipeline_add(&p, &filter), 0);
        assert_int_equal(ts_pipeline_add(&p, &(struct ts_filter){.id = 1, .n_values = 1, .values = &level}), 0);
        void *bytes = ts_memdup(w.data, w.size);
        size_t size = w.size;
        uint32_t mask;
        assert_int_equal(ts_pipeline_encode(&p, &bytes, &size, &mask, NULL), 0);
        assert_int_equal(mask, 0);
        print_message("%llu elements: %zu bytes, packed and deflated %zu\n", (unsigned long long)ts_run_set_count(s),
                      w.size, size);
        assert_true((double)size < cases[i].most * (double)ts_run_set_count(s));
        assert_int_equal(ts_pipeline_decode(&p, mask, &bytes, &size, w.size), 0);
        assert_int_equal(size, w.size);
        assert_memory_equal(bytes, w.data, size);
        /* An optional one is skipped when it is given something else. */
        struct ts_filter optional = {.id = TS_FILTER_SELECTION_PACKING, .flags = H5Z_FLAG_OPTIONAL};
        ts_pipeline_deinit(&p);
        assert_int_equal(ts_pipeline_add(&p, &optional), 0);
        size = 5;
        assert_int_equal(ts_pipeline_encode(&p, &bytes, &size, &mask, NULL), 0);
        assert_int_equal(mask, 1);
        assert_int_equal(size, 5);
        ts_free(bytes);
        ts_pipeline_deinit(&p);
        ts_wr_free(&w);
        ts_run_set_free(s);
    }
}

static void faults(void **state)
{
    (void)state;
    static const hsize_t dims[2] = {100, 100};
    struct ts_run runs[40];
    for (unsigned i = 0; i < 40; i++)
        runs[i] = (struct ts_run){100 * i + i * 13 % 37, 3};
    struct ts_wr w = {0};
    section_of(2, dims, runs, 40, &w);
    for (unsigned long at = 1;; at++) {
        struct ts_block b = block_of(w.data, w.size);
        ts_alloc_fail_at(at, TS_FAULT_ONCE);
        int status = ts_encode_selection_packing(&filter, &b);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_free(b.data);
        if (status == 0)
            break;
        assert_true(at < 20);
    }
    ts_err_clear();
    ts_wr_free(&w);
}

/* Points in an extent of any size, as a section. */
static void points_section(unsigned rank, const hsize_t *dims, size_t n, const hsize_t *coords, struct ts_wr *w)
{
    struct ts_space *space;
    assert_int_equal(ts_space_new_simple(rank, dims, NULL, &space), 0);
    assert_int_equal(ts_space_select_elements(space, H5S_SELECT_SET, n, coords), 0);
    assert_int_equal(ts_space_encode_smallest(space, w), 0);
    ts_wr_checksum(w, 0);
    ts_space_unref(space);
}

/* Chunks whose elements need more than 32 bits: gaps with many bits, divisions of 64. */
static void huge(void **state)
{
    (void)state;
    static const hsize_t wide[3] = {1 << 20, 1 << 20, 1 << 22}, line[1] = {UINT64_C(1) << 63}, odd[2] = {70001, 70003};
    hsize_t coords[900];
    uint32_t random = 5;
    for (unsigned i = 0; i < 60; i++) {
        const hsize_t *dims = i % 3 == 0 ? wide : i % 3 == 1 ? line : odd;
        unsigned rank = i % 3 == 0 ? 3 : i % 3 == 1 ? 1 : 2;
        size_t n = 1 + draw(&random) % (i < 20 ? 3 : 300);
        for (size_t k = 0; k < n; k++) {
            /* The first coordinate ascends, the others are anything. */
            coords[k * rank] = dims[0] / n * k + draw(&random) % (dims[0] / n);
            for (unsigned d = 1; d < rank; d++)
                coords[k * rank + d] = draw(&random) % dims[d];
        }
        struct ts_wr w = {0};
        points_section(rank, dims, n, coords, &w);
        round_trip(w.data, w.size);
        ts_wr_free(&w);
    }
    /* One point with a shift of 60 and of 63 bits, and a chunk whose elements cannot be numbered. */
    static const struct ts_filter_options none;
    static const char line_dims[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\1";
    for (unsigned shift = 60; shift <= 63; shift += 3) {
        uint8_t packed[64] = {1, 0, 8, 1};
        memcpy(packed + 4, line_dims, 10);
        packed[14] = 1;
        packed[15] = (uint8_t)shift;
        packed[16] = shift == 60 ? 5 : 0;
        memcpy(packed + 17, "\xef\xcd\xab\x89\x67\x45\x23\x01", 8);
        struct ts_block b = block_of(packed, 25);
        assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), 0);
        uint64_t number;
        memcpy(&number, b.data + b.size - 12, 8);
        assert_int_equal(number, shift == 60 ? UINT64_C(0x5123456789abcdef) : UINT64_C(0x0123456789abcdef));
        ts_free(b.data);
        packed[16] = 255;
        b = block_of(packed, 25);
        assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), -1);
        ts_free(b.data);
    }
    uint8_t packed[64] = {1, 0, 8, 2};
    memcpy(packed + 4, line_dims, 10);
    memcpy(packed + 14, "\2\1\0\0", 4);
    struct ts_block b = block_of(packed, 18);
    assert_int_equal(ts_decode_selection_packing(&filter, &b, &none), -1);
    ts_free(b.data);
    ts_err_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_bytes),     cmocka_unit_test(all_kinds), cmocka_unit_test(anything),
        cmocka_unit_test(damaged_packing), cmocka_unit_test(density),   cmocka_unit_test(faults),
        cmocka_unit_test(huge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
