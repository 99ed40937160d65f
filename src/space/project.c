/* Selections derived from others: cut to a box, made from runs, carried over from one extent to another. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "space/internal.h"

static int clip_points(const struct ts_space *s, const hsize_t *start, const hsize_t *dims, struct ts_space *out)
{
    size_t n = 0, capacity = 0;
    hsize_t *kept = NULL;
    for (size_t i = 0; i < s->points->n; i++) {
        const hsize_t *c = s->points->coords + i * s->rank;
        unsigned d = 0;
        while (d < s->rank && c[d] + (hsize_t)s->offset[d] - start[d] < dims[d])
            d++;
        if (d < s->rank)
            continue;
        if (TS_GROW(kept, capacity, (n + 1) * s->rank) < 0) {
            ts_free(kept);
            return -1;
        }
        for (d = 0; d < s->rank; d++)
            kept[n * s->rank + d] = c[d] + (hsize_t)s->offset[d] - start[d];
        n++;
    }
    int ret = ts_space_set_points(out, n, kept);
    ts_free(kept);
    return ret;
}

static int clip_slabs(const struct ts_space *s, const struct ts_slab *slabs, const hsize_t *start, const hsize_t *dims,
                      struct ts_space *out)
{
    struct ts_slab_cut cuts[H5S_MAX_RANK];
    for (unsigned d = 0; d < s->rank; d++) {
        struct ts_slab p = slabs[d];
        if (s->sel != H5S_SEL_ALL)
            p.start += (hsize_t)s->offset[d];
        cuts[d] = ts_slab_cut(&p, start[d], start[d] + dims[d] - 1);
        cuts[d].slab.start -= start[d];
        cuts[d].first -= start[d];
        cuts[d].low -= start[d];
        cuts[d].high -= start[d];
    }
    return ts_space_set_cuts(out, cuts);
}

/* The tree's coordinates are those before the offset, so the box moves the other way. */
static int clip_spans(const struct ts_space *s, const hsize_t *start, const hsize_t *dims, struct ts_space *out)
{
    struct ts_window w;
    struct ts_spans *whole, *tree;
    for (unsigned d = 0; d < s->rank; d++) {
        hsize_t off = (hsize_t)s->offset[d], up = s->offset[d] > 0 ? off : 0, high = start[d] + dims[d] - 1;
        if (high < up) {
            ts_space_drop_selection(out);
            return 0;
        }
        w.low[d] = start[d] < up ? 0 : start[d] - off;
        w.high[d] = high - off;
        w.shift[d] = start[d] - off;
    }
    if (ts_space_tree(s, &whole) < 0 || ts_spans_window(whole, &w, &tree) < 0)
        return -1;
    ts_space_set_spans(out, tree);
    return 0;
}

int ts_space_clip(const struct ts_space *s, const hsize_t *box_start, const hsize_t *box_dims, struct ts_space **out)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    struct ts_slab slabs[H5S_MAX_RANK];
    struct ts_space *c;
    if (ts_space_new_simple(s->rank, box_dims, NULL, &c) < 0)
        return -1;
    int ret = 0;
    bool nothing = s->sel == H5S_SEL_NONE || !c->npoints;
    for (unsigned d = 0; d < s->rank && ret == 0 && !nothing; d++)
        if (box_start[d] > UINT64_MAX - box_dims[d])
            ret = TS_ERR(DATASPACE, BADRANGE, "dimension %u: the box ends beyond 2^64", d);
    if (ret == 0 && !nothing)
        ret = ts_space_bounds(s, low, high);
    if (ret < 0 || nothing)
        ts_space_select_none(c);
    else if (s->points)
        ret = clip_points(s, box_start, box_dims, c);
    else if (s->spans || s->runs)
        ret = clip_spans(s, box_start, box_dims, c);
    else if (ts_space_slabs(s, slabs))
        ret = s->rank ? clip_slabs(s, slabs, box_start, box_dims, c) : 0;
    else
        ts_space_select_none(c);
    if (ret < 0) {
        ts_space_unref(c);
        return -1;
    }
    *out = c;
    return 0;
}

int ts_space_take_runs(const struct ts_space *like, struct ts_run **runs, size_t n, struct ts_space **out)
{
    struct ts_run_list *list;
    struct ts_space *s;
    if (like->npoints == UINT64_MAX)
        return TS_ERR(DATASPACE, OVERFLOW, "the extent has more elements than can be numbered");
    if (ts_space_new(like->cls, &s) < 0)
        return -1;
    if (ts_space_extent_copy(s, like) < 0 || ts_run_list_new(like->rank, like->dims, runs, n, &list) < 0) {
        ts_space_unref(s);
        return -1;
    }
    if (like->rank || !list->n)
        ts_space_set_run_list(s, list);
    else
        ts_run_list_unref(list); /* the only element of a scalar: all */
    *out = s;
    return 0;
}

/* What is regular is kept as that, whatever it came from. */
static int set_sets(struct ts_space *s, struct ts_chunk_sets **sets)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    struct ts_run_list *list;
    ts_space_select_none(s);
    if ((*sets)->n == 0) {
        ts_chunk_sets_free(*sets);
        *sets = NULL;
        return 0;
    }
    if (ts_run_list_of_sets(sets, &list) < 0)
        return -1;
    int regular = ts_run_list_regular(list, slabs);
    if (regular < 0) {
        *sets = list->sets;
        list->sets = NULL;
        ts_run_list_unref(list);
        return -1;
    }
    s->sel = H5S_SEL_HYPERSLABS;
    if (regular) {
        memcpy(s->slabs, slabs, s->rank * sizeof *slabs);
        ts_run_list_unref(list);
    } else {
        s->runs = list;
    }
    return 0;
}

int ts_space_take_sets(const struct ts_space *like, struct ts_chunk_sets **sets, struct ts_space **out)
{
    struct ts_space *s;
    if (like->npoints == UINT64_MAX)
        return TS_ERR(DATASPACE, OVERFLOW, "the extent has more elements than can be numbered");
    if (ts_space_new(like->cls, &s) < 0)
        return -1;
    if (ts_space_extent_copy(s, like) < 0 || set_sets(s, sets) < 0) {
        ts_space_unref(s);
        return -1;
    }
    *out = s;
    return 0;
}

const struct ts_chunk_sets *ts_space_chunk_sets(const struct ts_space *s)
{
    static const hssize_t no_offset[H5S_MAX_RANK];
    if (!ts_space_runs_apply(s) || memcmp(s->offset, no_offset, s->rank * sizeof *no_offset) != 0)
        return NULL;
    return s->runs->sets;
}

int ts_space_from_runs(const struct ts_space *like, const struct ts_run *runs, size_t n, struct ts_space **out)
{
    if (n > SIZE_MAX / sizeof *runs)
        return TS_ERR(DATASPACE, NOSPACE, "%zu runs do not fit in memory", n);
    struct ts_run *own = ts_malloc(n ? n * sizeof *runs : 1);
    if (!own)
        return -1;
    if (n)
        memcpy(own, runs, n * sizeof *runs);
    int ret = ts_space_take_runs(like, &own, n, out);
    ts_free(own);
    return ret;
}

struct run_list {
    struct ts_run *items;
    size_t n, capacity;
};

static int add_run(struct run_list *l, hsize_t offset, hsize_t length)
{
    struct ts_run *last = l->n ? &l->items[l->n - 1] : NULL;
    if (last && last->offset + last->length == offset) {
        last->length += length;
        return 0;
    }
    if (l->n == l->capacity && TS_GROW(l->items, l->capacity, l->n + 1) < 0)
        return -1;
    l->items[l->n++] = (struct ts_run){offset, length};
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct ts_run *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sorted and without repetition: a point may be selected more than once. */
static void sort_runs(struct run_list *l)
{
    size_t n = 0;
    qsort(l->items, l->n, sizeof *l->items, by_offset);
    for (size_t i = 0; i < l->n; i++) {
        struct ts_run r = l->items[i], *last = n ? &l->items[n - 1] : NULL;
        hsize_t end = r.offset + r.length;
        if (!last || r.offset > last->offset + last->length)
            l->items[n++] = r;
        else if (end > last->offset + last->length)
            last->length = end - last->offset;
    }
    l->n = n;
}

/* A stream of runs that are in order of offset: a hyperslab's as they come, a list of points sorted. */
struct stream {
    struct ts_runs it;
    struct run_list sorted;
    size_t next;
    bool from_list;
    struct ts_run now; /* length 0: the end */
};

static void stream_step(struct stream *s)
{
    s->now = (struct ts_run){0};
    if (!s->from_list)
        (void)ts_runs_next(&s->it, &s->now, 1, UINT64_MAX);
    else if (s->next < s->sorted.n)
        s->now = s->sorted.items[s->next++];
}

static void stream_deinit(struct stream *s)
{
    ts_runs_deinit(&s->it);
    ts_free(s->sorted.items);
}

static int stream_init(struct stream *s, const struct ts_space *space)
{
    memset(&s->sorted, 0, sizeof s->sorted);
    s->next = 0;
    s->from_list = space->points != NULL;
    if (ts_runs_init(&s->it, space) < 0)
        return -1;
    struct ts_run r;
    while (s->from_list && ts_runs_next(&s->it, &r, 1, UINT64_MAX))
        if (add_run(&s->sorted, r.offset, r.length) < 0) {
            stream_deinit(s);
            return -1;
        }
    if (s->from_list)
        sort_runs(&s->sorted);
    stream_step(s);
    return 0;
}

/* Which ordinals of src's selection are in part's: src in order of offset. */
static int ordinals_in_order(const struct ts_space *src, struct stream *part, struct run_list *out)
{
    struct ts_runs it;
    struct ts_run r;
    hsize_t ordinal = 0;
    int ret = 0;
    if (ts_runs_init(&it, src) < 0)
        return -1;
    while (ret == 0 && ts_runs_next(&it, &r, 1, UINT64_MAX)) {
        hsize_t end = r.offset + r.length;
        while (ret == 0 && part->now.length && part->now.offset < end) {
            hsize_t low = part->now.offset > r.offset ? part->now.offset : r.offset;
            hsize_t part_end = part->now.offset + part->now.length, high = part_end < end ? part_end : end;
            if (low < high)
                ret = add_run(out, ordinal + (low - r.offset), high - low);
            if (part_end > end)
                break;
            stream_step(part);
        }
        ordinal += r.length;
    }
    ts_runs_deinit(&it);
    return ret;
}

static int ordinals_of_points(const struct ts_space *src, const struct ts_space *part, struct run_list *out)
{
    hsize_t at[H5S_MAX_RANK];
    for (size_t i = 0; i < src->points->n; i++) {
        for (unsigned d = 0; d < src->rank; d++)
            at[d] = src->points->coords[i * src->rank + d] + (hsize_t)src->offset[d];
        int hit = ts_space_intersects(part, at, at);
        if (hit < 0 || (hit > 0 && add_run(out, i, 1) < 0))
            return -1;
    }
    return 0;
}

static int pick_points(const struct ts_space *dst, const struct run_list *ord, struct ts_space **out)
{
    hsize_t *kept = NULL;
    size_t n = 0, capacity = 0;
    int ret = 0;
    for (size_t i = 0; i < ord->n && ret == 0; i++) {
        ret = TS_GROW(kept, capacity, (n + (size_t)ord->items[i].length) * dst->rank);
        if (ret == 0)
            memcpy(kept + n * dst->rank, dst->points->coords + ord->items[i].offset * dst->rank,
                   (size_t)ord->items[i].length * dst->rank * sizeof *kept);
        n += (size_t)ord->items[i].length;
    }
    if (ret == 0)
        ret = ts_space_copy(dst, out);
    if (ret == 0 && ts_space_set_points(*out, n, kept) < 0) {
        ts_space_unref(*out);
        ret = -1;
    }
    ts_free(kept);
    return ret;
}

/* As points: what is chosen by points is told as such. */
static int points_of_runs(const struct ts_space *like, const struct run_list *runs, struct ts_space **out)
{
    hsize_t *coords = NULL;
    size_t n = 0, capacity = 0;
    int ret = 0;
    for (size_t i = 0; i < runs->n && ret == 0; i++)
        for (hsize_t k = 0; k < runs->items[i].length && ret == 0; k++, n++) {
            hsize_t rest = runs->items[i].offset + k;
            ret = TS_GROW(coords, capacity, (n + 1) * like->rank);
            for (unsigned d = like->rank; ret == 0 && d-- > 0; rest /= like->dims[d])
                coords[n * like->rank + d] = rest % like->dims[d];
        }
    if (ret == 0)
        ret = ts_space_copy(like, out);
    if (ret == 0) {
        memset((*out)->offset, 0, like->rank * sizeof *(*out)->offset);
        ret = ts_space_set_points(*out, n, coords);
        if (ret < 0)
            ts_space_unref(*out);
    }
    ts_free(coords);
    return ret;
}

static int pick_runs(const struct ts_space *dst, const struct run_list *ord, bool as_points, struct ts_space **out)
{
    struct run_list picked = {0};
    struct ts_runs it;
    struct ts_run r;
    hsize_t ordinal = 0;
    size_t i = 0;
    int ret = 0;
    if (ts_runs_init(&it, dst) < 0)
        return -1;
    while (ret == 0 && i < ord->n && ts_runs_next(&it, &r, 1, UINT64_MAX)) {
        hsize_t end = ordinal + r.length;
        while (i < ord->n && ord->items[i].offset < end && ret == 0) {
            const struct ts_run *o = &ord->items[i];
            hsize_t low = o->offset > ordinal ? o->offset : ordinal;
            hsize_t o_end = o->offset + o->length, high = o_end < end ? o_end : end;
            ret = add_run(&picked, r.offset + (low - ordinal), high - low);
            if (o_end > end)
                break;
            i++;
        }
        ordinal = end;
    }
    ts_runs_deinit(&it);
    if (ret == 0 && as_points && picked.n > 0)
        ret = points_of_runs(dst, &picked, out);
    else if (ret == 0)
        ret = ts_space_take_runs(dst, &picked.items, picked.n, out);
    ts_free(picked.items);
    return ret;
}

static int project_runs(const struct ts_space *src, const struct ts_space *src_part, const struct ts_space *dst,
                        struct ts_space **out)
{
    struct run_list ord = {0};
    struct stream part;
    int ret;
    if (src->points)
        ret = ordinals_of_points(src, src_part, &ord);
    else if (stream_init(&part, src_part) < 0)
        ret = -1;
    else {
        ret = ordinals_in_order(src, &part, &ord);
        stream_deinit(&part);
    }
    if (ret == 0)
        ret = dst->points ? pick_points(dst, &ord, out) : pick_runs(dst, &ord, src->points, out);
    ts_free(ord.items);
    return ret;
}

/* The selection is one box: its place with the offset applied, and its sizes. */
static bool as_box(const struct ts_space *s, hsize_t *start, hsize_t *dims)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    if (!ts_space_slabs(s, slabs))
        return false;
    for (unsigned d = 0; d < s->rank; d++) {
        struct ts_slab p = ts_slab_normal(slabs[d]);
        if (p.count != 1 || p.block == H5S_UNLIMITED)
            return false;
        start[d] = p.start + (s->sel == H5S_SEL_ALL ? 0 : (hsize_t)s->offset[d]);
        dims[d] = p.block;
    }
    return true;
}

/* Moves a selection within a box to where an equally shaped box lies in dst. */
static int place(const struct ts_space *in_box, const struct ts_space *dst, const hsize_t *dst_start,
                 struct ts_space **out)
{
    hssize_t back[H5S_MAX_RANK];
    struct ts_space *s;
    if (ts_space_copy(in_box, &s) < 0)
        return -1;
    if (s->sel == H5S_SEL_ALL) {
        ts_space_slabs(s, s->slabs);
        s->sel = H5S_SEL_HYPERSLABS;
    }
    for (unsigned d = 0; d < s->rank; d++)
        back[d] = (hssize_t)((hsize_t)0 - dst_start[d]);
    if ((s->sel != H5S_SEL_NONE && ts_space_adjust(s, back) < 0) || ts_space_extent_copy(s, dst) < 0) {
        ts_space_unref(s);
        return -1;
    }
    *out = s;
    return 0;
}

int ts_space_project(const struct ts_space *src, const struct ts_space *src_part, const struct ts_space *dst,
                     struct ts_space **out)
{
    hsize_t a[H5S_MAX_RANK], b[H5S_MAX_RANK], a_dims[H5S_MAX_RANK], b_dims[H5S_MAX_RANK];
    if (ts_space_unlim_dim(src) >= 0 || ts_space_unlim_dim(dst) >= 0 || ts_space_unlim_dim(src_part) >= 0)
        return TS_ERR(DATASPACE, UNSUPPORTED, "an unlimited selection cannot be projected");
    if (ts_space_selected(src) != ts_space_selected(dst))
        return TS_SAY(
            DATASPACE, BADVALUE,
            "number of points selected in source space does not match that in destination space: %llu and %llu",
            (unsigned long long)ts_space_selected(src), (unsigned long long)ts_space_selected(dst));
    if (src->rank != src_part->rank)
        return TS_SAY(DATASPACE, BADVALUE,
                      "rank of source space does not match rank of source intersect space: %u and %u", src->rank,
                      src_part->rank);
    if (src_part->sel == H5S_SEL_ALL && (!src->rank || ts_space_extent_equal(src, src_part)))
        return ts_space_copy(dst, out);
    if (src->rank && src->rank == dst->rank && !src_part->points && as_box(src, a, a_dims) && as_box(dst, b, b_dims) &&
        !memcmp(a_dims, b_dims, src->rank * sizeof *a)) {
        struct ts_space *in_box;
        if (ts_space_clip(src_part, a, a_dims, &in_box) < 0)
            return -1;
        int ret = place(in_box, dst, b, out);
        ts_space_unref(in_box);
        return ret;
    }
    return project_runs(src, src_part, dst, out);
}
