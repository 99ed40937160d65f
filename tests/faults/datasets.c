/* Datasets of every layout, chunk index and filter: created, written, resized, deleted. */
#include <stdio.h>
#include <string.h>

#include "faults/faults.h"

#define ROWS 24
#define COLUMNS 40

/* How the dataset of a scenario is made; 0 of max: as large as it is. */
static struct shape {
    H5D_layout_t layout;
    hsize_t dims[2], max[2], chunk[2];
    bool filters, early, zeros; /* fill values: zeros, not -1 */
    bool own;                   /* a filter of the application */
} shape;

static const hsize_t U = H5S_UNLIMITED;

static int make_empty(const char *path, hid_t fapl)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    return 0;
}

static int create_list(hid_t dcpl)
{
    int fill = -1;
    TRY(H5Pset_layout(dcpl, shape.layout));
    if (!shape.zeros)
        TRY(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
    if (shape.layout == H5D_CHUNKED)
        TRY(H5Pset_chunk(dcpl, 2, shape.chunk));
    if (shape.early)
        TRY(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    if (shape.filters) {
        TRY(H5Pset_shuffle(dcpl));
        TRY(H5Pset_deflate(dcpl, 1));
        TRY(H5Pset_fletcher32(dcpl));
    }
    return shape.own ? H5Pset_filter(dcpl, FAULTS_FILTER, 0, 0, NULL) : 0;
}

static int create(hid_t file)
{
    KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
    TRY(create_list(dcpl));
    KEEP(space, H5Screate_simple(2, shape.dims, shape.max[0] ? shape.max : NULL));
    KEEP(dataset, H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    return 0;
}

/* An element of row r and column c is one of these, by how often it was written. */
static int value(hsize_t r, hsize_t c, int times)
{
    return times ? (int)(100000 * times + 100 * r + c) : -1;
}

static int write_block(hid_t file, hsize_t rows, hsize_t columns, int times)
{
    static int values[64 * 64];
    hsize_t start[2] = {0, 0}, count[2] = {rows, columns};
    KEEP(dataset, H5Dopen2(file, "d", H5P_DEFAULT));
    KEEP(space, H5Dget_space(dataset));
    KEEP(memory, H5Screate_simple(2, count, NULL));
    TRY(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    for (hsize_t r = 0; r < rows; r++)
        for (hsize_t c = 0; c < columns; c++)
            values[r * columns + c] = value(r, c, times);
    return H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values);
}

static int resize(hid_t file, hsize_t rows, hsize_t columns)
{
    hsize_t dims[2] = {rows, columns};
    KEEP(dataset, H5Dopen2(file, "d", H5P_DEFAULT));
    return H5Dset_extent(dataset, dims);
}

/* What cannot be resized is overwritten once more instead. */
static int all_steps(hid_t file, int step)
{
    hsize_t columns = shape.max[1] == shape.dims[1] || !shape.max[0] ? COLUMNS : COLUMNS + 5;
    bool fixed = !shape.max[0];
    switch (step) {
    case 0:
        return create(file);
    case 1:
        return write_block(file, ROWS, COLUMNS, 1);
    case 2:
        return write_block(file, 7, 9, 2);
    case 3:
        return fixed ? write_block(file, 12, 20, 3) : resize(file, ROWS + 9, columns);
    case 4:
        return fixed ? write_block(file, 13, 20, 4) : write_block(file, ROWS + 9, columns, 3);
    case 5:
        return fixed ? write_block(file, 14, 20, 5) : resize(file, 5, 10);
    default:
        return H5Ldelete(file, "d", H5P_DEFAULT);
    }
}

static int make_rows(const char *path, hid_t fapl)
{
    shape = (struct shape){
        .layout = H5D_CHUNKED, .dims = {0, COLUMNS}, .max = {U, COLUMNS}, .chunk = {10, COLUMNS}, .zeros = true};
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    return create(file);
}

/* What a SWMR writer does, a flush after each. */
static int append_rows(hid_t file, int step)
{
    hsize_t rows = (hsize_t)(step / 2 + 1) * 7;
    TRY(step % 2 ? write_block(file, rows, COLUMNS, step / 2 + 1) : resize(file, rows, COLUMNS));
    return H5Fflush(file, H5F_SCOPE_GLOBAL);
}

enum { MOST_TIMES = 5 };

static int stored(hsize_t r, hsize_t c, int times)
{
    return times == 0 && shape.zeros ? 0 : value(r, c, times);
}

/* A write that ends with a sector may have written a part of an element. */
static bool element_may_be(int v, hsize_t r, hsize_t c)
{
    for (int a = 0; a <= MOST_TIMES; a++)
        for (int b = 0; b <= MOST_TIMES; b++)
            for (int cut = 8; cut <= 32; cut += 8) {
                uint32_t low = (uint32_t)((UINT64_C(1) << cut) - 1);
                if ((uint32_t)v == (((uint32_t)stored(r, c, a) & low) | ((uint32_t)stored(r, c, b) & ~low)))
                    return true;
            }
    return false;
}

static bool may_be(hid_t file)
{
    static int values[64 * 64];
    hsize_t dims[2];
    if (H5Lexists(file, "d", H5P_DEFAULT) <= 0)
        return true;
    hid_t dataset = H5Dopen2(file, "d", H5P_DEFAULT), space = H5Dget_space(dataset);
    bool right = H5Sget_simple_extent_dims(space, dims, NULL) == 2 &&
                 H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    for (hsize_t i = 0; right && i < dims[0] * dims[1]; i++)
        right = element_may_be(values[i], i / dims[1], i % dims[1]);
    H5Sclose(space);
    H5Dclose(dataset);
    return right;
}

/* The steps are the same; these only say of what. */
static int with(hid_t file, int step, const struct shape *s)
{
    shape = *s;
    return all_steps(file, step);
}

#define SHAPE(name, ...)                                                                                               \
    static int name(hid_t file, int step)                                                                              \
    {                                                                                                                  \
        return with(file, step, &(struct shape){__VA_ARGS__});                                                         \
    }
#define DIMS .dims = {ROWS, COLUMNS}
#define CHUNKS .layout = H5D_CHUNKED, DIMS, .chunk = {10, 16}

SHAPE(compact, .layout = H5D_COMPACT, DIMS)
SHAPE(contiguous, .layout = H5D_CONTIGUOUS, DIMS)
SHAPE(contiguous_early, .layout = H5D_CONTIGUOUS, DIMS, .early = true)
SHAPE(fixed, CHUNKS)
SHAPE(fixed_filters, CHUNKS, .filters = true)
SHAPE(implicit, CHUNKS, .early = true)
SHAPE(single, .layout = H5D_CHUNKED, DIMS, .chunk = {ROWS, COLUMNS})
SHAPE(single_filters, .layout = H5D_CHUNKED, DIMS, .chunk = {ROWS, COLUMNS}, .filters = true)
SHAPE(one_unlimited, CHUNKS, .max = {U, COLUMNS})
SHAPE(one_unlimited_filters, CHUNKS, .max = {U, COLUMNS}, .filters = true)
SHAPE(both_unlimited, CHUNKS, .max = {U, U})
SHAPE(both_unlimited_filters, CHUNKS, .max = {U, U}, .filters = true)
SHAPE(both_unlimited_own, CHUNKS, .max = {U, U}, .own = true)
SHAPE(bounded, CHUNKS, .max = {64, 64})
SHAPE(bounded_early, CHUNKS, .max = {64, 64}, .early = true)

/* The data would be in another file, whose calls do not fail here. */
static int external(hid_t file, int step)
{
    hsize_t n = 10;
    KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
    if (step == 1)
        return H5Ldelete(file, "external", H5P_DEFAULT);
    TRY(H5Pset_external(dcpl, "/dev/zero", 0, 10 * sizeof(int)));
    KEEP(space, H5Screate_simple(1, &n, NULL));
    KEEP(dataset, H5Dcreate2(file, "external", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    return 0;
}

static int virtual_of(hid_t file, int step)
{
    hsize_t n = 10, twice = 20, start = step ? 10 : 0, one = 1;
    KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
    KEEP(source, H5Screate_simple(1, &n, NULL));
    KEEP(space, H5Screate_simple(1, &twice, NULL));
    TRY(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &one, &n));
    TRY(H5Pset_virtual(dcpl, space, step ? "nowhere.h5" : ".", "/d", source));
    KEEP(whole, H5Screate_simple(1, &twice, NULL));
    KEEP(dataset, H5Dcreate2(file, step ? "second" : "virtual", H5T_NATIVE_INT, whole, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    return 0;
}

static int make_old(const char *path, hid_t fapl)
{
    (void)fapl;
    return from_corpus("group_old_0links.h5", path);
}

/* Many small chunks at once, and chunks written as they are stored. */
static int many_chunks(hid_t file, int step)
{
    hsize_t n = 300, chunk = 1, max = H5S_UNLIMITED, offset = 7;
    int values[300];
    for (int i = 0; i < 300; i++)
        values[i] = 100000 * step + i;
    KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
    TRY(H5Pset_chunk(dcpl, 1, &chunk));
    KEEP(space, H5Screate_simple(1, &n, &max));
    if (step == 0) {
        KEEP(dataset, H5Dcreate2(file, "many", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        return 0;
    }
    if (step == 3)
        return H5Ldelete(file, "many", H5P_DEFAULT);
    KEEP(dataset, H5Dopen2(file, "many", H5P_DEFAULT));
    if (step == 2)
        return H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, sizeof(int), values);
    return H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

static bool many_may_be(hid_t file)
{
    int values[300];
    if (H5Lexists(file, "many", H5P_DEFAULT) <= 0)
        return true;
    hid_t dataset = H5Dopen2(file, "many", H5P_DEFAULT);
    bool right = H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    for (int i = 0; right && i < 300; i++)
        right = values[i] == 0 || values[i] == 100000 + i || (i == 7 && values[i] == 200000);
    H5Dclose(dataset);
    return right;
}

/* Structured chunks as they are stored: one is copied over another, one goes. */
static int copy_chunk(hid_t dataset, hsize_t from, hsize_t to, bool nothing)
{
    static uint8_t bytes[2][1000];
    uint16_t masks[2];
    size_t sizes[2];
    void *bufs[] = {bytes[0], bytes[1]};
    H5D_struct_chunk_info_t info = {.num_sections = 2, .filter_mask = masks, .section_size = sizes};
    TRY(H5Dread_struct_chunk(dataset, H5P_DEFAULT, &from, &info, NULL));
    if (sizes[0] > sizeof bytes[0] || sizes[1] > sizeof bytes[1])
        return -1;
    TRY(H5Dread_struct_chunk(dataset, H5P_DEFAULT, &from, NULL, bufs));
    for (int i = 0; nothing && i < 2; i++)
        sizes[i] = masks[i] = 0;
    return H5Dwrite_struct_chunk(dataset, H5P_DEFAULT, &to, &info, bufs);
}

static int structured(hid_t file, int step)
{
    hsize_t n = 45, chunk = 10, max = H5S_UNLIMITED;
    int values[45];
    for (int i = 0; i < 45; i++)
        values[i] = 100000 + i;
    KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
    TRY(H5Pset_sparse_chunk(dcpl, 1, &chunk));
    TRY(H5Pset_selection_packing(dcpl));
    TRY(H5Pset_shuffle(dcpl));
    KEEP(space, H5Screate_simple(1, &n, &max));
    if (step == 0) {
        KEEP(dataset, H5Dcreate2(file, "many", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        return 0;
    }
    if (step == 4)
        return H5Ldelete(file, "many", H5P_DEFAULT);
    KEEP(dataset, H5Dopen2(file, "many", H5P_DEFAULT));
    if (step == 1)
        return H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    return step == 2 ? copy_chunk(dataset, 0, 20, false) : copy_chunk(dataset, 30, 30, true);
}

static bool structured_may_be(hid_t file)
{
    int values[45];
    if (H5Lexists(file, "many", H5P_DEFAULT) <= 0)
        return true;
    hid_t dataset = H5Dopen2(file, "many", H5P_DEFAULT);
    bool right = H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    for (int i = 0; right && i < 45; i++)
        right = values[i] == 0 || values[i] == 100000 + i || (i / 10 == 2 && values[i] == 100000 + i - 20);
    H5Dclose(dataset);
    return right;
}

#define DATASET(label, steps_of, ...)                                                                                  \
    {                                                                                                                  \
        .name = label, .make = make_empty, .step = steps_of, .steps = 7, .may_be = may_be, __VA_ARGS__                 \
    }
#define LATEST .flags = FAULTS_LATEST

static const struct scenario scenarios[] = {
    DATASET("compact", compact),
    DATASET("contiguous", contiguous),
    DATASET("contiguous-early", contiguous_early),
    DATASET("btree1", both_unlimited),
    DATASET("btree1-filters", both_unlimited_filters),
    DATASET("btree1-early", bounded_early),
    DATASET("single", single, LATEST),
    DATASET("single-filters", single_filters, LATEST),
    DATASET("implicit", implicit, LATEST),
    DATASET("fixed-array", fixed, LATEST),
    DATASET("fixed-array-filters", fixed_filters, LATEST),
    DATASET("fixed-array-bounded", bounded, LATEST),
    DATASET("extensible-array", one_unlimited, LATEST),
    DATASET("extensible-array-filters", one_unlimited_filters, LATEST),
    DATASET("btree2", both_unlimited, LATEST),
    DATASET("btree2-filters", both_unlimited_filters, LATEST),
    DATASET("small-cache", both_unlimited_filters, .flags = FAULTS_LATEST | FAULTS_SMALL_CACHE),
    DATASET("own-filter", both_unlimited_own),
    DATASET("own-filter-latest", both_unlimited_own, LATEST),
    {.name = "old", .make = make_old, .step = both_unlimited, .steps = 7, .may_be = may_be},
    {.name = "swmr-rows", .make = make_rows, .step = append_rows, .steps = 10, .may_be = may_be,
     .flags = FAULTS_LATEST | FAULTS_SWMR},
    {.name = "many-chunks", .make = make_empty, .step = many_chunks, .steps = 4, .may_be = many_may_be},
    {.name = "many-chunks-latest", .make = make_empty, .step = many_chunks, .steps = 4, .may_be = many_may_be, LATEST},
    {.name = "structured", .make = make_empty, .step = structured, .steps = 5, .may_be = structured_may_be},
    {.name = "external", .make = make_empty, .step = external, .steps = 2},
    {.name = "virtual", .make = make_empty, .step = virtual_of, .steps = 2, LATEST},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
