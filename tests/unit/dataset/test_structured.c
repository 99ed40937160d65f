/* Structured chunks: what is allowed, their bytes in the file, damaged bytes, copies, elements of every kind. */
#include "unit/cmocka_all.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "dataset/chunk_query.h"
#include "hdf5.h"
#include "id/id.h"

#define FILE_NAME "dataset_structured.h5"
#define OTHER_NAME "dataset_structured_copy.h5"

static hid_t new_file(void)
{
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file > 0);
    return file;
}

static hid_t new_dataset(hid_t file, const char *name, hid_t type, const hsize_t *dims, hid_t dcpl)
{
    hid_t space = H5Screate_simple(1, dims, NULL);
    hid_t dset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    return dset;
}

static hid_t chunks(hsize_t size, unsigned flags)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(H5Pset_struct_chunk(dcpl, 1, &size, flags), 0);
    return dcpl;
}

static bool can_create(hid_t file, hid_t type, hsize_t n, hid_t dcpl)
{
    hid_t dset;
    H5E_BEGIN_TRY
    {
        dset = new_dataset(file, "d", type, &n, dcpl);
    }
    H5E_END_TRY
    if (dset > 0) {
        H5Dclose(dset);
        assert_int_equal(H5Ldelete(file, "d", H5P_DEFAULT), 0);
    }
    H5Pclose(dcpl);
    return dset > 0;
}

static void what_is_allowed(void **state)
{
    hid_t file = new_file(), string = H5Tcopy(H5T_C_S1), dcpl;
    hsize_t most = UINT32_MAX, two[2] = {3, 3};
    (void)state;
    H5Tset_size(string, H5T_VARIABLE);
    assert_true(can_create(file, H5T_NATIVE_INT, 100, chunks(100, H5D_SPARSE_CHUNK)));
    assert_false(can_create(file, H5T_NATIVE_INT, 100, chunks(101, H5D_SPARSE_CHUNK)));
    assert_false(can_create(file, H5T_NATIVE_INT, 100, chunks(10, H5D_VL_CHUNK)));
    assert_true(can_create(file, string, 100, chunks(10, H5D_VL_CHUNK)));
    assert_true(can_create(file, string, 100, chunks(10, H5D_SPARSE_CHUNK)));
    assert_true(can_create(file, H5T_NATIVE_DOUBLE, most, chunks(most, H5D_SPARSE_CHUNK)));
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, two), 0);
    assert_false(can_create(file, H5T_NATIVE_INT, 100, dcpl));
    dcpl = chunks(10, H5D_SPARSE_CHUNK);
    assert_int_equal(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY), 0);
    assert_true(can_create(file, H5T_NATIVE_INT, 100, dcpl));
    assert_false(can_create(file, H5T_NATIVE_INT, 100, chunks(10, H5D_SPARSE_CHUNK | H5D_VL_CHUNK)));
    assert_true(can_create(file, string, 100, chunks(10, H5D_SPARSE_CHUNK | H5D_VL_CHUNK)));
    H5Fclose(file);

    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_V112), 0);
    file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_false(can_create(file, H5T_NATIVE_INT, 100, chunks(10, H5D_SPARSE_CHUNK)));
    H5Fclose(file);
    H5Pclose(fapl);
    H5Tclose(string);
}

/* One line turns chunks sparse; the dataset tells how it was made. */
static void creation_list(void **state)
{
    hsize_t n = 100, chunk = 10, got[2];
    unsigned flags;
    int filters;
    hid_t file = new_file(), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    (void)state;
    H5Pset_chunk(dcpl, 1, &chunk);
    assert_int_equal(H5Pset_density(dcpl, H5D_DENSITY_SPARSE), 0);
    H5Pset_selection_packing(dcpl);
    H5Pset_shuffle(dcpl);
    H5Pset_deflate(dcpl, 3);
    hid_t dset = new_dataset(file, "d", H5T_NATIVE_INT, &n, dcpl);
    assert_true(dset > 0);
    H5Pclose(dcpl);
    for (int again = 0; again < 2; again++) {
        dcpl = H5Dget_create_plist(dset);
        assert_int_equal(H5Pget_layout(dcpl), H5D_STRUCT_CHUNK);
        assert_int_equal(H5Pget_struct_chunk(dcpl, 2, got, &flags), 1);
        assert_int_equal(got[0], 10);
        assert_int_equal(flags & H5D_SPARSE_CHUNK, H5D_SPARSE_CHUNK);
        assert_int_equal(H5Pget_selection_packing(dcpl), 1);
        assert_int_equal(H5Pget_nfilters2(dcpl, H5_SECTION_SELECTION, &filters), 0);
        assert_int_equal(filters, 3);
        assert_int_equal(H5Pget_nfilters2(dcpl, H5_SECTION_FIXED, &filters), 0);
        assert_int_equal(filters, 2);
        H5D_alloc_time_t time;
        assert_int_equal(H5Pget_alloc_time(dcpl, &time), 0);
        assert_int_equal(time, H5D_ALLOC_TIME_INCR);
        H5Dclose(dset);
        /* The list makes another dataset like it. */
        if (!again)
            H5Dclose(new_dataset(file, "e", H5T_NATIVE_INT, &n, dcpl));
        H5Pclose(dcpl);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
        dset = H5Dopen2(file, "e", H5P_DEFAULT);
        assert_true(dset > 0);
    }
    H5Dclose(dset);
    H5Fclose(file);
}

static struct ts_chunk_rec first_chunk(hid_t dset)
{
    struct ts_chunk_rec rec;
    struct ts_dataset *d = ts_id_pin(dset, H5I_DATASET);
    assert_non_null(d);
    assert_int_equal(ts_chunks_nth(d, NULL, 0, &rec), 1);
    ts_id_unpin(H5I_DATASET, d);
    return rec;
}

static void read_bytes(haddr_t addr, size_t size, uint8_t *out)
{
    int fd = open(FILE_NAME, O_RDONLY);
    assert_int_equal(pread(fd, out, size, (off_t)addr), size);
    close(fd);
}

static void put_le32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

/* Two points in a chunk of 4 x 6. */
static void bytes_of_a_sparse_chunk(void **state)
{
    static const uint8_t selection[] = {
        1, 0, 8, 36, 0, 0, 0, 2, 2, 1, 1, 4, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
        4, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
        1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 0, 0, 5, 0, 3, 0, 1, 0};
    static const uint8_t values[] = {0x00, 0x01, 0xff, 0xfe};
    uint8_t want[sizeof selection + 4 + sizeof values], got[sizeof want];
    hsize_t dims[2] = {4, 6}, n = 2, at[] = {3, 1, 0, 5};
    short data[] = {-2, 1};
    hid_t file = new_file(), space = H5Screate_simple(2, dims, NULL), mem = H5Screate_simple(1, &n, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    (void)state;
    memcpy(want, selection, sizeof selection);
    put_le32(want + sizeof selection, ts_checksum(selection, sizeof selection));
    memcpy(want + sizeof selection + 4, values, sizeof values);
    H5Pset_sparse_chunk(dcpl, 2, dims);
    hid_t dset = H5Dcreate2(file, "d", H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sselect_elements(space, H5S_SELECT_SET, 2, at);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_SHORT, mem, space, H5P_DEFAULT, data), 0);
    assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    struct ts_chunk_rec rec = first_chunk(dset);
    assert_int_equal(rec.size, sizeof want);
    assert_int_equal(rec.sections.n, 2);
    assert_int_equal(rec.sections.offset[1], sizeof selection + 4);
    assert_int_equal(H5Dget_storage_size(dset), sizeof want);
    read_bytes(rec.addr, sizeof got, got);
    assert_memory_equal(got, want, sizeof want);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(mem);
    H5Sclose(space);
    H5Fclose(file);
}

/* Three strings in a dense chunk of 3. */
static void bytes_of_a_chunk_with_heap(void **state)
{
    uint8_t want[48 + 4 + 4 + 6 + 4] = {0}, got[sizeof want], *heap = want + 52;
    hsize_t n = 3;
    const char *data[] = {"hello", NULL, ""};
    hid_t file = new_file(), string = H5Tcopy(H5T_C_S1), dcpl = chunks(3, H5D_VL_CHUNK);
    (void)state;
    H5Tset_size(string, H5T_VARIABLE);
    want[0] = 4;
    want[8] = 5;
    want[32] = 9;
    want[40] = 1;
    put_le32(want + 48, ts_checksum(want, 48));
    memcpy(heap + 4, "hello", 6);
    put_le32(heap + 10, ts_checksum(heap, 10));
    hid_t dset = new_dataset(file, "d", string, &n, dcpl);
    assert_int_equal(H5Dwrite(dset, string, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    struct ts_chunk_rec rec = first_chunk(dset);
    assert_int_equal(rec.size, sizeof want);
    assert_int_equal(rec.sections.offset[1], 52);
    read_bytes(rec.addr, sizeof got, got);
    assert_memory_equal(got, want, sizeof want);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Tclose(string);
    H5Fclose(file);
}

static void write_points(hid_t dset, hid_t type, const hsize_t *at, hsize_t n, const void *data)
{
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, n, at), 0);
    assert_int_equal(H5Dwrite(dset, type, mem, space, H5P_DEFAULT, data), 0);
    H5Sclose(mem);
    H5Sclose(space);
}

static void erasing_gives_space_back(void **state)
{
    hsize_t n = 100, at[] = {3, 4, 55};
    int data[] = {1, 2, 3};
    H5D_space_status_t status;
    hid_t file = new_file(), dcpl = chunks(10, H5D_SPARSE_CHUNK);
    (void)state;
    hid_t dset = new_dataset(file, "d", H5T_NATIVE_INT, &n, dcpl);
    assert_int_equal(H5Dget_storage_size(dset), 0);
    assert_int_equal(H5Dget_space_status(dset, &status), 0);
    assert_int_equal(status, H5D_SPACE_STATUS_NOT_ALLOCATED);
    write_points(dset, H5T_NATIVE_INT, at, 3, data);
    assert_true(H5Dget_storage_size(dset) > 0);
    assert_int_equal(H5Dget_space_status(dset, &status), 0);
    assert_int_equal(status, H5D_SPACE_STATUS_PART_ALLOCATED);
    assert_true(H5Dget_offset(dset) == HADDR_UNDEF);
    assert_int_equal(H5Derase(dset, H5S_ALL, H5P_DEFAULT), 0);
    assert_int_equal(H5Dget_storage_size(dset), 0);
    hid_t space = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(space), 0);
    H5Sclose(space);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Fclose(file);
}

/* More blocks than one call of the cache takes: the chunk becomes empty in parts. */
static void erasing_in_parts(void **state)
{
    enum { N = 200000 };
    hsize_t n = N, start = 0, stride = 2, count = N / 2;
    int *data = calloc(N, sizeof *data);
    hsize_t *at = malloc(N * sizeof *at);
    hid_t file = new_file(), dcpl = chunks(N, H5D_SPARSE_CHUNK);
    (void)state;
    hid_t dset = new_dataset(file, "d", H5T_NATIVE_INT, &n, dcpl), space = H5Dget_space(dset);
    for (hsize_t i = 0; i < count; i++)
        at[i] = 2 * ((i * 7919) % count);
    assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, NULL), 0);
    hid_t mem = H5Screate_simple(1, &count, NULL);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, data), 0);
    assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, count, at), 0);
    assert_int_equal(H5Derase(dset, space, H5P_DEFAULT), 0);
    assert_int_equal(H5Dget_storage_size(dset), 0);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Fclose(file);
    free(data);
    free(at);
}

/* A chunk of as many elements as there can be, with a few of them. */
static void largest_chunk(void **state)
{
    enum { POINTS = 500 };
    hsize_t n = (hsize_t)1 << 40, at[POINTS], count = POINTS;
    double data[POINTS], got[POINTS];
    hid_t file = new_file(), dcpl = chunks(UINT32_MAX, H5D_SPARSE_CHUNK);
    (void)state;
    hid_t dset = new_dataset(file, "d", H5T_NATIVE_DOUBLE, &n, dcpl);
    for (hsize_t i = 0; i < POINTS; i++) {
        at[i] = i * 25000000 + i;
        data[i] = (double)i;
    }
    for (hsize_t i = 0; i < POINTS; i++)
        write_points(dset, H5T_NATIVE_DOUBLE, &at[i], 1, &data[i]);
    H5Dclose(dset);
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &count, NULL);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, POINTS, at), 0);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_DOUBLE, mem, space, H5P_DEFAULT, got), 0);
    assert_memory_equal(got, data, sizeof got);
    hid_t defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(defined), POINTS);
    H5Sclose(defined);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Fclose(file);
}

struct item {
    int number;
    char *name;
    hvl_t list; /* of hvl_t of short */
    double weight;
};

static hid_t item_type(void)
{
    hid_t string = H5Tcopy(H5T_C_S1), inner = H5Tvlen_create(H5T_NATIVE_SHORT), outer = H5Tvlen_create(inner);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct item));
    H5Tset_size(string, H5T_VARIABLE);
    H5Tinsert(type, "number", HOFFSET(struct item, number), H5T_NATIVE_INT);
    H5Tinsert(type, "name", HOFFSET(struct item, name), string);
    H5Tinsert(type, "list", HOFFSET(struct item, list), outer);
    H5Tinsert(type, "weight", HOFFSET(struct item, weight), H5T_NATIVE_DOUBLE);
    H5Tclose(string);
    H5Tclose(inner);
    H5Tclose(outer);
    return type;
}

enum { ITEMS = 30 };

static void make_items(struct item *items, hvl_t lists[][2], short *numbers, int round)
{
    static char names[ITEMS][40];
    for (int i = 0; i < ITEMS; i++) {
        snprintf(names[i], sizeof names[i], "item %d/%d", i, round);
        numbers[i] = (short)(i * 3 + round);
        lists[i][0] = (hvl_t){(size_t)(i % 3 == 0), &numbers[i]};
        lists[i][1] = (hvl_t){(size_t)(ITEMS - i), &numbers[i]};
        items[i] = (struct item){i, names[i], {(size_t)(i % 3), lists[i]}, i + round * 0.5};
    }
}

static void check_items(hid_t dset, hid_t type, const struct item *want, bool full)
{
    struct item got[ITEMS];
    hid_t space = H5Dget_space(dset);
    assert_int_equal(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, got), 0);
    for (int i = 0; i < ITEMS; i++) {
        bool there = full || i % 2 == 0;
        assert_int_equal(got[i].number, there ? want[i].number : 0);
        assert_true(got[i].weight == (there ? want[i].weight : 0));
        if (!there) {
            assert_null(got[i].name);
            assert_int_equal(got[i].list.len, 0);
            continue;
        }
        assert_string_equal(got[i].name, want[i].name);
        assert_int_equal(got[i].list.len, want[i].list.len);
        for (size_t k = 0; k < got[i].list.len; k++) {
            const hvl_t *a = (hvl_t *)got[i].list.p + k, *b = (hvl_t *)want[i].list.p + k;
            assert_int_equal(a->len, b->len);
            if (a->len)
                assert_memory_equal(a->p, b->p, a->len * sizeof(short));
        }
    }
    assert_int_equal(H5Dvlen_reclaim(type, space, H5P_DEFAULT, got), 0);
    H5Sclose(space);
}

static void compounds(void **state)
{
    struct item items[ITEMS];
    hvl_t lists[ITEMS][2];
    short numbers[2 * ITEMS] = {0};
    hsize_t n = ITEMS, start = 0, stride = 2, count = ITEMS / 2;
    (void)state;
    for (unsigned flags = H5D_SPARSE_CHUNK; flags <= H5D_VL_CHUNK; flags++) {
        hid_t file = new_file(), dcpl = chunks(7, flags), type = item_type();
        H5Pset_deflate(dcpl, 1);
        hid_t dset = new_dataset(file, "d", type, &n, dcpl), space = H5Dget_space(dset);
        assert_true(dset > 0);
        make_items(items, lists, numbers, 1);
        assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, NULL), 0);
        assert_int_equal(H5Dwrite(dset, type, space, space, H5P_DEFAULT, items), 0);
        check_items(dset, type, items, false);
        make_items(items, lists, numbers, 2);
        assert_int_equal(H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, items), 0);
        H5Dclose(dset);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        check_items(dset, type, items, true);
        /* One member only: the others stay. */
        hid_t part = H5Tcreate(H5T_COMPOUND, sizeof(double));
        double weights[ITEMS];
        H5Tinsert(part, "weight", 0, H5T_NATIVE_DOUBLE);
        for (int i = 0; i < ITEMS; i++)
            items[i].weight = weights[i] = -i;
        assert_int_equal(H5Dwrite(dset, part, H5S_ALL, H5S_ALL, H5P_DEFAULT, weights), 0);
        check_items(dset, type, items, true);
        /* The copy brings its heap along. */
        hid_t other = H5Fcreate(OTHER_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        assert_int_equal(H5Ocopy(file, "d", other, "d", H5P_DEFAULT, H5P_DEFAULT), 0);
        assert_int_equal(H5Ocopy(file, "d", file, "e", H5P_DEFAULT, H5P_DEFAULT), 0);
        hid_t copy = H5Dopen2(other, "d", H5P_DEFAULT);
        check_items(copy, type, items, true);
        H5Dclose(copy);
        copy = H5Dopen2(file, "e", H5P_DEFAULT);
        check_items(copy, type, items, true);
        H5Dclose(copy);
        H5Fclose(other);
        H5Tclose(part);
        H5Sclose(space);
        H5Dclose(dset);
        H5Pclose(dcpl);
        H5Tclose(type);
        H5Fclose(file);
    }
}

/* What references to objects lead to in another file, with the flag: the copy; without: nothing. */
static void copied_references(void **state)
{
    hsize_t n = 18, at[] = {3, 11};
    hobj_ref_t refs[2], got[18], none = 0;
    hid_t file = new_file(), dcpl = chunks(10, H5D_SPARSE_CHUNK);
    (void)state;
    H5Pset_deflate(dcpl, 6);
    assert_int_equal(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS), 0); /* the second chunk is one */
    hid_t dset = new_dataset(file, "d", H5T_STD_REF_OBJ, &n, dcpl);
    H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    assert_int_equal(H5Rcreate(&refs[0], file, "g", H5R_OBJECT, -1), 0);
    refs[1] = refs[0];
    write_points(dset, H5T_STD_REF_OBJ, at, 2, refs);
    for (int expand = 0; expand < 2; expand++) {
        hid_t other = H5Fcreate(OTHER_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), ocpypl = H5Pcreate(H5P_OBJECT_COPY);
        H5Pset_copy_object(ocpypl, expand ? H5O_COPY_EXPAND_REFERENCE_FLAG : 0);
        assert_int_equal(H5Ocopy(file, "d", other, "d", ocpypl, H5P_DEFAULT), 0);
        hid_t copy = H5Dopen2(other, "d", H5P_DEFAULT), defined = H5Dget_defined(copy, H5S_ALL, H5P_DEFAULT);
        assert_int_equal(H5Sget_select_npoints(defined), 2);
        assert_int_equal(H5Dread(copy, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, got), 0);
        assert_true(got[0] == none);
        if (expand) {
            H5O_type_t type;
            assert_int_equal(H5Rget_obj_type2(copy, H5R_OBJECT, &got[11], &type), 0);
            assert_int_equal(type, H5O_TYPE_GROUP);
        } else {
            assert_true(got[11] == none);
        }
        H5Sclose(defined);
        H5Dclose(copy);
        H5Pclose(ocpypl);
        H5Fclose(other);
    }
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Fclose(file);
}

/* References that have a place in the heap. */
static void references_in_the_heap(void **state)
{
    hsize_t n = 20, at[] = {3, 11}, start = 4, count = 3;
    (void)state;
    for (unsigned flags = H5D_SPARSE_CHUNK; flags <= H5D_VL_CHUNK; flags++) {
        hid_t file = new_file(), dcpl = chunks(10, flags), plain = H5Pcreate(H5P_DATASET_CREATE);
        hid_t target = new_dataset(file, "target", H5T_NATIVE_INT, &n, plain), space = H5Dget_space(target);
        hid_t regions = new_dataset(file, "regions", H5T_STD_REF_DSETREG, &n, dcpl);
        hid_t revised = new_dataset(file, "revised", H5T_STD_REF, &n, dcpl);
        hdset_reg_ref_t old[2], old_got[20];
        H5R_ref_t new[2], new_got[20];
        assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL), 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(H5Rcreate(&old[i], file, "target", H5R_DATASET_REGION, space), 0);
            assert_int_equal(H5Rcreate_region(file, "target", space, H5P_DEFAULT, &new[i]), 0);
        }
        write_points(regions, H5T_STD_REF_DSETREG, at, 2, old);
        for (int round = 0; round < 3; round++)
            write_points(revised, H5T_STD_REF, at, 2, new);
        for (int i = 0; i < 2; i++)
            H5Rdestroy(&new[i]);
        H5Dclose(regions);
        H5Dclose(revised);
        H5Dclose(target);
        H5Sclose(space);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
        regions = H5Dopen2(file, "regions", H5P_DEFAULT);
        revised = H5Dopen2(file, "revised", H5P_DEFAULT);
        assert_int_equal(H5Dread(regions, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, old_got), 0);
        assert_int_equal(H5Dread(revised, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, new_got), 0);
        space = H5Rget_region(regions, H5R_DATASET_REGION, &old_got[11]);
        assert_int_equal(H5Sget_select_npoints(space), 3);
        H5Sclose(space);
        space = H5Ropen_region(&new_got[3], H5P_DEFAULT, H5P_DEFAULT);
        assert_int_equal(H5Sget_select_npoints(space), 3);
        H5Sclose(space);
        H5R_ref_t old_as_new[20];
        assert_int_equal(H5Dread(regions, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, old_as_new), 0);
        for (int i = 0; i < 20; i++) {
            assert_int_equal(H5Requal(&old_as_new[i], &new_got[i]), 1);
            assert_int_equal(H5Rdestroy(&old_as_new[i]), 0);
            assert_int_equal(H5Rdestroy(&new_got[i]), 0);
        }
        H5Dclose(regions);
        H5Dclose(revised);
        H5Pclose(plain);
        H5Pclose(dcpl);
        H5Fclose(file);
    }
}

/* What other calls say of a dataset that they are not for. */
static void chunk_calls_refuse(void **state)
{
    hsize_t n = 100, at = 3, offset = 0, count;
    int data = 1;
    uint32_t mask;
    char buf[1000];
    hid_t file = new_file(), dcpl = chunks(10, H5D_SPARSE_CHUNK);
    (void)state;
    hid_t dset = new_dataset(file, "d", H5T_NATIVE_INT, &n, dcpl);
    write_points(dset, H5T_NATIVE_INT, &at, 1, &data);
    H5E_BEGIN_TRY
    {
        assert_true(H5Dread_chunk(dset, H5P_DEFAULT, &offset, &mask, buf) < 0);
        assert_true(H5Dwrite_chunk(dset, H5P_DEFAULT, 0, &offset, 40, buf) < 0);
    }
    H5E_END_TRY
    assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &count), 0);
    assert_int_equal(count, 1);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Fclose(file);
}

/* Everything a reader may do; whether it fails does not matter. */
static void read_anyhow(void)
{
    H5E_BEGIN_TRY
    {
        hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), dset = H5Dopen2(file, "d", H5P_DEFAULT);
        hid_t type = H5Dget_type(dset), space = H5Dget_space(dset), defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
        char *got[ITEMS] = {NULL};
        /* A read that fails leaves what it got so far. */
        H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, got);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, got);
        H5Sclose(defined);
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(dset);
        H5Fclose(file);
    }
    H5E_END_TRY
}

static void damaged_chunks(void **state)
{
    static const char *const words[ITEMS] = {"alpha", "beta", "a longer word", "", "x", "yz"};
    hsize_t n = ITEMS, at[] = {2, 3, 4, 9, 17, 28};
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        hid_t file = new_file(), type = H5Tcopy(H5T_C_S1);
        hid_t dcpl = chunks(ITEMS, kind % 3 == 1 ? H5D_VL_CHUNK : H5D_SPARSE_CHUNK);
        H5Tset_size(type, kind % 3 == 2 ? 8 : H5T_VARIABLE);
        if (kind >= 3)
            H5Pset_deflate(dcpl, 6);
        hid_t dset = new_dataset(file, "d", type, &n, dcpl);
        if (kind % 3 == 2)
            write_points(dset, type, at, 6, "abcdefg\0abcdefg\0abcdefg\0abcdefg\0abcdefg\0abcdefg");
        else
            write_points(dset, type, at, 6, words);
        H5Fflush(file, H5F_SCOPE_LOCAL);
        struct ts_chunk_rec rec = first_chunk(dset);
        H5Dclose(dset);
        H5Pclose(dcpl);
        H5Tclose(type);
        H5Fclose(file);
        for (uint64_t i = 0; i < rec.size; i++) {
            uint8_t byte, other;
            int fd = open(FILE_NAME, O_RDWR);
            assert_int_equal(pread(fd, &byte, 1, (off_t)(rec.addr + i)), 1);
            other = byte ^ (i % 2 ? 0xff : 0x01);
            assert_int_equal(pwrite(fd, &other, 1, (off_t)(rec.addr + i)), 1);
            read_anyhow();
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)(rec.addr + i)), 1);
            close(fd);
        }
    }
}

/* Writes, overwrites, erases and reads; 0, or negative when something failed. */
static int use_all(hid_t type, unsigned flags, const void *data)
{
    hsize_t n = ITEMS, at[] = {2, 9, 3, 4, 28, 17}, count = 6, start = 3, length = 7;
    int status = -1;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), mem = H5Screate_simple(1, &count, NULL);
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE), dset = -1, defined = -1;
    char *got[ITEMS] = {NULL};
    hsize_t chunk = 10;
    if (file < 0 || mem < 0 || space < 0 || dcpl < 0 || H5Pset_struct_chunk(dcpl, 1, &chunk, flags) < 0 ||
        H5Pset_deflate(dcpl, 1) < 0)
        goto done;
    dset = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (dset < 0 || H5Sselect_elements(space, H5S_SELECT_SET, 6, at) < 0 ||
        H5Dwrite(dset, type, mem, space, H5P_DEFAULT, data) < 0 || H5Fflush(file, H5F_SCOPE_LOCAL) < 0 ||
        H5Dwrite(dset, type, mem, space, H5P_DEFAULT, data) < 0)
        goto done;
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &length, NULL) < 0 ||
        (flags & H5D_SPARSE_CHUNK && H5Derase(dset, space, H5P_DEFAULT) < 0))
        goto done;
    defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    if (defined < 0 || H5Sselect_all(space) < 0)
        goto done;
    status = H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, got);
    for (int i = 0; H5Tis_variable_str(type) && i < ITEMS; i++)
        H5free_memory(got[i]);
done:
    H5Sclose(defined);
    if (H5Dclose(dset) < 0)
        status = -1;
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Sclose(mem);
    if (H5Fclose(file) < 0)
        status = -1;
    return status;
}

static void allocation_faults(void **state)
{
    static const char *const words[] = {"alpha", "beta", "a longer word", "", "x", "yz"};
    static const char text[] = "abcdefg\0abcdefg\0abcdefg\0abcdefg\0abcdefg\0abcdefg";
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, kind == 2 ? 8 : H5T_VARIABLE);
        const void *data = kind == 2 ? (const void *)text : words;
        unsigned flags = kind == 1 ? H5D_VL_CHUNK : H5D_SPARSE_CHUNK;
        assert_int_equal(use_all(type, flags, data), 0);
        int failed = 0;
        unsigned long n = 1, made;
        do {
            int status;
            ts_alloc_fail_at(n, TS_FAULT_ONCE);
            H5E_BEGIN_TRY
            {
                status = use_all(type, flags, data);
            }
            H5E_END_TRY
            made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
            failed += status < 0;
            n += 1 + n / 200;
        } while (n <= made);
        assert_true(failed > 50);
        H5Tclose(type);
    }
}

/* Stock libhdf5, through h5py: all but structured datasets read; these fail, and leave the rest in peace. */
static const char reader[] =
    "import h5py, numpy as np\n"
    "f = h5py.File('" FILE_NAME "', 'r')\n"
    "assert sorted(f) == ['dense', 'filtered', 'sparse', 'strings', 'text']\n"
    "assert (f['dense'][:] == np.arange(100)).all()\n"
    "assert (f['filtered'][:] == np.arange(100)).all()\n"
    "assert f['text'][0] == b'neighbour'\n"
    "for name in 'sparse', 'strings':\n"
    "    try:\n"
    "        f[name][:]\n"
    "    except (OSError, KeyError, RuntimeError, ValueError):\n"
    "        continue\n"
    "    raise SystemExit(name + ' was read')\n"
    "assert (f['dense'][:] == np.arange(100)).all()\n"
    "f.close()\n"
    "f = h5py.File('" FILE_NAME "', 'r+')\n"
    "f['new'] = np.arange(7)\n"
    "f['dense'][5] = 500\n"
    "f.close()\n";

static void stock_reads_the_neighbours(void **state)
{
    hsize_t n = 100, one = 1, chunk = 10, at[] = {3, 55, 99};
    int data[100], got[100];
    const char *words[] = {"alpha", "beta", "gamma"}, *neighbour = "neighbour";
    (void)state;
    for (int i = 0; i < 100; i++)
        data[i] = i;
    hid_t string = H5Tcopy(H5T_C_S1), plain = H5Pcreate(H5P_DATASET_CREATE), filtered = H5Pcreate(H5P_DATASET_CREATE);
    hid_t sparse = chunks(10, H5D_SPARSE_CHUNK);
    H5Tset_size(string, H5T_VARIABLE);
    H5Pset_chunk(filtered, 1, &chunk);
    H5Pset_deflate(filtered, 5);
    H5Pset_deflate(sparse, 5);
    for (int latest = 0; latest < 2; latest++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        if (latest)
            H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
        hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        hid_t dense = new_dataset(file, "dense", H5T_NATIVE_INT, &n, plain);
        hid_t a = new_dataset(file, "sparse", H5T_NATIVE_INT, &n, sparse);
        hid_t b = new_dataset(file, "strings", string, &n, sparse);
        hid_t zipped = new_dataset(file, "filtered", H5T_NATIVE_INT, &n, filtered);
        hid_t text = new_dataset(file, "text", string, &one, plain);
        assert_int_equal(H5Dwrite(dense, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
        write_points(a, H5T_NATIVE_INT, at, 3, data + 7);
        write_points(b, string, at, 3, words);
        assert_int_equal(H5Dwrite(zipped, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
        assert_int_equal(H5Dwrite(text, string, H5S_ALL, H5S_ALL, H5P_DEFAULT, &neighbour), 0);
        H5Dclose(dense);
        H5Dclose(a);
        H5Dclose(b);
        H5Dclose(zipped);
        H5Dclose(text);
        H5Fclose(file);
        FILE *p = popen("/usr/bin/python3 -", "w");
        assert_non_null(p);
        fputs(reader, p);
        assert_int_equal(pclose(p), 0);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, fapl);
        a = H5Dopen2(file, "sparse", H5P_DEFAULT);
        assert_int_equal(H5Dread(a, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, got), 0);
        for (int i = 0; i < 100; i++)
            assert_int_equal(got[i], i == 3 ? 7 : i == 55 ? 8 : i == 99 ? 9 : 0);
        H5Dclose(a);
        H5Fclose(file);
        H5Pclose(fapl);
    }
    H5Pclose(plain);
    H5Pclose(filtered);
    H5Pclose(sparse);
    H5Tclose(string);
}

static void assert_row(hid_t dset, const int *want)
{
    int got[10];
    memset(got, 0x5a, sizeof got);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, got), 0);
    assert_memory_equal(got, want, sizeof got);
}

/* That nothing is filled when space is allocated says nothing about elements that have no space. */
static void never_filled(void **state)
{
    (void)state;
    for (int set = 0; set < 2; set++) {
        const hsize_t n = 10, chunk = 5, at = 7, one = 1;
        int fill = set ? -3 : 0, value = 4711, want[10];
        hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
        hid_t space = H5Screate_simple(1, &n, NULL), mem = H5Screate_simple(1, &one, NULL);
        assert_int_equal(H5Pset_sparse_chunk(dcpl, 1, &chunk), 0);
        assert_int_equal(H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER), 0);
        if (set)
            assert_int_equal(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill), 0);
        hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        for (int i = 0; i < 10; i++)
            want[i] = fill;
        assert_row(dset, want);
        assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at), 0);
        assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value), 0);
        want[7] = value;
        assert_row(dset, want);
        H5Dclose(dset);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        assert_row(dset, want);
        assert_int_equal(H5Derase(dset, space, H5P_DEFAULT), 0);
        want[7] = fill;
        assert_row(dset, want);
        H5Sclose(space), H5Sclose(mem), H5Pclose(dcpl), H5Dclose(dset), H5Fclose(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_allowed),
        cmocka_unit_test(creation_list),
        cmocka_unit_test(bytes_of_a_sparse_chunk),
        cmocka_unit_test(bytes_of_a_chunk_with_heap),
        cmocka_unit_test(erasing_gives_space_back),
        cmocka_unit_test(erasing_in_parts),
        cmocka_unit_test(largest_chunk),
        cmocka_unit_test(compounds),
        cmocka_unit_test(copied_references),
        cmocka_unit_test(references_in_the_heap),
        cmocka_unit_test(chunk_calls_refuse),
        cmocka_unit_test(damaged_chunks),
        cmocka_unit_test(never_filled),
        cmocka_unit_test(allocation_faults),
        cmocka_unit_test(stock_reads_the_neighbours),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    unlink(OTHER_NAME);
    return failed;
}
