/* Layouts for testing the shared chunk cache. They keep chunks in a file in memory and their index in a table, count
 * every call, can be made to fail at any of them, and abort when the cache breaks the contract of layout_ops.h:
 *   - a callback runs with the cache's lock held, or in a thread where it may not;
 *   - a chunk is changed without its dataset's order lock, or while someone reads it;
 *   - a chunk is entered whose bytes are not on file, or room is neither used nor given back;
 *   - a chunk stays in memory when the dataset is closed.
 * Space that is free, or has room for bytes that are not written yet, holds TOY_POISON bytes. */
#ifndef TESTS_UNIT_CHUNK_TOY_H
#define TESTS_UNIT_CHUNK_TOY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunk/shared_cache.h"

#define TOY_POISON 0xdb
#define TOY_MAX_RANK 3

enum toy_kind {
    TOY_PLAIN,  /* an array in memory and on disk */
    TOY_CODED,  /* an array, run-length coded with a checksum on disk */
    TOY_SPARSE, /* element numbers and values; on disk their count, the numbers unless all are there, values, checksums */
};

enum toy_call {
    TOY_LOOKUP, TOY_DECODE, TOY_DECODE_DEFINED, TOY_NEW, TOY_CONDENSE, TOY_ENCODE, TOY_ENCODE_IN_PLACE, TOY_EVICT,
    TOY_PLACE, TOY_INSERT, TOY_DISPLACE, TOY_WRITE, TOY_SELECTION_READ, TOY_VECTOR_READ, TOY_SELECTION_WRITE,
    TOY_SCATTER, TOY_GATHER, TOY_FILL, TOY_DEFINED, TOY_ERASE, TOY_EVICT_VALUES, TOY_QUERY, TOY_DELETE, TOY_MISSING,
    TOY_CALLS
};

struct toy_block;

/* A file in memory, and who uses which part of it. */
struct toy_file {
    struct ts_file *f;
    pthread_mutex_t lock;
    struct toy_block *blocks;
    size_t n, capacity;
    haddr_t next, end;
    bool gaps;  /* between some of the blocks */
    bool quiet; /* no bytes are written or read but those of the cache: for tests in which that fails */
};

struct toy_options {
    enum toy_kind kind;
    unsigned rank;
    hsize_t dims[TOY_MAX_RANK], chunk[TOY_MAX_RANK];
    size_t element_size; /* stored; at most 8 */
    uint8_t fill[8];
    bool partial_plain;  /* coded: chunks over the edge of the extent are stored as they are */
    bool zeros_nowhere;  /* coded: a chunk of zeros takes no bytes on disk */
    bool careful;        /* plain: what is written over bytes on file goes through write */
    bool no_direct;      /* no access to elements on disk */
    bool one_thread;     /* callbacks run in the thread of the operation only */
    bool keep_whole;     /* sparse: values are not evicted alone */
};

struct toy_entry {
    hsize_t scaled[TOY_MAX_RANK];
    haddr_t addr;
    uint64_t size, note;
};

struct toy {
    struct ts_sc_dset sc;
    struct toy_options o;
    struct toy_file *file;
    struct ts_sc_layout_ops ops;
    size_t chunk_elements, chunk_bytes;
    struct ts_rwlock order;
    pthread_mutex_t lock; /* of the index */
    struct toy_entry *index;
    size_t n, capacity;
    atomic_ulong calls[TOY_CALLS];
    atomic_long live; /* chunks in the cache format, unless the layout is plain */
    void (*hook)(struct toy *toy, enum toy_call call); /* called by every callback first; may be NULL */
};

/* The file; its cache is made with the first toy. In memory; or, for threads, on disk: what lies between two chunks may be
 * read along while others write it, and goes unused, but in memory that counts as a race. */
void toy_file_open(struct toy_file *file);
void toy_file_open_on_disk(struct toy_file *file);
void toy_file_close(struct toy_file *file);
/* Settings that make tests repeatable: given numbers, others as by default but nothing ahead of time. */
void toy_settings(struct toy_file *file, size_t budget, unsigned threads);
int toy_configure(struct toy_file *file, const H5F_shared_chunk_cache_t *settings);

void toy_open(struct toy *toy, struct toy_file *file, const struct toy_options *options);
/* Forgets what is in memory and checks that nothing is left over. */
void toy_close(struct toy *toy);
/* Out of the cache, as when the last handle of a dataset has gone, and in again; the index stays. */
int toy_reopen(struct toy *toy);

/* The n-th callback from now on (1 is the next) of any toy that can fail does, alone or with all that follow; 0 switches
 * it off. Returns how many there were since the last call. mask: bits 1 << enum toy_call of those that count, 0 for all. */
unsigned long toy_fail_at(unsigned long n, bool once, unsigned long mask);
/* One in n of them fails, as if at random; 0 switches it off. For tests with threads. */
void toy_fail_every(unsigned long n);
unsigned long toy_calls(struct toy *toy, enum toy_call call);
void toy_reset_calls(struct toy *toy);

/* One dataset's part in a transfer. mem NULL: as many elements as there are, one after the other. */
struct toy_part {
    struct toy *toy;
    const struct ts_space *file, *mem;
    void *buf;
    bool convert;  /* memory has native ints, the file 16 bits in the other byte order */
    bool bypass, serial;
};

/* With all locks that the calls ask for. */
int toy_transfer(const struct toy_part *parts, size_t n, bool write);
int toy_flush(struct toy *toy, bool evict);
int toy_flush_all(struct toy_file *file, struct toy *any);
int toy_erase(struct toy *toy, const struct ts_space *space);
int toy_get_defined(struct toy *toy, const struct ts_space *space, struct ts_space **out);
int toy_set_extent(struct toy *toy, const hsize_t *dims);
/* The chunk as an array of all its elements, through the disk format; 1, or 0 when there is none. */
int toy_direct_read(struct toy *toy, const hsize_t *scaled, void *array, bool *defined);
int toy_direct_write(struct toy *toy, const hsize_t *scaled, const void *array, const bool *defined);

/* What is on file now, without the cache: all elements of the extent. defined may be NULL. */
void toy_on_file(struct toy *toy, void *array, bool *defined);
/* The entry of a chunk, or NULL; for tests without threads. */
const struct toy_entry *toy_find(const struct toy *toy, const hsize_t *scaled);

#endif
