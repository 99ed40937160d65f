/* Files whose headers lie, with right checksums, and are then changed: each change works or is refused, in moments, within little
 * memory, and what lies beside it stays as it was. fuzz/damage.c looks for more of them. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/checksum.h"
#include "hdf5.h"

enum { BTREE2_HEADER = 34, FHEAP_HEADER = 142, MOST_SECONDS = 20 };
/* In a build with sanitizers memory is not to be limited, but what a process took can be seen. */
#define MOST_KIB (600L << 10)

struct image {
    size_t size;
    uint8_t *bytes;
};

typedef void fill_fn(hid_t f);

static hid_t memory(bool latest)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1 << 16, 0);
    if (latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    return fapl;
}

static struct image take_image(hid_t f)
{
    struct image out = {0};
    assert_true(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    ssize_t size = H5Fget_file_image(f, NULL, 0);
    assert_true(size > 0);
    out.size = (size_t)size;
    out.bytes = malloc(out.size);
    assert_non_null(out.bytes);
    assert_int_equal(H5Fget_file_image(f, out.bytes, out.size), size);
    return out;
}

static struct image make(bool latest, fill_fn *fill)
{
    hid_t fapl = memory(latest), f = H5Fcreate("made", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(f >= 0);
    fill(f);
    struct image out = take_image(f);
    assert_true(H5Fclose(f) >= 0 && H5Pclose(fapl) >= 0);
    return out;
}

static hid_t open_image(const struct image *image)
{
    hid_t fapl = memory(false);
    H5Pset_file_image(fapl, image->bytes, image->size);
    hid_t f = H5Fopen("image", H5F_ACC_RDWR, fapl);
    assert_true(f >= 0);
    H5Pclose(fapl);
    return f;
}

static uint8_t *find(const struct image *image, const void *what, size_t size)
{
    for (size_t i = 0; i + size <= image->size; i++)
        if (memcmp(image->bytes + i, what, size) == 0)
            return image->bytes + i;
    fail_msg("it is not there");
    return NULL;
}

static void put(uint8_t *at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

static void mend(uint8_t *block, size_t size)
{
    put(block + size, ts_checksum(block, size), 4);
}

/* Within bounds: in a process of its own, which the alarm ends. */
static void within_bounds(void (*fn)(struct image *), struct image *image)
{
    struct rusage use;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(MOST_SECONDS);
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        fn(image);
        _exit(0);
    }
    assert_int_equal(wait4(pid, &status, 0, &use), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_in_range(use.ru_maxrss, 0, MOST_KIB);
    free(image->bytes);
}

#define NEED(condition) \
    do { \
        if (!(condition)) \
            _exit(__LINE__ % 200 + 1); \
    } while (0)

enum { N = 40 };

static void late_dataset(hid_t f)
{
    hsize_t n = N;
    int fill = 3;
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    H5Pset_obj_track_times(dcpl, 0);
    hid_t d = H5Dcreate2(f, "late", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void write_one_of_late(struct image *image)
{
    hsize_t at = 5;
    int value = 9, all[N];
    hid_t f = open_image(image), d = H5Dopen2(f, "late", H5P_DEFAULT);
    hid_t space = H5Dget_space(d), mem = H5Screate(H5S_SCALAR);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, &at);
    NEED(H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value) >= 0);
    NEED(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    NEED(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    for (int i = 0; i < N; i++)
        NEED(all[i] == (i == 5 ? 9 : 3));
    struct image left = take_image(f);
    NEED(left.size < 100000);
}

/* Storage that is to come has any size: less than an element, or more than there is. */
static void test_size_of_storage(void **unused)
{
    (void)unused;
    static const uint64_t sizes[] = {0, 1, 3, 7, UINT64_C(1) << 40, UINT64_MAX / 2};
    uint8_t layout[18] = {3, 1, 255, 255, 255, 255, 255, 255, 255, 255, N * 4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct image image = make(false, late_dataset);
        uint8_t *at = find(&image, layout, sizeof layout), *header = at;
        while (memcmp(header, "OHDR\2\1", 6) != 0)
            header--;
        put(at + 10, sizes[i], 8);
        mend(header, 8 + (header[6] | (size_t)header[7] << 8));
        within_bounds(write_one_of_late, &image);
    }
}

static void growing_both_ways(hid_t f)
{
    hsize_t dims[2] = {6, 6}, most[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk[2] = {2, 2};
    int values[36] = {1, 2, 3};
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    hid_t d = H5Dcreate2(f, "tree", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Fflush(f, H5F_SCOPE_GLOBAL);
    /* It lies behind the tree. */
    late_dataset(f);
}

static void add_chunk(struct image *image)
{
    hsize_t dims[2] = {20, 20}, at[2] = {19, 19};
    int value = 9;
    hid_t f = open_image(image), d = H5Dopen2(f, "tree", H5P_DEFAULT);
    if (d >= 0 && H5Dset_extent(d, dims) >= 0) {
        hid_t space = H5Dget_space(d), mem = H5Screate(H5S_SCALAR);
        H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
        bool written = H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value) >= 0;
        NEED(!written || H5Fflush(f, H5F_SCOPE_GLOBAL) < 0);
    }
    H5Dclose(d);
    hid_t other = H5Dopen2(f, "late", H5P_DEFAULT);
    NEED(other >= 0 && H5Dclose(other) >= 0);
    (void)H5Fclose(f);
}

static void test_node_size(void **unused)
{
    (void)unused;
    static const uint32_t sizes[] = {UINT32_MAX, 1u << 30, 1u << 24, 1u << 17};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct image image = make(true, growing_both_ways);
        uint8_t *header = find(&image, "BTHD", 4);
        put(header + 6, sizes[i], 4);
        mend(header, BTREE2_HEADER);
        within_bounds(add_chunk, &image);
    }
}

static void many_attributes(hid_t f)
{
    hid_t space = H5Screate(H5S_SCALAR);
    char name[16];
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "a%d", i);
        hid_t a = H5Acreate2(f, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(a >= 0 && H5Aclose(a) >= 0);
    }
    H5Sclose(space);
    late_dataset(f);
}

static void add_attribute(struct image *image)
{
    hid_t f = open_image(image), space = H5Screate(H5S_SCALAR);
    NEED(H5Acreate2(f, "one more", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT) < 0);
    hid_t other = H5Dopen2(f, "late", H5P_DEFAULT);
    NEED(other >= 0 && H5Dclose(other) >= 0);
    NEED(H5Fclose(f) >= 0);
}

/* An id is stored where there is room for eight bytes. */
static void test_id_size(void **unused)
{
    (void)unused;
    static const uint16_t sizes[] = {7, 9, 264, 4098, UINT16_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct image image = make(true, many_attributes);
        uint8_t *header = find(&image, "FRHP", 4);
        put(header + 5, sizes[i], 2);
        mend(header, FHEAP_HEADER);
        within_bounds(add_attribute, &image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_size_of_storage), cmocka_unit_test(test_node_size),
                                       cmocka_unit_test(test_id_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
