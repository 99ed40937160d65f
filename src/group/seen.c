#include "group/seen.h"

#include "base/alloc.h"

struct ts_seen_file {
    struct ts_file *file; /* owned: its address must not be another's meanwhile */
    struct ts_map addrs;
};

void ts_seen_deinit(struct ts_seen *seen)
{
    for (size_t i = 0; i < seen->n; i++) {
        ts_map_deinit(&seen->files[i].addrs);
        ts_file_unref(seen->files[i].file);
    }
    ts_free(seen->files);
    *seen = (struct ts_seen){0};
}

static struct ts_seen_file *find(const struct ts_seen *seen, const struct ts_file *file)
{
    for (size_t i = 0; i < seen->n; i++)
        if (seen->files[i].file == file)
            return &seen->files[i];
    return NULL;
}

bool ts_seen_has(const struct ts_seen *seen, const struct ts_loc *loc)
{
    const struct ts_seen_file *in = find(seen, loc->fh->file);
    return in && ts_map_get(&in->addrs, loc->addr);
}

int ts_seen_enter(struct ts_seen *seen, const struct ts_loc *loc)
{
    struct ts_seen_file *in = find(seen, loc->fh->file);
    if (!in) {
        if (TS_GROW(seen->files, seen->capacity, seen->n + 1) < 0)
            return -1;
        in = &seen->files[seen->n++];
        *in = (struct ts_seen_file){.file = loc->fh->file};
        ts_file_ref(in->file);
    }
    if (ts_map_get(&in->addrs, loc->addr))
        return 1;
    return ts_map_put(&in->addrs, loc->addr, seen);
}
