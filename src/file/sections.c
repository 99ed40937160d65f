#include "file/sections.h"

#include <stdbool.h>

#include "base/alloc.h"

enum { BY_ADDR, BY_SIZE };

static bool before(int tree, const struct ts_section *a, const struct ts_section *b)
{
    if (tree == BY_SIZE && a->size != b->size)
        return a->size < b->size;
    return a->addr < b->addr;
}

/* Parts a tree at a key that is not in it. */
static void split(int tree, struct ts_section *t, const struct ts_section *key, struct ts_section *out[2])
{
    struct ts_section **at[2] = {&out[0], &out[1]};
    while (t) {
        int side = before(tree, t, key) ? 0 : 1;
        *at[side] = t;
        at[side] = &t->kid[tree][!side];
        t = *at[side];
    }
    *at[0] = *at[1] = NULL;
}

static struct ts_section *join(int tree, struct ts_section *a, struct ts_section *b)
{
    struct ts_section *root, **at = &root;
    while (a && b) {
        if (a->rank > b->rank) {
            *at = a;
            at = &a->kid[tree][1];
            a = *at;
        } else {
            *at = b;
            at = &b->kid[tree][0];
            b = *at;
        }
    }
    *at = a ? a : b;
    return root;
}

static void link_in(struct ts_sections *s, int tree, struct ts_section *n)
{
    struct ts_section **at = &s->root[tree];
    while (*at && (*at)->rank >= n->rank)
        at = &(*at)->kid[tree][before(tree, *at, n)];
    split(tree, *at, n, n->kid[tree]);
    *at = n;
}

static void link_out(struct ts_sections *s, int tree, struct ts_section *n)
{
    struct ts_section **at = &s->root[tree];
    while (*at != n)
        at = &(*at)->kid[tree][before(tree, *at, n)];
    *at = join(tree, n->kid[tree][0], n->kid[tree][1]);
}

static void enter(struct ts_sections *s, struct ts_section *n)
{
    link_in(s, BY_ADDR, n);
    link_in(s, BY_SIZE, n);
    s->n++;
    s->bytes += n->size;
}

static void leave(struct ts_sections *s, struct ts_section *n)
{
    link_out(s, BY_ADDR, n);
    link_out(s, BY_SIZE, n);
    s->n--;
    s->bytes -= n->size;
}

/* It stays where it is among the others' addresses, for there are none in what it gets or gives up. */
static void change(struct ts_sections *s, struct ts_section *n, haddr_t addr, uint64_t size)
{
    link_out(s, BY_SIZE, n);
    s->bytes += size - n->size;
    n->addr = addr;
    n->size = size;
    link_in(s, BY_SIZE, n);
}

static int add_new(struct ts_sections *s, haddr_t addr, uint64_t size)
{
    struct ts_section *n = ts_malloc(sizeof *n);
    if (!n)
        return -1;
    if (!s->seed)
        s->seed = 2463534242u;
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 17;
    s->seed ^= s->seed << 5;
    *n = (struct ts_section){.addr = addr, .size = size, .rank = s->seed};
    enter(s, n);
    return 0;
}

static struct ts_section *floor_of(const struct ts_sections *s, haddr_t addr)
{
    struct ts_section *best = NULL;
    for (struct ts_section *t = s->root[BY_ADDR]; t;) {
        if (t->addr <= addr)
            best = t;
        t = t->kid[BY_ADDR][t->addr <= addr];
    }
    return best;
}

const struct ts_section *ts_sections_floor(const struct ts_sections *s, haddr_t addr)
{
    return floor_of(s, addr);
}

const struct ts_section *ts_sections_fit(const struct ts_sections *s, uint64_t size, haddr_t addr)
{
    const struct ts_section key = {.addr = addr, .size = size}, *best = NULL;
    for (const struct ts_section *t = s->root[BY_SIZE]; t;) {
        bool less = before(BY_SIZE, t, &key);
        if (!less)
            best = t;
        t = t->kid[BY_SIZE][less];
    }
    return best;
}

static bool may_join(const struct ts_sections *s, haddr_t boundary)
{
    return s->page == 0 || boundary % s->page != 0;
}

int ts_sections_add(struct ts_sections *s, haddr_t addr, uint64_t size)
{
    /* A file in which two structures share a block frees it twice. */
    if (ts_sections_cut(s, addr, size) < 0)
        return -1;
    struct ts_section *low = floor_of(s, addr), *high = floor_of(s, addr + size);
    if (low && (low->addr + low->size != addr || !may_join(s, addr)))
        low = NULL;
    if (high && (high->addr != addr + size || !may_join(s, addr + size)))
        high = NULL;
    if (!low && !high)
        return add_new(s, addr, size);
    if (!low) {
        change(s, high, addr, size + high->size);
    } else {
        size += low->size;
        if (high) {
            size += high->size;
            leave(s, high);
            ts_free(high);
        }
        change(s, low, low->addr, size);
    }
    return 0;
}

/* What is left of a piece on both sides needs a new one: when there is no memory, all stays. */
static int cut_one(struct ts_sections *s, struct ts_section *n, haddr_t addr, haddr_t end)
{
    haddr_t n_end = n->addr + n->size;
    bool keep_front = n->addr<addr, keep_back = n_end> end;
    if (keep_front) {
        change(s, n, n->addr, addr - n->addr);
        if (keep_back && add_new(s, end, n_end - end) < 0) {
            change(s, n, n->addr, n_end - n->addr);
            return -1;
        }
    } else if (keep_back) {
        change(s, n, end, n_end - end);
    } else {
        leave(s, n);
        ts_free(n);
    }
    return 0;
}

int ts_sections_cut(struct ts_sections *s, haddr_t addr, uint64_t size)
{
    haddr_t end = addr + size;
    struct ts_section *n;
    while (end > addr && (n = floor_of(s, end - 1)) && n->addr + n->size > addr)
        if (cut_one(s, n, addr, end) < 0)
            return -1;
    return 0;
}

void ts_sections_clear(struct ts_sections *s)
{
    while (s->root[BY_ADDR]) {
        struct ts_section *n = s->root[BY_ADDR];
        s->root[BY_ADDR] = join(BY_ADDR, n->kid[BY_ADDR][0], n->kid[BY_ADDR][1]);
        ts_free(n);
    }
    s->root[BY_SIZE] = NULL;
    s->n = 0;
    s->bytes = 0;
}
