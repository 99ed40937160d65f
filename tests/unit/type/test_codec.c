/* The datatype message: round trips in each version, and bytes that lie. */
#include "../cmocka_all.h"

#include <stdio.h>

#include "base/error.h"
#include "type/type.h"

#define I32 "10 08 0000 04000000 0000 2000 "
#define F32 "11 20 1f00 04000000 0000 2000 17 08 00 17 7f000000 "
#define NO_DIMS "00 000000 00000000 00000000 00000000 00000000 00000000 00000000 "

static size_t bytes_of(const char *hex, uint8_t *out)
{
    size_t n = 0;
    unsigned v;
    while (*hex) {
        if (*hex == ' ') {
            hex++;
            continue;
        }
        assert_int_equal(sscanf(hex, "%2x", &v), 1);
        out[n++] = (uint8_t)v;
        hex += 2;
    }
    return n;
}

static const char *const good[] = {
    I32,
    "30 08 0000 08000000 0300 2000",
    "11 20 1f00 04000000 0000 2000 17 08 00 17 7f000000",
    "31 61 1f00 04000000 0000 2000 17 08 00 17 81000000",
    "12 01 0000 08000000 4000",
    "13 12 0000 0a000000",
    "14 07 0000 02000000 0100 0500",
    "15 080000 05000000 61207461 67000000",
    "15 000000 05000000",
    "16 020000 08000000 6100000000000000 00000000 " NO_DIMS I32 "6200000000000000 04000000 " NO_DIMS I32,
    "26 010000 04000000 6100000000000000 00000000 " I32,
    "36 020000 00010000 6100 0000 " I32 "62626262626262626200 fc00 " I32,
    "17 000000 08000000",
    "17 010000 0c000000",
    "47 120000 12000000",
    "47 130000 12000000",
    "47 140000 12000000",
    "18 020000 04000000 " I32 "6f6e650000000000 6162636465666768 0000000000000000 01000000 02000000",
    "38 020000 04000000 " I32 "6f6e6500 616200 01000000 02000000",
    "19 000000 10000000 " I32,
    "19 110100 10000000 10 00 0000 01000000 0000 0800",
    "2a 000000 18000000 02 000000 02000000 03000000 00000000 01000000 " I32,
    "3a 000000 18000000 02 02000000 03000000 " I32,
    "5b 010000 08000000 " F32,
    "5a 000000 10000000 01 02000000 5b 010000 08000000 " F32,
    "59 000000 10000000 5b 010000 08000000 " F32,
    "56 020000 0c000000 6100 00 5b 010000 08000000 " F32 "6200 08 " I32,
};

static void test_round_trips(void **state)
{
    uint8_t buf[512];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct ts_type *t;
        struct ts_wr w = {0};
        const char *reason;
        size_t n = bytes_of(good[i], buf), used = 0;
        buf[n] = 0xaa;
        if (ts_type_decode(buf, n + 1, &used, &t) < 0)
            fail_msg("%s: %s", good[i], ts_err_current()->rec[0].text);
        assert_int_equal(used, n);
        assert_true(ts_type_verify(t, &reason));
        assert_int_equal(ts_type_encode(t, &w), 0);
        assert_int_equal(w.size, n);
        assert_memory_equal(w.data, buf, n);
        ts_wr_free(&w);
        ts_type_unref(t);
    }
}

/* Every prefix is an error, never a read past the end. */
static void test_truncation(void **state)
{
    uint8_t buf[512];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t n = bytes_of(good[i], buf);
        for (size_t cut = 0; cut < n; cut++) {
            struct ts_type *t;
            uint8_t *exact = malloc(cut + 1);
            memcpy(exact, buf, cut);
            assert_int_equal(ts_type_decode(exact, cut, NULL, &t), -1);
            free(exact);
            ts_err_clear();
        }
    }
}

static const struct {
    const char *why, *hex;
} bad[] = {
    {"version 0", "00 08 0000 04000000 0000 2000"},
    {"version 6", "60 08 0000 04000000 0000 2000"},
    {"class 11", "1b 08 0000 04000000 0000 2000"},
    {"size 0", "13 00 0000 00000000"},
    {"precision 0", "10 08 0000 04000000 0000 0000"},
    {"precision of more bits than there are", "10 08 0000 04000000 0000 2100"},
    {"offset past the end", "10 08 0000 04000000 0100 2000"},
    {"offset and precision wrap", "10 08 0000 04000000 ffff ffff"},
    {"float: sign outside", "11 20 2000 04000000 0000 2000 17 08 00 17 7f000000"},
    {"float: exponent outside", "11 20 1f00 04000000 0000 2000 19 08 00 17 7f000000"},
    {"float: mantissa outside", "11 20 1f00 04000000 0000 2000 17 08 0a 17 7f000000"},
    {"float: normalization 3", "11 30 1f00 04000000 0000 2000 17 08 00 17 7f000000"},
    {"float: order", "31 60 1f00 04000000 0000 2000 17 08 00 17 7f000000"},
    {"time of too many bits", "12 00 0000 02000000 2000"},
    {"string padding", "13 03 0000 04000000"},
    {"string character set", "13 20 0000 04000000"},
    {"compound without members", "16 000000 04000000"},
    {"compound with more members than bytes", "36 ffff00 04000000 6100 00 " I32},
    {"member past the end", "36 010000 04000000 6100 01 " I32},
    {"member far past the end", "26 010000 04000000 6100000000000000 ffffffff " I32},
    {"members overlap", "36 020000 08000000 6100 00 " I32 "6200 03 " I32},
    {"members overlap out of order", "36 020000 08000000 6100 04 " I32 "6200 02 " I32},
    {"old member of rank 5",
     "16 010000 ff000000 6100000000000000 00000000 05 000000 00000000 00000000 01000000 01000000 "
     "01000000 01000000 " I32},
    {"old member of no elements",
     "16 010000 ff000000 6100000000000000 00000000 01 000000 00000000 00000000 00000000 01000000 "
     "01000000 01000000 " I32},
    {"old member of too many elements",
     "16 010000 ff000000 6100000000000000 00000000 04 000000 00000000 00000000 ffffffff "
     "ffffffff ffffffff ffffffff " I32},
    {"reference of kind 5", "47 150000 12000000"},
    {"revised reference in version 3", "37 120000 12000000"},
    {"complex number in version 4", "4b 010000 08000000 " F32},
    {"complex number of two types", "5b 000000 08000000 " F32},
    {"complex number of angle and radius", "5b 030000 08000000 " F32},
    {"complex number of integers", "5b 010000 08000000 " I32},
    {"complex number of three parts", "5b 010000 0c000000 " F32},
    {"complex number of complex numbers", "5b 010000 10000000 5b 010000 08000000 " F32},
    {"old reference in version 4", "47 000000 08000000"},
    {"reference encoding 2", "47 220000 12000000"},
    {"object reference of 9 bytes", "17 000000 09000000"},
    {"reference of 4 GB", "17 010000 ffffffff"},
    {"enum of another size than its base", "18 010000 08000000 " I32 "6f6e650000000000 0100000000000000"},
    {"enum of float", "38 010000 04000000 11 20 1f00 04000000 0000 2000 17 08 00 17 7f000000 6100 00000000"},
    {"enum with more members than bytes", "38 ffff00 04000000 " I32 "6f6e6500 01000000"},
    {"vlen of kind 2", "19 020000 10000000 " I32},
    {"vlen string padding", "19 310000 10000000 " I32},
    {"array of rank 0", "3a 000000 04000000 00 " I32},
    {"array of rank 33", "3a 000000 04000000 21 " I32},
    {"array of no elements", "3a 000000 04000000 01 00000000 " I32},
    {"array of another size", "3a 000000 09000000 01 02000000 " I32},
    {"array size wraps", "3a 000000 00000000 03 00000080 00000080 00000001 " I32},
    {"array elements wrap", "3a 000000 04000000 04 00000080 00000080 00000080 00000080 " I32},
};

static void test_lies(void **state)
{
    uint8_t buf[512];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ts_type *t;
        size_t n = bytes_of(bad[i].hex, buf);
        if (ts_type_decode(buf, n, NULL, &t) == 0)
            fail_msg("accepted: %s", bad[i].why);
        assert_true(ts_err_current()->depth > 0);
        ts_err_clear();
    }
}

static size_t nested_vlens(uint8_t *buf, unsigned depth)
{
    static const uint8_t vlen[8] = {0x19, 0, 0, 0, 16, 0, 0, 0};
    for (unsigned i = 0; i < depth; i++)
        memcpy(buf + 8 * i, vlen, sizeof vlen);
    return 8 * depth + bytes_of(I32, buf + 8 * depth);
}

static void test_depth(void **state)
{
    static uint8_t buf[8 * 100000 + 64];
    struct ts_type *t;
    (void)state;
    size_t n = nested_vlens(buf, TS_TYPE_MAX_DEPTH);
    assert_int_equal(ts_type_decode(buf, n, NULL, &t), 0);
    ts_type_unref(t);
    n = nested_vlens(buf, TS_TYPE_MAX_DEPTH + 1);
    assert_int_equal(ts_type_decode(buf, n, NULL, &t), -1);
    n = nested_vlens(buf, 100000);
    assert_int_equal(ts_type_decode(buf, n, NULL, &t), -1);
    ts_err_clear();
}

static struct ts_type *wrapped(struct ts_type *inner, int how)
{
    struct ts_type *t = NULL;
    const hsize_t one = 1;
    int status = how == 0   ? ts_type_new_vlen(inner, &t)
                 : how == 1 ? ts_type_new_array(inner, 1, &one, &t)
                            : ts_type_new(H5T_COMPOUND, inner->size, &t);
    if (status == 0 && how == 2 && ts_type_insert(t, "m", 0, inner) < 0) {
        ts_type_unref(t);
        t = NULL;
    }
    ts_type_unref(inner);
    return t;
}

/* Types of every kind get as deep as what is decoded may be, and no deeper. */
static void test_no_deeper_than_can_be_decoded(void **state)
{
    (void)state;
    for (int first = 0; first < 3; first++) {
        struct ts_type *t, *again;
        struct ts_wr w = {0};
        const char *reason;
        assert_int_equal(ts_type_new_integer(4, H5T_ORDER_LE, H5T_SGN_2, &t), 0);
        for (unsigned i = 0; i < TS_TYPE_MAX_DEPTH; i++) {
            assert_int_equal(t->depth, i);
            assert_non_null(t = wrapped(t, (first + (int)i) % 3));
        }
        assert_true(ts_type_verify(t, &reason));
        assert_int_equal(ts_type_encode(t, &w), 0);
        assert_int_equal(ts_type_decode(w.data, w.size, NULL, &again), 0);
        assert_int_equal(again->depth, TS_TYPE_MAX_DEPTH);
        assert_int_equal(again->cls, t->cls);
        for (int how = 0; how < 3; how++)
            assert_null(wrapped(ts_type_ref(t), how));
        ts_wr_free(&w);
        ts_type_unref(again);
        ts_type_unref(t);
    }
    ts_err_clear();
}

/* Version 1 had arrays as a property of members: they become array types. */
static void test_old_array_members(void **state)
{
    uint8_t buf[512];
    struct ts_type *t;
    (void)state;
    size_t n =
        bytes_of("16 010000 18000000 6100000000000000 00000000 02 000000 00000000 00000000 02000000 03000000 00000000 "
                 "00000000 " I32,
                 buf);
    assert_int_equal(ts_type_decode(buf, n, NULL, &t), 0);
    const struct ts_type *m = t->u.compound.members[0].type;
    assert_int_equal(m->cls, H5T_ARRAY);
    assert_int_equal(m->u.array.rank, 2);
    assert_int_equal(m->u.array.dims[1], 3);
    assert_int_equal(m->size, 24);
    assert_int_equal(t->version, 2);
    ts_type_unref(t);
}

/* As found in files of 1.4: an array of version 1 in a compound of version 2. It is written again as what it is. */
static void test_array_in_version_1(void **state)
{
    uint8_t buf[512];
    struct ts_type *t;
    struct ts_wr w = {0};
    (void)state;
    size_t n = bytes_of("26 010000 08000000 6100000000000000 00000000 1a 000000 08000000 01 000000 02000000 00000000 " I32, buf);
    assert_int_equal(ts_type_decode(buf, n, NULL, &t), 0);
    const struct ts_type *m = t->u.compound.members[0].type;
    assert_int_equal(m->cls, H5T_ARRAY);
    assert_int_equal(m->u.array.dims[0], 2);
    assert_int_equal(m->base->cls, H5T_INTEGER);
    assert_int_equal(ts_type_encode(t, &w), 0);
    assert_int_equal(w.size, n);
    assert_int_equal(w.data[20], 0x2a);
    ts_wr_free(&w);
    ts_type_unref(t);
}

/* Files with the latest bounds say version 4 or 5 of what needs no more than 3, which is what it becomes elsewhere. */
static void test_later_than_needed(void **state)
{
    static const struct {
        const char *bytes;
        unsigned version;
    } cases[] = {
        {"56 010000 04000000 6100 00 " I32, 3},
        {"46 010000 04000000 6100 00 " I32, 3},
        {"58 010000 04000000 " I32 "6f6e6500 01000000", 3},
        {"5a 000000 08000000 01 02000000 56 010000 04000000 6100 00 " I32, 3},
        {"56 010000 12000000 6100 00 47 120000 12000000", 4},
        {"56 010000 08000000 6100 00 5b 010000 08000000 " F32, 5},
        {"59 000000 10000000 58 010000 04000000 " I32 "6f6e6500 01000000", 3},
    };
    uint8_t buf[512];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_type *t;
        size_t n = bytes_of(cases[i].bytes, buf);
        assert_int_equal(ts_type_decode(buf, n, NULL, &t), 0);
        assert_int_equal(t->version, cases[i].version);
        ts_type_unref(t);
    }
}

static void test_no_encoding(void **state)
{
    struct ts_type *t;
    struct ts_wr w = {0};
    (void)state;
    assert_int_equal(ts_type_new_integer(4, H5T_ORDER_VAX, H5T_SGN_2, &t), 0);
    assert_int_equal(ts_type_encode(t, &w), -1);
    t->atomic.order = H5T_ORDER_LE;
    assert_int_equal(ts_type_set_precision(t, 70000), 0);
    assert_int_equal(ts_type_encode(t, &w), -1);
    assert_int_equal(ts_type_set_precision(t, 65535), 0);
    assert_int_equal(ts_type_encode(t, &w), 0);
    ts_type_unref(t);
    assert_int_equal(ts_type_new(H5T_OPAQUE, (size_t)1 << 33, &t), 0);
    assert_int_equal(ts_type_encode(t, &w), -1);
    ts_type_unref(t);
    ts_wr_free(&w);
    ts_err_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_no_deeper_than_can_be_decoded),
        cmocka_unit_test(test_old_array_members),
        cmocka_unit_test(test_array_in_version_1),
        cmocka_unit_test(test_later_than_needed),
        cmocka_unit_test(test_no_encoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
