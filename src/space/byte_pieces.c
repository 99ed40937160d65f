/* Two selections as pieces of bytes. */
#include "space/byte_pieces.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

void ts_byte_pieces_deinit(struct ts_byte_pieces *p)
{
    ts_free(p->addrs);
    ts_free(p->sizes);
    ts_free(p->bufs);
}

static int piece_add(struct ts_byte_pieces *p, haddr_t addr, size_t size, const void *buf)
{
    if (p->n == UINT32_MAX)
        return TS_ERR(RESOURCE, NOSPACE, "a request of more than %zu pieces", p->n);
    if (TS_GROW(p->addrs, p->addrs_capacity, p->n + 1) < 0 || TS_GROW(p->sizes, p->sizes_capacity, p->n + 1) < 0 ||
        TS_GROW(p->bufs, p->bufs_capacity, p->n + 1) < 0)
        return -1;
    p->addrs[p->n] = addr;
    p->sizes[p->n] = size;
    p->bufs[p->n] = (void *)(uintptr_t)buf;
    p->n++;
    return 0;
}

static int piece_of(const struct ts_byte_pair *pair, hsize_t in_file, hsize_t in_memory, hsize_t length,
                    struct ts_byte_pieces *p)
{
    hsize_t from, to, bytes, end;
    if (!ts_mul_u64(in_file, pair->size, &from) || !ts_add_u64(from, pair->offset, &from) ||
        !ts_mul_u64(in_memory, pair->size, &to) || !ts_mul_u64(length, pair->size, &bytes) ||
        !ts_add_u64(from, bytes, &end) || end > HADDR_MAX)
        return TS_ERR(ARGS, OVERFLOW, "elements %llu to %llu of %zu bytes at %#llx are beyond all addresses",
                      (unsigned long long)in_file, (unsigned long long)(in_file + length), pair->size,
                      (unsigned long long)pair->offset);
    return piece_add(p, from, (size_t)bytes, pair->buf + to);
}

static int walk_both(const struct ts_byte_pair *pair, struct ts_runs *file, struct ts_runs *mem,
                     struct ts_byte_pieces *p)
{
    struct ts_run in_file = {0}, in_memory = {0};
    for (;;) {
        if (in_file.length == 0 && ts_runs_next(file, &in_file, 1, HSIZE_UNDEF) == 0)
            return 0;
        if (in_memory.length == 0 && ts_runs_next(mem, &in_memory, 1, HSIZE_UNDEF) == 0)
            return 0;
        hsize_t length = in_file.length < in_memory.length ? in_file.length : in_memory.length;
        if (piece_of(pair, in_file.offset, in_memory.offset, length, p) < 0)
            return -1;
        in_file = (struct ts_run){in_file.offset + length, in_file.length - length};
        in_memory = (struct ts_run){in_memory.offset + length, in_memory.length - length};
    }
}

int ts_byte_pieces_add(struct ts_byte_pieces *p, const struct ts_byte_pair *pair, const struct ts_space *file,
                       const struct ts_space *mem)
{
    struct ts_runs in_file, in_memory;
    if (ts_space_selected(file) != ts_space_selected(mem))
        return TS_ERR(ARGS, BADVALUE, "%llu elements are selected in the file, and %llu in memory",
                      (unsigned long long)ts_space_selected(file), (unsigned long long)ts_space_selected(mem));
    if (ts_runs_init(&in_file, file) < 0)
        return -1;
    int status = ts_runs_init(&in_memory, mem);
    if (status == 0) {
        status = walk_both(pair, &in_file, &in_memory, p);
        ts_runs_deinit(&in_memory);
    }
    ts_runs_deinit(&in_file);
    return status;
}
