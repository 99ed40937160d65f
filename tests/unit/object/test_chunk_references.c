/* References of every revised kind through the heap of a structured chunk, with a real file. */
#include "unit/cmocka_all.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "hdf5.h"
#include "object/reference.h"
#include "object/vl_sink.h"
#include "object/vl_source.h"
#include "type/chunk_heap.h"
#include "type/type.h"

enum { N = 5 };

static const char name[] = "chunk-references.h5", other_name[] = "chunk-references-other.h5";

static hid_t make_file(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t dims[2] = {10, 10};
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t d = H5Dcreate2(file, "d", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t a = H5Acreate2(d, "at", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0 && a >= 0);
    H5Aclose(a);
    H5Dclose(d);
    H5Sclose(space);
    return file;
}

/* To an object, a region, an attribute, an object of another file, and nothing. */
static void make_references(hid_t file, hid_t other, H5R_ref_t *refs)
{
    hsize_t dims[2] = {10, 10}, start[2] = {1, 2}, count[2] = {3, 4};
    hid_t space = H5Screate_simple(2, dims, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    memset(refs, 0, N * sizeof *refs);
    assert_int_equal(H5Rcreate_object(file, "d", H5P_DEFAULT, &refs[0]), 0);
    assert_int_equal(H5Rcreate_region(file, "d", space, H5P_DEFAULT, &refs[1]), 0);
    assert_int_equal(H5Rcreate_attr(file, "d", "at", H5P_DEFAULT, &refs[2]), 0);
    assert_int_equal(H5Rcreate_object(other, "d", H5P_DEFAULT, &refs[3]), 0);
    H5Sclose(space);
}

struct fixture {
    hid_t file, other;
    H5R_ref_t refs[N];
    struct ts_type *mem, *stored;
    struct ts_conv_path *in, *out;
    struct ts_vl_sink sink;
    struct ts_vl_source source;
    struct ts_chunk_heap heap;
    struct ts_conv_env env;
    uint8_t fields[N * TS_TYPE_CHUNK_FIELD];
};

static void setup(struct fixture *x)
{
    struct ts_ref ref;
    memset(x, 0, sizeof *x);
    x->file = make_file(name);
    x->other = make_file(other_name);
    make_references(x->file, x->other, x->refs);
    ts_ref_load(&ref, &x->refs[0]);
    assert_int_equal(ts_vl_sink_open(ref.fh->file, &x->sink), 0);
    ts_vl_source_init(&x->source, ref.fh->file);
    assert_int_equal(ts_type_new_reference(H5R_OBJECT2, &x->mem), 0);
    x->stored = ts_type_ref(x->mem);
    assert_int_equal(ts_type_set_loc(&x->stored, TS_LOC_CHUNK, 8), 1);
    assert_int_equal(ts_conv_find(x->mem, x->stored, &x->in), 0);
    assert_int_equal(ts_conv_find(x->stored, x->mem, &x->out), 0);
    x->env = (struct ts_conv_env){.sink = &x->sink, .source = &x->source, .chunk = &x->heap};
}

static void teardown(struct fixture *x)
{
    for (size_t i = 0; i < N - 1; i++)
        H5Rdestroy(&x->refs[i]);
    ts_vl_sink_close(&x->sink);
    ts_chunk_heap_deinit(&x->heap);
    ts_conv_path_unref(x->in);
    ts_conv_path_unref(x->out);
    ts_type_unref(x->mem);
    ts_type_unref(x->stored);
    H5Fclose(x->other);
    H5Fclose(x->file);
    unlink(name);
    unlink(other_name);
}

static void every_kind_comes_back(void **state)
{
    (void)state;
    struct fixture x;
    H5R_ref_t got[N];
    char text[64];
    setup(&x);
    assert_int_equal(ts_conv_copy(x.in, &x.env, N, x.refs, x.fields), 0);
    /* Kind, flags, token size and token, and nothing of the global heap. */
    assert_int_equal(ts_chunk_field_get(x.fields).size, 11);
    assert_int_equal(ts_chunk_field_get(x.fields + 4 * TS_TYPE_CHUNK_FIELD).size, 0);
    assert_int_equal(ts_conv_copy(x.out, &x.env, N, x.fields, got), 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(H5Requal(&got[i], &x.refs[i]), 1);
    assert_int_equal(H5Rget_type(&got[3]), H5R_OBJECT2);
    assert_int_equal(H5Rget_file_name(&got[3], text, sizeof text), sizeof other_name - 1);
    assert_string_equal(text, other_name);
    hid_t d = H5Ropen_object(&got[3], H5P_DEFAULT, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    hid_t region = H5Ropen_region(&got[1], H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(region), 12);
    H5Sclose(region);
    assert_int_equal(H5Rget_attr_name(&got[2], text, sizeof text), 2);
    assert_string_equal(text, "at");
    static const uint8_t zeros[sizeof(H5R_ref_t)];
    assert_memory_equal(&got[4], zeros, sizeof zeros);
    for (size_t i = 0; i < N - 1; i++)
        H5Rdestroy(&got[i]);
    teardown(&x);
}

/* What the segments hold is not believed. */
static void segments_are_not_trusted(void **state)
{
    (void)state;
    struct fixture x;
    unsigned refused = 0;
    setup(&x);
    assert_int_equal(ts_conv_copy(x.in, &x.env, N, x.refs, x.fields), 0);
    for (size_t i = TS_CHUNK_HEAP_HEADER; i < x.heap.size; i++)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            H5R_ref_t got[N];
            x.heap.bytes[i] ^= (uint8_t)(1u << bit);
            if (ts_conv_copy(x.out, &x.env, N, x.fields, got) < 0)
                refused++;
            else
                for (size_t k = 0; k < N; k++)
                    ts_ref_destroy(&got[k]);
            x.heap.bytes[i] ^= (uint8_t)(1u << bit);
        }
    assert_true(refused > 20);
    for (uint64_t size = 1; size < 11; size++) {
        H5R_ref_t got;
        ts_chunk_field_put(x.fields, ts_chunk_field_get(x.fields).offset, size);
        assert_true(ts_conv_copy(x.out, &x.env, 1, x.fields, &got) < 0);
    }
    ts_err_clear();
    teardown(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back),
        cmocka_unit_test(segments_are_not_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
