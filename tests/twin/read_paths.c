/* Paths through links of every kind: what is found, how it is named, when it is refused. */
#include "read_util.h"

static void show_path(hid_t loc, const char *path, hid_t lapl)
{
    H5L_info_t info;
    H5O_info_t oinfo;
    char name[120] = "", file[4096] = "";
    int r = H5Lget_info(loc, path, &info, lapl);
    printf("    '%.60s': link %d %d", path, r, r >= 0 ? (int)info.type : -9);
    printf(" exists %d", H5Lexists(loc, path, lapl));
    /* Stock says 1 for a link to nowhere with "/." behind it. */
    if (!strstr(path, "/."))
        printf(" object %d", H5Oexists_by_name(loc, path, lapl));
    printf(" info %d", H5Oget_info_by_name(loc, path, &oinfo, lapl));
    hid_t obj = H5Oopen(loc, path, lapl);
    if (obj >= 0) {
        ssize_t len = H5Iget_name(obj, name, sizeof name);
        H5Fget_name(obj, file, sizeof file);
        char *base = strrchr(file, '/');
        printf(" type %d name %zd %.80s in %s", (int)H5Iget_type(obj), len, name, base ? base + 1 : file);
        hid_t fid = H5Iget_file_id(obj);
        printf(" file %d", fid >= 0 && H5Iget_type(fid) == H5I_FILE);
        H5Fclose(fid);
        if (H5Iget_type(obj) == H5I_GROUP) {
            hid_t root = H5Gopen2(obj, "/", H5P_DEFAULT), same = H5Gopen2(obj, ".", H5P_DEFAULT);
            strcpy(name, "");
            H5Iget_name(same, name, sizeof name);
            printf(" same %.60s", name);
            H5Gclose(root);
            H5Gclose(same);
        }
        H5Oclose(obj);
    }
    printf("\n");
}

static void show_forms(hid_t loc, const char *name)
{
    static const char *const forms[] = {"%.200s", "/%.200s", "./%.200s", "%.200s/", "%.200s//", "%.200s/.", "%.200s/./",
                                        "//%.200s", "%.200s/x", "x/%.200s", "%.200s/data", "a/../%.200s", "%.200s/b/data"};
    char path[300];
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        snprintf(path, sizeof path, forms[i], name);
        show_path(loc, path, H5P_DEFAULT);
    }
}

static herr_t each_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)data;
    if (info->type != H5L_TYPE_HARD || !strcmp(name, "a") || !strcmp(name, "own"))
        show_forms(group, name);
    return 0;
}

static void show_limits(hid_t file)
{
    static const size_t limits[] = {1, 2, 3, 4, 5, 100};
    static const char *const paths[] = {"chain1", "chain2", "chain3", "through", "loop1", "round", "group/relative"};
    hid_t lapl = H5Pcreate(H5P_LINK_ACCESS);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        printf("  %zu links: %d\n", limits[i], H5Pset_nlinks(lapl, limits[i]));
        for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++)
            show_path(file, paths[k], lapl);
    }
    printf("  0 links: %d\n", H5Pset_nlinks(lapl, 0));
    H5Pclose(lapl);
}

static herr_t on_external(const char *parent_file, const char *parent_group, const char *file, const char *path,
                          unsigned *flags, hid_t fapl, void *data)
{
    const char *base = strrchr(parent_file, '/');
    printf("      callback %s %s %s %s %u list %d\n", base ? base + 1 : parent_file, parent_group, file, path, *flags,
           H5Iget_type(fapl) == H5I_GENPROP_LST);
    return *(int *)data;
}

static void show_external(hid_t file)
{
    hid_t lapl = H5Pcreate(H5P_LINK_ACCESS);
    int answer = 0;
    const char *dir = getenv("TESSERA_CORPUS");
    H5Pset_elink_cb(lapl, on_external, &answer);
    show_path(file, "data", lapl);
    show_path(file, "dense/link01", lapl);
    answer = -1;
    show_path(file, "data", lapl);
    H5Pset_elink_cb(lapl, NULL, NULL);
    H5Pset_elink_prefix(lapl, "/no/such/place");
    show_path(file, "data", lapl);
    H5Pset_elink_prefix(lapl, dir);
    show_path(file, "data", lapl);
    H5Pset_elink_acc_flags(lapl, H5F_ACC_RDONLY);
    show_path(file, "data", lapl);
    H5Pclose(lapl);
}

static hid_t traverse(const char *name, hid_t group, const void *data, size_t size, hid_t lapl)
{
    (void)data;
    printf("      traverse %s in %d, %zu bytes, list %d\n", name, (int)H5Iget_type(group), size,
           H5Iget_type(lapl) == H5I_GENPROP_LST);
    return size > 100 ? -1 : size == 0 ? H5Gopen2(group, ".", H5P_DEFAULT) : H5Oopen(group, "d", H5P_DEFAULT);
}

static ssize_t query(const char *name, const void *data, size_t size, void *buf, size_t buf_size)
{
    (void)name;
    if (buf && buf_size >= 4)
        memcpy(buf, "abc", 4);
    return data ? (ssize_t)size * 2 : 7;
}

static void show_user(hid_t file)
{
    static const char *const names[] = {"user65", "user255", "empty"};
    for (int with_query = 0; with_query < 2; with_query++) {
        for (int id = 60; id <= 256; id++) {
            H5L_class_0_t cls = {.version = 0, .id = (H5L_type_t)id, .comment = "test", .trav_func = traverse};
            if (with_query)
                cls.query_func = query;
            if (id != 64) {
                int r = H5Lregister((const H5L_class_t *)(const void *)&cls);
                if (id < 66 || id > 254)
                    printf("    register %d: %d is %d\n", id, r, H5Lis_registered((H5L_type_t)id));
            }
        }
        for (unsigned i = 0; i < 3; i++) {
            H5L_info_t info;
            char value[20] = "untouched";
            int r = H5Lget_info(file, names[i], &info, H5P_DEFAULT);
            printf("    %s: %d %zu", names[i], r, r >= 0 ? info.u.val_size : 0);
            r = H5Lget_val(file, names[i], value, sizeof value, H5P_DEFAULT);
            printf(" value %d %s\n", r, value);
            show_forms(file, names[i]);
        }
    }
    for (int id = 63; id <= 256; id += 1)
        if (id < 67 || id > 254) {
            int r = id == 64 ? 0 : H5Lunregister((H5L_type_t)id);
            printf("    unregister %d: %d %d\n", id, r, H5Lis_registered((H5L_type_t)id));
        }
    for (int id = 67; id <= 254; id++)
        H5Lunregister((H5L_type_t)id);
    printf("    again %d\n", H5Lunregister((H5L_type_t)70));
}

static void show_unpack(void)
{
    static const struct {
        const char *bytes;
        size_t size;
    } values[] = {{"\0file\0/path", 12}, {"\0file\0/path", 11}, {"\0file", 6}, {"\0f\0", 4}, {"\1f\0p", 5},
                  {"\x10" "f\0p", 5},    {"", 0},              {"\0\0\0", 3},  {"\0", 1}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        unsigned flags = 77;
        const char *file = "", *path = "";
        int r = H5Lunpack_elink_val(values[i].bytes, values[i].size, &flags, &file, &path);
        printf("unpack %zu: %d", i, r);
        if (r >= 0)
            printf(" %u %s %s", flags, file, path);
        printf("\n");
    }
}

static void show_file(const char *name, hid_t file)
{
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, each_link, NULL);
    static const char *const plain[] = {".", "/", "//", "./", "./.", "", "nope", "nope/x", "/nope", "a/nope", "..", "a/.", "dense/link01"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        show_path(file, plain[i], H5P_DEFAULT);
    show_limits(file);
    if (!fnmatch("links_external*", name, 0))
        show_external(file);
    if (!fnmatch("links_user*", name, 0))
        show_user(file);
}

int main(void)
{
    static const char *const patterns[] = {"links_soft*.h5", "links_external*.h5", "links_user*.h5",
                                           "links_cycles*.h5", "links_moved*.h5", NULL};
    int r = for_files(patterns, show_file);
    show_unpack();
    return r;
}
