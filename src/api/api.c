/* What every public function begins and ends with (api.h); starting and closing the library. */
#include "api/api.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/default_driver.h"
#include "api/place.h"
#include "base/alloc.h"
#include "base/cursor.h"
#include "base/lock.h"
#include "container/ids.h"
#include "event/event.h"
#include "filter/filter.h"
#include "filter/plugin.h"
#include "id/error_object.h"
#include "plist/engine.h"
#include "type/conv.h"

enum state { CLOSED, STARTING, RUNNING, CLOSING };

struct at_close {
    void (*func)(void *ctx);
    void *ctx;
};

static _Atomic int state = CLOSED;
static atomic_bool no_atexit; /* asked for, or the hook is in place already */
static struct ts_mutex init_lock = TS_MUTEX_INIT(TS_RANK_API_START);
static struct ts_mutex hooks_lock = TS_MUTEX_INIT(TS_RANK_API_HOOKS);
static struct at_close *hooks;
static size_t n_hooks, hooks_capacity;
/* The thread that starts or closes the library may call into it on the way. */
static _Thread_local bool inside_init;

/* For those whom no value can tell: records from the first on. */
static void tell_on_stderr(const char *where, unsigned first)
{
    const struct ts_err_stack *errors = ts_err_current();
    fprintf(stderr, "Tessera, %s: not all data could be written\n", where);
    for (unsigned i = first; i < errors->depth; i++)
        fprintf(stderr, "    %s\n", ts_err_text(&errors->rec[i]));
}

static void at_exit(void)
{
    if (ts_api_close() < 0)
        tell_on_stderr("at the end of the program", 0);
}

static void start(void)
{
    static bool hooked; /* under init_lock */
    inside_init = true;
    atomic_store(&state, STARTING);
    if (!hooked && !atomic_exchange(&no_atexit, true))
        hooked = atexit(at_exit) == 0;
    ts_err_objects_init();
    ts_plist_api_init();
    ts_driver_api_init();
    ts_connector_api_init();
    ts_filter_api_init();
    ts_space_api_init();
    ts_type_api_init();
    ts_container_ids_init();
    ts_group_api_init();
    ts_dataset_api_init();
    ts_attr_api_init();
    ts_event_api_init();
    ts_default_driver_init();
    inside_init = false;
    atomic_store_explicit(&state, RUNNING, memory_order_release);
}

void ts_api_init(void)
{
    if (atomic_load_explicit(&state, memory_order_acquire) == RUNNING || inside_init)
        return;
    ts_mutex_lock(&init_lock);
    if (atomic_load(&state) != RUNNING)
        start();
    ts_mutex_unlock(&init_lock);
}

static bool pop_hook(struct at_close *hook)
{
    ts_mutex_lock(&hooks_lock);
    bool any = n_hooks > 0;
    if (any) {
        *hook = hooks[--n_hooks];
    } else {
        ts_free(hooks);
        hooks = NULL;
        hooks_capacity = 0;
    }
    ts_mutex_unlock(&hooks_lock);
    return any;
}

/* Negative when something could not be written. */
static int stop(void)
{
    struct at_close hook;
    unsigned owed = ts_err_owed();
    ts_err_clear();
    /* Operations of event sets call the library, which still runs for them. */
    int status = ts_event_shut();
    inside_init = true;
    atomic_store(&state, CLOSING);
    TS_MAY_CALL_OUT();
    while (pop_hook(&hook))
        hook.func(hook.ctx);
    if (status == 0)
        ts_err_clear();
    ts_id_close_all();
    ts_event_open();
    ts_plist_stop();
    ts_conv_close();
    ts_filter_forget_all();
    ts_plugin_forget_path();
    if (ts_err_owed() != owed)
        status = -1;
    ts_err_pay(owed);
    if (status == 0)
        ts_err_clear();
    inside_init = false;
    atomic_store(&state, CLOSED);
    return status;
}

int ts_api_close(void)
{
    int status = 0;
    if (inside_init)
        return 0;
    ts_mutex_lock(&init_lock);
    if (atomic_load(&state) == RUNNING)
        status = stop();
    ts_mutex_unlock(&init_lock);
    return status;
}

bool ts_api_closing(void)
{
    return atomic_load(&state) == CLOSING;
}

int ts_api_no_atexit(void)
{
    return atomic_exchange(&no_atexit, true) ? -1 : 0;
}

int ts_api_at_close(void (*func)(void *ctx), void *ctx)
{
    ts_mutex_lock(&hooks_lock);
    int ret = TS_GROW(hooks, hooks_capacity, n_hooks + 1);
    if (ret == 0)
        hooks[n_hooks++] = (struct at_close){func, ctx};
    ts_mutex_unlock(&hooks_lock);
    return ret;
}

void ts_api_enter(struct ts_api_scope *scope, bool clear)
{
    ts_api_init();
    scope->errors = ts_err_current();
    scope->owed = scope->errors->owed;
    if (clear)
        ts_err_stack_clear(scope->errors);
    scope->mark = scope->errors->depth;
}

void ts_api_unpin_all(struct ts_api_scope *scope)
{
    while (scope->n_more > 0) {
        struct ts_api_pin *pin = &scope->more[--scope->n_more];
        ts_id_unpin(pin->type, pin->obj);
    }
    ts_free(scope->more);
    scope->more = NULL;
    scope->more_capacity = 0;
    while (scope->n_pins > 0) {
        struct ts_api_pin *pin = &scope->pins[--scope->n_pins];
        ts_id_unpin(pin->type, pin->obj);
    }
}

int ts_api_let_go(struct ts_api_scope *scope)
{
    if (scope->n_pins > 0)
        ts_api_unpin_all(scope);
    return scope->errors->owed == scope->owed ? 0 : -1;
}

/* What letting go leaves on the stack is no part of what the function said. */
void ts_api_leave(struct ts_api_scope *scope)
{
    if (scope->failed) {
        if (scope->errors->paused)
            ts_err_stack_truncate(scope->errors, scope->mark);
        ts_error_api_report();
    }
    if (scope->n_pins == 0 && scope->errors->owed == scope->owed)
        return;
    unsigned mark = scope->errors->depth;
    if (ts_api_let_go(scope) < 0) {
        tell_on_stderr(scope->function->name, scope->failed ? mark : 0);
        ts_err_pay(scope->owed);
    }
    if (scope->errors->depth > mark)
        ts_err_stack_truncate(scope->errors, mark);
}

/* "%s" in the text is the name the call is about; one that ends in "cannot be" goes on as what the check said. */
static void push_outer(const struct ts_api_scope *scope, const struct ts_outer_record *rec, const char *said,
                       unsigned line)
{
    static const char open_end[] = "cannot be";
    const char *mark = strstr(rec->text, "%s"), *rest = said ? strstr(said, open_end) : NULL;
    size_t len = strlen(rec->text);
    bool goes_on = rest && len >= sizeof open_end && strcmp(rec->text + len - strlen(open_end), open_end) == 0;
    int before = mark ? (int)(mark - rec->text) : (int)len;
    ts_err_push(rec->maj, rec->min, scope->function->file, scope->function->name, line, "%.*s%s%s", before, rec->text,
                mark && scope->name ? scope->name : "",
                mark      ? mark + 2
                : goes_on ? rest + strlen(open_end)
                          : "");
}

/* True when resolving an id failed. */
static bool says_bad_id(const struct ts_err_record *top)
{
    return (top->maj == TS_MAJ_ATOM && top->min == TS_MIN_BADATOM) ||
           (top->min == TS_MIN_BADTYPE && (top->maj == TS_MAJ_ARGS || top->maj == TS_MAJ_PLIST));
}

/* Who checks arguments for the function speaks for it, where it has no words of its own for what is wrong. */
static bool speaks_for(const struct ts_api_scope *scope, const struct ts_err_record *top, bool bad_id)
{
    if (top->why == TS_WHY_SAID)
        return true;
    return top->maj == TS_MAJ_ARGS && top->why < TS_WHY_LOCATION && (!bad_id || scope->n_pins > 0);
}

/* The record of the function for a failure whose newest record is `top`; NULL when that one will do. */
static const struct ts_outer_record *outer_record(const struct ts_api_scope *scope, const struct ts_err_record *top,
                                                  bool bad_id)
{
    const struct ts_outer_record *wrong = ts_outer_wrong(scope->function, (enum ts_err_why)top->why);
    if (wrong)
        return wrong;
    if (top->why == TS_WHY_NAME || top->why == TS_WHY_NEW_NAME || top->why == TS_WHY_ATTR_NAME ||
        speaks_for(scope, top, bad_id))
        return NULL;
    bool here = top->why == TS_WHY_LOCATION || top->why == TS_WHY_NO_FILE || (bad_id && top->why < TS_WHY_LOCATION);
    return here ? ts_outer_bad_id(scope->function) : ts_outer_deep(scope->function);
}

/* An argument is wrong, and the location is, too, which libhdf5 looks at first. */
static bool is_nowhere(const struct ts_api_scope *scope, const struct ts_err_record *top)
{
    if (scope->where == TS_API_NOWHERE || top->cls_id != 0 || top->why == TS_WHY_LOCATION ||
        (top->maj != TS_MAJ_ARGS && top->why < TS_WHY_LOCATION))
        return false;
    TS_AUTO_PLACE place = {.path = NULL};
    unsigned mark = ts_err_mark();
    bool found = ts_place_from_id(scope->where, &place) == 0;
    ts_err_rewind(mark);
    return !found;
}

/* Below the others, at the bottom: what they say goes on from there. */
static void word_cause(const struct ts_api_scope *scope, struct ts_err_stack *stack, unsigned line)
{
    static const char first_word[] = "object ";
    struct ts_err_record *bottom = &stack->rec[scope->mark];
    if (stack->depth <= scope->mark || stack->depth == TS_ERR_DEPTH)
        return;
    const struct ts_outer_record *cause = ts_outer_cause(scope->function, bottom);
    if (!cause)
        return;
    ts_err_push(cause->maj, cause->min, scope->function->file, scope->function->name, line, "%s",
                cause->text ? cause->text : ts_err_text(bottom) + strlen(first_word));
    struct ts_err_record words = stack->rec[stack->depth - 1];
    memmove(bottom + 1, bottom, (stack->depth - 1 - scope->mark) * sizeof *bottom);
    *bottom = words;
}

static void say(struct ts_api_scope *scope, struct ts_err_stack *stack, unsigned line)
{
    const struct ts_api_function *function = scope->function;
    struct ts_err_record *top = stack->depth ? &stack->rec[stack->depth - 1] : NULL;
    if (top && is_nowhere(scope, top)) {
        push_outer(scope, ts_outer_bad_id(function), NULL, line);
        return;
    }
    if (top && top->func && strcmp(top->func, function->name) == 0)
        return;
    bool of_library = top && top->cls_id == 0;
    unsigned first = stack->depth > scope->mark ? scope->mark : 0;
    const struct ts_outer_record *rec = ts_outer_deep(function);
    if (of_library)
        rec = outer_record(scope, top, says_bad_id(top) && says_bad_id(&stack->rec[first]));
    if (!rec) {
        top->file = function->file;
        top->func = function->name;
        top->line = line;
        return;
    }
    push_outer(scope, rec, of_library ? top->text : NULL, line);
}

void ts_api_failed(struct ts_api_scope *scope, unsigned line)
{
    struct ts_err_stack *stack = ts_err_current();
    scope->failed = true;
    ts_err_pay(scope->owed);
    say(scope, stack, line);
    word_cause(scope, stack, line);
}

static int add_pin(struct ts_api_scope *scope, H5I_type_t type, void *obj, hid_t id)
{
    struct ts_api_pin pin = {.type = type, .obj = obj, .id = id};
    if (scope->n_pins < TS_API_INLINE_PINS) {
        scope->pins[scope->n_pins++] = pin;
        return 0;
    }
    if (TS_GROW(scope->more, scope->more_capacity, scope->n_more + 1) < 0) {
        ts_id_unpin(type, obj);
        return -1;
    }
    scope->more[scope->n_more++] = pin;
    return 0;
}

int ts_api_adopt(struct ts_api_scope *scope, H5I_type_t type, void *obj)
{
    return add_pin(scope, type, obj, 0);
}

void *ts_api_pin(struct ts_api_scope *scope, hid_t id, H5I_type_t type)
{
    for (unsigned i = 0; id > 0 && i < scope->n_pins; i++)
        if (scope->pins[i].id == id && scope->pins[i].type == type)
            return scope->pins[i].obj;
    void *obj = ts_id_pin(id, type);
    return obj && add_pin(scope, type, obj, id) == 0 ? obj : NULL;
}

void *ts_api_pin_argument(struct ts_api_scope *scope, hid_t id, H5I_type_t type)
{
    void *obj = ts_api_pin(scope, id, type);
    if (!obj)
        ts_err_because(type == H5I_DATATYPE ? TS_WHY_TYPE : TS_WHY_SPACE);
    return obj;
}

void *ts_api_pin_any(struct ts_api_scope *scope, hid_t id, H5I_type_t *type)
{
    void *obj = ts_id_pin_any(id, type);
    return obj && ts_api_adopt(scope, *type, obj) == 0 ? obj : NULL;
}

int ts_api_check_not_last(struct ts_api_scope *scope, hid_t id)
{
    if (ts_id_type(id) != H5I_DATATYPE || ts_id_count(id) != 1 || ts_id_hidden(id))
        return 0;
    const struct ts_type *t = ts_api_pin(scope, id, H5I_DATATYPE);
    return t && t->state == TS_TYPE_IMMUTABLE ? TS_ERR(DATATYPE, CANTCLOSEOBJ, "immutable datatype") : 0;
}

struct ts_plist *ts_api_any_plist(struct ts_api_scope *scope, hid_t id)
{
    return ts_api_pin(scope, id, H5I_GENPROP_LST);
}

static enum ts_err_why list_role(enum ts_plist_kind kind)
{
    switch (kind) {
    case TS_PLIST_LINK_CREATE:
        return TS_WHY_LINK_LIST;
    case TS_PLIST_LINK_ACCESS:
        return TS_WHY_ACCESS_LIST;
    case TS_PLIST_FILE_CREATE:
    case TS_PLIST_GROUP_CREATE:
    case TS_PLIST_DATASET_CREATE:
    case TS_PLIST_DATATYPE_CREATE:
        return TS_WHY_CREATE_LIST;
    default:
        return TS_WHY_OTHER_LIST;
    }
}

/* Classes without properties of their own: where one of them is wanted, any list that has what there is will do. */
static enum ts_plist_kind what_will_do(enum ts_plist_kind kind)
{
    switch (kind) {
    case TS_PLIST_GROUP_ACCESS:
    case TS_PLIST_DATATYPE_ACCESS:
    case TS_PLIST_ATTRIBUTE_ACCESS:
        return TS_PLIST_LINK_ACCESS;
    case TS_PLIST_ATTRIBUTE_CREATE:
        return TS_PLIST_STRING_CREATE;
    default:
        return kind;
    }
}

struct ts_plist *ts_api_plist(struct ts_api_scope *scope, hid_t id, enum ts_plist_kind kind)
{
    if (id == 0)
        return ts_plist_default(kind);
    struct ts_plist *pl = ts_api_any_plist(scope, id);
    if (!pl)
        ts_err_because(list_role(kind));
    if (!pl || ts_plist_is(pl, what_will_do(kind)))
        return pl;
    TS_ERR(ARGS, BADTYPE, "not a %s property list: id %lld is a list of class '%s'", ts_plist_kind_name(kind),
           (long long)id, ts_plist_class_name(ts_plist_class_of(pl)));
    ts_err_because(list_role(kind));
    return NULL;
}

hid_t ts_api_new_id(struct ts_api_scope *scope, H5I_type_t type, void *obj, unsigned line)
{
    hid_t id = ts_id_register(type, obj);
    if (id < 0) {
        ts_id_unpin(type, obj);
        ts_api_failed(scope, line);
    }
    return id;
}

hid_t ts_api_list_id(struct ts_plist *list)
{
    hid_t id = ts_id_register(H5I_GENPROP_LST, list);
    if (id < 0)
        ts_plist_unref(list);
    else
        ts_plist_set_id(list, id);
    return id;
}

hid_t ts_api_new_list(struct ts_api_scope *scope, struct ts_plist *list, unsigned line)
{
    hid_t id = ts_api_list_id(list);
    if (id < 0)
        ts_api_failed(scope, line);
    return id;
}

size_t ts_api_copy_name(char *dst, size_t size, const char *name)
{
    size_t len = strlen(name);
    if (dst && size > 0) {
        size_t n = len < size ? len : size - 1;
        memcpy(dst, name, n);
        dst[n] = '\0';
    }
    return len;
}

void ts_api_give_encoding(const struct ts_wr *w, void *buf, size_t *nalloc)
{
    if (buf && *nalloc >= w->size)
        memcpy(buf, w->data, w->size);
    else
        *nalloc = w->size;
}
