/* What is defined in virtual datasets, and erasing through them. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "hdf5.h"

enum { SIDE = 4, FILL = -1 };

static const char *path = "dataset_virtual_defined.h5";

static hid_t create(hid_t file, const char *name, bool sparse)
{
    hsize_t dims[2] = {SIDE, SIDE}, chunk[2] = {3, 2};
    int fill = FILL;
    hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    if (sparse)
        assert_true(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK) >= 0);
    else
        assert_true(H5Pset_chunk(dcpl, 2, chunk) >= 0);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return d;
}

static hid_t point_space(const hsize_t *dims, size_t n, const hsize_t *coords)
{
    hid_t space = H5Screate_simple(2, dims, NULL);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, n, coords) >= 0);
    return space;
}

/* One element of a dataset of SIDE x SIDE. */
static void put(hid_t d, hsize_t row, hsize_t column, int value)
{
    hid_t space = point_space((hsize_t[]){SIDE, SIDE}, 1, (hsize_t[]){row, column}), one = H5Screate(H5S_SCALAR);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(space);
    H5Sclose(one);
}

/* Maps a source of SIDE x SIDE beside those before it, `at` columns from the left. */
static void map_at(hid_t dcpl, hid_t dst, hsize_t at, const char *name)
{
    hid_t src = H5Screate_simple(2, (hsize_t[]){SIDE, SIDE}, NULL);
    assert_true(H5Sselect_hyperslab(dst, H5S_SELECT_SET, (hsize_t[]){0, at}, NULL, (hsize_t[]){SIDE, SIDE}, NULL) >= 0);
    assert_true(H5Pset_virtual(dcpl, dst, ".", name, src) >= 0);
    H5Sclose(src);
}

static hid_t create_virtual(hid_t file, hsize_t columns, const char *const *names, const hsize_t *at, unsigned n)
{
    int fill = FILL;
    hid_t dst = H5Screate_simple(2, (hsize_t[]){SIDE, columns}, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    for (unsigned i = 0; i < n; i++)
        map_at(dcpl, dst, at[i], names[i]);
    hid_t d = H5Dcreate2(file, "virtual", H5T_NATIVE_INT, dst, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Pclose(dcpl);
    H5Sclose(dst);
    return d;
}

/* The elements that are defined, as "row,column " each. */
static const char *defined(hid_t d, hid_t space)
{
    static char text[1024];
    char *to = text;
    hsize_t dims[2];
    hid_t found = H5Dget_defined(d, space, H5P_DEFAULT), it;
    size_t runs, elements, length;
    hsize_t offset;
    assert_true(found >= 0 && H5Sget_simple_extent_dims(found, dims, NULL) == 2);
    assert_true((it = H5Ssel_iter_create(found, 1, 0)) >= 0);
    *to = 0;
    for (;;) {
        assert_true(H5Ssel_iter_get_seq_list(it, 1, 1, &runs, &elements, &offset, &length) >= 0);
        if (elements == 0)
            break;
        to += sprintf(to, "%llu,%llu ", (unsigned long long)(offset / dims[1]), (unsigned long long)(offset % dims[1]));
    }
    H5Ssel_iter_close(it);
    H5Sclose(found);
    return text;
}

static void sparse_dense_missing(void **state)
{
    (void)state;
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t a = create(f, "a", true), b = create(f, "b", false);
    put(a, 1, 2, 5);
    put(a, 3, 0, FILL); /* defined, whatever it is */
    hid_t d = create_virtual(f, 13, (const char *[]){"a", "b", "nowhere"}, (hsize_t[]){0, 4, 8}, 3);
    hid_t rows = H5Screate_simple(2, (hsize_t[]){SIDE, 13}, NULL);
    H5Sselect_hyperslab(rows, H5S_SELECT_SET, (hsize_t[]){1, 0}, NULL, (hsize_t[]){1, 13}, NULL);
    assert_string_equal(defined(d, rows), "1,2 1,4 1,5 1,6 1,7 ");
    hid_t left = H5Screate_simple(2, (hsize_t[]){SIDE, 13}, NULL);
    H5Sselect_hyperslab(left, H5S_SELECT_SET, (hsize_t[]){0, 0}, NULL, (hsize_t[]){SIDE, 4}, NULL);
    assert_string_equal(defined(d, left), "1,2 3,0 ");
    /* In their order, as often as asked for. */
    hid_t points = point_space((hsize_t[]){SIDE, 13}, 6, (hsize_t[]){3, 0, 0, 12, 1, 2, 3, 0, 0, 0, 2, 5});
    assert_string_equal(defined(d, points), "3,0 1,2 3,0 2,5 ");
    H5Sclose(points);
    points = point_space((hsize_t[]){SIDE, 13}, 2, (hsize_t[]){0, 12, 0, 9});
    assert_string_equal(defined(d, points), "");
    H5Sclose(points);
    H5Sclose(rows);
    H5Sclose(left);
    H5Dclose(a);
    H5Dclose(b);
    H5Dclose(d);
    H5Fclose(f);
}

struct message {
    char text[4096];
};

static herr_t collect(unsigned n, const H5E_error2_t *e, void *data)
{
    struct message *m = data;
    (void)n;
    strncat(m->text, e->desc, sizeof m->text - strlen(m->text) - 1);
    return 0;
}

static void erasing_stops_at_dense_sources(void **state)
{
    (void)state;
    struct message m = {""};
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t a = create(f, "a", true), b = create(f, "b", false), c = create(f, "c", true);
    hid_t d = create_virtual(f, 13, (const char *[]){"a", "b", "c"}, (hsize_t[]){0, 4, 8}, 3);
    put(a, 0, 0, 1);
    put(a, 1, 2, 2);
    put(c, 1, 1, 3);
    herr_t status;
    H5E_BEGIN_TRY {
        status = H5Derase(d, H5S_ALL, H5P_DEFAULT);
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, collect, &m);
    }
    H5E_END_TRY
    assert_true(status < 0);
    assert_non_null(strstr(m.text, "'/b'"));
    assert_non_null(strstr(m.text, "16 of which"));
    assert_string_equal(defined(a, H5S_ALL), "0,0 1,2 ");
    assert_string_equal(defined(c, H5S_ALL), "1,1 ");

    hid_t points = point_space((hsize_t[]){SIDE, 13}, 4, (hsize_t[]){1, 2, 1, 9, 3, 3, 0, 12});
    assert_true(H5Derase(d, points, H5P_DEFAULT) >= 0);
    assert_string_equal(defined(a, H5S_ALL), "0,0 ");
    assert_string_equal(defined(c, H5S_ALL), "");
    H5Sclose(points);
    H5Dclose(a);
    H5Dclose(b);
    H5Dclose(c);
    H5Dclose(d);
    H5Fclose(f);
    f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    d = H5Dopen2(f, "virtual", H5P_DEFAULT);
    points = point_space((hsize_t[]){SIDE, 13}, 1, (hsize_t[]){0, 0});
    H5E_BEGIN_TRY {
        status = H5Derase(d, points, H5P_DEFAULT);
    }
    H5E_END_TRY
    assert_true(status < 0);
    assert_string_equal(defined(d, points), "0,0 ");
    H5Sclose(points);
    H5Dclose(d);
    H5Fclose(f);
}

/* Each of three writers has the whole frame, and a part of its elements. */
static void writers_that_share_a_frame(void **state)
{
    (void)state;
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t a = create(f, "a", true), b = create(f, "b", true), c = create(f, "c", true);
    hid_t d = create_virtual(f, SIDE, (const char *[]){"a", "b", "c"}, (hsize_t[]){0, 0, 0}, 3);
    put(a, 0, 0, 1);
    put(b, 0, 1, 2);
    put(c, 2, 3, 3);
    put(a, 3, 3, 4);
    put(b, 3, 3, 5);
    int values[SIDE][SIDE];
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            int want = row == 0 && column < 2 ? column + 1 : row == 2 && column == 3 ? 3 : row == 3 && column == 3 ? 5 : FILL;
            assert_int_equal(values[row][column], want);
        }
    assert_string_equal(defined(d, H5S_ALL), "0,0 0,1 2,3 3,3 ");
    assert_true(H5Derase(d, H5S_ALL, H5P_DEFAULT) >= 0);
    assert_string_equal(defined(d, H5S_ALL), "");
    assert_string_equal(defined(b, H5S_ALL), "");
    put(d, 1, 1, 6);
    assert_string_equal(defined(a, H5S_ALL), "1,1 ");
    assert_string_equal(defined(c, H5S_ALL), "1,1 ");
    H5Dclose(a);
    H5Dclose(b);
    H5Dclose(c);
    H5Dclose(d);
    H5Fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_dense_missing),
        cmocka_unit_test(erasing_stops_at_dense_sources),
        cmocka_unit_test(writers_that_share_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
