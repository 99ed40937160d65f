/* Copying datasets, for the kind of object that they are (object/copy.h). */
#ifndef TS_DATASET_COPY_H
#define TS_DATASET_COPY_H

#include "object/copy.h"

int ts_dataset_copy_check(const struct ts_ohdr *oh);
int ts_dataset_copy_message(struct ts_copy *copy, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                            struct ts_copy_msg *out);
int ts_dataset_copy_rest(struct ts_copy *copy, const struct ts_copy_item *item);

#endif
