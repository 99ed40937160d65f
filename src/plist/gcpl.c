/*
 * Encoded values: link info: as an unsigned, H5P_CRT_ORDER_* flags; group info: heap hint 4, max compact 2, min dense
 * 2, estimated entries 2, estimated length of a name 2.
 */
#include "plist/gcpl.h"

#include "base/error.h"
#include "plist/engine.h"

enum { MAX_COMPACT = 8, MIN_DENSE = 6, EST_ENTRIES = 4, EST_NAME_LEN = 8 };

static void links_encode(const void *value, size_t size, struct ts_wr *w)
{
    const struct ts_gcpl_links *l = value;
    unsigned flags = (l->track_order ? H5P_CRT_ORDER_TRACKED : 0) | (l->index_order ? H5P_CRT_ORDER_INDEXED : 0);
    (void)size;
    ts_prop_unsigned.encode(&flags, sizeof flags, w);
}

static int links_decode(struct ts_rd *r, void *value, size_t size)
{
    unsigned flags;
    (void)size;
    if (ts_prop_unsigned.decode(r, &flags, sizeof flags) < 0)
        return -1;
    *(struct ts_gcpl_links *)value = (struct ts_gcpl_links){.track_order = flags & H5P_CRT_ORDER_TRACKED,
                                                            .index_order = flags & H5P_CRT_ORDER_INDEXED};
    return 0;
}

static void group_encode(const void *value, size_t size, struct ts_wr *w)
{
    const struct ts_gcpl_group *g = value;
    (void)size;
    ts_wr_u32(w, g->heap_hint);
    ts_wr_u16(w, g->max_compact);
    ts_wr_u16(w, g->min_dense);
    ts_wr_u16(w, g->est_entries);
    ts_wr_u16(w, g->est_name_len);
}

static int group_decode(struct ts_rd *r, void *value, size_t size)
{
    struct ts_gcpl_group *g = value;
    (void)size;
    g->heap_hint = ts_rd_u32(r);
    g->max_compact = ts_rd_u16(r);
    g->min_dense = ts_rd_u16(r);
    g->est_entries = ts_rd_u16(r);
    g->est_name_len = ts_rd_u16(r);
    g->phase_change_set = g->max_compact != MAX_COMPACT || g->min_dense != MIN_DENSE;
    g->estimates_set = g->est_entries != EST_ENTRIES || g->est_name_len != EST_NAME_LEN;
    return r->bad ? TS_ERR(PLIST, CANTDECODE, "encoded group info ends early") : 0;
}

static const struct ts_prop_ops links_ops = {.encode = links_encode, .decode = links_decode};
static const struct ts_prop_ops group_ops = {.encode = group_encode, .decode = group_decode};

int ts_gcpl_define(void)
{
    static const struct ts_gcpl_group group = {
        .max_compact = MAX_COMPACT, .min_dense = MIN_DENSE, .est_entries = EST_ENTRIES, .est_name_len = EST_NAME_LEN};
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(gcpl, link_info, NULL, &links_ops, 0),
        TS_PROPERTY_SPEC(gcpl, group_info, &group, &group_ops, 0),
    };
    return ts_plist_define(TS_PLIST_GROUP_CREATE, specs, sizeof specs / sizeof *specs);
}
