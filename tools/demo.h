/* tessera demo: a simulated detector run that is recorded, followed, looked into and checked. */
#ifndef TOOLS_DEMO_H
#define TOOLS_DEMO_H

#include <stdint.h>
#include <sys/types.h>

#include "tool.h"

/* Frames that are flushed together. They are the height of a chunk, too: a chunk that were flushed while it fills would
 * take new space each time. */
#define BATCH 25
/* A frame is cut into so many chunks in both directions. */
#define TILES 8

/* Rows and columns of a frame, at least and at most. */
#define SIZE_LEAST 32
#define SIZE_MOST 8192

#define DATASET "/detector/frames"
/* Of frames that are kept whole, what is defined here is the region that would have been kept. */
#define REGIONS "/detector/regions"

/* All that decides which pixels a run has. */
struct run {
    uint64_t seed;
    hsize_t frames, height, width;
};

/* Of the dataset: frames, rows, columns. One whose counts are 0 has no pixels. */
struct box {
    hsize_t start[3], count[3];
};

static inline bool in_box(const struct box *box, hsize_t frame, hsize_t row, hsize_t column)
{
    return frame - box->start[0] < box->count[0] && row - box->start[1] < box->count[1] &&
           column - box->start[2] < box->count[2];
}

/* demo_frames.c: what the detector sees, and what of it is kept. */
enum kept { KEPT_ALL, KEPT_REGION, KEPT_PEAKS };

struct frame {
    hsize_t index;
    enum kept kept;
    struct box box;    /* of KEPT_ALL and KEPT_REGION: exactly its pixels are kept */
    struct box region; /* of the same: what is of interest */
    size_t n;
    uint32_t *at; /* of the pixels that are kept, ascending: row * width + column */
    uint16_t *values;
};

struct generator {
    struct run run;
    struct frame frame;
    uint16_t *ground; /* what every frame shows without peaks and noise */
    uint16_t *peaks;  /* what the peaks of the frame add; all 0 between two frames */
};

/* What fails is reported, here and below; 0 or the exit status. */
int generator_init(struct generator *g, const struct run *run);
void generator_deinit(struct generator *g);
/* Good until the next call. The same run and index give the same frame. */
const struct frame *generate(struct generator *g, hsize_t index);
enum kept kept_of(hsize_t index);
/* A number that looks random, from another. */
uint64_t mix(uint64_t x);

/* demo_store.c: three ways to store the same run. */
enum way { SPARSE, DENSE, LISTS, WAYS };

struct store {
    enum way way;
    const char *path;
    struct run run;
    hid_t file;
    hid_t dsets[4];  /* LISTS: frame, row, column, value; SPARSE: frames, regions; DENSE: one */
    hsize_t listed;  /* LISTS: pixels so far */
    uint16_t *whole; /* DENSE: a frame with 0 where nothing is kept */
    double seconds;  /* in the library, writing */
    hsize_t pixels;
};

int store_create(struct store *s, enum way way, const char *path, const struct run *run);
int store_put(struct store *s, const struct frame *frame);
/* From here on readers see the frames. */
int store_flush(struct store *s);
/* Always frees what there is. */
int store_close(struct store *s);
/* Reads the pixels of a box from the file at `path`, 0 where none is kept. */
int store_read_box(enum way way, const char *path, const struct box *box, uint16_t *out);

/* The box as the selection of a dataset. */
hid_t select_box(hid_t dset, const struct box *box);

/* demo_check.c: what a file has beside what the generator makes. */
/* Compares which pixels of the box are defined, and their values. Those in `erased` must not be. The number of pixels
 * that are defined, or -1: the first difference is reported. */
hssize_t check_box(hid_t dset, struct generator *g, const struct box *box, const struct box *erased);
/* The same for values where 0 means that nothing is kept. 0 or the exit status. */
int check_values(const char *what, struct generator *g, const struct box *box, const uint16_t *values);
/* What the file says of its run, and of what was erased from it. */
int read_run(hid_t file, const char *path, struct run *run, struct box *erased);
/* The whole file. What was checked is counted. */
struct checked {
    hsize_t frames, pixels, regions;
};
int check_file(const char *path, struct checked *found);

/* demo_follow.c: a second process that reads what was flushed and checks it. */
struct follower {
    pid_t pid;
    int reports;     /* a pipe from it */
    hsize_t frames;  /* that it has checked */
    double *called;  /* when the flush of each batch was called */
    double *latency; /* from then until the other process saw it */
    size_t flushed, seen;
};

int follower_start(struct follower *f, const char *path, const struct run *run);
void follower_flushing(struct follower *f);
/* Takes the reports that have come; with `all`, waits until every frame is checked and the process has ended. */
int follower_listen(struct follower *f, const struct run *run, bool all);
/* Ends the process if it still runs. */
void follower_stop(struct follower *f);
/* What the other process does, until it has seen that many frames. */
int follow(const char *path, hsize_t frames, int reports);

/* demo_show.c: what a person sees. */
struct bar {
    const char *label;
    hsize_t done, total;
};

/* Draws the bars in place of those drawn before, on a terminal only. They are gone when all is done. */
void show_bars(const struct bar *bars, size_t n);
/* Before anything else is said while there are bars. */
void leave_bars(void);
/* 2,000 */
const char *with_commas(char out[32], unsigned long long number);

/* demo_pictures.c */
int draw_frames(const char *out, hid_t dset, const struct run *run);
int draw_chunks(const char *out, hid_t dset, const struct run *run);

/* demo.c */
/* Whether the user wants an end; to be asked often. */
bool interrupted(void);
double seconds_now(void);

#endif
