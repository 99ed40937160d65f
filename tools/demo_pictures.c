/* Two pictures of a recorded run, both made from what the file has. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"
#include "picture.h"

static const struct colour page = {16, 17, 20}, undefined = {38, 40, 46};

static int finish(struct picture *p, const char *path, const char *text, int status)
{
    if (status == 0 && picture_write(p, path, text) < 0)
        status = tool_error("cannot write %s: %s", path, strerror(errno));
    picture_deinit(p);
    return status;
}

struct panel {
    struct picture *picture;
    const struct run *run;
    const uint16_t *values;
    size_t left, top, scale, used;
};

static void draw_run(struct panel *panel, hsize_t at, size_t length)
{
    const struct run *run = panel->run;
    for (size_t i = 0; i < length; i++) {
        hsize_t pixel = (at + i) % (run->height * run->width);
        double share = log(1 + panel->values[panel->used++] / 20.0) / log(1 + 3000 / 20.0);
        picture_fill(panel->picture, panel->left + pixel % run->width * panel->scale,
                     panel->top + pixel / run->width * panel->scale, panel->scale, panel->scale, colour_of(share));
    }
}

/* Reads the defined pixels of a frame and gives them to draw_run as they come. */
static int draw_frame(struct panel *panel, hid_t dset, hsize_t index)
{
    const struct run *run = panel->run;
    const struct box box = {{index, 0, 0}, {1, run->height, run->width}};
    hid_t space = select_box(dset, &box), defined = H5Dget_defined(dset, space, H5P_DEFAULT);
    hssize_t points = defined < 0 ? -1 : H5Sget_select_npoints(defined);
    hsize_t n = points < 0 ? 0 : (hsize_t)points;
    uint16_t *values = malloc((n + 1) * sizeof *values);
    hid_t memory = H5Screate_simple(1, &n, NULL), iter = H5Ssel_iter_create(defined, 1, 0);
    bool good = values && points >= 0 && H5Dread(dset, H5T_NATIVE_UINT16, memory, defined, H5P_DEFAULT, values) >= 0;
    panel->values = values;
    panel->used = 0;
    while (good && panel->used < n) {
        hsize_t starts[256];
        size_t lengths[256], runs = 0, elements = 0;
        good = H5Ssel_iter_get_seq_list(iter, 256, n - panel->used, &runs, &elements, starts, lengths) >= 0 && runs > 0;
        for (size_t i = 0; good && i < runs; i++)
            draw_run(panel, starts[i], lengths[i]);
    }
    H5Ssel_iter_close(iter);
    H5Sclose(memory);
    H5Sclose(defined);
    H5Sclose(space);
    free(values);
    return good ? 0 : tool_error("cannot read frame %llu", (unsigned long long)index);
}

/* The last frame of each sort that the run has. */
static size_t choose_frames(const struct run *run, hsize_t out[3])
{
    static const enum kept sorts[] = {KEPT_ALL, KEPT_REGION, KEPT_PEAKS};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        for (hsize_t f = run->frames; f-- > 0;)
            if (kept_of(f) == sorts[i]) {
                out[n++] = f;
                break;
            }
    return n;
}

int draw_frames(const char *out, hid_t dset, const struct run *run)
{
    hsize_t frames[3];
    size_t n = choose_frames(run, frames), scale = run->height < 320 ? (size_t)(320 / run->height) : 1, gap = 8;
    size_t width = (size_t)run->width * scale, height = (size_t)run->height * scale;
    struct picture p;
    if (picture_init(&p, n * (width + gap) + gap, height + 2 * gap, page) < 0)
        return tool_error("no memory for a picture");
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct panel panel = {.picture = &p, .run = run, .left = gap + i * (width + gap), .top = gap, .scale = scale};
        picture_fill(&p, panel.left, gap, width, height, undefined);
        status = draw_frame(&panel, dset, frames[i]);
    }
    return finish(
        &p, out,
        "Frames of a sparse dataset: one kept whole, one by its region of interest, one by its peaks. Grey pixels are "
        "not defined; colours are values, dark to bright, on a logarithmic scale.",
        status);
}

struct strip {
    struct picture picture;
    const struct run *run;
    hid_t dset;
    size_t columns, cell, batches;
    hsize_t chunk[3];
};

static int draw_chunk(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *address, hsize_t *size, void *data)
{
    (void)info;
    (void)address;
    (void)size;
    struct strip *s = data;
    struct box box;
    hsize_t all = 1, dims[3] = {s->run->frames, s->run->height, s->run->width};
    for (int d = 0; d < 3; d++) {
        box.start[d] = offset[d];
        box.count[d] = dims[d] - offset[d] < s->chunk[d] ? dims[d] - offset[d] : s->chunk[d];
        all *= box.count[d];
    }
    hid_t space = select_box(s->dset, &box), defined = H5Dget_defined(s->dset, space, H5P_DEFAULT);
    hssize_t n = defined < 0 ? -1 : H5Sget_select_npoints(defined);
    H5Sclose(defined);
    H5Sclose(space);
    if (n <= 0)
        return n < 0 ? H5_ITER_ERROR : H5_ITER_CONT;
    size_t batch = (size_t)(offset[0] / s->chunk[0]), pitch = s->cell * (TILES + 1);
    picture_fill(&s->picture, s->cell + batch % s->columns * pitch + (size_t)(offset[2] / s->chunk[2]) * s->cell,
                 s->cell + batch / s->columns * pitch + (size_t)(offset[1] / s->chunk[1]) * s->cell, s->cell, s->cell,
                 colour_of(1 + log10((double)n / (double)all) / 3.5));
    return H5_ITER_CONT;
}

/* A strip of small detectors, one for each BATCH frames, row by row; each has a cell for each of its chunks. */
int draw_chunks(const char *out, hid_t dset, const struct run *run)
{
    struct strip s = {.run = run, .dset = dset, .batches = (size_t)((run->frames + BATCH - 1) / BATCH)};
    hid_t dcpl = H5Dget_create_plist(dset);
    unsigned flags;
    bool good = H5Pget_struct_chunk(dcpl, 3, s.chunk, &flags) == 3;
    H5Pclose(dcpl);
    s.columns = (size_t)ceil(sqrt((double)s.batches * 1.6));
    for (size_t fewer = s.columns; fewer * 4 > s.columns * 3; fewer--)
        if (s.batches % fewer == 0) {
            s.columns = fewer; /* no gap at the end */
            break;
        }
    s.cell = 1200 / (s.columns * (TILES + 1) + 1);
    s.cell = s.cell < 1 ? 1 : s.cell > 24 ? 24 : s.cell;
    size_t rows = (s.batches + s.columns - 1) / s.columns, pitch = s.cell * (TILES + 1);
    if (!good)
        return tool_error("cannot read how " DATASET " is stored");
    if (picture_init(&s.picture, s.columns * pitch + s.cell, rows * pitch + s.cell, page) < 0)
        return tool_error("no memory for a picture");
    for (size_t b = 0; b < s.batches; b++)
        picture_fill(&s.picture, s.cell + b % s.columns * pitch, s.cell + b / s.columns * pitch, s.cell * TILES,
                     s.cell * TILES, undefined);
    int status = 0;
    if (H5Dstruct_chunk_iter(dset, H5P_DEFAULT, draw_chunk, &s) < 0)
        status = tool_error("cannot go through the chunks of " DATASET);
    return finish(
        &s.picture, out,
        "The chunks of a sparse dataset: each square is the detector during some frames, row by row, cut into its "
        "chunks. Grey chunks are not stored; the others are coloured by how many of their pixels are defined, dark "
        "to bright, on a logarithmic scale.",
        status);
}
