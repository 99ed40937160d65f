/* A process that is forked reads what its parent has open, and does nothing to the file: not by writing, not by closing it, not
 * by its end. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "hdf5.h"
#include "support/folder.h"

/* Rows of 4 KiB: what is flushed, what the parent has written besides, and what it writes after the child has ended. */
enum { WIDTH = 1024, FLUSHED = 1000, WAITING = 40, LATER = 20, MEMBER = 1 << 20 };

enum kind { SEC2, LATEST, FAMILY, CORE, SWMR };

struct image {
    size_t size;
    char *bytes;
};

static hid_t fapl_of(enum kind kind)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (kind == LATEST || kind == SWMR)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    if (kind == FAMILY)
        H5Pset_fapl_family(fapl, MEMBER, H5P_DEFAULT);
    if (kind == CORE)
        H5Pset_fapl_core(fapl, 1 << 16, 1);
    return fapl;
}

static const char *name_of(enum kind kind, char out[FOLDER_PATH])
{
    return folder_file(out, kind == FAMILY ? "forked-%d.h5" : "forked.h5");
}

/* All members, one behind the other. */
static struct image image_of(enum kind kind)
{
    char pattern[FOLDER_PATH], name[FOLDER_PATH + 16];
    struct image all = {0};
    name_of(kind, pattern);
    for (int i = 0; i < (kind == FAMILY ? 8 : 1); i++) {
        struct stat st;
        if (kind == FAMILY)
            folder_file(pattern, "forked-");
        snprintf(name, sizeof name, kind == FAMILY ? "%s%d.h5" : "%s", pattern, i);
        FILE *in = fopen(name, "rb");
        if (!in)
            break;
        assert_int_equal(fstat(fileno(in), &st), 0);
        all.bytes = realloc(all.bytes, all.size + (size_t)st.st_size + 1);
        assert_non_null(all.bytes);
        assert_int_equal(fread(all.bytes + all.size, 1, (size_t)st.st_size, in), st.st_size);
        all.size += (size_t)st.st_size;
        fclose(in);
    }
    return all;
}

static herr_t append(hid_t d, int from, int n)
{
    static int row[WIDTH];
    herr_t status = 0;
    for (int i = from; i < from + n && status >= 0; i++) {
        hsize_t dims[2] = {(hsize_t)i + 1, WIDTH}, start[2] = {(hsize_t)i, 0}, count[2] = {1, WIDTH};
        for (int k = 0; k < WIDTH; k++)
            row[k] = i * WIDTH + k;
        if (H5Dset_extent(d, dims) < 0)
            return -1;
        hid_t space = H5Dget_space(d), mem = H5Screate_simple(2, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        status = H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, row);
        H5Sclose(mem);
        H5Sclose(space);
    }
    return status;
}

static hid_t make(enum kind kind, hid_t *d)
{
    char name[FOLDER_PATH];
    hsize_t dims[2] = {0, WIDTH}, most[2] = {H5S_UNLIMITED, WIDTH}, chunk[2] = {16, WIDTH};
    hid_t fapl = fapl_of(kind), f = H5Fcreate(name_of(kind, name), H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_deflate(dcpl, 1);
    *d = H5Dcreate2(f, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(f >= 0 && *d >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Pclose(fapl);
    if (kind == SWMR)
        assert_true(H5Fstart_swmr_write(f) >= 0);
    return f;
}

static bool rows_are_right(hid_t d, int n)
{
    hid_t space = H5Dget_space(d);
    bool right = H5Sget_simple_extent_npoints(space) == (hssize_t)n * WIDTH;
    int *all = malloc((size_t)n * WIDTH * sizeof *all);
    right = right && all && H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    for (int i = 0; right && i < n * WIDTH; i++)
        right = all[i] == i;
    free(all);
    H5Sclose(space);
    return right;
}

/* Says so, where someone looks. */
static bool refused(herr_t status)
{
    bool said = false;
    const struct ts_err_stack *errors = ts_err_current();
    for (unsigned i = 0; i < errors->depth; i++)
        said = said || strstr(errors->rec[i].text, "forked");
    return status < 0 && said;
}

/* The number of what is wrong. */
static int child_uses(hid_t f, hid_t d)
{
    int value = 7;
    hsize_t dims[2] = {3, WIDTH};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!rows_are_right(d, FLUSHED + WAITING))
        return 1;
    hid_t all = H5Dget_space(d), mem = H5Screate(H5S_SCALAR);
    hsize_t start[2] = {1, 1}, count[2] = {1, 1};
    H5Sselect_hyperslab(all, H5S_SELECT_SET, start, NULL, count, NULL);
    if (!refused(H5Dwrite(d, H5T_NATIVE_INT, mem, all, H5P_DEFAULT, &value)))
        return 2;
    if (!refused(H5Dset_extent(d, dims)))
        return 3;
    if (!refused((herr_t)H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)))
        return 4;
    if (!refused(H5Fflush(f, H5F_SCOPE_GLOBAL)))
        return 5;
    if (!refused(H5Ldelete(f, "rows", H5P_DEFAULT)))
        return 6;
    H5Sclose(mem);
    H5Sclose(all);
    return rows_are_right(d, FLUSHED + WAITING) ? 0 : 7;
}

static int child_closes(hid_t f, hid_t d)
{
    return H5Dclose(d) < 0 ? 1 : H5Fclose(f) < 0 ? 2 : 0;
}

static int child_ends(hid_t f, hid_t d)
{
    (void)f, (void)d;
    return 0;
}

static bool is_child;

/* The sanitizer's search for leaks cannot know threads that a fork left behind. */
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
    return is_child;
}

static enum kind now;

/* The parent has the lock, before and after others were here. */
static int child_opens(hid_t f, hid_t d)
{
    (void)f, (void)d;
    char name[FOLDER_PATH];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = fapl_of(now);
    int plain = H5Fopen(name_of(now, name), H5F_ACC_RDWR, fapl) < 0 ? 0 : 1;
    int swmr = now != SWMR || H5Fopen(name, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, fapl) < 0 ? 0 : 2;
    H5Pclose(fapl);
    return plain + swmr;
}

static void in_child(int (*fn)(hid_t, hid_t), hid_t f, hid_t d)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    is_child = pid == 0;
    if (is_child)
        exit(fn(f, d));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void each_leaves_it(hid_t f, hid_t d)
{
    static int (*const uses[])(hid_t, hid_t) = {child_ends, child_uses, child_closes, child_opens};
    struct image before = image_of(now);
    assert_true(before.size > 100000);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        in_child(uses[i], f, d);
        struct image after = image_of(now);
        assert_int_equal(after.size, before.size);
        assert_memory_equal(after.bytes, before.bytes, before.size);
        free(after.bytes);
    }
    free(before.bytes);
}

static void test_kind(void **state)
{
    char name[FOLDER_PATH];
    hid_t d;
    now = *(const enum kind *)*state;
    hid_t f = make(now, &d);
    assert_true(append(d, 0, FLUSHED) >= 0 && H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    assert_true(append(d, FLUSHED, WAITING) >= 0);
    each_leaves_it(f, d);
    assert_true(append(d, FLUSHED + WAITING, LATER) >= 0);
    assert_true(H5Dclose(d) >= 0 && H5Fclose(f) >= 0);
    hid_t fapl = fapl_of(now);
    f = H5Fopen(name_of(now, name), H5F_ACC_RDWR, fapl);
    d = H5Dopen2(f, "rows", H5P_DEFAULT);
    assert_true(rows_are_right(d, FLUSHED + WAITING + LATER));
    assert_true(H5Dclose(d) >= 0 && H5Fclose(f) >= 0);
    H5Pclose(fapl);
}

/* Memory is the child's own. */
static int changes_memory(hid_t f, hid_t d)
{
    return append(d, FLUSHED, 1) < 0 ? 1 : H5Fflush(f, H5F_SCOPE_GLOBAL) < 0 ? 2 : 0;
}

static void test_memory(void **unused)
{
    (void)unused;
    hid_t d, fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1 << 16, 0);
    hid_t f = H5Fcreate("only in memory", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hsize_t dims[2] = {0, WIDTH}, most[2] = {H5S_UNLIMITED, WIDTH}, chunk[2] = {16, WIDTH};
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    d = H5Dcreate2(f, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(append(d, 0, FLUSHED) >= 0);
    in_child(changes_memory, f, d);
    assert_true(rows_are_right(d, FLUSHED));
    assert_true(H5Dclose(d) >= 0 && H5Sclose(space) >= 0 && H5Pclose(dcpl) >= 0 && H5Fclose(f) >= 0 && H5Pclose(fapl) >= 0);
}

static int start(void **unused)
{
    (void)unused;
    return folder_make() ? 0 : -1;
}

static int stop(void **unused)
{
    (void)unused;
    return folder_remove() ? 0 : -1;
}

int main(void)
{
    static const enum kind kinds[] = {SEC2, LATEST, FAMILY, CORE, SWMR};
    const struct CMUnitTest tests[] = {
        {"sec2", test_kind, NULL, NULL, (void *)(uintptr_t)&kinds[0]}, {"latest", test_kind, NULL, NULL, (void *)(uintptr_t)&kinds[1]},
        {"family", test_kind, NULL, NULL, (void *)(uintptr_t)&kinds[2]}, {"core", test_kind, NULL, NULL, (void *)(uintptr_t)&kinds[3]},
        {"swmr", test_kind, NULL, NULL, (void *)(uintptr_t)&kinds[4]}, cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, start, stop);
}
