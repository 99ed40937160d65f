/* Dataset creation lists: layout, chunks, filters, fill values, external files, virtual mappings, encoded bytes. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deadly.h"

static void bytes(hid_t list)
{
    size_t n = 0;
    herr_t ret = H5Pencode(list, NULL, &n);
    unsigned char *buf = calloc(1, n + 1);
    herr_t again = H5Pencode(list, buf, &n);
    printf("  bytes %d %d %zu ", ret, again, n);
    for (size_t i = 0; i < n; i++)
        printf("%02x", buf[i]);
    hid_t back = H5Pdecode(buf);
    printf(" decode %d\n", back > 0);
    size_t m = 0;
    H5Pencode(back, NULL, &m);
    unsigned char *twice = calloc(1, m + 1);
    H5Pencode(back, twice, &m);
    printf("  again %d\n", m == n);
    H5Pclose(back);
    free(buf);
    free(twice);
}

static void times(hid_t p)
{
    H5D_alloc_time_t a;
    H5D_fill_time_t f;
    H5D_fill_value_t d;
    H5Pget_alloc_time(p, &a);
    H5Pget_fill_time(p, &f);
    H5Pfill_value_defined(p, &d);
    printf("  alloc %d fill %d defined %d layout %d\n", (int)a, (int)f, (int)d, (int)H5Pget_layout(p));
}

static void layouts(void)
{
    puts("layouts");
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[40], out[3] = {0};
    unsigned opts = 9;
    for (int k = -2; k < 6; k++) {
        /* Structured chunks, which only one of the two libraries has. */
        if (k == 4)
            continue;
        int r = H5Pset_layout(p, (H5D_layout_t)k);
        printf("%d: %d\n", k, r);
        times(p);
        if (r >= 0 && k != H5D_VIRTUAL)
            bytes(p);
    }
    for (int i = 0; i < 40; i++)
        dims[i] = i < 31 ? 2 : 1;
    int ranks[] = {-1, 0, 1, 3, 31, 32, 33};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        printf("rank %d: %d %d\n", ranks[i], H5Pset_chunk(p, ranks[i], dims), H5Pget_chunk(p, 2, out));
    hsize_t zero[2] = {3, 0}, most[2] = {0xffffffffull, 1}, fits[2] = {65536, 65535};
    printf("zero %d most %d fits %d null %d\n", H5Pset_chunk(p, 2, zero), H5Pset_chunk(p, 2, most),
           H5Pset_chunk(p, 2, fits), H5Pset_chunk(p, 2, NULL));
#if STOCK_VERSION >= 20000
    hsize_t big[2] = {1ull << 32, 1}, product[2] = {65536, 65536};
    printf("big %d product %d\n", H5Pset_chunk(p, 2, big), H5Pset_chunk(p, 2, product));
#endif
    printf("get %d", H5Pget_chunk(p, 3, out));
    printf(" %llu %llu none %d\n", (unsigned long long)out[0], (unsigned long long)out[1], H5Pget_chunk(p, 0, NULL));
    times(p);
    printf("opts %d %d %d", H5Pset_chunk_opts(p, 1), H5Pset_chunk_opts(p, 4), H5Pset_chunk_opts(p, 2));
    H5Pget_chunk_opts(p, &opts);
    printf(" %u\n", opts);
    H5Pset_layout(p, H5D_CHUNKED);
    printf("chunked again: rank %d\n", H5Pget_chunk(p, 3, out));
    H5Pset_layout(p, H5D_CONTIGUOUS);
    printf("opts on contiguous %d %d\n", H5Pset_chunk_opts(p, 2), H5Pget_chunk_opts(p, &opts));
    for (int k = -1; k < 5; k++) {
        printf("alloc %d: %d\n", k, H5Pset_alloc_time(p, (H5D_alloc_time_t)k));
        times(p);
        printf("fill time %d: %d\n", k, H5Pset_fill_time(p, (H5D_fill_time_t)k));
    }
    H5Pset_layout(p, H5D_COMPACT);
    times(p);
    H5Pset_alloc_time(p, H5D_ALLOC_TIME_DEFAULT);
    times(p);
    H5Pset_layout(p, H5D_VIRTUAL);
    times(p);
    H5Pclose(p);
}

static void show_filters(hid_t p)
{
    int n = H5Pget_nfilters(p);
    printf("  %d filters, all %d\n", n, H5Pall_filters_avail(p));
    for (int i = 0; i < n + 1; i++) {
        unsigned flags = 99, values[8] = {0}, config = 99;
        size_t count = 8;
        char name[20];
        memset(name, 'z', sizeof name);
        name[19] = 0;
        H5Z_filter_t id = H5Pget_filter2(p, (unsigned)i, &flags, &count, values, sizeof name, name, &config);
        if (id < 0) {
            printf("    %d: none\n", i);
            continue;
        }
        int decodes = config == 99 ? -1 : (config & 2) != 0;
        printf("    %d: %d flags %u decodes %d name '%s' values", i, id, flags, decodes, name);
        for (size_t k = 0; k < count && k < 8; k++)
            printf(" %u", values[k]);
        count = 1;
        values[1] = 1234;
        memset(name, 'z', sizeof name);
        H5Z_filter_t old = H5Pget_filter1(p, (unsigned)i, NULL, &count, values, 4, name);
        printf(" old %d %zu %u %.5s", old, count, values[1], name);
        printf(" none %d\n", H5Pget_filter2(p, (unsigned)i, NULL, NULL, NULL, 0, NULL, NULL));
    }
}

static void filters(void)
{
    puts("filters");
    hid_t p = H5Pcreate(H5P_DATASET_CREATE), g = H5Pcreate(H5P_GROUP_CREATE);
    unsigned cd[3] = {7, 8, 9}, flags = 0, config = 0;
    size_t n = 3;
    char name[20] = "";
    for (unsigned k = 0; k < 12; k += k == 2 ? 6 : 1)
        printf("deflate %u: %d\n", k, H5Pset_deflate(p, k));
    show_filters(p);
    printf("remove %d %d %d\n", H5Premove_filter(p, H5Z_FILTER_DEFLATE), H5Premove_filter(p, H5Z_FILTER_DEFLATE),
           H5Premove_filter(p, H5Z_FILTER_ALL));
    show_filters(p);
    printf("%d %d %d %d\n", H5Pset_shuffle(p), H5Pset_fletcher32(p), H5Pset_nbit(p), H5Pset_deflate(p, 4));
    bytes(p);
    printf("scaleoffset %d %d %d\n", H5Pset_scaleoffset(p, H5Z_SO_INT, -1),
           H5Pset_scaleoffset(p, (H5Z_SO_scale_type_t)7, 1), H5Pset_scaleoffset(p, H5Z_SO_FLOAT_DSCALE, 3));
    printf("szip %d %d %d %d\n", H5Pset_szip(p, H5_SZIP_NN_OPTION_MASK, 7), H5Pset_szip(p, H5_SZIP_NN_OPTION_MASK, 34),
           H5Pset_szip(p, H5_SZIP_NN_OPTION_MASK, 8), H5Pset_szip(p, H5_SZIP_EC_OPTION_MASK | 2, 32));
    show_filters(p);
    printf("set %d %d %d %d %d\n", H5Pset_filter(p, 300, 0, 2, cd), H5Pset_filter(p, 300, H5Z_FLAG_OPTIONAL, 2, cd),
           H5Pset_filter(p, -1, 0, 0, NULL), H5Pset_filter(p, 70000, 1, 0, NULL), H5Pset_filter(p, 1, 0x100, 0, NULL));
    printf("no values %d same again %d\n", H5Pset_filter(p, 300, 1, 2, NULL), H5Pset_filter(p, 2, 0, 0, NULL));
    show_filters(p);
    printf("by id %d", H5Pget_filter_by_id2(p, 300, &flags, &n, cd, sizeof name, name, &config));
    printf(" %u %zu %u %u '%s'\n", flags, n, cd[0], cd[1], name);
    n = 3;
    printf("by id old %d missing %d\n", H5Pget_filter_by_id1(p, 300, &flags, &n, cd, sizeof name, name),
           H5Pget_filter_by_id1(p, 301, &flags, &n, cd, sizeof name, name));
    n = 1000;
    printf("absurd %d\n", H5Pget_filter1(p, 0, &flags, &n, cd, 0, NULL));
    n = 2;
    printf("nowhere %d\n", H5Pget_filter1(p, 0, &flags, &n, NULL, 0, NULL));
    cd[0] = 3;
    printf("modify %d %d\n", H5Pmodify_filter(p, H5Z_FILTER_DEFLATE, 0, 1, cd), H5Pmodify_filter(p, 300, 1, 0, NULL));
    show_filters(p);
    bytes(p);
    hid_t q = H5Pcopy(p);
    printf("copy equal %d\n", H5Pequal(p, q));
    H5Premove_filter(q, H5Z_FILTER_NBIT);
    printf("then %d %d %d\n", H5Pequal(p, q), H5Pget_nfilters(p), H5Pget_nfilters(q));
    for (int i = 0; i < 40; i++)
        if (H5Pset_filter(q, 400 + i, H5Z_FLAG_OPTIONAL, 0, NULL) < 0) {
            printf("refused at %d\n", i);
            break;
        }
    printf("group %d %d %d %d\n", H5Pset_deflate(g, 3), H5Pset_fletcher32(g), H5Pset_filter(g, 2, 0, 0, NULL),
           H5Pset_shuffle(g));
    show_filters(g);
    printf("remove all %d", H5Premove_filter(p, H5Z_FILTER_ALL));
    show_filters(p);
    H5Pclose(p);
    H5Pclose(q);
    H5Pclose(g);
}

static void fills(void)
{
    puts("fill values");
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    int i = 70000, back = -1;
    short s = -1;
    double d = -1;
    float f = 1.5f;
    printf("set %d\n", H5Pset_fill_value(p, H5T_NATIVE_INT, &i));
    times(p);
    printf("get %d", H5Pget_fill_value(p, H5T_NATIVE_INT, &back));
    printf(" %d", back);
    printf(" %d", H5Pget_fill_value(p, H5T_NATIVE_DOUBLE, &d));
    printf(" %g", d);
    printf(" %d", H5Pget_fill_value(p, H5T_NATIVE_SHORT, &s));
    printf(" %d\n", s);
    bytes(p);
    H5Pset_fill_value(p, H5T_NATIVE_FLOAT, &f);
    printf("float %d", H5Pget_fill_value(p, H5T_NATIVE_INT, &back));
    printf(" %d string %d null %d bad type %d\n", back, H5Pget_fill_value(p, H5T_C_S1, &back),
           H5Pget_fill_value(p, H5T_NATIVE_INT, NULL), H5Pget_fill_value(p, 77, &back));
    printf("unset %d", H5Pset_fill_value(p, H5T_NATIVE_INT, NULL));
    printf(" get %d\n", H5Pget_fill_value(p, H5T_NATIVE_INT, &back));
    times(p);
    bytes(p);
    printf("bad type %d wrong list %d\n", H5Pset_fill_value(p, 77, &i),
           H5Pset_fill_value(H5P_DATASET_XFER_DEFAULT, H5T_NATIVE_INT, &i));
    struct pair {
        int a;
        double b;
    } pair = {3, 4.5}, got = {0, 0};
    hid_t c = H5Tcreate(H5T_COMPOUND, sizeof pair);
    H5Tinsert(c, "a", HOFFSET(struct pair, a), H5T_NATIVE_INT);
    H5Tinsert(c, "b", HOFFSET(struct pair, b), H5T_NATIVE_DOUBLE);
    memset(&pair, 0, sizeof pair);
    pair.a = 3;
    pair.b = 4.5;
    printf("compound %d", H5Pset_fill_value(p, c, &pair));
    printf(" %d", H5Pget_fill_value(p, c, &got));
    printf(" %d %g\n", got.a, got.b);
    bytes(p);
    hid_t v = H5Tcopy(H5T_C_S1);
    H5Tset_size(v, H5T_VARIABLE);
    const char *text = "some text";
    char *copy = NULL;
    printf("string %d", H5Pset_fill_value(p, v, &text));
    printf(" %d", H5Pget_fill_value(p, v, &copy));
    printf(" %s %d\n", copy ? copy : "-", copy != text);
    H5free_memory(copy);
    hid_t q = H5Pcopy(p);
    printf("copy equal %d\n", H5Pequal(q, q));
    H5Pclose(q);
    H5Pclose(p);
    H5Tclose(c);
    H5Tclose(v);
}

static void externals(void)
{
    puts("external files");
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    char name[20] = "";
    off_t offset = -5;
    hsize_t size = 7;
    printf("%d %d %d\n", H5Pset_external(p, NULL, 0, 10), H5Pset_external(p, "", 0, 10),
           H5Pset_external(p, "a", -1, 10));
    hid_t z = H5Pcreate(H5P_DATASET_CREATE);
    printf("empty %d", H5Pset_external(z, "a", 0, 0));
    printf(" more %d", H5Pset_external(z, "b", 0, 10));
    printf(" %d\n", H5Pget_external_count(z));
    H5Pclose(z);
    printf("first %d", H5Pset_external(p, "one.bin", 5, 100));
    printf(" second %d", H5Pset_external(p, "two", 0, 200));
    printf(" %d\n", H5Pget_external_count(p));
    printf("get %d", H5Pget_external(p, 1, sizeof name, name, &offset, &size));
    printf(" '%s' %lld %llu out of range %d none %d\n", name, (long long)offset, (unsigned long long)size,
           H5Pget_external(p, 2, sizeof name, name, &offset, &size), H5Pget_external(p, 0, 0, NULL, NULL, NULL));
    memset(name, 'z', sizeof name);
    printf("short %d", H5Pget_external(p, 1, 3, name, NULL, NULL));
    printf(" %.6s\n", name);
    printf("large %d", H5Pset_external(p, "large", 0, (hsize_t)-2));
    printf(" unlimited %d", H5Pset_external(p, "last", 0, H5F_UNLIMITED));
    printf(" after %d count %d\n", H5Pset_external(p, "more", 0, 10), H5Pget_external_count(p));
    bytes(p);
    H5Pclose(p);
}

static void virtuals(void)
{
    puts("virtual");
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[1] = {10}, max[1] = {H5S_UNLIMITED}, start[1] = {2}, count[1] = {3}, other[1] = {4}, one[1] = {1},
            unlimited[1] = {H5S_UNLIMITED}, stride[1] = {5};
    hid_t a = H5Screate_simple(1, dims, max), b = H5Screate_simple(1, dims, NULL);
    H5Sselect_hyperslab(a, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Sselect_hyperslab(b, H5S_SELECT_SET, count, NULL, count, NULL);
    size_t n = 99;
    char name[20] = "";
    printf("%d %d %d %d\n", H5Pset_virtual(p, a, NULL, "d", b), H5Pset_virtual(p, a, "f", NULL, b),
           H5Pset_virtual(p, 77, "f", "d", b), H5Pset_virtual(p, a, "f", "d", 77));
    printf("%d", H5Pset_virtual(p, a, "file.h5", "dset", b));
    printf(" %d", H5Pget_virtual_count(p, &n));
    printf(" %zu\n", n);
    times(p);
    bytes(p);
    H5Sselect_hyperslab(b, H5S_SELECT_SET, start, NULL, other, NULL);
    printf("unequal %d\n", H5Pset_virtual(p, a, "file.h5", "dset", b));
    H5Sselect_hyperslab(b, H5S_SELECT_SET, start, NULL, count, NULL);
    printf("second %d\n", H5Pset_virtual(p, a, "other.h5", "x", b));
    H5Pget_virtual_count(p, &n);
    for (size_t i = 0; i < n + 1; i++) {
        ssize_t l = H5Pget_virtual_filename(p, i, name, sizeof name);
        printf("  %zu: %d %s", i, (int)l, l >= 0 ? name : "-");
        l = H5Pget_virtual_dsetname(p, i, name, sizeof name);
        printf(" %d %s", (int)l, l >= 0 ? name : "-");
        hid_t v = H5Pget_virtual_vspace(p, i), s = H5Pget_virtual_srcspace(p, i);
        if (v >= 0) {
            hsize_t low, high;
            H5Sget_select_bounds(v, &low, &high);
            printf(" dst %d %d", (int)low, (int)high);
            H5Sget_select_bounds(s, &low, &high);
            printf(" src %d %d\n", (int)low, (int)high);
            H5Sclose(v);
            H5Sclose(s);
        } else {
            printf(" none %d\n", s >= 0);
        }
    }
    H5Sselect_hyperslab(a, H5S_SELECT_SET, start, stride, unlimited, one);
    /* 2.2.0 spoils a list for which it refuses the selections of a mapping: the next one ends it. */
    DEADLY_SINCE(20200, printf("unlimited dst, limited src %d numbered %d\n", H5Pset_virtual(p, a, "file.h5", "dset", b),
                               H5Pset_virtual(p, a, "f-%b.h5", "dset", b)));
    H5Sselect_hyperslab(b, H5S_SELECT_SET, start, NULL, one, NULL);
    printf("one element %d\n", H5Pset_virtual(p, a, "f-%b.h5", "dset", b));
    hid_t c = H5Screate_simple(1, dims, max);
    H5Sselect_hyperslab(c, H5S_SELECT_SET, start, one, unlimited, one);
    printf("both unlimited %d\n", H5Pset_virtual(p, a, "file.h5", "dset", c));
    H5Sselect_hyperslab(b, H5S_SELECT_SET, start, NULL, count, NULL);
    DEADLY_SINCE(20200, printf("unlimited src only %d\n", H5Pset_virtual(p, b, "file.h5", "dset", c)));
    hid_t q = H5Pcopy(p);
    H5Pget_virtual_count(q, &n);
    printf("copy %zu equal %d\n", n, H5Pequal(p, q));
    H5Pset_layout(p, H5D_CONTIGUOUS);
    printf("then %d\n", H5Pget_virtual_count(p, &n));
    H5Pclose(p);
    H5Pclose(q);
    H5Sclose(a);
    H5Sclose(b);
    H5Sclose(c);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    layouts();
    filters();
    fills();
    externals();
    virtuals();
    return 0;
}
