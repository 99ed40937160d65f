/* Every structure of the corpus decoded, encoded, and compared with the bytes it came from. Files that libhdf5 wrote
 * must come out byte for byte, but for the bytes listed in enum mask. Files put together by hand (hand_*) say things in
 * ways that no library writes, so for them the second encoding must be the first. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/map.h"
#include "heap/fractal_heap.h"
#include "index/array_page.h"
#include "meta/block.h"
#include "object/ohdr.h"
#include "unit/format/recode.h"
#include "unit/group/corpus.h"

/* Bytes that are not compared, because what is in them is not information. All else, reserved fields and unused room
 * in nodes too, must be what libhdf5 wrote: zeros mostly. */
enum mask {
    NONE,
    HEAP_FREE,    /* a free block of a local heap behind its head */
    HEAP_OBJECTS, /* a direct block of a fractal heap behind its prefix: objects and free bytes, taken as they are */
    MASKS
};

static const char *const mask_names[MASKS] = {"", "free blocks in local heaps",
                                              "what direct blocks of fractal heaps hold"};

struct tally {
    const char *kind;
    unsigned long count, bytes;
};

static struct {
    struct tally kinds[80];
    unsigned n_kinds, files, failures;
    unsigned long bytes[MASKS], not_zero[MASKS];
} totals;

struct walk {
    struct ts_file *f;
    const char *name;
    unsigned O, L;
    bool by_hand;
    struct ts_map seen;
};

struct piece {
    const uint8_t *bytes;
    size_t n;
    haddr_t at;
};

static void count(const char *kind, size_t bytes)
{
    struct tally *t = totals.kinds;
    while (t->kind && strcmp(t->kind, kind) != 0)
        t++;
    if (!t->kind) {
        t->kind = kind;
        totals.n_kinds++;
        assert_true(totals.n_kinds < sizeof totals.kinds / sizeof totals.kinds[0]);
    }
    t->count++;
    t->bytes += bytes;
}

static void wrong(struct walk *w, const char *kind, haddr_t at, const char *what, size_t where)
{
    if (++totals.failures <= 40) {
        struct ts_err_stack *e = ts_err_current();
        print_message("%s: %s at %#llx: %s %zu %s\n", w->name, kind, (unsigned long long)at, what, where,
                      e->depth ? e->rec[0].text : "");
    }
    ts_err_clear();
}

static void print_bytes(const char *label, const uint8_t *p, size_t n, size_t from)
{
    if (totals.failures > 40)
        return;
    print_message("  %s:", label);
    for (size_t i = from; i < n && i < from + 24; i++)
        print_message(" %02x", p[i]);
    print_message("\n");
}

static void compare(struct walk *w, const char *kind, const struct piece *in, const struct ts_wr *out)
{
    if (out->size != in->n) {
        wrong(w, kind, in->at, "another size:", out->size);
        return;
    }
    totals.bytes[NONE] += in->n;
    for (size_t i = 0; i < in->n; i++)
        if (in->bytes[i] != out->data[i]) {
            wrong(w, kind, in->at, "difference in byte", i);
            size_t from = i < 8 ? 0 : i - 8;
            print_bytes("file", in->bytes, in->n, from);
            print_bytes("ours", out->data, in->n, from);
            return;
        }
}

/* Takes bytes that an encoder only passed on out of the sum. */
static void not_compared(const struct walk *w, enum mask why, const uint8_t *bytes, size_t n)
{
    if (w->by_hand)
        return;
    totals.bytes[NONE] -= n;
    totals.bytes[why] += n;
    for (size_t i = 0; i < n; i++)
        totals.not_zero[why] += bytes[i] != 0;
}

/* Appends the encoding to out; false when there is none. */
static bool recoded(struct walk *w, const char *kind, recode_fn *recode, const struct piece *in, const void *arg,
                    struct ts_wr *out)
{
    struct site s = {.O = w->O, .L = w->L, .arg = arg};
    count(kind, in->n);
    if (recode(&s, in->bytes, in->n, out) < 0 || out->bad) {
        wrong(w, kind, in->at, "does not go through, bytes:", in->n);
        return false;
    }
    if (!w->by_hand)
        return true;
    struct ts_wr again = {0};
    if (recode(&s, out->data, out->size, &again) < 0 || again.size != out->size ||
        memcmp(again.data, out->data, out->size) != 0)
        wrong(w, kind, in->at, "is another when encoded twice, bytes:", again.size);
    ts_wr_free(&again);
    return true;
}

static void check(struct walk *w, const char *kind, recode_fn *recode, const struct piece *in, const void *arg)
{
    struct ts_wr out = {0};
    if (recoded(w, kind, recode, in, arg, &out) && !w->by_hand)
        compare(w, kind, in, &out);
    ts_wr_free(&out);
}

/* False, and a failure counted, when the file does not have the bytes. */
static bool load(struct walk *w, const char *kind, haddr_t at, uint64_t n, struct piece *out)
{
    uint8_t *buf;
    *out = (struct piece){.at = at, .n = (size_t)n};
    if (ts_meta_read_block(w->f, at, n, &buf) < 0) {
        wrong(w, kind, at, "cannot be read, bytes:", (size_t)n);
        return false;
    }
    out->bytes = buf;
    return true;
}

static void unload(struct piece *p)
{
    ts_free((void *)(uintptr_t)p->bytes);
}

struct span {
    haddr_t at;
    uint64_t n;
};

/* Reads the bytes, checks them and, when `keep` is given, leaves them there. */
static bool check_at(struct walk *w, const char *kind, recode_fn *recode, struct span where, const void *arg,
                     struct piece *keep)
{
    struct piece p;
    if (!load(w, kind, where.at, where.n, &p))
        return false;
    check(w, kind, recode, &p, arg);
    if (keep)
        *keep = p;
    else
        unload(&p);
    return true;
}

static bool first_time(struct walk *w, haddr_t addr)
{
    if (addr == HADDR_UNDEF || ts_map_get(&w->seen, addr))
        return false;
    assert_int_equal(ts_map_put(&w->seen, addr, w), 0);
    return true;
}

static void walk_object(struct walk *w, haddr_t addr);

static void walk_lheap(struct walk *w, haddr_t addr)
{
    struct piece p, data;
    struct ts_lheap_header h;
    struct ts_lheap_free block;
    if (!first_time(w, addr) ||
        !check_at(w, "local heap", recode_lheap, (struct span){addr, ts_lheap_header_size(w->O, w->L)}, NULL, &p))
        return;
    int status = ts_lheap_header_decode(p.bytes, p.n, w->O, w->L, &h);
    unload(&p);
    if (status < 0 || h.size == 0 || !load(w, "local heap data", h.data, h.size, &data))
        return;
    for (uint64_t at = h.free_head, n = 0; at != TS_LHEAP_NO_FREE && n < h.size; at = block.next, n++) {
        if (ts_lheap_free_decode(data.bytes, data.n, at, w->L, &block) < 0) {
            if (!w->by_hand)
                wrong(w, "local heap free block", h.data, "does not decode at", (size_t)at);
            ts_err_clear();
            break;
        }
        struct piece free_block = {.bytes = data.bytes + at, .n = (size_t)block.size, .at = h.data + at};
        check(w, "local heap free block", recode_lheap_free, &free_block, NULL);
        not_compared(w, HEAP_FREE, free_block.bytes + 2 * (size_t)w->L, free_block.n - 2 * (size_t)w->L);
    }
    unload(&data);
}

static void walk_symbol_node(struct walk *w, haddr_t addr)
{
    struct piece p;
    struct ts_symbol *symbols;
    size_t n;
    unsigned k = w->f->sb.group_leaf_k;
    if (!first_time(w, addr) || !load(w, "symbol table node", addr, ts_symbol_node_size(k, w->O, w->L), &p))
        return;
    if (ts_symbol_node_decode(p.bytes, p.n, w->O, w->L, &symbols, &n) == 0) {
        check(w, "symbol table node", recode_symbol_node, &p, &k);
        for (size_t i = 0; i < n; i++)
            walk_object(w, symbols[i].addr);
        ts_free(symbols);
    } else
        wrong(w, "symbol table node", addr, "does not decode, bytes:", p.n);
    unload(&p);
}

static void walk_btree1(struct walk *w, haddr_t addr, unsigned rank)
{
    struct piece p;
    struct ts_btree1_prefix prefix;
    struct btree1_site at = {.k = rank ? w->f->sb.chunk_k : w->f->sb.group_internal_k, .rank = rank};
    size_t key = rank ? ts_btree1_chunk_key_size(rank) : w->L, head = ts_btree1_prefix_size(w->O);
    if (!first_time(w, addr) || !load(w, "B-tree v1 node", addr, ts_btree1_node_size(at.k, key, w->O), &p))
        return;
    if (ts_btree1_prefix_decode(p.bytes, p.n, w->O, &prefix) < 0 || prefix.entries > 2 * at.k) {
        wrong(w, "B-tree v1 node", addr, "does not decode, bytes:", p.n);
        unload(&p);
        return;
    }
    check(w, rank ? "B-tree v1 node of chunks" : "B-tree v1 node of a group", recode_btree1, &p, &at);
    for (unsigned i = 0; i < prefix.entries; i++) {
        struct ts_rd r = ts_rd_init(p.bytes + head + i * (key + w->O) + key, w->O);
        haddr_t child = ts_rd_addr(&r, w->O);
        if (prefix.level > 0)
            walk_btree1(w, child, rank);
        else if (rank == 0)
            walk_symbol_node(w, child);
    }
    unload(&p);
}

static void follow_link(struct walk *w, const uint8_t *bytes, size_t n)
{
    struct ts_link link;
    if (ts_link_decode(bytes, n, w->O, &link) < 0)
        return;
    if (link.type == H5L_TYPE_HARD)
        walk_object(w, link.addr);
    ts_link_deinit(&link);
}

static void follow_shared(struct walk *w, const uint8_t *bytes, size_t n)
{
    struct ts_shared_ref ref;
    if (ts_shared_ref_decode(bytes, n, w->O, w->L, &ref) == 0 && !ref.in_heap)
        walk_object(w, ref.addr);
}

static void follow_attr(struct walk *w, const uint8_t *bytes, size_t n)
{
    struct ts_attr_msg msg;
    if (ts_attr_msg_decode(bytes, n, &msg) < 0)
        return;
    if (msg.type_shared)
        follow_shared(w, msg.type, msg.type_size);
    if (msg.space_shared)
        follow_shared(w, msg.space, msg.space_size);
}

static void walk_free_space(struct walk *w, haddr_t addr)
{
    struct piece p;
    struct ts_free_space fs;
    if (!first_time(w, addr) || !check_at(w, "free space manager", recode_free_space,
                                          (struct span){addr, ts_free_space_size(w->O, w->L)}, NULL, &p))
        return;
    struct sections_site at = {.header = &fs, .addr = addr};
    if (ts_free_space_decode(p.bytes, p.n, w->O, w->L, &fs) == 0 && fs.list != HADDR_UNDEF && fs.serialized > 0)
        check_at(w, fs.client ? "free space sections of a file" : "free space sections of a heap", recode_sections,
                 (struct span){fs.list, fs.list_used}, &at, NULL);
    unload(&p);
}

struct tree {
    struct ts_btree2_shape shape;
    const struct ts_fheap_header *heap_header; /* that the records lead to, and the open heap; may be NULL */
    struct ts_fheap *heap;
};

static void check_heap_object(struct walk *w, const struct tree *t, const uint8_t *id, size_t id_size, unsigned msg)
{
    struct ts_wr object = {0};
    struct piece p = {.bytes = id, .n = id_size, .at = t->shape.header.root};
    if (!t->heap)
        return;
    check(w, "fractal heap id", recode_fheap_id, &p, t->heap_header);
    if (ts_fheap_read(t->heap, id, id_size, &object) < 0) {
        wrong(w, "fractal heap object", p.at, "cannot be read, id bytes:", id_size);
    } else {
        struct piece body = {.bytes = object.data, .n = object.size, .at = p.at};
        check(w, msg == TS_MSG_LINK ? "dense link" : "dense attribute", messages[msg].recode, &body, NULL);
        if (msg == TS_MSG_LINK)
            follow_link(w, object.data, object.size);
        else
            follow_attr(w, object.data, object.size);
    }
    ts_wr_free(&object);
}

static void check_record(struct walk *w, const struct tree *t, const uint8_t *record)
{
    enum { LINK_ID = 7, ATTR_ID = 8 };
    struct piece p = {.bytes = record, .n = t->shape.header.record_size, .at = t->shape.header.root};
    switch (t->shape.header.type) {
    case TS_BTREE2_HUGE_INDIRECT:
    case TS_BTREE2_HUGE_INDIRECT_FILTERED:
        check(w, "huge object record", recode_huge_record, &p, t->heap_header);
        break;
    case TS_BTREE2_LINK_NAME:
        check_heap_object(w, t, record + 4, LINK_ID, TS_MSG_LINK);
        break;
    case TS_BTREE2_SHARED_MESSAGE:
        check(w, "shared message record", recode_sohm_record, &p, NULL);
        break;
    case TS_BTREE2_ATTR_NAME:
        if (!(record[ATTR_ID] & TS_MSG_FLAG_SHARED))
            check_heap_object(w, t, record, ATTR_ID, TS_MSG_ATTR);
        break;
    default:
        break;
    }
}

static void walk_btree2_node(struct walk *w, const struct tree *t, unsigned level, const struct ts_btree2_child *self)
{
    const struct ts_btree2_header *h = &t->shape.header;
    struct btree2_site at = {.shape = &t->shape, .level = level, .self = *self};
    struct piece p;
    if (!first_time(w, self->addr) || !load(w, "B-tree v2 node", self->addr, h->node_size, &p))
        return;
    check(w, level ? "B-tree v2 internal node" : "B-tree v2 leaf", recode_btree2_node, &p, &at);
    for (uint64_t i = 0; i < self->records; i++)
        check_record(w, t, p.bytes + TS_BTREE2_NODE_PREFIX + i * h->record_size);
    struct ts_btree2_child *children = calloc((size_t)self->records + 1, sizeof *children);
    if (level > 0 && ts_btree2_node_decode(&t->shape, level, self, p.bytes, children) == 0)
        for (uint64_t i = 0; i <= self->records; i++)
            walk_btree2_node(w, t, level - 1, &children[i]);
    free(children);
    unload(&p);
}

static void walk_btree2(struct walk *w, haddr_t addr, const struct ts_fheap_header *heap_header, struct ts_fheap *heap)
{
    struct piece p;
    struct tree t = {.heap_header = heap_header, .heap = heap};
    if (!first_time(w, addr) || !check_at(w, "B-tree v2 header", recode_btree2_header,
                                          (struct span){addr, ts_btree2_header_size(w->O, w->L)}, NULL, &p))
        return;
    if (ts_btree2_header_decode(p.bytes, p.n, w->O, w->L, &t.shape) == 0) {
        const struct ts_btree2_header *h = &t.shape.header;
        struct ts_btree2_child root = {.addr = h->root, .records = h->root_records, .total = h->records};
        if (h->root != HADDR_UNDEF)
            walk_btree2_node(w, &t, h->depth, &root);
    }
    unload(&p);
}

static void walk_direct(struct walk *w, haddr_t addr, uint64_t size, const struct fheap_site *at)
{
    struct piece p;
    size_t prefix = ts_fheap_direct_prefix(at->header);
    if (!check_at(w, "fractal heap direct block", recode_fheap_direct, (struct span){addr, size}, at, &p))
        return;
    not_compared(w, HEAP_OBJECTS, p.bytes + prefix, p.n - prefix);
    unload(&p);
}

static void walk_indirect(struct walk *w, haddr_t addr, const struct fheap_site *at);

static void walk_child(struct walk *w, const struct ts_fheap_child *child, const struct fheap_site *parent,
                       unsigned row, unsigned col)
{
    const struct ts_fheap_header *h = parent->header;
    uint64_t size = ts_fheap_row_block(h, row);
    struct fheap_site at = {.header = h,
                            .place = {.header = parent->place.header,
                                      .offset = parent->place.offset + ts_fheap_row_start(h, row) + col * size,
                                      .rows = row < h->direct_rows ? 0 : ts_fheap_rows_for(h, size)}};
    if (child->addr == HADDR_UNDEF)
        return;
    if (row >= h->direct_rows)
        walk_indirect(w, child->addr, &at);
    else if (h->filter_size == 0)
        walk_direct(w, child->addr, size, &at);
}

static void walk_indirect(struct walk *w, haddr_t addr, const struct fheap_site *at)
{
    const struct ts_fheap_header *h = at->header;
    struct piece p;
    if (!check_at(w, "fractal heap indirect block", recode_fheap_indirect,
                  (struct span){addr, ts_fheap_indirect_size(h, at->place.rows)}, at, &p))
        return;
    struct ts_fheap_child *children = calloc((size_t)at->place.rows * h->width, sizeof *children);
    if (ts_fheap_indirect_decode(h, &at->place, p.bytes, children) == 0)
        for (unsigned row = 0; row < at->place.rows; row++)
            for (unsigned col = 0; col < h->width; col++)
                walk_child(w, &children[row * h->width + col], at, row, col);
    free(children);
    unload(&p);
}

/* A heap, and the index whose records lead to its objects. */
static void walk_fheap(struct walk *w, haddr_t addr, haddr_t index)
{
    struct piece p;
    uint8_t head[9];
    struct ts_fheap_header h;
    struct ts_fheap *heap = NULL;
    if (!first_time(w, addr))
        return;
    if (ts_file_read(w->f, addr, sizeof head, head) < 0 ||
        !check_at(w, "fractal heap header", recode_fheap_header,
                  (struct span){addr, ts_fheap_header_size(head, w->O, w->L)}, NULL, &p))
        return;
    if (ts_fheap_header_decode(p.bytes, p.n, w->O, w->L, &h) == 0) {
        struct fheap_site at = {.header = &h, .place = {.header = addr, .rows = h.rows}};
        if (h.root != HADDR_UNDEF && h.rows > 0)
            walk_indirect(w, h.root, &at);
        else if (h.root != HADDR_UNDEF && h.filter_size == 0)
            walk_direct(w, h.root, h.start_block, &at);
        walk_free_space(w, h.free_space);
        walk_btree2(w, h.huge_btree, &h, NULL);
        if (index != HADDR_UNDEF && ts_fheap_open(w->f, addr, &heap) == 0)
            walk_btree2(w, index, &h, heap);
        ts_fheap_close(heap);
    }
    unload(&p);
}

static void walk_farray(struct walk *w, haddr_t addr)
{
    struct piece p, block;
    struct ts_farray_header h;
    uint64_t size;
    if (!first_time(w, addr) || !check_at(w, "fixed array header", recode_farray_header,
                                          (struct span){addr, ts_farray_header_size(w->O, w->L)}, NULL, &p))
        return;
    int status = ts_farray_header_decode(p.bytes, p.n, w->O, w->L, &h);
    unload(&p);
    struct farray_site at = {.header = &h, .addr = addr};
    if (status < 0 || h.data == HADDR_UNDEF || !ts_farray_block_size(&h, w->O, &size) ||
        !check_at(w, h.paged ? "fixed array block, paged" : "fixed array block", recode_farray_block,
                  (struct span){h.data, size}, &at, &block))
        return;
    const uint8_t *bitmap = block.bytes + ts_farray_block_prefix(w->O);
    for (uint64_t i = 0; i < h.pages; i++) {
        uint64_t first = i * h.page_elements, full = h.page_elements * h.element_size + 4;
        uint64_t n = h.count - first < h.page_elements ? h.count - first : h.page_elements;
        if (ts_array_page_written(bitmap, i))
            check_at(w, "fixed array page", recode_page,
                     (struct span){h.data + size + i * full, n * h.element_size + 4}, NULL, NULL);
    }
    unload(&block);
}

static haddr_t addr_in(struct walk *w, const uint8_t *addrs, uint64_t i)
{
    struct ts_rd r = ts_rd_init(addrs + i * w->O, w->O);
    return ts_rd_addr(&r, w->O);
}

static void walk_earray_data(struct walk *w, const struct earray_site *at, haddr_t addr,
                             const struct ts_earray_group *g, const uint8_t *bitmap, uint64_t first_page)
{
    uint64_t size, page = ((uint64_t)1 << at->header->page_bits) * at->header->element_size + 4;
    if (addr == HADDR_UNDEF || !ts_earray_block_size(at->header, at->kind, g, &size) ||
        !check_at(w, "extensible array data block", recode_earray_block, (struct span){addr, size}, at, NULL))
        return;
    for (uint64_t i = 0; i < g->pages; i++)
        if (ts_array_page_written(bitmap, first_page + i))
            check_at(w, "extensible array page", recode_page, (struct span){addr + size + i * page, page}, NULL, NULL);
}

static void walk_earray_group(struct walk *w, const struct ts_earray_header *h, haddr_t header, unsigned s,
                              const uint8_t *pointers)
{
    struct ts_earray_group g = ts_earray_group(h, s);
    struct piece p = {0};
    const uint8_t *bitmap = NULL, *blocks = pointers + ts_earray_blocks_before(s) * w->O;
    uint64_t size;
    bool below_index = s < h->index_groups;
    if (!below_index) {
        haddr_t addr = addr_in(w, pointers, h->index_blocks + s - h->index_groups);
        struct earray_site at = {
            .header = h, .kind = TS_EARRAY_SECONDARY, .place = {.header = header, .first = g.first, .also = g.first}};
        if (addr == HADDR_UNDEF || !ts_earray_block_size(h, at.kind, &g, &size) ||
            !check_at(w, "extensible array secondary block", recode_earray_block, (struct span){addr, size}, &at, &p))
            return;
        bitmap = p.bytes + ts_earray_block_prefix(h, at.kind);
        blocks = bitmap + g.bitmap_size;
    }
    for (uint64_t i = 0; i < g.blocks; i++) {
        uint64_t first = g.first + i * g.elements;
        struct earray_site at = {.header = h, .kind = TS_EARRAY_DATA};
        at.place = (struct ts_earray_place){.header = header, .first = first, .also = first};
        if (below_index)
            at.place.also += ts_earray_blocks_before(s) * g.elements;
        walk_earray_data(w, &at, addr_in(w, blocks, i), &g, bitmap, i * g.pages);
    }
    unload(&p);
}

static void walk_earray(struct walk *w, haddr_t addr)
{
    struct piece p, index;
    struct ts_earray_header h;
    uint64_t size;
    if (!first_time(w, addr) || !check_at(w, "extensible array header", recode_earray_header,
                                          (struct span){addr, ts_earray_header_size(w->O, w->L)}, NULL, &p))
        return;
    int status = ts_earray_header_decode(p.bytes, p.n, w->O, w->L, &h);
    unload(&p);
    struct earray_site at = {.header = &h, .kind = TS_EARRAY_INDEX, .place = {.header = addr}};
    if (status < 0 || h.index_block == HADDR_UNDEF || !ts_earray_block_size(&h, TS_EARRAY_INDEX, NULL, &size) ||
        !check_at(w, "extensible array index block", recode_earray_block, (struct span){h.index_block, size}, &at,
                  &index))
        return;
    const uint8_t *pointers =
        index.bytes + ts_earray_block_prefix(&h, TS_EARRAY_INDEX) + (size_t)h.index_elements * h.element_size;
    for (unsigned s = 0; s < h.groups; s++)
        walk_earray_group(w, &h, addr, s, pointers);
    unload(&index);
}

static void walk_sohm(struct walk *w, const struct ts_sohm_msg *msg)
{
    struct piece p;
    struct ts_sohm_table t;
    if (!first_time(w, msg->table) ||
        !check_at(w, "shared message table", recode_sohm_table,
                  (struct span){msg->table, ts_sohm_table_size(msg->n_indexes, w->O)}, &msg->n_indexes, &p))
        return;
    if (ts_sohm_table_decode(p.bytes, msg->n_indexes, w->O, &t) == 0)
        for (unsigned i = 0; i < t.n; i++) {
            const struct ts_sohm_index *x = &t.index[i];
            struct piece list;
            if (x->kind == TS_SOHM_BTREE)
                walk_btree2(w, x->index, NULL, NULL);
            else if (x->index != HADDR_UNDEF &&
                     load(w, "shared message list", x->index, ts_sohm_list_size(x->list_max, w->O), &list)) {
                check(w, "shared message list", recode_sohm_list, &list, x);
                unload(&list);
            }
            walk_fheap(w, x->heap, HADDR_UNDEF);
        }
    unload(&p);
}

static void follow_layout(struct walk *w, const uint8_t *body, size_t n)
{
    struct ts_layout layout;
    if (ts_layout_decode(body, n, w->O, w->L, &layout) < 0)
        return;
    if (layout.cls == H5D_CHUNKED && layout.addr != HADDR_UNDEF) {
        if (layout.chunk.index == TS_CHUNK_INDEX_BTREE1)
            walk_btree1(w, layout.addr, layout.chunk.rank);
        else if (layout.chunk.index == TS_CHUNK_INDEX_FIXED_ARRAY)
            walk_farray(w, layout.addr);
        else if (layout.chunk.index == TS_CHUNK_INDEX_EXT_ARRAY)
            walk_earray(w, layout.addr);
        else if (layout.chunk.index == TS_CHUNK_INDEX_BTREE2)
            walk_btree2(w, layout.addr, NULL, NULL);
    }
    ts_layout_deinit(&layout);
}

static void follow_efl(struct walk *w, const uint8_t *body, size_t n)
{
    struct ts_efl_msg msg;
    if (ts_efl_decode(body, n, w->O, w->L, &msg) < 0)
        return;
    walk_lheap(w, msg.heap);
    ts_free(msg.slots);
}

static void follow_message(struct walk *w, const struct ts_ohdr_msg *m)
{
    struct ts_link_info links;
    struct ts_attr_info attrs;
    struct ts_symbol_table table;
    struct ts_sohm_msg sohm;
    struct ts_file_space space;
    if (m->flags & TS_MSG_FLAG_SHARED)
        follow_shared(w, m->body, m->size);
    else if (m->type == TS_MSG_LINK)
        follow_link(w, m->body, m->size);
    else if (m->type == TS_MSG_ATTR)
        follow_attr(w, m->body, m->size);
    else if (m->type == TS_MSG_LAYOUT)
        follow_layout(w, m->body, m->size);
    else if (m->type == TS_MSG_EFL)
        follow_efl(w, m->body, m->size);
    else if (m->type == TS_MSG_LINK_INFO && ts_link_info_decode(m->body, m->size, w->O, &links) == 0) {
        walk_fheap(w, links.heap, links.name_index);
        walk_btree2(w, links.corder_index, NULL, NULL);
    } else if (m->type == TS_MSG_ATTR_INFO && ts_attr_info_decode(m->body, m->size, w->O, &attrs) == 0) {
        walk_fheap(w, attrs.heap, attrs.name_index);
        walk_btree2(w, attrs.corder_index, NULL, NULL);
    } else if (m->type == TS_MSG_SYMBOL_TABLE && ts_symbol_table_decode(m->body, m->size, w->O, &table) == 0) {
        walk_btree1(w, table.btree, 0);
        walk_lheap(w, table.heap);
    } else if (m->type == TS_MSG_SOHM_TABLE && ts_sohm_msg_decode(m->body, m->size, w->O, &sohm) == 0)
        walk_sohm(w, &sohm);
    else if (m->type == TS_MSG_FILE_SPACE && ts_file_space_decode(m->body, m->size, w->O, w->L, &space) == 0)
        for (unsigned i = 0; i < TS_FSPACE_MANAGERS; i++)
            walk_free_space(w, space.managers[i]);
}

/* A body that another header or the heap of shared messages holds. */
static void check_shared_body(struct walk *w, const struct ts_ohdr *oh, const struct ts_ohdr_msg *m)
{
    struct ts_msg_body body;
    if (ts_msg_load(w->f, m->type, true, m->body, m->size, &body) < 0) {
        wrong(w, "shared message", oh->addr, "cannot be read, type", m->type);
        return;
    }
    /* In another header there may be padding behind it; that header is checked by itself. */
    struct piece p = {.bytes = body.data, .n = body.size, .at = oh->addr};
    if (body.committed == HADDR_UNDEF)
        check(w, "shared message in the heap", messages[m->type].recode, &p, NULL);
    ts_msg_body_deinit(&body);
}

/* The body to put into the block: encoded anew. */
static uint8_t *new_body(struct walk *w, const struct ts_ohdr *oh, const struct ts_ohdr_msg *m)
{
    struct ts_wr out = {0};
    uint8_t *body = ts_malloc(m->size + 1);
    bool shared = m->flags & TS_MSG_FLAG_SHARED, known = m->type < TS_MSG_KNOWN_END && messages[m->type].recode;
    struct piece p = {.bytes = m->body, .n = m->size, .at = oh->addr};
    /* In a NIL message there may be what was there before it. */
    memcpy(body, m->body, m->size);
    const char *kind = shared ? "message: shared" : known ? messages[m->type].name : NULL;
    /* Versions 1 and 2 of layouts are not written. */
    if (known && !shared && m->type == TS_MSG_LAYOUT && m->size > 0 && m->body[0] < 3)
        kind = NULL;
    if (kind && recoded(w, kind, shared ? recode_shared : messages[m->type].recode, &p, NULL, &out) && !w->by_hand) {
        /* Padding, which is what a version 1 header has behind a body, is zeros. */
        if (oh->prefix.version == 1 && out.size < m->size && m->size - out.size < 8)
            ts_wr_zeros(&out, m->size - out.size);
        compare(w, kind, &p, &out);
        memcpy(body, out.data, out.size < m->size ? out.size : m->size);
    }
    ts_wr_free(&out);
    if (shared && known)
        check_shared_body(w, oh, m);
    return body;
}

static void check_block(struct walk *w, const struct ts_ohdr *oh, unsigned chunk)
{
    const struct ts_ohdr_chunk *c = &oh->chunks[chunk];
    struct ts_raw_msg *msgs = calloc(oh->n_msgs + 1, sizeof *msgs);
    struct ts_ohdr_block block = {.prefix = &oh->prefix, .first = chunk == 0, .msgs = msgs};
    struct ts_wr out = {0};
    block.size = c->size - ts_ohdr_block_overhead(&oh->prefix, block.first);
    for (size_t i = 0; i < oh->n_msgs; i++) {
        const struct ts_ohdr_msg *m = &oh->msgs[i];
        if (m->chunk == chunk)
            msgs[block.n++] = (struct ts_raw_msg){.type = m->type,
                                                  .flags = m->flags,
                                                  .creation_index = m->creation_index,
                                                  .body = new_body(w, oh, m),
                                                  .size = m->size};
    }
    struct piece p = {.bytes = c->buf, .n = c->size, .at = c->addr};
    static const char *const kinds[2][2] = {{"object header v1 continuation", "object header v1 first block"},
                                            {"object header v2 continuation", "object header v2 first block"}};
    const char *kind = kinds[oh->prefix.version == 2][block.first];
    count(kind, c->size);
    if (ts_ohdr_block_encode(&block, &out) < 0)
        wrong(w, kind, c->addr, "does not encode, messages:", block.n);
    else if (!w->by_hand)
        compare(w, kind, &p, &out);
    if (block.first && oh->prefix.prefix_size != ts_ohdr_prefix_size(oh->prefix.version, oh->prefix.flags))
        wrong(w, kind, c->addr, "a prefix of another size:", oh->prefix.prefix_size);
    for (size_t i = 0; i < block.n; i++)
        ts_free((void *)(uintptr_t)msgs[i].body);
    free(msgs);
    ts_wr_free(&out);
}

static void walk_object(struct walk *w, haddr_t addr)
{
    struct ts_ohdr *oh;
    if (!first_time(w, addr))
        return;
    if (ts_ohdr_open(w->f, addr, &oh) < 0) {
        if (!w->by_hand)
            wrong(w, "object header", addr, "does not open", 0);
        ts_err_clear();
        return;
    }
    for (unsigned i = 0; i < oh->n_chunks; i++)
        check_block(w, oh, i);
    for (size_t i = 0; i < oh->n_msgs; i++)
        follow_message(w, &oh->msgs[i]);
    ts_ohdr_close(oh);
}

/* Global heap collections are found by their signature, since only data leads to them. */
static bool is_collection(struct walk *w, const uint8_t *bytes, size_t left, size_t *size)
{
    uint64_t stated;
    struct ts_gheap_object o;
    if (left < ts_gheap_header_size(w->L) || memcmp(bytes, "GCOL", 4) != 0 ||
        ts_gheap_header_decode(bytes, left, w->L, &stated) < 0 || stated > left)
        return false;
    *size = (size_t)stated;
    size_t pos = ts_gheap_header_size(w->L);
    int more;
    while ((more = ts_gheap_object_next(bytes, *size, w->L, &pos, &o)) > 0)
        continue;
    return more == 0;
}

static void scan_collections(struct walk *w)
{
    size_t n = (size_t)w->f->end, size;
    uint8_t *all;
    if (n == 0 || ts_meta_read_block(w->f, 0, n, &all) < 0) {
        ts_err_clear();
        return;
    }
    for (size_t at = 0; at + 16 < n; at++) {
        const uint8_t *sign = memchr(all + at, 'G', n - at);
        if (!sign)
            break;
        at = (size_t)(sign - all);
        if (is_collection(w, sign, n - at, &size)) {
            struct piece p = {.bytes = sign, .n = size, .at = at};
            check(w, "global heap collection", recode_gheap, &p, NULL);
        }
        ts_err_clear();
    }
    ts_free(all);
}

static void walk_superblock(struct walk *w)
{
    static const char *const kinds[] = {"superblock v0", "superblock v1", "superblock v2", "superblock v3"};
    struct ts_superblock *sb = &w->f->sb;
    check_at(w, kinds[sb->version], recode_superblock, (struct span){0, ts_superblock_size(sb->version, w->O, w->L)},
             NULL, NULL);
    struct piece p;
    if (sb->driver_info != HADDR_UNDEF && load(w, "driver info block", sb->driver_info, 16, &p)) {
        uint64_t info = p.bytes[4] | (uint64_t)p.bytes[5] << 8;
        unload(&p);
        check_at(w, "driver info block", recode_driver_info, (struct span){sb->driver_info, 16 + info}, NULL, NULL);
    }
}

/* Not what the encoders must write again. VAX floats in datatypes before version 3: their byte order has a bit that
 * only version 3 knows, so what is read, also by libhdf5, is big-endian. */
static bool is_odd(const char *name)
{
    return strncmp(name, "hand_", 5) == 0 || strcmp(name, "type_float_vax32_old.h5") == 0 ||
           strcmp(name, "type_float_vax64_old.h5") == 0;
}

static void walk_file(const char *name)
{
    struct ts_fhandle *fh;
    struct walk w = {.name = name, .by_hand = is_odd(name)};
    if (corpus_open(name, &fh) < 0) {
        if (!w.by_hand)
            wrong(&w, "file", 0, "does not open", 0);
        ts_err_clear();
        return;
    }
    w.f = fh->file;
    w.O = ts_file_addr_size(w.f);
    w.L = ts_file_len_size(w.f);
    totals.files++;
    walk_superblock(&w);
    if (w.f->sb.extension != HADDR_UNDEF)
        walk_object(&w, w.f->sb.extension);
    walk_object(&w, w.f->sb.root);
    scan_collections(&w);
    ts_map_deinit(&w.seen);
    ts_fhandle_unref(fh);
}

/* Large files repeat what smaller ones have. */
static bool is_wanted(const char *dir, const char *name, const char *driver)
{
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return strncmp(name, "bad_", 4) != 0 && strcmp(driver, "sec2") == 0 && stat(path, &st) == 0 && st.st_size < 1500000;
}

static void report(void)
{
    for (unsigned i = 0; i < totals.n_kinds; i++)
        print_message("%8lu %10lu bytes  %s\n", totals.kinds[i].count, totals.kinds[i].bytes, totals.kinds[i].kind);
    for (unsigned i = 1; i < MASKS; i++)
        print_message("%10lu bytes not compared, %lu of them not zero: %s\n", totals.bytes[i], totals.not_zero[i],
                      mask_names[i]);
    print_message("%u files, %lu bytes compared, %u failures\n", totals.files, totals.bytes[NONE], totals.failures);
}

static unsigned long seen(const char *kind)
{
    for (unsigned i = 0; i < totals.n_kinds; i++)
        if (strcmp(totals.kinds[i].kind, kind) == 0)
            return totals.kinds[i].count;
    return 0;
}

/* A corpus without one of these proves less than it should. */
static void everything_was_there(void)
{
    static const char *const kinds[] = {"superblock v0",
                                        "superblock v1",
                                        "superblock v2",
                                        "superblock v3",
                                        "object header v1 first block",
                                        "object header v1 continuation",
                                        "object header v2 first block",
                                        "object header v2 continuation",
                                        "message: shared",
                                        "driver info block",
                                        "symbol table node",
                                        "local heap",
                                        "local heap free block",
                                        "global heap collection",
                                        "fractal heap header",
                                        "fractal heap direct block",
                                        "fractal heap indirect block",
                                        "fractal heap id",
                                        "huge object record",
                                        "B-tree v1 node of a group",
                                        "B-tree v1 node of chunks",
                                        "B-tree v2 header",
                                        "B-tree v2 internal node",
                                        "B-tree v2 leaf",
                                        "fixed array header",
                                        "fixed array block",
                                        "fixed array block, paged",
                                        "fixed array page",
                                        "extensible array header",
                                        "extensible array index block",
                                        "extensible array secondary block",
                                        "extensible array data block",
                                        "extensible array page",
                                        "free space manager",
                                        "free space sections of a heap",
                                        "free space sections of a file",
                                        "shared message table",
                                        "shared message list",
                                        "shared message record",
                                        "dense link",
                                        "dense attribute"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (seen(kinds[i]) == 0)
            fail_msg("no %s in the corpus", kinds[i]);
    for (unsigned i = 0; i < TS_MSG_KNOWN_END; i++)
        if (messages[i].name && seen(messages[i].name) == 0)
            fail_msg("no %s in the corpus", messages[i].name);
}

static void test_corpus(void **state)
{
    (void)state;
    char path[4096], line[1024], name[512], driver[256];
    const char *dir = getenv("TESSERA_CORPUS");
    snprintf(path, sizeof path, "%s/manifest.txt", dir ? dir : ".");
    FILE *list = fopen(path, "r");
    if (!list)
        skip();
    while (fgets(line, sizeof line, list))
        if (sscanf(line, "%511s %255s", name, driver) == 2 && is_wanted(dir ? dir : ".", name, driver))
            walk_file(name);
    fclose(list);
    report();
    assert_int_equal(totals.failures, 0);
    assert_true(totals.files >= 150);
    everything_was_there();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
