/* Random changes, nested and failing, of structures in the metadata cache against a model of what must be there. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "meta/parts.h"
#include "plist/plist.h"

enum { BLOCK = 32, SLOTS = 24, MOST_DEEP = 3 };

struct thing {
    haddr_t addr;
    uint64_t value;
};

static int thing_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    uint8_t buf[BLOCK];
    struct thing *t = ts_malloc(sizeof *t);
    if (!t)
        return -1;
    if (ts_file_read(f, addr, sizeof buf, buf) < 0) {
        ts_free(t);
        return -1;
    }
    struct ts_rd r = ts_rd_init(buf, sizeof buf);
    *t = (struct thing){addr, ts_rd_u64(&r)};
    *obj = t;
    *bytes = 1000;
    return 0;
}

static int thing_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct thing *t = obj;
    struct ts_wr *w = ts_blocks_begin(out);
    ts_wr_u64(w, t->value);
    ts_wr_zeros(w, BLOCK - 8);
    return ts_blocks_end(out, t->addr);
}

static int thing_keep(struct ts_file *f, void *obj)
{
    return ts_undo_bytes(f, obj, sizeof(struct thing));
}

static const struct ts_meta_class thing_class = {
    .name = "thing", .load = thing_load, .free = ts_free, .encode = thing_encode, .keep = thing_keep};

/* What must be in the file and the cache. Edges go from parents to children with greater numbers: there are no circles. */
struct model {
    haddr_t addr[SLOTS]; /* HADDR_UNDEF: nothing there */
    uint64_t value[SLOTS];
    bool edge[SLOTS][SLOTS];
    uint8_t bytes[64];
};

struct world {
    struct ts_file *f;
    struct model now;
    uint8_t bytes[64]; /* memory that changes touch */
    char *text;        /* and a block of it */
};

static char path[64];

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    H5open();
    snprintf(path, sizeof path, "/tmp/tessera-undo-%d.h5", (int)getpid());
    if (ts_file_create(path, H5F_ACC_TRUNC, ts_plist_default(TS_PLIST_FILE_CREATE), ts_plist_default(TS_PLIST_FILE_ACCESS),
                       &w->f) < 0 ||
        ts_meta_attach(w->f) < 0)
        return -1;
    for (int i = 0; i < SLOTS; i++)
        w->now.addr[i] = HADDR_UNDEF;
    ts_meta_watching = true;
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    ts_file_unref(w->f);
    ts_free(w->text);
    free(w);
    unlink(path);
    return 0;
}

static int make(struct world *w, int i)
{
    haddr_t addr;
    struct thing *t = ts_malloc(sizeof *t);
    if (!t)
        return -1;
    if (ts_file_alloc(w->f, H5FD_MEM_OHDR, BLOCK, &addr) < 0) {
        ts_free(t);
        return -1;
    }
    *t = (struct thing){addr, (uint64_t)rand()};
    if (ts_meta_insert(w->f, &thing_class, addr, t, 1000) < 0) {
        ts_free(t);
        return -1;
    }
    w->now.addr[i] = addr;
    w->now.value[i] = t->value;
    ts_meta_unpin(w->f, addr);
    return 0;
}

static void clear_edges(struct model *m, int i)
{
    for (int k = 0; k < SLOTS; k++)
        m->edge[i][k] = m->edge[k][i] = false;
}

static int set(struct world *w, int i)
{
    void *obj;
    if (ts_meta_pin(w->f, &thing_class, w->now.addr[i], NULL, &obj) < 0)
        return -1;
    int status = ts_meta_edit(w->f, w->now.addr[i]);
    if (status == 0)
        w->now.value[i] = ((struct thing *)obj)->value = (uint64_t)rand();
    ts_meta_unpin(w->f, w->now.addr[i]);
    return status;
}

static int destroy(struct world *w, int i)
{
    ts_meta_remove(w->f, w->now.addr[i]);
    ts_file_free(w->f, H5FD_MEM_OHDR, w->now.addr[i], BLOCK);
    w->now.addr[i] = HADDR_UNDEF;
    clear_edges(&w->now, i);
    return 0;
}

static int move(struct world *w, int i)
{
    void *obj;
    haddr_t from = w->now.addr[i], to;
    if (ts_meta_pin(w->f, &thing_class, from, NULL, &obj) < 0)
        return -1;
    if (ts_file_alloc(w->f, H5FD_MEM_OHDR, BLOCK, &to) < 0 || ts_meta_edit(w->f, from) < 0 ||
        ts_meta_move(w->f, from, to) < 0) {
        ts_meta_unpin(w->f, from);
        return -1;
    }
    ((struct thing *)obj)->addr = w->now.addr[i] = to;
    ts_meta_unpin(w->f, to);
    ts_file_free(w->f, H5FD_MEM_OHDR, from, BLOCK);
    return 0;
}

static bool cached(const struct world *w, int i)
{
    return w->now.addr[i] != HADDR_UNDEF && ts_map_get(&ts_meta_of(w->f)->entries, w->now.addr[i]);
}

static int link_up(struct world *w, int i, int k)
{
    if (i >= k || !cached(w, i) || !cached(w, k))
        return 0;
    if (ts_meta_depend(w->f, w->now.addr[i], w->now.addr[k]) < 0)
        return -1;
    w->now.edge[i][k] = true;
    return 0;
}

static int cut(struct world *w, int i, int k)
{
    if (i < k && cached(w, i) && cached(w, k)) {
        ts_meta_undepend(w->f, w->now.addr[i], w->now.addr[k]);
        w->now.edge[i][k] = false;
    }
    return 0;
}

static int scribble(struct world *w)
{
    size_t at = (size_t)rand() % 60;
    if (ts_undo_bytes(w->f, w->bytes + at, 4) < 0)
        return -1;
    w->bytes[at] = w->now.bytes[at] = (uint8_t)rand();
    w->bytes[at + 3] = w->now.bytes[at + 3] = (uint8_t)rand();
    return 0;
}

/* Memory that is replaced; that nothing of it leaks or is freed twice is for the sanitizer to see. */
static int replace_text(struct world *w)
{
    char *made = ts_malloc(16);
    if (!made)
        return -1;
    if (ts_undo_new(w->f, made) < 0) {
        ts_free(made);
        return -1;
    }
    if (ts_undo_bytes(w->f, &w->text, sizeof w->text) < 0 || ts_undo_free(w->f, w->text) < 0)
        return -1;
    w->text = memset(made, 'x', 16);
    return 0;
}

static int operate(struct world *w)
{
    int i = rand() % SLOTS, k = rand() % SLOTS;
    bool there = w->now.addr[i] != HADDR_UNDEF;
    switch (rand() % 8) {
    case 0:
    case 1:
        return there ? set(w, i) : make(w, i);
    case 2:
        return there ? move(w, i) : 0;
    case 3:
        return there ? destroy(w, i) : make(w, i);
    case 4:
        return link_up(w, i, k);
    case 5:
        return cut(w, i, k);
    case 6:
        return scribble(w);
    default:
        return replace_text(w);
    }
}

/* Returns what the change returned. When it failed the model goes back too. */
static int change(struct world *w, int depth)
{
    struct model before = w->now;
    if (ts_change_begin(w->f) < 0)
        return -1;
    int status = 0;
    for (int n = rand() % 8; n > 0 && status == 0; n--) {
        bool inner = depth < MOST_DEEP && rand() % 4 == 0;
        /* That one inside failed need not trouble the one around it. */
        status = inner ? change(w, depth + 1) : operate(w);
        if (inner && rand() % 2)
            status = 0;
    }
    if (rand() % 3 == 0)
        status = -1;
    status = ts_change_end(w->f, status);
    if (status < 0)
        w->now = before;
    return status;
}

static bool is_edge(const struct ts_meta_entry *parent, const struct ts_meta_entry *child)
{
    for (const struct ts_meta_edge *e = child->parents; e; e = e->next_parent)
        if (e->parent == parent)
            return true;
    return false;
}

/* With all that the cache counts. */
static void check(struct world *w)
{
    struct ts_meta *meta = ts_meta_of(w->f);
    size_t dirty = 0, dirty_bytes = 0, bytes = 0, pos = 0;
    uint64_t addr;
    void *value;
    assert_memory_equal(w->bytes, w->now.bytes, sizeof w->bytes);
    for (int i = 0; i < SLOTS; i++)
        for (int k = i + 1; k < SLOTS; k++)
            if (cached(w, i) && cached(w, k))
                assert_int_equal(is_edge(ts_map_get(&meta->entries, w->now.addr[i]), ts_map_get(&meta->entries, w->now.addr[k])),
                                 w->now.edge[i][k]);
    while (ts_map_next(&meta->entries, &pos, &addr, &value)) {
        const struct ts_meta_entry *e = value;
        unsigned children = 0;
        assert_int_equal(e->addr, addr);
        assert_int_equal(e->pins, 0);
        for (const struct ts_meta_edge *edge = e->children; edge; edge = edge->next_child)
            children += edge->child->dirty;
        assert_int_equal(children, e->dirty_children);
        assert_int_equal(e->may_go, !e->dirty && children == 0);
        dirty += e->dirty;
        dirty_bytes += e->dirty ? e->bytes : 0;
        bytes += e->bytes;
    }
    assert_int_equal(meta->dirty_entries, dirty);
    assert_int_equal(meta->dirty_bytes, dirty_bytes);
    assert_int_equal(meta->bytes, bytes);
    assert_null(meta->ghosts);
}

static void check_values(struct world *w)
{
    for (int i = 0; i < SLOTS; i++) {
        void *obj;
        if (w->now.addr[i] == HADDR_UNDEF)
            continue;
        assert_int_equal(ts_meta_pin(w->f, &thing_class, w->now.addr[i], NULL, &obj), 0);
        assert_int_equal(((struct thing *)obj)->value, w->now.value[i]);
        ts_meta_unpin(w->f, w->now.addr[i]);
    }
}

/* Edges between what was clean end when it leaves the cache; and what a flush wrote may leave it. */
static void flush(struct world *w)
{
    assert_int_equal(ts_file_flush(w->f), 0);
    H5AC_cache_config_t config;
    ts_meta_config(w->f, &config);
    size_t was = config.max_size;
    config.max_size = 0;
    ts_meta_configure(w->f, &config);
    config.max_size = was;
    ts_meta_configure(w->f, &config);
    memset(w->now.edge, 0, sizeof w->now.edge);
}

static void random_changes(void **state)
{
    struct world *w = *state;
    srand(1);
    for (int round = 0; round < 4000; round++) {
        (void)change(w, 0);
        check(w);
        if (round % 16 == 0)
            check_values(w);
        if (round % 50 == 49)
            flush(w);
    }
}

/* Each change once with every allocation in it failing, alone and with all behind it. */
static void random_changes_without_memory(void **state)
{
    struct world *w = *state;
    for (unsigned seed = 0; seed < 250; seed++)
        for (int from = 0; from < 2; from++)
            for (unsigned long n = 1, made = n; made >= n && n < 60; n++) {
                /* As if nothing had been kept by earlier changes. */
                ts_undo_deinit(&w->f->undo);
                w->f->undo.numbered = 1000000 + seed * 1000 + n;
                srand(seed);
                ts_alloc_fail_at(n, from ? TS_FAULT_FROM : TS_FAULT_ONCE);
                (void)change(w, 0);
                made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
                check(w);
                check_values(w);
            }
    flush(w);
    check_values(w);
}

/* Space that a failed change took is free again, and what it freed is not. */
static void space_goes_back(void **state)
{
    struct world *w = *state;
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(ts_change_begin(w->f), 0);
        assert_int_equal(ts_change_end(w->f, make(w, i)), 0);
    }
    assert_int_equal(ts_file_flush(w->f), 0);
    haddr_t end = w->f->end;
    for (int round = 0; round < 1000; round++) {
        haddr_t addr;
        assert_int_equal(ts_change_begin(w->f), 0);
        assert_int_equal(ts_file_alloc(w->f, H5FD_MEM_OHDR, 1000, &addr), 0);
        ts_file_free(w->f, H5FD_MEM_OHDR, w->now.addr[round % SLOTS], BLOCK);
        assert_int_equal(ts_file_extend(w->f, H5FD_MEM_OHDR, addr, 1000, 2000), 1);
        assert_int_equal(ts_change_end(w->f, -1), -1);
    }
    assert_int_equal(ts_file_flush(w->f), 0);
    assert_int_equal(w->f->end, end);
    struct ts_free_piece *list;
    size_t n;
    assert_int_equal(ts_alloc_list(w->f, &list, &n), 0);
    assert_int_equal(n, 0);
    ts_free(list);
    check_values(w);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(random_changes), CASE(random_changes_without_memory), CASE(space_goes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
