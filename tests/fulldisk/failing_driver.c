#include "failing_driver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct posix {
    H5FD_t pub;
    int fd;
    haddr_t eoa;
};

static unsigned long calls, first, hits;
static bool only_one;

void failing_at(unsigned long n, bool once)
{
    calls = 0;
    first = n;
    only_one = once;
}

unsigned long failing_hits(void)
{
    return hits;
}

static bool fails(void)
{
    calls++;
    bool now = first > 0 && (only_one ? calls == first : calls >= first);
    hits += now;
    return now;
}

static H5FD_t *posix_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    int how = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
              (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0);
    struct posix *p = calloc(1, sizeof *p);
    (void)fapl;
    (void)maxaddr;
    p->fd = open(name, how, 0666);
    if (p->fd >= 0)
        return &p->pub;
    free(p);
    return NULL;
}

static herr_t posix_close(H5FD_t *f)
{
    struct posix *p = (struct posix *)f;
    bool failed = fails();
    close(p->fd);
    free(p);
    return failed ? -1 : 0;
}

static int posix_cmp(const H5FD_t *a, const H5FD_t *b)
{
    struct stat x, y;
    fstat(((const struct posix *)a)->fd, &x);
    fstat(((const struct posix *)b)->fd, &y);
    return x.st_ino == y.st_ino ? 0 : x.st_ino < y.st_ino ? -1 : 1;
}

static haddr_t posix_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return ((const struct posix *)f)->eoa;
}

static herr_t posix_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((struct posix *)f)->eoa = addr;
    return 0;
}

static haddr_t posix_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    struct stat st;
    (void)type;
    return fstat(((const struct posix *)f)->fd, &st) < 0 ? HADDR_UNDEF : (haddr_t)st.st_size;
}

static herr_t posix_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buf)
{
    (void)type;
    (void)dxpl;
    ssize_t n = pread(((struct posix *)f)->fd, buf, size, (off_t)addr);
    if (n < 0)
        return -1;
    memset((char *)buf + n, 0, size - (size_t)n);
    return 0;
}

static herr_t posix_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, const void *buf)
{
    (void)type;
    (void)dxpl;
    if (fails())
        return -1;
    return pwrite(((struct posix *)f)->fd, buf, size, (off_t)addr) == (ssize_t)size ? 0 : -1;
}

static herr_t posix_flush(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    (void)f;
    (void)dxpl;
    (void)closing;
    return fails() ? -1 : 0;
}

static herr_t posix_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    struct posix *p = (struct posix *)f;
    (void)dxpl;
    (void)closing;
    return fails() || ftruncate(p->fd, (off_t)p->eoa) < 0 ? -1 : 0;
}

herr_t failing_use(hid_t fapl)
{
    static const H5FD_class_t cls = {
#ifdef H5FD_CLASS_VERSION /* since 1.14 */
                                     .version = H5FD_CLASS_VERSION,
                                     .value = H5_VFD_INVALID,
#endif
                                     .name = "failing",
                                     .maxaddr = (haddr_t)1 << 40,
                                     .fc_degree = H5F_CLOSE_WEAK,
                                     .open = posix_open,
                                     .close = posix_close,
                                     .cmp = posix_cmp,
                                     .get_eoa = posix_get_eoa,
                                     .set_eoa = posix_set_eoa,
                                     .get_eof = posix_get_eof,
                                     .read = posix_read,
                                     .write = posix_write,
                                     .flush = posix_flush,
                                     .truncate = posix_truncate,
                                     .fl_map = H5FD_FLMAP_SINGLE};
    hid_t driver = H5FDregister(&cls);
    return driver < 0 ? -1 : H5Pset_driver(fapl, driver, NULL);
}
