/* A driver whose calls fail when a test says so. */
#ifndef TESTS_SUPPORT_FAULTY_H
#define TESTS_SUPPORT_FAULTY_H

#include <stdbool.h>

#include "H5public.h"

enum { FAULTY_READ = 1, FAULTY_WRITE = 2, FAULTY_TRUNCATE = 4, FAULTY_FLUSH = 8, FAULTY_ALL = 15 };

/* A short write puts half of its bytes, to the end of a sector, into the file before it fails; for other calls it is EIO. On a full disk only
 * those calls count that make the file longer. */
enum faulty_kind { FAULTY_EIO, FAULTY_ENOSPC, FAULTY_SHORT, FAULTY_FULL };

/* What is opened by this name, or by any when NULL, can fail until the stop. Close it before stopping. */
void faulty_start(const char *name);
void faulty_stop(void);

/* The n-th of these calls from now on (1 is the next) fails, once or with all that follow; 0 switches it off. Returns
 * how many of the calls that were asked for last were made since. */
unsigned long faulty_fail_at(unsigned long n, unsigned calls, enum faulty_kind kind, bool once);

/* Besides, each write that touches these bytes of the file; 0 bytes switch it off. */
void faulty_fail_range(haddr_t addr, hsize_t size);

#endif
