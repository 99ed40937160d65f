/* How a function X_async is made of X.
 *
 *     static int64_t write(const struct ts_async_arg *a)
 *     {
 *         return H5Dwrite(a[0].id, a[1].id, a[2].id, a[3].id, a[4].id, a[5].in);
 *     }
 *
 *     herr_t H5Dwrite_async(TS_APP, hid_t dset_id, ..., const void *buf, hid_t es_id)
 *     {
 *         TS_API_SAYS(DATASET, WRITEERROR, "can't write data");
 *         TS_ASYNC(write, OBJECT(dset_id), OBJECT(mem_type_id), OPTION(mem_space_id), ..., IN(buf));
 *     }
 *
 * Without an event set that calls X with the arguments as they are. With one, they are copied or held, and the set's
 * thread calls X with the copies. */
#ifndef TS_API_ASYNC_H
#define TS_API_ASYNC_H

#include <stddef.h>
#include <stdint.h>

#include "H5ESpublic.h"
#include "H5Lpublic.h"
#include "H5Rpublic.h"
#include "api/api.h"

enum ts_async_kind {
    TS_ASYNC_NUMBER,
    TS_ASYNC_OBJECT,   /* an id, which is held: of dataspaces and lists, a copy */
    TS_ASYNC_OPTION,   /* the same, or one of the constants that stand in for one */
    TS_ASYNC_REPLACED, /* the same, of an object whose id will stand for another one */
    TS_ASYNC_CLOSED,   /* the id that the call closes; n: of these types, as 1 << type */
    TS_ASYNC_OBJECTS,  /* n ids, and the like */
    TS_ASYNC_OPTIONS,
    TS_ASYNC_BUFFERS, /* n addresses: only those are copied */
    TS_ASYNC_TEXT,
    TS_ASYNC_EXTENT, /* a number for each dimension of the dataset that is the first argument */
    TS_ASYNC_REFERENCE,
    TS_ASYNC_IN, /* the application's memory until the operation is done */
    TS_ASYNC_OUT,
    TS_ASYNC_RESULT, /* the same; it must be there */
    TS_ASYNC_FUNCTION
};

struct ts_async_arg {
    const char *name;
    enum ts_async_kind kind;
    size_t n;
    union {
        uint64_t number;
        hid_t id;
        hid_t *ids;
        void **outs;
        const void **ins;
        const char *text;
        const hsize_t *extent;
        H5R_ref_t *reference;
        const void *in;
        void *out;
        H5L_iterate2_t function;
    };
};

#define TS_ASYNC_ARGS 12

struct ts_async_call {
    const char *app_file, *app_func;
    unsigned app_line;
    const char *name;
    int64_t (*run)(const struct ts_async_arg *args);
    H5I_type_t makes;                        /* H5I_BADID: nothing; H5I_UNINIT: an object of any type */
    struct ts_async_arg args[TS_ASYNC_ARGS]; /* the last one has no name */
};

#define OBJECT(x)                                                                                                      \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_OBJECT, .n = 1, .id = (x)                                                         \
    }
#define OPTION(x)                                                                                                      \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_OPTION, .n = 1, .id = (x)                                                         \
    }
#define REPLACED(x)                                                                                                    \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_REPLACED, .n = 1, .id = (x)                                                       \
    }
#define CLOSED(x, types)                                                                                               \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_CLOSED, .n = (types), .id = (x)                                                   \
    }
#define OBJECTS(count, x)                                                                                              \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_OBJECTS, .n = (count), .ids = (x)                                                 \
    }
#define OPTIONS(count, x)                                                                                              \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_OPTIONS, .n = (count), .ids = (x)                                                 \
    }
#define OUTS(count, x)                                                                                                 \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_BUFFERS, .n = (count), .outs = (x)                                                \
    }
#define INS(count, x)                                                                                                  \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_BUFFERS, .n = (count), .ins = (x)                                                 \
    }
#define TEXT(x)                                                                                                        \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_TEXT, .text = (x)                                                                 \
    }
#define NUMBER(x)                                                                                                      \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_NUMBER, .number = (uint64_t)(x)                                                   \
    }
#define EXTENT(x)                                                                                                      \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_EXTENT, .extent = (x)                                                             \
    }
#define REFERENCE(x)                                                                                                   \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_REFERENCE, .reference = (x)                                                       \
    }
#define IN(x)                                                                                                          \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_IN, .in = (x)                                                                     \
    }
#define OUT(x)                                                                                                         \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_OUT, .out = (x)                                                                   \
    }
#define RESULT(x)                                                                                                      \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_RESULT, .out = (x)                                                                \
    }
#define FUNCTION(x)                                                                                                    \
    {                                                                                                                  \
        .name = #x, .kind = TS_ASYNC_FUNCTION, .function = (x)                                                         \
    }

#define TS_APP const char *app_file, const char *app_func, unsigned app_line

/* H5ES.c: the set of an id, until the scope ends. */
struct ts_event_set *ts_event_api_set(struct ts_api_scope *scope, hid_t es_id);

/* The promised id; 0 for a call that makes nothing; negative on error. */
hid_t ts_async_insert(struct ts_api_scope *scope, hid_t es_id, const struct ts_async_call *call);

/* Where an answer is to be put, which a call with a set checks itself. */
#define TS_ASYNC_WANTS(x)                                                                                              \
    do                                                                                                                 \
        if (!(x)) {                                                                                                    \
            TS_API_SCOPE_(true);                                                                                       \
            return TS_API_ERR(-1, ARGS, BADVALUE, "%s is NULL", #x);                                                   \
        }                                                                                                              \
    while (0)

/* Of a call that answers a question. */
static inline int64_t ts_async_answer(htri_t answer, void *out)
{
    if (answer >= 0)
        *(hbool_t *)out = answer > 0;
    return answer < 0 ? -1 : 0;
}

#define TS_ASYNC_(ret, type, run_, ...)                                                                                \
    const struct ts_async_call call_ = {app_file, app_func, app_line, __func__, run_, type, {__VA_ARGS__}};            \
    if (es_id == H5ES_NONE)                                                                                            \
        return (ret)run_(call_.args);                                                                                  \
    TS_API_SCOPE_(true);                                                                                               \
    return TS_API_RET((ret)ts_async_insert(&ts_scope_, es_id, &call_))

#define TS_ASYNC(run, ...) TS_ASYNC_(herr_t, H5I_BADID, run, __VA_ARGS__)
/* Of a call that makes an object, of H5I_UNINIT when it may be of any type. */
#define TS_ASYNC_NEW(type, run, ...) TS_ASYNC_(hid_t, type, run, __VA_ARGS__)

#endif
