/* H5MM: the user's own allocator for variable-length data. */
#ifndef H5MMpublic_H
#define H5MMpublic_H

#include "H5public.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *(*H5MM_allocate_t)(size_t size, void *alloc_info);
typedef void (*H5MM_free_t)(void *mem, void *free_info);

#ifdef __cplusplus
}
#endif

#endif
