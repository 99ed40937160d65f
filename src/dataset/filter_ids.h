/* What filters of the application are called with when a dataset is made: ids, which are made when the first of them is
 * asked. */
#ifndef TS_DATASET_FILTER_IDS_H
#define TS_DATASET_FILTER_IDS_H

#include "dataset/create.h"
#include "filter/filter.h"

struct ts_filter_ids {
    struct ts_filter_calls calls;
    struct ts_plist *dcpl;
    const struct ts_type *type; /* as the application gave it */
    hid_t dcpl_id, type_id;
    hid_t byte_id; /* of a section of structured chunks that is bytes to its filters */
    hid_t space_id;
};

/* What ts_dataset_create wants; borrowed from *ids. */
const struct ts_filter_calls *ts_filter_ids_init(struct ts_filter_ids *ids, struct ts_plist *dcpl,
                                                 const struct ts_type *type);
void ts_filter_ids_deinit(const struct ts_filter_ids *ids);

#endif
