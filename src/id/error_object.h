/* What H5E has ids for: error classes, messages of a class, and error stacks. */
#ifndef TS_ID_ERROR_OBJECT_H
#define TS_ID_ERROR_OBJECT_H

#include <stdatomic.h>
#include <stdio.h>

#include "H5Epublic.h"
#include "base/error.h"
#include "base/lock.h"

struct ts_err_class {
    atomic_uint refs;
    char *name, *lib, *version;
};

struct ts_err_msg {
    atomic_uint refs;
    struct ts_err_class *cls;
    H5E_type_t type;
    char *text;
};

/* How errors are reported by themselves. */
struct ts_err_report {
    bool set; /* false: the library's default, printing */
    bool is_v1;
    H5E_auto1_t v1;
    H5E_auto2_t v2;
    void *data;
};

struct ts_err_object {
    atomic_uint refs;
    struct ts_mutex lock;
    struct ts_err_stack stack;
    struct ts_err_report report;
};

/* Registers the kinds of ids, and the library's own class and messages. */
void ts_err_objects_init(void);

struct ts_err_class *ts_err_class_new(const char *name, const char *lib, const char *version);
void ts_err_class_unref(void *obj);
/* The messages of a class go with it. */
int ts_err_class_drop_messages(const struct ts_err_class *cls);

struct ts_err_msg *ts_err_msg_new(struct ts_err_class *cls, H5E_type_t type, const char *text);
void ts_err_msg_unref(void *obj);

/* Copies src's records behind dst's; what does not fit is left out. */
int ts_err_stack_append(struct ts_err_stack *dst, const struct ts_err_stack *src);
/* A record of the application's, with copies of the names; takes its long text over. */
int ts_err_stack_push(struct ts_err_stack *stack, struct ts_err_record *given, const char *file, const char *func);

struct ts_err_object *ts_err_object_new(void);
void ts_err_object_unref(void *obj);

/* One of the functions is set, or none. */
struct ts_err_walk {
    H5E_direction_t direction;
    H5E_walk2_t v2;
    H5E_walk1_t v1;
    void *data;
};

/* On a copy: the function may call anything, and that clears the stack. */
int ts_err_object_walk(const struct ts_err_stack *stack, const struct ts_err_walk *w);

/* For walks: prints each record. */
struct ts_err_print {
    FILE *stream;
    hid_t cls; /* of the record before */
};

herr_t ts_err_print_one(unsigned n, const H5E_error2_t *e, void *print);

#endif
