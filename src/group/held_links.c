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
    if (h->placed)
        ts_free(h->placed->slots);
    ts_free(h->placed);
    ts_free(h);
}

static void forget_placed(struct ts_seen_names *s)
{
    ts_free(s->slots);
    *s = (struct ts_seen_names){0};
}

/* What the index has when the change is undone is not what it had when it was looked at. */
static void begin_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    forget_placed(((struct ts_held_links *)step->at)->placed);
}

static int begin_placed(struct ts_held_links *h, bool empty)
{
    h->placed = ts_calloc(1, sizeof *h->placed);
    if (!h->placed)
        return -1;
    if (!empty)
        return 0;
    h->placed->slots = ts_calloc(LEAST_SLOTS, sizeof *h->placed->slots);
    h->placed->n_slots = LEAST_SLOTS;
    return h->placed->slots ? ts_undo_add(h->file, (struct ts_undo_step){.back = begin_back, .at = h}) : -1;
}

int ts_held_links_begin(struct ts_btree2 *tree, struct ts_file *f, const struct ts_link_info *info,
                        int (*settle)(struct ts_btree2 *tree, struct ts_btree2_held *held))
{
    struct ts_held_links *h = ts_calloc(1, sizeof *h);
    if (!h)
        return -1;
    h->base = (struct ts_btree2_held){.settle = settle, .free = held_free};
    h->file = f;
    h->info = *info;
    if (begin_placed(h, ts_btree2_count(tree) == 0) < 0) {
        held_free(&h->base);
        return -1;
    }
    ts_btree2_hold(tree, &h->base);
    return 0;
}

static uint32_t *place_of(const struct ts_seen_names *s, uint32_t key)
{
    size_t i = key & (s->n_slots - 1);
    while (s->slots[i] && s->slots[i] != key)
        i = (i + 1) & (s->n_slots - 1);
    return &s->slots[i];
}

/* 0 stands for an empty place. */
static uint32_t key_of(uint32_t hash)
{
    return hash ? hash : 1;
}

bool ts_held_links_may_be_placed(const struct ts_held_links *h, uint32_t hash)
{
    return !h->placed->slots || *place_of(h->placed, key_of(hash));
}

static int grow_seen(struct ts_seen_names *s, size_t need)
{
    struct ts_seen_names grown = {.n = s->n, .n_slots = s->n_slots};
    while (grown.n_slots / 2 < need)
        grown.n_slots *= 2;
    if (grown.n_slots == s->n_slots)
        return 0;
    grown.slots = ts_calloc(grown.n_slots, sizeof *grown.slots);
    if (!grown.slots)
        return -1;
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i])
            *place_of(&grown, s->slots[i]) = s->slots[i];
    ts_free(s->slots);
    *s = grown;
    return 0;
}

void ts_held_links_placed(struct ts_held_links *h, const struct ts_held_link *links, size_t n)
{
    struct ts_seen_names *s = h->placed;
    unsigned mark = ts_err_mark();
    if (!s->slots)
        return;
    if (grow_seen(s, s->n + n) < 0) {
        forget_placed(s);
        ts_err_rewind(mark);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t key = key_of(links[i].hash), *at = place_of(s, key);
        s->n += *at == 0;
        *at = key;
    }
}

int ts_held_links_find(const struct ts_held_links *h, const char *name, uint32_t hash, const struct ts_held_link **out)
{
    size_t wanted = strlen(name), len, mask = h->n_slots - 1;
    const char *there;
    for (size_t i = hash & mask; h->n_slots > 0 && h->slots[i]; i = (i + 1) & mask) {
        const struct ts_held_link *link = &h->items[(uint32_t)h->slots[i] - 1];
        if (h->slots[i] >> 32 != hash)
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

static uint64_t *slot_for(const struct ts_held_links *h, uint32_t hash)
{
    size_t i = hash & (h->n_slots - 1);
    while (h->slots[i])
        i = (i + 1) & (h->n_slots - 1);
    return &h->slots[i];
}

static void enter(struct ts_held_links *h, size_t item)
{
    uint32_t hash = h->items[item].hash;
    *slot_for(h, hash) = (uint64_t)hash << 32 | (item + 1);
}

/* Half of the slots stay empty. */
static int grow_slots(struct ts_held_links *h)
{
    struct ts_file *f = h->file;
    if (h->base.n < h->n_slots / 2)
        return 0;
    size_t n = h->n_slots ? 4 * h->n_slots : LEAST_SLOTS;
    uint64_t *slots = ts_calloc(n, sizeof *slots);
    if (!slots || ts_undo_bytes(f, &h->slots, sizeof h->slots) < 0 ||
        ts_undo_bytes(f, &h->n_slots, sizeof h->n_slots) < 0 || ts_undo_free(f, h->slots) < 0 ||
        ts_undo_new(f, slots) < 0) {
        ts_free(slots);
        return -1;
    }
    h->slots = slots;
    h->n_slots = n;
    for (size_t i = 0; i < h->base.n; i++)
        enter(h, i);
    return 0;
}

/* Nothing was entered behind the last one, so that its slot is empty harms no other's way. */
static void add_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_held_links *h = step->at;
    const struct ts_held_link *last = &h->items[--h->base.n];
    size_t i = last->hash & (h->n_slots - 1);
    while ((uint32_t)h->slots[i] != h->base.n + 1)
        i = (i + 1) & (h->n_slots - 1);
    h->slots[i] = 0;
    h->n_bytes = last->at;
}

static size_t memory_of(const struct ts_held_links *h)
{
    return sizeof *h + h->capacity * sizeof *h->items + h->bytes_capacity + h->n_slots * sizeof *h->slots +
           h->placed->n_slots * sizeof *h->placed->slots;
}

int ts_held_links_add(struct ts_btree2 *tree, struct ts_held_links *h, const struct ts_held_link *link,
                      const uint8_t *message)
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
    enter(h, h->base.n++);
    h->n_bytes += item->size;
    return 0;
}

int ts_held_links_take(struct ts_btree2 *tree, struct ts_held_links *h, struct ts_held_links *was)
{
    struct ts_file *f = h->file;
    *was = *h;
    if (ts_btree2_edit_held(tree) < 0 || ts_undo_bytes(f, h, sizeof *h) < 0 || ts_undo_free(f, h->items) < 0 ||
        ts_undo_free(f, h->bytes) < 0 || ts_undo_free(f, h->slots) < 0)
        return -1;
    *h = (struct ts_held_links){.base = was->base, .placed = was->placed, .file = f, .info = was->info};
    h->base.n = 0;
    ts_held_links_placed(h, was->items, was->base.n);
    ts_btree2_resize_held(tree, memory_of(h));
    return 0;
}
