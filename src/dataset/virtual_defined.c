/* What of a virtual dataset is defined: what its sources say, seen through the mappings. */
#include "base/alloc.h"
#include "base/error.h"
#include "dataset/storage.h"
#include "dataset/virtual_parts.h"

struct search {
    const struct ts_space *chosen;
    struct ts_space *slabs; /* what was found and is regular */
    struct ts_pairs runs;   /* the rest; src in the virtual extent */
};

/* In the virtual extent. Slabs stay what they are, however many runs they would be. */
static int add_found(struct search *s, const struct ts_space *found)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    struct ts_runs it;
    struct ts_run r;
    int status = 0;
    if (ts_space_rank(found) > 0 && ts_space_regular(found, start, stride, count, block))
        return ts_space_select_hyperslab(s->slabs, H5S_SELECT_OR, start, stride, count, block);
    if (ts_runs_init(&it, found) < 0)
        return -1;
    while (status == 0 && ts_runs_next(&it, &r, 1, UINT64_MAX) > 0)
        status = ts_pairs_add(&s->runs, r.offset, 0, r.length);
    ts_runs_deinit(&it);
    return status;
}

static int find_in_source(struct ts_dataset *source, const struct ts_space *dst, const struct ts_space *src, void *ctx)
{
    struct search *s = ctx;
    struct ts_space *part = NULL, *defined = NULL, *found = NULL;
    int status = ts_space_project(dst, s->chosen, src, &part);
    if (status == 0 && ts_space_selected(part) > 0)
        status = ts_dataset_defined_within(source, part, &defined);
    if (defined && ts_space_selected(defined) > 0)
        status = ts_space_project(src, defined, dst, &found);
    if (found)
        status = add_found(s, found);
    ts_space_unref(found);
    ts_space_unref(defined);
    ts_space_unref(part);
    return status;
}

static int all_found(struct search *s, struct ts_space **out)
{
    struct ts_space *rest;
    if (ts_space_merge(s->slabs) < 0)
        return -1;
    if (s->runs.n == 0) {
        *out = ts_space_ref(s->slabs);
        return 0;
    }
    ts_pairs_unite(&s->runs);
    if (ts_pairs_select(&s->runs, s->slabs, &rest) < 0)
        return -1;
    if (ts_space_selected(s->slabs) > 0 && ts_space_combine(rest, H5S_SELECT_OR, s->slabs) < 0) {
        ts_space_unref(rest);
        return -1;
    }
    *out = rest;
    return 0;
}

/* Points keep their order, and come as often as they were asked for. */
static int give_found(struct search *s, struct ts_space **out)
{
    struct ts_space *all;
    int status = all_found(s, &all);
    if (status < 0 || ts_space_sel_type(s->chosen) != H5S_SEL_POINTS) {
        *out = status < 0 ? NULL : all;
        return status;
    }
    status = ts_space_project(s->chosen, all, s->chosen, out);
    ts_space_unref(all);
    return status;
}

/* Visits the sources of what is chosen, which is not empty. */
static int walk_chosen(struct ts_virtual_walk *w, const struct ts_space *chosen)
{
    struct ts_virtual_visit visit;
    struct ts_space *extent;
    if (ts_space_rank(chosen) > 0 && ts_space_bounds(chosen, w->low, w->high) < 0)
        return -1;
    if (ts_space_copy(chosen, &extent) < 0)
        return -1;
    ts_space_select_all(extent);
    w->extent = extent;
    int status = ts_virtual_enter(&visit, w->d);
    if (status == 0) {
        status = ts_virtual_walk(w);
        ts_virtual_leave(&visit);
    }
    ts_space_unref(extent);
    return status;
}

int ts_virtual_get_defined(struct ts_dataset *d, const struct ts_space *chosen, struct ts_space **out)
{
    struct search s = {.chosen = chosen};
    struct ts_virtual_walk walk = {.d = d, .visit = find_in_source, .ctx = &s};
    if (ts_space_selected(chosen) == 0)
        return ts_space_copy(chosen, out);
    if (ts_space_copy(chosen, &s.slabs) < 0)
        return -1;
    ts_space_select_none(s.slabs);
    int status = walk_chosen(&walk, chosen);
    if (status == 0)
        status = give_found(&s, out);
    ts_space_unref(s.slabs);
    ts_free(s.runs.items);
    return status;
}

struct erasing {
    const struct ts_space *chosen;
    int (*step)(struct ts_dataset *source, const struct ts_space *part);
};

static int erase_in_source(struct ts_dataset *source, const struct ts_space *dst, const struct ts_space *src, void *ctx)
{
    const struct erasing *e = ctx;
    struct ts_space *part;
    if (ts_space_project(dst, e->chosen, src, &part) < 0)
        return -1;
    int status = ts_space_selected(part) > 0 ? e->step(source, part) : 0;
    ts_space_unref(part);
    return status;
}

static int erase_step(struct ts_dataset *d, const struct ts_space *chosen,
                      int (*step)(struct ts_dataset *source, const struct ts_space *part))
{
    struct erasing e = {.chosen = chosen, .step = step};
    struct ts_virtual_walk walk = {.d = d, .visit = erase_in_source, .ctx = &e};
    return ts_space_selected(chosen) > 0 ? walk_chosen(&walk, chosen) : 0;
}

int ts_virtual_may_erase(struct ts_dataset *d, const struct ts_space *chosen)
{
    return erase_step(d, chosen, ts_dataset_may_erase);
}

int ts_virtual_erase(struct ts_dataset *d, const struct ts_space *chosen)
{
    return erase_step(d, chosen, ts_dataset_erase_within);
}
