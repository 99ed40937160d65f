/* Frames of which a region of interest is kept, and every 4th frame whole, so that the choice of the region can be
 * checked later. The regions are in one sparse dataset, the whole frames in another: what is defined in the first is
 * the region, also of a frame that is whole in the second. A virtual dataset shows both as one.
 *
 *     cc region_of_interest.c $(pkg-config --cflags --libs tessera) -o region_of_interest && ./region_of_interest
 *
 * Prints:
 *     frame 3: 16 of 96 pixels, region rows 3 to 6, columns 3 to 6
 *     frame 4: 96 of 96 pixels, region rows 4 to 7, columns 4 to 7
 *     frame 5: 16 of 96 pixels, region rows 0 to 3, columns 5 to 8
 *     frame 4 as it was found:
 *       101 102 103 104
 *       111 112 113 114
 *       121 122 123 124
 *       131 132 133 134
 *     8 frames of 96 pixels: 128 in regions, 192 in whole frames, of 768
 */
#include "check.h"
#include <hdf5.h>

enum { FRAMES = 8, ROWS = 8, COLUMNS = 12, SIDE = 4, WHOLE_EVERY = 4 };
static const hsize_t dims[3] = {FRAMES, ROWS, COLUMNS};

static hid_t create(hid_t file, const char *name, hid_t space)
{
    hsize_t chunk[3] = {1, ROWS, COLUMNS};
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(dcpl, 3, chunk));
    hid_t dset = CHECK(H5Dcreate2(file, name, H5T_STD_U16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pclose(dcpl);
    return dset;
}

/* The regions lie over the whole frames: both have the same pixels there. */
static hid_t create_frames(hid_t file, hid_t space)
{
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_virtual(dcpl, space, ".", "whole", space));
    CHECK(H5Pset_virtual(dcpl, space, ".", "regions", space));
    hid_t dset = CHECK(H5Dcreate2(file, "frames", H5T_STD_U16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pclose(dcpl);
    return dset;
}

static void write_frame(hid_t regions, hid_t whole, hsize_t i)
{
    unsigned short pixels[ROWS][COLUMNS];
    hsize_t start[3] = {i, i % (ROWS - SIDE + 1), i % (COLUMNS - SIDE + 1)}, count[3] = {1, SIDE, SIDE};
    hsize_t frame[3] = {1, ROWS, COLUMNS}, zero[3] = {i, 0, 0};
    hid_t space = CHECK(H5Screate_simple(3, dims, NULL)), mem = CHECK(H5Screate_simple(3, frame, NULL));
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < COLUMNS; x++)
            pixels[y][x] = (unsigned short)(i % 2 * 500 + y * 10 + x + 57);
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    start[0] = 0;
    CHECK(H5Sselect_hyperslab(mem, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK(H5Dwrite(regions, H5T_NATIVE_USHORT, mem, space, H5P_DEFAULT, pixels));
    if (i % WHOLE_EVERY == 0) {
        CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, frame, NULL));
        CHECK(H5Sselect_all(mem));
        CHECK(H5Dwrite(whole, H5T_NATIVE_USHORT, mem, space, H5P_DEFAULT, pixels));
    }
    H5Sclose(mem);
    H5Sclose(space);
}

/* The pixels of a frame that a dataset has, or with FRAMES those of all. */
static hid_t defined_in(hid_t dset, hsize_t i)
{
    hsize_t start[3] = {i, 0, 0}, count[3] = {1, ROWS, COLUMNS};
    hid_t space = CHECK(H5Screate_simple(3, dims, NULL));
    if (i < FRAMES)
        CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    hid_t defined = CHECK(H5Dget_defined(dset, space, H5P_DEFAULT));
    H5Sclose(space);
    return defined;
}

static void describe(hid_t regions, hid_t frames, hsize_t i)
{
    hsize_t low[3], high[3];
    hid_t region = defined_in(regions, i), all = defined_in(frames, i);
    CHECK(H5Sget_select_bounds(region, low, high));
    printf("frame %llu: %lld of %d pixels, region rows %llu to %llu, columns %llu to %llu\n", (unsigned long long)i,
           (long long)H5Sget_select_npoints(all), ROWS * COLUMNS, (unsigned long long)low[1],
           (unsigned long long)high[1], (unsigned long long)low[2], (unsigned long long)high[2]);
    H5Sclose(all);
    H5Sclose(region);
}

/* What is selected in one dataset can be read from another of the same extent. */
static void print_region(hid_t regions, hid_t frames, hsize_t i)
{
    unsigned short pixels[SIDE * SIDE];
    hid_t region = defined_in(regions, i), mem = CHECK(H5Screate_simple(1, (hsize_t[]){SIDE * SIDE}, NULL));
    CHECK(H5Dread(frames, H5T_NATIVE_USHORT, mem, region, H5P_DEFAULT, pixels));
    printf("frame %llu as it was found:\n", (unsigned long long)i);
    for (int k = 0; k < SIDE * SIDE; k++)
        printf("%s%d%s", k % SIDE ? " " : "  ", pixels[k], k % SIDE == SIDE - 1 ? "\n" : "");
    H5Sclose(mem);
    H5Sclose(region);
}

int main(void)
{
    hid_t file = CHECK(H5Fcreate("region_of_interest.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(3, dims, NULL));
    hid_t regions = create(file, "regions", space), whole = create(file, "whole", space);
    hid_t frames = create_frames(file, space);

    for (hsize_t i = 0; i < FRAMES; i++)
        write_frame(regions, whole, i);
    for (hsize_t i = 3; i < 6; i++)
        describe(regions, frames, i);
    print_region(regions, frames, 4);

    hid_t in_regions = defined_in(regions, FRAMES), in_whole = defined_in(whole, FRAMES);
    printf("%d frames of %d pixels: %lld in regions, %lld in whole frames, of %d\n", FRAMES, ROWS * COLUMNS,
           (long long)H5Sget_select_npoints(in_regions), (long long)H5Sget_select_npoints(in_whole),
           FRAMES * ROWS * COLUMNS);

    H5Sclose(in_regions);
    H5Sclose(in_whole);
    H5Sclose(space);
    H5Dclose(frames);
    H5Dclose(whole);
    H5Dclose(regions);
    return H5Fclose(file) < 0;
}
