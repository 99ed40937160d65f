/* Links and groups of the corpus by every function that shows them. */
#include "read_util.h"

#define FEW 120

static void show_link(const char *prefix, const char *name, const H5L_info_t *info)
{
    printf("%s%.80s: type %d order %d %lld cset %d", prefix, name, (int)info->type, info->corder_valid,
           info->corder_valid ? (long long)info->corder : 0, (int)info->cset);
    if (info->type == H5L_TYPE_HARD)
        printf(" address %llu\n", (unsigned long long)info->u.address);
    else
        printf(" size %zu\n", info->u.val_size);
}

struct tally {
    unsigned long hash;
    unsigned count, stop;
};

static herr_t count_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    struct tally *t = data;
    t->hash = fold(t->hash, name) + (unsigned long)info->type + (unsigned long)info->corder * 7;
    t->count++;
    if (t->count <= 3 && H5Iget_type(group) != H5I_GROUP)
        printf("  not a group\n");
    return t->stop && t->count == t->stop ? 5 : 0;
}

static herr_t show_each(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)data;
    show_link("    ", name, info);
    return 0;
}

static void iterate(hid_t group, hsize_t nlinks)
{
    FOR_ALL_ORDERS(t, o)
    {
        struct tally all = {0, 0, 0}, part = {0, 0, 2}, rest = {0, 0, 0}, none = {0, 0, 0};
        hsize_t at = 0, from, behind = nlinks;
        int r = H5Literate(group, (H5_index_t)t, (H5_iter_order_t)o, &at, count_link, &all);
        printf("  iterate %s %s: %d at %llu, %u links %lx\n", index_name((H5_index_t)t), order_name((H5_iter_order_t)o),
               r, (unsigned long long)at, all.count, all.hash);
        from = 0;
        r = H5Literate(group, (H5_index_t)t, (H5_iter_order_t)o, &from, count_link, &part);
        printf("    stopped: %d at %llu", r, (unsigned long long)from);
        if (r >= 0)
            r = H5Literate(group, (H5_index_t)t, (H5_iter_order_t)o, &from, count_link, &rest);
        printf(", again: %d at %llu, %u %lx\n", r, (unsigned long long)from, rest.count, rest.hash);
        r = H5Literate(group, (H5_index_t)t, (H5_iter_order_t)o, &behind, count_link, &none);
        printf("    from the end: %d %u\n", r, none.count);
    }
}

static void by_index(hid_t group, hsize_t nlinks)
{
    const hsize_t places[] = {0, 1, nlinks / 2, nlinks - 1, nlinks};
    FOR_ALL_ORDERS(t, o)
    for (unsigned i = 0; i < 5; i++) {
        char name[100], value[100] = "", small[4] = "zzz";
        H5L_info_t info;
        if (places[i] > nlinks || (i && places[i] == places[i - 1]))
            continue;
        ssize_t len = H5Lget_name_by_idx(group, ".", (H5_index_t)t, (H5_iter_order_t)o, places[i], name, sizeof name,
                                         H5P_DEFAULT);
        printf("  %s %s %llu: %zd", index_name((H5_index_t)t), order_name((H5_iter_order_t)o),
               (unsigned long long)places[i], len);
        if (len < 0) {
            printf("\n");
            continue;
        }
        printf(" %.40s", name);
        len = H5Lget_name_by_idx(group, ".", (H5_index_t)t, (H5_iter_order_t)o, places[i], small, 3, H5P_DEFAULT);
        printf(" %zd %s\n", len, small);
        if (H5Lget_info_by_idx(group, ".", (H5_index_t)t, (H5_iter_order_t)o, places[i], &info, H5P_DEFAULT) >= 0)
            show_link("    ", name, &info);
        int r = H5Lget_val_by_idx(group, ".", (H5_index_t)t, (H5_iter_order_t)o, places[i], value, sizeof value - 1,
                                  H5P_DEFAULT);
        printf("    value %d %s\n", r, r >= 0 ? value : "");
    }
}

static herr_t old_each(hid_t group, const char *name, void *data)
{
    (void)group;
    unsigned *n = data;
    printf("    %.60s\n", name);
    return ++*n == 3 ? 2 : 0;
}

static void old_functions(hid_t group)
{
    hsize_t n = 0;
    int r = H5Gget_num_objs(group, &n);
    printf("  old: %d %llu\n", r, (unsigned long long)n);
    for (hsize_t i = 0; i <= n && i < 6; i++) {
        char name[60] = "";
        ssize_t len = H5Gget_objname_by_idx(group, i, name, sizeof name);
        int type = H5Gget_objtype_by_idx(group, i);
        printf("    %zd %s %d\n", len, len < 0 ? "" : name, type);
        H5G_stat_t st;
        char value[30] = "";
        for (int follow = 0; follow < 2 && len >= 0; follow++) {
            memset(&st, 0, sizeof st);
            r = H5Gget_objinfo(group, name, (hbool_t)follow, &st);
            printf("      info %d: %d", follow, r);
            if (r >= 0)
                printf(" object %lu %lu links %u type %d length %zu header %llu %llu %u %u", st.objno[0], st.objno[1],
                       st.nlink, (int)st.type, st.linklen, (unsigned long long)st.ohdr.size,
                       (unsigned long long)st.ohdr.free, st.ohdr.nmesgs, st.ohdr.nchunks);
            printf("\n");
        }
        if (len >= 0) {
            r = H5Gget_linkval(group, name, sizeof value, value);
            printf("      value %d %.20s\n", r, r >= 0 ? value + (value[0] == 0) : "");
        }
    }
    int at = 0;
    unsigned seen = 0;
    r = H5Giterate(group, ".", &at, old_each, &seen);
    printf("    iterate %d at %d\n", r, at);
    at = -1;
    printf("    iterate %d\n", H5Giterate(group, ".", &at, old_each, &seen));
}

static void show_create_plist(hid_t group)
{
    hid_t gcpl = H5Gget_create_plist(group);
    unsigned a = 0, b = 0, c = 0, d = 0, order = 0, attr_order = 0, e = 0, f = 0;
    size_t hint = 0;
    if (gcpl < 0) {
        printf("  no list\n");
        return;
    }
    H5Pget_link_phase_change(gcpl, &a, &b);
    H5Pget_est_link_info(gcpl, &c, &d);
    H5Pget_link_creation_order(gcpl, &order);
    H5Pget_attr_creation_order(gcpl, &attr_order);
    H5Pget_attr_phase_change(gcpl, &e, &f);
    H5Pget_local_heap_size_hint(gcpl, &hint);
    printf("  list: phase %u %u estimate %u %u order %u attributes %u phase %u %u hint %zu filters %d\n", a, b, c, d,
           order, attr_order, e, f, hint, H5Pget_nfilters(gcpl));
    H5Pclose(gcpl);
}

static void show_group(hid_t group)
{
    H5G_info_t info;
    memset(&info, 0, sizeof info);
    int r = H5Gget_info(group, &info);
    printf("  info %d: storage %d links %llu order %lld mounted %d\n", r, (int)info.storage_type,
           (unsigned long long)info.nlinks, (long long)info.max_corder, info.mounted);
    show_create_plist(group);
    if (info.nlinks < FEW) {
        hsize_t at = 0;
        H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, show_each, NULL);
    }
    if (info.nlinks <= 3000) {
        iterate(group, info.nlinks);
        by_index(group, info.nlinks);
        old_functions(group);
    } else {
        struct tally all = {0, 0, 0};
        r = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, count_link, &all);
        printf("  iterate %d: %u %lx\n", r, all.count, all.hash);
    }
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    struct tally *t = data;
    char path[120] = "";
    t->hash = fold(t->hash, name);
    if (t->count++ < FEW)
        show_link("    ", name, info);
    if (t->count > 300)
        return 0;
    printf("      exists %d", H5Lexists(group, name, H5P_DEFAULT));
    printf(" object %d\n", H5Oexists_by_name(group, name, H5P_DEFAULT));
    hid_t id = H5Gopen2(group, name, H5P_DEFAULT);
    if (id >= 0) {
        ssize_t len = H5Iget_name(id, path, sizeof path);
        printf("      group %zd %s\n", len, path);
        if (t->count < 40)
            show_group(id);
        H5Gclose(id);
    }
    return 0;
}

static void show_file(const char *name, hid_t file)
{
    struct tally all = {0, 0, 0};
    (void)name;
    show_group(file);
    int r = H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_link, &all);
    printf("  visit %d: %u links %lx\n", r, all.count, all.hash);
    struct tally down = {0, 0, 0}, stop = {0, 0, 2};
    r = H5Lvisit(file, H5_INDEX_NAME, H5_ITER_DEC, count_link, &down);
    printf("  visit down %d: %u links %lx\n", r, down.count, down.hash);
    r = H5Lvisit_by_name(file, "/", H5_INDEX_CRT_ORDER, H5_ITER_INC, count_link, &stop, H5P_DEFAULT);
    printf("  visit by order %d: %u links %lx\n", r, stop.count, stop.hash);
}

int main(void)
{
    static const char *const patterns[] = {"group_*.h5", "links_*.h5", "header_*.h5", "superblock_*.h5", "sohm_*.h5",
                                           NULL};
    return for_files(patterns, show_file);
}
