/* Wrong ids, wrong classes, wrong arguments, and the rules of building compound, enum, array and vlen types. */
#include "deadly.h"
#include "type_print.h"

static void create_all_classes(void)
{
    const size_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 16, 100, H5T_VARIABLE};
    for (int cls = -1; cls <= 11; cls++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes - (cls < H5T_STRING); i++) {
            hid_t t = H5Tcreate((H5T_class_t)cls, sizes[i]);
            printf("create %d %zu: %d", cls, sizes[i], t >= 0);
            if (t >= 0) {
                printf(" class %d size %zu", H5Tget_class(t), H5Tget_size(t));
                H5Tclose(t);
            }
            printf("\n");
        }
}

static void bad_ids(hid_t id)
{
    H5T_pad_t a, b;
    size_t f[5];
    unsigned char buf[100];
    hsize_t dims[32];
    size_t n = 100;
    printf("bad id: %d %d %d %d %d %d", H5Tcopy(id) >= 0, H5Tclose(id), H5Tequal(id, H5T_STD_I8LE),
           H5Tequal(H5T_STD_I8LE, id), H5Tlock(id), H5Tcommitted(id));
    printf(" %d %zu %d %zu %d %d %d", H5Tget_class(id), H5Tget_size(id), H5Tget_order(id), H5Tget_precision(id),
           H5Tget_offset(id), H5Tget_sign(id), H5Tget_pad(id, &a, &b));
    printf(" %d %zu %d %d %d %d", H5Tget_fields(id, &f[0], &f[1], &f[2], &f[3], &f[4]), H5Tget_ebias(id),
           H5Tget_norm(id), H5Tget_inpad(id), H5Tget_cset(id), H5Tget_strpad(id));
    printf(" %d %d %d %zu %d %d", H5Tget_nmembers(id), H5Tget_member_name(id, 0) == NULL, H5Tget_member_index(id, "a"),
           H5Tget_member_offset(id, 0), H5Tget_member_class(id, 0), H5Tget_member_type(id, 0) >= 0);
    printf(" %d %d %d %d %d %d", H5Tget_member_value(id, 0, buf), H5Tget_array_ndims(id), H5Tget_array_dims2(id, dims),
           H5Tget_super(id) >= 0, H5Tget_tag(id) == NULL, H5Tis_variable_str(id));
    printf(" %d %d %d %d %d", H5Tencode(id, buf, &n), H5Tdetect_class(id, H5T_INTEGER),
           H5Tget_native_type(id, H5T_DIR_ASCEND) >= 0, H5Tenum_create(id) >= 0, H5Tvlen_create(id) >= 0);
    printf(" %d %d %d %d\n", H5Tarray_create2(id, 1, (hsize_t[]){2}) >= 0, H5Tpack(id), H5Tset_size(id, 4),
           H5Tinsert(id, "x", 0, H5T_STD_I8LE));
}

static void immutable(hid_t id)
{
    hid_t copy = H5Tcopy(id);
    printf("predefined: close %d size %d prec %d off %d order %d sign %d", H5Tclose(id), H5Tset_size(id, 2),
           H5Tset_precision(id, 3), H5Tset_offset(id, 1), H5Tset_order(id, H5T_ORDER_BE),
           H5Tset_sign(id, H5T_SGN_NONE));
    printf(" pad %d fields %d ebias %d norm %d inpad %d cset %d strpad %d tag %d pack %d lock %d\n",
           H5Tset_pad(id, H5T_PAD_ONE, H5T_PAD_ONE), H5Tset_fields(id, 15, 10, 5, 0, 10), H5Tset_ebias(id, 3),
           H5Tset_norm(id, H5T_NORM_NONE), H5Tset_inpad(id, H5T_PAD_ONE), H5Tset_cset(id, H5T_CSET_UTF8),
           H5Tset_strpad(id, H5T_STR_SPACEPAD), H5Tset_tag(id, "x"), H5Tpack(id), H5Tlock(id));
    printf("locked copy: %d %d", H5Tlock(copy), H5Tequal(copy, id));
    printf(" %d %d %d\n", H5Tset_size(copy, 100), H5Tclose(copy), H5Tlock(copy));
}

static void compound_rules(void)
{
    hid_t c = H5Tcreate(H5T_COMPOUND, 16);
    printf("insert %d\n", H5Tinsert(c, "a", 4, H5T_STD_I32LE));
    printf("same name %d\n", H5Tinsert(c, "a", 8, H5T_STD_I32LE));
    printf("overlap low %d\n", H5Tinsert(c, "b", 2, H5T_STD_I32LE));
    printf("overlap high %d\n", H5Tinsert(c, "b", 6, H5T_STD_I32LE));
    printf("overlap all %d\n", H5Tinsert(c, "b", 3, H5T_STD_I64LE));
    printf("inside %d\n", H5Tinsert(c, "b", 5, H5T_STD_I8LE));
    printf("past the end %d\n", H5Tinsert(c, "b", 13, H5T_STD_I32LE));
    printf("in itself %d\n", H5Tinsert(c, "b", 0, c));
    printf("empty name %d no name %d\n", H5Tinsert(c, "", 0, H5T_STD_I8LE), H5Tinsert(c, NULL, 1, H5T_STD_I8LE));
    printf("not compound %d\n", H5Tinsert(H5T_STD_I8LE, "b", 0, H5T_STD_I8LE));
    printf("last %d\n", H5Tinsert(c, "z", 12, H5T_VAX_F32));
    printf("first %d\n", H5Tinsert(c, "b", 2, H5T_STD_I8LE));
    print_type(c, 1);
    for (size_t size = 1; size < 24; size++) {
        hid_t t = H5Tcopy(c);
        printf("size %zu: %d", size, H5Tset_size(t, size));
        printf(" -> %zu\n", H5Tget_size(t));
        H5Tclose(t);
    }
    printf("member %d %d %zu %d %d\n", H5Tget_member_name(c, 9) == NULL, H5Tget_member_class(c, 9),
           H5Tget_member_offset(c, 9), H5Tget_member_type(c, 9) >= 0, H5Tget_member_index(c, "nothing"));
    printf("index %d\n", H5Tget_member_index(c, ""));
    hid_t outer = H5Tcreate(H5T_COMPOUND, 100);
    hid_t array = H5Tarray_create2(c, 1, (hsize_t[]){2});
    printf("%d\n", H5Tinsert(outer, "array", 60, array));
    printf("%d\n", H5Tinsert(outer, "plain", 10, c));
    print_type(outer, 1);
    printf("pack %d %d\n", H5Tpack(outer), H5Tpack(c));
    print_type(outer, 1);
    print_type(c, 1);
    printf("pack again %d, of a number %d\n", H5Tpack(outer), H5Tpack(H5T_STD_I8LE));
    hid_t vlen = H5Tvlen_create(outer);
    printf("pack of vlen %d of array %d\n", H5Tpack(vlen), H5Tpack(array));
    print_type(array, 1);
    H5Tclose(vlen);
    H5Tclose(array);
    H5Tclose(outer);
    H5Tclose(c);
}

static void enum_rules(void)
{
    hid_t e = H5Tenum_create(H5T_STD_I16BE);
    short v = 7;
    char name[16] = "##########";
    printf("float %d compound %d enum %d\n", H5Tenum_create(H5T_IEEE_F32LE) >= 0, H5Tenum_create(H5T_C_S1) >= 0,
           H5Tenum_create(e) >= 0);
    printf("bitfield %d time %d\n", H5Tenum_create(H5T_STD_B8LE) >= 0, H5Tenum_create(H5T_UNIX_D32LE) >= 0);
    printf("insert %d", H5Tenum_insert(e, "seven", &v));
    printf(" same value %d", H5Tenum_insert(e, "sieben", &v));
    v = 8;
    printf(" same name %d", H5Tenum_insert(e, "seven", &v));
    printf(" %d %d %d\n", H5Tenum_insert(e, "eight", &v), H5Tenum_insert(e, NULL, &v), H5Tenum_insert(e, "", &v));
    v = -3;
    printf("%d\n", H5Tenum_insert(e, "a negative one", &v));
    printf("%d %d\n", H5Tenum_insert(e, "x", NULL), H5Tenum_insert(H5T_STD_I8LE, "x", &v));
    print_type(e, 1);
    for (int i = -4; i < 10; i++) {
        short x = (short)i;
        memset(name, '#', 10);
        printf("nameof %d: %d", i, H5Tenum_nameof(e, &x, name, sizeof name));
        printf(" %.10s\n", name);
    }
    for (size_t size = 0; size < 9; size++) {
        v = 7;
        memset(name, '#', 10);
        printf("nameof in %zu: %d", size, H5Tenum_nameof(e, &v, name, size));
        printf(" %.10s\n", name);
    }
    v = 99;
    printf("valueof %d", H5Tenum_valueof(e, "seven", &v));
    printf(" %d", v);
    printf(" none %d", H5Tenum_valueof(e, "nothing", &v));
    printf(" %d", v);
    printf(" empty %d null %d no buffer %d wrong class %d\n", H5Tenum_valueof(e, "", &v), H5Tenum_valueof(e, NULL, &v),
           H5Tenum_valueof(e, "seven", NULL), H5Tenum_valueof(H5T_STD_I8LE, "seven", &v));
    printf("nameof null %d %d wrong class %d\n", H5Tenum_nameof(e, NULL, name, 4), H5Tenum_nameof(e, &v, NULL, 4),
           H5Tenum_nameof(H5T_STD_I8LE, &v, name, 4));
    printf("member value %d %d %d\n", H5Tget_member_value(e, 5, &v), H5Tget_member_value(e, 0, NULL),
           H5Tget_member_value(H5T_STD_I8LE, 0, &v));
    printf("offset of a member %zu class %d type %d\n", H5Tget_member_offset(e, 0), H5Tget_member_class(e, 0),
           H5Tget_member_type(e, 0) >= 0);
    hid_t empty = H5Tenum_create(H5T_NATIVE_INT);
    printf("empty %d size %zu\n", H5Tget_nmembers(empty), H5Tget_size(empty));
    DEADLY_SINCE(20200, printf("set size %d precision %d", H5Tset_size(empty, 2), H5Tset_precision(empty, 9)));
    printf(" order %d sign %d", H5Tset_order(empty, H5T_ORDER_BE), H5Tset_sign(empty, H5T_SGN_NONE));
    printf(" now %zu %zu %d %d\n", H5Tget_size(empty), H5Tget_precision(empty), H5Tget_order(empty),
           H5Tget_sign(empty));
    printf("insert %d\n", H5Tenum_insert(empty, "one", (int[]){1}));
    printf("set size %d precision %d order %d sign %d", H5Tset_size(empty, 4), H5Tset_precision(empty, 12),
           H5Tset_order(empty, H5T_ORDER_LE), H5Tset_sign(empty, H5T_SGN_2));
    printf(" offset %d pad %d\n", H5Tset_offset(empty, 1), H5Tset_pad(empty, H5T_PAD_ONE, H5T_PAD_ONE));
    print_type(empty, 1);
    H5Tclose(empty);
    H5Tclose(e);
}

static void order_of_enums(void)
{
    const char *names[] = {"b", "a", "c"}, *others[] = {"c", "b", "a"};
    const int values[] = {2, 1, 3}, reversed[] = {3, 2, 1};
    hid_t a = H5Tenum_create(H5T_NATIVE_INT), b = H5Tenum_create(H5T_NATIVE_INT), c = H5Tenum_create(H5T_NATIVE_INT);
    for (int i = 0; i < 3; i++) {
        H5Tenum_insert(a, names[i], &values[i]);
        H5Tenum_insert(b, others[i], &reversed[i]);
        H5Tenum_insert(c, others[i], &values[i]);
    }
    printf("enums in other orders %d %d %d\n", H5Tequal(a, b), H5Tequal(a, c), H5Tequal(b, c));
    char name[8];
    printf("nameof %d", H5Tenum_nameof(a, &values[2], name, 8));
    printf(" %s\n", name);
    print_type(a, 1);
    print_type(b, 1);
    H5Tclose(a);
    H5Tclose(b);
    H5Tclose(c);
    hid_t x = H5Tcreate(H5T_COMPOUND, 12), y = H5Tcreate(H5T_COMPOUND, 12);
    H5Tinsert(x, "b", 4, H5T_STD_I32LE);
    H5Tinsert(x, "a", 0, H5T_STD_I32LE);
    H5Tinsert(y, "a", 0, H5T_STD_I32LE);
    printf("%d", H5Tequal(x, y));
    H5Tinsert(y, "b", 4, H5T_STD_I32LE);
    printf(" %d\n", H5Tequal(x, y));
    print_type(x, 1);
    print_type(y, 1);
    H5Tclose(x);
    H5Tclose(y);
}

static void array_rules(void)
{
    const hsize_t dims[40] = {1, 2, 3, 4, 5, 0};
    const hsize_t ones[40] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (unsigned rank = 0; rank < 8; rank++)
        printf("rank %u: %d\n", rank, H5Tarray_create2(H5T_STD_I8LE, rank, dims) >= 0);
    for (unsigned rank = 30; rank < 36; rank++)
        printf("rank %u: %d\n", rank, H5Tarray_create2(H5T_STD_I8LE, rank, ones) >= 0);
    printf("no dims %d\n", H5Tarray_create2(H5T_STD_I8LE, 1, NULL) >= 0);
    printf("old: %d %d %d %d\n", H5Tarray_create1(H5T_STD_I8LE, 2, dims, NULL) >= 0,
           H5Tarray_create1(H5T_STD_I8LE, -1, dims, NULL) >= 0, H5Tarray_create1(H5T_STD_I8LE, 0, dims, NULL) >= 0,
           H5Tarray_create1(H5T_STD_I8LE, 33, ones, NULL) >= 0);
    hid_t t = H5Tarray_create2(H5T_STD_I16BE, 3, dims + 1);
    hsize_t got[4] = {0};
    int perm[4] = {9, 9, 9, 9};
    printf("dims1 %d", H5Tget_array_dims1(t, got, perm));
    printf(" %d %d %d %d\n", (int)got[0], (int)got[2], perm[0], perm[3]);
    printf("dims null %d %d\n", H5Tget_array_dims2(t, NULL), H5Tget_array_dims1(t, NULL, NULL));
    printf("size %zu set order %d\n", H5Tget_size(t), H5Tset_order(t, H5T_ORDER_LE));
    print_type(t, 1);
    if (STOCK_VERSION < 20000) /* later an array has one size */
        printf("set size %d\n", H5Tset_size(t, 48));
    hid_t a = H5Tarray_create2(t, 1, dims + 1), v = H5Tvlen_create(a), e = H5Tvlen_create(v);
    print_type(e, 1);
    hid_t vs = H5Tcopy(H5T_C_S1);
    H5Tset_size(vs, H5T_VARIABLE);
    hid_t vlen_of_strings = H5Tvlen_create(vs);
    print_type(vlen_of_strings, 1);
    printf("size of a variable string %d", H5Tset_size(vs, 5));
    printf(" %zu class %d\n", H5Tget_size(vs), H5Tget_class(vs));
    H5Tclose(vs);
    H5Tclose(vlen_of_strings);
    H5Tclose(e);
    H5Tclose(v);
    H5Tclose(a);
    H5Tclose(t);
}

static void tags(void)
{
    char tag[300];
    for (size_t n = 250; n < 260; n++) {
        hid_t t = H5Tcreate(H5T_OPAQUE, 3);
        memset(tag, 'x', n);
        tag[n] = 0;
        printf("tag of %zu: %d", n, H5Tset_tag(t, tag));
        char *got = H5Tget_tag(t);
        printf(" %zu ", got ? strlen(got) : 0);
        H5free_memory(got);
        print_encoding(t);
        H5Tclose(t);
    }
}

static void encode_rules(void)
{
    unsigned char buf[64];
    for (size_t n = 0; n < 20; n++) {
        size_t size = n;
        memset(buf, 0xee, sizeof buf);
        printf("encode in %zu: %d", n, H5Tencode(H5T_STD_I16BE, buf, &size));
        printf(" %zu ", size);
        print_hex(buf, 20);
    }
    printf("%d %d\n", H5Tencode(H5T_STD_I16BE, buf, NULL), H5Tdecode(NULL) >= 0);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    create_all_classes();
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    bad_ids(-1);
    bad_ids(0);
    bad_ids(plist);
    H5Pclose(plist);
    immutable(H5T_STD_I32LE);
    immutable(H5T_IEEE_F64BE);
    immutable(H5T_C_S1);
    immutable(H5T_NATIVE_OPAQUE);
    compound_rules();
    enum_rules();
    order_of_enums();
    array_rules();
    tags();
    encode_rules();
    return 0;
}
