/* Bytes: extents, selections of every version, damaged and hostile ones. */
#include "oracle.h"

static struct ts_space *plane(hsize_t a, hsize_t b)
{
    hsize_t dims[2] = {a, b};
    struct ts_space *s;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    return s;
}

static void extents(void **state)
{
    (void)state;
    static const uint8_t v1[] = {1, 2, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0};
    static const uint8_t v2[] = {2, 1, 0, 1, 9, 0}, null[] = {2, 0, 0, 2}, scalar[] = {1, 0, 0, 0, 0, 0, 0, 0};
    struct ts_space *s;
    assert_int_equal(ts_space_decode_extent(v1, sizeof v1, 4, &s), 0);
    assert_int_equal(ts_space_rank(s), 2);
    assert_int_equal(ts_space_dims(s)[0], 3);
    assert_true(ts_space_maxdims(s)[0] == H5S_UNLIMITED);
    assert_int_equal(ts_space_maxdims(s)[1], 4);
    struct ts_wr w = {0};
    assert_int_equal(ts_space_encode_extent(s, 0, 4, &w), 0);
    assert_int_equal(w.size, sizeof v1);
    assert_memory_equal(w.data, v1, sizeof v1);
    ts_wr_free(&w);
    ts_space_unref(s);
    for (size_t n = 0; n < sizeof v1; n++) {
        assert_true(ts_space_decode_extent(v1, n, 4, &s) < 0);
        ts_err_clear();
    }
    assert_int_equal(ts_space_decode_extent(v2, sizeof v2, 2, &s), 0);
    assert_int_equal(ts_space_maxdims(s)[0], 9);
    ts_space_unref(s);
    assert_int_equal(ts_space_decode_extent(null, sizeof null, 8, &s), 0);
    assert_int_equal(ts_space_class(s), H5S_NULL);
    assert_int_equal(ts_space_npoints(s), 0);
    ts_space_unref(s);
    assert_int_equal(ts_space_decode_extent(scalar, sizeof scalar, 8, &s), 0);
    assert_int_equal(ts_space_class(s), H5S_SCALAR);
    assert_int_equal(ts_space_npoints(s), 1);
    ts_space_unref(s);
    static const uint8_t bad[][12] = {{0, 1}, {3, 1, 0, 1, 1}, {2, 1, 0, 0, 1}, {2, 0, 0, 1}, {2, 33, 0, 1}, {2, 1, 1, 1, 5, 0, 4, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(ts_space_decode_extent(bad[i], sizeof bad[i], 2, &s) < 0);
        ts_err_clear();
    }
}

static void decode_as(const char *what, const uint8_t *buf, size_t n, const struct oracle *o, H5S_sel_type type)
{
    struct ts_space *s = plane(o->dims[0], o->dims[1]);
    size_t used = 0;
    if (ts_space_decode_selection(s, buf, n, &used) < 0)
        fail_msg("%s: %s", what, ts_err_current()->rec[0].text);
    assert_int_equal(used, n);
    assert_int_equal(ts_space_sel_type(s), type);
    assert_int_equal(ts_space_selected(s), oracle_count(o));
    assert_sound(s);
    if (type == H5S_SEL_HYPERSLABS)
        assert_runs(s, o, 8, UINT64_MAX);
    ts_space_unref(s);
    for (size_t k = 0; k < n; k++) {
        s = plane(o->dims[0], o->dims[1]);
        assert_true(ts_space_decode_selection(s, buf, k, &used) < 0);
        assert_int_equal(ts_space_sel_type(s), H5S_SEL_ALL);
        ts_err_clear();
        ts_space_unref(s);
    }
}

/* The bytes are written by hand from the format's tables. */
static void versions(void **state)
{
    (void)state;
    static const uint8_t hyper1[] = {2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0,
                                     1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0};
    static const uint8_t hyper2[] = {2, 0, 0, 0, 2, 0, 0, 0, 1, 68, 0, 0, 0, 2, 0, 0, 0,
                                     1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                                     0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t hyper3_regular[] = {2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 0, 3, 0, 2, 0, 1, 0, 0, 0, 2, 0, 2, 0, 1, 0};
    static const uint8_t hyper3_blocks[] = {2, 0, 0, 0, 3, 0, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 1, 0, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 4, 0, 1, 0};
    static const uint8_t points1[] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0,
                                      4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
    static const uint8_t points2[] = {1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 4, 0, 1, 0, 0, 0, 2, 0};
    static const uint8_t none[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    hsize_t dims[2] = {6, 5};
    struct oracle blocks, regular, points, empty;
    oracle_init(&blocks, 2, dims);
    struct ts_slab b1[2] = {{1, 1, 1, 2}, {1, 1, 1, 3}}, b2[2] = {{4, 1, 1, 1}, {0, 1, 1, 2}}, reg[2] = {{1, 3, 2, 1}, {0, 2, 2, 1}};
    oracle_slab(&blocks, H5S_SELECT_OR, b1);
    oracle_slab(&blocks, H5S_SELECT_OR, b2);
    oracle_init(&regular, 2, dims);
    oracle_slab(&regular, H5S_SELECT_SET, reg);
    oracle_init(&points, 2, dims);
    points.in[4 * 5 + 1] = points.in[2] = 1;
    oracle_init(&empty, 2, dims);
    decode_as("hyper 1", hyper1, sizeof hyper1, &blocks, H5S_SEL_HYPERSLABS);
    decode_as("hyper 2", hyper2, sizeof hyper2, &regular, H5S_SEL_HYPERSLABS);
    decode_as("hyper 3", hyper3_regular, sizeof hyper3_regular, &regular, H5S_SEL_HYPERSLABS);
    decode_as("hyper 3 blocks", hyper3_blocks, sizeof hyper3_blocks, &blocks, H5S_SEL_HYPERSLABS);
    decode_as("points 1", points1, sizeof points1, &points, H5S_SEL_POINTS);
    decode_as("points 2", points2, sizeof points2, &points, H5S_SEL_POINTS);
    decode_as("none", none, sizeof none, &empty, H5S_SEL_NONE);
}

static void wide_numbers(void **state)
{
    (void)state;
    hsize_t dims[2] = {UINT64_C(1) << 40, 10}, points[4] = {1, 2, UINT64_C(1) << 35, 9};
    struct ts_space *s = plane(dims[0], dims[1]), *back;
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, 2, points), 0);
    struct ts_wr w = {0};
    assert_int_equal(ts_space_encode_selection(s, 0, &w), 0);
    assert_int_equal(w.data[4], 2);
    assert_int_equal(w.data[8], 8);
    back = plane(dims[0], dims[1]);
    assert_int_equal(ts_space_decode_selection(back, w.data, w.size, NULL), 0);
    size_t n;
    assert_memory_equal(ts_space_points(back, &n), points, sizeof points);
    assert_int_equal(n, 2);
    ts_space_unref(back);
    ts_wr_free(&w);
    struct ts_slab a[2] = {{5, 1, 1, 3}, {0, 1, 1, 1}}, b[2] = {{UINT64_C(1) << 36, 1, 1, 3}, {4, 1, 1, 1}};
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, a), 0);
    assert_int_equal(select_slabs(s, H5S_SELECT_OR, b), 0);
    assert_int_equal(ts_space_merge(s), 0);
    assert_int_equal(ts_space_encode_selection(s, 0, &w), 0);
    assert_int_equal(w.data[4], 3);
    back = plane(dims[0], dims[1]);
    assert_int_equal(ts_space_decode_selection(back, w.data, w.size, NULL), 0);
    hsize_t list[8], n_blocks;
    assert_int_equal(ts_space_nblocks(back, &n_blocks), 0);
    assert_int_equal(n_blocks, 2);
    assert_int_equal(ts_space_blocklist(back, 0, 2, list), 0);
    assert_true(list[4] == UINT64_C(1) << 36 && list[7] == 4);
    ts_space_unref(back);
    ts_wr_free(&w);
    ts_space_unref(s);
}

static void unlimited_numbers(void **state)
{
    (void)state;
    struct ts_space *s = plane(10, 10);
    struct ts_slab u[2] = {{1, 4, H5S_UNLIMITED, 2}, {0, 1, 1, 3}};
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, u), 0);
    for (unsigned libver = 0; libver <= 4; libver++) {
        struct ts_wr w = {0};
        struct ts_space *back = plane(10, 10);
        hsize_t count[2];
        assert_int_equal(ts_space_encode_selection(s, libver, &w), 0);
        assert_int_equal(w.data[4], libver < 3 ? 2 : 3);
        assert_int_equal(ts_space_decode_selection(back, w.data, w.size, NULL), 0);
        assert_true(ts_space_regular(back, NULL, NULL, count, NULL));
        assert_true(count[0] == H5S_UNLIMITED && count[1] == 1);
        ts_space_unref(back);
        ts_wr_free(&w);
    }
    ts_space_unref(s);
}

/* n boxes crossing n others make n * n pieces; a file must not be able to ask for that. */
static void crossing_blocks(void **state)
{
    (void)state;
    enum { N = 3000, RANK = 3 };
    hsize_t dims[RANK] = {4 * N, 4 * N, 4 * N};
    struct ts_space *s;
    struct ts_wr w = {0};
    ts_wr_u32(&w, 2);
    ts_wr_u32(&w, 1);
    ts_wr_zeros(&w, 8);
    ts_wr_u32(&w, RANK);
    ts_wr_u32(&w, 3 * N);
    for (uint32_t i = 0; i < 3 * N; i++)
        for (unsigned corner = 0; corner < 2; corner++)
            for (unsigned d = 0; d < RANK; d++)
                ts_wr_u32(&w, d == i / N ? i % N * 2 : corner ? 4 * N - 1 : 0);
    assert_int_equal(ts_space_new_simple(RANK, dims, NULL, &s), 0);
    assert_true(ts_space_decode_selection(s, w.data, w.size, NULL) < 0);
    ts_err_clear();
    ts_space_unref(s);
    ts_wr_free(&w);
}

static void damage(void **state)
{
    (void)state;
    struct rng r = {7};
    for (int i = 0; i < 3000; i++) {
        hsize_t dims[3] = {7, 5, 6};
        struct ts_slab slabs[3];
        struct ts_space *s, *t;
        struct ts_wr w = {0};
        assert_int_equal(ts_space_new_simple(3, dims, NULL, &s), 0);
        ts_space_select_none(s);
        for (unsigned k = 1 + rnd(&r, 4); k-- > 0;) {
            random_slabs(&r, 3, dims, slabs);
            assert_int_equal(select_slabs(s, H5S_SELECT_OR, slabs), 0);
        }
        assert_int_equal(ts_space_merge(s), 0);
        assert_int_equal(ts_space_encode_selection(s, rnd(&r, 4), &w), 0);
        for (unsigned k = 1 + rnd(&r, 4); k-- > 0;)
            w.data[rnd(&r, (unsigned)w.size)] = (uint8_t)(rnd(&r, 2) ? rnd(&r, 256) : 255);
        assert_int_equal(ts_space_copy(s, &t), 0);
        if (ts_space_decode_selection(t, w.data, w.size - rnd(&r, 2), NULL) == 0) {
            struct ts_runs it;
            struct ts_run run;
            assert_sound(t);
            if (ts_space_valid(t)) {
                assert_int_equal(ts_runs_init(&it, t), 0);
                for (int k = 0; k < 1000 && ts_runs_next(&it, &run, 1, UINT64_MAX); k++)
                    assert_true(run.offset + run.length <= 7 * 5 * 6);
            }
        }
        ts_err_clear();
        ts_space_unref(t);
        ts_space_unref(s);
        ts_wr_free(&w);
    }
}

/* Stored blocks in any order, nested, touching and overlapping, are what they cover. */
static void any_blocks(void **state)
{
    (void)state;
    struct rng r = {11};
    for (int i = 0; i < 3000; i++) {
        hsize_t dims[2] = {6, 7};
        struct oracle o;
        struct ts_wr w = {0};
        struct ts_space *s = plane(dims[0], dims[1]);
        unsigned n = 1 + rnd(&r, 6);
        oracle_init(&o, 2, dims);
        ts_wr_u32(&w, 2);
        ts_wr_u32(&w, 3);
        ts_wr_u16(&w, 2 << 8);
        ts_wr_u32(&w, 2);
        ts_wr_u16(&w, (uint16_t)n);
        hsize_t row = 0;
        for (unsigned k = 0; k < n; k++) {
            /* Now and then the row of the block before, so that some lists are in the order of a tree. */
            row = i % 2 && row < 5 ? row + rnd(&r, 2) : rnd(&r, 6);
            hsize_t rows = i % 3 ? 1 : 1 + rnd(&r, (unsigned)(6 - row)), column = rnd(&r, 7);
            hsize_t columns = 1 + rnd(&r, (unsigned)(7 - column));
            struct ts_slab slabs[2] = {{row, 1, 1, rows}, {column, 1, 1, columns}};
            oracle_slab(&o, H5S_SELECT_OR, slabs);
            ts_wr_u16(&w, (uint16_t)row);
            ts_wr_u16(&w, (uint16_t)column);
            ts_wr_u16(&w, (uint16_t)(row + rows - 1));
            ts_wr_u16(&w, (uint16_t)(column + columns - 1));
        }
        assert_int_equal(ts_space_decode_selection(s, w.data, w.size, NULL), 0);
        assert_sound(s);
        assert_runs(s, &o, 8, UINT64_MAX);
        ts_space_unref(s);
        ts_wr_free(&w);
    }
}

/* The encoding of a space, behind its extent. */
static const uint8_t *smallest(const struct ts_space *s, struct ts_wr *w, size_t *n)
{
    *w = (struct ts_wr){0};
    assert_int_equal(ts_space_encode_smallest(s, w), 0);
    size_t head = 7 + w->data[3];
    assert_memory_equal(w->data, "\1\0\x08", 3);
    assert_int_equal(w->data[7], 2);
    struct ts_space *back;
    size_t used;
    const char *reason;
    assert_int_equal(ts_space_decode(w->data, w->size, &used, &back), 0);
    assert_int_equal(used, w->size);
    assert_int_equal(ts_space_verify(back, &reason), 0);
    assert_true(ts_space_extent_equal(back, s));
    assert_int_equal(ts_space_selected(back), ts_space_selected(s));
    assert_true(ts_space_shape_same(back, s));
    ts_space_unref(back);
    *n = w->size - head;
    return w->data + head;
}

#define SMALLEST(s, ...)                                                                                               \
    do {                                                                                                               \
        static const uint8_t want[] = {__VA_ARGS__};                                                                   \
        struct ts_wr w;                                                                                                \
        size_t n;                                                                                                      \
        const uint8_t *got = smallest(s, &w, &n);                                                                      \
        assert_int_equal(n, sizeof want);                                                                              \
        assert_memory_equal(got, want, n);                                                                             \
        ts_wr_free(&w);                                                                                                \
    } while (0)

static void smallest_form(void **state)
{
    (void)state;
    struct ts_space *s = plane(6, 5);
    hsize_t order[] = {4, 1, 0, 2};
    /* All is a block, two points are points whatever they were, a box with a hole is blocks. */
    SMALLEST(s, 2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 0, 0, 0, 1, 0, 1, 0, 5, 0);
    struct ts_slab a[2] = {{0, 1, 1, 1}, {2, 1, 1, 1}}, b[2] = {{4, 1, 1, 1}, {1, 1, 1, 1}}, c[2] = {{1, 1, 1, 3}, {0, 1, 1, 4}};
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, a), 0);
    SMALLEST(s, 1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0);
    assert_int_equal(select_slabs(s, H5S_SELECT_OR, b), 0);
    assert_int_equal(ts_space_merge(s), 0);
    SMALLEST(s, 1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 4, 0, 1, 0);
    assert_int_equal(select_slabs(s, H5S_SELECT_OR, c), 0);
    assert_int_equal(ts_space_merge(s), 0);
    SMALLEST(s, 2, 0, 0, 0, 3, 0, 0, 0, 0, 2, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 0, 0, 3, 0, 3, 0, 4, 0, 1, 0, 4, 0,
             1, 0);
    /* Points are in an order that only points can say. */
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, 2, order), 0);
    SMALLEST(s, 1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 4, 0, 1, 0, 0, 0, 2, 0);
    ts_space_select_none(s);
    SMALLEST(s, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    ts_space_unref(s);
    /* Every second element of many: four numbers; and wider ones where they are needed. */
    s = plane(2, 100000);
    struct ts_slab d[2] = {{1, 1, 1, 1}, {1, 2, 40000, 1}};
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, d), 0);
    SMALLEST(s, 2, 0, 0, 0, 3, 0, 0, 0, 1, 4, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
             0x40, 0x9c, 0, 0, 1, 0, 0, 0);
    ts_space_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents),           cmocka_unit_test(versions), cmocka_unit_test(smallest_form), cmocka_unit_test(any_blocks),        cmocka_unit_test(wide_numbers),
        cmocka_unit_test(unlimited_numbers), cmocka_unit_test(crossing_blocks), cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
