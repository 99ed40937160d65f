/* The second process: this program once more, told to follow. It tells what it has checked through a pipe. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "demo.h"

#define LOOK_EVERY 200000 /* nanoseconds */

/* Of one look that found something. */
struct report {
    uint64_t frames; /* that are checked now */
    double seen;     /* when the last of them were seen */
};

static void become_follower(const char *path, const struct run *run, int reports, pid_t parent)
{
    static char program[] = "tessera", command[] = "demo", option[] = "--follow";
    char frames[24], number[16], *name = strdup(path);
    char *arguments[] = {program, command, option, name, frames, number, NULL};
    sigset_t none;
    /* Nobody else would end it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    /* Ctrl-C goes to both: the first process decides. */
    signal(SIGINT, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(frames, sizeof frames, "%llu", (unsigned long long)run->frames);
    snprintf(number, sizeof number, "%d", reports);
    fcntl(reports, F_SETFD, 0);
    execv("/proc/self/exe", arguments);
    fprintf(stderr, "tessera: cannot start a second process: %s\n", strerror(errno));
    _exit(1);
}

int follower_start(struct follower *f, const char *path, const struct run *run)
{
    int ends[2];
    size_t batches = (size_t)(run->frames + BATCH - 1) / BATCH;
    f->called = malloc(batches * sizeof *f->called);
    f->latency = malloc(batches * sizeof *f->latency);
    if (!f->called || !f->latency)
        return tool_error("no memory for %zu times", batches);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return tool_error("cannot make a pipe: %s", strerror(errno));
    pid_t parent = getpid();
    f->reports = ends[0];
    f->pid = fork();
    if (f->pid == 0)
        become_follower(path, run, ends[1], parent);
    close(ends[1]);
    return f->pid < 0 ? tool_error("cannot start a second process: %s", strerror(errno)) : 0;
}

void follower_flushing(struct follower *f)
{
    f->called[f->flushed++] = seconds_now();
}

static void note(struct follower *f, const struct report *report, const struct run *run)
{
    f->frames = report->frames;
    while (f->seen < f->flushed && ((f->seen + 1) * BATCH <= f->frames || f->frames == run->frames)) {
        f->latency[f->seen] = report->seen - f->called[f->seen];
        f->seen++;
    }
}

static int reap(struct follower *f)
{
    int status = 0;
    waitpid(f->pid, &status, 0);
    f->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int follower_listen(struct follower *f, const struct run *run, bool all)
{
    struct pollfd wait = {.fd = f->reports, .events = POLLIN};
    for (;;) {
        struct report report;
        if (poll(&wait, 1, all ? 100 : 0) <= 0) {
            if (!all || interrupted())
                return 0;
            continue;
        }
        ssize_t n = read(f->reports, &report, sizeof report); /* all or nothing: it is small */
        if (n == sizeof report) {
            note(f, &report, run);
            const struct bar bars[] = {{"recorded", run->frames, run->frames}, {"followed", f->frames, run->frames}};
            if (all)
                show_bars(bars, 2);
        } else if (n == 0) {
            if (reap(f) == 0 && f->frames == run->frames)
                return 0;
            return tool_error("the process that follows the run ended early");
        } else if (n > 0 || errno != EINTR) {
            return tool_error("cannot hear the process that follows the run: %s", strerror(errno));
        }
    }
}

void follower_stop(struct follower *f)
{
    if (f->pid > 0) {
        kill(f->pid, SIGKILL);
        reap(f);
    }
    if (f->reports > 0)
        close(f->reports);
    free(f->called);
    free(f->latency);
    *f = (struct follower){0};
}

/* New frames since `seen`: checks and reports them. */
static int look(hid_t dset, struct generator *g, hsize_t *seen, int reports)
{
    static const struct box nothing;
    const struct timespec pause = {.tv_nsec = LOOK_EVERY};
    hsize_t dims[3];
    if (H5Drefresh(dset) < 0)
        return tool_error("cannot refresh " DATASET);
    hid_t space = H5Dget_space(dset);
    H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    if (dims[0] == *seen) {
        nanosleep(&pause, NULL);
        return 0;
    }
    struct report report = {.frames = dims[0], .seen = seconds_now()};
    const struct box box = {{*seen, 0, 0}, {dims[0] - *seen, dims[1], dims[2]}};
    if (check_box(dset, g, &box, &nothing) < 0)
        return 1;
    *seen = dims[0];
    return write(reports, &report, sizeof report) == sizeof report ? 0 : 1;
}

int follow(const char *path, hsize_t frames, int reports)
{
    struct run run;
    struct box erased;
    struct generator g = {0};
    hid_t dset = -1, file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    int status = file < 0 ? tool_error("cannot follow %s", path) : read_run(file, path, &run, &erased);
    if (status == 0)
        status = generator_init(&g, &run);
    if (status == 0 && (dset = H5Dopen2(file, DATASET, H5P_DEFAULT)) < 0)
        status = tool_error("cannot follow %s", path);
    for (hsize_t seen = 0; status == 0 && seen < frames;)
        status = look(dset, &g, &seen, reports);
    generator_deinit(&g);
    H5Dclose(dset);
    H5Fclose(file);
    return status;
}
