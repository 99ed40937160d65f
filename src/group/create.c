#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "filter/pipeline_codec.h"
#include "group/group.h"
#include "plist/gcpl.h"
#include "plist/ocpl.h"

enum { MAX_MESSAGES = 3 };

/* The messages of a new group. */
struct plan {
    struct ts_ohdr_create how;
    size_t n;
    struct ts_ohdr_first items[MAX_MESSAGES];
    struct ts_wr bodies; /* one behind the other */
};

/* What was written behind `from` is the body of a message. */
static void end_message(struct plan *p, unsigned type, uint8_t flags, size_t from)
{
    size_t size = p->bodies.size - from;
    p->items[p->n++] = (struct ts_ohdr_first){.type = type, .flags = flags, .size = size};
    p->how.room += ts_ohdr_room(&p->how, size);
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
    if (ts_link_info_encode(&info, addr_size, &p->bodies) < 0)
        return -1;
    end_message(p, TS_MSG_LINK_INFO, 0, 0);
    return 0;
}

static int plan_group_info(struct plan *p, const struct ts_gcpl_group *group)
{
    size_t from = p->bodies.size;
    struct ts_group_info info = {.has_phase_change = group->phase_change_set,
                                 .has_estimates = group->estimates_set,
                                 .max_compact = group->max_compact,
                                 .min_dense = group->min_dense,
                                 .est_entries = group->est_entries,
                                 .est_name_len = group->est_name_len};
    if (ts_group_info_encode(&info, &p->bodies) < 0)
        return -1;
    end_message(p, TS_MSG_GROUP_INFO, TS_MSG_FLAG_CONSTANT, from);
    return 0;
}

static int plan_pipeline(struct plan *p, struct ts_plist *gcpl)
{
    struct ts_pipeline pipeline;
    size_t from = p->bodies.size;
    if (ts_ocpl_pipeline(gcpl, &pipeline) < 0)
        return -1;
    int status = pipeline.n > 0 ? ts_pipeline_encode_message(&pipeline, 2, &p->bodies) : 0;
    if (status == 0 && pipeline.n > 0)
        end_message(p, TS_MSG_PIPELINE, TS_MSG_FLAG_CONSTANT, from);
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
    *p = (struct plan){.n = 0};
    if (ts_ohdr_create_init(&p->how, gcpl) < 0 || ts_gcpl_group_info(gcpl, &group) < 0 ||
        plan_link_info(p, gcpl, addr_size, &tracked) < 0 || plan_group_info(p, &group) < 0 ||
        plan_pipeline(p, gcpl) < 0)
        return -1;
    unsigned room_for = group.est_entries < group.max_compact ? group.est_entries : group.max_compact;
    p->how.room += room_for * ts_ohdr_room(&p->how, expected_link(&group, addr_size, tracked));
    return 0;
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
        status = ts_ohdr_add_first(oh, p.items, p.n, &p.bodies);
        ts_ohdr_close(oh);
    }
    ts_wr_free(&p.bodies);
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
