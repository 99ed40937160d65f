#include "base/map.h"
#include "meta/parts.h"

int ts_meta_adopt(struct ts_file *f, haddr_t from, haddr_t to, haddr_t child)
{
    struct ts_meta *meta = f->meta;
    pthread_mutex_lock(&meta->lock);
    const struct ts_meta_entry *e = ts_map_get(&meta->entries, child);
    bool matters = e && e->dirty;
    pthread_mutex_unlock(&meta->lock);
    if (!matters)
        return 0;
    ts_meta_undepend(f, from, child);
    return ts_meta_depend(f, to, child);
}
