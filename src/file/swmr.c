/* Who may have a file open together: the rules between processes, and the start of SWMR writing.
 *
 *   1. Readers may open a file that no writer has.
 *   2. No reader opens a file that a plain writer has.
 *   3. No writer opens a file that readers have.
 *   4. No writer opens a file that a writer has.
 *   5. SWMR readers may open a file that a SWMR writer has.
 *   6. Others may not.
 *
 * A plain writer has an exclusive lock and readers have shared ones. A SWMR writer leaves that lock to its readers,
 * once the superblock says what it is; that it lives is told by the driver's lock of life. A plain reader or writer
 * that finds its mark but no lock of life knows that it died, and takes that lock to keep it so. Among the SWMR readers
 * that a dead writer has left, another SWMR writer may go on. SWMR writers of stock libhdf5 have no such lock. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "file/change.h"
#include "file/internal.h"
#include "file/retry.h"
#include "plist/fapl.h"

bool ts_file_sworn_alone(const struct ts_plist *fapl)
{
    unsigned alone = 0, mark = ts_err_mark();
    if (ts_fapl_sworn_alone(fapl, &alone) < 0)
        ts_err_rewind(mark);
    return alone != 0;
}

bool ts_file_swmr_able(struct ts_file *f)
{
    /* A buffered stream promises no order, though ours would keep it. */
    return f->driver->cls->life && ts_fapl_driver(f->fapl)->kind != TS_DRIVER_STDIO;
}

/* The words of libhdf5, as the first record. A macro, so that the record is of the function that says more. */
#define SAY_NO_LOCK() TS_ERR(FILE, CANTOPENFILE, "unable to lock file, " TS_ERRNO, TS_ERRNO_OF(EAGAIN))

/* So are these, of files that are marked. Programs look for them, and try again as SWMR readers. */
#define H5CLEAR " (may use <h5clear file> to clear file consistency flags)"
#define MARKED_TO_READERS "file is already open for write" H5CLEAR
#define MARKED_TO_WRITERS "file is already open for write/SWMR write" H5CLEAR
#define MARKED_TO_FOLLOWERS "file is not already open for SWMR writing"

static const char *marked_words(const struct ts_file *f)
{
    return f->writable ? MARKED_TO_WRITERS : f->swmr == TS_SWMR_READER ? MARKED_TO_FOLLOWERS : MARKED_TO_READERS;
}

static int readers_have_it(const struct ts_file *f)
{
    SAY_NO_LOCK();
    return TS_ERR(FILE, CANTOPENFILE, "%s: readers have it open, so no writer may open it; wait until they close it%s",
                  f->name, f->flags & H5F_ACC_SWMR_WRITE ? " (a SWMR writer comes first, its readers after it)" : "");
}

#define WRITER_HAS_IT "%s: a writer has it open, so no other may open it for writing; wait until it closes it"

static int writer_has_it(const struct ts_file *f)
{
    return TS_ERR_AS(FILE, CANTOPENFILE, MARKED_TO_WRITERS, WRITER_HAS_IT, f->name);
}

static int writer_keeps_writers_out(const struct ts_file *f)
{
    SAY_NO_LOCK();
    return TS_ERR(FILE, CANTOPENFILE, WRITER_HAS_IT, f->name);
}

static int writer_keeps_readers_out(const struct ts_file *f)
{
    SAY_NO_LOCK();
    return TS_ERR(FILE, CANTOPENFILE,
                  "%s: a writer has it open, so no reader may open it; wait until it closes it, or let it call "
                  "H5Fstart_swmr_write and open the file with H5F_ACC_SWMR_READ",
                  f->name);
}

/* Others have the lock. Whether they are readers is known by becoming one of them. */
static int locked_out(struct ts_file *f, unsigned mark, enum ts_who *who)
{
    int shared = f->driver->cls->lock(f->driver, false);
    if (shared == 1)
        return -1;
    /* The innermost record is what people see, and programs look for the system's error in it. */
    ts_err_rewind(mark);
    if (shared < 0)
        return f->writable ? writer_keeps_writers_out(f) : writer_keeps_readers_out(f);
    if (f->writable && !(f->flags & H5F_ACC_SWMR_WRITE))
        return readers_have_it(f);
    *who = f->writable ? TS_AMONG_READERS : TS_LOCKED;
    f->others.locked = true;
    return 0;
}

int ts_file_lock_out(struct ts_file *f, enum ts_who *who)
{
    bool use, ignore;
    if (ts_fapl_locking(f->fapl, &use) < 0 || ts_fapl_locking_ignore(f->fapl, &ignore) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    int status = ts_driver_lock(f->driver, f->writable, ts_driver_lock_policy(use, ignore));
    if (status < 0)
        return locked_out(f, mark, who);
    f->others.locked = status == 0;
    *who = f->others.sworn_alone ? TS_SWORN_ALONE : status == 0 ? TS_LOCKED : TS_MAYBE_SHARED;
    return 0;
}

static enum ts_life_answer ask_life(struct ts_file *f, enum ts_life want)
{
    if (!f->others.locked || !f->driver->cls->life)
        return TS_LIFE_UNKNOWN;
    return f->driver->cls->life(f->driver, want);
}

int ts_file_unwatched(struct ts_file *f, enum ts_who who)
{
    if (who == TS_AMONG_READERS)
        return readers_have_it(f);
    if (ask_life(f, TS_LIFE_EXCLUSIVE) == TS_LIFE_HELD)
        return writer_has_it(f);
    (void)ask_life(f, TS_LIFE_NONE);
    return 0;
}

static int nobody_knows(const struct ts_file *f, const char *why)
{
    TS_ERR(FILE, CANTOPENFILE, "%s", marked_words(f));
    return TS_ERR(
        FILE, CANTOPENFILE,
        "%s is marked as open for writing: its writer has it open, or died; %s (tessera recover --force clears "
        "the mark)",
        f->name, why);
}

static int swmr_writer_has_it(const struct ts_file *f)
{
    if (f->writable)
        return writer_has_it(f);
    return TS_ERR_AS(
        FILE, CANTOPENFILE, MARKED_TO_READERS,
        "%s: a SWMR writer has it open, so only SWMR readers may open it: use H5F_ACC_RDONLY | H5F_ACC_SWMR_READ",
        f->name);
}

/* The mark is that of a SWMR writer, and we are no reader that follows one. */
static int admit_after_swmr(struct ts_file *f, enum ts_who who)
{
    bool ours = f->sb.flags & TS_FLAG_LIFE;
    enum ts_life_answer answer = ours ? ask_life(f, f->writable ? TS_LIFE_EXCLUSIVE : TS_LIFE_SHARED) : TS_LIFE_UNKNOWN;
    /* Those who share it are readers. */
    if (answer == TS_LIFE_HELD && f->writable && ask_life(f, TS_LIFE_SHARED) == TS_LIFE_TAKEN) {
        (void)ask_life(f, TS_LIFE_NONE);
        return readers_have_it(f);
    }
    if (answer == TS_LIFE_HELD)
        return swmr_writer_has_it(f);
    if (answer == TS_LIFE_TAKEN) {
        f->others.life = f->writable;
        return 0;
    }
    if (who == TS_SWORN_ALONE)
        return 0;
    if (!f->writable)
        return nobody_knows(f, "open it with H5F_ACC_RDONLY | H5F_ACC_SWMR_READ");
    return nobody_knows(f, "a SWMR writer keeps no lock by which to know");
}

int ts_file_admit(struct ts_file *f, enum ts_who who)
{
    uint32_t flags = f->sb.flags & 0xff;
    bool swmr = flags & TS_FLAG_SWMR_WRITING,
         marked = f->sb.version >= 3 && flags & (TS_FLAG_WRITING | TS_FLAG_SWMR_WRITING);
    if (flags & ~(uint32_t)TS_FLAGS_OPEN)
        return TS_ERR(FILE, BADVALUE, "%s: the consistency flags %#x are not known", f->name, f->sb.flags);
    if (f->flags & H5F_ACC_SWMR_WRITE && f->sb.version < 3)
        return TS_ERR_AS(FILE, BADVALUE, "file superblock version - should be at least 3",
                         "%s: superblock version %u, and SWMR writing needs 3: create the file with "
                         "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
                         f->name, f->sb.version);
    if (marked && swmr && f->swmr == TS_SWMR_READER)
        return 0;
    if (marked && swmr)
        return admit_after_swmr(f, who);
    if (who == TS_AMONG_READERS)
        return readers_have_it(f);
    if (marked && who == TS_MAYBE_SHARED)
        return nobody_knows(f, "without file locks nobody knows");
    return 0;
}

bool ts_file_space_stays(const struct ts_file *f)
{
    return f->sb.version >= 3 && f->sb.flags & TS_FLAG_LIFE;
}

static int check_start(struct ts_file *f)
{
    if (!f->writable)
        return TS_ERR_AS(FILE, BADVALUE, "no write intent on file",
                         "%s is open for reading only: SWMR writing needs H5F_ACC_RDWR", f->name);
    if (f->sb.version < 3)
        return TS_ERR_AS(FILE, BADVALUE, "file superblock version - should be at least 3",
                         "%s: superblock version %u, and SWMR writing needs 3: create the file with "
                         "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
                         f->name, f->sb.version);
    if (!ts_file_swmr_able(f))
        return TS_ERR(FILE, UNSUPPORTED,
                      "%s: SWMR writing needs a driver whose writes other processes see in their order: "
                      "sec2 or log",
                      f->name);
    if (f->bytes.overlay)
        return TS_ERR(FILE, UNSUPPORTED,
                      "%s has a metadata cache image, which SWMR readers cannot follow: change something "
                      "in the file, flush it, and start then",
                      f->name);
    return 0;
}

/* A mark that another thread is just making is that of the old state, and made again. */
static void set_writer(struct ts_file *f, bool writer)
{
    ts_mutex_lock(&f->commits.mark_lock);
    f->swmr = writer ? TS_SWMR_WRITER : TS_SWMR_OFF;
    f->commits.marked = false;
    ts_mutex_unlock(&f->commits.mark_lock);
}

static int become_writer(struct ts_file *f)
{
    enum ts_life_answer answer = ask_life(f, TS_LIFE_EXCLUSIVE);
    if (answer == TS_LIFE_HELD)
        return writer_has_it(f);
    f->others.life = answer == TS_LIFE_TAKEN;
    set_writer(f, true);
    if (ts_file_mark(f) == 0)
        return ts_driver_unlock(f->driver);
    set_writer(f, false);
    (void)ask_life(f, TS_LIFE_NONE);
    f->others.life = false;
    return -1;
}

int ts_file_start_swmr(struct ts_file *f)
{
    /* A file that is being opened for this has nothing to flush. The mark of a dead SWMR writer, among its readers,
     * never becomes that of a plain one. */
    bool opening = f->flags & H5F_ACC_SWMR_WRITE;
    if (f->swmr == TS_SWMR_WRITER)
        return 0;
    if (check_start(f) < 0 || ts_file_raise_format(f) < 0 || ts_retries_agree(f) < 0)
        return -1;
    if (!opening && ts_file_flush(f) < 0)
        return -1;
    ts_file_lock(f);
    /* Others may have changed something since the flush, not yet as a SWMR writer does. */
    int status = opening || f->swmr == TS_SWMR_WRITER ? 0 : ts_clients_commit(f);
    if (status == 0 && f->swmr != TS_SWMR_WRITER)
        status = become_writer(f);
    ts_file_unlock(f);
    return status < 0 ? TS_ERR(FILE, CANTOPENFILE, "%s: cannot start SWMR writing", f->name) : 0;
}
