#ifndef TS_BASE_ABI_H
#define TS_BASE_ABI_H

/*
 * Which release of HDF5 the library gives itself out for. The drop-in library stands where programs were built with the
 * headers of 1.10: such a program knows no later release and no bound above 1.10.
 */
#include <stdbool.h>

#include "H5Dpublic.h"
#include "H5Fpublic.h"

#ifdef TS_DROPIN
#define TS_ABI_MAJOR 1
#define TS_ABI_MINOR 10
#define TS_ABI_RELEASE 8
#define TS_ABI_VERSION "1.10.8"
#define TS_ABI_LIBVER_LATEST H5F_LIBVER_V110
/* What programs are told of structured chunks: those that only know the layouts of 1.10 take any other for none with chunks,
 * or stop. H5Pget_struct_chunk and H5Pget_density tell those who ask. */
#define TS_ABI_STRUCT_CHUNK H5D_CHUNKED
/* The soname already says that all releases of 1.10 share one binary interface. */
#define TS_ABI_SERVES(release) ((void)(release), true)
#else
#define TS_ABI_MAJOR H5_VERS_MAJOR
#define TS_ABI_MINOR H5_VERS_MINOR
#define TS_ABI_RELEASE H5_VERS_RELEASE
#define TS_ABI_VERSION H5_VERS_STR
#define TS_ABI_LIBVER_LATEST H5F_LIBVER_LATEST
#define TS_ABI_STRUCT_CHUNK H5D_STRUCT_CHUNK
#define TS_ABI_SERVES(release) ((release) == TS_ABI_RELEASE)
#endif

#endif
