/* Pictures as PNG files. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include <stddef.h>
#include <stdint.h>

struct colour {
    uint8_t red, green, blue;
};

struct picture {
    size_t width, height;
    struct colour *pixels;
};

/* From 0, dark blue, to 1, yellow, evenly bright and safe for the colour-blind. */
struct colour colour_of(double share);

/* All of one colour; 0, or -1 without memory. */
int picture_init(struct picture *p, size_t width, size_t height, struct colour colour);
void picture_deinit(struct picture *p);
/* A rectangle; what is outside of the picture is left out. */
void picture_fill(struct picture *p, size_t x, size_t y, size_t width, size_t height, struct colour colour);
/* 0, or -1: errno says why. `text` describes the picture to those who look for it. */
int picture_write(const struct picture *p, const char *path, const char *text);

#endif
