/* frames FOLDER [WORDS]: dense data as detectors' programs keep it, a chunk a frame, and parts of it. One line a case:
 * title, seconds, checksum; the better of three times. What is read was written by the same library just before. */
#include "bench.h"

enum { SIDE = 1024, PIXELS = SIDE * SIDE, FRAMES = 256, AREA = 324 /* a tenth of a frame */, BAND = 103 };
enum { FLAT = 4096, RUNS = 10000, RUN = 8, SPOTTED = 200, SPOTS = 75, SPOT = 5, SMALL = 250, TURNS = 3 };
enum { POINTS = 200000 };

static char path[4096];
static unsigned short *frames; /* all of them; the pages are there before anything is timed */
static int *flat;

static hid_t create(void)
{
    remove(path);
    return H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t open_dataset(unsigned flags, const char *name, hid_t *file)
{
    *file = H5Fopen(path, flags, H5P_DEFAULT);
    return H5Dopen2(*file, name, H5P_DEFAULT);
}

static void close_dataset(hid_t dset, hid_t file)
{
    H5Dclose(dset);
    H5Fclose(file);
}

/* Of 16 bits; `together` frames to a chunk, 0: contiguous. */
static hid_t frames_dataset(hid_t file, hsize_t n, hsize_t together, int shuffle, unsigned deflate)
{
    hsize_t dims[3] = {n, SIDE, SIDE}, chunk[3] = {together, SIDE, SIDE};
    hid_t space = H5Screate_simple(3, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (together)
        H5Pset_chunk(dcpl, 3, chunk);
    if (shuffle)
        H5Pset_shuffle(dcpl);
    if (deflate)
        H5Pset_deflate(dcpl, deflate);
    hid_t dset = H5Dcreate2(file, "frames", H5T_NATIVE_USHORT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

/* Noise of some bits, and all else 0: a detector with little light. */
static void fill_frames(unsigned mask, unsigned one_in)
{
    unsigned seed = 1;
    for (size_t i = 0; i < (size_t)FRAMES * PIXELS; i++) {
        unsigned value = next_random(&seed) >> 8;
        frames[i] = (unsigned short)(one_in > 1 && value % one_in ? 0 : value >> 8 & mask);
    }
}

static void noisy(void)
{
    fill_frames(0xfff, 1);
}

static void nearly_constant(void)
{
    fill_frames(0x7, 500);
}

static void write_by_frame(hsize_t together, unsigned deflate, hsize_t n)
{
    hid_t file = create(), dset = frames_dataset(file, n, together, deflate > 0, deflate), space = H5Dget_space(dset);
    hsize_t start[3] = {0, 0, 0}, count[3] = {1, SIDE, SIDE};
    hid_t mem = H5Screate_simple(3, count, NULL);
    for (; start[0] < n; start[0]++) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        H5Dwrite(dset, H5T_NATIVE_USHORT, mem, space, H5P_DEFAULT, frames + start[0] * PIXELS);
    }
    H5Sclose(mem);
    H5Sclose(space);
    close_dataset(dset, file);
}

static void write_at_once(hsize_t together)
{
    hid_t file = create(), dset = frames_dataset(file, FRAMES, together, 0, 0);
    H5Dwrite(dset, H5T_NATIVE_USHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, frames);
    close_dataset(dset, file);
}

static void write_frames(void)
{
    write_by_frame(1, 0, FRAMES);
}

static void write_chunks(void)
{
    write_at_once(1);
}

static void write_large_chunks(void)
{
    write_at_once(8);
}

static void write_contiguous(void)
{
    write_at_once(0);
}

static void write_dark(void)
{
    write_by_frame(1, 1, 64);
}

static double read_back(void)
{
    hid_t file, dset = open_dataset(H5F_ACC_RDONLY, "frames", &file), space = H5Dget_space(dset);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    unsigned short *back = malloc(n * sizeof *back);
    H5Dread(dset, H5T_NATIVE_USHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
    H5Sclose(space);
    close_dataset(dset, file);
    double sum = 0;
    for (size_t i = 0; i < n; i += 61)
        sum += (double)(i % 7) * back[i];
    free(back);
    return sum;
}

static void make_frames(void)
{
    noisy();
    write_frames();
}

static double answer;

static void read_part(hsize_t rows, hsize_t columns)
{
    hid_t file, dset = open_dataset(H5F_ACC_RDONLY, "frames", &file), space = H5Dget_space(dset);
    hsize_t start[3] = {0, 301, SIDE == columns ? 0 : 207}, count[3] = {FRAMES, rows, columns};
    size_t n = (size_t)(FRAMES * rows * columns);
    hid_t mem = H5Screate_simple(3, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Dread(dset, H5T_NATIVE_USHORT, mem, space, H5P_DEFAULT, flat);
    H5Sclose(mem);
    H5Sclose(space);
    close_dataset(dset, file);
    answer = 0;
    for (size_t i = 0; i < n; i += 61)
        answer += (double)(i % 7) * ((unsigned short *)flat)[i];
}

static void read_area(void)
{
    read_part(AREA, AREA);
}

static void read_band(void)
{
    read_part(BAND, SIDE);
}

static double check_answer(void)
{
    return answer;
}

/* A square of integers in square chunks; chunk 0: contiguous. */
static void make_square(hsize_t side, hsize_t chunk)
{
    const hsize_t dims[2] = {side, side}, chunk_dims[2] = {chunk, chunk};
    unsigned seed = 1;
    for (size_t i = 0; i < (size_t)FLAT * FLAT; i++)
        flat[i] = (int)(next_random(&seed) >> 4);
    hid_t file = create(), space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(dcpl, 2, chunk_dims);
    hid_t dset = H5Dcreate2(file, "flat", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat);
    H5Pclose(dcpl);
    H5Sclose(space);
    close_dataset(dset, file);
}

static void make_flat(void)
{
    make_square(FLAT, 0);
}

static void make_chunks(void)
{
    make_square(SIDE, 256);
}

static void make_one_chunk(void)
{
    make_square(SIDE, SIDE);
}

/* Runs in the order of rows, some beside each other: as fast to make on both. */
static hid_t select_runs(hid_t dset)
{
    hid_t space = H5Dget_space(dset);
    const hsize_t count[2] = {1, RUN};
    H5Sselect_none(space);
    for (int i = 0; i < RUNS; i++) {
        hsize_t start[2] = {(hsize_t)i * FLAT / RUNS, (hsize_t)(i * 1597 % 500) * RUN};
        H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL);
    }
    return space;
}

static hid_t select_points(hid_t dset)
{
    hsize_t(*at)[2] = malloc(POINTS * sizeof *at);
    hid_t space = H5Dget_space(dset);
    unsigned seed = 1;
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 2; d++)
            at[i][d] = next_random(&seed) >> 22;
    H5Sselect_elements(space, H5S_SELECT_SET, POINTS, at[0]);
    free(at);
    return space;
}

/* Only what moves is timed: a set is selected once and used for many datasets. */
static double move(int write, hid_t (*select)(hid_t dset))
{
    hid_t file, dset = open_dataset(write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, "flat", &file), space = select(dset);
    const hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    hid_t mem = H5Screate_simple(1, &n, NULL);
    double begin = now();
    if (write)
        H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, flat + 77);
    else
        H5Dread(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, flat);
    H5Fflush(file, H5F_SCOPE_LOCAL);
    double took = now() - begin;
    answer = 0;
    for (size_t i = 0; i < n; i++)
        answer += (double)(i % 7) * flat[i];
    H5Sclose(mem);
    H5Sclose(space);
    close_dataset(dset, file);
    return took;
}

static double read_runs(void)
{
    return move(0, select_runs);
}

static double write_runs(void)
{
    return move(1, select_runs);
}

static double read_points(void)
{
    return move(0, select_points);
}

static double write_points(void)
{
    return move(1, select_points);
}

/* Bright spots, each a run of pixels, as points into frames that are dense. */
static void write_spots(void)
{
    static hsize_t at[SPOTS * SPOT][3];
    const hsize_t n = SPOTS * SPOT;
    unsigned seed = 1;
    hid_t file = create(), dset = frames_dataset(file, SPOTTED, 1, 0, 1), space = H5Dget_space(dset);
    hid_t mem = H5Screate_simple(1, &n, NULL);
    for (hsize_t f = 0; f < SPOTTED; f++) {
        for (size_t i = 0; i < SPOTS; i++) {
            hsize_t y = next_random(&seed) >> 22, x = (next_random(&seed) >> 16) % (SIDE - SPOT);
            for (size_t k = 0; k < SPOT; k++)
                memcpy(at[i * SPOT + k], (hsize_t[3]){f, y, x + k}, sizeof at[0]);
        }
        H5Sselect_elements(space, H5S_SELECT_SET, SPOTS * SPOT, at[0]);
        H5Dwrite(dset, H5T_NATIVE_USHORT, mem, space, H5P_DEFAULT, frames + f);
    }
    H5Sclose(mem);
    H5Sclose(space);
    close_dataset(dset, file);
}

/* 62,500 chunks of 16 elements, in a B-tree of version 1. */
static void make_small_chunks(void)
{
    const hsize_t dims[2] = {SMALL * 4, SMALL * 4}, chunk[2] = {4, 4};
    hid_t file = create(), space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    hid_t dset = H5Dcreate2(file, "small", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat);
    H5Pclose(dcpl);
    H5Sclose(space);
    close_dataset(dset, file);
}

#if H5_VERSION_GE(1, 14, 0)
static int visit(const hsize_t *offset, unsigned mask, haddr_t addr, hsize_t size, void *data)
{
    (void)mask, (void)addr;
    *(double *)data += (double)(offset[0] % 7 + size);
    return 0;
}

static void iterate(void)
{
    hid_t file, dset = open_dataset(H5F_ACC_RDONLY, "small", &file);
    answer = 0;
    H5Dchunk_iter(dset, H5P_DEFAULT, visit, &answer);
    close_dataset(dset, file);
}
#endif

struct part {
    const char *title;
    void (*prepare)(void);
    void (*run)(void);
    double (*run_timed)(void); /* in its place: what it says it took */
    double (*check)(void);
};

static const struct part parts[] = {
    {"512 MiB, a chunk and a write a frame", noisy, write_frames, NULL, read_back},
    {"512 MiB, a chunk a frame, one write", noisy, write_chunks, NULL, read_back},
    {"512 MiB in chunks of 16 MiB, one write", noisy, write_large_chunks, NULL, read_back},
    {"512 MiB contiguous", noisy, write_contiguous, NULL, read_back},
    {"a tenth of 256 frames, 324x324", make_frames, read_area, NULL, check_answer},
    {"a tenth of 256 frames, whole rows", make_frames, read_band, NULL, check_answer},
    {"10,000 runs of 8 from contiguous, read", make_flat, NULL, read_runs, check_answer},
    {"10,000 runs of 8 from contiguous, write", make_flat, NULL, write_runs, check_answer},
    {"200,000 points, chunks of 256 KiB, read", make_chunks, NULL, read_points, check_answer},
    {"200,000 points, chunks of 256 KiB, write", make_chunks, NULL, write_points, check_answer},
    {"200,000 points, a chunk of 4 MiB, read", make_one_chunk, NULL, read_points, check_answer},
    {"200,000 points, a chunk of 4 MiB, write", make_one_chunk, NULL, write_points, check_answer},
    {"75 runs a frame as points, deflate 1", noisy, write_spots, NULL, read_back},
    {"64 dark frames, shuffle + deflate 1", nearly_constant, write_dark, NULL, read_back},
#if H5_VERSION_GE(1, 14, 0)
    {"62,500 chunks of a B-tree v1 iterated", make_small_chunks, iterate, NULL, check_answer},
#endif
};

static void run(const struct part *p)
{
    double best = 1e9;
    for (int turn = 0; turn < TURNS; turn++) {
        p->prepare();
        double begin = now(), took = p->run_timed ? p->run_timed() : (p->run(), now() - begin);
        best = took < best ? took : best;
    }
    printf("%s\t%.9f\t%.17g\n", p->title, best, p->check());
    fflush(stdout);
    remove(path);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/frames.h5", argv[1]);
    frames = malloc((size_t)FRAMES * PIXELS * sizeof *frames);
    flat = malloc((size_t)FLAT * FLAT * sizeof *flat);
    memset(flat, 1, (size_t)FLAT * FLAT * sizeof *flat);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (argc < 3 || strstr(parts[i].title, argv[2]))
            run(&parts[i]);
    return 0;
}
