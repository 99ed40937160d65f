/* Every hyperslab of a 4 x 4 extent with every other, under every operator, against a bitmap. */
#include "oracle.h"

#define SIDE 4
#define MAX_SLABS 256

static const hsize_t dims[2] = {SIDE, SIDE};

/* All slabs within one dimension; `distinct` drops those that select what another one selects. */
static size_t all_slabs(struct ts_slab *out, bool distinct)
{
    size_t n = 0;
    unsigned sets[MAX_SLABS];
    for (hsize_t block = 1; block <= SIDE; block++)
        for (hsize_t stride = block; stride <= SIDE; stride++)
            for (hsize_t count = 1; (count - 1) * stride + block <= SIDE; count++)
                for (hsize_t start = 0; start + (count - 1) * stride + block <= SIDE; start++) {
                    struct ts_slab s = {start, stride, count, block};
                    unsigned set = 0;
                    bool known = false;
                    for (hsize_t c = 0; c < SIDE; c++)
                        set |= (unsigned)slab_has(&s, c) << c;
                    for (size_t i = 0; i < n; i++)
                        known = known || sets[i] == set;
                    if (distinct && known)
                        continue;
                    sets[n] = set;
                    out[n++] = s;
                }
    return n;
}

static void every_hyperslab_by_itself(void **state)
{
    (void)state;
    struct ts_slab v[MAX_SLABS];
    size_t n = all_slabs(v, false);
    assert_true(n > 30);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            struct ts_slab slabs[2] = {v[i], v[j]};
            struct ts_space *s;
            struct oracle o;
            oracle_init(&o, 2, dims);
            oracle_slab(&o, H5S_SELECT_SET, slabs);
            assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
            assert_int_equal(select_slabs(s, H5S_SELECT_SET, slabs), 0);
            assert_same(s, &o);
            assert_bounds(s, &o);
            assert_blocks(s, &o);
            assert_runs(s, &o, 1, 3);
            ts_space_unref(s);
        }
}

static void one_pair(const struct ts_slab *a, const struct ts_slab *b, H5S_seloper_t op, bool thorough)
{
    struct ts_space *s;
    struct oracle o;
    oracle_init(&o, 2, dims);
    oracle_slab(&o, H5S_SELECT_SET, a);
    oracle_slab(&o, op, b);
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, a), 0);
    assert_int_equal(select_slabs(s, op, b), 0);
    assert_same(s, &o);
    if (thorough) {
        assert_bounds(s, &o);
        assert_blocks(s, &o);
        assert_round_trip(s, &o);
    }
    ts_space_unref(s);
}

static void every_pair_and_operator(void **state)
{
    (void)state;
    struct ts_slab v[MAX_SLABS];
    size_t n = all_slabs(v, true), k = 0;
    for (size_t i = 0; i < n * n; i++)
        for (size_t j = 0; j < n * n; j++)
            for (int op = H5S_SELECT_SET; op <= H5S_SELECT_NOTA; op++) {
                struct ts_slab a[2] = {v[i / n], v[i % n]}, b[2] = {v[j / n], v[j % n]};
                one_pair(a, b, (H5S_seloper_t)op, k++ % 37 == 0);
            }
}

/* Which sets a tree takes for regular: those that four numbers per dimension describe, and no others. */
static void every_subset_of_a_line(void **state)
{
    (void)state;
    const hsize_t line[1] = {10};
    for (unsigned set = 1; set < 1u << 10; set++) {
        struct ts_space *s;
        struct oracle o;
        oracle_init(&o, 1, line);
        assert_int_equal(ts_space_new_simple(1, line, NULL, &s), 0);
        ts_space_select_none(s);
        for (hsize_t c = 0; c < 10; c++)
            if (set >> c & 1) {
                struct ts_slab one = {c, 1, 1, 1};
                o.in[c] = 1;
                assert_int_equal(select_slabs(s, H5S_SELECT_OR, &one), 0);
            }
        assert_same(s, &o);
        bool regular = false;
        for (hsize_t start = 0; start < 10; start++)
            for (hsize_t block = 1; block <= 10; block++)
                for (hsize_t stride = block; stride <= 10; stride++)
                    for (hsize_t count = 1; start + (count - 1) * stride + block <= 10; count++) {
                        struct ts_slab p = {start, stride, count, block};
                        unsigned as = 0;
                        for (hsize_t c = 0; c < 10; c++)
                            as |= (unsigned)slab_has(&p, c) << c;
                        regular = regular || as == set;
                    }
        assert_int_equal(ts_space_regular(s, NULL, NULL, NULL, NULL), regular);
        ts_space_unref(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hyperslab_by_itself),
        cmocka_unit_test(every_pair_and_operator),
        cmocka_unit_test(every_subset_of_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
