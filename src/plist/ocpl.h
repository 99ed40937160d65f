/* Object creation lists: filters, attribute storage, header flags. The base of file, group, dataset and datatype
 * creation lists. */
#ifndef TS_PLIST_OCPL_H
#define TS_PLIST_OCPL_H

#include <stdint.h>

#include "filter/pipeline.h"
#include "plist/property.h"

TS_PROPERTY_OWNER(ocpl, pipeline, struct ts_pipeline, "pline");
TS_PROPERTY(ocpl, attr_max_compact, unsigned, "max compact attr");
TS_PROPERTY(ocpl, attr_min_dense, unsigned, "min dense attr");
TS_PROPERTY(ocpl, header_flags, uint8_t, "object header flags"); /* H5O_HDR_* */

/* Deep copies, which the caller owns or gives up nothing of. */
int ts_ocpl_pipeline(struct ts_plist *pl, struct ts_pipeline *out);
int ts_ocpl_set_pipeline(struct ts_plist *pl, const struct ts_pipeline *pipeline);
int ts_ocpl_set_attr_storage(struct ts_plist *pl, unsigned max_compact, unsigned min_dense, uint8_t header_flags);

#endif
