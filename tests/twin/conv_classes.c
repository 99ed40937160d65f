/* Conversions that are not of numbers alone: strings, enumerations, compounds, arrays, sequences, opaque, references;
 * which pairs of classes have a conversion at all; conversions that the application registers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

static void hex(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", ((const unsigned char *)p)[i]);
    printf("\n");
}

static H5T_conv_ret_t on_except(H5T_conv_except_t kind, hid_t s, hid_t d, void *from, void *to, void *data)
{
    (void)to;
    printf("  exception %d, classes %d %d, sizes %zu %zu, from ", (int)kind, (int)H5Tget_class(s), (int)H5Tget_class(d),
           H5Tget_size(s), H5Tget_size(d));
    hex(from, H5Tget_size(s));
    return *(H5T_conv_ret_t *)data;
}

static void convert(const char *name, hid_t s, hid_t d, const void *src, size_t n)
{
    unsigned char buf[512], bkg[512];
    H5T_conv_ret_t ret = H5T_CONV_UNHANDLED;
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_type_conv_cb(dxpl, on_except, &ret);
    for (int mode = 0; mode < 3; mode++) {
        memset(buf, 0, sizeof buf);
        memset(bkg, 0xee, sizeof bkg);
        memcpy(buf, src, n * H5Tget_size(s));
        ret = mode == 2 ? H5T_CONV_ABORT : H5T_CONV_UNHANDLED;
        herr_t rc = H5Tconvert(s, d, n, buf, bkg, mode ? dxpl : H5P_DEFAULT);
        printf("%s mode %d: %d ", name, mode, (int)rc);
        hex(buf, rc < 0 ? 0 : n * H5Tget_size(d));
    }
    H5Pclose(dxpl);
}

static hid_t string_type(size_t size, H5T_str_t pad, H5T_cset_t cset)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, size);
    H5Tset_strpad(t, pad);
    H5Tset_cset(t, cset);
    return t;
}

static void strings(void)
{
    static const char *const texts[] = {"abcdefgh",  "ab\0defgh",      "ab  \0\0  ", "abc     ",
                                        "abcd\0   ", "\0\0\0\0\0\0\0", "        "};
    for (int from = H5T_STR_NULLTERM; from <= H5T_STR_SPACEPAD; from++)
        for (int to = H5T_STR_NULLTERM; to <= H5T_STR_SPACEPAD; to++)
            for (size_t size = 1; size <= 9; size++)
                for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
                    hid_t s = string_type(6, (H5T_str_t)from, H5T_CSET_ASCII);
                    hid_t d = string_type(size, (H5T_str_t)to, H5T_CSET_ASCII);
                    char name[64];
                    snprintf(name, sizeof name, "string %d to %d of %zu, text %zu", from, to, size, i);
                    convert(name, s, d, texts[i], 1);
                    H5Tclose(s);
                    H5Tclose(d);
                }
    char many[8 * 3 + 1] = "one.....two     three\0..";
    hid_t s = string_type(8, H5T_STR_SPACEPAD, H5T_CSET_UTF8), d = string_type(11, H5T_STR_NULLTERM, H5T_CSET_UTF8);
    convert("strings that grow", s, d, many, 3);
    convert("strings that shrink", d, s, many, 2);
    H5Tclose(s);
    H5Tclose(d);
}

static hid_t enum_type(hid_t base, const char *names, const int *values)
{
    hid_t e = H5Tenum_create(base);
    for (size_t i = 0; names[i]; i++) {
        char name[2] = {names[i], 0};
        long long v = values[i];
        H5Tconvert(H5T_NATIVE_LLONG, base, 1, &v, NULL, H5P_DEFAULT);
        H5Tenum_insert(e, name, &v);
    }
    return e;
}

static void enums(void)
{
    static const int low[] = {1, 2, 3}, mixed[] = {100, -200, 7, 3000, 9}, in[] = {1, 2, 3, 3, 2, 1};
    static const int strange[] = {1, 4, 2, 0, -1, 3};
    static const short shorts[] = {100, -200, 7};
    hid_t a = enum_type(H5T_NATIVE_INT, "ABC", low), b = enum_type(H5T_NATIVE_SHORT, "ABCDE", mixed);
    hid_t c = enum_type(H5T_STD_I16BE, "EDCBA", mixed), d = enum_type(H5T_NATIVE_LLONG, "CBA", mixed);
    convert("enum to shorter enum", a, b, in, 6);
    convert("enum to big-endian enum", a, c, in, 6);
    convert("enum to longer enum", a, d, in, 6);
    convert("unknown values", a, b, strange, 6);
    convert("enum to int", a, H5T_NATIVE_INT, strange, 6);
    convert("enum to char", a, H5T_NATIVE_SCHAR, mixed, 5);
    convert("enum to float", a, H5T_NATIVE_FLOAT, mixed, 5);
    convert("enum to big-endian double", b, H5T_IEEE_F64BE, shorts, 3);
    convert("big-endian enum to int", c, H5T_NATIVE_INT, shorts, 3);
    convert("int to enum", H5T_NATIVE_INT, a, in, 6);
}

static hid_t compound(size_t size, const char *names, const size_t *offsets, const hid_t *members)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, size);
    for (size_t i = 0; names[i]; i++) {
        char name[2] = {names[i], 0};
        H5Tinsert(t, name, offsets[i], members[i]);
    }
    return t;
}

#define COMPOUND(size, names, ...) compound(size, names, (const size_t[]){__VA_ARGS__}, members)

static void compounds(void)
{
    hsize_t three = 3;
    hid_t members[4] = {H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_INT};
    hid_t ab = COMPOUND(8, "ab", 0, 4), ba = COMPOUND(8, "ba", 0, 4), abc = COMPOUND(16, "abc", 0, 4, 8);
    hid_t a = COMPOUND(4, "a", 0), z = COMPOUND(4, "z", 0), gap = COMPOUND(20, "ab", 4, 12),
          abcd = COMPOUND(16, "abcd", 0, 4, 8, 12);
    members[0] = H5T_NATIVE_SCHAR, members[1] = H5T_NATIVE_SHORT;
    hid_t small = COMPOUND(3, "ba", 0, 1), small_gaps = COMPOUND(8, "ba", 0, 4);
    members[0] = H5T_STD_I64BE, members[1] = H5T_IEEE_F64BE, members[2] = H5T_STD_U8LE;
    hid_t big = COMPOUND(17, "abc", 0, 8, 16);
    members[0] = ab, members[1] = H5Tarray_create2(ab, 1, &three);
    hid_t nested = COMPOUND(40, "xy", 0, 12);
    members[0] = big, members[1] = H5Tarray_create2(small, 1, &three);
    hid_t nested_other = COMPOUND(60, "xy", 0, 30);
    const hid_t all[] = {ab, ba, abc, a, z, gap, abcd, small, small_gaps, big, nested, nested_other};
    int in[64];
    char name[64];
    for (int i = 0; i < 64; i++)
        in[i] = i % 3 == 0 ? 70000 + i : i % 3 == 1 ? -300 - i : i;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) {
            unsigned char buf[512], bkg[512];
            memset(bkg, 0xee, sizeof bkg);
            memset(buf, 0, sizeof buf);
            memcpy(buf, in, sizeof in);
            herr_t rc = H5Tconvert(all[i], all[j], 4, buf, bkg, H5P_DEFAULT);
            snprintf(name, sizeof name, "compound %zu to %zu", i, j);
            printf("%s: %d ", name, (int)rc);
            hex(buf, rc < 0 ? 0 : 4 * H5Tget_size(all[j]));
        }
}

static void arrays(void)
{
    hsize_t three = 3, four = 4, two_two[2] = {2, 2};
    short in[24];
    for (int i = 0; i < 24; i++)
        in[i] = (short)(i * 1000 - 9000);
    hid_t s3 = H5Tarray_create2(H5T_NATIVE_SHORT, 1, &three), i3 = H5Tarray_create2(H5T_NATIVE_INT, 1, &three);
    hid_t c3 = H5Tarray_create2(H5T_NATIVE_UCHAR, 1, &three), s4 = H5Tarray_create2(H5T_NATIVE_SHORT, 1, &four);
    hid_t s22 = H5Tarray_create2(H5T_NATIVE_SHORT, 2, two_two), d22 = H5Tarray_create2(H5T_IEEE_F64BE, 2, two_two);
    hid_t ss = H5Tarray_create2(s3, 1, &four), ii = H5Tarray_create2(i3, 1, &four);
    convert("array that grows", s3, i3, in, 5);
    convert("array of other dimensions", s3, s4, in, 2);
    convert("array of other rank", s4, s22, in, 2);
    convert("array of two dimensions", s22, d22, in, 3);
    convert("array of arrays", ss, ii, in, 2);
    convert("array to element", s3, H5T_NATIVE_SHORT, in, 2);
    unsigned char buf[64];
    memcpy(buf, in, sizeof in);
    printf("array that shrinks: %d ", (int)H5Tconvert(s3, c3, 8, buf, NULL, H5P_DEFAULT));
    hex(buf, 24);
}

static void show_sequence(const char *name, herr_t rc, const hvl_t *v, size_t size)
{
    printf("%s: %d, %zu elements ", name, (int)rc, rc < 0 ? 0 : v->len);
    hex(v->p, rc < 0 || !v->p ? 0 : v->len * size);
}

static void sequences(void)
{
    int ints[] = {1, -2, 70000};
    hid_t vi = H5Tvlen_create(H5T_NATIVE_INT), vd = H5Tvlen_create(H5T_IEEE_F64BE),
          vc = H5Tvlen_create(H5T_NATIVE_UCHAR);
    hid_t vvi = H5Tvlen_create(vi), vvd = H5Tvlen_create(vd);
    hid_t vs = string_type(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII);
    hid_t one = H5Screate(H5S_SCALAR);
    hvl_t v = {3, ints};
    const char *text = "hello";
    char *p = (char *)(uintptr_t)text;
    herr_t rc = H5Tconvert(vi, vd, 1, &v, NULL, H5P_DEFAULT);
    show_sequence("ints to doubles", rc, &v, 8);
    H5Dvlen_reclaim(vd, one, H5P_DEFAULT, &v);
    v = (hvl_t){3, ints};
    rc = H5Tconvert(vi, vc, 1, &v, NULL, H5P_DEFAULT);
    show_sequence("ints to chars", rc, &v, 1);
    H5Dvlen_reclaim(vc, one, H5P_DEFAULT, &v);
    v = (hvl_t){3, ints};
    rc = H5Tconvert(vi, vi, 1, &v, NULL, H5P_DEFAULT);
    printf("a copy of its own: %d\n", v.p != ints);
    show_sequence("ints to ints", rc, &v, 4);
    H5Dvlen_reclaim(vi, one, H5P_DEFAULT, &v);
    v = (hvl_t){0, NULL};
    rc = H5Tconvert(vi, vd, 1, &v, NULL, H5P_DEFAULT);
    show_sequence("empty", rc, &v, 8);
    hvl_t inner[2] = {{3, ints}, {1, ints}};
    v = (hvl_t){2, inner};
    rc = H5Tconvert(vvi, vvd, 1, &v, NULL, H5P_DEFAULT);
    show_sequence("nested first", rc, &((hvl_t *)v.p)[0], 8);
    show_sequence("nested second", rc, &((hvl_t *)v.p)[1], 8);
    H5Dvlen_reclaim(vvd, one, H5P_DEFAULT, &v);
    p = (char *)(uintptr_t)text;
    rc = H5Tconvert(vs, vs, 1, &p, NULL, H5P_DEFAULT);
    printf("string: %d '%s' %d\n", (int)rc, p, p != text);
    H5Dvlen_reclaim(vs, one, H5P_DEFAULT, &p);
    int letters[] = {'A', 'b', 300};
    hvl_t chars = {3, letters};
    rc = H5Tconvert(vi, vs, 1, &chars, NULL, H5P_DEFAULT);
    memcpy(&p, &chars, sizeof p);
    printf("ints to string: %d %02x%02x%02x%02x\n", (int)rc, p[0], p[1], p[2] & 0xff, p[3]);
    H5Dvlen_reclaim(vs, one, H5P_DEFAULT, &p);
    struct {
        const char *p;
        size_t room;
    } wide = {"AB", 0};
    rc = H5Tconvert(vs, vi, 1, &wide, NULL, H5P_DEFAULT);
    memcpy(&v, &wide, sizeof v);
    show_sequence("string to ints", rc, &v, 4);
    H5Dvlen_reclaim(vi, one, H5P_DEFAULT, &v);
    p = NULL;
    rc = H5Tconvert(vs, vs, 1, &p, NULL, H5P_DEFAULT);
    printf("no string: %d %d\n", (int)rc, p == NULL);
}

static void classes(void)
{
    hsize_t three = 3;
    hid_t opaque = H5Tcreate(H5T_OPAQUE, 4), other = H5Tcreate(H5T_OPAQUE, 4), longer = H5Tcreate(H5T_OPAQUE, 6);
    hid_t s = string_type(8, H5T_STR_NULLTERM, H5T_CSET_ASCII), u = string_type(8, H5T_STR_NULLTERM, H5T_CSET_UTF8);
    hid_t v = string_type(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII), c = H5Tcreate(H5T_COMPOUND, 8);
    int value = 1;
    hid_t e = H5Tenum_create(H5T_NATIVE_INT), array = H5Tarray_create2(H5T_NATIVE_INT, 1, &three);
    H5Tset_tag(opaque, "x");
    H5Tset_tag(other, "y");
    H5Tset_tag(longer, "x");
    H5Tinsert(c, "a", 0, H5T_NATIVE_INT);
    H5Tenum_insert(e, "A", &value);
    const hid_t all[] = {H5T_NATIVE_INT,
                         H5T_STD_I32BE,
                         H5T_IEEE_F32BE,
                         H5T_UNIX_D32LE,
                         H5T_UNIX_D32BE,
                         H5T_UNIX_D64LE,
                         s,
                         u,
                         v,
                         H5T_STD_B8LE,
                         H5T_STD_B32BE,
                         opaque,
                         other,
                         longer,
                         c,
                         H5T_STD_REF_OBJ,
                         H5T_STD_REF_DSETREG,
                         e,
                         array};
    size_t n = sizeof all / sizeof *all;
    for (size_t i = 0; i < n; i++) {
        H5T_cdata_t *cdata;
        for (size_t j = 0; j < n; j++)
            printf("%s", H5Tfind(all[i], all[j], &cdata) ? "+" : ".");
        for (size_t j = 0; j < n; j++)
            printf(" %d", (int)H5Tcompiler_conv(all[i], all[j]));
        printf("\n");
    }
    convert("opaque", opaque, opaque, "abcdefgh", 2);
    convert("time in another order", H5T_UNIX_D32LE, H5T_UNIX_D32BE, "abcdefgh", 2);
    convert("signed to unsigned in another order", H5T_STD_I8BE, H5T_NATIVE_UCHAR, "\xff\x7f\x80", 3);
}

static herr_t twice(hid_t src, hid_t dst, H5T_cdata_t *cdata, size_t n, size_t buf_stride, size_t bkg_stride, void *buf,
                    void *bkg, hid_t dxpl)
{
    (void)bkg_stride;
    (void)bkg;
    (void)dxpl;
    if (cdata->command == H5T_CONV_INIT)
        return H5Tget_size(src) == 4 && H5Tget_size(dst) == 4 ? 0 : -1;
    if (cdata->command == H5T_CONV_CONV)
        for (size_t i = 0; i < n; i++)
            *(int *)(void *)((char *)buf + i * (buf_stride ? buf_stride : 4)) *= 2;
    return 0;
}

static void registered(void)
{
    hid_t members[2] = {H5T_NATIVE_INT, H5T_NATIVE_INT}, s, d;
    int in[] = {1, 2, 3, 4};
    hid_t time = H5T_UNIX_D32LE;
    printf("register hard %d\n", (int)H5Tregister(H5T_PERS_HARD, "twice", H5T_NATIVE_INT, H5T_NATIVE_FLOAT, twice));
    convert("user's int to float", H5T_NATIVE_INT, H5T_NATIVE_FLOAT, in, 4);
    convert("not uint to float", H5T_NATIVE_UINT, H5T_NATIVE_FLOAT, in, 4);
    H5T_cdata_t *cdata;
    printf("no place for client data %d\n", H5Tfind(H5T_NATIVE_INT, H5T_NATIVE_FLOAT, NULL) == NULL);
    printf("found %d, by the compiler %d\n", H5Tfind(H5T_NATIVE_INT, H5T_NATIVE_FLOAT, &cdata) == twice,
           (int)H5Tcompiler_conv(H5T_NATIVE_INT, H5T_NATIVE_FLOAT));
    s = COMPOUND(8, "ab", 0, 4);
    members[1] = H5T_NATIVE_FLOAT;
    d = COMPOUND(8, "ab", 4, 0);
    convert("inside a compound", s, d, in, 2);
    printf("unregister %d\n", (int)H5Tunregister(H5T_PERS_HARD, "twice", H5T_NATIVE_INT, H5T_NATIVE_FLOAT, twice));
    printf("register soft %d\n", (int)H5Tregister(H5T_PERS_SOFT, "soft", H5T_NATIVE_INT, time, twice));
    convert("user's int to time", H5T_NATIVE_INT, time, in, 4);
    convert("user's big-endian int to time", H5T_STD_I32BE, time, in, 4);
    convert("declined", H5T_NATIVE_SHORT, time, in, 4);
    printf("unregister %d\n", (int)H5Tunregister(H5T_PERS_DONTCARE, NULL, -1, -1, twice));
    convert("gone", H5T_NATIVE_INT, time, in, 4);
    printf("bad: %d %d %d %d\n", (int)H5Tregister(H5T_PERS_DONTCARE, "x", H5T_NATIVE_INT, time, twice),
           (int)H5Tregister(H5T_PERS_SOFT, "", H5T_NATIVE_INT, time, twice),
           (int)H5Tregister(H5T_PERS_SOFT, "x", H5T_NATIVE_INT, time, NULL),
           (int)H5Tregister(H5T_PERS_SOFT, "x", H5P_DEFAULT, time, twice));
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    strings();
    enums();
    compounds();
    arrays();
    sequences();
    classes();
    registered();
    return 0;
}
