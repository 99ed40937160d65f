/* A program that carries out a script of changes on an HDF5 file. It is written in the public API of 1.10 alone and is
 * built twice, so that two libraries can take turns on one file. */
#ifndef OPS_H
#define OPS_H

#include <hdf5.h>

enum { MAX_RANK = 3, MAX_KINDS = 24, KIND_SIZE = 32 };

/* An element type. Every element of it stands for one number (two for the kind "pair"), so a script and a dump need
 * no more than numbers whatever the type is. Elements are at most KIND_SIZE bytes in memory. */
struct kind {
    const char *name;
    hid_t file, mem;
    size_t size;
    int variable; /* has parts that a reader must give back */
};

extern struct kind kinds[MAX_KINDS];
extern int n_kinds;

void kinds_init(void);
/* The references of the file change with every H5Fopen of it. */
void kinds_set_file(hid_t file);
struct kind *kind_named(const char *name);
struct kind *kind_of(hid_t type);
/* `path` is what a reference refers to. Memory that an element points at belongs to the caller: kind_drop. */
int kind_put(const struct kind *k, void *element, long value, const char *path);
void kind_drop(const struct kind *k, void *element);
/* The element as text without spaces; "." for one that was never written and has no number. */
void kind_print(const struct kind *k, const void *element);
/* The type in memory of only some of the members of a pair: "a", "b". NULL or "ab": all. */
hid_t kind_members(const struct kind *k, const char *members);

/* Where the object at an address was met by the dump that is running; NULL if it was not. */
const char *dump_path_of(haddr_t address);
int dump_file(hid_t file);

/* Ids that are given back when the operation is over, the last first. Returns `id`. */
hid_t own(hid_t id);
int disown_from(int mark);
int own_mark(void);

#endif
