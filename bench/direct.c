/* Hits of a detector into a sparse dataset, a frame of 1440 x 1536 pixels of 2 bytes in each chunk, all in one thread:
 * with H5Dwrite, and as chunks that the program encodes itself.
 *
 *   direct FOLDER [WORDS] */
#include "bench.h"

enum { ROWS = 1440, COLUMNS = 1536, FRAMES = 20000, PEAKS = 100, EDGE = 3, MOST_HITS = PEAKS * EDGE * EDGE };

/* The hits of a frame, in the order in which a detector finds them: peak by peak. */
struct hits {
    size_t n;
    hsize_t at[MOST_HITS][2];
    uint16_t values[MOST_HITS];
};

static const char *folder;
static struct hits frames[64]; /* come by turns */

static void make_hits(size_t edge)
{
    unsigned seed = 7;
    for (size_t f = 0; f < sizeof frames / sizeof *frames; f++) {
        struct hits *h = &frames[f];
        h->n = 0;
        for (size_t p = 0; p < PEAKS; p++) {
            /* Each in a place of its own of 10 x 10. */
            hsize_t row = p / 10 * (ROWS / 10) + (next_random(&seed) >> 8) % (ROWS / 10 - EDGE);
            hsize_t column = p % 10 * (COLUMNS / 10) + (next_random(&seed) >> 8) % (COLUMNS / 10 - EDGE);
            for (size_t i = 0; i < edge * edge; i++, h->n++) {
                h->at[h->n][0] = row + i / edge;
                h->at[h->n][1] = column + i % edge;
                h->values[h->n] = (uint16_t)(next_random(&seed) >> 16);
            }
        }
    }
}

static void make_points(void)
{
    make_hits(1);
}

static void make_boxes(void)
{
    make_hits(EDGE);
}

static hid_t open_set(const char *name, hid_t *file)
{
    char path[1000];
    hsize_t dims[3] = {FRAMES, ROWS, COLUMNS}, most[3] = {H5S_UNLIMITED, ROWS, COLUMNS}, chunk[3] = {1, ROWS, COLUMNS};
    snprintf(path, sizeof path, "%s/%s.h5", folder, name);
    H5F_shared_chunk_cache_t cache = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pget_shared_chunk_cache(fapl, &cache);
    cache.threads = 0;
    H5Pset_shared_chunk_cache(fapl, &cache);
    *file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t space = H5Screate_simple(3, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_sparse_chunk(dcpl, 3, chunk);
    hid_t dset = H5Dcreate2(*file, "frames", H5T_STD_U16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    return dset;
}

static void write_selections(const struct bench_case *c)
{
    hid_t file, dset = open_set(c->file, &file), space = H5Dget_space(dset);
    static hsize_t at[MOST_HITS][3];
    for (hsize_t f = 0; f < FRAMES; f++) {
        const struct hits *h = &frames[f % 64];
        hsize_t n = h->n;
        for (size_t i = 0; i < h->n; i++)
            memcpy(at[i] + 1, h->at[i], sizeof h->at[i]), at[i][0] = f;
        H5Sselect_elements(space, H5S_SELECT_SET, h->n, at[0]);
        hid_t mem = H5Screate_simple(1, &n, NULL);
        if (H5Dwrite(dset, H5T_NATIVE_UINT16, mem, space, H5P_DEFAULT, h->values) < 0)
            exit(1);
        H5Sclose(mem);
    }
    H5Sclose(space);
    H5Dclose(dset);
    H5Fclose(file);
}

static void write_encoded(const struct bench_case *c)
{
    hid_t file, dset = open_set(c->file, &file);
    const hsize_t chunk[3] = {1, ROWS, COLUMNS};
    static hsize_t at[MOST_HITS][3];
    static uint8_t section[MOST_HITS * 40];
    size_t sizes[2];
    H5D_struct_chunk_info_t info = {.type = (H5D_layout_t)H5D_SPARSE_CHUNK, .num_sections = 2, .section_size = sizes};
    for (hsize_t f = 0; f < FRAMES; f++) {
        struct hits *h = &frames[f % 64];
        hsize_t offset[3] = {f, 0, 0};
        for (size_t i = 0; i < h->n; i++)
            memcpy(at[i] + 1, h->at[i], sizeof h->at[i]);
        sizes[0] = sizeof section;
        sizes[1] = h->n * sizeof *h->values;
        if (H5Dstruct_chunk_encode_points(3, chunk, h->n, at[0], section, &sizes[0]) < 0 ||
            H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, (void *[]){section, h->values}) < 0)
            exit(1);
    }
    H5Dclose(dset);
    H5Fclose(file);
}

static double read_back(const struct bench_case *c)
{
    char path[1000];
    static uint16_t frame[ROWS * COLUMNS];
    double sum = 0;
    snprintf(path, sizeof path, "%s/%s.h5", folder, c->file);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dset = H5Dopen2(file, "frames", H5P_DEFAULT);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(3, (hsize_t[]){1, ROWS, COLUMNS}, NULL);
    for (hsize_t f = 0; f < FRAMES; f += FRAMES / 10) {
        hsize_t start[3] = {f, 0, 0}, count[3] = {1, ROWS, COLUMNS};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        H5Dread(dset, H5T_NATIVE_UINT16, mem, space, H5P_DEFAULT, frame);
        for (size_t i = 0; i < ROWS * COLUMNS; i++)
            sum += (double)frame[i] * (double)(i % 1009);
    }
    H5Sclose(space);
    H5Sclose(mem);
    H5Dclose(dset);
    H5Fclose(file);
    return sum;
}

int main(int argc, char **argv)
{
    static const struct bench_case cases[] = {
        {"direct: 100 hits a frame, H5Dwrite", 2, make_points, write_selections, read_back, "w1"},
        {"direct: 100 hits a frame, encoded", 2, make_points, write_encoded, read_back, "e1"},
        {"direct: 100 peaks of 3x3 a frame, H5Dwrite", 2, make_boxes, write_selections, read_back, "w3"},
        {"direct: 100 peaks of 3x3 a frame, encoded", 2, make_boxes, write_encoded, read_back, "e3"},
    };
    folder = argc > 1 ? argv[1] : ".";
    run_cases(cases, sizeof cases / sizeof *cases, argc > 2 ? argv[2] : NULL);
    return 0;
}
