/* The list of an object that was made with a list, when it is made and when it is opened again: equal to the one it was made with,
 * or not. */
#include <hdf5.h>
#include <stdio.h>

enum { PLAIN, ATTR_PHASE, ATTR_ORDER, NO_TIMES, KINDS };

static hid_t list_of(hid_t cls, int kind)
{
    hid_t list = H5Pcreate(cls);
    if (kind == ATTR_PHASE)
        H5Pset_attr_phase_change(list, 3, 2);
    if (kind == ATTR_ORDER)
        H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED);
    if (kind == NO_TIMES)
        H5Pset_obj_track_times(list, 0);
    return list;
}

static hid_t make(hid_t file, int what, const char *name, hid_t list)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_NATIVE_INT);
    hid_t id = type;
    if (what == 0)
        id = H5Gcreate2(file, name, H5P_DEFAULT, list, H5P_DEFAULT);
    else if (what == 1)
        id = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
    else
        H5Tcommit2(file, name, type, H5P_DEFAULT, list, H5P_DEFAULT);
    if (what < 2)
        H5Tclose(type);
    H5Sclose(space);
    return id;
}

static void compare(hid_t object, int what, hid_t list)
{
    hid_t own = what == 0 ? H5Gget_create_plist(object) : what == 1 ? H5Dget_create_plist(object) : H5Tget_create_plist(object);
    unsigned most = 0, least = 0, order = 9;
    H5Pget_attr_phase_change(own, &most, &least);
    H5Pget_attr_creation_order(own, &order);
    printf(" %d itself %d (%u %u %u)", H5Pequal(list, own), H5Pequal(own, own), most, least, order);
    H5Pclose(own);
}

int main(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), classes[] = {H5P_GROUP_CREATE, H5P_DATASET_CREATE, H5P_DATATYPE_CREATE};
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate("plist_equal.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    for (int what = 0; what < 3; what++)
        for (int kind = 0; kind < KINDS; kind++) {
            char name[32];
            snprintf(name, sizeof name, "o%d%d", what, kind);
            hid_t list = list_of(classes[what], kind), object = make(file, what, name, list);
            printf("object %d list %d:", what, kind);
            compare(object, what, list);
            H5Oclose(object);
            object = H5Oopen(file, name, H5P_DEFAULT);
            compare(object, what, list);
            printf("\n");
            H5Oclose(object);
            H5Pclose(list);
        }
    H5Pclose(fapl);
    return H5Fclose(file) < 0;
}
