/* Datasets that are closed with data in the cache: they keep it for the next handle, and everything that looks at them
 * from elsewhere sees it. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "waiting.h5"
#define ROWS 40
#define COLS 30

enum { FILTERED, PLAIN, CONTIGUOUS, COMPACT, KINDS };

static const char *const names[] = {"filtered", "plain", "contiguous", "compact"};

static hid_t create_file(void)
{
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void create(hid_t file, const char *name, int kind)
{
    hsize_t dims[2] = {ROWS, COLS}, chunk[2] = {ROWS / 4, COLS};
    hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (kind == FILTERED || kind == PLAIN)
        H5Pset_chunk(dcpl, 2, chunk);
    if (kind == FILTERED)
        H5Pset_deflate(dcpl, 1);
    if (kind == COMPACT)
        H5Pset_layout(dcpl, H5D_COMPACT);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static hid_t select_row(hid_t d, hsize_t row)
{
    hid_t space = H5Dget_space(d);
    hsize_t start[2] = {row, 0}, count[2] = {1, COLS};
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    return space;
}

/* Opens the dataset for each row, as some programs do. */
static void write_row(hid_t file, const char *name, hsize_t row, int value)
{
    int buf[COLS];
    hsize_t n = COLS;
    for (int i = 0; i < COLS; i++)
        buf[i] = value + i;
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT), space = select_row(d, row), mem = H5Screate_simple(1, &n, NULL);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
    assert_true(H5Dclose(d) >= 0);
}

static void write_all(hid_t file, const char *name, int value)
{
    for (int i = 0; i < ROWS; i++)
        write_row(file, name, (hsize_t)i, value + 100 * i);
}

static void check(hid_t file, const char *name, int value)
{
    static int buf[ROWS][COLS];
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(d >= 0);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) >= 0);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLS; k++)
            assert_int_equal(buf[i][k], value + 100 * i + k);
    H5Dclose(d);
}

static H5F_chunk_cache_stats_t stats(hid_t file)
{
    H5F_chunk_cache_stats_t s;
    assert_true(H5Fget_chunk_cache_stats(file, &s) >= 0);
    return s;
}

static void test_rows(void **state)
{
    hid_t file = create_file();
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        create(file, names[k], k);
        write_all(file, names[k], k);
        check(file, names[k], k);
        assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
        assert_int_equal(stats(file).dirty_chunks, 0);
        /* Chunks were encoded once each, though the dataset was opened for every row. */
        if (k == FILTERED)
            assert_int_equal(stats(file).encodes, 4);
        /* A closed dataset is not open. */
        assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_DATASET), 0);
    }
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int k = 0; k < KINDS; k++)
        check(file, names[k], k);
    assert_true(H5Freset_chunk_cache_stats(file) >= 0);
    check(file, names[FILTERED], FILTERED);
    assert_int_equal(stats(file).loads, 0);
    assert_int_equal(stats(file).hits, 4);
    H5Fclose(file);
    unlink(FILE_NAME);
}

/* Every row of a chunk encodes nothing until the file is flushed or closed. */
static void test_encodes(void **state)
{
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION, .budget = 1 << 20, .encode_ahead = SIZE_MAX};
    hid_t file = create_file();
    (void)state;
    assert_true(H5Fset_shared_chunk_cache(file, &settings) >= 0);
    create(file, "d", FILTERED);
    for (int i = 0; i < ROWS / 4 - 1; i++)
        write_row(file, "d", (hsize_t)i, i);
    assert_int_equal(stats(file).encodes, 0);
    assert_int_equal(stats(file).dirty_chunks, 1);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    assert_int_equal(stats(file).encodes, 1);
    H5Fclose(file);
    unlink(FILE_NAME);
}

static void test_looked_at(void **state)
{
    hid_t file = create_file(), other = H5Fcreate("waiting2.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        H5O_info1_t info;
        char copy[32];
        create(file, names[k], k);
        write_all(file, names[k], 7 * k);
        snprintf(copy, sizeof copy, "copy of %s", names[k]);
        assert_true(H5Ocopy(file, names[k], file, copy, H5P_DEFAULT, H5P_DEFAULT) >= 0);
        write_all(file, names[k], 9 * k);
        assert_true(H5Ocopy(file, names[k], other, names[k], H5P_DEFAULT, H5P_DEFAULT) >= 0);
        check(file, copy, 7 * k);
        check(other, names[k], 9 * k);
        assert_true(H5Oget_info_by_name2(file, names[k], &info, H5O_INFO_BASIC | H5O_INFO_META_SIZE, H5P_DEFAULT) >= 0);
        if (k < CONTIGUOUS)
            assert_true(info.meta_size.obj.index_size > 0);
    }
    H5Fclose(other);
    unlink("waiting2.h5");
    /* An image has what waits. */
    ssize_t size = H5Fget_file_image(file, NULL, 0);
    assert_true(size > 0);
    void *image = malloc((size_t)size);
    assert_int_equal(H5Fget_file_image(file, image, (size_t)size), size);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1 << 16, 0);
    H5Pset_file_image(fapl, image, (size_t)size);
    hid_t read = H5Fopen("image", H5F_ACC_RDONLY, fapl);
    assert_true(read >= 0);
    for (int k = 0; k < KINDS; k++)
        check(read, names[k], 9 * k);
    H5Fclose(read);
    H5Pclose(fapl);
    free(image);
    H5Fclose(file);
    unlink(FILE_NAME);
}

/* Deleted while it waits: its space comes back, and one that comes to its place is another. */
static void test_deleted(void **state)
{
    hid_t file = create_file();
    (void)state;
    for (int round = 0; round < 20; round++) {
        int k = round % KINDS;
        create(file, "d", k);
        write_all(file, "d", round);
        check(file, "d", round);
        assert_true(H5Ldelete(file, "d", H5P_DEFAULT) >= 0);
        if (round % 5 == 4)
            assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    }
    create(file, "last", FILTERED);
    write_all(file, "last", 3);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    check(file, "last", 3);
    H5Fclose(file);
    unlink(FILE_NAME);
}

/* More than are kept. */
static void test_many(void **state)
{
    enum { N = 300 };
    hid_t file = create_file();
    char name[16];
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        create(file, name, i % CONTIGUOUS);
        write_row(file, name, 0, i);
    }
    assert_in_range(stats(file).chunks, 1, 257);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        for (int row = 1; row < ROWS; row++)
            write_row(file, name, (hsize_t)row, i + 100 * row);
    }
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        check(file, name, i);
    }
    H5Fclose(file);
    unlink(FILE_NAME);
}

/* Data in one piece seen in another shape, in parts that cross the cache's chunks of it. */
static void test_views(void **state)
{
    enum { N = 3 * 70000 };
    static int data[N], part[N];
    hid_t file = create_file();
    hsize_t dims[3] = {3, 700, 100}, flat = N, start = 60001, count = 90000;
    hid_t space = H5Screate_simple(3, dims, NULL), view = H5Screate_simple(1, &flat, NULL);
    hid_t d = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    (void)state;
    for (int i = 0; i < N; i++)
        data[i] = 3 * i;
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Sselect_hyperslab(view, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0);
    hid_t mem = H5Screate_simple(1, &count, NULL);
    assert_true(H5Dread(d, H5T_NATIVE_INT, mem, view, H5P_DEFAULT, part) >= 0);
    assert_memory_equal(part, data + start, count * sizeof *part);
    for (hsize_t i = 0; i < count; i++)
        data[start + i] = part[i] = -(int)i;
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, mem, view, H5P_DEFAULT, part) >= 0);
    hsize_t at[3] = {1, 3, 99}, n[3] = {2, 697, 1}, elements = 2 * 697;
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, n, NULL) >= 0);
    hid_t column = H5Screate_simple(1, &elements, NULL);
    assert_true(H5Dread(d, H5T_NATIVE_INT, column, space, H5P_DEFAULT, part) >= 0);
    for (int i = 0; i < 2 * 697; i++) {
        assert_int_equal(part[i], data[(1 + i / 697) * 70000 + (3 + i % 697) * 100 + 99]);
        data[(1 + i / 697) * 70000 + (3 + i % 697) * 100 + 99] = part[i] = i;
    }
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, column, space, H5P_DEFAULT, part) >= 0);
    H5Dclose(d);
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    d = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, part) >= 0);
    assert_memory_equal(part, data, sizeof data);
    H5Dclose(d);
    H5Fclose(file);
    H5Sclose(column);
    H5Sclose(mem);
    H5Sclose(view);
    H5Sclose(space);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),    cmocka_unit_test(test_encodes),
                                       cmocka_unit_test(test_looked_at), cmocka_unit_test(test_deleted),
                                       cmocka_unit_test(test_many),    cmocka_unit_test(test_views)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
