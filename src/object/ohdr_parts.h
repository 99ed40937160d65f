/* What the reading and the writing half of object headers share. */
#ifndef TS_OBJECT_OHDR_PARTS_H
#define TS_OBJECT_OHDR_PARTS_H

#include "meta/meta.h"
#include "object/ohdr.h"

extern const struct ts_meta_class ts_ohdr_class;

bool ts_ohdr_knows(unsigned type);
/* The message is about to leave the header: takes back its use of what is shared. */
int ts_ohdr_let_go(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg);
/* Before it is written: in the file of a SWMR writer continuations that changed move, so that the first block, which says
 * where they are, brings all changes at once. */
int ts_ohdr_settle(struct ts_file *f, void *obj);
/* Before it is changed. */
int ts_ohdr_keep(struct ts_file *f, void *obj);
int ts_ohdr_encode(struct ts_file *f, const void *obj, struct ts_blocks *out);

#endif
