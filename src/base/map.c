#include "base/map.h"

#include <string.h>

#include "base/alloc.h"

/* Open addressing with linear probing. A removed slot keeps a tombstone while others follow it without a gap. */
struct ts_map_slot {
    uint64_t key;
    void *value; /* NULL: the slot is empty */
};

static char removed[1]; /* the value that a tombstone has */

static bool is_full(const struct ts_map_slot *slot)
{
    return slot->value && slot->value != removed;
}

static uint64_t hash_key(uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 33;
}

static struct ts_map_slot *find(const struct ts_map *map, uint64_t key)
{
    if (map->capacity == 0)
        return NULL;
    size_t mask = map->capacity - 1;
    for (size_t i = hash_key(key) & mask;; i = (i + 1) & mask) {
        struct ts_map_slot *slot = &map->slots[i];
        if (!slot->value)
            return NULL;
        if (slot->key == key && slot->value != removed)
            return slot;
    }
}

static struct ts_map_slot *free_slot(const struct ts_map *map, uint64_t key)
{
    size_t mask = map->capacity - 1;
    size_t i = hash_key(key) & mask;
    while (is_full(&map->slots[i]))
        i = (i + 1) & mask;
    return &map->slots[i];
}

static size_t next_capacity(size_t count, size_t capacity)
{
    if (capacity == 0)
        return 16;
    return count * 2 >= capacity ? capacity * 2 : capacity;
}

static int rehash(struct ts_map *map)
{
    struct ts_map bigger = {.capacity = next_capacity(map->count, map->capacity)};
    bigger.slots = ts_calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return -1;
    for (size_t i = 0; i < map->capacity; i++)
        if (is_full(&map->slots[i]))
            *free_slot(&bigger, map->slots[i].key) = map->slots[i];
    bigger.count = bigger.used = map->count;
    ts_free(map->slots);
    *map = bigger;
    return 0;
}

void ts_map_deinit(struct ts_map *map)
{
    ts_free(map->slots);
    *map = (struct ts_map){0};
}

void *ts_map_get(const struct ts_map *map, uint64_t key)
{
    struct ts_map_slot *slot = find(map, key);
    return slot ? slot->value : NULL;
}

void ts_map_put_back(struct ts_map *map, uint64_t key, void *value)
{
    struct ts_map_slot *slot = free_slot(map, key);
    map->used += !slot->value;
    map->count++;
    *slot = (struct ts_map_slot){.key = key, .value = value};
}

int ts_map_put(struct ts_map *map, uint64_t key, void *value)
{
    struct ts_map_slot *slot = find(map, key);
    if (slot) {
        slot->value = value;
        return 0;
    }
    if ((map->used + 1) * 4 > map->capacity * 3 && rehash(map) < 0)
        return -1;
    ts_map_put_back(map, key, value);
    return 0;
}

void *ts_map_remove(struct ts_map *map, uint64_t key)
{
    struct ts_map_slot *slot = find(map, key);
    if (!slot)
        return NULL;
    size_t mask = map->capacity - 1, i = (size_t)(slot - map->slots);
    void *value = slot->value;
    slot->value = removed;
    map->count--;
    if (map->slots[(i + 1) & mask].value)
        return value;
    for (; map->slots[i].value == removed; i = (i - 1) & mask) {
        map->slots[i].value = NULL;
        map->used--;
    }
    return value;
}

bool ts_map_next(const struct ts_map *map, size_t *pos, uint64_t *key, void **value)
{
    for (; *pos < map->capacity; (*pos)++) {
        const struct ts_map_slot *slot = &map->slots[*pos];
        if (!is_full(slot))
            continue;
        *key = slot->key;
        *value = slot->value;
        (*pos)++;
        return true;
    }
    return false;
}
