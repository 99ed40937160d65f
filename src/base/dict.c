#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/map.h"

/* A dictionary is a map from the hash of the string. Among equal hashes the next free number is the key; as nothing is
 * ever removed, there is no gap in such a row. */
struct node {
    void *value;
    char key[];
};

static uint64_t hash_of(const char *key)
{
    return ts_checksum(key, strlen(key));
}

/* The string's node, or NULL with the number that is free for it in *at. */
static struct node *find(const struct ts_dict *dict, const char *key, uint64_t *at)
{
    struct node *node;
    *at = hash_of(key);
    while ((node = ts_map_get(&dict->nodes, *at)) && strcmp(node->key, key) != 0)
        ++*at;
    return node;
}

void ts_dict_deinit(struct ts_dict *dict)
{
    uint64_t at;
    void *node;
    for (size_t pos = 0; ts_map_next(&dict->nodes, &pos, &at, &node);)
        ts_free(node);
    ts_map_deinit(&dict->nodes);
}

size_t ts_dict_count(const struct ts_dict *dict)
{
    return dict->nodes.count;
}

void *ts_dict_get(const struct ts_dict *dict, const char *key)
{
    uint64_t at;
    const struct node *node = find(dict, key, &at);
    return node ? node->value : NULL;
}

int ts_dict_put(struct ts_dict *dict, const char *key, void *value)
{
    uint64_t at;
    struct node *node = find(dict, key, &at);
    if (node) {
        node->value = value;
        return 0;
    }
    size_t length = strlen(key) + 1;
    node = ts_malloc(sizeof *node + length);
    if (!node)
        return -1;
    node->value = value;
    memcpy(node->key, key, length);
    if (ts_map_put(&dict->nodes, at, node) == 0)
        return 0;
    ts_free(node);
    return -1;
}

bool ts_dict_next(const struct ts_dict *dict, size_t *pos, const char **key, void **value)
{
    uint64_t at;
    void *found;
    if (!ts_map_next(&dict->nodes, pos, &at, &found))
        return false;
    const struct node *node = found;
    *key = node->key;
    *value = node->value;
    return true;
}
