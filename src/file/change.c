#include "file/change.h"

#include "base/error.h"
#include "id/id.h"

void ts_file_lock_two(struct ts_file *a, struct ts_file *b)
{
    ts_file_lock(a < b ? a : b);
    ts_file_lock(a < b ? b : a);
}

void ts_file_unlock_two(struct ts_file *a, struct ts_file *b)
{
    ts_file_unlock(a);
    ts_file_unlock(b);
}

unsigned ts_file_lock_release(struct ts_file *f)
{
    if (!f->writable || !ts_file_owned(f))
        return 0;
    unsigned depth = f->change.depth;
    f->change.depth = 1;
    ts_file_unlock(f);
    return depth;
}

void ts_file_lock_restore(struct ts_file *f, unsigned depth)
{
    if (depth == 0)
        return;
    ts_file_lock(f);
    f->change.depth = depth;
}

int ts_change_begin(struct ts_file *f)
{
    if (ts_id_files_shut())
        return TS_ERR(FILE, WRITEERROR, "%s: a filter of metadata cannot change a file", f->name);
    if (!f->writable)
        return TS_ERR_AS(FILE, WRITEERROR, "no write intent on file", "%s is open for reading only", f->name);
    if (ts_file_check_process(f) < 0)
        return -1;
    ts_file_lock(f);
    int status = f->broken ? TS_ERR(FILE, WRITEERROR,
                                    "%s: an earlier flush failed half-way, so nothing more can be written; close the "
                                    "file: it is as last flushed",
                                    f->name)
                           : ts_undo_begin(f);
    if (status < 0)
        ts_file_unlock(f);
    else
        f->change.begun++;
    return status;
}

/* The change is made, whether there was room for it in the file or not: a flush says that there was none. */
static int relieve(struct ts_file *f)
{
    unsigned mark = ts_err_mark();
    if (ts_clients_relieve(f) == 0)
        return 0;
    if (f->broken)
        return -1;
    ts_err_rewind(mark);
    return 0;
}

/* What clients do with the first change is part of that. */
int ts_change_end(struct ts_file *f, int status)
{
    bool outermost = f->change.begun == 1, touched = ts_undo_touched(f);
    bool first = outermost && touched && f->change.awaited;
    if (status >= 0 && first) {
        f->change.awaited = false;
        status = ts_clients_first_change(f) < 0 ? -1 : status;
    }
    if (status >= 0 && f->undo.doomed)
        status = TS_ERR(RESOURCE, NOSPACE, "%s: cannot allocate memory to undo a change with", f->name);
    if (status < 0) {
        ts_undo_go_back(f);
        f->change.awaited = f->change.awaited || first;
    } else {
        ts_undo_made(f);
    }
    f->change.begun--;
    if (outermost && status >= 0 && touched)
        status = relieve(f) < 0 ? -1 : status;
    ts_file_unlock(f);
    return status;
}
