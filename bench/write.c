/* write FOLDER [WORDS]: times writing of rows and of large datasets (written.h). */
#include "written.h"

enum { ROWS = 20000, COLUMNS = 1024, FLUSHES = 2000, VISITS = 5000, VISIT_COLUMNS = 256 };

static hid_t chunked(const char *how, int rank, const hsize_t *chunk)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const char *deflate = strstr(how, "deflate ");
    H5Pset_chunk(dcpl, rank, chunk);
    if (deflate) {
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, (unsigned)atoi(deflate + 8));
    }
    return dcpl;
}

/* Made before anything is timed. */
static float (*measurements(void))[COLUMNS]
{
    static float data[61][COLUMNS];
    if (data[60][COLUMNS - 1] == 0)
        wander(data[0], 61 * COLUMNS);
    return data;
}

static void append(const char *how, hsize_t rows)
{
    const hsize_t max[2] = {H5S_UNLIMITED, COLUMNS}, chunk[2] = {64, COLUMNS};
    hsize_t dims[2] = {0, COLUMNS}, count[2] = {1, COLUMNS};
    float(*data)[COLUMNS] = measurements();
    hid_t file = create(how), dcpl = chunked(how, 2, chunk), space = H5Screate_simple(2, dims, max);
    hid_t mem = H5Screate_simple(2, count, NULL);
    hid_t dset = H5Dcreate2(file, "rows", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    for (hsize_t i = 0; i < rows; i++) {
        hsize_t start[2] = {i, 0};
        dims[0] = i + 1;
        H5Dset_extent(dset, dims);
        hid_t at = H5Dget_space(dset);
        H5Sselect_hyperslab(at, H5S_SELECT_SET, start, NULL, count, NULL);
        H5Dwrite(dset, H5T_NATIVE_FLOAT, mem, at, H5P_DEFAULT, data[i % 61]);
        H5Sclose(at);
        if (rows == FLUSHES)
            H5Fflush(file, H5F_SCOPE_GLOBAL);
    }
    H5Dclose(dset);
    H5Sclose(mem);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Fclose(file);
}

static void write_rows(const char *how)
{
    append(how, ROWS);
}

static void write_flushed_rows(const char *how)
{
    append(how, FLUSHES);
}

static double read_whole(const char *name, size_t n)
{
    float *data = calloc(n, sizeof *data);
    hid_t file = reopen(), dset = H5Dopen2(file, name, H5P_DEFAULT);
    H5Dread(dset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dset);
    H5Fclose(file);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)(i % 7) * data[i];
    free(data);
    return sum;
}

/* As h5py does for f['rows'][i] = row. */
static void write_visits(const char *how)
{
    const hsize_t dims[2] = {VISITS, VISIT_COLUMNS}, chunk[2] = {32, VISIT_COLUMNS}, count[2] = {1, VISIT_COLUMNS};
    float(*data)[COLUMNS] = measurements();
    hid_t file = create(how), dcpl = chunked(how, 2, chunk), space = H5Screate_simple(2, dims, NULL);
    hid_t mem = H5Screate_simple(2, count, NULL);
    H5Dclose(H5Dcreate2(file, "rows", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (hsize_t i = 0; i < VISITS; i++) {
        hsize_t start[2] = {i, 0};
        hid_t dset = H5Dopen2(file, "rows", H5P_DEFAULT), at = H5Dget_space(dset);
        H5Sselect_hyperslab(at, H5S_SELECT_SET, start, NULL, count, NULL);
        H5Dwrite(dset, H5T_NATIVE_FLOAT, mem, at, H5P_DEFAULT, data[i % 61]);
        H5Sclose(at);
        H5Dclose(dset);
    }
    H5Sclose(mem);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Fclose(file);
}

static double read_visits(void)
{
    return read_whole("rows", (size_t)VISITS * VISIT_COLUMNS);
}

static double read_rows(void)
{
    return read_whole("rows", (size_t)ROWS * COLUMNS);
}

static double read_flushed_rows(void)
{
    return read_whole("rows", (size_t)FLUSHES * COLUMNS);
}

/* Made before anything is timed, as are its pages. */
static const float *large_data(void)
{
    static float *data;
    if (!data) {
        data = malloc(sizeof *data * LARGE_ELEMENTS);
        wander(data, LARGE_ELEMENTS);
    }
    return data;
}

static void write_large(const char *how)
{
    const hsize_t dims[2] = {LARGE_ROWS, LARGE_COLUMNS}, chunk[2] = {256, 1024};
    const float *data = large_data();
    hid_t file = create(how), space = H5Screate_simple(2, dims, NULL), dcpl = chunked(how, 2, chunk);
    if (strstr(how, "contiguous"))
        H5Pset_layout(dcpl, H5D_CONTIGUOUS);
    hid_t dset = H5Dcreate2(file, "large", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(dset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Fclose(file);
}

static double read_large(void)
{
    return read_whole("large", LARGE_ELEMENTS);
}

static void write_tiny(const char *how)
{
    const hsize_t n = TINY, chunk = TINY_CHUNK;
    int *data = malloc(TINY * sizeof *data);
    for (int i = 0; i < TINY; i++)
        data[i] = i ^ i >> 3;
    hid_t file = create(how), space = H5Screate_simple(1, &n, NULL), dcpl = chunked(how, 1, &chunk);
    hid_t dset = H5Dcreate2(file, "tiny", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Fclose(file);
    free(data);
}

static double read_tiny(void)
{
    return read_whole("tiny", TINY);
}

static void prepare_rows(void)
{
    measurements();
}

static void prepare_large(void)
{
    large_data();
}

static const struct written cases[] = {
    {"20,000 appended rows", write_rows, read_rows, NULL, prepare_rows},
    {"20,000 appended rows, latest format", write_rows, read_rows, NULL, prepare_rows},
    {"20,000 appended rows, deflate 1", write_rows, read_rows, NULL, prepare_rows},
    {"2,000 appended rows, each flushed", write_flushed_rows, read_flushed_rows, NULL, prepare_rows},
    {"2,000 rows flushed, latest format", write_flushed_rows, read_flushed_rows, NULL, prepare_rows},
    {"5,000 rows, opened for each, deflate 4", write_visits, read_visits, NULL, prepare_rows},
    {"512 MiB contiguous", write_large, read_large, NULL, prepare_large},
    {"512 MiB in chunks of 256x1024", write_large, read_large, NULL, prepare_large},
    {"512 MiB, shuffle + deflate 4", write_large, read_large, NULL, prepare_large},
    {"1 M int32 in chunks of 16", write_tiny, read_tiny, "  read back", NULL},
    {"1 M int32 in chunks of 16, latest format", write_tiny, read_tiny, "  read back", NULL},
};

int main(int argc, char **argv)
{
    return run_written(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
