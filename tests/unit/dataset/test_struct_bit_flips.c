/* Every bit of stored sparse chunks, wrong once: of a selection it is an error, or makes no difference; of values it is an
 * error, or other values of the same elements. */
#include "unit/cmocka_all.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "struct_bit_flips.h5"

enum { ROWS = 9, COLUMNS = 40, ELEMENTS = ROWS * COLUMNS };
enum form { PLAIN, PACKED, PACKED_DEFLATED, DEFLATED, SUMMED, FORMS };
enum shape { POINTS, BOXES, RUNS, SHAPES };

struct content {
    bool defined[ELEMENTS];
    uint16_t values[ELEMENTS];
};

static void add_block(hid_t space, hsize_t row, hsize_t column, hsize_t rows, hsize_t columns)
{
    hsize_t start[2] = {row, column}, size[2] = {rows, columns};
    assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, size, NULL), 0);
}

static void select_shape(hid_t space, enum shape shape)
{
    H5Sselect_none(space);
    for (hsize_t i = 0; i < 4; i++)
        if (shape == POINTS)
            add_block(space, 2 * i + 1, (i * 17 + 5) % COLUMNS, 1, 1);
        else if (shape == RUNS)
            add_block(space, 2 * i, 7 * i + 1, 1, 9 + i);
    if (shape == BOXES) {
        add_block(space, 1, 3, 3, 12);
        add_block(space, 5, 20, 4, 9);
    }
}

static void set_form(hid_t dcpl, enum form form)
{
    unsigned level = 6;
    if (form == PACKED || form == PACKED_DEFLATED)
        assert_int_equal(H5Pset_selection_packing(dcpl), 0);
    for (unsigned i = 0; i < 2 && (form == PACKED_DEFLATED || form == DEFLATED); i++)
        /* Mandatory: it is applied even where it gains nothing. */
        assert_int_equal(H5Pset_filter2(dcpl, i, H5Z_FILTER_DEFLATE, H5Z_FLAG_MANDATORY, sizeof level, &level), 0);
    if (form == SUMMED)
        assert_int_equal(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_FLETCHER32, H5Z_FLAG_OPTIONAL, 0, NULL), 0);
}

static void make_file(enum form form, enum shape shape)
{
    hsize_t dims[2] = {ROWS, COLUMNS};
    uint16_t values[ELEMENTS];
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = (uint16_t)(1000 + i * i);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, dims), 0);
    set_form(dcpl, form);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t dset = H5Dcreate2(file, "d", H5T_STD_U16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    select_shape(space, shape);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_UINT16, space, space, H5P_DEFAULT, values), 0);
    H5Dclose(dset), H5Sclose(space), H5Pclose(dcpl);
    assert_int_equal(H5Fclose(file), 0);
}

/* Where the chunk is, and in it the values. */
static void find_chunk(haddr_t *addr, hsize_t *size, size_t *fixed_at)
{
    const hsize_t offset[2] = {0, 0};
    size_t sizes[2];
    H5D_struct_chunk_info_t info = {.num_sections = 2, .section_size = sizes};
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), dset = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, offset, &info, addr, size), 0);
    *fixed_at = (size_t)*size - sizes[1];
    H5Dclose(dset), H5Fclose(file);
}

/* False: there is an error. */
static bool read_content(struct content *out)
{
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), dset = H5Dopen2(file, "d", H5P_DEFAULT);
    hid_t defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    bool good = defined > 0 && H5Dread(dset, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->values) >= 0;
    for (hsize_t i = 0; good && i < ELEMENTS; i++) {
        hsize_t at[2] = {i / COLUMNS, i % COLUMNS};
        out->defined[i] = H5Sselect_intersect_block(defined, at, at) > 0;
    }
    if (defined > 0)
        H5Sclose(defined);
    H5Dclose(dset), H5Fclose(file);
    return good;
}

static int differing_values(const struct content *a, const struct content *b)
{
    int n = 0;
    for (int i = 0; i < ELEMENTS; i++)
        n += a->values[i] != b->values[i];
    return n;
}

static void flip(int fd, haddr_t addr, size_t bit)
{
    uint8_t byte;
    off_t at = (off_t)(addr + bit / 8);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte = (uint8_t)(byte ^ 1 << bit % 8);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

static void flip_all(enum form form, enum shape shape)
{
    struct content right, now;
    haddr_t addr;
    hsize_t size;
    size_t fixed_at, errors[2] = {0};
    make_file(form, shape);
    find_chunk(&addr, &size, &fixed_at);
    assert_true(read_content(&right));
    int fd = open(FILE_NAME, O_RDWR);
    assert_true(fd >= 0);
    for (size_t bit = 0; bit < size * 8; bit++) {
        bool values = bit / 8 >= fixed_at, good;
        flip(fd, addr, bit);
        H5E_BEGIN_TRY
        {
            good = read_content(&now);
        }
        H5E_END_TRY
        flip(fd, addr, bit);
        errors[values] += !good;
        if (!good)
            continue;
        assert_memory_equal(now.defined, right.defined, sizeof now.defined);
        assert_int_equal(differing_values(&now, &right), values && (form == PLAIN || form == PACKED));
    }
    close(fd);
    /* Without a compressor's slack every bit counts. */
    if (form == PLAIN || form == PACKED || form == SUMMED)
        assert_int_equal(errors[0], fixed_at * 8);
    if (form == SUMMED)
        assert_int_equal(errors[1], (size - fixed_at) * 8);
    print_message("form %d, shape %d: %zu of %zu bits of the selection are errors, %zu of %zu of the values\n", form, shape,
                  errors[0], fixed_at * 8, errors[1], ((size_t)size - fixed_at) * 8);
}

static void bits(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++)
        for (int shape = 0; shape < SHAPES; shape++)
            flip_all((enum form)form, (enum shape)shape);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
