/* Where the attributes of one object are: messages of its header, or objects of a fractal heap with B-trees over it.
 * Attributes are messages here, bytes with a name in them. */
#ifndef TS_OBJECT_ATTR_STORE_H
#define TS_OBJECT_ATTR_STORE_H

#include "format/attribute.h"
#include "heap/fractal_heap.h"
#include "index/btree2.h"
#include "object/ohdr.h"

/* Records of the two indexes: heap id 8, message flags 1, creation order 4; the name index has the name's hash 4 as
 * well. */
enum { TS_ATTR_HEAP_ID = 8, TS_ATTR_RECORD_ORDER = 13, TS_ATTR_RECORD_NAME = 17, TS_ATTR_RECORD_MAX = 17 };

/* Creation order of attributes whose order is not kept. */
#define TS_ATTR_NO_ORDER 0xFFFFu

struct ts_attr_record {
    uint8_t id[TS_ATTR_HEAP_ID];
    uint8_t flags; /* of the message */
    uint32_t corder, hash;
};

void ts_attr_record_decode(const uint8_t *buf, bool has_hash, struct ts_attr_record *out);
/* All of TS_ATTR_RECORD_MAX bytes; the record of the order index is the beginning of that of the name index. */
void ts_attr_record_encode(const struct ts_attr_record *rec, uint8_t *buf);

/* Open for looking and changing. */
struct ts_attr_store {
    struct ts_ohdr *oh;
    bool has_info, dense;
    struct ts_attr_info info;
    struct ts_fheap *heap; /* when dense */
};

int ts_attr_store_open(struct ts_file *f, haddr_t addr, struct ts_attr_store *out);
void ts_attr_store_close(struct ts_attr_store *st);
/* All but the heap, without keeping anything: for counting. */
int ts_attr_store_read_info(const struct ts_ohdr *oh, struct ts_attr_store *out);
int ts_attr_store_count(const struct ts_attr_store *st, hsize_t *out);

/* One of the two. */
struct ts_attr_spot {
    const struct ts_ohdr_msg *msg;
    unsigned position;                  /* of the message, among those of attributes */
    uint8_t record[TS_ATTR_RECORD_MAX]; /* of the name index */
};

/* 1 and *out, 0 when there is none, negative on error. */
int ts_attr_store_find(const struct ts_attr_store *st, const char *name, struct ts_attr_spot *out);
int ts_attr_store_body(const struct ts_attr_store *st, const struct ts_attr_spot *spot, struct ts_msg_body *out);
/* The same by a record of either index. */
int ts_attr_record_body(const struct ts_attr_store *st, const uint8_t *record, struct ts_msg_body *out);
int ts_attr_store_name_index(const struct ts_attr_store *st, struct ts_btree2 **out);
int ts_attr_store_order_index(const struct ts_attr_store *st, struct ts_btree2 **out);

/* What is looked for in the name index, and how it is compared with a record. */
struct ts_attr_wanted {
    const struct ts_attr_store *st;
    const char *name;
    uint32_t hash;
};
struct ts_attr_wanted ts_attr_want(const struct ts_attr_store *st, const char *name);
int ts_attr_compare_name(const uint8_t *record, void *wanted, int *order);

/* Changes, inside ts_change_begin/end; attr_store_write.c. The name must not be there yet; *corder is what it got. */
int ts_attr_store_add(struct ts_attr_store *st, const char *name, const struct ts_wr *body, unsigned *corder);
/* The creation order that the next one gets, where that is tracked. */
int ts_attr_store_set_next(struct ts_attr_store *st, unsigned corder);
/* Other bytes for an attribute of this name. */
int ts_attr_store_replace(struct ts_attr_store *st, const char *name, const struct ts_wr *body);
/* Other bytes, with the new name in them. */
int ts_attr_store_rename(struct ts_attr_store *st, const char *from, const char *to, const struct ts_wr *body);
int ts_attr_store_remove(struct ts_attr_store *st, const char *name);
/* Whether a message of so many bytes can be added, before anything is changed. */
int ts_attr_store_check_size(const struct ts_attr_store *st, size_t size);

/* The attribute is about to go for good: so do sequences and references that its values lead to in heaps, unless its
 * message is shared with others. attr_values.c */
int ts_attr_release_values(const struct ts_attr_store *st, const struct ts_attr_spot *spot);
/* Whether there may be any. Told by a byte of the datatype: most attributes are numbers and strings of fixed size. */
bool ts_attr_may_refer(const struct ts_attr_msg *msg);

/* One user more or less of the committed datatype that an attribute's message leads to, if it does. */
int ts_attr_count_use(struct ts_file *f, const uint8_t *body, size_t size, int by);

#endif
