#include "index/ext_array.h"

#define ARRAY ts_earray
#include "array.h"
