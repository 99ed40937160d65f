#include "space/run_bin.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

#define MOST_RUNS TS_RUN_BIN_LIST
/* A bitmap becomes a list again only when it has clearly fewer, so that one run more or less does not convert it each
 * time. */
#define FEW_RUNS (MOST_RUNS * 3 / 4)

void ts_run_bin_deinit(struct ts_run_bin *b)
{
    ts_free(b->runs);
    *b = (struct ts_run_bin){0};
}

static size_t content_bytes(const struct ts_run_bin *b)
{
    return b->dense ? sizeof *b->bits : b->capacity * sizeof *b->runs;
}

size_t ts_run_bin_bytes(const struct ts_run_bin *b)
{
    return sizeof *b + content_bytes(b);
}

int ts_run_bin_copy(const struct ts_run_bin *b, struct ts_run_bin *out)
{
    struct ts_run_bin copy = *b;
    if (b->count == 0)
        return 0;
    copy.capacity = b->dense ? 0 : b->n_runs;
    copy.runs = ts_memdup(b->runs, b->dense ? sizeof *b->bits : b->n_runs * sizeof *b->runs);
    if (!copy.runs)
        return -1;
    *out = copy;
    return 0;
}

bool ts_run_bin_same(const struct ts_run_bin *a, const struct ts_run_bin *b)
{
    if (a->count != b->count || a->n_runs != b->n_runs || a->dense != b->dense)
        return false;
    return a->count == 0 ||
           memcmp(a->runs, b->runs, a->dense ? sizeof a->bits->words : a->n_runs * sizeof *a->runs) == 0;
}

/* The compiler's own is a call where the instruction cannot be taken for granted. */
static inline uint32_t count_bits(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* The bits first..last of a word. */
static uint64_t word_mask(uint32_t first, uint32_t last)
{
    return UINT64_MAX << first & UINT64_MAX >> (63 - last);
}

static void fill(uint64_t *words, struct ts_bin_span s, bool set)
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
        n += count_bits(words[w] & ~(words[w] << 1 | carry));
        carry = words[w] >> 63;
    }
    return n;
}

/* Sets the numbers of members before each block anew, where blocks from..to have changed; returns how many more there
 * are now, modulo 2^32. */
static uint32_t recount(struct ts_bin_bits *bits, uint32_t count, uint32_t from, uint32_t to)
{
    uint32_t sum = bits->before[from], old = to + 1 < TS_RUN_BIN_BLOCKS ? bits->before[to + 1] : count;
    for (uint32_t k = from; k <= to; k++) {
        bits->before[k] = (uint16_t)sum;
        for (uint32_t w = 8 * k; w < 8 * k + 8; w++)
            sum += count_bits(bits->words[w]);
    }
    for (uint32_t k = to + 1; k < TS_RUN_BIN_BLOCKS; k++)
        bits->before[k] = (uint16_t)(bits->before[k] + (sum - old));
    return sum - old;
}

/* A span behind all members, of which there are `count`. *block is the last one that `before` is right for. */
static inline void append_bits(struct ts_bin_bits *bits, struct ts_bin_span s, uint32_t count, uint32_t *block)
{
    while (*block < s.first / 512u)
        bits->before[++*block] = (uint16_t)count;
    if (s.first == s.last) {
        bits->words[s.first / 64] |= UINT64_C(1) << s.first % 64;
        return;
    }
    fill(bits->words, s, true);
    while (*block < s.last / 512u) {
        ++*block;
        bits->before[*block] = (uint16_t)(count + 512 * *block - s.first);
    }
}

static void append_done(struct ts_bin_bits *bits, uint32_t count, uint32_t block)
{
    while (++block < TS_RUN_BIN_BLOCKS)
        bits->before[block] = (uint16_t)count;
}

static int to_bits(struct ts_run_bin *b)
{
    struct ts_bin_bits *bits = ts_calloc(1, sizeof *bits);
    uint32_t block = 0;
    if (!bits)
        return -1;
    for (uint32_t i = 0; i < b->n_runs; i++)
        append_bits(bits, (struct ts_bin_span){b->runs[i].first, b->runs[i].last}, b->runs[i].before, &block);
    append_done(bits, b->count, block);
    ts_free(b->runs);
    b->bits = bits;
    b->dense = true;
    b->capacity = 0;
    return 0;
}

/* The first member from..to - 1, or the first number that is none: `to` when there is none. */
static uint32_t find_bit(const uint64_t *words, uint32_t from, uint32_t to, bool set)
{
    if (from >= to)
        return to;
    uint32_t w = from / 64, last = (to - 1) / 64;
    uint64_t word = (set ? words[w] : ~words[w]) & UINT64_MAX << from % 64;
    while (word == 0) {
        if (++w > last)
            return to;
        word = set ? words[w] : ~words[w];
    }
    uint32_t at = 64 * w + (uint32_t)__builtin_ctzll(word);
    return at < to ? at : to;
}

/* Up to max runs of members at or behind `from`, with `base` added. */
static size_t bits_runs(const uint64_t *words, uint32_t from, uint64_t base, struct ts_run *out, size_t max)
{
    uint32_t w = from / 64;
    uint64_t word = words[w] & UINT64_MAX << from % 64;
    for (size_t n = 0; n < max; n++) {
        while (word == 0) {
            if (++w == TS_RUN_BIN_WORDS)
                return n;
            word = words[w];
        }
        uint32_t first = 64 * w + (uint32_t)__builtin_ctzll(word);
        word |= word - 1; /* ones up to the run's end */
        while (word == UINT64_MAX && ++w < TS_RUN_BIN_WORDS)
            word = words[w];
        uint32_t end = w < TS_RUN_BIN_WORDS ? 64 * w + (uint32_t)__builtin_ctzll(~word) : TS_RUN_BIN_SIZE;
        out[n] = (struct ts_run){base + first, end - first};
        if (w == TS_RUN_BIN_WORDS)
            return n + 1;
        word &= word + 1; /* without them */
    }
    return max;
}

static void to_runs(struct ts_run_bin *b)
{
    unsigned mark = ts_err_mark();
    struct ts_bin_run *runs = ts_malloc(b->n_runs * sizeof *runs);
    if (!runs) { /* it was only to save memory */
        ts_err_rewind(mark);
        return;
    }
    uint32_t at = 0, before = 0;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        uint32_t first = find_bit(b->bits->words, at, TS_RUN_BIN_SIZE, true);
        at = find_bit(b->bits->words, first, TS_RUN_BIN_SIZE, false);
        runs[i] = (struct ts_bin_run){(uint16_t)first, (uint16_t)(at - 1), (uint16_t)before};
        before += at - first;
    }
    ts_free(b->bits);
    b->runs = runs;
    b->dense = false;
    b->capacity = b->n_runs;
}

static int set_capacity(struct ts_run_bin *b, uint32_t capacity)
{
    struct ts_bin_run *runs = ts_realloc(b->runs, capacity * sizeof *runs);
    if (!runs)
        return -1;
    b->runs = runs;
    b->capacity = capacity;
    return 0;
}

int ts_run_bin_reserve(struct ts_run_bin *b, size_t n)
{
    if (b->dense || b->n_runs + n <= b->capacity)
        return 0;
    size_t need = b->n_runs + n, roomy = b->capacity + b->capacity / 2;
    if (need > MOST_RUNS)
        return to_bits(b);
    size_t capacity = roomy > MOST_RUNS ? MOST_RUNS : roomy;
    return set_capacity(b, (uint32_t)(need > capacity ? need : capacity));
}

/* So many are looked at one after the other: that the branches are foreseen counts for more than their number. */
enum { NEAR_RUNS = 24 };

/* The first run that ends at or behind `at`; n_runs when there is none. Looks from *hint on first, then everywhere. */
static size_t find_run(const struct ts_run_bin *b, uint32_t at, size_t hint)
{
    size_t low = 0, high = b->n_runs;
    if (hint < high && b->runs[hint].last < at) {
        size_t step = 1, near = high - hint < NEAR_RUNS ? high : hint + NEAR_RUNS;
        for (low = hint + 1; low < near && b->runs[low].last < at;)
            low++;
        if (low < near || low == high)
            return low;
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

static void number_runs(struct ts_run_bin *b)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        b->runs[i].before = (uint16_t)before;
        before += b->runs[i].last - b->runs[i].first + 1u;
    }
    b->count = before;
}

/* One span among the runs, joined with those that it meets. */
static void add_span(struct ts_run_bin *b, struct ts_bin_span s)
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
    b->runs[i] = (struct ts_bin_run){(uint16_t)first, (uint16_t)last, (uint16_t)before};
    for (size_t k = i + 1; k < b->n_runs; k++)
        b->runs[k].before = (uint16_t)(b->runs[k].before + more);
    b->count += more;
}

static void add_spans(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n)
{
    struct ts_bin_run merged[MOST_RUNS];
    size_t i = 0, k = 0, made = 0;
    while (i < b->n_runs || k < n) {
        bool old = k == n || (i < b->n_runs && b->runs[i].first <= spans[k].first);
        uint32_t first = old ? b->runs[i].first : spans[k].first, last = old ? b->runs[i].last : spans[k].last;
        i += old;
        k += !old;
        struct ts_bin_run *prev = made ? &merged[made - 1] : NULL;
        if (prev && first <= prev->last + 1u)
            prev->last = last > prev->last ? (uint16_t)last : prev->last;
        else
            merged[made++] = (struct ts_bin_run){(uint16_t)first, (uint16_t)last, 0};
    }
    memcpy(b->runs, merged, made * sizeof *merged);
    b->n_runs = (uint32_t)made;
    number_runs(b);
}

static void remove_spans(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n)
{
    struct ts_bin_run kept[MOST_RUNS];
    size_t k = 0, made = 0;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        uint32_t at = b->runs[i].first, last = b->runs[i].last;
        while (k < n && spans[k].last < at)
            k++;
        for (; k < n && spans[k].first <= last; k++) {
            if (spans[k].first > at)
                kept[made++] = (struct ts_bin_run){(uint16_t)at, (uint16_t)(spans[k].first - 1), 0};
            at = spans[k].last + 1u;
            if (at > last)
                break;
        }
        if (at <= last)
            kept[made++] = (struct ts_bin_run){(uint16_t)at, (uint16_t)last, 0};
    }
    memcpy(b->runs, kept, made * sizeof *kept);
    b->n_runs = (uint32_t)made;
    number_runs(b);
}

static void change_bits(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n, bool set)
{
    struct ts_bin_bits *bits = b->bits;
    /* The run behind the last span may start or stop being one of its own. */
    uint32_t from = spans[0].first / 64, last = spans[n - 1].last / 64,
             to = last + 1 < TS_RUN_BIN_WORDS ? last + 1 : last;
    uint32_t was = starts(bits->words, from, to);
    for (size_t i = 0; i < n; i++)
        fill(bits->words, spans[i], set);
    b->n_runs += starts(bits->words, from, to) - was;
    b->count += recount(bits, b->count, from / 8, last / 8);
}

static void append_list(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n)
{
    struct ts_bin_run *to = b->runs + b->n_runs;
    uint32_t count = b->count;
    size_t i = 0;
    if (b->n_runs > 0 && to[-1].last + 1u == spans[0].first) {
        to[-1].last = spans[0].last;
        count += spans[0].last - spans[0].first + 1u;
        i = 1;
    }
    for (; i < n; i++) {
        *to++ = (struct ts_bin_run){spans[i].first, spans[i].last, (uint16_t)count};
        count += spans[i].last - spans[i].first + 1u;
    }
    b->n_runs = (uint32_t)(to - b->runs);
    b->count = count;
}

void ts_run_bin_append(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n)
{
    if (!b->dense) {
        append_list(b, spans, n);
        return;
    }
    uint64_t *words = b->bits->words;
    uint32_t first = spans[0].first, block = first / 512u;
    bool joins = first > 0 && words[(first - 1) / 64] >> (first - 1) % 64 & 1;
    b->n_runs += (uint32_t)n - joins;
    for (size_t i = 0; i < n; i++) {
        append_bits(b->bits, spans[i], b->count, &block);
        b->count += spans[i].last - spans[i].first + 1u;
    }
    append_done(b->bits, b->count, block);
}

void ts_run_bin_add(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n)
{
    if (b->dense)
        change_bits(b, spans, n, true);
    else if (b->n_runs == 0 || b->runs[b->n_runs - 1].last < spans[0].first)
        append_list(b, spans, n);
    else if (n == 1)
        add_span(b, spans[0]);
    else
        add_spans(b, spans, n);
}

void ts_run_bin_remove(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n)
{
    if (b->dense)
        change_bits(b, spans, n, false);
    else if (b->count > 0)
        remove_spans(b, spans, n);
}

void ts_run_bin_refit(struct ts_run_bin *b)
{
    if (b->count == 0)
        ts_run_bin_deinit(b);
    else if (b->dense && b->n_runs <= FEW_RUNS)
        to_runs(b);
    else if (b->capacity > 8 && b->n_runs < b->capacity / 4) {
        unsigned mark = ts_err_mark();
        if (set_capacity(b, 2 * b->n_runs) < 0)
            ts_err_rewind(mark);
    }
}

uint32_t ts_run_bin_end(const struct ts_run_bin *b)
{
    if (!b->dense)
        return b->runs[b->n_runs - 1].last + 1u;
    uint32_t w = TS_RUN_BIN_WORDS - 1;
    while (b->bits->words[w] == 0)
        w--;
    return 64 * w + ts_log2_floor(b->bits->words[w]) + 1;
}

/* Members before `at`, counted from the hint on when it is near. */
static uint32_t bits_before(const struct ts_bin_bits *bits, uint32_t at, const struct ts_bin_hint *hint)
{
    bool near = hint->at <= at && hint->at / 512 == at / 512;
    uint32_t n = near ? hint->before : bits->before[at / 512], w = near ? hint->at / 64 : at / 512 * 8;
    uint64_t word = near ? bits->words[w] & UINT64_MAX << hint->at % 64 : bits->words[w];
    while (w < at / 64) {
        n += word ? count_bits(word) : 0;
        word = bits->words[++w];
    }
    word &= ~(UINT64_MAX << at % 64);
    return n + (word ? count_bits(word) : 0);
}

static bool bits_next(const struct ts_run_bin *b, uint32_t from, uint32_t to, struct ts_bin_hint *hint,
                      struct ts_bin_part *part)
{
    const uint64_t *words = b->bits->words;
    part->before = bits_before(b->bits, from, hint);
    *hint = (struct ts_bin_hint){from, part->before};
    part->first = find_bit(words, from, to, true);
    if (part->first >= to)
        return false;
    uint32_t end = find_bit(words, part->first, to, false);
    part->last = end - 1;
    if (end < TS_RUN_BIN_SIZE)
        *hint = (struct ts_bin_hint){end, part->before + (end - part->first)};
    return true;
}

bool ts_run_bin_next(const struct ts_run_bin *b, uint32_t from, uint32_t to, struct ts_bin_hint *hint,
                     struct ts_bin_part *part)
{
    part->before = b->count;
    if (b->count == 0)
        return false;
    if (b->dense)
        return bits_next(b, from, to, hint, part);
    size_t i = find_run(b, from, hint->at);
    hint->at = (uint32_t)i;
    if (i == b->n_runs)
        return false;
    const struct ts_bin_run *r = &b->runs[i];
    part->first = from > r->first ? from : r->first;
    part->last = r->last < to ? r->last : to - 1;
    part->before = r->before + (part->first - r->first);
    return part->first < to;
}

uint32_t ts_run_bin_rank(const struct ts_run_bin *b, uint32_t at, struct ts_bin_hint *hint)
{
    if (b->count == 0)
        return 0;
    if (b->dense) {
        uint32_t before = bits_before(b->bits, at, hint);
        *hint = (struct ts_bin_hint){at, before};
        return before;
    }
    size_t i = find_run(b, at, hint->at);
    hint->at = (uint32_t)i;
    if (i == b->n_runs)
        return b->count;
    const struct ts_bin_run *r = &b->runs[i];
    return r->before + (at > r->first ? at - r->first : 0u);
}

size_t ts_run_bin_runs(const struct ts_run_bin *b, uint32_t from, struct ts_bin_hint *hint, uint64_t base,
                       struct ts_run *out, size_t max)
{
    if (b->count == 0 || max == 0)
        return 0;
    if (b->dense)
        return bits_runs(b->bits->words, from, base, out, max);
    size_t i = find_run(b, from, hint->at), n = b->n_runs - i < max ? b->n_runs - i : max;
    const struct ts_bin_run *r = b->runs + i;
    for (size_t k = 0; k < n; k++)
        out[k] = (struct ts_run){base + r[k].first, r[k].last - r[k].first + 1u};
    if (n > 0 && r[0].first < from)
        out[0] = (struct ts_run){base + from, r[0].last - from + 1u};
    hint->at = (uint32_t)(i + n);
    return n;
}

static const char *runs_problem(const struct ts_run_bin *b)
{
    uint32_t before = 0;
    if (b->n_runs > b->capacity || b->capacity > MOST_RUNS)
        return "more runs than there is room for";
    for (uint32_t i = 0; i < b->n_runs; i++) {
        const struct ts_bin_run *r = &b->runs[i];
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

static const char *bits_problem(const struct ts_run_bin *b)
{
    uint32_t before = 0;
    for (uint32_t w = 0; w < TS_RUN_BIN_WORDS; w++) {
        if (w % 8 == 0 && b->bits->before[w / 8] != (uint16_t)before)
            return "wrong number of members before a block";
        before += count_bits(b->bits->words[w]);
    }
    if (before != b->count)
        return "wrong number of members in the bitmap";
    return starts(b->bits->words, 0, TS_RUN_BIN_WORDS - 1) == b->n_runs ? NULL : "wrong number of runs in the bitmap";
}

const char *ts_run_bin_problem(const struct ts_run_bin *b, uint32_t limit)
{
    if (b->count == 0)
        return b->n_runs ? "an empty bin with runs" : NULL;
    const char *problem = b->dense ? bits_problem(b) : runs_problem(b);
    if (problem || limit >= TS_RUN_BIN_SIZE)
        return problem;
    return ts_run_bin_end(b) > limit ? "a member behind the limit" : NULL;
}
