#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "filter/pipeline_codec.h"
#include "group/group.h"
#include "plist/gcpl.h"
#include "plist/ocpl.h"

/* The messages of a new group. */
struct plan {
    struct ts_ohdr_create how;
    struct ts_wr link_info, group_info, pipeline;
};

static void plan_deinit(struct plan *p)
{
    ts_wr_free(&p->link_info);
    ts_wr_free(&p->group_info);
    ts_wr_free(&p->pipeline);
}

static int plan_link_info(struct plan *p, struct ts_plist *gcpl, unsigned addr_size, bool *tracked)
{
    struct ts_gcpl_links links;
    if (ts_gcpl_link_info(gcpl, &links) < 0)
        return -1;
    struct ts_link_info info = {.tracked = links.track_order,
                                .indexed = links.index_order,
                                .heap = HADDR_UNDEF,
                                .name_index = HADDR_UNDEF,
                                .corder_index = HADDR_UNDEF};
    *tracked = info.tracked;
    return ts_link_info_encode(&info, addr_size, &p->link_info);
}

static int plan_pipeline(struct plan *p, struct ts_plist *gcpl)
{
    struct ts_pipeline pipeline;
    if (ts_ocpl_pipeline(gcpl, &pipeline) < 0)
        return -1;
    int status = pipeline.n > 0 ? ts_pipeline_encode_message(&pipeline, 2, &p->pipeline) : 0;
    ts_pipeline_deinit(&pipeline);
    return status;
}

/* What a link takes whose name is as long as the list expects: a hard one, the most likely. */
static size_t expected_link(const struct ts_gcpl_group *group, unsigned addr_size, bool tracked)
{
    return 2 + (tracked ? 8 : 0) + (group->est_name_len <= UINT8_MAX ? 1 : 2) + group->est_name_len + addr_size;
}

static int plan_init(struct plan *p, struct ts_file *f, struct ts_plist *gcpl)
{
    struct ts_gcpl_group group;
    unsigned addr_size = ts_file_addr_size(f);
    bool tracked;
    *p = (struct plan){.how = {0}};
    if (ts_ohdr_create_init(&p->how, gcpl) < 0 || ts_gcpl_group_info(gcpl, &group) < 0 ||
        plan_link_info(p, gcpl, addr_size, &tracked) < 0 || plan_pipeline(p, gcpl) < 0)
        return -1;
    struct ts_group_info info = {.has_phase_change = group.phase_change_set,
                                 .has_estimates = group.estimates_set,
                                 .max_compact = group.max_compact,
                                 .min_dense = group.min_dense,
                                 .est_entries = group.est_entries,
                                 .est_name_len = group.est_name_len};
    if (ts_group_info_encode(&info, &p->group_info) < 0)
        return -1;
    unsigned room_for = group.est_entries < group.max_compact ? group.est_entries : group.max_compact;
    p->how.room = ts_ohdr_room(&p->how, p->link_info.size) + ts_ohdr_room(&p->how, p->group_info.size) +
                  (p->pipeline.size ? ts_ohdr_room(&p->how, p->pipeline.size) : 0) +
                  room_for * ts_ohdr_room(&p->how, expected_link(&group, addr_size, tracked));
    return 0;
}

static int add_messages(struct ts_ohdr *oh, const struct plan *p)
{
    if (ts_ohdr_add(oh, TS_MSG_LINK_INFO, 0, p->link_info.data, p->link_info.size) < 0 ||
        ts_ohdr_add(oh, TS_MSG_GROUP_INFO, TS_MSG_FLAG_CONSTANT, p->group_info.data, p->group_info.size) < 0)
        return -1;
    return p->pipeline.size ? ts_ohdr_add(oh, TS_MSG_PIPELINE, TS_MSG_FLAG_CONSTANT, p->pipeline.data, p->pipeline.size)
                            : 0;
}

int ts_group_new(struct ts_file *f, struct ts_plist *gcpl, uint32_t links, haddr_t *addr)
{
    TS_IN_CHANGE(f);
    struct plan p;
    struct ts_ohdr *oh;
    int status = plan_init(&p, f, gcpl);
    if (status == 0) {
        p.how.links = links;
        status = ts_ohdr_create(f, &p.how, &oh);
    }
    if (status == 0) {
        *addr = oh->addr;
        status = add_messages(oh, &p);
        ts_ohdr_close(oh);
    }
    plan_deinit(&p);
    return status;
}

int ts_group_create_root(struct ts_file *f, struct ts_plist *fcpl)
{
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_undo_bytes(f, &f->sb, sizeof f->sb);
    if (status == 0)
        status = ts_group_new(f, fcpl, 1, &f->sb.root);
    if (status == 0)
        f->sb.root_btree = f->sb.root_local_heap = HADDR_UNDEF;
    return ts_change_end(f, status);
}

static int set_properties(struct ts_plist *gcpl, const struct ts_group_create *info)
{
    const struct ts_group_info *g = &info->group_info;
    struct ts_gcpl_links links = {info->link_info.tracked, info->link_info.indexed};
    struct ts_gcpl_group group;
    if (ts_gcpl_group_info(gcpl, &group) < 0)
        return -1;
    group.max_compact = (uint16_t)g->max_compact;
    group.min_dense = (uint16_t)g->min_dense;
    group.est_entries = (uint16_t)g->est_entries;
    group.est_name_len = (uint16_t)g->est_name_len;
    group.phase_change_set = g->has_phase_change;
    group.estimates_set = g->has_estimates;
    if (ts_gcpl_set_link_info(gcpl, &links) < 0 || ts_gcpl_set_group_info(gcpl, &group) < 0)
        return -1;
    return ts_ocpl_set_pipeline(gcpl, &info->pipeline);
}

int ts_group_describe(const struct ts_loc *loc, struct ts_plist **out)
{
    struct ts_group_create info;
    if (ts_group_create_info(loc, &info) < 0)
        return -1;
    int status = ts_plist_copy(ts_plist_default(TS_PLIST_GROUP_CREATE), out);
    if (status == 0 && set_properties(*out, &info) < 0) {
        ts_plist_unref(*out);
        status = -1;
    }
    ts_pipeline_deinit(&info.pipeline);
    return status;
}
