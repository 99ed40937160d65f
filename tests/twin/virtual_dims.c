/* How small a virtual dataset can be made: as small as the limited dimensions of its mappings. */
#include <hdf5.h>
#include <stdio.h>

enum { ROWS = 4, COLUMNS = 5, AT = 2 };

static hid_t select_all_of(hid_t space, int endless, const hsize_t *start)
{
    hsize_t count[2] = {endless ? H5S_UNLIMITED : ROWS, COLUMNS};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    return space;
}

static void make_source(hid_t file)
{
    hsize_t dims[2] = {ROWS, COLUMNS}, most[2] = {H5S_UNLIMITED, COLUMNS}, chunk[2] = {2, 2};
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Dclose(H5Dcreate2(file, "source", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pclose(dcpl);
    H5Sclose(space);
}

static hid_t mapped(int endless, hsize_t rows, hsize_t columns, hid_t *space)
{
    hsize_t dims[2] = {rows, columns}, most[2] = {H5S_UNLIMITED, 20}, extent[2] = {ROWS, COLUMNS};
    hsize_t whole[2] = {H5S_UNLIMITED, COLUMNS}, start[2] = {endless ? 0 : AT, AT}, none[2] = {0, 0};
    *space = H5Screate_simple(2, dims, most);
    hid_t source = H5Screate_simple(2, extent, endless ? whole : NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    select_all_of(*space, endless, start);
    select_all_of(source, endless, none);
    printf("set_virtual %d\n", H5Pset_virtual(dcpl, *space, ".", "source", source));
    H5Sclose(source);
    return dcpl;
}

static void tell(hid_t file, const char *when)
{
    hsize_t dims[2] = {0, 0};
    hid_t dset = H5Dopen2(file, "shown", H5P_DEFAULT), space = H5Dget_space(dset);
    H5Sget_simple_extent_dims(space, dims, NULL);
    printf("%s: %llu x %llu\n", when, (unsigned long long)dims[0], (unsigned long long)dims[1]);
    H5Sclose(space);
    H5Dclose(dset);
}

/* What failed shows only in another handle: libhdf5's has the refused extent. */
static void resize(int endless, const char *name, hsize_t rows, hsize_t columns)
{
    hsize_t dims[2] = {rows, columns};
    hid_t file = H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT), dset = H5Dopen2(file, "shown", H5P_DEFAULT);
    printf("endless %d, to %llu x %llu: %d\n", endless, (unsigned long long)rows, (unsigned long long)columns, H5Dset_extent(dset, dims));
    H5Dclose(dset);
    H5Fclose(file);
    file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    tell(file, "now");
    H5Fclose(file);
}

static void check(int endless)
{
    const char *name = "virtual_dims.h5";
    hid_t space;
    for (hsize_t columns = AT + COLUMNS - 2; columns < AT + COLUMNS + 2; columns++) {
        hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = mapped(endless, 10, columns, &space);
        make_source(file);
        hid_t dset = H5Dcreate2(file, "shown", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        printf("endless %d, %llu columns: %d\n", endless, (unsigned long long)columns, dset > 0);
        H5Dclose(dset);
        H5Pclose(dcpl);
        H5Sclose(space);
        H5Fclose(file);
    }
    const hsize_t steps[][2] = {{12, 9}, {12, 7}, {12, 6}, {6, 7}, {5, 7}, {3, 8}, {0, 0}, {20, 20}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        resize(endless, name, steps[i][0], steps[i][1]);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    check(0);
    check(1);
    return 0;
}
