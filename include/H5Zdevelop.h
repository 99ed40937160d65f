/* For programs that bring their own filters: 1.14 has the declarations here, all of them are in H5Zpublic.h. */
#ifndef H5Zdevelop_h
#define H5Zdevelop_h

#include "H5Zpublic.h"

#endif
