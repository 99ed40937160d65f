/* The mirror driver (a copy on another machine) is not part of this library. */
#ifndef H5FDmirror_H
#define H5FDmirror_H

#include "H5Ipublic.h"

#define H5FD_MIRROR (H5I_INVALID_HID)

#endif
