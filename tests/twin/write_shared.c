/* Files that share object header messages: what was asked for is said, and all that is stored reads as in any file. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "write_shared.h5"

static void result(const char *what, long status)
{
    printf("%s: %s\n", what, status < 0 ? "fails" : "works");
}

#define DO(call) result(#call, (long)(call))

static void show_list(hid_t file)
{
    hid_t fcpl = H5Fget_create_plist(file);
    unsigned n = 0, types, size, list, tree;
    H5Pget_shared_mesg_nindexes(fcpl, &n);
    H5Pget_shared_mesg_phase_change(fcpl, &list, &tree);
    printf("%u indexes, list up to %u, tree down to %u\n", n, list, tree);
    for (unsigned i = 0; i < n; i++) {
        H5Pget_shared_mesg_index(fcpl, i, &types, &size);
        printf("  %u: types %#x from %u bytes\n", i, types, size);
    }
    H5Pclose(fcpl);
}

static hid_t create(unsigned list, unsigned tree, H5F_libver_t low)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    H5Pset_shared_mesg_nindexes(fcpl, 3);
    H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ATTR_FLAG, 20);
    H5Pset_shared_mesg_index(fcpl, 1, H5O_SHMESG_DTYPE_FLAG | H5O_SHMESG_SDSPACE_FLAG, 4);
    H5Pset_shared_mesg_index(fcpl, 2, H5O_SHMESG_FILL_FLAG | H5O_SHMESG_PLINE_FLAG, 4);
    H5Pset_shared_mesg_phase_change(fcpl, list, tree);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, fcpl, fapl);
    H5Pclose(fcpl);
    H5Pclose(fapl);
    return file;
}

static void make_set(hid_t file, int which)
{
    char name[32];
    hsize_t n = (hsize_t)(which % 5 + 1), most = H5S_UNLIMITED, chunk = 4;
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, fill = which % 3;
    hid_t space = H5Screate_simple(1, &n, &most), dcpl = H5Pcreate(H5P_DATASET_CREATE), scalar = H5Screate(H5S_SCALAR);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_deflate(dcpl, (unsigned)(which % 4 + 1));
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    snprintf(name, sizeof name, "d%d", which);
    hid_t set = H5Dcreate2(file, name, which % 2 ? H5T_STD_I32BE : H5T_IEEE_F64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        printf("cannot write %s\n", name);
    for (int i = 0; i < which % 11; i++) {
        snprintf(name, sizeof name, "attribute %d", i);
        hid_t attr = H5Acreate2(set, name, H5T_STD_I32BE, scalar, H5P_DEFAULT, H5P_DEFAULT);
        if (H5Awrite(attr, H5T_NATIVE_INT, &i) < 0)
            printf("cannot write %s\n", name);
        H5Aclose(attr);
    }
    H5Dclose(set);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Sclose(scalar);
}

static void show_set(hid_t file, int which)
{
    char name[32];
    hsize_t n = 0;
    int values[32] = {0}, fill = -1, attrs = 0, value;
    snprintf(name, sizeof name, "d%d", which);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) {
        printf("%s: none\n", name);
        return;
    }
    hid_t space = H5Dget_space(set), dcpl = H5Dget_create_plist(set), type = H5Dget_type(set);
    H5Sget_simple_extent_dims(space, &n, NULL);
    H5Pget_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    herr_t status = H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    printf("%s: class %d, %d elements (%d), fill %d, %d filters,", name, (int)H5Tget_class(type), (int)n, (int)status, fill,
           H5Pget_nfilters(dcpl));
    for (int i = 0; i < (int)n; i++)
        printf(" %d", values[i]);
    for (int i = 0; i < H5Aget_num_attrs(set); i++) {
        snprintf(name, sizeof name, "attribute %d", i);
        hid_t attr = H5Aopen(set, name, H5P_DEFAULT);
        attrs += H5Aread(attr, H5T_NATIVE_INT, &value) >= 0 && value == i;
        H5Aclose(attr);
    }
    printf("; %d attributes\n", attrs);
    H5Tclose(type);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Dclose(set);
}

static void run(unsigned list, unsigned tree, H5F_libver_t low)
{
    enum { N = 24 };
    printf("== list %u tree %u bound %d\n", list, tree, (int)low);
    hid_t file = create(list, tree, low);
    for (int i = 0; i < N; i++)
        make_set(file, i);
    show_list(file);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    show_list(file);
    for (int i = 0; i < N; i++)
        show_set(file, i);
    for (int i = 0; i < N; i += 3) {
        char name[32];
        hsize_t n = 7;
        snprintf(name, sizeof name, "d%d", i);
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
        if (H5Dset_extent(set, &n) < 0)
            printf("cannot extend %s\n", name);
        H5Adelete(set, "attribute 1");
        H5Arename(set, "attribute 2", "attribute 1");
        H5Dclose(set);
        snprintf(name, sizeof name, "d%d", i + 1);
        if (H5Ldelete(file, name, H5P_DEFAULT) < 0)
            printf("cannot delete %s\n", name);
    }
    for (int i = 0; i < N; i++)
        show_set(file, i);
    for (int i = 1; i < N; i += 6)
        make_set(file, i);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    for (int i = 0; i < N; i++)
        show_set(file, i);
    DO(H5Fclose(file));
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    run(50, 40, H5F_LIBVER_EARLIEST);
    run(3, 2, H5F_LIBVER_V18);
    run(0, 0, H5F_LIBVER_V110);
    unlink(FILE_NAME);
    return 0;
}
