#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dropin.h"
#include "tool.h"

static const char help[] =
    "usage: tessera doctor [PYTHON | PROGRAM | LIBRARY.so]...\n\n"
    "Says which HDF5 library a program loads, and which one it would load under 'tessera run'. For a Python these are "
    "the\n"
    "libraries of h5py, netCDF4 and tables. Without arguments: /usr/bin/python3. A program is not run; a Python "
    "imports the\n"
    "modules.\n\n"
    "The status is 0 when all of them would run on Tessera under 'tessera run', 1 when one would not.\n\n"
    "  -h, --help  this text\n";

#define LIBRARIES 8

/* The HDF5 libraries that something loads. */
struct found {
    int status;        /* of the program that was asked */
    char *text;        /* what it printed, into which the rest points */
    const char *first; /* its first line */
    size_t count;
    const char *files[LIBRARIES];
};

/* Runs a program, with this LD_LIBRARY_PATH unless it is NULL; all that it prints. */
static char *output_of(char *const *argv, const char *library_path, int *status)
{
    int ends[2];
    char *text = NULL;
    size_t size;
    if (pipe(ends) < 0)
        return NULL;
    pid_t child = fork();
    if (child == 0) {
        if (library_path)
            setenv("LD_LIBRARY_PATH", library_path, 1);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
        fprintf(stderr, "tessera: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r"), *copy = open_memstream(&text, &size);
    for (int c; child > 0 && (c = getc(in)) != EOF;)
        putc(c, copy);
    fclose(copy);
    fclose(in);
    *status = -1;
    if (child > 0 && waitpid(child, status, 0) == child)
        *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    return text;
}

/* "Tessera 0.1.0", "HDF5 1.10.8", or NULL for a file that is no HDF5 library. */
static const char *release_of(const char *file, char *text, size_t size)
{
    static const char mark[] = "HDF5 library version: ";
    struct elf elf;
    if (!elf_open(&elf, file))
        return NULL;
    const char *tessera = elf_text(&elf, "H5_TESSERA_VERSION_g");
    const unsigned char *at = elf.bytes, *end = elf.bytes + elf.size;
    *text = '\0';
    if (tessera)
        snprintf(text, size, "Tessera %s", tessera);
    while (!*text && (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
        at += sizeof mark - 1;
        size_t length = 0;
        while (at + length < end && length < 20 && strchr("0123456789.", at[length] ? at[length] : ' '))
            length++;
        if (length > 0)
            snprintf(text, size, "HDF5 %.*s", (int)length, (const char *)at);
    }
    elf_close(&elf);
    return *text ? text : NULL;
}

/* Each line that has the absolute name of an HDF5 library in it, once. */
static void find_libraries(struct found *found)
{
    char *left = found->text, *line, release[64];
    found->first = left ? left : "";
    while (left && (line = strsep(&left, "\n"))) {
        char *file = strchr(line, '/');
        if (!file || !(strstr(file, "hdf5") || strstr(file, "tessera")))
            continue;
        char *end = strstr(file, " (0x");
        if (end)
            *end = '\0';
        bool known = found->count == LIBRARIES || !release_of(file, release, sizeof release);
        for (size_t i = 0; i < found->count; i++)
            known |= strcmp(found->files[i], file) == 0;
        if (!known)
            found->files[found->count++] = file;
    }
}

static struct found ask(char *const *argv, const char *library_path)
{
    struct found found = {0};
    found.text = output_of(argv, library_path, &found.status);
    find_libraries(&found);
    return found;
}

/* Why this library stays under `tessera run`. */
static void explain(const char *file, const struct elf *program)
{
    struct elf elf;
    const char *name = strrchr(file, '/') + 1;
    if (elf_open(&elf, file) && elf.soname)
        name = elf.soname;
    if (strcmp(name, DROPIN_NAME) == 0 && program && program->rpath)
        printf("    its RPATH goes before LD_LIBRARY_PATH: %s ('patchelf --remove-rpath' takes it out)\n",
               program->rpath);
    else if (strcmp(name, DROPIN_NAME) == 0)
        printf("    an RPATH that goes before LD_LIBRARY_PATH leads to it\n");
    else if (strncmp(name, "libhdf5-", 8) == 0)
        printf(
            "    it came with the package, under a name of its own (%s), which no other library can take;\n"
            "    install Debian's package, or build it against Debian's libhdf5: pip install --no-binary :all: NAME\n",
            name);
    else
        printf("    it is loaded as %s; Tessera takes the place of " DROPIN_NAME " only\n", name);
    elf_close(&elf);
}

static bool has(const struct found *found, const char *file)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->files[i], file) == 0)
            return true;
    return false;
}

/* What it loads now, and what it would load; true when that is Tessera alone. */
static bool compare(const char *label, const struct found *now, const struct found *then, const struct elf *program)
{
    char release[64];
    bool good = then->count > 0;
    for (size_t i = 0; i < now->count; i++)
        printf("  %s%s, %s\n", label, release_of(now->files[i], release, sizeof release), now->files[i]);
    for (size_t i = 0; i < then->count; i++) {
        const char *file = then->files[i];
        bool tessera = strncmp(release_of(file, release, sizeof release), "Tessera", 7) == 0;
        if (!has(now, file))
            printf("    under 'tessera run': %s, %s\n", release, file);
        else if (!tessera)
            printf("    under 'tessera run': the same\n");
        if (!tessera)
            explain(file, program);
        good &= tessera;
    }
    return good;
}

static bool look_at_module(char *python, char *module, const char *path)
{
    static char script[] = "import importlib, sys\n"
                           "try:\n"
                           "    module = importlib.import_module(sys.argv[1])\n"
                           "except ModuleNotFoundError as reason:\n"
                           "    sys.exit(3 if reason.name == sys.argv[1] else str(reason))\n"
                           "except ImportError as reason:\n"
                           "    sys.exit(str(reason))\n"
                           "print(getattr(module, '__version__', ''))\n"
                           "print(*sorted({line.split(maxsplit=5)[5].strip() for line in open('/proc/self/maps') if "
                           "'/' in line}), sep='\\n')\n";
    static char flag[] = "-c";
    char *argv[] = {python, flag, script, module, NULL}, label[128];
    struct found now = ask(argv, NULL), then = {0};
    bool good = true;
    if (now.status == 3) {
        printf("  %s: not installed\n", module);
    } else if (now.status != 0) {
        printf("  %s: cannot be imported\n", module);
        good = false;
    } else {
        then = ask(argv, path);
        snprintf(label, sizeof label, "%s %s: ", module, now.first);
        if (now.count == 0)
            printf("  %sloads no HDF5 library, or has its own linked in\n", label);
        good = compare(label, &now, &then, NULL);
        if (then.status != 0)
            printf("    under 'tessera run': cannot be imported\n");
    }
    free(now.text);
    free(then.text);
    return good;
}

static bool look_at_python(char *python, const char *path)
{
    static char h5py[] = "h5py", netcdf[] = "netCDF4", tables[] = "tables";
    char *modules[] = {h5py, netcdf, tables};
    bool good = true;
    printf("%s\n", python);
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        fflush(stdout);
        good &= look_at_module(python, modules[i], path);
    }
    return good;
}

/* The dynamic linker lists what it would load, and runs nothing. */
static bool look_at_binary(char *file, const struct elf *elf, const char *path)
{
    static char list[] = "--list";
    struct elf self = {0};
    const char *linker = elf->interpreter;
    if (!linker && elf_open(&self, "/proc/self/exe"))
        linker = self.interpreter;
    char *command = strdup(linker ? linker : "");
    elf_close(&self);
    char *argv[] = {command, list, file, NULL};
    struct stat st;
    bool good = false;
    printf("%s\n", file);
    fflush(stdout);
    struct found now = ask(argv, NULL), then = {0};
    if (now.count == 0) {
        printf("  loads no HDF5 library when it starts: it may open one later, or have one linked in\n");
    } else if (elf->interpreter && stat(file, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID))) {
        compare("", &now, &then, elf);
        printf("    under 'tessera run': the same\n    it is setuid or setgid: the system ignores LD_LIBRARY_PATH for "
               "it\n");
    } else {
        then = ask(argv, path);
        good = compare("", &now, &then, elf);
    }
    free(command);
    free(now.text);
    free(then.text);
    return good;
}

static bool is_python(const char *program)
{
    const char *slash = strrchr(program, '/');
    return strncmp(slash ? slash + 1 : program, "python", 6) == 0;
}

/* What a script's first line says runs it, the program behind `env` included; for the caller to free, or NULL. */
static char *interpreter_of(const char *file)
{
    char line[PATH_MAX] = "", *left = line + 2, *word;
    FILE *in = fopen(file, "r");
    if (!in)
        return NULL;
    bool script = fgets(line, sizeof line, in) && strncmp(line, "#!", 2) == 0;
    fclose(in);
    while (script && (word = strsep(&left, " \t\n"))) {
        size_t length = strlen(word);
        if (length > 0 && *word != '-' && !(length >= 4 && strcmp(word + length - 4, "/env") == 0))
            return strdup(word);
    }
    return NULL;
}

static bool look_at(const char *name, const char *path)
{
    char *file = dropin_find_program(name), *runs = NULL;
    struct elf elf = {0};
    bool good = false;
    if (!file) {
        fprintf(stderr, "tessera: %s: no such program or file\n", name);
    } else if (is_python(name)) {
        good = look_at_python(file, path);
    } else if (elf_open(&elf, file)) {
        good = look_at_binary(file, &elf, path);
        elf_close(&elf);
    } else if ((runs = interpreter_of(file))) {
        printf("%s is a script of %s:\n", file, runs);
        good = look_at(runs, path);
    } else {
        fprintf(stderr, "tessera: %s is neither a program nor a library\n", file);
    }
    free(runs);
    free(file);
    return good;
}

int tool_doctor(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;)
        return tool_help(help, c == 'h');
    char *folder = dropin_folder();
    char *path = folder ? dropin_path(folder) : NULL;
    bool good = path != NULL;
    if (path && optind == argc)
        good = look_at("/usr/bin/python3", path);
    for (int i = optind; path && i < argc; i++)
        good &= look_at(argv[i], path);
    free(folder);
    free(path);
    return good ? 0 : 1;
}
