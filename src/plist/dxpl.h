/* Data transfer lists. */
#ifndef TS_PLIST_DXPL_H
#define TS_PLIST_DXPL_H

#include <stdbool.h>
#include <stdint.h>

#include "H5MMpublic.h"
#include "H5Tpublic.h"
#include "H5Zpublic.h"
#include "plist/plist.h"

#define TS_P_BUFFER_SIZE "max_temp_buf"        /* size_t */
#define TS_P_TCONV_BUF "tconv_buf"             /* void * */
#define TS_P_BKGR_BUF "bkgr_buf"               /* void * */
#define TS_P_PRESERVE "bkgr_buf_type"          /* H5T_bkg_t */
#define TS_P_BTREE_RATIOS "btree_split_ratio"  /* double[3] */
#define TS_P_VLEN_ALLOC "vlen_alloc"           /* H5MM_allocate_t */
#define TS_P_VLEN_ALLOC_INFO "vlen_alloc_info" /* void * */
#define TS_P_VLEN_FREE "vlen_free"             /* H5MM_free_t */
#define TS_P_VLEN_FREE_INFO "vlen_free_info"   /* void * */
#define TS_P_HYPER_VECTOR "vec_size"           /* size_t */
#define TS_P_EDC_CHECK "err_detect"            /* H5Z_EDC_t */
#define TS_P_FILTER_CB "filter_cb"             /* H5Z_cb_t */
#define TS_P_CONV_CB "type_conv_cb"            /* struct ts_type_conv_cb */
#define TS_P_TRANSFORM "data_transform"        /* char * */
#define TS_P_SELECTION_IO "selection_io_mode"  /* H5D_selection_io_mode_t */
#define TS_P_MODIFY_WRITE_BUF "modify_write_buf" /* bool */
#define TS_P_IO_SELECTION "dset_io_selection"  /* struct ts_space *, NULL: the one given with the call */

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

/* What the last transfer with the list said of itself (H5D_SEL_IO_*). It is no property: saying it cannot fail, and leaves
 * the list untouched. */
void ts_dxpl_tell_io(struct ts_plist *pl, uint32_t causes);
uint32_t ts_dxpl_io_told(struct ts_plist *pl);

int ts_dxpl_transfer(struct ts_plist *pl, struct ts_dxpl_transfer *out);

#endif
