/* Changing a file. Each file that is open for writing has one lock, which its owner may take again. A change holds it;
 * so does whoever has a structure of the metadata cache pinned (meta/). It is never held while raw data is read or
 * written, while a filter or a callback of the application runs, or while waiting for another file's lock: only copying
 * an object takes two, by ts_file_lock_two. In a file that is open for reading only nothing changes, and these do
 * nothing.
 *
 * A change that fails is undone: all that it touched is as it was (undo.h), in memory as in the file. Only a commit
 * that fails while it writes in place breaks the file: what was flushed is safe, nothing more is written, closing
 * works. */
#ifndef TS_FILE_CHANGE_H
#define TS_FILE_CHANGE_H

#include "file/file.h"

/* This thread has the lock. */
static inline bool ts_file_owned(const struct ts_file *f)
{
    return atomic_load_explicit(&f->change.owner, memory_order_relaxed) == pthread_self();
}

/* Every pin takes it, most of them again: that is no more than counting. */
static inline void ts_file_lock(struct ts_file *f)
{
    if (!f->writable)
        return;
    if (ts_file_owned(f)) {
        f->change.depth++;
        return;
    }
    ts_mutex_lock(&f->change.lock);
    atomic_store_explicit(&f->change.owner, pthread_self(), memory_order_relaxed);
    f->change.depth = 1;
}

static inline void ts_file_unlock(struct ts_file *f)
{
    if (!f->writable || --f->change.depth > 0)
        return;
    atomic_store_explicit(&f->change.owner, 0, memory_order_relaxed);
    ts_mutex_unlock(&f->change.lock);
}

/* In the order of their addresses, so that two threads cannot wait for each other. They may be the same. */
void ts_file_lock_two(struct ts_file *a, struct ts_file *b);
void ts_file_unlock_two(struct ts_file *a, struct ts_file *b);
/* Lets go of the lock however often this thread has it, and takes it back as often: around callbacks and raw I/O. */
unsigned ts_file_lock_release(struct ts_file *f);
void ts_file_lock_restore(struct ts_file *f, unsigned depth);

/* Takes the lock. Fails, without the lock, when the file is open for reading only or broken. */
int ts_change_begin(struct ts_file *f);
/* The next change that touches something begins with the clients' first_change. With the file's lock, or before others
 * have the file. */
static inline void ts_change_await(struct ts_file *f)
{
    f->change.awaited = true;
}
static inline bool ts_change_awaited(const struct ts_file *f)
{
    return f->change.awaited;
}
/* Returns status, or a negative one when the change could not be kept undoable. Undoes the change when that is
 * negative: one inside another undoes itself alone. At the outermost end of a good change the metadata cache may write
 * what has become too much to keep. */
int ts_change_end(struct ts_file *f, int status);

/* This thread has a dataset's order lock, as often as begun: functions of the application that it runs meanwhile may do
 * much, but a flush would wait for this thread itself. */
void ts_raw_work_begin(struct ts_file *f);
void ts_raw_work_end(struct ts_file *f);
bool ts_raw_works(const struct ts_file *f);

/* Contracts (base/lock.h). A file that is open for reading only has no lock to hold. */
#define TS_FILE_HELD(f) TS_ASSERT(!(f)->writable || ts_lock_held(&(f)->change.lock))
#define TS_FILE_NOT_HELD(f) TS_NOT_HELD(&(f)->change.lock)
#define TS_IN_CHANGE(f) TS_ASSERT(ts_lock_held(&(f)->change.lock) && (f)->change.begun > 0)

#endif
