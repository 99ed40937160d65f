/* A version 1 B-tree of any bytes, walked and searched. It must end, and visit no more than the file can hold. */
#include "format/btree1.h"
#include "common.h"
#include "index/btree1.h"

struct count {
    uint64_t n, most;
};

static int visit(const struct ts_btree1_entry *e, void *ctx)
{
    struct count *c = ctx;
    (void)e;
    if (++c->n > c->most)
        abort();
    return 0;
}

struct target {
    const uint8_t *key;
    size_t size;
};

static int locate(const uint8_t *left, const uint8_t *right, void *ctx, int *order)
{
    const struct target *t = ctx;
    *order = memcmp(t->key, left, t->size) < 0 ? -1 : memcmp(t->key, right, t->size) >= 0;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    if (size < FUZZ_HEAD)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, false);
    unsigned type = data[0] >> 4 & 1;
    struct ts_btree1 tree = {.file = f,
                             .root = ff.start,
                             .type = type,
                             .key_size = type ? ts_btree1_chunk_key_size(1 + (data[0] >> 5)) : f->sb.len_size};
    struct count count = {.most = size};
    uint64_t bytes;
    haddr_t child;
    uint8_t keys[2 * (8 + 8 * 33)];
    ts_btree1_iterate(&tree, visit, &count);
    ts_btree1_storage(&tree, 32, &bytes);
    if (size > tree.key_size)
        ts_btree1_find(&tree, locate, &(struct target){data + size - tree.key_size, tree.key_size}, &child, keys);
    fuzz_close(&ff);
    return 0;
}
