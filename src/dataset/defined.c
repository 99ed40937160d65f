/* Which elements are defined, and making them undefined. What is dense has nothing but defined elements. */
#include <string.h>

#include "base/error.h"
#include "dataset/chunk_query.h"
#include "dataset/storage.h"

/* Selections over fewer chunks than this are taken as they are. */
#define MANY_CHUNKS 65536

/* The layout knows which elements are defined. */
static bool is_sparse(const struct ts_dataset_core *core)
{
    return core->sc.cache && core->sc.ops->defined_values;
}

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

/* A plan goes through every chunk that could be there. When a vast selection meets few that are, this gives the elements of
 * those; otherwise NULL. The caller holds no lock: what others write meanwhile may be missing. */
static int find_stored(struct ts_dataset *d, const struct ts_space *file, struct ts_space **out)
{
    struct ts_space *chosen;
    hsize_t n = 0;
    *out = NULL;
    if (!is_sparse(d->core))
        return 0;
    if (ts_dataset_select(d, file, &chosen) < 0)
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

/* The selection, of that only what is stored unless that is NULL. */
static int choose(struct ts_dataset *d, const struct ts_space *file, const struct ts_space *stored, struct ts_space **out)
{
    static const hsize_t origin[H5S_MAX_RANK];
    if (ts_dataset_select(d, file, out) < 0)
        return -1;
    struct ts_space *s = *out;
    int status = 0;
    if (stored && ts_space_selected(stored) == 0)
        ts_space_select_none(s);
    else if (stored && ts_space_sel_type(s) == H5S_SEL_ALL)
        status = ts_space_select_hyperslab(s, H5S_SELECT_SET, origin, NULL, ts_space_dims(s), NULL);
    else if (stored)
        status = apply_offset(s);
    if (status == 0 && stored && ts_space_selected(s) > 0)
        status = ts_space_combine(s, H5S_SELECT_AND, stored);
    if (status < 0)
        ts_space_unref(s);
    return status;
}

static int find_defined(struct ts_dataset *d, const struct ts_space *file, const struct ts_space *stored,
                        struct ts_space **out)
{
    struct ts_space *chosen;
    if (choose(d, file, stored, &chosen) < 0)
        return -1;
    int status = 0;
    if (is_sparse(d->core)) {
        status = H5SC_get_defined(&d->core->sc, chosen, out);
        ts_space_unref(chosen);
    } else {
        *out = chosen;
    }
    return status;
}

int ts_dataset_get_defined(struct ts_dataset *d, const struct ts_space *file, struct ts_space **out)
{
    struct ts_space *stored;
    if (find_stored(d, file, &stored) < 0)
        return -1;
    int status = ts_dataset_core_lock_read(d->core);
    if (status == 0) {
        status = find_defined(d, file, stored, out);
        ts_dataset_core_unlock(d->core);
    }
    ts_space_unref(stored);
    return status;
}

static int erase(struct ts_dataset *d, const struct ts_space *file, const struct ts_space *stored)
{
    struct ts_space *chosen;
    if (choose(d, file, stored, &chosen) < 0)
        return -1;
    int status = H5SC_erase(&d->core->sc, chosen);
    ts_space_unref(chosen);
    return status;
}

int ts_dataset_erase(struct ts_dataset *d, const struct ts_space *file)
{
    struct ts_space *stored;
    if (!is_sparse(d->core))
        return TS_ERR(DATASET, UNSUPPORTED, "the dataset is not sparse: all its elements are defined, and stay so");
    if (ts_dataset_may_write(d->core) < 0 || find_stored(d, file, &stored) < 0)
        return -1;
    int status = ts_dataset_core_lock_write(d->core);
    if (status == 0) {
        status = erase(d, file, stored);
        ts_dataset_core_unlock(d->core);
    }
    ts_space_unref(stored);
    return status;
}
