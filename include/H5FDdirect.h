/* The direct driver (files without the system's page cache) is not part of this library. */
#ifndef H5FDdirect_H
#define H5FDdirect_H

#include "H5Ipublic.h"

#define H5FD_DIRECT (H5I_INVALID_HID)
#define H5FD_DIRECT_VALUE H5_VFD_INVALID

#define MBOUNDARY_DEF 4096
#define FBSIZE_DEF 4096
#define CBSIZE_DEF (16 * 1024 * 1024)

#endif
