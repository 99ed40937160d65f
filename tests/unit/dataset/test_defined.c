/* Defined elements and erasing, as the dataset asks the cache for them. The layout is that of dense chunks, taught to take
 * odd values for defined ones and even values for undefined ones. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "dataset/dataset.h"
#include "dataset/layouts.h"
#include "hdf5.h"
#include "id/id.h"

#define FILE_NAME "dataset_defined.h5"

enum { N = 40, CHUNK = 10 };

static struct ts_sc_layout_ops ops;

static int lookup(void *owner, struct ts_sc_spot *spots, size_t n)
{
    if (ts_layout_chunked.lookup(owner, spots, n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        spots[i].at.defined_size = spots[i].at.size;
    return 0;
}

/* One run after the other. */
static int each_run(const struct ts_sc_move *m, int (*fn)(hsize_t src, hsize_t mem, hsize_t n, void *ctx), void *ctx)
{
    for (size_t i = 0; i < m->n; i++)
        for (hsize_t k = 0; k < m->pieces[i].count; k++)
            if (fn(m->pieces[i].src + k * m->pieces[i].src_step, m->pieces[i].mem + k * m->pieces[i].mem_step,
                   m->pieces[i].n, ctx) < 0)
                return -1;
    return 0;
}

struct search {
    int *values;
    ts_sc_runs_fn *fn;
    void *ctx;
};

static int tell_odd(hsize_t src, hsize_t mem, hsize_t n, void *ctx)
{
    const struct search *s = ctx;
    for (hsize_t i = 0; i < n; i++) {
        struct ts_run one = {.offset = mem + i, .length = 1};
        if (s->values[src + i] % 2 && s->fn(&one, 1, s->ctx) < 0)
            return -1;
    }
    return 0;
}

static int defined_values(void *owner, const struct ts_sc_move *m, const struct ts_sc_data *d, ts_sc_runs_fn *fn, void *ctx)
{
    struct search s = {d->chunk, fn, ctx};
    (void)owner;
    return each_run(m, tell_odd, &s);
}

static int clear(hsize_t src, hsize_t mem, hsize_t n, void *ctx)
{
    (void)mem;
    memset((int *)ctx + src, 0, (size_t)n * sizeof(int));
    return 0;
}

static int erase_values(void *owner, const struct ts_sc_move *m, struct ts_sc_data *d, bool *delete_chunk)
{
    (void)owner;
    *delete_chunk = true;
    each_run(m, clear, d->chunk);
    for (int i = 0; i < CHUNK; i++)
        *delete_chunk &= ((int *)d->chunk)[i] % 2 == 0;
    return 0;
}

static hid_t open_file(unsigned flags)
{
    hid_t file = flags & H5F_ACC_TRUNC ? H5Fcreate(FILE_NAME, flags, H5P_DEFAULT, H5P_DEFAULT)
                                       : H5Fopen(FILE_NAME, flags, H5P_DEFAULT);
    assert_true(file > 0);
    return file;
}

/* From now on the dataset is sparse. */
static hid_t make_sparse(hid_t dset)
{
    struct ts_dataset *d = ts_id_pin(dset, H5I_DATASET);
    assert_non_null(d);
    ops = ts_layout_chunked;
    ops.lookup = lookup;
    ops.selection_read = NULL;
    ops.selection_write = NULL;
    ops.defined_values = defined_values;
    ops.erase_values = erase_values;
    d->core->sc.ops = &ops;
    ts_id_unpin(H5I_DATASET, d);
    return dset;
}

static hid_t create(hid_t file)
{
    const hsize_t n = N, chunk = CHUNK, most = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &n, &most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(H5Pset_chunk(dcpl, 1, &chunk), 0);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset > 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return make_sparse(dset);
}

static hid_t slab(hsize_t extent, hsize_t start, hsize_t n)
{
    hid_t space = H5Screate_simple(1, &extent, NULL);
    assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &n, NULL), 0);
    return space;
}

static void write_part(hid_t dset, hsize_t start, hsize_t n, const int *values)
{
    hid_t file_space = slab(N, start, n), mem = H5Screate_simple(1, &n, NULL);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, mem, file_space, H5P_DEFAULT, values), 0);
    H5Sclose(mem);
    H5Sclose(file_space);
}

/* The defined elements of a selection are those of the string: '1' for each, from element 0 on. */
static void expect(hid_t dset, hid_t select, const char *want)
{
    hid_t space = H5Dget_defined(dset, select, H5P_DEFAULT);
    assert_true(space > 0);
    bool got[N] = {false};
    hssize_t n = H5Sget_select_npoints(space);
    if (n > 0) {
        hssize_t blocks = H5Sget_select_hyper_nblocks(space);
        assert_in_range(blocks, 1, N);
        hsize_t list[2 * N];
        assert_int_equal(H5Sget_select_hyper_blocklist(space, 0, (hsize_t)blocks, list), 0);
        for (hssize_t b = 0; b < blocks; b++)
            for (hsize_t i = list[2 * b]; i <= list[2 * b + 1]; i++)
                got[i] = true;
    }
    for (int i = 0; i < N; i++) {
        bool wanted = (size_t)i < strlen(want) && want[i] == '1';
        assert_int_equal(got[i], wanted);
        n -= wanted;
    }
    assert_int_equal(n, 0);
    H5Sclose(space);
}

static void defined_and_erased(void **state)
{
    (void)state;
    hid_t file = open_file(H5F_ACC_TRUNC), dset = create(file);
    const int a[5] = {1, 2, 3, 5, 7}, b[2] = {9, 9};
    hsize_t chunks;
    expect(dset, H5S_ALL, "");
    assert_int_equal(H5Derase(dset, H5S_ALL, H5P_DEFAULT), 0);
    write_part(dset, 2, 5, a);
    write_part(dset, 30, 2, b);
    expect(dset, H5S_ALL, "0010111000"
                          "0000000000"
                          "0000000000"
                          "1100000000");
    hid_t part = slab(N, 3, 28);
    expect(dset, part, "0000111000"
                       "0000000000"
                       "0000000000"
                       "1000000000");
    assert_int_equal(H5Dflush(dset), 0);
    assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &chunks), 0);
    assert_int_equal(chunks, 2);
    hid_t gone = slab(N, 5, 26);
    assert_int_equal(H5Derase(dset, gone, H5P_DEFAULT), 0);
    expect(dset, H5S_ALL, "0010100000"
                          "0000000000"
                          "0000000000"
                          "0100000000");
    /* Nothing is left of the last chunk then. */
    H5Sclose(gone);
    gone = slab(N, 31, 1);
    assert_int_equal(H5Derase(dset, gone, H5P_DEFAULT), 0);
    expect(dset, H5S_ALL, "0010100000");
    assert_int_equal(H5Dflush(dset), 0);
    assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &chunks), 0);
    assert_int_equal(chunks, 1);
    assert_int_equal(H5Derase(dset, H5S_ALL, H5P_DEFAULT), 0);
    expect(dset, H5S_ALL, "");
    H5Sclose(gone);
    H5Sclose(part);
    H5Dclose(dset);
    H5Fclose(file);
}

static void other_extents(void **state)
{
    (void)state;
    hid_t file = open_file(H5F_ACC_TRUNC), dset = create(file);
    const int a[3] = {1, 1, 1};
    const hsize_t square[2] = {4, 10};
    write_part(dset, 8, 3, a);
    /* A selection made for another extent counts in that of the dataset, if it fits. */
    hid_t larger = slab(100, 9, 20), outside = slab(100, 9, 32), flat = H5Screate_simple(2, square, NULL);
    expect(dset, larger, "00000000011");
    assert_true(H5Dget_defined(dset, outside, H5P_DEFAULT) < 0);
    assert_true(H5Dget_defined(dset, flat, H5P_DEFAULT) < 0);
    assert_true(H5Derase(dset, outside, H5P_DEFAULT) < 0);
    assert_true(H5Derase(dset, flat, H5P_DEFAULT) < 0);
    expect(dset, H5S_ALL, "00000000111");
    assert_int_equal(H5Derase(dset, larger, H5P_DEFAULT), 0);
    expect(dset, H5S_ALL, "000000001");
    H5Sclose(flat);
    H5Sclose(outside);
    H5Sclose(larger);
    H5Dclose(dset);
    H5Fclose(file);
}

static void read_only_file(void **state)
{
    (void)state;
    hid_t file = open_file(H5F_ACC_TRUNC), dset = create(file);
    const int a[3] = {1, 2, 3};
    write_part(dset, 0, 3, a);
    H5Dclose(dset);
    H5Fclose(file);
    file = open_file(H5F_ACC_RDONLY);
    dset = make_sparse(H5Dopen2(file, "d", H5P_DEFAULT));
    expect(dset, H5S_ALL, "101");
    assert_true(H5Derase(dset, H5S_ALL, H5P_DEFAULT) < 0);
    expect(dset, H5S_ALL, "101");
    H5Dclose(dset);
    H5Fclose(file);
    unlink(FILE_NAME);
}

static int quiet(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defined_and_erased),
        cmocka_unit_test(other_extents),
        cmocka_unit_test(read_only_file),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
