/* The demo from end to end: record and follow, find, erase, verify, draw, store twice more to compare. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "demo.h"

static const char help[] =
    "usage: tessera demo [-n N] [-s HxW] [-S SEED] [-o DIR] [-k]\n"
    "       tessera demo --verify FILE\n\n"
    "Simulates a run of a detector whose frames are reduced as they arrive: a region of interest or some peaks of each "
    "are\n"
    "kept, every 100th frame whole. Records it in a sparse dataset while a second process follows; finds, erases and\n"
    "verifies pixels; compares size and speed with two other ways to store the run; leaves the file and two "
    "pictures.\n\n"
    "  -n, --frames N     how many frames (3000)\n"
    "  -s, --size HxW     rows and columns of a frame, 32x32 to 8192x8192 (352x384)\n"
    "  -S, --seed SEED    another number, another run (1)\n"
    "  -o, --output DIR   where to put the files (tessera-demo)\n"
    "  -k, --keep         keep the files of the other two ways, too\n"
    "  -V, --verify FILE  only check the file of an earlier run, pixel by pixel\n"
    "  -h, --help         this text\n";

#define FRAMES_MOST 10000000u
#define BOXES 100
#define BOXES_TIMED 20
#define BOXES_TIMED_LISTS 2 /* each reads all of the file */

/* In the order of enum way, then the pictures. */
enum { FRAMES_PNG = WAYS, CHUNKS_PNG, FILES };
static const char *const names[FILES] = {"demo.h5", "demo-dense.h5", "demo-lists.h5", "demo-frames.png",
                                         "demo-chunks.png"};
static const char *const titles[WAYS] = {"sparse", "dense, 0 elsewhere", "coordinate lists"};

struct demo {
    struct run run;
    const char *folder;
    bool keep, made_folder;
    char paths[FILES][4096];
    struct box erased;
    /* What was measured. */
    hsize_t pixels, erased_pixels;
    hsize_t bytes[WAYS];
    double seconds[WAYS], box_seconds[WAYS];
    double flush;        /* the mean */
    double median, most; /* from the call of a flush to the other process */
};

static volatile sig_atomic_t signal_came;

static void note_signal(int number)
{
    signal_came = number;
}

bool interrupted(void)
{
    return signal_came != 0;
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hsize_t file_size(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (hsize_t)st.st_size : 0;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sum_up_latency(struct demo *d, struct follower *f)
{
    qsort(f->latency, f->seen, sizeof *f->latency, compare_numbers);
    d->median = f->latency[f->seen / 2];
    d->most = f->latency[f->seen - 1];
}

static int record_frames(struct demo *d, struct store *store, struct generator *g, struct follower *f)
{
    const struct run *run = &d->run;
    int status = 0;
    for (hsize_t i = 0; i < run->frames && status == 0; i++) {
        status = interrupted() ? 1 : store_put(store, generate(g, i));
        if (status == 0 && ((i + 1) % BATCH == 0 || i + 1 == run->frames)) {
            double from = seconds_now();
            follower_flushing(f);
            status = store_flush(store);
            d->flush += (seconds_now() - from) / (double)((run->frames + BATCH - 1) / BATCH);
            if (status == 0)
                status = follower_listen(f, run, false);
            const struct bar bars[] = {{"recorded", i + 1, run->frames}, {"followed", f->frames, run->frames}};
            if (status == 0)
                show_bars(bars, 2);
        }
    }
    return status;
}

static int record(struct demo *d)
{
    struct generator g = {0};
    struct store store;
    struct follower follower = {0};
    int status = store_create(&store, SPARSE, d->paths[SPARSE], &d->run);
    if (status == 0)
        status = generator_init(&g, &d->run);
    if (status == 0)
        status = follower_start(&follower, d->paths[SPARSE], &d->run);
    if (status == 0)
        status = record_frames(d, &store, &g, &follower);
    /* The other process looks on while the file is closed. */
    int closed = store_close(&store);
    status = status ? status : closed;
    if (status == 0)
        status = follower_listen(&follower, &d->run, true) || interrupted();
    if (status == 0) {
        sum_up_latency(d, &follower);
        d->pixels = store.pixels;
        d->seconds[SPARSE] = store.seconds;
        d->bytes[SPARSE] = file_size(d->paths[SPARSE]);
    }
    follower_stop(&follower);
    generator_deinit(&g);
    return status;
}

static void say_recorded(const struct demo *d)
{
    char frames[32], pixels[32], all[32];
    hsize_t total = d->run.frames * d->run.height * d->run.width;
    printf("Recorded %s frames of %llu x %llu: %s of %s pixels are kept, %.1f %%. A second process followed\n"
           "and found each of them as it was recorded.\n",
           with_commas(frames, d->run.frames), (unsigned long long)d->run.height, (unsigned long long)d->run.width,
           with_commas(pixels, d->pixels), with_commas(all, total), 100.0 * (double)d->pixels / (double)total);
}

/* Anywhere, as large as a sixth of the frame's height and width, through up to 20 frames. */
static struct box random_box(const struct run *run, uint64_t number)
{
    const hsize_t dims[3] = {run->frames, run->height, run->width};
    const hsize_t most[3] = {run->frames < 20 ? run->frames : 20, run->height / 6, run->width / 6};
    uint64_t chance = mix(run->seed ^ mix(number));
    struct box box;
    for (int i = 0; i < 3; i++) {
        box.count[i] = 1 + chance % most[i];
        chance = mix(chance);
        box.start[i] = chance % (dims[i] - box.count[i] + 1);
        chance = mix(chance);
    }
    return box;
}

/* How long it takes to open the file and read the pixels of a box, which must be those that were recorded. */
static int time_boxes(struct demo *d, enum way way)
{
    const unsigned n = way == LISTS ? BOXES_TIMED_LISTS : BOXES_TIMED;
    struct generator g;
    double seconds = 0;
    int status = generator_init(&g, &d->run);
    for (unsigned i = 0; i < n && status == 0; i++) {
        struct box box = random_box(&d->run, 1000 + i);
        uint16_t *values = malloc(box.count[0] * box.count[1] * box.count[2] * sizeof *values);
        double from = seconds_now();
        status = values ? store_read_box(way, d->paths[way], &box, values) : tool_error("no memory for a box");
        seconds += seconds_now() - from;
        if (status == 0)
            status = check_values(d->paths[way], &g, &box, values) || interrupted();
        free(values);
    }
    d->box_seconds[way] = seconds / n;
    generator_deinit(&g);
    return status;
}

/* H5Dget_defined says which pixels of a box there are. */
static int find(struct demo *d)
{
    static const struct box nothing;
    char pixels[32];
    struct generator g;
    hsize_t found = 0;
    hid_t file = H5Fopen(d->paths[SPARSE], H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dset = H5Dopen2(file, DATASET, H5P_DEFAULT);
    int status = dset < 0 ? tool_error("cannot read %s", d->paths[SPARSE]) : 0;
    if (generator_init(&g, &d->run) != 0)
        status = 1;
    for (unsigned i = 0; i < BOXES && status == 0; i++) {
        struct box box = random_box(&d->run, i);
        const struct bar bar = {"boxes", i + 1, BOXES};
        hssize_t n = check_box(dset, &g, &box, &nothing);
        status = n < 0 || interrupted();
        found += n > 0 ? (hsize_t)n : 0;
        if (status == 0)
            show_bars(&bar, 1);
    }
    generator_deinit(&g);
    H5Dclose(dset);
    H5Fclose(file);
    if (status == 0)
        printf("Found and read the defined pixels of %d boxes: %s, each as recorded.\n", BOXES,
               with_commas(pixels, found));
    return status;
}

/* A panel turns out to be bad: nothing it saw shall stay. */
static int erase(struct demo *d)
{
    const struct run *run = &d->run;
    d->erased =
        (struct box){{0, run->height * 9 / 16, run->width * 9 / 16}, {run->frames, run->height / 6, run->width / 4}};
    uint64_t told[6];
    for (int i = 0; i < 3; i++) {
        told[i] = d->erased.start[i];
        told[3 + i] = d->erased.count[i];
    }
    hid_t file = H5Fopen(d->paths[SPARSE], H5F_ACC_RDWR, H5P_DEFAULT), dset = H5Dopen2(file, DATASET, H5P_DEFAULT);
    hid_t panel = select_box(dset, &d->erased), defined = H5Dget_defined(dset, panel, H5P_DEFAULT);
    hid_t note = H5Aopen(dset, "erased", H5P_DEFAULT);
    hssize_t n = defined < 0 ? -1 : H5Sget_select_npoints(defined);
    d->erased_pixels = n > 0 ? (hsize_t)n : 0;
    bool good = n >= 0 && H5Derase(dset, panel, H5P_DEFAULT) >= 0 && H5Awrite(note, H5T_NATIVE_UINT64, told) >= 0;
    H5Aclose(note);
    H5Sclose(defined);
    H5Sclose(panel);
    H5Dclose(dset);
    good = H5Fclose(file) >= 0 && good;
    return good ? 0 : tool_error("cannot erase from %s", d->paths[SPARSE]);
}

static int verify(struct demo *d)
{
    char erased[32], left[32], regions[32];
    struct checked found;
    int status = check_file(d->paths[SPARSE], &found);
    if (status)
        return status;
    if (found.pixels + d->erased_pixels != d->pixels)
        return tool_error("%s: pixels are missing", d->paths[SPARSE]);
    printf(
        "Erased the pixels of a bad panel, %s in all frames. Then verified the other %s, where they are and\n"
        "what they are, and that there are no others. The region of interest of each of the %s frames that are whole\n"
        "is known, too.\n",
        with_commas(erased, d->erased_pixels), with_commas(left, found.pixels), with_commas(regions, found.regions));
    return 0;
}

static int draw(struct demo *d)
{
    hid_t file = H5Fopen(d->paths[SPARSE], H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dset = H5Dopen2(file, DATASET, H5P_DEFAULT);
    int status = dset < 0 ? tool_error("cannot read %s", d->paths[SPARSE]) : 0;
    if (status == 0)
        status = draw_frames(d->paths[FRAMES_PNG], dset, &d->run);
    if (status == 0)
        status = draw_chunks(d->paths[CHUNKS_PNG], dset, &d->run);
    H5Dclose(dset);
    H5Fclose(file);
    return status;
}

/* The same run another way. */
static int store_again(struct demo *d, enum way way)
{
    struct generator g = {0};
    struct store store;
    int status = store_create(&store, way, d->paths[way], &d->run);
    if (status == 0)
        status = generator_init(&g, &d->run);
    for (hsize_t i = 0; i < d->run.frames && status == 0; i++) {
        const struct bar bar = {way == DENSE ? "dense" : "lists", i + 1, d->run.frames};
        status = interrupted() ? 1 : store_put(&store, generate(&g, i));
        if (status == 0)
            show_bars(&bar, 1);
    }
    int closed = store_close(&store);
    status = status ? status : closed;
    generator_deinit(&g);
    d->seconds[way] = store.seconds;
    d->bytes[way] = file_size(d->paths[way]);
    return status ? status : time_boxes(d, way);
}

static void cell(struct table *t, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void cell(struct table *t, size_t column, const char *format, ...)
{
    va_list args;
    FILE *out = table_cell(t, column);
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    table_cell_end(t);
}

static void print_results(const struct demo *d)
{
    struct table *t = table_new();
    char rate[32];
    static const char *const heads[] = {"stored as", "file", "write", "frames/s", "read a box", ""};
    fputc('\n', stdout);
    table_row(t);
    for (size_t c = 0; c < sizeof heads / sizeof heads[0]; c++) {
        cell(t, c, "%s", heads[c]);
        if (c > 0)
            table_right(t, c);
    }
    for (enum way way = 0; way < WAYS; way++) {
        table_row(t);
        cell(t, 0, "%s", titles[way]);
        cell(t, 1, "%.1f MB", (double)d->bytes[way] / 1e6);
        cell(t, 2, "%.2f s", d->seconds[way]);
        cell(t, 3, "%s", with_commas(rate, (unsigned long long)((double)d->run.frames / d->seconds[way])));
        cell(t, 4, "%.2f ms", 1e3 * d->box_seconds[way]);
        cell(t, 5, "%s", ""); /* what is aligned to the right is not the last */
    }
    table_free(t);
    printf("\nEvery %d frames are flushed, which takes %.1f ms; the other process sees them %.1f ms (median), %.1f ms "
           "(most)\n"
           "after the call. All three files have shuffle and deflate 1. Times are those in the library. The sparse "
           "file was\n"
           "flushed and followed while it was written, the others were not.\n",
           BATCH, 1e3 * d->flush, 1e3 * d->median, 1e3 * d->most);
}

static void say_what_is_left(const struct demo *d, double seconds)
{
    static const char *const told[FILES] = {"the run", "the same, dense", "the same, as lists",
                                            "three frames with their defined pixels",
                                            "the chunks, coloured by how many of their pixels are defined"};
    static const int order[FILES] = {SPARSE, FRAMES_PNG, CHUNKS_PNG, DENSE, LISTS};
    struct table *t = table_new();
    printf("\nAfter %.1f s there are, in %s:\n\n", seconds, d->folder);
    for (int i = 0; i < (d->keep ? FILES : 3); i++) {
        table_row(t);
        cell(t, 0, "  %s", names[order[i]]);
        cell(t, 1, "%s", told[order[i]]);
    }
    table_free(t);
    printf("\nTo go on:  tessera ls -r -a %s\n           tessera chunks --box 0:25,:,: %s" DATASET "\n",
           d->paths[SPARSE], d->paths[SPARSE]);
}

static int make_folder(struct demo *d)
{
    if (mkdir(d->folder, 0777) == 0)
        d->made_folder = true;
    else if (errno != EEXIST)
        return tool_error("cannot make %s: %s; --output names another place", d->folder, strerror(errno));
    else if (access(d->folder, W_OK | X_OK) < 0)
        return tool_error("cannot write to %s: %s; --output names another place", d->folder, strerror(errno));
    for (int i = 0; i < FILES; i++)
        if (snprintf(d->paths[i], sizeof d->paths[i], "%s/%s", d->folder, names[i]) >= (int)sizeof d->paths[i])
            return tool_error("the name %s is too long", d->folder);
    return 0;
}

static void clean_up(const struct demo *d, bool all)
{
    for (int i = 0; i < FILES; i++)
        if (all || i == DENSE || i == LISTS)
            unlink(d->paths[i]);
    if (all && d->made_folder)
        rmdir(d->folder);
}

static int run_demo(struct demo *d)
{
    double from = seconds_now();
    int status = make_folder(d);
    if (status)
        return status;
    catch_signals();
    puts("A detector run: a region of interest or some peaks of each frame are kept, every 100th frame whole.\n");
    fflush(stdout);
    status = record(d);
    if (status == 0) {
        say_recorded(d);
        status = find(d) || time_boxes(d, SPARSE) || erase(d) || verify(d) || draw(d) || store_again(d, DENSE) ||
                 store_again(d, LISTS) || interrupted();
    }
    if (status == 0) {
        print_results(d);
        say_what_is_left(d, seconds_now() - from);
    }
    if (!d->keep)
        clean_up(d, status != 0);
    if (status != 0 && interrupted()) {
        leave_bars();
        fprintf(stderr, "tessera: interrupted; %s\n", d->keep ? "the files are kept" : "nothing is left");
        signal(signal_came, SIG_DFL);
        raise(signal_came);
    }
    return status;
}

static int verify_only(const char *path)
{
    char frames[32], pixels[32];
    struct checked found;
    if (access(path, R_OK) < 0)
        return tool_error("%s: %s", path, strerror(errno));
    int status = check_file(path, &found);
    if (status == 0)
        printf("%s: %s frames, %s pixels, each as recorded\n", path, with_commas(frames, found.frames),
               with_commas(pixels, found.pixels));
    return status;
}

/* The whole of a text, or up to `end`, as a number between least and most. */
static bool read_number(const char *text, char end, hsize_t least, hsize_t most, hsize_t *out)
{
    char *stop;
    errno = 0;
    unsigned long long value = strtoull(text, &stop, 10);
    *out = value;
    return *text >= '0' && *text <= '9' && *stop == end && errno == 0 && value >= least && value <= most;
}

static bool read_size(const char *text, struct run *run)
{
    const char *x = strchr(text, 'x');
    return x && read_number(text, 'x', SIZE_LEAST, SIZE_MOST, &run->height) &&
           read_number(x + 1, '\0', SIZE_LEAST, SIZE_MOST, &run->width);
}

static int refuse(const char *text, const char *what)
{
    fprintf(stderr, "tessera: '%s' is no %s\n", text, what);
    return 2;
}

int tool_demo(int argc, char **argv)
{
    static const struct option options[] = {
        {"frames", required_argument, NULL, 'n'}, {"size", required_argument, NULL, 's'},
        {"seed", required_argument, NULL, 'S'},   {"output", required_argument, NULL, 'o'},
        {"keep", no_argument, NULL, 'k'},         {"verify", required_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    static struct demo demo = {.run = {.seed = 1, .frames = 3000, .height = 352, .width = 384},
                               .folder = "tessera-demo"};
    const char *file = NULL;
    hsize_t seed;
    /* The second process of a demo. */
    if (argc == 5 && strcmp(argv[1], "--follow") == 0)
        return follow(argv[2], strtoull(argv[3], NULL, 10), atoi(argv[4]));
    for (int option; (option = getopt_long(argc, argv, "n:s:S:o:kV:h", options, NULL)) != -1;)
        switch (option) {
        case 'n':
            if (!read_number(optarg, '\0', 1, FRAMES_MOST, &demo.run.frames))
                return refuse(optarg, "number of frames from 1 to 10000000");
            break;
        case 's':
            if (!read_size(optarg, &demo.run))
                return refuse(optarg, "size from 32x32 to 8192x8192, rows first");
            break;
        case 'S':
            if (!read_number(optarg, '\0', 0, UINT64_MAX, &seed))
                return refuse(optarg, "seed: a whole number");
            demo.run.seed = seed;
            break;
        case 'o':
            demo.folder = optarg;
            break;
        case 'k':
            demo.keep = true;
            break;
        case 'V':
            file = optarg;
            break;
        default:
            return tool_help(help, option == 'h');
        }
    if (optind != argc)
        return tool_help(help, false);
    return file ? verify_only(file) : run_demo(&demo);
}
