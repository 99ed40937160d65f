/* A crash at any write, or between the sectors of one: the file shows what the last flush left, or the one that was at
 * work. Each rule that this rests on is switched off in turn, and has to be missed. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash/model.h"
#include "crash/run.h"
#include "file/mutation.h"
#include "support/folder.h"
#include "support/recorder.h"
#include "unit/cmocka_all.h"

/* Stock libhdf5 knows nothing of structured chunks. */
static bool is_for_stock(const struct run *r)
{
    return !(r->how & WORK_SPARSE);
}

struct result {
    unsigned long prefixes, bad;
    char why[4096]; /* of the first */
};

/* To a SWMR reader, who has no journal and sees a commit on its way, everything must be there; which flush each object is of,
 * unit/dataset/test_swmr_order.c asks. */
static bool follows(struct model *m, const char *path)
{
    struct dump d = {0};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(fapl, 1);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, fapl);
    H5Pclose(fapl);
    if (file >= 0) {
        dump_file(&d, file);
        H5Fclose(file);
    }
    bool good = file >= 0 && d.errors == 0;
    if (!good)
        snprintf(m->why, sizeof m->why, "a SWMR reader sees %u errors in: %.3000s", d.errors, d.text ? d.text : "no file");
    dump_free(&d);
    return good;
}

/* As it is, repaired, and what the repair left. */
static bool recovers(struct model *m, const char *path, unsigned long last, bool torn, bool deep)
{
    if (!model_allows_file(m, path, H5F_ACC_RDONLY, (unsigned)last, torn))
        return false;
    if (!deep)
        return true;
    return model_allows_file(m, path, H5F_ACC_RDWR, (unsigned)last, torn) &&
           model_allows_file(m, path, H5F_ACC_RDONLY, (unsigned)last, torn);
}

static bool stock_reads(const char *path)
{
    char command[512];
    snprintf(command, sizeof command, "%s %s >/dev/null 2>&1 && h5dump %s >/dev/null 2>&1", getenv("CRASH_START"), path,
             path);
    return system(command) == 0;
}

static void try_prefix(struct model *m, const struct run *r, size_t n, size_t cut, struct result *out)
{
    char copy[FOLDER_PATH];
    unsigned long last = recorder_last_mark(n);
    /* Before its first commit there need not be a file. */
    if (last == 0)
        return;
    folder_file(copy, "prefix.h5");
    recorder_write_file(n, cut, copy);
    bool deep = out->prefixes % 3 == 0;
    bool good = !(r->how & WORK_SWMR) || cut > 0 || follows(m, copy);
    good = good && recovers(m, copy, last, cut > 0, deep);
    if (good && deep && out->prefixes % 150 == 0 && is_for_stock(r) && !stock_reads(copy)) {
        good = false;
        snprintf(m->why, sizeof m->why, "stock libhdf5 cannot read it");
    }
    out->prefixes++;
    if (good)
        return;
    if (out->bad++ == 0)
        snprintf(out->why, sizeof out->why, "write %zu sector %zu after state %lu: %.3900s", n, cut, last, m->why);
    const char *keep = getenv("CRASH_KEEP");
    if (keep && out->bad == 1)
        recorder_write_file(n, cut, keep);
}

/* Long writes are cut at a few of their sectors: the first, the last and some between. */
static void try_all(struct model *m, const struct run *r, struct result *out)
{
    H5E_auto2_t report;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &report, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (size_t n = 0; n <= recorder_count(); n++) {
        size_t sectors = n < recorder_count() && !r->whole ? recorder_sectors(n) : 0;
        size_t step = sectors / 4 + 1;
        try_prefix(m, r, n, 0, out);
        for (size_t cut = 1; cut < sectors; cut += step)
            try_prefix(m, r, n, cut, out);
        if (sectors > 2)
            try_prefix(m, r, n, sectors - 1, out);
    }
    H5Eset_auto2(H5E_DEFAULT, report, data);
}

static struct result replay(const struct run *r)
{
    static struct world world;
    struct model m = {0};
    struct result out = {0};
    char path[FOLDER_PATH];
    run_record(r, folder_file(path, "run.h5"), &m, &world);
    try_all(&m, r, &out);
    recorder_stop();
    model_free(&m);
    if (getenv("CRASH_VERBOSE"))
        print_message("seed %u how %u stock %d rules %#x: %lu prefixes, %lu bad\n%s\n", r->seed, r->how, r->stock, r->rules,
                      out.prefixes, out.bad, out.why);
    return out;
}

static void must_recover(const struct run *r)
{
    struct result out = replay(r);
    if (out.bad)
        fail_msg("seed %u, kind %#x%s: %lu of %lu prefixes: %s", r->seed, r->how, r->stock ? ", begun by stock" : "", out.bad,
                 out.prefixes, out.why);
    assert_true(out.prefixes > 20);
}

/* What a run costs grows with the square of its length: long ones are for those who ask for many. */
static unsigned operations(unsigned most)
{
    return getenv("CRASH_SEEDS") ? most : most * 3 / 5;
}

static void every_prefix_recovers(void **state)
{
    (void)state;
    static const unsigned hows[] = {0, WORK_LATEST, WORK_PERSIST, WORK_PAGES | WORK_LATEST,
                                    WORK_USERBLOCK | WORK_SHARED};
    const char *seeds = getenv("CRASH_SEEDS");
    unsigned n = seeds ? (unsigned)atoi(seeds) : 5;
    for (unsigned seed = 1; seed <= n; seed++)
        must_recover(&(struct run){.seed = seed, .operations = operations(70), .how = hows[seed % 5]});
}

static void every_prefix_of_a_small_cache_recovers(void **state)
{
    (void)state;
    const char *seeds = getenv("CRASH_SEEDS");
    unsigned n = seeds ? (unsigned)atoi(seeds) : 2;
    for (unsigned seed = 1; seed <= n; seed++)
        must_recover(&(struct run){
            .seed = 100 + seed, .operations = 40, .how = WORK_SMALL_CACHE | (seed % 2 ? WORK_LATEST : 0)});
}

static void every_prefix_of_sparse_datasets_recovers(void **state)
{
    (void)state;
    static const unsigned hows[] = {0, WORK_LATEST, WORK_PERSIST, WORK_SMALL_CACHE, WORK_PAGES | WORK_LATEST};
    const char *seeds = getenv("CRASH_SEEDS");
    unsigned n = seeds ? (unsigned)atoi(seeds) : 5;
    for (unsigned seed = 1; seed <= n; seed++)
        must_recover(&(struct run){.seed = 300 + seed, .operations = operations(70), .how = hows[seed % 5] | WORK_SPARSE});
}

static void every_prefix_of_a_swmr_writer_recovers(void **state)
{
    (void)state;
    static const unsigned hows[] = {WORK_SPARSE, 0, WORK_PERSIST, WORK_SPARSE | WORK_SHARED};
    const char *seeds = getenv("CRASH_SEEDS");
    unsigned n = seeds ? (unsigned)atoi(seeds) : 4;
    for (unsigned seed = 1; seed <= n; seed++)
        must_recover(&(struct run){.seed = 400 + seed, .operations = operations(70), .how = hows[seed % 4] | WORK_LATEST | WORK_SWMR});
}

static void files_of_stock_recover(void **state)
{
    (void)state;
    const char *seeds = getenv("CRASH_SEEDS");
    unsigned n = seeds ? (unsigned)atoi(seeds) : 2;
    for (unsigned seed = 1; seed <= n; seed++)
        must_recover(&(struct run){.seed = 200 + seed, .operations = 40, .how = seed % 2 ? 0 : WORK_LATEST, .stock = true});
}

/* Without a journal, additions alone: the order of the writes is all that protects them. */
static void order_protects_additions(void **state)
{
    (void)state;
#ifdef TS_MUTATIONS
    unsigned bare = TS_MUTATION_NO_JOURNAL | TS_MUTATION_END_FIRST;
#else
    unsigned bare = 0;
#endif
    const char *seeds = getenv("CRASH_SEEDS");
    unsigned n = seeds ? (unsigned)atoi(seeds) : 8;
    for (unsigned seed = 1; seed <= n; seed++)
        must_recover(&(struct run){
            .seed = seed, .operations = 60, .how = WORK_APPEND | WORK_LATEST, .rules = bare, .whole = true});
}

#ifdef TS_MUTATIONS
static void each_rule_is_needed(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        struct run run;
        unsigned off; /* the rule; run.rules are off anyway */
    } cases[] = {
        {"fresh blocks before those in place", {.how = 0}, TS_MUTATION_IN_PLACE_FIRST},
        {"a journal", {.how = 0}, TS_MUTATION_NO_JOURNAL},
        {"the journal stays until all is in place", {.how = 0}, TS_MUTATION_CUT_JOURNAL_FIRST},
        {"that of a SWMR writer too", {.how = WORK_LATEST | WORK_SWMR}, TS_MUTATION_CUT_JOURNAL_FIRST},
        {"freed space waits for the commit", {.how = 0}, TS_MUTATION_REUSE_FREED},
        {"the superblock comes last", {.how = 0}, TS_MUTATION_SUPERBLOCK_FIRST},
        {"a filtered chunk is not overwritten", {.how = 0}, TS_MUTATION_CHUNK_IN_PLACE},
        {"a sparse chunk is not overwritten", {.how = WORK_SPARSE}, TS_MUTATION_CHUNK_IN_PLACE},
        {"a sparse chunk that was replaced waits for the commit", {.how = WORK_SPARSE}, TS_MUTATION_REUSE_FREED},
        {"elements before the index that names them", {.how = WORK_SMALL_CACHE}, TS_MUTATION_INDEX_FIRST},
        {"children before parents",
         {.how = WORK_APPEND | WORK_LATEST, .rules = TS_MUTATION_NO_JOURNAL | TS_MUTATION_END_FIRST, .whole = true},
         TS_MUTATION_NO_DEPENDENCIES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned long bad = 0;
        for (unsigned seed = 1; seed <= 3 && bad == 0; seed++) {
            struct run r = cases[i].run;
            r.operations = 40;
            r.seed = seed;
            must_recover(&r);
            r.rules |= cases[i].off;
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
        cmocka_unit_test(every_prefix_recovers),
        cmocka_unit_test(every_prefix_of_a_small_cache_recovers),
        cmocka_unit_test(every_prefix_of_sparse_datasets_recovers),
        cmocka_unit_test(every_prefix_of_a_swmr_writer_recovers),
        cmocka_unit_test(files_of_stock_recover),
        cmocka_unit_test(order_protects_additions),
#ifdef TS_MUTATIONS
        cmocka_unit_test(each_rule_is_needed),
#endif
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (!folder_make() || H5open() < 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !folder_remove() || failed;
}
