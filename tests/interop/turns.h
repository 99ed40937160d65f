/* What the programs that take turns share. */
#ifndef TURNS_H
#define TURNS_H

#include <hdf5.h>
#include <string.h>

/* The bounds of a format: old, new, or v200, which HDF5 2.0 and Tessera write. */
static inline void set_format(hid_t fapl, const char *format)
{
    H5F_libver_t high = strcmp(format, "v200") == 0 ? (H5F_libver_t)5 : H5F_LIBVER_LATEST;
    H5Pset_libver_bounds(fapl, strcmp(format, "old") == 0 ? H5F_LIBVER_EARLIEST : high, high);
}

#endif
