/* What the statistics of the shared chunk cache prove: in the public API, with worker threads and without. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "hdf5.h"

#define MIB ((size_t)1 << 20)
#define KIB ((size_t)1 << 10)

typedef H5F_chunk_cache_stats_t stats_t;
typedef H5F_shared_chunk_cache_t settings_t;

enum kind { CONTIGUOUS, COMPACT, PLAIN, DEFLATE, EDGES /* deflate, but not at the edge */ };

struct set {
    enum kind kind;
    hsize_t rows, cols, chunk_rows, chunk_cols;
    bool grows;
};

static char file_name[64];

static settings_t usual(void)
{
    settings_t s;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pget_shared_chunk_cache(fapl, &s), 0);
    H5Pclose(fapl);
    s.threads = 2;
    s.read_ahead = 0;
    s.encode_ahead = SIZE_MAX;
    return s;
}

static settings_t with_budget(size_t budget)
{
    settings_t s = usual();
    s.budget = budget;
    return s;
}

static hid_t access_list(const settings_t *s)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_shared_chunk_cache(fapl, s), 0);
    assert_int_equal(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST), 0);
    return fapl;
}

static hid_t new_file(const settings_t *s)
{
    hid_t fapl = access_list(s);
    hid_t f = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(f >= 0);
    H5Pclose(fapl);
    return f;
}

static hid_t open_file(const settings_t *s)
{
    hid_t fapl = access_list(s);
    hid_t f = H5Fopen(file_name, H5F_ACC_RDWR, fapl);
    assert_true(f >= 0);
    H5Pclose(fapl);
    return f;
}

static stats_t stats(hid_t f)
{
    stats_t s;
    assert_int_equal(H5Fget_chunk_cache_stats(f, &s), 0);
    return s;
}

static void reset(hid_t f)
{
    assert_int_equal(H5Freset_chunk_cache_stats(f), 0);
}

static hid_t create(hid_t f, const char *name, const struct set *s)
{
    hsize_t dims[2] = {s->rows, s->cols}, max[2] = {H5S_UNLIMITED, s->cols}, chunk[2] = {s->chunk_rows, s->chunk_cols};
    hid_t space = H5Screate_simple(2, dims, s->grows ? max : NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (s->kind == COMPACT)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (s->kind >= PLAIN)
        H5Pset_chunk(dcpl, 2, chunk);
    if (s->kind >= DEFLATE)
        H5Pset_deflate(dcpl, 1);
    if (s->kind == EDGES)
        H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    hid_t d = H5Dcreate2(f, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Sclose(space);
    H5Pclose(dcpl);
    return d;
}

static hid_t open_set(hid_t f, const char *name)
{
    hid_t d = H5Dopen2(f, name, H5P_DEFAULT);
    assert_true(d >= 0);
    return d;
}

struct box {
    hsize_t row, col, rows, cols;
};

static int value(hsize_t row, hsize_t col, int round)
{
    return (int)((row * 31 + col) / 3) + round * 1000003;
}

/* A write, or a read whose values are compared. In memory elements are int, or double when asked. */
static void move(hid_t d, const struct box *b, bool write, int round)
{
    hsize_t start[2] = {b->row, b->col}, count[2] = {b->rows, b->cols};
    hid_t file = H5Dget_space(d), mem = H5Screate_simple(2, count, NULL);
    size_t n = (size_t)(b->rows * b->cols), wrong = 0;
    int *buf = malloc(n * sizeof *buf);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
    for (size_t i = 0; write && i < n; i++)
        buf[i] = value(b->row + i / b->cols, b->col + i % b->cols, round);
    if (write)
        assert_int_equal(H5Dwrite(d, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, buf), 0);
    else
        assert_int_equal(H5Dread(d, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, buf), 0);
    for (size_t i = 0; !write && i < n; i++)
        wrong += buf[i] != value(b->row + i / b->cols, b->col + i % b->cols, round);
    assert_int_equal(wrong, 0);
    free(buf);
    H5Sclose(mem);
    H5Sclose(file);
}

static void put(hid_t d, hsize_t row, hsize_t col, hsize_t rows, hsize_t cols)
{
    move(d, &(struct box){row, col, rows, cols}, true, 0);
}

static void get(hid_t d, hsize_t row, hsize_t col, hsize_t rows, hsize_t cols)
{
    move(d, &(struct box){row, col, rows, cols}, false, 0);
}

/* A dataset that is on file, whole; nothing is in memory. The file is closed. */
static void make_set(const char *name, const struct set *s, bool first)
{
    settings_t settings = usual();
    hid_t f = first ? new_file(&settings) : open_file(&settings), d = create(f, name, s);
    put(d, 0, 0, s->rows, s->cols);
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
}

static size_t chunk_bytes(const struct set *s)
{
    return (size_t)(s->chunk_rows * s->chunk_cols * sizeof(int));
}

static hsize_t chunks_of(const struct set *s)
{
    return ((s->rows + s->chunk_rows - 1) / s->chunk_rows) * ((s->cols + s->chunk_cols - 1) / s->chunk_cols);
}

/* Until as many were encoded ahead; false when it does not come to that. */
static bool wait_encoded(hid_t f, uint64_t n)
{
    for (int i = 0; i < 5000; i++) {
        if (stats(f).preemptive_encodes >= n)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return false;
}

/* Jobs in the background hold memory until they are done. */
static bool settles_below(hid_t f, size_t bytes)
{
    for (int i = 0; i < 2000; i++) {
        if (stats(f).footprint <= bytes)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

/* Everything an operation of one chunk may need at once: its elements and its coded form, each as large as can be. */
static void assert_within(hid_t f, size_t budget, size_t operation)
{
    stats_t s = stats(f);
    if (s.footprint > budget && !settles_below(f, budget))
        fail_msg("%zu bytes are kept, allowed are %zu", stats(f).footprint, budget);
    if (s.peak_footprint > budget + operation)
        fail_msg("at most %zu bytes were in use, allowed are %zu + %zu", s.peak_footprint, budget, operation);
}

enum { MANY = 6 };

/* One chunk at a time of many datasets, in turns; then row by row; then all of each at once. */
static void budget_round(hid_t f, hid_t *d, const struct set *s, bool write, bool read)
{
    size_t budget = 1 * MIB, chunk = chunk_bytes(s) + 4096, largest = 0;
    settings_t now;
    assert_int_equal(H5Fget_shared_chunk_cache(f, &now), 0);
    budget = now.budget;
    reset(f);
    for (hsize_t row = 0; row < s->rows; row += s->chunk_rows)
        for (int i = 0; i < MANY; i++) {
            hsize_t rows = row + s->chunk_rows > s->rows ? s->rows - row : s->chunk_rows;
            if (write)
                put(d[i], row, 0, rows, s->chunk_cols);
            if (read)
                get(d[i], row, 0, rows, s->chunk_cols);
            assert_within(f, budget, 3 * chunk);
        }
    reset(f);
    largest = (size_t)((s->cols + s->chunk_cols - 1) / s->chunk_cols) * chunk;
    for (hsize_t row = 0; row < s->rows; row += 1 + s->chunk_rows / 3)
        for (int i = 0; i < MANY; i++) {
            if (write)
                put(d[i], row, 0, 1, s->cols);
            if (read)
                get(d[i], row, 0, 1, s->cols);
            assert_within(f, budget, 3 * largest);
        }
    reset(f);
    for (int i = 0; i < MANY; i++) {
        if (write)
            put(d[i], 0, 0, s->rows, s->cols);
        if (read)
            get(d[i], 0, 0, s->rows, s->cols);
        /* As much as it likes, but not all: work on many chunks is cut to portions. */
        assert_within(f, budget, budget / 2 + 3 * chunk);
    }
}

static void budget_of(const struct set *s, size_t budget, bool ahead)
{
    settings_t settings = with_budget(budget);
    settings.encode_ahead = ahead ? 0 : SIZE_MAX;
    settings.read_ahead = ahead ? 2 : 0;
    settings.reserve = 200 * KIB;
    hid_t f = new_file(&settings), d[MANY];
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        d[i] = create(f, name, s);
        put(d[i], 0, 0, s->rows, s->cols);
        assert_within(f, budget, 2 * budget + 3 * chunk_bytes(s));
    }
    budget_round(f, d, s, false, true);
    budget_round(f, d, s, true, false);
    budget_round(f, d, s, true, true);
    for (int i = 0; i < MANY; i++)
        H5Dclose(d[i]);
    assert_within(f, budget, SIZE_MAX / 2);
    assert_int_equal(H5Fclose(f), 0);
}

static void budget_holds(void **state)
{
    (void)state;
    static const struct set sets[] = {
        {DEFLATE, 500, 300, 60, 70, false},   /* 16 KiB */
        {PLAIN, 500, 300, 60, 70, false},
        {DEFLATE, 100, 96, 5, 4, false},      /* 80 bytes */
        {PLAIN, 100, 96, 5, 4, false},
        {DEFLATE, 1000, 700, 900, 700, false}, /* larger than the budget */
        {PLAIN, 1000, 700, 900, 700, false},
        {CONTIGUOUS, 900, 300, 200, 300, false},
        {EDGES, 500, 300, 60, 70, false},
        {DEFLATE, 1500, 70, 60, 70, false}, /* one below the other: read ahead */
        {EDGES, 1500, 70, 60, 70, false},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        budget_of(&sets[i], 1 * MIB, false);
        budget_of(&sets[i], 300 * KIB, true);
        budget_of(&sets[i], 0, i % 2 == 0);
    }
}

/* Misses on a small dataset after others were scanned. */
static uint64_t starved(size_t reserve)
{
    struct set hot = {DEFLATE, 64, 1024, 16, 256, false}; /* 256 KiB in chunks of 16 KiB */
    struct set cold = {DEFLATE, 1024, 1024, 64, 256, false}; /* 4 MiB */
    make_set("hot", &hot, true);
    make_set("cold0", &cold, false);
    make_set("cold1", &cold, false);
    settings_t s = with_budget(2 * MIB);
    s.reserve = reserve;
    hid_t f = open_file(&s), d = open_set(f, "hot"), others[2] = {open_set(f, "cold0"), open_set(f, "cold1")};
    uint64_t misses = 0;
    get(d, 0, 0, hot.rows, hot.cols);
    for (int round = 0; round < 2; round++) {
        for (hsize_t row = 0; row < cold.rows; row += 8)
            get(others[round], row, 0, 8, cold.cols);
        put(others[round], 0, 0, cold.rows / 2, cold.cols);
        stats_t before = stats(f);
        for (hsize_t row = 0; row < hot.rows; row += 16)
            get(d, row, 0, 16, hot.cols);
        misses += stats(f).misses - before.misses;
    }
    H5Dclose(d);
    H5Dclose(others[0]);
    H5Dclose(others[1]);
    assert_int_equal(H5Fclose(f), 0);
    return misses;
}

static void reserve_protects(void **state)
{
    (void)state;
    assert_int_equal(starved(1 * MIB), 0);
    assert_true(starved(0) > 0);
}

static void all_rows(hid_t d, const struct set *s)
{
    for (hsize_t row = 0; row < s->rows; row++)
        get(d, row, 0, 1, s->cols);
}

static void all_columns(hid_t d, const struct set *s)
{
    for (hsize_t col = 0; col < s->cols; col += 16)
        get(d, 0, col, s->rows, 1);
}

static void all_at_once(hid_t d, const struct set *s)
{
    get(d, 0, 0, s->rows, s->cols);
}

static void second_pass(const struct set *s, void (*pass)(hid_t, const struct set *), unsigned threads)
{
    settings_t settings = with_budget(4 * MIB);
    settings.threads = threads;
    make_set("d", s, true);
    hid_t f = open_file(&settings), d = open_set(f, "d");
    reset(f);
    pass(d, s);
    stats_t first = stats(f);
    assert_int_equal(first.misses, chunks_of(s));
    assert_int_equal(first.loads, chunks_of(s));
    assert_int_equal(first.chunks, chunks_of(s));
    assert_int_equal(first.evictions, 0);
    reset(f);
    pass(d, s);
    stats_t second = stats(f);
    assert_int_equal(second.misses, 0);
    assert_int_equal(second.loads, 0);
    assert_int_equal(second.read_calls, 0);
    assert_int_equal(second.bytes_read, 0);
    assert_true(second.hits >= chunks_of(s));
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
}

static void what_fits_stays(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 250, 512, 32, 64, false}, plain = {PLAIN, 250, 512, 32, 64, false};
    for (unsigned threads = 0; threads <= 2; threads += 2) {
        second_pass(&s, all_rows, threads);
        second_pass(&s, all_columns, threads);
        second_pass(&s, all_at_once, threads);
        second_pass(&plain, all_rows, threads);
    }
}

/* 521 is the number of slots that HDF5's own cache has: chunks with the same remainder push each other out of it. */
static void no_collisions(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 32, 521 * 4, 4, 2, false}; /* a grid of 8 x 1042 */
    make_set("d", &s, true);
    settings_t settings = with_budget(4 * MIB);
    hid_t f = open_file(&settings), d = open_set(f, "d");
    for (int pass = 0; pass < 2; pass++) {
        reset(f);
        for (hsize_t col = 0; col < s.cols; col += 2)
            get(d, 0, col, s.rows, 1);
        stats_t now = stats(f);
        assert_int_equal(now.evictions, 0);
        assert_int_equal(now.misses, pass == 0 ? chunks_of(&s) : 0);
        assert_int_equal(now.chunks, chunks_of(&s));
    }
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
}

static void encoded_once(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 320, 256, 32, 128, false};
    for (int i = 0; i < 2; i++) {
        settings_t settings = usual();
        settings.threads = i == 0 ? 2 : 0;
        settings.encode_ahead = 0;
        hid_t f = new_file(&settings), d = create(f, "d", &s);
        reset(f);
        for (hsize_t row = 0; row < s.rows; row += 32)
            for (hsize_t col = 0; col < s.cols; col += 128)
                put(d, row, col, 32, 128);
        if (settings.threads > 0)
            assert_true(wait_encoded(f, chunks_of(&s)));
        assert_int_equal(H5Fflush(f, H5F_SCOPE_LOCAL), 0);
        stats_t now = stats(f);
        assert_int_equal(now.encodes, chunks_of(&s));
        assert_int_equal(now.preemptive_encodes, settings.threads > 0 ? chunks_of(&s) : 0);
        assert_int_equal(now.stores, chunks_of(&s));
        assert_int_equal(now.dirty_chunks, 0);
        assert_int_equal(now.loads, 0);
        /* Another value in one of them: that one again, and no other. */
        put(d, 40, 3, 1, 1);
        assert_int_equal(H5Fflush(f, H5F_SCOPE_LOCAL), 0);
        assert_int_equal(stats(f).encodes, chunks_of(&s) + 1);
        assert_int_equal(stats(f).stores, chunks_of(&s) + 1);
        H5Dclose(d);
        assert_int_equal(H5Fclose(f), 0);
        f = open_file(&settings);
        d = open_set(f, "d");
        get(d, 0, 0, s.rows, s.cols);
        H5Dclose(d);
        assert_int_equal(H5Fclose(f), 0);
    }
}

static void assert_read_nothing(hid_t f, const struct set *s, const char *when)
{
    stats_t now = stats(f);
    if (now.loads + now.loads_ahead + now.bytes_read + now.read_calls > 0)
        fail_msg("%s, layout %d, chunks of %llu x %llu: %llu loads, %llu bytes read", when, (int)s->kind,
                 (unsigned long long)s->chunk_rows, (unsigned long long)s->chunk_cols, (unsigned long long)now.loads,
                 (unsigned long long)now.bytes_read);
}

static void overwrite(const struct set *s, size_t budget, bool convert)
{
    settings_t settings = with_budget(budget);
    make_set("d", s, true);
    hid_t f = open_file(&settings), d = open_set(f, "d");
    size_t n = (size_t)(s->rows * s->cols);
    double *other = malloc(n * sizeof *other);
    reset(f);
    for (size_t i = 0; i < n; i++)
        other[i] = value(i / s->cols, i % s->cols, 1);
    if (convert)
        assert_int_equal(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, other), 0);
    else
        move(d, &(struct box){0, 0, s->rows, s->cols}, true, 1);
    assert_int_equal(H5Fflush(f, H5F_SCOPE_LOCAL), 0);
    assert_read_nothing(f, s, convert ? "with conversion" : "at once");
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);

    /* By chunks, as far as there are any; those at the edge are not whole. */
    f = open_file(&settings);
    d = open_set(f, "d");
    move(d, &(struct box){0, 0, s->rows, s->cols}, false, 1);
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
    f = open_file(&settings);
    d = open_set(f, "d");
    reset(f);
    for (hsize_t row = 0; s->kind >= PLAIN && row < s->rows; row += s->chunk_rows)
        for (hsize_t col = 0; col < s->cols; col += s->chunk_cols)
            move(d, &(struct box){row, col, row + s->chunk_rows > s->rows ? s->rows - row : s->chunk_rows,
                                  col + s->chunk_cols > s->cols ? s->cols - col : s->chunk_cols}, true, 2);
    assert_int_equal(H5Fflush(f, H5F_SCOPE_LOCAL), 0);
    assert_read_nothing(f, s, "by chunks");
    move(d, &(struct box){0, 0, s->rows, s->cols}, false, s->kind >= PLAIN ? 2 : 1);
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
    free(other);
}

static void overwriting_reads_nothing(void **state)
{
    (void)state;
    static const enum kind kinds[] = {CONTIGUOUS, COMPACT, PLAIN, DEFLATE, EDGES};
    static const size_t budgets[] = {0, 64 * KIB, 64 * MIB};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++)
            for (int convert = 0; convert < 2; convert++) {
                hsize_t rows = kinds[i] == COMPACT ? 50 : 300;
                overwrite(&(struct set){kinds[i], rows, 210, 64, 40, false}, budgets[k], convert);
                overwrite(&(struct set){kinds[i], rows, 210, 7, 11, false}, budgets[k], convert);
            }
}

static void closing_keeps_chunks(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 256, 256, 32, 64, false};
    settings_t settings = usual();
    hid_t f = new_file(&settings), d = create(f, "d", &s);
    reset(f);
    put(d, 0, 0, s.rows, s.cols);
    H5Dclose(d);
    stats_t now = stats(f);
    assert_int_equal(now.stores, 0);
    assert_int_equal(now.encodes, 0);
    assert_int_equal(now.dirty_chunks, chunks_of(&s));
    for (int i = 0; i < 5; i++) {
        reset(f);
        d = open_set(f, "d");
        all_rows(d, &s);
        put(d, 17, 0, 1, s.cols);
        H5Dclose(d);
        now = stats(f);
        assert_int_equal(now.misses, 0);
        assert_int_equal(now.loads, 0);
        assert_int_equal(now.encodes, 0);
        assert_int_equal(now.read_calls + now.write_calls, 0);
    }
    assert_int_equal(H5Fclose(f), 0);
    /* The same in a file that is only read. */
    hid_t fapl = access_list(&settings);
    f = H5Fopen(file_name, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    for (int i = 0; i < 3; i++) {
        reset(f);
        d = open_set(f, "d");
        all_rows(d, &s);
        H5Dclose(d);
        assert_int_equal(stats(f).misses, i == 0 ? chunks_of(&s) : 0);
    }
    assert_int_equal(H5Fclose(f), 0);
}

static void settings_of_open_file(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 512, 512, 64, 64, false}; /* 1 MiB, 64 chunks of 16 KiB */
    settings_t settings = with_budget(8 * MIB), got;
    hid_t f = new_file(&settings), d = create(f, "d", &s);
    put(d, 0, 0, s.rows, s.cols);
    assert_int_equal(stats(f).dirty_chunks, chunks_of(&s));
    assert_true(stats(f).footprint >= 1 * MIB);
    settings.budget = 200 * KIB;
    settings.w0 = 0.5;
    settings.reserve = 10 * KIB;
    assert_int_equal(H5Fset_shared_chunk_cache(f, &settings), 0);
    get(d, 0, 0, 1, 1);
    assert_true(settles_below(f, 200 * KIB));
    assert_true(stats(f).stores > 0 && stats(f).evictions > 0);
    assert_int_equal(H5Fget_shared_chunk_cache(f, &got), 0);
    assert_true(got.version == H5F_SHARED_CHUNK_CACHE_VERSION && got.threads == 2 && got.budget == 200 * KIB &&
                got.reserve == 10 * KIB && got.w0 == 0.5 && got.encode_ahead == SIZE_MAX && got.read_ahead == 0);
    hid_t fapl = H5Fget_access_plist(f);
    memset(&got, 0, sizeof got);
    assert_int_equal(H5Pget_shared_chunk_cache(fapl, &got), 0);
    assert_true(got.budget == 200 * KIB && got.w0 == 0.5 && got.reserve == 10 * KIB);
    H5Pclose(fapl);
    /* Nothing at all, and back. */
    settings.budget = 0;
    assert_int_equal(H5Fset_shared_chunk_cache(f, &settings), 0);
    get(d, 0, 0, s.rows, s.cols);
    assert_true(settles_below(f, 0));
    assert_int_equal(stats(f).chunks, 0);
    settings.budget = 8 * MIB;
    settings.read_ahead = 4;
    settings.threads = 0;
    assert_int_equal(H5Fset_shared_chunk_cache(f, &settings), 0);
    get(d, 0, 0, s.rows, s.cols);
    reset(f);
    get(d, 0, 0, s.rows, s.cols);
    assert_int_equal(stats(f).misses, 0);
    assert_int_equal(stats(f).chunks, chunks_of(&s));
    settings.w0 = 2;
    assert_true(H5Fset_shared_chunk_cache(f, &settings) < 0);
    settings.w0 = 0.5;
    settings.version = 9;
    assert_true(H5Fset_shared_chunk_cache(f, &settings) < 0);
    assert_true(H5Fset_shared_chunk_cache(f, NULL) < 0);
    assert_true(H5Fget_shared_chunk_cache(f, NULL) < 0);
    assert_true(H5Fget_chunk_cache_stats(f, NULL) < 0);
    assert_true(H5Fset_shared_chunk_cache(d, &settings) < 0);
    assert_true(H5Fget_chunk_cache_stats(-1, NULL) < 0);
    assert_true(H5Freset_chunk_cache_stats(d) < 0);
    assert_int_equal(H5Fget_shared_chunk_cache(f, &got), 0);
    assert_true(got.w0 == 0.5 && got.read_ahead == 4 && got.threads == 0);
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
}

static void uncached_dataset(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 128, 128, 32, 64, false};
    make_set("kept", &s, true);
    make_set("not", &s, false);
    settings_t settings = usual();
    hid_t f = open_file(&settings), dapl = H5Pcreate(H5P_DATASET_ACCESS), kept = open_set(f, "kept");
    assert_int_equal(H5Pset_chunk_cache(dapl, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, H5D_CHUNK_CACHE_W0_DEFAULT), 0);
    hid_t d = H5Dopen2(f, "not", dapl);
    get(kept, 0, 0, s.rows, s.cols);
    size_t held = stats(f).footprint;
    assert_int_equal(stats(f).chunks, chunks_of(&s));
    for (int i = 0; i < 3; i++) {
        reset(f);
        get(d, 0, 0, s.rows, s.cols);
        put(d, 3, 3, 1, 1);
        put(d, 0, 0, 32, 64);
        assert_int_equal(stats(f).chunks, chunks_of(&s));
        assert_int_equal(stats(f).dirty_chunks, 0);
        assert_int_equal(stats(f).footprint, held);
        assert_true(stats(f).bytes_read > 0);
        assert_true(stats(f).bytes_written > 0);
    }
    H5Dclose(d);
    H5Dclose(kept);
    assert_int_equal(H5Fclose(f), 0);
    H5Pclose(dapl);
    /* The same for all datasets of a file. */
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_cache(fapl, 0, 521, 0, 0.75), 0);
    f = H5Fopen(file_name, H5F_ACC_RDWR, fapl);
    d = open_set(f, "kept");
    get(d, 0, 0, s.rows, s.cols);
    put(d, 3, 3, 1, 1);
    assert_int_equal(stats(f).chunks, 0);
    assert_int_equal(stats(f).footprint, 0);
    H5Dclose(d);
    H5Pclose(fapl);
    assert_int_equal(H5Fclose(f), 0);
}

/* Chunks read one after the other: in order, or in an order in which none follows the one before. */
static stats_t scan(const struct set *s, bool in_order, unsigned threads, unsigned ahead)
{
    settings_t settings = usual();
    settings.threads = threads;
    settings.read_ahead = ahead;
    make_set("d", s, true);
    hid_t f = open_file(&settings), d = open_set(f, "d");
    hsize_t n = chunks_of(s);
    reset(f);
    for (hsize_t i = 0; i < n; i++) {
        hsize_t row = in_order ? i : i * 5 % n;
        get(d, row * s->chunk_rows, 0, s->chunk_rows, s->cols);
        stats_t now = stats(f);
        assert_true(now.loads <= i + 1 + now.loads_ahead);
        if (in_order)
            assert_true(now.loads <= i + 1 + ahead);
    }
    /* A worker counts what it read after others can see it. */
    stats_t now = stats(f);
    for (int i = 0; i < 2000 && (now.footprint < n * chunk_bytes(s) || now.loads < n); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        now = stats(f);
    }
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
    return now;
}

static void sequence_reads_ahead(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 64 * 16, 256, 16, 256, false}; /* 64 chunks, one below the other */
    stats_t now = scan(&s, true, 2, 4);
    assert_true(now.loads_ahead >= 32 && now.loads_ahead < 64);
    assert_int_equal(now.loads, 64);
    assert_int_equal(now.misses + now.hits, 64);
    assert_int_equal(now.evictions, 0);
    now = scan(&s, false, 2, 4);
    assert_int_equal(now.loads_ahead, 0);
    assert_int_equal(now.loads, 64);
    now = scan(&s, true, 2, 0);
    assert_int_equal(now.loads_ahead, 0);
    now = scan(&s, true, 0, 4);
    assert_int_equal(now.loads_ahead, 0);
    assert_int_equal(now.loads, 64);
}

static void appended_rows(void **state)
{
    (void)state;
    struct set s = {DEFLATE, 0, 200, 32, 200, true};
    for (unsigned threads = 0; threads <= 2; threads += 2) {
        settings_t settings = usual();
        settings.threads = threads;
        settings.encode_ahead = 32 * MIB;
        hid_t f = new_file(&settings);
        H5Dclose(create(f, "d", &s));
        reset(f);
        for (hsize_t row = 0; row < 320; row++) {
            hsize_t dims[2] = {row + 1, s.cols};
            hid_t d = open_set(f, "d");
            assert_int_equal(H5Dset_extent(d, dims), 0);
            put(d, row, 0, 1, s.cols);
            H5Dclose(d);
        }
        assert_int_equal(H5Fflush(f, H5F_SCOPE_LOCAL), 0);
        stats_t now = stats(f);
        assert_int_equal(now.encodes, 10);
        assert_int_equal(now.stores, 10);
        assert_read_nothing(f, &s, "rows");
        hid_t d = open_set(f, "d");
        get(d, 0, 0, 320, s.cols);
        H5Dclose(d);
        assert_int_equal(H5Fclose(f), 0);
    }
}

static void contiguous(void **state)
{
    (void)state;
    struct set s = {CONTIGUOUS, 2048, 1024, 1, 1, false}; /* 8 MiB */
    make_set("d", &s, true);
    settings_t settings = usual();
    hid_t f = open_file(&settings), d = open_set(f, "d");
    for (int pass = 0; pass < 3; pass++) {
        reset(f);
        for (hsize_t row = 0; row < s.rows; row += 4)
            get(d, row, 100, 1, 16);
        stats_t now = stats(f);
        assert_in_range(now.bytes_read, 0, 10 * MIB);
        assert_in_range(now.read_calls, 0, 512 / 4); /* for 512 reads */
        if (pass > 0)
            assert_int_equal(now.bytes_read + now.read_calls + now.misses, 0);
    }
    /* What was written is seen, and goes out when it is time. */
    move(d, &(struct box){9, 9, 1, 16}, true, 3);
    move(d, &(struct box){9, 9, 1, 16}, false, 3);
    put(d, 9, 9, 1, 16);
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
    f = open_file(&settings);
    d = open_set(f, "d");
    reset(f);
    get(d, 0, 0, s.rows, s.cols);
    stats_t now = stats(f);
    assert_int_equal(now.bytes_read, 8 * MIB);
    assert_true(now.read_calls <= 8);
    assert_true(now.bypasses > 0);
    assert_int_equal(now.footprint, 0);
    reset(f);
    put(d, 0, 0, s.rows, s.cols);
    now = stats(f);
    assert_int_equal(now.bytes_written, 8 * MIB);
    assert_true(now.write_calls <= 8);
    assert_read_nothing(f, &s, "at once");
    H5Dclose(d);
    assert_int_equal(H5Fclose(f), 0);
}

enum { SETS = 20 };

/* 20 datasets of two chunks each in one file. */
struct many {
    hid_t file, sets[SETS], types[SETS], spaces[SETS];
    int values[SETS][64 * 64];
    void *bufs[SETS];
};

static void many_make(enum kind kind)
{
    struct set s = {kind, 64, 64, 32, 64, false};
    for (int i = 0; i < SETS; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        make_set(name, &s, i == 0);
    }
}

static void many_open(struct many *m, bool cached)
{
    settings_t settings = with_budget(8 * MIB);
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    m->file = open_file(&settings);
    if (!cached)
        H5Pset_chunk_cache(dapl, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, H5D_CHUNK_CACHE_W0_DEFAULT);
    for (int i = 0; i < SETS; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        m->sets[i] = H5Dopen2(m->file, name, dapl);
        m->types[i] = H5T_NATIVE_INT;
        m->spaces[i] = H5S_ALL;
        m->bufs[i] = m->values[i];
        for (hsize_t k = 0; k < 64 * 64; k++)
            m->values[i][k] = value(k / 64, k % 64, 5);
    }
    H5Pclose(dapl);
    reset(m->file);
}

static void many_close(struct many *m, int round)
{
    for (int i = 0; i < SETS; i++) {
        size_t wrong = 0;
        for (hsize_t k = 0; k < 64 * 64; k++)
            wrong += m->values[i][k] != value(k / 64, k % 64, round);
        assert_int_equal(wrong, 0);
        move(m->sets[i], &(struct box){0, 0, 64, 64}, false, round);
        H5Dclose(m->sets[i]);
    }
    assert_int_equal(H5Fclose(m->file), 0);
}

static void many_at_once(enum kind kind)
{
    /* Where a buffer lies in its page decides whether it is read into directly. */
    static _Alignas(4096) struct many m;
    many_make(kind);
    many_open(&m, true);
    for (int i = 0; i < SETS; i++)
        assert_int_equal(H5Dread(m.sets[i], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, m.values[i]), 0);
    assert_int_equal(stats(m.file).read_calls, SETS);
    many_close(&m, 0);
    many_open(&m, true);
    assert_int_equal(H5Dread_multi(SETS, m.sets, m.types, m.spaces, m.spaces, H5P_DEFAULT, m.bufs), 0);
    assert_in_range(stats(m.file).read_calls, 1, 3);
    many_close(&m, 0);
    /* Nothing is kept, so all of it is written before the call returns. */
    many_open(&m, false);
    assert_int_equal(H5Dwrite_multi(SETS, m.sets, m.types, m.spaces, m.spaces, H5P_DEFAULT, (const void **)m.bufs), 0);
    assert_in_range(stats(m.file).write_calls, 1, 3);
    assert_int_equal(stats(m.file).dirty_chunks, 0);
    many_close(&m, 5);
}

static void few_calls(void **state)
{
    (void)state;
    static const enum kind kinds[] = {PLAIN, DEFLATE, CONTIGUOUS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct set s = {kinds[i], 512, 512, 32, 32, false}; /* 256 chunks of 4 KiB */
        make_set("d", &s, true);
        settings_t settings = usual();
        hid_t f = open_file(&settings), d = open_set(f, "d");
        reset(f);
        get(d, 0, 0, s.rows, s.cols);
        assert_true(stats(f).read_calls >= 1);
        assert_true(stats(f).read_calls <= 8);
        reset(f);
        put(d, 0, 0, s.rows, s.cols);
        assert_int_equal(H5Fflush(f, H5F_SCOPE_LOCAL), 0);
        assert_true(stats(f).write_calls >= 1);
        assert_true(stats(f).write_calls <= 16);
        H5Dclose(d);
        assert_int_equal(H5Fclose(f), 0);
        many_at_once(kinds[i]);
    }
}

/* Each test has its own: one that fails leaves its file open. */
static int name_file(void **state)
{
    static unsigned number;
    (void)state;
    snprintf(file_name, sizeof file_name, "cache_statistics_%u.h5", number++);
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file_name);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, name_file, remove_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(budget_holds),
        TEST(reserve_protects),
        TEST(what_fits_stays),
        TEST(no_collisions),
        TEST(encoded_once),
        TEST(overwriting_reads_nothing),
        TEST(closing_keeps_chunks),
        TEST(settings_of_open_file),
        TEST(uncached_dataset),
        TEST(sequence_reads_ahead),
        TEST(appended_rows),
        TEST(contiguous),
        TEST(few_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
