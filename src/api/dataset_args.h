/* Arguments that say which dataset is meant, and which elements of it. */
#ifndef TS_API_DATASET_ARGS_H
#define TS_API_DATASET_ARGS_H

#include "api/api.h"
#include "base/error.h"
#include "dataset/chunk_query.h"
#include "dataset/dataset.h"
#include "space/space.h"

static inline int ts_api_check_chunked(const struct ts_dataset *d)
{
    return ts_dataset_is_indexed(d->core) ? 0 : TS_ERR(ARGS, BADTYPE, "not a chunked dataset");
}

/* The dataset of an id, if it has chunks of any kind; else NULL. */
static inline struct ts_dataset *ts_api_chunked(struct ts_api_scope *scope, hid_t id)
{
    struct ts_dataset *d = ts_api_pin(scope, id, H5I_DATASET);
    return d && ts_api_check_chunked(d) == 0 ? d : NULL;
}

/* NULL for H5S_ALL; otherwise a copy that nobody else can change, dropped with the scope. */
static inline int ts_api_selection(struct ts_api_scope *scope, hid_t id, struct ts_space **out)
{
    *out = NULL;
    if (id == H5S_ALL)
        return 0;
    struct ts_space *s = ts_api_pin_argument(scope, id, H5I_DATASPACE);
    if (!s || ts_space_snapshot(s, out) < 0)
        return -1;
    return ts_api_adopt(scope, H5I_DATASPACE, *out);
}

/* A copy of the space of an id that nobody else can change, dropped with the scope. */
struct ts_space *ts_api_copy_space(struct ts_api_scope *scope, hid_t id);
/* The type of an id, as its elements are in memory; dropped with the scope. */
struct ts_type *ts_api_memory_type(struct ts_api_scope *scope, hid_t id);

static inline int ts_api_chunk_order(H5D_chunk_order_t order, enum ts_chunk_order *out)
{
    switch (order) {
    case H5_CHUNK_ITER_ORDER_NATIVE:
        *out = TS_CHUNKS_NATIVE;
        return 0;
    case H5_CHUNK_ITER_ORDER_COORD:
        *out = TS_CHUNKS_BY_COORD;
        return 0;
    case H5_CHUNK_ITER_ORDER_ADDR:
        *out = TS_CHUNKS_BY_ADDR;
        return 0;
    default:
        return TS_ERR(ARGS, BADVALUE, "%d is not an order of chunks", (int)order);
    }
}

#endif
