/* threads FOLDER [--least N] [--most N] [--part N] [--processes] [WORDS]: how work grows with 1, 2, 4, ... threads
 * (from 1 to as many as the process has cores, unless said), or with as many processes; sizes are divided by the part,
 * 16 at most. One line a case and count: title, threads or processes or cores, how many, what was reached, unit, wrong
 * values. threads.h has what a case is; threads_meta.c has those of metadata, threads_raw.c those of raw data. */
#define _GNU_SOURCE
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, ROUNDS_OF_CORES = 2, MOST_PARTS = 16 };

/* What teams of one measurement share, also between processes. */
struct ground {
    pthread_barrier_t start;
    struct score {
        double begin, end, amount;
        long wrong;
    } scores[MOST_THREADS];
};

struct member {
    const struct thread_case *c;
    struct team *team;
    struct ground *ground;
    unsigned i, place; /* in the team, among all */
};

struct options {
    const char *folder, *words;
    unsigned least, most, part;
    int processes;
};

static cpu_set_t all_cores;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

hid_t access_with_workers(int workers)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
#ifdef H5F_SHARED_CHUNK_CACHE_VERSION
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    H5Pget_shared_chunk_cache(fapl, &settings);
    if (workers >= 0)
        settings.threads = (unsigned)workers;
    H5Pset_shared_chunk_cache(fapl, &settings);
#else
    (void)workers;
#endif
    return fapl;
}

static void *run_member(void *arg)
{
    struct member *m = arg;
    struct score *s = &m->ground->scores[m->place];
    pthread_barrier_wait(&m->ground->start);
    s->begin = now();
    s->amount = m->c->work(m->team, m->i);
    s->end = now();
    return NULL;
}

/* One round of a team, whose members have the places from `place` on. */
static void run_round(const struct thread_case *c, struct team *t, struct ground *g, unsigned place)
{
    pthread_t threads[MOST_THREADS];
    struct member members[MOST_THREADS];
    memset(t->wrong, 0, sizeof t->wrong);
    c->open(t);
    for (unsigned i = 0; i < t->n; i++) {
        members[i] = (struct member){c, t, g, i, place + i};
        if (i > 0 && pthread_create(&threads[i], NULL, run_member, &members[i]))
            fail("pthread_create");
    }
    run_member(&members[0]);
    for (unsigned i = 1; i < t->n; i++)
        pthread_join(threads[i], NULL);
    if (c->close)
        c->close(t);
    g->scores[place].end = c->close ? now() : g->scores[place].end;
    c->check(t);
    for (unsigned i = 0; i < t->n; i++)
        g->scores[place + i].wrong = t->wrong[i];
}

/* Of all members in one round: what they did in how many seconds. */
static double sum_up(const struct ground *g, unsigned n, double *amount, long *wrong)
{
    double begin = 1e300, end = 0;
    *amount = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct score *s = &g->scores[i];
        begin = s->begin < begin ? s->begin : begin;
        end = s->end > end ? s->end : end;
        *amount += s->amount;
        *wrong += s->wrong;
    }
    return end - begin;
}

static void give_cores(unsigned n)
{
    cpu_set_t some;
    CPU_ZERO(&some);
    for (int core = 0; core < CPU_SETSIZE && n > 0; core++)
        if (CPU_ISSET(core, &all_cores)) {
            CPU_SET(core, &some);
            n--;
        }
    if (sched_setaffinity(0, sizeof some, &some) != 0)
        fail("sched_setaffinity");
}

static void init_team(struct team *t, const struct options *o, unsigned n, unsigned place)
{
    memset(t, 0, sizeof *t);
    t->n = n;
    t->part = o->part;
    snprintf(t->path, sizeof t->path - 32, "%s/threads-%u", o->folder, place);
}

/* A process with a team: says so when it is ready, and then runs a round for each letter that comes. */
static void serve(const struct thread_case *c, struct team *t, struct ground *g, unsigned place, const int pipes[2])
{
    char go = 0;
    if (c->prepare)
        c->prepare(t);
    while (write(pipes[1], &go, 1) == 1 && read(pipes[0], &go, 1) == 1)
        run_round(c, t, g, place);
    exit(0);
}

struct process {
    pid_t id;
    int to, from;
};

static struct process start_process(const struct thread_case *c, const struct options *o, struct ground *g, unsigned n,
                                    unsigned place)
{
    int to[2], from[2];
    static struct team team;
    if (pipe(to) != 0 || pipe(from) != 0)
        fail("pipe");
    init_team(&team, o, c->kind == CORES ? 1 : n, place);
    fflush(stdout);
    pid_t id = fork();
    if (id == 0) {
        close(to[1]);
        close(from[0]);
        if (c->kind == CORES)
            give_cores(n);
        serve(c, &team, g, place, (int[2]){to[0], from[1]});
    }
    close(to[0]);
    close(from[1]);
    return (struct process){id, to[1], from[0]};
}

static void say(const struct process *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (write(p[i].to, "g", 1) != 1)
            fail("a process that measures");
}

static void hear(const struct process *p, unsigned n)
{
    char c;
    for (unsigned i = 0; i < n; i++)
        if (read(p[i].from, &c, 1) != 1)
            fail("a process that measures");
}

static void remove_files(const struct options *o)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -f '%s'/threads-*", o->folder);
    if (system(command) != 0)
        fail(command);
}

/* Members: threads of one process, or as many processes. The best of some rounds counts, after one that warms. */
static void measure(const struct thread_case *c, const struct options *o, struct ground *g, unsigned n)
{
    struct process processes[MOST_THREADS];
    unsigned n_processes = o->processes ? n : 1, members = c->kind == CORES ? 1 : n;
    double best = 0, amount;
    long wrong = 0;
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&g->start, &shared, members);
    for (unsigned i = 0; i < n_processes; i++)
        processes[i] = start_process(c, o, g, o->processes ? 1 : n, i);
    hear(processes, n_processes);
    for (unsigned round = 0; round < (c->kind == CORES ? ROUNDS_OF_CORES : ROUNDS); round++) {
        say(processes, n_processes);
        hear(processes, n_processes);
        double took = sum_up(g, members, &amount, &wrong), rate = c->kind == CORES ? 1 / took : amount / took;
        best = round > 0 && rate > best ? rate : best;
    }
    /* A process has the ends of those before it, too: all are closed here before one can end. */
    for (unsigned i = 0; i < n_processes; i++) {
        close(processes[i].to);
        close(processes[i].from);
    }
    for (unsigned i = 0; i < n_processes; i++)
        waitpid(processes[i].id, NULL, 0);
    remove_files(o);
    printf("%s\t%s\t%u\t%.6g\t%s\t%ld\n", c->title,
           c->kind == CORES ? "cores"
           : o->processes   ? "processes"
                            : "threads",
           n, c->kind == CORES ? 1 / best : best, c->unit, wrong);
    fflush(stdout);
}

static void measure_all(const struct thread_case *cases, const struct options *o, struct ground *g)
{
    for (const struct thread_case *c = cases; c->title; c++) {
        if ((o->words && !strstr(c->title, o->words)) || (o->processes && c->kind != TEAM_OR_MANY))
            continue;
        for (unsigned n = o->least; n <= o->most; n = n < o->most && 2 * n > o->most ? o->most : 2 * n)
            measure(c, o, g, n);
    }
}

int main(int argc, char **argv)
{
    struct options o = {.folder = argv[1], .least = 1, .part = 1};
    if (argc < 2 || sched_getaffinity(0, sizeof all_cores, &all_cores) != 0)
        return 2;
    o.most = (unsigned)CPU_COUNT(&all_cores);
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--processes") == 0)
            o.processes = 1;
        else if (strcmp(argv[i], "--least") == 0 && i + 1 < argc)
            o.least = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            o.most = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--part") == 0 && i + 1 < argc)
            o.part = (unsigned)atoi(argv[++i]);
        else
            o.words = argv[i];
    if (o.least < 1 || o.most < o.least || o.most > MOST_THREADS || o.part < 1 || o.part > MOST_PARTS)
        return 2;
    struct ground *g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (g == MAP_FAILED)
        fail("mmap");
    measure_all(metadata_cases, &o, g);
    measure_all(raw_data_cases, &o, g);
    return 0;
}
