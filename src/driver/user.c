#include "driver/user.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "H5Ppublic.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/lock.h"
#include "driver/access.h"
#include "driver/classes.h"

struct user {
    struct ts_driver base;
    struct ts_user_class *cls;
    H5FD_t *file;
    struct ts_mutex lock; /* drivers are written for one thread */
    unsigned long serial; /* the same for two that the driver says are the same file */
    struct user *next;    /* of all that are open */
};

static struct ts_mutex open_lock = TS_MUTEX_INIT(TS_RANK_DRIVER_USER_FILES);
static struct user *all_open;
static unsigned long last_serial;

int ts_user_class_new(const H5FD_class_t *calls, const struct ts_user_lists *lists, struct ts_user_class **out)
{
    struct ts_user_class *cls = ts_calloc(1, sizeof *cls);
    char *name = cls ? ts_strdup(calls->name) : NULL;
    if (!name) {
        ts_free(cls);
        return -1;
    }
    atomic_init(&cls->refs, 1);
    cls->calls = *calls;
    cls->calls.name = name;
    ts_class110_narrow(&cls->calls, &cls->old);
    cls->lists = lists;
    *out = cls;
    return 0;
}

#ifdef TS_ABI_CLASS_110
#define SHOWN old
#else
#define SHOWN calls
#endif

const H5FD_class_t *ts_user_class_shown(const struct ts_user_class *cls)
{
    return (const H5FD_class_t *)(const void *)&cls->SHOWN;
}

struct ts_user_class *ts_user_class_of(const H5FD_class_t *shown)
{
    return (struct ts_user_class *)((uintptr_t)shown - offsetof(struct ts_user_class, SHOWN));
}

void ts_user_class_ref(struct ts_user_class *cls)
{
    atomic_fetch_add(&cls->refs, 1);
}

void ts_user_class_unref(struct ts_user_class *cls)
{
    if (!cls || atomic_fetch_sub(&cls->refs, 1) != 1)
        return;
    if (cls->calls.terminate)
        cls->calls.terminate();
    ts_free((char *)(uintptr_t)cls->calls.name);
    ts_free(cls);
}

int ts_user_info_copy(const struct ts_user_class *cls, const void *info, void **out)
{
    *out = NULL;
    if (!info)
        return 0;
    if (!cls->calls.fapl_copy && cls->calls.fapl_size == 0)
        return TS_ERR(VFL, UNSUPPORTED, "file driver '%s' has no way to copy its settings", cls->calls.name);
    *out = cls->calls.fapl_copy ? cls->calls.fapl_copy(info) : ts_memdup(info, cls->calls.fapl_size);
    if (!*out)
        return TS_ERR(VFL, CANTCOPY, "file driver '%s' cannot copy its settings", cls->calls.name);
    return 0;
}

bool ts_user_info_equal(const struct ts_user_class *cls, const void *a, const void *b)
{
    size_t size = cls->calls.fapl_size;
    return a == b || (a && b && size > 0 && memcmp(a, b, size) == 0);
}

/* What the driver copied without a function to free it is from malloc, as everywhere in this interface. */
void ts_user_info_free(const struct ts_user_class *cls, void *info)
{
    if (!info)
        return;
    if (cls->calls.fapl_free)
        cls->calls.fapl_free(info);
    else if (cls->calls.fapl_copy)
        free(info);
    else
        ts_free(info);
}

static void forget(struct user *u)
{
    ts_mutex_lock(&open_lock);
    for (struct user **at = &all_open; *at; at = &(*at)->next)
        if (*at == u) {
            *at = u->next;
            break;
        }
    ts_mutex_unlock(&open_lock);
}

static int failed(const struct user *u, const char *what)
{
    return TS_ERR(VFL, CALLBACK, "file driver '%s' failed %s", u->cls->calls.name, what);
}

static void user_close(struct ts_driver *d)
{
    struct user *u = (struct user *)d;
    forget(u);
    if (u->file && u->cls->calls.close(u->file) < 0) {
        failed(u, "to close the file");
        ts_err_owe();
    }
    ts_mutex_deinit(&u->lock);
    ts_user_class_unref(u->cls);
    ts_free(u);
}

/* With the lock. */
static int get_eof(struct user *u, haddr_t *eof)
{
    TS_HELD(&u->lock);
    *eof = u->cls->calls.get_eof(u->file, H5FD_MEM_DEFAULT);
    return *eof == HADDR_UNDEF ? failed(u, "to say where the file ends") : 0;
}

/* Drivers refuse what lies behind the end of what is allocated. */
static int cover(struct user *u, haddr_t end)
{
    haddr_t eoa = u->cls->calls.get_eoa(u->file, H5FD_MEM_DEFAULT);
    if (eoa != HADDR_UNDEF && eoa >= end)
        return 0;
    return u->cls->calls.set_eoa(u->file, H5FD_MEM_DEFAULT, end) < 0 ? failed(u, "to move the end of its space") : 0;
}

static int user_eof(struct ts_driver *d, haddr_t *eof)
{
    struct user *u = (struct user *)d;
    ts_mutex_lock(&u->lock);
    int status = get_eof(u, eof);
    ts_mutex_unlock(&u->lock);
    return status;
}

static int check_read(struct user *u, const struct ts_io_vec *v, haddr_t eof)
{
    if (v->addr > eof || v->size > eof - v->addr)
        return TS_ERR(IO, READERROR, "reading %zu bytes at %#llx, behind the end %#llx of the file", v->size,
                      (unsigned long long)v->addr, (unsigned long long)eof);
    return cover(u, v->addr + v->size);
}

static int read_one(struct user *u, const struct ts_io_vec *v, haddr_t eof)
{
    if (v->size == 0)
        return 0;
    if (check_read(u, v, eof) < 0)
        return -1;
    return u->cls->calls.read(u->file, H5FD_MEM_DEFAULT, H5P_DEFAULT, v->addr, v->size, v->buf) < 0
               ? failed(u, "to read")
               : 0;
}

/* A request in one call, for drivers that take such. H5FD_MEM_NOLIST: all kinds are the first one. */
struct vector {
    uint32_t count;
    haddr_t *addrs;
    size_t *sizes;
    void **bufs;
    H5FD_mem_t kinds[2];
};

static void vector_deinit(struct vector *v)
{
    ts_free(v->addrs);
    ts_free(v->sizes);
    ts_free(v->bufs);
}

static int vector_init(struct vector *v, size_t n)
{
    *v = (struct vector){.addrs = ts_calloc(n, sizeof *v->addrs),
                         .sizes = ts_calloc(n, sizeof *v->sizes),
                         .bufs = ts_calloc(n, sizeof *v->bufs),
                         .kinds = {H5FD_MEM_DEFAULT, H5FD_MEM_NOLIST}};
    if (v->addrs && v->sizes && v->bufs)
        return 0;
    vector_deinit(v);
    return -1;
}

static void vector_add(struct vector *v, haddr_t addr, size_t size, const void *buf)
{
    v->addrs[v->count] = addr;
    v->sizes[v->count] = size;
    v->bufs[v->count++] = (void *)(uintptr_t)buf;
}

static int read_together(struct user *u, const struct ts_io_vec *v, size_t n, haddr_t eof)
{
    struct vector all;
    if (vector_init(&all, n) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; status == 0 && i < n; i++) {
        if (v[i].size == 0)
            continue;
        status = check_read(u, &v[i], eof);
        vector_add(&all, v[i].addr, v[i].size, v[i].buf);
    }
    if (status == 0 && all.count > 0 &&
        u->cls->calls.read_vector(u->file, H5P_DEFAULT, all.count, all.kinds, all.addrs, all.sizes, all.bufs) < 0)
        status = failed(u, "to read several parts");
    vector_deinit(&all);
    return status;
}

static int read_parts(struct user *u, const struct ts_io_vec *v, size_t n)
{
    haddr_t eof;
    int status = get_eof(u, &eof);
    if (status == 0 && n > 1 && n <= UINT32_MAX && u->cls->calls.read_vector)
        return read_together(u, v, n, eof);
    for (size_t i = 0; status == 0 && i < n; i++)
        status = read_one(u, &v[i], eof);
    return status;
}

static int user_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    struct user *u = (struct user *)d;
    ts_mutex_lock(&u->lock);
    int status = read_parts(u, v, n);
    ts_mutex_unlock(&u->lock);
    return status;
}

static int check_write(struct user *u, const struct ts_io_out *v)
{
    haddr_t end;
    if (!ts_add_u64(v->addr, v->size, &end))
        return TS_ERR(IO, WRITEERROR, "writing %zu bytes at %#llx", v->size, (unsigned long long)v->addr);
    return cover(u, end);
}

static int write_one(struct user *u, const struct ts_io_out *v)
{
    if (v->size == 0)
        return 0;
    if (check_write(u, v) < 0)
        return -1;
    return u->cls->calls.write(u->file, H5FD_MEM_DEFAULT, H5P_DEFAULT, v->addr, v->size, v->buf) < 0
               ? failed(u, "to write")
               : 0;
}

static int write_together(struct user *u, const struct ts_io_out *v, size_t n)
{
    struct vector all;
    if (vector_init(&all, n) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; status == 0 && i < n; i++) {
        if (v[i].size == 0)
            continue;
        status = check_write(u, &v[i]);
        vector_add(&all, v[i].addr, v[i].size, v[i].buf);
    }
    if (status == 0 && all.count > 0 &&
        u->cls->calls.write_vector(u->file, H5P_DEFAULT, all.count, all.kinds, all.addrs, all.sizes,
                                   (const void **)all.bufs) < 0)
        status = failed(u, "to write several parts");
    vector_deinit(&all);
    return status;
}

static int write_parts(struct user *u, const struct ts_io_out *v, size_t n)
{
    int status = 0;
    if (n > 1 && n <= UINT32_MAX && u->cls->calls.write_vector)
        return write_together(u, v, n);
    for (size_t i = 0; status == 0 && i < n; i++)
        status = write_one(u, &v[i]);
    return status;
}

static int user_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    struct user *u = (struct user *)d;
    ts_mutex_lock(&u->lock);
    int status = write_parts(u, v, n);
    ts_mutex_unlock(&u->lock);
    return status;
}

/* A driver that cannot truncate keeps its tail; one whose truncation only shortens gets a last byte. */
static int cut(struct user *u, haddr_t eof)
{
    const H5FD_class_t *calls = &u->cls->calls;
    struct ts_io_out last = {.addr = eof - 1, .size = 1, .buf = ""};
    haddr_t now;
    if (calls->set_eoa(u->file, H5FD_MEM_DEFAULT, eof) < 0)
        return failed(u, "to move the end of its space");
    if (calls->truncate && calls->truncate(u->file, H5P_DEFAULT, false) < 0)
        return failed(u, "to truncate");
    if (get_eof(u, &now) < 0)
        return -1;
    return now < eof ? write_one(u, &last) : 0;
}

static int user_truncate(struct ts_driver *d, haddr_t eof)
{
    struct user *u = (struct user *)d;
    ts_mutex_lock(&u->lock);
    int status = cut(u, eof);
    ts_mutex_unlock(&u->lock);
    return status;
}

static int user_flush(struct ts_driver *d)
{
    struct user *u = (struct user *)d;
    if (!u->cls->calls.flush)
        return 0;
    ts_mutex_lock(&u->lock);
    int status = u->cls->calls.flush(u->file, H5P_DEFAULT, false);
    ts_mutex_unlock(&u->lock);
    return status < 0 ? failed(u, "to flush") : 0;
}

static int user_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    struct user *u = (struct user *)d;
    /* No file system has a device by this number. */
    *id = (struct ts_driver_identity){.device = UINT64_MAX, .inode = u->serial};
    return 0;
}

static int user_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    (void)part;
    struct user *u = (struct user *)d;
    if (!u->cls->calls.get_handle)
        return TS_ERR(VFL, UNSUPPORTED, "file driver '%s' has no handle to give", u->cls->calls.name);
    ts_mutex_lock(&u->lock);
    int status = u->cls->calls.get_handle(u->file, H5P_DEFAULT, handle);
    ts_mutex_unlock(&u->lock);
    return status < 0 ? failed(u, "to give its handle") : 0;
}

static int user_apply_info(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size)
{
    struct user *u = (struct user *)d;
    char name[9] = "";
    /* The driver trusts the length it once wrote. */
    if (u->cls->calls.sb_size(u->file) > size)
        return TS_ERR(VFL, CANTDECODE, "the information of driver '%s' is %zu bytes long", u->cls->calls.name, size);
    memcpy(name, id, 8);
    ts_mutex_lock(&u->lock);
    int status = u->cls->calls.sb_decode(u->file, name, info);
    ts_mutex_unlock(&u->lock);
    return status < 0 ? failed(u, "to decode its information") : 0;
}

static int user_info(struct ts_driver *d, char id[8], struct ts_wr *out)
{
    struct user *u = (struct user *)d;
    const H5FD_class_t *calls = &u->cls->calls;
    char name[9] = "";
    hsize_t size = calls->sb_size(u->file);
    memset(id, 0, 8);
    if (size == 0)
        return 0;
    uint8_t *bytes = ts_wr_reserve(out, (size_t)size);
    if (!bytes)
        return -1;
    ts_mutex_lock(&u->lock);
    int status = calls->sb_encode(u->file, name, bytes);
    ts_mutex_unlock(&u->lock);
    memcpy(id, name, 8);
    return status < 0 ? failed(u, "to encode its information") : 0;
}

static int user_lock(struct ts_driver *d, bool exclusive)
{
    struct user *u = (struct user *)d;
    if (!u->cls->calls.lock)
        return 0;
    ts_mutex_lock(&u->lock);
    int status = u->cls->calls.lock(u->file, exclusive);
    ts_mutex_unlock(&u->lock);
    return status < 0 ? TS_ERR(VFL, CANTLOCKFILE, "file driver '%s' cannot lock the file", u->cls->calls.name) : 0;
}

static int user_unlock(struct ts_driver *d)
{
    struct user *u = (struct user *)d;
    if (!u->cls->calls.unlock)
        return 0;
    ts_mutex_lock(&u->lock);
    int status = u->cls->calls.unlock(u->file);
    ts_mutex_unlock(&u->lock);
    return status < 0 ? TS_ERR(VFL, CANTUNLOCKFILE, "file driver '%s' cannot unlock the file", u->cls->calls.name) : 0;
}

/* Flushing is all that such a driver has to sync with: what that is worth its author knows. */
static const struct ts_driver_writing user_writing = {
    .writev = user_writev, .truncate = user_truncate, .flush = user_flush, .sync = user_flush};
static const struct ts_driver_writing user_writing_info = {
    .writev = user_writev, .truncate = user_truncate, .flush = user_flush, .sync = user_flush, .info = user_info};

static const struct ts_driver_class user_class = {.name = "user",
                                                  .close = user_close,
                                                  .eof = user_eof,
                                                  .readv = user_readv,
                                                  .identity = user_identity,
                                                  .handle = user_handle,
                                                  .lock = user_lock,
                                                  .unlock = user_unlock,
                                                  .writing = &user_writing};

/* Of those that keep something in the superblock. */
static const struct ts_driver_class user_class_info = {.name = "user",
                                                       .close = user_close,
                                                       .eof = user_eof,
                                                       .readv = user_readv,
                                                       .identity = user_identity,
                                                       .handle = user_handle,
                                                       .apply_info = user_apply_info,
                                                       .lock = user_lock,
                                                       .unlock = user_unlock,
                                                       .writing = &user_writing_info};

static void enter(struct user *u)
{
    int (*cmp)(const H5FD_t *, const H5FD_t *) = u->cls->calls.cmp;
    ts_mutex_lock(&open_lock);
    for (struct user *other = all_open; cmp && other && u->serial == 0; other = other->next)
        if (other->cls == u->cls && cmp(other->file, u->file) == 0)
            u->serial = other->serial;
    if (u->serial == 0)
        u->serial = ++last_serial;
    u->next = all_open;
    all_open = u;
    ts_mutex_unlock(&open_lock);
}

static unsigned access_flags(unsigned flags)
{
    return (flags & TS_OPEN_WRITE ? H5F_ACC_RDWR : H5F_ACC_RDONLY) | (flags & TS_OPEN_CREATE ? H5F_ACC_CREAT : 0) |
           (flags & TS_OPEN_EXCL ? H5F_ACC_EXCL : 0) | (flags & TS_OPEN_TRUNC ? H5F_ACC_TRUNC : 0);
}

static int open_file(struct user *u, const char *name, unsigned flags, const struct ts_driver_config *config)
{
    const H5FD_class_t *calls = &u->cls->calls;
    void *list = config->user.list;
    if (!list)
        return TS_ERR(VFL, UNSUPPORTED, "file driver '%s' cannot be a part of another driver", calls->name);
    if (ts_access_check(config->access, config->access_kind, name) < 0)
        return -1;
    hid_t fapl = u->cls->lists->id(list);
    if (fapl < 0)
        return -1;
    u->file = calls->open(name, access_flags(flags), fapl, calls->maxaddr);
    u->cls->lists->done(fapl);
    /* It does not say why. */
    if (!u->file) {
        bool absent = access(name, F_OK) != 0;
        TS_ERR(VFL, CANTOPENFILE, "file driver '%s' cannot open '%s'", calls->name, name);
        return ts_err_because(absent ? TS_WHY_ABSENT : TS_WHY_ANY);
    }
    u->file->driver_id = u->cls->id;
    u->file->cls = ts_user_class_shown(u->cls);
    u->file->access_flags = access_flags(flags);
    u->file->feature_flags = 0;
    if (calls->query && calls->query(u->file, &u->file->feature_flags) < 0)
        return failed(u, "to say what it can do");
    u->file->maxaddr = calls->maxaddr;
    u->file->base_addr = 0;
    u->file->threshold = u->file->alignment = 1;
    u->file->paged_aggr = false;
    return 0;
}

int ts_user_delete(const char *name, const struct ts_driver_config *config)
{
    const struct ts_user_class *cls = config->user.cls;
    void *list = config->user.list;
    if (!cls->calls.del)
        return TS_ERR(VFL, UNSUPPORTED, "file driver '%s' cannot delete files", cls->calls.name);
    if (!list)
        return TS_ERR(VFL, UNSUPPORTED, "file driver '%s' cannot be a part of another driver", cls->calls.name);
    hid_t fapl = cls->lists->id(list);
    if (fapl < 0)
        return -1;
    herr_t status = cls->calls.del(name, fapl);
    cls->lists->done(fapl);
    return status < 0 ? TS_ERR(VFL, CANTDELETEFILE, "file driver '%s' cannot delete '%s'", cls->calls.name, name) : 0;
}

int ts_user_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct user *u = ts_calloc(1, sizeof *u);
    if (!u)
        return -1;
    ts_mutex_init(&u->lock, TS_RANK_DRIVER_USER);
    u->cls = config->user.cls;
    bool has_info = u->cls->calls.sb_size && u->cls->calls.sb_encode && u->cls->calls.sb_decode;
    u->base.cls = has_info ? &user_class_info : &user_class;
    ts_user_class_ref(u->cls);
    if (open_file(u, name, flags, config) < 0) {
        user_close(&u->base);
        return -1;
    }
    enter(u);
    u->file->fileno = u->serial;
    *out = &u->base;
    return 0;
}
