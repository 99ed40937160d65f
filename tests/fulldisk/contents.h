/* What the programs of this folder write: kinds of data, each in STEPS equal steps of some 16 kB that know what they wrote. */
#ifndef TESTS_FULLDISK_CONTENTS_H
#define TESTS_FULLDISK_CONTENTS_H

#include <hdf5.h>

#define STEPS 60

struct content {
    const char *name;
    /* Makes the object that the steps change, below a file or group, and gives its id. */
    hid_t (*begin)(hid_t loc);
    int (*step)(hid_t obj, int step);
    /* 0 when the object has what the step wrote. */
    int (*check)(hid_t obj, int step);
};

/* All are called "object" where they were made. NULL when there is none of the name, or the library does not know it. */
const struct content *content_find(const char *name);

#endif
