/* Files mounted on groups of other files: what is found, how it is named, what is refused, who keeps whom open. */
#include "read_util.h"

static hid_t open_degree(const char *name, H5F_close_degree_t degree)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("TESSERA_CORPUS"), name);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(fapl, degree);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    return file;
}

static hid_t open_file(const char *name)
{
    return open_degree(name, H5F_CLOSE_DEFAULT);
}

static void print_names(hid_t obj)
{
    char name[120] = "?", file[4096] = "?";
    ssize_t len = H5Iget_name(obj, name, sizeof name);
    H5Fget_name(obj, file, sizeof file);
    char *base = strrchr(file, '/');
    printf(" name %d %s in %s", (int)len, name, base ? base + 1 : file);
}

static void result(const char *what, int status)
{
    printf("%s %d\n", what, status);
}

static void show(hid_t loc, const char *path)
{
    H5L_info_t link;
    H5O_info_t info;
    H5G_stat_t stat;
    H5G_info_t ginfo;
    printf("    '%s':", path);
    hid_t obj = H5Oopen(loc, path, H5P_DEFAULT);
    if (obj < 0) {
        printf(" none, exists %d\n", H5Lexists(loc, path, H5P_DEFAULT));
        return;
    }
    printf(" type %d", (int)H5Iget_type(obj));
    print_names(obj);
    H5Oget_info(obj, &info);
    printf(" at %lu", (unsigned long)info.addr);
    if (H5Oget_info_by_name(loc, path, &info, H5P_DEFAULT) >= 0)
        printf(" by name %lu", (unsigned long)info.addr);
    if (H5Lget_info(loc, path, &link, H5P_DEFAULT) >= 0)
        printf(" link %d %lu", (int)link.type, link.type == H5L_TYPE_HARD ? (unsigned long)link.u.address : 0ul);
    for (int follow = 0; follow < 2; follow++)
        if (H5Gget_objinfo(loc, path, follow, &stat) >= 0)
            printf(" stat %d %lu", (int)stat.type, stat.objno[0]);
    if (H5Gget_info_by_name(loc, path, &ginfo, H5P_DEFAULT) >= 0)
        printf(" %d links, mounted %d", (int)ginfo.nlinks, (int)ginfo.mounted);
    printf("\n");
    H5Oclose(obj);
}

static void show_all(const char *what, hid_t loc)
{
    static const char *const paths[] = {".", "/", "a", "/a", "a/b", "a/b/data", "a/b/root", "a/b/up", "a/self", "again",
                                        "a/again", "a/a", "a/a/b", "a/a/b/root/again", "group", "group/b", "absolute",
                                        "a/relative", "a/absolute", "a/chain1", "a/group", "dots", "through", "a/dots"};
    printf("  %s\n", what);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        show(loc, paths[i]);
}

static herr_t each_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    if (strlen(name) < 40)
        printf("    %s %d %lu\n", name, (int)info->type,
               info->type == H5L_TYPE_HARD ? (unsigned long)info->u.address : 0ul);
    return 0;
}

static herr_t each_object(hid_t group, const char *name, const H5O_info_t *info, void *data)
{
    printf("    %s %d at %lu\n", name, (int)info->type, (unsigned long)info->addr);
    return 0;
}

static herr_t each_old(hid_t group, const char *name, void *data)
{
    H5G_stat_t stat;
    if (strlen(name) < 40) {
        int r = H5Gget_objinfo(group, name, 0, &stat);
        printf("    %s %d %d %lu\n", name, r, (int)stat.type, stat.objno[0]);
    }
    return 0;
}

static void visit(hid_t file)
{
    printf("  lvisit\n");
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, each_link, NULL);
    printf("  ovisit\n");
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, each_object, NULL);
}

static void iterate(hid_t file)
{
    H5G_info_t ginfo;
    printf("  literate\n");
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, each_link, NULL);
    printf("  literate a\n");
    H5Literate_by_name(file, "a", H5_INDEX_NAME, H5_ITER_INC, NULL, each_link, NULL, H5P_DEFAULT);
    printf("  giterate\n");
    H5Giterate(file, ".", NULL, each_old, NULL);
    H5Giterate(file, "a", NULL, each_old, NULL);
    for (hsize_t i = 0; i < 3; i++) {
        H5O_info_t info;
        char name[20] = "";
        H5Gget_objname_by_idx(file, i, name, sizeof name);
        hid_t obj = H5Oopen_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT);
        printf("  by index %s type %d", name, (int)H5Gget_objtype_by_idx(file, i));
        if (obj >= 0) {
            H5Oget_info(obj, &info);
            printf(" at %lu", (unsigned long)info.addr);
            print_names(obj);
            H5Oclose(obj);
        }
        if (H5Oget_info_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, &info, H5P_DEFAULT) >= 0)
            printf(" info %lu", (unsigned long)info.addr);
        if (H5Gget_info_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, &ginfo, H5P_DEFAULT) >= 0)
            printf(" %d links, mounted %d", (int)ginfo.nlinks, (int)ginfo.mounted);
        printf("\n");
    }
}

static void counts(const char *what, hid_t file)
{
    static const unsigned types[] = {H5F_OBJ_FILE, H5F_OBJ_GROUP, H5F_OBJ_DATASET, H5F_OBJ_ALL,
                                     H5F_OBJ_ALL | H5F_OBJ_LOCAL, H5F_OBJ_FILE | H5F_OBJ_LOCAL};
    printf("  %s:", what);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        printf(" %d", (int)H5Fget_obj_count(file, types[i]));
    printf("\n");
}

/* An object that nobody walked to must be searched for to have a name. */
static void by_address(const char *what, hid_t obj, hid_t file)
{
    H5O_info_t info;
    H5Oget_info(obj, &info);
    hid_t found = H5Oopen_by_addr(file, info.addr);
    printf("  %s by address %d", what, found >= 0);
    if (found >= 0) {
        print_names(found);
        H5Oclose(found);
    }
    printf("\n");
}

static void names_and_paths(const char *parent_name, const char *child_name)
{
    printf("== %s <- %s\n", parent_name, child_name);
    hid_t parent = open_file(parent_name), child = open_file(child_name);
    hid_t before = H5Gopen2(parent, "a", H5P_DEFAULT), inside = H5Gopen2(parent, "a/b", H5P_DEFAULT);
    hid_t own = H5Gopen2(child, "a", H5P_DEFAULT);
    printf("mount %d\n", H5Fmount(parent, "a", child, H5P_DEFAULT));
    counts("parent", parent);
    counts("child", child);
    show_all("parent", parent);
    show_all("child", child);
    show_all("group opened before", before);
    show_all("group below the mount point", inside);
    show_all("group of the child", own);
    hid_t after = H5Gopen2(parent, "a", H5P_DEFAULT), deep = H5Gopen2(parent, "a/a/b", H5P_DEFAULT);
    show_all("mount point opened after", after);
    show_all("deep in the child", deep);
    by_address("root of the parent", parent, parent);
    by_address("before", before, parent);
    by_address("inside", inside, parent);
    by_address("own", own, child);
    by_address("after", after, child);
    by_address("deep", deep, after);
    hid_t again = H5Freopen(parent), third = open_file(parent_name);
    show(again, "a");
    show(third, "a");
    hid_t file = H5Iget_file_id(after);
    printf("  file of the mount point: is child %d, parent %d", file == child, file == parent);
    print_names(file);
    printf("\n");
    counts("parent", parent);
    counts("child", child);
    iterate(parent);
    iterate(child);
    /* With two links to the mount point stock enters a mounted root twice unless its own file has another link to it. */
    if (strcmp(parent_name, "links_cycles_old.h5") != 0) {
        visit(parent);
        visit(child);
    }
    H5Fclose(file);
    file = H5Iget_file_id(child);
    printf("  file of the child: is child %d, parent %d\n", file == child, file == parent);
    H5Fclose(file);
    printf("unmount %d\n", H5Funmount(parent, "a"));
    show_all("parent", parent);
    show_all("mount point opened while mounted", after);
    hid_t ids[] = {before, inside, own, after, deep};
    for (int i = 0; i < 5; i++) {
        print_names(ids[i]);
        printf("\n");
        H5Gclose(ids[i]);
    }
    counts("parent", parent);
    counts("child", child);
    H5Fclose(again);
    H5Fclose(third);
    H5Fclose(parent);
    H5Fclose(child);
}

static void arguments(hid_t p, hid_t c)
{
    hid_t a = H5Gopen2(p, "a", H5P_DEFAULT), data = H5Dopen2(p, "a/b/data", H5P_DEFAULT);
    result("no name", H5Fmount(p, NULL, c, H5P_DEFAULT));
    result("empty name", H5Fmount(p, "", c, H5P_DEFAULT));
    result("a group as child", H5Fmount(p, "a", a, H5P_DEFAULT));
    result("no child", H5Fmount(p, "a", -1, H5P_DEFAULT));
    result("a class as list", H5Fmount(p, "a", c, H5P_FILE_ACCESS));
    result("no location", H5Fmount(-1, "a", c, H5P_DEFAULT));
    result("a name that is not there", H5Fmount(p, "nope", c, H5P_DEFAULT));
    result("a link to nowhere", H5Fmount(p, "dangling", c, H5P_DEFAULT));
    result("itself", H5Fmount(p, "a", p, H5P_DEFAULT));
    result("unmount no name", H5Funmount(p, NULL));
    result("unmount empty name", H5Funmount(p, ""));
    result("unmount no location", H5Funmount(-1, "a"));
    result("unmount what is not there", H5Funmount(p, "nope"));
    result("unmount what is not mounted", H5Funmount(p, "a"));
    result("unmount the root", H5Funmount(p, "/"));
    result("unmount a dataset", H5Funmount(p, "a/b/data"));
    hid_t semi = open_degree("links_cycles_old.h5", H5F_CLOSE_SEMI);
    result("another close degree", H5Fmount(p, "a", semi, H5P_DEFAULT));
    H5Fclose(semi);
    H5Gclose(a);
    H5Dclose(data);
}

static void on_dataset(hid_t p, hid_t c)
{
    result("on a dataset", H5Fmount(p, "a/b/data", c, H5P_DEFAULT));
    show(p, "a/b/data");
    show(p, "a/b/data/again");
    result("unmount it", H5Funmount(p, "a/b/data"));
    show(p, "a/b/data");
}

static void on_root(hid_t p, hid_t c)
{
    hid_t a = H5Gopen2(p, "a", H5P_DEFAULT);
    int root = H5Fmount(p, "/", c, H5P_DEFAULT);
    result("on the root", root);
    show(p, ".");
    show(p, "/");
    show(p, "a");
    show(p, "again");
    show(a, "/again");
    show(c, "again");
    hid_t r = H5Gopen2(p, "/", H5P_DEFAULT);
    show(r, "again");
    H5Gclose(r);
    if (root >= 0)
        result("unmount the root", H5Funmount(p, "/"));
    counts("p", p);
    counts("c", c);
    H5Gclose(a);
}

static void refusals(void)
{
    printf("== refusals\n");
    hid_t p = open_file("links_soft_new.h5"), q = H5Freopen(p), c = open_file("links_cycles_new.h5"),
          d = open_file("links_soft_old.h5"), c2 = H5Freopen(c);
    arguments(p, c);
    result("itself by another handle", H5Fmount(p, "a", q, H5P_DEFAULT));
    on_dataset(p, c);
    on_root(p, c);
    hid_t a = H5Gopen2(p, "a", H5P_DEFAULT), b = H5Gopen2(p, "a/b", H5P_DEFAULT);
    result("first", H5Fmount(p, "a", c, H5P_DEFAULT));
    result("twice at a point", H5Fmount(a, ".", d, H5P_DEFAULT));
    result("through another handle", H5Fmount(q, "a", d, H5P_DEFAULT));
    show(p, "a/a/b");
    show(p, "a");
    show(q, "a");
    result("unmount by the name", H5Funmount(p, "a"));
    show(p, "a");
    result("unmount by the name again", H5Funmount(p, "a"));
    show(p, "a");
    result("mount", H5Fmount(p, "a", c, H5P_DEFAULT));
    result("mounted already", H5Fmount(b, ".", c, H5P_DEFAULT));
    result("mounted already, in another file", H5Fmount(d, "a", c, H5P_DEFAULT));
    int again = H5Fmount(b, ".", c2, H5P_DEFAULT);
    result("another handle of it", again);
    show(b, ".");
    show(b, "again");
    show(p, "a/b/root");
    if (again >= 0)
        result("unmount", H5Funmount(b, "."));
    result("cycle", H5Fmount(p, "a/a", p, H5P_DEFAULT));
    result("cycle by another handle", H5Fmount(p, "a/a", q, H5P_DEFAULT));
    result("unmount by the child", H5Funmount(c, "/"));
    show(p, "a");
    result("mount", H5Fmount(p, "a", c, H5P_DEFAULT));
    result("unmount by the group", H5Funmount(a, "."));
    show(p, "a");
    result("mount by a link", H5Fmount(p, "group", c, H5P_DEFAULT));
    hid_t m = H5Gopen2(p, "a", H5P_DEFAULT);
    result("unmount by the mounted root", H5Funmount(m, "."));
    show(p, "a");
    H5Gclose(m);
    result("mount by the group", H5Fmount(a, ".", c, H5P_DEFAULT));
    result("unmount through another handle", H5Funmount(q, "a"));
    result("unmount by a link", H5Funmount(p, "group"));
    result("unmount twice", H5Funmount(p, "a"));
    H5Gclose(a);
    H5Gclose(b);
    H5Fclose(p);
    H5Fclose(q);
    H5Fclose(c);
    H5Fclose(c2);
    H5Fclose(d);
    printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
}

/* The handle that was mounted on is closed, another of the same file is not. */
static void two_handles(int keep_child, int through_other)
{
    printf("== two handles %d %d\n", keep_child, through_other);
    hid_t p = open_file("links_soft_new.h5"), q = H5Freopen(p), c = open_file("links_cycles_new.h5");
    result("mount", H5Fmount(p, "a", c, H5P_DEFAULT));
    hid_t g = through_other ? H5Gopen2(q, "a/a/b", H5P_DEFAULT) : -1;
    if (!keep_child)
        result("close child", H5Fclose(c));
    result("close parent", H5Fclose(p));
    printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
    show(q, "a");
    counts("q", q);
    result("unmount", H5Funmount(q, "a"));
    show(q, "a");
    if (g >= 0) {
        print_names(g);
        printf("\n");
        H5Gclose(g);
    }
    if (keep_child) {
        show(c, "a");
        H5Fclose(c);
    }
    H5Fclose(q);
    printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
}

static void nested(void)
{
    printf("== nested\n");
    hid_t p = open_file("links_soft_new.h5"), c = open_file("links_cycles_new.h5"), d = open_file("links_soft_old.h5"),
          e = open_file("links_cycles_old.h5");
    printf("mount %d", H5Fmount(p, "a", c, H5P_DEFAULT));
    printf(" %d", H5Fmount(p, "a/a", d, H5P_DEFAULT));
    hid_t db = H5Gopen2(p, "a/a/a/b", H5P_DEFAULT);
    printf(" %d\n", H5Fmount(db, ".", e, H5P_DEFAULT));
    H5Gclose(db);
    static const char *const paths[] = {"a", "a/a", "a/a/a", "a/a/a/b", "a/a/a/b/again", "a/a/a/b/a/b/root", "a/a/absolute",
                                        "a/a/group", "a/again/up", "a/again/root", "group", "through", "a/a/through", "a/a/a/relative"};
    hid_t from[] = {p, c, d, e};
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
            show(from[k], paths[i]);
    counts("p", p);
    counts("c", c);
    counts("d", d);
    counts("e", e);
    hid_t deep = H5Gopen2(p, "a/a/a/b/again", H5P_DEFAULT);
    print_names(deep);
    counts("p", p);
    counts("e", e);
    result("cycle", H5Fmount(p, "a/a/a/b/a", p, H5P_DEFAULT));
    printf("unmount %d", H5Funmount(p, "a/a/a/b"));
    print_names(deep);
    printf(" %d", H5Funmount(p, "a"));
    print_names(deep);
    printf(" %d", H5Funmount(c, "a"));
    print_names(deep);
    show(deep, "up");
    printf("\n");
    H5Gclose(deep);
    H5Fclose(p);
    H5Fclose(c);
    H5Fclose(d);
    H5Fclose(e);
    printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
}

static void two_points(void)
{
    printf("== two points\n");
    hid_t p = open_file("links_cycles_new.h5"), c = open_file("links_soft_new.h5"), d = open_file("links_soft_old.h5");
    printf("mount %d", H5Fmount(p, "a/b", c, H5P_DEFAULT));
    printf(" %d\n", H5Fmount(p, "a", d, H5P_DEFAULT));
    show_all("p", p);
    hid_t x = H5Gopen2(p, "again/a", H5P_DEFAULT), y = H5Gopen2(p, "a/a", H5P_DEFAULT);
    print_names(x);
    print_names(y);
    result("\nunmount", H5Funmount(p, "again"));
    result("unmount", H5Funmount(p, "a"));
    print_names(x);
    print_names(y);
    H5Gclose(x);
    H5Gclose(y);
    printf("\n");
    H5Fclose(p);
    H5Fclose(c);
    H5Fclose(d);
}

/* What is closed first, and what still works after it. */
static void closing(H5F_close_degree_t degree, int order)
{
    printf("== closing, degree %d, order %d\n", (int)degree, order);
    hid_t p = open_degree("links_soft_new.h5", degree), c = open_degree("links_cycles_new.h5", degree);
    printf("mount %d\n", H5Fmount(p, "a", c, H5P_DEFAULT));
    hid_t g = order & 1 ? H5Gopen2(p, "a/a/b", H5P_DEFAULT) : -1;
    hid_t h = order & 4 ? H5Gopen2(p, "/", H5P_DEFAULT) : -1;
    if (order & 2) {
        printf("close child %d\n", H5Fclose(c));
        printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
        counts("parent", p);
        show(p, "a/again");
        if (order & 8)
            printf("unmount %d\n", H5Funmount(p, "a"));
        counts("parent", p);
        printf("close parent %d\n", H5Fclose(p));
    } else {
        printf("close parent %d\n", H5Fclose(p));
        printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
        counts("child", c);
        show(c, "a/again");
        show(c, "/");
        if (order & 8)
            printf("unmount %d\n", H5Funmount(h, "a"));
        counts("child", c);
        printf("close child %d\n", H5Fclose(c));
    }
    printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
    if (g >= 0) {
        printf("group %d", H5Iis_valid(g));
        if (H5Iis_valid(g) > 0) {
            print_names(g);
            show(g, "root");
            show(g, "/");
        }
        printf(" close %d\n", H5Iis_valid(g) > 0 ? H5Gclose(g) : -5);
    }
    printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
    if (h >= 0) {
        printf("root %d", H5Iis_valid(h));
        if (H5Iis_valid(h) > 0) {
            print_names(h);
            show(h, "a/again");
        }
        printf(" close %d\n", H5Iis_valid(h) > 0 ? H5Gclose(h) : -5);
    }
    if (H5Iis_valid(p) > 0)
        printf("close parent again %d\n", H5Fclose(p));
    if (H5Iis_valid(c) > 0)
        printf("close child again %d\n", H5Fclose(c));
    printf("files %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
}

static void make_linked(const char *name)
{
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_external("mount_a.h5", "/", file, "to a", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("mount_b.h5", "/", file, "to b", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("mount_b.h5", "/group", file, "to group", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
}

static herr_t print_inner(unsigned n, const H5E_error2_t *record, void *unused)
{
    (void)unused;
    if (n == 0)
        printf(" '%s'", record->desc);
    return 0;
}

/* No path to a mount point goes through an external link; what such a link led to is a place like others. */
static void external_links(void)
{
    static const char *const paths[] = {"group", "to a", "to a/group", "to b", "to b/group", "to group", "to b/to a/group"};
    make_linked("mount_a.h5");
    make_linked("mount_b.h5");
    make_linked("mount_c.h5");
    for (int i = 0; i < 14; i++) {
        hid_t a = H5Fopen("mount_a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t child = H5Fopen(i < 7 ? "mount_a.h5" : "mount_c.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        herr_t mounted = H5Fmount(a, paths[i % 7], child, H5P_DEFAULT);
        printf("on '%s': %d", paths[i % 7], mounted);
        if (mounted < 0)
            H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, print_inner, NULL);
        else
            printf(" %d %d", (int)H5Lexists(a, "group/group", H5P_DEFAULT), H5Funmount(a, paths[i % 7]));
        hid_t led = H5Gopen2(a, "to b", H5P_DEFAULT);
        printf(", on its group %d", H5Fmount(led, "group", child, H5P_DEFAULT));
        printf(" %d\n", H5Funmount(led, "group"));
        H5Gclose(led);
        H5Fclose(child);
        H5Fclose(a);
    }
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!getenv("TESSERA_CORPUS"))
        return 1;
    names_and_paths("links_soft_new.h5", "links_cycles_new.h5");
    names_and_paths("links_soft_old.h5", "links_cycles_new.h5");
    names_and_paths("links_cycles_old.h5", "links_soft_old.h5");
    refusals();
    external_links();
    nested();
    two_points();
    for (int i = 0; i < 4; i++)
        two_handles(i & 1, i >> 1);
    for (int order = 0; order < 16; order++)
        closing(H5F_CLOSE_DEFAULT, order);
    for (int order = 0; order < 8; order++)
        closing(H5F_CLOSE_SEMI, order);
    for (int order = 0; order < 8; order++)
        closing(H5F_CLOSE_STRONG, order);
    return 0;
}
