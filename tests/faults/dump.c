/* The canonical text of the interoperability tests, inside this process. */
#define H5_USE_110_API 1
#include <ctype.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *dump_out;

#undef stdout
#undef puts
#define stdout dump_out
#define puts(text) fputs(text "\n", dump_out)
#define printf(...) fprintf(dump_out, __VA_ARGS__)
#define main canon_main
#include "interop/canon.c"
#undef main

#include "faults/faults.h"

/* "addr=123" and "@123" without the number: the same thing may lie somewhere else. */
static void strip_numbers(char *text, const char *label)
{
    for (char *at = text; (at = strstr(at, label));) {
        at += strlen(label);
        char *end = at;
        while (isdigit((unsigned char)*end))
            end++;
        memmove(at, end, strlen(end) + 1);
    }
}

static void strip_rest(char *text, const char *label)
{
    for (char *at = text; (at = strstr(at, label));) {
        char *end = strchr(at, '\n');
        memmove(at, end, strlen(end) + 1);
    }
}

static void strip_lines(char *text)
{
    for (char *at = text; *at;) {
        char *end = strchr(at, '\n') + 1;
        if (strncmp(at, "c ", 2) == 0 || strncmp(at, "x ", 2) == 0)
            memmove(at, end, strlen(end) + 1);
        else
            at = end;
    }
}

char *dump_file(const char *path, bool values)
{
    char *text = NULL, *argv[] = {(char *)"canon", (char *)path, NULL};
    size_t size = 0;
    dump_out = open_memstream(&text, &size);
    int status = canon_main(2, argv);
    fclose(dump_out);
    if (status != 0) {
        free(text);
        return NULL;
    }
    strip_lines(text);
    strip_numbers(text, "addr=");
    strip_numbers(text, "@");
    strip_numbers(text, "  offset ");
    if (!values) {
        strip_rest(text, "  read ");
        strip_rest(text, " storage ");
    }
    return text;
}
