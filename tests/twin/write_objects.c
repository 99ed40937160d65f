/* Comments, link counts, committed datatypes, flushes that are held back: what objects of all kinds have in common. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "write_objects.h5"

static void result(const char *what, long status)
{
    printf("%s: %s\n", what, status < 0 ? "fails" : "works");
}

#define DO(call) result(#call, (long)(call))

static void show(const char *what, hid_t obj)
{
    H5O_info_t info = {0};
    char comment[64] = "";
    herr_t status = H5Oget_info(obj, &info);
    ssize_t length = H5Oget_comment(obj, comment, sizeof comment);
    printf("%s: info %d, type %d, %u links, %d attributes, comment %d '%s'\n", what, status < 0, (int)info.type, info.rc,
           (int)info.num_attrs, (int)length, length > 0 ? comment : "");
}

static void comments(void)
{
    printf("== comments\n");
    char text[200];
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(group, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    show("at first", group);
    DO(H5Oset_comment(group, "hello"));
    show("one", group);
    DO(H5Oset_comment(group, "hello again, and for longer this time"));
    show("longer", group);
    DO(H5Oset_comment(group, "x"));
    show("short", group);
    DO(H5Oset_comment_by_name(file, "g", "by name", H5P_DEFAULT));
    show("by name", group);
    DO(H5Oset_comment_by_name(file, "nowhere", "by name", H5P_DEFAULT));
    DO(H5Oset_comment(attr, "by its attribute"));
    show("by its attribute", group);
    DO(H5Oset_comment(space, "no object"));
    DO(H5Oset_comment(file, "the root"));
    printf("root %d\n", (int)H5Oget_comment_by_name(file, "/", text, sizeof text, H5P_DEFAULT));
    DO(H5Gset_comment(file, "g", "the old way"));
    show("the old way", group);
    DO(H5Gset_comment(file, "", "x"));
    DO(H5Oset_comment(group, NULL));
    show("none", group);
    DO(H5Oset_comment(group, "x"));
    DO(H5Oset_comment(group, ""));
    show("empty", group);
    H5Aclose(attr);
    H5Gclose(group);
    H5Sclose(space);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    printf("root %d\n", (int)H5Oget_comment_by_name(file, "/", text, sizeof text, H5P_DEFAULT));
    DO(H5Oset_comment(file, "no"));
    DO(H5Fclose(file));
}

static void counts(void)
{
    printf("== link counts\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), type = H5Tcopy(H5T_NATIVE_INT);
    DO(H5Oincr_refcount(file));
    DO(H5Oincr_refcount(type));
    DO(H5Oincr_refcount(group));
    DO(H5Oincr_refcount(group));
    show("three", group);
    DO(H5Odecr_refcount(group));
    show("two", group);
    DO(H5Lcreate_hard(file, "g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    show("three", group);
    DO(H5Ldelete(file, "g", H5P_DEFAULT));
    DO(H5Ldelete(file, "h", H5P_DEFAULT));
    show("one", group);
    DO(H5Odecr_refcount(group));
    show("none, but open", group);
    DO(H5Odecr_refcount(group));
    DO(H5Gclose(group));
    group = H5Gcreate2(file, "k", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    DO(H5Odecr_refcount(group));
    DO(H5Olink(group, file, "saved", H5P_DEFAULT, H5P_DEFAULT));
    show("saved", group);
    DO(H5Ldelete(file, "k", H5P_DEFAULT));
    show("deleted", group);
    DO(H5Gclose(group));
    H5Tclose(type);
    DO(H5Fclose(file));
}

static void committed(void)
{
    printf("== committed datatypes\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t type = H5Tcreate(H5T_COMPOUND, 16), string = H5Tcopy(H5T_C_S1), none = H5Tcreate(H5T_COMPOUND, 4);
    H5Tset_size(string, H5T_VARIABLE);
    H5Tinsert(type, "n", 0, H5T_NATIVE_INT);
    H5Tinsert(type, "s", 8, string);
    DO(H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    show("committed", type);
    printf("size %d members %d committed %d\n", (int)H5Tget_size(type), H5Tget_nmembers(type), (int)H5Tcommitted(type));
    DO(H5Tcommit2(file, "t2", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tinsert(type, "more", 12, H5T_NATIVE_SHORT));
    DO(H5Tcommit2(file, "u", H5T_NATIVE_INT, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tcommit2(file, "u", none, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tcommit2(file, "t", string, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tcommit2(file, "", string, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tcommit2(file, "a/b", string, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tcommit1(file, "string", string));
    hid_t copy = H5Tcopy(type);
    printf("copy: committed %d equal %d\n", (int)H5Tcommitted(copy), (int)H5Tequal(copy, type));
    DO(H5Tcommit_anon(file, copy, H5P_DEFAULT, H5P_DEFAULT));
    show("anonymous", copy);
    DO(H5Olink(copy, file, "named later", H5P_DEFAULT, H5P_DEFAULT));
    show("named", copy);
    DO(H5Tclose(copy));
    copy = H5Tcopy(H5T_IEEE_F32BE);
    DO(H5Tcommit_anon(file, copy, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tflush(copy));
    DO(H5Trefresh(copy));
    DO(H5Tclose(copy));
    DO(H5Aclose(H5Acreate2(type, "on a datatype", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT)));
    show("with an attribute", type);
    H5Tclose(type);
    H5Tclose(string);
    H5Tclose(none);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    type = H5Topen2(file, "t", H5P_DEFAULT);
    show("again", type);
    printf("size %d members %d\n", (int)H5Tget_size(type), H5Tget_nmembers(type));
    DO(H5Tcommit2(file, "t3", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    copy = H5Topen2(file, "named later", H5P_DEFAULT);
    printf("equal %d\n", (int)H5Tequal(copy, type));
    H5Tclose(copy);
    H5Tclose(type);
    DO(H5Ldelete(file, "t", H5P_DEFAULT));
    H5Sclose(space);
    DO(H5Fclose(file));
}

static void held_back(void)
{
    printf("== flushes held back\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t again = H5Gopen2(file, "g", H5P_DEFAULT);
    hbool_t held = 9;
    DO(H5Oenable_mdc_flushes(group));
    DO(H5Odisable_mdc_flushes(group));
    DO(H5Odisable_mdc_flushes(again));
    DO(H5Oare_mdc_flushes_disabled(again, &held));
    printf("%d\n", (int)held);
    DO(H5Oflush(group));
    DO(H5Orefresh(group));
    DO(H5Oenable_mdc_flushes(again));
    DO(H5Oare_mdc_flushes_disabled(group, &held));
    printf("%d\n", (int)held);
    DO(H5Odisable_mdc_flushes(file));
    DO(H5Oare_mdc_flushes_disabled(file, &held));
    DO(H5Oflush(file));
    DO(H5Orefresh(file));
    H5Gclose(again);
    H5Gclose(group);
    DO(H5Fclose(file));
}

static herr_t called(hid_t id, void *data)
{
    printf("flushed an object of type %d, %s\n", (int)H5Iget_type(id), (const char *)data);
    return 0;
}

static void callback(void)
{
    printf("== flush callback\n");
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    DO(H5Pset_object_flush_cb(fapl, called, (void *)"with data"));
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), type = H5Tcopy(H5T_NATIVE_INT);
    DO(H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Oflush(group));
    DO(H5Oflush(type));
    DO(H5Tflush(type));
    DO(H5Gflush(group));
    H5Gclose(group);
    H5Tclose(type);
    H5Pclose(fapl);
    DO(H5Fclose(file));
}

static void times(void)
{
    printf("== times\n");
    for (int track = 0; track < 2; track++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), gcpl = H5Pcreate(H5P_GROUP_CREATE);
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
        H5Pset_obj_track_times(gcpl, (hbool_t)track);
        hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT);
        H5O_info_t info = {0}, later = {0};
        H5Oget_info(group, &info);
        sleep(1);
        H5Oset_comment(group, "changed");
        H5Oget_info(group, &later);
        printf("tracked %d: set %d %d %d %d; changed %d %d %d %d\n", track, info.atime != 0, info.mtime != 0,
               info.ctime != 0, info.btime != 0, info.atime != later.atime, info.mtime != later.mtime,
               info.ctime != later.ctime, info.btime != later.btime);
        hid_t list = H5Gget_create_plist(group);
        hbool_t stored;
        H5Pget_obj_track_times(list, &stored);
        printf("list says %d\n", (int)stored);
        H5Pclose(list);
        H5Gclose(group);
        H5Fclose(file);
        H5Pclose(gcpl);
        H5Pclose(fapl);
    }
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    comments();
    counts();
    committed();
    held_back();
    callback();
    times();
    unlink(FILE_NAME);
    return 0;
}
