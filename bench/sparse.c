/* sparse FOLDER PATTERN KIND FULL: what one way to keep sparse data costs. KIND: dense (chunks with deflate 1), coo
 * (coordinates and values in 1-D datasets with deflate 1), and with Tessera sparse and packed. One line: bytes, then
 * wall and CPU seconds of writing, of reading all that is defined with its positions and of 1,000 boxes, peak KiB,
 * boxes measured, share of the data that was used, two checksums. FULL: 1 for the sizes in the titles. */
#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { BOXES = 1000, CHECKED_BOXES = 4, COO_CHUNK = 65536 };
#define BOX_SECONDS 1.0

/* step: rows of the first dimension that are written at once. */
struct pattern {
    const char *name;
    unsigned rank, size;
    hsize_t dims[3], chunk[3], box[3], step;
    unsigned fewer, fewer_dense; /* by how much the first dimension is smaller by default */
    double density;
};

static const struct pattern patterns[] = {
    {"pixels", 3, 2, {4000, 352, 384}, {16, 352, 384}, {1, 64, 64}, 1, 2, 8, 0.005},
    {"peaks", 3, 2, {4000, 5920, 388}, {1, 5920, 388}, {1, 128, 128}, 1, 2, 40, 0},
    {"region", 3, 2, {400, 1440, 1536}, {1, 1440, 1536}, {1, 200, 200}, 1, 5, 10, 0},
    {"matrix", 2, 4, {10000, 10000}, {1000, 1000}, {100, 100}, 100, 1, 10, 0.01},
    {"cells", 2, 4, {20000, 5000}, {1000, 1000}, {100, 100}, 100, 2, 10, 0.05},
};

/* What is defined in one step, ascending: positions in it, and the same as coordinates in the dataset. */
struct step {
    size_t n, room;
    uint64_t *at;
    uint32_t *values;
    void *stored; /* the values in the dataset's type */
    hsize_t *points;
    uint16_t *axis[3];
    hsize_t corner[3]; /* region: where it is */
};

struct cost {
    double wall, cpu, wall_from, cpu_from;
};

static const struct pattern *p;
static hsize_t rows, inner; /* rows of this run, elements in one of them */
static char path[4096];
static struct step step;

static double cpu(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void go(struct cost *c)
{
    c->wall_from = now();
    c->cpu_from = cpu();
}

static void halt(struct cost *c)
{
    c->wall += now() - c->wall_from;
    c->cpu += cpu() - c->cpu_from;
}

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s, %s: failed\n", path, what);
        exit(1);
    }
}

static hid_t type(void)
{
    return p->size == 2 ? H5T_NATIVE_UINT16 : H5T_NATIVE_UINT32;
}

static uint32_t value_at(const void *data, size_t i)
{
    return p->size == 2 ? ((const uint16_t *)data)[i] : ((const uint32_t *)data)[i];
}

static double weigh(uint64_t at, uint32_t value)
{
    return (double)value * (double)(1 + at % 1009);
}

static void add(uint64_t at, uint32_t value)
{
    if (step.n == step.room) {
        step.room = step.room ? 2 * step.room : 4096;
        step.at = realloc(step.at, step.room * sizeof *step.at);
        step.values = realloc(step.values, step.room * sizeof *step.values);
        step.stored = realloc(step.stored, step.room * p->size);
        step.points = realloc(step.points, step.room * sizeof *step.points * p->rank);
        for (unsigned d = 0; d < p->rank; d++)
            step.axis[d] = realloc(step.axis[d], step.room * sizeof **step.axis);
    }
    step.at[step.n] = at;
    step.values[step.n++] = value;
}

/* Counts: small ones are the usual ones. */
static uint32_t count(unsigned *seed)
{
    uint32_t value = 1;
    while (next_random(seed) >> 30 == 0)
        value++;
    return value;
}

static void make_scattered(unsigned *seed)
{
    double scale = 1 / log(1 - p->density);
    double at = -1;
    for (;;) {
        at += 1 + floor(log((next_random(seed) + 1.0) / 4294967297.0) * scale);
        if (at >= (double)(inner * p->step))
            return;
        add((uint64_t)at, count(seed));
    }
}

static void make_peaks(hsize_t row, unsigned *seed)
{
    static uint16_t *frame;
    hsize_t height = p->dims[1], width = p->dims[2];
    if (row % 20)
        return;
    if (!frame)
        frame = calloc(inner, sizeof *frame);
    for (unsigned left = 50 + (next_random(seed) >> 8) % 250; left > 0; left--) {
        hsize_t y = (next_random(seed) >> 8) % (height - 7), x = (next_random(seed) >> 8) % (width - 7);
        for (unsigned i = 0; i < 49; i++) {
            unsigned far = (unsigned)(abs((int)(i / 7) - 3) + abs((int)(i % 7) - 3));
            frame[(y + i / 7) * width + x + i % 7] += (uint16_t)((1000u >> far) + (next_random(seed) >> 27) + 1);
        }
    }
    for (uint64_t i = 0; i < inner; i++)
        if (frame[i]) {
            add(i, frame[i]);
            frame[i] = 0;
        }
}

static void make_region(hsize_t row, unsigned *seed)
{
    hsize_t width = p->dims[2];
    step.corner[0] = row;
    step.corner[1] = (next_random(seed) >> 8) % (p->dims[1] - 400);
    step.corner[2] = (next_random(seed) >> 8) % (width - 400);
    for (hsize_t y = 0; y < 400; y++)
        for (hsize_t x = 0; x < 400; x++)
            add((step.corner[1] + y) * width + step.corner[2] + x, 100 + (next_random(seed) >> 26));
}

static int is(const char *name)
{
    return strcmp(p->name, name) == 0;
}

static void make_step(hsize_t row)
{
    unsigned seed = 2654435761u * (unsigned)(row + 1);
    step.n = 0;
    if (is("peaks"))
        make_peaks(row, &seed);
    else if (is("region"))
        make_region(row, &seed);
    else
        make_scattered(&seed);
    for (size_t i = 0; i < step.n; i++) {
        uint64_t at = step.at[i] + row * inner;
        for (unsigned d = p->rank; d-- > 0; at /= p->dims[d]) {
            hsize_t place = d > 0 ? at % p->dims[d] : at;
            step.points[i * p->rank + d] = place;
            step.axis[d][i] = (uint16_t)place;
        }
        if (p->size == 2)
            ((uint16_t *)step.stored)[i] = (uint16_t)step.values[i];
        else
            ((uint32_t *)step.stored)[i] = step.values[i];
    }
}

static hid_t create_file(void)
{
    return H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t open_file(void)
{
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

/* Room for the chunks a frame is part of: without it each frame would compress its chunk anew. */
static hid_t dense_access(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(list, 521, 64 << 20, 0.75);
    return list;
}

static hid_t create_dataset(hid_t file, hid_t dcpl, hid_t dapl)
{
    hsize_t dims[3] = {rows, p->dims[1], p->dims[2]};
    hid_t space = H5Screate_simple((int)p->rank, dims, NULL);
    hid_t dset = H5Dcreate2(file, "d", type(), space, H5P_DEFAULT, dcpl, dapl);
    must(dset >= 0, "create");
    H5Sclose(space);
    return dset;
}

static void write_dense(struct cost *cost)
{
    unsigned char *frame = calloc(inner * p->step, p->size);
    hsize_t n[3] = {p->step, p->dims[1], p->dims[2]}, start[3] = {0};
    go(cost);
    hid_t file = create_file(), dcpl = H5Pcreate(H5P_DATASET_CREATE), dapl = dense_access();
    H5Pset_chunk(dcpl, (int)p->rank, p->chunk);
    H5Pset_deflate(dcpl, 1);
    hid_t dset = create_dataset(file, dcpl, dapl), space = H5Dget_space(dset);
    hid_t memory = H5Screate_simple((int)p->rank, n, NULL);
    halt(cost);
    for (start[0] = 0; start[0] < rows; start[0] += p->step) {
        make_step(start[0]);
        for (size_t i = 0; i < step.n; i++)
            memcpy(frame + step.at[i] * p->size, (char *)step.stored + i * p->size, p->size);
        go(cost);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL);
        must(H5Dwrite(dset, type(), memory, space, H5P_DEFAULT, frame) >= 0, "write");
        halt(cost);
        for (size_t i = 0; i < step.n; i++)
            memset(frame + step.at[i] * p->size, 0, p->size);
    }
    go(cost);
    H5Pclose(dapl), H5Pclose(dcpl), H5Sclose(memory), H5Sclose(space), H5Dclose(dset);
    H5Fclose(file);
    halt(cost);
    free(frame);
}

/* A row of chunks at a time; what is not zero is found in it. */
static double read_dense(struct cost *cost)
{
    hsize_t n[3] = {p->chunk[0], p->dims[1], p->dims[2]}, start[3] = {0}, room = inner * n[0];
    char *data = malloc(room * p->size);
    uint64_t *at = malloc(room * sizeof *at);
    double sum = 0;
    go(cost);
    hid_t file = open_file(), dset = H5Dopen2(file, "d", H5P_DEFAULT), space = H5Dget_space(dset);
    halt(cost);
    for (start[0] = 0; start[0] < rows; start[0] += n[0]) {
        size_t found = 0;
        n[0] = rows - start[0] < n[0] ? rows - start[0] : n[0];
        go(cost);
        hid_t memory = H5Screate_simple((int)p->rank, n, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL);
        must(H5Dread(dset, type(), memory, space, H5P_DEFAULT, data) >= 0, "read");
        H5Sclose(memory);
        for (size_t i = 0; i < n[0] * inner; i++)
            if (value_at(data, i))
                at[found++] = i;
        halt(cost);
        for (size_t i = 0; i < found; i++)
            sum += weigh(at[i] + start[0] * inner, value_at(data, at[i]));
    }
    go(cost);
    H5Sclose(space), H5Dclose(dset), H5Fclose(file);
    halt(cost);
    free(at);
    free(data);
    return sum;
}

static const char *const columns[] = {"values", "axis0", "axis1", "axis2"};

static hid_t column_type(unsigned c)
{
    return c == 0 ? type() : H5T_NATIVE_UINT16;
}

static void write_coo(struct cost *cost)
{
    hid_t dsets[4];
    hsize_t total = 0, none = 0, more = H5S_UNLIMITED, chunk = COO_CHUNK;
    go(cost);
    hid_t file = create_file(), dcpl = H5Pcreate(H5P_DATASET_CREATE), empty = H5Screate_simple(1, &none, &more);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_deflate(dcpl, 1);
    for (unsigned c = 0; c <= p->rank; c++)
        dsets[c] = H5Dcreate2(file, columns[c], column_type(c), empty, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    halt(cost);
    for (hsize_t row = 0; row < rows; row += p->step) {
        make_step(row);
        go(cost);
        hsize_t n = step.n, end = total + n;
        hid_t memory = H5Screate_simple(1, &n, NULL);
        for (unsigned c = 0; n > 0 && c <= p->rank; c++) {
            H5Dset_extent(dsets[c], &end);
            hid_t space = H5Dget_space(dsets[c]);
            H5Sselect_hyperslab(space, H5S_SELECT_SET, &total, NULL, &n, NULL);
            const void *data = c == 0 ? step.stored : step.axis[c - 1];
            must(H5Dwrite(dsets[c], column_type(c), memory, space, H5P_DEFAULT, data) >= 0, "write");
            H5Sclose(space);
        }
        H5Sclose(memory);
        total = end;
        halt(cost);
    }
    go(cost);
    for (unsigned c = 0; c <= p->rank; c++)
        H5Dclose(dsets[c]);
    H5Sclose(empty), H5Pclose(dcpl), H5Fclose(file);
    halt(cost);
}

struct coo {
    hsize_t n;
    void *values;
    uint16_t *axis[3];
};

static void load_coo(hid_t file, struct coo *coo)
{
    for (unsigned c = 0; c <= p->rank; c++) {
        hid_t dset = H5Dopen2(file, columns[c], H5P_DEFAULT), space = H5Dget_space(dset);
        H5Sget_simple_extent_dims(space, &coo->n, NULL);
        void *data = malloc(coo->n * (c == 0 ? p->size : sizeof(uint16_t)));
        must(H5Dread(dset, column_type(c), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "read");
        if (c == 0)
            coo->values = data;
        else
            coo->axis[c - 1] = data;
        H5Sclose(space), H5Dclose(dset);
    }
}

static void unload_coo(struct coo *coo)
{
    free(coo->values);
    for (unsigned d = 0; d < p->rank; d++)
        free(coo->axis[d]);
}

static double read_coo(struct cost *cost)
{
    struct coo coo = {0};
    double sum = 0;
    go(cost);
    hid_t file = open_file();
    load_coo(file, &coo);
    H5Fclose(file);
    halt(cost);
    for (size_t i = 0; i < coo.n; i++) {
        uint64_t at = 0;
        for (unsigned d = 0; d < p->rank; d++)
            at = at * p->dims[d] + coo.axis[d][i];
        sum += weigh(at, value_at(coo.values, i));
    }
    unload_coo(&coo);
    return sum;
}

/* All is read and looked through: the file has no order a reader may rely on. */
static void box_from_coo(hid_t file, const hsize_t *start, char *box)
{
    struct coo coo = {0};
    load_coo(file, &coo);
    memset(box, 0, p->box[0] * p->box[1] * (p->rank > 2 ? p->box[2] : 1) * p->size);
    for (size_t i = 0; i < coo.n; i++) {
        uint64_t at = 0;
        unsigned d = 0;
        for (; d < p->rank && coo.axis[d][i] >= start[d] && coo.axis[d][i] - start[d] < p->box[d]; d++)
            at = at * p->box[d] + (coo.axis[d][i] - start[d]);
        if (d == p->rank)
            memcpy(box + at * p->size, (char *)coo.values + i * p->size, p->size);
    }
    unload_coo(&coo);
}

/* The first few are where even the smallest run has data, so that all kinds read the same. */
static double read_boxes(int scan, struct cost *cost, unsigned *measured)
{
    hsize_t n = 1, start[3] = {0};
    unsigned seed = 7, i = 0;
    double sum = 0;
    for (unsigned d = 0; d < p->rank; d++)
        n *= p->box[d];
    char *box = malloc(n * p->size);
    go(cost);
    hid_t file = open_file(), dset = scan ? -1 : H5Dopen2(file, "d", H5P_DEFAULT);
    hid_t space = scan ? -1 : H5Dget_space(dset), memory = H5Screate_simple((int)p->rank, p->box, NULL);
    halt(cost);
    for (; i < BOXES && (i < CHECKED_BOXES || cost->wall < BOX_SECONDS); i++) {
        hsize_t within = i < CHECKED_BOXES ? p->dims[0] / p->fewer_dense : rows;
        for (unsigned d = 0; d < p->rank; d++)
            start[d] = (next_random(&seed) >> 8) % ((d > 0 ? p->dims[d] : within) - p->box[d] + 1);
        if (is("peaks"))
            start[0] = start[0] / 20 * 20;
        go(cost);
        if (scan) {
            box_from_coo(file, start, box);
        } else {
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, p->box, NULL);
            must(H5Dread(dset, type(), memory, space, H5P_DEFAULT, box) >= 0, "box");
        }
        halt(cost);
        for (size_t k = 0; i < CHECKED_BOXES && k < n; k++)
            sum += weigh(k, value_at(box, k));
    }
    if (!scan)
        H5Sclose(space), H5Dclose(dset);
    H5Sclose(memory), H5Fclose(file);
    cost->wall *= (double)BOXES / i;
    cost->cpu *= (double)BOXES / i;
    *measured = i;
    free(box);
    return sum;
}

#ifdef H5Z_FILTER_SELECTION_PACKING
static void write_sparse(int pack, struct cost *cost)
{
    go(cost);
    hid_t file = create_file(), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_struct_chunk(dcpl, (int)p->rank, p->chunk, H5D_SPARSE_CHUNK);
    if (pack)
        H5Pset_selection_packing(dcpl);
    H5Pset_deflate(dcpl, 1);
    hid_t dset = create_dataset(file, dcpl, H5P_DEFAULT), space = H5Dget_space(dset);
    halt(cost);
    for (hsize_t row = 0; row < rows; row += p->step) {
        const hsize_t block[3] = {1, 400, 400};
        make_step(row);
        if (step.n == 0)
            continue;
        go(cost);
        hsize_t n = step.n;
        hid_t memory = H5Screate_simple(1, &n, NULL);
        if (is("region"))
            H5Sselect_hyperslab(space, H5S_SELECT_SET, step.corner, NULL, block, NULL);
        else
            H5Sselect_elements(space, H5S_SELECT_SET, n, step.points);
        must(H5Dwrite(dset, type(), memory, space, H5P_DEFAULT, step.stored) >= 0, "write");
        H5Sclose(memory);
        halt(cost);
    }
    go(cost);
    H5Sclose(space), H5Pclose(dcpl), H5Dclose(dset), H5Fclose(file);
    halt(cost);
}

/* The positions as runs: where each starts and how long it is. There are as many as elements at most. */
static size_t get_runs(hid_t space, hsize_t n, hsize_t **starts, size_t **lengths)
{
    size_t have = 0, runs, elements;
    hid_t iter = H5Ssel_iter_create(space, 1, 0);
    *starts = malloc(n * sizeof **starts);
    *lengths = malloc(n * sizeof **lengths);
    for (hsize_t left = n; left > 0; left -= elements, have += runs)
        must(H5Ssel_iter_get_seq_list(iter, n - have, left, &runs, &elements, *starts + have, *lengths + have) >= 0 &&
                 elements > 0,
             "positions");
    H5Ssel_iter_close(iter);
    return have;
}

static double read_sparse(struct cost *cost)
{
    double sum = 0;
    hsize_t *starts;
    size_t *lengths, k = 0;
    go(cost);
    hid_t file = open_file(), dset = H5Dopen2(file, "d", H5P_DEFAULT);
    hid_t defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    must(defined >= 0, "H5Dget_defined");
    hsize_t n = (hsize_t)H5Sget_select_npoints(defined);
    char *values = malloc(n * p->size);
    hid_t memory = H5Screate_simple(1, &n, NULL);
    must(H5Dread(dset, type(), memory, defined, H5P_DEFAULT, values) >= 0, "read");
    size_t runs = get_runs(defined, n, &starts, &lengths);
    H5Sclose(memory), H5Sclose(defined), H5Dclose(dset), H5Fclose(file);
    halt(cost);
    for (size_t i = 0; i < runs; i++)
        for (size_t j = 0; j < lengths[i]; j++, k++)
            sum += weigh(starts[i] + j, value_at(values, k));
    free(starts);
    free(lengths);
    free(values);
    return sum;
}
#endif

static void measure(const char *kind)
{
    struct cost written = {0}, read = {0}, boxes = {0};
    struct stat info;
    struct rusage use;
    unsigned measured;
    double sum;
    if (strcmp(kind, "dense") == 0) {
        write_dense(&written);
        sum = read_dense(&read);
    } else if (strcmp(kind, "coo") == 0) {
        write_coo(&written);
        sum = read_coo(&read);
    } else {
#ifdef H5Z_FILTER_SELECTION_PACKING
        write_sparse(strcmp(kind, "packed") == 0, &written);
        sum = read_sparse(&read);
#else
        must(0, kind);
        return;
#endif
    }
    double box_sum = read_boxes(strcmp(kind, "coo") == 0, &boxes, &measured);
    must(stat(path, &info) == 0, "stat");
    getrusage(RUSAGE_SELF, &use);
    printf("%lld\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\t%ld\t%u\t%llu\t%.17g\t%.17g\n", (long long)info.st_size,
           written.wall, written.cpu, read.wall, read.cpu, boxes.wall, boxes.cpu, use.ru_maxrss, measured,
           (unsigned long long)rows, sum, box_sum);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s FOLDER PATTERN KIND FULL\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (strcmp(patterns[i].name, argv[2]) == 0)
            p = &patterns[i];
    if (!p)
        return 2;
    int full = atoi(argv[4]), dense = strcmp(argv[3], "dense") == 0;
    rows = p->dims[0] / (full ? 1 : dense ? p->fewer_dense : p->fewer);
    inner = p->dims[1] * (p->rank > 2 ? p->dims[2] : 1);
    snprintf(path, sizeof path, "%s/sparse-%s-%s.h5", argv[1], argv[2], argv[3]);
    measure(argv[3]);
    remove(path);
    return 0;
}
