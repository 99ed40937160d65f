/* What H5Dget_defined gives of a whole dataset, and what it is good for afterwards: reading all that is defined, also
 * when the dataset has changed meanwhile, writing and erasing. Against an array of all elements. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "hdf5.h"

#define FILE_NAME "dataset_defined_sets.h5"

enum { MOST = 4096, FILL = -9, UNDEFINED = INT32_MIN };

static uint64_t seed = 1;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* Values by place in the extent, UNDEFINED where there is none. */
struct model {
    unsigned rank;
    hsize_t dims[4], chunk[4], n;
    int32_t values[MOST];
};

struct trial {
    struct model m;
    hid_t file, dset;
    bool uncached; /* changes are in the file at once, and chunks are read anew each time */
};

static hid_t access_list(const struct trial *t)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    if (t->uncached)
        assert_int_equal(H5Pset_chunk_cache(dapl, 0, 0, 0), 0);
    return dapl;
}

static hsize_t product(unsigned rank, const hsize_t *dims)
{
    hsize_t n = 1;
    for (unsigned d = 0; d < rank; d++)
        n *= dims[d];
    return n;
}

static void coordinates(const struct model *m, hsize_t at, hsize_t *c)
{
    for (unsigned d = m->rank; d-- > 0; at /= m->dims[d])
        c[d] = at % m->dims[d];
}

static void random_model(struct model *m)
{
    static const unsigned widest[] = {400, 40, 12, 7};
    m->rank = 1 + random_below(4);
    for (unsigned d = 0; d < m->rank; d++) {
        m->dims[d] = 1 + random_below(widest[m->rank - 1]);
        m->chunk[d] = random_below(3) ? 1 + random_below((unsigned)m->dims[d] + 2) : m->dims[d];
    }
    m->n = product(m->rank, m->dims);
    for (hsize_t i = 0; i < m->n; i++)
        m->values[i] = UNDEFINED;
}

static void begin(struct trial *t)
{
    hsize_t most[4] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    int fill = FILL;
    random_model(&t->m);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple((int)t->m.rank, t->m.dims, most);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, (int)t->m.rank, t->m.chunk), 0);
    assert_int_equal(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill), 0);
    if (random_below(2))
        assert_int_equal(H5Pset_selection_packing(dcpl), 0);
    if (random_below(2))
        assert_int_equal(H5Pset_deflate(dcpl, 1), 0);
    t->uncached = random_below(2);
    hid_t dapl = access_list(t);
    t->file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    t->dset = H5Dcreate2(t->file, "d", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, dapl);
    assert_true(t->dset > 0);
    H5Pclose(dcpl);
    H5Pclose(dapl);
    H5Sclose(space);
}

static void end(struct trial *t)
{
    assert_int_equal(H5Dclose(t->dset), 0);
    assert_int_equal(H5Fclose(t->file), 0);
    assert_int_equal(unlink(FILE_NAME), 0);
}

/* In the file, and not in the cache. */
static void reopen(struct trial *t)
{
    assert_int_equal(H5Dclose(t->dset), 0);
    assert_int_equal(H5Fclose(t->file), 0);
    t->file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dapl = access_list(t);
    t->dset = H5Dopen2(t->file, "d", dapl);
    assert_true(t->dset > 0);
    H5Pclose(dapl);
}

/* Random points, some of them in rows, get values or become undefined. */
static void change_points(struct trial *t, bool erase)
{
    struct model *m = &t->m;
    hsize_t coords[4 * 300], n = 0;
    int32_t values[300];
    bool chosen[MOST] = {false};
    unsigned wanted = 1 + random_below(random_below(2) ? 300 : 10);
    for (hsize_t at = random_below((unsigned)m->n); n < wanted; at = random_below(3) ? at + 1 : random_below((unsigned)m->n)) {
        if (at >= m->n || chosen[at]) {
            wanted--;
            at = random_below((unsigned)m->n);
            continue;
        }
        chosen[at] = true;
        coordinates(m, at, coords + n * m->rank);
        values[n] = (int32_t)random_below(1000);
        m->values[at] = erase ? UNDEFINED : values[n];
        n++;
    }
    if (n == 0)
        return;
    hid_t space = H5Dget_space(t->dset), mem = H5Screate_simple(1, &n, NULL);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, (size_t)n, coords), 0);
    if (erase)
        assert_int_equal(H5Derase(t->dset, space, H5P_DEFAULT), 0);
    else
        assert_int_equal(H5Dwrite(t->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values), 0);
    H5Sclose(mem);
    H5Sclose(space);
}

static void change_extent(struct trial *t)
{
    struct model *m = &t->m, old = *m;
    hsize_t c[4];
    for (unsigned d = 0; d < m->rank; d++)
        if (random_below(2) || d == 0)
            m->dims[d] = m->dims[d] - m->dims[d] / 4 + random_below((unsigned)m->dims[d] / 2 + 1);
    if (product(m->rank, m->dims) > MOST)
        memcpy(m->dims, old.dims, sizeof old.dims);
    m->n = product(m->rank, m->dims);
    for (hsize_t i = 0; i < m->n; i++)
        m->values[i] = UNDEFINED;
    for (hsize_t i = 0; i < old.n; i++) {
        hsize_t to = 0;
        bool inside = true;
        coordinates(&old, i, c);
        for (unsigned d = 0; d < m->rank; d++) {
            inside = inside && c[d] < m->dims[d];
            to = to * m->dims[d] + c[d];
        }
        if (inside)
            m->values[to] = old.values[i];
    }
    assert_int_equal(H5Dset_extent(t->dset, m->dims), 0);
}

/* Places of the selection in its order; these are numbers in the extent `of`. */
static size_t places_of(hid_t space, hsize_t *places)
{
    hsize_t off[64];
    size_t len[64], runs, bytes, n = 0;
    hid_t iter = H5Ssel_iter_create(space, 1, 0);
    assert_true(iter > 0);
    do {
        assert_int_equal(H5Ssel_iter_get_seq_list(iter, 64, SIZE_MAX, &runs, &bytes, off, len), 0);
        for (size_t i = 0; i < runs; i++)
            for (size_t k = 0; k < len[i]; k++)
                places[n++] = off[i] + k;
    } while (runs > 0);
    H5Ssel_iter_close(iter);
    return n;
}

/* A space with all that is defined selects that and nothing else. */
static hid_t get_defined(const struct trial *t)
{
    hsize_t places[MOST];
    size_t k = 0;
    hid_t space = H5Dget_defined(t->dset, H5S_ALL, H5P_DEFAULT);
    assert_true(space > 0);
    size_t n = places_of(space, places);
    for (hsize_t i = 0; i < t->m.n; i++)
        if (t->m.values[i] != UNDEFINED) {
            assert_true(k < n);
            assert_int_equal(places[k++], i);
        }
    assert_int_equal(k, n);
    assert_int_equal(H5Sget_select_npoints(space), n);
    return space;
}

/* Reads what was defined when the dataset was as `then`: what is not there any more is the fill value. */
static void check_read(const struct trial *t, hid_t space, const struct model *then)
{
    hsize_t n = (hsize_t)H5Sget_select_npoints(space), gap = random_below(3), size = n + 2 * gap, c[4];
    int64_t *got = calloc(size + 1, sizeof *got);
    bool wide = random_below(2), valid = H5Sselect_valid(space) > 0;
    hid_t mem = H5Screate_simple(1, &size, NULL), now = H5Dget_space(t->dset);
    size_t k = (size_t)gap;
    if (size == 0 || n == 0)
        assert_int_equal(H5Sselect_none(mem), 0);
    else
        assert_int_equal(H5Sselect_hyperslab(mem, H5S_SELECT_SET, &gap, NULL, &n, NULL), 0);
    for (hsize_t i = 0; i < then->n; i++) {
        coordinates(then, i, c);
        for (unsigned d = 0; d < then->rank; d++)
            valid = valid && (then->values[i] == UNDEFINED || c[d] < t->m.dims[d]);
    }
    H5E_BEGIN_TRY {
        assert_int_equal(H5Dread(t->dset, wide ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32, mem, space, H5P_DEFAULT, got) == 0,
                         valid);
    } H5E_END_TRY
    for (hsize_t i = 0; valid && i < then->n; i++) {
        hsize_t at = 0;
        if (then->values[i] == UNDEFINED)
            continue;
        coordinates(then, i, c);
        for (unsigned d = 0; d < then->rank; d++)
            at = at * t->m.dims[d] + c[d];
        int64_t value = wide ? got[k] : ((int32_t *)got)[k], want = t->m.values[at];
        assert_int_equal(value, want == UNDEFINED ? FILL : want);
        k++;
    }
    H5Sclose(mem);
    H5Sclose(now);
    free(got);
}

/* Writing to what is defined, and erasing it. */
static void use_for_changes(struct trial *t)
{
    hid_t space = get_defined(t);
    hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    hid_t mem = H5Screate_simple(1, &n, NULL);
    int32_t *values = calloc(n + 1, sizeof *values);
    size_t k = 0;
    for (hsize_t i = 0; i < t->m.n; i++)
        if (t->m.values[i] != UNDEFINED)
            t->m.values[i] = values[k++] = (int32_t)random_below(5000);
    assert_int_equal(H5Dwrite(t->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values), 0);
    H5Sclose(get_defined(t));
    check_read(t, space, &t->m);
    free(values);
    if (random_below(3) == 0) {
        assert_int_equal(H5Derase(t->dset, space, H5P_DEFAULT), 0);
        for (hsize_t i = 0; i < t->m.n; i++)
            t->m.values[i] = UNDEFINED;
        H5Sclose(get_defined(t));
    }
    H5Sclose(mem);
    H5Sclose(space);
}

static void old_spaces(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        struct trial t;
        begin(&t);
        for (int k = 0; k < 3; k++)
            change_points(&t, false);
        if (i % 3)
            reopen(&t);
        hid_t space = get_defined(&t);
        struct model then = t.m;
        check_read(&t, space, &then);
        for (int k = 0; k < 4; k++) {
            switch (random_below(4)) {
            case 0:
                change_points(&t, true);
                break;
            case 1:
                change_extent(&t);
                break;
            case 2:
                reopen(&t);
                break;
            default:
                change_points(&t, false);
            }
            check_read(&t, space, &then);
        }
        H5Sclose(get_defined(&t));
        H5Sclose(space);
        use_for_changes(&t);
        end(&t);
    }
}

/* Chunks of more elements than a part of a set has, few or most of them defined. */
static void large_chunks(void **state)
{
    enum { SIDE = 700, ALL = SIDE * SIDE };
    static int32_t all[ALL], got[ALL];
    static hsize_t coords[2 * ALL], places[ALL];
    static const hsize_t chunks[][2] = {{SIDE, SIDE}, {300, SIDE}, {SIDE, 300}, {400, 350}, {1, SIDE}};
    static const unsigned often[] = {2, 7, 300};
    (void)state;
    for (size_t i = 0; i < 3 * sizeof chunks / sizeof *chunks; i++) {
        const hsize_t dims[2] = {SIDE, SIDE}, *chunk = chunks[i / 3];
        hsize_t n = 0;
        for (hsize_t at = 0; at < ALL; at++)
            if (random_below(often[i % 3]) == 0) {
                coords[2 * n] = at / SIDE;
                coords[2 * n + 1] = at % SIDE;
                all[n++] = (int32_t)random_below(1000000);
            }
        hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
        hid_t space = H5Screate_simple(2, dims, NULL), mem = H5Screate_simple(1, &n, NULL);
        assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, chunk), 0);
        assert_int_equal(H5Pset_selection_packing(dcpl), 0);
        hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, (size_t)n, coords), 0);
        assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, all), 0);
        H5Dclose(dset);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        hid_t defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
        assert_int_equal(places_of(defined, places), n);
        for (hsize_t k = 0; k < n; k++)
            assert_int_equal(places[k], coords[2 * k] * SIDE + coords[2 * k + 1]);
        assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, mem, defined, H5P_DEFAULT, got), 0);
        assert_memory_equal(got, all, n * sizeof *got);
        assert_int_equal(H5Sselect_shape_same(defined, defined), 1);
        H5Sclose(defined), H5Dclose(dset), H5Pclose(dcpl), H5Sclose(space), H5Sclose(mem), H5Fclose(file);
    }
    unlink(FILE_NAME);
}

/* A chunk from points in some order, with its values in that order, as an application may store it. */
static herr_t write_handmade(hid_t dset, const hsize_t *chunk, const hsize_t *offset, const hsize_t *points, size_t n,
                             const int32_t *values)
{
    size_t sizes[2] = {0, n * sizeof *values};
    hid_t space = H5Screate_simple(2, chunk, NULL);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, n, points), 0);
    assert_int_equal(H5Sencode2(space, NULL, &sizes[0], H5P_DEFAULT), 0);
    uint8_t *selection = malloc(sizes[0] + 4);
    assert_int_equal(H5Sencode2(space, selection, &sizes[0], H5P_DEFAULT), 0);
    uint32_t sum = ts_checksum(selection, sizes[0]);
    for (unsigned i = 0; i < 4; i++)
        selection[sizes[0]++] = (uint8_t)(sum >> 8 * i);
    void *sections[2] = {selection, (void *)(uintptr_t)values};
    H5D_struct_chunk_info_t info = {.type = H5D_STRUCT_CHUNK, .num_sections = 2, .section_size = sizes};
    herr_t status;
    H5E_BEGIN_TRY {
        status = H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, sections);
    } H5E_END_TRY
    free(selection);
    H5Sclose(space);
    return status;
}

static void check_handmade(hid_t dset, size_t n, const hsize_t *want_places, const int32_t *want)
{
    hsize_t places[8], count = n;
    int32_t got[8];
    hid_t defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT), mem = H5Screate_simple(1, &count, NULL);
    assert_int_equal(places_of(defined, places), n);
    assert_memory_equal(places, want_places, n * sizeof *places);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, mem, defined, H5P_DEFAULT, got), 0);
    assert_memory_equal(got, want, n * sizeof *got);
    H5Sclose(defined);
    H5Sclose(mem);
}

/* Values in the order of points that do not ascend; those outside of the extent cannot be stored. */
static void handmade_chunks(void **state)
{
    static const hsize_t dims[2] = {6, 7}, chunk[2] = {4, 5}, first[2] = {0, 0}, corner[2] = {4, 5};
    static const hsize_t points[] = {3, 3, 0, 1, 1, 2}, inside[] = {1, 1, 0, 0};
    static const int32_t values[] = {33, 1, 12};
    (void)state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, dims, NULL);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, chunk), 0);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(write_handmade(dset, chunk, first, points, 3, values), 0);
    check_handmade(dset, 3, (hsize_t[]){1, 9, 24}, (int32_t[]){1, 12, 33});
    assert_int_equal(write_handmade(dset, chunk, corner, points, 3, values), -1);
    assert_int_equal(write_handmade(dset, chunk, corner, inside, 2, values), 0);
    check_handmade(dset, 5, (hsize_t[]){1, 9, 24, 33, 41}, (int32_t[]){1, 12, 33, 1, 33});
    H5Dclose(dset), H5Pclose(dcpl), H5Sclose(space), H5Fclose(file);
    unlink(FILE_NAME);
}

/* Whatever allocation fails, the next try gets it right. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct trial t;
        begin(&t);
        change_points(&t, false);
        change_points(&t, false);
        reopen(&t);
        int32_t got[MOST];
        unsigned long at = 0;
        for (bool failed = true; failed;) {
            (void)ts_alloc_fail_at(++at, TS_FAULT_ONCE);
            H5E_BEGIN_TRY {
                hid_t space = H5Dget_defined(t.dset, H5S_ALL, H5P_DEFAULT);
                hsize_t n = space > 0 ? (hsize_t)H5Sget_select_npoints(space) : 0;
                hid_t mem = space > 0 ? H5Screate_simple(1, &n, NULL) : -1;
                failed = mem < 0 || H5Dread(t.dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, got) < 0;
                (void)ts_alloc_fail_at(0, TS_FAULT_ONCE);
                if (mem > 0)
                    H5Sclose(mem);
                if (space > 0)
                    H5Sclose(space);
            } H5E_END_TRY
            if (at % 8 == 0)
                reopen(&t);
        }
        hid_t space = get_defined(&t);
        check_read(&t, space, &t.m);
        H5Sclose(space);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_spaces),
        cmocka_unit_test(large_chunks),
        cmocka_unit_test(handmade_chunks),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
