/* H5P: properties of file and group creation lists. */
#include "H5Opublic.h"
#include "api/plist_args.h"
#include "base/checked.h"
#include "plist/engine.h"
#include "plist/fcpl.h"
#include "plist/gcpl.h"

enum { MIN_USERBLOCK = 512, MAX_K = 65535 / 2, MIN_PAGE = 512 };
#define MAX_PAGE (1024 * 1024 * 1024ull)

herr_t H5Pset_userblock(hid_t plist_id, hsize_t size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (size > 0 && (size < MIN_USERBLOCK || !ts_is_power_of_2(size)))
        return TS_API_ERR(-1, ARGS, BADVALUE, "userblock size is non-zero and %s: %llu",
                          size < MIN_USERBLOCK ? "less than 512" : "not a power of two", (unsigned long long)size);
    return TS_API_RET(ts_fcpl_set_userblock(TS_P_LIST(plist_id, FILE_CREATE), size));
}

herr_t H5Pget_userblock(hid_t plist_id, hsize_t *size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    hsize_t value;
    if (ts_fcpl_userblock(TS_P_LIST(plist_id, FILE_CREATE), &value) < 0)
        return TS_API_FAIL(-1);
    if (size)
        *size = value;
    return 0;
}

static bool is_width(size_t n)
{
    return n == 0 || n == 2 || n == 4 || n == 8 || n == 16;
}

/* 0 leaves a width as it is. */
herr_t H5Pset_sizes(hid_t plist_id, size_t sizeof_addr, size_t sizeof_size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!is_width(sizeof_addr))
        return TS_API_ERR(-1, ARGS, BADVALUE, "file haddr_t size is not valid: %zu", sizeof_addr);
    if (!is_width(sizeof_size))
        return TS_API_ERR(-1, ARGS, BADVALUE, "file size_t size is not valid: %zu", sizeof_size);
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    uint8_t addr = (uint8_t)sizeof_addr, length = (uint8_t)sizeof_size;
    if (!pl || (addr && ts_fcpl_set_addr_size(pl, addr) < 0) || (length && ts_fcpl_set_length_size(pl, length) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pget_sizes(hid_t plist_id, size_t *sizeof_addr, size_t *sizeof_size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    uint8_t addr, length;
    if (!pl || ts_fcpl_addr_size(pl, &addr) < 0 || ts_fcpl_length_size(pl, &length) < 0)
        return TS_API_FAIL(-1);
    if (sizeof_addr)
        *sizeof_addr = addr;
    if (sizeof_size)
        *sizeof_size = length;
    return 0;
}

static int set_btree_k(struct ts_plist *pl, int which, unsigned k)
{
    unsigned ranks[2];
    if (ts_fcpl_btree_k(pl, ranks) < 0)
        return -1;
    ranks[which] = k;
    return ts_fcpl_set_btree_k(pl, ranks);
}

herr_t H5Pset_sym_k(hid_t plist_id, unsigned ik, unsigned lk)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    if (!pl)
        return TS_API_FAIL(-1);
    if (ik > MAX_K)
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          "istore IK value exceeds maximum B-tree entries: 1/2 rank %u of groups, at most %d", ik,
                          MAX_K);
    if ((ik && set_btree_k(pl, 0, ik) < 0) || (lk && ts_fcpl_set_sym_leaf_k(pl, lk) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pget_sym_k(hid_t plist_id, unsigned *ik, unsigned *lk)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    unsigned ranks[2], leaf;
    if (!pl || ts_fcpl_btree_k(pl, ranks) < 0 || ts_fcpl_sym_leaf_k(pl, &leaf) < 0)
        return TS_API_FAIL(-1);
    if (ik)
        *ik = ranks[0];
    if (lk)
        *lk = leaf;
    return 0;
}

herr_t H5Pset_istore_k(hid_t plist_id, unsigned ik)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (ik == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "istore IK value must be positive");
    if (ik > MAX_K)
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          "istore IK value exceeds maximum B-tree entries: 1/2 rank %u of chunks, at most %d", ik,
                          MAX_K);
    return TS_API_RET(set_btree_k(TS_P_LIST(plist_id, FILE_CREATE), 1, ik));
}

herr_t H5Pget_istore_k(hid_t plist_id, unsigned *ik)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned ranks[2];
    if (ts_fcpl_btree_k(TS_P_LIST(plist_id, FILE_CREATE), ranks) < 0)
        return TS_API_FAIL(-1);
    if (ik)
        *ik = ranks[1];
    return 0;
}

/* Of the four only the superblock's still means something. */
herr_t H5Pget_version(hid_t plist_id, unsigned *boot, unsigned *freelist, unsigned *stab, unsigned *shhdr)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned version;
    if (ts_fcpl_superblock_version(TS_P_LIST(plist_id, FILE_CREATE), &version) < 0)
        return TS_API_FAIL(-1);
    unsigned *const zeros[] = {freelist, stab, shhdr};
    for (int i = 0; i < 3; i++)
        if (zeros[i])
            *zeros[i] = 0;
    if (boot)
        *boot = version;
    return 0;
}

herr_t H5Pset_shared_mesg_nindexes(hid_t plist_id, unsigned nindexes)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (nindexes > H5O_SHMESG_MAX_NINDEXES)
        return TS_API_ERR(-1, ARGS, BADRANGE,
                          "number of indexes is greater than H5O_SHMESG_MAX_NINDEXES: %u shared message indexes: "
                          "at most %d",
                          nindexes, H5O_SHMESG_MAX_NINDEXES);
    return TS_API_RET(ts_fcpl_set_sohm_indexes(TS_P_LIST(plist_id, FILE_CREATE), nindexes));
}

herr_t H5Pget_shared_mesg_nindexes(hid_t plist_id, unsigned *nindexes)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned n;
    if (ts_fcpl_sohm_indexes(TS_P_LIST(plist_id, FILE_CREATE), &n) < 0)
        return TS_API_FAIL(-1);
    if (nindexes)
        *nindexes = n;
    return 0;
}

static int check_index(struct ts_plist *pl, unsigned index, const char *said)
{
    unsigned n;
    if (!pl || ts_fcpl_sohm_indexes(pl, &n) < 0)
        return -1;
    return index < n ? 0 : TS_ERR(ARGS, BADRANGE, "%s: shared message index %u of %u", said, index, n);
}

static int set_index(struct ts_plist *pl, unsigned index, unsigned type_flags, unsigned min_size)
{
    unsigned types[H5O_SHMESG_MAX_NINDEXES], sizes[H5O_SHMESG_MAX_NINDEXES];
    if (ts_fcpl_sohm_types(pl, types) < 0 || ts_fcpl_sohm_min_size(pl, sizes) < 0)
        return -1;
    types[index] = type_flags;
    sizes[index] = min_size;
    return ts_fcpl_set_sohm_types(pl, types) < 0 ? -1 : ts_fcpl_set_sohm_min_size(pl, sizes);
}

herr_t H5Pset_shared_mesg_index(hid_t plist_id, unsigned index_num, unsigned mesg_type_flags, unsigned min_mesg_size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (mesg_type_flags > H5O_SHMESG_ALL_FLAG)
        return TS_API_ERR(-1, ARGS, BADRANGE, "unrecognized flags in mesg_type_flags: %#x", mesg_type_flags);
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    if (check_index(pl, index_num, "index_num is too large; no such index") < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(set_index(pl, index_num, mesg_type_flags, min_mesg_size));
}

herr_t H5Pget_shared_mesg_index(hid_t plist_id, unsigned index_num, unsigned *mesg_type_flags, unsigned *min_mesg_size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    unsigned types[H5O_SHMESG_MAX_NINDEXES], sizes[H5O_SHMESG_MAX_NINDEXES];
    if (check_index(pl, index_num, "index_num is greater than number of indexes in property list") < 0 ||
        ts_fcpl_sohm_types(pl, types) < 0 || ts_fcpl_sohm_min_size(pl, sizes) < 0)
        return TS_API_FAIL(-1);
    if (mesg_type_flags)
        *mesg_type_flags = types[index_num];
    if (min_mesg_size)
        *min_mesg_size = sizes[index_num];
    return 0;
}

herr_t H5Pset_shared_mesg_phase_change(hid_t plist_id, unsigned max_list, unsigned min_btree)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (max_list + 1 < min_btree)
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          "minimum B-tree value is greater than maximum list value: max list %u is below min B-tree %u",
                          max_list, min_btree);
    if (max_list > H5O_SHMESG_MAX_LIST_SIZE || min_btree > H5O_SHMESG_MAX_LIST_SIZE)
        return TS_API_ERR(-1, ARGS, BADRANGE,
                          "max list value is larger than H5O_SHMESG_MAX_LIST_SIZE: max list %u, min B-tree %u: "
                          "at most %d",
                          max_list, min_btree, H5O_SHMESG_MAX_LIST_SIZE);
    /* A list of no length and a B-tree from one on are the same thing. */
    if (max_list == 0)
        min_btree = 0;
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    if (!pl || ts_fcpl_set_sohm_max_list(pl, max_list) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fcpl_set_sohm_min_btree(pl, min_btree));
}

herr_t H5Pget_shared_mesg_phase_change(hid_t plist_id, unsigned *max_list, unsigned *min_btree)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    if (!pl || (max_list && ts_fcpl_sohm_max_list(pl, max_list) < 0) ||
        (min_btree && ts_fcpl_sohm_min_btree(pl, min_btree) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

static int set_strategy(struct ts_plist *pl, H5F_fspace_strategy_t strategy, bool persist, hsize_t threshold)
{
    if (!pl || ts_fcpl_set_space_strategy(pl, strategy) < 0)
        return -1;
    /* The other strategies do not track free space. */
    if (strategy != H5F_FSPACE_STRATEGY_FSM_AGGR && strategy != H5F_FSPACE_STRATEGY_PAGE)
        return 0;
    if (ts_fcpl_set_space_persist(pl, persist) < 0)
        return -1;
    return ts_fcpl_set_space_threshold(pl, threshold);
}

herr_t H5Pset_file_space_strategy(hid_t plist_id, H5F_fspace_strategy_t strategy, hbool_t persist, hsize_t threshold)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (strategy >= H5F_FSPACE_STRATEGY_NTYPES)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid strategy: no file space strategy %d", (int)strategy);
    return TS_API_RET(set_strategy(TS_P_LIST(plist_id, FILE_CREATE), strategy, persist, threshold));
}

herr_t H5Pget_file_space_strategy(hid_t plist_id, H5F_fspace_strategy_t *strategy, hbool_t *persist, hsize_t *threshold)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    if (!pl || (strategy && ts_fcpl_space_strategy(pl, strategy) < 0) ||
        (persist && ts_fcpl_space_persist(pl, persist) < 0) ||
        (threshold && ts_fcpl_space_threshold(pl, threshold) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pset_file_space_page_size(hid_t plist_id, hsize_t fsp_size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    if (!pl)
        return TS_API_FAIL(-1);
    if (fsp_size < MIN_PAGE || fsp_size > MAX_PAGE)
        return TS_API_ERR(-1, ATOM, BADATOM, "cannot set file space page size to %s: %llu bytes",
                          fsp_size < MIN_PAGE ? "less than 512" : "more than 1GB", (unsigned long long)fsp_size);
    return TS_API_RET(ts_fcpl_set_space_page_size(pl, fsp_size));
}

herr_t H5Pget_file_space_page_size(hid_t plist_id, hsize_t *fsp_size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    hsize_t value;
    if (ts_fcpl_space_page_size(TS_P_LIST(plist_id, FILE_CREATE), &value) < 0)
        return TS_API_FAIL(-1);
    if (fsp_size)
        *fsp_size = value;
    return 0;
}

/* In older words, which have none for pages. */
static int old_strategy(struct ts_plist *pl, H5F_file_space_type_t *out)
{
    H5F_fspace_strategy_t now;
    bool persist;
    if (ts_fcpl_space_strategy(pl, &now) < 0 || ts_fcpl_space_persist(pl, &persist) < 0)
        return -1;
    if (now == H5F_FSPACE_STRATEGY_PAGE)
        return TS_SAY(ARGS, BADVALUE, "invalid file space strategy: pages");
    *out = persist ? H5F_FILE_SPACE_ALL_PERSIST : H5F_FILE_SPACE_ALL;
    if (now == H5F_FSPACE_STRATEGY_AGGR)
        *out = H5F_FILE_SPACE_AGGR_VFD;
    else if (now == H5F_FSPACE_STRATEGY_NONE)
        *out = H5F_FILE_SPACE_VFD;
    return 0;
}

/* H5F_FILE_SPACE_DEFAULT and a threshold of 0 leave what there is. */
herr_t H5Pset_file_space(hid_t plist_id, H5F_file_space_type_t strategy, hsize_t threshold)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(PLIST, CANTSET, "can't set file space strategy"));
    if ((unsigned)strategy >= H5F_FILE_SPACE_NTYPES)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid strategy: no file space strategy %d", (int)strategy);
    static const struct {
        H5F_fspace_strategy_t strategy;
        bool persist;
    } now[] = {[H5F_FILE_SPACE_ALL_PERSIST] = {H5F_FSPACE_STRATEGY_FSM_AGGR, true},
               [H5F_FILE_SPACE_ALL] = {H5F_FSPACE_STRATEGY_FSM_AGGR, false},
               [H5F_FILE_SPACE_AGGR_VFD] = {H5F_FSPACE_STRATEGY_AGGR, false},
               [H5F_FILE_SPACE_VFD] = {H5F_FSPACE_STRATEGY_NONE, false}};
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    hsize_t old;
    if (!pl && strategy == H5F_FILE_SPACE_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid file space strategy");
    if (!pl || ts_fcpl_space_threshold(pl, &old) < 0 ||
        (strategy == H5F_FILE_SPACE_DEFAULT && old_strategy(pl, &strategy) < 0))
        return TS_API_FAIL(-1);
    return TS_API_RET(set_strategy(pl, now[strategy].strategy, now[strategy].persist, threshold ? threshold : old));
}

herr_t H5Pget_file_space(hid_t plist_id, H5F_file_space_type_t *strategy, hsize_t *threshold)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(PLIST, CANTGET, "can't get file space strategy"));
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_CREATE);
    hsize_t limit;
    if (!pl || ts_fcpl_space_threshold(pl, &limit) < 0 || (strategy && old_strategy(pl, strategy) < 0))
        return TS_API_FAIL(-1);
    if (threshold)
        *threshold = limit;
    return 0;
}

herr_t H5Pset_local_heap_size_hint(hid_t plist_id, size_t size_hint)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(plist_id, GROUP_CREATE);
    struct ts_gcpl_group *g = ts_gcpl_edit_group_info(pl);
    if (!g)
        return TS_API_FAIL(-1);
    g->heap_hint = (uint32_t)size_hint;
    ts_plist_release(pl);
    return 0;
}

herr_t H5Pget_local_heap_size_hint(hid_t plist_id, size_t *size_hint)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_gcpl_group g;
    if (ts_gcpl_group_info(TS_P_LIST(plist_id, GROUP_CREATE), &g) < 0)
        return TS_API_FAIL(-1);
    if (size_hint)
        *size_hint = g.heap_hint;
    return 0;
}

herr_t H5Pset_link_phase_change(hid_t plist_id, unsigned max_compact, unsigned min_dense)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (max_compact < min_dense)
        return TS_API_ERR(-1, ARGS, BADRANGE,
                          "max compact value must be >= min dense value: max compact %u is below min dense %u",
                          max_compact, min_dense);
    if (max_compact > UINT16_MAX || min_dense > UINT16_MAX)
        return TS_API_ERR(-1, ARGS, BADRANGE,
                          "max compact value must be < 65536: max compact %u, min dense %u: at most %d", max_compact,
                          min_dense, UINT16_MAX);
    struct ts_plist *pl = TS_P_LIST(plist_id, GROUP_CREATE);
    struct ts_gcpl_group *g = ts_gcpl_edit_group_info(pl);
    if (!g)
        return TS_API_FAIL(-1);
    g->max_compact = (uint16_t)max_compact;
    g->min_dense = (uint16_t)min_dense;
    g->phase_change_set = max_compact != 8 || min_dense != 6;
    ts_plist_release(pl);
    return 0;
}

herr_t H5Pget_link_phase_change(hid_t plist_id, unsigned *max_compact, unsigned *min_dense)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_gcpl_group g;
    if (ts_gcpl_group_info(TS_P_LIST(plist_id, GROUP_CREATE), &g) < 0)
        return TS_API_FAIL(-1);
    if (max_compact)
        *max_compact = g.max_compact;
    if (min_dense)
        *min_dense = g.min_dense;
    return 0;
}

herr_t H5Pset_est_link_info(hid_t plist_id, unsigned est_num_entries, unsigned est_name_len)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (est_num_entries > UINT16_MAX)
        return TS_API_ERR(-1, ARGS, BADRANGE, "est. number of entries must be < 65536: %u", est_num_entries);
    if (est_name_len > UINT16_MAX)
        return TS_API_ERR(-1, ARGS, BADRANGE, "est. name length must be < 65536: %u", est_name_len);
    struct ts_plist *pl = TS_P_LIST(plist_id, GROUP_CREATE);
    struct ts_gcpl_group *g = ts_gcpl_edit_group_info(pl);
    if (!g)
        return TS_API_FAIL(-1);
    g->est_entries = (uint16_t)est_num_entries;
    g->est_name_len = (uint16_t)est_name_len;
    g->estimates_set = est_num_entries != 4 || est_name_len != 8;
    ts_plist_release(pl);
    return 0;
}

herr_t H5Pget_est_link_info(hid_t plist_id, unsigned *est_num_entries, unsigned *est_name_len)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_gcpl_group g;
    if (ts_gcpl_group_info(TS_P_LIST(plist_id, GROUP_CREATE), &g) < 0)
        return TS_API_FAIL(-1);
    if (est_num_entries)
        *est_num_entries = g.est_entries;
    if (est_name_len)
        *est_name_len = g.est_name_len;
    return 0;
}

herr_t H5Pset_link_creation_order(hid_t plist_id, unsigned crt_order_flags)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!(crt_order_flags & H5P_CRT_ORDER_TRACKED) && (crt_order_flags & H5P_CRT_ORDER_INDEXED))
        return TS_API_ERR(-1, ARGS, BADVALUE, "tracking creation order is required for index");
    struct ts_gcpl_links links = {.track_order = crt_order_flags & H5P_CRT_ORDER_TRACKED,
                                  .index_order = crt_order_flags & H5P_CRT_ORDER_INDEXED};
    return TS_API_RET(ts_gcpl_set_link_info(TS_P_LIST(plist_id, GROUP_CREATE), &links));
}

herr_t H5Pget_link_creation_order(hid_t plist_id, unsigned *crt_order_flags)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_gcpl_links links;
    if (crt_order_flags)
        *crt_order_flags = 0;
    if (ts_gcpl_link_info(TS_P_LIST(plist_id, GROUP_CREATE), &links) < 0)
        return TS_API_FAIL(-1);
    if (crt_order_flags)
        *crt_order_flags =
            (links.track_order ? H5P_CRT_ORDER_TRACKED : 0) | (links.index_order ? H5P_CRT_ORDER_INDEXED : 0);
    return 0;
}
