/* Levels of durability: who sets them, which drivers have them, and how often each flush waits for the disk. What the waiting
 * is good for is the matter of tests/power. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#include "base/error.h"
#include "driver/driver.h"
#include "hdf5.h"
#include "support/folder.h"
#include "support/recorder.h"
#include "support/wrap.h"

enum { N = 1000 };

static hid_t access_list(H5F_durability_t level)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_durability(fapl, level) >= 0);
    return fapl;
}

static H5F_durability_t level_of(hid_t fapl)
{
    H5F_durability_t level = (H5F_durability_t)77;
    assert_true(H5Pget_durability(fapl, &level) >= 0);
    return level;
}

static H5F_durability_t level_of_file(hid_t file)
{
    hid_t fapl = H5Fget_access_plist(file);
    H5F_durability_t level = level_of(fapl);
    assert_true(H5Pclose(fapl) >= 0);
    return level;
}

static hid_t make_file(const char *path, hid_t fapl)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    return file;
}

static hid_t make_dataset(hid_t file, const char *name)
{
    hsize_t n = N;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(d >= 0);
    assert_true(H5Sclose(space) >= 0);
    return d;
}

/* More metadata than fits into one sector. */
static void make_datasets(hid_t file)
{
    for (int k = 0; k < 10; k++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", k);
        assert_true(H5Dclose(make_dataset(file, name)) >= 0);
    }
}

static herr_t fill(hid_t d, int value)
{
    int values[N];
    for (int i = 0; i < N; i++)
        values[i] = value;
    return H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

static int first_value(const char *path, const char *name)
{
    int values[N];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
    return values[0];
}

static herr_t find_text(unsigned n, const H5E_error2_t *record, void *ctx)
{
    const char **words = ctx;
    (void)n;
    if (record->desc && strstr(record->desc, *words))
        *words = "";
    return 0;
}

static void assert_said(const char *words)
{
    const char *left = words;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_text, &left);
    assert_string_equal(left, "");
}

static void lists_keep_the_level(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    size_t size = 0;
    assert_int_equal(level_of(fapl), H5F_DURABILITY_DEFAULT);
    for (int level = H5F_DURABILITY_DEFAULT; level <= H5F_DURABILITY_FLUSH; level++) {
        assert_true(H5Pset_durability(fapl, (H5F_durability_t)level) >= 0);
        assert_int_equal(level_of(fapl), level);
        hid_t copy = H5Pcopy(fapl);
        assert_int_equal(level_of(copy), level);
        assert_true(H5Pclose(copy) >= 0);
        assert_true(H5Pencode2(fapl, NULL, &size, H5P_DEFAULT) >= 0);
        void *bytes = malloc(size);
        assert_true(H5Pencode2(fapl, bytes, &size, H5P_DEFAULT) >= 0);
        hid_t decoded = H5Pdecode(bytes);
        assert_int_equal(level_of(decoded), level);
        assert_true(H5Pclose(decoded) >= 0);
        free(bytes);
    }
    assert_true(H5Pset_durability(fapl, (H5F_durability_t)4) < 0);
    assert_said("no durability level 4");
    assert_true(H5Pset_durability(fapl, (H5F_durability_t)-1) < 0);
    assert_int_equal(level_of(fapl), H5F_DURABILITY_FLUSH);
    assert_true(H5Pclose(fapl) >= 0);
}

static void the_environment_speaks_for_lists_that_do_not(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        H5F_durability_t level;
    } cases[] = {{"process", H5F_DURABILITY_PROCESS}, {"ordered", H5F_DURABILITY_ORDERED},
                 {"flush", H5F_DURABILITY_FLUSH},     {"", H5F_DURABILITY_PROCESS}};
    char path[FOLDER_PATH];
    folder_file(path, "environment.h5");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("TESSERA_DURABILITY", cases[i].value, 1);
        hid_t file = make_file(path, H5P_DEFAULT);
        assert_int_equal(level_of_file(file), cases[i].level);
        assert_true(H5Fclose(file) >= 0);
        hid_t fapl = access_list(H5F_DURABILITY_ORDERED);
        file = H5Fopen(path, H5F_ACC_RDWR, fapl);
        assert_int_equal(level_of_file(file), H5F_DURABILITY_ORDERED);
        assert_true(H5Fclose(file) >= 0 && H5Pclose(fapl) >= 0);
    }
    setenv("TESSERA_DURABILITY", "Flush", 1);
    assert_true(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT) < 0);
    assert_said("TESSERA_DURABILITY is 'Flush'");
    unsetenv("TESSERA_DURABILITY");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_int_equal(level_of_file(file), H5F_DURABILITY_PROCESS);
    assert_true(H5Fclose(file) >= 0);
}

/* Whoever opens a file again gets what it asked for, or more. */
static void opening_again_raises_the_level(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    hid_t fapl = access_list(H5F_DURABILITY_FLUSH), low = access_list(H5F_DURABILITY_PROCESS);
    hid_t file = make_file(folder_file(path, "again.h5"), low);
    assert_int_equal(level_of_file(file), H5F_DURABILITY_PROCESS);
    hid_t again = H5Fopen(path, H5F_ACC_RDWR, fapl);
    assert_int_equal(level_of_file(file), H5F_DURABILITY_FLUSH);
    hid_t third = H5Fopen(path, H5F_ACC_RDWR, low);
    assert_int_equal(level_of_file(third), H5F_DURABILITY_FLUSH);
    assert_true(H5Fclose(third) >= 0 && H5Fclose(again) >= 0 && H5Fclose(file) >= 0);
    assert_true(H5Pclose(fapl) >= 0 && H5Pclose(low) >= 0);
}

static hid_t try_driver(const char *path, H5F_durability_t level, int kind, unsigned flags)
{
    hid_t fapl = access_list(level);
    if (kind == 0)
        assert_true(H5Pset_fapl_split(fapl, "-m", H5P_DEFAULT, "-r", H5P_DEFAULT) >= 0);
    else
        assert_true(H5Pset_fapl_core(fapl, 4096, kind == 2) >= 0);
    hid_t file = flags & H5F_ACC_TRUNC ? H5Fcreate(path, flags, H5P_DEFAULT, fapl) : H5Fopen(path, flags, fapl);
    hid_t stack = H5Eget_current_stack();
    assert_true(H5Pclose(fapl) >= 0);
    assert_true(H5Eset_current_stack(stack) >= 0);
    return file;
}

static void drivers_say_what_they_cannot(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    folder_file(path, "split");
    for (int level = H5F_DURABILITY_ORDERED; level <= H5F_DURABILITY_FLUSH; level++) {
        assert_true(try_driver(path, (H5F_durability_t)level, 0, H5F_ACC_TRUNC) < 0);
        assert_said("driver 'multi' cannot give durability level");
    }
    hid_t file = try_driver(path, H5F_DURABILITY_PROCESS, 0, H5F_ACC_TRUNC);
    assert_true(H5Fclose(file) >= 0);
    file = try_driver(path, H5F_DURABILITY_FLUSH, 0, H5F_ACC_RDONLY);
    assert_true(file >= 0 && H5Fclose(file) >= 0);
    folder_file(path, "core.h5");
    assert_true(try_driver(path, H5F_DURABILITY_ORDERED, 2, H5F_ACC_TRUNC) < 0);
    assert_said("it has no journal");
    file = try_driver(path, H5F_DURABILITY_ORDERED, 1, H5F_ACC_TRUNC);
    assert_true(file >= 0 && H5Fclose(file) >= 0);
    for (int kind = 1; kind <= 2; kind++) {
        file = try_driver(path, H5F_DURABILITY_FLUSH, kind, H5F_ACC_TRUNC);
        hid_t d = make_dataset(file, "d");
        assert_true(fill(d, 5) >= 0 && H5Dclose(d) >= 0 && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
        assert_true(H5Fclose(file) >= 0);
    }
    assert_int_equal(first_value(path, "d"), 5);
}

static bool stored(const char *path, int value)
{
    static uint8_t bytes[1 << 16];
    int pair[2] = {value, value};
    FILE *in = fopen(path, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    return memmem(bytes, n, pair, sizeof pair) != NULL;
}

/* Elements that are written over and nothing else: no metadata asks for a commit. */
static void files_in_memory_bring_elements_to_their_store(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    hid_t file = try_driver(folder_file(path, "store.h5"), H5F_DURABILITY_PROCESS, 2, H5F_ACC_TRUNC);
    hid_t d = make_dataset(file, "d");
    assert_true(fill(d, 1) >= 0 && H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
    for (int value = 2; value <= 3; value++) {
        file = try_driver(path, H5F_DURABILITY_PROCESS, 2, H5F_ACC_RDWR);
        d = H5Dopen2(file, "d", H5P_DEFAULT);
        assert_true(fill(d, value) >= 0 && H5Dclose(d) >= 0);
        if (value == 3)
            assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && stored(path, value));
        assert_true(H5Fclose(file) >= 0);
        assert_int_equal(first_value(path, "d"), value);
    }
}

static unsigned syncs;

static int count_sync(struct ts_driver *d)
{
    syncs++;
    return ts_driver_sync(((struct wrap *)d)->inner);
}

static struct ts_driver *wrap_counter(struct ts_driver *inner, unsigned flags)
{
    struct wrap *w = wrap_new(inner);
    (void)flags;
    w->writing.sync = count_sync;
    return &w->base;
}

static unsigned syncs_of_flush(hid_t file)
{
    syncs = 0;
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    return syncs;
}

static void each_flush_waits_as_often_as_it_must(void **state)
{
    (void)state;
    static const struct {
        H5F_durability_t level;
        unsigned journal, raw, closing;
    } cases[] = {{H5F_DURABILITY_PROCESS, 0, 0, 0}, {H5F_DURABILITY_ORDERED, 3, 0, 4}, {H5F_DURABILITY_FLUSH, 3, 1, 4}};
    char path[FOLDER_PATH];
    wrap_add(NULL, wrap_counter);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t fapl = access_list(cases[i].level), file = make_file(folder_file(path, "count.h5"), fapl);
        hid_t d = make_dataset(file, "d");
        assert_true(fill(d, 1) >= 0);
        assert_int_equal(syncs_of_flush(file), cases[i].journal);
        assert_int_equal(syncs_of_flush(file), 0);
        assert_true(fill(d, 2) >= 0);
        assert_int_equal(syncs_of_flush(file), cases[i].raw);
        assert_int_equal(syncs_of_flush(file), 0);
        make_datasets(file);
        assert_int_equal(syncs_of_flush(file), cases[i].journal);
        assert_int_equal(syncs_of_flush(file), 0);
        assert_true(H5Dclose(make_dataset(file, "last")) >= 0 && H5Dclose(d) >= 0);
        syncs = 0;
        assert_true(H5Fclose(file) >= 0 && H5Pclose(fapl) >= 0);
        assert_int_equal(syncs, cases[i].closing);
        assert_int_equal(first_value(path, "d"), 2);
    }
    wrap_remove(wrap_counter);
}

static unsigned fail_at;

static int fail_sync(struct ts_driver *d)
{
    if (++syncs == fail_at)
        return TS_ERR(IO, CANTFLUSH, "unable to bring it to the disk, " TS_ERRNO, TS_ERRNO_OF(EIO));
    return ts_driver_sync(((struct wrap *)d)->inner);
}

static struct ts_driver *wrap_failing(struct ts_driver *inner, unsigned flags)
{
    struct wrap *w = wrap_new(inner);
    (void)flags;
    w->writing.sync = fail_sync;
    return &w->base;
}

/* The system may have forgotten what it could not write: that the next call succeeds says nothing. */
static void a_disk_that_fails_ends_the_changes(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    hid_t fapl = access_list(H5F_DURABILITY_FLUSH);
    for (unsigned at = 1; at <= 3; at++) {
        hid_t file = make_file(folder_file(path, "fails.h5"), fapl), d = make_dataset(file, "d");
        assert_true(fill(d, 1) >= 0 && H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
        wrap_add(NULL, wrap_failing);
        file = H5Fopen(path, H5F_ACC_RDWR, fapl);
        make_datasets(file);
        d = make_dataset(file, "more");
        assert_true(fill(d, 2) >= 0);
        syncs = 0;
        fail_at = at;
        assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) < 0);
        assert_said("errno = 5");
        assert_int_equal(syncs, at);
        assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) < 0);
        assert_true(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) < 0);
        assert_int_equal(syncs, at);
        H5Dclose(d);
        assert_true(H5Fclose(file) < 0);
        wrap_remove(wrap_failing);
        assert_int_equal(first_value(path, "d"), 1);
    }
    assert_true(H5Pclose(fapl) >= 0);
}

static void sync_once(const char *name)
{
    static const struct ts_driver_config sec2 = {.kind = TS_DRIVER_SEC2};
    struct ts_driver *d;
    assert_int_equal(ts_driver_open(name, TS_OPEN_WRITE | TS_OPEN_CREATE, &sec2, &d), 0);
    assert_int_equal(ts_driver_write(d, 0, 3, "abc"), 0);
    assert_int_equal(ts_driver_sync(d), 0);
    assert_int_equal(ts_driver_sync(d), 0);
    ts_driver_close(d);
}

/* Named from the root, from here, through a link; and in a folder that is gone: what can be synced then is everything. */
static void new_files_find_their_folder(void **state)
{
    (void)state;
    char path[FOLDER_PATH], link[FOLDER_PATH], here[4096];
    assert_non_null(getcwd(here, sizeof here));
    sync_once(folder_file(path, "named"));
    assert_int_equal(symlink(path, folder_file(link, "link")), 0);
    sync_once(link);
    folder_file(path, "sub");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chdir(path), 0);
    sync_once("here");
    static const struct ts_driver_config sec2 = {.kind = TS_DRIVER_SEC2};
    struct ts_driver *d;
    assert_int_equal(ts_driver_open("gone", TS_OPEN_WRITE | TS_OPEN_CREATE, &sec2, &d), 0);
    assert_int_equal(remove("gone") | remove("here"), 0);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(ts_driver_sync(d), 0);
    ts_driver_close(d);
}

/* Names go to the disk one by one too: what is left of a member behind one that was lost is none of the family's. A journal
 * is found at the end. */
static void members_behind_a_lost_one_are_made_anew(void **state)
{
    (void)state;
    const struct ts_driver_config family = {.kind = TS_DRIVER_FAMILY, .family.member_size = 4096};
    char pattern[FOLDER_PATH], path[FOLDER_PATH], bytes[3000] = "junk";
    struct ts_driver *d;
    haddr_t eof;
    FILE *out = fopen(folder_file(path, "member2"), "wb");
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, out), sizeof bytes);
    fclose(out);
    folder_file(pattern, "member%d");
    assert_int_equal(ts_driver_open(pattern, TS_OPEN_WRITE | TS_OPEN_CREATE, &family, &d), 0);
    assert_int_equal(ts_driver_write(d, 0, 3, "abc"), 0);
    assert_int_equal(ts_driver_write(d, 8192 + 10, 3, "def"), 0);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, 8192 + 13);
    assert_int_equal(ts_driver_read(d, 8192, 13, bytes), 0);
    assert_memory_equal(bytes, "\0\0\0\0\0\0\0\0\0\0def", 13);
    ts_driver_close(d);
}

/* Their lengths do as well: the first is cut off in the middle, and the second was not. */
static void members_that_are_too_short_are_zeros(void **state)
{
    (void)state;
    const struct ts_driver_config family = {.kind = TS_DRIVER_FAMILY, .family.member_size = 4096};
    char pattern[FOLDER_PATH], path[FOLDER_PATH], bytes[4196];
    struct ts_driver *d;
    memset(bytes, 'x', sizeof bytes);
    folder_file(pattern, "short%d");
    assert_int_equal(ts_driver_open(pattern, TS_OPEN_WRITE | TS_OPEN_CREATE, &family, &d), 0);
    assert_int_equal(ts_driver_write(d, 0, sizeof bytes, bytes), 0);
    ts_driver_close(d);
    assert_int_equal(truncate(folder_file(path, "short0"), 4000), 0);
    assert_int_equal(ts_driver_open(pattern, 0, &family, &d), 0);
    assert_int_equal(ts_driver_read(d, 0, sizeof bytes, bytes), 0);
    assert_true(bytes[3999] == 'x' && bytes[4000] == 0 && bytes[4095] == 0 && bytes[4096] == 'x' && bytes[4195] == 'x');
    assert_true(ts_driver_read(d, 4096, 101, bytes) < 0);
    ts_driver_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_keep_the_level),
        cmocka_unit_test(the_environment_speaks_for_lists_that_do_not),
        cmocka_unit_test(opening_again_raises_the_level),
        cmocka_unit_test(drivers_say_what_they_cannot),
        cmocka_unit_test(files_in_memory_bring_elements_to_their_store),
        cmocka_unit_test(each_flush_waits_as_often_as_it_must),
        cmocka_unit_test(a_disk_that_fails_ends_the_changes),
        cmocka_unit_test(new_files_find_their_folder),
        cmocka_unit_test(members_behind_a_lost_one_are_made_anew),
        cmocka_unit_test(members_that_are_too_short_are_zeros),
    };
    unsetenv("TESSERA_DURABILITY");
    if (!folder_make() || H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !folder_remove() || failed;
}
