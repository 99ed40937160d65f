/* Chunks of which parts are written. Of one that is new only these parts go to the file, where the rest reads as zeros; in
 * space that was used before, or with another fill value, all of it does. Every pair of parts of a small chunk is tried,
 * with a flush after each or without, and every box with memory of several shapes. */
#include "unit/cmocka_all.h"

#include <unistd.h>

#include "file/mutation.h"
#include "hdf5.h"

#define FILE_NAME "write_parts_boxes.h5"

enum { EXTENT = 5, CHUNK = 6, PARTS = EXTENT * (EXTENT + 1) / 2, CASES = PARTS * PARTS * 4, JUNK = CASES * CHUNK };

/* The n-th of all [from, to) in the extent. */
static void part(int n, int *from, int *to)
{
    for (*from = 0; n >= EXTENT - *from; ++*from)
        n -= EXTENT - *from;
    *to = *from + n + 1;
}

static void write_part(hid_t dset, int n, int value, int *model)
{
    int from, to, values[EXTENT];
    part(n, &from, &to);
    for (int i = from; i < to; i++)
        model[i] = values[i - from] = value * 100 + i;
    hsize_t start = (hsize_t)from, count = (hsize_t)(to - from);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &count, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
}

static hid_t create(hid_t file, int number, int fill)
{
    hsize_t dims = EXTENT, max = H5S_UNLIMITED, chunk = CHUNK;
    char name[16];
    hid_t space = H5Screate_simple(1, &dims, &max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    snprintf(name, sizeof name, "d%d", number);
    H5Pset_chunk(dcpl, 1, &chunk);
    if (fill)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

/* Space in the file that is free and full of other things. */
static void leave_junk(hid_t file)
{
    static int junk[JUNK];
    hsize_t dims = JUNK;
    for (int i = 0; i < JUNK; i++)
        junk[i] = 0x5a5a5a5a;
    hid_t space = H5Screate_simple(1, &dims, NULL);
    hid_t dset = H5Dcreate2(file, "junk", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    /* What comes behind it keeps the file from being cut. */
    hid_t group = H5Gcreate2(file, "behind", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, junk) >= 0);
    H5Dclose(dset);
    H5Gclose(group);
    H5Sclose(space);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    assert_true(H5Ldelete(file, "junk", H5P_DEFAULT) >= 0);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
}

enum { SEC2, CORE, FAMILY, DRIVERS };

static const char *const names[DRIVERS] = {"write_parts.h5", "write_parts_core.h5", "write_parts_%d.h5"};

static hid_t access_list(int driver, int latest)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    if (driver == CORE)
        H5Pset_fapl_core(fapl, 1024, 1);
    if (driver == FAMILY)
        H5Pset_fapl_family(fapl, 10000, H5P_DEFAULT);
    return fapl;
}

static void delete_file(int driver)
{
    char name[64];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, names[driver], i);
        if (unlink(name) < 0)
            return;
    }
}

static int models[CASES][CHUNK];

static void write_cases(int driver, int latest, int fill, int junk)
{
    hid_t fapl = access_list(driver, latest), file = H5Fcreate(names[driver], H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hsize_t longer = CHUNK;
    if (junk)
        leave_junk(file);
    for (int n = 0; n < CASES; n++) {
        hid_t dset = create(file, n, fill);
        for (int i = 0; i < CHUNK; i++)
            models[n][i] = fill;
        write_part(dset, n / 4 / PARTS, 1, models[n]);
        if (n & 1)
            assert_true(H5Dflush(dset) >= 0);
        write_part(dset, n / 4 % PARTS, 2, models[n]);
        if (n & 2)
            assert_true(H5Dflush(dset) >= 0);
        assert_true(H5Dset_extent(dset, &longer) >= 0);
        H5Dclose(dset);
    }
    assert_true(H5Fclose(file) >= 0);
    H5Pclose(fapl);
}

static int wrong_cases(int driver)
{
    int wrong = 0;
    hid_t fapl = access_list(driver, 0), file = H5Fopen(names[driver], H5F_ACC_RDONLY, fapl);
    assert_true(file >= 0);
    for (int n = 0; n < CASES; n++) {
        int back[CHUNK] = {0};
        char name[16];
        snprintf(name, sizeof name, "d%d", n);
        hid_t dset = H5Dopen2(file, name, H5P_DEFAULT);
        assert_true(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
        wrong += memcmp(back, models[n], sizeof back) != 0;
        H5Dclose(dset);
    }
    H5Fclose(file);
    H5Pclose(fapl);
    delete_file(driver);
    return wrong;
}

static void pairs_of_parts(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        write_cases(SEC2, kind & 1, kind & 2 ? -7 : 0, kind & 4);
        assert_int_equal(wrong_cases(SEC2), 0);
    }
    for (int driver = CORE; driver < DRIVERS; driver++) {
        write_cases(driver, 1, 0, driver == CORE);
        assert_int_equal(wrong_cases(driver), 0);
    }
}

/* The test sees it when space that was used is taken for blank. */
static void used_space_is_not_blank(void **state)
{
    (void)state;
#ifdef TS_MUTATIONS
    ts_mutations = TS_MUTATION_ALWAYS_BLANK;
    write_cases(SEC2, 1, 0, 1);
    ts_mutations = TS_MUTATION_NONE;
    assert_int_not_equal(wrong_cases(SEC2), 0);
#endif
}

enum { ROWS = 5, COLUMNS = 4, SHAPES = 3 };

/* A box written from memory that is one run, a part of a larger box, or a column. */
static void write_box(hid_t dset, const hsize_t *start, const hsize_t *count, int shape, int value)
{
    int values[(ROWS + 2) * (COLUMNS + 2)];
    hsize_t whole[2] = {ROWS + 2, COLUMNS + 2}, first[2] = {1, 2}, n = count[0] * count[1];
    for (int i = 0; i < (ROWS + 2) * (COLUMNS + 2); i++)
        values[i] = value + i;
    hid_t space = H5Dget_space(dset), mem;
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    if (shape == 0) {
        mem = H5Screate_simple(2, count, NULL);
    } else if (shape == 1) {
        mem = H5Screate_simple(2, whole, NULL);
        H5Sselect_hyperslab(mem, H5S_SELECT_SET, first, NULL, count, NULL);
    } else {
        mem = H5Screate_simple(1, &n, NULL);
    }
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
}

static void model_box(int model[ROWS][COLUMNS], const hsize_t *start, const hsize_t *count, int shape, int value)
{
    for (hsize_t y = 0; y < count[0]; y++)
        for (hsize_t x = 0; x < count[1]; x++)
            model[start[0] + y][start[1] + x] =
                value + (int)(shape == 1 ? (y + 1) * (COLUMNS + 2) + x + 2 : y * count[1] + x);
}

static void try_box(hid_t dset, int model[ROWS][COLUMNS], const hsize_t *start, const hsize_t *count)
{
    static int value;
    for (int shape = 0; shape < SHAPES; shape++) {
        int back[ROWS][COLUMNS];
        value += 1000;
        write_box(dset, start, count, shape, value);
        model_box(model, start, count, shape, value);
        assert_true(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
        assert_memory_equal(back, model, sizeof back);
    }
}

static void boxes_in(const hsize_t *chunk, bool filtered)
{
    int model[ROWS][COLUMNS] = {{0}}, back[ROWS][COLUMNS];
    hsize_t dims[2] = {ROWS, COLUMNS}, start[2], count[2];
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, dims, NULL);
    H5Pset_chunk(dcpl, 2, chunk);
    if (filtered)
        H5Pset_fletcher32(dcpl);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, model) >= 0);
    for (start[0] = 0; start[0] < ROWS; start[0]++)
        for (start[1] = 0; start[1] < COLUMNS; start[1]++)
            for (count[0] = 1; count[0] <= ROWS - start[0]; count[0]++)
                for (count[1] = 1; count[1] <= COLUMNS - start[1]; count[1]++)
                    try_box(dset, model, start, count);
    H5Dclose(dset);
    H5Sclose(space);
    H5Pclose(dcpl);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_true(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    assert_memory_equal(back, model, sizeof back);
    H5Dclose(dset);
    H5Fclose(file);
    unlink(FILE_NAME);
}

static void all_boxes(void **state)
{
    (void)state;
    boxes_in((hsize_t[]){3, 3}, false);
    boxes_in((hsize_t[]){2, 4}, false);
    boxes_in((hsize_t[]){5, 1}, false);
    boxes_in((hsize_t[]){3, 4}, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_parts),
        cmocka_unit_test(used_space_is_not_blank),
        cmocka_unit_test(all_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
