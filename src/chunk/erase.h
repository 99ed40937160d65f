/* Elements become undefined. */
#ifndef TS_CHUNK_ERASE_H
#define TS_CHUNK_ERASE_H

#include "chunk/batch.h"

/* Those of a visit that is READY and was claimed to be changed. When nothing is left of the chunk it is deleted, and the
 * visit DONE. */
int ts_sc_visit_erase(struct ts_sc_visit *v);

#endif
