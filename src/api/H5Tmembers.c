/* H5T: datatypes made of others: compound, enum, array, vlen. */
#include "hdf5.h"

#include "api/H5Tinternal.h"
#include "base/alloc.h"

static size_t count(const struct ts_type *t)
{
    return t->cls == H5T_COMPOUND ? t->u.compound.n : t->cls == H5T_ENUM ? t->u.enumeration.n : 0;
}

static const struct ts_type *pin_class(struct ts_api_scope *scope, hid_t id, H5T_class_t cls)
{
    const struct ts_type *t = ts_api_pin(scope, id, H5I_DATATYPE);
    if (t && t->cls != cls) {
        TS_ERR(ARGS, BADTYPE, "not %s: class %d",
               cls == H5T_COMPOUND ? "a compound datatype"
               : cls == H5T_ENUM   ? "an enumeration data type"
                                   : "an array datatype",
               t->cls);
        return NULL;
    }
    return t;
}

/* Of a compound, or of nothing. */
static const struct ts_member *member_of(const struct ts_type *t, unsigned membno)
{
    if (!t)
        return NULL;
    if (membno >= t->u.compound.n) {
        TS_ERR(ARGS, BADVALUE, "invalid member number: %u of %zu", membno, t->u.compound.n);
        return NULL;
    }
    return &t->u.compound.members[membno];
}

static const struct ts_member *pin_member(struct ts_api_scope *scope, hid_t id, unsigned membno)
{
    return member_of(pin_class(scope, id, H5T_COMPOUND), membno);
}

int H5Tget_nmembers(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (t->cls != H5T_COMPOUND && t->cls != H5T_ENUM)
        return TS_API_ERR(-1, ARGS, BADTYPE, "cannot return member number: class %d has none", t->cls);
    return (int)count(t);
}

char *H5Tget_member_name(hid_t type_id, unsigned membno)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(NULL);
    if (membno >= count(t))
        return TS_API_ERR(NULL, ARGS, BADTYPE, "unable to get member name: member %u of %zu", membno, count(t));
    char *name = ts_strdup(t->cls == H5T_ENUM ? t->u.enumeration.names[membno] : t->u.compound.members[membno].name);
    return name ? name : TS_API_FAIL(NULL);
}

int H5Tget_member_index(hid_t type_id, const char *name)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (t->cls != H5T_COMPOUND && t->cls != H5T_ENUM)
        return TS_API_ERR(-1, ARGS, BADTYPE, "operation not supported for this type: class %d", t->cls);
    if (!name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no name");
    int i = ts_type_member_index(t, name);
    return i >= 0 ? i : TS_API_ERR(-1, DATATYPE, NOTFOUND, "no member '%s'", name);
}

size_t H5Tget_member_offset(hid_t type_id, unsigned membno)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not a compound datatype"));
    const struct ts_member *m = pin_member(&ts_scope_, type_id, membno);
    return m ? m->offset : TS_API_FAIL(0);
}

H5T_class_t H5Tget_member_class(hid_t type_id, unsigned membno)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not a compound datatype"));
    const struct ts_member *m = pin_member(&ts_scope_, type_id, membno);
    if (!m)
        return TS_API_FAIL(H5T_NO_CLASS);
    return ts_type_is_vlen_string(m->type) ? H5T_STRING : m->type->cls;
}

hid_t H5Tget_member_type(hid_t type_id, unsigned membno)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not a compound datatype"));
    const struct ts_type *t = pin_class(&ts_scope_, type_id, H5T_COMPOUND);
    const struct ts_member *m = member_of(t, membno);
    return m ? TS_API_RET(ts_type_part_id(t, m->type, m->copied)) : TS_API_FAIL(-1);
}

herr_t H5Tget_member_value(hid_t type_id, unsigned membno, void *value)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (t->cls != H5T_ENUM)
        return TS_API_ERR(-1, DATATYPE, CANTINIT, "operation not defined for data type class: %d", t->cls);
    if (membno >= t->u.enumeration.n)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid member number: %u of %zu", membno, t->u.enumeration.n);
    if (!value)
        return TS_API_ERR(-1, ARGS, BADVALUE, "null value buffer");
    memcpy(value, t->u.enumeration.values + membno * t->size, t->size);
    return 0;
}

struct insertion {
    const char *name;
    size_t offset;
    struct ts_type *member;
};

/* Without the copy that a change usually begins with, which would cost as much as all members before. 1 when that is
 * not possible: somebody else holds the datatype, it may not be changed, or more than its table of members would
 * change. */
static int insert_in_place(void *obj, void *ctx)
{
    struct ts_type *t = obj;
    const struct insertion *what = ctx;
    if (!ts_count_is_one(&t->refs) || t->state != TS_TYPE_TRANSIENT || t->named || what->member->version > t->version)
        return 1;
    return ts_type_insert(t, what->name, what->offset, what->member);
}

static int insert_member(struct ts_api_scope *scope, hid_t id, struct insertion *what)
{
    struct ts_type *t;
    int status = ts_id_update(id, H5I_DATATYPE, insert_in_place, what);
    if (status <= 0)
        return status;
    if (ts_type_change_begin(scope, id, &t) < 0)
        return -1;
    return ts_type_change_end(id, t, ts_type_insert(t, what->name, what->offset, what->member));
}

/* Its reference is gone afterwards: whoever holds one keeps the member from being inserted in place. */
static int check_parent(hid_t id)
{
    struct ts_type *t = ts_id_type(id) == H5I_DATATYPE ? ts_id_pin(id, H5I_DATATYPE) : NULL;
    int status = 0;
    if (!t || t->cls != H5T_COMPOUND)
        status = TS_SAY(ARGS, BADTYPE, "not a compound datatype");
    else if (t->state != TS_TYPE_TRANSIENT || t->named)
        status = TS_SAY(ARGS, BADVALUE, "parent type read-only");
    if (t)
        ts_id_unpin(H5I_DATATYPE, t);
    return status;
}

herr_t H5Tinsert(hid_t parent_id, const char *name, size_t offset, hid_t member_id)
{
    TS_API_ENTER(DATATYPE, CANTINSERT, "unable to insert member", TS_BAD_ID(ARGS, BADTYPE, "not a compound datatype"));
    if (parent_id == member_id)
        return TS_API_ERR(-1, ARGS, BADVALUE, "can't insert compound datatype within itself");
    struct insertion what = {.name = name, .offset = offset};
    if (check_parent(parent_id) < 0)
        return TS_API_FAIL(-1);
    if (!name || !*name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no member name");
    if (!(what.member = ts_type_pin(&ts_scope_, member_id, "not a datatype")))
        return TS_API_FAIL(-1);
    return TS_API_RET(insert_member(&ts_scope_, parent_id, &what));
}

herr_t H5Tpack(hid_t type_id)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to pack compound datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not a compound datatype"));
    const struct ts_type *before = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!before)
        return TS_API_FAIL(-1);
    if (!ts_type_has_class(before, H5T_COMPOUND, true))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a compound datatype: nor one with such in it");
    if (ts_type_is_packed(before))
        return 0;
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_pack(t)));
}

hid_t H5Tenum_create(hid_t base_id)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an integer data type"));
    struct ts_type *base = TS_API_OBJ(base_id, H5I_DATATYPE);
    if (base && base->cls != H5T_INTEGER)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not an integer data type: class %d", base->cls);
    if (!base || ts_type_new_enum(base, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_new_id(t));
}

static int enum_insert(struct ts_type *t, const char *name, const void *value)
{
    if (t->cls != H5T_ENUM)
        return TS_ERR(ARGS, BADTYPE, "not an enumeration data type: class %d", t->cls);
    return ts_type_enum_insert(t, name, value);
}

/* The type of a dataset or an attribute grows by new values, as in HDF5, and stays what cannot be changed otherwise. */
static int begin_enum_insert(struct ts_api_scope *scope, hid_t id, struct ts_type **copy)
{
    const struct ts_type *t = ts_api_pin(scope, id, H5I_DATATYPE);
    if (!t || t->state != TS_TYPE_READONLY || t->named)
        return ts_type_change_begin(scope, id, copy);
    return ts_type_copy_all(t, copy);
}

herr_t H5Tenum_insert(hid_t type, const char *name, const void *value)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to insert new enumeration member",
                 TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *before = TS_API_OBJ(type, H5I_DATATYPE);
    if (!before)
        return TS_API_FAIL(-1);
    if (before->cls != H5T_ENUM)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not an enumeration data type: class %d", before->cls);
    if (!name || !*name || !value)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no %s specified", name && *name ? "value" : "name");
    if (begin_enum_insert(&ts_scope_, type, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type, t, enum_insert(t, name, value)));
}

/* The name of a value, NULL when no member has it. */
static const char *name_of(const struct ts_type *t, const void *value)
{
    for (size_t i = 0; i < t->u.enumeration.n; i++)
        if (memcmp(t->u.enumeration.values + i * t->size, value, t->size) == 0)
            return t->u.enumeration.names[i];
    return NULL;
}

herr_t H5Tenum_nameof(hid_t type, const void *value, char *name, size_t size)
{
    TS_API_ENTER(DATATYPE, CANTINIT, "nameof query failed", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *t = pin_class(&ts_scope_, type, H5T_ENUM);
    if (!t)
        return TS_API_FAIL(-1);
    if (!value || !name)
        return TS_API_ERR(-1, ARGS, BADVALUE, value ? "no name buffer supplied" : "no value supplied");
    const char *found = name_of(t, value);
    if (!found) {
        if (size > 0)
            *name = 0;
        TS_ERR(DATATYPE, NOTFOUND, "value is currently not defined");
        return TS_API_ERR(-1, DATATYPE, CANTINIT, "nameof query failed");
    }
    size_t n = strlen(found) + 1;
    memcpy(name, found, n < size ? n : size);
    return n <= size
               ? 0
               : TS_API_ERR(-1, DATATYPE, CANTINIT, "nameof query failed: '%s' does not fit in %zu bytes", found, size);
}

herr_t H5Tenum_valueof(hid_t type, const char *name, void *value)
{
    TS_API_ENTER(DATATYPE, CANTINIT, "valueof query failed", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *t = pin_class(&ts_scope_, type, H5T_ENUM);
    if (!t)
        return TS_API_FAIL(-1);
    if (!name || !*name || !value)
        return TS_API_ERR(-1, ARGS, BADVALUE, name && *name ? "no value buffer" : "no name");
    int i = ts_type_member_index(t, name);
    if (i < 0) {
        TS_ERR(DATATYPE, NOTFOUND, "string doesn't exist in the enumeration type");
        return TS_API_ERR(-1, DATATYPE, CANTINIT, "valueof query failed");
    }
    memcpy(value, t->u.enumeration.values + (size_t)i * t->size, t->size);
    return 0;
}

hid_t H5Tvlen_create(hid_t base_id)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an valid base datatype"));
    struct ts_type *base = TS_API_OBJ(base_id, H5I_DATATYPE);
    if (!base || ts_type_new_vlen(base, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_new_id(t));
}

hid_t H5Tcomplex_create(hid_t base_type_id)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    struct ts_type *base = TS_API_OBJ(base_type_id, H5I_DATATYPE);
    if (!base || ts_type_new_complex(base, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_new_id(t));
}

static hid_t create_array(struct ts_api_scope *scope, hid_t base_id, unsigned rank, const hsize_t *dims)
{
    struct ts_type *t;
    if (rank < 1 || rank > H5S_MAX_RANK)
        return TS_ERR(ARGS, BADVALUE, "invalid dimensionality: %u", rank);
    if (!dims)
        return TS_ERR(ARGS, BADVALUE, "no dimensions specified");
    for (unsigned d = 0; d < rank; d++)
        if (dims[d] == 0)
            return TS_ERR(ARGS, BADVALUE, "zero-sized dimension specified: dimension %u", d);
    struct ts_type *base = ts_api_pin(scope, base_id, H5I_DATATYPE);
    if (!base || ts_type_new_array(base, rank, dims, &t) < 0)
        return -1;
    return ts_type_new_id(t);
}

hid_t H5Tarray_create2(hid_t base_id, unsigned ndims, const hsize_t dim[])
{
    TS_API_ENTER(DATATYPE, CANTREGISTER, "unable to create datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an valid base datatype"));
    return TS_API_RET(create_array(&ts_scope_, base_id, ndims, dim));
}

hid_t H5Tarray_create1(hid_t base_id, int ndims, const hsize_t dim[], const int perm[])
{
    TS_API_ENTER(DATATYPE, CANTREGISTER, "unable to create datatype",
                 TS_BAD_ID(ARGS, BADTYPE, "not an valid base datatype"));
    (void)perm;
    if (ndims < 1)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid dimensionality: %d", ndims);
    return TS_API_RET(create_array(&ts_scope_, base_id, (unsigned)ndims, dim));
}

int H5Tget_array_ndims(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a datatype object"));
    const struct ts_type *t = pin_class(&ts_scope_, type_id, H5T_ARRAY);
    return t ? (int)t->u.array.rank : TS_API_FAIL(-1);
}

int H5Tget_array_dims2(hid_t type_id, hsize_t dims[])
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a datatype object"));
    const struct ts_type *t = pin_class(&ts_scope_, type_id, H5T_ARRAY);
    if (!t)
        return TS_API_FAIL(-1);
    if (dims)
        memcpy(dims, t->u.array.dims, t->u.array.rank * sizeof *dims);
    return (int)t->u.array.rank;
}

/* Permutations never came to be: perm stays as it is. */
int H5Tget_array_dims1(hid_t type_id, hsize_t dims[], int perm[])
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype", TS_BAD_ID(ARGS, BADTYPE, "not a datatype object"));
    const struct ts_type *t = pin_class(&ts_scope_, type_id, H5T_ARRAY);
    (void)perm;
    if (!t)
        return TS_API_FAIL(-1);
    if (dims)
        memcpy(dims, t->u.array.dims, t->u.array.rank * sizeof *dims);
    return (int)t->u.array.rank;
}
