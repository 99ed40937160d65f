/* Elements in the application's memory: what a selection says of a buffer is done run by run. */
#include "dataset/elements.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/xfer.h"
#include "object/reference.h"
#include "space/space.h"

/* How many elements are selected, as far as an hssize_t can say it; negative otherwise. */
static hssize_t count(const struct ts_space *s)
{
    hsize_t n = ts_space_selected(s);
    return n <= INT64_MAX ? (hssize_t)n : -1;
}

static int check_countable(const struct ts_space *s)
{
    return count(s) >= 0 ? 0 : TS_SAY(DATASPACE, CANTCOUNT, "can't get number of elements selected");
}

/* The selected elements of a buffer, one after the other in portions. */
struct walk {
    struct ts_runs runs;
    struct ts_run run;
};

static int walk_init(struct walk *w, const struct ts_space *space)
{
    w->run = (struct ts_run){0};
    return ts_runs_init(&w->runs, space) == 0
               ? 0
               : TS_SAY(ARGS, BADVALUE, "dataspace does not have its selection within its extent");
}

#define CANNOT_COUNT "unable to get number of elements in selection: there are too many, or no end of them"

/* Up to max elements that lie together; false at the end. */
static bool walk_next(struct walk *w, hsize_t max, struct ts_run *out)
{
    if (w->run.length == 0 && ts_runs_next(&w->runs, &w->run, 1, HSIZE_UNDEF) == 0)
        return false;
    out->offset = w->run.offset;
    out->length = w->run.length < max ? w->run.length : max;
    w->run.offset += out->length;
    w->run.length -= out->length;
    return true;
}

/* What the application's function gives. One that gives nothing new is asked for the same again, as in libhdf5. */
struct source {
    H5D_scatter_func_t op;
    void *op_data;
    const void *src;
    size_t bytes;
};

static int ask(struct source *from, size_t size, hsize_t most)
{
    TS_MAY_CALL_OUT();
    if (from->op(&from->src, &from->bytes, from->op_data) < 0)
        return TS_SAY(DATASET, CALLBACK, "callback operator returned failure");
    if (!from->src)
        return TS_SAY(ARGS, BADVALUE, "callback did not return a buffer");
    if (from->bytes == 0)
        return TS_SAY(ARGS, BADVALUE, "callback returned a buffer size of 0");
    if (from->bytes % size != 0)
        return TS_SAY(ARGS, BADVALUE,
                      "buffer size is not a multiple of datatype size: callback returned %zu bytes, elements have %zu",
                      from->bytes, size);
    if (from->bytes / size > most)
        return TS_SAY(ARGS, BADVALUE, "callback returned more elements than in selection");
    return 0;
}

/* Whether the selection lies within the extent shows when the first elements are there. */
int ts_elements_scatter(const struct ts_space *space, size_t size, H5D_scatter_func_t op, void *op_data, void *dst)
{
    struct source from = {.op = op, .op_data = op_data};
    struct walk w;
    struct ts_run run;
    hssize_t left = count(space);
    bool begun = false;
    int status = left < 0 ? TS_SAY(DATASET, CANTCOUNT, CANNOT_COUNT) : 0;
    while (status == 0 && left > 0 && (status = ask(&from, size, (hsize_t)left)) == 0) {
        size_t n = from.bytes / size;
        const uint8_t *at = from.src;
        if (!begun && (status = walk_init(&w, space)) < 0)
            break;
        begun = true;
        left -= (hssize_t)n;
        for (; n > 0 && walk_next(&w, n, &run); n -= (size_t)run.length) {
            memcpy((uint8_t *)dst + run.offset * size, at, run.length * size);
            at += run.length * size;
        }
    }
    if (begun)
        ts_runs_deinit(&w.runs);
    return status;
}

static int gather_runs(const struct ts_gather *g, struct walk *w, hsize_t left)
{
    while (left > 0) {
        size_t n = 0, most = left < g->room ? (size_t)left : g->room;
        struct ts_run run;
        while (n < most && walk_next(w, most - n, &run)) {
            memcpy(g->dst + n * g->size, g->src + run.offset * g->size, run.length * g->size);
            n += run.length;
        }
        left -= n;
        TS_MAY_CALL_OUT();
        if (g->op && g->op(g->dst, n * g->size, g->op_data) < 0)
            return TS_SAY(DATASET, CALLBACK, "callback operator returned failure");
    }
    return 0;
}

int ts_elements_gather(const struct ts_gather *g, const struct ts_space *space)
{
    struct walk w;
    hssize_t n = count(space);
    if (n < 0)
        return TS_SAY(DATASET, CANTCOUNT, CANNOT_COUNT);
    if (!g->op && (hsize_t)n > g->room)
        return TS_ERR(ARGS, BADVALUE, "no callback supplied and destination buffer too small");
    if (walk_init(&w, space) < 0)
        return -1;
    int status = gather_runs(g, &w, (hsize_t)n);
    ts_runs_deinit(&w.runs);
    return status;
}

static int fill_runs(struct ts_xfer *x, const void *element, struct ts_runs *runs)
{
    struct ts_run run;
    while (ts_runs_next(runs, &run, 1, HSIZE_UNDEF) > 0) {
        struct ts_piece piece = {.mem = run.offset, .n = run.length, .count = 1};
        if (ts_xfer_fill(x, element, &piece, 1) < 0)
            return -1;
    }
    return ts_xfer_finish(x);
}

static int check_fillable(const struct ts_space *space)
{
    if (count(space) < 0)
        return TS_ERR(DATASET, CANTCOUNT, CANNOT_COUNT);
    return ts_space_valid(space) ? 0 : TS_SAY(ARGS, BADVALUE, "selection + offset not within extent");
}

static int fill_selected(const void *fill, const struct ts_type *src, const struct ts_type *dst,
                         const struct ts_space *space, void *buf)
{
    struct ts_conv_path *path;
    struct ts_conv_env env = {0};
    struct ts_runs runs;
    struct ts_xfer x;
    if (ts_conv_find(src, dst, &path) < 0)
        return TS_ERR(DATASET, UNSUPPORTED, "unable to convert between src and dest datatype");
    if (check_fillable(space) < 0) {
        ts_conv_path_unref(path);
        return -1;
    }
    struct ts_xfer_options o = {.src_size = ts_type_size(src),
                                .mem_size = ts_type_size(dst),
                                .path = path,
                                .env = &env,
                                .flat = !ts_type_has_vlen_or_ref(dst)};
    int status = ts_runs_init(&runs, space);
    if (status == 0) {
        ts_xfer_init(&x, buf, &o);
        status = fill_runs(&x, fill, &runs);
        ts_xfer_deinit(&x);
        ts_runs_deinit(&runs);
    }
    ts_conv_path_unref(path);
    return status;
}

int ts_elements_fill(const struct ts_space *space, const void *value, const struct ts_type *src,
                     const struct ts_type *dst, void *buf)
{
    if (!ts_space_has_extent(space))
        return TS_ERR(DATASET, BADVALUE, "dataspace does not have extent set");
    if (value)
        return fill_selected(value, src, dst, space, buf);
    void *zeros = ts_calloc(1, ts_type_size(dst));
    int status = zeros ? fill_selected(zeros, dst, dst, space, buf) : -1;
    ts_free(zeros);
    return status;
}

static void coordinates(const struct ts_space *space, hsize_t offset, hsize_t *point)
{
    const hsize_t *dims = ts_space_dims(space);
    for (unsigned d = ts_space_rank(space); d-- > 0; offset /= dims[d])
        point[d] = offset % dims[d];
}

static void next_point(const hsize_t *dims, unsigned rank, hsize_t *point)
{
    for (unsigned d = rank; d-- > 0; point[d] = 0)
        if (++point[d] < dims[d])
            return;
}

static herr_t visit_run(const struct ts_elements_visitor *v, const struct ts_space *space, const struct ts_run *run,
                        uint8_t *buf)
{
    TS_MAY_CALL_OUT();
    hsize_t point[H5S_MAX_RANK] = {0};
    const hsize_t *dims = ts_space_dims(space);
    unsigned rank = ts_space_rank(space);
    herr_t answer = 0;
    coordinates(space, run->offset, point);
    for (hsize_t i = 0; i < run->length && answer == 0; i++) {
        answer = v->op(buf + (run->offset + i) * v->size, v->type_id, rank, point, v->data);
        next_point(dims, rank, point);
    }
    return answer;
}

int ts_elements_iterate(const struct ts_space *space, const struct ts_elements_visitor *v, void *buf)
{
    struct ts_runs runs;
    struct ts_run run;
    herr_t answer = 0;
    if (check_countable(space) < 0 || ts_runs_init(&runs, space) < 0)
        return -1;
    while (answer == 0 && ts_runs_next(&runs, &run, 1, HSIZE_UNDEF) > 0)
        answer = visit_run(v, space, &run, buf);
    ts_runs_deinit(&runs);
    return answer;
}

int ts_elements_reclaim(const struct ts_type *t, const struct ts_reclaim *how, const struct ts_space *space, void *buf)
{
    struct ts_run runs[64];
    struct ts_runs it;
    size_t n;
    if (check_countable(space) < 0 || ts_runs_init(&it, space) < 0)
        return -1;
    while ((n = ts_runs_next(&it, runs, sizeof runs / sizeof *runs, HSIZE_UNDEF)) > 0)
        for (size_t i = 0; i < n; i++)
            ts_reclaim(t, how, (size_t)runs[i].length, (uint8_t *)buf + runs[i].offset * t->size);
    ts_runs_deinit(&it);
    return 0;
}

/* Counts what variable-length elements take in memory. */
static void *count_alloc(size_t size, void *info)
{
    *(hsize_t *)info += size;
    return malloc(size ? size : 1);
}

int ts_dataset_vlen_size(struct ts_dataset *d, const struct ts_type *type, const struct ts_space *space, hsize_t *size)
{
    hsize_t n = ts_space_selected(space);
    struct ts_space *mem;
    *size = 0;
    if (n == 0)
        return 0;
    if (n > SIZE_MAX / ts_type_size(type))
        return TS_ERR(ARGS, BADRANGE, "%llu elements do not fit in memory", (unsigned long long)n);
    if (ts_space_new_simple(1, &n, NULL, &mem) < 0)
        return -1;
    struct ts_transfer_options options = {.env = {.vl_alloc = count_alloc, .vl_alloc_info = size}};
    void *buf = ts_calloc((size_t)n, ts_type_size(type));
    int status = buf ? ts_dataset_read(d, type, mem, space, &options, buf) : -1;
    struct ts_reclaim how = {.destroy_reference = ts_ref_destroy};
    if (buf)
        ts_reclaim(type, &how, (size_t)n, buf);
    ts_free(buf);
    ts_space_unref(mem);
    return status < 0 ? TS_SAY(DATASPACE, CANTNEXT, "iteration operator failed") : 0;
}
