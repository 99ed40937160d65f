/* H5T: datatypes as a whole. */
#include "hdf5.h"

#include "api/H5Tinternal.h"
#include "base/abi.h"
#include "base/alloc.h"

/* What H5Tencode puts before the message: the message type and a version. */
#define ENCODE_TYPE 3
#define ENCODE_VERSION 0
/* H5Tdecode1 is not told the size of its buffer; no message is as large as this. */
#define DECODE_LIMIT ((size_t)1 << 30)

struct ts_type *ts_type_pin(struct ts_api_scope *scope, hid_t id, const char *otherwise)
{
    if (ts_id_type(id) == H5I_DATATYPE)
        return ts_api_pin(scope, id, H5I_DATATYPE);
    TS_SAY(ARGS, BADTYPE, "%s", otherwise);
    return NULL;
}

int ts_type_change_begin(struct ts_api_scope *scope, hid_t id, struct ts_type **copy)
{
    const struct ts_type *t = ts_api_pin(scope, id, H5I_DATATYPE);
    if (!t)
        return -1;
    if (t->state != TS_TYPE_TRANSIENT || t->named) {
        TS_ERR(ARGS, CANTINIT, "datatype is read-only");
        return ts_err_because(TS_WHY_READ_ONLY);
    }
    return ts_type_copy(t, copy);
}

int ts_type_change_end(hid_t id, struct ts_type *copy, int result)
{
    void *old;
    if (result < 0 || ts_id_replace(id, H5I_DATATYPE, copy, &old) < 0) {
        ts_type_unref(copy);
        return -1;
    }
    ts_type_unref(old);
    return 0;
}

static bool has_parts(const struct ts_type *t)
{
    return t->base || t->cls == H5T_COMPOUND;
}

/* A type that may be changed: what is one already is shared, for a change makes a new node anyway. */
static int transient(struct ts_type *t, struct ts_type **out)
{
    if (t->state != TS_TYPE_TRANSIENT || t->named || has_parts(t))
        return ts_type_copy_parts(t, out);
    *out = ts_type_ref(t);
    return 0;
}

hid_t ts_type_new_id(struct ts_type *t)
{
    hid_t id = ts_id_register(H5I_DATATYPE, t);
    if (id < 0)
        ts_type_unref(t);
    return id;
}

/* Not so of a committed datatype. */
static bool is_said_of_elements(const struct ts_type *t)
{
    return t->state == TS_TYPE_READONLY && !t->named;
}

hid_t ts_type_part_id(const struct ts_type *whole, struct ts_type *part, bool copied)
{
    struct ts_type *t;
    if (!copied && (part->named || (part->state != TS_TYPE_IMMUTABLE && !is_said_of_elements(whole))))
        return ts_type_new_id(ts_type_ref(part));
    if ((copied ? transient(part, &t) : ts_type_copy(part, &t)) < 0)
        return -1;
    if (!copied)
        t->state = TS_TYPE_READONLY;
    return ts_type_new_id(t);
}

hid_t H5Tcreate(H5T_class_t type, size_t size)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to create type");
    if (ts_type_new(type, size, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_new_id(t));
}

/* The id of a dataset stands for its datatype. */
static hid_t copy_of_dataset(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    if (type < 0)
        return type;
    hid_t copy = H5Tcopy(type);
    return ts_id_dec(type) < 0 ? -1 : copy;
}

hid_t H5Tcopy(hid_t type_id)
{
    struct ts_type *copy;
    if (ts_id_type(type_id) == H5I_DATASET)
        return copy_of_dataset(type_id);
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to copy", TS_BAD_ID(ARGS, BADTYPE, "not a datatype or dataset"));
    struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (ts_api_gone(type_id, H5I_DATASET))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a dataset");
    if (ts_api_gone(type_id, H5I_DATATYPE))
        return TS_API_ERR(-1, ARGS, BADTYPE, "obj_id is not a datatype ID");
    if (!t || transient(t, &copy) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_new_id(copy));
}

herr_t H5Tclose(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTRELEASE, "problem freeing id");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t && ts_id_forget_broken(type_id)) {
        ts_err_clear();
        return 0;
    }
    if (!t)
        return TS_API_FAIL(-1);
    if (t->state == TS_TYPE_IMMUTABLE)
        return TS_API_ERR(-1, ARGS, BADVALUE, "immutable datatype");
    return TS_API_RET(ts_id_dec(type_id) < 0 ? -1 : 0);
}

htri_t H5Tequal(hid_t type1_id, hid_t type2_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *a = TS_API_OBJ(type1_id, H5I_DATATYPE);
    const struct ts_type *b = a ? TS_API_OBJ(type2_id, H5I_DATATYPE) : NULL;
    return b ? ts_type_equal(a, b) : TS_API_FAIL(-1);
}

herr_t H5Tlock(hid_t type_id)
{
    struct ts_type *locked;
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to lock transient datatype");
    struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (t->named)
        return TS_API_ERR(-1, ARGS, BADVALUE, "unable to lock named datatype");
    if (t->state == TS_TYPE_IMMUTABLE)
        return 0;
    if (ts_type_copy(t, &locked) < 0)
        return TS_API_FAIL(-1);
    locked->state = TS_TYPE_IMMUTABLE;
    return TS_API_RET(ts_type_change_end(type_id, locked, 0));
}

htri_t H5Tcommitted(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    return t ? t->named != NULL : TS_API_FAIL(-1);
}

H5T_class_t H5Tget_class(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(H5T_NO_CLASS);
    return ts_type_is_vlen_string(t) ? H5T_STRING : t->cls;
}

htri_t H5Tdetect_class(hid_t type_id, H5T_class_t cls)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (cls <= H5T_NO_CLASS || cls >= TS_ABI_TYPE_CLASSES)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a datatype class: %d", cls);
    return ts_type_has_class(t, cls, true);
}

htri_t H5Tis_variable_str(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    return t ? ts_type_is_vlen_string(t) : TS_API_FAIL(-1);
}

size_t H5Tget_size(hid_t type_id)
{
    TS_API_ENTER(DATATYPE, CANTOPERATE, "can't operate on datatype");
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    return t ? t->size : TS_API_FAIL(0);
}

herr_t H5Tset_size(hid_t type_id, size_t size)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTINIT, "unable to set size for datatype",
                 TS_WRONG(MEMBERS, DATATYPE, CANTINIT, "operation not allowed after members are defined"),
                 TS_WRONG(READ_ONLY, ARGS, CANTINIT, "datatype is read-only"));
    if (ts_type_change_begin(&ts_scope_, type_id, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_change_end(type_id, t, ts_type_set_size(t, size)));
}

hid_t H5Tget_super(hid_t type)
{
    TS_API_ENTER(DATATYPE, CANTINIT, "not a datatype");
    const struct ts_type *t = TS_API_OBJ(type, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (!t->base)
        return TS_API_ERR(-1, DATATYPE, CANTINIT, "not a datatype: class %d is not made of another", t->cls);
    return TS_API_RET(ts_type_part_id(t, t->base, t->base_copied));
}

hid_t H5Tget_native_type(hid_t type_id, H5T_direction_t direction)
{
    struct ts_type *native;
    TS_API_ENTER(ARGS, BADTYPE, "cannot retrieve native type", TS_BAD_ID(ARGS, BADTYPE, "not a data type"));
    const struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    if (!t || ts_type_native(t, direction, &native) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_type_new_id(native));
}

herr_t H5Tencode(hid_t obj_id, void *buf, size_t *nalloc)
{
    struct ts_wr w = {0};
    TS_API_ENTER(DATATYPE, CANTENCODE, "can't encode datatype");
    const struct ts_type *t = TS_API_OBJ(obj_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (!nalloc)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL pointer for buffer size");
    ts_wr_u8(&w, ENCODE_TYPE);
    ts_wr_u8(&w, ENCODE_VERSION);
    int r = ts_type_encode(t, &w);
    if (r == 0)
        ts_api_give_encoding(&w, buf, nalloc);
    ts_wr_free(&w);
    return TS_API_RET(r);
}

/* The last record says what libhdf5's does; what is wrong stands before it. */
static int decode(const uint8_t *bytes, size_t size, struct ts_type **out)
{
    if (size < 2 || bytes[0] != ENCODE_TYPE)
        return TS_ERR(DATATYPE, CANTDECODE, "can't decode object: the buffer does not hold an encoded datatype");
    if (bytes[1] != ENCODE_VERSION)
        return TS_ERR(DATATYPE, CANTDECODE, "can't decode object: version %u", bytes[1]);
    if (ts_type_decode(bytes + 2, size - 2, NULL, out) < 0)
        return TS_ERR(DATATYPE, CANTDECODE, "can't decode object");
    if (ts_type_set_loc(out, TS_LOC_MEMORY, 0) < 0) {
        ts_type_unref(*out);
        return -1;
    }
    return 0;
}

hid_t H5Tdecode1(const void *buf)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTDECODE, "can't decode object");
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "empty buffer");
    return TS_API_RET(decode(buf, DECODE_LIMIT, &t) < 0 ? -1 : ts_type_new_id(t));
}

hid_t H5Tdecode2(const void *buf, size_t buf_size)
{
    struct ts_type *t;
    TS_API_ENTER(DATATYPE, CANTDECODE, "can't decode object");
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "empty buffer");
    return TS_API_RET(decode(buf, buf_size, &t) < 0 ? -1 : ts_type_new_id(t));
}
