/* The record that a failing public function puts on top of the error stack. Its codes and text are those of libhdf5,
 * for programs decide by them: h5py makes its exceptions from them. They stand where the function begins (TS_API_ENTER
 * in api/api.h): first what it says when something below it failed, then what it says otherwise, in rows like these:
 *
 *     TS_BAD_ID(ARGS, BADTYPE, "not an attribute")       what it works on is not there, or is something else
 *     TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype ID") an argument is wrong: TS_WHY_TYPE (base/error.h)
 *     TS_CAUSE(SYM, NOTFOUND, LINK, NOTFOUND, "...")     the cause, where our innermost record, with the first two
 *     codes, has
 *                                                        other words for it: h5py shows both to its users. NULL is what
 *                                                        the record says without its first word
 *     TS_SYNCHRONOUS(ATTR, READERROR, "...")             the one record for all of this in libhdf5 1.14, of functions
 *                                                        that have an asynchronous twin
 *
 * A function without a row for bad ids has that of its interface, and one without a row for a wrong argument says what
 * its check says. "%s" stands for the name that the call is about. All this is looked at on failure only. */
#ifndef TS_API_OUTER_RECORDS_H
#define TS_API_OUTER_RECORDS_H

#include "base/error.h"

enum ts_outer_when {
    TS_OUTER_END,
    TS_OUTER_DEEP,
    TS_OUTER_BAD_ID,
    TS_OUTER_WRONG,
    TS_OUTER_CAUSE,
    TS_OUTER_SYNCHRONOUS
};

struct ts_outer_record {
    uint8_t when;               /* enum ts_outer_when */
    uint8_t why;                /* enum ts_err_why of a wrong argument */
    uint8_t from_maj, from_min; /* of a cause */
    uint8_t maj, min;
    const char *text;
};

_Static_assert(TS_MAJ_COUNT <= UINT8_MAX && TS_MIN_COUNT <= UINT8_MAX, "the codes of an outer record");

/* What is known of a public function; the rows end with TS_OUTER_END. */
struct ts_api_function {
    const char *file, *name;
    const struct ts_outer_record *records;
};

#define TS_OUTER_ROW(when, why, from_maj, from_min, maj, min, text)                                                    \
    {                                                                                                                  \
        when, why, from_maj, from_min, TS_MAJ_##maj, TS_MIN_##min, text                                                \
    }
#define TS_BAD_ID(maj, min, text) TS_OUTER_ROW(TS_OUTER_BAD_ID, 0, 0, 0, maj, min, text)
#define TS_WRONG(why, maj, min, text) TS_OUTER_ROW(TS_OUTER_WRONG, TS_WHY_##why, 0, 0, maj, min, text)
#define TS_CAUSE(from_maj, from_min, maj, min, text)                                                                   \
    TS_OUTER_ROW(TS_OUTER_CAUSE, 0, TS_MAJ_##from_maj, TS_MIN_##from_min, maj, min, text)
#define TS_SYNCHRONOUS(maj, min, text) TS_OUTER_ROW(TS_OUTER_SYNCHRONOUS, 0, 0, 0, maj, min, text)

/* Something that the function asked for failed. */
const struct ts_outer_record *ts_outer_deep(const struct ts_api_function *f);
/* What should be worked on is not there, or is something else. */
const struct ts_outer_record *ts_outer_bad_id(const struct ts_api_function *f);
/* An argument is wrong: NULL when the function has no record of its own for that. */
const struct ts_outer_record *ts_outer_wrong(const struct ts_api_function *f, enum ts_err_why why);
/* What libhdf5 calls the cause; NULL when the words of the record will do. */
const struct ts_outer_record *ts_outer_cause(const struct ts_api_function *f, const struct ts_err_record *innermost);

#endif
