/* For programs that bring their own kinds of links: 1.14 has the declarations here, all of them are in H5Lpublic.h. */
#ifndef H5Ldevelop_h
#define H5Ldevelop_h

#include "H5Lpublic.h"

#endif
