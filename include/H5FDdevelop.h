/* For programs that bring their own drivers: 1.14 has the declarations here, all of them are in H5FDpublic.h. */
#ifndef H5FDdevelop_h
#define H5FDdevelop_h

#include "H5FDpublic.h"

#endif
