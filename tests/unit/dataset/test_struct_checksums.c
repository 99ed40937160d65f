/* Checksums of sections are the library's business: direct chunk I/O adds, checks and leaves them out. */
#include "unit/dataset/direct_sets.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "filter/filter.h"

#define FILE_NAME "struct_checksums.h5"

static const hsize_t offset[2] = {4, 5};
static const int values[3] = {5, 6, 77};

/* The selection of three points alone, as H5Sencode2 gives it. */
static void encode_points(struct direct *d)
{
    const hsize_t points[] = {3, 3, 0, 0, 1, 2};
    hid_t space = H5Screate_simple(2, set_chunk, NULL);
    direct_init(d);
    d->info.type = H5D_STRUCT_CHUNK;
    d->info.num_sections = 2;
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, 3, points), 0);
    assert_int_equal(H5Sencode2(space, NULL, &d->sizes[0], H5P_DEFAULT), 0);
    d->bytes[0] = malloc(d->sizes[0] + 4);
    assert_int_equal(H5Sencode2(space, d->bytes[0], &d->sizes[0], H5P_DEFAULT), 0);
    d->bytes[1] = malloc(sizeof values);
    d->sizes[1] = sizeof values;
    memcpy(d->bytes[1], values, sizeof values);
    memcpy(d->before, d->sizes, sizeof d->sizes);
    H5Sclose(space);
}

static int value_at(hid_t dset, hsize_t row, hsize_t column)
{
    int all[ELEMENTS];
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all), 0);
    return all[row * COLUMNS + column];
}

static void assert_values(hid_t dset)
{
    assert_int_equal(value_at(dset, 4 + 3, 5 + 3), 5);
    assert_int_equal(value_at(dset, 4, 5), 6);
    assert_int_equal(value_at(dset, 4 + 1, 5 + 2), 77);
}

static void append_sum(struct direct *d, unsigned i)
{
    d->sizes[i] += 4;
    d->before[i] = d->sizes[i];
    put_sum(d->bytes[i], d->sizes[i]);
}

/* Without and with one, in every type that says sparse; what is read is the selection alone, and what is stored ends with it. */
static void selection(void **state)
{
    struct set s = {.kind = INT, .index = FIXED};
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", &s);
    (void)state;
    for (int with = 0; with < 2; with++)
        for (int type = 0; type < 3; type++) {
            struct direct d, back;
            H5D_native_section_info_t native[2];
            hsize_t stored;
            encode_points(&d);
            size_t size = d.sizes[0];
            d.info.type = type == 0 ? H5D_STRUCT_CHUNK : (H5D_layout_t)(type == 1 ? H5D_SPARSE_CHUNK : H5D_VL_CHUNK);
            if (with)
                append_sum(&d, 0);
            assert_int_equal(direct_write(dset, offset, &d) < 0, type == 2);
            direct_read(dset, offset, &back);
            assert_int_equal(back.sizes[0], size);
            assert_int_equal(back.before[0], size);
            assert_memory_equal(back.bytes[0], d.bytes[0], size);
            assert_int_equal(H5Dnative_get_chunk_info(dset, offset, native, NULL, &stored), 0);
            assert_int_equal(native[0].size, size);
            assert_int_equal(stored, size + 4 + sizeof values);
            assert_values(dset);
            direct_free(&d);
            direct_free(&back);
        }
    H5Dclose(dset);
    H5Fclose(file);
}

/* The types of a dense dataset with a heap. */
static void dense_types(void **state)
{
    struct set s = {.kind = TEXT, .dense = true, .index = FIXED};
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", &s);
    struct direct d;
    (void)state;
    write_set(dset, TEXT, 0, 1, 100);
    direct_read(dset, offset, &d);
    d.info.type = (H5D_layout_t)H5D_VL_CHUNK;
    assert_int_equal(direct_write(dset, offset, &d), 0);
    d.info.type = (H5D_layout_t)H5D_SPARSE_CHUNK;
    assert_true(direct_write(dset, offset, &d) < 0);
    direct_free(&d);
    H5Dclose(dset);
    H5Fclose(file);
}

/* One wrong bit in the file: the section with the checksum is not given out, the other is. */
static void reading_checks(void **state)
{
    struct set s = {.kind = INT, .index = FIXED};
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", &s);
    struct direct d;
    haddr_t addr;
    uint8_t byte;
    (void)state;
    encode_points(&d);
    assert_int_equal(direct_write(dset, offset, &d), 0);
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, offset, NULL, &addr, NULL), 0);
    H5Dclose(dset);
    H5Fclose(file);
    int fd = open(FILE_NAME, O_RDWR);
    assert_int_equal(pread(fd, &byte, 1, (off_t)addr + 50), 1);
    byte ^= 4;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)addr + 50), 1);
    close(fd);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    H5E_BEGIN_TRY
    {
        assert_true(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, NULL, d.bytes) < 0);
    }
    H5E_END_TRY
    assert_int_equal(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, NULL, (void *[]){NULL, d.bytes[1]}), 0);
    assert_memory_equal(d.bytes[1], values, sizeof values);
    direct_free(&d);
    H5Dclose(dset);
    H5Fclose(file);
}

static void deflate(struct direct *d, unsigned i)
{
    unsigned level = 6;
    uint32_t mask;
    struct ts_pipeline p = {0};
    void *bytes;
    assert_int_equal(ts_pipeline_add(&p, &(struct ts_filter){.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = &level}), 0);
    assert_int_equal(ts_pipeline_encode_from(&p, d->bytes[i], &d->sizes[i], &bytes, &mask, NULL), 0);
    free(d->bytes[i]);
    d->bytes[i] = malloc(d->sizes[i]);
    memcpy(d->bytes[i], bytes, d->sizes[i]);
    ts_free(bytes);
    ts_pipeline_deinit(&p);
}

/* What was filtered with its checksum is stored as it is; what was filtered without is filtered again. */
static void filtered(void **state)
{
    struct set s = {.kind = INT, .index = FIXED, .filters = PACKED};
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", &s);
    (void)state;
    for (int with = 0; with < 2; with++)
        for (int sizes_known = 0; sizes_known < 2; sizes_known++) {
            struct direct d, back;
            encode_points(&d);
            size_t whole = d.sizes[0] + 4;
            if (with)
                append_sum(&d, 0);
            deflate(&d, 0);
            d.masks[0] = 1; /* packing; what is left is deflate */
            d.masks[1] = 3;
            d.info.section_orig_size = sizes_known ? d.before : NULL;
            assert_int_equal(direct_write(dset, offset, &d), 0);
            direct_read(dset, offset, &back);
            assert_int_equal(back.before[0], whole);
            if (with) {
                assert_int_equal(back.sizes[0], d.sizes[0]);
                assert_memory_equal(back.bytes[0], d.bytes[0], d.sizes[0]);
            }
            assert_values(dset);
            direct_free(&d);
            direct_free(&back);
        }
    H5Dclose(dset);
    H5Fclose(file);
}

/* Every section of elements with a heap, too. */
static void heaps(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        struct set s = {.kind = TEXT, .dense = dense, .index = FIXED};
        hid_t file = new_set_file(FILE_NAME), from = make_set(file, "from", &s), to = make_set(file, "to", &s);
        write_set(from, TEXT, 0, 1, 100);
        write_set(to, TEXT, 0, 1, 300);
        for (unsigned with = 0; with < 8; with++) {
            struct direct d, back;
            direct_read(from, offset, &d);
            direct_read(from, offset, &back);
            for (unsigned i = 0; i < set_sections(&s); i++)
                if (with & 1u << i) {
                    d.bytes[i] = realloc(d.bytes[i], d.sizes[i] + 4);
                    append_sum(&d, i);
                }
            assert_int_equal(direct_write(to, offset, &d), 0);
            direct_free(&d);
            direct_read(to, offset, &d);
            for (unsigned i = 0; i < set_sections(&s); i++) {
                assert_int_equal(d.sizes[i], back.sizes[i]);
                assert_memory_equal(d.bytes[i], back.bytes[i], d.sizes[i]);
            }
            direct_free(&d);
            direct_free(&back);
        }
        H5Dclose(from);
        H5Dclose(to);
        H5Fclose(file);
    }
}

/* The last coordinate of the only point is, by chance, the checksum of all before it. */
static void ends_by_chance(void **state)
{
    const hsize_t dims = UINT32_MAX, zero = 0;
    uint8_t value = 9, got = 0, section[100];
    size_t sizes[2] = {sizeof section, 1};
    hsize_t at[2];
    H5D_struct_chunk_info_t info = {.type = H5D_STRUCT_CHUNK, .num_sections = 2, .section_size = sizes};
    hid_t file = new_set_file(FILE_NAME), space = H5Screate_simple(1, &dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    (void)state;
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 1, &dims), 0);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_UINT8, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, 1, &zero), 0);
    assert_int_equal(H5Sencode2(space, NULL, &sizes[0], H5P_DEFAULT), 0);
    assert_int_equal(H5Sencode2(space, section, &sizes[0], H5P_DEFAULT), 0);
    put_sum(section, sizes[0]);
    assert_int_equal(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, &zero, &info, (void *[]){section, &value}), 0);
    hid_t defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT), mem = H5Screate(H5S_SCALAR);
    assert_int_equal(H5Sget_select_npoints(defined), 1);
    assert_int_equal(H5Sget_select_bounds(defined, &at[0], &at[1]), 0);
    assert_int_equal(at[0], ts_checksum(section, sizes[0] - 4));
    assert_int_equal(H5Dread(dset, H5T_NATIVE_UINT8, mem, defined, H5P_DEFAULT, &got), 0);
    assert_int_equal(got, 9);
    H5Sclose(defined), H5Sclose(mem), H5Sclose(space), H5Pclose(dcpl), H5Dclose(dset), H5Fclose(file);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection), cmocka_unit_test(dense_types), cmocka_unit_test(reading_checks),
        cmocka_unit_test(filtered),  cmocka_unit_test(heaps),       cmocka_unit_test(ends_by_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
