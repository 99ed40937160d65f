/* A power failure: what was written since the last sync is there, or not, or in part, in any order. Whatever is left must open,
 * for reading and for writing, and show a whole state: of some flush at the level ORDERED, of the last one that returned or a
 * later one at the level FLUSH. Each barrier is taken away in turn, and has to be missed.
 *
 * POWER_IMAGES=n: so many images at least, and all subsets of windows of up to 12 parts. POWER_SEED=n: begin with this one. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash/model.h"
#include "crash/run.h"
#include "file/mutation.h"
#include "power/disk.h"
#include "support/folder.h"
#include "support/recorder.h"
#include "unit/cmocka_all.h"

enum { MAX_KEPT = 60, MAX_REPLAYS = 8 };

struct effort {
    size_t exhaustive; /* windows of up to so many parts: all subsets */
    unsigned random;   /* images of each window besides */
};

static const struct effort sample = {.exhaustive = 6, .random = 8}, at_length = {.exhaustive = 12, .random = 30};

/* A file that a power failure left, for another one while it is repaired. */
struct kept {
    struct disk disk;
    unsigned long last;
};

struct power {
    struct run run;
    H5F_durability_t level;
    struct effort effort;
    struct model model;
    struct world world;
    struct window window;
    struct disk disk;
    struct kept kept[MAX_KEPT];
    size_t n_kept;
    char image[FOLDER_PATH];
    hid_t fapl;
    uint64_t random;
    uint64_t *seen; /* hashes of images; 0: free */
    size_t n_seen, capacity;
    unsigned long images, bad, replays;
    size_t longest; /* window of which all subsets were tried */
    char why[4096];
};

/* False when it was there. */
static bool remember(struct power *p, uint64_t hash)
{
    hash = hash ? hash : 1;
    if (p->n_seen * 2 >= p->capacity) {
        uint64_t *old = p->seen;
        size_t n = p->capacity;
        p->capacity = n * 2 + 1024;
        p->seen = calloc(p->capacity, sizeof *p->seen);
        p->n_seen = 0;
        for (size_t i = 0; i < n; i++)
            if (old[i])
                remember(p, old[i]);
        free(old);
    }
    size_t at = hash % p->capacity;
    while (p->seen[at] && p->seen[at] != hash)
        at = (at + 1) % p->capacity;
    bool is_new = !p->seen[at];
    p->seen[at] = hash;
    p->n_seen += is_new;
    return is_new;
}

static bool shows(struct power *p, unsigned flags, unsigned long last)
{
    struct model *m = &p->model;
    hid_t file = H5Fopen(p->image, flags, p->fapl);
    if (file < 0) {
        snprintf(m->why, sizeof m->why, "the file does not open");
        return false;
    }
    bool good = p->level == H5F_DURABILITY_FLUSH ? model_allows(m, file, (unsigned)last, true)
                                                 : model_allows_any(m, file, (unsigned)last, true);
    if (H5Fclose(file) < 0) {
        snprintf(m->why, sizeof m->why, "the file does not close");
        return false;
    }
    return good;
}

static void complain(struct power *p, unsigned long last, const char *how)
{
    const char *keep = getenv("POWER_KEEP");
    if (p->bad++ > 0)
        return;
    snprintf(p->why, sizeof p->why, "%s of %zu parts after state %lu: %.3900s", how, p->window.n, last, p->model.why);
    if (keep)
        disk_write(&p->disk, keep);
}

/* The image that p->disk is. */
static void try_image(struct power *p, unsigned long last, const char *how)
{
    if (!remember(p, disk_hash(&p->disk) ^ last * 0x9e3779b97f4a7c15u))
        return;
    disk_write(&p->disk, p->image);
    bool good = shows(p, H5F_ACC_RDONLY, last);
    if (good && p->images % 3 == 0)
        good = shows(p, H5F_ACC_RDWR, last) && shows(p, H5F_ACC_RDONLY, last);
    p->images++;
    if (!good)
        complain(p, last, how);
}

static void keep_image(struct power *p, unsigned long last)
{
    if (p->n_kept == MAX_KEPT || power_random(&p->random) % 8)
        return;
    struct kept *k = &p->kept[p->n_kept++];
    k->last = last;
    disk_copy(&k->disk, &p->disk);
}

static void try_subset(struct power *p, uint64_t subset, const size_t *order, enum fate *fates, unsigned long last)
{
    for (size_t i = 0; i < p->window.n; i++)
        fates[i] = subset >> i & 1 ? FATE_KEPT : FATE_LOST;
    disk_make(&p->disk, &p->window, order, fates, &p->random);
    try_image(p, last, "a subset");
}

static void shuffle(struct power *p, size_t *order)
{
    for (size_t i = p->window.n; i > 1; i--) {
        size_t k = power_random(&p->random) % i, other = order[i - 1];
        order[i - 1] = order[k];
        order[k] = other;
    }
}

/* Most are kept, or few, or half; some of those torn. */
static void try_random(struct power *p, size_t *order, enum fate *fates, unsigned long last)
{
    unsigned keep = (unsigned)(power_random(&p->random) % 3) * 4 + 1, torn = (unsigned)(power_random(&p->random) % 3);
    for (size_t i = 0; i < p->window.n; i++) {
        unsigned r = (unsigned)(power_random(&p->random) % 10);
        bool tears = power_random(&p->random) % 4 < torn;
        fates[i] = r >= keep ? FATE_LOST : !tears ? FATE_KEPT : power_random(&p->random) % 2 ? FATE_TORN : FATE_TORN_PAGES;
    }
    if (power_random(&p->random) % 2)
        shuffle(p, order);
    disk_make(&p->disk, &p->window, order, fates, &p->random);
    if (power_random(&p->random) % 4 == 0)
        disk_other_length(&p->disk, &p->window, &p->random);
    try_image(p, last, "a random part");
    keep_image(p, last);
}

/* All but one, one alone, or all up to one: the mistakes of an order are seen best there. */
static void try_special(struct power *p, const size_t *order, enum fate *fates, unsigned long last)
{
    size_t n = p->window.n, which = power_random(&p->random) % n;
    unsigned kind = (unsigned)(power_random(&p->random) % 3);
    for (size_t i = 0; i < n; i++) {
        bool kept = kind == 0 ? i != which : kind == 1 ? i == which : i <= which;
        fates[i] = kept ? FATE_KEPT : FATE_LOST;
    }
    disk_make(&p->disk, &p->window, order, fates, &p->random);
    try_image(p, last, kind == 0 ? "all but one" : kind == 1 ? "one alone" : "the first");
}

static void explore(struct power *p, unsigned long last)
{
    size_t n = p->window.n;
    if (last == 0)
        return;
    size_t *order = malloc((n + 1) * sizeof *order);
    enum fate *fates = malloc((n + 1) * sizeof *fates);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (uint64_t subset = 0; n <= p->effort.exhaustive && subset < UINT64_C(1) << n; subset++)
        try_subset(p, subset, order, fates, last);
    p->longest = n <= p->effort.exhaustive && n > p->longest ? n : p->longest;
    for (unsigned i = 0; n > p->effort.exhaustive && i < p->effort.random * 2; i++)
        try_special(p, order, fates, last);
    for (unsigned i = 0; n > 0 && i < p->effort.random; i++)
        try_random(p, order, fates, last);
    free(order);
    free(fates);
}

static size_t member_size(const struct power *p)
{
    return p->run.how & WORK_FAMILY ? WORK_MEMBER : SIZE_MAX;
}

/* What may be left is the same as long as the window only grows, and until another state is noted. `first` is the state when
 * the recording begins. */
static void explore_all(struct power *p, unsigned long first)
{
    size_t size;
    unsigned long last = first;
    const uint8_t *bytes = recorder_image(0, 0, &size);
    window_begin(&p->window, bytes, size, member_size(p));
    for (size_t i = 0; i < recorder_count(); i++) {
        const struct recorder_event *e = recorder_event(i);
        if (e->what == RECORDED_SYNC || e->what == RECORDED_MARK)
            explore(p, last);
        last = e->what == RECORDED_MARK ? e->mark : last;
        window_add(&p->window, i);
    }
    explore(p, last);
}

static void set_rules(unsigned rules)
{
#ifdef TS_MUTATIONS
    ts_mutations = rules;
#else
    (void)rules;
#endif
}

/* The power fails again while an open finishes what the journal has. */
static void fail_again(struct power *p, struct kept *k)
{
    char path[FOLDER_PATH];
    disk_write(&k->disk, folder_file(path, p->run.how & WORK_FAMILY ? "again%d.h5" : "again.h5"));
    recorder_start(path);
    set_rules(p->run.rules);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, p->fapl);
    if (file >= 0)
        H5Fclose(file);
    set_rules(0);
    bool replayed = false;
    for (size_t i = 0; i < recorder_count(); i++)
        replayed = replayed || recorder_event(i)->what == RECORDED_WRITE;
    if (replayed) {
        window_free(&p->window);
        explore_all(p, k->last);
        p->replays++;
    }
    recorder_stop();
}

static void no_more_reports(bool off)
{
    static H5E_auto2_t report;
    static void *data;
    if (off) {
        H5Eget_auto2(H5E_DEFAULT, &report, &data);
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    } else {
        H5Eset_auto2(H5E_DEFAULT, report, data);
    }
}

static void power_free(struct power *p)
{
    for (size_t i = 0; i < p->n_kept; i++)
        disk_free(&p->kept[i].disk);
    window_free(&p->window);
    disk_free(&p->disk);
    model_free(&p->model);
    H5Pclose(p->fapl);
    free(p->seen);
    free(p);
}

/* Once a file is closed nothing of it waits: whoever opens it next need not know of journals. */
static void look_at_the_end(struct power *p)
{
    if (p->level != H5F_DURABILITY_FLUSH || p->window.n == 0)
        return;
    snprintf(p->model.why, sizeof p->model.why, "something is written after the last barrier of the closed file");
    complain(p, 0, "the rest");
}

static struct power *play(const struct run *r, H5F_durability_t level, const struct effort *effort)
{
    struct power *p = calloc(1, sizeof *p);
    char path[FOLDER_PATH];
    bool family = r->how & WORK_FAMILY;
    *p = (struct power){.run = *r, .level = level, .effort = *effort, .random = r->seed * UINT64_C(7919) + 12345};
    p->fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (family)
        H5Pset_fapl_family(p->fapl, WORK_MEMBER, H5P_DEFAULT);
    folder_file(p->image, family ? "image%d.h5" : "image.h5");
    setenv("TESSERA_DURABILITY", level == H5F_DURABILITY_FLUSH ? "flush" : "ordered", 1);
    run_record(r, folder_file(path, family ? "run%d.h5" : "run.h5"), &p->model, &p->world);
    unsetenv("TESSERA_DURABILITY");
    no_more_reports(true);
    explore_all(p, 0);
    look_at_the_end(p);
    recorder_stop();
    for (size_t i = 0; i < p->n_kept && p->replays < MAX_REPLAYS; i++)
        fail_again(p, &p->kept[i]);
    no_more_reports(false);
    if (getenv("POWER_VERBOSE"))
        print_message("seed %u kind %#x%s level %d rules %#x: %lu images, all subsets of up to %zu parts, %lu repairs cut short, "
                      "%lu bad\n%s\n", r->seed, r->how, r->stock ? " (stock)" : "", (int)level, r->rules, p->images, p->longest,
                      p->replays, p->bad, p->why);
    return p;
}

static const struct run kinds[] = {
    {.how = 0},
    {.how = WORK_LATEST},
    {.how = WORK_PERSIST},
    {.how = WORK_PAGES | WORK_LATEST},
    {.how = WORK_USERBLOCK | WORK_SHARED},
    {.how = WORK_SPARSE},
    {.how = WORK_SPARSE | WORK_LATEST},
    {.how = WORK_LATEST | WORK_SWMR},
    {.how = WORK_LATEST | WORK_SWMR | WORK_SPARSE},
    {.how = WORK_FAMILY},
    {.how = WORK_FAMILY | WORK_LATEST},
    {.how = WORK_SMALL_CACHE},
    {.how = WORK_OVERWRITE},
    {.how = 0, .stock = true}, /* superblock 0 */
    {.how = WORK_LATEST, .stock = true},
};

static unsigned long must_be_whole(const struct run *r, H5F_durability_t level, const struct effort *effort)
{
    struct power *p = play(r, level, effort);
    unsigned long images = p->images;
    if (p->bad)
        fail_msg("seed %u, kind %#x%s, level %d: %lu of %lu images: %s", r->seed, r->how, r->stock ? ", begun by stock" : "",
                 (int)level, p->bad, p->images, p->why);
    power_free(p);
    return images;
}

static unsigned number(const char *name, unsigned otherwise)
{
    const char *value = getenv(name);
    return value ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

static void every_image_is_whole(void **state)
{
    (void)state;
    unsigned wanted = number("POWER_IMAGES", 0), seed = number("POWER_SEED", 1);
    unsigned long images = 0;
    size_t n = sizeof kinds / sizeof *kinds;
    do {
        for (size_t i = 0; i < n; i++) {
            struct run r = kinds[i];
            r.seed = seed * 100 + (unsigned)i;
            r.operations = wanted ? 60 : 30;
            H5F_durability_t level = (seed + i) % 2 ? H5F_DURABILITY_FLUSH : H5F_DURABILITY_ORDERED;
            images += must_be_whole(&r, level, wanted ? &at_length : &sample);
        }
        seed++;
    } while (images < wanted);
    print_message("%lu different images were whole\n", images);
    assert_true(images > 1000);
}

#ifdef TS_MUTATIONS
static void each_barrier_is_needed(void **state)
{
    (void)state;
    static const struct {
        const char *barrier;
        struct run run;
        H5F_durability_t level;
    } cases[] = {
        {"after raw data and fresh blocks", {.rules = TS_MUTATION_NO_BARRIER_DATA}, H5F_DURABILITY_FLUSH},
        {"the same, ordered", {.rules = TS_MUTATION_NO_BARRIER_DATA}, H5F_DURABILITY_ORDERED},
        {"after the journal", {.rules = TS_MUTATION_NO_BARRIER_AHEAD}, H5F_DURABILITY_FLUSH},
        {"the same, ordered", {.rules = TS_MUTATION_NO_BARRIER_AHEAD}, H5F_DURABILITY_ORDERED},
        {"before the journal is cut off", {.rules = TS_MUTATION_NO_BARRIER_BEHIND}, H5F_DURABILITY_FLUSH},
        {"the same, ordered", {.rules = TS_MUTATION_NO_BARRIER_BEHIND}, H5F_DURABILITY_ORDERED},
        {"before the journal of a SWMR writer is wiped",
         {.how = WORK_LATEST | WORK_SWMR, .rules = TS_MUTATION_NO_BARRIER_BEHIND}, H5F_DURABILITY_ORDERED},
        {"before freed space is used again", {.how = WORK_OVERWRITE | WORK_SPARSE, .rules = TS_MUTATION_NO_BARRIER_FREED},
         H5F_DURABILITY_ORDERED},
        {"after elements alone", {.how = WORK_OVERWRITE, .rules = TS_MUTATION_NO_BARRIER_RAW}, H5F_DURABILITY_FLUSH},
        {"after the last journal of a file", {.rules = TS_MUTATION_NO_BARRIER_CLOSE}, H5F_DURABILITY_FLUSH},
        {"between what an open finishes and the end of the journal", {.rules = TS_MUTATION_NO_BARRIER_REPLAY},
         H5F_DURABILITY_FLUSH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned long bad = 0;
        for (unsigned seed = 1; seed <= 4 && bad == 0; seed++) {
            struct run r = cases[i].run;
            r.operations = 30;
            r.seed = seed;
            struct power *p = play(&r, cases[i].level, &sample);
            bad = p->bad;
            power_free(p);
        }
        if (bad == 0)
            fail_msg("nobody noticed that this barrier was taken away: %s", cases[i].barrier);
    }
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_image_is_whole),
#ifdef TS_MUTATIONS
        cmocka_unit_test(each_barrier_is_needed),
#endif
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (!folder_make() || H5open() < 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !folder_remove() || failed;
}
