/* A version 2 B-tree of any bytes, walked both ways, searched, and asked for records by position. */
#include "index/btree2.h"
#include "common.h"

struct count {
    uint64_t n, most;
};

static int visit(const uint8_t *record, void *ctx)
{
    struct count *c = ctx;
    (void)record;
    if (++c->n > c->most)
        abort();
    return 0;
}

struct target {
    const uint8_t *record;
    size_t size;
};

static int compare(const uint8_t *record, void *ctx, int *order)
{
    const struct target *t = ctx;
    *order = memcmp(t->record, record, t->size);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    struct ts_btree2 *tree;
    if (size < FUZZ_HEAD)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, true);
    if (ts_btree2_open(f, ff.start, &tree) == 0) {
        size_t width = ts_btree2_record_size(tree);
        uint8_t *record = malloc(width);
        uint64_t bytes, n = ts_btree2_count(tree);
        ts_btree2_walk(tree, false, 0, visit, &(struct count){.most = size});
        ts_btree2_walk(tree, true, n / 3, visit, &(struct count){.most = size});
        ts_btree2_at(tree, n / 2, record);
        ts_btree2_at(tree, n - 1, record);
        if (size > width)
            ts_btree2_find(tree, compare, &(struct target){data + size - width, width}, record);
        ts_btree2_storage(tree, &bytes);
        free(record);
        ts_btree2_close(tree);
    }
    fuzz_close(&ff);
    return 0;
}
