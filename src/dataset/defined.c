/* Which elements are defined, and making them undefined. What is dense has nothing but defined elements. */
#include <string.h>

#include "base/error.h"
#include "dataset/storage.h"

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

static int find_defined(struct ts_dataset *d, const struct ts_space *file, struct ts_space **out)
{
    struct ts_space *chosen;
    if (ts_dataset_select(d, file, &chosen) < 0)
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
    ts_dataset_core_lock_read(d->core);
    int status = find_defined(d, file, out);
    ts_dataset_core_unlock(d->core);
    return status;
}

static int erase(struct ts_dataset *d, const struct ts_space *file)
{
    struct ts_space *chosen;
    if (ts_dataset_select(d, file, &chosen) < 0)
        return -1;
    int status = H5SC_erase(&d->core->sc, chosen);
    ts_space_unref(chosen);
    return status;
}

int ts_dataset_erase(struct ts_dataset *d, const struct ts_space *file)
{
    if (!is_sparse(d->core))
        return TS_ERR(DATASET, UNSUPPORTED, "the dataset is not sparse: all its elements are defined, and stay so");
    if (ts_dataset_may_write(d->core) < 0)
        return -1;
    ts_dataset_core_lock_write(d->core);
    int status = erase(d, file);
    ts_dataset_core_unlock(d->core);
    return status;
}
