/* Attributes of groups of the corpus by every function that shows them. */
#include "read_util.h"

static void show_info(const H5A_info_t *info)
{
    printf("order %d %u cset %d size %llu", info->corder_valid, info->corder_valid ? (unsigned)info->corder : 0,
           (int)info->cset, (unsigned long long)info->data_size);
}

/* Values of types without pointers, as memory of the stored type. */
static void show_value(hid_t attr, hid_t type, hid_t space)
{
    hssize_t n = H5Sget_simple_extent_npoints(space);
    size_t size = H5Tget_size(type);
    if (n <= 0 || H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
        H5Tdetect_class(type, H5T_STRING) != (H5Tget_class(type) == H5T_STRING) || H5Tget_class(type) == H5T_COMPOUND)
        return;
    unsigned char *buf = calloc((size_t)n, size);
    int r = H5Aread(attr, type, buf);
    unsigned long h = 0;
    for (size_t i = 0; i < (size_t)n * size; i++)
        h = h * 31 + buf[i];
    printf("      read %d %lx\n", r, h);
    free(buf);
    if (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT) {
        double *values = calloc((size_t)n, sizeof *values);
        r = H5Aread(attr, H5T_NATIVE_DOUBLE, values);
        printf("      as double %d %.17g %.17g\n", r, values[0], values[n - 1]);
        free(values);
    }
}

static void show_strings(hid_t attr, hid_t type, hid_t space)
{
    hssize_t n = H5Sget_simple_extent_npoints(space);
    if (n <= 0 || n > 1000 || H5Tis_variable_str(type) <= 0)
        return;
    char **s = calloc((size_t)n, sizeof *s);
    int r = H5Aread(attr, type, s);
    printf("      strings %d", r);
    for (hssize_t i = 0; r >= 0 && i < n && i < 10; i++)
        printf(" [%.30s]", s[i] ? s[i] : "(null)");
    printf("\n");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, s);
    free(s);
}

static void show_attr(hid_t attr)
{
    char name[100] = "", small[3] = "zz", owner[100] = "";
    H5A_info_t info;
    ssize_t len = H5Aget_name(attr, sizeof name, name);
    printf("    %zd %.60s", len, name);
    H5Aget_name(attr, sizeof small, small);
    len = H5Iget_name(attr, owner, sizeof owner);
    printf(" %s owner %zd %s ", small, len, owner);
    if (H5Aget_info(attr, &info) >= 0)
        show_info(&info);
    hid_t type = H5Aget_type(attr), space = H5Aget_space(attr), acpl = H5Aget_create_plist(attr);
    H5T_cset_t cset = (H5T_cset_t)-1;
    H5Pget_char_encoding(acpl, &cset);
    printf(" stored %llu class %d size %zu committed %d rank %d points %lld encoding %d\n",
           (unsigned long long)H5Aget_storage_size(attr), (int)H5Tget_class(type), H5Tget_size(type),
           H5Tcommitted(type), H5Sget_simple_extent_ndims(space), (long long)H5Sget_simple_extent_npoints(space),
           (int)cset);
    printf("      set size %d\n", H5Tset_size(type, 4));
    show_value(attr, type, space);
    show_strings(attr, type, space);
    H5Pclose(acpl);
    H5Sclose(space);
    H5Tclose(type);
}

struct tally {
    unsigned long hash;
    unsigned count, stop;
};

static herr_t count_attr(hid_t loc, const char *name, const H5A_info_t *info, void *data)
{
    struct tally *t = data;
    (void)loc;
    t->hash = fold(t->hash, name) + (unsigned long)info->data_size * 13;
    t->count++;
    return t->stop && t->count == t->stop ? 7 : 0;
}

static herr_t count_old(hid_t loc, const char *name, void *data)
{
    struct tally *t = data;
    (void)loc;
    t->hash = fold(t->hash, name);
    return ++t->count == t->stop ? 9 : 0;
}

static void iterate(hid_t obj, unsigned n)
{
    FOR_ALL_ORDERS(t, o)
    {
        struct tally all = {0, 0, 0}, part = {0, 0, 2};
        hsize_t at = 0, from = 0, behind = n;
        int r = H5Aiterate2(obj, (H5_index_t)t, (H5_iter_order_t)o, &at, count_attr, &all);
        printf("  iterate %s %s: %d at %llu, %u %lx\n", index_name((H5_index_t)t), order_name((H5_iter_order_t)o), r,
               (unsigned long long)at, all.count, all.hash);
        r = H5Aiterate2(obj, (H5_index_t)t, (H5_iter_order_t)o, &from, count_attr, &part);
        printf("    stopped %d at %llu\n", r, (unsigned long long)from);
        r = H5Aiterate2(obj, (H5_index_t)t, (H5_iter_order_t)o, &behind, count_attr, &part);
        printf("    from the end %d\n", r);
        for (hsize_t i = 0; i <= n; i += n > 20 ? n / 4 : 1) {
            char name[60] = "";
            H5A_info_t info;
            ssize_t len = H5Aget_name_by_idx(obj, ".", (H5_index_t)t, (H5_iter_order_t)o, i, name, sizeof name,
                                             H5P_DEFAULT);
            printf("    %llu: %zd %s ", (unsigned long long)i, len, len < 0 ? "" : name);
            if (H5Aget_info_by_idx(obj, ".", (H5_index_t)t, (H5_iter_order_t)o, i, &info, H5P_DEFAULT) >= 0)
                show_info(&info);
            printf("\n");
        }
    }
    struct tally old = {0, 0, 3};
    unsigned at = 0;
    int r = H5Aiterate1(obj, &at, count_old, &old);
    printf("  old iterate %d at %u: %u %lx\n", r, at, old.count, old.hash);
}

static void show_object(hid_t obj)
{
    int n = H5Aget_num_attrs(obj);
    printf("  %d attributes\n", n);
    if (n < 0)
        return;
    iterate(obj, (unsigned)n);
    printf("  exists %d %d\n", H5Aexists(obj, "no such attribute"), H5Aexists(obj, ""));
    printf("  opens %d\n", H5Aopen(obj, "no such attribute", H5P_DEFAULT) >= 0);
    for (int i = 0; i < n && i < 60; i++) {
        char name[70000];
        hid_t attr = H5Aopen_idx(obj, (unsigned)i);
        if (attr < 0) {
            printf("    %d does not open\n", i);
            continue;
        }
        show_attr(attr);
        H5Aget_name(attr, sizeof name, name);
        H5Aclose(attr);
        attr = H5Aopen(obj, name, H5P_DEFAULT);
        printf("      by name %d, exists %d ", attr >= 0, H5Aexists(obj, name));
        H5A_info_t info;
        if (H5Aget_info(attr, &info) >= 0)
            show_info(&info);
        printf("\n");
        if (attr >= 0)
            H5Aclose(attr);
    }
}

static herr_t visit(hid_t start, const char *name, const H5L_info_t *info, void *data)
{
    unsigned *count = data;
    if (info->type != H5L_TYPE_HARD || ++*count > 12)
        return 0;
    hid_t obj = H5Oopen(start, name, H5P_DEFAULT);
    printf("  -- %.60s: %d\n", name, obj >= 0);
    if (obj >= 0) {
        show_object(obj);
        H5Oclose(obj);
    }
    return 0;
}

static void show_file(const char *name, hid_t file)
{
    unsigned count = 0;
    (void)name;
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    printf("  on the file %d\n", H5Aget_num_attrs(file));
    show_object(root);
    H5Gclose(root);
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &count);
}

int main(void)
{
    static const char *const patterns[] = {"attr_*.h5", "header_*.h5", "sohm_*.h5", "type_string*.h5", NULL};
    return for_files(patterns, show_file);
}
