#include <stdlib.h>

#include "base/alloc.h"
#include "dataset/virtual_parts.h"

static int by_src(const void *a, const void *b)
{
    hsize_t x = ((const struct ts_pair *)a)->src, y = ((const struct ts_pair *)b)->src;
    return (x > y) - (x < y);
}

void ts_pairs_sort(struct ts_pairs *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (l->items[i].src < l->items[i - 1].src) {
            qsort(l->items, l->n, sizeof l->items[0], by_src);
            return;
        }
}

int ts_pairs_add(struct ts_pairs *l, hsize_t src, hsize_t mem, hsize_t n)
{
    if (TS_GROW(l->items, l->capacity, l->n + 1) < 0)
        return -1;
    l->items[l->n++] = (struct ts_pair){.src = src, .mem = mem, .n = n};
    return 0;
}

void ts_pairs_unite(struct ts_pairs *l)
{
    size_t n = 0;
    ts_pairs_sort(l);
    for (size_t i = 0; i < l->n; i++) {
        struct ts_pair *last = n > 0 ? &l->items[n - 1] : NULL;
        hsize_t end = l->items[i].src + l->items[i].n;
        if (!last || l->items[i].src > last->src + last->n)
            l->items[n++] = l->items[i];
        else if (end > last->src + last->n)
            last->n = end - last->src;
    }
    l->n = n;
}

int ts_pairs_select(const struct ts_pairs *l, const struct ts_space *like, struct ts_space **out)
{
    struct ts_run *runs = ts_malloc((l->n + 1) * sizeof *runs);
    if (!runs)
        return -1;
    for (size_t i = 0; i < l->n; i++)
        runs[i] = (struct ts_run){l->items[i].src, l->items[i].n};
    int status = ts_space_take_runs(like, &runs, l->n, out);
    ts_free(runs);
    return status;
}
