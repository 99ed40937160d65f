/* Selection sections from plain lists and back, against what the library makes of dataspaces. */
#include "unit/said.h"

#include <stdio.h>

#include "hdf5.h"

enum { ROWS = 6, COLUMNS = 9 };
static const hsize_t dims[2] = {ROWS, COLUMNS};

/* That the section selects, in this order, these elements, as a dataspace and as lists. */
static void assert_elements(const uint8_t *section, size_t size, const unsigned *elements, size_t n)
{
    hsize_t coords[2 * ROWS * COLUMNS], runs[2 * ROWS * COLUMNS];
    size_t room = ROWS * COLUMNS, n_runs = ROWS * COLUMNS, k = 0;
    hid_t space = H5Sdecode(section);
    assert_true(space > 0);
    assert_int_equal(H5Sget_select_npoints(space), n);
    H5Sclose(space);
    assert_int_equal(H5Dstruct_chunk_decode_points(2, dims, section, size, &room, coords), 0);
    assert_int_equal(room, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(coords[2 * i] * COLUMNS + coords[2 * i + 1], elements[i]);
    assert_int_equal(H5Dstruct_chunk_decode_runs(2, dims, section, size, &n_runs, runs), 0);
    for (size_t i = 0; i < n_runs; i++)
        for (hsize_t j = 0; j < runs[2 * i + 1]; j++)
            assert_int_equal(runs[2 * i] + j, elements[k++]);
    assert_int_equal(k, n);
    room = 0;
    assert_int_equal(H5Dstruct_chunk_decode_points(2, dims, section, size, &room, NULL), 0);
    assert_int_equal(room, n);
}

static void points(void **state)
{
    const hsize_t at[] = {5, 8, 0, 0, 2, 3, 2, 4, 0, 0};
    const unsigned elements[] = {53, 0, 21, 22, 0};
    uint8_t section[200];
    size_t size = 0, again = sizeof section;
    (void)state;
    assert_int_equal(H5Dstruct_chunk_encode_points(2, dims, 5, at, NULL, &size), 0);
    assert_int_equal(H5Dstruct_chunk_encode_points(2, dims, 5, at, section, &again), 0);
    assert_int_equal(size, again);
    assert_elements(section, size, elements, 5);
    /* Behind the extent, the bytes of the newest encoding of a dataspace; its extent is of version 1, and 4 bytes longer. */
    uint8_t encoded[200];
    const size_t extent = 7 + 36;
    hid_t space = H5Screate_simple(2, dims, dims), fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, 5, at), 0);
    assert_int_equal(H5Sencode2(space, NULL, &again, fapl), 0);
    assert_int_equal(H5Sencode2(space, encoded, &again, fapl), 0);
    assert_int_equal(again, size + 4);
    assert_memory_equal(encoded + extent + 4, section + extent, size - extent);
    H5Sclose(space);
    H5Pclose(fapl);
}

static void runs_and_boxes(void **state)
{
    const hsize_t runs[] = {3, 2, 8, 3, 50, 1}, boxes[] = {3, 1, 4, 2, 0, 0, 0, 1, 3, 5, 5, 5};
    const unsigned of_runs[] = {3, 4, 8, 9, 10, 50}, of_boxes[] = {0, 1, 28, 29, 32, 37, 38, 41, 50};
    uint8_t section[400];
    size_t size = sizeof section;
    (void)state;
    assert_int_equal(H5Dstruct_chunk_encode_runs(2, dims, 3, runs, section, &size), 0);
    assert_elements(section, size, of_runs, 6);
    size = sizeof section;
    assert_int_equal(H5Dstruct_chunk_encode_boxes(2, dims, 3, boxes, section, &size), 0);
    assert_elements(section, size, of_boxes, 9);
    size = sizeof section;
    assert_int_equal(H5Dstruct_chunk_encode_boxes(2, dims, 0, NULL, section, &size), 0);
    assert_int_equal(size, 0);
    size_t n = 5;
    assert_int_equal(H5Dstruct_chunk_decode_runs(2, dims, NULL, 0, &n, NULL), 0);
    assert_int_equal(n, 0);
}

/* Boxes in more dimensions, against a dataspace. */
static void deep_boxes(void **state)
{
    const hsize_t deep[3] = {4, 5, 6}, boxes[] = {2, 3, 1, 3, 4, 4, 0, 0, 2, 2, 1, 3};
    uint8_t section[1000];
    hsize_t coords[3 * 4 * 5 * 6];
    size_t size = sizeof section, n = 4 * 5 * 6, k = 0;
    (void)state;
    assert_int_equal(H5Dstruct_chunk_encode_boxes(3, deep, 2, boxes, section, &size), 0);
    assert_int_equal(H5Dstruct_chunk_decode_points(3, deep, section, size, &n, coords), 0);
    for (hsize_t e = 0; e < 4 * 5 * 6; e++) {
        hsize_t at[3] = {e / 30, e / 6 % 5, e % 6};
        int inside = 0;
        for (const hsize_t *b = boxes; b < boxes + 12; b += 6)
            inside += at[0] >= b[0] && at[0] <= b[3] && at[1] >= b[1] && at[1] <= b[4] && at[2] >= b[2] && at[2] <= b[5];
        if (inside)
            assert_memory_equal(coords + 3 * k++, at, sizeof at);
    }
    assert_int_equal(k, n);
}

static void refused(void **state)
{
    const hsize_t outside[] = {0, 0, 6, 0}, falling[] = {9, 1, 3, 1}, over[] = {50, 5}, none[2] = {3, 0};
    const hsize_t turned[] = {2, 2, 1, 3}, overlapping[] = {0, 0, 2, 2, 2, 2, 3, 3}, far[] = {0, 0, 0, 9};
    const hsize_t other[2] = {ROWS, COLUMNS + 1}, good[] = {1, 1};
    uint8_t section[200];
    size_t size = sizeof section, n = 0;
    hsize_t list[2];
    (void)state;
    FAILS(H5Dstruct_chunk_encode_points(2, dims, 2, outside, section, &size), "point 1: coordinate 0 is 6");
    FAILS(H5Dstruct_chunk_encode_points(0, dims, 1, good, section, &size), "rank 0");
    FAILS(H5Dstruct_chunk_encode_points(33, dims, 1, good, section, &size), "rank 33");
    FAILS(H5Dstruct_chunk_encode_points(2, NULL, 1, good, section, &size), "without dimensions");
    FAILS(H5Dstruct_chunk_encode_points(2, none, 1, good, section, &size), "dimension 1 of the chunk is 0");
    FAILS(H5Dstruct_chunk_encode_points(2, dims, 1, NULL, section, &size), "nowhere");
    FAILS(H5Dstruct_chunk_encode_points(2, dims, 1, good, section, NULL), "size");
    FAILS(H5Dstruct_chunk_encode_runs(2, dims, 2, falling, section, &size), "");
    FAILS(H5Dstruct_chunk_encode_runs(2, dims, 1, over, section, &size), "");
    FAILS(H5Dstruct_chunk_encode_boxes(2, dims, 1, turned, section, &size), "box 0: from 2 to 1 in dimension 0");
    FAILS(H5Dstruct_chunk_encode_boxes(2, dims, 1, far, section, &size), "from 0 to 9 in dimension 1");
    FAILS(H5Dstruct_chunk_encode_boxes(2, dims, 2, overlapping, section, &size), "overlap in element 20");
    size = 10;
    FAILS(H5Dstruct_chunk_encode_points(2, dims, 1, good, section, &size), "in a buffer of 10");
    assert_int_equal(size, 10);
    size = sizeof section;
    assert_int_equal(H5Dstruct_chunk_encode_points(2, dims, 1, good, section, &size), 0);
    FAILS(H5Dstruct_chunk_decode_points(2, other, section, size, &n, NULL), "another chunk");
    FAILS(H5Dstruct_chunk_decode_points(2, dims, section, size + 1, &n, NULL), "are the selection");
    FAILS(H5Dstruct_chunk_decode_points(2, dims, section, size - 1, &n, NULL), "");
    FAILS(H5Dstruct_chunk_decode_points(2, dims, section, size, &n, list), "a list of 0 entries for 1");
    FAILS(H5Dstruct_chunk_decode_runs(2, dims, section, size, NULL, NULL), "num");
    FAILS(H5Dstruct_chunk_decode_runs(2, dims, NULL, size, &n, NULL), "nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points), cmocka_unit_test(runs_and_boxes), cmocka_unit_test(deep_boxes), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
