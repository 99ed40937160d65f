/* Where the files may lie that a file names. A tree:
 *
 *   ea/in/              the folder of the file, main.h5, and what is in reach: raw, target.h5, sub/, source.h5
 *   ea/out/             what is not: raw, target.h5, source.h5
 *   ea/in/to_out        a symbolic link to ../out; ea/in/leaf.h5 one to ../out/target.h5; ea/in/leaf_raw to ../out/raw
 *   ea/in/to_sub        one to ${PWD}/ea/in/sub: absolute, but inside
 */
#include "unit/cmocka_all.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf5.h"
#include "unit/said.h"

enum { VALUE = 7, FILL = -1, FILTER = 32700 };

static char here[PATH_MAX];

static const char *absolute(const char *name)
{
    static char path[4][PATH_MAX + 100];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", here, name);
    return path[next];
}

static void make_plain(const char *name)
{
    int value = VALUE;
    hid_t f = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, (hsize_t[]){1}, NULL);
    hid_t d = H5Dcreate2(f, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(d);
    H5Sclose(space);
    assert_true(H5Fclose(f) >= 0);
}

static void make_raw(const char *name)
{
    int value = VALUE, fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    assert_int_equal(write(fd, &value, sizeof value), sizeof value);
    close(fd);
}

static int make_tree(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf ea && mkdir -p ea/in/sub ea/out ea/other"), 0);
    assert_non_null(getcwd(here, sizeof here));
    static const char *const folders[] = {"ea/in", "ea/in/sub", "ea/out", "ea/other"};
    for (int i = 0; i < 4; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s/target.h5", folders[i]);
        make_plain(name);
        snprintf(name, sizeof name, "%s/raw", folders[i]);
        make_raw(name);
    }
    assert_int_equal(symlink("../out", "ea/in/to_out"), 0);
    assert_int_equal(symlink("../out/target.h5", "ea/in/leaf.h5"), 0);
    assert_int_equal(symlink("../out/raw", "ea/in/leaf_raw"), 0);
    assert_int_equal(symlink("../out/new", "ea/in/leaf_new"), 0);
    assert_int_equal(symlink(absolute("ea/in/sub"), "ea/in/to_sub"), 0);
    return 0;
}

static int drop_tree(void **state)
{
    (void)state;
    return system("rm -rf ea");
}

static hid_t bound(unsigned kinds, H5F_external_access_t rule, const char *folders)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_external_access(fapl, kinds, rule, folders) >= 0);
    return fapl;
}

/* "x" of main.h5 is what the test is about: a dataset with a raw file, a virtual one, a link. */
static const char *const main_name = "ea/in/main.h5";

static void make_named(unsigned kind, const char *name)
{
    int fill = FILL;
    hid_t f = H5Fcreate(main_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, (hsize_t[]){1}, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), d = -1;
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    if (kind == H5F_EXTERNAL_LINK) {
        assert_true(H5Lcreate_external(name, "/d", f, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    } else {
        if (kind == H5F_EXTERNAL_RAW)
            assert_true(H5Pset_external(dcpl, name, 0, sizeof(int)) >= 0);
        else
            assert_true(H5Pset_virtual(dcpl, space, name, "d", space) >= 0);
        d = H5Dcreate2(f, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        assert_true(d >= 0);
        H5Dclose(d);
    }
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Fclose(f);
}

/* The value of x, or 0 when it cannot be had. dapl may be H5P_DEFAULT. */
static int value_with(hid_t fapl, hid_t dapl, const char *path)
{
    int value = 99;
    herr_t status = -1;
    hid_t f = H5Fopen(main_name, H5F_ACC_RDONLY, fapl);
    assert_true(f >= 0);
    H5E_BEGIN_TRY
    {
        hid_t d = H5Dopen2(f, path, dapl);
        if (d >= 0)
            status = H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
        if (status < 0)
            said();
        if (d >= 0)
            H5Dclose(d);
    }
    H5E_END_TRY;
    H5Fclose(f);
    return status < 0 ? 0 : value;
}

static int value_of(unsigned kind, const char *name, hid_t fapl)
{
    make_named(kind, name);
    return value_with(fapl, H5P_DEFAULT, "x");
}

static void assert_said(const char *words)
{
    if (!strstr(said_text, words))
        fail_msg("'%s' is not in: %s", words, said_text);
}

static void assert_refused(unsigned kind, const char *name, hid_t fapl, const char *rule)
{
    assert_int_equal(value_of(kind, name, H5P_DEFAULT), VALUE);
    assert_int_equal(value_of(kind, name, fapl), 0);
    assert_said(name);
    assert_said(rule);
}

static void lists_keep_rules(void **state)
{
    (void)state;
    char folders[100], bytes[4096];
    size_t size = sizeof bytes;
    H5F_external_access_t rule;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pget_external_access(fapl, H5F_EXTERNAL_LINK, &rule, NULL, 0), 0);
    assert_int_equal(rule, H5F_EXTERNAL_ANYWHERE);
    assert_true(H5Pset_external_access(fapl, H5F_EXTERNAL_ALL, H5F_EXTERNAL_NONE, NULL) >= 0);
    assert_true(H5Pset_external_access(fapl, H5F_EXTERNAL_RAW | H5F_EXTERNAL_SOURCE, H5F_EXTERNAL_LIST, "/a:/b c") >= 0);
    assert_true(H5Pset_external_access(fapl, H5F_EXTERNAL_LINK, H5F_EXTERNAL_FOLDER, NULL) >= 0);
    assert_true(H5Pencode1(fapl, bytes, &size) >= 0);
    hid_t lists[3] = {fapl, H5Pcopy(fapl), H5Pdecode(bytes)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(H5Pget_external_access(lists[i], H5F_EXTERNAL_SOURCE, &rule, folders, sizeof folders), 7);
        assert_int_equal(rule, H5F_EXTERNAL_LIST);
        assert_string_equal(folders, "/a:/b c");
        assert_int_equal(H5Pget_external_access(lists[i], H5F_EXTERNAL_LINK, &rule, NULL, 0), 0);
        assert_int_equal(rule, H5F_EXTERNAL_FOLDER);
        assert_int_equal(H5Pget_external_access(lists[i], H5F_EXTERNAL_PLUGIN, &rule, NULL, 0), 0);
        assert_int_equal(rule, H5F_EXTERNAL_NONE);
        assert_true(i == 0 || H5Pequal(lists[0], lists[i]) > 0);
    }
    H5E_BEGIN_TRY
    {
        assert_true(H5Pset_external_access(fapl, 0, H5F_EXTERNAL_NONE, NULL) < 0);
        assert_true(H5Pset_external_access(fapl, 16, H5F_EXTERNAL_NONE, NULL) < 0);
        assert_true(H5Pset_external_access(fapl, 1, (H5F_external_access_t)4, NULL) < 0);
        assert_true(H5Pset_external_access(fapl, 1, H5F_EXTERNAL_LIST, NULL) < 0);
        assert_true(H5Pset_external_access(fapl, 1, H5F_EXTERNAL_NONE, "/a") < 0);
        assert_true(H5Pset_external_access(fapl, 1, H5F_EXTERNAL_LIST, "/a;all=anywhere") < 0);
        assert_true(H5Pget_external_access(fapl, 3, &rule, NULL, 0) < 0);
    }
    H5E_END_TRY;
    for (int i = 0; i < 3; i++)
        H5Pclose(lists[i]);
}

static const unsigned kinds[] = {H5F_EXTERNAL_LINK, H5F_EXTERNAL_SOURCE};

static void confined_to_the_folder(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(value_of(kinds[i], "target.h5", fapl), VALUE);
        assert_int_equal(value_of(kinds[i], "sub/target.h5", fapl), VALUE);
        assert_int_equal(value_of(kinds[i], "sub/../target.h5", fapl), VALUE);
        assert_int_equal(value_of(kinds[i], "../in/sub/target.h5", fapl), VALUE);
        assert_int_equal(value_of(kinds[i], "to_sub/target.h5", fapl), VALUE);
        assert_int_equal(value_of(kinds[i], absolute("ea/in/sub/target.h5"), fapl), VALUE);
        assert_refused(kinds[i], "../out/target.h5", fapl, "link=folder");
        assert_said(absolute("ea/out/target.h5"));
        assert_refused(kinds[i], "sub/../../out/target.h5", fapl, "folder");
        assert_refused(kinds[i], "to_out/target.h5", fapl, "folder");
        assert_refused(kinds[i], "leaf.h5", fapl, "folder");
        assert_refused(kinds[i], "ea/out/target.h5", fapl, "folder");
    }
    /* A raw file has the working directory before its name. */
    assert_int_equal(value_of(H5F_EXTERNAL_RAW, "ea/in/raw", fapl), VALUE);
    assert_int_equal(value_of(H5F_EXTERNAL_RAW, absolute("ea/in/sub/raw"), fapl), VALUE);
    assert_refused(H5F_EXTERNAL_RAW, absolute("ea/out/raw"), fapl, "raw=folder");
    assert_refused(H5F_EXTERNAL_RAW, "ea/in/../out/raw", fapl, "raw=folder");
    assert_refused(H5F_EXTERNAL_RAW, "ea/in/leaf_raw", fapl, "raw=folder");
    assert_refused(H5F_EXTERNAL_RAW, "ea/in/to_out/raw", fapl, "raw=folder");
    H5Pclose(fapl);
}

/* An absolute name that is out of reach is looked for beside the file, as one that does not exist is. */
static void another_place_may_be_in_reach(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(value_of(kinds[i], absolute("ea/out/target.h5"), fapl), VALUE);
    make_plain("ea/out/only.h5");
    for (int i = 0; i < 2; i++)
        assert_refused(kinds[i], absolute("ea/out/only.h5"), fapl, "folder");
    /* What does not exist anywhere is missing, not refused. */
    assert_int_equal(value_of(H5F_EXTERNAL_SOURCE, "../out/nothing.h5", fapl), FILL);
    H5Pclose(fapl);
}

static void folders_with_like_names(void **state)
{
    (void)state;
    assert_int_equal(system("mkdir -p ea/in2"), 0);
    make_plain("ea/in2/target.h5");
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    assert_refused(H5F_EXTERNAL_LINK, "../in2/target.h5", fapl, "folder");
    H5Pclose(fapl);
}

static void the_folder_is_where_the_file_really_is(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    assert_int_equal(symlink("../in/main.h5", "ea/other/alias.h5"), 0);
    make_named(H5F_EXTERNAL_LINK, "sub/target.h5");
    hid_t f = H5Fopen("ea/other/alias.h5", H5F_ACC_RDONLY, fapl), d = H5Dopen2(f, "x", H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Fclose(f);
    H5Pclose(fapl);
}

static void confined_to_a_list(void **state)
{
    (void)state;
    char list[3 * PATH_MAX];
    snprintf(list, sizeof list, "/nowhere::%s:%s", absolute("ea/out"), absolute("ea/in/to_sub"));
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_LIST, list);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(value_of(kinds[i], "../out/target.h5", fapl), VALUE);
        assert_int_equal(value_of(kinds[i], "leaf.h5", fapl), VALUE);
        assert_int_equal(value_of(kinds[i], "sub/target.h5", fapl), VALUE);
        assert_refused(kinds[i], "target.h5", fapl, "list:/nowhere");
        assert_refused(kinds[i], "../other/target.h5", fapl, "list:/nowhere");
    }
    assert_int_equal(value_of(H5F_EXTERNAL_RAW, absolute("ea/out/raw"), fapl), VALUE);
    assert_refused(H5F_EXTERNAL_RAW, absolute("ea/in/raw"), fapl, "list:/nowhere");
    H5Pclose(fapl);
    fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_LIST, "${ORIGIN}/../other:ea/out");
    assert_int_equal(value_of(H5F_EXTERNAL_LINK, "../other/target.h5", fapl), VALUE);
    assert_int_equal(value_of(H5F_EXTERNAL_LINK, "../out/target.h5", fapl), VALUE);
    assert_refused(H5F_EXTERNAL_LINK, "target.h5", fapl, "list:${ORIGIN}");
    H5Pclose(fapl);
}

static void forbidden(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        hid_t fapl = bound(kinds[i], H5F_EXTERNAL_NONE, NULL);
        assert_refused(kinds[i], "target.h5", fapl, "=none");
        assert_int_equal(value_of(kinds[1 - i], "target.h5", fapl), VALUE);
        assert_int_equal(value_of(H5F_EXTERNAL_RAW, "ea/in/raw", fapl), VALUE);
        H5Pclose(fapl);
    }
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_NONE, NULL);
    assert_refused(H5F_EXTERNAL_RAW, "ea/in/raw", fapl, "raw=none");
    /* A virtual dataset's own file is none that it names. */
    make_named(H5F_EXTERNAL_SOURCE, ".");
    assert_int_equal(value_with(fapl, H5P_DEFAULT, "x"), FILL);
    H5Pclose(fapl);
}

/* libhdf5's fill values for what cannot be read are not for what may not be read. */
static void refused_sources_are_never_fill_values(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL), dapl = H5Pcreate(H5P_DATASET_ACCESS);
    assert_true(H5Pset_virtual_unreadable(dapl, H5D_VDS_UNREADABLE_FILL) >= 0);
    make_named(H5F_EXTERNAL_SOURCE, "../out/target.h5");
    assert_int_equal(value_with(fapl, dapl, "x"), 0);
    H5Pclose(dapl);
    H5Pclose(fapl);
}

static void prefixes_lead_nowhere_else(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL), dapl = H5Pcreate(H5P_DATASET_ACCESS);
    make_plain("ea/out/only.h5");
    make_raw("ea/out/only");
    static const struct {
        unsigned kind;
        const char *name, *variable;
    } cases[] = {{H5F_EXTERNAL_LINK, "only.h5", "HDF5_EXT_PREFIX"},
                 {H5F_EXTERNAL_SOURCE, "only.h5", "HDF5_VDS_PREFIX"},
                 {H5F_EXTERNAL_RAW, "only", "HDF5_EXTFILE_PREFIX"}};
    for (int i = 0; i < 3; i++) {
        setenv(cases[i].variable, absolute("ea/out"), 1);
        assert_refused(cases[i].kind, cases[i].name, fapl, "folder");
        unsetenv(cases[i].variable);
    }
    assert_true(H5Pset_virtual_prefix(dapl, absolute("ea/out")) >= 0);
    assert_true(H5Pset_efile_prefix(dapl, "${ORIGIN}/../out") >= 0);
    assert_true(H5Pset_elink_prefix(dapl, "ea/out") >= 0);
    for (int i = 0; i < 3; i++) {
        make_named(cases[i].kind, cases[i].name);
        assert_int_equal(value_with(H5P_DEFAULT, dapl, "x"), VALUE);
        assert_int_equal(value_with(fapl, dapl, "x"), 0);
        assert_said("folder");
    }
    H5Pclose(dapl);
    H5Pclose(fapl);
}

static herr_t open_for_writing(const char *parent, const char *path, const char *child, const char *object, unsigned *flags,
                               hid_t fapl, void *data)
{
    (void)parent, (void)path, (void)child, (void)object, (void)data;
    *flags = H5F_ACC_RDWR;
    return H5Pset_external_access(fapl, H5F_EXTERNAL_ALL, H5F_EXTERNAL_ANYWHERE, NULL);
}

/* Access flags, lists and callbacks of a link cannot loosen what binds its file. */
static void links_with_lists_of_their_own(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL), dapl = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t loose = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_ANYWHERE, NULL);
    make_named(H5F_EXTERNAL_LINK, "../out/target.h5");
    assert_true(H5Pset_elink_acc_flags(dapl, H5F_ACC_RDWR) >= 0 && H5Pset_elink_fapl(dapl, loose) >= 0 &&
                H5Pset_elink_cb(dapl, open_for_writing, NULL) >= 0);
    assert_int_equal(value_with(H5P_DEFAULT, dapl, "x"), VALUE);
    assert_int_equal(value_with(fapl, dapl, "x"), 0);
    assert_said("folder");
    H5Pclose(loose);
    H5Pclose(dapl);
    H5Pclose(fapl);
}

/* main.h5 -> sub/middle.h5 -> name */
static int value_through_middle(const char *name, hid_t fapl)
{
    make_named(H5F_EXTERNAL_LINK, name);
    assert_int_equal(rename(main_name, "ea/in/sub/middle.h5"), 0);
    hid_t f = H5Fcreate(main_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, (hsize_t[]){1}, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_virtual(dcpl, space, "sub/middle.h5", "x", space) >= 0);
    H5Dclose(H5Dcreate2(f, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Lcreate_external("sub/middle.h5", "/", f, "middle", H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Fclose(f);
    int through = value_with(fapl, H5P_DEFAULT, "middle/x");
    assert_int_equal(value_with(fapl, H5P_DEFAULT, "v"), through);
    return through;
}

/* The folder is that of the file that the application has opened. */
static void rules_are_handed_down(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    assert_int_equal(value_through_middle("target.h5", fapl), VALUE);
    assert_int_equal(value_through_middle("../target.h5", fapl), VALUE);
    assert_int_equal(value_through_middle("../../out/target.h5", H5P_DEFAULT), VALUE);
    assert_int_equal(value_through_middle("../../out/target.h5", fapl), 0);
    assert_said("link=folder");
    H5Pclose(fapl);
}

/* A file that is open twice is bound as each of them was opened; a copy of its access list opens other files freely. */
static void each_handle_has_its_rules(void **state)
{
    (void)state;
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL), bound_d;
    make_named(H5F_EXTERNAL_LINK, "../out/target.h5");
    hid_t strict = H5Fopen(main_name, H5F_ACC_RDONLY, fapl), again = H5Freopen(strict);
    hid_t freely = H5Fopen(main_name, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(freely, "x", H5P_DEFAULT);
    assert_true(d >= 0);
    H5E_BEGIN_TRY
    {
        assert_true(H5Dopen2(strict, "x", H5P_DEFAULT) < 0);
        bound_d = H5Dopen2(again, "x", H5P_DEFAULT);
    }
    H5E_END_TRY;
    assert_true(bound_d < 0);
    H5Dclose(d);
    H5Fclose(freely);
    H5Fclose(again);
    H5Fclose(strict);

    make_named(H5F_EXTERNAL_LINK, "target.h5");
    hid_t f = H5Fopen(main_name, H5F_ACC_RDONLY, fapl);
    d = H5Dopen2(f, "x", H5P_DEFAULT);
    hid_t inner = H5Iget_file_id(d), list = H5Fget_access_plist(inner), other = H5Fopen("ea/out/target.h5", H5F_ACC_RDONLY, list);
    assert_true(other >= 0);
    H5Fclose(other);
    H5Pclose(list);
    H5Fclose(inner);
    H5Dclose(d);
    H5Fclose(f);
    H5Pclose(fapl);
}

static herr_t write_x(hid_t fapl, int value)
{
    herr_t status;
    hid_t f = H5Fopen(main_name, H5F_ACC_RDWR, fapl), d = H5Dopen2(f, "x", H5P_DEFAULT);
    H5E_BEGIN_TRY
    {
        status = H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
        said();
    }
    H5E_END_TRY;
    H5Dclose(d);
    H5Fclose(f);
    return status;
}

static void nothing_is_written_or_made_elsewhere(void **state)
{
    (void)state;
    static const char *const names[] = {"ea/out/new", "ea/in/../out/new", "ea/in/to_out/new", "ea/in/leaf_new"};
    hid_t fapl = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    for (int i = 0; i < 4; i++) {
        make_named(H5F_EXTERNAL_RAW, names[i]);
        assert_true(write_x(fapl, 5) < 0);
        assert_said(names[i]);
        assert_int_not_equal(access("ea/out/new", F_OK), 0);
    }
    make_named(H5F_EXTERNAL_RAW, "ea/in/leaf_raw");
    assert_true(write_x(fapl, 5) < 0);
    int value = 0, fd = open("ea/out/raw", O_RDONLY);
    assert_int_equal(read(fd, &value, sizeof value), sizeof value);
    close(fd);
    assert_int_equal(value, VALUE);
    make_named(H5F_EXTERNAL_RAW, "ea/in/sub/new");
    assert_true(write_x(fapl, 5) >= 0);
    assert_int_equal(value_with(fapl, H5P_DEFAULT, "x"), 5);
    make_named(H5F_EXTERNAL_SOURCE, "../out/target.h5");
    assert_true(write_x(fapl, 5) < 0);
    assert_said("folder");
    H5Pclose(fapl);
}

static void drivers_made_of_files(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dapl = H5Pcreate(H5P_DATASET_ACCESS), core = H5Pcreate(H5P_FILE_ACCESS);
    hid_t strict = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    assert_true(H5Pset_fapl_family(fapl, 256, H5P_DEFAULT) >= 0 && H5Pset_fapl_core(core, 1024, 0) >= 0);
    hid_t f = H5Fcreate("ea/out/family%d.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl), space = H5Screate_simple(1, (hsize_t[]){1}, NULL);
    hid_t d = H5Dcreate2(f, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int value = VALUE;
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(d);
    H5Sclose(space);
    H5Fclose(f);
    assert_true(H5Pset_elink_fapl(dapl, fapl) >= 0);
    make_named(H5F_EXTERNAL_LINK, "../out/family%d.h5");
    assert_int_equal(value_with(H5P_DEFAULT, dapl, "x"), VALUE);
    assert_int_equal(value_with(strict, dapl, "x"), 0);
    assert_said("folder");
    /* The first member is inside, but the second is a link that leads out. */
    assert_int_equal(system("cp ea/out/family0.h5 ea/in/ && for i in ea/out/family[1-9]*.h5; do ln -s ../../$i ea/in/; done && test -L ea/in/family1.h5"), 0);
    make_named(H5F_EXTERNAL_LINK, "family%d.h5");
    assert_int_equal(value_with(H5P_DEFAULT, dapl, "x"), VALUE);
    assert_int_equal(value_with(strict, dapl, "x"), 0);
    assert_said("folder");
    assert_true(H5Pset_elink_fapl(dapl, core) >= 0);
    make_named(H5F_EXTERNAL_LINK, "leaf.h5");
    assert_int_equal(value_with(H5P_DEFAULT, dapl, "x"), VALUE);
    assert_int_equal(value_with(strict, dapl, "x"), 0);
    assert_said("folder");
    H5Pclose(strict);
    H5Pclose(core);
    H5Pclose(dapl);
    H5Pclose(fapl);
}

/* The environment takes away from what lists allow, and never gives. */
static void the_environment_is_stricter(void **state)
{
    (void)state;
    static const char *const variable = "TESSERA_EXTERNAL_ACCESS";
    hid_t strict = bound(H5F_EXTERNAL_ALL, H5F_EXTERNAL_FOLDER, NULL);
    char list[PATH_MAX + 100];
    setenv(variable, "folder", 1);
    make_named(H5F_EXTERNAL_LINK, "../out/target.h5");
    assert_int_equal(value_with(H5P_DEFAULT, H5P_DEFAULT, "x"), 0);
    assert_said("TESSERA_EXTERNAL_ACCESS=folder");
    assert_int_equal(value_through_middle("../target.h5", H5P_DEFAULT), VALUE);
    setenv(variable, "anywhere", 1);
    make_named(H5F_EXTERNAL_LINK, "../out/target.h5");
    assert_int_equal(value_with(strict, H5P_DEFAULT, "x"), 0);
    assert_int_equal(value_with(H5P_DEFAULT, H5P_DEFAULT, "x"), VALUE);
    setenv(variable, "source,raw=none;plugin=folder", 1);
    assert_int_equal(value_of(H5F_EXTERNAL_LINK, "../out/target.h5", H5P_DEFAULT), VALUE);
    assert_int_equal(value_of(H5F_EXTERNAL_SOURCE, "target.h5", H5P_DEFAULT), 0);
    assert_int_equal(value_of(H5F_EXTERNAL_RAW, "ea/in/raw", H5P_DEFAULT), 0);
    snprintf(list, sizeof list, "none;link=list:%s", absolute("ea/out"));
    setenv(variable, list, 1);
    assert_int_equal(value_of(H5F_EXTERNAL_LINK, "../out/target.h5", H5P_DEFAULT), VALUE);
    assert_int_equal(value_of(H5F_EXTERNAL_LINK, "../out/target.h5", strict), 0);
    assert_int_equal(value_of(H5F_EXTERNAL_LINK, "target.h5", strict), 0);
    static const char *const nonsense[] = {"beneath", "links=none", "list", "folder:/a", "link=folder;;raw=", "none "};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        setenv(variable, nonsense[i], 1);
        assert_int_equal(value_of(H5F_EXTERNAL_LINK, "target.h5", H5P_DEFAULT), 0);
        assert_said("makes no sense");
        assert_said(nonsense[i]);
    }
    unsetenv(variable);
    H5Pclose(strict);
}

static void make_filtered(void)
{
    int value = VALUE;
    hid_t f = H5Fcreate(main_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, (hsize_t[]){1}, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, (hsize_t[]){1});
    assert_true(H5Pset_filter(dcpl, FILTER, 0, 0, NULL) >= 0);
    hid_t d = H5Dcreate2(f, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    assert_true(H5Fclose(f) >= 0);
}

static void plugins(void **state)
{
    (void)state;
    static const char *const variable = "TESSERA_EXTERNAL_ACCESS";
    const char *plugin = getenv("TESSERA_TEST_PLUGIN");
    char command[PATH_MAX + 200];
    if (!plugin)
        skip();
    snprintf(command, sizeof command, "mkdir -p ea/plugins && cp '%s' ea/plugins/", plugin);
    assert_int_equal(system(command), 0);
    unsigned folders;
    while (H5PLsize(&folders) >= 0 && folders > 0)
        assert_true(H5PLremove(0) >= 0);
    assert_true(H5PLappend(absolute("ea/plugins")) >= 0);
    hid_t none = bound(H5F_EXTERNAL_PLUGIN, H5F_EXTERNAL_NONE, NULL);
    hid_t folder = bound(H5F_EXTERNAL_PLUGIN, H5F_EXTERNAL_FOLDER, NULL);
    hid_t list = bound(H5F_EXTERNAL_PLUGIN, H5F_EXTERNAL_LIST, absolute("ea/plugins"));
    setenv(variable, "plugin=none", 1);
    assert_int_equal(H5Zfilter_avail(FILTER), 0);
    unsetenv(variable);
    make_filtered();
    /* It is loaded now, and still not for everyone. */
    for (int loaded = 1; loaded >= 0; loaded--) {
        assert_int_equal(value_with(none, H5P_DEFAULT, "x"), 0);
        assert_said("plugin=none");
        assert_int_equal(value_with(folder, H5P_DEFAULT, "x"), 0);
        assert_said("plugin=folder");
        assert_said("libtest-plugin.so");
        setenv(variable, "plugin=none", 1);
        assert_int_equal(value_with(H5P_DEFAULT, H5P_DEFAULT, "x"), 0);
        unsetenv(variable);
        if (loaded)
            assert_true(H5Zunregister(FILTER) >= 0);
    }
    assert_int_equal(value_with(list, H5P_DEFAULT, "x"), VALUE);
    assert_int_equal(value_with(H5P_DEFAULT, H5P_DEFAULT, "x"), VALUE);
    H5Pclose(none);
    H5Pclose(folder);
    H5Pclose(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_keep_rules),
        cmocka_unit_test_setup_teardown(confined_to_the_folder, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(another_place_may_be_in_reach, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(folders_with_like_names, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(the_folder_is_where_the_file_really_is, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(confined_to_a_list, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(forbidden, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(refused_sources_are_never_fill_values, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(prefixes_lead_nowhere_else, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(links_with_lists_of_their_own, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(rules_are_handed_down, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(each_handle_has_its_rules, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(nothing_is_written_or_made_elsewhere, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(drivers_made_of_files, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(the_environment_is_stricter, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(plugins, make_tree, drop_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
