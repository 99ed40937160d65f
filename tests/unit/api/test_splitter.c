/* The splitter driver when its second file cannot be written: stock libhdf5 does not survive that. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#include "H5FDsplitter.h"
#include "hdf5.h"

static hid_t splitting(const char *copy, const char *log, bool ignore)
{
    static H5FD_splitter_vfd_config_t c;
    c = (H5FD_splitter_vfd_config_t){.magic = H5FD_SPLITTER_MAGIC, .version = H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION,
                                     .rw_fapl_id = H5P_DEFAULT, .wo_fapl_id = H5P_DEFAULT, .ignore_wo_errs = ignore};
    strcpy(c.wo_path, copy);
    strcpy(c.log_file_path, log);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_fapl_splitter(fapl, &c), 0);
    return fapl;
}

static void errors_of_the_copy_may_be_ignored(void **state)
{
    (void)state;
    char line[100] = "";
    hid_t fapl = splitting("no/such/folder/copy.h5", "splitter.log", true);
    hid_t file = H5Fcreate("splitter.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file > 0);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    assert_int_equal(H5Fclose(file), 0);
    H5Pclose(fapl);
    FILE *log = fopen("splitter.log", "r");
    assert_non_null(log);
    assert_non_null(fgets(line, sizeof line, log));
    assert_string_equal(line, "unable to open W/O file\n");
    fclose(log);
    file = H5Fopen("splitter.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(H5Lexists(file, "group", H5P_DEFAULT), 1);
    H5Fclose(file);
    unlink("splitter.log");
    unlink("splitter.h5");
}

/* Nothing can be written there, but it opens. */
static void errors_of_the_copy_are_errors(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    hid_t fapl = splitting("/dev/full", "", false), file = -1;
    H5E_BEGIN_TRY
    {
        file = H5Fcreate("splitter.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        assert_true(file < 0 || H5Fflush(file, H5F_SCOPE_GLOBAL) < 0);
        H5Fclose(file);
    }
    H5E_END_TRY
    H5Pclose(fapl);
    unlink("splitter.h5");
}

static void lists_know_what_was_set(void **state)
{
    (void)state;
    hid_t one = splitting("a", "b", true), same = splitting("a", "b", true), other = splitting("a", "c", true);
    assert_true(H5Pequal(one, same) > 0);
    assert_true(H5Pequal(one, other) == 0);
    hid_t family = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_family(family, 1000, H5P_DEFAULT);
    H5FD_splitter_vfd_config_t *c = calloc(1, sizeof *c);
    c->magic = H5FD_SPLITTER_MAGIC;
    c->version = H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION;
    c->rw_fapl_id = family;
    H5E_BEGIN_TRY
    {
        assert_true(H5Pset_fapl_splitter(one, c) < 0);
        c->rw_fapl_id = H5P_DEFAULT;
        memset(c->wo_path, 'x', sizeof c->wo_path);
        assert_true(H5Pset_fapl_splitter(one, c) < 0);
        c->version = 9;
        assert_true(H5Pset_fapl_splitter(one, c) < 0);
    }
    H5E_END_TRY
    free(c);
    hid_t lists[] = {one, same, other, family};
    for (int i = 0; i < 4; i++)
        H5Pclose(lists[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_of_the_copy_may_be_ignored),
                                       cmocka_unit_test(errors_of_the_copy_are_errors),
                                       cmocka_unit_test(lists_know_what_was_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
