#include "picture.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 6

struct colour colour_of(double share)
{
    static const struct colour steps[] = {{68, 1, 84},    {71, 44, 122}, {59, 81, 139},  {44, 113, 142}, {33, 144, 141},
                                          {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}};
    const int last = sizeof steps / sizeof steps[0] - 1;
    double place = (share > 0 ? share < 1 ? share : 1 : 0) * last;
    int i = place < last ? (int)place : last - 1;
    double part = place - i;
    struct colour a = steps[i], b = steps[i + 1];
    return (struct colour){(uint8_t)(a.red + part * (b.red - a.red)), (uint8_t)(a.green + part * (b.green - a.green)),
                           (uint8_t)(a.blue + part * (b.blue - a.blue))};
}

int picture_init(struct picture *p, size_t width, size_t height, struct colour colour)
{
    *p = (struct picture){width, height, malloc(width * height * sizeof *p->pixels)};
    if (!p->pixels)
        return -1;
    for (size_t i = 0; i < width * height; i++)
        p->pixels[i] = colour;
    return 0;
}

void picture_deinit(struct picture *p)
{
    free(p->pixels);
    p->pixels = NULL;
}

void picture_fill(struct picture *p, size_t x, size_t y, size_t width, size_t height, struct colour colour)
{
    for (size_t j = y; j < y + height && j < p->height; j++)
        for (size_t i = x; i < x + width && i < p->width; i++)
            p->pixels[j * p->width + i] = colour;
}

static void put32(uint8_t *out, size_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Length, type, data, checksum of type and data. */
static bool write_part(FILE *out, const char *type, const void *data, size_t n)
{
    uint8_t head[8], sum[4];
    put32(head, n);
    memcpy(head + 4, type, 4);
    put32(sum, libdeflate_crc32(libdeflate_crc32(0, type, 4), data, n));
    return fwrite(head, sizeof head, 1, out) == 1 && fwrite(data, 1, n, out) == n &&
           fwrite(sum, sizeof sum, 1, out) == 1;
}

/* Rows, each behind a byte that says that it is as it is, compressed. */
static void *compress(const struct picture *p, size_t *n)
{
    size_t row = p->width * 3, all = p->height * (row + 1), at = 0;
    uint8_t *rows = malloc(all), *out = NULL;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    if (rows && compressor) {
        for (size_t i = 0; i < p->width * p->height; i++) {
            if (i % p->width == 0)
                rows[at++] = 0;
            rows[at++] = p->pixels[i].red;
            rows[at++] = p->pixels[i].green;
            rows[at++] = p->pixels[i].blue;
        }
        size_t room = libdeflate_zlib_compress_bound(compressor, all);
        out = malloc(room);
        *n = out ? libdeflate_zlib_compress(compressor, rows, all, out, room) : 0;
    }
    libdeflate_free_compressor(compressor);
    free(rows);
    return out;
}

int picture_write(const struct picture *p, const char *path, const char *text)
{
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};
    uint8_t head[13] = {[8] = 8, [9] = 2}; /* 8 bits of each of three colours */
    char described[512];
    int length = snprintf(described, sizeof described, "Description%c%s", 0, text);
    size_t n = 0;
    void *data = compress(p, &n);
    FILE *out = data ? fopen(path, "wb") : NULL;
    put32(head, p->width);
    put32(head + 4, p->height);
    bool good = out && fwrite(signature, sizeof signature, 1, out) == 1 && write_part(out, "IHDR", head, sizeof head) &&
                write_part(out, "tEXt", described, (size_t)length) && write_part(out, "IDAT", data, n) &&
                write_part(out, "IEND", "", 0);
    int why = errno;
    if (out && fclose(out) != 0) {
        good = false;
        why = errno;
    }
    free(data);
    errno = why;
    return good ? 0 : -1;
}
