/* The mappings of a virtual dataset as they are in the global heap. */
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "dataset/virtual_parts.h"
#include "space/space.h"

static bool has_block_number(const char *name)
{
    for (; *name; name++)
        if (name[0] == '%' && name[1] == '%')
            name++;
        else if (name[0] == '%' && name[1] == 'b')
            return true;
    return false;
}

bool ts_virtual_is_printf(const struct ts_vds_map *map)
{
    return ts_space_unlim_dim(map->dst) >= 0 && ts_space_unlim_dim(map->src) < 0 &&
           (has_block_number(map->file) || has_block_number(map->dset));
}

enum { FILE_SHARED = 1, DSET_SHARED = 2, FILE_IS_OWN = 4, FLAGS_KNOWN = 7 };

#define OWN_FILE "."

/* The rank that a serialised selection says it has; 0 when it has none (all, none). */
static unsigned peek_rank(const struct ts_rd *at)
{
    struct ts_rd r = *at;
    uint32_t type = ts_rd_u32(&r), version = ts_rd_u32(&r);
    if (type == H5S_SEL_POINTS)
        ts_rd_skip(&r, version == 1 ? 8 : 1);
    else if (type == H5S_SEL_HYPERSLABS)
        ts_rd_skip(&r, version == 1 ? 8 : version == 2 ? 5 : 2);
    else
        return 0;
    uint32_t rank = ts_rd_u32(&r);
    return r.bad || rank > H5S_MAX_RANK ? 0 : rank;
}

static int decode_selection(struct ts_rd *r, struct ts_space *s)
{
    size_t used;
    if (ts_space_decode_selection(s, r->p, ts_rd_left(r), &used) < 0)
        return -1;
    ts_rd_skip(r, used);
    return r->bad ? TS_ERR(DATASET, CANTDECODE, "virtual mapping: a selection is cut off") : 0;
}

/* The source's extent is not stored; until the source is open, one that just holds the selection stands for it. */
static int decode_source(struct ts_rd *r, struct ts_space **out)
{
    hsize_t dims[H5S_MAX_RANK], low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    unsigned rank = peek_rank(r);
    for (unsigned i = 0; i < rank; i++)
        dims[i] = 1;
    if ((rank ? ts_space_new_simple(rank, dims, NULL, out) : ts_space_new_scalar(out)) < 0)
        return -1;
    if (decode_selection(r, *out) < 0)
        return -1;
    if (rank == 0 || ts_space_selected(*out) == 0 || ts_space_sel_type(*out) == H5S_SEL_ALL)
        return 0;
    /* Nothing holds an unlimited selection: an empty extent says so, as in libhdf5. */
    bool unlimited = ts_space_unlim_dim(*out) >= 0;
    if (!unlimited && ts_space_bounds(*out, low, high) < 0)
        return -1;
    for (unsigned i = 0; i < rank; i++)
        dims[i] = unlimited ? 0 : high[i] + 1;
    return ts_space_set_simple(*out, rank, dims, NULL);
}

static int decode_selections(struct ts_rd *r, const struct ts_space *shown, struct ts_vds_map *map)
{
    if (decode_source(r, &map->src) < 0 || ts_space_copy(shown, &map->dst) < 0)
        return -1;
    return decode_selection(r, map->dst);
}

/* One of an earlier mapping, by its number. */
static const struct ts_vds_map *decode_earlier(struct ts_rd *r, unsigned len_size, const struct ts_vds *maps)
{
    uint64_t i = ts_rd_uint(r, len_size);
    if (!r->bad && i < maps->n)
        return &maps->maps[i];
    TS_ERR(DATASET, CANTDECODE, "virtual mapping %zu: a name of mapping %llu, which is no earlier one", maps->n,
           (unsigned long long)i);
    return NULL;
}

static int decode_own_name(struct ts_rd *r, const char **out)
{
    const char *name = ts_rd_cstr(r);
    if (!name || r->bad)
        return TS_ERR(DATASET, CANTDECODE, "virtual mapping: a name is cut off");
    return ts_type_name_new(name, strlen(name), out);
}

static int decode_names(struct ts_rd *r, unsigned version, unsigned len_size, const struct ts_vds *maps,
                        struct ts_vds_map *map)
{
    const struct ts_vds_map *earlier;
    unsigned flags = version > 0 ? ts_rd_u8(r) : 0;
    if (flags & ~(unsigned)FLAGS_KNOWN)
        return TS_ERR(DATASET, CANTDECODE, "virtual mapping %zu: flags %#x", maps->n, flags);
    if (flags & FILE_IS_OWN) {
        if (ts_type_name_new(OWN_FILE, strlen(OWN_FILE), &map->file) < 0)
            return -1;
    } else if (flags & FILE_SHARED) {
        if (!(earlier = decode_earlier(r, len_size, maps)))
            return -1;
        map->file = ts_type_name_ref(earlier->file);
    } else if (decode_own_name(r, &map->file) < 0)
        return -1;
    if (!(flags & DSET_SHARED))
        return decode_own_name(r, &map->dset);
    if (!(earlier = decode_earlier(r, len_size, maps)))
        return -1;
    map->dset = ts_type_name_ref(earlier->dset);
    return 0;
}

static int check_map(const struct ts_vds_map *map, size_t i)
{
    bool src = ts_space_unlim_dim(map->src) >= 0, dst = ts_space_unlim_dim(map->dst) >= 0;
    if (src && !dst)
        return TS_ERR(DATASET, CANTDECODE, "virtual mapping %zu: an unlimited source in a limited selection", i);
    if (dst && !src && !ts_virtual_is_printf(map))
        return TS_ERR(DATASET, CANTDECODE, "virtual mapping %zu: a limited source in an unlimited selection", i);
    return 0;
}

int ts_virtual_decode(const uint8_t *data, size_t size, unsigned len_size, const struct ts_space *shown,
                      struct ts_vds *maps)
{
    struct ts_rd r = ts_rd_init(data, size);
    unsigned version = ts_rd_u8(&r);
    uint64_t n = ts_rd_uint(&r, len_size);
    if (r.bad || version > 1)
        return TS_ERR(DATASET, VERSION, "virtual mappings: version %u", version);
    for (uint64_t i = 0; i < n; i++) {
        struct ts_vds_map map = {0};
        int status = decode_names(&r, version, len_size, maps, &map);
        if (status == 0)
            status = decode_selections(&r, shown, &map);
        if (status == 0)
            status = check_map(&map, (size_t)i);
        if (status == 0)
            status = ts_vds_add_shared(maps, &map);
        ts_vds_map_deinit(&map);
        if (status < 0)
            return -1;
    }
    if (!ts_rd_checksum(&r))
        return TS_ERR(DATASET, CANTDECODE, "virtual mappings: wrong checksum");
    return 0;
}

/* For each mapping the first one with its name. */
struct naming {
    struct ts_dict files, dsets;
    size_t *file_of, *dset_of;
};

static void naming_deinit(struct naming *names)
{
    ts_dict_deinit(&names->files);
    ts_dict_deinit(&names->dsets);
    ts_free(names->file_of);
    ts_free(names->dset_of);
}

/* Numbers count from 1 in the dictionary, where 0 is nothing. */
static int number_name(struct ts_dict *dict, const char *name, size_t i, size_t *first)
{
    void *known = ts_dict_get(dict, name);
    *first = known ? (size_t)(uintptr_t)known - 1 : i;
    return known ? 0 : ts_dict_put(dict, name, (void *)(uintptr_t)(i + 1));
}

static int naming_init(struct naming *names, const struct ts_vds *maps)
{
    *names = (struct naming){.file_of = ts_calloc(maps->n + 1, sizeof(size_t))};
    names->dset_of = names->file_of ? ts_calloc(maps->n + 1, sizeof(size_t)) : NULL;
    int status = names->dset_of ? 0 : -1;
    for (size_t i = 0; status == 0 && i < maps->n; i++) {
        status = number_name(&names->files, maps->maps[i].file, i, &names->file_of[i]);
        if (status == 0)
            status = number_name(&names->dsets, maps->maps[i].dset, i, &names->dset_of[i]);
    }
    if (status < 0)
        naming_deinit(names);
    return status;
}

/* A number instead of a name must be shorter. */
static unsigned flags_of(const struct naming *names, const struct ts_vds_map *map, size_t i, unsigned len_size)
{
    unsigned flags = 0;
    if (strcmp(map->file, OWN_FILE) == 0)
        flags |= FILE_IS_OWN;
    else if (names->file_of[i] != i && strlen(map->file) >= len_size)
        flags |= FILE_SHARED;
    if (names->dset_of[i] != i && strlen(map->dset) >= len_size)
        flags |= DSET_SHARED;
    return flags;
}

static size_t bytes_spared(unsigned flags, const struct ts_vds_map *map, unsigned len_size)
{
    size_t spared = flags & FILE_IS_OWN ? strlen(map->file) + 1 : 0;
    if (flags & FILE_SHARED)
        spared += strlen(map->file) + 1 - len_size;
    if (flags & DSET_SHARED)
        spared += strlen(map->dset) + 1 - len_size;
    return spared;
}

/* Version 1, where the bounds allow it, if it is shorter: it has a byte more for each mapping. */
static unsigned choose_version(const struct ts_vds *maps, const struct naming *names, unsigned len_size,
                               H5F_libver_t low)
{
    size_t spared = 0;
    if (low < H5F_LIBVER_V200)
        return 0;
    for (size_t i = 0; i < maps->n; i++)
        spared += bytes_spared(flags_of(names, &maps->maps[i], i, len_size), &maps->maps[i], len_size);
    return spared > maps->n;
}

static void put_name(struct ts_wr *w, const char *name)
{
    ts_wr_bytes(w, name, strlen(name) + 1);
}

static void encode_names(const struct naming *names, const struct ts_vds_map *map, size_t i, unsigned len_size,
                         struct ts_wr *w)
{
    unsigned flags = flags_of(names, map, i, len_size);
    ts_wr_u8(w, (uint8_t)flags);
    if (flags & FILE_SHARED)
        ts_wr_uint(w, names->file_of[i], len_size);
    else if (!(flags & FILE_IS_OWN))
        put_name(w, map->file);
    if (flags & DSET_SHARED)
        ts_wr_uint(w, names->dset_of[i], len_size);
    else
        put_name(w, map->dset);
}

static int encode_maps(const struct ts_vds *maps, const struct naming *names, unsigned len_size, H5F_libver_t low,
                       struct ts_wr *w)
{
    unsigned version = choose_version(maps, names, len_size, low);
    ts_wr_u8(w, (uint8_t)version);
    ts_wr_uint(w, maps->n, len_size);
    for (size_t i = 0; i < maps->n; i++) {
        const struct ts_vds_map *map = &maps->maps[i];
        if (version > 0) {
            encode_names(names, map, i, len_size, w);
        } else {
            put_name(w, map->file);
            put_name(w, map->dset);
        }
        if (ts_space_encode_selection(map->src, (unsigned)low, w) < 0 ||
            ts_space_encode_selection(map->dst, (unsigned)low, w) < 0)
            return -1;
    }
    return 0;
}

int ts_virtual_encode(const struct ts_vds *maps, unsigned len_size, H5F_libver_t low, struct ts_wr *w)
{
    struct naming names;
    size_t from = w->size;
    if (naming_init(&names, maps) < 0)
        return -1;
    int status = encode_maps(maps, &names, len_size, low, w);
    naming_deinit(&names);
    if (status < 0)
        return -1;
    ts_wr_checksum(w, from);
    return w->bad ? -1 : 0;
}

/* Where a selection ends in each dimension; 0 where it does not. */
static int ends_of(const struct ts_space *s, hsize_t *ends)
{
    hsize_t low[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    int endless = ts_space_unlim_dim(s);
    bool limited = endless < 0;
    if (limited ? ts_space_bounds(s, low, ends) < 0 : !ts_space_regular(s, low, stride, count, block))
        return -1;
    for (unsigned i = 0; i < ts_space_rank(s); i++)
        ends[i] = limited ? ends[i] + 1 : (int)i == endless ? 0 : low[i] + (count[i] - 1) * stride[i] + block[i];
    return 0;
}

int ts_virtual_check_dims(const struct ts_vds *maps, unsigned rank, const hsize_t *dims)
{
    hsize_t ends[H5S_MAX_RANK];
    for (size_t i = 0; i < maps->n; i++) {
        const struct ts_space *dst = maps->maps[i].dst;
        if (ts_space_rank(dst) != rank || ts_space_selected(dst) == 0 || ts_space_sel_type(dst) == H5S_SEL_ALL)
            continue;
        if (ends_of(dst, ends) < 0)
            return -1;
        for (unsigned k = 0; k < rank; k++)
            if (ends[k] > dims[k])
                return TS_ERR_AS(
                    ARGS, BADVALUE,
                    "virtual dataset dimensions not large enough to contain all limited dimensions in all selections",
                    "mapping %zu reaches to %llu of %llu", i, (unsigned long long)ends[k] - 1,
                    (unsigned long long)dims[k]);
    }
    return 0;
}
