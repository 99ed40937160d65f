/* H5I: ids, and types of ids of the application. */
#include "H5Ipublic.h"

#include "api/api.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/lock.h"

/* A program of 1.10 has other numbers for the types of the library. Those of the application's own are the same for
 * all. */
#ifdef TS_ABI_ID_TYPES
static const signed char told_as[H5I_NTYPES] = TS_ABI_ID_TYPES;

static H5I_type_t told(H5I_type_t type)
{
    return type > 0 && type < H5I_NTYPES ? (H5I_type_t)told_as[type] : type;
}

static H5I_type_t meant(H5I_type_t type)
{
    for (int i = 1; i < H5I_NTYPES; i++)
        if (told_as[i] == (int)type)
            return (H5I_type_t)i;
    return type;
}
#else
static H5I_type_t told(H5I_type_t type)
{
    return type;
}

static H5I_type_t meant(H5I_type_t type)
{
    return type;
}
#endif

/* Types of the library are out of bounds for functions that hand out or remove bare objects. */
static int check_user_type(H5I_type_t type)
{
    if (type > 0 && type < H5I_NTYPES)
        return TS_SAY(ATOM, BADGROUP, "cannot call public function on library type: %d (%s)", (int)told(type),
                      ts_id_type_name(type));
    return 0;
}

/* A type that is no more; the number 0 counts as one. */
static bool was_there(H5I_type_t type)
{
    return type == 0 || (ts_id_user_type_known(type) && !ts_id_user_type_exists(type));
}

static int check_type_there(H5I_type_t type)
{
    if (check_user_type(type) < 0)
        return -1;
    if (ts_id_user_type_exists(type))
        return 0;
    return was_there(type) ? TS_SAY(ATOM, BADGROUP, "invalid type") : TS_SAY(ARGS, BADRANGE, "invalid type number");
}

/* The same for what counts them: a type that is no more has no count, which is said in the function's words. */
static int check_counted_type(H5I_type_t type)
{
    if (check_user_type(type) < 0)
        return -1;
    if (ts_id_user_type_exists(type))
        return 0;
    return was_there(type) && type != 0 ? TS_ERR(ATOM, BADGROUP, "invalid type: %d is no more", (int)type)
                                        : TS_SAY(ATOM, BADATOM, "invalid ID type: %d", (int)type);
}

H5I_type_t H5Iregister_type1(size_t hash_size, unsigned reserved, H5I_free_t free_func)
{
    (void)hash_size;
    return H5Iregister_type2(reserved, free_func);
}

H5I_type_t H5Iregister_type2(unsigned reserved, H5I_free_t free_func)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    (void)reserved;
    H5I_type_t type = ts_id_user_type_new(free_func);
    return type == H5I_BADID ? TS_API_ERR(type, ATOM, NOSPACE, "Maximum number of ID types exceeded") : type;
}

hid_t H5Iregister(H5I_type_t type, const void *object)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    if (check_type_there(type) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_id_user_register(type, (void *)object));
}

hid_t H5Iregister_future(H5I_type_t type, const void *object, H5I_future_realize_func_t realize_cb,
                         H5I_future_discard_func_t discard_cb)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    struct ts_future future = {.object = (void *)object, .realize = realize_cb, .discard = discard_cb};
    if (!realize_cb)
        return TS_API_ERR(-1, ATOM, BADVALUE, "NULL pointer for realize_cb not allowed");
    if (!discard_cb)
        return TS_API_ERR(-1, ATOM, BADVALUE, "NULL pointer for discard_cb not allowed");
    return TS_API_RET(ts_id_register_future(meant(type), &future));
}

/* What is no more, or of another type, is no object, and no error. */
void *H5Iobject_verify(hid_t id, H5I_type_t type)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID", TS_BAD_ID(ATOM, BADGROUP, "identifier has invalid type"));
    type = meant(type);
    if (check_user_type(type) < 0)
        return TS_API_FAIL(NULL);
    if (!ts_id_user_type_known(type))
        return TS_API_ERR(NULL, ATOM, BADGROUP, "identifier has invalid type");
    return ts_id_user_object(id, type);
}

void *H5Iremove_verify(hid_t id, H5I_type_t type)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    if (check_user_type(type) < 0)
        return TS_API_FAIL(NULL);
    bool of_no_type = type == 0 && id >= 0 && ts_id_made_for(id) == H5I_BADID;
    if (!of_no_type && (type == H5I_BADID || ts_id_made_for(id) != type))
        return NULL;
    if (!ts_id_user_type_exists(type))
        return TS_API_ERR(NULL, ATOM, BADGROUP, "invalid type");
    void *obj = ts_id_user_remove(id, type);
    return obj ? obj : TS_API_ERR(NULL, ATOM, CANTDELETE, "can't remove ID node");
}

/* Asking about an id that is not there is no error; one whose object is NULL counts as such. */
H5I_type_t H5Iget_type(hid_t id)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    H5I_type_t type = ts_id_type(id);
    return told(type >= H5I_NTYPES && !ts_id_user_object(id, type) ? H5I_BADID : type);
}

#define NO_ID TS_API_ERR(-1, ATOM, BADATOM, "invalid ID")

int H5Iinc_ref(hid_t id)
{
    TS_API_ENTER(ATOM, CANTINC, "can't increment ID ref count",
                 TS_BAD_ID(ATOM, CANTINC, "can't increment ID ref count"));
    return id < 0 ? NO_ID : TS_API_RET(ts_id_inc(id));
}

int H5Idec_ref(hid_t id)
{
    TS_API_ENTER(ATOM, CANTDEC, "can't decrement ID ref count",
                 TS_BAD_ID(ATOM, CANTDEC, "can't decrement ID ref count"));
    if (id < 0)
        return NO_ID;
    return TS_API_RET(ts_api_check_not_last(&ts_scope_, id) < 0 ? -1 : ts_id_dec(id));
}

int H5Iget_ref(hid_t id)
{
    TS_API_ENTER(ATOM, CANTGET, "can't get ID ref count", TS_BAD_ID(ATOM, CANTGET, "can't get ID ref count"));
    return id < 0 ? NO_ID : TS_API_RET(ts_id_count(id));
}

htri_t H5Iis_valid(hid_t id)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    return ts_id_type(id) != H5I_BADID && ts_id_count(id) > 0;
}

herr_t H5Inmembers(H5I_type_t type, hsize_t *num_members)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    if (was_there(type))
        return TS_API_ERR(-1, ARGS, BADRANGE, "supplied type does not exist");
    if (check_type_there(type) < 0)
        return TS_API_FAIL(-1);
    if (num_members)
        *num_members = ts_id_members(type);
    return 0;
}

herr_t H5Iclear_type(H5I_type_t type, hbool_t force)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    if (check_type_there(type) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_id_clear(type, force));
}

herr_t H5Idestroy_type(H5I_type_t type)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    return TS_API_RET(check_type_there(type) < 0 ? -1 : ts_id_user_type_destroy(type));
}

int H5Iinc_type_ref(H5I_type_t type)
{
    TS_API_ENTER(ATOM, CANTINC, "can't increment ID type ref count");
    type = meant(type);
    return TS_API_RET(check_counted_type(type) < 0 ? -1 : ts_id_user_type_ref(type, 1));
}

int H5Idec_type_ref(H5I_type_t type)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    return TS_API_RET(check_type_there(type) < 0 ? -1 : ts_id_user_type_ref(type, -1));
}

int H5Iget_type_ref(H5I_type_t type)
{
    TS_API_ENTER(ATOM, CANTGET, "can't get ID type ref count");
    type = meant(type);
    return TS_API_RET(check_counted_type(type) < 0 ? -1 : ts_id_user_type_ref(type, 0));
}

htri_t H5Itype_exists(H5I_type_t type)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    if (check_user_type(type) < 0)
        return TS_API_FAIL(-1);
    if (type != 0 && !ts_id_user_type_known(type))
        return TS_API_ERR(-1, ARGS, BADRANGE, "invalid type number: there was never an id type %d", (int)type);
    return type != 0 && ts_id_user_type_exists(type);
}

/* Over the ids as they are at the start; those that vanish meanwhile are left out. */
static int iterate(H5I_type_t type, H5I_iterate_func_t op, void *op_data)
{
    TS_MAY_CALL_OUT();
    hid_t *ids;
    size_t n;
    if (ts_id_list(type, false, &ids, &n) < 0)
        return -1;
    int ret = 0;
    for (size_t i = 0; ret == 0 && i < n; i++)
        if (ts_id_type(ids[i]) == type)
            ret = op(ids[i], op_data);
    ts_free(ids);
    return ret;
}

herr_t H5Iiterate(H5I_type_t type, H5I_iterate_func_t op, void *op_data)
{
    TS_API_ENTER(ATOM, BADITER, "can't iterate over ids");
    type = meant(type);
    if (type <= 0 || (type >= H5I_NTYPES && !ts_id_user_type_exists(type)))
        return TS_API_ERR(-1, ATOM, BADITER, "can't iterate over ids: invalid type number");
    if (!op)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no function to call");
    return TS_API_RET(iterate(type, op, op_data));
}

/* The first object that the function finds good, or NULL. Ids of NULL are looked at, too. */
static int search(H5I_type_t type, H5I_search_func_t func, void *key, void **found)
{
    hid_t *ids;
    size_t n;
    int ret = 0;
    *found = NULL;
    if (ts_id_list(type, false, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; ret == 0 && i < n; i++) {
        if (ts_id_type(ids[i]) != type)
            continue;
        void *obj = ts_id_user_object(ids[i], type);
        ret = func(obj, ids[i], key);
        if (ret < 0)
            ret = TS_SAY(ATOM, BADITER, "iteration failed: the function returned %d", ret);
        else if (ret > 0)
            *found = obj;
    }
    ts_free(ids);
    return ret;
}

void *H5Isearch(H5I_type_t type, H5I_search_func_t func, void *key)
{
    TS_API_ENTER(ATOM, CANTOPERATE, "can't operate on ID");
    type = meant(type);
    if (was_there(type))
        return NULL;
    if (check_type_there(type) < 0)
        return TS_API_FAIL(NULL);
    if (!func)
        return TS_API_ERR(NULL, ARGS, BADVALUE, "no function to call");
    void *found;
    return search(type, func, key, &found) < 0 ? TS_API_FAIL(NULL) : found;
}
