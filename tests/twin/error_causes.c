/* The innermost record of calls about names that are missing or taken: h5py shows its text to its users, beside that of the outermost
 * one. Compared up to where ours says more. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

static herr_t first(unsigned n, const H5E_error2_t *e, void *data)
{
    char major[80] = "", minor[80] = "";
    const char *more = strstr(e->desc, ": ");
    (void)data;
    if (n > 0)
        return 1;
    H5Eget_msg(e->maj_num, NULL, major, sizeof major);
    H5Eget_msg(e->min_num, NULL, minor, sizeof minor);
    printf("%s | %s | %.*s\n", major, minor, more ? (int)(more - e->desc) : 1000, e->desc);
    return 0;
}

static void cause(const char *call, long status)
{
    printf("%s: %s", call, status < 0 ? "" : "works\n");
    if (status < 0)
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, NULL);
}

#define TRY(call) cause(#call, (long)(call))

static herr_t no_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    return 0;
}

static void missing_links(hid_t file, const char *name)
{
    char text[32];
    H5L_info_t link;
    H5G_stat_t stat;
    printf("-- %s\n", name);
    TRY(H5Ldelete(file, name, H5P_DEFAULT));
    TRY(H5Gunlink(file, name));
    TRY(H5Lget_info(file, name, &link, H5P_DEFAULT));
    TRY(H5Lget_val(file, name, text, sizeof text, H5P_DEFAULT));
    TRY(H5Gget_linkval(file, name, sizeof text, text));
    TRY(H5Gget_objinfo(file, name, 1, &stat));
    TRY(H5Gget_objinfo(file, name, 0, &stat));
    TRY(H5Lmove(file, name, file, "new", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Lcopy(file, name, file, "new", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Gmove(file, name, "new"));
    TRY(H5Lget_name_by_idx(file, name, H5_INDEX_NAME, H5_ITER_INC, 0, text, sizeof text, H5P_DEFAULT));
    TRY(H5Lvisit_by_name(file, name, H5_INDEX_NAME, H5_ITER_INC, no_link, NULL, H5P_DEFAULT));
}

static void missing_objects(hid_t file, const char *name)
{
    char text[32];
    H5O_info_t object;
    H5G_info_t group;
    TRY(H5Oopen(file, name, H5P_DEFAULT));
    TRY(H5Oget_info_by_name(file, name, &object, H5P_DEFAULT));
    TRY(H5Oset_comment_by_name(file, name, "c", H5P_DEFAULT));
    TRY(H5Oget_comment_by_name(file, name, text, sizeof text, H5P_DEFAULT));
    TRY(H5Gset_comment(file, name, "c"));
    TRY(H5Gget_comment(file, name, sizeof text, text));
    TRY(H5Oopen_by_idx(file, name, H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    TRY(H5Gget_info_by_name(file, name, &group, H5P_DEFAULT));
    TRY(H5Ocopy(file, name, file, "new", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Aopen_by_name(file, name, "a", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Aexists_by_name(file, name, "a", H5P_DEFAULT));
    TRY(H5Arename_by_name(file, name, "a", "c", H5P_DEFAULT));
}

static void taken(hid_t file, hid_t group)
{
    puts("-- taken");
    TRY(H5Lmove(file, "g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Lcopy(file, "g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Gmove(file, "g", "h"));
    TRY(H5Gmove2(file, "g", file, "h"));
    TRY(H5Lcreate_hard(file, "g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Lcreate_soft("g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Olink(group, file, "h", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Ocopy(file, "g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Gcreate2(file, "h", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void attributes(hid_t file, hid_t group)
{
    puts("-- attributes");
    TRY(H5Arename(group, "a", "b"));
    TRY(H5Arename(group, "nope", "z"));
    TRY(H5Arename_by_name(file, "g", "a", "b", H5P_DEFAULT));
    TRY(H5Arename_by_name(file, "g", "nope", "b", H5P_DEFAULT));
    TRY(H5Arename_by_name(file, "g", "nope", "z", H5P_DEFAULT));
    TRY(H5Adelete(group, "nope"));
    TRY(H5Aopen(group, "nope", H5P_DEFAULT));
    TRY(H5Acreate2(group, "a", H5T_NATIVE_INT, H5Screate(H5S_SCALAR), H5P_DEFAULT, H5P_DEFAULT));
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate("error_causes.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "h", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Aclose(H5Acreate2(group, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Aclose(H5Acreate2(group, "b", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    static const char *const names[] = {"nope", "g/nope", "nope/x"};
    for (int i = 0; i < 3; i++) {
        missing_links(file, names[i]);
        missing_objects(file, names[i]);
    }
    taken(file, group);
    attributes(file, group);
    H5Gclose(group);
    H5Sclose(space);
    return 0;
}
