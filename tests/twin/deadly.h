/* What a release of libhdf5 dies of, and those after it may: beside them neither side of a test does it. Most of it is assertions,
 * with which Debian builds 2.2.0. */
#ifndef DEADLY_H
#define DEADLY_H

#define DEADLY_SINCE(release, what)                                                                                    \
    do {                                                                                                               \
        if (STOCK_VERSION < (release)) {                                                                               \
            what;                                                                                                      \
        }                                                                                                              \
    } while (0)

#endif
