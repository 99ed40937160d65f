/* Files opened by driver alone: requests in several parts. */
#include "unit/cmocka_all.h"

#include <string.h>
#include <unistd.h>

#include "hdf5.h"

static const char path[] = "fd_vector.bin";

static H5FD_t *open_bare(void)
{
    H5FD_t *f = H5FDopen(path, H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC, H5P_DEFAULT, HADDR_UNDEF);
    assert_non_null(f);
    assert_int_equal(H5FDset_eoa(f, H5FD_MEM_DEFAULT, 1000), 0);
    return f;
}

static void close_bare(H5FD_t *f)
{
    assert_int_equal(H5FDclose(f), 0);
    unlink(path);
}

static void parts_land_where_they_belong(void **state)
{
    H5FD_mem_t types[3] = {H5FD_MEM_DRAW, H5FD_MEM_OHDR, H5FD_MEM_BTREE};
    haddr_t addrs[3] = {300, 100, 200};
    size_t sizes[3] = {8, 4, 2};
    const void *out[3] = {"abcdefgh", "ABCD", "xy"};
    char a[8], b[4], c[2], all[300];
    void *in[3] = {a, b, c};
    H5FD_t *f = open_bare();
    (void)state;
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 3, types, addrs, sizes, out), 0);
    assert_int_equal(H5FDread_vector(f, H5P_DEFAULT, 3, types, addrs, sizes, in), 0);
    assert_memory_equal(a, "abcdefgh", 8);
    assert_memory_equal(b, "ABCD", 4);
    assert_memory_equal(c, "xy", 2);
    assert_int_equal(H5FDread(f, H5FD_MEM_DRAW, H5P_DEFAULT, 10, 300, all), 0);
    assert_memory_equal(all + 90, "ABCD\0\0", 6);
    assert_memory_equal(all + 290, "abcdefgh", 8);
    close_bare(f);
}

static void later_parts_are_as_those_before(void **state)
{
    H5FD_mem_t types[3] = {H5FD_MEM_DRAW, H5FD_MEM_NOLIST, H5FD_MEM_NTYPES};
    haddr_t addrs[3] = {10, 20, 30};
    size_t sizes[3] = {3, 0, 999999};
    const void *out[3] = {"one", "two", "six"};
    char a[4] = "...", b[4] = "...", c[4] = "...";
    void *in[3] = {c, b, a};
    H5FD_t *f = open_bare();
    (void)state;
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 3, types, addrs, sizes, out), 0);
    assert_int_equal(H5FDread_vector(f, H5P_DEFAULT, 3, types, addrs, sizes, in), 0);
    assert_string_equal(a, "six");
    assert_string_equal(b, "two");
    assert_string_equal(c, "one");
    close_bare(f);
}

static void what_cannot_be_met_writes_nothing(void **state)
{
    H5FD_mem_t types[2] = {H5FD_MEM_DRAW, H5FD_MEM_DRAW}, unknown[2] = {H5FD_MEM_NOLIST, H5FD_MEM_DRAW};
    haddr_t addrs[2] = {10, 20}, behind[2] = {10, 998}, wrapping[2] = {10, HADDR_MAX};
    size_t sizes[2] = {3, 3}, none[2] = {0, 3};
    const void *out[2] = {"one", "two"}, *lacking[2] = {"one", NULL};
    H5FD_t *f = open_bare();
    (void)state;
    assert_int_equal(H5Eset_auto2(H5E_DEFAULT, NULL, NULL), 0);
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 2, types, behind, sizes, out), -1);
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 2, types, wrapping, sizes, out), -1);
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 2, types, addrs, sizes, lacking), -1);
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 2, types, addrs, none, out), -1);
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 2, unknown, addrs, sizes, out), -1);
    assert_int_equal(H5FDwrite_vector(f, H5P_FILE_ACCESS_DEFAULT, 2, types, addrs, sizes, out), -1);
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 2, NULL, addrs, sizes, out), -1);
    assert_int_equal(H5FDwrite_vector(NULL, H5P_DEFAULT, 2, types, addrs, sizes, out), -1);
    assert_int_equal(H5FDget_eof(f, H5FD_MEM_DEFAULT), 0);
    assert_int_equal(H5FDwrite_vector(f, H5P_DEFAULT, 0, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(H5FDread_vector(f, H5P_DEFAULT, 0, NULL, NULL, NULL, NULL), 0);
    close_bare(f);
}

static void drivers_are_made_known_by_their_functions(void **state)
{
    (void)state;
    assert_true(H5FDperform_init(H5FD_sec2_init) == H5FD_SEC2);
    assert_true(H5FDperform_init(NULL) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_land_where_they_belong),
        cmocka_unit_test(later_parts_are_as_those_before),
        cmocka_unit_test(what_cannot_be_met_writes_nothing),
        cmocka_unit_test(drivers_are_made_known_by_their_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
