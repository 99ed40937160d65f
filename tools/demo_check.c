/* What a file has, compared with what the generator makes. */
#include <stdlib.h>
#include <string.h>

#include "demo.h"

#define RUNS 1024

/* The defined pixels of a box, one after the other. */
struct stored {
    hid_t iter;
    hsize_t left; /* pixels that the iterator still has */
    hsize_t starts[RUNS];
    size_t lengths[RUNS], runs, run, in_run;
    uint16_t *values;
    hsize_t n, i;
};

static bool stored_open(struct stored *s, hid_t dset, const struct box *box)
{
    hid_t space = select_box(dset, box), defined = H5Dget_defined(dset, space, H5P_DEFAULT);
    hssize_t n = defined < 0 ? -1 : H5Sget_select_npoints(defined);
    *s = (struct stored){.iter = -1};
    bool good = n >= 0;
    if (n > 0) {
        s->n = s->left = (hsize_t)n;
        s->values = malloc(s->n * sizeof *s->values);
        hid_t memory = H5Screate_simple(1, &s->n, NULL);
        good = s->values && H5Dread(dset, H5T_NATIVE_UINT16, memory, defined, H5P_DEFAULT, s->values) >= 0;
        s->iter = H5Ssel_iter_create(defined, 1, 0);
        H5Sclose(memory);
    }
    H5Sclose(defined);
    H5Sclose(space);
    return good;
}

static void stored_close(struct stored *s)
{
    if (s->iter >= 0)
        H5Ssel_iter_close(s->iter);
    free(s->values);
}

/* Where the next pixel is, counted from the first of the dataset; HSIZE_UNDEF when there is none. */
static hsize_t stored_peek(struct stored *s)
{
    if (s->i == s->n)
        return HSIZE_UNDEF;
    if (s->run == s->runs) {
        size_t elements = 0;
        if (H5Ssel_iter_get_seq_list(s->iter, RUNS, (size_t)s->left, &s->runs, &elements, s->starts, s->lengths) < 0 ||
            s->runs == 0)
            return HSIZE_UNDEF;
        s->left -= elements;
        s->run = s->in_run = 0;
    }
    return s->starts[s->run] + s->in_run;
}

static uint16_t stored_take(struct stored *s)
{
    if (++s->in_run == s->lengths[s->run]) {
        s->run++;
        s->in_run = 0;
    }
    return s->values[s->i++];
}

static int say_difference(const struct run *run, hsize_t at, const char *what)
{
    hsize_t frame = at / (run->height * run->width), pixel = at % (run->height * run->width);
    fprintf(stderr, "tessera: frame %llu, row %llu, column %llu: %s\n", (unsigned long long)frame,
            (unsigned long long)(pixel / run->width), (unsigned long long)(pixel % run->width), what);
    return 1;
}

static int compare(const struct run *run, struct stored *s, hsize_t expected, uint16_t value)
{
    hsize_t at = stored_peek(s);
    char what[80];
    if (at < expected)
        return say_difference(run, at, "is defined, and was not recorded or was erased");
    if (at > expected)
        return say_difference(run, expected, "is not defined, and was recorded");
    uint16_t found = stored_take(s);
    if (found == value)
        return 0;
    snprintf(what, sizeof what, "%u is stored, %u was recorded", found, value);
    return say_difference(run, at, what);
}

hssize_t check_box(hid_t dset, struct generator *g, const struct box *box, const struct box *erased)
{
    const struct run *run = &g->run;
    struct stored s;
    int status = stored_open(&s, dset, box) ? 0 : tool_error("cannot read " DATASET);
    for (hsize_t f = box->start[0]; status == 0 && f < box->start[0] + box->count[0]; f++) {
        const struct frame *frame = generate(g, f);
        for (size_t i = 0; status == 0 && i < frame->n; i++) {
            hsize_t y = frame->at[i] / run->width, x = frame->at[i] % run->width;
            if (in_box(box, f, y, x) && !in_box(erased, f, y, x))
                status = compare(run, &s, f * run->height * run->width + frame->at[i], frame->values[i]);
        }
    }
    if (status == 0 && s.i < s.n)
        status = say_difference(run, stored_peek(&s), "is defined, and was not recorded or was erased");
    hssize_t n = (hssize_t)s.n;
    stored_close(&s);
    return status == 0 ? n : -1;
}

int check_values(const char *what, struct generator *g, const struct box *box, const uint16_t *values)
{
    const struct run *run = &g->run;
    size_t n = box->count[0] * box->count[1] * box->count[2];
    uint16_t *expected = calloc(n, sizeof *expected);
    if (!expected)
        return tool_error("no memory for a box");
    for (hsize_t f = 0; f < box->count[0]; f++) {
        const struct frame *frame = generate(g, box->start[0] + f);
        for (size_t i = 0; i < frame->n; i++) {
            hsize_t y = frame->at[i] / run->width, x = frame->at[i] % run->width;
            if (in_box(box, frame->index, y, x))
                expected[(f * box->count[1] + y - box->start[1]) * box->count[2] + x - box->start[2]] =
                    frame->values[i];
        }
    }
    bool same = memcmp(expected, values, n * sizeof *expected) == 0;
    free(expected);
    if (same)
        return 0;
    return tool_error("%s: a box differs from what was recorded", what);
}

int read_run(hid_t file, const char *path, struct run *run, struct box *erased)
{
    uint64_t box[6];
    hsize_t dims[3] = {0};
    hid_t dset = H5Dopen2(file, DATASET, H5P_DEFAULT), space = H5Dget_space(dset);
    hid_t a = H5Aopen(dset, "seed", H5P_DEFAULT), b = H5Aopen(dset, "erased", H5P_DEFAULT), shape = H5Aget_space(b);
    bool good = H5Sget_simple_extent_ndims(space) == 3 && H5Sget_simple_extent_dims(space, dims, NULL) == 3 &&
                H5Sget_simple_extent_npoints(shape) == 6 && H5Aread(a, H5T_NATIVE_UINT64, &run->seed) >= 0 &&
                H5Aread(b, H5T_NATIVE_UINT64, box) >= 0;
    H5Sclose(shape);
    H5Aclose(b);
    H5Aclose(a);
    H5Sclose(space);
    H5Dclose(dset);
    H5Eclear2(H5E_DEFAULT);
    if (!good || dims[1] < SIZE_LEAST || dims[1] > SIZE_MOST || dims[2] < SIZE_LEAST || dims[2] > SIZE_MOST)
        return tool_error("%s is no file of 'tessera demo'", path);
    run->frames = dims[0];
    run->height = dims[1];
    run->width = dims[2];
    for (int d = 0; d < 3; d++) {
        erased->start[d] = box[d];
        erased->count[d] = box[3 + d];
    }
    return 0;
}

static int check_frames(hid_t file, const struct run *run, const struct box *erased, hsize_t *pixels)
{
    struct generator g;
    hid_t dset = H5Dopen2(file, DATASET, H5P_DEFAULT);
    int status = generator_init(&g, run);
    for (hsize_t f = 0; status == 0 && f < run->frames; f += BATCH) {
        hsize_t n = run->frames - f < BATCH ? run->frames - f : BATCH;
        const struct box box = {{f, 0, 0}, {n, run->height, run->width}};
        const struct bar bar = {"verified", f + n, run->frames};
        hssize_t found = check_box(dset, &g, &box, erased);
        status = found < 0 || interrupted();
        *pixels += status ? 0 : (hsize_t)found;
        if (status == 0)
            show_bars(&bar, 1);
    }
    generator_deinit(&g);
    H5Dclose(dset);
    return status;
}

/* What is defined beside a whole frame is its region, all of it, and nothing beside the others. */
static int check_region(hid_t dset, const struct frame *frame, const struct run *run)
{
    static const struct box nothing;
    const struct box all = {{frame->index, 0, 0}, {1, run->height, run->width}};
    const struct box *box = frame->kept == KEPT_ALL ? &frame->region : &nothing;
    hsize_t low[3] = {0}, high[3] = {0};
    hid_t space = select_box(dset, &all), defined = H5Dget_defined(dset, space, H5P_DEFAULT);
    hssize_t n = defined < 0 ? -1 : H5Sget_select_npoints(defined);
    bool good = n == (hssize_t)(box->count[0] * box->count[1] * box->count[2]) &&
                (n == 0 || H5Sget_select_bounds(defined, low, high) >= 0);
    for (int d = 0; n > 0 && d < 3; d++)
        good = good && low[d] == box->start[d] && high[d] == box->start[d] + box->count[d] - 1;
    H5Sclose(defined);
    H5Sclose(space);
    return good ? 0
                : tool_error("frame %llu: its region of interest is not the one that was recorded",
                             (unsigned long long)frame->index);
}

static int check_regions(hid_t file, const struct run *run, hsize_t *regions)
{
    struct generator g;
    hid_t dset = H5Dopen2(file, REGIONS, H5P_DEFAULT);
    int status = dset < 0 ? tool_error("cannot read " REGIONS) : generator_init(&g, run);
    if (status)
        return status;
    for (hsize_t f = 0; f < run->frames && status == 0; f++) {
        const struct frame *frame = generate(&g, f);
        status = check_region(dset, frame, run) || interrupted();
        *regions += frame->kept == KEPT_ALL;
    }
    generator_deinit(&g);
    H5Dclose(dset);
    return status;
}

int check_file(const char *path, struct checked *found)
{
    struct run run = {0};
    struct box erased;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return tool_cannot_open(path, "open");
    int status = read_run(file, path, &run, &erased);
    *found = (struct checked){.frames = run.frames};
    if (status == 0)
        status = check_frames(file, &run, &erased, &found->pixels) || check_regions(file, &run, &found->regions);
    H5Fclose(file);
    return status;
}
