/* Elements of structured chunks that are defined, told and looked for, against an array of flags. */
#include "base/alloc.h"
#include "base/error.h"
#include "dataset/struct_chunk.h"
#include "unit/cmocka_all.h"

enum { LIMIT = 150000, MEMORY = 4 * LIMIT, MOST_PIECES = 40000, NOTHING = -1, FILL = 77 };

static uint32_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
}

/* A chunk of uint32, and what it should be: values of elements, NOTHING of those that have none. */
struct model {
    struct ts_dataset_core *core;
    struct ts_struct_chunk *c;
    int64_t *values;
};

static void model_init(struct model *m)
{
    static uint32_t fill = FILL;
    m->core = calloc(1, sizeof *m->core);
    m->core->layout.chunk.struct_type = TS_STRUCT_SPARSE;
    m->core->layout.chunk.element_size = sizeof(uint32_t);
    m->core->chunk_elements = LIMIT;
    m->core->fill.element = (void *)&fill;
    m->core->fill.fill_time = H5D_FILL_TIME_ALLOC;
    m->values = malloc(LIMIT * sizeof *m->values);
    for (size_t i = 0; i < LIMIT; i++)
        m->values[i] = NOTHING;
    assert_int_equal(ts_struct_chunk_new(m->core, &m->c), 0);
}

static void model_deinit(struct model *m)
{
    ts_struct_chunk_free(m->c);
    free(m->core);
    free(m->values);
}

/* All values, bin by bin, are those of the model. */
static void model_check(const struct model *m)
{
    const char *reason;
    uint64_t count = 0;
    assert_int_equal(ts_run_set_verify(m->c->set, &reason), 1);
    for (size_t b = 0; b < m->c->n_bins; b++) {
        const uint32_t *at = (const uint32_t *)m->c->bins[b].values;
        uint32_t n = 0;
        for (size_t i = b * TS_RUN_BIN_SIZE; i < (b + 1) * TS_RUN_BIN_SIZE && i < LIMIT; i++)
            if (m->values[i] != NOTHING) {
                assert_true(n < m->c->bins[b].n);
                assert_int_equal(at[n++], m->values[i]);
                assert_int_equal(ts_run_set_rank(m->c->set, i), count);
                count++;
            }
        assert_int_equal(m->c->bins[b].n, n);
    }
    assert_int_equal(ts_run_set_count(m->c->set), count);
}

/* What is written is the number of the place in memory. */
static int put(void *ctx, size_t bin, const struct ts_piece *p)
{
    struct model *m = ctx;
    uint32_t *values = (uint32_t *)m->c->bins[bin].values;
    for (hsize_t k = 0; k < p->count; k++)
        for (hsize_t i = 0; i < p->n; i++)
            values[p->src + k * p->src_step + i] = (uint32_t)(p->mem + k * p->mem_step + i);
    return 0;
}

static void model_put(struct model *m, const struct ts_piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            for (hsize_t e = 0; e < pieces[i].n; e++)
                m->values[pieces[i].src + k * pieces[i].src_step + e] =
                    (int64_t)(pieces[i].mem + k * pieces[i].mem_step + e);
}

static void write_pieces(struct model *m, const struct ts_piece *pieces, size_t n)
{
    struct ts_struct_visitor v = {.defined = put, .ctx = m};
    int last = ts_struct_define(m->core, m->c, pieces, n, false);
    assert_true(last >= 0);
    assert_int_equal(last ? ts_struct_visit_last(m->c, pieces, n, &v) : ts_struct_visit(m->c, pieces, n, &v), 0);
    model_put(m, pieces, n);
}

/* Ascending pieces of some kind from an element on; memory ascends as well. */
static size_t make_pieces(struct ts_piece *pieces, hsize_t from, hsize_t to)
{
    hsize_t mem = draw(100), gap = 1 + draw(draw(2) ? 4 : 400), length = 1 + draw(draw(3) ? 2 : 3000);
    bool strided = draw(3) == 0;
    size_t n = 0;
    while (n < MOST_PIECES) {
        struct ts_piece p = {.src = from + draw((uint32_t)gap), .mem = mem, .n = 1 + draw((uint32_t)length), .count = 1};
        if (strided) {
            p.count = 1 + draw(20);
            p.src_step = p.n + draw(10);
            p.mem_step = p.n + draw(3);
        }
        from = p.src + (p.count - 1) * p.src_step + p.n;
        if (from > to)
            break;
        mem = p.mem + (p.count - 1) * p.mem_step + p.n + (draw(4) ? 0 : draw(5));
        pieces[n++] = p;
    }
    return n;
}

/* In another order. */
static void shuffle(struct ts_piece *pieces, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = draw((uint32_t)i);
        struct ts_piece swap = pieces[i - 1];
        pieces[i - 1] = pieces[k];
        pieces[k] = swap;
    }
}

/* Memory that is read into; MISSING where a visitor was told that there is nothing. */
enum { MISSING = -2, UNTOLD = -3 };

struct memory {
    const struct model *m;
    int64_t *at;
    unsigned calls, stop_at;
    int answer;
};

static int answer(struct memory *to)
{
    return ++to->calls == to->stop_at ? to->answer : 0;
}

static void set(struct memory *to, hsize_t mem, int64_t value)
{
    assert_true(mem < MEMORY);
    assert_int_equal(to->at[mem], UNTOLD);
    to->at[mem] = value;
}

static int take(void *ctx, size_t bin, const struct ts_piece *p)
{
    struct memory *to = ctx;
    const uint32_t *values = (const uint32_t *)to->m->c->bins[bin].values;
    for (hsize_t k = 0; k < p->count; k++)
        for (hsize_t i = 0; i < p->n; i++)
            set(to, p->mem + k * p->mem_step + i, values[p->src + k * p->src_step + i]);
    return answer(to);
}

static int take_missing(void *ctx, const struct ts_piece *p)
{
    for (hsize_t k = 0; k < p->count; k++)
        for (hsize_t i = 0; i < p->n; i++)
            set(ctx, p->mem + k * p->mem_step + i, MISSING);
    return answer(ctx);
}

static void forget(struct memory *to)
{
    for (size_t i = 0; i < MEMORY; i++)
        to->at[i] = UNTOLD;
}

static void check_visit(struct memory *to, const struct ts_piece *pieces, size_t n)
{
    struct ts_struct_visitor v = {.defined = take, .missing = take_missing, .ctx = to};
    forget(to);
    assert_int_equal(ts_struct_visit(to->m->c, pieces, n, &v), 0);
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            for (hsize_t e = 0; e < pieces[i].n; e++) {
                int64_t *at = &to->at[pieces[i].mem + k * pieces[i].mem_step + e];
                int64_t value = to->m->values[pieces[i].src + k * pieces[i].src_step + e];
                assert_int_equal(*at, value == NOTHING ? MISSING : value);
                *at = UNTOLD;
            }
    for (size_t i = 0; i < MEMORY; i++)
        assert_int_equal(to->at[i], UNTOLD);
}

/* Places in memory in the order in which they were told. */
struct order {
    hsize_t *at;
    size_t n;
    unsigned calls, stop_at;
};

static int note(const struct ts_run *runs, size_t n, void *ctx)
{
    struct order *o = ctx;
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < runs[i].length; k++)
            o->at[o->n++] = runs[i].offset + k;
    return ++o->calls == o->stop_at ? -5 : 0;
}

static void check_defined(struct order *o, const struct model *m, const struct ts_piece *pieces, size_t n)
{
    size_t next = 0;
    o->n = 0;
    assert_int_equal(ts_struct_defined(m->c, pieces, n, note, o), 0);
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            for (hsize_t e = 0; e < pieces[i].n; e++)
                if (m->values[pieces[i].src + k * pieces[i].src_step + e] != NOTHING) {
                    assert_true(next < o->n);
                    assert_int_equal(o->at[next++], pieces[i].mem + k * pieces[i].mem_step + e);
                }
    assert_int_equal(o->n, next);
}

/* Pieces that are the defined elements, each run one. */
static size_t pieces_of_set(const struct model *m, struct ts_piece *pieces)
{
    size_t n = 0;
    hsize_t mem = 0;
    for (hsize_t i = 0; i < LIMIT; i++) {
        if (m->values[i] == NOTHING)
            continue;
        if (n > 0 && pieces[n - 1].src + pieces[n - 1].n == i)
            pieces[n - 1].n++;
        else if (n < MOST_PIECES)
            pieces[n++] = (struct ts_piece){.src = i, .mem = mem, .n = 1, .count = 1};
        else
            break;
        mem++;
    }
    return n;
}

struct bench {
    struct model m;
    struct memory memory;
    struct order order;
    struct ts_piece *pieces;
};

static void bench_init(struct bench *b, uint32_t seed)
{
    state = seed * 2654435761u + 1;
    model_init(&b->m);
    b->memory = (struct memory){.m = &b->m, .at = malloc(MEMORY * sizeof *b->memory.at)};
    b->order = (struct order){.at = malloc(MEMORY * sizeof *b->order.at)};
    b->pieces = malloc(MOST_PIECES * sizeof *b->pieces);
}

static void bench_deinit(struct bench *b)
{
    model_deinit(&b->m);
    free(b->memory.at);
    free(b->order.at);
    free(b->pieces);
}

static void look(struct bench *b, size_t n)
{
    check_visit(&b->memory, b->pieces, n);
    check_defined(&b->order, &b->m, b->pieces, n);
}

static void test_random(void **unused)
{
    (void)unused;
    for (uint32_t seed = 0; seed < 30; seed++) {
        struct bench b;
        bench_init(&b, seed);
        hsize_t from = 0;
        for (unsigned turn = 0; turn < 3; turn++) {
            hsize_t to = draw(2) ? LIMIT : from + 1 + draw((uint32_t)(LIMIT - from));
            size_t n = make_pieces(b.pieces, draw(3) ? from : 0, to);
            if (draw(4) == 0)
                shuffle(b.pieces, n);
            if (n > 0)
                write_pieces(&b.m, b.pieces, n);
            model_check(&b.m);
            from = ts_run_set_end(b.m.c->set);
            if (from == LIMIT)
                from = draw(LIMIT);
        }
        for (unsigned turn = 0; turn < 3; turn++) {
            size_t n = make_pieces(b.pieces, draw(3) ? draw(LIMIT / 2) : 0, LIMIT);
            if (turn == 2)
                shuffle(b.pieces, n);
            look(&b, n);
        }
        look(&b, pieces_of_set(&b.m, b.pieces));
        b.pieces[0] = (struct ts_piece){.n = LIMIT, .count = 1};
        look(&b, 1);
        b.pieces[0] = (struct ts_piece){.n = 300, .count = 500, .src_step = 300, .mem_step = 900};
        look(&b, 1);
        bench_deinit(&b);
    }
}

static void test_append(void **unused)
{
    const struct ts_piece frame[] = {{.src = 65000, .n = 2, .count = 1}, {.src = 65100, .mem = 2, .n = 1000, .count = 1}};
    const struct ts_piece behind[] = {{.src = 66100, .mem = 5, .n = 1, .count = 1}};
    const struct ts_piece between[] = {{.src = 66050, .mem = 6, .n = 100, .count = 1}};
    const struct ts_piece back[] = {{.src = 140000, .n = 5, .count = 1}, {.src = 130000, .mem = 5, .n = 5, .count = 1}};
    const struct ts_piece twice[] = {{.src = 149000, .n = 5, .count = 1}, {.src = 149004, .mem = 5, .n = 5, .count = 1}};
    struct model m;
    (void)unused;
    model_init(&m);
    assert_int_equal(ts_struct_define(m.core, m.c, NULL, 0, false), 0);
    assert_int_equal(ts_struct_define(m.core, m.c, frame, 2, true), 1);
    assert_int_equal(m.c->bins[0].n, 2 + 436);
    assert_int_equal(m.c->bins[1].n, 564);
    for (uint32_t i = 0; i < 564; i++)
        assert_int_equal(((uint32_t *)m.c->bins[1].values)[i], FILL);
    assert_int_equal(ts_struct_define(m.core, m.c, behind, 1, true), 1);
    assert_int_equal(ts_struct_define(m.core, m.c, between, 1, true), 0);
    assert_int_equal(ts_struct_define(m.core, m.c, back, 2, true), 0);
    assert_int_equal(ts_struct_define(m.core, m.c, twice, 2, true), 0);
    assert_int_equal(ts_run_set_count(m.c->set), 1002 + 50 + 10 + 9);
    for (uint32_t i = 0; i < m.c->bins[1].n; i++)
        assert_int_equal(((uint32_t *)m.c->bins[1].values)[i], FILL);
    model_deinit(&m);
}

/* When memory is short nothing changes. */
static void test_no_memory(void **unused)
{
    static struct ts_piece pieces[MOST_PIECES];
    (void)unused;
    for (unsigned kind = 0; kind < 3; kind++) {
        unsigned long at = 0;
        int status = -1;
        while (status < 0) {
            struct model m;
            state = 4711 + kind;
            model_init(&m);
            size_t n = make_pieces(pieces, 0, LIMIT / 2);
            assert_true(n > 10);
            write_pieces(&m, pieces, n);
            n = make_pieces(pieces, kind == 0 ? ts_run_set_end(m.c->set) : 1, LIMIT);
            if (kind == 2)
                shuffle(pieces, n);
            ts_alloc_fail_at(++at, TS_FAULT_ONCE);
            status = ts_struct_define(m.core, m.c, pieces, n, false);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            ts_err_clear();
            if (status < 0)
                model_check(&m);
            else
                assert_int_equal(status, kind == 0);
            model_deinit(&m);
        }
        assert_true(at > 3);
    }
}

/* What is not 0 ends a visit, wherever it is answered. */
static void test_stop(void **unused)
{
    struct bench b;
    (void)unused;
    bench_init(&b, 5);
    for (size_t i = 0; i < 2000; i++)
        b.pieces[i] = (struct ts_piece){.src = 70 * i, .mem = i, .n = 1, .count = 1};
    write_pieces(&b.m, b.pieces, 2000);
    for (unsigned kind = 0; kind < 2; kind++) {
        struct ts_struct_visitor v = {.defined = take, .missing = take_missing, .ctx = &b.memory};
        for (size_t i = 0; i < 2000; i++)
            b.pieces[i] = (struct ts_piece){.src = 70 * i, .mem = 10 * i, .n = 3, .count = 1};
        if (kind)
            shuffle(b.pieces, 2000);
        for (unsigned stop = 1; stop <= 4000; stop += stop < 4 ? 1 : 666) {
            forget(&b.memory);
            b.memory.calls = 0;
            b.memory.stop_at = stop;
            b.memory.answer = stop % 2 ? 1 : -1;
            assert_int_equal(ts_struct_visit(b.m.c, b.pieces, 2000, &v), b.memory.answer);
            assert_int_equal(b.memory.calls, stop);
        }
        b.order.n = b.order.calls = 0;
        b.order.stop_at = 2;
        assert_int_equal(ts_struct_defined(b.m.c, b.pieces, 2000, note, &b.order), -5);
        assert_int_equal(b.order.calls, 2);
    }
    bench_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
