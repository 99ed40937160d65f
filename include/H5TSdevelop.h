/* The lock around libhdf5's calls, for who must let go of it while waiting for another thread. There is none here: calls of
 * several threads go side by side, so these functions fail, and nobody need call them. */
#ifndef H5TSdevelop_H
#define H5TSdevelop_H

#include "H5public.h"

#ifdef __cplusplus
extern "C" {
#endif

H5_DLL herr_t H5TSmutex_acquire(unsigned int lock_count, bool *acquired);
H5_DLL herr_t H5TSmutex_get_attempt_count(unsigned int *count);
H5_DLL herr_t H5TSmutex_release(unsigned int *lock_count);

#ifdef __cplusplus
}
#endif

#endif
