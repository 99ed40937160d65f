/* Extents: creation, limits, copies, comparison. */
#include "space_util.h"

static void creation(void)
{
    hsize_t d[33], m[33];
    for (int i = 0; i < 33; i++)
        d[i] = m[i] = 1;
    printf("ranks: -1 %d 33 %d\n", (int)(H5Screate_simple(-1, d, NULL) >= 0), (int)(H5Screate_simple(33, d, NULL) >= 0));
    hid_t s = H5Screate_simple(0, NULL, NULL);
    show_extent("rank 0", s);
    H5Sclose(s);
    s = H5Screate_simple(32, d, NULL);
    show_extent("rank 32", s);
    H5Sclose(s);
    printf("no dims %d\n", (int)(H5Screate_simple(2, NULL, NULL) >= 0));
    d[0] = 3;
    m[0] = 2;
    printf("max below dims %d\n", (int)(H5Screate_simple(2, d, m) >= 0));
    m[0] = H5S_UNLIMITED;
    s = H5Screate_simple(2, d, m);
    show_extent("unlimited", s);
    show("unlimited", s);
    H5Sclose(s);
    d[0] = H5S_UNLIMITED;
    printf("unlimited dims %d\n", (int)(H5Screate_simple(2, d, m) >= 0));
    d[0] = 0;
    s = H5Screate_simple(2, d, NULL);
    show_extent("zero", s);
    show("zero", s);
    H5Sclose(s);
    s = H5Screate_simple(2, d, m);
    show_extent("zero, unlimited", s);
    H5Sclose(s);
    m[0] = 0;
    s = H5Screate_simple(2, d, m);
    show_extent("zero, max zero", s);
    H5Sclose(s);
    for (int c = -2; c < 5; c++) {
        s = H5Screate((H5S_class_t)c);
        printf("create class %d: %d\n", c, (int)(s >= 0));
        if (s < 0)
            continue;
        show_extent("  created", s);
        show("  created", s);
        printf("close %d", (int)H5Sclose(s));
        printf(" again %d\n", (int)H5Sclose(s));
    }
    printf("close bad %d %d\n", (int)H5Sclose(-1), (int)H5Sclose(H5S_ALL));
}

static void changes(void)
{
    hsize_t d[2] = {4, 6}, m[2] = {8, H5S_UNLIMITED}, d2[2] = {7, 7}, d3[3] = {2, 3, 4};
    hsize_t start[2] = {1, 1}, count[2] = {2, 3};
    hid_t s = H5Screate_simple(2, d, m), t = H5Screate_simple(2, d, NULL), sc = H5Screate(H5S_SCALAR),
          nl = H5Screate(H5S_NULL);
    printf("equal %d %d %d %d %d\n", (int)H5Sextent_equal(s, s), (int)H5Sextent_equal(s, t), (int)H5Sextent_equal(sc, nl),
           (int)H5Sextent_equal(sc, sc), (int)H5Sextent_equal(nl, nl));
    H5Sselect_hyperslab(s, H5S_SELECT_SET, start, NULL, count, NULL);
    hid_t c = H5Scopy(s);
    show("copy", c);
    show_extent("copy", c);
    printf("set_extent_simple %d\n", (int)H5Sset_extent_simple(c, 2, d2, NULL));
    show_extent("changed", c);
    show("changed", c);
    H5Sselect_all(c);
    printf("set_extent_simple %d\n", (int)H5Sset_extent_simple(c, 3, d3, NULL));
    show_extent("rank 3", c);
    show("rank 3", c);
    printf("set_extent_simple 0 %d\n", (int)H5Sset_extent_simple(c, 0, NULL, NULL));
    show_extent("rank 0", c);
    show("rank 0", c);
    printf("bad %d %d %d %d\n", (int)H5Sset_extent_simple(c, 33, d3, NULL), (int)H5Sset_extent_simple(c, -1, d3, NULL),
           (int)H5Sset_extent_simple(c, 2, NULL, NULL), (int)H5Sset_extent_simple(c, 2, m, d));
    show_extent("after bad", c);
    printf("extent_copy %d\n", (int)H5Sextent_copy(c, s));
    show_extent("copied", c);
    show("copied", c);
    H5Sselect_hyperslab(c, H5S_SELECT_SET, start, NULL, count, NULL);
    printf("extent_copy %d\n", (int)H5Sextent_copy(c, t));
    show("copied over hyperslab", c);
    H5Sselect_none(c);
    printf("extent_copy %d\n", (int)H5Sextent_copy(c, t));
    show("copied over none", c);
    printf("extent_copy %d\n", (int)H5Sextent_copy(c, nl));
    show_extent("null", c);
    show("null", c);
    printf("set_extent_none %d\n", (int)H5Sset_extent_none(c));
    show_extent("none", c);
    printf("select type %d npoints %lld copy %d\n", (int)H5Sget_select_type(c), (long long)H5Sget_select_npoints(c),
           (int)(H5Scopy(c) >= 0));
    printf("all %d", (int)H5Sselect_all(c));
    printf(" none %d\n", (int)H5Sselect_none(c));
    printf("none equal none %d\n", (int)H5Sextent_equal(c, c));
    printf("set after none %d\n", (int)H5Sset_extent_simple(c, 2, d, m));
    show_extent("set after none", c);
    show("set after none", c);
    printf("bad ids %d %d %d %lld %d\n", (int)H5Sextent_equal(-1, s), (int)H5Sextent_copy(s, -1),
           (int)H5Sget_simple_extent_ndims(-1), (long long)H5Sget_simple_extent_npoints(-1),
           (int)H5Sget_simple_extent_type(-1));
    printf("is_simple %d %d %d\n", (int)H5Sis_simple(s), (int)H5Sis_simple(sc), (int)H5Sis_simple(-1));
    printf("dims of scalar %d null %d\n", H5Sget_simple_extent_dims(sc, d, m), H5Sget_simple_extent_dims(nl, d, m));
    hssize_t off[2] = {1, -1};
    printf("offset %d scalar %d null %d NULL %d\n", (int)H5Soffset_simple(s, off), (int)H5Soffset_simple(sc, off),
           (int)H5Soffset_simple(nl, off), (int)H5Soffset_simple(s, NULL));
    show("offset", s);
    H5Sclose(s);
    H5Sclose(t);
    H5Sclose(c);
    H5Sclose(sc);
    H5Sclose(nl);
}

static void versions(void)
{
    /* version 2 extents and every damaged prefix of an encoding */
    hsize_t d[2] = {4, 6}, m[2] = {8, H5S_UNLIMITED};
    hid_t s = H5Screate_simple(2, d, m);
    size_t n = 0;
    ENCODE(s, NULL, &n);
    unsigned char *buf = malloc(n);
    size_t small = n - 1;
    printf("too small buffer %d", (int)ENCODE(s, buf, &small));
    printf(" says %zu of %zu; bad id %d\n", small, n, (int)ENCODE(-1, buf, &n));
    ENCODE(s, buf, &n);
    for (size_t i = 0; i < 12; i++) {
        unsigned char keep = buf[i];
        if (i >= 3 && i < 7)
            continue;
        buf[i] = 77;
        hid_t t = H5Sdecode(buf);
        printf("byte %zu damaged: %d\n", i, (int)(t >= 0));
        buf[i] = keep;
    }
    printf("decode NULL %d\n", (int)(H5Sdecode(NULL) >= 0));
    static const unsigned char v2[] = {1, 0, 8, 20, 0, 0, 0, 2, 2, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0,
                                       3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    hid_t t = H5Sdecode(v2);
    show_extent("version 2", t);
    show("version 2", t);
    H5Sclose(t);
    H5Sclose(s);
    free(buf);
}

int main(void)
{
    quiet();
    creation();
    changes();
    versions();
    return 0;
}
