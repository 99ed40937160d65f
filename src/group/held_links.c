#include "group/held_links.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"

enum { LEAST_SLOTS = 64 };

static void held_free(struct ts_btree2_held *held)
{
    struct ts_held_links *h = (struct ts_held_links *)held;
    ts_free(h->items);
    ts_free(h->bytes);
    ts_free(h->slots);
    ts_free(h);
}

struct ts_held_links *ts_held_links_new(struct ts_file *f, const struct ts_link_info *info,
                                        int (*settle)(struct ts_btree2 *tree, struct ts_btree2_held *held))
{
    struct ts_held_links *h = ts_calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->base = (struct ts_btree2_held){.settle = settle, .free = held_free};
    h->file = f;
    h->info = *info;
    return h;
}

int ts_held_links_find(const struct ts_held_links *h, const char *name, uint32_t hash, const struct ts_held_link **out)
{
    size_t wanted = strlen(name), len, mask = h->n_slots - 1;
    const char *there;
    for (size_t i = hash & mask; h->n_slots > 0 && h->slots[i]; i = (i + 1) & mask) {
        const struct ts_held_link *link = &h->items[h->slots[i] - 1];
        if (link->hash != hash)
            continue;
        if (ts_link_peek_name(h->bytes + link->at, link->size, &there, &len) < 0)
            return -1;
        if (len == wanted && memcmp(there, name, len) == 0) {
            *out = link;
            return 1;
        }
    }
    return 0;
}

static uint32_t *slot_for(const struct ts_held_links *h, uint32_t hash)
{
    size_t i = hash & (h->n_slots - 1);
    while (h->slots[i])
        i = (i + 1) & (h->n_slots - 1);
    return &h->slots[i];
}

/* Half of the slots stay empty. */
static int grow_slots(struct ts_held_links *h)
{
    struct ts_file *f = h->file;
    if (h->base.n < h->n_slots / 2)
        return 0;
    size_t n = h->n_slots ? 4 * h->n_slots : LEAST_SLOTS;
    uint32_t *slots = ts_calloc(n, sizeof *slots);
    if (!slots || ts_undo_bytes(f, &h->slots, sizeof h->slots) < 0 || ts_undo_bytes(f, &h->n_slots, sizeof h->n_slots) < 0 ||
        ts_undo_free(f, h->slots) < 0 || ts_undo_new(f, slots) < 0) {
        ts_free(slots);
        return -1;
    }
    h->slots = slots;
    h->n_slots = n;
    for (size_t i = 0; i < h->base.n; i++)
        *slot_for(h, h->items[i].hash) = (uint32_t)i + 1;
    return 0;
}

/* Nothing was entered behind the last one, so that its slot is empty harms no other's way. */
static void add_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_held_links *h = step->at;
    const struct ts_held_link *last = &h->items[--h->base.n];
    size_t i = last->hash & (h->n_slots - 1);
    while (h->slots[i] != h->base.n + 1)
        i = (i + 1) & (h->n_slots - 1);
    h->slots[i] = 0;
    h->n_bytes = last->at;
}

static size_t memory_of(const struct ts_held_links *h)
{
    return sizeof *h + h->capacity * sizeof *h->items + h->bytes_capacity + h->n_slots * sizeof *h->slots;
}

int ts_held_links_add(struct ts_btree2 *tree, struct ts_held_links *h, const struct ts_held_link *link, const uint8_t *message)
{
    struct ts_file *f = h->file;
    TS_IN_CHANGE(f);
    if (h->base.n >= UINT32_MAX / 8)
        return TS_ERR(SYM, CANTINSERT, "%zu links wait to be written: flush the file", h->base.n);
    size_t before = memory_of(h);
    if (ts_btree2_edit_held(tree) < 0 || TS_UNDO_GROW(f, h->items, h->capacity, h->base.n + 1) < 0 ||
        TS_UNDO_GROW(f, h->bytes, h->bytes_capacity, h->n_bytes + link->size) < 0 || grow_slots(h) < 0 ||
        ts_undo_add(f, (struct ts_undo_step){.back = add_back, .at = h}) < 0)
        return -1;
    if (memory_of(h) != before)
        ts_btree2_resize_held(tree, memory_of(h));
    struct ts_held_link *item = &h->items[h->base.n];
    *item = *link;
    item->at = h->n_bytes;
    memcpy(h->bytes + item->at, message, item->size);
    *slot_for(h, item->hash) = (uint32_t)++h->base.n;
    h->n_bytes += item->size;
    return 0;
}

int ts_held_links_take(struct ts_btree2 *tree, struct ts_held_links *h, struct ts_held_links *was)
{
    struct ts_file *f = h->file;
    *was = *h;
    if (ts_btree2_edit_held(tree) < 0 || ts_undo_bytes(f, h, sizeof *h) < 0 || ts_undo_free(f, h->items) < 0 || ts_undo_free(f, h->bytes) < 0 ||
        ts_undo_free(f, h->slots) < 0)
        return -1;
    *h = (struct ts_held_links){.base = was->base, .file = f, .info = was->info};
    h->base.n = 0;
    ts_btree2_resize_held(tree, sizeof *h);
    return 0;
}
