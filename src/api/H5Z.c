/* H5Z: filters of the application. */
#include "H5Zpublic.h"
#include "api/api.h"
#include "dataset/filter_use.h"
#include "filter/filter.h"

void ts_filter_api_init(void)
{
    /* Filters have no ids of their own; the registry needs no start. */
}

static int check_id(H5Z_filter_t id)
{
    if (id < 0 || id > H5Z_FILTER_MAX)
        return TS_ERR(ARGS, BADVALUE, "invalid filter identification number");
    return 0;
}

static int check_class(const H5Z_class2_t *cls)
{
    if (check_id(cls->id) < 0)
        return -1;
    if (cls->id < H5Z_FILTER_RESERVED)
        return TS_ERR(ARGS, BADVALUE, "unable to modify predefined filters: %d is one of them", (int)cls->id);
    if (!cls->filter)
        return TS_ERR(ARGS, BADVALUE, "no filter function specified for filter %d", (int)cls->id);
    return 0;
}

herr_t H5Zregister(const void *cls)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to register filter");
    if (!cls)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid filter class");
    H5Z_class2_t given;
    const H5Z_class2_t *newer = cls;
    if (newer->version == H5Z_CLASS_T_VERS) {
        given = *newer;
    } else {
        const H5Z_class1_t *older = cls;
        given = (H5Z_class2_t){.version = H5Z_CLASS_T_VERS,
                               .id = older->id,
                               .encoder_present = 1,
                               .decoder_present = 1,
                               .name = older->name,
                               .can_apply = older->can_apply,
                               .set_local = older->set_local,
                               .filter = older->filter};
    }
    if (check_class(&given) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_filter_register(&given));
}

herr_t H5Zunregister(H5Z_filter_t id)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to unregister filter");
    if (check_id(id) < 0)
        return TS_API_FAIL(-1);
    if (id < H5Z_FILTER_RESERVED)
        return TS_API_ERR(-1, ARGS, BADVALUE, "unable to modify predefined filters: %d is one of them", (int)id);
    if (ts_filter_check_unused(id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_filter_unregister(id));
}

htri_t H5Zfilter_avail(H5Z_filter_t id)
{
    TS_API_ENTER(PLINE, CANTOPERATE, "can't operate on filter");
    if (check_id(id) < 0)
        return TS_API_FAIL(-1);
    return ts_filter_info(id, NULL);
}

herr_t H5Zget_filter_info(H5Z_filter_t filter, unsigned int *filter_config_flags)
{
    TS_API_ENTER(PLINE, CANTGET, "Filter info not retrieved");
    if (ts_filter_info(filter, filter_config_flags) != 0)
        return 0;
    TS_ERR(PLINE, BADVALUE, "filter %d is not defined", (int)filter);
    return TS_API_ERR(-1, PLINE, CANTGET, "Filter info not retrieved");
}
