/* Which files may be opened because a file names them: raw data files, targets of links, sources of virtual datasets,
 * plugins for its filters.
 *
 * A rule is a text, as H5Pset_external_access keeps it and TESSERA_EXTERNAL_ACCESS has it:
 *   entry;entry...      entry: [kind,kind...=]rule      kind: raw link source plugin all      (none given: all)
 *   rule: anywhere | folder | none | list:FOLDER:FOLDER...
 * Later entries win. ${ORIGIN} at the start of a listed folder is the folder of the file.
 *
 * What is confined is resolved first, and what that gave is opened without following a single symbolic link: nobody who
 * changes links meanwhile gets a file opened that lies elsewhere. */
#ifndef TS_DRIVER_ACCESS_H
#define TS_DRIVER_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "H5Fpublic.h"

enum { TS_ACCESS_KINDS = 4 };

/* What a text says of one kind; the folders are borrowed from it. */
struct ts_access_said {
    H5F_external_access_t rule;
    const char *folders;
    size_t length;
};

/* All rules that hold for what one handle of a file opens. Shared and counted; NULL: there is none. */
struct ts_access;

struct ts_access *ts_access_ref(struct ts_access *a); /* NULL is fine */
void ts_access_unref(struct ts_access *a);
/* The rules of `outer`, and those of a text for the file of that name, where `outer` has not got them already: a file
 * that is opened because another names it is bound by the folder of the first. `who` goes before the text in errors.
 * *out is NULL when all is allowed. A text that makes no sense forbids everything. */
int ts_access_add(struct ts_access *outer, const char *who, const char *text, const char *file, struct ts_access **out);
/* The rules of both; *out may be one of them, with a reference of its own. */
int ts_access_join(struct ts_access *a, struct ts_access *b, struct ts_access **out);

/* True when a rule says something about files of the kind, one of H5F_EXTERNAL_*. */
bool ts_access_confines(const struct ts_access *a, unsigned kind);
/* An error, TS_WHY_REFUSED, when no file of the kind may be opened, whatever its name. */
int ts_access_allowed(const struct ts_access *a, unsigned kind, const char *name);
/* An error when the file that the name leads to may not be opened. It may lead elsewhere the next moment: for what
 * opens files by itself. A file that does not exist is none. */
int ts_access_check(const struct ts_access *a, unsigned kind, const char *name);
/* open(2). -1 and errno; or -2 and an error on the stack when a rule stands against it. */
int ts_access_open(const struct ts_access *a, unsigned kind, const char *name, int flags);

/* False when the text makes no sense. */
bool ts_access_parse(const char *text, struct ts_access_said said[TS_ACCESS_KINDS]);
/* What a text, or NULL, says of one kind. */
bool ts_access_read(const char *text, unsigned kind, struct ts_access_said *out);
/* The text with another rule for some kinds; from ts_malloc. text and folders may be NULL. */
int ts_access_change(const char *text, unsigned kinds, H5F_external_access_t rule, const char *folders, char **out);
/* What the environment says, NULL for nothing; borrowed. */
const char *ts_access_environment(void);
#define TS_ACCESS_VARIABLE "TESSERA_EXTERNAL_ACCESS"

#endif
