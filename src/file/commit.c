#include "file/commit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "file/gather.h"
#include "file/internal.h"
#include "file/journal.h"
#include "file/mutation.h"
#include "file/overlay.h"

enum { SECTOR = 512, MAX_STRIDE = 4 << 20, JOURNALED_SUPERBLOCK = 24 + TS_SUPERBLOCK_MAX };

static const uint8_t zeros[16384];

/* One commit on its way. Vectors are absolute; those in place are in the order of the blocks, the superblock last. */
struct commit {
    struct ts_file *f;
    struct ts_io_out *fresh, *in_place;
    size_t n_fresh, n_in_place;
    struct ts_blocks extra; /* what the blocks do not have: a cache image's, driver information */
    struct ts_blocks superblock;
    struct ts_wr guarded; /* the superblock as it will be, with what says that it is not yet so; where that is wanted */
    struct ts_superblock stored; /* what is on file; its flags may change meanwhile, when raw data marks it */
    struct ts_superblock sb;
    bool sb_changed;
    bool has_journal;
    bool stays;                    /* what is behind the end when the commit is done */
    haddr_t marked_end;            /* what the superblock says while blocks are written in place, or HADDR_UNDEF */
    unsigned journal_flags;        /* TS_JOURNAL_* */
    haddr_t journal, journal_size; /* absolute */
};

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

static int by_address(const void *a, const void *b)
{
    const struct ts_io_out *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Nearly all of many are headers that were made one after the other, which come in that order behind the rest. */
static void sort_by_address(struct ts_io_out *v, size_t n)
{
    size_t rest = n > 0 ? n - 1 : 0, at = 0, next = 0;
    while (rest > 0 && v[rest - 1].addr < v[rest].addr)
        rest--;
    unsigned mark = ts_err_mark();
    struct ts_io_out *few = rest < n / 2 ? ts_malloc(rest * sizeof *few) : NULL;
    if (!few) {
        ts_err_rewind(mark);
        qsort(v, n, sizeof *v, by_address);
        return;
    }
    qsort(v, rest, sizeof *v, by_address);
    memcpy(few, v, rest * sizeof *few);
    for (size_t from = rest; next < rest; at++)
        v[at] = from < n && v[from].addr < few[next].addr ? v[from++] : few[next++];
    ts_free(few);
}

/* What a cache image has for addresses that no block has: the image goes with this commit. */
static int add_overlay(struct commit *c, const struct ts_blocks *blocks)
{
    struct ts_blocks all = {0};
    struct ts_io_out *known = NULL;
    int status = c->f->bytes.overlay ? ts_overlay_blocks(c->f->bytes.overlay, &all) : 0;
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
    ts_mutex_lock(&f->commits.mark_lock);
    struct ts_superblock stored = f->commits.stored;
    ts_mutex_unlock(&f->commits.mark_lock);
    return stored;
}

static int prepare_superblock(struct commit *c)
{
    struct ts_file *f = c->f;
    c->stored = stored_now(f);
    c->sb = f->sb;
    c->sb.end = f->sb.base + ts_alloc_end_after(f);
    if (c->sb.version >= 3)
        c->sb.flags = f->commits.closing ? c->sb.flags & ~(uint32_t)TS_FLAGS_OPEN : ts_file_open_flags(f, c->sb.flags);
    int same = ts_file_is_new(&c->stored) ? 0 : same_superblock(&c->sb, &c->stored);
    if (same < 0)
        return -1;
    c->sb_changed = !same;
    return 0;
}

/* A block that has grown over the end of the file has its end in space that nothing points at. That is written ahead,
 * too: once the journal is there, no write may need space that the disk does not have. */
static void add_grown_end(struct commit *c, const struct ts_io_out *v)
{
    haddr_t end = c->stored.end;
    if (!c->f->driver->cls->crash_safe || ts_file_is_new(&c->stored) || v->addr + v->size <= end)
        return;
    size_t old = v->addr < end ? (size_t)(end - v->addr) : 0;
    c->fresh[c->n_fresh++] =
        (struct ts_io_out){.addr = v->addr + old, .size = v->size - old, .buf = (const uint8_t *)v->buf + old};
}

/* The superblock's place was never allocated, not even in a new file. */
static bool is_fresh(const struct ts_file *f, haddr_t addr)
{
    return addr != 0 && ts_file_fresh(f, addr);
}

static void sort_out(struct commit *c, const struct ts_blocks *blocks)
{
    const struct ts_file *f = c->f;
    for (size_t i = 0; i < blocks->n; i++) {
        haddr_t addr = blocks->items[i].addr;
        bool fresh = is_fresh(f, addr);
        struct ts_io_out *v = fresh ? &c->fresh[c->n_fresh++] : &c->in_place[c->n_in_place++];
        *v = (struct ts_io_out){
            .addr = f->sb.base + addr, .size = blocks->items[i].size, .buf = ts_block_bytes(blocks, i)};
        if (!fresh)
            add_grown_end(c, v);
    }
}

/* One write inside one sector is whole or is not there: it needs no journal. */
static bool needs_journal(const struct commit *c)
{
    if (!c->f->driver->cls->crash_safe || ts_file_is_new(&c->stored) || ts_mutation(TS_MUTATION_NO_JOURNAL))
        return false;
    if (c->n_in_place + c->sb_changed != 1)
        return c->n_in_place > 0;
    const struct ts_io_out *v = c->in_place;
    return c->n_in_place > 0 && v->addr / SECTOR != (v->addr + v->size - 1) / SECTOR;
}

static haddr_t max_addr(haddr_t a, haddr_t b)
{
    return a > b ? a : b;
}

/* Where the driver's bytes end. */
static haddr_t last_byte(const struct ts_file *f)
{
    return max_addr(f->bytes.physical, f->bytes.tail);
}

/* Something is behind the end that the commit gives the file. */
static bool has_tail(const struct commit *c)
{
    return !c->f->driver->cls->writing->region && last_byte(c->f) != c->sb.end;
}

/* A sixteenth of the file at most, a sector at least: programs look at the length of files they have flushed. */
static haddr_t stride(haddr_t file)
{
    haddr_t step = SECTOR;
    while (step < MAX_STRIDE && step <= file / 32)
        step *= 2;
    return step;
}

/* Behind what was and will be the file's. */
static haddr_t journal_from(const struct commit *c)
{
    return max_addr(c->f->bytes.physical, c->f->sb.base + c->f->end);
}

static haddr_t journal_size(const struct commit *c)
{
    return ts_journal_size(&(struct ts_journal){.n = c->n_in_place, .blocks = c->in_place});
}

static bool marks(const struct commit *c)
{
    return c->marked_end != HADDR_UNDEF;
}

/* Other libraries know no journal: they are not to open the file while it is neither old nor new. A SWMR writer's
 * readers are, and others see by its flags what it is. */
static haddr_t marked_end(const struct commit *c)
{
    if (!c->has_journal || c->f->swmr == TS_SWMR_WRITER || ts_mutation(TS_MUTATION_NO_MARK))
        return HADDR_UNDEF;
    haddr_t from = journal_from(c), eof = from + journal_size(c) + JOURNALED_SUPERBLOCK + stride(from);
    return ts_superblock_mark(&c->sb, max_addr(eof, last_byte(c->f)));
}

/* It comes last. In a journal whose superblock is marked it says how to go on. */
static int add_superblock(struct commit *c)
{
    if (!c->sb_changed && !marks(c))
        return 0;
    if (ts_superblock_encode(&c->sb, ts_blocks_begin(&c->superblock)) < 0 || ts_blocks_end(&c->superblock, 0) < 0)
        return -1;
    sort_out(c, &c->superblock);
    return 0;
}

/* Where there are no locks the flags of a later version are all that keeps others out: the last write takes them
 * away. */
static bool lets_go(const struct commit *c)
{
    return c->f->commits.closing && c->sb.version >= 3;
}

/* Ahead of the first write: memory that is short must not break the file. */
static int encode_guarded(struct commit *c)
{
    struct ts_superblock sb = c->sb;
    if (!marks(c) && !lets_go(c))
        return 0;
    if (marks(c))
        sb.end = c->marked_end;
    if (sb.version >= 3)
        sb.flags = ts_file_open_flags(c->f, sb.flags);
    return ts_superblock_encode(&sb, &c->guarded);
}

/* A file is cut only when it becomes shorter or is closed: cutting costs more than anything else in a small commit, and
 * takes what the driver has reserved for more data. A family would have members for nothing but this. */
static bool may_stay(const struct commit *c)
{
    const struct ts_file *f = c->f;
    return !f->commits.closing && !f->driver->cls->apply_info && f->sb.base + f->end == c->sb.end &&
           f->bytes.physical <= c->sb.end && c->journal_size <= sizeof zeros;
}

static int prepare(struct commit *c, const struct ts_blocks *blocks)
{
    struct ts_file *f = c->f;
    /* The mark comes before the comparison with what is stored: the commit that closes the file must take it away. */
    if (blocks->n > 0 && ts_file_mark(f) < 0)
        return -1;
    if (prepare_superblock(c) < 0)
        return -1;
    if (blocks->n == 0 && !c->sb_changed && !f->commits.reparted)
        return 0;
    if (f->driver->cls->writing->region && ts_alloc_cut_regions(f) < 0)
        return -1;
    if (add_overlay(c, blocks) < 0 || add_driver_info(c) < 0)
        return -1;
    size_t n = blocks->n + c->extra.n + 1;
    c->fresh = ts_malloc(n * sizeof *c->fresh);
    c->in_place = ts_malloc(n * sizeof *c->in_place);
    if (!c->fresh || !c->in_place)
        return -1;
    sort_out(c, blocks);
    sort_out(c, &c->extra);
    sort_by_address(c->fresh, c->n_fresh);
    c->has_journal = needs_journal(c);
    c->marked_end = marked_end(c);
    if (add_superblock(c) < 0 || encode_guarded(c) < 0)
        return -1;
    /* When the power fails blocks may be in place and the mark not. */
    bool dies_with_mark = marks(c) && f->sync.level <= H5F_DURABILITY_PROCESS;
    c->journal_flags = dies_with_mark ? 0 : TS_JOURNAL_UNMARKED;
    c->journal_size = c->has_journal ? journal_size(c) : 0;
    c->stays = may_stay(c);
    return 0;
}

/* Behind everything, and up to the last byte: only there is it found. One that stays lies some way ahead, so that
 * several of them use one place, and data that is written later finds its pages untouched. */
static haddr_t journal_place(const struct commit *c)
{
    haddr_t from = journal_from(c), last = last_byte(c->f), size = c->journal_size;
    if (last >= from + size)
        return last - size;
    if (!c->stays)
        return from;
    haddr_t step = stride(from);
    return (from + size + step - 1) / step * step - size;
}

static int write_journal(struct commit *c)
{
    struct ts_file *f = c->f;
    struct ts_journal j = {
        .end_before = c->stored.end, .end_after = c->sb.end, .n = c->n_in_place, .blocks = c->in_place};
    j.start = c->journal = journal_place(c);
    j.flags = c->journal_flags;
    j.sequence = ++f->commits.journals;
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

/* What the commit is about to name is on the disk: raw data and fresh blocks, and a file that is long enough. A journal
 * may be whole there before its barrier, so it must not be before this one. A driver without a journal has nothing to
 * keep apart. */
static int barrier_data(struct ts_file *f)
{
    if (!f->driver->cls->crash_safe || ts_mutation(TS_MUTATION_NO_BARRIER_DATA))
        return 0;
    return ts_file_barrier(f);
}

/* From here on the disk has the commit in its journal. */
static int barrier_ahead(struct ts_file *f)
{
    return ts_mutation(TS_MUTATION_NO_BARRIER_AHEAD) ? 0 : ts_file_barrier(f);
}

/* The one write in place may wait for the next commit's barrier: until then the file is as the last flush left it, or
 * as this one does, and nothing that either needs is written over. */
static bool may_wait(const struct commit *c)
{
    const struct ts_file *f = c->f;
    if (f->sync.level != H5F_DURABILITY_ORDERED || c->has_journal || ts_file_is_new(&c->stored) ||
        (has_tail(c) && !c->stays))
        return false;
    return !ts_alloc_frees(f) || ts_mutation(TS_MUTATION_NO_BARRIER_FREED);
}

/* The journal may go, and space that this commit freed may be written over. */
static int barrier_behind(const struct commit *c)
{
    if (!c->f->driver->cls->crash_safe || may_wait(c) || ts_mutation(TS_MUTATION_NO_BARRIER_BEHIND))
        return 0;
    return ts_file_barrier(c->f);
}

/* Whoever opens the closed file next may not wait for the disk, or not know journals and marks: none may come back. */
static int barrier_close(struct ts_file *f)
{
    if (!f->commits.closing || !f->sync.unsynced_end || ts_mutation(TS_MUTATION_NO_BARRIER_CLOSE))
        return 0;
    f->sync.unsynced = true;
    return ts_file_barrier(f);
}

/* The file is never shorter than its superblock says. */
static int lengthen(struct commit *c)
{
    struct ts_file *f = c->f;
    if (f->driver->cls->writing->region || last_byte(f) >= c->sb.end)
        return 0;
    f->sync.unsynced = true;
    return ts_file_cut(f, c->sb.end);
}

/* Up to here nothing that was committed is touched; a failure leaves all as it was. */
static int write_ahead(struct commit *c)
{
    struct ts_file *f = c->f;
    if (ts_file_mark(f) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_SUPERBLOCK_FIRST) && ts_file_put_superblock(f, &c->sb) < 0)
        return -1;
    if (!ts_mutation(TS_MUTATION_IN_PLACE_FIRST) && put(f, c->fresh, c->n_fresh) < 0)
        return -1;
    if ((!c->has_journal && lengthen(c) < 0) || barrier_data(f) < 0)
        return -1;
    if (c->has_journal)
        return write_journal(c) < 0 ? -1 : barrier_ahead(f);
    return ts_mutation(TS_MUTATION_END_FIRST) && c->sb.end > c->stored.end ? ts_file_put_superblock(f, &c->sb) : 0;
}

static int put_superblock(struct commit *c)
{
    return put(c->f, c->in_place + c->n_in_place - c->superblock.n, c->superblock.n);
}

/* One that counts only with the mark dies with it. */
static bool leaves_journal(const struct commit *c)
{
    return c->has_journal && !(c->journal_flags & TS_JOURNAL_UNMARKED);
}

/* What is behind the end stays there. Dead journals are no zeros. */
static void leave_tail(struct commit *c)
{
    struct ts_file *f = c->f;
    haddr_t last = last_byte(f), dead = leaves_journal(c) ? c->journal : HADDR_UNDEF;
    if (last == c->sb.end)
        return;
    /* Only then: whoever asks whether space is blank must see one or the other. */
    f->bytes.physical = c->sb.end;
    f->bytes.dead = f->bytes.tail <= c->sb.end || dead < f->bytes.dead ? dead : (haddr_t)f->bytes.dead;
    f->bytes.tail = last;
}

/* It would count again. */
static int wipe_journal(struct commit *c)
{
    struct ts_io_out v = {.addr = c->journal, .size = (size_t)c->journal_size, .buf = zeros};
    /* Not by ts_file_put: a wiped journal needs no barrier, for one that comes back is of what is in place. */
    return ts_mutation(TS_MUTATION_NO_WIPE) ? 0 : ts_driver_writev(c->f->driver, &v, 1);
}

/* What a driver lent goes back before others may have the file. */
static void give_back(struct ts_file *f)
{
    if (f->commits.closing)
        ts_driver_give_back(f->driver);
}

/* The journal goes, or is dead, and so is what else is behind the end. */
static int end_tail(struct commit *c)
{
    struct ts_file *f = c->f;
    f->sync.unsynced_end = true;
    if (!c->stays)
        return ts_file_cut(f, c->sb.end);
    if (c->has_journal && !leaves_journal(c) && wipe_journal(c) < 0)
        return -1;
    leave_tail(c);
    return 0;
}

/* The blocks are in place. A mark is all that keeps others out, where there are no locks: the last write takes it
 * away. */
static int finish(struct commit *c)
{
    struct ts_file *f = c->f;
    if (!has_tail(c)) {
        give_back(f);
        return put_superblock(c) < 0 ? -1 : barrier_behind(c);
    }
    /* A journal that counts without the mark may outlive it. */
    if (!leaves_journal(c) && !lets_go(c))
        return put_superblock(c) < 0 || barrier_behind(c) < 0 ? -1 : end_tail(c);
    if (!marks(c) && ts_file_put_encoded(f, &c->guarded) < 0)
        return -1;
    return barrier_behind(c) < 0 || end_tail(c) < 0 ? -1 : put_superblock(c);
}

/* A driver without a journal has nothing to keep apart: one barrier in the end is all it wants. */
static int flush_driver(struct ts_file *f)
{
    if (ts_driver_flush(f->driver) < 0)
        return -1;
    return f->driver->cls->crash_safe ? 0 : ts_file_barrier(f);
}

static int write_in_place(struct commit *c)
{
    struct ts_file *f = c->f;
    if (marks(c) && ts_file_put_encoded(f, &c->guarded) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_CUT_JOURNAL_FIRST) && c->has_journal &&
        ts_file_cut(f, max_addr(c->stored.end, c->sb.end)) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_UNMARK_FIRST) && ts_file_put_superblock(f, &c->sb) < 0)
        return -1;
    if (put(f, c->in_place, c->n_in_place - c->superblock.n) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_IN_PLACE_FIRST) && put(f, c->fresh, c->n_fresh) < 0)
        return -1;
    if (finish(c) < 0 || barrier_close(f) < 0)
        return -1;
    return flush_driver(f);
}

static int carry_out(struct commit *c)
{
    struct ts_file *f = c->f;
    if (write_ahead(c) < 0)
        return TS_ERR(FILE, CANTFLUSH, "%s: cannot write new metadata; the file is as last flushed", f->name);
    if (write_in_place(c) < 0) {
        f->broken = true;
        return TS_ERR(FILE, CANTFLUSH, "%s: cannot write metadata; %s", f->name,
                      c->has_journal ? "the next open finishes it from the journal" : "close the file");
    }
    /* The rest of it is read by others without a lock, and has not changed. */
    f->sb.end = c->sb.end;
    f->sb.flags = c->sb.flags;
    f->commits.stored = c->sb;
    f->commits.marked = !f->commits.closing;
    if (f->bytes.overlay) {
        f->bytes.past_overlay = f->bytes.overlay;
        f->bytes.overlay = NULL;
    }
    return 0;
}

/* What a writer that died left behind the end goes when the file is closed, though nothing was changed. */
static int cut_rest(struct ts_file *f)
{
    if (f->commits.closing && !f->driver->cls->writing->region && last_byte(f) > f->sb.end) {
        f->sync.unsynced_end = true;
        return ts_file_cut(f, f->sb.end);
    }
    give_back(f);
    return 0;
}

/* There was no metadata to write. Elements over older ones keep to no order; only who wants them on the disk waits. */
static int finish_raw(struct ts_file *f)
{
    if (cut_rest(f) < 0)
        return -1;
    /* A driver that holds bytes back has elements among them. */
    if (!f->driver->cls->crash_safe && ts_driver_flush(f->driver) < 0)
        return -1;
    if (barrier_close(f) < 0)
        return -1;
    if (f->sync.level < H5F_DURABILITY_FLUSH || ts_mutation(TS_MUTATION_NO_BARRIER_RAW))
        return 0;
    return ts_file_barrier(f);
}

/* Those that stay, at the beginning of the list. */
static void keep_in_place(const struct ts_file *f, struct ts_blocks *blocks)
{
    size_t n = 0, bytes = 0;
    for (size_t i = 0; i < blocks->n; i++) {
        struct ts_blocks_item item = blocks->items[i];
        if (is_fresh(f, item.addr))
            continue;
        memmove(blocks->bytes.data + bytes, blocks->bytes.data + item.at, item.size);
        item.at = bytes;
        bytes += item.size;
        blocks->items[n++] = item;
    }
    blocks->n = n;
    blocks->bytes.size = blocks->kept = bytes;
}

int ts_file_write_fresh(struct ts_file *f, struct ts_blocks *blocks)
{
    TS_FILE_HELD(f);
    struct ts_io_out *v = ts_malloc((blocks->n + 1) * sizeof *v);
    size_t n = 0;
    for (size_t i = 0; v && i < blocks->n; i++) {
        const struct ts_blocks_item *item = &blocks->items[i];
        if (is_fresh(f, item->addr))
            v[n++] = (struct ts_io_out){f->sb.base + item->addr, item->size, ts_block_bytes(blocks, i)};
    }
    /* What waits of raw data may be for space that one of them has by now. */
    int status = !v || ts_file_mark(f) < 0 || ts_gather_write(f) < 0 ? -1 : 0;
    if (status == 0) {
        sort_by_address(v, n);
        status = put(f, v, n);
    }
    ts_free(v);
    if (status < 0)
        return TS_ERR(FILE, CANTFLUSH, "%s: cannot write new metadata; the file is as last flushed", f->name);
    keep_in_place(f, blocks);
    return 0;
}

int ts_file_commit(struct ts_file *f, const struct ts_blocks *blocks)
{
    TS_FILE_HELD(f);
    struct commit c = {.f = f, .marked_end = HADDR_UNDEF};
    if (f->broken)
        return TS_ERR(FILE, CANTFLUSH, "%s: an earlier flush failed half-way: nothing more is written", f->name);
    int status = ts_gather_write(f) < 0 ? -1 : prepare(&c, blocks);
    if (status == 0 && c.n_fresh + c.n_in_place > 0)
        status = carry_out(&c);
    else if (status == 0)
        status = finish_raw(f);
    /* Also when there was nothing to write: the file is as memory says. */
    if (status == 0)
        ts_alloc_committed(f);
    ts_free(c.fresh);
    ts_free(c.in_place);
    ts_blocks_deinit(&c.extra);
    ts_blocks_deinit(&c.superblock);
    ts_wr_free(&c.guarded);
    return status;
}
