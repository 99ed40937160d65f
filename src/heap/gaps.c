/* A search tree by offset in which random ranks keep the depth low. */
#include "heap/gaps.h"

#include "base/alloc.h"

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

int ts_gaps_add(struct ts_gaps *gaps, uint64_t offset, uint64_t size, uint64_t block)
{
    struct ts_gap *gap = ts_malloc(sizeof *gap);
    if (!gap)
        return -1;
    *gap = (struct ts_gap){.offset = offset, .size = size, .block = block};
    gap->rank = rank_of(gap);
    gaps->root = insert(gaps->root, gap);
    gaps->n++;
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

void ts_gaps_remove(struct ts_gaps *gaps, uint64_t offset)
{
    struct ts_gap *found = NULL;
    gaps->root = without(gaps->root, offset, &found);
    gaps->n -= found != NULL;
    ts_free(found);
}

static void set_size(struct ts_gap *at, uint64_t offset, uint64_t size)
{
    if (!at)
        return;
    if (at->offset == offset)
        at->size = size;
    else
        set_size(offset < at->offset ? at->left : at->right, offset, size);
    update(at);
}

void ts_gaps_resize(struct ts_gaps *gaps, uint64_t offset, uint64_t size)
{
    if (size == 0)
        ts_gaps_remove(gaps, offset);
    else
        set_size(gaps->root, offset, size);
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
