/* The two functions that a plugin defines. */
#ifndef H5PLextern_H
#define H5PLextern_H

#include "hdf5.h"

#if defined(__GNUC__) || defined(__clang__)
#define H5PLUGIN_DLL __attribute__((visibility("default")))
#else
#define H5PLUGIN_DLL
#endif

#ifdef __cplusplus
extern "C" {
#endif

H5PLUGIN_DLL H5PL_type_t H5PLget_plugin_type(void);
H5PLUGIN_DLL const void *H5PLget_plugin_info(void);

#ifdef __cplusplus
}
#endif

#endif
