/* Two selections side by side, run by run (plan_pairs.h). */
#include "chunk/plan_pairs.h"

#include "base/alloc.h"

#define RUNS 256

struct ts_pair_walk {
    const struct ts_plan *plan;
    bool same;    /* memory is selected as the file is */
    bool one_run; /* and here in one run, of which mem_next is the next place */
    hsize_t mem_next;
    bool done; /* the list was given */
    struct ts_runs file, mem;
    size_t file_at, file_n, mem_at, mem_n;
    struct ts_run file_run[RUNS], mem_run[RUNS];
    struct ts_pair pairs[RUNS];
};

void ts_pair_walk_free(struct ts_pair_walk *w)
{
    if (w->plan && !w->plan->pairs) {
        ts_runs_deinit(&w->file);
        if (!w->same && !w->one_run)
            ts_runs_deinit(&w->mem);
    }
    ts_free(w);
}

static int walk_begin(struct ts_pair_walk *w, const struct ts_plan *plan)
{
    struct ts_run run;
    w->same = plan->mem == plan->file;
    w->one_run = !w->same && ts_space_single_run(plan->mem, &run);
    w->mem_next = w->one_run ? run.offset : 0;
    if (ts_runs_init(&w->file, plan->file) < 0)
        return -1;
    if (w->same || w->one_run || ts_runs_init(&w->mem, plan->mem) == 0)
        return 0;
    ts_runs_deinit(&w->file);
    return -1;
}

struct ts_pair_walk *ts_pair_walk_new(const struct ts_plan *plan)
{
    struct ts_pair_walk *w = ts_malloc(sizeof *w);
    if (!w)
        return NULL;
    w->plan = NULL;
    w->done = false;
    w->file_at = w->file_n = w->mem_at = w->mem_n = 0;
    if (!plan->pairs && walk_begin(w, plan) < 0) {
        ts_pair_walk_free(w);
        return NULL;
    }
    w->plan = plan;
    return w;
}

static bool walk_next(struct ts_pair_walk *w, struct ts_pair *out)
{
    if (w->file_at == w->file_n) {
        w->file_at = 0;
        w->file_n = ts_runs_next(&w->file, w->file_run, RUNS, HSIZE_UNDEF);
    }
    if (w->mem_at == w->mem_n) {
        w->mem_at = 0;
        w->mem_n = ts_runs_next(&w->mem, w->mem_run, RUNS, HSIZE_UNDEF);
    }
    if (w->file_n == 0 || w->mem_n == 0)
        return false;
    struct ts_run *f = &w->file_run[w->file_at], *m = &w->mem_run[w->mem_at];
    *out = (struct ts_pair){.src = f->offset, .mem = m->offset, .n = ts_min_hsize(f->length, m->length)};
    f->offset += out->n;
    m->offset += out->n;
    f->length -= out->n;
    m->length -= out->n;
    w->file_at += f->length == 0;
    w->mem_at += m->length == 0;
    return true;
}

size_t ts_pair_walk_next(struct ts_pair_walk *w, const struct ts_pair **out)
{
    size_t n = 0;
    *out = w->pairs;
    if (w->plan->pairs) {
        *out = w->plan->pairs;
        n = w->done ? 0 : w->plan->n_pairs;
        w->done = true;
    } else if (w->same || w->one_run) {
        n = ts_runs_next(&w->file, w->file_run, RUNS, HSIZE_UNDEF);
        for (size_t i = 0; i < n; i++) {
            struct ts_run run = w->file_run[i];
            w->pairs[i] =
                (struct ts_pair){.src = run.offset, .mem = w->same ? run.offset : w->mem_next, .n = run.length};
            w->mem_next += run.length;
        }
    } else {
        while (n < RUNS && walk_next(w, &w->pairs[n]))
            n++;
    }
    return n;
}
