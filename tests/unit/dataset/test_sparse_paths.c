/* The four ways of a sparse dataset's elements, as the statistics of the cache tell them: writing and reading by way of
 * the cache, and both past it. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "dataset_sparse_paths.h5"

/* Every other element is defined. */
enum { CHUNK = 1024, CHUNKS = 4, ALL = CHUNK * CHUNKS, SOME = ALL / 2, FILL = -7 };

typedef H5F_chunk_cache_stats_t stats_t;

enum filters { PLAIN, ON_SELECTION, ON_VALUES };

/* Why the cache does not keep a chunk. */
enum way { CACHED, UNCACHED_DATASET, NO_BUDGET, TOO_SMALL, WAYS };

struct trial {
    hid_t file, dset;
};

static hid_t some(hsize_t start, hsize_t stride)
{
    hsize_t all = ALL, count = (ALL - start + stride - 1) / stride;
    hid_t space = H5Screate_simple(1, &all, NULL);
    assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, NULL), 0);
    return space;
}

static struct trial begin(enum way way)
{
    struct trial s;
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dapl = H5Pcreate(H5P_DATASET_ACCESS);
    assert_int_equal(H5Pget_shared_chunk_cache(fapl, &settings), 0);
    settings.encode_ahead = SIZE_MAX;
    settings.read_ahead = 0;
    if (way == NO_BUDGET || way == TOO_SMALL) {
        settings.budget = way == TOO_SMALL ? 500 : 0;
        settings.reserve = 0;
    }
    assert_int_equal(H5Pset_shared_chunk_cache(fapl, &settings), 0);
    if (way == UNCACHED_DATASET)
        assert_int_equal(H5Pset_chunk_cache(dapl, 0, 0, 0), 0);
    s.file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, fapl);
    assert_true(s.file > 0);
    s.dset = H5Dopen2(s.file, "d", dapl);
    assert_true(s.dset > 0);
    H5Pclose(fapl);
    H5Pclose(dapl);
    return s;
}

static void end(struct trial *s)
{
    assert_int_equal(H5Dclose(s->dset), 0);
    assert_int_equal(H5Fclose(s->file), 0);
}

static stats_t stats(const struct trial *s)
{
    stats_t now;
    assert_int_equal(H5Fget_chunk_cache_stats(s->file, &now), 0);
    assert_int_equal(H5Freset_chunk_cache_stats(s->file), 0);
    return now;
}

/* Element i gets i * factor. */
static void put(const struct trial *s, hsize_t start, hsize_t stride, int factor)
{
    static int buf[ALL];
    hid_t space = some(start, stride);
    hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    hid_t mem = H5Screate_simple(1, &n, NULL);
    for (hsize_t i = 0; i < n; i++)
        buf[i] = (int)(start + i * stride) * factor;
    assert_int_equal(H5Dwrite(s->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf), 0);
    H5Sclose(mem);
    H5Sclose(space);
}

static void get(const struct trial *s, hsize_t start, hsize_t stride, int factor)
{
    static int buf[ALL];
    hid_t space = some(start, stride);
    hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    hid_t mem = H5Screate_simple(1, &n, NULL);
    memset(buf, 0x5a, sizeof buf);
    assert_int_equal(H5Dread(s->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf), 0);
    for (hsize_t i = 0; i < n; i++) {
        int at = (int)(start + i * stride);
        assert_int_equal(buf[i], at % 2 ? FILL : at * factor);
    }
    H5Sclose(mem);
    H5Sclose(space);
}

/* What is in the file, whatever any cache says. */
static void assert_file_holds(int factor)
{
    struct trial s = begin(CACHED);
    get(&s, 0, 1, factor);
    hid_t space = H5Dget_defined(s.dset, H5S_ALL, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(space), SOME);
    H5Sclose(space);
    end(&s);
}

static void make_file(enum filters filters, bool values)
{
    hsize_t all = ALL, chunk = CHUNK;
    int fill = FILL;
    unsigned level = 6;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &all, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 1, &chunk), 0);
    assert_int_equal(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill), 0);
    if (filters != PLAIN)
        assert_int_equal(H5Pset_filter2(dcpl, filters == ON_VALUES ? H5_SECTION_FIXED : H5_SECTION_SELECTION,
                                        H5Z_FILTER_DEFLATE, 0, sizeof level, &level),
                         0);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset > 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    assert_int_equal(H5Dclose(dset), 0);
    assert_int_equal(H5Fclose(file), 0);
    if (values) {
        struct trial s = begin(CACHED);
        put(&s, 0, 2, 3);
        end(&s);
    }
}

static void writes_by_way_of_the_cache(void **state)
{
    (void)state;
    for (enum filters filters = PLAIN; filters <= ON_VALUES; filters++) {
        make_file(filters, false);
        struct trial s = begin(CACHED);
        put(&s, 0, 2, 5);
        stats_t now = stats(&s);
        assert_int_equal(now.misses, CHUNKS);
        assert_int_equal(now.hits + now.loads + now.stores + now.bypasses + now.bytes_written, 0);
        assert_int_equal(now.dirty_chunks, CHUNKS);
        put(&s, 0, 4, 6);
        put(&s, 2, 4, 6);
        now = stats(&s);
        assert_int_equal(now.hits, 2 * CHUNKS);
        assert_int_equal(now.misses + now.loads + now.stores + now.bypasses + now.bytes_written, 0);
        assert_int_equal(H5Fflush(s.file, H5F_SCOPE_LOCAL), 0);
        now = stats(&s);
        assert_int_equal(now.stores, CHUNKS);
        assert_int_equal(now.encodes, CHUNKS);
        assert_int_equal(now.dirty_chunks, 0);
        assert_int_equal(now.chunks, CHUNKS);
        /* Only what is defined has room. */
        assert_in_range(now.bytes_written, 1, SOME * sizeof(int) + CHUNKS * 200);
        end(&s);
        assert_file_holds(6);
    }
}

static void reads_by_way_of_the_cache(void **state)
{
    (void)state;
    for (enum filters filters = PLAIN; filters <= ON_VALUES; filters++) {
        make_file(filters, true);
        struct trial s = begin(CACHED);
        get(&s, 0, 2, 3);
        stats_t now = stats(&s);
        assert_int_equal(now.misses, CHUNKS);
        assert_int_equal(now.loads, CHUNKS);
        assert_int_equal(now.hits + now.bypasses + now.stores, 0);
        assert_int_equal(now.chunks, CHUNKS);
        assert_in_range(now.bytes_read, 1, SOME * sizeof(int) + CHUNKS * 200);
        /* Also of what is not defined. */
        get(&s, 0, 1, 3);
        get(&s, 1, 2, 3);
        now = stats(&s);
        assert_int_equal(now.hits, 2 * CHUNKS);
        assert_int_equal(now.misses + now.loads + now.bypasses + now.bytes_read, 0);
        end(&s);
    }
}

/* Over values that are there, and that no filter changes. */
static void writes_past_the_cache(void **state)
{
    (void)state;
    for (enum way way = UNCACHED_DATASET; way < WAYS; way++)
        for (enum filters filters = PLAIN; filters <= ON_VALUES; filters++) {
            bool straight = filters != ON_VALUES;
            make_file(filters, true);
            struct trial s = begin(way);
            put(&s, 0, 4, 8);
            put(&s, 2, 4, 8);
            stats_t now = stats(&s);
            assert_int_equal(now.bypasses, straight ? 2 * CHUNKS : 0);
            assert_int_equal(now.dirty_chunks, 0);
            if (straight) {
                assert_int_equal(now.hits + now.stores + now.encodes, 0);
                assert_in_range(now.bytes_written, SOME * sizeof(int), 4 * SOME * sizeof(int));
            } else {
                assert_int_equal(now.loads, 2 * CHUNKS);
                assert_int_equal(now.encodes, 2 * CHUNKS);
                assert_true(now.bytes_written > 0);
            }
            end(&s);
            assert_file_holds(8);
        }
}

static void reads_past_the_cache(void **state)
{
    (void)state;
    for (enum way way = UNCACHED_DATASET; way < WAYS; way++)
        for (enum filters filters = PLAIN; filters <= ON_VALUES; filters++) {
            bool straight = filters != ON_VALUES;
            make_file(filters, true);
            struct trial s = begin(way);
            get(&s, 0, 2, 3);
            get(&s, 0, 2, 3);
            stats_t now = stats(&s);
            assert_int_equal(now.bypasses, straight ? 2 * CHUNKS : 0);
            assert_int_equal(now.hits + now.stores + now.bytes_written, 0);
            assert_int_equal(now.misses, 2 * CHUNKS);
            assert_int_equal(now.chunks + now.footprint, 0);
            end(&s);
        }
}

/* An element without a value has no place in the file: such chunks are read, changed and stored for the one operation.
 */
static void undefined_elements_do_not_pass(void **state)
{
    (void)state;
    make_file(PLAIN, true);
    struct trial s = begin(UNCACHED_DATASET);
    get(&s, 0, 1, 3);
    stats_t now = stats(&s);
    assert_int_equal(now.bypasses, 0);
    assert_true(now.loads >= CHUNKS);
    assert_int_equal(now.chunks, 0);
    put(&s, 1, 2, 3);
    now = stats(&s);
    assert_int_equal(now.bypasses, 0);
    assert_int_equal(now.encodes, CHUNKS);
    assert_int_equal(now.chunks, 0);
    /* Now they have. */
    put(&s, 1, 2, 4);
    now = stats(&s);
    assert_int_equal(now.bypasses, CHUNKS);
    assert_int_equal(now.encodes, 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_by_way_of_the_cache),     cmocka_unit_test(reads_by_way_of_the_cache),
        cmocka_unit_test(writes_past_the_cache),          cmocka_unit_test(reads_past_the_cache),
        cmocka_unit_test(undefined_elements_do_not_pass),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    return failed;
}
