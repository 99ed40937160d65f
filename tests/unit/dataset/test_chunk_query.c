/* Which chunks a dataset has, by every function that tells, on every kind of chunk index, against a table. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"

#define FILE_NAME "dataset_chunk_query.h5"

#define U H5S_UNLIMITED

enum { MAX_CHUNKS = 400 };

static unsigned seed;

static unsigned roll(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % n;
}

enum { LATEST = 1, DEFLATE = 2, EARLY = 4, STRUCTURED = 8 };

struct model {
    const char *name;
    H5D_chunk_index_t kind;
    int rank;
    hsize_t dims[3], max_dims[3], chunk[3];
    unsigned how;
    unsigned slowest; /* dimension of the index */
    hid_t file, dset;
    hsize_t grid[3];
    bool there[MAX_CHUNKS];
    uint32_t mask[MAX_CHUNKS];
};

static const struct model models[] = {
    {"single", H5D_CHUNK_IDX_SINGLE, 2, {6, 5}, {6, 5}, {6, 5}, .how = LATEST},
    {"implicit", H5D_CHUNK_IDX_NONE, 2, {18, 21}, {18, 21}, {4, 5}, .how = LATEST | EARLY},
    {"fixed", H5D_CHUNK_IDX_FARRAY, 2, {18, 21}, {18, 21}, {4, 5}, .how = LATEST},
    {"fixed, deflate", H5D_CHUNK_IDX_FARRAY, 3, {7, 9, 11}, {9, 9, 20}, {2, 3, 4}, .how = LATEST | DEFLATE},
    {"ext", H5D_CHUNK_IDX_EARRAY, 1, {1190}, {U}, {3}, .how = LATEST},
    {"ext, second dimension", H5D_CHUNK_IDX_EARRAY, 2, {11, 100}, {14, U}, {3, 2}, .how = LATEST, .slowest = 1},
    {"tree 2", H5D_CHUNK_IDX_BT2, 2, {37, 50}, {U, U}, {2, 3}, .how = LATEST},
    {"tree 2, deflate", H5D_CHUNK_IDX_BT2, 2, {37, 50}, {U, U}, {2, 3}, .how = LATEST | DEFLATE},
    {"tree 1", H5D_CHUNK_IDX_BTREE, 2, {37, 50}, {U, U}, {2, 3}, .how = 0},
    {"tree 1, deflate", H5D_CHUNK_IDX_BTREE, 3, {7, 9, 11}, {7, 9, 11}, {2, 3, 4}, .how = DEFLATE},
    {"structured single", H5D_CHUNK_IDX_SINGLE, 2, {6, 5}, {6, 5}, {6, 5}, .how = LATEST | STRUCTURED},
    {"structured fixed", H5D_CHUNK_IDX_FARRAY, 2, {18, 21}, {18, 21}, {4, 5}, .how = LATEST | STRUCTURED},
    {"structured ext", H5D_CHUNK_IDX_EARRAY, 2, {11, 100}, {14, U}, {3, 2}, .how = LATEST | STRUCTURED, .slowest = 1},
    {"structured tree", H5D_CHUNK_IDX_BT2, 2, {37, 50}, {U, U}, {2, 3}, .how = LATEST | STRUCTURED},
};

#define N_MODELS (sizeof models / sizeof *models)

static hsize_t n_positions(const struct model *m)
{
    hsize_t n = 1;
    for (int i = 0; i < m->rank; i++)
        n *= m->grid[i];
    return n;
}

/* Positions are numbered row-major. */
static void scaled_of(const struct model *m, hsize_t position, hsize_t *scaled)
{
    for (int i = m->rank; i-- > 0;) {
        scaled[i] = position % m->grid[i];
        position /= m->grid[i];
    }
}

static hsize_t position_of(const struct model *m, const hsize_t *offset)
{
    hsize_t position = 0;
    for (int i = 0; i < m->rank; i++)
        position = position * m->grid[i] + offset[i] / m->chunk[i];
    return position;
}

static void box_of(const struct model *m, hsize_t position, hsize_t *start, hsize_t *size)
{
    scaled_of(m, position, start);
    for (int i = 0; i < m->rank; i++) {
        start[i] *= m->chunk[i];
        size[i] = m->dims[i] - start[i] < m->chunk[i] ? m->dims[i] - start[i] : m->chunk[i];
    }
}

static void set_grid(struct model *m)
{
    for (int i = 0; i < m->rank; i++)
        m->grid[i] = (m->dims[i] + m->chunk[i] - 1) / m->chunk[i];
    assert_true(n_positions(m) <= MAX_CHUNKS);
}

static hid_t make_dcpl(const struct model *m)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (m->how & STRUCTURED)
        assert_true(H5Pset_struct_chunk(dcpl, m->rank, m->chunk, H5D_SPARSE_CHUNK) >= 0);
    else
        assert_true(H5Pset_chunk(dcpl, m->rank, m->chunk) >= 0);
    if (m->how & DEFLATE)
        assert_true(H5Pset_deflate(dcpl, 1) >= 0);
    if (m->how & EARLY)
        assert_true(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY) >= 0);
    return dcpl;
}

static void open_model(struct model *m, const struct model *from)
{
    *m = *from;
    set_grid(m);
    seed = 5;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = make_dcpl(m);
    if (m->how & LATEST)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    m->file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t space = H5Screate_simple(m->rank, m->dims, m->max_dims);
    m->dset = H5Dcreate2(m->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(m->dset >= 0);
    H5D_chunk_index_t kind;
    assert_true(H5Dget_chunk_index_type(m->dset, &kind) >= 0);
    assert_int_equal(kind, m->kind);
    for (hsize_t i = 0; (m->how & EARLY) && i < n_positions(m); i++)
        m->there[i] = true;
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
}

static void close_model(struct model *m)
{
    assert_true(H5Dclose(m->dset) >= 0);
    assert_true(H5Fclose(m->file) >= 0);
    unlink(FILE_NAME);
}

static void write_chunk(struct model *m, hsize_t position)
{
    static int values[1000];
    hsize_t start[3], size[3];
    box_of(m, position, start, size);
    hid_t file = H5Dget_space(m->dset), mem = H5Screate_simple(m->rank, size, NULL);
    for (unsigned i = 0; i < 1000; i++)
        values[i] = (int)roll(100);
    assert_true(H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0);
    assert_true(H5Dwrite(m->dset, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, values) >= 0);
    m->there[position] = true;
    m->mask[position] = 0;
    H5Sclose(mem);
    H5Sclose(file);
}

/* What is expected: positions in the order of the index. */
struct expected {
    const struct model *m;
    size_t n, at;
    hsize_t list[MAX_CHUNKS];
    size_t stop;  /* ends it at this many, */
    int answer;   /* with this */
    haddr_t last; /* address, when that is the order */
};

static bool is_met(const struct model *m, hid_t space, hsize_t position)
{
    hsize_t start[3], size[3];
    if (space == H5S_ALL)
        return true;
    if (H5Sget_select_npoints(space) == 0)
        return false;
    box_of(m, position, start, size);
    if (H5Sget_select_type(space) == H5S_SEL_POINTS) {
        hssize_t n = H5Sget_select_npoints(space);
        hsize_t *points = malloc((size_t)n * (size_t)m->rank * sizeof *points);
        bool met = false;
        assert_true(H5Sget_select_elem_pointlist(space, 0, (hsize_t)n, points) >= 0);
        for (hssize_t i = 0; i < n && !met; i++)
            met = position_of(m, points + i * m->rank) == position;
        free(points);
        return met;
    }
    hsize_t end[3];
    for (int i = 0; i < m->rank; i++)
        end[i] = start[i] + size[i] - 1;
    return H5Sselect_intersect_block(space, start, end) > 0;
}

static void expect(struct expected *e, const struct model *m, hid_t space, bool by_coord)
{
    unsigned slow = by_coord ? 0 : m->slowest;
    *e = (struct expected){.m = m, .stop = SIZE_MAX};
    for (hsize_t k = 0; k < m->grid[slow]; k++)
        for (hsize_t i = 0; i < n_positions(m); i++) {
            hsize_t scaled[3];
            scaled_of(m, i, scaled);
            if (scaled[slow] == k && m->there[i] && is_met(m, space, i))
                e->list[e->n++] = i;
        }
}

static void check_by_coord(const struct model *m, hsize_t position, haddr_t *addr, hsize_t *size)
{
    hsize_t start[3], box[3], stored = 77;
    unsigned mask = 4711;
    box_of(m, position, start, box);
    for (int i = 0; i < m->rank; i++) /* any of its elements */
        start[i] += roll((unsigned)box[i]);
    herr_t status = H5Dget_chunk_info_by_coord(m->dset, start, &mask, addr, size);
    assert_int_equal(status, 0);
    assert_int_equal(mask, m->there[position] ? m->mask[position] : 4711);
    H5E_BEGIN_TRY
    {
        status = H5Dget_chunk_storage_size(m->dset, start, &stored);
    }
    H5E_END_TRY
    if (m->there[position]) {
        assert_int_equal(status, 0);
        assert_int_equal(stored, *size);
        assert_true(*addr != HADDR_UNDEF && *size > 0);
    } else {
        assert_int_equal(stored, 0);
        assert_true(*addr == HADDR_UNDEF && *size == 0);
    }
}

static void check_chunk(const struct model *m, hsize_t position, const hsize_t *offset, unsigned mask, haddr_t addr,
                        hsize_t size)
{
    hsize_t start[3], box[3], by_size;
    haddr_t by_addr;
    box_of(m, position, start, box);
    assert_memory_equal(start, offset, (size_t)m->rank * sizeof *start);
    check_by_coord(m, position, &by_addr, &by_size);
    assert_int_equal(mask, m->mask[position]);
    assert_int_equal(addr, by_addr);
    assert_int_equal(size, by_size);
}

static int see_native(const hsize_t *offset, unsigned mask, haddr_t addr, hsize_t size, void *ctx)
{
    struct expected *e = ctx;
    assert_true(e->at < e->n);
    check_chunk(e->m, e->list[e->at++], offset, mask, addr, size);
    return e->at == e->stop ? e->answer : 0;
}

static int see(const H5D_chunk_info_t *info, void *ctx)
{
    return see_native(info->offset, info->filter_mask, info->addr, info->size, ctx);
}

static int see_by_addr(const H5D_chunk_info_t *info, void *ctx)
{
    struct expected *e = ctx;
    assert_true(e->last == 0 || info->addr > e->last);
    e->last = info->addr;
    for (size_t i = e->at; i < e->n; i++)
        if (e->list[i] == position_of(e->m, info->offset)) {
            hsize_t first = e->list[e->at];
            e->list[e->at] = e->list[i];
            e->list[i] = first;
            return see(info, ctx);
        }
    fail_msg("a chunk comes twice, or should not");
    return -1;
}

/* In two or three parts. */
static void check_order(const struct model *m, hid_t space, H5D_chunk_order_t order, struct expected *e)
{
    H5D_chunk_iter_cb_t op = order == H5_CHUNK_ITER_ORDER_ADDR ? see_by_addr : see;
    hsize_t idx = 0;
    for (unsigned part = 0; part < 2 && e->at < e->n; part++) {
        e->stop = e->at + 1 + roll((unsigned)(e->n - e->at));
        e->answer = 1 + (int)roll(100);
        assert_int_equal(H5Dchunk_iterate(m->dset, space, order, &idx, op, e), e->answer);
        assert_int_equal(e->at, e->stop);
        assert_int_equal(idx, e->stop);
    }
    e->stop = SIZE_MAX;
    assert_int_equal(H5Dchunk_iterate(m->dset, space, order, &idx, op, e), 0);
    assert_int_equal(e->at, e->n);
    assert_int_equal(idx, e->n);
    assert_int_equal(H5Dchunk_iterate(m->dset, space, order, &idx, op, e), 0);
    idx += 5;
    assert_int_equal(H5Dchunk_iterate(m->dset, space, order, &idx, op, e), 0);
    assert_int_equal(idx, e->n + 5);
}

static void check_infos(const struct model *m, hid_t space, const struct expected *e)
{
    hsize_t offset[3] = {9, 9, 9}, size;
    unsigned mask = 4711;
    haddr_t addr;
    for (size_t i = 0; i < e->n; i++) {
        assert_int_equal(H5Dget_chunk_info(m->dset, space, i, offset, &mask, &addr, &size), 0);
        check_chunk(m, e->list[i], offset, mask, addr, size);
    }
    mask = 4711;
    memset(offset, 0x77, sizeof offset);
    assert_int_equal(H5Dget_chunk_info(m->dset, space, e->n, offset, &mask, &addr, &size), 0);
    assert_true(addr == HADDR_UNDEF && size == 0 && mask == 4711 && offset[0] == UINT64_C(0x7777777777777777));
}

static void check_selection_of(const struct model *m, hid_t space)
{
    struct expected e;
    hsize_t n = 77;
    expect(&e, m, space, false);
    assert_int_equal(H5Dget_num_chunks(m->dset, space, &n), 0);
    assert_int_equal(n, e.n);
    if (m->how & STRUCTURED)
        return;
    check_infos(m, space, &e);
    check_order(m, space, H5_CHUNK_ITER_ORDER_NATIVE, &e);
    expect(&e, m, space, true);
    check_order(m, space, H5_CHUNK_ITER_ORDER_COORD, &e);
    expect(&e, m, space, true);
    check_order(m, space, H5_CHUNK_ITER_ORDER_ADDR, &e);
    e.at = 0;
    e.last = 0;
    assert_int_equal(H5Dchunk_iterate(m->dset, space, H5_CHUNK_ITER_ORDER_ADDR, NULL, see_by_addr, &e), 0);
    assert_int_equal(e.at, e.n);
}

/* The elements of all chunks. */
static void check_chunk_selection(const struct model *m)
{
    hid_t got = H5Dget_chunk_selection(m->dset), want = H5Dget_space(m->dset);
    hsize_t n = 0;
    assert_true(got >= 0);
    assert_true(H5Sextent_equal(got, want) > 0);
    H5Sselect_none(want);
    for (hsize_t i = 0; i < n_positions(m); i++)
        if (m->there[i]) {
            hsize_t start[3], size[3];
            box_of(m, i, start, size);
            assert_true(H5Sselect_hyperslab(want, H5S_SELECT_OR, start, NULL, size, NULL) >= 0);
            n++;
        }
    assert_int_equal(H5Sget_select_npoints(got), H5Sget_select_npoints(want));
    if (n == 0)
        assert_int_equal(H5Sget_select_type(got), H5S_SEL_NONE);
    else if (n == n_positions(m))
        assert_int_equal(H5Sget_select_type(got), H5S_SEL_ALL);
    else {
        H5Sselect_hyperslab(want, H5S_SELECT_XOR, (hsize_t[]){0, 0, 0}, NULL, m->dims, NULL);
        hid_t rest = H5Scombine_select(got, H5S_SELECT_AND, want);
        assert_int_equal(H5Sget_select_npoints(rest), 0);
        H5Sclose(rest);
    }
    H5Sclose(got);
    H5Sclose(want);
}

static void select_random_slabs(const struct model *m, hid_t space, H5S_seloper_t op)
{
    hsize_t start[3], stride[3], count[3], block[3];
    for (int i = 0; i < m->rank; i++) {
        start[i] = roll((unsigned)m->dims[i]);
        block[i] = 1 + roll((unsigned)(m->dims[i] - start[i]));
        stride[i] = count[i] = 1;
        if (roll(2)) {
            block[i] = 1 + block[i] % 3;
            stride[i] = block[i] + roll(7);
            hsize_t room = m->dims[i] - start[i];
            count[i] = room < block[i] ? 1 : 1 + roll((unsigned)((room - block[i]) / stride[i] + 1));
            if (room < block[i])
                block[i] = 1;
        }
    }
    assert_true(H5Sselect_hyperslab(space, op, start, stride, count, block) >= 0);
}

static void select_random_points(const struct model *m, hid_t space)
{
    hsize_t points[3 * 20];
    size_t n = 1 + roll(20);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < m->rank; d++)
            points[i * (size_t)m->rank + (size_t)d] = roll((unsigned)m->dims[d]);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, n, points) >= 0);
}

static void check_model(const struct model *m)
{
    hid_t space = H5Dget_space(m->dset);
    hsize_t volume = 1;
    for (int i = 0; i < m->rank; i++)
        volume *= m->dims[i];
    check_selection_of(m, H5S_ALL);
    check_chunk_selection(m);
    for (hsize_t i = 0; !(m->how & STRUCTURED) && i < n_positions(m); i++)
        check_by_coord(m, i, &(haddr_t){0}, &(hsize_t){0});
    check_selection_of(m, space);
    H5Sselect_none(space);
    check_selection_of(m, space);
    for (unsigned i = 0; volume > 0 && i < 6; i++) {
        select_random_slabs(m, space, H5S_SELECT_SET);
        check_selection_of(m, space);
        for (unsigned k = 0; k < i; k++)
            select_random_slabs(m, space, k % 3 == 2 ? H5S_SELECT_XOR : H5S_SELECT_OR);
        check_selection_of(m, space);
        select_random_points(m, space);
        check_selection_of(m, space);
    }
    H5Sclose(space);
}

static int see_iter(const hsize_t *offset, unsigned mask, haddr_t addr, hsize_t size, void *ctx)
{
    return see_native(offset, mask, addr, size, ctx);
}

static void check_iter(const struct model *m)
{
    struct expected e;
    expect(&e, m, H5S_ALL, false);
    assert_int_equal(H5Dchunk_iter(m->dset, H5P_DEFAULT, see_iter, &e), 0);
    assert_int_equal(e.at, e.n);
    if (e.n == 0)
        return;
    e.at = 0;
    e.stop = 1 + roll((unsigned)e.n);
    e.answer = 3;
    assert_int_equal(H5Dchunk_iter(m->dset, H5P_DEFAULT, see_iter, &e), 3);
    assert_int_equal(e.at, e.stop);
    e.at = 0;
    e.answer = -3;
    H5E_BEGIN_TRY
    {
        assert_int_equal(H5Dchunk_iter(m->dset, H5P_DEFAULT, see_iter, &e), -3);
    }
    H5E_END_TRY
    assert_int_equal(e.at, e.stop);
}

static void reopen(struct model *m, unsigned flags)
{
    assert_true(H5Dclose(m->dset) >= 0 && H5Fclose(m->file) >= 0);
    m->file = H5Fopen(FILE_NAME, flags, H5P_DEFAULT);
    m->dset = H5Dopen2(m->file, "d", H5P_DEFAULT);
    assert_true(m->dset >= 0);
}

/* Chunks come, in the cache at first; the extent changes. */
static void test_every_index(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_MODELS; k++) {
        struct model m;
        open_model(&m, &models[k]);
        check_model(&m);
        for (unsigned i = 0; i < 12; i++) {
            for (unsigned n = roll(40); n > 0; n--)
                write_chunk(&m, roll((unsigned)n_positions(&m)));
            if (i % 4 == 0)
                check_model(&m);
            hid_t space = H5Dget_space(m.dset);
            select_random_slabs(&m, space, H5S_SELECT_SET);
            check_selection_of(&m, space);
            H5Sclose(space);
        }
        if (!(m.how & STRUCTURED))
            check_iter(&m);
        reopen(&m, H5F_ACC_RDONLY);
        check_model(&m);
        reopen(&m, H5F_ACC_RDWR);
        for (hsize_t i = 0; i < n_positions(&m); i++)
            write_chunk(&m, i);
        check_model(&m);
        close_model(&m);
    }
}

/* Chunks outside go with the elements. */
static void shrink(struct model *m, const hsize_t *dims)
{
    struct model old = *m;
    assert_true(H5Dset_extent(m->dset, dims) >= 0);
    memcpy(m->dims, dims, sizeof m->dims);
    set_grid(m);
    memset(m->there, 0, sizeof m->there);
    memset(m->mask, 0, sizeof m->mask);
    for (hsize_t i = 0; i < n_positions(&old); i++) {
        hsize_t scaled[3], offset[3];
        bool inside = true;
        scaled_of(&old, i, scaled);
        for (int d = 0; d < m->rank; d++) {
            inside = inside && scaled[d] < m->grid[d];
            offset[d] = scaled[d] * m->chunk[d];
        }
        if (inside && old.there[i]) {
            m->there[position_of(m, offset)] = true;
            m->mask[position_of(m, offset)] = old.mask[i];
        }
    }
}

static void test_resize(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_MODELS; k++) {
        struct model m;
        open_model(&m, &models[k]);
        if (m.kind == H5D_CHUNK_IDX_SINGLE || m.kind == H5D_CHUNK_IDX_NONE) {
            close_model(&m);
            continue;
        }
        hsize_t dims[3];
        memcpy(dims, m.dims, sizeof dims);
        for (unsigned i = 0; i < 8; i++) {
            for (unsigned n = 0; n < 30 && n_positions(&m) > 0; n++)
                write_chunk(&m, roll((unsigned)n_positions(&m)));
            check_selection_of(&m, H5S_ALL);
            unsigned d = roll((unsigned)m.rank);
            dims[d] = i == 5 ? 0 : 1 + roll((unsigned)models[k].dims[d]);
            shrink(&m, dims);
            check_model(&m);
        }
        close_model(&m);
    }
}

/* The offset of a selection counts. */
static void test_offset(void **state)
{
    (void)state;
    struct model m;
    open_model(&m, &models[2]);
    write_chunk(&m, position_of(&m, (hsize_t[]){8, 10}));
    hid_t space = H5Dget_space(m.dset);
    hsize_t one[2] = {1, 1}, n;
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){0, 0}, NULL, one, NULL) >= 0);
    assert_int_equal(H5Dget_num_chunks(m.dset, space, &n), 0);
    assert_int_equal(n, 0);
    assert_true(H5Soffset_simple(space, (hssize_t[]){11, 14}) >= 0);
    assert_int_equal(H5Dget_num_chunks(m.dset, space, &n), 0);
    assert_int_equal(n, 1);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, (hsize_t[]){0, 0}) >= 0);
    assert_int_equal(H5Dget_num_chunks(m.dset, space, &n), 0);
    assert_int_equal(n, 1);
    assert_true(H5Soffset_simple(space, (hssize_t[]){12, 14}) >= 0);
    assert_int_equal(H5Dget_num_chunks(m.dset, space, &n), 0);
    assert_int_equal(n, 0);
    assert_true(H5Soffset_simple(space, (hssize_t[]){18, 0}) >= 0); /* outside */
    H5E_BEGIN_TRY
    {
        assert_true(H5Dget_num_chunks(m.dset, space, &n) < 0);
    }
    H5E_END_TRY
    H5Sclose(space);
    close_model(&m);
}

/* What a visitor does to the dataset. */
struct meddler {
    struct model *m;
    unsigned calls;
    bool closes;
};

static int meddle(const H5D_chunk_info_t *info, void *ctx)
{
    struct meddler *w = ctx;
    hsize_t n, start[3];
    haddr_t addr;
    memcpy(start, info->offset, sizeof start);
    assert_int_equal(H5Dget_chunk_info_by_coord(w->m->dset, start, NULL, &addr, NULL), 0);
    assert_int_equal(H5Dget_num_chunks(w->m->dset, H5S_ALL, &n), 0);
    assert_true(n >= 1);
    write_chunk(w->m, roll((unsigned)n_positions(w->m)));
    w->calls++;
    if (w->closes) {
        assert_true(H5Dclose(w->m->dset) >= 0);
        w->m->dset = H5Dopen2(w->m->file, "d", H5P_DEFAULT);
        assert_true(w->m->dset >= 0);
    }
    return 0;
}

static void test_meddling(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_MODELS; k++)
        for (int order = 0; order < 3 && !(models[k].how & STRUCTURED); order++) {
            struct model m;
            struct meddler w = {.m = &m, .closes = order == 1};
            open_model(&m, &models[k]);
            for (hsize_t i = 0; i < n_positions(&m); i += 2)
                write_chunk(&m, i);
            hsize_t idx = 0, n;
            hid_t space = H5Dget_space(m.dset);
            assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){0, 0, 0}, NULL, m.dims, NULL) >= 0);
            assert_int_equal(H5Dget_num_chunks(m.dset, H5S_ALL, &n), 0);
            assert_int_equal(H5Dchunk_iterate(m.dset, H5S_ALL, (H5D_chunk_order_t)order, &idx, meddle, &w), 0);
            assert_true(w.calls >= n && w.calls == idx);
            idx = 0;
            assert_int_equal(H5Dchunk_iterate(m.dset, space, (H5D_chunk_order_t)order, &idx, meddle, &w), 0);
            H5Sclose(space);
            check_selection_of(&m, H5S_ALL);
            close_model(&m);
        }
}

static int fail_at_once(const H5D_chunk_info_t *info, void *ctx)
{
    (void)info;
    ++*(unsigned *)ctx;
    return -5;
}

static void check_bad_arguments(struct model *m)
{
    hsize_t n = 7, idx = 0, offset[3] = {0}, size;
    unsigned mask, calls = 0;
    haddr_t addr;
    hid_t other = H5Screate_simple(3, (hsize_t[]){2, 2, 2}, NULL), scalar = H5Screate(H5S_SCALAR);
    hid_t outside = H5Screate_simple(2, (hsize_t[]){1000, 1000}, NULL), d = m->dset;
    H5Sselect_hyperslab(outside, H5S_SELECT_SET, (hsize_t[]){500, 500}, NULL, (hsize_t[]){1, 1}, NULL);
    hid_t spaces[] = {other, scalar, outside, -1, d};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        assert_true(H5Dget_num_chunks(d, spaces[i], &n) < 0);
        assert_true(H5Dget_chunk_info(d, spaces[i], 0, offset, &mask, &addr, &size) < 0);
        assert_true(H5Dchunk_iterate(d, spaces[i], H5_CHUNK_ITER_ORDER_NATIVE, &idx, fail_at_once, &calls) < 0);
    }
    assert_int_equal(n, 7);
    assert_true(H5Dget_num_chunks(d, H5S_ALL, NULL) < 0);
    assert_true(H5Dget_num_chunks(m->file, H5S_ALL, &n) < 0);
    assert_true(H5Dget_chunk_info(d, H5S_ALL, 0, NULL, NULL, NULL, NULL) < 0);
    assert_true(H5Dget_chunk_info_by_coord(d, NULL, &mask, &addr, &size) < 0);
    assert_true(H5Dget_chunk_info_by_coord(d, offset, NULL, NULL, NULL) < 0);
    assert_true(H5Dget_chunk_storage_size(d, NULL, &size) < 0);
    assert_true(H5Dget_chunk_storage_size(d, offset, NULL) < 0);
    assert_true(H5Dchunk_iter(d, H5P_DEFAULT, NULL, NULL) < 0);
    assert_true(H5Dchunk_iter(d, d, see_iter, NULL) < 0);
    assert_true(H5Dchunk_iterate(d, H5S_ALL, H5_CHUNK_ITER_ORDER_NATIVE, &idx, NULL, NULL) < 0);
    assert_true(H5Dchunk_iterate(d, H5S_ALL, (H5D_chunk_order_t)3, &idx, fail_at_once, &calls) < 0);
    assert_true(H5Dchunk_iterate(d, H5S_ALL, (H5D_chunk_order_t)-1, &idx, fail_at_once, &calls) < 0);
    assert_true(H5Dget_chunk_selection(m->file) < 0);
    assert_int_equal(calls, 0);
    assert_int_equal(idx, 0);
    assert_int_equal(H5Dchunk_iterate(d, H5S_ALL, H5_CHUNK_ITER_ORDER_NATIVE, &idx, fail_at_once, &calls), -5);
    assert_int_equal(calls, 1);
    assert_int_equal(idx, 1);
    H5Sclose(other);
    H5Sclose(scalar);
    H5Sclose(outside);
}

static void check_not_chunked(hid_t file)
{
    hsize_t n, idx = 0, offset[1] = {0};
    unsigned calls = 0;
    uint32_t filters;
    haddr_t addr;
    int value;
    hid_t space = H5Screate_simple(1, (hsize_t[]){4}, NULL);
    hid_t d = H5Dcreate2(file, "contiguous", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dget_num_chunks(d, H5S_ALL, &n) < 0);
    assert_true(H5Dget_chunk_info(d, H5S_ALL, 0, offset, NULL, &addr, NULL) < 0);
    assert_true(H5Dget_chunk_info_by_coord(d, offset, NULL, &addr, NULL) < 0);
    assert_true(H5Dget_chunk_storage_size(d, offset, &n) < 0);
    assert_true(H5Dchunk_iter(d, H5P_DEFAULT, see_iter, NULL) < 0);
    assert_true(H5Dchunk_iterate(d, H5S_ALL, H5_CHUNK_ITER_ORDER_NATIVE, &idx, fail_at_once, &calls) < 0);
    assert_true(H5Dget_chunk_selection(d) < 0);
    assert_true(H5Dread_chunk(d, H5P_DEFAULT, offset, &filters, &value) < 0);
    assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, offset, 4, &value) < 0);
    H5Dclose(d);
    H5Sclose(space);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    struct model m;
    open_model(&m, &models[6]);
    write_chunk(&m, 3);
    H5E_BEGIN_TRY
    {
        check_bad_arguments(&m);
        check_not_chunked(m.file);
    }
    H5E_END_TRY
    close_model(&m);
}

static herr_t find_text(unsigned n, const H5E_error2_t *error, void *ctx)
{
    const char **text = ctx;
    (void)n;
    if (*text && error->desc && strstr(error->desc, *text))
        *text = NULL;
    return 0;
}

static void refused(herr_t status, const char *names)
{
    const char *text = names;
    assert_true(status < 0);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_text, &text);
    if (text)
        fail_msg("the error does not name %s", names);
}

/* Functions for other chunks say which function is for these. */
static void test_structured_is_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_MODELS; k++) {
        struct model m;
        hsize_t offset[3] = {0}, size = 0, idx = 0;
        unsigned mask, calls = 0;
        uint32_t filters;
        haddr_t addr;
        char bytes[64] = {0};
        if (!(models[k].how & STRUCTURED))
            continue;
        open_model(&m, &models[k]);
        assert_int_equal(H5Dget_chunk_storage_size(m.dset, offset, &size), 0);
        assert_int_equal(size, 0);
        write_chunk(&m, 0);
        H5E_BEGIN_TRY
        {
            refused(H5Dwrite_chunk(m.dset, H5P_DEFAULT, 0, offset, sizeof bytes, bytes), "H5Dwrite_struct_chunk");
            refused(H5Dread_chunk(m.dset, H5P_DEFAULT, offset, &filters, bytes), "H5Dread_struct_chunk");
            refused(H5Dget_chunk_info(m.dset, H5S_ALL, 0, offset, &mask, &addr, &size), "H5Dget_struct_chunk_info");
            refused(H5Dget_chunk_info_by_coord(m.dset, offset, &mask, &addr, &size),
                    "H5Dget_struct_chunk_info_by_coord");
            refused(H5Dchunk_iter(m.dset, H5P_DEFAULT, see_iter, NULL), "H5Dstruct_chunk_iter");
            /* This one is for both. */
            assert_true(H5Dchunk_iterate(m.dset, H5S_ALL, H5_CHUNK_ITER_ORDER_NATIVE, &idx, fail_at_once, &calls) < 0);
        }
        H5E_END_TRY
        assert_int_equal(calls, 1);
        assert_int_equal(H5Dget_chunk_storage_size(m.dset, offset, &size), 0);
        assert_true(size > 0);
        assert_int_equal(H5Dget_storage_size(m.dset), size);
        close_model(&m);
    }
}

enum { MOST_BYTES = 4096 };

static size_t chunk_bytes(const struct model *m)
{
    size_t bytes = sizeof(int);
    for (int i = 0; i < m->rank; i++)
        bytes *= m->chunk[i];
    return bytes;
}

/* The elements of a chunk that lie in the extent, as a reader gets them. */
static void check_elements(const struct model *m, hsize_t position, const int *chunk)
{
    int values[MOST_BYTES / 4];
    hsize_t start[3], size[3], at[3] = {0};
    box_of(m, position, start, size);
    hid_t file = H5Dget_space(m->dset), mem = H5Screate_simple(m->rank, size, NULL);
    assert_true(H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0);
    assert_true(H5Dread(m->dset, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, values) >= 0);
    for (hssize_t i = 0, n = H5Sget_select_npoints(file); i < n; i++) {
        size_t from = 0;
        for (int d = 0; d < m->rank; d++)
            from = from * m->chunk[d] + at[d];
        assert_int_equal(values[i], chunk[from]);
        for (int d = m->rank; d-- > 0 && ++at[d] == size[d];)
            at[d] = 0;
    }
    H5Sclose(mem);
    H5Sclose(file);
}

static void write_raw(struct model *m, hsize_t position, int *chunk)
{
    hsize_t start[3], size[3];
    size_t bytes = chunk_bytes(m);
    box_of(m, position, start, size);
    for (size_t i = 0; i < bytes / 4; i++)
        chunk[i] = (int)roll(100000);
    /* Bytes that no filter was applied to. */
    m->mask[position] = (m->how & DEFLATE) ? 1 : 0;
    m->there[position] = true;
    assert_int_equal(H5Dwrite_chunk(m->dset, H5P_DEFAULT, m->mask[position], start, bytes, chunk), 0);
}

static void check_raw(const struct model *m, hsize_t position, const int *chunk)
{
    int got[MOST_BYTES / 4];
    uint32_t filters = 77;
    hsize_t start[3], box[3], size;
    haddr_t addr;
    box_of(m, position, start, box);
    assert_int_equal(H5Dread_chunk(m->dset, H5P_DEFAULT, start, &filters, got), 0);
    assert_int_equal(filters, m->mask[position]);
    assert_memory_equal(got, chunk, chunk_bytes(m));
    check_by_coord(m, position, &addr, &size);
    assert_int_equal(size, chunk_bytes(m));
    check_elements(m, position, chunk);
}

/* Edge chunks are whole; masks stay; what the cache had of the chunk is gone, whether it was changed or not. */
static void test_direct(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_MODELS; k++) {
        static int chunks[MAX_CHUNKS][MOST_BYTES / 4];
        struct model m;
        if (models[k].how & STRUCTURED)
            continue;
        open_model(&m, &models[k]);
        hsize_t n = n_positions(&m);
        for (hsize_t i = 0; i < n; i++) {
            if (i % 3 == 0)
                write_chunk(&m, i);
            write_raw(&m, i, chunks[i]);
            if (i % 5 == 0)
                check_elements(&m, i, chunks[i]);
            if (i % 7 == 0)
                write_raw(&m, i, chunks[i]);
        }
        check_model(&m);
        reopen(&m, H5F_ACC_RDWR);
        for (hsize_t i = 0; i < n; i++)
            check_raw(&m, i, chunks[i]);
        /* And what is written otherwise afterwards is read directly. */
        write_chunk(&m, n - 1);
        hsize_t start[3], box[3];
        uint32_t filters = 77;
        char bytes[MOST_BYTES];
        box_of(&m, n - 1, start, box);
        assert_int_equal(H5Dread_chunk(m.dset, H5P_DEFAULT, start, &filters, bytes), 0);
        assert_int_equal(filters, 0);
        check_model(&m);
        close_model(&m);
    }
}

/* What cannot be is refused, and nothing changes. */
static void test_direct_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_MODELS; k++) {
        struct model m;
        static int chunk[MOST_BYTES / 4];
        hsize_t zero[3] = {0}, beyond[3] = {0}, between[3] = {1, 0, 0};
        uint32_t filters = 0;
        if (models[k].how & STRUCTURED)
            continue;
        open_model(&m, &models[k]);
        size_t bytes = chunk_bytes(&m);
        hid_t d = m.dset;
        memcpy(beyond, m.grid, sizeof beyond);
        for (int i = 0; i < m.rank; i++)
            beyond[i] *= m.chunk[i];
        H5E_BEGIN_TRY
        {
            assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, beyond, bytes, chunk) < 0);
            assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, between, bytes, chunk) < 0);
            assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, zero, 0, chunk) < 0);
            assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, zero, bytes, NULL) < 0);
            assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, NULL, bytes, chunk) < 0);
            assert_true(H5Dwrite_chunk(d, d, 0, zero, bytes, chunk) < 0);
            if (!(m.how & DEFLATE)) {
                assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, zero, bytes - 1, chunk) < 0);
                assert_true(H5Dwrite_chunk(d, H5P_DEFAULT, 0, zero, bytes + 1, chunk) < 0);
            }
            assert_true(H5Dread_chunk(d, H5P_DEFAULT, beyond, &filters, chunk) < 0);
            assert_true(H5Dread_chunk(d, H5P_DEFAULT, between, &filters, chunk) < 0);
            assert_true(H5Dread_chunk(d, H5P_DEFAULT, zero, &filters, NULL) < 0);
            assert_true(H5Dread_chunk(d, H5P_DEFAULT, zero, NULL, chunk) < 0);
            assert_true(H5Dread_chunk(d, H5P_DEFAULT, NULL, &filters, chunk) < 0);
            assert_true((m.how & EARLY) || H5Dread_chunk(d, H5P_DEFAULT, zero, &filters, chunk) < 0);
        }
        H5E_END_TRY
        check_selection_of(&m, H5S_ALL);
        write_chunk(&m, 0);
        reopen(&m, H5F_ACC_RDONLY);
        H5E_BEGIN_TRY
        {
            assert_true(H5Dwrite_chunk(m.dset, H5P_DEFAULT, 0, zero, bytes, chunk) < 0);
        }
        H5E_END_TRY
        assert_int_equal(H5Dread_chunk(m.dset, H5P_DEFAULT, zero, &filters, chunk), 0);
        check_selection_of(&m, H5S_ALL);
        close_model(&m);
    }
}

/* A pattern of chunks is a pattern of elements. */
static void test_regular_selection(void **state)
{
    (void)state;
    struct model m;
    hsize_t start[3], stride[3], count[3], block[3];
    open_model(&m, &models[2]); /* 5 by 5 chunks of 4 by 5 in 18 by 21 */
    for (hsize_t i = 0; i < 25; i++)
        if (i / 5 % 2 == 0 && i % 5 < 2)
            write_chunk(&m, i);
    hid_t s = H5Dget_chunk_selection(m.dset);
    assert_int_equal(H5Sget_select_npoints(s), (4 + 4 + 2) * 10); /* the last row of chunks has two rows of elements */
    H5Sclose(s);
    for (hsize_t i = 0; i < 25; i++)
        if (i / 5 % 2 == 1 && i < 20 && i % 5 < 2)
            write_chunk(&m, i);
    s = H5Dget_chunk_selection(m.dset);
    assert_true(H5Sis_regular_hyperslab(s) > 0);
    assert_true(H5Sget_regular_hyperslab(s, start, stride, count, block) >= 0);
    assert_true(start[0] == 0 && count[0] * block[0] == 18 && start[1] == 0 && count[1] * block[1] == 10);
    H5Sclose(s);
    close_model(&m);
}

static int count_chunk(const H5D_chunk_info_t *info, void *ctx)
{
    (void)info;
    ++*(hsize_t *)ctx;
    return 0;
}

/* Right answers or an error. */
static void ask_all(const struct model *m, hid_t space, hsize_t n_all, hsize_t n_space)
{
    hsize_t n = 0, idx = 0, offset[3], elements = H5Sget_select_npoints(space) > 0;
    if (H5Dget_num_chunks(m->dset, H5S_ALL, &n) >= 0)
        assert_int_equal(n, n_all);
    if (H5Dget_num_chunks(m->dset, space, &n) >= 0)
        assert_int_equal(n, n_space);
    for (int order = 0; order < 3; order++) {
        n = idx = 0;
        if (H5Dchunk_iterate(m->dset, space, (H5D_chunk_order_t)order, &idx, count_chunk, &n) >= 0)
            assert_int_equal(n, n_space);
        assert_true(n == idx && n <= n_space);
    }
    n = 0;
    if (H5Dchunk_iterate(m->dset, H5S_ALL, H5_CHUNK_ITER_ORDER_NATIVE, NULL, count_chunk, &n) >= 0)
        assert_int_equal(n, n_all);
    haddr_t addr;
    if (H5Dget_chunk_info(m->dset, space, n_space - 1, offset, NULL, &addr, NULL) >= 0)
        assert_true(addr != HADDR_UNDEF && elements);
    hid_t s = H5Dget_chunk_selection(m->dset);
    if (s >= 0)
        H5Sclose(s);
}

static void test_allocation_faults(void **state)
{
    (void)state;
    for (size_t k = 2; k < N_MODELS; k++) {
        struct model m;
        struct expected all, some;
        if (models[k].how & STRUCTURED)
            continue;
        open_model(&m, &models[k]);
        for (hsize_t i = 0; i < n_positions(&m); i += 3)
            write_chunk(&m, i);
        hid_t space = H5Dget_space(m.dset);
        select_random_slabs(&m, space, H5S_SELECT_SET);
        select_random_slabs(&m, space, H5S_SELECT_OR);
        H5Sselect_hyperslab(space, H5S_SELECT_OR, (hsize_t[]){0, 0, 0}, NULL, (hsize_t[]){1, 1, 1}, NULL);
        expect(&all, &m, H5S_ALL, false);
        expect(&some, &m, space, false);
        unsigned long n = 0;
        for (bool done = false; !done; n++) {
            reopen(&m, n % 2 ? H5F_ACC_RDWR : H5F_ACC_RDONLY);
            H5E_BEGIN_TRY
            {
                ts_alloc_fail_at(n + 1, TS_FAULT_ONCE);
                ask_all(&m, space, all.n, some.n);
                done = ts_alloc_fail_at(0, TS_FAULT_ONCE) <= n;
            }
            H5E_END_TRY
            if (n % 10 == 0)
                ask_all(&m, space, all.n, some.n);
        }
        assert_true(n > 10);
        H5Sclose(space);
        check_selection_of(&m, H5S_ALL);
        close_model(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index),      cmocka_unit_test(test_resize),
        cmocka_unit_test(test_offset),           cmocka_unit_test(test_meddling),
        cmocka_unit_test(test_bad_arguments),    cmocka_unit_test(test_structured_is_refused),
        cmocka_unit_test(test_direct),           cmocka_unit_test(test_direct_refused),
        cmocka_unit_test(test_regular_selection), cmocka_unit_test(test_allocation_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
