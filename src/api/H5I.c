#include "H5Ipublic.h"

#include "api/api.h"
#include "base/alloc.h"
#include "base/lock.h"

/* Types of the library are out of bounds for functions that hand out or remove bare objects. */
static int check_user_type(H5I_type_t type)
{
    if (type > 0 && type < H5I_NTYPES)
        return TS_SAY(ATOM, BADGROUP, "cannot call public function on library type: %d (%s)", (int)type,
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

/* The same in other words. */
static int check_counted_type(H5I_type_t type)
{
    if (check_user_type(type) < 0)
        return -1;
    return ts_id_user_type_exists(type) ? 0 : TS_SAY(ATOM, BADATOM, "invalid ID type: %d", (int)type);
}

H5I_type_t H5Iregister_type(size_t hash_size, unsigned reserved, H5I_free_t free_func)
{
    TS_API_ENTER();
    (void)hash_size;
    (void)reserved;
    H5I_type_t type = ts_id_user_type_new(free_func);
    return type == H5I_BADID ? TS_API_FAIL(type) : type;
}

hid_t H5Iregister(H5I_type_t type, const void *object)
{
    TS_API_ENTER();
    if (check_type_there(type) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_id_user_register(type, (void *)object));
}

void *H5Iobject_verify(hid_t id, H5I_type_t type)
{
    TS_API_ENTER();
    if (check_user_type(type) < 0)
        return TS_API_FAIL(NULL);
    if (!ts_id_user_type_exists(type))
        return TS_API_ERR(NULL, ATOM, BADGROUP, "identifier has invalid type");
    void *obj = ts_id_user_object(id, type);
    return obj ? obj : TS_API_FAIL(NULL);
}

void *H5Iremove_verify(hid_t id, H5I_type_t type)
{
    TS_API_ENTER();
    void *obj = check_user_type(type) < 0 ? NULL : ts_id_user_remove(id, type);
    return obj ? obj : TS_API_FAIL(NULL);
}

H5I_type_t H5Iget_type(hid_t id)
{
    TS_API_ENTER();
    /* Asking about an id that is not there is no error. */
    return ts_id_type(id);
}

#define NO_ID TS_API_ERR(-1, ATOM, BADATOM, "invalid ID")

int H5Iinc_ref(hid_t id)
{
    TS_API_ENTER();
    return id < 0 ? NO_ID : TS_API_RET(ts_id_inc(id));
}

int H5Idec_ref(hid_t id)
{
    TS_API_ENTER();
    return id < 0 ? NO_ID : TS_API_RET(ts_id_dec(id));
}

int H5Iget_ref(hid_t id)
{
    TS_API_ENTER();
    return id < 0 ? NO_ID : TS_API_RET(ts_id_count(id));
}

htri_t H5Iis_valid(hid_t id)
{
    TS_API_ENTER();
    return ts_id_type(id) != H5I_BADID && ts_id_count(id) > 0;
}

herr_t H5Inmembers(H5I_type_t type, hsize_t *num_members)
{
    TS_API_ENTER();
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
    TS_API_ENTER();
    if (check_type_there(type) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_id_clear(type, force));
}

herr_t H5Idestroy_type(H5I_type_t type)
{
    TS_API_ENTER();
    return TS_API_RET(check_type_there(type) < 0 ? -1 : ts_id_user_type_destroy(type));
}

int H5Iinc_type_ref(H5I_type_t type)
{
    TS_API_ENTER();
    return TS_API_RET(check_counted_type(type) < 0 ? -1 : ts_id_user_type_ref(type, 1));
}

int H5Idec_type_ref(H5I_type_t type)
{
    TS_API_ENTER();
    return TS_API_RET(check_type_there(type) < 0 ? -1 : ts_id_user_type_ref(type, -1));
}

int H5Iget_type_ref(H5I_type_t type)
{
    TS_API_ENTER();
    return TS_API_RET(check_counted_type(type) < 0 ? -1 : ts_id_user_type_ref(type, 0));
}

htri_t H5Itype_exists(H5I_type_t type)
{
    TS_API_ENTER();
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
    TS_API_ENTER();
    if (type <= 0 || (type >= H5I_NTYPES && !ts_id_user_type_exists(type)))
        return TS_API_ERR(-1, ARGS, BADRANGE, "invalid type number");
    if (!op)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no function to call");
    return TS_API_RET(iterate(type, op, op_data));
}

static void *search(H5I_type_t type, H5I_search_func_t func, void *key)
{
    hid_t *ids;
    size_t n;
    void *found = NULL;
    if (ts_id_list(type, false, &ids, &n) < 0)
        return NULL;
    for (size_t i = 0; !found && i < n; i++) {
        unsigned mark = ts_err_mark();
        void *obj = ts_id_user_object(ids[i], type);
        ts_err_rewind(mark);
        if (!obj)
            continue;
        int ret = func(obj, ids[i], key);
        if (ret < 0)
            break;
        found = ret > 0 ? obj : NULL;
    }
    ts_free(ids);
    return found;
}

void *H5Isearch(H5I_type_t type, H5I_search_func_t func, void *key)
{
    TS_API_ENTER();
    if (check_type_there(type) < 0)
        return TS_API_FAIL(NULL);
    if (!func)
        return TS_API_ERR(NULL, ARGS, BADVALUE, "no function to call");
    return search(type, func, key);
}
