/* Appends sparse frames to a file that other processes read meanwhile: start swmr_reader beside it, before or after.
 *
 *     cc swmr_writer.c $(pkg-config --cflags --libs tessera) -o swmr_writer && ./swmr_writer
 *
 * Prints:
 *     6 frames written
 */
#include "check.h"
#include <hdf5.h>
#include <time.h>

enum { FRAMES = 6, SIDE = 64 };

int main(void)
{
    /* SWMR needs the file format of HDF5 1.10. */
    hid_t fapl = CHECK(H5Pcreate(H5P_FILE_ACCESS));
    CHECK(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST));
    hid_t file = CHECK(H5Fcreate("swmr.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));

    hsize_t dims[3] = {0, SIDE, SIDE}, most[3] = {H5S_UNLIMITED, SIDE, SIDE}, chunk[3] = {1, SIDE, SIDE};
    hid_t space = CHECK(H5Screate_simple(3, dims, most)), dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(dcpl, 3, chunk));
    hid_t dset = CHECK(H5Dcreate2(file, "frames", H5T_STD_U16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK(H5Sclose(space));

    /* How many there will be, for the reader. Objects and attributes are made before readers may come. */
    int planned = FRAMES;
    hid_t scalar = CHECK(H5Screate(H5S_SCALAR));
    hid_t attr = CHECK(H5Acreate2(dset, "planned", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT));
    CHECK(H5Awrite(attr, H5T_NATIVE_INT, &planned));
    CHECK(H5Aclose(attr));
    CHECK(H5Fstart_swmr_write(file));

    for (hsize_t f = 0; f < FRAMES; f++) {
        /* f + 1 pixels of this frame are worth keeping. */
        hsize_t points[FRAMES][3], count = f + 1;
        unsigned short values[FRAMES];
        for (hsize_t i = 0; i < count; i++) {
            points[i][0] = f;
            points[i][1] = (i * 13 + f) % SIDE;
            points[i][2] = (i * 29 + 5) % SIDE;
            values[i] = (unsigned short)(100 * f + i);
        }
        dims[0] = f + 1;
        CHECK(H5Dset_extent(dset, dims));
        space = CHECK(H5Dget_space(dset));
        hid_t list = CHECK(H5Screate_simple(1, &count, NULL));
        CHECK(H5Sselect_elements(space, H5S_SELECT_SET, count, points[0]));
        CHECK(H5Dwrite(dset, H5T_NATIVE_USHORT, list, space, H5P_DEFAULT, values));
        CHECK(H5Dflush(dset)); /* from here on readers see the frame, whole */
        CHECK(H5Sclose(list));
        CHECK(H5Sclose(space));
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    printf("%d frames written\n", FRAMES);

    H5Sclose(scalar);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    H5Dclose(dset);
    return H5Fclose(file) < 0;
}
