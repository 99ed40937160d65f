/* Space in the file of a SWMR writer: what its readers may still look at is given to nobody, and not cut off. */
#include "unit/cmocka_all.h"

#include <sys/stat.h>

#include "file/alloc.h"
#include "file/commit.h"
#include "hdf5.h"
#include "unit/file/file_util.h"

enum { SIZE = 1000 };

static const char *path;

static struct ts_file *make(void)
{
    struct ts_plist *fapl;
    H5F_libver_t low = H5F_LIBVER_V110;
    path = scratch("swmr_space");
    assert_int_equal(ts_plist_copy(ts_plist_default(TS_PLIST_FILE_ACCESS), &fapl), 0);
    assert_int_equal(ts_fapl_set_libver_low(fapl, low), 0);
    struct ts_file *f = create(path, fapl);
    ts_plist_unref(fapl);
    assert_non_null(f);
    assert_int_equal(commit_nothing(f), 0);
    return f;
}

static haddr_t get(struct ts_file *f)
{
    haddr_t addr;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_change_end(f, ts_file_alloc(f, H5FD_MEM_DRAW, SIZE, &addr)), 0);
    return addr;
}

static void give(struct ts_file *f, haddr_t addr)
{
    assert_int_equal(ts_change_begin(f), 0);
    ts_file_free(f, H5FD_MEM_DRAW, addr, SIZE);
    assert_int_equal(ts_change_end(f, 0), 0);
}

static off_t size_on_disk(void)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void a_plain_writer_uses_it_again(void **state)
{
    (void)state;
    struct ts_file *f = make();
    haddr_t a = get(f), b = get(f);
    assert_int_equal(commit_nothing(f), 0);
    give(f, a);
    assert_int_equal(commit_nothing(f), 0);
    assert_int_equal(get(f), a);
    give(f, b);
    assert_int_equal(commit_nothing(f), 0);
    assert_int_equal(size_on_disk(), b);
    ts_file_unref(f);
}

static void a_swmr_writer_does_not(void **state)
{
    (void)state;
    struct ts_file *f = make();
    haddr_t before = get(f), a = get(f), b = get(f);
    assert_int_equal(commit_nothing(f), 0);
    give(f, before);
    assert_int_equal(ts_file_start_swmr(f), 0);
    /* Nobody reads what was free before the start. */
    assert_int_equal(get(f), before);
    give(f, a);
    assert_int_equal(commit_nothing(f), 0);
    haddr_t c = get(f);
    assert_true(c >= b + SIZE);
    /* Nor what was never on file. */
    give(f, c);
    assert_int_equal(get(f), c);
    assert_int_equal(commit_nothing(f), 0);
    give(f, c);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(commit_nothing(f), 0);
        assert_int_equal(size_on_disk(), c + SIZE);
    }
    haddr_t d = get(f);
    assert_int_equal(d, c + SIZE);
    assert_int_equal(commit_nothing(f), 0);
    give(f, d);
    ts_file_unref(f);
    /* Readers may be there longer than the writer. */
    assert_int_equal(size_on_disk(), d + SIZE);
}

/* What is free is known to be free, for a file that remembers it. */
static void it_is_listed(void **state)
{
    (void)state;
    struct ts_free_piece *list;
    size_t n;
    struct ts_file *f = make();
    haddr_t a = get(f);
    (void)get(f);
    assert_int_equal(ts_file_start_swmr(f), 0);
    give(f, a);
    assert_int_equal(commit_nothing(f), 0);
    assert_int_equal(ts_alloc_list(f, &list, &n), 0);
    bool listed = false;
    for (size_t i = 0; i < n; i++)
        listed |= list[i].addr == a && list[i].size == SIZE;
    assert_true(listed);
    free(list);
    ts_file_unref(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_writer_uses_it_again),
        cmocka_unit_test(a_swmr_writer_does_not),
        cmocka_unit_test(it_is_listed),
    };
    H5open();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
