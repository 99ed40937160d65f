/* Random changes to variable-length data and region references, checked against a model in memory.
 *
 *     turns_vlen FILE SEED FROM TO old|new|v200
 *
 * Replays operations 0 to FROM on the model alone, then opens FILE (with FROM 0 it makes the file), compares it with
 * the model, carries out operations FROM to TO on both, compares again and closes. Built against two libraries, the
 * programs can take turns on one file. With `old` the file is made with the oldest formats of the library. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

enum { SETS = 4, N = 60, ATTRS = 12, TEXT = 6000 };

struct text {
    int length; /* -1: none */
    unsigned seed;
};

static struct text texts[SETS][N], attrs[ATTRS];  /* an attribute that is not there has seed 0 */
static struct text lists[N][3];                   /* a sequence of up to 3 strings */
static int list_lengths[N], regions[N];           /* the first point of each, -1: none */
static hid_t file = -1, string, list, space, one; /* file is -1 while only the model changes */
static unsigned long long state;

static unsigned random_below(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % n;
}

static void fail(const char *what, int which)
{
    fprintf(stderr, "%s %d\n", what, which);
    exit(1);
}

static void must(long long status, const char *what, int which)
{
    if (status < 0)
        fail(what, which);
}

static const char *words(struct text t, char buf[TEXT])
{
    if (t.length < 0)
        return NULL;
    for (int i = 0; i < t.length; i++)
        buf[i] = (char)('a' + (t.seed + (unsigned)i * (t.seed % 5)) % 26);
    buf[t.length] = 0;
    return buf;
}

static struct text new_text(void)
{
    int length = random_below(60) == 0 ? (int)random_below(TEXT - 1) : (int)random_below(50) - 1;
    return (struct text){length, 1 + random_below(100000)};
}

static void check_text(const char *have, struct text want, const char *what, int which)
{
    char buf[TEXT];
    const char *expected = words(want, buf);
    if (!have != !expected || (have && strcmp(have, expected) != 0))
        fail(what, which);
}

static hid_t open_set(int s)
{
    char name[20];
    snprintf(name, sizeof name, "texts%d", s);
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    must(d, "open texts", s);
    return d;
}

/* A run of elements gets new values. */
static void write_texts(void)
{
    static char bufs[N][TEXT];
    const char *values[N] = {0};
    int s = (int)random_below(SETS);
    hsize_t start = random_below(N), count = 1 + random_below((unsigned)(N - start));
    for (hsize_t i = start; i < start + count; i++) {
        texts[s][i] = new_text();
        values[i] = words(texts[s][i], bufs[i]);
    }
    if (file < 0)
        return;
    hid_t part = H5Scopy(space), d = open_set(s);
    H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, NULL, &count, NULL);
    must(H5Dwrite(d, string, part, part, H5P_DEFAULT, values), "write texts", s);
    H5Sclose(part);
    H5Dclose(d);
}

static void write_list(void)
{
    static char bufs[3][TEXT];
    char *values[3];
    int at = (int)random_below(N);
    list_lengths[at] = (int)random_below(4);
    for (int i = 0; i < list_lengths[at]; i++) {
        lists[at][i] = new_text();
        values[i] = (char *)(size_t)words(lists[at][i], bufs[i]);
    }
    if (file < 0)
        return;
    hvl_t value = {(size_t)list_lengths[at], values};
    hsize_t point = (hsize_t)at;
    hid_t part = H5Scopy(space), d = H5Dopen2(file, "lists", H5P_DEFAULT);
    H5Sselect_elements(part, H5S_SELECT_SET, 1, &point);
    must(H5Dwrite(d, list, one, part, H5P_DEFAULT, &value), "write list", at);
    H5Sclose(part);
    H5Dclose(d);
}

static void write_region(void)
{
    int at = (int)random_below(N);
    hsize_t start = random_below(N - 5), count = 5, point = (hsize_t)at;
    regions[at] = (int)start;
    if (file < 0)
        return;
    hdset_reg_ref_t ref;
    hid_t part = H5Scopy(space), d = H5Dopen2(file, "regions", H5P_DEFAULT);
    H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, NULL, &count, NULL);
    must(H5Rcreate(&ref, file, "lists", H5R_DATASET_REGION, part), "create region", at);
    H5Sselect_elements(part, H5S_SELECT_SET, 1, &point);
    must(H5Dwrite(d, H5T_STD_REF_DSETREG, one, part, H5P_DEFAULT, &ref), "write region", at);
    H5Sclose(part);
    H5Dclose(d);
}

static void write_attr(void)
{
    char name[20], buf[TEXT];
    int i = (int)random_below(ATTRS), gone = attrs[i].seed && random_below(3) == 0;
    int made = !attrs[i].seed;
    attrs[i] = gone ? (struct text){0} : new_text();
    if (file < 0)
        return;
    snprintf(name, sizeof name, "attr%d", i);
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    if (gone) {
        must(H5Adelete(root, name), "delete attribute", i);
    } else {
        const char *value = words(attrs[i], buf);
        hid_t a =
            made ? H5Acreate2(root, name, string, one, H5P_DEFAULT, H5P_DEFAULT) : H5Aopen(root, name, H5P_DEFAULT);
        must(a, "open attribute", i);
        must(H5Awrite(a, string, &value), "write attribute", i);
        H5Aclose(a);
    }
    H5Gclose(root);
}

static void operate(void)
{
    switch (random_below(4)) {
    case 0:
        write_texts();
        break;
    case 1:
        write_list();
        break;
    case 2:
        write_region();
        break;
    default:
        write_attr();
    }
}

static void check_sets(void)
{
    for (int s = 0; s < SETS; s++) {
        char *values[N];
        hid_t d = open_set(s);
        must(H5Dread(d, string, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "read texts", s);
        for (int i = 0; i < N; i++)
            check_text(values[i], texts[s][i], "text", s * N + i);
        H5Dvlen_reclaim(string, space, H5P_DEFAULT, values);
        H5Dclose(d);
    }
}

static void check_lists(void)
{
    hvl_t values[N];
    hid_t d = H5Dopen2(file, "lists", H5P_DEFAULT);
    must(H5Dread(d, list, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "read lists", 0);
    for (int i = 0; i < N; i++) {
        if ((int)values[i].len != list_lengths[i])
            fail("length of list", i);
        for (int k = 0; k < list_lengths[i]; k++)
            check_text(((char **)values[i].p)[k], lists[i][k], "text in list", i);
    }
    H5Dvlen_reclaim(list, space, H5P_DEFAULT, values);
    H5Dclose(d);
}

static void check_regions(void)
{
    hdset_reg_ref_t refs[N];
    hid_t d = H5Dopen2(file, "regions", H5P_DEFAULT);
    must(H5Dread(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs), "read regions", 0);
    for (int i = 0; i < N; i++) {
        hsize_t low, high;
        if (regions[i] < 0)
            continue;
        hid_t area = H5Rget_region(d, H5R_DATASET_REGION, &refs[i]);
        must(area, "region", i);
        must(H5Sget_select_bounds(area, &low, &high), "bounds of region", i);
        if ((int)low != regions[i] || high != low + 4)
            fail("points of region", i);
        H5Sclose(area);
    }
    H5Dclose(d);
}

static void check(void)
{
    check_sets();
    check_lists();
    check_regions();
    for (int i = 0; i < ATTRS; i++) {
        char name[20], *value;
        snprintf(name, sizeof name, "attr%d", i);
        if ((H5Aexists_by_name(file, "/", name, H5P_DEFAULT) > 0) != (attrs[i].seed > 0))
            fail("whether there is attribute", i);
        if (!attrs[i].seed)
            continue;
        hid_t a = H5Aopen_by_name(file, "/", name, H5P_DEFAULT, H5P_DEFAULT);
        must(H5Aread(a, string, &value), "read attribute", i);
        check_text(value, attrs[i], "attribute", i);
        H5Dvlen_reclaim(string, one, H5P_DEFAULT, &value);
        H5Aclose(a);
    }
}

/* Contiguous, compact, chunked, deflated. */
static void make_set(int s)
{
    char name[20];
    hsize_t chunk = 7;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (s == 1)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (s >= 2)
        H5Pset_chunk(dcpl, 1, &chunk);
    if (s == 3)
        H5Pset_deflate(dcpl, 5);
    snprintf(name, sizeof name, "texts%d", s);
    hid_t d = H5Dcreate2(file, name, string, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(d, "create texts", s);
    H5Dclose(d);
    H5Pclose(dcpl);
}

static void make_file(const char *name, hid_t fapl)
{
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    must(file, "create", 0);
    for (int s = 0; s < SETS; s++)
        make_set(s);
    hid_t d = H5Dcreate2(file, "lists", list, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(d, "create lists", 0);
    H5Dclose(d);
    d = H5Dcreate2(file, "regions", H5T_STD_REF_DSETREG, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(d, "create regions", 0);
    H5Dclose(d);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    hsize_t n = N, single = 1;
    long op = 0, from = atol(argv[3]), to = atol(argv[4]);
    state = strtoull(argv[2], NULL, 10);
    string = H5Tcopy(H5T_C_S1);
    H5Tset_size(string, H5T_VARIABLE);
    list = H5Tvlen_create(string);
    space = H5Screate_simple(1, &n, NULL);
    one = H5Screate_simple(1, &single, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (strcmp(argv[5], "old") != 0)
        set_format(fapl, argv[5]);
    for (int i = 0; i < N; i++) {
        regions[i] = -1;
        for (int s = 0; s < SETS; s++)
            texts[s][i].length = -1;
    }
    if (from == 0)
        make_file(argv[1], fapl);
    for (; op < from; op++)
        operate();
    if (from > 0)
        file = H5Fopen(argv[1], H5F_ACC_RDWR, fapl);
    must(file, "open", 0);
    check();
    for (; op < to; op++)
        operate();
    check();
    must(H5Fclose(file), "close", 0);
    return 0;
}
