/* Hash tables. A map goes from a 64-bit key, a dictionary from a string, to a borrowed pointer. */
#ifndef TS_BASE_MAP_H
#define TS_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_map_slot;

struct ts_map {
    struct ts_map_slot *slots;
    size_t count, used, capacity;
};

void ts_map_deinit(struct ts_map *map);
void *ts_map_get(const struct ts_map *map, uint64_t key);
/* Replaces what the key had. The value must not be NULL. */
int ts_map_put(struct ts_map *map, uint64_t key, void *value);
/* The same for a key that was removed since the map last grew: needs no memory. */
void ts_map_put_back(struct ts_map *map, uint64_t key, void *value);
/* The value that was there, or NULL. */
void *ts_map_remove(struct ts_map *map, uint64_t key);
/* Steps through all pairs in no order: start with *pos = 0; false at the end. Removing the current key is allowed. */
bool ts_map_next(const struct ts_map *map, size_t *pos, uint64_t *key, void **value);

/* Keys are copied; there is no removing. */
struct ts_dict {
    struct ts_map nodes;
};

void ts_dict_deinit(struct ts_dict *dict);
size_t ts_dict_count(const struct ts_dict *dict);
void *ts_dict_get(const struct ts_dict *dict, const char *key);
int ts_dict_put(struct ts_dict *dict, const char *key, void *value);
bool ts_dict_next(const struct ts_dict *dict, size_t *pos, const char **key, void **value);

#endif
