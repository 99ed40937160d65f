/* write FOLDER [WORDS]: times writing, one line a case (those whose title has the words): name, seconds, checksum. The
 * library that wrote it reads it back, which keeps both sides honest; where reading has a title it is timed too. */
#include "bench.h"

enum { GROUPS = 20000, DATASETS = 10000, ROWS = 20000, COLUMNS = 1024, FLUSHES = 2000, STRINGS = 1000000 };
enum { ATTRIBUTES = 10000, LINKS = 100000, VISITS = 5000, VISIT_COLUMNS = 256 };

static char path[4096];

static hid_t create(const char *bounds)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (strstr(bounds, "latest"))
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    return file;
}

static hid_t reopen(void)
{
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

static void put_attribute(hid_t object, const char *name, hid_t space, int value)
{
    hid_t attr = H5Acreate2(object, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
}

static int get_attribute(hid_t object, const char *name)
{
    int value = 0;
    hid_t attr = H5Aopen(object, name, H5P_DEFAULT);
    H5Aread(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
    return value;
}

static void write_groups(const char *how)
{
    hid_t file = create(how), space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < GROUPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "group%06d", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_attribute(group, "number", space, i);
        H5Gclose(group);
    }
    H5Sclose(space);
    H5Fclose(file);
}

static double read_groups(void)
{
    double sum = 0;
    hid_t file = reopen();
    for (int i = 0; i < GROUPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "group%06d", i);
        hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
        sum += i % 7 * get_attribute(group, "number");
        H5Gclose(group);
    }
    H5Fclose(file);
    return sum;
}

static void write_datasets(const char *how)
{
    const hsize_t n = 16;
    hid_t file = create(how), space = H5Screate_simple(1, &n, NULL);
    for (int i = 0; i < DATASETS; i++) {
        char name[32];
        int data[16] = {i, i + 1, i + 2};
        snprintf(name, sizeof name, "dataset%06d", i);
        hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(dset);
    }
    H5Sclose(space);
    H5Fclose(file);
}

static double read_datasets(void)
{
    double sum = 0;
    hid_t file = reopen();
    for (int i = 0; i < DATASETS; i++) {
        char name[32];
        int data[16] = {0};
        snprintf(name, sizeof name, "dataset%06d", i);
        hid_t dset = H5Dopen2(file, name, H5P_DEFAULT);
        H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(dset);
        sum += i % 7 * data[2];
    }
    H5Fclose(file);
    return sum;
}

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

static hid_t string_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    return type;
}

/* Made before anything is timed. */
static char **texts(void)
{
    static char *texts[STRINGS];
    for (int i = 0; i < STRINGS && !texts[STRINGS - 1]; i++) {
        char text[32];
        snprintf(text, sizeof text, "string %0*d", 1 + i % 15, i);
        texts[i] = strdup(text);
    }
    return texts;
}

static void write_strings(const char *how)
{
    const hsize_t n = STRINGS;
    hid_t file = create(how), space = H5Screate_simple(1, &n, NULL), type = string_type();
    hid_t dset = H5Dcreate2(file, "strings", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts());
    H5Dclose(dset);
    H5Tclose(type);
    H5Sclose(space);
    H5Fclose(file);
}

static double read_strings(void)
{
    char **data = calloc(STRINGS, sizeof *data);
    hid_t file = reopen(), type = string_type(), dset = H5Dopen2(file, "strings", H5P_DEFAULT);
    hid_t space = H5Dget_space(dset);
    H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    double sum = 0;
    for (int i = 0; i < STRINGS; i++)
        sum += i % 7 * (data[i] ? atof(data[i] + 7) : 0);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, data);
    H5Sclose(space);
    H5Dclose(dset);
    H5Tclose(type);
    H5Fclose(file);
    free(data);
    return sum;
}

static void write_attributes(const char *how)
{
    hid_t file = create(how), space = H5Screate(H5S_SCALAR);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < ATTRIBUTES; i++) {
        char name[32];
        snprintf(name, sizeof name, "attribute%06d", i);
        put_attribute(group, name, space, i);
    }
    H5Gclose(group);
    H5Sclose(space);
    H5Fclose(file);
}

static double read_attributes(void)
{
    double sum = 0;
    hid_t file = reopen(), group = H5Gopen2(file, "group", H5P_DEFAULT);
    for (int i = 0; i < ATTRIBUTES; i++) {
        char name[32];
        snprintf(name, sizeof name, "attribute%06d", i);
        sum += i % 7 * get_attribute(group, name);
    }
    H5Gclose(group);
    H5Fclose(file);
    return sum;
}

static void write_links(const char *how)
{
    hid_t file = create(how), group = H5Gcreate2(file, "links", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < LINKS; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%06d", i);
        H5Lcreate_soft("/links", group, name, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Gclose(group);
    H5Fclose(file);
}

static double read_links(void)
{
    double sum = 0;
    hid_t file = reopen(), group = H5Gopen2(file, "links", H5P_DEFAULT);
    for (int i = 0; i < LINKS; i++) {
        char name[32], target[32] = "";
        snprintf(name, sizeof name, "link%06d", i);
        H5Lget_val(group, name, target, sizeof target, H5P_DEFAULT);
        sum += i % 7 * target[1];
    }
    H5Gclose(group);
    H5Fclose(file);
    return sum;
}

static void prepare_rows(void)
{
    measurements();
}

static void prepare_large(void)
{
    large_data();
}

static void prepare_strings(void)
{
    texts();
}

struct written {
    const char *title;
    void (*write)(const char *how);
    double (*read)(void);
    const char *read_title; /* NULL: reading is not timed */
    void (*prepare)(void);
};

static const struct written cases[] = {
    {"20,000 groups, an attribute each", write_groups, read_groups, "  read back", NULL},
    {"20,000 groups, latest format", write_groups, read_groups, "  read back", NULL},
    {"10,000 small datasets", write_datasets, read_datasets, "  read back", NULL},
    {"10,000 small datasets, latest format", write_datasets, read_datasets, "  read back", NULL},
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
    {"1 M strings of variable length", write_strings, read_strings, "  read back", prepare_strings},
    {"10,000 attributes of a group", write_attributes, read_attributes, "  read back", NULL},
    {"10,000 attributes, latest format", write_attributes, read_attributes, "  read back", NULL},
    {"100,000 links in a group", write_links, read_links, "  read back", NULL},
    {"100,000 links, latest format", write_links, read_links, "  read back", NULL},
};

static void run(const struct written *c)
{
    remove(path);
    if (c->prepare)
        c->prepare();
    double start = now();
    c->write(c->title);
    double wrote = now() - start;
    start = now();
    double check = c->read();
    double took = now() - start;
    printf("%s\t%.9f\t%.17g\n", c->title, wrote, check);
    if (c->read_title)
        printf("%s\t%.9f\t%.17g\n", c->read_title, took, check);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/written.h5", argv[1]);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc == 2 || strstr(cases[i].title, argv[2]))
            run(&cases[i]);
    remove(path);
    return 0;
}
