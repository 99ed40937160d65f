/* Cases of bench/threads in which raw data moves: chunks from the cache, coded and plain data, frames appended. */
#include "threads.h"

#include <pthread.h>
#include <stdatomic.h>

/* A dataset of each thread: 48 MiB with deflate 4, in chunks of 1 MiB, which is more than the cache keeps of what one
 * call writes; plain ones have twice as many rows. */
enum { ROWS = 6144, COLUMNS = 2048, CHUNK_ROWS = 256, CHUNK_COLUMNS = 1024, PLAIN = 2, CHECKED_EACH = 509 };
/* Boxes come from one of 16 MiB, in chunks of 64 KiB. */
enum { BOX_SIDE = 2048, BOX_CHUNK = 128, BOX_ROWS = 16, BOX_COLUMNS = 64, BOXES = 60000 };
/* Frames of which 1 in 200 elements is defined. */
enum { HEIGHT = 352, WIDTH = 384, IN_CHUNK = 16, FRAMES = 600, POINTS = HEIGHT * WIDTH / 200, PATTERNS = 7 };
enum { APART = 4099 }; /* elements from one dataset's data to those of the next */

static const double MB = 1e-6;

/* What dataset i holds begins at i * APART. */
static float *values(void)
{
    static float *all;
    size_t n = (size_t)PLAIN * ROWS * COLUMNS + (size_t)MOST_THREADS * APART;
    if (!all) {
        all = malloc(n * sizeof *all);
        wander(all, n);
    }
    return all;
}

static const float *values_of(unsigned i)
{
    return values() + (size_t)i * APART;
}

static hid_t create_dataset(hid_t file, unsigned i, const hsize_t *dims, const hsize_t *chunk, unsigned deflate)
{
    char name[16];
    hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    snprintf(name, sizeof name, "d%u", i);
    H5Pset_chunk(dcpl, 2, chunk);
    if (deflate)
        H5Pset_deflate(dcpl, deflate);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

static hid_t open_dataset(hid_t file, unsigned i)
{
    char name[16];
    snprintf(name, sizeof name, "d%u", i);
    return H5Dopen2(file, name, H5P_DEFAULT);
}

static hid_t create_file(const char *path, int workers)
{
    hid_t fapl = access_with_workers(workers), file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    return file;
}

static hid_t open_file(const char *path, unsigned how, int workers)
{
    hid_t fapl = access_with_workers(workers), file = H5Fopen(path, how, fapl);
    H5Pclose(fapl);
    return file;
}

/* The extent of each thread's dataset. */
static void dims_of(const struct team *t, unsigned times, hsize_t *dims)
{
    dims[0] = (hsize_t)times * ROWS / t->part;
    dims[1] = COLUMNS;
}

static void close_all(struct team *t)
{
    for (unsigned i = 0; i < t->n; i++)
        H5Dclose(t->dset[i]);
    must(t, 0, H5Fclose(t->file) >= 0);
}

/* Some rows of what dataset i of the file should be. */
static void check_rows(struct team *t, hid_t file, unsigned i, const hsize_t *dims)
{
    float row[COLUMNS];
    hid_t dset = open_dataset(file, i), space = H5Dget_space(dset),
          mem = H5Screate_simple(1, (hsize_t[]){COLUMNS}, NULL);
    for (hsize_t r = 0; r < dims[0]; r += CHECKED_EACH) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){r, 0}, NULL, (hsize_t[]){1, COLUMNS}, NULL);
        must(t, i,
             H5Dread(dset, H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, row) >= 0 &&
                 memcmp(row, values_of(i) + r * COLUMNS, sizeof row) == 0);
    }
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
}

/* Writing: a dataset each. */

static const hsize_t chunks_of_1_mib[2] = {CHUNK_ROWS, CHUNK_COLUMNS};

static void create_each(struct team *t, int workers, unsigned times, unsigned deflate)
{
    hsize_t dims[2];
    dims_of(t, times, dims);
    values();
    t->file = create_file(t->path, workers);
    for (unsigned i = 0; i < t->n; i++)
        t->dset[i] = create_dataset(t->file, i, dims, chunks_of_1_mib, deflate);
}

static void create_deflate(struct team *t)
{
    create_each(t, -1, 1, 4);
}

static void create_deflate_alone(struct team *t)
{
    create_each(t, 0, 1, 4);
}

static void create_plain(struct team *t)
{
    create_each(t, -1, PLAIN, 0);
}

static double write_all(struct team *t, unsigned i, unsigned times)
{
    hsize_t dims[2];
    dims_of(t, times, dims);
    must(t, i, H5Dwrite(t->dset[i], H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values_of(i)) >= 0);
    return MB * (double)(dims[0] * dims[1] * sizeof(float));
}

static double write_deflate(struct team *t, unsigned i)
{
    return write_all(t, i, 1);
}

static double write_plain(struct team *t, unsigned i)
{
    return write_all(t, i, PLAIN);
}

static void check_each(struct team *t, unsigned times)
{
    hsize_t dims[2];
    dims_of(t, times, dims);
    hid_t file = H5Fopen(t->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (unsigned i = 0; i < t->n; i++)
        check_rows(t, file, i, dims);
    H5Fclose(file);
}

static void check_deflate(struct team *t)
{
    check_each(t, 1);
}

static void check_plain(struct team *t)
{
    check_each(t, PLAIN);
}

/* Writing: a file each. */

static void path_of(const struct team *t, unsigned i, char *path, size_t size)
{
    snprintf(path, size, "%s-%u", t->path, i);
}

static double write_file(struct team *t, unsigned i)
{
    char path[4200];
    hsize_t dims[2];
    dims_of(t, 1, dims);
    path_of(t, i, path, sizeof path);
    hid_t file = create_file(path, 0);
    t->dset[i] = create_dataset(file, i, dims, chunks_of_1_mib, 4);
    double amount = write_all(t, i, 1);
    H5Dclose(t->dset[i]);
    must(t, i, H5Fclose(file) >= 0);
    return amount;
}

static void open_nothing(struct team *t)
{
    (void)t;
    values();
}

static void check_files(struct team *t)
{
    char path[4200];
    hsize_t dims[2];
    dims_of(t, 1, dims);
    for (unsigned i = 0; i < t->n; i++) {
        path_of(t, i, path, sizeof path);
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        check_rows(t, file, i, dims);
        H5Fclose(file);
        remove(path);
    }
}

/* Reading: a dataset each, from a file that was just opened. */

static void prepare_each(struct team *t, unsigned times, unsigned deflate)
{
    create_each(t, -1, times, deflate);
    for (unsigned i = 0; i < t->n; i++)
        write_all(t, i, times);
    close_all(t);
}

static void prepare_deflate(struct team *t)
{
    prepare_each(t, 1, 4);
}

static void prepare_plain(struct team *t)
{
    prepare_each(t, PLAIN, 0);
}

/* Buffers are there from the first round on. */
static void open_each(struct team *t, int workers)
{
    t->file = open_file(t->path, H5F_ACC_RDONLY, workers);
    for (unsigned i = 0; i < t->n; i++) {
        t->dset[i] = open_dataset(t->file, i);
        if (!t->buffers[i])
            t->buffers[i] = malloc(sizeof(float) * PLAIN * ROWS * COLUMNS);
    }
}

static void open_with_workers(struct team *t)
{
    open_each(t, -1);
}

static void open_alone(struct team *t)
{
    open_each(t, 0);
}

static double read_all(struct team *t, unsigned i, unsigned times)
{
    hsize_t dims[2];
    dims_of(t, times, dims);
    must(t, i, H5Dread(t->dset[i], H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->buffers[i]) >= 0);
    return MB * (double)(dims[0] * dims[1] * sizeof(float));
}

static double read_deflate(struct team *t, unsigned i)
{
    return read_all(t, i, 1);
}

static double read_plain(struct team *t, unsigned i)
{
    return read_all(t, i, PLAIN);
}

static void check_buffers(struct team *t, unsigned times)
{
    hsize_t dims[2];
    dims_of(t, times, dims);
    for (unsigned i = 0; i < t->n; i++) {
        size_t size = sizeof(float) * dims[0] * dims[1];
        must(t, i, memcmp(t->buffers[i], values_of(i), size) == 0);
        memset(t->buffers[i], 0, size);
    }
    close_all(t);
}

static void check_read_deflate(struct team *t)
{
    check_buffers(t, 1);
}

static void check_read_plain(struct team *t)
{
    check_buffers(t, PLAIN);
}

/* Boxes at random places of a dataset that all have open, and that is in the cache. */

static const hsize_t box_dims[2] = {BOX_SIDE, BOX_SIDE};

static void prepare_boxes(struct team *t)
{
    t->file = create_file(t->path, -1);
    t->dset[0] = create_dataset(t->file, 0, box_dims, (hsize_t[]){BOX_CHUNK, BOX_CHUNK}, 4);
    H5Dwrite(t->dset[0], H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values());
    H5Dclose(t->dset[0]);
    t->dset[1] = create_dataset(t->file, 1, (hsize_t[]){ROWS, COLUMNS}, chunks_of_1_mib, 1);
    H5Dclose(t->dset[1]);
    H5Fclose(t->file);
}

static void open_boxes_for(struct team *t, unsigned how)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    float *all = malloc(sizeof(float) * BOX_SIDE * BOX_SIDE);
    H5Pset_chunk_cache(dapl, 12421, 2 * sizeof(float) * BOX_SIDE * BOX_SIDE, 0); /* stock keeps 1 MiB unless told */
    t->file = open_file(t->path, how, -1);
    t->dset[0] = H5Dopen2(t->file, "d0", dapl);
    must(t, 0, H5Dread(t->dset[0], H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    H5Pclose(dapl);
    free(all);
}

static void open_boxes(struct team *t)
{
    open_boxes_for(t, H5F_ACC_RDONLY);
}

static void open_boxes_writable(struct team *t)
{
    open_boxes_for(t, H5F_ACC_RDWR);
}

static double read_boxes(struct team *t, unsigned i)
{
    const hsize_t count[2] = {BOX_ROWS, BOX_COLUMNS};
    float box[BOX_ROWS][BOX_COLUMNS];
    unsigned seed = 77 + i, n = BOXES / t->part;
    hid_t space = H5Dget_space(t->dset[0]), mem = H5Screate_simple(2, count, NULL);
    for (unsigned k = 0; k < n; k++) {
        hsize_t at[2] = {(next_random(&seed) >> 8) % (BOX_SIDE - BOX_ROWS),
                         (next_random(&seed) >> 8) % (BOX_SIDE - BOX_COLUMNS)};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL);
        int good = H5Dread(t->dset[0], H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, box) >= 0;
        const float *first = values() + at[0] * BOX_SIDE + at[1], *last = first + (BOX_ROWS - 1) * BOX_SIDE;
        must(t, i, good && box[0][0] == first[0] && box[BOX_ROWS - 1][BOX_COLUMNS - 1] == last[BOX_COLUMNS - 1]);
    }
    H5Sclose(mem);
    H5Sclose(space);
    return 1e-3 * n;
}

static void close_boxes(struct team *t)
{
    H5Dclose(t->dset[0]);
    must(t, 0, H5Fclose(t->file) >= 0);
}

/* The same while a thread more writes to another dataset of the file. */

struct writer {
    pthread_t thread;
    atomic_bool stop;
    struct team *team;
};

static void *write_on(void *arg)
{
    struct writer *w = arg;
    hid_t dset = open_dataset(w->team->file, 1), space = H5Dget_space(dset);
    hsize_t count[2] = {CHUNK_ROWS, COLUMNS};
    hid_t mem = H5Screate_simple(2, count, NULL);
    for (hsize_t row = 0; !atomic_load(&w->stop); row = (row + CHUNK_ROWS) % ROWS) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){row, 0}, NULL, count, NULL);
        H5Dwrite(dset, H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, values_of(1));
    }
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    return NULL;
}

static void open_beside_writer(struct team *t)
{
    struct writer *w = calloc(1, sizeof *w);
    open_boxes_writable(t);
    w->team = t;
    t->more = w;
    pthread_create(&w->thread, NULL, write_on, w);
}

static void close_beside_writer(struct team *t)
{
    struct writer *w = t->more;
    atomic_store(&w->stop, 1);
    pthread_join(w->thread, NULL);
    free(w);
    close_boxes(t);
}

/* Frames appended to a sparse dataset each. */

#ifdef H5F_SHARED_CHUNK_CACHE_VERSION
struct frame {
    hsize_t at[POINTS][3];
    uint16_t values[POINTS];
};

static struct frame *frames(void)
{
    static struct frame *all;
    unsigned seed = 5;
    if (all)
        return all;
    all = calloc(PATTERNS, sizeof *all);
    for (unsigned f = 0; f < PATTERNS; f++)
        for (unsigned i = 0; i < POINTS; i++) {
            unsigned place = i * 200 + (next_random(&seed) >> 8) % 200;
            all[f].at[i][1] = place / WIDTH;
            all[f].at[i][2] = place % WIDTH;
            all[f].values[i] = (uint16_t)(1 + __builtin_clz(next_random(&seed) | 1));
        }
    return all;
}

static void create_sparse_with(struct team *t, int workers)
{
    const hsize_t dims[3] = {0, HEIGHT, WIDTH}, most[3] = {H5S_UNLIMITED, HEIGHT, WIDTH};
    hid_t space = H5Screate_simple(3, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_struct_chunk(dcpl, 3, (const hsize_t[]){IN_CHUNK, HEIGHT, WIDTH}, H5D_SPARSE_CHUNK);
    H5Pset_deflate(dcpl, 1);
    frames();
    t->file = create_file(t->path, workers);
    for (unsigned i = 0; i < t->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%u", i);
        t->dset[i] = H5Dcreate2(t->file, name, H5T_NATIVE_UINT16, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    }
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void create_sparse(struct team *t)
{
    create_sparse_with(t, -1);
}

static void create_sparse_alone(struct team *t)
{
    create_sparse_with(t, 0);
}

static double append_frames(struct team *t, unsigned i)
{
    hsize_t n = FRAMES / t->part, points[POINTS][3];
    hid_t mem = H5Screate_simple(1, (hsize_t[]){POINTS}, NULL);
    for (hsize_t f = 0; f < n; f++) {
        const struct frame *frame = &frames()[f % PATTERNS];
        memcpy(points, frame->at, sizeof points);
        for (unsigned k = 0; k < POINTS; k++)
            points[k][0] = f;
        H5Dset_extent(t->dset[i], (hsize_t[]){f + 1, HEIGHT, WIDTH});
        hid_t space = H5Dget_space(t->dset[i]);
        H5Sselect_elements(space, H5S_SELECT_SET, POINTS, points[0]);
        must(t, i, H5Dwrite(t->dset[i], H5T_NATIVE_UINT16, mem, space, H5P_DEFAULT, frame->values) >= 0);
        H5Sclose(space);
    }
    H5Sclose(mem);
    return 1e-3 * (double)n;
}

static void check_sparse(struct team *t)
{
    uint16_t *image = malloc(sizeof *image * HEIGHT * WIDTH);
    hid_t file = H5Fopen(t->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t mem = H5Screate_simple(2, (hsize_t[]){HEIGHT, WIDTH}, NULL);
    for (unsigned i = 0; i < t->n; i++) {
        hid_t dset = open_dataset(file, i), space = H5Dget_space(dset);
        hsize_t last = FRAMES / t->part - 1;
        const struct frame *f = &frames()[last % PATTERNS];
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){last, 0, 0}, NULL, (hsize_t[]){1, HEIGHT, WIDTH}, NULL);
        must(t, i, H5Dread(dset, H5T_NATIVE_UINT16, mem, space, H5P_DEFAULT, image) >= 0);
        for (unsigned k = 0; k < POINTS; k++)
            must(t, i, image[f->at[k][1] * WIDTH + f->at[k][2]] == f->values[k]);
        H5Sclose(space);
        H5Dclose(dset);
    }
    H5Sclose(mem);
    H5Fclose(file);
    free(image);
}
#endif

/* One thread, the large dataset of the other benchmarks, and the library's workers. */

static float *large(const struct team *t)
{
    static float *all;
    size_t n = LARGE_ELEMENTS / t->part, some = (size_t)PLAIN * ROWS * COLUMNS;
    if (all)
        return all;
    all = malloc(n * sizeof *all);
    for (size_t i = 0, now; i < n; i += now) {
        now = n - i < some ? n - i : some;
        memcpy(all + i, values(), now * sizeof *all);
    }
    return all;
}

static void create_large(struct team *t)
{
    t->file = create_file(t->path, -1);
    t->dset[0] = create_dataset(t->file, 0, (hsize_t[]){LARGE_ROWS / t->part, LARGE_COLUMNS}, chunks_of_1_mib, 4);
    large(t);
}

static double write_large(struct team *t, unsigned i)
{
    must(t, i, H5Dwrite(t->dset[0], H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, large(t)) >= 0);
    return 1;
}

static void open_large(struct team *t)
{
    t->file = open_file(t->path, H5F_ACC_RDONLY, -1);
    t->dset[0] = open_dataset(t->file, 0);
    if (!t->buffers[0])
        t->buffers[0] = malloc(sizeof(float) * LARGE_ELEMENTS / t->part);
}

static double read_large(struct team *t, unsigned i)
{
    must(t, i, H5Dread(t->dset[0], H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->buffers[0]) >= 0);
    return 1;
}

static void check_large(struct team *t)
{
    size_t size = sizeof(float) * LARGE_ELEMENTS / t->part;
    must(t, 0, memcmp(t->buffers[0], large(t), size) == 0);
    memset(t->buffers[0], 0, size);
    close_all(t);
}

static void check_written_large(struct team *t)
{
    open_large(t);
    read_large(t, 0);
    check_large(t);
}

static void prepare_large(struct team *t)
{
    create_large(t);
    write_large(t, 0);
    close_all(t);
}

/* clang-format off */
const struct thread_case raw_data_cases[] = {
    {"boxes of 16x64 from the cache, one dataset", "k/s", TEAM_OR_MANY, prepare_boxes, open_boxes, read_boxes, NULL, close_boxes},
    {"boxes of 16x64 from the cache, a file to write", "k/s", TEAM_ONLY, prepare_boxes, open_boxes_writable, read_boxes, NULL, close_boxes},
    {"boxes of 16x64 from the cache, beside a writer", "k/s", TEAM_ONLY, prepare_boxes, open_beside_writer, read_boxes, NULL, close_beside_writer},
    {"write deflate 4, a dataset each, no workers", "MB/s", TEAM_OR_MANY, NULL, create_deflate_alone, write_deflate, close_all, check_deflate},
    {"write deflate 4, a dataset each, workers", "MB/s", TEAM_ONLY, NULL, create_deflate, write_deflate, close_all, check_deflate},
    {"write deflate 4, a file each, no workers", "MB/s", TEAM_ONLY, NULL, open_nothing, write_file, NULL, check_files},
    {"write plain, a dataset each", "MB/s", TEAM_OR_MANY, NULL, create_plain, write_plain, close_all, check_plain},
    {"read deflate 4, a dataset each, no workers", "MB/s", TEAM_OR_MANY, prepare_deflate, open_alone, read_deflate, NULL, check_read_deflate},
    {"read deflate 4, a dataset each, workers", "MB/s", TEAM_ONLY, prepare_deflate, open_with_workers, read_deflate, NULL, check_read_deflate},
    {"read plain, a dataset each, no workers", "MB/s", TEAM_OR_MANY, prepare_plain, open_alone, read_plain, NULL, check_read_plain},
    {"read plain, a dataset each, workers", "MB/s", TEAM_ONLY, prepare_plain, open_with_workers, read_plain, NULL, check_read_plain},
#ifdef H5F_SHARED_CHUNK_CACHE_VERSION
    {"sparse frames appended, a dataset each, no workers", "k/s", TEAM_OR_MANY, NULL, create_sparse_alone, append_frames, close_all, check_sparse},
    {"sparse frames appended, a dataset each, workers", "k/s", TEAM_ONLY, NULL, create_sparse, append_frames, close_all, check_sparse},
#endif
    {"512 MiB written with deflate 4, one thread", "s", CORES, NULL, create_large, write_large, close_all, check_written_large},
    {"512 MiB read with deflate 4, one thread", "s", CORES, prepare_large, open_large, read_large, NULL, check_large},
    {0},
};
/* clang-format on */
