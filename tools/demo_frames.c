/* Frames as a detector behind a crystal sees them: rings, noise, and 50 to 100 peaks that are new in every frame. Whole
 * numbers only, so that a run is the same on every machine. */
#include <stdlib.h>
#include <string.h>

#include "demo.h"

#define WHOLE_EVERY 100
#define STRETCH 50 /* frames that are kept by their region, and then by their peaks */
#define PEAK_RADIUS 2
#define PEAK_WIDTH (2 * PEAK_RADIUS + 1)
#define PEAKS_MOST 100
#define LARGEST_VALUE 16383 /* 14 bits */

uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint32_t root(uint32_t x)
{
    uint32_t r = 0;
    for (uint32_t bit = 1u << 15; bit; bit >>= 1)
        if ((uint64_t)(r + bit) * (r + bit) <= x)
            r += bit;
    return r;
}

/* A falling slope from the middle, and rings. Distances are in 1/1000 of half the shorter side. */
static uint16_t ground_at(const struct run *run, hsize_t row, hsize_t column)
{
    static const int rings[] = {280, 470, 640, 860, 1090};
    hsize_t side = run->height < run->width ? run->height : run->width;
    long long y = (long long)(2 * row) - (long long)run->height, x = (long long)(2 * column) - (long long)run->width;
    long long square = (y * y + x * x) * 1000 / (long long)side * 1000 / (long long)side;
    int r = (int)root(square < UINT32_MAX ? (uint32_t)square : UINT32_MAX);
    int value = 8 + (r < 900 ? (900 - r) / 10 : 0);
    for (size_t i = 0; i < sizeof rings / sizeof rings[0]; i++) {
        int off = abs(r - rings[i]);
        value += off < 40 ? (40 - off) * 3 : 0;
    }
    return (uint16_t)value;
}

int generator_init(struct generator *g, const struct run *run)
{
    size_t pixels = run->height * run->width;
    *g = (struct generator){.run = *run};
    g->ground = malloc(pixels * sizeof *g->ground);
    g->peaks = calloc(pixels, sizeof *g->peaks);
    g->frame.at = malloc(pixels * sizeof *g->frame.at);
    g->frame.values = malloc(pixels * sizeof *g->frame.values);
    if (!g->ground || !g->peaks || !g->frame.at || !g->frame.values)
        return tool_error("no memory for frames of %llu x %llu; a smaller --size needs less",
                          (unsigned long long)run->height, (unsigned long long)run->width);
    for (hsize_t y = 0, i = 0; y < run->height; y++)
        for (hsize_t x = 0; x < run->width; x++, i++)
            g->ground[i] = ground_at(run, y, x);
    return 0;
}

void generator_deinit(struct generator *g)
{
    free(g->ground);
    free(g->peaks);
    free(g->frame.at);
    free(g->frame.values);
    *g = (struct generator){0};
}

enum kept kept_of(hsize_t index)
{
    if (index % WHOLE_EVERY == 0)
        return KEPT_ALL;
    return index / STRETCH % 2 ? KEPT_PEAKS : KEPT_REGION;
}

/* Up and down between 0 and most. */
static hsize_t swing(hsize_t time, hsize_t most)
{
    hsize_t phase = most ? time % (2 * most) : 0;
    return phase < most ? phase : 2 * most - phase;
}

static struct box region_of(const struct run *run, hsize_t index)
{
    /* 6/19 squared is a tenth. */
    struct box box = {.start[0] = index, .count = {1, run->height * 6 / 19, run->width * 6 / 19}};
    box.start[1] = swing(mix(run->seed) % 1000 + index * 2 / 3, run->height - box.count[1]);
    box.start[2] = swing(mix(run->seed) / 1000 % 1000 + index, run->width - box.count[2]);
    return box;
}

struct peak {
    size_t at; /* its upper left corner */
    unsigned height;
};

/* Peaks are where the rings are, most of the time. */
static size_t find_peaks(const struct generator *g, hsize_t index, struct peak *out)
{
    const struct run *run = &g->run;
    uint64_t chance = mix(run->seed ^ mix(index));
    size_t n = 50 + chance % (PEAKS_MOST - 50 + 1);
    for (size_t i = 0; i < n; i++) {
        for (int tries = 0; tries < 6; tries++) {
            chance = mix(chance);
            size_t y = (chance & 0xffffff) % (run->height - PEAK_WIDTH + 1);
            size_t x = (chance >> 24 & 0xffffff) % (run->width - PEAK_WIDTH + 1);
            out[i].at = y * run->width + x;
            if (g->ground[out[i].at + PEAK_RADIUS * run->width + PEAK_RADIUS] > 90)
                break;
        }
        out[i].height = 200 + (unsigned)(chance >> 48) % 3000;
    }
    return n;
}

/* Adds a peak to g->peaks and, unless NULL, the pixels that no other peak has to the n at `at`. */
static size_t add_peak(struct generator *g, const struct peak *peak, uint32_t *at, size_t n)
{
    static const unsigned parts[] = {64, 40, 26, 0, 10, 6, 0, 0, 2}; /* of 64, by the square of the distance */
    for (int y = -PEAK_RADIUS; y <= PEAK_RADIUS; y++)
        for (int x = -PEAK_RADIUS; x <= PEAK_RADIUS; x++) {
            size_t i = peak->at + (size_t)(y + PEAK_RADIUS) * g->run.width + (size_t)(x + PEAK_RADIUS);
            unsigned sum = g->peaks[i] + peak->height * parts[y * y + x * x] / 64;
            if (at && g->peaks[i] == 0)
                at[n++] = (uint32_t)i;
            g->peaks[i] = (uint16_t)(sum < LARGEST_VALUE ? sum : LARGEST_VALUE);
        }
    return n;
}

static void remove_peak(struct generator *g, const struct peak *peak)
{
    for (size_t y = 0; y < PEAK_WIDTH; y++)
        memset(g->peaks + peak->at + y * g->run.width, 0, PEAK_WIDTH * sizeof *g->peaks);
}

static int compare_places(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void list_box(struct frame *frame, const struct run *run)
{
    const struct box *box = &frame->box;
    frame->n = 0;
    for (hsize_t y = box->start[1]; y < box->start[1] + box->count[1]; y++)
        for (hsize_t x = box->start[2]; x < box->start[2] + box->count[2]; x++)
            frame->at[frame->n++] = (uint32_t)(y * run->width + x);
}

const struct frame *generate(struct generator *g, hsize_t index)
{
    struct frame *frame = &g->frame;
    struct peak peaks[PEAKS_MOST];
    size_t n = find_peaks(g, index, peaks), listed = 0;
    uint64_t noise = mix(g->run.seed + mix(index + 1));
    frame->index = index;
    frame->kept = kept_of(index);
    for (size_t i = 0; i < n; i++)
        listed = add_peak(g, &peaks[i], frame->kept == KEPT_PEAKS ? frame->at : NULL, listed);
    if (frame->kept == KEPT_PEAKS) {
        qsort(frame->at, listed, sizeof *frame->at, compare_places);
        frame->n = listed;
    } else {
        struct box all = {{index, 0, 0}, {1, g->run.height, g->run.width}};
        frame->region = region_of(&g->run, index);
        frame->box = frame->kept == KEPT_ALL ? all : frame->region;
        list_box(frame, &g->run);
    }
    for (size_t i = 0; i < frame->n; i++) {
        uint32_t at = frame->at[i];
        uint64_t bits = mix(noise + at);
        unsigned value = g->ground[at] + (unsigned)(bits & 15) + (unsigned)(bits >> 4 & 15) + g->peaks[at];
        frame->values[i] = (uint16_t)(value < LARGEST_VALUE ? value : LARGEST_VALUE);
    }
    for (size_t i = 0; i < n; i++)
        remove_peak(g, &peaks[i]);
    return frame;
}
