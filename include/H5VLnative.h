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
/* Tokens of this connector hold addresses. */
H5_DLL herr_t H5VLnative_addr_to_token(hid_t loc_id, haddr_t addr, H5O_token_t *token);
H5_DLL herr_t H5VLnative_token_to_addr(hid_t loc_id, H5O_token_t token, haddr_t *addr);

#ifdef __cplusplus
}
#endif

#endif
