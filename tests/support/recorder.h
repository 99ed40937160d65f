/* Records what is written to one file, to see what a crash at any moment would have left of it. For drivers whose
 * addresses have no gaps. One recording at a time; its memory is not the library's, so failing allocations do not
 * disturb it. */
#ifndef TESTS_SUPPORT_RECORDER_H
#define TESTS_SUPPORT_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

#define RECORDER_SECTOR 512

struct recorder_event {
    enum { RECORDED_WRITE, RECORDED_TRUNCATE, RECORDED_SYNC, RECORDED_MARK } what;
    haddr_t addr; /* where, or how long */
    size_t size;
    uint8_t *bytes;
    unsigned long mark;
};

/* What is opened by this name, or by any when NULL, is recorded until the stop; what the file has when it is first
 * opened is what the recording starts from. It may be closed and opened again. Close it before stopping. */
void recorder_start(const char *name);
void recorder_stop(void);

/* Puts a number into the recording, such as the how-manieth flush has just returned. */
void recorder_mark(unsigned long mark);

size_t recorder_count(void);
const struct recorder_event *recorder_event(size_t i);
/* The last mark among the first n events, or 0. */
unsigned long recorder_last_mark(size_t n);

/* How many sectors event i touches: 0 when it is not a write. */
size_t recorder_sectors(size_t i);
/* The file after the first n events and the first `sectors` sectors of the next one. Borrowed until the next call.
 * Cheap when n goes up from call to call. */
const uint8_t *recorder_image(size_t n, size_t sectors, size_t *size);
/* The same as a file. */
void recorder_write_file(size_t n, size_t sectors, const char *path);

#endif
