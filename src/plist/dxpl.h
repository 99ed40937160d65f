/* Data transfer lists. */
#ifndef TS_PLIST_DXPL_H
#define TS_PLIST_DXPL_H

#include <stdbool.h>
#include <stdint.h>

#include "H5MMpublic.h"
#include "H5Tpublic.h"
#include "H5Zpublic.h"
#include "plist/property.h"

struct ts_space;

struct ts_type_conv_cb {
    H5T_conv_except_func_t op;
    void *data;
};

/* All that a transfer needs, in one look at the list. Buffers and callbacks are the application's. */
struct ts_dxpl_transfer {
    bool untouched; /* nothing was set in the list, these or others */
    size_t buffer_size;
    H5Z_EDC_t edc;
    H5Z_cb_t filter_cb;
    struct ts_type_conv_cb conv_cb;
    H5MM_allocate_t vlen_alloc;
    void *vlen_alloc_info;
    H5MM_free_t vlen_free;
    void *vlen_free_info;
};

TS_PROPERTY(dxpl, buffer_size, size_t, "max_temp_buf");
TS_PROPERTY(dxpl, tconv_buf, void *, "tconv_buf");
TS_PROPERTY(dxpl, bkgr_buf, void *, "bkgr_buf");
TS_PROPERTY(dxpl, preserve, H5T_bkg_t, "bkgr_buf_type");
TS_PROPERTY_ARRAY(dxpl, btree_ratios, double, 3, "btree_split_ratio");
TS_PROPERTY(dxpl, vlen_alloc, H5MM_allocate_t, "vlen_alloc");
TS_PROPERTY(dxpl, vlen_alloc_info, void *, "vlen_alloc_info");
TS_PROPERTY(dxpl, vlen_free, H5MM_free_t, "vlen_free");
TS_PROPERTY(dxpl, vlen_free_info, void *, "vlen_free_info");
TS_PROPERTY(dxpl, hyper_vector, size_t, "vec_size");
TS_PROPERTY(dxpl, edc_check, H5Z_EDC_t, "err_detect");
TS_PROPERTY_STRUCT(dxpl, filter_cb, H5Z_cb_t, "filter_cb");
TS_PROPERTY_STRUCT(dxpl, conv_cb, struct ts_type_conv_cb, "type_conv_cb");
TS_PROPERTY_TEXT(dxpl, transform, "data_transform");
TS_PROPERTY(dxpl, selection_io, H5D_selection_io_mode_t, "selection_io_mode");
TS_PROPERTY(dxpl, modify_write_buf, bool, "modify_write_buf");
TS_PROPERTY_OWNER(dxpl, io_selection, struct ts_space *, "dset_io_selection"); /* NULL: the one given with the call */

/* What the last transfer with the list said of itself (H5D_SEL_IO_*). It is no property: saying it cannot fail, and
 * leaves the list untouched. */
void ts_dxpl_tell_io(struct ts_plist *pl, uint32_t causes);
uint32_t ts_dxpl_io_told(struct ts_plist *pl);

int ts_dxpl_transfer(struct ts_plist *pl, struct ts_dxpl_transfer *out);

#endif
