/* H5D: defined and undefined elements. */
#include "H5Dpublic.h"

#include "api/dataset_args.h"
#include "dataset/dataset.h"

hid_t H5Dget_defined(hid_t dset_id, hid_t file_space_id, hid_t dxpl_id)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get what is defined");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_space *file, *defined;
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER) || ts_api_selection(&ts_scope_, file_space_id, &file) < 0 ||
        ts_dataset_get_defined(d, file, &defined) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, defined);
}

herr_t H5Derase(hid_t dset_id, hid_t file_space_id, hid_t dxpl_id)
{
    TS_API_ENTER(DATASET, CANTDELETE, "unable to erase elements");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_space *file;
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER) || ts_api_selection(&ts_scope_, file_space_id, &file) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dataset_erase(d, file));
}
