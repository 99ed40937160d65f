/* H5L: calls that finish later (async.h). */
#include "H5Lpublic.h"

#include "api/async.h"

static int64_t run_create_hard(const struct ts_async_arg *a)
{
    return H5Lcreate_hard(a[0].id, a[1].text, a[2].id, a[3].text, a[4].id, a[5].id);
}

herr_t H5Lcreate_hard_async(TS_APP, hid_t cur_loc_id, const char *cur_name, hid_t new_loc_id, const char *new_name,
                            hid_t lcpl_id, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(LINK, CANTCREATE, "unable to create link");
    TS_ASYNC(run_create_hard, OPTION(cur_loc_id), TEXT(cur_name), OPTION(new_loc_id), TEXT(new_name), OPTION(lcpl_id),
             OPTION(lapl_id));
}

static int64_t run_create_soft(const struct ts_async_arg *a)
{
    return H5Lcreate_soft(a[0].text, a[1].id, a[2].text, a[3].id, a[4].id);
}

herr_t H5Lcreate_soft_async(TS_APP, const char *link_target, hid_t link_loc_id, const char *link_name, hid_t lcpl_id,
                            hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(LINK, CANTCREATE, "unable to create soft link");
    TS_ASYNC(run_create_soft, TEXT(link_target), OBJECT(link_loc_id), TEXT(link_name), OPTION(lcpl_id),
             OPTION(lapl_id));
}

static int64_t run_delete(const struct ts_async_arg *a)
{
    return H5Ldelete(a[0].id, a[1].text, a[2].id);
}

herr_t H5Ldelete_async(TS_APP, hid_t loc_id, const char *name, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(LINK, CANTDELETE, "unable to delete link");
    TS_ASYNC(run_delete, OBJECT(loc_id), TEXT(name), OPTION(lapl_id));
}

static int64_t run_delete_by_idx(const struct ts_async_arg *a)
{
    return H5Ldelete_by_idx(a[0].id, a[1].text, (H5_index_t)a[2].number, (H5_iter_order_t)a[3].number, a[4].number,
                            a[5].id);
}

herr_t H5Ldelete_by_idx_async(TS_APP, hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                              hsize_t n, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(LINK, CANTDELETE, "unable to delete link");
    TS_ASYNC(run_delete_by_idx, OBJECT(loc_id), TEXT(group_name), NUMBER(idx_type), NUMBER(order), NUMBER(n),
             OPTION(lapl_id));
}

static int64_t run_exists(const struct ts_async_arg *a)
{
    return ts_async_answer(H5Lexists(a[0].id, a[1].text, a[3].id), a[2].out);
}

herr_t H5Lexists_async(TS_APP, hid_t loc_id, const char *name, hbool_t *exists, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(LINK, CANTGET, "unable to get link info");
    TS_ASYNC_WANTS(exists);
    TS_ASYNC(run_exists, OBJECT(loc_id), TEXT(name), RESULT(exists), OPTION(lapl_id));
}

static int64_t run_iterate(const struct ts_async_arg *a)
{
    return H5Literate2(a[0].id, (H5_index_t)a[1].number, (H5_iter_order_t)a[2].number, a[3].out, a[4].function,
                       a[5].out);
}

herr_t H5Literate_async(TS_APP, hid_t group_id, H5_index_t idx_type, H5_iter_order_t order, hsize_t *idx_p,
                        H5L_iterate2_t op, void *op_data, hid_t es_id)
{
    TS_API_SAYS(LINK, BADITER, "link iteration failed", TS_BAD_ID(LINK, BADITER, "link iteration failed"));
    TS_ASYNC(run_iterate, OBJECT(group_id), NUMBER(idx_type), NUMBER(order), OUT(idx_p), FUNCTION(op), OUT(op_data));
}
