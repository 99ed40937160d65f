/* The blocks of object headers: which message is where, how blocks grow, move and go, and how they are written. A chunk
 * knows how many of its bytes are free; they become NIL messages when it is written. When none has room for a message,
 * the last chunk grows, where it is or by moving, and chunk 0, which cannot move, gets a continuation.
 *
 * Undoing (file/undo.h): ts_ohdr_keep keeps what is small. The list of messages may be long: what is done to it has
 * steps of its own. The body of a message belongs to the change from the moment it is made. A header that the same
 * change made goes with it, so nothing of it is kept. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "file/mutation.h"
#include "object/attr_names.h"
#include "object/ohdr_parts.h"

/* Most headers have no more messages than FEW_MSGS: writing them takes no memory. */
enum { NO_CHUNK = -1, FEW_MSGS = 16 };

static size_t continuation_size(const struct ts_ohdr *oh)
{
    return ts_file_addr_size(oh->file) + ts_file_len_size(oh->file);
}

static void account(struct ts_ohdr *oh, size_t before, size_t after)
{
    oh->bytes += after - before;
    ts_meta_resize(oh->file, oh->addr, oh->bytes);
}

static void forget_names(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_attr_names_forget(step->at);
}

int ts_ohdr_keep(struct ts_file *f, void *obj)
{
    struct ts_ohdr *oh = obj;
    oh->made_in = 0;
    if (ts_undo_add(f, (struct ts_undo_step){.back = forget_names, .at = oh}) < 0 ||
        ts_undo_bytes(f, oh, offsetof(struct ts_ohdr, names)) < 0 ||
        ts_undo_bytes(f, oh->chunks, oh->n_chunks * sizeof *oh->chunks) < 0)
        return -1;
    /* The first change goes over all messages. */
    return oh->changed ? 0 : ts_undo_bytes(f, oh->msgs, oh->n_msgs * sizeof *oh->msgs);
}

int ts_ohdr_change(struct ts_ohdr *oh)
{
    TS_IN_CHANGE(oh->file);
    /* One that is new is dirty already. */
    if (!ts_ohdr_goes_with_change(oh) && ts_meta_edit(oh->file, oh->addr) < 0)
        return -1;
    if (oh->changed)
        return 0;
    ts_attr_names_forget(oh);
    oh->changed = true;
    size_t n = 0;
    for (size_t i = 0; i < oh->n_msgs; i++) {
        struct ts_ohdr_msg *msg = &oh->msgs[i];
        if (msg->type == TS_MSG_NIL) {
            oh->chunks[msg->chunk].gap += ts_ohdr_room_of(oh, msg->size);
            oh->chunks[msg->chunk].changed = true;
            continue;
        }
        if (!ts_ohdr_knows(msg->type) && msg->flags & TS_MSG_FLAG_MARK_IF_UNKNOWN) {
            msg->flags |= TS_MSG_FLAG_WAS_UNKNOWN;
            oh->chunks[msg->chunk].changed = true;
        }
        oh->msgs[n++] = *msg;
    }
    oh->n_msgs = n;
    return 0;
}

/* The bits of the flags that say how many bytes the size of the first block has. */
static uint8_t size_bits(uint64_t block_size)
{
    return block_size <= UINT8_MAX ? 0 : block_size <= UINT16_MAX ? 1 : block_size <= UINT32_MAX ? 2 : 3;
}

void ts_ohdr_set_first_block(struct ts_ohdr_prefix *p, uint64_t block_size)
{
    if (p->version == 2)
        p->flags = (uint8_t)((p->flags & ~H5O_HDR_CHUNK0_SIZE) | size_bits(block_size));
    p->block_size = block_size;
    p->prefix_size = ts_ohdr_prefix_size(p->version, p->flags);
}

static int first_fit(const struct ts_ohdr *oh, size_t from, size_t need)
{
    for (size_t i = from; i < oh->n_chunks; i++)
        if (oh->chunks[i].gap >= need)
            return (int)i;
    return NO_CHUNK;
}

/* The message that leads to a chunk. */
static struct ts_ohdr_msg *continuation_to(const struct ts_ohdr *oh, haddr_t addr)
{
    struct ts_continuation c;
    for (size_t i = 0; i < oh->n_msgs; i++) {
        struct ts_ohdr_msg *msg = &oh->msgs[i];
        if (msg->type == TS_MSG_CONTINUATION &&
            ts_continuation_decode(msg->body, msg->size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), &c) ==
                0 &&
            c.addr == addr)
            return msg;
    }
    return NULL;
}

static int encode_continuation(const struct ts_ohdr *oh, const struct ts_ohdr_chunk *chunk, struct ts_wr *w)
{
    struct ts_continuation c = {chunk->addr, chunk->size};
    if (ts_continuation_encode(&c, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), w) == 0)
        return 0;
    ts_wr_free(w);
    return TS_ERR(OHDR, CANTENCODE, "object header %#llx: cannot lead to a block at %#llx",
                  (unsigned long long)oh->addr, (unsigned long long)chunk->addr);
}

int ts_ohdr_keep_bytes(struct ts_ohdr *oh, void *at, size_t size)
{
    return ts_ohdr_goes_with_change(oh) ? 0 : ts_undo_bytes(oh->file, at, size);
}

static int add_step(struct ts_ohdr *oh, ts_undo_fn *back, uint64_t a)
{
    struct ts_undo_step step = {.back = back, .at = oh, .a = a};
    return ts_ohdr_goes_with_change(oh) ? 0 : ts_undo_add(oh->file, step);
}

/* The header does not need the memory any more. */
static int let_go_of(struct ts_ohdr *oh, void *memory)
{
    if (!ts_ohdr_goes_with_change(oh))
        return ts_undo_free(oh->file, memory);
    ts_free(memory);
    return 0;
}

int ts_ohdr_lose(struct ts_ohdr *oh, uint8_t *owned)
{
    if (ts_ohdr_goes_with_change(oh))
        ts_free(owned);
    return -1;
}

uint8_t *ts_ohdr_made(struct ts_ohdr *oh, uint8_t *bytes)
{
    if (bytes && (ts_ohdr_goes_with_change(oh) || ts_undo_new(oh->file, bytes) == 0))
        return bytes;
    ts_free(bytes);
    return NULL;
}

int ts_ohdr_set_body(struct ts_ohdr *oh, struct ts_ohdr_msg *msg, uint8_t *owned, size_t size)
{
    if (ts_ohdr_keep_bytes(oh, msg, sizeof *msg) < 0)
        return -1;
    account(oh, msg->owned ? msg->size : 0, size);
    if (let_go_of(oh, msg->owned) < 0)
        return -1;
    ts_attr_names_replaced(oh, msg, owned, size);
    msg->owned = owned;
    msg->body = owned;
    msg->size = size;
    oh->chunks[msg->chunk].changed = true;
    return 0;
}

int ts_ohdr_point_continuation(struct ts_ohdr *oh, haddr_t from, const struct ts_ohdr_chunk *chunk)
{
    struct ts_ohdr_msg *msg = continuation_to(oh, from);
    struct ts_wr w = {0};
    if (!msg)
        return TS_ERR(OHDR, NOTFOUND, "object header %#llx: nothing leads to its block at %#llx",
                      (unsigned long long)oh->addr, (unsigned long long)from);
    if (encode_continuation(oh, chunk, &w) < 0)
        return -1;
    size_t old_size = msg->size;
    /* Old headers have the body padded: it keeps its room. */
    if (w.size < old_size)
        ts_wr_zeros(&w, old_size - w.size);
    if (w.bad) {
        ts_wr_free(&w);
        return -1;
    }
    return ts_ohdr_made(oh, w.data) ? ts_ohdr_set_body(oh, msg, w.data, w.size) : -1;
}

/* 1 when the last chunk got room for `need` more bytes where it is. */
static int extend_last(struct ts_ohdr *oh, size_t need)
{
    size_t last = oh->n_chunks - 1;
    struct ts_ohdr_chunk *c = &oh->chunks[last];
    struct ts_ohdr_prefix prefix = oh->prefix;
    size_t more = need - c->gap;
    uint64_t size = c->size + more;
    if (last == 0) {
        ts_ohdr_set_first_block(&prefix, prefix.block_size + more);
        size += prefix.prefix_size - oh->prefix.prefix_size;
        if (prefix.version == 1 && prefix.block_size > UINT32_MAX)
            return 0;
    }
    int done = ts_file_extend(oh->file, H5FD_MEM_OHDR, c->addr, c->size, size);
    if (done <= 0)
        return done;
    c->size = (size_t)size;
    c->gap += more;
    c->changed = true;
    oh->prefix = prefix;
    return last > 0 && ts_ohdr_point_continuation(oh, c->addr, c) < 0 ? -1 : 1;
}

/* Continuations that grow do so by half, so that moving them stays cheap however many messages come. */
static int move_last(struct ts_ohdr *oh, size_t need)
{
    size_t last = oh->n_chunks - 1;
    struct ts_ohdr_chunk *c = &oh->chunks[last], moved = *c;
    size_t more = need - c->gap;
    if (more < c->size / 2)
        more = ts_ohdr_align(c->size / 2);
    moved.size += more;
    moved.gap += more;
    if (ts_file_alloc(oh->file, H5FD_MEM_OHDR, moved.size, &moved.addr) < 0)
        return -1;
    if (ts_ohdr_point_continuation(oh, c->addr, &moved) < 0)
        return -1;
    ts_file_free(oh->file, H5FD_MEM_OHDR, c->addr, c->size);
    *c = moved;
    return 0;
}

static int shadow_chunk(struct ts_ohdr *oh, struct ts_ohdr_chunk *c)
{
    struct ts_ohdr_chunk moved = *c;
    if (ts_file_fresh(oh->file, c->addr))
        return 0;
    if (ts_file_alloc(oh->file, H5FD_MEM_OHDR, c->size, &moved.addr) < 0 ||
        ts_ohdr_point_continuation(oh, c->addr, &moved) < 0)
        return -1;
    ts_file_free(oh->file, H5FD_MEM_OHDR, c->addr, c->size);
    c->addr = moved.addr;
    return 0;
}

int ts_ohdr_settle(struct ts_file *f, void *obj)
{
    struct ts_ohdr *oh = obj;
    if (f->swmr != TS_SWMR_WRITER || ts_mutation(TS_MUTATION_NO_SHADOWS) || oh->n_chunks == 1)
        return 0;
    if (ts_meta_edit(f, oh->addr) < 0)
        return -1;
    /* What leads to a block stands in one before it. */
    for (size_t i = oh->n_chunks; i-- > 1;) {
        if (oh->chunks[i].changed && shadow_chunk(oh, &oh->chunks[i]) < 0)
            return -1;
        oh->chunks[i].changed = false;
    }
    return 0;
}

/* Where messages of a chunk end in the list of all. */
static size_t end_of_chunk(const struct ts_ohdr *oh, size_t chunk)
{
    size_t i = oh->n_msgs;
    while (i > 0 && oh->msgs[i - 1].chunk > chunk)
        i--;
    return i;
}

static void open_gap(struct ts_ohdr *oh, size_t at)
{
    memmove(&oh->msgs[at + 1], &oh->msgs[at], (oh->n_msgs - at) * sizeof *oh->msgs);
    oh->n_msgs++;
}

static void close_gap(struct ts_ohdr *oh, size_t at)
{
    memmove(&oh->msgs[at], &oh->msgs[at + 1], (oh->n_msgs - at - 1) * sizeof *oh->msgs);
    oh->n_msgs--;
}

static void insert_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    close_gap(step->at, (size_t)step->a);
}

/* What was there comes next. */
static void take_out_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    open_gap(step->at, (size_t)step->a);
}

/* The chunk has room, and its messages are around that place. */
static int insert_at(struct ts_ohdr *oh, size_t chunk, size_t at, struct ts_ohdr_msg msg)
{
    int grown = ts_ohdr_goes_with_change(oh) ? TS_GROW(oh->msgs, oh->msgs_capacity, oh->n_msgs + 1)
                                             : TS_UNDO_GROW(oh->file, oh->msgs, oh->msgs_capacity, oh->n_msgs + 1);
    if (grown < 0 || add_step(oh, insert_back, at) < 0)
        return ts_ohdr_lose(oh, msg.owned);
    oh->types |= msg.type < 32 ? UINT32_C(1) << msg.type : 0;
    msg.chunk = (unsigned)chunk;
    msg.body = msg.owned;
    open_gap(oh, at);
    oh->msgs[at] = msg;
    ts_attr_names_added(oh, at);
    oh->chunks[chunk].gap -= ts_ohdr_room_of(oh, msg.size);
    oh->chunks[chunk].changed = true;
    account(oh, 0, msg.size + sizeof msg);
    return 0;
}

int ts_ohdr_insert(struct ts_ohdr *oh, size_t chunk, struct ts_ohdr_msg msg)
{
    return insert_at(oh, chunk, end_of_chunk(oh, chunk), msg);
}

int ts_ohdr_insert_first(struct ts_ohdr *oh, const struct ts_ohdr_first *msgs, size_t n, const struct ts_wr *bodies)
{
    struct ts_ohdr_chunk *c = &oh->chunks[0];
    if (TS_GROW(oh->msgs, oh->msgs_capacity, n) < 0 || !(c->buf = ts_memdup(bodies->data, bodies->size)))
        return -1;
    const uint8_t *body = c->buf;
    for (size_t i = 0; i < n; body += msgs[i++].size) {
        oh->msgs[i] =
            (struct ts_ohdr_msg){.type = msgs[i].type, .flags = msgs[i].flags, .body = body, .size = msgs[i].size};
        oh->types |= msgs[i].type < 32 ? UINT32_C(1) << msgs[i].type : 0;
        c->gap -= ts_ohdr_room_of(oh, msgs[i].size);
    }
    oh->n_msgs = n;
    account(oh, 0, bodies->size + n * sizeof *oh->msgs);
    c->changed = true;
    return 0;
}

/* Takes a message out of the list without letting go of what it owns. */
static int take_out(struct ts_ohdr *oh, size_t at, struct ts_ohdr_msg *out)
{
    if (ts_ohdr_keep_bytes(oh, &oh->msgs[at], sizeof *oh->msgs) < 0 || add_step(oh, take_out_back, at) < 0)
        return -1;
    struct ts_ohdr_msg msg = oh->msgs[at];
    ts_attr_names_forget(oh);
    close_gap(oh, at);
    oh->chunks[msg.chunk].gap += ts_ohdr_room_of(oh, msg.size);
    oh->chunks[msg.chunk].changed = true;
    account(oh, (msg.owned ? msg.size : 0) + sizeof msg, 0);
    *out = msg;
    return 0;
}

/* A message must not stay in the buffer of a chunk that it leaves. */
static int own_body(struct ts_ohdr *oh, struct ts_ohdr_msg *msg)
{
    if (msg->owned)
        return 0;
    uint8_t *copy = ts_ohdr_made(oh, ts_memdup(msg->body, msg->size));
    return copy ? ts_ohdr_set_body(oh, msg, copy, msg->size) : -1;
}

/* Where attributes are not numbered, the order in the header is all that tells which came first: it is kept. */
static bool is_last_attr(const struct ts_ohdr *oh, size_t i)
{
    for (size_t j = i + 1; j < oh->n_msgs && oh->msgs[j].chunk == oh->msgs[i].chunk; j++)
        if (oh->msgs[j].type == TS_MSG_ATTR)
            return false;
    return true;
}

static bool may_move(const struct ts_ohdr *oh, size_t i)
{
    unsigned type = oh->msgs[i].type;
    return type == TS_MSG_ATTR ? is_last_attr(oh, i) : type != TS_MSG_CONTINUATION;
}

/* The message of chunk 0 that leaves the smallest hole that is large enough; else the last one. */
static size_t pick_to_move(const struct ts_ohdr *oh, size_t need)
{
    size_t best = oh->n_msgs, last = oh->n_msgs;
    for (size_t i = 0; i < oh->n_msgs && oh->msgs[i].chunk == 0; i++) {
        if (!may_move(oh, i))
            continue;
        last = i;
        if (oh->chunks[0].gap + ts_ohdr_room_of(oh, oh->msgs[i].size) >= need &&
            (best == oh->n_msgs || oh->msgs[i].size < oh->msgs[best].size))
            best = i;
    }
    return best < oh->n_msgs ? best : last;
}

/* Bytes that clear_first moves at most: as long as no single message will do, each is smaller than what is needed. */
static size_t most_moved(const struct ts_ohdr *oh, size_t need)
{
    size_t i = pick_to_move(oh, need), one = i < oh->n_msgs ? ts_ohdr_room_of(oh, oh->msgs[i].size) : 0;
    return oh->chunks[0].gap >= need ? 0 : need + (one > need ? one : need);
}

/* Moves messages of chunk 0 to chunk 1 until a continuation message fits. */
static int clear_first(struct ts_ohdr *oh, size_t need)
{
    while (oh->chunks[0].gap < need) {
        size_t i = pick_to_move(oh, need);
        if (i == oh->n_msgs)
            return TS_ERR(OHDR, NOSPACE,
                          "object header %#llx: its first block of %llu bytes cannot have a continuation",
                          (unsigned long long)oh->addr, (unsigned long long)oh->prefix.block_size);
        struct ts_ohdr_msg msg;
        if (own_body(oh, &oh->msgs[i]) < 0 || take_out(oh, i, &msg) < 0 ||
            insert_at(oh, 1, end_of_chunk(oh, 0), msg) < 0)
            return -1;
    }
    return 0;
}

/* The header has one chunk, and gets its second. */
static int add_chunk(struct ts_ohdr *oh, size_t need)
{
    size_t lead = ts_ohdr_room_of(oh, continuation_size(oh)), half = ts_ohdr_align((size_t)oh->prefix.block_size / 2);
    struct ts_ohdr_chunk c = {.gap = need + most_moved(oh, lead)};
    struct ts_wr w = {0};
    int grown = ts_ohdr_goes_with_change(oh) ? TS_GROW(oh->chunks, oh->chunks_capacity, 2)
                                             : TS_UNDO_GROW(oh->file, oh->chunks, oh->chunks_capacity, 2);
    if (grown < 0)
        return -1;
    c.gap = ts_ohdr_align(c.gap < half ? half : c.gap);
    c.size = c.gap + ts_ohdr_overhead(oh, 1);
    if (ts_file_alloc(oh->file, H5FD_MEM_OHDR, c.size, &c.addr) < 0)
        return -1;
    oh->chunks[oh->n_chunks++] = c;
    if (clear_first(oh, lead) < 0 || encode_continuation(oh, &c, &w) < 0 || !ts_ohdr_made(oh, w.data))
        return -1;
    return ts_ohdr_insert(oh, 0, (struct ts_ohdr_msg){.type = TS_MSG_CONTINUATION, .owned = w.data, .size = w.size});
}

int ts_ohdr_make_room(struct ts_ohdr *oh, size_t from, size_t need, size_t *chunk)
{
    int found = first_fit(oh, from, need);
    if (found == NO_CHUNK) {
        int done = extend_last(oh, need);
        if (done < 0 || (done == 0 && (oh->n_chunks > 1 ? move_last(oh, need) : add_chunk(oh, need)) < 0))
            return -1;
        found = first_fit(oh, from, need);
    }
    if (found == NO_CHUNK)
        return TS_ERR(OHDR, NOSPACE, "object header %#llx: no room for %zu bytes", (unsigned long long)oh->addr, need);
    *chunk = (size_t)found;
    return 0;
}

static bool is_empty(const struct ts_ohdr *oh, size_t chunk)
{
    for (size_t i = 0; i < oh->n_msgs; i++)
        if (oh->msgs[i].chunk == chunk)
            return false;
    return true;
}

static void number_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_ohdr *oh = step->at;
    for (size_t i = 0; i < oh->n_msgs; i++)
        oh->msgs[i].chunk += oh->msgs[i].chunk >= step->a;
}

/* Takes an empty chunk out of the list; those behind it have other numbers then. */
static int drop_chunk(struct ts_ohdr *oh, size_t chunk)
{
    struct ts_ohdr_chunk *gone = &oh->chunks[chunk];
    if (let_go_of(oh, gone->buf) < 0 || add_step(oh, number_back, chunk) < 0)
        return -1;
    ts_file_free(oh->file, H5FD_MEM_OHDR, gone->addr, gone->size);
    memmove(gone, gone + 1, (oh->n_chunks - chunk - 1) * sizeof *gone);
    oh->n_chunks--;
    for (size_t i = 0; i < oh->n_msgs; i++)
        oh->msgs[i].chunk -= oh->msgs[i].chunk > chunk;
    return 0;
}

/* Chunks without messages go, and with them the messages that lead to them. */
static int drop_empty(struct ts_ohdr *oh, size_t chunk)
{
    while (chunk > 0 && is_empty(oh, chunk)) {
        const struct ts_ohdr_msg *lead = continuation_to(oh, oh->chunks[chunk].addr);
        struct ts_ohdr_msg msg;
        if (!lead)
            return 0;
        if (take_out(oh, (size_t)(lead - oh->msgs), &msg) < 0 || let_go_of(oh, msg.owned) < 0 ||
            drop_chunk(oh, chunk) < 0)
            return -1;
        chunk = msg.chunk > chunk ? msg.chunk - 1 : msg.chunk;
    }
    return 0;
}

int ts_ohdr_drop_message(struct ts_ohdr *oh, size_t at, struct ts_ohdr_msg *gone)
{
    if (take_out(oh, at, gone) < 0 || let_go_of(oh, gone->owned) < 0)
        return -1;
    return drop_empty(oh, gone->chunk);
}

/* How many NIL messages fill a gap of version 1: one has at most 8 + 65528 bytes. */
static size_t nils_v1(size_t gap)
{
    size_t most = 8 + TS_OHDR_BODY_MAX;
    return (gap + most - 1) / most;
}

static int encode_chunk(const struct ts_ohdr *oh, const struct ts_ohdr_prefix *prefix, size_t chunk,
                        const struct ts_raw_msg *msgs, struct ts_blocks *out)
{
    size_t first = chunk == 0 ? 0 : end_of_chunk(oh, chunk - 1);
    struct ts_ohdr_block block = {.prefix = prefix,
                                  .first = chunk == 0,
                                  .size = oh->chunks[chunk].size - ts_ohdr_overhead(oh, chunk),
                                  .msgs = msgs + first,
                                  .n = end_of_chunk(oh, chunk) - first};
    if (ts_ohdr_block_encode(&block, ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, oh->chunks[chunk].addr);
}

int ts_ohdr_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct ts_ohdr *oh = obj;
    struct ts_ohdr_prefix prefix = oh->prefix;
    (void)f;
    struct ts_raw_msg few[FEW_MSGS];
    struct ts_raw_msg *msgs = oh->n_msgs <= FEW_MSGS ? few : ts_malloc(oh->n_msgs * sizeof *msgs);
    if (!msgs)
        return -1;
    for (size_t i = 0; i < oh->n_msgs; i++)
        msgs[i] = (struct ts_raw_msg){oh->msgs[i].type, oh->msgs[i].flags, oh->msgs[i].creation_index, oh->msgs[i].body,
                                      oh->msgs[i].size};
    prefix.stored_messages = (unsigned)oh->n_msgs;
    for (size_t i = 0; i < oh->n_chunks; i++)
        prefix.stored_messages += (unsigned)nils_v1(oh->chunks[i].gap);
    int status = 0;
    for (size_t i = oh->n_chunks; i-- > 0 && status == 0;)
        status = encode_chunk(oh, &prefix, i, msgs, out);
    if (msgs != few)
        ts_free(msgs);
    return status;
}

static const char *verify_chunk(const struct ts_ohdr *oh, size_t chunk)
{
    const struct ts_ohdr_chunk *c = &oh->chunks[chunk];
    size_t used = c->gap + ts_ohdr_overhead(oh, chunk);
    for (size_t i = 0; i < oh->n_msgs; i++)
        if (oh->msgs[i].chunk == chunk)
            used += ts_ohdr_room_of(oh, oh->msgs[i].size);
    if (used != c->size)
        return "messages and gap do not make up a block";
    if (chunk == 0)
        return c->addr != oh->addr ? "the first block is elsewhere" : NULL;
    struct ts_ohdr_msg *lead = continuation_to(oh, c->addr);
    struct ts_continuation to;
    if (!lead || lead->chunk >= chunk)
        return "nothing leads to a block";
    if (ts_continuation_decode(lead->body, lead->size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), &to) <
            0 ||
        to.size != c->size)
        return "a continuation has another size than its block";
    return NULL;
}

bool ts_ohdr_verify(const struct ts_ohdr *oh, const char **reason)
{
    const struct ts_ohdr_prefix *p = &oh->prefix;
    *reason = NULL;
    if (p->prefix_size != ts_ohdr_prefix_size(p->version, p->flags) ||
        oh->chunks[0].size != ts_ohdr_overhead(oh, 0) + p->block_size)
        *reason = "the prefix does not agree with the first block";
    if (oh->n_chunks != 1 + ts_ohdr_count(oh, TS_MSG_CONTINUATION))
        *reason = "as many continuations as blocks are not there";
    for (size_t i = 0; i + 1 < oh->n_msgs; i++)
        if (oh->msgs[i].chunk > oh->msgs[i + 1].chunk)
            *reason = "the messages are not in the order of the blocks";
    for (size_t i = 0; i < oh->n_chunks && !*reason; i++)
        *reason = verify_chunk(oh, i);
    return !*reason;
}
