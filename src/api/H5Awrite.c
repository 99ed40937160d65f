/* H5A: attributes: making, writing, renaming and deleting them. */
#include <string.h>

#include "H5Apublic.h"
#include "api/H5Ainternal.h"
#include "api/H5Tconv.h"
#include "base/alloc.h"
#include "file/change.h"
#include "object/vl_sink.h"
#include "object/vl_source.h"
#include "plist/lapl.h"

struct parts {
    const struct ts_type *type;
    struct ts_space *space;
    struct ts_plist *acpl;
};

/* The ids that make an attribute, as they are given. */
struct part_ids {
    hid_t type, space, acpl, aapl;
};

static int get_shape(struct ts_api_scope *scope, const struct part_ids *ids, struct parts *out)
{
    out->type = ts_api_pin(scope, ids->type, H5I_DATATYPE);
    if (!out->type)
        return TS_SAY(ARGS, BADTYPE, "not a type");
    out->space = ts_api_pin(scope, ids->space, H5I_DATASPACE);
    return out->space ? 0 : TS_SAY(ARGS, BADTYPE, "not a dataspace");
}

static int get_lists(struct ts_api_scope *scope, const struct part_ids *ids, struct parts *out)
{
    if (!ts_api_plist(scope, ids->aapl, TS_PLIST_ATTRIBUTE_ACCESS))
        return -1;
    out->acpl = ts_api_plist(scope, ids->acpl, TS_PLIST_ATTRIBUTE_CREATE);
    return out->acpl ? 0 : -1;
}

/* What is wrong with type and space is not told as a wrong argument: libhdf5 finds it while it creates the
 * attribute. */
static int create_at(const struct ts_place *owner, const char *name, const struct parts *parts, struct ts_attr **out)
{
    struct ts_space *space;
    struct ts_attr_create how = {.name = name, .type = parts->type};
    if (ts_object_check_type(parts->type) < 0)
        return TS_ERR(ATTR, BADTYPE, "attribute '%s' cannot have this datatype", name);
    if (ts_strcpl_char_encoding(parts->acpl, &how.cset) < 0 || ts_space_snapshot(parts->space, &space) < 0)
        return -1;
    how.space = space;
    int status = ts_space_has_extent(space) ? ts_attr_create(&owner->loc, owner->path, &how, out)
                                            : TS_ERR(ATTR, BADVALUE, "dataspace extent has not been set.");
    ts_space_unref(space);
    return status;
}

static int find_owner(const struct ts_attr_at *at, const char *name, const struct part_ids *ids, struct parts *parts,
                      struct ts_place *owner)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_attr_api_start(at, &start) < 0 || ts_attr_api_check_name(name) < 0 || get_shape(at->scope, ids, parts) < 0 ||
        ts_attr_api_owner(at, &start, owner) < 0)
        return -1;
    return get_lists(at->scope, ids, parts);
}

static hid_t create_attr(const struct ts_attr_at *at, const char *name, const struct part_ids *ids)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    struct parts parts;
    struct ts_attr *attr;
    if (find_owner(at, name, ids, &parts, &owner) < 0)
        return -1;
    if (!owner.loc.fh->file->writable)
        return TS_ERR(ARGS, WRITEERROR, "no write intent on file");
    hid_t id = ts_id_reserve(H5I_ATTR);
    if (id < 0)
        return -1;
    if (create_at(&owner, name, &parts, &attr) < 0) {
        ts_id_unreserve(id);
        return -1;
    }
    ts_id_fill(id, attr);
    return id;
}

hid_t H5Acreate1(hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t acpl_id)
{
    TS_API_ENTER(ATTR, CANTINIT, "unable to create attribute", TS_WRONG(ATTR_NAME, ARGS, BADVALUE, "no name"));
    struct part_ids ids = {type_id, space_id, acpl_id, H5P_DEFAULT};
    return TS_API_RET(create_attr(TS_ATTR_HERE(loc_id), name, &ids));
}

hid_t H5Acreate2(hid_t loc_id, const char *attr_name, hid_t type_id, hid_t space_id, hid_t acpl_id, hid_t aapl_id)
{
    TS_API_ENTER(ATTR, CANTINIT, "unable to create attribute",
                 TS_WRONG(ATTR_NAME, ARGS, BADVALUE, "attr_name parameter cannot be"),
                 TS_SYNCHRONOUS(ATTR, CANTCREATE, "unable to synchronously create attribute"));
    struct part_ids ids = {type_id, space_id, acpl_id, aapl_id};
    return TS_API_RET(create_attr(TS_ATTR_HERE(loc_id), attr_name, &ids));
}

hid_t H5Acreate_by_name(hid_t loc_id, const char *obj_name, const char *attr_name, hid_t type_id, hid_t space_id,
                        hid_t acpl_id, hid_t aapl_id, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTINIT, "unable to create attribute",
                 TS_WRONG(ACCESS_LIST, ARGS, BADTYPE, "not link access property list ID"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no object name"),
                 TS_SYNCHRONOUS(ATTR, CANTCREATE, "unable to synchronously create attribute"));
    struct part_ids ids = {type_id, space_id, acpl_id, aapl_id};
    return TS_API_RET(create_attr(TS_ATTR_AT(loc_id, obj_name, lapl_id), attr_name, &ids));
}

herr_t H5Awrite(hid_t attr_id, hid_t type_id, const void *buf)
{
    TS_API_ENTER(ATTR, WRITEERROR, "unable to write attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"),
                 TS_SYNCHRONOUS(ATTR, WRITEERROR, "can't synchronously write data"));
    struct ts_attr *attr = TS_API_OBJ(attr_id, H5I_ATTR);
    const struct ts_type *type = attr ? TS_API_OBJ(type_id, H5I_DATATYPE) : NULL;
    if (!type)
        return TS_API_FAIL(-1);
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "null attribute buffer");
    struct ts_conv_env env;
    if (ts_conv_env_init(&env, ts_plist_default(TS_PLIST_DATASET_XFER), H5P_DEFAULT, type_id, type_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_attr_write_as(attr, type, &env, buf));
}

static int check_rename(const char *which, const char *name)
{
    if (name && *name)
        return 0;
    return TS_SAY(ARGS, BADVALUE, "no %s attribute name: %s attribute name cannot be %s", which, which,
                  name ? "an empty string" : "NULL");
}

/* Names first, unlike elsewhere; and nothing is looked at besides when they are the same. */
static int rename_attr(const struct ts_attr_at *at, const char *from, const char *to)
{
    TS_AUTO_PLACE start = {.path = NULL}, owner = {.path = NULL};
    if (ts_attr_api_no_attr(at->loc_id) < 0 || ts_api_check_name(at->obj_name) < 0 || check_rename("old", from) < 0 ||
        check_rename("new", to) < 0)
        return -1;
    if (strcmp(from, to) == 0)
        return 0;
    if (ts_attr_api_start(at, &start) < 0 || ts_attr_api_owner(at, &start, &owner) < 0)
        return -1;
    return ts_attr_rename(&owner.loc, from, to);
}

herr_t H5Arename(hid_t loc_id, const char *old_name, const char *new_name)
{
    TS_API_ENTER(ATTR, CANTRENAME, "can't rename attribute", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"),
                 TS_CAUSE(ATTR, ALREADYEXISTS, ATTR, ALREADYEXISTS, "attribute with new name already exists"),
                 TS_CAUSE(ATTR, NOTFOUND, ATTR, NOTFOUND, "can't locate attribute with old name"),
                 TS_SYNCHRONOUS(ATTR, CANTRENAME, "can't synchronously rename attribute"));
    return TS_API_RET(rename_attr(TS_ATTR_HERE(loc_id), old_name, new_name));
}

herr_t H5Arename_by_name(hid_t loc_id, const char *obj_name, const char *old_attr_name, const char *new_attr_name,
                         hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTRENAME, "can't rename attribute", TS_WRONG(NAME, ARGS, BADVALUE, "no object name"),
                 TS_CAUSE(ATTR, ALREADYEXISTS, ATTR, ALREADYEXISTS, "attribute with new name already exists"),
                 TS_CAUSE(ATTR, NOTFOUND, ATTR, NOTFOUND, "can't locate attribute with old name"),
                 TS_SYNCHRONOUS(ATTR, CANTRENAME, "can't synchronously rename attribute"));
    return TS_API_RET(rename_attr(TS_ATTR_AT(loc_id, obj_name, lapl_id), old_attr_name, new_attr_name));
}

static int delete_attr(const struct ts_attr_at *at, const char *name)
{
    TS_AUTO_PLACE owner = {.path = NULL};
    return ts_attr_api_owner_of(at, name, &owner) < 0 ? -1 : ts_attr_delete(&owner.loc, name);
}

herr_t H5Adelete(hid_t loc_id, const char *name)
{
    TS_API_ENTER(ATTR, CANTDELETE, "unable to delete attribute",
                 TS_WRONG(ATTR_NAME, ARGS, BADVALUE, "name parameter cannot be"));
    return TS_API_RET(delete_attr(TS_ATTR_HERE(loc_id), name));
}

herr_t H5Adelete_by_name(hid_t loc_id, const char *obj_name, const char *attr_name, hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTDELETE, "unable to delete attribute", TS_WRONG(NAME, ARGS, BADVALUE, "no object name"));
    return TS_API_RET(delete_attr(TS_ATTR_AT(loc_id, obj_name, lapl_id), attr_name));
}

/* Under the index of the object it may be another one by now; what is deleted is the one that was found. */
static int delete_found(struct ts_attr *attr)
{
    char *name = ts_attr_copy_name(attr);
    int status = name ? ts_attr_delete(&attr->owner, name) : -1;
    ts_free(name);
    ts_attr_unref(attr);
    return status;
}

herr_t H5Adelete_by_idx(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                        hid_t lapl_id)
{
    TS_API_ENTER(ATTR, CANTDELETE, "unable to delete attribute", TS_WRONG(NAME, ARGS, BADVALUE, "no object name"));
    struct ts_api_index index = {idx_type, order, n};
    struct ts_attr *attr;
    if (ts_attr_api_open_by_idx(TS_ATTR_AT(loc_id, obj_name, lapl_id), &index, &attr) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(delete_found(attr));
}
