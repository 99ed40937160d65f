#include "object/attr.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "object/attr_store.h"
#include "object/open_objects.h"

struct ts_attr *ts_attr_ref(struct ts_attr *attr)
{
    ts_count_add(&attr->refs);
    return attr;
}

void ts_attr_unref(struct ts_attr *attr)
{
    if (!attr || !ts_count_drop(&attr->refs))
        return;
    ts_open_attrs_leave(attr);
    ts_type_unref(attr->type);
    if (attr->space)
        ts_space_unref(attr->space);
    ts_free(attr->data);
    ts_free(attr->name);
    ts_free(attr->owner_path);
    ts_fhandle_unref(attr->owner.fh);
    ts_count_deinit(&attr->refs);
    ts_free(attr);
}

static int decode_parts(struct ts_attr *attr, const struct ts_attr_msg *msg)
{
    struct ts_fhandle *fh = attr->owner.fh;
    struct ts_msg_body type = {.committed = HADDR_UNDEF}, space = {.committed = HADDR_UNDEF};
    int status = ts_msg_load(fh->file, TS_MSG_TYPE, msg->type_shared, msg->type, msg->type_size, &type);
    if (status == 0)
        status = ts_object_decode_type(fh, &type, &attr->type);
    if (status == 0)
        status = ts_msg_load(fh->file, TS_MSG_SPACE, msg->space_shared, msg->space, msg->space_size, &space);
    if (status == 0)
        status = ts_space_decode_extent(space.data, space.size, ts_file_len_size(fh->file), &attr->space);
    ts_msg_body_deinit(&type);
    ts_msg_body_deinit(&space);
    return status;
}

static int copy_data(struct ts_attr *attr, const struct ts_attr_msg *msg)
{
    uint64_t size;
    if (!ts_mul_u64(ts_space_npoints(attr->space), ts_type_size(attr->type), &size) || size > msg->data_size)
        return TS_ERR(ATTR, CANTDECODE, "attribute \"%s\": %llu elements of %zu bytes in %zu bytes", attr->name,
                      (unsigned long long)ts_space_npoints(attr->space), ts_type_size(attr->type), msg->data_size);
    attr->data_size = (size_t)size;
    attr->data = ts_memdup(msg->data, attr->data_size);
    return attr->data ? 0 : -1;
}

/* Where an attribute was found, for what is not in its message. */
struct origin {
    const struct ts_loc *loc;
    const char *path;
    bool corder_valid;
    unsigned corder;
};

static int attr_decode(const struct origin *from, const uint8_t *buf, size_t size, struct ts_attr **out)
{
    struct ts_attr_msg msg;
    if (ts_attr_msg_decode(buf, size, &msg) < 0)
        return -1;
    struct ts_attr *attr = ts_calloc(1, sizeof *attr);
    if (!attr)
        return -1;
    ts_count_init(&attr->refs, 1);
    attr->owner = *from->loc;
    ts_fhandle_ref(attr->owner.fh);
    attr->cset = msg.cset;
    attr->corder_valid = from->corder_valid;
    attr->corder = from->corder;
    attr->name = ts_strdup(msg.name);
    attr->owner_path = from->path ? ts_strdup(from->path) : NULL;
    if (!attr->name || (from->path && !attr->owner_path) || decode_parts(attr, &msg) < 0 || copy_data(attr, &msg) < 0 ||
        ts_open_attrs_enter(attr) < 0) {
        TS_ERR(ATTR, CANTDECODE, "cannot decode attribute \"%.64s\"", msg.name);
        ts_attr_unref(attr);
        return -1;
    }
    *out = attr;
    return 0;
}

/* The attributes of one object, open for looking. */
struct store {
    struct ts_attr_store base;
    struct origin from;
};

static void store_close(struct store *st)
{
    ts_attr_store_close(&st->base);
}

static int store_open(const struct ts_loc *loc, const char *path, struct store *out)
{
    out->from = (struct origin){.loc = loc, .path = path};
    if (ts_attr_store_open(loc->fh->file, loc->addr, &out->base) < 0)
        return -1;
    out->from.corder_valid = out->base.oh->prefix.flags & H5O_HDR_ATTR_CRT_ORDER_TRACKED;
    return 0;
}

static int attr_from_record(const struct store *st, const uint8_t *record, struct ts_attr **out)
{
    struct ts_msg_body body;
    struct origin from = st->from;
    struct ts_attr_record rec;
    ts_attr_record_decode(record, false, &rec);
    from.corder = from.corder_valid ? rec.corder : 0;
    int status = ts_attr_record_body(&st->base, record, &body);
    if (status == 0)
        status = attr_decode(&from, body.data, body.size, out);
    ts_msg_body_deinit(&body);
    return status;
}

/* Without tracking, the order in the header counts as that of creation. */
static unsigned order_of(const struct store *st, const struct ts_attr_spot *spot)
{
    return st->from.corder_valid ? spot->msg->creation_index : spot->position;
}

static int attr_from_msg(const struct store *st, const struct ts_attr_spot *spot, struct ts_attr **out)
{
    struct ts_msg_body body;
    struct origin from = st->from;
    from.corder = order_of(st, spot);
    from.corder_valid = true;
    int status = ts_attr_store_body(&st->base, spot, &body);
    if (status == 0)
        status = attr_decode(&from, body.data, body.size, out);
    ts_msg_body_deinit(&body);
    return status;
}

static int attr_from_spot(const struct store *st, const struct ts_attr_spot *spot, struct ts_attr **out)
{
    return spot->msg ? attr_from_msg(st, spot, out) : attr_from_record(st, spot->record, out);
}

int ts_attr_exists(const struct ts_loc *loc, const char *name)
{
    struct ts_attr_store st;
    struct ts_attr_spot spot;
    if (ts_attr_store_open(loc->fh->file, loc->addr, &st) < 0)
        return -1;
    int found = ts_attr_store_find(&st, name, &spot);
    ts_attr_store_close(&st);
    return found;
}

int ts_attr_open(const struct ts_loc *loc, const char *path, const char *name, struct ts_attr **out)
{
    struct store st;
    struct ts_attr_spot spot;
    if (store_open(loc, path, &st) < 0)
        return -1;
    int found = ts_attr_store_find(&st.base, name, &spot);
    if (found == 1 && attr_from_spot(&st, &spot, out) < 0)
        found = -1;
    store_close(&st);
    if (found == 0)
        return TS_ERR(ATTR, NOTFOUND, "can't locate attribute: '%s'", name);
    return found < 0 ? TS_ERR(ATTR, CANTOPENOBJ, "cannot open attribute '%s'", name) : 0;
}

void ts_attr_list_deinit(struct ts_attr_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        ts_attr_unref(list->attrs[i]);
    ts_free(list->attrs);
    *list = (struct ts_attr_list){0};
}

static int add(struct ts_attr_list *list, struct ts_attr *attr)
{
    if (TS_GROW(list->attrs, list->capacity, list->n + 1) < 0) {
        ts_attr_unref(attr);
        return -1;
    }
    list->attrs[list->n++] = attr;
    return 0;
}

static int list_compact(const struct store *st, struct ts_attr_list *list)
{
    struct ts_attr *attr;
    struct ts_attr_spot spot = {0};
    const struct ts_ohdr *oh = st->base.oh;
    for (size_t i = 0; i < oh->n_msgs; i++) {
        if (oh->msgs[i].type != TS_MSG_ATTR)
            continue;
        spot.msg = &oh->msgs[i];
        if (attr_from_msg(st, &spot, &attr) < 0 || add(list, attr) < 0)
            return -1;
        spot.position++;
    }
    return 0;
}

struct gather {
    const struct store *st;
    struct ts_attr_list *list;
};

static int gather_record(const uint8_t *record, void *ctx)
{
    struct gather *g = ctx;
    struct ts_attr *attr;
    return attr_from_record(g->st, record, &attr) < 0 ? -1 : add(g->list, attr);
}

/* Whether the index by creation order serves; negative on error. libhdf5 1.10 loses a record of it when it renames an
 * attribute; the index by name has them all. */
static int by_order_index(const struct store *st, H5_index_t index)
{
    struct ts_btree2 *names, *orders;
    if (index != H5_INDEX_CRT_ORDER || st->base.info.corder_index == HADDR_UNDEF)
        return 0;
    if (ts_attr_store_name_index(&st->base, &names) < 0)
        return -1;
    uint64_t n = ts_btree2_count(names);
    ts_btree2_close(names);
    if (ts_attr_store_order_index(&st->base, &orders) < 0)
        return -1;
    bool complete = ts_btree2_count(orders) == n;
    ts_btree2_close(orders);
    return complete;
}

static int open_index_for(const struct store *st, H5_index_t index, struct ts_btree2 **out)
{
    int by_order = by_order_index(st, index);
    if (by_order < 0)
        return -1;
    return by_order ? ts_attr_store_order_index(&st->base, out) : ts_attr_store_name_index(&st->base, out);
}

static int list_dense(const struct store *st, H5_index_t index, struct ts_attr_list *list)
{
    struct gather g = {st, list};
    struct ts_btree2 *tree;
    if (open_index_for(st, index, &tree) < 0)
        return -1;
    int status = ts_btree2_iterate(tree, gather_record, &g);
    ts_btree2_close(tree);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct ts_attr *const *)a)->name, (*(struct ts_attr *const *)b)->name);
}

static int by_name_down(const void *a, const void *b)
{
    return by_name(b, a);
}

static int by_corder(const void *a, const void *b)
{
    unsigned x = (*(struct ts_attr *const *)a)->corder, y = (*(struct ts_attr *const *)b)->corder;
    return x < y ? -1 : x > y;
}

static int by_corder_down(const void *a, const void *b)
{
    return by_corder(b, a);
}

static void sort(struct ts_attr_list *list, H5_index_t index, H5_iter_order_t order)
{
    if (order == H5_ITER_NATIVE || list->n < 2)
        return;
    bool up = order == H5_ITER_INC;
    if (index == H5_INDEX_NAME)
        qsort(list->attrs, list->n, sizeof *list->attrs, up ? by_name : by_name_down);
    else
        qsort(list->attrs, list->n, sizeof *list->attrs, up ? by_corder : by_corder_down);
}

static int list_store(const struct store *st, H5_index_t index, H5_iter_order_t order, struct ts_attr_list *out)
{
    *out = (struct ts_attr_list){0};
    if ((st->base.dense ? list_dense(st, index, out) : list_compact(st, out)) < 0) {
        ts_attr_list_deinit(out);
        return -1;
    }
    sort(out, index, order);
    return 0;
}

int ts_attr_list(const struct ts_loc *loc, const char *path, H5_index_t index, H5_iter_order_t order,
                 struct ts_attr_list *out)
{
    struct store st;
    if (store_open(loc, path, &st) < 0)
        return -1;
    int status = list_store(&st, index, order, out);
    store_close(&st);
    return status;
}

static int out_of_bounds(hsize_t n, hsize_t count)
{
    if (n > 0)
        TS_ERR(ARGS, BADVALUE, "invalid index specified");
    else
        TS_ERR(ATTR, CANTOPENOBJ, "unable to load attribute info from object header");
    return TS_ERR(ATTR, BADRANGE, "attribute %llu of %llu", (unsigned long long)n, (unsigned long long)count);
}

/* Straight from an index that is in the wanted order. */
static int at_in_index(const struct store *st, H5_index_t index, bool down, hsize_t n, struct ts_attr **out)
{
    struct ts_btree2 *tree;
    uint8_t record[TS_ATTR_RECORD_MAX];
    if (open_index_for(st, index, &tree) < 0)
        return -1;
    hsize_t count = ts_btree2_count(tree);
    int status = n < count ? ts_btree2_at(tree, down ? count - 1 - n : n, record) : out_of_bounds(n, count);
    ts_btree2_close(tree);
    return status < 0 ? -1 : attr_from_record(st, record, out);
}

static int at_in_list(const struct store *st, H5_index_t index, H5_iter_order_t order, hsize_t n, struct ts_attr **out)
{
    struct ts_attr_list list;
    if (list_store(st, index, order, &list) < 0)
        return -1;
    int status = n < list.n ? 0 : out_of_bounds(n, list.n);
    if (status == 0)
        *out = ts_attr_ref(list.attrs[n]);
    ts_attr_list_deinit(&list);
    return status;
}

/* An attribute in the header, by what it is sorted by: only the wanted one of them is decoded whole. */
struct place {
    const char *name;
    unsigned corder;
    struct ts_attr_spot spot;
};

static int place_by_name(const void *a, const void *b)
{
    return strcmp(((const struct place *)a)->name, ((const struct place *)b)->name);
}

static int place_by_corder(const void *a, const void *b)
{
    unsigned x = ((const struct place *)a)->corder, y = ((const struct place *)b)->corder;
    return x < y ? -1 : x > y;
}

/* 0 when the name is not in the header. */
static int place_of(const struct store *st, const struct ts_attr_spot *spot, bool wants_name, struct place *out)
{
    struct ts_attr_msg attr = {.name = NULL};
    if (wants_name && spot->msg->flags & TS_MSG_FLAG_SHARED)
        return 0;
    if (wants_name && ts_attr_msg_decode(spot->msg->body, spot->msg->size, &attr) < 0)
        return -1;
    *out = (struct place){attr.name, order_of(st, spot), *spot};
    return 1;
}

/* 1, or 0 when the names of some are elsewhere. The caller frees *out. */
static int places_in_header(const struct store *st, bool wants_name, struct place **out, size_t *n)
{
    const struct ts_ohdr *oh = st->base.oh;
    struct ts_attr_spot spot = {0};
    *n = ts_ohdr_count(oh, TS_MSG_ATTR);
    *out = ts_calloc(*n + 1, sizeof **out);
    int status = *out ? 1 : -1;
    for (size_t i = 0; status > 0 && i < oh->n_msgs; i++) {
        if (oh->msgs[i].type != TS_MSG_ATTR)
            continue;
        spot.msg = &oh->msgs[i];
        status = place_of(st, &spot, wants_name, &(*out)[spot.position]);
        spot.position++;
    }
    return status;
}

/* Mostly they are in order of creation already. */
static void sort_places(struct place *places, size_t n, int (*compare)(const void *, const void *))
{
    for (size_t i = 1; i < n; i++)
        if (compare(&places[i - 1], &places[i]) > 0) {
            qsort(places, n, sizeof *places, compare);
            return;
        }
}

static int at_in_header(const struct store *st, H5_index_t index, H5_iter_order_t order, hsize_t n,
                        struct ts_attr **out)
{
    struct place *places;
    size_t count;
    bool sorted = order != H5_ITER_NATIVE, wants_name = sorted && index == H5_INDEX_NAME;
    int status = places_in_header(st, wants_name, &places, &count);
    if (status > 0 && n >= count)
        status = out_of_bounds(n, count);
    if (status > 0 && sorted)
        sort_places(places, count, wants_name ? place_by_name : place_by_corder);
    if (status > 0)
        status = attr_from_msg(st, &places[order == H5_ITER_DEC ? count - 1 - n : n].spot, out) < 0 ? -1 : 1;
    ts_free(places);
    return status != 0 ? status : at_in_list(st, index, order, n, out);
}

static int at_in_heap(const struct store *st, H5_index_t index, H5_iter_order_t order, hsize_t n, struct ts_attr **out)
{
    int sorted = order == H5_ITER_NATIVE ? 1 : by_order_index(st, index);
    if (sorted < 0)
        return -1;
    return sorted ? at_in_index(st, index, order == H5_ITER_DEC, n, out) : at_in_list(st, index, order, n, out);
}

int ts_attr_open_by_idx(const struct ts_loc *loc, const char *path, H5_index_t index, H5_iter_order_t order, hsize_t n,
                        struct ts_attr **out)
{
    struct store st;
    if (store_open(loc, path, &st) < 0)
        return -1;
    int status = st.base.dense ? at_in_heap(&st, index, order, n, out) : at_in_header(&st, index, order, n, out);
    store_close(&st);
    return status < 0 ? -1 : 0;
}

void ts_attr_info(const struct ts_attr *attr, H5A_info_t *out)
{
    *out = (H5A_info_t){
        .corder_valid = attr->corder_valid, .corder = attr->corder, .cset = attr->cset, .data_size = attr->data_size};
}
