/* Structured chunks in creation lists, and defined elements of datasets that are not sparse: the public functions. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

static const hsize_t dims[2] = {4, 6};

static hid_t new_dcpl(void)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(dcpl > 0);
    return dcpl;
}

static hid_t wrong_list(void)
{
    return H5Pcreate(H5P_FILE_ACCESS);
}

static void chunks(void **state)
{
    (void)state;
    hid_t dcpl = new_dcpl(), wrong = wrong_list();
    hsize_t out[2] = {0};
    unsigned flag = 99;
    assert_true(H5Pget_struct_chunk(dcpl, 2, out, &flag) < 0);
    assert_int_equal(H5Pset_layout(dcpl, H5D_STRUCT_CHUNK), 0);
    assert_int_equal(H5Pget_layout(dcpl), H5D_STRUCT_CHUNK);
    assert_true(H5Pget_struct_chunk(dcpl, 2, out, &flag) < 0);
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, H5D_SPARSE_CHUNK | H5D_VL_CHUNK), 0);
    assert_int_equal(H5Pget_layout(dcpl), H5D_STRUCT_CHUNK);
    assert_int_equal(H5Pget_struct_chunk(dcpl, 1, out, &flag), 2);
    assert_int_equal(out[0], 4);
    assert_int_equal(out[1], 0);
    assert_int_equal(flag, H5D_SPARSE_DATA | H5D_VL_DATA);
    assert_int_equal(H5Pget_struct_chunk(dcpl, 0, NULL, NULL), 2);
    assert_int_equal(H5Pget_chunk(dcpl, 2, out), 2);
    assert_int_equal(out[1], 6);
    H5D_alloc_time_t when;
    assert_int_equal(H5Pget_alloc_time(dcpl, &when), 0);
    assert_int_equal(when, H5D_ALLOC_TIME_INCR);

    const hsize_t zero[2] = {4, 0}, most[2] = {65536, 65535}, more[2] = {65536, 65536}, wide[1] = {1ull << 32};
    assert_true(H5Pset_struct_chunk(dcpl, 2, zero, H5D_SPARSE_CHUNK) < 0);
    assert_true(H5Pset_struct_chunk(dcpl, 2, more, H5D_SPARSE_CHUNK) < 0);
    assert_true(H5Pset_struct_chunk(dcpl, 1, wide, H5D_SPARSE_CHUNK) < 0);
    assert_true(H5Pset_struct_chunk(dcpl, 0, dims, H5D_SPARSE_CHUNK) < 0);
    assert_true(H5Pset_struct_chunk(dcpl, 33, dims, H5D_SPARSE_CHUNK) < 0);
    assert_true(H5Pset_struct_chunk(dcpl, 2, NULL, H5D_SPARSE_CHUNK) < 0);
    assert_true(H5Pset_struct_chunk(dcpl, 2, dims, 0) < 0);
    assert_true(H5Pset_struct_chunk(dcpl, 2, dims, 4) < 0);
    assert_true(H5Pset_struct_chunk(wrong, 2, dims, H5D_SPARSE_CHUNK) < 0);
    assert_true(H5Pset_sparse_chunk(wrong, 2, dims) < 0);
    assert_true(H5Pset_sparse_chunk(dcpl, 2, zero) < 0);
    assert_true(H5Pget_struct_chunk(wrong, 2, out, &flag) < 0);
    assert_true(H5Pget_sparse_chunk(wrong, 2, out) < 0);
    assert_int_equal(H5Pget_struct_chunk(dcpl, 2, out, &flag), 2);
    assert_int_equal(out[1], 6);
    assert_int_equal(flag, 3);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, most), 0);
    assert_int_equal(H5Pget_sparse_chunk(dcpl, 2, out), 2);
    assert_int_equal(out[1], 65535);
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, H5D_VL_CHUNK), 0);
    assert_true(H5Pget_sparse_chunk(dcpl, 2, out) < 0);
    assert_true(H5Pset_layout(dcpl, H5D_NLAYOUTS) < 0);
    H5Pclose(wrong);
    H5Pclose(dcpl);
}

static unsigned density_of(hid_t dcpl)
{
    unsigned density = 99;
    assert_int_equal(H5Pget_density(dcpl, &density), 0);
    return density;
}

static void density(void **state)
{
    (void)state;
    hsize_t out[2];
    unsigned flag, any;
    hid_t wrong = wrong_list(), none = new_dcpl();
    for (int before = 0; before < 2; before++) {
        hid_t dcpl = new_dcpl();
        assert_int_equal(density_of(dcpl), H5D_DENSITY_DENSE);
        if (before)
            assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_SPARSE), 0);
        assert_int_equal(H5Pset_chunk(dcpl, 2, dims), 0);
        if (!before)
            assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_SPARSE), 0);
        assert_int_equal(density_of(dcpl), H5D_DENSITY_SPARSE);
        assert_int_equal(H5Pget_layout(dcpl), H5D_CHUNKED);
        assert_int_equal(H5Pget_struct_chunk(dcpl, 2, out, &flag), 2);
        assert_int_equal(flag, H5D_SPARSE_CHUNK);
        assert_int_equal(H5Pget_sparse_chunk(dcpl, 2, out), 2);
        assert_int_equal(out[0], 4);
        assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_DENSE), 0);
        assert_int_equal(density_of(dcpl), H5D_DENSITY_DENSE);
        assert_true(H5Pget_struct_chunk(dcpl, 2, out, &flag) < 0);
        assert_int_equal(H5Pget_chunk(dcpl, 2, out), 2);
        assert_true(H5Pequal(dcpl, none) == 0);
        H5Pclose(dcpl);
    }
    hid_t dcpl = new_dcpl();
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, H5D_SPARSE_CHUNK | H5D_VL_CHUNK), 0);
    assert_int_equal(density_of(dcpl), H5D_DENSITY_SPARSE);
    assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_DENSE), 0);
    assert_int_equal(H5Pget_struct_chunk(dcpl, 2, out, &flag), 2);
    assert_int_equal(flag, H5D_VL_CHUNK);
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, H5D_SPARSE_CHUNK), 0);
    assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_DENSE), 0);
    assert_int_equal(H5Pget_layout(dcpl), H5D_CHUNKED);
    assert_true(H5Pset_density(dcpl, 2) < 0);
    assert_true(H5Pset_density(wrong, 1) < 0);
    assert_true(H5Pset_density(H5P_DEFAULT, 1) < 0);
    assert_true(H5Pget_density(wrong, &any) < 0);
    assert_true(H5Pget_density(dcpl, NULL) < 0);
    H5Pclose(dcpl);
    H5Pclose(none);
    H5Pclose(wrong);
}

static int count(hid_t list, uint64_t section)
{
    int n = -1, m = -2;
    assert_int_equal(H5Pget_nfilters2(list, section, &n), 0);
    assert_int_equal(H5Pget_nfilter2(list, section, &m), 0);
    assert_int_equal(n, m);
    return n;
}

static void predefined_filters(void **state)
{
    (void)state;
    hid_t dcpl = new_dcpl();
    /* Filters first, sparse later: an existing program needs one more line. */
    assert_int_equal(H5Pset_shuffle(dcpl), 0);
    assert_int_equal(H5Pset_deflate(dcpl, 6), 0);
    assert_int_equal(H5Pset_fletcher32(dcpl), 0);
    assert_int_equal(count(dcpl, 0), 3);
    assert_int_equal(H5Pset_chunk(dcpl, 2, dims), 0);
    assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_SPARSE), 0);
    assert_int_equal(count(dcpl, H5Z_FLAG_SPARSE_SELECTION), 2);
    assert_int_equal(count(dcpl, H5Z_FLAG_SPARSE_FIXED_DATA), 3);
    assert_int_equal(count(dcpl, H5_SECTION_VL), 2);
    assert_int_equal(H5Pget_nfilters(dcpl), 3);
    unsigned flags, config;
    size_t n = 0;
    char name[32];
    assert_int_equal(H5Pget_filter2(dcpl, 1, &flags, &n, NULL, 32, name, &config), H5Z_FILTER_DEFLATE);
    assert_int_equal(n, 1);
    assert_int_equal(H5Pset_selection_packing(dcpl), 0);
    assert_int_equal(H5Pget_selection_packing(dcpl), 1);
    assert_int_equal(count(dcpl, 0), 3);
    assert_int_equal(H5Pget_filter3(dcpl, 0, 0, NULL, NULL, NULL, 0, NULL, NULL), H5Z_FILTER_SELECTION_PACKING);
    assert_int_equal(H5Premove_filter2(dcpl, 0, H5Z_FILTER_SELECTION_PACKING), 0);
    assert_int_equal(H5Pget_selection_packing(dcpl), 0);
    assert_int_equal(H5Premove_filter2(dcpl, 0, H5Z_FILTER_DEFLATE), 0);
    assert_int_equal(count(dcpl, 0), 1);
    assert_int_equal(count(dcpl, 1), 3);
    assert_int_equal(H5Premove_filter(dcpl, H5Z_FILTER_DEFLATE), 0);
    assert_int_equal(count(dcpl, 2), 1);
    assert_int_equal(H5Pget_nfilters(dcpl), 2);
    hid_t wrong = wrong_list();
    assert_true(H5Pset_selection_packing(wrong) < 0);
    assert_true(H5Pget_selection_packing(wrong) < 0);
    assert_int_equal(H5Pset_filter2(dcpl, 0, H5Z_FILTER_SELECTION_PACKING, 0, 0, NULL), 0);
    assert_int_equal(H5Pget_selection_packing(dcpl), 1);
    H5Pclose(wrong);
    H5Pclose(dcpl);
}

static void filter_bytes(void **state)
{
    (void)state;
    hid_t dcpl = new_dcpl();
    const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t out[12];
    uint64_t flags = 99;
    size_t size = sizeof out;
    unsigned config = 99;
    char name[32] = "";
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, dims), 0);
    assert_int_equal(H5Pset_filter2(dcpl, 1, 400, H5Z_FLAG_OPTIONAL, sizeof bytes, bytes), 0);
    memset(out, 0xee, sizeof out);
    assert_int_equal(H5Pget_filter3(dcpl, 1, 0, &flags, &size, out, 0, NULL, NULL), 400);
    assert_int_equal(flags, H5Z_FLAG_OPTIONAL);
    assert_int_equal(size, 8);
    assert_memory_equal(out, ((const uint8_t[9]){1, 2, 3, 4, 5, 6, 7, 8, 0xee}), 9);
    size = 3;
    memset(out, 0xee, sizeof out);
    assert_int_equal(H5Pget_filter_by_id3(dcpl, 1, 400, NULL, &size, out, 0, NULL, NULL), 400);
    assert_int_equal(size, 8);
    assert_memory_equal(out, ((const uint8_t[4]){1, 2, 3, 0xee}), 4);
    unsigned values[2];
    size_t n = 2;
    assert_int_equal(H5Pget_filter_by_id2(dcpl, 400, NULL, &n, values, 0, NULL, NULL), 0);
    assert_int_equal(values[0], 0x04030201);
    assert_int_equal(values[1], 0x08070605);
    assert_int_equal(H5Pmodify_filter2(dcpl, 1, 400, 0, 4, bytes + 4), 0);
    size = sizeof out;
    assert_int_equal(H5Pget_filter_by_id3(dcpl, 1, 400, &flags, &size, out, 0, NULL, NULL), 400);
    assert_int_equal(flags, 0);
    assert_int_equal(size, 4);
    assert_memory_equal(out, ((const uint8_t[4]){5, 6, 7, 8}), 4);
    assert_int_equal(H5Pset_filter2(dcpl, 0, H5Z_FILTER_DEFLATE, 0, 4, &(unsigned){9}), 0);
    assert_int_equal(H5Pget_filter3(dcpl, 0, 0, NULL, NULL, NULL, sizeof name, name, &config), H5Z_FILTER_DEFLATE);
    assert_string_equal(name, "deflate");
    assert_int_equal(config, H5Z_FILTER_CONFIG_ENCODE_ENABLED | H5Z_FILTER_CONFIG_DECODE_ENABLED);
    H5Pclose(dcpl);
}

static void wrong_filter_arguments(void **state)
{
    (void)state;
    hid_t dcpl = new_dcpl(), wrong = wrong_list();
    unsigned level = 1;
    uint8_t out[4];
    size_t room = 4;
    int n;
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, dims), 0);
    assert_true(H5Pset_filter2(wrong, 0, 1, 0, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, 3, 1, 0, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, 256, 1, 0, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, UINT64_MAX, 1, 0, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, 0, -1, 0, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, 0, 65536, 0, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, 0, 1, 0x100, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, 0, 1, 1ull << 40, 4, &level) < 0);
    assert_true(H5Pset_filter2(dcpl, 0, 1, 0, 4, NULL) < 0);
    assert_true(H5Pset_filter2(dcpl, 0, 1, 0, (size_t)1 << 20, &level) < 0);
    assert_int_equal(count(dcpl, 0), 0);
    assert_int_equal(H5Pset_filter2(dcpl, 0, 1, 0, 4, &level), 0);
    assert_true(H5Pmodify_filter2(dcpl, 1, 1, 0, 4, &level) < 0);
    assert_true(H5Pmodify_filter2(dcpl, 0, 2, 0, 0, NULL) < 0);
    assert_true(H5Pmodify_filter2(dcpl, 0, 1, 0, 4, NULL) < 0);
    assert_true(H5Pmodify_filter2(dcpl, 0, 1, 0x200, 4, &level) < 0);
    assert_true(H5Pmodify_filter2(dcpl, UINT64_MAX, 1, 0, 4, &level) < 0);
    assert_true(H5Pmodify_filter2(wrong, 0, 1, 0, 4, &level) < 0);
    assert_true(H5Premove_filter2(dcpl, 0, 2) < 0);
    assert_true(H5Premove_filter2(dcpl, 5, 1) < 0);
    assert_true(H5Premove_filter2(dcpl, UINT64_MAX, 1) < 0);
    assert_true(H5Premove_filter2(wrong, 0, 1) < 0);
    assert_true(H5Pget_nfilters2(dcpl, 0, NULL) < 0);
    assert_true(H5Pget_nfilter2(dcpl, 7, &n) < 0);
    assert_true(H5Pget_nfilters2(wrong, 0, &n) < 0);
    assert_true(H5Pget_filter3(dcpl, 0, 1, NULL, NULL, NULL, 0, NULL, NULL) < 0);
    assert_true(H5Pget_filter3(dcpl, 9, 0, NULL, NULL, NULL, 0, NULL, NULL) < 0);
    assert_true(H5Pget_filter3(dcpl, 0, 0, NULL, &room, NULL, 0, NULL, NULL) < 0);
    assert_true(H5Pget_filter3(wrong, 0, 0, NULL, &room, out, 0, NULL, NULL) < 0);
    assert_true(H5Pget_filter_by_id3(dcpl, 1, 1, NULL, NULL, NULL, 0, NULL, NULL) < 0);
    assert_true(H5Pget_filter_by_id3(dcpl, UINT64_MAX, 1, NULL, NULL, NULL, 0, NULL, NULL) < 0);
    for (int i = 1; i < H5Z_MAX_NFILTERS; i++)
        assert_int_equal(H5Pset_filter2(dcpl, (uint64_t)(i % 3), 1, 0, 4, &level), 0);
    assert_true(H5Pset_filter2(dcpl, 2, 1, 0, 4, &level) < 0);
    H5Pclose(wrong);
    H5Pclose(dcpl);
}

/* Those who count values and not bytes, or give too few, hear of it. */
static void too_few_parameters(void **state)
{
    (void)state;
    static const struct {
        H5Z_filter_t id;
        size_t n; /* of the values below */
        unsigned values[2];
        bool good;
    } cases[] = {{H5Z_FILTER_SCALEOFFSET, 2, {H5Z_SO_FLOAT_DSCALE, 3}, true}, {H5Z_FILTER_SCALEOFFSET, 1, {2, 0}, false},
                 {H5Z_FILTER_SCALEOFFSET, 0, {0}, false},   {H5Z_FILTER_SZIP, 2, {32, 8}, true},
                 {H5Z_FILTER_SZIP, 1, {32, 0}, false},      {H5Z_FILTER_SZIP, 2, {32, 0}, false},
                 {H5Z_FILTER_SZIP, 2, {32, 7}, false},      {H5Z_FILTER_SZIP, 2, {32, 34}, false},
                 {H5Z_FILTER_DEFLATE, 1, {9}, true},        {H5Z_FILTER_DEFLATE, 1, {10}, false},
                 {H5Z_FILTER_DEFLATE, 0, {0}, false},       {H5Z_FILTER_DEFLATE, 2, {1, 1}, false},
                 {H5Z_FILTER_SHUFFLE, 0, {0}, true},        {H5Z_FILTER_NBIT, 0, {0}, true},
                 {H5Z_FILTER_FLETCHER32, 0, {0}, true},     {32015, 0, {0}, true}, {400, 0, {0}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = cases[i].n;
        const unsigned *values = cases[i].values;
        hid_t dcpl = new_dcpl();
        assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, dims), 0);
        int want = cases[i].good ? 0 : -1;
        assert_int_equal(H5Pset_filter2(dcpl, 1, cases[i].id, 0, n * sizeof *values, values), want);
        assert_int_equal(H5Pset_section_filter(dcpl, H5_SECTION_VL, cases[i].id, 0, n, values), want);
        assert_int_equal(count(dcpl, 1), cases[i].good);
        assert_int_equal(count(dcpl, 2), cases[i].good);
        /* The older function does what it does elsewhere. */
        assert_int_equal(H5Pset_filter(dcpl, cases[i].id, 0, n, values), 0);
        assert_int_equal(H5Pmodify_filter2(dcpl, 1, cases[i].id, 1, n * sizeof *values, values), want);
        assert_int_equal(H5Pmodify_section_filter(dcpl, H5_SECTION_FIXED, cases[i].id, 1, n, values), want);
        /* As many bytes as there are values. */
        int before = count(dcpl, 1);
        for (size_t size = 1; size < 8; size++)
            if (size % 4) {
                assert_true(H5Pset_filter2(dcpl, 1, cases[i].id, 0, size, values) < 0);
                assert_true(H5Pmodify_filter2(dcpl, 1, cases[i].id, 0, size, values) < 0);
            }
        assert_int_equal(count(dcpl, 1), before);
        H5Pclose(dcpl);
    }
}

static unsigned level_of(hid_t list, H5_section_type_t kind)
{
    unsigned level = 99, flags = 99, config;
    size_t n = 1;
    char name[32];
    assert_int_equal(H5Pget_section_filter_by_id(list, kind, H5Z_FILTER_DEFLATE, &flags, &n, &level, 32, name, &config), 0);
    assert_int_equal(n, 1);
    assert_int_equal(flags, H5Z_FLAG_OPTIONAL);
    assert_string_equal(name, "deflate");
    return level;
}

/* In dense chunks with variable-length data the kind of a section is not its number. */
static void kinds_of_sections(void **state)
{
    (void)state;
    const unsigned level[] = {1, 2, 3};
    hid_t dcpl = new_dcpl(), gcpl = H5Pcreate(H5P_GROUP_CREATE), wrong = wrong_list();
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, H5D_VL_CHUNK), 0);
    for (H5_section_type_t kind = H5_SECTION_SELECTION; kind < H5_SECTION_NUM; kind++)
        assert_int_equal(H5Pset_section_filter(dcpl, kind, H5Z_FILTER_DEFLATE, 1, 1, &level[kind]),
                         kind == H5_SECTION_SELECTION ? -1 : 0);
    assert_int_equal(count(dcpl, 0), 1);
    assert_int_equal(count(dcpl, 1), 1);
    assert_int_equal(level_of(dcpl, H5_SECTION_FIXED), 2);
    assert_int_equal(level_of(dcpl, H5_SECTION_VL), 3);
    assert_true(H5Pget_n_section_filters(dcpl, H5_SECTION_SELECTION) < 0);
    assert_int_equal(H5Pmodify_section_filter(dcpl, H5_SECTION_VL, H5Z_FILTER_DEFLATE, 1, 1, &level[0]), 0);
    assert_int_equal(level_of(dcpl, H5_SECTION_FIXED), 2);
    assert_int_equal(level_of(dcpl, H5_SECTION_VL), 1);
    assert_int_equal(H5Pset_section_filter(dcpl, H5_SECTION_VL, 400, 1, 3, level), 0);
    unsigned values[3] = {0};
    size_t n = 3;
    assert_int_equal(H5Pget_section_filter(dcpl, H5_SECTION_VL, 1, NULL, &n, values, 0, NULL, NULL), 400);
    assert_int_equal(n, 3);
    assert_memory_equal(values, level, sizeof level);
    /* They follow when the data become sparse. */
    assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_SPARSE), 0);
    assert_int_equal(H5Pget_n_section_filters(dcpl, H5_SECTION_SELECTION), 0);
    assert_int_equal(count(dcpl, 1), 1);
    assert_int_equal(count(dcpl, 2), 2);
    assert_int_equal(level_of(dcpl, H5_SECTION_FIXED), 2);
    assert_int_equal(H5Premove_section_filter(dcpl, H5_SECTION_VL, H5Z_FILTER_DEFLATE), 0);
    assert_int_equal(H5Pget_n_section_filters(dcpl, H5_SECTION_VL), 1);
    assert_int_equal(H5Pget_n_section_filters(dcpl, H5_SECTION_FIXED), 1);
    /* One pipeline elsewhere, and it is of fixed data. */
    assert_int_equal(H5Pset_section_filter(gcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 1, 1, level), 0);
    assert_int_equal(H5Pget_nfilters(gcpl), 1);
    assert_int_equal(level_of(gcpl, H5_SECTION_FIXED), 1);
    assert_true(H5Pset_section_filter(gcpl, H5_SECTION_VL, H5Z_FILTER_DEFLATE, 1, 1, level) < 0);

    assert_true(H5Pset_section_filter(wrong, H5_SECTION_FIXED, 1, 1, 1, level) < 0);
    assert_true(H5Pset_section_filter(dcpl, H5_SECTION_UNKNOWN, 1, 1, 1, level) < 0);
    assert_true(H5Pset_section_filter(dcpl, H5_SECTION_NUM, 1, 1, 1, level) < 0);
    assert_true(H5Pset_section_filter(dcpl, H5_SECTION_FIXED, -1, 1, 1, level) < 0);
    assert_true(H5Pset_section_filter(dcpl, H5_SECTION_FIXED, 1, 0x100, 1, level) < 0);
    assert_true(H5Pset_section_filter(dcpl, H5_SECTION_FIXED, 400, 1, 1, NULL) < 0);
    assert_true(H5Pset_section_filter(dcpl, H5_SECTION_FIXED, 400, 1, 65536, level) < 0);
    assert_true(H5Pmodify_section_filter(dcpl, H5_SECTION_SELECTION, 1, 1, 1, level) < 0);
    assert_true(H5Premove_section_filter(dcpl, H5_SECTION_FIXED, 400) < 0);
    assert_true(H5Premove_section_filter(wrong, H5_SECTION_FIXED, 1) < 0);
    assert_true(H5Pget_section_filter(dcpl, H5_SECTION_FIXED, 1, NULL, NULL, NULL, 0, NULL, NULL) < 0);
    assert_true(H5Pget_section_filter(dcpl, H5_SECTION_UNKNOWN, 0, NULL, NULL, NULL, 0, NULL, NULL) < 0);
    assert_true(H5Pget_section_filter_by_id(dcpl, H5_SECTION_FIXED, 400, NULL, NULL, NULL, 0, NULL, NULL) < 0);
    H5Pclose(wrong);
    H5Pclose(gcpl);
    H5Pclose(dcpl);
}

static void chunk_options(void **state)
{
    (void)state;
    unsigned opts = 99;
    hid_t dcpl = new_dcpl();
    assert_true(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) < 0);
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, H5D_SPARSE_CHUNK), 0);
    assert_int_equal(H5Pget_chunk_opts(dcpl, &opts), 0);
    assert_int_equal(opts, 0);
    assert_int_equal(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS), 0);
    assert_int_equal(H5Pget_chunk_opts(dcpl, &opts), 0);
    assert_int_equal(opts, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    assert_true(H5Pset_chunk_opts(dcpl, 1) < 0);
    H5Pclose(dcpl);
}

/* Where there are no sections their number does not matter. */
static void other_lists(void **state)
{
    (void)state;
    unsigned level = 3;
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), dcpl = new_dcpl();
    assert_int_equal(H5Pset_chunk(dcpl, 2, dims), 0);
    const hid_t lists[] = {gcpl, dcpl};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(H5Pset_filter2(lists[i], 1, H5Z_FILTER_DEFLATE, 0, sizeof level, &level), 0);
        assert_int_equal(count(lists[i], 0), 1);
        assert_int_equal(H5Pget_nfilters(lists[i]), 1);
        assert_int_equal(H5Pmodify_filter2(lists[i], 2, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 4, &level), 0);
        uint64_t flags;
        assert_int_equal(H5Pget_filter_by_id3(lists[i], 4, 1, &flags, NULL, NULL, 0, NULL, NULL), 1);
        assert_int_equal(flags, H5Z_FLAG_OPTIONAL);
        assert_int_equal(H5Premove_filter2(lists[i], 0, H5Z_FILTER_DEFLATE), 0);
        assert_int_equal(H5Pget_nfilters(lists[i]), 0);
    }
    H5Pclose(dcpl);
    H5Pclose(gcpl);
}

static void encoded_lists(void **state)
{
    (void)state;
    unsigned level = 3, flag;
    size_t size = 0;
    hsize_t out[2];
    hid_t dcpl = new_dcpl();
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, H5D_SPARSE_CHUNK | H5D_VL_CHUNK), 0);
    assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_SPARSE), 0);
    assert_int_equal(H5Pset_selection_packing(dcpl), 0);
    assert_int_equal(H5Pset_filter2(dcpl, 2, H5Z_FILTER_DEFLATE, 1, sizeof level, &level), 0);
    assert_int_equal(H5Pencode2(dcpl, NULL, &size, H5P_DEFAULT), 0);
    void *buf = malloc(size);
    assert_int_equal(H5Pencode2(dcpl, buf, &size, H5P_DEFAULT), 0);
    hid_t back = H5Pdecode(buf), copy = H5Pcopy(back);
    free(buf);
    assert_true(H5Pequal(dcpl, back) > 0 && H5Pequal(dcpl, copy) > 0);
    assert_int_equal(H5Pget_struct_chunk(copy, 2, out, &flag), 2);
    assert_int_equal(flag, 3);
    assert_int_equal(out[1], 6);
    assert_int_equal(density_of(copy), H5D_DENSITY_SPARSE);
    assert_int_equal(count(copy, 0), 1);
    assert_int_equal(count(copy, 1), 0);
    assert_int_equal(count(copy, 2), 1);
    assert_int_equal(H5Pset_struct_chunk(copy, 2, dims, H5D_SPARSE_CHUNK), 0);
    assert_int_equal(H5Pequal(dcpl, copy), 0);
    H5Pclose(copy);
    H5Pclose(back);
    H5Pclose(dcpl);
}

static void sections(void **state)
{
    (void)state;
    static const struct {
        unsigned flag, n;
        H5_section_type_t first;
    } cases[] = {{H5D_SPARSE_CHUNK, 2, H5_SECTION_SELECTION},
                 {H5D_VL_CHUNK, 2, H5_SECTION_FIXED},
                 {H5D_SPARSE_CHUNK | H5D_VL_CHUNK, 3, H5_SECTION_SELECTION}};
    H5_section_type_t types[H5_SECTION_NUM];
    unsigned n;
    hid_t dcpl = new_dcpl(), wrong = wrong_list();
    assert_true(H5Pget_struct_chunk_sections(dcpl, &n, types) < 0);
    assert_int_equal(H5Pset_layout(dcpl, H5D_STRUCT_CHUNK), 0);
    assert_int_equal(H5Pget_struct_chunk_sections(dcpl, &n, types), 0);
    assert_int_equal(n, 2);
    assert_int_equal(types[0], H5_SECTION_SELECTION);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(H5Pset_struct_chunk(dcpl, 2, dims, cases[i].flag), 0);
        assert_int_equal(H5Pget_struct_chunk_sections(dcpl, &n, NULL), 0);
        assert_int_equal(n, cases[i].n);
        assert_int_equal(H5Pget_struct_chunk_sections(dcpl, &n, types), 0);
        for (unsigned k = 0; k < n; k++)
            assert_int_equal(types[k], (int)cases[i].first + (int)k);
    }
    assert_int_equal(H5Pset_chunk(dcpl, 2, dims), 0);
    assert_int_equal(H5Pget_struct_chunk_sections(dcpl, &n, types), 0);
    assert_int_equal(n, 1);
    assert_int_equal(types[0], H5_SECTION_FIXED);
    assert_true(H5Pget_struct_chunk_sections(dcpl, NULL, types) < 0);
    assert_true(H5Pget_struct_chunk_sections(wrong, &n, types) < 0);
    H5Pclose(wrong);
    H5Pclose(dcpl);
}

static hid_t new_file(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_fapl_core(fapl, 1 << 16, 0), 0);
    hid_t file = H5Fcreate("struct_plist.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    assert_true(file > 0);
    return file;
}

static void dense_datasets(void **state)
{
    (void)state;
    const hsize_t start[2] = {1, 2}, block[2] = {2, 3};
    hid_t file = new_file(), space = H5Screate_simple(2, dims, NULL), part = H5Scopy(space);
    hid_t other = H5Screate_simple(1, dims, NULL), scalar = H5Screate(H5S_SCALAR);
    hid_t dcpl = new_dcpl(), wrong = wrong_list();
    H5_section_type_t types[H5_SECTION_NUM];
    unsigned n;
    assert_int_equal(H5Pset_chunk(dcpl, 2, dims), 0);
    assert_int_equal(H5Sselect_hyperslab(part, H5S_SELECT_SET, start, NULL, block, NULL), 0);
    for (int chunked = 0; chunked < 2; chunked++) {
        hid_t dset = H5Dcreate2(file, chunked ? "chunked" : "contiguous", H5T_NATIVE_INT, space, H5P_DEFAULT,
                                chunked ? dcpl : H5P_DEFAULT, H5P_DEFAULT);
        hid_t all = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT), some = H5Dget_defined(dset, part, H5P_DEFAULT);
        assert_int_equal(H5Sget_select_npoints(all), 24);
        assert_int_equal(H5Sextent_equal(all, space), 1);
        assert_int_equal(H5Sget_select_npoints(some), 6);
        hsize_t low[2], high[2];
        assert_int_equal(H5Sget_select_bounds(some, low, high), 0);
        assert_int_equal(low[0], 1);
        assert_int_equal(high[1], 4);
        assert_true(H5Derase(dset, part, H5P_DEFAULT) < 0);
        assert_true(H5Derase(dset, H5S_ALL, H5P_DEFAULT) < 0);
        assert_true(H5Dget_defined(dset, other, H5P_DEFAULT) < 0);
        assert_true(H5Dget_defined(dset, part, wrong) < 0);
        assert_true(H5Dget_defined(dset, dset, H5P_DEFAULT) < 0);
        assert_true(H5Derase(dset, dset, H5P_DEFAULT) < 0);
        assert_int_equal(H5Pget_struct_sections_info(dset, &n, types), chunked ? 0 : -1);
        if (chunked) {
            assert_int_equal(n, 1);
            assert_int_equal(types[0], H5_SECTION_FIXED);
            assert_true(H5Pget_struct_sections_info(dset, NULL, types) < 0);
        }
        H5Sclose(some);
        H5Sclose(all);
        H5Dclose(dset);
    }
    hid_t dset = H5Dcreate2(file, "scalar", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t all = H5Dget_defined(dset, scalar, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(all), 1);
    assert_true(H5Dget_defined(file, H5S_ALL, H5P_DEFAULT) < 0);
    assert_true(H5Derase(file, H5S_ALL, H5P_DEFAULT) < 0);
    assert_true(H5Pget_struct_sections_info(file, &n, types) < 0);
    H5Sclose(all);
    H5Dclose(dset);
    H5Pclose(wrong);
    H5Pclose(dcpl);
    H5Sclose(scalar);
    H5Sclose(other);
    H5Sclose(part);
    H5Sclose(space);
    H5Fclose(file);
}

static int quiet(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks),         cmocka_unit_test(density),        cmocka_unit_test(predefined_filters),
        cmocka_unit_test(filter_bytes),   cmocka_unit_test(wrong_filter_arguments), cmocka_unit_test(other_lists),
        cmocka_unit_test(too_few_parameters), cmocka_unit_test(kinds_of_sections), cmocka_unit_test(chunk_options),
        cmocka_unit_test(encoded_lists),  cmocka_unit_test(sections),       cmocka_unit_test(dense_datasets),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
