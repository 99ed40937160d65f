/* What a power failure may leave of a recorded file (support/recorder.h). All that came before the last sync is there. Of what
 * came after it each part may be there or not, in any order: a window. A family of files is as many files, which
 * know nothing of each other's order. */
#ifndef TESTS_POWER_DISK_H
#define TESTS_POWER_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disk_file {
    uint8_t *bytes;
    size_t size, capacity;
};

enum { DISK_MEMBERS = 256 };

struct disk {
    size_t member_size; /* SIZE_MAX: one file */
    size_t n;           /* files that are there, maybe empty */
    struct disk_file files[DISK_MEMBERS];
};

/* What a write or a truncation does to one file. */
struct part {
    enum { PART_WRITE, PART_CUT, PART_EXTEND } what;
    size_t file, addr, size; /* where; how long */
    const uint8_t *bytes;
};

struct window {
    struct disk before; /* on the disk for sure */
    struct part *parts;
    size_t n, capacity;
};

/* An empty window over the file as the recording began. */
void window_begin(struct window *w, const uint8_t *bytes, size_t size, size_t member_size);
void window_free(struct window *w);
/* Event i of the recording: a sync makes all durable and the window empty. */
void window_add(struct window *w, size_t event);

/* What becomes of a part. */
enum fate { FATE_LOST, FATE_KEPT, FATE_TORN /* between sectors */, FATE_TORN_PAGES };
/* order: numbers of the parts; fates: by number. `random` decides what a torn part keeps. */
void disk_make(struct disk *out, const struct window *w, const size_t *order, const enum fate *fates, uint64_t *random);
/* One file gets a length that it had at some time in the window. */
void disk_other_length(struct disk *d, const struct window *w, uint64_t *random);
uint64_t disk_hash(const struct disk *d);
/* A name with %d where it is a family. */
void disk_write(const struct disk *d, const char *name);
void disk_copy(struct disk *to, const struct disk *from);
void disk_free(struct disk *d);

uint64_t power_random(uint64_t *random);

#endif
