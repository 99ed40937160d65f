/* The native connector. */
#ifndef H5VLnative_H
#define H5VLnative_H

#include "H5public.h"
#include "H5Ipublic.h"
#include "H5VLpublic.h"

#define H5VL_NATIVE (H5VL_native_register())
#define H5VL_NATIVE_NAME "native"
#define H5VL_NATIVE_VALUE H5_VOL_NATIVE
#define H5VL_NATIVE_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

H5_DLL hid_t H5VL_native_register(void);

#ifdef __cplusplus
}
#endif

#endif
