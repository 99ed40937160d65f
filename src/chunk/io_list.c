/* Accesses that were collected for a store, sorted and made in few calls: read ts_io_list_flush. xfer.c fills the
 * list. */
#include "chunk/io_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/pool.h"

/* Runs from this many bytes on go straight between memory and the store; when they are read and are neighbours in the
 * store, from fewer. */
#define DIRECT_BYTES ((size_t)16 << 10)
#define DIRECT_NEIGHBOUR_BYTES ((size_t)2 << 10)
/* What is not wanted between two runs may be read along up to this size where the driver does not know better; a write
 * must read it first and write it too. */
#define READ_GAP_BYTES ((size_t)4 << 10)
#define WRITE_GAP_BYTES ((size_t)1 << 10)
#define WINDOW_BYTES ((size_t)1 << 20)
#define VECTORS 256
/* Threads share what is this long. On two cores, contiguous on tmpfs: 1 MiB takes 62 µs alone and 63 with a worker, 2
 * MiB 196 and 77, 4 MiB 363 and 196, 8 MiB 701 and 386. Not less than two portions. A call counts as so many bytes.
 * Each thread has several portions, since some take longer than others. */
#define SHARED_BYTES ((size_t)2 << 20)
#define SHARED_CALL_BYTES ((size_t)8 << 10)
#define PORTIONS ((size_t)8)
#define PORTION_BYTES ((size_t)1 << 20)

bool ts_store_same(const struct ts_store *a, const struct ts_store *b)
{
    return a->ctx == b->ctx && a->readv == b->readv && a->writev == b->writev;
}

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

/* Processors take the stores of a copy for the sources of its later loads when the destination lies a little behind the
 * source modulo the page. The kernel's copies out of its cache then run at a fraction of their speed; ours do not. */
static bool copies_slowly(const struct ts_io_run *r)
{
    size_t behind = ((uintptr_t)r->buf - r->addr) % 4096;
    return behind > 0 && behind < 32;
}

static bool is_direct(const struct ts_io_list *l, const struct ts_io_run *r)
{
    if (l->write)
        return r->count == 1 && r->n >= DIRECT_BYTES;
    size_t least = r->count > 1 && r->step == r->n ? DIRECT_NEIGHBOUR_BYTES : DIRECT_BYTES;
    return (r->count == 1 || r->step == r->n) && r->n >= least && !copies_slowly(r);
}

static size_t gap_bytes(const struct ts_io_list *l)
{
    const struct ts_driver_costs *costs = &l->store.costs;
    size_t known = l->write ? costs->write_along : costs->read_along;
    return known > 0 ? known : l->write ? WRITE_GAP_BYTES : READ_GAP_BYTES;
}

/* How far behind the end of run r[-1] the next may begin. */
static size_t gap_before(const struct ts_io_list *l, const struct ts_io_run *r)
{
    return l->write && r[-1].block != r->block ? 0 : gap_bytes(l);
}

/* How many runs from the first on share a window, and where it ends. */
static size_t window_extent(const struct ts_io_list *l, const struct ts_io_run *r, size_t n, haddr_t *end)
{
    size_t count = 1;
    *end = run_end(r);
    for (; count < n && !is_direct(l, &r[count]) && r[count].addr <= *end + gap_before(l, &r[count]); count++) {
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

/* Runs that need no window, on their way. */
struct direct {
    size_t n;
    union {
        struct ts_io_vec in[VECTORS];
        struct ts_io_out out[VECTORS];
    };
};

static int direct_flush(struct ts_io_list *l, struct direct *d)
{
    size_t n = d->n;
    d->n = 0;
    l->window_used = 0;
    if (n == 0)
        return 0;
    return l->write ? l->store.writev(l->store.ctx, d->out, n) : l->store.readv(l->store.ctx, d->in, n);
}

/* What goes on where the last vector ends, in the store and in memory, becomes a part of that. */
static bool direct_extend(struct ts_io_list *l, struct direct *d, haddr_t addr, size_t size, const uint8_t *buf)
{
    if (d->n == 0)
        return false;
    if (l->write) {
        struct ts_io_out *last = &d->out[d->n - 1];
        bool follows = last->addr + last->size == addr && (const uint8_t *)last->buf + last->size == buf;
        last->size += follows ? size : 0;
        return follows;
    }
    struct ts_io_vec *last = &d->in[d->n - 1];
    bool follows = last->addr + last->size == addr && (uint8_t *)last->buf + last->size == buf;
    last->size += follows ? size : 0;
    return follows;
}

static int direct_add(struct ts_io_list *l, struct direct *d, haddr_t addr, size_t size, uint8_t *buf)
{
    if (direct_extend(l, d, addr, size, buf))
        return 0;
    if (d->n == VECTORS && direct_flush(l, d) < 0)
        return -1;
    if (l->write)
        d->out[d->n++] = (struct ts_io_out){.addr = addr, .size = size, .buf = buf};
    else
        d->in[d->n++] = (struct ts_io_vec){.addr = addr, .size = size, .buf = buf};
    return 0;
}

/* What the runs leave free in the window is read first, so that it stays as it is. It is written with others that fit
 * behind it. */
static int write_window(struct ts_io_list *l, struct direct *d, const struct ts_io_run *r, size_t n, size_t size)
{
    size_t covered = 0;
    bool fits = d->n < VECTORS && size <= l->window_size - l->window_used;
    if (!fits && (direct_flush(l, d) < 0 || window_room(l, size) < 0))
        return -1;
    uint8_t *window = l->window + l->window_used;
    for (size_t i = 0; i < n; i++)
        covered += r[i].n * r[i].count;
    struct ts_io_vec v = {.addr = r->addr, .size = size, .buf = window};
    if (covered < size && l->store.readv(l->store.ctx, &v, 1) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        ts_copy_runs(window + (r[i].addr - r->addr), r[i].step, r[i].buf, r[i].buf_step, r[i].n, r[i].count);
    l->window_used += size;
    return direct_add(l, d, r->addr, size, window);
}

/* Room for all windows of a write, if that is not too much. */
static int write_room(struct ts_io_list *l)
{
    size_t bytes = 0;
    for (size_t i = 0; i < l->n && bytes < WINDOW_BYTES; i++)
        if (!is_direct(l, &l->runs[i]))
            bytes += (size_t)(run_end(&l->runs[i]) - l->runs[i].addr);
    return bytes == 0 ? 0 : window_room(l, bytes < WINDOW_BYTES ? bytes : WINDOW_BYTES);
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

/* A run longer than a window. */
static int read_in_windows(struct ts_io_list *l, struct ts_io_run r)
{
    if (window_room(l, WINDOW_BYTES) < 0)
        return -1;
    while (r.n > 0) {
        struct ts_io_run now = r;
        now.n = r.n < WINDOW_BYTES ? r.n : WINDOW_BYTES;
        if (read_window(l, &now, 1, now.n) < 0)
            return -1;
        r.addr += now.n;
        r.buf += now.n;
        r.n -= now.n;
    }
    return 0;
}

static int direct_add_run(struct ts_io_list *l, struct direct *d, const struct ts_io_run *r)
{
    for (size_t k = 0; k < r->count; k++)
        if (direct_add(l, d, r->addr + k * r->step, r->n, r->buf + k * r->buf_step) < 0)
            return -1;
    return 0;
}

static int flush_sorted(struct ts_io_list *l, struct direct *d)
{
    if (l->write && l->n > 1 && write_room(l) < 0)
        return -1;
    for (size_t i = 0, n; i < l->n; i += n) {
        const struct ts_io_run *r = &l->runs[i];
        haddr_t end = 0;
        bool direct = is_direct(l, r);
        n = direct ? 1 : window_extent(l, r, l->n - i, &end);
        bool alone = n == 1 && r->count == 1;
        if (direct || (alone && (l->write || r->n < DIRECT_BYTES))) {
            if (direct_add_run(l, d, r) < 0)
                return -1;
            continue;
        }
        if (alone && r->n > WINDOW_BYTES) {
            if (read_in_windows(l, *r) < 0)
                return -1;
            continue;
        }
        size_t size = (size_t)(end - r->addr);
        if (l->write ? write_window(l, d, r, n, size) < 0 : window_room(l, size) < 0 || read_window(l, r, n, size) < 0)
            return -1;
    }
    return direct_flush(l, d);
}

/* Runs that several threads read: each takes some that follow each other, and has a window of its own. */
struct shared {
    const struct ts_io_list *list;
    size_t n;                   /* portions */
    struct ts_io_list *windows; /* one for each thread, of which nothing else is used */
};

static int read_portion(void *ctx, size_t item, unsigned lane)
{
    const struct shared *s = ctx;
    const struct ts_io_list *l = s->list;
    size_t first = item * l->n / s->n;
    struct direct d;
    d.n = 0;
    struct ts_io_list *part = &s->windows[lane];
    part->store = l->store;
    part->runs = l->runs + first;
    part->n = (item + 1) * l->n / s->n - first;
    return flush_sorted(part, &d);
}

/* How much there is to read, in bytes. Where the system has them in memory, reading is copying, and finding pages for
 * where they go. */
static size_t work_of(const struct ts_io_list *l)
{
    size_t bytes = 0;
    for (size_t i = 0; i < l->n; i++)
        bytes += l->runs[i].n * l->runs[i].count + SHARED_CALL_BYTES;
    return bytes;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int read_shared(struct ts_io_list *l, size_t work)
{
    size_t threads = (size_t)l->store.helpers + 1, portions = min_size(work / PORTION_BYTES, threads * PORTIONS);
    struct shared s = {.list = l, .n = min_size(portions, l->n), .windows = ts_calloc(threads, sizeof *l)};
    int status = s.windows ? ts_pool_run(l->store.helpers, s.n, read_portion, &s) : -1;
    for (size_t i = 0; s.windows && i < threads; i++)
        ts_free(s.windows[i].window);
    ts_free(s.windows);
    return status;
}

static int flush(struct ts_io_list *l)
{
    struct direct d;
    d.n = 0;
    if (l->write && !disjoint(l))
        return write_in_order(l, &d);
    size_t work = l->write || l->store.helpers == 0 || !l->store.costs.side_by_side ? 0 : work_of(l);
    return work >= SHARED_BYTES ? read_shared(l, work) : flush_sorted(l, &d);
}

int ts_io_list_flush(struct ts_io_list *l)
{
    l->window_used = 0;
    if (l->n == 0)
        return 0;
    if (l->unsorted)
        qsort(l->runs, l->n, sizeof l->runs[0], by_address);
    int status = flush(l);
    l->n = 0;
    l->unsorted = false;
    return status;
}

static int push(struct ts_io_list *l, const struct ts_io_run *r)
{
    if (l->n == TS_IO_LIST_RUNS && ts_io_list_flush(l) < 0)
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

/* One run, in pieces that threads can share. Without them those that follow each other go with one call after all. */
static int push_pieces(struct ts_io_list *l, struct ts_io_run r)
{
    size_t piece = l->write || l->store.helpers == 0 ? SIZE_MAX : TS_IO_LIST_PIECE;
    for (size_t left = r.n; left > 0; left -= r.n) {
        r.n = left < piece ? left : piece;
        if (push(l, &r) < 0)
            return -1;
        r.addr += r.n;
        r.buf += r.n;
    }
    return 0;
}

/* Runs that lie too far apart for one window are entered one by one, dense ones in windows. */
int ts_io_list_add(struct ts_io_list *l, const struct ts_io_run *run)
{
    struct ts_io_run r = *run;
    if (r.count > 1 && r.step == r.n && r.buf_step == r.n) {
        r.n *= r.count;
        r.count = 1;
    }
    if (r.count == 1)
        return push_pieces(l, r);
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

int ts_io_list_join(struct ts_io_list *l, struct ts_io_list *from)
{
    size_t blocks = 0;
    if (from->n > 0) {
        l->store = from->store;
        l->write = from->write;
    }
    /* Both have numbered their blocks from the same number on. */
    for (size_t i = 0; i < l->n; i++)
        blocks = l->runs[i].block >= blocks ? l->runs[i].block + 1 : blocks;
    for (size_t i = 0; i < from->n; i++) {
        struct ts_io_run r = from->runs[i];
        r.block += blocks;
        if (push(l, &r) < 0)
            return -1;
    }
    from->n = 0;
    from->unsorted = false;
    return 0;
}
