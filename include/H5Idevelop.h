/* For programs that bring their own kinds of ids: 1.14 has the declarations here, all of them are in H5Ipublic.h. */
#ifndef H5Idevelop_h
#define H5Idevelop_h

#include "H5Ipublic.h"

#endif
