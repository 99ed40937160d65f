/* Lists of which classes a function takes for each of its lists. Where libhdf5 takes any list at all, and does not look at it
 * (access lists of attributes and of objects without a name), it is not asked. */
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

#define FILE_NAME "list_classes.h5"

static hid_t file, dset, space;
static int made;

static const char *fresh(void)
{
    static char name[32];
    snprintf(name, sizeof name, "n%d", made++);
    return name;
}

static hid_t of_class(int i)
{
    const hid_t classes[] = {H5P_GROUP_ACCESS,     H5P_DATASET_ACCESS, H5P_DATATYPE_ACCESS, H5P_LINK_ACCESS,
                             H5P_ATTRIBUTE_ACCESS, H5P_FILE_ACCESS,    H5P_GROUP_CREATE,    H5P_OBJECT_CREATE,
                             H5P_DATASET_CREATE,   H5P_DATATYPE_CREATE, H5P_LINK_CREATE,    H5P_STRING_CREATE,
                             H5P_ATTRIBUTE_CREATE, H5P_FILE_CREATE,    H5P_OBJECT_COPY,     H5P_DATASET_XFER};
    return i < (int)(sizeof classes / sizeof *classes) ? H5Pcreate(classes[i]) : -1;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        printf("%s:", #call);                                                                                          \
        hid_t list;                                                                                                    \
        for (int i = 0; (list = of_class(i)) >= 0; i++) {                                                              \
            printf(" %d", (call) >= 0);                                                                                \
            H5Pclose(list);                                                                                            \
        }                                                                                                              \
        printf("\n");                                                                                                  \
    } while (0)

static hid_t int_type(void)
{
    return H5Tcopy(H5T_NATIVE_INT);
}

static void groups_and_types(void)
{
    TRY(H5Gopen2(file, "group", list));
    TRY(H5Gcreate2(file, fresh(), list, 0, 0));
    TRY(H5Gcreate2(file, fresh(), 0, list, 0));
    TRY(H5Gcreate2(file, fresh(), 0, 0, list));
    TRY(H5Gcreate_anon(file, list, 0));
    TRY(H5Topen2(file, "type", list));
    TRY(H5Tcommit2(file, fresh(), int_type(), list, 0, 0));
    TRY(H5Tcommit2(file, fresh(), int_type(), 0, list, 0));
    TRY(H5Tcommit2(file, fresh(), int_type(), 0, 0, list));
    TRY(H5Tcommit_anon(file, int_type(), list, 0));
}

static void datasets_and_attributes(void)
{
    TRY(H5Dopen2(file, "dset", list));
    TRY(H5Dcreate2(file, fresh(), H5T_NATIVE_INT, space, list, 0, 0));
    TRY(H5Dcreate2(file, fresh(), H5T_NATIVE_INT, space, 0, list, 0));
    TRY(H5Dcreate2(file, fresh(), H5T_NATIVE_INT, space, 0, 0, list));
    TRY(H5Acreate2(file, fresh(), H5T_NATIVE_INT, space, list, 0));
    TRY(H5Acreate_by_name(file, ".", fresh(), H5T_NATIVE_INT, space, 0, 0, list));
    TRY(H5Aopen_by_name(file, "dset", "attr", list, 0));
    TRY(H5Aopen_by_name(file, "dset", "attr", 0, list));
    TRY(H5Aexists_by_name(file, "dset", "attr", list));
}

static void links_and_objects(void)
{
    H5L_info_t link;
    H5O_info_t info;
    TRY(H5Oopen(file, "group", list));
    TRY(H5Oexists_by_name(file, "group", list));
    TRY(H5Oget_info_by_name(file, "group", &info, list));
    TRY(H5Ocopy(file, "dset", file, fresh(), list, 0));
    TRY(H5Ocopy(file, "dset", file, fresh(), 0, list));
    TRY(H5Olink(dset, file, fresh(), list, 0));
    TRY(H5Olink(dset, file, fresh(), 0, list));
    TRY(H5Lexists(file, "group", list));
    TRY(H5Lget_info(file, "group", &link, list));
    TRY(H5Lcreate_soft("x", file, fresh(), list, 0));
    TRY(H5Lcreate_soft("x", file, fresh(), 0, list));
    TRY(H5Lcopy(file, "dset", file, fresh(), list, 0));
    TRY(H5Lcopy(file, "dset", file, fresh(), 0, list));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate(H5S_SCALAR);
    H5Gclose(H5Gcreate2(file, "group", 0, 0, 0));
    H5Tcommit2(file, "type", int_type(), 0, 0, 0);
    dset = H5Dcreate2(file, "dset", H5T_NATIVE_INT, space, 0, 0, 0);
    H5Aclose(H5Acreate2(dset, "attr", H5T_NATIVE_INT, space, 0, 0));
    groups_and_types();
    datasets_and_attributes();
    links_and_objects();
    H5Dclose(dset);
    H5Sclose(space);
    H5Fclose(file);
    unlink(FILE_NAME);
    return 0;
}
