/* Elements in the application's memory, and selections of them. What goes wrong is said in the words of libhdf5 for the
 * public functions. */
#ifndef TS_DATASET_ELEMENTS_H
#define TS_DATASET_ELEMENTS_H

#include "H5Dpublic.h"
#include "dataset/dataset.h"
#include "type/reclaim.h"

/* Elements of so many bytes, as the application's function gives them, to where the selection has them in dst. */
int ts_elements_scatter(const struct ts_space *space, size_t size, H5D_scatter_func_t op, void *op_data, void *dst);

/* The selected elements of src into dst, one after the other; op, which may be NULL, empties dst each time it is
 * full. */
struct ts_gather {
    const uint8_t *src;
    size_t size, room; /* bytes of an element, elements in dst */
    uint8_t *dst;
    H5D_gather_func_t op;
    void *op_data;
};

int ts_elements_gather(const struct ts_gather *g, const struct ts_space *space);

/* The value, of type src, into the selected elements of buf, of type dst. NULL: zeros, whatever the type. */
int ts_elements_fill(const struct ts_space *space, const void *value, const struct ts_type *src,
                     const struct ts_type *dst, void *buf);

struct ts_elements_visitor {
    H5D_operator_t op;
    hid_t type_id;
    size_t size; /* of an element */
    void *data;
};

/* What the last call of the function returned. */
int ts_elements_iterate(const struct ts_space *space, const struct ts_elements_visitor *v, void *buf);
/* Frees what the selected elements of buf point at. */
int ts_elements_reclaim(const struct ts_type *t, const struct ts_reclaim *how, const struct ts_space *space, void *buf);
/* How much memory what the selected elements of a dataset point at takes when it is read. */
int ts_dataset_vlen_size(struct ts_dataset *d, const struct ts_type *type, const struct ts_space *space, hsize_t *size);

#endif
