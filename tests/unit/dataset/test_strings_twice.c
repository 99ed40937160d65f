/* One call may write an element twice. What it held before is let go once: the heap collection that it was in may be gone by
 * then, and its space another's. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "hdf5.h"

enum { LENGTH = 1990, RAW = 3000, SMALL = 60 };

static const char path[] = "dataset_strings_twice.h5";

static char *string(char c, size_t length)
{
    static char text[8][LENGTH + 1];
    static unsigned next;
    char *s = text[next++ % 8];
    memset(s, c, length);
    s[length] = '\0';
    return s;
}

static hid_t string_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    return type;
}

static hid_t new_strings(hid_t file, const char *name, hsize_t n)
{
    hid_t type = string_type(), space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &n);
    hid_t dset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
    return dset;
}

static void write_points(hid_t dset, hsize_t n, const hsize_t *at, char *const *values)
{
    hid_t type = string_type(), space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, n, at) >= 0);
    assert_true(H5Dwrite(dset, type, mem, space, H5P_DEFAULT, values) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
    H5Tclose(type);
}

static void check_string(hid_t file, const char *name, hsize_t at, char c, size_t length)
{
    hsize_t one = 1;
    char *value = NULL;
    hid_t dset = H5Dopen2(file, name, H5P_DEFAULT), type = string_type();
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &one, NULL);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, &at);
    assert_true(H5Dread(dset, type, mem, space, H5P_DEFAULT, &value) >= 0);
    assert_string_equal(value, string(c, length));
    H5free_memory(value);
    H5Sclose(mem);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dset);
}

static void an_element_that_is_written_twice_is_let_go_once(void **state)
{
    (void)state;
    unsigned char raw[RAW], in[RAW];
    const hsize_t bytes = RAW;
    hsize_t numbers[SMALL];
    char *small_ones[SMALL];
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    /* Two of them fill a collection. */
    hid_t dset = new_strings(file, "strings", 2), small = new_strings(file, "small", SMALL);
    write_points(dset, 2, (hsize_t[]){0, 1}, (char *[]){string('a', LENGTH), string('b', LENGTH)});
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    write_points(dset, 4, (hsize_t[]){0, 1, 0, 0},
                 (char *[]){string('c', LENGTH), string('d', LENGTH), string('x', LENGTH), string('e', LENGTH)});
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    /* Others get the space, and strings that come later do not find room there. */
    memset(raw, 0x5a, sizeof raw);
    hid_t space = H5Screate_simple(1, &bytes, NULL);
    hid_t other = H5Dcreate2(file, "raw", H5T_NATIVE_UCHAR, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(other, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    for (hsize_t i = 0; i < SMALL; i++) {
        numbers[i] = i;
        small_ones[i] = string('f', 100);
    }
    write_points(small, SMALL, numbers, small_ones);
    H5Dclose(other), H5Dclose(small), H5Dclose(dset), H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);

    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    check_string(file, "strings", 0, 'e', LENGTH);
    check_string(file, "strings", 1, 'd', LENGTH);
    for (hsize_t i = 0; i < SMALL; i++)
        check_string(file, "small", i, 'f', 100);
    other = H5Dopen2(file, "raw", H5P_DEFAULT);
    assert_true(H5Dread(other, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, in) >= 0);
    assert_memory_equal(in, raw, sizeof raw);
    H5Dclose(other);
    assert_true(H5Fclose(file) >= 0);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_element_that_is_written_twice_is_let_go_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
