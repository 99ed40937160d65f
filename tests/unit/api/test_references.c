/* References of 1.12 in a file made by hand from the specification: no library here writes them.
 *
 * The root group has one dataset "d" of four elements: a reference to d itself, to elements 1 and 2 of d, to the
 * attribute "at" of d, and to nothing. The attribute holds the same. */
#include "unit/cmocka_all.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "hdf5.h"

enum { ROOT = 48, DATASET = 256, HEAP = 1024, HEAP_SIZE = 4096, END = HEAP + HEAP_SIZE, ELEMENT = 18, N = 4 };
enum { REGION_OBJECT = 1, ATTR_OBJECT = 2 };

static const char file_name[] = "references-by-hand.h5";

static void put_to(struct ts_wr *w, size_t at)
{
    assert_true(w->size <= at);
    ts_wr_zeros(w, at - w->size);
}

static void put_superblock(struct ts_wr *w)
{
    ts_wr_bytes(w, "\x89HDF\r\n\x1a\n\2\10\10\0", 12);
    ts_wr_uint(w, 0, 8);
    ts_wr_uint(w, UINT64_MAX, 8);
    ts_wr_uint(w, END, 8);
    ts_wr_uint(w, ROOT, 8);
    ts_wr_checksum(w, 0);
}

static void put_message(struct ts_wr *w, unsigned type, const void *body, size_t size)
{
    ts_wr_uint(w, type, 1);
    ts_wr_uint(w, size, 2);
    ts_wr_uint(w, 0, 1);
    ts_wr_bytes(w, body, size);
}

static void put_header(struct ts_wr *w, size_t at, struct ts_wr *messages)
{
    put_to(w, at);
    ts_wr_bytes(w, "OHDR\2\2", 6);
    ts_wr_uint(w, messages->size, 4);
    ts_wr_bytes(w, messages->data, messages->size);
    ts_wr_checksum(w, at);
    ts_wr_free(messages);
}

static void put_root(struct ts_wr *w)
{
    struct ts_wr messages = {0}, link_info = {0}, link = {0};
    ts_wr_uint(&link_info, 0, 2);
    ts_wr_uint(&link_info, UINT64_MAX, 8);
    ts_wr_uint(&link_info, UINT64_MAX, 8);
    ts_wr_bytes(&link, "\1\0\1d", 4);
    ts_wr_uint(&link, DATASET, 8);
    put_message(&messages, 2, link_info.data, link_info.size);
    put_message(&messages, 10, "\0\0", 2);
    put_message(&messages, 6, link.data, link.size);
    put_header(w, ROOT, &messages);
    ts_wr_free(&link_info);
    ts_wr_free(&link);
}

static void put_in_heap(struct ts_wr *w, unsigned kind, unsigned object)
{
    ts_wr_uint(w, kind, 2);
    ts_wr_uint(w, 0, 4);
    ts_wr_uint(w, HEAP, 8);
    ts_wr_uint(w, object, 4);
}

static void put_elements(struct ts_wr *w, unsigned third_kind)
{
    ts_wr_uint(w, H5R_OBJECT2, 2);
    ts_wr_uint(w, 8, 1);
    ts_wr_uint(w, DATASET, 8);
    ts_wr_zeros(w, ELEMENT - 11);
    put_in_heap(w, H5R_DATASET_REGION2, REGION_OBJECT);
    put_in_heap(w, third_kind, ATTR_OBJECT);
    ts_wr_zeros(w, ELEMENT);
}

/* Class 7 in version 4: kind 2, encoded in version 1. */
static const char datatype[] = {0x47, 0x12, 0, 0, ELEMENT, 0, 0, 0};
static const char dataspace[] = {2, 1, 0, 1, N, 0, 0, 0, 0, 0, 0, 0};

static void put_dataset(struct ts_wr *w, unsigned third_kind)
{
    struct ts_wr messages = {0}, layout = {0}, attribute = {0};
    ts_wr_uint(&layout, 3, 2);
    ts_wr_uint(&layout, N * ELEMENT, 2);
    put_elements(&layout, third_kind);
    ts_wr_uint(&attribute, 3, 2);
    ts_wr_uint(&attribute, 3, 2);
    ts_wr_uint(&attribute, sizeof datatype, 2);
    ts_wr_uint(&attribute, sizeof dataspace, 2);
    ts_wr_bytes(&attribute, "\0at", 4);
    ts_wr_bytes(&attribute, datatype, sizeof datatype);
    ts_wr_bytes(&attribute, dataspace, sizeof dataspace);
    put_elements(&attribute, third_kind);
    put_message(&messages, 1, dataspace, sizeof dataspace);
    put_message(&messages, 3, datatype, sizeof datatype);
    put_message(&messages, 5, "\3\11", 2);
    put_message(&messages, 8, layout.data, layout.size);
    put_message(&messages, 12, attribute.data, attribute.size);
    put_header(w, DATASET, &messages);
    ts_wr_free(&layout);
    ts_wr_free(&attribute);
}

static void put_heap_object(struct ts_wr *w, unsigned index, struct ts_wr *block)
{
    ts_wr_uint(w, index, 2);
    ts_wr_uint(w, 1, 2);
    ts_wr_uint(w, 0, 4);
    ts_wr_uint(w, block->size, 8);
    ts_wr_bytes(w, block->data, block->size);
    ts_wr_zeros(w, (8 - block->size % 8) % 8);
    ts_wr_free(block);
}

/* One block of a hyperslab, elements 1 to 2: selection version 1. */
static void put_selection(struct ts_wr *w)
{
    static const uint32_t fields[] = {2, 1, 0, 16, 1, 1, 1, 2};
    ts_wr_uint(w, sizeof fields, 4);
    ts_wr_uint(w, 1, 4);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        ts_wr_uint(w, fields[i], 4);
}

static void put_heap(struct ts_wr *w)
{
    struct ts_wr region = {0}, attr = {0};
    put_to(w, HEAP);
    ts_wr_bytes(w, "GCOL\1\0\0\0", 8);
    ts_wr_uint(w, HEAP_SIZE, 8);
    ts_wr_uint(&region, 8, 1);
    ts_wr_uint(&region, DATASET, 8);
    put_selection(&region);
    put_heap_object(w, REGION_OBJECT, &region);
    ts_wr_uint(&attr, 8, 1);
    ts_wr_uint(&attr, DATASET, 8);
    ts_wr_uint(&attr, 2, 2);
    ts_wr_bytes(&attr, "at", 2);
    put_heap_object(w, ATTR_OBJECT, &attr);
    ts_wr_uint(w, 0, 8);
    ts_wr_uint(w, END - (w->size - 8), 8);
    put_to(w, END);
}

/* The kind of the third element is H5R_ATTR, or something that is no reference. */
static void make_file(unsigned third_kind)
{
    struct ts_wr w = {0};
    put_superblock(&w);
    put_root(&w);
    put_dataset(&w, third_kind);
    put_heap(&w);
    assert_false(w.bad);
    FILE *out = fopen(file_name, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(w.data, 1, w.size, out), w.size);
    assert_int_equal(fclose(out), 0);
    ts_wr_free(&w);
}

static void check_object(H5R_ref_t *ref)
{
    char name[8];
    H5O_type_t type;
    assert_int_equal(H5Rget_type(ref), H5R_OBJECT2);
    assert_int_equal(H5Rget_obj_type3(ref, H5P_DEFAULT, &type), 0);
    assert_int_equal(type, H5O_TYPE_DATASET);
    assert_int_equal(H5Rget_obj_name(ref, H5P_DEFAULT, name, sizeof name), 2);
    assert_string_equal(name, "/d");
    hid_t obj = H5Ropen_object(ref, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Iget_type(obj), H5I_DATASET);
    assert_int_equal(H5Oclose(obj), 0);
}

static void check_region(H5R_ref_t *ref)
{
    hsize_t low, high;
    assert_int_equal(H5Rget_type(ref), H5R_DATASET_REGION2);
    hid_t space = H5Ropen_region(ref, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(space), 2);
    assert_int_equal(H5Sget_select_bounds(space, &low, &high), 0);
    assert_int_equal(low, 1);
    assert_int_equal(high, 2);
    assert_int_equal(H5Sclose(space), 0);
}

static void check_attr(H5R_ref_t *ref)
{
    char name[8];
    assert_int_equal(H5Rget_type(ref), H5R_ATTR);
    assert_int_equal(H5Rget_attr_name(ref, name, sizeof name), 2);
    assert_string_equal(name, "at");
    hid_t attr = H5Ropen_attr(ref, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Iget_type(attr), H5I_ATTR);
    assert_int_equal(H5Aclose(attr), 0);
}

static void check_all(H5R_ref_t *refs)
{
    static const H5R_ref_t nothing;
    check_object(&refs[0]);
    check_region(&refs[1]);
    check_attr(&refs[2]);
    assert_memory_equal(&refs[3], &nothing, sizeof nothing);
}

struct opened {
    hid_t file, dset, attr, space;
};

static bool open_all(struct opened *o)
{
    o->file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
    o->dset = H5Dopen2(o->file, "d", H5P_DEFAULT);
    o->attr = H5Aopen(o->dset, "at", H5P_DEFAULT);
    o->space = H5Dget_space(o->dset);
    return o->file >= 0 && o->dset >= 0 && o->attr >= 0 && o->space >= 0;
}

static void close_all(const struct opened *o)
{
    if (o->space >= 0)
        H5Sclose(o->space);
    if (o->attr >= 0)
        H5Aclose(o->attr);
    if (o->dset >= 0)
        H5Dclose(o->dset);
    if (o->file >= 0)
        H5Fclose(o->file);
}

static void read_and_reclaim(void **state)
{
    (void)state;
    struct opened o;
    H5R_ref_t refs[N], zeros[N] = {0};
    make_file(H5R_ATTR);
    assert_true(open_all(&o));
    memset(refs, 0xff, sizeof refs);
    assert_int_equal(H5Dread(o.dset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs), 0);
    check_all(refs);
    assert_int_equal(H5Treclaim(H5T_STD_REF, o.space, H5P_DEFAULT, refs), 0);
    assert_memory_equal(refs, zeros, sizeof refs);
    memset(refs, 0xff, sizeof refs);
    assert_int_equal(H5Aread(o.attr, H5T_STD_REF, refs), 0);
    check_all(refs);
    assert_int_equal(H5Treclaim(H5T_STD_REF, o.space, H5P_DEFAULT, refs), 0);
    assert_memory_equal(refs, zeros, sizeof refs);
    hsize_t bytes = 7;
    assert_int_equal(H5Dvlen_get_buf_size(o.dset, H5T_STD_REF, o.space, &bytes), 0);
    assert_int_equal(bytes, 0);
    close_all(&o);
}

/* References that were made before the one that cannot be are gone again: the leak checker would see them. */
static void one_is_broken(void **state)
{
    (void)state;
    struct opened o;
    H5R_ref_t refs[N];
    make_file(9);
    assert_true(open_all(&o));
    assert_true(H5Dread(o.dset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs) < 0);
    assert_true(H5Aread(o.attr, H5T_STD_REF, refs) < 0);
    close_all(&o);
}

static void memory_runs_out(void **state)
{
    (void)state;
    unsigned long total = 1, failures = 0;
    make_file(H5R_ATTR);
    for (unsigned long n = 0; n <= total; n++) {
        struct opened o;
        H5R_ref_t refs[N];
        ts_alloc_fail_at(n ? n : ULONG_MAX, TS_FAULT_ONCE);
        bool ok = open_all(&o) && H5Aread(o.attr, H5T_STD_REF, refs) == 0;
        unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        if (n == 0)
            total = made;
        failures += !ok;
        if (ok) {
            check_all(refs);
            assert_int_equal(H5Treclaim(H5T_STD_REF, o.space, H5P_DEFAULT, refs), 0);
        }
        close_all(&o);
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    }
    assert_true(failures > 20);
}

static int setup(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static int teardown(void **state)
{
    (void)state;
    unlink(file_name);
    return H5close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_and_reclaim), cmocka_unit_test(one_is_broken),
                                       cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
