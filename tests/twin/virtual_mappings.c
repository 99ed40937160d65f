/* H5Pset_virtual: which mappings are taken, offsets of their dataspaces, and the list that the new dataset gives back. */
#include <stdio.h>

#include <hdf5.h>

#include "deadly.h"

#define SOURCE "virtual_mappings_source.h5"

static void make_source(void)
{
    const hsize_t n = 10;
    int data[10];
    for (int i = 0; i < 10; i++)
        data[i] = 100 + i;
    hid_t file = H5Fcreate(SOURCE, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    hid_t set = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

static void show_space(const char *name, hid_t space)
{
    hsize_t low[2] = {0}, high[2] = {0}, dims[2] = {0}, max[2] = {0};
    int bounds = H5Sget_select_bounds(space, low, high), rank = H5Sget_simple_extent_dims(space, dims, max);
    printf("  %s: type %d, %lld elements, bounds %d %lld %lld, rank %d, %lld of %lld\n", name, (int)H5Sget_select_type(space),
           (long long)H5Sget_select_npoints(space), bounds, (long long)low[0], (long long)high[0], rank, (long long)dims[0],
           (long long)max[0]);
    H5Sclose(space);
}

static void show_list(hid_t dcpl)
{
    size_t n = 0;
    H5Pget_virtual_count(dcpl, &n);
    printf("  %zu mappings\n", n);
    for (size_t i = 0; i < n; i++) {
        show_space("virtual", H5Pget_virtual_vspace(dcpl, i));
        show_space("source", H5Pget_virtual_srcspace(dcpl, i));
    }
}

static void show_data(hid_t set)
{
    int data[20] = {0};
    printf("  read %d:", (int)H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    for (int i = 0; i < 20; i++)
        printf(" %d", data[i]);
    printf("\n");
}

static void make_dataset(hid_t file, const char *name, hid_t dcpl)
{
    const hsize_t n = 20;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    printf("  made %d\n", set > 0);
    H5Sclose(space);
    if (set < 0)
        return;
    hid_t given = H5Dget_create_plist(set);
    show_list(given);
    printf("  equal %d\n", (int)H5Pequal(dcpl, given));
    show_data(set);
    H5Pclose(given);
    H5Dclose(set);
    set = H5Dopen2(file, name, H5P_DEFAULT);
    given = H5Dget_create_plist(set);
    show_list(given);
    show_data(set);
    H5Pclose(given);
    H5Dclose(set);
}

/* Five elements from 4 on, of five from 2 on. */
static void offsets(hid_t file)
{
    static const hssize_t moves[][2] = {{0, 0}, {3, 0}, {-2, 0}, {0, 2}, {1, -1}, {30, 0}, {-10, 0}};
    const hsize_t n[] = {20, 10}, from[] = {4, 2}, five = 5;
    const int fill = -1;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), spaces[2];
        char name[16];
        for (int k = 0; k < 2; k++) {
            spaces[k] = H5Screate_simple(1, &n[k], NULL);
            H5Sselect_hyperslab(spaces[k], H5S_SELECT_SET, &from[k], NULL, &five, NULL);
            H5Soffset_simple(spaces[k], &moves[i][k]);
        }
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
        snprintf(name, sizeof name, "moved %zu", i);
        int set = H5Pset_virtual(dcpl, spaces[0], SOURCE, "d", spaces[1]);
        printf("%s: %d\n", name, set);
        show_list(dcpl);
        if (set >= 0)
            make_dataset(file, name, dcpl);
        H5Sclose(spaces[0]);
        H5Sclose(spaces[1]);
        H5Pclose(dcpl);
    }
}

static herr_t show_outermost(unsigned n, const H5E_error2_t *e, void *data)
{
    char minor[80] = "";
    (void)data;
    H5Eget_msg(e->min_num, NULL, minor, sizeof minor);
    if (n == 0)
        printf(" (%s)", minor);
    return 0;
}

static void try_map(const char *what, hid_t dcpl, const hid_t *spaces, const char *file, const char *set)
{
    size_t n = 0;
    int r = H5Pset_virtual(dcpl, spaces[0], file, set, spaces[1]);
    printf("%s: %d", what, r);
    if (r < 0)
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, show_outermost, NULL);
    H5Pget_virtual_count(dcpl, &n);
    printf(", %zu mappings\n", n);
}

/* 2.2.0 spoils a list for which it refuses the selections of a mapping: the next one ends it. */
#define SPOILING(...) DEADLY_SINCE(20200, try_map(__VA_ARGS__))

static void taken_and_refused(void)
{
    const hsize_t twenty = 20, ten = 10, five = 5, zero = 0, points[] = {3, 1, 2}, three = 3, endless = H5S_UNLIMITED;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t all = H5Screate_simple(1, &twenty, NULL), some = H5Screate_simple(1, &twenty, NULL);
    hid_t few = H5Screate_simple(1, &five, NULL);
    hid_t single = H5Screate_simple(1, &twenty, NULL), open = H5Screate_simple(1, &ten, &endless), blocks = H5Scopy(open);
    H5Sselect_hyperslab(some, H5S_SELECT_SET, &zero, NULL, &three, NULL);
    H5Sselect_elements(single, H5S_SELECT_SET, 3, points);
    H5Sselect_hyperslab(open, H5S_SELECT_SET, &zero, NULL, &endless, NULL);
    H5Sselect_hyperslab(blocks, H5S_SELECT_SET, &zero, &ten, &endless, &five);
    try_map("virtual points", dcpl, (const hid_t[]){single, some}, "f", "d");
    try_map("source points", dcpl, (const hid_t[]){some, single}, "f", "d");
    try_map("points of points", dcpl, (const hid_t[]){single, single}, "f", "d");
    try_map("all of all", dcpl, (const hid_t[]){all, all}, "f", "d");
    try_map("all of few", dcpl, (const hid_t[]){all, few}, "f", "d");
    try_map("no file", dcpl, (const hid_t[]){all, all}, NULL, "d");
    try_map("no dataset", dcpl, (const hid_t[]){all, all}, "f", NULL);
    SPOILING("numbered file", dcpl, (const hid_t[]){all, all}, "f%b", "d");
    SPOILING("numbered dataset", dcpl, (const hid_t[]){all, all}, "f", "d%b");
    try_map("percent signs", dcpl, (const hid_t[]){all, all}, "f%%", "%%d");
    SPOILING("something else, file", dcpl, (const hid_t[]){all, all}, "f%5", "d");
    SPOILING("something else, dataset", dcpl, (const hid_t[]){all, all}, "f", "d%d");
    try_map("open of open", dcpl, (const hid_t[]){open, open}, "f", "d");
    SPOILING("open of limited", dcpl, (const hid_t[]){open, all}, "f", "d");
    try_map("limited of open", dcpl, (const hid_t[]){all, open}, "f", "d");
    try_map("blocks", dcpl, (const hid_t[]){blocks, few}, "f%b", "d");
    SPOILING("blocks without numbers", dcpl, (const hid_t[]){blocks, few}, "f", "d");
    SPOILING("blocks of others", dcpl, (const hid_t[]){blocks, all}, "f%b", "d");
    SPOILING("numbered open of open", dcpl, (const hid_t[]){open, open}, "f%b", "d");
    show_list(dcpl);
    const hid_t spaces[] = {all, some, few, single, open, blocks};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        H5Sclose(spaces[i]);
    H5Pclose(dcpl);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_source();
    hid_t file = H5Fcreate("virtual_mappings.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    offsets(file);
    taken_and_refused();
    printf("closed: %d\n", (int)H5Fclose(file));
    return 0;
}
