#include "file/mutation.h"

#ifdef TS_MUTATIONS
unsigned ts_mutations;
#endif
