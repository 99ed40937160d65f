/* What conversions on behalf of the application need. */
#ifndef TS_API_H5TCONV_H
#define TS_API_H5TCONV_H

#include "plist/plist.h"
#include "type/conv.h"

struct ts_dxpl_transfer;

/* Fills the callbacks and ids of a conversion from a transfer list; the source of data on disk is the caller's to add.
 */
int ts_conv_env_init(struct ts_conv_env *env, struct ts_plist *dxpl, hid_t dxpl_id, hid_t src_id, hid_t dst_id);
/* The same from a list that was read already, without ids of types. */
struct ts_conv_env ts_conv_env_of(const struct ts_dxpl_transfer *t, hid_t dxpl_id);

#endif
