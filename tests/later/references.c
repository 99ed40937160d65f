/* References as of 1.12: made, looked at, copied, compared, stored and read again. */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "later.h"

static void bytes_of(const H5R_ref_t *ref)
{
    printf("  type %d", (int)H5Rget_type(ref));
    char name[64] = "";
    printf(" file %d", (int)H5Rget_file_name(ref, name, sizeof name));
    printf(" '%s'", name);
    name[0] = 0;
    printf(" object %d", (int)H5Rget_obj_name((H5R_ref_t *)ref, H5P_DEFAULT, name, sizeof name));
    printf(" '%s'", name);
    name[0] = 0;
    printf(" attribute %d", (int)H5Rget_attr_name(ref, name, sizeof name));
    printf(" '%s'\n", name);
    H5O_type_t type = H5O_TYPE_UNKNOWN;
    printf("  kind %d", (int)H5Rget_obj_type3((H5R_ref_t *)ref, H5P_DEFAULT, &type));
    printf(" %d\n", (int)type);
}

static hid_t fill(hid_t file)
{
    hsize_t dims[2] = {4, 6};
    int values[24];
    for (int i = 0; i < 24; i++)
        values[i] = i;
    hid_t space = H5Screate_simple(2, dims, NULL), scalar = H5Screate(H5S_SCALAR);
    hid_t g = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t d = H5Dcreate2(g, "data", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    hid_t a = H5Acreate2(d, "note", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_INT, values + 7);
    H5Aclose(a);
    H5Gclose(g);
    H5Sclose(scalar);
    H5Dclose(d);
    return space;
}

static void opened(H5R_ref_t *ref)
{
    HEAD("what they lead to");
    hid_t o = H5Ropen_object(&ref[0], H5P_DEFAULT, H5P_DEFAULT);
    SAY(H5Iget_type(o) == H5I_GROUP);
    H5Oclose(o);
    hid_t space = H5Ropen_region(&ref[1], H5P_DEFAULT, H5P_DEFAULT);
    SAY(H5Sget_select_npoints(space));
    SAY(H5Sget_select_type(space));
    hsize_t low[2], high[2];
    SAY(H5Sget_select_bounds(space, low, high));
    printf("  %d %d to %d %d\n", (int)low[0], (int)low[1], (int)high[0], (int)high[1]);
    H5Sclose(space);
    o = H5Ropen_object(&ref[1], H5P_DEFAULT, H5P_DEFAULT);
    SAY(H5Iget_type(o) == H5I_DATASET);
    H5Oclose(o);
    hid_t a = H5Ropen_attr(&ref[2], H5P_DEFAULT, H5P_DEFAULT);
    int value = 0;
    SAY(H5Aread(a, H5T_NATIVE_INT, &value));
    printf("  %d\n", value);
    H5Aclose(a);
    printf("of another kind: %d %d %d\n", H5Ropen_attr(&ref[0], H5P_DEFAULT, H5P_DEFAULT) < 0,
           H5Ropen_region(&ref[0], H5P_DEFAULT, H5P_DEFAULT) < 0, H5Ropen_region(&ref[2], H5P_DEFAULT, H5P_DEFAULT) < 0);
}

static void compared(H5R_ref_t *ref)
{
    SAY(H5Rget_obj_type3(ref, H5P_DEFAULT, NULL));
    H5R_ref_t copy;
    HEAD("compared");
    for (int i = 0; i < 3; i++) {
        SAY(H5Rcopy(&ref[i], &copy));
        for (int j = 0; j < 3; j++)
            printf("  %d %d: %d\n", i, j, (int)H5Requal(&copy, &ref[j]));
        SAY(H5Rdestroy(&copy));
    }
    SAY(H5Requal(NULL, ref));
    SAY(H5Requal(ref, NULL));
    SAY(H5Rcopy(NULL, &copy));
    SAY(H5Rcopy(ref, NULL));
    SAY(H5Rdestroy(NULL));
    SAY(H5Rget_type(NULL));
}

static void stored(hid_t file, H5R_ref_t *ref, const char *name)
{
    hsize_t three = 3;
    H5R_ref_t back[3];
    HEAD("stored");
    hid_t space = H5Screate_simple(1, &three, NULL);
    hid_t d = H5Dcreate2(file, name, H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    SAY(d > 0);
    SAY(H5Dwrite(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, ref));
    H5Dclose(d);
    H5Fflush(file, H5F_SCOPE_LOCAL);
    d = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(d);
    SAY(H5Tget_size(type) == sizeof(H5R_ref_t));
    SAY(H5Tequal(type, H5T_STD_REF));
    H5Tclose(type);
    SAY(H5Dread(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    for (int i = 0; i < 3; i++) {
        bytes_of(&back[i]);
        printf("  equal: %d\n", (int)H5Requal(&back[i], &ref[i]));
        SAY(H5Rdestroy(&back[i]));
    }
    H5Dclose(d);
    H5Sclose(space);
}

static void wrong(hid_t file, hid_t space)
{
    H5R_ref_t ref;
    HEAD("wrong arguments");
    SAY(H5Rcreate_object(file, "nothing", H5P_DEFAULT, &ref));
    SAY(H5Rcreate_object(file, NULL, H5P_DEFAULT, &ref));
    SAY(H5Rcreate_object(file, "", H5P_DEFAULT, &ref));
    SAY(H5Rcreate_object(file, "group", H5P_DEFAULT, NULL));
    SAY(H5Rcreate_object(space, "group", H5P_DEFAULT, &ref));
    SAY(H5Rcreate_region(file, "group/data", file, H5P_DEFAULT, &ref));
    SAY(H5Rcreate_region(file, "nothing", space, H5P_DEFAULT, &ref));
    SAY(H5Rcreate_attr(file, "group/data", NULL, H5P_DEFAULT, &ref));
    SAY(H5Rcreate_attr(file, "group/data", "", H5P_DEFAULT, &ref));
    SAY(H5Rcreate_attr(file, "nothing", "note", H5P_DEFAULT, &ref));
}

int main(void)
{
    H5R_ref_t ref[3];
    hsize_t start[2] = {1, 2}, count[2] = {2, 3};
    begin();
    hid_t file = H5Fcreate("references.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = fill(file);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    HEAD("made");
    SAY(H5Rcreate_object(file, "group", H5P_DEFAULT, &ref[0]));
    SAY(H5Rcreate_region(file, "/group/data", space, H5P_DEFAULT, &ref[1]));
    SAY(H5Rcreate_attr(file, "group/data", "note", H5P_DEFAULT, &ref[2]));
    for (int i = 0; i < 3; i++)
        bytes_of(&ref[i]);
    opened(ref);
    compared(ref);
    stored(file, ref, "references");
    wrong(file, space);
    for (int i = 0; i < 3; i++)
        SAY(H5Rdestroy(&ref[i]));
    H5Sclose(space);
    SAY(H5Fclose(file));
    return 0;
}
