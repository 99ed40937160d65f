/* The record that a failing public function puts on top of the error stack. Its codes and text are those of libhdf5,
 * for programs decide by them: h5py makes its exceptions from them. Looked up only on failure. */
#ifndef TS_API_OUTER_RECORDS_H
#define TS_API_OUTER_RECORDS_H

#include "base/error.h"

struct ts_outer_record {
    enum ts_err_major maj;
    enum ts_err_minor min;
    const char *text; /* "%s" stands for the name that the call is about */
};

/* Something that the function asked for failed. */
struct ts_outer_record ts_outer_deep(const char *func);
/* What should be worked on is not there, or is something else. */
struct ts_outer_record ts_outer_bad_id(const char *func);
/* An argument is wrong: false when the function has no record of its own for that. */
bool ts_outer_argument(const char *func, enum ts_err_why why, struct ts_outer_record *out);

/* What libhdf5 calls the cause where our innermost record has other words for it: h5py shows both to its users. False when
 * those will do. A text that is NULL is what the record says without its first word. */
bool ts_outer_cause(const char *func, const struct ts_err_record *innermost, struct ts_outer_record *out);

#endif
