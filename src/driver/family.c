/* One address space cut into members of equal size: a name with a printf integer conversion makes their names. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/lock.h"
#include "driver/classes.h"

#define MEMBER_NAME_MAX 4096

struct family {
    struct ts_driver base;
    struct ts_driver **members; /* never closed before the family is */
    size_t n, capacity;
    hsize_t member_size;
    /* The rest is of use only when writing, and then guarded, with what is above, by the lock. */
    bool writable, reparted;
    struct ts_rwlock lock;
    size_t prepared;        /* writing into members before this one needs no preparation: all before them are full */
    bool locked, exclusive; /* against other processes; new members will be too */
    char *pattern;
    struct ts_driver_config member;
};

static void family_close(struct ts_driver *d)
{
    struct family *f = (struct family *)d;
    for (size_t i = 0; i < f->n; i++)
        ts_driver_close(f->members[i]);
    ts_rwlock_deinit(&f->lock);
    ts_driver_config_deinit(&f->member);
    ts_free(f->pattern);
    ts_free(f->members);
    ts_free(f);
}

static void begin_shared(struct family *f)
{
    if (f->writable)
        ts_rwlock_read(&f->lock);
}

static void end_shared(struct family *f)
{
    if (f->writable)
        ts_rwlock_unlock(&f->lock);
}

/* Members behind the last that is not empty are left over from a longer file. */
static int used_members(struct family *f, size_t *used, haddr_t *last)
{
    for (size_t i = f->n; i-- > 0;) {
        if (ts_driver_eof(f->members[i], last) < 0)
            return -1;
        *used = i + 1;
        if (*last > 0 || i == 0)
            break;
    }
    return 0;
}

static int family_eof(struct ts_driver *d, haddr_t *eof)
{
    struct family *f = (struct family *)d;
    haddr_t last = 0;
    size_t used = 1;
    begin_shared(f);
    int status = used_members(f, &used, &last);
    *eof = (used - 1) * f->member_size + last;
    end_shared(f);
    return status;
}

static struct ts_driver *member_at(struct family *f, haddr_t addr)
{
    haddr_t index = addr / f->member_size;
    begin_shared(f);
    size_t n = f->n;
    struct ts_driver *member = index < n ? f->members[index] : NULL;
    end_shared(f);
    if (!member)
        TS_ERR(IO, READERROR, "address %#llx lies in member %llu of a family of %zu", (unsigned long long)addr,
               (unsigned long long)index, n);
    return member;
}

/* How much of [addr, addr + size) lies in the member that addr is in. */
static size_t piece(const struct family *f, haddr_t addr, size_t size)
{
    hsize_t room = f->member_size - addr % f->member_size;
    return size < room ? size : (size_t)room;
}

/* Members are cut and filled one by one, and a power failure keeps to no order: one that is too short, though a later
 * one has bytes, is zeros from there on, as if it had been filled. *there: how many of the bytes it has. */
static bool has_hole(struct family *f, haddr_t addr, size_t size, size_t *there)
{
    size_t index = (size_t)(addr / f->member_size), used = 1;
    haddr_t at = addr % f->member_size, eof, last;
    begin_shared(f);
    bool hole = index < f->n && used_members(f, &used, &last) == 0 && index + 1 < used &&
                ts_driver_eof(f->members[index], &eof) == 0 && at + size > eof;
    end_shared(f);
    if (hole)
        *there = at < eof ? (size_t)(eof - at) : 0;
    return hole;
}

static int read_piece(struct family *f, haddr_t addr, size_t size, uint8_t *buf)
{
    size_t there;
    unsigned mark = ts_err_mark();
    struct ts_driver *member = member_at(f, addr);
    if (!member)
        return -1;
    if (ts_driver_read(member, addr % f->member_size, size, buf) == 0)
        return 0;
    if (!has_hole(f, addr, size, &there))
        return -1;
    ts_err_rewind(mark);
    memset(buf + there, 0, size - there);
    return there == 0 ? 0 : ts_driver_read(member, addr % f->member_size, there, buf);
}

static int read_pieces(struct family *f, const struct ts_io_vec *v)
{
    size_t here;
    for (size_t done = 0; done < v->size; done += here) {
        haddr_t addr = v->addr + done;
        here = piece(f, addr, v->size - done);
        if (read_piece(f, addr, here, (uint8_t *)v->buf + done) < 0)
            return -1;
    }
    return 0;
}

static int family_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (read_pieces((struct family *)d, &v[i]) < 0)
            return -1;
    return 0;
}

static int family_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    struct ts_driver *first = ((struct family *)d)->members[0];
    return first->cls->identity(first, id);
}

static int family_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    const struct family *f = (const struct family *)d;
    haddr_t index = part->offset / f->member_size;
    if (index >= f->n)
        return TS_ERR(VFL, BADRANGE, "offset is bigger than file size: %llu of %zu members of %llu bytes",
                      (unsigned long long)part->offset, f->n, (unsigned long long)f->member_size);
    return f->members[index]->cls->handle(f->members[index], part, handle);
}

/* The superblock knows the member size the file was written with. */
static int family_apply_info(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size)
{
    struct family *f = (struct family *)d;
    struct ts_rd r = ts_rd_init(info, size);
    uint64_t member_size = ts_rd_u64(&r);
    if (memcmp(id, "NCSAfami", 8) != 0)
        return TS_ERR(VFL, BADVALUE, "the file was written by driver '%.8s', not as a family", id);
    if (r.bad || member_size == 0)
        return TS_ERR(VFL, CANTDECODE, "the driver information of a family has a member size of %llu",
                      (unsigned long long)member_size);
    size_t used = 1;
    haddr_t last;
    if (f->reparted)
        return 0;
    if (used_members(f, &used, &last) < 0)
        return -1;
    if (used > 1 && member_size != f->member_size)
        return TS_ERR(VFL, BADVALUE,
                      "the family's member size should be %llu, the access property list or the first member says %llu",
                      (unsigned long long)member_size, (unsigned long long)f->member_size);
    f->member_size = member_size;
    return 0;
}

/* The one conversion must take an int: anything else would let a file name drive printf. */
static int check_pattern(const char *pattern)
{
    unsigned conversions = 0;
    for (const char *p = strchr(pattern, '%'); p; p = strchr(p, '%')) {
        p++;
        if (*p == '%') {
            p++;
            continue;
        }
        p += strspn(p, "0123456789-+ #");
        if (*p != 'd' && *p != 'u' && *p != 'x' && *p != 'X' && *p != 'o' && *p != 'i')
            return TS_ERR(VFL, BADVALUE, "the name '%s' of a file family has a conversion other than for one integer",
                          pattern);
        conversions++;
    }
    if (conversions != 1)
        return TS_ERR(VFL, BADVALUE, "the name '%s' of a file family needs exactly one integer conversion such as %%d",
                      pattern);
    return 0;
}

static int member_name(const char *pattern, size_t index, char name[MEMBER_NAME_MAX])
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = snprintf(name, MEMBER_NAME_MAX, pattern, (int)index);
#pragma GCC diagnostic pop
    if (length < 0 || length >= MEMBER_NAME_MAX)
        return TS_ERR(VFL, BADVALUE, "the name '%s' of a file family is too long", pattern);
    return 0;
}

static int add_member(struct family *f, unsigned flags)
{
    char name[MEMBER_NAME_MAX];
    if (member_name(f->pattern, f->n, name) < 0 || TS_GROW(f->members, f->capacity, f->n + 1) < 0 ||
        ts_driver_open_member(name, flags, &f->member, &f->members[f->n]) < 0)
        return -1;
    struct ts_driver *member = f->members[f->n];
    if (f->locked && member->cls->lock && member->cls->lock(member, f->exclusive) < 0) {
        ts_driver_close(member);
        return -1;
    }
    f->n++;
    return 0;
}

/* A file by the name of a new member is what a power failure left of one, when those before it were lost. */
static int make_empty(struct ts_driver *member)
{
    haddr_t eof;
    if (ts_driver_eof(member, &eof) < 0)
        return -1;
    return eof == 0 ? 0 : ts_driver_truncate(member, 0);
}

/* So that member `last` can be written: those before it are made, and full. With the lock. */
static int fill_up_to(struct family *f, size_t last)
{
    TS_HELD_ALONE(&f->lock);
    while (f->n <= last)
        if (add_member(f, TS_OPEN_WRITE | TS_OPEN_CREATE) < 0 || make_empty(f->members[f->n - 1]) < 0)
            return -1;
    for (; f->prepared <= last; f->prepared++) {
        haddr_t eof;
        if (f->prepared == 0)
            continue;
        struct ts_driver *before = f->members[f->prepared - 1];
        if (ts_driver_eof(before, &eof) < 0 || (eof < f->member_size && ts_driver_truncate(before, f->member_size) < 0))
            return -1;
    }
    return 0;
}

static int prepare_for(struct family *f, haddr_t addr)
{
    haddr_t member = addr / f->member_size;
    ts_rwlock_read(&f->lock);
    bool prepared = member < f->prepared;
    ts_rwlock_unlock(&f->lock);
    if (prepared)
        return 0;
    ts_rwlock_write(&f->lock);
    int status = fill_up_to(f, (size_t)member);
    ts_rwlock_unlock(&f->lock);
    return status;
}

static int write_pieces(struct family *f, const struct ts_io_out *v)
{
    size_t here;
    for (size_t done = 0; done < v->size; done += here) {
        haddr_t addr = v->addr + done;
        here = piece(f, addr, v->size - done);
        if (prepare_for(f, addr) < 0)
            return -1;
        struct ts_driver *member = member_at(f, addr);
        if (!member || ts_driver_write(member, addr % f->member_size, here, (const uint8_t *)v->buf + done) < 0)
            return -1;
    }
    return 0;
}

static int family_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (write_pieces((struct family *)d, &v[i]) < 0)
            return -1;
    return 0;
}

/* From the end on: a crash in between leaves a shorter file without a hole. Members are emptied, not removed. */
static int cut(struct family *f, haddr_t eof)
{
    size_t last = (size_t)(eof > 0 ? (eof - 1) / f->member_size : 0);
    for (size_t i = f->n; i-- > last + 1;)
        if (ts_driver_truncate(f->members[i], 0) < 0)
            return -1;
    f->prepared = f->prepared > last + 1 ? last + 1 : f->prepared;
    if (fill_up_to(f, last) < 0)
        return -1;
    return ts_driver_truncate(f->members[last], eof - last * f->member_size);
}

static int family_truncate(struct ts_driver *d, haddr_t eof)
{
    struct family *f = (struct family *)d;
    ts_rwlock_write(&f->lock);
    int status = cut(f, eof);
    ts_rwlock_unlock(&f->lock);
    return status;
}

static int family_flush(struct ts_driver *d)
{
    struct family *f = (struct family *)d;
    int status = 0;
    begin_shared(f);
    for (size_t i = 0; status == 0 && i < f->n; i++)
        status = ts_driver_flush(f->members[i]);
    end_shared(f);
    return status;
}

static int sync_member(struct ts_driver *d)
{
    if (!d->cls->writing->sync)
        return TS_ERR(VFL, UNSUPPORTED, "members of driver '%s' cannot be brought to the disk", d->cls->name);
    return ts_driver_sync(d);
}

static int family_sync(struct ts_driver *d)
{
    struct family *f = (struct family *)d;
    int status = 0;
    begin_shared(f);
    for (size_t i = 0; status == 0 && i < f->n; i++)
        status = sync_member(f->members[i]);
    end_shared(f);
    return status;
}

static void family_give_back(struct ts_driver *d)
{
    struct family *f = (struct family *)d;
    begin_shared(f);
    for (size_t i = 0; i < f->n; i++)
        ts_driver_give_back(f->members[i]);
    end_shared(f);
}

static int family_info(struct ts_driver *d, char id[8], struct ts_wr *out)
{
    memcpy(id, "NCSAfami", 8);
    ts_wr_u64(out, ((struct family *)d)->member_size);
    return out->bad ? -1 : 0;
}

static int family_unlock(struct ts_driver *d)
{
    struct family *f = (struct family *)d;
    int status = 0;
    ts_rwlock_write(&f->lock);
    for (size_t i = 0; i < f->n; i++)
        if (ts_driver_unlock(f->members[i]) < 0)
            status = -1;
    f->locked = false;
    ts_rwlock_unlock(&f->lock);
    return status;
}

static int family_lock(struct ts_driver *d, bool exclusive)
{
    struct family *f = (struct family *)d;
    int status = 0;
    ts_rwlock_write(&f->lock);
    for (size_t i = 0; status == 0 && i < f->n; i++)
        status = f->members[i]->cls->lock ? f->members[i]->cls->lock(f->members[i], exclusive) : 0;
    f->locked = status == 0;
    f->exclusive = exclusive;
    ts_rwlock_unlock(&f->lock);
    if (status < 0)
        family_unlock(d);
    return status;
}

static const struct ts_driver_writing family_writing = {.writev = family_writev,
                                                        .truncate = family_truncate,
                                                        .flush = family_flush,
                                                        .sync = family_sync,
                                                        .give_back = family_give_back,
                                                        .info = family_info};

static const struct ts_driver_class family_class = {.name = "family",
                                                    .close = family_close,
                                                    .eof = family_eof,
                                                    .readv = family_readv,
                                                    .identity = family_identity,
                                                    .handle = family_handle,
                                                    .apply_info = family_apply_info,
                                                    .lock = family_lock,
                                                    .unlock = family_unlock,
                                                    .crash_safe = true,
                                                    .writing = &family_writing};

/* From the first on, as long as there are any. */
int ts_family_delete(const char *pattern, const struct ts_driver_config *config)
{
    char name[MEMBER_NAME_MAX];
    if (check_pattern(pattern) < 0)
        return -1;
    for (size_t i = 0;; i++) {
        if (member_name(pattern, i, name) < 0)
            return -1;
        if (i > 0 && access(name, F_OK) != 0)
            return 0;
        if (ts_driver_delete_part(name, config->family.member) < 0)
            return -1;
    }
}

/* Members behind the first need not be there, but may: from now on they are this file's. */
static int open_members(struct family *f, unsigned flags)
{
    char name[MEMBER_NAME_MAX];
    if (add_member(f, flags) < 0)
        return -1;
    for (;;) {
        if (member_name(f->pattern, f->n, name) < 0)
            return -1;
        if (access(name, F_OK) != 0)
            return 0;
        if (add_member(f, flags & ~(unsigned)TS_OPEN_EXCL) < 0)
            return -1;
        /* Who made the first member exclusively has the whole family, with nobody to ask. */
        if (flags & TS_OPEN_EXCL && ts_driver_truncate(f->members[f->n - 1], 0) < 0)
            return -1;
    }
}

static int find_member_size(struct family *f, unsigned flags, hsize_t wanted)
{
    haddr_t first;
    if (flags & TS_OPEN_CREATE && wanted == 0)
        return TS_ERR(VFL, BADVALUE, "a new file family needs a member size");
    if (ts_driver_eof(f->members[0], &first) < 0)
        return -1;
    f->member_size = wanted ? wanted : first;
    if (f->member_size == 0)
        return TS_ERR(VFL, BADVALUE, "the first member of the file family is empty");
    return 0;
}

int ts_family_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct ts_driver_config member = {.kind = TS_DRIVER_SEC2};
    if (config->family.member)
        member = *config->family.member;
    member.access = config->access;
    member.access_kind = config->access_kind;
    if (check_pattern(name) < 0)
        return -1;
    struct family *f = ts_calloc(1, sizeof *f);
    if (!f)
        return -1;
    f->base.cls = &family_class;
    f->writable = flags & TS_OPEN_WRITE;
    ts_rwlock_init(&f->lock, TS_RANK_DRIVER_FAMILY);
    f->pattern = ts_strdup(name);
    if (!f->pattern || ts_driver_config_copy(&f->member, &member) < 0 || open_members(f, flags) < 0 ||
        find_member_size(f, flags, config->family.member_size) < 0) {
        family_close(&f->base);
        return -1;
    }
    *out = &f->base;
    return 0;
}

int ts_family_repart(struct ts_driver *d, hsize_t member_size)
{
    struct family *f = (struct family *)d;
    size_t used = 1;
    haddr_t last;
    ts_rwlock_write(&f->lock);
    f->member_size = member_size;
    f->reparted = true;
    int status = used_members(f, &used, &last);
    if (status == 0)
        status = fill_up_to(f, used - 1);
    ts_rwlock_unlock(&f->lock);
    return status;
}
