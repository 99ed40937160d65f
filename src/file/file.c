#include "file/file.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/overlay.h"
#include "plist/fapl.h"
#include "plist/plist.h"

/* In the first byte of the superblock's consistency flags. */
enum { WRITING = 1, SWMR_WRITING = 4, KNOWN_FLAGS = 7 };

/* Every open file of the process, so that opening one twice gives the same struct. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ts_file *registry;
static unsigned long next_serial = 1;

void ts_file_ref(struct ts_file *f)
{
    atomic_fetch_add(&f->refs, 1);
}

static void file_free(struct ts_file *f)
{
    if (f->drop_meta)
        f->drop_meta(f);
    ts_overlay_free(f->overlay);
    ts_driver_close(f->driver);
    if (f->fapl)
        ts_plist_unref(f->fapl);
    pthread_mutex_destroy(&f->setup_lock);
    ts_free(f->name);
    ts_free(f);
}

static void unlink_file(struct ts_file *f)
{
    for (struct ts_file **at = &registry; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            return;
        }
}

void ts_file_unref(struct ts_file *f)
{
    /* The last reference is dropped under the lock: a lookup must not find a file that is on its way out. */
    pthread_mutex_lock(&registry_lock);
    bool last = atomic_fetch_sub(&f->refs, 1) == 1;
    if (last)
        unlink_file(f);
    pthread_mutex_unlock(&registry_lock);
    if (last)
        file_free(f);
}

bool ts_file_has(const struct ts_file *f, haddr_t addr, uint64_t size)
{
    return addr <= f->end && size <= f->end - addr;
}

static int check_range(const struct ts_file *f, haddr_t addr, size_t size)
{
    if (addr == HADDR_UNDEF)
        return TS_ERR(IO, READERROR, "%s: reading %zu bytes at the undefined address", f->name, size);
    if (!ts_file_has(f, addr, size))
        return TS_ERR(IO, READERROR, "%s: %zu bytes at %#llx lie behind the end of the file, %#llx", f->name, size,
                      (unsigned long long)addr, (unsigned long long)f->end);
    return 0;
}

static int read_checked(struct ts_file *f, haddr_t addr, size_t size, void *buf)
{
    if (ts_driver_read(f->driver, f->sb.base + addr, size, buf) < 0)
        return -1;
    if (f->overlay)
        ts_overlay_apply(f->overlay, addr, size, buf);
    return 0;
}

int ts_file_read(struct ts_file *f, haddr_t addr, size_t size, void *buf)
{
    if (check_range(f, addr, size) < 0)
        return -1;
    return read_checked(f, addr, size, buf);
}

int ts_file_readv(struct ts_file *f, const struct ts_io_vec *v, size_t n)
{
    struct ts_io_vec absolute[64];
    while (n > 0) {
        size_t now = n < 64 ? n : 64;
        for (size_t i = 0; i < now; i++) {
            if (check_range(f, v[i].addr, v[i].size) < 0)
                return -1;
            absolute[i] = v[i];
            absolute[i].addr += f->sb.base;
        }
        if (ts_driver_readv(f->driver, absolute, now) < 0)
            return -1;
        for (size_t i = 0; f->overlay && i < now; i++)
            ts_overlay_apply(f->overlay, v[i].addr, v[i].size, v[i].buf);
        v += now;
        n -= now;
    }
    return 0;
}

int ts_file_read_some(struct ts_file *f, haddr_t addr, size_t size, void *buf, size_t *got)
{
    if (check_range(f, addr, 1) < 0)
        return -1;
    haddr_t room = f->end - addr, piece;
    if (f->driver->cls->room) {
        if (f->driver->cls->room(f->driver, f->sb.base + addr, &piece) < 0)
            return -1;
        room = piece < room ? piece : room;
    }
    *got = size < room ? size : (size_t)room;
    return read_checked(f, addr, *got, buf);
}

/* The signature stands at 0, 512, 1024, 2048, … : whatever is before it is the user's. */
static int find_signature(struct ts_driver *d, const char *name, haddr_t eof, haddr_t *at)
{
    uint8_t bytes[sizeof ts_superblock_signature];
    if (eof == 0)
        return TS_ERR(FILE, NOTHDF5, "'%s' is empty", name);
    for (haddr_t addr = 0; addr < eof && eof - addr >= sizeof bytes; addr = addr ? addr * 2 : 512) {
        if (ts_driver_read(d, addr, sizeof bytes, bytes) < 0)
            return -1;
        if (memcmp(bytes, ts_superblock_signature, sizeof bytes) == 0) {
            *at = addr;
            return 0;
        }
    }
    return TS_ERR(FILE, NOTHDF5, "'%s' is not an HDF5 file: no signature at 0, 512, 1024, … in %llu bytes", name,
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

static int read_superblock(struct ts_file *f, haddr_t at, haddr_t eof)
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
    /* A wrapper put in front of the file moved everything: the place of the signature is the base address. */
    if (f->sb.base != at) {
        f->sb.end += at - f->sb.base;
        f->sb.base = at;
    }
    return 0;
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

int ts_file_settle_end(struct ts_file *f)
{
    haddr_t eof;
    if (ts_driver_eof(f->driver, &eof) < 0)
        return -1;
    if (f->sb.end == HADDR_UNDEF || f->sb.end < f->sb.base || eof < f->sb.end)
        return TS_ERR(FILE, TRUNCATED, "truncated file: eof = %llu, sblock->base_addr = %llu, stored_eof = %llu",
                      (unsigned long long)eof, (unsigned long long)f->sb.base, (unsigned long long)f->sb.end);
    f->end = eof - f->sb.base;
    return 0;
}

static int check_flags(const struct ts_file *f)
{
    if (f->sb.flags & 0xff & ~KNOWN_FLAGS)
        return TS_ERR(FILE, BADVALUE, "%s: the consistency flags %#x are not known", f->name, f->sb.flags);
    if (f->sb.version >= 3 && f->sb.flags & (WRITING | SWMR_WRITING))
        return TS_ERR(FILE, CANTOPENFILE,
                      "%s is marked as open for writing: its writer has it open, or died (h5clear -s clears the mark)", f->name);
    return 0;
}

static int read_head(struct ts_file *f)
{
    haddr_t eof, at;
    if (ts_driver_eof(f->driver, &eof) < 0 || find_signature(f->driver, f->name, eof, &at) < 0)
        return -1;
    if (read_superblock(f, at, eof) < 0 || check_flags(f) < 0 || apply_driver_info(f) < 0)
        return -1;
    /* A driver whose information is in the superblock's extension does not know its members yet. */
    if (f->driver->cls->apply_info && f->sb.extension != HADDR_UNDEF) {
        if (ts_driver_eof(f->driver, &eof) < 0)
            return -1;
        f->end = eof > f->sb.base ? eof - f->sb.base : 0;
        return 0;
    }
    return ts_file_settle_end(f);
}

static bool same(const struct ts_driver_identity *a, const struct ts_driver_identity *b)
{
    return !a->unique && !b->unique && a->device == b->device && a->inode == b->inode;
}

/* The file that is open already, with one more reference, or NULL after entering f. */
static struct ts_file *enter_or_find(struct ts_file *f)
{
    pthread_mutex_lock(&registry_lock);
    struct ts_file *other = registry;
    while (other && !same(&other->identity, &f->identity))
        other = other->next;
    if (other) {
        ts_file_ref(other);
    } else {
        f->serial = next_serial++;
        f->next = registry;
        registry = f;
    }
    pthread_mutex_unlock(&registry_lock);
    return other;
}

/* The default degree is the drivers': weak with all of them. */
static int settle_degree(struct ts_file *f)
{
    if (ts_plist_get(f->fapl, TS_P_CLOSE_DEGREE, &f->close_degree) < 0)
        return -1;
    if (f->close_degree != H5F_CLOSE_DEFAULT)
        return 0;
    f->close_degree = H5F_CLOSE_WEAK;
    return ts_plist_set(f->fapl, TS_P_CLOSE_DEGREE, &f->close_degree);
}

static int file_new(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_file **out)
{
    struct ts_file *f = ts_calloc(1, sizeof *f);
    if (!f)
        return -1;
    atomic_init(&f->refs, 1);
    atomic_init(&f->no_attrs_hint, false);
    atomic_init(&f->n_mounts, 0);
    atomic_init(&f->renamed, false);
    pthread_mutex_init(&f->setup_lock, NULL);
    f->flags = flags;
    f->name = ts_strdup(name);
    /* A copy: the application may change its list at any time. */
    if (!f->name || ts_plist_copy(fapl, &f->fapl) < 0 || settle_degree(f) < 0 ||
        ts_driver_open(name, 0, ts_fapl_driver(f->fapl), &f->driver) < 0 ||
        f->driver->cls->identity(f->driver, &f->identity) < 0 || ts_fapl_set_image(f->fapl, NULL, 0) < 0) {
        file_free(f);
        return -1;
    }
    *out = f;
    return 0;
}

int ts_file_open(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_file **out)
{
    struct ts_file *f;
    if (file_new(name, flags, fapl, &f) < 0)
        return -1;
    if (read_head(f) < 0) {
        file_free(f);
        return -1;
    }
    struct ts_file *other = enter_or_find(f);
    if (!other) {
        *out = f;
        return 0;
    }
    H5F_close_degree_t degree = f->close_degree;
    file_free(f);
    if (other->close_degree != degree) {
        int status = TS_ERR(FILE, CANTOPENFILE, "'%s' is open with close degree %d, not %d", name, (int)other->close_degree,
                            (int)degree);
        ts_file_unref(other);
        return status;
    }
    *out = other;
    return 0;
}
