/* Dataset access lists. */
#ifndef TS_PLIST_DAPL_H
#define TS_PLIST_DAPL_H

#include <stdbool.h>
#include <stddef.h>

#include "H5Dpublic.h"
#include "H5Spublic.h"
#include "plist/lapl.h"
#include "plist/property.h"

struct ts_append_flush {
    unsigned rank;
    hsize_t boundary[H5S_MAX_RANK];
    H5D_append_cb_t func;
    void *data;
};

TS_PROPERTY(dapl, nslots, size_t, "rdcc_nslots"); /* H5D_CHUNK_CACHE_NSLOTS_DEFAULT: as the file */
TS_PROPERTY(dapl, nbytes, size_t, "rdcc_nbytes"); /* H5D_CHUNK_CACHE_NBYTES_DEFAULT: as the file */
TS_PROPERTY(dapl, w0, double, "rdcc_w0");         /* negative: as the file */
TS_PROPERTY(dapl, vds_view, H5D_vds_view_t, "vds_view");
TS_PROPERTY(dapl, vds_tree, bool, "vds_use_tree"); /* of 2.0 */
TS_PROPERTY(dapl, vds_gap, hsize_t, "vds_printf_gap");
TS_PROPERTY(dapl, said_unreadable, H5D_vds_unreadable_t, "vds_unreadable");
TS_PROPERTY_TEXT(dapl, vds_prefix, "vds_prefix");
TS_PROPERTY_TEXT(dapl, efile_prefix, "external file prefix");
TS_PROPERTY_STRUCT(dapl, append_flush, struct ts_append_flush, "append_flush");

/* What H5Pset_chunk_cache asks of the shared cache: bytes the dataset keeps whatever others do, SIZE_MAX when it is as
 * the file's settings say; the weight, negative likewise; whether nothing is kept after an operation (0 bytes). */
int ts_dapl_chunk_cache(const struct ts_plist *dapl, const struct ts_plist *fapl, size_t *reserve, double *w0,
                        bool *uncached);

/* What becomes of a virtual dataset's sources that exist and cannot be read: what the list says; else what the
 * environment says; else reading them fails. */
int ts_dapl_vds_unreadable(const struct ts_plist *dapl, H5D_vds_unreadable_t *out);

#endif
