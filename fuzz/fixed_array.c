#include "index/fixed_array.h"

#define ARRAY ts_farray
#include "array.h"
