/* For programs that bring their own conversions: 1.14 has the declarations here, all of them are in H5Tpublic.h. */
#ifndef H5Tdevelop_h
#define H5Tdevelop_h

#include "H5Tpublic.h"

#endif
