/* What a mapping of a virtual dataset may be, and adding one to a list. */
#include "plist/virtual_map.h"

#include <string.h>

#include "base/error.h"
#include "space/space.h"

bool ts_vds_name_is_sound(const char *name, bool *has_number)
{
    for (const char *p = strchr(name, '%'); p; p = strchr(p + 2, '%')) {
        if (p[1] != 'b' && p[1] != '%')
            return false;
        *has_number = *has_number || p[1] == 'b';
    }
    return true;
}

/* Each numbered source fills one block of the virtual selection. */
static int check_numbered(const struct ts_vds_map *m)
{
    struct ts_space *block;
    if (ts_space_unlim_block(m->dst, 0, &block) < 0)
        return -1;
    hsize_t n = ts_space_selected(block);
    ts_space_unref(block);
    if (n != ts_space_selected(m->src))
        return TS_ERR(ARGS, BADVALUE,
                      "invalid mapping entry: a block of the virtual selection has %llu elements, the source %llu",
                      (unsigned long long)n, (unsigned long long)ts_space_selected(m->src));
    return 0;
}

int ts_vds_map_check_selections(const struct ts_vds_map *m)
{
    bool dst_unlimited = ts_space_unlim_dim(m->dst) >= 0, src_unlimited = ts_space_unlim_dim(m->src) >= 0;
    if (ts_space_sel_type(m->dst) == H5S_SEL_POINTS || ts_space_sel_type(m->src) == H5S_SEL_POINTS)
        return TS_ERR(PLIST, UNSUPPORTED, "a mapping of single points");
    if (dst_unlimited && src_unlimited) {
        if (ts_space_unlim_slice_elements(m->dst) != ts_space_unlim_slice_elements(m->src))
            return TS_ERR(ARGS, BADVALUE, "source and virtual selections differ in the unlimited slices");
    } else if (src_unlimited) {
        return TS_ERR(PLIST, BADVALUE, "an unlimited source selection needs an unlimited virtual selection");
    } else if (!dst_unlimited && ts_space_selected(m->dst) != ts_space_selected(m->src)) {
        return TS_ERR_AS(PLIST, BADVALUE, "virtual and source space selections have different numbers of elements",
                         "%llu and %llu", (unsigned long long)ts_space_selected(m->src),
                         (unsigned long long)ts_space_selected(m->dst));
    }
    return 0;
}

int ts_vds_map_check_number(const struct ts_vds_map *m, bool has_number)
{
    bool wants_number = ts_space_unlim_dim(m->dst) >= 0 && ts_space_unlim_dim(m->src) < 0;
    if (has_number && !wants_number)
        return TS_ERR(ARGS, BADVALUE,
                      "invalid mapping entry: %%b needs an unlimited virtual selection of a limited source");
    if (wants_number && !has_number)
        return TS_ERR(ARGS, BADVALUE,
                      "invalid mapping entry: an unlimited virtual selection of a limited source needs %%b");
    return wants_number ? check_numbered(m) : 0;
}

int ts_vds_take_offset(struct ts_space *s)
{
    const hssize_t *offset = ts_space_offset(s);
    hssize_t back[H5S_MAX_RANK], none[H5S_MAX_RANK] = {0};
    unsigned rank = ts_space_rank(s);
    if (ts_space_sel_type(s) != H5S_SEL_HYPERSLABS || memcmp(offset, none, rank * sizeof *none) == 0)
        return 0;
    for (unsigned d = 0; d < rank; d++)
        back[d] = -offset[d];
    return ts_space_adjust(s, back) < 0 ? -1 : ts_space_set_offset(s, none);
}

int ts_dcpl_add_mapping(struct ts_plist *pl, const struct ts_vds_map *m)
{
    struct ts_layout_prop layout = {.cls = H5D_VIRTUAL}, old;
    if (ts_dcpl_layout(pl, &old) < 0)
        return -1;
    if (old.cls == H5D_VIRTUAL)
        layout = old;
    else
        ts_layout_prop_deinit(&old);
    int ret = ts_vds_add(&layout.vds, m);
    if (ret == 0)
        ret = ts_dcpl_set_layout(pl, &layout);
    ts_layout_prop_deinit(&layout);
    return ret;
}
