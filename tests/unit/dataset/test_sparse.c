/* Sparse datasets through the public API, against arrays of values and of what is defined. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "dataset_sparse.h5"

enum { FILL = -7, MAX_RANK = 5, MAX_ELEMENTS = 20000 };

static unsigned seed;

static unsigned roll(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % n;
}

/* A dataset and what it should hold. */
struct model {
    hid_t file, dset;
    int rank;
    hsize_t dims[MAX_RANK], max_dims[MAX_RANK], chunk[MAX_RANK];
    int (*filters)(hid_t dcpl);
    bool latest;
    size_t budget; /* of the cache; 0: as ever */
    /* In an extent of max dims (12 where unlimited). */
    hsize_t room[MAX_RANK];
    int values[MAX_ELEMENTS];
    bool defined[MAX_ELEMENTS];
};

static size_t place(const struct model *m, const hsize_t *at)
{
    size_t i = 0;
    for (int d = 0; d < m->rank; d++)
        i = i * m->room[d] + at[d];
    assert_true(i < MAX_ELEMENTS);
    return i;
}

/* The next coordinate of a box; false at its end. */
static bool next(int rank, const hsize_t *dims, hsize_t *at)
{
    for (int d = rank; d-- > 0;) {
        if (++at[d] < dims[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static hsize_t volume(int rank, const hsize_t *dims)
{
    hsize_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= dims[d];
    return n;
}

static hid_t access_list(const struct model *m)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (m->latest)
        assert_int_equal(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    if (m->budget) {
        H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
        assert_int_equal(H5Pget_shared_chunk_cache(fapl, &settings), 0);
        settings.budget = m->budget;
        settings.reserve = 0;
        assert_int_equal(H5Pset_shared_chunk_cache(fapl, &settings), 0);
    }
    return fapl;
}

static void model_create(struct model *m)
{
    int fill = FILL;
    hid_t fapl = access_list(m);
    m->file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(m->file > 0);
    H5Pclose(fapl);
    for (int d = 0; d < m->rank; d++)
        m->room[d] = m->max_dims[d] == H5S_UNLIMITED ? 12 : m->max_dims[d];
    assert_true(volume(m->rank, m->room) <= MAX_ELEMENTS);
    memset(m->defined, 0, sizeof m->defined);
    hid_t space = H5Screate_simple(m->rank, m->dims, m->max_dims), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, m->rank, m->chunk), 0);
    assert_int_equal(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill), 0);
    if (m->filters)
        assert_int_equal(m->filters(dcpl), 0);
    m->dset = H5Dcreate2(m->file, "d", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(m->dset > 0);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void model_close(struct model *m)
{
    assert_int_equal(H5Dclose(m->dset), 0);
    assert_int_equal(H5Fclose(m->file), 0);
}

/* So far in files that were closed. */
static uint64_t bypasses;

static void model_reopen(struct model *m)
{
    H5F_chunk_cache_stats_t stats;
    assert_int_equal(H5Fget_chunk_cache_stats(m->file, &stats), 0);
    bypasses += stats.bypasses;
    model_close(m);
    hid_t fapl = access_list(m);
    m->file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, fapl);
    assert_true(m->file > 0);
    H5Pclose(fapl);
    m->dset = H5Dopen2(m->file, "d", H5P_DEFAULT);
    assert_true(m->dset > 0);
}

/* Elements in the order of a selection. */
struct chosen {
    hid_t space;
    size_t n;
    size_t at[MAX_ELEMENTS];
};

static void choose_points(const struct model *m, struct chosen *c, unsigned most)
{
    hsize_t coords[64 * MAX_RANK];
    c->n = 1 + roll(most);
    for (size_t i = 0; i < c->n; i++) {
        for (int d = 0; d < m->rank; d++)
            coords[i * m->rank + d] = roll((unsigned)m->dims[d]);
        c->at[i] = place(m, coords + i * m->rank);
    }
    assert_int_equal(H5Sselect_elements(c->space, H5S_SELECT_SET, c->n, coords), 0);
}

static void choose_slab(const struct model *m, struct chosen *c)
{
    hsize_t start[MAX_RANK], stride[MAX_RANK], count[MAX_RANK], block[MAX_RANK], at[MAX_RANK] = {0}, to[MAX_RANK];
    hsize_t shape[MAX_RANK];
    for (int d = 0; d < m->rank; d++) {
        start[d] = roll((unsigned)m->dims[d]);
        block[d] = 1 + roll((unsigned)(m->dims[d] - start[d]));
        if (roll(2) && block[d] > 2)
            block[d] = 1 + roll(2);
        stride[d] = block[d] + roll(3);
        hsize_t most = (m->dims[d] - start[d] - block[d]) / stride[d] + 1;
        count[d] = 1 + roll((unsigned)most);
        shape[d] = count[d] * block[d];
    }
    c->n = 0;
    do {
        for (int d = 0; d < m->rank; d++)
            to[d] = start[d] + at[d] / block[d] * stride[d] + at[d] % block[d];
        c->at[c->n++] = place(m, to);
    } while (next(m->rank, shape, at));
    assert_int_equal(H5Sselect_hyperslab(c->space, H5S_SELECT_SET, start, stride, count, block), 0);
}

static void choose(const struct model *m, struct chosen *c)
{
    hsize_t at[MAX_RANK] = {0};
    c->space = H5Screate_simple(m->rank, m->dims, NULL);
    c->n = 0;
    switch (roll(8)) {
    case 0:
        do
            c->at[c->n++] = place(m, at);
        while (next(m->rank, m->dims, at));
        break;
    case 1:
    case 2:
        choose_points(m, c, 40);
        break;
    case 3:
        choose_points(m, c, 2);
        break;
    default:
        choose_slab(m, c);
    }
}

static void check_read(struct model *m)
{
    static struct chosen c;
    static int buf[MAX_ELEMENTS];
    choose(m, &c);
    hsize_t n = c.n;
    hid_t mem = H5Screate_simple(1, &n, NULL);
    memset(buf, 0x5a, sizeof buf);
    assert_int_equal(H5Dread(m->dset, H5T_NATIVE_INT, mem, c.space, H5P_DEFAULT, buf), 0);
    for (size_t i = 0; i < c.n; i++)
        if (buf[i] != (m->defined[c.at[i]] ? m->values[c.at[i]] : FILL))
            fail_msg("element %zu of %zu is %d instead of %d", i, c.n, buf[i],
                     m->defined[c.at[i]] ? m->values[c.at[i]] : FILL);
    H5Sclose(mem);
    H5Sclose(c.space);
}

static void check_write(struct model *m)
{
    static struct chosen c;
    static int buf[MAX_ELEMENTS];
    static short small[MAX_ELEMENTS];
    bool convert = roll(2);
    choose(m, &c);
    hsize_t n = c.n;
    hid_t mem = H5Screate_simple(1, &n, NULL);
    for (size_t i = 0; i < c.n; i++) {
        small[i] = (short)(buf[i] = (int)roll(30000));
        m->values[c.at[i]] = buf[i];
        m->defined[c.at[i]] = true;
    }
    assert_int_equal(convert ? H5Dwrite(m->dset, H5T_NATIVE_SHORT, mem, c.space, H5P_DEFAULT, small)
                             : H5Dwrite(m->dset, H5T_NATIVE_INT, mem, c.space, H5P_DEFAULT, buf),
                     0);
    H5Sclose(mem);
    H5Sclose(c.space);
}

static void check_erase(struct model *m)
{
    static struct chosen c;
    choose(m, &c);
    assert_int_equal(H5Derase(m->dset, c.space, H5P_DEFAULT), 0);
    for (size_t i = 0; i < c.n; i++)
        m->defined[c.at[i]] = false;
    H5Sclose(c.space);
}

static void check_defined(struct model *m)
{
    static bool want[MAX_ELEMENTS];
    static hsize_t coords[MAX_ELEMENTS * MAX_RANK];
    hsize_t n_want = 0, at[MAX_RANK] = {0};
    memset(want, 0, sizeof want);
    do
        if (m->defined[place(m, at)]) {
            want[place(m, at)] = true;
            n_want++;
        }
    while (next(m->rank, m->dims, at));
    hid_t space = H5Dget_defined(m->dset, H5S_ALL, H5P_DEFAULT);
    assert_true(space > 0);
    assert_int_equal(H5Sget_select_npoints(space), n_want);
    if (n_want > 0 && H5Sget_select_type(space) == H5S_SEL_POINTS) {
        assert_int_equal(H5Sget_select_elem_pointlist(space, 0, n_want, coords), 0);
        for (size_t i = 0; i < n_want; i++)
            assert_true(want[place(m, coords + i * m->rank)]);
    } else if (n_want > 0) {
        hid_t all = H5Screate_simple(m->rank, m->dims, NULL);
        hsize_t one[MAX_RANK] = {1, 1, 1, 1, 1};
        for (int i = 0; i < 20; i++) {
            for (int d = 0; d < m->rank; d++)
                at[d] = roll((unsigned)m->dims[d]);
            assert_int_equal(H5Sselect_hyperslab(all, H5S_SELECT_SET, at, NULL, one, NULL), 0);
            assert_int_equal(H5Sselect_intersect_block(space, at, at) > 0, want[place(m, at)]);
        }
        H5Sclose(all);
    }
    H5Sclose(space);
}

static void check_extent(struct model *m)
{
    hsize_t dims[MAX_RANK], at[MAX_RANK] = {0};
    for (int d = 0; d < m->rank; d++)
        dims[d] = m->max_dims[d] == m->dims[d] && !roll(3) ? m->dims[d] : 1 + roll((unsigned)m->room[d]);
    assert_int_equal(H5Dset_extent(m->dset, dims), 0);
    memcpy(m->dims, dims, sizeof dims);
    do
        for (int d = 0; d < m->rank; d++)
            if (at[d] >= dims[d])
                m->defined[place(m, at)] = false;
    while (next(m->rank, m->room, at));
}

static void run_model(struct model *m, int steps)
{
    bypasses = 0;
    model_create(m);
    for (int i = 0; i < steps; i++) {
        switch (roll(16)) {
        case 0:
            check_erase(m);
            break;
        case 1:
            check_extent(m);
            break;
        case 2:
            check_defined(m);
            break;
        case 3:
            assert_int_equal(H5Fflush(m->file, H5F_SCOPE_LOCAL), 0);
            break;
        case 4:
            model_reopen(m);
            break;
        case 5:
        case 6:
        case 7:
        case 8:
            check_write(m);
            break;
        default:
            check_read(m);
        }
    }
    /* Nothing fits: elements went straight between file and buffer where no filter is in the way. */
    if (m->budget == 1 && !m->filters) {
        H5F_chunk_cache_stats_t stats;
        assert_int_equal(H5Fget_chunk_cache_stats(m->file, &stats), 0);
        assert_true(bypasses + stats.bypasses > 0);
    }
    model_close(m);
}

static int deflate_all(hid_t dcpl)
{
    return H5Pset_deflate(dcpl, 4);
}

static int by_section(hid_t dcpl)
{
    unsigned level = 6;
    if (H5Pset_selection_packing(dcpl) < 0 ||
        H5Pset_filter2(dcpl, H5_SECTION_SELECTION, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, sizeof level, &level) < 0)
        return -1;
    return H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, H5Z_FLAG_OPTIONAL, 0, NULL);
}

/* Whatever sections there are. */
static int by_kind(hid_t dcpl)
{
    return H5Pset_shuffle(dcpl) < 0 ? -1 : H5Pset_deflate(dcpl, 2);
}

static int numbers(hid_t dcpl)
{
    return H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0) < 0 ? -1 : H5Pset_fletcher32(dcpl);
}

static int bits(hid_t dcpl)
{
    return H5Pset_nbit(dcpl) < 0 ? -1 : H5Pset_deflate(dcpl, 1);
}

static int (*const filter_kinds[])(hid_t) = {NULL, deflate_all, by_section, numbers, bits};
enum { FILTER_KINDS = sizeof filter_kinds / sizeof *filter_kinds };

/* Each kind of index: a single chunk, a fixed array, an extensible array, a B-tree. */
static const struct {
    int rank;
    hsize_t dims[MAX_RANK], max_dims[MAX_RANK], chunk[MAX_RANK];
} shapes[] = {
    {1, {300}, {300}, {300}},
    {1, {300}, {300}, {17}},
    {2, {12, 40}, {H5S_UNLIMITED, 40}, {4, 9}},
    {2, {12, 12}, {H5S_UNLIMITED, H5S_UNLIMITED}, {5, 4}},
    {3, {9, 10, 11}, {9, 12, 11}, {4, 3, 11}},
    {4, {6, 5, 4, 7}, {H5S_UNLIMITED, 5, 6, 7}, {2, 5, 3, 4}},
    {5, {3, 4, 3, 5, 4}, {3, 4, 3, 5, 4}, {2, 2, 3, 2, 3}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void model_of_every_kind(void **state)
{
    static struct model m;
    (void)state;
    for (unsigned shape = 0; shape < SHAPES; shape++)
        for (unsigned kind = 0; kind < FILTER_KINDS; kind++) {
            m = (struct model){.rank = shapes[shape].rank, .filters = filter_kinds[kind], .latest = (shape + kind) % 2};
            memcpy(m.dims, shapes[shape].dims, sizeof m.dims);
            memcpy(m.max_dims, shapes[shape].max_dims, sizeof m.max_dims);
            memcpy(m.chunk, shapes[shape].chunk, sizeof m.chunk);
            seed = shape * 100 + kind;
            /* From chunks that are all kept to such as never are. */
            m.budget = (size_t[]){1, 0, 3000, 20000}[(shape + 3 * kind) % 4];
            run_model(&m, 150);
        }
}

/* Strings in a structured dataset of one dimension. */
enum { STRINGS = 60, LONGEST = 400 };

struct strings {
    hid_t file, dset, type;
    unsigned flags; /* of H5Pset_struct_chunk */
    const char *fill;
    int (*filters)(hid_t dcpl);
    char *values[STRINGS]; /* NULL: a NULL string */
    bool defined[STRINGS];
};

static void strings_create(struct strings *s)
{
    hsize_t n = STRINGS, chunk = 25;
    s->file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    s->type = H5Tcopy(H5T_C_S1);
    assert_int_equal(H5Tset_size(s->type, H5T_VARIABLE), 0);
    assert_int_equal(H5Pset_struct_chunk(dcpl, 1, &chunk, s->flags), 0);
    if (s->fill)
        assert_int_equal(H5Pset_fill_value(dcpl, s->type, &s->fill), 0);
    if (s->filters)
        assert_int_equal(s->filters(dcpl), 0);
    s->dset = H5Dcreate2(s->file, "d", s->type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(s->dset > 0);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void strings_close(struct strings *s)
{
    assert_int_equal(H5Dclose(s->dset), 0);
    assert_int_equal(H5Fclose(s->file), 0);
}

static void strings_reopen(struct strings *s)
{
    strings_close(s);
    s->file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    s->dset = H5Dopen2(s->file, "d", H5P_DEFAULT);
    assert_true(s->dset > 0);
}

/* Some elements, now and then one twice. */
static hid_t some_strings(hsize_t *at, hsize_t *n)
{
    hsize_t extent = STRINGS, start = roll(STRINGS), stride = 1 + roll(3);
    hid_t space = H5Screate_simple(1, &extent, NULL);
    if (roll(2)) {
        *n = 1 + roll((unsigned)((STRINGS - 1 - start) / stride + 1));
        for (hsize_t i = 0; i < *n; i++)
            at[i] = start + i * stride;
        assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, n, NULL), 0);
    } else {
        *n = 1 + roll(STRINGS);
        for (hsize_t i = 0; i < *n; i++)
            at[i] = roll(STRINGS);
        assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, *n, at), 0);
    }
    return space;
}

static char *make_string(void)
{
    unsigned n = roll(4) ? roll(20) : roll(LONGEST);
    if (roll(10) == 0)
        return NULL;
    char *s = malloc(n + 1);
    for (unsigned i = 0; i < n; i++)
        s[i] = (char)('a' + roll(26));
    s[n] = 0;
    return s;
}

static void strings_write(struct strings *s)
{
    hsize_t at[STRINGS], n;
    char *buf[STRINGS];
    hid_t space = some_strings(at, &n), mem = H5Screate_simple(1, &n, NULL);
    for (hsize_t i = 0; i < n; i++)
        buf[i] = make_string();
    assert_int_equal(H5Dwrite(s->dset, s->type, mem, space, H5P_DEFAULT, buf), 0);
    for (hsize_t i = 0; i < n; i++) {
        free(s->values[at[i]]);
        s->values[at[i]] = buf[i];
        s->defined[at[i]] = true;
    }
    H5Sclose(mem);
    H5Sclose(space);
}

static void strings_read(struct strings *s)
{
    hsize_t at[STRINGS], n;
    char *buf[STRINGS];
    hid_t space = some_strings(at, &n), mem = H5Screate_simple(1, &n, NULL);
    assert_int_equal(H5Dread(s->dset, s->type, mem, space, H5P_DEFAULT, buf), 0);
    for (hsize_t i = 0; i < n; i++) {
        const char *want = s->defined[at[i]] ? s->values[at[i]] : s->fill;
        assert_int_equal(!buf[i], !want);
        if (want)
            assert_string_equal(buf[i], want);
    }
    assert_int_equal(H5Dvlen_reclaim(s->type, mem, H5P_DEFAULT, buf), 0);
    H5Sclose(mem);
    H5Sclose(space);
}

static void strings_erase(struct strings *s)
{
    hsize_t at[STRINGS], n;
    hid_t space = some_strings(at, &n);
    assert_int_equal(H5Derase(s->dset, space, H5P_DEFAULT), 0);
    for (hsize_t i = 0; i < n; i++)
        s->defined[at[i]] = false;
    H5Sclose(space);
}

static void run_strings(struct strings *s, int steps)
{
    strings_create(s);
    for (int i = 0; i < steps; i++) {
        unsigned what = roll(12);
        if (what == 0)
            strings_reopen(s);
        else if (what == 1)
            assert_int_equal(H5Fflush(s->file, H5F_SCOPE_LOCAL), 0);
        else if (what == 2 && s->flags & H5D_SPARSE_CHUNK)
            strings_erase(s);
        else if (what < 7)
            strings_write(s);
        else
            strings_read(s);
    }
    strings_close(s);
    for (int i = 0; i < STRINGS; i++)
        free(s->values[i]);
    H5Tclose(s->type);
}

static void strings_of_every_kind(void **state)
{
    static const char *const fills[] = {NULL, "filling"};
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        struct strings s = {.flags = i % 2 ? H5D_SPARSE_CHUNK | H5D_VL_CHUNK : H5D_VL_CHUNK, .fill = fills[i / 2 % 2],
                            .filters = i < 4 ? NULL : i < 8 ? deflate_all : by_kind};
        seed = i;
        run_strings(&s, 150);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_of_every_kind),
        cmocka_unit_test(strings_of_every_kind),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    return failed;
}
