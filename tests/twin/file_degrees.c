/* Close degrees: which go together when a file is opened twice, through an external link, mounted, and whose governs; and what
 * becomes of open objects when the ids of a file go in any way. Sources of virtual datasets are in virtual_sources.c. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>

enum { DEGREES = 4, NONE = -1 };

static hid_t with_degree(int degree)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(fapl, (H5F_close_degree_t)degree);
    return fapl;
}

static hid_t open_with(const char *name, int degree)
{
    hid_t fapl = with_degree(degree), file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    return file;
}

static int degree_of(hid_t object)
{
    H5F_close_degree_t degree = H5F_CLOSE_DEFAULT;
    if (object < 0)
        return NONE;
    hid_t file = H5Iget_file_id(object), fapl = H5Fget_access_plist(file);
    H5Pget_fclose_degree(fapl, &degree);
    H5Pclose(fapl);
    H5Fclose(file);
    return (int)degree;
}

static herr_t print_record(unsigned n, const H5E_error2_t *record, void *innermost)
{
    char minor[80];
    (void)n;
    H5Eget_msg(record->min_num, NULL, minor, sizeof minor);
    snprintf(innermost, 200, "%s: %s", minor, record->desc);
    return 0;
}

static void print_why(void)
{
    char innermost[200] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, print_record, innermost);
    printf("  %s\n", innermost);
}

static void make_files(void)
{
    hid_t target = H5Fcreate("degree_target.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t parent = H5Fcreate("degree_parent.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(target, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t type = H5Tcopy(H5T_NATIVE_INT);
    H5Tcommit2(target, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate2(group, "attr", type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(type);
    H5Sclose(space);
    H5Gclose(group);
    H5Gclose(H5Gcreate2(parent, "point", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_external("degree_target.h5", "/group", parent, "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(target);
    H5Fclose(parent);
}

static void open_twice(int first, int second)
{
    hid_t a = open_with("degree_target.h5", first), b = open_with("degree_target.h5", second);
    printf("twice, %d then %d: %d %d\n", first, second, degree_of(a), degree_of(b));
    if (b < 0)
        print_why();
    else
        H5Fclose(b);
    hid_t again = H5Freopen(a);
    printf("again %d\n", degree_of(again));
    H5Fclose(again);
    H5Fclose(a);
}

static void print_who_opens_it(void)
{
    for (int degree = 0; degree < DEGREES; degree++) {
        hid_t file = open_with("degree_target.h5", degree);
        printf(" %d", degree_of(file));
        if (file >= 0)
            H5Fclose(file);
    }
    printf("\n");
}

static int asked;

static herr_t ask_in_callback(const char *parent_file, const char *parent_group, const char *child_file, const char *child_object,
                              unsigned *flags, hid_t fapl, void *data)
{
    H5F_close_degree_t degree = H5F_CLOSE_DEFAULT;
    (void)parent_file, (void)parent_group, (void)child_file, (void)child_object, (void)flags, (void)data;
    H5Pget_fclose_degree(fapl, &degree);
    printf("callback sees %d; ", (int)degree);
    H5Pset_fclose_degree(fapl, (H5F_close_degree_t)asked);
    return 0;
}

static hid_t link_access(int degree, int in_callback)
{
    hid_t gapl = H5Pcreate(H5P_GROUP_ACCESS);
    if (degree != NONE) {
        hid_t fapl = with_degree(degree);
        H5Pset_elink_fapl(gapl, fapl);
        H5Pclose(fapl);
    }
    if (in_callback != NONE)
        H5Pset_elink_cb(gapl, ask_in_callback, NULL);
    asked = in_callback;
    return gapl;
}

static void follow_link(hid_t parent, hid_t gapl)
{
    H5O_info_t info;
    hid_t group = H5Gopen2(parent, "link", gapl);
    printf("%d", degree_of(group));
    herr_t found = H5Oget_info_by_name(parent, "link", &info, H5P_DEFAULT);
    printf(", by name %d", found);
    hid_t again = H5Gopen2(parent, "link", H5P_DEFAULT);
    printf(", again %d; others:", degree_of(again));
    print_who_opens_it();
    if (again >= 0)
        H5Gclose(again);
    if (group >= 0)
        H5Gclose(group);
}

static void through_link(int parent_degree, int link_degree, int in_callback, int target_degree)
{
    hid_t parent = open_with("degree_parent.h5", parent_degree), gapl = link_access(link_degree, in_callback);
    hid_t target = target_degree == NONE ? NONE : open_with("degree_target.h5", target_degree);
    printf("link, parent %d, list %d, callback %d, target %d: ", parent_degree, link_degree, in_callback, target_degree);
    follow_link(parent, gapl);
    if (target >= 0)
        H5Fclose(target);
    H5Pclose(gapl);
    H5Fclose(parent);
}

static void mount(int parent_degree, int child_degree)
{
    hid_t parent = open_with("degree_parent.h5", parent_degree), child = open_with("degree_target.h5", child_degree);
    herr_t mounted = H5Fmount(parent, "point", child, H5P_DEFAULT);
    printf("mount %d on %d: %d\n", child_degree, parent_degree, mounted);
    if (mounted < 0)
        print_why();
    else
        H5Funmount(parent, "point");
    H5Fclose(child);
    H5Fclose(parent);
}

struct objects {
    hid_t group, type, attr;
};

static struct objects open_objects(hid_t file)
{
    hid_t group = H5Gopen2(file, "group", H5P_DEFAULT);
    return (struct objects){group, H5Topen2(file, "type", H5P_DEFAULT), H5Aopen(group, "attr", H5P_DEFAULT)};
}

static void print_valid(const struct objects *o)
{
    printf(" (%d %d %d)", H5Iis_valid(o->group), H5Iis_valid(o->type), H5Iis_valid(o->attr));
}

static void close_rest(const struct objects *o, const hid_t files[2])
{
    if (H5Iis_valid(o->group) > 0)
        H5Gclose(o->group);
    if (H5Iis_valid(o->type) > 0)
        H5Tclose(o->type);
    if (H5Iis_valid(o->attr) > 0)
        H5Aclose(o->attr);
    for (int i = 0; i < 2; i++)
        while (files[i] >= 0 && H5Iis_valid(files[i]) > 0)
            H5Idec_ref(files[i]);
    printf(" left %d\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
}

enum { BY_CLOSE, BY_DEC, BY_TWO_DECS, BY_TWO_CLOSES, BY_CLOSE_AND_DEC, BY_OBJECT_CLOSE, WAYS };

static void let_go(int way, hid_t file)
{
    if (way == BY_TWO_DECS || way == BY_TWO_CLOSES || way == BY_CLOSE_AND_DEC) {
        H5Iinc_ref(file);
        printf(" %d", way == BY_TWO_DECS ? H5Idec_ref(file) : H5Fclose(file));
    }
    bool closes = way == BY_CLOSE || way == BY_TWO_CLOSES;
    printf(" %d", way == BY_OBJECT_CLOSE ? H5Oclose(file) : closes ? H5Fclose(file) : H5Idec_ref(file));
    printf(" valid %d", H5Iis_valid(file));
}

static hid_t second_id(int kind, hid_t file, const struct objects *o, int degree)
{
    return kind == 0 ? -1 : kind == 1 ? H5Freopen(file) : kind == 2 ? H5Iget_file_id(o->group) : open_with("degree_target.h5", degree);
}

/* Ids of a file and of objects that are opened through the first or the second of them. */
static void let_ids_go(int degree, int way, int kind, bool through_second)
{
    struct objects o = {-1, -1, -1};
    hid_t files[2] = {open_with("degree_target.h5", degree), -1};
    if (!through_second)
        o = open_objects(files[0]);
    files[1] = second_id(kind, files[0], &o, degree);
    if (through_second)
        o = open_objects(files[1]);
    printf("degree %d, way %d, second %d:", degree, way, kind);
    for (int i = 0; i < 2; i++)
        if (files[i] >= 0) {
            let_go(way, files[i]);
            print_valid(&o);
        }
    close_rest(&o, files);
}

static void clear_type(int degree, bool force, bool twice)
{
    hid_t files[2] = {open_with("degree_target.h5", degree), -1};
    struct objects o = open_objects(files[0]);
    if (twice)
        H5Iinc_ref(files[0]);
    printf("degree %d, clearing %d %d: %d", degree, force, twice, H5Iclear_type(H5I_FILE, force));
    print_valid(&o);
    printf(" %d", H5Iis_valid(files[0]));
    close_rest(&o, files);
}

static void let_all_go(int degree)
{
    for (int way = 0; way < WAYS; way++) {
        for (int kind = 0; kind < 4; kind++)
            let_ids_go(degree, way, kind, false);
        let_ids_go(degree, way, 1, true);
        let_ids_go(degree, way, 3, true);
    }
    for (int i = 0; i < 4; i++)
        clear_type(degree, i & 1, i & 2);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_files();
    for (int degree = 0; degree < DEGREES; degree++)
        let_all_go(degree);
    for (int a = 0; a < DEGREES; a++)
        for (int b = 0; b < DEGREES; b++) {
            open_twice(a, b);
            mount(a, b);
            through_link(a, NONE, b, NONE);
            through_link(a, NONE, NONE, b);
            for (int target = NONE; target < DEGREES; target++)
                through_link(a, b, NONE, target);
        }
    return 0;
}
