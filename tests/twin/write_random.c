/* Random writes, changes of the extent, flushes and reopenings of datasets of every layout, against a model in memory and
 * against the other library: digests of all data and of the stored chunks. */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "twin_write_random.h5"
#define ROWS 60
#define COLS 44
#define FILL (-7)

enum layout { COMPACT, CONTIGUOUS, CHUNKED, EXTERNAL, LAYOUTS };

struct config {
    enum layout layout;
    int bounds;    /* 0: earliest, 1: latest */
    int unlimited; /* dimensions, from the first on */
    int filters;   /* 1: shuffle and deflate, 2: the same, but not at the edge, 3: checksum */
    int big_endian;
    int early;
    int whole; /* one chunk */
};

struct state {
    const struct config *c;
    hid_t file, dset;
    hsize_t dims[2];
    int model[ROWS][COLS];
};

static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

static void must(herr_t status, const char *what)
{
    if (status < 0)
        printf("  %s failed\n", what);
}

static hid_t access_list(const struct config *c)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, c->bounds ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    return fapl;
}

static hid_t creation_list(const struct config *c)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {c->whole ? ROWS : 7, c->whole ? COLS : 5};
    int fill = FILL;
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    if (c->layout == COMPACT)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (c->layout == EXTERNAL)
        H5Pset_external(dcpl, NAME ".raw", 16, ROWS * COLS * 4);
    if (c->layout == CHUNKED)
        H5Pset_chunk(dcpl, 2, chunk);
    if (c->early)
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    if (c->filters == 3)
        H5Pset_fletcher32(dcpl);
    if (c->filters == 1 || c->filters == 2) {
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, 3);
    }
    if (c->filters == 2)
        H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    return dcpl;
}

static void create(struct state *s)
{
    const struct config *c = s->c;
    hsize_t max[2] = {ROWS, COLS};
    for (int i = 0; i < c->unlimited; i++)
        max[i] = H5S_UNLIMITED;
    s->dims[0] = c->layout == CHUNKED ? 1 + below(ROWS) : ROWS;
    s->dims[1] = c->layout == CHUNKED && c->unlimited != 1 ? 1 + below(COLS) : COLS;
    if (c->whole)
        s->dims[0] = ROWS, s->dims[1] = COLS;
    FILE *raw = fopen(NAME ".raw", "w");
    if (raw)
        fclose(raw);
    hid_t fapl = access_list(c), dcpl = creation_list(c), space = H5Screate_simple(2, s->dims, max);
    s->file = H5Fcreate(NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    s->dset = H5Dcreate2(s->file, "data", c->big_endian ? H5T_STD_I16BE : H5T_STD_I32LE, space, H5P_DEFAULT, dcpl,
                         H5P_DEFAULT);
    must(s->dset < 0 ? -1 : 0, "create");
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            s->model[i][j] = c->layout == EXTERNAL ? 0 : FILL;
}

static void reopen(struct state *s)
{
    hid_t fapl = access_list(s->c);
    must(H5Dclose(s->dset), "close dataset");
    must(H5Fclose(s->file), "close file");
    s->file = H5Fopen(NAME, H5F_ACC_RDWR, fapl);
    s->dset = H5Dopen2(s->file, "data", H5P_DEFAULT);
    must(s->dset < 0 ? -1 : 0, "reopen");
    H5Pclose(fapl);
}

static uint64_t digest(uint64_t h, const void *p, size_t n)
{
    for (const uint8_t *b = p; n > 0; n--, b++)
        h = (h ^ *b) * 1099511628211u;
    return h;
}

static void check(struct state *s)
{
    static int buf[ROWS * COLS];
    memset(buf, 0, sizeof buf);
    must(H5Dread(s->dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf), "read");
    unsigned wrong = 0;
    for (hsize_t i = 0; i < s->dims[0]; i++)
        for (hsize_t j = 0; j < s->dims[1]; j++)
            wrong += buf[i * s->dims[1] + j] != s->model[i][j];
    printf("  %ux%u %016llx", (unsigned)s->dims[0], (unsigned)s->dims[1],
           (unsigned long long)digest(14695981039346656037u, buf, (size_t)(s->dims[0] * s->dims[1]) * 4));
    if (wrong)
        printf(" %u wrong", wrong);
    printf("\n");
}

static void write_slab(struct state *s, hid_t space, int next)
{
    hsize_t start[2], stride[2], count[2], block[2];
    for (int d = 0; d < 2; d++) {
        unsigned size = (unsigned)s->dims[d];
        start[d] = below(size);
        unsigned left = size - (unsigned)start[d];
        block[d] = 1 + below(left);
        if (below(2) && block[d] > 3)
            block[d] = 1 + below(3);
        stride[d] = block[d] + below(3);
        count[d] = 1 + below((left - (unsigned)block[d]) / (unsigned)stride[d] + 1);
    }
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
    for (hsize_t a = 0; a < count[0] * block[0]; a++)
        for (hsize_t b = 0; b < count[1] * block[1]; b++)
            s->model[start[0] + a / block[0] * stride[0] + a % block[0]]
                    [start[1] + b / block[1] * stride[1] + b % block[1]] = next++;
}

/* Some of them more than once: the last value stays. */
static void write_points(struct state *s, hid_t space, int next)
{
    hsize_t points[2 * 50];
    unsigned n = 1 + below(50);
    for (unsigned i = 0; i < n; i++) {
        hsize_t r = below((unsigned)s->dims[0]), c = below((unsigned)s->dims[1]);
        if (i > 0 && below(10) == 0)
            r = points[2 * i - 2], c = points[2 * i - 1];
        points[2 * i] = r;
        points[2 * i + 1] = c;
        s->model[r][c] = next++;
    }
    H5Sselect_elements(space, H5S_SELECT_SET, n, points);
}

static void write_some(struct state *s)
{
    static int buf[2 * ROWS * COLS];
    hid_t space = H5Dget_space(s->dset);
    int next = (int)below(9000), strided = below(3) == 0;
    if (s->dims[0] * s->dims[1] == 0) {
        H5Sclose(space);
        return;
    }
    if (below(3))
        write_slab(s, space, next);
    else
        write_points(s, space, next);
    hsize_t n = (hsize_t)H5Sget_select_npoints(space), size = 2 * n, start = 0, stride = 2;
    hid_t mem = H5Screate_simple(1, strided ? &size : &n, NULL);
    if (strided)
        H5Sselect_hyperslab(mem, H5S_SELECT_SET, &start, &stride, &n, NULL);
    for (hsize_t i = 0; i < n; i++)
        buf[strided ? 2 * i : i] = next + (int)i;
    must(H5Dwrite(s->dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf), "write");
    H5Sclose(mem);
    H5Sclose(space);
}

static void resize(struct state *s)
{
    hsize_t dims[2] = {s->dims[0], s->dims[1]};
    if (s->c->layout != CHUNKED || s->c->whole)
        return;
    dims[0] = below(ROWS + 1);
    if (s->c->unlimited != 1)
        dims[1] = below(COLS + 1);
    must(H5Dset_extent(s->dset, dims), "set extent");
    for (hsize_t i = 0; i < ROWS; i++)
        for (hsize_t j = 0; j < COLS; j++)
            if (i >= dims[0] || j >= dims[1])
                s->model[i][j] = FILL;
    s->dims[0] = dims[0];
    s->dims[1] = dims[1];
}

static void run(const struct config *c, int number)
{
    static struct state s;
    s.c = c;
    seed = (uint64_t)number * 77 + 5;
    printf("%d: layout %d, bounds %d, unlimited %d, filters %d, big endian %d, early %d, one chunk %d\n", number, c->layout,
           c->bounds, c->unlimited, c->filters, c->big_endian, c->early, c->whole);
    create(&s);
    check(&s);
    /* libhdf5 crashes when it resizes a dataset with this option that has no index yet. */
    if (c->filters == 2)
        write_some(&s);
    for (int i = 0; i < 60; i++) {
        unsigned what = below(20);
        if (what < 13)
            write_some(&s);
        else if (what < 16)
            resize(&s);
        else if (what == 16)
            must(H5Fflush(s.file, H5F_SCOPE_LOCAL), "flush");
        else if (what == 17)
            reopen(&s);
        if (i % 6 == 5)
            check(&s);
    }
    reopen(&s);
    check(&s);
    H5Dclose(s.dset);
    H5Fclose(s.file);
}

int main(void)
{
    int number = 0;
    for (int layout = COMPACT; layout < LAYOUTS; layout++)
        for (int bounds = 0; bounds < 2; bounds++)
            for (int big_endian = 0; big_endian < 2; big_endian++) {
                struct config c = {.layout = (enum layout)layout, .bounds = bounds, .big_endian = big_endian};
                if (layout != CHUNKED) {
                    run(&c, number++);
                    continue;
                }
                for (c.unlimited = 0; c.unlimited < 3; c.unlimited++)
                    for (c.filters = 0; c.filters < 4; c.filters++)
                        for (c.early = 0; c.early < 2; c.early++)
                            run(&c, number++);
                c.unlimited = 0;
                c.whole = 1;
                for (c.filters = 0; c.filters < 4; c.filters++)
                    run(&c, number++);
            }
    remove(NAME);
    remove(NAME ".raw");
    return 0;
}
