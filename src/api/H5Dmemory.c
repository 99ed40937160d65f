/* H5D: elements in the application's memory. */
#include "H5Dpublic.h"

#include "api/api.h"
#include "api/dataset_args.h"
#include "dataset/dataset.h"
#include "dataset/elements.h"

/* A copy of the space of an id, if it has an extent. */
static struct ts_space *with_extent(struct ts_api_scope *scope, hid_t id)
{
    struct ts_space *copy = ts_api_copy_space(scope, id);
    if (copy && !ts_space_has_extent(copy)) {
        TS_ERR(ARGS, BADVALUE, "dataspace does not have extent set");
        return NULL;
    }
    return copy;
}

herr_t H5Dscatter(H5D_scatter_func_t op, void *op_data, hid_t type_id, hid_t dst_space_id, void *dst_buf)
{
    TS_API_ENTER(DATASET, CANTCOPY, "can't scatter data", TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace"));
    if (!op)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback function pointer");
    struct ts_type *t = ts_api_pin_argument(&ts_scope_, type_id, H5I_DATATYPE);
    struct ts_space *space = t ? ts_api_copy_space(&ts_scope_, dst_space_id) : NULL;
    if (!space)
        return TS_API_FAIL(-1);
    if (!dst_buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no destination buffer provided");
    if (!ts_space_has_extent(space))
        return TS_API_ERR(-1, ARGS, BADVALUE, "dataspace does not have extent set");
    if (ts_space_class(space) == H5S_NULL)
        return 0;
    return TS_API_RET(ts_elements_scatter(space, ts_type_size(t), op, op_data, dst_buf));
}

herr_t H5Dgather(hid_t src_space_id, const void *src_buf, hid_t type_id, size_t dst_buf_size, void *dst_buf,
                 H5D_gather_func_t op, void *op_data)
{
    TS_API_ENTER(DATASET, CANTCOPY, "can't gather data", TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace"));
    struct ts_space *space = ts_api_copy_space(&ts_scope_, src_space_id);
    if (!space)
        return TS_API_FAIL(-1);
    if (!src_buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no source buffer provided");
    struct ts_type *t = ts_api_pin_argument(&ts_scope_, type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (!dst_buf || dst_buf_size == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          dst_buf_size == 0 ? "destination buffer size is 0" : "no destination buffer provided");
    struct ts_gather g = {.src = src_buf, .size = ts_type_size(t), .dst = dst_buf, .op = op, .op_data = op_data};
    g.room = dst_buf_size / g.size;
    if (g.room == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "destination buffer is not large enough to hold one element");
    if (!ts_space_has_extent(space))
        return TS_API_ERR(-1, ARGS, BADVALUE, "dataspace does not have extent set");
    if (ts_space_class(space) == H5S_NULL)
        return 0;
    return TS_API_RET(ts_elements_gather(&g, space));
}

herr_t H5Dfill(const void *fill, hid_t fill_type_id, void *buf, hid_t buf_type_id, hid_t space_id)
{
    TS_API_ENTER(DATASET, CANTENCODE, "filling selection failed", TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace"));
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid buffer");
    struct ts_space *space = ts_api_copy_space(&ts_scope_, space_id);
    struct ts_type *src = space ? ts_api_memory_type(&ts_scope_, fill_type_id) : NULL;
    struct ts_type *dst = src ? ts_api_memory_type(&ts_scope_, buf_type_id) : NULL;
    if (!dst)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_elements_fill(space, fill, src, dst, buf));
}

herr_t H5Diterate(void *buf, hid_t type_id, hid_t space_id, H5D_operator_t op, void *operator_data)
{
    TS_API_ENTER(DATASPACE, CANTNEXT, "iteration operator failed", TS_WRONG(TYPE, ARGS, BADTYPE, "invalid datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "invalid dataspace"));
    if (!op || !buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid %s", op ? "buffer" : "operator");
    if (ts_api_gone(type_id, H5I_DATATYPE))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not an valid base datatype");
    struct ts_type *t = ts_api_pin_argument(&ts_scope_, type_id, H5I_DATATYPE);
    struct ts_space *space = t ? with_extent(&ts_scope_, space_id) : NULL;
    if (!space)
        return TS_API_FAIL(-1);
    const struct ts_elements_visitor v = {op, type_id, ts_type_size(t), operator_data};
    return TS_API_RET(ts_elements_iterate(space, &v, buf));
}

/* Of what is closed, its id still tells the kind. */
static int check_vlen_arguments(hid_t dset_id, hid_t type_id, const hsize_t *size)
{
    if (ts_id_made_for(dset_id) != H5I_DATASET || ts_id_made_for(type_id) != H5I_DATATYPE || !size)
        return TS_SAY(ARGS, BADVALUE, "invalid argument: %s",
                      size ? "not a dataset, or not a datatype" : "no place for the size");
    if (ts_api_gone(dset_id, H5I_DATASET))
        return TS_SAY(ARGS, BADTYPE, "not a dataset");
    return ts_api_gone(type_id, H5I_DATATYPE) ? TS_SAY(ARGS, BADTYPE, "not an valid base datatype") : 0;
}

herr_t H5Dvlen_get_buf_size(hid_t dset_id, hid_t type_id, hid_t space_id, hsize_t *size)
{
    TS_API_ENTER(DATASPACE, CANTNEXT, "iteration operator failed", TS_BAD_ID(ARGS, BADVALUE, "invalid argument"),
                 TS_WRONG(TYPE, ARGS, BADVALUE, "invalid argument"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "invalid dataspace"));
    if (check_vlen_arguments(dset_id, type_id, size) < 0)
        return TS_API_FAIL(-1);
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_type *type = d ? ts_api_memory_type(&ts_scope_, type_id) : NULL;
    struct ts_space *space = type ? with_extent(&ts_scope_, space_id) : NULL;
    if (!space)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dataset_vlen_size(d, type, space, size));
}
