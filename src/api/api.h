/* What every public function begins and ends with. This folder checks arguments, resolves ids, calls down and reports;
 * what a function means is decided below.
 *
 *     herr_t H5Xfoo(hid_t id)
 *     {
 *         TS_API_ENTER(DATASET, CANTGET, "can't get something of the dataset");
 *         struct ts_dataset *d = TS_API_OBJ(id, H5I_DATASET);
 *         if (!d)
 *             return TS_API_FAIL(-1);
 *         return TS_API_RET(ts_something(d));
 *     }
 *
 * When the scope ends in failure, the thread's error stack is reported as H5Eset_auto asks; then all pinned objects are
 * let go. What is still owed then (ts_err_owe) nobody can be told by a value: it is printed. A failure whose newest
 * record is not the public function's own gets one for it, which is said where the function begins
 * (outer_records.h). */
#ifndef TS_API_API_H
#define TS_API_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Ipublic.h"
#include "api/outer_records.h"
#include "base/error.h"
#include "id/id.h"
#include "plist/plist.h"

struct ts_api_pin {
    H5I_type_t type;
    void *obj;
    hid_t id; /* 0: it came without one */
};

#define TS_API_INLINE_PINS 8

#define TS_API_NOWHERE INT64_MIN

struct ts_api_scope {
    const struct ts_api_function *function;
    const char *name; /* what the call is about, for its record */
    hid_t where;      /* the location it is given */
    bool failed;
    struct ts_err_stack *errors; /* the thread's: it takes longer to find than to look at */
    unsigned owed;               /* by the thread, that is not this function's to pay */
    unsigned mark;               /* records that were there before, of functions that leave them */
    unsigned n_pins;
    size_t n_more, more_capacity;
    struct ts_api_pin pins[TS_API_INLINE_PINS];
    struct ts_api_pin *more;
};

void ts_api_enter(struct ts_api_scope *scope, bool clear);
void ts_api_leave(struct ts_api_scope *scope);
void ts_api_failed(struct ts_api_scope *scope, unsigned line);
/* Lets go of all pins; negative when something is owed now (ts_err_owe). */
int ts_api_let_go(struct ts_api_scope *scope);
/* Lets go of all pins, for another way of doing the same. */
void ts_api_unpin_all(struct ts_api_scope *scope);

/* Pin until the scope ends; what was pinned before is the same again. NULL and an error when the id is something else.
 */
void *ts_api_pin(struct ts_api_scope *scope, hid_t id, H5I_type_t type);
void *ts_api_pin_any(struct ts_api_scope *scope, hid_t id, H5I_type_t *type);
/* For functions that take one from an id's count: a type that was locked lives as long as the library. */
int ts_api_check_not_last(struct ts_api_scope *scope, hid_t id);
/* As an argument beside the one that the function works on: the datatype, the dataspace. */
void *ts_api_pin_argument(struct ts_api_scope *scope, hid_t id, H5I_type_t type);
/* Whether the id stood for such a thing and does so no more: libhdf5 says so in other words than of an id of another
 * type. */
static inline bool ts_api_gone(hid_t id, H5I_type_t type)
{
    return ts_id_made_for(id) == type && ts_id_type(id) == H5I_BADID;
}
/* H5P_DEFAULT is the default list of the kind; any other list must be of that class or one derived from it. */
struct ts_plist *ts_api_plist(struct ts_api_scope *scope, hid_t id, enum ts_plist_kind kind);
/* The list of an id, of whatever class. */
struct ts_plist *ts_api_any_plist(struct ts_api_scope *scope, hid_t id);
/* Lets the scope drop a reference that the caller owns. */
int ts_api_adopt(struct ts_api_scope *scope, H5I_type_t type, void *obj);

/* Pins are set when they are used: every call of the library comes here. */
static inline void ts_api_scope_init(struct ts_api_scope *scope, const struct ts_api_function *function)
{
    scope->function = function;
    scope->name = NULL;
    scope->where = TS_API_NOWHERE;
    scope->failed = false;
    scope->n_pins = 0;
    scope->n_more = scope->more_capacity = 0;
    scope->more = NULL;
}

#define TS_API_SCOPE_(clear)                                                                                           \
    struct ts_api_scope ts_scope_ __attribute__((cleanup(ts_api_leave)));                                              \
    ts_api_scope_init(&ts_scope_, &ts_function_);                                                                      \
    ts_api_enter(&ts_scope_, clear)

#define TS_API_RECORDS_(maj, min, text, ...)                                                                           \
    {                                                                                                                  \
        TS_OUTER_ROW(TS_OUTER_DEEP, 0, 0, 0, maj, min, text), __VA_ARGS__                                              \
    }
/* What the function says when it fails: for those whose scope begins elsewhere (async.h). */
#define TS_API_SAYS(maj, min, ...)                                                                                     \
    static const struct ts_outer_record ts_records_[] =                                                                \
        TS_API_RECORDS_(maj, min, __VA_ARGS__, {.when = TS_OUTER_END});                                                \
    static const struct ts_api_function ts_function_ = {__FILE__, __func__, ts_records_}

/* TS_API_ENTER(DATASET, READERROR, "can't read data"), and what it says of other failures: outer_records.h. */
#define TS_API_ENTER(maj, min, ...)                                                                                    \
    TS_API_SAYS(maj, min, __VA_ARGS__);                                                                                \
    TS_API_SCOPE_(true)
/* For functions that look at the error stack. */
#define TS_API_ENTER_NOCLEAR(maj, min, ...)                                                                            \
    TS_API_SAYS(maj, min, __VA_ARGS__);                                                                                \
    TS_API_SCOPE_(false)

#define TS_API_OBJ(id, type) ts_api_pin(&ts_scope_, (id), (type))
#define TS_API_OBJ_ANY(id, type_out) ts_api_pin_any(&ts_scope_, (id), (type_out))
#define TS_API_PLIST(id, kind) ts_api_plist(&ts_scope_, (id), (kind))

#define TS_API_FAIL(value) (ts_api_failed(&ts_scope_, __LINE__), (value))
/* Fails with a record of the function's own: TS_API_ERR(-1, ARGS, BADVALUE, "no name"). */
#define TS_API_ERR(value, maj, min, ...) (TS_ERR(maj, min, __VA_ARGS__), TS_API_FAIL(value))
/* For functions whose location is the first thing to be wrong, whatever other argument is. */
#define TS_API_AT(id) ((void)(ts_scope_.where = (id)))
/* For functions whose record names what they failed on. */
#define TS_API_ABOUT(what) ((void)(ts_scope_.name = (what)))
/* Returns the value; a negative one is a failure. An int becomes one when letting go of what the function used goes
 * wrong: the last reference to a file may be here. */
#define TS_API_RET(value)                                                                                              \
    __extension__({                                                                                                    \
        __typeof__(value) ts_ret_ = (value);                                                                           \
        if (ts_ret_ >= 0 && _Generic(ts_ret_, int : ts_api_let_go(&ts_scope_), default : 0) < 0)                       \
            ts_ret_ = -1;                                                                                              \
        if (ts_ret_ < 0)                                                                                               \
            ts_api_failed(&ts_scope_, __LINE__);                                                                       \
        ts_ret_;                                                                                                       \
    })
/* The id of an object whose reference the caller owns; it is let go when there is no id to be had. */
#define TS_API_NEW_ID(type, obj) ts_api_new_id(&ts_scope_, (type), (obj), __LINE__)
hid_t ts_api_new_id(struct ts_api_scope *scope, H5I_type_t type, void *obj, unsigned line);
/* The same of a property list, which knows its id: functions of the application are given it. */
hid_t ts_api_list_id(struct ts_plist *list);
#define TS_API_NEW_LIST(list) ts_api_new_list(&ts_scope_, (list), __LINE__)
hid_t ts_api_new_list(struct ts_api_scope *scope, struct ts_plist *list, unsigned line);

/* Starts the library when it is not running: ids of predefined things, id classes, the hook that closes at exit. */
void ts_api_init(void);
/* Closes every id. The next API call starts the library again. Negative when not all could be written; then the records
 * are on the thread's stack. */
int ts_api_close(void);
bool ts_api_closing(void);
/* Fails once the hook is in place. */
int ts_api_no_atexit(void);
int ts_api_at_close(void (*func)(void *ctx), void *ctx);

/* Each interface's part of the start; may run again after H5close. */
void ts_plist_api_init(void);
void ts_driver_api_init(void);
void ts_connector_api_init(void);
void ts_filter_api_init(void);
void ts_space_api_init(void);
void ts_type_api_init(void);
void ts_group_api_init(void);
void ts_dataset_api_init(void);
void ts_attr_api_init(void);
void ts_event_api_init(void);

/* H5E.c: reports the thread's stack as the automatic setting says. */
void ts_error_api_report(void);
/* In this thread nothing is reported. */
void ts_error_api_quiet(void);

/* The ssize_t convention of name getters: copies what fits with a NUL, returns the full length. */
size_t ts_api_copy_name(char *dst, size_t size, const char *name);
/* The convention of H5Sencode and H5Tencode: says the size that is needed when the buffer is missing or too small,
 * which is no failure; of a buffer that is large enough HDF5 does not say how much of it was used. */
struct ts_wr;
void ts_api_give_encoding(const struct ts_wr *w, void *buf, size_t *nalloc);

#endif
