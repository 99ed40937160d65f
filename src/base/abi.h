#ifndef TS_BASE_ABI_H
#define TS_BASE_ABI_H

/*
 * Which release of HDF5 the library gives itself out for. A drop-in library (TS_DROPIN) stands where programs were
 * built with the headers of 1.10 or of 1.14: such a program knows no later release and no later bound. A high bound
 * that is the latest it knows forbids nothing.
 */
#include <stdbool.h>
#include <stdint.h>

#include "H5Dpublic.h"
#include "H5Fpublic.h"
#include "H5Tpublic.h"

#if defined(TS_DROPIN) && TS_DROPIN == 110
#define TS_ABI_MAJOR 1
#define TS_ABI_MINOR 10
#define TS_ABI_RELEASE 8
#define TS_ABI_VERSION "1.10.8"
#define TS_ABI_LIBVER_LATEST H5F_LIBVER_V110
#define TS_ABI_LIBVER_NEWEST H5F_LIBVER_V110
/* By H5I_type_t, the number that the type of ids has there; those that 1.10 does not have come behind. */
#define TS_ABI_ID_TYPES                                                                                                \
    {                                                                                                                  \
        0, 1, 2, 3, 4, 5, 7, 6, 8, 14, 9, 10, 11, 12, 13, 15, 16                                                       \
    }
/* Classes of file drivers are those of 1.10. */
#define TS_ABI_CLASS_110 1
/* HDF5_DRIVER in the environment means nothing there. */
#define TS_ABI_DRIVER_VARIABLE false
/* A getter of names is given room that is nowhere: 1.10 tells the length, later ones that this makes no sense. */
#define TS_ABI_ROOM_IS_WRONG(name, size) ((void)(name), (void)(size), false)
#elif defined(TS_DROPIN)
#define TS_ABI_MAJOR 1
#define TS_ABI_MINOR 14
#define TS_ABI_RELEASE 5
#define TS_ABI_VERSION "1.14.5"
#define TS_ABI_LIBVER_LATEST H5F_LIBVER_V114
#define TS_ABI_LIBVER_NEWEST H5F_LIBVER_V114
/* H5Dget_chunk_info and its like tell places from the file's beginning, as of 1.14; otherwise from its base address. */
#define TS_ABI_CHUNK_PLACES 1
/* Failing calls that have an asynchronous twin say so. */
#define TS_ABI_SYNCHRONOUS 1
/* What an access list asks of a file that cannot have it, when it is opened: 1.14 takes a page buffer for one that the
 * file can have, and wants all who have a file open to agree on what happens without locks. */
#define TS_ABI_PAGE_BUFFER_FITS true
#define TS_ABI_LOCKS_AGREE true
/* What error messages call what ids are of. */
#define TS_ABI_ATOM "ID"
/* Of an external link's file that is missing 1.14 says only this, in the record that h5py shows. */
#define TS_ABI_MISSING_FILE "can't open file"
#else
#define TS_ABI_MAJOR H5_VERS_MAJOR
#define TS_ABI_MINOR H5_VERS_MINOR
#define TS_ABI_RELEASE H5_VERS_RELEASE
#define TS_ABI_VERSION H5_VERS_STR
#define TS_ABI_LIBVER_LATEST H5F_LIBVER_LATEST
#define TS_ABI_LIBVER_NEWEST H5F_LIBVER_V200
#endif

#ifndef TS_ABI_MISSING_FILE
#define TS_ABI_MISSING_FILE NULL
#endif

#ifdef TS_DROPIN
/* Elements and bytes of a dense chunk. */
#define TS_ABI_CHUNK_MAX ((uint64_t)UINT32_MAX)
/* Classes of datatypes that may be asked for. */
#define TS_ABI_TYPE_CLASSES H5T_COMPLEX
/* What programs are told of structured chunks: those that only know the layouts of 1.10 take any other for none with
 * chunks, or stop. H5Pget_struct_chunk and H5Pget_density tell those who ask. */
#define TS_ABI_STRUCT_CHUNK H5D_CHUNKED
/* From which durability on an encoded access list tells it: what every file has needs no word that libhdf5 cannot
 * decode. */
#define TS_ABI_TOLD_DURABILITY H5F_DURABILITY_ORDERED
/* The soname already says that all releases of 1.10 share one binary interface, and those of 1.14. */
#define TS_ABI_SERVES(release) ((void)(release), true)
#else
#define TS_ABI_CHUNK_MAX ((uint64_t)INT64_MAX)
#define TS_ABI_TYPE_CLASSES H5T_NCLASSES
#define TS_ABI_STRUCT_CHUNK H5D_STRUCT_CHUNK
#define TS_ABI_TOLD_DURABILITY H5F_DURABILITY_PROCESS
#define TS_ABI_SERVES(release) ((release) == TS_ABI_RELEASE)
#endif

#ifndef TS_ABI_DRIVER_VARIABLE
#define TS_ABI_DRIVER_VARIABLE true
#endif
#ifndef TS_ABI_ATOM
#define TS_ABI_ATOM "atom"
#endif
#ifndef TS_ABI_PAGE_BUFFER_FITS
#define TS_ABI_PAGE_BUFFER_FITS false
#define TS_ABI_LOCKS_AGREE false
#endif
#ifndef TS_ABI_ROOM_IS_WRONG
#define TS_ABI_ROOM_IS_WRONG(name, size) (!(name) && (size) > 0)
#endif

#endif
