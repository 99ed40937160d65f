/* Which elements of pieces have values and where: told to a visitor, or as runs of memory. */
#include "dataset/struct_chunk.h"

bool ts_piece_join(struct ts_piece *last, const struct ts_piece *p)
{
    if (p->count != 1)
        return false;
    if (last->count == 1 && p->src == last->src + last->n && p->mem == last->mem + last->n) {
        last->n += p->n;
        return true;
    }
    if (p->n != last->n)
        return false;
    if (last->count == 1) {
        if (p->src < last->src + last->n || p->mem < last->mem + last->n)
            return false;
        last->src_step = p->src - last->src;
        last->mem_step = p->mem - last->mem;
    } else if (p->src != last->src + last->count * last->src_step ||
               p->mem != last->mem + last->count * last->mem_step) {
        return false;
    }
    last->count++;
    return true;
}

/* One run, with src in the values of bin `bin`; it may go on in the next bins, where it starts with the first value. */
static int tell_run(const struct ts_struct_visitor *v, hsize_t element, hsize_t ordinal, hsize_t mem, hsize_t n)
{
    while (n > 0) {
        size_t bin = (size_t)(element / TS_RUN_BIN_SIZE);
        hsize_t left = TS_RUN_BIN_SIZE - element % TS_RUN_BIN_SIZE, now = n < left ? n : left;
        struct ts_piece p = {.src = ordinal, .mem = mem, .n = now, .count = 1};
        int status = v->defined(v->ctx, bin, &p);
        if (status != 0)
            return status;
        element += now;
        mem += now;
        n -= now;
        ordinal = 0;
    }
    return 0;
}

/* Where all elements have values, these have the numbers of their elements. */
static int visit_full(const struct ts_piece *p, const struct ts_struct_visitor *v)
{
    for (hsize_t k = 0, now; k < p->count; k += now) {
        hsize_t first = p->src + k * p->src_step, bin = first / TS_RUN_BIN_SIZE, end = (bin + 1) * TS_RUN_BIN_SIZE;
        hsize_t mem = p->mem + k * p->mem_step;
        struct ts_piece part = {.src = first % TS_RUN_BIN_SIZE,
                                .mem = mem,
                                .n = p->n,
                                .count = 1,
                                .src_step = p->src_step,
                                .mem_step = p->mem_step};
        int status;
        now = 1;
        if (p->n > end - first) {
            status = tell_run(v, first, first % TS_RUN_BIN_SIZE, mem, p->n);
        } else {
            if (p->src_step > 0)
                now = (end - first - p->n) / p->src_step + 1;
            part.count = now = now < p->count - k ? now : p->count - k;
            status = v->defined(v->ctx, (size_t)bin, &part);
        }
        if (status != 0)
            return status;
    }
    return 0;
}

/* A place among the elements of pieces: element `at` of a block of a piece. */
struct place {
    size_t piece;
    hsize_t block, at;
};

static int tell_missing(const struct ts_struct_visitor *v, const struct ts_piece *p, hsize_t block, hsize_t count,
                        hsize_t at, hsize_t n)
{
    struct ts_piece part = {.mem = p->mem + block * p->mem_step + at, .n = n, .count = count, .mem_step = p->mem_step};
    return v->missing(v->ctx, &part);
}

/* What lies between two places of one piece has no values; *from becomes `to`. */
static int pass_piece(const struct ts_struct_visitor *v, const struct ts_piece *p, struct place *from, struct place to)
{
    int status = 0;
    if (from->block < to.block && from->at > 0) {
        status = tell_missing(v, p, from->block, 1, from->at, p->n - from->at);
        from->block++;
        from->at = 0;
    }
    if (status == 0 && from->block < to.block)
        status = tell_missing(v, p, from->block, to.block - from->block, 0, p->n);
    from->at = from->block < to.block ? 0 : from->at;
    if (status == 0 && from->at < to.at)
        status = tell_missing(v, p, to.block, 1, from->at, to.at - from->at);
    *from = to;
    return status;
}

static int pass(const struct ts_struct_visitor *v, const struct ts_piece *pieces, struct place *from, struct place to)
{
    if (!v->missing)
        return 0;
    while (from->piece < to.piece) {
        const struct ts_piece *p = &pieces[from->piece];
        int status = pass_piece(v, p, from, (struct place){from->piece, p->count, 0});
        if (status != 0)
            return status;
        *from = (struct place){from->piece + 1, 0, 0};
    }
    return to.block > 0 || to.at > 0 ? pass_piece(v, &pieces[to.piece], from, to) : 0;
}

/* A walk through the defined elements: ordinals of the set become those of bins. */
struct walk {
    const struct ts_struct_chunk *c;
    const struct ts_struct_visitor *v;
    size_t bin;        /* of which `before` is known */
    uint64_t before;   /* values in the bins before */
    struct place told; /* everything before it */
};

static int tell_hit(struct walk *w, const struct ts_piece *pieces, const struct ts_run_hit *hit)
{
    const struct ts_piece *p = &pieces[hit->piece];
    size_t bin = (size_t)(hit->element / TS_RUN_BIN_SIZE);
    if (bin != w->bin) {
        w->before = ts_run_set_rank(w->c->set, (uint64_t)bin * TS_RUN_BIN_SIZE);
        w->bin = bin;
    }
    hsize_t at = hit->element - p->src - hit->block * p->src_step;
    int status = pass(w->v, pieces, &w->told, (struct place){hit->piece, hit->block, at});
    w->told = at + hit->n < p->n ? (struct place){hit->piece, hit->block, at + hit->n}
                                 : (struct place){hit->piece, hit->block + 1, 0};
    if (status != 0)
        return status;
    return tell_run(w->v, hit->element, hit->ordinal - w->before, p->mem + hit->block * p->mem_step + at, hit->n);
}

enum { PORTION = 128 };

/* Up to PORTION pieces, in any order: each is looked up in the set. */
static int search_some(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                       const struct ts_struct_visitor *v)
{
    struct ts_strided strided[PORTION];
    struct ts_run_hit hits[PORTION];
    struct ts_run_match match;
    struct walk w = {.c = c, .v = v, .bin = SIZE_MAX};
    int status = 0;
    size_t got;
    for (size_t i = 0; i < n; i++)
        strided[i] = (struct ts_strided){pieces[i].src, pieces[i].n, pieces[i].count, pieces[i].src_step};
    ts_run_match_init(&match, c->set, strided, n);
    while (status == 0 && (got = ts_run_match_next(&match, hits, PORTION)) > 0)
        for (size_t i = 0; i < got && status == 0; i++)
            status = tell_hit(&w, pieces, &hits[i]);
    return status == 0 ? pass(v, pieces, &w.told, (struct place){n, 0, 0}) : status;
}

static int search(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                  const struct ts_struct_visitor *v)
{
    int status = 0;
    for (size_t i = 0, now; i < n && status == 0; i += now) {
        now = n - i < PORTION ? n - i : PORTION;
        status = search_some(c, &pieces[i], now, v);
    }
    return status;
}

/* The runs of pieces, one after the other. */
struct blocks {
    const struct ts_piece *piece, *end;
    hsize_t left; /* blocks of the piece behind the present one */
    hsize_t at, behind,
        mem; /* the present one: elements from `at` on, until before `behind`; `at` is `mem` in memory */
};

static void blocks_enter(struct blocks *b)
{
    const struct ts_piece *p = b->piece;
    b->left = p->count - 1;
    b->at = p->src;
    b->behind = p->src + p->n;
    b->mem = p->mem;
}

static void blocks_init(struct blocks *b, const struct ts_piece *pieces, size_t n)
{
    b->piece = pieces;
    b->end = pieces + n;
    blocks_enter(b);
}

static bool blocks_next(struct blocks *b)
{
    if (b->left > 0) {
        b->left--;
        b->at += b->piece->src_step;
        b->behind += b->piece->src_step;
        b->mem += b->piece->mem_step;
        return true;
    }
    if (++b->piece == b->end)
        return false;
    blocks_enter(b);
    return true;
}

enum { RUNS = 256 };

/* The members of a set as runs that lie in one bin each. */
struct members {
    const struct ts_run_set *set;
    struct ts_run_cursor cursor;
    size_t next, n;
    hsize_t bin_end;    /* of the present bin */
    hsize_t at, behind; /* the present run; behind the last one they are larger than every element */
    hsize_t ordinal;    /* of its first element, in the bin */
    hsize_t run_end;    /* of the run of the set that it is a part of */
    struct ts_run runs[RUNS];
};

/* False: there are no more. */
static bool members_fetch(struct members *m)
{
    if (m->next == m->n) {
        m->n = ts_run_set_next(m->set, &m->cursor, m->runs, RUNS);
        m->next = 0;
    }
    if (m->n == 0) {
        m->at = m->behind = m->run_end = HSIZE_UNDEF;
        return false;
    }
    m->at = m->runs[m->next].offset;
    m->run_end = m->at + m->runs[m->next++].length;
    return true;
}

static void members_next(struct members *m)
{
    m->ordinal += m->behind - m->at;
    m->at = m->behind;
    if (m->at == m->run_end && !members_fetch(m))
        return;
    if (m->at >= m->bin_end) {
        m->ordinal = 0;
        m->bin_end = (m->at / TS_RUN_BIN_SIZE + 1) * TS_RUN_BIN_SIZE;
    }
    m->behind = m->run_end < m->bin_end ? m->run_end : m->bin_end;
}

/* From an element on. */
static void members_init(struct members *m, const struct ts_run_set *set, hsize_t from)
{
    hsize_t bin = from / TS_RUN_BIN_SIZE * TS_RUN_BIN_SIZE;
    m->set = set;
    m->cursor = (struct ts_run_cursor){.at = from};
    m->next = m->n = 0;
    m->bin_end = bin + TS_RUN_BIN_SIZE;
    m->at = m->behind = m->run_end = 0;
    m->ordinal = ts_run_set_rank(set, from) - ts_run_set_rank(set, bin);
    members_next(m);
}

/* Values that follow each other in their bin and in memory are told as one piece. */
struct stretch {
    const struct ts_struct_visitor *v;
    hsize_t bin_end;
    struct ts_piece piece;
};

static int stretch_tell(struct stretch *s)
{
    return s->piece.n > 0 ? s->v->defined(s->v->ctx, (size_t)(s->bin_end / TS_RUN_BIN_SIZE - 1), &s->piece) : 0;
}

static int stretch_add(struct stretch *s, hsize_t bin_end, hsize_t ordinal, hsize_t mem, hsize_t n)
{
    struct ts_piece *p = &s->piece;
    if (bin_end == s->bin_end && ordinal == p->src + p->n && mem == p->mem + p->n) {
        p->n += n;
        return 0;
    }
    int status = stretch_tell(s);
    s->bin_end = bin_end;
    *p = (struct ts_piece){.src = ordinal, .mem = mem, .n = n, .count = 1};
    return status;
}

static int merge_block(const struct blocks *b, struct members *m, struct stretch *s)
{
    int status = 0;
    for (hsize_t at = b->at, end; at < b->behind && status == 0; at = end) {
        hsize_t mem = b->mem + (at - b->at);
        while (m->behind <= at)
            members_next(m);
        if (m->at <= at) {
            end = m->behind < b->behind ? m->behind : b->behind;
            status = stretch_add(s, m->bin_end, m->ordinal + (at - m->at), mem, end - at);
        } else {
            end = m->at < b->behind ? m->at : b->behind;
            struct ts_piece part = {.mem = mem, .n = end - at, .count = 1};
            if (s->v->missing)
                status = s->v->missing(s->v->ctx, &part);
        }
    }
    return status;
}

static int tell_block(const struct blocks *b, hsize_t *ordinal, struct stretch *s)
{
    int status = 0;
    for (hsize_t at = b->at, end, bin_end; at < b->behind && status == 0; at = end) {
        bin_end = (at / TS_RUN_BIN_SIZE + 1) * TS_RUN_BIN_SIZE;
        end = bin_end < b->behind ? bin_end : b->behind;
        *ordinal = bin_end == s->bin_end ? *ordinal : 0;
        status = stretch_add(s, bin_end, *ordinal, b->mem + (at - b->at), end - at);
        *ordinal += end - at;
    }
    return status;
}

int ts_struct_visit_last(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                         const struct ts_struct_visitor *v)
{
    hsize_t bin = pieces->src / TS_RUN_BIN_SIZE * TS_RUN_BIN_SIZE;
    hsize_t ordinal = ts_run_set_rank(c->set, pieces->src) - ts_run_set_rank(c->set, bin);
    struct stretch s = {
        .v = v, .bin_end = bin + TS_RUN_BIN_SIZE, .piece = {.src = ordinal, .mem = pieces->mem, .count = 1}};
    struct blocks b;
    int status;
    blocks_init(&b, pieces, n);
    do
        status = tell_block(&b, &ordinal, &s);
    while (status == 0 && blocks_next(&b));
    return status == 0 ? stretch_tell(&s) : status;
}

/* Pieces that ascend and the set are walked through side by side. */
static int merge(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                 const struct ts_struct_visitor *v)
{
    struct blocks b;
    struct members m;
    struct stretch s = {.v = v};
    int status;
    blocks_init(&b, pieces, n);
    members_init(&m, c->set, b.at);
    do
        status = merge_block(&b, &m, &s);
    while (status == 0 && blocks_next(&b));
    return status == 0 ? stretch_tell(&s) : status;
}

/* Walking through all members between the first and the last piece is quicker than looking pieces up: they ascend, and
 * there are not many more members than runs of pieces, or most are met anyway. Where members are few, most runs of a
 * piece can be passed over at once. */
static bool should_merge(const struct ts_run_set *set, const struct ts_piece *pieces, size_t n)
{
    enum { FEW = 8 };
    hsize_t blocks = 0, elements = 0, end = 0;
    for (size_t i = 0; i < n; i++) {
        const struct ts_piece *p = &pieces[i];
        if (p->src < end || p->n == 0 || p->count == 0 || (p->count > 1 && p->src_step < p->n))
            return false;
        end = p->src + (p->count - 1) * p->src_step + p->n;
        blocks += p->count;
        elements += p->count * p->n;
    }
    if (n == 0)
        return false;
    uint64_t members = ts_run_set_rank(set, end) - ts_run_set_rank(set, pieces->src);
    return blocks / FEW <= members && (blocks >= members / FEW || elements >= (end - pieces->src) / FEW);
}

int ts_struct_visit(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                    const struct ts_struct_visitor *v)
{
    int status = 0;
    if (!ts_struct_is_full(c))
        return should_merge(c->set, pieces, n) ? merge(c, pieces, n, v) : search(c, pieces, n, v);
    for (size_t i = 0; i < n && status == 0; i++)
        status = visit_full(&pieces[i], v);
    return status;
}

/* Runs of memory that are told together. */
struct told {
    ts_sc_runs_fn *fn;
    void *ctx;
    size_t n;
    struct ts_run runs[2 * RUNS];
};

static int told_flush(struct told *t)
{
    size_t n = t->n;
    t->n = 0;
    return n > 0 ? t->fn(t->runs, n, t->ctx) : 0;
}

static int told_add(struct told *t, hsize_t mem, hsize_t n)
{
    int status = 0;
    if (t->n > 0 && t->runs[t->n - 1].offset + t->runs[t->n - 1].length == mem) {
        t->runs[t->n - 1].length += n;
        return 0;
    }
    if (t->n == 2 * RUNS)
        status = told_flush(t);
    t->runs[t->n++] = (struct ts_run){mem, n};
    return status;
}

/* The parts of a run of the set that pieces meet from *b on; 1 when there are no more pieces. */
static int tell_met(struct blocks *b, const struct ts_run *run, struct told *t)
{
    hsize_t end = run->offset + run->length;
    for (hsize_t at = run->offset; at < end;) {
        while (b->behind <= at)
            if (!blocks_next(b))
                return 1;
        if (b->at >= end)
            return 0;
        at = at < b->at ? b->at : at;
        hsize_t to = end < b->behind ? end : b->behind;
        int status = told_add(t, b->mem + (at - b->at), to - at);
        if (status != 0)
            return status;
        at = to;
    }
    return 0;
}

static int merge_runs(const struct ts_run_set *set, const struct ts_piece *pieces, size_t n, struct told *t)
{
    struct ts_run_cursor cursor = {.at = pieces->src};
    struct ts_run runs[RUNS];
    struct blocks b;
    int status = 0;
    size_t got;
    blocks_init(&b, pieces, n);
    while (status == 0 && (got = ts_run_set_next(set, &cursor, runs, RUNS)) > 0)
        for (size_t i = 0; i < got && status == 0; i++)
            status = tell_met(&b, &runs[i], t);
    return status < 0 ? status : 0;
}

static int tell_piece(void *ctx, size_t bin, const struct ts_piece *p)
{
    int status = 0;
    (void)bin;
    for (hsize_t k = 0; k < p->count && status == 0; k++)
        status = told_add(ctx, p->mem + k * p->mem_step, p->n);
    return status;
}

int ts_struct_defined(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n, ts_sc_runs_fn *fn,
                      void *ctx)
{
    struct told t;
    struct ts_struct_visitor v = {.defined = tell_piece, .ctx = &t};
    t.fn = fn;
    t.ctx = ctx;
    t.n = 0;
    int status = !ts_struct_is_full(c) && should_merge(c->set, pieces, n) ? merge_runs(c->set, pieces, n, &t)
                                                                          : ts_struct_visit(c, pieces, n, &v);
    return status == 0 ? told_flush(&t) : status;
}
