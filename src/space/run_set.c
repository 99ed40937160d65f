#include "space/run_set.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "space/run_box.h"

struct ts_run_set {
    _Atomic size_t refs;
    uint64_t limit, count;
    uint64_t end; /* one behind the last member */
    size_t box_bytes; /* of memory that all boxes have */
    uint32_t n_boxes;
    uint32_t *sums; /* members in boxes as a Fenwick tree: sums[i] is of the i & -i boxes that end before box i */
    struct ts_run_box boxes[];
};

int ts_run_set_new(uint64_t limit, struct ts_run_set **out)
{
    if (limit == 0 || limit > UINT32_MAX)
        return TS_ERR(DATASPACE, BADRANGE, "a chunk of %llu elements has no set of them", (unsigned long long)limit);
    uint32_t n = (uint32_t)ts_div_ceil(limit, TS_RUN_BOX_SIZE);
    struct ts_run_set *s = ts_calloc(1, sizeof *s + n * sizeof *s->boxes);
    if (!s)
        return -1;
    s->sums = ts_calloc((size_t)n + 1, sizeof *s->sums);
    if (!s->sums) {
        ts_free(s);
        return -1;
    }
    atomic_init(&s->refs, 1);
    s->limit = limit;
    s->n_boxes = n;
    s->box_bytes = n * sizeof *s->boxes;
    *out = s;
    return 0;
}

void ts_run_set_free(struct ts_run_set *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < s->n_boxes; i++)
        ts_run_box_deinit(&s->boxes[i]);
    ts_free(s->sums);
    ts_free(s);
}

struct ts_run_set *ts_run_set_ref(struct ts_run_set *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

int ts_run_set_own(struct ts_run_set **s)
{
    struct ts_run_set *own;
    if (atomic_load_explicit(&(*s)->refs, memory_order_acquire) == 1)
        return 0;
    if (ts_run_set_copy(*s, &own) < 0)
        return -1;
    ts_run_set_free(*s);
    *s = own;
    return 0;
}

int ts_run_set_copy(const struct ts_run_set *s, struct ts_run_set **out)
{
    struct ts_run_set *copy;
    if (ts_run_set_new(s->limit, &copy) < 0)
        return -1;
    memcpy(copy->sums, s->sums, ((size_t)s->n_boxes + 1) * sizeof *s->sums);
    copy->count = s->count;
    copy->end = s->end;
    copy->box_bytes = 0;
    for (uint32_t i = 0; i < s->n_boxes; i++) {
        if (ts_run_box_copy(&s->boxes[i], &copy->boxes[i]) < 0) {
            ts_run_set_free(copy);
            return -1;
        }
        copy->box_bytes += ts_run_box_bytes(&copy->boxes[i]);
    }
    *out = copy;
    return 0;
}

uint64_t ts_run_set_limit(const struct ts_run_set *s)
{
    return s->limit;
}

uint64_t ts_run_set_count(const struct ts_run_set *s)
{
    return s->count;
}

uint64_t ts_run_set_end(const struct ts_run_set *s)
{
    return s->end;
}

uint64_t ts_run_set_runs(const struct ts_run_set *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->n_boxes; i++)
        n += s->boxes[i].n_runs;
    return n;
}

size_t ts_run_set_bytes(const struct ts_run_set *s)
{
    return sizeof *s + ((size_t)s->n_boxes + 1) * sizeof *s->sums + s->box_bytes;
}

static void sums_add(struct ts_run_set *s, uint32_t box, uint32_t more)
{
    for (uint32_t i = box + 1; i <= s->n_boxes; i += i & -i)
        s->sums[i] += more;
}

static uint64_t sums_before(const struct ts_run_set *s, uint32_t box)
{
    uint64_t n = 0;
    for (uint32_t i = box; i > 0; i -= i & -i)
        n += s->sums[i];
    return n;
}

uint64_t ts_run_set_rank(const struct ts_run_set *s, uint64_t element)
{
    struct ts_box_hint hint = {0};
    if (element >= s->limit)
        return s->count;
    uint32_t box = (uint32_t)(element / TS_RUN_BOX_SIZE);
    return sums_before(s, box) + ts_run_box_rank(&s->boxes[box], element % TS_RUN_BOX_SIZE, &hint);
}

/* A list of runs cut at the borders of boxes. Runs that touch come as one span, so that spans have gaps between. */
struct cutter {
    const struct ts_run *runs;
    size_t left;
    uint64_t at, end; /* what is left of the present run */
};

static struct cutter cut(const struct ts_run *runs, size_t n)
{
    return (struct cutter){.runs = runs, .left = n};
}

/* Goes on to the next run when the present one is used up, and joins it with those that touch it. */
static inline void cut_load(struct cutter *c)
{
    while (c->at == c->end && c->left > 0) {
        c->at = c->runs->offset;
        c->end = c->at + c->runs->length;
        c->runs++;
        c->left--;
    }
    while (c->left > 0 && c->runs->offset == c->end) {
        c->end += c->runs->length;
        c->runs++;
        c->left--;
    }
}

/* Spans that fall into one box, up to max; 0 at the end. */
static size_t cut_box(struct cutter *c, uint32_t *box, struct ts_box_span *spans, size_t max)
{
    size_t n = 0;
    cut_load(c);
    uint64_t border = (c->at / TS_RUN_BOX_SIZE + 1) * TS_RUN_BOX_SIZE;
    *box = (uint32_t)(c->at / TS_RUN_BOX_SIZE);
    while (n < max && c->at < c->end && c->at < border) {
        uint64_t to = c->end < border ? c->end : border;
        spans[n++] = (struct ts_box_span){(uint16_t)c->at, (uint16_t)(to - 1)};
        c->at = to;
        cut_load(c);
    }
    return n;
}

/* As many spans as cut_box would give of one box, whatever their number; 0 at the end. */
static size_t cut_count(struct cutter *c, uint32_t *box)
{
    size_t n = 0;
    cut_load(c);
    uint64_t border = (c->at / TS_RUN_BOX_SIZE + 1) * TS_RUN_BOX_SIZE;
    *box = (uint32_t)(c->at / TS_RUN_BOX_SIZE);
    while (c->at < c->end && c->at < border) {
        n++;
        c->at = c->end < border ? c->end : border;
        cut_load(c);
    }
    return n;
}

static int check_runs(const struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        if (runs[i].offset < end || runs[i].offset > s->limit || runs[i].length > s->limit - runs[i].offset)
            return TS_ERR(DATASPACE, BADRANGE, "run %zu of %zu, %llu elements from %llu on, of %llu", i, n,
                          (unsigned long long)runs[i].length, (unsigned long long)runs[i].offset,
                          (unsigned long long)s->limit);
        end = runs[i].offset + runs[i].length;
    }
    return 0;
}

#define PORTION 512

static int reserve_box(struct ts_run_set *s, struct ts_run_box *box, size_t spans)
{
    s->box_bytes -= ts_run_box_bytes(box);
    int status = ts_run_box_reserve(box, spans);
    s->box_bytes += ts_run_box_bytes(box);
    return status;
}

/* Room in every box first, so that the change itself cannot fail half way. */
static int reserve(struct ts_run_set *s, const struct ts_run *runs, size_t n, bool add)
{
    struct cutter c = cut(runs, n);
    uint32_t box;
    size_t spans;
    while ((spans = cut_count(&c, &box)) > 0)
        if ((add || s->boxes[box].count > 0) && reserve_box(s, &s->boxes[box], spans) < 0)
            return -1;
    return 0;
}

/* Changes that a set can take, for spans of one box. */
typedef void (*box_change)(struct ts_run_box *b, const struct ts_box_span *spans, size_t n);

static void change_box(struct ts_run_set *s, uint32_t at, box_change how, const struct ts_box_span *spans, size_t n)
{
    struct ts_run_box *box = &s->boxes[at];
    uint32_t had = box->count;
    how(box, spans, n);
    if (box->count != had)
        sums_add(s, at, box->count - had);
    s->count = s->count - had + box->count;
}

static void refit_box(struct ts_run_set *s, uint32_t at)
{
    struct ts_run_box *box = &s->boxes[at];
    s->box_bytes -= ts_run_box_bytes(box);
    ts_run_box_refit(box);
    s->box_bytes += ts_run_box_bytes(box);
}

static void find_end(struct ts_run_set *s)
{
    uint64_t boxes = s->count > 0 ? ts_div_ceil(s->end, TS_RUN_BOX_SIZE) : 0;
    while (boxes > 0 && s->boxes[boxes - 1].count == 0)
        boxes--;
    s->end = boxes > 0 ? (boxes - 1) * TS_RUN_BOX_SIZE + ts_run_box_end(&s->boxes[boxes - 1]) : 0;
}

static int change(struct ts_run_set *s, const struct ts_run *runs, size_t n, box_change how)
{
    bool add = how != ts_run_box_remove;
    struct cutter c = cut(runs, n);
    struct ts_box_span spans[PORTION];
    uint32_t box;
    uint64_t end = 0;
    if (reserve(s, runs, n, add) < 0)
        return -1;
    for (size_t k; (k = cut_box(&c, &box, spans, PORTION)) > 0;) {
        if (add || s->boxes[box].count > 0)
            change_box(s, box, how, spans, k);
        end = (uint64_t)box * TS_RUN_BOX_SIZE + spans[k - 1].last + 1;
        if (c.at == c.end || c.at / TS_RUN_BOX_SIZE != box)
            refit_box(s, box);
    }
    if (!add)
        find_end(s);
    else if (end > s->end)
        s->end = end;
    return 0;
}

int ts_run_set_add(struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    if (check_runs(s, runs, n) < 0)
        return -1;
    return change(s, runs, n, n > 0 && runs[0].offset >= s->end ? ts_run_box_append : ts_run_box_add);
}

int ts_run_set_append(struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    if (check_runs(s, runs, n) < 0)
        return -1;
    if (n > 0 && runs[0].offset < s->end)
        return TS_ERR(DATASPACE, BADRANGE, "a run from %llu on is not behind the end, %llu",
                      (unsigned long long)runs[0].offset, (unsigned long long)s->end);
    return change(s, runs, n, ts_run_box_append);
}

int ts_run_set_remove(struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    return check_runs(s, runs, n) < 0 ? -1 : change(s, runs, n, ts_run_box_remove);
}

int ts_run_builder_init(struct ts_run_builder *b, uint64_t limit)
{
    b->set = NULL;
    b->end = b->border = b->n = b->box = 0;
    return ts_run_set_new(limit, &b->set);
}

void ts_run_builder_deinit(struct ts_run_builder *b)
{
    ts_run_set_free(b->set);
    b->set = NULL;
}

/* more: other spans of the same box follow, so that a list that is full becomes a bitmap before it is made. */
static int flush(struct ts_run_builder *b, bool more)
{
    if (b->n == 0)
        return 0;
    if (reserve_box(b->set, &b->set->boxes[b->box], b->n + more) < 0)
        return -1;
    change_box(b->set, b->box, ts_run_box_append, b->spans, b->n);
    b->set->end = b->end;
    b->n = 0;
    return 0;
}

int ts_run_builder_add_any(struct ts_run_builder *b, uint64_t first, uint64_t end)
{
    uint64_t limit = b->set->limit;
    if (first < b->end || end > limit)
        return 0;
    while (first < end) {
        uint32_t box = (uint32_t)(first / TS_RUN_BOX_SIZE);
        uint64_t border = ((uint64_t)box + 1) * TS_RUN_BOX_SIZE, to = end < border ? end : border;
        if ((box != b->box || b->n == TS_RUN_BOX_LIST) && flush(b, box == b->box) < 0)
            return -1;
        b->box = box;
        b->border = border < limit ? border : limit;
        if (b->n > 0 && b->end == first)
            b->spans[b->n - 1].last = (uint16_t)(to - 1);
        else
            b->spans[b->n++] = (struct ts_box_span){(uint16_t)first, (uint16_t)(to - 1)};
        first = b->end = to;
    }
    return 1;
}

int ts_run_builder_finish(struct ts_run_builder *b, struct ts_run_set **out)
{
    if (flush(b, false) < 0)
        return -1;
    *out = b->set;
    b->set = NULL;
    return 0;
}

static int plan_new(struct ts_run_plan *plan, uint64_t at, uint64_t n)
{
    struct ts_run_shift *last = plan->n ? &plan->items[plan->n - 1] : NULL;
    plan->total += n;
    if (last && last->at == at) {
        last->n += n;
        return 0;
    }
    if (plan->n == plan->capacity && TS_GROW(plan->items, plan->capacity, plan->n + 1) < 0)
        return -1;
    plan->items[plan->n++] = (struct ts_run_shift){at, n};
    return 0;
}

static int plan_gone(struct ts_run_plan *plan, uint64_t at, uint64_t n)
{
    struct ts_run_shift *last = plan->n ? &plan->items[plan->n - 1] : NULL;
    plan->total += n;
    if (last && last->at + last->n == at) {
        last->n += n;
        return 0;
    }
    if (plan->n == plan->capacity && TS_GROW(plan->items, plan->capacity, plan->n + 1) < 0)
        return -1;
    plan->items[plan->n++] = (struct ts_run_shift){at, n};
    return 0;
}

/* One span against the members of its box. */
static int plan_span(const struct ts_run_box *box, struct ts_box_span span, uint64_t base, bool add,
                     struct ts_box_hint *hint, struct ts_run_plan *plan)
{
    for (uint32_t at = span.first; at <= span.last;) {
        struct ts_box_part part;
        bool some = ts_run_box_next(box, at, span.last + 1u, hint, &part);
        uint32_t gap_end = some ? part.first : span.last + 1u;
        if (add && gap_end > at && plan_new(plan, base + part.before, gap_end - at) < 0)
            return -1;
        if (!some)
            return 0;
        if (!add && plan_gone(plan, base + part.before, part.last - part.first + 1) < 0)
            return -1;
        at = part.last + 1;
    }
    return 0;
}

static int make_plan(const struct ts_run_set *s, const struct ts_run *runs, size_t n, bool add, struct ts_run_plan *out)
{
    struct ts_run_plan plan = {0};
    struct cutter c = cut(runs, n);
    struct ts_box_span spans[PORTION];
    struct ts_box_hint hint = {0};
    uint32_t box, last = UINT32_MAX;
    uint64_t base = 0;
    size_t k;
    int status = check_runs(s, runs, n);
    while (status == 0 && (k = cut_box(&c, &box, spans, PORTION)) > 0) {
        if (box != last) {
            base = last != UINT32_MAX && box == last + 1 ? base + s->boxes[last].count : sums_before(s, box);
            hint = (struct ts_box_hint){0};
            last = box;
        }
        for (size_t i = 0; i < k && status == 0; i++)
            status = plan_span(&s->boxes[box], spans[i], base, add, &hint, &plan);
    }
    if (status < 0) {
        ts_run_plan_deinit(&plan);
        return -1;
    }
    *out = plan;
    return 0;
}

int ts_run_set_plan_add(const struct ts_run_set *s, const struct ts_run *runs, size_t n, struct ts_run_plan *out)
{
    return make_plan(s, runs, n, true, out);
}

int ts_run_set_plan_remove(const struct ts_run_set *s, const struct ts_run *runs, size_t n, struct ts_run_plan *out)
{
    return make_plan(s, runs, n, false, out);
}

void ts_run_plan_deinit(struct ts_run_plan *plan)
{
    ts_free(plan->items);
    *plan = (struct ts_run_plan){0};
}

void ts_run_plan_open(const struct ts_run_plan *plan, void *values, size_t size, uint64_t count)
{
    uint8_t *v = values;
    uint64_t shift = plan->total, end = count;
    for (size_t i = plan->n; i-- > 0;) {
        uint64_t at = plan->items[i].at;
        memmove(v + (at + shift) * size, v + at * size, (end - at) * size);
        shift -= plan->items[i].n;
        end = at;
    }
}

void ts_run_plan_close(const struct ts_run_plan *plan, void *values, size_t size, uint64_t count)
{
    uint8_t *v = values;
    uint64_t to = plan->n ? plan->items[0].at : 0;
    for (size_t i = 0; i < plan->n; i++) {
        uint64_t from = plan->items[i].at + plan->items[i].n;
        uint64_t end = i + 1 < plan->n ? plan->items[i + 1].at : count;
        memmove(v + to * size, v + from * size, (end - from) * size);
        to += end - from;
    }
}

static void enter_box(struct ts_run_cursor *c, uint32_t box)
{
    c->box = box;
    c->hint = (struct ts_box_hint){0};
}

/* The next members from c->at to to - 1, from one box. */
static bool next_part(const struct ts_run_set *s, struct ts_run_cursor *c, uint64_t to, struct ts_run *run,
                      uint64_t *ordinal)
{
    uint32_t box = (uint32_t)(c->at / TS_RUN_BOX_SIZE), at = c->at % TS_RUN_BOX_SIZE;
    struct ts_box_part part;
    to = to < s->end ? to : s->end;
    if (c->at >= to)
        return false;
    if (!c->known || box != c->box) {
        c->base = c->known && box == c->box + 1 ? c->base + s->boxes[c->box].count : sums_before(s, box);
        c->known = true;
        enter_box(c, box);
    }
    for (;; at = 0) {
        uint64_t base = (uint64_t)c->box * TS_RUN_BOX_SIZE;
        uint32_t until = to - base < TS_RUN_BOX_SIZE ? (uint32_t)(to - base) : TS_RUN_BOX_SIZE;
        if (ts_run_box_next(&s->boxes[c->box], at, until, &c->hint, &part)) {
            *run = (struct ts_run){base + part.first, part.last - part.first + 1};
            *ordinal = c->base + part.before;
            return true;
        }
        if (to - base <= TS_RUN_BOX_SIZE)
            return false;
        c->base += s->boxes[c->box].count;
        enter_box(c, c->box + 1);
    }
}

/* A run that ends with a box goes on in the next: makes `last` longer by what it has there, and *at greater. */
static void join_box(const struct ts_run_box *b, struct ts_run *last, uint64_t *at)
{
    struct ts_box_hint hint = {0};
    struct ts_box_part part;
    if (!ts_run_box_next(b, 0, TS_RUN_BOX_SIZE, &hint, &part) || part.first > 0)
        return;
    last->length += part.last + 1;
    *at += part.last + 1;
}

size_t ts_run_set_next(const struct ts_run_set *s, struct ts_run_cursor *c, struct ts_run *out, size_t max)
{
    size_t n = 0;
    while (c->at < s->end) {
        uint32_t box = (uint32_t)(c->at / TS_RUN_BOX_SIZE), from = c->at % TS_RUN_BOX_SIZE;
        uint64_t base = c->at - from;
        if (box != c->box)
            enter_box(c, box);
        if (from == 0 && n > 0 && out[n - 1].offset + out[n - 1].length == base) {
            join_box(&s->boxes[box], &out[n - 1], &c->at);
            if (c->at > base)
                continue;
        }
        if (n == max)
            break;
        n += ts_run_box_runs(&s->boxes[box], from, &c->hint, base, out + n, max - n);
        c->at = n < max ? base + TS_RUN_BOX_SIZE : out[n - 1].offset + out[n - 1].length;
    }
    return n;
}

uint64_t ts_run_set_rank_next(const struct ts_run_set *s, struct ts_run_cursor *c, uint64_t element)
{
    if (element >= s->end)
        return s->count;
    uint32_t box = (uint32_t)(element / TS_RUN_BOX_SIZE);
    if (!c->known || box != c->box) {
        c->base = c->known && box == c->box + 1 ? c->base + s->boxes[c->box].count : sums_before(s, box);
        c->known = true;
        enter_box(c, box);
    }
    return c->base + ts_run_box_rank(&s->boxes[box], element % TS_RUN_BOX_SIZE, &c->hint);
}

static bool same_runs(const struct ts_run_set *a, const struct ts_run_set *b)
{
    struct ts_run x[PORTION], y[PORTION];
    struct ts_run_cursor at_x = {0}, at_y = {0};
    for (size_t n; (n = ts_run_set_next(a, &at_x, x, PORTION)) > 0;)
        if (ts_run_set_next(b, &at_y, y, PORTION) != n || memcmp(x, y, n * sizeof *x) != 0)
            return false;
    return true;
}

bool ts_run_set_equal(const struct ts_run_set *a, const struct ts_run_set *b)
{
    bool same = true;
    if (a == b)
        return true;
    if (a->limit != b->limit || a->count != b->count || a->end != b->end)
        return false;
    for (uint32_t i = 0; i < a->n_boxes && same; i++) {
        if (a->boxes[i].count != b->boxes[i].count || a->boxes[i].n_runs != b->boxes[i].n_runs)
            return false;
        same = ts_run_box_same(&a->boxes[i], &b->boxes[i]);
    }
    return same || same_runs(a, b);
}

void ts_run_match_init(struct ts_run_match *m, const struct ts_run_set *s, const struct ts_strided *pieces, size_t n)
{
    *m = (struct ts_run_match){.set = s, .pieces = pieces, .n = n};
}

static void next_piece(struct ts_run_match *m)
{
    m->piece++;
    m->block = m->at = 0;
}

/* The next member lies at or behind `element`: blocks that end before it are passed over at once. */
static void skip_to(struct ts_run_match *m, const struct ts_strided *p, uint64_t element)
{
    uint64_t away = element - p->first, block = p->step ? away / p->step : m->block + 1;
    m->at = 0;
    if (block <= m->block) {
        m->block++;
        return;
    }
    m->block = block;
    m->at = p->step && away % p->step < p->n ? away % p->step : 0;
    if (p->step && away % p->step >= p->n)
        m->block++;
}

size_t ts_run_match_next(struct ts_run_match *m, struct ts_run_hit *out, size_t max)
{
    size_t n = 0;
    while (n < max && m->piece < m->n) {
        const struct ts_strided *p = &m->pieces[m->piece];
        struct ts_run run;
        uint64_t ordinal;
        if (m->block >= p->count || p->n == 0) {
            next_piece(m);
            continue;
        }
        uint64_t start = p->first + m->block * p->step, end = start + p->n;
        m->cursor.at = start + m->at;
        if (!next_part(m->set, &m->cursor, p->first + (p->count - 1) * p->step + p->n, &run, &ordinal)) {
            next_piece(m);
            continue;
        }
        if (run.offset >= end) {
            skip_to(m, p, run.offset);
            continue;
        }
        uint64_t length = run.offset + run.length > end ? end - run.offset : run.length;
        struct ts_run_hit *last = n ? &out[n - 1] : NULL;
        if (last && last->piece == m->piece && last->block == m->block && last->element + last->n == run.offset)
            last->n += length;
        else
            out[n++] = (struct ts_run_hit){run.offset, ordinal, length, m->piece, m->block};
        m->at = run.offset + length - start;
        if (m->at == p->n) {
            m->block++;
            m->at = 0;
        }
    }
    return n;
}

int ts_run_set_verify(const struct ts_run_set *s, const char **reason)
{
    uint64_t count = 0, end = 0;
    size_t bytes = 0;
    *reason = NULL;
    for (uint32_t i = 0; i < s->n_boxes; i++) {
        uint64_t left = s->limit - (uint64_t)i * TS_RUN_BOX_SIZE;
        if (sums_before(s, i) != count)
            *reason = "wrong sum of members before a box";
        const char *problem =
            ts_run_box_problem(&s->boxes[i], left < TS_RUN_BOX_SIZE ? (uint32_t)left : TS_RUN_BOX_SIZE);
        if (problem)
            *reason = problem;
        count += s->boxes[i].count;
        bytes += ts_run_box_bytes(&s->boxes[i]);
        if (s->boxes[i].count > 0 && !problem)
            end = (uint64_t)i * TS_RUN_BOX_SIZE + ts_run_box_end(&s->boxes[i]);
    }
    if (end != s->end)
        *reason = "wrong end";
    if (bytes != s->box_bytes)
        *reason = "wrong number of bytes";
    if (count != s->count)
        *reason = "wrong number of members";
    return *reason == NULL;
}
