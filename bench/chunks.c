/* chunks FOLDER [WORDS]: asking for chunks, and their direct input and output, on four chunk indexes. With --make in
 * place of the words it makes the files that are asked about.
 *
 * One line a case: title, seconds, checksum. Stock libhdf5 walks from the start of the index on every call and has no
 * iteration before 1.14: its calls are made for SAMPLE chunks that are spread evenly, and the time is scaled. The
 * checksum is of these chunks on all sides. */
#include "bench.h"

#ifdef H5Z_FILTER_SELECTION_PACKING
#define TESSERA 1
#else
#define TESSERA 0
#endif

enum { ROWS = 1000, FEW_ROWS = 100, COLUMNS = 1000, SAMPLE = 8, POSITIONS = 10000 };
enum { DIRECT = 10000, DIRECT_BYTES = 4096 };

static const struct kind {
    const char *name;
    int latest;
    hsize_t max[2]; /* 0: as now */
} kinds[] = {
    {"fixed array", 1, {0, 0}},
    {"extensible array", 1, {H5S_UNLIMITED, 0}},
    {"B-tree v2", 1, {H5S_UNLIMITED, H5S_UNLIMITED}},
    {"B-tree v1", 0, {0, 0}},
};

static const char *folder;
static char file_name[4096];
static hid_t all; /* the extent of the dataset in question: release 1.10 does not take H5S_ALL */

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "chunks: %s failed\n", what);
        exit(1);
    }
}

static hid_t create_file(const struct kind *k)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (k->latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    must(file >= 0, "creating a file");
    return file;
}

/* rows x COLUMNS chunks of `bytes` bytes. */
static hid_t create_dataset(hid_t file, const struct kind *k, const char *name, hsize_t rows, hsize_t bytes)
{
    hsize_t dims[2] = {rows, COLUMNS * bytes}, chunk[2] = {1, bytes};
    hsize_t max[2] = {k->max[0] ? k->max[0] : dims[0], k->max[1] ? k->max[1] : dims[1]};
    hid_t space = H5Screate_simple(2, dims, max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_UCHAR, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    must(dset >= 0, "creating a dataset");
    return dset;
}

static void make_file(const struct kind *k)
{
    unsigned char *data = calloc(ROWS, COLUMNS);
    hid_t file = create_file(k);
    for (int few = 0; few < 2; few++) {
        hid_t dset = create_dataset(file, k, few ? "few" : "many", few ? FEW_ROWS : ROWS, 1);
        must(H5Dwrite(dset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "writing");
        H5Dclose(dset);
    }
    H5Fclose(file);
    free(data);
}

static void report(const struct kind *k, const char *what, double seconds, double check)
{
    printf("chunks: %s, %s\t%.9f\t%.17g\n", k->name, what, seconds, check);
    fflush(stdout);
}

/* The count that is known: the first call learned it. */
static void count(const struct kind *k, hid_t dset)
{
    hsize_t n = 0;
    must(H5Dget_num_chunks(dset, all, &n) >= 0, "H5Dget_num_chunks");
    double start = now();
    must(H5Dget_num_chunks(dset, all, &n) >= 0, "H5Dget_num_chunks");
    report(k, "count 1 M", now() - start, (double)n);
}

/* The addresses of SAMPLE chunks of n, by their number; every other chunk is asked for too, if `each`. */
static double ask_by_number(hid_t dset, hsize_t n, int each)
{
    double sum = 0;
    for (hsize_t i = 0; i < n; i += each ? 1 : n / SAMPLE) {
        hsize_t offset[2], size;
        unsigned mask;
        haddr_t address;
        must(H5Dget_chunk_info(dset, all, i, offset, &mask, &address, &size) >= 0, "H5Dget_chunk_info");
        sum += i % (n / SAMPLE) == 0 ? (double)address + (double)offset[0] : 0;
    }
    return sum;
}

#if H5_VERSION_GE(1, 14, 0)
struct visits {
    hsize_t i, n;
    double sum;
};

static int visit(const hsize_t *offset, unsigned mask, haddr_t addr, hsize_t size, void *data)
{
    struct visits *v = data;
    (void)mask, (void)size;
    if (v->i++ % (v->n / SAMPLE) == 0)
        v->sum += (double)addr + (double)offset[0];
    return 0;
}

static double iterate_all(hid_t dset, hsize_t n, double *share)
{
    struct visits v = {0, n, 0};
    must(H5Dchunk_iter(dset, H5P_DEFAULT, visit, &v) >= 0, "H5Dchunk_iter");
    must(v.i == n, "seeing all chunks");
    *share = 1;
    return v.sum;
}
#else
static double iterate_all(hid_t dset, hsize_t n, double *share)
{
    *share = (double)SAMPLE / (double)n;
    return ask_by_number(dset, n, 0);
}
#endif

static void iterate(const struct kind *k, hid_t dset)
{
    const hsize_t n = (hsize_t)ROWS * COLUMNS;
    double share, start = now(), sum = iterate_all(dset, n, &share);
    report(k, "go through 1 M", (now() - start) / share, sum);
}

static void numbers(const struct kind *k, hid_t dset)
{
    const hsize_t n = (hsize_t)FEW_ROWS * COLUMNS;
    double start = now(), sum = ask_by_number(dset, n, TESSERA);
    report(k, "each of 100,000", (now() - start) * (TESSERA ? 1 : (double)n / SAMPLE), sum);
}

static void positions(const struct kind *k, hid_t dset)
{
    unsigned seed = 1, asked = TESSERA ? POSITIONS : SAMPLE;
    double sum = 0, start = now();
    for (unsigned i = 0; i < asked; i++) {
        hsize_t offset[2] = {next_random(&seed) % ROWS, 0}, size;
        unsigned mask;
        haddr_t address;
        offset[1] = (next_random(&seed) >> 8) % COLUMNS;
        must(H5Dget_chunk_info_by_coord(dset, offset, &mask, &address, &size) >= 0, "H5Dget_chunk_info_by_coord");
        sum += i < SAMPLE ? (double)address : 0;
    }
    report(k, "10,000 by position", (now() - start) * POSITIONS / asked, sum);
}

static void queries(const struct kind *k)
{
    hid_t file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t many = H5Dopen2(file, "many", H5P_DEFAULT), few = H5Dopen2(file, "few", H5P_DEFAULT);
    must(many >= 0 && few >= 0, "opening");
    all = H5Dget_space(many);
    count(k, many);
    iterate(k, many);
    positions(k, many);
    H5Sclose(all);
    all = H5Dget_space(few);
    numbers(k, few);
    H5Sclose(all);
    H5Dclose(few);
    H5Dclose(many);
    H5Fclose(file);
}

static void direct_write(const struct kind *k)
{
    unsigned char bytes[DIRECT_BYTES];
    memset(bytes, 7, sizeof bytes);
    double start = now();
    hid_t file = create_file(k), dset = create_dataset(file, k, "d", DIRECT / COLUMNS, DIRECT_BYTES);
    for (hsize_t i = 0; i < DIRECT; i++) {
        hsize_t offset[2] = {i / COLUMNS, i % COLUMNS * DIRECT_BYTES};
        bytes[0] = (unsigned char)i;
        must(H5Dwrite_chunk(dset, H5P_DEFAULT, 0, offset, sizeof bytes, bytes) >= 0, "H5Dwrite_chunk");
    }
    H5Dclose(dset);
    H5Fclose(file);
    report(k, "write 10,000", now() - start, DIRECT);
}

static void direct_read(const struct kind *k)
{
    unsigned char bytes[DIRECT_BYTES];
    double sum = 0, start = now();
    hid_t file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT), dset = H5Dopen2(file, "d", H5P_DEFAULT);
    for (hsize_t i = 0; i < DIRECT; i++) {
        hsize_t offset[2] = {i / COLUMNS, i % COLUMNS * DIRECT_BYTES};
        uint32_t mask;
        must(H5Dread_chunk(dset, H5P_DEFAULT, offset, &mask, bytes) >= 0, "H5Dread_chunk");
        sum += bytes[0] + bytes[DIRECT_BYTES - 1];
    }
    H5Dclose(dset);
    H5Fclose(file);
    report(k, "read 10,000", now() - start, sum);
}

static void direct(const struct kind *k)
{
    snprintf(file_name, sizeof file_name, "%s/direct.h5", folder);
    direct_write(k);
    direct_read(k);
    remove(file_name);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    folder = argv[1];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char title[64];
        snprintf(title, sizeof title, "chunks: %s", kinds[i].name);
        snprintf(file_name, sizeof file_name, "%s/chunks-%zu.h5", folder, i);
        if (argc > 2 && strcmp(argv[2], "--make") == 0) {
            make_file(&kinds[i]);
        } else if (argc == 2 || strncmp(title, argv[2], strlen(argv[2])) == 0) {
            queries(&kinds[i]);
            direct(&kinds[i]);
        }
    }
    return 0;
}
