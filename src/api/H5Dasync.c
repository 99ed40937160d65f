/* H5D: calls that finish later (async.h). */
#include "H5Dpublic.h"

#include "api/async.h"

static int64_t run_create(const struct ts_async_arg *a)
{
    return H5Dcreate2(a[0].id, a[1].text, a[2].id, a[3].id, a[4].id, a[5].id, a[6].id);
}

hid_t H5Dcreate_async(TS_APP, hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t lcpl_id,
                      hid_t dcpl_id, hid_t dapl_id, hid_t es_id)
{
    TS_API_SAYS(DATASET, CANTINIT, "unable to create dataset", TS_BAD_ID(ARGS, BADTYPE, "not a location ID"));
    TS_ASYNC_NEW(H5I_DATASET, run_create, OBJECT(loc_id), TEXT(name), OBJECT(type_id), OBJECT(space_id),
                 OPTION(lcpl_id), OPTION(dcpl_id), OPTION(dapl_id));
}

static int64_t run_open(const struct ts_async_arg *a)
{
    return H5Dopen2(a[0].id, a[1].text, a[2].id);
}

hid_t H5Dopen_async(TS_APP, hid_t loc_id, const char *name, hid_t dapl_id, hid_t es_id)
{
    TS_API_SAYS(DATASET, CANTOPENOBJ, "unable to open dataset", TS_BAD_ID(ARGS, BADTYPE, "not a location"));
    TS_ASYNC_NEW(H5I_DATASET, run_open, OBJECT(loc_id), TEXT(name), OPTION(dapl_id));
}

static int64_t run_get_space(const struct ts_async_arg *a)
{
    return H5Dget_space(a[0].id);
}

hid_t H5Dget_space_async(TS_APP, hid_t dset_id, hid_t es_id)
{
    TS_API_SAYS(DATASET, CANTGET, "unable to get dataspace", TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    TS_ASYNC_NEW(H5I_DATASPACE, run_get_space, OBJECT(dset_id));
}

static int64_t run_read(const struct ts_async_arg *a)
{
    return H5Dread(a[0].id, a[1].id, a[2].id, a[3].id, a[4].id, a[5].out);
}

herr_t H5Dread_async(TS_APP, hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id,
                     void *buf, hid_t es_id)
{
    TS_API_SAYS(DATASET, READERROR, "can't read data", TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"));
    TS_ASYNC(run_read, OBJECT(dset_id), OBJECT(mem_type_id), OPTION(mem_space_id), OPTION(file_space_id),
             OPTION(dxpl_id), OUT(buf));
}

static int64_t run_read_multi(const struct ts_async_arg *a)
{
    return H5Dread_multi(a[0].number, a[1].ids, a[2].ids, a[3].ids, a[4].ids, a[5].id, a[6].outs);
}

herr_t H5Dread_multi_async(TS_APP, size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[],
                           hid_t file_space_id[], hid_t dxpl_id, void *buf[], hid_t es_id)
{
    TS_API_SAYS(DATASET, READERROR, "can't read data");
    TS_ASYNC(run_read_multi, NUMBER(count), OBJECTS(count, dset_id), OBJECTS(count, mem_type_id),
             OPTIONS(count, mem_space_id), OPTIONS(count, file_space_id), OPTION(dxpl_id), OUTS(count, buf));
}

static int64_t run_write(const struct ts_async_arg *a)
{
    return H5Dwrite(a[0].id, a[1].id, a[2].id, a[3].id, a[4].id, a[5].in);
}

herr_t H5Dwrite_async(TS_APP, hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id,
                      const void *buf, hid_t es_id)
{
    TS_API_SAYS(DATASET, WRITEERROR, "can't write data", TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"));
    TS_ASYNC(run_write, OBJECT(dset_id), OBJECT(mem_type_id), OPTION(mem_space_id), OPTION(file_space_id),
             OPTION(dxpl_id), IN(buf));
}

static int64_t run_write_multi(const struct ts_async_arg *a)
{
    return H5Dwrite_multi(a[0].number, a[1].ids, a[2].ids, a[3].ids, a[4].ids, a[5].id, a[6].ins);
}

herr_t H5Dwrite_multi_async(TS_APP, size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[],
                            hid_t file_space_id[], hid_t dxpl_id, const void *buf[], hid_t es_id)
{
    TS_API_SAYS(DATASET, WRITEERROR, "can't write data");
    TS_ASYNC(run_write_multi, NUMBER(count), OBJECTS(count, dset_id), OBJECTS(count, mem_type_id),
             OPTIONS(count, mem_space_id), OPTIONS(count, file_space_id), OPTION(dxpl_id), INS(count, buf));
}

static int64_t run_set_extent(const struct ts_async_arg *a)
{
    return H5Dset_extent(a[0].id, a[1].extent);
}

herr_t H5Dset_extent_async(TS_APP, hid_t dset_id, const hsize_t size[], hid_t es_id)
{
    TS_API_SAYS(DATASET, CANTSET, "unable to set dataset extent",
                TS_BAD_ID(ARGS, BADTYPE, "dset_id parameter is not a valid dataset identifier"));
    TS_ASYNC(run_set_extent, OBJECT(dset_id), EXTENT(size));
}

static int64_t run_close(const struct ts_async_arg *a)
{
    return H5Dclose(a[0].id);
}

herr_t H5Dclose_async(TS_APP, hid_t dset_id, hid_t es_id)
{
    TS_API_SAYS(DATASET, CANTDEC, "can't close dataset", TS_BAD_ID(ARGS, BADTYPE, "not a dataset ID"));
    TS_ASYNC(run_close, CLOSED(dset_id, 1u << H5I_DATASET));
}
