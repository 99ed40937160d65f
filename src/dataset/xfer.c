#include "dataset/xfer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Runs from this many bytes on are read straight to their place. */
#define DIRECT_BYTES ((size_t)16 << 10)
/* What is not wanted between two runs may be read along up to this size: less than a call costs. */
#define GAP_BYTES ((size_t)8 << 10)
#define WINDOW_BYTES ((size_t)1 << 20)
#define MAX_READS ((size_t)1 << 16)
#define PACK_BYTES ((size_t)128 << 10)
/* Elements from which converting a run on its own is cheaper than packing it. */
#define LONG_RUN 64

/* count runs of n bytes, the first at addr; all in one window, or a single run. */
struct ts_xfer_read {
    haddr_t addr;
    uint8_t *dst;
    size_t n, count, step, dst_step;
};

/* Where packed elements go, in elements of the memory extent. */
struct ts_xfer_place {
    hsize_t mem, n, count, step;
};

void ts_xfer_init(struct ts_xfer *x, void *buf, const struct ts_xfer_options *o)
{
    *x = (struct ts_xfer){.buf = buf, .src_size = o->src_size, .mem_size = o->mem_size, .env = o->env,
                          .transform = o->transform, .sorted = true, .long_runs = true};
    if (!o->path || (ts_conv_is_noop(o->path) && !o->transform))
        return;
    size_t element = x->src_size > x->mem_size ? x->src_size : x->mem_size;
    size_t bytes = o->buffer_hint > 0 && o->buffer_hint < PACK_BYTES ? o->buffer_hint : PACK_BYTES;
    x->path = o->path;
    x->flat = o->flat;
    x->pack_elements = bytes / element > 0 ? bytes / element : 1;
    x->pack_bytes = x->pack_elements * element;
}

void ts_xfer_deinit(struct ts_xfer *x)
{
    ts_free(x->pack);
    ts_free(x->background);
    ts_free(x->places);
    ts_free(x->reads);
    ts_free(x->window);
    ts_free(x->fill);
    ts_free(x->zeros);
}

#define COPY_FIXED(size)                                                                                               \
    for (; count > 0; count--, dst += dst_step, src += src_step)                                                       \
        memcpy(dst, src, size)

/* count runs of n bytes. */
static void copy_runs(uint8_t *dst, size_t dst_step, const uint8_t *src, size_t src_step, size_t n, size_t count)
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
    haddr_t x = ((const struct ts_xfer_read *)a)->addr, y = ((const struct ts_xfer_read *)b)->addr;
    return (x > y) - (x < y);
}

static haddr_t read_end(const struct ts_xfer_read *r)
{
    return r->addr + (r->count - 1) * r->step + r->n;
}

static bool is_direct(const struct ts_xfer_read *r)
{
    return r->count == 1 && r->n >= DIRECT_BYTES;
}

/* How many reads from the first on share a window, and where it ends. */
static size_t window_extent(const struct ts_xfer_read *r, size_t n, haddr_t *end)
{
    size_t count = 1;
    *end = read_end(r);
    for (; count < n && !is_direct(&r[count]) && r[count].addr <= *end + GAP_BYTES; count++) {
        haddr_t next = read_end(&r[count]);
        if (next < *end)
            next = *end;
        if (next - r->addr > WINDOW_BYTES)
            break;
        *end = next;
    }
    return count;
}

static int read_window(struct ts_xfer *x, const struct ts_xfer_read *r, size_t n, haddr_t end)
{
    size_t size = (size_t)(end - r->addr);
    if (size > x->window_size) {
        ts_free(x->window);
        x->window_size = 0;
        x->window = ts_malloc_aligned(size);
        if (!x->window)
            return -1;
        x->window_size = size;
    }
    struct ts_io_vec v = {.addr = r->addr, .size = size, .buf = x->window};
    if (x->source.readv(x->source.ctx, &v, 1) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        copy_runs(r[i].dst, r[i].dst_step, x->window + (r[i].addr - r->addr), r[i].step, r[i].n, r[i].count);
    return 0;
}

static int flush_reads(struct ts_xfer *x)
{
    enum { VECTORS = 64 };
    struct ts_io_vec v[VECTORS];
    size_t n_v = 0;
    if (!x->sorted)
        qsort(x->reads, x->n_reads, sizeof x->reads[0], by_address);
    for (size_t i = 0, n; i < x->n_reads; i += n) {
        const struct ts_xfer_read *r = &x->reads[i];
        haddr_t end = 0;
        n = is_direct(r) ? 1 : window_extent(r, x->n_reads - i, &end);
        if (n > 1 || r->count > 1) {
            if (read_window(x, r, n, end) < 0)
                return -1;
            continue;
        }
        v[n_v++] = (struct ts_io_vec){.addr = r->addr, .size = r->n, .buf = r->dst};
        if (n_v == VECTORS) {
            if (x->source.readv(x->source.ctx, v, n_v) < 0)
                return -1;
            n_v = 0;
        }
    }
    x->n_reads = 0;
    x->sorted = true;
    return n_v > 0 ? x->source.readv(x->source.ctx, v, n_v) : 0;
}

static int push_read(struct ts_xfer *x, const struct ts_xfer_read *r)
{
    if (x->n_reads == MAX_READS && flush_reads(x) < 0)
        return -1;
    if (TS_GROW(x->reads, x->reads_capacity, x->n_reads + 1) < 0)
        return -1;
    if (x->n_reads > 0 && x->reads[x->n_reads - 1].addr > r->addr)
        x->sorted = false;
    x->reads[x->n_reads++] = *r;
    return 0;
}

/* Runs that lie too far apart for one window are entered one by one, dense ones in windows. */
static int add_read(struct ts_xfer *x, struct ts_xfer_read r)
{
    if (r.count > 1 && r.step == r.n && r.dst_step == r.n) {
        r.n *= r.count;
        r.count = 1;
    }
    size_t rows = 1;
    if (r.n < DIRECT_BYTES && r.step >= r.n && r.step - r.n <= GAP_BYTES && r.step > 0)
        rows = (WINDOW_BYTES - r.n) / r.step + 1;
    while (r.count > 0) {
        struct ts_xfer_read now = r;
        now.count = r.count < rows ? r.count : rows;
        if (push_read(x, &now) < 0)
            return -1;
        r.addr += now.count * r.step;
        r.dst += now.count * r.dst_step;
        r.count -= now.count;
    }
    return 0;
}

/* Packed elements to their places, or the other way for the background. */
static void unpack(struct ts_xfer *x)
{
    const uint8_t *from = x->pack;
    for (size_t i = 0; i < x->n_places; i++) {
        const struct ts_xfer_place *p = &x->places[i];
        size_t n = p->n * x->mem_size;
        copy_runs(x->buf + p->mem * x->mem_size, p->step * x->mem_size, from, n, n, p->count);
        from += n * p->count;
    }
}

static int load_background(struct ts_xfer *x)
{
    if (!x->background)
        x->background = ts_malloc_aligned(x->pack_elements * x->mem_size);
    if (!x->background)
        return -1;
    uint8_t *to = x->background;
    for (size_t i = 0; i < x->n_places; i++) {
        const struct ts_xfer_place *p = &x->places[i];
        size_t n = p->n * x->mem_size;
        copy_runs(to, n, x->buf + p->mem * x->mem_size, p->step * x->mem_size, n, p->count);
        to += n * p->count;
    }
    return 0;
}

static int transform(const struct ts_xfer *x, size_t n, void *elements)
{
    return x->transform ? ts_transform_apply(x->transform, n, elements) : 0;
}

static int convert_in_place(struct ts_xfer *x)
{
    bool background = ts_conv_needs_background(x->path);
    if (background && load_background(x) < 0)
        return -1;
    if (ts_conv_run(x->path, x->env, x->packed, x->pack, background ? x->background : NULL) < 0 ||
        transform(x, x->packed, x->pack) < 0)
        return -1;
    unpack(x);
    return 0;
}

/* To a run of the user's memory, element `mem` first. */
static int convert_run(struct ts_xfer *x, hsize_t n, const uint8_t *from, hsize_t mem)
{
    uint8_t *to = x->buf + mem * x->mem_size;
    return ts_conv_copy(x->path, x->env, n, from, to) < 0 ? -1 : transform(x, n, to);
}

static int convert_runs(struct ts_xfer *x)
{
    const uint8_t *from = x->pack;
    for (size_t i = 0; i < x->n_places; i++) {
        const struct ts_xfer_place *p = &x->places[i];
        for (hsize_t k = 0; k < p->count; k++, from += p->n * x->src_size)
            if (convert_run(x, p->n, from, p->mem + k * p->step) < 0)
                return -1;
    }
    return 0;
}

static int flush_pack(struct ts_xfer *x)
{
    if (flush_reads(x) < 0)
        return -1;
    if (x->packed > 0 && (x->long_runs ? convert_runs(x) : convert_in_place(x)) < 0)
        return -1;
    x->packed = 0;
    x->n_places = 0;
    x->long_runs = true;
    return 0;
}

/* Makes room for a part of a piece and says where it is to be packed; NULL when memory is short. */
static uint8_t *pack_part(struct ts_xfer *x, const struct ts_piece *part)
{
    if (!x->pack)
        x->pack = ts_malloc_aligned(x->pack_bytes);
    if (!x->pack || TS_GROW(x->places, x->places_capacity, x->n_places + 1) < 0)
        return NULL;
    x->places[x->n_places++] =
        (struct ts_xfer_place){.mem = part->mem, .n = part->n, .count = part->count, .step = part->mem_step};
    if (part->n < LONG_RUN)
        x->long_runs = false;
    uint8_t *at = x->pack + x->packed * x->src_size;
    x->packed += part->n * part->count;
    return at;
}

typedef int put_fn(struct ts_xfer *x, const struct ts_piece *part, uint8_t *at, const void *ctx);

/* Packs a piece in parts that fit the buffer: some of its runs, or of a run longer than the buffer some elements. */
static int for_each_part(struct ts_xfer *x, const struct ts_piece *piece, put_fn *put, const void *ctx)
{
    struct ts_piece left = *piece;
    hsize_t run_done = 0;
    while (left.count > 0) {
        hsize_t n = left.n - run_done;
        size_t room = x->pack_elements - x->packed;
        if (room == 0 || (n > room && n <= x->pack_elements)) {
            if (flush_pack(x) < 0)
                return -1;
            room = x->pack_elements;
        }
        struct ts_piece part = left;
        part.src += run_done;
        part.mem += run_done;
        part.n = n < room ? n : room;
        part.count = run_done > 0 || n > room ? 1 : left.count < room / n ? left.count : room / n;
        uint8_t *at = pack_part(x, &part);
        if (!at || put(x, &part, at, ctx) < 0)
            return -1;
        run_done = part.n < n ? run_done + part.n : 0;
        if (run_done == 0) {
            left.src += part.count * left.src_step;
            left.mem += part.count * left.mem_step;
            left.count -= part.count;
        }
    }
    return 0;
}

static int put_memory(struct ts_xfer *x, const struct ts_piece *p, uint8_t *at, const void *ctx)
{
    size_t n = p->n * x->src_size;
    copy_runs(at, n, (const uint8_t *)ctx + p->src * x->src_size, p->src_step * x->src_size, n, p->count);
    return 0;
}

static int convert_piece(struct ts_xfer *x, const uint8_t *base, const struct ts_piece *p)
{
    for (hsize_t k = 0; k < p->count; k++)
        if (convert_run(x, p->n, base + (p->src + k * p->src_step) * x->src_size, p->mem + k * p->mem_step) < 0)
            return -1;
    return 0;
}

int ts_xfer_memory(struct ts_xfer *x, const void *base, const struct ts_piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct ts_piece *p = &pieces[i];
        int status = 0;
        if (!x->path)
            copy_runs(x->buf + p->mem * x->mem_size, p->mem_step * x->mem_size,
                         (const uint8_t *)base + p->src * x->src_size, p->src_step * x->src_size, p->n * x->mem_size,
                         p->count);
        else if (p->n >= LONG_RUN)
            status = convert_piece(x, base, p);
        else
            status = for_each_part(x, p, put_memory, base);
        if (status < 0)
            return -1;
    }
    return 0;
}

static int put_file(struct ts_xfer *x, const struct ts_piece *p, uint8_t *at, const void *ctx)
{
    const haddr_t *addr = ctx;
    return add_read(x, (struct ts_xfer_read){.addr = *addr + p->src * x->src_size, .dst = at, .n = p->n * x->src_size,
                                             .count = p->count, .step = p->src_step * x->src_size,
                                             .dst_step = p->n * x->src_size});
}

int ts_xfer_file(struct ts_xfer *x, const struct ts_xfer_source *source, haddr_t addr, const struct ts_piece *pieces,
                 size_t n)
{
    if (x->n_reads > 0 && (source->ctx != x->source.ctx || source->readv != x->source.readv) && flush_pack(x) < 0)
        return -1;
    x->source = *source;
    for (size_t i = 0; i < n; i++) {
        const struct ts_piece *p = &pieces[i];
        if (x->path) {
            if (for_each_part(x, p, put_file, &addr) < 0)
                return -1;
            continue;
        }
        struct ts_xfer_read r = {.addr = addr + p->src * x->src_size, .dst = x->buf + p->mem * x->mem_size,
                                 .n = p->n * x->src_size, .count = p->count, .step = p->src_step * x->src_size,
                                 .dst_step = p->mem_step * x->mem_size};
        if (add_read(x, r) < 0)
            return -1;
    }
    return 0;
}

/* One value all over a run: the first element is put there, then what is filled is doubled. */
static void fill_run(uint8_t *dst, const uint8_t *value, size_t size, size_t n)
{
    if (size == 1) {
        memset(dst, *value, n);
        return;
    }
    memcpy(dst, value, size);
    /* Copies stay inside the cache: at most 16 KiB at a time. */
    size_t most = ((size_t)16 << 10) / size > 1 ? ((size_t)16 << 10) / size : 1;
    for (size_t done = 1; done < n;) {
        size_t now = done < n - done ? done : n - done;
        now = now < most ? now : most;
        memcpy(dst + done * size, dst, now * size);
        done += now;
    }
}

static void fill_piece(struct ts_xfer *x, const uint8_t *value, const struct ts_piece *p)
{
    uint8_t *dst = x->buf + p->mem * x->mem_size;
    if (p->n == 1) {
        copy_runs(dst, p->mem_step * x->mem_size, value, 0, x->mem_size, p->count);
        return;
    }
    for (hsize_t k = 0; k < p->count; k++)
        fill_run(dst + k * p->mem_step * x->mem_size, value, x->mem_size, p->n);
}

static int put_fill(struct ts_xfer *x, const struct ts_piece *p, uint8_t *at, const void *ctx)
{
    copy_runs(at, x->src_size, ctx, 0, x->src_size, p->n * p->count);
    return 0;
}

static int convert_fill(struct ts_xfer *x, const void *element)
{
    uint8_t *value = ts_calloc(1, x->src_size > x->mem_size ? x->src_size : x->mem_size);
    if (!value)
        return -1;
    memcpy(value, element, x->src_size);
    if (ts_conv_run(x->path, x->env, 1, value, NULL) < 0 || transform(x, 1, value) < 0) {
        ts_free(value);
        return -1;
    }
    x->fill = value;
    return 0;
}

int ts_xfer_fill(struct ts_xfer *x, const void *element, const struct ts_piece *pieces, size_t n)
{
    /* As HDF5 does it, a fill value is a whole element: what the source type lacks becomes zero. */
    bool once = x->path && x->flat;
    if (!element && !x->zeros && !(x->zeros = ts_calloc(1, x->src_size)))
        return -1;
    element = element ? element : x->zeros;
    if (once && !x->fill && convert_fill(x, element) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!x->path || once)
            fill_piece(x, once ? x->fill : element, &pieces[i]);
        else if (for_each_part(x, &pieces[i], put_fill, element) < 0)
            return -1;
    }
    return 0;
}

int ts_xfer_finish(struct ts_xfer *x)
{
    return flush_pack(x);
}
