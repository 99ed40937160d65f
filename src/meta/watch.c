/* Watching changes: what a change that fails must put back, and what must not change unsaid. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "file/blocks.h"
#include "meta/parts.h"

bool ts_meta_watching;

#ifdef TS_MUTATIONS
/* Of all blocks as they would be written. 0: it cannot be told now. */
static uint64_t fingerprint(struct ts_file *f, const struct ts_meta_entry *e)
{
    struct ts_blocks blocks = {0};
    uint64_t sum = 0;
    unsigned mark = ts_err_mark();
    if (e->cls->encode && e->cls->encode(f, e->obj, &blocks) == 0)
        for (size_t i = 0; i < blocks.n; i++) {
            uint32_t bytes = ts_checksum(ts_block_bytes(&blocks, i), blocks.items[i].size);
            sum = sum * UINT64_C(0x9e3779b97f4a7c15) + (blocks.items[i].addr ^ (uint64_t)bytes << 32) + 1;
        }
    ts_blocks_deinit(&blocks);
    ts_err_rewind(mark);
    return sum;
}

static void compare(struct ts_file *f, const struct ts_undo_step *step, const char *what)
{
    const struct ts_meta_entry *e = step->at;
    ts_alloc_spare(true);
    uint64_t now = fingerprint(f, e);
    ts_alloc_spare(false);
    if (step->a == 0 || now == 0 || now == step->a)
        return;
    fprintf(stderr, "%s: the %s at %#llx %s\n", f->name, e->cls->name, (unsigned long long)e->addr, what);
    abort();
}

static void was_undone(struct ts_file *f, const struct ts_undo_step *step)
{
    compare(f, step, "is not as it was before the change that failed");
}

static void was_made(struct ts_file *f, const struct ts_undo_step *step)
{
    const struct ts_meta_entry *e = step->at;
    if (!e->dirty && !e->in_doubt)
        compare(f, step, "was changed, and nobody said so");
}

/* What the change has made or kept already need never be again as it is now. */
void ts_meta_watch(struct ts_file *f, struct ts_meta_entry *e)
{
    if (!ts_meta_watching || !ts_undo_keeps(f) || e->watched == f->undo.change || e->kept == f->undo.change)
        return;
    e->watched = f->undo.change;
    ts_alloc_spare(true);
    struct ts_undo_step step = {.back = was_undone, .done = was_made, .at = e, .a = fingerprint(f, e)};
    (void)ts_undo_add(f, step);
    ts_alloc_spare(false);
}
#endif
