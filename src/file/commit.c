#include "file/commit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "file/internal.h"
#include "file/journal.h"
#include "file/mutation.h"
#include "file/overlay.h"

enum { SECTOR = 512, MAX_STRIDE = 4 << 20 };

static const uint8_t zeros[16384];

#ifdef TS_MUTATIONS
unsigned ts_mutations;
#endif

/* One commit on its way. Vectors are absolute; those in place are in the order of the blocks, the superblock last. */
struct commit {
    struct ts_file *f;
    struct ts_io_out *fresh, *in_place;
    size_t n_fresh, n_in_place;
    struct ts_blocks extra; /* what the blocks do not have: a cache image's, driver information */
    struct ts_blocks superblock;
    struct ts_superblock stored; /* what is on file; its flags may change meanwhile, when raw data marks it */
    struct ts_superblock sb;
    bool sb_changed;
    haddr_t journal; /* absolute */
    size_t to_wipe;  /* its size, when nothing but zeros is between it and the end; else 0 */
};

/* Of the superblock on file: there is none yet. */
static bool is_new(const struct ts_superblock *stored)
{
    return stored->addr_size == 0;
}

static int same_superblock(const struct ts_superblock *a, const struct ts_superblock *b)
{
    struct ts_wr x = {0}, y = {0};
    int same = -1;
    if (ts_superblock_encode(a, &x) == 0 && ts_superblock_encode(b, &y) == 0)
        same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    ts_wr_free(&x);
    ts_wr_free(&y);
    return same;
}

static int put_superblock(struct ts_file *f, const struct ts_superblock *sb)
{
    struct ts_wr w = {0};
    int status = ts_superblock_encode(sb, &w);
    struct ts_io_out v = {.addr = f->sb.base, .size = w.size, .buf = w.data};
    if (status == 0)
        status = ts_file_put(f, &v, 1);
    ts_wr_free(&w);
    return status;
}

/* What the superblock says while the file is open. What a dead SWMR writer left there goes before a plain one writes: its
 * readers do without a journal. */
static uint32_t open_flags(const struct ts_file *f, uint32_t flags)
{
    flags &= ~(uint32_t)TS_FLAGS_OPEN;
    if (f->swmr != TS_SWMR_WRITER)
        return flags | TS_FLAG_WRITING;
    return flags | TS_FLAG_WRITING | TS_FLAG_SWMR_WRITING | (f->life ? TS_FLAG_LIFE : 0);
}

/* The superblock is in one sector, so this write is whole or is not there. */
static int mark(struct ts_file *f)
{
    if (f->marked)
        return 0;
    struct ts_superblock sb = f->stored;
    sb.flags = open_flags(f, sb.flags);
    if (!is_new(&f->stored) && sb.version >= 3 && sb.flags != f->stored.flags) {
        if (put_superblock(f, &sb) < 0)
            return -1;
        f->stored = sb;
    }
    f->marked = true;
    return 0;
}

int ts_file_mark(struct ts_file *f)
{
    if (f->marked)
        return 0;
    ts_mutex_lock(&f->mark_lock);
    int status = mark(f);
    ts_mutex_unlock(&f->mark_lock);
    return status;
}

static int by_address(const void *a, const void *b)
{
    const struct ts_io_out *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* What a cache image has for addresses that no block has: the image goes with this commit. */
static int add_overlay(struct commit *c, const struct ts_blocks *blocks)
{
    struct ts_blocks all = {0};
    struct ts_io_out *known = NULL;
    int status = c->f->overlay ? ts_overlay_blocks(c->f->overlay, &all) : 0;
    if (status == 0 && all.n > 0 && !(known = ts_malloc((blocks->n + 1) * sizeof *known)))
        status = -1;
    for (size_t i = 0; known && i < blocks->n; i++)
        known[i].addr = blocks->items[i].addr;
    if (known)
        qsort(known, blocks->n, sizeof *known, by_address);
    for (size_t i = 0; known && i < all.n && status == 0; i++) {
        struct ts_io_out key = {.addr = all.items[i].addr};
        if (bsearch(&key, known, blocks->n, sizeof *known, by_address))
            continue;
        ts_wr_bytes(ts_blocks_begin(&c->extra), ts_block_bytes(&all, i), all.items[i].size);
        status = ts_blocks_end(&c->extra, all.items[i].addr);
    }
    ts_free(known);
    ts_blocks_deinit(&all);
    return status;
}

/* The lengths of the driver's members, which it says in the file; in newer files a message does it. */
static int add_driver_info(struct commit *c)
{
    struct ts_file *f = c->f;
    const struct ts_driver_writing *w = f->driver->cls->writing;
    char name[9] = "";
    struct ts_wr info = {0};
    if (f->sb.driver_info == HADDR_UNDEF || !w->info)
        return 0;
    int status = w->info(f->driver, name, &info);
    struct ts_driver_info block = {.info = info.data, .size = info.size};
    memcpy(block.name, name, sizeof block.name);
    if (status == 0)
        status = ts_driver_info_encode(&block, ts_blocks_begin(&c->extra));
    if (status == 0)
        status = ts_blocks_end(&c->extra, f->sb.driver_info);
    ts_wr_free(&info);
    return status;
}

static struct ts_superblock stored_now(struct ts_file *f)
{
    ts_mutex_lock(&f->mark_lock);
    struct ts_superblock stored = f->stored;
    ts_mutex_unlock(&f->mark_lock);
    return stored;
}

static int add_superblock(struct commit *c)
{
    struct ts_file *f = c->f;
    c->stored = stored_now(f);
    c->sb = f->sb;
    c->sb.end = f->sb.base + ts_alloc_end_after(f);
    if (c->sb.version >= 3)
        c->sb.flags = f->closing ? c->sb.flags & ~(uint32_t)TS_FLAGS_OPEN : open_flags(f, c->sb.flags);
    int same = is_new(&c->stored) ? 0 : same_superblock(&c->sb, &c->stored);
    if (same < 0)
        return -1;
    c->sb_changed = !same;
    if (same)
        return 0;
    if (ts_superblock_encode(&c->sb, ts_blocks_begin(&c->superblock)) < 0)
        return -1;
    return ts_blocks_end(&c->superblock, 0);
}

static void sort_out(struct commit *c, const struct ts_blocks *blocks)
{
    const struct ts_file *f = c->f;
    for (size_t i = 0; i < blocks->n; i++) {
        haddr_t addr = blocks->items[i].addr;
        /* The superblock's place was never allocated, not even in a new file. */
        bool fresh = addr != 0 && ts_file_fresh(f, addr);
        struct ts_io_out *v = fresh ? &c->fresh[c->n_fresh++] : &c->in_place[c->n_in_place++];
        *v = (struct ts_io_out){.addr = f->sb.base + addr, .size = blocks->items[i].size, .buf = ts_block_bytes(blocks, i)};
    }
}

static int prepare(struct commit *c, const struct ts_blocks *blocks)
{
    struct ts_file *f = c->f;
    /* The mark comes before the comparison with what is stored: the commit that closes the file must take it away. */
    if (blocks->n > 0 && ts_file_mark(f) < 0)
        return -1;
    if (add_superblock(c) < 0)
        return -1;
    if (blocks->n == 0 && !c->sb_changed && !f->reparted)
        return 0;
    if (f->driver->cls->writing->region && ts_alloc_cut_regions(f) < 0)
        return -1;
    if (add_overlay(c, blocks) < 0 || add_driver_info(c) < 0)
        return -1;
    size_t n = blocks->n + c->extra.n + c->superblock.n;
    c->fresh = ts_malloc(n * sizeof *c->fresh);
    c->in_place = ts_malloc(n * sizeof *c->in_place);
    if (!c->fresh || !c->in_place)
        return -1;
    sort_out(c, blocks);
    sort_out(c, &c->extra);
    sort_out(c, &c->superblock);
    qsort(c->fresh, c->n_fresh, sizeof *c->fresh, by_address);
    return 0;
}

/* One write inside one sector is whole or is not there: it needs no journal. */
static bool needs_journal(const struct commit *c)
{
    if (!c->f->driver->cls->crash_safe || is_new(&c->stored) || ts_mutation(TS_MUTATION_NO_JOURNAL))
        return false;
    if (c->n_in_place != 1)
        return c->n_in_place > 1;
    const struct ts_io_out *v = c->in_place;
    return v->addr / SECTOR != (v->addr + v->size - 1) / SECTOR;
}

static haddr_t max_addr(haddr_t a, haddr_t b)
{
    return a > b ? a : b;
}

/* Where the driver's bytes end. */
static haddr_t last_byte(const struct ts_file *f)
{
    return max_addr(f->physical, f->wiped);
}

/* A file that grows all the time is cut only when it is closed: cutting costs more than anything else in a small commit,
 * and takes what the driver has reserved for more data. */
static bool may_wipe(const struct commit *c, haddr_t size)
{
    const struct ts_file *f = c->f;
    return f->swmr == TS_SWMR_WRITER && !f->closing && f->sb.base + f->end == c->sb.end && f->physical <= c->sb.end &&
           size <= sizeof zeros;
}

/* A sixteenth of the file at most, a page at least. */
static haddr_t stride(haddr_t file)
{
    haddr_t step = 4096;
    while (step < MAX_STRIDE && step <= file / 32)
        step *= 2;
    return step;
}

/* Behind everything, and up to the last byte: only there is it found. One that will be wiped lies some way ahead, so that
 * several of them use one place, and data that is written later finds its pages untouched. */
static haddr_t journal_place(const struct commit *c, haddr_t size)
{
    haddr_t from = max_addr(c->f->physical, c->f->sb.base + c->f->end), last = last_byte(c->f);
    if (last >= from + size)
        return last - size;
    if (!may_wipe(c, size))
        return from;
    haddr_t step = stride(from);
    return (from + size + step - 1) / step * step - size;
}

static int write_journal(struct commit *c)
{
    struct ts_file *f = c->f;
    struct ts_journal j = {.end_before = c->stored.end, .end_after = c->sb.end, .n = c->n_in_place, .blocks = c->in_place};
    haddr_t size = ts_journal_size(&j);
    j.start = c->journal = journal_place(c, size);
    c->to_wipe = may_wipe(c, size) ? (size_t)size : 0;
    struct ts_wr scratch = {0};
    struct ts_io_out *v = ts_malloc((j.n + 2) * sizeof *v);
    int status = v ? ts_journal_vectors(&j, &scratch, v) : -1;
    if (status == 0 && ts_file_put(f, v, j.n + 2) < 0) {
        status = -1;
        /* Half a journal is no harm, but the space is wanted back. */
        unsigned at = ts_err_mark();
        (void)ts_file_cut(f, j.start);
        ts_err_rewind(at);
    }
    ts_wr_free(&scratch);
    ts_free(v);
    return status;
}

static int put(struct ts_file *f, const struct ts_io_out *v, size_t n)
{
    return n == 0 ? 0 : ts_file_put(f, v, n);
}

/* Up to here nothing that was committed is touched; a failure leaves all as it was. */
static int write_ahead(struct commit *c, bool journal)
{
    struct ts_file *f = c->f;
    if (ts_file_mark(f) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_SUPERBLOCK_FIRST) && put_superblock(f, &c->sb) < 0)
        return -1;
    if (!ts_mutation(TS_MUTATION_IN_PLACE_FIRST) && put(f, c->fresh, c->n_fresh) < 0)
        return -1;
    if (journal)
        return write_journal(c);
    /* The file is never shorter than its superblock says. */
    if (!f->driver->cls->writing->region && f->physical < c->sb.end && ts_file_cut(f, c->sb.end) < 0)
        return -1;
    return ts_mutation(TS_MUTATION_END_FIRST) && c->sb.end > c->stored.end ? put_superblock(f, &c->sb) : 0;
}

/* Nothing but zeros is left behind the end. */
static int wipe_journal(struct commit *c)
{
    struct ts_file *f = c->f;
    struct ts_io_out v = {.addr = c->journal, .size = c->to_wipe, .buf = zeros};
    if (!ts_mutation(TS_MUTATION_NO_WIPE) && ts_file_put(f, &v, 1) < 0)
        return -1;
    f->wiped = last_byte(f);
    f->physical = c->sb.end;
    return 0;
}

/* The journal goes, and what else is behind the end. */
static int end_file(struct commit *c)
{
    struct ts_file *f = c->f;
    if (f->driver->cls->writing->region || last_byte(f) == c->sb.end)
        return 0;
    return c->to_wipe > 0 ? wipe_journal(c) : ts_file_cut(f, c->sb.end);
}

static int write_in_place(struct commit *c)
{
    struct ts_file *f = c->f;
    if (ts_mutation(TS_MUTATION_CUT_JOURNAL_FIRST) && end_file(c) < 0)
        return -1;
    if (put(f, c->in_place, c->n_in_place) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_IN_PLACE_FIRST) && put(f, c->fresh, c->n_fresh) < 0)
        return -1;
    if (end_file(c) < 0)
        return -1;
    return ts_driver_flush(f->driver);
}

static int carry_out(struct commit *c)
{
    struct ts_file *f = c->f;
    bool journal = needs_journal(c);
    if (write_ahead(c, journal) < 0)
        return TS_ERR(FILE, CANTFLUSH, "%s: cannot write new metadata; the file is as last flushed", f->name);
    if (write_in_place(c) < 0) {
        f->broken = true;
        return TS_ERR(FILE, CANTFLUSH, "%s: cannot write metadata; %s", f->name,
                      journal ? "the next open finishes it from the journal" : "close the file");
    }
    /* The rest of it is read by others without a lock, and has not changed. */
    f->sb.end = c->sb.end;
    f->sb.flags = c->sb.flags;
    f->stored = c->sb;
    f->marked = !f->closing;
    if (f->overlay) {
        f->past_overlay = f->overlay;
        f->overlay = NULL;
    }
    return 0;
}

/* What a writer that died left behind the end goes when the file is closed, though nothing was changed. */
static int cut_rest(struct ts_file *f)
{
    if (!f->closing || f->driver->cls->writing->region || last_byte(f) <= f->sb.end)
        return 0;
    return ts_file_cut(f, f->sb.end);
}

int ts_file_commit(struct ts_file *f, const struct ts_blocks *blocks)
{
    TS_FILE_HELD(f);
    struct commit c = {.f = f};
    if (f->broken)
        return TS_ERR(FILE, CANTFLUSH, "%s: an earlier flush failed half-way: nothing more is written", f->name);
    int status = prepare(&c, blocks);
    if (status == 0 && c.n_fresh + c.n_in_place > 0)
        status = carry_out(&c);
    else if (status == 0)
        status = cut_rest(f);
    /* Also when there was nothing to write: the file is as memory says. */
    if (status == 0)
        ts_alloc_committed(f);
    ts_free(c.fresh);
    ts_free(c.in_place);
    ts_blocks_deinit(&c.extra);
    ts_blocks_deinit(&c.superblock);
    return status;
}
