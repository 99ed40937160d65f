#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"ls", tool_ls, "list what is in a file"},
    {"dump", tool_dump, "print a dataset, or everything below a group"},
    {"chunks", tool_chunks, "list the chunks of a dataset, or map where they are"},
    {"watch", tool_watch, "follow a dataset that grows"},
    {"recover", tool_recover, "repair a file whose writer died"},
};

static void usage(FILE *out)
{
    fputs("usage: tessera COMMAND [OPTIONS] FILE[/PATH]\n\n", out);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fputs("\nFILE/PATH names an object inside a file: run.h5/entry/data\n"
          "'tessera COMMAND --help' says more.\n",
          out);
}

#define REASON_BYTES 1024

/* The records do not outlive the walk: the text is copied. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *record, void *data)
{
    (void)n;
    char *reason = data;
    if (!*reason && record->desc)
        snprintf(reason, REASON_BYTES, "%s", record->desc);
    return 0;
}

int tool_error(const char *format, ...)
{
    va_list args;
    char reason[REASON_BYTES] = "";
    fflush(stdout);
    fputs("tessera: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, reason);
    fprintf(stderr, *reason ? ": %s\n" : "\n", reason);
    return 1;
}

static bool is_file(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 && !S_ISDIR(st.st_mode);
}

int tool_help(const char *help, bool asked)
{
    fputs(help, asked ? stdout : stderr);
    return asked ? 0 : 2;
}

char *tool_split(const char *argument, const char **path)
{
    char *name = strdup(argument);
    size_t end = strlen(argument);
    /* The longest prefix that is a file is the file. */
    while (end > 0 && !is_file(name)) {
        do
            end--;
        while (end > 0 && name[end] != '/');
        name[end] = '\0';
    }
    if (end == 0) {
        errno = 0;
        struct stat st;
        if (stat(argument, &st) < 0)
            fprintf(stderr, "tessera: %s: %s\n", argument, strerror(errno));
        else
            fprintf(stderr, "tessera: %s is a directory\n", argument);
        free(name);
        return NULL;
    }
    *path = argument[end] ? argument + end : "/";
    return name;
}

/* An open file id, and where in the argument the path begins; negative when there is no such file, reported. */
static hid_t open_file(const char *argument, const char **path)
{
    char *name = tool_split(argument, path);
    if (!name)
        return -1;
    hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    /* What a SWMR writer has open only SWMR readers may open. */
    if (file < 0)
        file = H5Fopen(name, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    if (file < 0)
        tool_error("cannot open %s", name);
    free(name);
    return file;
}

int tool_use(const char *argument, int (*use)(const struct target *target, void *ctx), void *ctx)
{
    struct target target;
    target.file = open_file(argument, &target.path);
    if (target.file < 0)
        return 1;
    target.obj = H5Oopen(target.file, target.path, H5P_DEFAULT);
    int status;
    if (target.obj < 0) {
        status = tool_error("%s: no object %s", argument, target.path);
    } else {
        status = use(&target, ctx);
        H5Oclose(target.obj);
    }
    H5Fclose(target.file);
    return status;
}

int main(int argc, char **argv)
{
    static char program[] = "tessera";
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("tessera %s\n", TESSERA_VERSION);
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            argv[1] = argv[0] = program; /* whom getopt's messages come from */
            return commands[i].run(argc - 1, argv + 1);
        }
    fprintf(stderr, "tessera: no command '%s'\n\n", argv[1]);
    usage(stderr);
    return 2;
}
