#include "object/creation.h"

#include "object/setup.h"
#include "plist/fcpl.h"
#include "plist/ocpl.h"

struct setting {
    const char *name;
    const void *value;
};

static int set_all(struct ts_plist *pl, const struct setting *settings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ts_plist_set(pl, settings[i].name, settings[i].value) < 0)
            return -1;
    return 0;
}

static int describe_superblock(struct ts_plist *pl, const struct ts_superblock *sb)
{
    hsize_t user_block = sb->base;
    unsigned leaf_k = sb->group_leaf_k, btree_k[2] = {sb->group_internal_k, sb->chunk_k}, version = sb->version;
    uint8_t addr_size = (uint8_t)sb->addr_size, len_size = (uint8_t)sb->len_size;
    const struct setting settings[] = {
        {TS_P_USERBLOCK, &user_block}, {TS_P_SYM_LEAF_K, &leaf_k},   {TS_P_BTREE_K, btree_k},
        {TS_P_ADDR_SIZE, &addr_size},  {TS_P_LENGTH_SIZE, &len_size}, {TS_P_SUPERBLOCK_VERSION, &version},
    };
    return set_all(pl, settings, sizeof settings / sizeof settings[0]);
}

static int describe_shared_messages(struct ts_plist *pl, const struct ts_sohm_table *table)
{
    unsigned types[H5O_SHMESG_MAX_NINDEXES] = {0}, min_size[H5O_SHMESG_MAX_NINDEXES];
    if (table->n == 0)
        return 0;
    if (ts_plist_get(pl, TS_P_SOHM_MIN_SIZE, min_size) < 0)
        return -1;
    for (unsigned i = 0; i < table->n; i++) {
        types[i] = table->index[i].types;
        min_size[i] = table->index[i].min_size;
    }
    const struct setting settings[] = {
        {TS_P_SOHM_INDEXES, &table->n},
        {TS_P_SOHM_TYPES, types},
        {TS_P_SOHM_MIN_SIZE, min_size},
        {TS_P_SOHM_MAX_LIST, &table->index[0].list_max},
        {TS_P_SOHM_MIN_BTREE, &table->index[0].btree_min},
    };
    return set_all(pl, settings, sizeof settings / sizeof settings[0]);
}

static int describe_space(struct ts_plist *pl, const struct ts_file_space *space)
{
    const struct setting settings[] = {
        {TS_P_SPACE_STRATEGY, &space->strategy},
        {TS_P_SPACE_PERSIST, &space->persist},
        {TS_P_SPACE_THRESHOLD, &space->threshold},
        {TS_P_SPACE_PAGE_SIZE, &space->page_size},
    };
    return set_all(pl, settings, sizeof settings / sizeof settings[0]);
}

int ts_file_creation_list(struct ts_file *f, struct ts_plist **out)
{
    const struct ts_extension *extension = ts_file_extension(f);
    struct ts_plist *pl;
    /* What the file does not store, such as how its root group was to be made, the creator still knows. */
    struct ts_plist *base = f->fcpl ? f->fcpl : ts_plist_default(TS_PLIST_FILE_CREATE);
    if (ts_plist_copy(base, &pl) < 0)
        return -1;
    if (describe_superblock(pl, &f->sb) < 0 || describe_shared_messages(pl, &extension->sohm) < 0 ||
        describe_space(pl, &extension->space) < 0) {
        ts_plist_unref(pl);
        return -1;
    }
    ts_plist_settle(pl, base);
    *out = pl;
    return 0;
}

/* The bits of a header's flags that tell how its first block is sized: no property. */
/* What the header says besides is how it is stored. */
enum { ORDER = H5O_HDR_ATTR_CRT_ORDER_TRACKED | H5O_HDR_ATTR_CRT_ORDER_INDEXED, OF_LIST = ORDER | H5O_HDR_STORE_TIMES };

static int touch_all(struct ts_plist *pl)
{
    return ts_plist_touch(pl, TS_P_ATTR_MAX_COMPACT) < 0 || ts_plist_touch(pl, TS_P_ATTR_MIN_DENSE) < 0 ||
                   ts_plist_touch(pl, TS_P_HEADER_FLAGS) < 0
               ? -1
               : 0;
}

int ts_object_describe(const struct ts_loc *loc, const struct ts_plist *base, struct ts_plist *pl)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    /* A header of version 1 says nothing: the list's defaults hold. */
    const struct ts_ohdr_prefix *p = &oh->prefix;
    int status = 0;
    if (p->version == 2)
        status = ts_ocpl_set_attr_storage(pl, p->max_compact, p->min_dense, p->flags & OF_LIST);
    bool told = p->version == 2 && (ts_file_low_bound(loc->fh->file) >= H5F_LIBVER_V18 || p->flags & ORDER);
    ts_ohdr_close(oh);
    if (status < 0)
        return -1;
    ts_plist_settle(pl, base);
    return told ? touch_all(pl) : 0;
}
