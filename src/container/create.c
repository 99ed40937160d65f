#include "container/create.h"

#include <string.h>

#include "base/error.h"
#include "container/page_buffer.h"
#include "container/setup.h"
#include "container/space.h"
#include "file/alloc.h"
#include "file/change.h"
#include "object/ohdr.h"
#include "object/sohm.h"
#include "plist/fapl.h"
#include "plist/fcpl.h"

enum { GROUP_LEAF_K = 4, GROUP_INTERNAL_K = 16, CHUNK_K = 32, PAGE_SIZE = 4096 };

static int add(struct ts_ohdr *oh, unsigned type, struct ts_wr *body, int status)
{
    uint8_t flags = type == TS_MSG_FILE_SPACE ? TS_FILE_SPACE_MSG_FLAGS : 0;
    if (status == 0 && !body->bad)
        status = ts_ohdr_put(oh, type, flags, body->data, body->size);
    ts_wr_free(body);
    return status;
}

static bool other_k(const struct ts_superblock *sb)
{
    return sb->group_leaf_k != GROUP_LEAF_K || sb->group_internal_k != GROUP_INTERNAL_K || sb->chunk_k != CHUNK_K;
}

static int add_btree_k(struct ts_ohdr *oh, const struct ts_superblock *sb)
{
    struct ts_btree_k k = {
        .chunk_k = sb->chunk_k, .group_internal_k = sb->group_internal_k, .group_leaf_k = sb->group_leaf_k};
    struct ts_wr body = {0};
    if (!other_k(sb))
        return 0;
    return add(oh, TS_MSG_BTREE_K, &body, ts_btree_k_encode(&k, &body));
}

static bool other_space(const struct ts_file_space *s)
{
    return s->strategy != H5F_FSPACE_STRATEGY_FSM_AGGR || s->persist || s->threshold != 1 || s->page_size != PAGE_SIZE;
}

static int read_space(struct ts_plist *fcpl, struct ts_file_space *out)
{
    *out = (struct ts_file_space){.version = 1, .end_before_managers = HADDR_UNDEF};
    for (int i = 0; i < TS_FSPACE_MANAGERS; i++)
        out->managers[i] = HADDR_UNDEF;
    if (ts_fcpl_space_strategy(fcpl, &out->strategy) < 0 || ts_fcpl_space_persist(fcpl, &out->persist) < 0 ||
        ts_fcpl_space_threshold(fcpl, &out->threshold) < 0)
        return -1;
    return ts_fcpl_space_page_size(fcpl, &out->page_size);
}

/* Addresses are counted from the end of the user block, which must not spoil the alignment of what they are of. */
static int check_user_block(struct ts_plist *fcpl, struct ts_plist *fapl)
{
    hsize_t user_block, alignment;
    if (ts_fcpl_userblock(fcpl, &user_block) < 0 || ts_fapl_alignment(fapl, &alignment) < 0)
        return -1;
    if (user_block == 0 || alignment == 0 || user_block % alignment == 0)
        return 0;
    if (user_block < alignment)
        return TS_ERR_AS(FILE, BADVALUE, "userblock size must be > file object alignment",
                         "a user block of %llu bytes, and objects are aligned to %llu (H5Pset_alignment)",
                         (unsigned long long)user_block, (unsigned long long)alignment);
    return TS_ERR_AS(FILE, BADVALUE, "userblock size must be an integral multiple of file object alignment",
                     "a user block of %llu bytes, and objects are aligned to %llu (H5Pset_alignment)",
                     (unsigned long long)user_block, (unsigned long long)alignment);
}

/* Everything that may be wrong with what is asked for, before the file is touched. */
static int check(unsigned flags, struct ts_plist *fcpl, struct ts_plist *fapl)
{
    H5F_libver_t high;
    struct ts_file_space space;
    size_t page_buffer;
    if (ts_fapl_libver_high(fapl, &high) < 0 || read_space(fcpl, &space) < 0 ||
        ts_page_buffer_check(fapl, &space, &page_buffer) < 0 || check_user_block(fcpl, fapl) < 0)
        return -1;
    if (flags & H5F_ACC_SWMR_WRITE && high < H5F_LIBVER_V110)
        return TS_ERR_AS(FILE, BADVALUE, "superblock version out of bounds",
                         "SWMR writing needs the format of 1.10, and the high bound forbids it");
    if (other_space(&space) && high < H5F_LIBVER_V110)
        return TS_ERR(FILE, BADRANGE, "a file space strategy needs the format of 1.10, and the high bound forbids it");
    return 0;
}

static int add_messages(struct ts_file *f, struct ts_ohdr *oh, const struct ts_file_space *space)
{
    struct ts_wr body = {0};
    if (add_btree_k(oh, &f->sb) < 0 || ts_container_space_put_driver(f, oh) < 0)
        return -1;
    if (!other_space(space))
        return 0;
    return add(oh, TS_MSG_FILE_SPACE, &body,
               ts_file_space_encode(space, ts_file_addr_size(f), ts_file_len_size(f), &body));
}

static int make_extension(struct ts_file *f, struct ts_plist *fcpl)
{
    struct ts_file_space space;
    struct ts_ohdr *oh;
    unsigned n_sohm;
    if (read_space(fcpl, &space) < 0 || ts_fcpl_sohm_indexes(fcpl, &n_sohm) < 0)
        return -1;
    if (!other_k(&f->sb) && !other_space(&space) && !f->driver->cls->writing->info && n_sohm == 0)
        return 0;
    /* A file that cannot be set up is not kept: of what is not undone here nothing is left. */
    ts_container_space_set(f, &space);
    if (ts_alloc_strategy(f, &space) < 0 || ts_ohdr_create(f, &(struct ts_ohdr_create){.links = 1}, &oh) < 0)
        return -1;
    int status = ts_undo_bytes(f, &f->sb, sizeof f->sb);
    f->sb.extension = oh->addr;
    if (status == 0)
        status = add_messages(f, oh, &space);
    if (status == 0)
        status = ts_sohm_create(f, fcpl, oh);
    ts_ohdr_close(oh);
    return status;
}

static int set_up(struct ts_file *f, struct ts_plist *fcpl)
{
    if (ts_container_setup(f) < 0 || ts_change_begin(f) < 0)
        return -1;
    if (ts_change_end(f, make_extension(f, fcpl)) < 0)
        return -1;
    ts_container_space_watch(f);
    return ts_page_buffer_agree(f);
}

int ts_container_create(const char *name, unsigned flags, struct ts_plist *fcpl, struct ts_plist *fapl,
                        struct ts_file **out)
{
    if (check(flags, fcpl, fapl) < 0 || ts_file_create(name, flags, fcpl, fapl, out) < 0)
        return -1;
    if (set_up(*out, fcpl) == 0)
        return 0;
    (*out)->broken = true;
    ts_file_unref(*out);
    return -1;
}
