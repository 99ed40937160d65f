/* Datasets in chunks whose extents have more elements than 64 bits count: made, extended, opened again. (libhdf5 does not survive reading
 * or writing them; what is read and written here is in tests/unit/dataset/test_vast_extents.c.) */
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>

static const hsize_t vast = (hsize_t)1 << 40;

static void print_extent(hid_t file, const char *name)
{
    hsize_t dims[3] = {0}, most[3] = {0};
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(d);
    int rank = H5Sget_simple_extent_dims(space, dims, most);
    printf("%s: opens %d, rank %d: %llu %llu %llu, at most %llu, %llu bytes\n", name, d >= 0, rank, (unsigned long long)dims[0],
           (unsigned long long)dims[1], (unsigned long long)dims[2], (unsigned long long)most[0],
           (unsigned long long)H5Dget_storage_size(d));
    H5Sclose(space);
    H5Dclose(d);
}

static void make(hid_t file, const char *name, const hsize_t dims[3], hsize_t most, bool filter)
{
    hsize_t chunk[3] = {16, 16, 4}, max[3] = {most, dims[1], dims[2]};
    hid_t space = H5Screate_simple(3, dims, max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 3, chunk);
    if (filter)
        H5Pset_deflate(dcpl, 1);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    printf("%s: made %d", name, d >= 0);
    hsize_t more[3] = {most == H5S_UNLIMITED ? 2 * vast : dims[0] / 2, dims[1], dims[2]};
    printf(", another extent %d\n", H5Dset_extent(d, more));
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void all(H5F_libver_t low)
{
    const hsize_t elements[3] = {vast, vast, 4}, bytes[3] = {(hsize_t)1 << 31, (hsize_t)1 << 31, 4}, none[3] = {0, vast, 1024};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_V110);
    hid_t file = H5Fcreate("vast.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    make(file, "elements", elements, H5S_UNLIMITED, false);
    make(file, "bytes", bytes, H5S_UNLIMITED, false);
    make(file, "filtered", bytes, H5S_UNLIMITED, true);
    make(file, "none", none, H5S_UNLIMITED, false);
    H5Fclose(file);
    file = H5Fopen("vast.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    print_extent(file, "elements");
    print_extent(file, "bytes");
    print_extent(file, "filtered");
    print_extent(file, "none");
    H5Fclose(file);
    H5Pclose(fapl);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    all(H5F_LIBVER_EARLIEST);
    all(H5F_LIBVER_V110);
    return 0;
}
