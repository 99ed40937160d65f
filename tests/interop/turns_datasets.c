/* Random writes to datasets of every layout and kind of chunk index, changes of their extents, deleting and creating them
 * again, checked against a model in memory.
 *
 *     turns_datasets FILE SEED FROM TO old|new|v200
 *
 * Replays operations 0 to FROM on the model alone, then opens FILE (with FROM 0 it makes the file), compares it with the
 * model, carries out operations FROM to TO on both, compares again and closes. Built against two libraries, the
 * programs can take turns on one file. With `old` the file is made with the oldest formats of the library. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

enum { ROWS = 40, COLS = 30, NOTHING = -1000000 };
enum layout { COMPACT, CONTIGUOUS, CHUNKED };
enum kind { INT, SHORT, TEXT, PAIR }; /* PAIR: members a and b */

static const struct config {
    enum layout layout;
    enum kind kind;
    int unlimited, filters, early, chunk;
} configs[] = {
    {COMPACT, INT, 0, 0, 0, 0},   {CONTIGUOUS, INT, 0, 0, 0, 0}, {CONTIGUOUS, SHORT, 0, 0, 1, 0},
    {CHUNKED, INT, 0, 0, 0, 7},   {CHUNKED, INT, 0, 0, 1, 7},    {CHUNKED, SHORT, 0, 1, 0, 7},
    {CHUNKED, INT, 1, 0, 0, 3},   {CHUNKED, SHORT, 1, 1, 0, 5},  {CHUNKED, INT, 2, 0, 0, 3},
    {CHUNKED, INT, 2, 1, 0, 5},   {CHUNKED, INT, 0, 0, 0, 60},   {CHUNKED, INT, 0, 1, 0, 60},
    {CHUNKED, INT, 1, 2, 0, 7},   {CHUNKED, SHORT, 2, 3, 1, 6},  {CONTIGUOUS, TEXT, 0, 0, 0, 0},
    {CHUNKED, TEXT, 2, 0, 0, 6},  {CHUNKED, TEXT, 1, 1, 0, 6},   {CONTIGUOUS, PAIR, 0, 0, 0, 0},
    {CHUNKED, PAIR, 1, 1, 0, 7},  {CHUNKED, PAIR, 2, 0, 0, 4},   {COMPACT, PAIR, 0, 0, 0, 0},
};
enum { DATASETS = sizeof configs / sizeof configs[0] };

struct pair {
    int a;
    double b;
};

struct dataset {
    const struct config *c;
    hsize_t dims[2];
    int a[ROWS][COLS], b[ROWS][COLS];
};

static struct dataset sets[DATASETS];
static hid_t file = -1; /* -1 while only the model changes */
static unsigned long long state;
static long op;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((state >> 33) % n);
}

static void fail(const char *what, int set)
{
    printf("operation %ld, dataset %d: %s\n", op, set, what);
    H5Eprint2(H5E_DEFAULT, stdout);
    exit(1);
}

static int number_of(const struct dataset *s)
{
    return (int)(s - sets);
}

static void must(long long status, const char *what, const struct dataset *s)
{
    if (status < 0)
        fail(what, s ? number_of(s) : -1);
}

static const char *name_of(const struct dataset *s)
{
    static char name[20];
    snprintf(name, sizeof name, "set%d", number_of(s));
    return name;
}

static int fill_of(const struct dataset *s)
{
    return s->c->kind == TEXT ? NOTHING : s->c->kind == PAIR ? 0 : -7;
}

static hid_t pair_type(int members)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(struct pair));
    if (members & 1)
        H5Tinsert(t, "a", HOFFSET(struct pair, a), H5T_NATIVE_INT);
    if (members & 2)
        H5Tinsert(t, "b", HOFFSET(struct pair, b), H5T_NATIVE_DOUBLE);
    return t;
}

static hid_t text_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    return t;
}

static hid_t memory_type(const struct dataset *s, int members)
{
    return s->c->kind == TEXT ? text_type() : s->c->kind == PAIR ? pair_type(members) : H5Tcopy(H5T_NATIVE_INT);
}

static hid_t file_type(const struct dataset *s)
{
    if (s->c->kind == TEXT)
        return text_type();
    if (s->c->kind == SHORT)
        return H5Tcopy(H5T_STD_I16BE);
    if (s->c->kind == INT)
        return H5Tcopy(H5T_STD_I32LE);
    hid_t t = H5Tcreate(H5T_COMPOUND, 12);
    H5Tinsert(t, "b", 0, H5T_IEEE_F64LE);
    H5Tinsert(t, "a", 8, H5T_STD_I32BE);
    return t;
}

static hid_t creation_list(const struct dataset *s)
{
    const struct config *c = s->c;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {c->chunk == 60 ? ROWS : (hsize_t)c->chunk, c->chunk == 60 ? COLS : (hsize_t)c->chunk - 1};
    int fill = -7;
    if (c->kind == INT || c->kind == SHORT)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    /* Otherwise what is not written may be anything. */
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_ALLOC);
    if (c->layout == COMPACT)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (c->layout == CHUNKED)
        H5Pset_chunk(dcpl, 2, chunk);
    if (c->early)
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    if (c->filters == 3)
        H5Pset_fletcher32(dcpl);
    if (c->filters == 1 || c->filters == 2) {
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, 3);
    }
    if (c->filters == 2)
        H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    return dcpl;
}

/* The values of the model that lie outside the extent are those of elements never written. */
static void forget_outside(struct dataset *s)
{
    for (hsize_t i = 0; i < ROWS; i++)
        for (hsize_t j = 0; j < COLS; j++)
            if (i >= s->dims[0] || j >= s->dims[1])
                s->a[i][j] = s->b[i][j] = fill_of(s);
}

static void write_whole(struct dataset *s);

static void create(struct dataset *s)
{
    hsize_t max[2] = {ROWS, COLS}, none[2] = {0, 0};
    for (int i = 0; i < s->c->unlimited; i++)
        max[i] = H5S_UNLIMITED;
    memcpy(s->dims, none, sizeof none);
    forget_outside(s);
    s->dims[0] = s->c->layout == CHUNKED && s->c->chunk < 60 ? 1 + below(ROWS) : ROWS;
    s->dims[1] = s->c->layout == CHUNKED && s->c->unlimited == 2 ? 1 + below(COLS) : COLS;
    if (file >= 0) {
        hid_t space = H5Screate_simple(2, s->dims, max), dcpl = creation_list(s), type = file_type(s);
        hid_t d = H5Dcreate2(file, name_of(s), type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        must(d, "create", s);
        must(H5Dclose(d), "close", s);
        H5Sclose(space);
        H5Pclose(dcpl);
        H5Tclose(type);
    }
    /* libhdf5 crashes when it resizes a dataset with this option that has no index yet. */
    if (s->c->filters == 2)
        write_whole(s);
}

static char *text_of(int value)
{
    if (value == NOTHING)
        return NULL;
    size_t n = (size_t)(value % 60);
    char *text = malloc(n + 20);
    snprintf(text, 20, "%d:", value);
    size_t at = strlen(text);
    memset(text + at, 'a' + value % 26, n);
    text[at + n] = 0;
    return text;
}

static size_t element_size(const struct dataset *s)
{
    return s->c->kind == TEXT ? sizeof(char *) : s->c->kind == PAIR ? sizeof(struct pair) : sizeof(int);
}

static void put_element(const struct dataset *s, void *buf, size_t i, int a, int b)
{
    if (s->c->kind == TEXT)
        ((char **)buf)[i] = text_of(a);
    else if (s->c->kind == PAIR)
        ((struct pair *)buf)[i] = (struct pair){.a = a, .b = b};
    else
        ((int *)buf)[i] = a;
}

static int is_element(const struct dataset *s, const void *buf, size_t i, int a, int b)
{
    if (s->c->kind == PAIR) {
        const struct pair *p = &((const struct pair *)buf)[i];
        return p->a == a && p->b == b;
    }
    if (s->c->kind != TEXT)
        return ((const int *)buf)[i] == a;
    const char *have = ((char *const *)buf)[i];
    char *want = text_of(a);
    int same = have && want ? strcmp(have, want) == 0 : !want && (!have || !*have);
    free(want);
    return same;
}

static void free_texts(const struct dataset *s, void *buf, size_t n)
{
    for (size_t i = 0; s->c->kind == TEXT && i < n; i++)
        free(((char **)buf)[i]);
}

/* Points of the extent in the order in which they are written. */
struct target {
    size_t n;
    struct {
        hsize_t at[2];
    } points[ROWS * COLS];
};

static void add_point(struct target *t, hsize_t row, hsize_t col)
{
    t->points[t->n].at[0] = row;
    t->points[t->n++].at[1] = col;
}

static void select_slab(const struct dataset *s, hid_t space, struct target *t)
{
    hsize_t start[2], stride[2], count[2], block[2];
    for (int d = 0; d < 2; d++) {
        unsigned size = (unsigned)s->dims[d];
        start[d] = below(3) ? below(size) : 0;
        unsigned left = size - (unsigned)start[d];
        block[d] = below(3) ? 1 + below(left) : left;
        if (below(3) == 0 && block[d] > 3)
            block[d] = 1 + below(3);
        stride[d] = block[d] + below(3);
        count[d] = 1 + below((left - (unsigned)block[d]) / (unsigned)stride[d] + 1);
    }
    if (space >= 0)
        must(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block), "select", s);
    for (hsize_t a = 0; a < count[0] * block[0]; a++)
        for (hsize_t b = 0; b < count[1] * block[1]; b++)
            add_point(t, start[0] + a / block[0] * stride[0] + a % block[0],
                      start[1] + b / block[1] * stride[1] + b % block[1]);
}

/* An element of variable length is not named twice: what libhdf5 makes of that is its own affair. */
static void select_points(const struct dataset *s, hid_t space, struct target *t)
{
    unsigned n = 1 + below(30);
    for (unsigned i = 0; i < n; i++) {
        hsize_t row = below((unsigned)s->dims[0]), col = below((unsigned)s->dims[1]);
        int known = 0;
        for (size_t k = 0; k < t->n && s->c->kind == TEXT; k++)
            known |= t->points[k].at[0] == row && t->points[k].at[1] == col;
        if (!known)
            add_point(t, row, col);
    }
    if (space >= 0)
        must(H5Sselect_elements(space, H5S_SELECT_SET, t->n, t->points[0].at), "select", s);
}

static void write_target(struct dataset *s, hid_t d, hid_t space, const struct target *t)
{
    int members = s->c->kind == PAIR ? 1 + (int)below(3) : 1;
    void *buf = calloc(t->n, element_size(s));
    for (size_t i = 0; i < t->n; i++) {
        int a = (int)below(9000), b = (int)below(9000);
        put_element(s, buf, i, a, b);
        if (members & 1)
            s->a[t->points[i].at[0]][t->points[i].at[1]] = a;
        if (members & 2)
            s->b[t->points[i].at[0]][t->points[i].at[1]] = b;
    }
    if (d >= 0) {
        hsize_t n = t->n;
        hid_t mem = H5Screate_simple(1, &n, NULL), type = memory_type(s, members);
        must(H5Dwrite(d, type, mem, space, H5P_DEFAULT, buf), "write", s);
        H5Sclose(mem);
        H5Tclose(type);
    }
    free_texts(s, buf, t->n);
    free(buf);
}

static void write_some(struct dataset *s, int whole)
{
    static struct target t;
    hid_t d = -1, space = -1;
    t.n = 0;
    if (s->dims[0] * s->dims[1] == 0)
        return;
    if (file >= 0) {
        d = H5Dopen2(file, name_of(s), H5P_DEFAULT);
        must(d, "open", s);
        space = H5Dget_space(d);
    }
    for (hsize_t i = 0; whole && i < s->dims[0]; i++)
        for (hsize_t j = 0; j < s->dims[1]; j++)
            add_point(&t, i, j);
    if (!whole && below(4))
        select_slab(s, space, &t);
    else if (!whole)
        select_points(s, space, &t);
    write_target(s, d, space, &t);
    if (file >= 0) {
        H5Sclose(space);
        must(H5Dclose(d), "close", s);
    }
}

static void write_whole(struct dataset *s)
{
    write_some(s, 1);
}

static void resize(struct dataset *s)
{
    hsize_t dims[2] = {s->dims[0], s->dims[1]};
    if (s->c->layout != CHUNKED || s->c->chunk == 60)
        return;
    dims[0] = below(ROWS + 1);
    if (s->c->unlimited == 2)
        dims[1] = below(COLS + 1);
    if (file >= 0) {
        hid_t d = H5Dopen2(file, name_of(s), H5P_DEFAULT);
        must(d, "open", s);
        must(H5Dset_extent(d, dims), "resize", s);
        must(H5Dclose(d), "close", s);
    }
    memcpy(s->dims, dims, sizeof dims);
    forget_outside(s);
}

static void check(struct dataset *s)
{
    hsize_t dims[2];
    hid_t d = H5Dopen2(file, name_of(s), H5P_DEFAULT), space = H5Dget_space(d), type = memory_type(s, 3);
    must(d, "open", s);
    H5Sget_simple_extent_dims(space, dims, NULL);
    if (dims[0] != s->dims[0] || dims[1] != s->dims[1])
        fail("another extent", number_of(s));
    size_t n = (size_t)(dims[0] * dims[1]), wrong = 0;
    void *buf = calloc(n + 1, element_size(s));
    must(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf), "read", s);
    for (size_t i = 0; i < n; i++)
        wrong += !is_element(s, buf, i, s->a[i / dims[1]][i % dims[1]], s->b[i / dims[1]][i % dims[1]]);
    if (wrong) {
        printf("%zu of %zu elements differ\n", wrong, n);
        fail("other data", number_of(s));
    }
    if (s->c->kind == TEXT && n > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, buf);
    free(buf);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(d);
}

static void step(void)
{
    struct dataset *s = &sets[below(DATASETS)];
    unsigned what = below(100);
    if (what < 75)
        write_some(s, what < 5);
    else if (what < 92)
        resize(s);
    else if (what < 95 && file >= 0)
        must(H5Fflush(file, H5F_SCOPE_LOCAL), "flush", NULL);
    else if (what == 99) {
        if (file >= 0)
            must(H5Ldelete(file, name_of(s), H5P_DEFAULT), "delete", s);
        create(s);
    }
}

static void start(const char *name, int from, const char *format)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    set_format(fapl, format);
    file = from ? H5Fopen(name, H5F_ACC_RDWR, fapl) : H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    must(file, "open", NULL);
    H5Pclose(fapl);
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return 2;
    long from = atol(argv[3]), to = atol(argv[4]);
    state = strtoull(argv[2], NULL, 10) * 1000003;
    if (from == 0)
        start(argv[1], 0, argv[5]);
    for (int i = 0; i < DATASETS; i++) {
        sets[i].c = &configs[i];
        create(&sets[i]);
    }
    for (op = 0; op < to; op++) {
        if (op == from && from > 0)
            start(argv[1], 1, argv[5]);
        if (op == from)
            for (int i = 0; i < DATASETS; i++)
                check(&sets[i]);
        step();
    }
    for (int i = 0; i < DATASETS; i++)
        check(&sets[i]);
    must(H5Fclose(file), "close file", NULL);
    return 0;
}
