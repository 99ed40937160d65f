/* What a file does against a power failure. The order in which the system gets writes is not that in which the disk
 * does: between two that must not change places there is a barrier, which waits until all before it is on the disk. */
#include "base/error.h"
#include "file/internal.h"
#include "plist/fapl.h"

static const char *name_of(H5F_durability_t level)
{
    static const char *const names[] = {"default", "process", "ordered", "flush"};
    return names[level];
}

/* Nobody expects such a file to survive anything. */
static bool in_memory_only(const struct ts_file *f)
{
    const struct ts_driver_config *config = ts_fapl_driver(f->fapl);
    return config && config->kind == TS_DRIVER_CORE && !config->core.backing_store;
}

/* Without a journal a flush that was cut short has no whole state to go back to. It can wait for the disk all the
 * same. */
static int check_driver(const struct ts_file *f, H5F_durability_t level)
{
    const struct ts_driver_class *cls = f->driver->cls;
    if (level == H5F_DURABILITY_PROCESS || !f->writable || in_memory_only(f))
        return 0;
    if (cls->writing->sync && (cls->crash_safe || level == H5F_DURABILITY_FLUSH))
        return 0;
    return TS_ERR(FILE, UNSUPPORTED,
                  "%s: driver '%s' cannot give durability level '%s' (H5Pset_durability, TESSERA_DURABILITY): %s",
                  f->name, cls->name, name_of(level),
                  cls->writing->sync ? "it has no journal" : "no order keeps its files together");
}

int ts_file_agree_durability(struct ts_file *f)
{
    H5F_durability_t level;
    if (ts_fapl_durability(f->fapl, &level) < 0 || check_driver(f, level) < 0)
        return -1;
    f->sync.level = level;
    /* Whoever wrote the file before may not have waited for the disk. */
    f->sync.unsynced = true;
    return ts_fapl_set_durability(f->fapl, level);
}

int ts_file_raise_durability(struct ts_file *f, const struct ts_plist *fapl)
{
    H5F_durability_t level;
    if (ts_fapl_durability(fapl, &level) < 0)
        return -1;
    if (level <= f->sync.level)
        return 0;
    if (check_driver(f, level) < 0 || ts_fapl_set_durability(f->fapl, level) < 0)
        return -1;
    f->sync.level = level;
    return 0;
}

int ts_file_barrier_always(struct ts_file *f)
{
    if (!f->driver->cls->writing->sync)
        return 0;
    /* Before: what others write meanwhile may come too late for this one. */
    f->sync.unsynced = f->sync.unsynced_end = false;
    if (ts_driver_sync(f->driver) == 0)
        return 0;
    f->broken = true;
    return TS_ERR(FILE, CANTFLUSH,
                  "%s: the disk may not have what was written since the last flush; nothing more is written", f->name);
}

int ts_file_barrier(struct ts_file *f)
{
    if (f->sync.level <= H5F_DURABILITY_PROCESS || !f->sync.unsynced)
        return 0;
    return ts_file_barrier_always(f);
}
