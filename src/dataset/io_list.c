#include "dataset/io_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Runs from this many bytes on go straight between memory and the store. */
#define DIRECT_BYTES ((size_t)16 << 10)
/* What is not wanted between two runs may be read along up to this size: less than a call costs. A write must read it
 * first and write it too. */
#define READ_GAP_BYTES ((size_t)8 << 10)
#define WRITE_GAP_BYTES ((size_t)1 << 10)
#define WINDOW_BYTES ((size_t)1 << 20)
#define MAX_RUNS ((size_t)1 << 16)
#define VECTORS 64

void ts_io_list_deinit(struct ts_io_list *l)
{
    ts_free(l->runs);
    ts_free(l->window);
}

#define COPY_FIXED(size)                                                                                               \
    for (; count > 0; count--, dst += dst_step, src += src_step)                                                       \
        memcpy(dst, src, size)

void ts_copy_runs(uint8_t *dst, size_t dst_step, const uint8_t *src, size_t src_step, size_t n, size_t count)
{
    switch (n) {
    case 1:
        COPY_FIXED(1);
        break;
    case 2:
        COPY_FIXED(2);
        break;
    case 4:
        COPY_FIXED(4);
        break;
    case 8:
        COPY_FIXED(8);
        break;
    case 16:
        COPY_FIXED(16);
        break;
    default:
        COPY_FIXED(n);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct ts_io_run *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr > y->addr ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
    size_t x = ((const struct ts_io_run *)a)->order, y = ((const struct ts_io_run *)b)->order;
    return (x > y) - (x < y);
}

static haddr_t run_end(const struct ts_io_run *r)
{
    return r->addr + (r->count - 1) * r->step + r->n;
}

static bool is_direct(const struct ts_io_run *r)
{
    return r->count == 1 && r->n >= DIRECT_BYTES;
}

static size_t gap_bytes(const struct ts_io_list *l)
{
    return l->write ? WRITE_GAP_BYTES : READ_GAP_BYTES;
}

/* How many runs from the first on share a window, and where it ends. */
static size_t window_extent(const struct ts_io_list *l, const struct ts_io_run *r, size_t n, haddr_t *end)
{
    size_t count = 1;
    *end = run_end(r);
    for (; count < n && !is_direct(&r[count]) && r[count].addr <= *end + gap_bytes(l); count++) {
        haddr_t next = run_end(&r[count]);
        if (next < *end)
            next = *end;
        if (next - r->addr > WINDOW_BYTES)
            break;
        *end = next;
    }
    return count;
}

static int window_room(struct ts_io_list *l, size_t size)
{
    if (size <= l->window_size)
        return 0;
    ts_free(l->window);
    l->window_size = 0;
    l->window = ts_malloc_aligned(size);
    if (!l->window)
        return -1;
    l->window_size = size;
    return 0;
}

static int read_window(struct ts_io_list *l, const struct ts_io_run *r, size_t n, size_t size)
{
    struct ts_io_vec v = {.addr = r->addr, .size = size, .buf = l->window};
    if (l->store.readv(l->store.ctx, &v, 1) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        ts_copy_runs(r[i].buf, r[i].buf_step, l->window + (r[i].addr - r->addr), r[i].step, r[i].n, r[i].count);
    return 0;
}

/* What the runs leave free in the window is read first, so that it stays as it is. */
static int write_window(struct ts_io_list *l, const struct ts_io_run *r, size_t n, size_t size)
{
    size_t covered = 0;
    for (size_t i = 0; i < n; i++)
        covered += r[i].n * r[i].count;
    struct ts_io_vec v = {.addr = r->addr, .size = size, .buf = l->window};
    if (covered < size && l->store.readv(l->store.ctx, &v, 1) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        ts_copy_runs(l->window + (r[i].addr - r->addr), r[i].step, r[i].buf, r[i].buf_step, r[i].n, r[i].count);
    struct ts_io_out out = {.addr = r->addr, .size = size, .buf = l->window};
    return l->store.writev(l->store.ctx, &out, 1);
}

/* Runs that need no window, on their way. */
struct direct {
    size_t n;
    struct ts_io_vec in[VECTORS];
    struct ts_io_out out[VECTORS];
};

static int direct_flush(struct ts_io_list *l, struct direct *d)
{
    size_t n = d->n;
    d->n = 0;
    if (n == 0)
        return 0;
    return l->write ? l->store.writev(l->store.ctx, d->out, n) : l->store.readv(l->store.ctx, d->in, n);
}

static int direct_add(struct ts_io_list *l, struct direct *d, haddr_t addr, size_t size, uint8_t *buf)
{
    if (l->write)
        d->out[d->n++] = (struct ts_io_out){.addr = addr, .size = size, .buf = buf};
    else
        d->in[d->n++] = (struct ts_io_vec){.addr = addr, .size = size, .buf = buf};
    return d->n == VECTORS ? direct_flush(l, d) : 0;
}

/* True when no run begins before another ends; they are sorted. */
static bool disjoint(const struct ts_io_list *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (l->runs[i].addr < run_end(&l->runs[i - 1]))
            return false;
    return true;
}

/* Points may name an element twice: then what is written last must stay, so everything is written one by one. */
static int write_in_order(struct ts_io_list *l, struct direct *d)
{
    qsort(l->runs, l->n, sizeof l->runs[0], by_order);
    for (size_t i = 0; i < l->n; i++) {
        const struct ts_io_run *r = &l->runs[i];
        for (size_t k = 0; k < r->count; k++)
            if (direct_add(l, d, r->addr + k * r->step, r->n, r->buf + k * r->buf_step) < 0)
                return -1;
    }
    return direct_flush(l, d);
}

static int flush_sorted(struct ts_io_list *l, struct direct *d)
{
    for (size_t i = 0, n; i < l->n; i += n) {
        const struct ts_io_run *r = &l->runs[i];
        haddr_t end = 0;
        n = is_direct(r) ? 1 : window_extent(l, r, l->n - i, &end);
        if (n == 1 && r->count == 1) {
            if (direct_add(l, d, r->addr, r->n, r->buf) < 0)
                return -1;
            continue;
        }
        size_t size = (size_t)(end - r->addr);
        if (window_room(l, size) < 0 || (l->write ? write_window(l, r, n, size) : read_window(l, r, n, size)) < 0)
            return -1;
    }
    return direct_flush(l, d);
}

int ts_io_list_flush(struct ts_io_list *l)
{
    struct direct d;
    d.n = 0;
    if (l->n == 0)
        return 0;
    if (l->unsorted)
        qsort(l->runs, l->n, sizeof l->runs[0], by_address);
    int status = l->write && !disjoint(l) ? write_in_order(l, &d) : flush_sorted(l, &d);
    l->n = 0;
    l->unsorted = false;
    return status;
}

static int push(struct ts_io_list *l, const struct ts_io_run *r)
{
    if (l->n == MAX_RUNS && ts_io_list_flush(l) < 0)
        return -1;
    if (TS_GROW(l->runs, l->capacity, l->n + 1) < 0)
        return -1;
    if (l->n > 0 && l->runs[l->n - 1].addr > r->addr)
        l->unsorted = true;
    l->runs[l->n] = *r;
    l->runs[l->n].order = l->n;
    l->n++;
    return 0;
}

/* Runs that lie too far apart for one window are entered one by one, dense ones in windows. */
int ts_io_list_add(struct ts_io_list *l, struct ts_io_run r)
{
    if (r.count > 1 && r.step == r.n && r.buf_step == r.n) {
        r.n *= r.count;
        r.count = 1;
    }
    size_t rows = 1;
    if (r.n < DIRECT_BYTES && r.step >= r.n && r.step - r.n <= gap_bytes(l) && r.step > 0)
        rows = (WINDOW_BYTES - r.n) / r.step + 1;
    while (r.count > 0) {
        struct ts_io_run now = r;
        now.count = r.count < rows ? r.count : rows;
        if (push(l, &now) < 0)
            return -1;
        r.addr += now.count * r.step;
        r.buf += now.count * r.buf_step;
        r.count -= now.count;
    }
    return 0;
}
