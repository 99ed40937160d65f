/* The mpio driver is not part of a library built without MPI. */
#ifndef H5FDmpio_H
#define H5FDmpio_H

#include "H5Ipublic.h"

#define H5FD_MPIO (H5I_INVALID_HID)

#endif
