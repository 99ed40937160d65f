#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/map.h"

struct ts_dict_slot {
    char *key;
    void *value;
    uint32_t hash;
    enum { EMPTY, FULL, REMOVED } state;
};

static struct ts_dict_slot *find(const struct ts_dict *dict, const char *key, uint32_t hash)
{
    if (dict->capacity == 0)
        return NULL;
    size_t mask = dict->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct ts_dict_slot *slot = &dict->slots[i];
        if (slot->state == EMPTY)
            return NULL;
        if (slot->state == FULL && slot->hash == hash && strcmp(slot->key, key) == 0)
            return slot;
    }
}

static struct ts_dict_slot *free_slot(const struct ts_dict *dict, uint32_t hash)
{
    size_t mask = dict->capacity - 1;
    size_t i = hash & mask;
    while (dict->slots[i].state == FULL)
        i = (i + 1) & mask;
    return &dict->slots[i];
}

static int rehash(struct ts_dict *dict)
{
    struct ts_dict bigger = {.capacity = dict->capacity ? dict->capacity : 16};
    if (dict->count * 2 >= bigger.capacity)
        bigger.capacity *= 2;
    bigger.slots = ts_calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return -1;
    for (size_t i = 0; i < dict->capacity; i++)
        if (dict->slots[i].state == FULL)
            *free_slot(&bigger, dict->slots[i].hash) = dict->slots[i];
    bigger.count = bigger.used = dict->count;
    ts_free(dict->slots);
    *dict = bigger;
    return 0;
}

void ts_dict_deinit(struct ts_dict *dict)
{
    for (size_t i = 0; i < dict->capacity; i++)
        if (dict->slots[i].state == FULL)
            ts_free(dict->slots[i].key);
    ts_free(dict->slots);
    *dict = (struct ts_dict){0};
}

static uint32_t hash_of(const char *key)
{
    return ts_checksum(key, strlen(key));
}

void *ts_dict_get(const struct ts_dict *dict, const char *key)
{
    struct ts_dict_slot *slot = find(dict, key, hash_of(key));
    return slot ? slot->value : NULL;
}

int ts_dict_put(struct ts_dict *dict, const char *key, void *value)
{
    uint32_t hash = hash_of(key);
    struct ts_dict_slot *slot = find(dict, key, hash);
    if (slot) {
        slot->value = value;
        return 0;
    }
    if ((dict->used + 1) * 4 > dict->capacity * 3 && rehash(dict) < 0)
        return -1;
    char *copy = ts_strdup(key);
    if (!copy)
        return -1;
    slot = free_slot(dict, hash);
    dict->used += slot->state == EMPTY;
    dict->count++;
    *slot = (struct ts_dict_slot){.key = copy, .value = value, .hash = hash, .state = FULL};
    return 0;
}

void *ts_dict_remove(struct ts_dict *dict, const char *key)
{
    struct ts_dict_slot *slot = find(dict, key, hash_of(key));
    if (!slot)
        return NULL;
    ts_free(slot->key);
    slot->state = REMOVED;
    dict->count--;
    return slot->value;
}

bool ts_dict_next(const struct ts_dict *dict, size_t *pos, const char **key, void **value)
{
    for (; *pos < dict->capacity; (*pos)++) {
        const struct ts_dict_slot *slot = &dict->slots[*pos];
        if (slot->state != FULL)
            continue;
        *key = slot->key;
        *value = slot->value;
        (*pos)++;
        return true;
    }
    return false;
}
