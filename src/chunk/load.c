/* The steps of a batch, in the order in which the loops of read.c and write.c call them: find, locate, enter, make,
 * fetch, load, wait, release, end; and elements straight in the file (ts_sc_visit_direct). */
#include "chunk/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/lock.h"

/* Bytes between two chunks that are read along rather than making another call. */
#define GAP_BYTES ((size_t)8 << 10)

static int readv_counted(void *ctx, const struct ts_io_vec *v, size_t n)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_sc *cache = ctx;
    H5F_chunk_cache_stats_t counts = {.read_calls = 1};
    for (size_t i = 0; i < n; i++)
        counts.bytes_read += v[i].size;
    ts_sc_add_counts(cache, &counts);
    return ts_file_readv(cache->file, v, n);
}

static int writev_counted(void *ctx, const struct ts_io_out *v, size_t n)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_sc *cache = ctx;
    H5F_chunk_cache_stats_t counts = {.write_calls = 1};
    for (size_t i = 0; i < n; i++)
        counts.bytes_written += v[i].size;
    ts_sc_add_counts(cache, &counts);
    return ts_file_writev(cache->file, v, n);
}

struct ts_store ts_sc_store(struct ts_sc *cache)
{
    return (struct ts_store){
        .readv = readv_counted, .writev = writev_counted, .ctx = cache, .costs = cache->file->driver->costs};
}

struct ts_sc_data *ts_sc_visit_data(struct ts_sc_visit *v)
{
    return v->chunk ? &v->chunk->data : &v->in.data;
}

struct ts_sc_move ts_sc_visit_move(const struct ts_sc_visit *v, struct ts_xfer *xfer)
{
    const struct ts_sc_want *w = &v->want;
    return (struct ts_sc_move){.scaled = w->scaled, .xfer = xfer, .pieces = w->pieces, .n = w->n, .set = w->set};
}

static int find_one(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    int found = ts_sc_claim(v->dset, v->want.scaled, b->claim, &v->chunk);
    if (found < 0)
        return -1;
    if (found == TS_SC_ABSENT)
        v->chunk = NULL;
    else if (found == TS_SC_HIT)
        v->state = TS_SC_READY;
    else
        v->state = TS_SC_WAIT;
    /* Only what loads ahead can have it now, and that waits for nobody. */
    if (v->state == TS_SC_WAIT && b->claim & TS_SC_CHANGE) {
        bool loaded = ts_sc_wait(v->chunk, b->claim);
        v->state = loaded ? TS_SC_READY : TS_SC_AWAY;
        v->chunk = loaded ? v->chunk : NULL;
    }
    if (v->state == TS_SC_READY && !v->chunk->has_values && !b->defined_only) {
        ts_sc_release(v->chunk, &(struct ts_sc_use){0});
        v->chunk = NULL;
        v->state = TS_SC_AWAY;
    }
    return 0;
}

int ts_sc_batch_find(struct ts_sc_batch *b)
{
    const struct ts_sc_dset *empty = NULL;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        bool first = i == 0 || b->visits[i - 1].dset != v->dset;
        if (first)
            empty = ts_sc_dset_empty(v->dset) ? v->dset : NULL;
        if (empty == v->dset)
            b->counts.misses++;
        else if (find_one(b, v) < 0)
            return -1;
    }
    return 0;
}

/* What one of these chunks takes, the next ones will, too. */
static void note_usual(const struct ts_sc_batch *b, struct ts_sc_io *io, const struct ts_sc_spot *spots, size_t n)
{
    size_t found = 0, bytes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t hint = b->defined_only ? spots[i].at.defined_hint : spots[i].at.hint;
        if (spots[i].at.addr == HADDR_UNDEF || !ts_add_size(bytes, hint, &bytes))
            continue;
        found++;
    }
    if (found > 0 && bytes / found > 0)
        io->scale.usual_bytes = bytes / found;
}

/* Those of one dataset, from visit `first` on. */
static int locate_some(struct ts_sc_batch *b, size_t first, size_t n_spots)
{
    struct ts_sc_dset *dset = b->visits[first].dset;
    int status = n_spots == 0 ? 0 : dset->ops->lookup(dset->owner, b->scratch.spots, n_spots);
    if (status == 0 && dset->layout.sparse)
        note_usual(b, b->visits[first].io, b->scratch.spots, n_spots);
    for (size_t i = first, k = 0; k < n_spots; i++)
        if (b->visits[i].state == TS_SC_AWAY) {
            struct ts_sc_visit *v = &b->visits[i];
            v->in.at = b->scratch.spots[k++].at;
            v->skip = v->skip || (dset->layout.sparse && v->in.at.hint > b->budget);
        }
    return status;
}

int ts_sc_batch_locate(struct ts_sc_batch *b)
{
    size_t away = ts_sc_batch_count(b, TS_SC_ASK);
    if (away == 0)
        return 0;
    if (TS_GROW(b->scratch.spots, b->scratch.spots_capacity, away) < 0)
        return -1;
    for (size_t first = 0, next; first < b->n; first = next) {
        size_t n = 0;
        for (next = first; next < b->n && b->visits[next].dset == b->visits[first].dset; next++)
            if (b->visits[next].state == TS_SC_AWAY)
                b->scratch.spots[n++] =
                    (struct ts_sc_spot){.scaled = b->visits[next].want.scaled, .at.addr = HADDR_UNDEF};
        if (locate_some(b, first, n) < 0)
            return -1;
    }
    return 0;
}

/* What it takes to bring one in. */
static size_t need(const struct ts_sc_visit *v)
{
    size_t bytes = v->in.defined_only ? v->in.at.defined_hint : v->in.at.hint;
    if (v->way.route == TS_SC_MAKE || bytes == 0)
        bytes = v->dset->layout.sparse ? (size_t)v->want.elements : ts_sc_chunk_bytes(v->dset);
    uint64_t stored = v->way.route == TS_SC_LOAD && v->dset->layout.coded ? v->in.at.size : 0;
    return stored > SIZE_MAX - bytes ? SIZE_MAX : bytes + (size_t)stored;
}

static bool comes_in(const struct ts_sc_visit *v)
{
    return ts_sc_goes(v, TS_SC_MAKE) || ts_sc_goes(v, TS_SC_LOAD);
}

/* Those that pass are in memory one for each thread. */
static void hold(struct ts_sc_batch *b)
{
    struct ts_sc_dset *dset = NULL;
    size_t bytes = 0, largest = 0, n_passing = 0, passing;
    for (size_t i = 0; i < b->n; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        if (!comes_in(v))
            continue;
        dset = v->dset;
        size_t more = need(v);
        if (v->passes && !v->way.keep) {
            largest = more > largest ? more : largest;
            n_passing++;
        } else if (!ts_add_size(bytes, more, &bytes)) {
            bytes = SIZE_MAX / 2;
        }
    }
    if (!dset)
        return;
    size_t lanes = n_passing <= b->threads ? n_passing : (size_t)b->threads + 1;
    if (!ts_mul_size(largest, lanes, &passing) || !ts_add_size(bytes, passing, &bytes))
        bytes = SIZE_MAX / 2;
    ts_sc_hold(dset, bytes);
    b->held = bytes;
}

/* What was to come is there, and counts as what it is. */
static void unhold(struct ts_sc_batch *b)
{
    if (b->held > 0)
        ts_sc_unhold(b->cache, b->held);
    b->held = 0;
}

static int enter_one(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    unsigned flags = b->claim | TS_SC_ENTER | TS_SC_QUIET | (v->in.defined_only ? 0 : TS_SC_VALUES);
    int found = ts_sc_claim(v->dset, v->want.scaled, flags, &v->chunk);
    if (found < 0) {
        v->chunk = NULL;
        return -1;
    }
    if (found == TS_SC_HIT)
        v->state = TS_SC_READY;
    else if (found == TS_SC_OTHERS)
        v->state = TS_SC_WAIT;
    return 0;
}

int ts_sc_batch_enter(struct ts_sc_batch *b)
{
    hold(b);
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (comes_in(v) && v->way.keep && enter_one(b, v) < 0)
            return -1;
    }
    return 0;
}

/* Its data are there: from now on others may use them, too. */
static void become_ready(const struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    struct ts_sc_chunk *c = v->chunk;
    v->state = TS_SC_READY;
    if (!c)
        return;
    c->data = v->in.data;
    c->at = v->in.at;
    c->at.udata = NULL;
    c->located = true;
    c->has_values = !v->in.defined_only;
    v->in.data = (struct ts_sc_data){0};
    if (!b->ahead) {
        ts_sc_loaded(c);
        return;
    }
    v->chunk = NULL;
    v->state = TS_SC_DONE;
    ts_sc_loaded_ahead(c);
}

/* Its first bytes are written, and nothing else of it: what lies behind waits for what comes next. */
static bool begins_with_zeros(const struct ts_sc_visit *v)
{
    const struct ts_sc_layout *layout = &v->dset->layout;
    return layout->zeros && !layout->coded && !v->dset->ops->gather_mem && v->chunk && v->want.from == 0;
}

static int make_with_blank(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    struct ts_sc_data *data = &v->in.data;
    if (v->dset->ops->new_chunk(v->dset->owner, false, data) < 0)
        return -1;
    size_t begun = (size_t)v->want.to * v->dset->element_size;
    memset(data->chunk, 0, begun);
    data->zeros = true;
    v->chunk->blank = data->used - begun;
    become_ready(b, v);
    return 0;
}

static int make_one(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    v->out.made = true;
    /* Who moves its elements makes it. */
    if (!v->chunk && v->out.cover == TS_SC_WHOLE) {
        v->state = TS_SC_READY;
        return 0;
    }
    if (v->out.cover != TS_SC_WHOLE && begins_with_zeros(v))
        return make_with_blank(b, v);
    if (v->dset->ops->new_chunk(v->dset->owner, v->out.cover != TS_SC_WHOLE, &v->in.data) < 0)
        return -1;
    become_ready(b, v);
    return 0;
}

int ts_sc_batch_make(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_MAKE) && make_one(b, &b->visits[i]) < 0)
            return -1;
    return 0;
}

static int check_place(const struct ts_sc_batch *b, const struct ts_sc_visit *v, uint64_t size)
{
    if (ts_file_has(b->cache->file, v->in.at.addr, size))
        return 0;
    return TS_ERR(IO, READERROR, "%s: a chunk of %llu bytes at %#llx lies behind the end of the file",
                  b->cache->file->name, (unsigned long long)size, (unsigned long long)v->in.at.addr);
}

/* A buffer for the stored bytes; it has room for the whole chunk when they are that. */
static int prepare(struct ts_sc_batch *b, struct ts_sc_visit *v, struct ts_io_vec *vec)
{
    uint64_t size = v->in.defined_only ? v->in.at.defined_size : v->in.at.size;
    bool same = !v->dset->ops->decode;
    if (same && v->in.at.hint > 0 && size > v->in.at.hint)
        size = v->in.at.hint;
    if (size > 0 && check_place(b, v, size) < 0)
        return -1;
    size_t room = same && v->in.at.hint > size ? v->in.at.hint : (size_t)size;
    *vec = (struct ts_io_vec){.addr = v->in.at.addr, .size = (size_t)size};
    if (room > 0 && !(vec->buf = ts_malloc(room)))
        return -1;
    if (room > size)
        memset((uint8_t *)vec->buf + size, 0, room - (size_t)size);
    v->in.data = (struct ts_sc_data){.chunk = vec->buf, .used = same ? room : (size_t)size, .alloc = room};
    v->in.raw = true;
    return 0;
}

static int by_address(const void *a, const void *b)
{
    haddr_t x = ((const struct ts_io_vec *)a)->addr, y = ((const struct ts_io_vec *)b)->addr;
    return (x > y) - (x < y);
}

/* Puts a vector into each small gap, so that the driver sees one run of neighbours; there is room for them. */
static size_t bridge(struct ts_io_vec *v, size_t n, uint8_t *scratch)
{
    size_t gaps = 0;
    for (size_t i = 1; i < n; i++) {
        haddr_t end = v[i - 1].addr + v[i - 1].size;
        gaps += v[i].addr > end && v[i].addr - end <= GAP_BYTES;
    }
    size_t total = n + gaps;
    for (size_t i = n, to = total; i-- > 1;) {
        haddr_t end = v[i - 1].addr + v[i - 1].size;
        struct ts_io_vec one = v[i];
        v[--to] = one;
        if (one.addr > end && one.addr - end <= GAP_BYTES)
            v[--to] = (struct ts_io_vec){.addr = end, .size = (size_t)(one.addr - end), .buf = scratch};
    }
    return total;
}

/* What lies between may be written by others meanwhile. A system does not mind, but memory must not be read then. */
static bool may_read_along(const struct ts_file *f)
{
    return !f->writable || f->driver->cls->crash_safe;
}

/* Whoever decodes it reads it, too: reading is copying where the system has the bytes, and so every thread copies. */
static bool is_read_aside(const struct ts_sc_visit *v)
{
    return v->dset->layout.any_thread && !v->in.defined_only && ts_sc_reads_itself(v->in.at.size);
}

int ts_sc_batch_fetch(struct ts_sc_batch *b)
{
    uint8_t scratch[GAP_BYTES];
    size_t n = 0;
    bool sorted = true;
    size_t loads = ts_sc_batch_count(b, TS_SC_LOAD);
    if (loads == 0)
        return 0;
    bool aside = b->cache->file->driver->costs.side_by_side && ts_sc_batch_pays(b);
    if (TS_GROW(b->scratch.vectors, b->scratch.vectors_capacity, 2 * loads) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        if (!ts_sc_goes(&b->visits[i], TS_SC_LOAD))
            continue;
        struct ts_io_vec vec = {0};
        b->counts.loads++;
        if (aside && is_read_aside(&b->visits[i]))
            continue;
        if (prepare(b, &b->visits[i], &vec) < 0)
            return -1;
        if (vec.size == 0)
            continue;
        sorted = sorted && (n == 0 || b->scratch.vectors[n - 1].addr < vec.addr);
        b->scratch.vectors[n++] = vec;
    }
    if (n == 0)
        return 0;
    if (!sorted)
        qsort(b->scratch.vectors, n, sizeof *b->scratch.vectors, by_address);
    if (may_read_along(b->cache->file))
        n = bridge(b->scratch.vectors, n, scratch);
    return readv_counted(b->cache, b->scratch.vectors, n);
}

void ts_sc_visit_drop(struct ts_sc_visit *v)
{
    if (v->in.raw)
        ts_free(v->in.data.chunk);
    else if (v->in.data.chunk)
        ts_sc_data_free(v->dset, &v->in.data);
    v->in.data = (struct ts_sc_data){0};
    v->in.raw = false;
}

static int fetch_one(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    struct ts_io_vec vec = {0};
    if (prepare(b, v, &vec) < 0)
        return -1;
    if (vec.size == 0 || readv_counted(b->cache, &vec, 1) == 0)
        return 0;
    ts_sc_visit_drop(v);
    return -1;
}

/* What was decoded for one reader is not for others. A writer changes the chunk for all. */
static const void *transfer_of(const struct ts_sc_visit *v)
{
    const struct ts_sc_io *io = v->io;
    return io->transfer && (!v->chunk || io->xfer->write) ? io->transfer : NULL;
}

int ts_sc_visit_load(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    struct ts_sc_coding how = {.at = &v->in.at,
                               .partial_bound = ts_sc_partial_bound(v->dset, v->want.scaled),
                               .set = v->io->scale.exact ? v->want.set : NULL,
                               .transfer = transfer_of(v)};
    int (*decode)(void *, const struct ts_sc_coding *, struct ts_sc_data *) =
        v->in.defined_only ? ops->decode_defined_values : ops->decode;
    if (!v->in.raw && fetch_one(b, v) < 0)
        return -1;
    v->in.raw = false;
    if (decode && decode(v->dset->owner, &how, &v->in.data) < 0) {
        v->in.raw = v->in.data.used == 0;
        ts_sc_visit_drop(v);
        return -1;
    }
    become_ready(b, v);
    return 0;
}

/* The list of defined elements of a chunk, which the layout wants to see before it says where elements are. */
static int ask_with_defined(struct ts_sc_batch *b, struct ts_sc_visit *v, struct ts_sc_access *a,
                            struct ts_sc_direct *out,
                            int (*ask)(void *, const struct ts_sc_access *, struct ts_sc_direct *))
{
    struct ts_sc_dset *dset = v->dset;
    struct ts_sc_chunk *c = NULL;
    if (!dset->ops->decode_defined_values)
        return 0;
    int found = ts_sc_claim(dset, v->want.scaled, TS_SC_QUIET, &c);
    if (found == TS_SC_OTHERS && !ts_sc_wait(c, 0))
        found = TS_SC_ABSENT;
    if (found < 0)
        return -1;
    *out = (struct ts_sc_direct){0};
    if (found != TS_SC_ABSENT) {
        a->data = &c->data;
        int status = ask(dset->owner, a, out);
        ts_sc_release(c, &(struct ts_sc_use){0});
        return status;
    }
    v->in.defined_only = true;
    int status = ts_sc_visit_load(b, v);
    a->data = &v->in.data;
    if (status == 0)
        status = ask(dset->owner, a, out);
    ts_sc_visit_drop(v);
    v->in.defined_only = false;
    v->state = TS_SC_AWAY;
    return status;
}

static int ask_direct(struct ts_sc_batch *b, struct ts_sc_visit *v, struct ts_sc_access *a, struct ts_sc_direct *out)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    bool write = v->io->xfer->write;
    int (*ways[])(void *, const struct ts_sc_access *, struct ts_sc_direct *) = {
        write ? ops->selection_write : ops->selection_read, write ? ops->vector_write : ops->vector_read};
    for (size_t i = 0; i < 2 && !out->possible; i++) {
        *out = (struct ts_sc_direct){0};
        if (!ways[i])
            continue;
        if (ways[i](v->dset->owner, a, out) < 0)
            return -1;
        if (!out->possible && out->require_defined && ask_with_defined(b, v, a, out, ways[i]) < 0)
            return -1;
    }
    return 0;
}

int ts_sc_visit_direct(struct ts_sc_batch *b, struct ts_sc_visit *v, const struct ts_sc_stored *at)
{
    const struct ts_sc_want *w = &v->want;
    struct ts_sc_access a = {.scaled = w->scaled,
                             .at = at,
                             .partial_bound = ts_sc_partial_bound(v->dset, w->scaled),
                             .pieces = w->pieces,
                             .n = w->n};
    struct ts_sc_direct out = {0};
    if (ask_direct(b, v, &a, &out) < 0)
        return -1;
    if (!out.possible)
        return 0;
    struct ts_store store = ts_sc_store(b->cache);
    store.helpers = b->threads > 1 ? b->threads - 1 : 0; /* as many as there are cores, with the caller */
    int status = out.pieces ? ts_xfer_file(v->io->xfer, &store, out.addr, out.pieces, out.n)
                            : ts_xfer_file(v->io->xfer, &store, out.addr, w->pieces, w->n);
    ts_free(out.pieces);
    b->counts.bypasses++;
    return status < 0 ? -1 : 1;
}

bool ts_sc_batch_pays(const struct ts_sc_batch *b)
{
    size_t n = 0, work = 0;
    for (size_t i = 0; i < b->n && b->threads > 0; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        bool loads = ts_sc_goes(v, TS_SC_LOAD) && v->dset->layout.coded;
        bool moves = v->state == TS_SC_READY && v->dset->layout.sparse && v->io->parallel;
        if ((!loads && !moves) || !v->dset->layout.any_thread)
            continue;
        n++;
        work += ts_sc_read_work(loads ? v->in.at.hint : 0, moves ? v->want.n : 0);
        if (ts_sc_read_wakes(n, work))
            return true;
    }
    return false;
}

static int load_item(void *ctx, size_t item, unsigned lane)
{
    (void)lane;
    struct ts_sc_batch *b = ctx;
    return ts_sc_visit_load(b, b->scratch.todo[item]);
}

/* Those that workers may decode. */
static int load_aside(struct ts_sc_batch *b)
{
    size_t n = 0;
    if (TS_GROW(b->scratch.todo, b->scratch.todo_capacity, b->n) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_LOAD) && b->visits[i].dset->layout.any_thread)
            b->scratch.todo[n++] = &b->visits[i];
    return ts_pool_run(b->threads, n, load_item, b);
}

int ts_sc_batch_load(struct ts_sc_batch *b)
{
    if (ts_sc_batch_fetch(b) < 0 || (ts_sc_batch_pays(b) && load_aside(b) < 0))
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_LOAD) && ts_sc_visit_load(b, &b->visits[i]) < 0)
            return -1;
    return ts_sc_batch_wait(b);
}

static int wait_one(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    unsigned flags = b->claim | (b->defined_only ? 0 : TS_SC_VALUES);
    if (ts_sc_wait(v->chunk, flags)) {
        v->state = TS_SC_READY;
        return 0;
    }
    v->chunk = NULL;
    v->way = (struct ts_sc_way){TS_SC_LOAD, false};
    v->state = TS_SC_AWAY;
    struct ts_sc_spot spot = {.scaled = v->want.scaled, .at.addr = HADDR_UNDEF};
    ts_free(v->in.at.udata);
    v->in.at = spot.at;
    int status = v->dset->ops->lookup(v->dset->owner, &spot, 1);
    v->in.at = spot.at;
    if (status < 0)
        return -1;
    if (v->in.at.addr == HADDR_UNDEF)
        return TS_ERR(DATASET, NOTFOUND, "a chunk was removed while it was read");
    b->counts.loads++;
    return ts_sc_visit_load(b, v);
}

int ts_sc_batch_wait(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_WAIT && wait_one(b, &b->visits[i]) < 0)
            return -1;
    return 0;
}

int ts_sc_batch_bring(struct ts_sc_batch *b)
{
    if (ts_sc_batch_find(b) < 0 || ts_sc_batch_locate(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        v->way = (struct ts_sc_way){TS_SC_LOAD, true};
        if (v->state == TS_SC_AWAY && v->in.at.addr == HADDR_UNDEF)
            v->state = TS_SC_DONE;
    }
    return ts_sc_batch_enter(b) < 0 ? -1 : ts_sc_batch_load(b);
}

void ts_sc_batch_release(struct ts_sc_batch *b, struct ts_sc_use (*say)(const struct ts_sc_visit *v))
{
    struct ts_sc_chunk *chunks[64];
    struct ts_sc_use uses[64];
    size_t n = 0;
    unhold(b);
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (!v->chunk || v->state != TS_SC_READY)
            continue;
        chunks[n] = v->chunk;
        uses[n++] = say(v);
        v->chunk = NULL;
        if (n == 64) {
            ts_sc_release_many(chunks, uses, n);
            n = 0;
        }
    }
    ts_sc_release_many(chunks, uses, n);
}

/* What is known of a chunk when something failed. */
static void give_up(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    bool change = b->claim & TS_SC_CHANGE;
    struct ts_sc_use use = {.dirty = change && v->out.touched && !v->out.made, .drop = change && v->out.made};
    struct ts_sc_chunk *c = v->chunk;
    v->chunk = NULL;
    if (!c)
        return;
    if (v->state == TS_SC_AWAY)
        ts_sc_failed(c);
    else if (v->state != TS_SC_WAIT || ts_sc_wait(c, b->claim))
        ts_sc_release(c, &use);
}

void ts_sc_batch_end(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        ts_sc_visit_drop(v);
        ts_free(v->in.at.udata);
        v->in.at.udata = NULL;
        ts_free(v->out.coded.bytes);
        v->out.coded.bytes = NULL;
        /* Others may wait for these: they come first. */
        if (v->state == TS_SC_AWAY)
            give_up(b, v);
    }
    for (size_t i = 0; i < b->n; i++)
        give_up(b, &b->visits[i]);
    unhold(b);
    ts_sc_add_counts(b->cache, &b->counts);
}
