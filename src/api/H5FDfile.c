/* H5FD: files opened by driver alone, without what is in them. Drivers of the library show themselves here as an
 * application's do: by a class whose functions work on an H5FD_t. */
#include <string.h>

#include "H5FDpublic.h"
#include "H5Ppublic.h"
#include "api/drivers.h"
#include "api/plist_args.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "plist/fapl.h"

struct bare_file {
    H5FD_t pub;
    struct ts_driver *driver;
    enum ts_driver_kind kind;
    unsigned long features;
    haddr_t eoa;
};

static struct bare_file *bare(const H5FD_t *f)
{
    return (struct bare_file *)(uintptr_t)f;
}

static herr_t bare_close(H5FD_t *f)
{
    ts_driver_close(bare(f)->driver);
    ts_free(f);
    return 0;
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int bare_cmp(const H5FD_t *a, const H5FD_t *b)
{
    struct ts_driver *x = bare(a)->driver, *y = bare(b)->driver;
    struct ts_driver_identity i, j;
    if (a->driver_id != b->driver_id)
        return order((uint64_t)a->driver_id, (uint64_t)b->driver_id);
    if (x->cls->identity(x, &i) < 0 || y->cls->identity(y, &j) < 0 || i.unique || j.unique)
        return order((uintptr_t)a, (uintptr_t)b);
    return i.device != j.device ? order(i.device, j.device) : order(i.inode, j.inode);
}

static haddr_t bare_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return bare(f)->eoa;
}

static herr_t bare_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    bare(f)->eoa = addr;
    return 0;
}

static haddr_t bare_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    haddr_t eof;
    (void)type;
    return ts_driver_eof(bare(f)->driver, &eof) < 0 ? HADDR_UNDEF : eof;
}

static herr_t bare_get_handle(H5FD_t *f, hid_t fapl, void **handle)
{
    TS_API_ENTER(VFL, CANTGET, "can't get file handle");
    struct ts_driver *d = bare(f)->driver;
    struct ts_driver_part part;
    if (ts_driver_api_part(&ts_scope_, bare(f)->kind, fapl, &part) < 0)
        return -1;
    return d->cls->handle(d, &part, handle);
}

/* What is allocated and was never written reads as zeros. */
static herr_t bare_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buf)
{
    haddr_t eof;
    (void)type;
    (void)dxpl;
    if (addr > INT64_MAX || size > INT64_MAX - addr)
        return TS_ERR(VFL, OVERFLOW, "addr overflow, addr = %llu, size=%zu", (unsigned long long)addr, size);
    if (ts_driver_eof(bare(f)->driver, &eof) < 0)
        return -1;
    size_t there = addr >= eof ? 0 : size < eof - addr ? size : (size_t)(eof - addr);
    if (there < size)
        memset((uint8_t *)buf + there, 0, size - there);
    return there > 0 ? ts_driver_read(bare(f)->driver, addr, there, buf) : 0;
}

static int check_writable(const H5FD_t *f)
{
    return f->access_flags & H5F_ACC_RDWR ? 0 : TS_ERR(IO, WRITEERROR, "the file is open for reading only");
}

static herr_t bare_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, const void *buf)
{
    (void)type;
    (void)dxpl;
    if (check_writable(f) < 0)
        return -1;
    return ts_driver_write(bare(f)->driver, addr, size, buf);
}

static herr_t bare_flush(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    (void)dxpl;
    (void)closing;
    return f->access_flags & H5F_ACC_RDWR ? ts_driver_flush(bare(f)->driver) : 0;
}

static herr_t bare_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    haddr_t eof;
    (void)dxpl;
    (void)closing;
    if (ts_driver_eof(bare(f)->driver, &eof) < 0)
        return -1;
    if (eof == bare(f)->eoa)
        return 0;
    return check_writable(f) < 0 ? -1 : ts_driver_truncate(bare(f)->driver, bare(f)->eoa);
}

static herr_t bare_lock(H5FD_t *f, hbool_t rw)
{
    return ts_driver_lock(bare(f)->driver, rw, TS_LOCK_BEST_EFFORT) < 0 ? -1 : 0;
}

static herr_t bare_unlock(H5FD_t *f)
{
    return ts_driver_unlock(bare(f)->driver);
}

#define BARE_CALLS                                                                                                     \
    .name = "tessera", .maxaddr = HADDR_MAX, .close = bare_close, .cmp = bare_cmp, .get_eoa = bare_get_eoa,            \
    .set_eoa = bare_set_eoa, .get_eof = bare_get_eof, .get_handle = bare_get_handle, .read = bare_read,                \
    .write = bare_write, .flush = bare_flush, .truncate = bare_truncate, .lock = bare_lock, .unlock = bare_unlock

static const H5FD_class_t bare_class = {.version = H5FD_CLASS_VERSION, .value = H5_VFD_INVALID, BARE_CALLS};

#ifdef TS_ABI_CLASS_110
static const struct ts_class110 bare_old = {BARE_CALLS};
#define BARE_SHOWN ((const H5FD_class_t *)(const void *)&bare_old)
#else
#define BARE_SHOWN (&bare_class)
#endif

const H5FD_class_t *ts_driver_api_calls(const H5FD_t *f)
{
    return f->cls == BARE_SHOWN ? &bare_class : &ts_user_class_of(f->cls)->calls;
}

static unsigned open_flags(unsigned flags)
{
    return (flags & H5F_ACC_RDWR ? TS_OPEN_WRITE : 0) | (flags & H5F_ACC_CREAT ? TS_OPEN_CREATE : 0) |
           (flags & H5F_ACC_EXCL ? TS_OPEN_EXCL : 0) | (flags & H5F_ACC_TRUNC ? TS_OPEN_TRUNC : 0);
}

static H5FD_t *open_own(const char *name, unsigned flags, const struct ts_driver_config *config)
{
    struct bare_file *f = ts_calloc(1, sizeof *f);
    if (!f)
        return NULL;
    if (ts_driver_api_features(config, &f->features) < 0 ||
        ts_driver_open(name, open_flags(flags), config, &f->driver) < 0) {
        ts_free(f);
        return NULL;
    }
    if (flags & H5F_ACC_TRUNC && ts_driver_truncate(f->driver, 0) < 0) {
        bare_close(&f->pub);
        return NULL;
    }
    f->pub.cls = BARE_SHOWN;
    f->pub.driver_id = ts_driver_api_id(config->kind);
    f->kind = config->kind;
    return &f->pub;
}

static H5FD_t *open_users(const char *name, unsigned flags, struct ts_user_class *user, struct ts_plist *fapl,
                          haddr_t maxaddr)
{
    hid_t list = ts_driver_api_list_id(fapl);
    if (list < 0)
        return NULL;
    H5FD_t *f = user->calls.open(name, flags, list, maxaddr);
    user->lists->done(list);
    if (!f)
        return (void)TS_ERR(VFL, CANTINIT, "file driver '%s' cannot open '%s'", user->calls.name, name), NULL;
    /* The driver may be unregistered while the file is open. */
    ts_user_class_ref(user);
    f->cls = ts_user_class_shown(user);
    f->driver_id = user->id;
    return f;
}

/* What a file of the system can hold; only memory goes further. NULL: sec2, as in lists with members. */
static haddr_t largest_address(const struct ts_driver_config *config)
{
    enum ts_driver_kind kind = config ? config->kind : TS_DRIVER_SEC2;
    if (kind == TS_DRIVER_SPLITTER) {
        haddr_t rw = largest_address(config->splitter.rw), wo = largest_address(config->splitter.wo);
        return rw < wo ? rw : wo;
    }
    return kind == TS_DRIVER_SEC2 || kind == TS_DRIVER_LOG || kind == TS_DRIVER_STDIO ? (haddr_t)INT64_MAX : HADDR_MAX;
}

static H5FD_t *open_file(const char *name, unsigned flags, struct ts_plist *fapl, haddr_t maxaddr)
{
    if (!name || !*name)
        return (void)TS_ERR(VFL, BADVALUE, "invalid file name"), NULL;
    const struct ts_driver_config *config = ts_fapl_driver(fapl);
    if (!config)
        return NULL;
    haddr_t largest = largest_address(config);
    if (maxaddr == HADDR_UNDEF)
        maxaddr = config->kind == TS_DRIVER_USER ? config->user.cls->calls.maxaddr : largest;
    if (maxaddr == 0 || maxaddr > largest)
        return (void)TS_ERR(VFL, BADRANGE, "no range of addresses up to %#llx", (unsigned long long)maxaddr), NULL;
    H5FD_t *f = config->kind == TS_DRIVER_USER ? open_users(name, flags, config->user.cls, fapl, maxaddr)
                                               : open_own(name, flags, config);
    if (!f)
        return NULL;
    f->access_flags = flags;
    f->maxaddr = maxaddr;
    f->base_addr = 0;
    f->threshold = f->alignment = 1;
    return f;
}

H5FD_t *H5FDopen(const char *name, unsigned flags, hid_t fapl_id, haddr_t maxaddr)
{
    TS_API_ENTER(VFL, CANTINIT, "unable to open file",
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a file access property list"));
    struct ts_plist *fapl = ts_api_plist(&ts_scope_, fapl_id, TS_PLIST_FILE_ACCESS);
    if (!fapl)
        return TS_API_FAIL(NULL);
    H5FD_t *f = open_file(name, flags, fapl, maxaddr);
    return f ? f : TS_API_FAIL(NULL);
}

static int check_file(const H5FD_t *file)
{
    return file && file->cls ? 0 : TS_ERR(ARGS, BADVALUE, "file pointer cannot be NULL");
}

static int check_kind(H5FD_mem_t type, const char *said)
{
    return type >= 0 && type < H5FD_MEM_NTYPES ? 0 : TS_ERR(ARGS, BADVALUE, "%s: %d", said, (int)type);
}

herr_t H5FDclose(H5FD_t *file)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (check_file(file) < 0)
        return TS_API_FAIL(-1);
    const H5FD_class_t *cls = file->cls;
    herr_t status = ts_driver_api_calls(file)->close(file);
    if (cls != BARE_SHOWN)
        ts_user_class_unref(ts_user_class_of(cls));
    return TS_API_RET(status);
}

int H5FDcmp(const H5FD_t *f1, const H5FD_t *f2)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (!f1 || !f2 || f1->cls != f2->cls || !ts_driver_api_calls(f1)->cmp)
        return order((uintptr_t)f1, (uintptr_t)f2);
    return ts_driver_api_calls(f1)->cmp(f1, f2);
}

int H5FDquery(const H5FD_t *f, unsigned long *flags)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (check_file(f) < 0)
        return TS_API_FAIL(-1);
    if (!flags)
        return TS_API_ERR(-1, ARGS, BADVALUE, "flags parameter cannot be NULL");
    *flags = f->cls == BARE_SHOWN ? bare(f)->features : 0;
    return ts_driver_api_calls(f)->query ? TS_API_RET(ts_driver_api_calls(f)->query(f, flags)) : 0;
}

static int grow(H5FD_t *file, H5FD_mem_t type, haddr_t eoa, hsize_t size)
{
    if (eoa == HADDR_UNDEF || eoa > file->maxaddr || size > file->maxaddr - eoa)
        return TS_ERR(RESOURCE, NOSPACE, "%llu bytes do not fit", (unsigned long long)size);
    return ts_driver_api_calls(file)->set_eoa(file, type, eoa + size);
}

/* From the end on: space that was freed is not known here. */
haddr_t H5FDalloc(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, hsize_t size)
{
    TS_API_ENTER(VFL, CANTINIT, "unable to allocate file memory",
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a data transfer property list"));
    if (check_file(file) < 0)
        return TS_API_FAIL(HADDR_UNDEF);
    if (check_kind(type, "invalid request type") < 0)
        return TS_API_FAIL(HADDR_UNDEF);
    if (size == 0)
        return TS_API_ERR(HADDR_UNDEF, ARGS, BADVALUE, "zero-size request");
    if (!TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(HADDR_UNDEF);
    if (ts_driver_api_calls(file)->alloc)
        return ts_driver_api_calls(file)->alloc(file, type, dxpl_id, size);
    haddr_t eoa = ts_driver_api_calls(file)->get_eoa(file, type);
    return grow(file, type, eoa, size) < 0 ? TS_API_FAIL(HADDR_UNDEF) : eoa;
}

static int check_freed(const H5FD_t *file, haddr_t addr, hsize_t size)
{
    if (addr == HADDR_UNDEF || addr > file->maxaddr || size > file->maxaddr - addr)
        return TS_ERR(VFL, BADRANGE, "%llu bytes at %#llx are no region of the file", (unsigned long long)size,
                      (unsigned long long)addr);
    return 0;
}

herr_t H5FDfree(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, haddr_t addr, hsize_t size)
{
    TS_API_ENTER(VFL, CANTFREE, "file deallocation request failed",
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a data transfer property list"));
    if (check_file(file) < 0 || check_kind(type, "invalid request type") < 0 ||
        !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER) || check_freed(file, addr, size) < 0)
        return TS_API_FAIL(-1);
    if (ts_driver_api_calls(file)->free)
        return TS_API_RET(ts_driver_api_calls(file)->free(file, type, dxpl_id, addr, size));
    if (addr + size == ts_driver_api_calls(file)->get_eoa(file, type))
        return TS_API_RET(ts_driver_api_calls(file)->set_eoa(file, type, addr));
    return 0;
}

haddr_t H5FDget_eoa(H5FD_t *file, H5FD_mem_t type)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (check_file(file) < 0 || check_kind(type, "invalid file type") < 0)
        return TS_API_FAIL(HADDR_UNDEF);
    return ts_driver_api_calls(file)->get_eoa(file, type);
}

herr_t H5FDset_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t eoa)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (check_file(file) < 0 || check_kind(type, "invalid file type") < 0)
        return TS_API_FAIL(-1);
    if (eoa == HADDR_UNDEF || eoa > file->maxaddr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid end-of-address value");
    return TS_API_RET(ts_driver_api_calls(file)->set_eoa(file, type, eoa));
}

haddr_t H5FDget_eof(H5FD_t *file, H5FD_mem_t type)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    haddr_t eof = check_file(file) < 0 ? HADDR_UNDEF : ts_driver_api_calls(file)->get_eof(file, type);
    return eof == HADDR_UNDEF ? TS_API_FAIL(eof) : eof;
}

/* An id that is no list at all is of no interest. */
static bool is_other_list(struct ts_api_scope *scope, hid_t id)
{
    unsigned mark = ts_err_mark();
    const struct ts_plist *pl = ts_api_any_plist(scope, id);
    ts_err_rewind(mark);
    return pl && !ts_plist_is(pl, TS_PLIST_FILE_ACCESS);
}

herr_t H5FDget_vfd_handle(H5FD_t *file, hid_t fapl, void **file_handle)
{
    TS_API_ENTER(FILE, CANTGET, "can't get file handle for file driver");
    if (check_file(file) < 0)
        return TS_API_FAIL(-1);
    if (!file_handle)
        return TS_API_ERR(-1, ARGS, BADVALUE, "file handle parameter cannot be NULL");
    if (is_other_list(&ts_scope_, fapl))
        return TS_API_ERR(-1, ARGS, BADVALUE, "fapl_id parameter is not a file access property list");
    if (!ts_driver_api_calls(file)->get_handle)
        return TS_API_ERR(-1, FILE, CANTGET, "can't get file handle for file driver: it has no function for that");
    return TS_API_RET(ts_driver_api_calls(file)->get_handle(file, fapl, file_handle));
}

static int check_range(const H5FD_t *f, H5FD_mem_t type, haddr_t addr, size_t size)
{
    haddr_t eoa = ts_driver_api_calls(f)->get_eoa(f, type);
    if (size == 0 || (eoa != HADDR_UNDEF && addr <= eoa && size <= eoa - addr))
        return 0;
    return TS_ERR(VFL, OVERFLOW, "addr overflow, addr = %llu, size=%zu, eoa=%llu", (unsigned long long)addr, size,
                  (unsigned long long)eoa);
}

herr_t H5FDread(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, haddr_t addr, size_t size, void *buf)
{
    TS_API_ENTER(VFL, READERROR, "file read request failed",
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a data transfer property list"));
    if (check_file(file) < 0)
        return TS_API_FAIL(-1);
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "result buffer parameter can't be NULL");
    if (!TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    /* A reader of a file that others make longer may read on. */
    if (!(file->access_flags & H5F_ACC_SWMR_READ) && check_range(file, type, addr, size) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(size == 0 ? 0 : ts_driver_api_calls(file)->read(file, type, dxpl_id, addr, size, buf));
}

herr_t H5FDwrite(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, haddr_t addr, size_t size, const void *buf)
{
    TS_API_ENTER(VFL, WRITEERROR, "file write request failed",
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a data transfer property list"));
    if (check_file(file) < 0)
        return TS_API_FAIL(-1);
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "result buffer parameter can't be NULL");
    if (!TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    if (check_range(file, type, addr, size) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(size == 0 ? 0 : ts_driver_api_calls(file)->write(file, type, dxpl_id, addr, size, buf));
}

/* A request in several parts. A kind H5FD_MEM_NOLIST or a size 0 behind the first part says: as before, from here
 * on. */
struct parts {
    uint32_t count;
    const H5FD_mem_t *types;
    const haddr_t *addrs;
    const size_t *sizes;
};

struct part {
    H5FD_mem_t type;
    size_t size;
    bool same_type, same_size;
};

static void next_part(const struct parts *p, uint32_t i, struct part *part)
{
    part->same_type = part->same_type || (i > 0 && p->types[i] == H5FD_MEM_NOLIST);
    part->same_size = part->same_size || (i > 0 && p->sizes[i] == 0);
    if (!part->same_type)
        part->type = p->types[i];
    if (!part->same_size)
        part->size = p->sizes[i];
}

static int check_arrays(const struct parts *p, const void *bufs)
{
    const char *absent = !p->types ? "types" : !p->addrs ? "addrs" : !p->sizes ? "sizes" : !bufs ? "bufs" : NULL;
    if (absent)
        return TS_ERR(ARGS, BADVALUE, "%s parameter can't be NULL if count is positive", absent);
    if (p->sizes[0] == 0)
        return TS_ERR(ARGS, BADVALUE, "sizes[0] can't be 0");
    if (p->types[0] == H5FD_MEM_NOLIST)
        return TS_ERR(ARGS, BADVALUE, "types[0] can't be H5FD_MEM_NOLIST");
    return 0;
}

/* All parts, before the first is moved. */
static int check_parts(const H5FD_t *file, const struct parts *p, const void *const bufs[])
{
    struct part part = {0};
    for (uint32_t i = 0; i < p->count; i++) {
        next_part(p, i, &part);
        if (check_kind(part.type, "invalid request type") < 0)
            return -1;
        if (!bufs[i])
            return TS_ERR(ARGS, BADVALUE, "bufs[%u] can't be NULL", i);
        haddr_t eoa = ts_driver_api_calls(file)->get_eoa(file, part.type);
        if (eoa == HADDR_UNDEF)
            return TS_ERR(VFL, CANTINIT, "driver get_eoa request failed");
        if (p->addrs[i] > eoa || part.size > eoa - p->addrs[i])
            return TS_ERR(ARGS, OVERFLOW, "addr overflow, addrs[%u] = %llu, sizes[%u] = %zu, eoa = %llu", i,
                          (unsigned long long)p->addrs[i], i, part.size, (unsigned long long)eoa);
    }
    return 0;
}

static int check_transfer_list(struct ts_api_scope *scope, hid_t id)
{
    return ts_api_plist(scope, id, TS_PLIST_DATASET_XFER) ? 0
                                                          : TS_ERR(ARGS, BADTYPE, "not a data transfer property list");
}

herr_t H5FDread_vector(H5FD_t *file, hid_t dxpl_id, uint32_t count, H5FD_mem_t types[], haddr_t addrs[], size_t sizes[],
                       void *bufs[])
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    const struct parts parts = {count, types, addrs, sizes};
    struct part part = {0};
    if (check_file(file) < 0 || (count > 0 && check_arrays(&parts, bufs) < 0) ||
        check_transfer_list(&ts_scope_, dxpl_id) < 0)
        return TS_API_FAIL(-1);
    if (check_parts(file, &parts, (const void *const *)bufs) < 0)
        return TS_API_ERR(-1, VFL, READERROR, "file vector read request failed");
    const H5FD_class_t *calls = ts_driver_api_calls(file);
    if (count > 0 && calls->read_vector)
        return TS_API_RET(calls->read_vector(file, dxpl_id, count, types, addrs, sizes, bufs));
    for (uint32_t i = 0; i < count; i++) {
        next_part(&parts, i, &part);
        if (calls->read(file, part.type, dxpl_id, addrs[i], part.size, bufs[i]) < 0)
            return TS_API_ERR(-1, VFL, READERROR, "part %u of %u cannot be read", i, count);
    }
    return 0;
}

herr_t H5FDwrite_vector(H5FD_t *file, hid_t dxpl_id, uint32_t count, H5FD_mem_t types[], haddr_t addrs[],
                        size_t sizes[], const void *bufs[])
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    const struct parts parts = {count, types, addrs, sizes};
    struct part part = {0};
    if (check_file(file) < 0 || (count > 0 && check_arrays(&parts, bufs) < 0) ||
        check_transfer_list(&ts_scope_, dxpl_id) < 0)
        return TS_API_FAIL(-1);
    if (check_parts(file, &parts, bufs) < 0)
        return TS_API_ERR(-1, VFL, WRITEERROR, "file vector write request failed");
    const H5FD_class_t *calls = ts_driver_api_calls(file);
    if (count > 0 && calls->write_vector)
        return TS_API_RET(calls->write_vector(file, dxpl_id, count, types, addrs, sizes, bufs));
    for (uint32_t i = 0; i < count; i++) {
        next_part(&parts, i, &part);
        if (calls->write(file, part.type, dxpl_id, addrs[i], part.size, bufs[i]) < 0)
            return TS_API_ERR(-1, VFL, WRITEERROR, "part %u of %u cannot be written", i, count);
    }
    return 0;
}

herr_t H5FDflush(H5FD_t *file, hid_t dxpl_id, hbool_t closing)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed",
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a data transfer property list"));
    if (check_file(file) < 0 || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    return ts_driver_api_calls(file)->flush ? TS_API_RET(ts_driver_api_calls(file)->flush(file, dxpl_id, closing)) : 0;
}

herr_t H5FDtruncate(H5FD_t *file, hid_t dxpl_id, hbool_t closing)
{
    TS_API_ENTER(VFL, CANTUPDATE, "file flush request failed",
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not a data transfer property list"));
    if (check_file(file) < 0 || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    return ts_driver_api_calls(file)->truncate ? TS_API_RET(ts_driver_api_calls(file)->truncate(file, dxpl_id, closing))
                                               : 0;
}

herr_t H5FDlock(H5FD_t *file, hbool_t rw)
{
    TS_API_ENTER(VFL, CANTLOCKFILE, "file lock request failed");
    if (check_file(file) < 0)
        return TS_API_FAIL(-1);
    return ts_driver_api_calls(file)->lock ? TS_API_RET(ts_driver_api_calls(file)->lock(file, rw)) : 0;
}

herr_t H5FDunlock(H5FD_t *file)
{
    TS_API_ENTER(VFL, CANTUNLOCKFILE, "file unlock request failed");
    if (check_file(file) < 0)
        return TS_API_FAIL(-1);
    return ts_driver_api_calls(file)->unlock ? TS_API_RET(ts_driver_api_calls(file)->unlock(file)) : 0;
}

herr_t H5FDctl(H5FD_t *file, uint64_t op_code, uint64_t flags, const void *input, void **output)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (check_file(file) < 0)
        return TS_API_FAIL(-1);
    const H5FD_class_t *calls = ts_driver_api_calls(file);
    if (calls->ctl ? calls->ctl(file, op_code, flags, input, output) < 0 : (flags & H5FD_CTL_FAIL_IF_UNKNOWN_FLAG) != 0)
        return TS_API_ERR(-1, VFL, FCNTL, "the file driver does not do operation %llu", (unsigned long long)op_code);
    return 0;
}

herr_t H5FDdelete(const char *name, hid_t fapl_id)
{
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");
    if (!name || !*name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no file name parameter");
    struct ts_plist *fapl = TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS);
    if (!fapl)
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a file access property list");
    const struct ts_driver_config *config = ts_fapl_driver(fapl);
    if (!config)
        return TS_API_FAIL(-1);
    if (ts_driver_delete(name, config) < 0)
        return TS_API_ERR(-1, VFL, CANTDELETEFILE, "unable to delete file '%s'", name);
    return 0;
}
