/* Filters of structured chunks in creation lists: which section gets what, and when it is decided. */
#include <stdio.h>
#include <string.h>

#include "unit/plist/start_stop.h"

#include "base/alloc.h"
#include "filter/filter.h"
#include "plist/sections.h"

enum { SPARSE = TS_STRUCT_SPARSE, VL = TS_STRUCT_VL, BOTH = TS_STRUCT_SPARSE | TS_STRUCT_VL };

static struct ts_plist *list_of(H5D_layout_t cls, unsigned struct_type)
{
    struct ts_plist *pl;
    struct ts_layout_prop layout = {.cls = cls, .struct_type = struct_type, .chunk_rank = 1, .chunk_dims = {10}};
    assert_int_equal(ts_plist_new(TS_PLIST_DATASET_CREATE, &pl), 0);
    assert_int_equal(ts_dcpl_set_layout(pl, &layout), 0);
    return pl;
}

static void add(struct ts_plist *pl, uint64_t section, H5Z_filter_t id)
{
    unsigned value = 7;
    struct ts_filter f = {.id = id, .flags = H5Z_FLAG_OPTIONAL, .n_values = 1, .values = &value};
    assert_int_equal(ts_dcpl_add_filter(pl, section, &f), 0);
}

/* "1 2|3" says filters 1 and 2 in section 0, 3 in section 1. */
static void expect(struct ts_plist *pl, unsigned type, const char *want)
{
    struct ts_pipeline_sections p;
    char text[256] = "";
    assert_int_equal(ts_dcpl_section_pipelines(pl, type, &p), 0);
    for (unsigned s = 0; s < TS_SECTIONS_MAX; s++) {
        if (s > 0 && s < ts_struct_sections(type))
            strcat(text, "|");
        for (size_t i = 0; i < p.section[s].n; i++)
            snprintf(text + strlen(text), 16, "%s%d", i ? " " : "", (int)p.section[s].filters[i].id);
    }
    assert_string_equal(text, want);
    ts_pipeline_sections_deinit(&p);
}

static void all_sections_take_what_suits_them(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_STRUCT_CHUNK, SPARSE);
    const int ids[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_NBIT,     H5Z_FILTER_SCALEOFFSET, H5Z_FILTER_DEFLATE,
                       H5Z_FILTER_SZIP,    H5Z_FILTER_FLETCHER32, TS_FILTER_LZF,         300};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        add(pl, TS_SECTION_ALL, ids[i]);
    expect(pl, SPARSE, "2 1 4 32000 300|2 5 6 1 4 3 32000 300");
    expect(pl, BOTH, "2 1 4 32000 300|2 1 4 32000 300|2 1 4 32000 300");
    expect(pl, VL, "2 1 4 32000 300|2 1 4 32000 300");
    ts_plist_unref(pl);
}

static void named_sections(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_STRUCT_CHUNK, SPARSE);
    bool yes = true;
    add(pl, 1, H5Z_FILTER_SHUFFLE);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_DEFLATE);
    add(pl, 0, H5Z_FILTER_FLETCHER32);
    add(pl, 2, TS_FILTER_ZSTD);
    expect(pl, SPARSE, "1 3|2 1");
    expect(pl, BOTH, "1 3|2 1|1 32015");
    assert_int_equal(ts_dcpl_set_selection_packing(pl, yes), 0);
    expect(pl, BOTH, "60010 1 3|2 1|1 32015");
    struct ts_filter f = {.id = 1};
    assert_true(ts_dcpl_add_filter(pl, 3, &f) < 0);
    assert_true(ts_dcpl_add_filter(pl, 256, &f) < 0);
    expect(pl, SPARSE, "60010 1 3|2 1");
    ts_plist_unref(pl);
}

static void remove_from_one_section(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_STRUCT_CHUNK, SPARSE);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_SHUFFLE);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_DEFLATE);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_SZIP);
    assert_int_equal(ts_dcpl_remove_filter(pl, 0, H5Z_FILTER_DEFLATE), 0);
    expect(pl, BOTH, "2 4|2 1 4|2 1 4");
    assert_true(ts_dcpl_remove_filter(pl, 0, H5Z_FILTER_DEFLATE) < 0);
    assert_int_equal(ts_dcpl_remove_filter(pl, 0, H5Z_FILTER_SHUFFLE), 0);
    assert_true(ts_dcpl_remove_filter(pl, 3, H5Z_FILTER_SZIP) < 0);
    assert_int_equal(ts_dcpl_remove_filter(pl, 1, H5Z_FILTER_ALL), 0);
    expect(pl, BOTH, "4||2 1 4");
    assert_int_equal(ts_dcpl_remove_filter(pl, 1, H5Z_FILTER_ALL), 0);
    assert_int_equal(ts_dcpl_remove_filter(pl, TS_SECTION_ALL, H5Z_FILTER_SZIP), 0);
    expect(pl, BOTH, "||2 1");
    ts_plist_unref(pl);
}

static void modify_in_one_section(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_STRUCT_CHUNK, SPARSE);
    struct ts_pipeline_sections p;
    unsigned nine = 9, three = 3;
    struct ts_filter f = {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = &nine};
    add(pl, TS_SECTION_ALL, H5Z_FILTER_SCALEOFFSET);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_DEFLATE);
    assert_int_equal(ts_dcpl_modify_filter(pl, 0, &f), 0);
    struct ts_filter scale = {.id = H5Z_FILTER_SCALEOFFSET, .n_values = 1, .values = &three};
    assert_true(ts_dcpl_modify_filter(pl, 0, &scale) < 0);
    assert_int_equal(ts_dcpl_modify_filter(pl, 1, &scale), 0);
    /* Still not for references. */
    expect(pl, BOTH, "1|1|1");
    assert_int_equal(ts_dcpl_section_pipelines(pl, SPARSE, &p), 0);
    assert_int_equal(p.section[0].filters[0].values[0], 9);
    assert_int_equal(p.section[0].filters[0].flags, 0);
    assert_int_equal(p.section[1].n, 2);
    assert_int_equal(p.section[1].filters[0].values[0], 3);
    assert_int_equal(p.section[1].filters[1].values[0], 7);
    assert_int_equal(p.section[1].filters[1].flags, H5Z_FLAG_OPTIONAL);
    ts_pipeline_sections_deinit(&p);
    nine = 5;
    assert_int_equal(ts_dcpl_modify_filter(pl, TS_SECTION_ALL, &f), 0);
    assert_int_equal(ts_dcpl_section_pipelines(pl, BOTH, &p), 0);
    for (unsigned s = 0; s < 3; s++)
        assert_int_equal(p.section[s].filters[0].values[0], 5);
    ts_pipeline_sections_deinit(&p);
    ts_plist_unref(pl);
}

static void sections_follow_the_layout(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_CHUNKED, 0);
    struct ts_layout_prop vl = {.cls = H5D_STRUCT_CHUNK, .struct_type = VL, .chunk_rank = 1, .chunk_dims = {5}};
    struct ts_pipeline p;
    /* Named before there are sections: kept, as one pipeline as long as there are none. */
    add(pl, 0, H5Z_FILTER_DEFLATE);
    add(pl, 1, H5Z_FILTER_SHUFFLE);
    add(pl, 2, TS_FILTER_LZ4);
    assert_int_equal(ts_dcpl_filters(pl, 0, &p), 0);
    assert_int_equal(p.n, 3);
    ts_pipeline_deinit(&p);
    assert_int_equal(ts_dcpl_set_density(pl, H5D_DENSITY_SPARSE), 0);
    expect(pl, BOTH, "1|2|32004");
    assert_int_equal(ts_dcpl_filters(pl, TS_SECTION_ALL, &p), 0);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.filters[0].id, H5Z_FILTER_SHUFFLE);
    ts_pipeline_deinit(&p);
    /* Sparse by density still: the numbers stay. */
    assert_int_equal(ts_dcpl_change_layout(pl, &vl), 0);
    expect(pl, BOTH, "1|2|32004");
    assert_int_equal(ts_dcpl_set_density(pl, H5D_DENSITY_DENSE), 0);
    expect(pl, VL, "2|32004");
    assert_int_equal(ts_dcpl_set_density(pl, H5D_DENSITY_SPARSE), 0);
    expect(pl, BOTH, "|2|32004");
    assert_int_equal(ts_dcpl_change_layout(pl, &(struct ts_layout_prop){.cls = H5D_COMPACT}), 0);
    assert_int_equal(ts_ocpl_pipeline(pl, &p), 0);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.filters[0].id, H5Z_FILTER_SHUFFLE);
    assert_int_equal(p.filters[0].only, 0);
    ts_pipeline_deinit(&p);
    ts_plist_unref(pl);
}

static void kinds_follow_the_layout(void **state)
{
    (void)state;
    static const unsigned value = 7;
    const struct ts_filter deflate = {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = (unsigned *)&value};
    struct ts_filter lz4 = {.id = TS_FILTER_LZ4}, shuffle = {.id = H5Z_FILTER_SHUFFLE};
    struct ts_layout_prop vl = {.cls = H5D_STRUCT_CHUNK, .struct_type = VL, .chunk_rank = 1, .chunk_dims = {5}};
    struct ts_plist *pl = list_of(H5D_CHUNKED, 0);
    struct ts_pipeline p;
    uint64_t section;
    /* Plain chunks are fixed data. */
    assert_int_equal(ts_dcpl_add_kind_filter(pl, H5_SECTION_FIXED, &deflate), 0);
    assert_true(ts_dcpl_add_kind_filter(pl, H5_SECTION_SELECTION, &deflate) < 0);
    assert_true(ts_dcpl_add_kind_filter(pl, H5_SECTION_VL, &deflate) < 0);
    assert_int_equal(ts_dcpl_change_layout(pl, &vl), 0);
    assert_true(ts_dcpl_add_kind_filter(pl, H5_SECTION_SELECTION, &deflate) < 0);
    assert_int_equal(ts_dcpl_add_kind_filter(pl, H5_SECTION_VL, &lz4), 0);
    expect(pl, VL, "1|32004");
    assert_int_equal(ts_dcpl_kind_section(pl, H5_SECTION_VL, &section), 0);
    assert_int_equal(section, 1);
    assert_int_equal(ts_dcpl_set_density(pl, H5D_DENSITY_SPARSE), 0);
    assert_int_equal(ts_dcpl_kind_section(pl, H5_SECTION_VL, &section), 0);
    assert_int_equal(section, 2);
    assert_int_equal(ts_dcpl_add_kind_filter(pl, H5_SECTION_SELECTION, &shuffle), 0);
    expect(pl, BOTH, "2|1|32004");
    expect(pl, SPARSE, "2|1");
    assert_int_equal(ts_dcpl_set_density(pl, H5D_DENSITY_DENSE), 0);
    expect(pl, VL, "1|32004");
    assert_int_equal(ts_dcpl_change_layout(pl, &(struct ts_layout_prop){.cls = H5D_CONTIGUOUS}), 0);
    assert_int_equal(ts_ocpl_pipeline(pl, &p), 0);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.filters[0].id, H5Z_FILTER_DEFLATE);
    ts_pipeline_deinit(&p);
    assert_true(ts_dcpl_kind_section(pl, H5_SECTION_UNKNOWN, &section) < 0);
    assert_true(ts_dcpl_kind_section(pl, H5_SECTION_NUM, &section) < 0);
    ts_plist_unref(pl);
}

static void layout_at_creation(void **state)
{
    (void)state;
    static const struct {
        H5D_layout_t cls;
        unsigned type, density;
        bool heap;
        int want; /* -1: error, 0: as it is, else the final type */
    } cases[] = {
        {H5D_CONTIGUOUS, 0, 0, false, 0}, {H5D_CONTIGUOUS, 0, 1, false, SPARSE},
        {H5D_COMPACT, 0, 1, false, -1}, {H5D_VIRTUAL, 0, 1, false, 0}, {H5D_CHUNKED, 0, 0, true, 0},
        {H5D_CHUNKED, 0, 1, false, SPARSE}, {H5D_CHUNKED, 0, 1, true, BOTH},
        {H5D_STRUCT_CHUNK, SPARSE, 0, false, SPARSE}, {H5D_STRUCT_CHUNK, SPARSE, 0, true, BOTH},
        {H5D_STRUCT_CHUNK, VL, 0, true, VL}, {H5D_STRUCT_CHUNK, VL, 0, false, -1},
        {H5D_STRUCT_CHUNK, VL, 1, false, -1}, {H5D_STRUCT_CHUNK, BOTH, 0, false, -1},
        {H5D_STRUCT_CHUNK, BOTH, 0, true, BOTH}, {H5D_STRUCT_CHUNK, 0, 0, false, SPARSE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_plist *pl = list_of(cases[i].cls, cases[i].type);
        struct ts_layout_prop layout;
        H5D_density_t density = (H5D_density_t)cases[i].density;
        assert_int_equal(ts_dcpl_set_said_density(pl, density), 0);
        int status = ts_dcpl_creation_layout(pl, cases[i].heap, &layout);
        assert_int_equal(status, cases[i].want < 0 ? -1 : 0);
        if (status == 0) {
            assert_int_equal(layout.cls, cases[i].want ? H5D_STRUCT_CHUNK : cases[i].cls);
            assert_int_equal(layout.struct_type, cases[i].want);
            assert_int_equal(layout.chunk_dims[0], 10);
            ts_layout_prop_deinit(&layout);
        }
        ts_plist_unref(pl);
    }
}

static void lists_of_datasets(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_STRUCT_CHUNK, BOTH), *of;
    struct ts_pipeline_sections p;
    bool yes = true, packed;
    assert_int_equal(ts_dcpl_set_selection_packing(pl, yes), 0);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_SHUFFLE);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_DEFLATE);
    assert_int_equal(ts_dcpl_section_pipelines(pl, BOTH, &p), 0);
    of = list_of(H5D_STRUCT_CHUNK, BOTH);
    assert_int_equal(ts_dcpl_set_section_pipelines(of, BOTH, &p), 0);
    ts_pipeline_sections_deinit(&p);
    expect(of, BOTH, "60010 2 1|2 1|2 1");
    assert_int_equal(ts_dcpl_selection_packing(of, &packed), 0);
    assert_true(packed);
    assert_int_equal(ts_dcpl_remove_filter(of, 0, TS_FILTER_SELECTION_PACKING), 0);
    expect(of, BOTH, "2 1|2 1|2 1");
    ts_plist_unref(of);
    ts_plist_unref(pl);
}

static void encoded_and_copied(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_STRUCT_CHUNK, BOTH), *back, *copy;
    struct ts_wr w = {0};
    bool yes = true;
    assert_int_equal(ts_dcpl_set_density(pl, H5D_DENSITY_SPARSE), 0);
    assert_int_equal(ts_dcpl_set_selection_packing(pl, yes), 0);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_DEFLATE);
    add(pl, 1, H5Z_FILTER_SHUFFLE);
    assert_int_equal(ts_plist_encode(pl, &w), 0);
    struct ts_rd r = ts_rd_init(w.data, w.size);
    assert_int_equal(ts_plist_decode(&r, &back), 0);
    assert_true(ts_plist_equal(pl, back));
    expect(back, BOTH, "60010 1|1 2|1");
    assert_int_equal(ts_plist_copy(back, &copy), 0);
    assert_true(ts_plist_equal(pl, copy));
    assert_int_equal(ts_dcpl_remove_filter(copy, 1, H5Z_FILTER_SHUFFLE), 0);
    add(copy, 2, H5Z_FILTER_SHUFFLE);
    assert_false(ts_plist_equal(pl, copy)); /* the section counts */
    for (size_t size = 0; size < w.size; size++) {
        struct ts_plist *broken;
        r = ts_rd_init(w.data, size);
        assert_true(ts_plist_decode(&r, &broken) < 0);
    }
    ts_wr_free(&w);
    ts_plist_unref(copy);
    ts_plist_unref(back);
    ts_plist_unref(pl);
}

static void nothing_changes_without_memory(void **state)
{
    (void)state;
    struct ts_plist *pl = list_of(H5D_STRUCT_CHUNK, SPARSE);
    struct ts_layout_prop vl = {.cls = H5D_STRUCT_CHUNK, .struct_type = VL, .chunk_rank = 1, .chunk_dims = {5}};
    unsigned nine = 9;
    struct ts_filter f = {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = &nine};
    bool yes = true;
    assert_int_equal(ts_dcpl_set_selection_packing(pl, yes), 0);
    add(pl, TS_SECTION_ALL, H5Z_FILTER_DEFLATE);
    add(pl, 1, H5Z_FILTER_SHUFFLE);
    for (int what = 0; what < 4; what++)
        for (unsigned long n = 1;; n++) {
            struct ts_plist *work;
            struct ts_pipeline_sections p;
            assert_int_equal(ts_plist_copy(pl, &work), 0);
            ts_alloc_fail_at(n, TS_FAULT_ONCE);
            int status = what == 0   ? ts_dcpl_section_pipelines(work, BOTH, &p)
                         : what == 1 ? ts_dcpl_remove_filter(work, 0, H5Z_FILTER_DEFLATE)
                         : what == 2 ? ts_dcpl_modify_filter(work, 0, &f)
                                     : ts_dcpl_change_layout(work, &vl);
            bool reached = ts_alloc_fail_at(0, TS_FAULT_ONCE) >= n;
            if (status == 0 && what == 0)
                ts_pipeline_sections_deinit(&p);
            if (status < 0 && what < 3)
                expect(work, SPARSE, "60010 1|1 2");
            assert_int_equal(status, reached ? -1 : 0);
            ts_plist_unref(work);
            if (!reached)
                break;
        }
    ts_plist_unref(pl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sections_take_what_suits_them),
        cmocka_unit_test(named_sections),
        cmocka_unit_test(remove_from_one_section),
        cmocka_unit_test(modify_in_one_section),
        cmocka_unit_test(sections_follow_the_layout),
        cmocka_unit_test(kinds_follow_the_layout),
        cmocka_unit_test(layout_at_creation),
        cmocka_unit_test(lists_of_datasets),
        cmocka_unit_test(encoded_and_copied),
        cmocka_unit_test(nothing_changes_without_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
