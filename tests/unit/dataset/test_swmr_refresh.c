/* A reader in this process follows a writer in another one, step by step: what it sees before and after each refresh, and
 * what its caches keep. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"
#include "unit/cmocka_all.h"

enum { ROWS = 40, COLS = 4, CHUNK = 4 };

static char path[64];

/* The writer does one of these for each byte that it gets, and answers. */
struct writer {
    pid_t pid;
    int to, from;
    hid_t file;
};

static const char *const names[] = {"plain", "packed", "tree", "sparse", "single"};
enum { PLAIN, PACKED, TREE, SPARSE_ONE, SINGLE, NAMES };

static void must(int64_t status)
{
    if (status < 0) {
        H5Eprint2(H5E_DEFAULT, stderr);
        _exit(9);
    }
}

static hid_t creation(int kind)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {kind == SINGLE ? ROWS : CHUNK, COLS};
    if (kind == SPARSE_ONE)
        must(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
    else
        must(H5Pset_chunk(dcpl, 2, chunk));
    if (kind == PACKED || kind == SINGLE)
        must(H5Pset_deflate(dcpl, 1));
    return dcpl;
}

static void create_datasets(hid_t file)
{
    for (int i = 0; i < NAMES; i++) {
        hsize_t dims[2] = {i == SINGLE ? ROWS : 0, COLS};
        hsize_t max[2] = {i == SINGLE ? ROWS : H5S_UNLIMITED, i == TREE ? H5S_UNLIMITED : COLS};
        hid_t space = H5Screate_simple(2, dims, max), dcpl = creation(i);
        hid_t d = H5Dcreate2(file, names[i], H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        must(d);
        must(H5Dclose(d));
        must(H5Sclose(space));
        must(H5Pclose(dcpl));
    }
}

static void create_others(hid_t file)
{
    int numbers[COLS] = {0};
    hsize_t n = COLS;
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    for (int compact = 0; compact < 2; compact++) {
        must(H5Pset_layout(dcpl, compact ? H5D_COMPACT : H5D_CONTIGUOUS));
        hid_t d = H5Dcreate2(file, compact ? "compact" : "contiguous", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        must(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
        hid_t a = H5Acreate2(d, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        must(H5Awrite(a, H5T_NATIVE_INT, numbers));
        must(H5Aclose(a));
        must(H5Dclose(d));
    }
    must(H5Pclose(dcpl));
    must(H5Sclose(space));
    /* A virtual dataset over all rows of one that grows. */
    hsize_t dims[2] = {0, COLS}, max[2] = {H5S_UNLIMITED, COLS}, start[2] = {0, 0}, block[2] = {1, COLS};
    hsize_t count[2] = {H5S_UNLIMITED, 1};
    hid_t all = H5Screate_simple(2, dims, max);
    must(H5Sselect_hyperslab(all, H5S_SELECT_SET, start, NULL, count, block));
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    must(H5Pset_virtual(dcpl, all, ".", "packed", all));
    hid_t d = H5Dcreate2(file, "virtual", H5T_NATIVE_INT, all, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(d);
    must(H5Dclose(d));
    must(H5Pclose(dcpl));
    must(H5Sclose(all));
}

static void write_rows(hid_t file, int kind, hsize_t from, hsize_t n, int add)
{
    int values[ROWS * COLS];
    hid_t d = H5Dopen2(file, names[kind], H5P_DEFAULT), space = H5Dget_space(d);
    hsize_t dims[2], start[2] = {from, 0}, count[2] = {n, COLS};
    must(H5Sget_simple_extent_dims(space, dims, NULL));
    if (dims[0] < from + n) {
        dims[0] = from + n;
        must(H5Dset_extent(d, dims));
    }
    H5Sclose(space);
    space = H5Dget_space(d);
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    for (hsize_t i = 0; i < n * COLS; i++)
        values[i] = (int)(from * COLS + i) + add;
    hid_t mem = H5Screate_simple(2, count, NULL);
    must(H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values));
    H5Sclose(mem);
    H5Sclose(space);
    must(H5Dclose(d));
}

static void change_others(hid_t file, int to)
{
    int numbers[COLS] = {to, to, to, to};
    for (int compact = 0; compact < 2; compact++) {
        hid_t d = H5Dopen2(file, compact ? "compact" : "contiguous", H5P_DEFAULT), a = H5Aopen(d, "a", H5P_DEFAULT);
        must(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
        must(H5Awrite(a, H5T_NATIVE_INT, numbers));
        must(H5Aclose(a));
        must(H5Dclose(d));
    }
}

static void obey(hid_t file, char order)
{
    switch (order) {
    case 'a': /* rows 0 to 9 of all */
        for (int i = 0; i < NAMES; i++)
            write_rows(file, i, 0, i == SINGLE ? ROWS : 10, 0);
        break;
    case 'm': /* ten more */
        for (int i = 0; i < SINGLE; i++)
            write_rows(file, i, 10, 10, 0);
        break;
    case 'r': /* the first row has other values */
        for (int i = 0; i < NAMES; i++)
            write_rows(file, i, 0, 1, 1000);
        break;
    case 'o':
        change_others(file, 7);
        break;
    case 'g':
        must(H5Gclose(H5Gcreate2(file, "late", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
        break;
    }
    must(H5Fflush(file, H5F_SCOPE_GLOBAL));
}

static void write_all(int in, int out)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    must(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    must(H5Pset_swmr_new_objects(fapl, 1));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    char order = 0;
    must(file);
    create_datasets(file);
    create_others(file);
    must(H5Fstart_swmr_write(file));
    while (write(out, "", 1) == 1 && read(in, &order, 1) == 1 && order != 'q')
        obey(file, order);
    must(H5Fclose(file));
    must(H5Pclose(fapl));
    _exit(order == 'q' && write(out, "", 1) == 1 ? 0 : 8);
}

static void ask(struct writer *w, char order)
{
    char answer;
    assert_int_equal(write(w->to, &order, 1), 1);
    assert_int_equal(read(w->from, &answer, 1), 1);
}

static void finish(struct writer *w)
{
    int status;
    ask(w, 'q');
    assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
    assert_int_equal(status, 0);
    close(w->to);
    close(w->from);
}

static int begin(void **state)
{
    static struct writer w;
    int to[2], from[2];
    char answer;
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    w.pid = fork();
    if (w.pid == 0) {
        close(to[1]);
        close(from[0]);
        write_all(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    w.to = to[1];
    w.from = from[0];
    assert_int_equal(read(w.from, &answer, 1), 1);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    w.file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, fapl);
    assert_true(w.file >= 0);
    H5Pclose(fapl);
    *state = &w;
    return 0;
}

static int end(void **state)
{
    struct writer *w = *state;
    if (w->to >= 0)
        finish(w);
    assert_int_equal(H5Fclose(w->file), 0);
    unlink(path);
    return 0;
}

static hsize_t rows_of(hid_t d)
{
    hsize_t dims[2] = {0, 0};
    hid_t space = H5Dget_space(d);
    assert_true(H5Sget_simple_extent_dims(space, dims, NULL) >= 0);
    H5Sclose(space);
    return dims[0];
}

/* The first row may be `add` more than it was at first; the others are as they were. */
static void check(hid_t d, hsize_t rows, int add)
{
    int values[ROWS * COLS];
    assert_int_equal(rows_of(d), rows);
    assert_int_equal(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    for (int i = 0; i < (int)rows * COLS; i++)
        assert_int_equal(values[i], i + (i < COLS ? add : 0));
}

static uint64_t loads(hid_t file)
{
    H5F_chunk_cache_stats_t stats;
    assert_int_equal(H5Fget_chunk_cache_stats(file, &stats), 0);
    return stats.loads + stats.bypasses;
}

static void rows_come_with_a_refresh(void **state)
{
    struct writer *w = *state;
    hid_t d[SINGLE], again[SINGLE];
    for (int i = 0; i < SINGLE; i++) {
        d[i] = H5Dopen2(w->file, names[i], H5P_DEFAULT);
        again[i] = H5Dopen2(w->file, names[i], H5P_DEFAULT);
        check(d[i], 0, 0);
    }
    ask(w, 'a');
    for (int i = 0; i < SINGLE; i++) {
        check(d[i], 0, 0);
        assert_int_equal(H5Drefresh(d[i]), 0);
        check(d[i], 10, 0);
        check(again[i], 10, 0);
    }
    ask(w, 'm');
    for (int i = 0; i < SINGLE; i++) {
        check(d[i], 10, 0);
        assert_int_equal(H5Orefresh(again[i]), 0);
        check(d[i], 20, 0);
        H5Dclose(again[i]);
        H5Dclose(d[i]);
        /* One that nobody has open is read anew. */
        d[i] = H5Dopen2(w->file, names[i], H5P_DEFAULT);
    }
    ask(w, 'r');
    for (int i = 0; i < SINGLE; i++) {
        H5Dclose(d[i]);
        d[i] = H5Dopen2(w->file, names[i], H5P_DEFAULT);
        check(d[i], 20, 1000);
        H5Dclose(d[i]);
    }
}

/* Without a refresh: as at the last, or newer, and no error, whatever the writer does, also when it has gone. */
static void old_rows_stay_right(void **state)
{
    struct writer *w = *state;
    hid_t d[NAMES];
    ask(w, 'a');
    for (int i = 0; i < NAMES; i++) {
        d[i] = H5Dopen2(w->file, names[i], H5P_DEFAULT);
        assert_int_equal(H5Drefresh(d[i]), 0);
    }
    /* The index was looked at, and the chunks were not kept. */
    H5F_shared_chunk_cache_t none = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    assert_int_equal(H5Fset_shared_chunk_cache(w->file, &none), 0);
    for (int i = 0; i < NAMES; i++)
        check(d[i], i == SINGLE ? ROWS : 10, 0);
    ask(w, 'r');
    ask(w, 'm');
    ask(w, 'm');
    finish(w);
    w->to = -1;
    for (int i = 0; i < NAMES; i++) {
        int values[ROWS * COLS];
        assert_int_equal(H5Dread(d[i], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
        check(d[i], i == SINGLE ? ROWS : 10, values[0]);
        assert_true(values[0] == 0 || values[0] == 1000);
        assert_int_equal(H5Drefresh(d[i]), 0);
        check(d[i], i == SINGLE ? ROWS : 20, 1000);
        H5Dclose(d[i]);
    }
}

static void cache_keeps_what_did_not_move(void **state)
{
    struct writer *w = *state;
    static const int kinds[] = {PLAIN, PACKED, SPARSE_ONE};
    hid_t d[3];
    ask(w, 'a');
    for (int i = 0; i < 3; i++) {
        d[i] = H5Dopen2(w->file, names[kinds[i]], H5P_DEFAULT);
        check(d[i], 10, 0);
    }
    ask(w, 'r');
    for (int i = 0; i < 3; i++) {
        uint64_t before = loads(w->file);
        assert_int_equal(H5Drefresh(d[i]), 0);
        check(d[i], 10, 1000);
        /* Three chunks; where they move when they change, one did. */
        assert_int_equal(loads(w->file) - before, kinds[i] == PLAIN ? 3 : 1);
        before = loads(w->file);
        assert_int_equal(H5Drefresh(d[i]), 0);
        check(d[i], 10, 1000);
        assert_int_equal(loads(w->file) - before, kinds[i] == PLAIN ? 3 : 0);
        H5Dclose(d[i]);
    }
}

static void other_layouts_and_attributes(void **state)
{
    struct writer *w = *state;
    int numbers[COLS];
    for (int compact = 0; compact < 2; compact++) {
        hid_t d = H5Dopen2(w->file, compact ? "compact" : "contiguous", H5P_DEFAULT), a = H5Aopen(d, "a", H5P_DEFAULT);
        if (compact == 0) {
            assert_int_equal(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), 0);
            assert_int_equal(numbers[0], 0);
            ask(w, 'o');
        }
        assert_int_equal(H5Drefresh(d), 0);
        assert_int_equal(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), 0);
        assert_int_equal(numbers[COLS - 1], 7);
        if (compact == 0) {
            assert_int_equal(H5Aread(a, H5T_NATIVE_INT, numbers), 0);
            assert_int_equal(numbers[0], 0);
        }
        H5Aclose(a);
        a = H5Aopen(d, "a", H5P_DEFAULT);
        assert_int_equal(H5Aread(a, H5T_NATIVE_INT, numbers), 0);
        assert_int_equal(numbers[0], 7);
        H5Aclose(a);
        H5Dclose(d);
    }
}

static void groups_show_new_links(void **state)
{
    struct writer *w = *state;
    hid_t root = H5Gopen2(w->file, "/", H5P_DEFAULT);
    assert_int_equal(H5Lexists(root, "late", H5P_DEFAULT), 0);
    ask(w, 'g');
    assert_int_equal(H5Grefresh(root), 0);
    assert_int_equal(H5Lexists(root, "late", H5P_DEFAULT), 1);
    assert_int_equal(H5Gclose(H5Gopen2(root, "late", H5P_DEFAULT)), 0);
    H5Gclose(root);
}

static void virtual_datasets_refresh_their_sources(void **state)
{
    struct writer *w = *state;
    ask(w, 'a');
    hid_t d = H5Dopen2(w->file, "virtual", H5P_DEFAULT);
    check(d, 10, 0);
    ask(w, 'm');
    ask(w, 'r');
    assert_int_equal(rows_of(d), 10);
    assert_int_equal(H5Drefresh(d), 0);
    check(d, 20, 1000);
    H5Dclose(d);
}

/* Each allocation of a refresh fails in turn: the dataset is as before, or as it is now, and can be refreshed. */
static void memory_may_be_short(void **state)
{
    struct writer *w = *state;
    unsigned failed = 0;
    ask(w, 'a');
    for (int i = 0; i < NAMES; i++) {
        hid_t d = H5Dopen2(w->file, names[i], H5P_DEFAULT);
        hsize_t rows = i == SINGLE ? ROWS : 10;
        bool done = false;
        for (unsigned long n = 1; !done; n++) {
            check(d, rows, 0);
            ts_alloc_fail_at(n, TS_FAULT_ONCE);
            herr_t status;
            H5E_BEGIN_TRY
            {
                status = H5Drefresh(d);
            }
            H5E_END_TRY
            done = ts_alloc_fail_at(0, TS_FAULT_ONCE) < n;
            failed += status < 0;
            assert_true(status == 0 || !done);
        }
        check(d, rows, 0);
        H5Dclose(d);
    }
    assert_true(failed > 10);
}

static void nothing_to_do_in_other_files(void **state)
{
    struct writer *w = *state;
    ask(w, 'a');
    finish(w);
    w->to = -1;
    assert_int_equal(H5Fclose(w->file), 0);
    w->file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t d = H5Dopen2(w->file, "packed", H5P_DEFAULT);
    int values[COLS] = {1000, 1001, 1002, 1003};
    hsize_t start[2] = {0, 0}, count[2] = {1, COLS};
    hid_t space = H5Dget_space(d), mem = H5Screate_simple(2, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    assert_int_equal(H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values), 0);
    assert_int_equal(H5Drefresh(d), 0);
    check(d, 10, 1000);
    H5Sclose(space);
    H5Sclose(mem);
    H5Dclose(d);
}

int main(void)
{
    snprintf(path, sizeof path, "test_swmr_refresh_%d.h5", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_come_with_a_refresh, begin, end),
        cmocka_unit_test_setup_teardown(old_rows_stay_right, begin, end),
        cmocka_unit_test_setup_teardown(cache_keeps_what_did_not_move, begin, end),
        cmocka_unit_test_setup_teardown(other_layouts_and_attributes, begin, end),
        cmocka_unit_test_setup_teardown(groups_show_new_links, begin, end),
        cmocka_unit_test_setup_teardown(virtual_datasets_refresh_their_sources, begin, end),
        cmocka_unit_test_setup_teardown(memory_may_be_short, begin, end),
        cmocka_unit_test_setup_teardown(nothing_to_do_in_other_files, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
