/* The tessera command: what its parts share. Public API only. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdbool.h>
#include <stdio.h>

#include "hdf5.h"

/* A subcommand gets its own arguments, argv[0] being its name; the result is the exit status. */
int tool_ls(int argc, char **argv);
int tool_dump(int argc, char **argv);
int tool_chunks(int argc, char **argv);
int tool_recover(int argc, char **argv);
int tool_watch(int argc, char **argv);
int tool_run(int argc, char **argv);
int tool_doctor(int argc, char **argv);
int tool_demo(int argc, char **argv);

/* Says what is wrong on stderr, with the innermost reason the library knows; always 1. */
int tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a file that was just tried to be opened, to `what` it; and for an object inside a file. */
int tool_cannot_open(const char *name, const char *what);
int tool_no_object(const char *argument, hid_t file, const char *path);

/* Prints the text when it was asked for; when the arguments are wrong only its first paragraph, on stderr. The exit
 * status. */
int tool_help(const char *help, bool asked);

/* The name of the file that FILE/path/inside begins with, for the caller to free, and where in the argument the path
 * begins; NULL when there is no such file, reported. */
char *tool_split(const char *argument, const char **path);

/* An object of a file, named FILE or FILE/path/inside. */
struct target {
    const char *path; /* inside the file; at least "/" */
    hid_t file, obj;
};

/* Finds where the file ends and the path begins, opens both for `use`, closes them. The exit status; what does not open
 * is reported. */
int tool_use(const char *argument, int (*use)(const struct target *target, void *ctx), void *ctx);

/* table.c: rows of cells in aligned columns. The row comes first, then its cells, one at a time. */
#define TABLE_COLUMNS 7
struct table;
struct table *table_new(void);
/* Cells of this column end below each other; of one that is not the last. */
void table_right(struct table *t, size_t column);
void table_row(struct table *t);
FILE *table_cell(struct table *t, size_t column);
void table_cell_end(struct table *t);
/* Prints what is left. */
void table_free(struct table *t);

/* describe.c: one-line descriptions. */
void describe_type(FILE *out, hid_t type);
void describe_space(FILE *out, hid_t space);
/* "chunked 64 x 64, shuffle, deflate 4" */
void describe_layout(FILE *out, hid_t dcpl);
/* Filter i of a section, without its parameters. */
void describe_filter_name(FILE *out, hid_t dcpl, unsigned section, unsigned i);
void describe_bytes(FILE *out, unsigned long long bytes);

/* values.c: one element, in memory type `type`. */
void print_element(FILE *out, hid_t type, const void *element, hid_t file);
/* The memory type to read a file type into, for printing. */
hid_t printable_type(hid_t file_type);
/* A string with control characters escaped: as it is, or in quotes. */
void print_escaped(FILE *out, const char *text, size_t length, bool quotes);
void print_json_text(FILE *out, const char *text);

#endif
