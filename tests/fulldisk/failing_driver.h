/* A driver that a program brings (H5FDregister), for either library: one POSIX file, whose calls that change it fail when
 * asked to. */
#ifndef TESTS_FULLDISK_FAILING_DRIVER_H
#define TESTS_FULLDISK_FAILING_DRIVER_H

#include <stdbool.h>

#include <hdf5.h>

/* The n-th call from now on (1 is the next) fails, and with it all that follow unless `once`; 0: none does. Closing is one
 * of these calls. */
void failing_at(unsigned long n, bool once);
/* How many calls have failed. */
unsigned long failing_hits(void);

/* Lets the access list use the driver. */
herr_t failing_use(hid_t fapl);

#endif
