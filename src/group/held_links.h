/* New links of a dense group that wait in memory. One by one each costs a way down the name index and one into the heap;
 * together they go in block by block and leaf by leaf. They hang on the name index (ts_btree2_hold): when that is written, or
 * opened by anybody but who looks for one name or adds one, they are put in (dense.c). */
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

struct ts_held_links {
    struct ts_btree2_held base; /* n: how many */
    struct ts_file *file;
    struct ts_link_info info; /* where they go */
    struct ts_held_link *items;
    size_t capacity;
    uint8_t *bytes;
    size_t n_bytes, bytes_capacity;
    uint32_t *slots; /* by hash, open addressing: numbers of items and one more, 0 none */
    size_t n_slots;  /* a power of two, or 0 */
};

/* NULL when memory is short. */
struct ts_held_links *ts_held_links_new(struct ts_file *f, const struct ts_link_info *info,
                                        int (*settle)(struct ts_btree2 *tree, struct ts_btree2_held *held));
/* 1 and the link, borrowed until the next change; 0 when none has the name. */
int ts_held_links_find(const struct ts_held_links *h, const char *name, uint32_t hash, const struct ts_held_link **out);

/* Changes; inside ts_change_begin/end. */

/* A link whose name none of them has. */
int ts_held_links_add(struct ts_btree2 *tree, struct ts_held_links *h, const struct ts_held_link *link, const uint8_t *message);
/* From here on there are none; what there were stays with *was until the change ends. */
int ts_held_links_take(struct ts_btree2 *tree, struct ts_held_links *h, struct ts_held_links *was);

#endif
