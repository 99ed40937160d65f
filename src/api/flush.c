/* Flushing for an object (flush.h). */
#include "api/flush.h"

#include "base/lock.h"
#include "plist/fapl.h"

int ts_api_write_waiting(struct ts_file *f)
{
    return f->writable ? ts_file_write_waiting(f) : 0;
}

int ts_api_flush_object(hid_t id, struct ts_file *f)
{
    struct ts_flush_cb cb;
    if (!f->writable)
        return 0;
    if (ts_file_flush(f) < 0 || ts_fapl_flush_cb(f->fapl, &cb) < 0)
        return -1;
    TS_MAY_CALL_OUT();
    if (cb.func && cb.func(id, cb.data) < 0)
        return TS_ERR(OHDR, CANTFLUSH, "object flush callback failed");
    return 0;
}

void ts_api_object_closes(struct ts_file *f)
{
    if (ts_file_relieve_disk(f) < 0)
        ts_err_owe();
}
