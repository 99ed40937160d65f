/* Every allocation of opening, walking and reading a file fails once: nothing crashes, nothing leaks, no wrong values come
 * back as if they were right, and afterwards the file reads as before. */
#include "unit/cmocka_all.h"

#include <limits.h>
#include <unistd.h>

#include "base/alloc.h"
#include "walk_file.h"

static bool same(const struct walked *a, const struct walked *b)
{
    return a->hash == b->hash && a->objects == b->objects && a->datasets == b->datasets && a->attributes == b->attributes;
}

/* At most `limit` of the allocations are made to fail, spread evenly; 0: all of them. */
static void fail_each(const char *name, unsigned long limit, enum ts_alloc_fault mode)
{
    char path[4096];
    corpus_path(name, path, sizeof path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    struct walked expected = walk_file(path);
    if (expected.failed || expected.objects == 0)
        fail_msg("%s was not read", name);
    ts_alloc_fail_at(ULONG_MAX, TS_FAULT_ONCE);
    walk_file(path);
    unsigned long total = ts_alloc_fail_at(0, TS_FAULT_ONCE);
    unsigned long step = limit && total > limit ? total / limit : 1, failures = 0;
    assert_true(total > 20);
    for (unsigned long n = 1; n <= total; n += step) {
        ts_alloc_fail_at(n, mode);
        struct walked got = walk_file(path);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        failures += got.failed;
        if (!got.failed && !same(&got, &expected))
            fail_msg("%s: allocation %lu of %lu failed, and the values are wrong without an error", name, n, total);
        if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
            fail_msg("%s: allocation %lu of %lu failed, and objects stayed open", name, n, total);
    }
    assert_true(failures > 0);
    struct walked after = walk_file(path);
    assert_false(after.failed);
    assert_true(same(&after, &expected));
}

static void test_old_groups(void **state)
{
    (void)state;
    fail_each("superblock_v0_userblock0.h5", 0, TS_FAULT_ONCE);
    fail_each("group_old_100links.h5", 150, TS_FAULT_ONCE);
}

static void test_new_file(void **state)
{
    (void)state;
    fail_each("superblock_v110_userblock0.h5", 0, TS_FAULT_ONCE);
    fail_each("superblock_v110_userblock0.h5", 100, TS_FAULT_FROM);
}

static void test_dense(void **state)
{
    (void)state;
    fail_each("attr_count50_new.h5", 150, TS_FAULT_ONCE);
    fail_each("links_mixed_dense_indexed.h5", 150, TS_FAULT_ONCE);
    fail_each("attr_on_everything_new.h5", 0, TS_FAULT_ONCE);
}

static void test_filtered_chunks(void **state)
{
    (void)state;
    fail_each("filter_chain_seven_new.h5", 150, TS_FAULT_ONCE);
    fail_each("filter_chain_shuffle_szip_old.h5", 100, TS_FAULT_ONCE);
    fail_each("index_bt2_100chunks_filtered.h5", 100, TS_FAULT_ONCE);
    fail_each("index_ea_100chunks_filtered.h5", 100, TS_FAULT_ONCE);
    fail_each("index_farray_20chunks_filtered.h5", 100, TS_FAULT_ONCE);
    fail_each("index_btree1_64chunks_filtered.h5", 100, TS_FAULT_ONCE);
}

static void test_sequences(void **state)
{
    (void)state;
    fail_each("type_vlen_nested_new.h5", 300, TS_FAULT_ONCE);
    fail_each("type_compound_vlen_old.h5", 300, TS_FAULT_ONCE);
    fail_each("heap_strings100_new.h5", 150, TS_FAULT_ONCE);
}

static void test_virtual(void **state)
{
    (void)state;
    fail_each("virtual_several2.h5", 300, TS_FAULT_ONCE);
    fail_each("virtual_printf_4blocks.h5", 150, TS_FAULT_ONCE);
    fail_each("virtual_unlimited.h5", 150, TS_FAULT_ONCE);
}

static void test_shared_messages(void **state)
{
    (void)state;
    fail_each("sohm_all_list_new.h5", 150, TS_FAULT_ONCE);
    fail_each("sohm_attribute_btree_old.h5", 150, TS_FAULT_ONCE);
}

static void test_others(void **state)
{
    (void)state;
    fail_each("space_cache_image.h5", 150, TS_FAULT_ONCE);
    fail_each("layout_external_several_new.h5", 150, TS_FAULT_ONCE);
    fail_each("header_new_every_message.h5", 200, TS_FAULT_ONCE);
    fail_each("header_old_committed_types.h5", 200, TS_FAULT_ONCE);
}

int main(void)
{
    /* External raw files are looked for in the current folder. */
    const char *corpus = getenv("TESSERA_CORPUS");
    if (corpus && chdir(corpus) < 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_groups),      cmocka_unit_test(test_new_file),  cmocka_unit_test(test_dense),
        cmocka_unit_test(test_filtered_chunks), cmocka_unit_test(test_sequences), cmocka_unit_test(test_virtual),
        cmocka_unit_test(test_shared_messages), cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
