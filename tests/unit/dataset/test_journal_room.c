/* Journals are not cut off: that of a SWMR writer is wiped, that of others stays, dead. Its room is used again, by other
 * journals and by data, and goes when the file is closed. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <sys/stat.h>

#include "file/mutation.h"
#include "hdf5.h"

enum { CHUNKS = 40, LENGTH = 4096 };

static const char path[] = "dataset_journal_room.h5";
static bool swmr;
static hid_t file, dset;

static void begin(void)
{
    hsize_t dims[] = {0}, max[] = {H5S_UNLIMITED}, chunk[] = {LENGTH};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, dims, max);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(dcpl, 1, chunk);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(!swmr || H5Fstart_swmr_write(file) >= 0);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
}

/* One element in the middle of each chunk, and a flush. */
static void add_chunk(int i)
{
    hsize_t extent[] = {(hsize_t)(i + 1) * LENGTH}, at[] = {(hsize_t)i * LENGTH + LENGTH / 2}, one[] = {1};
    int value = i + 1;
    assert_true(H5Dset_extent(dset, extent) >= 0);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
    assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
}

static void end(void)
{
    H5Dclose(dset);
    assert_true(H5Fclose(file) >= 0);
}

static int wrong_values(void)
{
    static int in[CHUNKS * LENGTH];
    int wrong = 0;
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_true(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, in) >= 0);
    for (int i = 0; i < CHUNKS * LENGTH; i++)
        wrong += in[i] != (i % LENGTH == LENGTH / 2 ? i / LENGTH + 1 : 0);
    end();
    return wrong;
}

static long long size_on_disk(void)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (long long)st.st_size;
}

static void write_all(void)
{
    begin();
    for (int i = 0; i < CHUNKS; i++)
        add_chunk(i);
    end();
}

static int swmr_writer(void **state)
{
    (void)state;
    swmr = true;
    return 0;
}

static int plain_writer(void **state)
{
    (void)state;
    swmr = false;
    return 0;
}

static void new_chunks_lie_where_journals_were(void **state)
{
    (void)state;
    write_all();
    assert_int_equal(wrong_values(), 0);
#ifdef TS_MUTATIONS
    ts_mutations = swmr ? TS_MUTATION_NO_WIPE : TS_MUTATION_ALWAYS_BLANK;
    write_all();
    ts_mutations = 0;
    assert_int_not_equal(wrong_values(), 0);
#endif
    remove(path);
}

static void flushes_of_old_space_use_one_place(void **state)
{
    (void)state;
    begin();
    add_chunk(0);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(dset, "n", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    long long size = 0;
    for (int i = 0; i < 20; i++) {
        assert_true(H5Awrite(attr, H5T_NATIVE_INT, &i) >= 0);
        assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
        if (i == 1)
            size = size_on_disk();
    }
    assert_int_equal(size_on_disk(), size);
    H5Aclose(attr);
    H5Sclose(space);
    end();
    remove(path);
}

static void a_closed_file_ends_where_its_space_does(void **state)
{
    (void)state;
    begin();
    add_chunk(0);
    hsize_t allocated;
    assert_true(H5Fget_eoa(file, &allocated) >= 0);
    assert_true(size_on_disk() > (long long)allocated);
    end();
    assert_int_equal(size_on_disk(), allocated);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(new_chunks_lie_where_journals_were, swmr_writer),
        cmocka_unit_test_setup(flushes_of_old_space_use_one_place, swmr_writer),
        cmocka_unit_test_setup(a_closed_file_ends_where_its_space_does, swmr_writer),
        cmocka_unit_test_setup(new_chunks_lie_where_journals_were, plain_writer),
        cmocka_unit_test_setup(flushes_of_old_space_use_one_place, plain_writer),
        cmocka_unit_test_setup(a_closed_file_ends_where_its_space_does, plain_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
