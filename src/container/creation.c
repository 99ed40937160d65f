#include "container/creation.h"

#include "container/setup.h"
#include "object/sohm.h"
#include "plist/fcpl.h"

static int describe_superblock(struct ts_plist *pl, const struct ts_superblock *sb)
{
    const unsigned btree_k[2] = {sb->group_internal_k, sb->chunk_k};
    if (ts_fcpl_set_userblock(pl, sb->base) < 0 || ts_fcpl_set_sym_leaf_k(pl, sb->group_leaf_k) < 0 ||
        ts_fcpl_set_btree_k(pl, btree_k) < 0 || ts_fcpl_set_addr_size(pl, (uint8_t)sb->addr_size) < 0 ||
        ts_fcpl_set_length_size(pl, (uint8_t)sb->len_size) < 0)
        return -1;
    return ts_fcpl_set_superblock_version(pl, sb->version);
}

static int describe_shared_messages(struct ts_plist *pl, const struct ts_sohm_table *table)
{
    unsigned types[H5O_SHMESG_MAX_NINDEXES] = {0}, min_size[H5O_SHMESG_MAX_NINDEXES];
    if (table->n == 0)
        return 0;
    if (ts_fcpl_sohm_min_size(pl, min_size) < 0)
        return -1;
    for (unsigned i = 0; i < table->n; i++) {
        types[i] = table->index[i].types;
        min_size[i] = table->index[i].min_size;
    }
    if (ts_fcpl_set_sohm_indexes(pl, table->n) < 0 || ts_fcpl_set_sohm_types(pl, types) < 0 ||
        ts_fcpl_set_sohm_min_size(pl, min_size) < 0 || ts_fcpl_set_sohm_max_list(pl, table->index[0].list_max) < 0)
        return -1;
    return ts_fcpl_set_sohm_min_btree(pl, table->index[0].btree_min);
}

static int describe_space(struct ts_plist *pl, const struct ts_file_space *space)
{
    if (ts_fcpl_set_space_strategy(pl, space->strategy) < 0 || ts_fcpl_set_space_persist(pl, space->persist) < 0 ||
        ts_fcpl_set_space_threshold(pl, space->threshold) < 0)
        return -1;
    return ts_fcpl_set_space_page_size(pl, space->page_size);
}

int ts_container_creation_list(struct ts_file *f, struct ts_plist **out)
{
    const struct ts_extension *extension = ts_container_extension(f);
    struct ts_plist *pl;
    /* What the file does not store, such as how its root group was to be made, the creator still knows. */
    struct ts_plist *base = f->fcpl ? f->fcpl : ts_plist_default(TS_PLIST_FILE_CREATE);
    if (ts_plist_copy(base, &pl) < 0)
        return -1;
    if (describe_superblock(pl, &f->sb) < 0 || describe_shared_messages(pl, ts_sohm_table(f)) < 0 ||
        describe_space(pl, &extension->space) < 0) {
        ts_plist_unref(pl);
        return -1;
    }
    ts_plist_drop_unchanged(pl, base);
    *out = pl;
    return 0;
}
