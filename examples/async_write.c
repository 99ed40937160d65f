/* Frames are computed while the last one is still being written: calls with an event set return at once.
 *
 *     cc async_write.c $(pkg-config --cflags --libs tessera) -o async_write && ./async_write
 *
 * Prints:
 *     asked for: a file, a dataset, 8 frames, and closing both; of 12 operations 0 failed
 *     frame 7 begins with 7000 7001 7002
 *     a file that is not there: H5Fopen_async in main, and why: yes
 */
#include "check.h"
#include <hdf5.h>

enum { FRAMES = 8, SIDE = 256 };

static void compute(int *frame, int number)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        frame[i] = 1000 * number + i;
}

/* Two buffers: one is written, the other filled. */
static size_t record(hid_t es)
{
    static int frames[2][SIDE * SIDE];
    hsize_t dims[3] = {FRAMES, SIDE, SIDE}, start[3] = {0, 0, 0}, count[3] = {1, SIDE, SIDE};
    size_t left = 0;
    hbool_t failed;
    hid_t space = CHECK(H5Screate_simple(3, dims, NULL)), mem = CHECK(H5Screate_simple(3, count, NULL));
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_chunk(dcpl, 3, count));
    CHECK(H5Pset_deflate(dcpl, 4));
    hid_t file = CHECK(H5Fcreate_async("async_write.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, es));
    hid_t dset = CHECK(H5Dcreate_async(file, "frames", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT, es));
    for (int i = 0; i < FRAMES; i++) {
        int *frame = frames[i % 2];
        compute(frame, i); /* while the frame before is on its way */
        CHECK(H5ESwait(es, H5ES_WAIT_FOREVER, &left, &failed));
        start[0] = (hsize_t)i;
        CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        CHECK(H5Dwrite_async(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, frame, es));
    }
    CHECK(H5Dclose_async(dset, es));
    CHECK(H5Fclose_async(file, es));
    CHECK(H5Sclose(space));
    CHECK(H5Sclose(mem));
    CHECK(H5Pclose(dcpl));
    CHECK(H5ESwait(es, H5ES_WAIT_FOREVER, &left, &failed));
    CHECK(H5ESget_err_count(es, &left));
    return left;
}

static void look(hid_t es)
{
    static int frames[FRAMES][SIDE * SIDE];
    size_t left;
    hbool_t failed;
    hid_t file = CHECK(H5Fopen_async("async_write.h5", H5F_ACC_RDONLY, H5P_DEFAULT, es));
    hid_t dset = CHECK(H5Dopen_async(file, "frames", H5P_DEFAULT, es));
    CHECK(H5Dread_async(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, frames, es));
    CHECK(H5Dclose_async(dset, es));
    CHECK(H5Fclose_async(file, es));
    CHECK(H5ESwait(es, H5ES_WAIT_FOREVER, &left, &failed));
    printf("frame 7 begins with %d %d %d\n", frames[7][0], frames[7][1], frames[7][2]);
}

int main(void)
{
    uint64_t operations;
    size_t left;
    hbool_t failed;
    hid_t es = CHECK(H5EScreate());
    size_t failures = record(es);
    CHECK(H5ESget_op_counter(es, &operations));
    printf("asked for: a file, a dataset, 8 frames, and closing both; of %d operations %d failed\n", (int)operations,
           (int)failures);
    look(es);

    /* What fails is in the set, until it is asked for. */
    hid_t none = CHECK(H5Fopen_async("not there.h5", H5F_ACC_RDONLY, H5P_DEFAULT, es));
    H5ES_err_info_t info;
    CHECK(H5ESwait(es, H5ES_WAIT_FOREVER, &left, &failed));
    CHECK(H5ESget_err_info(es, 1, &info, &left));
    printf("a file that is not there: %s in %s, and why: %s\n", info.api_name, info.app_func_name,
           H5Eget_num(info.err_stack_id) > 0 ? "yes" : "no");
    CHECK(H5ESfree_err_info(1, &info));
    CHECK(H5Fclose(none));
    CHECK(H5ESclose(es));
    return 0;
}
