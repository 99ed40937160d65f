#include "space/run_set.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "space/run_box.h"

struct ts_run_set {
    uint64_t limit, count;
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
    s->limit = limit;
    s->n_boxes = n;
    s->box_bytes = n * sizeof *s->boxes;
    *out = s;
    return 0;
}

int ts_run_set_copy(const struct ts_run_set *s, struct ts_run_set **out)
{
    struct ts_run_set *copy;
    if (ts_run_set_new(s->limit, &copy) < 0)
        return -1;
    memcpy(copy->sums, s->sums, ((size_t)s->n_boxes + 1) * sizeof *s->sums);
    copy->count = s->count;
    for (uint32_t i = 0; i < s->n_boxes; i++) {
        if (ts_run_box_copy(&copy->boxes[i], &s->boxes[i]) < 0) {
            ts_run_set_free(copy);
            return -1;
        }
        copy->box_bytes += ts_run_box_bytes(&copy->boxes[i]) - sizeof *copy->boxes;
    }
    *out = copy;
    return 0;
}

void ts_run_set_free(struct ts_run_set *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n_boxes; i++)
        ts_run_box_deinit(&s->boxes[i]);
    ts_free(s->sums);
    ts_free(s);
}

uint64_t ts_run_set_limit(const struct ts_run_set *s)
{
    return s->limit;
}

uint64_t ts_run_set_count(const struct ts_run_set *s)
{
    return s->count;
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

bool ts_run_set_contains(const struct ts_run_set *s, uint64_t element)
{
    struct ts_box_part part;
    size_t hint = 0;
    uint32_t at = element % TS_RUN_BOX_SIZE;
    return element < s->limit && ts_run_box_next(&s->boxes[element / TS_RUN_BOX_SIZE], at, &hint, &part) &&
           part.first == at;
}

uint64_t ts_run_set_rank(const struct ts_run_set *s, uint64_t element)
{
    struct ts_box_part part;
    size_t hint = 0;
    if (element >= s->limit)
        return s->count;
    uint32_t box = (uint32_t)(element / TS_RUN_BOX_SIZE);
    ts_run_box_next(&s->boxes[box], element % TS_RUN_BOX_SIZE, &hint, &part);
    return sums_before(s, box) + part.before;
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

static bool cut_next(struct cutter *c, uint32_t *box, struct ts_box_span *span)
{
    while (c->left > 0 && (c->at == c->end || c->runs->offset == c->end || c->runs->length == 0)) {
        if (c->at == c->end)
            c->at = c->end = c->runs->offset;
        c->end += c->runs->length;
        c->runs++;
        c->left--;
    }
    if (c->at == c->end)
        return false;
    uint64_t border = (c->at / TS_RUN_BOX_SIZE + 1) * TS_RUN_BOX_SIZE, to = c->end < border ? c->end : border;
    *box = (uint32_t)(c->at / TS_RUN_BOX_SIZE);
    *span = (struct ts_box_span){(uint16_t)(c->at % TS_RUN_BOX_SIZE), (uint16_t)((to - 1) % TS_RUN_BOX_SIZE)};
    c->at = to;
    return true;
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

/* The spans that fall into one box, up to a portion of them. */
struct portion {
    struct cutter cut;
    struct ts_box_span next, spans[PORTION];
    uint32_t next_box, box;
    bool more;
    size_t n;
};

static void portions(struct portion *p, const struct ts_run *runs, size_t n)
{
    p->cut = cut(runs, n);
    p->more = cut_next(&p->cut, &p->next_box, &p->next);
}

static bool portion_next(struct portion *p)
{
    if (!p->more)
        return false;
    p->box = p->next_box;
    for (p->n = 0; p->more && p->next_box == p->box && p->n < PORTION;) {
        p->spans[p->n++] = p->next;
        p->more = cut_next(&p->cut, &p->next_box, &p->next);
    }
    return true;
}

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
    struct ts_box_span span;
    uint32_t box, last = 0;
    size_t spans = 0;
    while (cut_next(&c, &box, &span)) {
        if (!add && s->boxes[box].count == 0)
            continue;
        if (box != last && spans > 0) {
            if (reserve_box(s, &s->boxes[last], spans) < 0)
                return -1;
            spans = 0;
        }
        last = box;
        spans++;
    }
    return spans > 0 ? reserve_box(s, &s->boxes[last], spans) : 0;
}

static int change(struct ts_run_set *s, const struct ts_run *runs, size_t n, bool add)
{
    struct portion p;
    if (check_runs(s, runs, n) < 0 || reserve(s, runs, n, add) < 0)
        return -1;
    portions(&p, runs, n);
    while (portion_next(&p)) {
        struct ts_run_box *box = &s->boxes[p.box];
        uint32_t had = box->count;
        s->box_bytes -= ts_run_box_bytes(box);
        if (add)
            ts_run_box_add(box, p.spans, p.n);
        else if (had > 0)
            ts_run_box_remove(box, p.spans, p.n);
        if (box->count != had)
            sums_add(s, p.box, box->count - had);
        s->count = s->count - had + box->count;
        if (!p.more || p.next_box != p.box)
            ts_run_box_settle(box);
        s->box_bytes += ts_run_box_bytes(box);
    }
    return 0;
}

int ts_run_set_add(struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    return change(s, runs, n, true);
}

int ts_run_set_remove(struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    return change(s, runs, n, false);
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
static int plan_span(const struct ts_run_box *box, struct ts_box_span span, uint64_t base, bool add, size_t *hint,
                     struct ts_run_plan *plan)
{
    for (uint32_t at = span.first; at <= span.last;) {
        struct ts_box_part part;
        bool some = ts_run_box_next(box, at, hint, &part) && part.first <= span.last;
        uint32_t gap_end = some ? part.first : span.last + 1u;
        if (add && gap_end > at && plan_new(plan, base + part.before, gap_end - at) < 0)
            return -1;
        if (!some)
            return 0;
        uint32_t last = part.last < span.last ? part.last : span.last;
        if (!add && plan_gone(plan, base + part.before, last - part.first + 1) < 0)
            return -1;
        at = last + 1;
    }
    return 0;
}

static int make_plan(const struct ts_run_set *s, const struct ts_run *runs, size_t n, bool add, struct ts_run_plan *out)
{
    struct ts_run_plan plan = {0};
    struct cutter c = cut(runs, n);
    struct ts_box_span span;
    uint32_t box, last = UINT32_MAX;
    uint64_t base = 0;
    size_t hint = 0;
    int status = check_runs(s, runs, n);
    while (status == 0 && cut_next(&c, &box, &span)) {
        if (box != last) {
            base = last != UINT32_MAX && box == last + 1 ? base + s->boxes[last].count : sums_before(s, box);
            hint = 0;
            last = box;
        }
        status = plan_span(&s->boxes[box], span, base, add, &hint, &plan);
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

/* The next members at or behind c->at, from one box. */
static bool next_part(const struct ts_run_set *s, struct ts_run_cursor *c, struct ts_run *run, uint64_t *ordinal)
{
    uint32_t box = (uint32_t)(c->at / TS_RUN_BOX_SIZE), at = c->at % TS_RUN_BOX_SIZE;
    struct ts_box_part part;
    if (c->at >= s->limit)
        return false;
    if (!c->known || box != c->box) {
        c->base = c->known && box == c->box + 1 ? c->base + s->boxes[c->box].count : sums_before(s, box);
        c->box = box;
        c->known = true;
        c->hint = 0;
    }
    while (!ts_run_box_next(&s->boxes[c->box], at, &c->hint, &part)) {
        c->base += part.before;
        if (++c->box == s->n_boxes) {
            c->known = false;
            return false;
        }
        c->hint = 0;
        at = 0;
    }
    *run = (struct ts_run){(uint64_t)c->box * TS_RUN_BOX_SIZE + part.first, part.last - part.first + 1};
    *ordinal = c->base + part.before;
    return true;
}

size_t ts_run_set_next(const struct ts_run_set *s, struct ts_run_cursor *c, struct ts_run *out, size_t max)
{
    size_t n = 0;
    struct ts_run run;
    uint64_t ordinal;
    while (next_part(s, c, &run, &ordinal)) {
        bool joins = n && out[n - 1].offset + out[n - 1].length == run.offset;
        if (!joins && n == max)
            break;
        if (joins)
            out[n - 1].length += run.length;
        else
            out[n++] = run;
        c->at = run.offset + run.length;
    }
    return n;
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
        if (!next_part(m->set, &m->cursor, &run, &ordinal)) {
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
    uint64_t count = 0;
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
    }
    if (bytes != s->box_bytes)
        *reason = "wrong number of bytes";
    if (count != s->count)
        *reason = "wrong number of members";
    return *reason == NULL;
}
