#include "space/spans.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

static hsize_t add_sat(hsize_t a, hsize_t b)
{
    uint64_t sum;
    return ts_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

static hsize_t mul_sat(hsize_t a, hsize_t b)
{
    uint64_t product;
    return ts_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

struct ts_spans *ts_spans_ref(struct ts_spans *t)
{
    if (t)
        atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void ts_spans_unref(struct ts_spans *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (t->depth > 1)
        for (size_t i = 0; i < t->n; i++)
            ts_spans_unref(t->items[i].down);
    ts_free(t);
}

bool ts_spans_equal(const struct ts_spans *a, const struct ts_spans *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->depth != b->depth || a->n != b->n || a->hash != b->hash)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->items[i].low != b->items[i].low || a->items[i].high != b->items[i].high ||
            !ts_spans_equal(a->items[i].down, b->items[i].down))
            return false;
    return true;
}

/* Spans of a node to be; each holds a reference to its cross section. */
static void list_deinit(struct ts_span_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        ts_spans_unref(l->items[i].down);
    ts_free(l->items);
}

static int list_add(struct ts_span_list *l, hsize_t low, hsize_t high, struct ts_spans *down)
{
    struct ts_span *last = l->n ? &l->items[l->n - 1] : NULL;
    if (last && last->high + 1 == low && ts_spans_equal(last->down, down)) {
        last->high = high;
        return 0;
    }
    if (l->n == l->capacity && TS_GROW(l->items, l->capacity, l->n + 1) < 0)
        return -1;
    l->items[l->n++] = (struct ts_span){low, high, ts_spans_ref(down)};
    return 0;
}

static void node_summarise(struct ts_spans *t)
{
    t->bounds[0] = t->items[0].low;
    t->bounds[1] = t->items[t->n - 1].high;
    for (unsigned d = 1; d < t->depth; d++) {
        t->bounds[2 * d] = UINT64_MAX;
        t->bounds[2 * d + 1] = 0;
    }
    const struct ts_spans *prev = NULL;
    for (size_t i = 0; i < t->n; i++) {
        const struct ts_span *s = &t->items[i];
        t->elements = add_sat(t->elements, mul_sat(s->high - s->low + 1, s->down ? s->down->elements : 1));
        t->blocks = add_sat(t->blocks, s->down ? s->down->blocks : 1);
        t->hash = mix(mix(mix(t->hash, s->low), s->high), s->down ? s->down->hash : 0);
        if (s->down == prev)
            continue;
        prev = s->down;
        for (unsigned d = 1; d < t->depth; d++) {
            const hsize_t *b = s->down->bounds + 2 * (d - 1);
            if (b[0] < t->bounds[2 * d])
                t->bounds[2 * d] = b[0];
            if (b[1] > t->bounds[2 * d + 1])
                t->bounds[2 * d + 1] = b[1];
        }
    }
}

/* Makes the node and empties the list, which keeps its memory; the empty list makes the empty set. */
static int list_node(struct ts_span_list *l, unsigned depth, struct ts_spans **out)
{
    *out = NULL;
    size_t bytes, n = l->n;
    if (!n)
        return 0;
    if (!ts_mul_size(n, sizeof(struct ts_span), &bytes) ||
        !ts_add_size(bytes, sizeof(struct ts_spans) + 2 * depth * sizeof(hsize_t), &bytes))
        return TS_ERR(DATASPACE, NOSPACE, "%zu spans do not fit in memory", n);
    struct ts_spans *t = ts_malloc(bytes);
    if (!t)
        return -1;
    *t = (struct ts_spans){.depth = depth, .n = n};
    atomic_init(&t->refs, 1);
    memcpy(t->items, l->items, n * sizeof *l->items);
    t->bounds = (hsize_t *)(t->items + n);
    node_summarise(t);
    *out = t;
    l->n = 0;
    return 0;
}

static int list_finish(struct ts_span_list *l, unsigned depth, struct ts_spans **out)
{
    if (list_node(l, depth, out) < 0)
        return -1;
    ts_free(l->items);
    *l = (struct ts_span_list){0};
    return 0;
}

/* Results for pairs of nodes that were met before: nodes are shared, so pairs come back. A direct-mapped cache bounds
 * its own memory; forgetting only costs time. */
#define MEMO_SLOTS 64

struct memo {
    struct {
        const struct ts_spans *a, *b;
        struct ts_spans *result;
        bool used;
    } slots[MEMO_SLOTS];
};

static size_t memo_slot(const struct ts_spans *a, const struct ts_spans *b)
{
    return (size_t)(mix(mix(1, (uintptr_t)a), (uintptr_t)b) >> 20) % MEMO_SLOTS;
}

static bool memo_find(struct memo *m, const struct ts_spans *a, const struct ts_spans *b, struct ts_spans **out)
{
    size_t i = memo_slot(a, b);
    if (!m->slots[i].used || m->slots[i].a != a || m->slots[i].b != b)
        return false;
    *out = ts_spans_ref(m->slots[i].result);
    return true;
}

static void memo_put(struct memo *m, const struct ts_spans *a, const struct ts_spans *b, struct ts_spans *result)
{
    size_t i = memo_slot(a, b);
    if (m->slots[i].used)
        ts_spans_unref(m->slots[i].result);
    m->slots[i].a = a;
    m->slots[i].b = b;
    m->slots[i].result = ts_spans_ref(result);
    m->slots[i].used = true;
}

static void memo_deinit(struct memo *m)
{
    for (size_t i = 0; i < MEMO_SLOTS; i++)
        if (m->slots[i].used)
            ts_spans_unref(m->slots[i].result);
}

struct combiner {
    unsigned keep;
    uint64_t budget; /* spans that may still be made */
    struct memo memo;
};

static int combine(struct combiner *c, struct ts_spans *a, struct ts_spans *b, struct ts_spans **out);

static int add_both(struct combiner *c, struct ts_span_list *l, hsize_t low, hsize_t high, const struct ts_span *a,
                    const struct ts_span *b)
{
    if (!a->down)
        return c->keep & TS_KEEP_BOTH ? list_add(l, low, high, NULL) : 0;
    struct ts_spans *down;
    if (combine(c, a->down, b->down, &down) < 0)
        return -1;
    int ret = down ? list_add(l, low, high, down) : 0;
    ts_spans_unref(down);
    return ret;
}

static int add_rest(struct ts_span_list *l, const struct ts_spans *t, size_t i, hsize_t pos)
{
    for (; i < t->n; i++) {
        const struct ts_span *s = &t->items[i];
        if (list_add(l, s->low > pos ? s->low : pos, s->high, s->down) < 0)
            return -1;
    }
    return 0;
}

/* Walks both lists; pos is the first coordinate not yet dealt with. */
static int sweep(struct combiner *c, const struct ts_spans *a, const struct ts_spans *b, struct ts_span_list *l)
{
    size_t i = 0, j = 0;
    hsize_t pos = 0;
    while (i < a->n && j < b->n) {
        const struct ts_span *x = &a->items[i], *y = &b->items[j];
        hsize_t xlow = x->low > pos ? x->low : pos, ylow = y->low > pos ? y->low : pos;
        int ret = 0;
        if (c->budget-- == 0)
            return TS_ERR(DATASPACE, BADSELECT, "the blocks overlap in more ways than a selection of their number has");
        if (xlow < ylow) {
            pos = x->high < ylow ? x->high + 1 : ylow;
            ret = c->keep & TS_KEEP_A ? list_add(l, xlow, pos - 1, x->down) : 0;
            i += x->high < ylow;
        } else if (ylow < xlow) {
            pos = y->high < xlow ? y->high + 1 : xlow;
            ret = c->keep & TS_KEEP_B ? list_add(l, ylow, pos - 1, y->down) : 0;
            j += y->high < xlow;
        } else {
            pos = (x->high < y->high ? x->high : y->high) + 1;
            ret = add_both(c, l, xlow, pos - 1, x, y);
            i += x->high < pos;
            j += y->high < pos;
        }
        if (ret < 0)
            return -1;
    }
    if (c->keep & TS_KEEP_A && add_rest(l, a, i, pos) < 0)
        return -1;
    return c->keep & TS_KEEP_B ? add_rest(l, b, j, pos) : 0;
}

static int combine(struct combiner *c, struct ts_spans *a, struct ts_spans *b, struct ts_spans **out)
{
    *out = NULL;
    if (!a || !b) {
        *out = a && c->keep & TS_KEEP_A ? ts_spans_ref(a) : b && c->keep & TS_KEEP_B ? ts_spans_ref(b) : NULL;
        return 0;
    }
    if (ts_spans_equal(a, b)) {
        *out = c->keep & TS_KEEP_BOTH ? ts_spans_ref(a) : NULL;
        return 0;
    }
    if (memo_find(&c->memo, a, b, out))
        return 0;
    struct ts_span_list l = {0};
    if (sweep(c, a, b, &l) < 0 || list_finish(&l, a->depth, out) < 0) {
        list_deinit(&l);
        return -1;
    }
    memo_put(&c->memo, a, b, *out);
    return 0;
}

static int combine_within(unsigned keep, uint64_t budget, struct ts_spans *a, struct ts_spans *b, struct ts_spans **out)
{
    struct combiner c = {.keep = keep, .budget = budget};
    int ret = combine(&c, a, b, out);
    memo_deinit(&c.memo);
    return ret;
}

int ts_spans_combine(unsigned keep, struct ts_spans *a, struct ts_spans *b, struct ts_spans **out)
{
    return combine_within(keep, UINT64_MAX, a, b, out);
}

/* Stacks dimensions from the last to the first; all spans of one dimension share what is below. */
int ts_spans_from_lists(unsigned rank, const struct ts_span_list *lists, struct ts_spans **out)
{
    struct ts_spans *below = NULL;
    *out = NULL;
    for (unsigned d = rank; d-- > 0;) {
        struct ts_span_list l = {0};
        struct ts_spans *node;
        int ret = 0;
        for (size_t i = 0; i < lists[d].n && ret == 0; i++)
            ret = list_add(&l, lists[d].items[i].low, lists[d].items[i].high, below);
        if (ret == 0)
            ret = list_finish(&l, rank - d, &node);
        ts_spans_unref(below);
        if (ret < 0) {
            list_deinit(&l);
            return -1;
        }
        below = node;
        if (!below)
            return 0;
    }
    *out = below;
    return 0;
}

int ts_spans_from_slabs(unsigned rank, const struct ts_slab *slabs, struct ts_spans **out)
{
    struct ts_span_list lists[H5S_MAX_RANK] = {{0}};
    int ret = 0;
    for (unsigned d = 0; d < rank && ret == 0; d++) {
        const struct ts_slab *s = &slabs[d];
        bool joined = s->count == 1 || s->stride == s->block;
        hsize_t n = joined ? 1 : s->count, width = joined ? s->count * s->block : s->block;
        for (hsize_t i = 0; i < n && ret == 0; i++)
            ret = list_add(&lists[d], s->start + i * s->stride, s->start + i * s->stride + width - 1, NULL);
    }
    if (ret == 0)
        ret = ts_spans_from_lists(rank, lists, out);
    for (unsigned d = 0; d < rank; d++)
        list_deinit(&lists[d]);
    return ret;
}

static int box_tree(unsigned rank, const hsize_t *box, struct ts_spans **out)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    for (unsigned d = 0; d < rank; d++)
        slabs[d] = (struct ts_slab){box[d], 1, 1, box[rank + d] - box[d] + 1};
    return ts_spans_from_slabs(rank, slabs, out);
}

static bool box_before(unsigned rank, const hsize_t *a, const hsize_t *b)
{
    for (unsigned d = 0; d < rank; d++)
        if (a[d] != b[d])
            return a[d] < b[d];
    return false;
}

/* Merge sort of pointers: `spare` has room for n. */
static void sort_boxes(unsigned rank, const hsize_t **v, const hsize_t **spare, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, j = half, k = 0;
    sort_boxes(rank, v, spare, half);
    sort_boxes(rank, v + half, spare, n - half);
    if (!box_before(rank, v[half], v[half - 1]))
        return;
    while (i < half && j < n)
        spare[k++] = box_before(rank, v[j], v[i]) ? v[j++] : v[i++];
    while (i < half)
        spare[k++] = v[i++];
    memcpy(v, spare, k * sizeof *v);
}

/* Halves are united only after they were built, so n boxes cost n log n steps, not n squared. */
static int unite(unsigned rank, const hsize_t **v, size_t n, bool bounded, struct ts_spans **out)
{
    if (n == 1)
        return box_tree(rank, v[0], out);
    struct ts_spans *a = NULL, *b = NULL;
    int ret = unite(rank, v, n / 2, bounded, &a);
    if (ret == 0)
        ret = unite(rank, v + n / 2, n - n / 2, bounded, &b);
    if (ret == 0)
        ret = combine_within(TS_KEEP_A | TS_KEEP_B | TS_KEEP_BOTH,
                             bounded ? 1024 + 16 * (uint64_t)rank * n : UINT64_MAX, a, b, out);
    ts_spans_unref(a);
    ts_spans_unref(b);
    return ret;
}

/* Boxes in the order of a tree, as they are stored, need no more than one pass. Returns 0 when they are not: boxes with
 * the same span in dimension d follow each other, other spans lie behind; 1 when *out is made. */
static int nest(unsigned rank, unsigned d, size_t n, const hsize_t *boxes, struct ts_spans **out)
{
    struct ts_span_list l = {0};
    int ret = 1;
    for (size_t i = 0, j; i < n && ret == 1; i = j) {
        const hsize_t *box = boxes + i * 2 * rank;
        hsize_t low = box[d], high = box[rank + d];
        struct ts_spans *down = NULL;
        if (i > 0 && low <= box[(ptrdiff_t)d - rank])
            ret = 0;
        for (j = i + 1; j < n && boxes[j * 2 * rank + d] == low && boxes[j * 2 * rank + rank + d] == high; j++)
            ;
        if (ret == 1 && d + 1 < rank)
            ret = nest(rank, d + 1, j - i, box, &down);
        else if (j > i + 1)
            ret = 0;
        if (ret == 1 && list_add(&l, low, high, down) < 0)
            ret = -1;
        ts_spans_unref(down);
    }
    *out = NULL;
    if (ret == 1 && list_finish(&l, rank - d, out) < 0)
        ret = -1;
    if (ret != 1)
        list_deinit(&l);
    return ret;
}

int ts_spans_from_boxes(unsigned rank, size_t n, const hsize_t *boxes, bool bounded, struct ts_spans **out)
{
    *out = NULL;
    if (!n)
        return 0;
    int nested = nest(rank, 0, n, boxes, out);
    if (nested != 0)
        return nested < 0 ? -1 : 0;
    size_t bytes;
    if (!ts_mul_size(n, 2 * sizeof(hsize_t *), &bytes))
        return TS_ERR(DATASPACE, NOSPACE, "%zu blocks do not fit in memory", n);
    const hsize_t **v = ts_malloc(bytes);
    if (!v)
        return -1;
    for (size_t i = 0; i < n; i++)
        v[i] = boxes + i * 2 * rank;
    sort_boxes(rank, v, v + n, n);
    int ret = unite(rank, v, n, bounded, out);
    ts_free(v);
    return ret;
}

/* Runs on their way into a tree. */
struct run_reader {
    const struct ts_run *runs;
    size_t left;      /* runs, the present one not counted */
    hsize_t pos, end; /* what is left of the present one */
    unsigned rank;
    const hsize_t *dims;
    hsize_t step[H5S_MAX_RANK];
    struct ts_spans *full[H5S_MAX_RANK + 1]; /* everything from a dimension on, once it was needed */
    /* The node that is read, one per dimension; their memory serves them all. */
    struct ts_span_list lists[H5S_MAX_RANK];
};

static void next_run(struct run_reader *r)
{
    while (r->pos == r->end && r->left > 0) {
        r->pos = r->runs->offset;
        r->end = r->pos + r->runs->length;
        r->runs++;
        r->left--;
    }
}

/* Everything in the dimensions from d on, borrowed: NULL behind the last. */
static int full_from(struct run_reader *r, unsigned d, struct ts_spans **out)
{
    *out = NULL;
    if (d == r->rank)
        return 0;
    if (!r->full[d]) {
        struct ts_slab slabs[H5S_MAX_RANK];
        for (unsigned i = d; i < r->rank; i++)
            slabs[i - d] = (struct ts_slab){0, 1, 1, r->dims[i]};
        if (ts_spans_from_slabs(r->rank - d, slabs, &r->full[d]) < 0)
            return -1;
    }
    *out = r->full[d];
    return 0;
}

/* The node of dimension d whose elements start at base. */
static int read_node(struct run_reader *r, unsigned d, hsize_t base, struct ts_spans **out)
{
    struct ts_span_list *l = &r->lists[d];
    hsize_t step = r->step[d], limit = base + r->dims[d] * step;
    int ret = 0;
    *out = NULL;
    for (next_run(r); ret == 0 && r->pos < r->end && r->pos < limit; next_run(r)) {
        hsize_t at = (r->pos - base) / step, rows = ((r->end < limit ? r->end : limit) - r->pos) / step;
        struct ts_spans *down;
        if ((r->pos - base) % step == 0 && rows > 0) {
            ret = full_from(r, d + 1, &down);
            if (ret == 0)
                ret = list_add(l, at, at + rows - 1, down);
            r->pos += rows * step;
            continue;
        }
        ret = read_node(r, d + 1, base + at * step, &down);
        if (ret == 0)
            ret = list_add(l, at, at, down);
        ts_spans_unref(down);
    }
    return ret == 0 ? list_node(l, r->rank - d, out) : -1;
}

int ts_spans_from_runs(unsigned rank, const hsize_t *dims, const struct ts_run *runs, size_t n, struct ts_spans **out)
{
    struct run_reader r = {.runs = runs, .left = n, .rank = rank, .dims = dims};
    hsize_t step = 1;
    for (unsigned d = rank; d-- > 0;) {
        r.step[d] = step;
        step *= dims[d];
    }
    int ret = read_node(&r, 0, 0, out);
    for (unsigned d = 0; d < rank; d++) {
        ts_spans_unref(r.full[d]);
        list_deinit(&r.lists[d]);
    }
    return ret;
}

/* The first span that ends at or after `low`. */
static size_t first_at(const struct ts_spans *t, hsize_t low)
{
    size_t a = 0, b = t->n;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (t->items[m].high < low)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

static int window(struct memo *m, struct ts_spans *t, const struct ts_window *w, unsigned dim, struct ts_spans **out)
{
    *out = NULL;
    if (memo_find(m, t, NULL, out))
        return 0;
    struct ts_span_list l = {0};
    int ret = 0;
    for (size_t i = first_at(t, w->low[dim]); i < t->n && t->items[i].low <= w->high[dim] && ret == 0; i++) {
        const struct ts_span *s = &t->items[i];
        hsize_t low = s->low > w->low[dim] ? s->low : w->low[dim];
        hsize_t high = s->high < w->high[dim] ? s->high : w->high[dim];
        struct ts_spans *down = NULL;
        ret = s->down ? window(m, s->down, w, dim + 1, &down) : 0;
        if (ret == 0 && (down || !s->down))
            ret = list_add(&l, low - w->shift[dim], high - w->shift[dim], down);
        ts_spans_unref(down);
    }
    if (ret < 0 || list_finish(&l, t->depth, out) < 0) {
        list_deinit(&l);
        return -1;
    }
    memo_put(m, t, NULL, *out);
    return 0;
}

int ts_spans_window(struct ts_spans *t, const struct ts_window *w, struct ts_spans **out)
{
    struct memo m = {0};
    *out = NULL;
    int ret = t ? window(&m, t, w, 0, out) : 0;
    memo_deinit(&m);
    return ret;
}

bool ts_spans_intersects(const struct ts_spans *t, const hsize_t *low, const hsize_t *high)
{
    if (!t)
        return false;
    for (unsigned d = 0; d < t->depth; d++)
        if (t->bounds[2 * d] > high[d] || t->bounds[2 * d + 1] < low[d])
            return false;
    const struct ts_spans *failed = NULL;
    for (size_t i = first_at(t, *low); i < t->n && t->items[i].low <= *high; i++) {
        const struct ts_spans *down = t->items[i].down;
        if (!down)
            return true;
        if (down == failed)
            continue;
        if (ts_spans_intersects(down, low + 1, high + 1))
            return true;
        failed = down;
    }
    return false;
}

bool ts_spans_regular(const struct ts_spans *t, struct ts_slab *slabs)
{
    for (; t; t = t->items[0].down, slabs++) {
        const struct ts_span *s = t->items;
        hsize_t width = s->high - s->low, stride = t->n > 1 ? s[1].low - s[0].low : 1;
        for (size_t i = 1; i < t->n; i++)
            if (s[i].high - s[i].low != width || s[i].low - s[i - 1].low != stride ||
                !ts_spans_equal(s[i].down, s[0].down))
                return false;
        *slabs = (struct ts_slab){s->low, stride, t->n, width + 1};
    }
    return true;
}

struct lister {
    unsigned rank;
    hsize_t skip, left, *out;
    hsize_t corner[2 * H5S_MAX_RANK];
};

static void list_blocks(struct lister *l, const struct ts_spans *t, unsigned dim)
{
    for (size_t i = 0; i < t->n && l->left; i++) {
        const struct ts_span *s = &t->items[i];
        hsize_t here = s->down ? s->down->blocks : 1;
        if (l->skip >= here) {
            l->skip -= here;
            continue;
        }
        l->corner[dim] = s->low;
        l->corner[l->rank + dim] = s->high;
        if (s->down) {
            list_blocks(l, s->down, dim + 1);
            continue;
        }
        memcpy(l->out, l->corner, 2 * l->rank * sizeof *l->out);
        l->out += 2 * l->rank;
        l->left--;
    }
}

void ts_spans_blocklist(const struct ts_spans *t, hsize_t first, hsize_t n, hsize_t *out)
{
    if (!t)
        return;
    struct lister l = {.rank = t->depth, .skip = first, .left = n, .out = out};
    list_blocks(&l, t, 0);
}

static bool same_shape(const struct ts_spans *a, const struct ts_spans *b, const hsize_t *shift)
{
    if (a->n != b->n || a->elements != b->elements)
        return false;
    const struct ts_spans *pa = NULL, *pb = NULL;
    for (size_t i = 0; i < a->n; i++) {
        const struct ts_span *x = &a->items[i], *y = &b->items[i];
        if (y->low - x->low != *shift || y->high - x->high != *shift)
            return false;
        if (!x->down || (x->down == pa && y->down == pb))
            continue;
        if (!same_shape(x->down, y->down, shift + 1))
            return false;
        pa = x->down;
        pb = y->down;
    }
    return true;
}

bool ts_spans_same_shape(const struct ts_spans *a, const struct ts_spans *b)
{
    hsize_t shift[H5S_MAX_RANK];
    if (!a || !b || a->depth != b->depth)
        return a == b;
    for (unsigned d = 0; d < a->depth; d++)
        shift[d] = b->bounds[2 * d] - a->bounds[2 * d];
    return same_shape(a, b, shift);
}

static int damaged(const char **reason, const char *what)
{
    *reason = what;
    return -1;
}

int ts_spans_verify(const struct ts_spans *t, const char **reason)
{
    if (!t)
        return 0;
    if (!t->n || !t->depth || t->depth > H5S_MAX_RANK)
        return damaged(reason, "a node without spans or dimensions");
    hsize_t elements = 0, blocks = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct ts_span *s = &t->items[i];
        if (s->low > s->high || s->high == UINT64_MAX)
            return damaged(reason, "a span ends before it starts, or nowhere");
        if (i && s->low <= s[-1].high)
            return damaged(reason, "spans out of order");
        if (i && s->low == s[-1].high + 1 && ts_spans_equal(s->down, s[-1].down))
            return damaged(reason, "neighbours with equal cross sections");
        if (!s->down != (t->depth == 1) || (s->down && s->down->depth != t->depth - 1))
            return damaged(reason, "a cross section of the wrong depth");
        if (s->down && (i == 0 || s->down != s[-1].down) && ts_spans_verify(s->down, reason) < 0)
            return -1;
        elements = add_sat(elements, mul_sat(s->high - s->low + 1, s->down ? s->down->elements : 1));
        blocks = add_sat(blocks, s->down ? s->down->blocks : 1);
        for (unsigned d = 1; d < t->depth; d++)
            if (t->bounds[2 * d] > s->down->bounds[2 * d - 2] || t->bounds[2 * d + 1] < s->down->bounds[2 * d - 1])
                return damaged(reason, "bounds do not cover a cross section");
    }
    if (elements != t->elements || blocks != t->blocks)
        return damaged(reason, "wrong totals");
    return 0;
}
