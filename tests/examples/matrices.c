/* csr.h against Matrix Market files.
 *
 *     matrices FILE.mtx...          every way into a dataset and out of it, and what must fail
 *     matrices --dump OUT FILE.mtx  stores the matrix in OUT, as "matrix"; prints it as it comes back
 *     matrices --speed COUNT        how long COUNT random entries take */
#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* csr.h's allocations fail when this has come down to 0. */
static long mallocs_left = -1;
static void *counted_malloc(size_t size)
{
    if (mallocs_left == 0)
        return NULL;
    mallocs_left -= mallocs_left > 0;
    return malloc(size);
}
#define malloc counted_malloc
#include "csr.h"
#undef malloc

#define FILE_NAME "matrices.h5"
#define MUST(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, subject, #what); \
            exit(1); \
        } \
    } while (0)

static const char *subject = "";

struct entry {
    hsize_t row, col;
    double value;
};

struct matrix {
    hsize_t rows, cols;
    size_t count;
    struct entry *entry;
};

static void sort(const struct matrix *m, int (*order)(const void *, const void *))
{
    if (m->count)
        qsort(m->entry, m->count, sizeof *m->entry, order);
}

static void add(struct matrix *m, hsize_t row, hsize_t col, double value)
{
    m->entry = realloc(m->entry, (m->count + 1) * sizeof *m->entry);
    m->entry[m->count++] = (struct entry){row, col, value};
}

static struct matrix parse(const char *path)
{
    char line[1000], field[20], symmetry[20];
    struct matrix m = {0};
    size_t count;
    FILE *in = fopen(path, "r");
    MUST(in && fgets(line, sizeof line, in));
    MUST(sscanf(line, "%%%%MatrixMarket matrix coordinate %19s %19s", field, symmetry) == 2);
    while (fgets(line, sizeof line, in) && line[0] == '%')
        ;
    unsigned long long rows, cols, row, col;
    MUST(sscanf(line, "%llu %llu %zu", &rows, &cols, &count) == 3);
    m.rows = rows;
    m.cols = cols;
    for (size_t i = 0; i < count; i++) {
        double value = 1;
        MUST(fgets(line, sizeof line, in));
        MUST(sscanf(line, "%llu %llu %lf", &row, &col, &value) == (strcmp(field, "pattern") ? 3 : 2));
        add(&m, row - 1, col - 1, value);
        if (strcmp(symmetry, "general") && row != col)
            add(&m, col - 1, row - 1, strcmp(symmetry, "symmetric") ? -value : value);
    }
    fclose(in);
    return m;
}

static int by_row(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->col < y->col ? -1 : x->col > y->col;
}

static int by_col(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The entries in the order given. */
static h5sparse_coo_t coo_of(const struct matrix *m)
{
    h5sparse_coo_t a = {.rows = m->rows, .cols = m->cols, .count = m->count};
    double *values = a.values = malloc(m->count * sizeof *values + 1);
    a.row = malloc(m->count * sizeof *a.row + 1);
    a.col = malloc(m->count * sizeof *a.col + 1);
    for (size_t i = 0; i < m->count; i++) {
        a.row[i] = m->entry[i].row;
        a.col[i] = m->entry[i].col;
        values[i] = m->entry[i].value;
    }
    return a;
}

/* start[i]: entries whose line is less than i, found the slow and simple way. */
static hsize_t *starts(const hsize_t *line, size_t count, hsize_t lines)
{
    hsize_t *start = calloc(lines + 1, sizeof *start);
    for (hsize_t i = 0; i <= lines; i++)
        for (size_t k = 0; k < count; k++)
            start[i] += line[k] < i;
    return start;
}

static h5sparse_csr_t csr_of(const struct matrix *m)
{
    sort(m, by_row);
    h5sparse_coo_t coo = coo_of(m);
    h5sparse_csr_t a = {coo.rows, coo.cols, coo.count, starts(coo.row, coo.count, coo.rows), coo.col, coo.values};
    free(coo.row);
    return a;
}

static h5sparse_csc_t csc_of(const struct matrix *m)
{
    sort(m, by_col);
    h5sparse_coo_t coo = coo_of(m);
    h5sparse_csc_t a = {coo.rows, coo.cols, coo.count, starts(coo.col, coo.count, coo.cols), coo.row, coo.values};
    free(coo.col);
    return a;
}

static int same(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

/* The dataset is the matrix, in every form. */
static void check_read(hid_t file, const char *name, const struct matrix *m)
{
    h5sparse_csr_t csr, want_csr = csr_of(m);
    h5sparse_csc_t csc, want_csc = csc_of(m);
    sort(m, by_row);
    h5sparse_coo_t coo, want = coo_of(m);

    MUST(h5sparse_read_coo(file, name, H5T_NATIVE_DOUBLE, &coo) == 0);
    MUST(coo.rows == m->rows && coo.cols == m->cols && coo.count == m->count);
    MUST(same(coo.row, want.row, m->count * sizeof(hsize_t)) && same(coo.col, want.col, m->count * sizeof(hsize_t)));
    MUST(same(coo.values, want.values, m->count * sizeof(double)));

    MUST(h5sparse_read_csr(file, name, H5T_NATIVE_DOUBLE, &csr) == 0);
    MUST(csr.rows == m->rows && csr.cols == m->cols && csr.count == m->count);
    MUST(same(csr.start, want_csr.start, (m->rows + 1) * sizeof(hsize_t)));
    MUST(same(csr.col, want_csr.col, m->count * sizeof(hsize_t)));
    MUST(same(csr.values, want_csr.values, m->count * sizeof(double)));

    MUST(h5sparse_read_csc(file, name, H5T_NATIVE_DOUBLE, &csc) == 0);
    MUST(csc.rows == m->rows && csc.cols == m->cols && csc.count == m->count);
    MUST(same(csc.start, want_csc.start, (m->cols + 1) * sizeof(hsize_t)));
    MUST(same(csc.row, want_csc.row, m->count * sizeof(hsize_t)));
    MUST(same(csc.values, want_csc.values, m->count * sizeof(double)));

    h5sparse_free_coo(&coo);
    h5sparse_free_coo(&want);
    h5sparse_free_csr(&csr);
    h5sparse_free_csr(&want_csr);
    h5sparse_free_csc(&csc);
    h5sparse_free_csc(&want_csc);
}

/* Every form goes in; also with chunks of 2 x 3, of which a larger matrix has many. */
static void check_file(hid_t file, const char *path)
{
    hsize_t chunk[2] = {2, 3};
    hid_t small = H5Pcreate(H5P_DATASET_CREATE), dcpl[2] = {H5P_DEFAULT, small};
    subject = path;
    MUST(H5Pset_sparse_chunk(small, 2, chunk) >= 0);
    for (int i = 0; i < 2; i++) {
        struct matrix m = parse(path); /* in the order of the file */
        h5sparse_coo_t coo = coo_of(&m);
        h5sparse_csr_t csr = csr_of(&m);
        h5sparse_csc_t csc = csc_of(&m);
        MUST(h5sparse_write_coo(file, "coo", H5T_NATIVE_DOUBLE, dcpl[i], &coo) == 0);
        MUST(h5sparse_write_csr(file, "csr", H5T_NATIVE_DOUBLE, dcpl[i], &csr) == 0);
        MUST(h5sparse_write_csc(file, "csc", H5T_NATIVE_DOUBLE, dcpl[i], &csc) == 0);
        const char *names[] = {"coo", "csr", "csc"};
        for (int n = 0; n < 3; n++) {
            check_read(file, names[n], &m);
            MUST(H5Ldelete(file, names[n], H5P_DEFAULT) >= 0);
        }
        h5sparse_free_coo(&coo);
        h5sparse_free_csr(&csr);
        h5sparse_free_csc(&csc);
        free(m.entry);
    }
    MUST(H5Pclose(small) >= 0);
}

/* Of two entries for one element the later counts, however many others are between; zeros stay; other types. */
static void check_rules(hid_t file)
{
    enum { N = 3000 };
    static hsize_t row[2 * N], col[2 * N];
    static int values[2 * N];
    for (int i = 0; i < 2 * N; i++) {
        row[i] = i % N / 60;
        col[i] = i % N * 7 % 1000;
        values[i] = i < N ? 1 : i % 2 ? 0 : i;
    }
    h5sparse_coo_t m = {50, 1000, 2 * N, row, col, values}, back;
    subject = "rules";
    MUST(h5sparse_write_coo(file, "rules", H5T_NATIVE_INT, H5P_DEFAULT, &m) == 0);
    MUST(h5sparse_read_coo(file, "rules", H5T_NATIVE_SHORT, &back) == 0);
    MUST(back.count == N);
    for (size_t i = 0; i < N; i++) {
        size_t k = N;
        while (row[k] != back.row[i] || col[k] != back.col[i])
            k++;
        MUST(((short *)back.values)[i] == values[k]);
    }
    h5sparse_free_coo(&back);
}

/* No rows at all, no columns at all. */
static void check_nothing(hid_t file)
{
    hsize_t start[4] = {0};
    h5sparse_csr_t flat = {.rows = 0, .cols = 3, .start = start};
    h5sparse_csc_t thin = {.rows = 3, .cols = 0, .start = start}, back;
    h5sparse_coo_t coo;
    subject = "nothing";
    MUST(h5sparse_write_csr(file, "flat", H5T_NATIVE_INT, H5P_DEFAULT, &flat) == 0);
    MUST(h5sparse_write_csc(file, "thin", H5T_NATIVE_INT, H5P_DEFAULT, &thin) == 0);
    MUST(h5sparse_read_csc(file, "flat", H5T_NATIVE_INT, &back) == 0);
    MUST(back.rows == 0 && back.cols == 3 && back.count == 0 && same(back.start, start, sizeof start));
    MUST(h5sparse_read_coo(file, "thin", H5T_NATIVE_INT, &coo) == 0);
    MUST(coo.rows == 3 && coo.cols == 0 && coo.count == 0);
    h5sparse_free_csc(&back);
    h5sparse_free_coo(&coo);
}

/* Entries far apart in a matrix that is nearly as large as they may be. */
static void check_huge(hid_t file)
{
    hsize_t row[3] = {1, 2000000000, 2}, col[3] = {999999999, 0, 2};
    float values[3] = {1, 2, 3};
    h5sparse_coo_t m = {2000000001, 1000000000, 3, row, col, values}, back;
    subject = "huge";
    MUST(h5sparse_write_coo(file, "huge", H5T_NATIVE_FLOAT, H5P_DEFAULT, &m) == 0);
    MUST(h5sparse_read_coo(file, "huge", H5T_NATIVE_FLOAT, &back) == 0);
    MUST(back.count == 3 && back.row[1] == 2 && back.col[1] == 2 && back.row[2] == 2000000000 && back.col[2] == 0);
    MUST(back.col[0] == 999999999 && ((float *)back.values)[2] == 2);
    h5sparse_free_coo(&back);
}

/* A call that failed: the error stack is there, nothing else is. */
static void check_failed(hid_t group, herr_t result, ssize_t open_before, const char *message)
{
    char text[300] = "";
    H5G_info_t info;
    MUST(result == -1);
    MUST(H5Eget_num(H5E_DEFAULT) > 0);
    hid_t stack = H5Eget_current_stack();
    MUST(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == open_before);
    MUST(H5Gget_info(group, &info) >= 0 && info.nlinks == 1);
    if (message) {
        FILE *out = fopen("matrices.err", "w+");
        MUST(H5Eprint2(stack, out) >= 0);
        rewind(out);
        int found = 0;
        while (fgets(text, sizeof text, out))
            found |= strstr(text, message) != NULL;
        fclose(out);
        unlink("matrices.err");
        MUST(found);
    }
    H5Eclose_stack(stack);
}

static void check_failures(hid_t file)
{
    hsize_t row[2] = {0, 3}, col[2] = {0, 3}, start[5] = {0, 1, 1, 1, 2}, chunk[2] = {2, 2}, dim = 4;
    double values[2] = {1, 2};
    h5sparse_coo_t coo = {4, 4, 2, row, col, values}, coo_back;
    h5sparse_csr_t csr = {4, 4, 2, start, col, values}, csr_back;
    h5sparse_csc_t csc_back;
    hid_t dense = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &dim, NULL);
    H5Pset_chunk(dense, 2, chunk);
    hid_t group = H5Gcreate2(file, "failures", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    MUST(H5Dclose(H5Dcreate2(group, "line", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
    ssize_t open = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL);
    MUST(open == 2);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    subject = "failures";
#define FAILS(call, message) check_failed(group, call, open, message)
    FAILS(h5sparse_read_coo(group, "none", H5T_NATIVE_DOUBLE, &coo_back), "none");
    FAILS(h5sparse_read_csr(group, "line", H5T_NATIVE_DOUBLE, &csr_back), "two dimensions");
    FAILS(h5sparse_read_csc(group, "line", space, &csc_back), NULL);
    FAILS(h5sparse_write_coo(group, "line", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &coo), "line");
    FAILS(h5sparse_write_coo(group, "x", H5T_NATIVE_DOUBLE, dense, &coo), "H5Pset_sparse_chunk");
    FAILS(h5sparse_write_coo(space, "x", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &coo), NULL);
    coo.rows = coo.cols = (hsize_t)1 << 62; /* more elements than 64 bits count */
    FAILS(h5sparse_write_coo(group, "x", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &coo), "can be numbered");
    coo.rows = 4;
    coo.cols = 3; /* an entry lies outside */
    FAILS(h5sparse_write_coo(group, "x", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &coo), NULL);
    coo.cols = 4;
    start[1] = 2; /* descends afterwards */
    FAILS(h5sparse_write_csr(group, "x", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &csr), "less than the one before");
    start[1] = 1;
    start[4] = 3;
    FAILS(h5sparse_write_csr(group, "x", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &csr), "from 0 to 3");
    start[4] = 2;

    /* No memory, at every place. */
    mallocs_left = 0;
    FAILS(h5sparse_write_csr(group, "x", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &csr), "no memory");
    mallocs_left = -1;
    MUST(h5sparse_write_csr(file, "good", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &csr) == 0);
    int tried[3] = {0};
    for (int form = 0; form < 3; form++)
        for (herr_t result = -1; result < 0; tried[form]++) {
            mallocs_left = tried[form];
            result = form == 0   ? h5sparse_read_coo(file, "good", H5T_NATIVE_DOUBLE, &coo_back)
                     : form == 1 ? h5sparse_read_csr(file, "good", H5T_NATIVE_DOUBLE, &csr_back)
                                 : h5sparse_read_csc(file, "good", H5T_NATIVE_DOUBLE, &csc_back);
            mallocs_left = -1;
            if (result < 0)
                FAILS(result, "no memory");
            if (result < 0)
                MUST(form == 0 ? !coo_back.row && !coo_back.values : form == 1 ? !csr_back.start : !csc_back.start);
        }
    MUST(tried[0] == 4 && tried[1] == 5 && tried[2] == 7);
    h5sparse_free_coo(&coo_back);
    h5sparse_free_csr(&csr_back);
    h5sparse_free_csc(&csc_back);
    H5Gclose(group);
    H5Sclose(space);
    H5Pclose(dense);
}

static void print_numbers(const hsize_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%llu", i ? " " : "", (unsigned long long)numbers[i]);
    printf("\n");
}

static void print_values(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%.17g", i ? " " : "", values[i]);
    printf("\n");
}

/* Lines: shape; CSR starts, columns, values; CSC starts, rows, values. */
static void dump(const char *out, const char *path)
{
    struct matrix m = parse(path);
    h5sparse_coo_t coo = coo_of(&m);
    h5sparse_csr_t csr;
    h5sparse_csc_t csc;
    hid_t file = H5Fcreate(out, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    subject = path;
    MUST(h5sparse_write_coo(file, "matrix", H5T_IEEE_F64LE, H5P_DEFAULT, &coo) == 0);
    MUST(h5sparse_read_csr(file, "matrix", H5T_NATIVE_DOUBLE, &csr) == 0);
    MUST(h5sparse_read_csc(file, "matrix", H5T_NATIVE_DOUBLE, &csc) == 0);
    MUST(H5Fclose(file) >= 0);
    print_numbers((hsize_t[]){csr.rows, csr.cols}, 2);
    print_numbers(csr.start, csr.rows + 1);
    print_numbers(csr.col, csr.count);
    print_values(csr.values, csr.count);
    print_numbers(csc.start, csc.cols + 1);
    print_numbers(csc.row, csc.count);
    print_values(csc.values, csc.count);
    h5sparse_free_coo(&coo);
    h5sparse_free_csr(&csr);
    h5sparse_free_csc(&csc);
    free(m.entry);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void speed(size_t count)
{
    hsize_t side = (hsize_t)sqrt(100.0 * (double)count);
    hsize_t *row = malloc(count * sizeof *row), *col = malloc(count * sizeof *col);
    double *values = malloc(count * sizeof *values), t[7];
    unsigned long long random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        row[i] = (random >> 33) % side;
        random = random * 6364136223846793005u + 1442695040888963407u;
        col[i] = (random >> 33) % side;
        values[i] = (double)i;
    }
    h5sparse_coo_t coo = {side, side, count, row, col, values}, back;
    h5sparse_csr_t csr;
    h5sparse_csc_t csc;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    t[0] = now();
    MUST(h5sparse_write_coo(file, "coo", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &coo) == 0 && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    t[1] = now();
    MUST(h5sparse_read_coo(file, "coo", H5T_NATIVE_DOUBLE, &back) == 0);
    t[2] = now();
    MUST(h5sparse_read_csr(file, "coo", H5T_NATIVE_DOUBLE, &csr) == 0);
    t[3] = now();
    MUST(h5sparse_read_csc(file, "coo", H5T_NATIVE_DOUBLE, &csc) == 0);
    t[4] = now();
    MUST(h5sparse_write_csr(file, "csr", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &csr) == 0 && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    t[5] = now();
    MUST(h5sparse_write_csc(file, "csc", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &csc) == 0 && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    t[6] = now();
    printf("%zu entries, %zu of them different, in %llu x %llu\n", count, back.count, (unsigned long long)side,
        (unsigned long long)side);
    printf("write, s: COO in random order %.3f, CSR %.3f, CSC %.3f\n", t[1] - t[0], t[5] - t[4], t[6] - t[5]);
    printf("read, s:  COO %.3f, CSR %.3f, CSC %.3f\n", t[2] - t[1], t[3] - t[2], t[4] - t[3]);
    h5sparse_free_coo(&coo);
    h5sparse_free_coo(&back);
    h5sparse_free_csr(&csr);
    h5sparse_free_csc(&csc);
    H5Fclose(file);
    unlink(FILE_NAME);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--dump") == 0)
        return dump(argv[2], argv[3]), 0;
    if (argc == 3 && strcmp(argv[1], "--speed") == 0)
        return speed(strtoul(argv[2], NULL, 10)), 0;
    MUST(argc > 5);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 1; i < argc; i++)
        check_file(file, argv[i]);
    check_rules(file);
    check_nothing(file);
    check_huge(file);
    check_failures(file);
    MUST(H5Fget_obj_count(file, H5F_OBJ_ALL) == 1);
    MUST(H5Fclose(file) >= 0);
    unlink(FILE_NAME);
    printf("%d files, every form in and out\n", argc - 1);
    return 0;
}
