/* Files that a process has from the one that it was forked from. */
#include "base/error.h"
#include "file/file.h"
#include "plist/fapl.h"

bool ts_file_shared_by_fork(const struct ts_file *f)
{
    bool in_memory = f->entry.identity.unique && ts_fapl_driver(f->fapl)->kind == TS_DRIVER_CORE;
    return !in_memory;
}

int ts_file_refuse_inherited(const struct ts_file *f)
{
    return TS_ERR(FILE, WRITEERROR,
                  "%s was opened by a process that this one was forked from: only that one may change or "
                  "flush it; to change it here, open it here",
                  f->name);
}
