/* How classes and lists are built: for the files in this folder and for H5P.c. */
#ifndef TS_PLIST_ENGINE_H
#define TS_PLIST_ENGINE_H

#include <stdint.h>

#include "base/cursor.h"
#include "plist/property.h"

/* What the library can do with a value that is more than its bytes. Members may be NULL. */
struct ts_prop_ops {
    int (*copy)(void *value); /* makes a bitwise copy independent of its source */
    void (*close)(void *value);
    int (*cmp)(const void *a, const void *b);                        /* NULL: memcmp */
    void (*encode)(const void *value, size_t size, struct ts_wr *w); /* NULL: not in the encoded form of a list */
    int (*decode)(struct ts_rd *r, void *value, size_t size);
    /* Where the application has an id for what the list holds: how a value goes out, and how it comes in. */
    int (*give)(void *value);
    int (*take)(void *value);
    bool (*given)(const void *value); /* of a quiet property: whether someone set it; only then it is encoded */
};

enum {
    TS_PROP_OWN = 1,   /* every new list has its own value from the start */
    TS_PROP_QUIET = 2, /* newer than the release whose lists ours must look like: not counted, iterated;
                        * encoded only when ops->given says so */
};

/* One of a class's typed properties; `def` is the address of its default. */
#define TS_PROPERTY_SPEC(list, property, def, ops, flags)                                                              \
    {                                                                                                                  \
        TS_PROPERTY_NAME(list, property), sizeof(TS_PROPERTY_TYPE(list, property)),                                    \
            1 ? (def) : (const TS_PROPERTY_TYPE(list, property) *)0, ops, flags                                        \
    }

struct ts_prop_spec {
    const char *name;
    size_t size;
    const void *def; /* NULL: zeros */
    const struct ts_prop_ops *ops;
    unsigned flags;
};

/* Callbacks of a property that the application defined. */
struct ts_prop_calls {
    H5P_prp_create_func_t create;
    H5P_prp_set_func_t set;
    H5P_prp_get_func_t get;
    H5P_prp_delete_func_t del;
    H5P_prp_copy_func_t copy;
    H5P_prp_compare_func_t cmp;
    H5P_prp_close_func_t close;
};

struct ts_plist_class_calls {
    H5P_cls_create_func_t create;
    H5P_cls_copy_func_t copy;
    H5P_cls_close_func_t close;
    void *create_data, *copy_data, *close_data;
};

/* Classes. */
void ts_plist_class_ref(struct ts_plist_class *cls);
/* Of a class, for struct ts_id_class. */
struct ts_count *ts_plist_class_count(void *cls, unsigned i);
void ts_plist_class_unref(struct ts_plist_class *cls);
int ts_plist_class_new(struct ts_plist_class *parent, const char *name, const struct ts_plist_class_calls *calls,
                       struct ts_plist_class **out);
/* Adds a property. When lists or classes were made from the class, *out is a new revision of it that the caller owns;
 * otherwise *out is NULL and the class itself was changed. */
int ts_plist_class_register(struct ts_plist_class *cls, const struct ts_prop_spec *spec,
                            const struct ts_prop_calls *calls, struct ts_plist_class **out);
int ts_plist_class_unregister(struct ts_plist_class *cls, const char *name, struct ts_plist_class **out);
int ts_plist_class_copy(struct ts_plist_class *cls, struct ts_plist_class **out);
/* Registers a property of src in dst, replacing one of the same name; *out as above. */
int ts_plist_class_copy_prop(struct ts_plist_class *dst, struct ts_plist_class *src, const char *name,
                             struct ts_plist_class **out);
bool ts_plist_class_equal(const struct ts_plist_class *a, const struct ts_plist_class *b);
bool ts_plist_class_isa(const struct ts_plist_class *cls, const struct ts_plist_class *ancestor);
struct ts_plist_class *ts_plist_class_parent(const struct ts_plist_class *cls); /* borrowed */
struct ts_plist_class *ts_plist_class_predefined(enum ts_plist_kind kind);      /* borrowed */
size_t ts_plist_class_nprops(struct ts_plist_class *cls);                       /* without those of its parents */
bool ts_plist_class_has(struct ts_plist_class *cls, const char *name);
int ts_plist_class_size(struct ts_plist_class *cls, const char *name, size_t *size);

/* Lists. The id is what callbacks get; 0 while there is none. */
int ts_plist_create(struct ts_plist_class *cls, struct ts_plist **out);
void ts_plist_set_id(struct ts_plist *pl, hid_t id);
/* Runs the callbacks of the class chain after the list has got its id. */
int ts_plist_created(struct ts_plist *pl);
int ts_plist_copied(struct ts_plist *pl, struct ts_plist *src);
/* Callbacks of the class chain at H5Pclose, while the id is alive. */
void ts_plist_closing(struct ts_plist *pl);

/* As the application sees them: user callbacks run, deep values are copied. */
int ts_plist_user_set(struct ts_plist *pl, const char *name, const void *value);
int ts_plist_user_get(struct ts_plist *pl, const char *name, void *value);
int ts_plist_insert(struct ts_plist *pl, const struct ts_prop_spec *spec, const struct ts_prop_calls *calls);
int ts_plist_remove(struct ts_plist *pl, const char *name);
int ts_plist_copy_prop(struct ts_plist *dst, struct ts_plist *src, const char *name);
bool ts_plist_has(struct ts_plist *pl, const char *name);
int ts_plist_size(struct ts_plist *pl, const char *name, size_t *size);
size_t ts_plist_nprops(struct ts_plist *pl);
bool ts_plist_equal(struct ts_plist *a, struct ts_plist *b);
/* The names in the order of iteration; the caller frees the array with ts_plist_names_free. */
int ts_plist_names(struct ts_plist *pl, char ***names, size_t *n);
int ts_plist_all_names(struct ts_plist *pl, char ***names, size_t *n); /* the quiet ones too */
int ts_plist_class_names(struct ts_plist_class *cls, char ***names, size_t *n);
void ts_plist_names_free(char **names, size_t n);

/* A value of any size, under the list's lock until ts_plist_release; nothing may call back into the list until then.
 * NULL and an error when there is no such property. Whoever knows its type asks for that (property.h). */
const void *ts_plist_hold(const struct ts_plist *pl, const char *name);

/* Encoded lists: codec.c. */
int ts_plist_encode(struct ts_plist *pl, struct ts_wr *w);
int ts_plist_decode(struct ts_rd *r, struct ts_plist **out);
/* For the codec: the operations of a property; the value is held by the caller. */
const struct ts_prop_ops *ts_plist_ops(const struct ts_plist *pl, const char *name, size_t *size, bool *quiet);
int ts_plist_kind_of(const struct ts_plist_class *cls); /* -1 for classes of the application */

/* Operations of plain values. */
extern const struct ts_prop_ops ts_prop_plain;    /* not encoded */
extern const struct ts_prop_ops ts_prop_byte;     /* one byte in memory and encoded: uint8_t, bool */
extern const struct ts_prop_ops ts_prop_enum;     /* int in memory, one byte encoded */
extern const struct ts_prop_ops ts_prop_unsigned; /* a length byte and 4 bytes */
extern const struct ts_prop_ops ts_prop_size;     /* size_t, hsize_t: length byte, then as many bytes as needed */
extern const struct ts_prop_ops ts_prop_double;
extern const struct ts_prop_ops ts_prop_string;       /* char *, owned */
extern const struct ts_prop_ops ts_prop_given_string; /* the same; of a quiet property, encoded when it is not NULL */
void ts_prop_write_size(struct ts_wr *w, uint64_t v);
uint64_t ts_prop_read_size(struct ts_rd *r);
char *ts_prop_read_string(struct ts_rd *r, size_t n);

/* The classes' own files. Each is called once per start of the library, with its class made. */
int ts_plist_define(enum ts_plist_kind kind, const struct ts_prop_spec *specs, size_t n);
int ts_ocpl_define(void);
int ts_fcpl_define(void);
int ts_fapl_define(void);
int ts_dcpl_define(void);
int ts_dapl_define(void);
int ts_dxpl_define(void);
int ts_fmpl_define(void);
int ts_gcpl_define(void);
int ts_strcpl_define(void);
int ts_ocpypl_define(void);
int ts_lcpl_define(void);
int ts_lapl_define(void);
int ts_mapl_define(void);
/* All predefined classes and default lists. */
int ts_plist_start(void);
/* Lets go of them; the library closes. */
void ts_plist_stop(void);

#endif
