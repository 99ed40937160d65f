/* What Windows calls the POSIX driver. */
#ifndef H5FDwindows_H
#define H5FDwindows_H

#include "H5FDsec2.h"

#define H5FD_WINDOWS (H5FD_sec2_init())

#endif
