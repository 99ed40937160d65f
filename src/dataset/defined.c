/* Which elements are defined, and making them undefined. What is dense has nothing but defined elements; what is
 * virtual asks its sources (virtual_defined.c). */
#include <string.h>

#include "base/error.h"
#include "dataset/chunk_query.h"
#include "dataset/storage.h"
#include "dataset/virtual.h"

/* Selections over fewer chunks than this are taken as they are. */
#define MANY_CHUNKS 65536

/* The layout knows which elements are defined. */
static bool is_sparse(const struct ts_dataset_core *core)
{
    return core->sc.cache && core->sc.ops->defined_values;
}

bool ts_dataset_is_partial(const struct ts_dataset *d)
{
    return is_sparse(d->core) || d->virtual;
}

/* A selection that was asked for; NULL: all. */
struct asked {
    const struct ts_space *file;
    bool cut; /* to the extent: it was made for one that may have been another */
};

static int in_extent(const struct ts_space *extent, const struct ts_space *user, struct ts_space **out)
{
    struct ts_space *chosen;
    if (user && ts_space_rank(user) != ts_space_rank(extent))
        return TS_ERR(DATASPACE, BADVALUE, "a file selection of %u dimensions for a dataset of %u", ts_space_rank(user),
                      ts_space_rank(extent));
    unsigned rank = ts_space_rank(extent);
    bool same = user && (rank == 0 || memcmp(ts_space_dims(user), ts_space_dims(extent), rank * sizeof(hsize_t)) == 0);
    if (ts_space_copy(same ? user : extent, &chosen) < 0)
        return -1;
    int status = user && !same ? ts_space_select_copy(chosen, user) : 0;
    if (status == 0 && !ts_space_valid(chosen))
        status = TS_ERR(DATASPACE, BADRANGE, "the file selection lies outside of the dataset's extent");
    if (status < 0)
        ts_space_unref(chosen);
    else
        *out = chosen;
    return status;
}

int ts_dataset_select(struct ts_dataset *d, const struct ts_space *file, struct ts_space **out)
{
    struct ts_space *extent;
    if (ts_dataset_space(d, &extent) < 0)
        return -1;
    int status = in_extent(extent, file, out);
    ts_space_unref(extent);
    return status;
}

static int cut_to_extent(struct ts_dataset *d, const struct ts_space *part, struct ts_space **out)
{
    static const hsize_t origin[H5S_MAX_RANK];
    struct ts_space *extent;
    if (ts_dataset_space(d, &extent) < 0)
        return -1;
    int status = ts_space_rank(extent) > 0 && ts_space_rank(extent) == ts_space_rank(part)
                     ? ts_space_clip(part, origin, ts_space_dims(extent), out)
                     : in_extent(extent, part, out);
    ts_space_unref(extent);
    return status;
}

static int select_asked(struct ts_dataset *d, const struct asked *a, struct ts_space **out)
{
    return a->cut ? cut_to_extent(d, a->file, out) : ts_dataset_select(d, a->file, out);
}

/* How many chunks the bounds of a selection cover; at most limit. */
static hsize_t chunks_covered(const struct ts_dataset *d, const struct ts_space *chosen, hsize_t limit)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK], covered = 1;
    if (ts_space_selected(chosen) == 0 || ts_space_bounds(chosen, low, high) < 0)
        return 0;
    for (unsigned i = 0; i < ts_space_rank(chosen); i++) {
        hsize_t side = d->core->sc.chunk_dims[i], n = high[i] / side - low[i] / side + 1;
        if (n >= limit / covered)
            return limit;
        covered *= n;
    }
    return covered;
}

/* Many blocks, written as four numbers per dimension: to intersect it, each of them would have to be made. */
static bool is_strided(const struct ts_space *s)
{
    hsize_t stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    if (ts_space_sel_type(s) != H5S_SEL_HYPERSLABS || !ts_space_regular(s, NULL, stride, count, block))
        return false;
    for (unsigned i = 0; i < ts_space_rank(s); i++)
        if (count[i] > 1 && stride[i] > block[i])
            return true;
    return false;
}

/* A plan goes through every chunk that could be there. When a vast selection meets few that are, this gives the
 * elements of those; otherwise NULL. The caller holds no lock: what others write meanwhile may be missing. */
static int find_stored(struct ts_dataset *d, const struct asked *a, struct ts_space **out)
{
    struct ts_space *chosen;
    hsize_t n = 0;
    *out = NULL;
    if (!is_sparse(d->core))
        return 0;
    if (select_asked(d, a, &chosen) < 0)
        return -1;
    bool many = ts_space_sel_type(chosen) != H5S_SEL_POINTS && !is_strided(chosen) &&
                chunks_covered(d, chosen, MANY_CHUNKS) == MANY_CHUNKS;
    int status = many ? ts_chunks_count(d, NULL, &n) : 0;
    if (status == 0 && many && n < UINT64_MAX / 8 && chunks_covered(d, chosen, 8 * n + 1) == 8 * n + 1)
        status = ts_chunks_selection(d, out);
    ts_space_unref(chosen);
    return status;
}

/* The same selection without an offset. */
static int apply_offset(struct ts_space *s)
{
    static const hssize_t none[H5S_MAX_RANK];
    hssize_t back[H5S_MAX_RANK];
    for (unsigned i = 0; i < ts_space_rank(s); i++)
        back[i] = -ts_space_offset(s)[i];
    return ts_space_set_offset(s, none) < 0 ? -1 : ts_space_adjust(s, back);
}

/* "All" would follow another extent. */
static int fix_all(struct ts_space *s)
{
    static const hsize_t origin[H5S_MAX_RANK];
    if (ts_space_sel_type(s) != H5S_SEL_ALL || ts_space_rank(s) == 0)
        return 0;
    if (ts_space_selected(s) > 0)
        return ts_space_select_hyperslab(s, H5S_SELECT_SET, origin, NULL, ts_space_dims(s), NULL);
    ts_space_select_none(s);
    return 0;
}

/* The selection, of that only what is stored unless that is NULL. */
static int choose(struct ts_dataset *d, const struct asked *a, const struct ts_space *stored, struct ts_space **out)
{
    if (select_asked(d, a, out) < 0)
        return -1;
    struct ts_space *s = *out;
    int status = 0;
    if (stored && ts_space_selected(stored) == 0)
        ts_space_select_none(s);
    else if (stored && ts_space_sel_type(s) == H5S_SEL_ALL)
        status = fix_all(s);
    else if (stored)
        status = apply_offset(s);
    if (status == 0 && stored && ts_space_selected(s) > 0)
        status = ts_space_combine(s, H5S_SELECT_AND, stored);
    if (status < 0)
        ts_space_unref(s);
    return status;
}

int ts_dataset_defined_locked(struct ts_dataset *d, const struct ts_space *chosen, struct ts_space **out)
{
    if (d->virtual)
        return ts_virtual_get_defined(d, chosen, out);
    return is_sparse(d->core) ? H5SC_get_defined(&d->core->sc, chosen, out) : ts_space_copy(chosen, out);
}

static int get_defined(struct ts_dataset *d, const struct asked *a, struct ts_space **out)
{
    struct ts_space *stored, *chosen;
    if (find_stored(d, a, &stored) < 0)
        return -1;
    int status = ts_dataset_core_lock_read(d->core);
    if (status == 0) {
        status = choose(d, a, stored, &chosen);
        if (status == 0) {
            status = ts_dataset_defined_locked(d, chosen, out);
            ts_space_unref(chosen);
        }
        ts_dataset_core_unlock(d->core);
    }
    ts_space_unref(stored);
    return status;
}

int ts_dataset_get_defined(struct ts_dataset *d, const struct ts_space *file, struct ts_space **out)
{
    return get_defined(d, &(struct asked){.file = file}, out);
}

int ts_dataset_defined_within(struct ts_dataset *d, const struct ts_space *part, struct ts_space **out)
{
    if (get_defined(d, &(struct asked){.file = part, .cut = true}, out) < 0)
        return -1;
    if (fix_all(*out) == 0 && ts_space_extent_copy(*out, part) == 0)
        return 0;
    ts_space_unref(*out);
    return -1;
}

int ts_dataset_may_erase(struct ts_dataset *d, const struct ts_space *part)
{
    char name[TS_DATASET_NAME];
    struct ts_space *chosen;
    if (!ts_dataset_is_partial(d)) {
        ts_dataset_core_describe(d->core, name, sizeof name);
        return TS_ERR(DATASET, UNSUPPORTED,
                      "%s of file '%s' is not sparse: its elements, %llu of which were to be erased, are "
                      "defined and stay so",
                      name, d->core->file->name, (unsigned long long)ts_space_selected(part));
    }
    if (ts_dataset_may_write(d->core) < 0)
        return -1;
    if (!d->virtual)
        return 0;
    if (cut_to_extent(d, part, &chosen) < 0)
        return -1;
    int status = ts_virtual_may_erase(d, chosen);
    ts_space_unref(chosen);
    return status;
}

static int erase_chosen(struct ts_dataset *d, const struct ts_space *chosen)
{
    return d->virtual ? ts_virtual_erase(d, chosen) : H5SC_erase(&d->core->sc, chosen);
}

/* What may be erased. */
static int erase(struct ts_dataset *d, const struct asked *a)
{
    struct ts_space *stored, *chosen;
    if (find_stored(d, a, &stored) < 0)
        return -1;
    int status = ts_dataset_core_lock_write(d->core);
    if (status == 0) {
        status = choose(d, a, stored, &chosen);
        if (status == 0) {
            status = erase_chosen(d, chosen);
            ts_space_unref(chosen);
        }
        ts_dataset_core_unlock(d->core);
    }
    ts_space_unref(stored);
    return status;
}

int ts_dataset_erase_within(struct ts_dataset *d, const struct ts_space *part)
{
    return erase(d, &(struct asked){.file = part, .cut = true});
}

int ts_dataset_erase(struct ts_dataset *d, const struct ts_space *file)
{
    struct ts_space *chosen;
    if (ts_dataset_select(d, file, &chosen) < 0)
        return -1;
    int status = ts_dataset_may_erase(d, chosen);
    ts_space_unref(chosen);
    return status < 0 ? -1 : erase(d, &(struct asked){.file = file});
}
