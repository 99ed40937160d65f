/* What a new file's user block and alignment, and a file's superblock and the version bounds, ask of each other. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>

static const char *path = "bounds.h5";

static herr_t print_first(unsigned n, const H5E_error2_t *record, void *unused)
{
    (void)unused;
    if (n == 0)
        printf(" '%s'", record->desc);
    return 0;
}

static void print_opened(hid_t f)
{
    H5F_libver_t low, high;
    if (f < 0) {
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, print_first, NULL);
        printf("\n");
        return;
    }
    hid_t fapl = H5Fget_access_plist(f);
    H5Pget_libver_bounds(fapl, &low, &high);
    printf(" opens, low bound %d\n", (int)low);
    H5Pclose(fapl);
    H5Fclose(f);
}

static void user_block(hsize_t size, hsize_t alignment, hsize_t threshold)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_userblock(fcpl, size);
    H5Pset_alignment(fapl, threshold, alignment);
    printf("user block %d, alignment %d from %d on:", (int)size, (int)alignment, (int)threshold);
    print_opened(H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl));
    H5Fclose(H5Fcreate("bounds_plain.h5", H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));
    print_opened(H5Fopen("bounds_plain.h5", H5F_ACC_RDONLY, fapl));
    print_opened(H5Fopen("bounds_plain.h5", H5F_ACC_RDWR, fapl));
    H5Pclose(fcpl);
    H5Pclose(fapl);
}

static hid_t bounds(H5F_libver_t low, H5F_libver_t high)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, high);
    return fapl;
}

static void open_with(H5F_libver_t low, H5F_libver_t high)
{
    hid_t fapl = bounds(low, high);
    for (unsigned writing = 0; writing < 2; writing++) {
        printf("opened with bounds %d %d, for writing %u:", (int)low, (int)high, writing);
        print_opened(H5Fopen(path, writing ? H5F_ACC_RDWR : H5F_ACC_RDONLY, fapl));
    }
    H5Pclose(fapl);
}

static void each_bound(void (*check)(H5F_libver_t low, H5F_libver_t high))
{
    check(H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    check(H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    check(H5F_LIBVER_V18, H5F_LIBVER_V18);
    check(H5F_LIBVER_V18, H5F_LIBVER_V110);
    check(H5F_LIBVER_V110, H5F_LIBVER_V110);
}

static void superblock(H5F_libver_t low, bool swmr)
{
    hid_t fapl = bounds(low, H5F_LIBVER_V110);
    H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC | (swmr ? H5F_ACC_SWMR_WRITE : 0), H5P_DEFAULT, fapl));
    H5Pclose(fapl);
    printf("made with bound %d, SWMR %d\n", (int)low, swmr);
    each_bound(open_with);
}

static void create_swmr(H5F_libver_t low, H5F_libver_t high)
{
    hid_t fapl = bounds(low, high);
    printf("made for SWMR with bounds %d %d:", (int)low, (int)high);
    print_opened(H5Fcreate(path, H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE, H5P_DEFAULT, fapl));
    H5Pclose(fapl);
}

int main(void)
{
    static const hsize_t blocks[] = {0, 512, 1024, 2048}, alignments[] = {1, 2, 3, 512, 1000, 1024, 4096};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 7; a++) {
            user_block(blocks[b], alignments[a], 1);
            user_block(blocks[b], alignments[a], 1000000);
        }
    superblock(H5F_LIBVER_EARLIEST, false);
    superblock(H5F_LIBVER_EARLIEST, true);
    superblock(H5F_LIBVER_V18, true);
    superblock(H5F_LIBVER_V110, false);
    superblock(H5F_LIBVER_V110, true);
    each_bound(create_swmr);
    return 0;
}
