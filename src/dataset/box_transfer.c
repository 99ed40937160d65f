/* A short cut for one box of a dataset, nearly always a row: it is known without a plan, needs no conversion, and its
 * chunk is in the cache. All else goes by transfer.c. */
#include "base/error.h"
#include "chunk/quick_box.h"
#include "dataset/dataset.h"
#include "dataset/storage.h"
#include "space/box.h"

/* What was found out about a type before; -1: nothing. Without a lock, since all who read a dataset ask: the answer is
 * looked at once more after the generation, which is changed only while there is none. */
static int remembered(struct ts_dataset_core *core, const struct ts_type *t, unsigned long generation, bool write)
{
    struct ts_dataset_mem_type *last = &core->last[write];
    uintptr_t answer = atomic_load_explicit(&last->as_stored, memory_order_seq_cst);
    if ((answer | 1) != ((uintptr_t)t | 1) ||
        atomic_load_explicit(&last->generation, memory_order_seq_cst) != generation ||
        atomic_load_explicit(&last->as_stored, memory_order_seq_cst) != answer)
        return -1;
    return !(answer & 1);
}

/* A committed type would keep its file open. */
static void remember(struct ts_dataset_core *core, struct ts_type *t, unsigned long generation, bool write,
                     bool as_stored)
{
    struct ts_type *kept = ts_type_has_named(t) ? NULL : ts_type_ref(t), *old;
    struct ts_dataset_mem_type *last = &core->last[write];
    ts_mutex_lock(&core->lock);
    old = last->type;
    last->type = kept;
    atomic_store_explicit(&last->as_stored, 0, memory_order_seq_cst);
    atomic_store_explicit(&last->generation, generation, memory_order_seq_cst);
    atomic_store_explicit(&last->as_stored, kept ? (uintptr_t)kept + !as_stored : 0, memory_order_seq_cst);
    ts_mutex_unlock(&core->lock);
    ts_type_unref(old);
}

/* Its elements in memory are as they are stored. */
static bool needs_no_conversion(const struct ts_dataset *d, struct ts_type *t, bool write)
{
    struct ts_conv_path *path = NULL;
    unsigned long generation = ts_conv_generation();
    int known = remembered(d->core, t, generation, write);
    if (known >= 0)
        return known;
    unsigned mark = ts_err_mark();
    bool flat = !ts_type_has_vlen_or_ref(t) && !ts_type_has_vlen_or_ref(d->type);
    bool found = flat && (write ? ts_conv_find(t, d->type, &path) : ts_conv_find(d->type, t, &path)) == 0;
    bool as_stored = found && ts_conv_is_noop(path);
    ts_err_rewind(mark);
    ts_conv_path_unref(path);
    remember(d->core, t, generation, write, as_stored);
    return as_stored;
}

/* The box is in the dataset's own extent and has n elements. */
static bool fits(const struct ts_sc_dset *sc, const struct ts_box *box, hsize_t n)
{
    hsize_t total = 1;
    if (box->rank != sc->rank)
        return false;
    for (unsigned d = 0; d < box->rank; d++) {
        if (box->dims[d] != sc->dims[d])
            return false;
        total *= box->count[d];
    }
    return total == n;
}

/* Chunks in the cache are all there is to know: storage comes with them, or is there. */
static bool has_layout(const struct ts_dataset_core *core, bool write)
{
    if (!core->sc.cache)
        return false;
    if (core->layout.cls == H5D_CONTIGUOUS)
        return core->allocated;
    bool stored = !write || core->fill.alloc_time == H5D_ALLOC_TIME_INCR || core->allocated;
    return core->layout.cls == H5D_CHUNKED && stored;
}

/* With the order lock. */
static bool move(struct ts_sc_dset *sc, const struct ts_box *in_file, const struct ts_run *in_memory, bool write,
                 uint8_t *buf)
{
    if (!fits(sc, in_file, in_memory->length))
        return false;
    uint8_t *at = buf + (size_t)in_memory->offset * sc->element_size;
    return write ? ts_sc_quick_write_box(sc, in_file->start, in_file->count, at)
                 : ts_sc_quick_read_box(sc, in_file->start, in_file->count, at);
}

static int lock(struct ts_dataset_core *core, bool write)
{
    if (!write)
        return ts_dataset_core_lock_read(core);
    return ts_dataset_may_write(core) < 0 ? -1 : ts_dataset_core_lock_write(core);
}

int ts_dataset_move_box(struct ts_dataset *d, struct ts_type *mem_type, struct ts_space *mem, struct ts_space *file,
                        bool write, void *buf)
{
    struct ts_box to, from;
    struct ts_run run;
    if (!buf || !has_layout(d->core, write) || !needs_no_conversion(d, mem_type, write) || !ts_space_box(file, &to) ||
        !ts_space_box(mem, &from) || !ts_box_run(&from, &run))
        return 0;
    if (lock(d->core, write) < 0)
        return -1;
    bool done = move(&d->core->sc, &to, &run, write, buf);
    ts_dataset_core_unlock(d->core);
    return done;
}
