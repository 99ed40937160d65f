/* Object creation lists: filters, attribute storage, header flags. The base of file, group, dataset and datatype
 * creation lists. */
#ifndef TS_PLIST_OCPL_H
#define TS_PLIST_OCPL_H

#include <stdint.h>

#include "filter/pipeline.h"
#include "plist/plist.h"

#define TS_P_PIPELINE "pline"                   /* struct ts_pipeline */
#define TS_P_ATTR_MAX_COMPACT "max compact attr" /* unsigned */
#define TS_P_ATTR_MIN_DENSE "min dense attr"     /* unsigned */
#define TS_P_HEADER_FLAGS "object header flags"  /* uint8_t, H5O_HDR_* */

/* Deep copies, which the caller owns or gives up nothing of. */
int ts_ocpl_pipeline(struct ts_plist *pl, struct ts_pipeline *out);
int ts_ocpl_set_pipeline(struct ts_plist *pl, const struct ts_pipeline *pipeline);
int ts_ocpl_set_attr_storage(struct ts_plist *pl, unsigned max_compact, unsigned min_dense, uint8_t header_flags);

#endif
