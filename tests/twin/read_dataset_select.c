/* Reads every dataset of the corpus through selections of all kinds, on both sides, and as several memory types. */
#include <unistd.h>

#include "read_util.h"

static unsigned long long state = 1;

static unsigned below(unsigned long long n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((state >> 33) % (n ? n : 1));
}

static unsigned long hash_bytes(const unsigned char *p, size_t n)
{
    unsigned long h = 14695981039346656037ul;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211ul;
    return h;
}

static void select_slab(hid_t space, int rank, const hsize_t *dims)
{
    hsize_t start[32], stride[32], count[32], block[32];
    for (int d = 0; d < rank; d++) {
        start[d] = below(dims[d]);
        hsize_t left = dims[d] - start[d];
        block[d] = 1 + below(left);
        stride[d] = block[d] + below(3);
        count[d] = 1 + below((left - block[d]) / stride[d] + 1);
    }
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
}

/* Stock 1.10 gets the bounds of some unions of strided blocks wrong, so unions are of plain boxes. */
static void select_box(hid_t space, int rank, const hsize_t *dims, H5S_seloper_t op)
{
    hsize_t start[32], count[32];
    for (int d = 0; d < rank; d++) {
        start[d] = below(dims[d]);
        count[d] = 1 + below(dims[d] - start[d]);
    }
    H5Sselect_hyperslab(space, op, start, NULL, count, NULL);
}

static void select_points(hid_t space, int rank, const hsize_t *dims)
{
    hsize_t coords[40 * 32];
    for (int i = 0; i < 40; i++)
        for (int d = 0; d < rank; d++)
            coords[i * rank + d] = below(dims[d]);
    H5Sselect_elements(space, H5S_SELECT_SET, 40, coords);
}

static void select_some(hid_t space, int kind, int rank, const hsize_t *dims)
{
    if (kind == 0)
        return;
    if (kind == 1)
        select_points(space, rank, dims);
    else
        select_slab(space, rank, dims);
    if (kind == 2) {
        select_box(space, rank, dims, H5S_SELECT_SET);
        select_box(space, rank, dims, H5S_SELECT_OR);
    }
    if (kind == 3 && rank > 0) {
        hssize_t offset[32] = {0};
        offset[0] = 1;
        H5Soffset_simple(space, offset);
        if (H5Sselect_valid(space) <= 0) {
            offset[0] = 0;
            H5Soffset_simple(space, offset);
        }
    }
}

/* A memory space that selects n elements: packed, with gaps, or as points from the last to the first. It has the rank of
 * the file's: stock 1.10 corrupts its memory when it projects selections to another rank. */
static hid_t memory_space(int kind, int rank, hsize_t n, hsize_t *size)
{
    hsize_t dims[32], start[32], stride[32], count[32];
    for (int d = 0; d < rank; d++) {
        dims[d] = 1;
        start[d] = 0;
        stride[d] = count[d] = 1;
    }
    hsize_t *last = &dims[rank - 1];
    *last = kind == 0 ? n : n * 3 + 5;
    if (kind != 0 && rank > 1)
        dims[0] = 2;
    *size = *last * (rank > 1 ? dims[0] : 1);
    hid_t space = H5Screate_simple(rank, dims, NULL);
    if (kind == 0)
        return space;
    start[0] = dims[0] > 1 && rank > 1;
    start[rank - 1] = 2;
    stride[rank - 1] = 1 + below(3);
    count[rank - 1] = n;
    if (kind == 1 || n > 5000) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
        return space;
    }
    hsize_t *coords = calloc(n * rank, sizeof *coords);
    for (hsize_t i = 0; i < n; i++) {
        coords[i * rank] = rank > 1 ? i % 2 : 0;
        coords[i * rank + rank - 1] = n * 3 - i;
    }
    H5Sselect_elements(space, H5S_SELECT_SET, n, coords);
    free(coords);
    return space;
}

static void read_as(hid_t ds, hid_t type, hid_t file_space, int mem_kind)
{
    hsize_t n = (hsize_t)H5Sget_select_npoints(file_space), size;
    if (n == 0 || n > 20000)
        return;
    hid_t mem = memory_space(mem_kind, H5Sget_simple_extent_ndims(file_space), n, &size);
    size_t bytes = size * H5Tget_size(type);
    if (bytes > 64u << 20) {
        H5Sclose(mem);
        return;
    }
    unsigned char *buf = malloc(bytes + 1);
    /* What is between members shows whether it was left alone; stock clears it inside arrays. */
    memset(buf, H5Tget_class(type) == H5T_ARRAY ? 0 : 0xA5, bytes + 1);
    herr_t status = H5Dread(ds, type, mem, file_space, H5P_DEFAULT, buf);
    printf(" %d:%lx", status, status < 0 ? 0 : hash_bytes(buf, bytes + 1));
    free(buf);
    H5Sclose(mem);
}

static int holds_pointers(hid_t type)
{
    return H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
           H5Tdetect_class(type, H5T_STRING) > 0 || H5Tdetect_class(type, H5T_REFERENCE) > 0;
}

/* Stock 1.10 crashes when points meet virtual datasets, and forgets the selection's offset there. */
static int is_virtual(hid_t ds)
{
    hid_t dcpl = H5Dget_create_plist(ds);
    int yes = H5Pget_layout(dcpl) == H5D_VIRTUAL;
    H5Pclose(dcpl);
    return yes;
}

static void read_dataset(hid_t ds, const char *name)
{
    int no_points = is_virtual(ds);
    hid_t type = H5Dget_type(ds), space = H5Dget_space(ds);
    hid_t native = H5Tget_native_type(type, H5T_DIR_ASCEND);
    hsize_t dims[32] = {1};
    int rank = H5Sget_simple_extent_ndims(space);
    H5Sget_simple_extent_dims(space, dims, NULL);
    hssize_t total = H5Sget_simple_extent_npoints(space);
    printf("  %.60s rank %d elements %lld:", name, rank, (long long)total);
    /* Pointers and what is behind them differ from run to run. */
    if (!holds_pointers(type) && total > 0 && rank > 0) {
        H5T_class_t cls = H5Tget_class(type);
        for (int i = 0; i < 12; i++) {
            hid_t chosen = H5Scopy(space);
            select_some(chosen, no_points && (i % 6 == 1 || i % 6 == 3) ? 2 : i % 6, rank, dims);
            read_as(ds, i % 4 == 3 ? type : native, chosen, no_points ? i % 2 : i % 3);
            /* Stock 1.10 makes negative half-precision numbers large integers. */
            if (cls == H5T_INTEGER || (cls == H5T_FLOAT && H5Tget_size(type) >= 4))
                read_as(ds, i % 2 ? H5T_NATIVE_DOUBLE : H5T_STD_I64BE, chosen, no_points ? (i + 1) % 2 : (i + 1) % 3);
            H5Sclose(chosen);
        }
    }
    printf("\n");
    H5Tclose(native);
    H5Tclose(type);
    H5Sclose(space);
}

static herr_t visit(hid_t root, const char *name, const H5O_info_t *info, void *data)
{
    unsigned *count = data;
    if (info->type != H5O_TYPE_DATASET || ++*count > 30)
        return 0;
    hid_t ds = H5Dopen2(root, name, H5P_DEFAULT);
    if (ds < 0) {
        printf("  %.60s does not open\n", name);
        return 0;
    }
    read_dataset(ds, name);
    H5Dclose(ds);
    return 0;
}

static void each(const char *name, hid_t file)
{
    unsigned count = 0;
    (void)name;
    state = 1;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &count);
}

int main(void)
{
    static const char *const files[] = {"layout_*.h5", "index_*_1chunks_*.h5", "index_*_100chunks_*.h5", "index_edge*.h5",
                                        "space_rank*.h5", "filter_deflate*.h5",
                                        "filter_nbit_int_*.h5", "filter_shuffle*.h5", "type_compound_*.h5",
                                        "type_int_*.h5", "type_float_*.h5", "type_array_*.h5", "virtual_*.h5", NULL};
    const char *dir = getenv("TESSERA_CORPUS");
    /* Raw files and virtual sources are named from there. */
    if (!dir || chdir(dir) != 0)
        return 1;
    return for_files(files, each);
}
