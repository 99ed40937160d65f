/* H5P: classes and lists as such; the properties of the predefined classes are in the files beside this one. */
#include "H5abi110.h"

#include <stdint.h>
#include <string.h>

#include "api/default_driver.h"
#include "api/plist_args.h"
#include "base/alloc.h"
#include "base/cursor.h"
#include "plist/engine.h"

/* H5Pdecode is not told how long its buffer is. */
#define ANY_LENGTH ((size_t)1 << 46)

/* id of the class, id of the default list or NULL */
#define KINDS(X)                                                                                                       \
    X(ROOT, NO_LIST)                                                                                                   \
    X(OBJECT_CREATE, NO_LIST)                                                                                          \
    X(FILE_CREATE, LIST)                                                                                               \
    X(FILE_ACCESS, LIST)                                                                                               \
    X(DATASET_CREATE, LIST)                                                                                            \
    X(DATASET_ACCESS, LIST)                                                                                            \
    X(DATASET_XFER, LIST)                                                                                              \
    X(FILE_MOUNT, LIST)                                                                                                \
    X(GROUP_CREATE, LIST)                                                                                              \
    X(GROUP_ACCESS, LIST)                                                                                              \
    X(DATATYPE_CREATE, LIST)                                                                                           \
    X(DATATYPE_ACCESS, LIST)                                                                                           \
    X(STRING_CREATE, NO_LIST)                                                                                          \
    X(ATTRIBUTE_CREATE, LIST)                                                                                          \
    X(ATTRIBUTE_ACCESS, LIST)                                                                                          \
    X(OBJECT_COPY, LIST)                                                                                               \
    X(LINK_CREATE, LIST)                                                                                               \
    X(LINK_ACCESS, LIST)                                                                                               \
    X(VOL_INITIALIZE, LIST)                                                                                            \
    X(REFERENCE_ACCESS, LIST)                                                                                          \
    X(MAP_CREATE, LIST)                                                                                                \
    X(MAP_ACCESS, LIST)

#define LIST(name) hid_t H5P_LST_##name##_ID_g = H5I_INVALID_HID;
#define NO_LIST(name)
#define X(name, list)                                                                                                  \
    hid_t H5P_CLS_##name##_ID_g = H5I_INVALID_HID;                                                                     \
    list(name)
KINDS(X)
#undef X
#undef LIST
#undef NO_LIST

struct global_ids {
    hid_t *cls, *list;
};

static const struct global_ids globals[TS_PLIST_KINDS] = {
#define LIST(name) &H5P_LST_##name##_ID_g
#define NO_LIST(name) NULL
#define X(name, list) [TS_PLIST_##name] = {&H5P_CLS_##name##_ID_g, list(name)},
    KINDS(X)
#undef X
};

static void class_ref(void *obj)
{
    ts_plist_class_ref(obj);
}

static void class_unref(void *obj)
{
    ts_plist_class_unref(obj);
}

static void list_ref(void *obj)
{
    ts_plist_ref(obj);
}

static void list_unref(void *obj)
{
    ts_plist_unref(obj);
}

void ts_plist_api_init(void)
{
    static const struct ts_id_class classes = {.ref = class_ref, .unref = class_unref, .count = ts_plist_class_count};
    static const struct ts_id_class lists = {.ref = list_ref, .unref = list_unref, .count = ts_plist_count};
    ts_id_class_set(H5I_GENPROP_CLS, &classes);
    ts_id_class_set(H5I_GENPROP_LST, &lists);
    if (ts_plist_start() < 0)
        return;
    for (int kind = 0; kind < TS_PLIST_KINDS; kind++) {
        struct ts_plist_class *cls = ts_plist_class_predefined((enum ts_plist_kind)kind);
        struct ts_plist *pl = ts_plist_default((enum ts_plist_kind)kind);
        ts_plist_class_ref(cls);
        *globals[kind].cls = ts_id_register_hidden(H5I_GENPROP_CLS, cls);
        if (!globals[kind].list)
            continue;
        ts_plist_ref(pl);
        *globals[kind].list = ts_id_register_hidden(H5I_GENPROP_LST, pl);
        ts_plist_set_id(pl, *globals[kind].list);
    }
}

static int check_name(const char *name)
{
    if (name && *name)
        return 0;
    TS_ERR(ARGS, BADVALUE, "invalid property name");
    return ts_err_because(TS_WHY_NAME);
}

/* A class or a list; the other one is NULL. */
struct either {
    struct ts_plist_class *cls;
    struct ts_plist *pl;
};

/* That a closed one is no more is found last: whatever else is wrong is told before. */
static int check_either(hid_t id)
{
    H5I_type_t type = ts_id_made_for(id);
    if (type == H5I_GENPROP_CLS || type == H5I_GENPROP_LST)
        return 0;
    return TS_ERR(ARGS, BADTYPE, "not property objects: id %lld is neither a property list nor a class", (long long)id);
}

static int get_either(struct ts_api_scope *scope, hid_t id, struct either *out)
{
    *out = (struct either){0};
    H5I_type_t type = ts_id_type(id);
    if (check_either(id) < 0)
        return -1;
    if (type == H5I_GENPROP_CLS)
        out->cls = ts_api_pin(scope, id, type);
    else if (type == H5I_GENPROP_LST)
        out->pl = ts_api_pin(scope, id, type);
    else
        return TS_SAY(PLIST, NOTFOUND, "property object doesn't exist");
    return out->cls || out->pl ? 0 : -1;
}

#define EITHER(id, out) get_either(&ts_scope_, (id), (out))

hid_t H5Pcreate_class(hid_t parent, const char *name, H5P_cls_create_func_t create, void *create_data,
                      H5P_cls_copy_func_t copy, void *copy_data, H5P_cls_close_func_t close, void *close_data)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list class"));
    struct ts_plist_class *cls, *base = TS_API_OBJ(parent == H5P_DEFAULT ? H5P_ROOT : parent, H5I_GENPROP_CLS);
    bool gone = ts_api_gone(parent, H5I_GENPROP_CLS);
    if (!base && !gone)
        return TS_API_FAIL(-1);
    if (!name || !*name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid class name");
    if ((create_data && !create) || (copy_data && !copy) || (close_data && !close))
        return TS_API_ERR(-1, ARGS, BADVALUE, "data specified, but no callback provided: class '%s'", name);
    if (gone)
        return TS_API_ERR(-1, ARGS, BADTYPE, "can't retrieve parent class");
    struct ts_plist_class_calls calls = {.create = create,
                                         .copy = copy,
                                         .close = close,
                                         .create_data = create_data,
                                         .copy_data = copy_data,
                                         .close_data = close_data};
    if (ts_plist_class_new(base, name, &calls, &cls) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_GENPROP_CLS, cls);
}

static int no_more(hid_t id)
{
    return TS_ERR_AS(ATOM, BADATOM, "can't locate ID", "id %lld is closed or was never there", (long long)id);
}

herr_t H5Pclose_class(hid_t cls_id)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list class"));
    if (ts_api_gone(cls_id, H5I_GENPROP_CLS))
        return no_more(cls_id), TS_API_ERR(-1, PLIST, CANTFREE, "can't close");
    if (!TS_API_OBJ(cls_id, H5I_GENPROP_CLS))
        return TS_API_FAIL(-1);
    /* The library keeps its own classes. */
    if (ts_id_hidden(cls_id) && ts_id_count(cls_id) == 0)
        return 0;
    return TS_API_RET(ts_id_dec(cls_id) < 0 ? -1 : 0);
}

char *H5Pget_class_name(hid_t pclass_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a property class"));
    const struct ts_plist_class *cls = TS_API_OBJ(pclass_id, H5I_GENPROP_CLS);
    char *name = cls ? ts_strdup(ts_plist_class_name(cls)) : NULL;
    return name ? name : TS_API_FAIL(NULL);
}

hid_t H5Pget_class_parent(hid_t pclass_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a property class"));
    const struct ts_plist_class *cls = TS_API_OBJ(pclass_id, H5I_GENPROP_CLS);
    if (!cls)
        return TS_API_FAIL(-1);
    struct ts_plist_class *parent = ts_plist_class_parent(cls);
    if (!parent)
        return TS_API_ERR(-1, PLIST, NOTFOUND, "unable to query class of property list: class '%s' has no parent",
                          ts_plist_class_name(cls));
    ts_plist_class_ref(parent);
    return TS_API_NEW_ID(H5I_GENPROP_CLS, parent);
}

hid_t H5Pget_class(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    const struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl)
        return TS_API_FAIL(-1);
    struct ts_plist_class *cls = ts_plist_class_of(pl);
    ts_plist_class_ref(cls);
    return TS_API_NEW_ID(H5I_GENPROP_CLS, cls);
}

/* The id goes first, since callbacks get it; it is taken back when one of them refuses. */
static hid_t publish(struct ts_plist *pl, struct ts_plist *source)
{
    hid_t id = ts_api_list_id(pl);
    if (id < 0)
        return -1;
    int ret = source ? ts_plist_copied(pl, source) : ts_plist_created(pl);
    if (ret < 0) {
        ts_id_dec(id);
        return -1;
    }
    return id;
}

hid_t H5Pcreate(hid_t cls_id)
{
    TS_API_ENTER(PLIST, CANTCREATE, "unable to create property list",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list class"));
    struct ts_plist *pl;
    struct ts_plist_class *cls = TS_API_OBJ(cls_id, H5I_GENPROP_CLS);
    if (!cls || ts_plist_create(cls, &pl) < 0)
        return TS_API_FAIL(-1);
    if (ts_default_driver_apply(pl) < 0) {
        ts_plist_unref(pl);
        return TS_API_FAIL(-1);
    }
    return TS_API_RET(publish(pl, NULL));
}

hid_t H5Pcopy(hid_t id)
{
    TS_API_ENTER(PLIST, NOTFOUND, "property object doesn't exist", TS_BAD_ID(ARGS, BADTYPE, "not property object"));
    struct either from;
    if (id == H5P_DEFAULT)
        return H5P_DEFAULT;
    if (EITHER(id, &from) < 0)
        return TS_API_FAIL(-1);
    if (from.cls) {
        struct ts_plist_class *cls;
        return ts_plist_class_copy(from.cls, &cls) < 0 ? TS_API_FAIL(-1) : TS_API_NEW_ID(H5I_GENPROP_CLS, cls);
    }
    struct ts_plist *pl;
    if (ts_plist_copy(from.pl, &pl) < 0)
        return TS_API_ERR(-1, PLIST, CANTCOPY, "can't copy property list");
    return TS_API_RET(publish(pl, from.pl));
}

herr_t H5Pclose(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTFREE, "can't close", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    if (plist_id == H5P_DEFAULT)
        return 0;
    if (ts_api_gone(plist_id, H5I_GENPROP_LST))
        return no_more(plist_id), TS_API_ERR(-1, PLIST, CANTFREE, "can't close");
    struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl)
        return TS_API_FAIL(-1);
    int count = ts_id_count(plist_id);
    /* Closing a default list by its id changes nothing: H5P_DEFAULT goes on to mean it. */
    if (count == 0 && ts_id_hidden(plist_id))
        return 0;
    if (count == 1)
        ts_plist_closing(pl);
    return TS_API_RET(ts_id_dec(plist_id) < 0 ? -1 : 0);
}

/* A class that was in use got a new revision: from now on the id means that. */
static int adopt_revision(hid_t cls_id, struct ts_plist_class *revision)
{
    void *old;
    if (!revision)
        return 0;
    if (ts_id_replace(cls_id, H5I_GENPROP_CLS, revision, &old) < 0) {
        ts_plist_class_unref(revision);
        return -1;
    }
    ts_plist_class_unref(old);
    return 0;
}

static int check_no_size(const struct ts_prop_spec *spec)
{
    return spec->size > 0 || !spec->def ? 0
                                        : TS_ERR(PLIST, BADVALUE, "property '%s' has a value of no size", spec->name);
}

static int register_prop(struct ts_api_scope *scope, hid_t cls_id, const struct ts_prop_spec *spec,
                         const struct ts_prop_calls *calls)
{
    struct ts_plist_class *revision, *cls = ts_api_pin(scope, cls_id, H5I_GENPROP_CLS);
    if (!cls || check_name(spec->name) < 0)
        return -1;
    if (spec->size > 0 && !spec->def)
        return TS_ERR(ARGS, BADVALUE,
                      "properties >0 size must have default: property '%s' has a size but no default value",
                      spec->name);
    if (check_no_size(spec) < 0)
        return -1;
    if (ts_plist_class_register(cls, spec, calls, &revision) < 0)
        return -1;
    return adopt_revision(cls_id, revision);
}

herr_t H5Pregister2(hid_t cls_id, const char *name, size_t size, void *def_value, H5P_prp_create_func_t create,
                    H5P_prp_set_func_t set, H5P_prp_get_func_t get, H5P_prp_delete_func_t prp_del,
                    H5P_prp_copy_func_t copy, H5P_prp_compare_func_t compare, H5P_prp_close_func_t close)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to register property in class",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list class"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "invalid class name"));
    struct ts_prop_spec spec = {.name = name, .size = size, .def = def_value};
    struct ts_prop_calls calls = {create, set, get, prp_del, copy, compare, close};
    return TS_API_RET(register_prop(&ts_scope_, cls_id, &spec, &calls));
}

herr_t H5Pregister1(hid_t cls_id, const char *name, size_t size, void *def_value, H5P_prp_create_func_t create,
                    H5P_prp_set_func_t set, H5P_prp_get_func_t get, H5P_prp_delete_func_t prp_del,
                    H5P_prp_copy_func_t copy, H5P_prp_close_func_t close)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to register property in class",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list class"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "invalid class name"));
    struct ts_prop_spec spec = {.name = name, .size = size, .def = def_value};
    struct ts_prop_calls calls = {create, set, get, prp_del, copy, NULL, close};
    return TS_API_RET(register_prop(&ts_scope_, cls_id, &spec, &calls));
}

herr_t H5Punregister(hid_t pclass_id, const char *name)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to remove property from class",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list class"));
    struct ts_plist_class *revision, *cls = TS_API_OBJ(pclass_id, H5I_GENPROP_CLS);
    if (!cls || check_name(name) < 0 || ts_plist_class_unregister(cls, name, &revision) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(adopt_revision(pclass_id, revision));
}

static int insert_prop(struct ts_api_scope *scope, hid_t plist_id, const struct ts_prop_spec *spec,
                       const struct ts_prop_calls *calls)
{
    struct ts_plist *pl = ts_api_any_plist(scope, plist_id);
    if (!pl || check_name(spec->name) < 0)
        return -1;
    if (spec->size > 0 && !spec->def)
        return TS_ERR(ARGS, BADVALUE, "properties >0 size must have default: property '%s' has a size but no value",
                      spec->name);
    return check_no_size(spec) < 0 ? -1 : ts_plist_insert(pl, spec, calls);
}

herr_t H5Pinsert2(hid_t plist_id, const char *name, size_t size, void *value, H5P_prp_set_func_t set,
                  H5P_prp_get_func_t get, H5P_prp_delete_func_t prp_del, H5P_prp_copy_func_t copy,
                  H5P_prp_compare_func_t compare, H5P_prp_close_func_t close)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to register property in plist",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    struct ts_prop_spec spec = {.name = name, .size = size, .def = value};
    struct ts_prop_calls calls = {NULL, set, get, prp_del, copy, compare, close};
    return TS_API_RET(insert_prop(&ts_scope_, plist_id, &spec, &calls));
}

herr_t H5Pinsert1(hid_t plist_id, const char *name, size_t size, void *value, H5P_prp_set_func_t set,
                  H5P_prp_get_func_t get, H5P_prp_delete_func_t prp_del, H5P_prp_copy_func_t copy,
                  H5P_prp_close_func_t close)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to register property in plist",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    struct ts_prop_spec spec = {.name = name, .size = size, .def = value};
    struct ts_prop_calls calls = {NULL, set, get, prp_del, copy, NULL, close};
    return TS_API_RET(insert_prop(&ts_scope_, plist_id, &spec, &calls));
}

herr_t H5Pset(hid_t plist_id, const char *name, const void *value)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to set value in plist", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl || check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (!value)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalied property value: no value for property '%s'", name);
    return TS_API_RET(ts_plist_user_set(pl, name, value));
}

herr_t H5Pget(hid_t plist_id, const char *name, void *value)
{
    TS_API_ENTER(PLIST, CANTGET, "unable to query property value", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl || check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (!value)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalied property value: nowhere to put property '%s'", name);
    return TS_API_RET(ts_plist_user_get(pl, name, value));
}

static const char *kind_name(hid_t id)
{
    return ts_id_made_for(id) == H5I_GENPROP_LST ? "list" : "class";
}

htri_t H5Pexist(hid_t id, const char *name)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property object"));
    struct either of;
    if (check_either(id) < 0 || check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (EITHER(id, &of) < 0)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a property %s", kind_name(id));
    return of.pl ? ts_plist_has(of.pl, name) : ts_plist_class_has(of.cls, name);
}

herr_t H5Pget_size(hid_t id, const char *name, size_t *size)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to query size in plist",
                 TS_BAD_ID(ARGS, BADTYPE, "not a property object"));
    struct either of;
    if (check_either(id) < 0 || check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (!size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid property size");
    if (EITHER(id, &of) < 0)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a property list");
    return TS_API_RET(of.pl ? ts_plist_size(of.pl, name, size) : ts_plist_class_size(of.cls, name, size));
}

herr_t H5Pget_nprops(hid_t id, size_t *nprops)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(ARGS, BADTYPE, "not a property object"));
    struct either of;
    if (check_either(id) < 0)
        return TS_API_FAIL(-1);
    if (!nprops)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid property nprops pointer");
    if (EITHER(id, &of) < 0)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a property %s", kind_name(id));
    *nprops = of.pl ? ts_plist_nprops(of.pl) : ts_plist_class_nprops(of.cls);
    return 0;
}

herr_t H5Premove(hid_t plist_id, const char *name)
{
    TS_API_ENTER(PLIST, CANTDELETE, "unable to remove property", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl || check_name(name) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_plist_remove(pl, name));
}

herr_t H5Pcopy_prop(hid_t dst_id, hid_t src_id, const char *name)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list", TS_BAD_ID(ARGS, BADTYPE, "not property objects"),
                 TS_WRONG(NAME, ARGS, BADVALUE, "no name given"));
    struct either dst, src;
    if (src_id <= 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid source ID");
    if (dst_id <= 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid destination ID");
    if (check_either(dst_id) < 0 || check_either(src_id) < 0)
        return TS_API_FAIL(-1);
    if (ts_id_made_for(dst_id) != ts_id_made_for(src_id))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not the same kind of property objects");
    if (check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (EITHER(dst_id, &dst) < 0 || EITHER(src_id, &src) < 0)
        return TS_API_ERR(-1, PLIST, CANTCOPY, "can't copy property between %s",
                          ts_id_made_for(dst_id) == H5I_GENPROP_LST ? "lists" : "classes");
    if (dst.pl)
        return TS_API_RET(ts_plist_copy_prop(dst.pl, src.pl, name));
    struct ts_plist_class *revision;
    if (ts_plist_class_copy_prop(dst.cls, src.cls, name, &revision) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(adopt_revision(dst_id, revision));
}

htri_t H5Pequal(hid_t id1, hid_t id2)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list",
                 TS_BAD_ID(ARGS, BADTYPE, "not property objects"));
    struct either a, b;
    if (check_either(id1) < 0 || check_either(id2) < 0)
        return TS_API_FAIL(-1);
    if (ts_id_made_for(id1) != ts_id_made_for(id2))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not the same kind of property objects");
    if (EITHER(id1, &a) < 0 || EITHER(id2, &b) < 0)
        return TS_API_FAIL(-1);
    return a.pl ? ts_plist_equal(a.pl, b.pl) : ts_plist_class_equal(a.cls, b.cls);
}

htri_t H5Pisa_class(hid_t plist_id, hid_t pclass_id)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    const struct ts_plist *pl = TS_API_OBJ(plist_id, H5I_GENPROP_LST);
    if (!pl && !ts_api_gone(plist_id, H5I_GENPROP_LST))
        return TS_API_FAIL(-1);
    const struct ts_plist_class *cls = TS_API_OBJ(pclass_id, H5I_GENPROP_CLS);
    if (!cls && !ts_api_gone(pclass_id, H5I_GENPROP_CLS))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a property class");
    if (!pl || !cls)
        return TS_API_ERR(-1, PLIST, CANTREGISTER, "unable to compare property list classes");
    return ts_plist_class_isa(ts_plist_class_of(pl), cls);
}

int H5Piterate(hid_t id, int *idx, H5P_iterate_t iter_func, void *iter_data)
{
    TS_API_ENTER(PLIST, CANTREGISTER, "unable to iterate over list", TS_BAD_ID(ARGS, BADTYPE, "not a property object"));
    struct either of;
    char **names;
    size_t n;
    if (EITHER(id, &of) < 0)
        return TS_API_FAIL(-1);
    if (!iter_func)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid iteration callback");
    if ((of.pl ? ts_plist_names(of.pl, &names, &n) : ts_plist_class_names(of.cls, &names, &n)) < 0)
        return TS_API_FAIL(-1);
    int ret = 0;
    size_t i = 0, from = idx && *idx > 0 ? (size_t)*idx : 0;
    for (; ret == 0 && i < n; i++)
        if (i >= from)
            ret = iter_func(id, names[i], iter_data);
    if (idx)
        *idx = (int)(ret ? i - 1 : i);
    ts_plist_names_free(names, n);
    if (ret < 0)
        TS_ERR(PLIST, CANTREGISTER, "unable to iterate over %s", of.pl ? "list" : "class");
    return TS_API_RET(ret);
}

static int encode(struct ts_api_scope *scope, hid_t plist_id, void *buf, size_t *nalloc)
{
    struct ts_plist *pl = ts_api_any_plist(scope, plist_id);
    struct ts_wr w = {0};
    if (!pl)
        return -1;
    if (!nalloc)
        return TS_ERR(PLIST, BADVALUE, "nowhere to put the size");
    if (ts_plist_encode(pl, &w) < 0) {
        ts_wr_free(&w);
        return -1;
    }
    /* A buffer that is too small is left alone; the size says what is needed. */
    if (buf && *nalloc >= w.size)
        memcpy(buf, w.data, w.size);
    *nalloc = w.size;
    ts_wr_free(&w);
    return 0;
}

herr_t H5Pencode1(hid_t plist_id, void *buf, size_t *nalloc)
{
    TS_API_ENTER(PLIST, CANTENCODE, "unable to encode property list", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    return TS_API_RET(encode(&ts_scope_, plist_id, buf, nalloc));
}

herr_t H5Pencode2(hid_t plist_id, void *buf, size_t *nalloc, hid_t fapl_id)
{
    TS_API_ENTER(PLIST, CANTENCODE, "unable to encode property list", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    if (!TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS))
        return TS_API_FAIL(-1);
    return TS_API_RET(encode(&ts_scope_, plist_id, buf, nalloc));
}

herr_t H5Pencode(hid_t plist_id, void *buf, size_t *nalloc)
{
    TS_API_ENTER(PLIST, CANTENCODE, "unable to encode property list", TS_BAD_ID(ARGS, BADTYPE, "not a property list"));
    return TS_API_RET(encode(&ts_scope_, plist_id, buf, nalloc));
}

hid_t H5Pdecode(const void *buf)
{
    TS_API_ENTER(PLIST, CANTDECODE, "unable to decode property list");
    if (!buf)
        return TS_API_ERR(-1, PLIST, CANTDECODE, "unable to decode property list: no buffer");
    struct ts_rd r = ts_rd_init(buf, ANY_LENGTH);
    struct ts_plist *pl;
    if (ts_plist_decode(&r, &pl) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(publish(pl, NULL));
}
