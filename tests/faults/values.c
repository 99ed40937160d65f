/* What refers to other places: variable-length data, references, committed datatypes, copies. */
#include <stdio.h>
#include <string.h>

#include "faults/faults.h"

#define N 6

static int make_empty(const char *path, hid_t fapl)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    KEEP(group, H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

/* A text by where it is and how often it was written. */
static const char *text_of(int i, int times)
{
    static char text[N][256];
    memset(text[i], 'a' + times, sizeof text[i]);
    text[i][1 + 15 * times * i] = '\0';
    return text[i];
}

static int write_strings(hid_t file, int step, bool chunks)
{
    const char *values[N];
    hsize_t n = N, chunk = 4;
    for (int i = 0; i < N; i++)
        values[i] = text_of(i, step);
    KEEP(type, H5Tcopy(H5T_C_S1));
    TRY(H5Tset_size(type, H5T_VARIABLE));
    KEEP(space, H5Screate_simple(1, &n, NULL));
    KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
    if (chunks)
        TRY(H5Pset_chunk(dcpl, 1, &chunk));
    if (step == 0) {
        KEEP(dataset, H5Dcreate2(file, "strings", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        return 0;
    }
    if (step == 3)
        return H5Ldelete(file, "strings", H5P_DEFAULT);
    KEEP(dataset, H5Dopen2(file, "strings", H5P_DEFAULT));
    return H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

static int strings(hid_t file, int step)
{
    return write_strings(file, step, false);
}

static int strings_in_chunks(hid_t file, int step)
{
    return write_strings(file, step, true);
}

static bool strings_may_be(hid_t file)
{
    char *values[N] = {NULL};
    hsize_t n = N;
    if (H5Lexists(file, "strings", H5P_DEFAULT) <= 0)
        return true;
    hid_t dataset = H5Dopen2(file, "strings", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate_simple(1, &n, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    bool right = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    for (int i = 0; right && i < N; i++)
        right = !values[i] || strcmp(values[i], text_of(i, 1)) == 0 || strcmp(values[i], text_of(i, 2)) == 0;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    return right;
}

static int references(hid_t file, int step)
{
    hsize_t n = 2, zero = 0, one = 1;
    hobj_ref_t objects[2];
    hdset_reg_ref_t regions[2];
    KEEP(space, H5Screate_simple(1, &n, NULL));
    if (step == 0) {
        KEEP(dataset, H5Dcreate2(file, "objects", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        return 0;
    }
    if (step == 2) {
        KEEP(dataset, H5Dcreate2(file, "regions", H5T_STD_REF_DSETREG, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        return 0;
    }
    TRY(H5Rcreate(&objects[0], file, "g", H5R_OBJECT, -1));
    TRY(H5Rcreate(&objects[1], file, "objects", H5R_OBJECT, -1));
    if (step == 1) {
        KEEP(dataset, H5Dopen2(file, "objects", H5P_DEFAULT));
        return H5Dwrite(dataset, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, objects);
    }
    TRY(H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, NULL, &one, NULL));
    TRY(H5Rcreate(&regions[0], file, "objects", H5R_DATASET_REGION, space));
    TRY(H5Sselect_all(space));
    TRY(H5Rcreate(&regions[1], file, "objects", H5R_DATASET_REGION, space));
    KEEP(dataset, H5Dopen2(file, "regions", H5P_DEFAULT));
    return H5Dwrite(dataset, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, regions);
}

static int types(hid_t file, int step)
{
    if (step == 3)
        return H5Ldelete(file, "named", H5P_DEFAULT);
    if (step == 0) {
        KEEP(type, H5Tcreate(H5T_COMPOUND, 12));
        TRY(H5Tinsert(type, "a", 0, H5T_STD_I32LE));
        TRY(H5Tinsert(type, "b", 4, H5T_IEEE_F64LE));
        return H5Tcommit2(file, "named", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    }
    KEEP(type, H5Topen2(file, "named", H5P_DEFAULT));
    KEEP(space, H5Screate(H5S_SCALAR));
    if (step == 1) {
        KEEP(dataset, H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        return 0;
    }
    KEEP(attr, H5Acreate2(type, "attribute", type, space, H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

/* A group with what the other scenarios make. */
static int make_tree(const char *path, hid_t fapl)
{
    TRY(make_empty(path, fapl));
    KEEP(file, H5Fopen(path, H5F_ACC_RDWR, fapl));
    KEEP(group, H5Gopen2(file, "g", H5P_DEFAULT));
    for (int step = 0; step < 3; step++)
        TRY(types(group, step));
    for (int step = 0; step < 2; step++)
        TRY(strings_in_chunks(group, step));
    return 0;
}

static int copy(hid_t file, int step)
{
    return step ? H5Ocopy(file, "copied/d", file, "once more", H5P_DEFAULT, H5P_DEFAULT)
                : H5Ocopy(file, "g", file, "copied", H5P_DEFAULT, H5P_DEFAULT);
}

static const struct scenario scenarios[] = {
    {.name = "strings", .make = make_empty, .step = strings, .steps = 4, .may_be = strings_may_be},
    {.name = "strings-in-chunks", .make = make_empty, .step = strings_in_chunks, .steps = 4, .may_be = strings_may_be},
    {.name = "strings-in-chunks-latest", .make = make_empty, .step = strings_in_chunks, .steps = 4,
     .may_be = strings_may_be, .flags = FAULTS_LATEST},
    {.name = "references", .make = make_empty, .step = references, .steps = 4},
    {.name = "types", .make = make_empty, .step = types, .steps = 4},
    {.name = "copy", .make = make_tree, .step = copy, .steps = 2},
    {.name = "copy-latest", .make = make_tree, .step = copy, .steps = 2, .flags = FAULTS_LATEST},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
