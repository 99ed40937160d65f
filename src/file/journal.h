/* The journal: what a commit is about to write in place, written behind the end of the file first. It is there while
 * a commit runs, or after one that was cut short; then it is dead, and cut off, wiped or written over. Integers are
 * little-endian, addresses absolute.
 *
 *   table, for each block:  address 8, size 8, checksum of its bytes 4, zeros 4
 *   the blocks' bytes, in the order of the table
 *   trailer, the last 64 bytes of the file:
 *      0 "TSJRNL\r\n" 8
 *      8 version 2 (2)
 *     10 flags 2: 1 it counts also when the superblock is not marked
 *     12 number of the commit 4, of those since the file was opened; it may wrap around
 *     16 address of the table 8
 *     24 number of blocks 8
 *     32 the superblock's end of file before the commit 8
 *     40 the superblock's end of file after the commit 8
 *     48 bytes of all blocks 8
 *     56 checksum of the table 4
 *     60 checksum of the trailer's first 60 bytes 4
 *
 * A journal counts when every checksum is right, it reaches to the last byte of the file, it lies behind both ends of
 * file, the superblock in the file says one of the two, and is marked (ts_superblock_mark) or need not be. Data of the
 * file lies before them, so it never looks like a journal. Those of version 1 have zeros for flags and number, and need
 * no mark. */
#ifndef TS_FILE_JOURNAL_H
#define TS_FILE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"
#include "driver/driver.h"

/* Flags. */
enum { TS_JOURNAL_UNMARKED = 1 };

struct ts_journal {
    haddr_t start;
    haddr_t end_before, end_after;
    unsigned flags; /* TS_JOURNAL_* */
    uint32_t sequence;
    size_t n;
    struct ts_io_out *blocks;
    uint8_t *bytes; /* of a journal that was read; the blocks point into it */
};

/* Of its bytes in the file. */
haddr_t ts_journal_size(const struct ts_journal *j);

/* The vectors that write the journal: out has room for n + 2. `scratch` gets the table and the trailer. */
int ts_journal_vectors(const struct ts_journal *j, struct ts_wr *scratch, struct ts_io_out *out);

/* 1 and *out (ts_journal_deinit) when the file, whose superblock says that it ends at `end` and is marked or not, has a
 * whole journal that counts. */
int ts_journal_find(struct ts_driver *d, haddr_t end, bool marked, struct ts_journal *out);
void ts_journal_deinit(struct ts_journal *j);

#endif
