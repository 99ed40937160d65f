/* A good file with any bytes behind its end, as a writer that died leaves them: opened for reading, then for writing
 * and changed. The input's first byte says how much of a journal is made of the rest: of its own accord no fuzzer finds
 * one. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "base/checksum.h"
#include "whole.h"

enum { ROW = 24, TRAILER = 64, MAKE_ROWS = 1, MAKE_TRAILER = 2, LONGER = 4, MARKED = 8 };

static uint8_t *good;
static size_t good_size;
/* Only drivers of real files keep a journal: this one is in memory all the same. */
static int fd;
static char name[32];

static void put(uint8_t *at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get(const uint8_t *at)
{
    uint64_t v = 0;
    for (unsigned i = 8; i-- > 0;)
        v = v << 8 | at[i];
    return v;
}

static void make_good_file(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1 << 16, 0);
    hid_t file = H5Fcreate("good", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t n = 20;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t dset = H5Dcreate2(group, "data", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int values[20] = {1, 2, 3};
    H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dset);
    H5Sclose(space);
    H5Gclose(group);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t bytes = H5Fget_file_image(file, NULL, 0);
    good = bytes > 0 ? malloc((size_t)bytes) : NULL;
    if (!good || H5Fget_file_image(file, good, (size_t)bytes) != bytes)
        abort();
    good_size = (size_t)bytes;
    H5Fclose(file);
    H5Pclose(fapl);
}

/* Makes the rows of the table fit the bytes behind it, from the first on, while there are some. */
static uint64_t make_rows(uint8_t *tail, size_t body)
{
    uint64_t n = body ? tail[0] % 8 : 0;
    if (n * ROW > body)
        n = body / ROW;
    size_t at = (size_t)n * ROW;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *row = tail + i * ROW;
        size_t left = body - at, take = i + 1 < n ? row[8] % (left + 1) : left;
        put(row, get(row) % (good_size + 1), 8);
        put(row + 8, take, 8);
        put(row + 16, ts_checksum(tail + at, take), 4);
        at += take;
    }
    return n;
}

static void make_trailer(uint8_t *tail, size_t body, uint64_t n, bool longer)
{
    uint8_t *t = tail + body;
    memcpy(t, "TSJRNL\r\n\1\0\0\0\0\0\0\0", 16);
    put(t + 16, good_size, 8);
    put(t + 24, n, 8);
    put(t + 32, good_size, 8);
    put(t + 40, longer ? good_size - t[40] : good_size, 8);
    put(t + 48, body - n * ROW, 8);
    put(t + 56, ts_checksum(tail, (size_t)n * ROW), 4);
    put(t + 60, ts_checksum(t, TRAILER - 4), 4);
}

/* As while a commit writes in place. The journal is of the version that needs this. */
static void mark(uint8_t *image, uint8_t *trailer)
{
    image[35] |= 0x40;
    put(image + 44, ts_checksum(image, 44), 4);
    if (!trailer)
        return;
    trailer[8] = 2;
    put(trailer + 60, ts_checksum(trailer, TRAILER - 4), 4);
}

static void change(hid_t file)
{
    hid_t group = H5Gcreate2(file, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    H5Ldelete(file, "group", H5P_DEFAULT);
}

static void use(unsigned flags)
{
    hid_t file = H5Fopen(name, flags, H5P_DEFAULT);
    if (file < 0)
        return;
    read_all(file);
    if (flags == H5F_ACC_RDWR)
        change(file);
    H5Fclose(file);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    bound_memory();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_good_file();
    fd = memfd_create("journal", 0);
    if (fd < 0)
        abort();
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t whole = good_size + size - 1;
    bound_set(whole);
    uint8_t *image = malloc(whole);
    if (!image)
        return 0;
    memcpy(image, good, good_size);
    memcpy(image + good_size, data + 1, size - 1);
    if (size > TRAILER && data[0] & MAKE_TRAILER) {
        size_t body = size - 1 - TRAILER;
        uint8_t *tail = image + good_size;
        uint64_t n = data[0] & MAKE_ROWS ? make_rows(tail, body) : tail[body] % (body / ROW + 1);
        make_trailer(tail, body, n, data[0] & LONGER);
    }
    if (data[0] & MARKED)
        mark(image, size > TRAILER && data[0] & MAKE_TRAILER ? image + whole - TRAILER : NULL);
    if (ftruncate(fd, 0) < 0 || pwrite(fd, image, whole, 0) != (ssize_t)whole)
        abort();
    use(H5F_ACC_RDONLY);
    use(H5F_ACC_RDWR);
    use(H5F_ACC_RDONLY);
    free(image);
    H5Eclear2(H5E_DEFAULT);
    bound_set(0);
    return 0;
}
