/* A crash at any write, and then stock libhdf5, which knows no journal, opens the file as it is: it refuses, or shows what the
 * last flush left or the one that was at work. Then it changes the file, and afterwards both libraries read it whole, and
 * Tessera takes the changes back. */
#define _GNU_SOURCE
#define H5_USE_110_API 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash/model.h"
#include "crash/run.h"
#include "file/mutation.h"
#include "support/folder.h"
#include "support/recorder.h"
#include "unit/cmocka_all.h"

struct result {
    unsigned long images, refused, dead /* journals, behind files that stock opened */, bad;
    char why[4096]; /* of the first */
};

/* The process of stock libhdf5. A file may kill it. */
static struct {
    pid_t pid;
    FILE *to, *from;
} other;

static void start_other(void)
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    other.pid = fork();
    if (other.pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execl(getenv("CRASH_LOOKER"), "crash-looker", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    other.to = fdopen(to[1], "w");
    other.from = fdopen(from[0], "r");
}

static void end_other(void)
{
    fclose(other.to);
    fclose(other.from);
    waitpid(other.pid, NULL, 0);
    other.pid = 0;
}

/* What stock libhdf5 says of the file: 'y' and the dump, 'n' it does not open it, 'x' it could not change it or died. */
static char ask(char what, const struct run *r, const char *path, struct dump *d)
{
    memset(d, 0, sizeof *d);
    if (other.pid == 0)
        start_other();
    fprintf(other.to, "%c %u %s\n", what, r->how & ~(unsigned)(WORK_SWMR | WORK_SMALL_CACHE), path);
    fflush(other.to);
    int answer = fgetc(other.from);
    if (answer != EOF && (answer != 'y' || dump_receive(d, other.from)))
        return (char)answer;
    end_other();
    return 'x';
}

/* A family's members are as long as one, but for the last; those behind it are empty. */
static void write_members(const uint8_t *bytes, size_t size, const char *pattern)
{
    for (int i = 0;; i++) {
        char name[FOLDER_PATH + 16];
        size_t at = (size_t)i * WORK_MEMBER, n = at < size ? size - at : 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(name, sizeof name, pattern, i);
#pragma GCC diagnostic pop
        if (n == 0 && i > 0 && access(name, F_OK) != 0)
            break;
        FILE *out = fopen(name, "wb");
        n = n < WORK_MEMBER ? n : WORK_MEMBER;
        if (!out || (n > 0 && fwrite(bytes + at, 1, n, out) != n) || fclose(out) != 0)
            abort();
    }
}

static void write_image(const struct run *r, size_t n, size_t cut, const char *path)
{
    size_t size;
    if (!(r->how & WORK_FAMILY)) {
        recorder_write_file(n, cut, path);
        return;
    }
    const uint8_t *bytes = recorder_image(n, cut, &size);
    write_members(bytes, size, path);
}

static bool no(struct model *m, const char *why)
{
    size_t used = strlen(m->why);
    if (used < sizeof m->why)
        snprintf(m->why + used, sizeof m->why - used, " (%s)", why);
    return false;
}

static hid_t open_here(const struct run *r, const char *path, unsigned flags)
{
    hid_t fapl = work_access(r->how & ~(unsigned)WORK_SWMR), file = H5Fopen(path, flags, fapl);
    H5Pclose(fapl);
    return file;
}

static bool same_content(const struct dump *a, const struct dump *b)
{
    return a->errors == 0 && b->errors == 0 && a->size == b->size && a->n_cells == b->n_cells &&
           memcmp(a->text, b->text, a->size) == 0 &&
           (a->n_cells == 0 || memcmp(a->cells, b->cells, a->n_cells * sizeof *a->cells) == 0);
}

/* Whether both libraries see this. */
static bool both_see(const struct run *r, const char *path, const struct dump *want)
{
    struct dump here = {0}, there;
    hid_t file = open_here(r, path, H5F_ACC_RDONLY);
    if (file >= 0)
        dump_file(&here, file);
    bool good = file >= 0 && H5Fclose(file) >= 0 && ask('d', r, path, &there) == 'y';
    good = good && same_content(&here, want) && same_content(&there, want);
    dump_free(&here);
    if (file >= 0)
        dump_free(&there);
    return good;
}

static bool take_back(const struct run *r, const char *path)
{
    hid_t file = open_here(r, path, H5F_ACC_RDWR);
    if (file < 0)
        return false;
    bool good = H5Ldelete(file, "group of stock", H5P_DEFAULT) >= 0 && H5Ldelete(file, "data of stock", H5P_DEFAULT) >= 0 &&
                H5Adelete(file, "of stock") >= 0;
    return H5Fclose(file) >= 0 && good;
}

/* Stock libhdf5 changes a file that it saw as `before`. */
static bool survives_change(struct model *m, const struct run *r, const char *path, const struct dump *before)
{
    struct dump changed;
    if (ask('c', r, path, &changed) != 'y')
        return no(m, "stock libhdf5 cannot change it");
    bool added = changed.errors == 0 && strstr(changed.text, "/group of stock") && strstr(changed.text, "/data of stock");
    bool seen = added && both_see(r, path, &changed);
    dump_free(&changed);
    if (!seen)
        return no(m, "what stock libhdf5 made of it is not seen whole");
    return (take_back(r, path) && both_see(r, path, before)) || no(m, "with the changes taken back it is not what it was");
}

static bool repair(const struct run *r, const char *path)
{
    hid_t file = open_here(r, path, H5F_ACC_RDWR);
    return file >= 0 && H5Fclose(file) >= 0;
}

static bool ends_in_journal(size_t n, size_t cut)
{
    size_t size;
    const uint8_t *bytes = recorder_image(n, cut, &size);
    return size > 64 && memcmp(bytes + size - 64, "TSJRNL\r\n", 8) == 0;
}

/* Between two commits nothing keeps stock libhdf5 out, but for the mark of files that have one. */
static bool must_open(const struct run *r, size_t n, size_t cut)
{
    return !(r->how & WORK_LATEST) && cut == 0 && n > 0 && recorder_event(n - 1)->what == RECORDED_MARK;
}

static bool try_image(struct model *m, const struct run *r, size_t n, size_t cut, struct result *out)
{
    char path[FOLDER_PATH];
    struct dump seen;
    unsigned last = (unsigned)recorder_last_mark(n);
    folder_file(path, r->how & WORK_FAMILY ? "image%05d.h5" : "image.h5");
    write_image(r, n, cut, path);
    m->why[0] = 0;
    char answer = ask('d', r, path, &seen);
    out->refused += answer == 'n';
    out->dead += answer == 'y' && ends_in_journal(n, cut);
    if (answer == 'n' && must_open(r, n, cut))
        return no(m, "stock libhdf5 does not open it between two commits");
    if (answer == 'n' && !repair(r, path))
        return no(m, "it cannot be repaired");
    if (answer == 'n')
        answer = ask('d', r, path, &seen);
    if (answer != 'y')
        return no(m, "stock libhdf5 cannot read it");
    bool good = model_allows_dump(m, &seen, last, cut > 0) && survives_change(m, r, path, &seen);
    dump_free(&seen);
    return good;
}

static void look(struct model *m, const struct run *r, size_t n, size_t cut, struct result *out)
{
    /* Before its first commit there need not be a file. */
    if (recorder_last_mark(n) == 0)
        return;
    if (out->images++ % r->step != r->seed % r->step || try_image(m, r, n, cut, out))
        return;
    if (out->bad++ == 0)
        snprintf(out->why, sizeof out->why, "write %zu sector %zu after state %lu: %.3900s", n, cut, recorder_last_mark(n),
                 m->why);
}

static struct result replay(const struct run *r)
{
    static struct world world;
    struct model m = {0};
    struct result out = {0};
    char path[FOLDER_PATH];
    memset(&world, 0, sizeof world);
    run_record(r, folder_file(path, r->how & WORK_FAMILY ? "run%05d.h5" : "run.h5"), &m, &world);
    for (size_t n = 0; n <= recorder_count(); n++) {
        look(&m, r, n, 0, &out);
        if (n < recorder_count() && recorder_sectors(n) > 1)
            look(&m, r, n, recorder_sectors(n) / 2, &out);
    }
    out.images /= r->step;
    recorder_stop();
    model_free(&m);
    if (getenv("CRASH_VERBOSE"))
        print_message("seed %u how %u stock %d rules %#x: %lu images, %lu refused, %lu with a dead journal, %lu bad\n%s\n",
                      r->seed, r->how, r->stock, r->rules, out.images, out.refused, out.dead, out.bad, out.why);
    return out;
}

static struct result must_be_whole(struct run r)
{
    struct result out = replay(&r);
    if (out.bad)
        fail_msg("seed %u, kind %#x%s: %lu of %lu images: %s", r.seed, r.how, r.stock ? ", begun by stock" : "", out.bad,
                 out.images, out.why);
    return out;
}

/* A sample, or with CRASH_SEEDS every image of so many runs of each kind. */
static void every_format(void **state)
{
    (void)state;
    static const struct run runs[] = {
        {.how = 0},
        {.how = 0, .stock = true},
        {.how = WORK_LATEST},
        {.how = WORK_LATEST, .stock = true},
        {.how = WORK_USERBLOCK},
        {.how = WORK_USERBLOCK, .stock = true},
        {.how = WORK_SHORT},
        {.how = WORK_SHORT, .stock = true},
        {.how = WORK_PERSIST},
        {.how = WORK_PAGES | WORK_LATEST},
        {.how = WORK_PAGES, .stock = true},
        {.how = WORK_SHARED},
        {.how = WORK_FAMILY},
        {.how = WORK_FAMILY | WORK_LATEST},
        {.how = WORK_LATEST | WORK_SWMR},
        {.how = WORK_LATEST | WORK_SWMR | WORK_PERSIST},
    };
    const char *seeds = getenv("CRASH_SEEDS");
    unsigned n = seeds ? (unsigned)atoi(seeds) : 1;
    struct result all = {0};
    for (unsigned seed = 1; seed <= n; seed++)
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            struct run r = runs[i];
            r.seed = 500 + seed * 16 + (unsigned)i;
            r.operations = 30;
            r.step = seeds ? 1 : 11;
            struct result one = must_be_whole(r);
            all.images += one.images;
            all.refused += one.refused;
            all.dead += one.dead;
        }
    print_message("%lu images, %lu refused, %lu with a dead journal\n", all.images, all.refused, all.dead);
    assert_true(all.refused > 0 && all.refused < all.images);
    assert_true(all.dead > 0);
}

#ifdef TS_MUTATIONS
static void each_rule_is_needed(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        struct run run;
    } cases[] = {
        {"the mark", {.rules = TS_MUTATION_NO_MARK}},
        {"the mark of old files", {.rules = TS_MUTATION_NO_MARK, .stock = true}},
        {"the mark goes last", {.rules = TS_MUTATION_UNMARK_FIRST}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned long bad = 0;
        for (unsigned seed = 1; seed <= 3 && bad == 0; seed++) {
            struct run r = cases[i].run;
            r.seed = seed;
            r.operations = 30;
            r.step = 3;
            bad = replay(&r).bad;
        }
        if (bad == 0)
            fail_msg("nobody noticed that this rule was switched off: %s", cases[i].rule);
    }
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format),
#ifdef TS_MUTATIONS
        cmocka_unit_test(each_rule_is_needed),
#endif
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (!folder_make() || H5open() < 0)
        return 1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (other.pid)
        end_other();
    return !folder_remove() || failed;
}
