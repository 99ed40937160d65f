#include "file/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/abi.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/process.h"
#include "driver/access.h"
#include "driver/classes.h"
#include "file/change.h"
#include "file/internal.h"
#include "file/overlay.h"
#include "file/retry.h"
#include "id/id.h"
#include "plist/fapl.h"
#include "plist/fcpl.h"
#include "plist/plist.h"

/* Every open file of the process, so that opening one twice gives the same struct. A file is here from before its first
 * byte is read until after its driver is closed: whoever opens it meanwhile waits, for two would lock each other
 * out. */
static struct ts_mutex registry_lock = TS_MUTEX_INIT(TS_RANK_FILE_REGISTRY);
static pthread_cond_t registry_changed = PTHREAD_COND_INITIALIZER;
static struct ts_file *registry;
static unsigned long next_serial = 1;

enum { OPENING, OPEN, CLOSING };

void ts_file_ref(struct ts_file *f)
{
    atomic_fetch_add(&f->refs, 1);
}

static void file_free(struct ts_file *f)
{
    ts_alloc_drop(f);
    ts_undo_deinit(&f->undo);
    ts_overlay_free(f->bytes.overlay);
    ts_overlay_free(f->bytes.past_overlay);
    ts_retries_free(f->others.retries);
    ts_driver_close(f->driver);
    if (f->fapl)
        ts_plist_unref(f->fapl);
    if (f->fcpl)
        ts_plist_unref(f->fcpl);
    ts_access_unref(f->agreed.access);
    ts_mutex_deinit(&f->agreed.lock);
    ts_mutex_deinit(&f->commits.mark_lock);
    ts_mutex_deinit(&f->gathered.lock);
    ts_free(f->gathered.buf);
    ts_mutex_deinit(&f->change.lock);
    ts_free(f->name);
    ts_free(f);
}

/* Nobody else uses the file: it is on its way out. */
static int flush_last(struct ts_file *f)
{
    if (ts_file_inherited(f))
        return 0;
    if (f->broken)
        return TS_ERR(FILE, CANTFLUSH, "%s: not all changes could be written; the file is as last flushed", f->name);
    f->commits.closing = true;
    int status = ts_file_flush(f);
    f->commits.closing = false;
    return status == 0 && f->writable && f->driver->cls->writing->finish ? f->driver->cls->writing->finish(f->driver)
                                                                         : status;
}

static void unlink_file(struct ts_file *f)
{
    ts_mutex_lock(&registry_lock);
    for (struct ts_file **at = &registry; *at; at = &(*at)->entry.next)
        if (*at == f) {
            *at = f->entry.next;
            break;
        }
    pthread_cond_broadcast(&registry_changed);
    ts_mutex_unlock(&registry_lock);
}

/* The driver is closed before the file leaves the registry, and with it its lock. */
static void close_and_forget(struct ts_file *f)
{
    ts_clients_drop(f);
    ts_driver_close(f->driver);
    f->driver = NULL;
    unlink_file(f);
    file_free(f);
}

void ts_file_unref(struct ts_file *f)
{
    /* The last reference is dropped under the lock: a lookup must not find a file that is on its way out. */
    ts_mutex_lock(&registry_lock);
    bool last = atomic_fetch_sub(&f->refs, 1) == 1;
    if (last)
        f->entry.stage = CLOSING;
    ts_mutex_unlock(&registry_lock);
    if (!last)
        return;
    if (flush_last(f) < 0) {
        TS_ERR(FILE, CANTFLUSH, "'%s' is closed, and what was not flushed is lost", f->name);
        ts_err_owe();
    }
    close_and_forget(f);
}

static bool same(const struct ts_driver_identity *a, const struct ts_driver_identity *b)
{
    return !a->unique && !b->unique && a->device == b->device && a->inode == b->inode;
}

/* What was inherited is not what opening the file here means: that takes a lock of its own. */
static struct ts_file *find(const struct ts_driver_identity *id)
{
    struct ts_file *f = registry;
    while (f && (ts_file_inherited(f) || !same(&f->entry.identity, id)))
        f = f->entry.next;
    return f;
}

/* The file that is open already, with one more reference, or NULL after entering f. On failure f is freed. */
static int enter_or_find(struct ts_file *f, struct ts_file **out)
{
    ts_mutex_lock(&registry_lock);
    struct ts_file *other;
    while ((other = find(&f->entry.identity)) && other->entry.stage != OPEN) {
        if (ts_raw_works(other)) {
            ts_mutex_unlock(&registry_lock);
            TS_ERR(FILE, CANTOPENFILE, "'%s' is being closed, and the filter that opens it is called for that",
                   f->name);
            file_free(f);
            return -1;
        }
        ts_cond_wait(&registry_changed, &registry_lock);
    }
    if (other) {
        ts_file_ref(other);
    } else {
        f->entry.serial = next_serial++;
        f->entry.stage = OPENING;
        f->entry.next = registry;
        registry = f;
    }
    ts_mutex_unlock(&registry_lock);
    *out = other;
    return 0;
}

static void opened(struct ts_file *f)
{
    ts_mutex_lock(&registry_lock);
    f->entry.stage = OPEN;
    pthread_cond_broadcast(&registry_changed);
    ts_mutex_unlock(&registry_lock);
}

/* The default degree is the drivers': weak with all of them. */
static H5F_close_degree_t actual_degree(H5F_close_degree_t degree)
{
    return degree == H5F_CLOSE_DEFAULT ? H5F_CLOSE_WEAK : degree;
}

static int agree_degree(struct ts_file *f)
{
    H5F_close_degree_t degree;
    if (ts_fapl_close_degree(f->fapl, &degree) < 0)
        return -1;
    f->agreed.close_degree = actual_degree(degree);
    return degree == f->agreed.close_degree ? 0 : ts_fapl_set_close_degree(f->fapl, f->agreed.close_degree);
}

static int check_degree(const struct ts_file *f, H5F_close_degree_t degree)
{
    if (f->entry.claims == 0 || f->agreed.close_degree == degree)
        return 0;
    return TS_ERR_AS(FILE, CANTINIT, "file close degree doesn't match", "'%s' is open with close degree %d, not %d",
                     f->name, (int)f->agreed.close_degree, (int)degree);
}

int ts_file_claim(struct ts_file *f, H5F_close_degree_t asked)
{
    H5F_close_degree_t degree = actual_degree(asked);
    ts_mutex_lock(&registry_lock);
    int status = check_degree(f, degree);
    if (status == 0 && f->agreed.close_degree != degree)
        status = ts_fapl_set_close_degree(f->fapl, degree);
    if (status == 0) {
        f->agreed.close_degree = degree;
        f->entry.claims++;
    }
    ts_mutex_unlock(&registry_lock);
    return status;
}

void ts_file_disclaim(struct ts_file *f)
{
    ts_mutex_lock(&registry_lock);
    f->entry.claims--;
    ts_mutex_unlock(&registry_lock);
}

static void init_locks(struct ts_file *f)
{
    ts_mutex_init(&f->change.lock, TS_RANK_FILE);
    ts_mutex_init(&f->agreed.lock, TS_RANK_FILE_SETUP);
    ts_mutex_init(&f->commits.mark_lock, TS_RANK_FILE_MARK);
    ts_mutex_init(&f->gathered.lock, TS_RANK_FILE_GATHERED);
}

/* The struct and its driver; flags of the driver (TS_OPEN_*) besides. */
static int file_new(const char *name, unsigned flags, unsigned how, struct ts_plist *fapl, struct ts_file **out)
{
    if (ts_id_files_shut())
        return TS_ERR(FILE, CANTOPENFILE, "%s: a filter of metadata cannot open a file", name);
    struct ts_file *f = ts_calloc(1, sizeof *f);
    if (!f)
        return -1;
    atomic_init(&f->refs, 1);
    init_locks(f);
    f->flags = flags;
    f->others.process = ts_process();
    f->writable = how & TS_OPEN_WRITE;
    f->swmr = flags & H5F_ACC_SWMR_READ ? TS_SWMR_READER : TS_SWMR_OFF;
    f->others.sworn_alone = ts_file_sworn_alone(fapl);
    f->name = ts_strdup(name);
    /* A copy: the application may change its list at any time. */
    if (!f->name || ts_plist_copy_known(TS_PLIST_FILE_ACCESS, fapl, &f->fapl) < 0 || agree_degree(f) < 0 ||
        ts_file_read_low_bound(f) < 0 || ts_driver_open(name, how, ts_fapl_driver(f->fapl), &f->driver) < 0 ||
        f->driver->cls->identity(f->driver, &f->entry.identity) < 0 || ts_fapl_drop_image(f->fapl) < 0 ||
        ts_fapl_drop_within(f->fapl) < 0) {
        file_free(f);
        return -1;
    }
    if (f->writable && !f->driver->cls->writing) {
        file_free(f);
        return TS_ERR(FILE, UNSUPPORTED, "the driver of '%s' cannot write", name);
    }
    if (ts_file_agree_durability(f) < 0) {
        file_free(f);
        return -1;
    }
    *out = f;
    return 0;
}

static int check_swmr_able(struct ts_file *f)
{
    if (!(f->flags & (H5F_ACC_SWMR_READ | H5F_ACC_SWMR_WRITE)) || ts_file_swmr_able(f))
        return 0;
    return TS_ERR_AS(FILE, BADVALUE, "must use a SWMR-compatible VFD when SWMR is specified",
                     "SWMR access to '%s' needs a driver whose writes other processes see in their order: sec2 or log",
                     f->name);
}

static enum ts_lock_policy lock_policy(struct ts_plist *fapl)
{
    bool use = true, ignore = true;
    ts_fapl_locking(fapl, &use);
    ts_fapl_locking_ignore(fapl, &ignore);
    return ts_driver_lock_policy(use, ignore);
}

static bool wants_eviction(struct ts_plist *fapl)
{
    bool evict = false;
    ts_fapl_evict_on_close(fapl, &evict);
    return evict;
}

/* The opening of a file that is open already, in what is known only while its own driver is there. */
struct again {
    enum ts_driver_kind kind;
    const char *driver;
    enum ts_lock_policy locking;
    bool evicts;
};

/* To libhdf5 these are two files, of which the first one's lock keeps the second one out. */
static int check_driver(const struct ts_file *other, unsigned flags, const struct again *again)
{
    bool writes = flags & H5F_ACC_RDWR || other->writable;
    bool same =
        again->kind == ts_fapl_driver(other->fapl)->kind && strcmp(again->driver, other->driver->cls->name) == 0;
    if (!writes || again->locking == TS_LOCK_NONE || same)
        return 0;
    TS_ERR(VFL, CANTLOCKFILE, "unable to lock file, " TS_ERRNO, TS_ERRNO_OF(EAGAIN));
    return TS_ERR_AS(FILE, CANTLOCKFILE, "unable to lock the file", "'%s' is open with another driver than '%s'",
                     other->name, again->driver);
}

static int check_locking(const struct ts_file *other, const struct again *again)
{
    enum ts_lock_policy first = lock_policy(other->fapl);
    if ((first == TS_LOCK_NONE) != (again->locking == TS_LOCK_NONE))
        return TS_ERR(FILE, CANTOPENFILE, "file locking flag values don't match");
    if (TS_ABI_LOCKS_AGREE && first != again->locking)
        return TS_ERR(FILE, CANTOPENFILE, "file locking 'ignore disabled locks' flag values don't match");
    return 0;
}

/* An open file is used again as it is. */
static int check_again(const struct ts_file *other, unsigned flags, struct ts_plist *fapl, const struct again *again)
{
    struct ts_fapl_within within;
    H5F_close_degree_t degree;
    if (ts_fapl_peek_within(fapl, &within) < 0 || ts_fapl_close_degree(fapl, &degree) < 0)
        return -1;
    if (flags & H5F_ACC_RDWR && !other->writable)
        return TS_ERR_AS(FILE, CANTOPENFILE, "file is already open for read-only", "'%s'", other->name);
    if (flags & H5F_ACC_SWMR_WRITE && !(other->flags & H5F_ACC_SWMR_WRITE) && other->swmr != TS_SWMR_WRITER)
        return TS_ERR(FILE, CANTOPENFILE, "'%s' is open here, but not for SWMR writing: call H5Fstart_swmr_write",
                      other->name);
    if (flags & H5F_ACC_SWMR_READ && !other->writable && other->swmr != TS_SWMR_READER)
        return TS_ERR(FILE, CANTOPENFILE, "'%s' is open here, but not for SWMR reading: close it first", other->name);
    /* Nobody sees what a virtual dataset opens, so it takes the file as it is. */
    if (within.kind != H5F_EXTERNAL_SOURCE && check_degree(other, actual_degree(degree)) < 0)
        return -1;
    if (check_locking(other, again) < 0)
        return -1;
    if (within.kind != H5F_EXTERNAL_SOURCE && wants_eviction(other->fapl) != again->evicts)
        return TS_ERR(FILE, BADVALUE, "file evict-on-close value doesn't match");
    return check_driver(other, flags, again);
}

/* Whoever copies a file into members of another size, or into one, asks for this before opening the copy. */
static int repart(struct ts_file *f)
{
    hsize_t member_size;
    if (ts_fapl_family_new_size(f->fapl, &member_size) < 0 || ts_fapl_family_to_single(f->fapl, &f->commits.joined) < 0)
        return -1;
    f->commits.reparted = member_size > 0 && ts_fapl_driver(f->fapl)->kind == TS_DRIVER_FAMILY;
    f->commits.joined = f->commits.joined && !f->driver->cls->apply_info;
    return f->commits.reparted ? ts_family_repart(f->driver, member_size) : 0;
}

static int start(struct ts_file *f)
{
    haddr_t eof;
    enum ts_who who;
    if (check_swmr_able(f) < 0 || (f->swmr == TS_SWMR_READER && ts_retries_new(f) < 0))
        return -1;
    if (ts_file_lock_out(f, &who) < 0 || (f->writable && repart(f) < 0) || ts_file_read_head(f, who) < 0 ||
        ts_file_agree_bounds(f) < 0)
        return -1;
    if (!f->writable)
        return 0;
    if (ts_driver_eof(f->driver, &eof) < 0 || ts_alloc_new(f, f->end) < 0)
        return -1;
    f->bytes.physical = eof;
    f->commits.stored = f->sb;
    if (f->commits.joined)
        f->sb.driver_info = HADDR_UNDEF;
    /* Where there are no locks nothing else keeps readers out, and they must not come before the first change either. A
     * SWMR writer has marks of its own. */
    return f->flags & H5F_ACC_SWMR_WRITE ? 0 : ts_file_mark(f);
}

int ts_file_open(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_file **out)
{
    struct ts_file *f, *other;
    if (file_new(name, flags, flags & H5F_ACC_RDWR ? TS_OPEN_WRITE : 0, fapl, &f) < 0 || enter_or_find(f, &other) < 0)
        return -1;
    if (!other) {
        if (start(f) < 0) {
            close_and_forget(f);
            return -1;
        }
        opened(f);
        *out = f;
        return 0;
    }
    struct again again = {.kind = ts_fapl_driver(f->fapl)->kind,
                          .driver = f->driver->cls->name,
                          .locking = lock_policy(f->fapl),
                          .evicts = wants_eviction(f->fapl)};
    file_free(f);
    if (check_again(other, flags, fapl, &again) < 0 || ts_file_raise_durability(other, fapl) < 0) {
        ts_file_unref(other);
        return -1;
    }
    *out = other;
    return 0;
}

/* The superblock of a new file. */
static int new_superblock(struct ts_file *f, struct ts_plist *fcpl)
{
    hsize_t user_block;
    uint8_t addr_size, len_size;
    unsigned btree_k[2];
    if (ts_fcpl_userblock(fcpl, &user_block) < 0 || ts_fcpl_addr_size(fcpl, &addr_size) < 0 ||
        ts_fcpl_length_size(fcpl, &len_size) < 0 || ts_fcpl_btree_k(fcpl, btree_k) < 0 ||
        ts_fcpl_sym_leaf_k(fcpl, &f->sb.group_leaf_k) < 0)
        return -1;
    f->sb.version = ts_file_low_bound(f) >= H5F_LIBVER_V110 ? 3 : 2;
    f->sb.addr_size = addr_size;
    f->sb.len_size = len_size;
    f->sb.group_internal_k = btree_k[0];
    f->sb.chunk_k = btree_k[1];
    f->sb.base = user_block;
    f->sb.driver_info = f->sb.extension = f->sb.free_space = HADDR_UNDEF;
    f->sb.root = f->sb.root_btree = f->sb.root_local_heap = HADDR_UNDEF;
    f->end = ts_superblock_size(f->sb.version, addr_size, len_size);
    f->sb.end = f->sb.base + f->end;
    return 0;
}

/* A file that is empty is left alone: a file system may take cutting it for the start of a replacement, and then
 * closing waits until all of it is on the disk. */
static int make_empty(struct ts_file *f)
{
    haddr_t eof;
    if (ts_driver_eof(f->driver, &eof) < 0)
        return -1;
    if (eof > 0 && !(f->flags & (H5F_ACC_TRUNC | H5F_ACC_EXCL)))
        return TS_ERR(FILE, CANTCREATE, "'%s' is no longer empty", f->name);
    return eof == 0 ? 0 : ts_file_cut(f, 0);
}

static int start_new(struct ts_file *f, struct ts_plist *fcpl)
{
    enum ts_who who;
    if (check_swmr_able(f) < 0 || (f->flags & H5F_ACC_SWMR_WRITE && ts_file_raise_format(f) < 0))
        return -1;
    if (ts_plist_copy(fcpl, &f->fcpl) < 0 || ts_file_lock_out(f, &who) < 0 || ts_file_unwatched(f, who) < 0 ||
        new_superblock(f, fcpl) < 0 || make_empty(f) < 0)
        return -1;
    return ts_alloc_new(f, 0);
}

int ts_file_create(const char *name, unsigned flags, struct ts_plist *fcpl, struct ts_plist *fapl, struct ts_file **out)
{
    struct ts_file *f, *other;
    bool exists = !(flags & (H5F_ACC_TRUNC | H5F_ACC_EXCL));
    unsigned how = TS_OPEN_WRITE | (exists ? 0 : TS_OPEN_CREATE) | (flags & H5F_ACC_EXCL ? TS_OPEN_EXCL : 0);
    if (file_new(name, flags | H5F_ACC_RDWR, how, fapl, &f) < 0 || enter_or_find(f, &other) < 0)
        return -1;
    if (other) {
        file_free(f);
        ts_file_unref(other);
        return TS_ERR_AS(FILE, CANTOPENFILE, "unable to truncate a file which is already open", "'%s'", name);
    }
    if (start_new(f, fcpl) < 0) {
        close_and_forget(f);
        return -1;
    }
    opened(f);
    *out = f;
    return 0;
}

static bool is_open(const struct ts_driver_identity *id)
{
    ts_mutex_lock(&registry_lock);
    bool open = find(id) != NULL;
    ts_mutex_unlock(&registry_lock);
    return open;
}

int ts_file_delete(const char *name, struct ts_plist *fapl)
{
    const struct ts_driver_config *config = ts_fapl_driver(fapl);
    struct ts_driver_identity identity;
    struct ts_driver *d;
    if (!config)
        return -1;
    int found = ts_file_is_hdf5(name, fapl);
    if (found <= 0)
        return found < 0 ? -1 : TS_SAY(FILE, NOTHDF5, "not an HDF5 file: '%s'", name);
    if (ts_driver_open(name, 0, config, &d) < 0)
        return -1;
    int status = d->cls->identity(d, &identity);
    ts_driver_close(d);
    if (status < 0)
        return -1;
    if (is_open(&identity))
        return TS_ERR(FILE, CANTDELETE, "the file is open: '%s'", name);
    if (ts_driver_delete(name, config) < 0)
        return TS_ERR(FILE, CANTDELETE, "cannot delete '%s'", name);
    return 0;
}
