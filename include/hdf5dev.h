/* For programs that bring their own extensions: 1.14 has the declarations here, all of them are in hdf5.h. */
#ifndef hdf5dev_h
#define hdf5dev_h

#include "hdf5.h"

#endif
