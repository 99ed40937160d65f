/* Which of its records a public function fails with. What they say stands at the functions; here are only the rules,
 * and what the functions of an interface say of an id that is none of theirs. */
#include "api/outer_records.h"

#include <string.h>

#include "base/abi.h"

#define OF(prefix, maj, min, text)                                                                                     \
    {                                                                                                                  \
        prefix, TS_BAD_ID(maj, min, text)                                                                              \
    }

/* By the beginning of the name, longer ones first. */
static const struct {
    const char *prefix;
    struct ts_outer_record record;
} bad_ids[] = {
    OF("H5Pset_fapl_", ARGS, BADTYPE, "not a file access property list"),
    OF("H5FD", ARGS, BADTYPE, "not a file driver"),
    OF("H5D", ARGS, BADTYPE, "not a dataset"),
    OF("H5F", ARGS, BADTYPE, "invalid file identifier"),
    OF("H5I", ATOM, BADATOM, "invalid ID"),
    OF("H5P", ATOM, BADATOM, "can't find object for ID"),
    OF("H5S", ARGS, BADTYPE, "not a dataspace"),
    OF("H5T", ARGS, BADTYPE, "not a datatype"),
    OF("", ARGS, BADTYPE, "not a location"),
};

static const struct ts_outer_record *find(const struct ts_api_function *f, enum ts_outer_when when, enum ts_err_why why)
{
    for (const struct ts_outer_record *rec = f->records; rec->when != TS_OUTER_END; rec++)
        if (rec->when == when && rec->why == why)
            return rec;
    return NULL;
}

/* The record that a function has for every failure, or NULL. */
static const struct ts_outer_record *only(const struct ts_api_function *f)
{
#ifdef TS_ABI_SYNCHRONOUS
    return find(f, TS_OUTER_SYNCHRONOUS, 0);
#else
    (void)f;
    return NULL;
#endif
}

const struct ts_outer_record *ts_outer_deep(const struct ts_api_function *f)
{
    const struct ts_outer_record *rec = only(f);
    return rec ? rec : find(f, TS_OUTER_DEEP, 0);
}

const struct ts_outer_record *ts_outer_bad_id(const struct ts_api_function *f)
{
    const struct ts_outer_record *rec = only(f);
    size_t i = 0;
    if (!rec)
        rec = find(f, TS_OUTER_BAD_ID, 0);
    if (rec)
        return rec;
    while (strncmp(f->name, bad_ids[i].prefix, strlen(bad_ids[i].prefix)) != 0)
        i++;
    return &bad_ids[i].record;
}

const struct ts_outer_record *ts_outer_wrong(const struct ts_api_function *f, enum ts_err_why why)
{
    const struct ts_outer_record *rec = only(f);
    if (!rec)
        rec = find(f, TS_OUTER_WRONG, why);
    /* A function with one name only has the row of NAME for a new one, too. */
    return rec || why != TS_WHY_NEW_NAME ? rec : find(f, TS_OUTER_WRONG, TS_WHY_NAME);
}

const struct ts_outer_record *ts_outer_cause(const struct ts_api_function *f, const struct ts_err_record *innermost)
{
    /* Of names, only the last one of a path that is not there. */
    if (innermost->cls_id != 0 || (innermost->maj == TS_MAJ_SYM && innermost->why != TS_WHY_ABSENT))
        return NULL;
    for (const struct ts_outer_record *rec = f->records; rec->when != TS_OUTER_END; rec++)
        if (rec->when == TS_OUTER_CAUSE && rec->from_maj == innermost->maj && rec->from_min == innermost->min)
            return rec;
    return NULL;
}
