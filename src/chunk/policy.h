/* What is decided, and nothing else: which way a chunk goes, how much a batch takes, when workers are woken. Pure
 * functions from facts to answers, with all thresholds of that; policy.c has the rules in the order in which they hold,
 * and tests/unit/chunk/test_policy.c every combination of the facts beside a table. Read and write loops (read.c,
 * write.c) ask here, and do it.
 *
 * Each threshold has beside it what it was measured by, where it is about speed, or what share it is. Times are the
 * best of many on one core, unless it says two, with the file in memory (tmpfs). */
#ifndef TS_CHUNK_POLICY_H
#define TS_CHUNK_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

/* What is done about a chunk that is not in memory. */
enum ts_sc_route {
    TS_SC_ASK,    /* nothing yet: it depends on whether the chunk comes back (batch.c) */
    TS_SC_FILL,   /* reading what is nowhere: the application gets fill values */
    TS_SC_DIRECT, /* its elements go straight between the application's buffer and where they are in the file */
    TS_SC_PLACE,  /* it gets a place in the file, and its elements go straight there */
    TS_SC_MAKE,   /* it is made in memory: nothing of the old is needed */
    TS_SC_LOAD,   /* it is read and decoded */
    TS_SC_ROUTES
};

/* keep, for MAKE and LOAD: the cache has it afterwards. Else it is there for the one operation: what was read is
 * dropped, what was made goes through: encoded, and out to the file at once. */
struct ts_sc_way {
    enum ts_sc_route route;
    bool keep;
};

/* How much of a chunk an operation covers: less than all that lies in the extent, all of that, all of the chunk. A
 * write covers nothing when what it writes depends on what was there. */
enum ts_sc_cover { TS_SC_PART, TS_SC_EXTENT, TS_SC_WHOLE };

/* Whether a chunk of which a little is wanted is one that comes back. */
enum ts_sc_again { TS_SC_UNKNOWN, TS_SC_ONCE, TS_SC_AGAIN };

struct ts_sc_facts {
    bool write;
    bool nowhere;  /* the chunk has no place in the file */
    bool coded;    /* the disk format of the layout's chunks is not that of the cache */
    bool straight; /* the layout can say where elements are, and has not declined for this chunk */
    bool plain;    /* in memory a chunk is an array of its elements, moved by the cache itself */
    bool skip;     /* the cache is not to keep it: by wish, or since it is larger than the budget */
    bool large;    /* the operation has more chunks than the cache should be flooded with */
    bool bulk;     /* it moves enough for calls of its own */
    bool by_set; /* reading: elements are wanted as a set; large says then whether such chunks would flood the cache */
    enum ts_sc_cover cover;
    enum ts_sc_again again;
    size_t bytes, budget;     /* of the chunk in memory; of the cache */
    hsize_t elements, inside; /* wanted, and in the extent */
    size_t pieces;            /* that they are in */
};

struct ts_sc_way ts_sc_way_of(const struct ts_sc_facts *f);

/* More chunks than the cache should be flooded with, each of so many bytes. */
bool ts_sc_is_large(hsize_t chunks, size_t bytes, size_t budget);
/* More bytes than a call of their own costs. */
bool ts_sc_is_bulk(hsize_t chunks, size_t bytes);

/* How often a little of a chunk must be wanted, one time after the other, before it is worth bringing it in whole; 0 or
 * 1: always. */
size_t ts_sc_uses_until_whole(size_t bytes);

/* Bytes of chunks in a batch, of which each takes so many. */
size_t ts_sc_batch_bytes(size_t budget, unsigned threads, size_t chunk_bytes);
/* By how much a chunk counts less in that, which is in memory only while one of many threads is at it. */
size_t ts_sc_passing_saves(size_t chunk_bytes);
/* Whether a batch of so many chunks and pieces is full. */
bool ts_sc_batch_counts_full(size_t chunks, size_t pieces, unsigned threads);

/* What a chunk adds to the work of a batch, and whether that is worth waking workers for. */
size_t ts_sc_read_work(size_t decoded_bytes, size_t scattered_pieces);
bool ts_sc_read_wakes(size_t chunks, size_t work);
/* Whether a thread that decodes a chunk should read its stored bytes itself, rather than one thread those of many. */
bool ts_sc_reads_itself(uint64_t stored);
uint64_t ts_sc_write_work(hsize_t elements, size_t element_size, bool encodes);
bool ts_sc_write_wakes(size_t chunks, uint64_t work);

/* A chunk that was written up to its end goes out at once when it is not coded and has so many bytes: its bytes are
 * still in the processor's cache, and its memory is for the next one. 4 MiB appended in rows of 4 KiB: with chunks of
 * 32 KiB 2.2 ms, 2.0 when they wait for the flush; of 64 KiB 1.9 and 2.1; of 256 KiB 1.7 and 1.8. */
#define TS_SC_FILLED_BYTES ((size_t)64 << 10)
/* A chunk may have so many pieces in a batch: 12 MiB of them. 600,000 points of one chunk of 4 MiB with deflate 1 are
 * read in 14 ms at 16,384 at a time, 17 at so many, 28 at once; but a chunk that is not kept is decoded for each part.
 */
#define TS_SC_MOST_PIECES ((size_t)1 << 18)
/* Bytes that a quick write copies without letting go of the cache's lock: 8 KiB take 53 ns, far less than another
 * thread needs to go to sleep for it and wake up. */
#define TS_SC_UNDER_LOCK_BYTES ((size_t)8 << 10)
/* What is read without any lock, at most: who lets a chunk leave waits for as long as copying it takes (32 KiB: 1 µs).
 * More takes so long that the lock does not count. */
#define TS_SC_LOOK_BYTES ((size_t)32 << 10)
#define TS_SC_LOOK_CHUNKS 16
/* Encoding less than this ahead takes no longer than waking a worker for it: such chunks wait for company. 4 MiB
 * appended with deflate 1: in chunks of 2 KiB 39 ms one by one, 19 in company; of 4 KiB 17 and 29. */
#define TS_SC_ENCODE_ALONE_BYTES ((size_t)4 << 10)
/* Reads that must have followed each other before what comes next is read ahead. 200 reads of a chunk of 64 KiB each,
 * deflate 1, with a jump after every one, 2, 4, 8, never: 62, 46, 36, 26, 22 ms when it is read ahead always, 35, 41,
 * 40, 26, 21 after 1, 34, 33, 42, 28, 21 after 2, 34, 34, 33, 35, 22 after 4, 35, 33, 33, 32, 39 never. */
#define TS_SC_READS_IN_SEQUENCE 2

#endif
