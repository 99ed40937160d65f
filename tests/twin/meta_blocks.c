/* Metadata in blocks of a size that the access list says, so that a reader gets much of it at once: raw data begins behind the first
 * block, and what is small lies in few blocks. */
#include <hdf5.h>
#include <stdio.h>

enum { GROUPS = 12 };

static haddr_t place_of(hid_t file, const char *name)
{
    H5O_info_t info;
    return H5Oget_info_by_name(file, name, &info, H5P_DEFAULT) < 0 ? HADDR_UNDEF : info.addr;
}

static hid_t raw_data(hid_t file, const char *name, hsize_t bytes)
{
    hid_t space = H5Screate_simple(1, &bytes, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_UCHAR, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how), H5Sclose(space);
    return dset;
}

/* Small objects and raw data by turns. */
static void fill(hid_t file, hsize_t block)
{
    int inside = 0;
    hid_t first = raw_data(file, "first", 5000);
    haddr_t place = H5Dget_offset(first);
    printf("  raw data behind the first block %d, at once %d", place >= block, place < 2 * block);
    for (int i = 0; i < GROUPS; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        inside += place_of(file, name) < place;
        snprintf(name, sizeof name, "d%d", i);
        H5Dclose(raw_data(file, name, 3000));
    }
    H5Dclose(first);
    printf(", all groups before it %d\n", inside == GROUPS);
}

static void try_size(hsize_t block, H5F_libver_t low)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_meta_block_size(fapl, block);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate("meta_blocks.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl), own = H5Fget_access_plist(file);
    hsize_t told = 0, size = 0;
    H5Pget_meta_block_size(own, &told);
    printf("blocks of %d, told %d\n", (int)block, (int)told);
    fill(file, block);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    H5Fclose(file);
    file = H5Fopen("meta_blocks.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    H5Fget_filesize(file, &size);
    printf("  no block is left at the end %d, %d links", size < block + (GROUPS + 2) * 5000, (int)H5Gclose(H5Gopen2(file, "g3", H5P_DEFAULT)));
    printf(", more fits %d\n", (int)H5Dclose(raw_data(file, "more", 100)));
    H5Fclose(file);
    H5Pclose(own), H5Pclose(fapl);
}

int main(void)
{
    try_size(16384, H5F_LIBVER_EARLIEST);
    try_size(16384, H5F_LIBVER_LATEST);
    try_size(1 << 20, H5F_LIBVER_LATEST);
    return 0;
}
