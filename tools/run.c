#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dropin.h"
#include "tool.h"

static const char help[] =
    "usage: tessera run [-v] [--] PROGRAM [ARGUMENTS]\n\n"
    "Runs a program that was built for libhdf5 on Tessera, unchanged: puts the folder of Tessera's " DROPIN_NAME "\n"
    "before all others in LD_LIBRARY_PATH, and does nothing else.\n\n"
    "  tessera run python3 analysis.py\n"
    "  tessera run h5dump run.h5\n\n"
    "It reaches programs that load Debian's " DROPIN_NAME "; 'tessera doctor PROGRAM' says whether one does.\n\n"
    "  -v, --verbose  say what is set\n"
    "  -h, --help     this text\n";

static bool is_there(const char *folder)
{
    char name[PATH_MAX];
    return snprintf(name, sizeof name, "%s/" DROPIN_NAME, folder) < (int)sizeof name && access(name, R_OK) == 0;
}

char *dropin_folder(void)
{
    /* From the folder of this program: in a build, and where it was installed. */
    static const char *const places[] = {"../dropin", "../" TESSERA_LIBDIR "/tessera", "../lib/tessera"};
    char here[PATH_MAX], folder[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length < 0) {
        fprintf(stderr, "tessera: /proc/self/exe: %s\n", strerror(errno));
        return NULL;
    }
    here[length] = '\0';
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, sizeof folder, "%s/%s", here, places[i]);
        if (is_there(folder))
            return realpath(folder, NULL);
    }
    fprintf(stderr, "tessera: no " DROPIN_NAME " in %s/%s or %s/%s; 'make install' puts one there\n", here, places[0],
            here, places[1]);
    return NULL;
}

char *dropin_path(const char *folder)
{
    const char *now = getenv("LD_LIBRARY_PATH");
    char *path = malloc(strlen(folder) + (now ? strlen(now) : 0) + 2);
    if (path)
        sprintf(path, now && *now ? "%s:%s" : "%s", folder, now);
    return path;
}

char *dropin_find_program(const char *name)
{
    if (strchr(name, '/'))
        return access(name, F_OK) == 0 ? strdup(name) : NULL;
    const char *path = getenv("PATH");
    char *folders = strdup(path ? path : "/usr/local/bin:/usr/bin:/bin"), *left = folders, *folder, *found = NULL;
    while (!found && (folder = strsep(&left, ":"))) {
        char file[PATH_MAX];
        if (snprintf(file, sizeof file, "%s/%s", *folder ? folder : ".", name) < (int)sizeof file &&
            access(file, X_OK) == 0)
            found = strdup(file);
    }
    free(folders);
    return found;
}

int tool_run(int argc, char **argv)
{
    static const struct option options[] = {{"verbose", no_argument, NULL, 'v'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool verbose = false;
    for (int c; (c = getopt_long(argc, argv, "+vh", options, NULL)) != -1;) {
        if (c != 'v')
            return tool_help(help, c == 'h');
        verbose = true;
    }
    if (optind == argc)
        return tool_help(help, false);
    char *folder = dropin_folder();
    char *path = folder ? dropin_path(folder) : NULL;
    if (!path || setenv("LD_LIBRARY_PATH", path, 1) < 0) {
        free(folder);
        return 1;
    }
    if (verbose)
        fprintf(stderr, "tessera: LD_LIBRARY_PATH=%s\n", path);
    execvp(argv[optind], argv + optind);
    int reason = errno;
    fprintf(stderr, "tessera: cannot run %s: %s\n", argv[optind], strerror(reason));
    free(folder);
    free(path);
    return reason == ENOENT ? 127 : 126; /* as a shell tells it */
}
