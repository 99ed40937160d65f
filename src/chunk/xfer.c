/* Elements between two places, in blocks that stay in the processor's cache while they are converted: ts_xfer_memory
 * for chunks in memory, ts_xfer_file for those in the file, whose accesses io_list.c makes. read.c and write.c call
 * both. */
#include "chunk/xfer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define PACK_BYTES ((size_t)128 << 10)
/* Elements from which converting a run on its own is cheaper than packing it. */
#define LONG_RUN 64

/* Where packed elements go, in bytes: from the user's memory on in reading, from the target or in the store in
 * writing. */
struct ts_xfer_place {
    uint64_t at, step;
    hsize_t n, count;
    size_t block;
};

void ts_xfer_init(struct ts_xfer *x, void *buf, const struct ts_xfer_options *o)
{
    *x = (struct ts_xfer){.buf = buf,
                          .write = o->write,
                          .src_size = o->src_size,
                          .mem_size = o->mem_size,
                          .env = o->env,
                          .transform = o->transform,
                          .long_runs = true};
    if (!o->path || (ts_conv_is_noop(o->path) && !o->transform))
        return;
    size_t element = x->src_size > x->mem_size ? x->src_size : x->mem_size;
    size_t bytes = o->buffer_hint > 0 && o->buffer_hint < PACK_BYTES ? o->buffer_hint : PACK_BYTES;
    x->path = o->path;
    x->flat = o->flat;
    x->pack_elements = bytes / element > 0 ? bytes / element : 1;
    x->pack_bytes = x->pack_elements * element;
}

void ts_xfer_clone(struct ts_xfer *x, const struct ts_xfer *from)
{
    *x = (struct ts_xfer){.buf = from->buf,
                          .write = from->write,
                          .src_size = from->src_size,
                          .mem_size = from->mem_size,
                          .path = from->path,
                          .env = from->env,
                          .transform = from->transform,
                          .pack_elements = from->pack_elements,
                          .pack_bytes = from->pack_bytes,
                          .long_runs = true,
                          .flat = from->flat};
}

void ts_xfer_deinit(struct ts_xfer *x)
{
    ts_free(x->pack);
    ts_free(x->background);
    ts_free(x->places);
    ts_free(x->fill);
    ts_free(x->zeros);
    ts_io_list_deinit(&x->io);
}

/* Bytes of an element before and after conversion. */
static size_t from_size(const struct ts_xfer *x)
{
    return x->write ? x->mem_size : x->src_size;
}

static size_t to_size(const struct ts_xfer *x)
{
    return x->write ? x->src_size : x->mem_size;
}

static int io_flush(struct ts_xfer *x, bool write)
{
    x->io.write = write;
    return ts_io_list_flush(&x->io);
}

/* Between the places and as many packed elements, which stand in memory from base on. */
static void copy_places(const struct ts_xfer *x, uint8_t *base, uint8_t *packed, bool to_places)
{
    for (size_t i = 0; i < x->n_places; i++) {
        const struct ts_xfer_place *p = &x->places[i];
        size_t n = p->n * to_size(x);
        if (to_places)
            ts_copy_runs(base + p->at, p->step, packed, n, n, p->count);
        else
            ts_copy_runs(packed, n, base + p->at, p->step, n, p->count);
        packed += n * p->count;
    }
}

/* The same for places in the store. */
static int move_places(struct ts_xfer *x, uint8_t *packed, bool write)
{
    x->io.write = write;
    for (size_t i = 0; i < x->n_places; i++) {
        const struct ts_xfer_place *p = &x->places[i];
        size_t n = p->n * to_size(x);
        struct ts_io_run r = {
            .addr = p->at, .buf = packed, .n = n, .count = p->count, .step = p->step, .buf_step = n, .block = p->block};
        if (ts_io_list_add(&x->io, &r) < 0)
            return -1;
        packed += n * p->count;
    }
    return io_flush(x, write);
}

static int load_background(struct ts_xfer *x)
{
    if (!x->background)
        x->background = ts_malloc_aligned(x->pack_elements * to_size(x));
    if (!x->background)
        return -1;
    if (x->write && !x->target)
        return move_places(x, x->background, false);
    copy_places(x, x->write ? x->target : x->buf, x->background, false);
    return 0;
}

static int transform(const struct ts_xfer *x, size_t n, void *elements)
{
    return x->transform ? ts_transform_apply(x->transform, n, elements) : 0;
}

static int convert_pack(struct ts_xfer *x)
{
    bool background = ts_conv_needs_background(x->path);
    if (background && load_background(x) < 0)
        return -1;
    if (x->write && transform(x, x->packed, x->pack) < 0)
        return -1;
    if (ts_conv_run(x->path, x->env, x->packed, x->pack, background ? x->background : NULL) < 0)
        return -1;
    if (!x->write && transform(x, x->packed, x->pack) < 0)
        return -1;
    if (x->write && !x->target)
        return move_places(x, x->pack, true);
    copy_places(x, x->write ? x->target : x->buf, x->pack, true);
    return 0;
}

/* From storage to a run of the user's memory. */
static int convert_run(struct ts_xfer *x, hsize_t n, const uint8_t *from, uint8_t *to)
{
    return ts_conv_copy(x->path, x->env, n, from, to) < 0 ? -1 : transform(x, n, to);
}

static int convert_runs(struct ts_xfer *x)
{
    const uint8_t *from = x->pack;
    for (size_t i = 0; i < x->n_places; i++) {
        const struct ts_xfer_place *p = &x->places[i];
        for (hsize_t k = 0; k < p->count; k++, from += p->n * x->src_size)
            if (convert_run(x, p->n, from, x->buf + p->at + k * p->step) < 0)
                return -1;
    }
    return 0;
}

static int flush_pack(struct ts_xfer *x)
{
    if (io_flush(x, x->write) < 0)
        return -1;
    if (x->packed > 0 && (x->long_runs && !x->write ? convert_runs(x) : convert_pack(x)) < 0)
        return -1;
    x->packed = 0;
    x->n_places = 0;
    x->long_runs = true;
    return 0;
}

static struct ts_xfer_place place_of(const struct ts_xfer *x, const struct ts_piece *part, haddr_t origin)
{
    if (x->write)
        return (struct ts_xfer_place){.at = origin + part->src * x->src_size,
                                      .n = part->n,
                                      .count = part->count,
                                      .step = part->src_step * x->src_size,
                                      .block = x->block};
    return (struct ts_xfer_place){
        .at = part->mem * x->mem_size, .n = part->n, .count = part->count, .step = part->mem_step * x->mem_size};
}

/* Makes room for a part of a piece and says where it is to be packed; NULL when memory is short. */
static uint8_t *pack_part(struct ts_xfer *x, const struct ts_piece *part, haddr_t origin)
{
    if (!x->pack)
        x->pack = ts_malloc_aligned(x->pack_bytes);
    if (!x->pack || TS_GROW(x->places, x->places_capacity, x->n_places + 1) < 0)
        return NULL;
    x->places[x->n_places++] = place_of(x, part, origin);
    if (part->n < LONG_RUN)
        x->long_runs = false;
    uint8_t *at = x->pack + x->packed * from_size(x);
    x->packed += part->n * part->count;
    return at;
}

/* Where a piece is packed from: origin is the address of element 0 in the store, base its place in memory. */
struct packing {
    int (*put)(struct ts_xfer *x, const struct ts_piece *part, uint8_t *at, const struct packing *from);
    haddr_t origin;
    const void *base;
};

/* Packs a piece in parts that fit the buffer: some of its runs, or of a run longer than the buffer some elements. */
static int for_each_part(struct ts_xfer *x, const struct ts_piece *piece, const struct packing *from)
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
        uint8_t *at = pack_part(x, &part, from->origin);
        if (!at || from->put(x, &part, at, from) < 0)
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

static int put_memory(struct ts_xfer *x, const struct ts_piece *p, uint8_t *at, const struct packing *from)
{
    size_t n = p->n * x->src_size;
    ts_copy_runs(at, n, (const uint8_t *)from->base + p->src * x->src_size, p->src_step * x->src_size, n, p->count);
    return 0;
}

/* From the user's memory, for writing. */
static int put_user(struct ts_xfer *x, const struct ts_piece *p, uint8_t *at, const struct packing *from)
{
    (void)from;
    size_t n = p->n * x->mem_size;
    ts_copy_runs(at, n, x->buf + p->mem * x->mem_size, p->mem_step * x->mem_size, n, p->count);
    return 0;
}

/* A piece with long runs, between two places in memory. */
static int convert_piece(struct ts_xfer *x, uint8_t *base, const struct ts_piece *p)
{
    for (hsize_t k = 0; k < p->count; k++) {
        uint8_t *stored = base + (p->src + k * p->src_step) * x->src_size;
        uint8_t *user = x->buf + (p->mem + k * p->mem_step) * x->mem_size;
        int status = x->write ? ts_conv_copy(x->path, x->env, p->n, user, stored) : convert_run(x, p->n, stored, user);
        if (status < 0)
            return -1;
    }
    return 0;
}

static void copy_piece(struct ts_xfer *x, uint8_t *base, const struct ts_piece *p)
{
    uint8_t *stored = base + p->src * x->src_size, *user = x->buf + p->mem * x->mem_size;
    size_t n = p->n * x->mem_size, stored_step = p->src_step * x->src_size, user_step = p->mem_step * x->mem_size;
    if (x->write)
        ts_copy_runs(stored, stored_step, user, user_step, n, p->count);
    else
        ts_copy_runs(user, user_step, stored, stored_step, n, p->count);
}

/* A transform must not change what the user gave, so its elements are packed. */
static bool converts_directly(const struct ts_xfer *x, const struct ts_piece *p)
{
    return p->n >= LONG_RUN && !(x->write && x->transform);
}

int ts_xfer_memory(struct ts_xfer *x, void *base, const struct ts_piece *pieces, size_t n)
{
    struct packing from = {.put = x->write ? put_user : put_memory, .base = base};
    if (x->write && x->path && !x->target && flush_pack(x) < 0)
        return -1;
    if (x->write)
        x->target = base;
    for (size_t i = 0; i < n; i++) {
        const struct ts_piece *p = &pieces[i];
        int status = 0;
        if (!x->path)
            copy_piece(x, base, p);
        else if (!converts_directly(x, p))
            status = for_each_part(x, p, &from);
        /* What waits goes first: it may be for the same elements. */
        else if (x->write && flush_pack(x) < 0)
            return -1;
        else
            status = convert_piece(x, base, p);
        if (status < 0)
            return -1;
    }
    return x->write && x->path ? flush_pack(x) : 0;
}

static int put_file(struct ts_xfer *x, const struct ts_piece *p, uint8_t *at, const struct packing *from)
{
    struct ts_io_run r = {.addr = from->origin + p->src * x->src_size,
                          .buf = at,
                          .n = p->n * x->src_size,
                          .count = p->count,
                          .step = p->src_step * x->src_size,
                          .buf_step = p->n * x->src_size};
    x->io.write = false;
    return ts_io_list_add(&x->io, &r);
}

/* Elements that stay as they are, between the store and the user's memory. */
static int add_pieces(struct ts_xfer *x, haddr_t addr, const struct ts_piece *pieces, size_t n)
{
    x->io.write = x->write;
    for (size_t i = 0; i < n; i++) {
        const struct ts_piece *p = &pieces[i];
        haddr_t at = addr + p->src * x->src_size;
        uint8_t *buf = x->buf + p->mem * x->mem_size;
        struct ts_io_run r = {.addr = at,
                              .buf = buf,
                              .n = p->n * x->src_size,
                              .count = p->count,
                              .step = p->src_step * x->src_size,
                              .buf_step = p->mem_step * x->mem_size,
                              .block = x->block};
        if (p->count == 1 ? ts_io_list_add_one(&x->io, at, buf, r.n, x->block) < 0 : ts_io_list_add(&x->io, &r) < 0)
            return -1;
    }
    return 0;
}

int ts_xfer_file(struct ts_xfer *x, const struct ts_store *store, haddr_t addr, const struct ts_piece *pieces, size_t n)
{
    struct packing from = {.put = x->write ? put_user : put_file, .origin = addr};
    if ((x->io.n > 0 || x->packed > 0) && (x->target || !ts_store_same(store, &x->io.store)) && flush_pack(x) < 0)
        return -1;
    x->io.store = *store;
    x->target = NULL;
    x->block++;
    if (!x->path)
        return add_pieces(x, addr, pieces, n);
    for (size_t i = 0; i < n; i++)
        if (for_each_part(x, &pieces[i], &from) < 0)
            return -1;
    return 0;
}

/* The first element is put there, then what is filled is doubled. */
void ts_fill_run(uint8_t *dst, const uint8_t *element, size_t size, size_t n)
{
    if (size == 1) {
        memset(dst, *element, n);
        return;
    }
    if (n == 0)
        return;
    memcpy(dst, element, size);
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
        ts_copy_runs(dst, p->mem_step * x->mem_size, value, 0, x->mem_size, p->count);
        return;
    }
    for (hsize_t k = 0; k < p->count; k++)
        ts_fill_run(dst + k * p->mem_step * x->mem_size, value, x->mem_size, p->n);
}

static int put_fill(struct ts_xfer *x, const struct ts_piece *p, uint8_t *at, const struct packing *from)
{
    ts_copy_runs(at, x->src_size, from->base, 0, x->src_size, p->n * p->count);
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
    struct packing from = {.put = put_fill, .base = element};
    for (size_t i = 0; i < n; i++) {
        if (!x->path || once)
            fill_piece(x, once ? x->fill : element, &pieces[i]);
        else if (for_each_part(x, &pieces[i], &from) < 0)
            return -1;
    }
    return 0;
}

int ts_xfer_finish(struct ts_xfer *x)
{
    return flush_pack(x);
}
