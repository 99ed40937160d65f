/* Groups of every storage: links by name and by position agree with the list; memory may run out at any point. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "corpus.h"
#include "group/path.h"
#include "object/attr.h"

static const char *const files[] = {"group_old_9links.h5", "group_old_1000links.h5", "group_new_8links_indexed.h5",
                                    "group_new_1000links_indexed.h5", "group_new_1000links_none.h5",
                                    "group_dense_heap_deflate.h5", "links_mixed_dense_tracked.h5", "links_huge_names.h5"};

static void check_link(const struct ts_link *a, const struct ts_link *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->type, b->type);
    assert_true(a->addr == b->addr && a->corder == b->corder);
}

static void check_group(const struct ts_loc *loc)
{
    struct ts_link_list list;
    struct ts_link link;
    H5G_info_t info;
    assert_int_equal(ts_group_info(loc, &info), 0);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_NATIVE; order++) {
            if (ts_group_list(loc, (H5_index_t)index, (H5_iter_order_t)order, &list) < 0) {
                assert_int_equal(index, H5_INDEX_CRT_ORDER);
                assert_int_equal(ts_group_has_order(loc), 0);
                ts_err_clear();
                continue;
            }
            assert_int_equal(list.n, info.nlinks);
            for (size_t i = 0; i < list.n; i += 1 + list.n / 40) {
                assert_int_equal(ts_group_at(loc, (H5_index_t)index, (H5_iter_order_t)order, i, &link), 0);
                check_link(&link, &list.links[i]);
                ts_link_deinit(&link);
                assert_int_equal(ts_group_lookup(loc, list.links[i].name, &link), 1);
                check_link(&link, &list.links[i]);
                ts_link_deinit(&link);
            }
            assert_int_equal(ts_group_at(loc, (H5_index_t)index, (H5_iter_order_t)order, list.n, &link), -1);
            ts_err_clear();
            ts_link_list_deinit(&list);
        }
    assert_int_equal(ts_group_lookup(loc, "there is no such link", &link), 0);
}

static void every_storage(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct ts_fhandle *fh;
        struct ts_link_list list;
        assert_int_equal(corpus_open(files[i], &fh), 0);
        struct ts_loc root = ts_loc_root(fh);
        check_group(&root);
        assert_int_equal(ts_group_list(&root, H5_INDEX_NAME, H5_ITER_INC, &list), 0);
        for (size_t k = 0; k < list.n && k < 50; k++) {
            struct ts_loc loc = {fh, list.links[k].addr};
            H5O_type_t type;
            if (list.links[k].type == H5L_TYPE_HARD && ts_object_type(&loc, &type) == 0 && type == H5O_TYPE_GROUP)
                check_group(&loc);
        }
        ts_link_list_deinit(&list);
        ts_fhandle_unref(fh);
    }
}

/* Finding one of 100,000 links reads a few nodes, not all: ten thousand lookups take no time. */
static void many_links(void **state)
{
    (void)state;
    static const char *const big[] = {"group_old_100000links.h5", "group_new_100000links_indexed.h5"};
    for (size_t i = 0; i < 2; i++) {
        struct ts_fhandle *fh;
        struct ts_place root = {.path = NULL};
        struct ts_link_list list;
        assert_int_equal(corpus_open(big[i], &fh), 0);
        root.loc = ts_loc_root(fh);
        struct ts_link_list top;
        assert_int_equal(ts_group_list(&root.loc, H5_INDEX_NAME, H5_ITER_INC, &top), 0);
        struct ts_loc loc = root.loc;
        if (top.n < 100000)
            for (size_t k = 0; k < top.n; k++) {
                H5G_info_t info;
                struct ts_loc at = {fh, top.links[k].addr};
                if (top.links[k].type == H5L_TYPE_HARD && ts_group_info(&at, &info) == 0 && info.nlinks >= 100000)
                    loc = at;
                ts_err_clear();
            }
        ts_link_list_deinit(&top);
        assert_int_equal(ts_group_list(&loc, H5_INDEX_NAME, H5_ITER_NATIVE, &list), 0);
        assert_true(list.n >= 100000);
        for (size_t k = 0; k < 10000; k++) {
            struct ts_link link;
            const struct ts_link *want = &list.links[k * 7919 % list.n];
            assert_int_equal(ts_group_lookup(&loc, want->name, &link), 1);
            check_link(&link, want);
            ts_link_deinit(&link);
        }
        ts_link_list_deinit(&list);
        ts_fhandle_unref(fh);
    }
}

/* Everything below the root that one look takes. */
static int look(struct ts_fhandle *fh)
{
    struct ts_loc root = ts_loc_root(fh);
    struct ts_link_list links = {0};
    struct ts_attr_list attrs = {0};
    H5O_info1_t info;
    int status = ts_group_list(&root, H5_INDEX_NAME, H5_ITER_INC, &links);
    for (size_t i = 0; status == 0 && i < links.n && i < 12; i++) {
        struct ts_target target;
        struct ts_loc at = {fh, links.links[i].addr};
        struct ts_place start;
        int found = ts_place_init(&start, &root, NULL);
        if (found == 0)
            found = ts_path_walk(&start, links.links[i].name, TS_PATH_LINK, NULL, &target);
        if (found != 1)
            status = -1;
        else
            ts_target_deinit(&target);
        if (status == 0 && links.links[i].type == H5L_TYPE_HARD) {
            status = ts_object_info(&at, H5O_INFO_ALL, &info);
            if (status == 0)
                status = ts_attr_list(&at, "/x", H5_INDEX_NAME, H5_ITER_DEC, &attrs);
            ts_attr_list_deinit(&attrs);
        }
    }
    ts_link_list_deinit(&links);
    return status;
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char *const some[] = {"links_soft_old.h5", "links_mixed_dense_indexed.h5", "attr_count9_new.h5",
                                       "sohm_five_indexes_10.h5", "header_new_committed_types.h5"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        struct ts_fhandle *fh;
        int status = -1;
        for (unsigned long n = 1; status < 0 && n < 20000; n += 1 + n / 50) {
            /* The cache starts empty each time. */
            assert_int_equal(corpus_open(some[i], &fh), 0);
            ts_alloc_fail_at(n, TS_FAULT_FROM);
            status = look(fh);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            ts_err_clear();
            ts_fhandle_unref(fh);
        }
        assert_int_equal(status, 0);
    }
}

static void names(void **state)
{
    (void)state;
    struct ts_fhandle *fh;
    struct ts_place place, start;
    char *path;
    assert_int_equal(corpus_open("links_soft_new.h5", &fh), 0);
    struct ts_loc root = ts_loc_root(fh);
    assert_int_equal(ts_place_init(&start, &root, "/"), 0);
    assert_int_equal(ts_path_object(&start, "chain1", NULL, &place), 0);
    assert_string_equal(place.path, "/chain1");
    assert_int_equal(ts_path_search(&place.loc, &path), 1);
    assert_string_equal(path, "/a/b/data");
    ts_free(path);
    ts_place_deinit(&place);
    assert_int_equal(ts_place_init(&start, &root, "/"), 0);
    assert_int_equal(ts_path_object(&start, "loop1", NULL, &place), -1);
    ts_err_clear();
    ts_fhandle_unref(fh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_storage), cmocka_unit_test(many_links),
                                       cmocka_unit_test(out_of_memory), cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
