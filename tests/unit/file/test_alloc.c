/* Random allocations against a model that knows of every byte what it is. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "unit/file/file_util.h"

enum { SPACE = 1 << 20, BLOCKS = 300 };

/* FREED: since the last commit, which still has it. */
enum { FREE, USED, FREED };

struct block {
    haddr_t addr;
    uint64_t size;
    H5FD_mem_t kind;
    bool fresh;
};

struct world {
    struct ts_file *f;
    uint8_t *map;
    struct block blocks[BLOCKS];
    size_t n;
    unsigned seed;
    uint64_t page;
};

static void set(struct world *w, haddr_t addr, uint64_t size, uint8_t what)
{
    memset(w->map + addr, what, (size_t)size);
}

static void check_free(const struct world *w, haddr_t addr, uint64_t size)
{
    assert_true(addr + size <= SPACE);
    for (haddr_t at = addr; at < addr + size; at++)
        assert_int_equal(w->map[at], FREE);
    assert_true(addr + size <= w->f->end);
}

static void check_page(const struct world *w, const struct block *b)
{
    if (!w->page)
        return;
    if (b->size >= w->page) {
        assert_int_equal(b->addr % w->page, 0);
        return;
    }
    assert_int_equal(b->addr / w->page, (b->addr + b->size - 1) / w->page);
    for (size_t i = 0; i < w->n; i++)
        if (w->blocks[i].kind != b->kind)
            assert_int_not_equal(w->blocks[i].addr / w->page, b->addr / w->page);
}

static void allocate(struct world *w)
{
    struct block b = {.size = rng(&w->seed) % 8 ? rng(&w->seed) % 200 + 1 : rng(&w->seed) % 3000 + 1, .fresh = true};
    b.kind = rng(&w->seed) % 2 ? H5FD_MEM_DRAW : H5FD_MEM_OHDR;
    if (w->n == BLOCKS)
        return;
    assert_int_equal(ts_file_alloc(w->f, b.kind, b.size, &b.addr), 0);
    check_free(w, b.addr, b.size);
    check_page(w, &b);
    assert_true(ts_file_fresh(w->f, b.addr));
    set(w, b.addr, b.size, USED);
    w->blocks[w->n++] = b;
}

static void release(struct world *w)
{
    if (w->n == 0)
        return;
    size_t i = rng(&w->seed) % w->n;
    struct block b = w->blocks[i];
    assert_int_equal(ts_file_fresh(w->f, b.addr), b.fresh);
    ts_file_free(w->f, b.kind, b.addr, b.size);
    set(w, b.addr, b.size, b.fresh ? FREE : FREED);
    w->blocks[i] = w->blocks[--w->n];
}

static void extend(struct world *w)
{
    if (w->n == 0)
        return;
    struct block *b = &w->blocks[rng(&w->seed) % w->n];
    uint64_t more = rng(&w->seed) % 64;
    int done = ts_file_extend(w->f, b->kind, b->addr, b->size, b->size + more);
    assert_true(done == 0 || done == 1);
    if (!done)
        return;
    check_free(w, b->addr + b->size, more);
    set(w, b->addr + b->size, more, USED);
    b->size += more;
}

static void commit(struct world *w)
{
    assert_int_equal(commit_nothing(w->f), 0);
    haddr_t last = 0;
    for (size_t i = 0; i < w->n; i++) {
        w->blocks[i].fresh = false;
        last = w->blocks[i].addr + w->blocks[i].size > last ? w->blocks[i].addr + w->blocks[i].size : last;
    }
    for (size_t i = 0; i < SPACE; i++)
        if (w->map[i] == FREED)
            w->map[i] = FREE;
    /* Nothing free is left behind the last block. */
    if (!w->page && w->n > 0)
        assert_int_equal(w->f->end, last);
    assert_true(w->f->end >= last);
    haddr_t eof;
    assert_int_equal(ts_driver_eof(w->f->driver, &eof), 0);
    assert_int_equal(eof, w->f->sb.base + w->f->end);
    assert_int_equal(w->f->sb.end, eof);
}

/* What the allocator says is free has to be free; when not in pages, everything that is, but for the end of the file,
 * which is cut. */
static void compare_list(const struct world *w)
{
    struct ts_free_piece *list;
    size_t n, bytes = 0, expected = 0;
    assert_int_equal(ts_alloc_list(w->f, &list, &n), 0);
    for (size_t i = 0; i < n; i++) {
        for (haddr_t at = list[i].addr; at < list[i].addr + list[i].size; at++)
            assert_true(w->map[at] == FREE || w->map[at] == FREED);
        bytes += (size_t)list[i].size;
    }
    size_t end = (size_t)w->f->end;
    while (end > 0 && w->map[end - 1] != USED)
        end--;
    for (size_t at = 0; at < end; at++)
        expected += w->map[at] != USED;
    if (!w->page)
        assert_int_equal(bytes, expected);
    ts_free(list);
}

/* What was freed is free when the change is made. */
static void next_change(struct ts_file *f)
{
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(ts_change_begin(f), 0);
}

static void run(H5F_fspace_strategy_t strategy, uint64_t page, unsigned seed)
{
    const char *path = scratch("alloc");
    struct world w = {.f = create(path, NULL), .map = calloc(1, SPACE), .seed = seed,
                      .page = strategy == H5F_FSPACE_STRATEGY_PAGE ? page : 0};
    struct ts_file_space space = {.strategy = strategy, .page_size = page};
    assert_non_null(w.f);
    set(&w, 0, w.f->end, USED);
    assert_int_equal(ts_change_begin(w.f), 0);
    assert_int_equal(ts_alloc_strategy(w.f, &space), 0);
    for (int i = 0; i < 3000; i++) {
        unsigned what = rng(&w.seed) % 100;
        if (what < 48)
            allocate(&w);
        else if (what < 88)
            release(&w);
        else if (what < 96)
            extend(&w);
        else
            commit(&w);
        next_change(w.f);
        if (i % 100 == 0)
            compare_list(&w);
    }
    assert_int_equal(ts_change_end(w.f, 0), 0);
    ts_file_unref(w.f);
    free(w.map);
    remove(path);
}

static void allocations_never_overlap(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 4; seed++) {
        run(H5F_FSPACE_STRATEGY_FSM_AGGR, 4096, seed);
        run(H5F_FSPACE_STRATEGY_PAGE, 512, seed);
        run(H5F_FSPACE_STRATEGY_PAGE, 4096, seed);
    }
}

static void without_reuse_only_the_end_is_given_back(void **state)
{
    (void)state;
    const char *path = scratch("none");
    struct ts_file *f = create(path, NULL);
    haddr_t a, b, c;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_alloc_strategy(f, &(struct ts_file_space){.strategy = H5F_FSPACE_STRATEGY_NONE}), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 100, &a), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 100, &b), 0);
    ts_file_free(f, H5FD_MEM_DRAW, a, 100);
    next_change(f);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 100, &c), 0);
    assert_int_equal(c, b + 100);
    ts_file_free(f, H5FD_MEM_DRAW, c, 100);
    next_change(f);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 40, &c), 0);
    assert_int_equal(c, b + 100);
    assert_int_equal(ts_change_end(f, 0), 0);
    ts_file_unref(f);
    remove(path);
}

static void large_blocks_are_aligned(void **state)
{
    (void)state;
    const char *path = scratch("align");
    struct ts_plist *fapl;
    hsize_t alignment = 1024, threshold = 100;
    assert_int_equal(ts_plist_copy(ts_plist_default(TS_PLIST_FILE_ACCESS), &fapl), 0);
    assert_int_equal(ts_fapl_set_alignment(fapl, alignment), 0);
    assert_int_equal(ts_fapl_set_alignment_threshold(fapl, threshold), 0);
    struct ts_file *f = create(path, fapl);
    haddr_t addr, before = f->end;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 100, &addr), 0);
    assert_int_equal(addr, 1024);
    /* The gap is used for what needs no alignment. */
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 99, &addr), 0);
    assert_int_equal(addr, before);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 100 + (uint64_t)i, &addr), 0);
        assert_int_equal(addr % 1024, 0);
    }
    assert_int_equal(ts_change_end(f, 0), 0);
    ts_file_unref(f);
    ts_plist_unref(fapl);
    remove(path);
}

static void large_raw_data_begins_well(void **state)
{
    (void)state;
    const char *path = scratch("large");
    struct ts_file *f = create(path, NULL);
    haddr_t odd, addr, gap;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 64 - f->end % 64 + 1, &odd), 0);
    haddr_t end = f->end;
    assert_int_equal(end % 64, 1);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 65536, &addr), 0);
    assert_int_equal(addr, end + 63);
    /* The gap is free, for what is small or not raw data. */
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 63, &gap), 0);
    assert_int_equal(gap, end);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 65535, &addr), 0);
    assert_int_equal(addr, end + 63 + 65536);
    /* What is free wins over what begins well. */
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 70001, &odd), 0);
    assert_int_not_equal(odd % 64, 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 10, &gap), 0);
    ts_file_free(f, H5FD_MEM_OHDR, odd, 70001);
    next_change(f);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 70001, &addr), 0);
    assert_int_equal(addr, odd);
    assert_int_equal(ts_change_end(f, 0), 0);
    ts_file_unref(f);
    remove(path);
}

static void whole_large_pages_begin_with_one(void **state)
{
    (void)state;
    const char *path = scratch("pages");
    struct ts_file *f = create(path, NULL);
    haddr_t odd, addr, gap, skipped = 0;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 3000001, &odd), 0);
    haddr_t end = f->end;
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 65536, &addr), 0);
    assert_int_equal(addr % 65536, 0);
    assert_in_range(addr, end, end + 65535);
    for (haddr_t last = addr + 65536, i = 0; i < 4; i++, last = addr + 65536) {
        assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 65536, &addr), 0);
        assert_int_equal(addr, last);
    }
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 100, &gap), 0);
    assert_int_equal(gap, end);
    /* However blocks follow one another, little is skipped. */
    for (int i = 0; i < 100; i++) {
        assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 262145, &odd), 0);
        end = f->end;
        assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 262144, &addr), 0);
        assert_true(addr % 64 == 0 || addr < end);
        skipped += addr > end ? addr - end : 0;
    }
    assert_in_range(skipped, 262143, f->end / 16 + 100 * 64);
    assert_int_equal(ts_change_end(f, 0), 0);
    ts_file_unref(f);
    remove(path);
}

static void short_addresses_end(void **state)
{
    (void)state;
    const char *path = scratch("short");
    struct ts_plist *fcpl;
    struct ts_file *f;
    uint8_t two = 2;
    haddr_t addr;
    assert_int_equal(ts_plist_copy(ts_plist_default(TS_PLIST_FILE_CREATE), &fcpl), 0);
    assert_int_equal(ts_fcpl_set_addr_size(fcpl, two), 0);
    assert_int_equal(ts_file_create(path, H5F_ACC_TRUNC, fcpl, ts_plist_default(TS_PLIST_FILE_ACCESS), &f), 0);
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 65000, &addr), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 600, &addr), -1);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 65535 - f->end, &addr), 0);
    assert_int_equal(ts_change_end(f, 0), 0);
    ts_file_unref(f);
    ts_plist_unref(fcpl);
    ts_err_clear();
    remove(path);
}

static void space_that_was_never_written_is_zeros(void **state)
{
    (void)state;
    const char *path = scratch("zeros");
    struct ts_file *f = create(path, NULL);
    uint8_t buf[300];
    haddr_t a, b;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 200, &a), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_DRAW, 100, &b), 0);
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(ts_file_write(f, a, 50, memset(buf, 7, 50)), 0);
    memset(buf, 1, sizeof buf);
    assert_int_equal(ts_file_read(f, a, 300, buf), 0);
    for (int i = 0; i < 300; i++)
        assert_int_equal(buf[i], i < 50 ? 7 : 0);
    assert_int_equal(ts_file_read(f, a, 301, buf), -1);
    assert_int_equal(ts_file_write(f, b, 101, buf), -1);
    ts_err_clear();
    ts_file_unref(f);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_never_overlap),
        cmocka_unit_test(without_reuse_only_the_end_is_given_back),
        cmocka_unit_test(large_blocks_are_aligned),
        cmocka_unit_test(large_raw_data_begins_well),
        cmocka_unit_test(whole_large_pages_begin_with_one),
        cmocka_unit_test(short_addresses_end),
        cmocka_unit_test(space_that_was_never_written_is_zeros),
    };
    if (H5open() < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
