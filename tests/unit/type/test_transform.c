#include "unit/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "type/transform.h"

static struct ts_type *native(H5T_class_t cls, size_t size, H5T_sign_t sign)
{
    struct ts_type *t;
    H5T_order_t order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? H5T_ORDER_LE : H5T_ORDER_BE;
    if (cls == H5T_FLOAT)
        assert_int_equal(ts_type_new_float(size, order, &t), 0);
    else
        assert_int_equal(ts_type_new_integer(size, order, sign, &t), 0);
    return t;
}

static int apply(const char *text, struct ts_type *type, size_t n, void *elements)
{
    struct ts_transform *t;
    struct ts_transform_work r;
    if (ts_transform_parse(text, &t) < 0)
        return -1;
    int status = ts_transform_work_init(&r, t, type);
    if (status == 0)
        status = ts_transform_apply(&r, n, elements);
    ts_transform_work_deinit(&r);
    ts_transform_free(t);
    return status;
}

static int32_t of_int(const char *text, int32_t x)
{
    struct ts_type *type = native(H5T_INTEGER, 4, H5T_SGN_2);
    assert_int_equal(apply(text, type, 1, &x), 0);
    ts_type_unref(type);
    return x;
}

static void values(void **state)
{
    (void)state;
    assert_int_equal(of_int("x", 7), 7);
    assert_int_equal(of_int("(x-32)*5/9", 212), 100);
    assert_int_equal(of_int("1/2*x", 100), 0);
    assert_int_equal(of_int("x*1/2", 101), 50);
    assert_int_equal(of_int("x*0.5*2", 101), 100); /* the half is lost at once */
    assert_int_equal(of_int("x*x*x", 2000), (int32_t)UINT32_C(3705032704));
    assert_int_equal(of_int("2*-x+1", 4), -7);
    assert_int_equal(of_int("x-(x-(x-(x-1)))", 9), 1);
    assert_int_equal(of_int("x*2", INT32_MAX), INT32_MIN);
    assert_int_equal(of_int("x/0", 1), INT32_MIN);
    assert_int_equal(of_int("99999999999", 1), 1215752191);
    assert_int_equal(of_int("x/(0-x/x)", INT32_MIN), INT32_MIN);
    assert_int_equal(of_int("\t-(x)\n*(2)", 3), -6);
}

static void every_type_in_long_runs(void **state)
{
    (void)state;
    enum { N = 5000 };
    char *bytes = malloc(N * 16 + 1);
    static const size_t sizes[] = {1, 2, 4, 8};
    for (int k = 0; k < 8; k++) {
        size_t size = sizes[k / 2];
        struct ts_type *type = native(H5T_INTEGER, size, k % 2 ? H5T_SGN_2 : H5T_SGN_NONE);
        /* Unaligned on purpose. */
        memset(bytes, 0, N * 16 + 1);
        for (size_t i = 0; i < N; i++)
            bytes[1 + i * size] = (char)(i % 10);
        assert_int_equal(apply("x*x+3*x+1", type, N, bytes + 1), 0);
        for (size_t i = 0; i < N; i++)
            assert_int_equal((unsigned char)bytes[1 + i * size], (i % 10) * (i % 10) + 3 * (i % 10) + 1);
        ts_type_unref(type);
    }
    struct ts_type *type = native(H5T_FLOAT, sizeof(long double), H5T_SGN_2);
    long double v[3] = {1, -2.5L, 100};
    assert_int_equal(apply("x*x/2-x", type, 3, v), 0);
    assert_true(v[0] == -0.5L && v[1] == 5.625L && v[2] == 4900);
    ts_type_unref(type);
    free(bytes);
}

static void zero_division_is_an_error(void **state)
{
    (void)state;
    struct ts_transform *t;
    int32_t v[3] = {1, 0, 2};
    double d = 0;
    struct ts_type *i32 = native(H5T_INTEGER, 4, H5T_SGN_2), *f64 = native(H5T_FLOAT, 8, H5T_SGN_2);
    assert_true(apply("x/x", i32, 3, v) < 0);
    assert_int_equal(apply("x/x", f64, 1, &d), 0);
    assert_true(isnan(d));
    assert_true(ts_transform_parse("5/0", &t) < 0);
    assert_true(ts_transform_parse("x+5/(2-2)", &t) < 0);
    ts_type_unref(i32);
    ts_type_unref(f64);
    ts_err_clear();
}

static void other_types_are_refused(void **state)
{
    (void)state;
    int32_t v = 1;
    struct ts_type *types[4];
    assert_int_equal(ts_type_new_integer(4, H5T_ORDER_BE, H5T_SGN_2, &types[0]), 0);
    assert_int_equal(ts_type_new_integer(3, H5T_ORDER_LE, H5T_SGN_2, &types[1]), 0);
    assert_int_equal(ts_type_new_bitfield(4, H5T_ORDER_LE, &types[2]), 0);
    assert_int_equal(ts_type_new_string(4, H5T_CSET_ASCII, H5T_STR_NULLTERM, &types[3]), 0);
    for (int i = 0; i < 4; i++) {
        assert_true(apply("x+1", types[i], 1, &v) < 0);
        ts_type_unref(types[i]);
    }
    assert_int_equal(v, 1);
    ts_err_clear();
}

static void bad_texts(void **state)
{
    (void)state;
    static const char *const bad[] = {"", " ", "x x", "(x", "x+", "*x", "x^2", "2x", "()", "xx", "--x", "-(x+1)", "-(x+1)-3",
                                      "x)y", ")", "1e", "x**2", "x+*2", "-+x-1", "*-x", "(x+)", "x(2)"};
    struct ts_transform *t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ts_transform_parse(bad[i], &t) == 0)
            fail_msg("'%s' is taken", bad[i]);
    ts_err_clear();
}

/* Nesting costs memory in proportion to the text and no stack. */
static void deep_and_long(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    struct ts_type *type = native(H5T_INTEGER, 8, H5T_SGN_2);
    struct ts_transform *t;
    char *text = malloc(6 * DEEP + 2);
    int64_t x = 3;
    memset(text, '(', 2 * DEEP);
    text[2 * DEEP] = '\0';
    assert_true(ts_transform_parse(text, &t) < 0);
    text[DEEP] = 'x';
    memset(text + DEEP + 1, ')', DEEP);
    text[2 * DEEP + 1] = '\0';
    assert_int_equal(apply(text, type, 1, &x), 0);
    assert_int_equal(x, 3);
    /* x-(x-(x-( ... x))): as many intermediate results as parentheses. */
    for (size_t i = 0; i < DEEP; i++)
        memcpy(text + 3 * i, "x-(", 3);
    text[3 * DEEP] = 'x';
    memset(text + 3 * DEEP + 1, ')', DEEP);
    text[4 * DEEP + 1] = '\0';
    assert_int_equal(apply(text, type, 1, &x), 0);
    assert_int_equal(x, 3);
    memset(text, '9', 6 * DEEP);
    text[6 * DEEP] = '\0';
    assert_int_equal(apply(text, type, 1, &x), 0);
    assert_true(x == INT64_MAX);
    memset(text, '-', 6 * DEEP);
    assert_true(ts_transform_parse(text, &t) < 0);
    ts_err_clear();
    ts_type_unref(type);
    free(text);
}

static void random_texts_do_no_harm(void **state)
{
    (void)state;
    static const char letters[] = "xxyE10.e+-*/() ";
    unsigned seed = 1;
    struct ts_type *type = native(H5T_INTEGER, 2, H5T_SGN_2);
    for (int i = 0; i < 50000; i++) {
        char text[16] = "";
        int16_t v[3] = {0, -5, INT16_MIN};
        for (unsigned k = 0; k < 1 + (unsigned)i % 14; k++) {
            seed = seed * 1664525 + 1013904223;
            text[k] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        (void)apply(text, type, 3, v);
        ts_err_clear();
    }
    ts_type_unref(type);
}

static void out_of_memory(void **state)
{
    (void)state;
    struct ts_type *type = native(H5T_INTEGER, 4, H5T_SGN_2);
    unsigned long n = 0;
    int32_t x, r;
    do {
        x = 5;
        ts_alloc_fail_at(++n, TS_FAULT_ONCE);
        r = apply("(x+1)*(x-1)*2", type, 1, &x);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_err_clear();
        assert_true(n < 100);
    } while (r < 0);
    assert_true(n > 4);
    assert_int_equal(x, 48);
    ts_type_unref(type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(every_type_in_long_runs),
        cmocka_unit_test(zero_division_is_an_error),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(bad_texts),
        cmocka_unit_test(deep_and_long),
        cmocka_unit_test(random_texts_do_no_harm),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
