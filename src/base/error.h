/* Errors: one macro, used as a value, that pushes a record on the calling thread's stack.
 *
 * base/ is what all other folders stand on: nothing here knows the structures of an HDF5 file. */
#ifndef TS_BASE_ERROR_H
#define TS_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error_codes.h"

enum ts_err_major {
#define X(name, text) TS_MAJ_##name,
    TS_MAJORS(X)
#undef X
        TS_MAJ_COUNT
};

enum ts_err_minor {
#define X(name, text) TS_MIN_##name,
    TS_MINORS(X)
#undef X
        TS_MIN_COUNT
};

#define TS_ERR_DEPTH 32
#define TS_ERR_TEXT 384

/* A record of the library has cls_id 0 and codes from the enums above. A record that an application pushed has the ids
 * it gave. Names are static strings in the first case, owned copies in the second. A text that is longer than there is
 * room for (long names are in many) is an owned one, of which the record itself has the beginning: that must do without
 * memory. */
struct ts_err_record {
    int64_t cls_id, maj, min;
    const char *file, *func;
    unsigned line;
    bool owns_names;
    uint8_t why; /* enum ts_err_why */
    char *long_text;
    char text[TS_ERR_TEXT];
};

static inline const char *ts_err_text(const struct ts_err_record *rec)
{
    return rec->long_text ? rec->long_text : rec->text;
}

struct ts_err_stack {
    unsigned depth;
    unsigned owed;   /* of a thread's own: ts_err_owe */
    unsigned paused; /* how often, by H5Epause_stack: public functions leave nothing on it */
    struct ts_err_record rec[TS_ERR_DEPTH];
};

/* Always -1, and the compiler knows it, so that `return TS_ERR(...)` reads as what it does. */
#define TS_ERR(maj, min, ...)                                                                                          \
    (ts_err_push(TS_MAJ_##maj, TS_MIN_##min, __FILE__, __func__, __LINE__, __VA_ARGS__), ts_err_value())

/* Two records: `said` in the words of libhdf5, which programs show to their users, then what there is to say
 * besides. */
#define TS_ERR_AS(maj, min, said, ...) (TS_ERR(maj, min, said), TS_ERR(maj, min, __VA_ARGS__))

static inline int ts_err_value(void)
{
    return -1;
}

/* Writes the text of a record that has none. */
void ts_err_format(struct ts_err_record *rec, const char *fmt, va_list args);
/* A copy of its long text, if it has one and there is memory. */
char *ts_err_copy_long_text(const struct ts_err_record *rec);

void ts_err_push(enum ts_err_major maj, enum ts_err_minor min, const char *file, const char *func, unsigned line,
                 const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The calling thread's stack; never NULL. Record 0 is the innermost, pushed first. */
struct ts_err_stack *ts_err_current(void);

/* Drops the newest records until `depth` are left: for code that handles an error itself. */
void ts_err_stack_truncate(struct ts_err_stack *stack, unsigned depth);

/* Nearly always there is nothing to clear. */
static inline void ts_err_stack_clear(struct ts_err_stack *stack)
{
    if (stack->depth > 0)
        ts_err_stack_truncate(stack, 0);
}

/* Moves src's records onto dst, which is cleared first; src is left empty. */
void ts_err_stack_move(struct ts_err_stack *dst, struct ts_err_stack *src);

static inline void ts_err_clear(void)
{
    ts_err_stack_clear(ts_err_current());
}

static inline unsigned ts_err_mark(void)
{
    return ts_err_current()->depth;
}

static inline void ts_err_rewind(unsigned mark)
{
    struct ts_err_stack *stack = ts_err_current();
    if (stack->depth > mark)
        ts_err_stack_truncate(stack, mark);
}

/* What goes wrong while something is let go. References are dropped in many places, by functions whose result is
 * certain, and each may be the last one that kept a file open: so such a failure is no value, but a debt of the thread.
 * Whoever owes leaves a record on the stack. The public function that runs pays: it fails (api/api.h), or its thread's
 * stderr says what it could not. */
static inline void ts_err_owe(void)
{
    ts_err_current()->owed++;
}

static inline unsigned ts_err_owed(void)
{
    return ts_err_current()->owed;
}

/* The application knows of all but this many. */
static inline void ts_err_pay(unsigned left)
{
    ts_err_current()->owed = left;
}

/* Why something failed, where whoever handles the error must tell it from other failures. */
enum ts_err_why {
    TS_WHY_ANY,
    TS_WHY_ABSENT,   /* the file or object that was asked for does not exist */
    TS_WHY_EMPTY,    /* the file has no bytes */
    TS_WHY_REFUSED,  /* it may not be used: driver/access.h */
    TS_WHY_NO_GROUP, /* the object is something else than a group */
    /* An argument is wrong; public functions have their own words for each (api/outer_records.h). */
    TS_WHY_SAID, /* in the function's words: they stand for it */
    TS_WHY_TYPE, /* the datatype, or the dataspace: without words of the function's the check's will do */
    TS_WHY_SPACE,
    TS_WHY_MEM_SPACE,
    TS_WHY_OFFSET, /* of a chunk */
    TS_WHY_LOCATION,
    TS_WHY_NO_FILE, /* the object is in none */
    TS_WHY_NAME,
    TS_WHY_NEW_NAME,
    TS_WHY_ATTR_NAME,
    TS_WHY_LINK_LIST,   /* the link creation list */
    TS_WHY_CREATE_LIST, /* another creation list */
    TS_WHY_ACCESS_LIST, /* the link access list */
    TS_WHY_OTHER_LIST,
    TS_WHY_READ_ONLY, /* the datatype may not be changed */
    TS_WHY_MEMBERS    /* nor an enumeration that has members */
};

/* Says so in the newest record, and is -1. */
int ts_err_because(enum ts_err_why why);
/* A wrong argument, in the words of the public function that runs: it needs no record besides. */
#define TS_SAY(maj, min, ...) (TS_ERR(maj, min, __VA_ARGS__), ts_err_because(TS_WHY_SAID))
/* True when a record since the mark says so. */
bool ts_err_was(unsigned mark, enum ts_err_why why);

/* For records of system calls that failed: programs look for the number in the text, as libhdf5 has it there. */
#define TS_ERRNO "errno = %d, error message = '%s'"
#define TS_ERRNO_OF(error) (error), strerror(error)

/* True when memory was short since the mark: code that makes up for failures must not take that for an answer. */
bool ts_err_no_memory(unsigned mark);

#endif
