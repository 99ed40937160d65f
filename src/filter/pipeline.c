#include "filter/pipeline.h"

#include <string.h>

#include "base/alloc.h"

static void filter_deinit(struct ts_filter *f)
{
    ts_free(f->name);
    ts_free(f->values);
}

void ts_pipeline_deinit(struct ts_pipeline *p)
{
    for (size_t i = 0; i < p->n; i++)
        filter_deinit(&p->filters[i]);
    ts_free(p->filters);
    *p = (struct ts_pipeline){0};
}

static int filter_copy(struct ts_filter *dst, const struct ts_filter *src)
{
    *dst = *src;
    dst->name = src->name ? ts_strdup(src->name) : NULL;
    dst->values = src->n_values ? ts_memdup(src->values, src->n_values * sizeof *src->values) : NULL;
    if ((src->name && !dst->name) || (src->n_values && !dst->values)) {
        filter_deinit(dst);
        return -1;
    }
    return 0;
}

int ts_pipeline_add(struct ts_pipeline *p, const struct ts_filter *filter)
{
    struct ts_filter copy;
    if (filter_copy(&copy, filter) < 0)
        return -1;
    struct ts_filter *grown = ts_realloc(p->filters, (p->n + 1) * sizeof *grown);
    if (!grown) {
        filter_deinit(&copy);
        return -1;
    }
    p->filters = grown;
    p->filters[p->n++] = copy;
    return 0;
}

int ts_pipeline_copy(struct ts_pipeline *dst, const struct ts_pipeline *src)
{
    struct ts_pipeline copy = {0};
    for (size_t i = 0; i < src->n; i++)
        if (ts_pipeline_add(&copy, &src->filters[i]) < 0) {
            ts_pipeline_deinit(&copy);
            return -1;
        }
    *dst = copy;
    return 0;
}

void ts_pipeline_sections_deinit(struct ts_pipeline_sections *p)
{
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++)
        ts_pipeline_deinit(&p->section[i]);
}

struct ts_filter *ts_pipeline_find(const struct ts_pipeline *p, H5Z_filter_t id)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->filters[i].id == id)
            return &p->filters[i];
    return NULL;
}

int ts_filter_set_values(struct ts_filter *f, size_t n, const unsigned *values)
{
    unsigned *copy = n ? ts_memdup(values, n * sizeof *values) : NULL;
    if (n && !copy)
        return -1;
    ts_free(f->values);
    f->values = copy;
    f->n_values = n;
    return 0;
}

void ts_pipeline_remove_at(struct ts_pipeline *p, size_t i)
{
    filter_deinit(&p->filters[i]);
    p->n--;
    memmove(&p->filters[i], &p->filters[i + 1], (p->n - i) * sizeof p->filters[0]);
}
