/* A dataset that a SWMR writer lets grow, and what is new in it. */
#ifndef TOOLS_WATCH_H
#define TOOLS_WATCH_H

#include "mark.h"
#include "tool.h"

#define FIRST_VALUES 6 /* of a row that are shown */

struct watch {
    const char *path; /* inside the file */
    char *name;
    int fd; /* of the file, to look for its writer */
    hid_t file, dset, type;
    int rank;
    bool structured, sparse, numbers;
    hsize_t dims[H5S_MAX_RANK];
    unsigned long long places; /* of all chunks, in one number */
};

/* What a look found. */
struct change {
    bool some, grown;
    int dimension;   /* the first one along which it grew, or became smaller */
    hsize_t from;    /* its extent before */
    bool counted;    /* a sparse dataset: */
    hsize_t defined; /* elements of what is new; of all when the extent is as before */
    double age;      /* seconds since the file was written to */
};

/* A row is what one step along the dimension holds: an element, a line, a frame. Frames of numbers are shown by their
 * statistics, the others by their first values; those of a sparse dataset are the defined ones. */
struct row {
    hsize_t index, defined;
    bool statistics;
    double min, max, mean;
    size_t n; /* values */
    void *values;
    hid_t space; /* of them, in memory */
};

/* What is wrong is reported; the exit status. */
int watch_open(struct watch *w, const char *argument);
void watch_close(struct watch *w);
int watch_look(struct watch *w, double recent, struct change *out);
int watch_row(const struct watch *w, int dimension, hsize_t index, struct row *out);
void watch_row_free(const struct watch *w, struct row *row);

/* Seconds since 1970. */
double watch_time(void);

#endif
