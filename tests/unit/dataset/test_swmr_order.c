/* What readers of a SWMR writer can see: the file after each of its writes, and after a part of each. They have no journal,
 * so at every moment the dataset must be as a flush left it, or as the flush on its way will: with every index, dense and
 * structured, filtered and not. Blocks that are half written may be refused, nothing may be wrong. Also for a reader that
 * opened the file at one moment and goes on at another. The rules behind this are switched off in turn, and missed. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "file/mutation.h"
#include "support/folder.h"
#include "support/recorder.h"
#include "unit/cmocka_all.h"

enum { MAX_FLUSHES = 64, MAX_CELLS = 1024, ATTRIBUTES = 5, LONGEST = 120 };

struct scene {
    const char *name;
    unsigned rank;
    bool grows[2], fixed; /* dimensions without limit; with a limit, but larger than the extent */
    hsize_t base, stride; /* elements before this one are never written, and of the others one in so many */
    unsigned step, flushes;
    bool single, early, filtered, structured, erases;
    enum { NONE, COMPACT, DENSE } attributes; /* the former so many that the header has continuations */
};

/* All that a flush left. */
struct moment {
    hsize_t n;
    uint32_t version[MAX_CELLS]; /* 0: undefined */
};

struct film {
    const struct scene *scene;
    unsigned n; /* moments; 0 is before the first flush */
    struct moment moments[MAX_FLUSHES + 1];
};

struct verdict {
    unsigned long looks, refused, bad;
    char why[256];
};

/* To be refused is an error of the library; wrong is what it showed. */
enum sight { GOOD, REFUSED, WRONG };

static uint64_t luck;

static unsigned rnd(unsigned n)
{
    luck = luck * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(luck >> 33) % n;
}

static uint64_t cell(hsize_t i, uint32_t version)
{
    return version == 0 ? 0 : (uint64_t)version << 32 | (i + 1);
}

/* Element i: of a line, or of a table with one column in each chunk. */
static void place(const struct scene *s, hsize_t i, hsize_t *at)
{
    at[0] = s->base + i * s->stride;
    at[1] = 0;
    if (s->rank == 2) {
        at[0] = i / 4;
        at[1] = i % 4;
    }
}

static void extent(const struct scene *s, hsize_t n, hsize_t *dims)
{
    dims[0] = s->base + n * s->stride;
    dims[1] = 0;
    if (s->rank == 2) {
        dims[0] = (n + 3) / 4;
        dims[1] = 4;
    }
}

static hid_t access_list(unsigned attempts)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0);
    if (attempts)
        assert_true(H5Pset_metadata_read_attempts(fapl, attempts) >= 0);
    return fapl;
}

static void set_layout(const struct scene *s, hid_t dcpl, const hsize_t *dims)
{
    hsize_t chunk[2] = {1, 1};
    if (s->single)
        memcpy(chunk, dims, s->rank * sizeof *chunk);
    if (s->structured)
        assert_true(H5Pset_struct_chunk(dcpl, (int)s->rank, chunk, H5D_SPARSE_CHUNK) >= 0);
    else
        assert_true(H5Pset_chunk(dcpl, (int)s->rank, chunk) >= 0);
    if (s->filtered)
        assert_true(H5Pset_deflate(dcpl, 1) >= 0);
    if (s->attributes == DENSE)
        assert_true(H5Pset_attr_phase_change(dcpl, 0, 0) >= 0);
    if (s->early)
        assert_true(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY) >= 0);
}

/* Its bytes are all the same. */
static void new_attribute(hid_t d, unsigned i, uint32_t version)
{
    char name[16], text[LONGEST];
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    snprintf(name, sizeof name, "a%u", i);
    memset(text, 'a' + (int)(version % 26), sizeof text);
    assert_true(H5Tset_size(type, 20 + rnd(LONGEST - 20)) >= 0);
    hid_t a = H5Acreate2(d, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, type, text) >= 0 && H5Aclose(a) >= 0);
    H5Sclose(space);
    H5Tclose(type);
}

/* Another one of that name in its place, and messages of the header have to move. */
static void replace_attribute(hid_t d, uint32_t version)
{
    char name[16];
    unsigned i = rnd(ATTRIBUTES);
    snprintf(name, sizeof name, "a%u", i);
    assert_true(H5Adelete(d, name) >= 0);
    new_attribute(d, i, version);
}

static enum sight check_attribute(hid_t d, unsigned i)
{
    char name[16], text[LONGEST + 1] = "";
    snprintf(name, sizeof name, "a%u", i);
    htri_t there = H5Aexists(d, name);
    if (there <= 0)
        return there < 0 ? REFUSED : WRONG;
    hid_t a = H5Aopen(d, name, H5P_DEFAULT), type = a >= 0 ? H5Aget_type(a) : -1;
    size_t size = type >= 0 ? H5Tget_size(type) : 0;
    bool read = size > 0 && size <= LONGEST && H5Aread(a, type, text) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (a >= 0)
        H5Aclose(a);
    return !read ? REFUSED : text[0] && strspn(text, (char[]){text[0], 0}) == size ? GOOD : WRONG;
}

static enum sight check_attributes(const struct scene *s, hid_t d)
{
    for (unsigned i = 0; s->attributes && i < ATTRIBUTES; i++) {
        enum sight sight = check_attribute(d, i);
        if (sight != GOOD)
            return sight;
    }
    return GOOD;
}

static hid_t make(const struct scene *s, hid_t file)
{
    hsize_t dims[2], most[2];
    bool whole = s->single || s->early;
    extent(s, whole ? (hsize_t)s->step * s->flushes : 0, dims);
    for (unsigned i = 0; i < 2; i++)
        most[i] = s->grows[i] ? H5S_UNLIMITED : dims[i];
    if (s->fixed)
        extent(s, (hsize_t)s->step * s->flushes + 5, most);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple((int)s->rank, dims, most);
    set_layout(s, dcpl, dims);
    hid_t d = H5Dcreate2(file, "d", H5T_NATIVE_UINT64, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    /* So that the header cannot grow where it is. */
    H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (unsigned i = 0; s->attributes && i < ATTRIBUTES; i++)
        new_attribute(d, i, 0);
    H5Sclose(space);
    H5Pclose(dcpl);
    return d;
}

static void put(const struct scene *s, hid_t d, hsize_t i, uint32_t version)
{
    hsize_t at[2], one[2] = {1, 1};
    uint64_t value = cell(i, version);
    place(s, i, at);
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, one, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL) >= 0);
    if (version > 0)
        assert_true(H5Dwrite(d, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &value) >= 0);
    else
        assert_true(H5Derase(d, space, H5P_DEFAULT) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
}

/* Some new rows, and something else in an old one. */
static void advance(const struct scene *s, hid_t d, struct moment *now, uint32_t version)
{
    hsize_t dims[2];
    extent(s, now->n + s->step, dims);
    if (!s->single && !s->early)
        assert_true(H5Dset_extent(d, dims) >= 0);
    for (unsigned i = 0; i < s->step; i++, now->n++)
        put(s, d, now->n, now->version[now->n] = version);
    for (unsigned i = 0; i < 2 && version > 1; i++) {
        hsize_t old = rnd((unsigned)now->n);
        put(s, d, old, now->version[old] = s->erases && rnd(2) ? 0 : version);
    }
    if (s->attributes)
        replace_attribute(d, version);
}

static void set_rules(unsigned rules)
{
#ifdef TS_MUTATIONS
    ts_mutations = rules;
#else
    (void)rules;
#endif
}

static void shoot(const struct scene *s, struct film *film, unsigned rules)
{
    char path[FOLDER_PATH];
    hid_t fapl = access_list(0);
    assert_true(H5Pset_swmr_new_objects(fapl, s->attributes != NONE) >= 0);
    memset(film, 0, sizeof *film);
    film->scene = s;
    luck = 7;
    recorder_start(folder_file(path, "film.h5"));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Dclose(make(s, file));
    set_rules(rules);
    assert_true(H5Fstart_swmr_write(file) >= 0);
    recorder_mark(++film->n);
    hid_t d = H5Dopen2(file, "d", H5P_DEFAULT);
    for (unsigned i = 0; i < s->flushes; i++) {
        film->moments[i + 1] = film->moments[i];
        advance(s, d, &film->moments[i + 1], i + 1);
        assert_true(H5Dflush(d) >= 0);
        recorder_mark(++film->n);
    }
    /* What closing does is not for readers to follow: it takes the mark away. */
    recorder_mark(film->n + 1);
    assert_true(H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
    H5Pclose(fapl);
    set_rules(0);
}

static uint64_t cell_at(const struct film *film, unsigned moment, hsize_t i)
{
    const struct moment *m = &film->moments[moment];
    return i < m->n ? cell(i, m->version[i]) : 0;
}

static bool is_one_of(const struct film *film, unsigned first, unsigned last, hsize_t i, uint64_t value)
{
    bool whole = film->scene->single || film->scene->early;
    for (unsigned k = first; k <= last; k++)
        if ((whole || i < film->moments[k].n) && value == cell_at(film, k, i))
            return true;
    return false;
}

/* An element that is written over where it is, and that a sector ends in: its first bytes are new already. */
static bool is_half_way(const struct film *film, unsigned first, unsigned last, hsize_t i, uint64_t value)
{
    const struct scene *s = film->scene;
    for (unsigned bytes = 1; bytes < 8 && first < last && !s->filtered && !s->structured; bytes++) {
        uint64_t begin = (UINT64_C(1) << 8 * bytes) - 1;
        if (value == ((cell_at(film, last, i) & begin) | (cell_at(film, first, i) & ~begin)))
            return true;
    }
    return false;
}

/* All elements of the extent, from moment `from` on: as they were then, or by moment `to`. */
static enum sight check_cells(const struct film *film, hid_t d, hsize_t n, unsigned from, unsigned to)
{
    static uint64_t values[MAX_CELLS + 8];
    const struct scene *s = film->scene;
    hsize_t dims[2], start[2] = {s->base, 0}, stride[2] = {s->stride, 1}, count[2] = {n, 4};
    extent(s, n, dims);
    if (s->rank == 2) {
        start[0] = 0;
        count[0] = dims[0];
        n = dims[0] * 4;
    }
    if (n == 0)
        return GOOD;
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, &n, NULL);
    bool read = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL) >= 0 &&
                H5Dread(d, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    if (!read)
        return REFUSED;
    for (hsize_t i = 0; i < n; i++)
        if (!is_one_of(film, from, to, i, values[i]) && !is_half_way(film, from, to, i, values[i]))
            return WRONG;
    return GOOD;
}

/* The number of rows that it shows, or -1. */
static long rows_of(const struct scene *s, hid_t d)
{
    hsize_t dims[2] = {0, 0};
    hid_t space = H5Dget_space(d);
    bool good = space >= 0 && H5Sget_simple_extent_dims(space, dims, NULL) == (int)s->rank;
    H5Sclose(space);
    return good ? (long)dims[0] : -1;
}

static bool rows_fit(const struct film *film, long rows, unsigned from, unsigned to)
{
    const struct scene *s = film->scene;
    hsize_t least[2], most[2];
    bool whole = s->single || s->early;
    hsize_t all = (hsize_t)s->step * s->flushes;
    extent(s, whole ? all : film->moments[from].n, least);
    extent(s, whole ? all : film->moments[to].n, most);
    return rows >= (long)least[0] && rows <= (long)most[0];
}

static hsize_t cells_in(const struct scene *s, long rows)
{
    return s->rank == 2 ? (hsize_t)rows * 4 : ((hsize_t)rows - s->base) / s->stride;
}

struct reader {
    hid_t file, d;
    long rows;
};

static bool reader_open(struct reader *r, const struct scene *s, const char *path)
{
    hid_t fapl = access_list(1);
    *r = (struct reader){.file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, fapl), .d = -1, .rows = -1};
    H5Pclose(fapl);
    r->d = r->file >= 0 ? H5Dopen2(r->file, "d", H5P_DEFAULT) : -1;
    r->rows = r->d >= 0 ? rows_of(s, r->d) : -1;
    return r->rows >= 0;
}

static void reader_close(struct reader *r)
{
    if (r->d >= 0)
        H5Dclose(r->d);
    if (r->file >= 0)
        H5Fclose(r->file);
}

/* The moments that a reader may see after n writes and a bit of the next: the last that was flushed, and the next. */
static bool moments_at(const struct film *film, size_t n, unsigned *from, unsigned *to)
{
    unsigned long mark = recorder_last_mark(n);
    if (mark == 0 || mark > film->n)
        return false;
    *from = (unsigned)mark - 1;
    *to = mark < film->n ? (unsigned)mark : *from;
    return true;
}

static enum sight see(const struct film *film, struct reader *r, unsigned from, unsigned to)
{
    if (!rows_fit(film, r->rows, from, to))
        return WRONG;
    enum sight sight = check_cells(film, r->d, cells_in(film->scene, r->rows), from, to);
    return sight == GOOD ? check_attributes(film->scene, r->d) : sight;
}

/* A write that has come half-way may break the block that it writes, for the moment. */
static void look(const struct film *film, size_t n, size_t cut, struct verdict *v)
{
    char path[FOLDER_PATH];
    unsigned from, to;
    struct reader r;
    if (!moments_at(film, n, &from, &to))
        return;
    recorder_write_file(n, cut, folder_file(path, "look.h5"));
    enum sight sight = reader_open(&r, film->scene, path) ? see(film, &r, from, to) : REFUSED;
    reader_close(&r);
    v->looks++;
    v->refused += sight == REFUSED && cut > 0;
    if (sight == GOOD || (sight == REFUSED && cut > 0))
        return;
    if (v->bad++ == 0)
        snprintf(v->why, sizeof v->why, "%s after write %zu, sector %zu, flush %u", sight == WRONG ? "wrong" : "refused", n,
                 cut, from);
}

static void look_everywhere(const struct film *film, struct verdict *v)
{
    for (size_t n = 0; n <= recorder_count(); n++) {
        size_t sectors = n < recorder_count() ? recorder_sectors(n) : 0;
        look(film, n, 0, v);
        for (size_t cut = 1; cut < sectors; cut += sectors / 3 + 1)
            look(film, n, cut, v);
    }
}

/* A reader with what it knows from one moment, in the file of another. */
static void look_back(const struct film *film, struct verdict *v)
{
    char path[FOLDER_PATH];
    size_t last = recorder_count();
    while (last > 0 && recorder_last_mark(last) > film->n)
        last--;
    folder_file(path, "look.h5");
    for (size_t n = 0; n < last; n += 3) {
        struct reader r;
        unsigned from, to, unused;
        size_t later = n + 1 + rnd((unsigned)(last - n));
        if (!moments_at(film, n, &from, &unused) || !moments_at(film, later, &unused, &to))
            continue;
        recorder_write_file(n, 0, path);
        bool good = reader_open(&r, film->scene, path) && (n % 2 == 0 || see(film, &r, from, to) == GOOD);
        recorder_write_file(later, 0, path);
        good = good && see(film, &r, from, to) == GOOD;
        reader_close(&r);
        v->looks++;
        if (!good && v->bad++ == 0)
            snprintf(v->why, sizeof v->why, "opened after write %zu, read after %zu", n, later);
    }
}

static struct verdict project(const struct scene *s, unsigned rules)
{
    static struct film film;
    struct verdict v = {0};
    H5E_auto2_t report;
    void *data;
    shoot(s, &film, rules);
    H5Eget_auto2(H5E_DEFAULT, &report, &data);
    if (!getenv("SWMR_VERBOSE"))
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    look_everywhere(&film, &v);
    look_back(&film, &v);
    H5Eset_auto2(H5E_DEFAULT, report, data);
    recorder_stop();
    if (getenv("SWMR_VERBOSE"))
        print_message("%s: %lu looks, %lu refused, %lu bad %s\n", s->name, v.looks, v.refused, v.bad, v.why);
    return v;
}

static void must_follow(const struct scene *s)
{
    struct verdict v = project(s, 0);
    if (v.bad)
        fail_msg("%s%s%s: %lu of %lu: %s", s->name, s->filtered ? ", filtered" : "", s->structured ? ", structured" : "", v.bad,
                 v.looks, v.why);
    assert_true(v.looks > 2 * s->flushes);
    /* Most of what is cut is raw data, or blocks that nothing leads to yet. */
    assert_true(v.refused < v.looks / 2);
}

static const struct scene scenes[] = {
    {.name = "one chunk", .rank = 1, .stride = 1, .step = 3, .flushes = 6, .single = true},
    {.name = "fixed array", .rank = 1, .stride = 1, .fixed = true, .step = 3, .flushes = 8},
    {.name = "fixed array in pages", .rank = 1, .stride = 400, .fixed = true, .step = 9, .flushes = 6},
    {.name = "extensible array", .rank = 1, .stride = 1, .grows = {true}, .step = 7, .flushes = 16},
    {.name = "extensible array, far blocks", .rank = 1, .stride = 1, .grows = {true}, .base = 2000, .step = 20, .flushes = 8},
    {.name = "extensible array, pages", .rank = 1, .stride = 400, .grows = {true}, .base = 300000, .step = 30, .flushes = 6},
    {.name = "B-tree", .rank = 2, .stride = 1, .grows = {true, true}, .step = 20, .flushes = 14},
    {.name = "header in blocks", .rank = 1, .stride = 1, .grows = {true}, .step = 3, .flushes = 12, .attributes = COMPACT},
    {.name = "attributes in a heap", .rank = 1, .stride = 1, .grows = {true}, .step = 3, .flushes = 12, .attributes = DENSE},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void all_scenes(bool filtered, bool structured)
{
    for (size_t i = 0; i < SCENES; i++) {
        struct scene s = scenes[i];
        s.filtered = filtered;
        s.structured = structured;
        s.erases = structured;
        s.flushes = filtered || structured ? s.flushes / 2 + 1 : s.flushes;
        must_follow(&s);
    }
}

static void dense_chunks(void **state)
{
    (void)state;
    all_scenes(false, false);
    must_follow(&(struct scene){.name = "implicit", .rank = 1, .stride = 1, .step = 3, .flushes = 8, .early = true});
}

static void filtered_chunks(void **state)
{
    (void)state;
    all_scenes(true, false);
}

static void structured_chunks(void **state)
{
    (void)state;
    all_scenes(false, true);
}

static void filtered_structured_chunks(void **state)
{
    (void)state;
    all_scenes(true, true);
}

#ifdef TS_MUTATIONS
static void each_rule_is_needed(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        unsigned off;
        size_t scene;
        bool filtered;
    } cases[] = {
        {"nodes of a B-tree are shadowed", TS_MUTATION_NO_SHADOWS, 6, false},
        {"continuations of a header are shadowed", TS_MUTATION_NO_SHADOWS, 7, false},
        {"attributes before what names them", TS_MUTATION_NO_DEPENDENCIES, 8, false},
        {"children before parents, pages of a fixed array", TS_MUTATION_NO_DEPENDENCIES, 2, false},
        {"children before parents, extensible array", TS_MUTATION_NO_DEPENDENCIES, 3, false},
        {"fresh blocks before those in place", TS_MUTATION_IN_PLACE_FIRST, 3, false},
        {"freed space stays", TS_MUTATION_REUSE_FREED, 6, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = scenes[cases[i].scene];
        s.filtered = cases[i].filtered;
        if (project(&s, cases[i].off).bad == 0)
            fail_msg("nobody noticed that this rule was switched off: %s", cases[i].rule);
    }
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_chunks),
        cmocka_unit_test(filtered_chunks),
        cmocka_unit_test(structured_chunks),
        cmocka_unit_test(filtered_structured_chunks),
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
