/* A chunk whose filter fails keeps only itself back: what else is dirty gets to the file, flushing and closing say what
 * happened and where, another flush tries again, and deleting the dataset ends it. */
#include "unit/dataset/failing_sets.h"

#include <unistd.h>

#define FILE_NAME "chunk_failures.h5"
#define COPY_NAME "chunk_failures_copy.h5"
/* What another program would find if this one ended now. */
static hid_t open_copy(void)
{
    assert_int_equal(system("cp " FILE_NAME " " COPY_NAME), 0);
    hid_t file = H5Fopen(COPY_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static hid_t create_file(bool latest)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    H5Pclose(fapl);
    return file;
}

static int setup(void **state)
{
    (void)state;
    filter.always = false;
    filter.every = filter.marker = filter.calls = 0;
    filter.callback = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return H5Zregister(&filter_class) < 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(FILE_NAME);
    unlink(COPY_NAME);
    return 0;
}

/* All kinds, written, and nothing flushed. */
static hid_t make_all(hid_t *d)
{
    hid_t file = create_file(true);
    for (int k = 0; k < KINDS; k++) {
        d[k] = create(file, names[k], k);
        assert_true(write_values(d[k], k, 1) >= 0);
    }
    return file;
}

static void check_good(hid_t file, int version)
{
    for (int k = 0; k < GOOD; k++)
        check(file, names[k], k, version);
}

static void test_alone(void **state)
{
    hid_t d[KINDS], file = make_all(d), group;
    (void)state;
    filter.always = true;
    group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(flush(file) < 0);
    assert_told("'/failing'");
    assert_told("'/failing sparse'");
    hid_t copy = open_copy();
    check_good(copy, 1);
    check(copy, "failing", FAILING, 0);
    check(copy, "failing sparse", FAILING_SPARSE, 0);
    assert_true(H5Lexists(copy, "group", H5P_DEFAULT) > 0);
    H5Fclose(copy);
    /* In memory everything is there. */
    int versions[N];
    read_versions(d[FAILING], FAILING, versions);
    assert_int_equal(versions[N - 1], 1);
    for (int k = 0; k < GOOD; k++)
        assert_true(H5Dclose(d[k]) >= 0);
    for (int k = FAILING; k < KINDS; k++) {
        assert_true(H5Dclose(d[k]) < 0);
        assert_told(names[k]);
        assert_true(H5Iis_valid(d[k]) == 0);
    }
    assert_true(H5Gclose(group) >= 0);
    assert_true(flush(file) < 0);
    assert_true(H5Fclose(file) < 0);
    assert_told("'/failing'");
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    check_good(file, 1);
    check(file, "failing", FAILING, 0);
    assert_true(H5Fclose(file) >= 0);
}

static void test_healed(void **state)
{
    hid_t d[KINDS], file = make_all(d);
    (void)state;
    filter.always = true;
    for (int i = 0; i < 3; i++)
        assert_true(flush(file) < 0);
    assert_true(H5Dflush(d[PLAIN]) < 0);
    assert_true(H5Dclose(d[FAILING]) < 0);
    filter.always = false;
    assert_true(flush(file) >= 0);
    hid_t copy = open_copy();
    for (int k = 0; k < KINDS; k++)
        check(copy, names[k], k, 1);
    H5Fclose(copy);
    filter.always = true;
    /* All is on file, so nothing is tried. */
    for (int k = 0; k < KINDS; k++)
        if (k != FAILING)
            assert_true(H5Dclose(d[k]) >= 0);
    assert_true(H5Fclose(file) >= 0);
}

/* A chunk that was on file before stays what it was, the others of its dataset are new. */
static void test_one_chunk(void **state)
{
    int versions[N];
    hid_t d[KINDS], file = make_all(d);
    (void)state;
    assert_true(flush(file) >= 0);
    for (int k = 0; k < KINDS; k++)
        assert_true(write_values(d[k], k, 2) >= 0);
    filter.marker = value_of(FAILING, 2, 2 * CHUNK);
    assert_true(flush(file) < 0);
    assert_told("'/failing'");
    hid_t copy = open_copy();
    check_good(copy, 2);
    check(copy, "failing sparse", FAILING_SPARSE, 2);
    hid_t c = H5Dopen2(copy, "failing", H5P_DEFAULT);
    read_versions(c, FAILING, versions);
    for (int i = 0; i < N; i++)
        assert_int_equal(versions[i], i / CHUNK == 2 ? 1 : 2);
    H5Dclose(c);
    H5Fclose(copy);
    filter.marker = 0;
    for (int k = 0; k < KINDS; k++)
        assert_true(H5Dclose(d[k]) >= 0);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    check(file, "failing", FAILING, 2);
    H5Fclose(file);
}

/* Each flush gets some of them to the file. */
static void test_every_kth(void **state)
{
    (void)state;
    for (int k = 2; k < 6; k++) {
        hid_t d[KINDS], file = make_all(d);
        int flushes = 0;
        filter.every = k;
        filter.calls = 0;
        while (flush(file) < 0)
            assert_true(++flushes < 20);
        assert_true(flushes > 0);
        hid_t copy = open_copy();
        for (int i = 0; i < KINDS; i++)
            check(copy, names[i], i, 1);
        H5Fclose(copy);
        for (int i = 0; i < KINDS; i++)
            assert_true(H5Dclose(d[i]) >= 0);
        assert_true(H5Fclose(file) >= 0);
        filter.every = 0;
    }
}

static void test_deleted(void **state)
{
    (void)state;
    for (int open = 0; open < 2; open++) {
        hid_t d[KINDS], file = make_all(d);
        filter.always = true;
        assert_true(flush(file) < 0);
        for (int k = FAILING; k < KINDS; k++) {
            if (!open)
                assert_true(H5Dclose(d[k]) < 0);
            assert_true(H5Ldelete(file, names[k], H5P_DEFAULT) >= 0);
        }
        assert_true(flush(file) >= 0);
        for (int k = 0; k < (open ? KINDS : GOOD); k++)
            assert_true(H5Dclose(d[k]) >= 0);
        assert_true(flush(file) >= 0);
        H5F_chunk_cache_stats_t stats;
        assert_true(H5Fget_chunk_cache_stats(file, &stats) >= 0);
        assert_int_equal(stats.dirty_chunks, 0);
        assert_true(H5Fclose(file) >= 0);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
        check_good(file, 1);
        assert_int_equal(H5Lexists(file, "failing", H5P_DEFAULT), 0);
        H5Fclose(file);
        filter.always = false;
    }
}

/* Elements that are outside of a smaller extent are not wanted any more, nor those that were overwritten as they are
 * stored. */
static void test_chunk_goes(void **state)
{
    hsize_t n = 2 * CHUNK, first = CHUNK;
    int stored[CHUNK];
    (void)state;
    hid_t file = create_file(true), d = create(file, "failing", FAILING);
    assert_true(write_values(d, FAILING, 1) >= 0);
    filter.always = true;
    assert_true(flush(file) < 0);
    assert_true(H5Dset_extent(d, &n) >= 0);
    assert_true(flush(file) < 0);
    for (int i = 0; i < CHUNK; i++)
        stored[i] = value_of(FAILING, 2, CHUNK + i);
    assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, &first, sizeof stored, stored) >= 0);
    assert_true(flush(file) < 0);
    filter.always = false;
    filter.marker = value_of(FAILING, 2, CHUNK);
    assert_true(H5Dclose(d) >= 0);
    assert_true(H5Fclose(file) >= 0);
}

/* Other handles keep the dataset open; more references keep the id. */
static void test_last_close(void **state)
{
    (void)state;
    hid_t file = create_file(false), d = create(file, "failing", FAILING), again;
    assert_true(write_values(d, FAILING, 1) >= 0);
    filter.always = true;
    again = H5Dopen2(file, "failing", H5P_DEFAULT);
    assert_true(H5Dclose(d) >= 0);
    assert_int_equal(H5Iinc_ref(again), 2);
    assert_true(H5Dclose(again) >= 0);
    assert_true(H5Dclose(again) < 0);
    assert_told("'/failing'");
    /* Opened again it is as it was, and closing it tells again. */
    int versions[N];
    d = H5Dopen2(file, "failing", H5P_DEFAULT);
    read_versions(d, FAILING, versions);
    assert_int_equal(versions[N - 1], 1);
    assert_true(H5Dclose(d) < 0);
    filter.always = false;
    assert_true(H5Fclose(file) >= 0);
}

/* Objects that are open keep the file open. */
static void test_close_orders(void **state)
{
    (void)state;
    for (int order = 0; order < 3; order++) {
        hid_t d[KINDS], file = make_all(d);
        filter.always = true;
        if (order == 0)
            assert_true(H5Fclose(file) < 0);
        for (int k = 0; k < KINDS; k++)
            assert_int_equal(H5Dclose(d[k]), k >= FAILING ? -1 : 0);
        if (order == 1)
            assert_true(H5Fclose(file) < 0);
        filter.always = false;
        if (order == 2)
            assert_true(H5Fclose(file) >= 0);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        check_good(file, 1);
        check(file, "failing", FAILING, order == 2);
        assert_true(H5Fclose(file) >= 0);
    }
}

static void test_swmr(void **state)
{
    int versions[N];
    (void)state;
    hid_t file = create_file(true), d = create(file, "failing", FAILING), plain = create(file, "plain", PLAIN);
    assert_true(write_values(d, FAILING, 1) >= 0);
    assert_true(write_values(plain, PLAIN, 1) >= 0);
    filter.always = true;
    /* Not all of it can be shown to readers: it does not start, and what can be written is. */
    assert_true(H5Fstart_swmr_write(file) < 0);
    hid_t copy = open_copy();
    check(copy, "plain", PLAIN, 1);
    H5Fclose(copy);
    filter.always = false;
    assert_true(H5Fstart_swmr_write(file) >= 0);
    assert_true(write_values(d, FAILING, 2) >= 0);
    assert_true(write_values(plain, PLAIN, 2) >= 0);
    filter.marker = value_of(FAILING, 2, 0);
    assert_true(H5Dflush(plain) < 0);
    assert_int_equal(system("cp " FILE_NAME " " COPY_NAME), 0);
    copy = H5Fopen(COPY_NAME, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    check(copy, "plain", PLAIN, 2);
    hid_t c = H5Dopen2(copy, "failing", H5P_DEFAULT);
    read_versions(c, FAILING, versions);
    for (int i = 0; i < N; i++)
        assert_int_equal(versions[i], i < CHUNK ? 1 : 2);
    H5Dclose(c);
    H5Fclose(copy);
    filter.marker = 0;
    assert_true(H5Dclose(plain) >= 0);
    assert_true(H5Dclose(d) >= 0);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    check(file, "failing", FAILING, 2);
    H5Fclose(file);
}

/* Room is needed while a dataset cannot be written. */
#define LARGE 4000
#define PART 1000
#define BUDGET (64 << 10)

static hid_t create_large(hid_t file, const char *name, bool fails)
{
    hsize_t dims[2] = {LARGE / PART * 16, PART}, chunk[2] = {1, PART};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
    H5Pset_chunk(dcpl, 2, chunk);
    if (fails)
        H5Pset_filter(dcpl, FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    else
        H5Pset_fletcher32(dcpl);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return d;
}

/* Half a row, so that it goes through the cache. */
static herr_t move_row(hid_t d, hsize_t row, int *buf, bool write)
{
    hsize_t start[2] = {row, 0}, count[2] = {1, PART / 2}, n = PART / 2;
    hid_t space = H5Dget_space(d), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    herr_t status = write ? H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf)
                          : H5Dread(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf);
    if (status < 0)
        assert_told("'/bad'");
    H5Sclose(space);
    H5Sclose(mem);
    return status;
}

static void fill_row(int *buf, int value)
{
    for (int i = 0; i < PART; i++)
        buf[i] = value * 1000 + i;
}

static void check_row(hid_t d, hsize_t row, int value)
{
    int buf[PART], expected[PART];
    fill_row(expected, value);
    assert_true(move_row(d, row, buf, false) >= 0);
    assert_memory_equal(buf, expected, PART / 2 * sizeof *buf);
}

static void test_pressure(void **state)
{
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION, .budget = BUDGET, .w0 = 0.75};
    H5F_chunk_cache_stats_t stats;
    int buf[PART];
    hsize_t rows = LARGE / PART * 16, written = 0;
    (void)state;
    hid_t file = create_file(false);
    assert_true(H5Fset_shared_chunk_cache(file, &settings) >= 0);
    hid_t bad = create_large(file, "bad", true), good = create_large(file, "good", false);
    filter.always = true;
    for (; written < rows; written++) {
        fill_row(buf, (int)written);
        if (move_row(bad, written, buf, true) < 0)
            break;
        assert_true(move_row(good, written, buf, true) >= 0);
    }
    /* Before memory is full of it, the dataset takes no more. */
    assert_in_range(written, 17, rows - 1);
    assert_true(H5Fget_chunk_cache_stats(file, &stats) >= 0);
    assert_true(stats.peak_footprint <= 2 * BUDGET + 8 * PART * sizeof(int));
    /* What it has stays, and others do not notice. */
    for (hsize_t i = 0; i < written; i++) {
        check_row(bad, i, (int)i);
        check_row(good, i, (int)i);
    }
    for (hsize_t i = 0; i < rows; i++) {
        fill_row(buf, 500 + (int)i);
        assert_true(move_row(good, i, buf, true) >= 0);
    }
    assert_true(H5Freset_chunk_cache_stats(file) >= 0);
    check_row(good, 3, 503);
    check_row(good, 3, 503);
    assert_true(H5Fget_chunk_cache_stats(file, &stats) >= 0);
    assert_true(stats.hits > 0);
    assert_true(flush(file) < 0);
    filter.always = false;
    for (; written < rows; written++) {
        fill_row(buf, (int)written);
        assert_true(move_row(bad, written, buf, true) >= 0);
    }
    assert_true(H5Dclose(bad) >= 0);
    assert_true(H5Dclose(good) >= 0);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    bad = H5Dopen2(file, "bad", H5P_DEFAULT);
    good = H5Dopen2(file, "good", H5P_DEFAULT);
    for (hsize_t i = 0; i < rows; i++) {
        check_row(bad, i, (int)i);
        check_row(good, i, 500 + (int)i);
    }
    H5Dclose(bad);
    H5Dclose(good);
    H5Fclose(file);
}

/* A filter that uses the file for which it is called. */
static struct {
    hid_t file, own, other;
    int called;
} inner;

static void inner_flush(void)
{
    inner.called++;
    assert_true(H5Fflush(inner.file, H5F_SCOPE_GLOBAL) < 0);
    assert_true(H5Dflush(inner.other) < 0);
}

static void inner_use(void)
{
    int buf[N];
    hsize_t n = N;
    inner.called++;
    assert_true(H5Dread(inner.own, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) < 0);
    assert_told("'/failing'");
    assert_true(write_values(inner.own, FAILING, 7) < 0);
    assert_true(write_values(inner.other, PLAIN, 7) < 0);
    assert_true(H5Dset_extent(inner.own, &n) < 0);
    assert_int_equal(H5Dget_storage_size(inner.own), 0);
}

static void inner_close(void)
{
    inner.called++;
    assert_true(H5Ldelete(inner.file, "failing", H5P_DEFAULT) >= 0);
    assert_true(H5Dclose(inner.own) >= 0);
    inner.own = H5I_INVALID_HID;
}

static void inner_elsewhere(void)
{
    inner.called++;
    hid_t file = H5Fcreate(COPY_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), d = create(file, "failing", FAILING);
    assert_true(write_values(d, FAILING, 3) >= 0);
    assert_true(flush(file) >= 0);
    check(file, "failing", FAILING, 3);
    assert_true(H5Dclose(d) >= 0);
    assert_true(H5Fclose(file) >= 0);
}

static void inner_open(void)
{
    inner.called++;
    (void)H5Fclose(H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT));
}

static void begin_inner(void)
{
    inner.called = 0;
    inner.file = create_file(false);
    inner.own = create(inner.file, "failing", FAILING);
    inner.other = create(inner.file, "plain", PLAIN);
    assert_true(write_values(inner.own, FAILING, 1) >= 0);
    assert_true(write_values(inner.other, PLAIN, 1) >= 0);
}

static void end_inner(bool failing_is_there)
{
    if (inner.own >= 0)
        assert_true(H5Dclose(inner.own) >= 0);
    assert_true(H5Dclose(inner.other) >= 0);
    assert_true(H5Fclose(inner.file) >= 0);
    assert_int_equal(inner.called, 1);
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    check(file, "plain", PLAIN, 1);
    if (failing_is_there)
        check(file, "failing", FAILING, 1);
    H5Fclose(file);
}

static void test_inside(void **state)
{
    void (*const callbacks[])(void) = {inner_flush, inner_use, inner_elsewhere, inner_open};
    (void)state;
    /* Who waits for himself does so for ever. */
    alarm(60);
    for (size_t i = 0; i < 4; i++) {
        begin_inner();
        filter.callback = callbacks[i];
        assert_true(flush(inner.file) >= 0);
        end_inner(true);
        /* The same when reading. */
        inner.file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
        inner.own = H5Dopen2(inner.file, "failing", H5P_DEFAULT);
        inner.other = H5Dopen2(inner.file, "plain", H5P_DEFAULT);
        inner.called = 0;
        filter.callback = callbacks[i];
        check(inner.file, "failing", FAILING, 1);
        end_inner(true);
    }
    begin_inner();
    filter.callback = inner_close;
    assert_true(flush(inner.file) >= 0);
    end_inner(false);
    /* While the file closes. */
    begin_inner();
    assert_true(H5Fclose(inner.file) >= 0);
    assert_true(write_values(inner.own, FAILING, 1) >= 0);
    inner.file = H5Iget_file_id(inner.own);
    filter.callback = inner_open;
    end_inner(true);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_healed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_chunk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_kth, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deleted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chunk_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_last_close, setup, teardown),
        cmocka_unit_test_setup_teardown(test_close_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_swmr, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pressure, setup, teardown),
        cmocka_unit_test_setup_teardown(test_inside, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
