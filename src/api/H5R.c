/* H5R: references, those of before 1.12 (object/old_reference.h) and those since (object/reference.h). */
#include "H5Rpublic.h"

#include <string.h>

#include "api/api.h"
#include "api/place.h"
#include "base/alloc.h"
#include "container/find_file.h"
#include "object/attr.h"
#include "object/old_reference.h"
#include "object/reference.h"
#include "plist/fapl.h"
#include "space/space.h"

#define AUTO_OLD_REF struct ts_old_ref __attribute__((cleanup(ts_old_ref_deinit)))

static int load_old(hid_t id, H5R_type_t kind, const void *ref, struct ts_old_ref *out)
{
    if (ts_place_from_id(id, &out->place) < 0)
        return -1;
    if (kind != H5R_OBJECT1 && kind != H5R_DATASET_REGION1)
        return TS_ERR(ARGS, BADVALUE, "invalid reference type");
    if (!ref)
        return TS_ERR(ARGS, BADVALUE, "invalid reference pointer");
    return ts_old_ref_load(kind, ref, out);
}

/* What a reference leads to, for those who want to use it. */
static int load_linked(hid_t id, H5R_type_t kind, const void *ref, struct ts_old_ref *old)
{
    return load_old(id, kind, ref, old) < 0 ? -1 : ts_old_ref_check_linked(&old->place.loc);
}

hid_t H5Rdereference1(hid_t obj_id, H5R_type_t ref_type, const void *ref)
{
    TS_API_ENTER(REFERENCE, CANTINIT, "unable dereference object");
    AUTO_OLD_REF old = {.region = NULL};
    return TS_API_RET(load_linked(obj_id, ref_type, ref, &old) < 0 ? -1 : ts_api_object_id(&old.place));
}

/* Datasets are opened with lists of theirs; for other objects any list will do. */
static int check_access(const struct ts_loc *loc, const struct ts_plist *oapl, hid_t oapl_id)
{
    H5O_type_t type;
    if (!oapl)
        return TS_ERR(REFERENCE, BADTYPE, "id %lld is no property list", (long long)oapl_id);
    if (ts_plist_is(oapl, TS_PLIST_DATASET_ACCESS))
        return 0;
    if (ts_object_type(loc, &type) < 0)
        return -1;
    return type == H5O_TYPE_DATASET
               ? TS_ERR(REFERENCE, BADTYPE, "list %lld is no dataset access list", (long long)oapl_id)
               : 0;
}

hid_t H5Rdereference2(hid_t obj_id, hid_t oapl_id, H5R_type_t ref_type, const void *ref)
{
    TS_API_ENTER(REFERENCE, CANTOPENOBJ, "unable to dereference object");
    TS_API_AT(obj_id);
    AUTO_OLD_REF old = {.region = NULL};
    if (oapl_id < 0)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a property list");
    if (load_linked(obj_id, ref_type, ref, &old) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *oapl = oapl_id == H5P_DEFAULT ? NULL : ts_api_any_plist(&ts_scope_, oapl_id);
    if (oapl_id != H5P_DEFAULT && check_access(&old.place.loc, oapl, oapl_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_api_object_id_by(&old.place, oapl));
}

hid_t H5Rget_region(hid_t dataset, H5R_type_t ref_type, const void *ref)
{
    TS_API_ENTER(REFERENCE, CANTGET, "unable to retrieve dataspace");
    AUTO_OLD_REF old = {.region = NULL};
    struct ts_space *space;
    H5R_type_t region = ref_type == H5R_DATASET_REGION1 ? ref_type : H5R_BADTYPE;
    if (load_old(dataset, region, ref, &old) < 0 ||
        ts_ref_region_space(old.place.loc.fh->file, old.place.loc.addr, old.region, old.region_size, &space) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, space);
}

static int old_type(hid_t id, H5R_type_t kind, const void *ref, H5O_type_t *type)
{
    AUTO_OLD_REF old = {.region = NULL};
    if (load_linked(id, kind, ref, &old) < 0)
        return -1;
    return ts_object_type(&old.place.loc, type);
}

herr_t H5Rget_obj_type2(hid_t id, H5R_type_t ref_type, const void *_ref, H5O_type_t *obj_type)
{
    TS_API_ENTER(REFERENCE, CANTGET, "unable to determine object type");
    H5O_type_t type;
    if (old_type(id, ref_type, _ref, &type) < 0)
        return TS_API_FAIL(-1);
    if (obj_type)
        *obj_type = type;
    return 0;
}

H5G_obj_t H5Rget_obj_type1(hid_t id, H5R_type_t ref_type, const void *ref)
{
    TS_API_ENTER(REFERENCE, CANTINIT, "unable to determine object type");
    H5O_type_t type;
    if (old_type(id, ref_type, ref, &type) < 0)
        return TS_API_FAIL(H5G_UNKNOWN);
    switch (type) {
    case H5O_TYPE_GROUP:
        return H5G_GROUP;
    case H5O_TYPE_DATASET:
        return H5G_DATASET;
    default:
        return H5G_TYPE;
    }
}

/* Any path to the object; none is the empty name. */
static ssize_t name_of(const struct ts_loc *loc, char *name, size_t size)
{
    char *path = NULL;
    if (ts_path_search(loc, &path) < 0)
        return -1;
    ssize_t length = (ssize_t)ts_api_copy_name(name, size, path ? path : "");
    ts_free(path);
    return length;
}

static ssize_t old_name(hid_t id, H5R_type_t kind, const void *ref, char *name, size_t size)
{
    AUTO_OLD_REF old = {.region = NULL};
    haddr_t addr = 1;
    if (kind == H5R_OBJECT1 && ref)
        memcpy(&addr, ref, sizeof addr);
    /* A reference to nothing has no name, which is no error. */
    if (addr == 0)
        return ts_place_from_id(id, &old.place) < 0 ? -1 : (ssize_t)ts_api_copy_name(name, size, "");
    return load_old(id, kind, ref, &old) < 0 ? -1 : name_of(&old.place.loc, name, size);
}

ssize_t H5Rget_name(hid_t loc_id, H5R_type_t ref_type, const void *ref, char *name, size_t size)
{
    TS_API_ENTER(REFERENCE, CANTGET, "unable to determine object path");
    return TS_API_RET(old_name(loc_id, ref_type, ref, name, size));
}

static int create_old(struct ts_api_scope *scope, void *ref, hid_t loc_id, const char *name, H5R_type_t kind,
                      hid_t space_id)
{
    TS_AUTO_PLACE start = {.path = NULL}, place = {.path = NULL};
    struct ts_space *space = NULL;
    if (!ref)
        return TS_ERR(ARGS, BADVALUE, "invalid reference pointer");
    if (ts_place_from_id(loc_id, &start) < 0)
        return -1;
    if (!name || !*name)
        return TS_ERR(ARGS, BADVALUE, "no name given");
    if (kind != H5R_OBJECT1 && kind != H5R_DATASET_REGION1)
        return TS_ERR(ARGS, BADVALUE, "invalid reference type");
    if (kind == H5R_DATASET_REGION1 && space_id == -1)
        return TS_ERR(ARGS, BADVALUE, "reference region dataspace id must be valid");
    if (space_id != -1 && !(space = ts_api_pin(scope, space_id, H5I_DATASPACE)))
        return TS_SAY(ARGS, BADTYPE, "not a dataspace");
    if (ts_path_object(&start, name, NULL, &place) < 0)
        return -1;
    return ts_old_ref_store(&place.loc, kind == H5R_DATASET_REGION1 ? space : NULL, ref);
}

herr_t H5Rcreate(void *ref, hid_t loc_id, const char *name, H5R_type_t ref_type, hid_t space_id)
{
    TS_API_ENTER(REFERENCE, CANTCREATE, "unable to create reference");
    return TS_API_RET(create_old(&ts_scope_, ref, loc_id, name, ref_type, space_id));
}

/* The references of 1.12. */

static int load_ref(const H5R_ref_t *from, struct ts_ref *ref)
{
    if (!from)
        return TS_ERR(ARGS, BADVALUE, "invalid reference pointer");
    ts_ref_load(ref, from);
    return ref->fh ? 0 : TS_ERR(REFERENCE, BADVALUE, "the reference refers to nothing");
}

static int start_ref(hid_t loc_id, const char *name, H5R_type_t kind, H5R_ref_t *to, struct ts_ref *ref)
{
    TS_AUTO_PLACE place = {.path = NULL};
    *ref = (struct ts_ref){.kind = kind};
    if (!to)
        return TS_ERR(ARGS, BADVALUE, "invalid reference pointer");
    if (ts_api_find(loc_id, name, NULL, &place) < 0)
        return -1;
    ref->addr = place.loc.addr;
    ref->fh = place.loc.fh;
    ts_fhandle_ref(ref->fh);
    return 0;
}

static bool good_oapl(struct ts_api_scope *scope, hid_t id)
{
    return id == H5P_DEFAULT || ts_api_any_plist(scope, id);
}

herr_t H5Rcreate_object(hid_t loc_id, const char *name, hid_t oapl_id, H5R_ref_t *ref_ptr)
{
    TS_API_ENTER(REFERENCE, CANTGET, "unable to retrieve object token",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    struct ts_ref ref;
    if (!good_oapl(&ts_scope_, oapl_id) || start_ref(loc_id, name, H5R_OBJECT2, ref_ptr, &ref) < 0)
        return TS_API_FAIL(-1);
    ts_ref_store(&ref, ref_ptr);
    return 0;
}

herr_t H5Rcreate_region(hid_t loc_id, const char *name, hid_t space_id, hid_t oapl_id, H5R_ref_t *ref_ptr)
{
    TS_API_ENTER(REFERENCE, CANTGET, "unable to retrieve object token",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    struct ts_ref ref;
    struct ts_space *space = TS_API_OBJ(space_id, H5I_DATASPACE);
    if (!space || !good_oapl(&ts_scope_, oapl_id) || start_ref(loc_id, name, H5R_DATASET_REGION2, ref_ptr, &ref) < 0)
        return TS_API_FAIL(-1);
    if (ts_ref_set_region(&ref, space) < 0) {
        ts_ref_deinit(&ref);
        return TS_API_FAIL(-1);
    }
    ts_ref_store(&ref, ref_ptr);
    return 0;
}

herr_t H5Rcreate_attr(hid_t loc_id, const char *name, const char *attr_name, hid_t oapl_id, H5R_ref_t *ref_ptr)
{
    TS_API_ENTER(REFERENCE, CANTGET, "unable to retrieve object token",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    struct ts_ref ref;
    if (!attr_name || !*attr_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no attribute name given");
    if (!good_oapl(&ts_scope_, oapl_id) || start_ref(loc_id, name, H5R_ATTR, ref_ptr, &ref) < 0)
        return TS_API_FAIL(-1);
    ref.attr = ts_strdup(attr_name);
    if (!ref.attr) {
        ts_ref_deinit(&ref);
        return TS_API_FAIL(-1);
    }
    ts_ref_store(&ref, ref_ptr);
    return 0;
}

herr_t H5Rdestroy(H5R_ref_t *ref_ptr)
{
    TS_API_ENTER(REFERENCE, CANTOPERATE, "can't operate on reference");
    if (!ref_ptr)
        return TS_API_ERR(-1, ARGS, BADTYPE, "invalid reference pointer");
    ts_ref_destroy(ref_ptr);
    return TS_API_RET(0);
}

herr_t H5Rcopy(const H5R_ref_t *src_ref_ptr, H5R_ref_t *dst_ref_ptr)
{
    TS_API_ENTER(REFERENCE, CANTOPERATE, "can't operate on reference");
    struct ts_ref src, dst;
    if (!src_ref_ptr || !dst_ref_ptr)
        return TS_API_ERR(-1, ARGS, BADTYPE, "invalid reference pointer");
    if (load_ref(src_ref_ptr, &src) < 0 || ts_ref_copy(&dst, &src) < 0)
        return TS_API_FAIL(-1);
    ts_ref_store(&dst, dst_ref_ptr);
    return 0;
}

htri_t H5Requal(const H5R_ref_t *ref1_ptr, const H5R_ref_t *ref2_ptr)
{
    TS_API_ENTER(REFERENCE, CANTOPERATE, "can't operate on reference");
    struct ts_ref a, b;
    if (!ref1_ptr || !ref2_ptr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid reference pointer");
    ts_ref_load(&a, ref1_ptr);
    ts_ref_load(&b, ref2_ptr);
    return ts_ref_equal(&a, &b);
}

H5R_type_t H5Rget_type(const H5R_ref_t *ref_ptr)
{
    TS_API_ENTER(REFERENCE, CANTOPERATE, "can't operate on reference");
    struct ts_ref ref;
    if (!ref_ptr)
        return TS_API_ERR(H5R_BADTYPE, ARGS, BADVALUE, "invalid reference pointer");
    /* Of one that refers to nothing this is 0, as in HDF5. */
    ts_ref_load(&ref, ref_ptr);
    return (H5R_type_t)ref.kind;
}

/* The access list of the file that a reference leads to, if the program gave one. */
static int reference_fapl(struct ts_api_scope *scope, hid_t id, struct ts_plist **out)
{
    *out = NULL;
    if (id == H5P_DEFAULT)
        return 0;
    *out = ts_api_any_plist(scope, id);
    if (*out && !ts_plist_is(*out, TS_PLIST_FILE_ACCESS))
        *out = NULL;
    return *out || ts_id_type(id) == H5I_GENPROP_LST ? 0 : -1;
}

/* Where a reference leads; released with ts_place_deinit. */
static int locate(struct ts_api_scope *scope, const H5R_ref_t *from, hid_t rapl_id, struct ts_ref *ref,
                  struct ts_place *out)
{
    struct ts_plist *fapl;
    if (load_ref(from, ref) < 0 || reference_fapl(scope, rapl_id, &fapl) < 0)
        return -1;
    return ts_ref_locate(ref, fapl, &out->loc);
}

hid_t H5Ropen_object(H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id)
{
    TS_API_ENTER(REFERENCE, CANTOPENOBJ, "unable to open object",
                 TS_SYNCHRONOUS(REFERENCE, CANTOPENOBJ, "unable to open object synchronously"));
    TS_AUTO_PLACE place = {.path = NULL};
    struct ts_ref ref;
    if (!good_oapl(&ts_scope_, oapl_id) || locate(&ts_scope_, ref_ptr, rapl_id, &ref, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_api_object_id(&place));
}

hid_t H5Ropen_region(H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id)
{
    TS_API_ENTER(REFERENCE, CANTOPENOBJ, "unable to open region",
                 TS_SYNCHRONOUS(REFERENCE, CANTOPENOBJ, "unable to open region synchronously"));
    TS_AUTO_PLACE place = {.path = NULL};
    struct ts_ref ref;
    struct ts_space *space;
    if (!good_oapl(&ts_scope_, oapl_id) || locate(&ts_scope_, ref_ptr, rapl_id, &ref, &place) < 0)
        return TS_API_FAIL(-1);
    if (ref.kind != H5R_DATASET_REGION2)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a reference to a region");
    if (ts_ref_region_space(place.loc.fh->file, place.loc.addr, ref.region, ref.region_size, &space) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, space);
}

hid_t H5Ropen_attr(H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t aapl_id)
{
    TS_API_ENTER(REFERENCE, CANTOPENOBJ, "unable to open attribute",
                 TS_SYNCHRONOUS(REFERENCE, OPENERROR, "unable to open attribute synchronously"));
    TS_AUTO_PLACE place = {.path = NULL};
    struct ts_ref ref;
    struct ts_attr *attr;
    if (!TS_API_PLIST(aapl_id, TS_PLIST_ATTRIBUTE_ACCESS) || locate(&ts_scope_, ref_ptr, rapl_id, &ref, &place) < 0)
        return TS_API_FAIL(-1);
    if (ref.kind != H5R_ATTR)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a reference to an attribute");
    if (ts_attr_open(&place.loc, NULL, ref.attr, &attr) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_ATTR, attr);
}

herr_t H5Rget_obj_type3(H5R_ref_t *ref_ptr, hid_t rapl_id, H5O_type_t *obj_type)
{
    TS_API_ENTER(REFERENCE, CANTINIT, "unable to determine object type");
    TS_AUTO_PLACE place = {.path = NULL};
    struct ts_ref ref;
    H5O_type_t type;
    if (locate(&ts_scope_, ref_ptr, rapl_id, &ref, &place) < 0 || ts_object_type(&place.loc, &type) < 0)
        return TS_API_FAIL(-1);
    if (obj_type)
        *obj_type = type;
    return 0;
}

ssize_t H5Rget_file_name(const H5R_ref_t *ref_ptr, char *name, size_t size)
{
    TS_API_ENTER(REFERENCE, CANTOPERATE, "can't operate on reference");
    struct ts_ref ref;
    if (load_ref(ref_ptr, &ref) < 0)
        return TS_API_FAIL(-1);
    return (ssize_t)ts_api_copy_name(name, size, ref.file_name ? ref.file_name : ref.fh->name);
}

ssize_t H5Rget_obj_name(H5R_ref_t *ref_ptr, hid_t rapl_id, char *name, size_t size)
{
    TS_API_ENTER(REFERENCE, CANTGET, "unable to determine object path");
    TS_AUTO_PLACE place = {.path = NULL};
    struct ts_ref ref;
    if (locate(&ts_scope_, ref_ptr, rapl_id, &ref, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(name_of(&place.loc, name, size));
}

ssize_t H5Rget_attr_name(const H5R_ref_t *ref_ptr, char *name, size_t size)
{
    TS_API_ENTER(REFERENCE, CANTOPERATE, "can't operate on reference");
    struct ts_ref ref;
    if (load_ref(ref_ptr, &ref) < 0)
        return TS_API_FAIL(-1);
    if (ref.kind != H5R_ATTR)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a reference to an attribute");
    return (ssize_t)ts_api_copy_name(name, size, ref.attr);
}
