/* The handle table: what an hid_t stands for. The type of an id is in its bits 56 to 62, its number below.
 *
 * An object has its own reference count; the table owns one reference per id. Whoever uses an object takes a
 * reference of its own with ts_id_pin, so that another thread may close the id meanwhile. */
#ifndef TS_ID_ID_H
#define TS_ID_ID_H

#include <stdbool.h>
#include <stddef.h>

#include "H5Ipublic.h"
#include "base/count.h"
#include "event/promise.h"

struct ts_id_class {
    void (*ref)(void *obj);
    void (*unref)(void *obj);
    /* Optional: an error when the application may not close the object now. The id stays. */
    int (*may_close)(void *obj);
    /* Optional: an id of the application is gone, and with it its reference, as by unref. */
    void (*close)(void *obj);
    /* Optional: the counts of references that change whenever it is used, NULL behind the last: they are spread when
     * many threads use an id. */
    struct ts_count *(*count)(void *obj, unsigned i);
};

/* Says how objects of a library type are counted. The class is borrowed for ever. */
int ts_id_class_set(H5I_type_t type, const struct ts_id_class *cls);

/* Takes over one reference; negative on error, and then the reference was not taken. */
hid_t ts_id_register(H5I_type_t type, void *obj);
/* The same for the library's own objects (predefined datatypes, default lists): the application holds no reference,
 * so H5Iget_ref says 0 and H5Iis_valid says no, and closing is refused. */
hid_t ts_id_register_hidden(H5I_type_t type, void *obj);

/* An id that stands for nothing yet: nobody finds it before ts_id_fill, which cannot fail, gives it the object. For
 * calls that make something in a file, and must not fail for want of an id when it is made. */
hid_t ts_id_reserve(H5I_type_t type);
void ts_id_fill(hid_t id, void *obj);
void ts_id_unreserve(hid_t id);

/* The library's own: the id goes, and its reference. */
void ts_id_drop(hid_t id);

/* An id of an object that an operation of an event set is going to make, for the application; of H5I_UNINIT when nobody
 * knows yet of what type. Whoever uses it waits. */
hid_t ts_id_promise(H5I_type_t type, struct ts_promise *promise);
/* The object of an id is about to be replaced by such an operation: whoever uses it waits. */
int ts_id_promise_again(hid_t id, H5I_type_t type, struct ts_promise *promise);
/* What `made` stands for is what was promised; `made` itself goes, unless the type was unknown. Cannot fail. */
void ts_id_keep_promise(hid_t id, struct ts_promise *promise, hid_t made);
/* There will be none: the id stands for nothing, and can only be closed; or for what it did before. */
void ts_id_break_promise(hid_t id, struct ts_promise *promise);
/* Closes an id that came to nothing; false when it is another. ts_id_dec and ts_id_close do the same. */
bool ts_id_forget_broken(hid_t id);
/* For operations: 1 and a reference to the object of an id; or 0, and the object comes when it is there. */
int ts_id_hold(hid_t id, struct ts_hold *hold);
/* An operation will close the id, of one of these types (1 << type): until then nobody finds it, unless it counts for
 * others, too. */
int ts_id_leave(hid_t id, unsigned of_types);
/* It is time: the calling thread closes it, and is the only one to find it. */
void ts_id_close_now(hid_t id);
/* If it was not closed it is as it was. */
void ts_id_stay(hid_t id);

/* A new reference to the object of an id; NULL and an error when there is none or it is of another type. */
void *ts_id_pin(hid_t id, H5I_type_t type);
/* The same for an id of any library type; *type says which it is. */
void *ts_id_pin_any(hid_t id, H5I_type_t *type);
void ts_id_unpin(H5I_type_t type, void *obj);
void ts_id_pin_again(H5I_type_t type, void *obj);

/* H5I_BADID, without an error, when there is no such id. */
H5I_type_t ts_id_type(hid_t id);
/* The type it had, for an id that need not be there any more. */
H5I_type_t ts_id_made_for(hid_t id);
const char *ts_id_type_name(H5I_type_t type);

/* Counts of the application. The new count or a negative value; the object's reference is dropped at 0. When something
 * went wrong with that (ts_err_owe) the result is negative, and the id gone all the same. */
int ts_id_inc(hid_t id);
int ts_id_dec(hid_t id);
/* The same for an id that must be of that type, one of the library's. */
int ts_id_close(hid_t id, H5I_type_t type);
/* The same for an id that a callback was lent: nothing is closed by it. */
int ts_id_take_back(hid_t id);
int ts_id_count(hid_t id);
bool ts_id_hidden(hid_t id);

/* Lets the id stand for another object; the reference to the old one passes to the caller. */
int ts_id_replace(hid_t id, H5I_type_t type, void *obj, void **old);

/* Calls the function with the object, which nobody can pin meanwhile: when its count is 1 the function may change it.
 * What the function returns; it must be quick and must not use ids. */
int ts_id_update(hid_t id, H5I_type_t type, int (*update)(void *obj, void *ctx), void *ctx);

/* All ids of a type, those that a thread made oldest first; the array is the caller's. Hidden ones only when asked for.
 */
int ts_id_list(H5I_type_t type, bool hidden, hid_t **ids, size_t *n);
size_t ts_id_members(H5I_type_t type);

/* Removes ids whose count is 1, with `force` all. Hidden ids stay. */
int ts_id_clear(H5I_type_t type, bool force);
/* Drops everything of every library type, and all user types: the library closes. What goes wrong is owed. */
void ts_id_close_all(void);

/* While a function of the application runs in this thread that the library calls in the middle of a file's metadata, no
 * id gives access to a file or what is in one, and none of those is closed: it would find things half done, or wait for
 * itself. Calls nest. */
void ts_id_shut_files(bool shut);
bool ts_id_files_shut(void);

/* An id whose object the application makes when it is first looked for. */
struct ts_future {
    void *object;                      /* stands in for it */
    H5I_future_realize_func_t realize; /* gives an id of the object that it makes */
    H5I_future_discard_func_t discard; /* `object` is not needed any more */
};

hid_t ts_id_register_future(H5I_type_t type, const struct ts_future *future);

/* Types of the application. Objects are bare pointers; free_func may be NULL. */
H5I_type_t ts_id_user_type_new(H5I_free_t free_func);
bool ts_id_user_type_exists(H5I_type_t type);
bool ts_id_user_type_known(H5I_type_t type);         /* exists or did once */
int ts_id_user_type_ref(H5I_type_t type, int delta); /* the new count; at 0 the type is destroyed */
int ts_id_user_type_destroy(H5I_type_t type);
hid_t ts_id_user_register(H5I_type_t type, void *obj);
/* NULL, without an error, when there is no such id or it stands for nothing. */
void *ts_id_user_object(hid_t id, H5I_type_t type);
void *ts_id_user_remove(hid_t id, H5I_type_t type);

#endif
