/* The fast path of a detector: the hits of each frame become a chunk without a dataspace, a selection or a look at the
 * pixels that were not hit. Two buffers for each frame: where the hits are, in the order in which they were found, and
 * their values.
 *
 *     cc direct_hits.c $(pkg-config --cflags --libs tessera) -o direct_hits && ./direct_hits
 *
 * Prints:
 *     10 frames, 60 defined pixels
 *     frame 7: pixel (700, 1007) is 107, the first hit of its chunk is at (1400, 7)
 */
#include "check.h"
#include <hdf5.h>
#include <stdint.h>

enum { ROWS = 1440, COLUMNS = 1536, FRAMES = 10, HITS = 6 };

static const hsize_t frame_dims[3] = {1, ROWS, COLUMNS};

/* What a detector would send: positions in any order, and counts. */
static void find_hits(unsigned frame, hsize_t at[HITS][3], uint16_t counts[HITS])
{
    for (unsigned i = 0; i < HITS; i++) {
        at[i][0] = 0;
        at[i][1] = ROWS - 40 - 140 * i;
        at[i][2] = (200 * i + frame) % COLUMNS;
        counts[i] = (uint16_t)(20 * i + frame);
    }
}

static void write_frame(hid_t dset, unsigned frame)
{
    hsize_t at[HITS][3], offset[3] = {frame, 0, 0};
    uint16_t counts[HITS];
    unsigned char selection[200];
    size_t sizes[2] = {sizeof selection, sizeof counts};
    H5D_struct_chunk_info_t info = {.type = H5D_STRUCT_CHUNK, .num_sections = 2, .section_size = sizes};
    find_hits(frame, at, counts);
    CHECK(H5Dstruct_chunk_encode_points(3, frame_dims, HITS, at[0], selection, &sizes[0]));
    CHECK(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, (void *[]){selection, counts}));
}

/* And back: the sections of a frame, no frame in between. */
static void first_hit(hid_t dset, unsigned frame, hsize_t at[3])
{
    hsize_t all[HITS][3], offset[3] = {frame, 0, 0};
    unsigned char selection[200];
    size_t sizes[2], hits = HITS;
    H5D_struct_chunk_info_t info = {.num_sections = 2, .section_size = sizes};
    CHECK(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, &info, (void *[]){selection, NULL}));
    CHECK(H5Dstruct_chunk_decode_points(3, frame_dims, selection, sizes[0], &hits, all[0]));
    for (int d = 0; d < 3; d++)
        at[d] = all[0][d];
}

int main(void)
{
    hsize_t dims[3] = {FRAMES, ROWS, COLUMNS}, max[3] = {H5S_UNLIMITED, ROWS, COLUMNS};
    hid_t file = CHECK(H5Fcreate("direct_hits.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(3, dims, max)), dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_sparse_chunk(dcpl, 3, frame_dims));
    hid_t dset = CHECK(H5Dcreate2(file, "frames", H5T_STD_U16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (unsigned frame = 0; frame < FRAMES; frame++)
        write_frame(dset, frame);

    /* Whoever reads needs to know nothing of this. */
    hid_t defined = CHECK(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT)), mem = CHECK(H5Screate(H5S_SCALAR));
    printf("%d frames, %lld defined pixels\n", FRAMES, (long long)H5Sget_select_npoints(defined));
    hsize_t pixel[3] = {7, 700, 1007}, first[3];
    uint16_t count;
    CHECK(H5Sselect_elements(space, H5S_SELECT_SET, 1, pixel));
    CHECK(H5Dread(dset, H5T_NATIVE_UINT16, mem, space, H5P_DEFAULT, &count));
    first_hit(dset, 7, first);
    printf("frame 7: pixel (700, 1007) is %d, the first hit of its chunk is at (%d, %d)\n", count, (int)first[1],
           (int)first[2]);

    H5Sclose(defined);
    H5Sclose(mem);
    H5Sclose(space);
    H5Pclose(dcpl);
    return H5Dclose(dset) < 0 || H5Fclose(file) < 0;
}
