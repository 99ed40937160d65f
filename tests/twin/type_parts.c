/* What may be changed of the parts of datatypes: one that was made of a predefined or locked datatype cannot be, unless the whole
 * was copied since. */
#include <hdf5.h>
#include <stdio.h>

static hid_t compound(hid_t member)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, 64);
    H5Tinsert(t, "a", 0, member);
    return t;
}

static hid_t array(hid_t base)
{
    const hsize_t two = 2;
    return H5Tarray_create2(base, 1, &two);
}

static hid_t member(hid_t whole, unsigned i)
{
    hid_t t = H5Tget_member_type(whole, i);
    H5Tclose(whole);
    return t;
}

static hid_t base(hid_t whole)
{
    hid_t t = H5Tget_super(whole);
    H5Tclose(whole);
    return t;
}

static hid_t copy(hid_t whole)
{
    hid_t t = H5Tcopy(whole);
    H5Tclose(whole);
    return t;
}

static hid_t big_endian(hid_t t)
{
    H5Tset_order(t, H5T_ORDER_BE);
    return t;
}

static hid_t packed(hid_t t)
{
    H5Tpack(t);
    return t;
}

static hid_t with_another(hid_t t)
{
    H5Tinsert(t, "b", 32, H5T_NATIVE_INT);
    return t;
}

static void show(const char *what, hid_t t)
{
    printf("%s: order %d", what, (int)H5Tget_order(t));
    printf(" set %d", (int)H5Tset_order(t, H5T_ORDER_BE));
    printf(" size %d", (int)H5Tset_size(t, 8));
    printf(" now order %d of %zu bytes, close %d\n", (int)H5Tget_order(t), H5Tget_size(t), (int)H5Tclose(t));
}

#define SHOW(t) show(#t, t)

static void parts_of(const char *whence, hid_t of)
{
    printf("%s\n", whence);
    SHOW(base(H5Tenum_create(of)));
    SHOW(base(H5Tvlen_create(of)));
    SHOW(base(array(of)));
    SHOW(member(compound(of), 0));
    SHOW(copy(member(compound(of), 0)));
    SHOW(member(copy(compound(of)), 0));
    SHOW(base(copy(array(of))));
    SHOW(base(copy(H5Tvlen_create(of))));
    SHOW(member(compound(array(of)), 0));
    SHOW(base(member(compound(array(of)), 0)));
    SHOW(base(member(copy(compound(array(of))), 0)));
    SHOW(member(member(compound(compound(of)), 0), 0));
    SHOW(member(member(copy(compound(compound(of))), 0), 0));
    SHOW(member(big_endian(compound(of)), 0));
    SHOW(base(big_endian(array(of))));
    SHOW(member(packed(compound(of)), 0));
    SHOW(member(with_another(copy(compound(of))), 0));
    SHOW(member(with_another(copy(compound(of))), 1));
    SHOW(member(H5Tget_native_type(compound(of), H5T_DIR_ASCEND), 0));
}

static hid_t variable_string(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    return t;
}

static hid_t filled_enum(void)
{
    const int one = 1;
    hid_t t = H5Tcreate(H5T_ENUM, sizeof one);
    H5Tenum_insert(t, "one", &one);
    return t;
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t changeable = H5Tcopy(H5T_NATIVE_INT), locked = H5Tcopy(H5T_NATIVE_INT);
    H5Tlock(locked);
    parts_of("predefined", H5T_NATIVE_INT);
    parts_of("changeable", changeable);
    parts_of("locked", locked);
    SHOW(base(variable_string()));
    SHOW(base(copy(variable_string())));
    SHOW(base(H5Tcreate(H5T_ENUM, 4)));
    SHOW(base(copy(filled_enum())));
    H5Tclose(changeable);
    return 0;
}
