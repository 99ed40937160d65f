/* New links of a dense group that wait in memory. One by one each costs a way down the name index and one into the
 * heap; together they go in block by block and leaf by leaf. They hang on the name index (ts_btree2_hold): when that is
 * written, or opened by anybody but who looks for one name or adds one, they are put in (dense.c). */
#ifndef TS_GROUP_HELD_LINKS_H
#define TS_GROUP_HELD_LINKS_H

#include "base/cursor.h"
#include "group/group.h"
#include "index/btree2.h"

/* Longer messages do not wait: copying them once more would be most of the work. */
enum { TS_HELD_LINK_MAX = 512 };

struct ts_held_link {
    uint32_t hash, size; /* of the name; of the message */
    size_t at;           /* of the message, in the bytes of all */
    int64_t corder;
};

/* Hashes of the names that went into the index since it was empty: one that is not among them is new, and nobody has to
 * go down the index, whose leaves are all over the memory, to see that. There may be more than names, which does no
 * harm: so a change that fails leaves them, and so does who removes a link. */
struct ts_seen_names {
    uint32_t *slots; /* open addressing, 0 none; NULL: it is not known which names there are */
    size_t n, n_slots;
};

struct ts_held_links {
    struct ts_btree2_held base;   /* n: how many */
    struct ts_seen_names *placed; /* its own, and never kept by a change */
    struct ts_file *file;
    struct ts_link_info info; /* where they go */
    struct ts_held_link *items;
    size_t capacity;
    uint8_t *bytes;
    size_t n_bytes, bytes_capacity;
    /* By hash, open addressing: the hash, and in the low half the item's number and one more; 0: none. With the hash a
     * search needs no look at items of other names, which are all over the memory. */
    uint64_t *slots;
    size_t n_slots; /* a power of two, or 0 */
};

/* 1 and the link, borrowed until the next change; 0 when none has the name. */
int ts_held_links_find(const struct ts_held_links *h, const char *name, uint32_t hash, const struct ts_held_link **out);

/* Whether the index may have a name of that hash. */
bool ts_held_links_may_be_placed(const struct ts_held_links *h, uint32_t hash);
/* These are in the index, or will be. */
void ts_held_links_placed(struct ts_held_links *h, const struct ts_held_link *links, size_t n);

/* Changes; inside ts_change_begin/end. */

/* Gives the tree its held links, which must be asked for again; `settle` is what puts them in. */
int ts_held_links_begin(struct ts_btree2 *tree, struct ts_file *f, const struct ts_link_info *info,
                        int (*settle)(struct ts_btree2 *tree, struct ts_btree2_held *held));
/* A link whose name none of them has. */
int ts_held_links_add(struct ts_btree2 *tree, struct ts_held_links *h, const struct ts_held_link *link,
                      const uint8_t *message);
/* From here on there are none; what there were stays with *was until the change ends. */
int ts_held_links_take(struct ts_btree2 *tree, struct ts_held_links *h, struct ts_held_links *was);

#endif
