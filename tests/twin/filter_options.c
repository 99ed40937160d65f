/* What a transfer list says about filters that fail: checksums that are not looked at, a callback that goes on. Reading a
 * chunk, and writing a part of one, for which its old bytes are read. */
#include <stdio.h>

#include <hdf5.h>

#define FILE_NAME "filter_options.h5"

enum { N = 16, CHUNK = 8, FILTER = 300 };
enum mode { PLAIN, NO_CHECKS, GO_ON, GIVE_UP, MODES };

static int fails, asked;

static size_t run_filter(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    (void)n_values, (void)values, (void)capacity, (void)buf;
    return fails && (flags & H5Z_FLAG_REVERSE) ? 0 : n;
}

static H5Z_cb_return_t on_fail(H5Z_filter_t filter, void *buf, size_t size, void *answer)
{
    (void)filter, (void)buf, (void)size;
    asked++;
    return *(H5Z_cb_return_t *)answer;
}

static void create(int checksum)
{
    const hsize_t n = N, chunk = CHUNK;
    int data[N];
    for (int i = 0; i < N; i++)
        data[i] = i;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    if (checksum)
        H5Pset_fletcher32(dcpl);
    else
        H5Pset_filter(dcpl, FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    hid_t d = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Fclose(file);
}

static hid_t open_dataset(hid_t *file)
{
    *file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    return H5Dopen2(*file, "d", H5P_DEFAULT);
}

static void damage(void)
{
    unsigned char bytes[CHUNK * sizeof(int) + 4];
    hsize_t at = 0;
    uint32_t mask;
    hid_t file, d = open_dataset(&file);
    H5Dread_chunk(d, H5P_DEFAULT, &at, &mask, bytes);
    bytes[0] ^= 0x55;
    printf("damaged: %d\n", (int)H5Dwrite_chunk(d, H5P_DEFAULT, 0, &at, sizeof bytes, bytes));
    H5Dclose(d);
    H5Fclose(file);
}

static int write_part(hid_t d, hid_t dxpl, int mode)
{
    hsize_t from = 1 + (hsize_t)mode, n = 2, all = N;
    int data[2] = {100 + mode, 200 + mode};
    hid_t memory = H5Screate_simple(1, &n, NULL), space = H5Screate_simple(1, &all, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &n, NULL);
    int status = H5Dwrite(d, H5T_NATIVE_INT, memory, space, dxpl, data);
    H5Sclose(memory);
    H5Sclose(space);
    return status;
}

static void show(void)
{
    int data[N] = {0};
    hid_t file, d = open_dataset(&file), dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_edc_check(dxpl, H5Z_DISABLE_EDC);
    printf(", read %d", (int)H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    printf(", unchecked %d:", (int)H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, dxpl, data));
    for (int i = 0; i < N; i++)
        printf(" %d", data[i]);
    printf("\n");
    H5Pclose(dxpl);
    H5Dclose(d);
    H5Fclose(file);
}

static void transfer(int write, int checksum, int mode)
{
    int data[N];
    H5Z_cb_return_t answer = mode == GO_ON ? H5Z_CB_CONT : H5Z_CB_FAIL;
    hid_t file, d = open_dataset(&file), dxpl = H5Pcreate(H5P_DATASET_XFER);
    if (mode == NO_CHECKS)
        H5Pset_edc_check(dxpl, H5Z_DISABLE_EDC);
    if (mode == GO_ON || mode == GIVE_UP)
        H5Pset_filter_callback(dxpl, on_fail, &answer);
    fails = 1;
    asked = 0;
    int status = write ? write_part(d, dxpl, mode) : H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, dxpl, data);
    fails = 0;
    printf("%s, %s, mode %d: %d, asked %d", write ? "write" : "read", checksum ? "checksum" : "filter", mode, status, asked);
    H5Pclose(dxpl);
    printf(", close %d", (int)H5Dclose(d));
    printf(" %d", (int)H5Fclose(file));
    show();
}

int main(void)
{
    static const H5Z_class2_t filter_class = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "fails", NULL, NULL, run_filter};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Zregister(&filter_class);
    for (int write = 0; write < 2; write++)
        for (int checksum = 0; checksum < 2; checksum++) {
            create(checksum);
            if (checksum)
                damage();
            for (int mode = PLAIN; mode < MODES; mode++)
                transfer(write, checksum, mode);
        }
    return 0;
}
