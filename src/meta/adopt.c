#include "file/change.h"
#include "meta/parts.h"

int ts_meta_adopt(struct ts_file *f, haddr_t from, haddr_t to, haddr_t child)
{
    TS_FILE_HELD(f);
    struct ts_meta *meta = ts_meta_of(f);
    ts_meta_lock(f);
    const struct ts_meta_entry *e = ts_meta_find(meta, child);
    bool matters = e && e->dirty;
    ts_meta_unlock(f);
    if (!matters)
        return 0;
    ts_meta_undepend(f, from, child);
    return ts_meta_depend(f, to, child);
}
