/* writer FILE SORT SECONDS SEED [resume]: writes rows and flushes them while others read. What is flushed is noted in
 * FILE.progress, which a kill does not take away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"

enum { MOST_AT_ONCE = 24 };

struct writer {
    const struct sort *sort;
    struct progress *progress;
    struct chance chance;
    hid_t file, type, datasets[DATASETS];
    hsize_t rows[DATASETS];
    unsigned *generations[DATASETS]; /* of each row */
    uint64_t names;
};

static void make_dataset(struct writer *w, hid_t at, const char *name, hsize_t rows)
{
    const struct sort *s = w->sort;
    hsize_t max_rows = s->max_rows ? s->max_rows : FIXED_ROWS;
    hsize_t dims[2] = {rows, COLS}, max[2] = {max_rows, s->wide ? H5S_UNLIMITED : COLS};
    hid_t space = H5Screate_simple(2, dims, max), dcpl = creation_list(s), scalar = H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate2(at, name, w->type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    MUST(d);
    hid_t a = H5Acreate2(d, "done", H5T_NATIVE_INT64, scalar, H5P_DEFAULT, H5P_DEFAULT);
    int64_t none = -1;
    MUST(H5Awrite(a, H5T_NATIVE_INT64, &none));
    MUST(H5Aclose(a));
    MUST(H5Dclose(d));
    H5Sclose(space);
    H5Sclose(scalar);
    H5Pclose(dcpl);
}

/* Strings have to live until they are written. */
static char strings[MOST_AT_ONCE * COLS][160];

static void put(struct writer *w, hid_t d, unsigned k, hsize_t from, hsize_t n)
{
    int64_t values[MOST_AT_ONCE * COLS];
    const char *texts[MOST_AT_ONCE * COLS];
    hsize_t count = n * COLS, used = 0;
    hid_t file = rows_of(d, from, n);
    hsize_t points[MOST_AT_ONCE * COLS][2];
    for (hsize_t i = 0; i < count; i++) {
        hsize_t row = from + i / COLS;
        unsigned col = (unsigned)(i % COLS);
        if (has_holes(w->sort) && !is_defined(row, col))
            continue;
        points[used][0] = row;
        points[used][1] = col;
        values[used] = value_of(k, row, col, w->generations[k] ? w->generations[k][row] : 0);
        string_of(values[used], strings[used]);
        texts[used] = strings[used];
        used++;
    }
    if (used > 0 && used < count)
        MUST(H5Sselect_elements(file, H5S_SELECT_SET, used, &points[0][0]));
    if (used > 0) {
        hid_t mem = H5Screate_simple(1, &used, NULL);
        MUST(H5Dwrite(d, w->type, mem, file, H5P_DEFAULT, has_strings(w->sort) ? (const void *)texts : values));
        H5Sclose(mem);
    }
    H5Sclose(file);
}

static void note(struct writer *w, unsigned k)
{
    w->progress->rows[k] = w->rows[k];
    if (!w->sort->max_rows)
        w->progress->generation[k] = w->generations[k][0];
}

static void flush(struct writer *w)
{
    if (chance(&w->chance, 2)) {
        MUST(H5Fflush(w->file, H5F_SCOPE_GLOBAL));
        for (unsigned k = 0; k < DATASETS; k++)
            note(w, k);
        w->progress->names = w->names;
        return;
    }
    unsigned k = chance(&w->chance, DATASETS);
    MUST(chance(&w->chance, 2) ? H5Dflush(w->datasets[k]) : H5Oflush(w->datasets[k]));
    note(w, k);
}

static void append(struct writer *w, unsigned k)
{
    hsize_t n = 1 + chance(&w->chance, MOST_AT_ONCE), dims[2] = {w->rows[k] + n, COLS};
    if (dims[0] > MOST_ROWS)
        return;
    MUST(H5Dset_extent(w->datasets[k], dims));
    put(w, w->datasets[k], k, w->rows[k], n);
    w->rows[k] += n;
}

#ifndef DENSE_ONLY
static void erase(struct writer *w, unsigned k, hsize_t row)
{
    hid_t file = rows_of(w->datasets[k], row, 1);
    MUST(H5Derase(w->datasets[k], file, H5P_DEFAULT));
    H5Sclose(file);
}
#endif

static void rewrite(struct writer *w, unsigned k)
{
    if (w->rows[k] == 0)
        return;
    hsize_t row = chance(&w->chance, (unsigned)w->rows[k]);
#ifndef DENSE_ONLY
    if (has_holes(w->sort) && chance(&w->chance, 2)) {
        hsize_t other = row / 10 * 10 + 3;
        if (other < w->rows[k])
            erase(w, k, other);
        return;
    }
#endif
    if (w->generations[k][row] + 1 < MOST_GENERATIONS)
        w->generations[k][row]++;
    put(w, w->datasets[k], k, row, 1);
}

static void rewrite_all(struct writer *w, unsigned k)
{
    if (w->generations[k][0] + 1 >= MOST_GENERATIONS)
        return;
    for (hsize_t i = 0; i < FIXED_ROWS; i++)
        w->generations[k][i]++;
    for (hsize_t i = 0; i < FIXED_ROWS; i += 16)
        put(w, w->datasets[k], k, i, 16);
}

/* A group with a dataset and an attribute in it, and an attribute on what was there before. */
static void make_names(struct writer *w)
{
    char name[32];
    hsize_t dims[2] = {1 + w->names % 20, COLS};
    if (w->names >= MOST_NAMES)
        return;
    sprintf(name, "g%llu", (unsigned long long)w->names);
    hid_t group = H5Gcreate2(w->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), scalar = H5Screate(H5S_SCALAR);
    MUST(group);
    make_dataset(w, group, "x", 0);
    hid_t d = H5Dopen2(group, "x", H5P_DEFAULT);
    MUST(H5Dset_extent(d, dims));
    unsigned *own = w->generations[0];
    w->generations[0] = NULL;
    put(w, d, 0, 0, dims[0]);
    w->generations[0] = own;
    for (unsigned i = 0; i < 2; i++) {
        hid_t a = H5Acreate2(i ? w->datasets[0] : d, i ? name : "number", H5T_NATIVE_INT64, scalar, H5P_DEFAULT, H5P_DEFAULT);
        int64_t number = (int64_t)w->names;
        MUST(a);
        MUST(H5Awrite(a, H5T_NATIVE_INT64, &number));
        MUST(H5Aclose(a));
    }
    MUST(H5Dclose(d));
    MUST(H5Gclose(group));
    H5Sclose(scalar);
    w->names++;
}

static void work(struct writer *w)
{
    unsigned steps = 1 + chance(&w->chance, 4);
    for (unsigned i = 0; i < steps; i++) {
        unsigned k = chance(&w->chance, DATASETS);
        if (!w->sort->max_rows) {
            rewrite_all(w, k);
            continue;
        }
        append(w, k);
        if (chance(&w->chance, 3) == 0)
            rewrite(w, k);
        if (w->sort->names && chance(&w->chance, 3) == 0)
            make_names(w);
    }
}

static void set_done(struct writer *w)
{
    for (unsigned k = 0; k < DATASETS; k++) {
        hid_t a = H5Aopen(w->datasets[k], "done", H5P_DEFAULT);
        int64_t rows = (int64_t)w->rows[k];
        MUST(a);
        MUST(H5Awrite(a, H5T_NATIVE_INT64, &rows));
        MUST(H5Aclose(a));
    }
}

static hid_t writer_list(const struct sort *s)
{
#ifdef DENSE_ONLY
    if (s->names)
        die("%s is not for this library", s->name);
#else
    (void)s;
#endif
    return access_list();
}

/* The datasets are there before SWMR writing starts, or made by a writer that was one from the start. */
static void create(struct writer *w, const char *path)
{
    hid_t fapl = writer_list(w->sort);
    unsigned how = chance(&w->chance, 3);
    w->file = H5Fcreate(path, H5F_ACC_TRUNC | (how == 0 ? H5F_ACC_SWMR_WRITE : 0), H5P_DEFAULT, fapl);
    MUST(w->file);
    for (unsigned k = 0; k < DATASETS; k++)
        make_dataset(w, w->file, k ? "d1" : "d0", w->sort->max_rows ? 0 : FIXED_ROWS);
    if (how == 0) {
        MUST(H5Fflush(w->file, H5F_SCOPE_GLOBAL));
    } else if (how == 1) {
        MUST(H5Fstart_swmr_write(w->file));
    } else {
        MUST(H5Fclose(w->file));
        w->file = H5Fopen(path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, fapl);
        MUST(w->file);
    }
    H5Pclose(fapl);
}

static void resume(struct writer *w, const char *path)
{
    hid_t fapl = writer_list(w->sort);
    w->file = H5Fopen(path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, fapl);
    MUST(w->file);
    H5Pclose(fapl);
    H5G_info_t info;
    MUST(H5Gget_info(w->file, &info));
    w->names = info.nlinks - DATASETS;
}

/* What the file says about the last write of each row, and what was not whole is written again. */
static void learn(struct writer *w, unsigned k)
{
    hsize_t dims[2];
    hid_t space = H5Dget_space(w->datasets[k]);
    MUST(H5Sget_simple_extent_dims(space, dims, NULL));
    H5Sclose(space);
    w->rows[k] = dims[0];
    w->generations[k] = calloc(MOST_ROWS, sizeof **w->generations);
    for (hsize_t row = 0; row < dims[0] && !has_strings(w->sort); row++) {
        int64_t values[COLS];
        unsigned generation;
        hsize_t n = COLS;
        hid_t file = rows_of(w->datasets[k], row, 1), mem = H5Screate_simple(1, &n, NULL);
        MUST(H5Dread(w->datasets[k], H5T_NATIVE_INT64, mem, file, H5P_DEFAULT, values));
        H5Sclose(file);
        H5Sclose(mem);
        for (unsigned col = 0; col < COLS; col++)
            if (value_check(values[col], k, row, col, &generation) && generation > w->generations[k][row])
                w->generations[k][row] = generation;
    }
    /* Readers saw later ones of rows that are erased now, and of those whose strings are not looked at. */
    for (hsize_t row = 0; row < dims[0]; row++)
        if (has_strings(w->sort) || may_vanish(w->sort, row))
            w->generations[k][row] = MOST_GENERATIONS / 2 + w->generations[k][row] % 1000;
}

static void pause_a_little(struct writer *w)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000L * chance(&w->chance, 3000)}, NULL);
}

int main(int argc, char **argv)
{
    char path[512];
    if (argc < 5)
        die("writer FILE SORT SECONDS SEED [resume]");
    bool resumes = argc > 5;
    struct writer w = {.sort = sort_find(argv[2]), .chance.state = strtoull(argv[4], NULL, 10) * 2654435761u + 88172645463325252u};
    snprintf(path, sizeof path, "%s.progress", argv[1]);
    w.progress = progress_map(path);
    w.type = element_type(w.sort);
    if (resumes)
        resume(&w, argv[1]);
    else
        create(&w, argv[1]);
    for (unsigned k = 0; k < DATASETS; k++) {
        w.datasets[k] = H5Dopen2(w.file, k ? "d1" : "d0", H5P_DEFAULT);
        MUST(w.datasets[k]);
        learn(&w, k);
    }
    if (!w.sort->max_rows && !resumes)
        for (unsigned k = 0; k < DATASETS; k++)
            rewrite_all(&w, k);
    MUST(H5Fflush(w.file, H5F_SCOPE_GLOBAL));
    w.progress->ready++;
    for (double end = now() + atof(argv[3]); now() < end;) {
        work(&w);
        flush(&w);
        pause_a_little(&w);
    }
    set_done(&w);
    MUST(H5Fflush(w.file, H5F_SCOPE_GLOBAL));
    for (unsigned k = 0; k < DATASETS; k++) {
        note(&w, k);
        MUST(H5Dclose(w.datasets[k]));
        free(w.generations[k]);
    }
    w.progress->names = w.names;
    w.progress->done = 1;
    MUST(H5Fclose(w.file));
    printf("rows %llu + %llu, names %llu\n", (unsigned long long)w.rows[0], (unsigned long long)w.rows[1],
           (unsigned long long)w.names);
    return 0;
}
