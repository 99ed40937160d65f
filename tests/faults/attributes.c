/* Attributes: in the header, in a heap, turning from one into the other, shared. */
#include <stdio.h>
#include <string.h>

#include "faults/faults.h"

static const char *attr_name(int i)
{
    static char name[64];
    snprintf(name, sizeof name, "attribute number %d", i);
    return name;
}

static int put_attr(hid_t object, const char *name, int first, hsize_t n)
{
    int values[4000];
    KEEP(space, H5Screate_simple(1, &n, NULL));
    KEEP(attr, H5Acreate2(object, name, H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT));
    for (hsize_t i = 0; i < n; i++)
        values[i] = first + (int)i;
    return H5Awrite(attr, H5T_NATIVE_INT, values);
}

static int make_attrs(const char *path, hid_t fapl, int n)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    KEEP(gcpl, H5Pcreate(H5P_GROUP_CREATE));
    TRY(H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    KEEP(group, H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    hsize_t size = 3;
    int values[3] = {7, 8, 9};
    KEEP(space, H5Screate_simple(1, &size, NULL));
    for (int i = 0; i < n; i++) {
        hid_t attr = H5Acreate2(group, attr_name(i), H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
        TRY(H5Awrite(attr, H5T_NATIVE_INT, values));
        TRY(H5Aclose(attr));
    }
    return 0;
}

static int make_few(const char *path, hid_t fapl)
{
    return make_attrs(path, fapl, 3);
}

static int make_almost_dense(const char *path, hid_t fapl)
{
    return make_attrs(path, fapl, 8);
}

static int make_dense(const char *path, hid_t fapl)
{
    return make_attrs(path, fapl, 9);
}

static int make_many(const char *path, hid_t fapl)
{
    return make_attrs(path, fapl, 60);
}

/* Two blocks of one header, both of large messages; deleting cuts them. */
static int make_in_blocks(const char *path, hid_t fapl)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    KEEP(group, H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 6; i++) {
        TRY(put_attr(group, attr_name(i), i, 500));
        if (i == 2)
            TRY(put_attr(file, "in the way", i, 10));
    }
    return 0;
}

static int make_shared(const char *path, hid_t fapl)
{
    KEEP(fcpl, H5Pcreate(H5P_FILE_CREATE));
    TRY(H5Pset_shared_mesg_nindexes(fcpl, 1));
    TRY(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ALL_FLAG, 20));
    TRY(H5Pset_shared_mesg_phase_change(fcpl, 4, 2));
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl));
    KEEP(group, H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 2; i++)
        TRY(put_attr(group, attr_name(i), i, 10));
    return 0;
}

static int make_old(const char *path, hid_t fapl)
{
    (void)fapl;
    TRY(from_corpus("group_old_0links.h5", path));
    KEEP(file, H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    KEEP(group, H5Gopen2(file, "g", H5P_DEFAULT));
    return put_attr(group, attr_name(0), 1, 20);
}

/* Creating is one step, and writing another. */
static int create(hid_t file, int step)
{
    hsize_t n = 5;
    int values[5] = {1, 2, 3, 4, step};
    KEEP(group, H5Gopen2(file, "g", H5P_DEFAULT));
    KEEP(space, H5Screate_simple(1, &n, NULL));
    if (step % 2 == 0) {
        KEEP(attr, H5Acreate2(group, attr_name(100 + step), H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
        return 0;
    }
    KEEP(attr, H5Aopen(group, attr_name(100 + step - 1), H5P_DEFAULT));
    return H5Awrite(attr, H5T_NATIVE_INT, values);
}

static int change(hid_t file, int step)
{
    int values[3] = {100, 200, 300};
    if (step == 1)
        return H5Arename_by_name(file, "g", attr_name(1), "renamed", H5P_DEFAULT);
    if (step == 2)
        return H5Adelete_by_name(file, "g", attr_name(2), H5P_DEFAULT);
    KEEP(attr, H5Aopen_by_name(file, "g", attr_name(0), H5P_DEFAULT, H5P_DEFAULT));
    return H5Awrite(attr, H5T_NATIVE_INT, values);
}

static int delete_some(hid_t file, int step)
{
    return H5Adelete_by_name(file, "g", attr_name(step), H5P_DEFAULT);
}

static int large(hid_t file, int step)
{
    int values[4000];
    hsize_t n = step < 2 ? 4000 : 1500;
    if (step == 4)
        return H5Adelete_by_name(file, "g", "large 0", H5P_DEFAULT);
    for (int i = 0; i < 4000; i++)
        values[i] = i + step;
    KEEP(group, H5Gopen2(file, "g", H5P_DEFAULT));
    KEEP(space, H5Screate_simple(1, &n, NULL));
    if (step % 2 == 0) {
        KEEP(attr, H5Acreate2(group, step ? "large 2" : "large 0", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
        return 0;
    }
    KEEP(attr, H5Aopen(group, step == 1 ? "large 0" : "large 2", H5P_DEFAULT));
    return H5Awrite(attr, H5T_NATIVE_INT, values);
}

static int strings(hid_t file, int step)
{
    const char *values[2] = {step == 1 ? "a string" : "another, longer string", "and one more"};
    hsize_t n = 2;
    KEEP(group, H5Gopen2(file, "g", H5P_DEFAULT));
    KEEP(type, H5Tcopy(H5T_C_S1));
    TRY(H5Tset_size(type, H5T_VARIABLE));
    KEEP(space, H5Screate_simple(1, &n, NULL));
    if (step == 3)
        return H5Adelete(group, "strings");
    if (step == 0) {
        KEEP(attr, H5Acreate2(group, "strings", type, space, H5P_DEFAULT, H5P_DEFAULT));
        return 0;
    }
    KEEP(attr, H5Aopen(group, "strings", H5P_DEFAULT));
    return H5Awrite(attr, type, values);
}

/* Strings of other attributes are in the same collection. */
static int put_strings(hid_t object, const char *name, const char *first)
{
    const char *values[2] = {first, "and one more"};
    hsize_t n = 2;
    KEEP(type, H5Tcopy(H5T_C_S1));
    TRY(H5Tset_size(type, H5T_VARIABLE));
    KEEP(space, H5Screate_simple(1, &n, NULL));
    KEEP(attr, H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    return H5Awrite(attr, type, values);
}

static int make_strings(const char *path, hid_t fapl, hid_t fcpl, unsigned compact)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl));
    KEEP(gcpl, H5Pcreate(H5P_GROUP_CREATE));
    TRY(H5Pset_attr_phase_change(gcpl, compact, compact));
    for (int g = 0; g < 2; g++) {
        KEEP(group, H5Gcreate2(file, g ? "h" : "g", H5P_DEFAULT, gcpl, H5P_DEFAULT));
        for (int i = 0; i < 3; i++)
            TRY(put_strings(group, attr_name(i), attr_name(10 * g + i)));
    }
    return 0;
}

static int make_compact_strings(const char *path, hid_t fapl)
{
    return make_strings(path, fapl, H5P_DEFAULT, 8);
}

static int make_dense_strings(const char *path, hid_t fapl)
{
    return make_strings(path, fapl, H5P_DEFAULT, 0);
}

static int make_shared_strings(const char *path, hid_t fapl)
{
    KEEP(fcpl, H5Pcreate(H5P_FILE_CREATE));
    TRY(H5Pset_shared_mesg_nindexes(fcpl, 1));
    TRY(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ATTR_FLAG, 20));
    return make_strings(path, fapl, fcpl, 8);
}

/* Attributes go one by one, then all of an object with it. */
static int delete_strings(hid_t file, int step)
{
    return step < 2 ? H5Adelete_by_name(file, "g", attr_name(step), H5P_DEFAULT) : H5Ldelete(file, "h", H5P_DEFAULT);
}

static const struct scenario scenarios[] = {
    {.name = "create", .make = make_few, .step = create, .steps = 4},
    {.name = "create-latest", .make = make_few, .step = create, .steps = 4, .flags = FAULTS_LATEST},
    {.name = "change", .make = make_few, .step = change, .steps = 3},
    {.name = "delete-in-blocks", .make = make_in_blocks, .step = delete_some, .steps = 6},
    {.name = "compact-to-dense", .make = make_almost_dense, .step = create, .steps = 4},
    {.name = "dense-to-compact", .make = make_dense, .step = delete_some, .steps = 5},
    {.name = "dense-create", .make = make_many, .step = create, .steps = 2},
    {.name = "dense-change", .make = make_many, .step = change, .steps = 3},
    {.name = "dense-change-swmr",
     .make = make_many,
     .step = change,
     .steps = 3,
     .flags = FAULTS_LATEST | FAULTS_SWMR | FAULTS_SMALL_CACHE},
    {.name = "dense-delete-swmr",
     .make = make_many,
     .step = delete_some,
     .steps = 3,
     .flags = FAULTS_LATEST | FAULTS_SWMR | FAULTS_SMALL_CACHE},
    {.name = "large", .make = make_many, .step = large, .steps = 5, .flags = FAULTS_LATEST},
    {.name = "strings", .make = make_few, .step = strings, .steps = 4},
    {.name = "delete-strings", .make = make_compact_strings, .step = delete_strings, .steps = 3},
    {.name = "delete-dense-strings",
     .make = make_dense_strings,
     .step = delete_strings,
     .steps = 3,
     .flags = FAULTS_LATEST},
    {.name = "delete-shared-strings",
     .make = make_shared_strings,
     .step = delete_strings,
     .steps = 3,
     .flags = FAULTS_LATEST | FAULTS_SMALL_CACHE},
    {.name = "shared-create", .make = make_shared, .step = create, .steps = 6},
    {.name = "shared-delete", .make = make_shared, .step = delete_some, .steps = 2},
    {.name = "old-create", .make = make_old, .step = create, .steps = 6},
    {.name = "old-delete", .make = make_old, .step = delete_some, .steps = 1},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
