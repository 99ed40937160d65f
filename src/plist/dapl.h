/* Dataset access lists. */
#ifndef TS_PLIST_DAPL_H
#define TS_PLIST_DAPL_H

#include <stdbool.h>
#include <stddef.h>

#include "H5Dpublic.h"
#include "H5Spublic.h"
#include "plist/lapl.h"
#include "plist/plist.h"

#define TS_P_CHUNK_NSLOTS "rdcc_nslots"          /* size_t, H5D_CHUNK_CACHE_NSLOTS_DEFAULT: as the file */
#define TS_P_CHUNK_NBYTES "rdcc_nbytes"          /* size_t, H5D_CHUNK_CACHE_NBYTES_DEFAULT: as the file */
#define TS_P_CHUNK_W0 "rdcc_w0"                  /* double, negative: as the file */
#define TS_P_VDS_VIEW "vds_view"                 /* H5D_vds_view_t */
#define TS_P_VDS_TREE "vds_use_tree"              /* bool, of 2.0 */
#define TS_P_VDS_GAP "vds_printf_gap"            /* hsize_t */
#define TS_P_VDS_UNREADABLE "vds_unreadable"     /* H5D_vds_unreadable_t */
#define TS_P_VDS_PREFIX "vds_prefix"             /* char * */
#define TS_P_EFILE_PREFIX "external file prefix" /* char * */
#define TS_P_APPEND_FLUSH "append_flush"         /* struct ts_append_flush */

struct ts_append_flush {
    unsigned rank;
    hsize_t boundary[H5S_MAX_RANK];
    H5D_append_cb_t func;
    void *data;
};

/* What H5Pset_chunk_cache asks of the shared cache: bytes the dataset keeps whatever others do, SIZE_MAX when it is as
 * the file's settings say; the weight, negative likewise; whether nothing is kept after an operation (0 bytes). */
int ts_dapl_chunk_cache(const struct ts_plist *dapl, const struct ts_plist *fapl, size_t *reserve, double *w0,
                        bool *uncached);

/* What becomes of a virtual dataset's sources that exist and cannot be read: what the list says; else what the environment
 * says; else reading them fails. */
int ts_dapl_vds_unreadable(const struct ts_plist *dapl, H5D_vds_unreadable_t *out);

#endif
