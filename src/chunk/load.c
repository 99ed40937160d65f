#include "chunk/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/lock.h"

/* Bytes between two chunks that are read along rather than making another call. */
#define GAP_BYTES ((size_t)8 << 10)
/* Decoding less than this is done before a worker wakes up. */
#define WORTH_WAKING ((size_t)64 << 10)
/* Finding a piece among the elements that are defined takes as long as decoding so many bytes. */
#define PIECE_BYTES ((size_t)16)

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
    return (struct ts_store){.readv = readv_counted, .writev = writev_counted, .ctx = cache};
}

struct ts_sc_data *ts_sc_visit_data(struct ts_sc_visit *v)
{
    return v->chunk ? &v->chunk->data : &v->data;
}

struct ts_sc_move ts_sc_visit_move(const struct ts_sc_visit *v, struct ts_xfer *xfer)
{
    return (struct ts_sc_move){.scaled = v->scaled, .xfer = xfer, .pieces = v->pieces, .n = v->n, .set = v->set};
}

static int find_one(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    int found = ts_sc_claim(v->dset, v->scaled, b->claim, &v->chunk);
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
    int status = n_spots == 0 ? 0 : dset->ops->lookup(dset->owner, b->spots, n_spots);
    if (status == 0 && dset->layout.sparse)
        note_usual(b, b->visits[first].io, b->spots, n_spots);
    for (size_t i = first, k = 0; k < n_spots; i++)
        if (b->visits[i].state == TS_SC_AWAY) {
            struct ts_sc_visit *v = &b->visits[i];
            v->at = b->spots[k++].at;
            v->skip = v->skip || (dset->layout.sparse && v->at.hint > b->budget);
        }
    return status;
}

int ts_sc_batch_locate(struct ts_sc_batch *b)
{
    size_t away = ts_sc_batch_count(b, TS_SC_AWAY);
    if (away == 0)
        return 0;
    if (TS_GROW(b->spots, b->spots_capacity, away) < 0)
        return -1;
    for (size_t first = 0, next; first < b->n; first = next) {
        size_t n = 0;
        for (next = first; next < b->n && b->visits[next].dset == b->visits[first].dset; next++)
            if (b->visits[next].state == TS_SC_AWAY)
                b->spots[n++] = (struct ts_sc_spot){.scaled = b->visits[next].scaled, .at.addr = HADDR_UNDEF};
        if (locate_some(b, first, n) < 0)
            return -1;
    }
    return 0;
}

/* What it takes to bring one in. */
static size_t need(const struct ts_sc_visit *v)
{
    size_t bytes = v->defined_only ? v->at.defined_hint : v->at.hint;
    if (v->state == TS_SC_MAKE || bytes == 0)
        bytes = v->dset->layout.sparse ? (size_t)v->elements : ts_sc_chunk_bytes(v->dset);
    uint64_t stored = v->state == TS_SC_LOAD && v->dset->layout.coded ? v->at.size : 0;
    return stored > SIZE_MAX - bytes ? SIZE_MAX : bytes + (size_t)stored;
}

static void hold(struct ts_sc_batch *b)
{
    struct ts_sc_dset *dset = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        if (v->state != TS_SC_MAKE && v->state != TS_SC_LOAD)
            continue;
        dset = v->dset;
        if (!ts_add_size(bytes, need(v), &bytes))
            bytes = SIZE_MAX / 2;
    }
    if (!dset)
        return;
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
    unsigned flags = b->claim | TS_SC_ENTER | TS_SC_QUIET | (v->defined_only ? 0 : TS_SC_VALUES);
    int found = ts_sc_claim(v->dset, v->scaled, flags, &v->chunk);
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
        if ((v->state == TS_SC_MAKE || v->state == TS_SC_LOAD) && v->keep && enter_one(b, v) < 0)
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
    c->data = v->data;
    c->at = v->at;
    c->at.udata = NULL;
    c->located = true;
    c->has_values = !v->defined_only;
    v->data = (struct ts_sc_data){0};
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
    return layout->zeros && !layout->coded && !v->dset->ops->gather_mem && v->chunk && v->from == 0;
}

static int make_with_blank(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    struct ts_sc_data *data = &v->data;
    if (v->dset->ops->new_chunk(v->dset->owner, false, data) < 0)
        return -1;
    size_t begun = (size_t)v->to * v->dset->element_size;
    memset(data->chunk, 0, begun);
    data->zeros = true;
    v->chunk->blank = data->used - begun;
    become_ready(b, v);
    return 0;
}

static int make_one(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    v->made = true;
    /* Who moves its elements makes it. */
    if (!v->chunk && v->cover == TS_COVER_CHUNK) {
        v->state = TS_SC_READY;
        return 0;
    }
    if (v->cover != TS_COVER_CHUNK && begins_with_zeros(v))
        return make_with_blank(b, v);
    if (v->dset->ops->new_chunk(v->dset->owner, v->cover != TS_COVER_CHUNK, &v->data) < 0)
        return -1;
    become_ready(b, v);
    return 0;
}

int ts_sc_batch_make(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_MAKE && make_one(b, &b->visits[i]) < 0)
            return -1;
    return 0;
}

static int check_place(const struct ts_sc_batch *b, const struct ts_sc_visit *v, uint64_t size)
{
    if (ts_file_has(b->cache->file, v->at.addr, size))
        return 0;
    return TS_ERR(IO, READERROR, "%s: a chunk of %llu bytes at %#llx lies behind the end of the file",
                  b->cache->file->name, (unsigned long long)size, (unsigned long long)v->at.addr);
}

/* A buffer for the stored bytes; it has room for the whole chunk when they are that. */
static int prepare(struct ts_sc_batch *b, struct ts_sc_visit *v, struct ts_io_vec *vec)
{
    uint64_t size = v->defined_only ? v->at.defined_size : v->at.size;
    bool same = !v->dset->ops->decode;
    if (same && v->at.hint > 0 && size > v->at.hint)
        size = v->at.hint;
    if (size > 0 && check_place(b, v, size) < 0)
        return -1;
    size_t room = same && v->at.hint > size ? v->at.hint : (size_t)size;
    *vec = (struct ts_io_vec){.addr = v->at.addr, .size = (size_t)size};
    if (room > 0 && !(vec->buf = ts_malloc(room)))
        return -1;
    if (room > size)
        memset((uint8_t *)vec->buf + size, 0, room - (size_t)size);
    v->data = (struct ts_sc_data){.chunk = vec->buf, .used = same ? room : (size_t)size, .alloc = room};
    v->raw = true;
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

int ts_sc_batch_fetch(struct ts_sc_batch *b)
{
    uint8_t scratch[GAP_BYTES];
    size_t n = 0;
    bool sorted = true;
    size_t loads = ts_sc_batch_count(b, TS_SC_LOAD);
    if (loads == 0)
        return 0;
    if (TS_GROW(b->vectors, b->vectors_capacity, 2 * loads) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        if (b->visits[i].state != TS_SC_LOAD)
            continue;
        struct ts_io_vec vec = {0};
        if (prepare(b, &b->visits[i], &vec) < 0)
            return -1;
        b->counts.loads++;
        if (vec.size == 0)
            continue;
        sorted = sorted && (n == 0 || b->vectors[n - 1].addr < vec.addr);
        b->vectors[n++] = vec;
    }
    if (n == 0)
        return 0;
    if (!sorted)
        qsort(b->vectors, n, sizeof *b->vectors, by_address);
    if (may_read_along(b->cache->file))
        n = bridge(b->vectors, n, scratch);
    return readv_counted(b->cache, b->vectors, n);
}

void ts_sc_visit_drop(struct ts_sc_visit *v)
{
    if (v->raw)
        ts_free(v->data.chunk);
    else if (v->data.chunk)
        ts_sc_data_free(v->dset, &v->data);
    v->data = (struct ts_sc_data){0};
    v->raw = false;
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
    struct ts_sc_coding how = {.at = &v->at, .partial_bound = ts_sc_partial_bound(v->dset, v->scaled),
                               .set = v->io->scale.exact ? v->set : NULL, .transfer = transfer_of(v)};
    int (*decode)(void *, const struct ts_sc_coding *, struct ts_sc_data *) =
        v->defined_only ? ops->decode_defined_values : ops->decode;
    if (!v->raw && fetch_one(b, v) < 0)
        return -1;
    v->raw = false;
    if (decode && decode(v->dset->owner, &how, &v->data) < 0) {
        v->raw = v->data.used == 0;
        ts_sc_visit_drop(v);
        return -1;
    }
    become_ready(b, v);
    return 0;
}

/* The list of defined elements of a chunk, which the layout wants to see before it says where elements are. */
static int ask_with_defined(struct ts_sc_batch *b, struct ts_sc_visit *v, struct ts_sc_access *a, struct ts_sc_direct *out,
                            int (*ask)(void *, const struct ts_sc_access *, struct ts_sc_direct *))
{
    struct ts_sc_dset *dset = v->dset;
    struct ts_sc_chunk *c = NULL;
    if (!dset->ops->decode_defined_values)
        return 0;
    int found = ts_sc_claim(dset, v->scaled, TS_SC_QUIET, &c);
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
    v->defined_only = true;
    int status = ts_sc_visit_load(b, v);
    a->data = &v->data;
    if (status == 0)
        status = ask(dset->owner, a, out);
    ts_sc_visit_drop(v);
    v->defined_only = false;
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
    struct ts_sc_access a = {.scaled = v->scaled, .at = at, .partial_bound = ts_sc_partial_bound(v->dset, v->scaled),
                             .pieces = v->pieces, .n = v->n};
    struct ts_sc_direct out = {0};
    if (ask_direct(b, v, &a, &out) < 0)
        return -1;
    if (!out.possible)
        return 0;
    struct ts_store store = ts_sc_store(b->cache);
    int status = ts_xfer_file(v->io->xfer, &store, out.addr, out.pieces ? out.pieces : v->pieces, out.pieces ? out.n : v->n);
    ts_free(out.pieces);
    b->counts.bypasses++;
    return status < 0 ? -1 : 1;
}

bool ts_sc_batch_pays(const struct ts_sc_batch *b)
{
    size_t n = 0, bytes = 0;
    for (size_t i = 0; i < b->n && b->threads > 0; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        bool loads = v->state == TS_SC_LOAD && v->dset->layout.coded;
        bool moves = v->state == TS_SC_READY && v->dset->layout.sparse && v->io->parallel;
        if ((!loads && !moves) || !v->dset->layout.any_thread)
            continue;
        size_t cost = loads ? v->at.hint : v->n * PIECE_BYTES;
        n++;
        bytes += cost < WORTH_WAKING ? cost : WORTH_WAKING;
        if (n > 1 && bytes >= WORTH_WAKING)
            return true;
    }
    return false;
}

static int load_item(void *ctx, size_t item, unsigned lane)
{
    (void)lane;
    struct ts_sc_batch *b = ctx;
    return ts_sc_visit_load(b, b->todo[item]);
}

/* Those that workers may decode. */
static int load_aside(struct ts_sc_batch *b)
{
    size_t n = 0;
    if (TS_GROW(b->todo, b->todo_capacity, b->n) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_LOAD && b->visits[i].dset->layout.any_thread)
            b->todo[n++] = &b->visits[i];
    return ts_pool_run(b->threads, n, load_item, b);
}

int ts_sc_batch_load(struct ts_sc_batch *b)
{
    if (ts_sc_batch_fetch(b) < 0 || (ts_sc_batch_pays(b) && load_aside(b) < 0))
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_LOAD && ts_sc_visit_load(b, &b->visits[i]) < 0)
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
    v->keep = false;
    v->state = TS_SC_AWAY;
    struct ts_sc_spot spot = {.scaled = v->scaled, .at.addr = HADDR_UNDEF};
    ts_free(v->at.udata);
    v->at = spot.at;
    int status = v->dset->ops->lookup(v->dset->owner, &spot, 1);
    v->at = spot.at;
    if (status < 0)
        return -1;
    if (v->at.addr == HADDR_UNDEF)
        return TS_ERR(DATASET, NOTFOUND, "a chunk was removed while it was read");
    v->state = TS_SC_LOAD;
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
        v->keep = true;
        if (v->state == TS_SC_AWAY)
            v->state = v->at.addr == HADDR_UNDEF ? TS_SC_DONE : TS_SC_LOAD;
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
    struct ts_sc_use use = {.dirty = change && v->touched && !v->made, .drop = change && v->made};
    struct ts_sc_chunk *c = v->chunk;
    v->chunk = NULL;
    if (!c)
        return;
    if (v->state == TS_SC_LOAD || v->state == TS_SC_MAKE)
        ts_sc_failed(c);
    else if (v->state != TS_SC_WAIT || ts_sc_wait(c, b->claim))
        ts_sc_release(c, &use);
}

void ts_sc_batch_end(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        ts_sc_visit_drop(v);
        ts_free(v->at.udata);
        v->at.udata = NULL;
        ts_free(v->coded.bytes);
        v->coded.bytes = NULL;
        /* Others may wait for these: they come first. */
        if (v->state == TS_SC_LOAD || v->state == TS_SC_MAKE)
            give_up(b, v);
    }
    for (size_t i = 0; i < b->n; i++)
        give_up(b, &b->visits[i]);
    unhold(b);
    ts_sc_add_counts(b->cache, &b->counts);
}
