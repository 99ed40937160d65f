#include "unit/chunk/toy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "chunk/chunks.h"
#include "file/alloc.h"
#include "plist/fapl.h"
#include "type/type.h"
#include "unit/file/file_util.h"

#define SPACE ((uint64_t)1 << 20)
#define GARBAGE 0x5a /* what a new chunk has that nobody asked to fill */
#define MAGIC 0x746f7921u /* of what lookup hands to decode */

/* cmocka's assertions work in the main thread only. */
#define CHECK(x) check((x), #x, __func__, __LINE__)

static void check(bool ok, const char *what, const char *where, int line)
{
    if (ok)
        return;
    fprintf(stderr, "toy.c:%d: %s: %s\n", line, where, what);
    abort();
}

static _Thread_local unsigned operations; /* that this thread is in */
static atomic_ulong fail_calls, fail_n, fail_mask = ~0ul, fail_every;
static atomic_bool fail_once;

unsigned long toy_fail_at(unsigned long n, bool once, unsigned long mask)
{
    fail_n = 0;
    unsigned long made = fail_calls;
    fail_calls = 0;
    fail_once = once;
    fail_mask = mask ? mask : ~0ul;
    fail_n = n;
    return made;
}

void toy_fail_every(unsigned long n)
{
    fail_every = n;
}

unsigned long toy_calls(struct toy *toy, enum toy_call call)
{
    return toy->calls[call];
}

void toy_reset_calls(struct toy *toy)
{
    for (unsigned i = 0; i < TOY_CALLS; i++)
        toy->calls[i] = 0;
}

static bool cannot_fail(enum toy_call call)
{
    return call == TOY_EVICT || call == TOY_DISPLACE || call == TOY_EVICT_VALUES;
}

/* Another thread has the lock for a moment at most. */
static void check_unlocked(struct ts_sc *cache)
{
    if (!cache)
        return;
    int got = pthread_mutex_trylock(&cache->lock.raw);
    if (got == EBUSY) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_sec += 20;
        got = pthread_mutex_timedlock(&cache->lock.raw, &t);
    }
    CHECK(got == 0);
    pthread_mutex_unlock(&cache->lock.raw);
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int enter(struct toy *toy, enum toy_call call, bool any_thread)
{
    check_unlocked(toy->sc.cache);
    if (!any_thread || toy->o.one_thread)
        CHECK(operations > 0);
    toy->calls[call]++;
    if (toy->hook)
        toy->hook(toy, call);
    if (cannot_fail(call) || !(fail_mask & 1ul << call))
        return 0;
    unsigned long now = ++fail_calls, n = fail_n, every = fail_every;
    bool fails = every > 0 ? mixed(now) % every == 0 : n > 0 && (fail_once ? now == n : now >= n);
    if (!fails)
        return 0;
    return TS_ERR(DATASET, CALLBACK, "call %lu of a toy layout fails", now);
}

static void check_order(struct toy *toy)
{
    CHECK(pthread_rwlock_tryrdlock(&toy->order.raw) != 0);
}

struct toy_block {
    haddr_t addr;
    uint64_t size;
    enum { FREE, PLACED, NAMED } state;
};

static void poison(struct toy_file *file, haddr_t addr, uint64_t size)
{
    uint8_t *bytes;
    if (file->quiet || size == 0)
        return;
    CHECK((bytes = malloc((size_t)size)) != NULL);
    memset(bytes, TOY_POISON, (size_t)size);
    CHECK(ts_file_write(file->f, addr, (size_t)size, bytes) == 0);
    free(bytes);
}

static haddr_t take(struct toy_file *file, uint64_t size)
{
    struct toy_block *b = NULL;
    pthread_mutex_lock(&file->lock);
    for (size_t i = 0; i < file->n && !b; i++)
        if (file->blocks[i].state == FREE && file->blocks[i].size == size)
            b = &file->blocks[i];
    if (!b) {
        if (file->n == file->capacity) {
            file->capacity = 2 * file->capacity + 64;
            CHECK((file->blocks = realloc(file->blocks, file->capacity * sizeof *file->blocks)) != NULL);
        }
        b = &file->blocks[file->n++];
        *b = (struct toy_block){.addr = file->next, .size = size};
        file->next += size + (file->gaps && file->n % 3 == 0 ? 8 : 0) + (size == 0);
        CHECK(file->next <= file->end);
    }
    b->state = PLACED;
    haddr_t addr = b->addr;
    pthread_mutex_unlock(&file->lock);
    poison(file, addr, size);
    return addr;
}

static void turn(struct toy_file *file, haddr_t addr, int from, int to)
{
    struct toy_block *b = NULL;
    pthread_mutex_lock(&file->lock);
    for (size_t i = 0; i < file->n && !b; i++)
        if (file->blocks[i].addr == addr)
            b = &file->blocks[i];
    CHECK(b && (int)b->state == from);
    uint64_t size = b->size;
    pthread_mutex_unlock(&file->lock);
    if (to == FREE)
        poison(file, addr, size);
    pthread_mutex_lock(&file->lock);
    for (size_t i = 0; i < file->n; i++)
        if (file->blocks[i].addr == addr)
            file->blocks[i].state = to;
    pthread_mutex_unlock(&file->lock);
}

static struct toy_entry *find(const struct toy *toy, const hsize_t *scaled)
{
    for (size_t i = 0; i < toy->n; i++)
        if (memcmp(toy->index[i].scaled, scaled, toy->o.rank * sizeof *scaled) == 0)
            return &toy->index[i];
    return NULL;
}

const struct toy_entry *toy_find(const struct toy *toy, const hsize_t *scaled)
{
    return find(toy, scaled);
}

/* Bytes of the list of defined elements, which starts with their count. */
static uint64_t list_bytes(const struct toy *toy, uint64_t count)
{
    return count < toy->chunk_elements ? 8 + 4 * count : 4;
}

struct sparse {
    atomic_int users; /* -1: one who changes it */
    size_t n, capacity, values_capacity;
    bool evicted; /* the values */
    uint32_t *numbers;
    uint8_t *values;
};

static void describe(const struct toy *toy, struct ts_sc_stored *at)
{
    at->hint = toy->chunk_bytes;
    at->defined_size = 0;
    at->defined_hint = 0;
    if (toy->o.kind != TOY_SPARSE)
        return;
    at->hint = sizeof(struct sparse) + (size_t)at->note * (4 + toy->o.element_size);
    at->defined_hint = sizeof(struct sparse) + 4 * (size_t)at->note;
    if (at->note < toy->chunk_elements)
        at->defined_size = list_bytes(toy, at->note);
}

static int lookup(void *owner, struct ts_sc_spot *spots, size_t n)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_LOOKUP, false) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ts_sc_stored *at = &spots[i].at;
        pthread_mutex_lock(&toy->lock);
        struct toy_entry *e = find(toy, spots[i].scaled);
        *at = (struct ts_sc_stored){.addr = e ? e->addr : HADDR_UNDEF, .size = e ? e->size : 0, .note = e ? e->note : 0};
        pthread_mutex_unlock(&toy->lock);
        describe(toy, at);
        uint32_t *magic = ts_malloc(sizeof *magic);
        if (!magic) {
            while (i-- > 0) {
                ts_free(spots[i].at.udata);
                spots[i].at.udata = NULL;
            }
            return -1;
        }
        *magic = MAGIC;
        at->udata = magic;
    }
    return 0;
}

static void check_coding(const struct toy *toy, const struct ts_sc_coding *how, bool decoding)
{
    if (how->at && how->at->udata)
        CHECK(*(uint32_t *)how->at->udata == MAGIC);
    if (toy->o.partial_plain && decoding)
        CHECK(how->partial_bound == (how->at->note == 0));
}

static int new_array(void *owner, bool fill, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_NEW, !fill) < 0 || !(d->chunk = ts_malloc(toy->chunk_bytes)))
        return -1;
    memset(d->chunk, GARBAGE, toy->chunk_bytes);
    if (fill)
        ts_fill_run(d->chunk, toy->o.fill, toy->o.element_size, toy->chunk_elements);
    d->used = d->alloc = toy->chunk_bytes;
    if (toy->o.kind != TOY_PLAIN)
        toy->live++;
    return 0;
}

static int fill_array(void *owner, const struct ts_piece *pieces, size_t n, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_FILL, false) < 0)
        return -1;
    check_order(toy);
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++) {
            hsize_t at = pieces[i].src + k * pieces[i].src_step;
            CHECK(at + pieces[i].n <= toy->chunk_elements);
            ts_fill_run((uint8_t *)d->chunk + at * toy->o.element_size, toy->o.fill, toy->o.element_size,
                        (size_t)pieces[i].n);
        }
    return 0;
}

static void evict_array(void *owner, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    enter(toy, TOY_EVICT, true);
    CHECK(d->chunk != NULL);
    toy->live--;
    ts_free(d->chunk);
    *d = (struct ts_sc_data){0};
}

/* The disk format: a checksum, then pairs of length and byte. out NULL: only the size. */
static size_t pack(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t size = 4;
    for (size_t i = 0; i < n;) {
        size_t run = 1;
        while (i + run < n && run < 255 && in[i + run] == in[i])
            run++;
        if (out) {
            out[size] = (uint8_t)run;
            out[size + 1] = in[i];
        }
        size += 2;
        i += run;
    }
    if (out) {
        uint32_t sum = ts_checksum(out + 4, size - 4);
        memcpy(out, &sum, 4);
    }
    return size;
}

static bool unpack(const uint8_t *in, size_t size, uint8_t *out, size_t n)
{
    uint32_t sum;
    size_t at = 0;
    if (size < 4 || size % 2 != 0)
        return false;
    memcpy(&sum, in, 4);
    if (sum != ts_checksum(in + 4, size - 4))
        return false;
    for (size_t i = 4; i < size; i += 2) {
        if (in[i] > n - at)
            return false;
        memset(out + at, in[i + 1], in[i]);
        at += in[i];
    }
    return at == n;
}

static int decode_array(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    bool fails = enter(toy, TOY_DECODE, true) < 0;
    check_coding(toy, how, true);
    CHECK(d->used == how->at->size && d->used <= d->alloc);
    if (!fails && d->used > 0 && how->at->note == 0) {
        if (d->used == toy->chunk_bytes) {
            toy->live++;
            return 0;
        }
        fails = TS_ERR(DATASET, CANTDECODE, "a toy chunk of %zu bytes", d->used) < 0;
    }
    uint8_t *array = fails ? NULL : ts_calloc(1, toy->chunk_bytes);
    if (array && d->used > 0 && !unpack(d->chunk, d->used, array, toy->chunk_bytes)) {
        ts_free(array);
        array = NULL;
        TS_ERR(DATASET, CANTDECODE, "a toy chunk of %zu bytes is damaged", d->used);
    }
    d->used = 0;
    if (!array)
        return -1;
    ts_free(d->chunk);
    *d = (struct ts_sc_data){.chunk = array, .used = toy->chunk_bytes, .alloc = toy->chunk_bytes};
    toy->live++;
    return 0;
}

static bool all_zero(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Sets what encoding sets; bytes NULL when they are the same. */
static int code_array(struct toy *toy, bool partial, const void *array, struct ts_sc_coded *out)
{
    out->bytes = NULL;
    out->alloc = 0;
    out->at.note = 0;
    out->at.size = toy->chunk_bytes;
    if (toy->o.partial_plain && partial)
        return 0;
    out->at.note = 1;
    out->at.size = toy->o.zeros_nowhere && all_zero(array, toy->chunk_bytes) ? 0 : pack(array, toy->chunk_bytes, NULL);
    out->alloc = (size_t)out->at.size + 1;
    if (!(out->bytes = ts_malloc(out->alloc)))
        return -1;
    if (out->at.size > 0)
        pack(array, toy->chunk_bytes, out->bytes);
    return 0;
}

static int encode_array(void *owner, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out)
{
    struct toy *toy = owner;
    check_coding(toy, how, false);
    if (enter(toy, TOY_ENCODE, true) < 0)
        return -1;
    return code_array(toy, how->partial_bound, d->chunk, out);
}

static int encode_array_in_place(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d,
                                 struct ts_sc_coded *out)
{
    struct toy *toy = owner;
    check_coding(toy, how, false);
    int status = enter(toy, TOY_ENCODE_IN_PLACE, true);
    if (status == 0)
        status = code_array(toy, how->partial_bound, d->chunk, out);
    if (status == 0 && !out->bytes) {
        out->bytes = d->chunk;
        out->alloc = d->alloc;
    } else
        ts_free(d->chunk);
    *d = (struct ts_sc_data){0};
    toy->live--;
    return status;
}

static void begin_look(const struct sparse *s)
{
    CHECK(((struct sparse *)s)->users++ >= 0);
}

static void end_look(const struct sparse *s)
{
    ((struct sparse *)s)->users--;
}

static void begin_change(struct sparse *s)
{
    int none = 0;
    CHECK(atomic_compare_exchange_strong(&s->users, &none, -1));
}

static void end_change(const struct toy *toy, struct sparse *s, struct ts_sc_data *d)
{
    size_t size = toy->o.element_size;
    s->users = 0;
    d->used = sizeof *s + s->n * 4 + (s->evicted ? 0 : s->n * size);
    d->alloc = sizeof *s + s->capacity * 4 + s->values_capacity * size;
}

/* Room for n elements; what is there stays. */
static int sparse_room(const struct toy *toy, struct sparse *s, size_t n, bool exact)
{
    size_t most = exact ? n : n + 3;
    if (exact ? s->capacity != n : s->capacity < n) {
        uint32_t *numbers = ts_realloc(s->numbers, 4 * most + 1);
        if (!numbers)
            return -1;
        s->numbers = numbers;
        s->capacity = most;
    }
    if (!s->evicted && (exact ? s->values_capacity != n : s->values_capacity < n)) {
        uint8_t *values = ts_realloc(s->values, toy->o.element_size * most + 1);
        if (!values)
            return -1;
        s->values = values;
        s->values_capacity = most;
    }
    return 0;
}

static int sparse_new(struct toy *toy, struct ts_sc_data *d)
{
    struct sparse *s = ts_calloc(1, sizeof *s);
    if (!s)
        return -1;
    if (sparse_room(toy, s, 2, false) < 0) {
        ts_free(s->numbers);
        ts_free(s);
        return -1;
    }
    toy->live++;
    d->chunk = s;
    begin_change(s);
    end_change(toy, s, d);
    return 0;
}

static void sparse_free(struct toy *toy, struct ts_sc_data *d)
{
    struct sparse *s = d->chunk;
    begin_change(s);
    ts_free(s->numbers);
    ts_free(s->values);
    ts_free(s);
    *d = (struct ts_sc_data){0};
    toy->live--;
}

static int new_sparse(void *owner, bool fill, struct ts_sc_data *d)
{
    if (enter(owner, TOY_NEW, !fill) < 0)
        return -1;
    return sparse_new(owner, d);
}

static void evict_sparse(void *owner, struct ts_sc_data *d)
{
    enter(owner, TOY_EVICT, true);
    CHECK(d->chunk != NULL);
    sparse_free(owner, d);
}

static void evict_sparse_values(void *owner, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    struct sparse *s = d->chunk;
    enter(toy, TOY_EVICT_VALUES, true);
    begin_change(s);
    ts_free(s->values);
    s->values = NULL;
    s->values_capacity = 0;
    s->evicted = true;
    end_change(toy, s, d);
}

static int condense_sparse(void *owner, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    struct sparse *s = d->chunk;
    if (enter(toy, TOY_CONDENSE, true) < 0)
        return -1;
    begin_change(s);
    int status = sparse_room(toy, s, s->n, true);
    end_change(toy, s, d);
    return status;
}

/* The numbers and, unless only those are asked for, the values; false when the bytes are not right. */
static int sparse_decode(struct toy *toy, const uint8_t *in, size_t size, uint64_t count, bool values,
                         struct ts_sc_data *out)
{
    size_t list = (size_t)list_bytes(toy, count), bytes = (size_t)count * toy->o.element_size;
    uint32_t sum, n;
    if (sparse_new(toy, out) < 0)
        return -1;
    struct sparse *s = out->chunk;
    s->evicted = !values;
    if (s->evicted) {
        ts_free(s->values);
        s->values = NULL;
        s->values_capacity = 0;
    }
    if (sparse_room(toy, s, (size_t)count, false) < 0)
        goto failed;
    s->n = (size_t)count;
    for (size_t i = 0; i < s->n; i++)
        s->numbers[i] = (uint32_t)i;
    if (size > 0 && count < toy->chunk_elements) {
        bool fine = size >= list;
        if (fine)
            memcpy(&n, in, 4);
        if (fine)
            memcpy(&sum, in + list - 4, 4);
        if (!fine || n != count || sum != ts_checksum(in, list - 4)) {
            TS_ERR(DATASET, CANTDECODE, "the list of a toy chunk of %llu elements is damaged", (unsigned long long)count);
            goto failed;
        }
        memcpy(s->numbers, in + 4, 4 * s->n);
    }
    if (values) {
        bool fine = size == list + bytes + 4;
        if (fine)
            memcpy(&sum, in + list + bytes, 4);
        if (!fine || sum != ts_checksum(in + list, bytes)) {
            TS_ERR(DATASET, CANTDECODE, "the %llu values of a toy chunk are damaged", (unsigned long long)count);
            goto failed;
        }
        memcpy(s->values, in + list, bytes);
    }
    begin_change(s);
    end_change(toy, s, out);
    return 0;
failed:
    sparse_free(toy, out);
    return -1;
}

static int decode_any(struct toy *toy, const struct ts_sc_coding *how, struct ts_sc_data *d, bool values)
{
    struct ts_sc_data out = {0};
    int status = enter(toy, values ? TOY_DECODE : TOY_DECODE_DEFINED, true);
    check_coding(toy, how, true);
    CHECK(d->used == (values ? how->at->size : how->at->defined_size) && d->used <= d->alloc);
    if (status == 0)
        status = sparse_decode(toy, d->chunk, d->used, how->at->note, values, &out);
    d->used = 0;
    if (status < 0)
        return -1;
    ts_free(d->chunk);
    *d = out;
    return 0;
}

static int decode_sparse(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d)
{
    return decode_any(owner, how, d, true);
}

static int decode_sparse_defined(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d)
{
    return decode_any(owner, how, d, false);
}

static int code_sparse(struct toy *toy, const struct sparse *s, struct ts_sc_coded *out)
{
    size_t list = (size_t)list_bytes(toy, s->n), bytes = s->n * toy->o.element_size;
    uint32_t sum, n = (uint32_t)s->n;
    CHECK(!s->evicted);
    out->at.size = list + bytes + 4;
    out->at.note = s->n;
    out->alloc = (size_t)out->at.size;
    uint8_t *to = out->bytes = ts_malloc(out->alloc);
    if (!to)
        return -1;
    memcpy(to, &n, 4);
    if (s->n < toy->chunk_elements) {
        memcpy(to + 4, s->numbers, 4 * s->n);
        sum = ts_checksum(to, list - 4);
        memcpy(to + list - 4, &sum, 4);
    }
    memcpy(to + list, s->values, bytes);
    sum = ts_checksum(to + list, bytes);
    memcpy(to + list + bytes, &sum, 4);
    return 0;
}

static int encode_sparse(void *owner, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out)
{
    struct toy *toy = owner;
    check_coding(toy, how, false);
    if (enter(toy, TOY_ENCODE, true) < 0)
        return -1;
    begin_look(d->chunk);
    int status = code_sparse(toy, d->chunk, out);
    end_look(d->chunk);
    return status;
}

static int encode_sparse_in_place(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d,
                                  struct ts_sc_coded *out)
{
    struct toy *toy = owner;
    check_coding(toy, how, false);
    int status = enter(toy, TOY_ENCODE_IN_PLACE, true);
    if (status == 0)
        status = code_sparse(toy, d->chunk, out);
    sparse_free(toy, d);
    return status;
}

/* Of each element of the chunk where it is in the list, or UINT32_MAX. The caller frees it. */
static uint32_t *positions(const struct toy *toy, const struct sparse *s)
{
    uint32_t *at = ts_malloc(4 * toy->chunk_elements);
    if (!at)
        return NULL;
    memset(at, 0xff, 4 * toy->chunk_elements);
    for (size_t i = 0; i < s->n; i++) {
        CHECK(s->numbers[i] < toy->chunk_elements && (i == 0 || s->numbers[i] > s->numbers[i - 1]));
        at[s->numbers[i]] = (uint32_t)i;
    }
    return at;
}

static int scatter_sparse(void *owner, const struct ts_sc_move *m, const struct ts_sc_data *d)
{
    struct toy *toy = owner;
    const struct sparse *s = d->chunk;
    size_t size = toy->o.element_size;
    uint8_t *array;
    if (enter(toy, TOY_SCATTER, true) < 0 || !(array = ts_malloc(toy->chunk_bytes)))
        return -1;
    begin_look(s);
    CHECK(!s->evicted);
    ts_fill_run(array, toy->o.fill, size, toy->chunk_elements);
    for (size_t i = 0; i < s->n; i++)
        memcpy(array + s->numbers[i] * size, s->values + i * size, size);
    end_look(s);
    int status = ts_xfer_memory(m->xfer, array, m->pieces, m->n);
    ts_free(array);
    return status;
}

/* Elements of the pieces become those of the array. */
static int merge(struct toy *toy, const struct ts_piece *pieces, size_t n, const uint8_t *array, struct ts_sc_data *d)
{
    struct sparse *s = d->chunk;
    size_t size = toy->o.element_size, count = 0;
    uint32_t *at = positions(toy, s);
    if (!at)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            for (hsize_t e = 0; e < pieces[i].n; e++) {
                CHECK(pieces[i].src + k * pieces[i].src_step + e < toy->chunk_elements);
                at[pieces[i].src + k * pieces[i].src_step + e] = UINT32_MAX - 1;
            }
    for (size_t i = 0; i < toy->chunk_elements; i++)
        count += at[i] != UINT32_MAX;
    if (sparse_room(toy, s, count, false) < 0) {
        ts_free(at);
        return -1;
    }
    s->n = count;
    /* From the end, for nothing moves to where something else still stands. */
    for (size_t i = toy->chunk_elements; i-- > 0;) {
        if (at[i] == UINT32_MAX)
            continue;
        count--;
        s->numbers[count] = (uint32_t)i;
        if (at[i] < UINT32_MAX - 1)
            memmove(s->values + count * size, s->values + at[i] * size, size);
    }
    for (size_t i = 0; i < s->n; i++)
        if (at[s->numbers[i]] == UINT32_MAX - 1)
            memcpy(s->values + i * size, array + s->numbers[i] * size, size);
    ts_free(at);
    return 0;
}

static int gather_sparse(void *owner, const struct ts_sc_move *m, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    struct sparse *s = d->chunk;
    uint8_t *array;
    if (enter(toy, TOY_GATHER, true) < 0 || !(array = ts_calloc(1, toy->chunk_bytes)))
        return -1;
    check_order(toy);
    begin_change(s);
    CHECK(!s->evicted);
    int status = ts_xfer_memory(m->xfer, array, m->pieces, m->n);
    if (status == 0)
        status = merge(toy, m->pieces, m->n, array, d);
    end_change(toy, s, d);
    ts_free(array);
    return status;
}

static int fill_sparse(void *owner, const struct ts_piece *pieces, size_t n, struct ts_sc_data *d)
{
    struct toy *toy = owner;
    struct sparse *s = d->chunk;
    uint8_t *array;
    if (enter(toy, TOY_FILL, false) < 0 || !(array = ts_malloc(toy->chunk_bytes)))
        return -1;
    check_order(toy);
    begin_change(s);
    CHECK(!s->evicted);
    ts_fill_run(array, toy->o.fill, toy->o.element_size, toy->chunk_elements);
    int status = merge(toy, pieces, n, array, d);
    end_change(toy, s, d);
    ts_free(array);
    return status;
}

static int defined_sparse(void *owner, const struct ts_sc_move *m, const struct ts_sc_data *d, ts_sc_runs_fn *fn, void *ctx)
{
    struct toy *toy = owner;
    uint32_t *at;
    int status = 0;
    if (enter(toy, TOY_DEFINED, true) < 0)
        return -1;
    begin_look(d->chunk);
    at = positions(toy, d->chunk);
    end_look(d->chunk);
    if (!at)
        return -1;
    for (size_t i = 0; i < m->n && status == 0; i++)
        for (hsize_t k = 0; k < m->pieces[i].count && status == 0; k++) {
            const struct ts_piece *p = &m->pieces[i];
            hsize_t src = p->src + k * p->src_step, mem = p->mem + k * p->mem_step, run;
            for (hsize_t e = 0; e < p->n && status == 0; e += run ? run : 1) {
                for (run = 0; e + run < p->n && at[src + e + run] != UINT32_MAX; run++)
                    ;
                struct ts_run part = {.offset = mem + e, .length = run};
                if (run > 0)
                    status = fn(&part, 1, ctx);
            }
        }
    ts_free(at);
    return status;
}

static int erase_sparse(void *owner, const struct ts_sc_move *m, struct ts_sc_data *d, bool *delete_chunk)
{
    struct toy *toy = owner;
    struct sparse *s = d->chunk;
    size_t size = toy->o.element_size, left = 0;
    uint32_t *at;
    if (enter(toy, TOY_ERASE, false) < 0)
        return -1;
    check_order(toy);
    begin_change(s);
    CHECK(!s->evicted);
    at = positions(toy, s);
    for (size_t i = 0; at && i < m->n; i++)
        for (hsize_t k = 0; k < m->pieces[i].count; k++)
            for (hsize_t e = 0; e < m->pieces[i].n; e++)
                at[m->pieces[i].src + k * m->pieces[i].src_step + e] = UINT32_MAX;
    for (size_t i = 0; at && i < s->n; i++)
        if (at[s->numbers[i]] != UINT32_MAX) {
            s->numbers[left] = s->numbers[i];
            memmove(s->values + left * size, s->values + i * size, size);
            left++;
        }
    if (at) {
        s->n = left;
        *delete_chunk = left == 0;
    }
    end_change(toy, s, d);
    ts_free(at);
    return at ? 0 : -1;
}

static int place(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_PLACE, false) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ts_sc_coded *c = &chunks[i];
        bool plain = toy->o.kind != TOY_SPARSE && c->at.note == 0;
        if (plain)
            CHECK(c->at.size == toy->chunk_bytes);
        c->in_place = plain && c->old.addr != HADDR_UNDEF && c->old.note == 0 && c->old.size == c->at.size;
        c->careful = toy->o.careful && c->in_place;
        c->at.addr = c->in_place ? c->old.addr : take(toy->file, c->at.size);
        describe(toy, &c->at);
    }
    return 0;
}

static bool poisoned(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != TOY_POISON)
            return false;
    return true;
}

/* Bytes that the index will name are those of a chunk. */
static void check_written(struct toy *toy, const struct ts_sc_coded *c)
{
    size_t size = (size_t)c->at.size;
    uint8_t *bytes = malloc(size + 1), *array = malloc(toy->chunk_bytes);
    CHECK(bytes && array);
    CHECK(size == 0 || ts_file_read(toy->file->f, c->at.addr, size, bytes) == 0);
    if (toy->o.kind == TOY_SPARSE) {
        uint32_t sum, list = (uint32_t)list_bytes(toy, c->at.note);
        memcpy(&sum, bytes + size - 4, 4);
        CHECK(sum == ts_checksum(bytes + list, size - 4 - list));
    } else if (c->at.note != 0)
        CHECK(size == 0 ? toy->o.zeros_nowhere : unpack(bytes, size, array, toy->chunk_bytes));
    else
        for (size_t i = 0; i + toy->o.element_size <= size; i += toy->o.element_size)
            CHECK(!poisoned(bytes + i, toy->o.element_size));
    free(bytes);
    free(array);
}

static int insert(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_INSERT, false) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ts_sc_coded *c = &chunks[i];
        if (!toy->file->quiet)
            check_written(toy, c);
        pthread_mutex_lock(&toy->lock);
        struct toy_entry *e = find(toy, c->scaled);
        CHECK(c->old.addr == (e ? e->addr : HADDR_UNDEF));
        if (!e) {
            if (toy->n == toy->capacity) {
                toy->capacity = 2 * toy->capacity + 64;
                CHECK((toy->index = realloc(toy->index, toy->capacity * sizeof *toy->index)) != NULL);
            }
            e = &toy->index[toy->n++];
            memcpy(e->scaled, c->scaled, toy->o.rank * sizeof *c->scaled);
        }
        e->addr = c->at.addr;
        e->size = c->at.size;
        e->note = c->at.note;
        pthread_mutex_unlock(&toy->lock);
        if (c->in_place)
            continue;
        turn(toy->file, c->at.addr, PLACED, NAMED);
        if (c->old.addr != HADDR_UNDEF)
            turn(toy->file, c->old.addr, NAMED, FREE);
    }
    return 0;
}

static void displace(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct toy *toy = owner;
    enter(toy, TOY_DISPLACE, false);
    for (size_t i = 0; i < n; i++)
        if (!chunks[i].in_place)
            turn(toy->file, chunks[i].at.addr, PLACED, FREE);
}

static int write_bytes(void *owner, const struct ts_io_out *v, size_t n)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_WRITE, false) < 0)
        return -1;
    CHECK(toy->o.careful);
    return ts_file_writev(toy->file->f, v, n);
}

static void drop_entry(struct toy *toy, struct toy_entry *e)
{
    haddr_t addr = e->addr;
    *e = toy->index[--toy->n];
    turn(toy->file, addr, NAMED, FREE);
}

static int delete_chunk(void *owner, const hsize_t *scaled, const struct ts_sc_stored *at)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_DELETE, false) < 0)
        return -1;
    check_order(toy);
    pthread_mutex_lock(&toy->lock);
    struct toy_entry *e = find(toy, scaled);
    CHECK(e && e->addr == at->addr && e->size == at->size);
    drop_entry(toy, e);
    pthread_mutex_unlock(&toy->lock);
    return 0;
}

static int selection(struct toy *toy, enum toy_call call, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    if (enter(toy, call, false) < 0)
        return -1;
    CHECK(a->at->addr != HADDR_UNDEF && !out->pieces);
    out->possible = a->at->note == 0 && !(call == TOY_SELECTION_WRITE && toy->o.careful);
    out->addr = a->at->addr;
    return 0;
}

static int selection_read(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    return selection(owner, TOY_SELECTION_READ, a, out);
}

static int selection_write(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    struct toy *toy = owner;
    check_order(toy);
    return selection(toy, TOY_SELECTION_WRITE, a, out);
}

/* One piece per element. Not when one of them is undefined: nothing in the file stands for it. */
static int vector_read(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    struct toy *toy = owner;
    uint32_t *at;
    hsize_t total = 0;
    if (enter(toy, TOY_VECTOR_READ, false) < 0)
        return -1;
    if (!a->data) {
        out->require_defined = true;
        return 0;
    }
    begin_look(a->data->chunk);
    at = positions(toy, a->data->chunk);
    end_look(a->data->chunk);
    for (size_t i = 0; i < a->n; i++)
        total += a->pieces[i].n * a->pieces[i].count;
    struct ts_piece *pieces = at ? ts_malloc((size_t)(total + 1) * sizeof *pieces) : NULL;
    if (!pieces) {
        ts_free(at);
        return -1;
    }
    out->possible = true;
    for (size_t i = 0; i < a->n; i++)
        for (hsize_t k = 0; k < a->pieces[i].count; k++)
            for (hsize_t e = 0; e < a->pieces[i].n; e++) {
                const struct ts_piece *p = &a->pieces[i];
                uint32_t pos = at[p->src + k * p->src_step + e];
                out->possible = out->possible && pos != UINT32_MAX;
                pieces[out->n++] = (struct ts_piece){.src = pos, .mem = p->mem + k * p->mem_step + e, .n = 1, .count = 1};
            }
    ts_free(at);
    out->addr = a->at->addr + list_bytes(toy, a->at->note);
    if (out->possible)
        out->pieces = pieces;
    else {
        ts_free(pieces);
        out->n = 0;
    }
    return 0;
}

static int layout_query(void *owner, hsize_t *chunk_dims, struct ts_sc_layout *out)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_QUERY, false) < 0)
        return -1;
    memcpy(chunk_dims, toy->o.chunk, toy->o.rank * sizeof *chunk_dims);
    *out = (struct ts_sc_layout){.coded = toy->o.kind != TOY_PLAIN, .partial_bound_differs = toy->o.partial_plain,
                                 .any_thread = !toy->o.one_thread};
    return 0;
}

static int read_missing(void *owner, const struct ts_sc_io *io, const struct ts_sc_move *m)
{
    struct toy *toy = owner;
    if (enter(toy, TOY_MISSING, false) < 0)
        return -1;
    CHECK(io->dset == &toy->sc);
    return ts_xfer_fill(m->xfer, toy->o.fill, m->pieces, m->n);
}

static const struct ts_sc_layout_ops array_ops = {
    .lookup = lookup, .decode = decode_array, .new_chunk = new_array, .encode = encode_array,
    .encode_in_place = encode_array_in_place, .evict = evict_array, .place = place, .insert = insert,
    .displace = displace, .write = write_bytes, .selection_read = selection_read, .selection_write = selection_write,
    .fill = fill_array, .layout_query = layout_query, .delete_chunk = delete_chunk, .read_missing = read_missing};

static const struct ts_sc_layout_ops sparse_ops = {
    .lookup = lookup, .decode = decode_sparse, .decode_defined_values = decode_sparse_defined, .new_chunk = new_sparse,
    .condense = condense_sparse, .encode = encode_sparse, .encode_in_place = encode_sparse_in_place,
    .evict = evict_sparse, .place = place, .insert = insert, .displace = displace, .vector_read = vector_read,
    .scatter_mem = scatter_sparse, .gather_mem = gather_sparse, .fill = fill_sparse, .defined_values = defined_sparse,
    .erase_values = erase_sparse, .evict_values = evict_sparse_values, .layout_query = layout_query,
    .delete_chunk = delete_chunk, .read_missing = read_missing};

static void file_open(struct toy_file *file, const char *path, struct ts_plist *fapl)
{
    *file = (struct toy_file){.f = NULL};
    pthread_mutex_init(&file->lock, NULL);
    CHECK((file->f = create(path, fapl)) != NULL);
    CHECK(ts_change_begin(file->f) == 0);
    CHECK(ts_file_alloc(file->f, H5FD_MEM_DRAW, SPACE, &file->next) == 0);
    CHECK(ts_change_end(file->f, 0) == 0);
    file->end = file->next + SPACE;
}

void toy_file_open(struct toy_file *file)
{
    struct ts_plist *fapl;
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_CORE, .core = {.increment = 1 << 16}}};
    CHECK(H5open() >= 0);
    CHECK(ts_plist_copy(ts_plist_default(TS_PLIST_FILE_ACCESS), &fapl) == 0);
    CHECK(ts_fapl_set_driver(fapl, &vfd) == 0);
    file_open(file, "toy", fapl);
    ts_plist_unref(fapl);
}

void toy_file_open_on_disk(struct toy_file *file)
{
    CHECK(H5open() >= 0);
    const char *path = scratch("toy");
    file_open(file, path, NULL);
    CHECK(unlink(path) == 0);
}

void toy_file_close(struct toy_file *file)
{
    operations++;
    ts_file_unref(file->f);
    operations--;
    free(file->blocks);
    pthread_mutex_destroy(&file->lock);
}

void toy_settings(struct toy_file *file, size_t budget, unsigned threads)
{
    H5F_shared_chunk_cache_t s;
    operations++;
    CHECK(ts_sc_settings(file->f, &s) == 0);
    s.budget = budget;
    s.threads = threads;
    s.reserve = 0;
    s.encode_ahead = SIZE_MAX;
    s.read_ahead = 0;
    CHECK(ts_sc_configure(file->f, &s) == 0);
    operations--;
}

int toy_configure(struct toy_file *file, const H5F_shared_chunk_cache_t *settings)
{
    operations++;
    int status = ts_sc_configure(file->f, settings);
    operations--;
    return status;
}

static int enter_cache(struct toy *toy)
{
    toy->sc = (struct ts_sc_dset){.ops = &toy->ops, .owner = toy, .order = &toy->order, .rank = toy->o.rank,
                                  .element_size = toy->o.element_size, .reserve = SIZE_MAX, .w0 = -1};
    memcpy(toy->sc.dims, toy->o.dims, toy->o.rank * sizeof toy->o.dims[0]);
    operations++;
    int status = ts_sc_dset_open(&toy->sc, toy->file->f);
    operations--;
    return status;
}

void toy_open(struct toy *toy, struct toy_file *file, const struct toy_options *options)
{
    memset(toy, 0, sizeof *toy);
    toy->o = *options;
    toy->file = file;
    toy->chunk_elements = 1;
    for (unsigned i = 0; i < options->rank; i++)
        toy->chunk_elements *= (size_t)options->chunk[i];
    toy->chunk_bytes = toy->chunk_elements * options->element_size;
    toy->ops = options->kind == TOY_SPARSE ? sparse_ops : array_ops;
    if (options->kind == TOY_PLAIN) {
        toy->ops.decode = NULL;
        toy->ops.encode = NULL;
        toy->ops.encode_in_place = NULL;
        toy->ops.evict = NULL;
    }
    if (options->no_direct) {
        toy->ops.selection_read = toy->ops.selection_write = NULL;
        toy->ops.vector_read = NULL;
    }
    if (options->keep_whole)
        toy->ops.evict_values = NULL;
    ts_rwlock_init(&toy->order, TS_RANK_DATASET_ORDER);
    pthread_mutex_init(&toy->lock, NULL);
    CHECK(enter_cache(toy) == 0);
}

static void leave_cache(struct toy *toy)
{
    operations++;
    ts_sc_dset_close(&toy->sc);
    operations--;
    CHECK(toy->live == 0);
    for (size_t i = 0; i < toy->file->n; i++)
        CHECK(toy->file->blocks[i].state != PLACED);
}

void toy_close(struct toy *toy)
{
    leave_cache(toy);
    for (size_t i = 0; i < toy->n; i++)
        turn(toy->file, toy->index[i].addr, NAMED, FREE);
    free(toy->index);
    ts_rwlock_deinit(&toy->order);
    pthread_mutex_destroy(&toy->lock);
}

int toy_reopen(struct toy *toy)
{
    if (toy_flush(toy, true) < 0)
        return -1;
    memcpy(toy->o.dims, toy->sc.dims, toy->o.rank * sizeof toy->o.dims[0]);
    leave_cache(toy);
    return enter_cache(toy);
}

static int by_address(const void *a, const void *b)
{
    const struct toy *const *x = a, *const *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Each once, in the same order for all threads. */
static void lock_all(const struct toy_part *parts, size_t n, bool write, struct toy **locked, size_t *n_locked)
{
    for (size_t i = 0; i < n; i++)
        locked[i] = parts[i].toy;
    qsort(locked, n, sizeof *locked, by_address);
    *n_locked = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || locked[i] != locked[i - 1])
            locked[(*n_locked)++] = locked[i];
    for (size_t i = 0; i < *n_locked; i++)
        if (write)
            ts_rwlock_write(&locked[i]->order);
        else
            ts_rwlock_read(&locked[i]->order);
}

static struct ts_conv_path *find_path(bool write)
{
    struct ts_type *mem, *stored;
    struct ts_conv_path *path;
    CHECK(ts_type_new_integer(4, H5T_ORDER_LE, H5T_SGN_2, &mem) == 0);
    CHECK(ts_type_new_integer(2, H5T_ORDER_BE, H5T_SGN_2, &stored) == 0);
    CHECK(ts_conv_find(write ? mem : stored, write ? stored : mem, &path) == 0);
    ts_type_unref(mem);
    ts_type_unref(stored);
    return path;
}

struct transfer {
    struct ts_plan plan;
    struct ts_xfer xfer;
    struct ts_conv_path *path;
    struct ts_space *mem;
};

static int prepare(const struct toy_part *p, bool write, struct transfer *t, struct ts_sc_io *io)
{
    static const struct ts_conv_env env;
    hsize_t count = ts_space_selected(p->file);
    const struct ts_space *mem = p->mem;
    if (p->convert)
        t->path = find_path(write);
    struct ts_xfer_options o = {.write = write, .src_size = p->toy->o.element_size, .path = t->path, .env = &env,
                                .mem_size = p->convert ? 4 : p->toy->o.element_size, .flat = true};
    ts_xfer_init(&t->xfer, p->buf, &o);
    if (!mem) {
        if (ts_space_new_simple(1, &count, NULL, &t->mem) < 0)
            return -1;
        mem = t->mem;
    }
    if (ts_plan_init(&t->plan, p->file, mem) < 0)
        return -1;
    *io = (struct ts_sc_io){.dset = &p->toy->sc, .plan = &t->plan, .xfer = &t->xfer, .skip_io = t->plan.total == 0,
                            .bypass = p->bypass, .parallel = !p->serial};
    return 0;
}

int toy_transfer(const struct toy_part *parts, size_t n, bool write)
{
    struct toy *locked[8];
    struct transfer t[8] = {{.path = NULL}};
    struct ts_sc_io io[8];
    size_t n_locked;
    int status = 0;
    CHECK(n <= 8);
    lock_all(parts, n, write, locked, &n_locked);
    size_t ready = 0;
    while (ready < n && status == 0) {
        status = prepare(&parts[ready], write, &t[ready], &io[ready]);
        ready++;
    }
    operations++;
    if (status == 0)
        status = write ? H5SC_write(parts[0].toy->sc.cache, n, io) : H5SC_read(parts[0].toy->sc.cache, n, io);
    operations--;
    for (size_t i = 0; i < ready; i++) {
        if (status == 0)
            status = ts_xfer_finish(&t[i].xfer);
        ts_xfer_deinit(&t[i].xfer);
        ts_conv_path_unref(t[i].path);
        ts_space_unref(t[i].mem);
    }
    for (size_t i = 0; i < n_locked; i++)
        ts_rwlock_unlock(&locked[i]->order);
    return status;
}

static int finish(struct toy *toy, int status)
{
    operations--;
    ts_rwlock_unlock(&toy->order);
    return status;
}

static void start(struct toy *toy, bool change)
{
    if (change)
        ts_rwlock_write(&toy->order);
    else
        ts_rwlock_read(&toy->order);
    operations++;
}

int toy_flush(struct toy *toy, bool evict)
{
    start(toy, evict);
    return finish(toy, H5SC_flush_dset(&toy->sc, evict));
}

int toy_flush_all(struct toy_file *file, struct toy *any)
{
    (void)file;
    operations++;
    int status = H5SC_flush(any->sc.cache);
    operations--;
    return status;
}

int toy_erase(struct toy *toy, const struct ts_space *space)
{
    start(toy, true);
    return finish(toy, H5SC_erase(&toy->sc, space));
}

int toy_get_defined(struct toy *toy, const struct ts_space *space, struct ts_space **out)
{
    start(toy, false);
    return finish(toy, H5SC_get_defined(&toy->sc, space, out));
}

int toy_set_extent(struct toy *toy, const hsize_t *dims)
{
    start(toy, true);
    if (H5SC_set_extent_notify(&toy->sc, dims) < 0)
        return finish(toy, -1);
    CHECK(memcmp(toy->sc.dims, dims, toy->o.rank * sizeof *dims) == 0);
    pthread_mutex_lock(&toy->lock);
    for (size_t i = toy->n; i-- > 0;)
        for (unsigned d = 0; d < toy->o.rank; d++)
            if (toy->index[i].scaled[d] * toy->o.chunk[d] >= dims[d]) {
                drop_entry(toy, &toy->index[i]);
                break;
            }
    pthread_mutex_unlock(&toy->lock);
    ts_sc_dset_thaw(&toy->sc);
    return finish(toy, 0);
}

/* The disk format as an array. */
static bool expand(struct toy *toy, const struct toy_entry *e, const uint8_t *bytes, uint8_t *array, bool *defined)
{
    struct ts_sc_data d = {0};
    size_t size = toy->o.element_size;
    if (defined)
        memset(defined, toy->o.kind != TOY_SPARSE, toy->chunk_elements);
    if (toy->o.kind != TOY_SPARSE && e->note == 0) {
        memcpy(array, bytes, toy->chunk_bytes);
        return e->size == toy->chunk_bytes;
    }
    if (toy->o.kind != TOY_SPARSE) {
        memset(array, 0, toy->chunk_bytes);
        return e->size == 0 || unpack(bytes, (size_t)e->size, array, toy->chunk_bytes);
    }
    ts_fill_run(array, toy->o.fill, size, toy->chunk_elements);
    if (sparse_decode(toy, bytes, (size_t)e->size, e->note, true, &d) < 0)
        return false;
    const struct sparse *s = d.chunk;
    for (size_t i = 0; i < s->n; i++) {
        memcpy(array + s->numbers[i] * size, s->values + i * size, size);
        if (defined)
            defined[s->numbers[i]] = true;
    }
    sparse_free(toy, &d);
    return true;
}

int toy_direct_read(struct toy *toy, const hsize_t *scaled, void *array, bool *defined)
{
    struct ts_sc_stored at;
    uint8_t *bytes = NULL;
    size_t size = 0;
    start(toy, false);
    int found = H5SC_direct_chunk_read(&toy->sc, scaled, &at, NULL, &size);
    if (found > 0 && size > 0) {
        CHECK((bytes = malloc(size)) != NULL);
        found = H5SC_direct_chunk_read(&toy->sc, scaled, &at, bytes, &size);
    }
    finish(toy, 0);
    if (found > 0) {
        struct toy_entry e = {.size = at.size, .note = at.note};
        CHECK(at.size == size);
        CHECK(expand(toy, &e, bytes, array, defined));
    }
    free(bytes);
    return found;
}

static bool over_edge(const struct toy *toy, const hsize_t *scaled)
{
    for (unsigned d = 0; d < toy->o.rank; d++)
        if ((scaled[d] + 1) * toy->o.chunk[d] > toy->sc.dims[d])
            return true;
    return false;
}

static int code_direct(struct toy *toy, const hsize_t *scaled, const void *array, const bool *defined,
                       struct ts_sc_coded *out)
{
    struct ts_sc_data d = {0};
    size_t size = toy->o.element_size;
    if (toy->o.kind == TOY_PLAIN) {
        out->at.size = toy->chunk_bytes;
        return 0;
    }
    if (toy->o.kind == TOY_CODED)
        return code_array(toy, over_edge(toy, scaled), array, out);
    if (sparse_new(toy, &d) < 0)
        return -1;
    struct sparse *s = d.chunk;
    int status = sparse_room(toy, s, toy->chunk_elements, false);
    for (size_t i = 0; status == 0 && i < toy->chunk_elements; i++)
        if (!defined || defined[i]) {
            s->numbers[s->n] = (uint32_t)i;
            memcpy(s->values + s->n++ * size, (const uint8_t *)array + i * size, size);
        }
    if (status == 0)
        status = code_sparse(toy, s, out);
    sparse_free(toy, &d);
    return status;
}

int toy_direct_write(struct toy *toy, const hsize_t *scaled, const void *array, const bool *defined)
{
    struct ts_sc_coded coded = {.scaled = scaled, .at.addr = HADDR_UNDEF};
    int status = code_direct(toy, scaled, array, defined, &coded);
    if (status == 0) {
        start(toy, true);
        status = finish(toy, H5SC_direct_chunk_write(&toy->sc, scaled, &coded.at, coded.bytes ? coded.bytes : array));
    }
    ts_free(coded.bytes);
    return status;
}

/* Copies what of a chunk lies in the extent. */
static void place_chunk(struct toy *toy, const hsize_t *scaled, const uint8_t *array, const bool *in, uint8_t *out,
                        bool *defined)
{
    size_t size = toy->o.element_size;
    for (size_t i = 0; i < toy->chunk_elements; i++) {
        size_t rest = i, to = 0, step = 1;
        bool inside = true;
        for (unsigned d = toy->o.rank; d-- > 0;) {
            hsize_t at = scaled[d] * toy->o.chunk[d] + rest % (size_t)toy->o.chunk[d];
            rest /= (size_t)toy->o.chunk[d];
            inside = inside && at < toy->sc.dims[d];
            to += (size_t)at * step;
            step *= (size_t)toy->sc.dims[d];
        }
        if (!inside)
            continue;
        memcpy(out + to * size, array + i * size, size);
        if (defined)
            defined[to] = in[i];
    }
}

void toy_on_file(struct toy *toy, void *out, bool *defined)
{
    uint8_t *array = malloc(toy->chunk_bytes);
    bool *in = malloc(toy->chunk_elements);
    size_t total = 1;
    CHECK(array && in);
    for (unsigned d = 0; d < toy->o.rank; d++)
        total *= (size_t)toy->sc.dims[d];
    ts_fill_run(out, toy->o.fill, toy->o.element_size, total);
    if (defined)
        memset(defined, 0, total);
    for (size_t i = 0; i < toy->n; i++) {
        const struct toy_entry *e = &toy->index[i];
        uint8_t *bytes = malloc((size_t)e->size + 1);
        CHECK(bytes && (e->size == 0 || ts_file_read(toy->file->f, e->addr, (size_t)e->size, bytes) == 0));
        CHECK(expand(toy, e, bytes, array, in));
        place_chunk(toy, e->scaled, array, in, out, defined);
        free(bytes);
    }
    free(array);
    free(in);
}
