/* H5Dread_multi and H5Dwrite_multi: like the calls for one dataset, but nothing moves when any argument is wrong. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "hdf5.h"

enum { SETS = 5, ROWS = 12, COLS = 10, N = ROWS * COLS };

static const char *const names[2] = {"multi_a.h5", "multi_b.h5"};

struct arrays {
    hid_t set[SETS + 1], type[SETS + 1], mem[SETS + 1], file[SETS + 1];
    void *buf[SETS + 1];
};

static hid_t create(hid_t f, int i)
{
    char name[16];
    hsize_t dims[2] = {ROWS, COLS}, max[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk[2] = {5, 4};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, i > 1 ? max : NULL);
    if (i == 1)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (i > 1)
        H5Pset_chunk(dcpl, 2, chunk);
    if (i > 2)
        H5Pset_deflate(dcpl, 3);
    snprintf(name, sizeof name, "d%d", i);
    hid_t d = H5Dcreate2(f, name, i == 4 ? H5T_IEEE_F64BE : H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Sclose(space);
    H5Pclose(dcpl);
    return d;
}

static int value(int set, int k, int round)
{
    return set * 1000 + k + round * 100000;
}

static void make_file(hid_t *f, const char *name, int values[SETS][N], struct arrays *a)
{
    *f = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(*f >= 0);
    for (int i = 0; i < SETS; i++) {
        a->set[i] = create(*f, i);
        a->type[i] = H5T_NATIVE_INT;
        a->mem[i] = a->file[i] = H5S_ALL;
        a->buf[i] = values[i];
        for (int k = 0; k < N; k++)
            values[i][k] = value(i, k, 0);
    }
    assert_int_equal(H5Dwrite_multi(SETS, a->set, a->type, a->mem, a->file, H5P_DEFAULT, (const void **)a->buf), 0);
}

static void close_file(hid_t f, const struct arrays *a)
{
    for (int i = 0; i < SETS; i++)
        H5Dclose(a->set[i]);
    assert_int_equal(H5Fclose(f), 0);
}

static void assert_round(const struct arrays *a, int round)
{
    int got[N], wrong = 0;
    for (int i = 0; i < SETS; i++) {
        assert_int_equal(H5Dread(a->set[i], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, got), 0);
        for (int k = 0; k < N; k++)
            wrong += got[k] != value(i, k, round);
    }
    assert_int_equal(wrong, 0);
}

static void all_layouts_at_once(void **state)
{
    (void)state;
    static int values[SETS][N];
    struct arrays a;
    hid_t f;
    make_file(&f, names[0], values, &a);
    assert_round(&a, 0);
    memset(values, 0, sizeof values);
    assert_int_equal(H5Dread_multi(SETS, a.set, a.type, a.mem, a.file, H5P_DEFAULT, a.buf), 0);
    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < N; k++)
            assert_int_equal(values[i][k], value(i, k, 0));
    close_file(f, &a);
    f = H5Fopen(names[0], H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 0; i < SETS; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        a.set[i] = H5Dopen2(f, name, H5P_DEFAULT);
    }
    assert_round(&a, 0);
    close_file(f, &a);
}

/* A column of each, as other types, into one buffer. */
static void selections_and_types(void **state)
{
    (void)state;
    static int values[SETS][N];
    double column[SETS][ROWS];
    struct arrays a;
    hid_t f, column_space;
    hsize_t dims[2] = {ROWS, COLS}, start[2] = {0, 3}, count[2] = {ROWS, 1};
    make_file(&f, names[0], values, &a);
    column_space = H5Screate_simple(2, dims, NULL);
    H5Sselect_hyperslab(column_space, H5S_SELECT_SET, start, NULL, count, NULL);
    for (int i = 0; i < SETS; i++) {
        a.type[i] = H5T_NATIVE_DOUBLE;
        a.mem[i] = H5S_BLOCK;
        a.file[i] = column_space;
        a.buf[i] = column[i];
    }
    assert_int_equal(H5Dread_multi(SETS, a.set, a.type, a.mem, a.file, H5P_DEFAULT, a.buf), 0);
    for (int i = 0; i < SETS; i++)
        for (int row = 0; row < ROWS; row++) {
            assert_true(column[i][row] == value(i, row * COLS + 3, 0));
            column[i][row] = -row;
        }
    assert_int_equal(H5Dwrite_multi(SETS, a.set, a.type, a.mem, a.file, H5P_DEFAULT, (const void **)a.buf), 0);
    for (int i = 0; i < SETS; i++) {
        assert_int_equal(H5Dread(a.set[i], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values[i]), 0);
        for (int k = 0; k < N; k++)
            assert_int_equal(values[i][k], k % COLS == 3 ? -(k / COLS) : value(i, k, 0));
    }
    H5Sclose(column_space);
    close_file(f, &a);
}

enum wrong { BAD_SET, BAD_TYPE, BAD_MEM, BAD_FILE, OUTSIDE, OTHER_COUNT, NO_CONVERSION, NO_BUFFER, WRONGS };

static void spoil(struct arrays *a, int i, enum wrong how, const hid_t spaces[3], hid_t string)
{
    switch (how) {
    case BAD_SET:
        a->set[i] = spaces[0];
        break;
    case BAD_TYPE:
        a->type[i] = spaces[0];
        break;
    case BAD_MEM:
        a->mem[i] = string;
        break;
    case BAD_FILE:
        a->file[i] = string;
        break;
    case OUTSIDE:
        a->file[i] = spaces[1];
        a->mem[i] = spaces[1];
        break;
    case OTHER_COUNT:
        a->mem[i] = spaces[2];
        break;
    case NO_CONVERSION:
        a->type[i] = string;
        break;
    default:
        a->buf[i] = NULL;
    }
}

static void all_or_nothing(void **state)
{
    (void)state;
    static int values[SETS][N];
    struct arrays good;
    hid_t f;
    hsize_t dims[2] = {ROWS, COLS}, more[2] = {ROWS + 1, COLS}, fewer = N - 1;
    make_file(&f, names[0], values, &good);
    hid_t spaces[3] = {H5Screate_simple(2, dims, NULL), H5Screate_simple(2, more, NULL),
                       H5Screate_simple(1, &fewer, NULL)};
    hid_t string = H5Tcopy(H5T_C_S1);
    H5Tset_size(string, 7);
    for (enum wrong how = BAD_SET; how < WRONGS; how++)
        for (int i = 0; i < SETS; i += 2) {
            struct arrays a = good;
            spoil(&a, i, how, spaces, string);
            memset(values, 0x11, sizeof values);
            assert_true(H5Dread_multi(SETS, a.set, a.type, a.mem, a.file, H5P_DEFAULT, a.buf) < 0);
            for (int k = 0; k < SETS * N; k++)
                assert_int_equal(values[k / N][k % N], 0x11111111);
            assert_true(H5Dwrite_multi(SETS, a.set, a.type, a.mem, a.file, H5P_DEFAULT, (const void **)a.buf) < 0);
            assert_round(&good, 0);
        }
    assert_true(H5Dread_multi(SETS, NULL, good.type, good.mem, good.file, H5P_DEFAULT, good.buf) < 0);
    assert_true(H5Dread_multi(SETS, good.set, good.type, good.mem, good.file, H5P_DEFAULT, NULL) < 0);
    assert_true(H5Dread_multi(SETS, good.set, good.type, good.mem, good.file, f, good.buf) < 0);
    assert_int_equal(H5Dread_multi(0, NULL, NULL, NULL, NULL, H5P_DEFAULT, NULL), 0);
    assert_int_equal(H5Dwrite_multi(0, NULL, NULL, NULL, NULL, H5P_DEFAULT, NULL), 0);
    assert_int_equal(H5Dread_multi(SETS, good.set, good.type, good.mem, good.file, H5P_DEFAULT, good.buf), 0);
    for (int i = 0; i < 3; i++)
        H5Sclose(spaces[i]);
    H5Tclose(string);
    close_file(f, &good);
}

static void two_files_and_twice_the_same(void **state)
{
    (void)state;
    static int values[2][SETS][N], last[N];
    struct arrays a, b, mixed;
    hid_t f, g;
    make_file(&f, names[0], values[0], &a);
    make_file(&g, names[1], values[1], &b);
    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < N; k++)
            values[i % 2][i][k] = value(i, k, 1);
    /* Even ones in the first file, odd ones in the second, and one of the first again with other values. */
    mixed = a;
    for (int i = 1; i < SETS; i += 2) {
        mixed.set[i] = b.set[i];
        mixed.buf[i] = values[1][i];
    }
    mixed.set[SETS] = a.set[2];
    mixed.type[SETS] = H5T_NATIVE_INT;
    mixed.mem[SETS] = mixed.file[SETS] = H5S_ALL;
    mixed.buf[SETS] = last;
    for (int k = 0; k < N; k++)
        last[k] = value(2, k, 2);
    herr_t status = H5Dwrite_multi(SETS + 1, mixed.set, mixed.type, mixed.mem, mixed.file, H5P_DEFAULT,
                                   (const void **)mixed.buf);
    assert_int_equal(status, 0);
    int got[N];
    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < 2; k++) {
            assert_int_equal(H5Dread(k ? b.set[i] : a.set[i], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, got), 0);
            int round = i % 2 != k ? 0 : i == 2 ? 2 : 1;
            for (int e = 0; e < N; e++)
                assert_int_equal(got[e], value(i, e, round));
        }
    memset(last, 0, sizeof last);
    assert_int_equal(H5Dread_multi(SETS + 1, mixed.set, mixed.type, mixed.mem, mixed.file, H5P_DEFAULT, mixed.buf), 0);
    for (int e = 0; e < N; e++) {
        assert_int_equal(last[e], value(2, e, 2));
        assert_int_equal(values[0][2][e], value(2, e, 2));
        assert_int_equal(values[1][3][e], value(3, e, 1));
    }
    close_file(f, &a);
    close_file(g, &b);
}

static int n_asked[2];

/* Values that do not fit: the types say which dataset asks. */
static H5T_conv_ret_t asked(H5T_conv_except_t what, hid_t src, hid_t dst, void *from, void *to, void *data)
{
    (void)what, (void)from, (void)data;
    assert_int_equal(H5Tget_size(dst), 1);
    n_asked[H5Tget_class(src) == H5T_FLOAT]++;
    *(signed char *)to = H5Tget_class(src) == H5T_FLOAT ? 2 : 1;
    return H5T_CONV_HANDLED;
}

static void callbacks_know_the_types(void **state)
{
    (void)state;
    static int values[SETS][N];
    static signed char small[SETS][N];
    struct arrays a;
    hid_t f, dxpl = H5Pcreate(H5P_DATASET_XFER);
    make_file(&f, names[0], values, &a);
    assert_int_equal(H5Pset_type_conv_cb(dxpl, asked, NULL), 0);
    for (int i = 0; i < SETS; i++) {
        a.type[i] = H5T_NATIVE_SCHAR;
        a.buf[i] = small[i];
    }
    assert_int_equal(H5Dread_multi(SETS, a.set, a.type, a.mem, a.file, dxpl, a.buf), 0);
    for (int i = 1; i < SETS; i++)
        for (int k = 0; k < N; k++)
            assert_int_equal(small[i][k], i == 4 ? 2 : 1);
    assert_int_equal(n_asked[0], 3 * N);
    assert_int_equal(n_asked[1], N);
    H5Pclose(dxpl);
    close_file(f, &a);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void lists_in_the_api(void **state)
{
    (void)state;
    H5F_shared_chunk_cache_t s, got;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dapl = H5Pcreate(H5P_DATASET_ACCESS);
    assert_int_equal(H5Pget_shared_chunk_cache(fapl, &s), 0);
    assert_int_equal(s.budget, 64 << 20);
    assert_int_equal(s.threads, H5F_CHUNK_CACHE_THREADS_DEFAULT);
    s.budget = 12345;
    s.threads = 65;
    assert_true(H5Pset_shared_chunk_cache(fapl, &s) < 0);
    s.threads = 64;
    assert_true(H5Pset_shared_chunk_cache(dapl, &s) < 0);
    assert_true(H5Pset_shared_chunk_cache(H5P_DEFAULT, &s) < 0);
    assert_true(H5Pset_shared_chunk_cache(fapl, NULL) < 0);
    assert_true(H5Pget_shared_chunk_cache(fapl, NULL) < 0);
    assert_true(H5Pget_shared_chunk_cache(dapl, &got) < 0);
    assert_int_equal(H5Pset_shared_chunk_cache(fapl, &s), 0);
    /* A file opened with it has it, and tells; H5Pget_cache goes on saying what H5Pset_cache set. */
    hid_t f = H5Fcreate(names[0], H5F_ACC_TRUNC, H5P_DEFAULT, fapl), list = H5Fget_access_plist(f);
    assert_int_equal(H5Fget_shared_chunk_cache(f, &got), 0);
    assert_int_equal(got.budget, 12345);
    assert_int_equal(got.threads, 64);
    memset(&got, 0, sizeof got);
    assert_int_equal(H5Pget_shared_chunk_cache(list, &got), 0);
    assert_int_equal(got.budget, 12345);
    size_t slots, bytes;
    double w0;
    assert_int_equal(H5Pget_cache(list, NULL, &slots, &bytes, &w0), 0);
    assert_true(slots == 521 && bytes == 1024 * 1024 && w0 == 0.75);
    H5Pclose(list);
    H5Pclose(fapl);
    H5Pclose(dapl);
    assert_int_equal(H5Fclose(f), 0);
}

/* The first is too much for the cache, so that its chunks are still on their way when the second comes. */
static void a_part_of_what_was_just_written(void **state)
{
    enum { ALL = 1 << 17, CHUNK = 1 << 12, FIRST = ALL - CHUNK / 2, SOME = 100 };
    static int values[ALL], part[SOME];
    hsize_t all = ALL, chunk = CHUNK, start = FIRST, some = SOME;
    H5F_shared_chunk_cache_t cache;
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pget_shared_chunk_cache(fapl, &cache);
    cache.budget = 16 * CHUNK * sizeof(int);
    cache.threads = 2;
    H5Pset_shared_chunk_cache(fapl, &cache);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_deflate(dcpl, 1);
    hid_t f = H5Fcreate(names[0], H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t space = H5Screate_simple(1, &all, NULL), mem = H5Screate_simple(1, &some, NULL);
    hid_t d = H5Dcreate2(f, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &some, NULL);
    for (int i = 0; i < ALL; i++)
        values[i] = i;
    for (int i = 0; i < SOME; i++)
        part[i] = -i - 1;
    hid_t sets[2] = {d, d}, types[2] = {H5T_NATIVE_INT, H5T_NATIVE_INT}, mems[2] = {H5S_ALL, mem}, files[2] = {H5S_ALL, space};
    const void *bufs[2] = {values, part};
    assert_int_equal(H5Dwrite_multi(2, sets, types, mems, files, H5P_DEFAULT, bufs), 0);
    assert_int_equal(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    int wrong = 0;
    for (int i = 0; i < ALL; i++)
        wrong += values[i] != (i >= FIRST && i < FIRST + SOME ? -(i - FIRST) - 1 : i);
    assert_int_equal(wrong, 0);
    H5Dclose(d);
    H5Sclose(space);
    H5Sclose(mem);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    assert_int_equal(H5Fclose(f), 0);
}

static int quiet(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static int clean(void **state)
{
    (void)state;
    unlink(names[1]);
    return unlink(names[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_at_once),          cmocka_unit_test(selections_and_types),
        cmocka_unit_test(all_or_nothing),               cmocka_unit_test(two_files_and_twice_the_same),
        cmocka_unit_test(callbacks_know_the_types),     cmocka_unit_test(lists_in_the_api),
        cmocka_unit_test(a_part_of_what_was_just_written),
    };
    return cmocka_run_group_tests(tests, quiet, clean);
}
