#include "space/run_box.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* More runs than this take more room than a bitmap. A bitmap becomes a list again only when it has clearly fewer, so
 * that one run more or less does not convert it each time. */
#define MOST_RUNS (sizeof(struct ts_box_bits) / sizeof(struct ts_box_run))
#define FEW_RUNS (MOST_RUNS * 3 / 4)

void ts_run_box_deinit(struct ts_run_box *b)
{
    ts_free(b->runs);
    *b = (struct ts_run_box){0};
}

static size_t content_bytes(const struct ts_run_box *b)
{
    return b->dense ? sizeof *b->bits : b->capacity * sizeof *b->runs;
}

size_t ts_run_box_bytes(const struct ts_run_box *b)
{
    return sizeof *b + content_bytes(b);
}

int ts_run_box_copy(struct ts_run_box *dst, const struct ts_run_box *src)
{
    *dst = *src;
    if (!src->runs)
        return 0;
    dst->runs = ts_malloc(content_bytes(src));
    if (!dst->runs) {
        *dst = (struct ts_run_box){0};
        return -1;
    }
    memcpy(dst->runs, src->runs, src->dense ? sizeof *src->bits : src->n_runs * sizeof *src->runs);
    return 0;
}

/* The bits first..last of a word. */
static uint64_t word_mask(uint32_t first, uint32_t last)
{
    return UINT64_MAX << first & UINT64_MAX >> (63 - last);
}

static void fill(uint64_t *words, struct ts_box_span s, bool set)
{
    for (uint32_t w = s.first / 64; w <= s.last / 64u; w++) {
        uint64_t mask = word_mask(w == s.first / 64u ? s.first % 64 : 0, w == s.last / 64u ? s.last % 64 : 63);
        words[w] = set ? words[w] | mask : words[w] & ~mask;
    }
}

/* Runs that start in the words from..to. */
static uint32_t starts(const uint64_t *words, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    uint64_t carry = from ? words[from - 1] >> 63 : 0;
    for (uint32_t w = from; w <= to; w++) {
        n += (uint32_t)__builtin_popcountll(words[w] & ~(words[w] << 1 | carry));
        carry = words[w] >> 63;
    }
    return n;
}

/* Sets the numbers of members before each block anew, where blocks from..to have changed; returns how many more there
 * are now, modulo 2^32. */
static uint32_t recount(struct ts_box_bits *bits, uint32_t count, uint32_t from, uint32_t to)
{
    uint32_t sum = bits->before[from], old = to + 1 < TS_RUN_BOX_BLOCKS ? bits->before[to + 1] : count;
    for (uint32_t k = from; k <= to; k++) {
        bits->before[k] = (uint16_t)sum;
        for (uint32_t w = 8 * k; w < 8 * k + 8; w++)
            sum += (uint32_t)__builtin_popcountll(bits->words[w]);
    }
    for (uint32_t k = to + 1; k < TS_RUN_BOX_BLOCKS; k++)
        bits->before[k] = (uint16_t)(bits->before[k] + (sum - old));
    return sum - old;
}

static int to_bits(struct ts_run_box *b)
{
    struct ts_box_bits *bits = ts_calloc(1, sizeof *bits);
    if (!bits)
        return -1;
    for (uint32_t i = 0; i < b->n_runs; i++)
        fill(bits->words, (struct ts_box_span){b->runs[i].first, b->runs[i].last}, true);
    recount(bits, 0, 0, TS_RUN_BOX_BLOCKS - 1);
    ts_free(b->runs);
    b->bits = bits;
    b->dense = true;
    b->capacity = 0;
    return 0;
}

/* The first member at or behind `from`, or the first number that is none: TS_RUN_BOX_SIZE at the end. */
static uint32_t find_bit(const uint64_t *words, uint32_t from, bool set)
{
    if (from >= TS_RUN_BOX_SIZE)
        return TS_RUN_BOX_SIZE;
    uint32_t w = from / 64;
    uint64_t word = (set ? words[w] : ~words[w]) & UINT64_MAX << from % 64;
    while (word == 0) {
        if (++w == TS_RUN_BOX_WORDS)
            return TS_RUN_BOX_SIZE;
        word = set ? words[w] : ~words[w];
    }
    return 64 * w + (uint32_t)__builtin_ctzll(word);
}

static void to_runs(struct ts_run_box *b)
{
    unsigned mark = ts_err_mark();
    struct ts_box_run *runs = ts_malloc(b->n_runs * sizeof *runs);
    if (!runs) { /* it was only to save memory */
        ts_err_rewind(mark);
        return;
    }
    uint32_t at = 0, before = 0;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        uint32_t first = find_bit(b->bits->words, at, true);
        at = find_bit(b->bits->words, first, false);
        runs[i] = (struct ts_box_run){(uint16_t)first, (uint16_t)(at - 1), (uint16_t)before};
        before += at - first;
    }
    ts_free(b->bits);
    b->runs = runs;
    b->dense = false;
    b->capacity = b->n_runs;
}

static int set_capacity(struct ts_run_box *b, uint32_t capacity)
{
    struct ts_box_run *runs = ts_realloc(b->runs, capacity * sizeof *runs);
    if (!runs)
        return -1;
    b->runs = runs;
    b->capacity = capacity;
    return 0;
}

int ts_run_box_reserve(struct ts_run_box *b, size_t n)
{
    if (b->dense || b->n_runs + n <= b->capacity)
        return 0;
    size_t need = b->n_runs + n, roomy = b->capacity + b->capacity / 2;
    if (need > MOST_RUNS)
        return to_bits(b);
    size_t capacity = roomy > MOST_RUNS ? MOST_RUNS : roomy;
    return set_capacity(b, (uint32_t)(need > capacity ? need : capacity));
}

/* The first run that ends at or behind `at`; n_runs when there is none. Looks from *hint on first, then everywhere. */
static size_t find_run(const struct ts_run_box *b, uint32_t at, size_t hint)
{
    size_t low = 0, high = b->n_runs;
    if (hint < high && b->runs[hint].last < at) {
        size_t step = 1;
        low = hint + 1;
        while (low + step < high && b->runs[low + step].last < at) {
            low += step + 1;
            step *= 2;
        }
        high = low + step < high ? low + step : high;
    } else if (hint < high && (hint == 0 || b->runs[hint - 1].last < at))
        return hint;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (b->runs[mid].last < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void number_runs(struct ts_run_box *b)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        b->runs[i].before = (uint16_t)before;
        before += b->runs[i].last - b->runs[i].first + 1u;
    }
    b->count = before;
}

/* One span among the runs, joined with those that it meets. */
static void add_span(struct ts_run_box *b, struct ts_box_span s)
{
    uint32_t first = s.first, last = s.last;
    size_t i = find_run(b, first ? first - 1 : 0, 0), j = i;
    uint32_t before = i < b->n_runs ? b->runs[i].before : b->count, had = 0;
    for (; j < b->n_runs && b->runs[j].first <= last + 1; j++)
        had += b->runs[j].last - b->runs[j].first + 1u;
    if (j > i) {
        first = b->runs[i].first < first ? b->runs[i].first : first;
        last = b->runs[j - 1].last > last ? b->runs[j - 1].last : last;
    }
    uint32_t more = last - first + 1 - had;
    if (j != i + 1)
        memmove(b->runs + i + 1, b->runs + j, (b->n_runs - j) * sizeof *b->runs);
    b->n_runs = (uint32_t)(b->n_runs - (j - i) + 1);
    b->runs[i] = (struct ts_box_run){(uint16_t)first, (uint16_t)last, (uint16_t)before};
    for (size_t k = i + 1; k < b->n_runs; k++)
        b->runs[k].before = (uint16_t)(b->runs[k].before + more);
    b->count += more;
}

static void add_spans(struct ts_run_box *b, const struct ts_box_span *spans, size_t n)
{
    struct ts_box_run merged[MOST_RUNS];
    size_t i = 0, k = 0, made = 0;
    while (i < b->n_runs || k < n) {
        bool old = k == n || (i < b->n_runs && b->runs[i].first <= spans[k].first);
        uint32_t first = old ? b->runs[i].first : spans[k].first, last = old ? b->runs[i].last : spans[k].last;
        i += old;
        k += !old;
        struct ts_box_run *prev = made ? &merged[made - 1] : NULL;
        if (prev && first <= prev->last + 1u)
            prev->last = last > prev->last ? (uint16_t)last : prev->last;
        else
            merged[made++] = (struct ts_box_run){(uint16_t)first, (uint16_t)last, 0};
    }
    memcpy(b->runs, merged, made * sizeof *merged);
    b->n_runs = (uint32_t)made;
    number_runs(b);
}

static void remove_spans(struct ts_run_box *b, const struct ts_box_span *spans, size_t n)
{
    struct ts_box_run kept[MOST_RUNS];
    size_t k = 0, made = 0;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        uint32_t at = b->runs[i].first, last = b->runs[i].last;
        while (k < n && spans[k].last < at)
            k++;
        for (; k < n && spans[k].first <= last; k++) {
            if (spans[k].first > at)
                kept[made++] = (struct ts_box_run){(uint16_t)at, (uint16_t)(spans[k].first - 1), 0};
            at = spans[k].last + 1u;
            if (at > last)
                break;
        }
        if (at <= last)
            kept[made++] = (struct ts_box_run){(uint16_t)at, (uint16_t)last, 0};
    }
    memcpy(b->runs, kept, made * sizeof *kept);
    b->n_runs = (uint32_t)made;
    number_runs(b);
}

static void change_bits(struct ts_run_box *b, const struct ts_box_span *spans, size_t n, bool set)
{
    struct ts_box_bits *bits = b->bits;
    /* The run behind the last span may start or stop being one of its own. */
    uint32_t from = spans[0].first / 64, last = spans[n - 1].last / 64,
             to = last + 1 < TS_RUN_BOX_WORDS ? last + 1 : last;
    uint32_t was = starts(bits->words, from, to);
    for (size_t i = 0; i < n; i++)
        fill(bits->words, spans[i], set);
    b->n_runs += starts(bits->words, from, to) - was;
    b->count += recount(bits, b->count, from / 8, last / 8);
}

void ts_run_box_add(struct ts_run_box *b, const struct ts_box_span *spans, size_t n)
{
    if (b->dense)
        change_bits(b, spans, n, true);
    else if (n == 1)
        add_span(b, spans[0]);
    else
        add_spans(b, spans, n);
}

void ts_run_box_remove(struct ts_run_box *b, const struct ts_box_span *spans, size_t n)
{
    if (b->dense)
        change_bits(b, spans, n, false);
    else if (b->count > 0)
        remove_spans(b, spans, n);
}

void ts_run_box_settle(struct ts_run_box *b)
{
    if (b->count == 0)
        ts_run_box_deinit(b);
    else if (b->dense && b->n_runs <= FEW_RUNS)
        to_runs(b);
    else if (b->capacity > 8 && b->n_runs < b->capacity / 4) {
        unsigned mark = ts_err_mark();
        if (set_capacity(b, 2 * b->n_runs) < 0)
            ts_err_rewind(mark);
    }
}

static uint32_t bits_before(const struct ts_box_bits *bits, uint32_t at)
{
    uint32_t n = bits->before[at / 512];
    for (uint32_t w = at / 512 * 8; w < at / 64; w++)
        n += (uint32_t)__builtin_popcountll(bits->words[w]);
    return n + (uint32_t)__builtin_popcountll(bits->words[at / 64] & ~(UINT64_MAX << at % 64));
}

bool ts_run_box_next(const struct ts_run_box *b, uint32_t from, size_t *hint, struct ts_box_part *part)
{
    part->before = b->count;
    if (b->count == 0)
        return false;
    if (b->dense) {
        part->first = find_bit(b->bits->words, from, true);
        if (part->first == TS_RUN_BOX_SIZE)
            return false;
        part->last = find_bit(b->bits->words, part->first, false) - 1;
        part->before = bits_before(b->bits, part->first);
        return true;
    }
    size_t i = *hint = find_run(b, from, *hint);
    if (i == b->n_runs)
        return false;
    const struct ts_box_run *r = &b->runs[i];
    part->first = from > r->first ? from : r->first;
    part->last = r->last;
    part->before = r->before + (part->first - r->first);
    return true;
}

static const char *runs_problem(const struct ts_run_box *b)
{
    uint32_t before = 0;
    if (b->n_runs > b->capacity || b->capacity > MOST_RUNS)
        return "more runs than there is room for";
    for (uint32_t i = 0; i < b->n_runs; i++) {
        const struct ts_box_run *r = &b->runs[i];
        if (r->first > r->last)
            return "a run ends before it starts";
        if (i > 0 && r->first <= b->runs[i - 1].last + 1u)
            return "two runs meet";
        if (r->before != (uint16_t)before)
            return "wrong number of members before a run";
        before += r->last - r->first + 1u;
    }
    return before == b->count ? NULL : "wrong number of members in the runs";
}

static const char *bits_problem(const struct ts_run_box *b)
{
    uint32_t before = 0;
    for (uint32_t w = 0; w < TS_RUN_BOX_WORDS; w++) {
        if (w % 8 == 0 && b->bits->before[w / 8] != (uint16_t)before)
            return "wrong number of members before a block";
        before += (uint32_t)__builtin_popcountll(b->bits->words[w]);
    }
    if (before != b->count)
        return "wrong number of members in the bitmap";
    return starts(b->bits->words, 0, TS_RUN_BOX_WORDS - 1) == b->n_runs ? NULL : "wrong number of runs in the bitmap";
}

const char *ts_run_box_problem(const struct ts_run_box *b, uint32_t limit)
{
    if (b->count == 0)
        return b->n_runs ? "an empty box with runs" : NULL;
    const char *problem = b->dense ? bits_problem(b) : runs_problem(b);
    if (problem || limit >= TS_RUN_BOX_SIZE)
        return problem;
    size_t hint = 0;
    struct ts_box_part part;
    bool behind = ts_run_box_next(b, limit, &hint, &part);
    return behind ? "a member behind the limit" : NULL;
}
