/* A selection that is one box in a simple extent. */
#ifndef TS_SPACE_BOX_H
#define TS_SPACE_BOX_H

#include <stdbool.h>

#include "space/space.h"

struct ts_box {
    unsigned rank;
    hsize_t dims[H5S_MAX_RANK];                       /* of the extent */
    hsize_t start[H5S_MAX_RANK], count[H5S_MAX_RANK]; /* none is empty */
};

/* Of the space of an id, which others may change meanwhile. False when something else is selected, or the box with its
 * offset leaves the extent, or it is not known without work. */
bool ts_space_box(struct ts_space *s, struct ts_box *out);
/* Its elements in row-major order are one run of the extent. */
bool ts_box_run(const struct ts_box *box, struct ts_run *out);

#endif
