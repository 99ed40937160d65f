#include "space/run_set.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "space/run_bin.h"

struct ts_run_set {
    _Atomic size_t refs;
    uint64_t limit, count;
    uint64_t end;     /* one behind the last member */
    size_t bin_bytes; /* of memory that all bins have */
    uint32_t n_bins;
    uint32_t *sums; /* members in bins as a Fenwick tree: sums[i] is of the i & -i bins that end before bin i */
    struct ts_run_bin bins[];
};

int ts_run_set_new(uint64_t limit, struct ts_run_set **out)
{
    if (limit == 0 || limit > UINT32_MAX)
        return TS_ERR(DATASPACE, BADRANGE, "a chunk of %llu elements has no set of them", (unsigned long long)limit);
    uint32_t n = (uint32_t)ts_div_ceil(limit, TS_RUN_BIN_SIZE);
    struct ts_run_set *s = ts_calloc(1, sizeof *s + n * sizeof *s->bins);
    if (!s)
        return -1;
    s->sums = ts_calloc((size_t)n + 1, sizeof *s->sums);
    if (!s->sums) {
        ts_free(s);
        return -1;
    }
    atomic_init(&s->refs, 1);
    s->limit = limit;
    s->n_bins = n;
    s->bin_bytes = n * sizeof *s->bins;
    *out = s;
    return 0;
}

void ts_run_set_free(struct ts_run_set *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < s->n_bins; i++)
        ts_run_bin_deinit(&s->bins[i]);
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
    memcpy(copy->sums, s->sums, ((size_t)s->n_bins + 1) * sizeof *s->sums);
    copy->count = s->count;
    copy->end = s->end;
    copy->bin_bytes = 0;
    for (uint32_t i = 0; i < s->n_bins; i++) {
        if (ts_run_bin_copy(&s->bins[i], &copy->bins[i]) < 0) {
            ts_run_set_free(copy);
            return -1;
        }
        copy->bin_bytes += ts_run_bin_bytes(&copy->bins[i]);
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
    for (uint32_t i = 0; i < s->n_bins; i++)
        n += s->bins[i].n_runs;
    return n;
}

size_t ts_run_set_bytes(const struct ts_run_set *s)
{
    return sizeof *s + ((size_t)s->n_bins + 1) * sizeof *s->sums + s->bin_bytes;
}

static void sums_add(struct ts_run_set *s, uint32_t bin, uint32_t more)
{
    for (uint32_t i = bin + 1; i <= s->n_bins; i += i & -i)
        s->sums[i] += more;
}

static uint64_t sums_before(const struct ts_run_set *s, uint32_t bin)
{
    uint64_t n = 0;
    for (uint32_t i = bin; i > 0; i -= i & -i)
        n += s->sums[i];
    return n;
}

uint64_t ts_run_set_rank(const struct ts_run_set *s, uint64_t element)
{
    struct ts_bin_hint hint = {0};
    if (element >= s->limit)
        return s->count;
    uint32_t bin = (uint32_t)(element / TS_RUN_BIN_SIZE);
    return sums_before(s, bin) + ts_run_bin_rank(&s->bins[bin], element % TS_RUN_BIN_SIZE, &hint);
}

/* A list of runs cut at the borders of bins. Runs that touch come as one span, so that spans have gaps between. */
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

/* Spans that fall into one bin, up to max; 0 at the end. */
static size_t cut_bin(struct cutter *c, uint32_t *bin, struct ts_bin_span *spans, size_t max)
{
    size_t n = 0;
    cut_load(c);
    uint64_t border = (c->at / TS_RUN_BIN_SIZE + 1) * TS_RUN_BIN_SIZE;
    *bin = (uint32_t)(c->at / TS_RUN_BIN_SIZE);
    while (n < max && c->at < c->end && c->at < border) {
        uint64_t to = c->end < border ? c->end : border;
        spans[n++] = (struct ts_bin_span){(uint16_t)c->at, (uint16_t)(to - 1)};
        c->at = to;
        cut_load(c);
    }
    return n;
}

/* As many spans as cut_bin would give of one bin, whatever their number; 0 at the end. */
static size_t cut_count(struct cutter *c, uint32_t *bin)
{
    size_t n = 0;
    cut_load(c);
    uint64_t border = (c->at / TS_RUN_BIN_SIZE + 1) * TS_RUN_BIN_SIZE;
    *bin = (uint32_t)(c->at / TS_RUN_BIN_SIZE);
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

static int reserve_bin(struct ts_run_set *s, struct ts_run_bin *bin, size_t spans)
{
    s->bin_bytes -= ts_run_bin_bytes(bin);
    int status = ts_run_bin_reserve(bin, spans);
    s->bin_bytes += ts_run_bin_bytes(bin);
    return status;
}

/* Room in every bin first, so that the change itself cannot fail half way. */
static int reserve(struct ts_run_set *s, const struct ts_run *runs, size_t n, bool add)
{
    struct cutter c = cut(runs, n);
    uint32_t bin;
    size_t spans;
    while ((spans = cut_count(&c, &bin)) > 0)
        if ((add || s->bins[bin].count > 0) && reserve_bin(s, &s->bins[bin], spans) < 0)
            return -1;
    return 0;
}

/* Changes that a set can take, for spans of one bin. */
typedef void (*bin_change)(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n);

static void change_bin(struct ts_run_set *s, uint32_t at, bin_change how, const struct ts_bin_span *spans, size_t n)
{
    struct ts_run_bin *bin = &s->bins[at];
    uint32_t had = bin->count;
    how(bin, spans, n);
    if (bin->count != had)
        sums_add(s, at, bin->count - had);
    s->count = s->count - had + bin->count;
}

static void refit_bin(struct ts_run_set *s, uint32_t at)
{
    struct ts_run_bin *bin = &s->bins[at];
    s->bin_bytes -= ts_run_bin_bytes(bin);
    ts_run_bin_refit(bin);
    s->bin_bytes += ts_run_bin_bytes(bin);
}

static void find_end(struct ts_run_set *s)
{
    uint64_t bins = s->count > 0 ? ts_div_ceil(s->end, TS_RUN_BIN_SIZE) : 0;
    while (bins > 0 && s->bins[bins - 1].count == 0)
        bins--;
    s->end = bins > 0 ? (bins - 1) * TS_RUN_BIN_SIZE + ts_run_bin_end(&s->bins[bins - 1]) : 0;
}

static int change(struct ts_run_set *s, const struct ts_run *runs, size_t n, bin_change how)
{
    bool add = how != ts_run_bin_remove;
    struct cutter c = cut(runs, n);
    struct ts_bin_span spans[PORTION];
    uint32_t bin;
    uint64_t end = 0;
    if (reserve(s, runs, n, add) < 0)
        return -1;
    for (size_t k; (k = cut_bin(&c, &bin, spans, PORTION)) > 0;) {
        if (add || s->bins[bin].count > 0)
            change_bin(s, bin, how, spans, k);
        end = (uint64_t)bin * TS_RUN_BIN_SIZE + spans[k - 1].last + 1;
        if (c.at == c.end || c.at / TS_RUN_BIN_SIZE != bin)
            refit_bin(s, bin);
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
    return change(s, runs, n, n > 0 && runs[0].offset >= s->end ? ts_run_bin_append : ts_run_bin_add);
}

int ts_run_set_append(struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    if (check_runs(s, runs, n) < 0)
        return -1;
    if (n > 0 && runs[0].offset < s->end)
        return TS_ERR(DATASPACE, BADRANGE, "a run from %llu on is not behind the end, %llu",
                      (unsigned long long)runs[0].offset, (unsigned long long)s->end);
    return change(s, runs, n, ts_run_bin_append);
}

int ts_run_set_remove(struct ts_run_set *s, const struct ts_run *runs, size_t n)
{
    return check_runs(s, runs, n) < 0 ? -1 : change(s, runs, n, ts_run_bin_remove);
}

int ts_run_builder_init(struct ts_run_builder *b, uint64_t limit)
{
    b->set = NULL;
    b->end = b->border = b->n = b->bin = 0;
    return ts_run_set_new(limit, &b->set);
}

void ts_run_builder_deinit(struct ts_run_builder *b)
{
    ts_run_set_free(b->set);
    b->set = NULL;
}

/* more: other spans of the same bin follow, so that a list that is full becomes a bitmap before it is made. */
static int flush(struct ts_run_builder *b, bool more)
{
    if (b->n == 0)
        return 0;
    if (reserve_bin(b->set, &b->set->bins[b->bin], b->n + more) < 0)
        return -1;
    change_bin(b->set, b->bin, ts_run_bin_append, b->spans, b->n);
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
        uint32_t bin = (uint32_t)(first / TS_RUN_BIN_SIZE);
        uint64_t border = ((uint64_t)bin + 1) * TS_RUN_BIN_SIZE, to = end < border ? end : border;
        if ((bin != b->bin || b->n == TS_RUN_BIN_LIST) && flush(b, bin == b->bin) < 0)
            return -1;
        b->bin = bin;
        b->border = border < limit ? border : limit;
        if (b->n > 0 && b->end == first)
            b->spans[b->n - 1].last = (uint16_t)(to - 1);
        else
            b->spans[b->n++] = (struct ts_bin_span){(uint16_t)first, (uint16_t)(to - 1)};
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

static int plan_new(struct ts_run_shifts *plan, uint64_t at, uint64_t n)
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

static int plan_gone(struct ts_run_shifts *plan, uint64_t at, uint64_t n)
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

/* One span against the members of its bin. */
static int plan_span(const struct ts_run_bin *bin, struct ts_bin_span span, uint64_t base, bool add,
                     struct ts_bin_hint *hint, struct ts_run_shifts *plan)
{
    for (uint32_t at = span.first; at <= span.last;) {
        struct ts_bin_part part;
        bool some = ts_run_bin_next(bin, at, span.last + 1u, hint, &part);
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

static int make_plan(const struct ts_run_set *s, const struct ts_run *runs, size_t n, bool add,
                     struct ts_run_shifts *out)
{
    struct ts_run_shifts plan = {0};
    struct cutter c = cut(runs, n);
    struct ts_bin_span spans[PORTION];
    struct ts_bin_hint hint = {0};
    uint32_t bin, last = UINT32_MAX;
    uint64_t base = 0;
    size_t k;
    int status = check_runs(s, runs, n);
    while (status == 0 && (k = cut_bin(&c, &bin, spans, PORTION)) > 0) {
        if (bin != last) {
            base = last != UINT32_MAX && bin == last + 1 ? base + s->bins[last].count : sums_before(s, bin);
            hint = (struct ts_bin_hint){0};
            last = bin;
        }
        for (size_t i = 0; i < k && status == 0; i++)
            status = plan_span(&s->bins[bin], spans[i], base, add, &hint, &plan);
    }
    if (status < 0) {
        ts_run_shifts_deinit(&plan);
        return -1;
    }
    *out = plan;
    return 0;
}

int ts_run_set_shifts_of_add(const struct ts_run_set *s, const struct ts_run *runs, size_t n, struct ts_run_shifts *out)
{
    return make_plan(s, runs, n, true, out);
}

int ts_run_set_shifts_of_remove(const struct ts_run_set *s, const struct ts_run *runs, size_t n,
                                struct ts_run_shifts *out)
{
    return make_plan(s, runs, n, false, out);
}

void ts_run_shifts_deinit(struct ts_run_shifts *plan)
{
    ts_free(plan->items);
    *plan = (struct ts_run_shifts){0};
}

void ts_run_shifts_open(const struct ts_run_shifts *plan, void *values, size_t size, uint64_t count)
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

void ts_run_shifts_close(const struct ts_run_shifts *plan, void *values, size_t size, uint64_t count)
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

static void enter_bin(struct ts_run_cursor *c, uint32_t bin)
{
    c->bin = bin;
    c->hint = (struct ts_bin_hint){0};
}

/* The next members from c->at to to - 1, from one bin. */
static bool next_part(const struct ts_run_set *s, struct ts_run_cursor *c, uint64_t to, struct ts_run *run,
                      uint64_t *ordinal)
{
    uint32_t bin = (uint32_t)(c->at / TS_RUN_BIN_SIZE), at = c->at % TS_RUN_BIN_SIZE;
    struct ts_bin_part part;
    to = to < s->end ? to : s->end;
    if (c->at >= to)
        return false;
    if (!c->known || bin != c->bin) {
        c->base = c->known && bin == c->bin + 1 ? c->base + s->bins[c->bin].count : sums_before(s, bin);
        c->known = true;
        enter_bin(c, bin);
    }
    for (;; at = 0) {
        uint64_t base = (uint64_t)c->bin * TS_RUN_BIN_SIZE;
        uint32_t until = to - base < TS_RUN_BIN_SIZE ? (uint32_t)(to - base) : TS_RUN_BIN_SIZE;
        if (ts_run_bin_next(&s->bins[c->bin], at, until, &c->hint, &part)) {
            *run = (struct ts_run){base + part.first, part.last - part.first + 1};
            *ordinal = c->base + part.before;
            return true;
        }
        if (to - base <= TS_RUN_BIN_SIZE)
            return false;
        c->base += s->bins[c->bin].count;
        enter_bin(c, c->bin + 1);
    }
}

/* A run that ends with a bin goes on in the next: makes `last` longer by what it has there, and *at greater. */
static void join_bin(const struct ts_run_bin *b, struct ts_run *last, uint64_t *at)
{
    struct ts_bin_hint hint = {0};
    struct ts_bin_part part;
    if (!ts_run_bin_next(b, 0, TS_RUN_BIN_SIZE, &hint, &part) || part.first > 0)
        return;
    last->length += part.last + 1;
    *at += part.last + 1;
}

size_t ts_run_set_next(const struct ts_run_set *s, struct ts_run_cursor *c, struct ts_run *out, size_t max)
{
    size_t n = 0;
    while (c->at < s->end) {
        uint32_t bin = (uint32_t)(c->at / TS_RUN_BIN_SIZE), from = c->at % TS_RUN_BIN_SIZE;
        uint64_t base = c->at - from;
        if (bin != c->bin)
            enter_bin(c, bin);
        if (from == 0 && n > 0 && out[n - 1].offset + out[n - 1].length == base) {
            join_bin(&s->bins[bin], &out[n - 1], &c->at);
            if (c->at > base)
                continue;
        }
        if (n == max)
            break;
        n += ts_run_bin_runs(&s->bins[bin], from, &c->hint, base, out + n, max - n);
        c->at = n < max ? base + TS_RUN_BIN_SIZE : out[n - 1].offset + out[n - 1].length;
    }
    return n;
}

uint64_t ts_run_set_rank_next(const struct ts_run_set *s, struct ts_run_cursor *c, uint64_t element)
{
    if (element >= s->end)
        return s->count;
    uint32_t bin = (uint32_t)(element / TS_RUN_BIN_SIZE);
    if (!c->known || bin != c->bin) {
        c->base = c->known && bin == c->bin + 1 ? c->base + s->bins[c->bin].count : sums_before(s, bin);
        c->known = true;
        enter_bin(c, bin);
    }
    return c->base + ts_run_bin_rank(&s->bins[bin], element % TS_RUN_BIN_SIZE, &c->hint);
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
    for (uint32_t i = 0; i < a->n_bins && same; i++) {
        if (a->bins[i].count != b->bins[i].count || a->bins[i].n_runs != b->bins[i].n_runs)
            return false;
        same = ts_run_bin_same(&a->bins[i], &b->bins[i]);
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
    for (uint32_t i = 0; i < s->n_bins; i++) {
        uint64_t left = s->limit - (uint64_t)i * TS_RUN_BIN_SIZE;
        if (sums_before(s, i) != count)
            *reason = "wrong sum of members before a bin";
        const char *problem =
            ts_run_bin_problem(&s->bins[i], left < TS_RUN_BIN_SIZE ? (uint32_t)left : TS_RUN_BIN_SIZE);
        if (problem)
            *reason = problem;
        count += s->bins[i].count;
        bytes += ts_run_bin_bytes(&s->bins[i]);
        if (s->bins[i].count > 0 && !problem)
            end = (uint64_t)i * TS_RUN_BIN_SIZE + ts_run_bin_end(&s->bins[i]);
    }
    if (end != s->end)
        *reason = "wrong end";
    if (bytes != s->bin_bytes)
        *reason = "wrong number of bytes";
    if (count != s->count)
        *reason = "wrong number of members";
    return *reason == NULL;
}
