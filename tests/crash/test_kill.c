/* A process that is killed while it works: what it said was flushed is in the file. */
#define _GNU_SOURCE
#define H5_USE_110_API 1
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crash/model.h"
#include "crash/workload.h"
#include "support/folder.h"
#include "unit/cmocka_all.h"

enum { OPERATIONS = 150, KILLS = 50 };

static const char *self;

static void begin(struct world *world, unsigned seed)
{
    memset(world, 0, sizeof *world);
    world->random = seed * 2654435761u + 88172645463325252u;
}

static void work_all(struct work *w)
{
    work_create(w);
    work_run(w, OPERATIONS);
    work_close(w);
}

static void report(struct work *w, bool flushed)
{
    unsigned *n = w->ctx;
    (*n)++;
    if (flushed && write(1, n, sizeof *n) != sizeof *n)
        abort();
}

/* The process to be killed: says on standard output which of its states are flushed. */
static int be_killed(const char *path, unsigned seed, unsigned how)
{
    static struct world world;
    unsigned n = 0;
    struct work w = {.world = &world, .path = path, .how = how, .settled = report, .ctx = &n};
    begin(&world, seed);
    work_all(&w);
    return 0;
}

static void note(struct work *w, bool flushed)
{
    model_add(w->ctx, w->world, w->file, flushed);
}

static pid_t start(const char *path, unsigned seed, unsigned how, int *from)
{
    int ends[2];
    char a[16], b[16];
    snprintf(a, sizeof a, "%u", seed);
    snprintf(b, sizeof b, "%u", how);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        execl(self, self, path, a, b, (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    close(ends[1]);
    *from = ends[0];
    return child;
}

/* Kills it some time after it has said something, and returns the last it said. */
static unsigned last_words(pid_t child, int from, unsigned wait_for, long nanoseconds)
{
    unsigned n = 0, last = 0;
    while (last < wait_for && read(from, &n, sizeof n) == sizeof n)
        last = n;
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    kill(child, SIGKILL);
    while (read(from, &n, sizeof n) == sizeof n)
        last = n;
    close(from);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return last;
}

static void run_tool(const char *format, const char *path)
{
    char command[512];
    snprintf(command, sizeof command, format, path);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void check_file(struct model *m, const char *path, unsigned last, unsigned kill_number)
{
    if (!model_allows_file(m, path, H5F_ACC_RDONLY, last, true))
        fail_msg("kill %u after state %u: %s", kill_number, last, m->why);
    if (kill_number % 10 == 0) {
        char recover[512];
        snprintf(recover, sizeof recover, "%s recover %%s >/dev/null", getenv("CRASH_TESSERA"));
        run_tool(recover, path);
        run_tool("h5dump %s >/dev/null", path);
    }
    if (!model_allows_file(m, path, H5F_ACC_RDWR, last, true) || !model_allows_file(m, path, H5F_ACC_RDONLY, last, true))
        fail_msg("kill %u after state %u, repaired: %s", kill_number, last, m->why);
}

static void kill_often(unsigned seed, unsigned how)
{
    static struct world world;
    struct model m = {.world = &world, .mixed = (how & WORK_SMALL_CACHE) != 0};
    char path[FOLDER_PATH];
    folder_file(path, "killed.h5");
    struct work w = {.world = &world, .path = path, .how = how, .settled = note, .ctx = &m};
    begin(&world, seed);
    work_all(&w);
    unsigned random = seed, checked = 0;
    for (unsigned i = 0; i < KILLS; i++) {
        int from;
        remove(path);
        pid_t child = start(path, seed, how, &from);
        random = random * 1103515245 + 12345;
        unsigned last = last_words(child, from, random / 65536 % (m.n - 2) + 1, random / 7 % 4000000);
        if (last == 0)
            continue;
        check_file(&m, path, last, i);
        checked++;
    }
    model_free(&m);
    assert_true(checked > KILLS / 2);
}

static void killed_writers_lose_nothing_flushed(void **state)
{
    (void)state;
    kill_often(1, 0);
    kill_often(2, WORK_LATEST);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed_writers_lose_nothing_flushed)};
    if (argc == 4)
        return be_killed(argv[1], (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    self = argv[0];
    if (!folder_make() || H5open() < 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !folder_remove() || failed;
}
