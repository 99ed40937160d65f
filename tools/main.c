#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

/* `group`: what this command and those below it are for. */
static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary, *group;
} commands[] = {
    {"ls", tool_ls, "list what is in a file", "look into files"},
    {"dump", tool_dump, "print a dataset, or everything below a group", NULL},
    {"chunks", tool_chunks, "list the chunks of a dataset, or map where they are", NULL},
    {"watch", tool_watch, "follow a dataset that grows", NULL},
    {"recover", tool_recover, "repair a file whose writer died", "repair them"},
    {"run", tool_run, "run a program that was built for libhdf5 on Tessera", "use it in other programs"},
    {"doctor", tool_doctor, "say which HDF5 library a program loads", NULL},
    {"demo", tool_demo, "record and follow a simulated detector run, and see what it takes", "see what Tessera does"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct command *command; /* the one that runs */

static void usage(FILE *out)
{
    fputs("usage: tessera COMMAND [OPTIONS] [ARGUMENTS]\n", out);
    for (size_t i = 0; i < COMMANDS; i++) {
        if (commands[i].group)
            fprintf(out, "\n%s\n", commands[i].group);
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\nFILE/PATH names an object inside a file: run.h5/entry/data\n"
          "'tessera COMMAND --help' says more; 'tessera --version' what this build can do.\n",
          out);
}

static int version(void)
{
    static const struct {
        H5Z_filter_t id;
        const char *name;
    } filters[] = {{H5Z_FILTER_DEFLATE, "deflate"},
                   {H5Z_FILTER_SHUFFLE, "shuffle"},
                   {H5Z_FILTER_FLETCHER32, "fletcher32"},
                   {H5Z_FILTER_SZIP, "szip"},
                   {H5Z_FILTER_NBIT, "nbit"},
                   {H5Z_FILTER_SCALEOFFSET, "scaleoffset"},
                   {32000, "lzf"},
                   {32004, "lz4"},
                   {32015, "zstd"}};
    unsigned major, minor, release;
    bool safe = false;
    H5get_libversion(&major, &minor, &release);
    H5is_library_threadsafe(&safe);
    printf("tessera %s\n\ninterface  HDF5 %u.%u.%u\nfilters    ", TESSERA_VERSION, major, minor, release);
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (H5Zfilter_avail(filters[i].id) > 0)
            printf("%s%s", i ? ", " : "", filters[i].name);
    printf("\nthreads    %s\nlayouts    compact, contiguous, chunked, sparse, external, virtual\n",
           safe ? "safe, without a global lock" : "not safe");
    return 0;
}

/* How many letters have to be changed, added, left out or swapped to come from one word to the other. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    size_t n = strlen(a), m = strlen(b), rows[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

/* A mistyped word, one that begins like a command, or the name of the tool of HDF5 that does the like. */
static const char *suggest(const char *name)
{
    static const char *const likes[][2] = {{"h5ls", "ls"},         {"list", "ls"},       {"dir", "ls"},
                                           {"h5dump", "dump"},     {"cat", "dump"},      {"show", "dump"},
                                           {"h5watch", "watch"},   {"tail", "watch"},    {"follow", "watch"},
                                           {"h5clear", "recover"}, {"repair", "recover"}};
    const char *best = NULL;
    size_t least = 3;
    for (size_t i = 0; i < sizeof likes / sizeof likes[0]; i++)
        if (strcmp(name, likes[i][0]) == 0)
            return likes[i][1];
    for (size_t i = 0; i < COMMANDS; i++) {
        size_t far = distance(name, commands[i].name);
        if (strlen(name) > 1 && strncmp(name, commands[i].name, strlen(name)) == 0)
            far = 0;
        if (far < least && far < strlen(commands[i].name)) {
            least = far;
            best = commands[i].name;
        }
    }
    return best;
}

struct reason {
    char text[1024], function[128];
    hid_t minor;
    bool whole;
};

/* The records do not outlive the walk: the text is copied. Where one place made two records of one kind, the first has
 * libhdf5's words and the second says more. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *record, void *data)
{
    (void)n;
    struct reason *reason = data;
    const char *function = record->func_name ? record->func_name : "";
    bool more = strcmp(reason->function, function) == 0 && reason->minor == record->min_num;
    if (!record->desc || reason->whole || (*reason->text && !more))
        return 0;
    snprintf(reason->text, sizeof reason->text, "%s", record->desc);
    snprintf(reason->function, sizeof reason->function, "%s", function);
    reason->minor = record->min_num;
    reason->whole = more;
    return 0;
}

int tool_error(const char *format, ...)
{
    va_list args;
    struct reason reason = {.minor = H5I_INVALID_HID};
    fflush(stdout);
    fputs("tessera: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
    fprintf(stderr, *reason.text ? ": %s\n" : "\n", reason.text);
    return 1;
}

int tool_cannot_open(const char *name, const char *what)
{
    hid_t why = H5Eget_current_stack();
    bool other = H5Fis_accessible(name, H5P_DEFAULT) == 0;
    H5Eset_current_stack(why);
    if (!other)
        return tool_error("cannot %s %s", what, name);
    fprintf(stderr, "tessera: %s is not an HDF5 file\n", name);
    return 1;
}

int tool_no_object(const char *argument, hid_t file, const char *path)
{
    hid_t why = H5Eget_current_stack();
    char *part = strdup(path);
    /* What stands before the first name that is not there, and that name. */
    for (char *name = part; *name == '/';) {
        size_t length = 1 + strcspn(name + 1, "/");
        char next = name[length];
        name[length] = '\0';
        if (length > 1 && H5Lexists(file, part, H5P_DEFAULT) == 0) {
            fprintf(stderr, "tessera: %s: there is no '%s' in %.*s\n", argument, name + 1,
                    name > part ? (int)(name - part) : 1, path);
            free(part);
            return 1;
        }
        name[length] = next;
        name += length;
    }
    free(part);
    H5Eset_current_stack(why);
    return tool_error("%s: no object %s", argument, path);
}

static bool is_file(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 && !S_ISDIR(st.st_mode);
}

int tool_help(const char *help, bool asked)
{
    if (asked) {
        fputs(help, stdout);
        return 0;
    }
    /* How it is called is the first paragraph. */
    const char *end = strstr(help, "\n\n");
    fprintf(stderr, "%.*s\n'tessera %s --help' says more.\n", end ? (int)(end - help) : (int)strlen(help), help,
            command->name);
    return 2;
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
        tool_cannot_open(name, "open");
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
        status = tool_no_object(argument, target.file, target.path);
    } else {
        status = use(&target, ctx);
        H5Oclose(target.obj);
    }
    H5Fclose(target.file);
    return status;
}

static int refuse(const char *name)
{
    struct stat st;
    const char *meant = suggest(name);
    if (stat(name, &st) == 0 || strchr(name, '/'))
        fprintf(stderr, "tessera: '%s' is no command; to look into it: tessera ls %s\n", name, name);
    else if (meant)
        fprintf(stderr, "tessera: no command '%s'; did you mean '%s'?\n", name, meant);
    else
        fprintf(stderr, "tessera: no %s '%s'\n", *name == '-' ? "option" : "command", name);
    fputs("'tessera --help' lists all.\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static char program[] = "tessera", asked[] = "--help";
    char *help[] = {program, asked, NULL};
    const char *name = argc > 1 ? argv[1] : "";
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (strcmp(name, "--version") == 0)
        return version();
    if (argc == 1 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (argc == 2 && strcmp(name, "help") == 0)) {
        usage(argc == 1 ? stderr : stdout);
        return argc == 1 ? 2 : 0;
    }
    if (strcmp(name, "help") == 0) {
        command = find_command(argv[2]);
        return command ? command->run(2, help) : refuse(argv[2]);
    }
    command = find_command(name);
    if (!command)
        return refuse(name);
    argv[1] = argv[0] = program; /* whom getopt's messages come from */
    return command->run(argc - 1, argv + 1);
}
