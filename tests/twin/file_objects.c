/* Open objects of files, close degrees, reopening, names, images and drivers. */
#include "read_util.h"

static char *corpus(const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 4096, "%s/%s", getenv("TESSERA_CORPUS"), name);
    return path;
}

static unsigned long file_number(hid_t file)
{
    H5O_info_t info;
    return H5Oget_info(file, &info) < 0 ? 0 : info.fileno;
}

static hid_t open_with(const char *name, H5F_close_degree_t degree)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(fapl, degree);
    hid_t file = H5Fopen(corpus(name), H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    return file;
}

static void print_counts(const char *what, hid_t file)
{
    static const unsigned types[] = {H5F_OBJ_FILE, H5F_OBJ_DATASET, H5F_OBJ_GROUP, H5F_OBJ_DATATYPE, H5F_OBJ_ATTR,
                                     H5F_OBJ_ALL, H5F_OBJ_ALL | H5F_OBJ_LOCAL, H5F_OBJ_DATASET | H5F_OBJ_GROUP,
                                     H5F_OBJ_FILE | H5F_OBJ_LOCAL};
    printf("%s:", what);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        printf(" %d", (int)H5Fget_obj_count(file, types[i]));
    printf("\n");
}

struct objects {
    hid_t group, dset, named, attr, space;
};

static void open_objects(hid_t file, struct objects *o)
{
    o->group = H5Gopen2(file, "/", H5P_DEFAULT);
    o->dset = H5Dopen2(file, "/d", H5P_DEFAULT);
    o->named = H5Topen2(file, "/type", H5P_DEFAULT);
    hid_t of[] = {o->group, o->dset, o->named};
    o->attr = -1;
    for (int i = 0; i < 3 && o->attr < 0; i++)
        if (of[i] >= 0 && H5Aget_num_attrs(of[i]) > 0)
            o->attr = H5Aopen_idx(of[i], 0);
    o->space = H5Screate(H5S_SCALAR);
    printf("opened %d %d %d %d\n", o->group >= 0, o->dset >= 0, o->named >= 0, o->attr >= 0);
}

static void print_valid(const struct objects *o)
{
    printf("valid %d %d %d %d %d\n", H5Iis_valid(o->group), H5Iis_valid(o->dset), H5Iis_valid(o->named),
           H5Iis_valid(o->attr), H5Iis_valid(o->space));
}

static void close_objects(const struct objects *o)
{
    int dset = o->dset >= 0 && H5Iis_valid(o->dset) > 0 ? H5Dclose(o->dset) : -5;
    int named = o->named >= 0 && H5Iis_valid(o->named) > 0 ? H5Tclose(o->named) : -5;
    int attr = o->attr >= 0 && H5Iis_valid(o->attr) > 0 ? H5Aclose(o->attr) : -5;
    int group = H5Iis_valid(o->group) > 0 ? H5Gclose(o->group) : -5;
    printf("closed %d %d %d %d space %d\n", group, dset, named, attr, H5Sclose(o->space));
}

static void try_degree(const char *name, H5F_close_degree_t degree)
{
    struct objects o;
    hid_t file = open_with(name, degree);
    H5F_close_degree_t got = -1;
    printf("-- degree %d\n", (int)degree);
    hid_t fapl = H5Fget_access_plist(file);
    H5Pget_fclose_degree(fapl, &got);
    H5Pclose(fapl);
    printf("degree now %d\n", (int)got);
    open_objects(file, &o);
    print_counts("counts", file);
    hid_t again = H5Freopen(file);
    print_counts("reopened", again);
    printf("close one of two %d\n", H5Fclose(again));
    print_valid(&o);
    hid_t second = H5Fopen(corpus(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    printf("open again with default %d\n", second >= 0);
    if (second >= 0)
        H5Fclose(second);
    print_valid(&o);
    herr_t status = H5Fclose(file);
    printf("close %d, all %d\n", status, (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
    print_valid(&o);
    char text[64] = "";
    if (H5Iis_valid(o.group) > 0) {
        H5G_info_t info;
        printf("group after closing: %d", H5Gget_info(o.group, &info));
        printf(" %d links, name %d", (int)info.nlinks, (int)H5Iget_name(o.group, text, sizeof text));
        printf(" %s\n", text);
        hid_t id = H5Iget_file_id(o.group);
        printf("its file %d %d\n", H5Iget_type(id), H5Iget_ref(id));
        print_counts("by its file", id);
        H5Fclose(id);
    }
    close_objects(&o);
    if (status < 0)
        printf("close at last %d\n", H5Fclose(file));
    printf("left %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
}

static void try_other_degree(void)
{
    hid_t weak = open_with("header_new_every_message.h5", H5F_CLOSE_WEAK);
    static const H5F_close_degree_t degrees[] = {H5F_CLOSE_DEFAULT, H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG};
    for (int i = 0; i < 4; i++) {
        hid_t other = open_with("header_new_every_message.h5", degrees[i]);
        printf("weak, then %d: %s\n", (int)degrees[i], other < 0 ? "no" : "yes");
        if (other >= 0)
            H5Fclose(other);
    }
    H5Fclose(weak);
}

static void try_ids(void)
{
    hid_t a = H5Fopen(corpus("group_new_9links_none.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t b = H5Fopen(corpus("group_new_9links_none.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t c = H5Fopen(corpus("group_old_9links.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t group = H5Gopen2(b, "/", H5P_DEFAULT), ids[10];
    unsigned long n1 = 0, n2 = 0, n3 = 0;
    n1 = file_number(a);
    n2 = file_number(b);
    n3 = file_number(c);
    printf("same file: ids differ %d, numbers equal %d, other file %d\n", a != b, n1 == n2, n1 == n3);
    print_counts("a", a);
    print_counts("b", b);
    print_counts("c", c);
    print_counts("all", H5F_OBJ_ALL);
    ssize_t n = H5Fget_obj_ids(a, H5F_OBJ_ALL, 10, ids);
    printf("ids %zd:", n);
    for (ssize_t i = 0; i < n; i++)
        printf(" %s", ids[i] == a ? "a" : ids[i] == b ? "b" : ids[i] == group ? "group" : "?");
    printf("\nat most one: %zd", H5Fget_obj_ids(a, H5F_OBJ_ALL, 1, ids));
    printf(" groups: %zd", H5Fget_obj_ids(a, H5F_OBJ_GROUP, 10, ids));
    printf(" %d", ids[0] == group);
    printf(" local %zd", H5Fget_obj_ids(a, H5F_OBJ_GROUP | H5F_OBJ_LOCAL, 10, ids));
    printf(" no kind %zd\n", H5Fget_obj_ids(a, 0, 10, ids));
    printf("no kind %zd, no file %zd\n", H5Fget_obj_count(a, 0), H5Fget_obj_count(group, H5F_OBJ_ALL));
    hid_t of = H5Iget_file_id(group);
    printf("file of the group: b %d, count %d\n", of == b, H5Iget_ref(b));
    H5Fclose(of);
    printf("inc %d dec %d\n", H5Iinc_ref(a), H5Idec_ref(a));
    H5Gclose(group);
    H5Fclose(a);
    H5Fclose(b);
    H5Fclose(c);
}

/* Where any file will do, datatypes in none count until they are locked. */
static void try_free_types(void)
{
    hid_t types[3] = {H5Tcopy(H5T_NATIVE_INT), H5Tcreate(H5T_COMPOUND, 8), H5Tvlen_create(H5T_NATIVE_INT)}, ids[10];
    print_counts("three datatypes", H5F_OBJ_ALL);
    H5Tlock(types[1]);
    print_counts("one is locked", H5F_OBJ_ALL);
    ssize_t n = H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_DATATYPE, 10, ids);
    printf("ids %zd: %d %d\n", n, ids[0] == types[0], ids[1] == types[2]);
    hid_t file = H5Fopen(corpus("attr_on_everything_new.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dset = H5Dopen2(file, "/d", H5P_DEFAULT), of = H5Dget_type(dset);
    print_counts("with a file", H5F_OBJ_ALL);
    print_counts("of the file", file);
    H5Tclose(of);
    H5Dclose(dset);
    H5Fclose(file);
    H5Tclose(types[0]);
    H5Tclose(types[2]);
    print_counts("only the locked one", H5F_OBJ_ALL);
}

static void try_names(void)
{
    char text[4096] = "";
    const char *path = corpus("attr_on_everything_new.h5");
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    ssize_t n = H5Fget_name(file, text, sizeof text);
    printf("name as given %d %d\n", strcmp(text, path) == 0, n == (ssize_t)strlen(path));
    printf("length alone %d, short", H5Fget_name(file, NULL, 0) == n);
    memset(text, 'x', sizeof text);
    printf(" %d", H5Fget_name(file, text, 5) == n);
    printf(" %d\n", strlen(text) == 4 && strncmp(text, path, 4) == 0);
    hid_t group = H5Gopen2(file, "/", H5P_DEFAULT), space = H5Screate(H5S_NULL), attr = H5Aopen_idx(group, 0);
    printf("of a group %d, an attribute %d, a space %zd, nothing %zd\n", H5Fget_name(group, NULL, 0) == n,
           attr >= 0 && H5Fget_name(attr, NULL, 0) == n, H5Fget_name(space, NULL, 0), H5Fget_name(-1, NULL, 0));
    H5Aclose(attr);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
}

static void print_file(const char *what, hid_t file)
{
    hsize_t size = 0;
    H5G_info_t info;
    double sum = 0;
    int values[64];
    printf("%s: %s", what, file < 0 ? "does not open\n" : "");
    if (file < 0)
        return;
    memset(&info, 0, sizeof info);
    H5Gget_info(file, &info);
    printf("size %d", H5Fget_filesize(file, &size));
    printf(" %llu, links %d", (unsigned long long)size, (int)info.nlinks);
    hid_t dset = H5Dopen2(file, "/g/contiguous", H5P_DEFAULT);
    if (dset >= 0 && H5Sget_simple_extent_npoints(H5Dget_space(dset)) <= 64 &&
        H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0)
        for (int i = 0; i < 35; i++)
            sum += values[i];
    printf(", sum %g", sum);
    H5Dclose(dset);
    hid_t fapl = H5Fget_access_plist(file);
    printf(", driver is sec2 %d core %d family %d multi %d\n", H5Pget_driver(fapl) == H5FD_SEC2,
           H5Pget_driver(fapl) == H5FD_CORE, H5Pget_driver(fapl) == H5FD_FAMILY, H5Pget_driver(fapl) == H5FD_MULTI);
    H5Pclose(fapl);
    H5Fclose(file);
}

static void try_image(const char *name)
{
    hid_t file = H5Fopen(corpus(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    ssize_t size = H5Fget_file_image(file, NULL, 0);
    char *image = malloc((size_t)size), *back = malloc((size_t)size);
    printf("%s: image %zd", name, size);
    printf(" short %zd", H5Fget_file_image(file, image, (size_t)size - 1));
    printf(" whole %zd\n", H5Fget_file_image(file, image, (size_t)size));
    H5Fclose(file);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 65536, 0);
    H5Pset_file_image(fapl, image, (size_t)size);
    hid_t copy = H5Fopen("in_memory", H5F_ACC_RDONLY, fapl);
    memset(back, 0, (size_t)size);
    printf("back %zd", H5Fget_file_image(copy, back, (size_t)size));
    int same = 1;
    for (ssize_t i = 0; i < size; i++)
        same &= image[i] == back[i];
    printf(" same %d\n", same);
    hid_t used = H5Fget_access_plist(copy);
    size_t length = 99;
    void *buffer = NULL;
    printf("image in the access list: %d", H5Pget_file_image(used, &buffer, &length));
    printf(" %d %d\n", buffer != NULL, (int)length);
    H5free_memory(buffer);
    H5Pclose(used);
    H5Pclose(fapl);
    print_file("image", copy);
    free(image);
    free(back);
}

static void try_drivers(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 4096, 0);
    print_file("core", H5Fopen(corpus("superblock_v18_userblock512.h5"), H5F_ACC_RDONLY, fapl));
    print_file("core, missing", H5Fopen("no_such_file", H5F_ACC_RDONLY, fapl));
    H5Pset_fapl_stdio(fapl);
    print_file("stdio", H5Fopen(corpus("superblock_v110_userblock0.h5"), H5F_ACC_RDONLY, fapl));
    H5Pset_fapl_log(fapl, NULL, 0, 0);
    print_file("log", H5Fopen(corpus("superblock_v110_userblock0.h5"), H5F_ACC_RDONLY, fapl));
    H5Pset_fapl_family(fapl, 65536, H5P_DEFAULT);
    print_file("family", H5Fopen(corpus("driver_family-%05d.h5"), H5F_ACC_RDONLY, fapl));
    H5Pset_fapl_family(fapl, 0, H5P_DEFAULT);
    print_file("family of unknown size", H5Fopen(corpus("driver_family-%05d.h5"), H5F_ACC_RDONLY, fapl));
    H5Pset_fapl_family(fapl, 4096, H5P_DEFAULT);
    print_file("family of wrong size", H5Fopen(corpus("driver_family-%05d.h5"), H5F_ACC_RDONLY, fapl));
    print_file("family, no pattern", H5Fopen(corpus("driver_family-00000.h5"), H5F_ACC_RDONLY, fapl));
    print_file("family by its first member", H5Fopen(corpus("driver_family-00000.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    H5Pset_fapl_family(fapl, 16384, H5P_DEFAULT);
    print_file("family, new", H5Fopen(corpus("driver_family_new-%05d.h5"), H5F_ACC_RDONLY, fapl));
    H5Pset_fapl_split(fapl, "-m.h5", H5P_DEFAULT, "-r.h5", H5P_DEFAULT);
    print_file("split", H5Fopen(corpus("driver_split_old"), H5F_ACC_RDONLY, fapl));
    print_file("split, new", H5Fopen(corpus("driver_split_new"), H5F_ACC_RDONLY, fapl));
    print_file("split, missing", H5Fopen("no_such_file", H5F_ACC_RDONLY, fapl));
    H5Pset_fapl_multi(fapl, NULL, NULL, NULL, NULL, 1);
    print_file("multi", H5Fopen(corpus("driver_multi_old"), H5F_ACC_RDONLY, fapl));
    print_file("multi, new", H5Fopen(corpus("driver_multi_new"), H5F_ACC_RDONLY, fapl));
    H5Pclose(fapl);
}

/* The list a file was opened with belongs to the application. */
static void try_list_changes(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hsize_t threshold = 0, align = 0;
    H5Pset_alignment(fapl, 10, 20);
    hid_t file = H5Fopen(corpus("group_old_9links.h5"), H5F_ACC_RDONLY, fapl);
    H5Pset_alignment(fapl, 30, 40);
    hid_t used = H5Fget_access_plist(file);
    H5Pget_alignment(used, &threshold, &align);
    printf("alignment %llu %llu, lists equal %d\n", (unsigned long long)threshold, (unsigned long long)align,
           H5Pequal(used, fapl));
    H5Pclose(used);
    H5Pclose(fapl);
    H5Fclose(file);
}

int main(void)
{
    if (!getenv("TESSERA_CORPUS"))
        return 1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    static const H5F_close_degree_t degrees[] = {H5F_CLOSE_DEFAULT, H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG};
    for (int i = 0; i < 4; i++)
        try_degree("attr_on_everything_new.h5", degrees[i]);
    try_other_degree();
    try_ids();
    try_free_types();
    try_names();
    try_image("superblock_v0_userblock0.h5");
    try_image("superblock_v110_userblock512.h5");
    try_drivers();
    try_list_changes();
    return 0;
}
