/* Finding a file's superblock, and what must be known before anything else is read. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/internal.h"
#include "file/journal.h"
#include "file/mutation.h"
#include "file/overlay.h"
#include "file/retry.h"
#include "plist/fapl.h"

/* The signature stands at 0, 512, 1024, 2048, … : whatever is before it is the user's. */
static int find_signature(struct ts_driver *d, const char *name, haddr_t eof, haddr_t *at)
{
    uint8_t bytes[sizeof ts_superblock_signature];
    if (eof == 0) {
        TS_ERR_AS(FILE, NOTHDF5, "file signature not found", "'%s' is empty", name);
        return ts_err_because(TS_WHY_EMPTY);
    }
    for (haddr_t addr = 0; addr < eof && eof - addr >= sizeof bytes; addr = addr ? addr * 2 : 512) {
        if (ts_driver_read(d, addr, sizeof bytes, bytes) < 0)
            return -1;
        if (memcmp(bytes, ts_superblock_signature, sizeof bytes) == 0) {
            *at = addr;
            return 0;
        }
    }
    return TS_ERR_AS(FILE, NOTHDF5, "file signature not found",
                     "'%s' is not an HDF5 file: no signature at 0, 512, 1024 and so on in %llu bytes", name,
                     (unsigned long long)eof);
}

int ts_file_is_hdf5(const char *name, struct ts_plist *fapl)
{
    struct ts_driver *d;
    haddr_t eof, at;
    if (ts_driver_open(name, 0, ts_fapl_driver(fapl), &d) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    int found = ts_driver_eof(d, &eof) < 0 ? -1 : find_signature(d, name, eof, &at) == 0;
    ts_driver_close(d);
    if (found == 0 && ts_err_current()->rec[mark].min == TS_MIN_NOTHDF5)
        ts_err_rewind(mark);
    else if (found == 0)
        found = -1;
    return found;
}

static int try_superblock(struct ts_file *f, haddr_t at, haddr_t eof)
{
    uint8_t buf[TS_SUPERBLOCK_MAX];
    size_t size = eof - at < TS_SUPERBLOCK_HEAD ? (size_t)(eof - at) : TS_SUPERBLOCK_HEAD;
    /* No more than there is of it: what follows may be a gap between the members of a driver. */
    if (ts_driver_read(f->driver, at, size, buf) == 0 && size == TS_SUPERBLOCK_HEAD) {
        size = ts_superblock_size_of(buf);
        size = eof - at < size ? (size_t)(eof - at) : size;
    }
    if (ts_driver_read(f->driver, at, size, buf) < 0 || ts_superblock_decode(buf, size, &f->sb) < 0)
        return TS_ERR(FILE, CANTOPENFILE, "%s: cannot read the superblock at %#llx", f->name, (unsigned long long)at);
    f->commits.half_written = ts_superblock_unmark(&f->sb, eof - at + f->sb.base);
    /* A wrapper put in front of the file moved everything: the place of the signature is the base address. */
    if (f->sb.base != at) {
        f->sb.end += at - f->sb.base;
        f->sb.base = at;
    }
    return 0;
}

static int read_superblock(struct ts_file *f, haddr_t at, haddr_t eof)
{
    unsigned mark = ts_err_mark(), attempts = 1;
    int status;
    while ((status = try_superblock(f, at, eof)) < 0 && ts_retry_again(f, attempts)) {
        ts_err_rewind(mark);
        attempts++;
    }
    ts_retry_count(f, TS_RETRY_SUPERBLOCK, attempts - 1);
    return status;
}

static int apply_driver_info(struct ts_file *f)
{
    uint8_t head[16];
    if (f->sb.driver_info == HADDR_UNDEF)
        return 0;
    if (ts_driver_read(f->driver, f->sb.base + f->sb.driver_info, sizeof head, head) < 0)
        return -1;
    size_t size = sizeof head + (head[4] | head[5] << 8 | head[6] << 16 | (size_t)head[7] << 24);
    haddr_t eof;
    if (ts_driver_eof(f->driver, &eof) < 0)
        return -1;
    if (size > eof)
        return TS_ERR(FILE, CANTDECODE, "%s: driver information of %zu bytes", f->name, size);
    uint8_t *buf = ts_malloc(size);
    if (!buf)
        return -1;
    struct ts_driver_info info;
    int status = ts_driver_read(f->driver, f->sb.base + f->sb.driver_info, size, buf);
    if (status == 0)
        status = ts_driver_info_decode(buf, size, &info);
    if (status == 0 && f->driver->cls->apply_info)
        status = f->driver->cls->apply_info(f->driver, info.name, info.info, info.size);
    ts_free(buf);
    return status;
}

static int put(struct ts_file *f, const struct ts_io_out *v, size_t n)
{
    return n > 0 ? ts_driver_writev(f->driver, v, n) : 0;
}

/* Whatever the level is now, what was safe from a power failure stays so: the journal goes when all else is on the
 * disk. One that counts by the superblock's mark would go with that, so there the mark stays until then. */
static int write_journaled(struct ts_file *f, const struct ts_journal *j, const struct ts_io_out *superblock)
{
    size_t later = superblock && !(j->flags & TS_JOURNAL_UNMARKED);
    if (put(f, j->blocks, j->n - later) < 0)
        return -1;
    if (!ts_mutation(TS_MUTATION_NO_BARRIER_REPLAY) && ts_file_barrier_always(f) < 0)
        return -1;
    return put(f, superblock, later) < 0 ? -1 : ts_driver_truncate(f->driver, j->end_after);
}

/* Finishes the commit that the journal is of: in the file, or where it is only read on top of what is read from it. */
static int apply_journal(struct ts_file *f, struct ts_journal *j)
{
    struct ts_superblock sb = f->sb;
    const struct ts_io_out *last = j->n > 0 && j->blocks[j->n - 1].addr == f->sb.base ? &j->blocks[j->n - 1] : NULL;
    if (last && ts_superblock_decode(last->buf, last->size, &sb) < 0)
        return -1;
    sb.base = f->sb.base;
    sb.end = j->end_after;
    if (f->writable) {
        if (write_journaled(f, j, last) < 0)
            return -1;
        ts_journal_deinit(j);
    } else if (ts_file_overlay_journal(f, j) < 0) {
        return -1;
    }
    f->sb = sb;
    return 0;
}

/* In the file of a SWMR writer every block is right by itself, and a journal would be that of a commit on its way. */
static bool follows_writer(const struct ts_file *f)
{
    return f->swmr == TS_SWMR_READER && f->sb.version >= 3 && f->sb.flags & TS_FLAG_SWMR_WRITING;
}

/* The superblock is marked and there is no journal: the commit had cut it off, all else being in place. Or the system
 * died, and kept one but not the other. */
static int finish_without_journal(struct ts_file *f)
{
    haddr_t eof;
    if (ts_driver_eof(f->driver, &eof) < 0)
        return -1;
    /* With short addresses a file that lost its tail may look like this. */
    if (f->sb.addr_size < 8 && eof != f->sb.end)
        return TS_ERR(FILE, TRUNCATED, "truncated file: %s has %llu bytes, and its superblock says more or is marked",
                      f->name, (unsigned long long)eof);
    return f->writable ? ts_file_put_superblock(f, &f->sb) : 0;
}

/* 1 when there was a journal. */
static int finish_commit(struct ts_file *f)
{
    struct ts_journal j;
    if ((!f->driver->cls->crash_safe && !f->commits.half_written) || follows_writer(f))
        return 0;
    int found = ts_journal_find(f->driver, f->sb.end, f->commits.half_written, &j);
    if (found == 0 && f->commits.half_written)
        return finish_without_journal(f);
    if (found <= 0)
        return found;
    if (apply_journal(f, &j) < 0) {
        ts_journal_deinit(&j);
        return TS_ERR(FILE, CANTOPENFILE, "%s: cannot finish the commit that is in its journal", f->name);
    }
    return 1;
}

/* SWMR writers of stock libhdf5 do not keep the end in the superblock up to date. */
static bool end_is_old(const struct ts_file *f)
{
    return f->sb.version >= 3 && (f->sb.flags & (TS_FLAG_LIFE | TS_FLAG_SWMR_WRITING)) == TS_FLAG_SWMR_WRITING;
}

int ts_file_check_end(struct ts_file *f)
{
    haddr_t eof;
    if (ts_driver_eof(f->driver, &eof) < 0)
        return -1;
    if (follows_writer(f) && eof > f->sb.base) {
        f->end = eof - f->sb.base;
        return 0;
    }
    if (f->sb.end == HADDR_UNDEF || f->sb.end < f->sb.base || eof < f->sb.end)
        return TS_ERR(FILE, TRUNCATED, "truncated file: eof = %llu, sblock->base_addr = %llu, stored_eof = %llu",
                      (unsigned long long)eof, (unsigned long long)f->sb.base, (unsigned long long)f->sb.end);
    if (f->writable && f->sb.end - f->sb.base < ts_superblock_size(f->sb.version, f->sb.addr_size, f->sb.len_size))
        return TS_ERR(FILE, TRUNCATED, "%s: it ends inside its superblock, at %llu", f->name,
                      (unsigned long long)f->sb.end);
    /* A writer keeps to what the file says: bytes behind that are what is left of a change that never was. Where kinds
     * of data are kept apart, the superblock tells the end of one kind only. */
    bool all_told = f->writable && !f->driver->cls->writing->region;
    f->end = (all_told ? f->sb.end : eof) - f->sb.base;
    return 0;
}

int ts_file_read_head(struct ts_file *f, enum ts_who who)
{
    haddr_t eof, at;
    if (ts_driver_eof(f->driver, &eof) < 0 || find_signature(f->driver, f->name, eof, &at) < 0)
        return -1;
    if (read_superblock(f, at, eof) < 0 || ts_file_admit(f, who) < 0)
        return -1;
    int finished = finish_commit(f);
    if (finished < 0)
        return -1;
    if (!finished && end_is_old(f) && eof > f->sb.end)
        f->sb.end = eof;
    if (apply_driver_info(f) < 0)
        return -1;
    /* A driver whose information is in the superblock's extension does not know its members yet. */
    if (f->driver->cls->apply_info && f->sb.extension != HADDR_UNDEF) {
        if (ts_driver_eof(f->driver, &eof) < 0)
            return -1;
        f->end = eof > f->sb.base ? eof - f->sb.base : 0;
        return 0;
    }
    return ts_file_check_end(f);
}
