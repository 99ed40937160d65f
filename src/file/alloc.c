#include "file/alloc.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/change.h"
#include "file/internal.h"
#include "file/mutation.h"
#include "file/sections.h"
#include "plist/fapl.h"

/* Part of the address space with an end of its own. One, but in drivers that keep kinds of data apart. */
struct region {
    haddr_t start, limit;
    haddr_t end;       /* of what is allocated */
    haddr_t committed; /* the end at the last commit: what lies behind is fresh */
    haddr_t next_end;  /* after the commit that is being made */
    struct ts_sections free[TS_FREE_KINDS];
};

struct ts_alloc {
    struct region regions[H5FD_MEM_NTYPES];
    unsigned n_regions;
    unsigned region_of[H5FD_MEM_NTYPES];
    hsize_t alignment, threshold;
    uint64_t page;            /* 0: not in pages */
    uint64_t meta_block;      /* metadata takes room at the end in such blocks; 0: as much as it needs */
    uint64_t skipped;         /* so that raw data begins well */
    bool reuse;               /* free space inside the file is given out again */
    struct ts_sections fresh; /* before the end at the last commit, allocated since */
    struct ts_free_piece *deferred;
    size_t n_deferred, deferred_capacity;
};

static struct region *region_at(const struct ts_file *f, haddr_t addr)
{
    struct ts_alloc *a = f->alloc;
    for (unsigned i = 0; i < a->n_regions; i++)
        if (addr >= a->regions[i].start && addr < a->regions[i].limit)
            return &a->regions[i];
    return &a->regions[0];
}

static struct region *region_for(const struct ts_file *f, H5FD_mem_t kind)
{
    bool known = kind >= H5FD_MEM_DEFAULT && kind < H5FD_MEM_NTYPES;
    /* libhdf5 looks for the global heap where raw data lies. */
    if (kind == H5FD_MEM_GHEAP)
        kind = H5FD_MEM_DRAW;
    return &f->alloc->regions[f->alloc->region_of[known ? kind : H5FD_MEM_DEFAULT]];
}

/* Addresses end before the one that means none. */
static haddr_t greatest_end(const struct ts_file *f)
{
    haddr_t all = f->sb.addr_size < 8 ? (UINT64_C(1) << 8 * f->sb.addr_size) - 1 : (haddr_t)INT64_MAX;
    return all - f->sb.base;
}

static int add_region(struct ts_file *f, H5FD_mem_t kind, haddr_t committed)
{
    struct ts_alloc *a = f->alloc;
    haddr_t start = 0, limit = greatest_end(f), there = 0;
    const struct ts_driver_writing *w = f->driver->cls->writing;
    if (w->region && w->region(f->driver, kind, &start, &limit) < 0)
        return -1;
    for (unsigned i = 0; i < a->n_regions; i++)
        if (a->regions[i].start == start) {
            a->region_of[kind] = i;
            return 0;
        }
    struct region *r = &a->regions[a->n_regions];
    *r = (struct region){.start = start, .limit = limit, .end = start};
    if (!w->region) {
        r->end = f->end;
        r->committed = committed;
    } else if (committed) {
        if (f->driver->cls->room(f->driver, start, &there) < 0)
            return -1;
        r->committed = r->end = start + there;
    } else {
        r->end = start == 0 ? (haddr_t)f->end : start;
        r->committed = start;
    }
    a->region_of[kind] = a->n_regions++;
    return 0;
}

/* The list's own wish alone: small files do not begin with 2 KiB of room for metadata, as they do in libhdf5 (see
 * block_of). */
static int set_meta_block(struct ts_file *f)
{
    hsize_t asked;
    if (ts_fapl_meta_block(f->fapl, &asked) < 0)
        return -1;
    f->alloc->meta_block = asked != TS_META_BLOCK_DEFAULT && f->alloc->n_regions == 1 ? asked : 0;
    return 0;
}

static void tell_fresh(struct ts_file *f)
{
    const struct ts_alloc *a = f->alloc;
    bool known = a->n_regions == 1 && f->driver->cls->crash_safe;
    f->bytes.fresh_from = known ? f->sb.base + a->regions[0].committed : HADDR_UNDEF;
}

int ts_alloc_new(struct ts_file *f, haddr_t committed)
{
    struct ts_alloc *a = ts_calloc(1, sizeof *a);
    if (!a)
        return -1;
    f->alloc = a;
    a->reuse = true;
    if (ts_fapl_alignment(f->fapl, &a->alignment) < 0 || ts_fapl_alignment_threshold(f->fapl, &a->threshold) < 0)
        return -1;
    /* The region of the superblock is the first. */
    for (unsigned i = 0; i < H5FD_MEM_NTYPES; i++)
        if (add_region(f, (H5FD_MEM_SUPER + i) % H5FD_MEM_NTYPES, committed) < 0)
            return -1;
    tell_fresh(f);
    return set_meta_block(f);
}

void ts_alloc_drop(struct ts_file *f)
{
    struct ts_alloc *a = f->alloc;
    if (!a)
        return;
    for (unsigned i = 0; i < a->n_regions; i++)
        for (int k = 0; k < TS_FREE_KINDS; k++)
            ts_sections_clear(&a->regions[i].free[k]);
    ts_sections_clear(&a->fresh);
    ts_free(a->deferred);
    ts_free(a);
    f->alloc = NULL;
}

enum { MIN_PAGE = 512 };

static uint64_t round_up(uint64_t v, uint64_t to)
{
    return ts_div_ceil(v, to) * to;
}

int ts_alloc_strategy(struct ts_file *f, const struct ts_file_space *space)
{
    struct ts_alloc *a = f->alloc;
    a->reuse = space->strategy != H5F_FSPACE_STRATEGY_NONE && space->strategy != H5F_FSPACE_STRATEGY_AGGR;
    if (space->strategy == H5F_FSPACE_STRATEGY_NONE)
        a->meta_block = 0;
    if (space->persist && a->n_regions > 1)
        return TS_ERR(FILE, UNSUPPORTED, "%s: free space is not kept by a driver that keeps kinds of data apart",
                      f->name);
    if (space->strategy != H5F_FSPACE_STRATEGY_PAGE)
        return 0;
    if (a->n_regions > 1)
        return TS_ERR(FILE, UNSUPPORTED, "%s: a driver that keeps kinds of data apart does not work in pages", f->name);
    struct region *r = &a->regions[0];
    /* A file has at least the page that its superblock is in. */
    uint64_t most = r->committed > 0 ? r->end : UINT64_C(1) << 40;
    if (space->page_size < MIN_PAGE || space->page_size > most)
        return TS_ERR(FILE, BADVALUE, "%s: pages of %llu bytes in a file of %llu", f->name,
                      (unsigned long long)space->page_size, (unsigned long long)r->end);
    a->page = space->page_size;
    r->free[TS_FREE_META].page = r->free[TS_FREE_RAW].page = a->page;
    /* In a new file the rest of the superblock's page is for metadata; in one that ends inside a page it is lost. */
    haddr_t used = r->end;
    r->end = round_up(r->end, a->page);
    if (r->committed == 0 && r->end > used && ts_sections_add(&r->free[TS_FREE_META], used, r->end - used) < 0)
        return -1;
    f->end = r->end;
    return 0;
}

bool ts_file_fresh(const struct ts_file *f, haddr_t addr)
{
    if (addr >= region_at(f, addr)->committed)
        return true;
    const struct ts_section *s = ts_sections_floor(&f->alloc->fresh, addr);
    return s && addr - s->addr < s->size;
}

/* The part of a piece that is not fresh by its address alone. */
static uint64_t old_part(const struct region *r, haddr_t addr, uint64_t size)
{
    if (addr >= r->committed)
        return 0;
    return size < r->committed - addr ? size : r->committed - addr;
}

static int note_fresh(struct ts_file *f, const struct region *r, haddr_t addr, uint64_t size)
{
    uint64_t old = old_part(r, addr, size);
    return old ? ts_sections_add(&f->alloc->fresh, addr, old) : 0;
}

static void find_end(struct ts_file *f)
{
    haddr_t end = 0;
    for (unsigned i = 0; i < f->alloc->n_regions; i++) {
        const struct region *r = &f->alloc->regions[i];
        end = r->end > end && (r->end > r->start || r->start == 0) ? r->end : end;
    }
    f->end = end;
}

/* Takes [addr, addr + size) out of what is free. */
static int take(struct ts_file *f, struct region *r, enum ts_free_kind kind, haddr_t addr, uint64_t size)
{
    if (note_fresh(f, r, addr, size) < 0)
        return -1;
    return ts_sections_cut(&r->free[kind], addr, size);
}

/* Makes the region longer; what is skipped for alignment is free. */
static int take_at_end(struct ts_file *f, struct region *r, uint64_t size, uint64_t align, haddr_t *addr)
{
    struct ts_sections *free = &r->free[TS_FREE_LARGE];
    const struct ts_section *last = r->end > r->start ? ts_sections_floor(free, r->end - 1) : NULL;
    haddr_t from = last && last->addr + last->size == r->end ? last->addr : r->end;
    haddr_t at = round_up(from, align), end;
    if (at < from || !ts_add_u64(at, size, &end) || end > r->limit)
        return TS_ERR(RESOURCE, NOSPACE, "%s: no room for %llu bytes behind %#llx, addresses have %u bytes", f->name,
                      (unsigned long long)size, (unsigned long long)r->end, f->sb.addr_size);
    haddr_t old_end = r->end;
    if (at > old_end && ts_sections_add(free, old_end, at - old_end) < 0)
        return -1;
    if (at < old_end && take(f, r, TS_FREE_LARGE, at, old_end - at) < 0)
        return -1;
    r->end = end > old_end ? end : old_end;
    find_end(f);
    *addr = at;
    return 0;
}

/* How many pieces of the right size are tried before one is taken that is large enough wherever it begins. */
enum { TRIES = 16 };

static int take_fit(struct ts_file *f, struct region *r, enum ts_free_kind kind, uint64_t size, uint64_t align,
                    haddr_t *addr)
{
    const struct ts_section *s = ts_sections_fit(&r->free[kind], size, 0);
    uint64_t sure;
    for (int i = 0; s && i < TRIES; i++) {
        haddr_t at = round_up(s->addr, align);
        if (at - s->addr <= s->size - size) {
            *addr = at;
            return take(f, r, kind, at, size) < 0 ? -1 : 1;
        }
        s = ts_sections_fit(&r->free[kind], s->size, s->addr + 1);
    }
    if (!s || !ts_add_u64(size, align - 1, &sure) || !(s = ts_sections_fit(&r->free[kind], sure, 0)))
        return 0;
    *addr = round_up(s->addr, align);
    return take(f, r, kind, *addr, size) < 0 ? -1 : 1;
}

static enum ts_free_kind small_kind(H5FD_mem_t kind)
{
    return kind == H5FD_MEM_DRAW || kind == H5FD_MEM_GHEAP ? TS_FREE_RAW : TS_FREE_META;
}

static int take_pages(struct ts_file *f, struct region *r, uint64_t size, haddr_t *addr)
{
    uint64_t page = f->alloc->page;
    if (size > UINT64_MAX - page)
        return TS_ERR(RESOURCE, NOSPACE, "%s: no room for %llu bytes", f->name, (unsigned long long)size);
    size = round_up(size, page);
    int found = take_fit(f, r, TS_FREE_LARGE, size, page, addr);
    return found != 0 ? (found < 0 ? -1 : 0) : take_at_end(f, r, size, page, addr);
}

/* What was taken goes back where memory is short; at the end of the file that needs none. */
static void untake(struct ts_file *f, struct region *r, haddr_t addr, uint64_t size)
{
    unsigned mark = ts_err_mark();
    if (addr + size == r->end) {
        r->end = addr;
        find_end(f);
    } else if (ts_sections_add(&r->free[TS_FREE_LARGE], addr, size) < 0) {
        ts_err_rewind(mark);
    }
}

/* Of a block that was taken only the first bytes are used. The rest is fresh no longer: it is free. */
static int share_rest(struct ts_file *f, struct region *r, enum ts_free_kind kind, struct ts_free_piece block,
                      uint64_t used)
{
    haddr_t rest = block.addr + used;
    uint64_t size = block.size - used, old = old_part(r, rest, size);
    if ((old == 0 || ts_sections_cut(&f->alloc->fresh, rest, old) == 0) &&
        ts_sections_add(&r->free[kind], rest, size) == 0)
        return 0;
    untake(f, r, block.addr, block.size);
    return -1;
}

/* What is smaller than a page lies inside one that holds only metadata or only raw data. */
static int take_in_page(struct ts_file *f, struct region *r, enum ts_free_kind kind, uint64_t size, haddr_t *addr)
{
    uint64_t page = f->alloc->page;
    int found = take_fit(f, r, kind, size, 1, addr);
    if (found != 0)
        return found < 0 ? -1 : 0;
    if (take_pages(f, r, page, addr) < 0)
        return -1;
    return share_rest(f, r, kind, (struct ts_free_piece){.addr = *addr, .size = page}, size);
}

static bool is_aligned(const struct ts_alloc *a, uint64_t size)
{
    return a->alignment > 1 && size >= a->threshold;
}

/* Metadata that lies together is written together: of 10,000 datasets of 64 bytes each header was a write of its own,
 * between the data of two, and making them took 55 ms of the processor on tmpfs where it takes 49, on ext4 68 where it
 * takes 56. So that little is lost by it, blocks are a 64th of the file, and files of less than 128 KiB have none. */
enum { LEAST_BLOCK = 2048, LARGEST_BLOCK = 64 << 10, BLOCK_SHARE = 64 };

/* The size of a block that holds only metadata; 0: there are none. */
static uint64_t block_of(const struct ts_alloc *a, const struct region *r)
{
    uint64_t block = LARGEST_BLOCK;
    if (a->meta_block || a->n_regions > 1 || !a->reuse)
        return a->meta_block;
    while (block >= LEAST_BLOCK && block > (r->end - r->start) / BLOCK_SHARE)
        block /= 2;
    return block >= LEAST_BLOCK ? block : 0;
}

static bool in_blocks(const struct ts_alloc *a, const struct region *r, H5FD_mem_t kind, uint64_t size)
{
    uint64_t block = block_of(a, r);
    return size < block && block <= r->limit - r->end && small_kind(kind) == TS_FREE_META && !is_aligned(a, size);
}

/* At the end, in blocks that hold only metadata. */
static int take_in_block(struct ts_file *f, struct region *r, uint64_t size, haddr_t *addr)
{
    uint64_t block = block_of(f->alloc, r);
    int found = take_fit(f, r, TS_FREE_META, size, 1, addr);
    if (found == 0 && f->alloc->reuse)
        found = take_fit(f, r, TS_FREE_LARGE, size, 1, addr);
    if (found != 0)
        return found < 0 ? -1 : 0;
    if (take_at_end(f, r, block, 1, addr) < 0)
        return -1;
    return share_rest(f, r, TS_FREE_META, (struct ts_free_piece){.addr = *addr, .size = block}, size);
}

/* Where large blocks of raw data had better begin: the kernel copies to such addresses several times as fast. Those of
 * whole large pages begin with one of these, once the file is long enough that what is skipped for it is little: a 16th
 * at most. What is free elsewhere is still used. */
enum { GOOD_ALIGN = 64, LARGE_RAW = 64 << 10, LARGE_PAGE = 64 << 10, LARGEST_PAGE = 256 << 10, SKIPPED_MOST = 16 };

static uint64_t good_align(const struct ts_file *f, const struct region *r, uint64_t size)
{
    uint64_t page = size & -size;
    page = page < LARGEST_PAGE ? page : LARGEST_PAGE;
    if (page < LARGE_PAGE || f->sb.base % page != 0 || r->start % page != 0)
        return GOOD_ALIGN;
    uint64_t gap = (page - r->end % page) % page;
    return f->alloc->skipped + gap <= (r->end - r->start) / SKIPPED_MOST ? page : GOOD_ALIGN;
}

static int take_plain(struct ts_file *f, struct region *r, H5FD_mem_t kind, uint64_t size, haddr_t *addr)
{
    struct ts_alloc *a = f->alloc;
    uint64_t align = is_aligned(a, size) ? a->alignment : 1;
    uint64_t wish = align == 1 && kind == H5FD_MEM_DRAW && size >= LARGE_RAW ? good_align(f, r, size) : align;
    int found = a->reuse ? take_fit(f, r, TS_FREE_LARGE, size, wish, addr) : 0;
    if (found == 0 && a->reuse && wish != align)
        found = take_fit(f, r, TS_FREE_LARGE, size, align, addr);
    if (found != 0)
        return found < 0 ? -1 : 0;
    haddr_t end = r->end;
    if (take_at_end(f, r, size, wish, addr) < 0)
        return -1;
    if (wish != align && *addr > end)
        a->skipped += *addr - end;
    return 0;
}

static int take_space(struct ts_file *f, H5FD_mem_t kind, uint64_t size, haddr_t *addr)
{
    TS_IN_CHANGE(f);
    struct region *r = region_for(f, kind);
    if (f->alloc->page == 0 && in_blocks(f->alloc, r, kind, size))
        return take_in_block(f, r, size, addr);
    if (f->alloc->page == 0)
        return take_plain(f, r, kind, size, addr);
    if (size >= f->alloc->page)
        return take_pages(f, r, size, addr);
    return take_in_page(f, r, small_kind(kind), size, addr);
}

static void free_now(struct ts_file *f, const struct ts_undo_step *step);

/* A step about a block. */
static struct ts_undo_step about(H5FD_mem_t kind, haddr_t addr, uint64_t size)
{
    return (struct ts_undo_step){.at = (void *)(uintptr_t)kind, .a = addr, .b = size};
}

int ts_file_alloc(struct ts_file *f, H5FD_mem_t kind, uint64_t size, haddr_t *addr)
{
    if (size == 0)
        return TS_ERR(RESOURCE, BADVALUE, "%s: no space of 0 bytes", f->name);
    if (ts_undo_reserve(f) < 0 || take_space(f, kind, size, addr) < 0)
        return -1;
    struct ts_undo_step step = about(kind, *addr, size);
    step.back = free_now;
    return ts_undo_add(f, step);
}

/* In pages: whole pages are large, whoever had them. Parts of pages at the ends of a large piece are lost. */
static void give_pages(struct ts_file *f, struct region *r, const struct ts_free_piece *p)
{
    uint64_t page = f->alloc->page;
    if (p->kind != TS_FREE_LARGE) {
        struct ts_sections *set = &r->free[p->kind];
        if (ts_sections_add(set, p->addr, p->size) < 0)
            return;
        const struct ts_section *s = ts_sections_floor(set, p->addr);
        if (s->size != page || s->addr % page != 0)
            return;
        haddr_t addr = s->addr;
        if (ts_sections_cut(set, addr, page) == 0)
            (void)ts_sections_add(&r->free[TS_FREE_LARGE], addr, page);
        return;
    }
    haddr_t from = round_up(p->addr, page), to = (p->addr + p->size) / page * page;
    if (from < to)
        (void)ts_sections_add(&r->free[TS_FREE_LARGE], from, to - from);
}

/* Without memory for it the piece is lost. */
static void give(struct ts_file *f, const struct ts_free_piece *p)
{
    struct region *r = region_at(f, p->addr);
    unsigned mark = ts_err_mark();
    if (f->alloc->page)
        give_pages(f, r, p);
    else
        (void)ts_sections_add(&r->free[TS_FREE_LARGE], p->addr, p->size);
    ts_err_rewind(mark);
}

/* In files that stock libhdf5 or a broken disk made, two managers may say that the same is free. */
static bool overlaps(const struct ts_sections *s, haddr_t addr, uint64_t size)
{
    const struct ts_section *last = ts_sections_floor(s, addr + size - 1);
    return last && last->addr + last->size > addr;
}

bool ts_file_is_free(const struct ts_file *f, haddr_t addr)
{
    TS_FILE_HELD(f);
    const struct region *r = region_at(f, addr);
    for (int k = 0; k < TS_FREE_KINDS; k++)
        if (overlaps(&r->free[k], addr, 1))
            return true;
    return false;
}

/* The superblock is never free, whatever a file says. */
static bool is_superblock(const struct ts_file *f, haddr_t addr)
{
    return addr < ts_superblock_size(f->sb.version, f->sb.addr_size, f->sb.len_size);
}

void ts_alloc_give(struct ts_file *f, const struct ts_free_piece *piece)
{
    const struct region *r = region_at(f, piece->addr);
    if (piece->size == 0 || is_superblock(f, piece->addr) || piece->addr < r->start || piece->size > r->end ||
        piece->addr > r->end - piece->size)
        return;
    for (int k = 0; k < TS_FREE_KINDS; k++)
        if (overlaps(&r->free[k], piece->addr, piece->size))
            return;
    /* A small piece lies in one page. */
    uint64_t page = f->alloc->page;
    if (page && piece->kind != TS_FREE_LARGE && piece->addr / page != (piece->addr + piece->size - 1) / page)
        return;
    struct ts_free_piece plain = *piece;
    if (page == 0)
        plain.kind = TS_FREE_LARGE;
    give(f, &plain);
}

/* What a block really takes: large ones take whole pages. */
static struct ts_free_piece piece_of(const struct ts_file *f, H5FD_mem_t kind, haddr_t addr, uint64_t size)
{
    uint64_t page = f->alloc->page;
    struct ts_free_piece p = {.addr = addr, .size = size, .kind = TS_FREE_LARGE};
    if (page && size < page)
        p.kind = small_kind(kind);
    else if (page)
        p.size = round_up(addr + size, page) - addr;
    return p;
}

static void free_piece(struct ts_file *f, const struct ts_free_piece *p)
{
    TS_IN_CHANGE(f);
    struct ts_alloc *a = f->alloc;
    unsigned mark = ts_err_mark();
    if (ts_file_fresh(f, p->addr)) {
        uint64_t old = old_part(region_at(f, p->addr), p->addr, p->size);
        if (old == 0 || ts_sections_cut(&a->fresh, p->addr, old) == 0)
            give(f, p);
    } else if (ts_mutation(TS_MUTATION_REUSE_FREED)) {
        give(f, p);
    } else if (TS_GROW(a->deferred, a->deferred_capacity, a->n_deferred + 1) == 0) {
        a->deferred[a->n_deferred++] = *p;
    }
    ts_err_rewind(mark);
}

static void free_now(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_free_piece p = piece_of(f, (H5FD_mem_t)(uintptr_t)step->at, step->a, step->b);
    free_piece(f, &p);
}

void ts_file_free(struct ts_file *f, H5FD_mem_t kind, haddr_t addr, uint64_t size)
{
    if (addr == HADDR_UNDEF || size == 0 || !ts_file_has(f, addr, size) || is_superblock(f, addr))
        return;
    struct ts_undo_step step = about(kind, addr, size);
    step.done = free_now;
    if (ts_mutation(TS_MUTATION_REUSE_FREED))
        free_now(f, &step);
    else
        (void)ts_undo_add(f, step);
}

/* The kind of free space that may follow a block, or TS_FREE_KINDS when the block has to stay as it is. */
static enum ts_free_kind kind_behind(const struct ts_file *f, H5FD_mem_t kind, haddr_t end, uint64_t size,
                                     uint64_t new_size)
{
    uint64_t page = f->alloc->page;
    if (page == 0 || size >= page)
        return TS_FREE_LARGE;
    return new_size < page && end % page != 0 ? small_kind(kind) : TS_FREE_KINDS;
}

/* 1: the space up to the new size is the block's. */
static int take_behind(struct ts_file *f, const struct ts_free_piece *was, uint64_t more, enum ts_free_kind kind,
                       bool at_end)
{
    struct region *r = region_at(f, was->addr);
    haddr_t end = was->addr + was->size;
    if (end == r->end && at_end) {
        if (more > r->limit - r->end)
            return 0;
        r->end += more;
        find_end(f);
        return 1;
    }
    const struct ts_section *s = ts_sections_floor(&r->free[kind], end);
    if (!f->alloc->reuse || !s || s->addr != end || s->size < more)
        return 0;
    return take(f, r, kind, end, more) < 0 ? -1 : 1;
}

/* What a block got behind it, in one piece that is of a kind already. */
static void give_behind(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_free_piece p = {.addr = step->a, .size = step->b, .kind = (enum ts_free_kind)(uintptr_t)step->at};
    free_piece(f, &p);
}

int ts_file_extend(struct ts_file *f, H5FD_mem_t kind, haddr_t addr, uint64_t size, uint64_t new_size)
{
    TS_IN_CHANGE(f);
    uint64_t page = f->alloc->page;
    if (new_size <= size)
        return new_size == size;
    struct ts_free_piece was = piece_of(f, kind, addr, size), is = piece_of(f, kind, addr, new_size);
    enum ts_free_kind behind = kind_behind(f, kind, was.addr + was.size, size, new_size);
    if (behind == TS_FREE_KINDS || is.size < was.size)
        return 0;
    if (is.size == was.size)
        return 1;
    uint64_t more = is.size - was.size;
    if (ts_undo_reserve(f) < 0)
        return -1;
    int done = take_behind(f, &was, more, behind, page == 0 || size >= page);
    if (done == 0 && page == 0 && small_kind(kind) == TS_FREE_META)
        done = take_behind(f, &was, more, behind = TS_FREE_META, false);
    if (done == 1)
        (void)ts_undo_add(
            f, (struct ts_undo_step){
                   .back = give_behind, .at = (void *)(uintptr_t)behind, .a = was.addr + was.size, .b = more});
    return done;
}

bool ts_file_shrink(struct ts_file *f, H5FD_mem_t kind, haddr_t addr, uint64_t size, uint64_t new_size)
{
    TS_IN_CHANGE(f);
    uint64_t page = f->alloc->page;
    if (page != 0 && size >= page)
        return false;
    ts_file_free(f, kind, addr + new_size, size - new_size);
    return true;
}

static void end_back(struct ts_file *f, const struct ts_undo_step *step)
{
    ((struct region *)step->at)->end = step->a;
    find_end(f);
}

int ts_file_grow(struct ts_file *f, uint64_t bytes)
{
    TS_IN_CHANGE(f);
    struct region *r = &f->alloc->regions[f->alloc->n_regions - 1];
    haddr_t there = f->bytes.physical > f->sb.base ? f->bytes.physical - f->sb.base : 0;
    haddr_t end = r->end > there ? r->end : there;
    if (end > r->limit || bytes > r->limit - end)
        return TS_ERR(RESOURCE, NOSPACE, "%s: no room for %llu more bytes", f->name, (unsigned long long)bytes);
    if (ts_undo_add(f, (struct ts_undo_step){.back = end_back, .at = r, .a = r->end}) < 0)
        return -1;
    r->end = f->alloc->page ? round_up(end + bytes, f->alloc->page) : end + bytes;
    find_end(f);
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct ts_free_piece *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Readers may still look for what the SWMR writer has freed, wherever the writer is by now: nobody gets it, and the
 * file is not cut, until it is opened again. A file that remembers what is free remembers this when it is closed. */
static size_t n_ripe(const struct ts_file *f)
{
    return f->swmr == TS_SWMR_WRITER ? 0 : f->alloc->n_deferred;
}

/* Where the free space at the end of a region begins once `n` of what was freed is free. */
static haddr_t end_without_free(const struct ts_alloc *a, const struct region *r, size_t n)
{
    haddr_t end = r->end;
    for (size_t i = n;;) {
        const struct ts_section *s = end > r->start ? ts_sections_floor(&r->free[TS_FREE_LARGE], end - 1) : NULL;
        if (s && s->addr + s->size == end) {
            end = s->addr;
            continue;
        }
        while (i > 0 && a->deferred[i - 1].addr >= end)
            i--;
        if (i == 0 || a->deferred[i - 1].addr + a->deferred[i - 1].size != end ||
            a->deferred[i - 1].kind != TS_FREE_LARGE)
            return end;
        end = a->deferred[i - 1].addr;
    }
}

/* A file that is closed keeps no room for metadata. Without memory for it the rest of a block is lost. */
static void open_blocks(struct ts_alloc *a)
{
    struct ts_sections *rests = &a->regions[0].free[TS_FREE_META];
    const struct ts_section *s;
    unsigned mark = ts_err_mark();
    while ((s = ts_sections_floor(rests, HADDR_UNDEF - 1))) {
        struct ts_section rest = *s;
        if (ts_sections_cut(rests, rest.addr, rest.size) < 0)
            break;
        (void)ts_sections_add(&a->regions[0].free[TS_FREE_LARGE], rest.addr, rest.size);
    }
    ts_err_rewind(mark);
}

haddr_t ts_alloc_end_after(struct ts_file *f)
{
    struct ts_alloc *a = f->alloc;
    haddr_t end = 0;
    size_t ripe = n_ripe(f);
    if (f->commits.closing && a->page == 0)
        open_blocks(a);
    if (ripe > 1)
        qsort(a->deferred, ripe, sizeof *a->deferred, by_address);
    for (unsigned i = 0; i < a->n_regions; i++) {
        struct region *r = &a->regions[i];
        r->next_end = end_without_free(a, r, ripe);
        end = r->next_end > end && (r->next_end > r->start || r->start == 0) ? r->next_end : end;
    }
    /* Where kinds of data are kept apart, the superblock tells the end of those it is among. */
    return a->n_regions > 1 ? a->regions[0].next_end : end;
}

static haddr_t end_without_rest(const struct ts_alloc *a)
{
    const struct region *r = &a->regions[0];
    const struct ts_section *rest = r->end > 0 ? ts_sections_floor(&r->free[TS_FREE_META], r->end - 1) : NULL;
    return rest && rest->addr + rest->size == r->end ? rest->addr : r->end;
}

haddr_t ts_alloc_end(struct ts_file *f)
{
    haddr_t end = f->end;
    if (!f->writable || f->alloc->n_regions > 1 || f->alloc->page != 0)
        return end;
    ts_file_lock(f);
    end = end_without_rest(f->alloc);
    ts_file_unlock(f);
    return end;
}

bool ts_alloc_frees(const struct ts_file *f)
{
    return n_ripe(f) > 0;
}

void ts_alloc_committed(struct ts_file *f)
{
    struct ts_alloc *a = f->alloc;
    size_t ripe = n_ripe(f);
    for (size_t i = 0; i < ripe; i++)
        give(f, &a->deferred[i]);
    a->n_deferred -= ripe;
    ts_sections_clear(&a->fresh);
    for (unsigned i = 0; i < a->n_regions; i++) {
        struct region *r = &a->regions[i];
        if (r->end > r->next_end)
            (void)ts_sections_cut(&r->free[TS_FREE_LARGE], r->next_end, r->end - r->next_end);
        r->end = r->committed = r->next_end;
    }
    find_end(f);
    tell_fresh(f);
}

int ts_alloc_cut_regions(struct ts_file *f)
{
    struct ts_alloc *a = f->alloc;
    for (unsigned i = 0; i < a->n_regions; i++)
        if (ts_driver_truncate(f->driver, f->sb.base + a->regions[i].next_end) < 0)
            return -1;
    return 0;
}

static size_t list_set(const struct ts_sections *set, enum ts_free_kind kind, struct ts_free_piece *out)
{
    const struct ts_section *s;
    size_t n = 0;
    for (haddr_t below = HADDR_UNDEF; below > 0 && (s = ts_sections_floor(set, below - 1)); below = s->addr)
        out[n++] = (struct ts_free_piece){.addr = s->addr, .size = s->size, .kind = kind};
    return n;
}

/* Without what lies behind the end that the next commit gives the file. */
static size_t drop_tail(const struct ts_file *f, struct ts_free_piece *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].addr < region_at(f, list[i].addr)->next_end)
            list[kept++] = list[i];
    return kept;
}

int ts_alloc_list(struct ts_file *f, struct ts_free_piece **out, size_t *n)
{
    const struct ts_alloc *a = f->alloc;
    (void)ts_alloc_end_after(f);
    size_t count = a->n_deferred, at = 0;
    for (unsigned i = 0; i < a->n_regions; i++)
        for (int k = 0; k < TS_FREE_KINDS; k++)
            count += a->regions[i].free[k].n;
    struct ts_free_piece *list = ts_malloc((count + 1) * sizeof *list);
    if (!list)
        return -1;
    for (unsigned i = 0; i < a->n_regions; i++)
        for (int k = 0; k < TS_FREE_KINDS; k++)
            at += list_set(&a->regions[i].free[k], a->page ? k : TS_FREE_LARGE, list + at);
    for (size_t i = 0; i < a->n_deferred; i++)
        list[at++] = a->deferred[i];
    at = drop_tail(f, list, at);
    qsort(list, at, sizeof *list, by_address);
    *out = list;
    *n = at;
    return 0;
}
