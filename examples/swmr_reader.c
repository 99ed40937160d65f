/* Follows the frames that swmr_writer appends, while it does. Ends when it has seen all, or nothing new for ten
 * seconds.
 *
 *     cc swmr_reader.c $(pkg-config --cflags --libs tessera) -o swmr_reader && ./swmr_reader
 *
 * Prints:
 *     frame  0:  1 pixels, sum 0
 *     frame  1:  2 pixels, sum 201
 *     frame  2:  3 pixels, sum 603
 *     frame  3:  4 pixels, sum 1206
 *     frame  4:  5 pixels, sum 2010
 *     frame  5:  6 pixels, sum 3015
 */
#include "check.h"
#include <hdf5.h>
#include <time.h>

enum { PATIENCE = 1000 };

static void pause_10_ms(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* The file, as soon as a writer has made it and lets readers in. */
static hid_t open_file(void)
{
    hid_t file = H5I_INVALID_HID;
    for (int i = 0; i < PATIENCE && file < 0; i++) {
        H5E_BEGIN_TRY
        {
            file = H5Fopen("swmr.h5", H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
        }
        H5E_END_TRY
        if (file < 0)
            pause_10_ms();
    }
    return file;
}

static void show_frame(hid_t dset, hsize_t frame)
{
    hid_t space = CHECK(H5Dget_space(dset));
    hsize_t dims[3], start[3] = {frame, 0, 0};
    CHECK(H5Sget_simple_extent_dims(space, dims, NULL));
    dims[0] = 1;
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL));
    hid_t defined = CHECK(H5Dget_defined(dset, space, H5P_DEFAULT));
    hsize_t count = CHECK(H5Sget_select_npoints(defined)), sum = 0;
    unsigned short values[1024];
    if (count <= sizeof values / sizeof values[0]) {
        hid_t list = CHECK(H5Screate_simple(1, &count, NULL));
        CHECK(H5Dread(dset, H5T_NATIVE_USHORT, list, defined, H5P_DEFAULT, values));
        CHECK(H5Sclose(list));
        for (hsize_t i = 0; i < count; i++)
            sum += values[i];
    }
    printf("frame %2llu: %2llu pixels, sum %llu\n", (unsigned long long)frame, (unsigned long long)count,
           (unsigned long long)sum);
    CHECK(H5Sclose(defined));
    CHECK(H5Sclose(space));
}

int main(void)
{
    hid_t file = CHECK(open_file()), dset = CHECK(H5Dopen2(file, "frames", H5P_DEFAULT));
    hid_t attr = CHECK(H5Aopen(dset, "planned", H5P_DEFAULT));
    int planned, waited = 0;
    CHECK(H5Aread(attr, H5T_NATIVE_INT, &planned));
    CHECK(H5Aclose(attr));

    for (hsize_t seen = 0; seen < (hsize_t)planned && waited < PATIENCE; waited++) {
        hsize_t dims[3];
        CHECK(H5Drefresh(dset)); /* what was flushed until now */
        hid_t space = CHECK(H5Dget_space(dset));
        CHECK(H5Sget_simple_extent_dims(space, dims, NULL));
        CHECK(H5Sclose(space));
        for (; seen < dims[0]; seen++, waited = 0)
            show_frame(dset, seen);
        pause_10_ms();
    }
    CHECK(H5Dclose(dset));
    return H5Fclose(file) < 0;
}
