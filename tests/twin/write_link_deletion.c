/* Deleting groups with user-defined links in them: what the classes are told, in which order, and what happens when one of
 * their functions refuses. (What they see of a group that is on its way out is not compared: stock shows it half gone.) */
#include <hdf5.h>
#include <stdio.h>

#define PATH "twin-link-deletion.h5"

static int refused, calls;

static hid_t follow(const char *name, hid_t group, const void *data, size_t size, hid_t lapl)
{
    return -1;
}

static herr_t deleted(const char *name, hid_t file, const void *data, size_t size)
{
    printf("  '%s', an id of type %d, '%.*s'\n", name, (int)H5Iget_type(file), (int)size, data ? (const char *)data : "");
    return ++calls == refused ? -1 : 0;
}

static const H5L_class_t cls = {H5L_LINK_CLASS_T_VERS_0, (H5L_type_t)100, "told", NULL, NULL, NULL, (H5L_traverse_func_t)(void (*)(void))follow, deleted, NULL};
static const H5L_class_t silent = {H5L_LINK_CLASS_T_VERS_0, (H5L_type_t)101, "silent", NULL, NULL, NULL, (H5L_traverse_func_t)(void (*)(void))follow, NULL, NULL};

static hid_t make_group(hid_t at, const char *name, const char *link)
{
    hid_t g = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_ud(g, link, (H5L_type_t)100, link, 2, H5P_DEFAULT, H5P_DEFAULT);
    return g;
}

static hid_t make(H5F_libver_t low)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(PATH, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    hid_t g = make_group(file, "g", "b");
    H5Lcreate_ud(g, "a", (H5L_type_t)100, NULL, 0, H5P_DEFAULT, H5P_DEFAULT);
    hid_t sub = make_group(g, "sub", "z");
    H5Lcreate_ud(sub, "quiet", (H5L_type_t)101, "q", 2, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(sub);
    hid_t another = make_group(g, "another", "y");
    H5Lcreate_hard(g, "sub", another, "again", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(make_group(another, "kept", "k"));
    H5Lcreate_hard(another, "kept", file, "kept", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(another);
    H5Lcreate_ud(g, "t", (H5L_type_t)100, "t", 2, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(g);
    calls = 0;
    return file;
}

static void show(hid_t file)
{
    static const char *const names[] = {"g", "kept", "kept/k"};
    for (int i = 0; i < 3; i++)
        printf(" %s %d", names[i], (int)H5Lexists(file, names[i], H5P_DEFAULT));
    printf("\n");
}

static void delete_it(H5F_libver_t low, int refuse)
{
    herr_t status;
    refused = refuse;
    hid_t file = make(low);
    printf("call %d refuses\n", refuse);
    H5E_BEGIN_TRY
    {
        status = H5Ldelete(file, "g", H5P_DEFAULT);
    }
    H5E_END_TRY
    printf(" %d after %d calls:", (int)status, calls);
    show(file);
    printf(" closed: %d\n", (int)H5Fclose(file));
}

static void delete_open(H5F_libver_t low)
{
    refused = 0;
    hid_t file = make(low), g = H5Gopen2(file, "g", H5P_DEFAULT);
    printf("while it is open: %d", (int)H5Ldelete(file, "g", H5P_DEFAULT));
    printf(", %d calls\n", calls);
    printf(" closing: %d\n", (int)H5Gclose(g));
    show(file);
    printf(" closed: %d\n", (int)H5Fclose(file));
}

int main(void)
{
    H5Lregister(&cls);
    H5Lregister(&silent);
    for (int refuse = 0; refuse <= 6; refuse++)
        delete_it(H5F_LIBVER_LATEST, refuse);
    delete_it(H5F_LIBVER_EARLIEST, 0);
    delete_open(H5F_LIBVER_LATEST);
    delete_open(H5F_LIBVER_EARLIEST);
    remove(PATH);
    return 0;
}
