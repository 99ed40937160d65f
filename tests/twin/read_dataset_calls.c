/* The functions around datasets: properties, chunks one by one, buffers in memory, references, views of virtual datasets. */
#include <unistd.h>

#include "read_util.h"

static void show_access(hid_t ds)
{
    size_t slots = 0, bytes = 0;
    double w0 = 0;
    H5D_vds_view_t view = H5D_VDS_ERROR;
    hsize_t gap = 0;
    char prefix[50] = "none";
    hid_t dapl = H5Dget_access_plist(ds);
    H5Pget_chunk_cache(dapl, &slots, &bytes, &w0);
    H5Pget_virtual_view(dapl, &view);
    H5Pget_virtual_printf_gap(dapl, &gap);
    ssize_t len = H5Pget_efile_prefix(dapl, prefix, sizeof prefix);
    printf("    access: cache %zu %zu %g view %d gap %llu prefix %zd %s\n", slots, bytes, w0, (int)view,
           (unsigned long long)gap, len, prefix);
    H5Pclose(dapl);
}

static void show_storage(hid_t ds)
{
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
    herr_t r = H5Dget_space_status(ds, &status);
    printf("    storage: %d status %d size %llu offset %llx\n", r, (int)status,
           (unsigned long long)H5Dget_storage_size(ds), (unsigned long long)H5Dget_offset(ds));
}

static void show_chunks(hid_t ds)
{
    hid_t space = H5Dget_space(ds);
    hsize_t n = 99, offset[32] = {0}, size = 0, stored = 0;
    unsigned mask = 0;
    haddr_t addr = 0;
    H5D_chunk_index_t kind = (H5D_chunk_index_t)-1;
    herr_t r = H5Dget_num_chunks(ds, space, &n);
    herr_t k = H5Dget_chunk_index_type(ds, &kind);
    printf("    chunks: %d %llu index %d %d\n", r, r < 0 ? 0 : (unsigned long long)n, k, (int)kind);
    for (hsize_t i = 0; r >= 0 && i < n && i < 5; i++) {
        unsigned char raw[4096];
        uint32_t filters = 77;
        herr_t got = H5Dget_chunk_info(ds, space, i, offset, &mask, &addr, &size);
        herr_t by = H5Dget_chunk_info_by_coord(ds, offset, &mask, &addr, &size);
        herr_t st = H5Dget_chunk_storage_size(ds, offset, &stored);
        printf("      %d %d %d at %llu mask %x address %llx size %llu %llu", got, by, st, (unsigned long long)offset[0],
               mask, (unsigned long long)addr, (unsigned long long)size, (unsigned long long)stored);
        if (size <= sizeof raw) {
            unsigned long h = 7;
            herr_t read = H5Dread_chunk(ds, H5P_DEFAULT, offset, &filters, raw);
            for (hsize_t b = 0; read >= 0 && b < size; b++)
                h = h * 31 + raw[b];
            printf(" raw %d %x %lx", read, filters, h);
        }
        printf("\n");
    }
    offset[0] += H5Sget_simple_extent_npoints(space) > 8;
    if (r >= 0) {
        herr_t st = H5Dget_chunk_storage_size(ds, offset, &stored);
        printf("      between: %d %llu", st, (unsigned long long)stored);
        for (hsize_t i = n; i < n + 2; i++) {
            herr_t beyond = H5Dget_chunk_info(ds, space, i, NULL, &mask, &addr, &size);
            printf(" beyond: %d %llx %llu", beyond, (unsigned long long)addr, (unsigned long long)size);
        }
        printf("\n");
    }
    H5Sclose(space);
}

static void show_vlen(hid_t ds)
{
    hid_t type = H5Dget_type(ds), space = H5Dget_space(ds);
    /* Stock 1.10 goes beyond its memory for scalars and for sequences of sequences. */
    int simple = H5Tis_variable_str(type) > 0;
    if (H5Tget_class(type) == H5T_VLEN) {
        hid_t base = H5Tget_super(type);
        simple = H5Tget_class(base) == H5T_INTEGER || H5Tget_class(base) == H5T_FLOAT;
        H5Tclose(base);
    }
    if (simple && H5Sget_simple_extent_ndims(space) > 0 && H5Sget_simple_extent_npoints(space) < 2000) {
        hsize_t size = 0;
        herr_t r = H5Dvlen_get_buf_size(ds, type, space, &size);
        printf("    variable-length bytes: %d %llu\n", r, (unsigned long long)size);
    }
    H5Tclose(type);
    H5Sclose(space);
}

static herr_t visit(hid_t root, const char *name, const H5O_info_t *info, void *data)
{
    unsigned *count = data;
    if (info->type != H5O_TYPE_DATASET || ++*count > 12)
        return 0;
    hid_t ds = H5Dopen2(root, name, H5P_DEFAULT);
    printf("  %.60s: %s\n", name, ds < 0 ? "does not open" : "open");
    if (ds < 0)
        return 0;
    show_access(ds);
    show_storage(ds);
    show_chunks(ds);
    show_vlen(ds);
    H5Dclose(ds);
    return 0;
}

static void each(const char *name, hid_t file)
{
    unsigned count = 0;
    (void)name;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &count);
    printf("  not datasets: %d %d %d\n", (int)H5Dopen2(file, "/", H5P_DEFAULT), (int)H5Dopen2(file, "nothing", H5P_DEFAULT),
           (int)H5Dopen2(file, "", H5P_DEFAULT));
}

static herr_t visit_storage(hid_t root, const char *name, const H5O_info_t *info, void *data)
{
    (void)data;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t ds = H5Dopen2(root, name, H5P_DEFAULT);
    printf("  %.60s: %s\n", name, ds < 0 ? "does not open" : "open");
    if (ds >= 0) {
        show_storage(ds);
        show_chunks(ds);
        H5Dclose(ds);
    }
    return 0;
}

static void each_storage(const char *name, hid_t file)
{
    (void)name;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_storage, NULL);
}

static void each_view(const char *name, hid_t file)
{
    (void)name;
    for (int view = 0; view < 2; view++)
        for (hsize_t gap = 0; gap < 4; gap++) {
            hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
            H5Pset_virtual_view(dapl, view ? H5D_VDS_LAST_AVAILABLE : H5D_VDS_FIRST_MISSING);
            H5Pset_virtual_printf_gap(dapl, gap);
            H5G_info_t info = {0};
            H5Gget_info(file, &info);
            for (hsize_t i = 0; i < info.nlinks; i++) {
                char link[100];
                H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, link, sizeof link, H5P_DEFAULT);
                hid_t ds = H5Dopen2(file, link, dapl);
                if (ds < 0)
                    continue;
                hid_t space = H5Dget_space(ds);
                hsize_t dims[32] = {0};
                int rank = H5Sget_simple_extent_dims(space, dims, NULL);
                hssize_t n = H5Sget_simple_extent_npoints(space);
                printf("  view %d gap %d %.40s rank %d: %llu %llu", view, (int)gap, link, rank,
                       (unsigned long long)dims[0], (unsigned long long)dims[1]);
                if (n > 0 && n < 100000) {
                    double *buf = calloc((size_t)n, sizeof *buf), sum = 0;
                    herr_t r = H5Dread(ds, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf);
                    for (hssize_t k = 0; k < n; k++)
                        sum = sum * 0.9 + buf[k];
                    printf(" read %d %.10g", r, sum);
                    free(buf);
                }
                printf("\n");
                H5Sclose(space);
                H5Dclose(ds);
            }
            H5Pclose(dapl);
        }
}

struct feed {
    int next[10];
    size_t portion, left;
};

static herr_t feed(const void **src, size_t *bytes, void *data)
{
    struct feed *f = data;
    static int out[10];
    size_t n = f->portion < f->left ? f->portion : f->left;
    for (size_t i = 0; i < n; i++)
        out[i] = f->next[0]++;
    f->left -= n;
    *src = out;
    *bytes = n * sizeof(int);
    return 0;
}

static herr_t eat(const void *dst, size_t bytes, void *data)
{
    const int *v = dst;
    printf(" [");
    for (size_t i = 0; i < bytes / sizeof *v; i++)
        printf("%d ", v[i]);
    printf("]");
    return *(int *)data < 0 ? -1 : 0;
}

static herr_t see(void *elem, hid_t type, unsigned ndim, const hsize_t *point, void *data)
{
    int *left = data;
    (void)type;
    printf(" %u(%llu,%llu)=%d", ndim, (unsigned long long)point[0], (unsigned long long)point[1], *(int *)elem);
    return --*left == 0 ? 5 : 0;
}

static void show_ints(const char *what, int r, const int *v, int n)
{
    printf("%s %d:", what, r);
    for (int i = 0; i < n; i++)
        printf(" %d", v[i]);
    printf("\n");
}

static void buffers(void)
{
    hsize_t dims[2] = {4, 5}, start[2] = {1, 0}, stride[2] = {2, 2}, count[2] = {2, 3};
    hid_t space = H5Screate_simple(2, dims, NULL);
    int buf[20];
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
    for (size_t portion = 1; portion < 8; portion++) {
        struct feed f = {.next = {100}, .portion = portion, .left = 6};
        memset(buf, 0, sizeof buf);
        herr_t r = H5Dscatter(feed, &f, H5T_NATIVE_INT, space, buf);
        show_ints("scatter", r, buf, 20);
        int packed[10] = {0}, sign = 1;
        r = H5Dgather(space, buf, H5T_NATIVE_INT, portion * sizeof(int), packed, eat, &sign);
        show_ints(" gather", r, packed, 10);
    }
    struct feed many = {.next = {1}, .portion = 7, .left = 7};
    printf("too much %d\n", H5Dscatter(feed, &many, H5T_NATIVE_INT, space, buf));
    int packed[10] = {0}, minus = -1, left = 4;
    printf("no room %d %d\n", H5Dgather(space, buf, H5T_NATIVE_INT, 8, packed, NULL, NULL),
           H5Dgather(space, buf, H5T_NATIVE_INT, 3, packed, NULL, NULL));
    printf("refused %d\n", H5Dgather(space, buf, H5T_NATIVE_INT, 8, packed, eat, &minus));
    float value = 7.9f;
    memset(buf, 0, sizeof buf);
    int r = H5Dfill(&value, H5T_NATIVE_FLOAT, buf, H5T_NATIVE_INT, space);
    show_ints("fill", r, buf, 20);
    r = H5Diterate(buf, H5T_NATIVE_INT, space, see, &left);
    printf(" iterate %d\n", r);
    memset(buf, 1, sizeof buf);
    r = H5Dfill(NULL, H5T_NATIVE_INT, buf, H5T_NATIVE_INT, space);
    show_ints("fill with nothing", r, buf, 20);
    printf("no buffer %d\n", H5Dfill(&value, H5T_NATIVE_FLOAT, NULL, H5T_NATIVE_INT, space));
    H5Sclose(space);
}

static void show_reference(hid_t file, H5R_type_t kind, const void *ref)
{
    char name[80] = "?", small[4] = "???";
    H5O_type_t type = H5O_TYPE_UNKNOWN;
    ssize_t len = H5Rget_name(file, kind, ref, name, sizeof name);
    ssize_t cut = H5Rget_name(file, kind, ref, small, 3);
    herr_t r = H5Rget_obj_type2(file, kind, ref, &type);
    hid_t obj = H5Rdereference2(file, H5P_DEFAULT, kind, ref);
    printf("    %zd %s %zd %s type %d %d %d opens %d", len, name, cut, small, r, (int)type,
           (int)H5Rget_obj_type1(file, kind, ref), obj >= 0 ? (int)H5Iget_type(obj) : -1);
    if (kind == H5R_DATASET_REGION) {
        hid_t space = H5Rget_region(file, kind, ref);
        printf(" region %lld", space < 0 ? -1 : (long long)H5Sget_select_npoints(space));
        H5Sclose(space);
    }
    printf("\n");
    H5Oclose(obj);
}

static herr_t visit_references(hid_t root, const char *name, const H5O_info_t *info, void *data)
{
    (void)data;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t ds = H5Dopen2(root, name, H5P_DEFAULT), type = H5Dget_type(ds), space = H5Dget_space(ds);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    int object = H5Tequal(type, H5T_STD_REF_OBJ) > 0, region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    if ((object || region) && n > 0 && n < 1000) {
        size_t size = H5Tget_size(type);
        unsigned char *buf = malloc((size_t)n * size);
        printf("  %.60s: %d\n", name, H5Dread(ds, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf));
        for (hssize_t i = 0; i < n && i < 10; i++)
            show_reference(root, object ? H5R_OBJECT : H5R_DATASET_REGION, buf + (size_t)i * size);
        free(buf);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(ds);
    return 0;
}

static void each_reference(const char *name, hid_t file)
{
    (void)name;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_references, NULL);
}

int main(void)
{
    static const char *const files[] = {"layout_*.h5", "index_*_1chunks_*.h5", "index_[bf]*_2d_*.h5", "index_*sparse*.h5",
                                        "index_edge*.h5", "index_filter_mask*.h5", "type_vlen*.h5", "type_string*.h5", NULL};
    static const char *const bare[] = {"hand_super[01]_userblock*.h5", NULL};
    static const char *const views[] = {"virtual_*.h5", NULL};
    static const char *const references[] = {"heap_object_refs*.h5", "heap_region*.h5", NULL};
    const char *dir = getenv("TESSERA_CORPUS");
    /* Raw files and virtual sources are named from there. */
    if (!dir || chdir(dir) != 0)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    buffers();
    return for_files(files, each) || for_files(bare, each_storage) || for_files(views, each_view) || for_files(references, each_reference);
}
