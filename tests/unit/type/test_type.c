/* The datatype model: sharing, changes, places, native types. */
#include "../cmocka_all.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/error.h"
#include "type/type.h"

static struct ts_type *integer(size_t size)
{
    struct ts_type *t = NULL;
    assert_int_equal(ts_type_new_integer(size, H5T_ORDER_LE, H5T_SGN_2, &t), 0);
    return t;
}

static struct ts_type *vlen_string(void)
{
    struct ts_type *t = NULL;
    assert_int_equal(ts_type_new_string(H5T_VARIABLE, H5T_CSET_UTF8, H5T_STR_NULLTERM, &t), 0);
    return t;
}

static void insert(struct ts_type *c, const char *name, size_t offset, struct ts_type *member)
{
    assert_int_equal(ts_type_insert(c, name, offset, member), 0);
    ts_type_unref(member);
}

static void assert_sound(const struct ts_type *t)
{
    const char *reason = NULL;
    if (!ts_type_verify(t, &reason))
        fail_msg("%s", reason);
}

/* A copy that changes leaves what it was copied from alone, also inside. */
static void test_copies_are_apart(void **state)
{
    struct ts_type *c, *array, *copy;
    (void)state;
    assert_int_equal(ts_type_new(H5T_COMPOUND, 16, &c), 0);
    insert(c, "a", 0, integer(4));
    insert(c, "b", 8, integer(2));
    assert_int_equal(ts_type_new_array(c, 1, (hsize_t[]){3}, &array), 0);
    assert_int_equal(ts_type_copy(array, &copy), 0);
    assert_ptr_equal(copy->base, c);
    assert_int_equal(ts_type_pack(copy), 0);
    assert_int_equal(copy->size, 18);
    assert_int_equal(array->size, 48);
    assert_int_equal(c->size, 16);
    assert_int_equal(copy->base->u.compound.members[1].offset, 4);
    assert_int_equal(c->u.compound.members[1].offset, 8);
    assert_ptr_not_equal(copy->base, c);
    assert_int_equal(ts_type_set_order(copy, H5T_ORDER_BE), 0);
    assert_int_equal(ts_type_order(copy), H5T_ORDER_BE);
    assert_int_equal(ts_type_order(array), H5T_ORDER_LE);
    assert_sound(copy);
    ts_type_unref(copy);
    ts_type_unref(array);
    ts_type_unref(c);
}

static int named_refs;

static void named_ref(void *named)
{
    (void)named;
    named_refs++;
}

static void named_unref(void *named)
{
    (void)named;
    named_refs--;
}

static void test_committed_object_lives_as_long(void **state)
{
    static const struct ts_named_ops ops = {named_ref, named_unref};
    struct ts_type *t = integer(4), *copy, *all;
    (void)state;
    named_refs = 1;
    ts_type_set_named(t, &named_refs, &ops);
    assert_int_equal(ts_type_copy(t, &copy), 0);
    assert_null(copy->named);
    assert_int_equal(ts_type_copy_all(t, &all), 0);
    assert_ptr_equal(all->named, &named_refs);
    assert_int_equal(named_refs, 2);
    ts_type_unref(t);
    assert_int_equal(named_refs, 1);
    ts_type_unref(all);
    assert_int_equal(named_refs, 0);
    ts_type_unref(copy);
}

/* Members around variable-length ones move by what those grow or shrink; gaps and order of insertion stay. */
static void test_places(void **state)
{
    struct ts_type *c, *inner, *v;
    (void)state;
    assert_int_equal(ts_type_new(H5T_COMPOUND, 40, &c), 0);
    insert(c, "last", 36, integer(4));
    struct ts_type *i32 = integer(4);
    assert_int_equal(ts_type_new_vlen(i32, &v), 0);
    ts_type_unref(i32);
    insert(c, "sequence", 16, v);
    insert(c, "string", 4, vlen_string());
    insert(c, "first", 0, integer(4));
    inner = ts_type_ref(c);
    assert_int_equal(ts_type_set_loc(&c, TS_LOC_MEMORY, 8), 0);
    assert_ptr_equal(c, inner);
    assert_int_equal(ts_type_set_loc(&c, TS_LOC_DISK, 8), 1);
    assert_ptr_not_equal(c, inner);
    assert_int_equal(c->size, 48);
    assert_int_equal(c->u.compound.members[0].offset, 44);
    assert_int_equal(c->u.compound.members[1].offset, 24);
    assert_int_equal(c->u.compound.members[2].offset, 4);
    assert_int_equal(c->u.compound.members[2].type->size, 16);
    assert_sound(c);
    assert_false(ts_type_equal(c, inner));
    assert_int_equal(ts_type_set_loc(&c, TS_LOC_DISK, 4), 1);
    assert_int_equal(c->size, 40);
    assert_int_equal(c->u.compound.members[1].type->size, 12);
    assert_int_equal(ts_type_set_loc(&c, TS_LOC_MEMORY, 0), 1);
    assert_true(ts_type_equal(c, inner));
    assert_int_equal(inner->u.compound.members[0].offset, 36);
    ts_type_unref(inner);
    ts_type_unref(c);
}

static void test_places_nest(void **state)
{
    struct ts_type *s = vlen_string(), *array, *v, *c;
    (void)state;
    assert_int_equal(ts_type_new_array(s, 2, (hsize_t[]){2, 2}, &array), 0);
    ts_type_unref(s);
    assert_int_equal(array->size, 32);
    assert_int_equal(ts_type_new(H5T_COMPOUND, 40, &c), 0);
    insert(c, "array", 0, array);
    insert(c, "after", 32, integer(8));
    assert_int_equal(ts_type_new_vlen(c, &v), 0);
    ts_type_unref(c);
    assert_int_equal(ts_type_set_loc(&v, TS_LOC_DISK, 8), 1);
    assert_int_equal(v->size, 16);
    assert_int_equal(v->base->size, 72);
    assert_int_equal(v->base->u.compound.members[1].offset, 64);
    assert_int_equal(v->base->u.compound.members[0].type->base->loc, TS_LOC_DISK);
    assert_sound(v);
    ts_type_unref(v);
}

static void test_references_have_places(void **state)
{
    static const struct {
        H5R_type_t kind;
        size_t memory, disk;
    } kinds[] = {{H5R_OBJECT1, 8, 4},
                 {H5R_DATASET_REGION1, 12, 8},
                 {H5R_OBJECT2, sizeof(H5R_ref_t), 14},
                 {H5R_DATASET_REGION2, sizeof(H5R_ref_t), 14},
                 {H5R_ATTR, sizeof(H5R_ref_t), 14}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ts_type *t;
        assert_int_equal(ts_type_new_reference(kinds[i].kind, &t), 0);
        assert_int_equal(t->size, kinds[i].memory);
        assert_int_equal(ts_type_set_loc(&t, TS_LOC_DISK, 4), 1);
        assert_int_equal(t->size, kinds[i].disk);
        assert_sound(t);
        assert_int_equal(ts_type_set_loc(&t, TS_LOC_MEMORY, 4), 1);
        assert_int_equal(t->size, kinds[i].memory);
        ts_type_unref(t);
    }
}

static void test_native_struct(void **state)
{
    struct ts_type *c, *native;
    (void)state;
    assert_int_equal(ts_type_new(H5T_COMPOUND, 100, &c), 0);
    insert(c, "char", 7, integer(1));
    struct ts_type *d;
    assert_int_equal(ts_type_new_float(8, H5T_ORDER_BE, &d), 0);
    insert(c, "double", 20, d);
    insert(c, "three", 30, integer(3));
    insert(c, "short", 60, integer(2));
    struct expected {
        char a;
        double b;
        int c;
        short d;
    };
    assert_int_equal(ts_type_native(c, H5T_DIR_DEFAULT, &native), 0);
    assert_int_equal(native->size, sizeof(struct expected));
    assert_int_equal(native->u.compound.members[1].offset, offsetof(struct expected, b));
    assert_int_equal(native->u.compound.members[2].offset, offsetof(struct expected, c));
    assert_int_equal(native->u.compound.members[3].offset, offsetof(struct expected, d));
    assert_int_equal(ts_type_order(native), H5T_ORDER_LE);
    assert_sound(native);
    ts_type_unref(native);
    ts_type_unref(c);
}

/* Values of an enum follow its base: here 11 bits at bit 3 of two big-endian bytes, to a short. */
static void test_native_enum(void **state)
{
    struct ts_type *base = integer(2), *e, *native;
    (void)state;
    base->atomic.order = H5T_ORDER_BE;
    base->atomic.precision = 11;
    base->atomic.offset = 3;
    assert_int_equal(ts_type_new_enum(base, &e), 0);
    ts_type_unref(base);
    assert_int_equal(ts_type_enum_insert(e, "minus two", (uint8_t[]){0xff, 0xf0}), 0);
    assert_int_equal(ts_type_enum_insert(e, "five", (uint8_t[]){0x00, 0x28}), 0);
    assert_int_equal(ts_type_native(e, H5T_DIR_ASCEND, &native), 0);
    assert_int_equal(native->size, 2);
    int16_t values[2];
    memcpy(values, native->u.enumeration.values, sizeof values);
    assert_int_equal(values[0], -2);
    assert_int_equal(values[1], 5);
    ts_type_unref(native);
    ts_type_unref(e);
}

static void test_sizes_that_do_not_fit(void **state)
{
    struct ts_type *t = integer(4), *out = NULL;
    (void)state;
    assert_int_equal(ts_type_new_array(t, 3, (hsize_t[]){1u << 31, 1u << 31, 4}, &out), -1);
    assert_int_equal(ts_type_new_array(t, 2, (hsize_t[]){1ull << 62, 1}, &out), -1);
    assert_int_equal(ts_type_new_array(t, 1, (hsize_t[]){0}, &out), -1);
    assert_int_equal(ts_type_new_array(t, 33, (hsize_t[33]){1}, &out), -1);
    assert_int_equal(ts_type_set_precision(t, SIZE_MAX), -1);
    assert_int_equal(ts_type_set_offset(t, SIZE_MAX - 8), -1);
    assert_int_equal(ts_type_set_size(t, SIZE_MAX / 4), -1);
    struct ts_type *c;
    assert_int_equal(ts_type_new(H5T_COMPOUND, 100, &c), 0);
    assert_int_equal(ts_type_insert(c, "far", SIZE_MAX - 1, t), -1);
    assert_int_equal(c->u.compound.n, 0);
    ts_type_unref(c);
    ts_type_unref(t);
    ts_err_clear();
}

static void test_order_of_types(void **state)
{
    struct ts_type *a = integer(4), *b = integer(4), *c = integer(2);
    (void)state;
    assert_int_equal(ts_type_cmp(a, b), 0);
    assert_true(ts_type_cmp(a, c) > 0);
    assert_true(ts_type_cmp(c, a) < 0);
    b->u.sign = H5T_SGN_NONE;
    assert_int_equal(ts_type_cmp(a, b), -ts_type_cmp(b, a));
    assert_int_not_equal(ts_type_cmp(a, b), 0);
    ts_type_unref(a);
    ts_type_unref(b);
    ts_type_unref(c);
}

static struct ts_type *everything(void)
{
    struct ts_type *c = NULL, *e = NULL, *v = NULL, *a = NULL, *o = NULL, *base = NULL, *s = NULL;
    hsize_t dims[2] = {2, 3};
    if (ts_type_new(H5T_COMPOUND, 200, &c) < 0 || ts_type_new_integer(2, H5T_ORDER_LE, H5T_SGN_2, &base) < 0 ||
        ts_type_new_enum(base, &e) < 0 || ts_type_enum_insert(e, "one", "\1") < 0 ||
        ts_type_enum_insert(e, "two", "\2") < 0 || ts_type_new_vlen(e, &v) < 0 ||
        ts_type_new_array(v, 2, dims, &a) < 0 || ts_type_new(H5T_OPAQUE, 5, &o) < 0 || ts_type_set_tag(o, "tag") < 0 ||
        ts_type_new_string(H5T_VARIABLE, 0, 0, &s) < 0 || ts_type_insert(c, "a", 0, a) < 0 ||
        ts_type_insert(c, "o", 100, o) < 0 || ts_type_insert(c, "e", 110, e) < 0 ||
        ts_type_insert(c, "s", 120, s) < 0) {
        ts_type_unref(c);
        c = NULL;
    }
    ts_type_unref(base);
    ts_type_unref(e);
    ts_type_unref(v);
    ts_type_unref(a);
    ts_type_unref(o);
    ts_type_unref(s);
    return c;
}

/* Builds, changes, encodes, decodes and makes native one type; 0 when all of it worked. */
static int do_everything(void)
{
    struct ts_type *c = everything(), *copy = NULL, *back = NULL, *native = NULL;
    struct ts_wr w = {0};
    int r = !c || ts_type_copy(c, &copy) < 0 || ts_type_pack(copy) < 0 || ts_type_set_loc(&copy, TS_LOC_DISK, 8) < 0 ||
                    ts_type_encode(copy, &w) < 0 || ts_type_decode(w.data, w.size, NULL, &back) < 0 ||
                    !ts_type_equal(copy, back) || ts_type_raise_version(back, 3) < 0 ||
                    ts_type_native(back, H5T_DIR_ASCEND, &native) < 0
                ? -1
                : 0;
    ts_wr_free(&w);
    ts_type_unref(c);
    ts_type_unref(copy);
    ts_type_unref(back);
    ts_type_unref(native);
    return r;
}

/* Each allocation fails in turn; the sanitizers see what would leak. */
static void test_no_memory(void **state)
{
    (void)state;
    ts_alloc_fail_at(ULONG_MAX, TS_FAULT_ONCE);
    assert_int_equal(do_everything(), 0);
    unsigned long n = ts_alloc_fail_at(0, TS_FAULT_ONCE);
    assert_true(n > 30);
    for (unsigned long i = 1; i <= n; i++) {
        ts_alloc_fail_at(i, TS_FAULT_ONCE);
        assert_int_equal(do_everything(), -1);
        ts_err_clear();
    }
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    assert_int_equal(do_everything(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_are_apart),
        cmocka_unit_test(test_committed_object_lives_as_long),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_places_nest),
        cmocka_unit_test(test_references_have_places),
        cmocka_unit_test(test_native_struct),
        cmocka_unit_test(test_native_enum),
        cmocka_unit_test(test_sizes_that_do_not_fit),
        cmocka_unit_test(test_order_of_types),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
