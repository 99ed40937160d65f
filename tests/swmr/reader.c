/* reader FILE SORT SEED [threads|verify]: follows the writer of FILE until its datasets say that they are done, or until
 * FILE.stop is there. Every element must be one that was written, none may be older than one seen before, and what was
 * flushed before a refresh must be there after it. threads: others read while this one refreshes. verify: opens the file
 * for writing, and looks once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

enum { MOST_AT_ONCE = 400, THREADS = 2 };

struct followed {
    hid_t id;
    _Atomic hsize_t rows;
    unsigned *seen;  /* generation + 1 of each element; 0: not seen yet */
    unsigned *since; /* the same since the last refresh, when others read beside: see remember */
};

struct reader {
    const struct sort *sort;
    struct progress *progress;
    struct chance chance;
    hid_t file, type;
    struct followed d[DATASETS];
    uint64_t names, refreshes, checked;
    atomic_bool end;
    bool threads;
};

struct block {
    int64_t values[MOST_AT_ONCE * COLS];
    char *texts[MOST_AT_ONCE * COLS];
};

/* -1: there is none. */
static int64_t number_of(const char *text)
{
    char expected[160];
    if (!text || !*text)
        return -1;
    int64_t value = strtoll(text, NULL, 10);
    string_of(value < 0 ? 0 : value, expected);
    if (strcmp(text, expected) != 0)
        die("a string is %.40s, and was never written", text);
    return value;
}

static void read_rows(const struct reader *r, hid_t d, hsize_t from, hsize_t n, struct block *b)
{
    hsize_t count = n * COLS;
    hid_t file = rows_of(d, from, n), mem = H5Screate_simple(1, &count, NULL);
    if (!has_strings(r->sort)) {
        MUST(H5Dread(d, H5T_NATIVE_INT64, mem, file, H5P_DEFAULT, b->values));
    } else {
        memset(b->texts, 0, sizeof b->texts);
        MUST(H5Dread(d, r->type, mem, file, H5P_DEFAULT, b->texts));
        for (hsize_t i = 0; i < count; i++)
            b->values[i] = number_of(b->texts[i]);
        MUST(H5Dvlen_reclaim(r->type, mem, H5P_DEFAULT, b->texts));
    }
    H5Sclose(file);
    H5Sclose(mem);
}

/* Returns the generation. */
static unsigned check_one(const struct reader *r, unsigned k, hsize_t row, unsigned col, int64_t value)
{
    unsigned generation;
    if (value_check(value, k, row, col, &generation)) {
        if (has_holes(r->sort) && !is_defined(row, col))
            die("dataset %u row %llu column %u: is defined, and was never", k, (unsigned long long)row, col);
        return generation;
    }
    bool hole = value == -1 && has_holes(r->sort) && (!is_defined(row, col) || may_vanish(r->sort, row));
    if (!hole)
        die("dataset %u row %llu column %u: %lld (%#llx) is none of its values; %llu rows, refresh %llu", k,
            (unsigned long long)row, col, (long long)value, (unsigned long long)value, (unsigned long long)r->d[k].rows,
            (unsigned long long)r->refreshes);
    return UINT_MAX;
}

/* One thread alone never sees an element become older. What another thread is just bringing into memory may be older than
 * what this one reads past it: then it is a refresh that nothing older comes after. */
static void remember(struct reader *r, unsigned k, hsize_t element, unsigned generation)
{
    unsigned *to = r->threads ? &r->d[k].since[element] : &r->d[k].seen[element];
    if (*to < generation + 1)
        *to = generation + 1;
}

static void check_rows(struct reader *r, unsigned k, hsize_t from, hsize_t n, const struct block *b)
{
    unsigned first = UINT_MAX;
    for (hsize_t i = 0; i < n * COLS; i++) {
        hsize_t row = from + i / COLS;
        unsigned col = (unsigned)(i % COLS), seen = r->d[k].seen[row * COLS + col];
        unsigned generation = check_one(r, k, row, col, b->values[i]);
        if (generation == UINT_MAX)
            continue;
        if (generation + 1 < seen)
            die("dataset %u row %llu column %u: generation %u after %u", k, (unsigned long long)row, col, generation, seen - 1);
        remember(r, k, row * COLS + col, generation);
        first = first == UINT_MAX ? generation : first;
        if (!r->sort->max_rows && r->sort->deflate && generation != first)
            die("dataset %u: one chunk has generations %u and %u", k, first, generation);
    }
    r->checked += n;
}

static void look(struct reader *r, unsigned k, hsize_t from, hsize_t to)
{
    static struct block b;
    while (from < to) {
        hsize_t n = to - from < MOST_AT_ONCE ? to - from : MOST_AT_ONCE;
        read_rows(r, r->d[k].id, from, n, &b);
        check_rows(r, k, from, n, &b);
        from += n;
    }
}

static hsize_t rows_in(hid_t d)
{
    hsize_t dims[2];
    hid_t space = H5Dget_space(d);
    MUST(space);
    MUST(H5Sget_simple_extent_dims(space, dims, NULL));
    H5Sclose(space);
    return dims[0];
}

static void open_one(struct reader *r, unsigned k)
{
    r->d[k].id = H5Dopen2(r->file, k ? "d1" : "d0", H5P_DEFAULT);
    MUST(r->d[k].id);
}

/* In one of the ways to see what is new. */
static void refresh(struct reader *r, unsigned k)
{
    unsigned how = chance(&r->chance, 8);
    r->refreshes++;
    for (hsize_t i = 0; r->threads && i < r->d[k].rows * COLS; i++)
        if (r->d[k].seen[i] < r->d[k].since[i])
            r->d[k].seen[i] = r->d[k].since[i];
    if (how == 0 && !r->threads) {
        MUST(H5Dclose(r->d[k].id));
        open_one(r, k);
    }
    if (how == 1)
        MUST(H5Orefresh(r->d[k].id));
    else
        MUST(H5Drefresh(r->d[k].id));
}

static int64_t attribute(hid_t object, const char *name)
{
    int64_t value;
    hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    MUST(a);
    MUST(H5Aread(a, H5T_NATIVE_INT64, &value));
    MUST(H5Aclose(a));
    return value;
}

static bool follow(struct reader *r, unsigned k)
{
    struct followed *d = &r->d[k];
    hsize_t before = d->rows, flushed = r->progress->rows[k], generation = r->progress->generation[k];
    refresh(r, k);
    hsize_t rows = rows_in(d->id);
    if (rows < before || rows < flushed)
        die("dataset %u: %llu rows; there were %llu, and %llu are flushed", k, (unsigned long long)rows,
            (unsigned long long)before, (unsigned long long)flushed);
    int64_t done = attribute(d->id, "done");
    /* The attribute is read after the refresh: rows may have come since, but not left. */
    if (done >= 0 && rows > (hsize_t)done)
        die("dataset %u: %llu rows, and it is done with %lld", k, (unsigned long long)rows, (long long)done);
    d->rows = rows;
    look(r, k, r->sort->max_rows ? before : 0, rows);
    for (unsigned i = 0; i < 3 && rows > 0; i++) {
        hsize_t from = chance(&r->chance, (unsigned)rows), n = 1 + chance(&r->chance, 30);
        look(r, k, from, from + n < rows ? from + n : rows);
    }
    const unsigned *seen = r->threads ? d->since : d->seen;
    for (hsize_t i = 0; !r->sort->max_rows && i < rows * COLS; i++)
        if (seen[i] < generation + 1)
            die("dataset %u: generation %u, and %llu is flushed", k, seen[i] - 1, (unsigned long long)generation);
    return done >= 0 && rows == (hsize_t)done;
}

static void check_name(struct reader *r, uint64_t number)
{
    static struct block b;
    char name[32];
    sprintf(name, "g%llu", (unsigned long long)number);
    hid_t group = H5Gopen2(r->file, name, H5P_DEFAULT);
    MUST(group);
    hid_t d = H5Dopen2(group, "x", H5P_DEFAULT);
    MUST(d);
    hsize_t rows = rows_in(d);
    if (rows != 1 + number % 20 || attribute(d, "number") != (int64_t)number || attribute(r->d[0].id, name) != (int64_t)number)
        die("%s is not as it was made", name);
    read_rows(r, d, 0, rows, &b);
    for (hsize_t i = 0; i < rows * COLS; i++)
        if (check_one(r, 0, i / COLS, (unsigned)(i % COLS), b.values[i]) != 0)
            die("%s: element %llu", name, (unsigned long long)i);
    MUST(H5Dclose(d));
    MUST(H5Gclose(group));
}

static void follow_names(struct reader *r)
{
    uint64_t flushed = r->progress->names;
    H5G_info_t info;
    hid_t root = H5Gopen2(r->file, "/", H5P_DEFAULT);
    MUST(root);
    MUST(H5Orefresh(root));
    MUST(H5Gget_info(root, &info));
    MUST(H5Gclose(root));
    uint64_t names = info.nlinks - DATASETS;
    if (names < flushed || names < r->names)
        die("%llu groups; there were %llu, and %llu are flushed", (unsigned long long)names, (unsigned long long)r->names,
            (unsigned long long)flushed);
    /* A group and the attribute on what was there are flushed together, but not in one write. */
    for (uint64_t i = r->names; i < flushed; i++)
        check_name(r, i);
    for (unsigned i = 0; i < 3 && flushed > 0; i++)
        check_name(r, chance(&r->chance, (unsigned)flushed));
    r->names = flushed;
}

static void *read_beside(void *ctx)
{
    struct reader *r = ctx;
    struct chance c = {.state = (uint64_t)(uintptr_t)&c | 1};
    struct block *b = malloc(sizeof *b);
    while (!r->end) {
        unsigned k = chance(&c, DATASETS);
        hsize_t rows = r->d[k].rows, n = 1 + chance(&c, 60), from = rows ? chance(&c, (unsigned)rows) : 0;
        n = from + n > rows ? rows - from : n;
        if (n == 0)
            continue;
        read_rows(r, r->d[k].id, from, n, b);
        for (hsize_t i = 0; i < n * COLS; i++)
            (void)check_one(r, k, from + i / COLS, (unsigned)(i % COLS), b->values[i]);
    }
    free(b);
    return NULL;
}

static void wait_for_writer(const struct reader *r)
{
    for (double end = now() + 20; !r->progress->ready; usleep(1000))
        if (now() > end)
            die("no writer comes");
}

static void start(struct reader *r, const char *path, unsigned flags)
{
    hid_t fapl = access_list();
    wait_for_writer(r);
    r->file = H5Fopen(path, flags, fapl);
    MUST(r->file);
    H5Pclose(fapl);
    for (unsigned k = 0; k < DATASETS; k++) {
        r->d[k].seen = calloc((size_t)MOST_ROWS * COLS, sizeof *r->d[k].seen);
        r->d[k].since = calloc((size_t)MOST_ROWS * COLS, sizeof *r->d[k].since);
        open_one(r, k);
    }
}

static void look_at_all(struct reader *r)
{
    for (unsigned k = 0; k < DATASETS; k++)
        look(r, k, 0, r->d[k].rows);
    if (r->sort->names)
        follow_names(r);
}

static void go_along(struct reader *r, const char *stop)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; r->threads && i < THREADS; i++)
        pthread_create(&threads[i], NULL, read_beside, r);
    for (bool all = false; !all && (access(stop, F_OK) != 0 || r->refreshes == 0);) {
        all = true;
        for (unsigned k = 0; k < DATASETS; k++)
            all = follow(r, k) && all;
        if (r->sort->names)
            follow_names(r);
        nanosleep(&(struct timespec){.tv_nsec = 1000L * chance(&r->chance, 4000)}, NULL);
    }
    r->end = true;
    for (unsigned i = 0; r->threads && i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    char path[512], stop[512];
    if (argc < 4)
        die("reader FILE SORT SEED [threads|verify]");
    static struct reader r;
    r.sort = sort_find(argv[2]);
    r.chance.state = strtoull(argv[3], NULL, 10) * 1181783497276652981u + 88172645463325252u;
    bool verify = argc > 4 && strcmp(argv[4], "verify") == 0;
    r.threads = argc > 4 && strcmp(argv[4], "threads") == 0;
    snprintf(path, sizeof path, "%s.progress", argv[1]);
    snprintf(stop, sizeof stop, "%s.stop", argv[1]);
    r.progress = progress_map(path);
    r.type = element_type(r.sort);
    start(&r, argv[1], verify ? H5F_ACC_RDWR : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
    if (verify)
        for (unsigned k = 0; k < DATASETS; k++)
            (void)follow(&r, k);
    else
        go_along(&r, stop);
    look_at_all(&r);
    for (unsigned k = 0; k < DATASETS; k++) {
        MUST(H5Dclose(r.d[k].id));
        free(r.d[k].seen);
        free(r.d[k].since);
    }
    MUST(H5Fclose(r.file));
    printf("rows %llu + %llu, refreshes %llu, checked %llu\n", (unsigned long long)r.d[0].rows, (unsigned long long)r.d[1].rows,
           (unsigned long long)r.refreshes, (unsigned long long)r.checked);
    return 0;
}
