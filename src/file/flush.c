#include "file/file.h"

#include "base/error.h"
#include "file/change.h"
#include "file/gather.h"

int ts_file_write_waiting(struct ts_file *f)
{
    int status = ts_clients_write_raw(f);
    return ts_gather_write(f) < 0 ? -1 : status;
}

int ts_file_flush(struct ts_file *f)
{
    if (!f->writable || !ts_file_client(f, TS_CLIENT_METADATA))
        return 0;
    if (ts_file_check_process(f) < 0)
        return -1;
    if (ts_raw_works(f))
        return TS_ERR(
            FILE, CANTFLUSH,
            "%s cannot be flushed by a function that is called while a dataset of it is read, written or coded",
            f->name);
    /* A SWMR writer's mark is all that keeps others out: it goes with the very last commit. */
    bool unfinished = ts_clients_unfinished(f), closing = f->commits.closing;
    f->commits.closing = closing && !(unfinished && f->swmr == TS_SWMR_WRITER);
    int raw = ts_file_write_waiting(f), status = ts_clients_commit(f);
    f->commits.closing = closing;
    if (status < 0 || (unfinished && (ts_clients_finish(f) < 0 || ts_clients_commit(f) < 0)))
        return -1;
    return raw < 0 ? TS_ERR(FILE, CANTFLUSH, "%s: not all raw data could be written", f->name) : 0;
}
