/* Which datasets can be created, and what they say of themselves then. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "twin_dataset_create.h5"
#define OTHER_NAME "twin_dataset_create_other.h5"

static hid_t file;

struct what {
    hid_t type;
    int rank; /* -1: null */
    hsize_t dims[3], max[3];
    hid_t dcpl;
};

static hid_t make_space(const struct what *w)
{
    if (w->rank < 0)
        return H5Screate(H5S_NULL);
    return w->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(w->rank, w->dims, w->max[0] ? w->max : NULL);
}

static void show(hid_t dset)
{
    hid_t dcpl = H5Dget_create_plist(dset), type = H5Dget_type(dset), space = H5Dget_space(dset);
    hsize_t dims[3] = {0}, max[3] = {0};
    H5D_chunk_index_t index = (H5D_chunk_index_t)-1;
    int rank = H5Sget_simple_extent_dims(space, dims, max);
    printf(" class %d size %zu committed %d, rank %d", (int)H5Tget_class(type), H5Tget_size(type),
           H5Tcommitted(type) > 0, rank);
    for (int i = 0; i < rank; i++)
        printf(" %llu/%lld", (unsigned long long)dims[i], (long long)max[i]);
    printf(", layout %d, filters %d, external %d, storage %llu", (int)H5Pget_layout(dcpl), H5Pget_nfilters(dcpl),
           H5Pget_external_count(dcpl), (unsigned long long)H5Dget_storage_size(dset));
    if (H5Pget_layout(dcpl) == H5D_CHUNKED) {
        H5Dget_chunk_index_type(dset, &index);
        printf(", index %d", (int)index);
    }
    for (int i = 0; i < H5Pget_nfilters(dcpl); i++) {
        unsigned flags, values[32] = {0}, config;
        size_t n = 32;
        char name[40];
        H5Z_filter_t id = H5Pget_filter2(dcpl, (unsigned)i, &flags, &n, values, sizeof name, name, &config);
        printf(", filter %d flags %u '%s' values", (int)id, flags, name);
        for (size_t k = 0; k < n && k < 32; k++)
            printf(" %u", values[k]);
    }
    printf(", refs %d\n", H5Iget_ref(dset));
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(dcpl);
}

static void attempt(const char *title, const struct what *w)
{
    hid_t space = make_space(w);
    hid_t dset = H5Dcreate2(file, "d", w->type, space, H5P_DEFAULT, w->dcpl ? w->dcpl : H5P_DEFAULT, H5P_DEFAULT);
    printf("%s: %s", title, dset < 0 ? "refused\n" : "created,");
    if (dset >= 0) {
        show(dset);
        H5Dclose(dset);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        printf("    again:");
        show(dset);
        H5Dclose(dset);
        if (H5Ldelete(file, "d", H5P_DEFAULT) < 0)
            puts("    not deleted");
    } else if (H5Lexists(file, "d", H5P_DEFAULT)) {
        puts("    but its link is there");
    }
    H5Sclose(space);
}

static hid_t chunked(int rank, hsize_t a, hsize_t b, hsize_t c)
{
    hsize_t dims[3] = {a, b, c};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, rank, dims);
    return dcpl;
}

static void attempt_list(const char *title, struct what w, hid_t dcpl)
{
    w.dcpl = dcpl;
    attempt(title, &w);
    H5Pclose(dcpl);
}

/* Where the version of a layout is above its bounds, 2.2.0 dies. */
static int may_have_layout_4(void)
{
    H5F_libver_t low, high;
    hid_t fapl = H5Fget_access_plist(file);
    H5Pget_libver_bounds(fapl, &low, &high);
    H5Pclose(fapl);
    return STOCK_VERSION < 20200 || high > H5F_LIBVER_V18;
}

static void chunks(void)
{
    struct what two = {H5T_NATIVE_INT, 2, {10, 20}, {0}, 0}, zero = {H5T_NATIVE_INT, 2, {0, 20}, {0}, 0};
    struct what more = {H5T_NATIVE_INT, 2, {10, 20}, {100, 20}, 0}, scalar = {H5T_NATIVE_INT, 0, {0}, {0}, 0};
    struct what free1 = {H5T_NATIVE_INT, 2, {10, 20}, {H5S_UNLIMITED, 20}, 0}, null = {H5T_NATIVE_INT, -1, {0}, {0}, 0};
    struct what free2 = {H5T_NATIVE_INT, 2, {10, 20}, {H5S_UNLIMITED, H5S_UNLIMITED}, 0};
    attempt_list("chunks of another rank", two, chunked(1, 5, 0, 0));
    attempt_list("chunks of a scalar", scalar, chunked(1, 5, 0, 0));
    attempt_list("chunks of a null space", null, chunked(1, 5, 0, 0));
    attempt_list("chunks larger than the extent", two, chunked(2, 11, 20, 0));
    attempt_list("chunks larger than the extent, not the maximum", more, chunked(2, 50, 20, 0));
    attempt_list("chunks larger than the maximum", more, chunked(2, 101, 20, 0));
    attempt_list("chunks larger than no extent", zero, chunked(2, 4, 5, 0));
    attempt_list("chunks larger than an unlimited extent", free1, chunked(2, 40, 20, 0));
    attempt_list("chunks that fit", two, chunked(2, 4, 5, 0));
    attempt_list("one chunk", two, chunked(2, 10, 20, 0));
    attempt_list("chunks, one unlimited", free1, chunked(2, 4, 5, 0));
    attempt_list("chunks, two unlimited", free2, chunked(2, 4, 5, 0));
    hsize_t huge[2] = {1u << 16, 1u << 15};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    printf("set huge chunk %d\n", H5Pset_chunk(dcpl, 2, huge));
    attempt_list("chunks of 8 GiB", free2, dcpl);
    dcpl = chunked(2, 4, 5, 0);
    H5Pset_deflate(dcpl, 5);
    printf("set options %d\n", H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    if (may_have_layout_4())
        attempt_list("partial chunks unfiltered", two, dcpl);
    dcpl = chunked(2, 4, 5, 0);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    attempt_list("chunks, early", two, dcpl);
    attempt_list("chunk list, but never set", two, (dcpl = H5Pcreate(H5P_DATASET_CREATE), H5Pset_layout(dcpl, H5D_CHUNKED), dcpl));
}

static hid_t compact(void)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(dcpl, H5D_COMPACT);
    return dcpl;
}

static void flat(void)
{
    static const hsize_t sizes[] = {65000, 65500, 65512, 65516, 65520, 65524, 65532, 65536, 70000};
    struct what more = {H5T_NATIVE_INT, 2, {10, 20}, {100, 20}, 0}, scalar = {H5T_NATIVE_INT, 0, {0}, {0}, 0};
    struct what null = {H5T_NATIVE_INT, -1, {0}, {0}, 0}, zero = {H5T_NATIVE_INT, 2, {0, 20}, {0}, 0};
    char title[64];
    attempt("contiguous, extendible", &more);
    attempt("contiguous scalar", &scalar);
    attempt("contiguous null", &null);
    attempt("contiguous, no elements", &zero);
    attempt_list("compact, extendible", more, compact());
    attempt_list("compact scalar", scalar, compact());
    attempt_list("compact null", null, compact());
    attempt_list("compact, no elements", zero, compact());
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct what w = {H5T_NATIVE_CHAR, 1, {sizes[i]}, {0}, 0};
        snprintf(title, sizeof title, "compact of %llu bytes", (unsigned long long)sizes[i]);
        attempt_list(title, w, compact());
    }
}

static void filters(void)
{
    static const char *const names[] = {"contiguous", "compact"};
    struct what w = {H5T_NATIVE_INT, 2, {10, 20}, {0}, 0};
    char title[64];
    for (int i = 0; i < 2; i++)
        for (unsigned flags = 0; flags < 2; flags++) {
            hid_t dcpl = i ? compact() : H5Pcreate(H5P_DATASET_CREATE);
            unsigned level = 3;
            H5Pset_filter(dcpl, H5Z_FILTER_DEFLATE, flags, 1, &level);
            snprintf(title, sizeof title, "filter with flags %u, %s", flags, names[i]);
            attempt_list(title, w, dcpl);
        }
    hid_t dcpl = chunked(2, 4, 5, 0);
    H5Pset_shuffle(dcpl);
    H5Pset_deflate(dcpl, 9);
    H5Pset_fletcher32(dcpl);
    attempt_list("shuffle, deflate, checksum", w, dcpl);
    dcpl = chunked(2, 4, 5, 0);
    H5Pset_nbit(dcpl);
    attempt_list("nbit", w, dcpl);
    dcpl = chunked(2, 4, 5, 0);
    H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 3);
    attempt_list("scale offset", w, dcpl);
    hid_t sequence = H5Tvlen_create(H5T_NATIVE_INT);
    w.type = sequence;
    dcpl = chunked(2, 4, 5, 0);
    H5Pset_deflate(dcpl, 9);
    attempt_list("deflate of sequences", w, dcpl);
    dcpl = chunked(2, 4, 5, 0);
    H5Pset_fletcher32(dcpl);
    attempt_list("checksum of sequences", w, dcpl);
    H5Tclose(sequence);
}

static hid_t external(hsize_t size)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(dcpl, "twin_create_a.raw", 0, 300);
    H5Pset_external(dcpl, "twin_create_b.raw", 8, size);
    return dcpl;
}

static void externals(void)
{
    struct what w = {H5T_NATIVE_INT, 2, {10, 20}, {0}, 0}, more = {H5T_NATIVE_INT, 2, {10, 20}, {100, 20}, 0};
    struct what wide = {H5T_NATIVE_INT, 2, {10, 20}, {10, 100}, 0}, free1 = {H5T_NATIVE_INT, 2, {10, 20}, {H5S_UNLIMITED, 20}, 0};
    attempt_list("external", w, external(500));
    attempt_list("external, too small", w, external(499));
    attempt_list("external, too small for the maximum", more, external(600));
    attempt_list("external for the maximum", more, external(8000));
    attempt_list("external, extendible in the second dimension", wide, external(8000));
    attempt_list("external, unlimited dataset", free1, external(8000));
    attempt_list("external, unlimited", free1, external(H5F_UNLIMITED));
    hid_t dcpl = external(500);
    hsize_t chunk[2] = {4, 5};
    printf("chunks of an external list %d\n", H5Pset_chunk(dcpl, 2, chunk));
    attempt_list("external and chunked", w, dcpl);
}

static hid_t virtual_list(hsize_t rows, hsize_t columns, hsize_t max)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[2] = {rows, columns}, maxs[2] = {max, columns};
    hid_t space = H5Screate_simple(2, dims, max ? maxs : NULL), src = H5Screate_simple(2, dims, NULL);
    herr_t set = H5Pset_virtual(dcpl, space, "nowhere.h5", "data", src);
    if (set < 0)
        puts("mapping refused");
    H5Sclose(src);
    H5Sclose(space);
    return dcpl;
}

static void virtuals(void)
{
    struct what w = {H5T_NATIVE_INT, 2, {10, 20}, {0}, 0}, more = {H5T_NATIVE_INT, 2, {10, 20}, {H5S_UNLIMITED, 20}, 0};
    struct what line = {H5T_NATIVE_INT, 1, {200}, {0}, 0};
    hid_t dcpl;
    attempt_list("virtual", w, virtual_list(10, 20, 0));
    attempt_list("virtual, smaller mapping", w, virtual_list(5, 20, 0));
    attempt_list("virtual, larger mapping", w, virtual_list(11, 20, 0));
    attempt_list("virtual, another rank", line, virtual_list(10, 20, 0));
    attempt_list("virtual, unlimited", more, virtual_list(10, 20, H5S_UNLIMITED));
    attempt_list("virtual without mappings", w, (dcpl = H5Pcreate(H5P_DATASET_CREATE), H5Pset_layout(dcpl, H5D_VIRTUAL), dcpl));
    dcpl = virtual_list(10, 20, 0);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    attempt_list("virtual, early", w, dcpl);
    dcpl = virtual_list(10, 20, 0);
    H5Pset_deflate(dcpl, 3);
    attempt_list("virtual, filtered", w, dcpl);
}

static void types(void)
{
    struct what w = {H5T_NATIVE_INT, 1, {3}, {0}, 0};
    hid_t t = H5Tcreate(H5T_COMPOUND, 16);
    w.type = t;
    attempt("compound without members", &w);
    H5Tinsert(t, "a", 0, H5T_NATIVE_INT);
    H5Tinsert(t, "b", 8, H5T_NATIVE_DOUBLE);
    attempt("compound", &w);
    H5Tclose(t);
    w.type = t = H5Tenum_create(H5T_NATIVE_INT);
    attempt("enumeration without members", &w);
    H5Tclose(t);
    w.type = t = H5Tvlen_create(H5T_NATIVE_INT);
    attempt("sequences", &w);
    H5Tclose(t);
    w.type = t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    attempt("strings", &w);
    H5Tclose(t);
    w.type = H5T_STD_REF_OBJ;
    attempt("references", &w);
    hsize_t dims[2] = {2, 3};
    w.type = t = H5Tarray_create2(H5T_NATIVE_SHORT, 2, dims);
    attempt("arrays", &w);
    H5Tclose(t);
    w.type = t = H5Tcreate(H5T_OPAQUE, 5);
    attempt("opaque", &w);
    H5Tset_tag(t, "tag");
    attempt("opaque with a tag", &w);
    H5Tclose(t);
    w.type = t = H5Tcopy(H5T_NATIVE_INT);
    H5Tcommit2(file, "named", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    attempt("committed", &w);
    H5Tclose(t);
    hid_t other = H5Fcreate(OTHER_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    w.type = t = H5Tcopy(H5T_NATIVE_INT);
    H5Tcommit2(other, "named", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    attempt("committed elsewhere", &w);
    H5Tclose(t);
    H5Fclose(other);
    remove(OTHER_NAME);
    w.type = file;
    attempt("no type", &w);
}

static void fills(void)
{
    struct what w = {H5T_NATIVE_INT, 1, {3}, {0}, 0};
    double number = 2.75, back = 0;
    char text[4] = "ab";
    hid_t string = H5Tcopy(H5T_C_S1), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Tset_size(string, 4);
    H5Pset_fill_value(dcpl, string, text);
    attempt_list("text as the fill value of numbers", w, dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &number);
    hsize_t n = 3;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t dset = H5Dcreate2(file, "filled", H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    hid_t got = H5Dget_create_plist(dset);
    herr_t status = H5Pget_fill_value(got, H5T_NATIVE_DOUBLE, &back);
    int data[3] = {-1, -1, -1};
    H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    printf("fill value %d %g, data %d %d %d, lists equal %d\n", status, back, data[0], data[1], data[2],
           H5Pequal(got, dcpl));
    H5Pclose(got);
    H5Pclose(dcpl);
    H5Dclose(dset);
    H5Sclose(space);
    H5Tclose(string);
}

static void names(void)
{
    hid_t space = H5Screate(H5S_SCALAR), lcpl = H5Pcreate(H5P_LINK_CREATE);
    hid_t a = H5Dcreate2(file, "taken", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("taken: %d\n", a >= 0);
    printf("again: %d\n", H5Dcreate2(file, "taken", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    printf("empty: %d\n", H5Dcreate2(file, "", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    printf("dot: %d\n", H5Dcreate2(file, ".", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    printf("no group: %d\n", H5Dcreate2(file, "x/y/z", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Pset_create_intermediate_group(lcpl, 1);
    hid_t b = H5Dcreate2(file, "x/y/z", H5T_NATIVE_INT, space, lcpl, H5P_DEFAULT, H5P_DEFAULT);
    char name[32] = "";
    H5Iget_name(b, name, sizeof name);
    printf("with groups: %d '%s'\n", b >= 0, name);
    printf("inside a dataset: %d\n", H5Dcreate2(file, "taken/in", H5T_NATIVE_INT, space, lcpl, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    printf("at a dataset: %d\n", H5Dcreate2(a, "in", H5T_NATIVE_INT, space, lcpl, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    hid_t c = H5Dcreate1(b, "w", H5T_NATIVE_INT, space, H5P_DEFAULT);
    printf("old call at a dataset: %d\n", c >= 0);
    hid_t d = H5Dcreate1(file, "old", H5T_NATIVE_INT, space, H5P_DEFAULT);
    printf("old call: %d\n", d >= 0);
    hid_t e = H5Dcreate_anon(file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5O_info_t info;
    H5Oget_info(e, &info);
    memset(name, 0, sizeof name);
    ssize_t length = H5Iget_name(e, name, sizeof name);
    printf("anonymous: %d, links %u, name %d '%s'\n", e >= 0, info.rc, (int)length, name);
    printf("linked: %d\n", H5Olink(e, file, "later", H5P_DEFAULT, H5P_DEFAULT));
    H5Oget_info(e, &info);
    printf("links %u\n", info.rc);
    H5Dclose(e);
    e = H5Dopen2(file, "later", H5P_DEFAULT);
    printf("opened: %d\n", e >= 0);
    H5Dclose(e);
    H5Dclose(d);
    H5Dclose(b);
    H5Dclose(a);
    H5Pclose(lcpl);
    H5Sclose(space);
}

int main(void)
{
    static const H5F_libver_t low[] = {H5F_LIBVER_V18, H5F_LIBVER_V18, H5F_LIBVER_V110};
    static const H5F_libver_t high[] = {H5F_LIBVER_V18, H5F_LIBVER_V110, H5F_LIBVER_V110};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int b = 0; b < 3; b++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(fapl, low[b], high[b]);
        file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        printf("== bounds %d\n", b);
        chunks();
        flat();
        filters();
        externals();
        virtuals();
        types();
        fills();
        names();
        printf("close %d\n", H5Fclose(file));
        H5Pclose(fapl);
    }
    remove(FILE_NAME);
    return 0;
}
