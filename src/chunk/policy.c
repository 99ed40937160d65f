/* What decides: ts_sc_way_of says which way a chunk goes, by rules in the order in which they hold. policy.h names the
 * facts and the ways; read.c and write.c go them. */
#include "chunk/policy.h"

#include "base/checked.h"

/* Chunks larger than this part of the budget push out too many others. A share, not a speed: fewer than eight chunks
 * that are used by turns would push each other out. */
#define LARGE_PART 8
/* A write brings no uncoded chunk in that is larger than this. A chunk of 1 MiB written in 63 pieces takes 0.23 ms
 * straight and 0.25 ms by the cache, one of 2 MiB 0.3 and 1.7 ms; in three pieces even one of 256 KiB is better off
 * straight (18 and 52 µs). */
#define WRITE_KEPT_BYTES ((size_t)1 << 20)
/* A read of this part of a chunk goes straight also if the rest is read next. A chunk of 256 KiB read in 4 parts takes
 * 35 µs straight and 36 µs by the cache, in 16 parts 64 and 53 µs. */
#define GOOD_PART 4
/* So many pieces are scattered, if there is one for each so many bytes of the chunk and they have fewer elements than
 * this. Read: 1,000 points of a chunk of 4 MiB take 0.23 ms one by one, 0.24 with all of the chunk, 4,000 0.63 and
 * 0.41; 10,000 runs of 8 integers, 6.5 KiB apart, 5.5 and 11.7. Written: 4,000 points to 64 chunks of 256 KiB 1.7
 * and 3.1 ms, 8,000 3.2 and 3.4, 16,000 5.7 and 3.8; 300,000 192 and 23. Of more than this a chunk takes memory that
 * the system must clear first: 4,096 points of 16 MiB 1.5 and 2.2 ms, 16,384 of 64 MiB 21 and 120. */
#define SCATTERED 16
#define SCATTERED_BYTES ((size_t)4 << 10)
#define SCATTERED_WRITE_BYTES ((size_t)2 << 10)
#define SCATTERED_RUN 128
#define SCATTERED_MOST ((size_t)8 << 20)
/* Reading this many bytes more costs about as much as another call: 1 KiB straight 1.7 µs, a chunk of 64 KiB brought in
 * 11 µs, of 256 KiB 37 µs, of 1 MiB 122 µs. */
#define CALL_BYTES ((size_t)16 << 10)
/* Overwriting so much is worth calls of its own: 64 KiB in chunks of 4 KiB take 8.9 µs straight and 10.3 µs by the
 * cache with the flush behind it, 16 KiB 3.6 and 4.2 µs. What is smaller may be overwritten again before a flush. */
#define BULK_BYTES ((size_t)64 << 10)

/* A part of the budget that a batch may take, and what it may take at most: shares, so that others have the rest. 16
 * MiB with deflate 1 are read in 3.7 to 4.2 ms whether a batch takes all of it or a 64th. It takes this much at least,
 * for with less there would be a call for each small chunk: 4 MiB in chunks of 16 KiB take 18.9 ms with batches of 16
 * KiB, 9.2 of 64 KiB, 8.8 of 256 KiB and of 1 MiB. */
#define BATCH_PART 4
#define BATCH_MOST_PART 2
#define BATCH_LEAST_BYTES ((size_t)256 << 10)
/* Threads wait for the last of a batch, so there should be several chunks for each. */
#define BATCH_PASSING 8
/* So many chunks are enough for a batch. 200,000 integers in chunks of 16 are read in 2.3 ms with batches of 64 to
 * 4,096 chunks, 2.8 of 65,536, and written in 5.0 and 6.5; with deflate 1, in chunks of 64, 11.0 ms of 64, 8.2 of
 * 256, 7.9 of 1,024, 7.5 of more. */
#define BATCH_CHUNKS ((size_t)1024)
/* So many pieces are, or as many more as it takes that all threads have as many chunks. 300,000 points from chunks of
 * 256 KiB: 23 to 24 ms with batches of 1,024 to 16,384 pieces, 17 of 65,536, 19 of 262,144. */
#define BATCH_PIECES ((size_t)1 << 16)

/* Decoding less than this is done before a worker wakes up. On two cores, deflate 1: two chunks of 4 KiB take 20 µs
 * alone, 30 µs with a worker; eight of 8 KiB 142 and 121 µs. */
#define WAKE_READ_BYTES ((size_t)64 << 10)
/* One thread reads so much in about 6 µs, and 1 to 2 of these are the call; decoding it takes 60 µs or more. */
#define READ_ASIDE_BYTES ((size_t)32 << 10)
/* Finding a piece among the elements that are defined counts as decoding so many bytes. On two cores, five sparse
 * chunks in the cache: 250 points take 19 µs alone and 18 with a worker, 500 35 and 29, 2,000 120 and 87. */
#define FOUND_PIECE_BYTES ((size_t)128)
/* Copying less than this is done before workers wake up. On two cores eight chunks of 128 KiB in the cache are
 * overwritten in 19 µs alone and with a worker, of 256 KiB in 38 and 35 µs. */
#define WAKE_WRITE_BYTES ((size_t)1 << 20)
/* Encoding counts as copying so many times the bytes. On two cores, deflate 1: four chunks of 512 bytes take 33 µs
 * alone and 30 with a worker, of 1 KiB 39 and 34, of 2 KiB 52 and 41, of 8 KiB 144 and 77; other filters are quicker.
 */
#define ENCODING_COPIES 64

/* Many small pieces: straight from the file they would have to be sorted, and most of the chunk be read along. */
static bool is_scattered(const struct ts_sc_facts *f)
{
    return f->pieces >= SCATTERED && f->pieces >= f->bytes / (f->write ? SCATTERED_WRITE_BYTES : SCATTERED_BYTES) &&
           f->elements / f->pieces < SCATTERED_RUN && f->bytes <= SCATTERED_MOST;
}

static bool is_too_large(const struct ts_sc_facts *f)
{
    return f->bytes > f->budget / LARGE_PART;
}

static struct ts_sc_way into_memory(const struct ts_sc_facts *f)
{
    bool covered = f->cover != TS_SC_PART;
    if (f->write)
        return (struct ts_sc_way){covered || f->nowhere ? TS_SC_MAKE : TS_SC_LOAD,
                                  !f->skip && !(covered && (f->large || is_too_large(f)))};
    /* A chunk that an operation reads whole is of no use to the next one when the operation alone has more than the
     * cache could keep; and other datasets keep theirs. */
    return (struct ts_sc_way){TS_SC_LOAD, !f->skip && !(f->large && (f->by_set || !f->coded || covered))};
}

/* A little of a chunk straight, or the whole chunk into memory. */
static struct ts_sc_way by_use(const struct ts_sc_facts *f)
{
    if (f->again == TS_SC_UNKNOWN)
        return (struct ts_sc_way){TS_SC_ASK, false};
    return f->again == TS_SC_AGAIN ? into_memory(f) : (struct ts_sc_way){TS_SC_DIRECT, false};
}

static struct ts_sc_way way_of_read(const struct ts_sc_facts *f)
{
    const struct ts_sc_way direct = {TS_SC_DIRECT, false};
    if (f->nowhere)
        return (struct ts_sc_way){TS_SC_FILL, false};
    if (!f->straight || f->by_set || is_scattered(f))
        return into_memory(f);
    if (f->skip)
        return direct;
    if (f->coded)
        return into_memory(f);
    if (f->large || is_too_large(f) || f->elements >= f->inside / GOOD_PART)
        return direct;
    return by_use(f);
}

static struct ts_sc_way way_of_write(const struct ts_sc_facts *f)
{
    const struct ts_sc_way direct = {f->nowhere ? TS_SC_PLACE : TS_SC_DIRECT, false};
    /* Where nothing is, all bytes of the chunk must come. */
    if (!f->straight || (f->nowhere && (f->cover != TS_SC_WHOLE || f->coded || !f->plain)))
        return into_memory(f);
    /* Between its elements lie those outside the extent, which would have to be read for few calls: a full overwrite
     * does not. */
    if (f->cover == TS_SC_EXTENT)
        return into_memory(f);
    if (f->skip)
        return direct;
    if (f->coded || is_scattered(f))
        return into_memory(f);
    if (f->large || is_too_large(f) || f->bytes > WRITE_KEPT_BYTES)
        return direct;
    if (f->cover == TS_SC_PART)
        return by_use(f);
    return f->bulk ? direct : into_memory(f);
}

struct ts_sc_way ts_sc_way_of(const struct ts_sc_facts *f)
{
    return f->write ? way_of_write(f) : way_of_read(f);
}

bool ts_sc_is_large(hsize_t chunks, size_t bytes, size_t budget)
{
    return chunks > 0 && bytes > budget / BATCH_MOST_PART / chunks;
}

bool ts_sc_is_bulk(hsize_t chunks, size_t bytes)
{
    return chunks > BULK_BYTES / bytes;
}

size_t ts_sc_uses_until_whole(size_t bytes)
{
    return bytes / CALL_BYTES;
}

size_t ts_sc_batch_bytes(size_t budget, unsigned threads, size_t chunk_bytes)
{
    size_t most = budget / BATCH_PART > BATCH_LEAST_BYTES ? budget / BATCH_PART : BATCH_LEAST_BYTES, each;
    /* Each thread should have a chunk if the budget allows it at all. */
    if (!ts_mul_size(chunk_bytes, (size_t)threads + 1, &each) || each > budget / BATCH_MOST_PART)
        each = budget / BATCH_MOST_PART;
    return most > each ? most : each;
}

size_t ts_sc_passing_saves(size_t chunk_bytes)
{
    return chunk_bytes - chunk_bytes / BATCH_PASSING;
}

bool ts_sc_batch_counts_full(size_t chunks, size_t pieces, unsigned threads)
{
    return chunks == BATCH_CHUNKS || pieces >= TS_SC_MOST_PIECES ||
           (pieces >= BATCH_PIECES && chunks % (threads + 1) == 0);
}

size_t ts_sc_read_work(size_t decoded_bytes, size_t scattered_pieces)
{
    size_t work = decoded_bytes + scattered_pieces * FOUND_PIECE_BYTES;
    return work < WAKE_READ_BYTES ? work : WAKE_READ_BYTES;
}

bool ts_sc_read_wakes(size_t chunks, size_t work)
{
    return chunks > 1 && work >= WAKE_READ_BYTES;
}

bool ts_sc_reads_itself(uint64_t stored)
{
    return stored >= READ_ASIDE_BYTES;
}

uint64_t ts_sc_write_work(hsize_t elements, size_t element_size, bool encodes)
{
    return elements * (element_size + 1) * (encodes ? ENCODING_COPIES : 1);
}

bool ts_sc_write_wakes(size_t chunks, uint64_t work)
{
    return chunks > 1 && work >= WAKE_WRITE_BYTES;
}
