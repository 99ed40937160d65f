/* What may be changed of datatypes from everywhere: made, copied, of datasets and attributes, committed, opened, locked. */
#include <stdio.h>

#include <hdf5.h>

#define FILE_NAME "type_states.h5"

static void say(const char *what, int result)
{
    printf(" %s %d", what, result);
}

static void change_numbers(hid_t t)
{
    say("big", H5Tset_order(t, H5T_ORDER_BE));
    say("little", H5Tset_order(t, H5T_ORDER_LE));
    say("none", H5Tset_order(t, H5T_ORDER_NONE));
    say("precision", H5Tset_precision(t, 8));
    say("offset", H5Tset_offset(t, 0));
    say("pad", H5Tset_pad(t, H5T_PAD_ONE, H5T_PAD_ONE));
    say("sign", H5Tset_sign(t, H5T_SGN_NONE));
    say("fields", H5Tset_fields(t, 7, 4, 3, 0, 4));
    say("ebias", H5Tset_ebias(t, 3));
    say("norm", H5Tset_norm(t, H5T_NORM_IMPLIED));
    say("inpad", H5Tset_inpad(t, H5T_PAD_ZERO));
}

static void change_others(hid_t t)
{
    char value[64] = {3};
    say("cset", H5Tset_cset(t, H5T_CSET_UTF8));
    say("strpad", H5Tset_strpad(t, H5T_STR_SPACEPAD));
    say("tag", H5Tset_tag(t, "x"));
    say("larger", H5Tset_size(t, H5Tget_size(t) + 8));
    say("variable", H5Tset_size(t, H5T_VARIABLE));
    say("insert", H5Tinsert(t, "new", H5Tget_size(t) - 1, H5T_STD_I8LE));
    say("pack", H5Tpack(t));
    /* libhdf5 changes what is locked or committed, too, in memory only. */
    if (H5Tcommitted(t) == 0 && H5Tclose(H5Tcopy(t)) >= 0)
        say("value", H5Tenum_insert(t, "zz", value));
}

static void lock_it(hid_t t)
{
    say("lock", H5Tlock(t));
    say("pack", H5Tpack(t));
    say("size", H5Tset_size(t, 4));
    say("order", H5Tset_order(t, H5T_ORDER_LE));
    say("insert", H5Tinsert(t, "newer", 0, H5T_STD_I8LE));
    hid_t copy = H5Tcopy(t);
    say("copy", copy > 0);
    say("size", H5Tset_size(copy, H5Tget_size(copy) + 1));
    say("close", H5Tclose(copy));
    say("close", H5Tclose(t));
    printf("\n");
}

static void try_all(const char *whence, hid_t t)
{
    printf("%s: class %d, committed %d;", whence, (int)H5Tget_class(t), (int)H5Tcommitted(t));
    if (t < 0) {
        printf("\n");
        return;
    }
    change_numbers(t);
    change_others(t);
    printf(" now %zu bytes, %d members;", H5Tget_size(t), H5Tget_nmembers(t));
    lock_it(t);
}

static void try_locked(hid_t t)
{
    printf("locked: %d;", (int)H5Tlock(t));
    change_numbers(t);
    printf(" pack %d", (int)H5Tpack(t));
    lock_it(t);
}

static hid_t simple_compound(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(t, "a", 0, H5T_STD_I32LE);
    H5Tinsert(t, "b", 8, H5T_IEEE_F64LE);
    return t;
}

static hid_t nested_compound(void)
{
    hid_t inner = simple_compound(), t = H5Tcreate(H5T_COMPOUND, 20);
    H5Tinsert(t, "c", 0, inner);
    H5Tinsert(t, "i", 16, H5T_STD_I32LE);
    H5Tclose(inner);
    return t;
}

static hid_t string_type(size_t size)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, size);
    return t;
}

static hid_t enumeration(void)
{
    hid_t t = H5Tenum_create(H5T_STD_I8LE);
    H5Tenum_insert(t, "A", "\1");
    return t;
}

static hid_t packed_compound(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, 4);
    H5Tinsert(t, "a", 0, H5T_STD_I32LE);
    return t;
}

static hid_t make(int kind)
{
    const hsize_t three = 3;
    switch (kind) {
    case 0:
        return H5Tcopy(H5T_STD_I32LE);
    case 1:
        return H5Tcopy(H5T_IEEE_F64BE);
    case 2:
        return string_type(9);
    case 3:
        return string_type(H5T_VARIABLE);
    case 4:
        return simple_compound();
    case 5:
        return enumeration();
    case 6:
        return H5Tarray_create2(H5T_STD_I16BE, 1, &three);
    case 7:
        return H5Tvlen_create(H5T_STD_I32LE);
    case 8:
        return H5Tcreate(H5T_OPAQUE, 5);
    case 9:
        return H5Tcopy(H5T_STD_REF_OBJ);
    case 10:
        return H5Tcopy(H5T_STD_B16LE);
    case 11:
        return nested_compound();
    case 12:
        return packed_compound();
    default:
        return -1;
    }
}

static void from_everywhere(hid_t file, int kind)
{
    char name[16];
    snprintf(name, sizeof name, "%d", kind);
    hid_t space = H5Screate(H5S_SCALAR), t = make(kind), named = make(kind), root = H5Gcreate2(file, name, 0, 0, 0);
    hid_t set = H5Dcreate2(root, "d", t, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t attr = H5Acreate2(root, "a", t, space, H5P_DEFAULT, H5P_DEFAULT);
    printf("--- %d, commit %d\n", kind, (int)H5Tcommit2(root, "t", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t of_named = H5Dcreate2(root, "n", named, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    try_all("made", make(kind));
    try_all("of a dataset", H5Dget_type(set));
    try_all("of an attribute", H5Aget_type(attr));
    try_all("copied from a dataset", H5Tcopy(set));
    try_all("of a dataset of a committed type", H5Dget_type(of_named));
    try_all("committed", named);
    try_all("opened", H5Topen2(root, "t", H5P_DEFAULT));
    try_all("native", H5Tget_native_type(t, H5T_DIR_DEFAULT));
    try_locked(H5Tcopy(t));
    H5Tclose(t);
    H5Dclose(of_named);
    H5Dclose(set);
    H5Aclose(attr);
    H5Gclose(root);
    H5Sclose(space);
}

/* One that is committed through one handle of the file is no such type for another. */
static void of_handles(hid_t file)
{
    hid_t other = H5Freopen(file), t = H5Tcopy(H5T_NATIVE_INT), space = H5Screate(H5S_SCALAR);
    printf("--- handles, commit %d\n", (int)H5Tcommit2(file, "of a handle", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 2; i++) {
        H5O_info_t info;
        hid_t where = i ? other : file;
        hid_t d = H5Dcreate2(where, i ? "by the other" : "by the same", t, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hid_t a = H5Acreate2(d, "a", t, space, H5P_DEFAULT, H5P_DEFAULT), its = H5Dget_type(d), attrs = H5Aget_type(a);
        H5Oget_info_by_name(file, "of a handle", &info, H5P_DEFAULT);
        printf("dataset %d, attribute %d, uses %u\n", (int)H5Tcommitted(its), (int)H5Tcommitted(attrs), info.rc);
        H5Tclose(attrs);
        H5Tclose(its);
        H5Aclose(a);
        H5Dclose(d);
    }
    H5Sclose(space);
    H5Tclose(t);
    H5Fclose(other);
}

static void special_ones(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, 8);
    printf("empty compound:");
    change_numbers(t); /* libhdf5 dies of packing it */
    printf("\npredefined:");
    change_numbers(H5T_STD_I32LE);
    printf("\n");
    H5Tclose(t);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int kind = 0; kind <= 12; kind++)
        from_everywhere(file, kind);
    of_handles(file);
    special_ones();
    printf("closed: %d\n", (int)H5Fclose(file));
    return 0;
}
