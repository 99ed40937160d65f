/* A crash at any write leaves the file as one of the flushes left it. The harness is proved by switching off each rule
 * of the commit: it has to see that. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/mutation.h"
#include "support/faulty.h"
#include "support/folder.h"
#include "support/recorder.h"
#include "unit/file/file_util.h"

enum { BLOCKS = 40, ROUNDS = 30, ROW = 24 };

/* The file is blocks of random bytes; the root is a table of them, with a number that counts commits. */
struct world {
    struct ts_file *f;
    struct {
        haddr_t addr;
        size_t size;
        bool raw, dirty;
        uint8_t *bytes;
    } block[BLOCKS];
    haddr_t table;
    size_t table_size;
    uint64_t state;
    unsigned seed;
};

static void fill(struct world *w, int i)
{
    for (size_t k = 0; k < w->block[i].size; k++)
        w->block[i].bytes[k] = (uint8_t)rng(&w->seed);
    w->block[i].dirty = true;
}

static int drop(struct world *w, int i)
{
    ts_file_free(w->f, w->block[i].raw ? H5FD_MEM_DRAW : H5FD_MEM_OHDR, w->block[i].addr, w->block[i].size);
    free(w->block[i].bytes);
    w->block[i].bytes = NULL;
    return 0;
}

/* A new block; raw data goes into the file at once. */
static int make(struct world *w, int i)
{
    w->block[i].size = rng(&w->seed) % 1500 + 8;
    w->block[i].raw = rng(&w->seed) % 3 == 0;
    if (ts_file_alloc(w->f, w->block[i].raw ? H5FD_MEM_DRAW : H5FD_MEM_OHDR, w->block[i].size, &w->block[i].addr) < 0)
        return -1;
    w->block[i].bytes = malloc(w->block[i].size);
    fill(w, i);
    if (!w->block[i].raw)
        return 0;
    w->block[i].dirty = false;
    if (ts_file_write(w->f, w->block[i].addr, w->block[i].size, w->block[i].bytes) == 0)
        return 0;
    free(w->block[i].bytes);
    w->block[i].bytes = NULL;
    return -1;
}

static int change_one(struct world *w)
{
    int i = (int)(rng(&w->seed) % BLOCKS);
    if (!w->block[i].bytes)
        return make(w, i);
    if (rng(&w->seed) % 2 && !w->block[i].raw) {
        fill(w, i);
        return 0;
    }
    return drop(w, i);
}

static int move_table(struct world *w)
{
    if (w->table_size && rng(&w->seed) % 2)
        return 0;
    ts_file_free(w->f, H5FD_MEM_OHDR, w->table, w->table_size);
    w->table_size = 16 + BLOCKS * ROW;
    if (ts_file_alloc(w->f, H5FD_MEM_OHDR, w->table_size, &w->table) < 0)
        return -1;
    w->f->sb.root = w->table;
    return 0;
}

static int put_table(struct world *w, struct ts_blocks *out)
{
    struct ts_wr *to = ts_blocks_begin(out);
    ts_wr_u64(to, w->state);
    ts_wr_u64(to, BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        ts_wr_u64(to, w->block[i].bytes ? w->block[i].addr : HADDR_UNDEF);
        ts_wr_u64(to, w->block[i].bytes ? w->block[i].size : 0);
        ts_wr_u64(to, w->block[i].bytes ? ts_checksum(w->block[i].bytes, w->block[i].size) : 0);
    }
    return ts_blocks_end(out, w->table);
}

static int put_blocks(struct world *w, struct ts_blocks *out)
{
    for (int i = 0; i < BLOCKS; i++) {
        if (!w->block[i].bytes || !w->block[i].dirty)
            continue;
        ts_wr_bytes(ts_blocks_begin(out), w->block[i].bytes, w->block[i].size);
        if (ts_blocks_end(out, w->block[i].addr) < 0)
            return -1;
    }
    return put_table(w, out);
}

static int flush(struct world *w)
{
    struct ts_blocks out = {0};
    w->state++;
    int status = put_blocks(w, &out);
    if (status == 0)
        status = ts_file_commit(w->f, &out);
    ts_blocks_deinit(&out);
    if (status < 0) {
        w->state--;
        return -1;
    }
    for (int i = 0; i < BLOCKS; i++)
        w->block[i].dirty = false;
    return 0;
}

static int round_of_changes(struct world *w)
{
    int status = 0;
    for (int i = 0; i < 13 && status == 0; i++) {
        if (ts_change_begin(w->f) < 0)
            return -1;
        status = ts_change_end(w->f, i < 12 ? change_one(w) : move_table(w));
    }
    if (status < 0)
        return -1;
    ts_file_lock(w->f);
    status = flush(w);
    ts_file_unlock(w->f);
    return status;
}

static struct ts_plist *with_low_bound(H5F_libver_t low)
{
    struct ts_plist *fapl;
    assert_int_equal(ts_plist_copy(ts_plist_default(TS_PLIST_FILE_ACCESS), &fapl), 0);
    assert_int_equal(ts_fapl_set_libver_low(fapl, low), 0);
    return fapl;
}

static void forget(struct world *w)
{
    for (int i = 0; i < BLOCKS; i++)
        free(w->block[i].bytes);
}

static uint64_t u64(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 8; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

/* The number of the commit that the file shows, 0 when it shows none whole. */
static uint64_t shown(struct ts_file *f)
{
    uint8_t table[16 + BLOCKS * ROW], buf[2048];
    if (ts_file_read(f, f->sb.root, sizeof table, table) < 0 || u64(table + 8) != BLOCKS)
        return 0;
    for (int i = 0; i < BLOCKS; i++) {
        const uint8_t *row = table + 16 + i * ROW;
        if (u64(row) == HADDR_UNDEF)
            continue;
        if (u64(row + 8) > sizeof buf || ts_file_read(f, u64(row), (size_t)u64(row + 8), buf) < 0 ||
            ts_checksum(buf, (size_t)u64(row + 8)) != u64(row + 16))
            return 0;
    }
    return u64(table);
}

static uint64_t shown_in(const char *path, unsigned flags)
{
    struct ts_file *f = reopen(path, flags);
    if (!f) {
        ts_err_clear();
        return 0;
    }
    uint64_t state = shown(f);
    ts_file_unref(f);
    ts_err_clear();
    return state;
}

/* Read as it is, repaired, and read again. */
static bool recovers(const char *path, unsigned long at_least)
{
    uint64_t before = shown_in(path, H5F_ACC_RDONLY), repaired = shown_in(path, H5F_ACC_RDWR),
             after = shown_in(path, H5F_ACC_RDONLY);
    return before >= at_least && before == repaired && repaired == after && before <= at_least + 1;
}

/* How many of all the prefixes of a run do not recover. */
static unsigned long failures(enum ts_mutation mutation, H5F_libver_t low, unsigned seed)
{
    const char *path = "crash_run.h5", *copy = "crash_prefix.h5";
    struct world w = {.seed = seed, .table = HADDR_UNDEF};
    struct ts_plist *fapl = with_low_bound(low);
    unsigned long bad = 0;
#ifdef TS_MUTATIONS
    ts_mutations = mutation;
#else
    (void)mutation;
#endif
    recorder_start(path);
    w.f = create(path, fapl);
    assert_non_null(w.f);
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(round_of_changes(&w), 0);
        recorder_mark(w.state);
    }
    ts_file_unref(w.f);
#ifdef TS_MUTATIONS
    ts_mutations = TS_MUTATION_NONE;
#endif
    for (size_t n = 0; n <= recorder_count(); n++) {
        size_t sectors = n < recorder_count() ? recorder_sectors(n) : 0;
        for (size_t cut = 0; cut == 0 || cut < sectors; cut++) {
            /* Before its first commit is done there need not be a file. */
            if (recorder_last_mark(n) == 0)
                continue;
            recorder_write_file(n, cut, copy);
            if (!recovers(copy, recorder_last_mark(n)))
                bad++;
        }
    }
    recorder_stop();
    forget(&w);
    ts_plist_unref(fapl);
    remove(path);
    remove(copy);
    return bad;
}

static void every_prefix_recovers(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 2; seed++) {
        assert_int_equal(failures(TS_MUTATION_NONE, H5F_LIBVER_EARLIEST, seed), 0);
        assert_int_equal(failures(TS_MUTATION_NONE, H5F_LIBVER_V110, seed), 0);
    }
}

#ifdef TS_MUTATIONS
static void each_rule_is_needed(void **state)
{
    (void)state;
    for (int m = TS_MUTATION_IN_PLACE_FIRST; m <= TS_MUTATION_SUPERBLOCK_FIRST; m *= 2)
        assert_true(failures((enum ts_mutation)m, H5F_LIBVER_EARLIEST, 1) > 0);
}
#endif

/* A write that fails: an error, the file closes, and what was flushed before is there. */
static void failing_writes(enum faulty_kind kind, bool once)
{
    const char *path = "crash_faulty.h5";
    for (unsigned long n = 1;; n++) {
        struct world w = {.seed = 5, .table = HADDR_UNDEF};
        faulty_start(path);
        w.f = create(path, NULL);
        assert_non_null(w.f);
        for (int i = 0; i < 3; i++)
            assert_int_equal(round_of_changes(&w), 0);
        faulty_fail_at(n, FAULTY_WRITE | FAULTY_TRUNCATE, kind, once);
        bool failed = false;
        for (int i = 0; i < 3 && !failed; i++)
            failed = round_of_changes(&w) < 0;
        /* What failed before anything in place was touched may be tried again. */
        if (failed && once && !w.f->broken) {
            ts_file_lock(w.f);
            assert_int_equal(flush(&w), 0);
            ts_file_unlock(w.f);
        }
        ts_file_unref(w.f);
        bool reached = failed;
        faulty_fail_at(0, 0, kind, false);
        faulty_stop();
        ts_err_clear();
        uint64_t got = shown_in(path, H5F_ACC_RDONLY);
        assert_true(got == w.state || got == w.state + 1);
        assert_int_equal(shown_in(path, H5F_ACC_RDWR), got);
        forget(&w);
        if (!reached)
            break;
    }
    remove(path);
}

static void failing_writes_lose_nothing_flushed(void **state)
{
    (void)state;
    failing_writes(FAULTY_EIO, false);
    failing_writes(FAULTY_ENOSPC, true);
    failing_writes(FAULTY_SHORT, false);
    failing_writes(FAULTY_SHORT, true);
}

static void failing_allocations_lose_nothing_flushed(void **state)
{
    (void)state;
    const char *path = "crash_memory.h5";
    for (unsigned long n = 1;; n++) {
        struct world w = {.seed = 9, .table = HADDR_UNDEF};
        w.f = create(path, NULL);
        for (int i = 0; i < 3; i++)
            assert_int_equal(round_of_changes(&w), 0);
        ts_alloc_fail_at(n, TS_FAULT_FROM);
        bool failed = round_of_changes(&w) < 0;
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        uint64_t flushed = w.state;
        ts_file_unref(w.f);
        ts_err_clear();
        assert_int_equal(shown_in(path, H5F_ACC_RDONLY), flushed);
        forget(&w);
        if (!failed)
            break;
    }
    remove(path);
}

enum { PAIR = 16 };

static int commit_pair(struct ts_file *f, const haddr_t *at, uint8_t value)
{
    struct ts_blocks out = {0};
    uint8_t bytes[PAIR];
    int status = 0;
    memset(bytes, value, sizeof bytes);
    for (int i = 0; i < 2 && status == 0; i++) {
        ts_wr_bytes(ts_blocks_begin(&out), bytes, sizeof bytes);
        status = ts_blocks_end(&out, at[i]);
    }
    ts_file_lock(f);
    if (status == 0)
        status = ts_file_commit(f, &out);
    ts_file_unlock(f);
    ts_blocks_deinit(&out);
    return status;
}

/* Each of two small blocks is written whole, but a crash may come between them, though they are neighbours. */
static void blocks_of_one_sector_change_together(void **state)
{
    (void)state;
    const char *path = "crash_pair.h5", *copy = "crash_pair_prefix.h5";
    haddr_t at[2];
    recorder_start(path);
    struct ts_file *f = create(path, NULL);
    assert_int_equal(ts_change_begin(f), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, PAIR, &at[i]), 0);
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(at[0] / RECORDER_SECTOR, (at[1] + PAIR - 1) / RECORDER_SECTOR);
    assert_int_equal(commit_pair(f, at, 1), 0);
    recorder_mark(1);
    assert_int_equal(commit_pair(f, at, 2), 0);
    ts_file_unref(f);
    for (size_t n = 0; n <= recorder_count(); n++) {
        if (recorder_last_mark(n) == 0)
            continue;
        recorder_write_file(n, 0, copy);
        uint8_t got[2];
        f = reopen(copy, H5F_ACC_RDONLY);
        assert_non_null(f);
        for (int i = 0; i < 2; i++)
            assert_int_equal(ts_file_read(f, at[i], 1, &got[i]), 0);
        assert_int_equal(got[0], got[1]);
        ts_file_unref(f);
    }
    recorder_stop();
    remove(path);
    remove(copy);
}

static long size_of(const char *path)
{
    FILE *in = fopen(path, "rb");
    fseek(in, 0, SEEK_END);
    long size = ftell(in);
    fclose(in);
    return size;
}

static void opening_for_writing_changes_nothing(void **state)
{
    (void)state;
    const char *path = "crash_idle.h5";
    struct world w = {.seed = 3, .table = HADDR_UNDEF};
    struct ts_plist *fapl = with_low_bound(H5F_LIBVER_V110);
    w.f = create(path, fapl);
    assert_int_equal(round_of_changes(&w), 0);
    assert_int_equal(w.f->sb.flags & 1, 1);
    ts_file_unref(w.f);
    long size = size_of(path);
    uint8_t *before = malloc((size_t)size), *after = malloc((size_t)size);
    FILE *in = fopen(path, "rb");
    assert_int_equal(fread(before, 1, (size_t)size, in), size);
    fclose(in);
    assert_int_equal(before[11], 0);
    assert_int_equal(shown_in(path, H5F_ACC_RDWR), 1);
    assert_int_equal(size_of(path), size);
    in = fopen(path, "rb");
    assert_int_equal(fread(after, 1, (size_t)size, in), size);
    fclose(in);
    assert_memory_equal(before, after, (size_t)size);
    free(before);
    free(after);
    forget(&w);
    ts_plist_unref(fapl);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_recovers),
#ifdef TS_MUTATIONS
        cmocka_unit_test(each_rule_is_needed),
#endif
        cmocka_unit_test(failing_writes_lose_nothing_flushed),
        cmocka_unit_test(failing_allocations_lose_nothing_flushed),
        cmocka_unit_test(blocks_of_one_sector_change_together),
        cmocka_unit_test(opening_for_writing_changes_nothing),
    };
    /* In memory: repairing a file waits for the disk. */
    char path[FOLDER_PATH];
    if (!folder_make() || chdir(folder_file(path, ".")) != 0 || H5open() < 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !folder_remove() || failed;
}
