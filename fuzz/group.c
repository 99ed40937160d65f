/* A group of any bytes: links found, listed in every order, followed. */
#include "common.h"
#include "container/setup.h"
#include "group/link_class.h"
#include "group/path.h"

static void list_all(const struct ts_loc *loc)
{
    struct ts_link_list list;
    struct ts_link link;
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_NATIVE; order++) {
            if (ts_group_at(loc, (H5_index_t)index, (H5_iter_order_t)order, 1, &link) == 0)
                ts_link_deinit(&link);
            if (ts_group_list(loc, (H5_index_t)index, (H5_iter_order_t)order, &list) < 0)
                continue;
            for (size_t i = 0; i < list.n && i < 20; i++)
                if (ts_group_lookup(loc, list.links[i].name, &link) == 1)
                    ts_link_deinit(&link);
            ts_link_list_deinit(&list);
        }
    ts_err_clear();
}

static void walk_paths(const struct ts_loc *loc)
{
    static const char *const paths[] = {"a", "/a/b", "soft/x", "./g//d", "link0/link1"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct ts_target target;
        struct ts_place start;
        for (unsigned flags = 0; flags < 8; flags++)
            if (ts_place_init(&start, loc, NULL) == 0 && ts_path_walk(&start, paths[i], flags, NULL, &target) == 1)
                ts_target_deinit(&target);
        ts_err_clear();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    H5G_info_t info;
    H5O_info1_t oinfo;
    struct ts_group_create create;
    char *path;
    if (size < FUZZ_HEAD)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, data[0] & 0x10);
    /* Files that the input names are not to be opened. */
    if (ts_link_class_unregister(H5L_TYPE_EXTERNAL) < 0)
        ts_err_clear();
    struct ts_fhandle fh = {.file = f, .name = f->name};
    atomic_init(&f->refs, 1);
    ts_count_init(&fh.refs, 1);
    f->sb.extension = HADDR_UNDEF;
    f->sb.root = ff.start;
    f->sb.group_leaf_k = 4;
    f->sb.group_internal_k = 16;
    struct ts_loc loc = {&fh, ff.start};
    if (ts_container_setup(f) == 0) {
        ts_group_info(&loc, &info);
        ts_object_info(&loc, H5O_INFO_ALL, &oinfo);
        if (ts_group_create_info(&loc, &create) == 0)
            ts_pipeline_deinit(&create.pipeline);
        list_all(&loc);
        walk_paths(&loc);
        struct ts_loc other = {&fh, ff.start + 1};
        if (ts_path_search(&other, &path) == 1)
            ts_free(path);
    }
    if (!ts_count_is_one(&fh.refs))
        abort();
    fuzz_close(&ff);
    return 0;
}
