/* Encoded chunk cache sizes: 1 byte 0 when the file's are to be used, else a length byte and so many bytes. */
#include "plist/dapl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "plist/engine.h"
#include "plist/fapl.h"

static void cache_encode(const void *value, size_t size, struct ts_wr *w)
{
    const size_t *n = value;
    (void)size;
    if (*n == H5D_CHUNK_CACHE_NSLOTS_DEFAULT)
        ts_wr_u8(w, 0);
    else
        ts_prop_write_size(w, *n);
}

static int cache_decode(struct ts_rd *r, void *value, size_t size)
{
    (void)size;
    if (!r->bad && ts_rd_left(r) > 0 && *r->p == 0) {
        ts_rd_skip(r, 1);
        *(size_t *)value = H5D_CHUNK_CACHE_NSLOTS_DEFAULT;
        return 0;
    }
    return ts_prop_size.decode(r, value, sizeof(size_t));
}

static const struct ts_prop_ops cache_ops = {.encode = cache_encode, .decode = cache_decode};

static bool unreadable_given(const void *value)
{
    return *(const int *)value != H5D_VDS_UNREADABLE_DEFAULT;
}

static void unreadable_encode(const void *value, size_t size, struct ts_wr *w)
{
    ts_prop_enum.encode(value, size, w);
}

static int unreadable_decode(struct ts_rd *r, void *value, size_t size)
{
    return ts_prop_enum.decode(r, value, size);
}

static const struct ts_prop_ops unreadable_ops = {
    .encode = unreadable_encode, .decode = unreadable_decode, .given = unreadable_given};

int ts_dapl_define(void)
{
    static const size_t as_file = H5D_CHUNK_CACHE_NSLOTS_DEFAULT;
    static const double w0 = H5D_CHUNK_CACHE_W0_DEFAULT;
    static const bool tree = true;
    static const int view = H5D_VDS_LAST_AVAILABLE;
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(dapl, nslots, &as_file, &cache_ops, 0),
        TS_PROPERTY_SPEC(dapl, nbytes, &as_file, &cache_ops, 0),
        TS_PROPERTY_SPEC(dapl, w0, &w0, &ts_prop_double, 0),
        TS_PROPERTY_SPEC(dapl, vds_view, &view, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(dapl, vds_gap, NULL, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(dapl, vds_prefix, NULL, &ts_prop_string, 0),
        TS_PROPERTY_SPEC(dapl, efile_prefix, NULL, &ts_prop_string, 0),
        TS_PROPERTY_SPEC(dapl, said_unreadable, NULL, &unreadable_ops, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(dapl, vds_tree, &tree, &ts_prop_plain, TS_PROP_QUIET),
        TS_PROPERTY_SPEC(dapl, append_flush, NULL, &ts_prop_plain, 0),
    };
    return ts_plist_define(TS_PLIST_DATASET_ACCESS, specs, sizeof specs / sizeof *specs);
}

int ts_dapl_chunk_cache(const struct ts_plist *dapl, const struct ts_plist *fapl, size_t *reserve, double *w0,
                        bool *uncached)
{
    size_t nbytes, file_nbytes;
    double weight, file_weight;
    *reserve = SIZE_MAX;
    *w0 = -1;
    *uncached = false;
    if (ts_plist_untouched(dapl, TS_PLIST_DATASET_ACCESS))
        return 0;
    if (ts_dapl_nbytes(dapl, &nbytes) < 0 || ts_dapl_w0(dapl, &weight) < 0 || ts_fapl_nbytes(fapl, &file_nbytes) < 0 ||
        ts_fapl_w0(fapl, &file_weight) < 0)
        return -1;
    *uncached = nbytes == 0;
    /* A list from H5Dget_access_plist has the file's numbers in it: that is no wish of its own. */
    if (nbytes != H5D_CHUNK_CACHE_NBYTES_DEFAULT && nbytes != file_nbytes)
        *reserve = nbytes;
    if (weight >= 0 && weight != file_weight)
        *w0 = weight;
    return 0;
}

int ts_dapl_vds_unreadable(const struct ts_plist *dapl, H5D_vds_unreadable_t *out)
{
    if (ts_dapl_said_unreadable(dapl, out) < 0)
        return -1;
    if (*out != H5D_VDS_UNREADABLE_DEFAULT)
        return 0;
    const char *value = ts_env("TESSERA_VDS_UNREADABLE");
    *out = value && strcmp(value, "fill") == 0 ? H5D_VDS_UNREADABLE_FILL : H5D_VDS_UNREADABLE_FAIL;
    return 0;
}
