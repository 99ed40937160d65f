/* Complex numbers, from what H5T says of them to files. Expected values are those of libhdf5 2.0. */
#include "unit/cmocka_all.h"

#include <complex.h>
#include <string.h>

#include "hdf5.h"

static const struct {
    float _Complex single[2];
    double _Complex twice[2];
} numbers = {{1.5f + 2.25f * I, 3 - 4 * I}, {1.5 + 2.25 * I, 1e300 + 1e-300 * I}};

static hid_t pair(const char *real, const char *imaginary, hid_t part)
{
    size_t size = H5Tget_size(part);
    hid_t t = H5Tcreate(H5T_COMPOUND, 2 * size);
    assert_int_equal(H5Tinsert(t, real, 0, part), 0);
    assert_int_equal(H5Tinsert(t, imaginary, size, part), 0);
    return t;
}

static void what_a_type_says(void **state)
{
    (void)state;
    size_t sign, epos, esize, mpos, msize;
    hid_t t = H5Tcomplex_create(H5T_IEEE_F32LE), part = H5Tget_super(t), array, native;
    assert_int_equal(H5Tget_class(t), H5T_COMPLEX);
    assert_int_equal(H5Tget_size(t), 8);
    assert_int_equal(H5Tequal(t, H5T_COMPLEX_IEEE_F32LE), 1);
    assert_int_equal(H5Tequal(t, H5T_NATIVE_FLOAT_COMPLEX), 1);
    assert_int_equal(H5Tequal(t, H5T_COMPLEX_IEEE_F32BE), 0);
    assert_int_equal(H5Tequal(part, H5T_IEEE_F32LE), 1);
    assert_int_equal(H5Tget_order(H5T_COMPLEX_IEEE_F64BE), H5T_ORDER_BE);
    assert_int_equal(H5Tget_precision(t), 32);
    assert_int_equal(H5Tget_ebias(t), 127);
    assert_int_equal(H5Tget_fields(t, &sign, &epos, &esize, &mpos, &msize), 0);
    assert_int_equal(sign, 31);
    assert_int_equal(msize, 23);
    assert_int_equal(H5Tdetect_class(t, H5T_COMPLEX), 1);
    assert_int_equal(H5Tdetect_class(t, H5T_FLOAT), 1);
    assert_int_equal(H5Tdetect_class(t, H5T_INTEGER), 0);
    assert_int_equal(H5Tget_nmembers(t), -1);
    native = H5Tget_native_type(H5T_COMPLEX_IEEE_F64BE, H5T_DIR_DEFAULT);
    assert_int_equal(H5Tequal(native, H5T_NATIVE_DOUBLE_COMPLEX), 1);
    array = H5Tarray_create2(t, 1, (hsize_t[]){3});
    assert_int_equal(H5Tget_size(array), 24);
    assert_int_equal(H5Tdetect_class(array, H5T_COMPLEX), 1);
    H5Tclose(native), H5Tclose(array), H5Tclose(part), H5Tclose(t);
}

static void what_may_be_changed(void **state)
{
    (void)state;
    hid_t t = H5Tcopy(H5T_COMPLEX_IEEE_F32LE);
    assert_int_equal(H5Tset_order(t, H5T_ORDER_BE), 0);
    assert_int_equal(H5Tequal(t, H5T_COMPLEX_IEEE_F32BE), 1);
    assert_int_equal(H5Tset_precision(t, 40), 0);
    assert_int_equal(H5Tget_size(t), 10);
    assert_int_equal(H5Tset_size(t, 16), -1);
    assert_int_equal(H5Tset_sign(t, H5T_SGN_NONE), -1);
    assert_int_equal(H5Tget_size(t), 10);
    H5Tclose(t);
    assert_int_equal(H5Tset_order(H5T_COMPLEX_IEEE_F32LE, H5T_ORDER_BE), -1);
    assert_int_equal(H5Tcomplex_create(H5T_NATIVE_INT), -1);
    assert_int_equal(H5Tcomplex_create(H5T_COMPLEX_IEEE_F32LE), -1);
    assert_int_equal(H5Tcomplex_create(-1), -1);
    assert_int_equal(H5Tcreate(H5T_COMPLEX, 8), -1);
}

static void parts_are_converted(void **state)
{
    (void)state;
    _Alignas(16) char buf[64];
    double _Complex wide[2];
    float _Complex narrow[2];
    float real[2];
    memcpy(buf, numbers.single, 16);
    assert_int_equal(H5Tconvert(H5T_NATIVE_FLOAT_COMPLEX, H5T_NATIVE_DOUBLE_COMPLEX, 2, buf, NULL, H5P_DEFAULT), 0);
    memcpy(wide, buf, sizeof wide);
    assert_true(wide[0] == 1.5 + 2.25 * I && wide[1] == 3 - 4 * I);
    assert_int_equal(H5Tconvert(H5T_NATIVE_DOUBLE_COMPLEX, H5T_COMPLEX_IEEE_F32BE, 2, buf, NULL, H5P_DEFAULT), 0);
    assert_memory_equal(buf, "\x3f\xc0\0\0\x40\x10\0\0\x40\x40\0\0\xc0\x80\0\0", 16);
    assert_int_equal(H5Tconvert(H5T_COMPLEX_IEEE_F32BE, H5T_NATIVE_FLOAT, 2, buf, NULL, H5P_DEFAULT), 0);
    memcpy(real, buf, sizeof real);
    assert_true(real[0] == 1.5 && real[1] == 3);
    assert_int_equal(H5Tconvert(H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT_COMPLEX, 2, buf, NULL, H5P_DEFAULT), 0);
    memcpy(narrow, buf, sizeof narrow);
    assert_true(narrow[0] == 1.5f && narrow[1] == 3);
    assert_int_equal(H5Tconvert(H5T_NATIVE_FLOAT_COMPLEX, H5T_NATIVE_INT, 2, buf, NULL, H5P_DEFAULT), 0);
    assert_memory_equal(buf, ((int[]){1, 3}), 8);
    assert_int_equal(H5Tconvert(H5T_NATIVE_INT, H5T_COMPLEX_IEEE_F64LE, 2, buf, NULL, H5P_DEFAULT), 0);
    memcpy(wide, buf, sizeof wide);
    assert_true(wide[0] == 1 && wide[1] == 3);
    assert_int_equal(H5Tconvert(H5T_NATIVE_DOUBLE_COMPLEX, H5T_NATIVE_B64, 1, buf, NULL, H5P_DEFAULT), -1);
}

static void only_direct_conversions_are_the_compilers(void **state)
{
    (void)state;
    assert_int_equal(H5Tcompiler_conv(H5T_NATIVE_FLOAT_COMPLEX, H5T_NATIVE_DOUBLE_COMPLEX), 1);
    assert_int_equal(H5Tcompiler_conv(H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT_COMPLEX), 1);
    assert_int_equal(H5Tcompiler_conv(H5T_NATIVE_LDOUBLE_COMPLEX, H5T_NATIVE_INT), 1);
    assert_int_equal(H5Tcompiler_conv(H5T_NATIVE_FLOAT_COMPLEX, H5T_COMPLEX_IEEE_F64BE), 0);
    assert_int_equal(H5Tcompiler_conv(H5T_IEEE_F32BE, H5T_COMPLEX_IEEE_F32BE), 0);
}

/* Two floats next to each other are a complex number where their names say so, or where they have none. */
static void pairs_are_complex_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *real, *imaginary;
        bool good;
    } cases[] = {{"r", "i", true},   {"re", "im", true},  {"real", "imag", true}, {"real", "imaginary", true}, {"r", "imag", true},
                 {"R", "I", false},  {"i", "r", false},   {"a", "b", false},      {"real_part", "imag_part", false}};
    char buf[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t t = pair(cases[i].real, cases[i].imaginary, H5T_NATIVE_FLOAT);
        memcpy(buf, numbers.single, 16);
        assert_int_equal(H5Tconvert(t, H5T_NATIVE_FLOAT_COMPLEX, 2, buf, NULL, H5P_DEFAULT), cases[i].good ? 0 : -1);
        assert_int_equal(H5Tconvert(H5T_NATIVE_FLOAT_COMPLEX, t, 2, buf, NULL, H5P_DEFAULT), cases[i].good ? 0 : -1);
        assert_memory_equal(buf, numbers.single, 16);
        H5Tclose(t);
    }
    hid_t others[] = {pair("r", "i", H5T_NATIVE_DOUBLE), pair("r", "i", H5T_IEEE_F32BE), pair("r", "i", H5T_NATIVE_INT),
                      H5Tarray_create2(H5T_NATIVE_FLOAT, 1, (hsize_t[]){3}), H5Tarray_create2(H5T_NATIVE_INT, 1, (hsize_t[]){2})};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(H5Tconvert(H5T_NATIVE_FLOAT_COMPLEX, others[i], 1, buf, NULL, H5P_DEFAULT), -1);
        H5Tclose(others[i]);
    }
    hid_t array = H5Tarray_create2(H5T_NATIVE_FLOAT, 2, (hsize_t[]){1, 2});
    assert_int_equal(H5Tconvert(array, H5T_NATIVE_FLOAT_COMPLEX, 2, buf, NULL, H5P_DEFAULT), 0);
    assert_memory_equal(buf, numbers.single, 16);
    H5Tclose(array);
}

struct told {
    int n;
    double _Complex from;
    bool handle;
};

static H5T_conv_ret_t tell(H5T_conv_except_t kind, hid_t src, hid_t dst, void *from, void *to, void *data)
{
    struct told *told = data;
    float _Complex mine = 7 + 8 * I;
    told->n++;
    assert_int_equal(kind, H5T_CONV_EXCEPT_RANGE_HI);
    assert_int_equal(H5Tget_class(src), H5T_COMPLEX);
    assert_int_equal(H5Tget_class(dst), H5T_COMPLEX);
    memcpy(&told->from, from, sizeof told->from);
    if (!told->handle) {
        memset(to, 0xee, sizeof mine);
        return H5T_CONV_UNHANDLED;
    }
    memcpy(to, &mine, sizeof mine);
    return H5T_CONV_HANDLED;
}

static void exceptions_are_of_whole_numbers(void **state)
{
    (void)state;
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    for (int handle = 0; handle < 2; handle++) {
        struct told told = {.handle = handle};
        _Alignas(16) char buf[32];
        float _Complex out[2];
        memcpy(buf, numbers.twice, 32);
        assert_int_equal(H5Pset_type_conv_cb(dxpl, tell, &told), 0);
        assert_int_equal(H5Tconvert(H5T_NATIVE_DOUBLE_COMPLEX, H5T_NATIVE_FLOAT_COMPLEX, 2, buf, NULL, dxpl), 0);
        memcpy(out, buf, sizeof out);
        assert_int_equal(told.n, 1);
        assert_true(told.from == numbers.twice[1]);
        assert_true(out[0] == 1.5f + 2.25f * I);
        assert_true(handle ? out[1] == 7 + 8 * I : creal(out[1]) > 1e38 && cimag(out[1]) == 0);
    }
    H5Pclose(dxpl);
}

static hid_t file_of(H5F_libver_t low, H5F_libver_t high)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 4096, 0);
    assert_int_equal(H5Pset_libver_bounds(fapl, low, high), 0);
    hid_t file = H5Fcreate("complex.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    H5Pclose(fapl);
    return file;
}

/* The version of the message that begins with the class and these bytes, 0 when there is none. */
static unsigned stored_version(hid_t file, H5T_class_t cls, const char *bytes)
{
    static char image[65536];
    unsigned found = 0;
    assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    ssize_t size = H5Fget_file_image(file, image, sizeof image);
    for (ssize_t i = 0; i + 8 <= size; i++)
        if ((image[i] & 15) == (int)cls && memcmp(image + i + 1, bytes, 7) == 0)
            found = (unsigned)image[i] >> 4;
    return found;
}

static void datasets_of_complex_numbers(void **state)
{
    (void)state;
    hid_t file = file_of(H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), space = H5Screate_simple(1, (hsize_t[]){2}, NULL);
    hid_t dset = H5Dcreate2(file, "c", H5T_COMPLEX_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    float _Complex back[2];
    double real[2];
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_FLOAT_COMPLEX, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.single), 0);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_FLOAT_COMPLEX, H5S_ALL, H5S_ALL, H5P_DEFAULT, back), 0);
    assert_memory_equal(back, numbers.single, sizeof back);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, real), 0);
    assert_true(real[0] == 1.5 && real[1] == 3);
    assert_int_equal(stored_version(file, H5T_COMPLEX, "\1\0\0\20\0\0\0"), 5);
    H5Dclose(dset), H5Sclose(space), H5Fclose(file);
}

static void bounds_forbid_complex_numbers(void **state)
{
    (void)state;
    hid_t file = file_of(H5F_LIBVER_EARLIEST, H5F_LIBVER_V112), space = H5Screate(H5S_SCALAR);
    hid_t sequence = H5Tvlen_create(H5T_COMPLEX_IEEE_F32LE);
    assert_int_equal(H5Dcreate2(file, "c", H5T_COMPLEX_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), -1);
    assert_int_equal(H5Dcreate2(file, "c", sequence, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), -1);
    assert_int_equal(H5Acreate2(file, "c", H5T_COMPLEX_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT), -1);
    hid_t dset = H5Dcreate2(file, "r", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dset >= 0);
    H5Dclose(dset), H5Fclose(file);
    file = file_of(H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    assert_int_equal(H5Dcreate2(file, "r", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), -1);
    H5Tclose(sequence), H5Sclose(space), H5Fclose(file);
}

/* Before the version is asked for nobody gets more than he needs. */
static void versions_follow_the_low_bound(void **state)
{
    (void)state;
    static const struct {
        H5F_libver_t low;
        unsigned version;
    } cases[] = {{H5F_LIBVER_EARLIEST, 1}, {H5F_LIBVER_V18, 3}, {H5F_LIBVER_V114, 3}, {H5F_LIBVER_V200, 5}};
    hid_t record = H5Tcreate(H5T_COMPOUND, 4), space = H5Screate(H5S_SCALAR);
    H5Tinsert(record, "n", 0, H5T_STD_I32LE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t file = file_of(cases[i].low, H5F_LIBVER_V200);
        hid_t dset = H5Dcreate2(file, "d", record, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_int_equal(stored_version(file, H5T_COMPOUND, "\1\0\0\4\0\0\0"), cases[i].version);
        H5Dclose(dset), H5Fclose(file);
    }
    H5Tclose(record), H5Sclose(space);
}

static int quiet(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_type_says),
        cmocka_unit_test(what_may_be_changed),
        cmocka_unit_test(parts_are_converted),
        cmocka_unit_test(only_direct_conversions_are_the_compilers),
        cmocka_unit_test(pairs_are_complex_numbers),
        cmocka_unit_test(exceptions_are_of_whole_numbers),
        cmocka_unit_test(datasets_of_complex_numbers),
        cmocka_unit_test(bounds_forbid_complex_numbers),
        cmocka_unit_test(versions_follow_the_low_bound),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
