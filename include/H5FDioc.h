/* The driver of the subfiling driver's I/O processes: absent as that is. */
#ifndef H5FDioc_H
#define H5FDioc_H

#include "H5FDsubfiling.h"

#define H5FD_IOC (H5I_INVALID_HID)
#define H5FD_IOC_NAME "ioc"

#endif
