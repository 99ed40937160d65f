/* What a file holds, through the public API, without addresses and times: two files with the same content give the same
 * dump. Elements of datasets made by the workload are kept apart as numbers. */
#ifndef TESTS_CRASH_DUMP_H
#define TESTS_CRASH_DUMP_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where the elements of one dataset are in the list of all. */
struct dump_dataset {
    unsigned oid;
    bool in_place; /* overwritten where they stand */
    bool texts;    /* such are never torn */
    int rank;
    hsize_t columns;
    size_t first, n;
};

struct dump {
    char *text;
    size_t size, capacity;
    struct dump_dataset *datasets;
    size_t n_datasets;
    uint64_t *cells;
    size_t n_cells;
    unsigned errors;
    struct dump_seen {
        haddr_t addr;
        char *path;
    } *seen;
    size_t n_seen;
};

/* Calls that fail are counted and leave their mark in the text. */
void dump_file(struct dump *d, hid_t file);
void dump_free(struct dump *d);

/* From a program of one library to one of the other. */
bool dump_send(const struct dump *d, FILE *out);
bool dump_receive(struct dump *d, FILE *in);

#endif
