/* Messages that many object headers share: each is once in a heap of the file, with a count of its users, and an index
 * finds it by its bytes. */
#ifndef TS_OBJECT_SOHM_H
#define TS_OBJECT_SOHM_H

#include "format/sohm.h"
#include "object/ohdr.h"

struct ts_plist;

/* Bytes of a shared message's body in a header: version, where, heap id. */
enum { TS_SOHM_ID = 8, TS_SOHM_REF = 2 + TS_SOHM_ID };

/* The mark libhdf5 gives a message that stands in a header and is in an index already. */
#define TS_MSG_FLAG_INDEXED 0x40

/* What a file that shares messages keeps. */
struct ts_sohm {
    struct ts_sohm_table table;
    haddr_t addr; /* of the table */
};

/* NULL in files that share none. */
static inline struct ts_sohm *ts_sohm_of(const struct ts_file *f)
{
    return ts_file_client(f, TS_CLIENT_SHARED_MESSAGES);
}

/* The same, new when there is none. */
struct ts_sohm *ts_sohm_attach(struct ts_file *f);
/* The table of the file's indexes, as it is known so far; n is 0 when it shares no messages. */
const struct ts_sohm_table *ts_sohm_table(const struct ts_file *f);
/* Reads it, given the message in the superblock's extension that tells where it is. */
int ts_sohm_load(struct ts_file *f, const struct ts_ohdr_msg *msg);

/* The rest inside a change. */

/* The indexes that a file creation list asks for; the message that leads to them goes into the superblock's
 * extension. */
int ts_sohm_create(struct ts_file *f, struct ts_plist *fcpl, struct ts_ohdr *extension);
/* Puts a message that header oh is to have where others may share it, if the file shares messages like this: 1 and its
 * id, with one user more. 0: it stays in the header. */
int ts_sohm_share(struct ts_ohdr *oh, unsigned type, const uint8_t *body, size_t size, uint8_t *id);
/* One user more or less; without any it is gone. */
int ts_sohm_count(struct ts_file *f, unsigned type, const uint8_t *id, int by);
/* 1 when a shared message has one user, 0 when it has more, negative on error. */
int ts_sohm_is_alone(struct ts_file *f, unsigned type, const uint8_t *id);
/* A message with TS_MSG_FLAG_INDEXED leaves its header. */
int ts_sohm_forget(const struct ts_ohdr *oh, const struct ts_ohdr_msg *msg);

#endif
