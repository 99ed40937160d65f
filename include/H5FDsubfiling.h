/* The subfiling driver, which needs MPI: absent, as in every build without it. */
#ifndef H5FDsubfiling_H
#define H5FDsubfiling_H

#include "H5Ipublic.h"

#define H5FD_SUBFILING (H5I_INVALID_HID)
#define H5FD_SUBFILING_NAME "subfiling"

#endif
