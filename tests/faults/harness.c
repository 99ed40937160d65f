#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "base/alloc.h"
#include "base/error.h"
#include "faults/faults.h"
#include "file/file.h"
#include "id/id.h"
#include "meta/meta.h"
#include "support/faulty.h"

#define MAX_STEPS 40
#define MAX_KEPT 32
#define SAMPLES 8
#define SECONDS 60

enum what { ALLOCATIONS, CALLS, FILTERS };

/* What comes after the first failure: the faults go on, or nothing but closing follows. Or they end with it, and what failed is
 * tried once more, or left out with all the steps behind it. */
enum then { ON, AGAIN, LEAVE };

/* What fails: once, or from then on. */
struct mode {
    const char *name;
    enum what what;
    unsigned calls;
    enum faulty_kind kind;
    bool once;
    enum then then;
};

static const struct mode modes[] = {
    {"alloc", ALLOCATIONS, 0, FAULTY_EIO, true, AGAIN},
    {"alloc-leave", ALLOCATIONS, 0, FAULTY_EIO, true, LEAVE},
    {"alloc-until", ALLOCATIONS, 0, FAULTY_EIO, false, AGAIN},
    {"alloc-until-leave", ALLOCATIONS, 0, FAULTY_EIO, false, LEAVE},
    {"alloc-from", ALLOCATIONS, 0, FAULTY_EIO, false, ON},
    {"read", CALLS, FAULTY_READ, FAULTY_EIO, true, AGAIN},
    {"read-leave", CALLS, FAULTY_READ, FAULTY_EIO, true, LEAVE},
    {"read-until-leave", CALLS, FAULTY_READ, FAULTY_EIO, false, LEAVE},
    {"read-from", CALLS, FAULTY_READ, FAULTY_EIO, false, ON},
    {"write", CALLS, FAULTY_WRITE, FAULTY_EIO, true, AGAIN},
    {"write-leave", CALLS, FAULTY_WRITE, FAULTY_EIO, true, LEAVE},
    {"write-from", CALLS, FAULTY_WRITE, FAULTY_EIO, false, ON},
    {"write-nospace", CALLS, FAULTY_WRITE, FAULTY_ENOSPC, true, AGAIN},
    {"write-short", CALLS, FAULTY_WRITE, FAULTY_SHORT, true, AGAIN},
    {"write-short-from", CALLS, FAULTY_ALL & ~FAULTY_READ, FAULTY_SHORT, false, ON},
    {"full", CALLS, FAULTY_WRITE | FAULTY_TRUNCATE, FAULTY_FULL, false, AGAIN},
    {"full-close", CALLS, FAULTY_WRITE | FAULTY_TRUNCATE, FAULTY_FULL, false, ON},
    {"filter", FILTERS, 0, FAULTY_EIO, true, AGAIN},
    {"filter-leave", FILTERS, 0, FAULTY_EIO, true, LEAVE},
    {"filter-from", FILTERS, 0, FAULTY_EIO, false, ON},
    {"truncate", CALLS, FAULTY_TRUNCATE | FAULTY_FLUSH, FAULTY_EIO, true, AGAIN},
    {"truncate-from", CALLS, FAULTY_TRUNCATE | FAULTY_FLUSH, FAULTY_EIO, false, ON},
};
#define N_MODES (sizeof modes / sizeof modes[0])

struct state {
    char *values, *shape;
    char *values_more, *shape_more; /* with the other work */
};

/* The scenario that runs. */
static struct {
    const struct scenario *s;
    const struct mode *mode;
    unsigned long n;
    bool flushes; /* explicitly before closing */
    char path[64];
    unsigned char *start;
    size_t start_size;
    struct state states[MAX_STEPS + 1];
    hid_t fapl;
    hid_t kept[MAX_KEPT];
    int n_kept;
    unsigned failures, runs, breaks;
} now;

/* How one run went. */
struct outcome {
    int done;        /* steps */
    bool told;       /* some call failed */
    bool broken;     /* and then the same failed without a fault */
    bool flushed;    /* everything up to `done`, as the library says */
    bool more;       /* the other work is done */
};

static void context(void)
{
    fprintf(stderr, "%s %s %lu %s", now.s ? now.s->name : "-", now.mode ? now.mode->name : "-", now.n,
            now.flushes ? "flush" : "close");
}

void __asan_on_error(void)
{
    fprintf(stderr, "\nin: ");
    context();
    fprintf(stderr, "\n");
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    fprintf(stderr, "hangs: ");
    context();
    fprintf(stderr, "\n");
    abort();
}

static void fail(const char *what)
{
    context();
    fprintf(stderr, ": %s\n", what);
    now.failures++;
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    H5Eprint2(H5E_DEFAULT, stderr);
    fail(what);
    exit(1);
}

hid_t keep(hid_t id)
{
    if (id >= 0) {
        must(now.n_kept < MAX_KEPT, "too many ids in a step");
        now.kept[now.n_kept++] = id;
    }
    return id;
}

static unsigned char *slurp(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    unsigned char *bytes = malloc(*size + 1);
    *size = fread(bytes, 1, *size, in);
    fclose(in);
    return bytes;
}

static void spill(const char *path, const unsigned char *bytes, size_t size)
{
    unlink(path);
    if (!bytes)
        return;
    FILE *out = fopen(path, "wb");
    must(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0, "cannot write the file to start from");
}

int from_corpus(const char *name, const char *path)
{
    char from[512];
    size_t size;
    const char *folder = getenv("TESSERA_CORPUS");
    snprintf(from, sizeof from, "%s/%s", folder ? folder : "corpus", name);
    unsigned char *bytes = slurp(from, &size);
    must(bytes, "cannot read a file of the corpus");
    spill(path, bytes, size);
    free(bytes);
    return 0;
}

static struct {
    unsigned long calls, fail_at; /* 0: never */
    bool once;
} filter;

/* Turns every byte round, when it does not fail. */
static size_t turn_round(unsigned flags, size_t n_values, const unsigned values[], size_t size, size_t *capacity, void **buf)
{
    (void)flags, (void)n_values, (void)values, (void)capacity;
    filter.calls++;
    if (filter.fail_at && (filter.once ? filter.calls == filter.fail_at : filter.calls >= filter.fail_at)) {
        H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_PLINE, H5E_CANTFILTER, "fails as the test wants");
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)*buf)[i] ^= 0xff;
    return size;
}

static const H5Z_class2_t filter_class = {
    H5Z_CLASS_T_VERS, FAULTS_FILTER, 1, 1, "turns bytes round", NULL, NULL, turn_round};

static void arm(unsigned long n)
{
    const struct mode *m = now.mode;
    filter.calls = 0;
    filter.fail_at = m->what == FILTERS ? n : 0;
    filter.once = m->once;
    if (m->what == FILTERS)
        return;
    if (m->what == ALLOCATIONS)
        ts_alloc_fail_at(n, m->once ? TS_FAULT_ONCE : TS_FAULT_FROM);
    else
        faulty_fail_at(n, m->calls, m->kind, m->once);
}

static unsigned long disarm(void)
{
    unsigned long allocations = ts_alloc_fail_at(0, TS_FAULT_ONCE);
    unsigned long calls = faulty_fail_at(0, 0, FAULTY_EIO, true);
    filter.fail_at = 0;
    if (now.mode && now.mode->what == FILTERS)
        return filter.calls;
    return now.mode && now.mode->what == ALLOCATIONS ? allocations : calls;
}

/* Not by H5Ewalk, which needs memory. */
static bool error_says(const char *text)
{
    const struct ts_err_stack *stack = ts_err_current();
    for (unsigned i = 0; i < stack->depth; i++)
        if (strstr(stack->rec[i].text, text))
            return true;
    return false;
}

/* A failure says why: that the test made something fail, or that the file takes no more changes since then. */
static void check_error(const char *what, bool earlier)
{
    if (error_says("cannot allocate") || error_says("as the test wants") || (earlier && error_says("half-way")))
        return;
    char text[200];
    disarm();
    H5Eprint2(H5E_DEFAULT, stderr);
    snprintf(text, sizeof text, "%s failed and does not say why", what);
    fail(text);
}

static bool is_broken(hid_t id)
{
    struct ts_fhandle *fh = ts_id_pin(id, H5I_FILE);
    bool broken = fh->file->broken;
    ts_id_unpin(H5I_FILE, fh);
    return broken;
}

static void check_broken(hid_t file, const char *what)
{
    if (is_broken(file))
        return;
    char text[200];
    H5Eprint2(H5E_DEFAULT, stderr);
    snprintf(text, sizeof text, "%s failed once more, without a fault", what);
    fail(text);
}

/* What a dataset holds back when it is closed and cannot write is not lost: the next flush tries again. */
static void close_kept(struct outcome *o)
{
    while (now.n_kept > 0) {
        hid_t id = now.kept[--now.n_kept];
        bool dataset = H5Iget_type(id) == H5I_DATASET;
        if ((dataset ? H5Dclose(id) : H5Idec_ref(id)) >= 0)
            continue;
        check_error("closing", o->told);
        o->told = true;
        if (H5Iis_valid(id) > 0)
            fail("an id that was closed is still there");
    }
}

static int make_step(hid_t file, struct outcome *o)
{
    int status = now.s->step(file, o->done);
    if (status < 0) {
        if (getenv("FAULTS_TRACE"))
            H5Eprint2(H5E_DEFAULT, stderr);
        check_error("a step", o->told);
        o->told = true;
    }
    close_kept(o);
    return status;
}

/* The step that failed, without a fault. */
static void try_again(hid_t file, struct outcome *o)
{
    int status = now.s->step(file, o->done);
    o->broken = is_broken(file);
    if (status < 0 && !o->broken) {
        H5Eprint2(H5E_DEFAULT, stderr);
        fail("a step that failed fails again, without a fault");
    }
    close_kept(o);
    o->done += !o->broken;
}

static void make_steps(hid_t file, struct outcome *o)
{
    while (o->done < now.s->steps && !o->broken) {
        if (make_step(file, o) == 0) {
            o->done++;
            continue;
        }
        if (now.mode->then != ON)
            disarm();
        if (now.mode->then != AGAIN || is_broken(file))
            return;
        try_again(file, o);
    }
}

/* Whatever failed, this has nothing to do with it: a group with an attribute and a dataset. */
static int do_more(hid_t file)
{
    int row[4] = {11, 22, 33, 44};
    hsize_t four = 4, two = 2;
    KEEP(group, H5Gcreate2(file, "zz more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    KEEP(space, H5Screate_simple(1, &four, NULL));
    KEEP(attr, H5Acreate2(group, "row", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Awrite(attr, H5T_NATIVE_INT, row));
    KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
    TRY(H5Pset_chunk(dcpl, 1, &two));
    TRY(H5Pset_deflate(dcpl, 1));
    KEEP(dset, H5Dcreate2(group, "rows", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    TRY(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, row));
    return 0;
}

/* In a mode whose faults are over it must be possible. */
static void make_more(hid_t file, struct outcome *o)
{
    bool sure = o->told && now.mode->then != ON;
    if (is_broken(file) || (!sure && now.n != ~0ul))
        return;
    o->more = do_more(file) == 0;
    if (!o->more) {
        H5Eprint2(H5E_DEFAULT, stderr);
        fail("after a failure other work fails, without a fault");
    }
    close_kept(o);
}

static void flush(hid_t file, struct outcome *o)
{
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0) {
        o->flushed = true;
        return;
    }
    check_error("H5Fflush", o->told);
    o->told = true;
    if (now.mode->then == ON)
        return;
    disarm();
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0) {
        o->flushed = true;
        return;
    }
    check_broken(file, "H5Fflush");
}

static bool is_open(const char *path)
{
    DIR *folder = opendir("/proc/self/fd");
    bool found = false;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char name[300], target[300] = "";
        snprintf(name, sizeof name, "/proc/self/fd/%s", e->d_name);
        ssize_t n = readlink(name, target, sizeof target - 1);
        found = found || (n > 0 && strstr(target, path));
    }
    closedir(folder);
    return found;
}

static const H5I_type_t kinds[] = {H5I_FILE,    H5I_GROUP, H5I_DATATYPE, H5I_DATASPACE,
                                   H5I_DATASET, H5I_ATTR,  H5I_GENPROP_LST};

static hsize_t count_ids(void)
{
    hsize_t total = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        hsize_t n = 0;
        H5Inmembers(kinds[i], &n);
        total += n;
    }
    return total;
}

static hid_t open_file(void)
{
    if (now.s->flags & FAULTS_CREATES)
        return now.s->create(now.path, now.fapl);
    return H5Fopen(now.path, H5F_ACC_RDWR | (now.s->flags & FAULTS_SWMR ? H5F_ACC_SWMR_WRITE : 0), now.fapl);
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *skip_storage(const char *line)
{
    while (strncmp(line, "  storage ", 10) == 0 || strncmp(line, "  offset ", 9) == 0)
        line = strchr(line, '\n') + 1;
    return line;
}

/* A write that failed may leave room for what it would have written. */
static bool same_but_room(const char *a, const char *b)
{
    while (a && b && *a && *b) {
        a = skip_storage(a);
        b = skip_storage(b);
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        if (n != m || memcmp(a, b, n) != 0)
            return false;
        a += n + (a[n] != '\0');
        b += m + (b[m] != '\0');
    }
    return a && b && *skip_storage(a) == *skip_storage(b);
}

static bool values_may_be(void)
{
    hid_t file = H5Fopen(now.path, H5F_ACC_RDONLY, now.fapl);
    bool right = file >= 0 && now.s->may_be(file);
    H5Fclose(file);
    return right;
}

/* Which states a file may be in. */
struct may_be {
    int low, high;
    bool less, more; /* without and with the other work */
    bool mixed;      /* elements need not be all of one state */
    bool room;       /* nor need storage */
};

static bool is_state(const char *values, const char *shape, int k, const struct may_be *may)
{
    const struct state *s = &now.states[k];
    bool (*alike_in)(const char *, const char *) = may->room ? same_but_room : same;
    if ((may->less && alike_in(values, s->values)) || (may->more && values && alike_in(values, s->values_more)))
        return true;
    bool alike = (may->less && same(shape, s->shape)) || (may->more && same(shape, s->shape_more));
    return shape && alike && values_may_be();
}

/* Which of them the file has, or -1. */
static int find_state(const struct may_be *may)
{
    char *values = dump_file(now.path, true), *shape = may->mixed ? dump_file(now.path, false) : NULL;
    int found = -1, low = may->low;
    bool mixed = may->mixed;
    for (int k = may->high; k >= low && found < 0; k--)
        if (is_state(values, shape, k, may))
            found = k;
    /* A file that is not made yet is nothing. */
    if (found < 0 && !values && mixed && now.s->flags & FAULTS_CREATES)
        found = low;
    if (found < 0) {
        char to[80];
        snprintf(to, sizeof to, "%s.bad", now.path);
        rename(now.path, to);
        fprintf(stderr, "%s\n", values ? values : "does not open");
    }
    free(values);
    free(shape);
    return found;
}

static void check_file(const struct outcome *o, bool closed_well)
{
    bool exact = (o->flushed || closed_well) && !o->broken;
    struct may_be may = {.low = exact ? o->done : 0, .high = o->done, .less = !exact || !o->more, .more = o->more,
                         .room = o->told};
    /* The elements of the step that failed may have been written in part; and one that ended in a flush that failed half-way
     * is there once that is finished. */
    if (o->told && may.high < now.s->steps && (now.s->may_be || o->broken || now.s->flags & FAULTS_PARTS))
        may.high++;
    may.mixed = !(exact && o->done == now.s->steps) && (now.s->may_be || now.s->flags & FAULTS_CREATES);
    int found = find_state(&may);
    if (found < 0) {
        char text[120];
        snprintf(text, sizeof text, "the file is in none of the states %d to %d (of %d)%s", may.low, may.high, now.s->steps,
                 exact ? "" : o->broken ? ", broken" : ", failed");
        fail(text);
        return;
    }
    /* Whoever opens it for writing finds the same, and leaves it. */
    hid_t file = H5Fopen(now.path, H5F_ACC_RDWR, now.fapl);
    if (file >= 0 && H5Fclose(file) < 0)
        fail("cannot be closed when opened afterwards");
    may.low = may.high = found;
    if (file >= 0 && find_state(&may) < 0)
        fail("opening for writing changes the file");
}

static hid_t open_with_faults(struct outcome *o)
{
    hid_t file = open_file();
    if (file < 0) {
        o->told = true;
        check_error("opening", false);
        disarm();
        if (is_open(now.path))
            fail("a file that did not open is open");
        close_kept(o);
        file = open_file();
    }
    close_kept(o);
    return file;
}

/* Returns how many calls of the mode there were. */
static unsigned long run(unsigned long n)
{
    struct outcome o = {0};
    hsize_t ids = count_ids();
    now.n = n;
    now.runs++;
    spill(now.path, now.start, now.start_size);
    alarm(SECONDS);
    if (now.s->flags & FAULTS_OPENS)
        arm(n);
    hid_t file = open_with_faults(&o);
    bool opened = !o.told;
    if (!(now.s->flags & FAULTS_OPENS))
        arm(n);
    if (file < 0) {
        disarm();
        H5Eprint2(H5E_DEFAULT, stderr);
        fail("does not open again");
        return 0;
    }
    make_steps(file, &o);
    make_more(file, &o);
    o.broken = is_broken(file);
    if (!o.broken && now.flushes)
        flush(file, &o);
    o.broken = is_broken(file);
    if (o.broken && (now.mode->what != CALLS || now.mode->calls == FAULTY_READ))
        fail("the file is broken, though nothing failed that writes");
    bool closed_well = H5Fclose(file) >= 0;
    if (!closed_well && !o.told)
        check_error("H5Fclose", false);
    now.breaks += o.broken;
    if (o.broken && now.mode->kind == FAULTY_FULL)
        fail("the file is broken, though there is room again");
    bool told = o.told || !closed_well;
    unsigned long count = disarm();
    alarm(0);
    if (count < n && told && opened && now.mode->then == ON)
        fail("something failed without a fault");
    if (count_ids() != ids || H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        fail("ids are left");
    if (is_open(now.path))
        fail("the file is still open");
    o.told = told;
    check_file(&o, closed_well);
    return count;
}

static void check_leaks(void)
{
#ifdef __SANITIZE_ADDRESS__
    if (__lsan_do_recoverable_leak_check())
        fail("memory leaks");
#endif
}

/* The file after so many of the steps when nothing fails. */
static void make_state(int k, bool more, char **values, char **shape)
{
    struct outcome o = {0};
    spill(now.path, now.start, now.start_size);
    hid_t file = open_with_faults(&o);
    must(file >= 0 && !o.told, "does not open");
    for (; o.done < k + more; o.done++) {
        must((o.done < k ? now.s->step(file, o.done) : do_more(file)) == 0, "a step fails without a fault");
        while (now.n_kept > 0)
            must(H5Idec_ref(now.kept[--now.n_kept]) >= 0, "an id cannot be closed without a fault");
    }
    must(H5Fclose(file) >= 0, "the file cannot be closed without a fault");
    *values = dump_file(now.path, true);
    *shape = dump_file(now.path, false);
}

static void make_states(void)
{
    for (int k = 0; k <= now.s->steps; k++) {
        struct state *s = &now.states[k];
        make_state(k, false, &s->values, &s->shape);
        make_state(k, true, &s->values_more, &s->shape_more);
        must(now.states[k].values && !strstr(now.states[k].values, "ERR"), "cannot be read without a fault");
        must(k == 0 || !same(now.states[k].values, now.states[k - 1].values) || now.s->flags & FAULTS_OPENS,
             "a step does nothing");
    }
}

static void run_mode(const struct mode *mode, unsigned long only)
{
    const char *env = getenv("FAULTS");
    bool all = env && strcmp(env, "all") == 0;
    now.mode = mode;
    now.flushes = true;
    /* So far that no fault comes. */
    unsigned long count = run(~0ul);
    if (count == 0 && mode->what == FILTERS)
        return;
    unsigned long stride = all || only || count < SAMPLES ? 1 : count / SAMPLES;
    for (unsigned long n = stride; n <= count + 1; n += stride)
        for (int flushes = 0; flushes < 2; flushes++) {
            now.flushes = flushes;
            if (only ? n == only : all || flushes == (int)(n / stride % 2))
                run(n);
        }
    now.mode = NULL;
}

static void set_up(const struct scenario *s)
{
    now.s = s;
    now.fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (s->flags & FAULTS_LATEST)
        H5Pset_libver_bounds(now.fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    if (s->flags & FAULTS_SWMR)
        H5Pset_swmr_new_objects(now.fapl, 1);
    if (s->flags & FAULTS_SMALL_CACHE) {
        H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
        H5Pget_mdc_config(now.fapl, &config);
        config.set_initial_size = 1;
        config.initial_size = config.min_size = config.max_size = 1024;
        H5Pset_mdc_config(now.fapl, &config);
    }
    unlink(now.path);
    if (s->make) {
        must(s->make(now.path, now.fapl) == 0, "cannot make the file to start from");
        while (now.n_kept > 0)
            H5Idec_ref(now.kept[--now.n_kept]);
        must(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "ids are left of making the file");
        now.start = slurp(now.path, &now.start_size);
    }
    make_states();
}

static void tear_down(void)
{
    for (int k = 0; k <= now.s->steps; k++) {
        free(now.states[k].values);
        free(now.states[k].shape);
        free(now.states[k].values_more);
        free(now.states[k].shape_more);
        now.states[k] = (struct state){0};
    }
    free(now.start);
    now.start = NULL;
    H5Pclose(now.fapl);
    unlink(now.path);
}

/* [SCENARIO [MODE [N]]]; "list" lists the scenarios. */
int faults_main(int argc, char **argv, const struct scenario *scenarios, size_t n)
{
    if (argc > 1 && strcmp(argv[1], "list") == 0) {
        for (size_t i = 0; i < n; i++)
            puts(scenarios[i].name);
        return 0;
    }
    snprintf(now.path, sizeof now.path, "/tmp/faults-%ld.h5", (long)getpid());
    H5open();
    ts_meta_watching = true;
    must(H5Zregister(&filter_class) >= 0, "cannot register a filter");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    signal(SIGALRM, on_alarm);
    faulty_start(now.path);
    for (size_t i = 0; i < n; i++) {
        if (argc > 1 && strcmp(argv[1], scenarios[i].name) != 0)
            continue;
        set_up(&scenarios[i]);
        for (size_t m = 0; m < N_MODES; m++)
            if (argc <= 2 || strcmp(argv[2], modes[m].name) == 0)
                run_mode(&modes[m], argc > 3 ? strtoul(argv[3], NULL, 10) : 0);
        check_leaks();
        tear_down();
    }
    faulty_stop();
    printf("%u runs: %u failures, %u files broken\n", now.runs, now.failures, now.breaks);
    return now.failures > 0;
}
