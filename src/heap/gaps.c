/* A search tree by offset in which random ranks keep the depth low. */
#include "heap/gaps.h"

#include "base/alloc.h"
#include "file/undo.h"

/* The node's address makes ranks that a file cannot choose. */
static uint64_t rank_of(const struct ts_gap *gap)
{
    uint64_t v = ((uint64_t)(uintptr_t)gap ^ gap->offset) * UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return v ^ v >> 31;
}

static void update(struct ts_gap *gap)
{
    gap->greatest = gap->size;
    if (gap->left && gap->left->greatest > gap->greatest)
        gap->greatest = gap->left->greatest;
    if (gap->right && gap->right->greatest > gap->greatest)
        gap->greatest = gap->right->greatest;
}

/* Those before offset, and the others. */
static void split(struct ts_gap *gap, uint64_t offset, struct ts_gap **low, struct ts_gap **high)
{
    if (!gap) {
        *low = *high = NULL;
    } else if (gap->offset < offset) {
        split(gap->right, offset, &gap->right, high);
        *low = gap;
        update(gap);
    } else {
        split(gap->left, offset, low, &gap->left);
        *high = gap;
        update(gap);
    }
}

static struct ts_gap *join(struct ts_gap *low, struct ts_gap *high)
{
    if (!low || !high)
        return low ? low : high;
    if (low->rank > high->rank) {
        low->right = join(low->right, high);
        update(low);
        return low;
    }
    high->left = join(low, high->left);
    update(high);
    return high;
}

static void free_all(struct ts_gap *gap)
{
    while (gap) {
        struct ts_gap *right = gap->right;
        free_all(gap->left);
        ts_free(gap);
        gap = right;
    }
}

void ts_gaps_deinit(struct ts_gaps *gaps)
{
    free_all(gaps->root);
    *gaps = (struct ts_gaps){0};
}

static struct ts_gap *insert(struct ts_gap *at, struct ts_gap *gap)
{
    if (!at || gap->rank > at->rank) {
        split(at, gap->offset, &gap->left, &gap->right);
        update(gap);
        return gap;
    }
    if (gap->offset < at->offset)
        at->left = insert(at->left, gap);
    else
        at->right = insert(at->right, gap);
    update(at);
    return at;
}

static struct ts_gap *new_gap(uint64_t offset, uint64_t size, uint64_t block)
{
    struct ts_gap *gap = ts_malloc(sizeof *gap);
    if (!gap)
        return NULL;
    *gap = (struct ts_gap){.offset = offset, .size = size, .block = block};
    gap->rank = rank_of(gap);
    return gap;
}

static void put_in(struct ts_gaps *gaps, struct ts_gap *gap)
{
    gap->left = gap->right = NULL;
    gaps->root = insert(gaps->root, gap);
    gaps->n++;
}

int ts_gaps_load(struct ts_gaps *gaps, uint64_t offset, uint64_t size, uint64_t block)
{
    struct ts_gap *gap = new_gap(offset, size, block);
    if (!gap)
        return -1;
    put_in(gaps, gap);
    return 0;
}

static struct ts_gap *without(struct ts_gap *at, uint64_t offset, struct ts_gap **found)
{
    if (!at)
        return NULL;
    if (at->offset == offset) {
        *found = at;
        return join(at->left, at->right);
    }
    if (offset < at->offset)
        at->left = without(at->left, offset, found);
    else
        at->right = without(at->right, offset, found);
    update(at);
    return at;
}

static struct ts_gap *take_out(struct ts_gaps *gaps, uint64_t offset)
{
    struct ts_gap *found = NULL;
    gaps->root = without(gaps->root, offset, &found);
    gaps->n -= found != NULL;
    return found;
}

/* Makes the one at the offset begin and end elsewhere, but not beyond its neighbours. */
static void change(struct ts_gap *at, uint64_t offset, uint64_t new_offset, uint64_t new_size)
{
    if (!at)
        return;
    if (at->offset == offset) {
        at->offset = new_offset;
        at->size = new_size;
    } else {
        change(offset < at->offset ? at->left : at->right, offset, new_offset, new_size);
    }
    update(at);
}

static void add_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_free(take_out(step->at, step->a));
}

int ts_gaps_add(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset, uint64_t size, uint64_t block)
{
    if (ts_undo_reserve(f) < 0 || ts_gaps_load(gaps, offset, size, block) < 0)
        return -1;
    return ts_undo_add(f, (struct ts_undo_step){.back = add_back, .at = gaps, .a = offset});
}

static void remove_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    put_in(step->at, (struct ts_gap *)(uintptr_t)step->a);
}

static void remove_done(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_free((struct ts_gap *)(uintptr_t)step->a);
}

int ts_gaps_remove(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset)
{
    if (ts_undo_reserve(f) < 0)
        return -1;
    struct ts_gap *gap = take_out(gaps, offset);
    if (!gap)
        return 0;
    return ts_undo_add(
        f, (struct ts_undo_step){.back = remove_back, .done = remove_done, .at = gaps, .a = (uint64_t)(uintptr_t)gap});
}

static void resize_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_gaps *gaps = step->at;
    change(gaps->root, step->a, step->a, step->b);
}

int ts_gaps_resize(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset, uint64_t size)
{
    const struct ts_gap *gap = ts_gaps_at_or_before(gaps, offset);
    if (!gap || gap->offset != offset)
        return 0;
    struct ts_undo_step step = {.back = resize_back, .at = gaps, .a = offset, .b = gap->size};
    if (ts_undo_add(f, step) < 0)
        return -1;
    change(gaps->root, offset, offset, size);
    return 0;
}

static void take_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_gaps *gaps = step->at;
    uint64_t offset = step->a + step->b;
    const struct ts_gap *gap = ts_gaps_at_or_before(gaps, offset);
    change(gaps->root, offset, step->a, gap->size + step->b);
}

int ts_gaps_take(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset, uint64_t size)
{
    const struct ts_gap *gap = ts_gaps_at_or_before(gaps, offset);
    if (!gap || gap->offset != offset)
        return 0;
    if (gap->size <= size)
        return ts_gaps_remove(f, gaps, offset);
    if (ts_undo_add(f, (struct ts_undo_step){.back = take_back, .at = gaps, .a = offset, .b = size}) < 0)
        return -1;
    change(gaps->root, offset, offset + size, gap->size - size);
    return 0;
}

static void clear_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_gaps *gaps = step->at;
    gaps->root = (struct ts_gap *)(uintptr_t)step->a;
    gaps->n = (size_t)step->b;
}

static void clear_done(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    free_all((struct ts_gap *)(uintptr_t)step->a);
}

int ts_gaps_clear(struct ts_file *f, struct ts_gaps *gaps)
{
    struct ts_undo_step step = {
        .back = clear_back, .done = clear_done, .at = gaps, .a = (uint64_t)(uintptr_t)gaps->root, .b = gaps->n};
    if (ts_undo_reserve(f) < 0)
        return -1;
    *gaps = (struct ts_gaps){0};
    return ts_undo_add(f, step);
}

const struct ts_gap *ts_gaps_fit(const struct ts_gaps *gaps, uint64_t size)
{
    const struct ts_gap *gap = gaps->root;
    if (!gap || gap->greatest < size)
        return NULL;
    for (;;) {
        if (gap->left && gap->left->greatest >= size)
            gap = gap->left;
        else if (gap->size >= size)
            return gap;
        else
            gap = gap->right;
    }
}

const struct ts_gap *ts_gaps_at_or_before(const struct ts_gaps *gaps, uint64_t offset)
{
    const struct ts_gap *best = NULL;
    for (const struct ts_gap *gap = gaps->root; gap;)
        if (gap->offset <= offset) {
            best = gap;
            gap = gap->right;
        } else {
            gap = gap->left;
        }
    return best;
}

const struct ts_gap *ts_gaps_at_or_after(const struct ts_gaps *gaps, uint64_t offset)
{
    const struct ts_gap *best = NULL;
    for (const struct ts_gap *gap = gaps->root; gap;)
        if (gap->offset >= offset) {
            best = gap;
            gap = gap->left;
        } else {
            gap = gap->right;
        }
    return best;
}
