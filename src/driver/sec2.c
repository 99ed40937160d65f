/* One POSIX file. */
#define _GNU_SOURCE /* locks of open files */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/process.h"
#include "driver/access.h"
#include "driver/classes.h"

#define MAX_VECTORS 256 /* in one call; systems take 1,024 */

/* No more is written with one call. Where dirty pages are scarce the system makes a writer wait for what it brought:
 * 512 MiB took 0.2 to 0.75 s in calls of 16 MiB, 0.14 s in calls of 1 MiB. Where they are not, all sizes take the same
 * (bench/pieces.c). */
#define CALL_MOST_BYTES ((size_t)1 << 20)

/* More at once makes nothing faster, and is what a writer that is killed leaves behind. */
#define RESERVE_MIN ((haddr_t)4 << 20)
#define RESERVE_MAX ((haddr_t)8 << 20)
/* Blocks that the file system has for its own notes on a file are fewer. */
#define LEFT_BEHIND ((haddr_t)1 << 20)

/* 10,000 runs of 32 bytes, 6.5 KiB apart, in the system's cache (bench/frames.c; processor time). On ext4, where pages
 * of the cache are large, reading takes 3.6 ms with gaps up to 4 KiB, 2.7 with 16; writing 9.8 with 2 KiB, 8.4 with 4,
 * 7.8 with 8, 6.9 with 16. On tmpfs, whose pages are small, one call for each is best in writing (4.5 ms, 5.9 with 4
 * KiB), and 4 KiB in reading (3.0 ms, 3.9 with 16). */
static const struct ts_driver_costs memory_costs = {
    .read_along = 4 << 10, .write_along = 1 << 10, .side_by_side = true};
static const struct ts_driver_costs disk_costs = {
    .read_along = 16 << 10, .write_along = 16 << 10, .side_by_side = true};

struct sec2 {
    struct ts_driver base;
    int fd;
    FILE *stream; /* what the stdio driver shows of the file; nothing is read or written through it here */
    char *name;
    atomic_bool reserves;     /* it pays, and works, to ask for space before it is written */
    _Atomic haddr_t reserved; /* up to here; not before the end of the file as it was opened or last cut */
    _Atomic haddr_t appended; /* behind that; what was reserved counts as a whole */
    atomic_bool lent;         /* some of it may be left */
    uint64_t owner;           /* ts_process */
    atomic_bool unnamed;      /* made here, and its folder may not be on the disk yet */
};

/* What the file system is like. Ext4 writes to blocks it has already given away with less work than to blocks it must
 * find later. Other file systems reserve by themselves (XFS), or lose by it. */
static void look_at_file_system(struct sec2 *s, unsigned flags)
{
    struct statfs fs;
    if (fstatfs(s->fd, &fs) < 0)
        return;
    s->reserves = flags & TS_OPEN_WRITE && fs.f_type == EXT4_SUPER_MAGIC;
    s->base.costs = fs.f_type == TMPFS_MAGIC ? memory_costs : disk_costs;
}

/* A file that grows gets as much room as it has grown, behind the end that others see. It is lent: closing the file
 * gives back what is left. Nobody is told when there is none: the write that needs it will be. */
static void reserve(struct sec2 *s, haddr_t addr, haddr_t size)
{
    haddr_t reserved = s->reserved, end = addr + size;
    if (!s->reserves || end <= reserved)
        return;
    haddr_t grown = atomic_fetch_add(&s->appended, size) + size;
    if (grown < RESERVE_MIN)
        return;
    haddr_t room = grown < RESERVE_MAX ? grown : RESERVE_MAX;
    /* Before the first room is what was written already, and far ahead of the last one a hole that may stay one. */
    bool first = grown - size < RESERVE_MIN;
    haddr_t from = addr > (first ? reserved : reserved + room) ? addr : reserved;
    room = room < end - from ? end - from : room;
    /* One of several threads does it. */
    if (!atomic_compare_exchange_strong(&s->reserved, &reserved, from + room))
        return;
    atomic_fetch_add(&s->appended, room);
    s->lent = true;
    if (fallocate(s->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)room) < 0)
        s->reserves = false;
}

/* A process that was forked shares the open file, and its locks, with the one that opened it: it only reads. */
static bool is_ours(const struct sec2 *s)
{
    return s->owner == ts_process();
}

static int check_owner(const struct sec2 *s)
{
    if (is_ours(s))
        return 0;
    return TS_ERR(IO, WRITEERROR,
                  "file write failed: filename = '%s' was opened by a process that this one was forked from", s->name);
}

/* While nobody else may have the file: it would grow while we look how long it is. So a child that was forked does
 * not. */
static void sec2_give_back(struct ts_driver *d)
{
    struct sec2 *s = (struct sec2 *)d;
    struct stat st;
    if (s->lent && is_ours(s) && fstat(s->fd, &st) == 0 && ftruncate(s->fd, st.st_size) == 0)
        s->lent = false;
}

static void sec2_close(struct ts_driver *d)
{
    struct sec2 *s = (struct sec2 *)d;
    /* When the last write failed, its mark or lock still keeps others out. */
    sec2_give_back(d);
    /* Some file systems say only now that there was no room (NFS, quotas). */
    if (close(s->fd) < 0 && errno != EINTR) {
        TS_ERR(FILE, CANTCLOSEFILE, "unable to close file: filename = '%s', " TS_ERRNO, s->name, TS_ERRNO_OF(errno));
        ts_err_owe();
    }
    if (s->stream)
        (void)fclose(s->stream);
    ts_free(s->name);
    ts_free(s);
}

static int sec2_eof(struct ts_driver *d, haddr_t *eof)
{
    struct sec2 *s = (struct sec2 *)d;
    struct stat st;
    if (fstat(s->fd, &st) < 0)
        return TS_ERR(VFL, CANTGET, "cannot get the size: filename = '%s', " TS_ERRNO, s->name, TS_ERRNO_OF(errno));
    *eof = (haddr_t)st.st_size;
    return 0;
}

static int read_all(struct sec2 *s, const struct ts_io_vec *v)
{
    uint8_t *at = v->buf;
    size_t left = v->size;
    haddr_t addr = v->addr;
    while (left > 0) {
        ssize_t got = pread(s->fd, at, left > SSIZE_MAX ? SSIZE_MAX : left, (off_t)addr);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return TS_ERR(IO, READERROR, "file read failed: filename = '%s', " TS_ERRNO ", %zu bytes at offset %llu",
                          s->name, TS_ERRNO_OF(errno), left, (unsigned long long)addr);
        if (got == 0)
            return TS_ERR(IO, READERROR, "%s: the file ends %zu bytes before the end of a block of %zu at %#llx",
                          s->name, left, v->size, (unsigned long long)v->addr);
        at += got;
        left -= (size_t)got;
        addr += (haddr_t)got;
    }
    return 0;
}

/* How many vectors from the first on lie back to back in the file. */
static size_t neighbours(const struct ts_io_vec *v, size_t n, struct iovec *iov, size_t max)
{
    size_t count = 0;
    while (count < n && count < max && (count == 0 || v[count].addr == v[count - 1].addr + v[count - 1].size)) {
        iov[count] = (struct iovec){.iov_base = v[count].buf, .iov_len = v[count].size};
        count++;
    }
    return count;
}

static int sec2_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    struct sec2 *s = (struct sec2 *)d;
    struct iovec iov[MAX_VECTORS];
    while (n > 0) {
        size_t count = neighbours(v, n, iov, MAX_VECTORS);
        size_t total = 0;
        for (size_t i = 0; i < count; i++)
            total += v[i].size;
        /* A short transfer is rare: each vector is then read on its own, which also finds out why. */
        if (count == 1 || preadv(s->fd, iov, (int)count, (off_t)v->addr) != (ssize_t)total)
            for (size_t i = 0; i < count; i++)
                if (read_all(s, &v[i]) < 0)
                    return -1;
        v += count;
        n -= count;
    }
    return 0;
}

static int write_all(struct sec2 *s, const struct ts_io_out *v)
{
    const uint8_t *at = v->buf;
    size_t left = v->size;
    haddr_t addr = v->addr;
    while (left > 0) {
        ssize_t put = pwrite(s->fd, at, left > CALL_MOST_BYTES ? CALL_MOST_BYTES : left, (off_t)addr);
        if (put < 0 && errno == EINTR)
            continue;
        /* A file system that takes nothing and gives no reason has no room. */
        if (put <= 0)
            return TS_ERR(IO, WRITEERROR, "file write failed: filename = '%s', " TS_ERRNO ", %zu bytes at offset %llu",
                          s->name, TS_ERRNO_OF(put < 0 ? errno : ENOSPC), left, (unsigned long long)addr);
        at += put;
        left -= (size_t)put;
        addr += (haddr_t)put;
    }
    return 0;
}

static int sec2_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    struct sec2 *s = (struct sec2 *)d;
    struct iovec iov[MAX_VECTORS];
    if (check_owner(s) < 0)
        return -1;
    while (n > 0) {
        size_t count = 0, total = 0;
        while (count < n && count < MAX_VECTORS &&
               (count == 0 ||
                (v[count].addr == v[count - 1].addr + v[count - 1].size && total + v[count].size <= CALL_MOST_BYTES))) {
            iov[count] = (struct iovec){.iov_base = (void *)(uintptr_t)v[count].buf, .iov_len = v[count].size};
            total += v[count++].size;
        }
        reserve(s, v->addr, total);
        /* As in reading: what was not written whole is written again one by one, until it is or we know why not. */
        if (count == 1 || pwritev(s->fd, iov, (int)count, (off_t)v->addr) != (ssize_t)total)
            for (size_t i = 0; i < count; i++)
                if (write_all(s, &v[i]) < 0)
                    return -1;
        v += count;
        n -= count;
    }
    return 0;
}

static int sec2_truncate(struct ts_driver *d, haddr_t eof)
{
    struct sec2 *s = (struct sec2 *)d;
    int status;
    if (check_owner(s) < 0)
        return -1;
    do
        status = ftruncate(s->fd, (off_t)eof);
    while (status < 0 && errno == EINTR);
    s->reserved = eof;
    s->appended = 0;
    s->lent = s->lent && status < 0;
    if (status < 0)
        return TS_ERR(IO, SEEKERROR, "unable to make the file %llu bytes long: filename = '%s', " TS_ERRNO,
                      (unsigned long long)eof, s->name, TS_ERRNO_OF(errno));
    return 0;
}

static int sec2_free_room(struct ts_driver *d, haddr_t *bytes)
{
    struct sec2 *s = (struct sec2 *)d;
    struct statvfs fs;
    struct rlimit most;
    haddr_t size;
    if (fstatvfs(s->fd, &fs) < 0 || getrlimit(RLIMIT_FSIZE, &most) < 0)
        return TS_ERR(VFL, CANTGET, "cannot get the free room: filename = '%s', " TS_ERRNO, s->name,
                      TS_ERRNO_OF(errno));
    *bytes = (haddr_t)fs.f_bavail * fs.f_frsize;
    if (most.rlim_cur == RLIM_INFINITY)
        return 0;
    if (sec2_eof(d, &size) < 0)
        return -1;
    haddr_t left = most.rlim_cur > size ? most.rlim_cur - size : 0;
    *bytes = left < *bytes ? left : *bytes;
    return 0;
}

/* The kernel has it all, and keeps it when the process dies. */
static int sec2_flush(struct ts_driver *d)
{
    (void)d;
    return 0;
}

/* The folder that has the name, or -1 when this is not known: the name may lead elsewhere by now, or through a link. */
static int open_folder(const struct sec2 *s)
{
    struct stat file, named;
    const char *slash = strrchr(s->name, '/'), *last = slash ? slash + 1 : s->name;
    char *path = slash ? ts_strdup(s->name) : NULL;
    if (slash && !path)
        return -1;
    if (path)
        path[slash == s->name ? 1 : slash - s->name] = 0;
    int folder = open(path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ts_free(path);
    if (folder < 0)
        return -1;
    if (fstat(s->fd, &file) == 0 && fstatat(folder, last, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        file.st_dev == named.st_dev && file.st_ino == named.st_ino)
        return folder;
    close(folder);
    return -1;
}

static int retry_sync(int (*call)(int fd), int fd)
{
    int status;
    do
        status = call(fd);
    while (status < 0 && errno == EINTR);
    return status;
}

/* A new file is on the disk when its name is. Where the folder cannot be opened the whole file system goes. */
static int sync_name(struct sec2 *s)
{
    unsigned mark = ts_err_mark();
    int folder = open_folder(s);
    ts_err_rewind(mark);
    int status = folder < 0 ? retry_sync(syncfs, s->fd) : retry_sync(fsync, folder), error = errno;
    if (folder >= 0)
        close(folder);
    if (status < 0)
        return TS_ERR(IO, CANTFLUSH, "unable to bring a new file's name to the disk: filename = '%s', " TS_ERRNO,
                      s->name, TS_ERRNO_OF(error));
    s->unnamed = false;
    return 0;
}

static int sec2_sync(struct ts_driver *d)
{
    struct sec2 *s = (struct sec2 *)d;
    if (retry_sync(fdatasync, s->fd) < 0)
        return TS_ERR(IO, CANTFLUSH, "unable to bring the file to the disk: filename = '%s', " TS_ERRNO, s->name,
                      TS_ERRNO_OF(errno));
    return s->unnamed ? sync_name(s) : 0;
}

static int sec2_lock(struct ts_driver *d, bool exclusive)
{
    struct sec2 *s = (struct sec2 *)d;
    if (flock(s->fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
        return 0;
    if (errno == ENOSYS || errno == EOPNOTSUPP)
        return 1;
    return TS_ERR(VFL, CANTLOCKFILE, "unable to lock file: name = '%s', " TS_ERRNO, s->name, TS_ERRNO_OF(errno));
}

static int sec2_unlock(struct ts_driver *d)
{
    struct sec2 *s = (struct sec2 *)d;
    if (!is_ours(s) || flock(s->fd, LOCK_UN) == 0 || errno == ENOSYS || errno == EOPNOTSUPP)
        return 0;
    return TS_ERR(VFL, CANTUNLOCKFILE, "unable to unlock file: name = '%s', " TS_ERRNO, s->name, TS_ERRNO_OF(errno));
}

/* Far behind the end of any file. The lock belongs to the open file, not to the process as older ones of this kind
 * do. */
#define LIFE_AT ((off_t)1 << 62)

static enum ts_life_answer sec2_life(struct ts_driver *d, enum ts_life want)
{
    static const short type[] = {[TS_LIFE_NONE] = F_UNLCK, [TS_LIFE_SHARED] = F_RDLCK, [TS_LIFE_EXCLUSIVE] = F_WRLCK};
    struct flock lock = {.l_type = type[want], .l_whence = SEEK_SET, .l_start = LIFE_AT, .l_len = 1};
    if (!is_ours((struct sec2 *)d))
        return TS_LIFE_UNKNOWN;
    if (fcntl(((struct sec2 *)d)->fd, F_OFD_SETLK, &lock) == 0)
        return TS_LIFE_TAKEN;
    return errno == EAGAIN || errno == EACCES ? TS_LIFE_HELD : TS_LIFE_UNKNOWN;
}

static int sec2_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    struct sec2 *s = (struct sec2 *)d;
    struct stat st;
    if (fstat(s->fd, &st) < 0)
        return TS_ERR(VFL, CANTGET, "cannot identify the file: filename = '%s', " TS_ERRNO, s->name,
                      TS_ERRNO_OF(errno));
    *id = (struct ts_driver_identity){.device = st.st_dev, .inode = st.st_ino};
    return 0;
}

static int sec2_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    (void)part;
    struct sec2 *s = (struct sec2 *)d;
    *handle = s->stream ? (void *)&s->stream : (void *)&s->fd;
    return 0;
}

static const struct ts_driver_writing sec2_writing = {.writev = sec2_writev,
                                                      .truncate = sec2_truncate,
                                                      .flush = sec2_flush,
                                                      .sync = sec2_sync,
                                                      .give_back = sec2_give_back,
                                                      .free_room = sec2_free_room};

static const struct ts_driver_class sec2_class = {.name = "sec2",
                                                  .close = sec2_close,
                                                  .eof = sec2_eof,
                                                  .readv = sec2_readv,
                                                  .identity = sec2_identity,
                                                  .handle = sec2_handle,
                                                  .lock = sec2_lock,
                                                  .unlock = sec2_unlock,
                                                  .life = sec2_life,
                                                  .crash_safe = true,
                                                  .writing = &sec2_writing};

/* Never O_TRUNC: another process may have the file locked. */
static int posix_flags(unsigned flags)
{
    return O_CLOEXEC | (flags & TS_OPEN_WRITE ? O_RDWR : O_RDONLY) | (flags & TS_OPEN_CREATE ? O_CREAT : 0) |
           (flags & TS_OPEN_EXCL ? O_EXCL : 0);
}

/* Programs look for the error number in the text, which is that of libhdf5 down to its flags. */
static int cannot_open(const char *name, unsigned flags)
{
    int error = errno;
    bool replace = flags & TS_OPEN_CREATE && !(flags & TS_OPEN_EXCL);
    unsigned asked = (flags & TS_OPEN_WRITE ? H5F_ACC_RDWR : 0) | (flags & TS_OPEN_CREATE ? H5F_ACC_CREAT : 0) |
                     (flags & TS_OPEN_EXCL ? H5F_ACC_EXCL : 0) | (replace ? H5F_ACC_TRUNC : 0);
    unsigned posix = (unsigned)((posix_flags(flags) & ~O_CLOEXEC) | (replace ? O_TRUNC : 0));
    TS_ERR(FILE, CANTOPENFILE, "unable to open file: name = '%s', " TS_ERRNO ", flags = %x, o_flags = %x", name,
           TS_ERRNO_OF(error), asked, posix);
    /* No file can have a name that is too long. */
    bool absent = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
    return ts_err_because(absent ? TS_WHY_ABSENT : TS_WHY_ANY);
}

static int check_regular(int fd, const char *name, unsigned flags, struct stat *st)
{
    if (fstat(fd, st) < 0)
        return cannot_open(name, flags);
    /* What reading or writing them would say. */
    if (S_ISDIR(st->st_mode) || S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) {
        errno = S_ISDIR(st->st_mode) ? EISDIR : ESPIPE;
        return cannot_open(name, flags);
    }
    return 0;
}

/* As open; less than -1, with the error said, when a rule of access forbids it. */
static int open_allowed(const char *name, int how, const struct ts_driver_config *config)
{
    if (ts_access_confines(config->access, config->access_kind))
        return ts_access_open(config->access, config->access_kind, name, how);
    return open(name, how, 0666);
}

/* What it is, is known only once it is open, and opening a FIFO would wait for who opens its other end. Who has a lease
 * on a regular file is waited for. */
static int open_at_once(const char *name, unsigned flags, const struct ts_driver_config *config)
{
    int fd = open_allowed(name, posix_flags(flags) | O_NONBLOCK, config);
    if (fd == -1 && errno == EWOULDBLOCK)
        return open_allowed(name, posix_flags(flags), config);
    int status = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (status >= 0)
        (void)fcntl(fd, F_SETFL, status & ~O_NONBLOCK);
    return fd;
}

static int open_stream(struct sec2 *s, unsigned flags)
{
    int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
    s->stream = fd < 0 ? NULL : fdopen(fd, flags & TS_OPEN_WRITE ? "r+" : "r");
    if (s->stream)
        return 0;
    TS_ERR(FILE, CANTOPENFILE, "unable to open a stream: filename = '%s', " TS_ERRNO, s->name, TS_ERRNO_OF(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int ts_sec2_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct stat st = {0};
    int fd = open_at_once(name, flags, config);
    if (fd < 0)
        return fd == -1 ? cannot_open(name, flags) : -1;
    struct sec2 *s = check_regular(fd, name, flags, &st) < 0 ? NULL : ts_calloc(1, sizeof *s);
    char *copy = s ? ts_strdup(name) : NULL;
    if (!copy) {
        ts_free(s);
        close(fd);
        return -1;
    }
    *s = (struct sec2){
        .base.cls = &sec2_class, .fd = fd, .name = copy, .reserved = (haddr_t)st.st_size, .owner = ts_process()};
    s->unnamed = flags & TS_OPEN_CREATE;
    look_at_file_system(s, flags);
    /* A writer that was killed gave nothing back. */
    s->lent = s->reserves && (haddr_t)st.st_blocks * 512 > (haddr_t)st.st_size + LEFT_BEHIND;
    if (config->kind == TS_DRIVER_STDIO && open_stream(s, flags) < 0) {
        sec2_close(&s->base);
        return -1;
    }
    *out = &s->base;
    return 0;
}
